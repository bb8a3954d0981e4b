/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatches sequential f32 and f64 sums and dot products to vector loops that handle many results
 * at once. The loops are included once per type and instruction set and all give the same bits. */
#include "oracles/exact/fold/dense.h"

#include <string.h>

#include "oracles/exact/instruction_sets.h"

/* The loops of fold/dense_type.inc for two types and, where fused multiply-adds would otherwise be
 * library calls, for several instruction sets.  All of them give the same bits. */
#define REAL float
#define NAMED(name) name##_f32
#define FUSED(a, b, c) __builtin_fmaf((a), (b), (c))
#include "oracles/exact/fold/dense_type.inc"
#undef REAL
#undef NAMED
#undef FUSED

#define REAL double
#define NAMED(name) name##_f64
#define FUSED(a, b, c) __builtin_fma((a), (b), (c))
#include "oracles/exact/fold/dense_type.inc"
#undef REAL
#undef NAMED
#undef FUSED

static bool is_f32(const fold_t *fold) {
  return fold->element->format == &format_table[FORMAT_f32];
}

bool dense_fold_applies(const fold_t *fold) {
  const element_t *element = fold->element;
  bool is_f64 = element->format == &format_table[FORMAT_f64];
  return element->kind == ELEMENT_FLOAT && (is_f32(fold) || is_f64) && fold->body == FOLD_ADD &&
         fold->schedule->order.kind == SUM_SEQUENTIAL && !fold->schedule->compensated &&
         fold->schedule->fault == FAULT_NONE && fold->arithmetic.format == element->format;
}

void dense_fold_dot(const fold_t *fold, const dense_dot_t *dot, const void *lhs, const void *rhs,
                    void *result) {
  if (is_f32(fold)) {
    dot_f32(fold, dot, lhs, rhs, result);
  } else {
    dot_f64(fold, dot, lhs, rhs, result);
  }
}

void dense_fold_sum(const fold_t *fold, const dense_sum_t *sum, const void *data, const void *init,
                    void *result) {
  if (is_f32(fold)) {
    sum_f32(fold, sum, data, init, result);
  } else {
    sum_f64(fold, sum, data, init, result);
  }
}

void dense_gather(const fold_t *fold, const void *data, size_t base, const size_t *offset,
                  size_t count, void *out_data) {
  if (is_f32(fold)) {
    gather_f32(data, base, offset, count, out_data);
  } else {
    gather_f64(data, base, offset, count, out_data);
  }
}

void dense_store(const fold_t *fold, const void *results, size_t count, void *out_data) {
  uint64_t nan = format_from_double(fold->element->format, __builtin_nan(""));
  if (is_f32(fold)) {
    uint32_t nan_bits = (uint32_t)nan;
    store_f32(results, &nan_bits, count, out_data);
  } else {
    store_f64(results, &nan, count, out_data);
  }
}

const void *dense_promote(const fold_t *fold, const tensor_t *operand, arena_t *arena) {
  const element_t *from = operand->type.element;
  const element_t *to = fold->element;
  if (from == to) return operand->data;
  size_t count = type_element_count(&operand->type);
  uint8_t *data = arena_alloc(arena, count * element_bytes(to));
  for (size_t i = 0; i < count; i++) {
    double value = format_to_double(from->format, element_load(from, operand->data, i));
    element_store(to, data, i, format_from_double(to->format, value));
  }
  return data;
}
