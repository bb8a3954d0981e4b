/* SPDX-License-Identifier: Apache-2.0 */
/* Installs a release and those that have its bugs mended, runs the entries' cases on both, and the
 * searches. */
#include "harness/cli/verbs/recall/subject.h"

#include <stdio.h>
#include <string.h>

#include "harness/builtin/builtin.h"
#include "harness/campaign/folder.h"
#include "harness/cli/verbs/recall/public_bugs.h"
#include "harness/cli/verbs/recall/trial.h"
#include "harness/exec/registry/versions.h"

static const struct {
  const char *spelling;
  const char *words;
} OUTCOMES[RECALL_OUTCOME_COUNT] = {
#define OUTCOME(name, spelling, words) [RECALL_##name] = {spelling, words},
#include "harness/cli/verbs/recall/recall_outcomes.def"
#undef OUTCOME
};

const char *recall_outcome_spelling(recall_outcome_t outcome) { return OUTCOMES[outcome].spelling; }
const char *recall_outcome_words(recall_outcome_t outcome) { return OUTCOMES[outcome].words; }

/* ---- Executors ------------------------------------------------------------------------------- */

/* "onnxruntime@1.26.0?optimize=all" of the backend with these options; the caller frees it. */
static char *name_of(const char *backend, const char *release) {
  if (strcmp(release, "-") == 0) return g_strdup(backend);
  size_t size = strcspn(backend, "?");
  return g_strdup_printf("%.*s@%s%s", (int)size, backend, release, backend + size);
}

/* Executors that are open, by name, and the releases that were installed for this. */
typedef struct bench {
  const recall_request_t *request;
  GHashTable *executors; /* Name: executor_t *, or NULL where it cannot be had. */
  GHashTable *reasons;   /* Name: why not. */
  GPtrArray *installed;  /* worker_t * */
} bench_t;

static void close_executor(gpointer data) { executor_close(data); }
static void free_worker(gpointer data) { worker_free(data); }

static bench_t bench_make(const recall_request_t *request) {
  return (bench_t){
      .request = request,
      .executors = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, close_executor),
      .reasons = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
      .installed = g_ptr_array_new_with_free_func(free_worker)};
}

static void bench_deinit(bench_t *bench) {
  g_hash_table_unref(bench->executors);
  for (guint i = 0; i < bench->installed->len && !bench->request->keeps; i++) {
    failure_t ignored;
    worker_remove(bench->installed->pdata[i], &ignored);
  }
  g_ptr_array_unref(bench->installed);
  g_hash_table_unref(bench->reasons);
}

/* Installs NAME@VERSION if it is a release of a worker. */
static status_t install(bench_t *bench, const char *name, failure_t *error) {
  worker_t *worker = worker_parse(name, strcspn(name, "?"));
  bool is_release = worker != NULL && worker->version != NULL;
  status_t status = STATUS_OK;
  if (is_release && !worker_is_installed(worker, NULL)) {
    status = worker_install_release(worker, NULL, bench->request->python, stderr, error);
    if (status == STATUS_OK) {
      g_ptr_array_add(bench->installed, worker);
      worker = NULL;
    }
  }
  worker_free(worker);
  return status;
}

/* NULL, with the reason in bench->reasons, where it cannot be had. */
static executor_t *get_executor(bench_t *bench, const char *name) {
  gpointer known;
  if (g_hash_table_lookup_extended(bench->executors, name, NULL, &known)) return known;
  executor_t *executor = NULL;
  failure_t reason = {0};
  const executor_options_t options = {.find_builtin = builtin_find};
  status_t status = install(bench, name, &reason);
  if (status == STATUS_OK) status = executor_open(name, &options, &executor, &reason);
  if (status != STATUS_OK) {
    executor = NULL;
    g_hash_table_insert(bench->reasons, g_strdup(name), g_strdup(reason.text));
  }
  g_hash_table_insert(bench->executors, g_strdup(name), executor);
  return executor;
}

/* The name of the executor without the bug: what the entry says, or the release that has it mended;
 * NULL: there is none. */
static char *control_of(const recall_request_t *request, const known_entry_t *bug) {
  const char *control = public_bug_field(bug, PUBLIC_CONTROL);
  if (control != NULL) return g_strdup(control);
  g_autofree char *mended = public_bug_mended(bug);
  return mended == NULL ? NULL : name_of(request->backend, mended);
}

