/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.arg_max, arg_min, top_k and one_hot: their attributes, and where the elements of a row
 * lie.  These ops pick and compare and compute nothing, so that a result is always the bits of
 * something given.  The document says no more of them than their types; what it leaves open is
 * decided so:
 *
 * - arg_max and arg_min have one result, the indices, or two, the values and the indices.  Of equal
 *   elements the first is picked, or the last if select_last_index; -0 and +0 are equal.  The value
 *   has the bits of the picked element.  An axis without elements is refused: there is nothing to
 *   pick.  Permission arg_nan tells what NaNs do.
 * - top_k gives the k largest elements, 0 <= k <= size, in descending order if sorted, else in any;
 *   of equal ones those with lower indices, and these first.  Three permissions tell where
 *   implementations differ: top_k_nan, top_k_zeros and top_k_ties.
 * - Indices count along the axis, and their type holds the largest that there can be.
 * - one_hot selects on_value where the class is the index, else off_value; an index that names no
 *   class is off everywhere.  A negative one names no class either, since the frontend of ONNX,
 *   where it counts from the end, adds the depth before; permission one_hot_negative tells
 *   otherwise.  There may be no classes at all. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_POSITIONS_BYTEIR_POSITIONS_H
#define ASSAY_ORACLES_OPS_BYTEIR_POSITIONS_BYTEIR_POSITIONS_H

#include "harness/kinds/byteir.h"

typedef struct byteir_arg_attributes {
  int64_t axis;
  uint8_t keep_dims;
  uint8_t select_last_index;
} byteir_arg_attributes_t;

typedef struct byteir_top_k_attributes {
  int64_t k;
  dimension_list_t axis; /* One, in a list. */
  uint8_t sorted;
} byteir_top_k_attributes_t;

typedef struct byteir_one_hot_attributes {
  int64_t depth;
  int64_t axis; /* Of the result. */
  attribute_pattern_t on_value;
  attribute_pattern_t off_value;
} byteir_one_hot_attributes_t;

static inline const byteir_arg_attributes_t *byteir_arg_attributes(const program_t *program) {
  return program->attributes;
}

static inline const byteir_top_k_attributes_t *byteir_top_k_attributes(const program_t *program) {
  return program->attributes;
}

static inline const byteir_one_hot_attributes_t *byteir_one_hot_attributes(
    const program_t *program) {
  return program->attributes;
}

/* The dimension of the operand along which a valid arg_max, arg_min or top_k picks; that of the
 * result along which the classes of a one_hot lie. */
static inline uint32_t byteir_arg_axis(const program_t *program) {
  return (uint32_t)byteir_axis(byteir_arg_attributes(program)->axis, program->operands[0].rank);
}

static inline uint32_t byteir_top_k_axis(const program_t *program) {
  return (uint32_t)byteir_axis(byteir_top_k_attributes(program)->axis.dims[0],
                               program->operands[0].rank);
}

static inline uint32_t byteir_one_hot_axis(const program_t *program) {
  return (uint32_t)byteir_axis(byteir_one_hot_attributes(program)->axis,
                               program->operands[0].rank + 1);
}

/* A tensor cut into rows along one dimension.  Rows are numbered as the elements of the tensor
 * without that dimension, so that an operand and its results number theirs alike. */
typedef struct byteir_rows {
  size_t count;  /* Of rows. */
  size_t size;   /* Elements of each. */
  size_t stride; /* From one element of a row to the next. */
} byteir_rows_t;

static inline byteir_rows_t byteir_rows_make(const type_t *type, uint32_t axis) {
  byteir_rows_t rows = {.count = 1, .size = (size_t)type->dims[axis], .stride = 1};
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    if (dim != axis) rows.count *= (size_t)type->dims[dim];
    if (dim > axis) rows.stride *= (size_t)type->dims[dim];
  }
  return rows;
}

/* The number of element `place` of a row in the tensor. */
static inline size_t byteir_rows_element(const byteir_rows_t *rows, size_t row, size_t place) {
  return (row / rows->stride * rows->size + place) * rows->stride + row % rows->stride;
}

/* The row that an element belongs to, and its place there. */
static inline size_t byteir_rows_of(const byteir_rows_t *rows, size_t element, size_t *out_place) {
  size_t outer = element / rows->stride;
  *out_place = outer % rows->size;
  return outer / rows->size * rows->stride + element % rows->stride;
}

#endif
