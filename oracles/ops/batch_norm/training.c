/* SPDX-License-Identifier: Apache-2.0 */
/* y = (x - mean) / sqrt(variance + epsilon) * scale + offset, with the mean and the variance of the
 * channel: StableHLO specification, batch_norm_training, and the ways of implementations. */
#include "generated/batch_norm_faults.h"
#include "generated/formula_faults.h"
#include "oracles/ops/batch_norm/formulas.h"

row_t batch_norm_invert(formula_t *formula, row_t a) {
  return formula_divide(formula, formula_number(formula, 1), a);
}

/* What gradients divide twice by is the square of what they divide by once (theory.md, T240). */
norm_divisor_t batch_norm_divisor(formula_t *formula, row_t variance) {
  double attribute = batch_norm_attributes(formula->program)->epsilon;
  bool is_forgotten = formula_has_fault(formula, FAULT_epsilon_forgotten);
  row_t epsilon = formula_epsilon(formula, is_forgotten ? 0 : attribute);
  norm_epsilon_t place = norm_epsilon_of(formula->contract, NORM_EPSILON_ADDED);
  if (!formula_has_fault(formula, FAULT_epsilon_beyond_root)) {
    norm_divisor_t read = norm_divisor(formula, variance, epsilon, place);
    bool is_outside = place == NORM_EPSILON_ADDED_OUTSIDE || place == NORM_EPSILON_LARGER_OUTSIDE;
    if (is_outside) read.square = formula_multiply(formula, read.itself, read.itself);
    return read;
  }
  norm_divisor_t divisor = norm_divisor(formula, variance, epsilon, NORM_EPSILON_ADDED_OUTSIDE);
  divisor.square = formula_add(formula, variance, epsilon);
  return divisor;
}

/* ---- Moments --------------------------------------------------------------------------------- */

typedef struct moments {
  row_t mean;
  row_t variance; /* That is divided by, ... */
  row_t returned; /* ... and that is returned. */
} moments_t;

/* N, or, of an implementation that takes the terms for a sample, N - 1. */
static size_t count_of_squares(const formula_t *formula, size_t terms) {
  bool is_sample = formula_has_fault(formula, FAULT_variance_of_sample) && terms > 1;
  return is_sample ? terms - 1 : formula_seen_count(formula, terms);
}

/* The variance of terms with that mean: that of a sample, or of all that there is. */
typedef row_t variance_t(formula_t *formula, row_t x, row_t mean, bool is_sample);

static row_t variance_of_squares(formula_t *formula, row_t squares, size_t terms, bool is_sample) {
  return is_sample ? norm_sample_variance(formula, squares, terms)
                   : norm_divide(formula, squares, count_of_squares(formula, terms));
}

/* mean(x^2) - mean^2, which rounding can make negative; some cut it off at zero. */
static row_t variance_in_one_pass(formula_t *formula, row_t x, row_t mean, bool is_sample) {
  row_t sum = formula_sum_of_products(formula, x, x);
  row_t squares = norm_divide(formula, sum, count_of_squares(formula, x.count));
  row_t difference = formula_multiply_add(formula, formula_negate(formula, mean), mean, squares);
  if (is_sample) {
    difference = norm_sample_variance_in_one_pass(formula, sum, mean, difference, x.count);
  }
  return formula_either(formula, difference,
                        formula_maximum(formula, difference, formula_number(formula, 0)));
}

static row_t variance_as_specified(formula_t *formula, row_t x, row_t mean, bool is_sample) {
  if (formula_has_fault(formula, FAULT_variance_in_one_pass)) {
    return variance_in_one_pass(formula, x, mean, is_sample);
  }
  row_t squares = formula_squared_deviations(formula, x, mean);
  size_t count = is_sample ? x.count - 1 : count_of_squares(formula, x.count);
  return formula_divide(formula, squares, formula_number(formula, (double)count));
}

static row_t variance_in_two_passes(formula_t *formula, row_t x, row_t mean, bool is_sample) {
  row_t squares = formula_squared_deviations(formula, x, mean);
  return variance_of_squares(formula, squares, x.count, is_sample);
}

/* By either kind. */
static row_t variance_by_any(formula_t *formula, row_t x, row_t mean, bool is_sample) {
  return formula_either(formula, variance_in_two_passes(formula, x, mean, is_sample),
                        variance_in_one_pass(formula, x, mean, is_sample));
}

static moments_t moments_by(formula_t *formula, row_t x, row_t mean, variance_t *variance) {
  norm_variance_t reading = norm_variance_of(formula->contract);
  moments_t moments = {.mean = mean};
  moments.variance = variance(formula, x, mean, reading == NORM_VARIANCE_SAMPLE);
  bool returns_other = reading == NORM_VARIANCE_SAMPLE_RETURNED;
  moments.returned = returns_other ? variance(formula, x, mean, true) : moments.variance;
  return moments;
}

static moments_t decomposed_moments(formula_t *formula, row_t x) {
  row_t count = formula_number(formula, (double)formula_seen_count(formula, x.count));
  row_t mean = formula_divide(formula, formula_sum(formula, x), count);
  return moments_by(formula, x, mean, variance_as_specified);
}

static moments_t two_pass_moments(formula_t *formula, row_t x) {
  return moments_by(formula, x, formula_mean(formula, x), variance_in_two_passes);
}

static moments_t running_moments(formula_t *formula, row_t x) {
  norm_variance_t reading = norm_variance_of(formula->contract);
  row_t mean, squares;
  formula_running_moments(formula, x, &mean, &squares);
  moments_t moments = {.mean = mean};
  moments.variance =
      variance_of_squares(formula, squares, x.count, reading == NORM_VARIANCE_SAMPLE);
  bool returns_other = reading == NORM_VARIANCE_SAMPLE_RETURNED;
  moments.returned =
      returns_other ? variance_of_squares(formula, squares, x.count, true) : moments.variance;
  return moments;
}

