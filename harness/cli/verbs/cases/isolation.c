/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the steps of a module in order, and keeps the digits of every value. */
#include "harness/cli/verbs/cases/isolation.h"

#include <jansson.h>
#include <string.h>

#include "harness/diagnose/cause.h"
#include "harness/model/dynamic/dynamic.h"
#include "reports/verdict/describe.h"

/* A longer case line is nothing to type again. */
enum { CASE_LINE_MAX = 8192 };

typedef struct walk {
  mlir_importer_t *importer;
  executor_t *executor;
  case_runner_t runner;
  arena_t arena;     /* Of the present step. */
  GPtrArray *values; /* By number: digits, or NULL of what could not be computed; owned. */
} walk_t;

/* ---- Values ---------------------------------------------------------------------------------- */

static const char *value_of(const walk_t *walk, const json_t *number) {
  size_t index = (size_t)json_integer_value(number);
  return index < walk->values->len ? g_ptr_array_index(walk->values, index) : NULL;
}

static void set_value(walk_t *walk, const json_t *number, const char *digits) {
  size_t index = (size_t)json_integer_value(number);
  if (index >= walk->values->len) g_ptr_array_set_size(walk->values, (gint)index + 1);
  g_free(g_ptr_array_index(walk->values, index));
  g_ptr_array_index(walk->values, index) = g_strdup(digits);
}

static bool has_operands(const walk_t *walk, const json_t *operands) {
  for (size_t i = 0; i < json_array_size(operands); i++) {
    if (value_of(walk, json_array_get(operands, i)) == NULL) return false;
  }
  return true;
}

/* ---- The interpreter ------------------------------------------------------------------------- */

static void take_results(walk_t *walk, const json_t *answer, const json_t *results,
                         isolated_step_t *step) {
  const json_t *digits = json_object_get(answer, "results");
  const char *reason = json_string_value(json_object_get(answer, "error"));
  if (reason != NULL || json_array_size(digits) != json_array_size(results)) {
    g_free(step->why);
    step->why = g_strdup(reason != NULL ? reason : "the interpreter gave other results");
    step->kind = ISOLATED_NOT_RUN;
    return;
  }
  for (size_t i = 0; i < json_array_size(results); i++) {
    set_value(walk, json_array_get(results, i), json_string_value(json_array_get(digits, i)));
  }
}

static status_t interpret(walk_t *walk, size_t index, const json_t *said, isolated_step_t *step,
                          failure_t *error) {
  const json_t *operands = json_object_get(said, "operands");
  json_t *listed = json_array();
  for (size_t i = 0; i < json_array_size(operands); i++) {
    json_array_append_new(listed, json_string(value_of(walk, json_array_get(operands, i))));
  }
  char *text = json_dumps(listed, JSON_COMPACT);
  json_decref(listed);
  mlir_graph_t answer;
  status_t status = mlir_importer_run_step(walk->importer, index, str_from(text), &answer, error);
  free(text);
  if (status != STATUS_OK) return STATUS_IO;
  json_t *document = json_loads(answer.text, 0, NULL);
  take_results(walk, document, json_object_get(said, "results"), step);
  json_decref(document);
  mlir_graph_free(&answer);
  return STATUS_OK;
}

/* ---- The executor ---------------------------------------------------------------------------- */

/* The case of a step; false, with the reason, if it has no oracle. */
static bool make_case(walk_t *walk, const json_t *said, case_t *out_case, isolated_step_t *step) {
  const char *line = json_string_value(json_object_get(said, "line"));
  failure_t reason = {0};
  program_t program;
  if (line == NULL) return false;
  if (dynamic_parse(str_from(line), 0, &walk->arena, &program, &reason) != STATUS_OK) {
    step->why = g_strdup(reason.text);
    return false;
  }
  const op_constraint_t *broken =
      program_broken_under(&program, program_broken(&program), &walk->runner.contract);
  if (broken != NULL || oracle_find(program.op) == NULL) {
    step->why = g_strdup(broken == NULL ? "the op has no oracle" : broken->text);
    return false;
  }
  *out_case = case_make(&walk->arena, &program);
  const json_t *operands = json_object_get(said, "operands");
  for (uint32_t i = 0; i < program.operand_count; i++) {
    const char *digits = value_of(walk, json_array_get(operands, i));
    scan_t scan = scan_make(str_from(digits));
    status_t status = tensor_parse_data(&scan, &program.operands[i], &walk->arena,
                                        &out_case->operands[i], &reason);
    if (status != STATUS_OK || !scan_at_end(&scan)) {
      step->why = g_strdup("a case of it has the data of all processes, and a module those of one");
      return false;
    }
  }
  g_autoptr(GString) text = g_string_new(NULL);
  program_print(&program, text);
  step->line = g_strdup(text->str);
  return true;
}

static void describe(const case_t *instance, isolated_step_t *step) {
  if (step->verdict.outcome == OUTCOME_conforms) return;
  g_autoptr(GString) words = g_string_new(NULL);
  describe_verdict(&instance->program, &step->verdict, words);
  step->description = g_strdup(words->str);
  if (step->verdict.outcome != OUTCOME_diverges) return;
  g_string_truncate(words, 0);
  case_print(instance, words);
  if (words->len <= CASE_LINE_MAX) step->case_line = g_strdup(words->str);
}

