/* SPDX-License-Identifier: Apache-2.0 */
/* Planted faults in rows of real lengths: wherever a fault moves some element by more than what
 * sums in any order may err by, or by more than 2 ulps of a type that is rounded to once, 58 of 60
 * cases must diverge.  In CI some rows of 64 numbers; tests/nightly/rows asks for more, and for 768
 * and 4096. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "harness/builtin/builtin.h"
#include "harness/gen/gen.h"
#include "harness/model/fault.h"
#include "harness/run/case_runner.h"

enum { CASES = 60, MUST_BE_FOUND = 58, SHORT_CASES = 12, ROWS = 4 };

/* Faults, and the programs in whose rows they are planted, of N numbers. */
typedef struct planted {
  const char *fault;
  const char *op; /* For messages. */
  const char *program;
  bool is_column; /* Rows are columns of the operand. */
  double factor;  /* Of n u, in which honest sums may differ: what moves further must be found. */
} planted_t;

#define LAYER_NORM                 \
  .op = "layer_norm", .factor = 4, \
  .program = "byteir.layer_norm epsilon=0x1p-17 axis=[1] TYPE[4,N] TYPE[N] TYPE[N] -> TYPE[4,N]"
#define BATCH_NORM                                                                       \
  .op = "batch_norm_training", .factor = 4, .is_column = true,                           \
  .program =                                                                             \
      "stablehlo.batch_norm_training epsilon=0x1p-17 feature_index=1 TYPE[N,4] TYPE[4] " \
      "TYPE[4] -> TYPE[N,4] TYPE[4] TYPE[4]"
#define L2_NORM                 \
  .op = "l2_norm", .factor = 4, \
  .program = "byteir.l2_norm epsilon=0x1p-17 axis=[1] TYPE[4,N] -> TYPE[4,N]"
#define SOFTMAX \
  .op = "softmax", .factor = 10, .program = "byteir.softmax axis=1 TYPE[4,N] -> TYPE[4,N]"
static const planted_t faults[] = {
    {.fault = "variance_of_sample", LAYER_NORM}, {.fault = "variance_in_one_pass", LAYER_NORM},
    {.fault = "epsilon_forgotten", LAYER_NORM},  {.fault = "drop_last_term", LAYER_NORM},
    {.fault = "variance_of_sample", BATCH_NORM}, {.fault = "variance_in_one_pass", BATCH_NORM},
    {.fault = "epsilon_forgotten", BATCH_NORM},  {.fault = "drop_last_term", BATCH_NORM},
    {.fault = "epsilon_forgotten", L2_NORM},     {.fault = "drop_last_term", L2_NORM},
    {.fault = "drop_last_term", SOFTMAX},
};

/* 16-bit operands are computed with in f32, and results are rounded once: `factor` does not apply.
 */
static const struct {
  const char *contract;
  const char *type;
} settings[] = {
    {"backend", "f32"},
    {"backend,shared=once", "f32"},
    {"wide", "bf16"},
    {"wide,shared=once", "bf16"},
};

/* ---- Cases ----------------------------------------------------------------------------------- */

static char *line_of(const planted_t *planted, const char *type, size_t count) {
  g_autofree char *size = g_strdup_printf("%zu", count);
  GString *line = g_string_new(planted->program);
  g_string_replace(line, "TYPE", type, 0);
  g_string_replace(line, "N", size, 0);
  return g_string_free(line, FALSE);
}

