/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's tensors: checked, and borrowed or copied. */
#include <inttypes.h>
#include <string.h>

#include "harness/api/handles.h"

const assay_tensor_t *tensor_at(const tensor_list_t *list, uint32_t index) {
  const uint8_t *first = (const uint8_t *)list->tensors;
  size_t distance = list->count == 0 ? 0 : list->tensors[0].struct_size;
  return (const assay_tensor_t *)(const void *)(first + index * distance);
}

/* ---- Checking -------------------------------------------------------------------------------- */

static status_t check_list(call_t *call, const tensor_list_t *list, uint32_t type_count) {
  if (list->count != type_count) {
    return status_fail(&call->failure, STATUS_INVALID, "there are %u %ss, and the program has %u",
                       list->count, list->what, type_count);
  }
  if (list->count > 0 && list->tensors == NULL) {
    return status_fail(&call->failure, STATUS_INVALID, "%ss is NULL; give an array of %u",
                       list->what, list->count);
  }
  return STATUS_OK;
}

/* Structs of an array are as far apart as the first one says, which must be aligned for them. */
static status_t check_size(call_t *call, const tensor_list_t *list, uint32_t index) {
  size_t needed = sizeof(assay_tensor_t);
  uint32_t size = tensor_at(list, index)->struct_size;
  bool is_first = index == 0;
  bool fits = is_first ? size >= needed && size % _Alignof(assay_tensor_t) == 0 && size <= 4096
                       : size == list->tensors[0].struct_size;
  if (fits) return STATUS_OK;
  return status_fail(&call->failure, STATUS_INVALID,
                     "%s %u: struct_size is %u; set it to sizeof(assay_tensor_t), which is %zu, in "
                     "each",
                     list->what, index, size, needed);
}

static status_t check_element(call_t *call, const char *what, uint32_t index, const char *element,
                              const type_t *type) {
  if (element == NULL) {
    return status_fail(&call->failure, STATUS_INVALID,
                       "%s %u: element is NULL; name its type, which is %s in the program", what,
                       index, type->element->name);
  }
  if (g_str_equal(element, type->element->name)) return STATUS_OK; /* Or the storage type. */
  g_autoptr(GString) expected = g_string_new(NULL);
  type_print_element(type, expected);
  if (type->quantization != NULL && g_str_equal(element, expected->str)) return STATUS_OK;
  return status_fail(&call->failure, STATUS_INVALID,
                     "%s %u: its elements are '%.100s', and the program has %.200s there", what,
                     index, element, expected->str);
}

static void print_dims(uint32_t rank, const int64_t *dims, GString *text) {
  g_string_append_c(text, '[');
  for (uint32_t i = 0; i < MIN(rank, TYPE_RANK_MAX); i++) {
    g_string_append_printf(text, "%s%" PRId64, i == 0 ? "" : ",", dims[i]);
  }
  g_string_append_c(text, ']');
}

static status_t check_shape(call_t *call, const char *what, uint32_t index,
                            const assay_tensor_t *tensor, const type_t *type) {
  if (tensor->rank != type->rank) {
    return status_fail(&call->failure, STATUS_INVALID,
                       "%s %u: it has rank %u, and the program has rank %u there", what, index,
                       tensor->rank, type->rank);
  }
  if (tensor->rank > 0 && tensor->dims == NULL) {
    return status_fail(&call->failure, STATUS_INVALID,
                       "%s %u: dims is NULL; give as many sizes as rank says", what, index);
  }
  bool is_same = true;
  for (uint32_t i = 0; i < type->rank; i++) is_same &= tensor->dims[i] == type->dims[i];
  if (is_same) return STATUS_OK;
  g_autoptr(GString) text = g_string_new(NULL);
  print_dims(tensor->rank, tensor->dims, text);
  g_string_append(text, ", and the program has ");
  print_dims(type->rank, type->dims, text);
  return status_fail(&call->failure, STATUS_INVALID, "%s %u: its shape is %s there", what, index,
                     text->str);
}

