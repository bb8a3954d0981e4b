/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled once for each instruction set (vector_kernels.cmake).  Nothing but the table at the end
 * is visible outside. */
#include "oracles/formula/fast/fast_kernels.h"
#include "oracles/exact/vector_kernels.h"

#include <float.h>

#include "oracles/formula/fast/fast_functions.h"
#include "oracles/formula/fast/fast_joined_steps.h"
#include "oracles/formula/fast/fast_number_sums.h"
#include "oracles/formula/fast/fast_row_loops.h"
#include "oracles/formula/fast/fast_steps.h"

/* Ends are binary32 numbers.  Of two such numbers binary64 gives sums, products, quotients and
 * roots that, once rounded to binary32, are rounded right (Figueroa, "When is double rounding
 * innocuous?", 1995: 53 >= 2 * 24 + 2; products are exact), and all four operations are monotone in
 * each operand.  So what is computed here lies within what the enclosed evaluator computes of wider
 * operands: its ends are those of an implementation that computes in binary32 step by step. */
KERNEL_INLINE void store(fast_numbers_t *out, size_t i, double low, double high, double point) {
  const interval_t number = kept(low, high, point);
  out->low[i] = number.low;
  out->high[i] = number.high;
  out->point[i] = number.point;
}

/* ---- Arithmetic ------------------------------------------------------------------------------ */

/* Whether steps may stay unrounded is a constant of the loops below, of which each has two. */
#define BOTH_WAYS(loop, ...)    \
  do {                          \
    if (out->is_wide) {         \
      loop(__VA_ARGS__, true);  \
    } else {                    \
      loop(__VA_ARGS__, false); \
    }                           \
  } while (0)

KERNEL_INLINE void add(const fast_numbers_t *a, const fast_numbers_t *b, fast_numbers_t *out,
                       bool is_wide) {
  const size_t count = out->count;
  for (size_t i = 0; i < count; i++) {
    store(out, i, low_end(add_values(a->low[i], b->low[i]), is_wide),
          high_end(add_values(a->high[i], b->high[i]), is_wide), a->point[i] + b->point[i]);
  }
}

KERNEL_INLINE void subtract(const fast_numbers_t *a, const fast_numbers_t *b, fast_numbers_t *out,
                            bool is_wide) {
  const size_t count = out->count;
  for (size_t i = 0; i < count; i++) {
    store(out, i, low_end(add_values(a->low[i], -b->high[i]), is_wide),
          high_end(add_values(a->high[i], -b->low[i]), is_wide), a->point[i] - b->point[i]);
  }
}

/* The results of an operation at the ends of two intervals. */
typedef struct corners {
  step_value_t p;
  step_value_t q;
  step_value_t r;
  step_value_t s;
} corners_t;

/* The interval of four results at corners; nothing if one of them is NaN, or they are infinite of
 * both signs.  Rounding keeps their order, so that it may come last. */
KERNEL_INLINE void store_corners(fast_numbers_t *out, size_t i, corners_t at, double point,
                                 bool is_wide) {
  double total = (at.p.value + at.q.value) + (at.r.value + at.s.value), low, high;
  if (is_wide) {
    low = least(least(low_end(at.p, true), low_end(at.q, true)),
                least(low_end(at.r, true), low_end(at.s, true)));
    high = most(most(high_end(at.p, true), high_end(at.q, true)),
                most(high_end(at.r, true), high_end(at.s, true)));
  } else {
    low = to_f32(least(least(at.p.value, at.q.value), least(at.r.value, at.s.value)));
    high = to_f32(most(most(at.p.value, at.q.value), most(at.r.value, at.s.value)));
  }
  store(out, i, total == total ? low : not_a_number(), high, point);
}

/* `a_is_point`: a has points alone, as operands of a program are. */
KERNEL_INLINE void multiply(const fast_numbers_t *a, const fast_numbers_t *b, fast_numbers_t *out,
                            bool a_is_point, bool is_wide) {
  const size_t count = out->count;
  for (size_t i = 0; i < count; i++) {
    double c = a->low[i], d = a_is_point ? c : a->high[i], e = b->low[i], f = b->high[i];
    const corners_t at = {{c * e, is_f32(c) & is_f32(e)},
                          {c * f, is_f32(c) & is_f32(f)},
                          {d * e, is_f32(d) & is_f32(e)},
                          {d * f, is_f32(d) & is_f32(f)}};
    store_corners(out, i, at, a->point[i] * b->point[i], is_wide);
  }
}

