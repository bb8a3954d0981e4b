/* SPDX-License-Identifier: Apache-2.0 */
/* What one number of rng_normal may be: of a known pair of uniform numbers by the enclosing
 * evaluator, of an unknown one by how far normal numbers reach; and numbers as probabilities. */
#include "oracles/ops/byteir_rng/normal.h"

#include <math.h>

#include "generated/byteir_rng_permissions.h"
#include "oracles/exact/magnitude.h"
#include "oracles/formula/periodic/enclosed_cosine.h"
#include "oracles/ops/byteir_rng/byteir_rng.h"

static const format_t *format_of(const program_t *program) {
  return program->results[0].element->format;
}

/* ---- One pair -------------------------------------------------------------------------------- */

row_t byteir_rng_standard(formula_t *formula, const byteir_rng_box_muller_t *numbers) {
  static const real_t two_pi = REAL(6.283185307179586476925286766559005768394);
  row_t logarithm = formula_function(formula, ELEMENTARY_log, numbers->radial);
  row_t square = formula_multiply(formula, logarithm, formula_number(formula, -2));
  row_t distance = formula_square_root(formula, square);
  row_t turn = formula_constant(formula, &two_pi);
  row_t angle = formula_multiply(formula, numbers->angular, turn);
  return formula_multiply(formula, distance, numbers->cosine(formula, angle));
}

row_t byteir_rng_transform(formula_t *formula, const byteir_rng_box_muller_t *numbers) {
  row_t normal = byteir_rng_standard(formula, numbers);
  return formula_multiply_add(formula, normal, numbers->deviation, numbers->mean);
}

static row_t cosine(formula_t *formula, row_t a) {
  enum { OPENCL_ULPS = 4, FAITHFUL = 0 };
  bool is_faithful = PERMITTED(formula->contract, rng_cosine) == FAITHFUL;
  return enclosed_cosine(formula, a, is_faithful ? 1 : OPENCL_ULPS);
}

value_range_t byteir_rng_normal_range(const oracle_call_t *call,
                                      const byteir_rng_variant_t *variant, byteir_rng_pair_t pair) {
  const case_t *instance = call->instance;
  const contract_t steps = byteir_rng_contract_of_steps(call->contract, variant);
  const enclosing_t settings = {.is_exact = false};
  const format_t *format = format_of(&instance->program);
  formula_t formula = {.evaluator = &enclosed_evaluator,
                       .settings = &settings,
                       .program = &instance->program,
                       .format = variant->format,
                       .contract = &steps,
                       .arena = call->arena};
  if (variant->rounds_uniform && variant->format != format) {
    pair.radial = format_round_double(format, pair.radial);
    pair.angular = format_round_double(format, pair.angular);
  }
  arena_mark_t mark = arena_mark(call->arena);
  uint64_t mean = byteir_rng_operand(instance, BYTEIR_RNG_MEAN);
  uint64_t deviation = byteir_rng_operand(instance, BYTEIR_RNG_DEVIATION);
  const byteir_rng_box_muller_t numbers = {
      .mean = enclosed_load(&formula, format, &mean, 1),
      .deviation = enclosed_load(&formula, format, &deviation, 1),
      .radial = formula_number(&formula, pair.radial),
      .angular = formula_number(&formula, pair.angular),
      .cosine = cosine};
  row_t result = byteir_rng_transform(&formula, &numbers);
  value_range_t range;
  enclosed_finish(&formula, result.enclosed, format, &range);
  arena_rewind(call->arena, mark);
  return range;
}

bool byteir_rng_normal_holds(const oracle_call_t *call, byteir_rng_pair_t pair, uint64_t bits) {
  bool any_zero = PERMITTED(call->contract, zero_sign) == ZERO_SIGN_ANY;
  const format_t *format = format_of(&call->instance->program);
  byteir_rng_variant_t variants[BYTEIR_RNG_VARIANTS_MAX];
  size_t count = byteir_rng_variants(&call->instance->program, variants);
  for (size_t i = 0; i < count; i++) {
    value_range_t range = byteir_rng_normal_range(call, &variants[i], pair);
    if (value_range_holds(&range, format, bits, any_zero)) return true;
  }
  return false;
}

