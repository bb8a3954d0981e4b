/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the leaves, bounds the partial sums of every number of them, and finds the tree whose nodes
 * may err most by dynamic programming over numbers of leaves. */
#include "oracles/exact/any_order/levels.h"

#include <math.h>
#include <stdint.h>

#include "harness/num/binary64.h"
#include "oracles/exact/any_order/real.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/instruction_sets.h"
#include "oracles/exact/magnitude.h"

static const double leaf_min = 0x1p-900, leaf_max = 0x1p1000;

/* Of the additions of up to LEVEL_LEAVES_MAX leaves in binary64, and of the leaves themselves, as a
 * share of the sum of their magnitudes: less than 74 * 2^-53. */
static const double addition_slack = 0x1p-46;

bool level_sum_add(level_sum_t *sum, double value) {
  if (value == 0) return true;
  double magnitude = fabs(value);
  bool is_known = magnitude >= leaf_min && magnitude <= leaf_max; /* NaN is not. */
  if (!is_known || sum->count == LEVEL_LEAVES_MAX) return false;
  sum->losses[sum->count] = 0;
  sum->leaves[sum->count++] = value;
  return true;
}

/* What rounding a number of at most this magnitude loses: half a unit in the last place.  A power
 * of two loses nothing, so that only what is below it counts (theory.md, T122). */
static double half_unit(const format_t *format, double magnitude) {
  int exponent;
  bool is_power;
  uint64_t field = binary64_bits(magnitude) >> BINARY64_FRACTION_BITS;
  if (field > 0 && field < 2 * BINARY64_BIAS + 1) {
    is_power = binary64_bits(magnitude) << (64 - BINARY64_FRACTION_BITS) == 0;
    exponent = (int)field - BINARY64_BIAS + 1;
  } else { /* A call that is idle else. */
    is_power = frexp(magnitude, &exponent) == 0.5;
  }
  exponent -= is_power ? 2 : 1;
  if (exponent < format->exponent_min) exponent = format->exponent_min;
  return fmax(binary64_power(exponent - format->precision), 0x1p-1074);
}

/* What a wider format may lose of it: theory.md, D6. */
static upper_t lost_by_wider(const level_sum_t *sum, double magnitude) {
  if (!sum->may_widen) return upper_of(0);
  double unit = error_bound_wide_unit_roundoff(sum->format);
  int smallest = sum->format->exponent_min - sum->format->precision + 1;
  int half = smallest - error_bound_wider_bits(sum->format) - 1;
  double lost = fmax(binary64_power(half), 0x1p-1074);
  return upper_add(upper_scale(upper_of(magnitude), unit), upper_of(lost));
}

/* What one operation loses of an exact result of at most this magnitude: rounded to a wider format,
 * and that (theory.md, T122) to the sum's. */
static upper_t lost_by_node(const level_sum_t *sum, upper_t magnitude) {
  upper_t wide = lost_by_wider(sum, magnitude.value);
  return upper_add(wide, upper_of(half_unit(sum->format, upper_add(magnitude, wide).value)));
}

/* Whether the format holds a product that is a normal number of binary64, rounded there. */
static bool holds_product(const format_t *format, double left, double right) {
  int lowest = binary64_lowest_bit(left) + binary64_lowest_bit(right);
  int field = (int)(binary64_bits(left * right) >> BINARY64_FRACTION_BITS) & 0x7ff;
  int unit = field - BINARY64_BIAS - format->precision + 1;
  return lowest >= unit && lowest >= format->exponent_min - format->precision + 1;
}

/* theory.md, T122. */
bool level_sum_add_product(level_sum_t *sum, double left, double right) {
  double product = left * right;
  if (left == 0 || right == 0) return isfinite(product);
  if (product == 0 || !level_sum_add(sum, product)) return false; /* 0: below all of binary64. */
  sum->is_rounded |= fma(left, right, -product) != 0;
  if (holds_product(sum->format, left, right)) return true;
  upper_t magnitude = upper_of(magnitude_next(fabs(product)));
  upper_t loss = lost_by_node(sum, magnitude);
  sum->losses[sum->count - 1] = loss.value;
  sum->lost = upper_add(upper_of(sum->lost), loss).value;
  return true;
}

