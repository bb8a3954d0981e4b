/* SPDX-License-Identifier: Apache-2.0 */
/* Opens executors and the module, isolates its ops on each of them, and prints the reports. */
#include "harness/cli/verbs/isolation/isolate.h"

#include "harness/cli/verbs/isolation/isolation.h"
#include "harness/cli/verbs/isolation/report.h"
#include "reports/verdict/describe.h"

/* What is asked, and what came of it. */
typedef struct isolating {
  contract_t contract;
  uint64_t seed;
  mlir_importer_t *importer;
  mlir_graph_t document;
  lone_ops_t *lone_ops; /* NULL without a reference. */
  executor_list_t executors;
  executor_list_t references; /* One, or none. */
  executor_list_t models;     /* One. */
  json_t *reports;            /* NULL: words. */
  bool diverged;
  bool failed; /* An op, or to judge anything. */
} isolating_t;

static status_t isolate_on(isolating_t *self, executor_t *executor, failure_t *error) {
  executor_t *reference = self->references.count > 0 ? self->references.items[0] : NULL;
  const isolation_request_t request = {.importer = self->importer,
                                       .document = self->document.text,
                                       .executor = executor,
                                       .reference = reference,
                                       .model = self->models.items[0],
                                       .lone_ops = self->lone_ops,
                                       .contract = &self->contract,
                                       .seed = self->seed};
  isolation_t isolation;
  STATUS_TRY(isolation_run(&request, &isolation, error));
  self->diverged |= isolation.first != NULL;
  self->failed |= isolation_count_outcome(&isolation, OUTCOME_failed) > 0;
  if (isolation_count(&isolation, ISOLATED_JUDGED) == 0) {
    complain("%s: no op of the module was judged", executor_name(executor));
    self->failed = true;
  }
  if (self->reports != NULL) {
    json_array_append_new(self->reports, isolation_json(&isolation, executor, reference));
  } else {
    isolation_print(&isolation, executor, reference);
  }
  isolation_free(&isolation);
  return STATUS_OK;
}

static status_t read_module(const isolate_flags_t *flags, const char *path, isolating_t *self,
                            failure_t *error) {
  g_autofree char *text = NULL;
  gsize size;
  g_autoptr(GError) failure = NULL;
  if (!g_file_get_contents(path, &text, &size, &failure)) {
    return status_fail(error, STATUS_INVALID, "%s", failure->message);
  }
  STATUS_TRY(mlir_importer_open(NULL, &self->importer, error));
  const str_t module = {text, size};
  status_t status = mlir_importer_isolate(self->importer, module, self->seed, flags->inputs,
                                          &self->document, error);
  if (status != STATUS_INVALID) return status;
  g_autofree char *message = g_strdup(error->text);
  return status_fail(error, status, "%.120s:%.380s", path, message);
}

/* The module first: executors in processes of their own know the ops that there are by then. */
static status_t open_module(const isolate_flags_t *flags, const char *path, isolating_t *self,
                            failure_t *error) {
  STATUS_TRY(find_contract(flags->contract, &self->contract, error));
  STATUS_TRY(arguments_parse_seed(flags->seed, &self->seed, error));
  STATUS_TRY(read_module(flags, path, self, error));
  if (flags->reference == NULL) return STATUS_OK;
  return lone_ops_declare(self->importer, self->document.text, &self->contract, &self->lone_ops,
                          error);
}

/* Under the same limits as the executors. */
static int open_one(const isolate_flags_t *flags, char *name, executor_list_t *out_executors) {
  char *names[] = {name, NULL};
  executor_flags_t one = flags->executor;
  one.names = names;
  return executor_flags_open(&one, out_executors);
}

static int open_others(const isolate_flags_t *flags, isolating_t *self) {
  char model[] = "model:sequential";
  int exit_code = open_one(flags, model, &self->models);
  if (exit_code != EXIT_CODE_CLEAN || flags->reference == NULL) return exit_code;
  return open_one(flags, flags->reference, &self->references);
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

/* All executors are open. */
static int isolate_and_print(isolating_t *self) {
  failure_t error = {0};
  status_t status = isolate_all(self, &error);
  int exit_code = status == STATUS_OK ? find_exit_code(self) : complain_status(status, &error);
  if (self->reports != NULL) json_print(g_steal_pointer(&self->reports), false);
  return exit_code;
}

int isolate_module(const isolate_flags_t *flags, const char *path) {
  isolating_t self = {.reports = flags->json ? json_array() : NULL};
  failure_t error = {0};
  status_t status = open_module(flags, path, &self, &error);
  int exit_code = status == STATUS_OK ? executor_flags_open(&flags->executor, &self.executors)
                                      : complain_status(status, &error);
  if (exit_code == EXIT_CODE_CLEAN) exit_code = open_others(flags, &self);
  if (exit_code == EXIT_CODE_CLEAN) exit_code = isolate_and_print(&self);
  exit_code = executor_list_close(&self.models, exit_code);
  exit_code = executor_list_close(&self.references, exit_code);
  exit_code = executor_list_close(&self.executors, exit_code);
  json_decref(self.reports);
  lone_ops_free(self.lone_ops);
  mlir_graph_free(&self.document);
  mlir_importer_close(self.importer);
  return exit_code;
}