/* ---- Any pair -------------------------------------------------------------------------------- */

static double number_of(const case_t *instance, uint32_t operand) {
  return format_to_double(format_of(&instance->program), byteir_rng_operand(instance, operand));
}

bool byteir_rng_normal_has_meaning(const case_t *instance) {
  double mean = number_of(instance, BYTEIR_RNG_MEAN);
  double deviation = number_of(instance, BYTEIR_RNG_DEVIATION);
  return isfinite(mean) && isfinite(deviation) && deviation >= 0;
}

/* mean + reach, one step further out. */
static double end_of(const format_t *format, double mean, double reach) {
  uint64_t bits = format_from_double(format, mean + reach);
  bits = reach < 0 ? format_next_down(format, bits) : format_next_up(format, bits);
  return format_to_double(format, bits);
}

value_range_t byteir_rng_normal_any(const case_t *instance) {
  const double reach = 13.5;
  const format_t *format = format_of(&instance->program);
  double largest = format_to_double(format, format->largest_bits);
  double mean = number_of(instance, BYTEIR_RNG_MEAN);
  double deviation = number_of(instance, BYTEIR_RNG_DEVIATION);
  value_range_t range = {.low = mean, .high = mean, .nan = deviation == 0};
  if (deviation > 0) {
    range.low = fmax(end_of(format, mean, -reach * deviation), -largest);
    range.high = fmin(end_of(format, mean, reach * deviation), largest);
    range.positive_infinity = range.negative_infinity = true;
  }
  range.positive_zero = range.negative_zero = range.low <= 0 && range.high >= 0;
  return range;
}

/* ---- As probabilities ------------------------------------------------------------------------ */

/* theory.md, T186. */
static double find_radius(const format_t *format, double mean, double deviation,
                          const contract_t *contract) {
  enum { RESOLUTION_BITS_MAX = 32 };
  int resolution = MIN(format->precision - 1, RESOLUTION_BITS_MAX);
  int least_exponent = format->exponent_min;
  if (PERMITTED(contract, ftz) == FTZ_NONE) least_exponent -= format->precision - 1;
  upper_t least = upper_of(ldexp(1, least_exponent));
  double ulps = contract_elementary_ulps(contract, ELEMENTARY_log, format, 1);
  upper_t steps = upper_add(upper_of(120 + 8 * fmax(ulps - 3, 0)),
                            upper_divide(upper_of(fabs(mean)), lower_of(deviation)));
  upper_t radius = upper_add(upper_of(ldexp(4, -resolution) + 0x1p-32 + 0x1p-49),
                             upper_scale(steps, ldexp(1, -format->precision)));
  upper_t lost = upper_add(upper_scale(upper_divide(least, lower_of(deviation)), 2), least);
  return upper_add(radius, lost).value;
}

static double probability(double value, double mean, double deviation) {
  if (isinf(value)) return value > 0 ? 1 : 0;
  double scale = isfinite(value - mean) ? 1 : 0.5;
  return 0.5 * erfc((mean * scale - value * scale) / (deviation * scale) * M_SQRT1_2);
}

byteir_rng_sample_t byteir_rng_normal_sample(const tensor_t *result, double mean, double deviation,
                                             const contract_t *contract, arena_t *arena) {
  const element_t *element = result->type.element;
  size_t count = type_element_count(&result->type);
  double *places = ARENA_NEW_ARRAY(arena, double, count);
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = element_load(element, result->data, i);
    places[i] = probability(format_to_double(element->format, bits), mean, deviation);
  }
  double radius = find_radius(element->format, mean, deviation, contract);
  return byteir_rng_sample_of(places, count, radius, arena);
}
