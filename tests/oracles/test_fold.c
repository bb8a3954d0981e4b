/* SPDX-License-Identifier: Apache-2.0 */
/* The trees of the schedules against parenthesised sums, evaluated naively in the host's floats;
 * and random trees against the set of all trees; dot products in lanes against their terms one by
 * one. */
#include "oracles/exact/fold/fold.h"

#include <math.h>

#include "harness/base/rng.h"
#include "oracles/exact/fold/dense_narrow.h"

enum { LEAVES_MAX = 16, DRAWS = 200 };

/* Leaves of one sum: plain terms, where the second factor is not used, or products. */
typedef struct leaves {
  float left[LEAVES_MAX];
  float right[LEAVES_MAX];
  float init;
  bool fused;
} leaves_t;

typedef struct node {
  float value;
  float factor;
  bool is_product;
} node_t;

static float settled(node_t node) {
  return node.is_product ? node.value * node.factor : node.value;
}

static node_t add_nodes(node_t left, node_t right) {
  if (right.is_product) return (node_t){fmaf(right.value, right.factor, settled(left)), 0, false};
  if (left.is_product) return (node_t){fmaf(left.value, left.factor, right.value), 0, false};
  return (node_t){left.value + right.value, 0, false};
}

/* sum = "(" sum sum ")" | "*" for the initial value | a letter from "a" for a leaf. */
static node_t evaluate(const char **cursor, const leaves_t *leaves) {
  char c = *(*cursor)++;
  if (c == '(') {
    node_t left = evaluate(cursor, leaves);
    node_t right = evaluate(cursor, leaves);
    g_assert_cmpint(*(*cursor)++, ==, ')');
    return add_nodes(left, right);
  }
  if (c == '*') return (node_t){leaves->init, 0, false};
  size_t leaf = (size_t)(c - 'a');
  if (leaves->fused) return (node_t){leaves->left[leaf], leaves->right[leaf], true};
  return (node_t){leaves->left[leaf], 0, false};
}

static float draw_float(rng_t *rng) {
  return ldexpf((float)rng_between(rng, -(1 << 24), 1 << 24), (int)rng_between(rng, -30, -24));
}

static leaves_t draw_leaves(rng_t *rng, bool fused) {
  leaves_t leaves = {.fused = fused, .init = draw_float(rng)};
  for (int i = 0; i < LEAVES_MAX; i++) {
    leaves.left[i] = draw_float(rng);
    leaves.right[i] = draw_float(rng);
  }
  return leaves;
}

static float fold_floats(const implementation_model_t *schedule, const leaves_t *leaves,
                         size_t count, size_t output, arena_t *arena) {
  fold_t fold;
  const element_t *f32 = element_named("f32");
  g_assert_cmpint(fold_make(FOLD_ADD, f32, NULL, schedule, &fold, NULL), ==, STATUS_OK);
  fold_value_t *terms = fold_make_terms(&fold, count, arena);
  for (size_t i = 0; i < count; i++) {
    fold_value_t left = fold_real(leaves->left[i]);
    fold_value_t right = fold_real(leaves->right[i]);
    terms[i] = leaves->fused ? fold_product(&fold, left, right) : left;
  }
  fold_value_t sum = fold_run(&fold, fold_real(leaves->init), terms, count, output);
  return (float)sum.real;
}

