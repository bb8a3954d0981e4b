/* SPDX-License-Identifier: Apache-2.0 */
/* Help for writing a backend: reading options, attributes and types of the ABI.  Header-only, needs
 * nothing but the C library; README.md beside it shows a whole backend. */
#ifndef ASSAY_EXEC_PLUGINS_PLUGIN_H
#define ASSAY_EXEC_PLUGINS_PLUGIN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/exec/assay_executor.h"

enum { PLUGIN_RANK_MAX = 8, PLUGIN_OPTION_BYTES = 64 };

/* Explains itself and returns `code`: `return plugin_say(reason, ASSAY_EXECUTOR_UNSUPPORTED, ...)`.
 */
__attribute__((format(printf, 3, 4))) static inline int32_t plugin_say(assay_reason_t *reason,
                                                                       int32_t code,
                                                                       const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason->text, reason->text_bytes, format, arguments);
  va_end(arguments);
  return code;
}

/* ---- Options: "key=value,key=value". */

typedef struct plugin_option {
  const char *key;
  char *out_value; /* PLUGIN_OPTION_BYTES; holds the default, or "". */
} plugin_option_t;

/* Takes one "key=value" of `size` bytes. */
static inline int32_t plugin_take_option(const char *text, size_t size,
                                         const plugin_option_t *known, size_t known_count,
                                         assay_reason_t *reason) {
  const char *equals = memchr(text, '=', size);
  size_t key_size = equals == NULL ? size : (size_t)(equals - text);
  for (size_t i = 0; i < known_count; i++) {
    if (strlen(known[i].key) != key_size || memcmp(known[i].key, text, key_size) != 0) continue;
    size_t value_size = equals == NULL ? 0 : size - key_size - 1;
    if (value_size == 0 || value_size >= PLUGIN_OPTION_BYTES) break;
    memcpy(known[i].out_value, equals + 1, value_size);
    known[i].out_value[value_size] = '\0';
    return ASSAY_EXECUTOR_OK;
  }
  plugin_say(reason, ASSAY_EXECUTOR_INVALID, "\"%.*s\" is no option: write KEY=VALUE,... with",
             (int)size, text);
  for (size_t i = 0; i < known_count; i++) {
    size_t used = strlen(reason->text);
    snprintf(reason->text + used, reason->text_bytes - used, " %s", known[i].key);
  }
  return ASSAY_EXECUTOR_INVALID;
}

/* Takes all options, or says which it does not know. */
static inline int32_t plugin_take_options(const char *options, const plugin_option_t *known,
                                          size_t known_count, assay_reason_t *reason) {
  while (*options != '\0') {
    size_t size = strcspn(options, ",");
    int32_t code = plugin_take_option(options, size, known, known_count, reason);
    if (code != ASSAY_EXECUTOR_OK) return code;
    options += size + (options[size] == ',');
  }
  return ASSAY_EXECUTOR_OK;
}

/* Whether the value of an option is a sensible number of threads. */
static inline int32_t plugin_check_threads(const char *value, assay_reason_t *reason) {
  char *end = NULL;
  long threads = strtol(value, &end, 10);
  if (*end == '\0' && threads >= 1 && threads <= 1024) return ASSAY_EXECUTOR_OK;
  return plugin_say(reason, ASSAY_EXECUTOR_INVALID, "threads=%s: write a number from 1 to 1024",
                    value);
}

/* ---- Attributes and types. */

/* The value of an attribute, or NULL if the program does not have it. */
static inline const char *plugin_attribute(const assay_program_t *program, const char *key) {
  for (uint32_t i = 0; i < program->attribute_count; i++) {
    if (strcmp(program->attributes[i].key, key) == 0) return program->attributes[i].value;
  }
  return NULL;
}

/* The first attribute whose key is none of the `count` keys, or NULL.  Attributes are added in the
 * course of time, and each may change what a program means: who does not know one must refuse. */
static inline const char *plugin_find_unknown_key(const assay_program_t *program,
                                                  const char *const *keys, size_t count) {
  for (uint32_t i = 0; i < program->attribute_count; i++) {
    bool is_known = false;
    for (size_t k = 0; k < count; k++) {
      is_known = is_known || strcmp(program->attributes[i].key, keys[k]) == 0;
    }
    if (!is_known) return program->attributes[i].key;
  }
  return NULL;
}

static inline bool plugin_is(const assay_type_t *type, const char *element) {
  return strcmp(type->element, element) == 0;
}

/* The product of sizes.  Beside a 0 the others may be large: what overflows is INT64_MAX. */
static inline int64_t plugin_multiply_size(int64_t product, int64_t size) {
  return __builtin_mul_overflow(product, size, &product) ? INT64_MAX : product;
}

/* Whether a tensor has no elements. */
static inline bool plugin_is_empty(const assay_type_t *type) {
  for (uint32_t i = 0; i < type->rank; i++) {
    if (type->dims[i] == 0) return true;
  }
  return false;
}

/* Number of elements. */
static inline size_t plugin_count(const assay_type_t *type) {
  if (plugin_is_empty(type)) return 0;
  int64_t count = 1;
  for (uint32_t i = 0; i < type->rank; i++) count = plugin_multiply_size(count, type->dims[i]);
  return (size_t)count;
}

/* A list of dimensions, "[0,2]". */
typedef struct plugin_dims {
  uint32_t count;
  int64_t dims[PLUGIN_RANK_MAX];
} plugin_dims_t;

/* Reads a list at *cursor and moves it behind; false if none is there. */
static inline bool plugin_read_dims(const char **cursor, plugin_dims_t *out_list) {
  const char *next = *cursor;
  if (*next++ != '[') return false;
  out_list->count = 0;
  while (*next != ']') {
    if (out_list->count == PLUGIN_RANK_MAX || (out_list->count != 0 && *next++ != ',')) {
      return false;
    }
    char *end = NULL;
    out_list->dims[out_list->count++] = strtoll(next, &end, 10);
    if (end == next) return false;
    next = end;
  }
  *cursor = next + 1;
  return true;
}

static inline bool plugin_dims_contain(const plugin_dims_t *list, int64_t dim) {
  for (uint32_t i = 0; i < list->count; i++) {
    if (list->dims[i] == dim) return true;
  }
  return false;
}

/* Whether all are in 0..rank-1 and none is there twice. */
static inline bool plugin_dims_are_distinct(const plugin_dims_t *list, uint32_t rank) {
  uint32_t seen = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    int64_t dim = list->dims[i];
    if (dim < 0 || dim >= (int64_t)rank || (seen >> dim & 1) != 0) return false;
    seen |= 1u << dim;
  }
  return true;
}

/* Appends `other`; there must be room. */
static inline void plugin_dims_append(plugin_dims_t *list, const plugin_dims_t *other) {
  for (uint32_t i = 0; i < other->count; i++) list->dims[list->count++] = other->dims[i];
}

/* The dimensions 0..rank-1 that are not in `list`, ascending. */
static inline plugin_dims_t plugin_dims_rest(const plugin_dims_t *list, uint32_t rank) {
  plugin_dims_t rest = {.count = 0};
  for (int64_t dim = 0; dim < (int64_t)rank; dim++) {
    if (!plugin_dims_contain(list, dim)) rest.dims[rest.count++] = dim;
  }
  return rest;
}

/* The product of the sizes of those dimensions. */
static inline int64_t plugin_dims_extent(const plugin_dims_t *list, const assay_type_t *type) {
  int64_t extent = 1;
  for (uint32_t i = 0; i < list->count; i++) {
    extent = plugin_multiply_size(extent, type->dims[list->dims[i]]);
  }
  return extent;
}

#endif
