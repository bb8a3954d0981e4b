/* SPDX-License-Identifier: Apache-2.0 */
/* Rules: found from trees built by hand, applied to other lengths, written and read back. */
#include "harness/identify/order/sum_rule.h"

#include "tests/identify/tree_shapes.h"

enum { LENGTH_MAX = 150 };

/* Builds a tree over terms 0 .. n - 1 of shapes->profile. */
typedef void (*build_t)(shapes_t *shapes, uint32_t n);

static void build_sequential(shapes_t *shapes, uint32_t n) {
  add_two(shapes, add_run(shapes, 0, n, 1), init_id(shapes));
}

static void build_init_first(shapes_t *shapes, uint32_t n) {
  uint32_t sum = init_id(shapes);
  for (uint32_t i = 0; i < n; i++) sum = add_two(shapes, sum, i);
}

static void build_pairwise(shapes_t *shapes, uint32_t n) {
  uint32_t ids[LENGTH_MAX] = {0};
  for (uint32_t i = 0; i < n; i++) ids[i] = i;
  add_pairwise(shapes, ids, n);
}

static void build_lanes(shapes_t *shapes, uint32_t n) {
  uint32_t sums[8] = {0};
  uint32_t width = MIN(8, n);
  add_lanes(shapes, width, n, sums);
  add_two(shapes, add_pairwise(shapes, sums, width), init_id(shapes));
}

/* The initial value is one more term in front. */
static void build_shifted_lanes(shapes_t *shapes, uint32_t n) {
  uint32_t sums[8] = {0};
  uint32_t width = MIN(8, n + 1);
  for (uint32_t lane = 0; lane < width; lane++) {
    sums[lane] = NO_TREE;
    for (uint32_t i = lane; i <= n; i += 8) {
      sums[lane] = add_two(shapes, sums[lane], i == 0 ? init_id(shapes) : i - 1);
    }
  }
  add_pairwise(shapes, sums, width);
}

static void build_lanes_and_tail(shapes_t *shapes, uint32_t n) {
  uint32_t sums[4] = {0};
  uint32_t body = n / 4 * 4;
  if (body == 0) {
    add_run(shapes, 0, n, 1);
    return;
  }
  add_lanes(shapes, 4, body, sums);
  uint32_t sum = add_pairwise(shapes, sums, 4);
  for (uint32_t i = body; i < n; i++) sum = add_two(shapes, sum, i);
}

static void build_blocks(shapes_t *shapes, uint32_t n) {
  uint32_t sums[LENGTH_MAX] = {0};
  uint32_t count = add_blocks(shapes, 16, sums);
  add_chain(shapes, NO_TREE, sums, count);
  (void)n;
}

/* Blocks of 32 after padding at both ends, each from the initial value, and their sums too. */
static void build_padded(shapes_t *shapes, uint32_t n) {
  uint32_t missing = (32 - n % 32) % 32;
  uint32_t total = n <= 32 ? NO_TREE : init_id(shapes);
  uint32_t first = n <= 32 ? n : 32 - missing / 2;
  for (uint32_t begin = 0; begin < n; begin = first, first += 32) {
    uint32_t sum = init_id(shapes);
    for (uint32_t i = begin; i < MIN(n, first); i++) sum = add_two(shapes, sum, i);
    total = add_two(shapes, total, sum);
  }
}

static void build_swapped(shapes_t *shapes, uint32_t n) {
  uint32_t sum = NO_TREE;
  for (uint32_t i = 0; i < n; i++) sum = add_two(shapes, sum, (i ^ 1) < n ? i ^ 1 : i);
}

/* A chain of fused multiply-adds, whose first product is rounded. */
static void build_fused(shapes_t *shapes, uint32_t n) {
  const uint32_t first = 0;
  uint32_t sum = add_node(shapes, &first, 1);
  for (uint32_t i = 1; i < n; i++) sum = add_two(shapes, sum, i);
}

