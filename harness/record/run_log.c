/* SPDX-License-Identifier: Apache-2.0 */
/* Translates a session into database rows: executors, constraint texts, counters, pairs,
 * observations, times and findings. Without a store every function does nothing. */
#include "harness/record/run_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static status_t add_executor(const ledger_t *ledger, const executor_t *executor, int64_t *out_id,
                             failure_t *error) {
  const store_executor_t row = {.name = executor_name(executor),
                                .version = executor_version(executor),
                                .hardware = executor_hardware(executor)};
  return store_add_executor(ledger->store, &row, out_id, error);
}

status_t ledger_open(store_t *store, const store_run_t *run, executor_t *const *executors,
                     size_t executor_count, ledger_t *out_ledger, failure_t *error) {
  ledger_t ledger = {.store = store};
  if (store != NULL) {
    STATUS_TRY(store_begin_run(store, run, &ledger.run_id, error));
    ledger.executor_ids = g_new0(int64_t, executor_count);
    for (size_t i = 0; i < executor_count; i++) {
      status_t status = add_executor(&ledger, executors[i], &ledger.executor_ids[i], error);
      if (status != STATUS_OK) {
        g_free(ledger.executor_ids);
        return status;
      }
    }
  }
  *out_ledger = ledger;
  return STATUS_OK;
}

static void add_constraint_texts(const op_t *const *ops, GArray *texts) {
  for (const op_t *const *op = ops; *op != NULL; op++) {
    const op_constraint_t *const lists[] = {(*op)->constraints, (*op)->contract_constraints};
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
      for (const op_constraint_t *c = lists[i]; c != NULL && c->id != NULL; c++) {
        const store_constraint_text_t text = {(*op)->name, c->id, c->text};
        g_array_append_val(texts, text);
      }
    }
  }
}

status_t ledger_describe_constraints(const ledger_t *ledger, failure_t *error) {
  if (ledger->store == NULL) return STATUS_OK;
  GArray *texts = g_array_new(FALSE, FALSE, sizeof(store_constraint_text_t));
  add_constraint_texts(op_all(), texts);
  add_constraint_texts(op_compound(), texts);
  status_t status = store_describe_constraints(
      ledger->store, (const store_constraint_text_t *)(void *)texts->data, texts->len, error);
  g_array_unref(texts);
  return status;
}

void ledger_set_times(const ledger_t *ledger, double seconds, const case_runner_times_t *times) {
  if (ledger->store == NULL) return;
  const store_run_times_t row = {.run_id = ledger->run_id,
                                 .seconds = seconds,
                                 .oracle_seconds = (double)times->oracle * 1e-9,
                                 .compile_seconds = (double)times->compile * 1e-9,
                                 .executor_seconds = (double)times->executor * 1e-9,
                                 .judge_seconds = (double)times->judge * 1e-9};
  store_set_run_times(ledger->store, &row);
}

status_t ledger_flush(const ledger_t *ledger, failure_t *error) {
  return ledger->store == NULL ? STATUS_OK : store_flush(ledger->store, error);
}

static void write_histogram(const ledger_t *ledger, const tally_row_t *row, const char *measure,
                            measure_histogram_t *histogram) {
  for (size_t i = 0; i < histogram->count; i++) {
    measure_count_t *count = &histogram->counts[i];
    if (count->cases == count->stored) continue;
    const store_histogram_t added = {.run_id = ledger->run_id,
                                     .executor_id = ledger->executor_ids[row->executor],
                                     .op = row->label.op,
                                     .algorithm = row->label.algorithm,
                                     .types = row->label.types,
                                     .outcome = outcome_spelling(row->outcome),
                                     .measure = measure,
                                     .bucket = count->bucket,
                                     .low = measure_bucket_low(count->bucket),
                                     .high = measure_bucket_high(count->bucket),
                                     .cases = count->cases - count->stored};
    store_add_histogram(ledger->store, &added);
    count->stored = count->cases;
  }
}

