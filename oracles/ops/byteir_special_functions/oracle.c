/* SPDX-License-Identifier: Apache-2.0 */
/* gelu: x Phi(x), Phi(x) = (1 + erf(x / sqrt 2)) / 2 = erfc(-x / sqrt 2) / 2, or the approximation
 * x (1 + tanh z) / 2 = x / (1 + exp(-2 z)), z = sqrt(2 / pi) (x + 0.044715 x^3); and erf. */
#include <math.h>

#include "generated/byteir_special_functions_faults.h"
#include "oracles/composite/composite.h"
#include "oracles/ops/byteir_special_functions/byteir_special_functions.h"
#include "oracles/ops/byteir_special_functions/enclose.h"

/* A real constant, and the same rounded to f32. */
typedef struct constant {
  real_t exact;
  double rounded;
} constant_t;

static const constant_t inverse_root_2 = {
    REAL(0.7071067811865475244008443621048490392848359376884740365883398689953662392310535194),
    0x1.6a09e6p-1};
static const constant_t root_2 = {
    REAL(1.414213562373095048801688724209698078569671875376948073176679737990732478462107039),
    0x1.6a09e6p+0};
static const constant_t root_2_over_pi = {
    REAL(0.797884560802865355879892119868763736951717262329869315331851659341315851798603677),
    0x1.988454p-1};
static const constant_t cubic = {REAL(0.044715), 0x1.6e4e26p-5};
static const constant_t cubic_root_2_over_pi = {
    REAL(0.03567740813630012438816937613993177049779603738508010643506374694744693831317456342),
    0x1.2444f2p-5};

static row_t take(formula_t *formula, const constant_t *constant) {
  static const real_t misplaced = REAL(0.44715);
  bool is_misplaced = formula_has_fault(formula, FAULT_gelu_cubic_misplaced);
  if (is_misplaced && constant == &cubic) return formula_constant(formula, &misplaced);
  bool is_short = formula_has_fault(formula, FAULT_gelu_short_constants);
  return is_short ? formula_number(formula, constant->rounded)
                  : formula_constant(formula, &constant->exact);
}

/* ---- By the error function ------------------------------------------------------------------- */

/* x / sqrt 2 */
static row_t scale(formula_t *formula, row_t x) {
  if (formula_has_fault(formula, FAULT_gelu_argument_unscaled)) return x;
  return formula_scale(formula, x, take(formula, &inverse_root_2), take(formula, &root_2));
}

static void erf_complement(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t t = formula_negate(formula, scale(formula, operands[0]));
  results[0] =
      formula_half_product(formula, operands[0], formula_function(formula, ELEMENTARY_erfc, t));
}

static void multiply_by_sum(formula_t *formula, row_t x, row_t function, row_t results[]) {
  row_t sum = formula_add(formula, function, formula_number(formula, 1));
  results[0] = formula_half_product(formula, x, sum);
}

static void erf_sum(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t t = scale(formula, operands[0]);
  multiply_by_sum(formula, operands[0], formula_function(formula, ELEMENTARY_erf, t), results);
}

/* Abramowitz and Stegun (1964), formula 7.1.26: |error| <= 1.5e-7.  In f64 nobody uses it. */
static void erf_fitted(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t t = scale(formula, operands[0]);
  row_t function = formula_function(formula, ELEMENTARY_erf, t);
  bool is_wide = formula->format == &format_table[FORMAT_f64];
  if (!is_wide) function = formula_nearby(formula, function, 1.5e-7);
  multiply_by_sum(formula, operands[0], function, results);
}

/* ---- By the hyperbolic tangent --------------------------------------------------------------- */

