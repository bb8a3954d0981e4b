/* SPDX-License-Identifier: Apache-2.0 */
/* Precomputes the element offsets of batch, row, column and term indices in both operands, so that
 * all other code indexes by role rather than by dimension; and by these makes some elements a
 * dot_general of their own. */
#include "oracles/ops/dot_general/dot_general.h"

#include <string.h>

#include "harness/model/op.h"

dot_general_layout_t dot_general_layout_make(const program_t *program, arena_t *arena) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  const type_t *lhs = &program->operands[DOT_GENERAL_LHS];
  const type_t *rhs = &program->operands[DOT_GENERAL_RHS];
  dimension_list_t rows = dot_general_lhs_result_dimensions(program);
  dimension_list_t columns = dot_general_rhs_result_dimensions(program);
  dot_general_layout_t layout = {0};
  size_t batch_count = dimension_list_extent(&attributes->lhs_batching, lhs);
  size_t row_count = dimension_list_extent(&rows, lhs);
  size_t column_count = dimension_list_extent(&columns, rhs);
  /* Without result elements nothing bounds the other extents. */
  if (batch_count == 0 || row_count == 0 || column_count == 0) return layout;
  layout.batch_count = batch_count;
  layout.row_count = row_count;
  layout.column_count = column_count;
  layout.term_count = dimension_list_extent(&attributes->lhs_contracting, lhs);
  layout.lhs_batch_offset = dimension_list_offsets(&attributes->lhs_batching, lhs, arena);
  layout.lhs_row_offset = dimension_list_offsets(&rows, lhs, arena);
  layout.lhs_term_offset = dimension_list_offsets(&attributes->lhs_contracting, lhs, arena);
  layout.rhs_batch_offset = dimension_list_offsets(&attributes->rhs_batching, rhs, arena);
  layout.rhs_column_offset = dimension_list_offsets(&columns, rhs, arena);
  layout.rhs_term_offset = dimension_list_offsets(&attributes->rhs_contracting, rhs, arena);
  return layout;
}

/* ---- Some elements ---------------------------------------------------------------------------
 * They are a batch of dot products.  The specification defines each element by its row and its
 * column alone, and the terms keep their order (theory.md, T206). */

static bool has_axis(const type_t *type) {
  return type->quantization != NULL && type->quantization->axis >= 0;
}

static type_t retyped(const type_t *type, uint32_t rank, int64_t count, int64_t terms) {
  type_t picked = *type;
  picked.rank = rank;
  picked.dynamic_dims = 0; /* Those of the case have other places. */
  picked.dims[0] = count;
  picked.dims[1] = terms;
  return picked;
}

/* Where the terms of the picked elements lie in one operand. */
typedef struct source {
  const tensor_t *operand;
  const size_t *bases; /* By element. */
  const size_t *terms; /* By term: from there on. */
  size_t term_count;
} source_t;

/* By blocks of terms, so that what elements share is read while it is in the cache: terms of a
 * column lie a row apart. */
static void gather(const source_t *source, size_t count, uint8_t *out) {
  enum { BLOCK = 64 };
  const size_t bytes = element_bytes(source->operand->type.element);
  for (size_t begin = 0; begin < source->term_count; begin += BLOCK) {
    const size_t end = MIN(begin + BLOCK, source->term_count);
    for (size_t i = 0; i < count; i++) {
      uint8_t *to = out + i * source->term_count * bytes;
      for (size_t k = begin; k < end; k++) {
        const size_t from = source->bases[i] + source->terms[k];
        memcpy(to + k * bytes, source->operand->data + from * bytes, bytes);
      }
    }
  }
}

bool dot_general_pick(const case_t *instance, const size_t *elements, size_t count, arena_t *arena,
                      case_t *out_case) {
  const program_t *program = &instance->program;
  for (uint32_t i = 0; i < 2; i++) {
    if (has_axis(&program->operands[i])) return false;
  }
  if (has_axis(&program->results[0])) return false;
  const dot_general_layout_t layout = dot_general_layout_make(program, arena);
  dot_general_attributes_t *attributes = arena_alloc(arena, sizeof *attributes);
  *attributes = *dot_general_attributes(program);
  const dimension_list_t first = {.count = 1, .dims = {0}}, second = {.count = 1, .dims = {1}};
  attributes->lhs_batching = attributes->rhs_batching = first;
  attributes->lhs_contracting = attributes->rhs_contracting = second;
  program_t picked = *program;
  picked.attributes = attributes;
  const int64_t terms = (int64_t)layout.term_count;
  picked.operands[0] = retyped(&program->operands[0], 2, (int64_t)count, terms);
  picked.operands[1] = retyped(&program->operands[1], 2, (int64_t)count, terms);
  picked.results[0] = retyped(&program->results[0], 1, (int64_t)count, 0);
  for (uint32_t i = 0; i < 2; i++) {
    if (type_check(&picked.operands[i], NULL) != STATUS_OK) return false;
  }
  if (program_broken(&picked) != NULL) return false;
  *out_case = case_make(arena, &picked);
  size_t *lhs_bases = ARENA_NEW_ARRAY(arena, size_t, count);
  size_t *rhs_bases = ARENA_NEW_ARRAY(arena, size_t, count);
  for (size_t i = 0; i < count; i++) {
    const size_t column = elements[i] % layout.column_count;
    const size_t row = elements[i] / layout.column_count % layout.row_count;
    const size_t batch = elements[i] / layout.column_count / layout.row_count;
    lhs_bases[i] = layout.lhs_batch_offset[batch] + layout.lhs_row_offset[row];
    rhs_bases[i] = layout.rhs_batch_offset[batch] + layout.rhs_column_offset[column];
  }
  const source_t lhs = {&instance->operands[DOT_GENERAL_LHS], lhs_bases, layout.lhs_term_offset,
                        layout.term_count};
  const source_t rhs = {&instance->operands[DOT_GENERAL_RHS], rhs_bases, layout.rhs_term_offset,
                        layout.term_count};
  gather(&lhs, count, out_case->operands[0].data);
  gather(&rhs, count, out_case->operands[1].data);
  return true;
}
