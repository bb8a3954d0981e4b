/* SPDX-License-Identifier: Apache-2.0 */
/* assay doctor: checks this machine, the oracle, a database and the executors. */
#include <glib.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/base/instruction_set.h"
#include "harness/builtin/builtin.h"
#include "harness/cli/options/flags.h"
#include "harness/exec/registry/registry.h"
#include "harness/exec/transport/environment.h"
#include "harness/session/session.h"
#include "reports/verdict/describe.h"

enum { SELF_TEST_CASES = 70, EXECUTOR_CASES = 200, SELF_TEST_ELEMENTS_MAX = 64 };

typedef struct doctor {
  json_t *document; /* NULL: print text. */
  bool is_ill;
} doctor_t;

static void report(doctor_t *doctor, bool is_good, const char *what, const char *detail) {
  if (!is_good) doctor->is_ill = true;
  if (doctor->document == NULL) {
    printf("%-7s %s: %s\n", is_good ? "ok" : "FAILED", what, detail);
    return;
  }
  json_array_append_new(doctor->document, json_pack("{s:s, s:b, s:s}", "check", what, "ok", is_good,
                                                    "detail", detail));
}

static void check_processor(doctor_t *doctor) {
  GString *text = g_string_new(NULL);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) g_string_append(text, "AVX2 ");
  if (__builtin_cpu_supports("fma")) g_string_append(text, "FMA ");
  if (__builtin_cpu_supports("avx512f")) g_string_append(text, "AVX-512F ");
#endif
  if (text->len == 0) g_string_append(text, "no vector extension known here ");
  g_string_append_printf(text, "(%ld processors)", sysconf(_SC_NPROCESSORS_ONLN));
  report(doctor, true, "processor", text->str);
  g_string_printf(text, "%s; ASSAY_ISA=plain|avx2|avx512 chooses",
                  instruction_set_name(instruction_set()));
  report(doctor, true, "instruction set", text->str);
  g_string_free(text, TRUE);
  bool is_default = environment_get().control == environment_default().control;
  report(doctor, is_default, "float environment",
         is_default ? "round to nearest even, gradual underflow"
                    : "not the default: something preloaded changed rounding or flushing");
}

/* Recomputes every component of the fast accept sets with MPFR. */
static void check_oracle(doctor_t *doctor, const op_t *op) {
  stream_options_t options = {.ops = &op, .op_count = 1, .gen = gen_options_default(), .seed = 1};
  options.gen.invalid_one_in = 0;
  options.gen.limits.elements_max = SELF_TEST_ELEMENTS_MAX;
  stream_t stream;
  stream_init(&stream, &options);
  const contract_t contract = contract_backend();
  case_runner_t walk;
  case_runner_init(&walk, &contract, 1);
  walk.audit_one_in = 1;
  walk.audit_distance = 0;
  arena_t arena;
  arena_init(&arena);
  failure_t error = {0};
  status_t status = STATUS_OK;
  for (int i = 0; i < SELF_TEST_CASES && status == STATUS_OK; i++) {
    stream_next(&stream);
    arena_reset(&arena);
    expectation_t expectation;
    status = case_runner_expect(&walk, &stream.instance, NULL, &arena, &expectation, &error);
  }
  char *what = g_strdup_printf("oracle of %s", op->name);
  char *detail = status == STATUS_OK
                     ? g_strdup_printf("%" PRIu64 " components agree with MPFR", walk.audited)
                     : g_strdup(error.text);
  report(doctor, status == STATUS_OK && walk.audited > 0, what, detail);
  g_free(what);
  g_free(detail);
  arena_deinit(&arena);
  stream_deinit(&stream);
}

/* Opens and closes a database, which is deleted afterwards unless the user named it. */
static void check_database(doctor_t *doctor, const char *path) {
  char *folder = path == NULL ? g_dir_make_tmp("assay-XXXXXX", NULL) : NULL;
  char *file = path == NULL ? g_build_filename(folder == NULL ? "." : folder, "assay.db", NULL)
                            : g_strdup(path);
  failure_t error = {0};
  store_t *store = NULL;
  status_t status = store_open(file, &store, &error);
  if (status == STATUS_OK) status = store_close(store, &error);
  report(doctor, status == STATUS_OK, "database", status == STATUS_OK ? "writable" : error.text);
  if (folder != NULL) {
    g_remove(file);
    g_rmdir(folder);
  }
  g_free(file);
  g_free(folder);
}

/* Walks a few small cases; the caller closes the session. */
static status_t try_executor(executor_t *const *executor, const op_t *const *ops, size_t op_count,
                             session_t **out_session, failure_t *error) {
  session_options_t options = {
      .stream = {.ops = ops, .op_count = op_count, .gen = gen_options_default(), .seed = 1},
      .executors = executor,
      .executor_count = 1,
      .contract = contract_backend(),
      .draws_max = EXECUTOR_CASES,
      .command = "doctor",
      .assay_version = ASSAY_VERSION};
  options.stream.gen.limits.elements_max = SELF_TEST_ELEMENTS_MAX;
  options.stream.gen.invalid_one_in = 0; /* This asks whether it works, not how it fails. */
  session_t *session;
  STATUS_TRY(session_open(&options, &session, error));
  *out_session = session;
  return session_run(session, error);
}

