/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles in words, over trees built by hand. */
#include "harness/identify/profile/words.h"
#include "tests/identify/tree_shapes.h"

static void assert_words(shapes_t *shapes, const char *expected) {
  g_autoptr(GString) words = g_string_new(NULL);
  profile_words(shapes_finish(shapes), words);
  g_assert_cmpstr(words->str, ==, expected);
  shapes_deinit(shapes);
}

/* ---- Orders ---------------------------------------------------------------------------------- */

static void test_sequential(void) {
  shapes_t shapes;
  for (uint32_t n = 2; n < 40; n++) {
    shapes_init(&shapes, n);
    add_run(&shapes, 0, n, 1);
    assert_words(&shapes, "sequential, without the initial value");
  }
  shapes_init(&shapes, 17);
  uint32_t sum = init_id(&shapes);
  for (uint32_t i = 0; i < 17; i++) sum = add_two(&shapes, sum, i);
  assert_words(&shapes, "sequential, initial value first");
  shapes_init(&shapes, 17);
  add_two(&shapes, add_run(&shapes, 0, 17, 1), init_id(&shapes));
  assert_words(&shapes, "sequential, initial value last");
  shapes_init(&shapes, 9);
  sum = 8;
  for (uint32_t i = 8; i-- > 0;) sum = add_two(&shapes, i, sum);
  assert_words(&shapes, "sequential from the last term, without the initial value");
}

static void test_pairwise(void) {
  uint32_t ids[100];
  for (uint32_t i = 0; i < 100; i++) ids[i] = i;
  shapes_t shapes;
  for (uint32_t n = 4; n <= 100; n++) {
    shapes_init(&shapes, n);
    add_pairwise(&shapes, ids, n);
    assert_words(&shapes, "pairwise, without the initial value");
  }
  for (uint32_t n = 4; n <= 64; n *= 2) {
    shapes_init(&shapes, n);
    add_folded(&shapes, ids, n);
    assert_words(&shapes, "folded in halves, without the initial value");
  }
}

static void test_lanes(void) {
  uint32_t sums[8];
  shapes_t shapes;
  for (uint32_t n = 9; n < 80; n++) {
    shapes_init(&shapes, n);
    add_lanes(&shapes, 8, n, sums);
    uint32_t sum = add_pairwise(&shapes, sums, 8);
    add_two(&shapes, sum, init_id(&shapes));
    assert_words(&shapes, "8 lanes, pairwise at the end, initial value last");
  }
  shapes_init(&shapes, 64);
  add_lanes(&shapes, 4, 64, sums);
  add_folded(&shapes, sums, 4);
  assert_words(&shapes, "4 lanes, folded in halves at the end, without the initial value");
  shapes_init(&shapes, 64);
  add_lanes(&shapes, 4, 64, sums);
  add_chain(&shapes, NO_TREE, sums, 4);
  assert_words(&shapes, "4 lanes, sequential at the end, without the initial value");
  shapes_init(&shapes, 64);
  add_lanes(&shapes, 4, 64, sums);
  add_node(&shapes, sums, 4);
  assert_words(&shapes, "4 lanes, in one 4-way node at the end, without the initial value");
}

/* What is left over by the lanes is added one by one. */
static void test_lanes_and_tail(void) {
  uint32_t sums[8];
  shapes_t shapes;
  shapes_init(&shapes, 35);
  add_lanes(&shapes, 8, 32, sums);
  uint32_t sum = add_pairwise(&shapes, sums, 8);
  for (uint32_t i = 32; i < 35; i++) sum = add_two(&shapes, sum, i);
  assert_words(&shapes,
               "8 lanes, pairwise at the end, then the last 3 terms one by one, without the "
               "initial value");
  shapes_init(&shapes, 17);
  add_lanes(&shapes, 8, 16, sums);
  add_two(&shapes, add_pairwise(&shapes, sums, 8), 16);
  assert_words(&shapes,
               "8 lanes, pairwise at the end, then the last term, without the initial value");
}

static void test_blocks(void) {
  uint32_t sums[64];
  shapes_t shapes;
  for (uint32_t n = 66; n < 200; n += 7) {
    shapes_init(&shapes, n);
    uint32_t count = add_blocks(&shapes, 32, sums);
    add_chain(&shapes, NO_TREE, sums, count);
    assert_words(&shapes, "blocks of 32, sequential, without the initial value");
    shapes_init(&shapes, n);
    count = add_blocks(&shapes, 16, sums);
    add_pairwise(&shapes, sums, count);
    assert_words(&shapes, "blocks of 16, pairwise at the end, without the initial value");
  }
}

