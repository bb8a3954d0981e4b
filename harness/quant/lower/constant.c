/* SPDX-License-Identifier: Apache-2.0 */
/* Folds constants at export time: quantizes and dequantizes them by the formula of the
 * specification, converts integers, and applies reshape, transpose and broadcast. */
#include "harness/quant/lower/constant.h"

#include <math.h>
#include <string.h>

#include "harness/model/op.h"
#include "harness/quant/lower/attribute.h"

size_t quant_channel(const type_t *type, int32_t axis, size_t element) {
  if (axis < 0) return 0;
  size_t stride = 1;
  for (uint32_t i = (uint32_t)axis + 1; i < type->rank; i++) stride *= (size_t)type->dims[i];
  return element / stride % (size_t)type->dims[axis];
}

/* ---- Numbers --------------------------------------------------------------------------------- */

int64_t quant_store(const quantization_t *quantization, size_t channel, double value) {
  const format_t *format = quantization->expressed->format;
  int64_t zero_point = quantization->zero_points[channel];
  int64_t smallest = quantization->storage_min, largest = quantization->storage_max;
  double quotient = format_round_double(format, value / quantization->scales[channel]);
  double rounded_zero = format_round_double(format, (double)zero_point);
  double sum = format_round_double(format, quotient + rounded_zero);
  double low = format_round_double(format, (double)smallest);
  double high = format_round_double(format, (double)largest);
  if (isnan(sum) || isnan(low) || isnan(high)) return zero_point;
  double clamped = fmin(fmax(low, sum), high);
  if (clamped <= (double)smallest) return smallest;
  if (clamped >= (double)largest) return largest;
  return (int64_t)nearbyint(clamped);
}

double quant_float_at(const tensor_t *data, size_t element) {
  const element_t *type = data->type.element;
  return format_to_double(type->format, element_load(type, data->data, element));
}

int64_t quant_integer_at(const tensor_t *data, size_t element) {
  const element_t *type = data->type.element;
  return element_signed_value(type, element_load(type, data->data, element));
}

static tensor_t *make_tensor(const type_t *type, arena_t *arena) {
  tensor_t *tensor = arena_alloc(arena, sizeof *tensor);
  *tensor = tensor_make(arena, type);
  return tensor;
}

static void store_integer(tensor_t *tensor, size_t element, int64_t value) {
  const element_t *type = tensor->type.element;
  element_store(type, tensor->data, element, (uint64_t)value & element_mask(type));
}

const tensor_t *quant_tensor_quantize(const tensor_t *data, const type_t *quantized,
                                      arena_t *arena) {
  tensor_t *result = make_tensor(quantized, arena);
  const quantization_t *quantization = quantized->quantization;
  for (size_t i = 0; i < type_element_count(quantized); i++) {
    size_t channel = quant_channel(quantized, quantization->axis, i);
    store_integer(result, i, quant_store(quantization, channel, quant_float_at(data, i)));
  }
  return result;
}

const tensor_t *quant_tensor_round(const tensor_t *data, const element_t *element, arena_t *arena) {
  if (data->type.element == element) return data;
  type_t type = type_make(element, data->type.rank, data->type.dims);
  tensor_t *result = make_tensor(&type, arena);
  for (size_t i = 0; i < type_element_count(&type); i++) {
    uint64_t bits = format_from_double(element->format, quant_float_at(data, i));
    element_store(element, result->data, i, bits);
  }
  return result;
}

const tensor_t *quant_tensor_dequantize(const tensor_t *data, arena_t *arena) {
  const quantization_t *quantization = data->type.quantization;
  type_t type = type_make(quantization->expressed, data->type.rank, data->type.dims);
  tensor_t *result = make_tensor(&type, arena);
  const format_t *format = type.element->format;
  for (size_t i = 0; i < type_element_count(&type); i++) {
    size_t channel = quant_channel(&type, quantization->axis, i);
    int64_t difference = quant_integer_at(data, i) - quantization->zero_points[channel];
    double value = format_round_double(format, (double)difference) * quantization->scales[channel];
    element_store(type.element, result->data, i, format_from_double(format, value));
  }
  return result;
}

const tensor_t *quant_tensor_of_channels(const element_t *element, const type_t *shape,
                                         int32_t axis, const int64_t *values, arena_t *arena) {
  type_t type = type_make(element, shape->rank, shape->dims);
  tensor_t *result = make_tensor(&type, arena);
  for (size_t i = 0; i < type_element_count(&type); i++) {
    store_integer(result, i, values[quant_channel(&type, axis, i)]);
  }
  return result;
}

/* ---- Movement -------------------------------------------------------------------------------- */

/* By how many operand elements a step along each dimension of the result goes. */
static void find_strides(const program_t *program, arena_t *arena, size_t out_strides[]) {
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  size_t strides[TYPE_RANK_MAX];
  size_t stride = 1;
  for (uint32_t i = operand->rank; i-- > 0;) {
    strides[i] = stride;
    stride *= (size_t)operand->dims[i];
  }
  int64_t list[TYPE_RANK_MAX];
  bool is_transpose = strcmp(program->op->name, "stablehlo.transpose") == 0;
  const char *key = is_transpose ? "permutation" : "broadcast_dimensions";
  uint32_t count = quant_attribute_list(program, key, 0, arena, list);
  for (uint32_t i = 0; i < result->rank; i++) out_strides[i] = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (is_transpose) {
      out_strides[i] = strides[list[i]];
    } else if (operand->dims[i] == result->dims[list[i]]) {
      out_strides[list[i]] = strides[i];
    }
  }
}

const tensor_t *quant_fold_movement(const program_t *program, const tensor_t *data,
                                    const type_t *result, arena_t *arena) {
  const char *name = program->op->name;
  bool is_reshape = strcmp(name, "stablehlo.reshape") == 0;
  bool is_spread = strcmp(name, "stablehlo.broadcast_in_dim") == 0;
  if (!is_reshape && !is_spread && strcmp(name, "stablehlo.transpose") != 0) return NULL;
  tensor_t *tensor = make_tensor(result, arena);
  size_t count = type_element_count(result);
  if (is_reshape) {
    memcpy(tensor->data, data->data, type_bytes(result));
    return tensor;
  }
  size_t strides[TYPE_RANK_MAX];
  find_strides(program, arena, strides);
  for (size_t i = 0; i < count; i++) {
    size_t rest = i, source = 0;
    for (uint32_t dim = result->rank; dim-- > 0;) {
      source += rest % (size_t)result->dims[dim] * strides[dim];
      rest /= (size_t)result->dims[dim];
    }
    uint64_t bits = element_load(data->type.element, data->data, source);
    element_store(result->element, tensor->data, i, bits);
  }
  return tensor;
}
