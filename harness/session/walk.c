/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and closes a session, and walks a case over its executors.  What is drawn, handling
 * failures, keeping findings and answering questions are separate. */
#include "harness/session/session.h"

#include <string.h>

#include "harness/base/clock.h"
#include "harness/kinds/module/module.h"
#include "harness/session/state.h"

enum {
  TICK_NANOSECONDS = 500000000,
  OUTSIDE_PER_PROGRAM_MAX = 4, /* Data by which to tell what an executor does in place of an
                                * algorithm outside its target: some data tell little. */
};

static status_t open_ledger(session_t *session, failure_t *error) {
  const session_options_t *options = &session->options;
  GString *contract = g_string_new(NULL);
  contract_print(&options->contract, contract);
  g_autoptr(GString) strata = g_string_new(NULL);
  if (options->stream.draw_program == NULL) strata_print(&options->stream.gen.strata, strata);
  g_autoptr(GString) data_sets = g_string_new(NULL);
  bool has_turns = options->stream.program_count != 1;
  if (has_turns) data_sets_print(session->stream.options.data_sets, data_sets);
  const store_run_t run = {.command = options->command,
                           .seed = options->stream.seed,
                           .contract = contract->str,
                           .assay_version = options->assay_version,
                           .campaign = options->campaign,
                           .strata = strata->str,
                           .data_sets = data_sets->str,
                           .part_of = options->part_of};
  status_t status = ledger_open(options->store, &run, options->executors, options->executor_count,
                                &session->ledger, error);
  g_string_free(contract, TRUE);
  STATUS_TRY(status);
  session->ledger.twins = options->twins;
  return ledger_describe_constraints(&session->ledger, error);
}

static void session_free(session_t *session) {
  stream_deinit(&session->stream);
  arena_deinit(&session->arena);
  tally_free(session->tally);
  pair_tally_free(session->pairs);
  observation_tally_free(session->observations);
  session_power_deinit(&session->power);
  accuracy_tally_free(session->accuracy);
  finding_set_free(session->findings);
  diagnosis_budget_free(session->causes);
  g_string_free(session->program_line, TRUE);
  g_string_free(session->case_line, TRUE);
  g_free(session->all_contenders);
  g_free(session->standings);
  g_free(session->responses);
  g_free(session->latest);
  g_free(session->follows);
  g_free(session);
}

/* Whether an executor is asked about programs that are forbidden. */
static bool asks_invalid(const session_t *session, size_t executor) {
  return session->options.asks_invalid || executor_validates(session->options.executors[executor]);
}

bool session_asks(const session_t *session, size_t executor, const op_constraint_t *broken) {
  return !op_constraint_is_forbidden(broken) || asks_invalid(session, executor);
}

bool session_takes_part(const session_t *session, size_t executor, const op_constraint_t *broken) {
  return !session->contenders[executor].is_done && !session->standings[executor].has_enough &&
         session_asks(session, executor, broken) &&
         (session->is_module || !session_follows(session, executor));
}

static void open_stream(session_t *session) {
  stream_options_t *options = &session->options.stream;
  options->executor_count = session->options.executor_count;
  options->leaves_out_invalid = true;
  options->gen.contract = &session->options.contract;
  options->draws_dynamic = options->executor_count > 0 && options->draw_program == NULL;
  for (size_t i = 0; i < options->executor_count; i++) {
    if (asks_invalid(session, i)) options->leaves_out_invalid = false;
    if (!executor_takes_dynamic(session->options.executors[i])) options->draws_dynamic = false;
  }
  stream_init(&session->stream, options);
}

static void make_contenders(session_t *session) {
  const session_options_t *options = &session->options;
  size_t count = options->executor_count;
  size_t programs = MAX(options->stream.program_count, 1);
  session->all_contenders = g_new0(contender_t, programs * count);
  for (size_t i = 0; i < programs * count; i++) {
    session->all_contenders[i].executor = options->executors[i % count];
  }
  session->contenders = session->all_contenders;
  session->standings = g_new0(standing_t, count);
}

