/* SPDX-License-Identifier: Apache-2.0 */
/* gelu falls to its minimum and grows from there on, so its exact values on a box are those at the
 * ends, and the minimum if that is within.  Around them lies what the formulas may err by. */
#include "oracles/ops/byteir_special_functions/enclose.h"

#include <math.h>

#include "generated/byteir_special_functions_permissions.h"
#include "oracles/exact/error_bound.h"
#include "oracles/formula/formula_box.h"
#include "oracles/ops/byteir_special_functions/byteir_special_functions.h"

/* The spellings of permission gelu. */
enum { GELU_COMPLEMENT, GELU_SUM, GELU_FITTED, GELU_EXPONENTIAL };

/* ---- Exactly --------------------------------------------------------------------------------- */

static double compute(gelu_approximation_t approximation, double x) {
  if (approximation != GELU_TANH) return 0.5 * x * erfc(-x * M_SQRT1_2);
  double z = M_2_SQRTPI * M_SQRT1_2 * (x + 0.044715 * x * x * x);
  return x / (1 + exp(-2 * z));
}

/* Where the minimum lies and how deep it is.  There is one, and beyond it on either side gelu is
 * monotone: theory.md, T72. */
typedef struct minimum {
  box_t place;
  double value; /* Not above it. */
} minimum_t;
static const minimum_t minima[] = {
    [GELU_NONE] = {{-0.7518, -0.7517}, -0.16997120748},
    [GELU_ERF] = {{-0.7518, -0.7517}, -0.16997120748},
    [GELU_TANH] = {{-0.7525, -0.7524}, -0.17004075058},
};

static box_t widen_relatively(double value, double error) {
  return box_widen(box_point(value), fabs(value) * error + 0x1p-1000);
}

/* theory.md, A3 and T72. */
static box_t enclose_exactly(gelu_approximation_t approximation, box_t x) {
  box_t low = widen_relatively(compute(approximation, x.low), FORMULA_LIBRARY_ERROR);
  box_t high = widen_relatively(compute(approximation, x.high), FORMULA_LIBRARY_ERROR);
  box_t out = box_unite(low, high);
  const minimum_t *minimum = &minima[approximation];
  bool meets = x.low <= minimum->place.high && x.high >= minimum->place.low;
  if (meets) out.low = fmin(out.low, minimum->value);
  return out;
}

/* ---- Errors of the formulas ------------------------------------------------------------------ */

/* What |x| is multiplied by to bound the error, before the last roundings, of all formulas that the
 * contract permits: theory.md, T72. */
static double find_factor(gelu_approximation_t approximation, const format_t *format,
                          const contract_t *contract) {
  double u = formula_errors_make(format, contract).unit_roundoff;
  bool may_cancel = PERMITTED(contract, gelu) >= GELU_SUM;
  if (approximation == GELU_TANH) {
    double exponential = formula_function_error(format, contract, ELEMENTARY_exp);
    double tangent = formula_function_error(format, contract, ELEMENTARY_tanh);
    double quotient = 0.23 * 9.5 * u + 0.3 * exponential;
    double sum = 0.5 * (0.45 * 9.5 * u + tangent + 2.1 * u);
    double by_exponential = 2 * quotient + 0.5 * (3.2 * u + 2.1 * u);
    if (PERMITTED(contract, gelu) >= GELU_EXPONENTIAL)
      return fmax(by_exponential, fmax(quotient, sum));
    return may_cancel ? fmax(quotient, sum) : quotient;
  }
  double complement =
      0.5 * (1.1 * u + 2 * formula_function_error(format, contract, ELEMENTARY_erfc));
  double sum = 0.5 * (1.1 * u + formula_function_error(format, contract, ELEMENTARY_erf) + 2.1 * u);
  double factor = may_cancel ? fmax(complement, sum) : complement;
  bool is_fitted = PERMITTED(contract, gelu) >= GELU_FITTED && format != &format_table[FORMAT_f64];
  return is_fitted ? fmax(factor, sum + 0.5 * 1.51e-7) : factor;
}

/* theory.md, T72. */
static box_t loosen(box_t exact, double magnitude, double factor, const format_t *format,
                    const contract_t *contract) {
  formula_errors_t errors = formula_errors_make(format, contract);
  if (!(factor < 0x1p-3)) return box_whole_line(); /* Nothing above is small then. */
  double steps = 4 * errors.unit_roundoff * box_magnitude(exact);
  return box_widen(exact, (1 + 0x1p-3) * factor * magnitude + steps + 8 * errors.underflow);
}

status_t byteir_gelu_enclose(const enclosure_call_t *call,
                             box_t *const out_results[CASE_RESULTS_MAX]) {
  const program_t *program = call->program;
  const format_t *format = program->operands[0].element->format;
  gelu_approximation_t approximation = byteir_gelu_approximation(program);
  double factor = call->contract == NULL ? 0 : find_factor(approximation, format, call->contract);
  size_t count = type_element_count(&program->results[0]);
  for (size_t i = 0; i < count; i++) {
    box_t x = call->operands[0][i];
    bool flushes = call->contract != NULL && PERMITTED(call->contract, ftz) != FTZ_NONE;
    if (flushes) x = box_flush(x, format);
    if (!box_is_finite(x)) {
      out_results[0][i] = box_whole_line();
      continue;
    }
    box_t result = enclose_exactly(approximation, x);
    if (call->contract != NULL) {
      result = box_round(loosen(result, box_magnitude(x), factor, format, call->contract), format);
      if (flushes) result = box_flush(result, format);
    }
    out_results[0][i] = result;
  }
  return STATUS_OK;
}