static const struct {
  const char *order;
  uint32_t init_count;
  size_t count;
  const char *sum;
} tree_rows[] = {
    {"sequential", 1, 0, "*"},
    {"sequential", 0, 0, "*"},
    {"pairwise", 0, 1, "a"},
    {"sequential", 1, 4, "((((*a)b)c)d)"},
    {"sequential", 0, 4, "(((ab)c)d)"},
    {"sequential", 3, 2, "((((**)*)a)b)"},
    {"reverse", 1, 4, "(*(a(b(cd))))"},
    {"reverse", 0, 4, "(a(b(cd)))"},
    {"pairwise", 0, 7, "(((ab)(cd))((ef)g))"},
    {"pairwise", 1, 7, "(((*a)(bc))((de)(fg)))"},
    {"pairwise", 0, 3, "((ab)c)"},
    {"blocked3", 0, 8, "((((ab)c)((de)f))(gh))"},
    {"blocked3", 1, 6, "((((*a)b)((cd)e))f)"},
    {"blocked9", 0, 3, "((ab)c)"},
    {"lanes4", 0, 10, "((((ae)i)((bf)j))((cg)(dh)))"},
    {"lanes4", 0, 3, "((ab)c)"},
    {"lanes2", 1, 4, "(((*b)d)(ac))"},
    {"lanes1", 0, 4, "(((ab)c)d)"},
    {"swapped", 0, 5, "((((ba)d)c)e)"},
    {"halves-low", 0, 5, "((ab)(c(de)))"},
    {"halves", 0, 6, "(((ab)c)((de)f))"},
    {"power", 0, 6, "(((ab)(cd))(ef))"},
    {"folded", 0, 8, "(((ae)(cg))((bf)(dh)))"},
    {"interleaved", 0, 5, "(((ae)c)(bd))"},
    {"lanes4(sequential,folded)", 0, 10, "((((ae)i)(cg))(((bf)j)(dh)))"},
    {"lanes2(blocks2(sequential,sequential),reverse)", 0, 8, "(((ac)(eg))((bd)(fh)))"},
    {"lanes4-first(sequential,halves)", 0, 10, "(((((ae)i)j)(bf))((cg)(dh)))"},
    {"lanes4-first(reverse,reverse)", 0, 3, "((ab)c)"},
    {"lanes4-front(sequential,halves)", 0, 10, "(((((ab)c)g)(dh))((ei)(fj)))"},
    {"lanes4-beside(sequential,halves,sequential)", 0, 10, "((((ae)(ij))(bf))((cg)(dh)))"},
    {"lanes4-beside(sequential,halves,reverse)", 0, 3, "(a(bc))"},
    {"blocks4(reverse,reverse)", 0, 10, "((a(b(cd)))((e(f(gh)))(ij)))"},
    {"blocks4-first(sequential,sequential)", 0, 10, "(((ab)(((cd)e)f))(((gh)i)j))"},
    {"padded4(sequential,sequential)", 0, 10, "((((ab)c)(((de)f)g))((hi)j))"},
    {"padded4(sequential,sequential)", 0, 3, "((ab)c)"},
    {"tail4(lanes4)", 0, 10, "(((((ae)(bf))((cg)(dh)))i)j)"},
    {"tail4(reverse)", 0, 3, "((ab)c)"},
    {"tail4(lanes4,reverse)", 0, 7, "(((ab)(cd))(e(fg)))"},
    {"tail4(sequential,reverse)", 0, 3, "(a(bc))"},
};

static void test_trees(void) {
  rng_t rng = rng_make(1);
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(tree_rows); i++) {
    for (int draw = 0; draw < DRAWS; draw++) {
      leaves_t leaves = draw_leaves(&rng, draw % 2 == 1);
      implementation_model_t schedule = {.init_count = tree_rows[i].init_count,
                                         .fused = leaves.fused};
      scan_t scan = scan_make(str_from(tree_rows[i].order));
      g_assert_cmpint(sum_order_parse(&scan, &arena, &schedule.order, NULL), ==, STATUS_OK);
      g_assert_true(scan_at_end(&scan));
      float got = fold_floats(&schedule, &leaves, tree_rows[i].count, 0, &arena);
      const char *cursor = tree_rows[i].sum;
      float expected = settled(evaluate(&cursor, &leaves));
      if (got != expected) g_test_message("%s: %a, not %a", tree_rows[i].sum, got, expected);
      g_assert_true(got == expected);
      arena_reset(&arena);
    }
  }
  arena_deinit(&arena);
}

/* Whether some tree over nodes[0..count) gives `value`: in order, or merging any two. */
static bool some_tree_gives(const node_t *nodes, size_t count, bool any_order, float value) {
  if (count == 1) return settled(nodes[0]) == value;
  for (size_t i = 0; i < count; i++) {
    for (size_t j = any_order ? 0 : i + 1; j < (any_order ? count : MIN(i + 2, count)); j++) {
      if (i == j) continue;
      node_t merged[LEAVES_MAX];
      size_t kept = 0;
      for (size_t k = 0; k < count; k++) {
        if (k == i) merged[kept++] = add_nodes(nodes[i], nodes[j]);
        if (k != i && k != j) merged[kept++] = nodes[k];
      }
      if (some_tree_gives(merged, kept, any_order, value)) return true;
    }
  }
  return false;
}

