/* SPDX-License-Identifier: Apache-2.0 */
/* Permitted results of one float sum with a fixed number of initial values: error bounds applied
 * to exact MPFR totals, then overflow that a partial sum can reach, flushing, zero signs and the
 * result type, in this order. */
#include "oracles/exact/sum/bounds.h"

#include <math.h>

#include "harness/num/binary64.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/sum/levels.h"
#include "oracles/exact/sum/result.h"
#include "oracles/exact/sum/split.h"
#include "oracles/exact/wider_node.h"

bool sum_init_is_zero(const sum_problem_t *question) {
  return !question->has_init || question->init == 0;
}

void sum_bounds_init(sum_bounds_t *sum, const sum_problem_t *question, uint32_t init_count) {
  mpfr_prec_t precision = sum_precision(question);
  *sum = (sum_bounds_t){.init_count = init_count, .terms = question->count};
  mpfr_inits2(precision, sum->reference, sum->magnitude, sum->error, sum->total_error,
              sum->sure_error, (mpfr_ptr)0);
  if (!sum_init_is_zero(question)) sum->terms += init_count;
}

void sum_bounds_deinit(sum_bounds_t *sum) {
  mpfr_clears(sum->reference, sum->magnitude, sum->error, sum->total_error, sum->sure_error,
              (mpfr_ptr)0);
}

/* factor * magnitude + offset, upwards. */
static void set_bound(mpfr_ptr out, double factor, mpfr_srcptr magnitude, double offset) {
  mpfr_mul_d(out, magnitude, factor, MPFR_RNDU);
  mpfr_add_d(out, out, offset, MPFR_RNDU);
}

static bool flushes_inputs(const contract_t *contract) {
  return PERMITTED(contract, ftz) == FTZ_INPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
}

/* Whether a subnormal term (a product of a subnormal factor) may count as zero.  A flushed result
 * does for plain terms too: that of adding an initial value of zero to one. */
static bool may_flush_terms(const sum_problem_t *question, const contract_t *contract) {
  bool flushes_sums = PERMITTED(contract, ftz) != FTZ_NONE && question->right == NULL;
  return flushes_sums || flushes_inputs(contract);
}

/* Whether a partial sum beyond the largest number may stop there (theory.md, T21): by the format's
 * rule, or since additions truncate.  Then the terms that pull it back need not be neighbours: 7 +
 * ((-7.5 + -7.5)
 * + 7.5) is 7 in f6E2M3FN, so contiguous ranges bound nothing. */
static bool stops_at_largest(const format_t *format, const contract_t *contract) {
  return format->specials == FORMAT_FINITE ||
         PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ;
}

/* The permitted error of a sum of `terms` of the `leaves`: theory.md, T10 to T16.  Of split
 * operands nobody says how their products are put together. */
static error_bound_t bound_of_terms(const sum_problem_t *question, const contract_t *contract,
                                    size_t terms, size_t leaves, size_t nonzero) {
  bound_shape_t shape = {.terms = terms,
                         .nonzero = nonzero,
                         .leaves = sum_is_split(question) ? 0 : leaves,
                         .is_product = question->right != NULL,
                         .imprecise_bits = question->imprecise_bits};
  if (shape.is_product) {
    const format_t *left = question->left_format, *right = question->right_format;
    shape.products_round = product_rounds(left, right, question->format);
    shape.products_underflow = product_underflows(left, right, question->format);
  }
  return error_bound_sum(question->format, contract, shape);
}

/* Whether all products are numbers of the accumulation type, so that only their sums round. */
static bool are_products_exact(const sum_problem_t *question) {
  if (question->right == NULL) return true;
  bool are_exact = true;
  mpfr_t product;
  mpfr_init2(product, 2 * 53);
  for (size_t i = 0; i < question->count && are_exact; i++) {
    mpfr_set_d(product, question->left[i], MPFR_RNDN);
    mpfr_mul_d(product, product, question->right[i], MPFR_RNDN);
    are_exact = !mpfr_number_p(product) || format_holds(question->format, product);
  }
  mpfr_clear(product);
  return are_exact;
}

/* Whether one operation at the most can round (theory.md, T18): a single product, or a sum of two
 * numbers of the type, beside zeros.  (Flushed products may be left out.) */
static bool is_rounded_once(const sum_bounds_t *sum, const sum_problem_t *question,
                            const sum_totals_t *totals, const contract_t *contract) {
  size_t terms = totals->positive_count + totals->negative_count;
  if (question->has_init && isfinite(question->init) && question->init != 0) {
    terms += sum->init_count;
  }
  if (PERMITTED(contract, accum_wider) == ACCUM_WIDER_NO || question->imprecise_bits != 0)
    return false;
  bool may_lose_product = question->right != NULL && PERMITTED(contract, ftz) != FTZ_NONE;
  return terms <= 1 || (terms == 2 && !may_lose_product && are_products_exact(question));
}

