/* SPDX-License-Identifier: Apache-2.0 */
/* assay issue: a bug report in Markdown for whoever keeps a backend: what came and what is due, why
 * that is proven, and a script that shows it without Assay, which has been run. */
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/options/flags.h"
#include "harness/cli/verbs/cases/result_line.h"
#include "harness/cli/verbs/cases/shrink_finding.h"
#include "harness/cli/verbs/evidence/bundle.h"
#include "harness/cli/verbs/evidence/standalone.h"
#include "reports/verdict/decimal.h"
#include "reports/verdict/describe.h"
#include "reports/verdict/reproducer.h"

typedef struct issue_flags {
  executor_flags_t executor;
  char *contract;
  char *database;
} issue_flags_t;

/* What the report is made of. */
typedef struct issue {
  const case_t *instance;
  executor_t *executor;
  const contract_t *contract;
  const verdict_t *verdict;
  char *results;     /* As in a result field; owned. */
  int64_t sightings; /* 0: it is no finding of a database. */
  standalone_t script;
  char *decision;  /* What the evidence script said; owned. */
  json_t *witness; /* Owned. */
} issue_t;

static void print_title(const issue_t *issue) {
  g_autofree char *got = decimal_words(issue->verdict->got, false);
  g_autofree char *expected = decimal_words(issue->verdict->expected, false);
  printf("# %s: %s returns %s, expected %s\n\n", executor_name(issue->executor),
         issue->instance->program.op->name, got, expected);
}

enum { FRACTION_BYTES = 60 }; /* Longer ones are only told about. */

/* A fraction, "12545" or "3/4": in decimal, and as it is if it is short. */
static void print_exact(const char *fraction) {
  const char *slash = strchr(fraction, '/');
  if (slash == NULL) {
    printf("| exact value | %s |\n", fraction);
    return;
  }
  double value = g_ascii_strtod(fraction, NULL) / g_ascii_strtod(slash + 1, NULL);
  bool is_short = strlen(fraction) < FRACTION_BYTES;
  printf("| exact value | about %.17g%s%s |\n", value, is_short ? ", which is " : "",
         is_short ? fraction : "");
}

static const char *const class_meanings[CLASS_COUNT] = {
#define CLASS(name, spelling, summary) [CLASS_##name] = (summary),
#include "harness/judge/classes.def"
#undef CLASS
};

/* Whether a permission that the contract does not give makes it right: triage names the class so.
 */
static void print_excuse(const verdict_t *verdict) {
  divergence_class_t class_ = verdict->class_;
  bool is_plain = class_ == CLASS_value || class_ == CLASS_nan || class_ == CLASS_inf;
  if (strchr(verdict->observed, '=') != NULL) {
    printf("it would conform with `%s`, which the contract does not permit |\n", verdict->observed);
  } else if (is_plain) {
    printf("none: no permission that is known makes it right |\n");
  } else {
    printf("only what the class says, which the contract does not permit |\n");
  }
}

static void print_facts(const issue_t *issue, const char *got, const char *expected) {
  const verdict_t *verdict = issue->verdict;
  const program_t *program = &issue->instance->program;
  g_autoptr(GString) where = g_string_new(NULL);
  g_autoptr(GString) line = g_string_new(NULL);
  g_autoptr(GString) contract = g_string_new(NULL);
  describe_component(program, verdict->result, verdict->component, where);
  case_print(issue->instance, line);
  contract_print_short(issue->contract, contract);
  printf("| | |\n| --- | --- |\n| version | %s |\n| hardware | %s |\n",
         executor_version(issue->executor), executor_hardware(issue->executor));
  printf("| where | %s; %zu of %zu elements are wrong |\n", where->str, verdict->wrong_count,
         verdict->component_count);
  printf("| got | %s |\n| permitted | %s |\n", got, expected);
  const char *exact =
      json_string_value(json_array_get(json_object_get(issue->witness, "exact"), 0));
  if (exact != NULL) print_exact(exact);
  if (verdict->cause_words[0] != '\0') printf("| likely cause | %s |\n", verdict->cause_words);
  printf("| clause | %s |\n", program->op->spec);
  if (issue->sightings > 0) {
    printf("| seen | %" G_GINT64_FORMAT " times in random tests |\n", issue->sightings);
  }
  printf("| class | %s: %s |\n", class_spelling(verdict->class_), class_meanings[verdict->class_]);
  printf("| judged by | contract `%s` |\n| excuse | ", contract->str);
  print_excuse(verdict);
  printf("| case | `%s` |\n\n", line->str);
}

