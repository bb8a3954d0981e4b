/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of real lengths, of numbers of N(0, 1), under the default contract: results that are all
 * wrong by a few n u do not conform, nor do zeros, nor the results doubled.  n u is what sums in
 * any order may honestly err by. */
#include "tests/formula/common_factor.h"

typedef struct limit {
  const char *type;
  const char *contract;
  size_t counts[4]; /* Of terms. */
  double factor;    /* k of normalizations, that is rejected; */
  double of_softmax;
  double ulps; /* Of any, that are rejected. */
} limit_t;

/* 16-bit operands are computed with in f32 here, and results are rounded once.  Computed with in
 * their own type n u is more than 1 from 2^11 terms on, or from 2^8: then everything conforms, as
 * it does honestly. */
static const limit_t limits[] = {
    {"f32", "backend", {64, 768, 4096}, 4, 10, INFINITY},
    {"f64", "backend", {768}, 4, 10, INFINITY},
    {"bf16", "backend,intermediate=wide", {64, 4096}, INFINITY, INFINITY, 2},
    {"f16", "backend,intermediate=wide", {64, 4096}, INFINITY, INFINITY, 2},
};

static bool is_of_softmax(const common_factor_op_t *op) {
  return op->line == line_of_softmax || op->line == line_of_log_softmax;
}

static void check_limit(const common_factor_op_t *op, const limit_t *limit, size_t count) {
  arena_t arena;
  arena_init(&arena);
  contract_t contract;
  failure_t error = {0};
  g_assert_cmpint(contract_parse(str_from(limit->contract), &contract, &error), ==, STATUS_OK);
  const case_t instance = common_factor_case(op, limit->type, count, &arena);
  common_factor_t found = find_common_factor(op, &instance, &contract, &arena);
  g_test_message("%s, %s, %zu terms: k = %.3g, %.3g ulps", op->name, limit->type, count,
                 found.largest, found.ulps);
  g_assert_cmpfloat(found.largest, <, is_of_softmax(op) ? limit->of_softmax : limit->factor);
  g_assert_cmpfloat(found.ulps, <, limit->ulps);
  g_assert_false(found.holds_zeros);
  g_assert_false(found.holds_doubles);
  arena_deinit(&arena);
}

/* And longer ones of ops with a formula that is updated from number to number; of all, and longer
 * still, if the environment asks for them: tests/nightly/rows does. */
static void test_limits(void) {
  bool is_long = g_getenv("ASSAY_LONG_ROWS_ROUNDS") != NULL;
  for (size_t op = 0; op < G_N_ELEMENTS(common_factor_ops); op++) {
    for (size_t i = 0; i < G_N_ELEMENTS(limits); i++) {
      for (size_t c = 0; c < G_N_ELEMENTS(limits[i].counts) && limits[i].counts[c] != 0; c++) {
        check_limit(&common_factor_ops[op], &limits[i], limits[i].counts[c]);
      }
    }
    bool is_updated = common_factor_ops[op].line == line_of_layer_norm ||
                      common_factor_ops[op].line == line_of_softmax;
    if (is_updated || is_long) check_limit(&common_factor_ops[op], &limits[0], 16384);
    if (is_long) check_limit(&common_factor_ops[op], &limits[0], 131072);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/common-factor/limits", test_limits);
  return g_test_run();
}
