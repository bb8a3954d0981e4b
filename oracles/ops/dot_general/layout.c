/* SPDX-License-Identifier: Apache-2.0 */
/* Precomputes the element offsets of batch, row, column and term indices in both operands, so that
 * all other code indexes by role rather than by dimension. */
#include "oracles/ops/dot_general/dot_general.h"

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
