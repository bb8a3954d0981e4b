/* SPDX-License-Identifier: Apache-2.0 */
/* Exact product of real factors and initial values with MPFR, and the range of results that
 * conforms in any order: rounding bound, losses to underflow, reachable overflow, sign of zero and
 * the conversion to the result type. */
#include "oracles/exact/product/bounds.h"

#include <glib.h>
#include <math.h>

#include "harness/num/binary64.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/magnitude.h"
#include "oracles/exact/range_convert.h"
#include "oracles/exact/wider_node.h"

/* Multiplies `value`^`times` into the totals. */
static void take_factor(product_bounds_t *product, double value, uint32_t times) {
  product->has_nan |= isnan(value);
  product->has_infinity |= isinf(value) != 0;
  product->has_zero |= value == 0;
  if (signbit(value) && !isnan(value) && times % 2 == 1) product->negative = !product->negative;
  if (!isfinite(value) || value == 0) return;
  mpfr_t power;
  mpfr_init2(power, PRODUCT_PRECISION);
  mpfr_set_d(power, fabs(value), MPFR_RNDN);
  int inexact = times == 1 ? 0 : mpfr_pow_ui(power, power, times, MPFR_RNDN);
  inexact |= mpfr_mul(product->reference, product->reference, power, MPFR_RNDN);
  product->is_rounded |= inexact != 0;
  product->lowest_bit += (int64_t)times * MIN(binary64_lowest_bit(value), 0);
  int exponent;
  if (frexp(fabs(value), &exponent) != 0.5) product->odd_count += times;
  if (fabs(value) != 1) product->other_count += times;
  bool is_large = fabs(value) > 1;
  if (is_large) product->large_count += times;
  mpfr_ptr extreme = is_large ? product->largest : product->smallest;
  mpfr_mul(extreme, extreme, power, is_large ? MPFR_RNDU : MPFR_RNDD);
  mpfr_clear(power);
}

void product_bounds_init(product_bounds_t *product, const product_problem_t *question,
                         uint32_t init_count) {
  *product = (product_bounds_t){.init_count = init_count, .count = question->count};
  mpfr_inits2(PRODUCT_PRECISION, product->reference, product->largest, product->smallest,
              product->error, product->total_error, (mpfr_ptr)0);
  mpfr_set_ui(product->reference, 1, MPFR_RNDN);
  mpfr_set_ui(product->largest, 1, MPFR_RNDN);
  mpfr_set_ui(product->smallest, 1, MPFR_RNDN);
  for (size_t i = 0; i < question->count; i++) take_factor(product, question->factors[i], 1);
  if (product_init_is_one(question) || init_count == 0) return;
  take_factor(product, question->init, init_count);
  /* Of -1 any number rounds nothing (theory.md, T30). */
  if (question->init != -1) product->count += init_count;
}

void product_bounds_deinit(product_bounds_t *product) {
  mpfr_clears(product->reference, product->largest, product->smallest, product->error,
              product->total_error, (mpfr_ptr)0);
}

/* Whether no operation of any schedule rounds; then x* alone conforms: theory.md, T31. */
static bool is_exact(const product_bounds_t *product, const format_t *format,
                     const contract_t *contract) {
  if (product->is_rounded || mpfr_min_prec(product->reference) > format->precision) return false;
  if (PERMITTED(contract, ftz) != FTZ_NONE &&
      mpfr_cmp_d(product->smallest, format_smallest_normal(format)) < 0) {
    return false;
  }
  return product->lowest_bit >= format->exponent_min - format->precision + 1 &&
         mpfr_cmp_d(product->largest, format_to_double(format, format->largest_bits)) <= 0;
}

/* What partial products lose to underflow before the last rounding, in smallest numbers: all but
 * the last are rounded to the accumulation type, and all may come from a wider node (theory.md,
 * T32). */
static double lost_to_underflow(const product_bounds_t *product, const format_t *format,
                                const contract_t *contract) {
  double each = PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ ? 1 : 0.5;
  double wide = each * error_bound_wider_smallest(format, contract);
  double products = (double)product->count - 1;
  return (products - 1) * (each + wide) + wide;
}

