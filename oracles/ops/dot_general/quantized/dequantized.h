/* SPDX-License-Identifier: Apache-2.0 */
/* The ways to do a quantized or hybrid dot_general in floats, as the specification's formulas say
 * ("Quantization computations": dequantize_op_quantize and hybrid_dequantize_then_op): operands are
 * dequantized, products are summed, and the sum of a quantized one is quantized.  Where short
 * floats may be computed with in f32, each of the three may be (of sums
 * PERMITTED(contract, accumulation) says it, of the others PERMITTED(contract, intermediate)), and
 * what goes from one to the next may be rounded to the expressed type or not: theory.md, T163. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_QUANTIZED_DEQUANTIZED_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_QUANTIZED_DEQUANTIZED_H

#include "generated/exact_permissions.h"
#include "oracles/exact/quantum/quantum.h"
#include "oracles/ops/dot_general/gather.h"

enum { DOT_VARIANTS_MAX = 16 };

/* The spellings of PERMITTED(contract, quantized): the semantics of quantized results.  Hybrid ones
 * have the first alone. */
enum { DOT_FORMULA_DEQUANTIZE, DOT_FORMULA_INTEGER, DOT_FORMULA_COUNT };

typedef struct dot_dequantized {
  const format_t *dequantize; /* Operands are dequantized in this format ... */
  const format_t *factors;    /* ... and then rounded to this one. */
  const format_t *sum;        /* Products are added in this one, ... */
  const format_t *rounded;    /* ... and the sum is converted to this one. */
  const format_t *quantize;   /* Quantized in this one; hybrid: NULL. */
} dot_dequantized_t;

/* The variants that the contract permits, the first of them with all numbers between the steps in
 * the expressed type; their count.  The program is quantized or hybrid.  Of one that names an
 * algorithm `factors` is what that is given, and `rounded` what its sum is converted to. */
size_t dot_variants(const program_t *program, const contract_t *contract,
                    dot_dequantized_t out_variants[DOT_VARIANTS_MAX]);

/* STATUS_UNSUPPORTED where nobody knows what the program means: it names a type of accumulation,
 * the scale changes from term to term, or its expressed type has no zero. */
status_t dot_dequantized_require(const program_t *program, failure_t *error);

/* The float dot_general of a variant: its operands (those of a hybrid that are floats already
 * converted, exactly), and its plan.  The sums of a quantized one are results of type `rounded`. */
case_t dot_dequantized_case(const case_t *instance, const dot_dequantized_t *variant,
                            arena_t *arena);
dot_plan_t dot_dequantized_plan(const dot_dequantized_t *variant);

/* The factors of one component from operand `side`, as a row. */
tensor_t dot_dequantized_terms(const tensor_t *operand, uint32_t side,
                               const dot_dequantized_t *variant, const dot_general_layout_t *layout,
                               dot_general_place_t place, arena_t *arena);

/* The same question for one component alone. */
sum_problem_t dot_dequantized_question(const case_t *instance, const dot_dequantized_t *variant,
                                       const dot_general_layout_t *layout,
                                       dot_general_place_t place, arena_t *arena);

#endif
