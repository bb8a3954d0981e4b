/* SPDX-License-Identifier: Apache-2.0 */
/* Starts searches, reads their databases, and holds findings against entries. */
#include "harness/cli/verbs/recall/bug_campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "harness/cli/verbs/recall/public_bugs.h"
#include "harness/cli/verbs/recall/trial.h"
#include "harness/cli/verbs/recall/where.h"
#include "harness/store/store.h"

/* ---- Reading a database ---------------------------------------------------------------------- */

static void free_case(gpointer data) {
  bug_case_t *found = data;
  char *const texts[] = {found->op,    found->algorithm, found->types, found->class_,
                         found->cause, found->line,      found->got,   found->expected};
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_free(texts[i]);
  g_free(found);
}

static void free_count(gpointer data) {
  bug_case_count_t *count = data;
  g_free(count->op);
  g_free(count->algorithm);
  g_free(count->types);
  g_free(count->outcome);
  g_free(count);
}

static status_t take_case(void *context, int column_count, const char *const *names,
                          const store_value_t *values, failure_t *error) {
  (void)column_count;
  (void)names;
  (void)error;
  if (values == NULL) return STATUS_OK;
  bug_case_t *found = g_new(bug_case_t, 1);
  *found = (bug_case_t){.finding = values[0].integer,
                        .op = g_strdup(values[1].text),
                        .algorithm = g_strdup(values[2].text),
                        .types = g_strdup(values[3].text),
                        .class_ = g_strdup(values[4].text),
                        .cause = g_strdup(values[5].text),
                        .line = g_strdup(values[6].text),
                        .got = g_strdup(values[7].text),
                        .expected = g_strdup(values[8].text),
                        .seconds = values[9].real};
  g_ptr_array_add(context, found);
  return STATUS_OK;
}

static status_t take_count(void *context, int column_count, const char *const *names,
                           const store_value_t *values, failure_t *error) {
  (void)column_count;
  (void)names;
  (void)error;
  if (values == NULL) return STATUS_OK;
  bug_campaign_t *campaign = context;
  bug_case_count_t *count = g_new(bug_case_count_t, 1);
  *count = (bug_case_count_t){.op = g_strdup(values[0].text),
                              .algorithm = g_strdup(values[1].text),
                              .types = g_strdup(values[2].text),
                              .outcome = g_strdup(values[3].text),
                              .cases = values[4].integer};
  campaign->drawn += count->cases;
  g_ptr_array_add(campaign->counts, count);
  return STATUS_OK;
}

static status_t read_campaign(const char *database, bug_campaign_t *campaign, failure_t *error) {
  static const char cases[] =
      "SELECT divergence_id, op, algorithm, types, class, cause, case_line, got, expected,"
      " CAST(strftime('%s', first_seen) AS REAL)"
      " - (SELECT min(CAST(strftime('%s', started) AS REAL)) FROM run)"
      " FROM divergence JOIN reproducer USING (divergence_id)"
      " ORDER BY first_seen, divergence_id, length(case_line)";
  static const char counts[] =
      "SELECT op, algorithm, types, outcome, sum(cases) FROM counter"
      " GROUP BY op, algorithm, types, outcome";
  STATUS_TRY(store_query(database, cases, take_case, campaign->cases, error));
  return store_query(database, counts, take_count, campaign, error);
}

void bug_campaign_deinit(bug_campaign_t *campaign) {
  if (campaign->cases != NULL) g_ptr_array_unref(campaign->cases);
  if (campaign->counts != NULL) g_ptr_array_unref(campaign->counts);
  *campaign = (bug_campaign_t){0};
}

/* ---- Searching ------------------------------------------------------------------------------- */

typedef struct waiting {
  GPid search;
  const volatile sig_atomic_t *stop;
  GMainLoop *loop;
} waiting_t;

static void end_waiting(GPid search, gint status, gpointer data) {
  (void)status;
  const waiting_t *waiting = data;
  g_spawn_close_pid(search);
  g_main_loop_quit(waiting->loop);
}

