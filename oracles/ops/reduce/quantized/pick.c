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

/* Nodes are monotone, so what comes out is the extreme leaf, quantized any number of times; false
 * if that may give no value of the storage range. */
static bool close_picked(const reduce_quanta_t *quanta, stored_interval_t *inout_picked) {
  enum { ATTEMPTS = 1000 };
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
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
  *inout_picked = (stored_interval_t){.low = quanta->accumulation.storage_min,
                                      .high = quanta->accumulation.storage_max};
  return true;
}

bool reduce_quantized_pick(const reach_question_t *question, bool largest, bool with_init,
                           stored_interval_t *out_picked) {
  bool may_repeat = with_init && PERMITTED(question->contract, init_count) != INIT_COUNT_ONE;
  size_t leaves = question->count + (may_repeat ? 2 : with_init ? 1 : 0);
  stored_interval_t picked = with_init ? question->init : question->terms[0];
  for (size_t i = 0; i < question->count; i++) {
    stored_interval_t term = question->terms[i];
    picked.low = largest ? MAX(picked.low, term.low) : MIN(picked.low, term.low);
    picked.high = largest ? MAX(picked.high, term.high) : MIN(picked.high, term.high);
  }
  *out_picked = picked;
  return leaves < 2 || close_picked(question->quanta, out_picked);
}
