/* SPDX-License-Identifier: Apache-2.0 */
/* Groups stored cases by executor and contract, opens one session for each group, and runs every
 * case again. The strongest evidence decides: a finding counts as gone only if every case of it
 * was judged and is fine. */
#include "harness/retest/retest.h"

#include <stdio.h>
#include <string.h>

#include "harness/diagnose/cause.h"
#include "harness/predict/prediction.h"
#include "harness/retest/findings.h"
#include "harness/session/bit_history.h"
#include "harness/store/life.h"

/* The cases of one executor that are judged under one contract are a run. */
typedef struct retest_session {
  char *contract; /* As text; owned, like the rest. */
  size_t executor;
  session_t *session;
  prediction_t *prediction; /* NULL unless the contract is `identified`. */
} retest_session_t;

struct retest {
  retest_options_t options;
  GPtrArray *rows;     /* retest_row_t, owned. */
  GPtrArray *sessions; /* retest_session_t, owned. */
  arena_t arena;       /* Of the present case. */
  size_t done;
  size_t skipped;
  const char *bug_case; /* Borrowed from a session. */
  /* What the present walk gave. */
  verdict_t verdict;
  char signature[HASH_TEXT_BYTES];
};

const char *retest_result_spelling(retest_result_t result) {
  static const char *const spellings[] = {[RETEST_STILL] = "still",
                                          [RETEST_CHANGED] = "changed",
                                          [RETEST_GONE] = "gone",
                                          [RETEST_NOT_RUN] = "not-run"};
  return spellings[result];
}

/* ---- Sessions -------------------------------------------------------------------------------- */

static status_t note_answer(void *context, const session_t *session, const session_answer_t *answer,
                            failure_t *error) {
  (void)error;
  retest_t *retest = context;
  retest->verdict = *answer->verdict;
  g_strlcpy(retest->signature, answer->signature == NULL ? "" : answer->signature->text,
            sizeof retest->signature);
  bit_history_add(retest->options.store, session, answer);
  return STATUS_OK;
}

static status_t open_predictor(retest_t *retest, retest_session_t *opened,
                               session_options_t *options, failure_t *error) {
  if (PERMITTED(&options->contract, bits) != BITS_IDENTIFIED) return STATUS_OK;
  const prediction_options_t prediction = {.database = retest->options.database,
                                           .executors = options->executors,
                                           .executor_count = options->executor_count};
  STATUS_TRY(prediction_open(&prediction, &opened->prediction, error));
  options->predictor = prediction_predictor(opened->prediction);
  return STATUS_OK;
}

static status_t open_session(retest_t *retest, retest_session_t *opened, failure_t *error) {
  session_options_t options = {.stream = {.seed = 1},
                               .is_thorough = true,
                               .executors = &retest->options.executors[opened->executor],
                               .executor_count = 1,
                               .store = retest->options.store,
                               .command = retest->options.command,
                               .assay_version = retest->options.assay_version,
                               .on_answer = note_answer,
                               .hook_context = retest};
  STATUS_TRY(contract_parse(str_from(opened->contract), &options.contract, error));
  STATUS_TRY(open_predictor(retest, opened, &options, error));
  return session_open(&options, &opened->session, error);
}

/* The session for an executor and a contract; opened when it is first needed. */
static status_t find_session(retest_t *retest, size_t executor, const char *contract,
                             retest_session_t **out_session, failure_t *error) {
  for (guint i = 0; i < retest->sessions->len; i++) {
    retest_session_t *known = g_ptr_array_index(retest->sessions, i);
    if (known->executor != executor || strcmp(known->contract, contract) != 0) continue;
    *out_session = known;
    return STATUS_OK;
  }
  retest_session_t *opened = g_new0(retest_session_t, 1);
  opened->contract = g_strdup(contract);
  opened->executor = executor;
  g_ptr_array_add(retest->sessions, opened);
  STATUS_TRY(open_session(retest, opened, error));
  *out_session = opened;
  return STATUS_OK;
}

/* ---- One finding ----------------------------------------------------------------------------- */

/* Better evidence first: one case that diverges as before outweighs all others, and one that nobody
 * could judge outweighs those that are fine. */
