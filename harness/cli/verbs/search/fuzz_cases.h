/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of one fuzzer input: a case line through the session into the search. */
#ifndef ASSAY_CLI_VERBS_SEARCH_FUZZ_CASES_H
#define ASSAY_CLI_VERBS_SEARCH_FUZZ_CASES_H

#include "harness/cli/verbs/search/driver.h"
#include "harness/search/search.h"

enum { FUZZ_INPUT_BYTES_MAX = 1 << 16 }; /* The longest line. */

typedef struct fuzz_runner {
  task_t *task;                  /* Borrowed, started. */
  const fuzz_options_t *options; /* Likewise. */
  search_t *search;
  verdict_t *verdicts; /* One per executor. */
  arena_t arena;       /* Of a case that was read. */
} fuzz_runner_t;

void fuzz_runner_init(fuzz_runner_t *runner, task_t *task, const fuzz_options_t *options);
void fuzz_runner_deinit(fuzz_runner_t *runner);

/* Reads a case line into the walker's arena; false if it is none, or of a program too large to be
 * run in every slice. */
bool fuzz_runner_read(fuzz_runner_t *runner, const uint8_t *data, size_t size,
                      search_proposal_t *out_proposal);

/* Walks a case and learns from it.  `data` is its line, for the artifact if it ends the process.
 * Returns an exit code, after a complaint unless it is EXIT_CODE_CLEAN. */
int fuzz_run_case(fuzz_runner_t *runner, const search_proposal_t *proposal, const uint8_t *data,
                  size_t size);

/* The same of a case of the corpus.  What conforms is kept (fuzz_options_t.outcomes), and where
 * that is known it is not walked again: the search learns from it, and nothing is counted or
 * recorded, for it was when the case was walked. */
int fuzz_take_case(fuzz_runner_t *runner, const search_proposal_t *proposal, const uint8_t *data,
                   size_t size);

/* Whether the search is to end: interrupted, or at its first finding if that was asked for. */
bool fuzz_runner_is_over(const fuzz_runner_t *runner);

#endif
