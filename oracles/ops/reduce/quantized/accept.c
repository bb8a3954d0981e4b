/* SPDX-License-Identifier: Apache-2.0 */
/* Fast accept sets of quantized reductions: storage integers are combined row by row or in blocks,
 * the result of one permitted order. */
#include <string.h>

#include "oracles/ops/reduce/gather.h"
#include "oracles/ops/reduce/quantized/product_node.h"

/* What the terms are in the accumulation type; where they are few storage values, by a table. */
typedef struct converter {
  const reduce_quanta_t *quanta;
  const tensor_t *input;
  int64_t *values; /* By pattern of the storage type; NULL: converted one by one. */
  uint8_t *open;
} converter_t;

static void convert_stored(const converter_t *converter, uint64_t bits, int64_t *out_value,
                           uint8_t *out_open) {
  int64_t stored = element_signed_value(converter->quanta->input_storage, bits);
  *out_open = !reduce_convert_input(converter->quanta, 0, stored, out_value);
}

static converter_t converter_make(const reduce_quanta_t *quanta, const tensor_t *input,
                                  arena_t *arena) {
  converter_t converter = {.quanta = quanta, .input = input};
  size_t patterns = (size_t)1 << MIN(quanta->input_storage->bits, 16);
  bool is_short = quanta->input_storage->bits <= 16;
  if (!is_short || patterns > MAX(type_element_count(&input->type), 256)) return converter;
  converter.values = ARENA_NEW_ARRAY(arena, int64_t, patterns);
  converter.open = arena_alloc(arena, patterns);
  for (size_t i = 0; i < patterns; i++) {
    convert_stored(&converter, i, &converter.values[i], &converter.open[i]);
  }
  return converter;
}

/* Term `term` of all outputs; marks outputs for which it is open. */
static void gather_row(const converter_t *converter, const reduce_slices_t *slices, size_t term,
                       int64_t *row, uint8_t *decide) {
  const element_t *storage = converter->quanta->input_storage;
  const uint8_t *data = converter->input->data;
  size_t offset = slices->term_offset[term];
  if (converter->values == NULL) {
    for (size_t i = 0; i < slices->output_count; i++) {
      uint8_t open;
      uint64_t bits = element_load(storage, data, slices->output_base[i] + offset);
      convert_stored(converter, bits, &row[i], &open);
      decide[i] |= open;
    }
    return;
  }
  for (size_t i = 0; i < slices->output_count; i++) {
    uint64_t bits = element_load(storage, data, slices->output_base[i] + offset);
    row[i] = converter->values[bits];
    decide[i] |= converter->open[bits];
  }
}

static void combine_rows(fold_body_t body, const reduce_quanta_t *quanta, size_t count,
                         const int64_t *restrict row, int64_t *restrict sums) {
  const quantum_t *quantum = &quanta->accumulation;
  int64_t zero_point = quantum->zero_point;
  int64_t least = quantum->storage_min, most = quantum->storage_max;
  if (body == FOLD_ADD) {
    for (size_t i = 0; i < count; i++) {
      int64_t sum = sums[i] + row[i] - zero_point;
      sum = sum < least ? least : sum;
      sums[i] = sum > most ? most : sum;
    }
  } else if (body == FOLD_MULTIPLY) {
    const quantum_chain_t *chain = &quanta->chains[0];
    for (size_t i = 0; i < count; i++) {
      sums[i] = product_node_by_formula(quanta, chain, sums[i], row[i]);
    }
  } else if (body == FOLD_MAXIMUM) {
    for (size_t i = 0; i < count; i++) sums[i] = row[i] > sums[i] ? row[i] : sums[i];
  } else {
    for (size_t i = 0; i < count; i++) sums[i] = row[i] < sums[i] ? row[i] : sums[i];
  }
}

enum { OUTPUTS_AT_ONCE = 8 }; /* As independent chains of operations. */

/* Terms of one byte by a table without open values: block of outputs by block, everything in
 * registers.  `add` and `largest` are constants at every call. */
