/* SPDX-License-Identifier: Apache-2.0 */
/* Encloses float sums whose terms are intervals: ends are accumulated to nearest, then widened
 * once by an a-priori error bound, by what the contract permits for the sum's own roundings, and
 * by the conversion to the result type. */
#include "oracles/exact/box/sum.h"

#include "oracles/exact/arithmetic.h"
#include "oracles/exact/magnitude.h"

/* Up to 2^52 units of a grid sums and products are exact in binary64. */
static const int exact_bits = 52; /* theory.md, T297. */

/* 1 + n u for up to 2^24 terms: theory.md, T70. */
static const double slack = 1 + 0x1p-24;

/* theory.md, T70 and T297. */
static bool is_exact_in_binary64(const box_sum_t *sum) {
  bool is_grid_of_binary64 = sum->has_grid && sum->grid > -BINARY64_BIAS - exact_bits;
  return is_grid_of_binary64 && sum->magnitude <= binary64_power(sum->grid + exact_bits);
}

/* theory.md, T70. */
double box_sum_magnitude(const box_sum_t *sum) {
  if (is_exact_in_binary64(sum)) return sum->magnitude;
  return sum->magnitude * slack + (double)sum->count * 0x1p-1073;
}

/* theory.md, T70. */
box_t box_sum_total(const box_sum_t *sum) {
  double magnitude = box_sum_magnitude(sum);
  if (!isfinite(magnitude)) return box_whole_line();
  box_t total = {sum->low, sum->high};
  if (is_exact_in_binary64(sum)) return total;
  if (sum->count == 0 || magnitude == 0) return total;
  double lost = (double)sum->count * (0x1p-53 * magnitude + 0x1p-1073) * slack;
  return box_widen(total, lost);
}

/* Whether no partial sum is rounded or flushed: none is beyond the sum of all terms of one sign
 * (theory.md, T297). */
static bool is_never_rounded(const box_sum_t *sum, const box_sum_rounding_t *rounding) {
  double reach = (sum->magnitude + box_sum_greater(sum->high, -sum->low)) / 2;
  const format_t *format = rounding->shape.format;
  bool may_be_flushed =
      PERMITTED(rounding->contract, ftz) != FTZ_NONE && sum->grid < format->exponent_min;
  return is_exact_in_binary64(sum) && !may_be_flushed &&
         error_bound_sum_is_exact(format, sum->grid, reach);
}

/* A node that is wider than the accumulation type may be rounded to a narrower result at once
 * (sum/result.h). */
static box_t convert(box_t sums, box_t exact, const box_sum_rounding_t *rounding,
                     bool is_never_rounded) {
  const format_t *from = rounding->shape.format, *to = rounding->shape.result;
  const contract_t *contract = rounding->contract;
  if (PERMITTED(contract, ftz) != FTZ_NONE) { /* Before they are rounded (theory.md, T139). */
    sums = box_flush(sums, to);
    exact = box_flush(exact, to);
  }
  box_t out = box_round(sums, to);
  bool is_narrowing = arithmetic_format_holds(from, to);
  bool is_one_number = is_never_rounded && !rounding->bound.last_truncates;
  if (!is_narrowing || is_one_number || PERMITTED(contract, accum_wider) == ACCUM_WIDER_NO) {
    return out;
  }
  return box_unite(out, box_round_either_way(exact, to));
}

/* theory.md, T70. */
box_sum_rounding_t box_sum_rounding(const box_sum_shape_t *shape, const contract_t *contract) {
  const format_t *format = shape->format;
  return (box_sum_rounding_t){.shape = *shape,
                              .contract = contract,
                              .bound = error_bound_sum(format, contract, shape->bound),
                              .largest = format_to_double(format, format->largest_bits)};
}

/* The sums before they are rounded at last; the whole line if one may overflow.  theory.md, T70. */
static box_t widen_sums(const box_sum_t *sum, const box_sum_rounding_t *rounding) {
  const error_bound_t bound = rounding->bound;
  double magnitude = box_sum_magnitude(sum);
  box_t exact = box_sum_total(sum);
  if (!isfinite(magnitude) || !box_is_finite(exact)) return box_whole_line();
  if (is_never_rounded(sum, rounding)) return exact;
  /* No partial sum is beyond what all terms of one sign are, rounded: theory.md, T19. */
  upper_t size = upper_of(magnitude);
  upper_t reach = upper_add(size, upper_scale(size, bound.total_factor));
  reach = upper_add(reach, upper_of(bound.total_offset));
  if (!(reach.value < rounding->largest)) return box_whole_line();
  upper_t error = upper_add(upper_scale(size, bound.factor), upper_of(bound.offset));
  return box_widen(exact, error.value);
}

/* theory.md, T70. */
box_t box_sum_round(const box_sum_t *sum, const box_sum_rounding_t *rounding) {
  const contract_t *contract = rounding->contract;
  const format_t *format = rounding->shape.format;
  box_t exact = widen_sums(sum, rounding);
  if (!box_is_finite(exact)) return box_whole_line();
  /* What is subnormal before its rounding may be flushed too. */
  if (PERMITTED(contract, ftz) != FTZ_NONE) exact = box_flush(exact, format);
  box_t sums = rounding->bound.last_truncates ? box_round_either_way(exact, format)
                                              : box_round(exact, format);
  if (PERMITTED(contract, ftz) != FTZ_NONE) sums = box_flush(sums, format);
  if (rounding->shape.result == NULL) return sums;
  return convert(sums, exact, rounding, is_never_rounded(sum, rounding));
}

/* theory.md, T298. */
box_t box_sum_kept(const box_sum_t *sum, const box_sum_rounding_t *rounding) {
  const format_t *format = rounding->shape.format;
  bool may_be_flushed = PERMITTED(rounding->contract, ftz) != FTZ_NONE;
  if (may_be_flushed && !is_never_rounded(sum, rounding)) return box_whole_line();
  box_t near = widen_sums(sum, rounding);
  if (!box_is_finite(near)) return box_whole_line();
  return box_unite(near, rounding->bound.last_truncates ? box_round_either_way(near, format)
                                                        : box_round(near, format));
}
