/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of an op as a table: what each is called, of which kind it is, and where it lies in
 * the op's attributes struct.  From one table follow the text of the case line, its parsing, and
 * MLIR's dictionary. */
#ifndef ASSAY_MODEL_ATTRIBUTE_H
#define ASSAY_MODEL_ATTRIBUTE_H

#include "harness/num/element.h"
#include "harness/types/dimension_list.h"

typedef enum attribute_kind {
  ATTRIBUTE_INTEGER,          /* int64_t: "-1" */
  ATTRIBUTE_OPTIONAL_INTEGER, /* optional_integer_t: "2", or left out */
  ATTRIBUTE_DIMENSIONS,       /* dimension_list_t: "[0,2]" */
  ATTRIBUTE_BOOLEAN,          /* uint8_t: "false", "true" */
  ATTRIBUTE_OPTIONAL_BOOLEAN, /* optional_boolean_t: "false", "true", or left out */
  ATTRIBUTE_NUMBER,           /* double, 0 or positive, finite: "0x0p+0", "0x1.8p-3" */
  ATTRIBUTE_WORD,             /* uint8_t, an index into the row's words: "linear" */
  ATTRIBUTE_PATTERN,          /* attribute_pattern_t: "3f800000" */
} attribute_kind_t;

typedef struct optional_integer {
  bool is_present;
  int64_t value; /* 0 if not. */
} optional_integer_t;

typedef enum optional_boolean {
  OPTIONAL_ABSENT,
  OPTIONAL_FALSE,
  OPTIONAL_TRUE,
} optional_boolean_t;

/* The bits of one element of an unquantized type that the program has elsewhere. */
typedef struct attribute_pattern {
  uint64_t bits;
  uint8_t digits; /* Hex digits as written: for its type, ceil(bits of the type / 4). */
} attribute_pattern_t;

typedef struct attribute_row {
  const char *key;
  attribute_kind_t kind;
  size_t offset;            /* Of the member of the attributes struct. */
  const char *const *words; /* Of ATTRIBUTE_WORD: the spellings, ended by NULL. */
} attribute_row_t;

/* Parses ` key=value` words in the order of the rows, which a row without a key ends; stops before
 * the blank that precedes what is no such word.  `out_attributes` is the whole struct, zeroed. */
status_t attributes_parse(const attribute_row_t *rows, scan_t *scan, void *out_attributes,
                          failure_t *error);

/* Prints them, each with a blank before it. */
void attributes_print(const attribute_row_t *rows, const void *attributes, GString *out_text);

/* "{axis = 1 : i64, epsilon = 0x3EE4F8B588E368F1 : f64}": MLIR's dictionary, keys ascending.
 * `pattern_element` is the type of the patterns. */
void attributes_print_mlir(const attribute_row_t *rows, const void *attributes,
                           const element_t *pattern_element, GString *out_text);

/* Whether the pattern is one of an element of that type. */
bool attribute_pattern_fits(const attribute_pattern_t *pattern, const element_t *element);

#endif
