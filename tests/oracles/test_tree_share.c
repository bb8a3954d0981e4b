/* SPDX-License-Identifier: Apache-2.0 */
/* Which sums of a case are judged by their trees: all of few, a share of many, and the same ones
 * whatever the order of their terms. */
#include "harness/base/rng.h"
#include "oracles/exact/any_order/share.h"
#include "oracles/exact/any_order/terms.h"

#include <glib.h>
#include <math.h>

static double draw_number(rng_t *rng) { return (double)rng_between(rng, -(1 << 20), 1 << 20); }

static void test_few_sums(void) {
  for (size_t terms = 0; terms <= FEW_TERMS_MAX; terms++) {
    g_assert_cmpuint(tree_share_divisor(0, terms), ==, 1); /* A sum that is alone. */
    g_assert_cmpuint(tree_share_divisor(1, terms), ==, 1);
  }
  g_assert_cmpuint(tree_share_divisor(40, 3), ==, 1);
  g_assert_cmpuint(tree_share_divisor(64, 8), ==, 64);
}

/* So that what a case costs does not grow with the number of its sums. */
static void test_many_sums(void) {
  const double affordable = (double)1000000 / (double)tree_share_divisor(1000000, 3);
  g_assert_cmpfloat(affordable, <=, 64);
  g_assert_cmpfloat(affordable, >, 16);
  enum { SUMS = 20000, TERMS = 3, DIVISOR = 10 };
  rng_t rng = rng_make(1);
  size_t chosen = 0;
  for (size_t i = 0; i < SUMS; i++) {
    double left[TERMS], right[TERMS];
    for (size_t k = 0; k < TERMS; k++) {
      left[k] = draw_number(&rng);
      right[k] = draw_number(&rng);
    }
    chosen += tree_share_has(DIVISOR, TERMS, left, right);
  }
  g_assert_cmpuint(chosen, >, SUMS / DIVISOR * 9 / 10);
  g_assert_cmpuint(chosen, <, SUMS / DIVISOR * 11 / 10);
}

static void test_order_of_terms(void) {
  enum { SUMS = 1000, TERMS = 4 };
  rng_t rng = rng_make(2);
  size_t chosen = 0;
  for (size_t i = 0; i < SUMS; i++) {
    double terms[TERMS] = {draw_number(&rng), NAN, 0.0, draw_number(&rng)};
    double turned[TERMS] = {terms[3], -0.0, terms[0], -NAN};
    bool is_chosen = tree_share_has(3, TERMS, terms, NULL);
    g_assert_true(tree_share_has(3, TERMS, turned, NULL) == is_chosen);
    chosen += is_chosen;
  }
  g_assert_cmpuint(chosen, >, SUMS / 4);
  g_assert_cmpuint(chosen, <, SUMS / 2);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/tree-share/few-sums", test_few_sums);
  g_test_add_func("/tree-share/many-sums", test_many_sums);
  g_test_add_func("/tree-share/order-of-terms", test_order_of_terms);
  return g_test_run();
}
