/* SPDX-License-Identifier: Apache-2.0 */
/* layer_norm: y = (x - mean) / s * weight + bias, and l2_norm: y = x / s, along some dimensions;
 * see byteir_norm.h for s.  All formulas are these in exact arithmetic. */
#include "generated/byteir_norm_faults.h"
#include "generated/formula_faults.h"
#include "oracles/composite/composite.h"
#include "oracles/composite/norm_reading.h"
#include "oracles/ops/byteir_norm/byteir_norm.h"

static composite_layout_t layout(const program_t *program, arena_t *arena) {
  dimension_list_t dimensions = byteir_norm_dimensions(program);
  return composite_layout_rows(&program->operands[0], &dimensions, arena);
}

static double epsilon_of(const program_t *program) {
  return byteir_norm_attributes(program)->epsilon;
}

static row_t find_epsilon(formula_t *formula) {
  bool is_forgotten = formula_has_fault(formula, FAULT_epsilon_forgotten);
  double epsilon = is_forgotten ? 0 : epsilon_of(formula->program);
  if (formula_has_fault(formula, FAULT_epsilon_in_f16)) {
    epsilon = format_round_double(&format_table[FORMAT_f16], epsilon);
  }
  return formula_epsilon(formula, epsilon);
}

/* On the other side of the root. */
static norm_epsilon_t move_epsilon(norm_epsilon_t place) {
  switch (place) {
    case NORM_EPSILON_ADDED:
      return NORM_EPSILON_ADDED_OUTSIDE;
    case NORM_EPSILON_ADDED_OUTSIDE:
      return NORM_EPSILON_ADDED;
    case NORM_EPSILON_LARGER:
      return NORM_EPSILON_LARGER_OUTSIDE;
    case NORM_EPSILON_LARGER_OUTSIDE:
      return NORM_EPSILON_LARGER;
    case NORM_EPSILON_DEFINED:
      break;
  }
  g_assert_not_reached();
}

/* Where an implementation has it that takes it to stand at `inside` or `outside`, as the program
 * says. */
static norm_epsilon_t place_epsilon(const formula_t *formula, norm_epsilon_t inside,
                                    norm_epsilon_t outside) {
  bool is_outside = byteir_norm_eps_outside_sqrt(formula->program);
  norm_epsilon_t place = norm_epsilon_of(formula->contract, is_outside ? outside : inside);
  return formula_has_fault(formula, FAULT_epsilon_beyond_root) ? move_epsilon(place) : place;
}

static row_t invert(formula_t *formula, row_t a) {
  return formula_divide(formula, formula_number(formula, 1), a);
}

/* ---- Moments --------------------------------------------------------------------------------- */

typedef struct moments {
  row_t mean;
  row_t variance;
} moments_t;

static row_t divide_by_count(formula_t *formula, row_t sum, size_t terms) {
  bool is_sample = formula_has_fault(formula, FAULT_variance_of_sample) && terms > 1;
  return norm_divide(formula, sum, is_sample ? terms - 1 : formula_seen_count(formula, terms));
}

static bool is_of_sample(const formula_t *formula) {
  return norm_variance_of(formula->contract) == NORM_VARIANCE_SAMPLE;
}

/* The variance by the sum of squared deviations. */
static row_t variance_of_squares(formula_t *formula, row_t squares, size_t terms) {
  return is_of_sample(formula) ? norm_sample_variance(formula, squares, terms)
                               : divide_by_count(formula, squares, terms);
}

/* mean(x^2) - mean^2, which rounding can make negative; some cut it off at zero. */
static row_t variance_in_one_pass(formula_t *formula, row_t x, row_t mean) {
  row_t sum = formula_sum_of_products(formula, x, x);
  row_t squares = divide_by_count(formula, sum, x.count);
  row_t difference = formula_multiply_add(formula, formula_negate(formula, mean), mean, squares);
  if (is_of_sample(formula)) {
    difference = norm_sample_variance_in_one_pass(formula, sum, mean, difference, x.count);
  }
  return formula_either(formula, difference,
                        formula_maximum(formula, difference, formula_number(formula, 0)));
}

static row_t variance_in_two_passes(formula_t *formula, row_t x, row_t mean) {
  if (formula_has_fault(formula, FAULT_variance_in_one_pass)) {
    return variance_in_one_pass(formula, x, mean);
  }
  return variance_of_squares(formula, formula_squared_deviations(formula, x, mean), x.count);
}

static moments_t two_pass_moments(formula_t *formula, row_t x) {
  enum { FIRST_BLOCK = 16 };
  bool is_first = formula_has_fault(formula, FAULT_mean_of_first_block);
  if (is_first && x.count > FIRST_BLOCK) x.count = FIRST_BLOCK;
  row_t mean = formula_mean(formula, x);
  return (moments_t){mean, variance_in_two_passes(formula, x, mean)};
}

