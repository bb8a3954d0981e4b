/* SPDX-License-Identifier: Apache-2.0 */
/* Every model is identified, and predicted to the bit on data that identification has not seen. */
#include "tests/identify/identify_fixture.h"

enum { FRESH_VECTORS = 200, FRESH_SEED = 4711 };

static const char *const trees[] = {"sequential", "reverse", "pairwise", "blocked4", "blocked32",
                                    "lanes4",     "lanes8",  "lanes16",  "random",   "shuffled"};
static const char *const reduce_suffixes[] = {"", "+acc=f64", "+init=0", "+init=2", "+init=3"};
static const char *const dot_suffixes[] = {"", "+fma", "+acc=f64", "+fma+init=0", "+acc=f32"};

static void check_fresh(fixture_t *fixture, const char *label) {
  identification_t fresh = {.identity = IDENTITY_FOUND};
  const check_data_t data = {.seed = FRESH_SEED, .count = FRESH_VECTORS};
  status_t status =
      identify_check(executor_sum_black_box(fixture->black_box), &fixture->found.profile, &data,
                     &fixture->arena, &fresh, &fixture->error);
  g_assert_cmpint(status, ==, STATUS_OK);
  if (fresh.predicted == fresh.checked) return;
  g_test_message("%s: %zu of %zu fresh vectors", label, fresh.predicted, fresh.checked);
  g_test_fail();
}

/* The profile reads back as the same text. */
static void check_text(fixture_t *fixture) {
  GString *text = g_string_new(NULL);
  profile_print(&fixture->found.profile, text);
  profile_t again;
  failure_t error = {0};
  status_t status = profile_parse((str_t){text->str, text->len}, &fixture->arena, &again, &error);
  g_assert_cmpstr(error.text, ==, "");
  g_assert_cmpint(status, ==, STATUS_OK);
  g_string_free(text, TRUE);
}

static void identify_model(const char *name, const sum_shape_t *shape) {
  fixture_t fixture;
  g_autofree char *label = g_strdup_printf("%s %s %s n=%d", name, shape->is_dot ? "dot" : "reduce",
                                           shape->left->name, (int)shape->terms);
  fixture_open(&fixture, name, shape);
  fixture_identify(&fixture);
  assert_identified(&fixture, label);
  if (fixture.found.has_profile) {
    check_fresh(&fixture, label);
    check_text(&fixture);
  }
  fixture_close(&fixture);
}

static void identify_models(const char *left, const char *right, const char *result,
                            const int64_t *sizes, size_t size_count) {
  const char *const *suffixes = right != NULL ? dot_suffixes : reduce_suffixes;
  for (size_t tree = 0; tree < G_N_ELEMENTS(trees); tree++) {
    for (size_t suffix = 0; suffix < G_N_ELEMENTS(reduce_suffixes); suffix++) {
      g_autofree char *name = g_strconcat("model:", trees[tree], suffixes[suffix], NULL);
      for (size_t i = 0; i < size_count; i++) {
        const sum_shape_t shape = make_shape(left, right, result, sizes[i]);
        identify_model(name, &shape);
      }
    }
  }
}

static const int64_t few[] = {1, 2, 3, 8, 33};

static void test_reduce_f32(void) {
  const int64_t sizes[] = {1, 2, 3, 7, 16, 100};
  identify_models("f32", NULL, "f32", sizes, G_N_ELEMENTS(sizes));
}
static void test_dot_f32(void) {
  const int64_t sizes[] = {1, 2, 3, 7, 16, 100};
  identify_models("f32", "f32", "f32", sizes, G_N_ELEMENTS(sizes));
}
static void test_f64(void) {
  identify_models("f64", NULL, "f64", few, G_N_ELEMENTS(few));
  identify_models("f64", "f64", "f64", few, G_N_ELEMENTS(few));
}
static void test_bf16(void) {
  identify_models("bf16", NULL, "bf16", few, G_N_ELEMENTS(few));
  identify_models("bf16", "bf16", "bf16", few, G_N_ELEMENTS(few));
  identify_models("bf16", "bf16", "f32", few, G_N_ELEMENTS(few));
}
static void test_f16(void) {
  identify_models("f16", NULL, "f16", few, G_N_ELEMENTS(few));
  identify_models("f16", "f16", "f16", few, G_N_ELEMENTS(few));
  identify_models("f16", "f16", "f32", few, G_N_ELEMENTS(few));
}
static void test_f8(void) {
  identify_models("f8E5M2", NULL, "f8E5M2", few, G_N_ELEMENTS(few));
  identify_models("f8E4M3FN", "f8E4M3FN", "f8E4M3FN", few, G_N_ELEMENTS(few));
  identify_models("f8E4M3FN", NULL, "f32", few, G_N_ELEMENTS(few));
}

/* More terms than units can be counted. */
static void test_narrow_and_many(void) {
  static const char *const names[] = {"model:sequential", "model:lanes8", "model:pairwise+acc=f32"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    const sum_shape_t bf16 = make_shape("bf16", NULL, "bf16", 600);
    identify_model(names[i], &bf16);
    const sum_shape_t f16 = make_shape("f16", "f16", "f16", 300);
    identify_model(names[i], &f16);
  }
}

