/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and windows as a backend sees them: their attributes, read and checked. */
#ifndef ASSAY_EXEC_PLUGINS_PLUGIN_WINDOWS_H
#define ASSAY_EXEC_PLUGINS_PLUGIN_WINDOWS_H

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

/* "[[0,1],[-1,2]]", at most PLUGIN_RANK_MAX pairs. */
static inline bool plugin_read_pairs(const char *value, uint32_t *out_count, int64_t *out_first,
                                     int64_t *out_second) {
  if (value == NULL || *value++ != '[') return false;
  *out_count = 0;
  while (*value != ']') {
    plugin_dims_t pair;
    if (*out_count == PLUGIN_RANK_MAX || (*out_count > 0 && *value++ != ',')) return false;
    if (!plugin_read_dims(&value, &pair) || pair.count != 2) return false;
    out_first[*out_count] = pair.dims[0];
    out_second[(*out_count)++] = pair.dims[1];
  }
  return value[1] == '\0';
}

/* "[2,1]" as the attribute `key`: exactly `count` numbers. */
static inline bool plugin_read_list(const assay_program_t *program, const char *key, uint32_t count,
                                    plugin_dims_t *out_list) {
  const char *value = plugin_attribute(program, key);
  return value != NULL && plugin_read_dims(&value, out_list) && *value == '\0' &&
         out_list->count == count;
}

/* "[false,true]": `count` of them. */
static inline bool plugin_read_flags(const char *value, uint32_t count, bool *out_flags) {
  if (value == NULL || *value++ != '[') return false;
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0 && *value++ != ',') return false;
    out_flags[i] = strncmp(value, "true", 4) == 0;
    if (!out_flags[i] && strncmp(value, "false", 5) != 0) return false;
    value += out_flags[i] ? 4 : 5;
  }
  return strcmp(value, "]") == 0;
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

/* Which dimension is what: "[b,0,1,f]" with letters "bf" gives places {0, 3, 1, 2}, the dimensions
 * of the letters and then the spatial ones.  False unless each is there once. */
static inline bool plugin_read_places(const char **cursor, const char *letters, uint32_t rank,
                                      uint32_t *out_places) {
  uint32_t seen = 0;
  if (*(*cursor)++ != '[') return false;
  for (uint32_t dim = 0; dim < rank; dim++) {
    if (dim > 0 && *(*cursor)++ != ',') return false;
    const char *letter = **cursor == '\0' ? NULL : strchr(letters, **cursor);
    bool is_digit = **cursor >= '0' && **cursor <= '9';
    if (letter == NULL && !is_digit) return false;
    uint32_t place = is_digit ? (uint32_t)(**cursor - '0') + 2 : (uint32_t)(letter - letters);
    if (place >= rank || (seen >> place & 1) != 0) return false;
    seen |= 1u << place;
    out_places[place] = dim;
    ++*cursor;
  }
  return *(*cursor)++ == ']';
}

#endif
