/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of the fast evaluator, and what is made of them: any values of the terms, in any order. */
#include "oracles/formula/fast/fast_sums.h"

#include "generated/exact_permissions.h"
#include "oracles/exact/error_bound.h"
#include "oracles/formula/fast/fast_row_steps.h"

static bool are_points(const fast_numbers_t *numbers) {
  bool are_equal = true;
  for (size_t i = 0; i < numbers->count; i++) are_equal &= numbers->low[i] == numbers->high[i];
  return are_equal;
}

/* Whether no sum of these numbers in any order rounds: enclosed_sums.c.  What that one knows to be
 * exact must be so here too (theory.md, T232). */
static bool is_exact(const formula_t *formula, const fast_numbers_t *terms, double magnitude) {
  const format_t *format = formula->format;
  if (!terms->are_points && !are_points(terms)) return false;
  if (magnitude == 0) return true;
  if (terms->tail != NULL) magnitude *= 1 - (double)terms->count * 0x1p-52; /* theory.md, T232. */
  if (!(magnitude < format_to_double(format, format->largest_bits))) return false;
  int bit = ilogb(magnitude) - format->precision;
  if (magnitude > ldexp(1, bit + format->precision)) bit++;
  int lowest = format->exponent_min - format->precision + 1;
  return kernels_of(formula)->are_multiples(terms->low, terms->count, bit > lowest ? bit : lowest);
}

/* Whether one operation may be all that rounds (enclosed_sums.c): at most one term is not 0, or two
 * that are no products, or none that rounds. */
static bool may_round_once(const formula_t *formula, const fast_numbers_t *terms,
                           bool are_products) {
  if (PERMITTED(formula->contract, accum_wider) == ACCUM_WIDER_NO) return false;
  size_t nonzero = 0;
  bool are_f32 = true;
  for (size_t i = 0; i < terms->count && nonzero <= 2; i++) {
    nonzero += terms->low[i] != 0 || terms->high[i] != 0;
    are_f32 = are_f32 && nearest(formula, terms->low[i]) == terms->low[i];
  }
  return nonzero <= 1 || (nonzero == 2 && (!are_products || are_f32));
}

/* What the fast sum may be off by, in units of its magnitude: theory.md, T69 and T232. */
static double slop_of(const formula_t *formula, size_t count, bool are_products) {
  if (!is_f64(kernels_of(formula)->format)) return (double)count * 0x1p-51;
  return (double)count * 0x1p-100 + (are_products ? 0x1.01p-53 : 0);
}

/* How sums of so many terms may err.  Where their trees are flat, what LESS leaves of the bound
 * grows with the depth, and what binary64 loses with the terms: of more than 2^20 nothing is told
 * (theory.md, T239). */
static error_bound_t bound_of(const formula_t *formula, size_t count, bool are_products) {
  enum { FLAT_TERMS_MAX = 1 << 20 };
  const contract_t *contract = formula->contract;
  if (PERMITTED(contract, depth) != DEPTH_ANY && count > FLAT_TERMS_MAX) {
    return (error_bound_t){.factor = INFINITY, .total_factor = INFINITY};
  }
  const bound_shape_t shape = {.terms = count,
                               .leaves = count,
                               .products_round = are_products,
                               .products_underflow = are_products,
                               .is_product = are_products};
  return error_bound_sum(formula->format, contract, shape);
}

/* Sums of groups of terms. */
typedef struct sums {
  bool are_products;
  double bound;          /* Of so many terms; NaN until a sum needs it. */
  fast_totals_t *totals; /* Of each group. */
  fast_numbers_t *out;
} sums_t;

static void sum_group(const formula_t *formula, const fast_numbers_t *terms, size_t group,
                      sums_t *inout) {
  fast_totals_t *totals = &inout->totals[group];
  kernels_of(formula)->sum(terms, totals);
  const pair_t point = {totals->point, totals->point_tail};
  double factor = 0, slop = 0;
  if (may_round_once(formula, terms, inout->are_products)) {
    /* The sum of two binary32 numbers is rounded right by way of binary64, as is one number; and
     * that of two of binary64 as it is (theory.md, T232). */
  } else if (!is_exact(formula, terms, totals->low_magnitude)) {
    if (isnan(inout->bound)) {
      inout->bound = bound_of(formula, terms->count, inout->are_products).factor;
    }
    factor = inout->bound * LESS;
    slop = slop_of(formula, terms->count, inout->are_products);
    bool is_rounded_twice = terms->tail != NULL && terms->count <= 2; /* theory.md, T232. */
    if (is_rounded_twice && factor < slop) factor = slop = 0;
  }
  bool is_lost = inout->are_products && fast_rounds_tiny(formula->contract, terms);
  bool is_short = terms->tail != NULL && factor < slop;
  if (is_lost || is_short || !(factor < 1)) {
    store_number(inout->out, group, NAN, NAN, point);
    return;
  }
  double low = totals->low + (totals->low_tail - (factor - slop) * totals->low_magnitude);
  double high = totals->high + (totals->high_tail + (factor - slop) * totals->high_magnitude);
  store_number(inout->out, group, nearest(formula, low), nearest(formula, high), point);
}

/* And what they are made of, if `out_totals` is not NULL. */
static row_t sum_terms(formula_t *formula, const fast_numbers_t *terms, bool are_products,
                       fast_totals_t **out_totals) {
  const size_t groups = fast_groups(formula), count = terms->count / groups;
  sums_t sums = {.are_products = are_products,
                 .bound = NAN,
                 .totals = ARENA_NEW_ARRAY(formula->arena, fast_totals_t, groups),
                 .out = fast_new(formula, 1)};
  for (size_t g = 0; g < groups; g++) {
    const fast_numbers_t of_group = fast_slice(terms, g * count, count);
    sum_group(formula, &of_group, g, &sums);
  }
  if (out_totals != NULL) *out_totals = sums.totals;
  return row_of(formula, sums.out);
}

