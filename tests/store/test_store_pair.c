/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of executors: counts add up, in memory and in the database, and each key is its own. */
#include "tests/store/store_fixture.h"

static const char ALL_COUNTS[] =
    "SELECT cases, alike_wrong, different, both_conform, first_diverges, second_diverges, "
    "both_diverge, undecided FROM pair";

static void test_counts_add_up(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  int64_t x = add_executor(fixture, store, "x");
  store_pair_t pair = sample_pair(run_id, x, add_executor(fixture, store, "y"));
  store_add_pair(store, &pair);
  store_add_pair(store, &pair);
  ASSERT_OK(fixture, store_end_run(store, run_id, 0, &fixture->error));
  assert_query(fixture, ALL_COUNTS, "200|12|30|10|8|6|4|2");
  store_add_pair(store, &pair); /* Now SQL has to add. */
  store_pair_t none = {.run_id = run_id, .op = "op", .algorithm = "", .types = ""};
  store_add_pair(store, &none); /* Not even a row. */
  close_store(fixture, store);
  assert_query(fixture, ALL_COUNTS, "300|18|45|15|12|9|6|3");
}

static void test_keys(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  int64_t x = add_executor(fixture, store, "x");
  int64_t y = add_executor(fixture, store, "y");
  const store_pair_t same = sample_pair(run_id, x, y);
  store_pair_t variants[6] = {same, same, same, same, same, same};
  variants[0].run_id = begin_run(fixture, store);
  variants[1].first_executor_id = y;
  variants[2].second_executor_id = x;
  variants[3].op = "stablehlo.dot_general";
  variants[4].algorithm = "maximum";
  variants[5].types = "f64,f64->f64";
  for (int twice = 0; twice < 2; twice++) {
    store_add_pair(store, &same);
    for (size_t i = 0; i < G_N_ELEMENTS(variants); i++) store_add_pair(store, &variants[i]);
    ASSERT_OK(fixture, store_end_run(store, run_id, 0, &fixture->error));
  }
  close_store(fixture, store);
  assert_query(fixture, "SELECT count(*), min(cases), max(cases) FROM pair", "7|200|200");
}

/* One run had the executors in one order, another in the other: who is to blame stays. */
static void test_order_of_a_run(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t x = add_executor(fixture, store, "x");
  int64_t y = add_executor(fixture, store, "y");
  store_pair_t forward = sample_pair(begin_run(fixture, store), x, y);
  store_pair_t backward = sample_pair(begin_run(fixture, store), y, x);
  backward.second_diverges += 10; /* x it is. */
  backward.different += 10;
  store_add_pair(store, &forward);
  store_add_pair(store, &backward);
  close_store(fixture, store);
  assert_query(fixture,
               "SELECT first, second, op, algorithm, types, cases, alike_wrong, different, "
               "both_conform, first_diverges, second_diverges, both_diverge, undecided "
               "FROM agreement",
               "x|y|stablehlo.reduce|add|f32,f32->f32|200|12|40|10|17|7|4|2");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  STORE_TEST("/store-pair/counts-add-up", test_counts_add_up);
  STORE_TEST("/store-pair/keys", test_keys);
  STORE_TEST("/store-pair/order-of-a-run", test_order_of_a_run);
  return g_test_run();
}
