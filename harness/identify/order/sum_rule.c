/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles made by rules. */
#include "harness/identify/order/sum_rule.h"

#include "harness/identify/profile/builder.h"

/* A tree in the making. */
typedef struct maker {
  const sum_rule_t *rule;
  arena_t *arena;
  profile_builder_t builder;
} maker_t;

static bool is_term(const maker_t *maker, uint32_t id) { return id < maker->builder.term_count; }
static bool is_init(const maker_t *maker, uint32_t id) { return id == maker->builder.term_count; }

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* A place that nothing has.  It is no id, and not SUM_NO_ITEM either, which is no place. */
enum { NOTHING = UINT32_MAX - 1 };

static uint32_t begin_with(void *context, uint32_t item);
static uint32_t add_many(void *context, const uint32_t *items, uint32_t count);

/* Adds all items but the one at `place`. */
static uint32_t add_without(maker_t *maker, const uint32_t *items, uint32_t count, uint32_t place) {
  uint32_t *others = ARENA_NEW_ARRAY(maker->arena, uint32_t, count);
  uint32_t other_count = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (i != place) others[other_count++] = items[i];
  }
  return other_count == 1 ? begin_with(maker, others[0]) : add_many(maker, others, other_count);
}

static uint32_t add_many(void *context, const uint32_t *items, uint32_t count) {
  maker_t *maker = context;
  for (uint32_t i = 0; i < count; i++) {
    if (items[i] == NOTHING) return add_without(maker, items, count, i);
  }
  bool has_term = false;
  bool has_init = false;
  for (uint32_t i = 0; i < count; i++) {
    has_term |= is_term(maker, items[i]);
    has_init |= is_init(maker, items[i]);
  }
  const sum_rule_t *rule = maker->rule;
  const profile_node_t *like = has_term ? &rule->add : has_init ? &rule->last : &rule->join;
  return profile_builder_add(&maker->builder, items, count, like);
}

static uint32_t add_two(maker_t *maker, uint32_t a, uint32_t b) {
  const uint32_t items[2] = {a, b};
  return add_many(maker, items, 2);
}

/* What a sum begins with. */
static uint32_t begin_with(void *context, uint32_t item) {
  maker_t *maker = context;
  if (!maker->rule->first_is_rounded || !is_term(maker, item)) return item;
  return profile_builder_add(&maker->builder, &item, 1, &maker->rule->add);
}

/* ---- Applying -------------------------------------------------------------------------------- */

static bool make_tree(maker_t *maker, uint32_t term_count) {
  uint32_t *items = ARENA_NEW_ARRAY(maker->arena, uint32_t, (size_t)term_count + 1);
  uint32_t count = 0;
  rule_init_t init = maker->rule->init;
  const sum_order_t *order = &maker->rule->order;
  bool has_groups = sum_order_is_lanes(order->kind) || sum_order_is_blocks(order->kind) ||
                    order->kind == SUM_TAIL;
  bool is_in_front = init == RULE_INIT_FIRST || (init == RULE_INIT_EACH && !has_groups);
  if (is_in_front) items[count++] = term_count;
  if (init == RULE_INIT_ZERO) items[count++] = NOTHING;
  for (uint32_t i = 0; i < term_count; i++) items[count++] = i;
  if (init == RULE_INIT_TERM) items[0] = add_two(maker, 0, term_count);
  const sum_builder_t builder = {.add = add_many,
                                 .begin = begin_with,
                                 .context = maker,
                                 .front = init == RULE_INIT_EACH ? term_count : SUM_NO_ITEM};
  uint32_t sum;
  if (!sum_order_build(order, &builder, items, count, &sum)) return false;
  if (init == RULE_INIT_LAST) add_two(maker, sum, term_count);
  return true;
}

status_t sum_rule_apply(const sum_rule_t *rule, const char *program_line, size_t term_count,
                        arena_t *arena, profile_t *out_profile, failure_t *error) {
  if (term_count == 0 || term_count > PROFILE_TERMS_MAX) {
    return status_fail(error, STATUS_UNSUPPORTED, "a rule speaks of 1 to %d terms, not of %zu",
                       PROFILE_TERMS_MAX, term_count);
  }
  maker_t maker = {.rule = rule, .arena = arena};
  maker.builder = profile_builder_make(term_count, arena);
  bool has_tree = make_tree(&maker, (uint32_t)term_count);
  if (has_tree) {
    *out_profile = *rule->like;
    out_profile->program_line = program_line;
    out_profile->term_count = term_count;
    profile_builder_finish(&maker.builder, out_profile);
  }
  profile_builder_free(&maker.builder);
  if (has_tree) return STATUS_OK;
  return status_fail(error, STATUS_UNSUPPORTED, "the rule has no tree for %zu terms", term_count);
}

/* ---- Guessing -------------------------------------------------------------------------------- */

rule_init_t sum_rule_init_place(const profile_t *profile) {
  if (!profile->has_init) return RULE_INIT_ABSENT;
  uint32_t init = (uint32_t)profile->term_count;
  size_t found = 0;
  rule_init_t place = RULE_INIT_ELSEWHERE;
  for (size_t i = 0; i < profile->node_count; i++) {
    const profile_node_t *node = &profile->nodes[i];
    for (uint32_t k = 0; k < node->child_count; k++) {
      if (node->children[k] != init) continue;
      found++;
      bool is_last = i + 1 == profile->node_count;
      if (node->child_count == 2 && node->children[0] == 0) place = RULE_INIT_TERM;
      if (node->child_count == 2 && is_last && profile->term_count > 1) place = RULE_INIT_LAST;
    }
  }
  return found == 1 ? place : RULE_INIT_ELSEWHERE;
}

void sum_rule_print_init_place(const profile_t *profile, const char *before, GString *out_text) {
  rule_init_t init = sum_rule_init_place(profile);
  if (init == RULE_INIT_ABSENT) return;
  g_string_append_printf(out_text, "%sinitial value %s", before,
                         init == RULE_INIT_TERM   ? "first"
                         : init == RULE_INIT_LAST ? "last"
                                                  : "inside");
}

bool sum_rule_guess(const sum_order_t *order, const profile_t *like, size_t terms, arena_t *arena,
                    profile_t *out_profile) {
  rule_init_t init = sum_rule_init_place(like);
  if (init == RULE_INIT_ELSEWHERE) return false;
  profile_node_t arithmetic = {.format = like->result, .rounding = ROUNDING_NEAREST_EVEN};
  if (like->node_count > 0) arithmetic = like->nodes[like->node_count - 1];
  arithmetic.aligned_bits = 0; /* Of wider nodes, which orders found here do not have. */
  const sum_rule_t rule = {.order = *order,
                           .init = init,
                           .add = arithmetic,
                           .join = arithmetic,
                           .last = arithmetic,
                           .like = like};
  return sum_rule_apply(&rule, like->program_line, terms, arena, out_profile, NULL) == STATUS_OK;
}
