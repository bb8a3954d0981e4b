#include "harness/run/session.h"

#include <string.h>

#include "harness/run/clock.h"
#include "harness/run/session_parts.h"

enum {
  TICK_NANOSECONDS = 500000000,
  FAILURES_PER_PROGRAM_MAX = 3, /* A program that hangs costs the time limit each time. */
  OUTSIDE_PER_PROGRAM_MAX = 4,  /* Data by which to tell what an executor does in place of an
                                 * algorithm outside its target: some data tell little. */
};

static status_t open_ledger(session_t *session, failure_t *error) {
  const session_options_t *options = &session->options;
  GString *contract = g_string_new(NULL);
  contract_print(&options->contract, contract);
  const store_run_t run = {.command = options->command,
                           .seed = options->stream.seed,
                           .contract = contract->str,
                           .assay_version = options->assay_version,
                           .campaign = options->campaign,
                           .part_of = options->part_of};
  status_t status = ledger_open(options->store, &run, options->executors, options->executor_count,
                                &session->ledger, error);
  g_string_free(contract, TRUE);
  STATUS_TRY(status);
  return ledger_describe_constraints(&session->ledger, error);
}

static void session_free(session_t *session) {
  stream_deinit(&session->stream);
  arena_deinit(&session->arena);
  tally_free(session->tally);
  pair_tally_free(session->pairs);
  observation_tally_free(session->observations);
  finding_set_free(session->findings);
  cause_book_free(session->causes);
  g_string_free(session->program_line, TRUE);
  g_string_free(session->case_line, TRUE);
  g_free(session->contenders);
  g_free(session->responses);
  g_free(session);
}

status_t session_open(const session_options_t *options, session_t **out_session, failure_t *error) {
  session_t *session = g_new0(session_t, 1);
  session->options = *options;
  session->options.stream.gen.contract = &session->options.contract;
  stream_init(&session->stream, &session->options.stream);
  one_case_init(&session->walk, &options->contract, options->stream.seed);
  session->walk.predictor = options->predictor;
  arena_init(&session->arena);
  session->tally = tally_new();
  session->pairs = pair_tally_new();
  session->observations = observation_tally_new();
  session->findings = finding_set_new();
  session->causes = cause_book_new(options->is_thorough);
  session->program_line = g_string_new(NULL);
  session->case_line = g_string_new(NULL);
  session->contenders = g_new0(contender_t, options->executor_count);
  for (size_t i = 0; i < options->executor_count; i++) {
    session->contenders[i].executor = options->executors[i];
  }
  if (options->executor_count > 1 || options->on_answer != NULL) {
    session->responses = g_new0(response_t, options->executor_count);
  }
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
  if (status == STATUS_OK) {
    status =
        ledger_set_times(&session->ledger, session_seconds(session), &session->walk.times, error);
  }
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
  contender_t *contender = &session->contenders[executor];
  if (contender->load_checked) return STATUS_OK;
  contender->load_checked = true;
  if (!executor_load_changed_environment(contender->executor)) return STATUS_OK;
  static const char what[] = "loading the backend changed the floating-point environment";
  verdict_t verdict = {.outcome = OUTCOME_diverges, .class_ = CLASS_environment};
  g_strlcpy(verdict.reason, what, sizeof verdict.reason);
  hash_text_t signature = hash_of(what, sizeof what - 1);
  return session_record_finding(session, executor, instance, origin, &verdict, &signature, error);
}

