/* SPDX-License-Identifier: Apache-2.0 */
/* assay bisect: which release of a backend brought a fault, or mended it. */
#include <stdio.h>
#include <string.h>

#include "harness/base/plain_text.h"
#include "harness/cli/options/flags.h"
#include "harness/cli/verbs/bisect/subject.h"
#include "harness/cli/verbs/cases/shrink_finding.h"
#include "harness/run/corpus/file.h"
#include "reports/verdict/describe.h"

typedef struct bisect_flags {
  char *backend;
  char *from;
  char *to;
  char *python;
  char *contract;
  char *database;
  char *timeout;
  gboolean keep;
  gboolean early;
  gboolean every;
  gboolean fresh;
  gboolean json;
} bisect_flags_t;

/* ---- What is asked about --------------------------------------------------------------------- */

static void take_case(GPtrArray *lines, const char *line) {
  g_ptr_array_add(lines, g_strdup(line));
}

static status_t read_finding(const bisect_flags_t *flags, const char *number, GPtrArray *lines,
                             char **out_contract, failure_t *error) {
  guint64 id;
  if (!g_ascii_string_to_unsigned(number, 10, 1, G_MAXINT64, &id, NULL)) {
    return status_fail(error, STATUS_INVALID, "bad number of a finding '%s'", number);
  }
  if (flags->database == NULL) {
    return status_fail(error, STATUS_INVALID, "no database given; add --db FILE");
  }
  stored_finding_t finding;
  STATUS_TRY(stored_finding_read(flags->database, (int64_t)id, &finding, error));
  take_case(lines, finding.case_line);
  if (flags->contract == NULL) *out_contract = g_strdup(finding.contract);
  stored_finding_free(&finding);
  return STATUS_OK;
}

static status_t read_corpus(const char *path, GPtrArray *lines, failure_t *error) {
  corpus_file_t file;
  STATUS_TRY(corpus_file_read(path, &file, error));
  for (guint i = 0; i < file.cases->len; i++) {
    take_case(lines, ((const corpus_case_t *)file.cases->pdata[i])->line);
  }
  corpus_file_deinit(&file);
  return STATUS_OK;
}

/* Case lines; *out_contract stays NULL where the flags, or the default, say it. */
static status_t read_argument(const bisect_flags_t *flags, const char *argument, GPtrArray *lines,
                              char **out_contract, failure_t *error) {
  if (strspn(argument, "0123456789") == strlen(argument)) {
    return read_finding(flags, argument, lines, out_contract, error);
  }
  if (g_str_has_suffix(argument, ".cases")) return read_corpus(argument, lines, error);
  take_case(lines, argument);
  return STATUS_OK;
}

/* ---- What is said ---------------------------------------------------------------------------- */

static const char *const outcome_words[] = {[TRIAL_UNKNOWN] = "not tried",
                                            [TRIAL_CONFORMS] = "conforms",
                                            [TRIAL_DIVERGES] = "diverges",
                                            [TRIAL_UNTESTABLE] = "untestable"};

/* "brought by 1.26.0 (1.25.1 conforms), mended in ...", or that nothing changes. */
static void print_changes(const bisect_subject_t *subject, const bisect_case_t *asked,
                          GString *out) {
  const trial_t *trials = asked->trials;
  guint count = subject->releases->len;
  bisection_change_t change = {.before = 0};
  while (bisection_find(trials, count, change.before, &change)) {
    bool is_brought = trials[change.after].outcome == TRIAL_DIVERGES;
    const char *after = subject->releases->pdata[change.after];
    const char *before = subject->releases->pdata[change.before];
    g_string_append_printf(out, "%s%s %s (%s %s", out->len == 0 ? "" : ", ",
                           is_brought ? "brought by" : "mended in", after, before,
                           outcome_words[trials[change.before].outcome]);
    size_t between = change.after - change.before - 1;
    if (between > 0) {
      g_string_append_printf(out, "; or by one of the %zu between, which cannot be tested",
                             between);
    }
    g_string_append_c(out, ')');
    change.before = change.after;
  }
  if (out->len > 0) return;
  size_t tried[4] = {0};
  for (guint i = 0; i < count; i++) tried[trials[i].outcome]++;
  if (tried[TRIAL_CONFORMS] + tried[TRIAL_DIVERGES] == 0) {
    g_string_append(out, "no release could be tested");
  } else {
    bool diverges = tried[TRIAL_DIVERGES] > 0;
    g_string_append_printf(out, "%s in all %zu releases that were tried",
                           diverges ? "diverges" : "conforms",
                           tried[diverges ? TRIAL_DIVERGES : TRIAL_CONFORMS]);
  }
}

static void print_case(const bisect_subject_t *subject, const bisect_case_t *asked) {
  g_autoptr(GString) change = g_string_new(NULL);
  print_changes(subject, asked, change);
  printf("%s\n", asked->line);
  for (guint i = 0; i < subject->releases->len; i++) {
    const trial_t *trial = &asked->trials[i];
    if (trial->outcome == TRIAL_UNKNOWN) continue;
    printf("  %-12s %-10s %s\n", (const char *)subject->releases->pdata[i],
           outcome_words[trial->outcome], trial->detail);
  }
  printf("  => %s\n", change->str);
}

