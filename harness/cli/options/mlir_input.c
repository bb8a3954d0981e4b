/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a file of MLIR by the importer, and makes a case of the program that it is. */
#include "harness/cli/options/mlir_input.h"

#include <stdio.h>
#include <string.h>

#include "harness/gen/gen.h"
#include "harness/model/dynamic/dynamic.h"

enum { DATA_SEED = 1 };

/* Of the names of MLIR's values, without '%', and of attributes. */
#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$-"

void mlir_input_flags_add(mlir_input_flags_t *flags, arguments_t *arguments) {
  const GOptionEntry entries[] = {
      {"size", 0, 0, G_OPTION_ARG_INT64, &flags->size,
       "Of a file of MLIR: the size of dimensions that are ? there", "N"},
      {"let", 0, 0, G_OPTION_ARG_STRING_ARRAY, &flags->given,
       "Of a file of MLIR: what it has by name (a scale) or leaves out (...)", "NAME=VALUE"},
      G_OPTION_ENTRY_NULL};
  arguments_add(arguments, entries);
}

void mlir_input_flags_free(mlir_input_flags_t *flags) { g_strfreev(flags->given); }

static bool begins_as_bytecode(const char *path) {
  static const char magic[] = {'M', 'L', '\xef', 'R'};
  char found[sizeof magic] = {0};
  FILE *file = g_file_test(path, G_FILE_TEST_IS_REGULAR) ? fopen(path, "rb") : NULL;
  if (file == NULL) return false;
  bool is_whole = fread(found, sizeof found, 1, file) == 1;
  fclose(file);
  return is_whole && memcmp(found, magic, sizeof magic) == 0;
}

bool mlir_input_is(const char *argument) {
  return g_str_has_suffix(argument, ".mlir") || g_str_has_suffix(argument, ".mlirbc") ||
         begins_as_bytecode(argument);
}

static status_t check_flags(const mlir_input_flags_t *flags, failure_t *error) {
  for (size_t i = 0; flags->given != NULL && flags->given[i] != NULL; i++) {
    const char *given = flags->given[i];
    size_t name = strspn(given, NAME_CHARACTERS);
    if (name == 0 || given[name] != '=' || given[name + 1] == '\0' ||
        given[strcspn(given, " \t\r\n")] != '\0') {
      return status_fail(error, STATUS_INVALID,
                         "--let is NAME=VALUE without blanks, such as scale=0.5, not '%s'", given);
    }
  }
  return STATUS_OK;
}

/* "PATH:..." */
static status_t name_file(const char *path, const char *separator, status_t status,
                          failure_t *error) {
  if (status != STATUS_INVALID) return status;
  g_autofree char *message = g_strdup(error->text);
  return status_fail(error, status, "%.120s%s%.380s", path, separator, message);
}

/* An importer whose process is there. */
static status_t need_importer(mlir_importer_t **inout_importer, failure_t *error) {
  if (*inout_importer != NULL) {
    if (mlir_importer_is_there(*inout_importer)) return STATUS_OK;
    mlir_importer_close(*inout_importer);
    *inout_importer = NULL;
  }
  return mlir_importer_open(NULL, inout_importer, error);
}

static void tell_notes(const char *path, const mlir_graph_t *answer) {
  for (char *const *note = answer->notes; *note != NULL; note++) {
    fprintf(stderr, "assay: note: %s: %s\n", path, *note);
  }
}

/* `is_whole`: all ops of the module are asked for. */
static status_t import_file(mlir_importer_t **inout_importer, const mlir_input_flags_t *flags,
                            const char *path, bool is_whole, mlir_graph_t *out_answer,
                            failure_t *error) {
  STATUS_TRY(check_flags(flags, error));
  g_autofree char *text = NULL;
  gsize size;
  GError *failure = NULL;
  if (!g_file_get_contents(path, &text, &size, &failure)) {
    status_t status = status_fail(error, STATUS_INVALID, "%s", failure->message);
    g_error_free(failure);
    return status;
  }
  STATUS_TRY(need_importer(inout_importer, error));
  mlir_importer_t *importer = *inout_importer;
  const str_t module = {text, size};
  status_t status =
      is_whole ? mlir_importer_read_module(importer, module, out_answer, error)
               : mlir_importer_read_program(importer, module, flags->given, out_answer, error);
  if (status == STATUS_OK) tell_notes(path, out_answer);
  return name_file(path, ":", status, error);
}