/* What the executor said when it failed first, or "". */
static const char *first_failure(tally_t *tally) {
  for (size_t i = 0; i < tally_count(tally); i++) {
    const tally_row_t *row = tally_at(tally, i);
    if (row->outcome == OUTCOME_failed) return row->reason;
  }
  return "";
}

/* A canary must be found, a model must be silent; a backend need only work: what it diverges on, or
 * fails on now and then, is a result, not a fault of this installation. */
static void report_session(doctor_t *doctor, const char *name, session_t *session) {
  tally_t *tally = session_tally(session);
  uint64_t diverged = tally_cases(tally, OUTCOME_diverges);
  uint64_t failed = tally_cases(tally, OUTCOME_failed);
  char *detail = g_strdup_printf(
      "%" PRIu64 " conform, %" PRIu64 " diverge, %" PRIu64 " refused, %" PRIu64 " failed%s%s",
      tally_cases(tally, OUTCOME_conforms), diverged, tally_cases(tally, OUTCOME_refused), failed,
      failed == 0 ? "" : ": ", first_failure(tally));
  bool is_good = failed == 0 || tally_cases(tally, OUTCOME_conforms) > failed;
  if (g_str_has_prefix(name, "canary:")) is_good = diverged > 0;
  if (g_str_has_prefix(name, "model:")) is_good = diverged == 0 && failed == 0;
  report(doctor, is_good, name, detail);
  g_free(detail);
}

static void check_executor(doctor_t *doctor, const char *name, executor_options_t options,
                           const op_t *const *ops, size_t op_count) {
  executor_t *executor = NULL;
  session_t *session = NULL;
  failure_t error = {0};
  if (builtin_find(name) == NULL) options.isolate = true; /* A crash is a finding, not our end. */
  status_t status = executor_open(name, &options, &executor, &error);
  if (status == STATUS_OK) status = try_executor(&executor, ops, op_count, &session, &error);
  if (status == STATUS_OK) {
    report_session(doctor, name, session);
  } else {
    report(doctor, false, name, error.text);
  }
  session_close(session, 0, NULL);
  executor_close(executor);
}

static void check_executors(doctor_t *doctor, const executor_flags_t *flags,
                            const executor_options_t *options, const op_t *const *ops,
                            size_t op_count) {
  static const char *const builtins[] = {"model:sequential", "model:lanes8+fma",
                                         "canary:drop_last_term"};
  for (size_t i = 0; i < G_N_ELEMENTS(builtins); i++) {
    check_executor(doctor, builtins[i], *options, ops, op_count);
  }
  char **plugins = flags->names == NULL ? executor_plugins(options) : g_strdupv(flags->names);
  for (char **name = plugins; *name != NULL; name++) {
    check_executor(doctor, *name, *options, ops, op_count);
  }
  g_strfreev(plugins);
  for (const worker_t *worker = worker_table; worker->name != NULL; worker++) {
    bool is_due = flags->names == NULL && !worker->brings_plugins &&
                  worker_is_installed(worker, options->worker_directory);
    if (is_due) check_executor(doctor, worker->name, *options, ops, op_count);
  }
}

static int examine(const executor_flags_t *flags, const char *database, bool as_json) {
  failure_t error = {0};
  executor_options_t options;
  const op_t *const *ops = NULL;
  size_t op_count;
  status_t status = executor_flags_options(flags, &options, &error);
  if (status == STATUS_OK) status = find_ops(NULL, &ops, &op_count, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  doctor_t doctor = {.document = as_json ? json_array() : NULL};
  report(&doctor, true, "version", "assay " ASSAY_VERSION);
  check_processor(&doctor);
  for (size_t i = 0; i < op_count; i++) check_oracle(&doctor, ops[i]);
  check_database(&doctor, database);
  check_executors(&doctor, flags, &options, ops, op_count);
  if (as_json) json_print(doctor.document, false);
  g_free((gpointer)(uintptr_t)ops);
  return doctor.is_ill ? EXIT_CODE_FAILED : EXIT_CODE_CLEAN;
}

int command_doctor(const command_t *command, int argc, char **argv) {
  executor_flags_t flags = {0};
  char *database = NULL;
  gboolean as_json = FALSE;
  const GOptionEntry entries[] = {
      {"db", 'd', 0, G_OPTION_ARG_FILENAME, &database,
       "Check that this database can be written (default: one in a temporary folder)", "FILE"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print one JSON document", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  executor_flags_add(&flags, &arguments);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, 0)) {
    exit_code = examine(&flags, database, as_json);
  }
  executor_flags_free(&flags);
  g_free(database);
  return exit_code;
}
