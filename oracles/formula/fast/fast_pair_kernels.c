/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of the fast evaluator in binary64.  Compiled once for each instruction set
 * (vector_kernels.cmake).  Nothing but the table at the end is visible outside.
 *
 * Ends are what binary64 itself makes of a step of ends: those of an implementation that computes
 * step by step.  Exact values, sums and functions are pairs (theory.md, T230 to T232). */
#include <float.h>

#include "oracles/exact/vector_kernels.h"
#include "oracles/formula/fast/fast_kernels.h"
#include "oracles/formula/fast/fast_pair_functions.h"
#include "oracles/formula/fast/fast_pair_sums.h"
#include "oracles/formula/fast/fast_row_loops.h"
#include "oracles/formula/fast/fast_steps.h"

/* The pair; or where the numbers are infinite, what binary64 gives. */
KERNEL_INLINE pair_t finite_pair(pair_t x, double plain) {
  bool is_finite = fabs(plain) <= DBL_MAX;
  return (pair_t){is_finite ? x.high : plain, is_finite ? x.low : 0};
}

/* A product, or a quotient, that is 0 though it should not be. */
KERNEL_INLINE pair_t nonzero_pair(pair_t x, bool is_zero) {
  bool is_lost = (x.high == 0) & !is_zero;
  return (pair_t){is_lost ? PAIR_TINY : x.high, x.low};
}

/* Gives up what has no order, or may be infinite, but for what is -infinity for sure; and whose
 * exact value is not known. */
KERNEL_INLINE void store(fast_numbers_t *out, size_t i, double low, double high, pair_t point) {
  const double nan = not_a_number();
  bool is_good = (low <= high) & (high <= DBL_MAX) & ((low >= -DBL_MAX) | (high < -DBL_MAX)) &
                 ((point.high == 0) | (fabs(point.high) > PAIR_LEAST) | ((low == 0) & (high == 0)));
  out->low[i] = is_good ? low : nan;
  out->high[i] = is_good ? high : nan;
  out->point[i] = point.high;
  out->tail[i] = point.low;
}

/* ---- Arithmetic ------------------------------------------------------------------------------ */

static void add(const fast_numbers_t *a, const fast_numbers_t *b, fast_numbers_t *out) {
  for (size_t i = 0; i < out->count; i++) {
    pair_t point = pair_add(point_of(a, i), point_of(b, i));
    store(out, i, a->low[i] + b->low[i], a->high[i] + b->high[i],
          finite_pair(point, a->point[i] + b->point[i]));
  }
}

static void subtract(const fast_numbers_t *a, const fast_numbers_t *b, fast_numbers_t *out) {
  for (size_t i = 0; i < out->count; i++) {
    pair_t point = pair_subtract(point_of(a, i), point_of(b, i));
    store(out, i, a->low[i] - b->high[i], a->high[i] - b->low[i],
          finite_pair(point, a->point[i] - b->point[i]));
  }
}

/* The interval of four results at corners; nothing if one of them is NaN, or they are infinite of
 * both signs. */
KERNEL_INLINE void store_corners(fast_numbers_t *out, size_t i, const double at[4], pair_t point) {
  double total = (at[0] + at[1]) + (at[2] + at[3]);
  double low = least(least(at[0], at[1]), least(at[2], at[3]));
  double high = most(most(at[0], at[1]), most(at[2], at[3]));
  store(out, i, total == total ? low : not_a_number(), high, point);
}

static void multiply(const fast_numbers_t *a, const fast_numbers_t *b, fast_numbers_t *out) {
  for (size_t i = 0; i < out->count; i++) {
    double c = a->low[i], d = a->high[i], e = b->low[i], f = b->high[i];
    const double at[4] = {c * e, c * f, d * e, d * f};
    pair_t point = pair_multiply(point_of(a, i), point_of(b, i));
    point = finite_pair(point, a->point[i] * b->point[i]);
    store_corners(out, i, at, nonzero_pair(point, (a->point[i] == 0) | (b->point[i] == 0)));
  }
}

