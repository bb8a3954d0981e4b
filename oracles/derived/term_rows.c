/* SPDX-License-Identifier: Apache-2.0 */
/* Groups rows of terms by length with a counting sort and builds one derived reduce per length,
 * since a reduce needs rows of equal length. */
#include "oracles/derived/term_rows.h"

#include "harness/draw/special_values.h"

/* Sums by a body that is written out too, which are asked about by that name (theory.md, T136). */
static bool adds(const reduction_t *reduction) {
  if (reduction->body != REDUCE_WRITTEN) return reduction->body == REDUCE_add;
  return body_independent_op(&reduction->written, 0) == BODY_add;
}

status_t term_rows_no_init(const reduction_t *reduction, const scalar_type_t *type, arena_t *arena,
                           tensor_t *out_init, bool *out_has_none, failure_t *error) {
  const element_t *element = type->element;
  if (element->kind == ELEMENT_COMPLEX && reduction->body == REDUCE_multiply) {
    return status_fail(error, STATUS_UNSUPPORTED,
                       "no oracle for complex products without an initial value");
  }
  *out_has_none = type->expressed != NULL || reduction->body == REDUCE_WRITTEN;
  type_t scalar = scalar_type_tensor(type, 0, NULL, arena);
  *out_init = tensor_make(arena, &scalar);
  uint64_t bits = reduction_neutral_bits(reduction, type, 0);
  bool is_float_sum = element->format != NULL && adds(reduction);
  if (is_float_sum) bits = special_value_zero(element, true);
  for (uint32_t i = 0; i < element->components; i++) {
    element_store(element, out_init->data, i, bits);
  }
  return STATUS_OK;
}

static size_t row_begin(const term_rows_t *rows, size_t row) {
  return row == 0 ? 0 : rows->ends[row - 1];
}

static size_t row_length(const term_rows_t *rows, size_t row) {
  return rows->ends[row] - row_begin(rows, row);
}

static bool is_open(const term_rows_t *rows, size_t row) {
  return rows->open != NULL && rows->open[row] != 0;
}

static void store_term(int64_t term, const tensor_t *input, const tensor_t *init, size_t place,
                       tensor_t *operand) {
  size_t bytes = element_bytes(input->type.element);
  uint8_t *target = operand->data + place * bytes;
  if (term == TERM_ZERO) {
    memset(target, 0, bytes);
    return;
  }
  const uint8_t *source = term == TERM_INIT ? init->data : input->data + (size_t)term * bytes;
  memcpy(target, source, bytes);
}

/* A case of stablehlo.reduce over `rows` rows of `terms` terms each: input i has the shape [rows,
 * terms] and is operand i, its initial value is operand count + i, its result [rows].  The
 * operands' data are not filled in. */
static case_t make_case(const term_source_t *source, size_t rows, size_t terms, arena_t *arena) {
  const reduction_types_t *types = source->types;
  const int64_t dims[] = {(int64_t)rows, (int64_t)terms};
  reduce_attributes_t *attributes = ARENA_NEW_ARRAY(arena, reduce_attributes_t, 1);
  *attributes = (reduce_attributes_t){.reduction = *source->reduction,
                                      .dimensions = {.count = 1, .dims = {1}},
                                      .has_no_init = source->has_no_init};
  program_t program = {
      .op = op_find(str_from("stablehlo.reduce")),
      .attributes = attributes,
      .operand_count = 2 * types->count,
      .result_count = types->count,
  };
  for (uint32_t i = 0; i < types->count; i++) {
    program.operands[i] = scalar_type_tensor(&types->inputs[i], 2, dims, arena);
    program.operands[types->count + i] = scalar_type_tensor(&types->inputs[i], 0, NULL, arena);
    program.results[i] = scalar_type_tensor(&types->results[i], 1, dims, arena);
  }
  return case_make(arena, &program);
}

/* The part of the `count` rows that are listed, which are `length` terms long. */
static derived_part_t make_part(const term_rows_t *rows, const size_t *listed, size_t count,
                                size_t length, const term_source_t *source, arena_t *arena) {
  const reduction_types_t *types = source->types;
  case_t instance = make_case(source, count, length, arena);
  for (uint32_t input = 0; input < types->count; input++) {
    tensor_t *operand = &instance.operands[input];
    tensor_t *init = &instance.operands[types->count + input];
    memcpy(init->data, source->inits[input].data, type_bytes(&init->type));
    for (size_t row = 0; row < count; row++) {
      const int64_t *terms = rows->terms + row_begin(rows, listed[row]);
      for (size_t i = 0; i < length; i++) {
        store_term(terms[i], &source->inputs[input], init, row * length + i, operand);
      }
    }
  }
  return (derived_part_t){.instance = instance, .element_count = count, .elements = listed};
}

derived_parts_t term_rows_gather(const term_rows_t *rows, const term_source_t *source,
                                 arena_t *arena) {
  size_t longest = 0;
  for (size_t row = 0; row < rows->row_count; row++) {
    longest = MAX(longest, row_length(rows, row));
  }
  /* The rows of each length, one length after the other. */
  size_t *ends = arena_alloc_zeroed(arena, (longest + 1) * sizeof *ends);
  for (size_t row = 0; row < rows->row_count; row++) {
    if (!is_open(rows, row)) ends[row_length(rows, row)]++;
  }
  size_t part_count = 0;
  for (size_t length = 0; length <= longest; length++) {
    part_count += ends[length] > 0;
    if (length > 0) ends[length] += ends[length - 1];
  }
  size_t *listed = ARENA_NEW_ARRAY(arena, size_t, rows->row_count);
  size_t *places = ARENA_NEW_ARRAY(arena, size_t, longest + 1);
  for (size_t length = 0; length <= longest; length++) {
    places[length] = length == 0 ? 0 : ends[length - 1];
  }
  for (size_t row = 0; row < rows->row_count; row++) {
    if (!is_open(rows, row)) listed[places[row_length(rows, row)]++] = row;
  }
  derived_part_t *parts = ARENA_NEW_ARRAY(arena, derived_part_t, part_count);
  derived_parts_t derived = {.count = 0, .parts = parts};
  for (size_t length = 0; length <= longest; length++) {
    size_t first = length == 0 ? 0 : ends[length - 1];
    if (ends[length] == first) continue;
    parts[derived.count++] =
        make_part(rows, listed + first, ends[length] - first, length, source, arena);
  }
  return derived;
}
