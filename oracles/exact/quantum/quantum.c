/* SPDX-License-Identifier: Apache-2.0 */
/* Dequantizes and quantizes one element in binary64 arithmetic rounded to the expressed format,
 * and lists the storage values that may follow where clamping leaves a choice. */
#include "oracles/exact/quantum/quantum.h"

#include <math.h>

#include "generated/exact_permissions.h"
#include "oracles/exact/arithmetic.h"

quantum_t quantum_of(const type_t *type, size_t element) {
  const quantization_t *quantization = type->quantization;
  size_t index = 0;
  if (quantization->axis != -1) {
    uint32_t axis = (uint32_t)quantization->axis;
    size_t stride = 1;
    for (uint32_t i = axis + 1; i < type->rank; i++) stride *= (size_t)type->dims[i];
    index = element / stride % quantization->count;
  }
  return (quantum_t){.scale = quantization->scales[index],
                     .zero_point = quantization->zero_points[index],
                     .storage_min = quantization->storage_min,
                     .storage_max = quantization->storage_max,
                     .type_min = element_integer_min(type->element),
                     .type_max = (int64_t)element_integer_max(type->element)};
}

/* Storage values have at most 32 bits: they and their differences are numbers of binary64. */
double quantum_dequantize(const quantum_t *quantum, const format_t *arithmetic, int64_t stored) {
  const arithmetic_t steps = arithmetic_make(arithmetic);
  double difference = arithmetic_round(&steps, (double)(stored - quantum->zero_point));
  return arithmetic_multiply(&steps, difference, quantum->scale);
}

static const quantize_way_t the_letter = {.width = QUANTIZE_ROUNDED};

static const format_t *arithmetic_of(const format_t *arithmetic, quantize_way_t way) {
  return way.width == QUANTIZE_ROUNDED ? arithmetic : &format_table[FORMAT_f64];
}

/* The quotient, with the zero point unless that comes last. */
static double find_sum(const quantum_t *quantum, const format_t *arithmetic, quantize_way_t way,
                       double value) {
  const arithmetic_t steps = arithmetic_make(arithmetic);
  double zero_point = arithmetic_round(&steps, (double)quantum->zero_point);
  double quotient;
  if (way.by_reciprocal) {
    double inverse = arithmetic_divide(&steps, 1, quantum->scale);
    if (way.is_fused) return arithmetic_fused(&steps, value, inverse, zero_point);
    quotient = arithmetic_multiply(&steps, value, inverse);
  } else {
    quotient = arithmetic_divide(&steps, value, quantum->scale);
  }
  return way.zero_point_last ? quotient : arithmetic_add(&steps, quotient, zero_point);
}

/* The float that is rounded to an integer, or NaN. */
static double clamp_sum(const quantum_t *quantum, const format_t *arithmetic, double sum) {
  const arithmetic_t steps = arithmetic_make(arithmetic);
  double smallest = arithmetic_round(&steps, (double)quantum->storage_min);
  double largest = arithmetic_round(&steps, (double)quantum->storage_max);
  return arithmetic_minimum(arithmetic_maximum(smallest, sum), largest);
}

/* Comparing with the exact ends is exact, and they are integers: a float within them stays within
 * when it is rounded. */
static bool is_in_range(const quantum_t *quantum, double clamped) {
  return clamped >= (double)quantum->storage_min && clamped <= (double)quantum->storage_max;
}

static double whole_of(double value, bool ties_away) {
  return ties_away ? round(value) : nearbyint(value);
}

static int64_t store_clamped(const quantum_t *quantum, double clamped, bool ties_away) {
  if (isnan(clamped)) return quantum->zero_point;
  if (clamped <= (double)quantum->storage_min) return quantum->storage_min;
  if (clamped >= (double)quantum->storage_max) return quantum->storage_max;
  return (int64_t)whole_of(clamped, ties_away);
}

/* An integer with the zero point, exactly: clamping by the exact ends leaves no choice. */
static int64_t add_last(const quantum_t *quantum, double quotient, bool ties_away) {
  double sum = whole_of(quotient, ties_away) + (double)quantum->zero_point;
  return store_clamped(quantum, sum, ties_away);
}

static size_t choices_of_sum(const quantum_t *quantum, const format_t *arithmetic, double sum,
                             bool ties_away, int64_t out_stored[QUANTUM_CHOICES_MAX]) {
  double clamped = clamp_sum(quantum, arithmetic, sum);
  out_stored[0] = store_clamped(quantum, clamped, ties_away);
  if (is_in_range(quantum, clamped)) return 1;
  double whole = whole_of(clamped, ties_away); /* May be NaN or infinite. */
  bool is_stored = whole >= (double)quantum->type_min && whole <= (double)quantum->type_max;
  if (!is_stored) return 0;
  out_stored[1] = (int64_t)whole;
  return 2;
}