static gboolean pass_stop_on(gpointer data) {
  const waiting_t *waiting = data;
  if (*waiting->stop == 0) return G_SOURCE_CONTINUE;
  kill(waiting->search, SIGINT);
  return G_SOURCE_REMOVE;
}

/* Waits for a search, which is told when somebody wants us to stop. */
static void wait_for(GPid search, const volatile sig_atomic_t *stop) {
  enum { POLL_MILLISECONDS = 50 };
  waiting_t waiting = {search, stop, g_main_loop_new(NULL, FALSE)};
  g_child_watch_add(search, end_waiting, &waiting);
  guint poll = g_timeout_add(POLL_MILLISECONDS, pass_stop_on, &waiting);
  g_main_loop_run(waiting.loop);
  GSource *left = g_main_context_find_source_by_id(NULL, poll);
  if (left != NULL) g_source_destroy(left);
  g_main_loop_unref(waiting.loop);
}

/* In the child: a terminal's signals are for us to pass on, since the second one ends a search at
 * once; and it is told when we die. */
static void leave_our_group(gpointer unused) {
  (void)unused;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGINT);
}

/* Runs `assay WORDS` with all that it says in the file `log`. */
static status_t spawn(char *const *words, const char *log, const volatile sig_atomic_t *stop,
                      failure_t *error) {
  g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
  g_autoptr(GPtrArray) all = g_ptr_array_new();
  if (program == NULL) return status_fail(error, STATUS_IO, "cannot tell where assay lies");
  g_ptr_array_add(all, program);
  for (char *const *word = words; *word != NULL; word++) g_ptr_array_add(all, *word);
  g_ptr_array_add(all, NULL);
  int file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    return status_fail(error, STATUS_IO, "cannot write %s: %s", log, g_strerror(errno));
  }
  GPid search;
  g_autoptr(GError) failure = NULL;
  bool is_started =
      g_spawn_async_with_fds(NULL, (char **)all->pdata, NULL, G_SPAWN_DO_NOT_REAP_CHILD,
                             leave_our_group, NULL, &search, -1, file, file, &failure);
  close(file);
  if (!is_started) return status_fail(error, STATUS_IO, "cannot start: %s", failure->message);
  wait_for(search, stop);
  return STATUS_OK;
}

status_t bug_campaign_run(char *const *words, const char *database, const char *log,
                          const volatile sig_atomic_t *stop, bug_campaign_t *out_campaign,
                          failure_t *error) {
  *out_campaign = (bug_campaign_t){.cases = g_ptr_array_new_with_free_func(free_case),
                                   .counts = g_ptr_array_new_with_free_func(free_count)};
  status_t status = spawn(words, log, stop, error);
  if (status == STATUS_OK && !g_file_test(database, G_FILE_TEST_EXISTS)) {
    g_autofree char *said = NULL;
    g_file_get_contents(log, &said, NULL, NULL);
    status = status_fail(error, STATUS_IO, "a search left no database: %.200s",
                         said == NULL ? "" : g_strstrip(said));
  }
  if (status == STATUS_OK) status = read_campaign(database, out_campaign, error);
  if (status != STATUS_OK) bug_campaign_deinit(out_campaign);
  return status;
}

/* ---- Which bug it is ------------------------------------------------------------------------- */

static bool is_alike(const known_entry_t *bug, const bug_case_t *found) {
  return public_bug_fits(bug, KNOWN_op, found->op) &&
         public_bug_fits(bug, KNOWN_algorithm, found->algorithm) &&
         public_bug_fits(bug, KNOWN_types, found->types) &&
         public_bug_fits(bug, KNOWN_class, found->class_);
}

static void set_why(char **why, const char *text) {
  g_free(*why);
  *why = g_strdup(text);
}

