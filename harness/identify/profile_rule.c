#include "harness/identify/profile_rule.h"

#include "harness/identify/profile_builder.h"

/* A tree in the making. */
typedef struct maker {
  const profile_rule_t *rule;
  arena_t *arena;
  profile_builder_t builder;
} maker_t;

static bool is_term(const maker_t *maker, uint32_t id) { return id < maker->builder.term_count; }
static bool is_init(const maker_t *maker, uint32_t id) { return id == maker->builder.term_count; }

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* A place that nothing has. */
enum { NOTHING = UINT32_MAX };

static uint32_t begin_with(maker_t *maker, uint32_t item);

static uint32_t add_many(maker_t *maker, const uint32_t *items, uint32_t count);

/* Adds all items but the one at `place`. */
static uint32_t add_without(maker_t *maker, const uint32_t *items, uint32_t count, uint32_t place) {
  uint32_t *others = ARENA_NEW_ARRAY(maker->arena, uint32_t, count);
  uint32_t other_count = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (i != place) others[other_count++] = items[i];
  }
  return other_count == 1 ? begin_with(maker, others[0]) : add_many(maker, others, other_count);
}

static uint32_t add_many(maker_t *maker, const uint32_t *items, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (items[i] == NOTHING) return add_without(maker, items, count, i);
  }
  bool has_term = false;
  bool has_init = false;
  for (uint32_t i = 0; i < count; i++) {
    has_term |= is_term(maker, items[i]);
    has_init |= is_init(maker, items[i]);
  }
  const profile_rule_t *rule = maker->rule;
  const profile_node_t *like = has_term ? &rule->add : has_init ? &rule->last : &rule->join;
  return profile_builder_add(&maker->builder, items, count, like);
}

static uint32_t add_two(maker_t *maker, uint32_t a, uint32_t b) {
  const uint32_t items[2] = {a, b};
  return add_many(maker, items, 2);
}

/* What a sum begins with. */
static uint32_t begin_with(maker_t *maker, uint32_t item) {
  if (!maker->rule->first_is_rounded || !is_term(maker, item)) return item;
  return profile_builder_add(&maker->builder, &item, 1, &maker->rule->add);
}

/* ---- Orders ---------------------------------------------------------------------------------- */

/* False if the order has no tree for so many items; there is one at least. */
static bool make(maker_t *maker, const order_t *order, const uint32_t *items, uint32_t count,
                 uint32_t *out_id);

static uint32_t make_sequential(maker_t *maker, const uint32_t *items, uint32_t count) {
  uint32_t sum = begin_with(maker, items[0]);
  for (uint32_t i = 1; i < count; i++) sum = add_two(maker, sum, items[i]);
  return sum;
}

static uint32_t make_reverse(maker_t *maker, const uint32_t *items, uint32_t count) {
  uint32_t sum = begin_with(maker, items[count - 1]);
  for (uint32_t i = count - 1; i-- > 0;) sum = add_two(maker, items[i], sum);
  return sum;
}

static uint32_t make_swapped(maker_t *maker, const uint32_t *items, uint32_t count) {
  uint32_t *swapped = ARENA_NEW_ARRAY(maker->arena, uint32_t, count);
  for (uint32_t i = 0; i < count; i++) swapped[i] = items[(i ^ 1) < count ? i ^ 1 : i];
  return make_sequential(maker, swapped, count);
}

static uint32_t make_halves(maker_t *maker, order_kind_t kind, const uint32_t *items,
                            uint32_t count) {
  if (count == 1) return begin_with(maker, items[0]);
  if (count == 2) return add_two(maker, items[0], items[1]);
  uint32_t first = (count + 1) / 2;
  if (kind == ORDER_POWER) first = UINT32_C(1) << (g_bit_storage(count - 1) - 1);
  uint32_t left = make_halves(maker, kind, items, first);
  return add_two(maker, left, make_halves(maker, kind, items + first, count - first));
}

static bool make_folded(maker_t *maker, const uint32_t *items, uint32_t count, uint32_t *out_id) {
  if ((count & (count - 1)) != 0) return false;
  uint32_t *sums = ARENA_NEW_ARRAY(maker->arena, uint32_t, count);
  for (uint32_t i = 0; i < count; i++) sums[i] = items[i];
  for (; count > 1; count /= 2) {
    for (uint32_t i = 0; i < count / 2; i++) sums[i] = add_two(maker, sums[i], sums[i + count / 2]);
  }
  *out_id = sums[0];
  return true;
}

static uint32_t make_ways(maker_t *maker, uint32_t width, const uint32_t *items, uint32_t count) {
  uint32_t *children = ARENA_NEW_ARRAY(maker->arena, uint32_t, width + 1);
  uint32_t taken = MIN(width, count);
  uint32_t sum = taken == 1 ? begin_with(maker, items[0]) : add_many(maker, items, taken);
  while (taken < count) {
    uint32_t child_count = 0;
    children[child_count++] = sum;
    while (child_count <= width && taken < count) children[child_count++] = items[taken++];
    sum = add_many(maker, children, child_count);
  }
  return sum;
}

/* How items fall into groups. */
typedef struct grouping {
  uint32_t count;
  uint32_t width;
  uint32_t first; /* Items in the first block. */
  uint32_t step;  /* From one item of a group to the next. */
} grouping_t;