status_t mlir_input_list(const mlir_input_flags_t *flags, const char *path,
                         mlir_graph_t *out_document, failure_t *error) {
  mlir_importer_t *importer = NULL;
  status_t status = import_file(&importer, flags, path, true, out_document, error);
  if (importer != NULL) mlir_importer_close(importer);
  return status;
}

static status_t fill(tensor_t *tensor, const char *field, arena_t *arena, failure_t *error) {
  const type_t type = tensor->type;
  scan_t scan = scan_make(str_from(field));
  return tensor_parse_data(&scan, &type, arena, tensor, error);
}

/* The fields are of operands, then of results; "*": nothing is said. */
static status_t fill_tensors(mlir_input_t *input, char *const *fields, arena_t *arena,
                             failure_t *error) {
  case_t *instance = &input->instance;
  const program_t *program = &instance->program;
  g_assert(g_strv_length((char **)(uintptr_t)fields) >=
           program->operand_count + program->result_count);
  rng_t rng = rng_make(DATA_SEED);
  gen_data_in_regime(&rng, REGIME_uniform, instance);
  gen_settle(&rng, instance);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (strcmp(fields[i], "*") == 0) {
      input->unknown |= 1U << i;
    } else {
      STATUS_TRY(fill(&instance->operands[i], fields[i], arena, error));
    }
  }
  fields += program->operand_count;
  for (uint32_t i = 0; i < program->result_count; i++) {
    input->expected[i] = (tensor_t){.type = program->results[i]};
    if (strcmp(fields[i], "*") == 0) {
      input->unchecked |= 1U << i;
    } else {
      STATUS_TRY(fill(&input->expected[i], fields[i], arena, error));
    }
  }
  return STATUS_OK;
}

static status_t make_case(const mlir_input_flags_t *flags, const char *text, arena_t *arena,
                          mlir_input_t *out_input, failure_t *error) {
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  program_t program;
  STATUS_TRY(dynamic_parse(str_from(lines[0]), flags->size, arena, &program, error));
  *out_input = (mlir_input_t){.instance = case_make(arena, &program)};
  return fill_tensors(out_input, lines + 1, arena, error);
}

static status_t read_file(mlir_importer_t **inout_importer, const mlir_input_flags_t *flags,
                          const char *path, arena_t *arena, mlir_input_t *out_input,
                          failure_t *error) {
  mlir_graph_t lines;
  STATUS_TRY(import_file(inout_importer, flags, path, false, &lines, error));
  failure_t reason = {0};
  status_t status = make_case(flags, lines.text, arena, out_input, &reason);
  if (status != STATUS_OK) {
    g_autofree char *line = g_strndup(lines.text, strcspn(lines.text, "\n"));
    status_fail(error, status, "%.250s: %.200s", line, reason.text);
    name_file(path, ": ", status, error);
  }
  mlir_graph_free(&lines);
  return status;
}

status_t mlir_input_read(const mlir_input_flags_t *flags, const char *path, arena_t *arena,
                         mlir_input_t *out_input, failure_t *error) {
  mlir_importer_t *importer = NULL;
  status_t status = read_file(&importer, flags, path, arena, out_input, error);
  if (importer != NULL) mlir_importer_close(importer);
  return status;
}

status_t mlir_input_read_by(mlir_importer_t **inout_importer, const char *path, arena_t *arena,
                            mlir_input_t *out_input, failure_t *error) {
  static const mlir_input_flags_t none = {0};
  return read_file(inout_importer, &none, path, arena, out_input, error);
}
