/* SPDX-License-Identifier: Apache-2.0 */
/* Quantizes and dequantizes intervals by evaluating both ends, which suffices since both maps are
 * monotone. Falls back to the whole storage range where an end has no defined value. */
#include "oracles/exact/box/quantum.h"

#include "oracles/exact/quantum/quantize_mpfr.h"

box_t quantum_box_range(const quantum_t *quantum) {
  return (box_t){(double)quantum->storage_min, (double)quantum->storage_max};
}

box_t quantum_box_anything(const quantum_t *quantum) {
  return (box_t){(double)quantum->type_min, (double)quantum->type_max};
}

static box_t quantize_exactly(const quantum_t *quantum, box_t values) {
  if (!box_is_finite(values)) return quantum_box_range(quantum);
  box_t quotient = box_divide(values, box_point(quantum->scale));
  box_t sums = box_add(quotient, box_point((double)quantum->zero_point));
  return box_clamp(box_nearest_integers(sums), (double)quantum->storage_min,
                   (double)quantum->storage_max);
}

/* The hull of choices of which there are so many, and of what was found before; without any, no
 * storage value is decided. */
static box_t add_choices(const quantum_t *quantum, box_t found, size_t count,
                         const int64_t choices[QUANTUM_CHOICES_MAX]) {
  if (count == 0) return quantum_box_anything(quantum);
  for (size_t i = 0; i < count; i++) found = box_unite(found, box_point((double)choices[i]));
  return found;
}

/* What no storage value is decided for is so at an end of the box, or nowhere; but for 0, of whose
 * product with an inverse that is infinite none is. */
box_t quantum_box_quantize(const quantum_t *quantum, const format_t *arithmetic,
                           const contract_t *contract, box_t values) {
  if (arithmetic == NULL) return quantize_exactly(quantum, values);
  if (box_is_whole_line(values)) return quantum_box_anything(quantum);
  quantize_way_t ways[QUANTIZE_WAYS_MAX];
  const size_t count = quantize_ways(contract, ways);
  const double numbers[] = {values.low, values.high, 0};
  const size_t number_count = box_holds(values, 0) ? 3 : 2;
  box_t out = {INFINITY, -INFINITY};
  for (size_t i = 0; i < count * number_count; i++) {
    int64_t choices[QUANTUM_CHOICES_MAX];
    size_t choice_count = quick_quantize_by(quantum, arithmetic, ways[i / number_count],
                                            numbers[i % number_count], choices);
    out = add_choices(quantum, out, choice_count, choices);
  }
  return out;
}

box_t quantum_box_of_sums(const quantum_t *quantum, const format_t *arithmetic, box_t sums) {
  if (box_is_whole_line(sums)) return quantum_box_anything(quantum);
  const double ends[] = {sums.low, sums.high};
  box_t out = {INFINITY, -INFINITY};
  for (int end = 0; end < 2; end++) {
    int64_t choices[QUANTUM_CHOICES_MAX];
    size_t count = quantum_choices_of_sum(quantum, arithmetic, ends[end], choices);
    out = add_choices(quantum, out, count, choices);
  }
  return out;
}

box_t quantum_box_difference(const quantum_t *quantum, box_t stored) {
  return box_subtract(stored, box_point((double)quantum->zero_point));
}

box_t quantum_box_dequantize(const quantum_t *quantum, const format_t *arithmetic, box_t stored) {
  if (arithmetic == NULL) {
    return box_multiply(quantum_box_difference(quantum, stored), box_point(quantum->scale));
  }
  double low = quantum_dequantize(quantum, arithmetic, (int64_t)stored.low);
  double high = quantum_dequantize(quantum, arithmetic, (int64_t)stored.high);
  return isnan(low) || isnan(high) ? box_whole_line() : (box_t){low, high};
}