/* The bytes that a tensor spans must be counted by 64 bits; that they are there is the caller's
 * word. */
static status_t check_memory(call_t *call, const char *what, uint32_t index,
                             const assay_tensor_t *tensor, const type_t *type) {
  if (type_component_count(type) == 0) return STATUS_OK;
  if (tensor->data == NULL) {
    return status_fail(&call->failure, STATUS_INVALID,
                       "%s %u: data is NULL; give where its elements are", what, index);
  }
  if (tensor->strides == NULL) return STATUS_OK;
  int64_t low = (int64_t)(uintptr_t)tensor->data, high = low;
  bool overflows = false;
  for (uint32_t i = 0; i < type->rank; i++) {
    int64_t extent;
    overflows |= __builtin_mul_overflow(tensor->strides[i], type->dims[i] - 1, &extent);
    int64_t *end = extent < 0 ? &low : &high;
    overflows |= __builtin_add_overflow(*end, extent, end);
  }
  if (!overflows && low > 0) return STATUS_OK;
  return status_fail(&call->failure, STATUS_INVALID,
                     "%s %u: its strides lead out of memory; strides are bytes from one index of a "
                     "dimension to the next",
                     what, index);
}

static status_t check_tensor(call_t *call, const tensor_list_t *list, uint32_t index,
                             const type_t *type) {
  STATUS_TRY(check_size(call, list, index));
  const assay_tensor_t *tensor = tensor_at(list, index);
  STATUS_TRY(check_element(call, list->what, index, tensor->element, type));
  STATUS_TRY(check_shape(call, list->what, index, tensor, type));
  return check_memory(call, list->what, index, tensor, type);
}

status_t tensors_check(call_t *call, const tensor_list_t *list, const type_t *types,
                       uint32_t type_count) {
  STATUS_TRY(check_list(call, list, type_count));
  for (uint32_t i = 0; i < list->count; i++) STATUS_TRY(check_tensor(call, list, i, &types[i]));
  return STATUS_OK;
}

/* ---- Copying --------------------------------------------------------------------------------- */

/* Strides of dense row-major data. */
static void dense_strides(const type_t *type, int64_t out_strides[TYPE_RANK_MAX]) {
  int64_t stride = (int64_t)element_bytes(type->element);
  for (uint32_t i = type->rank; i-- > 0;) {
    out_strides[i] = stride;
    stride *= type->dims[i];
  }
}

static bool is_dense(const assay_tensor_t *tensor, const type_t *type) {
  if ((uintptr_t)tensor->data % type->element->component_bytes != 0) return false;
  if (tensor->strides == NULL) return true;
  int64_t dense[TYPE_RANK_MAX];
  dense_strides(type, dense);
  for (uint32_t i = 0; i < type->rank; i++) {
    if (type->dims[i] > 1 && tensor->strides[i] != dense[i]) return false;
  }
  return true;
}

/* Walks all elements of a tensor with strides, row-major, and copies to or from dense data. */
static void copy_strided(const assay_tensor_t *tensor, const type_t *type, uint8_t *dense,
                         bool is_store) {
  int64_t strides[TYPE_RANK_MAX];
  dense_strides(type, strides);
  if (tensor->strides != NULL) {
    memcpy(strides, tensor->strides, type->rank * sizeof strides[0]);
  }
  size_t bytes = element_bytes(type->element);
  size_t count = type_element_count(type);
  int64_t index[TYPE_RANK_MAX] = {0};
  uint8_t *place = tensor->data;
  for (size_t i = 0; i < count; i++) {
    memcpy(is_store ? place : dense, is_store ? dense : place, bytes);
    dense += bytes;
    for (uint32_t d = type->rank; d-- > 0;) {
      if (++index[d] < type->dims[d]) {
        place += strides[d];
        break;
      }
      place -= strides[d] * (type->dims[d] - 1);
      index[d] = 0;
    }
  }
}

