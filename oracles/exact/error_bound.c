#include "oracles/exact/error_bound.h"

#include <math.h>

double format_unit_roundoff(const format_t *format) { return ldexp(1.0, -format->precision); }

double format_smallest(const format_t *format) {
  return ldexp(1.0, format->exponent_min - format->precision + 1);
}

double format_smallest_normal(const format_t *format) { return ldexp(1.0, format->exponent_min); }

/* An upper bound on exp(x) - 1 for x >= 0.  Up to 2^-10 by x + x^2/2 + x^3, which exceeds the
 * series by more than the binary64 roundings lose; above, by the library's expm1, whose error is
 * far below 2^-40. */
static double expm1_upper(double x) {
  if (x <= 0x1p-10) return x * (1.0 + x * (0.5 + x)) * (1.0 + 0x1p-50);
  return expm1(x) * (1.0 + 0x1p-40);
}

int error_bound_wider_bits(const format_t *format) { return format->precision <= 5 ? 3 : 11; }

double error_bound_wide_unit_roundoff(const format_t *format) {
  return ldexp(format_unit_roundoff(format), -error_bound_wider_bits(format));
}

/* Exponent of what imprecise nodes may add.  With w = 2^(1-q), a tree of such nodes over n leaves
 * errs by at most ((1 + w)^(3n) - 1) sum|terms|, by induction: a node of m children with n_1 .. n_m
 * leaves cuts up to w max|v_i| off each child and up to w of what is left, so at most (m + 1) w
 * sum|v_i| in all, and the children are at most (1 + w)^(3(n_i - 1)) sum|terms| each, so that the
 * exponents add up to 3(n - m) + (m + 1) <= 3(n - 1).  The accumulator's start is one more leaf. */
static double imprecise_exponent(bound_shape_t shape) {
  if (shape.imprecise_bits == 0) return 0;
  return 3 * (double)shape.terms * ldexp(1.0, 1 - shape.imprecise_bits);
}

/* Factor of sum|terms| when every path from a leaf to the root is rounded at most `roundings`
 * times, the last of which is kept apart, and errs by exp(imprecise) beside. */
static error_bound_t bound_of_roundings(const format_t *format, const contract_t *contract,
                                        size_t roundings, bool linear, double imprecise) {
  error_bound_t bound = {0};
  if (roundings == 0 && imprecise == 0) return bound;
  double u = format_unit_roundoff(format);
  bool truncates = PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ;
  if (truncates) u *= 2;
  double before = roundings == 0 ? 0 : (double)(roundings - 1);
  if (linear && imprecise == 0 && !truncates &&
      PERMITTED(contract, accum_wider) == ACCUM_WIDER_NO && PERMITTED(contract, fma) == FMA_NO) {
    bound.factor = before * u;
    bound.total_factor = (before + 1) * u;
  } else {
    /* (1 + u)^(m-1) (1 + w)^m <= exp((m-1) u + m w): each of m operations is done in a format whose
     * unit roundoff is w and may then be rounded to the accumulation type, the last one always is.
     */
    double w = PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES
                   ? error_bound_wide_unit_roundoff(format)
                   : 0;
    if (truncates) w *= 2;
    double exponent = before * u + (before + 1) * w + imprecise;
    bound.factor = expm1_upper(exponent * (1 + 0x1p-50));
    bound.total_factor = expm1_upper((exponent + u) * (1 + 0x1p-50));
  }
  bound.last_truncates = truncates;
  return bound;
}

error_bound_t error_bound_wide_roundings(const format_t *format, const contract_t *contract,
                                         size_t roundings) {
  bool truncates = PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ;
  double each = truncates ? 2 : 1;
  double exponent = (double)roundings * each * error_bound_wide_unit_roundoff(format);
  double last = each * format_unit_roundoff(format);
  return (error_bound_t){.factor = expm1_upper(exponent * (1 + 0x1p-50)),
                         .total_factor = expm1_upper((exponent + last) * (1 + 0x1p-50)),
                         .last_truncates = truncates};
}

