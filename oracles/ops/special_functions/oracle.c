/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle rows of the special functions: formulas of one step, but for logistic. */
#include <math.h>

#include "generated/special_functions_faults.h"
#include "oracles/composite/composite.h"
#include "oracles/exact/range_convert.h"
#include "oracles/ops/special_functions/special_functions.h"

/* ---- Planted faults -------------------------------------------------------------------------- */

/* Replaces numbers of a model by f(x) of the operand, rounded, where that is a number or NaN that
 * the fault returns. */
static void replace(formula_t *formula, row_t x, row_t results, double (*wrong)(double x),
                    bool only_negative) {
  for (size_t i = 0; i < results.count; i++) {
    if (only_negative && !(x.values[i] < 0)) continue;
    results.values[i] = format_round_double(formula->format, wrong(x.values[i]));
  }
}

static double log_of_magnitude(double x) { return log(fabs(x)); }
static double rsqrt_of_magnitude(double x) { return 1 / sqrt(fabs(x)); }
static double nan_of_infinity(double x) { return isinf(x) && x < 0 ? (double)NAN : exp(x); }
static double logistic_of_negative(double x) { return 1 / (1 + exp(x)); }
static double hard_logistic(double x) { return fmin(fmax(0.2 * x + 0.5, 0), 1); }
static double sine_of_degrees(double x) { return sin(x * (M_PI / 180)); }

/* x less a multiple of pi / 2 of 24 bits. */
static double reduce_coarsely(double x) {
  double quarters = nearbyint(x * M_2_PI);
  return x - quarters * (double)(float)M_PI_2;
}

static double quarter_of(double x) { return fmod(fabs(nearbyint(x * M_2_PI)), 4); }

static double coarse_sine(double x) {
  double rest = reduce_coarsely(x), quarter = fmod(nearbyint(x * M_2_PI), 4);
  if (quarter < 0) quarter += 4;
  double value = fmod(quarter, 2) == 0 ? sin(rest) : cos(rest);
  return quarter >= 2 ? -value : value;
}
static double coarse_cosine(double x) {
  double rest = reduce_coarsely(x), quarter = fmod(nearbyint(x * M_2_PI), 4);
  if (quarter < 0) quarter += 4;
  double value = fmod(quarter, 2) == 0 ? cos(rest) : sin(rest);
  return quarter == 1 || quarter == 2 ? -value : value;
}
static double exchanged_sine(double x) { return fmod(quarter_of(x), 2) == 0 ? sin(x) : cos(x); }
static double exchanged_cosine(double x) { return fmod(quarter_of(x), 2) == 0 ? cos(x) : sin(x); }

/* What the schedule's fault makes of the results of a model. */
static void spoil(formula_t *formula, row_t x, row_t results) {
  const struct {
    fault_t fault;
    special_function_t function;
    double (*wrong)(double x);
    bool only_negative;
  } rows[] = {
      {FAULT_log_of_magnitude, SPECIAL_LOG, log_of_magnitude, true},
      {FAULT_rsqrt_of_magnitude, SPECIAL_RSQRT, rsqrt_of_magnitude, true},
      {FAULT_exp_of_infinity_nan, SPECIAL_EXPONENTIAL, nan_of_infinity, true},
      {FAULT_logistic_reflected, SPECIAL_LOGISTIC, logistic_of_negative, false},
      {FAULT_logistic_hard, SPECIAL_LOGISTIC, hard_logistic, false},
      {FAULT_sine_reduced_coarsely, SPECIAL_SINE, coarse_sine, false},
      {FAULT_sine_reduced_coarsely, SPECIAL_COSINE, coarse_cosine, false},
      {FAULT_sine_as_cosine, SPECIAL_SINE, exchanged_sine, false},
      {FAULT_sine_as_cosine, SPECIAL_COSINE, exchanged_cosine, false},
      {FAULT_sine_of_degrees, SPECIAL_SINE, sine_of_degrees, false},
  };
  if (formula->schedule == NULL) return;
  special_function_t function = special_function_of(formula->program);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (rows[i].function != function || rows[i].fault != formula->schedule->fault) continue;
    replace(formula, x, results, rows[i].wrong, rows[i].only_negative);
  }
}

