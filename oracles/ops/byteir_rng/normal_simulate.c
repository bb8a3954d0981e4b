/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated implementation of rng_normal: ByteIR's transformation of the published generator's
 * numbers, or of another good one's, and the planted faults. */
#include <math.h>

#include "generated/byteir_rng_faults.h"
#include "oracles/formula/fast/elementary_pairs.h"
#include "oracles/formula/model.h"
#include "oracles/ops/byteir_rng/byteir_rng.h"
#include "oracles/ops/byteir_rng/normal.h"
#include "oracles/ops/byteir_rng/published.h"
#include "oracles/ops/byteir_rng/simulate.h"

/* Of binary64, whose own function is not proven to be faithful. */
static double cosine_of(double x) {
  double value = pair_cosine(x).high;
  if (!isnan(value)) return value;
  mpfr_t number;
  mpfr_init2(number, 53);
  mpfr_set_d(number, x, MPFR_RNDN);
  mpfr_cos(number, number, MPFR_RNDN);
  double result = mpfr_get_d(number, MPFR_RNDN);
  mpfr_clear(number);
  return result;
}

static row_t cosine(formula_t *formula, row_t a) {
  bool is_double = formula->format == &format_table[FORMAT_f64];
  double *values = ARENA_NEW_ARRAY(formula->arena, double, a.count);
  for (size_t i = 0; i < a.count; i++) {
    double x = a.values[i];
    if (formula_has_fault(formula, FAULT_normal_sine)) x = M_PI_2 - x;
    values[i] = format_round_double(formula->format, is_double ? cosine_of(x) : cos(x));
  }
  return (row_t){.count = a.count, .values = values};
}

/* ---- Faults ---------------------------------------------------------------------------------- */

static double spoil(fault_t fault, double normal) {
  switch (fault) {
    case FAULT_normal_magnitudes:
      return fabs(normal);
    case FAULT_normal_clipped:
      return CLAMP(normal, -2, 2);
    case FAULT_normal_of_natural_unit: /* The factor 2 under the root is forgotten. */
      return normal * M_SQRT1_2;
    default:
      return normal;
  }
}

static row_t load(formula_t *formula, const case_t *instance, uint32_t operand) {
  const format_t *format = instance->program.results[0].element->format;
  uint64_t bits = byteir_rng_operand(instance, operand);
  double value = format_to_double(format, bits);
  bool is_mean = operand == BYTEIR_RNG_MEAN;
  if (formula_has_fault(formula, FAULT_normal_mean_forgotten) && is_mean) value = 0;
  if (formula_has_fault(formula, FAULT_normal_unscaled) && !is_mean) value = 1;
  if (formula_has_fault(formula, FAULT_normal_variance) && !is_mean) value = sqrt(value);
  bits = isnan(value) ? bits : format_from_double(format, value);
  return model_load(formula, format, &bits, 1);
}

/* The transformation once more where a fault changes the standard normal numbers. */
static row_t transform(formula_t *formula, byteir_rng_box_muller_t *numbers) {
  fault_t fault = formula->schedule->fault;
  bool is_spoilt = fault == FAULT_normal_magnitudes || fault == FAULT_normal_clipped ||
                   fault == FAULT_normal_of_natural_unit;
  if (!is_spoilt) return byteir_rng_transform(formula, numbers);
  row_t mean = numbers->mean, deviation = numbers->deviation;
  numbers->mean = formula_number(formula, 0);
  numbers->deviation = formula_number(formula, 1);
  row_t normal = byteir_rng_transform(formula, numbers);
  for (size_t i = 0; i < normal.count; i++) normal.values[i] = spoil(fault, normal.values[i]);
  return formula_multiply_add(formula, normal, deviation, mean);
}

/* ---- Results --------------------------------------------------------------------------------- */

/* Another generator's numbers are in (0, 1], so that their logarithms are finite. */
static void avoid_zero(const formula_t *formula, row_t inout_uniform) {
  if (!byteir_rng_is_unknown(formula->schedule)) return;
  for (size_t i = 0; i < inout_uniform.count; i++) {
    inout_uniform.values[i] = format_round_double(formula->format, 1 - inout_uniform.values[i]);
  }
}

/* The two uniform numbers of each result, which no format of the steps enters but a schedule's that
 * goes the other way. */
static void draw_pairs(formula_t *formula, const case_t *instance, const tensor_t *result,
                       row_t out_pairs[2]) {
  byteir_rng_simulate_uniform(formula, instance, result, 2, out_pairs);
  avoid_zero(formula, out_pairs[0]);
}

static byteir_rng_box_muller_t numbers_of(formula_t *formula, const case_t *instance,
                                          const row_t pairs[2]) {
  return (byteir_rng_box_muller_t){.mean = load(formula, instance, BYTEIR_RNG_MEAN),
                                   .deviation = load(formula, instance, BYTEIR_RNG_DEVIATION),
                                   .radial = pairs[0],
                                   .angular = pairs[1],
                                   .cosine = cosine};
}

static row_t simulate(formula_t *formula, const case_t *instance, const tensor_t *result) {
  row_t pairs[2];
  draw_pairs(formula, instance, result, pairs);
  byteir_rng_box_muller_t numbers = numbers_of(formula, instance, pairs);
  return transform(formula, &numbers);
}

status_t byteir_rng_normal_simulate(const oracle_call_t *call,
                                    const implementation_model_t *schedule,
                                    tensor_t *inout_results) {
  const contract_t contract = contract_backend();
  tensor_t *result = &inout_results[0];
  if (type_element_count(&result->type) == 0) return STATUS_OK;
  formula_t formula = {
      .evaluator = &model_evaluator,
      .program = &call->instance->program,
      .format = byteir_rng_simulated_format(result->type.element->format, schedule),
      .contract = &contract,
      .schedule = schedule,
      .arena = call->arena};
  byteir_rng_simulate_store(schedule->fault, simulate(&formula, call->instance, result), result);
  return STATUS_OK;
}

