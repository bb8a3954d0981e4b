/* Rules: generating trees from them, and their text. */
#include "harness/identify/tree_rule.h"

#include <string.h>

#include "harness/identify/profile_builder.h"

static uint32_t add(profile_builder_t *builder, uint32_t a, uint32_t b) {
  const profile_node_t like = {.rounding = ROUNDING_NEAREST_EVEN};
  const uint32_t children[] = {a, b};
  return profile_builder_add(builder, children, 2, &like);
}

static uint32_t build_forward(profile_builder_t *builder, const uint32_t *items, size_t count) {
  uint32_t sum = items[0];
  for (size_t i = 1; i < count; i++) sum = add(builder, sum, items[i]);
  return sum;
}

static uint32_t build_backward(profile_builder_t *builder, const uint32_t *items, size_t count) {
  uint32_t sum = items[count - 1];
  for (size_t i = count - 1; i-- > 0;) sum = add(builder, sum, items[i]);
  return sum;
}

static uint32_t build_halves(profile_builder_t *builder, const uint32_t *items, size_t count,
                             bool left_is_larger) {
  if (count == 1) return items[0];
  size_t half = left_is_larger ? count - count / 2 : count / 2;
  uint32_t left = build_halves(builder, items, half, left_is_larger);
  return add(builder, left, build_halves(builder, items + half, count - half, left_is_larger));
}

static uint32_t build_interleaved(profile_builder_t *builder, const uint32_t *items, size_t count) {
  if (count == 1) return items[0];
  uint32_t *parted = g_new(uint32_t, count);
  size_t even_count = count - count / 2;
  for (size_t i = 0; i < count; i++) parted[i % 2 == 0 ? i / 2 : even_count + i / 2] = items[i];
  uint32_t even = build_interleaved(builder, parted, even_count);
  uint32_t odd = build_interleaved(builder, parted + even_count, count - even_count);
  g_free(parted);
  return add(builder, even, odd);
}

/* The size of the first block. */
static size_t first_block(const tree_rule_t *rule, size_t count) {
  size_t width = rule->width;
  size_t missing = (width - count % width) % width;
  if (rule->rest == REST_FIRST) return width - missing;
  if (rule->rest == REST_BOTH) return width - missing / 2;
  return width;
}

static uint32_t build_blocks(const tree_rule_t *rule, profile_builder_t *builder,
                             const uint32_t *items, size_t count) {
  if (count <= rule->width) return tree_rule_build(rule->inner, builder, items, count);
  uint32_t *sums = g_new(uint32_t, count);
  size_t blocks = 0;
  size_t size = first_block(rule, count);
  for (size_t at = 0; at < count; size = rule->width) {
    size = MIN(size, count - at);
    sums[blocks++] = tree_rule_build(rule->inner, builder, items + at, size);
    at += size;
  }
  uint32_t sum = tree_rule_build(rule->outer, builder, sums, blocks);
  g_free(sums);
  return sum;
}

/* The items of one lane; those of the rest too, where they go there. */
static size_t take_lane(const tree_rule_t *rule, const uint32_t *items, size_t count, size_t lane,
                        uint32_t *out_items) {
  size_t rest = count % rule->width;
  size_t front = rule->rest == REST_FRONT ? rest : 0;
  size_t end = rule->rest == REST_LAST ? count : count - rest + front;
  size_t taken = 0;
  for (size_t i = 0; i < front && lane == 0; i++) out_items[taken++] = items[i];
  for (size_t i = front + lane; i < end; i += rule->width) out_items[taken++] = items[i];
  if (rule->rest == REST_FIRST && lane == 0) {
    for (size_t i = end; i < count; i++) out_items[taken++] = items[i];
  }
  return taken;
}