static const struct {
  const char *order; /* How the rule begins that explains all lengths. */
  build_t build;
  uint32_t found_at; /* With so many terms. */
  bool is_dot;
} ROWS[] = {
    {"sequential init=last", build_sequential, 20, false},
    {"sequential init=first", build_init_first, 20, false},
    {"halves init=absent", build_pairwise, 21, false},
    {"lanes8(sequential,halves) init=last", build_lanes, 50, false},
    {"lanes8(sequential,halves) init=first", build_shifted_lanes, 50, false},
    {"tail4(lanes4(sequential,halves)) init=absent", build_lanes_and_tail, 23, false},
    {"blocks16(sequential,sequential) init=absent", build_blocks, 70, false},
    {"padded32(sequential,sequential) init=each", build_padded, 100, false},
    {"padded32(sequential,sequential) init=each", build_padded, 33, false},
    {"swapped init=absent", build_swapped, 20, false},
    {"sequential init=absent first=rounded", build_fused, 20, true},
};

static void build_row(shapes_t *shapes, size_t row, uint32_t n) {
  shapes_init(shapes, n);
  if (ROWS[row].is_dot) shapes_multiply(shapes, &format_table[FORMAT_f32], true);
  ROWS[row].build(shapes, n);
  shapes_finish(shapes);
}

static char *print_profile(const profile_t *profile) {
  GString *text = g_string_new(NULL);
  profile_print(profile, text);
  return g_string_free(text, FALSE);
}

static char *print_rule(const sum_rule_t *rule) {
  GString *text = g_string_new(NULL);
  sum_rule_print(rule, text);
  return g_string_free(text, FALSE);
}

/* Whether the rule gives the trees of the row for all lengths. */
static bool explains_all(const sum_rule_t *rule, size_t row) {
  bool same = true;
  for (uint32_t n = 1; n <= LENGTH_MAX && same; n++) {
    shapes_t shapes;
    build_row(&shapes, row, n);
    profile_t made;
    same = sum_rule_apply(rule, "", n, &shapes.arena, &made, NULL) == STATUS_OK;
    g_autofree char *expected = print_profile(&shapes.profile);
    g_autofree char *given = same ? print_profile(&made) : NULL;
    same = same && g_str_equal(given, expected);
    shapes_deinit(&shapes);
  }
  return same;
}

/* Every rule that is found gives the profile that it was found from, and its text gives it back;
 * one of them, the one that is meant, gives all lengths. */
static void test_found(void) {
  for (size_t row = 0; row < G_N_ELEMENTS(ROWS); row++) {
    g_test_message("%s", ROWS[row].order);
    shapes_t shapes;
    build_row(&shapes, row, ROWS[row].found_at);
    sum_rule_t rules[SUM_RULES_MAX];
    size_t count = sum_rules_find(&shapes.profile, &shapes.arena, rules);
    bool is_found = false;
    for (size_t i = 0; i < count; i++) {
      g_autofree char *text = print_rule(&rules[i]);
      sum_rule_t again;
      g_assert_cmpint(sum_rule_parse(str_from(text), &shapes.profile, &shapes.arena, &again, NULL),
                      ==, STATUS_OK);
      g_autofree char *printed = print_rule(&again);
      g_assert_cmpstr(printed, ==, text);
      profile_t made;
      g_assert_cmpint(sum_rule_apply(&again, "", ROWS[row].found_at, &shapes.arena, &made, NULL),
                      ==, STATUS_OK);
      g_autofree char *given = print_profile(&made);
      g_autofree char *expected = print_profile(&shapes.profile);
      g_assert_cmpstr(given, ==, expected);
      if (!g_str_has_prefix(text, ROWS[row].order)) continue;
      is_found = true;
      g_assert_true(explains_all(&rules[i], row));
    }
    g_assert_true(is_found);
    shapes_deinit(&shapes);
  }
}

/* ---- Every kind of order --------------------------------------------------------------------- */

/* Of each kind that has a tree without drawing: what one length shows of them is enough, so that
 * one of the rules found gives the others. */
