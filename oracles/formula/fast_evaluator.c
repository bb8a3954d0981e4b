/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates formulas over intervals in vector loops: every interval lies within the exact one. */
#include "oracles/formula/fast_evaluator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/instruction_set.h"
#include "oracles/exact/error_bound.h"

/* Errors that the contract permits are taken for this much less, which is far more than binary64
 * loses beside them: theory.md, T69. */
#define LESS (1 - 0x1p-10)

extern const fast_kernels_t fast_kernels_portable;
#ifdef VECTOR_KERNELS_X86
extern const fast_kernels_t fast_kernels_avx2, fast_kernels_avx512;
#endif

const fast_kernels_t *fast_kernels_best(void) {
#ifdef VECTOR_KERNELS_X86
  const instruction_set_t set = instruction_set();
  if (set == ISA_AVX512) return &fast_kernels_avx512;
  if (set == ISA_AVX2) return &fast_kernels_avx2;
#endif
  return &fast_kernels_portable;
}

const fast_kernels_t *fast_kernels_named(const char *name) {
#ifdef VECTOR_KERNELS_X86
  if (strcmp(name, "avx512") == 0) return machine_has(ISA_AVX512) ? &fast_kernels_avx512 : NULL;
  if (strcmp(name, "avx2") == 0) return machine_has(ISA_AVX2) ? &fast_kernels_avx2 : NULL;
#endif
  return strcmp(name, "portable") == 0 ? &fast_kernels_portable : NULL;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static const fast_settings_t *settings_of(const formula_t *formula) { return formula->settings; }

static const fast_kernels_t *kernels_of(const formula_t *f) { return settings_of(f)->kernels; }

/* Rounded to binary32 such a number is what it is rounded to 24 bits, whatever its exponent.  What
 * is lost of smaller terms of a sum is at most 2^-149 each, which is 2^-59 of it: far less than the
 * 2^-34 n that LESS leaves of the bound of a sum of n. */
static bool is_ordinary(double x) { return fabs(x) > 0x1p-90 && fabs(x) < 0x1p127; }

/* Steps that neither overflow nor underflow are computed here by such as do.  They are the same
 * where everything is of ordinary size, or 0 altogether; all else is unknown. */
static void forget_extremes(fast_numbers_t *inout_numbers) {
  for (size_t i = 0; i < inout_numbers->count; i++) {
    double low = inout_numbers->low[i], high = inout_numbers->high[i];
    double point = inout_numbers->point[i];
    bool is_zero = low == 0 && high == 0 && point == 0;
    if (is_zero || (is_ordinary(low) && is_ordinary(high) && is_ordinary(point))) continue;
    inout_numbers->low[i] = inout_numbers->high[i] = (double)NAN;
  }
}

static row_t row_of(const formula_t *formula, fast_numbers_t *numbers) {
  if (settings_of(formula)->is_unbounded) forget_extremes(numbers);
  return (row_t){.count = numbers->count, .fast = numbers};
}

static row_t one_number(const formula_t *formula, double low, double high, double point) {
  fast_numbers_t *numbers = fast_new(formula, 1);
  bool is_good = low <= high && isfinite(low) && isfinite(high);
  numbers->low[0] = is_good ? low : (double)NAN;
  numbers->high[0] = is_good ? high : (double)NAN;
  numbers->point[0] = point;
  return row_of(formula, numbers);
}

static double to_f32(double x) { return (double)(float)x; }

/* One number repeated. */
static const fast_numbers_t *expand(const formula_t *formula, row_t a, size_t count) {
  if (a.count == count) return a.fast;
  fast_numbers_t *numbers = fast_new(formula, count);
  for (size_t i = 0; i < count; i++) {
    numbers->low[i] = a.fast->low[0];
    numbers->high[i] = a.fast->high[0];
    numbers->point[i] = a.fast->point[0];
  }
  return numbers;
}

static size_t common_count(row_t a, row_t b) { return a.count == 1 ? b.count : a.count; }

/* An infinity that is given is a point, as one that is loaded. */
static row_t number(formula_t *formula, double value) {
  if (isinf(value)) {
    fast_numbers_t *infinity = fast_new(formula, 1);
    infinity->low[0] = infinity->high[0] = infinity->point[0] = value;
    return row_of(formula, infinity);
  }
  return one_number(formula, to_f32(value), to_f32(value), value);
}

static row_t constant(formula_t *formula, const char *decimal) {
  return number(formula, strtod(decimal, NULL));
}

/* ---- Single numbers -------------------------------------------------------------------------- */

static row_t binary(formula_t *formula, fast_binary_t operation, row_t a, row_t b) {
  size_t count = common_count(a, b);
  fast_numbers_t *out = fast_new(formula, count);
  kernels_of(formula)->binary(operation, expand(formula, a, count), expand(formula, b, count), out);
  return row_of(formula, out);
}

static row_t add(formula_t *formula, row_t a, row_t b) { return binary(formula, FAST_ADD, a, b); }

static row_t subtract(formula_t *formula, row_t a, row_t b) {
  return binary(formula, FAST_SUBTRACT, a, b);
}

static row_t divide(formula_t *formula, row_t a, row_t b) {
  return binary(formula, FAST_DIVIDE, a, b);
}

static row_t multiply(formula_t *formula, row_t a, row_t b) {
  if (a.fast != b.fast) return binary(formula, FAST_MULTIPLY, a, b);
  fast_numbers_t *out = fast_new(formula, a.count);
  kernels_of(formula)->square(a.fast, out);
  return row_of(formula, out);
}

/* Unfused, which is always permitted. */
static row_t multiply_add(formula_t *formula, row_t a, row_t b, row_t c) {
  return add(formula, multiply(formula, a, b), c);
}

static row_t square_root(formula_t *formula, row_t a) {
  fast_numbers_t *out = fast_new(formula, a.count);
  kernels_of(formula)->square_root(a.fast, out);
  return row_of(formula, out);
}

/* Nothing is known of them here. */
static row_t unknown(const formula_t *formula) { return one_number(formula, NAN, NAN, NAN); }

/* theory.md, T61, T69; and T125: the others are proven for arguments of binary64, too. */
static row_t function(formula_t *formula, elementary_t which, row_t a) {
  bool takes_f64 = which <= ELEMENTARY_log || which == ELEMENTARY_rsqrt;
  bool needs_point = which == ELEMENTARY_sin || which == ELEMENTARY_cos;
  if (settings_of(formula)->is_wide && !takes_f64) return unknown(formula);
  if (needs_point && !a.fast->are_points) return unknown(formula);
  fast_numbers_t *out = fast_new(formula, a.count);
  const contract_t *contract = formula->contract;
  fast_error_t error = {.ulps = contract_elementary_ulps(contract, which, formula->format, 0),
                        .growth = contract_elementary_growth(contract, which, formula->format)};
  if (error.growth > 0) {
    error.growth *= LESS;
    error.start = contract_elementary_ulps(contract, ELEMENTARY_exp2, formula->format, 0);
  }
  bool is_faithful = contract_elementary_is_faithful(formula->contract, which, formula->format);
  if (is_faithful) error.ulps = 0.49; /* Which no exact value's neighbour is within. */
  kernels_of(formula)->apply(which, error, a.fast, out);
  return row_of(formula, out);
}

static row_t negate(formula_t *formula, row_t a) {
  fast_numbers_t *out = fast_new(formula, a.count);
  for (size_t i = 0; i < a.count; i++) {
    out->low[i] = -a.fast->high[i];
    out->high[i] = -a.fast->low[i];
    out->point[i] = -a.fast->point[i];
  }
  return row_of(formula, out);
}

static row_t negate_where(formula_t *formula, row_t a, row_t b) {
  size_t count = common_count(a, b);
  const fast_numbers_t *x = expand(formula, a, count), *sign = expand(formula, b, count);
  fast_numbers_t *out = fast_new(formula, count);
  for (size_t i = 0; i < count; i++) {
    bool is_below = sign->high[i] < 0, is_known = is_below || sign->low[i] >= 0;
    out->low[i] = !is_known ? (double)NAN : is_below ? -x->high[i] : x->low[i];
    out->high[i] = !is_known ? (double)NAN : is_below ? -x->low[i] : x->high[i];
    out->point[i] = sign->point[i] < 0 ? -x->point[i] : x->point[i];
  }
  return row_of(formula, out);
}

static double larger(double a, double b) { return isnan(a) || isnan(b) ? (double)NAN : fmax(a, b); }

static row_t maximum(formula_t *formula, row_t a, row_t b) {
  size_t count = common_count(a, b);
  const fast_numbers_t *x = expand(formula, a, count), *y = expand(formula, b, count);
  fast_numbers_t *out = fast_new(formula, count);
  for (size_t i = 0; i < count; i++) {
    out->low[i] = larger(x->low[i], y->low[i]);
    out->high[i] = larger(x->high[i], y->high[i]);
    out->point[i] = larger(x->point[i], y->point[i]);
  }
  return row_of(formula, out);
}

static row_t row_maximum(formula_t *formula, row_t a) {
  const fast_kernels_t *kernels = kernels_of(formula);
  double point = kernels->greatest(a.fast->point, a.count);
  if (a.fast->are_points) return one_number(formula, point, point, point);
  return one_number(formula, kernels->greatest(a.fast->low, a.count),
                    kernels->greatest(a.fast->high, a.count), point);
}

/* The hull, as the enclosed evaluator has it, or the one that is known. */
static row_t either(formula_t *formula, row_t a, row_t b) {
  size_t count = common_count(a, b);
  const fast_numbers_t *x = expand(formula, a, count), *y = expand(formula, b, count);
  fast_numbers_t *out = fast_new(formula, count);
  for (size_t i = 0; i < count; i++) {
    double low = x->low[i], high = x->high[i];
    bool is_unknown = isnan(low) || isinf(low);
    bool is_one = isnan(y->low[i]) || isinf(y->low[i]);
    out->low[i] = is_unknown || (!is_one && y->low[i] < low) ? y->low[i] : low;
    out->high[i] = is_unknown || (!is_one && y->high[i] > high) ? y->high[i] : high;
    out->point[i] = is_unknown ? y->point[i] : x->point[i];
  }
  return row_of(formula, out);
}

/* ---- Sums ------------------------------------------------------------------------------------ */

static bool are_points(const fast_numbers_t *numbers) {
  bool are_equal = true;
  for (size_t i = 0; i < numbers->count; i++) are_equal &= numbers->low[i] == numbers->high[i];
  return are_equal;
}

/* Whether no sum of these numbers in any order rounds: enclosed_sums.c.  What that one knows to be
 * exact must be so here too. */
static bool is_exact(const formula_t *formula, const fast_numbers_t *terms, double magnitude) {
  const format_t *format = formula->format;
  if (!terms->are_points && !are_points(terms)) return false;
  if (magnitude == 0) return true;
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
    are_f32 = are_f32 && to_f32(terms->low[i]) == terms->low[i];
  }
  return nonzero <= 1 || (nonzero == 2 && (!are_products || are_f32));
}

