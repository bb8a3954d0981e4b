/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated implementations of quantized dot_general, by dequantized floats or by integer
 * accumulation and rescaling, with faults of scales and zero points applied to the case
 * beforehand. */
#include "oracles/ops/dot_general/quantized/simulate.h"

#include <math.h>
#include <string.h>

#include "generated/dot_general_faults.h"
#include "generated/exact_faults.h"
#include "oracles/exact/quantum/fault_values.h"
#include "oracles/exact/quantum/quantize_faulty.h"
#include "oracles/ops/dot_general/models/simulate.h"
#include "oracles/ops/dot_general/quantized/rescale.h"

/* ---- Faults of types ------------------------------------------------------------------------- */

static quantization_t *copy_quantization(type_t *type, arena_t *arena) {
  quantization_t *copy = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  *copy = *type->quantization;
  type->quantization = copy;
  return copy;
}

static void forget_zero_points(type_t *type, arena_t *arena) {
  if (type->quantization == NULL) return;
  quantization_t *copy = copy_quantization(type, arena);
  copy->zero_points = arena_alloc_zeroed(arena, MAX(copy->count, 1) * sizeof copy->zero_points[0]);
}

static void shift_scales(type_t *type, arena_t *arena) {
  if (type->quantization == NULL) return;
  quantization_t *copy = copy_quantization(type, arena);
  double *scales = ARENA_NEW_ARRAY(arena, double, copy->count);
  for (uint32_t i = 0; i < copy->count; i++) {
    scales[i] = type->quantization->scales[(i + 1) % copy->count];
  }
  copy->scales = scales;
}

static void repeat_first_scale(type_t *type, arena_t *arena) {
  if (type->quantization == NULL) return;
  quantization_t *copy = copy_quantization(type, arena);
  double *scales = ARENA_NEW_ARRAY(arena, double, copy->count);
  for (uint32_t i = 0; i < copy->count; i++) scales[i] = type->quantization->scales[0];
  copy->scales = scales;
}

/* Along the first contracting dimension, starting over where it is longer. */
static void turn_scales(const program_t *program, type_t *type, arena_t *arena) {
  const dimension_list_t *terms = &dot_general_attributes(program)->rhs_contracting;
  if (type->quantization->axis == -1 || terms->count == 0) return;
  copy_quantization(type, arena)->axis = (int32_t)terms->dims[0];
}

static void forget_algorithm(program_t *program, arena_t *arena) {
  dot_general_attributes_t *attributes = ARENA_NEW_ARRAY(arena, dot_general_attributes_t, 1);
  *attributes = *dot_general_attributes(program);
  attributes->has_algorithm = false;
  program->attributes = attributes;
}

/* The case as an implementation with that fault sees it. */
static case_t spoil_case(const case_t *instance, fault_t fault, arena_t *arena) {
  case_t seen = *instance;
  program_t *program = &seen.program;
  type_t *lhs = &program->operands[DOT_GENERAL_LHS], *rhs = &program->operands[DOT_GENERAL_RHS];
  if (fault == FAULT_lhs_zero_point_forgotten) forget_zero_points(lhs, arena);
  if (fault == FAULT_rhs_zero_point_forgotten) forget_zero_points(rhs, arena);
  if (fault == FAULT_scales_along_terms) turn_scales(program, rhs, arena);
  if (fault == FAULT_scale_of_next_column) shift_scales(rhs, arena);
  if (fault == FAULT_channels_scaled_as_first) {
    repeat_first_scale(rhs, arena);
    repeat_first_scale(&program->results[0], arena);
  }
  if (fault == FAULT_quantized_algorithm_ignored) forget_algorithm(program, arena);
  for (uint32_t i = 0; i < 2; i++) seen.operands[i].type = program->operands[i];
  return seen;
}

/* ---- Integers -------------------------------------------------------------------------------- */

typedef struct integer_model {
  const case_t *instance;
  const dot_general_layout_t *layout;
  const implementation_model_t *schedule;
  arithmetic_t arithmetic;
} integer_model_t;

static dot_integer_t difference(const tensor_t *tensor, size_t index) {
  return quantum_load(tensor, index) - quantum_of(&tensor->type, index).zero_point;
}