static bool outweighs(retest_result_t a, retest_result_t b) {
  static const int weights[] = {
      [RETEST_STILL] = 3, [RETEST_CHANGED] = 2, [RETEST_NOT_RUN] = 1, [RETEST_GONE] = 0};
  return weights[a] > weights[b];
}

/* Where the finding is that a program was accepted, or a promised one refused, to refuse it without
 * a promise is as good as a right result. */
static bool refusing_is_right(const retest_row_t *row) {
  static const divergence_class_t classes[] = {CLASS_invalid_accepted, CLASS_unsupported_accepted,
                                               CLASS_supported_refused};
  for (size_t i = 0; i < G_N_ELEMENTS(classes); i++) {
    if (strcmp(row->class_, class_spelling(classes[i])) == 0) return true;
  }
  return false;
}

/* Where the finding is a crash or another failure, whatever comes without one is fine. */
static bool failing_is_all(const retest_row_t *row) {
  return strcmp(row->outcome, outcome_spelling(OUTCOME_failed)) == 0;
}

/* The same kind of divergence, of which nobody is sure that it has another cause: a campaign takes
 * some cases unseen for those of a finding, and knows more causes than one case can establish. */
static bool is_alike(const retest_t *retest, const retest_row_t *row) {
  const verdict_t *verdict = &retest->verdict;
  bool is_same_kind = strcmp(row->outcome, outcome_spelling(verdict->outcome)) == 0 &&
                      strcmp(row->class_, class_spelling(verdict->class_)) == 0;
  bool has_other_cause =
      verdict->is_cause_sure && row->cause[0] != '\0' && strcmp(row->cause, verdict->cause) != 0;
  return is_same_kind && cause_is_sought(verdict) && !has_other_cause;
}

static retest_result_t judge_walk(const retest_t *retest, const retest_row_t *row) {
  if (strcmp(retest->signature, row->signature) == 0) return RETEST_STILL;
  if (retest->signature[0] != '\0') return is_alike(retest, row) ? RETEST_STILL : RETEST_CHANGED;
  if (retest->verdict.outcome == OUTCOME_conforms) return RETEST_GONE;
  if (failing_is_all(row)) return RETEST_GONE;
  bool is_refused = retest->verdict.outcome == OUTCOME_refused;
  return is_refused && refusing_is_right(row) ? RETEST_GONE : RETEST_NOT_RUN;
}

static void take_walk(const retest_t *retest, const retest_case_t *kept, retest_result_t result,
                      retest_row_t *row) {
  row->result = result;
  row->seen_outcome = retest->verdict.outcome;
  row->seen_class = retest->verdict.class_;
  g_strlcpy(row->seen_signature, retest->signature, sizeof row->seen_signature);
  g_strlcpy(row->reason, retest->verdict.reason, sizeof row->reason);
  g_free(row->case_line);
  row->case_line = g_strdup(kept->case_line);
  g_free(row->contract);
  row->contract = g_strdup(kept->contract);
}

static bool is_class(const retest_row_t *row, divergence_class_t class_) {
  return strcmp(row->class_, class_spelling(class_)) == 0;
}

static bool is_stopped(const retest_t *retest) {
  return retest->options.stop != NULL && *retest->options.stop != 0;
}

/* A case line of an older Assay that this one does not read any more. */
static void note_unreadable(const failure_t *error, retest_row_t *row) {
  if (!outweighs(RETEST_NOT_RUN, row->result)) return;
  row->result = RETEST_NOT_RUN;
  snprintf(row->reason, sizeof row->reason, "a case of it cannot be read: %.140s", error->text);
}

/* Under the names that the finding has, so that it gets the same signature. */
static status_t walk_named(session_t *session, const case_t *instance,
                           const op_constraint_t *broken, const retest_row_t *row,
                           failure_t *error) {
  if (strcmp(row->op, instance->program.op->name) == 0 || broken != NULL) {
    return session_walk(session, instance, broken, NULL, error);
  }
  const session_part_t part = {.op = row->op, .algorithm = row->algorithm};
  verdict_t verdict;
  return session_walk_part(session, instance, &part, &verdict, error);
}

