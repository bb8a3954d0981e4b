/* SPDX-License-Identifier: Apache-2.0 */
/* Executors side by side: who returned other bits than whom, and whom the oracle blames. */
#include <glib/gstdio.h>
#include <inttypes.h>

#include "harness/builtin/builtin.h"
#include "harness/session/session.h"
#include "tests/campaign/fake_executor.h"

/* 0 + 1 + 2 + 4. */
static const char sum_bounds[] =
    "stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f32[] : 3f8000004000000040800000 : "
    "00000000";

static executor_t *open_builtin(const char *name) {
  const executor_options_t options = {.find_builtin = builtin_find};
  executor_t *executor = NULL;
  failure_t error = {0};
  if (executor_open(name, &options, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  return executor;
}

static session_t *open_session(executor_t *const *executors, size_t count, store_t *store) {
  size_t op_count = 0;
  while (op_all()[op_count] != NULL) op_count++;
  gen_options_t gen = gen_options_default();
  gen.limits = (draw_limits_t){.rank_max = 4, .elements_max = 64, .terms_max = 24};
  const session_options_t options = {
      .stream = {.ops = op_all(), .op_count = op_count, .gen = gen, .seed = 5},
      .executors = executors,
      .executor_count = count,
      .contract = contract_backend(),
      .draws_max = 600,
      .store = store,
      .command = "test",
      .assay_version = "test"};
  session_t *session = NULL;
  failure_t error = {0};
  if (session_open(&options, &session, &error) != STATUS_OK) g_error("%s", error.text);
  return session;
}

static session_t *run_session(executor_t *const *executors, size_t count, store_t *store) {
  session_t *session = open_session(executors, count, store);
  failure_t error = {0};
  if (session_run(session, &error) != STATUS_OK) g_error("%s", error.text);
  return session;
}

static void close_all(session_t *session, executor_t *const *executors, size_t count) {
  failure_t error = {0};
  g_assert_cmpint(session_close(session, 0, &error), ==, STATUS_OK);
  for (size_t i = 0; i < count; i++) executor_close(executors[i]);
}

/* Cases of one pair, over all labels. */
static pair_row_t sum_pair(const session_t *session, size_t first, size_t second) {
  pair_row_t sum = {.first = first, .second = second};
  for (size_t i = 0; i < pair_tally_count(session_pairs(session)); i++) {
    const pair_row_t *row = pair_tally_at(session_pairs(session), i);
    g_assert_cmpuint(row->first, <, row->second);
    if (row->first != first || row->second != second) continue;
    for (int j = 0; j < PAIR_RELATION_COUNT; j++) sum.cases[j] += row->cases[j];
  }
  return sum;
}

/* ---- What counts as the same bits ------------------------------------------------------------ */

static result_digest_t make_response(const char *type, const char *hex, arena_t *arena) {
  program_t program = {.result_count = 1};
  tensor_t result;
  failure_t error = {0};
  scan_t scan = scan_make(str_from(type));
  g_assert_cmpint(type_parse(&scan, arena, &program.results[0], &error), ==, STATUS_OK);
  scan = scan_make(str_from(hex));
  g_assert_cmpint(tensor_parse_data(&scan, &program.results[0], arena, &result, &error), ==,
                  STATUS_OK);
  return result_digest_make(&program, &result, OUTCOME_conforms, arena);
}

static void test_same_bits(void) {
  static const struct {
    const char *type;
    const char *first;
    const char *second;
    bool expected;
  } rows[] = {
      {"f32[2]", "3f80000040000000", "3f80000040000000", true},
      {"f32[2]", "3f80000040000000", "4000000040000000", false},
      {"f32[]", "7fc00000", "ffc00001", true},
      {"f32[]", "7f800001", "7fc00000", true},
      {"f32[]", "7f800000", "7fc00000", false}, /* An infinity is no NaN. */
      {"f32[]", "00000000", "80000000", false},
      {"complex<f32>[]", "7fc000003f800000", "ffc000003f800000", true},
      {"complex<f32>[]", "7fc000003f800000", "3f8000007fc00000", false},
      {"f8E5M2FNUZ[]", "80", "ff", false}, /* All ones is a number of it. */
      {"f4E2M1FN[]", "7", "f", false},
      {"ui32[]", "7fc00000", "ffc00001", false}, /* NaN is of floats only. */
      {"i1[2]", "01", "10", false},
      {"f32[0]", "-", "-", true},
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_test_message("%s %s %s", rows[i].type, rows[i].first, rows[i].second);
    const result_digest_t first = make_response(rows[i].type, rows[i].first, &arena);
    const result_digest_t second = make_response(rows[i].type, rows[i].second, &arena);
    bool is_same = memcmp(&first.digest, &second.digest, sizeof first.digest) == 0;
    g_assert_cmpint(is_same, ==, rows[i].expected);
  }
  arena_deinit(&arena);
}

/* ---- What counts as what --------------------------------------------------------------------- */

static void test_relations(void) {
  static const int not_compared = PAIR_RELATION_COUNT;
  const struct {
    fake_t first;
    fake_t second;
    int expected;
  } rows[] = {
      {FAKE_right, FAKE_right, PAIR_ALIKE},
      {FAKE_right, FAKE_flushes, PAIR_ALIKE}, /* A divergence, but not of its bits. */
      {FAKE_right, FAKE_wrong, PAIR_SECOND_DIVERGES},
      {FAKE_wrong, FAKE_right, PAIR_FIRST_DIVERGES},
      {FAKE_right, FAKE_wrong_and_flushes, PAIR_SECOND_DIVERGES},
      {FAKE_right, FAKE_unrepeatable, PAIR_SECOND_DIVERGES},
      {FAKE_wrong, FAKE_wrong_and_flushes, PAIR_ALIKE_WRONG},
      {FAKE_right, FAKE_partly_written, not_compared},
      {FAKE_right, FAKE_out_of_bounds, not_compared},
      {FAKE_right, FAKE_refuses, not_compared},
      {FAKE_refuses, FAKE_refuses, not_compared},
      {FAKE_rejects, FAKE_right, not_compared},
      {FAKE_right, FAKE_refuses_data, not_compared},
      {FAKE_cannot_execute, FAKE_right, not_compared},
      {FAKE_right, FAKE_exceeds_target, not_compared},
  };
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  failure_t error = {0};
  g_assert_cmpint(case_parse(str_from(sum_bounds), &arena, &instance, NULL, &error), ==, STATUS_OK);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_test_message("%s beside %s", fake_names[rows[i].first], fake_names[rows[i].second]);
    executor_t *executors[] = {fake_executor_open(rows[i].first, false),
                               fake_executor_open(rows[i].second, false)};
    session_t *session = open_session(executors, 2, NULL);
    g_assert_cmpint(session_walk(session, &instance, NULL, NULL, &error), ==, STATUS_OK);
    const pair_row_t sum = sum_pair(session, 0, 1);
    for (int j = 0; j < PAIR_RELATION_COUNT; j++) {
      g_assert_cmpuint(sum.cases[j], ==, (j == rows[i].expected));
    }
    close_all(session, executors, 2);
  }
  arena_deinit(&arena);
}

/* Where no oracle vouches for different bits, nobody is blamed. */
static void test_undecided(void) {
  static const struct {
    outcome_t first;
    outcome_t second;
    pair_relation_t expected;
  } rows[] = {
      {OUTCOME_no_oracle, OUTCOME_no_oracle, PAIR_UNDECIDED},
      {OUTCOME_conforms, OUTCOME_weak, PAIR_UNDECIDED},
      {OUTCOME_weak, OUTCOME_diverges, PAIR_SECOND_DIVERGES},
      {OUTCOME_diverges, OUTCOME_no_oracle, PAIR_FIRST_DIVERGES},
      {OUTCOME_diverges, OUTCOME_diverges, PAIR_BOTH_DIVERGE},
      {OUTCOME_conforms, OUTCOME_conforms, PAIR_BOTH_CONFORM},
  };
  const tally_label_t label = {"op", "algorithm", "types"};
  pair_tally_t *pairs = pair_tally_new();
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const result_digest_t responses[] = {
        {.has_results = true, .outcome = rows[i].first, .digest = {.low = 1}},
        {.has_results = true, .outcome = rows[i].second, .digest = {.low = 2}}};
    uint64_t before =
        pair_tally_count(pairs) == 0 ? 0 : pair_tally_at(pairs, 0)->cases[rows[i].expected];
    pair_tally_add(pairs, &label, responses, 2);
    g_assert_cmpuint(pair_tally_count(pairs), ==, 1);
    g_assert_cmpuint(pair_tally_at(pairs, 0)->cases[rows[i].expected], ==, before + 1);
  }
  g_assert_cmpuint(pair_cases(pair_tally_at(pairs, 0)->cases), ==, G_N_ELEMENTS(rows));
  g_assert_cmpuint(pair_different(pair_tally_at(pairs, 0)->cases), ==, G_N_ELEMENTS(rows));
  pair_tally_free(pairs);
}

