/* SPDX-License-Identifier: Apache-2.0 */
/* How wrong could the results of a run have been without being noticed?  Measured on some elements
 * of some cases that conformed.  Which ones does not depend on time, so that the same seed gives
 * the same words. */
#include "harness/base/clock.h"
#include "harness/session/state.h"

/* Measuring two elements takes as long as judging 1 to 6 cases like theirs, so that it takes less
 * than 1 % of the time of most runs, and 3 % of any that is not short. */
enum { CASES_FIRST = 8, ONE_CASE_IN = 256, ELEMENTS_OF_CASE = 2 };

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
  uint64_t begin = clock_nanoseconds();
  const power_options_t options = {.contract = &session->options.contract,
                                   .elements = ELEMENTS_OF_CASE};
  const power_case_t subject = {.oracle = expectation->oracle,
                                .instance = expectation->instance,
                                .data = POWER_DATA_JUDGED,
                                .results = session->walk.evidence.results};
  rng_t rng = rng_make(session->options.stream.seed ^ session->cases);
  status_t status =
      power_measure_case(&options, &subject, &rng, &session->arena, &power->table, error);
  power->nanoseconds += clock_nanoseconds() - begin;
  return status;
}
