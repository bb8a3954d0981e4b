#include "oracles/exact/sum_result.h"

#include <math.h>

#include "oracles/exact/arithmetic.h"
#include "oracles/exact/error_bound.h"

bool sum_result_is_widening(const format_t *accumulation, const format_t *result) {
  return result->specials == FORMAT_IEEE && arithmetic_format_holds(result, accumulation);
}

/* What an infinity or a number beyond the range becomes by the format's rule. */
static void permit_overflow(value_range_t *range, const format_t *format, bool negative) {
  double rounded = format_round_double(format, negative ? -INFINITY : INFINITY);
  if (isnan(rounded)) {
    range->nan = true;
  } else if (isinf(rounded)) {
    *(negative ? &range->negative_infinity : &range->positive_infinity) = true;
  } else {
    range->low = fmin(range->low, rounded);
    range->high = fmax(range->high, rounded);
  }
}

/* Both ends rounded to nearest, which is monotone. */
static void convert_ends(const value_range_t *range, const format_t *format, value_range_t *out) {
  double largest = format_to_double(format, format->largest_bits);
  double low = format_round_double(format, range->low);
  double high = format_round_double(format, range->high);
  out->low = isfinite(low) ? low : range->low < 0 ? -largest : (double)INFINITY;
  out->high = isfinite(high) ? high : range->high > 0 ? largest : (double)-INFINITY;
  if (!isfinite(low) && range->low < 0) permit_overflow(out, format, true);
  if (!isfinite(high) && range->high > 0) permit_overflow(out, format, false);
}

/* Whether some number of the range with that sign rounds to zero: its smallest does. */
static bool may_vanish(const value_range_t *range, const format_t *from, const format_t *to,
                       bool negative) {
  double nearest = negative ? -range->high : range->low; /* The end that is nearer to zero. */
  double farthest = negative ? -range->low : range->high;
  if (range->low > range->high || farthest <= 0) return false;
  return format_round_double(to, fmax(nearest, format_smallest(from))) == 0;
}

static value_range_t convert_range(const value_range_t *range, const format_t *from,
                                   const format_t *to) {
  value_range_t out = {.low = INFINITY, .high = -INFINITY, .nan = range->nan};
  if (range->low <= range->high) convert_ends(range, to, &out);
  if (range->positive_infinity) permit_overflow(&out, to, false);
  if (range->negative_infinity) permit_overflow(&out, to, true);
  out.positive_zero = range->positive_zero || may_vanish(range, from, to, false);
  out.negative_zero = range->negative_zero || may_vanish(range, from, to, true);
  if (out.nan && !format_has_nan(to))
    return value_range_anything(to); /* It has no meaning there. */
  return out;
}

static void unite(value_range_t *inout, const value_range_t *other) {
  inout->low = fmin(inout->low, other->low);
  inout->high = fmax(inout->high, other->high);
  inout->nan |= other->nan;
  inout->positive_infinity |= other->positive_infinity;
  inout->negative_infinity |= other->negative_infinity;
}

/* A node wider than the accumulation type may be rounded to a result type that this holds at once.
 * (A result with bits that the accumulation type has not would show that nothing was rounded to
 * it.) */
static void permit_single_rounding(sum_case_t *sum, const sum_question_t *question) {
  value_range_t once = {0};
  value_range_set_enclosure(&once, question->result, sum->reference, sum->error, sum->outwards);
  unite(&sum->result_range, &once);
}

static void permit_flushing(value_range_t *range, const format_t *format) {
  double normal = format_smallest_normal(format);
  if (range->low > range->high) return;
  if (range->low > 0 && range->low < normal) {
    range->low = 0;
    range->positive_zero = true;
  }
  if (range->high < 0 && range->high > -normal) {
    range->high = 0;
    range->negative_zero = true;
  }
  bool holds_subnormal = range->low < normal && range->high > -normal;
  if (holds_subnormal && range->high > 0) range->positive_zero = true;
  if (holds_subnormal && range->low < 0) range->negative_zero = true;
}

static void add_conversion_error(sum_case_t *sum, const format_t *format) {
  mpfr_t error;
  mpfr_init2(error, mpfr_get_prec(sum->total_error));
  mpfr_abs(error, sum->reference, MPFR_RNDU);
  mpfr_add(error, error, sum->total_error, MPFR_RNDU);
  mpfr_mul_d(error, error, format_unit_roundoff(format), MPFR_RNDU);
  mpfr_add_d(error, error, format_smallest(format), MPFR_RNDU);
  mpfr_add(sum->total_error, sum->total_error, error, MPFR_RNDU);
  mpfr_clear(error);
}

void sum_result_convert(sum_case_t *sum, const sum_question_t *question,
                        const contract_t *contract) {
  if (sum_result_is_widening(question->format, question->result)) return;
  bool has_finite = sum->range.low <= sum->range.high;
  sum->result_range = convert_range(&sum->range, question->format, question->result);
  bool is_narrowing = arithmetic_format_holds(question->format, question->result);
  if (has_finite && is_narrowing && contract->accum_wider == ACCUM_WIDER_YES) {
    permit_single_rounding(sum, question);
  }
  if (contract->ftz != FTZ_NONE) permit_flushing(&sum->result_range, question->result);
  add_conversion_error(sum, question->result);
}

/* Whether a number within the range is what some number of the accumulation type is converted to.
 * The one nearest to it is, if any is, or its neighbour where that is a tie. */
static bool is_converted(const sum_question_t *question, double value) {
  const format_t *from = question->format;
  uint64_t nearest = format_from_double(from, value);
  const uint64_t candidates[] = {nearest, format_next_up(from, nearest),
                                 format_next_down(from, nearest)};
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    double source = format_to_double(from, candidates[i]);
    if (format_round_double(question->result, source) == value) return true;
  }
  return false;
}

bool sum_result_holds(const sum_case_t *sum, const sum_question_t *question,
                      const contract_t *contract, uint64_t bits) {
  bool any_zero = contract->zero_sign == ZERO_SIGN_ANY;
  const format_t *format = question->result == NULL ? question->format : question->result;
  if (!value_range_holds(&sum->result_range, format, bits, any_zero)) return false;
  if (question->result == NULL) return true;
  double value = format_to_double(format, bits);
  return !isfinite(value) || value == 0 || is_converted(question, value);
}