/* z, by whichever factors come first. */
static row_t find_cubic(formula_t *formula, row_t x) {
  row_t one = formula_number(formula, 1);
  row_t k = take(formula, &root_2_over_pi);
  row_t c = take(formula, &cubic);
  row_t kc = formula_either(formula, take(formula, &cubic_root_2_over_pi),
                            formula_multiply(formula, k, c));
  row_t square = formula_multiply(formula, x, x);
  bool is_squared = formula_has_fault(formula, FAULT_gelu_cubic_squared);
  row_t cube = is_squared ? square : formula_multiply(formula, square, x);
  row_t factor = formula_multiply_add(formula, c, square, one);
  row_t added = formula_multiply(formula, k, formula_multiply_add(formula, c, cube, x));
  row_t factored = formula_multiply(formula, k, formula_multiply(formula, x, factor));
  row_t scaled = formula_multiply(formula, formula_multiply(formula, k, x), factor);
  row_t joined = formula_multiply(formula, x, formula_multiply_add(formula, kc, square, k));
  return formula_either(formula, formula_either(formula, added, factored),
                        formula_either(formula, scaled, joined));
}

static void tanh_complement(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t x = operands[0];
  row_t doubled = formula_multiply(formula, find_cubic(formula, x), formula_number(formula, -2));
  row_t one = formula_number(formula, 1);
  row_t divisor = formula_add(formula, formula_function(formula, ELEMENTARY_exp, doubled), one);
  row_t inverse = formula_divide(formula, one, divisor);
  results[0] = formula_either(formula, formula_divide(formula, x, divisor),
                              formula_multiply(formula, x, inverse));
}

static void tanh_sum(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t z = find_cubic(formula, operands[0]);
  multiply_by_sum(formula, operands[0], formula_function(formula, ELEMENTARY_tanh, z), results);
}

/* tanh z = 1 - 2 / (exp(2 |z|) + 1) with the sign of z, as tutorials of Triton have it.  Near 0
 * that is off by a unit in the last place of 1, which is many of tanh z, and few of 1 + tanh z. */
static void tanh_by_exponential(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t one = formula_number(formula, 1), two = formula_number(formula, 2);
  row_t z = find_cubic(formula, operands[0]);
  row_t magnitude = formula_maximum(formula, z, formula_negate(formula, z));
  row_t exponential =
      formula_function(formula, ELEMENTARY_exp, formula_multiply(formula, magnitude, two));
  row_t quotient = formula_divide(formula, two, formula_add(formula, exponential, one));
  row_t tangent = formula_subtract(formula, one, quotient);
  bool is_unsigned = formula_has_fault(formula, FAULT_gelu_tanh_unsigned);
  if (!is_unsigned) tangent = formula_negate_where(formula, tangent, z);
  multiply_by_sum(formula, operands[0], tangent, results);
}

/* ---- gelu ------------------------------------------------------------------------------------ */

static void logistic(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t scaled = formula_multiply(formula, operands[0], formula_number(formula, -1.702));
  row_t one = formula_number(formula, 1);
  row_t divisor = formula_add(formula, formula_function(formula, ELEMENTARY_exp, scaled), one);
  results[0] = formula_divide(formula, operands[0], divisor);
}

/* What a faulty implementation makes of its results. */
static void spoil_results(formula_t *formula, row_t x, row_t result) {
  bool is_double = formula_has_fault(formula, FAULT_gelu_not_halved);
  for (size_t i = 0; is_double && i < result.count; i++) {
    result.values[i] = format_round_double(formula->format, 2 * result.values[i]);
  }
  if (!formula_has_fault(formula, FAULT_gelu_linear_beyond_3)) return;
  for (size_t i = 0; i < result.count; i++) {
    if (fabs(x.values[i]) > 3) result.values[i] = fmax(x.values[i], 0);
  }
}

/* The planted faults that are another function; false if there is none. */
static bool mistake(formula_t *formula, const row_t operands[], row_t results[]) {
  bool is_tanh = byteir_gelu_approximation(formula->program) == GELU_TANH;
  if (formula_has_fault(formula, FAULT_gelu_logistic)) {
    logistic(formula, operands, results);
  } else if (formula_has_fault(formula, FAULT_gelu_tanh_for_erf) && !is_tanh) {
    tanh_sum(formula, operands, results);
  } else if (formula_has_fault(formula, FAULT_gelu_erf_for_tanh) && is_tanh) {
    erf_sum(formula, operands, results);
  } else {
    return false;
  }
  return true;
}

