/* SPDX-License-Identifier: Apache-2.0 */
/* Opens executors and the module, isolates its ops on each of them, and prints the reports. */
#include "harness/cli/verbs/cases/isolate.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/verbs/cases/isolation.h"
#include "reports/verdict/describe.h"

/* ---- In words -------------------------------------------------------------------------------- */

static void print_step(const char *title, const isolated_step_t *step) {
  printf("%-9s %s: %s\n", title, step->place, step->line == NULL ? step->op : step->line);
}

static void print_diverging(const char *title, const isolated_step_t *step,
                            const executor_t *executor) {
  print_step(title, step);
  printf("          %s\n", step->description);
  if (step->case_line == NULL) return;
  g_autofree char *line = g_shell_quote(step->case_line);
  g_autofree char *name = g_shell_quote(executor_name(executor));
  printf("          assay replay %s --executor %s\n", line, name);
}

/* "stablehlo.divide 5, stablehlo.tanh 2" */
static void print_names(const isolation_t *isolation, isolated_kind_t kind) {
  g_autoptr(GHashTable) counts = g_hash_table_new(g_str_hash, g_str_equal);
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (size_t i = 0; i < isolation->count; i++) {
    const isolated_step_t *step = &isolation->steps[i];
    if (step->kind != kind) continue;
    gpointer before = g_hash_table_lookup(counts, step->op);
    if (before == NULL) g_ptr_array_add(names, step->op);
    g_hash_table_insert(counts, step->op, GUINT_TO_POINTER(GPOINTER_TO_UINT(before) + 1));
  }
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index(names, i);
    printf("%s%s %u", i == 0 ? "" : ", ", name,
           GPOINTER_TO_UINT(g_hash_table_lookup(counts, name)));
  }
  putchar('\n');
}

static void print_counts(const isolation_t *isolation, const executor_t *executor) {
  size_t judged = isolation_count(isolation, ISOLATED_JUDGED);
  printf("%s: %zu ops, %zu judged: %zu conform, %zu diverge, %zu weak; %zu without results\n",
         executor_name(executor), isolation->count - isolation_count(isolation, ISOLATED_CONSTANT),
         judged, isolation_count_outcome(isolation, OUTCOME_conforms),
         isolation_count_outcome(isolation, OUTCOME_diverges),
         isolation_count_outcome(isolation, OUTCOME_weak),
         isolation_count(isolation, ISOLATED_UNJUDGED));
  if (isolation_count(isolation, ISOLATED_NO_ORACLE) > 0) {
    printf("without an oracle, by StableHLO's interpreter: ");
    print_names(isolation, ISOLATED_NO_ORACLE);
  }
}

static void print_report(const isolation_t *isolation, const executor_t *executor) {
  print_counts(isolation, executor);
  if (isolation->first != NULL) {
    print_diverging("first:", isolation->first, executor);
    print_diverging("worst:", isolation->worst, executor);
  }
  for (size_t i = 0; i < isolation->count; i++) {
    const isolated_step_t *step = &isolation->steps[i];
    bool is_told = step == isolation->first || step == isolation->worst;
    bool has_no_result = step->is_asked && step->kind != ISOLATED_JUDGED;
    if (!is_told && (isolated_step_diverges(step) || has_no_result)) {
      print_step(isolated_step_diverges(step) ? "diverges:" : "no result:", step);
      printf("          %s\n", step->description);
    }
    if (step->kind == ISOLATED_NOT_RUN) {
      print_step("not run:", step);
      printf("          %s\n", step->why);
    }
  }
}

/* ---- As JSON --------------------------------------------------------------------------------- */

static json_t *json_step(const isolated_step_t *step) {
  static const char *const kinds[] = {"constant", "judged", "no-results", "no-oracle", "not-run"};
  json_t *object = json_pack("{s:s, s:s, s:s?, s:s, s:s?}", "place", step->place, "op", step->op,
                             "program", step->line, "kind", kinds[step->kind], "why", step->why);
  if (step->is_asked) {
    json_object_set_new(object, "verdict", json_verdict(&step->verdict));
  }
  return object;
}

