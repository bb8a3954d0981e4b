/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the permitted range of a sum from the accumulation type to the result type, with the
 * option of a single rounding from a wider node, and tests whether a result could come from such a
 * conversion. */
#include "oracles/exact/sum/result.h"

#include <math.h>

#include "oracles/exact/arithmetic.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/range_convert.h"

bool sum_result_is_widening(const format_t *accumulation, const format_t *result) {
  return result->specials == FORMAT_IEEE && arithmetic_format_holds(result, accumulation);
}

/* A node wider than the accumulation type may be rounded to a result type that this holds at once
 * (theory.md, T24).
 * (A result with bits that the accumulation type has not would show that nothing was rounded to
 * it.) */
static void permit_single_rounding(sum_bounds_t *sum, const sum_problem_t *question) {
  value_range_t once = {0};
  value_range_set_enclosure(&once, question->result, sum->reference, sum->error, sum->outwards);
  value_range_unite(&sum->result_range, &once);
}

/* theory.md, T24. */
static void add_conversion_error(sum_bounds_t *sum, const format_t *format) {
  mpfr_t error;
  mpfr_init2(error, mpfr_get_prec(sum->total_error));
  mpfr_abs(error, sum->reference, MPFR_RNDU);
  mpfr_add(error, error, sum->total_error, MPFR_RNDU);
  mpfr_mul_d(error, error, format_unit_roundoff(format), MPFR_RNDU);
  mpfr_add_d(error, error, format_smallest(format), MPFR_RNDU);
  mpfr_add(sum->total_error, sum->total_error, error, MPFR_RNDU);
  mpfr_clear(error);
}

void sum_result_convert(sum_bounds_t *sum, const sum_problem_t *question,
                        const contract_t *contract) {
  if (sum_result_is_widening(question->format, question->result)) return;
  bool has_finite = sum->range.low <= sum->range.high;
  sum->result_range = value_range_convert(&sum->range, question->format, question->result);
  bool is_narrowing = arithmetic_format_holds(question->format, question->result);
  if (has_finite && is_narrowing && PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES) {
    permit_single_rounding(sum, question);
  }
  if (PERMITTED(contract, ftz) != FTZ_NONE) {
    bool may_be_below = sum_may_be_subnormal(sum, question->result);
    value_range_flush(&sum->result_range, question->result, may_be_below);
  }
  add_conversion_error(sum, question->result);
}

bool sum_result_holds(const sum_bounds_t *sum, const sum_problem_t *question,
                      const contract_t *contract, uint64_t bits) {
  bool any_zero = PERMITTED(contract, zero_sign) == ZERO_SIGN_ANY;
  const format_t *format = question->result == NULL ? question->format : question->result;
  if (!value_range_holds(&sum->result_range, format, bits, any_zero)) return false;
  if (question->result == NULL) return true;
  double value = format_to_double(format, bits);
  return !isfinite(value) || value == 0 ||
         value_is_converted(question->format, question->result, value);
}
