/* SPDX-License-Identifier: Apache-2.0 */
/* Reads tests of others, by Python that knows them, as cases: ONNX's node tests with the results
 * that they expect, and modules of one op, with what their checks expect or run by an executor. */
#include "harness/cli/verbs/corpus/import.h"

#include <string.h>

#include "harness/cli/options/mlir_input.h"
#include "harness/cli/verbs/cases/result_line.h"
#include "harness/cli/verbs/corpus/import_table.h"
#include "harness/exec/registry/paths.h"

/* What all tests of one import have in common. */
typedef struct import {
  import_table_t table;
  case_runner_t walk;
  executor_list_t executors;
  mlir_importer_t *importer; /* Of all modules; NULL before the first one. */
  arena_t arena;             /* Of the present test. */
} import_t;

static status_t open_import(const import_flags_t *flags, import_t *out_import, failure_t *error) {
  *out_import = (import_t){.executors = {.count = 0}};
  contract_t contract;
  STATUS_TRY(find_contract(flags->contract, &contract, error));
  STATUS_TRY(import_table_open(flags->out, &out_import->table, error));
  case_runner_init(&out_import->walk, &contract, 1);
  arena_init(&out_import->arena);
  return STATUS_OK;
}

static int close_import(import_t *import, int exit_code) {
  int found = import_table_close(&import->table);
  arena_deinit(&import->arena);
  if (import->importer != NULL) mlir_importer_close(import->importer);
  return executor_list_close(&import->executors, exit_code == EXIT_CODE_CLEAN ? found : exit_code);
}

/* The verdict on results that a test expects.  STATUS_IO where Assay itself is found wrong. */
static status_t judge_expected(import_t *import, const case_t *instance, const tensor_t *results,
                               uint32_t unjudged, verdict_t *out_verdict, failure_t *error) {
  expectation_t expectation;
  import->walk.unjudged = unjudged;
  status_t status =
      case_runner_expect(&import->walk, instance, NULL, &import->arena, &expectation, error);
  if (status == STATUS_OK) {
    status = case_runner_judge(&import->walk, &expectation, results, out_verdict, error);
  }
  import->walk.unjudged = 0;
  return status == STATUS_OK ? STATUS_OK : STATUS_IO;
}

/* ---- ONNX ------------------------------------------------------------------------------------ */

/* Runs the Python that has the tests, and gives what it prints. */
static status_t read_tests(char *const *names, char **out_text, failure_t *error) {
  static const char environment[] = "onnxruntime"; /* That has the package, pinned. */
  const worker_t *worker = worker_find(environment, strlen(environment));
  if (!worker_is_installed(worker, NULL)) {
    return status_fail(error, STATUS_IO,
                       "the package onnx is not installed: run `assay executors install %s`",
                       environment);
  }
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(words, worker_environment_path(worker, worker_python));
  g_ptr_array_add(words, worker_source(NULL, "onnx_import/main", ".py"));
  for (char *const *name = names; *name != NULL; name++) g_ptr_array_add(words, g_strdup(*name));
  g_ptr_array_add(words, NULL);
  g_autofree char *complaints = NULL;
  g_autoptr(GError) failure = NULL;
  int state = 0;
  if (!g_spawn_sync(NULL, (char **)words->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL, out_text,
                    &complaints, &state, &failure)) {
    return status_fail(error, STATUS_IO, "cannot start Python: %s", failure->message);
  }
  if (g_spawn_check_wait_status(state, NULL)) return STATUS_OK;
  g_free(*out_text);
  *out_text = NULL;
  g_strchomp(complaints);
  const char *last = strrchr(complaints, '\n');
  return status_fail(error, STATUS_INVALID, "%.400s", last == NULL ? complaints : last + 1);
}

/* Judges what a line expects; STATUS_INVALID if it is no case. */
static status_t judge_line(import_t *import, char *const *parts, failure_t *error) {
  case_t instance;
  const char *violation = NULL;
  result_field_t field;
  STATUS_TRY(case_parse(str_from(parts[2]), &import->arena, &instance, &violation, error));
  const op_constraint_t *broken = op_constraint_find(instance.program.op, violation);
  broken = program_broken_under(&instance.program, broken, &import->walk.contract);
  if (broken != NULL) {
    g_autoptr(GString) why = g_string_new(NULL);
    op_constraint_explain(instance.program.op, broken, why);
    return status_fail(error, STATUS_INVALID, "%.400s", why->str);
  }
  STATUS_TRY(
      result_field_parse(str_from(parts[3]), &instance.program, &import->arena, &field, error));
  verdict_t verdict;
  STATUS_TRY(judge_expected(import, &instance, field.results, field.unjudged, &verdict, error));
  g_autofree char *line = g_strjoin("\t", parts[2], parts[3], NULL);
  import_table_take(&import->table, parts[0], parts[1], line);
  import_table_judge(&import->table, parts[0], parts[1], &instance.program, &verdict);
  return STATUS_OK;
}

static status_t import_line(import_t *import, const char *line, failure_t *error) {
  g_auto(GStrv) parts = g_strsplit(line, "\t", 4);
  if (g_strv_length(parts) != 4) return STATUS_OK;
  if (strcmp(parts[2], "!") == 0) {
    import_table_leave(&import->table, parts[0], parts[3]);
    return STATUS_OK;
  }
  failure_t reason = {0};
  arena_reset(&import->arena);
  status_t status = judge_line(import, parts, &reason);
  if (status == STATUS_INVALID) {
    import_table_leave(&import->table, parts[0], reason.text);
    return STATUS_OK;
  }
  if (status != STATUS_OK) *error = reason;
  return status;
}

