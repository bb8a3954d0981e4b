/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and dot products of 9 to 64 terms for which a schedule is found that errs by nine tenths of
 * what conforms, so that no bound of their like can be much smaller. */
#include <glib.h>
#include <math.h>

#include "oracles/exact/any_order/ends.h"
#include "oracles/exact/any_order/operands.h"
#include "oracles/exact/tree_search/find_tree.h"
#include "oracles/exact/tree_search/gather.h"
#include "tests/oracles/level_sums.h"

typedef struct family {
  const char *name;
  int direction;
  double beside; /* Half a unit of 1: so many units of itself above or below. */
} family_t;

/* A one, and many that it rounds up, or swallows, nearly half a unit each. */
static const family_t families[] = {{"rounded up", 1, 1}, {"swallowed", -1, -1}};

static instance_t make_family(const family_t *family, const format_t *format, size_t count,
                              bool are_products) {
  instance_t instance = {0};
  double unit = ldexp(1, 1 - format->precision);
  for (size_t i = 0; i < count; i++) {
    /* Products that are rounded, of which the first one is 1. */
    double left = are_products ? 1 + unit * (double)(i % 3) : 1;
    double right = unit / 2 * (1 + unit * family->beside * (are_products ? 4 : 1));
    instance.left[i] = i == 0 ? 1 : left;
    instance.right[i] = i == 0 ? 1 : right;
    if (!are_products) instance.left[i] *= instance.right[i];
  }
  instance.question = (sum_problem_t){
      .format = format, .count = count, .left_format = format, .right_format = format};
  return instance;
}

static bool conforms(const sum_problem_t *question, int64_t ordinal, arena_t *arena) {
  const contract_t contract = contract_backend();
  answer_t answer;
  failure_t error;
  uint64_t bits = format_from_ordinal(question->format, ordinal);
  g_assert_cmpint(sum_answer(question, &contract, bits, arena, &answer, &error), ==, STATUS_OK);
  return answer.conforms;
}

/* What the tree gives if it is computed. */
static double compute(const few_terms_t *sum, const few_terms_tree_t *tree) {
  const tree_arithmetic_t plain = {.nodes = arithmetic_make(tree->format)};
  tree_operand_t leaves[TREE_LEAVES_MAX], numbers[2 * TREE_LEAVES_MAX];
  size_t count = tree->leaf_count;
  g_assert_cmpuint(tree_operands_set(sum, &plain, leaves), ==, sum->count);
  for (size_t i = 0; i < count; i++) numbers[i] = leaves[tree->leaves[i]];
  for (size_t i = 0; i + 1 < count; i++) {
    const tree_node_t *node = &tree->nodes[i];
    const tree_arithmetic_t arithmetic = {.nodes = plain.nodes, .fuses = node->is_fused};
    tree_node_t ignored;
    numbers[count + i] =
        tree_operand_add(&arithmetic, &numbers[node->left], &numbers[node->right], &ignored);
  }
  return tree_result(sum, numbers[2 * count - 2].value);
}

static void check_family(const family_t *family, const format_t *format, size_t count,
                         bool are_products, arena_t *arena) {
  instance_t instance = make_family(family, format, count, are_products);
  sum_problem_t *question = &instance.question;
  question->left = instance.left;
  question->right = are_products ? instance.right : NULL;
  const few_terms_t sum = {.format = format,
                           .count = count,
                           .left = question->left,
                           .right = question->right,
                           .may_fuse = true,
                           .may_widen = true};
  few_terms_tree_t tree;
  double found, total = 0;
  g_assert_true(few_terms_farthest(&sum, family->direction, arena, &found, &tree));
  g_assert_cmpfloat(compute(&sum, &tree), ==, found);
  for (size_t i = 0; i < count; i++) {
    total += instance.left[i] * (are_products ? instance.right[i] : 1);
  }
  int64_t end = format_ordinal(format, format_from_double(format, found));
  g_assert_true(conforms(question, end, arena));
  while (conforms(question, end + family->direction, arena)) end += family->direction;
  double bound = format_to_double(format, format_from_ordinal(format, end));
  double share = (found - total) / (bound - total);
  g_test_message("%s %s of %zu: %.3f", format->name, are_products ? "products" : "terms", count,
                 share);
  g_assert_cmpfloat(share, >=, 0.9);
  g_assert_cmpfloat(share, <=, 1);
  /* Asked about as `assay replay --why` does. */
  if (found == bound) g_assert_true(few_terms_find_tree(&sum, bound, arena, &tree));
}

/* Of few leaves the tree of the end of all plain and fused ones gives just that, and is found by
 * who asks for its value. */
static void test_ends(const void *data) {
  enum { SUMS = 24 };
  const format_t *format = data;
  rng_t rng = rng_make(24);
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < SUMS; i++) {
    instance_t instance;
    make(&instance, &rng, format, (data_t)(i / 2 % (DATA_COUNT - 1)), 9 + i % 3, i % 2 == 1);
    const few_terms_t sum = {.format = format,
                             .count = instance.question.count,
                             .left = instance.left,
                             .right = instance.question.right,
                             .may_fuse = i % 4 > 1};
    few_terms_tree_t tree;
    double ends[2], value;
    if (!any_order_ends(&sum, &arena, ends)) continue;
    for (int end = 0; end < 2; end++) {
      g_assert_true(any_order_end_tree(&sum, 2 * end - 1, &arena, &value, &tree));
      g_assert_cmpfloat(value, ==, ends[end]);
      g_assert_cmpfloat(compute(&sum, &tree), ==, ends[end]);
      if (value == 0) continue;
      g_assert_true(few_terms_find_tree(&sum, value, &arena, &tree));
      g_assert_cmpfloat(compute(&sum, &tree), ==, value);
    }
    arena_reset(&arena);
  }
  arena_deinit(&arena);
}

static void test_attained(const void *data) {
  static const size_t counts[] = {9, 17, 33, 64};
  static const int formats[] = {FORMAT_f32, FORMAT_f16, FORMAT_bf16};
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < 2 * G_N_ELEMENTS(counts) * G_N_ELEMENTS(formats); i++) {
    const format_t *format = &format_table[formats[i / 2 / G_N_ELEMENTS(counts)]];
    check_family(data, format, counts[i / 2 % G_N_ELEMENTS(counts)], i % 2 == 1, &arena);
    arena_reset(&arena);
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < G_N_ELEMENTS(families); i++) {
    g_autofree char *name = g_strdup_printf("/attained/%s", families[i].name);
    g_test_add_data_func(name, &families[i], test_attained);
  }
  static const int formats[] = {FORMAT_f32, FORMAT_f16, FORMAT_bf16, FORMAT_f8E4M3FN};
  for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
    const format_t *format = &format_table[formats[i]];
    g_autofree char *name = g_strdup_printf("/attained/ends/%s", format->name);
    g_test_add_data_func(name, format, test_ends);
  }
  return g_test_run();
}
