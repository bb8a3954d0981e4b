/* SPDX-License-Identifier: Apache-2.0 */
/* Random straight-line formulas: the steps of formula.h in any order, over operands of any kind.
 * One formula is run by every evaluator, and what they say of each row is compared. */
#ifndef ASSAY_TESTS_FORMULA_RANDOM_FORMULA_H
#define ASSAY_TESTS_FORMULA_RANDOM_FORMULA_H

#include <glib.h>
#include <math.h>

#include "harness/base/rng.h"
#include "oracles/formula/enclosed.h"
#include "oracles/formula/fast/fast_evaluator.h"
#include "oracles/formula/model.h"

enum { OPERANDS = 3, STEPS_MAX = 8, ROWS_MAX = OPERANDS + 2 * STEPS_MAX, TERMS_MAX = 40 };

typedef enum step_kind {
  STEP_ADD,
  STEP_SUBTRACT,
  STEP_MULTIPLY,
  STEP_DIVIDE,
  STEP_SQUARE_ROOT,
  STEP_MULTIPLY_ADD,
  STEP_FUNCTION,
  STEP_NEGATE,
  STEP_NEGATE_WHERE,
  STEP_MAXIMUM,
  STEP_ROW_MAXIMUM,
  STEP_SUM,
  STEP_SUM_OF_PRODUCTS,
  STEP_SUM_OF_SQUARES,
  STEP_MEAN,
  STEP_SQUARED_DEVIATIONS,
  STEP_RUNNING_MOMENTS,
  STEP_SHARES,
  STEP_ONLINE_SUM,
  STEP_QUOTIENT, /* Either of two ways. */
  STEP_INVERSE_SQUARE_ROOT,
  STEP_HALF_PRODUCT,
  STEP_SCALE,
  STEP_COUNT,
} step_kind_t;

static const char *const step_names[STEP_COUNT] = {
    "add",
    "subtract",
    "multiply",
    "divide",
    "square_root",
    "multiply_add",
    "function",
    "negate",
    "negate_where",
    "maximum",
    "row_maximum",
    "sum",
    "sum_of_products",
    "sum_of_squares",
    "mean",
    "squared_deviations",
    "running_moments",
    "shares",
    "online_sum",
    "quotient",
    "inverse_square_root",
    "half_product",
    "scale",
};

typedef struct step {
  step_kind_t kind;
  elementary_t function;
  size_t a, b, c; /* Rows. */
} step_t;

typedef struct random_formula {
  size_t terms;
  const format_t *operand_format;
  uint64_t operands[OPERANDS][TERMS_MAX];
  size_t step_count;
  step_t steps[STEPS_MAX];
} random_formula_t;

/* ---- Drawing --------------------------------------------------------------------------------- */

/* One regime for a row: its numbers are near one another, or of any size, or whole, or anything. */
static inline void draw_operand(rng_t *rng, const format_t *format, size_t count, uint64_t *bits) {
  int regime = (int)rng_below(rng, 6);
  int exponent = regime == 1 ? (int)rng_between(rng, format->exponent_min, format->exponent_max)
                             : (int)rng_between(rng, -6, 6);
  for (size_t i = 0; i < count; i++) {
    double unit = (double)rng_between(rng, -(1 << 30), 1 << 30) * 0x1p-30;
    if (regime == 2) unit = (double)rng_between(rng, -8, 8) * 0x1p-6;
    if (regime == 3) unit = 1 + unit * 0x1p-8;
    if (regime == 4) exponent = (int)rng_between(rng, format->exponent_min, format->exponent_max);
    bits[i] = format_from_double(format, ldexp(unit, exponent));
    if (regime == 5 && rng_one_in(rng, 4)) bits[i] = rng_bits(rng) >> (64 - format->bits);
  }
}

static inline void random_formula_draw(rng_t *rng, const format_t *operand_format,
                                       random_formula_t *out_formula) {
  static const size_t counts[] = {1, 1, 2, 3, 8, 17, TERMS_MAX};
  *out_formula = (random_formula_t){.operand_format = operand_format};
  out_formula->terms = counts[rng_below(rng, G_N_ELEMENTS(counts))];
  out_formula->step_count = 1 + (size_t)rng_below(rng, STEPS_MAX);
  for (size_t i = 0; i < OPERANDS; i++) {
    draw_operand(rng, operand_format, out_formula->terms, out_formula->operands[i]);
  }
  size_t rows = OPERANDS;
  for (size_t i = 0; i < out_formula->step_count; i++) {
    step_t *step = &out_formula->steps[i];
    step->kind = (step_kind_t)rng_below(rng, STEP_COUNT);
    step->function = (elementary_t)rng_below(rng, ELEMENTARY_COUNT);
    step->a = (size_t)rng_below(rng, rows);
    step->b = (size_t)rng_below(rng, rows);
    step->c = (size_t)rng_below(rng, rows);
    rows += step->kind == STEP_RUNNING_MOMENTS ? 2 : 1;
  }
}

