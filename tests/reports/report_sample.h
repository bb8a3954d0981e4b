/* SPDX-License-Identifier: Apache-2.0 */
/* A database with a bit of everything, for the tests of queries and reports. */
#ifndef ASSAY_TESTS_REPORTS_REPORT_SAMPLE_H
#define ASSAY_TESTS_REPORTS_REPORT_SAMPLE_H

#include <math.h>

#include "harness/store/connection.h"
#include "harness/store/life.h"
#include "tests/store/store_observation_sample.h"
#include "tests/store/store_profile_sample.h"

static inline void count(store_t *store, store_counter_t counter, const char *outcome,
                         const char *class_, uint64_t cases) {
  counter.outcome = outcome;
  counter.class = class_;
  counter.cases = cases;
  store_count(store, &counter);
}

/* A broken property of invariance: its shortest case is what it is shown with. */
static inline void add_broken_property(store_t *store, int64_t run_id, int64_t executor_id) {
  store_divergence_t broken = sample_divergence(run_id, executor_id, "s4");
  broken.class = "invariance";
  broken.slack = 0;
  broken.ulp_error = 0;
  broken.observed = "row-count: of the first case";
  store_add_divergence(store, &broken);
  broken.case_line = "shorter";
  broken.observed = "row-count: number of rows 1 to 3: 0x00; 4: 0x01";
  store_add_divergence(store, &broken);
}

static inline int64_t add_version(store_fixture_t *fixture, store_t *store, const char *version) {
  const store_executor_t executor = {.name = "adder", .version = version, .hardware = "avx512"};
  int64_t executor_id = -1;
  ASSERT_OK(fixture, store_add_executor(store, &executor, &executor_id, &fixture->error));
  return executor_id;
}

/* Version 2 adds with 16 lanes from 9 terms on, but for 60 terms as before; that it had 32 lanes
 * was replaced when it was identified again. */
static inline void fill_profiles(store_fixture_t *fixture, store_t *store) {
  store_profile_t profile = sample_profile(add_version(fixture, store, "1"));
  store_profile_t sixty = profile;
  sixty.terms_low = sixty.terms_high = 60;
  sixty.rule = "";
  sixty.words = "irregular";
  add_profile(fixture, store, &profile, true);
  add_profile(fixture, store, &sixty, true);
  profile.executor_id = sixty.executor_id = add_version(fixture, store, "2");
  profile.terms_low = 1;
  profile.terms_high = 8;
  add_profile(fixture, store, &profile, true);
  profile.terms_low = 9;
  profile.terms_high = 700;
  profile.rule = "lanes 32";
  profile.words = "32 lanes, pairwise at the end";
  add_profile(fixture, store, &profile, true);
  profile.rule = "lanes 16";
  profile.words = "16 lanes, pairwise at the end";
  add_profile(fixture, store, &profile, true);
  add_profile(fixture, store, &sixty, true);
}

/* Errors of onednn's reductions: none in 50 cases, 1 to 1.19 ulp in 40, 32 to 38 in 6 wrong ones.
 */
static inline void fill_histogram(store_t *store, int64_t run_id, int64_t executor_id) {
  static const struct {
    int bucket;
    double low;
    double high;
    uint64_t cases;
    const char *outcome;
  } rows[] = {{-100, 0, 0, 50, "conforms"},
              {0, 1, 1.189207115002721, 40, "conforms"},
              {20, 32, 38.054627680087073, 6, "diverges"}};
  static const char *const measures[] = {"ulp", "slack"};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    for (size_t k = 0; k < G_N_ELEMENTS(measures); k++) {
      const store_histogram_t histogram = {.run_id = run_id,
                                           .executor_id = executor_id,
                                           .op = "stablehlo.reduce",
                                           .algorithm = "add",
                                           .types = "f32,f32->f32",
                                           .outcome = rows[i].outcome,
                                           .measure = measures[k],
                                           .bucket = rows[i].bucket,
                                           .low = rows[i].low,
                                           .high = rows[i].high,
                                           .cases = rows[i].cases};
      store_add_histogram(store, &histogram);
    }
  }
}

