/* SPDX-License-Identifier: Apache-2.0 */
/* Computes a-priori error bounds of sums, dot products and products from the number of roundings
 * that the contract permits. Every step is evaluated upwards; the derivations stand beside the
 * formulas. */
#include "oracles/exact/error_bound.h"

#include <math.h>

#include "generated/exact_permissions.h"
#include "harness/num/binary64.h"
#include "oracles/exact/magnitude.h"

/* theory.md, D1. */
double format_unit_roundoff(const format_t *format) { return binary64_power(-format->precision); }

double format_smallest(const format_t *format) {
  return binary64_power(format->exponent_min - format->precision + 1);
}

double format_smallest_normal(const format_t *format) {
  return binary64_power(format->exponent_min);
}

/* theory.md, D6. */
int error_bound_wider_bits(const format_t *format) { return format->precision <= 5 ? 3 : 11; }

/* theory.md, D6. */
double error_bound_wide_unit_roundoff(const format_t *format) {
  return binary64_power(-format->precision - error_bound_wider_bits(format));
}

/* Exponent of what imprecise nodes may add: theory.md, T14. */
static upper_t imprecise_exponent(bound_shape_t shape) {
  if (shape.imprecise_bits == 0) return upper_of(0);
  return upper_of(3 * (double)shape.terms * binary64_power(1 - shape.imprecise_bits));
}

/* Factor of sum|terms| when every path from a leaf to the root is rounded at most `roundings`
 * times, the last of which is kept apart, and errs by exp(imprecise) beside: theory.md, T10 and T11
 * for plain nodes (A9), T12 and T13 for others, T30 for products. */
static error_bound_t bound_of_roundings(const format_t *format, const contract_t *contract,
                                        size_t roundings, bool linear, upper_t imprecise) {
  error_bound_t bound = {0};
  if (roundings == 0 && imprecise.value == 0) return bound;
  double u = format_unit_roundoff(format);
  bool truncates = PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ;
  if (truncates) u *= 2;
  double before = roundings == 0 ? 0 : (double)(roundings - 1);
  if (linear && imprecise.value == 0 && !truncates &&
      PERMITTED(contract, accum_wider) == ACCUM_WIDER_NO && PERMITTED(contract, fma) == FMA_NO) {
    bound.factor = before * u;
    bound.total_factor = (before + 1) * u;
  } else {
    double w = PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES
                   ? error_bound_wide_unit_roundoff(format)
                   : 0;
    if (truncates) w *= 2;
    upper_t narrow = upper_scale(upper_of(before), u), wide = upper_scale(upper_of(before + 1), w);
    upper_t exponent = upper_add(upper_add(narrow, wide), imprecise);
    bound.factor = upper_expm1(exponent).value;
    bound.total_factor = upper_expm1(upper_add(exponent, upper_of(u))).value;
  }
  bound.last_truncates = truncates;
  return bound;
}

/* theory.md, T12 and T18. */
error_bound_t error_bound_wide_roundings(const format_t *format, const contract_t *contract,
                                         size_t roundings) {
  bool truncates = PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ;
  double each = truncates ? 2 : 1;
  double wide = each * error_bound_wide_unit_roundoff(format);
  upper_t exponent = upper_scale(upper_of((double)roundings), wide);
  upper_t total = upper_add(exponent, upper_of(each * format_unit_roundoff(format)));
  return (error_bound_t){.factor = upper_expm1(exponent).value,
                         .total_factor = upper_expm1(total).value,
                         .last_truncates = truncates};
}

/* theory.md, D6. */
double error_bound_wider_smallest(const format_t *format, const contract_t *contract) {
  if (PERMITTED(contract, accum_wider) == ACCUM_WIDER_NO) return 0;
  return error_bound_wide_unit_roundoff(format) / format_unit_roundoff(format);
}

/* What products lose to underflow, in smallest numbers: theory.md, T15. */
static upper_t lost_to_underflow(const format_t *format, const contract_t *contract, size_t terms) {
  double each = PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ ? 1 : 0.5;
  double narrow = terms == 1 ? 0 : each;
  double wide = each * error_bound_wider_smallest(format, contract);
  return upper_scale(upper_of((double)terms), narrow + wide);
}

/* `count` smallest numbers: binary64, which carries bounds, has nothing below its own. */
static double smallest_numbers(const format_t *format, upper_t count) {
  return (format->bits == 64 ? ceil(count.value) : count.value) * format_smallest(format);
}

/* How many results may be flushed to zero before the last, those of all nodes but one: theory.md,
 * T16 and T301. */
static size_t flushed_results(const contract_t *contract, bound_shape_t shape) {
  if (PERMITTED(contract, ftz) == FTZ_NONE || shape.terms == 0) return 0;
  size_t terms = shape.nonzero == 0 ? shape.terms : shape.nonzero;
  size_t nodes = terms - 1 + (shape.is_product ? terms : 0);
  return nodes == 0 ? 0 : nodes - 1;
}

