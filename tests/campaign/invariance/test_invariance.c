/* SPDX-License-Identifier: Apache-2.0 */
/* Invariance: every planted habit is found as what it is and in its smallest instance, and whatever
 * gives the same bits is left in peace. */
#include <glib/gstdio.h>

#include "harness/builtin/builtin.h"
#include "harness/invariance/invariance.h"
#include "harness/invariance/shrink.h"
#include "tests/campaign/examples.h"
#include "tests/campaign/invariance/fake_variant.h"

#ifdef ASSAY_SANITIZE
enum { CASES = 200, LOUD_CASES = 200, MODEL_CASES = 60 };
#else
enum { CASES = 500, LOUD_CASES = 250, MODEL_CASES = 120 };
#endif

static executor_t *open_executor(const char *name) {
  const executor_options_t options = {
      .find_builtin = g_str_has_prefix(name, "model:variant-") ? variant_find : builtin_find};
  executor_t *executor = NULL;
  failure_t error = {0};
  if (executor_open(name, &options, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  return executor;
}

static invariance_options_t make_options(const op_t *const *ops, size_t op_count,
                                         executor_t *const *executor) {
  invariance_options_t options = {.ops = ops,
                                  .op_count = op_count,
                                  .executors = executor,
                                  .executor_count = 1,
                                  .seed = 1,
                                  .cases_max = CASES,
                                  .executions = 8,
                                  .checks_max = 4000,
                                  .command = "test",
                                  .assay_version = "test"};
  for (int i = 0; i < INVARIANCE_COUNT; i++) options.properties[i] = true;
  return options;
}

static invariance_t *run_campaign(const invariance_options_t *options) {
  invariance_t *invariance = NULL;
  failure_t error = {0};
  if (invariance_open(options, &invariance, &error) != STATUS_OK) g_error("%s", error.text);
  invariance_run_all(invariance);
  return invariance;
}

static uint64_t count_cases(const invariance_t *invariance, invariance_property_t property,
                            invariance_outcome_t outcome) {
  uint64_t cases = 0;
  for (size_t i = 0; i < invariance_count_rows(invariance); i++) {
    const invariance_count_t *row = invariance_row_at(invariance, i);
    if (row->property == property) cases += row->cases[outcome];
  }
  return cases;
}

static const invariance_finding_t *find_finding(const invariance_t *invariance,
                                                invariance_property_t property) {
  const invariance_finding_t *smallest = NULL;
  for (size_t i = 0; i < invariance_count_rows(invariance); i++) {
    const invariance_count_t *row = invariance_row_at(invariance, i);
    if (row->property != property || row->finding == NULL) continue;
    if (smallest == NULL ||
        invariance_work(&row->finding->instance) < invariance_work(&smallest->instance)) {
      smallest = row->finding;
    }
  }
  return smallest;
}

static int64_t size_of(const invariance_finding_t *finding, axis_role_t role) {
  int64_t size = 1;
  for (uint32_t i = 0; i < finding->instance.axes.count; i++) {
    const axis_t *axis = &finding->instance.axes.items[i];
    if (axis->role == role) size *= axis->size;
  }
  return size;
}

/* ---- Planted habits -------------------------------------------------------------------------- */

/* A sum of two terms is the same in either order: three is the least that shows a reversal. */
typedef struct planted {
  variant_t variant;
  invariance_property_t property;
  int64_t sizes[AXIS_ROLE_COUNT]; /* Of the smallest instance: batch, rows, columns, terms. */
  int64_t differs_from;           /* The first value at which the bits change, or 0. */
} planted_t;

static const planted_t planted[] = {
    {VARIANT_batch_over_4, INVARIANCE_batch_size, {5, 1, 1, 3}, 5},
    {VARIANT_entries_from_3, INVARIANCE_batch_position, {4, 1, 1, 3}, 3},
    {VARIANT_rows_over_4, INVARIANCE_row_count, {1, 5, 1, 3}, 5},
    {VARIANT_rows_over_40, INVARIANCE_row_count, {1, 41, 1, 3}, 41},
    {VARIANT_rows_from_2, INVARIANCE_row_position, {1, 3, 1, 3}, 2},
    {VARIANT_columns_over_6, INVARIANCE_column_count, {1, 1, 7, 3}, 7},
    {VARIANT_columns_from_1, INVARIANCE_column_position, {1, 1, 2, 3}, 1},
    {VARIANT_lhs_transposed, INVARIANCE_layout, {1, 1, 1, 3}, 0},
    {VARIANT_rhs_transposed, INVARIANCE_layout, {1, 1, 1, 3}, 0},
    {VARIANT_every_fifth, INVARIANCE_run_to_run, {1, 1, 1, 3}, 0},
    {VARIANT_other_compilation, INVARIANCE_recompile, {1, 1, 1, 3}, 0},
    {VARIANT_terms_over_20, INVARIANCE_row_count, {1, 5, 1, 21}, 5},
};

/* Values before differs_from have the same bits, and from there on other ones. */
static void check_steps(const planted_t *row, const invariance_finding_t *finding) {
  if (row->differs_from == 0) {
    g_assert_cmpuint(finding->step_count, ==, 0);
    return;
  }
  g_assert_cmpuint(finding->step_count, >, 1);
  for (size_t i = 0; i < finding->step_count; i++) {
    const invariance_step_t *step = &finding->steps[i];
    bool differs = step->bits != finding->steps[0].bits;
    g_assert_cmpint(differs, ==, step->value >= row->differs_from);
  }
}

/* The lines that a user pastes show the two patterns, computed from scratch. */
static void check_line(executor_t *executor, const char *line, size_t component, uint64_t bits) {
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  failure_t error = {0};
  g_assert_cmpint(case_parse(str_from(line), &arena, &instance, NULL, &error), ==, STATUS_OK);
  invariance_run_t run;
  invariance_run(executor, &instance, &arena, &run);
  g_assert_cmpint(run.outcome, ==, EXECUTOR_OK);
  const tensor_t *result = &run.results[0];
  g_assert_cmphex(element_load(result->type.element, result->data, component), ==, bits);
  arena_deinit(&arena);
}

static void test_planted(gconstpointer data) {
  const planted_t *row = (const planted_t *)data;
  char *name = g_strdup_printf("model:variant-%s", variant_names[row->variant]);
  executor_t *executor = open_executor(name);
  const op_t *ops[] = {example_op(EXAMPLE_PRODUCT)};
  invariance_options_t options = make_options(ops, 1, &executor);
  options.types = "f32";
  invariance_t *invariance = run_campaign(&options);
  for (invariance_property_t i = 0; i < INVARIANCE_COUNT; i++) {
    uint64_t broken = count_cases(invariance, i, INVARIANCE_OUTCOME_broken);
    if (i == row->property) {
      g_assert_cmpuint(broken, >, 0);
    } else if (broken > 0) {
      g_error("%s: %s is said to be broken", name, invariance_table[i].spelling);
    }
  }
  g_test_message("broken in %" G_GUINT64_FORMAT " cases",
                 count_cases(invariance, row->property, INVARIANCE_OUTCOME_broken));
  const invariance_finding_t *finding = find_finding(invariance, row->property);
  for (int i = 0; i < AXIS_ROLE_COUNT; i++) {
    g_assert_cmpint(size_of(finding, (axis_role_t)i), ==, row->sizes[i]);
  }
  check_steps(row, finding);
  const invariance_difference_t *difference = &finding->difference;
  g_assert_cmphex(difference->base_bits, !=, difference->other_bits);
  if (row->variant != VARIANT_every_fifth && row->variant != VARIANT_other_compilation) {
    check_line(executor, finding->base_line, difference->base_component, difference->base_bits);
    check_line(executor, finding->other_line, difference->other_component, difference->other_bits);
  }
  g_assert_cmpint(invariance_exit_code(invariance), ==, 1);
  g_assert_cmpint(invariance_close(invariance, 1, NULL), ==, STATUS_OK);
  executor_close(executor);
  g_free(name);
}

/* ---- Silence --------------------------------------------------------------------------------- */

static size_t count_ops(void) {
  size_t count = 0;
  while (op_all()[count] != NULL) count++;
  return count;
}

/* Every property is checked on every op to which it applies, and holds. */
static void test_silent(gconstpointer data) {
  const char *name = (const char *)data;
  executor_t *executor = open_executor(name);
  invariance_options_t options = make_options(op_all(), count_ops(), &executor);
  options.cases_max = MODEL_CASES;
  invariance_t *invariance = run_campaign(&options);
  for (invariance_property_t i = 0; i < INVARIANCE_COUNT; i++) {
    g_assert_cmpuint(count_cases(invariance, i, INVARIANCE_OUTCOME_broken), ==, 0);
    g_assert_cmpuint(count_cases(invariance, i, INVARIANCE_OUTCOME_unrepeatable), ==, 0);
    g_assert_cmpuint(count_cases(invariance, i, INVARIANCE_OUTCOME_failed), ==, 0);
    g_assert_cmpuint(count_cases(invariance, i, INVARIANCE_OUTCOME_holds), >, 0);
  }
  g_assert_cmpint(invariance_exit_code(invariance), ==, 0);
  invariance_close(invariance, 0, NULL);
  executor_close(executor);
}

/* Executors that choose their order by the place of the element, or read from the wrong place, are
 * found on either op and with the wrong places not only in the last bit. */
typedef struct loud {
  const char *name;
  const char *op;
  invariance_property_t property;
} loud_t;

/* VARIANCE(executor, op, property that it breaks). */
static const loud_t loud[] = {
#define VARIANCE(name, op, property) {name, op, INVARIANCE_##property},
#include "generated/all_variances.def"
#undef VARIANCE
};

/* Most of the time goes into shrinking what they break: by day they are found in fewer cases, and
 * tests/nightly/lengths has as many as the planted habits have. */
static void test_loud(gconstpointer data) {
  const loud_t *row = (const loud_t *)data;
  executor_t *executor = open_executor(row->name);
  const op_t *ops[] = {op_find(str_from(row->op))};
  invariance_options_t options = make_options(ops, 1, &executor);
  /* Few modules show their faults. */
  const bool is_short = g_getenv("ASSAY_NIGHT_LENGTHS") == NULL && strcmp(row->op, "module") != 0;
  if (is_short) options.cases_max = LOUD_CASES;
  options.types = "f32";
  invariance_t *invariance = run_campaign(&options);
  g_assert_cmpuint(count_cases(invariance, row->property, INVARIANCE_OUTCOME_broken), >, 0);
  g_assert_cmpuint(count_cases(invariance, INVARIANCE_run_to_run, INVARIANCE_OUTCOME_broken), ==,
                   0);
  g_assert_cmpuint(count_cases(invariance, INVARIANCE_recompile, INVARIANCE_OUTCOME_broken), ==, 0);
  invariance_close(invariance, 1, NULL);
  executor_close(executor);
}

/* ---- What is no pass ------------------------------------------------------------------------- */

typedef struct absent {
  variant_t variant;
  invariance_property_t property;
  invariance_outcome_t outcome;
  bool is_unchecked; /* Not a single case of the property is checked. */
  int exit_code;
} absent_t;

static const absent_t absent[] = {
    {VARIANT_refuses_layouts, INVARIANCE_layout, INVARIANCE_OUTCOME_refused, false, 0},
    {VARIANT_refuses_batches, INVARIANCE_batch_size, INVARIANCE_OUTCOME_refused, true, 0},
    {VARIANT_fails_on_rows, INVARIANCE_row_count, INVARIANCE_OUTCOME_failed, false, 3},
};

/* A program that is refused or fails on either side is not one that gave the same bits. */
static void test_absent(gconstpointer data) {
  const absent_t *row = (const absent_t *)data;
  char *name = g_strdup_printf("model:variant-%s", variant_names[row->variant]);
  executor_t *executor = open_executor(name);
  const op_t *ops[] = {example_op(EXAMPLE_PRODUCT)};
  invariance_options_t options = make_options(ops, 1, &executor);
  options.types = "f32";
  invariance_t *invariance = run_campaign(&options);
  g_assert_cmpuint(count_cases(invariance, row->property, row->outcome), >, 0);
  g_assert_cmpuint(count_cases(invariance, row->property, INVARIANCE_OUTCOME_broken), ==, 0);
  if (row->is_unchecked) {
    g_assert_cmpuint(count_cases(invariance, row->property, INVARIANCE_OUTCOME_holds), ==, 0);
  }
  g_assert_cmpint(invariance_exit_code(invariance), ==, row->exit_code);
  invariance_close(invariance, row->exit_code, NULL);
  executor_close(executor);
  g_free(name);
}

/* What is not repeatable is run-to-run's, whatever else was asked for. */
static void test_unrepeatable(void) {
  executor_t *executor = open_executor("model:variant-every_fifth");
  const op_t *ops[] = {example_op(EXAMPLE_PRODUCT)};
  invariance_options_t options = make_options(ops, 1, &executor);
  options.types = "f32";
  for (int i = 0; i < INVARIANCE_COUNT; i++) options.properties[i] = i == INVARIANCE_row_count;
  invariance_t *invariance = run_campaign(&options);
  g_assert_cmpuint(count_cases(invariance, INVARIANCE_row_count, INVARIANCE_OUTCOME_unrepeatable),
                   >, 0);
  g_assert_cmpuint(count_cases(invariance, INVARIANCE_row_count, INVARIANCE_OUTCOME_broken), ==, 0);
  g_assert_nonnull(find_finding(invariance, INVARIANCE_run_to_run));
  g_assert_cmpint(invariance_exit_code(invariance), ==, 1);
  invariance_close(invariance, 1, NULL);
  executor_close(executor);
}

static void test_unknown_types(void) {
  executor_t *executor = open_executor("model:sequential");
  invariance_options_t options = make_options(op_all(), count_ops(), &executor);
  options.types = "f23";
  invariance_t *invariance = NULL;
  failure_t error = {0};
  g_assert_cmpint(invariance_open(&options, &invariance, &error), ==, STATUS_INVALID);
  g_assert_nonnull(strstr(error.text, "'f23' (--type)"));
  executor_close(executor);
}

/* An op that tells no axes is not checked, and nothing fails. */
static void test_op_without_axes(void) {
  executor_t *executor = open_executor("model:sequential");
  op_t without = *example_op(EXAMPLE_SUM);
  without.axes = NULL;
  without.with_axes = NULL;
  const op_t *ops[] = {&without};
  invariance_options_t options = make_options(ops, 1, &executor);
  invariance_t *invariance = run_campaign(&options);
  g_assert_cmpuint(invariance_count_rows(invariance), ==, 0);
  g_assert_cmpuint(invariance_cases(invariance), ==, 0);
  invariance_close(invariance, 0, NULL);
  executor_close(executor);
}

static void test_same_bits(void) {
  const element_t *f32 = element_named("f32");
  g_assert_true(invariance_same_bits(f32, 0x7fc00000, 0xffc00001));
  g_assert_false(invariance_same_bits(f32, 0x7fc00000, 0x7f800000));
  g_assert_false(invariance_same_bits(f32, 0, 0x80000000));
  g_assert_false(invariance_same_bits(element_named("i32"), 0x7fc00000, 0xffc00001));
}

#define ADD_ROWS(prefix, rows, name_of, function)                       \
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {                     \
    char *path = g_strdup_printf("/invariance/" prefix "/%s", name_of); \
    g_test_add_data_func(path, &(rows)[i], function);                   \
    g_free(path);                                                       \
  }

int main(int argc, char **argv) {
  static const char *const silent[] = {
      "model:sequential", "model:reverse", "model:pairwise",           "model:blocked4",
      "model:lanes8+fma", "model:lanes8",  "model:sequential+acc=f64", "model:pairwise+init=2",
  };
  g_test_init(&argc, &argv, NULL);
  ADD_ROWS("planted", planted, variant_names[planted[i].variant], test_planted)
  ADD_ROWS("absent", absent, variant_names[absent[i].variant], test_absent)
  for (size_t i = 0; i < G_N_ELEMENTS(silent); i++) {
    char *path = g_strdup_printf("/invariance/silent/%s", silent[i]);
    g_test_add_data_func(path, silent[i], test_silent);
    g_free(path);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(loud); i++) {
    char *path = g_strdup_printf("/invariance/loud/%s/%s", loud[i].name, loud[i].op);
    g_test_add_data_func(path, &loud[i], test_loud);
    g_free(path);
  }
  g_test_add_func("/invariance/unrepeatable", test_unrepeatable);
  g_test_add_func("/invariance/unknown_types", test_unknown_types);
  g_test_add_func("/invariance/op_without_axes", test_op_without_axes);
  g_test_add_func("/invariance/same_bits", test_same_bits);
  return g_test_run();
}