/* Walks one case, several times if the finding is that it is not always the same. */
static status_t walk_case(retest_t *retest, const retest_case_t *kept, retest_row_t *row,
                          failure_t *error) {
  arena_reset(&retest->arena);
  case_t instance;
  const char *violation = NULL;
  failure_t unreadable = {0};
  if (case_parse(str_from(kept->case_line), &retest->arena, &instance, &violation, &unreadable) !=
      STATUS_OK) {
    note_unreadable(&unreadable, row);
    return STATUS_OK;
  }
  const op_constraint_t *broken = op_constraint_find(instance.program.op, violation);
  retest_session_t *found = NULL;
  STATUS_TRY(find_session(retest, row->executor, kept->contract, &found, error));
  unsigned repeats = is_class(row, CLASS_nondeterministic) ? retest->options.repeats : 1;
  row->cases++;
  for (unsigned i = 0; i < repeats && !is_stopped(retest); i++) {
    status_t status = walk_named(found->session, &instance, broken, row, error);
    if (status != STATUS_OK) {
      retest->bug_case = session_bug_case(found->session);
      return status;
    }
    row->executions += 2; /* A walk executes twice. */
    retest_result_t result = judge_walk(retest, row);
    if (row->executions == 2 || outweighs(result, row->result)) {
      take_walk(retest, kept, result, row);
    }
    if (result == RETEST_STILL) break;
  }
  return STATUS_OK;
}

/* Why its cases are not to be run, or NULL. */
static const char *obstacle(const retest_row_t *row) {
  if (is_class(row, CLASS_invariance)) return "found by assay invariance: run that again";
  if (is_class(row, CLASS_twins)) return "found by assay run --twins: run that again";
  return NULL;
}

static void store_row(const retest_t *retest, const retest_row_t *row) {
  bool ran = row->cases > 0;
  const store_retest_t stored = {.run_id = row->run_id,
                                 .executor_id = row->executor_id,
                                 .signature = row->signature,
                                 .result = retest_result_spelling(row->result),
                                 .cases = row->cases,
                                 .executions = row->executions,
                                 .outcome = ran ? outcome_spelling(row->seen_outcome) : "",
                                 .class = ran ? class_spelling(row->seen_class) : "",
                                 .seen_signature = row->seen_signature,
                                 .reason = row->reason};
  store_add_retest(retest->options.store, &stored);
}

/* Stores what came of a finding, in the run for the contract of its first case. */
static status_t finish_row(retest_t *retest, retest_row_t *row, const char *contract,
                           failure_t *error) {
  retest_session_t *found = NULL;
  STATUS_TRY(find_session(retest, row->executor, contract, &found, error));
  row->run_id = session_run_id(found->session);
  row->executor_id = session_executor_id(found->session, 0);
  row->is_done = true;
  store_row(retest, row);
  return store_tick(retest->options.store, error);
}

static status_t walk_cases(retest_t *retest, const GPtrArray *cases, retest_row_t *row,
                           failure_t *error) {
  const char *reason = cases->len == 0 ? "no case of it is kept" : obstacle(row);
  row->result = reason != NULL ? RETEST_NOT_RUN : RETEST_GONE;
  if (reason != NULL) {
    g_strlcpy(row->reason, reason, sizeof row->reason);
  } else {
    for (guint i = 0; i < cases->len && !is_stopped(retest); i++) {
      STATUS_TRY(walk_case(retest, g_ptr_array_index(cases, i), row, error));
    }
  }
  if (is_stopped(retest) || cases->len == 0) return STATUS_OK;
  const retest_case_t *first = g_ptr_array_index(cases, 0);
  return finish_row(retest, row, first->contract, error);
}