/* ---- Formulas -------------------------------------------------------------------------------- */

#define FUNCTION(name, function)                                                             \
  static void evaluate_##name(formula_t *formula, const row_t operands[], row_t results[]) { \
    results[0] = formula_function(formula, function, operands[0]);                           \
    spoil(formula, operands[0], results[0]);                                                 \
  }
FUNCTION(exponential, ELEMENTARY_exp)
FUNCTION(log, ELEMENTARY_log)
FUNCTION(tanh, ELEMENTARY_tanh)
FUNCTION(sine, ELEMENTARY_sin)
FUNCTION(cosine, ELEMENTARY_cos)

static void evaluate_exponential_minus_one(formula_t *formula, const row_t operands[],
                                           row_t results[]) {
  if (formula_has_fault(formula, FAULT_expm1_cancels)) {
    row_t exponential = formula_function(formula, ELEMENTARY_exp, operands[0]);
    results[0] = formula_subtract(formula, exponential, formula_number(formula, 1));
    return;
  }
  results[0] = formula_function(formula, ELEMENTARY_expm1, operands[0]);
}

static void evaluate_log_plus_one(formula_t *formula, const row_t operands[], row_t results[]) {
  if (formula_has_fault(formula, FAULT_log1p_cancels)) {
    row_t sum = formula_add(formula, operands[0], formula_number(formula, 1));
    results[0] = formula_function(formula, ELEMENTARY_log, sum);
    return;
  }
  results[0] = formula_function(formula, ELEMENTARY_log1p, operands[0]);
}

/* Inverse roots as a function of their own, or 1 / sqrt(x). */
static void evaluate_rsqrt(formula_t *formula, const row_t operands[], row_t results[]) {
  results[0] = formula_inverse_square_root(formula, operands[0]);
  spoil(formula, operands[0], results[0]);
}

/* The specification's own: division(1, addition(1, exponential(negate(x)))). */
static void logistic_by_exponential(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t one = formula_number(formula, 1), x = formula_negate(formula, operands[0]);
  row_t sum = formula_add(formula, formula_function(formula, ELEMENTARY_exp, x), one);
  results[0] = formula_divide(formula, one, sum);
  spoil(formula, operands[0], results[0]);
}

static void logistic_by_tanh(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t half = formula_number(formula, 0.5);
  row_t scaled = formula_multiply(formula, operands[0], half);
  row_t tangent = formula_function(formula, ELEMENTARY_tanh, scaled);
  results[0] = formula_multiply_add(formula, tangent, half, half);
  spoil(formula, operands[0], results[0]);
}

/* Whatever is as good as rounding the exact value is right, and the formula loses the tail where
 * exp(-x) overflows (theory.md, T225). */
static void permit_faithful(const case_t *instance, const contract_t *contract, uint32_t result,
                            size_t element, value_range_t *inout_range) {
  (void)result;
  (void)contract;
  const tensor_t *x = &instance->operands[0];
  const format_t *format = x->type.element->format;
  double number = format_to_double(format, element_load(x->type.element, x->data, element));
  if (!isfinite(number)) return;
  mpfr_t down, up;
  mpfr_inits2(128, down, up, (mpfr_ptr)NULL);
  mpfr_set_d(down, -number, MPFR_RNDN);
  mpfr_exp(up, down, MPFR_RNDD);
  mpfr_exp(down, down, MPFR_RNDU);
  mpfr_add_ui(down, down, 1, MPFR_RNDU);
  mpfr_add_ui(up, up, 1, MPFR_RNDD);
  mpfr_ui_div(down, 1, down, MPFR_RNDD);
  mpfr_ui_div(up, 1, up, MPFR_RNDU);
  uint64_t low = format_from_mpfr(format, down, ROUNDING_DOWN, OVERFLOW_SATURATE);
  uint64_t high = format_from_mpfr(format, up, ROUNDING_UP, OVERFLOW_SATURATE);
  value_range_t faithful = {.low = format_to_double(format, low),
                            .high = format_to_double(format, high)};
  if (faithful.low == 0) inout_range->positive_zero = true;
  bool is_zero = inout_range->low == 0 && inout_range->high == 0; /* Then there is no interval. */
  if (is_zero || inout_range->low > inout_range->high) {
    inout_range->low = faithful.low;
    inout_range->high = faithful.high;
  }
  value_range_unite(inout_range, &faithful);
  mpfr_clears(down, up, (mpfr_ptr)NULL);
}

