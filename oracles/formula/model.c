/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates formulas as one simulated implementation does: every step in the working format, sums
 * by the modelled tree, one fixed alternative where several are permitted, and the planted fault
 * if any. */
#include "oracles/formula/model.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

#include "generated/formula_faults.h"
#include "harness/base/rng.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/quantum/fault_values.h"
#include "oracles/formula/elementary_kernels.h"
#include "oracles/formula/fast/elementary_pairs.h"
#include "oracles/formula/fast/function_values.h"

static row_t new_row(const formula_t *formula, size_t count) {
  return (row_t){.count = count, .values = ARENA_NEW_ARRAY(formula->arena, double, count)};
}

static double at(row_t a, size_t i) { return a.values[a.count == 1 ? 0 : i]; }

static size_t common_count(row_t a, row_t b) { return a.count == 1 ? b.count : a.count; }

arithmetic_t model_arithmetic(const formula_t *formula) {
  arithmetic_t arithmetic = arithmetic_make(formula->format);
  arithmetic.truncate_additions = formula_has_fault(formula, FAULT_truncate_additions);
  arithmetic.truncate_products = formula_has_fault(formula, FAULT_truncate_products);
  return arithmetic;
}

uint8_t model_formula(const char *formulas, const implementation_model_t *schedule) {
  if (schedule->formula == NULL || formulas == NULL) return 0;
  for (uint8_t formula = 0; formula < contract_value_count(formulas); formula++) {
    if (strcmp(contract_spelling(formulas, formula), schedule->formula) == 0) return formula;
  }
  return 0;
}

const format_t *model_working_format(const format_t *operands,
                                     const implementation_model_t *schedule) {
  const format_t *format = operands;
  if (format->bits == 16 && !schedule->native) format = &format_table[FORMAT_f32];
  const format_t *wider = schedule->accumulator;
  return wider != NULL && arithmetic_format_holds(wider, format) ? wider : format;
}

row_t model_load(formula_t *formula, const format_t *format, const uint64_t *bits, size_t count) {
  row_t row = new_row(formula, count);
  for (size_t i = 0; i < count; i++) {
    double value = fault_load_float(formula->schedule->fault, format, bits[i]);
    row.values[i] = format_round_double(formula->format, value);
  }
  return row;
}

static row_t number(formula_t *formula, double value) {
  row_t row = new_row(formula, 1);
  row.values[0] = format_round_double(formula->format, value);
  return row;
}

static row_t constant(formula_t *formula, const real_t *real) {
  return number(formula, real->nearest);
}

/* ---- Arithmetic ------------------------------------------------------------------------------ */

static row_t add(formula_t *formula, row_t a, row_t b) {
  const arithmetic_t arithmetic = model_arithmetic(formula);
  row_t row = new_row(formula, common_count(a, b));
  for (size_t i = 0; i < row.count; i++) {
    row.values[i] = arithmetic_add(&arithmetic, at(a, i), at(b, i));
  }
  return row;
}

static row_t negate(formula_t *formula, row_t a) {
  row_t row = new_row(formula, a.count);
  for (size_t i = 0; i < row.count; i++) row.values[i] = -a.values[i];
  return row;
}

static row_t negate_where(formula_t *formula, row_t a, row_t b) {
  row_t row = new_row(formula, common_count(a, b));
  for (size_t i = 0; i < row.count; i++) row.values[i] = at(b, i) < 0 ? -at(a, i) : at(a, i);
  return row;
}

static row_t subtract(formula_t *formula, row_t a, row_t b) {
  return add(formula, a, negate(formula, b));
}

static row_t multiply(formula_t *formula, row_t a, row_t b) {
  const arithmetic_t arithmetic = model_arithmetic(formula);
  row_t row = new_row(formula, common_count(a, b));
  for (size_t i = 0; i < row.count; i++) {
    row.values[i] = arithmetic_multiply(&arithmetic, at(a, i), at(b, i));
  }
  return row;
}

static row_t divide(formula_t *formula, row_t a, row_t b) {
  const arithmetic_t arithmetic = model_arithmetic(formula);
  row_t row = new_row(formula, common_count(a, b));
  for (size_t i = 0; i < row.count; i++) {
    row.values[i] = arithmetic_divide(&arithmetic, at(a, i), at(b, i));
  }
  return row;
}