static void check_random_tree(sum_order_kind_t tree, size_t count, bool fused) {
  rng_t rng = rng_make(2);
  arena_t arena;
  arena_init(&arena);
  bool any_order = tree == SUM_SHUFFLED;
  size_t changes = 0;
  for (size_t draw = 0; draw < DRAWS; draw++) {
    leaves_t leaves = draw_leaves(&rng, fused);
    implementation_model_t schedule = {.order.kind = tree, .seed = draw, .fused = fused};
    node_t nodes[LEAVES_MAX];
    for (size_t i = 0; i < count; i++) {
      nodes[i] = (node_t){leaves.left[i], leaves.right[i], fused};
    }
    float got = fold_floats(&schedule, &leaves, count, draw, &arena);
    g_assert_true(some_tree_gives(nodes, count, any_order, got));
    float again = fold_floats(&schedule, &leaves, count, draw, &arena);
    g_assert_true(got == again);
    changes += got != fold_floats(&schedule, &leaves, count, draw + 1, &arena);
    arena_reset(&arena);
  }
  g_assert_cmpuint(changes, >, DRAWS / 4);
  arena_deinit(&arena);
}

static void test_random_trees(void) {
  check_random_tree(SUM_RANDOM, 7, false);
  check_random_tree(SUM_RANDOM, 6, true);
  check_random_tree(SUM_SHUFFLED, 4, false);
  check_random_tree(SUM_SHUFFLED, 4, true);
}

/* The sum of 1, 2^-11 and 2^-11 tells an accumulator's width. */
static void test_accumulators(void) {
  static const struct {
    const char *element;
    int accumulator;
    double sum;
  } rows[] = {
      {"f16", -1, 1},          {"f16", FORMAT_f32, 0x1.004p0}, {"f16", FORMAT_f64, 0x1.004p0},
      {"f16", FORMAT_bf16, 1}, /* Cannot hold f16: stays f16. */
      {"bf16", FORMAT_f16, 1}, /* Cannot hold bf16. */
      {"f32", -1, 0x1.004p0},
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    implementation_model_t schedule = {.init_count = 0};
    if (rows[i].accumulator >= 0) schedule.accumulator = &format_table[rows[i].accumulator];
    fold_t fold;
    const element_t *element = element_named(rows[i].element);
    g_assert_cmpint(fold_make(FOLD_ADD, element, NULL, &schedule, &fold, NULL), ==, STATUS_OK);
    fold_value_t *terms = fold_make_terms(&fold, 3, &arena);
    terms[0] = fold_real(1);
    terms[1] = terms[2] = fold_real(0x1p-11);
    g_assert_cmpfloat(fold_run(&fold, terms[0], terms, 3, 0).real, ==, rows[i].sum);
  }
  arena_deinit(&arena);
}

/* Of any pattern, or of numbers so close to each other that many sums are halfway. */
static double draw_narrow(rng_t *rng, const element_t *element, bool is_close) {
  if (is_close) return (double)rng_between(rng, -300, 300) * 0x1p-4;
  return format_to_double(element->format, rng_below(rng, UINT64_C(1) << element->bits));
}

static void assert_same(double got, double expected) {
  g_assert_true(isnan(expected) ? isnan(got) : got == expected);
  if (!isnan(expected)) g_assert_true((signbit(got) != 0) == (signbit(expected) != 0));
}

/* dense_narrow_dot() gives what the terms give that are added one by one, bit for bit. */
static void check_narrow_dot(const element_t *element, size_t draw, arena_t *arena) {
  enum { ROWS = 3 };
  const dense_dot_t dot = {
      .rows = ROWS, .terms = 1 + draw % 19, .columns = DENSE_LANES * (1 + draw % 2)};
  const implementation_model_t schedule = {.init_count = (uint32_t)(draw / 2 % 3)};
  fold_t fold;
  g_assert_cmpint(fold_make(FOLD_ADD, element, NULL, &schedule, &fold, NULL), ==, STATUS_OK);
  g_assert_true(dense_narrow_applies(&fold));
  double *left = ARENA_NEW_ARRAY(arena, double, dot.rows *dot.terms);
  double *right = ARENA_NEW_ARRAY(arena, double, dot.terms *dot.columns);
  double *sums = ARENA_NEW_ARRAY(arena, double, dot.rows *dot.columns);
  rng_t rng = rng_make(draw);
  bool is_close = draw % 3 == 0;
  for (size_t i = 0; i < dot.rows * dot.terms; i++) {
    left[i] = format_round_double(element->format, draw_narrow(&rng, element, is_close));
  }
  for (size_t i = 0; i < dot.terms * dot.columns; i++) {
    right[i] = format_round_double(element->format, draw_narrow(&rng, element, is_close));
  }
  dense_narrow_dot(&fold, &dot, left, right, sums);
  fold_value_t *terms = fold_make_terms(&fold, dot.terms, arena);
  for (size_t i = 0; i < dot.rows * dot.columns; i++) {
    for (size_t t = 0; t < dot.terms; t++) {
      double factor = right[t * dot.columns + i % dot.columns];
      terms[t] =
          fold_product(&fold, fold_real(left[i / dot.columns * dot.terms + t]), fold_real(factor));
    }
    assert_same(sums[i], fold_run(&fold, fold_zero(&fold), terms, dot.terms, i).real);
  }
}

