/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a case after some of its components: enough to add what parts of a case give, in
 * order, and to conclude as if the whole had been judged at once. */
#ifndef ASSAY_JUDGE_TALLY_H
#define ASSAY_JUDGE_TALLY_H

#include "harness/judge/block_compare.h"
#include "harness/judge/judge.h"
#include "harness/judge/triage.h"
#include "harness/judge/vacuity.h"

/* All zero at first. */
typedef struct judge_tally {
  verdict_t verdict; /* Counts; reason and observed of the first component that has one. */
  measures_t measures;
  size_t could_fail_count; /* Conforming components of which some value would have been wrong. */
  vacuity_t vacuity;       /* Of what nobody had computed. */
  size_t outside_count;    /* Components outside a fast set that were asked about, ... */
  bool has_outside_conforming; /* ... of which some conform. */
  bool has_exact;    /* The oracle alone knew some component, and permits not all there. */
  bool lacks_oracle; /* The oracle had no answer: no component beyond it counts. */
  bool has_wrong;
  wrong_element_t worst; /* Of the wrong ones, if there is one. */
} judge_tally_t;

/* judge_results() without its conclusion. */
status_t judge_count(const judge_t *judge, const case_t *instance, const accept_t *accepts,
                     const tensor_t *results, judge_tally_t *out_tally, failure_t *error);

/* Adds the next part of a case, whose worst component is numbered as in the whole; nothing once
 * the oracle had no answer. */
void judge_tally_add(judge_tally_t *inout_total, const judge_tally_t *part);

/* The verdict; `instance` and `results` are those that the worst component is numbered in. */
status_t judge_conclude(const judge_t *judge, const case_t *instance, const tensor_t *results,
                        const judge_tally_t *tally, verdict_t *out_verdict, failure_t *error);

#endif
