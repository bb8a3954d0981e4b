/* SPDX-License-Identifier: Apache-2.0 */
/* Quantizes and dequantizes intervals by evaluating both ends, which suffices since both maps are
 * monotone. Falls back to the whole storage range where an end has no defined value. */
#include "oracles/exact/box/quantum.h"

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

typedef size_t choose_t(const quantum_t *quantum, const format_t *arithmetic, double value,
                        int64_t out_stored[QUANTUM_CHOICES_MAX]);

/* What no storage value is decided for is so at an end of the box, or nowhere. */
static box_t hull_of_choices(const quantum_t *quantum, const format_t *arithmetic, box_t values,
                             choose_t *choose) {
  if (box_is_whole_line(values)) return quantum_box_anything(quantum);
  const double ends[] = {values.low, values.high};
  box_t out = {INFINITY, -INFINITY};
  for (int end = 0; end < 2; end++) {
    int64_t stored[QUANTUM_CHOICES_MAX];
    size_t count = choose(quantum, arithmetic, ends[end], stored);
    if (count == 0) return quantum_box_anything(quantum);
    for (size_t i = 0; i < count; i++) out = box_unite(out, box_point((double)stored[i]));
  }
  return out;
}

box_t quantum_box_quantize(const quantum_t *quantum, const format_t *arithmetic, box_t values) {
  if (arithmetic == NULL) return quantize_exactly(quantum, values);
  return hull_of_choices(quantum, arithmetic, values, quantum_choices);
}

box_t quantum_box_of_sums(const quantum_t *quantum, const format_t *arithmetic, box_t sums) {
  return hull_of_choices(quantum, arithmetic, sums, quantum_choices_of_sum);
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