static row_t sum_terms(formula_t *formula, const fast_numbers_t *terms, bool are_products) {
  fast_totals_t totals;
  kernels_of(formula)->sum(terms, &totals);
  const bound_shape_t shape = {.terms = terms->count,
                               .products_round = are_products,
                               .products_underflow = are_products,
                               .is_product = are_products};
  double factor = 0, slop = 0;
  if (may_round_once(formula, terms, are_products)) {
    /* The sum of two binary32 numbers is rounded right by way of binary64, as is one number. */
  } else if (!is_exact(formula, terms, totals.low_magnitude)) {
    factor = error_bound_sum(formula->format, formula->contract, shape).factor * LESS;
    slop = (double)terms->count * 0x1p-51; /* theory.md, T69. */
  }
  bool is_lost = are_products && fast_rounds_tiny(formula->contract, terms);
  if (is_lost || !(factor < 1)) return one_number(formula, NAN, NAN, totals.point);
  double low = totals.low - (factor - slop) * totals.low_magnitude;
  double high = totals.high + (factor - slop) * totals.high_magnitude;
  return one_number(formula, to_f32(low), to_f32(high), totals.point);
}

static row_t sum(formula_t *formula, row_t a) { return sum_terms(formula, a.fast, false); }

static row_t sum_of_products(formula_t *formula, row_t a, row_t b) {
  fast_numbers_t *products = fast_new(formula, a.count);
  kernels_of(formula)->products(a.fast, b.fast, products);
  products->are_points = a.fast->are_points && b.fast->are_points;
  return sum_terms(formula, products, true);
}

