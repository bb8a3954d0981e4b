/* SPDX-License-Identifier: Apache-2.0 */
/* What a session draws: whose turn it is, how long it goes on, and why it ends. */
#include "harness/kinds/module/module.h"
#include "harness/session/state.h"

/* Drawing follows what is accepted and has an oracle. */
void session_note_answer(session_t *session, size_t executor, const verdict_t *verdict) {
  if (!session->is_drawing) return;
  bool is_judged = outcome_is_judged(verdict->outcome);
  stream_learn(&session->stream, executor, is_judged || verdict->outcome == OUTCOME_weak);
  standing_t *standing = &session->standings[executor];
  standing->judged += is_judged;
  uint64_t enough = session->options.cases_max;
  if (enough == 0 || standing->judged < enough || standing->has_enough) return;
  standing->has_enough = true;
  stream_leave(&session->stream, executor);
}

void session_add_refused(session_t *session, size_t executor, const char *op, const char *types,
                         const char *reason) {
  tally_add_refused(session->tally, executor, op, types, reason);
}

/* A given program has several turns, and is remembered. */
static void begin_turn(session_t *session) {
  const stream_t *stream = &session->stream;
  size_t count = session->options.executor_count;
  if (stream->options.program_count == 0) {
    session_begin_program(session, &stream->instance.program);
    return;
  }
  session->label = tally_label(session->tally, &stream->instance.program);
  session->is_module = program_is_module(&stream->instance.program);
  session->contenders = &session->all_contenders[stream->subject * count];
  for (size_t i = 0; i < count; i++) session->contenders[i].is_prepared = false;
}

/* Whether nobody takes more cases of the present program. */
static bool everyone_is_done(const session_t *session) {
  for (size_t i = 0; i < session->options.executor_count; i++) {
    if (session_takes_part(session, i, session->stream.broken)) return false;
  }
  return true;
}

static bool everyone_has_enough(const session_t *session) {
  for (size_t i = 0; i < session->options.executor_count; i++) {
    if (!session->standings[i].has_enough && !session_follows(session, i)) return false;
  }
  return true;
}

static session_end_t find_end(const session_t *session) {
  const session_options_t *options = &session->options;
  if (options->cases_max != 0 && everyone_has_enough(session)) return SESSION_END_JUDGED;
  if (options->stop != NULL && *options->stop != 0) return SESSION_END_STOPPED;
  if (stream_is_over(&session->stream)) return SESSION_END_PROGRAMS;
  if (options->draws_max != 0 && session->cases >= options->draws_max) return SESSION_END_DRAWS;
  double seconds = session_seconds(session);
  bool is_late = options->seconds_max > 0 && seconds >= options->seconds_max &&
                 (session->cases >= options->cases_min || seconds >= options->seconds_end);
  return is_late ? SESSION_END_TIME : SESSION_END_NONE;
}

static status_t draw_and_walk(session_t *session, failure_t *error) {
  stream_t *stream = &session->stream;
  while ((session->end = find_end(session)) == SESSION_END_NONE) {
    stream_next(stream);
    if (stream->is_new_program) begin_turn(session);
    const case_origin_t origin = {.regime = gen_regime_name(stream->regime),
                                  .stratum = stratum_name(stream->stratum),
                                  .case_seed = stream->case_seed,
                                  .has_case_seed = true};
    STATUS_TRY(session_walk_case(session, &stream->instance, stream->broken, &origin, NULL, error));
    if (everyone_is_done(session)) stream_skip_program(stream);
  }
  STATUS_TRY(session_explain_again(session, error));
  return session_tell(session, error);
}

status_t session_run(session_t *session, failure_t *error) {
  session->is_drawing = true;
  status_t status = draw_and_walk(session, error);
  session->is_drawing = false;
  return status;
}