static moments_t running_moments(formula_t *formula, row_t x) {
  row_t mean, squares;
  formula_running_moments(formula, x, &mean, &squares);
  return (moments_t){mean, variance_of_squares(formula, squares, x.count)};
}

static moments_t one_pass_moments(formula_t *formula, row_t x) {
  row_t mean = formula_mean(formula, x);
  return (moments_t){mean, variance_in_one_pass(formula, x, mean)};
}

/* Those of either kind. */
static moments_t any_moments(formula_t *formula, row_t x) {
  row_t mean = formula_mean(formula, x);
  return (moments_t){mean, formula_either(formula, variance_in_two_passes(formula, x, mean),
                                          variance_in_one_pass(formula, x, mean))};
}

/* ---- layer_norm ------------------------------------------------------------------------------ */

/* What x - mean is divided by. */
static norm_divisor_t find_divisor(formula_t *formula, row_t variance) {
  row_t epsilon = find_epsilon(formula);
  norm_epsilon_t place = place_epsilon(formula, NORM_EPSILON_ADDED, NORM_EPSILON_ADDED_OUTSIDE);
  return norm_divisor(formula, variance, epsilon, place);
}

static void store_moments(formula_t *formula, row_t mean, const norm_divisor_t *divisor,
                          row_t results[]) {
  if (formula->program->result_count == 1) return;
  bool is_inverted = !formula_has_fault(formula, FAULT_deviation_not_inverted);
  results[LAYER_NORM_MEAN] = mean;
  results[LAYER_NORM_INVERSE_DEVIATION] = is_inverted ? divisor->inverse : divisor->itself;
}

/* What a faulty implementation does to normalized numbers, or takes for weight and bias. */
static void spoil_affine(formula_t *formula, row_t normal, row_t *inout_weight, row_t *inout_bias) {
  row_t weight = *inout_weight, bias = *inout_bias;
  if (formula_has_fault(formula, FAULT_weight_forgotten)) weight = formula_number(formula, 1);
  if (formula_has_fault(formula, FAULT_bias_forgotten)) bias = formula_number(formula, 0);
  if (formula_has_fault(formula, FAULT_bias_before_weight)) {
    bias = formula_multiply(formula, bias, weight);
  }
  if (formula_has_fault(formula, FAULT_weight_and_bias_swapped)) {
    weight = *inout_bias;
    bias = *inout_weight;
  }
  if (formula_has_fault(formula, FAULT_weight_of_first) && weight.count > 0) weight.count = 1;
  bool is_short = formula_has_fault(formula, FAULT_normal_in_bf16);
  for (size_t i = 0; is_short && i < normal.count; i++) {
    normal.values[i] = format_round_double(&format_table[FORMAT_bf16], normal.values[i]);
  }
  *inout_weight = weight;
  *inout_bias = bias;
}

/* (x - mean) / s * weight + bias, by whichever factors come first. */
static void normalize(formula_t *formula, const moments_t *moments, const row_t operands[],
                      row_t results[]) {
  row_t weight = operands[LAYER_NORM_WEIGHT], bias = operands[LAYER_NORM_BIAS];
  norm_divisor_t divisor = find_divisor(formula, moments->variance);
  row_t deviations = formula_subtract(formula, operands[LAYER_NORM_INPUT], moments->mean);
  row_t normal = formula_either(formula, formula_multiply(formula, deviations, divisor.inverse),
                                formula_divide(formula, deviations, divisor.itself));
  spoil_affine(formula, normal, &weight, &bias);
  store_moments(formula, moments->mean, &divisor, results);
  if (formula->rounds_normal) {
    results[LAYER_NORM_OUTPUT] = norm_affine_of_rounded(formula, normal, weight, bias);
    return;
  }
  row_t factor = formula_multiply(formula, divisor.inverse, weight);
  results[LAYER_NORM_OUTPUT] =
      formula_either(formula, formula_multiply_add(formula, normal, weight, bias),
                     formula_multiply_add(formula, deviations, factor, bias));
}

static void layer_norm_two_pass(formula_t *formula, const row_t operands[], row_t results[]) {
  moments_t moments = two_pass_moments(formula, operands[LAYER_NORM_INPUT]);
  normalize(formula, &moments, operands, results);
}

static void layer_norm_welford(formula_t *formula, const row_t operands[], row_t results[]) {
  moments_t moments = running_moments(formula, operands[LAYER_NORM_INPUT]);
  normalize(formula, &moments, operands, results);
}

static void layer_norm_one_pass(formula_t *formula, const row_t operands[], row_t results[]) {
  moments_t moments = one_pass_moments(formula, operands[LAYER_NORM_INPUT]);
  normalize(formula, &moments, operands, results);
}

