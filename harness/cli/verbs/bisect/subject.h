/* SPDX-License-Identifier: Apache-2.0 */
/* What `assay bisect` works on: cases, the releases of a backend, and what became of each case on
 * each. */
#ifndef ASSAY_CLI_VERBS_BISECT_SUBJECT_H
#define ASSAY_CLI_VERBS_BISECT_SUBJECT_H

#include "harness/cli/verbs/bisect/trial_ledger.h"
#include "harness/exec/registry/versions.h"
#include "harness/model/contract.h"

/* Texts are borrowed. */
typedef struct bisect_request {
  const char *backend; /* "onnxruntime?optimize=all" */
  const char *python;  /* As base_python_find() takes it. */
  const char *from;    /* The first and last release, which need not exist; NULL: all. */
  const char *to;
  bool takes_early; /* Candidates too. */
  bool keeps;       /* What is installed for this. */
  bool forgets;     /* What earlier calls learned. */
  uint32_t timeout_ms;
  contract_t contract;
  GPtrArray *lines; /* Of cases, one at least. */
} bisect_request_t;

typedef struct bisect_case {
  const char *line; /* Borrowed of the request. */
  char *key;        /* In the ledger. */
  trial_t *trials;  /* One for each release. */
} bisect_case_t;

typedef struct bisect_subject {
  const bisect_request_t *request;
  char *backend;       /* Its name without options. */
  worker_t *worker;    /* The row of it. */
  GPtrArray *releases; /* Texts in ascending order. */
  trial_ledger_t ledger;
  bisect_case_t *cases;
  size_t case_count;
} bisect_subject_t;

/* Asks the index for releases, and the ledger for what is known.  STATUS_INVALID for a bad case, a
 * backend that has no releases by name, or an empty range; STATUS_IO if the index cannot be asked.
 * The request must outlive the subject. */
status_t bisect_subject_open(const bisect_request_t *request, bisect_subject_t *out_subject,
                             failure_t *error);
void bisect_subject_close(bisect_subject_t *subject);

/* Installs a release, unless it is there, runs every case on it whose outcome there is not known,
 * keeps what came, and removes what it installed.  What becomes of the release is never a failure
 * of this. */
status_t bisect_subject_try(bisect_subject_t *subject, size_t release, failure_t *error);

#endif
