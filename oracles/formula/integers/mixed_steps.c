/* SPDX-License-Identifier: Apache-2.0 */
/* What needs to look into the numbers of an evaluator is done for each of the three; the rest is
 * written once with their steps. */
#include "oracles/formula/integers/mixed_steps.h"

#include <glib.h>
#include <math.h>
#include <stdio.h>

#include "oracles/exact/arithmetic.h"
#include "oracles/formula/enclosed_set.h"
#include "oracles/formula/fast/fast_evaluator.h"
#include "oracles/formula/model.h"
#include "oracles/formula/shared/shared_evaluator.h"

static bool is_fast(const formula_t *formula) { return shared_base(formula) == &fast_evaluator; }

static bool is_model(const formula_t *formula) { return shared_base(formula) == &model_evaluator; }

static size_t place(row_t row, size_t i) { return row.count == 1 ? 0 : i; }

static const integer_set_t either_way = {0, 1};

/* ---- Comparisons ----------------------------------------------------------------------------- */

static bool holds(comparison_t comparison, double a, double b) {
  switch (comparison) {
    case COMPARISON_LESS:
      return a < b;
    case COMPARISON_LESS_EQUAL:
      return a <= b;
    case COMPARISON_EQUAL:
      return a == b;
  }
  g_assert_not_reached();
}

/* Of two intervals: known if both ends of each say the same.  NaN stands for nothing known. */
static integer_set_t compare_fast(comparison_t comparison, const fast_numbers_t *a, size_t i,
                                  const fast_numbers_t *b, size_t j) {
  bool is_known = a->low[i] <= a->high[i] && b->low[j] <= b->high[j];
  bool has_points = a->low[i] == a->high[i] && b->low[j] == b->high[j];
  bool is_finite =
      isfinite(a->low[i]) && isfinite(a->high[i]) && isfinite(b->low[j]) && isfinite(b->high[j]);
  if (!is_known || (!is_finite && !has_points)) return either_way;
  bool first = holds(comparison, a->low[i], b->high[j]);
  bool second = holds(comparison, a->high[i], b->low[j]);
  bool meets = a->low[i] <= b->high[j] && b->low[j] <= a->high[i];
  if (comparison == COMPARISON_EQUAL && meets && !has_points) return either_way;
  return first == second ? integer_set_of(first ? 1 : 0) : either_way;
}

/* The least and the largest number of a set, infinities and zeros included.  False: only NaN. */
static bool find_ends(const enclosed_t *set, mpfr_ptr low, mpfr_ptr high) {
  bool has_any = set->has_finite;
  if (has_any) {
    mpfr_set(low, set->low, MPFR_RNDD);
    mpfr_set(high, set->high, MPFR_RNDU);
    if (enclosed_has_zero(set) && mpfr_sgn(low) > 0) mpfr_set_zero(low, 1);
    if (enclosed_has_zero(set) && mpfr_sgn(high) < 0) mpfr_set_zero(high, 1);
  }
  if ((set->specials & ENCLOSED_NEGATIVE_INFINITY) != 0) {
    mpfr_set_inf(low, -1);
    if (!has_any) mpfr_set_inf(high, -1);
    has_any = true;
  }
  if ((set->specials & ENCLOSED_POSITIVE_INFINITY) != 0) {
    mpfr_set_inf(high, 1);
    if (!has_any) mpfr_set_inf(low, 1);
    has_any = true;
  }
  return has_any;
}

/* theory.md, T153. */
static integer_set_t compare_enclosed(comparison_t comparison, const enclosed_t *a,
                                      const enclosed_t *b) {
  LOCAL_NUMBER(a_low);
  LOCAL_NUMBER(a_high);
  LOCAL_NUMBER(b_low);
  LOCAL_NUMBER(b_high);
  bool has_both = find_ends(a, a_low, a_high) && find_ends(b, b_low, b_high);
  bool has_nan = ((a->specials | b->specials) & ENCLOSED_NAN) != 0;
  if (!has_both) return integer_set_of(0);
  bool may_be = false, may_not_be = false;
  switch (comparison) {
    case COMPARISON_LESS:
      may_be = mpfr_less_p(a_low, b_high) != 0;
      may_not_be = mpfr_greaterequal_p(a_high, b_low) != 0;
      break;
    case COMPARISON_LESS_EQUAL:
      may_be = mpfr_lessequal_p(a_low, b_high) != 0;
      may_not_be = mpfr_greater_p(a_high, b_low) != 0;
      break;
    case COMPARISON_EQUAL:
      may_be = mpfr_lessequal_p(a_low, b_high) != 0 && mpfr_lessequal_p(b_low, a_high) != 0;
      may_not_be = !mpfr_equal_p(a_low, a_high) || !mpfr_equal_p(b_low, b_high) ||
                   !mpfr_equal_p(a_low, b_low);
      break;
  }
  return (integer_set_t){may_not_be || has_nan ? 0 : 1, may_be ? 1 : 0};
}

