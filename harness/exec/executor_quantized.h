/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized element types as a backend sees them, "!quant.uniform<i8:f32:1,{0x1p-1:3,0x1p+0}>".
 * Header-only, as executor_helpers.h. */
#ifndef ASSAY_EXECUTOR_QUANTIZED_H
#define ASSAY_EXECUTOR_QUANTIZED_H

#include "harness/exec/executor_helpers.h"

typedef struct assay_quantization {
  char storage[8]; /* "i8", "ui8". */
  bool has_range;  /* Narrower than the storage type's: minimum..maximum. */
  int64_t minimum;
  int64_t maximum;
  char expressed[16];
  int64_t axis;       /* -1: one scale for the whole tensor. */
  const char *scales; /* The text from the first scale on, for assay_next_scale(). */
} assay_quantization_t;

static inline bool assay_is_quantized(const assay_type_t *type) {
  return strncmp(type->element, "!quant", 6) == 0;
}

/* False if the element type is not a quantized one. */
static inline bool assay_read_quantization(const assay_type_t *type,
                                           assay_quantization_t *out_quantization) {
  static const char start[] = "!quant.uniform<";
  assay_quantization_t *quantization = out_quantization;
  memset(quantization, 0, sizeof *quantization);
  quantization->axis = -1;
  if (strncmp(type->element, start, sizeof start - 1) != 0) return false;
  const char *cursor = type->element + sizeof start - 1;
  if (!assay_take_word(&cursor, quantization->storage, sizeof quantization->storage)) return false;
  if (assay_take_character(&cursor, '<')) {
    quantization->has_range = assay_take_integer(&cursor, &quantization->minimum) &&
                              assay_take_character(&cursor, ':') &&
                              assay_take_integer(&cursor, &quantization->maximum);
    if (!quantization->has_range || !assay_take_character(&cursor, '>')) return false;
  }
  bool is_there = assay_take_character(&cursor, ':') &&
                  assay_take_word(&cursor, quantization->expressed, sizeof quantization->expressed);
  if (is_there && assay_take_character(&cursor, ':')) {
    is_there = assay_take_integer(&cursor, &quantization->axis);
  }
  if (!is_there || !assay_take_character(&cursor, ',')) return false;
  assay_take_character(&cursor, '{');
  quantization->scales = cursor;
  return true;
}

/* Reads a scale and its zero point at *cursor and moves behind them; false after the last, and
 * nothing is written. */
static inline bool assay_next_scale(const char **cursor, double *out_scale,
                                    int64_t *out_zero_point) {
  char *end = NULL;
  double scale = strtod(*cursor, &end);
  if (end == *cursor) return false;
  *out_scale = scale;
  *cursor = end;
  *out_zero_point = 0;
  if (assay_take_character(cursor, ':') && !assay_take_integer(cursor, out_zero_point))
    return false;
  assay_take_character(cursor, ',');
  return true;
}

#endif
