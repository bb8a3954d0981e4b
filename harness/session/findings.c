/* SPDX-License-Identifier: Apache-2.0 */
/* What a session does with findings: counts and stores them, makes their cases small, tells them.
 */
#include "harness/base/clock.h"
#include "harness/session/state.h"

enum { TELLING_NANOSECONDS = 200000000 };

/* The occurrence of a finding on the case at hand; its texts are scratch. */
static finding_t describe_occurrence(session_t *session, const occurrence_t *occurrence) {
  const case_t *instance = occurrence->instance;
  size_t executor = occurrence->executor;
  g_string_truncate(session->program_line, 0);
  program_print(&instance->program, session->program_line);
  g_string_truncate(session->case_line, 0);
  case_print(instance, session->case_line);
  case_figures_t figures =
      case_figures_of_operands(instance, program_broken(&instance->program) == NULL);
  if (occurrence->expectation != NULL && occurrence->verdict->wrong_count > 0) {
    case_figures_add_element(occurrence->expectation, occurrence->verdict->result,
                             occurrence->verdict->component, &figures);
  }
  return (finding_t){.executor = executor,
                     .signature = *occurrence->signature,
                     .label = session->label,
                     .verdict = *occurrence->verdict,
                     .origin = *occurrence->origin,
                     .figures = figures,
                     .nanoseconds = occurrence->nanoseconds,
                     .ordinal = session->cases + 1,
                     .implementation = session->contenders[executor].preparation.implementation,
                     .program_line = session->program_line->str,
                     .case_line = session->case_line->str,
                     .count = 1};
}

void session_note_bug(session_t *session, const case_t *instance) {
  session->found_itself_wrong = true;
  g_string_truncate(session->case_line, 0);
  case_print(instance, session->case_line);
}

static status_t shrink_finding(session_t *session, const occurrence_t *first,
                               const finding_t *finding, failure_t *error) {
  const shown_finding_t shown = {.finding = finding,
                                 .instance = first->instance,
                                 .executor = session->contenders[finding->executor].executor,
                                 .walk = &session->walk};
  shrink_divergence_t small;
  bool is_smaller;
  status_t status = finding_shrinker_run(&session->options.shrinker, &shown, &session->arena,
                                         &small, &is_smaller, error);
  if (status == STATUS_INVALID) session_note_bug(session, &small.instance);
  if (status != STATUS_OK || !is_smaller) return status;
  const case_origin_t drawn = {.regime = first->origin->regime, .stratum = first->origin->stratum};
  const expectation_t expectation = session_expect(session, &small.instance);
  const occurrence_t of_small = {.executor = finding->executor,
                                 .instance = &small.instance,
                                 .origin = &drawn,
                                 .verdict = &small.verdict,
                                 .signature = &finding->signature,
                                 .expectation = &expectation,
                                 .nanoseconds = first->nanoseconds};
  finding_t shrunk = describe_occurrence(session, &of_small);
  shrunk.implementation = small.preparation.implementation;
  finding_set_keep_shrunk(session->findings, finding->executor, &finding->signature,
                          shrunk.case_line);
  ledger_add_shrunk(&session->ledger, &shrunk);
  return STATUS_OK;
}

/* Counts and stores an occurrence of a finding; the finding if it is new, else NULL. */
static const finding_t *add_occurrence(session_t *session, const occurrence_t *occurrence) {
  const finding_t finding = describe_occurrence(session, occurrence);
  ledger_add_finding(&session->ledger, &finding);
  finding_t *known =
      finding_set_find(session->findings, occurrence->executor, occurrence->signature);
  if (known == NULL) return finding_set_add(session->findings, &finding);
  known->count++;
  return NULL;
}

static bool has_time_to_shrink(const session_t *session) {
  uint32_t percent = session->options.shrinker.percent_max;
  return percent == 0 || session->shrink_seconds * 100 <= session_seconds(session) * percent;
}

status_t session_record_finding(session_t *session, const occurrence_t *occurrence,
                                failure_t *error) {
  contender_t *contender = &session->contenders[occurrence->executor];
  const finding_t *added = add_occurrence(session, occurrence);
  bool is_wanted = added != NULL && has_time_to_shrink(session) &&
                   finding_shrinker_wants(&session->options.shrinker, added, contender->executor);
  if (!is_wanted) return STATUS_OK;
  contender->is_prepared = false; /* Other programs are compiled meanwhile. */
  const double before = session_seconds(session);
  status_t status = shrink_finding(session, occurrence, added, error);
  session->shrink_seconds += session_seconds(session) - before;
  return status;
}

void session_record_failure(session_t *session, size_t executor, const case_t *instance,
                            const verdict_t *verdict, const hash_text_t *signature) {
  const case_origin_t origin = {.regime = "", .stratum = ""};
  const occurrence_t occurrence = {.executor = executor,
                                   .instance = instance,
                                   .origin = &origin,
                                   .verdict = verdict,
                                   .signature = signature};
  add_occurrence(session, &occurrence);
}

status_t session_tell(session_t *session, failure_t *error) {
  size_t count = finding_set_count(session->findings);
  if (session->reported == count) return STATUS_OK;
  STATUS_TRY(ledger_flush(&session->ledger, error));
  while (session->reported < count) {
    const finding_t *finding = finding_set_at(session->findings, session->reported++);
    if (session->options.on_finding == NULL) continue;
    session->options.on_finding(session->options.hook_context, session, finding);
  }
  session->next_telling = clock_nanoseconds() + TELLING_NANOSECONDS;
  return STATUS_OK;
}
