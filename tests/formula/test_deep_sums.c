/* SPDX-License-Identifier: Apache-2.0 */
/* The depth of the sums that formulas take (permission depth; theory.md, T239): on rows whose small
 * terms a deep sum does not see, what adds one term after the other leaves the sets of flat trees,
 * and those of eight lanes; flat trees, lanes, and anything where any depth is permitted, do not.
 */
#include <glib.h>
#include <math.h>

#include "oracles/formula/enclosed_set.h"
#include "oracles/formula/fast/fast_evaluator.h"
#include "oracles/formula/fast/fast_rows.h"
#include "oracles/formula/model.h"

enum { TERMS = 4096 };

/* ---- Steps that sum -------------------------------------------------------------------------- */

typedef enum summing_step {
  SUM,
  SUM_OF_PRODUCTS,
  SQUARED_DEVIATIONS,
  SHARES,
  ONLINE_SUM,
  SUMMING_STEPS
} summing_step_t;

static const char *const step_names[SUMMING_STEPS] = {"sum", "sum of products",
                                                      "squared deviations", "shares", "online sum"};

/* A sum that begins with 1 does not see the others, each below half a unit in its last place; their
 * squares and exponentials likewise. */
static double term_of(summing_step_t step, size_t i) {
  double unseen = 0x1.fp-25, root = 0x1.fp-13;
  switch (step) {
    case SQUARED_DEVIATIONS:
      return (i % 2 == 0 ? 1 : -1) * (i < 2 ? 1 : root);
    case SUM_OF_PRODUCTS:
      return i == 0 ? 1 : root;
    case ONLINE_SUM:
      return i == 0 ? 0 : log(unseen);
    case SUM:
    case SHARES:
    case SUMMING_STEPS:
    default:
      return i == 0 ? 1 : unseen;
  }
}

static row_t run_step(formula_t *formula, summing_step_t step, row_t x) {
  switch (step) {
    case SUM_OF_PRODUCTS:
      return formula_sum_of_products(formula, x, x);
    case SQUARED_DEVIATIONS:
      return formula_squared_deviations(formula, x, formula_mean(formula, x));
    case SHARES:
      return formula_shares(formula, x);
    case ONLINE_SUM:
      return formula_online_sum(formula, x);
    case SUM:
    case SUMMING_STEPS:
    default:
      return formula_sum(formula, x);
  }
}

/* ---- Models and sets ------------------------------------------------------------------------- */

typedef struct row_case {
  const format_t *format;
  contract_t contract;
  uint64_t bits[TERMS];
  arena_t arena;
} row_case_t;

static void row_case_make(row_case_t *row, const format_t *format, const char *contract,
                          summing_step_t step) {
  row->format = format;
  g_assert_cmpint(contract_parse(str_from(contract), &row->contract, NULL), ==, STATUS_OK);
  arena_init(&row->arena);
  for (size_t i = 0; i < TERMS; i++) row->bits[i] = format_from_double(format, term_of(step, i));
}

static formula_t formula_of(row_case_t *row, const evaluator_t *evaluator, const void *settings,
                            const implementation_model_t *schedule) {
  return (formula_t){.evaluator = evaluator,
                     .settings = settings,
                     .format = row->format,
                     .contract = &row->contract,
                     .schedule = schedule,
                     .arena = &row->arena};
}

static double modelled(row_case_t *row, summing_step_t step, sum_order_t order) {
  const implementation_model_t schedule = {.order = order};
  formula_t formula = formula_of(row, &model_evaluator, NULL, &schedule);
  return run_step(&formula, step, model_load(&formula, row->format, row->bits, TERMS)).values[0];
}

static bool enclosed_holds(row_case_t *row, summing_step_t step, double value) {
  const enclosing_t permitted = {.is_exact = false};
  formula_t formula = formula_of(row, &enclosed_evaluator, &permitted, NULL);
  row_t x = enclosed_load(&formula, row->format, row->bits, TERMS);
  const enclosed_t *set = run_step(&formula, step, x).enclosed;
  return mpfr_cmp_d(set->low, value) <= 0 && mpfr_cmp_d(set->high, value) >= 0;
}

/* The fast set lies within the enclosed one, so that what it holds is held by both. */
static bool fast_holds(row_case_t *row, summing_step_t step, double value) {
  const fast_settings_t settings = {.kernels = fast_kernels_named(row->format, "portable")};
  formula_t formula = formula_of(row, &fast_evaluator, &settings, NULL);
  row_t x = fast_load(&formula, row->format, row->bits, TERMS);
  const fast_numbers_t *set = run_step(&formula, step, x).fast;
  return set->low[0] <= value && value <= set->high[0];
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static const sum_order_t one_by_one = {.kind = SUM_SEQUENTIAL};
static const sum_order_t in_halves = {.kind = SUM_HALVES};
static const sum_order_t in_lanes = {.kind = SUM_LANES, .width = 8, .inner = &one_by_one};

static const struct {
  const char *contract;
  const sum_order_t *order;
  bool is_held;
} expected[] = {
    {"spec,order=any", &one_by_one, true},
    {"spec,order=any", &in_halves, true},
    {"spec,order=any,depth=lanes", &one_by_one, false},
    {"spec,order=any,depth=lanes", &in_lanes, true},
    {"spec,order=any,depth=lanes", &in_halves, true},
    {"spec,order=any,depth=log", &one_by_one, false},
    {"spec,order=any,depth=log", &in_lanes, false},
    {"spec,order=any,depth=log", &in_halves, true},
};

static void test_depth(gconstpointer data) {
  summing_step_t step = *(const summing_step_t *)data;
  for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
    row_case_t row;
    row_case_make(&row, &format_table[FORMAT_f32], expected[i].contract, step);
    double value = modelled(&row, step, *expected[i].order);
    /* The model halves online sums where it has lanes for others. */
    bool is_flat = step == ONLINE_SUM && expected[i].order == &in_lanes;
    bool is_held = expected[i].is_held || is_flat;
    g_test_message("%s, order %d: %a", expected[i].contract, (int)expected[i].order->kind, value);
    g_assert_true(enclosed_holds(&row, step, value) == is_held);
    /* Of running sums the fast evaluator knows the errors of one tree, and more it may leave. */
    if (step != ONLINE_SUM) g_assert_true(fast_holds(&row, step, value) == is_held);
    arena_deinit(&row.arena);
  }
}

int main(int argc, char **argv) {
  static const summing_step_t steps[SUMMING_STEPS] = {SUM, SUM_OF_PRODUCTS, SQUARED_DEVIATIONS,
                                                      SHARES, ONLINE_SUM};
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < SUMMING_STEPS; i++) {
    g_autofree char *path = g_strdup_printf("/deep-sums/%s", step_names[i]);
    g_test_add_data_func(path, &steps[i], test_depth);
  }
  return g_test_run();
}
