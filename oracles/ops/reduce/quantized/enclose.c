/* SPDX-License-Identifier: Apache-2.0 */
/* Encloses quantized reductions: in real numbers without a contract, else from the storage
 * integers reachable with every permitted number of initial values. */
#include <math.h>

#include "oracles/exact/box/quantum.h"
#include "oracles/exact/box/sum.h"
#include "oracles/ops/reduce/enclose.h"
#include "oracles/ops/reduce/gather.h"
#include "oracles/ops/reduce/quantized/parts.h"
#include "oracles/ops/reduce/quantized/product_reach.h"

/* ---- In real numbers ------------------------------------------------------------------------- */

/* Real values are combined, and the last one is quantized once. */
static box_t reduce_exactly(const reduce_quanta_t *quanta, fold_body_t body,
                            const reduce_slices_t *slices, size_t output, const box_t *terms,
                            box_t init) {
  box_sum_t sum = {.has_grid = true};
  box_t picked = quantum_box_difference(&quanta->input, init);
  box_sum_add(&sum, picked);
  for (size_t term = 0; term < slices->term_count; term++) {
    box_t stored = terms[slices->output_base[output] + slices->term_offset[term]];
    box_t difference = quantum_box_difference(&quanta->input, stored);
    box_sum_add(&sum, difference);
    picked =
        body == FOLD_MAXIMUM ? box_maximum(picked, difference) : box_minimum(picked, difference);
  }
  box_t whole = body == FOLD_ADD ? box_integers_within(box_sum_total(&sum)) : picked;
  return quantum_box_quantize(&quanta->result, NULL, NULL,
                              box_multiply(whole, box_point(quanta->input.scale)));
}

/* Real values are multiplied. */
static box_t multiply_exactly(const reduce_quanta_t *quanta, const reduce_slices_t *slices,
                              size_t output, const box_t *terms, box_t init) {
  box_t product = quantum_box_dequantize(&quanta->input, NULL, init);
  for (size_t term = 0; term < slices->term_count; term++) {
    box_t stored = terms[slices->output_base[output] + slices->term_offset[term]];
    product = box_multiply(product, quantum_box_dequantize(&quanta->input, NULL, stored));
  }
  return quantum_box_quantize(&quanta->result, NULL, NULL, product);
}

/* ---- By schedules ---------------------------------------------------------------------------- */

/* All stored values of a box in the accumulation type; false if the specification gives one none.
 * Conversions are monotone. */
static bool convert_leaf(const reduce_quanta_t *quanta, box_t box, stored_interval_t *out) {
  *out = (stored_interval_t){.low = INT64_MAX, .high = INT64_MIN};
  for (size_t i = 0; i < quanta->chain_count; i++) {
    int64_t low, high;
    if (!reduce_convert_input(quanta, i, (int64_t)box.low, &low) ||
        !reduce_convert_input(quanta, i, (int64_t)box.high, &high)) {
      return false;
    }
    out->low = MIN(out->low, low);
    out->high = MAX(out->high, high);
  }
  return true;
}

static bool gather_leaves(const reduce_slices_t *slices, size_t output, const box_t *terms,
                          box_t init, stored_interval_t *leaves, reach_question_t *question) {
  bool are_known = convert_leaf(question->quanta, init, &question->init);
  for (size_t term = 0; term < slices->term_count && are_known; term++) {
    box_t stored = terms[slices->output_base[output] + slices->term_offset[term]];
    are_known = convert_leaf(question->quanta, stored, &leaves[term]);
  }
  question->count = slices->term_count;
  question->terms = leaves;
  if (are_known) reach_prepare(question);
  return are_known;
}

static stored_interval_t unite(stored_interval_t a, stored_interval_t b) {
  return (stored_interval_t){MIN(a.low, b.low), MAX(a.high, b.high)};
}

/* What the accumulation ends in, with every number of initial values; false if nobody knows. */
static bool accumulate(const reach_question_t *question, fold_body_t body,
                       stored_interval_t *out_sum) {
  bool may_vary = PERMITTED(question->contract, init_count) != INIT_COUNT_ONE;
  bool may_skip = may_vary && question->count > 0;
  bool largest = body == FOLD_MAXIMUM;
  stored_interval_t without;
  if (body != FOLD_ADD && body != FOLD_MULTIPLY) {
    if (!reduce_quantized_pick(question, largest, true, out_sum)) return false;
    if (!may_skip) return true;
    if (!reduce_quantized_pick(question, largest, false, &without)) return false;
    *out_sum = unite(*out_sum, without);
    return true;
  }
  bool is_many_product = body == FOLD_MULTIPLY && may_vary && !product_init_is_neutral(question);
  if (is_many_product) return product_bound_of_any_inits(question, out_sum);
  if (!reach_bound(question, 1, out_sum)) return false;
  if (may_skip) {
    if (!reach_bound(question, 0, &without)) return false;
    *out_sum = unite(*out_sum, without);
  }
  if (!may_vary || body == FOLD_MULTIPLY || reduce_init_says_nothing(question)) return true;
  stored_interval_t most;
  uint32_t most_inits = contract_init_count_max(question->contract, question->count);
  if (!reach_bound(question, most_inits, &most)) return false;
  const quantum_t *quantum = &question->quanta->accumulation;
  *out_sum = (stored_interval_t){quantum->storage_min, quantum->storage_max};
  return true;
}

static box_t convert_results(const reduce_quanta_t *quanta, stored_interval_t sum) {
  if (!reduce_result_is_decided(quanta, sum)) return quantum_box_anything(&quanta->result);
  box_t out = {INFINITY, -INFINITY};
  for (size_t i = 0; i < quanta->chain_count; i++) {
    const box_t result = {(double)reduce_convert_result(quanta, i, sum.low),
                          (double)reduce_convert_result(quanta, i, sum.high)};
    out = box_unite(out, result);
  }
  return out;
}

status_t reduce_quantized_enclose(const enclosure_call_t *call, box_t *out_result) {
  const program_t *program = call->program;
  const contract_t exact = contract_spec();
  reduce_quanta_t quanta;
  STATUS_TRY(reduce_quanta_make(program, call->contract == NULL ? &exact : call->contract, &quanta,
                                call->error));
  reduce_slices_t slices = reduce_slices_make(program, call->arena);
  fold_body_t body = reduce_fold_body(program);
  stored_interval_t *leaves = ARENA_NEW_ARRAY(call->arena, stored_interval_t, slices.term_count);
  for (size_t output = 0; output < slices.output_count; output++) {
    if (call->contract == NULL) {
      box_t init = call->operands[1][0];
      out_result[output] =
          body == FOLD_MULTIPLY
              ? multiply_exactly(&quanta, &slices, output, call->operands[0], init)
              : reduce_exactly(&quanta, body, &slices, output, call->operands[0], init);
      continue;
    }
    reach_question_t question = {
        .quanta = &quanta, .contract = call->contract, .multiplies = body == FOLD_MULTIPLY};
    stored_interval_t sum;
    bool is_known = gather_leaves(&slices, output, call->operands[0], call->operands[1][0], leaves,
                                  &question) &&
                    accumulate(&question, body, &sum);
    out_result[output] =
        is_known ? convert_results(&quanta, sum) : quantum_box_anything(&quanta.result);
  }
  return STATUS_OK;
}
