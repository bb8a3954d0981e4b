/* SPDX-License-Identifier: Apache-2.0 */
/* Reads op attributes from their text for export, which knows ops by name only: lists, places in
 * lists, number of terms of a contraction, and where an axis goes. */
#include "harness/quant/lower/attribute.h"

#include <stdlib.h>
#include <string.h>

#include "harness/model/op.h"

const char *quant_attribute(const program_t *program, const char *key, arena_t *arena) {
  op_attribute_t attributes[OP_ATTRIBUTES_MAX];
  size_t count = op_attributes(program, arena, attributes);
  for (size_t i = 0; i < count; i++) {
    if (strcmp(attributes[i].key, key) == 0) return attributes[i].value;
  }
  return NULL;
}

/* The items of the `which`-th list, between its brackets. */
static uint32_t split_list(const program_t *program, const char *key, uint32_t which,
                           arena_t *arena, str_t out_items[TYPE_RANK_MAX]) {
  const char *text = quant_attribute(program, key, arena);
  const char *begin = text == NULL ? NULL : strchr(text, '[');
  while (begin != NULL && which > 0) {
    begin = strchr(begin + 1, '[');
    which--;
  }
  if (begin == NULL) return 0;
  scan_t scan = scan_make(str_from(begin + 1));
  uint32_t count = 0;
  while (count < TYPE_RANK_MAX) {
    str_t item = scan_until(&scan, ",]");
    if (item.size > 0) out_items[count++] = item;
    if (!scan_accept(&scan, ",")) break;
  }
  return count;
}

uint32_t quant_attribute_list(const program_t *program, const char *key, uint32_t which,
                              arena_t *arena, int64_t out_items[TYPE_RANK_MAX]) {
  str_t items[TYPE_RANK_MAX];
  uint32_t count = split_list(program, key, which, arena, items);
  for (uint32_t i = 0; i < count; i++) {
    scan_t scan = scan_make(items[i]);
    if (scan_integer(&scan, &out_items[i], NULL) != STATUS_OK) out_items[i] = -1;
  }
  return count;
}

int32_t quant_attribute_place(const program_t *program, const char *key, uint32_t which,
                              const char *item, arena_t *arena) {
  str_t items[TYPE_RANK_MAX];
  uint32_t count = split_list(program, key, which, arena, items);
  for (uint32_t i = 0; i < count; i++) {
    if (str_equal_text(items[i], item)) return (int32_t)i;
  }
  return -1;
}

static bool contains(const int64_t *items, uint32_t count, int64_t item) {
  for (uint32_t i = 0; i < count; i++) {
    if (items[i] == item) return true;
  }
  return false;
}

/* ---- Contractions ---------------------------------------------------------------------------- */

static bool is_convolution(const program_t *program) {
  return strcmp(program->op->name, "stablehlo.convolution") == 0;
}

static uint64_t product_of(const type_t *type, const int64_t *dims, uint32_t count) {
  uint64_t product = 1;
  for (uint32_t i = 0; i < count; i++) product *= (uint64_t)type->dims[dims[i]];
  return product;
}

uint64_t quant_contraction_terms(const program_t *program, arena_t *arena) {
  int64_t list[TYPE_RANK_MAX];
  if (!is_convolution(program)) {
    uint32_t count = quant_attribute_list(program, "contract", 0, arena, list);
    return product_of(&program->operands[0], list, count);
  }
  const type_t *kernel = &program->operands[1];
  int32_t channels = quant_attribute_place(program, "dimension_numbers", 1, "o", arena);
  uint64_t terms = 1;
  for (uint32_t i = 0; i < kernel->rank; i++) {
    if ((int32_t)i != channels) terms *= (uint64_t)kernel->dims[i];
  }
  return terms;
}

int32_t quant_contraction_axis(const program_t *program, int32_t axis, arena_t *arena) {
  if (axis < 0) return -1;
  if (is_convolution(program)) {
    int32_t channels = quant_attribute_place(program, "dimension_numbers", 1, "o", arena);
    if (axis != channels) return -1;
    return quant_attribute_place(program, "dimension_numbers", 2, "f", arena);
  }
  int64_t batching[TYPE_RANK_MAX], contracting[TYPE_RANK_MAX];
  uint32_t batch_count = quant_attribute_list(program, "batch", 1, arena, batching);
  uint32_t count = quant_attribute_list(program, "contract", 1, arena, contracting);
  for (uint32_t i = 0; i < batch_count; i++) {
    if (batching[i] == axis) return (int32_t)i;
  }
  if (contains(contracting, count, axis)) return -1;
  int32_t from_end = 0;
  for (int32_t i = axis; i < (int32_t)program->operands[1].rank; i++) {
    bool is_free = !contains(contracting, count, i) && !contains(batching, batch_count, i);
    if (is_free) from_end++;
  }
  return (int32_t)program->results[0].rank - from_end;
}

uint64_t quant_reduction_terms(const program_t *program, arena_t *arena) {
  int64_t list[TYPE_RANK_MAX];
  if (strcmp(program->op->name, "stablehlo.reduce") == 0) {
    uint32_t count = quant_attribute_list(program, "dims", 0, arena, list);
    return product_of(&program->operands[0], list, count);
  }
  uint64_t terms = 1;
  uint32_t count = quant_attribute_list(program, "window_dimensions", 0, arena, list);
  for (uint32_t i = 0; i < count; i++) terms *= (uint64_t)list[i];
  return terms;
}

/* ---- Movement -------------------------------------------------------------------------------- */

/* A reshape keeps a dimension that has as many elements before it, and the same size. */
static int32_t reshaped_axis(const type_t *operand, const type_t *result, int32_t axis) {
  int64_t before = 1, seen = 1;
  for (int32_t i = 0; i < axis; i++) before *= operand->dims[i];
  for (uint32_t i = 0; i < result->rank; i++) {
    if (seen == before && result->dims[i] == operand->dims[axis]) return (int32_t)i;
    seen *= result->dims[i];
  }
  return -1;
}

int32_t quant_movement_axis(const program_t *program, int32_t axis, arena_t *arena) {
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  if (axis < 0) return -1;
  if (strcmp(program->op->name, "stablehlo.reshape") == 0) {
    return reshaped_axis(operand, result, axis);
  }
  int64_t list[TYPE_RANK_MAX];
  if (strcmp(program->op->name, "stablehlo.transpose") == 0) {
    uint32_t count = quant_attribute_list(program, "permutation", 0, arena, list);
    for (uint32_t i = 0; i < count; i++) {
      if (list[i] == axis) return (int32_t)i;
    }
    return -1;
  }
  uint32_t count = quant_attribute_list(program, "broadcast_dimensions", 0, arena, list);
  bool is_kept = (uint32_t)axis < count && result->dims[list[axis]] == operand->dims[axis];
  return is_kept ? (int32_t)list[axis] : -1;
}
