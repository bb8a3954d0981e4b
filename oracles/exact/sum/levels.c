/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the leaves of a sum, initial values among them, and takes the bound by levels where it is
 * less than that by all magnitudes, but not less than what the fast side takes for certain.  Of
 * fewer terms the ends of all trees are asked for where nothing cheaper says that a value is
 * reached: what the fast side takes for certain stands, and so does what a usual schedule gives. Of
 * many initial values, which the fast side does not ask about, it is that of one number many times.
 */
#include "oracles/exact/sum/levels.h"

#include <math.h>

#include "harness/num/binary64.h"
#include "oracles/exact/any_order/ends.h"
#include "oracles/exact/any_order/levels.h"
#include "oracles/exact/any_order/sample.h"
#include "oracles/exact/any_order/share.h"
#include "oracles/exact/in_order/in_order.h"
#include "oracles/exact/repeated_sum.h"
#include "oracles/exact/tree_search/choices.h"
#include "oracles/exact/tree_search/find_tree.h"
#include "oracles/exact/tree_search/long_loops.h"

/* False if some leaf is not finite, or there are too many. */
static bool list_leaves(level_sum_t *levels, const sum_bounds_t *sum,
                        const sum_problem_t *question) {
  for (size_t i = 0; i < question->count; i++) {
    bool is_listed = question->right == NULL
                         ? level_sum_add(levels, question->left[i])
                         : level_sum_add_product(levels, question->left[i], question->right[i]);
    if (!is_listed) return false;
  }
  if (sum_init_is_zero(question)) return true;
  bool is_listed = true;
  for (uint32_t i = 0; i < sum->init_count && is_listed; i++) {
    is_listed = level_sum_add(levels, question->init);
  }
  return is_listed;
}

/* The last rounding included: theory.md, T122. */
static void set_total(sum_bounds_t *sum, const format_t *format) {
  mpfr_t size;
  mpfr_init2(size, mpfr_get_prec(sum->reference));
  mpfr_abs(size, sum->reference, MPFR_RNDU);
  mpfr_add(size, size, sum->error, MPFR_RNDU);
  mpfr_mul_d(size, size, format_unit_roundoff(format), MPFR_RNDU);
  mpfr_add_d(size, size, format_smallest(format), MPFR_RNDU);
  mpfr_add(size, size, sum->error, MPFR_RNDU);
  mpfr_min(sum->total_error, sum->total_error, size, MPFR_RNDU);
  mpfr_clear(size);
}

void sum_levels_sharpen(sum_bounds_t *sum, const sum_problem_t *question,
                        const sum_totals_t *totals, const contract_t *contract,
                        const error_bound_t *bound) {
  if (bound->sure_factor >= bound->factor) return;
  level_sum_t levels = {.format = question->format,
                        .may_widen = PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES,
                        .lowest_bit = totals->lowest_bit};
  if (!list_leaves(&levels, sum, question) || levels.count < 2) return;
  if (!sum_init_is_zero(question) && sum->init_count != 0) {
    int init_bit = binary64_lowest_bit(question->init);
    if (init_bit < levels.lowest_bit) levels.lowest_bit = init_bit;
  }
  mpfr_mul_d(sum->sure_error, sum->magnitude, bound->sure_factor, MPFR_RNDU);
  mpfr_add_d(sum->sure_error, sum->sure_error, bound->offset, MPFR_RNDU);
  sum->is_levelled = true;
  double error = level_sum_error(&levels, mpfr_get_d(sum->sure_error, MPFR_RNDD));
  if (!isfinite(error) || PERMITTED(contract, ftz) != FTZ_NONE) return;
  mpfr_t sharp;
  mpfr_init2(sharp, mpfr_get_prec(sum->error));
  mpfr_set(sharp, sum->sure_error, MPFR_RNDU);
  if (mpfr_cmp_d(sharp, error) < 0) mpfr_set_d(sharp, error, MPFR_RNDU);
  if (mpfr_less_p(sharp, sum->error)) {
    mpfr_set(sum->error, sharp, MPFR_RNDU);
    set_total(sum, question->format);
  }
  mpfr_clear(sharp);
}

/* Whether the nodes are those of T166, and none flushes: sums are multiples of what all leaves are
 * multiples of. */
