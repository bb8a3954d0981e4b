#include "harness/judge/quick.h"

#include <float.h>
#include <math.h>

/* Independent maxima, so that they can live in the lanes of vector registers. */
enum { LANES = 8 };
_Static_assert(QUICK_BLOCK % LANES == 0, "blocks are walked LANES slots at a time");

/* All slots are always computed, those beyond the count on NaN, so that loops have fixed bounds. */
typedef struct scratch {
  double value[QUICK_BLOCK];
  double error[QUICK_BLOCK]; /* |value - x*|; NaN where x* is not known. */
} scratch_t;

static void decode_f32(const uint8_t *data, size_t count, double *out_value) {
  for (size_t i = 0; i < count; i++) {
    float value;
    memcpy(&value, data + i * sizeof value, sizeof value);
    out_value[i] = (double)value;
  }
}

static void decode_values(const element_t *element, const uint8_t *data, const quick_block_t *block,
                          double *out_value) {
  const uint8_t *start = data + block->first * element->component_bytes;
  if (element->format == &format_table[FORMAT_f32]) {
    decode_f32(start, block->count, out_value);
  } else if (element->format == &format_table[FORMAT_f64]) {
    memcpy(out_value, start, block->count * sizeof(double));
  } else {
    for (size_t i = 0; i < block->count; i++) {
      out_value[i] = format_to_double(element->format, element_load(element, start, i));
    }
  }
}

static void reject_outside(const accept_t *accept, const double *value, quick_block_t *block) {
  static const uint64_t negative_zero = UINT64_C(1) << 63;
  const double *low = accept->low + block->first;
  const double *high = accept->high + block->first;
  for (size_t i = 0; i < block->count; i++) {
    uint64_t bits;
    memcpy(&bits, &value[i], sizeof bits);
    bool is_inside = (value[i] >= low[i]) & (value[i] <= high[i]) & (fabs(value[i]) <= DBL_MAX);
    block->rejected[i] = (is_inside & (bits != negative_zero)) ? 0 : 1;
  }
}

static void accept_patterns(const accept_t *accept, const element_t *element, const uint8_t *data,
                            quick_block_t *block) {
  const uint64_t *expected = accept->bits + block->first;
  for (size_t i = 0; i < block->count; i++) {
    uint64_t differs = element_load(element, data, block->first + i) != expected[i];
    block->rejected[i] &= differs;
  }
}

static void measure_errors(const accept_t *accept, const quick_block_t *block, scratch_t *scratch) {
  const double *reference = accept->reference + block->first;
  for (size_t i = 0; i < block->count; i++) scratch->error[i] = scratch->value[i] - reference[i];
  if (accept->reference_tail != NULL) {
    const double *tail = accept->reference_tail + block->first;
    for (size_t i = 0; i < block->count; i++) scratch->error[i] -= tail[i];
  }
  if (accept->ask != NULL) {
    const uint8_t *ask = accept->ask + block->first;
    for (size_t i = 0; i < block->count; i++) {
      scratch->error[i] = ask[i] != 0 ? (double)NAN : scratch->error[i];
    }
  }
  for (size_t i = 0; i < block->count; i++) scratch->error[i] = fabs(scratch->error[i]);
  for (size_t i = block->count; i < QUICK_BLOCK; i++) scratch->error[i] = (double)NAN;
}

static double largest_of(const double maxima[LANES]) {
  double largest = 0;
  for (size_t i = 0; i < LANES; i++) largest = maxima[i] > largest ? maxima[i] : largest;
  return largest;
}

/* The largest of error / divisor; the NaNs of unknown errors and of 0 / 0 compare false. */
static double largest_ratio(const double *error, const double *divisor) {
  double maxima[LANES] = {0};
  for (size_t i = 0; i < QUICK_BLOCK; i += LANES) {
    for (size_t lane = 0; lane < LANES; lane++) {
      double ratio = error[i + lane] / divisor[i + lane];
      maxima[lane] = ratio > maxima[lane] ? ratio : maxima[lane];
    }
  }
  return largest_of(maxima);
}

/* ulp_T(x*) = 2^(max(e(x*), emin) - p + 1) (VERDICTS.md, section 1).  Keeping only the exponent
 * field of a normal binary64 number leaves its power of two, and of a subnormal one 0. */
static void measure_ulps(const accept_t *accept, const format_t *format, const quick_block_t *block,
                         const scratch_t *scratch, measures_t *inout_measures) {
  static const uint64_t exponent_field = UINT64_C(0x7ff) << 52;
  const double *reference = accept->reference + block->first;
  const double smallest_binade = ldexp(1, format->exponent_min);
  const double epsilon = ldexp(1, 1 - format->precision);
  double ulp[QUICK_BLOCK];
  for (size_t i = 0; i < block->count; i++) {
    uint64_t bits;
    memcpy(&bits, &reference[i], sizeof bits);
    bits &= exponent_field;
    double binade;
    memcpy(&binade, &bits, sizeof binade);
    ulp[i] = (binade > smallest_binade ? binade : smallest_binade) * epsilon;
  }
  for (size_t i = block->count; i < QUICK_BLOCK; i++) ulp[i] = 1;
  double largest = largest_ratio(scratch->error, ulp);
  if (largest > inout_measures->ulp_error) inout_measures->ulp_error = largest;
}

static void measure_bounds(const accept_t *accept, const quick_block_t *block,
                           const scratch_t *scratch, measures_t *inout_measures) {
  const double *magnitude = accept->magnitude + block->first;
  double divisor[QUICK_BLOCK];
  for (size_t i = 0; i < block->count; i++) divisor[i] = magnitude[i];
  for (size_t i = block->count; i < QUICK_BLOCK; i++) divisor[i] = 1;
  double relative = largest_ratio(scratch->error, divisor);
  double backward_error = relative == 0 ? 0 : relative / accept->unit_roundoff;
  if (backward_error > inout_measures->backward_error) {
    inout_measures->backward_error = backward_error;
  }
  double slack = relative == 0 ? 0 : relative / accept->bound_factor;
  if (accept->bound_offset != 0) { /* Then no common factor turns one maximum into the other. */
    for (size_t i = 0; i < block->count; i++) {
      divisor[i] = accept->bound_factor * magnitude[i] + accept->bound_offset;
    }
    slack = largest_ratio(scratch->error, divisor);
  }
  if (slack > inout_measures->slack) inout_measures->slack = slack;
}

void quick_judge(const accept_t *accept, const tensor_t *result, quick_block_t *block,
                 measures_t *inout_measures) {
  const element_t *element = result->type.element;
  bool has_range = element->format != NULL && accept->low != NULL;
  bool has_reference = element->format != NULL && accept->reference != NULL;
  scratch_t scratch;
  if (has_range || has_reference) {
    decode_values(element, result->data, block, scratch.value);
  }
  if (has_range) {
    reject_outside(accept, scratch.value, block);
  } else {
    for (size_t i = 0; i < block->count; i++) block->rejected[i] = 1;
  }
  if (accept->bits != NULL) accept_patterns(accept, element, result->data, block);
  if (accept->ask != NULL) {
    const uint8_t *ask = accept->ask + block->first;
    for (size_t i = 0; i < block->count; i++) block->rejected[i] |= ask[i];
  }
  block->rejected_any = 0;
  for (size_t i = 0; i < block->count; i++) block->rejected_any |= block->rejected[i];

  if (!has_reference) return;
  measure_errors(accept, block, &scratch);
  measure_ulps(accept, element->format, block, &scratch, inout_measures);
  if (accept->magnitude != NULL) measure_bounds(accept, block, &scratch, inout_measures);
}