static grouping_t group_items(const order_t *order, uint32_t count) {
  uint32_t width = order->width;
  uint32_t blocks = (count + width - 1) / width;
  uint32_t missing = blocks * width - count;
  switch (order->kind) {
    case ORDER_LANES:
      return (grouping_t){.count = MIN(width, count), .width = width, .step = MIN(width, count)};
    case ORDER_PADDED:
      if (blocks == 1) break;
      return (grouping_t){.count = blocks, .width = width, .first = width - missing / 2, .step = 1};
    default:
      break;
  }
  return (grouping_t){.count = blocks, .width = width, .first = MIN(width, count), .step = 1};
}

/* Lists the items of group `i`, which begin with `front` if that is something. */
static uint32_t list_group(const grouping_t *grouping, uint32_t i, const uint32_t *items,
                           uint32_t count, uint32_t front, uint32_t *out_group) {
  uint32_t size = 0;
  uint32_t begin = i;
  uint32_t end = count;
  if (grouping->step == 1 && grouping->first > 0) {
    begin = i == 0 ? 0 : grouping->first + (i - 1) * grouping->width;
    end = MIN(count, grouping->first + i * grouping->width);
  }
  if (front != NOTHING) out_group[size++] = front;
  for (uint32_t j = begin; j < end; j += grouping->step) out_group[size++] = items[j];
  return size;
}

static bool make_groups(maker_t *maker, const order_t *order, const uint32_t *items, uint32_t count,
                        uint32_t *out_id) {
  grouping_t grouping = group_items(order, count);
  bool has_fronts = maker->rule->init == RULE_INIT_EACH;
  uint32_t front = has_fronts ? (uint32_t)maker->builder.term_count : NOTHING;
  uint32_t *sums = ARENA_NEW_ARRAY(maker->arena, uint32_t, (size_t)grouping.count + 1);
  uint32_t *group = ARENA_NEW_ARRAY(maker->arena, uint32_t, (size_t)count + 1);
  uint32_t sum_count = 0;
  if (has_fronts) sums[sum_count++] = front;
  for (uint32_t i = 0; i < grouping.count; i++) {
    uint32_t size = list_group(&grouping, i, items, count, front, group);
    if (!make(maker, order->inner, group, size, &sums[sum_count++])) return false;
  }
  if (order->kind == ORDER_PADDED && grouping.count == 1) {
    *out_id = sums[sum_count - 1];
    return true;
  }
  return make(maker, order->join, sums, sum_count, out_id);
}

static bool make_tail(maker_t *maker, const order_t *order, const uint32_t *items, uint32_t count,
                      uint32_t *out_id) {
  uint32_t body = count / order->width * order->width;
  if (body == 0) {
    *out_id = make_sequential(maker, items, count);
    return true;
  }
  if (!make(maker, order->inner, items, body, out_id)) return false;
  for (uint32_t i = body; i < count; i++) *out_id = add_two(maker, *out_id, items[i]);
  return true;
}

static bool make(maker_t *maker, const order_t *order, const uint32_t *items, uint32_t count,
                 uint32_t *out_id) {
  switch (order->kind) {
    case ORDER_SEQUENTIAL:
      *out_id = make_sequential(maker, items, count);
      return true;
    case ORDER_REVERSE:
      *out_id = make_reverse(maker, items, count);
      return true;
    case ORDER_SWAPPED:
      *out_id = make_swapped(maker, items, count);
      return true;
    case ORDER_HALVES:
    case ORDER_POWER:
      *out_id = make_halves(maker, order->kind, items, count);
      return true;
    case ORDER_FOLDED:
      return make_folded(maker, items, count, out_id);
    case ORDER_WAYS:
      *out_id = make_ways(maker, order->width, items, count);
      return true;
    case ORDER_TAIL:
      return make_tail(maker, order, items, count, out_id);
    case ORDER_LANES:
    case ORDER_BLOCKS:
    case ORDER_PADDED:
    case ORDER_KIND_COUNT:
    default:
      return make_groups(maker, order, items, count, out_id);
  }
}

/* ---- Applying -------------------------------------------------------------------------------- */

static bool make_tree(maker_t *maker, uint32_t term_count) {
  uint32_t *items = ARENA_NEW_ARRAY(maker->arena, uint32_t, (size_t)term_count + 1);
  uint32_t count = 0;
  rule_init_t init = maker->rule->init;
  bool has_groups = maker->rule->order->inner != NULL;
  bool is_in_front = init == RULE_INIT_FIRST || (init == RULE_INIT_EACH && !has_groups);
  if (is_in_front) items[count++] = term_count;
  if (init == RULE_INIT_ZERO) items[count++] = NOTHING;
  for (uint32_t i = 0; i < term_count; i++) items[count++] = i;
  if (init == RULE_INIT_TERM) items[0] = add_two(maker, 0, term_count);
  uint32_t sum;
  if (!make(maker, maker->rule->order, items, count, &sum)) return false;
  if (init == RULE_INIT_LAST) add_two(maker, sum, term_count);
  return true;
}

status_t profile_rule_apply(const profile_rule_t *rule, const char *program_line, size_t term_count,
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
