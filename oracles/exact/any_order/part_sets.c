/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic programming over parts: the sums of a part are those of two parts that make it up, added
 * and rounded, over all splits. */
#include "oracles/exact/any_order/part_sets.h"

#include <string.h>

/* Nodes computed, some 20 ns each.  Beyond, all that lies in the hull stands. */
static size_t work_max(const format_t *format, const part_limits_t *limits) {
  enum { PLAIN = 1 << 14, WIDE = 1 << 16, SHORT = 1 << 20, SHORT_BITS = 8 };
  if (format->bits <= SHORT_BITS) return SHORT;
  return limits->may_widen ? WIDE : PLAIN;
}

typedef struct set_maker {
  const few_terms_t *sum;
  const leaves_t *leaves;
  rounding_node_t node;
  part_set_t *sets;
  span_list_t list; /* Of the part at work. */
  size_t work_left;
  bool adds_exact; /* Single products may be added exactly, beside what they are rounded to. */
} set_maker_t;

static bool take_work(set_maker_t *maker, size_t work) {
  if (work > maker->work_left) return false;
  maker->work_left -= work;
  return true;
}

static void add_exact_product(set_maker_t *maker, size_t part, const part_set_t *other) {
  const leaf_kind_t *kind = leaves_single(maker->leaves, part);
  if (kind == NULL || !isfinite(kind->value.high)) return;
  for (size_t i = 0; i < other->count; i++) {
    rounding_node_add(&maker->node, span_add(span_of(kind->value), other->spans[i]), &maker->list);
  }
}

/* Whether a part can be added as a number: some tree gives one, or it is a product that need not be
 * rounded. */
static bool has_number(const set_maker_t *maker, size_t part) {
  const leaf_kind_t *kind = maker->adds_exact ? leaves_single(maker->leaves, part) : NULL;
  return (kind != NULL && isfinite(kind->value.high)) || maker->sets[part].count > 0;
}

/* An infinity stays what it is beside numbers and its like; both make NaN, which stays. */
static unsigned join_overflows(const set_maker_t *maker, const leaf_split_t *split) {
  unsigned part = maker->sets[split->part].overflows, rest = maker->sets[split->rest].overflows;
  unsigned joined = (part | rest) & OVERFLOWS_BOTH;
  if (has_number(maker, split->rest)) joined |= part;
  if (has_number(maker, split->part)) joined |= rest;
  joined |= part & rest;
  bool meet = ((part & OVERFLOWS_UP) != 0 && (rest & OVERFLOWS_DOWN) != 0) ||
              ((part & OVERFLOWS_DOWN) != 0 && (rest & OVERFLOWS_UP) != 0);
  return joined | (meet ? OVERFLOWS_BOTH : 0u);
}

static void combine(set_maker_t *maker, const leaf_split_t *split) {
  const part_set_t *part = &maker->sets[split->part], *rest = &maker->sets[split->rest];
  maker->list.overflows |= join_overflows(maker, split);
  for (size_t i = 0; i < part->count; i++) {
    for (size_t j = 0; j < rest->count; j++) {
      rounding_node_add_sum(&maker->node, part->spans[i], rest->spans[j], &maker->list);
    }
  }
  if (!maker->adds_exact) return;
  add_exact_product(maker, split->part, rest);
  add_exact_product(maker, split->rest, part);
}

static bool fill(set_maker_t *maker, size_t whole) {
  const leaf_kind_t *kind = leaves_single(maker->leaves, whole);
  if (kind != NULL) {
    bool is_product = maker->sum->right != NULL && kind->first_term < maker->sum->count;
    if (!isfinite(kind->value.high)) {
      maker->list.overflows = kind->value.high > 0 ? OVERFLOWS_UP : OVERFLOWS_DOWN;
    } else if (is_product) {
      rounding_node_add(&maker->node, span_of(kind->value), &maker->list);
    } else {
      span_list_add(&maker->list, span_of(kind->value));
    }
    return true;
  }
  leaf_split_t split = leaf_split_begin(maker->leaves, whole);
  while (leaf_split_next(&split) && !maker->list.is_full) {
    size_t work = maker->sets[split.part].count * maker->sets[split.rest].count;
    if (!take_work(maker, work + 1)) return false;
    combine(maker, &split);
  }
  return !maker->list.is_full;
}

part_sets_t part_sets_make(const few_terms_t *sum, const leaves_t *leaves,
                           const part_limits_t *limits, arena_t *arena) {
  set_maker_t maker = {.sum = sum,
                       .leaves = leaves,
                       .node = rounding_node_make(sum->format, limits->may_widen),
                       .sets = ARENA_NEW_ARRAY(arena, part_set_t, leaves->part_count),
                       .list = span_list_make(limits->spans, limits->merges, arena),
                       .work_left = work_max(sum->format, limits),
                       .adds_exact = sum->may_fuse && sum->right != NULL && !limits->may_widen};
  maker.sets[0] = (part_set_t){0};
  part_sets_t out = {.sets = maker.sets, .is_complete = true};
  for (size_t part = 1; part < leaves->part_count && out.is_complete; part++) {
    span_list_clear(&maker.list);
    out.is_complete = fill(&maker, part);
    span_list_settle(&maker.list);
    out.is_complete &= !maker.list.is_full;
    span_t *spans = ARENA_NEW_ARRAY(arena, span_t, maker.list.count);
    memcpy(spans, maker.list.spans, maker.list.count * sizeof *spans);
    maker.sets[part] =
        (part_set_t){.spans = spans, .count = maker.list.count, .overflows = maker.list.overflows};
  }
  return out;
}
