/* SPDX-License-Identifier: Apache-2.0 */
/* Reads program lines from arguments and files, and modules of one op by the importer. */
#include "harness/cli/task/programs.h"

#include <string.h>

#include "harness/cli/options/input.h"

void task_flags_add_programs(task_flags_t *flags, arguments_t *arguments) {
  const GOptionEntry entries[] = {
      {"program", 'p', 0, G_OPTION_ARG_STRING_ARRAY, &flags->programs,
       "Draw data for this program alone, a line or a module of one op; may be given several times",
       "LINE|FILE.mlir"},
      {"mlir", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->modules,
       "The same of a module, whatever its file is called", "FILE"},
      {"programs", 0, 0, G_OPTION_ARG_FILENAME, &flags->program_file,
       "The same of all program lines of a file, as `assay module --harvest` writes them", "FILE"},
      G_OPTION_ENTRY_NULL};
  arguments_add(arguments, entries);
  mlir_input_flags_add(&flags->input, arguments);
}

void task_programs_free(task_flags_t *flags) {
  g_strfreev(flags->programs);
  g_strfreev(flags->modules);
  g_free(flags->program_file);
  mlir_input_flags_free(&flags->input);
}

bool task_programs_are_given(const task_flags_t *flags) {
  return flags->programs != NULL || flags->modules != NULL || flags->program_file != NULL;
}

static status_t read_module(const task_flags_t *flags, const char *path, arena_t *arena,
                            stream_program_t *out_program, failure_t *error) {
  mlir_input_t input;
  STATUS_TRY(mlir_input_read(&flags->input, path, arena, &input, error));
  *out_program = (stream_program_t){.program = input.instance.program,
                                    .broken = program_broken(&input.instance.program)};
  return STATUS_OK;
}

static status_t read_argument(const task_flags_t *flags, const char *argument, arena_t *arena,
                              stream_program_t *out_program, failure_t *error) {
  if (mlir_input_is(argument)) return read_module(flags, argument, arena, out_program, error);
  return stream_program_parse(str_from(argument), arena, out_program, error);
}

static status_t complain_of_line(const input_t *input, failure_t *error) {
  g_autofree char *message = g_strdup(error->text);
  return status_fail(error, STATUS_INVALID, "%.150s:%zu: %.300s", input->name, input->line_number,
                     message);
}

/* Lines that are empty, or comments, are none. */
static status_t read_lines(input_t *input, arena_t *arena, GArray *programs, failure_t *error) {
  str_t line;
  while (input_next(input, &line)) {
    if (line.size == 0 || line.data[0] == '#') continue;
    stream_program_t program;
    const char *text = arena_copy_text(arena, line.data, line.size);
    if (stream_program_parse(str_from(text), arena, &program, error) != STATUS_OK) {
      return complain_of_line(input, error);
    }
    g_array_append_val(programs, program);
  }
  return STATUS_OK;
}

static status_t read_file(const char *path, arena_t *arena, GArray *programs, failure_t *error) {
  input_t input;
  STATUS_TRY(input_open(path, &input, error));
  guint before = programs->len;
  status_t status = read_lines(&input, arena, programs, error);
  input_close(&input);
  if (status != STATUS_OK || programs->len > before) return status;
  return status_fail(error, STATUS_INVALID,
                     "%.300s has no program; `assay module FILE.mlir --harvest %.100s` writes some",
                     path, path);
}

static status_t read_all(const task_flags_t *flags, arena_t *arena, GArray *programs,
                         failure_t *error) {
  for (char **line = flags->programs; line != NULL && *line != NULL; line++) {
    stream_program_t program;
    STATUS_TRY(read_argument(flags, *line, arena, &program, error));
    g_array_append_val(programs, program);
  }
  for (char **path = flags->modules; path != NULL && *path != NULL; path++) {
    stream_program_t program;
    STATUS_TRY(read_module(flags, *path, arena, &program, error));
    g_array_append_val(programs, program);
  }
  if (flags->program_file == NULL) return STATUS_OK;
  return read_file(flags->program_file, arena, programs, error);
}

status_t task_programs_read(const task_flags_t *flags, arena_t *arena,
                            const stream_program_t **out_programs, size_t *out_count,
                            failure_t *error) {
  g_autoptr(GArray) programs = g_array_new(FALSE, FALSE, sizeof(stream_program_t));
  STATUS_TRY(read_all(flags, arena, programs, error));
  stream_program_t *given = arena_alloc(arena, programs->len * sizeof *given);
  memcpy(given, programs->data, programs->len * sizeof *given);
  *out_programs = given;
  *out_count = programs->len;
  return STATUS_OK;
}
