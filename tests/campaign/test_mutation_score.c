/* SPDX-License-Identifier: Apache-2.0 */
/* How soon canaries are found: after how many cases, by the stratum that these come from and by
 * their terms.  In CI a few cases of the corner, with one seed, of which a share of all canaries
 * must be found; tests/nightly/canaries asks for more through the environment:
 *
 *   ASSAY_SCORE_SEEDS    seeds of each canary and stratum (default 1)
 *   ASSAY_SCORE_CASES    cases drawn for each of these (default 48)
 *   ASSAY_SCORE_STRATA   "all": every stratum, by programs as large as theirs (default: the corner)
 *   ASSAY_SCORE_TABLE    the file to which tables go, as Markdown */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "harness/power/table.h"
#include "tests/campaign/canary_list.h"

enum { SEEDS = 1, CASES = 48 };

/* Of all canaries that small programs show, within CASES small cases of the corner with seed 1: 80
 * % when this was written.  Some five of them come and go with what is drawn. */
static const double FLOOR = 0.78;

typedef struct settings {
  uint64_t seeds, cases;
  bool has_all_strata;
} settings_t;

static uint64_t from_environment(const char *name, uint64_t otherwise) {
  const char *text = g_getenv(name);
  return text == NULL ? otherwise : g_ascii_strtoull(text, NULL, 10);
}

/* ---- Scores ---------------------------------------------------------------------------------- */

/* Searches, each of one canary with one seed. */
typedef struct score {
  uint64_t searches; /* That drew a case of it. */
  GArray *found;     /* Of double: after how many of these cases, where it was found; owned. */
} score_t;

/* Of a stratum: of all its cases, and of those with so many terms. */
typedef struct stratum_score {
  score_t all;
  score_t by_terms[TERM_BUCKETS];
} stratum_score_t;

static void score_init(score_t *score) {
  *score = (score_t){.found = g_array_new(FALSE, FALSE, sizeof(double))};
}

static void score_add(score_t *score, uint64_t cases, uint64_t first) {
  if (cases == 0) return;
  score->searches++;
  double number = (double)first;
  if (first > 0) g_array_append_val(score->found, number);
}

/* Not found is later than any case. */
static double score_quantile(const score_t *score, double share) {
  g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(double));
  g_array_append_vals(all, score->found->data, score->found->len);
  for (uint64_t i = score->found->len; i < score->searches; i++) {
    double never = INFINITY;
    g_array_append_val(all, never);
  }
  return power_quantile(all, share);
}

static double score_share(const score_t *score) {
  return score->searches == 0 ? 0 : (double)score->found->len / (double)score->searches;
}

/* ---- Searching ------------------------------------------------------------------------------- */

/* Cases drawn so far and the first that diverged, by terms, and of all in the last place. */
typedef struct search {
  uint64_t cases[TERM_BUCKETS + 1], first[TERM_BUCKETS + 1];
} search_t;

static status_t note_answer(void *context, const session_t *session, const session_answer_t *answer,
                            failure_t *error) {
  (void)session;
  (void)error;
  search_t *search = context;
  const outcome_t outcome = answer->verdict->outcome;
  if (outcome == OUTCOME_refused || answer->verdict->constraint[0] != '\0') return STATUS_OK;
  const size_t places[] = {term_bucket(program_terms(&answer->instance->program)), TERM_BUCKETS};
  for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
    search->cases[places[i]]++;
    bool is_first = search->first[places[i]] == 0 && outcome == OUTCOME_diverges;
    if (is_first) search->first[places[i]] = search->cases[places[i]];
  }
  return STATUS_OK;
}