static status_t retest_finding(retest_t *retest, retest_row_t *row, failure_t *error) {
  GPtrArray *cases;
  STATUS_TRY(retest_read_cases(retest->options.database, row->id, &cases, error));
  if (retest->options.contract != NULL) {
    g_autoptr(GString) contract = g_string_new(NULL);
    contract_print(retest->options.contract, contract);
    for (guint i = 0; i < cases->len; i++) {
      retest_case_t *kept = g_ptr_array_index(cases, i);
      g_free(kept->contract);
      kept->contract = g_strdup(contract->str);
    }
  }
  status_t status = walk_cases(retest, cases, row, error);
  g_ptr_array_unref(cases);
  return status;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* Whether any case of this retest showed the finding. */
static bool was_seen(const retest_t *retest, const retest_row_t *row) {
  for (guint i = 0; i < retest->sessions->len; i++) {
    const retest_session_t *opened = g_ptr_array_index(retest->sessions, i);
    if (opened->executor != row->executor) continue;
    for (size_t k = 0; k < session_finding_count(opened->session); k++) {
      const finding_t *finding = session_finding(opened->session, k);
      if (strcmp(finding->signature.text, row->signature) == 0) return true;
    }
  }
  return false;
}

/* What is seen at the end of an executor is seen once, whatever the case. */
static status_t shut_executors(const retest_t *retest, failure_t *error) {
  for (guint i = 0; i < retest->sessions->len; i++) {
    const retest_session_t *opened = g_ptr_array_index(retest->sessions, i);
    STATUS_TRY(session_shut_executors(opened->session, error));
  }
  return STATUS_OK;
}

/* What its own cases do not show any more, a case of another finding may; and that loading a
 * backend changes the environment is seen once, whatever the case. */
static void look_elsewhere(const retest_t *retest) {
  for (guint i = 0; i < retest->rows->len; i++) {
    retest_row_t *row = g_ptr_array_index(retest->rows, i);
    if (!row->is_done || row->result == RETEST_STILL || !was_seen(retest, row)) continue;
    row->result = RETEST_STILL;
    g_strlcpy(row->reason, "another case, or the end of the executor, shows it",
              sizeof row->reason);
    store_row(retest, row);
  }
}

status_t retest_run(retest_t *retest, failure_t *error) {
  for (guint i = 0; i < retest->rows->len && !is_stopped(retest); i++) {
    retest_row_t *row = g_ptr_array_index(retest->rows, i);
    STATUS_TRY(retest_finding(retest, row, error));
    if (!row->is_done) continue;
    retest->done++;
    if (retest->options.on_row != NULL) retest->options.on_row(retest->options.context, row);
  }
  STATUS_TRY(shut_executors(retest, error));
  look_elsewhere(retest);
  STATUS_TRY(store_flush(retest->options.store, error));
  return retest_read_states(&retest->options, retest->rows, error);
}

status_t retest_open(const retest_options_t *options, retest_t **out_retest, failure_t *error) {
  retest_t *retest = g_new0(retest_t, 1);
  retest->options = *options;
  retest->bug_case = "";
  status_t status = retest_read_findings(options, &retest->rows, &retest->skipped, error);
  if (status != STATUS_OK) {
    g_free(retest);
    return status;
  }
  retest->sessions = g_ptr_array_new_with_free_func(g_free);
  arena_init(&retest->arena);
  *out_retest = retest;
  return STATUS_OK;
}

status_t retest_close(retest_t *retest, int exit_code, failure_t *error) {
  if (retest == NULL) return STATUS_OK;
  status_t status = STATUS_OK;
  for (guint i = 0; i < retest->sessions->len; i++) {
    retest_session_t *opened = g_ptr_array_index(retest->sessions, i);
    status_t closed = session_close(opened->session, exit_code, error);
    if (closed != STATUS_OK) status = closed;
    prediction_close(opened->prediction);
    g_free(opened->contract);
  }
  g_ptr_array_unref(retest->sessions);
  g_ptr_array_unref(retest->rows);
  arena_deinit(&retest->arena);
  g_free(retest);
  return status;
}

const char *retest_bug_case(const retest_t *retest) { return retest->bug_case; }

size_t retest_count(const retest_t *retest) { return retest->rows->len; }

const retest_row_t *retest_row(const retest_t *retest, size_t index) {
  return g_ptr_array_index(retest->rows, index);
}

size_t retest_done(const retest_t *retest) { return retest->done; }

size_t retest_skipped(const retest_t *retest) { return retest->skipped; }
