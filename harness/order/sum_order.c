/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of summation as trees: which items, and sums of items, are added to which. */
#include "harness/order/sum_order.h"

#include <string.h>

/* ---- Parts ----------------------------------------------------------------------------------- */

bool sum_order_is_lanes(sum_order_kind_t kind) {
  return kind >= SUM_LANES && kind <= SUM_LANES_BESIDE;
}

bool sum_order_is_blocks(sum_order_kind_t kind) {
  return kind == SUM_BLOCKS || kind == SUM_BLOCKS_FIRST || kind == SUM_PADDED;
}

static const sum_order_t SEQUENTIAL = {.kind = SUM_SEQUENTIAL};
static const sum_order_t HALVES = {.kind = SUM_HALVES};

const sum_order_t *sum_order_inner(const sum_order_t *order) {
  return order->inner != NULL ? order->inner : &SEQUENTIAL;
}

const sum_order_t *sum_order_join(const sum_order_t *order) {
  if (order->join != NULL) return order->join;
  return sum_order_is_lanes(order->kind) ? &HALVES : &SEQUENTIAL;
}

const sum_order_t *sum_order_rest(const sum_order_t *order) {
  bool may_lack = order->kind == SUM_TAIL;
  return order->rest != NULL || may_lack ? order->rest : &SEQUENTIAL;
}

bool sum_order_has(const sum_order_t *order, sum_order_kind_t kind) {
  return order != NULL && (order->kind == kind || sum_order_has(order->inner, kind) ||
                           sum_order_has(order->join, kind) || sum_order_has(order->rest, kind));
}

typedef struct complexity {
  uint64_t parts;
  uint64_t kinds;
  uint64_t widths;
} complexity_t;

static void add_complexity(const sum_order_t *order, complexity_t *sum) {
  if (order == NULL) return;
  sum->parts++;
  sum->kinds += order->kind;
  sum->widths += order->width;
  add_complexity(order->inner, sum);
  add_complexity(order->join, sum);
  add_complexity(order->rest, sum);
}