static bool has_repeated_leaf(const sum_bounds_t *sum, const sum_problem_t *question,
                              const sum_totals_t *totals, const contract_t *contract) {
  const format_t *format = question->format;
  bool are_many = sum->init_count > IN_ORDER_INIT_COUNT_MAX && !sum_init_is_zero(question) &&
                  isfinite(question->init);
  bool is_plain = question->right == NULL && !sum_is_split(question) &&
                  question->imprecise_bits == 0 && !question->factors_exceed;
  if (!are_many || !is_plain || format->specials == FORMAT_FINITE) return false;
  if (PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ) return false;
  if (PERMITTED(contract, ftz) == FTZ_NONE) return true;
  int lowest_bit = MIN(totals->lowest_bit, binary64_lowest_bit(question->init));
  return lowest_bit >= format->exponent_min;
}

void sum_repeated_sharpen(sum_bounds_t *sum, const sum_problem_t *question,
                          const sum_totals_t *totals, const contract_t *contract) {
  if (!has_repeated_leaf(sum, question, totals, contract)) return;
  double above = mpfr_get_d(totals->positive, MPFR_RNDU);
  double below = -mpfr_get_d(totals->negative, MPFR_RNDD);
  const repeated_sum_t repeated = {.format = question->format,
                                   .may_widen = PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES,
                                   .value = question->init,
                                   .times = sum->init_count,
                                   .others = totals->positive_count + totals->negative_count,
                                   .reach = fmax(above, below)};
  double error = repeated_sum_error(&repeated);
  if (!(mpfr_cmp_d(sum->error, error) > 0)) return;
  mpfr_set_d(sum->error, error, MPFR_RNDU);
  set_total(sum, question->format);
}

/* ---- Ends ------------------------------------------------------------------------------------ */

/* Of splits in all sums of a case, some nanoseconds each. */
static const size_t splits_of_case = (size_t)1 << 23;

static size_t share_divisor(const sum_problem_t *question, size_t leaves) {
  size_t splits = 1;
  for (size_t i = 0; i < leaves; i++) splits *= 3;
  size_t affordable = MAX(splits_of_case / splits, 1);
  size_t sums = MAX(question->sums_of_case, 1);
  return (sums + affordable - 1) / affordable;
}

static bool has_flushable_factor(const sum_problem_t *question) {
  for (size_t i = 0; i < question->count && question->right != NULL; i++) {
    bool is_flushable =
        sum_may_flush_factor(question->left[i], question->left_format, question->left_storage) ||
        sum_may_flush_factor(question->right[i], question->right_format, question->right_storage);
    if (is_flushable) return true;
  }
  return false;
}

/* The least number of initial values above 1 of which the bound holds a result stands for all that
 * are more (theory.md, T22), so that its bound decides. */
static bool may_ask(const sum_bounds_t *sum, const sum_problem_t *question,
                    const few_terms_t *terms) {
  bool is_one_sum = !sum_is_split(question) && question->imprecise_bits == 0 &&
                    !question->factors_exceed && !question->is_complex_part;
  size_t leaves = question->count + sum->init_count;
  bool is_asked = is_one_sum && question->result == NULL && sum->init_count <= 1;
  if (!is_asked || leaves > ORDER_ENDS_LEAVES_MAX) return false;
  if (terms->may_flush && has_flushable_factor(question)) return false;
  return tree_share_has(share_divisor(question, leaves), question->count, question->left,
                        question->right);
}

/* What the fast side takes for certain. */
static value_range_t sure_range(const sum_bounds_t *sum, const sum_problem_t *question) {
  value_range_t sure = {0};
  value_range_set_enclosure(&sure, question->format, sum->reference, sum->sure_error, false);
  return sure;
}

/* False if the ends are not told. */
static bool clip_to_ends(sum_bounds_t *sum, const sum_problem_t *question, const few_terms_t *terms,
                         arena_t *arena) {
  double ends[2];
  if (!any_order_ends(terms, arena, ends)) return false;
  const value_range_t sure = sure_range(sum, question);
  value_range_t *range = &sum->result_range;
  range->low = fmax(range->low, fmin(sure.low, format_round_double(question->format, ends[0])));
  range->high = fmin(range->high, fmax(sure.high, format_round_double(question->format, ends[1])));
  return true;
}

