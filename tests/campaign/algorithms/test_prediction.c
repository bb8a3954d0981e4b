/* SPDX-License-Identifier: Apache-2.0 */
/* Contract `identified`: silent on an executor that adds as its profile says, loud at 0 ulp on a
 * version that does not, and honest about what no profile covers. */
#include "harness/predict/prediction.h"

#include "harness/session/session.h"
#include "tests/campaign/algorithms/adder_executor.h"
#include "tests/campaign/examples.h"
#include "tests/store/store_fixture.h"

enum { LENGTHS = 64 };

static const adder_kind_t EIGHT = {.version = "1", .lanes_below = 8, .lanes_from = 8};
static const adder_kind_t SIXTEEN = {
    .version = "2", .lanes_below = 8, .lanes_from = 16, .from = 32};

static const char SHAPE[] = "stablehlo.reduce body=add dims=[0] f32[n] f32[] -> f32[]";

/* ---- A database with profiles ---------------------------------------------------------------- */

/* Stores one profile for each length. */
static void store_adder(store_fixture_t *fixture, const adder_kind_t *kind) {
  store_t *store = open_store(fixture);
  g_autofree char *version = g_strdup_printf("tester %s", kind->version);
  const store_executor_t executor = {.name = "model:adder", .version = version, .hardware = "any"};
  store_profile_t profile = {.op = example_op(EXAMPLE_SUM)->name,
                             .algorithm = "add",
                             .types = "f32,f32->f32",
                             .shape = SHAPE,
                             .rule = "",
                             .words = "lanes"};
  ASSERT_OK(fixture, store_add_executor(store, &executor, &profile.executor_id, &fixture->error));
  for (uint32_t n = 1; n <= LENGTHS; n++) {
    g_autofree char *line =
        g_strdup_printf("stablehlo.reduce body=add dims=[0] f32[%u] f32[] -> f32[]", n);
    size_t lanes = n < kind->from ? kind->lanes_below : kind->lanes_from;
    g_autofree char *text = adder_profile(n, (uint32_t)lanes, line);
    profile.terms_low = profile.terms_high = n;
    profile.program_line = line;
    profile.text = text;
    bool is_new;
    ASSERT_OK(fixture, store_add_profile(store, &profile, &is_new, &fixture->error));
  }
  close_store(fixture, store);
}

/* ---- A campaign ------------------------------------------------------------------------------ */

typedef struct campaign {
  executor_t *executor;
  prediction_t *prediction;
  session_t *session;
} campaign_t;

/* Runs 6000 cases; programs are drawn among those that profiles cover, or are any reductions. */
static campaign_t run_campaign(store_fixture_t *fixture, adder_kind_t kind, const char *reference,
                               bool any_reductions) {
  campaign_t campaign = {.executor = open_adder(kind)};
  const prediction_options_t options = {.database = fixture->path,
                                        .executors = &campaign.executor,
                                        .executor_count = 1,
                                        .reference = reference};
  ASSERT_OK(fixture, prediction_open(&options, &campaign.prediction, &fixture->error));
  session_options_t session = {.executors = &campaign.executor,
                               .executor_count = 1,
                               .contract = contract_identified(),
                               .predictor = prediction_predictor(campaign.prediction),
                               .draws_max = 6000,
                               .command = "test",
                               .assay_version = "test"};
  const op_t *const *reduce = op_all();
  while (*reduce != example_op(EXAMPLE_SUM)) reduce++;
  session.stream =
      (stream_options_t){.ops = reduce, .op_count = 1, .gen = gen_options_default(), .seed = 5};
  if (!any_reductions) {
    session.stream.draw_program = prediction_draw_program;
    session.stream.draw_context = campaign.prediction;
  }
  ASSERT_OK(fixture, session_open(&session, &campaign.session, &fixture->error));
  ASSERT_OK(fixture, session_run(campaign.session, &fixture->error));
  return campaign;
}

static void close_campaign(campaign_t *campaign) {
  g_assert_cmpint(session_close(campaign->session, 0, NULL), ==, STATUS_OK);
  prediction_close(campaign->prediction);
  executor_close(campaign->executor);
}

static uint64_t count_outcome(const campaign_t *campaign, outcome_t outcome) {
  return tally_cases(session_tally(campaign->session), outcome);
}