static void write_constraints(const ledger_t *ledger, const tally_row_t *row) {
  for (guint i = 0; row->constraints != NULL && i < row->constraints->len; i++) {
    tally_constraint_t *count = &g_array_index(row->constraints, tally_constraint_t, i);
    const store_constraint_t added = {.run_id = ledger->run_id,
                                      .executor_id = ledger->executor_ids[row->executor],
                                      .op = row->label.op,
                                      .broken_constraint = count->id,
                                      .outcome = outcome_spelling(row->outcome),
                                      .cases = count->cases - count->stored};
    store_count_constraint(ledger->store, &added);
    count->stored = count->cases;
  }
}

static double seconds_since(uint64_t nanoseconds, uint64_t before) {
  return (double)(nanoseconds - before) * 1e-9;
}

static void write_tally(const ledger_t *ledger, tally_t *tally) {
  for (size_t i = 0; i < tally_count(tally); i++) {
    tally_row_t *row = tally_at(tally, i);
    if (row->cases == row->cases_stored) continue;
    const store_counter_t counter = {
        .run_id = ledger->run_id,
        .executor_id = ledger->executor_ids[row->executor],
        .op = row->label.op,
        .algorithm = row->label.algorithm,
        .types = row->label.types,
        .outcome = outcome_spelling(row->outcome),
        .class = class_spelling(row->class_),
        .implementation = row->implementation,
        .cases = row->cases - row->cases_stored,
        .elements = row->elements - row->elements_stored,
        .untested = row->untested - row->untested_stored,
        .executor_seconds = seconds_since(row->times.executor, row->times_stored.executor),
        .compile_seconds = seconds_since(row->times.compile, row->times_stored.compile),
        .oracle_seconds = seconds_since(row->times.oracle, row->times_stored.oracle),
        .judge_seconds = seconds_since(row->times.judge, row->times_stored.judge),
        .ulp_error_max = row->ulp_error_max,
        .slack_max = row->slack_max,
        .backward_error_max = row->backward_error_max};
    store_count(ledger->store, &counter);
    write_histogram(ledger, row, "ulp", &row->ulp);
    write_histogram(ledger, row, "slack", &row->slack);
    write_constraints(ledger, row);
    row->cases_stored = row->cases;
    row->times_stored = row->times;
    row->elements_stored = row->elements;
    row->untested_stored = row->untested;
  }
}

static bool are_twins(const ledger_t *ledger, const pair_row_t *row) {
  return ledger->twins != NULL && ledger->twins[row->first] == row->second;
}

static void write_pair(const ledger_t *ledger, const pair_row_t *row) {
  uint64_t added[PAIR_RELATION_COUNT];
  for (int i = 0; i < PAIR_RELATION_COUNT; i++) added[i] = row->cases[i] - row->stored[i];
  const store_pair_t pair = {.run_id = ledger->run_id,
                             .first_executor_id = ledger->executor_ids[row->first],
                             .second_executor_id = ledger->executor_ids[row->second],
                             .op = row->label.op,
                             .algorithm = row->label.algorithm,
                             .types = row->label.types,
                             .cases = pair_cases(added),
                             .alike_wrong = added[PAIR_ALIKE_WRONG],
                             .different = pair_different(added),
                             .both_conform = added[PAIR_BOTH_CONFORM],
                             .first_diverges = added[PAIR_FIRST_DIVERGES],
                             .second_diverges = added[PAIR_SECOND_DIVERGES],
                             .both_diverge = added[PAIR_BOTH_DIVERGE],
                             .undecided = added[PAIR_UNDECIDED],
                             .are_twins = are_twins(ledger, row)};
  store_add_pair(ledger->store, &pair);
}

static void write_pairs(const ledger_t *ledger, pair_tally_t *pairs) {
  for (size_t i = 0; i < pair_tally_count(pairs); i++) {
    pair_row_t *row = pair_tally_at(pairs, i);
    write_pair(ledger, row);
    memcpy(row->stored, row->cases, sizeof row->stored);
  }
}