/* ---- Confirming ------------------------------------------------------------------------------ */

static void settle(recalled_t *row, recall_outcome_t outcome, const char *detail) {
  row->outcome = outcome;
  g_free(row->detail);
  row->detail = g_strdup(detail);
}

/* Whether the case came out as the entry says. */
static bool shows(const known_entry_t *bug, const case_trial_t *trial) {
  bool is_wrong = trial->outcome == OUTCOME_diverges || trial->outcome == OUTCOME_failed;
  return is_wrong && public_bug_fits(bug, KNOWN_class, class_spelling(trial->class_)) &&
         case_trial_same_result(public_bug_field(bug, PUBLIC_CASE), trial->result,
                                public_bug_field(bug, PUBLIC_RESULT));
}

/* The executor without the bug has to conform on the entry's case, else nothing is confirmed. */
static status_t confirm_control(bench_t *bench, recalled_t *row, failure_t *error) {
  g_autofree char *name = control_of(bench->request, row->bug);
  if (name == NULL) return STATUS_OK;
  executor_t *control = get_executor(bench, name);
  if (control == NULL) {
    settle(row, RECALL_UNCONFIRMED, g_hash_table_lookup(bench->reasons, name));
    return STATUS_OK;
  }
  case_trial_t trial;
  STATUS_TRY(case_trial_run(public_bug_field(row->bug, PUBLIC_CASE), control, &trial, error));
  if (trial.outcome != OUTCOME_conforms) {
    g_autofree char *text = g_strdup_printf("%s, which should conform: %s", name, trial.words);
    settle(row, RECALL_UNCONFIRMED, text);
  }
  case_trial_clear(&trial);
  return STATUS_OK;
}

/* A row that is confirmed becomes RECALL_UNSOUGHT, which seek() changes. */
static status_t confirm(bench_t *bench, const char *name, bool is_asked, recalled_t *row,
                        failure_t *error) {
  const char *apart = public_bug_field(row->bug, PUBLIC_APART);
  if (apart != NULL) {
    settle(row, RECALL_APART, apart);
    return STATUS_OK;
  }
  executor_t *executor = get_executor(bench, name);
  if (executor == NULL) {
    settle(row, RECALL_UNCONFIRMED, g_hash_table_lookup(bench->reasons, name));
    return STATUS_OK;
  }
  case_trial_t trial;
  STATUS_TRY(case_trial_run(public_bug_field(row->bug, PUBLIC_CASE), executor, &trial, error));
  bool is_shown = shows(row->bug, &trial);
  g_autofree char *text =
      g_strdup_printf("%s%s%s", trial.words, is_shown || trial.result[0] == '\0' ? "" : "; result ",
                      is_shown ? "" : trial.result);
  bool conforms = trial.outcome == OUTCOME_conforms;
  case_trial_clear(&trial);
  settle(row,
         is_shown               ? RECALL_UNSOUGHT
         : is_asked && conforms ? RECALL_ABSENT
                                : RECALL_UNCONFIRMED,
         text);
  return is_shown ? confirm_control(bench, row, error) : STATUS_OK;
}

/* ---- Searching ------------------------------------------------------------------------------- */

/* What ends by a signal has not searched as long as it was to. */
static status_t check_stop(const recall_request_t *request, failure_t *error) {
  if (*request->stop == 0) return STATUS_OK;
  return status_fail(error, STATUS_IO,
                     "stopped; the same command goes on with what it has done if --out FOLDER was "
                     "given");
}

/* Words of a command line, ended by NULL; texts owned. */
static GPtrArray *words_make(const char *const *texts) {
  GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
  for (const char *const *text = texts; *text != NULL; text++) {
    g_ptr_array_add(words, g_strdup(*text));
  }
  return words;
}

static void add_option(GPtrArray *words, const char *option, const char *value) {
  if (value == NULL) return;
  g_ptr_array_add(words, g_strdup(option));
  g_ptr_array_add(words, g_strdup(value));
}

/* Searches with another seed or of another time are others: what one found must not count for the
 * other. */
