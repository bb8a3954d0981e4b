/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of text that a verb reads, one case each. */
#ifndef ASSAY_CLI_OPTIONS_INPUT_H
#define ASSAY_CLI_OPTIONS_INPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "harness/base/text.h"

typedef struct input {
  FILE *file;
  const char *name; /* "stdin", or the path; borrowed. */
  size_t line_number;
  char *buffer;
  size_t capacity;
  bool had_bad_line; /* input_complain() was called. */
} input_t;

/* Standard input. */
input_t input_stdin(void);

/* STATUS_INVALID if it is no file that can be read. */
status_t input_open(const char *path, input_t *out_input, failure_t *error);
void input_close(input_t *input);

/* The next line without the LF, or CR and LF, that ends it, valid until the next call; false at the
 * end. */
bool input_next(input_t *input, str_t *out_line);

/* Complains about the present line: "assay: stdin:12:33: ...". */
void input_complain(input_t *input, const failure_t *error);

/* The exit code of what was read to its end: EXIT_CODE_USAGE if a line was complained about, or if
 * there was no case at all, which is complained about here: a producer that died leaves an empty
 * file, and that must not look like a clean answer. */
int input_end(input_t *input, bool had_case);

/* Hands case lines to `take`: `argument` itself, or those of the file of that path, or of standard
 * input for "-", without comments ('#'), expected results ('=') and empty lines.  A line that it
 * finds STATUS_INVALID is complained about and the next one taken; any other failure ends the walk.
 * Returns an exit code. */
typedef status_t take_line_t(void *context, str_t line, failure_t *error);
int input_walk(const char *argument, take_line_t *take, void *context);

#endif
