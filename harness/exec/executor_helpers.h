/* SPDX-License-Identifier: Apache-2.0 */
/* Help for writing a backend: the attributes of a program as numbers, lists and dimensions, so that
 * none has to take their texts apart; types; options; reasons.
 *
 *   assay_dot_dims_t dims;
 *   const char *broken = assay_dot_read(program, &dims);
 *   if (broken != NULL) return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken %s", broken);
 *   bool is_matmul = dims.lhs_batch.count == 0 && assay_dims_are(&dims.lhs_contract, 1, 1) && ...
 *
 * Header-only and standalone, but for the executor ABI (C11 and C++17); no state, any thread.  What
 * reads an attribute answers false where the program does not have it, or it is something else, and
 * then writes nothing that counts.  Products and convolutions: executor_products.h; quantized
 * types: executor_quantized.h. */
#ifndef ASSAY_EXECUTOR_HELPERS_H
#define ASSAY_EXECUTOR_HELPERS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/exec/assay_executor.h"

/* No tensor has more dimensions, and no option more bytes. */
enum { ASSAY_RANK_MAX = 8, ASSAY_OPTION_BYTES = 1024 };

/* Explains itself and returns `code`: `return assay_explain(reason, ASSAY_EXECUTOR_FAILED, ...)`.
 */
__attribute__((format(printf, 3, 4))) static inline int32_t assay_explain(assay_reason_t *reason,
                                                                          int32_t code,
                                                                          const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason->text, reason->text_bytes, format, arguments);
  va_end(arguments);
  return code;
}

/* ---- Options: "key=value,key=value" ---------------------------------------------------------- */

typedef struct assay_option {
  const char *key;
  char *out_value; /* ASSAY_OPTION_BYTES; holds the default, or "". */
} assay_option_t;

/* Takes one "key=value" of `size` bytes. */
static inline int32_t assay_take_option(const char *text, size_t size, const assay_option_t *known,
                                        size_t known_count, assay_reason_t *reason) {
  const char *equals = (const char *)memchr(text, '=', size);
  size_t key_size = equals == NULL ? size : (size_t)(equals - text);
  for (size_t i = 0; i < known_count; i++) {
    if (strlen(known[i].key) != key_size || memcmp(known[i].key, text, key_size) != 0) continue;
    size_t value_size = equals == NULL ? 0 : size - key_size - 1;
    if (value_size == 0 || value_size >= ASSAY_OPTION_BYTES) break;
    memcpy(known[i].out_value, equals + 1, value_size);
    known[i].out_value[value_size] = '\0';
    return ASSAY_EXECUTOR_OK;
  }
  assay_explain(reason, ASSAY_EXECUTOR_INVALID, "\"%.*s\" is no option: write KEY=VALUE,... with",
                (int)size, text);
  for (size_t i = 0; i < known_count; i++) {
    size_t used = strlen(reason->text);
    snprintf(reason->text + used, reason->text_bytes - used, " %s", known[i].key);
  }
  return ASSAY_EXECUTOR_INVALID;
}

/* Takes all options that open() got, or says which it does not know. */
static inline int32_t assay_read_options(const char *options, const assay_option_t *known,
                                         size_t known_count, assay_reason_t *reason) {
  while (*options != '\0') {
    size_t size = strcspn(options, ",");
    int32_t code = assay_take_option(options, size, known, known_count, reason);
    if (code != ASSAY_EXECUTOR_OK) return code;
    options += size + (options[size] == ',');
  }
  return ASSAY_EXECUTOR_OK;
}

/* ---- Types ----------------------------------------------------------------------------------- */

static inline bool assay_type_is(const assay_type_t *type, const char *element) {
  return strcmp(type->element, element) == 0;
}

/* The product of sizes.  Beside a 0 the others may be large: what overflows is INT64_MAX. */
static inline int64_t assay_multiply_size(int64_t product, int64_t size) {
  return size > 0 && product > INT64_MAX / size ? INT64_MAX : product * size;
}