/* Divisors on both sides of zero, or at it, give infinite or unordered ends. */
static void divide(const fast_numbers_t *a, const fast_numbers_t *b, fast_numbers_t *out) {
  for (size_t i = 0; i < out->count; i++) {
    double c = a->low[i], d = a->high[i], e = b->low[i], f = b->high[i];
    bool is_apart = (e > 0) | (f < 0);
    const double at[4] = {is_apart ? c / e : not_a_number(), c / f, d / e, d / f};
    pair_t point = pair_divide(point_of(a, i), point_of(b, i));
    point = finite_pair(point, a->point[i] / b->point[i]);
    store_corners(out, i, at, nonzero_pair(point, a->point[i] == 0));
  }
}

static void binary(fast_binary_t operation, const fast_numbers_t *a, const fast_numbers_t *b,
                   fast_numbers_t *out) {
  switch (operation) {
    case FAST_ADD:
      return add(a, b, out);
    case FAST_SUBTRACT:
      return subtract(a, b, out);
    case FAST_MULTIPLY:
      return multiply(a, b, out);
    case FAST_DIVIDE:
      return divide(a, b, out);
  }
}

static void square(const fast_numbers_t *a, fast_numbers_t *out) {
  for (size_t i = 0; i < out->count; i++) {
    double p = a->low[i] * a->low[i], q = a->high[i] * a->high[i];
    bool has_zero = (a->low[i] <= 0) & (a->high[i] >= 0);
    pair_t point = pair_multiply(point_of(a, i), point_of(a, i));
    point = finite_pair(point, a->point[i] * a->point[i]);
    store(out, i, has_zero ? 0 : least(p, q), most(p, q), nonzero_pair(point, a->point[i] == 0));
  }
}

static void square_root(const fast_numbers_t *a, fast_numbers_t *out) {
  for (size_t i = 0; i < out->count; i++) {
    double root = sqrt(a->point[i]);
    pair_t point = pair_square_root(point_of(a, i));
    bool is_zero = root == 0;
    store(out, i, sqrt(a->low[i]), sqrt(a->high[i]),
          (pair_t){is_zero ? root : point.high, is_zero ? 0 : point.low});
  }
}

/* Of points, with which all four corners are one. */
static void products_of_points(const fast_numbers_t *a, const fast_numbers_t *b,
                               fast_numbers_t *out) {
  for (size_t i = 0; i < out->count; i++) {
    double product = a->low[i] * b->low[i];
    bool has_zero = (a->low[i] == 0) | (b->low[i] == 0);
    bool is_told = has_zero | (fabs(product) > PAIR_LEAST);
    pair_t point = nonzero_pair(pair_multiply(point_of(a, i), point_of(b, i)), has_zero);
    out->low[i] = out->high[i] = is_told ? product : not_a_number();
    out->point[i] = point.high;
    out->tail[i] = point.low;
  }
}

static void products(const fast_numbers_t *a, const fast_numbers_t *b, fast_numbers_t *out) {
  bool is_square = a == b;
  if (a->are_points && b->are_points) {
    products_of_points(a, b, out);
    return;
  }
  for (size_t i = 0; i < out->count; i++) {
    double p = a->low[i] * b->low[i], q = a->low[i] * b->high[i];
    double r = a->high[i] * b->low[i], s = a->high[i] * b->high[i];
    bool has_zero = is_square & (a->low[i] <= 0) & (a->high[i] >= 0);
    double low = is_square ? least(p, s) : least(least(p, q), least(r, s));
    double high = is_square ? most(p, s) : most(most(p, q), most(r, s));
    low = has_zero ? 0 : low;
    bool are_told = ((low == 0) | (fabs(low) > PAIR_LEAST)) &
                    ((high == 0) | (fabs(high) > PAIR_LEAST)) & (p + q + r + s == p + q + r + s);
    /* Of a zero that is not exact its size is not known. */
    bool is_exact = (low != 0) | (high != 0) | (a->low[i] == 0) | (b->low[i] == 0);
    pair_t point = pair_multiply(point_of(a, i), point_of(b, i));
    point = nonzero_pair(point, (a->point[i] == 0) | (b->point[i] == 0));
    out->low[i] = (are_told & is_exact) ? low : not_a_number();
    out->high[i] = (are_told & is_exact) ? high : not_a_number();
    out->point[i] = point.high;
    out->tail[i] = point.low;
  }
}

