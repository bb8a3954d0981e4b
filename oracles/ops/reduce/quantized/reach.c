/* SPDX-License-Identifier: Apache-2.0 */
/* Storage integers that quantized sums can reach in any or in-order trees: exact unions of
 * intervals by dynamic programming for few terms, error bounds for many. Every node rounds and
 * clamps, so bounds of plain sums do not apply. */
#include "oracles/ops/reduce/quantized/reach.h"

#include <math.h>

#include "oracles/exact/magnitude.h"
#include "oracles/ops/reduce/quantized/product_reach.h"

/* ---- Bounds ---------------------------------------------------------------------------------- */

static void take_value(leaf_sums_t *sums, int64_t distance, double times) {
  *(distance > 0 ? &sums->positive : &sums->negative) += times * (double)distance;
}

static void take_leaf(reach_sums_t *sums, stored_interval_t leaf, int64_t zero_point,
                      double times) {
  take_value(&sums->low, leaf.low - zero_point, times);
  take_value(&sums->high, leaf.high - zero_point, times);
}

void reach_prepare(reach_question_t *question) {
  const reduce_quanta_t *quanta = question->quanta;
  int64_t zero_point = quanta->accumulation.zero_point;
  question->sums = (reach_sums_t){0};
  for (size_t i = 0; i < question->count; i++) {
    take_leaf(&question->sums, question->terms[i], zero_point, 1);
  }
  int unit = PERMITTED(question->contract, accum_rounding) == ACCUM_ROUNDING_RZ ? 2 : 1;
  for (size_t i = 0; i < quanta->chain_count; i++) {
    question->errors[i] = quantum_chain_errors(&quanta->chains[i], question->multiplies, unit);
  }
}

static reach_sums_t sum_leaves(const reach_question_t *question, uint32_t init_count) {
  reach_sums_t sums = question->sums;
  take_leaf(&sums, question->init, question->quanta->accumulation.zero_point, init_count);
  return sums;
}

/* The ends of the storage range are rounded too; inwards, they cut off what lies between, of values
 * within `distance` of the zero point. */
static double cut_by_ends(const quantum_t *quantum, const format_t *format, double distance) {
  double zero_point = (double)quantum->zero_point;
  double least = (double)quantum->storage_min, most = (double)quantum->storage_max;
  double rounded_least = format_round_double(format, least);
  double rounded_most = format_round_double(format, most);
  double cut = 0;
  if (rounded_most < most && zero_point + distance >= rounded_most) cut = most - rounded_most;
  if (rounded_least > least && zero_point - distance <= rounded_least) {
    cut = fmax(cut, rounded_least - least);
  }
  return ceil(cut);
}

/* How far the storage value of a node may be from the clamped sum of its two parts, if the
 * distances of these from the zero point add up to `magnitude` at most: theory.md, T42. */
static double node_error(const reach_question_t *question, double magnitude) {
  const reduce_quanta_t *quanta = question->quanta;
  const quantum_t *quantum = &quanta->accumulation;
  double zero_point = fabs((double)quantum->zero_point), worst = 0;
  for (size_t i = 0; i < quanta->chain_count; i++) {
    const format_t *format = quanta->chains[i].quantize;
    double error =
        question->errors[i].parts * magnitude + question->errors[i].zero_point * zero_point;
    double distance = error < 0.5 ? 0 : floor(error + 0.5);
    worst = fmax(worst, distance + cut_by_ends(quantum, format, magnitude + error + 1));
  }
  return worst;
}

/* Whether some float of the formula may be infinite, or not a number, in one of the ways. */
static bool may_overflow(const reach_question_t *question, double magnitude) {
  const reduce_quanta_t *quanta = question->quanta;
  for (size_t i = 0; i < quanta->chain_count; i++) {
    const format_t *format = quanta->chains[i].narrowest;
    double largest = format_to_double(format, format->largest_bits) / 4;
    double zero_point = fabs((double)quanta->accumulation.zero_point);
    if (magnitude * quanta->accumulation.scale >= largest) return true;
    if (magnitude + zero_point >= largest) return true;
  }
  return false;
}

/* Whether a node may be clamped to an end that one of the ways rounds outwards or has not,
 * if its distance from the zero point is between `low` and `high` before that. */