/* Whether a tensor has no elements. */
static inline bool assay_type_is_empty(const assay_type_t *type) {
  for (uint32_t i = 0; i < type->rank; i++) {
    if (type->dims[i] == 0) return true;
  }
  return false;
}

/* Number of elements. */
static inline size_t assay_type_count(const assay_type_t *type) {
  if (assay_type_is_empty(type)) return 0;
  int64_t count = 1;
  for (uint32_t i = 0; i < type->rank; i++) count = assay_multiply_size(count, type->dims[i]);
  return (size_t)count;
}

/* ---- Lists ----------------------------------------------------------------------------------- */
/* Dimensions, or a number for each of at most ASSAY_RANK_MAX of them. */

typedef struct assay_dims {
  uint32_t count;
  int64_t dims[ASSAY_RANK_MAX];
} assay_dims_t;

static inline bool assay_dims_contain(const assay_dims_t *list, int64_t dim) {
  for (uint32_t i = 0; i < list->count; i++) {
    if (list->dims[i] == dim) return true;
  }
  return false;
}

/* Whether all are in 0..rank-1 and none is there twice. */
static inline bool assay_dims_are_distinct(const assay_dims_t *list, uint32_t rank) {
  uint32_t seen = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    int64_t dim = list->dims[i];
    if (dim < 0 || dim >= (int64_t)rank || (seen >> dim & 1) != 0) return false;
    seen |= 1u << dim;
  }
  return true;
}

/* Whether it is that one alone. */
static inline bool assay_dims_are(const assay_dims_t *list, int64_t only) {
  return list->count == 1 && list->dims[0] == only;
}

/* Appends `other`; there must be room. */
static inline void assay_dims_append(assay_dims_t *list, const assay_dims_t *other) {
  for (uint32_t i = 0; i < other->count; i++) list->dims[list->count++] = other->dims[i];
}

/* The dimensions 0..rank-1 that are not in `list`, ascending. */
static inline assay_dims_t assay_dims_rest(const assay_dims_t *list, uint32_t rank) {
  assay_dims_t rest;
  rest.count = 0;
  for (int64_t dim = 0; dim < (int64_t)rank; dim++) {
    if (!assay_dims_contain(list, dim)) rest.dims[rest.count++] = dim;
  }
  return rest;
}

/* The product of the sizes of those dimensions. */
static inline int64_t assay_dims_extent(const assay_dims_t *list, const assay_type_t *type) {
  int64_t extent = 1;
  for (uint32_t i = 0; i < list->count; i++) {
    extent = assay_multiply_size(extent, type->dims[list->dims[i]]);
  }
  return extent;
}

/* ---- Attributes ------------------------------------------------------------------------------ */

/* As it is spelled, "[1]x[0]"; NULL if the program does not have it. */
static inline const char *assay_attribute_text(const assay_program_t *program, const char *key) {
  for (uint32_t i = 0; i < program->attribute_count; i++) {
    if (strcmp(program->attributes[i].key, key) == 0) return program->attributes[i].value;
  }
  return NULL;
}

/* A word: `body` is "add". */
static inline bool assay_attribute_is(const assay_program_t *program, const char *key,
                                      const char *word) {
  const char *text = assay_attribute_text(program, key);
  return text != NULL && strcmp(text, word) == 0;
}

/* The first attribute whose key is none of the `count` keys, or NULL.  Attributes are added in the
 * course of time, and each may change what a program means: who does not know one must refuse. */
