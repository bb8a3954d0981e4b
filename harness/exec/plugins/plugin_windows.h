/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and windows as a backend sees them: their attributes, read and checked. */
#ifndef ASSAY_EXEC_PLUGINS_PLUGIN_WINDOWS_H
#define ASSAY_EXEC_PLUGINS_PLUGIN_WINDOWS_H

#include "harness/exec/executor_products.h"
#include "harness/exec/plugins/plugin.h"

/* What runs along one dimension of an operand. */
typedef struct plugin_window {
  int64_t size;
  int64_t stride;
  int64_t low; /* Padding, negative where it cuts off. */
  int64_t high;
  int64_t base_dilation;
  int64_t dilation;
  bool is_reversed;
} plugin_window_t;

/* "[2,1]" as the attribute `key`: exactly `count` numbers. */
static inline bool plugin_read_list(const assay_program_t *program, const char *key, uint32_t count,
                                    assay_dims_t *out_list) {
  return assay_attribute_dims(program, key, out_list) && out_list->count == count;
}

/* Numbers of attributes beyond this make sizes that no case has; below it nothing overflows. */
enum { PLUGIN_WINDOW_MAX = 1 << 26 };

static inline bool plugin_window_is_small(const plugin_window_t *window) {
  const int64_t numbers[] = {window->low,           window->high,     window->stride,
                             window->base_dilation, window->dilation, window->size};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    if (numbers[i] > PLUGIN_WINDOW_MAX || numbers[i] < -PLUGIN_WINDOW_MAX) return false;
  }
  return true;
}

/* How many windows fit along a dimension of `size` elements (StableHLO specification,
 * reduce_window, C15); strides and dilations are positive. */
static inline int64_t plugin_count_windows(int64_t size, const plugin_window_t *window) {
  int64_t base = size == 0 ? 0 : (size - 1) * window->base_dilation + 1;
  int64_t padded = window->low + base + window->high;
  int64_t covered = window->size == 0 ? 0 : (window->size - 1) * window->dilation + 1;
  return padded <= 0 || covered > padded ? 0 : (padded - covered) / window->stride + 1;
}

/* Whether some window along `size` elements, not dilated, lies on none of them. */
static inline bool plugin_has_window_of_padding(int64_t size, const plugin_window_t *window) {
  int64_t count = plugin_count_windows(size, window);
  for (int64_t i = 0; i < count; i++) {
    int64_t start = i * window->stride - window->low;
    int64_t skipped = start >= 0 ? 0 : (-start + window->dilation - 1) / window->dilation;
    int64_t first = start + skipped * window->dilation; /* The first place that is not before 0. */
    if (skipped >= window->size || first >= size) return true;
  }
  return false;
}

#endif
