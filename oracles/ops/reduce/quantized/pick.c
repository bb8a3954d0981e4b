/* SPDX-License-Identifier: Apache-2.0 */
/* What quantized maxima and minima pick, of any tree. */
#include "oracles/ops/reduce/quantized/parts.h"

/* By the formula a node quantizes what it has picked once more; false if that gives no storage
 * value. */
static bool requantize(const reduce_quanta_t *quanta, size_t index, int64_t stored,
                       int64_t *out_stored) {
  const quantum_chain_t *chain = &quanta->chains[index];
  double value = quantum_chain_convert(chain, &quanta->accumulation, stored);
  *out_stored = quantum_chain_quantize(chain, &quanta->accumulation, value);
  return quantum_chain_is_decided(chain, &quanta->accumulation, value);
}

enum { NODES_FOLLOWED = 1000 };

/* Nodes are monotone, so what comes out is the extreme leaf, quantized by as many of them at the
 * most; false if that may give no value of the storage range. */
static bool close_picked(const reduce_quanta_t *quanta, size_t nodes,
                         stored_interval_t *inout_picked) {
  for (size_t node = 0; node < MIN(nodes, NODES_FOLLOWED); node++) {
    const stored_interval_t picked = *inout_picked;
    stored_interval_t next = picked;
    bool is_decided = true;
    for (size_t i = 0; i < quanta->chain_count; i++) {
      int64_t low, high;
      is_decided &= requantize(quanta, i, picked.low, &low);
      is_decided &= requantize(quanta, i, picked.high, &high);
      next.low = MIN(next.low, low);
      next.high = MAX(next.high, high);
    }
    if (!is_decided) return false;
    if (next.low == picked.low && next.high == picked.high) return true;
    *inout_picked = next;
  }
  if (nodes <= NODES_FOLLOWED) return true;
  *inout_picked = (stored_interval_t){.low = quanta->accumulation.storage_min,
                                      .high = quanta->accumulation.storage_max};
  return true;
}

/* How many nodes a leaf passes at the most. */
static size_t count_nodes(const reach_question_t *question, bool with_init) {
  bool may_repeat = with_init && PERMITTED(question->contract, init_count) != INIT_COUNT_ONE;
  size_t inits = may_repeat ? contract_init_count_max(question->contract, question->count) : 1;
  size_t leaves = question->count + (with_init ? inits : 0);
  return leaves - 1;
}

bool reduce_quantized_pick(const reach_question_t *question, bool largest, bool with_init,
                           stored_interval_t *out_picked) {
  stored_interval_t picked = with_init ? question->init : question->terms[0];
  for (size_t i = 0; i < question->count; i++) {
    stored_interval_t term = question->terms[i];
    picked.low = largest ? MAX(picked.low, term.low) : MIN(picked.low, term.low);
    picked.high = largest ? MAX(picked.high, term.high) : MIN(picked.high, term.high);
  }
  *out_picked = picked;
  return close_picked(question->quanta, count_nodes(question, with_init), out_picked);
}

/* ---- Values ---------------------------------------------------------------------------------- */

static void add_value(picked_values_t *values, int64_t value) {
  for (size_t i = 0; i < values->count; i++) {
    if (values->items[i] == value) return;
  }
  if (values->count == PICKED_VALUES_MAX) {
    values->has_more = true;
  } else {
    values->items[values->count++] = value;
  }
}

/* Adds what a leaf of these values becomes, quantized by so many nodes at the most, by any chain in
 * each. */
static void add_orbit(const reduce_quanta_t *quanta, size_t nodes, picked_values_t *inout_values) {
  size_t done = 0;
  for (size_t node = 0; node < nodes && done < inout_values->count; node++) {
    for (size_t count = inout_values->count; done < count; done++) {
      for (size_t i = 0; i < quanta->chain_count; i++) {
        int64_t next;
        (void)requantize(quanta, i, inout_values->items[done], &next);
        add_value(inout_values, next);
      }
    }
    if (inout_values->has_more) return;
  }
}

/* What the leaf may enter as; at most two values if these are not listed. */
static leaf_values_t values_of_leaf(const reach_question_t *question, size_t leaf) {
  bool is_init = leaf == question->count;
  if (question->term_values != NULL) {
    return is_init ? question->init_values : question->term_values[leaf];
  }
  stored_interval_t ends = is_init ? question->init : question->terms[leaf];
  leaf_values_t values = {.count = ends.low == ends.high ? 1 : 2, .items = {ends.low, ends.high}};
  return values;
}

bool reduce_quantized_pick_values(const reach_question_t *question, bool with_init,
                                  stored_interval_t picked, picked_values_t *out_values) {
  *out_values = (picked_values_t){.count = 0};
  bool is_listed = question->term_values != NULL || question->quanta->chain_count <= 2;
  const size_t nodes = count_nodes(question, with_init);
  for (size_t leaf = 0; leaf < question->count + with_init && is_listed; leaf++) {
    const leaf_values_t values = values_of_leaf(question, leaf);
    for (size_t i = 0; i < values.count; i++) {
      picked_values_t orbit = {.count = 0};
      add_value(&orbit, values.items[i]);
      add_orbit(question->quanta, nodes, &orbit);
      if (orbit.has_more) return false;
      for (size_t k = 0; k < orbit.count; k++) {
        bool is_within = orbit.items[k] >= picked.low && orbit.items[k] <= picked.high;
        if (is_within) add_value(out_values, orbit.items[k]);
      }
      if (out_values->has_more) return false;
    }
  }
  return is_listed;
}
