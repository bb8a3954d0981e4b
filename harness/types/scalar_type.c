/* SPDX-License-Identifier: Apache-2.0 */
/* Converts between scalar types, which own their scale and zero point, and tensor types, which
 * point to them; compares, parses and prints. */
#include "harness/types/scalar_type.h"

scalar_type_t scalar_type_make(const element_t *element) {
  return (scalar_type_t){.element = element};
}

scalar_type_t scalar_type_of(const type_t *type) {
  const quantization_t *quantization = type->quantization;
  if (quantization == NULL) return scalar_type_make(type->element);
  bool has_scale = quantization->count > 0;
  return (scalar_type_t){
      .element = type->element,
      .expressed = quantization->expressed,
      .scale = has_scale ? quantization->scales[0] : 1,
      .zero_point = has_scale ? quantization->zero_points[0] : 0,
      .storage_min = quantization->storage_min,
      .storage_max = quantization->storage_max,
  };
}

bool scalar_type_has_baseline_of(const scalar_type_t *a, const scalar_type_t *b) {
  return a->element == b->element && a->expressed == b->expressed &&
         a->storage_min == b->storage_min && a->storage_max == b->storage_max;
}

bool scalar_type_equal(const scalar_type_t *a, const scalar_type_t *b) {
  return scalar_type_has_baseline_of(a, b) && a->scale == b->scale &&
         a->zero_point == b->zero_point;
}

/* The quantization of a scalar, whose scale and zero point it borrows. */
static quantization_t quantization_of(const scalar_type_t *scalar) {
  return (quantization_t){
      .expressed = scalar->expressed,
      .storage_min = scalar->storage_min,
      .storage_max = scalar->storage_max,
      .axis = -1,
      .count = 1,
      .scales = &scalar->scale,
      .zero_points = &scalar->zero_point,
  };
}

type_t scalar_type_tensor(const scalar_type_t *scalar, uint32_t rank, const int64_t *dims,
                          arena_t *arena) {
  type_t type = type_make(scalar->element, rank, dims);
  if (scalar->expressed == NULL) return type;
  scalar_type_t *kept = ARENA_NEW_ARRAY(arena, scalar_type_t, 1);
  *kept = *scalar;
  quantization_t *quantization = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  *quantization = quantization_of(kept);
  type.quantization = quantization;
  return type;
}

status_t scalar_type_parse(scan_t *scan, arena_t *arena, scalar_type_t *out_scalar,
                           failure_t *error) {
  scan_t start = *scan;
  type_t type;
  STATUS_TRY(type_parse_element(scan, arena, &type, error));
  if (type.quantization != NULL && type.quantization->axis != -1) {
    return scan_fail(&start, error, "a scalar is not quantized per axis");
  }
  failure_t reason;
  if (type_check(&type, &reason) != STATUS_OK) {
    return scan_fail(&start, error, "%.250s", reason.text);
  }
  *out_scalar = scalar_type_of(&type);
  return STATUS_OK;
}

/* Prints the scalar as a type of rank 0. */
static void print(const scalar_type_t *scalar, void (*print_type)(const type_t *, GString *),
                  GString *out_text) {
  quantization_t quantization = quantization_of(scalar);
  type_t type = type_make(scalar->element, 0, NULL);
  if (scalar->expressed != NULL) type.quantization = &quantization;
  print_type(&type, out_text);
}

void scalar_type_print(const scalar_type_t *scalar, GString *out_text) {
  print(scalar, type_print_element, out_text);
}

void scalar_type_print_mlir(const scalar_type_t *scalar, GString *out_text) {
  print(scalar, type_print_mlir, out_text);
}
