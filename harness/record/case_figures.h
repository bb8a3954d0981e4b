/* SPDX-License-Identifier: Apache-2.0 */
/* What a case is like, in numbers by which its errors are explained: how many terms are added, how
 * well conditioned the sums are, how large, and what the operands hold.  No verdict looks at them.
 */
#ifndef ASSAY_RECORD_CASE_FIGURES_H
#define ASSAY_RECORD_CASE_FIGURES_H

#include "harness/run/case_runner.h"
#include "harness/store/rows/rows.h"

typedef struct case_figures {
  uint64_t terms; /* program_terms() */
  /* Of a result element that is a sum: the sum of |terms| over |exact sum|, at least 1, INFINITY
   * where the exact sum is 0; the two numbers themselves.  Of several elements, the largest of
   * each.  NaN: there is no sum, or it is not known as one finite number. */
  double condition;
  double term_magnitude;
  double sum_magnitude;
  bool has_reference;        /* Errors in ulps are measured: some result is known as numbers. */
  bool has_sum;              /* Backward errors are measured: some result is of sums. */
  double data_extent;        /* severity_t.data_extent, of all operands. */
  uint64_t operand_elements; /* Components of the operands, and among these: */
  uint64_t nan_elements;
  uint64_t infinite_elements;
  uint64_t subnormal_elements;
} case_figures_t;

/* The figures of a case by its program and operands alone: no sum is known.  Of a program that
 * breaks a constraint nobody may ask how many terms there are: none. */
case_figures_t case_figures_of_operands(const case_t *instance, bool is_valid);

/* Adds the largest figures of all result elements; nothing where there is no accept set. */
void case_figures_add_results(const expectation_t *expectation, case_figures_t *inout_figures);

/* Adds those of one result element. */
void case_figures_add_element(const expectation_t *expectation, uint32_t result, size_t component,
                              case_figures_t *inout_figures);

/* Puts them into the row of a finding's case. */
void case_figures_store(const case_figures_t *figures, store_divergence_t *inout_row);

#endif
