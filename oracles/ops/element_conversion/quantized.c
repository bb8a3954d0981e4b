/* SPDX-License-Identifier: Apache-2.0 */
/* The sets of uniform_quantize and uniform_dequantize: what the formulas of the specification give,
 * in every arithmetic that the contract permits, each step rounded with MPFR. */
#include <glib.h>
#include <math.h>

#include "harness/num/binary64.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/quantum/quantize_mpfr.h"
#include "oracles/ops/element_conversion/parts.h"

#include "generated/element_conversion_permissions.h"
#include "generated/exact_permissions.h"

status_t quantization_check(const program_t *program, failure_t *error) {
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  const type_t *quantized = result->quantization != NULL ? result : operand;
  const element_t *expressed = quantized->quantization->expressed;
  if (expressed->format->specials != FORMAT_EXPONENT_ONLY) return STATUS_OK;
  return status_fail(error, STATUS_UNSUPPORTED, "no oracle for values expressed in %s",
                     expressed->name);
}

/* ---- Merged scales --------------------------------------------------------------------------- */

merged_scale_t merged_scale_of(const quantum_t *from, const quantum_t *to,
                               const format_t *arithmetic) {
  const arithmetic_t steps = arithmetic_make(arithmetic);
  double quotient = from->scale / to->scale;
  double addend = (double)to->zero_point - (double)from->zero_point * quotient;
  return (merged_scale_t){.factor = arithmetic_round(&steps, quotient),
                          .addend = arithmetic_round(&steps, addend)};
}

double merged_sum(const merged_scale_t *merged, const format_t *arithmetic, bool is_fused,
                  int64_t stored) {
  const arithmetic_t steps = arithmetic_make(arithmetic);
  double value = arithmetic_round(&steps, (double)stored);
  double sum = arithmetic_multiply(&steps, value, merged->factor);
  if (merged->addend == 0) return sum;
  return is_fused ? arithmetic_fused(&steps, value, merged->factor, merged->addend)
                  : arithmetic_add(&steps, sum, merged->addend);
}

static bool are_alike(const quantum_t *a, const quantum_t *b) {
  return a->scale == b->scale && a->zero_point == b->zero_point &&
         a->storage_min == b->storage_min && a->storage_max == b->storage_max;
}

int64_t merged_requantize(const merged_scale_t *merged, const quantum_t *from, const quantum_t *to,
                          const format_t *arithmetic, bool is_fused, int64_t stored) {
  if (are_alike(from, to)) return stored;
  double sum = merged_sum(merged, arithmetic, is_fused, stored);
  if (isnan(sum)) return to->zero_point;
  if (sum <= (double)to->storage_min) return to->storage_min;
  return sum >= (double)to->storage_max ? to->storage_max : (int64_t)nearbyint(sum);
}

/* ---- Fixed point ----------------------------------------------------------------------------- */

int64_t fixed_requantize(const quantum_t *from, const quantum_t *to, fixed_multiplier_t multiplier,
                         fixed_way_t way, int64_t stored) {
  wide_integer_t whole = fixed_multiply(stored - from->zero_point, multiplier, way);
  return (int64_t)CLAMP(whole + to->zero_point, to->storage_min, to->storage_max);
}

int64_t fixed_8_requantize(const quantum_t *from, const quantum_t *to, int64_t stored) {
  const double most = 0x1p70;
  double quotient = format_round_double(&format_table[FORMAT_f32], from->scale / to->scale);
  wide_integer_t multiplier = (wide_integer_t)nearbyint(fmin(quotient * 0x1p8, most));
  wide_integer_t whole = (multiplier * (stored - from->zero_point) + 0x80) >> 8;
  return (int64_t)CLAMP(whole + to->zero_point, to->storage_min, to->storage_max);
}

/* ---- What is flushed ------------------------------------------------------------------------- */

static bool flushes_inputs(const contract_t *contract) {
  return PERMITTED(contract, ftz) == FTZ_INPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
}

/* Numbers as an implementation that flushes subnormal ones reads them. */
static double flushed(const format_t *format, double value) {
  bool is_subnormal = fabs(value) < ldexp(1, format->exponent_min);
  return is_subnormal ? copysign(0, value) : value;
}

/* ---- uniform_quantize ------------------------------------------------------------------------ */

/* One element, and what has been found of it. */
typedef struct quantizing {
  const contract_t *contract;
  const element_t *storage;
  const format_t *expressed;
  const format_t *arithmetics[2];
  size_t arithmetic_count;
  quantum_t to;
  choice_set_t set;
} quantizing_t;

static void add_stored(quantizing_t *quantizing, int64_t stored, const char *by) {
  uint64_t bits = (uint64_t)stored & element_mask(quantizing->storage);
  choice_set_add(&quantizing->set, bits, by);
}