/* Of its reductions of 9 to 64 terms: 20 cases with errors of 1.5 ulp. */
static inline void fill_accuracy(store_t *store, int64_t run_id, int64_t executor_id) {
  const store_accuracy_t accuracy = {.run_id = run_id,
                                     .executor_id = executor_id,
                                     .op = "stablehlo.reduce",
                                     .algorithm = "add",
                                     .types = "f32,f32->f32",
                                     .outcome = "conforms",
                                     .stratum = "corner",
                                     .data = "ordinary",
                                     .terms_low = 9,
                                     .terms_high = 64,
                                     .condition_low = 1,
                                     .condition_high = 8,
                                     .cases = 20,
                                     .elements = 40,
                                     .operand_elements = 400,
                                     .nan_elements = 4,
                                     .ulp_error_cases = 20,
                                     .ulp_error_sum = 30,
                                     .ulp_error_max = 2,
                                     .backward_error_cases = 10,
                                     .backward_error_sum = 5,
                                     .backward_error_max = 1};
  store_add_accuracy(store, &accuracy);
}

/* Of onednn's reductions of 9 to 64 terms: six elements of each run, twice as blunt in the second;
 * one of them is vacuous. */
static inline void fill_tolerances(store_t *store, int64_t first_run, int64_t second_run) {
  const store_tolerance_t sharp = {.run_id = first_run,
                                   .op = "stablehlo.reduce",
                                   .algorithm = "add",
                                   .types = "f32,f32->f32",
                                   .terms_low = 9,
                                   .terms_high = 64,
                                   .bucket = 4,
                                   .low = 2,
                                   .high = 2.378414230005442,
                                   .cases = 6};
  store_add_tolerance(store, &sharp);
  store_tolerance_t blunt = sharp;
  blunt.run_id = second_run;
  blunt.bucket = 8;
  blunt.low = 4;
  blunt.high = 4.756828460010884;
  blunt.cases = 5;
  store_add_tolerance(store, &blunt);
  blunt.is_vacuous = 1;
  blunt.cases = 1;
  store_add_tolerance(store, &blunt);
}

/* C2 is rejected, C10 accepted once, C1 is never drawn. */
static inline void fill_constraints(store_fixture_t *fixture, store_t *store, int64_t run_id,
                                    int64_t executor_id) {
  static const store_constraint_text_t texts[] = {{"stablehlo.reduce", "C1", "same types"},
                                                  {"stablehlo.reduce", "C2", "same shapes"},
                                                  {"stablehlo.reduce", "C10", "is a dimension"}};
  static const struct {
    const char *constraint;
    const char *outcome;
    uint64_t cases;
  } rows[] = {{"C2", "conforms", 3}, {"C10", "conforms", 2}, {"C10", "diverges", 1}};
  ASSERT_OK(fixture,
            store_describe_constraints(store, texts, G_N_ELEMENTS(texts), &fixture->error));
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const store_constraint_t counted = {.run_id = run_id,
                                        .executor_id = executor_id,
                                        .op = "stablehlo.reduce",
                                        .broken_constraint = rows[i].constraint,
                                        .outcome = rows[i].outcome,
                                        .cases = rows[i].cases};
    store_count_constraint(store, &counted);
  }
}

/* A waiver, a retest and a case of the ledger of bits, of which another executor has other bits. */
static inline void fill_lives(store_fixture_t *fixture, store_t *store, int64_t run_id,
                              int64_t executor_id, int64_t other_id) {
  const store_waiver_t waiver = {.executor = "onednn",
                                 .signature = "s1",
                                 .reason = "known",
                                 .owner = "ann",
                                 .expires = "9999-12-31"};
  ASSERT_OK(fixture, store_add_waiver(store, &waiver, &fixture->error));
  const store_retest_t retest = {.run_id = run_id,
                                 .executor_id = executor_id,
                                 .signature = "s2",
                                 .result = "not-run",
                                 .outcome = "",
                                 .class = "",
                                 .seen_signature = "",
                                 .reason = "add --isolate"};
  store_add_retest(store, &retest);
  store_bits_t bits = {.run_id = run_id,
                       .executor_id = executor_id,
                       .op = "stablehlo.reduce",
                       .algorithm = "add",
                       .types = "f32,f32->f32",
                       .case_line = "a case",
                       .bits = "01",
                       .outcome = "conforms",
                       .class = "",
                       .slack = 0.5};
  store_add_bits(store, &bits);
  bits.executor_id = other_id;
  bits.bits = "02";
  store_add_bits(store, &bits);
}

