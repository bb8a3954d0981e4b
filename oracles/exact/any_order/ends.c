/* SPDX-License-Identifier: Apache-2.0 */
/* Part by part the largest of what two parts add up to, which one rounding then makes the largest
 * result; the least one is the largest of the negated leaves, with its sign changed. */
#include "oracles/exact/any_order/ends.h"

#include <math.h>
#include <stdint.h>

#include "oracles/exact/any_order/node.h"
#include "oracles/exact/any_order/real.h"
#include "oracles/exact/error_bound.h"

/* Sums and products of two numbers of so many bits are rounded from binary64 as they are at once
 * (theory.md, T6). */
enum { ENDS_PRECISION_MAX = 24 };

typedef struct end_maker {
  const few_terms_t *sum;
  rounding_node_t node;
  size_t count;
  double leaves[ORDER_ENDS_LEAVES_MAX]; /* Exact. */
  uint8_t terms[ORDER_ENDS_LEAVES_MAX]; /* Which they are: see few_terms_tree_t. */
  bool adds_exact;     /* Products may be added unrounded, beside what they are rounded to. */
  double flushed_from; /* What is below 0 and not below this may become 0; 0: nothing does. */
  double *highest;     /* By part: bit i says whether leaf i is in it. */
} end_maker_t;

/* False if there is no room for the leaf, or it is no finite binary64 number. */
static bool add_leaf(end_maker_t *maker, double left, double right, size_t term) {
  double product = left * right;
  if (left == 0 || right == 0) return isfinite(product);
  bool is_exact = isfinite(product) && product != 0 && fma(left, right, -product) == 0;
  if (!is_exact || maker->count == ORDER_ENDS_LEAVES_MAX) return false;
  maker->terms[maker->count] = (uint8_t)term;
  maker->leaves[maker->count++] = product;
  return true;
}

static bool list_leaves(end_maker_t *maker) {
  const few_terms_t *sum = maker->sum;
  bool is_listed = true;
  for (size_t i = 0; i < sum->count && is_listed; i++) {
    is_listed = add_leaf(maker, sum->left[i], sum->right == NULL ? 1 : sum->right[i], i);
  }
  for (uint32_t i = 0; i < sum->init_count && sum->init != 0 && is_listed; i++) {
    is_listed = add_leaf(maker, sum->init, 1, sum->count);
  }
  double magnitude = 0;
  for (size_t i = 0; i < maker->count; i++) magnitude += fabs(maker->leaves[i]);
  return is_listed && maker->count > 0 && magnitude < maker->node.largest / 2;
}

/* Whether every wider format holds the number. */
static bool is_held_by_wider(const rounding_node_t *node, double value) {
  if (value == 0) return true;
  int lowest = binary64_lowest_bit(value);
  return lowest >= node->wide_lowest && lowest > real_exponent(real_of(value)) - node->wide_bits;
}

/* The largest that a node of any permitted width makes of a number of at most `value`, or, if that
 * is not exact, less than the next one of binary64. */
static double highest_of_wider(const rounding_node_t *node, double value, bool is_exact) {
  double highest = value;
  if (!is_exact || !is_held_by_wider(node, value)) {
    int unit = real_exponent(real_of(value)) - node->wide_bits + 1;
    if (unit < node->wide_lowest) unit = node->wide_lowest;
    double above = is_exact ? value : nextafter(value, INFINITY);
    highest = nextafter(above + ldexp(1, unit - 1), INFINITY);
  }
  return fmax(highest, real_round(node->format, real_of(highest)));
}

/* Of a number that becomes `rounded` at most: 0 is more, where it may be flushed. */
static double flushed_up(const end_maker_t *maker, double number, double rounded) {
  return number < 0 && number >= maker->flushed_from ? fmax(rounded, 0) : rounded;
}

static double highest_of_leaf(const end_maker_t *maker, double leaf) {
  const rounding_node_t *node = &maker->node;
  double highest = leaf;
  if (maker->sum->right != NULL) {
    highest = node->may_widen ? highest_of_wider(node, leaf, true)
                              : real_round(node->format, real_of(leaf));
  }
  return flushed_up(maker, leaf, highest);
}

/* The largest sum of two parts that make up this one, rounded to binary64.  The first leaf is in
 * the second of them. */
static double largest_sum(const double *highest, size_t part) {
  size_t others = part & (part - 1);
  double largest = -INFINITY;
  for (size_t a = others; a != 0; a = (a - 1) & others) {
    double sum = highest[a] + highest[part ^ a];
    largest = sum > largest ? sum : largest;
  }
  return largest;
}

/* Whether no such sum is above that number, to which they are rounded. */
static bool is_largest_exact(const double *highest, size_t part, double largest) {
  size_t others = part & (part - 1);
  for (size_t a = others; a != 0; a = (a - 1) & others) {
    real_t sum = real_of_sum(highest[a], highest[part ^ a]);
    if (sum.high == largest && sum.low > 0) return false;
  }
  return true;
}