static row_t square_root(formula_t *formula, row_t a) {
  const arithmetic_t arithmetic = model_arithmetic(formula);
  row_t row = new_row(formula, a.count);
  for (size_t i = 0; i < row.count; i++) {
    row.values[i] = arithmetic_square_root(&arithmetic, a.values[i]);
  }
  return row;
}

static row_t multiply_add(formula_t *formula, row_t a, row_t b, row_t c) {
  if (!formula->schedule->fused) return add(formula, multiply(formula, a, b), c);
  const arithmetic_t arithmetic = model_arithmetic(formula);
  size_t count = common_count(a, b);
  row_t row = new_row(formula, count == 1 ? c.count : count);
  for (size_t i = 0; i < row.count; i++) {
    row.values[i] = arithmetic_fused(&arithmetic, at(a, i), at(b, i), at(c, i));
  }
  return row;
}

/* ---- Elementary functions -------------------------------------------------------------------- */

static double rounded_by_mpfr(elementary_t which, double x) {
  typedef int compute_t(mpfr_ptr out, mpfr_srcptr value, mpfr_rnd_t rounding);
  static compute_t *const compute[ELEMENTARY_COUNT] = {
      [ELEMENTARY_exp] = mpfr_exp,        [ELEMENTARY_exp2] = mpfr_exp2,
      [ELEMENTARY_log] = mpfr_log,        [ELEMENTARY_erf] = mpfr_erf,
      [ELEMENTARY_erfc] = mpfr_erfc,      [ELEMENTARY_tanh] = mpfr_tanh,
      [ELEMENTARY_rsqrt] = mpfr_rec_sqrt, [ELEMENTARY_expm1] = mpfr_expm1,
      [ELEMENTARY_log1p] = mpfr_log1p,    [ELEMENTARY_sin] = mpfr_sin,
      [ELEMENTARY_cos] = mpfr_cos};
  mpfr_t value;
  mpfr_init2(value, 64);
  mpfr_set_d(value, x, MPFR_RNDN);
  compute[which](value, value, MPFR_RNDN);
  double result = mpfr_get_d(value, MPFR_RNDN);
  mpfr_clear(value);
  return result;
}

static pair_t from_pair_kernel(elementary_t which, double x) {
  switch (which) {
    case ELEMENTARY_exp:
      return pair_exp(x);
    case ELEMENTARY_exp2:
      return pair_exp2(x);
    case ELEMENTARY_log:
      return pair_log(x);
    case ELEMENTARY_erf:
      return pair_erf(x);
    case ELEMENTARY_erfc:
      return pair_erfc(x);
    case ELEMENTARY_tanh:
      return pair_tanh(x);
    case ELEMENTARY_rsqrt:
      return pair_rsqrt(x);
    default: /* Left to MPFR. */
      return pair_of(NAN);
  }
}

/* Of binary64: within 1/2 + 2^-17 of a unit in the last place, and what binary64 holds exactly
 * (theory.md, T231). */
static double told_or_by_mpfr(elementary_t which, double x, double told) {
  return isnan(told) || told == 0 ? rounded_by_mpfr(which, x) : told;
}

static double rounded(elementary_t which, double x) {
  return told_or_by_mpfr(which, x, from_pair_kernel(which, x).high);
}

static double from_kernel(elementary_t which, double x) {
  switch (which) {
    case ELEMENTARY_exp:
      return isinf(x) && x < 0 ? 0 : kernel_exp(x);
    case ELEMENTARY_exp2:
      return isinf(x) && x < 0 ? 0 : kernel_exp2(x);
    case ELEMENTARY_log:
      return x == 0 ? -(double)INFINITY : isinf(x) && x > 0 ? x : kernel_log(x);
    case ELEMENTARY_erf:
      return kernel_erf(x);
    case ELEMENTARY_erfc:
      return isinf(x) && x > 0 ? 0 : kernel_erfc(x);
    case ELEMENTARY_tanh:
      return kernel_tanh(x);
    case ELEMENTARY_rsqrt:
      return kernel_rsqrt(x);
    case ELEMENTARY_expm1:
      return isinf(x) ? (x < 0 ? -1 : x) : kernel_expm1(x);
    case ELEMENTARY_log1p:
      return x == -1 ? -(double)INFINITY : isinf(x) && x > 0 ? x : kernel_log1p(x);
    case ELEMENTARY_sin:
      return fabs(x) <= KERNEL_PERIODIC_MAX ? kernel_sin(x) : rounded_by_mpfr(which, x);
    case ELEMENTARY_cos:
      return fabs(x) <= KERNEL_PERIODIC_MAX ? kernel_cos(x) : rounded_by_mpfr(which, x);
    case ELEMENTARY_COUNT:
      break;
  }
  abort();
}