/* theory.md, T117. */
size_t error_bound_depth(const contract_t *contract, size_t leaves) {
  size_t additions = leaves == 0 ? 0 : leaves - 1, levels = 0;
  while (levels < 8 * sizeof leaves - 1 && (size_t)1 << levels < leaves) levels++;
  switch (PERMITTED(contract, depth)) {
    case DEPTH_LOG:
      return MIN(levels + 4, additions);
    case DEPTH_LANES:
      return MIN((leaves + 7) / 8 + 8, additions);
    case DEPTH_ANY:
    default:
      return additions;
  }
}

/* Factors of a tree of any depth, and of one that is no deeper than the contract says: both hold
 * (theory.md, T117). */
static error_bound_t bound_of_tree(const format_t *format, const contract_t *contract,
                                   bound_shape_t shape) {
  size_t additions = shape.terms == 0 ? 0 : shape.terms - 1;
  size_t products = shape.products_round && shape.terms != 0 ? 1 : 0;
  upper_t imprecise = imprecise_exponent(shape);
  error_bound_t bound = bound_of_roundings(format, contract, additions + products, true, imprecise);
  size_t depth = shape.leaves == 0 ? additions : error_bound_depth(contract, shape.leaves);
  if (depth >= additions || shape.imprecise_bits != 0) return bound;
  error_bound_t flat = bound_of_roundings(format, contract, depth + products, false, imprecise);
  bound.factor = fmin(bound.factor, flat.factor);
  bound.total_factor = fmin(bound.total_factor, flat.total_factor);
  return bound;
}

/* theory.md, T123. */
static double sure_factor(const format_t *format, const contract_t *contract, bound_shape_t shape,
                          double factor) {
  bool has_levels = shape.leaves >= LEVELS_FROM && shape.leaves <= LEVELS_TO &&
                    shape.leaves == shape.terms && shape.imprecise_bits == 0 &&
                    format->specials != FORMAT_FINITE &&
                    PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RN;
  return has_levels ? factor / fmax(8, sqrt((double)shape.terms)) : factor;
}

error_bound_t error_bound_sum(const format_t *format, const contract_t *contract,
                              bound_shape_t shape) {
  error_bound_t bound = bound_of_tree(format, contract, shape);
  bound.sure_factor = sure_factor(format, contract, shape, bound.factor);
  /* An absolute loss enters at a node, and is magnified from there on as the terms are: theory.md,
   * T15 and T16. */
  upper_t magnified = upper_add(upper_of(1), upper_of(bound.total_factor));
  if (shape.products_underflow) {
    upper_t lost = upper_multiply(lost_to_underflow(format, contract, shape.terms), magnified);
    double last = PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ ? 1 : 0.5;
    bound.offset = smallest_numbers(format, lost);
    bound.total_offset = smallest_numbers(format, upper_add(upper_of(last), lost));
  }
  size_t flushed = flushed_results(contract, shape);
  if (flushed != 0) {
    bound.flushed = upper_scale(upper_of((double)flushed), format_smallest_normal(format)).value;
    upper_t loss =
        upper_scale(upper_scale(magnified, (double)flushed), format_smallest_normal(format));
    bound.offset = upper_add(upper_of(bound.offset), loss).value;
    bound.total_offset = upper_add(upper_of(bound.total_offset), loss).value;
  }
  return bound;
}

/* theory.md, T17. */
bool error_bound_sum_is_exact(const format_t *format, int lowest_bit, double magnitude) {
  if (magnitude == 0) return true;
  if (lowest_bit < format->exponent_min - format->precision + 1) return false;
  if (magnitude > binary64_power(lowest_bit + format->precision)) return false;
  bool is_far_below = magnitude <= binary64_power(format->exponent_max); /* Mostly. */
  return is_far_below || magnitude <= format_to_double(format, format->largest_bits);
}

/* theory.md, T17 and T300: beside a term of 2^(lowest_bit + imprecise_bits) others of the same sign
 * are none, but of the other sign there may be some. */
bool error_bound_aligned_sum_is_exact(const format_t *format, int imprecise_bits, int lowest_bit,
                                      sum_reach_t terms) {
  if (!error_bound_sum_is_exact(format, lowest_bit, terms.reach)) return false;
  if (imprecise_bits == 0) return true;
  double kept = binary64_power(lowest_bit + imprecise_bits);
  return terms.reach < kept || terms.magnitude <= kept;
}

/* theory.md, T30. */
error_bound_t error_bound_product(const format_t *format, const contract_t *contract,
                                  size_t terms) {
  return bound_of_roundings(format, contract, terms == 0 ? 0 : terms - 1, false, upper_of(0));
}
