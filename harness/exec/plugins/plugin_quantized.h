/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized element types as a backend sees them, "!quant.uniform<i8:f32:1,{0x1p-1:3,0x1p+0}>". */
#ifndef ASSAY_EXEC_PLUGINS_PLUGIN_QUANTIZED_H
#define ASSAY_EXEC_PLUGINS_PLUGIN_QUANTIZED_H

#include "harness/exec/plugins/plugin.h"

typedef struct plugin_quantization {
  char storage[8]; /* "i8", "ui8". */
  bool has_range;  /* Narrower than the storage type's: minimum..maximum. */
  int64_t minimum;
  int64_t maximum;
  char expressed[16];
  int64_t axis;       /* -1: one scale for the whole tensor. */
  const char *scales; /* The text from the first scale on, for plugin_next_scale(). */
} plugin_quantization_t;

static inline bool plugin_is_quantized(const assay_type_t *type) {
  return strncmp(type->element, "!quant", 6) == 0;
}

/* Takes the letters and digits at *cursor; false if there are none or too many for `bytes`. */
static inline bool plugin_read_word(const char **cursor, char *out_word, size_t bytes) {
  size_t size = strspn(*cursor, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
  if (size == 0 || size >= bytes) return false;
  memcpy(out_word, *cursor, size);
  out_word[size] = '\0';
  *cursor += size;
  return true;
}

static inline bool plugin_read_integer(const char **cursor, int64_t *out_value) {
  char *end = NULL;
  *out_value = strtoll(*cursor, &end, 10);
  bool is_there = end != *cursor;
  *cursor = end;
  return is_there;
}

/* Takes one character if it is there. */
static inline bool plugin_skip(const char **cursor, char wanted) {
  if (**cursor != wanted) return false;
  ++*cursor;
  return true;
}

/* False if the element type is not a quantized one. */
static inline bool plugin_read_quantization(const assay_type_t *type,
                                            plugin_quantization_t *out_quantization) {
  static const char start[] = "!quant.uniform<";
  plugin_quantization_t *quantization = out_quantization;
  *quantization = (plugin_quantization_t){.axis = -1};
  if (strncmp(type->element, start, sizeof start - 1) != 0) return false;
  const char *cursor = type->element + sizeof start - 1;
  if (!plugin_read_word(&cursor, quantization->storage, sizeof quantization->storage)) return false;
  if (plugin_skip(&cursor, '<')) {
    quantization->has_range = plugin_read_integer(&cursor, &quantization->minimum) &&
                              plugin_skip(&cursor, ':') &&
                              plugin_read_integer(&cursor, &quantization->maximum);
    if (!quantization->has_range || !plugin_skip(&cursor, '>')) return false;
  }
  bool is_there = plugin_skip(&cursor, ':') && plugin_read_word(&cursor, quantization->expressed,
                                                                sizeof quantization->expressed);
  if (is_there && plugin_skip(&cursor, ':')) {
    is_there = plugin_read_integer(&cursor, &quantization->axis);
  }
  if (!is_there || !plugin_skip(&cursor, ',')) return false;
  plugin_skip(&cursor, '{');
  quantization->scales = cursor;
  return true;
}

/* Reads a scale and its zero point at *cursor and moves behind them; false after the last, and
 * nothing is written. */
static inline bool plugin_next_scale(const char **cursor, double *out_scale,
                                     int64_t *out_zero_point) {
  char *end = NULL;
  double scale = strtod(*cursor, &end);
  if (end == *cursor) return false;
  *out_scale = scale;
  *cursor = end;
  *out_zero_point = 0;
  if (plugin_skip(cursor, ':') && !plugin_read_integer(cursor, out_zero_point)) return false;
  plugin_skip(cursor, ',');
  return true;
}

#endif