static status_t judge(walk_t *walk, const case_t *instance, const json_t *results,
                      isolated_step_t *step, failure_t *error) {
  expectation_t expectation;
  STATUS_TRY(case_runner_expect(&walk->runner, instance, NULL, &walk->arena, &expectation, error));
  STATUS_TRY(case_runner_run(&walk->runner, &expectation, walk->executor, &step->verdict, error));
  STATUS_TRY(cause_explain(&walk->runner, &expectation, &walk->arena, &step->verdict, error));
  describe(instance, step);
  step->is_asked = true;
  const evidence_t *evidence = &walk->runner.evidence;
  step->kind = evidence->is_judged ? ISOLATED_JUDGED : ISOLATED_UNJUDGED;
  for (uint32_t i = 0; evidence->is_judged && i < instance->program.result_count; i++) {
    g_autoptr(GString) digits = g_string_new(NULL);
    tensor_print_data(&evidence->results[i], digits);
    set_value(walk, json_array_get(results, i), digits->str);
  }
  return STATUS_OK;
}

/* ---- All steps ------------------------------------------------------------------------------- */

static char *text_of(const json_t *said, const char *key) {
  const char *text = json_string_value(json_object_get(said, key));
  return text == NULL || text[0] == '\0' ? NULL : g_strdup(text);
}

static status_t take_step(walk_t *walk, size_t index, const json_t *said, isolated_step_t *step,
                          failure_t *error) {
  *step = (isolated_step_t){
      .op = text_of(said, "op"), .place = text_of(said, "place"), .why = text_of(said, "why")};
  const json_t *results = json_object_get(said, "results");
  const char *data = json_string_value(json_object_get(said, "data"));
  if (data != NULL) {
    step->kind = ISOLATED_CONSTANT;
    set_value(walk, json_array_get(results, 0), data);
    return STATUS_OK;
  }
  if (!has_operands(walk, json_object_get(said, "operands"))) {
    step->kind = ISOLATED_NOT_RUN;
    g_free(step->why);
    step->why = g_strdup("it needs what another op that was not run gives");
    return STATUS_OK;
  }
  step->kind = ISOLATED_NO_ORACLE;
  arena_reset(&walk->arena);
  case_t instance;
  if (make_case(walk, said, &instance, step)) {
    if (judge(walk, &instance, results, step, error) != STATUS_OK) return STATUS_IO;
    if (step->kind == ISOLATED_JUDGED) return STATUS_OK;
  }
  return interpret(walk, index, said, step, error);
}

static bool is_worse(const verdict_t *a, const verdict_t *b) {
  if (a->ulp_error_max != b->ulp_error_max) return a->ulp_error_max > b->ulp_error_max;
  return a->wrong_count > b->wrong_count;
}

bool isolated_step_diverges(const isolated_step_t *step) {
  return step->is_asked && step->verdict.outcome == OUTCOME_diverges;
}

static void note(isolation_t *isolation, const isolated_step_t *step) {
  if (!isolated_step_diverges(step)) return;
  if (isolation->first == NULL) isolation->first = step;
  if (isolation->worst == NULL || is_worse(&step->verdict, &isolation->worst->verdict)) {
    isolation->worst = step;
  }
}

static status_t walk_steps(walk_t *walk, const json_t *document, isolation_t *isolation,
                           failure_t *error) {
  const json_t *arguments = json_object_get(document, "arguments");
  for (size_t i = 0; i < json_array_size(arguments); i++) {
    json_t *number = json_integer((json_int_t)i);
    set_value(walk, number, json_string_value(json_array_get(arguments, i)));
    json_decref(number);
  }
  const json_t *steps = json_object_get(document, "steps");
  isolation->steps = g_new0(isolated_step_t, json_array_size(steps));
  for (size_t i = 0; i < json_array_size(steps); i++) {
    isolated_step_t *step = &isolation->steps[isolation->count++];
    STATUS_TRY(take_step(walk, i, json_array_get(steps, i), step, error));
    note(isolation, step);
  }
  return STATUS_OK;
}

status_t isolation_run(mlir_importer_t *importer, const char *document, executor_t *executor,
                       const contract_t *contract, isolation_t *out_isolation, failure_t *error) {
  *out_isolation = (isolation_t){0};
  json_t *steps = json_loads(document, 0, NULL);
  if (steps == NULL) {
    return status_fail(error, STATUS_IO, "the process that reads MLIR gave no list of steps");
  }
  walk_t walk = {
      .importer = importer, .executor = executor, .values = g_ptr_array_new_with_free_func(g_free)};
  case_runner_init(&walk.runner, contract, 1);
  arena_init(&walk.arena);
  status_t status = walk_steps(&walk, steps, out_isolation, error);
  arena_deinit(&walk.arena);
  g_ptr_array_unref(walk.values);
  json_decref(steps);
  if (status != STATUS_OK) isolation_free(out_isolation);
  return status;
}

void isolation_free(isolation_t *isolation) {
  for (size_t i = 0; i < isolation->count; i++) {
    isolated_step_t *step = &isolation->steps[i];
    g_free(step->op);
    g_free(step->place);
    g_free(step->line);
    g_free(step->why);
    g_free(step->description);
    g_free(step->case_line);
  }
  g_free(isolation->steps);
  *isolation = (isolation_t){0};
}

size_t isolation_count(const isolation_t *isolation, isolated_kind_t kind) {
  size_t count = 0;
  for (size_t i = 0; i < isolation->count; i++) count += isolation->steps[i].kind == kind;
  return count;
}

size_t isolation_count_outcome(const isolation_t *isolation, outcome_t outcome) {
  size_t count = 0;
  for (size_t i = 0; i < isolation->count; i++) {
    const isolated_step_t *step = &isolation->steps[i];
    count += step->is_asked && step->verdict.outcome == outcome;
  }
  return count;
}
