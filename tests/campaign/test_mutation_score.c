/* SPDX-License-Identifier: Apache-2.0 */
/* The floor under how soon canaries are found: of those that small programs show a share within a
 * few cases.  tests/bench/bench_canaries tells how soon, by stratum and terms and with more seeds.
 */
#include <inttypes.h>

#include "tests/campaign/canary_search.h"

enum { CASES = 48, SEED = 1, SMALL_CANARIES_MIN = 400 };

/* Within CASES small cases of the corner with seed SEED: 84 % when this was written.  Some five of
 * them come and go with what is drawn. */
static const double FLOOR = 0.82;

static void test_score(void) {
  const canary_limits_t limits = {.cases = CASES, .small_sizes = true};
  size_t searched = 0, found = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(canaries); i++) {
    if (canaries[i].is_large) continue;
    const canary_search_t search = canary_search(&canaries[i], STRATUM_corner, SEED, &limits);
    g_assert_cmpuint(search.cases, >, 0);
    searched++;
    found += search.is_found;
    if (search.is_found) continue;
    g_test_message("%s (%s): not found in %" PRIu64 " cases", canaries[i].name, canaries[i].ops,
                   search.cases);
  }
  double share = (double)found / (double)searched;
  g_test_message("%.1f %% of %zu are found within %d cases", 100 * share, searched, CASES);
  g_assert_cmpuint(searched, >=, SMALL_CANARIES_MIN);
  g_assert_cmpfloat(share, >=, FLOOR);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/canaries/score", test_score);
  return g_test_run();
}
