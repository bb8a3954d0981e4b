/* SPDX-License-Identifier: Apache-2.0 */
/* All schedules by enumeration: every interspersal of initial values, every tree.  Slow, and plain
 * enough to trust. */
#ifndef ASSAY_TESTS_ORACLES_IN_ORDER_BRUTE_H
#define ASSAY_TESTS_ORACLES_IN_ORDER_BRUTE_H

#include <glib.h>
#include <math.h>

#include "harness/base/rng.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/in_order/trees.h"

enum { BRUTE_LEAVES_MAX = 16 };

typedef struct brute_leaf {
  double left;
  double right;
  bool is_product;
} brute_leaf_t;

typedef struct brute {
  const schedules_t *schedules;
  arithmetic_t arithmetic;
  brute_leaf_t leaves[BRUTE_LEAVES_MAX];
} brute_t;

/* Values of all trees over the leaves begin..end-1, repetitions included. */
static inline GArray *brute_trees(const brute_t *brute, size_t begin, size_t end) {
  GArray *values = g_array_new(FALSE, FALSE, sizeof(double));
  const arithmetic_t *arithmetic = &brute->arithmetic;
  if (end - begin == 1) {
    brute_leaf_t leaf = brute->leaves[begin];
    double value =
        leaf.is_product ? arithmetic_multiply(arithmetic, leaf.left, leaf.right) : leaf.left;
    g_array_append_val(values, value);
    return values;
  }
  for (size_t middle = begin + 1; middle < end; middle++) {
    GArray *lefts = brute_trees(brute, begin, middle);
    GArray *rights = brute_trees(brute, middle, end);
    brute_leaf_t first = brute->leaves[begin];
    brute_leaf_t last = brute->leaves[end - 1];
    for (size_t i = 0; i < lefts->len * rights->len; i++) {
      double left = g_array_index(lefts, double, i / rights->len);
      double right = g_array_index(rights, double, i % rights->len);
      double value = brute->schedules->multiplies ? arithmetic_multiply(arithmetic, left, right)
                                                  : arithmetic_add(arithmetic, left, right);
      g_array_append_val(values, value);
      if (brute->schedules->may_fuse && middle == begin + 1 && first.is_product) {
        value = arithmetic_fused(arithmetic, first.left, first.right, right);
        g_array_append_val(values, value);
      }
      if (brute->schedules->may_fuse && middle == end - 1 && last.is_product) {
        value = arithmetic_fused(arithmetic, last.left, last.right, left);
        g_array_append_val(values, value);
      }
    }
    g_array_free(lefts, TRUE);
    g_array_free(rights, TRUE);
  }
  return values;
}

/* Puts `inits` initial values and the terms from `term` on at leaves[count...] in all ways. */
static inline void brute_intersperse(brute_t *brute, size_t term, uint32_t inits, size_t count,
                                     GArray *values) {
  const schedules_t *schedules = brute->schedules;
  if (term == schedules->count && inits == 0) {
    if (count == 0) return;
    GArray *trees = brute_trees(brute, 0, count);
    g_array_append_vals(values, trees->data, trees->len);
    g_array_free(trees, TRUE);
    return;
  }
  g_assert_cmpuint(count, <, BRUTE_LEAVES_MAX);
  if (inits > 0) {
    brute->leaves[count] = (brute_leaf_t){.left = schedules->init};
    brute_intersperse(brute, term, inits - 1, count + 1, values);
  }
  if (term < schedules->count) {
    bool is_product = schedules->right != NULL;
    brute->leaves[count] = (brute_leaf_t){.left = schedules->left[term],
                                          .right = is_product ? schedules->right[term] : 0,
                                          .is_product = is_product};
    brute_intersperse(brute, term + 1, inits, count + 1, values);
  }
}

/* Ascending, -0 before +0, NaN last. */
static inline int brute_compare(const void *a, const void *b) {
  double left = *(const double *)a;
  double right = *(const double *)b;
  if (isnan(left) || isnan(right)) return (int)isnan(left) - (int)isnan(right);
  if (left == 0 && right == 0) return (int)(signbit(right) != 0) - (int)(signbit(left) != 0);
  return left < right ? -1 : left > right;
}

static inline void brute_sort_unique(GArray *values) {
  g_array_sort(values, brute_compare);
  guint kept = 0;
  for (guint i = 0; i < values->len; i++) {
    const double *sorted = &g_array_index(values, double, 0);
    bool repeats = kept > 0 && brute_compare(&sorted[kept - 1], &sorted[i]) == 0;
    if (!repeats) g_array_index(values, double, kept++) = sorted[i];
  }
  g_array_set_size(values, kept);
}

/* All values, each once. */
static inline GArray *brute_values(const schedules_t *schedules) {
  brute_t brute = {.schedules = schedules, .arithmetic = arithmetic_make(schedules->format)};
  GArray *values = g_array_new(FALSE, FALSE, sizeof(double));
  for (uint32_t inits = schedules->init_min; inits <= schedules->init_max; inits++) {
    brute_intersperse(&brute, 0, inits, 0, values);
  }
  brute_sort_unique(values);
  return values;
}

/* What the numbers of one case have in common. */
typedef struct brute_size {
  int exponent; /* About this binade: somewhere in the middle, near overflow, or near underflow. */
  int spread;
} brute_size_t;

static inline brute_size_t brute_draw_size(rng_t *rng, const format_t *format) {
  int exponents[] = {0, 0, format->exponent_max - 1, format->exponent_min - 1};
  return (brute_size_t){.exponent = exponents[rng_below(rng, G_N_ELEMENTS(exponents))],
                        .spread = (int)rng_below(rng, 4)};
}

/* A number of the format: mostly of the size, and with all bits used; else any pattern. */
static inline double brute_draw(rng_t *rng, const format_t *format, brute_size_t size) {
  uint64_t pattern = rng_bits(rng) & (UINT64_MAX >> (64 - format->bits));
  if (rng_one_in(rng, 40)) return format_to_double(format, pattern);
  if (rng_one_in(rng, 40)) return rng_one_in(rng, 2) ? 0.0 : format_round_double(format, INFINITY);
  double fraction = (double)(rng_bits(rng) >> 11) * 0x1p-52 - 1;
  int exponent = size.exponent + (int)rng_between(rng, -size.spread, size.spread);
  return format_round_double(format, ldexp(fraction, exponent));
}

#endif
