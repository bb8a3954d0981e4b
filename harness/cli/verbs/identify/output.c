/* SPDX-License-Identifier: Apache-2.0 */
/* Options and code that write an identified profile as an SVG file and as a row of a database. */
#include "harness/cli/verbs/identify/output.h"

#include "harness/identify/profile/program_shape.h"
#include "harness/identify/profile/svg.h"
#include "harness/identify/profile/words.h"
#include "harness/model/op.h"

void identify_output_flags_add(identify_output_flags_t *flags, arguments_t *arguments) {
  const GOptionEntry entries[] = {
      {"svg", 0, 0, G_OPTION_ARG_FILENAME, &flags->svg, "Draw the tree into this file", "FILE"},
      {"db", 'd', 0, G_OPTION_ARG_FILENAME, &flags->database,
       "Store the profile in this database, for --contract identified", "FILE"},
      G_OPTION_ENTRY_NULL};
  arguments_add(arguments, entries);
}

void identify_output_flags_free(identify_output_flags_t *flags) {
  g_free(flags->svg);
  g_free(flags->database);
}

status_t identify_output_draw(const identify_output_flags_t *flags, const executor_t *executor,
                              const profile_t *profile, failure_t *error) {
  if (flags->svg == NULL) return STATUS_OK;
  g_autofree char *title =
      g_strdup_printf("%s, %s", executor_name(executor), executor_version(executor));
  g_autoptr(GString) subtitle = g_string_new(NULL);
  profile_words(profile, subtitle);
  g_string_append_printf(subtitle, " \u2014 %s", profile->program_line);
  g_autoptr(GString) svg = g_string_new(NULL);
  profile_svg(profile, title, subtitle->str, svg);
  g_autoptr(GError) reason = NULL;
  if (g_file_set_contents(flags->svg, svg->str, (gssize)svg->len, &reason)) return STATUS_OK;
  return status_fail(error, STATUS_IO, "cannot write \"%s\" (--svg): %s", flags->svg,
                     reason->message);
}

/* The texts of a row; `program` is the profile's. */
static status_t store_row(store_t *store, const profile_t *profile, const program_t *program,
                          store_profile_t *row, failure_t *error) {
  g_autoptr(GString) algorithm = g_string_new(NULL);
  g_autoptr(GString) types = g_string_new(NULL);
  g_autoptr(GString) shape = g_string_new(NULL);
  g_autoptr(GString) text = g_string_new(NULL);
  size_t term_count;
  program->op->print_algorithm(program, algorithm);
  program_print_types(program, types);
  program_shape_print(program, shape, &term_count);
  profile_print(profile, text);
  row->op = program->op->name;
  row->algorithm = algorithm->str;
  row->types = types->str;
  row->shape = shape->str;
  row->program_line = profile->program_line;
  row->text = text->str;
  bool is_new;
  return store_add_profile(store, row, &is_new, error);
}

status_t identify_output_store(store_t *store, const executor_t *executor,
                               const identify_stored_t *stored, failure_t *error) {
  const store_executor_t key = {.name = executor_name(executor),
                                .version = executor_version(executor),
                                .hardware = executor_hardware(executor)};
  store_profile_t row = {.rule = stored->rule,
                         .words = stored->words,
                         .terms_low = stored->terms_low,
                         .terms_high = stored->terms_high};
  STATUS_TRY(store_add_executor(store, &key, &row.executor_id, error));
  arena_t arena;
  arena_init(&arena);
  program_t program;
  status_t status =
      program_parse(str_from(stored->profile->program_line), &arena, &program, NULL, error);
  if (status == STATUS_OK) status = store_row(store, stored->profile, &program, &row, error);
  arena_deinit(&arena);
  return status;
}