/* What `vpmaddubsw` does with bytes. */
static dot_integer_t sum_saturated_pairs(const integer_model_t *model, dot_general_place_t place) {
  const tensor_t *lhs = &model->instance->operands[DOT_GENERAL_LHS];
  const tensor_t *rhs = &model->instance->operands[DOT_GENERAL_RHS];
  dot_integer_t sum = 0, pair = 0;
  for (size_t term = 0; term < model->layout->term_count; term++) {
    pair += difference(lhs, dot_general_lhs_index(model->layout, place, term)) *
            difference(rhs, dot_general_rhs_index(model->layout, place, term));
    if (term % 2 == 0 && term + 1 < model->layout->term_count) continue;
    sum += CLAMP(pair, INT16_MIN, INT16_MAX);
    pair = 0;
  }
  return sum;
}

/* Of how many terms the product of both zero points is not added back. */
static size_t forgotten_terms(fault_t fault, size_t terms) {
  enum { BLOCK = 4 };
  if (fault == FAULT_cross_term_dropped) return terms;
  return fault == FAULT_correction_of_whole_blocks ? terms % BLOCK : 0;
}

static dot_integer_t find_sum(const integer_model_t *model, dot_general_place_t place,
                              const dot_accumulator_t *accumulator) {
  const tensor_t *lhs = &model->instance->operands[DOT_GENERAL_LHS];
  const tensor_t *rhs = &model->instance->operands[DOT_GENERAL_RHS];
  fault_t fault = model->schedule->fault;
  if (fault == FAULT_saturate_pairs && lhs->type.element->bits == 8) {
    return sum_saturated_pairs(model, place);
  }
  if (fault == FAULT_quantized_sum_wraps || model->schedule->other_way) {
    return dot_accumulator_wrapped(accumulator);
  }
  dot_integer_t sum = accumulator->positive + accumulator->negative;
  if (fault == FAULT_sums_of_16_bits) return (int16_t)(uint16_t)(uint64_t)sum;
  size_t forgotten = forgotten_terms(fault, model->layout->term_count);
  if (forgotten == 0) return sum;
  size_t left = dot_general_lhs_index(model->layout, place, 0);
  size_t right = dot_general_rhs_index(model->layout, place, 0);
  return sum - (dot_integer_t)forgotten * quantum_of(&lhs->type, left).zero_point *
                   quantum_of(&rhs->type, right).zero_point;
}

/* s_l s_r / s_res with two roundings in binary64, whatever the exponents, and one to the format. */
static double find_multiplier(const integer_model_t *model, const dot_rescale_t *rescale) {
  int left, right, result;
  double product = frexp(rescale->lhs_scale, &left) * frexp(rescale->rhs_scale, &right);
  double quotient = product / frexp(rescale->result.scale, &result);
  double multiplier = ldexp(quotient, left + right - result);
  multiplier = arithmetic_round(&model->arithmetic, multiplier);
  fault_t fault = model->schedule->fault;
  if (fault == FAULT_multiplier_in_bf16) {
    return format_round_double(&format_table[FORMAT_bf16], multiplier);
  }
  if (fault == FAULT_multiplier_of_15_bits) {
    int exponent;
    double fraction = frexp(multiplier, &exponent);
    return ldexp(nearbyint(fraction * 0x1p15), exponent - 15);
  }
  if (fault == FAULT_multiplier_near_one && fabs(multiplier - 1) <= 1e-3) return 1;
  return multiplier;
}

static double integer_to_float(const arithmetic_t *arithmetic, dot_integer_t value) {
  bool is_f64 = arithmetic->format == &format_table[FORMAT_f64];
  return is_f64 ? (double)value : (double)(float)value;
}

/* The integer that the scaled sum becomes, not clamped yet; huge ones stay far outside. */
static double round_scaled(const integer_model_t *model, double scaled, int64_t zero_point) {
  const implementation_model_t *schedule = model->schedule;
  switch (schedule->fault) {
    case FAULT_rescale_truncated:
      return trunc(scaled) + (double)zero_point;
    case FAULT_rescale_ties_away:
      return round(scaled) + (double)zero_point;
    case FAULT_rescale_half_up:
      return floor(scaled + 0.5) + (double)zero_point;
    case FAULT_zero_point_before_rescale:
      return nearbyint(scaled);
    default:
      break;
  }
  if (schedule->other_way) return nearbyint(scaled) + (double)zero_point;
  double addend = integer_to_float(&model->arithmetic, zero_point);
  return nearbyint(arithmetic_add(&model->arithmetic, scaled, addend));
}

