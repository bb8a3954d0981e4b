/* SPDX-License-Identifier: Apache-2.0 */
/* Type rules and random index types that the index-selecting ops have in common, and the list of
 * their definitions. */
#include "oracles/ops/byteir_positions/op/op.h"

bool byteir_positions_is_comparable(const element_t *element, const void *unused) {
  enum { BITS_MIN = 8 };
  return byteir_is_float(element, unused) || element->kind == ELEMENT_BOOLEAN ||
         (element_is_integer(element) && element->bits >= BITS_MIN);
}

bool byteir_positions_holds_indices(const element_t *element, int64_t size) {
  return element_is_integer(element) &&
         (size == 0 || element_integer_max(element) >= (uint64_t)size - 1);
}

bool byteir_positions_cannot_be(const type_t *type) {
  const element_t *element = type->element;
  return element->kind == ELEMENT_FLOAT || element->kind == ELEMENT_COMPLEX;
}

bool byteir_positions_is_modelled(const type_t *operand, const type_t *values,
                                  const type_t *indices) {
  if (operand->quantization != NULL || !byteir_positions_is_comparable(operand->element, NULL)) {
    return false;
  }
  if (indices->quantization != NULL) return false;
  return values == NULL || (values->quantization == NULL && values->element == operand->element);
}

static bool holds(const element_t *element, const void *size) {
  return byteir_positions_holds_indices(element, *(const int64_t *)size);
}

const element_t *byteir_positions_draw_index(rng_t *rng, int64_t size) {
  if (rng_one_in(rng, 4)) return draw_element(rng, holds, &size);
  return element_named(rng_one_in(rng, 2) ? "i32" : "i64");
}

extern const op_t *const byteir_positions_ops[];
const op_t *const byteir_positions_ops[] = {&byteir_arg_max_op, &byteir_arg_min_op,
                                            &byteir_top_k_op, &byteir_one_hot_op, NULL};
