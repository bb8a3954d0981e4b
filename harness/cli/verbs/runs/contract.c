/* SPDX-License-Identifier: Apache-2.0 */
/* assay contract infer: writes the tightest contract that results of an executor keep. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/cli/options/checks/output_file.h"
#include "harness/cli/options/flags.h"
#include "harness/cli/task/interrupt.h"
#include "harness/cli/verbs/runs/infer_cases.h"
#include "harness/store/store.h"
#include "reports/run/contract_file.h"

enum { CASES_DEFAULT = 500, EVIDENCE_DEFAULT = 30 };

typedef struct contract_flags {
  executor_flags_t executor;
  char **ops;
  char *types;
  char *contract;
  char *database;
  char *seed;
  char *strata;
  char *time;
  char *out;
  gint64 cases;
  gint64 evidence;
} contract_flags_t;

static void flags_free(contract_flags_t *flags) {
  executor_flags_free(&flags->executor);
  g_strfreev(flags->ops);
  g_free(flags->types);
  g_free(flags->contract);
  g_free(flags->database);
  g_free(flags->seed);
  g_free(flags->strata);
  g_free(flags->time);
  g_free(flags->out);
}

/* What is asked of the database, or drawn without one. */
typedef struct sources {
  const char *executor;
  GPtrArray *ops;   /* Owned names. */
  GArray *seeds;    /* uint64_t */
  GPtrArray *lines; /* Owned: cases that were kept of findings. */
} sources_t;

static sources_t sources_make(const char *executor) {
  return (sources_t){.executor = executor,
                     .ops = g_ptr_array_new_with_free_func(g_free),
                     .seeds = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
                     .lines = g_ptr_array_new_with_free_func(g_free)};
}

static void sources_free(sources_t *sources) {
  g_ptr_array_unref(sources->ops);
  g_array_unref(sources->seeds);
  g_ptr_array_unref(sources->lines);
}

/* ---- The database ---------------------------------------------------------------------------- */

/* Rows: what it is, the executor, and the text. */
static const char SOURCES_SQL[] =
    "SELECT DISTINCT 'op', name, op FROM counter JOIN executor USING (executor_id) "
    "UNION ALL SELECT 'seed', name, seed FROM (SELECT DISTINCT name, seed, run_id FROM counter "
    "  JOIN executor USING (executor_id) JOIN run USING (run_id) ORDER BY run_id) "
    "UNION ALL SELECT DISTINCT 'line', name, case_line FROM reproducer "
    "  JOIN divergence USING (divergence_id) JOIN executor USING (executor_id)";

static status_t read_source(void *context, int column_count, const char *const *names,
                            const store_value_t *values, failure_t *error) {
  (void)column_count, (void)names, (void)error;
  sources_t *sources = (sources_t *)context;
  if (values == NULL || strcmp(values[1].text, sources->executor) != 0) return STATUS_OK;
  const char *kind = values[0].text, *text = values[2].text;
  if (strcmp(kind, "op") == 0) {
    if (op_find(str_from(text)) != NULL) g_ptr_array_add(sources->ops, g_strdup(text));
  } else if (strcmp(kind, "line") == 0) {
    g_ptr_array_add(sources->lines, g_strdup(text));
  } else {
    uint64_t seed = g_ascii_strtoull(text, NULL, 10);
    g_array_append_val(sources->seeds, seed);
  }
  return STATUS_OK;
}

static status_t read_database(const contract_flags_t *flags, sources_t *sources, failure_t *error) {
  if (flags->database == NULL) return STATUS_OK;
  STATUS_TRY(store_require(flags->database, error));
  STATUS_TRY(store_query(flags->database, SOURCES_SQL, read_source, sources, error));
  if (sources->ops->len > 0) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "%s has no run of %s; `assay query executors --db %s` lists who has some",
                     flags->database, sources->executor, flags->database);
}

/* ---- Request --------------------------------------------------------------------------------- */

static status_t check_flags(const contract_flags_t *flags, const char *action, failure_t *error) {
  if (strcmp(action, "infer") != 0) {
    return status_fail(error, STATUS_INVALID, "'%s': write `assay contract infer`", action);
  }
  if (flags->executor.names == NULL || g_strv_length(flags->executor.names) != 1) {
    return status_fail(error, STATUS_INVALID,
                       "a contract is inferred of one executor; add --executor NAME, once");
  }
  if (flags->cases < 1 || flags->cases > 100000) {
    return status_fail(error, STATUS_INVALID,
                       "--cases is 1 to 100000, and results of so many are "
                       "held in memory");
  }
  if (flags->evidence <= flags->cases) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "--evidence %" G_GINT64_FORMAT " is more than --cases %" G_GINT64_FORMAT
                     ", so that no permission could be withdrawn; write more cases, or less "
                     "evidence",
                     flags->evidence, flags->cases);
}