/* The same of dense_narrow_sum(), from an initial value. */
static void check_narrow_sum(const element_t *element, size_t draw, arena_t *arena) {
  enum { OUTPUTS_MAX = 40, TERMS_MAX = 20 };
  size_t base[OUTPUTS_MAX], offset[TERMS_MAX];
  const dense_sum_t sum = {.outputs = 1 + draw % OUTPUTS_MAX,
                           .terms = draw % TERMS_MAX,
                           .output_base = base,
                           .term_offset = offset};
  const implementation_model_t schedule = {.init_count = (uint32_t)(draw / 2 % 3)};
  fold_t fold;
  g_assert_cmpint(fold_make(FOLD_ADD, element, NULL, &schedule, &fold, NULL), ==, STATUS_OK);
  for (size_t i = 0; i < sum.outputs; i++) base[i] = (sum.outputs - 1 - i) * TERMS_MAX;
  for (size_t t = 0; t < sum.terms; t++) offset[t] = t;
  double data[OUTPUTS_MAX * TERMS_MAX], sums[OUTPUTS_MAX];
  rng_t rng = rng_make(draw);
  bool is_close = draw % 3 == 0;
  for (size_t i = 0; i < G_N_ELEMENTS(data); i++) {
    data[i] = format_round_double(element->format, draw_narrow(&rng, element, is_close));
  }
  double init = format_round_double(element->format, draw_narrow(&rng, element, is_close));
  dense_narrow_sum(&fold, &sum, data, init, sums);
  fold_value_t *terms = fold_make_terms(&fold, MAX(sum.terms, 1), arena);
  for (size_t i = 0; i < sum.outputs; i++) {
    for (size_t t = 0; t < sum.terms; t++) terms[t] = fold_real(data[base[i] + offset[t]]);
    assert_same(sums[i], fold_run(&fold, fold_real(init), terms, sum.terms, i).real);
  }
}

static void test_narrow_sums(void) {
  enum { NARROW_DRAWS = 4000 };
  arena_t arena;
  arena_init(&arena);
  for (size_t draw = 0; draw < NARROW_DRAWS; draw++) {
    arena_mark_t mark = arena_mark(&arena);
    const element_t *element = element_named(draw / 6 % 2 == 0 ? "bf16" : "f16");
    check_narrow_dot(element, draw, &arena);
    check_narrow_sum(element, draw, &arena);
    arena_rewind(&arena, mark);
  }
  arena_deinit(&arena);
}

static void test_unsupported(void) {
  implementation_model_t schedule = schedule_plain();
  const element_t *element = element_named("f8E8M0FNU");
  fold_t fold;
  failure_t error = {0};
  g_assert_cmpint(fold_make(FOLD_ADD, element, NULL, &schedule, &fold, &error), ==,
                  STATUS_UNSUPPORTED);
  g_assert_nonnull(strstr(error.text, "f8E8M0FNU"));
  g_assert_cmpint(fold_make(FOLD_MAXIMUM, element, NULL, &schedule, &fold, &error), ==, STATUS_OK);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/fold/trees", test_trees);
  g_test_add_func("/fold/random_trees", test_random_trees);
  g_test_add_func("/fold/accumulators", test_accumulators);
  g_test_add_func("/fold/narrow_sums", test_narrow_sums);
  g_test_add_func("/fold/unsupported", test_unsupported);
  return g_test_run();
}
