/* SPDX-License-Identifier: Apache-2.0 */
/* Let c = x - mean, v = variance + epsilon and s = sqrt(v): then
 *
 *   grad_operand = scale / s / N (N dy - sum(dy) - c sum(dy c) / v)
 *   grad_scale   = sum(dy c / s)
 *   grad_offset  = sum(dy)
 *
 * StableHLO specification, batch_norm_grad, and the ways of implementations. */
#include "generated/batch_norm_faults.h"
#include "oracles/ops/batch_norm/formulas.h"

/* What all ways to compute it begin with. */
typedef struct beginning {
  row_t operand;    /* x */
  row_t gradients;  /* dy */
  row_t deviations; /* c */
  norm_divisor_t divisor;
  row_t normal;    /* c / s */
  row_t sum;       /* sum(dy) */
  row_t covariant; /* sum(dy c) */
  row_t count;     /* N */
} beginning_t;

static row_t find_mean(formula_t *formula, const row_t operands[]) {
  bool is_computed = formula_has_fault(formula, FAULT_statistics_of_batch);
  return is_computed ? formula_mean(formula, operands[BATCH_NORM_GRAD_OPERAND])
                     : operands[BATCH_NORM_GRAD_MEAN];
}

static beginning_t begin(formula_t *formula, const row_t operands[]) {
  beginning_t b = {.operand = operands[BATCH_NORM_GRAD_OPERAND],
                   .gradients = operands[BATCH_NORM_GRAD_OUTPUT]};
  b.deviations =
      formula_subtract(formula, operands[BATCH_NORM_GRAD_OPERAND], find_mean(formula, operands));
  b.divisor = batch_norm_divisor(formula, operands[BATCH_NORM_GRAD_VARIANCE]);
  b.normal = formula_divide(formula, b.deviations, b.divisor.itself);
  b.sum = formula_sum(formula, b.gradients);
  b.covariant = formula_sum_of_products(formula, b.gradients, b.deviations);
  b.count = formula_number(formula, (double)b.gradients.count);
  return b;
}

/* What is subtracted, and what an implementation forgets of it. */
static row_t subtracted_sum(formula_t *formula, const beginning_t *b) {
  bool is_dropped = formula_has_fault(formula, FAULT_mean_gradient_dropped);
  return is_dropped ? formula_number(formula, 0) : b->sum;
}

static row_t subtracted_covariant(formula_t *formula, const beginning_t *b) {
  bool is_dropped = formula_has_fault(formula, FAULT_variance_gradient_dropped);
  return is_dropped ? formula_number(formula, 0) : b->covariant;
}

/* The sum for grad_scale as a faulty implementation has it. */
static row_t spoil_scale_gradient(formula_t *formula, const beginning_t *b, row_t of_scale) {
  if (formula_has_fault(formula, FAULT_scale_gradient_averaged)) {
    return formula_divide(formula, of_scale, b->count);
  }
  if (!formula_has_fault(formula, FAULT_scale_gradient_uncentred)) return of_scale;
  row_t sum = formula_sum_of_products(formula, b->gradients, b->operand);
  return formula_divide(formula, sum, b->divisor.itself);
}

static void store_sums(formula_t *formula, const beginning_t *b, row_t of_scale, row_t results[]) {
  of_scale = spoil_scale_gradient(formula, b, of_scale);
  bool is_unscaled = formula_has_fault(formula, FAULT_scale_gradient_unscaled);
  bool is_averaged = formula_has_fault(formula, FAULT_offset_gradient_averaged);
  results[BATCH_NORM_GRAD_OF_SCALE] = is_unscaled ? b->covariant : of_scale;
  results[BATCH_NORM_GRAD_OF_OFFSET] =
      is_averaged ? formula_divide(formula, b->sum, b->count) : b->sum;
}

/* The specification's steps, one by one. */
static void evaluate_decomposed(formula_t *formula, const row_t operands[], row_t results[]) {
  beginning_t b = begin(formula, operands);
  row_t one = formula_number(formula, 1);
  row_t count = formula_has_fault(formula, FAULT_gradient_not_averaged) ? one : b.count;
  row_t scale = formula_has_fault(formula, FAULT_gradient_scale_forgotten)
                    ? one
                    : operands[BATCH_NORM_GRAD_SCALE];
  row_t sum = subtracted_sum(formula, &b);
  row_t scaled = formula_multiply_add(formula, b.gradients, count, formula_negate(formula, sum));
  row_t product = formula_multiply(formula, subtracted_covariant(formula, &b), b.deviations);
  row_t quotient = formula_divide(formula, product, b.divisor.square);
  row_t factor = formula_divide(formula, scale, b.divisor.itself);
  results[BATCH_NORM_GRAD_OF_OPERAND] = formula_multiply(
      formula, formula_divide(formula, factor, count), formula_subtract(formula, scaled, quotient));
  store_sums(formula, &b, formula_sum_of_products(formula, b.gradients, b.normal), results);
}

/* ---- By the inverse -------------------------------------------------------------------------- */

