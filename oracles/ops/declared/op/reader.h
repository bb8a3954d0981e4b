/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of a declaration's lines share.  Private to this folder. */
#ifndef ASSAY_ORACLES_OPS_DECLARED_OP_READER_H
#define ASSAY_ORACLES_OPS_DECLARED_OP_READER_H

#include "oracles/ops/declared/declared.h"

/* A name that a line of the meaning has given to a step. */
typedef struct known_name {
  const char *name;
  uint16_t step;
} known_name_t;

typedef struct reader {
  const char *path;
  size_t line;           /* From 1. */
  const size_t *numbers; /* Of the lines of the text in the file; NULL: they are those. */
  scan_t scan;           /* Over this line, without its comment. */
  declaration_t *declaration;
  declared_formula_t *formula; /* The one that is being read; NULL before the first step. */
  bool has_result[CASE_RESULTS_MAX];
  uint32_t name_count;
  known_name_t names[DECLARED_STEPS_MAX];
  failure_t *error;
} reader_t;

/* "PATH:LINE:COLUMN: ..." about what is at `at`. */
status_t reader_fail(const reader_t *reader, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "PATH:LINE:1: ..." about a line above. */
status_t reader_fail_in_line(const reader_t *reader, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected WHAT, found ..." where the reader is. */
status_t reader_fail_expecting(const reader_t *reader, const char *what);

void reader_skip_blanks(reader_t *reader);
/* Takes `text` behind blanks if it comes next. */
bool reader_accept(reader_t *reader, const char *text);
status_t reader_expect(reader_t *reader, const char *text);
/* A word of letters, digits and '_'; empty if none comes. */
str_t reader_word(reader_t *reader);
char *reader_keep(const reader_t *reader, str_t text);
bool reader_is_name(str_t word);  /* Of a value or an attribute: begins with a small letter. */
bool reader_is_index(str_t word); /* Begins with a capital letter. */
/* An index that is known, or -1. */
int reader_find_index(const reader_t *reader, str_t word);

status_t reader_expect_end(reader_t *reader);

/* signature.c: a line behind its first word. */
status_t reader_op(reader_t *reader);
status_t reader_summary(reader_t *reader);
status_t reader_types(reader_t *reader);
status_t reader_attribute(reader_t *reader);
status_t reader_index(reader_t *reader);
status_t reader_formulas(reader_t *reader);
status_t reader_tensor(reader_t *reader, const char *what, uint32_t count_max,
                       uint32_t *inout_count, declared_tensor_t *tensors);

/* read_quantized.c: a storage type; behind "quantized"; and the argument of storage(), scale() or
 * zero_point(). */
status_t reader_storage_type(reader_t *reader, const element_t **out_element);
status_t reader_quantization(reader_t *reader, declared_tensor_t *inout_tensor);
status_t reader_quantum(reader_t *reader, step_kind_t kind, uint16_t *out_step);
/* Behind "quantize", which stands at `at`. */
status_t reader_quantize(reader_t *reader, const char *at, uint16_t *out_step);

/* read_scatter.c: behind "scatter" or "scatter_add", likewise. */
status_t reader_scatter(reader_t *reader, const char *at, step_kind_t kind, uint16_t *out_step);

/* A type; NULL for "float", the type that programs choose. */
status_t reader_type_word(reader_t *reader, const element_t **out_element);

/* check_types.c: what has a type is fit for where it stands; `at` is the operator or function that
 * is told of, `what` its name. */
const char *reader_type_name(const reader_t *reader, uint16_t step);
status_t reader_require_float(const reader_t *reader, const char *at, const char *what,
                              uint16_t step);
status_t reader_require_boolean(const reader_t *reader, const char *at, const char *what,
                                uint16_t step);
status_t reader_require_integer(const reader_t *reader, const char *at, const char *what,
                                uint16_t step); /* Or boolean. */
status_t reader_require_number(const reader_t *reader, const char *at, const char *what,
                               uint16_t step); /* No boolean. */
/* Integers that are no literal, as places along an index. */
status_t reader_require_places(const reader_t *reader, const char *at, uint16_t step);
/* No integer that is written as 0. */
status_t reader_require_divisor(const reader_t *reader, const char *at, uint16_t step);
/* Both of the same type; a number as it is written takes the type of the other. */
status_t reader_match(reader_t *reader, const char *at, const char *what, uint16_t *inout_a,
                      uint16_t *inout_b);
/* Whether a step is a number as it is written, and that as a number of a type of integers. */
bool reader_is_literal(const reader_t *reader, uint16_t step);
status_t reader_literal(reader_t *reader, const char *at, const element_t *element,
                        uint16_t *inout_step);

/* calls.c: reads the arguments of a function and takes it; `at` is where its name stands. */
status_t reader_call(reader_t *reader, const char *at, str_t name, uint16_t *out_step);

/* read_expression.c: adds a step to the formula. */
status_t reader_add_step(reader_t *reader, step_t step, uint16_t *out_step);
status_t reader_add_unary(reader_t *reader, step_kind_t kind, uint16_t a, uint16_t *out_step);
status_t reader_add_binary(reader_t *reader, step_kind_t kind, uint16_t a, uint16_t b,
                           uint16_t *out_step);
status_t reader_add_number(reader_t *reader, str_t digits, uint16_t *out_step);
static inline const step_t *reader_step(const reader_t *reader, uint16_t step) {
  return &reader->formula->steps[step];
}

/* Reads an expression as steps of the formula. */
status_t reader_expression(reader_t *reader, uint16_t *out_step);

/* read_file.c: the signature and the meaning that stand in a text. */
status_t declaration_read(str_t text, const size_t *numbers, const char *path,
                          declaration_t **out_declaration, failure_t *error);

/* readings.c: where the sections "reading NAME" of a text begin, or its end; and the readings, into
 * reader->declaration. */
size_t declaration_find_readings(str_t text);
status_t declaration_read_readings(const reader_t *reader, str_t text);

#endif