static inline void random_formula_print(const random_formula_t *formula, GString *out_text) {
  for (size_t i = 0; i < OPERANDS; i++) {
    g_string_append_printf(out_text, "%s row %zu:", formula->operand_format->name, i);
    for (size_t t = 0; t < formula->terms; t++) {
      double value = format_to_double(formula->operand_format, formula->operands[i][t]);
      g_string_append_printf(out_text, " %a", value);
    }
    g_string_append_c(out_text, '\n');
  }
  size_t row = OPERANDS;
  for (size_t i = 0; i < formula->step_count; i++) {
    const step_t *step = &formula->steps[i];
    g_string_append_printf(out_text, "row %zu = %s(%zu, %zu, %zu) [%d]\n", row,
                           step_names[step->kind], step->a, step->b, step->c, step->function);
    row += step->kind == STEP_RUNNING_MOMENTS ? 2 : 1;
  }
}

/* ---- Running --------------------------------------------------------------------------------- */

static inline row_t load_operand(formula_t *formula, const random_formula_t *random, size_t which) {
  const format_t *format = random->operand_format;
  const uint64_t *bits = random->operands[which];
  if (formula->evaluator == &fast_evaluator) return fast_load(formula, format, bits, random->terms);
  if (formula->schedule != NULL) /* A model, which may take liberties of its own. */
    return model_load(formula, format, bits, random->terms);
  return enclosed_load(formula, format, bits, random->terms);
}

/* Numbers that are not negative: exponentials. */
static inline row_t run_shares(formula_t *formula, row_t a) {
  return formula_shares(formula, formula_function(formula, ELEMENTARY_exp, a));
}

static inline row_t run_scale(formula_t *formula, row_t x) {
  static const real_t ln_2 =
      REAL(0.693147180559945309417232121458176568075500134360255254120680009493393621969694716);
  static const real_t log2_of_e =
      REAL(1.44269504088896340735992468100189213742664595415298593413544940693110921918118507988);
  return formula_scale(formula, x, formula_constant(formula, &ln_2),
                       formula_constant(formula, &log2_of_e));
}

/* Steps over whole rows, and joined ones, take the operands that they are made for. */
static inline row_t run_step(formula_t *formula, const step_t *step, const row_t *rows) {
  row_t a = rows[step->a], b = rows[step->b], c = rows[step->c];
  row_t x = rows[step->a % OPERANDS], z = rows[step->b % OPERANDS];
  row_t one = formula_number(formula, 1);
  switch (step->kind) {
    case STEP_ADD:
      return formula_add(formula, a, b);
    case STEP_SUBTRACT:
      return formula_subtract(formula, a, b);
    case STEP_MULTIPLY:
      return formula_multiply(formula, a, b);
    case STEP_DIVIDE:
      return formula_divide(formula, a, b);
    case STEP_SQUARE_ROOT:
      return formula_square_root(formula, a);
    case STEP_MULTIPLY_ADD:
      return formula_multiply_add(formula, a, b, c);
    case STEP_FUNCTION:
      return formula_function(formula, step->function, a);
    case STEP_NEGATE:
      return formula_negate(formula, a);
    case STEP_NEGATE_WHERE:
      return formula_negate_where(formula, a, b);
    case STEP_MAXIMUM:
      return formula_maximum(formula, a, b);
    case STEP_ROW_MAXIMUM:
      return formula_row_maximum(formula, a);
    case STEP_SUM:
      return formula_sum(formula, a);
    case STEP_SUM_OF_PRODUCTS:
      return formula_sum_of_products(formula, x, z);
    case STEP_SUM_OF_SQUARES:
      return formula_sum_of_products(formula, a, a);
    case STEP_MEAN:
      return formula_mean(formula, a);
    case STEP_SQUARED_DEVIATIONS:
      return formula_squared_deviations(formula, x, formula_mean(formula, x));
    case STEP_SHARES:
      return run_shares(formula, a);
    case STEP_ONLINE_SUM:
      return formula_online_sum(formula, x);
    case STEP_QUOTIENT:
      return formula_either(formula, formula_divide(formula, a, b),
                            formula_multiply(formula, a, formula_divide(formula, one, b)));
    case STEP_INVERSE_SQUARE_ROOT:
      return formula_inverse_square_root(formula, a);
    case STEP_HALF_PRODUCT:
      return formula_half_product(formula, x, b);
    case STEP_SCALE:
      return run_scale(formula, x);
    case STEP_RUNNING_MOMENTS:
    case STEP_COUNT:
      break;
  }
  g_assert_not_reached();
}

/* Fills in all rows, the operands first; returns how many there are. */
static inline size_t random_formula_run(formula_t *formula, const random_formula_t *random,
                                        row_t out_rows[ROWS_MAX]) {
  size_t count = 0;
  while (count < OPERANDS) {
    out_rows[count] = load_operand(formula, random, count);
    count++;
  }
  for (size_t i = 0; i < random->step_count; i++) {
    const step_t *step = &random->steps[i];
    if (step->kind == STEP_RUNNING_MOMENTS) {
      formula_running_moments(formula, out_rows[step->a % OPERANDS], &out_rows[count],
                              &out_rows[count + 1]);
      count += 2;
    } else {
      out_rows[count++] = run_step(formula, step, out_rows);
    }
  }
  return count;
}

#endif
