/* SPDX-License-Identifier: Apache-2.0 */
/* Storage values of at most 8 bits that a quantized sum or product reaches with any number of
 * initial values. Every node computes in one of the ways that are permitted (theory.md, T42 and
 * T120). */
#include "oracles/ops/reduce/quantized/product_node.h"
#include "oracles/ops/reduce/quantized/reach.h"

/* The least value of each source, and the largest (product_node_gives_neighbours()). */
static void multiply(const void *context, size_t way, uint16_t a, const uint16_t *others,
                     size_t count, uint16_t *out) {
  const reach_question_t *question = context;
  const int64_t least = question->quanta->accumulation.storage_min;
  for (size_t i = 0; i < count; i++) {
    stored_interval_t found =
        product_node_by_source(question, way / 2, least + a, least + others[i]);
    out[i] = (uint16_t)((way % 2 == 0 ? found.low : found.high) - least);
  }
}

static void combine(const void *context, size_t way, uint16_t a, const uint16_t *others,
                    size_t count, uint16_t *out) {
  const reach_question_t *question = context;
  const reduce_quanta_t *quanta = question->quanta;
  int64_t least = quanta->accumulation.storage_min;
  for (size_t i = 0; i < count; i++) {
    int64_t b = least + others[i];
    int64_t sum = way == 0 ? reduce_add_stored(&quanta->accumulation, least + a, b)
                           : reach_add_by_formula(question, &quanta->chains[way - 1], least + a, b);
    out[i] = (uint16_t)(sum - least);
  }
}

/* False if a leaf is not of the storage range, or may be more than two values. */
static bool number_leaf(const reach_question_t *question, size_t leaf, closure_leaf_t *out) {
  const quantum_t *quantum = &question->quanta->accumulation;
  const leaf_values_t values = reach_leaf_values(question, leaf);
  bool are_numbered = values.count <= G_N_ELEMENTS(out->values);
  for (size_t i = 0; i < G_N_ELEMENTS(out->values) && are_numbered; i++) {
    int64_t value = values.items[MIN(i, values.count - 1)];
    are_numbered = value >= quantum->storage_min && value <= quantum->storage_max;
    out->values[i] = (uint16_t)(value - quantum->storage_min);
  }
  return are_numbered;
}

bool reach_closure(const reach_question_t *question, arena_t *arena,
                   uint32_t out_least[CLOSURE_SHORT_VALUES]) {
  const quantum_t *quantum = &question->quanta->accumulation;
  const contract_t *contract = question->contract;
  int64_t values = quantum->storage_max - quantum->storage_min + 1;
  uint32_t most = contract_init_count_max(contract, question->count);
  stored_interval_t bound;
  if (values > CLOSURE_SHORT_VALUES || question->count > CLOSURE_TERMS_MAX) return false;
  bool truncates = PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ;
  bool are_known = question->multiplies ? product_node_gives_neighbours(question)
                                        : !truncates && reach_bound(question, most, &bound);
  if (!are_known) return false;
  size_t ways =
      question->multiplies ? 2 * product_node_sources(question) : 1 + question->quanta->chain_count;
  closure_leaf_t terms[CLOSURE_TERMS_MAX];
  closure_question_t closure = {.node = {.value_count = (size_t)values,
                                         .way_count = ways,
                                         .combine = question->multiplies ? multiply : combine,
                                         .context = question},
                                .count = question->count,
                                .terms = terms,
                                .init_most = most,
                                .work = CLOSURE_WORK,
                                .is_in_order = PERMITTED(contract, order) == ORDER_IN_ORDER};
  bool are_numbered = number_leaf(question, question->count, &closure.init);
  for (size_t i = 0; i < question->count && are_numbered; i++) {
    are_numbered = number_leaf(question, i, &terms[i]);
  }
  return are_numbered && closure_make(&closure, arena, out_least);
}
