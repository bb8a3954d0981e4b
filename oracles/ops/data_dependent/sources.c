/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over the operands once, in the order in which an implementation would, and notes what goes
 * where; with the planted faults. */
#include "oracles/ops/data_dependent/sources.h"

#include "generated/data_dependent_faults.h"

typedef struct walk {
  const case_t *instance;
  fault_t fault;
  source_t **sources; /* By result. */
} walk_t;

static size_t rows_of(const type_t *type) { return (size_t)type->dims[0]; }

/* Row `to` of a result is row `from` of an operand. */
static void take_row(const walk_t *walk, uint32_t operand, size_t from, uint32_t result,
                     size_t to) {
  size_t size = dependent_row_size(&walk->instance->program.operands[operand]);
  for (size_t i = 0; i < size; i++) {
    walk->sources[result][to * size + i] =
        (source_t){.operand = operand, .number = (int64_t)(from * size + i)};
  }
}

static void walk_repeat(const walk_t *walk) {
  const tensor_t *times = &walk->instance->operands[1];
  size_t rows = rows_of(&times->type), to = 0;
  size_t wanted = rows_of(&walk->instance->program.results[0]);
  for (size_t row = 0; row < rows; row++) {
    size_t entry = walk->fault == FAULT_repeat_neighbours_times ? (row + 1) % rows : row;
    for (int64_t left = dependent_integer(times, entry); left > 0; left--, to++) {
      size_t from = walk->fault == FAULT_repeat_tiles ? to % rows : row;
      if (to < wanted) take_row(walk, 0, from, 0, to);
    }
  }
}

/* The index along each dimension of the element with that row-major number; or the number alone, in
 * the last column. */
static void list_index(const walk_t *walk, size_t number, size_t to) {
  const type_t *data = &walk->instance->program.operands[0];
  source_t *row = &walk->sources[0][to * data->rank];
  size_t left = number;
  for (uint32_t dim = data->rank; dim-- > 0;) {
    size_t size = (size_t)data->dims[dim];
    size_t index = walk->fault == FAULT_non_zero_flat ? left : left % size;
    row[dim] = (source_t){.is_number = true, .number = (int64_t)index};
    left = walk->fault == FAULT_non_zero_flat ? 0 : left / size;
  }
}

/* The row-major number of the element that comes next if the first dimension runs fastest. */
static size_t by_columns(const type_t *type, size_t position) {
  size_t number = 0, stride = 1, index[TYPE_RANK_MAX];
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    index[dim] = position % (size_t)type->dims[dim];
    position /= (size_t)type->dims[dim];
  }
  for (uint32_t dim = type->rank; dim-- > 0;) {
    number += index[dim] * stride;
    stride *= (size_t)type->dims[dim];
  }
  return number;
}

static void walk_non_zero(const walk_t *walk) {
  const tensor_t *data = &walk->instance->operands[0];
  size_t count = type_element_count(&data->type), to = 0;
  for (size_t i = 0; i < count; i++) {
    size_t number = walk->fault == FAULT_non_zero_by_columns ? by_columns(&data->type, i) : i;
    if (!dependent_is_zero(data, number)) list_index(walk, number, to++);
  }
}

static void walk_partition(const walk_t *walk) {
  const tensor_t *labels = &walk->instance->operands[1];
  size_t rows = rows_of(&labels->type), to[CASE_RESULTS_MAX] = {0};
  for (size_t i = 0; i < rows; i++) {
    size_t row = walk->fault == FAULT_partition_reversed ? rows - 1 - i : i;
    uint32_t label = (uint32_t)dependent_integer(labels, row);
    take_row(walk, 0, row, label, to[label]++);
  }
}

static void walk_stitch(const walk_t *walk) {
  const program_t *program = &walk->instance->program;
  uint32_t lists = program->operand_count / 2;
  size_t rows = rows_of(&program->results[0]);
  bool *is_taken = g_new0(bool, rows + 1);
  for (uint32_t i = 0; i < lists; i++) {
    const tensor_t *own = &walk->instance->operands[i], *first = &walk->instance->operands[0];
    for (size_t k = 0; k < rows_of(&own->type); k++) {
      bool reads_first = walk->fault == FAULT_stitch_one_list && k < rows_of(&first->type);
      size_t to = (size_t)dependent_integer(reads_first ? first : own, k);
      if (walk->fault == FAULT_stitch_first_stays && is_taken[to]) continue;
      is_taken[to] = true;
      take_row(walk, lists + i, k, 0, to);
    }
  }
  g_free(is_taken);
}

static void walk_select(const walk_t *walk) {
  const program_t *program = &walk->instance->program;
  const tensor_t *condition = &walk->instance->operands[0];
  const type_t *result = &program->results[0];
  bool by_row = dependent_selects_rows(program);
  size_t row = by_row ? dependent_row_size(result) : 1;
  size_t count = type_element_count(result), conditions = type_element_count(&condition->type);
  for (size_t i = 0; i < count; i++) {
    size_t entry = condition->type.rank == 0 ? 0 : i / row;
    if (by_row && walk->fault == FAULT_select_by_columns) entry = i % conditions;
    bool is_first = dependent_integer(condition, entry) != 0;
    if (by_row && walk->fault == FAULT_select_swapped) is_first = !is_first;
    walk->sources[0][i] = (source_t){.operand = is_first ? 1 : 2, .number = (int64_t)i};
  }
}

void dependent_sources(const case_t *instance, bool fits, fault_t fault, arena_t *arena,
                       source_t *out_sources[CASE_RESULTS_MAX]) {
  static void (*const walks[])(const walk_t *) = {[DEPENDENT_REPEAT] = walk_repeat,
                                                  [DEPENDENT_NON_ZERO] = walk_non_zero,
                                                  [DEPENDENT_PARTITION] = walk_partition,
                                                  [DEPENDENT_STITCH] = walk_stitch,
                                                  [DEPENDENT_SELECT] = walk_select};
  const program_t *program = &instance->program;
  for (uint32_t i = 0; i < program->result_count; i++) {
    size_t count = type_element_count(&program->results[i]);
    out_sources[i] = ARENA_NEW_ARRAY(arena, source_t, count);
    for (size_t k = 0; k < count; k++) out_sources[i][k] = (source_t){.is_number = true};
  }
  const walk_t walk = {instance, fault, out_sources};
  if (fits) walks[dependent_op_of(program)](&walk);
}

uint64_t source_load(const case_t *instance, source_t source, const element_t *element,
                     size_t part) {
  if (source.is_number) return (uint64_t)source.number & element_mask(element);
  size_t component = (size_t)source.number * element->components + part;
  return element_load(element, instance->operands[source.operand].data, component);
}