/* ---- The rows -------------------------------------------------------------------------------- */

static const composite_formula_t formulas[SPECIAL_FUNCTION_COUNT][2] = {
    [SPECIAL_EXPONENTIAL] = {{.evaluate = evaluate_exponential}},
    [SPECIAL_EXPONENTIAL_MINUS_ONE] = {{.evaluate = evaluate_exponential_minus_one}},
    [SPECIAL_LOG] = {{.evaluate = evaluate_log}},
    [SPECIAL_LOG_PLUS_ONE] = {{.evaluate = evaluate_log_plus_one}},
    [SPECIAL_LOGISTIC] = {{.evaluate = logistic_by_exponential}, {.evaluate = logistic_by_tanh}},
    [SPECIAL_TANH] = {{.evaluate = evaluate_tanh}},
    [SPECIAL_RSQRT] = {{.evaluate = evaluate_rsqrt}},
    [SPECIAL_SINE] = {{.evaluate = evaluate_sine}},
    [SPECIAL_COSINE] = {{.evaluate = evaluate_cosine}},
};

static const composite_formula_t *find_formulas(const program_t *program) {
  return formulas[special_function_of(program)];
}

static composite_layout_t layout(const program_t *program, arena_t *arena) {
  return composite_layout_elements(&program->operands[0], arena);
}

static const composite_t composite = {
    .layout = layout,
    .operand_roles = {COMPOSITE_ELEMENT},
    .result_roles = {COMPOSITE_ELEMENT},
    .formulas = find_formulas,
};

static const composite_t logistic_composite = {
    .layout = layout,
    .operand_roles = {COMPOSITE_ELEMENT},
    .result_roles = {COMPOSITE_ELEMENT},
    .formulas = find_formulas,
    .permit = permit_faithful,
};

#define ROW(function)                         \
  static const oracle_t function##_oracle = { \
      .op_name = "stablehlo." #function,      \
      .composite = &composite,                \
      COMPOSITE_FUNCTIONS,                    \
      .enclose = composite_enclose,           \
  };
ROW(exponential)
ROW(exponential_minus_one)
ROW(log)
ROW(log_plus_one)
ROW(tanh)
ROW(rsqrt)
ROW(sine)
ROW(cosine)

/* Boxes of the formula, and what faithful rounding makes of the exact numbers (theory.md, T262). */
static status_t enclose_logistic(const enclosure_call_t *call,
                                 box_t *const out_results[CASE_RESULTS_MAX]) {
  STATUS_TRY(composite_enclose(call, out_results));
  if (call->contract == NULL) return STATUS_OK;
  const type_t *type = &call->program->results[0];
  size_t count = type_element_count(type);
  box_t *exact[CASE_RESULTS_MAX] = {ARENA_NEW_ARRAY(call->arena, box_t, count)};
  enclosure_call_t exactly = *call;
  exactly.contract = NULL;
  STATUS_TRY(composite_enclose(&exactly, exact));
  for (size_t i = 0; i < count; i++) {
    box_t faithful = box_round_either_way(exact[0][i], type->element->format);
    out_results[0][i] = box_unite(out_results[0][i], faithful);
  }
  return STATUS_OK;
}

static const oracle_t logistic_oracle = {
    .op_name = "stablehlo.logistic",
    .composite = &logistic_composite,
    COMPOSITE_FUNCTIONS,
    .enclose = enclose_logistic,
};

extern const oracle_t *const special_functions_oracles[];
const oracle_t *const special_functions_oracles[] = {
    &exponential_oracle, &exponential_minus_one_oracle,
    &log_oracle,         &log_plus_one_oracle,
    &logistic_oracle,    &tanh_oracle,
    &rsqrt_oracle,       &sine_oracle,
    &cosine_oracle,      NULL};
