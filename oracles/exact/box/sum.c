/* SPDX-License-Identifier: Apache-2.0 */
/* Encloses float sums whose terms are intervals: ends are accumulated to nearest, then widened
 * once by an a-priori error bound, by what the contract permits for the sum's own roundings, and
 * by the conversion to the result type. */
#include "oracles/exact/box/sum.h"

#include "oracles/exact/arithmetic.h"
#include "oracles/exact/magnitude.h"

/* Sums and products of integers up to here are exact. */
static const double exact_integers = 0x1p52;

/* 1 + n u for up to 2^24 terms: theory.md, T70. */
static const double slack = 1 + 0x1p-24;

/* theory.md, T70. */
double box_sum_magnitude(const box_sum_t *sum) {
  if (sum->are_integers && sum->magnitude <= exact_integers) return sum->magnitude;
  return sum->magnitude * slack + (double)sum->count * 0x1p-1073;
}

/* theory.md, T70. */
box_t box_sum_total(const box_sum_t *sum) {
  double magnitude = box_sum_magnitude(sum);
  if (!isfinite(magnitude)) return box_whole_line();
  box_t total = {sum->low, sum->high};
  if (sum->are_integers && magnitude <= exact_integers) return total;
  if (sum->count == 0 || magnitude == 0) return total;
  double lost = (double)sum->count * (0x1p-53 * magnitude + 0x1p-1073) * slack;
  return box_widen(total, lost);
}

/* A node that is wider than the accumulation type may be rounded to a narrower result at once
 * (sum/result.h). */
static box_t convert(box_t sums, box_t exact, const format_t *from, const format_t *to,
                     const contract_t *contract) {
  if (PERMITTED(contract, ftz) != FTZ_NONE) { /* Before they are rounded (theory.md, T139). */
    sums = box_flush(sums, to);
    exact = box_flush(exact, to);
  }
  box_t out = box_round(sums, to);
  bool is_narrowing = arithmetic_format_holds(from, to);
  if (!is_narrowing || PERMITTED(contract, accum_wider) == ACCUM_WIDER_NO) return out;
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

/* theory.md, T70. */
box_t box_sum_round(const box_sum_t *sum, const box_sum_rounding_t *rounding) {
  const contract_t *contract = rounding->contract;
  const format_t *format = rounding->shape.format, *result = rounding->shape.result;
  const error_bound_t bound = rounding->bound;
  double magnitude = box_sum_magnitude(sum);
  box_t exact = box_sum_total(sum);
  if (!isfinite(magnitude) || !box_is_finite(exact)) return box_whole_line();
  /* No partial sum is beyond what all terms of one sign are, rounded: theory.md, T19. */
  upper_t size = upper_of(magnitude);
  upper_t reach = upper_add(size, upper_scale(size, bound.total_factor));
  reach = upper_add(reach, upper_of(bound.total_offset));
  if (!(reach.value < rounding->largest)) return box_whole_line();
  upper_t error = upper_add(upper_scale(size, bound.factor), upper_of(bound.offset));
  exact = box_widen(exact, error.value);
  /* What is subnormal before its rounding may be flushed too. */
  if (PERMITTED(contract, ftz) != FTZ_NONE) exact = box_flush(exact, format);
  box_t sums =
      bound.last_truncates ? box_round_either_way(exact, format) : box_round(exact, format);
  if (PERMITTED(contract, ftz) != FTZ_NONE) sums = box_flush(sums, format);
  return result == NULL ? sums : convert(sums, exact, format, result, contract);
}