integer_set_t formula_compare(const formula_t *formula, comparison_t comparison, row_t a, size_t i,
                              row_t b, size_t j) {
  i = place(a, i);
  j = place(b, j);
  if (is_fast(formula)) return compare_fast(comparison, a.fast, i, b.fast, j);
  if (!is_model(formula)) {
    return compare_enclosed(comparison, &a.enclosed[i], &b.enclosed[j]);
  }
  return integer_set_of(holds(comparison, a.values[i], b.values[j]) ? 1 : 0);
}

/* ---- Floats as integers ---------------------------------------------------------------------- */

/* How a fraction is left out. */
typedef enum whole { WHOLE_TOWARDS_ZERO, WHOLE_NEAREST_EVEN } whole_t;

static double whole_of(whole_t whole, double x) {
  return whole == WHOLE_TOWARDS_ZERO ? trunc(x) : rint(x);
}

/* theory.md, T155, T200: between the ends, if the type has both of them. */
static integer_set_t integers_of_enclosed(whole_t whole, const element_t *to,
                                          const enclosed_t *set) {
  const uint8_t strange = ENCLOSED_NAN | ENCLOSED_POSITIVE_INFINITY | ENCLOSED_NEGATIVE_INFINITY;
  LOCAL_NUMBER(low);
  LOCAL_NUMBER(high);
  if ((set->specials & strange) != 0 || !find_ends(set, low, high)) {
    return integer_set_everything(to);
  }
  mpfr_ptr ends[] = {low, high};
  for (int i = 0; i < 2; i++) {
    if (whole == WHOLE_TOWARDS_ZERO) mpfr_trunc(ends[i], ends[i]);
    if (whole == WHOLE_NEAREST_EVEN) mpfr_roundeven(ends[i], ends[i]);
  }
  if (mpfr_cmp_d(low, -0x1p63) < 0 || mpfr_cmp_d(high, 0x1p64) >= 0) {
    return integer_set_everything(to);
  }
  integer_t values[2];
  for (int i = 0; i < 2; i++) {
    values[i] = mpfr_sgn(ends[i]) < 0 ? (integer_t)mpfr_get_si(ends[i], MPFR_RNDZ)
                                      : (integer_t)mpfr_get_ui(ends[i], MPFR_RNDZ);
  }
  return integer_set_convert(to, (integer_set_t){values[0], values[1]});
}

/* Whether an integer_t has the number without its fraction. */
static bool is_moderate(double x) { return x > -0x1p100 && x < 0x1p100; }

/* A model delivers the nearest value that the type has, and 0 for NaN. */
static integer_set_t integer_of_model(whole_t whole, const element_t *to, double x) {
  integer_set_t all = integer_set_everything(to);
  if (isnan(x)) return integer_set_of(0);
  integer_t value = is_moderate(x) ? (integer_t)whole_of(whole, x) : x < 0 ? all.low : all.high;
  return integer_set_of(CLAMP(value, all.low, all.high));
}

static integer_set_t integers_of(const formula_t *formula, whole_t whole, const element_t *to,
                                 row_t a, size_t i) {
  i = place(a, i);
  if (is_model(formula)) return integer_of_model(whole, to, a.values[i]);
  if (!is_fast(formula)) return integers_of_enclosed(whole, to, &a.enclosed[i]);
  double low = whole_of(whole, a.fast->low[i]), high = whole_of(whole, a.fast->high[i]);
  bool is_known = is_moderate(low) && is_moderate(high) && low == high;
  if (!is_known || !integer_is_of(to, (integer_t)low)) return integer_set_everything(to);
  return integer_set_of((integer_t)low);
}

integer_set_t formula_truncate(const formula_t *formula, const element_t *to, row_t a, size_t i) {
  return integers_of(formula, WHOLE_TOWARDS_ZERO, to, a, i);
}

integer_set_t formula_round(const formula_t *formula, const element_t *to, row_t a, size_t i) {
  return integers_of(formula, WHOLE_NEAREST_EVEN, to, a, i);
}

/* ---- Integers as floats ---------------------------------------------------------------------- */

/* A number of binary64 that rounds to any narrower format as the integer does: what it does not
 * hold is a last bit of 1. */