static bool may_leave_range(const reach_question_t *question, double low, double high) {
  const reduce_quanta_t *quanta = question->quanta;
  const quantum_t *quantum = &quanta->accumulation;
  double zero_point = (double)quantum->zero_point;
  double least = (double)quantum->storage_min, most = (double)quantum->storage_max;
  bool stays = true;
  for (size_t i = 0; i < quanta->chain_count; i++) {
    const format_t *format = quanta->chains[i].quantize;
    double rounded_least = format_round_double(format, least);
    double rounded_most = format_round_double(format, most);
    stays &= rounded_least >= least || zero_point + low > rounded_least;
    stays &= rounded_most <= most || zero_point + high < rounded_most;
  }
  return !stays;
}

/* The error of every node, by induction from the leaves: if those below err by no more than `error`
 * each, the parts of a node add up to no more than all leaves and all errors. */
static double settled_node_error(const reach_question_t *question, double leaves, double nodes,
                                 double reach) {
  enum { ATTEMPTS = 16 };
  double error = 0;
  for (int i = 0; i < ATTEMPTS; i++) {
    double next = node_error(question, fmin(2 * reach, leaves + nodes * error));
    if (next <= error) return error;
    error = next;
  }
  return node_error(question, 2 * reach);
}

/* Every node adds its parts, errs by an integer, and clamps: theory.md, T40 and T42.  An error is
 * one more term: the low end is lowest if all errors are negative, the high end highest if all are
 * positive. */
bool reach_bound(const reach_question_t *question, uint32_t init_count,
                 stored_interval_t *out_bound) {
  if (question->multiplies) return product_bound(question, init_count, out_bound);
  const quantum_t *quantum = &question->quanta->accumulation;
  size_t count = question->count + init_count;
  if (count == 1) { /* A single leaf is not clamped. */
    *out_bound = question->count == 1 ? question->terms[0] : question->init;
    return true;
  }
  reach_sums_t sums = sum_leaves(question, init_count);
  double least = (double)(quantum->storage_min - quantum->zero_point);
  double most = (double)(quantum->storage_max - quantum->zero_point);
  double reach = fmax(-least, most), nodes = (double)count - 1;
  double leaves = fmax(sums.high.positive, 0) - fmin(sums.low.negative, 0);
  leaves = fmax(
      leaves, fmax(sums.low.positive - sums.low.negative, sums.high.positive - sums.high.negative));
  /* Sums of up to 2^24 integers of 33 bits are exact below 2^53, and a relative 2^-29 near:
   * theory.md, T17 and T10. */
  double rounding = leaves >= 0x1p52 ? leaves * 0x1p-27 : 0;
  leaves += rounding;
  double error = settled_node_error(question, leaves, nodes, reach);
  if (may_overflow(question, fmin(2 * reach, leaves + nodes * error))) return false;
  double slack = nodes * error + rounding;
  double lowest = fmin(sums.low.negative, 0) - slack - 1;
  double highest = fmax(sums.high.positive, 0) + slack + 1;
  if (may_leave_range(question, lowest, highest)) return false;
  double low = fmin(sums.low.positive, most) + sums.low.negative - slack;
  double high = fmax(sums.high.negative, least) + sums.high.positive + slack;
  *out_bound =
      (stored_interval_t){.low = (int64_t)floor(CLAMP(low, least, most)) + quantum->zero_point,
                          .high = (int64_t)ceil(CLAMP(high, least, most)) + quantum->zero_point};
  return true;
}

/* ---- Sets ------------------------------------------------------------------------------------ */

/* The intervals that a node may give, before they are put in order. */
typedef struct derived {
  bool are_joined; /* Neighbours, which tells no less: a node maps intervals to intervals. */
  size_t count;
  stored_interval_t items[3 * REACH_INTERVALS_MAX * REACH_INTERVALS_MAX];
} derived_set_t;

int64_t reach_add_by_formula(const reach_question_t *question, const quantum_chain_t *chain,
                             int64_t a, int64_t b) {
  const quantum_t *quantum = &question->quanta->accumulation;
  double left = quantum_chain_dequantize(chain, quantum, a);
  double right = quantum_chain_dequantize(chain, quantum, b);
  return quantum_chain_quantize(chain, quantum, quantum_chain_result(chain, left + right));
}

static void gather_products(const reach_question_t *question, stored_interval_t a,
                            stored_interval_t b, derived_set_t *out) {
  product_node_t node;
  product_node_make(question, a, b, &node);
  for (size_t i = 0; i < node.count; i++) out->items[out->count++] = node.intervals[i];
}

/* Unless it is among those from `first` on. */
static void add_new(size_t first, stored_interval_t interval, derived_set_t *out) {
  for (size_t i = first; i < out->count; i++) {
    if (out->items[i].low == interval.low && out->items[i].high == interval.high) return;
  }
  out->items[out->count++] = interval;
}

