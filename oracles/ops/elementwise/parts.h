/* SPDX-License-Identifier: Apache-2.0 */
/* What the oracle files of the elementwise ops share.  Private to the family. */
#ifndef ASSAY_ORACLES_OPS_ELEMENTWISE_PARTS_H
#define ASSAY_ORACLES_OPS_ELEMENTWISE_PARTS_H

#include <mpfr.h>

#include "generated/exact_permissions.h"
#include "oracles/exact/fold/fold.h"
#include "oracles/exact/quantum/quantum.h"
#include "oracles/ops/elementwise/elementwise.h"
#include "oracles/oracle.h"

/* Whether anybody knows what the program means: STATUS_UNSUPPORTED for f8E8M0FNU, stored or
 * expressed, which has no zero. */
status_t elementwise_check(const program_t *program, failure_t *error);

/* ---- Exactly --------------------------------------------------------------------------------- */

/* inout_left becomes the exact result of a float function; NaN, infinities and the signs of zeros
 * as IEEE 754 has them.  `right` means nothing to negate.  The precision, the caller's, holds the
 * result: exact_sum_precision() of the operands' format. */
void elementwise_apply(elementwise_t function, mpfr_t inout_left, const mpfr_t right);

/* elementwise_apply() rounded to the format, once: to nearest, ties to even. */
double elementwise_rounded(elementwise_t function, const format_t *format, double left,
                           double right);

/* ---- Complex --------------------------------------------------------------------------------- */

/* Values of permission complex_infinity. */
enum permission_complex_infinity { COMPLEX_INFINITY_FORMULA, COMPLEX_INFINITY_RECOVERED };

/* Two complex numbers: real parts, then imaginary ones. */
typedef struct complex_pair {
  double left[2];
  double right[2];
} complex_pair_t;

/* The last word on part 0 or 1 of a product of two complex numbers of a format. */
void elementwise_product_decide(const format_t *format, const complex_pair_t *pair, int part,
                                const contract_t *contract, uint64_t bits, answer_t *out_answer);

/* What C's annex G makes of a product that the formula gives no number in either part of; false if
 * that is NaN too, or if the formula does. */
bool elementwise_recover_product(const format_t *format, const double left[2],
                                 const double right[2], double out_parts[2]);

/* Which operands may be taken as the larger or the smaller pair; NEITHER is certain beside NaN. */
enum { ELEMENTWISE_NEITHER = 0, ELEMENTWISE_LEFT = 1, ELEMENTWISE_RIGHT = 2 };
unsigned elementwise_lexicographic(bool is_maximum, const double left[2], const double right[2]);

/* The last word on a component of a complex maximum or minimum. */
void elementwise_lexicographic_decide(const case_t *instance, const contract_t *contract,
                                      size_t component, const tensor_t *result,
                                      answer_t *out_answer);

/* A complex product or extremum of one implementation: fold->schedule and `schedule` are the same
 * but for the accumulator and fusing, which are the latter's. */
fold_value_t elementwise_combine_complex(const fold_t *fold, elementwise_t function,
                                         const implementation_model_t *schedule, fold_value_t left,
                                         fold_value_t right);

/* ---- Quantized ------------------------------------------------------------------------------- */

/* The spellings of PERMITTED(contract, quantized), which are the formulas of quantized programs. */
enum { ELEMENTWISE_DEQUANTIZE, ELEMENTWISE_INTEGER };

/* Storage values low..high, and how an implementation gets there: "" is the usual way. */
typedef struct stored_range {
  int64_t low;
  int64_t high;
  const char *by;
} stored_range_t;

/* What is permitted of one element, held against one storage value as it is found. */
enum { STORED_RANGES_PRINTED = 4 };
typedef struct stored_judgement {
  int64_t got;
  bool holds;
  bool anything;      /* Permitted is what the specification leaves to the implementation. */
  const char *by;     /* Of the first range that holds `got`. */
  size_t range_count; /* Distinct ones, of which so many are kept for printing: */
  stored_range_t ranges[STORED_RANGES_PRINTED];
  int64_t low, high; /* The hull of all. */
} stored_judgement_t;

void stored_judgement_add(stored_judgement_t *judgement, int64_t low, int64_t high, const char *by);

/* `count` choices as quantum_choices() has them. */
void stored_judgement_add_choices(stored_judgement_t *judgement, size_t count,
                                  const int64_t choices[QUANTUM_CHOICES_MAX], const char *by);

/* What the formula of the specification gives in all arithmetics that the contract permits, and
 * what integer arithmetic gives (elementwise/integer.c). */
void elementwise_judge_formula(const case_t *instance, const contract_t *contract, size_t element,
                               stored_judgement_t *inout_judgement);
void elementwise_judge_integers(const case_t *instance, const contract_t *contract, size_t element,
                                stored_judgement_t *inout_judgement);

/* The spellings of PERMITTED(contract, rescale). */
enum { RESCALE_EXACT, RESCALE_FLOAT, RESCALE_FIXED, RESCALE_EITHER };

/* One element of a quantized sum or product in fixed point (elementwise/fixed_point.c). */
typedef struct elementwise_fixed {
  elementwise_t function;
  double scales[2]; /* Of the operands. */
  quantum_t to;
  const format_t *format; /* Of scales. */
  unsigned bits;          /* Of storage. */
} elementwise_fixed_t;

elementwise_fixed_t elementwise_fixed_of(const program_t *program, size_t element);

/* How many known ways there are to compute a function, 0 if none; and what one of them, by its
 * number, stores of operands less their zero points.  None decreases where an operand of a sum
 * grows (of a difference: where the right one does), nor where a product does. */
size_t elementwise_fixed_choices(elementwise_t function);
int64_t elementwise_fixed(const elementwise_fixed_t *fixed, size_t choice, int64_t left,
                          int64_t right);

/* ---- Functions of the oracle rows ------------------------------------------------------------ */

status_t elementwise_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]);
status_t elementwise_decide(const oracle_call_t *call, uint32_t result, size_t component,
                            answer_t *out_answer);

/* As oracle_t.ranges. */
status_t elementwise_ranges(const oracle_call_t *call, uint32_t result, component_span_t span,
                            accepted_ranges_t *out_ranges);
status_t elementwise_find_formula(const oracle_call_t *call, const accept_t *accepts,
                                  uint8_t *out_formula, bool *out_found);
status_t elementwise_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                              tensor_t *inout_results);

/* Those of them for quantized programs that elementwise_check() has passed. */
void elementwise_quantized_accept(const case_t *instance, const contract_t *contract,
                                  arena_t *arena, accept_t *out_accept);
void elementwise_quantized_decide(const case_t *instance, const contract_t *contract,
                                  size_t element, const tensor_t *result, answer_t *out_answer);
void elementwise_quantized_simulate(const case_t *instance, const implementation_model_t *schedule,
                                    tensor_t *inout_result);

#endif
