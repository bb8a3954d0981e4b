/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that depend on the sizes of earlier executions of one compiled program. */
#include "harness/builtin/former_sizes.h"

#include <string.h>

void former_sizes_deinit(former_sizes_t *former) {
  if (former->has_largest) arena_deinit(&former->arena);
}

/* The indices of an element, by its row-major number; false if it lies outside of `bounds`. */
static bool is_within(const type_t *type, size_t element, const type_t *bounds,
                      size_t *out_element) {
  size_t place = 0, stride = 1;
  for (uint32_t dim = type->rank; dim-- > 0;) {
    size_t size = (size_t)type->dims[dim], index = element % size;
    element /= size;
    if (index >= (size_t)bounds->dims[dim]) return false;
    place += index * stride;
    stride *= (size_t)bounds->dims[dim];
  }
  *out_element = place;
  return true;
}

/* What both tensors have an element for goes from the one to the other. */
static void copy_shared(const tensor_t *from, tensor_t *to) {
  size_t bytes = element_bytes(from->type.element), count = type_element_count(&from->type), place;
  for (size_t i = 0; i < count; i++) {
    if (!is_within(&from->type, i, &to->type, &place)) continue;
    memcpy(to->data + place * bytes, from->data + i * bytes, bytes);
  }
}

static bool is_larger(const program_t *a, const program_t *b) {
  bool is_more = false;
  for (uint32_t i = 0; i < a->operand_count; i++) {
    for (uint32_t dim = 0; dim < a->operands[i].rank; dim++) {
      if (a->operands[i].dims[dim] < b->operands[i].dims[dim]) return false;
      is_more |= a->operands[i].dims[dim] > b->operands[i].dims[dim];
    }
  }
  return is_more;
}

static bool is_dynamic(const case_t *instance) {
  uint32_t dims = 0;
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    dims |= instance->program.operands[i].dynamic_dims;
  }
  return dims != 0;
}

static void keep_largest(former_sizes_t *former, const case_t *instance) {
  if (former->has_largest && !is_larger(&instance->program, &former->largest.program)) return;
  if (!former->has_largest) arena_init(&former->arena);
  former->has_largest = true;
  arena_reset(&former->arena);
  former->largest = case_copy(&former->arena, instance);
}

bool former_sizes_spoil(fault_t fault, former_sizes_t *former, case_t *inout_case, arena_t *arena) {
  if (fault != FAULT_former_size_padded || !is_dynamic(inout_case)) return false;
  bool is_padded = former->has_largest && is_larger(&former->largest.program, &inout_case->program);
  if (!is_padded) {
    keep_largest(former, inout_case);
    return false;
  }
  case_t larger = case_copy(arena, &former->largest);
  for (uint32_t i = 0; i < larger.program.operand_count; i++) {
    copy_shared(&inout_case->operands[i], &larger.operands[i]);
  }
  *inout_case = larger;
  return true;
}

void former_sizes_make_results(const program_t *program, arena_t *arena, tensor_t *out_results) {
  for (uint32_t i = 0; i < program->result_count; i++) {
    out_results[i] = tensor_make(arena, &program->results[i]);
    memset(out_results[i].data, 0, type_bytes(&program->results[i]));
  }
}

static void keep_to_first(const type_t *first, tensor_t *inout_result) {
  size_t bytes = element_bytes(first->element), count = type_element_count(&inout_result->type);
  size_t place;
  for (size_t i = 0; i < count; i++) {
    if (is_within(&inout_result->type, i, first, &place)) continue;
    memset(inout_result->data + i * bytes, 0, bytes);
  }
}

void former_sizes_store(fault_t fault, former_sizes_t *former, const tensor_t *larger,
                        uint32_t count, tensor_t *inout_results) {
  for (uint32_t i = 0; i < count && larger != NULL; i++) {
    copy_shared(&larger[i], &inout_results[i]);
  }
  for (uint32_t i = 0; i < count && fault == FAULT_first_size_kept; i++) {
    if (former->has_run) keep_to_first(&former->first[i], &inout_results[i]);
    if (!former->has_run) former->first[i] = inout_results[i].type;
  }
  former->has_run = true;
}