/* Divisors on both sides of zero, or at it, give infinite or unordered ends. */
KERNEL_INLINE void divide(const fast_numbers_t *a, const fast_numbers_t *b, fast_numbers_t *out,
                          bool a_is_point, bool is_wide) {
  const size_t count = out->count;
  for (size_t i = 0; i < count; i++) {
    double c = a->low[i], d = a_is_point ? c : a->high[i], e = b->low[i], f = b->high[i];
    bool is_apart = (e > 0) | (f < 0);
    const corners_t at = {{is_apart ? c / e : not_a_number(), is_f32(c) & is_f32(e)},
                          {c / f, is_f32(c) & is_f32(f)},
                          {d / e, is_f32(d) & is_f32(e)},
                          {d / f, is_f32(d) & is_f32(f)}};
    store_corners(out, i, at, a->point[i] / b->point[i], is_wide);
  }
}

static void binary(fast_binary_t operation, const fast_numbers_t *a, const fast_numbers_t *b,
                   fast_numbers_t *out) {
  switch (operation) {
    case FAST_ADD:
      BOTH_WAYS(add, a, b, out);
      break;
    case FAST_SUBTRACT:
      BOTH_WAYS(subtract, a, b, out);
      break;
    case FAST_MULTIPLY:
      if (a->are_points) BOTH_WAYS(multiply, a, b, out, true);
      if (!a->are_points) BOTH_WAYS(multiply, a, b, out, false);
      break;
    case FAST_DIVIDE:
      if (a->are_points) BOTH_WAYS(divide, a, b, out, true);
      if (!a->are_points) BOTH_WAYS(divide, a, b, out, false);
      break;
  }
}

KERNEL_INLINE void square_in(const fast_numbers_t *a, fast_numbers_t *out, bool is_wide) {
  const size_t count = out->count;
  for (size_t i = 0; i < count; i++) {
    const step_value_t p = {a->low[i] * a->low[i], is_f32(a->low[i])};
    const step_value_t q = {a->high[i] * a->high[i], is_f32(a->high[i])};
    bool has_zero = (a->low[i] <= 0) & (a->high[i] >= 0);
    store(out, i, has_zero ? 0 : least(low_end(p, is_wide), low_end(q, is_wide)),
          most(high_end(p, is_wide), high_end(q, is_wide)), a->point[i] * a->point[i]);
  }
}

static void square(const fast_numbers_t *a, fast_numbers_t *out) { BOTH_WAYS(square_in, a, out); }

/* Products as they are, 48 bits and no more: for sums. */
static void products(const fast_numbers_t *a, const fast_numbers_t *b, fast_numbers_t *out) {
  bool is_square = a == b;
  for (size_t i = 0; i < out->count; i++) {
    double p = a->low[i] * b->low[i], q = a->low[i] * b->high[i];
    double r = a->high[i] * b->low[i], s = a->high[i] * b->high[i];
    bool has_zero = is_square & (a->low[i] <= 0) & (a->high[i] >= 0);
    double low = is_square ? least(p, s) : least(least(p, q), least(r, s));
    store(out, i, has_zero ? 0 : low, most(most(p, q), most(r, s)), a->point[i] * b->point[i]);
  }
}

