/* SPDX-License-Identifier: Apache-2.0 */
/* How far sums of numbers of one sign may get from the exact one, however many they are (theory.md,
 * T128): what T10 permits of more numbers than 1 / u is more than any tree gives.  And sums that
 * nothing rounds, since those of one sign fit. */
#include <math.h>

#include "harness/num/binary64.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/in_order/in_order.h"
#include "oracles/exact/sum/bounds.h"

/* More than the functions of the C library err (A3). */
static const double margin = 0x1p-30;

/* theory.md, T128. */
double sum_one_sign_growth(const format_t *format, uint64_t count) {
  enum { PRECISION_MIN = 3 };
  static const double ln2 = 0x1.62e42fefa39fp-1; /* Just above. */
  if (format->precision < PRECISION_MIN) return INFINITY;
  if (count <= 1) return 1;
  double theta = (1 + log2(1 + format_unit_roundoff(format))) / format->precision;
  double exponent = theta / (1 - theta) * log2((double)count) * (1 + margin);
  return exp(exponent * ln2) * (1 + margin);
}

/* theory.md, T128. */
double sum_one_sign_decline(const format_t *format, uint64_t count) {
  if (count <= 1) return 1;
  return (1 - margin) / (1 + (double)(count - 1) * format_unit_roundoff(format));
}

/* Whether all nodes are plain additions of numbers of the format: theory.md, T128. */
static bool has_plain_sums(const sum_problem_t *question, const contract_t *contract) {
  return question->right == NULL && !sum_is_split(question) && question->imprecise_bits == 0 &&
         !question->factors_exceed && PERMITTED(contract, accum_wider) == ACCUM_WIDER_NO &&
         PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RN &&
         PERMITTED(contract, ftz) == FTZ_NONE;
}

/* The numbers of one sign, as many initial values among them as there may be, cannot get farther
 * than that; and if there are no others, not nearer to zero: theory.md, T128. */
static void clip_by_sign(sum_bounds_t *sum, const sum_problem_t *question,
                         const sum_totals_t *totals, bool positive) {
  const format_t *format = question->format;
  double sign = positive ? 1 : -1, largest = format_to_double(format, format->largest_bits);
  mpfr_t total;
  mpfr_init2(total, mpfr_get_prec(sum->reference));
  mpfr_set(total, positive ? totals->positive : totals->negative, MPFR_RNDN);
  sum_bounds_add_inits(total, sum, question, positive);
  size_t count = sum_bounds_terms_of_sign(sum, question, totals, positive);
  double most = fabs(mpfr_get_d(total, positive ? MPFR_RNDU : MPFR_RNDD));
  double least = fabs(mpfr_get_d(total, MPFR_RNDZ));
  mpfr_clear(total);
  double *far = positive ? &sum->range.high : &sum->range.low;
  double *near = positive ? &sum->range.low : &sum->range.high;
  double limit = most * sum_one_sign_growth(format, count) * (1 + 0x1p-50);
  if (!(limit < largest)) return;
  if (*far * sign > limit) *far = sign * format_round_double(format, limit);
  bool is_all = sum_bounds_terms_of_sign(sum, question, totals, !positive) == 0;
  double kept = least * sum_one_sign_decline(format, count) * (1 - 0x1p-50);
  if (is_all && *near * sign < kept) *near = sign * format_round_double(format, kept);
}

void sum_bounds_clip_inits(sum_bounds_t *sum, const sum_problem_t *question,
                           const sum_totals_t *totals, const contract_t *contract) {
  bool are_many = sum->init_count > IN_ORDER_INIT_COUNT_MAX && !sum_init_is_zero(question);
  bool has_numbers = sum->range.low <= sum->range.high && isfinite(question->init);
  if (!are_many || !has_numbers || !has_plain_sums(question, contract)) return;
  clip_by_sign(sum, question, totals, true);
  clip_by_sign(sum, question, totals, false);
  value_range_t *range = &sum->range;
  if (range->low > 0 || range->high < 0) range->positive_zero = range->negative_zero = false;
}

/* ---- What nothing rounds --------------------------------------------------------------------- */

void sum_bounds_add_inits(mpfr_ptr inout, const sum_bounds_t *sum, const sum_problem_t *question,
                          bool positive) {
  if (!question->has_init || !isfinite(question->init) || (question->init > 0) != positive) return;
  mpfr_t init;
  mpfr_init2(init, 53 + 32);
  mpfr_set_d(init, question->init, MPFR_RNDN);
  mpfr_mul_ui(init, init, sum->init_count, MPFR_RNDN);
  mpfr_add(inout, inout, init, MPFR_RNDN);
  mpfr_clear(init);
}

size_t sum_bounds_terms_of_sign(const sum_bounds_t *sum, const sum_problem_t *question,
                                const sum_totals_t *totals, bool positive) {
  bool init_counts = question->has_init && isfinite(question->init) && question->init != 0 &&
                     (question->init > 0) == positive;
  return (positive ? totals->positive_count : totals->negative_count) +
         (init_counts ? sum->init_count : 0);
}

size_t sum_bounds_nonzero(const sum_bounds_t *sum, const sum_problem_t *question,
                          const sum_totals_t *totals) {
  return sum_bounds_terms_of_sign(sum, question, totals, true) +
         sum_bounds_terms_of_sign(sum, question, totals, false);
}

/* The sum of all terms of one sign, which no partial sum is beyond; upwards. */
static double reach_of_sign(const sum_bounds_t *sum, const sum_problem_t *question,
                            const sum_totals_t *totals, bool positive) {
  mpfr_t reach;
  mpfr_init2(reach, mpfr_get_prec(sum->magnitude));
  mpfr_set(reach, positive ? totals->positive : totals->negative, MPFR_RNDN);
  sum_bounds_add_inits(reach, sum, question, positive);
  mpfr_abs(reach, reach, MPFR_RNDN);
  double out = mpfr_get_d(reach, MPFR_RNDU);
  mpfr_clear(reach);
  return out;
}

/* All terms, initial values too, are multiples of this power of two. */
static int lowest_bit_of(const sum_bounds_t *sum, const sum_problem_t *question,
                         const sum_totals_t *totals) {
  bool has_init = !sum_init_is_zero(question) && sum->init_count != 0 && isfinite(question->init);
  return has_init ? MIN(binary64_lowest_bit(question->init), totals->lowest_bit)
                  : totals->lowest_bit;
}

/* theory.md, T17 and T300. */
bool sum_bounds_are_exact(const sum_bounds_t *sum, const sum_problem_t *question,
                          const sum_totals_t *totals) {
  const sum_reach_t terms = {.reach = fmax(reach_of_sign(sum, question, totals, true),
                                           reach_of_sign(sum, question, totals, false)),
                             .magnitude = mpfr_get_d(sum->magnitude, MPFR_RNDU)};
  return error_bound_aligned_sum_is_exact(question->format, question->imprecise_bits,
                                          lowest_bit_of(sum, question, totals), terms);
}

bool sum_bounds_may_flush(const sum_bounds_t *sum, const sum_problem_t *question,
                          const sum_totals_t *totals, const contract_t *contract) {
  return PERMITTED(contract, ftz) != FTZ_NONE &&
         lowest_bit_of(sum, question, totals) < question->format->exponent_min;
}
