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

/* Unit roundoff of the nodes that accum_wider=yes permits: at least 3 bits more than an 8-bit float
 * has (bf16 for f8E3M4), at least 11 bits more than the others have (x87 extended for f64). */
static double wide_unit_roundoff(const format_t *format) {
  return ldexp(format_unit_roundoff(format), format->precision <= 5 ? -3 : -11);
}

/* Factor of sum|terms| when every path from a leaf to the root is rounded at most `roundings`
 * times, the last of which is kept apart. */
static error_bound_t bound_of_roundings(const format_t *format, const contract_t *contract,
                                        size_t roundings, bool linear) {
  error_bound_t bound = {0};
  if (roundings == 0) return bound;
  double u = format_unit_roundoff(format);
  bool truncates = contract->accum_rounding == ACCUM_ROUNDING_RZ;
  if (truncates) u *= 2;
  double before = (double)(roundings - 1);
  if (linear && !truncates && contract->accum_wider == ACCUM_WIDER_NO && contract->fma == FMA_NO) {
    bound.factor = before * u;
    bound.total_factor = (before + 1) * u;
  } else {
    /* (1 + u)^(m-1) (1 + w)^m <= exp((m-1) u + m w): each of m operations is done in a format whose
     * unit roundoff is w and may then be rounded to the accumulation type, the last one always is.
     */
    double w = contract->accum_wider == ACCUM_WIDER_YES ? wide_unit_roundoff(format) : 0;
    double exponent = before * u + (before + 1) * w;
    bound.factor = expm1_upper(exponent * (1 + 0x1p-50));
    bound.total_factor = expm1_upper((exponent + u) * (1 + 0x1p-50));
  }
  bound.last_truncates = truncates;
  return bound;
}

/* What products lose to underflow before the last rounding: half the smallest number each, or all
 * of it where they truncate.  A single product is rounded by the last rounding itself, unless a
 * wider node, whose smallest number is 11 bits or more below (3 for 8-bit floats), came first. */
static double underflow_offset(const format_t *format, const contract_t *contract, size_t terms,
                               bool with_last_rounding) {
  double each = contract->accum_rounding == ACCUM_ROUNDING_RZ ? 1 : 0.5;
  double smallest_numbers = (double)terms * each;
  if (terms == 1) {
    bool wider = contract->accum_wider == ACCUM_WIDER_YES;
    smallest_numbers = wider ? each * wide_unit_roundoff(format) / format_unit_roundoff(format) : 0;
  }
  if (with_last_rounding) smallest_numbers += each;
  /* Binary64, which carries the bound, has nothing below its own smallest number. */
  if (format->bits == 64) smallest_numbers = ceil(smallest_numbers);
  return smallest_numbers * format_smallest(format);
}

error_bound_t error_bound_sum(const format_t *format, const contract_t *contract,
                              bound_shape_t shape) {
  size_t additions = shape.terms == 0 ? 0 : shape.terms - 1;
  size_t roundings = additions + (shape.products_round && shape.terms != 0 ? 1 : 0);
  error_bound_t bound = bound_of_roundings(format, contract, roundings, true);
  double terms = (double)shape.terms;
  if (shape.products_underflow) {
    bound.offset = underflow_offset(format, contract, shape.terms, false);
    bound.total_offset = underflow_offset(format, contract, shape.terms, true);
  }
  if (contract->ftz == FTZ_OUTPUTS || contract->ftz == FTZ_BOTH) {
    bound.offset += 2 * terms * format_smallest_normal(format);
    bound.total_offset += 2 * terms * format_smallest_normal(format);
  }
  return bound;
}

bool error_bound_sum_is_exact(const format_t *format, int lowest_bit, double magnitude) {
  if (magnitude == 0) return true;
  if (lowest_bit < format->exponent_min - format->precision + 1) return false;
  return magnitude <= ldexp(1.0, lowest_bit + format->precision) &&
         magnitude <= format_to_double(format, format->largest_bits);
}

error_bound_t error_bound_product(const format_t *format, const contract_t *contract,
                                  size_t terms) {
  return bound_of_roundings(format, contract, terms == 0 ? 0 : terms - 1, false);
}