/* theory.md, T63 and T69: with a sum of squares, and a distance of the mean, that are a little less
 * than the exact ones. */
static row_t squares_about(formula_t *formula, row_t a, row_t mean) {
  const fast_numbers_t *m = mean.fast;
  double n = (double)a.count;
  double squares = kernels_of(formula)->squared_deviations(a.fast->point, a.count, m->point[0]);
  fast_totals_t totals;
  kernels_of(formula)->sum(a.fast, &totals);
  double mean_error = (n + 1) * 0x1p-52 * (totals.low_magnitude / n);
  double distance = fmax(fabs(m->low[0] - m->point[0]), fabs(m->high[0] - m->point[0]));
  distance = fmax(distance * (1 - 0x1p-40) - mean_error, 0);
  const bound_shape_t shape = {
      .terms = a.count, .products_round = true, .products_underflow = true, .is_product = true};
  double factor = error_bound_sum(formula->format, formula->contract, shape).factor * LESS;
  double u = format_unit_roundoff(formula->format) * LESS;
  if (!(factor < 1)) return one_number(formula, NAN, NAN, squares / n);
  double low = squares * (1 + 0x1p-40) * (1 - u) * (1 - u) * (1 - factor);
  double least = fmax(squares * (1 - 0x1p-40) - n * mean_error * mean_error, 0);
  double high = (least + n * distance * distance) * (1 + u) * (1 + u) * (1 + factor);
  return one_number(formula, to_f32(low), to_f32(high), squares);
}

