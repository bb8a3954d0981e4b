/* SPDX-License-Identifier: Apache-2.0 */
/* The two promises (oracles/theory.md, T91 and T92): every planted fault is found, within so many
 * cases and classed as what it is; and no model, conforming by construction, is ever reported. */
#include <inttypes.h>

#include "harness/session/session.h"
#include "oracles/oracle.h"
#include "tests/campaign/canaries/canary_list.h"

/* The sanitizers look at code, and see it in fewer cases. */
#ifdef ASSAY_SANITIZE
enum { MODEL_CASES = 4000, MODEL_CASES_BY_NIGHT = 4000 };
#else
enum { MODEL_CASES = 4000, MODEL_CASES_BY_NIGHT = 15000 };
#endif

/* How far a fault is followed, to tell of which class most of its cases are: until so many diverge,
 * or so many are drawn.  As far as at night takes four times as long:
 * few cases are enough for all but some ten faults, which are then followed so far. */
typedef struct pursuit {
  uint64_t diverging;
  uint64_t cases;
  uint64_t dear_cases; /* Of composite and gathering ops, of which most cases show their faults. */
} pursuit_t;

#ifdef ASSAY_SANITIZE
static const pursuit_t by_day = {.diverging = 60, .cases = 600, .dear_cases = 60};
#else
static const pursuit_t by_day = {.diverging = 25, .cases = 800, .dear_cases = 60};
#endif
static const pursuit_t by_night = {.diverging = 150, .cases = 6000, .dear_cases = 600};

/* tests/nightly/canaries */
static bool is_night(void) { return g_getenv("ASSAY_NIGHT_CANARIES") != NULL; }

/* tests/search looks for these. */
static const char *const hard_canaries[] = {
#define CANARY(name, contract, ops, within) "canary:" name,
#include "generated/all_hard_canaries.def"
#include "tests/campaign/canaries/hard_canaries.def"
#undef CANARY
};

/* What a session is watched for. */
typedef struct watch {
  uint64_t first;     /* Case of the first finding, from 1; 0: none. */
  uint64_t diverging; /* Cases so far, */
  uint64_t enough;    /* and so many are asked for, or those of so many cases, one at least. */
  uint64_t cases;
  volatile sig_atomic_t stop;
} watch_t;

static void note_finding(void *context, const session_t *session, const finding_t *finding) {
  (void)finding;
  watch_t *watch = context;
  if (watch->first == 0) watch->first = session_cases(session);
}

static status_t note_answer(void *context, const session_t *session, const session_answer_t *answer,
                            failure_t *error) {
  (void)error;
  watch_t *watch = context;
  if (answer->verdict->class_ != CLASS_none) watch->diverging++;
  bool is_late = watch->diverging > 0 && session_cases(session) >= watch->cases;
  if (watch->diverging >= watch->enough || is_late) watch->stop = 1;
  return STATUS_OK;
}

/* Small cases, so that many can be run: most faults do not need large ones. */
static session_options_t make_options(executor_t *const *executors, size_t count,
                                      const char *contract) {
  session_options_t options = {.stream = {.ops = op_all(), .gen = gen_options_default(), .seed = 1},
                               .executors = executors,
                               .executor_count = count,
                               .command = "test",
                               .assay_version = "test"};
  while (op_all()[options.stream.op_count] != NULL) options.stream.op_count++;
  options.stream.gen.limits = (draw_limits_t){.rank_max = 4, .elements_max = 64, .terms_max = 24};
  failure_t error = {0};
  if (contract_parse(str_from(contract), &options.contract, &error) != STATUS_OK) {
    g_error("%s: %s", contract, error.text);
  }
  return options;
}

static session_t *run_session(const session_options_t *options) {
  session_t *session = NULL;
  failure_t error = {0};
  if (session_open(options, &session, &error) != STATUS_OK ||
      session_run(session, &error) != STATUS_OK) {
    g_error("%s: %s", error.text, session == NULL ? "" : session_bug_case(session));
  }
  return session;
}

/* By cases: a finding has the class of its first case, and its cause may show in several. */
static divergence_class_t most_frequent_class(const session_t *session) {
  uint64_t cases[CLASS_COUNT] = {0};
  tally_t *tally = session_tally(session);
  for (size_t i = 0; i < tally_count(tally); i++) {
    const tally_row_t *row = tally_at(tally, i);
    cases[row->class_] += row->class_ == CLASS_none ? 0 : row->cases;
  }
  int most = CLASS_none;
  for (int i = 0; i < CLASS_COUNT; i++) most = cases[i] > cases[most] ? i : most;
  return (divergence_class_t)most;
}

/* What came of it: the first case that diverged, 0 if none did, and the class of most. */
typedef struct caught {
  uint64_t first;
  divergence_class_t class_;
} caught_t;