static uint32_t build_lanes(const tree_rule_t *rule, profile_builder_t *builder,
                            const uint32_t *items, size_t count) {
  size_t whole = count - count % rule->width;
  if (whole == 0) {
    if (rule->rest == REST_LAST) return tree_rule_build(rule->outer, builder, items, count);
    if (rule->apart != NULL) return tree_rule_build(rule->apart, builder, items, count);
    return build_forward(builder, items, count);
  }
  uint32_t *lane_items = g_new(uint32_t, count);
  uint32_t *lanes = g_new(uint32_t, rule->width);
  for (size_t lane = 0; lane < rule->width; lane++) {
    size_t taken = take_lane(rule, items, count, lane, lane_items);
    lanes[lane] = tree_rule_build(rule->inner, builder, lane_items, taken);
  }
  uint32_t rest = 0;
  bool has_rest = rule->apart != NULL && whole < count;
  if (has_rest) rest = tree_rule_build(rule->apart, builder, items + whole, count - whole);
  if (has_rest && rule->rest == REST_BESIDE) lanes[0] = add(builder, lanes[0], rest);
  uint32_t sum = tree_rule_build(rule->outer, builder, lanes, rule->width);
  if (rule->rest == REST_AFTER) {
    for (size_t i = whole; i < count; i++) sum = add(builder, sum, items[i]);
  }
  if (has_rest && rule->rest == REST_APART) sum = add(builder, sum, rest);
  g_free(lanes);
  g_free(lane_items);
  return sum;
}

uint32_t tree_rule_build(const tree_rule_t *rule, profile_builder_t *builder, const uint32_t *items,
                         size_t count) {
  switch (rule->kind) {
    case RULE_SEQUENTIAL:
      return build_forward(builder, items, count);
    case RULE_REVERSE:
      return build_backward(builder, items, count);
    case RULE_PAIRWISE:
      return build_halves(builder, items, count, true);
    case RULE_PAIRWISE_LOW:
      return build_halves(builder, items, count, false);
    case RULE_INTERLEAVED:
      return build_interleaved(builder, items, count);
    case RULE_BLOCKS:
      return build_blocks(rule, builder, items, count);
    case RULE_LANES:
      return build_lanes(rule, builder, items, count);
  }
  g_assert_not_reached();
}

bool tree_rule_guess(const tree_rule_t *rule, const profile_t *like, size_t terms, arena_t *arena,
                     profile_t *out_profile) {
  init_place_t place = profile_init_place(like);
  if (place == INIT_INSIDE || terms == 0) return false;
  profile_builder_t builder = profile_builder_make(terms, arena);
  uint32_t init = (uint32_t)terms;
  uint32_t *items = g_new(uint32_t, terms);
  for (size_t i = 0; i < terms; i++) items[i] = (uint32_t)i;
  if (place == INIT_FIRST) items[0] = add(&builder, items[0], init);
  uint32_t root = tree_rule_build(rule, &builder, items, terms);
  if (place == INIT_LAST) add(&builder, root, init);
  g_free(items);
  profile_node_t arithmetic = {.format = like->result, .rounding = ROUNDING_NEAREST_EVEN};
  if (like->node_count > 0) arithmetic = like->nodes[like->node_count - 1];
  for (guint i = 0; i < builder.nodes->len; i++) {
    profile_node_t *node = &g_array_index(builder.nodes, profile_node_t, i);
    node->format = arithmetic.format;
    node->rounding = arithmetic.rounding;
    node->fused = arithmetic.fused;
  }
  *out_profile = *like;
  out_profile->term_count = terms;
  profile_builder_finish(&builder, out_profile);
  profile_builder_free(&builder);
  return true;
}

void tree_rule_print(const tree_rule_t *rule, GString *out_text) {
  static const char *const names[] = {
      [RULE_SEQUENTIAL] = "seq",
      [RULE_REVERSE] = "rev",
      [RULE_PAIRWISE] = "pairwise",
      [RULE_PAIRWISE_LOW] = "pairwise-low",
      [RULE_INTERLEAVED] = "interleaved",
      [RULE_BLOCKS] = "blocks",
      [RULE_LANES] = "lanes",
  };
  static const char *const rests[] = {
      [REST_LAST] = "",          [REST_FIRST] = "-first", [REST_BOTH] = "-both",
      [REST_AFTER] = "-after",   [REST_APART] = "-apart", [REST_FRONT] = "-front",
      [REST_BESIDE] = "-beside",
  };
  if (rule == NULL) {
    g_string_append(out_text, "irregular");
    return;
  }
  g_string_append(out_text, names[rule->kind]);
  if (rule->kind != RULE_BLOCKS && rule->kind != RULE_LANES) return;
  g_string_append_printf(out_text, "%u%s(", rule->width, rests[rule->rest]);
  tree_rule_print(rule->inner, out_text);
  g_string_append_c(out_text, ';');
  tree_rule_print(rule->outer, out_text);
  if (rule->apart != NULL) {
    g_string_append_c(out_text, ';');
    tree_rule_print(rule->apart, out_text);
  }
  g_string_append_c(out_text, ')');
}