static void print_proof(const issue_t *issue) {
  printf("## Why this is wrong\n\n");
  if (json_object_get(issue->witness, "set") == NULL) {
    printf(
        "Assay's oracle decided it with exact arithmetic: no value that a conforming "
        "implementation "
        "may return is this one. (Its independent script: %s.)\n\n",
        issue->decision);
    return;
  }
  const char *theorems = json_string_value(json_object_get(issue->witness, "theorems"));
  const char *bound = json_string_value(json_object_get(issue->witness, "bound"));
  bool is_exact = bound != NULL && strcmp(bound, "0") == 0;
  printf(
      "No order of operations and no rounding that is permitted gives it: a script of 300 lines "
      "with "
      "exact fractions says \"%s\"",
      issue->decision);
  if (is_exact) {
    printf(", since what is computed is exact whatever the order");
  } else if (bound != NULL) {
    printf(", since all that may be returned is within the proven error bound of the exact value");
  }
  if (theorems != NULL) printf(" (theorems %s of Assay's theory.md)", theorems);
  printf(".\n\n");
}

static void print_script(const issue_t *issue) {
  const standalone_t *script = &issue->script;
  if (script->script == NULL) {
    printf("## To reproduce\n\nThere is no script without Assay: %s.\n", script->refusal);
    return;
  }
  printf("## To reproduce, without Assay\n\n```%s\n%s```\n\n", script->is_c ? "c" : "python",
         script->script);
  if (script->results != NULL && strcmp(script->results, issue->results) == 0) {
    printf("It was run before this report was written, and printed the same wrong bits: `%s`.\n",
           script->results);
  } else if (script->results != NULL) {
    printf(
        "**It does not show the fault**: run before this report was written it printed `%s`, and "
        "Assay got `%s`.\n",
        script->results, issue->results);
  } else {
    printf("**It does not run here**: %s\n", script->words);
  }
}

static void print_issue(const issue_t *issue) {
  g_autofree char *got = decimal_words(issue->verdict->got, true);
  g_autofree char *expected = decimal_words(issue->verdict->expected, true);
  print_title(issue);
  print_facts(issue, got, expected);
  print_proof(issue);
  print_script(issue);
}

/* ---- What it is made of ---------------------------------------------------------------------- */

/* In a file that is removed then. */
static status_t add_evidence(issue_t *issue, failure_t *error) {
  g_autoptr(GString) line = g_string_new(NULL);
  g_autoptr(GString) contract = g_string_new(NULL);
  case_print(issue->instance, line);
  contract_print(issue->contract, contract);
  const verdict_t *verdict = issue->verdict;
  g_autofree char *got = g_strdup_printf("%llx", (unsigned long long)verdict->got_bits);
  const bundle_t bundle = {.case_line = line->str,
                           .contract = contract->str,
                           .results = issue->results,
                           .class_ = class_spelling(verdict->class_),
                           .result = verdict->result,
                           .component = verdict->component,
                           .got = got,
                           .permitted = verdict->expected};
  GError *failure = NULL;
  g_autofree char *folder = g_dir_make_tmp("assay-issue-XXXXXX", &failure);
  if (folder == NULL) {
    status_fail(error, STATUS_IO, "%s", failure->message);
    g_error_free(failure);
    return STATUS_IO;
  }
  char *path = g_build_filename(folder, "evidence.json", NULL);
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(paths, path);
  int exit_code = 0;
  g_autofree char *said = NULL;
  status_t status = bundle_write(&bundle, path, error);
  if (status == STATUS_OK) status = bundle_complete(paths, &said, &exit_code, error);
  if (status == STATUS_OK) {
    json_t *document = json_load_file(path, 0, NULL);
    issue->witness = json_incref(json_object_get(document, "witness"));
    json_decref(document);
    g_strchomp(said);
    const char *decision = strstr(said, ".json: ");
    issue->decision = g_strdup(decision == NULL ? said : decision + strlen(".json: "));
  }
  g_unlink(path);
  g_rmdir(folder);
  return status;
}

