/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of an op as a table: what each is called, how it is written, and where it lies in the
 * op's attributes struct.  From one table follow the text of the case line, its parsing, and MLIR's
 * attributes.  How an attribute is written is a codec: those of integers, lists and words are here,
 * those of structures are in harness/kinds or in the op's folder. */
#ifndef ASSAY_MODEL_ATTRIBUTE_H
#define ASSAY_MODEL_ATTRIBUTE_H

#include "harness/num/element.h"
#include "harness/types/dimension_list.h"

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

typedef struct attribute_row attribute_row_t;

/* Where a value is read from, and where it is printed to. */
typedef struct attribute_source {
  const attribute_row_t *row;
  scan_t *scan;
  arena_t *arena;
  failure_t *error;
} attribute_source_t;

typedef struct attribute_sink {
  const attribute_row_t *row;
  const struct program *program;
  GString *text;
} attribute_sink_t;

/* How values of a kind are written.  A value is the member at the row's offset, zeroed before it is
 * parsed. */
typedef struct attribute_codec {
  const char *begins; /* What every value begins with, taken and printed with the key; or NULL. */
  bool (*is_absent)(const void *value); /* Of what may be left out; else NULL. */
  status_t (*parse)(const attribute_source_t *from, void *out_value);
  void (*print)(const void *value, const attribute_sink_t *to);      /* NULL: nothing. */
  void (*print_mlir)(const void *value, const attribute_sink_t *to); /* NULL: MLIR has none. */
  bool is_unit;                                                      /* MLIR has the name alone. */
  /* Replaces what a value points to by copies in the arena; NULL: it points to nothing that belongs
   * to an arena. */
  void (*copy)(arena_t *arena, void *inout_value);
} attribute_codec_t;

extern const attribute_codec_t attribute_integer;          /* int64_t: "-1" */
extern const attribute_codec_t attribute_optional_integer; /* optional_integer_t: "2" */
extern const attribute_codec_t attribute_dimensions; /* dimension_list_t: "[0,2]"; "array<i64: >" */
extern const attribute_codec_t attribute_list;       /* The same; MLIR: "[0, 2]" */
extern const attribute_codec_t attribute_boolean;    /* uint8_t: "false", "true" */
extern const attribute_codec_t attribute_optional_boolean; /* optional_boolean_t: "true" */
extern const attribute_codec_t attribute_flag;             /* bool: "true", or left out */
extern const attribute_codec_t attribute_number;  /* double, 0 or positive, finite: "0x1.8p-3" */
extern const attribute_codec_t attribute_word;    /* uint8_t, an index into the row's words */
extern const attribute_codec_t attribute_element; /* const element_t *, or NULL: "f32", left out */
extern const attribute_codec_t attribute_pattern; /* attribute_pattern_t: "3f800000" */

struct attribute_row {
  const char *key;
  const attribute_codec_t *codec;
  size_t offset; /* Of the member of the attributes struct; 0: its first, or all of it. */
  const char *const *words; /* Of attribute_word: the spellings, ended by NULL.  Of other codecs:
                             * what they say. */
  const char *mlir;         /* Its name in MLIR; NULL: the key. */
  bool is_at_blank; /* A line without it is refused at the blank before the key, not behind. */
};

/* The first members of a row: {ATTRIBUTE("axis", attribute_integer, softmax_attributes_t, axis)}.
 * A table ends with ATTRIBUTES_END. */
#define ATTRIBUTE(name, kind, attributes, member) \
  .key = (name), .codec = &(kind), .offset = offsetof(attributes, member)
#define ATTRIBUTE_AT_BLANK(name, kind, attributes, member) \
  ATTRIBUTE(name, kind, attributes, member), .is_at_blank = true
#define ATTRIBUTES_END {.key = NULL}

/* Writes the program's op's attributes that are there as MLIR's "NAME = VALUE, NAME = VALUE". */
typedef enum attribute_order {
  ATTRIBUTES_AS_LISTED, /* In the order of the rows. */
  ATTRIBUTES_BY_NAME,
} attribute_order_t;
void attributes_print_mlir(const struct program *program, attribute_order_t order,
                           GString *out_text);

/* Whether the pattern is one of an element of that type. */
bool attribute_pattern_fits(const attribute_pattern_t *pattern, const element_t *element);

#endif