/* Without any choice, no storage value is decided. */
static void add_choices(quantizing_t *quantizing, const int64_t choices[QUANTUM_CHOICES_MAX],
                        size_t count, const char *by) {
  quantizing->set.any |= count == 0;
  if (count > 0) add_stored(quantizing, choices[0], by);
  if (count > 1) add_stored(quantizing, choices[1], "beyond the storage range, by the formula");
}

/* What is told of a way, where `by` tells nothing. */
static const char *name_way(quantize_way_t way, const char *by) {
  return by[0] != '\0' ? by : quantize_way_name(way);
}

static void add_quantized_by(quantizing_t *quantizing, const format_t *arithmetic,
                             quantize_way_t way, double value, const char *by) {
  int64_t choices[QUANTUM_CHOICES_MAX];
  size_t count = exact_quantize_by(&quantizing->to, arithmetic, way, value, choices);
  add_choices(quantizing, choices, count, name_way(way, by));
  if (!flushes_inputs(quantizing->contract)) return;
  const format_t *format = quantizing->expressed;
  quantum_t to = quantizing->to;
  to.scale = flushed(format, to.scale);
  const double values[] = {value, flushed(format, value)};
  const quantum_t quanta[] = {quantizing->to, to};
  for (int i = 1; i < 4; i++) {
    /* 0 / 0: none. */
    count = exact_quantize_by(&quanta[i / 2], arithmetic, way, values[i % 2], choices);
    add_choices(quantizing, choices, count, "subnormal operand flushed");
  }
}

static void add_quantized_in(quantizing_t *quantizing, const format_t *arithmetic, double value,
                             const char *by) {
  quantize_way_t ways[QUANTIZE_WAYS_MAX];
  size_t count = quantize_ways(quantizing->contract, ways);
  for (size_t i = 0; i < count; i++) {
    add_quantized_by(quantizing, arithmetic, ways[i], value, by);
  }
}

/* What tells that f32 was taken where the expressed type might have been. */
static const char *word_of(size_t arithmetic, const char *by) {
  return arithmetic > 0 && by[0] == '\0' ? "intermediate=wide" : by;
}

/* Dequantized in binary64, and quantized in the ways of that. */
static void add_two_wider_steps(quantizing_t *quantizing, const quantum_t *from, int64_t stored) {
  const format_t *f64 = &format_table[FORMAT_f64];
  double value = exact_dequantize(from, f64, stored);
  quantize_way_t ways[QUANTIZE_WAYS_MAX];
  size_t count = quantize_ways(quantizing->contract, ways);
  for (size_t i = 0; i < count; i++) {
    if (ways[i].width == QUANTIZE_ROUNDED) continue;
    add_quantized_by(quantizing, f64, ways[i], value, "quantize_quotient=wider");
  }
}

/* A number of the expressed type can be quantized in every arithmetic, one of f32 in f32. */
static void add_quantized(quantizing_t *quantizing, double value, bool is_expressed,
                          const char *by) {
  for (size_t i = 0; i < quantizing->arithmetic_count; i++) {
    const format_t *arithmetic = quantizing->arithmetics[i];
    if (!is_expressed && arithmetic == quantizing->expressed) continue;
    add_quantized_in(quantizing, arithmetic, value, word_of(i, by));
  }
}

static void add_two_steps(quantizing_t *quantizing, const quantum_t *from, int64_t stored) {
  const format_t *expressed = quantizing->expressed;
  for (size_t i = 0; i < quantizing->arithmetic_count; i++) {
    const format_t *arithmetic = quantizing->arithmetics[i];
    double value = exact_dequantize(from, arithmetic, stored);
    bool is_expressed = arithmetic == expressed;
    add_quantized(quantizing, value, is_expressed, word_of(i, ""));
    if (is_expressed) continue;
    add_quantized(quantizing, format_round_double(expressed, value), true, word_of(i, ""));
  }
  if (PERMITTED(quantizing->contract, quantize_quotient) != 0) {
    add_two_wider_steps(quantizing, from, stored);
  }
  if (!flushes_inputs(quantizing->contract)) return;
  quantum_t flat = *from;
  flat.scale = flushed(expressed, flat.scale);
  for (size_t i = 0; i < quantizing->arithmetic_count; i++) {
    double value = exact_dequantize(&flat, quantizing->arithmetics[i], stored);
    add_quantized(quantizing, format_round_double(expressed, value), true,
                  "subnormal operand flushed");
  }
}

