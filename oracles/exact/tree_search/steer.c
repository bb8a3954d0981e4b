/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the terms one after the other; the next one is that whose rounding error brings the errors
 * so far nearest to what they are to be.  Sums that are large meanwhile let errors be large, so the
 * attempts prefer, some more and some less, what makes them so. */
#include "oracles/exact/tree_search/steer.h"

#include <math.h>

#include "harness/base/rng.h"
#include "oracles/exact/any_order/operands.h"
#include "oracles/exact/any_order/real.h"
#include "oracles/exact/tree_search/errors.h"

enum { ATTEMPTS = 400 };

/* One loop over the leaves. */
typedef struct loop {
  tree_arithmetic_t arithmetic;
  double wanted;   /* Of all errors together. */
  double pace;     /* Share of the loop in which that is to be reached. */
  double growth;   /* How much larger sums are preferred. */
  double sign;     /* Of the terms that are ... */
  bool sign_first; /* ... and come before all others. */
  bool may_fuse;   /* Products may be fused, or not. */
  double unit;     /* What errors are measured by. */
  double noise;
} loop_t;

/* The leaf to begin with: one of the largest of that sign. */
static size_t first_leaf(const loop_t *loop, const tree_operand_t *leaves, size_t count,
                         rng_t *rng) {
  size_t best = 0;
  double most = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    double share = 1 - loop->noise * ldexp((double)rng_below(rng, 1 << 16), -16);
    double size = loop->sign * leaves[i].value * share;
    if (size > most) {
      most = size;
      best = i;
    }
  }
  return best;
}

/* A leaf to be added next, and how. */
typedef struct choice {
  size_t leaf;
  bool fuses;
  double missed; /* How far behind it leaves the loop, less what is preferred of it. */
} choice_t;

static tree_operand_t add(const loop_t *loop, bool fuses, const tree_operand_t *total,
                          const tree_operand_t *leaf, tree_node_t *out_node) {
  const tree_arithmetic_t arithmetic = {.nodes = loop->arithmetic.nodes, .fuses = fuses};
  return tree_operand_add(&arithmetic, total, leaf, out_node);
}

static double missed_by(const loop_t *loop, bool fuses, const tree_operand_t *total,
                        const tree_operand_t *leaf, double goal) {
  tree_node_t node;
  double sum = add(loop, fuses, total, leaf, &node).value;
  double missed = fabs(tree_error_of_sum(total, leaf, sum) - goal) / loop->unit;
  double size = loop->sign * leaf->value;
  if (loop->sign_first && size > 0) missed -= 1e6;
  return missed - loop->growth * size / (fabs(total->value) + loop->unit);
}

static choice_t choose(const loop_t *loop, const tree_operand_t *total,
                       const tree_operand_t *leaves, size_t count, double goal) {
  choice_t best = {.missed = INFINITY, .fuses = loop->arithmetic.fuses};
  for (size_t i = 0; i < count; i++) {
    for (int fuses = 0; fuses <= (loop->may_fuse ? 1 : 0); fuses++) {
      bool is_fused = loop->may_fuse ? fuses == 1 : loop->arithmetic.fuses;
      const choice_t one = {i, is_fused, missed_by(loop, is_fused, total, &leaves[i], goal)};
      if (one.missed < best.missed) best = one;
    }
  }
  return best;
}

static double run(const loop_t *loop, tree_operand_t *leaves, size_t count, rng_t *rng,
                  few_terms_tree_t *out_tree) {
  size_t all = count, made = 0;
  size_t first = first_leaf(loop, leaves, count, rng);
  tree_operand_t total = leaves[first];
  double errors = tree_error_of_leaf(&total);
  leaves[first] = leaves[--count];
  while (count > 0) {
    double share = fmin(1, (double)(made + 1) / ((double)all * loop->pace));
    double goal = loop->wanted * share - errors;
    const choice_t next = choose(loop, &total, leaves, count, goal);
    tree_operand_t sum = add(loop, next.fuses, &total, &leaves[next.leaf], &out_tree->nodes[made]);
    errors += tree_error_of_sum(&total, &leaves[next.leaf], sum.value);
    sum.number = (uint8_t)(all + made++);
    total = sum;
    leaves[next.leaf] = leaves[--count];
  }
  return total.value;
}

static loop_t draw_loop(const tree_arithmetic_t *arithmetic, double wanted, size_t attempt,
                        rng_t *rng) {
  static const double growths[] = {0, 0, 1, 4, 16, 64};
  return (loop_t){.arithmetic = *arithmetic,
                  .wanted = wanted,
                  .pace = ldexp(1, -(int)rng_below(rng, 7)),
                  .growth = growths[rng_below(rng, sizeof growths / sizeof *growths)],
                  .sign = attempt % 2 == 0 ? 1 : -1,
                  .sign_first = rng_below(rng, 2) == 0,
                  .may_fuse = arithmetic->fuses,
                  .noise = attempt < 8 ? 0 : 1};
}

bool few_terms_steer(const few_terms_t *sum, double value, few_terms_tree_t *out_tree) {
  if (sum->count + sum->init_count > TREE_LEAVES_MAX || !isfinite(value)) return false;
  real_t exact = tree_exact_sum(sum);
  double wanted = (value - exact.high) - exact.low;
  if (!isfinite(wanted)) return false;
  tree_arithmetics_t arithmetics = tree_arithmetics_of(sum);
  rng_t rng = rng_make(sum->count);
  for (size_t i = 0; i < ATTEMPTS; i++) {
    const tree_arithmetic_t *arithmetic = &arithmetics.items[i / 2 % arithmetics.count];
    tree_operand_t leaves[TREE_LEAVES_MAX];
    size_t count = tree_operands_set(sum, arithmetic, leaves);
    if (count < 2) return false;
    loop_t loop = draw_loop(arithmetic, wanted, i, &rng);
    loop.unit = 0;
    for (size_t k = 0; k < count; k++) loop.unit += fabs(leaves[k].value);
    loop.unit *= ldexp(0.25, -arithmetic->nodes.format->precision);
    tree_name_leaves(sum, count, out_tree);
    out_tree->format = arithmetic->nodes.format;
    double given = run(&loop, leaves, count, &rng, out_tree);
    if (tree_result(sum, given) == value) return true;
  }
  return false;
}
