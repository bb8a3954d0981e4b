/* SPDX-License-Identifier: Apache-2.0 */
/* Asks of one element what the definition says of it: which row is the first whose times add up
 * beyond it, how many rows before have the same label, which index is the last to name it. */
#include "oracles/ops/data_dependent/definition.h"

/* The row whose entries of the list, with those before it, are the first to be more than `place`.
 */
static size_t repeated_row(const tensor_t *times, int64_t place) {
  size_t row = 0;
  while ((place -= dependent_integer(times, row)) >= 0) row++;
  return row;
}

static size_t dealt_row(const tensor_t *labels, uint32_t result, int64_t place) {
  size_t row = 0;
  while (dependent_integer(labels, row) != result || place-- > 0) row++;
  return row;
}

/* The last row of the last list that goes there, from the end. */
static source_t stitched(const case_t *instance, size_t row, size_t within, size_t size) {
  uint32_t lists = instance->program.operand_count / 2;
  for (uint32_t i = lists; i-- > 0;) {
    const tensor_t *indices = &instance->operands[i];
    for (size_t k = type_element_count(&indices->type); k-- > 0;) {
      if (dependent_integer(indices, k) != (int64_t)row) continue;
      return (source_t){.operand = lists + i, .number = (int64_t)(k * size + within)};
    }
  }
  return (source_t){.is_number = true}; /* Not of a case that was checked. */
}

static source_t other_than_zero(const tensor_t *data, size_t row, uint32_t dim) {
  size_t number = 0;
  for (size_t left = row + 1; left > 0; number++) left -= dependent_is_zero(data, number) ? 0 : 1;
  number--;
  for (uint32_t i = data->type.rank; i-- > dim + 1;) number /= (size_t)data->type.dims[i];
  return (source_t){.is_number = true, .number = (int64_t)(number % (size_t)data->type.dims[dim])};
}

static source_t selected(const case_t *instance, size_t element) {
  const tensor_t *condition = &instance->operands[0];
  size_t entry = element;
  if (condition->type.rank == 0) entry = 0;
  if (dependent_selects_rows(&instance->program)) {
    entry = element / dependent_row_size(&instance->program.results[0]);
  }
  bool is_first = dependent_integer(condition, entry) != 0;
  return (source_t){.operand = is_first ? 1 : 2, .number = (int64_t)element};
}

source_t dependent_define(const case_t *instance, uint32_t result, size_t element) {
  const program_t *program = &instance->program;
  size_t size = dependent_row_size(&program->results[result]);
  size_t row = size == 0 ? 0 : element / size, within = size == 0 ? 0 : element % size;
  switch (dependent_op_of(program)) {
    case DEPENDENT_REPEAT:
      row = repeated_row(&instance->operands[1], (int64_t)row);
      break;
    case DEPENDENT_PARTITION:
      row = dealt_row(&instance->operands[1], result, (int64_t)row);
      break;
    case DEPENDENT_STITCH:
      return stitched(instance, row, within, size);
    case DEPENDENT_NON_ZERO:
      return other_than_zero(&instance->operands[0], row, (uint32_t)within);
    case DEPENDENT_SELECT:
      return selected(instance, element);
  }
  return (source_t){.number = (int64_t)(row * size + within)};
}