/* The largest of one product of the part, unrounded, and the others. */
static double highest_of_fused(const end_maker_t *maker, size_t part) {
  double highest = -INFINITY;
  for (size_t i = 0; i < maker->count; i++) {
    size_t bit = (size_t)1 << i;
    if ((part & bit) == 0) continue;
    real_t sum = real_of_sum(maker->leaves[i], maker->highest[part ^ bit]);
    double rounded = real_round(maker->node.format, sum);
    highest = fmax(highest, flushed_up(maker, sum.high, rounded));
  }
  return highest;
}

/* theory.md, T160. */
static double highest_of_part(const end_maker_t *maker, size_t part) {
  const rounding_node_t *node = &maker->node;
  double largest = largest_sum(maker->highest, part);
  if (node->may_widen) {
    bool is_exact =
        is_held_by_wider(node, largest) && is_largest_exact(maker->highest, part, largest);
    return flushed_up(maker, largest, highest_of_wider(node, largest, is_exact));
  }
  double highest = flushed_up(maker, largest, real_round(node->format, real_of(largest)));
  return maker->adds_exact ? fmax(highest, highest_of_fused(maker, part)) : highest;
}

static double find_highest(end_maker_t *maker) {
  size_t part_count = (size_t)1 << maker->count;
  for (size_t i = 0; i < maker->count; i++) {
    maker->highest[(size_t)1 << i] = highest_of_leaf(maker, maker->leaves[i]);
  }
  for (size_t part = 1; part < part_count; part++) {
    if ((part & (part - 1)) != 0) maker->highest[part] = highest_of_part(maker, part);
  }
  return maker->highest[part_count - 1];
}

bool any_order_ends(const few_terms_t *sum, arena_t *arena, double out_ends[2]) {
  end_maker_t maker = {.sum = sum,
                       .node = rounding_node_make(sum->format, sum->may_widen),
                       .adds_exact = sum->may_fuse && sum->right != NULL,
                       .flushed_from = sum->may_flush ? -format_smallest_normal(sum->format) : 0};
  if (sum->format->precision > ENDS_PRECISION_MAX || !list_leaves(&maker)) return false;
  arena_mark_t mark = arena_mark(arena);
  maker.highest = ARENA_NEW_ARRAY(arena, double, (size_t)1 << maker.count);
  out_ends[1] = find_highest(&maker);
  for (size_t i = 0; i < maker.count; i++) maker.leaves[i] = -maker.leaves[i];
  out_ends[0] = -find_highest(&maker);
  arena_rewind(arena, mark);
  return true;
}

/* ---- Trees ----------------------------------------------------------------------------------- */

static size_t leaf_of(size_t part) {
  size_t leaf = 0;
  while ((part >> leaf & 1) == 0) leaf++;
  return leaf;
}

/* Two parts of which a node makes the largest result of both together; the first is a product that
 * is added unrounded, if it says so. */
static size_t find_split(const end_maker_t *maker, size_t part, bool *out_is_fused) {
  const format_t *format = maker->node.format;
  const double *highest = maker->highest;
  size_t others = part & (part - 1);
  *out_is_fused = false;
  for (size_t a = others; a != 0; a = (a - 1) & others) {
    if (real_round(format, real_of(highest[a] + highest[part ^ a])) == highest[part]) return a;
  }
  *out_is_fused = true; /* Else none would have given it. */
  for (size_t i = 0; i + 1 < maker->count; i++) {
    size_t bit = (size_t)1 << i;
    if ((part & bit) == 0) continue;
    real_t sum = real_of_sum(maker->leaves[i], highest[part ^ bit]);
    if (real_round(format, sum) == highest[part]) return bit;
  }
  return (size_t)1 << (maker->count - 1);
}

/* The tree's number for a part. */
static uint8_t descend(const end_maker_t *maker, size_t part, size_t *inout_nodes,
                       few_terms_tree_t *tree) {
  if ((part & (part - 1)) == 0) return (uint8_t)leaf_of(part);
  tree_node_t node;
  size_t split = find_split(maker, part, &node.is_fused);
  node.left = descend(maker, split, inout_nodes, tree);
  node.right = descend(maker, part ^ split, inout_nodes, tree);
  tree->nodes[*inout_nodes] = node;
  return (uint8_t)(maker->count + (*inout_nodes)++);
}

bool any_order_end_tree(const few_terms_t *sum, int direction, arena_t *arena, double *out_value,
                        few_terms_tree_t *out_tree) {
  end_maker_t maker = {.sum = sum,
                       .node = rounding_node_make(sum->format, false),
                       .adds_exact = sum->may_fuse && sum->right != NULL};
  if (sum->format->precision > ENDS_PRECISION_MAX || !list_leaves(&maker)) return false;
  arena_mark_t mark = arena_mark(arena);
  maker.highest = ARENA_NEW_ARRAY(arena, double, (size_t)1 << maker.count);
  for (size_t i = 0; i < maker.count; i++) maker.leaves[i] *= direction;
  *out_value = direction * find_highest(&maker);
  *out_tree = (few_terms_tree_t){.format = sum->format, .leaf_count = maker.count};
  for (size_t i = 0; i < maker.count; i++) out_tree->leaves[i] = maker.terms[i];
  size_t nodes = 0;
  (void)descend(&maker, ((size_t)1 << maker.count) - 1, &nodes, out_tree);
  arena_rewind(arena, mark);
  return true;
}