static void square_root(const fast_numbers_t *a, fast_numbers_t *out) {
  const bool is_wide = out->is_wide;
  for (size_t i = 0; i < out->count; i++) {
    const step_value_t low = {sqrt(a->low[i]), is_f32(a->low[i])};
    const step_value_t high = {sqrt(a->high[i]), is_f32(a->high[i])};
    store(out, i, low_end(low, is_wide), high_end(high, is_wide), sqrt(a->point[i]));
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

/* A function at both ends and at the point, and what it may err by there. */
typedef struct function_values {
  double at_low, at_high, at_point;
  double ulps_low, ulps_high;
} function_values_t;

/* `grows` is a constant of the loop: errors of exp alone do. */
KERNEL_INLINE double ulps_at(const fast_error_t *error, double x, bool grows) {
  if (!grows) return error->ulps;
  double magnitude = least(fabs(x), CONTRACT_EXP_MAGNITUDE_MAX);
  return most(error->ulps, error->start + error->growth * magnitude);
}

KERNEL_INLINE void store_function(fast_numbers_t *out, size_t i, const function_values_t *values,
                                  const function_range_t *range) {
  double value_low = range->decreases ? values->at_high : values->at_low;
  double value_high = range->decreases ? values->at_low : values->at_high;
  double ulps_low = range->decreases ? values->ulps_high : values->ulps_low;
  double ulps_high = range->decreases ? values->ulps_low : values->ulps_high;
  bool positive = range->is_odd & (value_low > 0), negative = range->is_odd & (value_high < 0);
  double low = function_low(value_low, ulps_low, positive ? 0.0 : range->floor);
  double high = function_high(value_high, ulps_high, negative ? -0.0 : range->ceiling);
  low = value_low == 0 ? value_low : low; /* Of a zero or an infinity: such zeros are exact. */
  high = value_high == 0 ? value_high : high;
  store(out, i, low, high, values->at_point);
}

/* A function is a long chain of steps that wait for one another: several chains go on at once. */
#ifdef __clang__
#define CHAINS(count) _Pragma(#count)
#define FOUR_CHAINS CHAINS(clang loop interleave_count(4))
#define TWO_CHAINS CHAINS(clang loop interleave_count(2))
#else
#define FOUR_CHAINS
#define TWO_CHAINS
#endif

/* Of points; of intervals, at both ends and at the point. */
#define APPLY_SPAN(kernel, first, last)                                                         \
  do {                                                                                          \
    const size_t end = last, points = a->are_points ? end : first;                              \
    FOUR_CHAINS                                                                                 \
    for (size_t i = first; i < points; i++) {                                                   \
      double value = kernel(a->point[i]), ulps = ulps_at(&error, a->point[i], grows);           \
      const function_values_t values = {value, value, value, ulps, ulps};                       \
      store_function(out, i, &values, &range);                                                  \
    }                                                                                           \
    for (size_t i = points; i < end; i++) {                                                     \
      const function_values_t values = {kernel(a->low[i]), kernel(a->high[i]),                  \
                                        kernel(a->point[i]), ulps_at(&error, a->low[i], grows), \
                                        ulps_at(&error, a->high[i], grows)};                    \
      store_function(out, i, &values, &range);                                                  \
    }                                                                                           \
  } while (0)

/* The high end and the point of an interval are told by derivatives where they are near enough to
 * the low end (theory.md, T293), be the numbers beside it so or not; `are_all`: all are. */
#define APPLY_NEAR_SPAN(kernel, change, nearness, are_all, first, last)                    \
  do {                                                                                     \
    const size_t end = last;                                                               \
    TWO_CHAINS                                                                             \
    for (size_t i = first; i < end; i++) {                                                 \
      const double x = a->low[i], value = kernel(x);                                       \
      const double high = distance_to(x, a->high[i]), point = distance_to(x, a->point[i]); \
      const double moved_high = moved_by(value, high, change(x, value, high));             \
      const double moved_point = moved_by(value, point, change(x, value, point));          \
      const int is_told = are_all || tells(a, i, nearness) != 0;                           \
      const function_values_t values = {value, is_told ? moved_high : kernel(a->high[i]),  \
                                        is_told ? moved_point : kernel(a->point[i]),       \
                                        ulps_at(&error, x, grows),                         \
                                        ulps_at(&error, a->high[i], grows)};               \
      store_function(out, i, &values, &range);                                             \
    }                                                                                      \
  } while (0)

#define APPLY(kernel, floor, ceiling, is_odd, decreases)                \
  do {                                                                  \
    const function_range_t range = {floor, ceiling, is_odd, decreases}; \
    APPLY_SPAN(kernel, 0, out->count);                                  \
  } while (0)

#define APPLY_NEAR(kernel, change, nearness, floor, ceiling, is_odd, decreases)  \
  do {                                                                           \
    const function_range_t range = {floor, ceiling, is_odd, decreases};          \
    const size_t span = a->are_points ? out->count : NEAR_SPAN;                  \
    for (size_t first = 0; first < out->count; first += span) {                  \
      const size_t last = out->count - first < span ? out->count : first + span; \
      if (a->are_points) {                                                       \
        APPLY_SPAN(kernel, first, last);                                         \
      } else if (are_near(a, first, last, nearness)) {                           \
        APPLY_NEAR_SPAN(kernel, change, nearness, true, first, last);            \
      } else {                                                                   \
        APPLY_NEAR_SPAN(kernel, change, nearness, false, first, last);           \
      }                                                                          \
    }                                                                            \
  } while (0)

static void apply(elementary_t function, fast_error_t error, const fast_numbers_t *a,
                  fast_numbers_t *out) {
  const bool grows = function == ELEMENTARY_exp;
  switch (function) {
    case ELEMENTARY_exp:
      APPLY_NEAR(exp_of, exp_change, near_absolutely, 0, DBL_MAX, false, false);
      break;
    case ELEMENTARY_exp2:
      APPLY(exp2_of, 0, DBL_MAX, false, false);
      break;
    case ELEMENTARY_log:
      APPLY(log_of, -DBL_MAX, DBL_MAX, false, false);
      break;
    case ELEMENTARY_erf:
      APPLY_NEAR(erf_of, erf_change, near_relatively, -1, 1, true, false);
      break;
    case ELEMENTARY_erfc:
      APPLY_NEAR(erfc_of, erfc_change, near_relatively, 0, 2, false, true);
      break;
    case ELEMENTARY_tanh:
      APPLY_NEAR(tanh_of, tanh_change, near_relatively, -1, 1, true, false);
      break;
    case ELEMENTARY_rsqrt:
      APPLY(rsqrt_of, 0, DBL_MAX, false, true);
      break;
    case ELEMENTARY_expm1:
      APPLY(expm1_of, -1, DBL_MAX, true, false);
      break;
    case ELEMENTARY_log1p:
      APPLY(log1p_of, -DBL_MAX, DBL_MAX, true, false);
      break;
    case ELEMENTARY_sin:
      APPLY(sin_of, -1, 1, true, false);
      break;
    case ELEMENTARY_cos:
      APPLY(cos_of, -1, 1, true, false);
      break;
    case ELEMENTARY_COUNT:
      break;
  }
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static double greatest(const double *a, size_t count) { return greatest_of(a, count); }

/* Scaled by 2^-bit they are whole: then adding and subtracting 1.5 * 2^52 leaves them as they are.
 * (The caller sees to it that they are below 2^51.) */
static bool are_multiples(const double *a, size_t count, int bit) {
  double scale = kernel_power(-bit);
  uint64_t differs = 0;
  for (size_t i = 0; i < count; i++) {
    double scaled = a[i] * scale;
    differs |= binary64_bits(scaled - kernel_round(scaled)) << 1;
  }
  return differs == 0;
}

/* theory.md, T67 and T69: the error is a little less than permitted. */
static void shares(const fast_numbers_t *a, const fast_totals_t *totals, double error,
                   fast_numbers_t *out) {
  double slop = totals->high_magnitude * ((double)a->count * 0x1p-52);
  for (size_t i = 0; i < out->count; i++) {
    double others = totals->high - a->high[i] - slop;
    others = most(others, 0);
    double low = a->low[i] / ((a->low[i] + others) * (1 + error));
    others = totals->low - a->low[i] + slop;
    double high = a->high[i] / ((a->high[i] + others) * (1 - error));
    low = least(low * (1 + 0x1p-46), 1);
    high = least(high * (1 - 0x1p-46), 1);
    store(out, i, to_f32(low), to_f32(high), a->point[i] / totals->point);
  }
}

static void finish(const fast_numbers_t *a, const format_t *format, double *low, double *high) {
  bool is_f32 = format == &format_table[FORMAT_f32] && !a->is_wide;
  for (size_t i = 0; i < a->count; i++) {
    low[i] = is_f32 ? a->low[i] : format_round_double(format, a->low[i]);
    high[i] = is_f32 ? a->high[i] : format_round_double(format, a->high[i]);
  }
}

extern const fast_kernels_t KERNEL_TABLE(fast_kernels_);
const fast_kernels_t KERNEL_TABLE(fast_kernels_) = {
    .name = KERNEL_NAME,
    .format = &format_table[FORMAT_f32],
    .binary = binary,
    .half_product = half_product,
    .scaled = scaled,
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
