/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of summation read off trees, and maps over sizes. */
#include <string.h>

#include "harness/identify/order/order_by_size.h"
#include "harness/identify/order/sum_rule.h"
#include "tests/identify/identify_fixture.h"

#define SUM "profile v1 terms=%d left=f32 result=f32 start=none flush=none%s tree=%s : x"

static profile_t profile_of(int terms, const char *tree, arena_t *arena) {
  g_autofree char *text = g_strdup_printf(SUM, terms, terms > 1 ? " a=f32" : "", tree);
  profile_t profile;
  failure_t error = {0};
  status_t status = profile_parse(str_from(text), arena, &profile, &error);
  g_assert_cmpstr(status == STATUS_OK ? "" : error.text, ==, "");
  return profile;
}

static char *order_text(const sum_order_t *order) {
  if (order == NULL) return NULL;
  GString *text = g_string_new(NULL);
  sum_order_print(order, text);
  return g_string_free(text, FALSE);
}

static void test_found(void) {
  static const struct {
    int terms;
    const char *tree;
    const char *rule;
    rule_init_t init;
  } rows[] = {
      {1, "0", "sequential", RULE_INIT_ABSENT},
      {5, "[0..4]", "sequential", RULE_INIT_ABSENT},
      {5, "[i 0..4]", "sequential", RULE_INIT_TERM},
      {5, "[0..4 i]", "sequential", RULE_INIT_LAST},
      {5, "[4..0:-1]", "reverse", RULE_INIT_ABSENT},
      {5, "([0..2] (3 4))", "halves", RULE_INIT_ABSENT},
      {5, "((0 1) [4..2:-1])", "halves-low", RULE_INIT_ABSENT},
      {8, "(((0 4) (2 6)) ((1 5) (3 7)))", "interleaved", RULE_INIT_ABSENT},
      {12, "(([0..8:4] [1..9:4]) ([2..10:4] [3..11:4]))", "lanes4(sequential,halves)",
       RULE_INIT_ABSENT},
      {14, "[(([0..8:4] [1..9:4]) ([2..10:4] [3..11:4])) 12 13]",
       "tail4(lanes4(sequential,halves))", RULE_INIT_ABSENT},
      {15, "[([0..8:4] [1..9:4]) ([2..10:4] [3..11:4]) [12..14]]",
       "tail4(lanes4(sequential,halves),sequential)", RULE_INIT_ABSENT},
      {9, "[[0..2] [3..5] [6..8]]", "blocks3(sequential,sequential)", RULE_INIT_ABSENT},
      {10, "(((0 1) [2..5]) [6..9])", "blocks4-first(sequential,sequential)", RULE_INIT_ABSENT},
      {5, "[0 1 3 2 4]", "swapped", RULE_INIT_ABSENT},
      {7, "[(1 5) [2..4] (0 6)]", NULL, RULE_INIT_ABSENT},
      {4, "(0..3)", NULL, RULE_INIT_ABSENT},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    arena_t arena;
    arena_init(&arena);
    profile_t profile = profile_of(rows[i].terms, rows[i].tree, &arena);
    const sum_order_t *rule = sum_order_find(&profile, &arena);
    g_autofree char *text = order_text(rule);
    g_assert_cmpstr(text, ==, rows[i].rule);
    g_assert_cmpint(sum_rule_init_place(&profile), ==, rows[i].init);
    if (rule != NULL) g_assert_true(sum_order_explains(rule, &profile));
    arena_deinit(&arena);
  }
}

/* An order found at one size gives the tree of another. */
static void test_other_sizes(void) {
  arena_t arena;
  arena_init(&arena);
  profile_t twelve = profile_of(12, "(([0..8:4] [1..9:4]) ([2..10:4] [3..11:4]))", &arena);
  profile_t six = profile_of(6, "[(0 4) (1 5) (2 3)]", &arena);
  profile_t two = profile_of(2, "(0 1)", &arena);
  profile_t in_order = profile_of(6, "[0..5]", &arena);
  const sum_order_t *rule = sum_order_find(&twelve, &arena);
  g_assert_true(sum_order_explains(rule, &six));
  g_assert_true(sum_order_explains(rule, &two));
  g_assert_false(sum_order_explains(rule, &in_order));
  profile_t made;
  g_assert_true(sum_rule_guess(rule, &twelve, 6, &arena, &made));
  g_autofree char *made_tree = tree_text(&made);
  g_autofree char *six_tree = tree_text(&six);
  g_assert_cmpstr(made_tree, ==, six_tree);
  arena_deinit(&arena);
}

/* ---- Maps ------------------------------------------------------------------------------------ */

/* A backend that adds in order below `threshold` terms and in lanes from there on. */
typedef struct switching {
  int64_t threshold;
  int64_t refused; /* A size that it refuses. */
} switching_t;

static status_t identify_switching(void *context, int64_t size, const profile_t *hint,
                                   arena_t *arena, size_point_t *out_point, failure_t *error) {
  const switching_t *switching = context;
  fixture_t fixture;
  out_point->is_refused = size == switching->refused;
  if (out_point->is_refused) return STATUS_OK;
  const sum_shape_t shape = make_shape("f32", NULL, "f32", size);
  bool is_small = size < switching->threshold;
  fixture_open(&fixture, is_small ? "model:sequential+init=0" : "model:lanes8+init=0", &shape);
  const identify_options_t options = {.hint = hint, .seed = 1};
  identification_t found;
  status_t status =
      identify(executor_sum_black_box(fixture.black_box), &options, arena, &found, error);
  out_point->identity = found.identity;
  out_point->is_explained = found.identity == IDENTITY_FOUND;
  out_point->has_profile = found.has_profile;
  out_point->profile = found.profile;
  out_point->calls = executor_sum_black_box(fixture.black_box)->calls;
  fixture_close(&fixture);
  return status;
}

static void test_map(void) {
  static const int64_t thresholds[] = {2, 47, 64, 100, 299, 1000};
  for (size_t i = 0; i < G_N_ELEMENTS(thresholds); i++) {
    switching_t switching = {.threshold = thresholds[i], .refused = 300};
    arena_t arena;
    arena_init(&arena);
    order_by_size_t map;
    failure_t error = {0};
    const size_identifier_t identifier = {.identify = identify_switching, .context = &switching};
    status_t status = order_by_size_find(&identifier, 1, 300, &arena, &map, &error);
    g_assert_cmpint(status, ==, STATUS_OK);
    const size_range_t *ranges = (const size_range_t *)(const void *)map.ranges->data;
    const size_range_t *last = &ranges[map.ranges->len - 1];
    g_assert_cmpint(last->first, ==, 300);
    bool has_both = thresholds[i] > 2 && thresholds[i] < 300;
    g_assert_cmpuint(map.ranges->len, ==, has_both ? 3 : 2);
    if (has_both) {
      g_assert_cmpint(ranges[1].first, ==, thresholds[i]);
      g_autofree char *rule = order_text(ranges[1].order);
      /* One size alone shows less. */
      if (thresholds[i] < 299) g_assert_cmpstr(rule, ==, "lanes8(sequential,halves)");
    }
    order_by_size_free(&map);
    arena_deinit(&arena);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rules/found", test_found);
  g_test_add_func("/rules/other-sizes", test_other_sizes);
  g_test_add_func("/rules/map", test_map);
  return g_test_run();
}
