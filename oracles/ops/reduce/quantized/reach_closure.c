/* SPDX-License-Identifier: Apache-2.0 */
/* Storage values of at most 8 bits that a quantized sum or product reaches with any number of
 * initial values. Every node computes in one of the ways that are permitted (theory.md, T42 and
 * T120). */
#include <string.h>

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

/* ---- What is kept from one component to the next --------------------------------------------- */

/* Nodes follow from the program, the contract and the number of chains: their rows take as long as
 * a closure.  And the closure that was made last: a component is asked about more than once. */
typedef struct kept_closure {
  struct kept_closure *next;
  contract_t contract;
  size_t chain_count;
  closure_rows_t rows;
  bool has_last, is_made; /* Of the last closure. */
  size_t count;
  closure_leaf_t leaves[CLOSURE_TERMS_MAX + 1]; /* Its terms, then its initial value. */
  uint32_t least[CLOSURE_SHORT_VALUES];
} kept_closure_t;

static kept_closure_t *recall(const reach_question_t *question) {
  const size_t chains = question->quanta->chain_count;
  if (question->closures == NULL) return NULL;
  for (kept_closure_t *kept = *question->closures; kept != NULL; kept = kept->next) {
    bool is_same = memcmp(&kept->contract, question->contract, sizeof(contract_t)) == 0;
    if (is_same && kept->chain_count == chains) return kept;
  }
  kept_closure_t *kept = arena_alloc_zeroed(question->closures_arena, sizeof *kept);
  kept->next = *question->closures;
  kept->contract = *question->contract;
  kept->chain_count = chains;
  kept->rows.arena = question->closures_arena;
  *question->closures = kept;
  return kept;
}

static bool is_last(const kept_closure_t *kept, const closure_question_t *closure) {
  return kept->has_last && kept->count == closure->count &&
         memcmp(kept->leaves, closure->terms, closure->count * sizeof closure->terms[0]) == 0 &&
         memcmp(&kept->leaves[closure->count], &closure->init, sizeof closure->init) == 0;
}

/* The closure, remembered. */
static bool make(kept_closure_t *kept, closure_question_t *closure, arena_t *arena,
                 uint32_t out_least[CLOSURE_SHORT_VALUES]) {
  const size_t bytes = closure->node.value_count * sizeof *out_least;
  if (kept == NULL) return closure_make(closure, arena, out_least);
  if (!is_last(kept, closure)) {
    closure->rows = &kept->rows;
    kept->is_made = closure_make(closure, arena, kept->least);
    kept->has_last = true;
    kept->count = closure->count;
    memcpy(kept->leaves, closure->terms, closure->count * sizeof closure->terms[0]);
    kept->leaves[closure->count] = closure->init;
  }
  memcpy(out_least, kept->least, bytes);
  return kept->is_made;
}

/* ---- Closures -------------------------------------------------------------------------------- */

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
  return are_numbered && make(recall(question), &closure, arena, out_least);
}