/* ---- Fast sets ------------------------------------------------------------------------------- */

/* What the numbers of the published generator are made of, in the result's type. */
typedef struct making {
  const case_t *instance;
  const contract_t *contract;
  tensor_t result; /* A type alone. */
  row_t pairs[2];
  arena_t *arena;
} making_t;

static formula_t steps_of(const making_t *making, const format_t *format,
                          const implementation_model_t *schedule) {
  return (formula_t){.evaluator = &model_evaluator,
                     .program = &making->instance->program,
                     .format = format,
                     .contract = making->contract,
                     .schedule = schedule,
                     .arena = making->arena};
}

static making_t making_of(const case_t *instance, const contract_t *contract, arena_t *arena) {
  const implementation_model_t schedule = schedule_plain();
  making_t making = {.instance = instance,
                     .contract = contract,
                     .result = {.type = instance->program.results[0]},
                     .arena = arena};
  formula_t formula = steps_of(&making, making.result.type.element->format, &schedule);
  draw_pairs(&formula, instance, &making.result, making.pairs);
  return making;
}

/* The numbers of the published generator with steps in one format, rounded to the result's; and
 * where `out_fused` is not NULL the same with the last step fused. */
static void make_numbers(const making_t *making, const format_t *format, double *out_plain,
                         double *out_fused) {
  implementation_model_t schedule = schedule_plain();
  const format_t *result = making->result.type.element->format;
  size_t count = type_element_count(&making->result.type);
  arena_mark_t mark = arena_mark(making->arena);
  formula_t formula = steps_of(making, format, &schedule);
  const byteir_rng_box_muller_t numbers = numbers_of(&formula, making->instance, making->pairs);
  row_t normal = byteir_rng_standard(&formula, &numbers);
  double *const made[] = {out_plain, out_fused};
  for (int is_fused = 0; is_fused < 2 && made[is_fused] != NULL; is_fused++) {
    schedule.fused = is_fused != 0;
    row_t row = formula_multiply_add(&formula, normal, numbers.deviation, numbers.mean);
    for (size_t i = 0; i < count; i++) {
      made[is_fused][i] = format_round_double(result, row.values[row.count == 1 ? 0 : i]);
    }
  }
  arena_rewind(making->arena, mark);
}

bool byteir_rng_normal_is_plain(const case_t *instance, const contract_t *contract,
                                const tensor_t *result, arena_t *arena) {
  const element_t *element = result->type.element;
  size_t count = type_element_count(&result->type);
  if (count == 0) return true;
  arena_mark_t mark = arena_mark(arena);
  const making_t making = making_of(instance, contract, arena);
  double *numbers = ARENA_NEW_ARRAY(arena, double, count);
  make_numbers(&making, element->format, numbers, NULL);
  bool are_plain = true;
  for (size_t i = 0; i < count && are_plain; i++) {
    double value = format_to_double(element->format, element_load(element, result->data, i));
    are_plain = value == numbers[i] && value != 0 && isfinite(value);
  }
  arena_rewind(arena, mark);
  return are_plain;
}

/* From the least to the largest of both, where neither is zero, whose sign the fast set does not
 * hold, nor infinite. */
static void set_range(const double *first, const double *second, size_t count, double *out_low,
                      double *out_high) {
  for (size_t i = 0; i < count; i++) {
    double low = fmin(first[i], second[i]), high = fmax(first[i], second[i]);
    bool is_usable = isfinite(first[i]) && isfinite(second[i]) && (low > 0 || high < 0);
    out_low[i] = is_usable ? low : 1;
    out_high[i] = is_usable ? high : -1;
  }
}

static const format_t *wider_format(const format_t *format, const contract_t *contract) {
  if (format->bits == 16) return &format_table[FORMAT_f32];
  bool is_permitted = PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES;
  return is_permitted ? &format_table[FORMAT_f64] : format;
}

accept_t byteir_rng_normal_published(const case_t *instance, const contract_t *contract,
                                     arena_t *arena) {
  const type_t *type = &instance->program.results[0];
  const format_t *format = type->element->format;
  size_t count = type_element_count(type);
  uint64_t *bits = ARENA_NEW_ARRAY(arena, uint64_t, count);
  double *ends[4];
  for (int i = 0; i < 4; i++) ends[i] = ARENA_NEW_ARRAY(arena, double, count);
  accept_t accept = {.count = count,
                     .bits = bits,
                     .low = ends[0],
                     .high = ends[1],
                     .other_low = ends[2],
                     .other_high = ends[3]};
  if (count == 0) return accept;
  arena_mark_t mark = arena_mark(arena);
  bool may_fuse = PERMITTED(contract, fma) == FMA_YES;
  const format_t *const formats[] = {format, wider_format(format, contract)};
  const making_t making = making_of(instance, contract, arena);
  double *plain = ARENA_NEW_ARRAY(arena, double, count);
  double *fused = may_fuse ? ARENA_NEW_ARRAY(arena, double, count) : NULL;
  for (int way = 0; way < 2; way++) {
    make_numbers(&making, formats[way], plain, fused);
    set_range(plain, may_fuse ? fused : plain, count, ends[2 * way], ends[2 * way + 1]);
    for (size_t i = 0; i < count && way == 0; i++) {
      bits[i] = format_from_double(format, isnan(plain[i]) ? (double)NAN : plain[i]);
    }
  }
  arena_rewind(arena, mark);
  return accept;
}
