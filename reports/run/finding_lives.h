/* SPDX-License-Identifier: Apache-2.0 */
/* What the database says about the findings of a run: which are new, which were known, waived or
 * fixed. */
#ifndef ASSAY_REPORTS_RUN_FINDING_LIVES_H
#define ASSAY_REPORTS_RUN_FINDING_LIVES_H

#include "harness/base/hash.h"
#include "harness/store/store.h"

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

typedef struct finding_lives finding_lives_t;

/* Reads what was known before the run began; after a first look the database is not read again but
 * once, when finding_life() is first called: the run has ended then.  `store`, that of the run, is
 * borrowed. */
status_t finding_lives_open(const char *database, store_t *store, finding_lives_t **out_lives,
                            failure_t *error);
void finding_lives_close(finding_lives_t *lives); /* NULL is ignored. */

/* The state of a finding before the run began, "" if it was not there, or without a database: NULL.
 * Where the work is begun again (supervisor.h), what its first attempt has stored is in the
 * database already: then the state is set to what it was. */
const char *finding_lives_before(const finding_lives_t *lives, const char *executor,
                                 const hash_text_t *signature);
void finding_lives_set_before(finding_lives_t *lives, const char *executor,
                              const hash_text_t *signature, const char *state);

const char *life_spelling(life_t life);
bool life_is_news(life_t life);
life_t finding_life(finding_lives_t *lives, const char *executor, const hash_text_t *signature);

#endif
