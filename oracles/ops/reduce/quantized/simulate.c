/* SPDX-License-Identifier: Apache-2.0 */
/* What one concrete implementation of a quantized reduce returns. */
#include <math.h>
#include <string.h>

#include "generated/exact_faults.h"
#include "generated/reduce_faults.h"
#include "oracles/exact/fold/parts.h"
#include "oracles/exact/quantum/fault_values.h"
#include "oracles/exact/quantum/quantize_faulty.h"
#include "oracles/ops/reduce/gather.h"
#include "oracles/ops/reduce/quantized/product_node.h"

/* The schedule `other_way` adds and multiplies storage integers; others compute by the formula. */
typedef struct quantized_fold {
  fold_t fold;       /* First: combine() gets its address. */
  quantum_t quantum; /* What is accumulated in. */
  quantum_chain_t chain;
} quantized_fold_t;

/* A float that is to be a storage value, rounded as the fault says. */
static double round_stored(fault_t fault, bool is_node, double value) {
  if (fault == FAULT_reduce_truncates) return trunc(value);
  if (fault == FAULT_reduce_half_away && !is_node) return round(value);
  return nearbyint(value);
}

/* The formula of quantum.h with the faults. */
static int64_t quantize(const quantum_t *quantum, const quantized_fold_t *fold, bool is_node,
                        double value) {
  const format_t *format = fold->chain.quantize;
  const fault_t fault = fold->fold.schedule->fault;
  bool is_spoiled = fault == FAULT_reduce_truncates || fault == FAULT_reduce_half_away;
  if (!is_spoiled || !quantum_is_decided(quantum, format, value)) {
    int64_t stored = quantum_chain_quantize(&fold->chain, quantum, value);
    if (fault != FAULT_zero_point_twice) return stored;
    return CLAMP(stored + quantum->zero_point, quantum->storage_min, quantum->storage_max);
  }
  const arithmetic_t steps = arithmetic_make(format);
  double zero_point = arithmetic_round(&steps, (double)quantum->zero_point);
  double sum = arithmetic_add(&steps, arithmetic_divide(&steps, value, quantum->scale), zero_point);
  double rounded = round_stored(fault, is_node, sum);
  double clamped = CLAMP(rounded, (double)quantum->storage_min, (double)quantum->storage_max);
  return (int64_t)clamped;
}