bool sum_ends_hold(sum_bounds_t *sum, const sum_problem_t *question, const few_terms_t *terms,
                   double value, arena_t *arena) {
  few_terms_tree_t tree;
  if (!sum->is_levelled || !isfinite(value) || !may_ask(sum, question, terms)) return true;
  const value_range_t sure = sure_range(sum, question);
  if (sure.low <= value && value <= sure.high) return true;
  if (few_terms_sample(terms, value, &tree)) return true;
  if (!clip_to_ends(sum, question, terms, arena)) return true;
  return sum->result_range.low <= value && value <= sum->result_range.high;
}

void sum_ends_clip(sum_bounds_t *sum, const sum_problem_t *question, const few_terms_t *terms,
                   arena_t *arena) {
  if (!sum->is_levelled || !may_ask(sum, question, terms)) return;
  if (!clip_to_ends(sum, question, terms, arena)) return;
  value_range_t *range = &sum->result_range;
  if (range->low > 0 || range->high < 0) range->positive_zero = range->negative_zero = false;
}

/* ---- More than a bound ----------------------------------------------------------------------- */

/* Terms of which one factor, or which themselves, may be read as zero. */
static const bool *find_flushable(const sum_problem_t *question, arena_t *arena) {
  bool *flushable = ARENA_NEW_ARRAY(arena, bool, MAX(question->count, 1));
  for (size_t i = 0; i < question->count; i++) {
    flushable[i] =
        sum_may_flush_factor(question->left[i], question->left_format, question->left_storage);
    if (question->right == NULL) continue;
    flushable[i] |=
        sum_may_flush_factor(question->right[i], question->right_format, question->right_storage);
  }
  return flushable;
}

/* Not of sums with a low-order part, nor of more initial values than are searched. */
static bool is_searched(const sum_bounds_t *sum, const sum_problem_t *question, double value) {
  bool is_one_sum =
      !sum_is_split(question) && question->imprecise_bits == 0 && !question->factors_exceed;
  return is_one_sum && isfinite(value) && sum->init_count <= IN_ORDER_INIT_COUNT_MAX;
}

/* Whether flushing may change a term, or a sum: terms that are all far larger than the least normal
 * number cancel to none below it. */
static bool may_flush(const sum_problem_t *question, const tree_choices_t *choices) {
  const format_t *format = question->format;
  const double near = ldexp(format_smallest_normal(format), format->precision);
  for (size_t i = 0; i < question->count; i++) {
    if (choices->may_flush_terms && choices->flushable[i]) return true;
    double term = question->left[i] * (question->right == NULL ? 1 : question->right[i]);
    if (choices->may_flush_results && term != 0 && fabs(term) < near) return true;
  }
  return false;
}

/* Of more terms than trees are listed of only truncation and flushing are asked about, which are
 * the permissions whose bounds hold nearly anything, and in usual loops alone. */
static bool is_proven_of_many(const sum_problem_t *question, const tree_choices_t *choices,
                              const few_terms_t *terms, double value) {
  bool is_asked = choices->may_truncate || may_flush(question, choices);
  return !is_asked || choices->is_in_order || long_loops_give(terms, choices, value);
}

bool sum_is_proven(const sum_bounds_t *sum, const sum_problem_t *question,
                   const contract_t *contract, const few_terms_t *terms, double value,
                   arena_t *arena) {
  if (!is_searched(sum, question, value)) return true;
  if (sum->result_range.low == sum->result_range.high) return true; /* What every tree gives. */
  const uint8_t ftz = PERMITTED(contract, ftz);
  const tree_choices_t choices = {
      .may_truncate = PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ,
      .may_flush_results = ftz == FTZ_OUTPUTS || ftz == FTZ_BOTH,
      .may_flush_terms = ftz == FTZ_INPUTS || ftz == FTZ_BOTH,
      .flushable = find_flushable(question, arena),
      .is_in_order = sum_has_schedules(question, sum->terms, contract)};
  if (question->count > TREE_TERMS_MAX) return is_proven_of_many(question, &choices, terms, value);
  few_terms_tree_t tree;
  bool has_tree = !choices.is_in_order && few_terms_find_tree(terms, value, arena, &tree);
  return has_tree || few_terms_choices_give(terms, &choices, value);
}