static executor_t *open_builtin(const char *name) {
  const executor_options_t options = {.find_builtin = builtin_find};
  executor_t *executor = NULL;
  failure_t error = {0};
  if (executor_open(name, &options, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  return executor;
}

/* The first result of the model with that fault. */
static tensor_t simulate(const case_t *instance, fault_t fault, arena_t *arena) {
  implementation_model_t schedule = schedule_plain();
  schedule.fault = fault;
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t r = 0; r < instance->program.result_count; r++) {
    results[r] = tensor_make(arena, &instance->program.results[r]);
  }
  failure_t error = {0};
  const oracle_call_t call = {.instance = instance, .arena = arena, .error = &error};
  const oracle_t *oracle = oracle_find(instance->program.op);
  g_assert_cmpint(oracle->simulate(&call, &schedule, results), ==, STATUS_OK);
  return results[0];
}

static double value_at(const tensor_t *tensor, size_t index) {
  const element_t *element = tensor->type.element;
  return format_to_double(element->format, element_load(element, tensor->data, index));
}

/* Of the numbers of a row: the largest magnitude of its operand, that of a deviation from the mean,
 * that of a result, and by how much a result is moved, where it stays finite: what becomes infinite
 * or NaN is another question. */
typedef struct extent {
  double largest, deviation, result, moved;
} extent_t;

static extent_t measure_row(const planted_t *planted, const tensor_t *x, const tensor_t *right,
                            const tensor_t *wrong, size_t row) {
  size_t count = type_element_count(&x->type) / ROWS;
  size_t first = planted->is_column ? row : row * count, step = planted->is_column ? ROWS : 1;
  extent_t extent = {0};
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += value_at(x, first + i * step);
  for (size_t i = 0; i < count; i++) {
    size_t at = first + i * step;
    double before = value_at(right, at), after = value_at(wrong, at);
    extent.largest = fmax(extent.largest, fabs(value_at(x, at)));
    extent.deviation = fmax(extent.deviation, fabs(value_at(x, at) - sum / (double)count));
    if (isfinite(before)) extent.result = fmax(extent.result, fabs(before));
    if (isfinite(before) && isfinite(after)) {
      extent.moved = fmax(extent.moved, fabs(before - after));
    }
  }
  return extent;
}

/* By how much the fault moves the element that it moves most, as a multiple of what need not be
 * found: n u of the row's largest result, times the factor, and times as much as numbers far from
 * zero lose when their mean is subtracted; or 2 ulps of what is rounded to once. */
static double find_move(const planted_t *planted, const case_t *instance, arena_t *arena) {
  tensor_t right = simulate(instance, FAULT_NONE, arena);
  tensor_t wrong = simulate(instance, fault_find(str_from(planted->fault)), arena);
  const tensor_t *x = &instance->operands[0];
  const format_t *format = x->type.element->format;
  bool is_wide = format->bits == 32;
  double count = (double)(type_element_count(&x->type) / ROWS), most = 0;
  for (size_t row = 0; row < ROWS; row++) {
    extent_t extent = measure_row(planted, x, &right, &wrong, row);
    double in_f32 = planted->factor * count * 0x1p-24 * extent.largest / extent.deviation;
    double unit = is_wide ? in_f32 : fmax(in_f32, ldexp(2, 1 - format->precision));
    double permitted = fmax(extent.result, ldexp(1, format->exponent_min)) * unit;
    if (extent.deviation > 0) most = fmax(most, extent.moved / permitted);
  }
  return most;
}

/* What came of the cases of a fault. */
typedef struct score {
  unsigned moved; /* By more than what need not be found, */
  unsigned found_of_moved;
  unsigned found; /* Of all. */
} score_t;

static void run_case(case_runner_t *walk, executor_t *executor, const planted_t *planted,
                     const program_t *program, uint64_t seed, score_t *score) {
  arena_t arena;
  arena_init(&arena);
  case_t instance = case_make(&arena, program);
  rng_t rng = rng_make(seed);
  gen_data_in_stratum(&rng, seed % 2 == 0 ? STRATUM_tiles : STRATUM_deployment, &instance);
  expectation_t expectation;
  verdict_t verdict;
  failure_t error = {0};
  if (case_runner_expect(walk, &instance, NULL, &arena, &expectation, &error) != STATUS_OK ||
      case_runner_run(walk, &expectation, executor, &verdict, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  bool is_found = verdict.outcome == OUTCOME_diverges;
  bool is_moved = find_move(planted, &instance, &arena) > 1;
  score->found += is_found;
  score->moved += is_moved;
  score->found_of_moved += is_moved && is_found;
  if (is_moved && !is_found) {
    g_test_message("seed %" PRIu64 ": %s, moved by %.3g times as much", seed,
                   outcome_spelling(verdict.outcome), find_move(planted, &instance, &arena));
  }
  arena_deinit(&arena);
}

static void check_fault(const planted_t *planted, const char *contract_text, const char *type,
                        size_t count, uint64_t cases) {
  contract_t contract;
  failure_t error = {0};
  g_assert_cmpint(contract_parse(str_from(contract_text), &contract, &error), ==, STATUS_OK);
  arena_t arena;
  arena_init(&arena);
  g_autofree char *line = line_of(planted, type, count);
  program_t program;
  if (program_parse(str_from(line), &arena, &program, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  g_autofree char *name = g_strdup_printf("canary:%s", planted->fault);
  executor_t *executor = open_builtin(name);
  case_runner_t walk;
  case_runner_init(&walk, &contract, 1);
  score_t score = {0};
  for (uint64_t seed = 1; seed <= cases; seed++) {
    run_case(&walk, executor, planted, &program, seed, &score);
  }
  g_test_message("| %s | %s | %s | %s | %zu | %u | %u | %u |", planted->op, planted->fault,
                 contract_text, type, count, score.found, score.moved, score.found_of_moved);
  g_assert_cmpuint(score.found_of_moved * CASES, >=, score.moved * MUST_BE_FOUND);
  executor_close(executor);
  arena_deinit(&arena);
}

/* Of CI: the default contract, and the sharpest. */
static bool is_quick(size_t setting) {
  return setting == 0 || setting + 1 == G_N_ELEMENTS(settings);
}

static void test_faults_of_rows(void) {
  static const size_t lengths[] = {64, 768, 4096};
  bool is_long = g_getenv("ASSAY_LONG_ROWS_ROUNDS") != NULL;
  g_test_message("| op | fault | contract | type | n | found | moved | found of these |");
  for (size_t l = 0; l < (is_long ? G_N_ELEMENTS(lengths) : 1); l++) {
    for (size_t s = 0; s < G_N_ELEMENTS(settings); s++) {
      if (!is_long && !is_quick(s)) continue;
      for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
        check_fault(&faults[i], settings[s].contract, settings[s].type, lengths[l],
                    is_long ? CASES : SHORT_CASES);
      }
    }
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/rows/faults", test_faults_of_rows);
  return g_test_run();
}