status_t session_open(const session_options_t *options, session_t **out_session, failure_t *error) {
  session_t *session = g_new0(session_t, 1);
  session->options = *options;
  open_stream(session);
  case_runner_init(&session->walk, &options->contract, options->stream.seed);
  session->walk.predictor = options->predictor;
  session->walk.takes_rough = true;
  case_runner_hold_wide(&session->walk);
  arena_init(&session->arena);
  session->tally = tally_new();
  session->pairs = pair_tally_new();
  session->observations = observation_tally_new();
  session_power_init(&session->power);
  session->accuracy = accuracy_tally_new();
  session->findings = finding_set_new();
  session->causes = diagnosis_budget_new(options->is_thorough);
  session->program_line = g_string_new(NULL);
  session->case_line = g_string_new(NULL);
  make_contenders(session);
  if (options->executor_count > 1 || options->on_answer != NULL) {
    session->responses = g_new0(result_digest_t, options->executor_count);
  }
  if (options->twins != NULL) session->latest = g_new0(verdict_t, options->executor_count);
  session_find_followers(session);
  session->begin = clock_nanoseconds();
  session->next_tick = session->begin + TICK_NANOSECONDS;
  status_t status = open_ledger(session, error);
  if (status != STATUS_OK) {
    session_free(session);
    return status;
  }
  *out_session = session;
  return STATUS_OK;
}

status_t session_close(session_t *session, int exit_code, failure_t *error) {
  if (session == NULL) return STATUS_OK;
  status_t status = session_tell(session, error);
  ledger_set_times(&session->ledger, session_seconds(session), &session->walk.times);
  power_log_write(&session->ledger, &session->power.table);
  accuracy_log_write(&session->ledger, session->accuracy);
  failure_t ignored;
  status_t closed =
      ledger_close(&session->ledger, session->tally, session->pairs, session->observations,
                   exit_code, status == STATUS_OK ? error : &ignored);
  if (status == STATUS_OK) status = closed;
  session_free(session);
  return status;
}

/* A library linked with -Ofast switches the process to flush-to-zero when it is loaded: a finding
 * of its own, told with the first case that the executor gets. */
static status_t check_load(session_t *session, size_t executor, const case_t *instance,
                           const case_origin_t *origin, failure_t *error) {
  standing_t *standing = &session->standings[executor];
  if (standing->load_checked) return STATUS_OK;
  standing->load_checked = true;
  if (!executor_load_changed_environment(session->options.executors[executor])) return STATUS_OK;
  static const char what[] = "loading the backend changed the floating-point environment";
  verdict_t verdict = {.outcome = OUTCOME_diverges, .class_ = CLASS_environment};
  g_strlcpy(verdict.reason, what, sizeof verdict.reason);
  hash_text_t signature = hash_of(what, sizeof what - 1);
  const occurrence_t occurrence = {executor, instance, origin, &verdict, &signature, NULL, 0};
  return session_record_finding(session, &occurrence, error);
}

static void update_contender(session_t *session, size_t executor, const verdict_t *verdict,
                             const op_constraint_t *broken) {
  contender_t *contender = &session->contenders[executor];
  if (verdict->outcome == OUTCOME_refused) {
    contender->is_done = true;
  } else if (case_runner_is_settled(&contender->preparation, broken)) {
    bool is_observed = verdict->has_algorithms && ++contender->observed < OUTSIDE_PER_PROGRAM_MAX;
    contender->is_done = !is_observed;
  } else if (verdict->outcome == OUTCOME_failed) {
    contender->is_prepared = false;
    contender->is_done = ++contender->failures >= SESSION_FAILURES_PER_PROGRAM_MAX;
    session->standings[executor].given_up += contender->is_done;
  }
}

/* A part of something larger is another finding than the case by itself. */
static void sign_part(const session_t *session, hash_text_t *inout_signature) {
  if (session->part == NULL) return;
  GString *text = g_string_new(NULL);
  g_string_printf(text, "%s %s %s", session->part->op, session->part->algorithm,
                  inout_signature->text);
  *inout_signature = hash_of(text->str, text->len);
  g_string_free(text, TRUE);
}

static void begin_case(session_t *session) {
  session->has_figures = false;
  session->oracle_share = 0;
}

/* Before the arena is rewound. */
static void keep_results(const session_t *session, const program_t *program) {
  if (session->part == NULL || session->part->results == NULL) return;
  const evidence_t *evidence = &session->walk.evidence;
  for (uint32_t i = 0; i < program->result_count; i++) {
    tensor_t *kept = &session->part->results[i];
    *kept = (tensor_t){.type = program->results[i]};
    if (!evidence->is_judged) continue;
    *kept = tensor_make(session->part->arena, &program->results[i]);
    memcpy(kept->data, evidence->results[i].data, type_bytes(&kept->type));
  }
}