/* *why says what does not fit, where the answer is no. */
static status_t keeps_conditions(const known_entry_t *bug, const bug_case_t *found, bool *out_keeps,
                                 char **why, failure_t *error) {
  *out_keeps = false;
  if (!public_bug_fits(bug, KNOWN_cause, found->cause)) {
    g_autofree char *text = g_strdup_printf("its cause is \"%s\"", found->cause);
    set_why(why, text);
    return STATUS_OK;
  }
  if (!public_bug_fits(bug, KNOWN_got, found->got) ||
      !public_bug_fits(bug, KNOWN_expected, found->expected)) {
    g_autofree char *text = g_strdup_printf("it got %s for %s", found->got, found->expected);
    set_why(why, text);
    return STATUS_OK;
  }
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  const char *violation;
  status_t status = case_parse(str_from(found->line), &arena, &instance, &violation, error);
  if (status == STATUS_OK) {
    status = where_holds(public_bug_field(bug, PUBLIC_WHERE), &instance, out_keeps, error);
  }
  if (status == STATUS_OK && !*out_keeps) set_why(why, "its cases do not keep the conditions");
  arena_deinit(&arena);
  return status;
}

/* The executor without the bug has to conform on that very case. */
static status_t is_true(const known_entry_t *bug, const bug_case_t *found, executor_t *control,
                        bool *out_is, char **why, failure_t *error) {
  STATUS_TRY(keeps_conditions(bug, found, out_is, why, error));
  if (!*out_is || control == NULL) return STATUS_OK;
  case_trial_t trial;
  STATUS_TRY(case_trial_run(found->line, control, &trial, error));
  *out_is = trial.outcome == OUTCOME_conforms;
  if (!*out_is) {
    g_autofree char *text =
        g_strdup_printf("%s has it too: %s", executor_name(control), trial.words);
    set_why(why, text);
  }
  case_trial_clear(&trial);
  return STATUS_OK;
}

static void count_cases(const bug_campaign_t *campaign, const known_entry_t *bug,
                        bug_answer_t *answer) {
  for (guint i = 0; i < campaign->counts->len; i++) {
    const bug_case_count_t *count = campaign->counts->pdata[i];
    if (!public_bug_fits(bug, KNOWN_op, count->op) ||
        !public_bug_fits(bug, KNOWN_algorithm, count->algorithm) ||
        !public_bug_fits(bug, KNOWN_types, count->types)) {
      continue;
    }
    answer->drawn += count->cases;
    bool is_refused = strcmp(count->outcome, outcome_spelling(OUTCOME_refused)) == 0;
    bool is_idle = strcmp(count->outcome, outcome_spelling(OUTCOME_weak)) == 0 ||
                   strcmp(count->outcome, outcome_spelling(OUTCOME_no_oracle)) == 0;
    if (is_refused) answer->refused += count->cases;
    if (!is_refused && !is_idle) answer->judged += count->cases;
  }
}

status_t bug_campaign_find(const bug_campaign_t *campaign, const known_entry_t *bug,
                           executor_t *control, bug_answer_t *out_answer, failure_t *error) {
  bug_answer_t answer = {0};
  status_t status = STATUS_OK;
  int64_t last_alike = -1;
  count_cases(campaign, bug, &answer);
  for (guint i = 0; i < campaign->cases->len && answer.found == NULL && status == STATUS_OK; i++) {
    const bug_case_t *found = campaign->cases->pdata[i];
    if (!is_alike(bug, found)) continue;
    bool is_it = false;
    status = is_true(bug, found, control, &is_it, &answer.why_not, error);
    if (is_it) answer.found = found;
    answer.alike += !is_it && found->finding != last_alike;
    last_alike = found->finding;
  }
  if (status != STATUS_OK) {
    bug_answer_clear(&answer);
    return status;
  }
  *out_answer = answer;
  return STATUS_OK;
}

void bug_answer_clear(bug_answer_t *answer) {
  g_free(answer->why_not);
  *answer = (bug_answer_t){0};
}
