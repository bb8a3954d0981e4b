/* SPDX-License-Identifier: Apache-2.0 */
/* Axis normalization, sign checks, random shapes and out-of-range axes that the ByteIR ops share.
 */
#include "harness/kinds/byteir.h"

#include <stdlib.h>

bool byteir_is_float(const element_t *element, const void *unused) {
  (void)unused;
  const format_t *format = element->format;
  return element->kind == ELEMENT_FLOAT &&
         (format == &format_table[FORMAT_f16] || format == &format_table[FORMAT_bf16] ||
          format == &format_table[FORMAT_f32] || format == &format_table[FORMAT_f64]);
}

bool byteir_is_float_tensor(const type_t *type) {
  return type->quantization == NULL && byteir_is_float(type->element, NULL);
}

bool byteir_keeps_float_type(const program_t *program) {
  const type_t *operand = &program->operands[0];
  return byteir_is_float_tensor(operand) && type_equal(operand, &program->results[0]);
}

static bool may_stand_beside(const type_t *type, const element_t *first) {
  bool may_be_f32 = first->format->bits == 16 && type->element == element_named("f32");
  return byteir_is_float_tensor(type) && (type->element == first || may_be_f32);
}

bool byteir_has_float_types(const program_t *program) {
  const element_t *first = program->operands[0].element;
  if (!byteir_is_float_tensor(&program->operands[0])) return false;
  for (uint32_t i = 1; i < program->operand_count; i++) {
    if (!may_stand_beside(&program->operands[i], first)) return false;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (!may_stand_beside(&program->results[i], first)) return false;
  }
  return true;
}

void byteir_draw_mixed(const rng_t *rng, program_t *inout_program) {
  const element_t *f32 = element_named("f32");
  rng_t apart = rng_apart(rng);
  if (inout_program->operands[0].element->format->bits != 16 || !rng_one_in(&apart, 8)) return;
  bool has_weights = rng_one_in(&apart, 2), has_moments = rng_one_in(&apart, 2);
  bool has_output = inout_program->operand_count == 1 || rng_one_in(&apart, 3);
  for (uint32_t i = 1; i < inout_program->operand_count && has_weights; i++) {
    inout_program->operands[i].element = f32;
  }
  for (uint32_t i = 0; i < inout_program->result_count; i++) {
    if (i == 0 ? has_output : has_moments) inout_program->results[i].element = f32;
  }
}

/* ---- Axes ------------------------------------------------------------------------------------ */

int64_t byteir_axis(int64_t axis, uint32_t rank) { return axis < 0 ? axis + rank : axis; }

bool byteir_axis_in_range(int64_t axis, uint32_t rank) {
  return axis >= -(int64_t)rank && axis < (int64_t)rank;
}

static int compare_dimensions(const void *a, const void *b) {
  int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
  return (left > right) - (left < right);
}

dimension_list_t byteir_axes(const dimension_list_t *axes, uint32_t rank) {
  dimension_list_t list = {.count = axes->count};
  for (uint32_t i = 0; i < axes->count; i++) list.dims[i] = byteir_axis(axes->dims[i], rank);
  qsort(list.dims, list.count, sizeof list.dims[0], compare_dimensions);
  return list;
}

bool byteir_axes_are_valid(const dimension_list_t *axes, uint32_t rank) {
  for (uint32_t i = 0; i < axes->count; i++) {
    if (!byteir_axis_in_range(axes->dims[i], rank)) return false;
  }
  dimension_list_t list = byteir_axes(axes, rank);
  return dimension_list_is_unique(&list);
}

bool byteir_permits_axis(const contract_t *contract, int64_t axis) {
  return PERMITTED(contract, byteir) != BYTEIR_TODAY || axis >= 0;
}

bool byteir_permits_axes(const contract_t *contract, const dimension_list_t *axes) {
  for (uint32_t i = 0; i < axes->count; i++) {
    if (!byteir_permits_axis(contract, axes->dims[i])) return false;
  }
  return true;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

type_t byteir_draw_shape(rng_t *rng, const draw_limits_t *limits, const element_t *element,
                         uint32_t rank_min, uint32_t axis_count, dimension_list_t *out_axes) {
  int64_t rank_max = MAX(rank_min, limits->rank_max);
  int64_t rank = rng_between(rng, rank_min, rank_max);
  int64_t other = rng_between(rng, rank_min, rank_max);
  uint32_t dims = (uint32_t)MIN(rank, other);
  if (axis_count == 0) axis_count = (uint32_t)rng_between(rng, dims == 0 ? 0 : 1, dims);
  dimension_list_t order = draw_permutation(rng, dims);
  type_t shape = type_make(element, dims, order.dims);
  *out_axes = (dimension_list_t){.count = 0};
  int64_t elements = 1, terms = 1;
  for (uint32_t i = 0; i < dims; i++) {
    bool is_axis = i < axis_count;
    int64_t largest = limits->elements_max / elements;
    if (is_axis) largest = MIN(largest, limits->terms_max / terms);
    int64_t size = is_axis ? draw_length(rng, limits->sizes, largest, 3)
                           : draw_size(rng, limits->sizes, largest);
    int64_t dim = order.dims[i];
    shape.dims[dim] = size;
    elements *= MAX(size, 1);
    if (!is_axis) continue;
    terms *= MAX(size, 1);
    dimension_list_append(out_axes, rng_one_in(rng, 100) ? dim - dims : dim);
  }
  return shape;
}
