/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of profiles: well-formed, every addition and every term is in it or accounted for. */
#include "harness/identify/profile/svg.h"

#include <string.h>

#include "harness/identify/profile/outline.h"
#include "tests/identify/tree_shapes.h"

static void note_element(GMarkupParseContext *context, const gchar *name, const gchar **keys,
                         const gchar **values, gpointer data, GError **error) {
  (void)context, (void)keys, (void)values, (void)error;
  GHashTable *counts = data;
  guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, name));
  g_hash_table_replace(counts, g_strdup(name), GUINT_TO_POINTER(count + 1));
}

/* Elements by name. */
static GHashTable *count_elements(const char *svg) {
  GHashTable *counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  const GMarkupParser parser = {.start_element = note_element};
  GMarkupParseContext *context = g_markup_parse_context_new(&parser, 0, counts, NULL);
  g_autoptr(GError) error = NULL;
  if (!g_markup_parse_context_parse(context, svg, -1, &error) ||
      !g_markup_parse_context_end_parse(context, &error)) {
    g_error("%s", error->message);
  }
  g_markup_parse_context_free(context);
  return counts;
}

static guint elements_called(GHashTable *counts, const char *name) {
  return GPOINTER_TO_UINT(g_hash_table_lookup(counts, name));
}

/* Leaves that the outline draws, hides in gaps and puts into boxes. */
static uint32_t count_leaves(const outline_t *outline, const subtree_stats_t *facts) {
  if (outline->kind == OUTLINE_LEAF) return 1;
  if (outline->kind == OUTLINE_BOX) return facts[outline->id].leaf_count;
  if (outline->kind == OUTLINE_GAP) return outline->hidden * facts[outline->first_id].leaf_count;
  uint32_t count = 0;
  for (uint32_t i = 0; i < outline->item_count; i++) {
    count += count_leaves(outline->items[i], facts);
  }
  return count;
}

static void check_picture(shapes_t *shapes, bool is_whole) {
  const profile_t *profile = shapes_finish(shapes);
  subtree_stats_t *facts = subtree_stats_make(profile, &shapes->arena);
  const outline_t *outline = profile_outline(profile, facts, &shapes->arena);
  g_assert_cmpuint(count_leaves(outline, facts), ==, facts[profile_root(profile)].leaf_count);
  g_autoptr(GString) svg = g_string_new(NULL);
  profile_svg(profile, "a <b> & \"c\"", "in words", svg);
  g_autoptr(GHashTable) counts = count_elements(svg->str);
  g_assert_cmpuint(elements_called(counts, "svg"), ==, 1);
  g_assert_cmpuint(elements_called(counts, "script"), ==, 0);
  g_assert_nonnull(strstr(svg->str, "a &lt;b&gt; &amp; &quot;c&quot;"));
  g_assert_cmpuint(svg->len, <, 64 * 1024);
  guint adders = elements_called(counts, "circle") + elements_called(counts, "rect") - 2;
  if (is_whole) {
    g_assert_cmpuint(adders, ==, profile->node_count); /* One more stands in the legend. */
    g_assert_null(strstr(svg->str, "more"));
  }
  shapes_deinit(shapes);
}

static void test_whole(void) {
  uint32_t ids[64];
  for (uint32_t i = 0; i < 64; i++) ids[i] = i;
  shapes_t shapes;
  shapes_init(&shapes, 64);
  add_two(&shapes, add_run(&shapes, 0, 64, 1), init_id(&shapes));
  check_picture(&shapes, true);
  shapes_init(&shapes, 64);
  add_pairwise(&shapes, ids, 64);
  check_picture(&shapes, true);
  shapes_init(&shapes, 64);
  uint32_t sums[8];
  add_lanes(&shapes, 8, 64, sums);
  add_pairwise(&shapes, sums, 8);
  check_picture(&shapes, true);
  shapes_init(&shapes, 64);
  uint32_t sum = 63;
  for (uint32_t i = 63; i-- > 0;) sum = add_two(&shapes, i, sum);
  check_picture(&shapes, true);
  shapes_init(&shapes, 16);
  sum = NO_TREE;
  for (uint32_t i = 0; i < 16; i += 4) {
    const uint32_t children[5] = {i, i + 1, i + 2, i + 3, sum};
    sum = add_node(&shapes, children, sum == NO_TREE ? 4 : 5);
  }
  check_picture(&shapes, true);
  shapes_init(&shapes, 1);
  check_picture(&shapes, false); /* Nothing is added: no legend either. */
}

static void test_large(void) {
  g_autofree uint32_t *ids = g_new(uint32_t, 4096);
  for (uint32_t i = 0; i < 4096; i++) ids[i] = i;
  shapes_t shapes;
  shapes_init(&shapes, 4096);
  add_run(&shapes, 0, 4096, 1);
  check_picture(&shapes, false);
  for (uint32_t n = 4094; n <= 4096; n++) {
    shapes_init(&shapes, n);
    add_pairwise(&shapes, ids, n);
    check_picture(&shapes, false);
    shapes_init(&shapes, n);
    uint32_t sums[128];
    add_lanes(&shapes, 16, n, sums);
    add_two(&shapes, add_pairwise(&shapes, sums, 16), init_id(&shapes));
    check_picture(&shapes, false);
    shapes_init(&shapes, n);
    uint32_t count = add_blocks(&shapes, 32, sums);
    add_chain(&shapes, NO_TREE, sums, count);
    check_picture(&shapes, false);
  }
}

/* Terms left and right of the sum so far, by turns: no chain, and too deep to be drawn whole. */
static void test_deep(void) {
  shapes_t shapes;
  shapes_init(&shapes, 1000);
  uint32_t sum = 500;
  for (uint32_t i = 1; i < 500; i++) {
    sum = add_two(&shapes, sum, 500 + i);
    sum = add_two(&shapes, 500 - i, sum);
  }
  add_two(&shapes, 0, sum);
  check_picture(&shapes, false);
}

/* What is hidden is told: how many, from where to where. */
static void test_counts(void) {
  shapes_t shapes;
  shapes_init(&shapes, 1000);
  add_run(&shapes, 0, 1000, 1);
  g_autoptr(GString) svg = g_string_new(NULL);
  profile_svg(shapes_finish(&shapes), "t", "s", svg);
  g_assert_nonnull(strstr(svg->str, "996 more: 3 .. 998<"));
  shapes_deinit(&shapes);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/svg/whole", test_whole);
  g_test_add_func("/svg/large", test_large);
  g_test_add_func("/svg/deep", test_deep);
  g_test_add_func("/svg/counts", test_counts);
  return g_test_run();
}