/* The errors of the one operation that rounds: theory.md, T18.  Zeros may be added too. */
static void set_errors_of_one(sum_bounds_t *sum, const sum_problem_t *question,
                              const contract_t *contract) {
  const format_t *format = question->format;
  size_t nodes = sum->terms == 0 ? 0 : sum->terms - 1 + (question->right != NULL ? 1 : 0);
  error_bound_t bound = error_bound_wide_roundings(format, contract, nodes);
  mpfr_t size;
  mpfr_init2(size, mpfr_get_prec(sum->reference));
  mpfr_abs(size, sum->reference, MPFR_RNDN);
  mpfr_set_d(sum->error, format_smallest_normal(format), MPFR_RNDN);
  mpfr_max(size, size, sum->error, MPFR_RNDN);
  set_bound(sum->total_error, bound.total_factor, size, 0);
  set_bound(sum->error, bound.factor, size, 0);
  if (wider_node_holds(format, sum->reference)) mpfr_set_zero(sum->error, 1);
  mpfr_clear(size);
}

/* Whether no partial sum gets to 2^emax, by magnitudes alone: those of one sign have no more terms
 * than all, and no larger bounds (set_partial_extreme()).  With all magnitudes below q =
 * 2^(emax - 2), a factor of at most 1/2 and an offset of at most q, none exceeds
 * q (1 + 1/2) + q = 2.5 q < 4 q (theory.md, T12). */
static bool stays_small(const sum_bounds_t *sum, const format_t *format,
                        const error_bound_t *bound) {
  int quarter = format->exponent_max - 2;
  bool is_far = mpfr_zero_p(sum->magnitude) ||
                (mpfr_regular_p(sum->magnitude) && mpfr_get_exp(sum->magnitude) <= quarter);
  return is_far && bound->factor <= 0.5 && bound->offset <= binary64_power(quarter);
}

/* Reference, magnitude and both errors.  A non-finite initial value counts as 0 here. */
static void compute_numbers(sum_bounds_t *sum, const sum_problem_t *question,
                            const sum_totals_t *totals, const contract_t *contract) {
  mpfr_t init;
  mpfr_init2(init, 53 + 32);
  mpfr_set_d(init, question->has_init && isfinite(question->init) ? question->init : 0, MPFR_RNDN);
  bool init_flushes = !mpfr_zero_p(init) &&
                      mpfr_cmp_d(init, format_smallest_normal(question->format)) < 0 &&
                      mpfr_cmp_d(init, -format_smallest_normal(question->format)) > 0;
  mpfr_mul_ui(init, init, sum->init_count, MPFR_RNDN);
  mpfr_add(sum->reference, totals->sum, init, MPFR_RNDN);
  mpfr_abs(init, init, MPFR_RNDN);
  mpfr_add(sum->magnitude, totals->magnitude, init, MPFR_RNDN);
  const size_t nonzero = sum_bounds_nonzero(sum, question, totals);
  error_bound_t bound = bound_of_terms(question, contract, sum->terms, sum->terms, nonzero);
  sum->outwards = bound.last_truncates;
  sum->stays_small = stays_small(sum, question->format, &bound);
  bool may_flush = sum_bounds_may_flush(sum, question, totals, contract);
  if (sum_bounds_are_exact(sum, question, totals)) {
    mpfr_set_d(sum->error, may_flush && nonzero > 0 ? bound.flushed : 0, MPFR_RNDU);
    mpfr_set(sum->total_error, sum->error, MPFR_RNDU);
  } else if (is_rounded_once(sum, question, totals, contract)) {
    set_errors_of_one(sum, question, contract);
  } else {
    set_bound(sum->error, bound.factor, sum->magnitude, bound.offset);
    set_bound(sum->total_error, bound.total_factor, sum->magnitude, bound.total_offset);
    sum_levels_sharpen(sum, question, totals, contract, &bound);
    sum_repeated_sharpen(sum, question, totals, contract);
  }
  if (may_flush_terms(question, contract)) {
    if (!init_flushes) mpfr_set_zero(init, 1);
    mpfr_add(init, init, totals->flushable, MPFR_RNDU);
    mpfr_add(sum->error, sum->error, init, MPFR_RNDU);
    mpfr_add(sum->total_error, sum->total_error, init, MPFR_RNDU);
  }
  mpfr_clear(init);
}

/* A bound on every partial sum before its rounding, upwards or downwards: theory.md, T19 and T20.
 */
