/* SPDX-License-Identifier: Apache-2.0 */
/* Narrowed factors.
 *
 * Alone, times 1, the factor 1 + 2^(1-q) comes out as it went in if q bits of factors are kept.
 * Where sums or products are what is narrow, (1 + 2^(1-q))^2 loses its last bit, 2^(2-2q); where
 * factors are, it keeps that.  1 + 2^-q is a tie between numbers of q bits, and a little more than
 * that is nearer to the upper one: these two tell how factors are rounded. */
#include "harness/identify/probe/operands.h"

#include <math.h>

/* One side of the products under way. */
typedef struct side {
  mask_probe_t *probe;
  bool is_left;
  failure_t *error;
} side_t;

static const format_t *side_format(const side_t *side) {
  const black_box_sum_t *black_box = side->probe->black_box;
  return side->is_left ? black_box->left : black_box->right;
}

/* What comes of one product, of this factor on this side and of that on the other. */
static status_t multiply(const side_t *side, double factor, double other, double *out_value) {
  double left = side->is_left ? factor : other;
  mask_probe_set_factors(side->probe, 0, left, side->is_left ? other : factor);
  return mask_probe_run(side->probe, out_value, side->error);
}

/* Whether a factor of `bits` bits comes through. */
static status_t keeps(const side_t *side, int bits, bool *out_keeps) {
  double factor = 1 + ldexp(1, 1 - bits), value;
  STATUS_TRY(multiply(side, factor, 1, &value));
  *out_keeps = value == factor;
  return STATUS_OK;
}

/* The bits that come through, of `most` at the most; 1 if none do. */
static status_t count_bits(const side_t *side, int most, int *out_bits) {
  bool is_kept;
  STATUS_TRY(keeps(side, most, &is_kept));
  int kept = is_kept ? most : 1, lost = most;
  while (!is_kept && lost - kept > 1) {
    int middle = (kept + lost) / 2;
    bool is_middle_kept;
    STATUS_TRY(keeps(side, middle, &is_middle_kept));
    if (is_middle_kept) kept = middle;
    if (!is_middle_kept) lost = middle;
  }
  *out_bits = kept;
  return STATUS_OK;
}

/* The format of so many bits, by how far it reaches; NULL if there is none. */
static status_t find_format(const side_t *side, int bits, const format_t **out_format) {
  static const int candidates[] = {FORMAT_f32, FORMAT_tf32, FORMAT_bf16, FORMAT_f16};
  enum { BEYOND_F16 = 100 };
  *out_format = NULL;
  for (size_t i = 0; i < G_N_ELEMENTS(candidates) && *out_format == NULL; i++) {
    const format_t *format = &format_table[candidates[i]];
    if (format->precision != bits || format->precision >= side_format(side)->precision) continue;
    if (candidates[i] == FORMAT_tf32) {
      double value = 0;
      STATUS_TRY(multiply(side, ldexp(1, BEYOND_F16), ldexp(1, -BEYOND_F16), &value));
      if (value != 1) continue;
    }
    *out_format = format;
  }
  return STATUS_OK;
}

static status_t find_rounding(const side_t *side, int bits, rounding_t *out_rounding) {
  double tie = 1 + ldexp(1, -bits), upper = 1 + ldexp(1, 1 - bits);
  double of_tie, of_more;
  STATUS_TRY(multiply(side, tie, 1, &of_tie));
  STATUS_TRY(multiply(side, tie + ldexp(1, 1 - side_format(side)->precision), 1, &of_more));
  *out_rounding = of_more != upper  ? ROUNDING_TOWARD_ZERO
                  : of_tie == upper ? ROUNDING_NEAREST_AWAY
                                    : ROUNDING_NEAREST_EVEN;
  return STATUS_OK;
}

/* What the factors of one side become; stays as it is where they are not narrowed. */
static status_t probe_side(const side_t *side, const format_t **inout_format,
                           rounding_t *inout_rounding) {
  int result_bits = side->probe->black_box->result->precision;
  int most = MIN(side_format(side)->precision, result_bits), bits;
  STATUS_TRY(count_bits(side, most, &bits));
  if (bits == most || 2 * bits - 1 > result_bits) return STATUS_OK;
  double factor = 1 + ldexp(1, 1 - bits), value;
  STATUS_TRY(multiply(side, factor, factor, &value));
  const format_t *format;
  STATUS_TRY(find_format(side, bits, &format));
  if (value != factor * factor || format == NULL) return STATUS_OK;
  *inout_format = format;
  return find_rounding(side, bits, inout_rounding);
}

status_t probe_operands(mask_probe_t *probe, failure_t *error) {
  black_box_sum_t *black_box = probe->black_box;
  if (black_box->right == NULL || black_box->term_count == 0) return STATUS_OK;
  const format_t *left = black_box->left, *right = black_box->right;
  const side_t sides[] = {{.probe = probe, .is_left = true, .error = error},
                          {.probe = probe, .is_left = false, .error = error}};
  status_t status = probe_side(&sides[0], &left, &black_box->left_rounding);
  if (status == STATUS_OK) status = probe_side(&sides[1], &right, &black_box->right_rounding);
  if (status == STATUS_UNSUPPORTED) return STATUS_OK; /* A type too narrow for these questions. */
  STATUS_TRY(status);
  black_box->left = left;
  black_box->right = right;
  return STATUS_OK;
}