/* All lengths together. */
static prediction_sizes_t all_sizes(const campaign_t *campaign) {
  prediction_sizes_t all = prediction_sizes_make();
  for (size_t i = 0; i < prediction_row_count(campaign->prediction); i++) {
    const prediction_row_t *row = prediction_row(campaign->prediction, i);
    for (guint j = 0; j < row->sizes.sizes->len; j++) {
      const prediction_size_t *size = &g_array_index(row->sizes.sizes, prediction_size_t, j);
      for (uint64_t k = 0; k < size->cases; k++) {
        prediction_sizes_add(&all, size->term_count, k < size->changed);
      }
    }
  }
  return all;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void test_unchanged_is_silent(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_adder(fixture, &EIGHT);
  campaign_t campaign = run_campaign(fixture, EIGHT, NULL, false);
  g_assert_cmpuint(session_finding_count(campaign.session), ==, 0);
  g_assert_cmpuint(prediction_uncovered(campaign.prediction, 0), ==, 0);
  prediction_sizes_t all = all_sizes(&campaign);
  g_assert_cmpuint(all.cases, ==, 6000);
  g_assert_cmpuint(all.changed, ==, 0);
  g_assert_cmpuint(all.sizes->len, ==, LENGTHS);
  prediction_change_t change;
  g_assert_false(prediction_sizes_change(&all, &change));
  prediction_sizes_free(&all);
  close_campaign(&campaign);
}

/* Every verdict of the oracle is "conforms": only the prediction tells. */
static void test_changed_is_found(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_adder(fixture, &EIGHT);
  campaign_t campaign = run_campaign(fixture, SIXTEEN, NULL, false);
  prediction_sizes_t all = all_sizes(&campaign);
  g_assert_cmpuint(all.changed, >, 0);
  g_assert_cmpuint(count_outcome(&campaign, OUTCOME_diverges), ==, all.changed);
  for (size_t i = 0; i < session_finding_count(campaign.session); i++) {
    const verdict_t *verdict = &session_finding(campaign.session, i)->verdict;
    g_assert_cmpint(verdict->class_, ==, CLASS_order);
    g_assert_cmpstr(verdict->observed, ==, "not as version tester 1");
    g_assert_cmpstr(verdict->got, !=, verdict->expected);
    g_assert_cmpuint(verdict->wrong_count, ==, 1);
  }
  prediction_change_t change;
  g_assert_true(prediction_sizes_change(&all, &change));
  g_assert_cmpuint(change.low, ==, 32);
  g_assert_cmpuint(change.high, ==, LENGTHS);
  g_assert_cmpuint(change.before, ==, 31);
  g_assert_false(change.has_after);
  g_assert_cmpuint(change.sizes_changed, ==, LENGTHS - 31);
  g_autoptr(GString) text = g_string_new(NULL);
  prediction_change_print(&change, text);
  g_assert_cmpstr(text->str, ==,
                  "n = 32 .. 64 (all 33 lengths drawn there), as predicted up to n = 31");
  prediction_sizes_free(&all);
  close_campaign(&campaign);
}

/* What the oracle calls wrong stays what it is. */
static void test_wrong_keeps_its_class(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_adder(fixture, &EIGHT);
  adder_kind_t wrong = EIGHT;
  wrong.is_wrong = true;
  campaign_t campaign = run_campaign(fixture, wrong, NULL, false);
  bool has_value = false;
  for (size_t i = 0; i < session_finding_count(campaign.session); i++) {
    has_value |= session_finding(campaign.session, i)->verdict.class_ == CLASS_value;
  }
  g_assert_true(has_value);
  close_campaign(&campaign);
}

/* Cases that no profile covers are judged, and never counted as predicted. */
static void test_uncovered(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_adder(fixture, &EIGHT);
  campaign_t campaign = run_campaign(fixture, SIXTEEN, NULL, true);
  prediction_sizes_t all = all_sizes(&campaign);
  uint64_t uncovered = prediction_uncovered(campaign.prediction, 0);
  g_assert_cmpuint(uncovered, >, 0);
  uint64_t answered = count_outcome(&campaign, OUTCOME_conforms) +
                      count_outcome(&campaign, OUTCOME_weak) +
                      count_outcome(&campaign, OUTCOME_diverges);
  uint64_t invalid = 0; /* Answered by refusing an invalid program. */
  for (size_t i = 0; i < tally_count(session_tally(campaign.session)); i++) {
    const tally_row_t *row = tally_at(session_tally(campaign.session), i);
    if (row->is_invalid && row->outcome != OUTCOME_refused) invalid += row->cases;
  }
  g_assert_cmpuint(uncovered + all.cases, ==, answered - invalid);
  prediction_sizes_free(&all);
  close_campaign(&campaign);
}

/* Which version predicts: the last other one, its own, or the one that is named. */
static void test_reference(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_adder(fixture, &EIGHT);
  store_adder(fixture, &SIXTEEN);
  static const struct {
    const char *reference;
    bool is_silent;
    bool is_own;
  } rows[] = {{NULL, false, false},
              {"own", true, true},
              {"tester 1", false, false},
              {"tester 2", true, true}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    campaign_t campaign = run_campaign(fixture, SIXTEEN, rows[i].reference, false);
    g_test_message("reference %s", rows[i].reference == NULL ? "none" : rows[i].reference);
    g_assert_cmpint(session_finding_count(campaign.session) == 0, ==, rows[i].is_silent);
    g_assert_cmpint(prediction_row(campaign.prediction, 0)->is_own, ==, rows[i].is_own);
    close_campaign(&campaign);
  }
}

static void assert_refused(store_fixture_t *fixture, const char *reference, const char *words) {
  executor_t *executor = open_adder(EIGHT);
  const prediction_options_t options = {.database = fixture->path,
                                        .executors = &executor,
                                        .executor_count = 1,
                                        .reference = reference};
  prediction_t *prediction = NULL;
  ASSERT_FAILS(fixture, prediction_open(&options, &prediction, &fixture->error), STATUS_INVALID,
               words);
  executor_close(executor);
}

static void test_refused(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  assert_refused(fixture, NULL, "has no profile of model:adder; store one first: `assay identify");
  store_adder(fixture, &SIXTEEN);
  assert_refused(fixture, "tester 1", "none of version \"tester 1\"");
  store_t *store = open_store(fixture);
  const store_executor_t executor = {.name = "model:adder", .version = "1", .hardware = "any"};
  store_profile_t profile = {.op = example_op(EXAMPLE_SUM)->name,
                             .algorithm = "add",
                             .types = "f32,f32->f32",
                             .shape = SHAPE,
                             .terms_low = 1,
                             .terms_high = 1,
                             .program_line = "stablehlo.reduce body=add dims=[7]",
                             .text = "nonsense",
                             .rule = "",
                             .words = ""};
  ASSERT_OK(fixture, store_add_executor(store, &executor, &profile.executor_id, &fixture->error));
  bool is_new;
  ASSERT_OK(fixture, store_add_profile(store, &profile, &is_new, &fixture->error));
  close_store(fixture, store);
  assert_refused(fixture, NULL, "a profile without a program");
}

static void test_sizes(void) {
  prediction_sizes_t sizes = prediction_sizes_make();
  static const uint64_t drawn[] = {40, 3, 17, 5, 100, 64, 17, 33};
  for (size_t i = 0; i < G_N_ELEMENTS(drawn); i++) {
    prediction_sizes_add(&sizes, drawn[i], drawn[i] >= 17 && drawn[i] <= 64 && drawn[i] != 33);
  }
  prediction_change_t change;
  g_assert_true(prediction_sizes_change(&sizes, &change));
  g_autoptr(GString) text = g_string_new(NULL);
  prediction_change_print(&change, text);
  g_assert_cmpstr(text->str, ==,
                  "n = 17 .. 64 (3 of 4 lengths drawn there), as predicted up to n = 5, as "
                  "predicted from n = 100 on");
  g_assert_cmpuint(sizes.cases, ==, 8);
  g_assert_cmpuint(sizes.sizes->len, ==, 7);
  prediction_sizes_free(&sizes);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  STORE_TEST("/prediction/unchanged-is-silent", test_unchanged_is_silent);
  STORE_TEST("/prediction/changed-is-found", test_changed_is_found);
  STORE_TEST("/prediction/wrong-keeps-its-class", test_wrong_keeps_its_class);
  STORE_TEST("/prediction/uncovered", test_uncovered);
  STORE_TEST("/prediction/reference", test_reference);
  STORE_TEST("/prediction/refused", test_refused);
  g_test_add_func("/prediction/sizes", test_sizes);
  return g_test_run();
}