/* ---- Elementary functions -------------------------------------------------------------------- */

/* The range of a function; an odd one keeps to the side of zero on which its argument is. */
typedef struct function_range {
  double floor;
  double ceiling;
  bool is_odd;
  bool decreases;
} function_range_t;

KERNEL_INLINE double ulps_at(const fast_error_t *error, double x) {
  double magnitude = least(fabs(x), CONTRACT_EXP_MAGNITUDE_MAX);
  return most(error->ulps, error->start + error->growth * magnitude);
}

/* A function at both ends. */
KERNEL_INLINE void store_function(fast_numbers_t *out, size_t i, pair_t at_low, pair_t at_high,
                                  const double ulps[2], const function_range_t *range) {
  pair_t lesser = pair_choose(range->decreases, at_high, at_low);
  pair_t larger = pair_choose(range->decreases, at_low, at_high);
  double ulps_low = range->decreases ? ulps[1] : ulps[0];
  double ulps_high = range->decreases ? ulps[0] : ulps[1];
  bool positive = range->is_odd & (lesser.high > 0), negative = range->is_odd & (larger.high < 0);
  double low = function_low(lesser, ulps_low, positive ? 0.0 : range->floor);
  double high = function_high(larger, ulps_high, negative ? -0.0 : range->ceiling);
  store(out, i, low, high, (pair_t){out->point[i], out->tail[i]});
}

/* A function at the exact value x + d of its argument, by its first derivative: what is left out is
 * below 2^-85 of it, but for ln near 1, where d counts with the square of 1 / ln x.  Points are for
 * measures; ends that are made of them are where T275 bounds that. */
#define POINTS(kernel, change)                                                              \
  do {                                                                                      \
    for (size_t i = 0; i < out->count; i++) {                                               \
      const double x = a->point[i], d = a->tail[i];                                         \
      const pair_t value = kernel(x), point = moved_by(value, d, change(x, value.high, d)); \
      out->point[i] = point.high;                                                           \
      out->tail[i] = point.low;                                                             \
    }                                                                                       \
  } while (0)

/* Whether the ends of all arguments are so near to their points, and the values at these at least
 * `least_value`, that a derivative tells the values at the ends: theory.md, T275. */
static bool are_near(const fast_numbers_t *a, const double *values, double least_value) {
  const size_t count = a->count;
  uint64_t is_apart = 0;
  for (size_t i = 0; i < count; i++) {
    double reach = fabs(a->point[i]) * 0x1p-48;
    bool is_near = (fabs(a->low[i] - a->point[i]) <= reach) &
                   (fabs(a->high[i] - a->point[i]) <= reach) & (fabs(values[i]) >= least_value);
    is_apart |= is_near ? 0 : 1;
  }
  return is_apart == 0;
}

#define APPLY(kernel, change, floor, ceiling, is_odd, decreases, least_value)                   \
  do {                                                                                          \
    const function_range_t range = {floor, ceiling, is_odd, decreases};                         \
    POINTS(kernel, change);                                                                     \
    const size_t count = out->count, points = a->are_points ? count : 0;                        \
    const size_t near = are_near(a, out->point, least_value) ? count : points;                  \
    for (size_t i = 0; i < points; i++) {                                                       \
      const double ulps = ulps_at(&error, a->point[i]);                                         \
      const double both[] = {ulps, ulps};                                                       \
      pair_t value = {out->point[i], out->tail[i]};                                             \
      store_function(out, i, value, value, both, &range);                                       \
    }                                                                                           \
    for (size_t i = points; i < near; i++) {                                                    \
      const double ulps[] = {ulps_at(&error, a->low[i]), ulps_at(&error, a->high[i])};          \
      const double x = a->point[i];                                                             \
      const double below = (a->low[i] - x) - a->tail[i], above = (a->high[i] - x) - a->tail[i]; \
      const pair_t value = {out->point[i], out->tail[i]};                                       \
      store_function(out, i, moved_by(value, below, change(x, value.high, below)),              \
                     moved_by(value, above, change(x, value.high, above)), ulps, &range);       \
    }                                                                                           \
    for (size_t i = near; i < count; i++) {                                                     \
      const double ulps[] = {ulps_at(&error, a->low[i]), ulps_at(&error, a->high[i])};          \
      store_function(out, i, kernel(a->low[i]), kernel(a->high[i]), ulps, &range);              \
    }                                                                                           \
  } while (0)