/* Within -ulps .. ulps less the half one that rounding the result adds, from the bits of the
 * argument.  A thousandth less: the value may be next to a number of the format, as log1p(x) is to
 * a small x, and a tie between two such would be rounded beyond what is permitted of the exact
 * one.  Of binary64 it is a whole number, since the value has been rounded before. */
static double draw_error(const formula_t *formula, double x) {
  uint64_t state = binary64_bits(x) ^ formula->schedule->seed;
  rng_t rng = rng_make(rng_splitmix(&state));
  int64_t most = 2 * (int64_t)formula->schedule->function_ulps - 1;
  double halves = (double)rng_between(&rng, -most, most);
  return formula->format == &format_table[FORMAT_f64] ? trunc(halves / 2)
                                                      : halves / 2 * (1 - 0x1p-10);
}

/* Between the format's numbers beside the value. */
static double keep_between_neighbours(const formula_t *formula, double value, double moved) {
  double unit = model_unit_at(formula->format, value);
  return fmin(fmax(moved, floor(value / unit) * unit), ceil(value / unit) * unit);
}

/* The value, moved by some ulps but not out of the function's range.  By one ulp, models are
 * faithful: what the format holds stays, and else it is one of its neighbours, which just above a
 * power of two are half an ulp nearer than what may be below. */
static double err(const formula_t *formula, elementary_t which, double x, double value) {
  bool is_bounded = which == ELEMENTARY_erf || which == ELEMENTARY_tanh ||
                    which == ELEMENTARY_sin || which == ELEMENTARY_cos;
  if (formula->schedule->function_ulps == 0 || value == 0 || !isfinite(value)) return value;
  double nearest = format_round_double(formula->format, value); /* As near as kernels are. */
  bool is_exact = fabs(nearest - value) <= fabs(value) * 0x1p-36;
  if (formula->schedule->function_ulps == 1 && is_exact) return value;
  double moved = value + draw_error(formula, x) * model_unit_at(formula->format, value);
  if (formula->schedule->function_ulps == 1) {
    moved = keep_between_neighbours(formula, value, moved);
  }
  bool keeps_sign = which != ELEMENTARY_log;
  if (keeps_sign && (moved < 0) != (value < 0)) return value;
  if (is_bounded && fabs(moved) > 1) return copysign(1, value);
  if (which == ELEMENTARY_erfc && moved > 2) return 2;
  if (which == ELEMENTARY_expm1 && moved < -1) return -1;
  return moved;
}

/* As CUDA's __expf; and by a base that is short of bits. */
static double exp_by_exp2(const formula_t *formula, double x) {
  bool is_short = formula_has_fault(formula, FAULT_exp_of_short_base);
  const arithmetic_t arithmetic = arithmetic_make(formula->format);
  double product = arithmetic_multiply(&arithmetic, x, is_short ? 0x1.72p+0 : 0x1.715476p+0);
  return isinf(product) && product < 0 ? 0 : kernel_exp2(product);
}

/* What an implementation makes of a function's value. */
static double deliver(const formula_t *formula, elementary_t which, double x, double value) {
  if (formula->schedule->fault != FAULT_NONE) value = model_spoil(formula, which, x, value);
  return format_round_double(formula->format, err(formula, which, x, value));
}

double model_function(const formula_t *formula, elementary_t which, double x) {
  bool is_exp = which == ELEMENTARY_exp && formula->format == &format_table[FORMAT_f32];
  bool is_by_exp2 =
      formula->schedule->exp_by_exp2 || formula_has_fault(formula, FAULT_exp_of_short_base);
  if (is_exp && is_by_exp2) {
    return format_round_double(formula->format,
                               err(formula, ELEMENTARY_exp2, x, exp_by_exp2(formula, x)));
  }
  bool is_f64 = formula->format == &format_table[FORMAT_f64];
  return deliver(formula, which, x, is_f64 ? rounded(which, x) : from_kernel(which, x));
}

