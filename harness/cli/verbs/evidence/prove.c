/* SPDX-License-Identifier: Apache-2.0 */
/* assay prove: writes the evidence that a result is wrong as a bundle, and has
 * reports/check_evidence.py, which shares nothing with us, decide it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/options/flags.h"
#include "harness/cli/options/input.h"
#include "harness/cli/verbs/cases/result_line.h"
#include "harness/cli/verbs/cases/shrink_finding.h"
#include "harness/cli/verbs/evidence/bundle.h"
#include "harness/run/corpus/file.h"
#include "reports/verdict/reproducer.h"

static const char single_file[] = "evidence.json";

typedef struct prove_flags {
  executor_flags_t executor;
  char *contract;
  char *database;
  char *out;
} prove_flags_t;

typedef struct prove {
  const prove_flags_t *flags;
  case_runner_t walk;
  executor_t *executor; /* NULL: results are given. */
  arena_t arena;        /* Of the present case. */
  GPtrArray *paths;     /* Of what was written; owned texts. */
  bool is_folder;       /* flags->out is one. */
  const char *prefix;   /* Of files in the folder. */
} prove_t;

static void print_got(const program_t *program, const verdict_t *verdict, char out[17]) {
  int digits = (program->results[verdict->result].element->bits + 3) / 4;
  snprintf(out, 17, "%0*llx", digits, (unsigned long long)verdict->got_bits);
}

/* Where the next bundle goes; owned. */
static char *next_path(const prove_t *prove, size_t number) {
  if (!prove->is_folder) {
    return g_strdup(prove->flags->out == NULL ? single_file : prove->flags->out);
  }
  g_autofree char *name = g_strdup_printf("%s-%zu.json", prove->prefix, number);
  g_autofree char *path = g_build_filename(prove->flags->out, name, NULL);
  for (unsigned again = 2; g_ptr_array_find_with_equal_func(prove->paths, path, g_str_equal, NULL);
       again++) { /* Several results of one case. */
    g_free(path);
    g_free(name);
    name = g_strdup_printf("%s-%zu-%u.json", prove->prefix, number, again);
    path = g_build_filename(prove->flags->out, name, NULL);
  }
  return g_steal_pointer(&path);
}

static status_t write_bundle(prove_t *prove, const bundle_t *bundle, size_t number,
                             failure_t *error) {
  char *path = next_path(prove, number);
  g_ptr_array_add(prove->paths, path);
  return bundle_write(bundle, path, error);
}

/* Of a verdict with a wrong element. */
static status_t write_verdict(prove_t *prove, const case_t *instance, const verdict_t *verdict,
                              const tensor_t *results, size_t number, failure_t *error) {
  if (verdict->outcome != OUTCOME_diverges || verdict->wrong_count == 0) {
    return status_fail(error, STATUS_INVALID,
                       "%s%s%s: no element of a result is wrong, so there is nothing to prove",
                       outcome_spelling(verdict->outcome),
                       verdict->class_ == CLASS_none ? "" : ", ", class_spelling(verdict->class_));
  }
  g_autoptr(GString) line = g_string_new(NULL);
  g_autoptr(GString) contract = g_string_new(NULL);
  g_autoptr(GString) data = g_string_new(NULL);
  case_print(instance, line);
  contract_print(&prove->walk.contract, contract);
  result_field_t field = {.kind = RESULT_DATA};
  memcpy(field.results, results, sizeof field.results);
  result_field_print(&instance->program, &field, data);
  char got[17];
  print_got(&instance->program, verdict, got);
  bundle_t bundle = {.case_line = line->str,
                     .contract = contract->str,
                     .results = data->str,
                     .class_ = class_spelling(verdict->class_),
                     .result = verdict->result,
                     .component = verdict->component,
                     .got = got,
                     .permitted = verdict->expected};
  if (prove->executor != NULL) {
    bundle.executor = executor_name(prove->executor);
    bundle.version = executor_version(prove->executor);
    bundle.hardware = executor_hardware(prove->executor);
  }
  return write_bundle(prove, &bundle, number, error);
}

