/* SPDX-License-Identifier: Apache-2.0 */
/* How sharp sums and dot products of few f32 terms are judged in any order: of the neighbours of a
 * right result hardly more conform than brute force (reach.h) reaches.  And of K = 3 the errors of
 * one pattern are caught. */
#include "harness/base/rng.h"
#include "oracles/exact/sum/problem.h"
#include "tests/ops/reach.h"

enum { NEIGHBOURS = 12, CASES = 60 };

typedef struct tally {
  size_t reached, accepted, refused;
  size_t wrong, caught; /* Of the two patterns next to a plain sequential result. */
} tally_t;

typedef struct terms {
  size_t count;
  bool are_products;
  double left[REACH_TERMS_MAX], right[REACH_TERMS_MAX];
} terms_t;

/* Uniform in -1 .. 1. */
static double draw_number(rng_t *rng) {
  return (float)ldexp((double)rng_between(rng, -(1 << 30), 1 << 30), -30);
}

static terms_t draw_terms(rng_t *rng, size_t count, bool are_products) {
  terms_t terms = {.count = count, .are_products = are_products};
  for (size_t i = 0; i < count; i++) {
    terms.left[i] = draw_number(rng);
    terms.right[i] = draw_number(rng);
  }
  return terms;
}

/* Adds what trees of plain and fused nodes reach, and others with wider nodes of one width. */
static void add_reached(const terms_t *terms, const contract_t *contract, int extra_bits,
                        reach_set_t *out) {
  const format_t *format = &format_table[FORMAT_f32];
  reach_t reach = {.format = format,
                   .factor_format = format,
                   .contract = *contract,
                   .adds_products = terms->are_products,
                   .count = terms->count,
                   .extra_bits = extra_bits};
  for (size_t i = 0; i < terms->count; i++) {
    reach.left[i] = reach_from_double(terms->left[i]);
    reach.right[i] = reach_from_double(terms->right[i]);
  }
  reach_run(&reach);
  reach_set_t results = reach_results(&reach, 0);
  for (guint i = 0; i < results.numbers->len; i++) {
    reach_set_add(out, g_array_index(results.numbers, reach_number_t, i));
  }
  g_array_unref(results.numbers);
  reach_deinit(&reach);
}

static bool conforms(const terms_t *terms, const contract_t *contract, uint64_t bits,
                     arena_t *arena) {
  const format_t *format = &format_table[FORMAT_f32];
  const sum_problem_t question = {.format = format,
                                  .count = terms->count,
                                  .left = terms->left,
                                  .right = terms->are_products ? terms->right : NULL,
                                  .left_format = format,
                                  .right_format = format};
  answer_t answer;
  failure_t error;
  g_assert_cmpint(sum_answer(&question, contract, bits, arena, &answer, &error), ==, STATUS_OK);
  return answer.conforms;
}

static double add_in_turn(const terms_t *terms) {
  float sum = 0;
  for (size_t i = 0; i < terms->count; i++) {
    sum += (float)(terms->are_products ? terms->left[i] * terms->right[i] : terms->left[i]);
  }
  return (double)sum;
}

static void take_case(const terms_t *terms, const contract_t *contract, arena_t *arena,
                      tally_t *tally) {
  const format_t *format = &format_table[FORMAT_f32];
  reach_set_t reached = reach_set_make();
  add_reached(terms, contract, 0, &reached);
  add_reached(terms, contract, 11, &reached);
  int64_t middle = format_ordinal(format, format_from_double(format, add_in_turn(terms)));
  for (int64_t k = -NEIGHBOURS; k <= NEIGHBOURS; k++) {
    uint64_t bits = format_from_ordinal(format, middle + k);
    bool is_reached = reach_set_has(&reached, reach_from_double(format_to_double(format, bits)));
    bool is_accepted = conforms(terms, contract, bits, arena);
    tally->reached += is_reached;
    tally->accepted += is_accepted;
    tally->refused += is_reached && !is_accepted;
    if (k == 1 || k == -1) tally->wrong++;
    if ((k == 1 || k == -1) && !is_accepted) tally->caught++;
  }
  g_array_unref(reached.numbers);
}

static tally_t measure(size_t count, bool are_products) {
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from("backend"), &contract, NULL), ==, STATUS_OK);
  rng_t rng = rng_make(30 + count);
  arena_t arena;
  arena_init(&arena);
  tally_t tally = {0};
  for (int i = 0; i < CASES; i++) {
    terms_t terms = draw_terms(&rng, count, are_products);
    take_case(&terms, &contract, &arena, &tally);
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  g_test_message(
      "%zu %s: %zu reached, %zu accepted of %d; of %zu next to a sequential result %zu "
      "refused",
      count, are_products ? "products" : "terms", tally.reached, tally.accepted,
      CASES * (2 * NEIGHBOURS + 1), tally.wrong, tally.caught);
  g_assert_cmpuint(tally.refused, ==, 0);
  return tally;
}

static void test_sums(void) {
  for (size_t count = 2; count <= REACH_TERMS_MAX; count++) {
    tally_t tally = measure(count, false);
    g_assert_cmpuint(100 * tally.accepted, <=, 105 * tally.reached);
  }
}

static void test_dots(void) {
  for (size_t count = 1; count <= 4; count++) {
    tally_t tally = measure(count, true);
    g_assert_cmpuint(100 * tally.accepted, <=, 105 * tally.reached);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/few-terms/sums", test_sums);
  g_test_add_func("/few-terms/dots", test_dots);
  return g_test_run();
}
