/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates formulas over intervals in vector loops: every interval lies within the exact one. */
#include "oracles/formula/fast/fast_evaluator.h"

#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "harness/base/instruction_set.h"
#include "oracles/formula/fast/fast_row_steps.h"
#include "oracles/formula/fast/fast_sums.h"

extern const fast_kernels_t fast_kernels_portable, fast_pair_kernels_portable;
#ifdef VECTOR_KERNELS_X86
extern const fast_kernels_t fast_kernels_avx2, fast_kernels_avx512;
extern const fast_kernels_t fast_pair_kernels_avx2, fast_pair_kernels_avx512;
#endif

const fast_kernels_t *fast_kernels_best(const format_t *format) {
#ifdef VECTOR_KERNELS_X86
  const instruction_set_t set = instruction_set();
  if (set == ISA_AVX512) return fast_kernels_named(format, "avx512");
  if (set == ISA_AVX2) return fast_kernels_named(format, "avx2");
#endif
  return fast_kernels_named(format, "portable");
}

const fast_kernels_t *fast_kernels_named(const format_t *format, const char *name) {
  bool are_pairs = is_f64(format);
#ifdef VECTOR_KERNELS_X86
  if (strcmp(name, "avx512") == 0) {
    if (!machine_has(ISA_AVX512)) return NULL;
    return are_pairs ? &fast_pair_kernels_avx512 : &fast_kernels_avx512;
  }
  if (strcmp(name, "avx2") == 0) {
    if (!machine_has(ISA_AVX2)) return NULL;
    return are_pairs ? &fast_pair_kernels_avx2 : &fast_kernels_avx2;
  }
#endif
  if (strcmp(name, "portable") != 0) return NULL;
  return are_pairs ? &fast_pair_kernels_portable : &fast_kernels_portable;
}

/* An infinity that is given is a point, as one that is loaded. */
static row_t number(formula_t *formula, double value) {
  if (isinf(value)) {
    fast_numbers_t *infinity = fast_new(formula, 1);
    for (size_t g = 0; g < infinity->count; g++) {
      infinity->low[g] = infinity->high[g] = infinity->point[g] = value;
    }
    return row_of(formula, infinity);
  }
  return one_number(formula, nearest(formula, value), nearest(formula, value), pair_of(value));
}

static row_t constant(formula_t *formula, const real_t *real) {
  const double value = real->nearest;
  if (!is_f64(kernels_of(formula)->format)) return number(formula, value);
  mpfr_t rest;
  mpfr_init2(rest, 128);
  mpfr_set_str(rest, real->decimal, 10, MPFR_RNDN);
  mpfr_sub_d(rest, rest, value, MPFR_RNDN);
  double tail = mpfr_get_d(rest, MPFR_RNDN);
  mpfr_clear(rest);
  return one_number(formula, value, value, (pair_t){value, tail});
}

/* ---- Single numbers -------------------------------------------------------------------------- */

static row_t add(formula_t *formula, row_t a, row_t b) {
  return fast_binary(formula, FAST_ADD, a, b);
}

static row_t subtract(formula_t *formula, row_t a, row_t b) {
  return fast_binary(formula, FAST_SUBTRACT, a, b);
}

static row_t divide(formula_t *formula, row_t a, row_t b) {
  return fast_binary(formula, FAST_DIVIDE, a, b);
}

static row_t multiply(formula_t *formula, row_t a, row_t b) {
  if (a.fast != b.fast) return fast_binary(formula, FAST_MULTIPLY, a, b);
  fast_numbers_t *out = fast_new(formula, a.count);
  kernels_of(formula)->square(a.fast, out);
  return row_of(formula, out);
}

/* Whether the kernels have several steps at once. */
static bool joins_steps(const formula_t *formula, row_t a) {
  return kernels_of(formula)->half_product != NULL && a.fast->are_points &&
         fast_groups(formula) == 1 && !settings_of(formula)->is_wide &&
         !settings_of(formula)->is_unbounded;
}

static row_t half_product(formula_t *formula, row_t a, row_t b) {
  if (!joins_steps(formula, a)) return formula_half_product_by_steps(formula, a, b);
  size_t count = common_count(a, b);
  fast_numbers_t *out = fast_new(formula, count);
  kernels_of(formula)->half_product(expand(formula, a, count), expand(formula, b, count), out);
  return row_of(formula, out);
}

