/* SPDX-License-Identifier: Apache-2.0 */
/* Judges a part of a case, so that what is found of all parts can be added up. */
#ifndef ASSAY_RUN_PARTS_JUDGE_PART_H
#define ASSAY_RUN_PARTS_JUDGE_PART_H

#include "harness/judge/tally.h"
#include "harness/run/case_runner.h"

/* What is found of one part, numbered as in the part. */
typedef struct part_finding {
  judge_tally_t tally;
  evidence_t evidence;
  bool skips_rows;   /* Of who asks: not to ask whether rows agree. */
  row_answer_t rows; /* They agree where nobody asked. */
  /* Of an op with several formulas, where nothing is wrong: whether one explains the results, and
   * the first that does. */
  bool asks_formula;
  bool has_formula;
  uint8_t formula;
  /* Of a program that names an algorithm: those that could have given the results, "A|B", freed by
   * g_free(); NULL of others. */
  char *algorithms;
} part_finding_t;

/* Holds results against what is expected of the part. */
status_t judge_part(case_runner_t *walk, const expectation_t *expectation, const tensor_t *results,
                    part_finding_t *inout_finding, failure_t *error);

/* The verdict on all parts together, whose worst component, if one is wrong, lies in this part and
 * is numbered as in it. */
status_t judge_part_conclude(case_runner_t *walk, const expectation_t *expectation,
                             const tensor_t *results, const judge_tally_t *total,
                             verdict_t *out_verdict, failure_t *error);

/* The verdict on all parts together, if nothing is wrong: of the case as a whole, about some
 * components of which the oracle may be asked. */
status_t judge_parts_conclude_right(case_runner_t *walk, const case_t *instance,
                                    const tensor_t *results, const judge_tally_t *total,
                                    verdict_t *out_verdict, failure_t *error);

/* Of two lists "A|B" what both have, in the order of the first, which is freed: a new text. */
char *parts_common_names(char *names, const char *others);

#endif