static void apply(elementary_t function, fast_error_t error, const fast_numbers_t *a,
                  fast_numbers_t *out) {
  switch (function) {
    case ELEMENTARY_exp:
      APPLY(exp_of, exp_change, 0, DBL_MAX, false, false, 0);
      break;
    case ELEMENTARY_exp2:
      APPLY(exp2_of, exp2_change, 0, DBL_MAX, false, false, 0);
      break;
    case ELEMENTARY_log:
      APPLY(pair_log, log_change, -DBL_MAX, DBL_MAX, false, false, 0x1p-20);
      break;
    case ELEMENTARY_erf:
      APPLY(pair_erf, erf_change, -1, 1, true, false, 0);
      break;
    case ELEMENTARY_erfc:
      APPLY(pair_erfc, erfc_change, 0, 2, false, true, 0);
      break;
    case ELEMENTARY_tanh:
      APPLY(pair_tanh, tanh_change, -1, 1, true, false, 0);
      break;
    case ELEMENTARY_rsqrt:
      APPLY(pair_rsqrt, rsqrt_change, 0, DBL_MAX, false, true, 0);
      break;
    default: /* The evaluator asks for no other one. */
      break;
  }
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static double greatest(const double *a, size_t count) { return greatest_of(a, count); }

static bool are_multiples(const double *a, size_t count, int bit) {
  bool are_all = true;
  for (size_t i = 0; i < count; i++) are_all &= binary64_lowest_bit(a[i]) >= bit;
  return are_all;
}

/* theory.md, T67 and T232: the error is a little less than permitted. */
static void shares(const fast_numbers_t *a, const fast_totals_t *totals, double error,
                   fast_numbers_t *out) {
  const pair_t high_total = {totals->high, totals->high_tail};
  const pair_t low_total = {totals->low, totals->low_tail};
  double slop = totals->high_magnitude * ((double)a->count * 0x1p-100);
  for (size_t i = 0; i < out->count; i++) {
    pair_t others = pair_add_number(pair_add_number(high_total, -a->high[i]), -slop);
    others = pair_choose(others.high > 0, others, pair_of(0));
    pair_t divisor = pair_multiply(pair_add_number(others, a->low[i]), pair_exact_sum(1, error));
    double low = pair_scale(pair_divide(pair_of(a->low[i]), divisor), 1 + 0x1p-52).high;
    others = pair_add_number(pair_add_number(low_total, -a->low[i]), slop);
    divisor = pair_multiply(pair_add_number(others, a->high[i]), pair_exact_sum(1, -error));
    double high = pair_scale(pair_divide(pair_of(a->high[i]), divisor), 1 - 0x1p-52).high;
    pair_t point = pair_divide(point_of(a, i), (pair_t){totals->point, totals->point_tail});
    store(out, i, least(low, 1), least(high, 1), point);
  }
}

static void finish(const fast_numbers_t *a, const format_t *format, double *low, double *high) {
  bool is_f64 = format == &format_table[FORMAT_f64];
  for (size_t i = 0; i < a->count; i++) {
    low[i] = is_f64 ? a->low[i] : format_round_double(format, a->low[i]);
    high[i] = is_f64 ? a->high[i] : format_round_double(format, a->high[i]);
  }
}

extern const fast_kernels_t KERNEL_TABLE(fast_pair_kernels_);
const fast_kernels_t KERNEL_TABLE(fast_pair_kernels_) = {
    .name = KERNEL_NAME,
    .format = &format_table[FORMAT_f64],
    .binary = binary,
    .square = square,
    .square_root = square_root,
    .apply = apply,
    .sum = sum,
    .products = products,
    .squared_deviations = squared_deviations,
    .greatest = greatest,
    .are_multiples = are_multiples,
    .shares = shares,
    .repeat = repeat,
    .either = either,
    .intersect = intersect,
    .forget_extremes = forget_extremes,
    .finish = finish,
};
