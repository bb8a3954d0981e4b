/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the parser of tables.  For table_parse*.c alone. */
#ifndef ASSAY_QUANT_TARGET_RULE_TEXT_H
#define ASSAY_QUANT_TARGET_RULE_TEXT_H

#include "harness/quant/target/target.h"

enum { TARGET_KERNELS_MAX = 32 }; /* Named by one line. */

/* A row until its `end`; row.ports and row.rules are set then. */
typedef struct target_draft {
  bool is_open; /* Between `kernel` and `end`. */
  uint32_t kernel_count;
  const char *kernels[TARGET_KERNELS_MAX];
  quant_target_row_t row;
  quant_signature_port_t ports[QUANT_PORTS_MAX];
  quant_rule_use_t rules[QUANT_RULES_MAX];
} target_draft_t;

/* A pattern until its `end`; pattern.lines is set then. */
typedef struct pattern_draft {
  bool is_open;                  /* Between `pattern` and `end`. */
  const quant_target_row_t *row; /* The kernel's first. */
  quant_pattern_t pattern;
  quant_pattern_line_t lines[QUANT_PATTERN_LINES_MAX];
} pattern_draft_t;

typedef struct table_reader {
  arena_t *arena;
  const char *folder; /* Of the table; NULL: it loads no library. */
  void *library;      /* Of the table, or NULL. */
  uint32_t line;      /* Of the text, from 1. */
  scan_t scan;        /* The line without its comment. */
  quant_target_t table;
  GArray *rows; /* quant_target_row_t; owned. */
  target_draft_t draft;
  GArray *patterns; /* quant_pattern_t; owned. */
  pattern_draft_t pattern;
} table_reader_t;

/* Takes a name after blanks; `what` it is, for the message. */
status_t table_take_name(scan_t *scan, const char *what, str_t *out_name, failure_t *error);

/* Skips blanks; whether the line ends there. */
bool table_at_line_end(scan_t *scan);

/* What stands behind "rule": adds a rule to the draft. */
status_t table_parse_rule(table_reader_t *reader, failure_t *error);

/* STATUS_INVALID if by the draft's rules parameters of a port follow from themselves. */
status_t table_check_rules(const scan_t *scan, const target_draft_t *draft, failure_t *error);

/* "pattern KERNEL", after the keyword; and a line up to the pattern's `end`, whose first word is
 * taken already (target/parse_pattern.c). */
status_t table_begin_pattern(table_reader_t *reader, failure_t *error);
status_t table_parse_pattern_line(table_reader_t *reader, str_t word, failure_t *error);

/* STATUS_INVALID if a pattern above is of the kernel. */
status_t table_check_new_row(const table_reader_t *reader, const char *kernel, failure_t *error);

#endif