static void test_kinds(void) {
  static const char *const orders[] = {"sequential",
                                       "reverse",
                                       "swapped",
                                       "halves",
                                       "power",
                                       "halves-low",
                                       "interleaved",
                                       "ways4",
                                       "lanes8(sequential,halves)",
                                       "lanes8(sequential,ways8)",
                                       "lanes16(sequential,lanes4(folded,sequential))",
                                       "lanes4-first(sequential,halves)",
                                       "lanes4-front(sequential,halves)",
                                       "lanes4-beside(sequential,halves,sequential)",
                                       "blocks16(halves,sequential)",
                                       "blocks16-first(sequential,halves)",
                                       "blocks64(lanes8(sequential,halves),sequential)",
                                       "padded32(sequential,sequential)",
                                       "tail4(lanes4(sequential,halves))",
                                       "tail8(lanes8(sequential,folded),sequential)"};
  shapes_t shapes;
  build_row(&shapes, 2, 9);
  for (size_t i = 0; i < G_N_ELEMENTS(orders); i++) {
    scan_t scan = scan_make(str_from(orders[i]));
    sum_rule_t meant;
    g_assert_true(sum_rule_read_roles(&shapes.profile, &meant));
    g_assert_cmpint(sum_order_parse(&scan, &shapes.arena, &meant.order, NULL), ==, STATUS_OK);
    profile_t seen;
    g_assert_cmpint(sum_rule_apply(&meant, "", 99, &shapes.arena, &seen, NULL), ==, STATUS_OK);
    sum_rule_t rules[SUM_RULES_MAX];
    size_t count = sum_rules_find(&seen, &shapes.arena, rules);
    size_t right = 0;
    for (size_t k = 0; k < count; k++) {
      bool gives_all = true;
      for (size_t n = 33; n < LENGTH_MAX && gives_all; n++) {
        profile_t expected;
        profile_t made;
        sum_rule_apply(&meant, "", n, &shapes.arena, &expected, NULL);
        gives_all = sum_rule_apply(&rules[k], "", n, &shapes.arena, &made, NULL) == STATUS_OK;
        g_autofree char *expected_text = print_profile(&expected);
        g_autofree char *text = gives_all ? print_profile(&made) : NULL;
        gives_all = gives_all && g_str_equal(text, expected_text);
      }
      right += gives_all;
    }
    if (right == 0) g_test_message("%s: %zu rules, none of which gives it", orders[i], count);
    if (right == 0) g_test_fail();
  }
  shapes_deinit(&shapes);
}

/* Two leaves exchanged: no rule. */
static void test_irregular(void) {
  shapes_t shapes;
  shapes_init(&shapes, 40);
  uint32_t sum = NO_TREE;
  for (uint32_t i = 0; i < 40; i++) {
    sum = add_two(&shapes, sum, i == 20 ? 30 : i == 30 ? 20 : i);
  }
  sum_rule_t rules[SUM_RULES_MAX];
  g_assert_cmpuint(sum_rules_find(shapes_finish(&shapes), &shapes.arena, rules), ==, 0);
  shapes_deinit(&shapes);
  /* Nodes of one role with two arithmetics: none either. */
  shapes_init(&shapes, 40);
  sum = add_run(&shapes, 0, 20, 1);
  shapes.like.format = &format_table[FORMAT_f64];
  for (uint32_t i = 20; i < 40; i++) sum = add_two(&shapes, sum, i);
  g_assert_cmpuint(sum_rules_find(shapes_finish(&shapes), &shapes.arena, rules), ==, 0);
  shapes_deinit(&shapes);
}

/* Text that is no rule, or not one of this profile. */
static void test_refused(void) {
  shapes_t shapes;
  build_row(&shapes, 0, 20);
  sum_rule_t rules[SUM_RULES_MAX];
  g_assert_cmpuint(sum_rules_find(&shapes.profile, &shapes.arena, rules), >, 0);
  g_autofree char *good = print_rule(&rules[0]);
  g_autofree char *other_arithmetic = g_strdup(good);
  char *digits = strstr(other_arithmetic, "add=f32") + strlen("add=f");
  digits[0] = '6';
  digits[1] = '4';
  const char *texts[] = {
      "",
      "sequential",
      "lanes0(sequential,halves) init=last",
      "lanes8(sequential) init=last",
      "lanes8(sequential,halves init=last",
      "sequential init=never",
      "tail4(tail4(tail4(tail4(tail4(tail4(tail4(tail4(tail4(halves))))))))) init=last",
      other_arithmetic};
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
    sum_rule_t rule;
    failure_t error = {0};
    g_assert_cmpint(
        sum_rule_parse(str_from(texts[i]), &shapes.profile, &shapes.arena, &rule, &error), ==,
        STATUS_INVALID);
    g_assert_cmpint(error.text[0], !=, '\0');
  }
  profile_t made;
  g_assert_cmpint(sum_rule_apply(&rules[0], "", 0, &shapes.arena, &made, NULL), ==,
                  STATUS_UNSUPPORTED);
  shapes_deinit(&shapes);
}

