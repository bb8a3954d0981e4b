/* SPDX-License-Identifier: Apache-2.0 */
/* What cases gave, kept in a file from one search to the next: where an executor compiles for as
 * long as a hundred executions take, running a corpus again, only to learn what is known, leaves no
 * time to search.
 *
 * A line for each case: a hash of the scope and the case line, and of the verdict what a search
 * learns from.  Lines are appended whole, so that several searches may share a file; what cannot be
 * read as a line (of a process that died) is passed over. */
#ifndef ASSAY_SEARCH_OUTCOME_FILE_H
#define ASSAY_SEARCH_OUTCOME_FILE_H

#include "harness/base/status.h"
#include "harness/base/text.h"
#include "harness/judge/verdict.h"

typedef struct outcome_file outcome_file_t;

/* Reads the file, which is made if it is not there.  `scope` says for what outcomes hold: executor,
 * version, contract.  STATUS_INVALID, with what to do, if it cannot be read or written. */
status_t outcome_file_open(const char *path, const char *scope, outcome_file_t **out_file,
                           failure_t *error);
void outcome_file_close(outcome_file_t *file); /* NULL is ignored. */

/* What that case gave in this scope: of the verdict outcome, class, the largest errors, observed,
 * formula (interned) and constraint; and its cost, as it was told.  False if it is not known. */
bool outcome_file_find(const outcome_file_t *file, str_t line, verdict_t *out_verdict,
                       uint64_t *out_cost);

/* Keeps it, unless it is there.  A file that cannot be written any more keeps no more. */
void outcome_file_add(outcome_file_t *file, str_t line, const verdict_t *verdict, uint64_t cost);

#endif