static row_t scale(formula_t *formula, row_t a, row_t factor, row_t divisor) {
  if (!joins_steps(formula, a)) return formula_scale_by_steps(formula, a, factor, divisor);
  fast_numbers_t *out = fast_new(formula, a.count);
  kernels_of(formula)->scaled(a.fast, factor.fast, divisor.fast, out);
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
static row_t unknown(const formula_t *formula) {
  return one_number(formula, NAN, NAN, pair_of(NAN));
}

/* In binary64 group by group, since each is computed by whichever way its numbers permit. */
static void apply(const formula_t *formula, elementary_t which, fast_error_t error, row_t a,
                  fast_numbers_t *out) {
  const fast_kernels_t *kernels = kernels_of(formula);
  if (!is_f64(kernels->format) || a.fast->are_points) {
    kernels->apply(which, error, a.fast, out);
    return;
  }
  for (size_t first = 0; first < out->count; first += a.count) {
    const fast_numbers_t of_group = fast_slice(a.fast, first, a.count);
    fast_numbers_t results = fast_slice(out, first, a.count);
    kernels->apply(which, error, &of_group, &results);
  }
}

/* theory.md, T61, T69; and T125: the others are proven for arguments of binary64, too. */
static row_t function(formula_t *formula, elementary_t which, row_t a) {
  bool takes_f64 = which <= ELEMENTARY_log || which == ELEMENTARY_rsqrt;
  bool needs_point = which == ELEMENTARY_sin || which == ELEMENTARY_cos;
  bool has_pairs = which <= ELEMENTARY_rsqrt;
  if (settings_of(formula)->is_wide && !takes_f64) return unknown(formula);
  if (needs_point && !a.fast->are_points) return unknown(formula);
  if (is_f64(kernels_of(formula)->format) && !has_pairs) return unknown(formula);
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
  apply(formula, which, error, a, out);
  return row_of(formula, out);
}

static row_t negate(formula_t *formula, row_t a) {
  fast_numbers_t *out = fast_new(formula, a.count);
  for (size_t i = 0; i < out->count; i++) {
    out->low[i] = -a.fast->high[i];
    out->high[i] = -a.fast->low[i];
    out->point[i] = -a.fast->point[i];
    if (out->tail != NULL) out->tail[i] = -a.fast->tail[i];
  }
  return row_of(formula, out);
}

static row_t negate_where(formula_t *formula, row_t a, row_t b) {
  size_t count = common_count(a, b);
  const fast_numbers_t *x = expand(formula, a, count), *sign = expand(formula, b, count);
  fast_numbers_t *out = fast_new(formula, count);
  for (size_t i = 0; i < out->count; i++) {
    bool is_below = sign->high[i] < 0, is_known = is_below || sign->low[i] >= 0;
    out->low[i] = !is_known ? (double)NAN : is_below ? -x->high[i] : x->low[i];
    out->high[i] = !is_known ? (double)NAN : is_below ? -x->low[i] : x->high[i];
    out->point[i] = sign->point[i] < 0 ? -x->point[i] : x->point[i];
    if (out->tail != NULL) out->tail[i] = sign->point[i] < 0 ? -x->tail[i] : x->tail[i];
  }
  return row_of(formula, out);
}

static double larger(double a, double b) { return isnan(a) || isnan(b) ? (double)NAN : fmax(a, b); }

static row_t maximum(formula_t *formula, row_t a, row_t b) {
  size_t count = common_count(a, b);
  const fast_numbers_t *x = expand(formula, a, count), *y = expand(formula, b, count);
  fast_numbers_t *out = fast_new(formula, count);
  for (size_t i = 0; i < out->count; i++) {
    out->low[i] = larger(x->low[i], y->low[i]);
    out->high[i] = larger(x->high[i], y->high[i]);
    out->point[i] = larger(x->point[i], y->point[i]);
    if (out->tail == NULL) continue;
    bool is_first =
        x->point[i] > y->point[i] || (x->point[i] == y->point[i] && x->tail[i] > y->tail[i]);
    out->tail[i] = is_first ? x->tail[i] : y->tail[i];
  }
  return row_of(formula, out);
}

/* Of the points that are `high`. */
static double greatest_tail(const fast_numbers_t *a, double high) {
  double tail = -(double)INFINITY;
  for (size_t i = 0; i < a->count; i++) {
    if (a->point[i] == high && a->tail[i] > tail) tail = a->tail[i];
  }
  return isfinite(tail) ? tail : 0;
}

static row_t row_maximum(formula_t *formula, row_t a) {
  const fast_kernels_t *kernels = kernels_of(formula);
  fast_numbers_t *out = fast_new(formula, 1);
  for (size_t g = 0; g < out->count; g++) {
    const fast_numbers_t of_group = fast_slice(a.fast, g * a.count, a.count);
    pair_t point = pair_of(kernels->greatest(of_group.point, a.count));
    double low = point.high, high = point.high;
    if (!a.fast->are_points) {
      if (a.fast->tail != NULL) point.low = greatest_tail(&of_group, point.high);
      low = kernels->greatest(of_group.low, a.count);
      high = kernels->greatest(of_group.high, a.count);
    }
    store_number(out, g, low, high, point);
  }
  return row_of(formula, out);
}

/* The hull, as the enclosed evaluator has it, or the one that is known. */
static row_t either(formula_t *formula, row_t a, row_t b) {
  size_t count = common_count(a, b);
  fast_numbers_t *out = fast_new(formula, count);
  kernels_of(formula)->either(expand(formula, a, count), expand(formula, b, count), out);
  return row_of(formula, out);
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

const evaluator_t fast_evaluator = {
    .constant = constant,
    .number = number,
    .add = add,
    .subtract = subtract,
    .multiply = multiply,
    .divide = divide,
    .square_root = square_root,
    .multiply_add = multiply_add,
    .half_product = half_product,
    .scale = scale,
    .function = function,
    .negate = negate,
    .negate_where = negate_where,
    .maximum = maximum,
    .row_maximum = row_maximum,
    .sum = fast_sum,
    .sum_of_products = fast_sum_of_products,
    .squared_deviations = fast_squared_deviations,
    .running_moments = running_moments,
    .shares = fast_shares,
    .online_sum = online_sum,
    .nearby = nearby,
    .either = either,
    .pick = fast_pick,
    .join = fast_join,
};
