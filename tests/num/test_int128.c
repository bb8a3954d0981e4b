/* SPDX-License-Identifier: Apache-2.0 */
/* Products of 128-bit integers by parts, against the compiler's where it has them: near the ends of
 * the range, and random ones of all lengths. */
#include <glib.h>

#include "harness/base/rng.h"
#include "harness/num/int128.h"

static void compare(int128_t a, int128_t b) {
  int128_t expected, product;
  bool overflows = int128_multiply_by_parts(a, b, &expected);
#ifdef INT128_HAS_BUILTIN
  g_assert_true(__builtin_mul_overflow(a, b, &product) == overflows);
  g_assert_true(product == expected);
#endif
  g_assert_true(int128_multiply_overflows(a, b, &product) == overflows);
  g_assert_true(product == expected);
}

static const int128_t one = 1;

static void test_ends(void) {
  for (int i = 0; i < 127; i++) {
    for (int k = 0; k < 127; k++) {
      for (int near = -2; near <= 2; near++) {
        compare((one << i) + near, one << k);
        compare(-(one << i) + near, one << k);
        compare(-(one << i) + near, -(one << k) + near);
        compare((one << i) + near, (int128_t)((uint128_t)1 << 127) + (near < 0 ? -near : near));
      }
    }
  }
}

static void test_random(void) {
  rng_t rng = rng_make(1);
  for (int i = 0; i < 1000000; i++) {
    int128_t numbers[2];
    for (int k = 0; k < 2; k++) {
      uint128_t bits = (uint128_t)rng_bits(&rng) << 64 | rng_bits(&rng);
      numbers[k] = (int128_t)(bits) >> rng_below(&rng, 128);
    }
    compare(numbers[0], numbers[1]);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/int128/ends", test_ends);
  g_test_add_func("/int128/random", test_random);
  return g_test_run();
}
