/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a file of MLIR by the importer, and makes a case of the program that it is. */
#include "harness/cli/verbs/cases/mlir_input.h"

#include <string.h>

#include "harness/exec/mlir_import/importer.h"
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

bool mlir_input_is(const char *argument) { return g_str_has_suffix(argument, ".mlir"); }

static status_t check_flags(const mlir_input_flags_t *flags, failure_t *error) {
  if (flags->size < 0) {
    return status_fail(error, STATUS_INVALID, "--size is a positive number");
  }
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

static status_t import_file(const mlir_input_flags_t *flags, const char *path,
                            mlir_graph_t *out_lines, failure_t *error) {
  g_autofree char *text = NULL;
  gsize size;
  GError *failure = NULL;
  if (!g_file_get_contents(path, &text, &size, &failure)) {
    status_t status = status_fail(error, STATUS_IO, "%s", failure->message);
    g_error_free(failure);
    return status;
  }
  mlir_importer_t *importer;
  STATUS_TRY(mlir_importer_open(NULL, &importer, error));
  const str_t module = {text, size};
  status_t status = mlir_importer_read_program(importer, module, flags->given, out_lines, error);
  mlir_importer_close(importer);
  return status;
}

static status_t fill_operands(case_t *instance, char *const *fields, arena_t *arena,
                              bool *out_has_data, failure_t *error) {
  const program_t *program = &instance->program;
  rng_t rng = rng_make(DATA_SEED);
  gen_data_in_regime(&rng, REGIME_uniform, instance);
  gen_settle(&rng, instance);
  *out_has_data = true;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    g_assert(fields[i] != NULL);
    if (strcmp(fields[i], "*") == 0) {
      *out_has_data = false;
      continue;
    }
    scan_t scan = scan_make(str_from(fields[i]));
    STATUS_TRY(
        tensor_parse_data(&scan, &program->operands[i], arena, &instance->operands[i], error));
  }
  return STATUS_OK;
}

static status_t make_case(const mlir_input_flags_t *flags, const char *text, arena_t *arena,
                          case_t *out_case, bool *out_has_data, failure_t *error) {
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  program_t program;
  STATUS_TRY(dynamic_parse(str_from(lines[0]), flags->size, arena, &program, error));
  *out_case = case_make(arena, &program);
  return fill_operands(out_case, lines + 1, arena, out_has_data, error);
}

status_t mlir_input_read(const mlir_input_flags_t *flags, const char *path, arena_t *arena,
                         case_t *out_case, bool *out_has_data, failure_t *error) {
  STATUS_TRY(check_flags(flags, error));
  mlir_graph_t lines;
  status_t status = import_file(flags, path, &lines, error);
  const char *separator = ":";
  if (status == STATUS_OK) {
    failure_t reason = {0};
    status = make_case(flags, lines.text, arena, out_case, out_has_data, &reason);
    if (status != STATUS_OK) {
      g_autofree char *line = g_strndup(lines.text, strcspn(lines.text, "\n"));
      status_fail(error, status, "%.250s: %.200s", line, reason.text);
    }
    separator = ": ";
    mlir_graph_free(&lines);
  }
  if (status != STATUS_INVALID) return status;
  g_autofree char *message = g_strdup(error->text);
  return status_fail(error, status, "%.120s%s%.380s", path, separator, message);
}