/* Lanes that are folded to four sums, and these added one after the other. */
static void test_lanes_in_lanes(void) {
  shapes_t shapes;
  for (uint32_t n = 48; n < 200; n += 5) {
    shapes_init(&shapes, n);
    uint32_t lanes[16];
    uint32_t sums[4];
    add_lanes(&shapes, 16, n, lanes);
    for (uint32_t i = 0; i < 4; i++) {
      const uint32_t folded[4] = {lanes[i], lanes[i + 4], lanes[i + 8], lanes[i + 12]};
      sums[i] = add_folded(&shapes, folded, 4);
    }
    add_chain(&shapes, NO_TREE, sums, 4);
    assert_words(&shapes,
                 "4 lanes (4 lanes, folded in halves at the end), sequential at the end, without "
                 "the initial value");
  }
}

/* Blocks within which there are lanes. */
static void test_nested(void) {
  shapes_t shapes;
  shapes_init(&shapes, 256);
  uint32_t blocks[4];
  for (uint32_t block = 0; block < 4; block++) {
    uint32_t lanes[8];
    for (uint32_t i = 0; i < 8; i++) {
      lanes[i] = add_run(&shapes, block * 64 + i, (block + 1) * 64, 8);
    }
    blocks[block] = add_pairwise(&shapes, lanes, 8);
  }
  add_chain(&shapes, NO_TREE, blocks, 4);
  assert_words(&shapes,
               "blocks of 64 (8 lanes, pairwise at the end), sequential at the end, without the "
               "initial value");
}

static void test_multiway(void) {
  shapes_t shapes;
  shapes_init(&shapes, 16);
  uint32_t sum = NO_TREE;
  for (uint32_t i = 0; i < 16; i += 4) {
    const uint32_t children[5] = {i, i + 1, i + 2, i + 3, sum};
    sum = add_node(&shapes, children, sum == NO_TREE ? 4 : 5);
  }
  assert_words(&shapes, "5-way nodes, sequential, without the initial value");
  shapes_init(&shapes, 16);
  uint32_t sums[4];
  for (uint32_t i = 0; i < 4; i++) {
    const uint32_t children[4] = {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3};
    sums[i] = add_node(&shapes, children, 4);
  }
  add_node(&shapes, sums, 4);
  assert_words(&shapes, "4-way nodes, balanced, without the initial value");
  shapes_init(&shapes, 4);
  const uint32_t all[4] = {0, 1, 2, 3};
  add_node(&shapes, all, 4);
  assert_words(&shapes, "one 4-way node, without the initial value");
}

/* One pair of terms exchanged, in any of the regular trees, and they are no longer that. */
static void test_irregular(void) {
  shapes_t shapes;
  uint32_t ids[32];
  for (uint32_t i = 0; i < 32; i++) ids[i] = i;
  ids[20] = 21;
  ids[21] = 20;
  shapes_init(&shapes, 32);
  add_chain(&shapes, NO_TREE, ids, 32);
  assert_words(&shapes, "irregular tree of depth 31, without the initial value");
  ids[16] = 21;
  ids[21] = 16;
  ids[20] = 20;
  shapes_init(&shapes, 32);
  add_pairwise(&shapes, ids, 32);
  assert_words(&shapes, "irregular tree of depth 5, without the initial value");
  shapes_init(&shapes, 24);
  uint32_t sums[8];
  add_lanes(&shapes, 8, 16, sums);
  for (uint32_t i = 0; i < 8; i++) sums[i] = add_two(&shapes, sums[i], 16 + (i ^ 1));
  add_pairwise(&shapes, sums, 8);
  assert_words(&shapes, "irregular tree of depth 5, without the initial value");
}

/* ---- Arithmetic ------------------------------------------------------------------------------ */

static void test_products(void) {
  shapes_t shapes;
  uint32_t sums[8];
  shapes_init(&shapes, 64);
  shapes_multiply(&shapes, &format_table[FORMAT_f32], true);
  add_lanes(&shapes, 8, 64, sums);
  shapes.like.fused = false;
  add_pairwise(&shapes, sums, 8);
  assert_words(&shapes, "8 lanes, pairwise at the end, fused");
  shapes_init(&shapes, 20);
  shapes_multiply(&shapes, &format_table[FORMAT_f32], false);
  shapes.like.format = &format_table[FORMAT_f64];
  add_run(&shapes, 0, 20, 1);
  assert_words(&shapes, "sequential, products rounded, accumulated in f64");
  shapes_init(&shapes, 20);
  shapes_multiply(&shapes, &format_table[FORMAT_bf16], false);
  uint32_t sum = add_run(&shapes, 0, 19, 1);
  shapes.like.fused = true;
  add_two(&shapes, sum, 19);
  assert_words(&shapes, "sequential, partly fused, products rounded to bf16");
  /* A chain of fused multiply-adds begins with a product that is rounded. */
  shapes_init(&shapes, 20);
  shapes_multiply(&shapes, &format_table[FORMAT_f32], true);
  const uint32_t first = 0;
  sum = add_node(&shapes, &first, 1);
  for (uint32_t i = 1; i < 20; i++) sum = add_two(&shapes, sum, i);
  assert_words(&shapes, "sequential, fused");
}

