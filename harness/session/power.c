/* SPDX-License-Identifier: Apache-2.0 */
/* How wrong could the results of a run have been without being noticed?  Measured on a sample of
 * the elements that conformed, in a small share of the run's time. */
#include <math.h>

#include "harness/run/clock.h"
#include "harness/session/state.h"

/* Of the time since the session was opened; and what may be spent in short sessions, too. */
static const double SHARE_OF_TIME = 0.03;
static const double NANOSECONDS_FREE = 60e6;

enum {
  ELEMENTS_OF_CASE = 2,
  ELEMENTS_FIRST = 4, /* Of a kind; and so many more each time that the cases have doubled. */
  ELEMENTS_PER_DOUBLING = 4,
  TERMS_BESIDE = 16, /* What every case costs, in terms. */
};
static const double NANOSECONDS_PER_TERM = 20e3; /* Of an op of which nothing is known yet. */

void session_power_init(session_power_t *power) {
  *power = (session_power_t){.rates = g_hash_table_new_full(NULL, NULL, NULL, g_free)};
  power_table_init(&power->table);
}

void session_power_deinit(session_power_t *power) {
  g_hash_table_unref(power->rates);
  power_table_deinit(&power->table);
}

/* ---- Time ------------------------------------------------------------------------------------ */

static double *rate_of(session_power_t *power, const op_t *op) {
  double *rate = g_hash_table_lookup(power->rates, op);
  if (rate != NULL) return rate;
  rate = g_new(double, 1);
  *rate = NANOSECONDS_PER_TERM;
  g_hash_table_insert(power->rates, (gpointer)(uintptr_t)op, rate);
  return rate;
}

static double cost_in_terms(const program_t *program) {
  return (double)(program_terms(program) + TERMS_BESIDE);
}

static bool has_time(session_t *session, const program_t *program) {
  double elapsed = (double)(clock_nanoseconds() - session->begin);
  double allowed = fmax(SHARE_OF_TIME * elapsed, NANOSECONDS_FREE);
  double spent = (double)session->power.nanoseconds;
  if (spent >= allowed) return false;
  return spent + *rate_of(&session->power, program->op) * cost_in_terms(program) <= allowed;
}

/* ---- Measuring ------------------------------------------------------------------------------- */

/* The kinds of a long session are not measured by its first cases alone. */
static guint elements_due(const session_t *session) {
  double doublings = log2((double)session->cases + 1);
  return ELEMENTS_FIRST + (guint)((double)ELEMENTS_PER_DOUBLING * doublings);
}

static bool is_to_be_measured(session_t *session, const verdict_t *verdict) {
  bool conforms = verdict->outcome == OUTCOME_conforms || verdict->outcome == OUTCOME_weak;
  return session->options.measures_power && conforms && session->part == NULL &&
         session->walk.evidence.is_judged &&
         PERMITTED(&session->options.contract, bits) == BITS_ANY;
}

status_t session_measure_power(session_t *session, const expectation_t *expectation,
                               const verdict_t *verdict, failure_t *error) {
  const program_t *program = &expectation->instance->program;
  if (!is_to_be_measured(session, verdict) || !has_time(session, program)) return STATUS_OK;
  session_power_t *power = &session->power;
  uint64_t begin = clock_nanoseconds();
  const power_row_t *row = power_table_row(&power->table, program, POWER_DATA_JUDGED);
  status_t status = STATUS_OK;
  if (row->elements->len < elements_due(session)) {
    const power_options_t options = {.contract = &session->options.contract,
                                     .elements = ELEMENTS_OF_CASE};
    const power_case_t subject = {.oracle = expectation->oracle,
                                  .instance = expectation->instance,
                                  .data = POWER_DATA_JUDGED,
                                  .results = session->walk.evidence.results};
    rng_t rng = rng_make(session->options.stream.seed ^ session->cases);
    status = power_measure_case(&options, &subject, &rng, &session->arena, &power->table, error);
    double *rate = rate_of(power, program->op);
    double seen = (double)(clock_nanoseconds() - begin) / cost_in_terms(program);
    *rate = fmax(seen, *rate / 2); /* Cheap ones do not make the next one look cheap at once. */
  }
  power->nanoseconds += clock_nanoseconds() - begin;
  return status;
}