bool sum_order_is_simpler(const sum_order_t *a, const sum_order_t *b) {
  complexity_t first = {0};
  complexity_t second = {0};
  add_complexity(a, &first);
  add_complexity(b, &second);
  if (first.parts != second.parts) return first.parts < second.parts;
  if (first.kinds != second.kinds) return first.kinds < second.kinds;
  return first.widths < second.widths;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static uint32_t begin_with(const sum_builder_t *builder, uint32_t item) {
  return builder->begin == NULL ? item : builder->begin(builder->context, item);
}

static uint32_t add_two(const sum_builder_t *builder, uint32_t a, uint32_t b) {
  const uint32_t items[2] = {a, b};
  return builder->add(builder->context, items, 2);
}

/* Adds the items to a sum, one by one. */
static uint32_t add_each(const sum_builder_t *builder, uint32_t sum, const uint32_t *items,
                         uint32_t count) {
  for (uint32_t i = 0; i < count; i++) sum = add_two(builder, sum, items[i]);
  return sum;
}

static uint32_t build_sequential(const sum_builder_t *builder, const uint32_t *items,
                                 uint32_t count) {
  return add_each(builder, begin_with(builder, items[0]), items + 1, count - 1);
}

static uint32_t build_reverse(const sum_builder_t *builder, const uint32_t *items, uint32_t count) {
  uint32_t sum = begin_with(builder, items[count - 1]);
  for (uint32_t i = count - 1; i-- > 0;) sum = add_two(builder, items[i], sum);
  return sum;
}

static uint32_t build_swapped(const sum_builder_t *builder, const uint32_t *items, uint32_t count) {
  uint32_t *swapped = g_new(uint32_t, count);
  for (uint32_t i = 0; i < count; i++) swapped[i] = items[(i ^ 1) < count ? i ^ 1 : i];
  uint32_t sum = build_sequential(builder, swapped, count);
  g_free(swapped);
  return sum;
}

/* How many items the first of two parts has. */
static uint32_t first_part(sum_order_kind_t kind, uint32_t count) {
  if (kind == SUM_POWER) return UINT32_C(1) << (g_bit_storage(count - 1) - 1);
  return kind == SUM_HALVES_LOW ? count / 2 : count - count / 2;
}

static uint32_t build_halves(const sum_builder_t *builder, sum_order_kind_t kind,
                             const uint32_t *items, uint32_t count) {
  if (count == 1) return begin_with(builder, items[0]);
  if (count == 2) return add_two(builder, items[0], items[1]);
  uint32_t first = first_part(kind, count);
  uint32_t left = build_halves(builder, kind, items, first);
  return add_two(builder, left, build_halves(builder, kind, items + first, count - first));
}

/* Items begin, begin + step, ... below `count`. */
static uint32_t build_interleaved(const sum_builder_t *builder, const uint32_t *items,
                                  uint32_t begin, uint32_t step, uint32_t count) {
  if (begin + step >= count) return items[begin];
  uint32_t even = build_interleaved(builder, items, begin, 2 * step, count);
  return add_two(builder, even, build_interleaved(builder, items, begin + step, 2 * step, count));
}

static uint32_t build_ways(const sum_builder_t *builder, uint32_t width, const uint32_t *items,
                           uint32_t count) {
  uint32_t taken = MIN(width, count);
  if (taken == count && count == 1) return begin_with(builder, items[0]);
  uint32_t *children = g_new(uint32_t, (size_t)width + 1);
  uint32_t sum =
      taken == 1 ? begin_with(builder, items[0]) : builder->add(builder->context, items, taken);
  while (taken < count) {
    uint32_t child_count = 0;
    children[child_count++] = sum;
    while (child_count <= width && taken < count) children[child_count++] = items[taken++];
    sum = builder->add(builder->context, children, child_count);
  }
  g_free(children);
  return sum;
}

/* Each split of a range is equally likely, so the depth grows as log(count). */
static uint32_t build_random(const sum_builder_t *builder, const uint32_t *items, uint32_t count) {
  if (count == 1) return begin_with(builder, items[0]);
  uint32_t split = 1 + (uint32_t)rng_below(builder->rng, count - 1);
  uint32_t left = build_random(builder, items, split);
  return add_two(builder, left, build_random(builder, items + split, count - split));
}

/* Fisher and Yates. */
static uint32_t build_shuffled(const sum_builder_t *builder, const uint32_t *items,
                               uint32_t count) {
  uint32_t *shuffled = g_memdup2(items, count * sizeof *items);
  for (uint32_t i = count; i > 1; i--) {
    uint32_t other = (uint32_t)rng_below(builder->rng, i);
    uint32_t moved = shuffled[i - 1];
    shuffled[i - 1] = shuffled[other];
    shuffled[other] = moved;
  }
  uint32_t sum = build_random(builder, shuffled, count);
  g_free(shuffled);
  return sum;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

/* Items in the first block. */
static uint32_t first_block(const sum_order_t *order, uint32_t count) {
  uint32_t width = order->width;
  if (count <= width) return count;
  uint32_t missing = (width - count % width) % width;
  if (order->kind == SUM_BLOCKS_FIRST) return width - missing;
  if (order->kind == SUM_PADDED) return width - missing / 2;
  return width;
}

static uint32_t group_count(const sum_order_t *order, uint32_t count) {
  if (sum_order_is_lanes(order->kind)) return MIN(order->width, count);
  uint32_t behind = count - first_block(order, count);
  return 1 + behind / order->width + (behind % order->width != 0);
}

/* Lists the items of a lane; returns how many there are. */
static uint32_t list_lane(const sum_order_t *order, uint32_t lane, const uint32_t *items,
                          uint32_t count, uint32_t *out_group) {
  uint32_t width = order->width;
  uint32_t rest = count % width;
  uint32_t front = order->kind == SUM_LANES_FRONT ? rest : 0;
  uint32_t end = order->kind == SUM_LANES ? count : count - rest + front;
  uint32_t size = 0;
  for (uint32_t i = 0; i < front && lane == 0; i++) out_group[size++] = items[i];
  for (uint32_t i = front + lane; i < end; i += width) out_group[size++] = items[i];
  bool takes_rest = order->kind == SUM_LANES_FIRST && lane == 0;
  for (uint32_t i = end; i < count && takes_rest; i++) out_group[size++] = items[i];
  return size;
}

static uint32_t list_block(const sum_order_t *order, uint32_t block, const uint32_t *items,
                           uint32_t count, uint32_t *out_group) {
  uint32_t first = first_block(order, count);
  uint32_t begin = block == 0 ? 0 : first + (block - 1) * order->width;
  uint32_t end = block == 0 ? first : MIN(order->width, count - begin) + begin;
  memcpy(out_group, items + begin, (end - begin) * sizeof *items);
  return end - begin;
}

/* Room for what is added in groups. */
typedef struct group_room {
  uint32_t *sums;  /* Of the groups. */
  uint32_t *group; /* The items of one. */
} group_room_t;

static bool build_list(const sum_order_t *order, const sum_builder_t *builder,
                       const uint32_t *items, uint32_t count, const group_room_t *room,
                       uint32_t *out_sum) {
  uint32_t *sums = room->sums;
  uint32_t *group = room->group;
  bool is_lanes = sum_order_is_lanes(order->kind);
  bool has_front = builder->front != SUM_NO_ITEM;
  uint32_t groups = group_count(order, count);
  uint32_t sum_count = 0;
  if (has_front) sums[sum_count++] = group[0] = builder->front;
  for (uint32_t i = 0; i < groups; i++) {
    uint32_t *own = group + has_front;
    uint32_t size =
        is_lanes ? list_lane(order, i, items, count, own) : list_block(order, i, items, count, own);
    bool has_tree = sum_order_build(sum_order_inner(order), builder, group, size + has_front,
                                    &sums[sum_count++]);
    if (!has_tree) return false;
  }
  uint32_t rest = order->kind == SUM_LANES_BESIDE ? count % order->width : 0;
  if (rest > 0) {
    uint32_t beside;
    if (!sum_order_build(sum_order_rest(order), builder, items + count - rest, rest, &beside)) {
      return false;
    }
    sums[has_front] = add_two(builder, sums[has_front], beside);
  }
  *out_sum = sums[sum_count - 1];
  if (order->kind == SUM_PADDED && groups == 1) return true;
  return sum_order_build(sum_order_join(order), builder, sums, sum_count, out_sum);
}

static bool build_groups(const sum_order_t *order, const sum_builder_t *builder,
                         const uint32_t *items, uint32_t count, uint32_t *out_sum) {
  bool has_whole_row = count >= order->width;
  if (sum_order_is_lanes(order->kind) && order->kind != SUM_LANES && !has_whole_row) {
    const sum_order_t *rest = sum_order_rest(order);
    return sum_order_build(rest, builder, items, count, out_sum);
  }
  group_room_t room;
  room.sums = g_new(uint32_t, (size_t)group_count(order, count) + 1);
  room.group = g_new(uint32_t, (size_t)count + 1);
  bool has_tree = build_list(order, builder, items, count, &room, out_sum);
  g_free(room.group);
  g_free(room.sums);
  return has_tree;
}

static bool build_tail(const sum_order_t *order, const sum_builder_t *builder,
                       const uint32_t *items, uint32_t count, uint32_t *out_sum) {
  uint32_t body = count - count % order->width;
  const sum_order_t *rest = sum_order_rest(order);
  if (body == 0) {
    return sum_order_build(rest != NULL ? rest : &SEQUENTIAL, builder, items, count, out_sum);
  }
  if (!sum_order_build(sum_order_inner(order), builder, items, body, out_sum)) return false;
  if (rest == NULL) {
    *out_sum = add_each(builder, *out_sum, items + body, count - body);
  } else if (body < count) {
    uint32_t apart;
    if (!sum_order_build(rest, builder, items + body, count - body, &apart)) return false;
    *out_sum = add_two(builder, *out_sum, apart);
  }
  return true;
}

bool sum_order_build(const sum_order_t *order, const sum_builder_t *builder, const uint32_t *items,
                     uint32_t count, uint32_t *out_sum) {
  switch (order->kind) {
    case SUM_SEQUENTIAL:
      *out_sum = build_sequential(builder, items, count);
      return true;
    case SUM_REVERSE:
      *out_sum = build_reverse(builder, items, count);
      return true;
    case SUM_SWAPPED:
      *out_sum = build_swapped(builder, items, count);
      return true;
    case SUM_HALVES:
    case SUM_HALVES_LOW:
    case SUM_POWER:
      *out_sum = build_halves(builder, order->kind, items, count);
      return true;
    case SUM_FOLDED: /* Seen from the root, the even items and the odd ones. */
      if ((count & (count - 1)) != 0) return false;
      *out_sum = build_interleaved(builder, items, 0, 1, count);
      return true;
    case SUM_INTERLEAVED:
      *out_sum = build_interleaved(builder, items, 0, 1, count);
      return true;
    case SUM_WAYS:
      *out_sum = build_ways(builder, order->width, items, count);
      return true;
    case SUM_TAIL:
      return build_tail(order, builder, items, count, out_sum);
    case SUM_RANDOM:
    case SUM_SHUFFLED:
      if (builder->rng == NULL) return false;
      *out_sum = order->kind == SUM_RANDOM ? build_random(builder, items, count)
                                           : build_shuffled(builder, items, count);
      return true;
    case SUM_LANES:
    case SUM_LANES_FIRST:
    case SUM_LANES_FRONT:
    case SUM_LANES_BESIDE:
    case SUM_BLOCKS:
    case SUM_BLOCKS_FIRST:
    case SUM_PADDED:
    case SUM_ORDER_KINDS:
    default:
      return build_groups(order, builder, items, count, out_sum);
  }
}