static inline __attribute__((always_inline)) void combine_block(const converter_t *converter,
                                                                const reduce_slices_t *slices,
                                                                size_t first, bool add,
                                                                bool largest, int64_t *sums) {
  const quantum_t *quantum = &converter->quanta->accumulation;
  const int64_t zero_point = quantum->zero_point;
  const int64_t least = quantum->storage_min, most = quantum->storage_max;
  const int64_t *values = converter->values;
  const uint8_t *data[OUTPUTS_AT_ONCE];
  int64_t present[OUTPUTS_AT_ONCE];
  for (int i = 0; i < OUTPUTS_AT_ONCE; i++) {
    data[i] = converter->input->data + slices->output_base[first + (size_t)i];
    present[i] = sums[first + (size_t)i];
  }
  for (size_t term = 0; term < slices->term_count; term++) {
    size_t offset = slices->term_offset[term];
    for (int i = 0; i < OUTPUTS_AT_ONCE; i++) {
      int64_t value = values[data[i][offset]];
      if (add) {
        int64_t sum = present[i] + value - zero_point;
        sum = sum < least ? least : sum;
        present[i] = sum > most ? most : sum;
      } else {
        bool takes = largest ? value > present[i] : value < present[i];
        present[i] = takes ? value : present[i];
      }
    }
  }
  for (int i = 0; i < OUTPUTS_AT_ONCE; i++) sums[first + (size_t)i] = present[i];
}

/* As many blocks as there are whole ones, if the terms are such; returns how many outputs that are.
 */
static size_t combine_blocks(const converter_t *converter, const reduce_slices_t *slices,
                             fold_body_t body, int64_t *sums) {
  const element_t *storage = converter->quanta->input_storage;
  if (converter->values == NULL || storage->component_bytes != 1) return 0;
  if (body == FOLD_MULTIPLY) return 0;
  if (memchr(converter->open, 1, (size_t)1 << storage->bits) != NULL) return 0;
  size_t whole = slices->output_count / OUTPUTS_AT_ONCE * OUTPUTS_AT_ONCE;
  for (size_t first = 0; first < whole; first += OUTPUTS_AT_ONCE) {
    if (body == FOLD_ADD) {
      combine_block(converter, slices, first, true, false, sums);
    } else if (body == FOLD_MAXIMUM) {
      combine_block(converter, slices, first, false, true, sums);
    } else {
      combine_block(converter, slices, first, false, false, sums);
    }
  }
  return whole;
}

/* What each sum starts with: the initial value or, where there is none, the first term, which is
 * taken out of the slices. */
static void start(const converter_t *converter, const case_t *instance, reduce_slices_t *slices,
                  int64_t *sums, uint8_t *decide) {
  size_t count = slices->output_count;
  if (reduce_has_no_init(&instance->program)) {
    if (count == 0) return;
    gather_row(converter, slices, 0, sums, decide);
    slices->term_offset++;
    slices->term_count--;
    return;
  }
  int64_t init;
  int64_t stored = quantum_load(&instance->operands[1], 0);
  bool is_open = !reduce_convert_input(converter->quanta, 0, stored, &init);
  for (size_t i = 0; i < count; i++) sums[i] = init;
  if (is_open) memset(decide, 1, count);
}

/* What the sequential schedule gives on storage integers (products: by the formula), the initial
 * value in front: it conforms under every contract. */
status_t reduce_quantized_accept(const oracle_call_t *call, accept_t *out_accept) {
  const case_t *instance = call->instance;
  const program_t *program = &instance->program;
  reduce_quanta_t quanta;
  STATUS_TRY(reduce_quanta_make(program, call->contract, &quanta, call->error));
  reduce_slices_t slices = reduce_slices_make(program, call->arena);
  size_t count = slices.output_count;
  uint64_t *bits = ARENA_NEW_ARRAY(call->arena, uint64_t, count);
  uint8_t *decide = arena_alloc_zeroed(call->arena, count);
  arena_mark_t mark = arena_mark(call->arena);
  int64_t *sums = ARENA_NEW_ARRAY(call->arena, int64_t, count);
  int64_t *row = ARENA_NEW_ARRAY(call->arena, int64_t, count);
  converter_t converter = converter_make(&quanta, &instance->operands[0], call->arena);
  fold_body_t body = reduce_fold_body(program);
  start(&converter, instance, &slices, sums, decide);
  size_t done = combine_blocks(&converter, &slices, body, sums);
  reduce_slices_t rest = slices;
  rest.output_count -= done;
  rest.output_base = done == 0 ? slices.output_base : slices.output_base + done;
  for (size_t term = 0; term < rest.term_count && rest.output_count > 0; term++) {
    gather_row(&converter, &rest, term, row, decide + done);
    combine_rows(body, &quanta, rest.output_count, row, sums + done);
  }
  uint64_t mask = element_mask(quanta.result_storage);
  for (size_t i = 0; i < count; i++) {
    bits[i] = (uint64_t)reduce_convert_result(&quanta, 0, sums[i]) & mask;
  }
  arena_rewind(call->arena, mark);
  *out_accept = (accept_t){.count = count, .bits = bits, .decide = decide};
  return STATUS_OK;
}