/* ---- Stored rules ---------------------------------------------------------------------------- */

#define HEAD "left=f32 result=f32 start="
#define LINE " : stablehlo.reduce body=add dims=[0] f32[n] f32[] -> f32[]"

/* Profiles and rules as version 0 of the grammar had them in databases: they are read, written the
 * same, and give the trees that were identified at another length. */
static const struct {
  const char *profile;
  const char *rule;
  uint32_t term_count;
  const char *tree;
} STORED[] = {
    {"profile v1 terms=17 " HEAD "zero flush=none a=f32 tree=([([0 16 8] (4 12)) ((1 9) (5 13)) "
     "((2 10) (6 14)) ((3 11) (7 15))] i)" LINE,
     "lanes16(sequential,lanes4(folded,sequential)) init=last add=f32 join=f32 last=f32 " HEAD
     "zero flush=none",
     16, "([((0 8) (4 12)) ((1 9) (5 13)) ((2 10) (6 14)) ((3 11) (7 15))] i)"},
    {"profile v1 terms=9 " HEAD "none flush=none a=f32 tree=(([0 8 1] (2 3)) ((4 5) (6 7)))" LINE,
     "lanes8(sequential,halves) init=absent add=f32 join=f32 last=f32 " HEAD "none flush=none", 20,
     "((([0..16:8] [1..17:8]) ([2..18:8] [3..19:8])) (((4 12) (5 13)) ((6 14) (7 15))))"},
    {"profile v1 terms=33 " HEAD "none flush=none a=f32 tree=([i 0..30] (31 32))" LINE,
     "blocks32(sequential,sequential) init=first add=f32 join=f32 last=f32 " HEAD "none flush=none",
     70, "[[i 0..30] [31..62] [63..69]]"},
    {"profile v1 terms=1 " HEAD "none flush=none tree=0" LINE,
     "halves init=absent add=f32 join=f32 last=f32 " HEAD "none flush=none", 11,
     "(([0..2] [3..5]) ([6..8] (9 10)))"},
};

static void test_stored(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(STORED); i++) {
    arena_t arena;
    arena_init(&arena);
    profile_t profile;
    profile_t made;
    sum_rule_t rule;
    failure_t error = {0};
    str_t text = str_from(STORED[i].rule);
    if (profile_parse(str_from(STORED[i].profile), &arena, &profile, &error) != STATUS_OK ||
        sum_rule_parse(text, &profile, &arena, &rule, &error) != STATUS_OK ||
        sum_rule_apply(&rule, "", STORED[i].term_count, &arena, &made, &error) != STATUS_OK) {
      g_error("%s", error.text);
    }
    g_autofree char *printed = print_rule(&rule);
    g_assert_cmpstr(printed, ==, STORED[i].rule);
    g_autoptr(GString) tree = g_string_new(NULL);
    profile_print_tree(&made, tree);
    g_assert_cmpstr(tree->str, ==, STORED[i].tree);
    arena_deinit(&arena);
  }
}

/* Both spellings of an order are one rule. */
static void test_synonyms(void) {
  shapes_t shapes;
  build_row(&shapes, 3, 50);
  const char *rest = " init=last add=f32 join=f32 last=f32 " HEAD "none flush=none";
  static const char *const orders[] = {"lanes8(sequential,halves)", "lanes8(sequential,pairwise)",
                                       "lanes8"};
  for (size_t i = 0; i < G_N_ELEMENTS(orders); i++) {
    g_autofree char *text = g_strconcat(orders[i], rest, NULL);
    sum_rule_t rule;
    g_assert_cmpint(sum_rule_parse(str_from(text), &shapes.profile, &shapes.arena, &rule, NULL), ==,
                    STATUS_OK);
    g_autofree char *printed = print_rule(&rule);
    g_assert_true(g_str_has_prefix(printed, "lanes8(sequential,halves) init=last"));
    g_assert_true(explains_all(&rule, 3));
  }
  shapes_deinit(&shapes);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rule/found", test_found);
  g_test_add_func("/rule/kinds", test_kinds);
  g_test_add_func("/rule/irregular", test_irregular);
  g_test_add_func("/rule/refused", test_refused);
  g_test_add_func("/rule/stored", test_stored);
  g_test_add_func("/rule/synonyms", test_synonyms);
  return g_test_run();
}
