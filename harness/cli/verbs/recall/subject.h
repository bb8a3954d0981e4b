/* SPDX-License-Identifier: Apache-2.0 */
/* One release of a backend, on which entries of the recall list are confirmed, sought, and, where
 * they were missed, sought again with hints. */
#ifndef ASSAY_CLI_VERBS_RECALL_SUBJECT_H
#define ASSAY_CLI_VERBS_RECALL_SUBJECT_H

#include "harness/cli/verbs/recall/bug_campaign.h"

typedef enum recall_outcome {
#define OUTCOME(name, spelling, words) RECALL_##name,
#include "harness/cli/verbs/recall/recall_outcomes.def"
#undef OUTCOME
  RECALL_OUTCOME_COUNT
} recall_outcome_t;

const char *recall_outcome_spelling(recall_outcome_t outcome);
const char *recall_outcome_words(recall_outcome_t outcome);

typedef struct recall_request {
  const char *backend;   /* "onnxruntime?optimize=all" */
  const char *python;    /* As base_python_find() takes it. */
  const char *folder;    /* Where searches leave their databases and logs. */
  const char *time;      /* Of a campaign, as its option takes it. */
  const char *hint_time; /* Of each search with a hint; NULL: none is made. */
  const char *seed;
  const char *jobs; /* NULL: as a campaign has it. */
  bool keeps;       /* What is installed for this. */
  bool is_confirming_alone;
  const volatile sig_atomic_t *stop; /* Once nonzero, somebody wants it to end. */
} recall_request_t;

/* What became of an entry on a release; texts owned. */
typedef struct recalled {
  const known_entry_t *bug;
  recall_outcome_t outcome;
  double seconds; /* Until it was found, by the campaign or with the hint. */
  char *detail;   /* The case that was found, or why not. */
} recalled_t;

typedef struct recall_subject {
  const recall_request_t *request;
  const char *release; /* "-": the backend has none. */
  char *name;          /* Of the executor: "onnxruntime@1.26.0?optimize=all". */
  recalled_t *rows;    /* One for each entry, in their order. */
  size_t row_count;
  int64_t drawn; /* Cases of the campaign. */
} recall_subject_t;

/* Does all of it; `bugs` are the entries that this release may have.  With `is_asked` an entry that
 * the release turns out not to have is RECALL_ABSENT, else it is not confirmed.  A release that
 * cannot be installed, and a control that cannot, is never a failure of this.  A campaign that was
 * begun in the request's folder with the same seed and time goes on, or is read if it is finished.
 * STATUS_IO once somebody wants it to end. */
status_t recall_subject_run(const recall_request_t *request, const char *release, bool is_asked,
                            const GPtrArray *bugs, recall_subject_t *out_subject, failure_t *error);
void recall_subject_deinit(recall_subject_t *subject);

#endif