static void update_contender(contender_t *contender, const verdict_t *verdict,
                             const op_constraint_t *broken) {
  if (verdict->outcome == OUTCOME_refused) {
    contender->is_done = true;
  } else if (one_case_is_settled(&contender->preparation, broken)) {
    bool is_observed = verdict->has_algorithms && ++contender->observed < OUTSIDE_PER_PROGRAM_MAX;
    contender->is_done = !is_observed;
  } else if (verdict->outcome == OUTCOME_failed) {
    contender->is_prepared = false;
    contender->is_done = ++contender->failures >= FAILURES_PER_PROGRAM_MAX;
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

static status_t walk_executor(session_t *session, size_t index, const case_t *instance,
                              const expectation_t *expectation, const case_origin_t *origin,
                              verdict_t *out_verdict, failure_t *error) {
  contender_t *contender = &session->contenders[index];
  STATUS_TRY(check_load(session, index, instance, origin, error));
  response_t *response = session->responses == NULL ? NULL : &session->responses[index];
  arena_mark_t mark = arena_mark(&session->arena);
  status_t status =
      one_case_run_prepared(&session->walk, instance, expectation, contender->executor,
                            &contender->preparation, &session->arena, out_verdict, response, error);
  bool is_finding =
      out_verdict->outcome == OUTCOME_diverges || out_verdict->outcome == OUTCOME_failed;
  hash_text_t signature;
  if (status == STATUS_OK && is_finding) {
    const cause_question_t question = cause_ask(&session->walk, instance, expectation);
    status = cause_book_explain(session->causes, index, &session->label, &question, &session->arena,
                                out_verdict, &signature, error);
    sign_part(session, &signature);
  }
  if (status == STATUS_OK) keep_results(session, &instance->program);
  arena_rewind(&session->arena, mark);
  STATUS_TRY(status);
  tally_add(session->tally, index, &session->label, out_verdict,
            contender->preparation.implementation);
  observation_tally_add(session->observations, index, &session->label, out_verdict);
  if (out_verdict->constraint[0] != '\0') {
    STATUS_TRY(
        ledger_count_constraint(&session->ledger, index, session->label.op, out_verdict, error));
  }
  session_answer_t answer = {.executor = index,
                             .instance = instance,
                             .label = &session->label,
                             .verdict = out_verdict,
                             .response = response};
  if (is_finding) {
    STATUS_TRY(
        session_record_finding(session, index, instance, origin, out_verdict, &signature, error));
    answer.signature = &signature;
  }
  update_contender(contender, out_verdict, expectation->broken);
  if (session->options.on_answer == NULL) return STATUS_OK;
  return session->options.on_answer(session->options.hook_context, session, &answer, error);
}

/* Prepares whoever is not; true if somebody is going to execute, so that the oracle is needed. */
static bool prepare_contenders(session_t *session, const program_t *program,
                               const op_constraint_t *broken) {
  bool someone_executes = false;
  for (size_t i = 0; i < session->options.executor_count; i++) {
    contender_t *contender = &session->contenders[i];
    if (contender->is_done) continue;
    if (!contender->is_prepared) {
      one_case_prepare(&session->walk, program, broken, contender->executor,
                       &contender->preparation);
      contender->is_prepared = true;
    }
    someone_executes |= one_case_is_executed(&contender->preparation, program, broken);
  }
  return someone_executes;
}

static void begin_program(session_t *session, const program_t *program) {
  session->label = tally_label(session->tally, program);
  for (size_t i = 0; i < session->options.executor_count; i++) {
    contender_t *contender = &session->contenders[i];
    contender->is_prepared = false;
    contender->is_done = false;
    contender->failures = 0;
    contender->observed = 0;
  }
}

static status_t expect(session_t *session, const case_t *instance, const op_constraint_t *broken,
                       expectation_t *out_expectation, failure_t *error) {
  status_t status =
      one_case_expect(&session->walk, instance, broken, &session->arena, out_expectation, error);
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
  STATUS_TRY(
      ledger_set_times(&session->ledger, session_seconds(session), &session->walk.times, error));
  return ledger_write(&session->ledger, session->tally, session->pairs, session->observations,
                      error);
}

static status_t walk_case(session_t *session, const case_t *instance, const op_constraint_t *broken,
                          const case_origin_t *origin, verdict_t *out_verdicts, failure_t *error) {
  arena_reset(&session->arena);
  broken = program_broken_under(&instance->program, broken, &session->options.contract);
  expectation_t expectation = {.broken = broken};
  if (prepare_contenders(session, &instance->program, broken)) {
    STATUS_TRY(expect(session, instance, broken, &expectation, error));
  }
  verdict_t verdict;
  for (size_t i = 0; i < session->options.executor_count; i++) {
    if (session->responses != NULL) session->responses[i].has_results = false;
    if (session->contenders[i].is_done) continue;
    STATUS_TRY(walk_executor(session, i, instance, &expectation, origin,
                             out_verdicts == NULL ? &verdict : &out_verdicts[i], error));
  }
  if (session->options.executor_count > 1) {
    pair_tally_add(session->pairs, &session->label, session->responses,
                   session->options.executor_count);
  }
  session->cases++;
  STATUS_TRY(session_take_aftermaths(session, error));
  return tick(session, error);
}

status_t session_walk(session_t *session, const case_t *instance, const op_constraint_t *broken,
                      verdict_t *out_verdicts, failure_t *error) {
  const case_origin_t origin = {.regime = ""};
  begin_program(session, &instance->program);
  return walk_case(session, instance, broken, &origin, out_verdicts, error);
}

status_t session_walk_part(session_t *session, const case_t *instance, const session_part_t *part,
                           verdict_t *out_verdict, failure_t *error) {
  const case_origin_t origin = {.regime = ""};
  const program_t *program = &instance->program;
  contender_t *contender = &session->contenders[part->executor];
  arena_reset(&session->arena);
  begin_program(session, program);
  session->label = tally_label_named(session->tally, program, part->op, part->algorithm);
  session->part = part;
  one_case_prepare(&session->walk, program, NULL, contender->executor, &contender->preparation);
  expectation_t expectation = {.broken = NULL};
  status_t status = STATUS_OK;
  if (one_case_is_executed(&contender->preparation, program, NULL)) {
    status = expect(session, instance, NULL, &expectation, error);
  }
  if (status == STATUS_OK) {
    status =
        walk_executor(session, part->executor, instance, &expectation, &origin, out_verdict, error);
  }
  session->part = NULL;
  session->cases++;
  if (status == STATUS_OK) status = session_take_aftermaths(session, error);
  return status == STATUS_OK ? tick(session, error) : status;
}

static bool everyone_is_done(const session_t *session) {
  for (size_t i = 0; i < session->options.executor_count; i++) {
    if (!session->contenders[i].is_done) return false;
  }
  return true;
}

static bool is_over(const session_t *session) {
  const session_options_t *options = &session->options;
  if (options->stop != NULL && *options->stop != 0) return true;
  if (options->cases_max != 0 && session->cases >= options->cases_max) return true;
  double seconds = session_seconds(session);
  if (options->seconds_max <= 0 || seconds < options->seconds_max) return false;
  return session->cases >= options->cases_min || seconds >= options->seconds_end;
}

status_t session_run(session_t *session, failure_t *error) {
  stream_t *stream = &session->stream;
  while (!is_over(session)) {
    stream_next(stream);
    if (stream->is_new_program) begin_program(session, &stream->instance.program);
    const case_origin_t origin = {.regime = gen_regime_name(stream->regime),
                                  .case_seed = stream->case_seed,
                                  .has_case_seed = true};
    STATUS_TRY(walk_case(session, &stream->instance, stream->broken, &origin, NULL, error));
    if (everyone_is_done(session)) {
      if (session->options.stream.program != NULL) break;
      stream_skip_program(stream);
    }
  }
  return session_tell(session, error);
}

const char *session_bug_case(const session_t *session) {
  return session->found_itself_wrong ? session->case_line->str : "";
}

const session_options_t *session_options(const session_t *session) { return &session->options; }

int64_t session_run_id(const session_t *session) { return session->ledger.run_id; }

int64_t session_executor_id(const session_t *session, size_t executor) {
  return session->ledger.store == NULL ? 0 : session->ledger.executor_ids[executor];
}

tally_t *session_tally(const session_t *session) { return session->tally; }

pair_tally_t *session_pairs(const session_t *session) { return session->pairs; }

observation_tally_t *session_observations(const session_t *session) {
  return session->observations;
}

size_t session_finding_count(const session_t *session) {
  return finding_set_count(session->findings);
}

const finding_t *session_finding(const session_t *session, size_t index) {
  return finding_set_at(session->findings, index);
}

uint64_t session_cases(const session_t *session) { return session->cases; }

double session_seconds(const session_t *session) {
  return (double)(clock_nanoseconds() - session->begin) * 1e-9;
}

uint64_t session_audited(const session_t *session) { return session->walk.audited; }

one_case_times_t session_times(const session_t *session) { return session->walk.times; }

int session_exit_code(const session_t *session) {
  int exit_code = 0;
  for (size_t i = 0; i < session_finding_count(session); i++) {
    if (session_finding(session, i)->verdict.outcome == OUTCOME_diverges) return 1;
    exit_code = 3;
  }
  return exit_code;
}
