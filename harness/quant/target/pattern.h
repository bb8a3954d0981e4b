/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of a table: which high-precision ops a kernel of the target is (target.md, "Patterns").
 * Kernel fusion wraps what a pattern describes into a region (harness/quant/fuse/fuse.md). */
#ifndef ASSAY_QUANT_TARGET_PATTERN_H
#define ASSAY_QUANT_TARGET_PATTERN_H

#include "harness/quant/graph/graph.h"

enum {
  QUANT_PATTERN_LINES_MAX = 12,
  QUANT_PATTERN_OPTIONAL_MAX = 4, /* Lines with "?=". */
  QUANT_PATTERN_CONDITIONS_MAX = 12,
};

typedef enum quant_argument_kind {
  QUANT_ARGUMENT_LINE,   /* The result of a line above. */
  QUANT_ARGUMENT_PORT,   /* An input of the kernel. */
  QUANT_ARGUMENT_PORTS,  /* All operands from here on are inputs: "input...". */
  QUANT_ARGUMENT_NUMBER, /* A constant all of whose elements are this number. */
  QUANT_ARGUMENT_COUNT,  /* The same of how many terms a line's reduction has: "count(sums)". */
  QUANT_ARGUMENT_SHARE,  /* Of one over that: "1/count(sums)". */
} quant_argument_kind_t;

typedef struct quant_argument {
  quant_argument_kind_t kind;
  uint32_t index; /* LINE, COUNT, SHARE: of the line; PORT, PORTS: of the port. */
  double number;  /* NUMBER */
} quant_argument_t;

/* "ATTRIBUTE=TEXT" */
typedef struct quant_condition {
  const char *attribute; /* "rank": of the op's result. */
  const char *text;
} quant_condition_t;

typedef struct quant_pattern_line {
  const char *name;
  const struct op *op;
  bool is_optional; /* "?=": may be left out, its name then is the first argument's. */
  uint32_t argument_count;
  quant_argument_t arguments[CASE_OPERANDS_MAX];
  uint32_t condition_count;
  quant_condition_t conditions[QUANT_PATTERN_CONDITIONS_MAX];
} quant_pattern_line_t;

typedef struct quant_pattern {
  const char *kernel;
  uint32_t line; /* In the text. */
  uint32_t port_count;
  const char *const *ports; /* The kernel's inputs, by the names of its rows and in their order. */
  uint32_t line_count;
  const quant_pattern_line_t *lines; /* The last one gives the kernel's output. */
} quant_pattern_t;

/* Whether the op's two operands may be swapped: the result is the same, NaN payloads aside. */
bool quant_op_is_commutative(const struct op *op);

/* "  NAME = OP(ARGUMENTS) CONDITIONS\n" of each line, as target.md has them. */
void quant_pattern_print_line(const quant_pattern_t *pattern, uint32_t line, GString *out_text);

#endif
