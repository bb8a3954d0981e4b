/* SPDX-License-Identifier: Apache-2.0 */
/* Precomputes the element offset of each slice and of each term within a slice, so that the oracle
 * indexes by output and term. */
#include "oracles/ops/reduce/reduce.h"

reduce_slices_t reduce_slices_make(const program_t *program, arena_t *arena) {
  const type_t *input = &program->operands[0];
  dimension_list_t kept = reduce_kept_dimensions(program);
  dimension_list_t reduced = reduce_reduced_dimensions(program);
  reduce_slices_t slices = {.output_count = dimension_list_extent(&kept, input)};
  /* Without outputs the extent of the terms is unbounded: no input element bounds it. */
  if (slices.output_count == 0) return slices;
  slices.term_count = dimension_list_extent(&reduced, input);
  slices.output_base = dimension_list_offsets(&kept, input, arena);
  slices.term_offset = dimension_list_offsets(&reduced, input, arena);
  return slices;
}