static json_t *json_place(const isolation_t *isolation, const isolated_step_t *step) {
  return step == NULL ? json_null() : json_integer((json_int_t)(step - isolation->steps));
}

static json_t *json_report(const isolation_t *isolation, const executor_t *executor) {
  json_t *steps = json_array();
  for (size_t i = 0; i < isolation->count; i++) {
    json_array_append_new(steps, json_step(&isolation->steps[i]));
  }
  return json_pack("{s:s, s:s, s:o, s:o, s:o}", "executor", executor_name(executor), "version",
                   executor_version(executor), "first", json_place(isolation, isolation->first),
                   "worst", json_place(isolation, isolation->worst), "steps", steps);
}

/* ---- The module ------------------------------------------------------------------------------ */

/* What is asked, and what came of it. */
typedef struct isolating {
  contract_t contract;
  uint64_t seed;
  mlir_importer_t *importer;
  mlir_graph_t document;
  executor_list_t executors;
  json_t *reports; /* NULL: words. */
  bool diverged;
  bool failed; /* An op, or to judge anything. */
} isolating_t;

static status_t isolate_on(isolating_t *self, executor_t *executor, failure_t *error) {
  isolation_t isolation;
  STATUS_TRY(isolation_run(self->importer, self->document.text, executor, &self->contract,
                           &isolation, error));
  self->diverged |= isolation.first != NULL;
  self->failed |= isolation_count_outcome(&isolation, OUTCOME_failed) > 0;
  if (isolation_count(&isolation, ISOLATED_JUDGED) == 0) {
    complain("%s: no op of the module was judged", executor_name(executor));
    self->failed = true;
  }
  if (self->reports != NULL) {
    json_array_append_new(self->reports, json_report(&isolation, executor));
  } else {
    print_report(&isolation, executor);
  }
  isolation_free(&isolation);
  return STATUS_OK;
}

static status_t open_module(const isolate_flags_t *flags, const char *path, isolating_t *self,
                            failure_t *error) {
  STATUS_TRY(find_contract(flags->contract, &self->contract, error));
  STATUS_TRY(arguments_parse_seed(flags->seed, &self->seed, error));
  g_autofree char *text = NULL;
  gsize size;
  g_autoptr(GError) failure = NULL;
  if (!g_file_get_contents(path, &text, &size, &failure)) {
    return status_fail(error, STATUS_IO, "%s", failure->message);
  }
  STATUS_TRY(mlir_importer_open(NULL, &self->importer, error));
  const str_t module = {text, size};
  status_t status = mlir_importer_isolate(self->importer, module, self->seed, flags->inputs,
                                          &self->document, error);
  if (status != STATUS_INVALID) return status;
  g_autofree char *message = g_strdup(error->text);
  return status_fail(error, status, "%.120s:%.380s", path, message);
}

static status_t isolate_all(isolating_t *self, failure_t *error) {
  for (size_t i = 0; i < self->executors.count; i++) {
    STATUS_TRY(isolate_on(self, self->executors.items[i], error));
  }
  return STATUS_OK;
}

static int find_exit_code(const isolating_t *self) {
  if (self->diverged) return EXIT_CODE_DIVERGES;
  return self->failed ? EXIT_CODE_FAILED : EXIT_CODE_CLEAN;
}

int isolate_module(const isolate_flags_t *flags, const char *path) {
  isolating_t self = {.reports = flags->json ? json_array() : NULL};
  failure_t error = {0};
  status_t status = open_module(flags, path, &self, &error);
  int exit_code = status == STATUS_OK ? executor_flags_open(&flags->executor, &self.executors)
                                      : complain_status(status, &error);
  if (exit_code == EXIT_CODE_CLEAN) {
    status = isolate_all(&self, &error);
    exit_code = status == STATUS_OK ? find_exit_code(&self) : complain_status(status, &error);
    exit_code = executor_list_close(&self.executors, exit_code);
    if (self.reports != NULL) json_print(g_steal_pointer(&self.reports), false);
  }
  json_decref(self.reports);
  mlir_graph_free(&self.document);
  mlir_importer_close(self.importer);
  return exit_code;
}