static status_t make_issue(case_runner_t *walk, executor_t *executor, const char *case_line,
                           int64_t sightings, failure_t *error) {
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  const char *violation;
  reproducer_t reproducer;
  status_t status = case_parse(str_from(case_line), &arena, &instance, &violation, error);
  if (status == STATUS_OK) {
    status = reproducer_make(walk, executor, &instance, &arena, &reproducer, error);
  }
  if (status == STATUS_OK &&
      (reproducer.verdict.outcome != OUTCOME_diverges || reproducer.verdict.wrong_count == 0)) {
    status =
        status_fail(error, STATUS_INVALID,
                    "%s: %s on this case: no element of a result is wrong, so there is nothing "
                    "to report",
                    executor_name(executor), outcome_spelling(reproducer.verdict.outcome));
  }
  if (status == STATUS_OK) {
    g_autoptr(GString) data = g_string_new(NULL);
    result_field_t field = {.kind = RESULT_DATA};
    memcpy(field.results, reproducer.results, sizeof field.results);
    result_field_print(&instance.program, &field, data);
    issue_t issue = {.instance = &instance,
                     .executor = executor,
                     .contract = &walk->contract,
                     .verdict = &reproducer.verdict,
                     .results = data->str,
                     .sightings = sightings};
    status = add_evidence(&issue, error);
    if (status == STATUS_OK) {
      status = standalone_make(executor_name(executor), &instance, &issue.script, error);
    }
    if (status == STATUS_OK) print_issue(&issue);
    standalone_free(&issue.script);
    json_decref(issue.witness);
    g_free(issue.decision);
  }
  arena_deinit(&arena);
  return status;
}

/* ---- The verb -------------------------------------------------------------------------------- */

static int issue_on(issue_flags_t *flags, const char *case_line, int64_t sightings) {
  failure_t error = {0};
  contract_t contract;
  status_t status = find_contract(flags->contract, &contract, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  executor_list_t executors;
  int exit_code = executor_flags_open(&flags->executor, &executors);
  if (exit_code != EXIT_CODE_CLEAN) return exit_code;
  if (executors.count != 1) {
    complain("`assay issue` is about one executor; give --executor once");
    return executor_list_close(&executors, EXIT_CODE_USAGE);
  }
  case_runner_t walk;
  case_runner_init(&walk, &contract, 1);
  status = make_issue(&walk, executors.items[0], case_line, sightings, &error);
  if (status != STATUS_OK) exit_code = complain_status(status, &error);
  return executor_list_close(&executors, exit_code);
}

/* On the executor of the finding and under its contract, unless others are given. */
static int issue_finding(issue_flags_t *flags, const char *number) {
  failure_t error = {0};
  guint64 id = 0;
  status_t status = STATUS_OK;
  if (!g_ascii_string_to_unsigned(number, 10, 1, G_MAXINT64, &id, NULL)) {
    status = status_fail(&error, STATUS_INVALID,
                         "'%.100s' is no number of a finding; `assay query findings --db "
                         "FILE` lists them, and a case LINE needs no --db",
                         number);
  } else if (flags->database == NULL) {
    status = status_fail(&error, STATUS_INVALID, "no database given; add --db FILE");
  }
  stored_finding_t finding = {0};
  if (status == STATUS_OK) {
    status = stored_finding_read(flags->database, (int64_t)id, &finding, &error);
  }
  if (status != STATUS_OK) return complain_status(status, &error);
  if (flags->executor.names == NULL) {
    flags->executor.names = g_new0(char *, 2);
    flags->executor.names[0] = g_strdup(finding.executor);
  }
  if (flags->contract == NULL) flags->contract = g_strdup(finding.contract);
  int exit_code = issue_on(flags, finding.case_line, finding.sightings);
  stored_finding_free(&finding);
  return exit_code;
}

int command_issue(const command_t *command, int argc, char **argv) {
  issue_flags_t flags = {0};
  const GOptionEntry entries[] = {
      {"contract", 'c', 0, G_OPTION_ARG_STRING, &flags.contract,
       "spec, backend (default), wide, KEY=VALUE,... or @FILE; `assay help` explains", "CONTRACT"},
      {"db", 'd', 0, G_OPTION_ARG_FILENAME, &flags.database, "The database that has the finding",
       "FILE"},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  executor_flags_add(&flags.executor, &arguments);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 1, 1)) {
    bool is_number = flags.database != NULL || strspn(argv[1], "0123456789") == strlen(argv[1]);
    exit_code = is_number ? issue_finding(&flags, argv[1]) : issue_on(&flags, argv[1], 0);
  }
  executor_flags_free(&flags.executor);
  g_free(flags.contract);
  g_free(flags.database);
  return exit_code;
}
