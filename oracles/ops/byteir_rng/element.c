/* SPDX-License-Identifier: Apache-2.0 */
/* Affine map from a uniform number to a result, evaluated by the enclosing formula evaluator in
 * every permitted format; for unknown numbers, the union of the results at both ends and
 * everything between. */
#include "oracles/ops/byteir_rng/element.h"

#include <math.h>

#include "oracles/formula/enclosed.h"
#include "oracles/ops/byteir_rng/byteir_rng.h"

static const format_t *format_of(const program_t *program) {
  return program->results[0].element->format;
}

/* ---- One u ----------------------------------------------------------------------------------- */

row_t byteir_rng_affine(formula_t *formula, row_t low, row_t high, row_t uniform) {
  return formula_multiply_add(formula, uniform, formula_subtract(formula, high, low), low);
}

size_t byteir_rng_variants(const program_t *program,
                           byteir_rng_variant_t out_variants[BYTEIR_RNG_VARIANTS_MAX]) {
  const format_t *format = format_of(program);
  size_t count = 0;
  out_variants[count++] = (byteir_rng_variant_t){format, true};
  if (format->bits != 16) return count;
  out_variants[count++] = (byteir_rng_variant_t){&format_table[FORMAT_f32], true};
  out_variants[count++] = (byteir_rng_variant_t){&format_table[FORMAT_f32], false};
  return count;
}

/* What nodes of 16 bits may be wider is the other variants'. */
contract_t byteir_rng_contract_of_steps(const contract_t *contract,
                                        const byteir_rng_variant_t *variant) {
  contract_t steps = *contract;
  if (variant->format->bits == 16) PERMITTED(&steps, accum_wider) = ACCUM_WIDER_NO;
  return steps;
}

static row_t evaluate(formula_t *formula, const case_t *instance, double uniform) {
  const format_t *format = format_of(&instance->program);
  uint64_t low_bits = byteir_rng_operand(instance, BYTEIR_RNG_LOW);
  uint64_t high_bits = byteir_rng_operand(instance, BYTEIR_RNG_HIGH);
  row_t low = enclosed_load(formula, format, &low_bits, 1);
  row_t high = enclosed_load(formula, format, &high_bits, 1);
  return byteir_rng_affine(formula, low, high, formula_number(formula, uniform));
}

value_range_t byteir_rng_range(const oracle_call_t *call, const byteir_rng_variant_t *variant,
                               double uniform) {
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
    uniform = format_round_double(format, uniform);
  }
  arena_mark_t mark = arena_mark(call->arena);
  row_t result = evaluate(&formula, instance, uniform);
  enclosed_join_zero(result.enclosed); /* Of smaller numbers there are results between them. */
  value_range_t range;
  enclosed_finish(&formula, result.enclosed, format, &range);
  arena_rewind(call->arena, mark);
  return range;
}

bool byteir_rng_holds(const oracle_call_t *call, double uniform, uint64_t bits) {
  bool any_zero = PERMITTED(call->contract, zero_sign) == ZERO_SIGN_ANY;
  const format_t *format = format_of(&call->instance->program);
  byteir_rng_variant_t variants[BYTEIR_RNG_VARIANTS_MAX];
  size_t count = byteir_rng_variants(&call->instance->program, variants);
  for (size_t i = 0; i < count; i++) {
    value_range_t range = byteir_rng_range(call, &variants[i], uniform);
    if (value_range_holds(&range, format, bits, any_zero)) return true;
  }
  return false;
}

/* ---- Measures -------------------------------------------------------------------------------- */

/* The permitted error on the side where it is larger. */
static void set_error(mpfr_ptr out, const value_range_t *range, mpfr_srcptr reference) {
  mpfr_t other;
  mpfr_init2(other, ENCLOSED_PRECISION);
  mpfr_sub_d(out, reference, range->low, MPFR_RNDU);
  mpfr_d_sub(other, range->high, reference, MPFR_RNDU);
  mpfr_max(out, out, other, MPFR_RNDU);
  if (mpfr_sgn(out) < 0) mpfr_set_zero(out, 1);
  mpfr_clear(other);
}