static status_t walk_executor(session_t *session, size_t index, const expectation_t *expectation,
                              const case_origin_t *origin, verdict_t *out_verdict,
                              failure_t *error) {
  const case_t *instance = expectation->instance;
  contender_t *contender = &session->contenders[index];
  STATUS_TRY(check_load(session, index, instance, origin, error));
  result_digest_t *response = session->responses == NULL ? NULL : &session->responses[index];
  arena_mark_t mark = arena_mark(&session->arena);
  const case_runner_times_t before = session->walk.times;
  status_t status = case_runner_run_prepared(&session->walk, expectation, &contender->preparation,
                                             out_verdict, response, error);
  const case_runner_times_t times = session_take_times(session, index, &before);
  if (status == STATUS_OK) session_hold_against_twin(session, index, instance, out_verdict);
  bool is_finding =
      out_verdict->outcome == OUTCOME_diverges || out_verdict->outcome == OUTCOME_failed;
  hash_text_t signature;
  expectation_t refined;
  if (status == STATUS_OK && is_finding) {
    refined = *expectation;
    status = expectation_refine(&refined, &session->walk.contract, error);
  }
  if (status == STATUS_OK && is_finding) {
    const cause_question_t cause = cause_decide(&session->walk, instance, &refined);
    const diagnosis_question_t question = {.executor = index,
                                           .label = &session->label,
                                           .cause = &cause,
                                           .walk = &session->walk,
                                           .expectation = &refined};
    status = diagnosis_budget_explain(session->causes, &question, &session->arena, out_verdict,
                                      &signature, error);
    sign_part(session, &signature);
  }
  if (status == STATUS_OK) keep_results(session, &instance->program);
  if (status == STATUS_OK) status = session_measure_power(session, expectation, out_verdict, error);
  STATUS_TRY(status);
  session_count_case(session, index, expectation, origin, out_verdict, &times);
  session_answer_t answer = {.executor = index,
                             .instance = instance,
                             .label = &session->label,
                             .verdict = out_verdict,
                             .response = response};
  if (is_finding) {
    const occurrence_t occurrence = {index,      instance, origin,        out_verdict,
                                     &signature, &refined, times.executor};
    STATUS_TRY(session_record_finding(session, &occurrence, error));
    answer.signature = &signature;
  }
  arena_rewind(&session->arena, mark);
  update_contender(session, index, out_verdict, expectation->broken);
  session_note_answer(session, index, out_verdict);
  if (session->options.on_answer == NULL) return STATUS_OK;
  return session->options.on_answer(session->options.hook_context, session, &answer, error);
}

static void prepare_contender(session_t *session, contender_t *contender, const program_t *program,
                              const op_constraint_t *broken) {
  uint64_t before = session->walk.times.compile;
  case_runner_prepare(&session->walk, program, broken, contender->executor,
                      &contender->preparation);
  contender->is_prepared = true;
  contender->compiling += session->walk.times.compile - before;
}

/* Prepares whoever is not, and counts who gets the case; true if somebody is going to execute, so
 * that the oracle is needed. */
static bool prepare_contenders(session_t *session, const program_t *program,
                               const op_constraint_t *broken, size_t *out_count) {
  bool someone_executes = false;
  *out_count = 0;
  for (size_t i = 0; i < session->options.executor_count; i++) {
    contender_t *contender = &session->contenders[i];
    if (!session_takes_part(session, i, broken)) continue;
    ++*out_count;
    if (!contender->is_prepared) prepare_contender(session, contender, program, broken);
    someone_executes |= case_runner_is_executed(&contender->preparation, program, broken);
  }
  return someone_executes;
}

void session_begin_program(session_t *session, const program_t *program) {
  session->is_module = program_is_module(program);
  session->label = tally_label(session->tally, program);
  for (size_t i = 0; i < session->options.executor_count; i++) {
    executor_t *executor = session->options.executors[i];
    session->contenders[i] = (contender_t){.executor = executor};
  }
}

/* `executors`: that get the case. */
static status_t expect(session_t *session, const case_t *instance, const op_constraint_t *broken,
                       size_t executors, expectation_t *out_expectation, failure_t *error) {
  uint64_t before = session->walk.times.oracle;
  status_t status =
      case_runner_expect(&session->walk, instance, broken, &session->arena, out_expectation, error);
  session->oracle_share = (session->walk.times.oracle - before) / MAX(executors, 1);
  if (status != STATUS_OK) session_note_bug(session, instance);
  return status;
}