static char *path_of(const recall_subject_t *subject, const char *part) {
  const recall_request_t *request = subject->request;
  g_autofree char *plain =
      g_strdup_printf("%s-seed-%s-%s", subject->name, request->seed, request->time);
  g_strcanon(plain, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS ".-@", '_');
  g_autofree char *file = g_strconcat(plain, part, NULL);
  return g_build_filename(subject->request->folder, file, NULL);
}

static status_t run_campaign(const recall_subject_t *subject, bug_campaign_t *out_campaign,
                             failure_t *error) {
  const recall_request_t *request = subject->request;
  g_autofree char *folder = path_of(subject, ".campaign");
  g_autofree char *log = path_of(subject, ".log");
  g_autofree char *database = campaign_folder_database(folder);
  /* One that is finished is not begun anew under its name. */
  const char *const begin[] = {"campaign", "--executor", subject->name, "--out",
                               folder,     "--time",     request->time, "--fail-on",
                               "never",    "--name",     "recall",      NULL};
  g_autoptr(GPtrArray) words = words_make(begin);
  add_option(words, "--seed", request->seed);
  add_option(words, "--jobs", request->jobs);
  g_ptr_array_add(words, NULL);
  return bug_campaign_run((char *const *)words->pdata, database, log, request->stop, out_campaign,
                          error);
}

/* What a search is told: an op, or a program; and why a bug was missed for which that is enough. */
typedef struct hint {
  const char *option;
  const char *value;
  recall_outcome_t outcome;
} hint_t;

/* Searches with a hint. */
static status_t run_hint(const recall_subject_t *subject, const known_entry_t *bug,
                         const hint_t *hint, bug_campaign_t *out_campaign, failure_t *error) {
  g_autofree char *part = g_strconcat(".", bug->id, hint->option, ".db", NULL);
  g_autofree char *database = path_of(subject, part);
  g_autofree char *log = g_strconcat(database, ".log", NULL);
  remove(database);
  const char *const texts[] = {"run",
                               "--executor",
                               subject->name,
                               hint->option,
                               hint->value,
                               "--time",
                               subject->request->hint_time,
                               "--db",
                               database,
                               "--fail-on",
                               "never",
                               NULL};
  g_autoptr(GPtrArray) words = words_make(texts);
  add_option(words, "--seed", subject->request->seed);
  g_ptr_array_add(words, NULL);
  return bug_campaign_run((char *const *)words->pdata, database, log, subject->request->stop,
                          out_campaign, error);
}

/* What a search with a hint found in its place. */
static void add_detail(recalled_t *row, const char *option, const bug_answer_t *answer) {
  char *text = g_strdup_printf("%s; with %s %zu alike, none it: %s", row->detail, option,
                               answer->alike, answer->why_not);
  g_free(row->detail);
  row->detail = text;
}

/* Whether a search with that hint finds it. */
static status_t ask_hint(const recall_subject_t *subject, const hint_t *hint, executor_t *control,
                         recalled_t *row, bool *out_found, failure_t *error) {
  bug_campaign_t campaign;
  bug_answer_t answer;
  STATUS_TRY(run_hint(subject, row->bug, hint, &campaign, error));
  status_t status = check_stop(subject->request, error);
  if (status == STATUS_OK) status = bug_campaign_find(&campaign, row->bug, control, &answer, error);
  if (status == STATUS_OK) {
    *out_found = answer.found != NULL;
    if (*out_found) row->seconds = answer.found->seconds;
    if (answer.why_not != NULL) add_detail(row, hint->option, &answer);
    bug_answer_clear(&answer);
  }
  bug_campaign_deinit(&campaign);
  return status;
}

/* The first hint that is enough says why it was missed. */
static status_t explain_miss(const recall_subject_t *subject, executor_t *control, recalled_t *row,
                             failure_t *error) {
  const char *line = public_bug_field(row->bug, PUBLIC_CASE);
  g_autofree char *op = g_strndup(line, strcspn(line, " "));
  const char *data = strstr(line, " : ");
  g_autofree char *program = data == NULL ? g_strdup(line) : g_strndup(line, (gsize)(data - line));
  const hint_t hints[] = {{"--op", op, RECALL_MISSED_TIME},
                          {"--program", program, RECALL_MISSED_PROGRAM}};
  bool is_found = false;
  for (size_t i = 0; i < G_N_ELEMENTS(hints) && !is_found; i++) {
    STATUS_TRY(ask_hint(subject, &hints[i], control, row, &is_found, error));
    if (is_found) row->outcome = hints[i].outcome;
  }
  if (!is_found) row->outcome = RECALL_MISSED_DATA;
  return STATUS_OK;
}