void byteir_rng_measure(const oracle_call_t *call, double uniform, uint64_t bits,
                        const value_range_t *range, answer_t *inout_answer) {
  const case_t *instance = call->instance;
  const enclosing_t settings = {.is_exact = true};
  const format_t *format = format_of(&instance->program);
  formula_t formula = {.evaluator = &enclosed_evaluator,
                       .settings = &settings,
                       .program = &instance->program,
                       .format = format,
                       .contract = call->contract,
                       .arena = call->arena};
  row_t result = evaluate(&formula, instance, uniform);
  const enclosed_t *exact = result.enclosed;
  bool is_known = exact->has_finite && mpfr_number_p(exact->low) && mpfr_number_p(exact->high);
  if (!is_known || range->low > range->high) return;
  mpfr_t error, magnitude;
  mpfr_inits2(ENCLOSED_PRECISION, error, magnitude, (mpfr_ptr)0);
  set_error(error, range, exact->low);
  mpfr_abs(magnitude, exact->low, MPFR_RNDU);
  answer_measure(inout_answer, format, bits, exact->low, error, magnitude);
  inout_answer->backward_error = 0; /* There are no terms that it could be an error of. */
  mpfr_clears(error, magnitude, (mpfr_ptr)0);
}

/* ---- Any u ----------------------------------------------------------------------------------- */

static double bound_of(const case_t *instance, uint32_t operand) {
  return format_to_double(format_of(&instance->program), byteir_rng_operand(instance, operand));
}

bool byteir_rng_has_meaning(const case_t *instance) {
  double low = bound_of(instance, BYTEIR_RNG_LOW);
  double high = bound_of(instance, BYTEIR_RNG_HIGH);
  return isfinite(low) && isfinite(high) && low <= high;
}

/* A zero between the bounds is +0, or -0 if that is not below low. */
static value_range_t between(const case_t *instance) {
  double low = bound_of(instance, BYTEIR_RNG_LOW);
  double high = bound_of(instance, BYTEIR_RNG_HIGH);
  bool has_zero = low <= 0 && high >= 0;
  return (value_range_t){.low = low,
                         .high = high,
                         .positive_zero = has_zero,
                         .negative_zero = has_zero && signbit(low) != 0};
}

byteir_rng_sets_t byteir_rng_sets_make(const oracle_call_t *call) {
  byteir_rng_sets_t sets = {.count = 1, .sets = {between(call->instance)}};
  byteir_rng_variant_t variants[BYTEIR_RNG_VARIANTS_MAX];
  size_t count = byteir_rng_variants(&call->instance->program, variants);
  for (size_t i = 0; i < count; i++) {
    for (int uniform = 0; uniform <= 1; uniform++) {
      sets.sets[sets.count++] = byteir_rng_range(call, &variants[i], uniform);
    }
  }
  return sets;
}

bool byteir_rng_sets_hold(const byteir_rng_sets_t *sets, const format_t *format, uint64_t bits,
                          bool any_zero) {
  for (size_t i = 0; i < sets->count; i++) {
    if (value_range_holds(&sets->sets[i], format, bits, any_zero)) return true;
  }
  return false;
}

value_range_t byteir_rng_sets_hull(const byteir_rng_sets_t *sets) {
  value_range_t hull = sets->sets[0];
  for (size_t i = 1; i < sets->count; i++) {
    const value_range_t *set = &sets->sets[i];
    if (set->low <= set->high) {
      hull.low = fmin(hull.low, set->low);
      hull.high = fmax(hull.high, set->high);
    }
    hull.nan |= set->nan;
    hull.positive_infinity |= set->positive_infinity;
    hull.negative_infinity |= set->negative_infinity;
    hull.positive_zero |= set->positive_zero;
    hull.negative_zero |= set->negative_zero;
  }
  return hull;
}