static status_t tick(session_t *session, failure_t *error) {
  uint64_t now = clock_nanoseconds();
  if (now >= session->next_telling) STATUS_TRY(session_tell(session, error));
  if (now < session->next_tick) return STATUS_OK;
  session->next_tick = now + TICK_NANOSECONDS;
  if (session->options.on_tick != NULL) {
    session->options.on_tick(session->options.hook_context, session);
  }
  ledger_set_times(&session->ledger, session_seconds(session), &session->walk.times);
  power_log_write(&session->ledger, &session->power.table);
  accuracy_log_write(&session->ledger, session->accuracy);
  return ledger_write(&session->ledger, session->tally, session->pairs, session->observations,
                      error);
}

/* What is said of an executor that does not get the case. */
static void say_not_asked(const session_t *session, size_t executor, verdict_t *out_verdict) {
  const char *why = session_follows(session, executor)
                        ? "not run: as a twin it is asked about modules alone"
                        : "not run: it does not declare that it validates programs";
  *out_verdict = (verdict_t){.outcome = OUTCOME_refused};
  g_strlcpy(out_verdict->reason, why, sizeof out_verdict->reason);
}

status_t session_walk_case(session_t *session, const case_t *instance,
                           const op_constraint_t *broken, const case_origin_t *origin,
                           verdict_t *out_verdicts, failure_t *error) {
  arena_reset(&session->arena);
  broken = program_broken_under(&instance->program, broken, &session->options.contract);
  expectation_t expectation = {.instance = instance, .arena = &session->arena, .broken = broken};
  size_t count = 0;
  begin_case(session);
  if (prepare_contenders(session, &instance->program, broken, &count)) {
    STATUS_TRY(expect(session, instance, broken, count, &expectation, error));
  }
  verdict_t verdict;
  for (size_t i = 0; i < session->options.executor_count; i++) {
    if (session->responses != NULL) session->responses[i].has_results = false;
    verdict_t *out_verdict = out_verdicts == NULL ? &verdict : &out_verdicts[i];
    if (session_takes_part(session, i, broken)) {
      STATUS_TRY(walk_executor(session, i, &expectation, origin, out_verdict, error));
    } else {
      say_not_asked(session, i, out_verdict);
    }
    if (session->latest != NULL) session->latest[i] = *out_verdict;
  }
  if (session->options.executor_count > 1) {
    pair_tally_add(session->pairs, &session->label, session->responses,
                   session->options.executor_count);
    session_keep_changed_bits(session, instance);
  }
  session->cases++;
  STATUS_TRY(session_take_aftermaths(session, error));
  return tick(session, error);
}

status_t session_walk(session_t *session, const case_t *instance, const op_constraint_t *broken,
                      verdict_t *out_verdicts, failure_t *error) {
  const case_origin_t origin = {.regime = "", .stratum = ""};
  session_begin_program(session, &instance->program);
  return session_walk_case(session, instance, broken, &origin, out_verdicts, error);
}

status_t session_walk_part(session_t *session, const case_t *instance, const session_part_t *part,
                           verdict_t *out_verdict, failure_t *error) {
  const case_origin_t origin = {.regime = "", .stratum = ""};
  const program_t *program = &instance->program;
  contender_t *contender = &session->contenders[part->executor];
  arena_reset(&session->arena);
  session_begin_program(session, program);
  session->label = tally_label_named(session->tally, program, part->op, part->algorithm);
  session->part = part;
  begin_case(session);
  prepare_contender(session, contender, program, NULL);
  expectation_t expectation = {.instance = instance, .arena = &session->arena, .broken = NULL};
  status_t status = STATUS_OK;
  if (case_runner_is_executed(&contender->preparation, program, NULL)) {
    status = expect(session, instance, NULL, 1, &expectation, error);
  }
  if (status == STATUS_OK) {
    status = walk_executor(session, part->executor, &expectation, &origin, out_verdict, error);
  }
  session->part = NULL;
  session->cases++;
  if (status == STATUS_OK) status = session_take_aftermaths(session, error);
  return status == STATUS_OK ? tick(session, error) : status;
}