static int64_t convert(const quantized_fold_t *fold, const quantum_t *from, const quantum_t *to,
                       int64_t stored) {
  double value = quantum_chain_convert(&fold->chain, from, stored);
  return quantize(to, fold, false, value);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static int64_t add_stored(const quantized_fold_t *fold, fault_t fault, int64_t a, int64_t b) {
  const quantum_t *quantum = &fold->quantum;
  int64_t sum = a + b - (fault == FAULT_reduce_keeps_zero_points ? 0 : quantum->zero_point);
  if (fault == FAULT_reduce_wraps) {
    const element_t *storage = fold->fold.element;
    return (int64_t)fold_extend(storage, storage->bits, (uint64_t)sum);
  }
  return CLAMP(sum, quantum->storage_min, quantum->storage_max);
}

static bool adds_stored(const implementation_model_t *schedule) {
  switch (schedule->fault) {
    case FAULT_reduce_wraps:
    case FAULT_reduce_keeps_zero_points:
    case FAULT_reduce_forgets_scale:
      return true;
    default:
      return schedule->other_way;
  }
}

static int64_t combine_by_formula(const quantized_fold_t *fold, int64_t a, int64_t b) {
  const quantum_chain_t *chain = &fold->chain;
  double left = quantum_chain_dequantize(chain, &fold->quantum, a);
  double right = quantum_chain_dequantize(chain, &fold->quantum, b);
  double value;
  if (fold->fold.body == FOLD_ADD) {
    value = quantum_chain_result(chain, left + right);
  } else if (fold->fold.body == FOLD_MULTIPLY) {
    value = quantum_chain_result(chain, left * right);
  } else {
    value = fold->fold.body == FOLD_MAXIMUM ? arithmetic_maximum(left, right)
                                            : arithmetic_minimum(left, right);
  }
  return quantize(&fold->quantum, fold, true, value);
}

/* Storage integers less the zero point, whose product is rescaled and rounded once. */
static int64_t multiply_stored(const quantized_fold_t *fold, fault_t fault, int64_t a, int64_t b) {
  quantum_t quantum = fold->quantum;
  if (fault == FAULT_reduce_wraps) return combine_by_formula(fold, a, b);
  if (fault == FAULT_reduce_forgets_scale) quantum.scale = 1;
  if (fault == FAULT_reduce_keeps_zero_points) quantum.zero_point = 0;
  return product_node_rescaled(&quantum, a, b);
}

static fold_value_t combine(const fold_t *base, fold_value_t left, fold_value_t right) {
  const quantized_fold_t *fold = (const quantized_fold_t *)(const void *)base;
  int64_t a = (int64_t)left.integer, b = (int64_t)right.integer;
  if (!adds_stored(base->schedule)) {
    return fold_integer((uint64_t)combine_by_formula(fold, a, b));
  }
  if (base->body == FOLD_ADD) {
    return fold_integer((uint64_t)add_stored(fold, base->schedule->fault, a, b));
  }
  if (base->body == FOLD_MULTIPLY) {
    return fold_integer((uint64_t)multiply_stored(fold, base->schedule->fault, a, b));
  }
  bool takes_left = base->body == FOLD_MAXIMUM ? a > b : a < b;
  return takes_left ? left : right;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Short expressed types are computed with in their own type, or in a wider accumulator; there one
 * step after the other, each of which gives a number of the expressed type, or all steps fused. */
static quantum_chain_t chain_of(const reduce_quanta_t *quanta,
                                const implementation_model_t *schedule) {
  const format_t *expressed = quanta->expressed;
  const format_t *wider = &format_table[FORMAT_f32];
  bool is_wide = expressed->bits <= 16 && schedule->accumulator != NULL &&
                 arithmetic_format_holds(schedule->accumulator, wider);
  const format_t *step = is_wide ? wider : expressed;
  const format_t *given = schedule->fused ? step : expressed;
  return (quantum_chain_t){.dequantize = step,
                           .operate = step,
                           .quantize = step,
                           .given = {given, given},
                           .way = quantize_faulty_way(schedule)};
}

/* The type to accumulate in, and its storage. */
static quantum_t accumulation_of(const reduce_quanta_t *quanta, fault_t fault,
                                 const element_t **out_storage) {
  quantum_t quantum = quanta->accumulation;
  *out_storage = quanta->accumulation_storage;
  if (fault == FAULT_reduce_in_input_type) {
    *out_storage = quanta->input_storage;
    return quanta->input;
  }
  if (fault == FAULT_reduce_widens_late) {
    quantum.storage_min = MAX(quantum.storage_min, quanta->input.storage_min);
    quantum.storage_max = MIN(quantum.storage_max, quanta->input.storage_max);
  }
  return quantum;
}

static bool equals(const quantum_t *a, const quantum_t *b) {
  return a->scale == b->scale && a->zero_point == b->zero_point &&
         a->storage_min == b->storage_min && a->storage_max == b->storage_max;
}

static int64_t load_stored(const tensor_t *tensor, size_t index, fault_t fault) {
  const element_t *storage = tensor->type.element;
  uint64_t bits = element_load(storage, tensor->data, index);
  bool is_misread = fault == FAULT_unsigned_as_signed && storage->kind == ELEMENT_UNSIGNED;
  unsigned unused = 64u - storage->bits;
  return is_misread ? (int64_t)(bits << unused) >> unused : element_signed_value(storage, bits);
}

/* An input or initial value in the type that is accumulated in. */
static int64_t load(const quantized_fold_t *fold, const quantum_t *from, const tensor_t *tensor,
                    size_t index) {
  fault_t fault = fold->fold.schedule->fault;
  int64_t stored = load_stored(tensor, index, fault);
  if (equals(from, &fold->quantum)) return stored;
  return convert(fold, from, &fold->quantum, stored);
}

/* What was accumulated, in the type of the result. */
static int64_t convert_result(const reduce_quanta_t *quanta, const quantized_fold_t *fold,
                              int64_t stored) {
  fault_t fault = fold->fold.schedule->fault;
  const quantum_t *present = &fold->quantum;
  if (fault == FAULT_reduce_in_input_type && !equals(present, &quanta->accumulation)) {
    stored = convert(fold, present, &quanta->accumulation, stored);
  }
  if (!quanta->converts_results) return stored;
  if (fault == FAULT_reduce_result_unconverted) {
    return CLAMP(stored, quanta->result.storage_min, quanta->result.storage_max);
  }
  return convert(fold, &quanta->accumulation, &quanta->result, stored);
}

/* Faults that write nothing, or the element before, do so in the result itself. */
static void store(const quantized_fold_t *fold, int64_t stored, size_t output, tensor_t *result) {
  if (fault_skips_store(fold->fold.schedule->fault, output, result)) return;
  const element_t *storage = result->type.element;
  element_store(storage, result->data, output, (uint64_t)stored & element_mask(storage));
}

status_t reduce_quantized_simulate(const oracle_call_t *call,
                                   const implementation_model_t *schedule, tensor_t *inout_result) {
  const case_t *instance = call->instance;
  const program_t *program = &instance->program;
  const contract_t contract = contract_spec();
  reduce_quanta_t quanta;
  STATUS_TRY(reduce_quanta_make(program, &contract, &quanta, call->error));
  const element_t *storage;
  quantized_fold_t fold = {.quantum = accumulation_of(&quanta, schedule->fault, &storage),
                           .chain = chain_of(&quanta, schedule)};
  STATUS_TRY(
      fold_make(reduce_fold_body(program), storage, NULL, schedule, &fold.fold, call->error));
  fold.fold.combine = combine;
  if (reduce_has_no_init(program)) fold.fold.init_count = 0;
  reduce_slices_t slices = reduce_slices_make(program, call->arena);
  bool is_init_raw = schedule->fault == FAULT_reduce_init_unconverted;
  int64_t init =
      load(&fold, is_init_raw ? &fold.quantum : &quanta.input, &instance->operands[1], 0);
  fold_value_t *terms = fold_make_terms(&fold.fold, slices.term_count, call->arena);
  for (size_t output = 0; output < slices.output_count; output++) {
    for (size_t term = 0; term < slices.term_count; term++) {
      size_t index = slices.output_base[output] + slices.term_offset[term];
      int64_t stored = load(&fold, &quanta.input, &instance->operands[0], index);
      terms[term] = fold_integer((uint64_t)stored);
    }
    fold_value_t sum =
        fold_run(&fold.fold, fold_integer((uint64_t)init), terms, slices.term_count, output);
    store(&fold, convert_result(&quanta, &fold, (int64_t)sum.integer), output, inout_result);
  }
  return STATUS_OK;
}
