/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.quantize and byteir.dequantize: their attribute, how their operands belong together, and
 * what is decided where the ByteIR documents are silent.
 *
 *   quantize    q = clamp(round(x / scale) + zero point)
 *   dequantize  x = (q - zero point) * scale
 *
 * The documents say which types there are, and nothing else.  ByteIR's frontend makes these ops of
 * ONNX's QuantizeLinear and DequantizeLinear, so their rules hold:
 * - The quotient is rounded to nearest, ties to even, and the zero point is added after that: ties
 *   are those of the quotient.  (StableHLO's quantized types add it before.)  Permission
 *   quantize_ties permits ties away from zero.
 * - The result is clamped to the range of the storage type.
 * - Integers stay integers: zero points are added and subtracted exactly, whatever floats are
 *   computed in.  -128 - 127 is -255.
 * - x / scale is a division of IEEE 754, so an infinite quotient gives an end of the storage type's
 *   range; a scale that is 0, negative, infinite or NaN gives what the division makes of it.
 * - A quotient that is NaN stands for no integer: every result conforms, and the case is weak where
 *   nothing else is in it.  Permission quantize_nan holds an implementation to less.
 * - Input and scale have one float type.
 * - A scale of rank 1 is one for each channel, even if it has one element, and then axis is given;
 *   never else. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_QUANTIZE_BYTEIR_QUANTIZE_H
#define ASSAY_ORACLES_OPS_BYTEIR_QUANTIZE_BYTEIR_QUANTIZE_H

#include "harness/kinds/byteir.h"

typedef struct byteir_quantize_attributes {
  optional_integer_t axis;
} byteir_quantize_attributes_t;

/* The operands of both ops.  The input is of floats or of storage integers. */
enum { QUANTIZE_INPUT, QUANTIZE_SCALE, QUANTIZE_ZERO_POINT, QUANTIZE_OPERANDS };

static inline const byteir_quantize_attributes_t *byteir_quantize_attributes(
    const program_t *program) {
  return program->attributes;
}

/* The values of permissions quantize_ties and quantize_nan. */
enum quantize_ties { QUANTIZE_TIES_EVEN, QUANTIZE_TIES_AWAY, QUANTIZE_TIES_EITHER };
enum quantize_nan { QUANTIZE_NAN_SMALLEST, QUANTIZE_NAN_ZERO_POINT, QUANTIZE_NAN_ANY };

/* i8, i16, ui8 or ui16; `unused` makes it a draw_filter_t. */
static inline bool byteir_quantize_is_storage(const element_t *element, const void *unused) {
  (void)unused;
  return element_is_integer(element) && (element->bits == 8 || element->bits == 16);
}

/* The range of a storage type; its elements as numbers. */
typedef struct storage {
  int64_t smallest;
  int64_t largest;
} storage_t;

static inline storage_t storage_of(const element_t *element) {
  return (storage_t){element_integer_min(element), (int64_t)element_integer_max(element)};
}

static inline int64_t storage_load(const tensor_t *tensor, size_t index) {
  const element_t *element = tensor->type.element;
  return element_signed_value(element, element_load(element, tensor->data, index));
}

/* What the type cannot hold wraps. */
static inline void storage_store(const tensor_t *tensor, size_t index, int64_t value) {
  const element_t *element = tensor->type.element;
  element_store(element, tensor->data, index, (uint64_t)value & element_mask(element));
}

/* Which scale and zero point an element of the input has: number (element / stride) % count. */
typedef struct byteir_quantize_channels {
  size_t stride;
  size_t count;
} byteir_quantize_channels_t;

static inline byteir_quantize_channels_t byteir_quantize_channels(const program_t *program) {
  byteir_quantize_channels_t channels = {1, 1};
  const optional_integer_t *axis = &byteir_quantize_attributes(program)->axis;
  if (!axis->is_present) return channels;
  const type_t *input = &program->operands[QUANTIZE_INPUT];
  uint32_t dim = (uint32_t)byteir_axis(axis->value, input->rank);
  channels.count = (size_t)input->dims[dim];
  for (uint32_t i = dim + 1; i < input->rank; i++) channels.stride *= (size_t)input->dims[i];
  return channels;
}

static inline size_t byteir_quantize_channel(const byteir_quantize_channels_t *channels,
                                             size_t element) {
  return element / channels->stride % channels->count;
}

/* op/draw.c: parts of both op rows. */
void byteir_quantize_draw_program(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                                  program_t *inout_program);
void byteir_quantize_draw_edges(rng_t *rng, case_t *inout_case);
void byteir_dequantize_draw_edges(rng_t *rng, case_t *inout_case);

#endif