static inline const char *assay_find_unknown_key(const assay_program_t *program,
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

static inline bool assay_attribute_integer(const assay_program_t *program, const char *key,
                                           int64_t *out_value) {
  const char *text = assay_attribute_text(program, key);
  if (text == NULL) return false;
  char *end = NULL;
  *out_value = strtoll(text, &end, 10);
  return end != text && *end == '\0';
}

/* `epsilon`: a number of f64, exactly. */
static inline bool assay_attribute_number(const assay_program_t *program, const char *key,
                                          double *out_value) {
  const char *text = assay_attribute_text(program, key);
  if (text == NULL) return false;
  char *end = NULL;
  *out_value = strtod(text, &end);
  return end != text && *end == '\0';
}

static inline bool assay_attribute_boolean(const assay_program_t *program, const char *key,
                                           bool *out_value) {
  *out_value = assay_attribute_is(program, key, "true");
  return *out_value || assay_attribute_is(program, key, "false");
}

/* For what has no call of its own: these read what is at *cursor and move it behind. */

/* Takes the letters and digits at *cursor; false if there are none or too many for `bytes`. */
static inline bool assay_take_word(const char **cursor, char *out_word, size_t bytes) {
  size_t size = strspn(*cursor, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
  if (size == 0 || size >= bytes) return false;
  memcpy(out_word, *cursor, size);
  out_word[size] = '\0';
  *cursor += size;
  return true;
}

static inline bool assay_take_integer(const char **cursor, int64_t *out_value) {
  char *end = NULL;
  *out_value = strtoll(*cursor, &end, 10);
  bool is_there = end != *cursor;
  *cursor = end;
  return is_there;
}

/* Takes one character if it is there. */
static inline bool assay_take_character(const char **cursor, char wanted) {
  if (**cursor != wanted) return false;
  ++*cursor;
  return true;
}

/* Reads a list at *cursor, "[0,2]", and moves it behind; false if none is there. */
static inline bool assay_take_dims(const char **cursor, assay_dims_t *out_list) {
  const char *next = *cursor;
  if (*next++ != '[') return false;
  out_list->count = 0;
  while (*next != ']') {
    if (out_list->count == ASSAY_RANK_MAX || (out_list->count != 0 && *next++ != ',')) {
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

/* `dims` of a reduction, `permutation`, `window_strides`: any number of integers. */
static inline bool assay_attribute_dims(const assay_program_t *program, const char *key,
                                        assay_dims_t *out_list) {
  const char *text = assay_attribute_text(program, key);
  return text != NULL && assay_take_dims(&text, out_list) && *text == '\0';
}

/* Two lists, one for each operand: `contract` and `batch` of a product. */
static inline bool assay_attribute_dims_pair(const assay_program_t *program, const char *key,
                                             assay_dims_t *out_left, assay_dims_t *out_right) {
  const char *text = assay_attribute_text(program, key);
  return text != NULL && assay_take_dims(&text, out_left) && *text++ == 'x' &&
         assay_take_dims(&text, out_right) && *text == '\0';
}

/* `padding`: the first and the second number of at most ASSAY_RANK_MAX pairs. */
static inline bool assay_attribute_pairs(const assay_program_t *program, const char *key,
                                         assay_dims_t *out_first, assay_dims_t *out_second) {
  const char *text = assay_attribute_text(program, key);
  if (text == NULL || *text++ != '[') return false;
  out_first->count = out_second->count = 0;
  while (*text != ']') {
    assay_dims_t pair;
    if (out_first->count == ASSAY_RANK_MAX || (out_first->count > 0 && *text++ != ',')) {
      return false;
    }
    if (!assay_take_dims(&text, &pair) || pair.count != 2) return false;
    out_first->dims[out_first->count++] = pair.dims[0];
    out_second->dims[out_second->count++] = pair.dims[1];
  }
  return text[1] == '\0';
}

/* `window_reversal`: exactly `count` booleans. */
static inline bool assay_attribute_booleans(const assay_program_t *program, const char *key,
                                            uint32_t count, bool *out_values) {
  const char *text = assay_attribute_text(program, key);
  if (text == NULL || *text++ != '[') return false;
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0 && *text++ != ',') return false;
    out_values[i] = strncmp(text, "true", 4) == 0;
    if (!out_values[i] && strncmp(text, "false", 5) != 0) return false;
    text += out_values[i] ? 4 : 5;
  }
  return strcmp(text, "]") == 0;
}

#endif