/* What the ways beside the specification's have besides. */
typedef struct inverses {
  row_t normal;   /* c / s, by a quotient or by the inverse. */
  row_t of_scale; /* grad_scale: a sum of normalized numbers, or a sum normalized. */
  row_t square;   /* 1 / v */
} inverses_t;

static inverses_t find_inverses(formula_t *formula, const beginning_t *b) {
  const norm_divisor_t *divisor = &b->divisor;
  inverses_t out;
  out.normal = formula_either(formula, b->normal,
                              formula_multiply(formula, b->deviations, divisor->inverse));
  row_t normalized = formula_either(formula, formula_divide(formula, b->covariant, divisor->itself),
                                    formula_multiply(formula, b->covariant, divisor->inverse));
  out.of_scale = formula_either(formula, formula_sum_of_products(formula, b->gradients, out.normal),
                                normalized);
  out.square = formula_either(formula, batch_norm_invert(formula, divisor->square),
                              formula_multiply(formula, divisor->inverse, divisor->inverse));
  return out;
}

/* a / v, in one step or by either inverse. */
static row_t divide_by_square(formula_t *formula, const beginning_t *b, const inverses_t *inverses,
                              row_t a) {
  const norm_divisor_t *divisor = &b->divisor;
  row_t twice =
      formula_multiply(formula, formula_multiply(formula, a, divisor->inverse), divisor->inverse);
  row_t once = formula_either(formula, formula_divide(formula, a, divisor->square),
                              formula_multiply(formula, a, inverses->square));
  return formula_either(formula, once, twice);
}

/* What is left of `from` less c sum(dy c) / v: the latter from `covariant`, divided first or
 * last (XLA: (sum(dy c) c) (1 / v)); from c / v, which may overflow where nothing else does; or
 * from c / s and `of_scale`. */
static row_t subtract_slope(formula_t *formula, const beginning_t *b, const inverses_t *inverses,
                            row_t from, row_t covariant, row_t of_scale) {
  row_t product = formula_multiply(formula, covariant, b->deviations);
  row_t last = formula_subtract(formula, from, divide_by_square(formula, b, inverses, product));
  row_t slope = formula_negate(formula, divide_by_square(formula, b, inverses, covariant));
  row_t first = formula_multiply_add(formula, b->deviations, slope, from);
  row_t quotient = divide_by_square(formula, b, inverses, b->deviations);
  row_t divided = formula_multiply_add(formula, quotient, formula_negate(formula, covariant), from);
  row_t normalized =
      formula_multiply_add(formula, inverses->normal, formula_negate(formula, of_scale), from);
  return formula_either(formula, formula_either(formula, last, first),
                        formula_either(formula, divided, normalized));
}

/* XLA's, and dy N - sum(dy) - grad_scale c / s. */
static void evaluate_inverse(formula_t *formula, const row_t operands[], row_t results[]) {
  beginning_t b = begin(formula, operands);
  inverses_t inverses = find_inverses(formula, &b);
  row_t scale = operands[BATCH_NORM_GRAD_SCALE];
  row_t scaled = formula_multiply_add(formula, b.gradients, b.count,
                                      formula_negate(formula, subtracted_sum(formula, &b)));
  row_t difference = subtract_slope(formula, &b, &inverses, scaled,
                                    subtracted_covariant(formula, &b), inverses.of_scale);
  row_t factor = formula_either(formula, formula_divide(formula, scale, b.divisor.itself),
                                formula_multiply(formula, scale, b.divisor.inverse));
  results[BATCH_NORM_GRAD_OF_OPERAND] =
      formula_multiply(formula, norm_divide(formula, factor, b.gradients.count), difference);
  store_sums(formula, &b, inverses.of_scale, results);
}

/* scale / s (dy - mean(dy) - c mean(dy c) / v) */
static void evaluate_means(formula_t *formula, const row_t operands[], row_t results[]) {
  beginning_t b = begin(formula, operands);
  inverses_t inverses = find_inverses(formula, &b);
  row_t scale = operands[BATCH_NORM_GRAD_SCALE], inverse = b.divisor.inverse;
  row_t mean = norm_divide(formula, subtracted_sum(formula, &b), b.gradients.count);
  row_t covariant = norm_divide(formula, subtracted_covariant(formula, &b), b.gradients.count);
  row_t of_scale = norm_divide(formula, inverses.of_scale, b.gradients.count);
  row_t difference = subtract_slope(
      formula, &b, &inverses, formula_subtract(formula, b.gradients, mean), covariant, of_scale);
  results[BATCH_NORM_GRAD_OF_OPERAND] = formula_either(
      formula, formula_multiply(formula, difference, formula_multiply(formula, inverse, scale)),
      formula_multiply(formula, formula_multiply(formula, difference, inverse), scale));
  store_sums(formula, &b, inverses.of_scale, results);
}

static const composite_formula_t formulas[] = {
    {.evaluate = evaluate_decomposed},
    {.evaluate = evaluate_inverse},
    {.evaluate = evaluate_means},
};

const composite_formula_t *batch_norm_grad_formulas(const program_t *program) {
  (void)program;
  return formulas;
}
