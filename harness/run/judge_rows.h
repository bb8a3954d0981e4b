/* SPDX-License-Identifier: Apache-2.0 */
/* Judges rows as wholes, where the contract says that what the elements of a row share is computed
 * once (`shared=once`).  Private to harness/run and to who judges parts. */
#ifndef ASSAY_RUN_JUDGE_ROWS_H
#define ASSAY_RUN_JUDGE_ROWS_H

#include "harness/judge/verdict.h"
#include "oracles/oracle.h"

/* `inout_verdict` is that on the elements: where they all conform, and no shared numbers explain a
 * row, it becomes a divergence of class `shared`. */
status_t judge_rows(const oracle_t *oracle, const oracle_call_t *call, verdict_t *inout_verdict);

/* The same where the answer is there already. */
void judge_rows_note(const row_answer_t *answer, const tensor_t *results, verdict_t *inout_verdict);

#endif