/* The largest first.  There are few, so that moving each to its place is faster than a call. */
static void sort_descending(const double *leaves, size_t count, double *out_sorted) {
  for (size_t i = 0; i < count; i++) {
    size_t at = i;
    for (; at > 0 && out_sorted[at - 1] < leaves[i]; at--) out_sorted[at] = out_sorted[at - 1];
    out_sorted[at] = leaves[i];
  }
}

/* At least the magnitude of the exact sum of any k of the leaves, which are sorted, for each k. */
static void bound_partial_sums(const level_sum_t *sum, const double *sorted, double *out_reach) {
  double magnitude = 0, high = 0, low = 0;
  bool is_rounded = sum->is_rounded;
  size_t count = sum->count;
  for (size_t i = 0; i < count; i++) magnitude += fabs(sorted[i]);
  for (size_t k = 1; k <= count; k++) {
    real_t top = real_of_sum(high, sorted[k - 1]), bottom = real_of_sum(low, sorted[count - k]);
    is_rounded |= top.low != 0 || bottom.low != 0;
    high = top.high;
    low = bottom.high;
    out_reach[k] = fmax(high, -low) + (is_rounded ? magnitude * addition_slack : 0);
  }
}

/* Whether every number of that magnitude that a node computes from these leaves is one of the
 * format: theory.md, T17. */
static bool is_node_exact(const level_sum_t *sum, double magnitude) {
  const format_t *format = sum->format;
  return sum->lowest_bit >= format->exponent_min - format->precision + 1 &&
         magnitude <= binary64_power(sum->lowest_bit + format->precision);
}

/* ---- Leaves that are swallowed --------------------------------------------------------------- */

/* What is known of the nodes of all trees. */
typedef struct level_nodes {
  upper_t most[LEVEL_LEAVES_MAX + 1]; /* What a node of at most so many leaves loses. */
  /* What a node of so many leaves loses when it is rounded to the format: a power of two, or 0. */
  double rounding[LEVEL_LEAVES_MAX + 1];
  upper_t wide; /* What any node loses that is rounded to a wider format. */
} level_nodes_t;

/* The magnitudes of sorted leaves, the largest first. */
static void sort_magnitudes(const double *sorted, size_t count, double *out_magnitudes) {
  size_t above = 0, below = count; /* The leaves between are the smaller ones. */
  for (size_t k = 0; k < count; k++) {
    bool takes_first = sorted[above] >= -sorted[below - 1];
    out_magnitudes[k] = fabs(takes_first ? sorted[above++] : sorted[--below]);
  }
}

/* What all nodes of at most `count` leaves lose together whose magnitudes are `tail` in sum:
 * `growth` is (1 + v)^(count - 1) - 1 (theory.md, T165). */
static upper_t lost_in_tail(const level_sum_t *sum, upper_t tail, size_t count, upper_t growth) {
  if (count < 2 || is_node_exact(sum, tail.value)) return upper_of(0);
  double nodes = (double)(count - 1);
  upper_t tiny = upper_scale(upper_of(fmax(format_smallest(sum->format), 0x1p-1074)), nodes);
  return upper_add(upper_multiply(upper_add(tail, tiny), growth), tiny);
}

/* What all nodes below the root lose; no more than `below` (theory.md, T165).  A leaf that is not
 * less than what a node may lose is not better taken for lost, and no larger one is. */
static upper_t lost_if_swallowed(const level_sum_t *sum, const double *sorted,
                                 const level_nodes_t *nodes, upper_t below) {
  size_t count = sum->count;
  double magnitudes[LEVEL_LEAVES_MAX], most = nodes->most[count - 1].value;
  sort_magnitudes(sorted, count, magnitudes);
  if (magnitudes[count - 1] >= most) return below;
  upper_t between[LEVEL_LEAVES_MAX + 1]; /* The nodes that join some of the k largest leaves. */
  between[0] = between[1] = upper_of(0);
  for (size_t k = 2; k <= count; k++) {
    between[k] = upper_add(between[k - 1], nodes->most[count + 1 - k]);
  }
  double unit = binary64_power(-sum->format->precision);
  if (sum->may_widen) unit += 2 * error_bound_wide_unit_roundoff(sum->format);
  const upper_t factor = upper_add(upper_of(1), upper_of(unit));
  upper_t growth = upper_of(0), tail = upper_of(sum->lost);
  for (size_t k = count - 1; k >= 1 && magnitudes[k] < most; k--) { /* The k largest, and others. */
    size_t others = count - k;
    if (others > 1) growth = upper_add(upper_multiply(growth, factor), upper_of(unit));
    double slack = sum->is_rounded ? 1 + 0x1p-50 : 1; /* Leaves are within 2^-52 of theirs. */
    tail = upper_add(tail, upper_scale(upper_of(magnitudes[k]), slack));
    upper_t inner = upper_scale(lost_in_tail(sum, tail, others, growth), 2);
    upper_t wide = upper_scale(nodes->wide, 2 * (double)others);
    upper_t all = upper_add(upper_add(between[k], tail), upper_add(inner, wide));
    if (all.value < below.value) below = all;
  }
  return below;
}