static status_t read_drawing(const contract_flags_t *flags, infer_request_t *request,
                             failure_t *error) {
  STATUS_TRY(output_file_check("--out", flags->out, error));
  request->types = flags->types;
  request->cases_max = (uint64_t)flags->cases;
  STATUS_TRY(find_strata(flags->strata, &request->strata, error));
  if (flags->time == NULL) return STATUS_OK;
  return arguments_parse_limit("--time", flags->time, &request->seconds_max, error);
}

/* What the command line says, else what the database has, else what `run` does. */
static status_t read_sources(const contract_flags_t *flags, sources_t *sources,
                             const op_t *const **out_ops, infer_request_t *request,
                             failure_t *error) {
  STATUS_TRY(read_database(flags, sources, error));
  char **names = flags->ops;
  if (names == NULL && sources->ops->len > 0) {
    g_ptr_array_add(sources->ops, NULL);
    names = (char **)sources->ops->pdata;
  }
  STATUS_TRY(find_ops(names, out_ops, &request->op_count, error));
  request->ops = *out_ops;
  if (flags->seed != NULL || sources->seeds->len == 0) {
    uint64_t seed;
    STATUS_TRY(arguments_parse_seed(flags->seed, &seed, error));
    g_array_set_size(sources->seeds, 0);
    g_array_append_val(sources->seeds, seed);
  }
  request->seeds = (const uint64_t *)(void *)sources->seeds->data;
  request->seed_count = sources->seeds->len;
  return STATUS_OK;
}

/* ---- Inference ------------------------------------------------------------------------------- */

/* Nobody stopped it, and no program that was drawn is of these types. */
static bool has_unknown_types(const infer_request_t *request, const infer_counts_t *counts) {
  uint64_t met =
      counts->kept + counts->diverged + counts->failed + counts->refused + counts->without_oracle;
  return request->types != NULL && met == 0 && *request->stop == 0;
}

static status_t gather(const contract_flags_t *flags, const infer_request_t *request,
                       const sources_t *sources, infer_t *infer, infer_counts_t *counts,
                       failure_t *error) {
  *counts = (infer_counts_t){0};
  for (guint i = 0; i < sources->lines->len && *request->stop == 0; i++) {
    const char *line = (const char *)g_ptr_array_index(sources->lines, i);
    STATUS_TRY(infer_cases_rerun(request, line, infer, counts, error));
  }
  STATUS_TRY(infer_cases_draw(request, infer, counts, error));
  if (infer_case_count(infer) > 0) return STATUS_OK;
  if (has_unknown_types(request, counts)) {
    return status_fail(
        error, STATUS_INVALID,
        "none of the programs that were drawn has the types '%.100s' (--types); write an "
        "element type (f32), or all types as reports have them (bf16,bf16->f32)",
        flags->types);
  }
  return status_fail(
      error, STATUS_IO,
      "no case%s%s of %s conforms to its contract, so that none tells what it needs: "
      "%" G_GUINT64_FORMAT " diverge, %" G_GUINT64_FORMAT " failed, %" G_GUINT64_FORMAT
      " programs are refused",
      flags->types == NULL ? "" : " with ", flags->types == NULL ? "" : flags->types,
      executor_name(request->executor), counts->diverged, counts->failed, counts->refused);
}

static void show_permission(void *context, size_t permission, unsigned round) {
  (void)context;
  fprintf(stderr, "\r\033[Kround %u, permission %zu of %zu: %s", round, permission + 1,
          contract_permission_count(), contract_permission_name(permission));
}

static status_t put_out(const contract_flags_t *flags, const GString *text, failure_t *error) {
  if (flags->out == NULL) {
    fputs(text->str, stdout);
    return STATUS_OK;
  }
  g_autoptr(GError) problem = NULL;
  if (g_file_set_contents(flags->out, text->str, (gssize)text->len, &problem)) return STATUS_OK;
  fputs(text->str, stdout); /* What took so long is not lost. */
  return status_fail(error, STATUS_IO, "cannot write \"%s\" (--out): %s", flags->out,
                     problem->message);
}