/* What both intervals hold. */
static row_t intersect(formula_t *formula, row_t a, row_t b) {
  fast_numbers_t *out = fast_new(formula, a.count);
  for (size_t i = 0; i < a.count; i++) {
    double low = fmax(a.fast->low[i], b.fast->low[i]);
    double high = fmin(a.fast->high[i], b.fast->high[i]);
    bool is_known = !isnan(a.fast->low[i]) && !isnan(b.fast->low[i]) && low <= high;
    out->low[i] = is_known ? low : (double)NAN;
    out->high[i] = is_known ? high : (double)NAN;
    out->point[i] = a.fast->point[i];
  }
  return row_of(formula, out);
}

static row_t squared_deviations(formula_t *formula, row_t a, row_t mean) {
  bool is_interval = mean.fast->low[0] < mean.fast->high[0];
  row_t deviations = subtract(formula, a, mean);
  row_t squares = sum_of_products(formula, deviations, deviations);
  if (is_interval && a.fast->are_points && PERMITTED(formula->contract, ftz) == FTZ_NONE) {
    return intersect(formula, squares, squares_about(formula, a, mean));
  }
  return squares;
}

static void running_moments(formula_t *formula, row_t a, row_t *out_mean, row_t *out_squares) {
  (void)a;
  *out_mean = *out_squares = unknown(formula);
}

static row_t online_sum(formula_t *formula, row_t a) {
  (void)a;
  return unknown(formula);
}

static row_t nearby(formula_t *formula, row_t a, double distance) {
  (void)a, (void)distance;
  return unknown(formula);
}

/* theory.md, T67, T69 and T150.  Near the ends of the range of the format the enclosed evaluator
 * may take the one or the other. */
static row_t shares(formula_t *formula, row_t a) {
  fast_totals_t totals;
  kernels_of(formula)->sum(a.fast, &totals);
  const bound_shape_t shape = {.terms = a.count};
  error_bound_t bound = error_bound_sum(formula->format, formula->contract, shape);
  row_t plain = divide(formula, a, sum(formula, a));
  if (bound.total_factor >= 0.25) return plain;
  if (!(totals.low > 0x1p-100 && totals.high < 0x1p100)) return unknown(formula);
  fast_numbers_t *out = fast_new(formula, a.count);
  kernels_of(formula)->shares(a.fast, &totals, bound.total_factor * LESS, out);
  return intersect(formula, plain, row_of(formula, out));
}

const evaluator_t fast_evaluator = {
    .constant = constant,
    .number = number,
    .add = add,
    .subtract = subtract,
    .multiply = multiply,
    .divide = divide,
    .square_root = square_root,
    .multiply_add = multiply_add,
    .function = function,
    .negate = negate,
    .negate_where = negate_where,
    .maximum = maximum,
    .row_maximum = row_maximum,
    .sum = sum,
    .sum_of_products = sum_of_products,
    .squared_deviations = squared_deviations,
    .running_moments = running_moments,
    .shares = shares,
    .online_sum = online_sum,
    .nearby = nearby,
    .either = either,
    .pick = fast_pick,
    .join = fast_join,
};