static row_t function(formula_t *formula, elementary_t which, row_t a) {
  enum { VECTOR_COUNT = 4 }; /* Fewer numbers are as fast one by one. */
  row_t row = new_row(formula, a.count);
  bool is_f64 = formula->format == &format_table[FORMAT_f64];
  if (is_f64 && a.count >= VECTOR_COUNT && function_values_has(which)) {
    function_values(which, a.values, a.count, formula->arena, row.values);
    for (size_t i = 0; i < row.count; i++) {
      double value = told_or_by_mpfr(which, a.values[i], row.values[i]);
      row.values[i] = deliver(formula, which, a.values[i], value);
    }
    return row;
  }
  for (size_t i = 0; i < row.count; i++) {
    row.values[i] = model_function(formula, which, a.values[i]);
  }
  return row;
}

/* ---- Choices --------------------------------------------------------------------------------- */

static row_t maximum(formula_t *formula, row_t a, row_t b) {
  row_t row = new_row(formula, common_count(a, b));
  for (size_t i = 0; i < row.count; i++) {
    row.values[i] = arithmetic_maximum(at(a, i), at(b, i));
  }
  return row;
}

static row_t row_maximum(formula_t *formula, row_t a) {
  row_t row = new_row(formula, 1);
  row.values[0] = -(double)INFINITY;
  for (size_t i = 0; i < a.count; i++) {
    row.values[0] = arithmetic_maximum(row.values[0], a.values[i]);
  }
  return row;
}

static bool goes_other_way(const formula_t *formula) {
  const implementation_model_t *schedule = formula->schedule;
  if (schedule->order.kind != SUM_RANDOM && schedule->order.kind != SUM_SHUFFLED)
    return schedule->other_way;
  uint64_t state = schedule->seed ^ formula->group;
  return (rng_splitmix(&state) & 1) != 0;
}

static row_t either(formula_t *formula, row_t a, row_t b) {
  return goes_other_way(formula) ? b : a;
}

/* From the bits of the value, and a little less far than permitted, for the rounding. */
static row_t nearby(formula_t *formula, row_t a, double distance) {
  row_t row = new_row(formula, a.count);
  double unit = distance * (1 - 0x1p-6) * 0x1p-20;
  for (size_t i = 0; i < a.count; i++) {
    uint64_t state = binary64_bits(a.values[i]) ^ formula->schedule->seed;
    rng_t rng = rng_make(rng_splitmix(&state));
    double moved = a.values[i] + (double)rng_between(&rng, -(1 << 20), 1 << 20) * unit;
    double rounded = format_round_double(formula->format, moved);
    row.values[i] = fabs(rounded - a.values[i]) <= distance ? rounded : a.values[i];
  }
  return row;
}

static row_t squared_deviations(formula_t *formula, row_t a, row_t mean) {
  bool is_dropped = formula_has_fault(formula, FAULT_deviations_dropped);
  row_t deviations = is_dropped ? a : subtract(formula, a, mean);
  return model_sum_of_products(formula, deviations, deviations);
}

static row_t shares(formula_t *formula, row_t a) {
  row_t sum = model_sum(formula, a);
  if (!goes_other_way(formula)) return divide(formula, a, sum);
  return multiply(formula, a, divide(formula, number(formula, 1), sum));
}

static row_t pick(formula_t *formula, row_t a, const size_t *places, size_t count) {
  row_t row = new_row(formula, count);
  for (size_t i = 0; i < count; i++) row.values[i] = a.values[places[i]];
  return row;
}

static row_t join(formula_t *formula, const row_t *rows, size_t row_count) {
  row_t row = new_row(formula, formula_total(rows, row_count));
  double *next = row.values;
  for (size_t r = 0; r < row_count; r++) {
    for (size_t i = 0; i < rows[r].count; i++) *next++ = rows[r].values[i];
  }
  return row;
}

const evaluator_t model_evaluator = {
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
    .sum = model_sum,
    .sum_of_products = model_sum_of_products,
    .squared_deviations = squared_deviations,
    .running_moments = model_running_moments,
    .shares = shares,
    .online_sum = model_online_sum,
    .nearby = nearby,
    .either = either,
    .pick = pick,
    .join = join,
};