/* Changes the database as its owner could. */
static inline void change_database(store_fixture_t *fixture, const char *sql) {
  connection_t connection;
  ASSERT_OK(fixture,
            connection_open(fixture->path, CONNECTION_WRITE, &connection, &fixture->error));
  ASSERT_OK(fixture, connection_execute(&connection, sql, &fixture->error));
  connection_close(&connection);
}

/* Two backends, and two that are twins. */
static inline void fill_pairs(store_t *store, int64_t run, int64_t openblas, int64_t onednn) {
  store_pair_t pair = sample_pair(run, openblas, onednn);
  store_add_pair(store, &pair);
  store_pair_t twins = sample_pair(run, onednn, openblas);
  twins.algorithm = "maximum";
  twins.are_twins = 1;
  store_add_pair(store, &twins);
}

/* Two ops, two executors, two runs, every outcome and four findings. */
static inline void fill_sample(store_fixture_t *fixture) {
  store_t *store = open_store(fixture);
  int64_t first_run = begin_run(fixture, store);
  int64_t openblas = add_executor(fixture, store, "openblas");
  int64_t onednn = add_executor(fixture, store, "onednn");
  fill_profiles(fixture, store);
  store_counter_t reduce = sample_counter(first_run, onednn);
  count(store, reduce, "conforms", "", 90);
  reduce.ulp_error_max = 37;
  reduce.slack_max = 37;
  count(store, reduce, "diverges", "value", 6);
  reduce = sample_counter(first_run, onednn);
  count(store, reduce, "failed", "crash", 4);
  store_counter_t dot = sample_counter(first_run, openblas);
  fill_pairs(store, first_run, openblas, onednn);
  dot.op = "stablehlo.dot_general";
  dot.algorithm = "default";
  dot.ulp_error_max = INFINITY;
  dot.slack_max = NAN;
  count(store, dot, "conforms", "", 10);
  count(store, dot, "weak", "", 3);
  count(store, dot, "no-oracle", "", 2);
  count(store, dot, "refused", "", 5);

  fill_histogram(store, first_run, onednn);
  fill_accuracy(store, first_run, onednn);
  fill_constraints(fixture, store, first_run, onednn);
  const store_run_times_t times = {.run_id = first_run,
                                   .seconds = 20,
                                   .oracle_seconds = 10,
                                   .compile_seconds = 1,
                                   .executor_seconds = 5,
                                   .judge_seconds = 2};
  store_set_run_times(store, &times);

  store_divergence_t value = sample_divergence(first_run, onednn, "s1");
  value.cause = "without-last-term";
  value.cause_words = "without the last term, 1 of 2";
  value.pattern = "the last column";
  for (int i = 0; i < 6; i++) store_add_divergence(store, &value);
  store_divergence_t shrunk = value;
  shrunk.case_line = "stablehlo.reduce body=add dims=[0] f32[1] f32[] -> f32[] : 3f800000 : 00";
  shrunk.got = "0x0p+0";
  store_add_shrunk(store, &shrunk);
  store_divergence_t crash = sample_divergence(first_run, onednn, "s2");
  crash.outcome = "failed";
  crash.class = "crash";
  crash.slack = NAN;
  crash.ulp_error = NAN;
  crash.reason = "signal 11 | \"SEGV\"\n";
  for (int i = 0; i < 4; i++) store_add_divergence(store, &crash);
  add_broken_property(store, first_run, openblas);
  ASSERT_OK(fixture, store_end_run(store, first_run, 1, &fixture->error));

  int64_t second_run = begin_run(fixture, store);
  fill_observations(store, openblas, first_run, second_run);
  fill_tolerances(store, first_run, second_run);
  store_divergence_t late = sample_divergence(second_run, openblas, "s3");
  late.case_line = "short";
  late.slack = INFINITY;
  late.ulp_error = INFINITY;
  store_add_divergence(store, &late);
  fill_lives(fixture, store, first_run, onednn, openblas);
  close_store(fixture, store);
  change_database(fixture, "UPDATE run SET assay_version = '0.2.0' WHERE run_id = 2");
}

#endif
