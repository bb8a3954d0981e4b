/* SPDX-License-Identifier: Apache-2.0 */
/* How wrong could the results of a run have been without being noticed?  Measured on some elements
 * of some cases that conformed.  Which ones does not depend on time unless measuring takes more
 * than its share of it, so that the same seed gives the same words. */
#include "harness/base/clock.h"
#include "harness/session/state.h"

/* Measuring two elements mostly takes as long as judging 1 to 6 cases like theirs. */
enum { CASES_FIRST = 8, ONE_CASE_IN = 256, ELEMENTS_OF_CASE = 2 };

/* It may take a hundred times as long: an element is asked about some hundred times, and of long or
 * padded sums each answer can be dear while the case was judged fast.  So a run spends no more than
 * this second, and 3 % of its time, on it. */
static const double SECONDS_FIRST = 1;
static const double SHARE_MAX = 0.03;

/* Until when the next case may be measured; 0: not at all. */
static uint64_t find_deadline(const session_t *session) {
  double left = SECONDS_FIRST + SHARE_MAX * session_seconds(session);
  left -= (double)session->power.cpu_nanoseconds * 1e-9;
  return left <= 0 ? 0 : clock_cpu_nanoseconds() + (uint64_t)(left * 1e9);
}

void session_power_init(session_power_t *power) {
  *power = (session_power_t){0};
  power_table_init(&power->table);
}

void session_power_deinit(session_power_t *power) { power_table_deinit(&power->table); }

static bool conforms(const session_t *session, const verdict_t *verdict) {
  return session->options.measures_power && session->part == NULL &&
         session->walk.evidence.is_judged &&
         (verdict->outcome == OUTCOME_conforms || verdict->outcome == OUTCOME_weak) &&
         PERMITTED(&session->options.contract, bits) == BITS_ANY;
}

status_t session_measure_power(session_t *session, const expectation_t *expectation,
                               const verdict_t *verdict, failure_t *error) {
  if (!conforms(session, verdict)) return STATUS_OK;
  session_power_t *power = &session->power;
  uint64_t number = power->conforming++;
  if (number >= CASES_FIRST && number % ONE_CASE_IN != 0) return STATUS_OK;
  uint64_t deadline = find_deadline(session);
  if (deadline == 0) return STATUS_OK;
  uint64_t begin = clock_nanoseconds(), cpu_begin = clock_cpu_nanoseconds();
  const power_options_t options = {.contract = &session->options.contract,
                                   .elements = ELEMENTS_OF_CASE};
  const power_case_t subject = {.deadline = deadline,
                                .oracle = expectation->oracle,
                                .instance = expectation->instance,
                                .data = POWER_DATA_JUDGED,
                                .results = session->walk.evidence.results};
  rng_t rng = rng_make(session->options.stream.seed ^ session->cases);
  status_t status =
      power_measure_case(&options, &subject, &rng, &session->arena, &power->table, error);
  power->nanoseconds += clock_nanoseconds() - begin;
  power->cpu_nanoseconds += clock_cpu_nanoseconds() - cpu_begin;
  return status;
}
