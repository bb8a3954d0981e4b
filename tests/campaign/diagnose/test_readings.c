/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that do something else right (harness/diagnose/reading.h): each known reading is refused
 * under the default contract and named, conforms under the contract that says so, and is named of
 * no result in which a single element is otherwise. */
#include <inttypes.h>
#include <string.h>

#include "harness/builtin/builtin.h"
#include "harness/diagnose/reading.h"
#include "harness/gen/gen.h"
#include "harness/gen/strata.h"

enum { CASES = 150, DRAWS = 2500, ELEMENTS_MAX = 50, DIVERGING_MIN = 8, SPOILED_MIN = 4 };

/* A model, and what its divergences must be explained by. */
typedef struct row {
  const char *op;
  const char *model;
  const char *reading;
  const char *other; /* Or by this, where it comes first; NULL: nothing. */
} row_t;

static const row_t rows[] = {
#define READING_ROW(op, model, reading, other) {op, model, reading, other},
#include "generated/all_expected_readings.def"
#undef READING_ROW
};

/* A case with the results of a model. */
typedef struct specimen {
  arena_t arena;
  case_t instance;
  expectation_t expectation;
  tensor_t results[CASE_RESULTS_MAX];
  case_runner_t walk;
  verdict_t verdict;
} specimen_t;

static bool is_small(const program_t *program) {
  return type_element_count(&program->operands[0]) <= ELEMENTS_MAX;
}

static bool draw(const op_t *op, rng_t *rng, specimen_t *specimen) {
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 0;
  const contract_t contract = contract_backend();
  options.contract = &contract;
  const strata_t strata = strata_default();
  const stratum_t stratum = strata_draw(&strata, rng);
  options.limits = stratum_limits(stratum, rng);
  program_t program;
  const char *broken = NULL;
  gen_program(rng, op, &options, &specimen->arena, &program, &broken);
  if (broken != NULL || !is_small(&program)) return false;
  specimen->instance = case_make(&specimen->arena, &program);
  gen_data_in_stratum(rng, stratum, &specimen->instance);
  return true;
}

static bool simulate(const char *name, specimen_t *specimen) {
  const oracle_t *oracle = oracle_find(specimen->instance.program.op);
  implementation_model_t model;
  failure_t error = {0};
  if (builtin_parse(name, &specimen->arena, &model, &error) != STATUS_OK) g_error("%s", error.text);
  for (uint32_t i = 0; i < specimen->instance.program.result_count; i++) {
    specimen->results[i] = tensor_make(&specimen->arena, &specimen->instance.program.results[i]);
  }
  const oracle_call_t call = {
      .instance = &specimen->instance, .arena = &specimen->arena, .error = &error};
  return oracle->simulate(&call, &model, specimen->results) == STATUS_OK;
}

static void judge(const contract_t *contract, specimen_t *specimen) {
  failure_t error = {0};
  case_runner_init(&specimen->walk, contract, 1);
  status_t status = case_runner_expect(&specimen->walk, &specimen->instance, NULL, &specimen->arena,
                                       &specimen->expectation, &error);
  if (status == STATUS_OK) {
    status = case_runner_judge(&specimen->walk, &specimen->expectation, specimen->results,
                               &specimen->verdict, &error);
  }
  if (status == STATUS_OK) {
    status = reading_explain(&specimen->walk, &specimen->expectation, &specimen->arena,
                             &specimen->verdict, &error);
  }
  if (status != STATUS_OK) g_error("%s", error.text);
}

static void fail_about(const specimen_t *specimen, const char *what) {
  g_autoptr(GString) line = g_string_new(NULL);
  case_print(&specimen->instance, line);
  g_string_append(line, " -> ");
  tensor_print_data(&specimen->results[0], line);
  g_test_message("%s: reading \"%s\": %.1000s", what, specimen->verdict.reading, line->str);
  g_test_fail();
}

/* One element, as far from the right one as it can be; false if that conforms too. */
static bool spoil(const contract_t *said, specimen_t *specimen) {
  tensor_t *result = &specimen->results[0];
  const element_t *element = result->type.element;
  if (result->type.quantization != NULL) return false; /* Ranges end, and clamp. */
  const size_t place = type_element_count(&result->type) / 2;
  const uint64_t before = element_load(element, result->data, place);
  element_store(element, result->data, place, before ^ (UINT64_C(3) << (element->bits - 3)));
  judge(said, specimen);
  return specimen->verdict.outcome == OUTCOME_diverges;
}

typedef struct seen {
  uint64_t cases, diverging, named, alone, spoiled;
} seen_t;

static void look_at(const row_t *row, specimen_t *specimen, seen_t *seen) {
  const contract_t backend = contract_backend();
  contract_t said;
  const char *settings = strchr(row->model, '+') + 1;
  g_assert_cmpint(contract_parse(str_from(settings), &said, NULL), ==, STATUS_OK);
  seen->cases++;
  judge(&said, specimen);
  if (specimen->verdict.outcome == OUTCOME_diverges) fail_about(specimen, "does not conform");
  bool is_weak = specimen->verdict.outcome != OUTCOME_conforms;
  judge(&backend, specimen);
  if (specimen->verdict.outcome != OUTCOME_diverges || is_weak) return;
  seen->diverging++;
  const char *reading = specimen->verdict.reading;
  bool is_named = strstr(reading, row->reading) != NULL ||
                  (row->other != NULL && strstr(reading, row->other) != NULL);
  seen->named += is_named;
  seen->alone += strcmp(reading, row->reading) == 0;
  const verdict_blame_t *blame = &specimen->verdict.blame;
  if (reading[0] != '\0' && blame->is_there && blame->is_of_functions) {
    fail_about(specimen, "functions are blamed beside a reading");
  }
  if (!spoil(&said, specimen)) return;
  judge(&backend, specimen);
  if (specimen->verdict.outcome != OUTCOME_diverges) return;
  seen->spoiled++;
  if (specimen->verdict.reading[0] != '\0') fail_about(specimen, "named of a spoiled result");
}

static void test_row(gconstpointer data) {
  const row_t *row = (const row_t *)data;
  const op_t *op = op_find(str_from(row->op));
  rng_t rng = rng_make(5);
  seen_t seen = {0};
  for (unsigned i = 0; i < DRAWS && seen.cases < CASES; i++) {
    specimen_t specimen = {.verdict = {.outcome = OUTCOME_no_oracle}};
    arena_init(&specimen.arena);
    if (draw(op, &rng, &specimen) && simulate(row->model, &specimen)) {
      look_at(row, &specimen, &seen);
    }
    arena_deinit(&specimen.arena);
  }
  g_test_message("%s: %" PRIu64 " cases, %" PRIu64 " diverge, %" PRIu64 " are named, %" PRIu64
                 " have this name alone, %" PRIu64 " spoiled",
                 row->model, seen.cases, seen.diverging, seen.named, seen.alone, seen.spoiled);
  g_assert_cmpuint(seen.diverging, >=, DIVERGING_MIN);
  g_assert_cmpuint(4 * seen.named, >, 3 * seen.diverging); /* Else NaN or vacuous. */
  g_assert_cmpuint(seen.alone, >=, 2);
  g_assert_cmpuint(seen.spoiled, >=, SPOILED_MIN);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *path = g_strdup_printf("/readings/%s/%s", rows[i].op, rows[i].model);
    g_test_add_data_func(path, &rows[i], test_row);
  }
  return g_test_run();
}