static json_t *describe_case(const bisect_subject_t *subject, const bisect_case_t *asked) {
  g_autoptr(GString) words = g_string_new(NULL);
  print_changes(subject, asked, words);
  json_t *trials = json_array();
  for (guint i = 0; i < subject->releases->len; i++) {
    const trial_t *trial = &asked->trials[i];
    if (trial->outcome == TRIAL_UNKNOWN) continue;
    json_array_append_new(
        trials, json_pack("{s:s, s:s, s:s}", "release", (const char *)subject->releases->pdata[i],
                          "outcome", outcome_words[trial->outcome], "detail", trial->detail));
  }
  json_t *changes = json_array();
  json_t *document =
      json_pack("{s:s, s:s, s:s, s:o, s:o}", "case", asked->line, "backend", subject->backend,
                "answer", words->str, "changes", changes, "trials", trials);
  bisection_change_t change = {.before = 0};
  while (bisection_find(asked->trials, subject->releases->len, change.before, &change)) {
    bool is_brought = asked->trials[change.after].outcome == TRIAL_DIVERGES;
    json_array_append_new(
        changes, json_pack("{s:s, s:s, s:s}", "change", is_brought ? "brought" : "mended",
                           "release", (const char *)subject->releases->pdata[change.after],
                           "before", (const char *)subject->releases->pdata[change.before]));
    change.before = change.after;
  }
  return document;
}

static void print_all(const bisect_subject_t *subject, bool as_json) {
  json_t *documents = json_array();
  for (size_t i = 0; i < subject->case_count; i++) {
    if (as_json) {
      json_array_append_new(documents, describe_case(subject, &subject->cases[i]));
    } else {
      print_case(subject, &subject->cases[i]);
    }
  }
  if (as_json) {
    json_print(documents, false);
  } else {
    json_decref(documents);
  }
}

/* ---- The verb -------------------------------------------------------------------------------- */

/* Tries releases until each case is answered. */
static status_t search(bisect_subject_t *subject, bool is_every, failure_t *error) {
  for (size_t i = 0; i < subject->case_count; i++) {
    size_t index;
    while (bisection_next(subject->cases[i].trials, subject->releases->len, &index)) {
      STATUS_TRY(bisect_subject_try(subject, index, error));
    }
  }
  for (guint i = 0; is_every && i < subject->releases->len; i++) {
    if (subject->cases[0].trials[i].outcome != TRIAL_UNKNOWN) continue;
    STATUS_TRY(bisect_subject_try(subject, i, error));
  }
  return STATUS_OK;
}

static status_t bisect(const bisect_flags_t *flags, const char *argument, failure_t *error) {
  g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *stored = NULL;
  STATUS_TRY(read_argument(flags, argument, lines, &stored, error));
  bisect_request_t request = {.backend = flags->backend,
                              .python = flags->python,
                              .from = flags->from,
                              .to = flags->to,
                              .takes_early = flags->early != 0,
                              .keeps = flags->keep != 0,
                              .forgets = flags->fresh != 0,
                              .lines = lines};
  STATUS_TRY(find_contract(stored == NULL ? flags->contract : stored, &request.contract, error));
  if (flags->timeout != NULL) {
    double seconds;
    STATUS_TRY(arguments_parse_seconds("--timeout", flags->timeout, &seconds, error));
    request.timeout_ms = (uint32_t)(seconds * 1000);
  }
  bisect_subject_t subject;
  STATUS_TRY(bisect_subject_open(&request, &subject, error));
  status_t status = search(&subject, flags->every != 0, error);
  if (status == STATUS_OK) print_all(&subject, flags->json != 0);
  bisect_subject_close(&subject);
  return status;
}

static void free_flags(bisect_flags_t *flags) {
  char *const texts[] = {flags->backend,  flags->from,     flags->to,     flags->python,
                         flags->contract, flags->database, flags->timeout};
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_free(texts[i]);
}

int command_bisect(const command_t *command, int argc, char **argv) {
  bisect_flags_t flags = {0};
  const GOptionEntry entries[] = {
      {"backend", 'b', 0, G_OPTION_ARG_STRING, &flags.backend,
       "A worker that `assay executors` lists, perhaps with ?options", "NAME"},
      {"from", 0, 0, G_OPTION_ARG_STRING, &flags.from, "The first release (default: the oldest)",
       "V"},
      {"to", 0, 0, G_OPTION_ARG_STRING, &flags.to, "The last release (default: the newest)", "V"},
      {"python", 0, 0, G_OPTION_ARG_STRING, &flags.python,
       "The version of Python that releases run with (3.13)", "X.Y"},
      {"contract", 'c', 0, G_OPTION_ARG_STRING, &flags.contract,
       "spec, backend (default), wide, KEY=VALUE,... or @FILE; `assay help` explains", "CONTRACT"},
      {"db", 'd', 0, G_OPTION_ARG_FILENAME, &flags.database, "The database that has the finding",
       "FILE"},
      {"timeout", 0, 0, G_OPTION_ARG_STRING, &flags.timeout, "Per call (default 10s)", "TIME"},
      {"every", 0, 0, G_OPTION_ARG_NONE, &flags.every,
       "Try every release, for faults that come and go", NULL},
      {"early", 0, 0, G_OPTION_ARG_NONE, &flags.early, "Candidates and development releases, too",
       NULL},
      {"keep", 0, 0, G_OPTION_ARG_NONE, &flags.keep,
       "Leave releases installed that were installed for this", NULL},
      {"fresh", 0, 0, G_OPTION_ARG_NONE, &flags.fresh, "Do not use what earlier calls learned",
       NULL},
      {"json", 0, 0, G_OPTION_ARG_NONE, &flags.json, "Print one JSON document", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 1, 1)) {
    failure_t error = {0};
    status_t status = flags.backend == NULL ? status_fail(&error, STATUS_INVALID,
                                                          "no backend given; add --backend NAME")
                                            : bisect(&flags, argv[1], &error);
    exit_code = status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, &error);
  }
  free_flags(&flags);
  return exit_code;
}
