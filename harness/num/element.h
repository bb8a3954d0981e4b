/* SPDX-License-Identifier: Apache-2.0 */
/* Element types of tensors: booleans, integers, floats and complex numbers, as rows of one table.
 * An element is stored in whole bytes: element->bytes of them, little-endian, value in the low
 * bits, unused high bits zero (so i4, f4 and i1 take one byte each). */
#ifndef ASSAY_NUM_ELEMENT_H
#define ASSAY_NUM_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/text.h"
#include "harness/num/format.h"

typedef enum element_kind {
  ELEMENT_BOOLEAN,  /* i1 */
  ELEMENT_SIGNED,   /* i2 to i64, two's complement */
  ELEMENT_UNSIGNED, /* ui2 to ui64 */
  ELEMENT_FLOAT,
  ELEMENT_COMPLEX, /* Two floats: real, then imaginary. */
} element_kind_t;

typedef struct element {
  const char *name; /* MLIR spelling: "f32", "i8" (signed), "ui8", "complex<f32>". */
  element_kind_t kind;
  uint8_t bits;            /* Of one component. */
  uint8_t component_bytes; /* Whole bytes that hold one component. */
  uint8_t components;      /* 2 for complex, else 1. */
  bool is_tensor_element;  /* False for tf32, which only a dot algorithm may name. */
  const format_t *format;  /* Of one component; NULL unless float or complex. */
} element_t;

/* All rows, in a fixed order. */
extern const element_t element_table[];
extern const size_t element_count;

/* The row called `name`, or NULL.  Rows live for ever, so rows are compared by address. */
const element_t *element_find(str_t name);

/* element_find() for a name in our own source, which must exist. */
const element_t *element_named(const char *name);

static inline size_t element_bytes(const element_t *element) {
  return (size_t)element->component_bytes * element->components;
}

static inline bool element_is_integer(const element_t *element) {
  return element->kind == ELEMENT_SIGNED || element->kind == ELEMENT_UNSIGNED;
}

/* All ones in the low element->bits bits. */
uint64_t element_mask(const element_t *element);

/* Value of an integer or boolean pattern: sign-extended for signed, zero-extended else. */
int64_t element_signed_value(const element_t *element, uint64_t bits);

/* Smallest and largest value of an integer or boolean; the largest of ui64 is UINT64_MAX. */
int64_t element_integer_min(const element_t *element);
uint64_t element_integer_max(const element_t *element);

/* Reads and writes component `index` (complex tensors have two per element) of dense data.  Each
 * size is one load or store of its own: what goes through a wider variable in memory waits for it.
 */
static inline uint64_t element_load(const element_t *element, const uint8_t *data, size_t index) {
  uint64_t value = 0;
  uint32_t word;
  uint16_t half;
  switch (element->component_bytes) {
    case 1:
      return data[index];
    case 2:
      __builtin_memcpy(&half, data + index * sizeof half, sizeof half);
      return half;
    case 4:
      __builtin_memcpy(&word, data + index * sizeof word, sizeof word);
      return word;
    case 8:
      __builtin_memcpy(&value, data + index * sizeof value, sizeof value);
      return value;
    default:
      __builtin_memcpy(&value, data + index * element->component_bytes, element->component_bytes);
      return value;
  }
}
static inline void element_store(const element_t *element, uint8_t *data, size_t index,
                                 uint64_t bits) {
  const uint32_t word = (uint32_t)bits;
  const uint16_t half = (uint16_t)bits;
  switch (element->component_bytes) {
    case 1:
      data[index] = (uint8_t)bits;
      break;
    case 2:
      __builtin_memcpy(data + index * sizeof half, &half, sizeof half);
      break;
    case 4:
      __builtin_memcpy(data + index * sizeof word, &word, sizeof word);
      break;
    case 8:
      __builtin_memcpy(data + index * sizeof bits, &bits, sizeof bits);
      break;
    default:
      __builtin_memcpy(data + index * element->component_bytes, &bits, element->component_bytes);
      break;
  }
}

#endif