/* What is given behind the case. */
static status_t judge_given(prove_t *prove, const case_t *instance, str_t data, size_t number,
                            failure_t *error) {
  result_field_t field;
  STATUS_TRY(result_field_parse(data, &instance->program, &prove->arena, &field, error));
  if (field.kind != RESULT_DATA || field.unjudged != 0) {
    return status_fail(error, STATUS_INVALID, "there is nothing to prove without all results");
  }
  const op_constraint_t *broken = program_broken_under(
      &instance->program, program_broken(&instance->program), &prove->walk.contract);
  expectation_t expectation;
  STATUS_TRY(
      case_runner_expect(&prove->walk, instance, broken, &prove->arena, &expectation, error));
  verdict_t verdict;
  STATUS_TRY(case_runner_judge(&prove->walk, &expectation, field.results, &verdict, error));
  return write_verdict(prove, instance, &verdict, field.results, number, error);
}

static status_t run_case(prove_t *prove, const case_t *instance, failure_t *error) {
  if (prove->executor == NULL) {
    return status_fail(error, STATUS_INVALID,
                       "a case alone proves nothing; add --executor NAME, or a tab and its result");
  }
  reproducer_t reproducer;
  STATUS_TRY(
      reproducer_make(&prove->walk, prove->executor, instance, &prove->arena, &reproducer, error));
  return write_verdict(prove, instance, &reproducer.verdict, reproducer.results, 1, error);
}

static status_t prove_line(prove_t *prove, str_t line, failure_t *error) {
  scan_t scan = scan_make(line);
  str_t case_line = scan_until(&scan, "\t");
  case_t instance;
  const char *violation;
  STATUS_TRY(case_parse(case_line, &prove->arena, &instance, &violation, error));
  if (!scan_accept(&scan, "\t")) return run_case(prove, &instance, error);
  const str_t data = {.data = scan.cursor, .size = (size_t)(scan.end - scan.cursor)};
  return judge_given(prove, &instance, data, 1, error);
}

/* ---- A finding of a database ----------------------------------------------------------------- */

static status_t prove_finding(prove_t *prove, const char *number, failure_t *error) {
  guint64 id;
  if (!g_ascii_string_to_unsigned(number, 10, 1, G_MAXINT64, &id, NULL)) {
    return status_fail(error, STATUS_INVALID, "bad number of a finding '%s'", number);
  }
  if (prove->flags->database == NULL) {
    return status_fail(error, STATUS_INVALID, "no database given; add --db FILE");
  }
  stored_finding_t finding;
  STATUS_TRY(stored_finding_read(prove->flags->database, (int64_t)id, &finding, error));
  const bundle_t bundle = {.case_line = finding.case_line,
                           .contract = finding.contract,
                           .executor = finding.executor,
                           .version = finding.version,
                           .hardware = finding.hardware,
                           .class_ = finding.class_,
                           .result = (uint32_t)finding.result,
                           .component = (size_t)finding.component,
                           .got = finding.got_bits,
                           .permitted = finding.expected};
  status_t status =
      finding.expected[0] == '\0'
          ? status_fail(error, STATUS_INVALID,
                        "finding %s is of class %s: no element of a result is wrong, so there is "
                        "nothing to prove",
                        number, finding.class_)
          : write_bundle(prove, &bundle, 1, error);
  stored_finding_free(&finding);
  return status;
}

/* ---- A file of the corpus -------------------------------------------------------------------- */

/* The contract that a kind of wrong result is wrong under; NULL: it is no wrong one. */
static const char *contract_of(const char *result) {
  if (g_str_has_prefix(result, "=! ") || g_str_has_prefix(result, "=!backend ")) return "backend";
  return g_str_has_prefix(result, "=!wide ") ? "intermediate=wide" : NULL;
}

static status_t prove_entry(prove_t *prove, const corpus_case_t *entry, failure_t *error) {
  for (guint i = 0; i < entry->results->len; i++) {
    const char *result = entry->results->pdata[i];
    const char *contract = contract_of(result);
    if (contract == NULL) continue;
    arena_reset(&prove->arena);
    if (prove->flags->contract == NULL) {
      STATUS_TRY(find_contract(contract, &prove->walk.contract, error));
    }
    case_t instance;
    const char *violation;
    STATUS_TRY(case_parse(str_from(entry->line), &prove->arena, &instance, &violation, error));
    STATUS_TRY(judge_given(prove, &instance, str_from(strchr(result, ' ') + 1), entry->line_number,
                           error));
  }
  return STATUS_OK;
}

