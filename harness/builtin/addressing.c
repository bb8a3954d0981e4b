/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of addresses: one row each, and the maps from an element to the one taken for it. */
#include "harness/builtin/addressing.h"

#include <string.h>

#include "harness/model/fault.h"

/* An element of a tensor, and how the fault's map takes it. */
typedef struct place {
  const type_t *type;
  size_t count;     /* Of all elements, */
  size_t columns;   /* of the last dimension, */
  size_t rows;      /* and of the one before it. */
  size_t element;   /* Its row-major number. */
  size_t more_than; /* Of the row of the fault. */
  size_t block;
} place_t;

/* The element that is taken for a place, or NONE. */
#define NONE SIZE_MAX
typedef size_t map_t(const place_t *place);

static size_t tail_missing(const place_t *at) {
  size_t whole = at->count / at->block * at->block;
  return at->count > at->more_than && at->element >= whole ? NONE : at->element;
}

static size_t tail_repeated(const place_t *at) {
  return tail_missing(at) == NONE ? at->element - at->block : at->element;
}

static size_t columns_missing(const place_t *at) {
  size_t whole = at->columns / at->block * at->block;
  bool is_tail = at->columns > at->more_than && at->element % at->columns >= whole;
  return is_tail ? NONE : at->element;
}

static size_t rows_repeated(const place_t *at) {
  size_t row = at->element / at->columns % at->rows, whole = at->rows / at->block * at->block;
  bool is_tail = at->rows > at->more_than && row >= whole;
  return is_tail ? at->element - at->block * at->columns : at->element;
}

static size_t stride_padded(const place_t *at) {
  size_t stride = (at->columns + at->block - 1) / at->block * at->block;
  if (at->columns <= at->more_than) return at->element;
  return (at->element / at->columns * stride + at->element % at->columns) % at->count;
}

static size_t outer_ignored(const place_t *at) {
  bool has_outer = at->type->rank > 2 && (size_t)at->type->dims[0] > at->more_than;
  return has_outer ? at->element % (at->count / (size_t)at->type->dims[0]) : at->element;
}

static size_t outer_swapped(const place_t *at) {
  if (at->type->rank <= at->more_than) return at->element;
  size_t first = (size_t)at->type->dims[0], second = (size_t)at->type->dims[1];
  size_t inner = at->count / first / second, outer = at->element / inner;
  return (outer % second * first + outer / second) * inner + at->element % inner;
}

static size_t wrapped(const place_t *at) {
  return at->count > at->more_than ? at->element % at->block : at->element;
}

static size_t lanes_crossed(const place_t *at) {
  size_t in_block = at->element % at->block, quarter = at->block / 4;
  bool is_whole = at->count > at->more_than && at->element / at->block < at->count / at->block;
  if (!is_whole || in_block / quarter == 0 || in_block / quarter == 3) return at->element;
  return in_block < 2 * quarter ? at->element + quarter : at->element - quarter;
}

static size_t transposed(const place_t *at) {
  if (at->type->rank < 2 || at->rows != at->columns) return at->element;
  size_t row = at->element / at->columns % at->rows, column = at->element % at->columns;
  return at->element - row * at->columns - column + column * at->columns + row;
}

static size_t beyond_missing(const place_t *at) {
  return at->element >= at->block ? NONE : at->element;
}

/* Not a map: see addressing_spoil_operands(). */
static size_t first_operand_instead(const place_t *at) { return at->element; }

typedef enum addressed { first_operand, last_operand, result } addressed_t;

typedef struct row {
  fault_t fault;
  addressed_t tensor;
  map_t *map;
  size_t more_than;
  size_t block;
} row_t;

static const row_t rows[] = {
#define ADDRESSING(name, tensor, map, more_than, block, summary) \
  {FAULT_##name, tensor, map, more_than, block},
#include "harness/model/faults/addressing.def"
#undef ADDRESSING
};

static const row_t *find_row(fault_t fault) {
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (rows[i].fault == fault) return &rows[i];
  }
  return NULL;
}

static place_t place_make(const row_t *row, const type_t *type) {
  size_t columns = type->rank > 0 ? (size_t)type->dims[type->rank - 1] : 1;
  return (place_t){.type = type,
                   .count = type_element_count(type),
                   .columns = columns,
                   .rows = type->rank > 1 ? (size_t)type->dims[type->rank - 2] : 1,
                   .more_than = row->more_than,
                   .block = row->block};
}

/* Element `to` becomes element `from` of another tensor of the type. */
static void copy_element(const tensor_t *source, size_t from, tensor_t *target, size_t to) {
  const element_t *element = source->type.element;
  for (size_t part = 0; part < element->components; part++) {
    uint64_t bits = element_load(element, source->data, from * element->components + part);
    element_store(element, target->data, to * element->components + part, bits);
  }
}

void addressing_spoil_operands(fault_t fault, case_t *inout_case, arena_t *arena) {
  const row_t *row = find_row(fault);
  uint32_t count = inout_case->program.operand_count;
  if (row == NULL || row->tensor == result || count == 0) return;
  tensor_t *operand = &inout_case->operands[row->tensor == first_operand ? 0 : count - 1];
  if (row->map == first_operand_instead) {
    const tensor_t *first = &inout_case->operands[0];
    if (type_equal(&first->type, &operand->type)) operand->data = first->data;
    return;
  }
  tensor_t seen = tensor_make(arena, &operand->type);
  memset(seen.data, 0, type_bytes(&seen.type));
  place_t place = place_make(row, &operand->type);
  for (; place.element < place.count; place.element++) {
    size_t from = row->map(&place);
    if (from != NONE) copy_element(operand, from, &seen, place.element);
  }
  *operand = seen;
}

bool addressing_spoils_results(fault_t fault) {
  const row_t *row = find_row(fault);
  return row != NULL && row->tensor == result;
}

void addressing_store(fault_t fault, const tensor_t *computed, tensor_t *inout_result) {
  const row_t *row = find_row(fault);
  place_t place = place_make(row, &computed->type);
  for (; place.element < place.count; place.element++) {
    size_t from = row->map(&place);
    if (from != NONE) copy_element(computed, from, inout_result, place.element);
  }
}
