/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluator that is one concrete implementation: in the order, with the roundings and with the
 * planted fault of a implementation_model_t. */
#ifndef ASSAY_ORACLES_FORMULA_MODEL_H
#define ASSAY_ORACLES_FORMULA_MODEL_H

#include "oracles/formula/formula.h"

/* Values are binary64 numbers that the working format holds.  It has no settings. */
extern const evaluator_t model_evaluator;

/* What a schedule says of an op whose formulas are the values of permission `formulas` (NULL: it
 * has one): which of them is run, the tightest unless it names another one; and the working format
 * for operands of a format: that one, f32 for those of 16 bits, or a wider one. */
uint8_t model_formula(const char *formulas, const implementation_model_t *schedule);
const format_t *model_working_format(const format_t *operands,
                                     const implementation_model_t *schedule);

/* A row of patterns of a format, rounded to the working format if that does not hold them. */
row_t model_load(formula_t *formula, const format_t *format, const uint64_t *bits, size_t count);

/* model_rows.c: the steps over whole rows. */
row_t model_sum(formula_t *formula, row_t a);
row_t model_sum_of_products(formula_t *formula, row_t a, row_t b);
void model_running_moments(formula_t *formula, row_t a, row_t *out_mean, row_t *out_squares);
row_t model_online_sum(formula_t *formula, row_t a);

/* The implementation's arithmetic, and its elementary functions. */
struct arithmetic;
struct arithmetic model_arithmetic(const formula_t *formula);
double model_function(const formula_t *formula, elementary_t which, double x);

/* model_faults.c: the value of a function at x, not rounded yet, as the planted fault has it; and a
 * unit in the last place of a value. */
double model_spoil(const formula_t *formula, elementary_t which, double x, double value);
double model_unit_at(const format_t *format, double value);

#endif