/* In fixed point, by one of the multipliers. */
static int64_t rescale_fixed(const integer_model_t *model, const dot_rescale_t *rescale,
                             dot_integer_t sum) {
  const implementation_model_t *schedule = model->schedule;
  const quantum_t *result = &rescale->result;
  fixed_multiplier_t multipliers[FIXED_MULTIPLIERS];
  fixed_multipliers_of(rescale->lhs_scale, rescale->rhs_scale, result->scale,
                       model->arithmetic.format, multipliers);
  fixed_multiplier_t multiplier = multipliers[schedule->seed % FIXED_MULTIPLIERS];
  bool is_short = schedule->fault == FAULT_fixed_multiplier_of_15_bits;
  if (is_short) multiplier.significand &= ~INT64_C(0xffff);
  bool is_cut = schedule->fault == FAULT_fixed_shift_truncated && multiplier.exponent < 0;
  int shift = is_cut ? -multiplier.exponent : 0;
  if (is_cut) multiplier.exponent = 0;
  dot_integer_t whole = fixed_multiply(sum, multiplier, (fixed_way_t)(schedule->fixed_point - 1));
  whole = (whole >> shift) + result->zero_point;
  return (int64_t)CLAMP(whole, result->storage_min, result->storage_max);
}

static int64_t rescale_sum(const integer_model_t *model, const dot_rescale_t *rescale,
                           dot_integer_t sum) {
  const quantum_t *result = &rescale->result;
  fault_t fault = model->schedule->fault;
  if (model->schedule->fixed_point != 0) return rescale_fixed(model, rescale, sum);
  if (fault == FAULT_zero_point_before_rescale) sum += result->zero_point;
  double factor = integer_to_float(&model->arithmetic, sum);
  double multiplier = find_multiplier(model, rescale);
  double scaled = sum == 0 ? 0 : arithmetic_multiply(&model->arithmetic, factor, multiplier);
  double whole = round_scaled(model, scaled, result->zero_point);
  if (fault == FAULT_rescale_zero_point_unclamped) {
    double least = (double)result->storage_min, most = (double)result->storage_max;
    return (int64_t)CLAMP(nearbyint(scaled), least, most) + result->zero_point;
  }
  if (fault == FAULT_rescale_unclamped) return fabs(whole) < 0x1p62 ? (int64_t)whole : 0;
  if (whole <= (double)result->storage_min) return result->storage_min;
  return whole >= (double)result->storage_max ? result->storage_max : (int64_t)whole;
}

static void simulate_integers(const case_t *instance, const implementation_model_t *schedule,
                              arena_t *arena, tensor_t *result) {
  const contract_t contract = contract_backend();
  dot_general_layout_t layout = dot_general_layout_make(&instance->program, arena);
  integer_model_t model = {.instance = instance, .layout = &layout, .schedule = schedule};
  const element_t *storage = result->type.element;
  size_t count = type_element_count(&instance->program.results[0]);
  for (size_t i = 0; i < count; i++) {
    if (fault_skips_store(schedule->fault, i, result)) continue;
    dot_general_place_t place = dot_general_place(instance, &layout, i);
    dot_accumulator_t accumulator = dot_accumulate(instance, &layout, place);
    dot_rescale_t rescale = dot_rescale_make(instance, i, &accumulator, &contract);
    model.arithmetic = arithmetic_make(rescale.arithmetic);
    int64_t stored = rescale_sum(&model, &rescale, find_sum(&model, place, &accumulator));
    element_store(storage, result->data, i, (uint64_t)stored & element_mask(storage));
  }
}

static bool is_fault_of_integers(fault_t fault) {
  switch (fault) {
    case FAULT_rescale_truncated:
    case FAULT_rescale_ties_away:
    case FAULT_rescale_unclamped:
    case FAULT_multiplier_in_bf16:
    case FAULT_multiplier_near_one:
    case FAULT_quantized_sum_wraps:
    case FAULT_zero_point_before_rescale:
    case FAULT_cross_term_dropped:
    case FAULT_saturate_pairs:
    case FAULT_correction_of_whole_blocks:
    case FAULT_rescale_half_up:
    case FAULT_rescale_zero_point_unclamped:
    case FAULT_sums_of_16_bits:
    case FAULT_multiplier_of_15_bits:
      return true;
    default:
      return false;
  }
}