double error_bound_wider_smallest(const format_t *format, const contract_t *contract) {
  if (PERMITTED(contract, accum_wider) == ACCUM_WIDER_NO) return 0;
  return error_bound_wide_unit_roundoff(format) / format_unit_roundoff(format);
}

/* What products lose to underflow, in smallest numbers.  A product that is rounded to the
 * accumulation type loses up to half a smallest number (all of it where it truncates), and up to as
 * much again of a wider node's smallest number, 2^-11 of that (2^-3 for 8-bit floats), if it came
 * from there.  Unrounded products lose it where their sum is rounded: that puts the sum on the grid
 * of the smallest number, where nothing but a further product can take it off again, so `terms`
 * such losses are the most.  A single product is rounded by the last rounding itself. */
static double lost_to_underflow(const format_t *format, const contract_t *contract, size_t terms) {
  double each = PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ ? 1 : 0.5;
  double narrow = terms == 1 ? 0 : each;
  double wide = each * error_bound_wider_smallest(format, contract);
  return (double)terms * (narrow + wide);
}

/* `count` smallest numbers, upwards: binary64, which carries bounds, has nothing below its own. */
static double smallest_numbers(const format_t *format, double count) {
  return (format->bits == 64 ? ceil(count) : count) * format_smallest(format);
}

/* How many results may be flushed to zero before the last: those of all nodes but one. */
static size_t flushed_results(const contract_t *contract, bound_shape_t shape) {
  if (PERMITTED(contract, ftz) == FTZ_NONE || shape.terms == 0) return 0;
  size_t nodes = shape.terms - 1 + (shape.is_product ? shape.terms : 0);
  return nodes == 0 ? 0 : nodes - 1;
}

error_bound_t error_bound_sum(const format_t *format, const contract_t *contract,
                              bound_shape_t shape) {
  size_t additions = shape.terms == 0 ? 0 : shape.terms - 1;
  size_t roundings = additions + (shape.products_round && shape.terms != 0 ? 1 : 0);
  error_bound_t bound =
      bound_of_roundings(format, contract, roundings, true, imprecise_exponent(shape));
  /* An absolute loss enters at a node, and is magnified from there on as the terms are.  (For plain
   * nodes: replace the term by the product that was computed, and apply the theorem to that.)  The
   * factor of very many terms of a small format is infinite, hence no products with 0. */
  double magnified = (1 + bound.total_factor) * (1 + 0x1p-50);
  if (shape.products_underflow) {
    double lost = lost_to_underflow(format, contract, shape.terms);
    double last = PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ ? 1 : 0.5;
    bound.offset = lost == 0 ? 0 : smallest_numbers(format, lost * magnified);
    bound.total_offset = smallest_numbers(format, last + (lost == 0 ? 0 : lost * magnified));
  }
  size_t flushed = flushed_results(contract, shape);
  if (flushed != 0) {
    double loss = (double)flushed * magnified * format_smallest_normal(format);
    bound.offset += loss;
    bound.total_offset += loss;
  }
  return bound;
}

bool error_bound_sum_is_exact(const format_t *format, int lowest_bit, double magnitude) {
  if (magnitude == 0) return true;
  if (lowest_bit < format->exponent_min - format->precision + 1) return false;
  return magnitude <= ldexp(1.0, lowest_bit + format->precision) &&
         magnitude <= format_to_double(format, format->largest_bits);
}

bool error_bound_aligned_sum_is_exact(const format_t *format, int imprecise_bits, int lowest_bit,
                                      double magnitude) {
  bool fits = imprecise_bits == 0 || magnitude <= ldexp(1.0, lowest_bit + imprecise_bits);
  return fits && error_bound_sum_is_exact(format, lowest_bit, magnitude);
}

error_bound_t error_bound_product(const format_t *format, const contract_t *contract,
                                  size_t terms) {
  return bound_of_roundings(format, contract, terms == 0 ? 0 : terms - 1, false, 0);
}
