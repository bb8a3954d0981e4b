#include "harness/cli/input.h"

#include <errno.h>
#include <stdlib.h>

#include "harness/cli/cli.h"

input_t input_stdin(void) { return (input_t){.file = stdin, .name = "stdin"}; }

status_t input_open(const char *path, input_t *out_input, failure_t *error) {
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    return status_fail(error, STATUS_IO, "%s (%s); name a file that can be read", strerror(errno),
                       path);
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
  *out_line = (str_t){.data = input->buffer, .size = (size_t)size};
  return true;
}

void input_complain(input_t *input, const failure_t *error) {
  input->had_bad_line = true;
  if (error->column > 0) {
    complain("%s:%zu:%zu: %s", input->name, input->line_number, error->column, error->text);
  } else {
    complain("%s:%zu: %s", input->name, input->line_number, error->text);
  }
}