static void write_observations(const ledger_t *ledger, observation_tally_t *observations) {
  if (observations == NULL) return;
  for (size_t i = 0; i < observation_tally_count(observations); i++) {
    observation_row_t *row = observation_tally_at(observations, i);
    if (row->cases == row->cases_stored) continue;
    const store_observation_t observation = {.run_id = ledger->run_id,
                                             .executor_id = ledger->executor_ids[row->executor],
                                             .op = row->label.op,
                                             .algorithm = row->label.algorithm,
                                             .types = row->label.types,
                                             .observed = row->observed,
                                             .kind = observation_kind_spelling(row->kind),
                                             .cases = row->cases - row->cases_stored};
    store_add_observation(ledger->store, &observation);
    row->cases_stored = row->cases;
  }
}

status_t ledger_write(const ledger_t *ledger, tally_t *tally, pair_tally_t *pairs,
                      observation_tally_t *observations, failure_t *error) {
  if (ledger->store == NULL) return STATUS_OK;
  write_tally(ledger, tally);
  write_pairs(ledger, pairs);
  write_observations(ledger, observations);
  return store_tick(ledger->store, error);
}

/* `got_bits` is room for the text of these bits; the row borrows all texts. */
static store_divergence_t make_row(const ledger_t *ledger, const finding_t *occurrence,
                                   char got_bits[17]) {
  const verdict_t *verdict = &occurrence->verdict;
  snprintf(got_bits, 17, "%" PRIx64, verdict->got_bits);
  store_divergence_t row = {.run_id = ledger->run_id,
                            .executor_id = ledger->executor_ids[occurrence->executor],
                            .signature = occurrence->signature.text,
                            .op = occurrence->label.op,
                            .algorithm = occurrence->label.algorithm,
                            .types = occurrence->label.types,
                            .outcome = outcome_spelling(verdict->outcome),
                            .class = class_spelling(verdict->class_),
                            .broken_constraint = verdict->constraint,
                            .regime = occurrence->origin.regime,
                            .stratum = occurrence->origin.stratum,
                            .implementation = occurrence->implementation,
                            .program_line = occurrence->program_line,
                            .case_line = occurrence->case_line,
                            .case_seed = occurrence->origin.case_seed,
                            .result = verdict->result,
                            .component = verdict->component,
                            .wrong_count = verdict->wrong_count,
                            .component_count = verdict->component_count,
                            .got_bits = got_bits,
                            .got = verdict->got,
                            .expected = verdict->expected,
                            .observed = verdict->observed,
                            .reason = verdict->reason,
                            .ulp_error = verdict->ulp_error_max,
                            .slack = verdict->slack_max,
                            .backward_error = verdict->backward_error_max,
                            .seconds = (double)occurrence->nanoseconds * 1e-9,
                            .ordinal = occurrence->ordinal,
                            .first_ordinal = occurrence->ordinal,
                            .cause = verdict->is_cause_sure ? verdict->cause : "",
                            .cause_words = verdict->cause_words,
                            .pattern = verdict->pattern};
  case_figures_store(&occurrence->figures, &row);
  return row;
}

void ledger_add_finding(const ledger_t *ledger, const finding_t *occurrence) {
  if (ledger->store == NULL) return;
  char got_bits[17];
  const store_divergence_t row = make_row(ledger, occurrence, got_bits);
  store_add_divergence(ledger->store, &row);
}

void ledger_add_shrunk(const ledger_t *ledger, const finding_t *occurrence) {
  if (ledger->store == NULL) return;
  char got_bits[17];
  const store_divergence_t row = make_row(ledger, occurrence, got_bits);
  store_add_shrunk(ledger->store, &row);
}

status_t ledger_explain(const ledger_t *ledger, const finding_t *finding, failure_t *error) {
  if (ledger->store == NULL) return STATUS_OK;
  char got_bits[17];
  const store_divergence_t row = make_row(ledger, finding, got_bits);
  return store_explain(ledger->store, &row, error);
}

status_t ledger_close(ledger_t *ledger, tally_t *tally, pair_tally_t *pairs,
                      observation_tally_t *observations, int exit_code, failure_t *error) {
  status_t status = ledger_write(ledger, tally, pairs, observations, error);
  if (status == STATUS_OK && ledger->store != NULL) {
    status = store_end_run(ledger->store, ledger->run_id, exit_code, error);
  }
  g_free(ledger->executor_ids);
  *ledger = (ledger_t){0};
  return status;
}