static caught_t pursue_canary(const canary_t *canary, const pursuit_t *pursuit) {
  executor_t *executor = canary_open(canary->name);
  session_options_t options = make_options(&executor, 1, canary->contract);
  const op_t *ops[CANARY_OPS_MAX];
  options.stream.ops = ops;
  options.stream.op_count = canary_find_ops(canary->ops, ops);
  g_assert_cmpuint(options.stream.op_count, >, 0);
  if (canary->is_large) {
    options.stream.gen.limits = gen_options_default().limits;
    options.stream.gen.strata.shares[canary->stratum] = 1;
  }
  bool is_dear =
      ops[0]->is_composite || ops[0]->is_compound || oracle_find(ops[0])->gathering != NULL;
  watch_t watch = {.enough = canary->is_large ? 1 : pursuit->diverging,
                   .cases = is_dear ? pursuit->dear_cases : pursuit->cases};
  if (canary->is_large) watch.cases = 0;
  options.on_finding = note_finding;
  options.on_answer = note_answer;
  options.stop = &watch.stop;
  options.hook_context = &watch;
  options.draws_max = MAX(watch.cases, canary->within);
  session_t *session = run_session(&options);
  const caught_t caught = {.first = watch.first, .class_ = most_frequent_class(session)};
  g_test_message("%s: found by case %" PRIu64 " of %" PRIu64 ", class %s, %zu findings",
                 canary->name, watch.first, options.draws_max, class_spelling(caught.class_),
                 session_finding_count(session));
  session_close(session, 0, NULL);
  executor_close(executor);
  return caught;
}

#ifndef ASSAY_SANITIZE /* Too few cases to tell the most frequent class. */
static bool has_class(const canary_t *canary, divergence_class_t class_) {
  return canary->is_large || class_ == canary->class_ || class_ == canary->other_class;
}

static void check_class(const canary_t *canary, caught_t caught) {
  if (!has_class(canary, caught.class_)) caught = pursue_canary(canary, &by_night);
  if (has_class(canary, caught.class_)) return;
  g_assert_cmpstr(class_spelling(caught.class_), ==, class_spelling(canary->class_));
}
#else
static void check_class(const canary_t *canary, caught_t caught) {
  (void)canary;
  (void)caught;
}
#endif

static void test_canary(gconstpointer data) {
  const canary_t *canary = (const canary_t *)data;
  caught_t caught = pursue_canary(canary, is_night() ? &by_night : &by_day);
  g_assert_cmpuint(caught.first, >, 0);
  g_assert_cmpuint(caught.first, <=, canary->within);
  check_class(canary, caught);
}

/* A row may have options after the name. */
static bool is_row_of(const char *row, const char *name) {
  size_t length = strlen(name);
  return strncmp(row, name, length) == 0 && (row[length] == '\0' || row[length] == '+');
}

static bool has_row(const char *name) {
  for (size_t i = 0; i < G_N_ELEMENTS(canaries); i++) {
    if (is_row_of(canaries[i].name, name)) return true;
  }
  for (size_t i = 0; i < G_N_ELEMENTS(hard_canaries); i++) {
    if (strcmp(hard_canaries[i], name) == 0) return true;
  }
  return false;
}

/* No fault may be without a row. */
static void test_every_fault_has_a_row(void) {
  GString *names = g_string_new(NULL);
  builtin_list(names);
  char **lines = g_strsplit(names->str, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    if (!g_str_has_prefix(*line, "canary:")) continue;
    if (!has_row(*line)) g_test_message("%s has no row in any canaries.def", *line);
    g_assert_true(has_row(*line));
  }
  g_strfreev(lines);
  g_string_free(names, TRUE);
}

static GPtrArray *open_models(void) {
  GPtrArray *models = g_ptr_array_new();
  GString *names = g_string_new(NULL);
  builtin_list(names);
  char **lines = g_strsplit(names->str, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    if (g_str_has_prefix(*line, "model:")) g_ptr_array_add(models, canary_open(*line));
  }
  g_strfreev(lines);
  g_string_free(names, TRUE);
  return models;
}

static void test_models_are_silent(void) {
  GPtrArray *models = open_models();
  session_options_t options =
      make_options((executor_t *const *)models->pdata, models->len, "backend");
  options.draws_max = is_night() ? MODEL_CASES_BY_NIGHT : MODEL_CASES;
  session_t *session = run_session(&options);
  for (size_t i = 0; i < session_finding_count(session); i++) {
    const finding_t *finding = session_finding(session, i);
    g_test_message("%s: %s: %s", executor_name(options.executors[finding->executor]),
                   class_spelling(finding->verdict.class_), finding->case_line);
  }
  g_test_message("%u models, %d cases each: %" PRIu64 " conform, %" PRIu64 " weak, %" PRIu64
                 " without oracle; %" PRIu64 " components audited; %.1f s",
                 models->len, (int)options.draws_max,
                 tally_cases(session_tally(session), OUTCOME_conforms),
                 tally_cases(session_tally(session), OUTCOME_weak),
                 tally_cases(session_tally(session), OUTCOME_no_oracle), session_audited(session),
                 session_seconds(session));
  g_assert_cmpuint(session_finding_count(session), ==, 0);
  g_assert_cmpuint(tally_cases(session_tally(session), OUTCOME_conforms), >,
                   options.draws_max * models->len * 3 / 4);
  session_close(session, 0, NULL);
  for (guint i = 0; i < models->len; i++) executor_close((executor_t *)models->pdata[i]);
  g_ptr_array_unref(models);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/canaries/every_fault_has_a_row", test_every_fault_has_a_row);
  for (size_t i = 0; i < G_N_ELEMENTS(canaries); i++) {
    if (canaries[i].is_nightly && !is_night()) continue;
    char *path =
        g_strdup_printf("/canaries/%s%s", canaries[i].ops, canaries[i].name + strlen("canary"));
    g_test_add_data_func(path, &canaries[i], test_canary);
    g_free(path);
  }
  g_test_add_func("/models/silent", test_models_are_silent);
  return g_test_run();
}