void tensors_store(const tensor_list_t *list, const tensor_t *from) {
  for (uint32_t i = 0; i < list->count; i++) {
    const assay_tensor_t *tensor = tensor_at(list, i);
    if (type_component_count(&from[i].type) == 0) continue;
    copy_strided(tensor, &from[i].type, from[i].data, true);
  }
}

/* ---- Borrowing ------------------------------------------------------------------------------- */

/* Of types that do not fill their bytes: the other bits are 0, or copies of the sign, and become 0
 * in a copy. */
static status_t clean_bits(call_t *call, const tensor_list_t *list, uint32_t index, arena_t *arena,
                           tensor_t *inout_tensor) {
  const element_t *element = inout_tensor->type.element;
  if (element->bits == 8 * element->component_bytes) return STATUS_OK;
  const size_t count = type_component_count(&inout_tensor->type);
  const uint64_t mask = element_mask(element);
  const uint64_t all = UINT64_MAX >> (64 - 8 * element->component_bytes);
  uint8_t *copy = NULL;
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = element_load(element, inout_tensor->data, i);
    if ((bits & ~mask) == 0) continue;
    uint64_t extended = (uint64_t)element_signed_value(element, bits & mask) & all;
    if (element->kind != ELEMENT_SIGNED || bits != extended) {
      return status_fail(&call->failure, STATUS_INVALID,
                         "%s %u: element %zu is 0x%" PRIx64 ", which has bits that %s has not",
                         list->what, index, i, bits, element->name);
    }
    if (copy == NULL) {
      size_t bytes = type_bytes(&inout_tensor->type);
      copy = arena_alloc(arena, bytes);
      memcpy(copy, inout_tensor->data, bytes);
    }
    element_store(element, copy, i, bits & mask);
  }
  if (copy != NULL) inout_tensor->data = copy;
  return STATUS_OK;
}

/* Storage integers of a quantized operand are within their range. */
static status_t check_range(call_t *call, const tensor_list_t *list, uint32_t index,
                            const tensor_t *tensor) {
  const quantization_t *quantization = tensor->type.quantization;
  if (quantization == NULL) return STATUS_OK;
  const size_t count = type_component_count(&tensor->type);
  for (size_t i = 0; i < count; i++) {
    const element_t *element = tensor->type.element;
    int64_t value = element_signed_value(element, element_load(element, tensor->data, i));
    if (value >= quantization->storage_min && value <= quantization->storage_max) continue;
    return status_fail(
        &call->failure, STATUS_INVALID,
        "%s %u: element %zu is %" PRId64 ", and its storage range is %" PRId64 " to %" PRId64,
        list->what, index, i, value, quantization->storage_min, quantization->storage_max);
  }
  return STATUS_OK;
}

status_t tensors_borrow(call_t *call, const tensor_list_t *list, const type_t *types,
                        uint32_t type_count, arena_t *arena, tensor_t *out_tensors) {
  STATUS_TRY(tensors_check(call, list, types, type_count));
  const bool is_operand = g_str_equal(list->what, "operand");
  for (uint32_t i = 0; i < list->count; i++) {
    const assay_tensor_t *tensor = tensor_at(list, i);
    if (type_component_count(&types[i]) == 0) {
      out_tensors[i] = tensor_make(arena, &types[i]);
      continue;
    }
    if (is_dense(tensor, &types[i])) {
      out_tensors[i] = (tensor_t){.type = types[i], .data = tensor->data};
    } else {
      out_tensors[i] = tensor_make(arena, &types[i]);
      copy_strided(tensor, &types[i], out_tensors[i].data, false);
    }
    STATUS_TRY(clean_bits(call, list, i, arena, &out_tensors[i]));
    if (is_operand) STATUS_TRY(check_range(call, list, i, &out_tensors[i]));
  }
  return STATUS_OK;
}

assay_tensor_t tensor_show(const tensor_t *tensor, const char *element) {
  return (assay_tensor_t){.struct_size = sizeof(assay_tensor_t),
                          .rank = tensor->type.rank,
                          .element = element,
                          .dims = tensor->type.dims,
                          .data = tensor->data};
}
