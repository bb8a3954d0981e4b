/* SPDX-License-Identifier: Apache-2.0 */
/* Collects storage values as ranges: what floats between two are quantized to in every way that the
 * contract permits, and what others say. */
#include "oracles/ops/dot_general/quantized/permitted.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "oracles/exact/quantum/quantize_mpfr.h"

void permitted_add(permitted_t *permitted, storage_range_t range, const char *observed) {
  permitted->observed[permitted->range_count] = observed;
  permitted->ranges[permitted->range_count++] = range;
}

void permitted_add_beyond(permitted_t *permitted, size_t count,
                          const int64_t choices[QUANTUM_CHOICES_MAX], const char *observed) {
  permitted->anything |= count == 0;
  if (count < 2) return;
  permitted_add(permitted, (storage_range_t){choices[1], choices[1]}, observed);
}

/* What a float between two is quantized to in one way. */
static void add_between(permitted_t *permitted, const quantum_t *quantum, const format_t *format,
                        quantize_way_t way, const double ends[2]) {
  int64_t choices[2][QUANTUM_CHOICES_MAX];
  size_t counts[2];
  storage_range_t range = {INT64_MAX, INT64_MIN};
  for (int end = 0; end < 2; end++) {
    counts[end] = exact_quantize_by(quantum, format, way, ends[end], choices[end]);
    int64_t stored =
        counts[end] > 0 ? choices[end][0] : quantum_quantize(quantum, format, ends[end]);
    range.low = MIN(range.low, stored);
    range.high = MAX(range.high, stored);
  }
  permitted_add(permitted, range, "dequantize");
  for (int end = 0; end < 2; end++) {
    permitted_add_beyond(permitted, counts[end], choices[end], "dequantize");
  }
}

void permitted_add_quantized(permitted_t *permitted, const contract_t *contract,
                             const quantum_t *quantum, const format_t *format,
                             const value_range_t *floats) {
  double low = floats->low, high = floats->high;
  if (floats->positive_zero || floats->negative_zero) {
    low = fmin(low, 0);
    high = fmax(high, 0);
  }
  if (floats->negative_infinity) low = -INFINITY;
  if (floats->positive_infinity) high = INFINITY;
  if (floats->negative_infinity && !(high >= low)) high = -INFINITY;
  if (floats->positive_infinity && !(low <= high)) low = INFINITY;
  permitted->anything |= floats->nan;
  if (low > high) return;
  quantize_way_t ways[QUANTIZE_WAYS_MAX];
  const size_t count = quantize_ways(contract, ways);
  const double ends[] = {low, high};
  for (size_t i = 0; i < count; i++) add_between(permitted, quantum, format, ways[i], ends);
}

void permitted_print(const permitted_t *permitted, char *out, size_t bytes) {
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < permitted->range_count; i++) {
    storage_range_t range = permitted->ranges[i];
    bool is_known = false;
    for (size_t other = 0; other < i; other++) {
      const storage_range_t *earlier = &permitted->ranges[other];
      is_known |= earlier->low <= range.low && range.high <= earlier->high;
    }
    if (is_known || used >= bytes) continue;
    const char *comma = used == 0 ? "" : ", ";
    int printed = range.low == range.high
                      ? snprintf(out + used, bytes - used, "%s%" PRId64, comma, range.low)
                      : snprintf(out + used, bytes - used, "%s%" PRId64 " .. %" PRId64, comma,
                                 range.low, range.high);
    used += (size_t)printed;
  }
  if (permitted->anything && used < bytes) {
    snprintf(out + used, bytes - used, "%sanything, for what is no storage value",
             used == 0 ? "" : ", or ");
  }
}

void permitted_measure(const permitted_t *permitted, int64_t exact, int64_t got, answer_t *answer) {
  int64_t error = ABS(got - exact), most = 0;
  for (size_t i = 0; i < permitted->range_count; i++) {
    most = MAX(most, ABS(permitted->ranges[i].low - exact));
    most = MAX(most, ABS(permitted->ranges[i].high - exact));
  }
  answer->has_reference = true;
  answer->ulp_error = (double)error;
  answer->slack = most > 0 ? (double)error / (double)most : error > 0 ? (double)INFINITY : 0;
}

bool permitted_holds(const permitted_t *permitted, int64_t got) {
  bool held = false;
  for (size_t i = 0; i < permitted->range_count; i++) {
    held |= permitted->ranges[i].low <= got && got <= permitted->ranges[i].high;
  }
  return held;
}

bool permitted_is_one(const permitted_t *permitted) {
  for (size_t i = 0; i < permitted->range_count; i++) {
    const storage_range_t *range = &permitted->ranges[i];
    if (range->low != permitted->ranges[0].low || range->high != range->low) return false;
  }
  return permitted->range_count > 0;
}
