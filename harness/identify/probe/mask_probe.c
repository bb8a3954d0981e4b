/* SPDX-License-Identifier: Apache-2.0 */
/* Sets single leaves of a black-box sum, runs it and clears them again. Chooses magnitudes of
 * masks and units for the formats, and counts calls against a limit. */
#include "harness/identify/probe/mask_probe.h"

#include <math.h>

status_t black_box_sum_run(black_box_sum_t *black_box, const double *left, const double *right,
                           double init, uint64_t *out_bits, failure_t *error) {
  if (black_box->calls >= black_box->calls_max) {
    return status_fail(error, STATUS_UNDECIDED,
                       "no regular tree was found within %zu calls of the executor",
                       black_box->calls_max);
  }
  black_box->calls++;
  return black_box->sum(black_box, left, right, init, out_bits, error);
}

int black_box_sum_least_exponent(const black_box_sum_t *black_box, bool subnormal) {
  const format_t *left = black_box->left;
  int least = left->exponent_min - (subnormal ? left->precision - 1 : 0);
  if (black_box->right != NULL) {
    least += black_box->right->exponent_min - (subnormal ? black_box->right->precision - 1 : 0);
  }
  int of_result =
      black_box->result->exponent_min - (subnormal ? black_box->result->precision - 1 : 0);
  return MAX(least, of_result);
}

int black_box_sum_largest_exponent(const black_box_sum_t *black_box) {
  int largest = black_box->left->exponent_max;
  if (black_box->right != NULL) largest += black_box->right->exponent_max;
  return MIN(largest, (int)black_box->result->exponent_max);
}

/* Units that are lost beside the mask, on either side of it, in an accumulator of `precision`. */
static size_t lost_units(int mask, int unit, int precision) {
  int exponent = mask - unit - precision - 2;
  return exponent < 0 ? 0 : (size_t)1 << MIN(exponent, 40);
}

size_t mask_scales(const black_box_sum_t *black_box, mask_scale_t out_scales[MASK_SCALES_MAX]) {
  enum { ROOMY_EXPONENT = 100, F32_PRECISION = 24, F64_PRECISION = 53, IMPRECISE_PRECISION = 14 };
  size_t countable = (size_t)1 << MIN(black_box->result->precision, 30);
  int mask = black_box_sum_largest_exponent(black_box);
  int normal = black_box_sum_least_exponent(black_box, false);
  if (mask - normal > ROOMY_EXPONENT) normal = MAX(normal, MIN(0, mask - ROOMY_EXPONENT));
  const struct {
    int unit;
    int precision;
  } rows[] = {{normal, black_box->result->precision},
              {normal, F32_PRECISION},
              {black_box_sum_least_exponent(black_box, true), F32_PRECISION},
              {normal, F64_PRECISION},
              {black_box_sum_least_exponent(black_box, true), F64_PRECISION},
              {normal, IMPRECISE_PRECISION}}; /* Of matrix units for 8-bit factors. */
  size_t count = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    size_t lost = lost_units(mask, rows[i].unit, rows[i].precision);
    const mask_scale_t scale = {
        .mask = ldexp(1, mask), .unit = ldexp(1, rows[i].unit), .capacity = MIN(lost, countable)};
    bool is_new = scale.capacity > 1;
    for (size_t k = 0; k < count; k++) {
      bool is_same_unit = out_scales[k].unit == scale.unit;
      if (is_same_unit && out_scales[k].capacity == scale.capacity) is_new = false;
    }
    if (is_new) out_scales[count++] = scale;
    bool is_roomy = lost_units(mask, normal, F64_PRECISION) >= countable;
    if (is_roomy) break; /* Good for accumulators of every format. */
  }
  return count;
}

mask_probe_t mask_probe_make(black_box_sum_t *black_box, arena_t *arena) {
  size_t count = black_box->term_count;
  mask_probe_t probe = {.black_box = black_box, .left = ARENA_NEW_ARRAY(arena, double, count)};
  for (size_t i = 0; i < count; i++) probe.left[i] = 0;
  if (black_box->right != NULL) {
    probe.right = ARENA_NEW_ARRAY(arena, double, count);
    for (size_t i = 0; i < count; i++) probe.right[i] = 1;
  }
  return probe;
}

static bool holds(const format_t *format, double value) {
  return format_round_double(format, value) == value;
}

void mask_probe_set_factors(mask_probe_t *probe, size_t leaf, double left, double right) {
  const black_box_sum_t *black_box = probe->black_box;
  if (!holds(black_box->left, left) || !holds(black_box->right, right)) probe->has_unfit = true;
  probe->left[leaf] = left;
  probe->right[leaf] = right;
}

void mask_probe_set(mask_probe_t *probe, size_t leaf, double value) {
  const black_box_sum_t *black_box = probe->black_box;
  if (black_box->right == NULL) {
    if (!holds(black_box->left, value)) probe->has_unfit = true;
    if (leaf < black_box->term_count) {
      probe->left[leaf] = value;
    } else {
      probe->init = value;
    }
    return;
  }
  int exponent = value == 0 ? 0 : ilogb(value);
  int shift = 0;
  if (exponent > black_box->left->exponent_max) shift = exponent - black_box->left->exponent_max;
  if (exponent < black_box->left->exponent_min) shift = exponent - black_box->left->exponent_min;
  if (shift < black_box->right->exponent_min) { /* The left factor is subnormal then. */
    shift = MAX(shift, black_box->right->exponent_min - black_box->right->precision + 1);
  }
  mask_probe_set_factors(probe, leaf, ldexp(value, -shift), ldexp(1, shift));
}

status_t mask_probe_run(mask_probe_t *probe, double *out_value, failure_t *error) {
  black_box_sum_t *black_box = probe->black_box;
  uint64_t bits = 0;
  status_t status = STATUS_OK;
  if (probe->has_unfit) {
    status = status_fail(error, STATUS_UNSUPPORTED, "%s is too narrow for this question",
                         black_box->left->name);
  } else {
    status = black_box_sum_run(black_box, probe->left, probe->right, probe->init, &bits, error);
  }
  probe->has_unfit = false;
  probe->init = 0;
  for (size_t i = 0; i < black_box->term_count; i++) {
    probe->left[i] = 0;
    if (probe->right != NULL) probe->right[i] = 1;
  }
  if (status == STATUS_OK) *out_value = format_to_double(black_box->result, bits);
  return status;
}
