#include "oracles/exact/box_sum.h"

#include "oracles/exact/arithmetic.h"

/* Sums and products of integers up to here are exact. */
static const double exact_integers = 0x1p52;

/* 1 + n u for up to 2^24 terms, and the bound's own roundings. */
static const double slack = 1 + 0x1p-24;

double box_sum_magnitude(const box_sum_t *sum) {
  if (sum->are_integers && sum->magnitude <= exact_integers) return sum->magnitude;
  return sum->magnitude * slack + (double)sum->count * 0x1p-1073;
}

/* A dot product of n terms in any order errs by at most n u sum |a b| (Jeannerod and Rump 2013,
 * theorem 4.2), and by half the smallest number for each product that underflows, which additions
 * take along at most (1 + u)^n times. */
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
 * (sum_result.h). */
static box_t convert(box_t sums, box_t exact, const format_t *from, const format_t *to,
                     const contract_t *contract) {
  box_t out = box_round(sums, to);
  bool is_narrowing = arithmetic_format_holds(from, to);
  if (is_narrowing && PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES) {
    out = box_unite(out, box_round_either_way(exact, to));
  }
  return PERMITTED(contract, ftz) == FTZ_NONE ? out : box_flush(out, to);
}

box_t box_sum_round(const box_sum_t *sum, const box_sum_shape_t *shape,
                    const contract_t *contract) {
  const format_t *format = shape->format;
  double magnitude = box_sum_magnitude(sum);
  box_t exact = box_sum_total(sum);
  if (!isfinite(magnitude) || !box_is_finite(exact)) return box_whole_line();
  error_bound_t bound = error_bound_sum(format, contract, shape->bound);
  /* No partial sum is beyond what all terms of one sign are, rounded. */
  double reach = magnitude == 0 ? 0 : magnitude * (1 + bound.total_factor);
  reach = (reach + bound.total_offset) * (1 + 0x1p-50);
  if (!(reach < format_to_double(format, format->largest_bits))) return box_whole_line();
  double error = magnitude == 0 ? 0 : bound.factor * magnitude;
  exact = box_widen(exact, (error + bound.offset) * (1 + 0x1p-50) + 0x1p-1073);
  /* What is subnormal before its rounding may be flushed too. */
  if (PERMITTED(contract, ftz) != FTZ_NONE) exact = box_flush(exact, format);
  box_t sums =
      bound.last_truncates ? box_round_either_way(exact, format) : box_round(exact, format);
  if (PERMITTED(contract, ftz) != FTZ_NONE) sums = box_flush(sums, format);
  if (shape->result == NULL) return sums;
  return convert(sums, exact, format, shape->result, contract);
}