/* Addition is monotone in both parts, in every way. */
static void gather_pair(const reach_question_t *question, stored_interval_t a, stored_interval_t b,
                        derived_set_t *out) {
  if (question->multiplies) {
    gather_products(question, a, b, out);
    return;
  }
  const reduce_quanta_t *quanta = question->quanta;
  const quantum_t *quantum = &quanta->accumulation;
  stored_interval_t stored = {.low = reduce_add_stored(quantum, a.low, b.low),
                              .high = reduce_add_stored(quantum, a.high, b.high)};
  const size_t first = out->count;
  add_new(first, stored, out);
  for (size_t i = 0; i < quanta->chain_count; i++) {
    const quantum_chain_t *chain = &quanta->chains[i];
    add_new(first,
            (stored_interval_t){.low = reach_add_by_formula(question, chain, a.low, b.low),
                                .high = reach_add_by_formula(question, chain, a.high, b.high)},
            out);
  }
}

static int compare_lows(const void *a, const void *b) {
  const stored_interval_t *left = a, *right = b;
  return (left->low > right->low) - (left->low < right->low);
}

/* Closes the smallest gap. */
static void close_a_gap(derived_set_t *set) {
  size_t best = 1;
  for (size_t i = 1; i < set->count; i++) {
    int64_t gap = set->items[i].low - set->items[i - 1].high;
    if (gap < set->items[best].low - set->items[best - 1].high) best = i;
  }
  set->items[best - 1].high = set->items[best].high;
  memmove(&set->items[best], &set->items[best + 1], (set->count - best - 1) * sizeof set->items[0]);
  set->count--;
}

/* Sorts and joins; where more than `most` are left, those closest to each other become one. */
static void settle(derived_set_t *set, size_t most, reach_set_t *out_set) {
  qsort(set->items, set->count, sizeof set->items[0], compare_lows);
  size_t kept = 0;
  for (size_t i = 0; i < set->count; i++) {
    stored_interval_t item = set->items[i];
    if (kept > 0 && item.low <= set->items[kept - 1].high + (set->are_joined ? 1 : 0)) {
      set->items[kept - 1].high = MAX(set->items[kept - 1].high, item.high);
    } else {
      set->items[kept++] = item;
    }
  }
  set->count = kept;
  while (set->count > most) close_a_gap(set);
  out_set->count = set->count;
  memcpy(out_set->intervals, set->items, set->count * sizeof set->items[0]);
}

/* How many intervals a set may keep, so that all of it takes about a tenth of a second; 0 if even
 * one takes too long. */
static size_t intervals_affordable(double nodes) {
  const double pairs_max = 1 << 19;
  for (size_t most = REACH_INTERVALS_MAX; most > 1; most /= 2) {
    if (nodes * (double)(most * most) <= pairs_max) return most;
  }
  return nodes <= pairs_max ? 1 : 0;
}

typedef struct set_builder {
  const reach_question_t *question;
  size_t most;            /* Intervals a set keeps. */
  derived_set_t *derived; /* Of the node at hand. */
  reach_set_t *sets;
} set_builder_t;

static void start_node(set_builder_t *builder) {
  builder->derived->count = 0;
  builder->derived->are_joined = !builder->question->multiplies;
}

static void combine(set_builder_t *builder, const reach_set_t *left, const reach_set_t *right) {
  derived_set_t *derived = builder->derived;
  for (size_t i = 0; i < left->count; i++) {
    for (size_t k = 0; k < right->count; k++) {
      if (derived->count + PRODUCT_NODE_INTERVALS_MAX > G_N_ELEMENTS(derived->items)) {
        reach_set_t joined;
        settle(derived, builder->most, &joined);
      }
      gather_pair(builder->question, left->intervals[i], right->intervals[k], derived);
    }
  }
}

leaf_values_t reach_leaf_values(const reach_question_t *question, size_t leaf) {
  bool is_term = leaf < question->count;
  if (question->term_values != NULL) {
    return is_term ? question->term_values[leaf] : question->init_values;
  }
  stored_interval_t ends = is_term ? question->terms[leaf] : question->init;
  return (leaf_values_t){.count = ends.low == ends.high ? 1 : 2, .items = {ends.low, ends.high}};
}

