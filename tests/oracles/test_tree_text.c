/* SPDX-License-Identifier: Apache-2.0 */
/* The tree that is told for a value gives that value: it is read back here and computed, in the
 * arithmetic of this machine where that has the format. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/rng.h"
#include "oracles/exact/any_order/few_terms.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/tree_search/find_tree.h"
#include "oracles/exact/tree_search/tree_text.h"

enum { NEIGHBOURS = 3, CASES = 150 };

/* A text that is read, and what its names stand for. */
typedef struct reader {
  const few_terms_t *sum;
  const char *at;
  const format_t *format;
  size_t leaves;
} reader_t;

static void expect(reader_t *reader, const char *word) {
  size_t length = strlen(word);
  g_assert_cmpint(strncmp(reader->at, word, length), ==, 0);
  reader->at += length;
}

static bool take(reader_t *reader, const char *word) {
  if (!g_str_has_prefix(reader->at, word)) return false;
  expect(reader, word);
  return true;
}

static double rounded(const reader_t *reader, double value) {
  if (reader->format->bits == 32) return (double)(float)value;
  return format_round_double(reader->format, value);
}

static size_t read_number(reader_t *reader) {
  char *end;
  size_t number = strtoul(reader->at, &end, 10);
  g_assert_true(end != reader->at);
  g_assert_cmpuint(number, <, reader->sum->count);
  reader->at = end;
  return number;
}

static double fused(const reader_t *reader, double left, double right, double other) {
  if (reader->format->bits == 64) return fma(left, right, other);
  if (reader->format->bits == 32) return (double)fmaf((float)left, (float)right, (float)other);
  const arithmetic_t arithmetic = arithmetic_make(reader->format);
  return arithmetic_fused(&arithmetic, left, right, other);
}

static double read_tree(reader_t *reader) {
  const few_terms_t *sum = reader->sum;
  if (take(reader, "(")) {
    double left = read_tree(reader);
    expect(reader, " + ");
    double value = rounded(reader, left + read_tree(reader));
    expect(reader, ")");
    return value;
  }
  reader->leaves++;
  if (take(reader, "init")) return sum->init;
  if (take(reader, "fma(x")) {
    size_t term = read_number(reader);
    expect(reader, ", y");
    g_assert_cmpuint(read_number(reader), ==, term);
    expect(reader, ", ");
    double value = fused(reader, sum->left[term], sum->right[term], read_tree(reader));
    expect(reader, ")");
    return value;
  }
  expect(reader, "x");
  size_t term = read_number(reader);
  if (sum->right == NULL) return sum->left[term];
  expect(reader, "*y");
  g_assert_cmpuint(read_number(reader), ==, term);
  return rounded(reader, sum->left[term] * sum->right[term]);
}

/* Nodes' format comes behind the tree, so that this is found first. */
static double compute(const few_terms_t *sum, const char *text) {
  const char *in = strstr(text, " in ");
  g_assert_nonnull(in);
  size_t length = strcspn(in + 4, ",");
  reader_t reader = {.sum = sum, .at = text, .format = format_find((str_t){in + 4, length})};
  g_assert_nonnull(reader.format);
  double value = read_tree(&reader);
  g_assert_true(reader.at == in);
  size_t nonzero = sum->init == 0 ? 0 : sum->init_count;
  for (size_t i = 0; i < sum->count; i++) {
    nonzero += sum->left[i] != 0 && (sum->right == NULL || sum->right[i] != 0);
  }
  g_assert_cmpuint(reader.leaves, >=, nonzero);
  bool is_rounded = strstr(text, ", rounded to ") != NULL;
  g_assert_true(is_rounded == (reader.format != sum->format));
  return is_rounded ? format_round_double(sum->format, value) : value;
}

typedef struct tally {
  size_t told, reached, wider;
} tally_t;

static double draw_number(rng_t *rng, const format_t *format) {
  double value = ldexp((double)rng_between(rng, -(1 << 30), 1 << 30), -29);
  return format_round_double(format, value);
}