/* Adds what partial products lose where they become subnormal or are flushed, magnified by the
 * other factors, rounding errors included: theory.md, T32. */
static void add_losses(product_bounds_t *product, const format_t *format,
                       const contract_t *contract, const error_bound_t *bound) {
  mpfr_t loss, flushed;
  mpfr_init2(loss, PRODUCT_PRECISION);
  mpfr_init2(flushed, PRODUCT_PRECISION);
  mpfr_div_d(loss, product->smallest, fmax(2, 1 + bound->total_factor), MPFR_RNDD);
  bool underflows = mpfr_cmp_d(loss, format_smallest_normal(format)) < 0;
  mpfr_set_d(loss, product->count > 1 ? lost_to_underflow(product, format, contract) : 0,
             MPFR_RNDU);
  mpfr_mul_d(loss, loss, format_smallest(format), MPFR_RNDU);
  if (PERMITTED(contract, ftz) != FTZ_NONE) {
    mpfr_set_d(flushed, format_smallest_normal(format), MPFR_RNDU);
    mpfr_mul_d(flushed, flushed, 2 * (double)product->count, MPFR_RNDU);
    mpfr_add(loss, loss, flushed, MPFR_RNDU);
  }
  mpfr_mul(loss, loss, product->largest, MPFR_RNDU);
  mpfr_mul_d(loss, loss, 1 + bound->total_factor, MPFR_RNDU);
  if (underflows) {
    if (mpfr_nan_p(loss)) mpfr_set_zero(loss, 1); /* Nothing, infinitely magnified. */
    mpfr_add(product->error, product->error, loss, MPFR_RNDU);
    mpfr_add_d(loss, loss, format_smallest(format), MPFR_RNDU); /* The last rounding. */
    mpfr_add(product->total_error, product->total_error, loss, MPFR_RNDU);
  }
  mpfr_clears(loss, flushed, (mpfr_ptr)0);
}

/* Whether one multiplication at the most can round: that of two factors that are no powers of two,
 * beside such as change exponents, far from the ends of the range. */
static bool is_rounded_once(const product_bounds_t *product, const format_t *format,
                            const contract_t *contract) {
  if (PERMITTED(contract, accum_wider) == ACCUM_WIDER_NO || product->is_rounded ||
      product->odd_count > 2) {
    return false;
  }
  double largest = format_to_double(format, format->largest_bits);
  bool stays_normal = mpfr_cmp_d(product->smallest, format_smallest_normal(format)) >= 0 &&
                      mpfr_cmp_d(product->largest, largest) <= 0;
  return stays_normal || (product->other_count <= 2 && PERMITTED(contract, ftz) == FTZ_NONE);
}

/* The errors of that multiplication: theory.md, T33 and T18. */
static void set_errors_of_one(product_bounds_t *product, const format_t *format,
                              const contract_t *contract) {
  size_t nodes = product->count == 0 ? 0 : product->count - 1;
  error_bound_t bound = error_bound_wide_roundings(format, contract, nodes);
  mpfr_set_d(product->total_error, format_smallest_normal(format), MPFR_RNDN);
  mpfr_max(product->total_error, product->total_error, product->reference, MPFR_RNDU);
  mpfr_mul_d(product->error, product->total_error, bound.factor, MPFR_RNDU);
  mpfr_mul_d(product->total_error, product->total_error, bound.total_factor, MPFR_RNDU);
  if (wider_node_holds(format, product->reference)) mpfr_set_zero(product->error, 1);
}

/* E' = factor * |x*| + losses, upwards: theory.md, T30. */
static void set_errors(product_bounds_t *product, const format_t *format,
                       const contract_t *contract) {
  if (is_exact(product, format, contract)) {
    mpfr_set_zero(product->error, 1);
    mpfr_set_zero(product->total_error, 1);
    return;
  }
  if (is_rounded_once(product, format, contract)) {
    set_errors_of_one(product, format, contract);
    return;
  }
  error_bound_t bound = error_bound_product(format, contract, product->count);
  mpfr_mul_d(product->error, product->reference, bound.factor, MPFR_RNDU);
  mpfr_mul_d(product->total_error, product->reference, bound.total_factor, MPFR_RNDU);
  /* The reference itself carries a relative error below (count + 2) 2^-256. */
  mpfr_t slop;
  mpfr_init2(slop, PRODUCT_PRECISION);
  mpfr_mul_2si(slop, product->reference, -PRODUCT_PRECISION + 30, MPFR_RNDU);
  mpfr_add(product->error, product->error, slop, MPFR_RNDU);
  mpfr_clear(slop);
  add_losses(product, format, contract, &bound);
}