/* x (w / s) + (b - mean w / s) */
static void layer_norm_folded(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t x = operands[LAYER_NORM_INPUT];
  moments_t moments = any_moments(formula, x);
  norm_divisor_t divisor = find_divisor(formula, moments.variance);
  row_t factor = formula_multiply(formula, divisor.inverse, operands[LAYER_NORM_WEIGHT]);
  row_t offset = formula_multiply_add(formula, formula_negate(formula, moments.mean), factor,
                                      operands[LAYER_NORM_BIAS]);
  results[LAYER_NORM_OUTPUT] = formula_multiply_add(formula, x, factor, offset);
  store_moments(formula, moments.mean, &divisor, results);
}

static const composite_formula_t layer_norm_formulas[] = {
    {.evaluate = layer_norm_two_pass, .has_normal = true},
    {.evaluate = layer_norm_welford, .is_running = true, .has_normal = true},
    {.evaluate = layer_norm_one_pass, .has_normal = true},
    {.evaluate = layer_norm_folded},
};

static const composite_formula_t *find_layer_norm_formulas(const program_t *program) {
  (void)program;
  return layer_norm_formulas;
}

static const composite_t layer_norm = {
    .layout = layout,
    .operand_roles = {COMPOSITE_ELEMENT, COMPOSITE_TERM, COMPOSITE_TERM},
    .result_roles = {COMPOSITE_ELEMENT, COMPOSITE_GROUP, COMPOSITE_GROUP},
    .formulas = find_layer_norm_formulas,
    .takes_groups_together = true,
    .epsilon = epsilon_of,
};

/* ---- l2_norm --------------------------------------------------------------------------------- */

static row_t magnitudes(formula_t *formula, row_t x) {
  return formula_maximum(formula, x, formula_negate(formula, x));
}

/* What a faulty implementation divides by; false if it has no such fault. */
static bool find_faulty_norm(formula_t *formula, row_t x, row_t sum, row_t *out_norm) {
  if (formula_has_fault(formula, FAULT_norm_squared)) {
    *out_norm = sum;
  } else if (formula_has_fault(formula, FAULT_norm_of_magnitudes)) {
    *out_norm = formula_sum(formula, magnitudes(formula, x));
  } else if (formula_has_fault(formula, FAULT_norm_of_mean_square)) {
    row_t count = formula_number(formula, (double)x.count);
    *out_norm = formula_square_root(formula, formula_divide(formula, sum, count));
  } else if (formula_has_fault(formula, FAULT_norm_of_largest)) {
    *out_norm = formula_row_maximum(formula, magnitudes(formula, x));
  } else {
    return false;
  }
  return true;
}

/* What the larger of is taken, added. */
static norm_epsilon_t add_epsilon(norm_epsilon_t place) {
  if (place == NORM_EPSILON_LARGER) return NORM_EPSILON_ADDED;
  return place == NORM_EPSILON_LARGER_OUTSIDE ? NORM_EPSILON_ADDED_OUTSIDE : place;
}

static void evaluate_l2_norm(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t x = operands[0];
  row_t epsilon = find_epsilon(formula);
  row_t sum = formula_sum_of_products(formula, x, x);
  norm_epsilon_t place = place_epsilon(formula, NORM_EPSILON_LARGER, NORM_EPSILON_LARGER_OUTSIDE);
  if (formula_has_fault(formula, FAULT_epsilon_added)) place = add_epsilon(place);
  norm_divisor_t divisor;
  if (find_faulty_norm(formula, x, sum, &divisor.itself)) {
    divisor.itself = formula_maximum(formula, divisor.itself, epsilon);
    divisor.inverse = invert(formula, divisor.itself);
  } else {
    divisor = norm_divisor(formula, sum, epsilon, place);
  }
  if (formula_has_fault(formula, FAULT_norm_signs_lost)) x = magnitudes(formula, x);
  results[0] = formula_either(formula, formula_divide(formula, x, divisor.itself),
                              formula_multiply(formula, x, divisor.inverse));
}

static const composite_formula_t l2_norm_formulas[] = {
    {.evaluate = evaluate_l2_norm, .is_unbounded = true},
    {.evaluate = evaluate_l2_norm},
};

static const composite_formula_t *find_l2_norm_formulas(const program_t *program) {
  (void)program;
  return l2_norm_formulas;
}

static const composite_t l2_norm = {
    .layout = layout,
    .operand_roles = {COMPOSITE_ELEMENT},
    .result_roles = {COMPOSITE_ELEMENT},
    .formulas = find_l2_norm_formulas,
    .takes_groups_together = true,
    .epsilon = epsilon_of,
};

/* ---- The rows -------------------------------------------------------------------------------- */

static const oracle_t layer_norm_oracle = {
    .op_name = "byteir.layer_norm",
    .composite = &layer_norm,
    COMPOSITE_FUNCTIONS,
    .enclose = composite_enclose,
};

static const oracle_t l2_norm_oracle = {
    .op_name = "byteir.l2_norm",
    .composite = &l2_norm,
    COMPOSITE_FUNCTIONS,
    .enclose = composite_enclose,
};

extern const oracle_t *const byteir_norm_oracles[];
const oracle_t *const byteir_norm_oracles[] = {&layer_norm_oracle, &l2_norm_oracle, NULL};