static void search_canary(const canary_t *canary, stratum_t stratum, uint64_t seed,
                          const settings_t *settings, stratum_score_t *score) {
  executor_t *executor = canary_open(canary->name);
  const op_t *ops[CANARY_OPS_MAX];
  search_t search = {0};
  session_options_t options = {.stream = {.ops = ops,
                                          .gen = gen_options_default(),
                                          .leaves_out_invalid = true,
                                          .seed = seed},
                               .executors = &executor,
                               .executor_count = 1,
                               .draws_max = settings->cases,
                               .command = "test",
                               .assay_version = "test",
                               .on_answer = note_answer,
                               .hook_context = &search};
  options.stream.op_count = canary_find_ops(canary->ops, ops);
  options.stream.gen.strata.shares[stratum] = 1;
  if (!settings->has_all_strata) {
    options.stream.gen.limits = (draw_limits_t){.rank_max = 4, .elements_max = 64, .terms_max = 24};
  }
  failure_t error = {0};
  session_t *session = NULL;
  if (contract_parse(str_from(canary->contract), &options.contract, &error) != STATUS_OK) {
    g_error("%s: %s", canary->contract, error.text);
  }
  options.stream.gen.contract = &options.contract;
  if (session_open(&options, &session, &error) != STATUS_OK ||
      session_run(session, &error) != STATUS_OK) {
    g_error("%s: %s: %s", canary->name, error.text,
            session == NULL ? "" : session_bug_case(session));
  }
  session_close(session, 0, NULL);
  executor_close(executor);
  score_add(&score->all, search.cases[TERM_BUCKETS], search.first[TERM_BUCKETS]);
  for (size_t i = 0; i < TERM_BUCKETS; i++) {
    score_add(&score->by_terms[i], search.cases[i], search.first[i]);
  }
  if (search.first[TERM_BUCKETS] == 0) {
    g_test_message("%s (%s): not found in %" PRIu64 " cases of %s, seed %" PRIu64, canary->name,
                   canary->ops, search.cases[TERM_BUCKETS], stratum_name(stratum), seed);
  }
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void print_number(double value, GString *out) {
  if (isfinite(value)) {
    g_string_append_printf(out, " | %.0f", value);
  } else {
    g_string_append(out, " | -");
  }
}

static void print_score(const char *name, const char *terms, const score_t *score, GString *out) {
  if (score->searches == 0) return;
  g_string_append_printf(out, "| %s | %s | %" PRIu64 " | %.1f %%", name, terms, score->searches,
                         100 * score_share(score));
  print_number(score_quantile(score, 0.5), out);
  print_number(score_quantile(score, 0.9), out);
  g_string_append(out, " |\n");
}

static void print_stratum(stratum_t stratum, const stratum_score_t *score, GString *out) {
  print_score(stratum_name(stratum), "any", &score->all, out);
  for (size_t i = 0; i < TERM_BUCKETS; i++) {
    g_autofree char *terms =
        i == 0 ? g_strdup("1") : g_strdup_printf("from %zu", term_bucket_low(i));
    print_score(stratum_name(stratum), terms, &score->by_terms[i], out);
  }
}

static void write_table(const GString *table) {
  const char *path = g_getenv("ASSAY_SCORE_TABLE");
  if (path == NULL) return;
  GError *error = NULL;
  if (!g_file_set_contents(path, table->str, (gssize)table->len, &error))
    g_error("%s", error->message);
}

static void test_score(void) {
  const settings_t settings = {.seeds = from_environment("ASSAY_SCORE_SEEDS", SEEDS),
                               .cases = from_environment("ASSAY_SCORE_CASES", CASES),
                               .has_all_strata = g_getenv("ASSAY_SCORE_STRATA") != NULL};
  g_autoptr(GString) table = g_string_new(
      "| stratum | terms | searches | found | median cases | 90 % |\n| --- | --- | --- | --- | --- "
      "| --- |\n");
  for (int s = 0; s < STRATUM_COUNT; s++) {
    stratum_t stratum = (stratum_t)s;
    if (stratum != STRATUM_corner && !settings.has_all_strata) continue;
    stratum_score_t score;
    size_t small = 0;
    score_init(&score.all);
    for (size_t i = 0; i < TERM_BUCKETS; i++) score_init(&score.by_terms[i]);
    for (size_t c = 0; c < G_N_ELEMENTS(canaries); c++) {
      if (canaries[c].is_large && !settings.has_all_strata) continue;
      small += canaries[c].is_large ? 0 : 1;
      for (uint64_t seed = 1; seed <= settings.seeds; seed++) {
        search_canary(&canaries[c], stratum, seed, &settings, &score);
      }
    }
    print_stratum(stratum, &score, table);
    if (stratum == STRATUM_corner) {
      g_test_message("%.1f %% of %" PRIu64 " are found within %" PRIu64 " cases",
                     100 * score_share(&score.all), score.all.searches, settings.cases);
      g_assert_cmpuint(score.all.searches, >=, small * settings.seeds * 9 / 10);
      g_assert_cmpfloat(score_share(&score.all), >=, FLOOR);
    }
    g_array_unref(score.all.found);
    for (size_t i = 0; i < TERM_BUCKETS; i++) g_array_unref(score.by_terms[i].found);
  }
  g_test_message("\n%s", table->str);
  write_table(table);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/canaries/score", test_score);
  return g_test_run();
}