/* A bound on every partial product before its rounding: rounding is monotone, so none exceeds what
 * its tree gives without the factors below 1 (theory.md, T4 and T30). */
static void set_partial_extreme(mpfr_ptr out, const product_bounds_t *product,
                                const format_t *format, const contract_t *contract) {
  error_bound_t bound = error_bound_product(format, contract, product->large_count);
  mpfr_mul_d(out, product->largest, 1 + bound.factor, MPFR_RNDU);
}

/* Whether some order may overflow on the way. */
static bool may_overflow(const product_bounds_t *product, const format_t *format,
                         const contract_t *contract) {
  mpfr_t reach;
  mpfr_init2(reach, PRODUCT_PRECISION);
  set_partial_extreme(reach, product, format, contract);
  bool overflows = mpfr_overflows(reach, format);
  mpfr_clear(reach);
  return overflows;
}

/* Whether some partial product may stop at the largest number. */
static bool may_saturate(const product_bounds_t *product, const format_t *format,
                         const contract_t *contract) {
  if (format->specials != FORMAT_FINITE &&
      PERMITTED(contract, accum_rounding) != ACCUM_ROUNDING_RZ) {
    return false;
  }
  mpfr_t reach;
  mpfr_init2(reach, PRODUCT_PRECISION);
  set_partial_extreme(reach, product, format, contract);
  bool saturates = mpfr_cmp_d(reach, format_to_double(format, format->largest_bits)) > 0;
  mpfr_clear(reach);
  return saturates;
}

/* What stops at the largest number shrinks from there by factors below 1, and without such not at
 * all (theory.md, T340). */
static void permit_saturation(product_bounds_t *product, const format_t *format) {
  value_range_t *range = &product->range;
  bool shrinks = mpfr_cmp_ui(product->smallest, 1) != 0;
  double least = shrinks ? 0 : format_to_double(format, format->largest_bits);
  if (product->negative) {
    range->low = fmin(range->low, -least);
    range->high = fmax(range->high, -least);
  } else {
    range->low = fmin(range->low, least);
    range->high = fmax(range->high, least);
  }
  if (!shrinks) return;
  range->positive_zero = !product->negative;
  range->negative_zero = product->negative;
}

/* Whether some partial product of the factors below 1 may become zero: theory.md, T36. */
static bool may_vanish(const product_bounds_t *product, const format_t *format,
                       const contract_t *contract) {
  bool flushes = PERMITTED(contract, ftz) != FTZ_NONE;
  double least = flushes ? format_smallest_normal(format) : format_smallest(format);
  double each = PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ ? 1 : 0.5;
  each += each * error_bound_wider_smallest(format, contract);
  error_bound_t bound = error_bound_product(format, contract, product->count);
  upper_t grown = upper_add(upper_of(1), upper_of(bound.total_factor));
  upper_t lost = upper_scale(upper_scale(upper_of((double)product->other_count), each), least);
  upper_t reach = upper_multiply(grown, flushes ? upper_of(least) : lost);
  return mpfr_cmp_d(product->smallest, 2 * least) < 0 ||
         mpfr_cmp_d(product->smallest, reach.value) <= 0;
}