static void add_merged(quantizing_t *quantizing, const quantum_t *from, int64_t stored) {
  for (size_t i = 0; i < quantizing->arithmetic_count; i++) {
    const format_t *arithmetic = quantizing->arithmetics[i];
    const merged_scale_t merged = merged_scale_of(from, &quantizing->to, arithmetic);
    for (int fused = 0; fused < 2; fused++) {
      add_stored(quantizing,
                 merged_requantize(&merged, from, &quantizing->to, arithmetic, fused != 0, stored),
                 "requantize=merged");
      /* Clamped by rounded ends instead. */
      double sum = merged_sum(&merged, arithmetic, fused != 0, stored);
      if (are_alike(from, &quantizing->to) || isnan(sum)) continue;
      int64_t choices[QUANTUM_CHOICES_MAX];
      size_t count = quantum_choices_of_sum(&quantizing->to, arithmetic, sum, choices);
      add_choices(quantizing, choices, count, "requantize=merged");
    }
  }
}

/* (stored - zero point) times the quotient of the scales in fixed point, the zero point added last:
 * theory.md, T180. */
static void add_fixed(quantizing_t *quantizing, const quantum_t *from, int64_t stored) {
  const quantum_t *to = &quantizing->to;
  fixed_multiplier_t multipliers[FIXED_MULTIPLIERS];
  for (size_t a = 0; a < quantizing->arithmetic_count; a++) {
    fixed_multipliers_of(from->scale, 1, to->scale, quantizing->arithmetics[a], multipliers);
    for (int i = 0; i < FIXED_MULTIPLIERS; i++) {
      for (fixed_way_t way = 0; way < FIXED_WAYS; way++) {
        add_stored(quantizing, fixed_requantize(from, to, multipliers[i], way, stored),
                   "requantize=fixed");
      }
    }
  }
}

choice_set_t uniform_quantize_set(const case_t *instance, const contract_t *contract, uint8_t first,
                                  uint8_t last, size_t element) {
  const tensor_t *operand = &instance->operands[0];
  const type_t *result = &instance->program.results[0];
  quantizing_t quantizing = {.contract = contract,
                             .storage = result->element,
                             .expressed = result->quantization->expressed->format,
                             .to = quantum_of(result, element)};
  quantizing.arithmetic_count = quantum_arithmetics(result, contract, quantizing.arithmetics);
  if (operand->type.quantization == NULL) {
    uint64_t bits = element_load(operand->type.element, operand->data, element);
    double value = format_to_double(operand->type.element->format, bits);
    add_quantized(&quantizing, value, true, "");
    return quantizing.set;
  }
  quantum_t from = quantum_of(&operand->type, element);
  int64_t stored = quantum_load(operand, element);
  if (first == REQUANTIZE_TWO_STEPS) add_two_steps(&quantizing, &from, stored);
  if (first <= REQUANTIZE_MERGED && last >= REQUANTIZE_MERGED) {
    add_merged(&quantizing, &from, stored);
  }
  if (first <= REQUANTIZE_FIXED && last >= REQUANTIZE_FIXED) {
    add_fixed(&quantizing, &from, stored);
  }
  if (last == REQUANTIZE_FIXED_8) {
    add_stored(&quantizing, fixed_8_requantize(&from, &quantizing.to, stored),
               "requantize=fixed_8");
  }
  return quantizing.set;
}

/* ---- uniform_dequantize ---------------------------------------------------------------------- */

choice_set_t uniform_dequantize_set(const case_t *instance, const contract_t *contract,
                                    size_t element) {
  const tensor_t *operand = &instance->operands[0];
  const format_t *format = instance->program.results[0].element->format;
  quantum_t quantum = quantum_of(&operand->type, element);
  int64_t stored = quantum_load(operand, element);
  const format_t *arithmetics[2];
  size_t count = quantum_arithmetics(&operand->type, contract, arithmetics);
  choice_set_t set = {.count = 0};
  quantum_t flat = quantum;
  flat.scale = flushed(format, flat.scale);
  for (size_t i = 0; i < count; i++) {
    double value = exact_dequantize(&quantum, arithmetics[i], stored);
    set.nan |= isnan(value);
    if (!isnan(value)) {
      choice_set_add(&set, format_from_double(format, value), word_of(i, ""));
    }
    if (!flushes_inputs(contract)) continue;
    value = exact_dequantize(&flat, arithmetics[i], stored);
    if (isnan(value)) continue; /* Infinity times 0 is no value that a number may become. */
    choice_set_add(&set, format_from_double(format, value), "subnormal operand flushed");
  }
  for (size_t i = 0; i < count && PERMITTED(contract, dequantize) != 0; i++) {
    for (int fused = 0; fused <= (PERMITTED(contract, fma) == FMA_YES); fused++) {
      double value = exact_dequantize_distributed(&quantum, arithmetics[i], stored, fused != 0);
      set.nan |= isnan(value);
      if (isnan(value)) continue;
      choice_set_add(&set, format_from_double(format, value), "dequantize=distribute");
    }
  }
  choice_set_loosen(&set, format, contract);
  return set;
}
