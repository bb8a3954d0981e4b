/* SPDX-License-Identifier: Apache-2.0 */
/* Sharing the time of a campaign among executors: floors are kept, yield is rewarded; and between
 * searching and drawing. */
#include "harness/campaign/share.h"

#include <glib.h>

#include "harness/base/rng.h"
#include "harness/campaign/time_slice.h"

enum { ITEMS = 4, SLICES = 2000 };

/* Runs slices one after the other; what item i brings a minute is up to the caller. */
static void run(campaign_share_item_t *items, const uint64_t *findings_per_slice, rng_t *rng) {
  for (int i = 0; i < SLICES; i++) {
    size_t pick = campaign_share_pick(items, ITEMS);
    g_assert_cmpuint(pick, <, ITEMS);
    double planned = 30;
    double spent = 20 + (double)rng_below(rng, 20);
    campaign_share_begin(&items[pick], planned);
    const campaign_share_yield_t yield = {.seconds_planned = planned,
                                          .seconds = spent,
                                          .cases = 1,
                                          .findings_new = findings_per_slice[pick]};
    campaign_share_end(&items[pick], &yield);
  }
}

static double total(const campaign_share_item_t *items) {
  double seconds = 0;
  for (size_t i = 0; i < ITEMS; i++) seconds += items[i].seconds;
  return seconds;
}

static void test_nothing_found_is_even(void) {
  rng_t rng = rng_make(1);
  campaign_share_item_t items[ITEMS] = {{0}};
  run(items, (const uint64_t[ITEMS]){0}, &rng);
  for (size_t i = 0; i < ITEMS; i++) {
    g_assert_cmpfloat_with_epsilon(items[i].seconds / total(items), 1.0 / (double)ITEMS, 0.01);
  }
}

static void test_yield_is_rewarded_and_floors_are_kept(void) {
  rng_t rng = rng_make(2);
  campaign_share_item_t items[ITEMS] = {{0}};
  run(items, (const uint64_t[ITEMS]){0, 8, 2, 0}, &rng);
  for (size_t i = 0; i < ITEMS; i++) {
    double share = items[i].seconds / total(items);
    g_assert_cmpfloat(share, >, CAMPAIGN_SHARE_FLOOR / (double)ITEMS - 0.01);
  }
  g_assert_cmpfloat(items[1].seconds, >, 1.5 * items[2].seconds);
  g_assert_cmpfloat(items[2].seconds, >, items[0].seconds);
}

/* What paid once does not pay for ever. */
static void test_yield_decays(void) {
  rng_t rng = rng_make(3);
  campaign_share_item_t items[ITEMS] = {{0}};
  run(items, (const uint64_t[ITEMS]){9, 0, 0, 0}, &rng);
  double before = items[0].seconds;
  double all_before = total(items);
  run(items, (const uint64_t[ITEMS]){0, 9, 0, 0}, &rng);
  double share = (items[0].seconds - before) / (total(items) - all_before);
  g_assert_cmpfloat(share, <, 0.2);
}

static void test_failures_set_aside(void) {
  campaign_share_item_t items[2] = {{0}};
  const campaign_share_yield_t nothing = {.seconds_planned = 5, .seconds = 1};
  const campaign_share_yield_t something = {.seconds_planned = 5, .seconds = 5, .cases = 1};
  for (int i = 0; i < CAMPAIGN_SHARE_FAILURES_MAX - 1; i++) {
    campaign_share_begin(&items[0], 5);
    campaign_share_end(&items[0], &nothing);
  }
  campaign_share_begin(&items[0], 5);
  campaign_share_end(&items[0], &something); /* A case in between makes it good. */
  g_assert_false(items[0].set_aside);
  for (int i = 0; i < CAMPAIGN_SHARE_FAILURES_MAX; i++) {
    g_assert_false(items[0].set_aside);
    campaign_share_begin(&items[0], 5);
    campaign_share_end(&items[0], &nothing);
  }
  g_assert_true(items[0].set_aside);
  for (int i = 0; i < 20; i++) {
    g_assert_cmpuint(campaign_share_pick(items, 2), ==, 1);
    campaign_share_begin(&items[1], 5);
    campaign_share_end(&items[1], &something);
  }
  items[1].set_aside = true;
  g_assert_cmpuint(campaign_share_pick(items, 2), ==, 2);
}

/* A slice in four draws, and every other one where compiling is dear; the first one searches. */
static void test_rounds_that_draw(void) {
  enum { ROUNDS = 40 };
  for (int dear = 0; dear <= 1; dear++) {
    unsigned drawn = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
      drawn += time_slice_kind_of_round(round, dear != 0) == TIME_SLICE_DRAW;
    }
    g_assert_cmpuint(drawn, ==, dear != 0 ? ROUNDS / 2 : ROUNDS / 4);
    g_assert_cmpint(time_slice_kind_of_round(0, dear != 0), ==, TIME_SLICE_SEARCH);
    g_assert_cmpint(time_slice_kind_of_round(1, dear != 0), ==, TIME_SLICE_DRAW);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/campaign-share/even", test_nothing_found_is_even);
  g_test_add_func("/campaign-share/yield", test_yield_is_rewarded_and_floors_are_kept);
  g_test_add_func("/campaign-share/decay", test_yield_decays);
  g_test_add_func("/campaign-share/failures", test_failures_set_aside);
  g_test_add_func("/campaign-share/rounds", test_rounds_that_draw);
  return g_test_run();
}
