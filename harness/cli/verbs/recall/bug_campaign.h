/* SPDX-License-Identifier: Apache-2.0 */
/* Searches that `assay` itself makes, as a process of its own, and which of the recall list's bugs
 * are among what a search found. */
#ifndef ASSAY_CLI_VERBS_RECALL_BUG_CAMPAIGN_H
#define ASSAY_CLI_VERBS_RECALL_BUG_CAMPAIGN_H

#include <signal.h>

#include "harness/exec/executor.h"
#include "reports/known/known.h"

/* A finding of a search with a case that is kept of it, owned. */
typedef struct bug_case {
  int64_t finding;
  char *op;
  char *algorithm;
  char *types;
  char *class_;
  char *cause;
  char *line;
  char *got;
  char *expected;
  double seconds; /* From the beginning of the search until its finding was first seen. */
} bug_case_t;

/* What a search drew, by op, algorithm, types and outcome; owned. */
typedef struct bug_case_count {
  char *op;
  char *algorithm;
  char *types;
  char *outcome;
  int64_t cases;
} bug_case_count_t;

typedef struct bug_campaign {
  GPtrArray *cases;  /* bug_case_t *: in the order of time, of a finding the shortest first. */
  GPtrArray *counts; /* bug_case_count_t * */
  int64_t drawn;     /* Sum of counts. */
} bug_campaign_t;

/* Runs `assay WORDS`, of which one names the database, or the folder that holds it; what it prints
 * goes to the file `log`.  Whatever its exit status is, the database is what counts.  STATUS_IO if
 * it cannot be started, or leaves no database.  It is stopped once `stop` is nonzero, and leaves
 * what it has then. */
status_t bug_campaign_run(char *const *words, const char *database, const char *log,
                          const volatile sig_atomic_t *stop, bug_campaign_t *out_campaign,
                          failure_t *error);
void bug_campaign_deinit(bug_campaign_t *campaign);

/* What became of a bug in a search. */
typedef struct bug_answer {
  const bug_case_t *found; /* The first true match, borrowed; NULL: none. */
  size_t alike;            /* Findings of its op, algorithm, types and class that are none. */
  char *why_not;           /* Of the last of these; owned; NULL: there are none. */
  int64_t drawn;           /* Cases of its op, algorithm and types; ... */
  int64_t judged;          /* ... that were held against the oracle, ... */
  int64_t refused;         /* ... and that the executor refused. */
} bug_answer_t;

/* A finding is a true match if it fits all patterns of the entry, one of its cases keeps the
 * entry's conditions, and `control`, an executor without the bug, conforms on that case (NULL:
 * there is none, and the patterns and conditions decide).  */
status_t bug_campaign_find(const bug_campaign_t *campaign, const known_entry_t *bug,
                           executor_t *control, bug_answer_t *out_answer, failure_t *error);
void bug_answer_clear(bug_answer_t *answer);

#endif
