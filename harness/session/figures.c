/* SPDX-License-Identifier: Apache-2.0 */
/* What a session counts of each case: its verdict, where its time went, and, of a sample, what the
 * case was like. */
#include "harness/session/state.h"

case_runner_times_t session_take_times(session_t *session, size_t index,
                                       const case_runner_times_t *before) {
  const case_runner_times_t *after = &session->walk.times;
  contender_t *contender = &session->contenders[index];
  const case_runner_times_t times = {
      .oracle = after->oracle - before->oracle + session->oracle_share,
      .compile = after->compile - before->compile + contender->compiling,
      .executor = after->executor - before->executor,
      .judge = after->judge - before->judge};
  contender->compiling = 0;
  return times;
}

/* Looked for once, whoever gets the case. */
static const case_figures_t *find_figures(session_t *session, const expectation_t *expectation) {
  if (!session->has_figures) {
    session->figures = case_figures_of_operands(expectation->instance, true);
    case_figures_add_results(expectation, &session->figures);
    session->has_figures = true;
  }
  return &session->figures;
}

void session_count_case(session_t *session, size_t index, const expectation_t *expectation,
                        const case_origin_t *origin, const verdict_t *verdict,
                        const case_runner_times_t *times) {
  tally_add(session->tally, index, &session->label, verdict,
            session->contenders[index].preparation.implementation);
  tally_add_times(session->tally, times);
  observation_tally_add(session->observations, index, &session->label, verdict);
  bool is_wanted = session->ledger.store != NULL && !session->options.leaves_out_accuracy &&
                   session->walk.evidence.is_judged &&
                   accuracy_is_sampled(session->options.stream.seed, session->cases);
  if (!is_wanted) return;
  const accuracy_case_t counted = {.executor = index,
                                   .label = &session->label,
                                   .stratum = origin->stratum,
                                   .figures = find_figures(session, expectation),
                                   .verdict = verdict,
                                   .nanoseconds = times->executor};
  accuracy_tally_add(session->accuracy, &counted);
}

expectation_t session_expect(session_t *session, const case_t *instance) {
  expectation_t expectation = {.instance = instance,
                               .arena = &session->arena,
                               .oracle = oracle_find(instance->program.op),
                               .oracle_status = STATUS_UNSUPPORTED};
  failure_t ignored;
  const oracle_call_t call = {.instance = instance,
                              .contract = &session->walk.contract,
                              .arena = &session->arena,
                              .error = &ignored};
  if (expectation.oracle != NULL && program_broken(&instance->program) == NULL) {
    expectation.oracle_status = expectation.oracle->accept(&call, expectation.accepts);
  }
  return expectation;
}