/* The trees themselves. */
static void test_trees(void) {
  static const struct {
    const char *model;
    const char *right;
    const char *tree;
  } rows[] = {
      {"model:sequential", NULL, "[i 0..10]"},
      {"model:reverse", NULL, "[10..0:-1 i]"},
      {"model:sequential+init=0", NULL, "[0..10]"},
      {"model:sequential+init=2", NULL, "[i i 0..10]"},
      {"model:sequential+init=0", "f32", "[0..10]"},
      {"model:sequential+fma+init=0", "f32", "[(0) 1..10]"},
      {"model:blocked4+init=0", NULL, "[[0..3] [4..7] [8..10]]"},
      {"model:lanes4+init=0", NULL, "(([0..8:4] [1..9:4]) ([2..10:4] (3 7)))"},
      {"model:pairwise+init=0", NULL, "(([0..2] [3..5]) ([6..8] (9 10)))"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    fixture_t fixture;
    const sum_shape_t shape = make_shape("f32", rows[i].right, "f32", 11);
    fixture_open(&fixture, rows[i].model, &shape);
    fixture_identify(&fixture);
    assert_identified(&fixture, rows[i].model);
    g_autofree char *tree = tree_text(&fixture.found.profile);
    g_assert_cmpstr(tree, ==, rows[i].tree);
    fixture_close(&fixture);
  }
}

/* A regular tree of 4096 terms is found within 8 calls a term, checks included. */
static void test_calls(void) {
  enum { TERMS = 4096, CALLS_PER_TERM = 8 };
  static const char *const names[] = {"model:lanes8+fma", "model:reverse", "model:pairwise",
                                      "model:blocked32"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    fixture_t fixture;
    bool is_dot = i % 3 == 0;
    const sum_shape_t shape = make_shape("f32", is_dot ? "f32" : NULL, "f32", TERMS);
    fixture_open(&fixture, names[i], &shape);
    fixture_identify(&fixture);
    assert_identified(&fixture, names[i]);
    size_t calls = executor_sum_black_box(fixture.black_box)->calls;
    g_test_message("%s: %zu calls", names[i], calls);
    g_assert_cmpuint(calls, <=, CALLS_PER_TERM * TERMS);
    fixture_close(&fixture);
  }
}

/* A right guess costs one probe a node, a wrong one is refuted. */
static void test_hints(void) {
  enum { TERMS = 512 };
  fixture_t right;
  fixture_t other;
  const sum_shape_t shape = make_shape("f32", NULL, "f32", TERMS);
  fixture_open(&right, "model:lanes8", &shape);
  fixture_identify(&right);
  fixture_open(&other, "model:pairwise", &shape);
  fixture_identify(&other);
  const profile_t *const hints[] = {&right.found.profile, &other.found.profile};
  for (size_t i = 0; i < 2; i++) {
    const identify_options_t options = {.hint = hints[i], .seed = 5};
    identification_t found;
    status_t status = identify(executor_sum_black_box(right.black_box), &options, &right.arena,
                               &found, &right.error);
    g_assert_cmpint(status, ==, STATUS_OK);
    g_assert_cmpint(found.identity, ==, IDENTITY_FOUND);
    g_autofree char *tree = tree_text(&found.profile);
    g_autofree char *expected = tree_text(&right.found.profile);
    g_assert_cmpstr(tree, ==, expected);
    if (i == 0) g_assert_cmpuint(found.tree_calls, ==, TERMS);
  }
  fixture_close(&other);
  fixture_close(&right);
}

/* A hint may hold nodes that only round, which its own black box confirms. */
static void test_fused_hint(void) {
  fixture_t fixture;
  const sum_shape_t shape = make_shape("f32", "f32", "f32", 20);
  fixture_open(&fixture, "model:blocked4+fma+init=0", &shape);
  fixture_identify(&fixture);
  g_assert_cmpuint(fixture.found.profile.nodes[0].child_count, ==, 1);
  const identify_options_t options = {.hint = &fixture.found.profile, .seed = 5};
  identification_t found;
  status_t status = identify(executor_sum_black_box(fixture.black_box), &options, &fixture.arena,
                             &found, &fixture.error);
  g_assert_cmpint(status, ==, STATUS_OK);
  g_assert_cmpint(found.identity, ==, IDENTITY_FOUND);
  g_assert_cmpuint(found.tree_calls, ==, 19); /* One probe a node, and no search. */
  g_autofree char *tree = tree_text(&found.profile);
  g_autofree char *expected = tree_text(&fixture.found.profile);
  g_assert_cmpstr(tree, ==, expected);
  fixture_close(&fixture);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/models/trees", test_trees);
  g_test_add_func("/models/calls", test_calls);
  g_test_add_func("/models/hints", test_hints);
  g_test_add_func("/models/fused-hint", test_fused_hint);
  g_test_add_func("/models/reduce-f32", test_reduce_f32);
  g_test_add_func("/models/dot-f32", test_dot_f32);
  g_test_add_func("/models/f64", test_f64);
  g_test_add_func("/models/bf16", test_bf16);
  g_test_add_func("/models/f16", test_f16);
  g_test_add_func("/models/f8", test_f8);
  g_test_add_func("/models/many", test_narrow_and_many);
  return g_test_run();
}