static double to_odd_double(integer_t value) {
  bool is_negative = value < 0;
  uint64_t magnitude = (uint64_t)(is_negative ? -value : value);
  int excess = magnitude == 0 ? 0 : MAX(64 - __builtin_clzll(magnitude) - 53, 0);
  uint64_t kept = magnitude >> excess;
  if ((kept << excess) != magnitude) kept |= 1;
  double result = ldexp((double)kept, excess);
  return is_negative ? -result : result;
}

static row_t from_integer(formula_t *formula, integer_t value) {
  double odd = to_odd_double(value);
  bool is_held = (integer_t)odd == value;
  if (is_held) return formula_number(formula, odd);
  bool is_binary64 = formula->format == &format_table[FORMAT_f64];
  if (is_model(formula)) return formula_number(formula, is_binary64 ? (double)value : odd);
  if (is_fast(formula)) return formula_number(formula, odd);
  char digits[32];
  bool is_negative = value < 0;
  snprintf(digits, sizeof digits, "%s%llu", is_negative ? "-" : "",
           (unsigned long long)(is_negative ? -value : value));
  return formula_constant(formula, &(const real_t){digits, (double)value});
}

row_t formula_from_integers(formula_t *formula, const format_t *format, const integer_set_t *sets,
                            size_t count) {
  formula_t of_format = *formula;
  if (format != NULL) of_format.format = format;
  row_t *rows = ARENA_NEW_ARRAY(formula->arena, row_t, MAX(count, 1));
  for (size_t i = 0; i < count; i++) {
    if (!integer_set_is_point(&sets[i]) && is_fast(formula)) {
      rows[i] = formula_number(&of_format, (double)NAN);
      continue;
    }
    rows[i] = from_integer(&of_format, sets[i].low);
    if (integer_set_is_point(&sets[i])) continue;
    rows[i] = formula_either(&of_format, rows[i], from_integer(&of_format, sets[i].high));
  }
  return formula_join(formula, rows, count);
}

/* ---- Anything -------------------------------------------------------------------------------- */

bool formula_is_fast(const formula_t *formula) { return is_fast(formula); }

row_t formula_anything(formula_t *formula) {
  if (is_model(formula)) return formula_number(formula, 0);
  if (is_fast(formula)) return formula_number(formula, (double)NAN);
  enclosed_t *anything = enclosed_new(formula->arena, 1);
  enclosed_set_anything(anything);
  return (row_t){.count = 1, .enclosed = anything};
}

/* ---- Conversions and choices ----------------------------------------------------------------- */

/* One rounding: the product with 1 is exact.  A format that holds all of the evaluator's numbers
 * rounds nothing. */
row_t formula_convert(formula_t *formula, const format_t *format, row_t a) {
  if (arithmetic_format_holds(format, formula->format)) return a;
  if (is_fast(formula)) { /* Which has one format. */
    double *nothing = ARENA_NEW_ARRAY(formula->arena, double, MAX(a.count, 1));
    for (size_t i = 0; i < a.count; i++) nothing[i] = (double)NAN;
    fast_numbers_t *unknown = fast_new(formula, a.count);
    unknown->low = unknown->high = unknown->point = nothing;
    return (row_t){.count = a.count, .fast = unknown};
  }
  formula_t of_format = *formula;
  of_format.format = format;
  return formula_multiply(&of_format, a, formula_number(&of_format, 1));
}

/* Places of `a`, then of `b`, then one of nothing known. */
row_t formula_select(formula_t *formula, const integer_set_t *conditions, size_t condition_count,
                     row_t a, row_t b) {
  size_t count = condition_count;
  if (count == 1) count = a.count == 1 ? b.count : a.count;
  const row_t parts[] = {a, b, is_fast(formula) ? formula_number(formula, (double)NAN) : a};
  row_t joined = formula_join(formula, parts, 3);
  size_t *first = ARENA_NEW_ARRAY(formula->arena, size_t, MAX(count, 1));
  size_t *second = ARENA_NEW_ARRAY(formula->arena, size_t, MAX(count, 1));
  bool has_undecided = false;
  for (size_t i = 0; i < count; i++) {
    const integer_set_t *condition = &conditions[condition_count == 1 ? 0 : i];
    bool is_undecided = !integer_set_is_point(condition);
    size_t of_a = place(a, i), of_b = a.count + place(b, i);
    first[i] = condition->high != 0 ? of_a : of_b;
    second[i] = condition->low != 0 ? of_a : of_b;
    if (is_undecided && is_fast(formula)) first[i] = second[i] = a.count + b.count;
    has_undecided = has_undecided || first[i] != second[i];
  }
  row_t chosen = formula_pick(formula, joined, first, count);
  if (!has_undecided) return chosen;
  return formula_either(formula, chosen, formula_pick(formula, joined, second, count));
}