/* ---- Nodes that add a single leaf ------------------------------------------------------------ */

/* Sums of at most LEVEL_LEAVES_MAX^2 numbers in binary64, none negative, err by less (theory.md,
 * T8). */
static const double sums_slack = 1 + 0x1p-38;

/* How far a number is below the next multiple of a power of two, which is not the number. */
static double distance_up(double value, double unit) {
  double units = value * (1 / unit); /* Exact, as the quotient. */
  bool is_whole = !(fabs(units) < 0x1p52);
  double part = is_whole ? units - units : units - (double)(int64_t)units; /* trunc() is a call. */
  return part < 0 ? -part * unit : (1 - part) * unit;
}

/* At least what a node adds to the sum, upwards, that adds such a leaf alone, its product's
 * rounding included: theory.md, T195.  `uncertain`: by so much more or less it may be. */
static double most_by_leaf(const format_t *format, double leaf, double uncertain, double largest) {
  double most = (fabs(leaf) + uncertain) * binary64_power(1 - format->precision) + uncertain;
  for (double half = largest; half + uncertain > most && half >= 0x1p-1000; half /= 2) {
    double above = distance_up(leaf, half);
    if (fabs(leaf) + uncertain * sums_slack < half) {
      above = -leaf; /* What it is added to swallows it. */
    } else if (above <= uncertain * sums_slack) {
      above = half + uncertain;
    }
    if (above > most) most = above;
  }
  return most;
}

/* The shares of what a node may lose that a single leaf may be taken to lose; the last once more,
 * so that they fill vectors. */
enum { SHARES = 4 };

static const double single_shares[SHARES] = {0.5, 0.5625, 0.6875, 0.6875};

typedef struct shares {
  double of[SHARES];
} shares_t;

static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }

/* What nodes below the root lose of which those that add a single leaf lose no more than `most`;
 * `rounding` by numbers of leaves (theory.md, T195). */
static shares_t lost_if_single(const double *rounding, size_t count, const shares_t *most) {
  shares_t trees[LEVEL_LEAVES_MAX + 1], below = {{0}};
  trees[0] = trees[1] = below;
  for (size_t k = 2; k <= count; k++) {
    shares_t others = {{0}}; /* Of both parts, if neither is a leaf, or all are. */
    for (size_t i = 2; i <= k / 2; i++) {
      for (size_t s = 0; s < SHARES; s++) {
        others.of[s] = larger(trees[i].of[s] + trees[k - i].of[s], others.of[s]);
      }
    }
    for (size_t s = 0; s < SHARES; s++) {
      double before = trees[k - 1].of[s];
      below.of[s] = larger(others.of[s], before);
      trees[k].of[s] =
          larger(others.of[s] + rounding[k], before + smaller(rounding[k], most->of[s]));
    }
  }
  return below;
}

/* What leaves add to that, the larger one of both directions (theory.md, T195). */
static double lost_by_leaves(const double *up, const double *down, const double *losses,
                             size_t count, double most) {
  double both[] = {0, 0};
  for (size_t i = 0; i < count; i++) {
    both[0] += fmax(losses[i], up[i] - most);
    both[1] += fmax(losses[i], down[i] - most);
  }
  return fmax(both[0], both[1]);
}

/* What all nodes and products lose, theory.md, T195: the least for some of the shares that a single
 * leaf may be taken to lose. */