/* ---- Campaigns ------------------------------------------------------------------------------- */

/* Two orders of summation: other bits, and nobody is wrong. */
static void test_two_orders(void) {
  executor_t *executors[] = {open_builtin("model:sequential"), open_builtin("model:pairwise")};
  session_t *session = run_session(executors, 2, NULL);
  const pair_row_t sum = sum_pair(session, 0, 1);
  uint64_t different = pair_different(sum.cases);
  g_assert_cmpuint(sum.cases[PAIR_ALIKE], >, 0);
  g_assert_cmpuint(sum.cases[PAIR_BOTH_CONFORM], >, 0);
  g_assert_cmpuint(different, ==, sum.cases[PAIR_BOTH_CONFORM] + sum.cases[PAIR_UNDECIDED]);
  g_assert_cmpuint(pair_cases(sum.cases), >, different);
  close_all(session, executors, 2);
}

/* Two that are wrong alike outvote nobody: the blame is theirs.  One that refuses is compared with
 * nobody. */
static void test_no_majority(void) {
  executor_t *executors[] = {
      open_builtin("canary:drop_last_term"), open_builtin("model:sequential"),
      fake_executor_open(FAKE_refuses, false), open_builtin("canary:drop_last_term")};
  session_t *session = run_session(executors, 4, NULL);
  for (size_t other = 0; other < 4; other++) {
    g_assert_cmpuint(pair_cases(sum_pair(session, 2, other).cases), ==, 0);
    g_assert_cmpuint(pair_cases(sum_pair(session, other, 2).cases), ==, 0);
  }
  const pair_row_t blamed_first = sum_pair(session, 0, 1);
  const pair_row_t blamed_second = sum_pair(session, 1, 3);
  const pair_row_t wrong_alike = sum_pair(session, 0, 3);
  uint64_t wrong = blamed_first.cases[PAIR_FIRST_DIVERGES];
  g_assert_cmpuint(wrong, >, 0);
  g_assert_cmpuint(blamed_first.cases[PAIR_SECOND_DIVERGES], ==, 0);
  g_assert_cmpuint(blamed_first.cases[PAIR_BOTH_DIVERGE], ==, 0);
  g_assert_cmpuint(blamed_second.cases[PAIR_SECOND_DIVERGES], ==, wrong);
  g_assert_cmpuint(blamed_second.cases[PAIR_FIRST_DIVERGES], ==, 0);
  g_assert_cmpuint(wrong_alike.cases[PAIR_ALIKE_WRONG], ==, wrong);
  g_assert_cmpuint(pair_different(wrong_alike.cases), ==, 0);
  close_all(session, executors, 4);
}