static void set_partial_extreme(mpfr_ptr out, const sum_bounds_t *sum,
                                const sum_problem_t *question, const sum_totals_t *totals,
                                const contract_t *contract, bool positive) {
  mpfr_t error;
  mpfr_init2(error, mpfr_get_prec(out));
  mpfr_set(out, positive ? totals->positive : totals->negative, MPFR_RNDN);
  sum_bounds_add_inits(out, sum, question, positive);
  size_t terms = sum_bounds_terms_of_sign(sum, question, totals, positive);
  error_bound_t bound = bound_of_terms(question, contract, terms, sum->terms, 0);
  mpfr_abs(error, out, MPFR_RNDN);
  set_bound(error, bound.factor, error, bound.offset);
  if (mpfr_zero_p(sum->error)) mpfr_set_zero(error, 1); /* No operation rounds. */
  (positive ? mpfr_add : mpfr_sub)(out, out, error, positive ? MPFR_RNDU : MPFR_RNDD);
  if (PERMITTED(contract, order) == ORDER_IN_ORDER &&
      !stops_at_largest(question->format, contract)) {
    mpfr_set(error, positive ? totals->highest : totals->lowest, MPFR_RNDN);
    sum_bounds_add_inits(error, sum, question, positive);
    (positive ? mpfr_add : mpfr_sub)(error, error, sum->total_error,
                                     positive ? MPFR_RNDU : MPFR_RNDD);
    (positive ? mpfr_min : mpfr_max)(out, out, error, MPFR_RNDN);
  }
  mpfr_clear(error);
}

/* A partial sum that stops at the largest number leaves the rest to pull away from there:
 * theory.md, T21.  A single term is pulled by nothing. */
static void widen_for_saturation(sum_bounds_t *sum, const sum_problem_t *question,
                                 const sum_totals_t *totals, bool up, bool down) {
  const format_t *format = question->format;
  double largest = format_to_double(format, format->largest_bits);
  mpfr_t end;
  mpfr_init2(end, mpfr_get_prec(sum->reference) + 64);
  if (up && sum->terms > 1) {
    mpfr_set(end, totals->negative, MPFR_RNDN);
    sum_bounds_add_inits(end, sum, question, false);
    mpfr_sub(end, end, sum->total_error, MPFR_RNDD);
    mpfr_add_d(end, end, largest, MPFR_RNDD);
    double low =
        format_to_double(format, format_from_mpfr(format, end, ROUNDING_DOWN, OVERFLOW_SATURATE));
    sum->range.low = fmin(sum->range.low, low);
  }
  if (down && sum->terms > 1) {
    mpfr_set(end, totals->positive, MPFR_RNDN);
    sum_bounds_add_inits(end, sum, question, true);
    mpfr_add(end, end, sum->total_error, MPFR_RNDU);
    mpfr_sub_d(end, end, largest, MPFR_RNDU);
    double high =
        format_to_double(format, format_from_mpfr(format, end, ROUNDING_UP, OVERFLOW_SATURATE));
    sum->range.high = fmax(sum->range.high, high);
  }
  mpfr_clear(end);
}

static void allow_reachable_overflow(sum_bounds_t *sum, const sum_problem_t *question,
                                     const sum_totals_t *totals, const contract_t *contract) {
  if (sum->stays_small) return;
  mpfr_t high, low;
  mpfr_inits2(mpfr_get_prec(sum->reference) + 64, high, low, (mpfr_ptr)0);
  set_partial_extreme(high, sum, question, totals, contract, true);
  set_partial_extreme(low, sum, question, totals, contract, false);
  const format_t *format = question->format;
  double largest = format_to_double(format, format->largest_bits);
  bool up = mpfr_overflows(high, format), down = mpfr_overflows(low, format);
  if (stops_at_largest(format, contract)) {
    bool stops_above = mpfr_cmp_d(high, largest) > 0, stops_below = mpfr_cmp_d(low, -largest) < 0;
    sum->may_stop = stops_above || stops_below;
    widen_for_saturation(sum, question, totals, stops_above, stops_below);
  }
  if (format->specials == FORMAT_FINITE) {
    /* Nothing but numbers. */
  } else if (!format_has_infinity(format)) {
    sum->range.nan |= up || down;
  } else {
    sum->range.positive_infinity |= up;
    sum->range.negative_infinity |= down;
    sum->range.nan |= up && down;
  }
  mpfr_clears(high, low, (mpfr_ptr)0);
}

/* The signs that a zero result may have: theory.md, T23.  Only a wider or fused last node can round
 * a negative result to zero.  A +0 initial value turns -0 into +0. */