static status_t prove_corpus(prove_t *prove, const char *path, failure_t *error) {
  if (prove->flags->out == NULL) {
    return status_fail(error, STATUS_INVALID, "a file of cases needs --out FOLDER");
  }
  corpus_file_t file;
  STATUS_TRY(corpus_file_read(path, &file, error));
  g_autofree char *name = g_path_get_basename(path);
  *strrchr(name, '.') = '\0';
  prove->prefix = name;
  prove->is_folder = true;
  status_t status = STATUS_OK;
  if (g_mkdir_with_parents(prove->flags->out, 0777) != 0) {
    status = status_fail(error, STATUS_IO, "%s: %s", prove->flags->out, g_strerror(errno));
  }
  for (guint i = 0; i < file.cases->len && status == STATUS_OK; i++) {
    const corpus_case_t *entry = file.cases->pdata[i];
    failure_t reason = {0};
    status = prove_entry(prove, entry, &reason);
    if (status != STATUS_OK) {
      status_fail(error, status, "%s:%zu: %s", path, entry->line_number, reason.text);
    }
  }
  if (status == STATUS_OK && prove->paths->len == 0) {
    status = status_fail(error, STATUS_INVALID, "%s has no wrong result (\"=!\")", path);
  }
  corpus_file_deinit(&file);
  return status;
}

/* ---- The verb -------------------------------------------------------------------------------- */

static status_t prove_argument(prove_t *prove, const char *argument, failure_t *error) {
  if (strspn(argument, "0123456789") == strlen(argument)) {
    return prove_finding(prove, argument, error);
  }
  if (g_str_has_suffix(argument, ".cases")) return prove_corpus(prove, argument, error);
  return prove_line(prove, str_from(argument), error);
}

static int prove_all(const prove_flags_t *flags, executor_t *executor, const char *argument) {
  failure_t error = {0};
  contract_t contract;
  status_t status = find_contract(flags->contract, &contract, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  prove_t prove = {.flags = flags,
                   .executor = executor,
                   .paths = g_ptr_array_new_with_free_func(g_free),
                   .prefix = ""};
  case_runner_init(&prove.walk, &contract, 1);
  prove.walk.judges_all = true;
  arena_init(&prove.arena);
  status = prove_argument(&prove, argument, &error);
  int exit_code = EXIT_CODE_CLEAN;
  if (status == STATUS_OK) status = bundle_complete(prove.paths, NULL, &exit_code, &error);
  if (status != STATUS_OK) exit_code = complain_status(status, &error);
  arena_deinit(&prove.arena);
  g_ptr_array_unref(prove.paths);
  return exit_code;
}

static int prove_command(const prove_flags_t *flags, const char *argument) {
  if (flags->executor.names == NULL) return prove_all(flags, NULL, argument);
  executor_list_t executors;
  int exit_code = executor_flags_open(&flags->executor, &executors);
  if (exit_code != EXIT_CODE_CLEAN) return exit_code;
  if (executors.count != 1) {
    complain("`assay prove` runs one executor; give --executor once");
    exit_code = EXIT_CODE_USAGE;
  } else {
    exit_code = prove_all(flags, executors.items[0], argument);
  }
  return executor_list_close(&executors, exit_code);
}

int command_prove(const command_t *command, int argc, char **argv) {
  prove_flags_t flags = {0};
  const GOptionEntry entries[] = {
      {"contract", 'c', 0, G_OPTION_ARG_STRING, &flags.contract,
       "spec, backend (default), wide, KEY=VALUE,... or @FILE; `assay help` explains", "CONTRACT"},
      {"db", 'd', 0, G_OPTION_ARG_FILENAME, &flags.database, "The database that has the finding",
       "FILE"},
      {"out", 'o', 0, G_OPTION_ARG_FILENAME, &flags.out,
       "Where the bundle goes (default: evidence.json); of a file of cases the folder for all",
       "FILE"},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  executor_flags_add(&flags.executor, &arguments);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 1, 1)) exit_code = prove_command(&flags, argv[1]);
  executor_flags_free(&flags.executor);
  g_free(flags.contract);
  g_free(flags.database);
  g_free(flags.out);
  return exit_code;
}