size_t quantum_choices_of_sum(const quantum_t *quantum, const format_t *arithmetic, double sum,
                              int64_t out_stored[QUANTUM_CHOICES_MAX]) {
  return choices_of_sum(quantum, arithmetic, sum, false, out_stored);
}

size_t quantum_choices_by(const quantum_t *quantum, const format_t *arithmetic, quantize_way_t way,
                          double value, int64_t out_stored[QUANTUM_CHOICES_MAX]) {
  const format_t *format = arithmetic_of(arithmetic, way);
  double sum = find_sum(quantum, format, way, value);
  if (!way.zero_point_last) return choices_of_sum(quantum, format, sum, way.ties_away, out_stored);
  out_stored[0] = add_last(quantum, sum, way.ties_away);
  return isnan(sum) ? (size_t)0 : 1;
}

size_t quantum_choices(const quantum_t *quantum, const format_t *arithmetic, double value,
                       int64_t out_stored[QUANTUM_CHOICES_MAX]) {
  return quantum_choices_by(quantum, arithmetic, the_letter, value, out_stored);
}

bool quantum_is_decided(const quantum_t *quantum, const format_t *arithmetic, double value) {
  double sum = find_sum(quantum, arithmetic, the_letter, value);
  return is_in_range(quantum, clamp_sum(quantum, arithmetic, sum));
}

int64_t quantum_quantize_by(const quantum_t *quantum, const format_t *arithmetic,
                            quantize_way_t way, double value) {
  const format_t *format = arithmetic_of(arithmetic, way);
  double sum = find_sum(quantum, format, way, value);
  return way.zero_point_last
             ? add_last(quantum, sum, way.ties_away)
             : store_clamped(quantum, clamp_sum(quantum, format, sum), way.ties_away);
}

int64_t quantum_quantize(const quantum_t *quantum, const format_t *arithmetic, double value) {
  return quantum_quantize_by(quantum, arithmetic, the_letter, value);
}

enum { TIES_EVEN, TIES_AWAY }; /* The spellings of PERMITTED(contract, quantize_ties). */

bool quantize_permits_letter(const contract_t *contract) {
  return PERMITTED(contract, quantize_ties) != TIES_AWAY;
}

size_t quantize_ways(const contract_t *contract, quantize_way_t out_ways[QUANTIZE_WAYS_MAX]) {
  const int reciprocal = PERMITTED(contract, quantize) == 0 ? 0 : 1;
  const int fused = PERMITTED(contract, fma) == FMA_YES ? 1 : 0;
  const int last = PERMITTED(contract, quantize_zero_point) == 0 ? 0 : 1;
  const quantize_width_t widest =
      PERMITTED(contract, quantize_quotient) != 0 ? QUANTIZE_UNROUNDED : QUANTIZE_ROUNDED;
  size_t count = 0;
  for (int choice = 0; choice < 16 * ((int)widest + 1); choice++) {
    const quantize_way_t way = {.width = (quantize_width_t)(choice / 16),
                                .ties_away = (choice & 1) != 0,
                                .is_fused = (choice & 2) != 0,
                                .by_reciprocal = (choice & 4) != 0,
                                .zero_point_last = (choice & 8) != 0};
    bool is_permitted =
        way.by_reciprocal <= reciprocal && way.zero_point_last <= last && way.is_fused <= fused;
    bool is_there = (!way.is_fused || (way.by_reciprocal && !way.zero_point_last)) &&
                    (way.width == QUANTIZE_ROUNDED || !way.by_reciprocal);
    uint8_t other_ties = way.ties_away ? TIES_EVEN : TIES_AWAY;
    if (!is_permitted || !is_there || PERMITTED(contract, quantize_ties) == other_ties) continue;
    out_ways[count++] = way;
  }
  return count;
}

const char *quantize_way_name(quantize_way_t way) {
  if (way.by_reciprocal) return "quantize=reciprocal";
  if (way.width != QUANTIZE_ROUNDED) return "quantize_quotient=wider";
  if (way.zero_point_last) return "quantize_zero_point=either";
  return way.ties_away ? "quantize_ties=either" : "";
}

size_t quantum_arithmetics(const type_t *type, const contract_t *contract,
                           const format_t *out_formats[2]) {
  const element_t *expressed = type->quantization->expressed;
  bool is_short = expressed->bits <= 16;
  size_t count = 0;
  if (!is_short || contract_permits_native(contract)) out_formats[count++] = expressed->format;
  if (is_short && contract_permits_wide(contract)) out_formats[count++] = &format_table[FORMAT_f32];
  return count;
}

const format_t *quantum_first_arithmetic(const type_t *type, const contract_t *contract) {
  const format_t *formats[2];
  quantum_arithmetics(type, contract, formats);
  return formats[0];
}
