/* SPDX-License-Identifier: Apache-2.0 */
/* What the oracle files of the pointwise ops share.  Private to the family. */
#ifndef ASSAY_ORACLES_OPS_POINTWISE_PARTS_H
#define ASSAY_ORACLES_OPS_POINTWISE_PARTS_H

#include "oracles/exact/arithmetic.h"
#include "oracles/ops/pointwise/pointwise.h"
#include "oracles/oracle.h"

/* The spellings of PERMITTED(contract, division). */
enum { DIVISION_EXACT, DIVISION_RECIPROCAL };

/* A pointwise op on numbers of one type. */
typedef struct pointwise_step {
  pointwise_t function;
  const element_t *element; /* Of the numbers that are computed with. */
  comparison_t direction;   /* Of compare. */
} pointwise_step_t;

pointwise_step_t pointwise_step_of(const program_t *program);

/* Which component of an operand belongs to a component of the result: the only one of a scalar. */
static inline size_t pointwise_place(const program_t *program, uint32_t operand, size_t component) {
  const type_t *type = &program->operands[operand];
  if (type->rank == 0) return component % type->element->components;
  bool is_predicate = type->element->components < program->results[0].element->components;
  return is_predicate ? component / 2 : component;
}

/* Whether a comparison in that direction holds of numbers in that order: `sign` is below, at or
 * above 0 where the left one is less, equal or greater; `is_unordered` beside NaN. */
bool pointwise_holds(comparison_t direction, int sign, bool is_unordered);

/* What the op makes of patterns, in binary64 or in integers: the fast side, and models.
 * *out_is_open: another result conforms as well, or nothing is said of it. */
uint64_t pointwise_apply(const pointwise_step_t *step, const uint64_t operands[],
                         bool *out_is_open);

/* The last word on a component, by MPFR and in 128 bits. */
status_t pointwise_decide(const oracle_call_t *call, uint32_t result, size_t component,
                          answer_t *out_answer);

/* As oracle_t.ranges. */
status_t pointwise_ranges(const oracle_call_t *call, uint32_t result, component_span_t span,
                          accepted_ranges_t *out_ranges);

/* As oracle_t.enclose; STATUS_UNSUPPORTED for remainders, integers that are divided, bitwise ops,
 * complex numbers and f8E8M0FNU, which has no zero. */
status_t pointwise_enclose(const enclosure_call_t *call,
                           box_t *const out_results[CASE_RESULTS_MAX]);

status_t pointwise_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                            tensor_t *inout_results);

#endif
