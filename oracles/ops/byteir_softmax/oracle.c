/* SPDX-License-Identifier: Apache-2.0 */
/* softmax: y_i = exp(x_i) / sum exp(x_j), and log_softmax: y_i = x_i - ln sum exp(x_j), along one
 * dimension.  All formulas are these in exact arithmetic. */
#include <glib.h>

#include "generated/byteir_softmax_faults.h"
#include "oracles/composite/composite.h"
#include "oracles/ops/byteir_softmax/byteir_softmax.h"
#include "oracles/ops/byteir_softmax/enclose.h"

static const real_t log2_of_e =
    REAL(1.44269504088896340735992468100189213742664595415298593413544940693110921918118507988);

enum { VECTOR = 8 }; /* Of a fault that fills rows up. */

static composite_layout_t layout(const program_t *program, arena_t *arena) {
  dimension_list_t dimension = byteir_softmax_dimension(program);
  return composite_layout_rows(&program->operands[0], &dimension, arena);
}

/* Of so many numbers a faulty implementation takes the maximum; of all, if it has no such fault. */
static size_t count_seen(const formula_t *formula, size_t count) {
  enum { FIRST_BLOCK = 16, FIRST_THOUSAND = 1024 };
  if (formula_has_fault(formula, FAULT_maximum_of_first_block)) return MIN(count, FIRST_BLOCK);
  if (formula_has_fault(formula, FAULT_maximum_of_first_thousand))
    return MIN(count, FIRST_THOUSAND);
  return count;
}

/* The largest number of the row. */
static row_t find_maximum(formula_t *formula, row_t x) {
  size_t count = count_seen(formula, x.count);
  row_t seen = {.count = count, .values = x.values};
  row_t maximum = formula_row_maximum(formula, count < x.count ? seen : x);
  if (!formula_has_fault(formula, FAULT_maximum_from_zero)) return maximum;
  return formula_maximum(formula, maximum, formula_number(formula, 0));
}

/* x less the maximum: at most 0. */
static row_t shift(formula_t *formula, row_t x) {
  if (formula_has_fault(formula, FAULT_exponentials_unshifted)) return x;
  return formula_subtract(formula, x, find_maximum(formula, x));
}

/* ---- softmax --------------------------------------------------------------------------------- */

/* What a faulty implementation divides exponentials by; false if it has no such fault. */
static bool find_faulty_divisor(formula_t *formula, row_t exponentials, row_t padding,
                                row_t *out_divisor) {
  row_t sum = formula_sum(formula, exponentials);
  if (formula_has_fault(formula, FAULT_softmax_unnormalized)) {
    *out_divisor = formula_row_maximum(formula, exponentials);
  } else if (formula_has_fault(formula, FAULT_softmax_tail_unmasked)) {
    row_t places = formula_number(formula, (double)(-exponentials.count % VECTOR));
    *out_divisor = formula_multiply_add(formula, padding, places, sum);
  } else if (formula_has_fault(formula, FAULT_softmax_sum_with_epsilon)) {
    *out_divisor = formula_add(formula, sum, formula_number(formula, 1e-6));
  } else {
    return false;
  }
  return true;
}

static void softmax_shifted(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t shifted = shift(formula, operands[0]), zero = formula_number(formula, 0);
  row_t exponentials = formula_function(formula, ELEMENTARY_exp, shifted), divisor;
  if (formula->schedule == NULL || formula->schedule->fault == FAULT_NONE) {
    results[0] = formula_shares(formula, exponentials);
    return;
  }
  row_t padded = formula_subtract(formula, zero, find_maximum(formula, operands[0]));
  row_t padding = formula_function(formula, ELEMENTARY_exp, padded);
  results[0] = find_faulty_divisor(formula, exponentials, padding, &divisor)
                   ? formula_divide(formula, exponentials, divisor)
                   : formula_shares(formula, exponentials);
}

static void softmax_online(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t sum = formula_online_sum(formula, operands[0]);
  row_t exponentials = formula_function(formula, ELEMENTARY_exp, shift(formula, operands[0]));
  row_t inverse = formula_divide(formula, formula_number(formula, 1), sum);
  results[0] = formula_either(formula, formula_divide(formula, exponentials, sum),
                              formula_multiply(formula, exponentials, inverse));
}