static void test_arithmetic(void) {
  shapes_t shapes;
  shapes_init(&shapes, 20);
  shapes.like.rounding = ROUNDING_TOWARD_ZERO;
  shapes.like.aligned_bits = 24;
  shapes.profile.flushes_inputs = true;
  shapes.profile.starts_at_zero = true;
  add_run(&shapes, 0, 20, 1);
  assert_words(&shapes,
               "sequential, truncating, addends aligned to 24 bits, from +0, without the initial "
               "value, flushes subnormal inputs");
  shapes_init(&shapes, 20);
  shapes.profile.flushes_inputs = true;
  shapes.profile.flushes_outputs = true;
  shapes.like.format = &format_table[FORMAT_f64];
  uint32_t sum = add_run(&shapes, 0, 10, 1);
  shapes.like.format = &format_table[FORMAT_f32];
  for (uint32_t i = 10; i < 20; i++) sum = add_two(&shapes, sum, i);
  assert_words(&shapes,
               "sequential, accumulated in f64 and f32, without the initial value, flushes "
               "subnormal inputs and results");
}

static void test_initial_values(void) {
  shapes_t shapes;
  uint32_t sums[4];
  shapes_init(&shapes, 16);
  for (uint32_t i = 0; i < 4; i++) {
    sums[i] = init_id(&shapes);
    for (uint32_t j = i; j < 16; j += 4) sums[i] = add_two(&shapes, sums[i], j);
  }
  add_pairwise(&shapes, sums, 4);
  assert_words(&shapes, "4 lanes, pairwise at the end, initial value 4 times");
  shapes_init(&shapes, 16);
  sums[0] = add_two(&shapes, add_run(&shapes, 0, 8, 1), init_id(&shapes));
  sums[1] = add_run(&shapes, 8, 16, 1);
  add_two(&shapes, sums[0], sums[1]);
  assert_words(&shapes, "blocks of 8, sequential, initial value in between");
  /* One more term, in front of the others. */
  for (uint32_t n = 33; n < 60; n++) { /* For 32 terms both readings are true. */
    uint32_t ids[60] = {n};
    for (uint32_t i = 0; i < n; i++) ids[i + 1] = i;
    shapes_init(&shapes, n);
    add_pairwise(&shapes, ids, n + 1);
    assert_words(&shapes, "pairwise, initial value as the first term");
    shapes_init(&shapes, n);
    uint32_t lanes[8];
    for (uint32_t i = 0; i < 8; i++) {
      lanes[i] = NO_TREE;
      for (uint32_t j = i; j <= n; j += 8) lanes[i] = add_two(&shapes, lanes[i], ids[j]);
    }
    add_pairwise(&shapes, lanes, 8);
    assert_words(&shapes, "8 lanes, pairwise at the end, initial value as the first term");
  }
  shapes_init(&shapes, 1);
  add_two(&shapes, 0, init_id(&shapes));
  assert_words(&shapes, "one term");
  shapes_init(&shapes, 0);
  assert_words(&shapes, "the initial value alone");
}

/* A long chain overflows no stack. */
static void test_long(void) {
  shapes_t shapes;
  shapes_init(&shapes, 200000);
  add_run(&shapes, 0, 200000, 1);
  assert_words(&shapes, "sequential, without the initial value");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/words/sequential", test_sequential);
  g_test_add_func("/words/pairwise", test_pairwise);
  g_test_add_func("/words/lanes", test_lanes);
  g_test_add_func("/words/lanes-and-tail", test_lanes_and_tail);
  g_test_add_func("/words/blocks", test_blocks);
  g_test_add_func("/words/lanes-in-lanes", test_lanes_in_lanes);
  g_test_add_func("/words/nested", test_nested);
  g_test_add_func("/words/multiway", test_multiway);
  g_test_add_func("/words/irregular", test_irregular);
  g_test_add_func("/words/products", test_products);
  g_test_add_func("/words/arithmetic", test_arithmetic);
  g_test_add_func("/words/initial-values", test_initial_values);
  g_test_add_func("/words/long", test_long);
  return g_test_run();
}
