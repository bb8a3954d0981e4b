/* What the database says about the findings of a campaign: which are new, which were known, waived
 * or fixed; and which of them make a run fail. */
#ifndef ASSAY_CLI_FINDING_LIVES_H
#define ASSAY_CLI_FINDING_LIVES_H

#include <jansson.h>

#include "harness/cli/task.h"

/* LIFE(NAME, "spelling", is news: counts with --fail-on new) */
#define LIVES(LIFE)                                                                     \
  LIFE(NEW, "new", true)                       /* Not in the database before. */        \
  LIFE(REGRESSED, "regressed", true)           /* Fixed, and back with this run. */     \
  LIFE(WAIVER_EXPIRED, "waiver-expired", true) /* Its waiver does not hold any more. */ \
  LIFE(KNOWN, "known", false)                                                           \
  LIFE(WAIVED, "waived", false)

typedef enum life {
#define LIFE(name, spelling, is_news) LIFE_##name,
  LIVES(LIFE)
#undef LIFE
      LIFE_COUNT
} life_t;

/* Reads what was known before the campaign began; after a first look the database is not read
 * again but once, when the first of the functions below is called: the campaign has ended then. */
status_t finding_lives_open(const task_t *task, finding_lives_t **out_lives, failure_t *error);
void finding_lives_close(finding_lives_t *lives); /* NULL is ignored. */

/* The state of a finding before the campaign began, "" if it was not there.  Where the work is
 * begun again (supervisor.h), what its first attempt has stored is in the database already: then
 * the state is set to what it was. */
const char *finding_state_before(const task_t *task, const finding_t *finding);
void finding_lives_set_before(const task_t *task, size_t executor, const hash_text_t *signature,
                              const char *state);

const char *life_spelling(life_t life);
life_t finding_life(const task_t *task, const finding_t *finding);

/* Whether --fail-on makes the finding count. */
bool finding_fails(const task_t *task, const finding_t *finding);

/* "37 findings: 2 new, 30 known, 5 waived"; nothing without a database or findings. */
void finding_lives_print(const task_t *task);

/* Counts by life, or null without a database. */
json_t *finding_lives_json(const task_t *task);

#endif