static void softmax_scaled(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t scale = formula_constant(formula, &log2_of_e);
  row_t maximum = formula_multiply(formula, find_maximum(formula, operands[0]), scale);
  row_t shifted =
      formula_multiply_add(formula, operands[0], scale, formula_negate(formula, maximum));
  results[0] = formula_shares(formula, formula_function(formula, ELEMENTARY_exp2, shifted));
}

static void softmax_unshifted(formula_t *formula, const row_t operands[], row_t results[]) {
  results[0] = formula_shares(formula, formula_function(formula, ELEMENTARY_exp, operands[0]));
}

static const composite_formula_t softmax_formulas[] = {
    {.evaluate = softmax_shifted},
    {.evaluate = softmax_online, .is_running = true},
    {.evaluate = softmax_scaled},
    {.evaluate = softmax_unshifted},
};

static const composite_formula_t *find_softmax_formulas(const program_t *program) {
  (void)program;
  return softmax_formulas;
}

static const composite_t softmax = {
    .layout = layout,
    .operand_roles = {COMPOSITE_ELEMENT},
    .result_roles = {COMPOSITE_ELEMENT},
    .formulas = find_softmax_formulas,
    .takes_groups_together = true,
};

/* ---- log_softmax ----------------------------------------------------------------------------- */

static row_t log_of_sum(formula_t *formula, row_t exponents) {
  row_t sum = formula_sum(formula, formula_function(formula, ELEMENTARY_exp, exponents));
  row_t logarithm = formula_function(formula, ELEMENTARY_log, sum);
  if (!formula_has_fault(formula, FAULT_logarithm_base_2)) return logarithm;
  return formula_multiply(formula, logarithm, formula_constant(formula, &log2_of_e));
}

static void log_softmax_shifted(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t shifted = shift(formula, operands[0]);
  bool keeps_maximum = formula_has_fault(formula, FAULT_maximum_not_subtracted);
  results[0] = formula_subtract(formula, keeps_maximum ? operands[0] : shifted,
                                log_of_sum(formula, shifted));
  if (!formula_has_fault(formula, FAULT_log_of_share_guarded)) return;
  row_t share;
  softmax_shifted(formula, operands, &share);
  row_t guarded = formula_add(formula, share, formula_number(formula, 1e-7));
  results[0] = formula_function(formula, ELEMENTARY_log, guarded);
}

static void log_softmax_logsumexp(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t maximum = find_maximum(formula, operands[0]);
  row_t shifted = formula_subtract(formula, operands[0], maximum);
  row_t whole = formula_add(formula, maximum, log_of_sum(formula, shifted));
  results[0] = formula_subtract(formula, operands[0], whole);
}

static void log_softmax_composed(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t share;
  softmax_shifted(formula, operands, &share);
  results[0] = formula_function(formula, ELEMENTARY_log, share);
}

static void log_softmax_unshifted(formula_t *formula, const row_t operands[], row_t results[]) {
  results[0] = formula_subtract(formula, operands[0], log_of_sum(formula, operands[0]));
}

static const composite_formula_t log_softmax_formulas[] = {
    {.evaluate = log_softmax_shifted},
    {.evaluate = log_softmax_logsumexp},
    {.evaluate = log_softmax_composed},
    {.evaluate = log_softmax_unshifted},
};

static const composite_formula_t *find_log_softmax_formulas(const program_t *program) {
  (void)program;
  return log_softmax_formulas;
}

static const composite_t log_softmax = {
    .layout = layout,
    .operand_roles = {COMPOSITE_ELEMENT},
    .result_roles = {COMPOSITE_ELEMENT},
    .formulas = find_log_softmax_formulas,
    .takes_groups_together = true,
};

/* ---- The rows -------------------------------------------------------------------------------- */

static const oracle_t softmax_oracle = {
    .op_name = "byteir.softmax",
    .composite = &softmax,
    COMPOSITE_FUNCTIONS,
    .enclose = byteir_softmax_enclose,
};

static const oracle_t log_softmax_oracle = {
    .op_name = "byteir.log_softmax",
    .composite = &log_softmax,
    COMPOSITE_FUNCTIONS,
};

extern const oracle_t *const byteir_softmax_oracles[];
const oracle_t *const byteir_softmax_oracles[] = {&softmax_oracle, &log_softmax_oracle, NULL};