static void test_alone(void) {
  executor_t *executor = open_builtin("model:sequential");
  session_t *session = run_session(&executor, 1, NULL);
  g_assert_cmpuint(pair_tally_count(session_pairs(session)), ==, 0);
  close_all(session, &executor, 1);
}

/* ---- The store ------------------------------------------------------------------------------- */

static status_t append_row(void *context, int column_count, const char *const *names,
                           const store_value_t *values, failure_t *error) {
  (void)names, (void)error;
  for (int i = 0; values != NULL && i < column_count; i++) {
    g_string_append_printf((GString *)context, "%s ", values[i].text);
  }
  return STATUS_OK;
}

static void test_store(void) {
  char *folder = g_dir_make_tmp("assay-pairs-XXXXXX", NULL);
  char *path = g_build_filename(folder, "pairs.db", NULL);
  failure_t error = {0};
  store_t *store = NULL;
  g_assert_cmpint(store_open(path, &store, &error), ==, STATUS_OK);
  executor_t *executors[] = {open_builtin("model:sequential"),
                             open_builtin("canary:drop_first_term")};
  session_t *session = run_session(executors, 2, store);
  const pair_row_t sum = sum_pair(session, 0, 1);
  close_all(session, executors, 2);
  g_assert_cmpint(store_close(store, &error), ==, STATUS_OK);
  char *expected = g_strdup_printf("model:sequential canary:drop_first_term %" PRIu64 " %" PRIu64
                                   " %" PRIu64 " %" PRIu64 " 0 %" PRIu64 " 0 %" PRIu64 " ",
                                   pair_cases(sum.cases), sum.cases[PAIR_ALIKE_WRONG],
                                   pair_different(sum.cases), sum.cases[PAIR_BOTH_CONFORM],
                                   sum.cases[PAIR_SECOND_DIVERGES], sum.cases[PAIR_UNDECIDED]);
  GString *kept = g_string_new(NULL);
  static const char query[] =
      "SELECT first, second, sum(cases), sum(alike_wrong), sum(different), sum(both_conform), "
      "sum(first_diverges), sum(second_diverges), sum(both_diverge), sum(undecided) FROM agreement";
  g_assert_cmpint(store_query(path, query, append_row, kept, &error), ==, STATUS_OK);
  g_assert_cmpstr(kept->str, ==, expected);
  g_assert_cmpuint(sum.cases[PAIR_SECOND_DIVERGES], >, 0);
  g_string_free(kept, TRUE);
  g_free(expected);
  char *command = g_strdup_printf("rm -r %s", folder);
  g_assert_cmpint(system(command), ==, 0);
  g_free(command);
  g_free(path);
  g_free(folder);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/pairs/same_bits", test_same_bits);
  g_test_add_func("/pairs/relations", test_relations);
  g_test_add_func("/pairs/undecided", test_undecided);
  g_test_add_func("/pairs/two_orders", test_two_orders);
  g_test_add_func("/pairs/no_majority", test_no_majority);
  g_test_add_func("/pairs/alone", test_alone);
  g_test_add_func("/pairs/store", test_store);
  return g_test_run();
}