static void check_neighbours(const few_terms_t *sum, arena_t *arena, tally_t *tally) {
  double total = 0;
  for (size_t i = 0; i < sum->count; i++) {
    total += sum->right == NULL ? sum->left[i] : sum->left[i] * sum->right[i];
  }
  const format_t *format = sum->format;
  int64_t middle =
      format_ordinal(format, format_from_double(format, format_round_double(format, total)));
  for (int64_t k = -NEIGHBOURS; k <= NEIGHBOURS; k++) {
    double value = format_to_double(format, format_from_ordinal(format, middle + k));
    double hull[2];
    few_terms_tree_t tree;
    if (!isfinite(value) || value == 0) continue;
    bool is_told = few_terms_find_tree(sum, value, arena, &tree);
    bool is_reached = few_terms_ask(sum, value, arena, hull) == FEW_TERMS_REACHED;
    g_assert_true(is_told == is_reached);
    tally->reached += is_reached;
    if (!is_told) continue;
    g_autoptr(GString) text = g_string_new(NULL);
    few_terms_print_tree(sum, &tree, text);
    double computed = compute(sum, text->str);
    if (computed != value) g_test_message("%s: %a, not %a", text->str, computed, value);
    g_assert_true(computed == value);
    tally->told++;
    tally->wider += tree.format != format;
  }
}

static void test_format(const void *data) {
  const format_t *format = data;
  rng_t rng = rng_make(format->bits);
  arena_t arena;
  arena_init(&arena);
  tally_t tally = {0};
  for (size_t i = 0; i < CASES; i++) {
    double left[FEW_TERMS_MAX], right[FEW_TERMS_MAX];
    few_terms_t sum = {.format = format,
                       .count = 1 + i % 6,
                       .left = left,
                       .right = i % 2 == 0 ? right : NULL,
                       .may_fuse = true,
                       .may_widen = i % 3 != 0};
    for (size_t k = 0; k < sum.count; k++) {
      left[k] = k > 0 && i % 7 == 0 ? left[0] : draw_number(&rng, format);
      right[k] = draw_number(&rng, format);
    }
    if (i % 5 == 0) sum.init = draw_number(&rng, format);
    if (i % 5 == 0) sum.init_count = (uint32_t)(i % 3);
    check_neighbours(&sum, &arena, &tally);
    arena_reset(&arena);
  }
  g_test_message("%s: %zu trees told, %zu of wider nodes", format->name, tally.told, tally.wider);
  g_assert_cmpuint(tally.told, >, CASES);
  if (format->bits < 64) g_assert_cmpuint(tally.wider, >, 0);
  arena_deinit(&arena);
}

/* Values that loops in the order of the terms do not come near. */
static void check_steered(const few_terms_t *sum, arena_t *arena, size_t *inout_told) {
  double total = sum->init * sum->init_count;
  for (size_t i = 0; i < sum->count; i++) total += sum->left[i] * sum->right[i];
  const format_t *format = sum->format;
  int64_t middle = format_ordinal(format, format_from_double(format, total));
  for (int64_t k = -4; k <= 4; k++) {
    double value = format_to_double(format, format_from_ordinal(format, middle + 5 * k));
    few_terms_tree_t tree;
    if (!few_terms_find_tree(sum, value, arena, &tree)) continue;
    g_autoptr(GString) text = g_string_new(NULL);
    few_terms_print_tree(sum, &tree, text);
    g_assert_true(compute(sum, text->str) == value);
    g_assert_cmpuint(tree.leaf_count, ==, sum->count + sum->init_count);
    ++*inout_told;
  }
}

static void test_many_terms(void) {
  enum { SUMS = 4, ASKED = 9 };
  rng_t rng = rng_make(1);
  arena_t arena;
  arena_init(&arena);
  size_t told = 0;
  for (size_t i = 0; i < SUMS; i++) {
    double left[TREE_TERMS_MAX], right[TREE_TERMS_MAX];
    const few_terms_t sum = {.format = &format_table[i % 2 == 0 ? FORMAT_f32 : FORMAT_bf16],
                             .count = TREE_TERMS_MAX,
                             .left = left,
                             .right = right,
                             .init = 1,
                             .init_count = (uint32_t)i,
                             .may_fuse = true,
                             .may_widen = i < 2};
    for (size_t k = 0; k < sum.count; k++) {
      left[k] = fabs(draw_number(&rng, sum.format));
      right[k] = k % 3 == 0 ? -1 : 1;
    }
    check_steered(&sum, &arena, &told);
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  g_test_message("%zu values told of %d", told, SUMS * ASKED);
  g_assert_cmpuint(told, >, SUMS * ASKED / 2);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_data_func("/tree-text/f32", &format_table[FORMAT_f32], test_format);
  g_test_add_data_func("/tree-text/f64", &format_table[FORMAT_f64], test_format);
  g_test_add_data_func("/tree-text/bf16", &format_table[FORMAT_bf16], test_format);
  g_test_add_data_func("/tree-text/f8E4M3FN", &format_table[FORMAT_f8E4M3FN], test_format);
  g_test_add_func("/tree-text/many-terms", test_many_terms);
  return g_test_run();
}