int import_onnx(const import_flags_t *flags, char *const *names) {
  failure_t error = {0};
  import_t import;
  g_autofree char *text = NULL;
  status_t status = read_tests(names, &text, &error);
  if (status == STATUS_OK) status = open_import(flags, &import, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line != NULL && status == STATUS_OK; line++) {
    status = import_line(&import, *line, &error);
  }
  return close_import(&import,
                      status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, &error));
}

/* ---- A folder of modules --------------------------------------------------------------------- */

static gint compare_paths(gconstpointer a, gconstpointer b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The files of MLIR in a folder and those below, by name. */
static status_t list_modules(const char *path, GPtrArray *paths, failure_t *error) {
  g_autoptr(GError) failure = NULL;
  GDir *folder = g_dir_open(path, 0, &failure);
  if (folder == NULL) return status_fail(error, STATUS_INVALID, "%s", failure->message);
  g_autoptr(GPtrArray) inner = g_ptr_array_new_with_free_func(g_free);
  for (const char *name; (name = g_dir_read_name(folder)) != NULL;) {
    g_ptr_array_add(inner, g_build_filename(path, name, NULL));
  }
  g_dir_close(folder);
  g_ptr_array_sort(inner, compare_paths);
  for (guint i = 0; i < inner->len; i++) {
    const char *item = (const char *)g_ptr_array_index(inner, i);
    bool is_link = g_file_test(item, G_FILE_TEST_IS_SYMLINK);
    if (g_file_test(item, G_FILE_TEST_IS_DIR)) {
      if (!is_link) STATUS_TRY(list_modules(item, paths, error));
    } else if (mlir_input_is(item)) {
      g_ptr_array_add(paths, g_strdup(item));
    }
  }
  return STATUS_OK;
}

/* Runs a case on the executor. */
static status_t run_case(import_t *import, const case_t *instance, verdict_t *out_verdict,
                         failure_t *error) {
  expectation_t expectation;
  STATUS_TRY(
      case_runner_expect(&import->walk, instance, NULL, &import->arena, &expectation, error));
  return case_runner_run(&import->walk, &expectation, import->executors.items[0], out_verdict,
                         error);
}

/* Judges what a module's checks expect; of all that has none, or no data, and where an executor is
 * given, what that makes of it. */
static status_t judge_module(import_t *import, const char *path, const mlir_input_t *input,
                             failure_t *error) {
  const program_t *program = &input->instance.program;
  bool is_run = import->executors.count > 0;
  bool is_expected = mlir_input_is_checked(input) && input->unknown == 0;
  if (!is_run && !is_expected) return STATUS_OK;
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    results[i] = input->expected[i];
    if ((input->unchecked >> i & 1) == 0) continue;
    results[i] = tensor_make(&import->arena, &program->results[i]);
    memset(results[i].data, 0, type_bytes(&program->results[i]));
  }
  verdict_t verdict = {0};
  STATUS_TRY(is_run ? run_case(import, &input->instance, &verdict, error)
                    : judge_expected(import, &input->instance, results, input->unchecked, &verdict,
                                     error));
  import_table_judge(&import->table, program->op->name, path, program, &verdict);
  return STATUS_OK;
}

/* A reason without the path in front of it, which differs for each. */
static const char *without_path(const char *text, const char *path) {
  if (!g_str_has_prefix(text, path)) return text;
  const char *rest = text + strlen(path);
  return rest + strspn(rest, ":0123456789 ");
}

static status_t import_module(import_t *import, const char *path, failure_t *error) {
  mlir_input_t input;
  failure_t reason = {0};
  arena_reset(&import->arena);
  status_t status = mlir_input_read_by(&import->importer, path, &import->arena, &input, &reason);
  if (status == STATUS_INVALID) {
    import_table_leave(&import->table, "(not read)", without_path(reason.text, path));
    return STATUS_OK;
  }
  if (status != STATUS_OK) {
    *error = reason;
    return status;
  }
  const program_t *program = &input.instance.program;
  const op_constraint_t *broken =
      program_broken_under(program, program_broken(program), &import->walk.contract);
  if (broken != NULL) {
    g_autoptr(GString) why = g_string_new(NULL);
    op_constraint_explain(program->op, broken, why);
    import_table_leave(&import->table, program->op->name, why->str);
    return STATUS_OK;
  }
  g_autoptr(GString) line = g_string_new(NULL);
  case_print(&input.instance, line);
  import_table_take(&import->table, program->op->name, path, line->str);
  return judge_module(import, path, &input, error);
}

int import_folder(const import_flags_t *flags, const char *path) {
  failure_t error = {0};
  import_t import;
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
  status_t status = list_modules(path, paths, &error);
  if (status == STATUS_OK && paths->len == 0) {
    status = status_fail(&error, STATUS_INVALID, "%s: no file of MLIR is in this folder", path);
  }
  if (status == STATUS_OK) status = open_import(flags, &import, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  int exit_code = EXIT_CODE_CLEAN;
  if (flags->executor.names != NULL) {
    exit_code = executor_flags_open(&flags->executor, &import.executors);
  }
  for (guint i = 0; i < paths->len && exit_code == EXIT_CODE_CLEAN; i++) {
    status = import_module(&import, (const char *)g_ptr_array_index(paths, i), &error);
    if (status != STATUS_OK) exit_code = complain_status(status, &error);
  }
  return close_import(&import, exit_code);
}