static status_t seek(const recall_subject_t *subject, bench_t *bench,
                     const bug_campaign_t *campaign, recalled_t *row, failure_t *error) {
  g_autofree char *name = control_of(subject->request, row->bug);
  executor_t *control = name == NULL ? NULL : get_executor(bench, name);
  bug_answer_t answer;
  STATUS_TRY(bug_campaign_find(campaign, row->bug, control, &answer, error));
  g_autofree char *text =
      answer.found != NULL
          ? g_strdup(answer.found->line)
          : g_strdup_printf("%" G_GINT64_FORMAT " cases of its op and types, %" G_GINT64_FORMAT
                            " judged; %zu findings alike%s%s",
                            answer.drawn, answer.judged, answer.alike,
                            answer.why_not == NULL ? "" : ", none it: ",
                            answer.why_not == NULL ? "" : answer.why_not);
  bool is_refused = answer.refused > 0 && answer.judged == 0;
  if (answer.found != NULL) row->seconds = answer.found->seconds;
  settle(row,
         answer.found != NULL ? RECALL_FOUND
         : is_refused         ? RECALL_MISSED_REFUSED
                              : RECALL_MISSED,
         text);
  bug_answer_clear(&answer);
  if (row->outcome != RECALL_MISSED || subject->request->hint_time == NULL) return STATUS_OK;
  fprintf(stderr, "%s: missed on %s; with hints\n", row->bug->id, subject->name);
  return explain_miss(subject, control, row, error);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static status_t confirm_all(recall_subject_t *subject, bench_t *bench, bool is_asked,
                            size_t *out_confirmed, failure_t *error) {
  *out_confirmed = 0;
  for (size_t i = 0; i < subject->row_count; i++) {
    STATUS_TRY(confirm(bench, subject->name, is_asked, &subject->rows[i], error));
    STATUS_TRY(check_stop(subject->request, error));
    *out_confirmed += subject->rows[i].outcome == RECALL_UNSOUGHT;
  }
  return STATUS_OK;
}

static status_t seek_all(recall_subject_t *subject, bench_t *bench, failure_t *error) {
  fprintf(stderr, "%s: a campaign of %s\n", subject->name, subject->request->time);
  bug_campaign_t campaign;
  STATUS_TRY(run_campaign(subject, &campaign, error));
  subject->drawn = campaign.drawn;
  status_t status = check_stop(subject->request, error);
  for (size_t i = 0; i < subject->row_count && status == STATUS_OK; i++) {
    recalled_t *row = &subject->rows[i];
    if (row->outcome == RECALL_UNSOUGHT) status = seek(subject, bench, &campaign, row, error);
  }
  bug_campaign_deinit(&campaign);
  return status;
}

status_t recall_subject_run(const recall_request_t *request, const char *release, bool is_asked,
                            const GPtrArray *bugs, recall_subject_t *out_subject,
                            failure_t *error) {
  recall_subject_t subject = {.request = request,
                              .release = release,
                              .name = name_of(request->backend, release),
                              .rows = g_new0(recalled_t, bugs->len),
                              .row_count = bugs->len};
  for (guint i = 0; i < bugs->len; i++) subject.rows[i].bug = bugs->pdata[i];
  bench_t bench = bench_make(request);
  size_t confirmed;
  status_t status = confirm_all(&subject, &bench, is_asked, &confirmed, error);
  if (status == STATUS_OK && confirmed > 0 && !request->is_confirming_alone) {
    status = seek_all(&subject, &bench, error);
  }
  bench_deinit(&bench);
  if (status != STATUS_OK) {
    recall_subject_deinit(&subject);
    return status;
  }
  *out_subject = subject;
  return STATUS_OK;
}

void recall_subject_deinit(recall_subject_t *subject) {
  for (size_t i = 0; i < subject->row_count; i++) g_free(subject->rows[i].detail);
  g_free(subject->rows);
  g_free(subject->name);
  *subject = (recall_subject_t){0};
}
