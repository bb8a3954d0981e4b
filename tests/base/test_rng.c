/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers and hashes whose values are stored in databases: the same for ever. */
#include "harness/base/rng.h"

#include <glib.h>
#include <string.h>

#include "harness/base/hash.h"

/* The published test vector of xoshiro256** for the state 1, 2, 3, 4. */
static void test_xoshiro(void) {
  static const uint64_t expected[] = {
      11520u,
      0u,
      1509978240u,
      1215971899390074240u,
      1216172134540287360u,
      607988272756665600u,
      16172922978634559625u,
      8476171486693032832u,
      10595114339597558777u,
      2904607092377533576u,
  };
  rng_t rng = {.state = {1, 2, 3, 4}};
  for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
    g_assert_cmpuint(rng_bits(&rng), ==, expected[i]);
  }
}

/* The published test vector of splitmix64 for the seed 1234567. */
static void test_splitmix(void) {
  static const uint64_t expected[] = {
      6457827717110365317u, 3203168211198807973u,  9817491932198370423u,
      4593380528125082431u, 16408922859458223821u,
  };
  uint64_t state = 1234567;
  for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
    g_assert_cmpuint(rng_splitmix(&state), ==, expected[i]);
  }
  rng_t rng = rng_make(1234567);
  for (size_t i = 0; i < 4; i++) g_assert_cmpuint(rng.state[i], ==, expected[i]);
}

/* The first numbers of a seed, as seen when this test was written. */
static void test_pinned(void) {
  rng_t rng = rng_make(1);
  g_assert_cmphex(rng_bits(&rng), ==, UINT64_C(0xb3f2af6d0fc710c5));
  g_assert_cmphex(rng_bits(&rng), ==, UINT64_C(0x853b559647364cea));
  g_assert_cmpuint(rng_below(&rng, 1000), ==, 574);
  g_assert_cmpint(rng_between(&rng, -50, 50), ==, -11);
}

/* Every value of a small range comes up about equally often, and no other does. */
static void test_ranges(void) {
  enum { BOUND = 7, DRAWS = 70000 };
  rng_t rng = rng_make(2);
  int below[BOUND] = {0};
  int between[BOUND] = {0};
  int hits = 0;
  for (int i = 0; i < DRAWS; i++) {
    uint64_t value = rng_below(&rng, BOUND);
    g_assert_cmpuint(value, <, BOUND);
    below[value]++;
    int64_t offset = rng_between(&rng, -3, 3);
    g_assert_cmpint(offset, >=, -3);
    g_assert_cmpint(offset, <=, 3);
    between[offset + 3]++;
    hits += rng_one_in(&rng, 10);
  }
  for (int i = 0; i < BOUND; i++) {
    g_assert_cmpint(ABS(below[i] - DRAWS / BOUND), <, 500);
    g_assert_cmpint(ABS(between[i] - DRAWS / BOUND), <, 500);
  }
  g_assert_cmpint(ABS(hits - DRAWS / 10), <, 500);
  for (int i = 0; i < 100; i++) {
    g_assert_cmpuint(rng_below(&rng, 1), ==, 0);
    g_assert_cmpint(rng_between(&rng, INT64_MAX, INT64_MAX), ==, INT64_MAX);
    g_assert_true(rng_one_in(&rng, 1));
  }
}

/* Ranges wider than INT64_MAX do not overflow. */
static void test_wide_range(void) {
  static const int64_t lows[] = {INT64_MIN, INT64_MIN + 1};
  for (size_t i = 0; i < G_N_ELEMENTS(lows); i++) {
    rng_t rng = rng_make(3);
    int negatives = 0;
    for (int j = 0; j < 1000; j++) negatives += rng_between(&rng, lows[i], INT64_MAX) < 0;
    g_assert_cmpint(negatives, >, 400);
    g_assert_cmpint(negatives, <, 600);
  }
}

/* XXH3-128 without seed; the first is its published value for no bytes. */
static void test_hash(void) {
  g_assert_cmpstr(hash_of("", 0).text, ==, "99aa06d3014798d86001c324468d497f");
  g_assert_cmpstr(hash_of("abc", 3).text, ==, "06b05ab6733a618578af5f94892f3950");
  g_assert_cmpstr(hash_of("abd", 3).text, !=, hash_of("abc", 3).text);
  g_assert_cmpuint(strlen(hash_of("abc", 3).text), ==, HASH_TEXT_BYTES - 1);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rng/xoshiro", test_xoshiro);
  g_test_add_func("/rng/splitmix", test_splitmix);
  g_test_add_func("/rng/pinned", test_pinned);
  g_test_add_func("/rng/ranges", test_ranges);
  g_test_add_func("/rng/wide_range", test_wide_range);
  g_test_add_func("/hash/pinned", test_hash);
  return g_test_run();
}