row_t fast_sum(formula_t *formula, row_t a) { return sum_terms(formula, a.fast, false, NULL); }

row_t fast_sum_of_products(formula_t *formula, row_t a, row_t b) {
  fast_numbers_t *products = fast_new(formula, a.count);
  kernels_of(formula)->products(a.fast, b.fast, products);
  products->are_points = a.fast->are_points && b.fast->are_points;
  return sum_terms(formula, products, true, NULL);
}

/* theory.md, T63, T69 and T232: with a sum of squares, and a distance of the mean, that are a
 * little less than the exact ones. */
static void squares_about(const formula_t *formula, const fast_numbers_t *a,
                          const fast_numbers_t *m, double bound, fast_numbers_t *out,
                          size_t group) {
  double n = (double)a->count;
  bool is_double = m->tail != NULL;
  fast_totals_t squares, totals;
  kernels_of(formula)->squared_deviations(a, m, &squares);
  kernels_of(formula)->sum(a, &totals);
  double mean_error = (n + 1) * (is_double ? 0x1p-98 : 0x1p-52) * (totals.low_magnitude / n);
  double distance = fmax(fabs(m->low[0] - m->point[0]), fabs(m->high[0] - m->point[0]));
  distance = fmax(distance * (1 - 0x1p-40) - mean_error, 0);
  if (is_double) distance = fmax(distance - fabs(m->tail[0]), 0);
  double factor = bound * LESS, u = format_unit_roundoff(formula->format) * LESS;
  const pair_t point = {squares.point, squares.point_tail};
  double lost = n * mean_error * mean_error, square = n * distance * distance;
  if (!(factor < 1)) {
    store_number(out, group, NAN, NAN, point);
  } else if (is_double) {
    double room = factor + 2 * u - 0x1p-70;
    pair_t low = point, high = pair_add_number(pair_add_number(point, -lost), square);
    low.low -= room * low.high;
    high.low += room * high.high;
    store_number(out, group, low.high + low.low, high.high + high.low, point);
  } else {
    double low = squares.point * (1 + 0x1p-40) * (1 - u) * (1 - u) * (1 - factor);
    double least = fmax(squares.point * (1 - 0x1p-40) - lost, 0);
    double high = (least + square) * (1 + u) * (1 + u) * (1 + factor);
    store_number(out, group, to_f32(low), to_f32(high), point);
  }
}

/* What both intervals hold. */
static row_t intersect(formula_t *formula, row_t a, row_t b) {
  fast_numbers_t *out = fast_new(formula, a.count);
  kernels_of(formula)->intersect(a.fast, b.fast, out);
  return row_of(formula, out);
}

/* Squares about the means that are intervals; of the others, which are not known or one number,
 * nothing is told. */
static row_t squares_about_means(formula_t *formula, row_t a, row_t mean) {
  fast_numbers_t *about = fast_new(formula, 1);
  const double bound = bound_of(formula, a.count, true).factor;
  for (size_t g = 0; g < about->count; g++) {
    const fast_numbers_t of_group = fast_slice(a.fast, g * a.count, a.count);
    const fast_numbers_t of_mean = fast_slice(mean.fast, g, 1);
    bool is_interval = of_mean.low[0] < of_mean.high[0];
    if (is_interval) squares_about(formula, &of_group, &of_mean, bound, about, g);
    if (!is_interval) store_number(about, g, 0, 0, pair_of(0));
  }
  row_t row = row_of(formula, about);
  for (size_t g = 0; g < about->count; g++) {
    if (mean.fast->low[g] < mean.fast->high[g]) continue;
    about->low[g] = -INFINITY;
    about->high[g] = INFINITY;
  }
  return row;
}

row_t fast_squared_deviations(formula_t *formula, row_t a, row_t mean) {
  bool are_intervals = false;
  for (size_t g = 0; g < mean.fast->count; g++) {
    are_intervals = are_intervals || mean.fast->low[g] < mean.fast->high[g];
  }
  row_t deviations = fast_binary(formula, FAST_SUBTRACT, a, mean);
  row_t squares = fast_sum_of_products(formula, deviations, deviations);
  if (are_intervals && a.fast->are_points && PERMITTED(formula->contract, ftz) == FTZ_NONE) {
    return intersect(formula, squares, squares_about_means(formula, a, mean));
  }
  return squares;
}

/* theory.md, T67, T69 and T150.  Near the ends of the range of the format the enclosed evaluator
 * may take the one or the other. */
row_t fast_shares(formula_t *formula, row_t a) {
  const fast_kernels_t *kernels = kernels_of(formula);
  const double bound = bound_of(formula, a.count, false).total_factor;
  const size_t groups = fast_groups(formula);
  fast_totals_t *totals;
  row_t sum = sum_terms(formula, a.fast, false, &totals);
  row_t plain = fast_binary(formula, FAST_DIVIDE, a, sum);
  if (bound >= 0.25) return plain;
  const double most = a.fast->tail != NULL ? 0x1p800 : 0x1p100;
  fast_numbers_t *out = fast_new(formula, a.count);
  for (size_t g = 0; g < groups; g++) {
    const fast_numbers_t of_group = fast_slice(a.fast, g * a.count, a.count);
    fast_numbers_t results = fast_slice(out, g * a.count, a.count);
    if (totals[g].low > 1 / most && totals[g].high < most) {
      kernels->shares(&of_group, &totals[g], bound * LESS, &results);
      continue;
    }
    for (size_t i = 0; i < a.count; i++) store_number(&results, i, NAN, NAN, pair_of(NAN));
  }
  return intersect(formula, plain, row_of(formula, out));
}
