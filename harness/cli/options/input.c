/* SPDX-License-Identifier: Apache-2.0 */
/* Reads case lines from a file, standard input or an argument, and reports errors with file, line
 * and column. */
#include "harness/cli/options/input.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>

#include "harness/cli/cli.h"

input_t input_stdin(void) { return (input_t){.file = stdin, .name = "stdin"}; }

/* A folder opens like a file, and then has no lines. */
status_t input_open(const char *path, input_t *out_input, failure_t *error) {
  FILE *file = g_file_test(path, G_FILE_TEST_IS_DIR) ? NULL : fopen(path, "r");
  if (file == NULL) {
    const char *why = g_file_test(path, G_FILE_TEST_IS_DIR) ? "a folder" : strerror(errno);
    return status_fail(error, STATUS_INVALID, "%s (%s); name a file that can be read", why, path);
  }
  *out_input = (input_t){.file = file, .name = path};
  return STATUS_OK;
}

void input_close(input_t *input) {
  if (input->file != stdin) fclose(input->file);
  free(input->buffer);
}

bool input_next(input_t *input, str_t *out_line) {
  ssize_t size = getline(&input->buffer, &input->capacity, input->file);
  if (size < 0) return false;
  input->line_number++;
  if (size > 0 && input->buffer[size - 1] == '\n') size--;
  if (size > 0 && input->buffer[size - 1] == '\r') size--;
  *out_line = (str_t){.data = input->buffer, .size = (size_t)size};
  return true;
}

void input_complain(input_t *input, const failure_t *error) {
  input->had_bad_line = true;
  if (error->column > 0) {
    complain("%s:%zu:%zu: %s", input->name, input->line_number, error->column,
             failure_reason(error));
  } else {
    complain("%s:%zu: %s", input->name, input->line_number, error->text);
  }
}

int input_end(input_t *input, bool had_case) {
  if (had_case) return input->had_bad_line ? EXIT_CODE_USAGE : EXIT_CODE_CLEAN;
  complain("%s has no case", input->name);
  return EXIT_CODE_USAGE;
}

static int walk_lines(input_t *input, take_line_t *take, void *context) {
  bool had_case = false;
  str_t line;
  while (input_next(input, &line)) {
    if (line.size == 0 || line.data[0] == '#' || line.data[0] == '=') continue;
    had_case = true;
    failure_t error = {0};
    status_t status = take(context, line, &error);
    if (status == STATUS_INVALID) {
      input_complain(input, &error);
    } else if (status != STATUS_OK) {
      return complain_status(status, &error);
    }
  }
  return input_end(input, had_case);
}

static int walk_argument(const char *argument, take_line_t *take, void *context) {
  failure_t error = {0};
  status_t status = take(context, str_from(argument), &error);
  if (status == STATUS_INVALID && error.column > 0) {
    complain("%s (neither a file nor a case line, column %zu)", failure_reason(&error),
             error.column);
    return EXIT_CODE_USAGE;
  }
  return status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, &error);
}

int input_walk(const char *argument, take_line_t *take, void *context) {
  input_t input;
  if (strcmp(argument, "-") == 0) {
    input = input_stdin();
  } else if (g_file_test(argument, G_FILE_TEST_EXISTS)) {
    failure_t error = {0};
    status_t status = input_open(argument, &input, &error);
    if (status != STATUS_OK) return complain_status(status, &error);
  } else {
    return walk_argument(argument, take, context);
  }
  int exit_code = walk_lines(&input, take, context);
  input_close(&input);
  return exit_code;
}