/* theory.md, T30 to T33. */
static void set_finite_range(product_bounds_t *product, const format_t *format,
                             const contract_t *contract) {
  error_bound_t bound = error_bound_product(format, contract, product->count);
  mpfr_t signed_reference;
  mpfr_init2(signed_reference, PRODUCT_PRECISION);
  mpfr_set(signed_reference, product->reference, MPFR_RNDN);
  if (product->negative) mpfr_neg(signed_reference, signed_reference, MPFR_RNDN);
  value_range_set_enclosure(&product->range, format, signed_reference, product->error,
                            bound.last_truncates);
  mpfr_clear(signed_reference);
  value_range_t *range = &product->range;
  if (product->negative && range->high > 0) range->high = 0; /* Every order keeps the sign. */
  if (!product->negative && range->low < 0) range->low = 0;
  if (range->low <= 0 && range->high >= 0) {
    range->negative_zero = product->negative;
    range->positive_zero = !product->negative;
  }
  if (may_saturate(product, format, contract)) permit_saturation(product, format);
  if (format->specials == FORMAT_FINITE || !may_overflow(product, format, contract)) return;
  if (!format_has_infinity(format)) {
    range->nan = true;
  } else {
    range->positive_infinity |= !product->negative;
    range->negative_infinity |= product->negative;
    range->nan |= may_vanish(product, format, contract); /* 0 * infinity. */
  }
}

static void compute_range(product_bounds_t *product, const product_problem_t *question,
                          const contract_t *contract) {
  const format_t *format = question->format;
  set_errors(product, format, contract);
  value_range_t none = {.low = INFINITY, .high = -INFINITY};
  product->range = none;
  value_range_t *range = &product->range;
  if (product->has_nan || (product->has_infinity && product->has_zero)) {
    range->nan = true;
  } else if (product->has_infinity) {
    range->positive_infinity = !product->negative;
    range->negative_infinity = product->negative;
    range->nan = may_vanish(product, format, contract);
  } else if (product->has_zero) {
    range->low = range->high = 0;
    range->positive_zero = !product->negative;
    range->negative_zero = product->negative;
    if (format->specials != FORMAT_FINITE) range->nan = may_overflow(product, format, contract);
    mpfr_set_zero(product->reference, 1);
  } else {
    set_finite_range(product, format, contract);
  }
}

/* A node wider than the accumulation type may be rounded to a result type that this holds at once.
 */
static void permit_single_rounding(product_bounds_t *product, const product_problem_t *question) {
  mpfr_t signed_reference;
  mpfr_init2(signed_reference, PRODUCT_PRECISION);
  mpfr_set(signed_reference, product->reference, MPFR_RNDN);
  if (product->negative) mpfr_neg(signed_reference, signed_reference, MPFR_RNDN);
  value_range_t once = {0};
  value_range_set_enclosure(&once, question->result, signed_reference, product->error, false);
  value_range_unite(&product->range, &once);
  mpfr_clear(signed_reference);
}

/* Before it is rounded to the format. */
static bool may_be_subnormal(const product_bounds_t *product, const format_t *format) {
  mpfr_t least;
  mpfr_init2(least, PRODUCT_PRECISION);
  mpfr_sub(least, product->reference, product->error, MPFR_RNDD);
  bool may_be = mpfr_cmp_d(least, format_smallest_normal(format)) < 0;
  mpfr_clear(least);
  return may_be;
}

/* The range becomes one of the result type. */
static void convert_result(product_bounds_t *product, const product_problem_t *question,
                           const contract_t *contract) {
  const format_t *result = question->result;
  bool has_finite = product->range.low <= product->range.high;
  product->range = value_range_convert(&product->range, question->format, result);
  bool is_narrowing = arithmetic_format_holds(question->format, result);
  /* With a factor of zero no node of any width has another number than zero. */
  if (has_finite && !product->has_zero && is_narrowing &&
      PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES) {
    permit_single_rounding(product, question);
  }
  if (PERMITTED(contract, ftz) != FTZ_NONE) {
    value_range_flush(&product->range, result, may_be_subnormal(product, result));
  }
  /* theory.md, T24. */
  mpfr_t error;
  mpfr_init2(error, PRODUCT_PRECISION);
  mpfr_add(error, product->reference, product->total_error, MPFR_RNDU);
  mpfr_mul_d(error, error, format_unit_roundoff(result), MPFR_RNDU);
  mpfr_add_d(error, error, format_smallest(result), MPFR_RNDU);
  mpfr_add(product->total_error, product->total_error, error, MPFR_RNDU);
  mpfr_clear(error);
}

void product_bounds_set_range(product_bounds_t *product, const product_problem_t *question,
                              const contract_t *contract) {
  compute_range(product, question, contract);
  if (question->result != NULL) convert_result(product, question, contract);
}