static upper_t lost_by_single(const level_sum_t *sum, const level_nodes_t *nodes) {
  size_t count = sum->count;
  double up[LEVEL_LEAVES_MAX], down[LEVEL_LEAVES_MAX], largest = 0, least = INFINITY;
  for (size_t k = 2; k < count; k++) largest = fmax(largest, nodes->rounding[k]);
  for (size_t i = 0; i < count; i++) {
    double leaf = sum->leaves[i], uncertain = sum->losses[i] + nodes->wide.value;
    if (sum->is_rounded) uncertain += fabs(leaf) * 0x1p-51;
    up[i] = most_by_leaf(sum->format, leaf, uncertain, largest);
    down[i] = most_by_leaf(sum->format, -leaf, uncertain, largest);
  }
  shares_t most;
  for (size_t s = 0; s < SHARES; s++) most.of[s] = single_shares[s] * largest;
  shares_t trees = lost_if_single(nodes->rounding, count, &most);
  for (size_t s = 0; s + 1 < SHARES; s++) {
    double lost = trees.of[s] + lost_by_leaves(up, down, sum->losses, count, most.of[s]);
    least = fmin(least, lost);
  }
  return upper_of((least + nodes->wide.value * (double)count) * sums_slack);
}

/* theory.md, T122: what the nodes of two trees lose that have k leaves together, the largest of the
 * upper_add(trees[i], trees[k - i]), of which those with the largest sum in binary64 are the
 * largest. */
static upper_t lost_by_both(const upper_t *trees, size_t k) {
  double largest = 0;
  for (size_t i = 1; i <= k / 2; i++)
    largest = larger(trees[i].value + trees[k - i].value, largest);
  bool is_above = false;
  for (size_t i = 1; i <= k / 2; i++) {
    double a = trees[i].value, b = trees[k - i].value, sum = a + b;
    is_above |= (sum == largest) & (magnitude_error_of_sum(a, b, sum) > 0);
  }
  return upper_of(is_above ? magnitude_next(largest) : largest);
}

/* theory.md, T122, T165 and T195. */
INLINE double bound_error(const level_sum_t *sum, double enough) {
  double sorted[LEVEL_LEAVES_MAX] = {0}, reach[LEVEL_LEAVES_MAX + 1];
  upper_t trees[LEVEL_LEAVES_MAX + 1]; /* What all nodes of a tree of k leaves lose. */
  upper_t lost = upper_of(sum->lost), below = upper_of(0), last = upper_of(0);
  level_nodes_t nodes = {.most = {upper_of(0), upper_of(0)}, .wide = upper_of(0)};
  sort_descending(sum->leaves, sum->count, sorted);
  bound_partial_sums(sum, sorted, reach);
  trees[0] = trees[1] = upper_of(0);
  for (size_t k = 2; k <= sum->count; k++) {
    below = lost_by_both(trees, k);
    upper_t computed = upper_add(upper_of(reach[k]), upper_add(lost, below));
    bool is_exact = is_node_exact(sum, computed.value);
    upper_t node = is_exact ? upper_of(0) : lost_by_node(sum, computed);
    last = is_exact ? upper_of(0) : lost_by_wider(sum, computed.value);
    double rounded = upper_add(computed, last).value;
    nodes.rounding[k] = is_exact ? 0 : half_unit(sum->format, rounded);
    trees[k] = upper_add(below, node);
    nodes.most[k] = upper_larger(nodes.most[k - 1], node);
    nodes.wide = upper_larger(nodes.wide, last);
  }
  upper_t all = upper_add(upper_add(lost, below), last);
  if (all.value <= enough) return all.value;
  if (sum->count >= 2) below = lost_if_swallowed(sum, sorted, &nodes, below);
  all = upper_add(upper_add(lost, below), last);
  if (all.value <= enough) return all.value;
  double error = sum->count < 3 ? all.value : fmin(all.value, lost_by_single(sum, &nodes).value);
  return isnan(error) ? (double)INFINITY : error;
}

#if HAS_TARGETS
/* All that it calls here is compiled for it, so that no fused multiply-add is a call. */
__attribute__((flatten)) TARGET_AVX2 static double bound_error_avx2(const level_sum_t *sum,
                                                                    double enough) {
  return bound_error(sum, enough);
}
#endif

double level_sum_error(const level_sum_t *sum, double enough) {
#if HAS_TARGETS
  if (instruction_set() != ISA_PLAIN) return bound_error_avx2(sum, enough);
#endif
  return bound_error(sum, enough);
}
