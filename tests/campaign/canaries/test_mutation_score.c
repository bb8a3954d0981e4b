/* SPDX-License-Identifier: Apache-2.0 */
/* The floor under how soon canaries are found: of those that small programs show a share within a
 * few cases.  tests/bench/bench_canaries tells how soon, by stratum and terms and with more seeds.
 */
#include <inttypes.h>

#include "tests/campaign/canaries/canary_search.h"

enum { CASES = 48, SEED = 1, SMALL_CANARIES_MIN = 400, MODULE_CANARIES_MIN = 40 };

/* Within CASES small cases of the corner with seed SEED: 85 % of single ops when this was written.
 * Some five of them come and go with what is drawn.  Of modules, which are of eight families, 41 %:
 * some three come and go. */
static const double FLOOR = 0.84, MODULE_FLOOR = 0.37;

typedef struct score {
  size_t searched;
  size_t found;
} score_t;

static bool is_of_modules(const canary_t *canary) { return g_str_equal(canary->ops, "module"); }

static score_t find_score(bool of_modules) {
  const canary_limits_t limits = {.cases = CASES, .small_sizes = true};
  score_t score = {0};
  for (size_t i = 0; i < G_N_ELEMENTS(canaries); i++) {
    const canary_t *canary = &canaries[i];
    if (canary->is_large || is_of_modules(canary) != of_modules) continue;
    const canary_search_t search = canary_search(canary, STRATUM_corner, SEED, &limits);
    g_assert_cmpuint(search.cases, >, 0);
    score.searched++;
    score.found += search.is_found;
    if (search.is_found) continue;
    g_test_message("%s (%s): not found in %" PRIu64 " cases", canary->name, canary->ops,
                   search.cases);
  }
  g_test_message("%.1f %% of %zu are found within %d cases",
                 100 * (double)score.found / (double)score.searched, score.searched, CASES);
  return score;
}

static void test_score(void) {
  score_t score = find_score(false);
  g_assert_cmpuint(score.searched, >=, SMALL_CANARIES_MIN);
  g_assert_cmpfloat((double)score.found / (double)score.searched, >=, FLOOR);
}

static void test_module_score(void) {
  score_t score = find_score(true);
  g_assert_cmpuint(score.searched, >=, MODULE_CANARIES_MIN);
  g_assert_cmpfloat((double)score.found / (double)score.searched, >=, MODULE_FLOOR);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/canaries/score", test_score);
  g_test_add_func("/canaries/module-score", test_module_score);
  return g_test_run();
}
