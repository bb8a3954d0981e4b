/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes, equality and validity of tensor types: bounds on rank and elements, storage ranges,
 * scales that the expressed type holds, and the quantized axis. */
#include "harness/types/type.h"

#include <inttypes.h>

type_t type_make(const element_t *element, uint32_t rank, const int64_t *dims) {
  g_assert(rank <= TYPE_RANK_MAX);
  type_t type = {.element = element, .rank = rank};
  for (uint32_t i = 0; i < rank; i++) type.dims[i] = dims[i];
  return type;
}

size_t type_element_count(const type_t *type) {
  size_t count = 1;
  for (uint32_t i = 0; i < type->rank; i++) count *= (size_t)type->dims[i];
  return count;
}

size_t type_component_count(const type_t *type) {
  return type_element_count(type) * type->element->components;
}

size_t type_bytes(const type_t *type) {
  return type_element_count(type) * element_bytes(type->element);
}

bool quantization_equal(const quantization_t *a, const quantization_t *b) {
  if (a == NULL || b == NULL) return a == b;
  return a->expressed == b->expressed && a->storage_min == b->storage_min &&
         a->storage_max == b->storage_max && a->axis == b->axis && a->count == b->count &&
         memcmp(a->scales, b->scales, a->count * sizeof a->scales[0]) == 0 &&
         memcmp(a->zero_points, b->zero_points, a->count * sizeof a->zero_points[0]) == 0;
}

int64_t quantization_zero_point(const type_t *type, size_t element) {
  const quantization_t *quantization = type->quantization;
  if (quantization->axis == -1) return quantization->zero_points[0];
  size_t stride = 1;
  for (uint32_t i = (uint32_t)quantization->axis + 1; i < type->rank; i++) {
    stride *= (size_t)type->dims[i];
  }
  return quantization->zero_points[element / stride % quantization->count];
}

bool type_shapes_equal(const type_t *a, const type_t *b) {
  return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0;
}

bool type_equal(const type_t *a, const type_t *b) {
  return a->element == b->element && a->rank == b->rank &&
         memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0 &&
         quantization_equal(a->quantization, b->quantization);
}

/* A size of 0 counts as 1, so that also the extents of some of the dimensions stay in bounds. */
static status_t check_shape(const type_t *type, int64_t elements_max, int64_t bytes_max,
                            failure_t *error) {
  if (type->rank > TYPE_RANK_MAX) {
    return status_fail(error, STATUS_INVALID, "rank %u is above %d", type->rank,
                       (int)TYPE_RANK_MAX);
  }
  int64_t elements = 1;
  for (uint32_t i = 0; i < type->rank; i++) {
    int64_t size = type->dims[i];
    if (size < 0) {
      return status_fail(error, STATUS_INVALID, "size %" PRId64 " is negative", size);
    }
    if (size > elements_max / elements) {
      return status_fail(error, STATUS_INVALID, "a tensor has at most %" PRId64 " elements",
                         elements_max);
    }
    elements *= MAX(size, 1);
  }
  if (elements > bytes_max / (int64_t)element_bytes(type->element)) {
    return status_fail(error, STATUS_INVALID, "a tensor has at most %" PRId64 " bytes", bytes_max);
  }
  return STATUS_OK;
}

/* (StableHLO specification, "Types": storage types are si2 to si32 and ui2 to ui32.) */
static status_t check_storage(const type_t *type, failure_t *error) {
  const quantization_t *quantization = type->quantization;
  const element_t *storage = type->element;
  if (!element_is_integer(storage) || storage->bits > 32) {
    return status_fail(error, STATUS_INVALID,
                       "the storage type is an integer of 2 to 32 bits, not %s", storage->name);
  }
  if (quantization->storage_min < element_integer_min(storage) ||
      quantization->storage_max > (int64_t)element_integer_max(storage) ||
      quantization->storage_min >= quantization->storage_max) {
    return status_fail(error, STATUS_INVALID,
                       "storage range %" PRId64 ":%" PRId64 " is empty or exceeds %s",
                       quantization->storage_min, quantization->storage_max, storage->name);
  }
  if (quantization->expressed->kind != ELEMENT_FLOAT ||
      !quantization->expressed->is_tensor_element) {
    return status_fail(error, STATUS_INVALID, "the expressed type is a float, not %s",
                       quantization->expressed->name);
  }
  return STATUS_OK;
}

static bool is_scale(const format_t *format, double scale) {
  /* A NaN fails the first comparison; what overflows or underflows fails the second. */
  return scale > 0 && format_round_double(format, scale) == scale && scale * 0 == 0;
}

static status_t check_scales(const type_t *type, failure_t *error) {
  const quantization_t *quantization = type->quantization;
  for (uint32_t i = 0; i < quantization->count; i++) {
    if (!is_scale(quantization->expressed->format, quantization->scales[i])) {
      return status_fail(error, STATUS_INVALID, "scale %u is not a positive finite number of %s", i,
                         quantization->expressed->name);
    }
    int64_t zero_point = quantization->zero_points[i];
    if (zero_point < quantization->storage_min || zero_point > quantization->storage_max) {
      return status_fail(error, STATUS_INVALID,
                         "zero point %" PRId64 " is outside of the storage range", zero_point);
    }
  }
  return STATUS_OK;
}

bool type_takes_axis(const type_t *type, int64_t dim) {
  return type->dims[dim] > 0 && type->dims[dim] <= TYPE_SCALES_MAX;
}

static status_t check_axis(const type_t *type, failure_t *error) {
  const quantization_t *quantization = type->quantization;
  if (quantization->axis == -1) {
    if (quantization->count == 1) return STATUS_OK;
    return status_fail(error, STATUS_INVALID, "a tensor without an axis has one scale, not %u",
                       quantization->count);
  }
  if (quantization->axis < 0 || (uint32_t)quantization->axis >= type->rank) {
    return status_fail(error, STATUS_INVALID, "quantization axis %d is not below the rank, %u",
                       quantization->axis, type->rank);
  }
  if (type->dims[quantization->axis] != quantization->count ||
      quantization->count > TYPE_SCALES_MAX) {
    return status_fail(error, STATUS_INVALID,
                       "%u scales for %" PRId64 " slices along axis %d (at most %d)",
                       quantization->count, type->dims[quantization->axis], quantization->axis,
                       (int)TYPE_SCALES_MAX);
  }
  if (!type_takes_axis(type, quantization->axis)) {
    return status_fail(error, STATUS_INVALID,
                       "a type has one scale at least, but dimension %d, along which it is "
                       "quantized, has no slice",
                       quantization->axis);
  }
  return STATUS_OK;
}

static status_t check_within(const type_t *type, int64_t elements_max, int64_t bytes_max,
                             failure_t *error) {
  if (!type->element->is_tensor_element) {
    return status_fail(error, STATUS_INVALID, "%s is not a tensor element type",
                       type->element->name);
  }
  STATUS_TRY(check_shape(type, elements_max, bytes_max, error));
  if (type->quantization == NULL) return STATUS_OK;
  STATUS_TRY(check_storage(type, error));
  STATUS_TRY(check_axis(type, error));
  return check_scales(type, error);
}

status_t type_check(const type_t *type, failure_t *error) {
  return check_within(type, TYPE_ELEMENTS_MAX, TYPE_BYTES_MAX, error);
}

status_t type_check_large(const type_t *type, failure_t *error) {
  return check_within(type, TYPE_LARGE_MAX, 4 * TYPE_LARGE_MAX, error);
}