static moments_t one_pass_moments(formula_t *formula, row_t x) {
  return moments_by(formula, x, formula_mean(formula, x), variance_in_one_pass);
}

static moments_t any_moments(formula_t *formula, row_t x) {
  return moments_by(formula, x, formula_mean(formula, x), variance_by_any);
}

/* ---- Formulas -------------------------------------------------------------------------------- */

/* Scale and offset, as the implementation has them. */
typedef struct affine {
  row_t scale;
  row_t offset;
} affine_t;

static affine_t find_affine(formula_t *formula, const row_t operands[]) {
  row_t scale = operands[BATCH_NORM_TRAINING_SCALE], offset = operands[BATCH_NORM_TRAINING_OFFSET];
  if (formula_has_fault(formula, FAULT_batch_offset_forgotten)) offset = formula_number(formula, 0);
  bool are_swapped = formula_has_fault(formula, FAULT_scale_and_offset_swapped);
  return are_swapped ? (affine_t){offset, scale} : (affine_t){scale, offset};
}

/* The variance that a faulty implementation returns, whatever it divides by. */
static row_t returned_variance(formula_t *formula, row_t variance) {
  if (formula_has_fault(formula, FAULT_variance_as_deviation)) {
    return formula_square_root(formula, variance);
  }
  bool adds = formula_has_fault(formula, FAULT_variance_with_epsilon);
  return adds ? batch_norm_divisor(formula, variance).square : variance;
}

static void store_moments(formula_t *formula, const moments_t *moments, row_t results[]) {
  results[BATCH_NORM_TRAINING_MEAN] = moments->mean;
  results[BATCH_NORM_TRAINING_VARIANCE] = returned_variance(formula, moments->returned);
}

/* The specification's steps, one by one. */
static void evaluate_decomposed(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t x = operands[BATCH_NORM_TRAINING_OPERAND];
  affine_t affine = find_affine(formula, operands);
  moments_t moments = decomposed_moments(formula, x);
  norm_divisor_t divisor = batch_norm_divisor(formula, moments.variance);
  row_t deviations = formula_subtract(formula, x, moments.mean);
  row_t normal = formula_divide(formula, deviations, divisor.itself);
  results[BATCH_NORM_TRAINING_OUTPUT] =
      formula->rounds_normal ? norm_affine_of_rounded(formula, normal, affine.scale, affine.offset)
                             : formula_multiply_add(formula, affine.scale, normal, affine.offset);
  store_moments(formula, &moments, results);
}

/* By whichever factors come first. */
static void normalize(formula_t *formula, const moments_t *moments, const row_t operands[],
                      row_t results[]) {
  affine_t affine = find_affine(formula, operands);
  norm_divisor_t divisor = batch_norm_divisor(formula, moments->variance);
  row_t deviations =
      formula_subtract(formula, operands[BATCH_NORM_TRAINING_OPERAND], moments->mean);
  row_t normal = formula_either(formula, formula_multiply(formula, deviations, divisor.inverse),
                                formula_divide(formula, deviations, divisor.itself));
  store_moments(formula, moments, results);
  if (formula->rounds_normal) {
    results[BATCH_NORM_TRAINING_OUTPUT] =
        norm_affine_of_rounded(formula, normal, affine.scale, affine.offset);
    return;
  }
  row_t factor = formula_multiply(formula, divisor.inverse, affine.scale);
  results[BATCH_NORM_TRAINING_OUTPUT] =
      formula_either(formula, formula_multiply_add(formula, normal, affine.scale, affine.offset),
                     formula_multiply_add(formula, deviations, factor, affine.offset));
}

static void evaluate_two_pass(formula_t *formula, const row_t operands[], row_t results[]) {
  moments_t moments = two_pass_moments(formula, operands[BATCH_NORM_TRAINING_OPERAND]);
  normalize(formula, &moments, operands, results);
}

static void evaluate_welford(formula_t *formula, const row_t operands[], row_t results[]) {
  moments_t moments = running_moments(formula, operands[BATCH_NORM_TRAINING_OPERAND]);
  normalize(formula, &moments, operands, results);
}

static void evaluate_one_pass(formula_t *formula, const row_t operands[], row_t results[]) {
  moments_t moments = one_pass_moments(formula, operands[BATCH_NORM_TRAINING_OPERAND]);
  normalize(formula, &moments, operands, results);
}

/* x (scale / s) + (offset - mean scale / s) */
static void evaluate_folded(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t x = operands[BATCH_NORM_TRAINING_OPERAND];
  affine_t affine = find_affine(formula, operands);
  moments_t moments = any_moments(formula, x);
  norm_divisor_t divisor = batch_norm_divisor(formula, moments.variance);
  row_t factor = formula_multiply(formula, divisor.inverse, affine.scale);
  row_t offset =
      formula_multiply_add(formula, formula_negate(formula, moments.mean), factor, affine.offset);
  results[BATCH_NORM_TRAINING_OUTPUT] = formula_multiply_add(formula, x, factor, offset);
  store_moments(formula, &moments, results);
}

static const composite_formula_t formulas[] = {
    {.evaluate = evaluate_decomposed, .has_normal = true},
    {.evaluate = evaluate_two_pass, .has_normal = true},
    {.evaluate = evaluate_welford, .is_running = true, .has_normal = true},
    {.evaluate = evaluate_one_pass, .has_normal = true},
    {.evaluate = evaluate_folded},
};

const composite_formula_t *batch_norm_training_formulas(const program_t *program) {
  (void)program;
  return formulas;
}