/* The term of that number, or else an initial value. */
static void set_leaf(set_builder_t *builder, size_t leaf, reach_set_t *out_set) {
  start_node(builder);
  const leaf_values_t values = reach_leaf_values(builder->question, leaf);
  for (size_t i = 0; i < values.count; i++) {
    builder->derived->items[builder->derived->count++] =
        (stored_interval_t){.low = values.items[i], .high = values.items[i]};
  }
  settle(builder->derived, builder->most, out_set);
}

/* Sets of contiguous ranges of terms with some initial values among them. */
static size_t range_index(size_t terms, size_t begin, size_t length, uint32_t inits) {
  return ((size_t)inits * (terms + 1) + (length == 0 ? 0 : begin)) * (terms + 1) + length;
}

static void build_range(set_builder_t *builder, size_t begin, size_t length, uint32_t inits) {
  const reach_question_t *question = builder->question;
  reach_set_t *out = &builder->sets[range_index(question->count, begin, length, inits)];
  if (length + inits == 1) {
    set_leaf(builder, length == 1 ? begin : question->count, out);
    return;
  }
  start_node(builder);
  for (size_t left = 0; left <= length; left++) {
    for (uint32_t left_inits = 0; left_inits <= inits; left_inits++) {
      bool is_whole = left == length && left_inits == inits;
      if (is_whole || left + left_inits == 0) continue;
      combine(builder, &builder->sets[range_index(question->count, begin, left, left_inits)],
              &builder->sets[range_index(question->count, begin + left, length - left,
                                         inits - left_inits)]);
    }
  }
  settle(builder->derived, builder->most, out);
}

static bool make_in_order(set_builder_t *builder, uint32_t init_count, arena_t *arena,
                          reach_set_t *out_set) {
  size_t terms = builder->question->count;
  if (terms > LEAF_TERMS_MAX) return false; /* More would take too much memory. */
  double side = (double)terms + 1, inits = (double)init_count + 1;
  double pairs = side * side * side / 6 * inits * inits; /* Products take four times as long. */
  builder->most = intervals_affordable(builder->question->multiplies ? 4 * pairs : pairs);
  if (builder->most == 0) return false;
  builder->sets =
      ARENA_NEW_ARRAY(arena, reach_set_t, range_index(terms, terms, terms, init_count) + 1);
  for (size_t length = 0; length <= terms; length++) {
    for (uint32_t k = 0; k <= init_count; k++) {
      if (length + k == 0) continue;
      size_t last = length == 0 ? 0 : terms - length;
      for (size_t begin = 0; begin <= last; begin++) build_range(builder, begin, length, k);
    }
  }
  *out_set = builder->sets[range_index(terms, 0, terms, init_count)];
  return true;
}

/* Sets of all subsets of the leaves: theory.md, T27. */
static bool make_any_order(set_builder_t *builder, uint32_t init_count, arena_t *arena,
                           reach_set_t *out_set) {
  enum { LEAVES_MAX = 7 };
  const reach_question_t *question = builder->question;
  size_t leaves = question->count + init_count;
  if (leaves > LEAVES_MAX) return false;
  builder->most = REACH_INTERVALS_MAX;
  size_t all = ((size_t)1 << leaves) - 1;
  builder->sets = ARENA_NEW_ARRAY(arena, reach_set_t, all + 1);
  for (size_t subset = 1; subset <= all; subset++) {
    reach_set_t *out = &builder->sets[subset];
    if ((subset & (subset - 1)) == 0) {
      size_t leaf = (size_t)__builtin_ctzll(subset);
      set_leaf(builder, leaf, out);
      continue;
    }
    start_node(builder);
    for (size_t part = (subset - 1) & subset; part > (subset ^ part); part = (part - 1) & subset) {
      combine(builder, &builder->sets[part], &builder->sets[subset ^ part]);
    }
    settle(builder->derived, builder->most, out);
  }
  *out_set = builder->sets[all];
  return true;
}

bool reach_set_make(const reach_question_t *question, uint32_t init_count, arena_t *arena,
                    reach_set_t *out_set) {
  const contract_t *contract = question->contract;
  bool truncates = PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ;
  if (question->count + init_count == 0 || (truncates && !question->multiplies)) return false;
  arena_mark_t mark = arena_mark(arena);
  set_builder_t builder = {.question = question,
                           .most = REACH_INTERVALS_MAX,
                           .derived = ARENA_NEW_ARRAY(arena, derived_set_t, 1)};
  bool is_made = PERMITTED(contract, order) == ORDER_IN_ORDER
                     ? make_in_order(&builder, init_count, arena, out_set)
                     : make_any_order(&builder, init_count, arena, out_set);
  arena_rewind(arena, mark);
  return is_made;
}