#define GELU_FORMULA(name)                                                               \
  static void gelu_##name(formula_t *formula, const row_t operands[], row_t results[]) { \
    if (!mistake(formula, operands, results)) name(formula, operands, results);          \
    spoil_results(formula, operands[0], results[0]);                                     \
  }
GELU_FORMULA(erf_complement)
GELU_FORMULA(erf_sum)
GELU_FORMULA(erf_fitted)
GELU_FORMULA(tanh_complement)
GELU_FORMULA(tanh_sum)
GELU_FORMULA(tanh_by_exponential)

static const composite_formula_t by_erf[] = {
    {.evaluate = gelu_erf_complement},
    {.evaluate = gelu_erf_sum},
    {.evaluate = gelu_erf_fitted},
    {.evaluate = gelu_erf_fitted},
};

/* No fitted tanh is known that is worse than the contract's table. */
static const composite_formula_t by_tanh[] = {
    {.evaluate = gelu_tanh_complement},
    {.evaluate = gelu_tanh_sum},
    {.evaluate = gelu_tanh_sum},
    {.evaluate = gelu_tanh_by_exponential},
};

static const composite_formula_t *find_gelu_formulas(const program_t *program) {
  return byteir_gelu_approximation(program) == GELU_TANH ? by_tanh : by_erf;
}

static composite_layout_t layout(const program_t *program, arena_t *arena) {
  return composite_layout_elements(&program->operands[0], arena);
}

/* At -infinity all formulas say -infinity * 0, and the limit is -0.  The document says nothing:
 * both conform. */
static void permit_limit(const case_t *instance, const contract_t *contract, uint32_t result,
                         size_t element, value_range_t *inout_range) {
  (void)contract;
  (void)result;
  const tensor_t *x = &instance->operands[0];
  uint64_t bits = element_load(x->type.element, x->data, element);
  const format_t *format = x->type.element->format;
  if (!format_is_infinity(format, bits) || !format_is_negative(format, bits)) return;
  inout_range->positive_zero = true;
  inout_range->negative_zero = true;
}

static const composite_t gelu = {
    .layout = layout,
    .operand_roles = {COMPOSITE_ELEMENT},
    .result_roles = {COMPOSITE_ELEMENT},
    .formulas = find_gelu_formulas,
    .permit = permit_limit,
};

/* ---- erf ------------------------------------------------------------------------------------- */

static void evaluate_erf(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t function = formula_function(formula, ELEMENTARY_erf, operands[0]);
  if (formula_has_fault(formula, FAULT_erf_fitted)) {
    function = formula_nearby(formula, function, 1.5e-7);
  }
  if (formula_has_fault(formula, FAULT_erf_from_one)) {
    const row_t one = formula_number(formula, 1);
    function = formula_subtract(formula, one, formula_subtract(formula, one, function));
  }
  if (formula_has_fault(formula, FAULT_erf_beyond_one)) {
    function = formula_multiply(formula, function, formula_number(formula, 0x1.000004p+0));
  }
  results[0] = function;
}

static const composite_formula_t erf_formulas[] = {{.evaluate = evaluate_erf}};

static const composite_formula_t *find_erf_formulas(const program_t *program) {
  (void)program;
  return erf_formulas;
}

static const composite_t error_function = {
    .layout = layout,
    .operand_roles = {COMPOSITE_ELEMENT},
    .result_roles = {COMPOSITE_ELEMENT},
    .formulas = find_erf_formulas,
};

/* ---- The rows -------------------------------------------------------------------------------- */

static const oracle_t gelu_oracle = {
    .op_name = "byteir.gelu",
    .composite = &gelu,
    COMPOSITE_FUNCTIONS,
    .enclose = byteir_gelu_enclose,
};

static const oracle_t erf_oracle = {
    .op_name = "byteir.erf",
    .composite = &error_function,
    COMPOSITE_FUNCTIONS,
};

extern const oracle_t *const byteir_special_functions_oracles[];
const oracle_t *const byteir_special_functions_oracles[] = {&gelu_oracle, &erf_oracle, NULL};