/* ---- Floats ---------------------------------------------------------------------------------- */

/* All native, or, with an accumulator that holds f32, all in f32, rounded to the expressed type
 * between the steps; the other way: any of the permitted.  The model of a hybrid has the program's
 * own floats. */
static dot_dequantized_t choose_variant(const program_t *program,
                                        const implementation_model_t *schedule) {
  contract_t contract = contract_backend();
  bool is_wide = !schedule->native && schedule->accumulator != NULL &&
                 arithmetic_format_holds(schedule->accumulator, &format_table[FORMAT_f32]);
  if (is_wide) contract_set_value(&contract, "intermediate", INTERMEDIATE_WIDE);
  if (schedule->native) contract_set_value(&contract, "intermediate", INTERMEDIATE_NATIVE);
  dot_dequantized_t variants[DOT_VARIANTS_MAX];
  size_t count = dot_variants(program, &contract, variants);
  if (count == 1 || !schedule->other_way) return variants[0];
  size_t first = is_wide ? 0 : 1; /* Not the one that is all native. */
  if (!dot_general_is_hybrid(program)) return variants[first + schedule->seed % (count - first)];
  size_t last = 0;
  for (size_t i = 0; i < count; i++) {
    if (variants[i].factors == variants[i].rounded) last = i;
  }
  return variants[last];
}

static void quantize_sums(const case_t *instance, const dot_dequantized_t *variant,
                          const implementation_model_t *schedule, const tensor_t *sums,
                          tensor_t *result) {
  const type_t *type = &instance->program.results[0];
  size_t count = type_element_count(type);
  for (size_t i = 0; i < count; i++) {
    if (fault_skips_store(schedule->fault, i, result)) continue;
    uint64_t bits = element_load(sums->type.element, sums->data, i);
    const quantum_t quantum = quantum_of(type, i);
    int64_t stored = fault_quantize(type, &quantum, variant->quantize, schedule,
                                    format_to_double(variant->rounded, bits));
    element_store(type->element, result->data, i, (uint64_t)stored & element_mask(type->element));
  }
}

/* Its floats are no operands of f32 that a precision_config is about (theory.md, D22). */
static status_t simulate_floats(const oracle_call_t *call, const implementation_model_t *model,
                                tensor_t *inout_results) {
  implementation_model_t wordless = *model;
  memset(wordless.precisions, ARITHMETIC_F32, sizeof wordless.precisions);
  const implementation_model_t *schedule = &wordless;
  const case_t *instance = call->instance;
  const dot_dequantized_t variant = choose_variant(&instance->program, schedule);
  bool adds_wider = variant.sum != variant.rounded && wordless.accumulator == NULL;
  if (adds_wider) wordless.accumulator = variant.sum;
  const case_t floats = dot_dequantized_case(instance, &variant, call->arena);
  if (dot_general_is_hybrid(&instance->program)) {
    const oracle_call_t float_call = oracle_call_about(call, &floats, NULL);
    return dot_general_simulate(&float_call, schedule, inout_results);
  }
  tensor_t sums = tensor_make(call->arena, &floats.program.results[0]);
  memset(sums.data, 0, type_bytes(&sums.type));
  const oracle_call_t float_call = oracle_call_about(call, &floats, NULL);
  STATUS_TRY(dot_general_simulate(&float_call, schedule, &sums));
  quantize_sums(instance, &variant, schedule, &sums, &inout_results[0]);
  return STATUS_OK;
}

status_t dot_quantized_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                                tensor_t *inout_results) {
  const case_t *instance = call->instance;
  STATUS_TRY(dot_dequantized_require(&instance->program, call->error));
  const case_t seen = spoil_case(instance, schedule->fault, call->arena);
  bool is_named = schedule->formula != NULL && strcmp(schedule->formula, "integer") == 0;
  bool has_algorithm = dot_general_attributes(&seen.program)->has_algorithm;
  bool in_integers = !has_algorithm && (is_named || schedule->fixed_point != 0 ||
                                        is_fault_of_integers(schedule->fault));
  if (dot_general_is_quantized(&instance->program) && in_integers) {
    simulate_integers(&seen, schedule, call->arena, &inout_results[0]);
    return STATUS_OK;
  }
  const oracle_call_t seen_call = oracle_call_about(call, &seen, NULL);
  return simulate_floats(&seen_call, schedule, inout_results);
}