static status_t infer(const contract_flags_t *flags, const infer_request_t *request,
                      const sources_t *sources, infer_counts_t *counts, failure_t *error) {
  bool is_shown = isatty(STDERR_FILENO);
  const infer_options_t options = {.telling_min = (size_t)flags->evidence,
                                   .stop = request->stop,
                                   .on_permission = is_shown ? show_permission : NULL};
  infer_t *infer = infer_new(request->contract);
  status_t status = gather(flags, request, sources, infer, counts, error);
  /* Cases that were drawn until somebody stopped that tell something too. */
  if (status == STATUS_OK) status = infer_solve(infer, &options, error);
  if (is_shown) fputs("\r\033[K", stderr);
  if (status == STATUS_OK) {
    g_autoptr(GString) text = g_string_new(NULL);
    const contract_file_t file = {.infer = infer,
                                  .begun = request->contract,
                                  .executor = request->executor,
                                  .assay_version = ASSAY_VERSION,
                                  .types = request->types,
                                  .diverged = counts->diverged,
                                  .was_stopped = *request->stop != 0};
    contract_file_print(&file, text);
    status = put_out(flags, text, error);
  }
  infer_free(infer);
  return status;
}

static int infer_all(const contract_flags_t *flags, executor_t *executor,
                     const contract_t *contract) {
  sources_t sources = sources_make(executor_name(executor));
  infer_request_t request = {.executor = executor, .contract = contract, .stop = interrupt_catch()};
  const op_t *const *ops = NULL;
  infer_counts_t counts = {0};
  failure_t error = {0};
  status_t status = read_drawing(flags, &request, &error);
  if (status == STATUS_OK) status = read_sources(flags, &sources, &ops, &request, &error);
  bool is_input = status != STATUS_OK;
  if (status == STATUS_OK) status = infer(flags, &request, &sources, &counts, &error);
  is_input |= has_unknown_types(&request, &counts);
  g_free((gpointer)(uintptr_t)ops);
  sources_free(&sources);
  if (status == STATUS_OK) return counts.diverged > 0 ? EXIT_CODE_DIVERGES : EXIT_CODE_CLEAN;
  int exit_code = complain_status(status, &error);
  return is_input ? exit_code : EXIT_CODE_FAILED;
}

static int contract_infer(const contract_flags_t *flags, const char *action) {
  failure_t error = {0};
  contract_t contract;
  status_t status = check_flags(flags, action, &error);
  if (status == STATUS_OK) status = find_contract(flags->contract, &contract, &error);
  if (status == STATUS_OK && PERMITTED(&contract, bits) == BITS_IDENTIFIED) {
    status = status_fail(&error, STATUS_INVALID,
                         "contract identified predicts all bits; there is nothing to infer");
  }
  if (status != STATUS_OK) return complain_status(status, &error);
  executor_list_t executors;
  int exit_code = executor_flags_open(&flags->executor, &executors);
  if (exit_code != EXIT_CODE_CLEAN) return exit_code;
  exit_code = infer_all(flags, executors.items[0], &contract);
  return executor_list_close(&executors, exit_code);
}

int command_contract(const command_t *command, int argc, char **argv) {
  contract_flags_t flags = {.cases = CASES_DEFAULT, .evidence = EVIDENCE_DEFAULT};
  const GOptionEntry entries[] = {
      {"op", 'o', 0, G_OPTION_ARG_STRING_ARRAY, &flags.ops,
       "An op to draw cases of; may be given several times (default: those of the database, or "
       "all)",
       "OP"},
      {"types", 't', 0, G_OPTION_ARG_STRING, &flags.types,
       "Only programs that have this element type, or just these: bf16, bf16,bf16->bf16", "TYPES"},
      {"db", 'd', 0, G_OPTION_ARG_FILENAME, &flags.database,
       "Run the cases that it keeps, and draw from the ops and seeds of its runs", "FILE"},
      {"contract", 'c', 0, G_OPTION_ARG_STRING, &flags.contract,
       "Begin with it: spec, backend (default), wide, KEY=VALUE,... or @FILE", "CONTRACT"},
      {"cases", 'n', 0, G_OPTION_ARG_INT64, &flags.cases,
       "Keep so many conforming cases (default 500)", "N"},
      {"evidence", 0, 0, G_OPTION_ARG_INT64, &flags.evidence,
       "Withdraw a permission only where so many cases could have told (default 30)", "N"},
      {"seed", 's', 0, G_OPTION_ARG_STRING, &flags.seed,
       "Same seed, same cases (default: those of the database, or 1)", "SEED"},
      {"strata", 0, 0, G_OPTION_ARG_STRING, &flags.strata, strata_help, "SHARES"},
      {"time", 0, 0, G_OPTION_ARG_STRING, &flags.time, "Stop drawing after a time: 30s, 5m",
       "TIME"},
      {"out", 0, 0, G_OPTION_ARG_FILENAME, &flags.out,
       "Write the contract there (default: standard output)", "FILE"},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  executor_flags_add(&flags.executor, &arguments);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 1, 1)) exit_code = contract_infer(&flags, argv[1]);
  flags_free(&flags);
  return exit_code;
}