static void set_zero_signs(sum_bounds_t *sum, const sum_problem_t *question,
                           const sum_totals_t *totals, const contract_t *contract) {
  value_range_t *range = &sum->range;
  bool zero_init = sum_init_is_zero(question);
  bool init_is_plus = !question->has_init || !signbit(question->init);
  bool init_is_forced = question->has_init && PERMITTED(contract, init_count) == INIT_COUNT_ONE;
  if (question->count == 0 && zero_init) {
    range->positive_zero = init_is_plus;
    range->negative_zero = !init_is_plus;
    return;
  }
  bool spans_zero = range->low <= 0 && range->high >= 0;
  if (!spans_zero) return;
  bool only_terms = zero_init || sum->init_count == 0;
  bool can_minus = only_terms && totals->can_be_minus_zero;
  bool must_minus = only_terms && totals->must_be_minus_zero;
  range->positive_zero = !must_minus || (zero_init && init_is_plus);
  range->negative_zero = can_minus && !(zero_init && init_is_plus && init_is_forced);
  bool last_node_may_underflow =
      (PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES ||
       PERMITTED(contract, fma) == FMA_YES) &&
      question->right != NULL &&
      product_underflows(question->left_format, question->right_format, question->format);
  mpfr_t end;
  mpfr_init2(end, mpfr_get_prec(sum->reference));
  mpfr_sub(end, sum->reference, sum->error, MPFR_RNDD);
  bool may_be_negative = mpfr_sgn(end) < 0 || sum->may_stop;
  if (may_be_negative && (last_node_may_underflow || PERMITTED(contract, ftz) != FTZ_NONE)) {
    range->negative_zero = true;
  }
  mpfr_clear(end);
}

bool sum_may_be_subnormal(const sum_bounds_t *sum, const format_t *format) {
  mpfr_t least;
  mpfr_init2(least, mpfr_get_prec(sum->reference));
  mpfr_abs(least, sum->reference, MPFR_RNDN);
  mpfr_sub(least, least, sum->error, MPFR_RNDD);
  bool may_be = mpfr_cmp_d(least, format_smallest_normal(format)) < 0;
  mpfr_clear(least);
  return may_be;
}

/* A result that is subnormal before its rounding (as some processors see it) may be flushed to
 * zero, if only since it is read again, to add an initial value of zero. */
static void allow_flushed_result(sum_bounds_t *sum, const format_t *format) {
  if (!sum_may_be_subnormal(sum, format)) return;
  sum->range.low = fmin(sum->range.low, 0);
  sum->range.high = fmax(sum->range.high, 0);
}

static void forbid_finite(value_range_t *range) {
  *range = (value_range_t){.low = INFINITY, .high = -INFINITY};
}

/* The set when some leaf is not finite; false if all are. */
static bool set_special_range(sum_bounds_t *sum, const sum_problem_t *question,
                              const sum_totals_t *totals, const contract_t *contract) {
  bool with_init = question->has_init && sum->init_count != 0;
  bool nan = totals->has_nan || (with_init && isnan(question->init));
  bool up =
      totals->has_positive_infinity || (with_init && isinf(question->init) && question->init > 0);
  bool down =
      totals->has_negative_infinity || (with_init && isinf(question->init) && question->init < 0);
  if (!nan && !up && !down) return false;
  value_range_t reachable = sum->range; /* What the finite terms alone may overflow to. */
  forbid_finite(&sum->range);
  if (question->is_complex_part) {
    sum->range.nan = sum->range.positive_infinity = sum->range.negative_infinity = true;
    return true;
  }
  bool opposite =
      (up && (down || reachable.negative_infinity)) || (down && reachable.positive_infinity);
  bool flushed_factor = flushes_inputs(contract) && question->right != NULL;
  sum->range.nan = nan || opposite || flushed_factor;
  sum->range.positive_infinity = up && !nan && !down;
  sum->range.negative_infinity = down && !nan && !up;
  return true;
}

static void set_range(sum_bounds_t *sum, const sum_problem_t *question, const sum_totals_t *totals,
                      const contract_t *contract) {
  value_range_set_enclosure(&sum->range, question->format, sum->reference, sum->error,
                            sum->outwards);
  allow_reachable_overflow(sum, question, totals, contract);
  if (sum_is_split(question) && split_sum_set_special(&sum->range, question, contract)) return;
  if (set_special_range(sum, question, totals, contract)) return;
  if (PERMITTED(contract, ftz) != FTZ_NONE) allow_flushed_result(sum, question->format);
  set_zero_signs(sum, question, totals, contract);
}

void sum_bounds_set_range(sum_bounds_t *sum, const sum_problem_t *question,
                          const sum_totals_t *totals, const contract_t *contract) {
  compute_numbers(sum, question, totals, contract);
  set_range(sum, question, totals, contract);
  sum_bounds_clip_inits(sum, question, totals, contract);
  sum->result_range = sum->range;
  if (question->result != NULL) sum_result_convert(sum, question, contract);
}
