/* SPDX-License-Identifier: Apache-2.0 */
/* Reads graphs, modules and target descriptions from files, standard input or by name, runs
 * propagation and materialization, and writes pictures through Graphviz. */
#include "harness/cli/verbs/quant/input.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/options/suggest.h"
#include "harness/exec/mlir_import/importer.h"
#include "harness/exec/mlir_import/torch_export.h"

static status_t read_stream(FILE *file, GString *out_text) {
  char buffer[65536];
  size_t size;
  while ((size = fread(buffer, 1, sizeof buffer, file)) > 0) {
    g_string_append_len(out_text, buffer, (gssize)size);
  }
  return ferror(file) ? STATUS_INVALID : STATUS_OK; /* A folder, for one. */
}

static status_t read_text(const char *path, arena_t *arena, str_t *out_text, failure_t *error) {
  bool is_stdin = strcmp(path, "-") == 0;
  FILE *file = is_stdin ? stdin : fopen(path, "rb");
  if (file == NULL) {
    return status_fail(error, STATUS_INVALID, "cannot read %s: %s", path, g_strerror(errno));
  }
  GString *text = g_string_new(NULL);
  status_t status = read_stream(file, text);
  if (status != STATUS_OK) {
    status = status_fail(error, status, "cannot read %s: %s", path, g_strerror(errno));
  }
  if (!is_stdin) fclose(file);
  if (status == STATUS_OK) {
    *out_text = (str_t){arena_copy_text(arena, text->str, text->len), text->len};
  }
  g_string_free(text, TRUE);
  return status;
}

/* Puts the path before what a parser said. */
static status_t at_path(const char *path, status_t status, failure_t *error) {
  if (status == STATUS_OK) return status;
  char *text = g_strdup(error->text);
  /* What is well formed and nobody does is the input's fault too. */
  if (status == STATUS_UNSUPPORTED) status = STATUS_INVALID;
  status_fail(error, status, "%.120s: %.380s", path, text);
  g_free(text);
  return status;
}

/* ---- Graphs and modules ---------------------------------------------------------------------- */

/* A graph begins with the word, behind blanks and comments. */
static bool is_module(const char *path, str_t text) {
  if (g_str_has_suffix(path, ".mlir")) return true;
  const char *at = text.data, *end = text.data + text.size;
  while (at < end && (g_ascii_isspace(*at) || *at == '#')) {
    if (*at == '#') {
      if (end - at >= 4 && memcmp(at, "#loc", 4) == 0) return true;
      while (at < end && *at != '\n') at++;
    } else {
      at++;
    }
  }
  static const char *const words[] = {"module", "func.func", "builtin.module", "\"builtin.module\"",
                                      "//",     "ML\xEFR"};
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
    size_t size = strlen(words[i]);
    if ((size_t)(end - at) >= size && memcmp(at, words[i], size) == 0) return true;
  }
  return false;
}

static status_t parse_imported(const char *path, const mlir_graph_t *imported, arena_t *arena,
                               quant_graph_t *out_graph, failure_t *error) {
  for (char **note = imported->notes; *note != NULL; note++) {
    fprintf(stderr, "%s:%s\n", path, *note);
  }
  size_t size = strlen(imported->text);
  const str_t text = {arena_copy_text(arena, imported->text, size), size};
  status_t status = quant_graph_parse(text, arena, out_graph, error);
  if (status != STATUS_OK) mlir_graph_place(imported, error);
  return status;
}

static status_t read_module(const char *path, str_t text, bool is_unsigned, arena_t *arena,
                            quant_graph_t *out_graph, failure_t *error) {
  mlir_importer_t *importer;
  STATUS_TRY(mlir_importer_open(NULL, &importer, error));
  mlir_graph_t imported;
  status_t status = mlir_importer_read(importer, text, !is_unsigned, &imported, error);
  if (status == STATUS_OK) {
    status = parse_imported(path, &imported, arena, out_graph, error);
    mlir_graph_free(&imported);
  }
  mlir_importer_close(importer);
  if (status == STATUS_OK || status == STATUS_IO) return status;
  g_autofree char *message = g_strdup(error->text);
  return status_fail(error, STATUS_INVALID, "%.120s:%.380s", path, message);
}

/* A program of torch.export is made a module first; places are of nodes, not of that text. */
static status_t read_torch(const char *path, bool is_unsigned, arena_t *arena,
                           quant_graph_t *out_graph, failure_t *error) {
  if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
    return status_fail(error, STATUS_INVALID, "cannot read %s: %s", path, g_strerror(ENOENT));
  }
  g_autoptr(GString) module = g_string_new(NULL);
  status_t status = torch_export_read(NULL, path, module, error);
  if (status != STATUS_OK) return status == STATUS_INVALID ? at_path(path, status, error) : status;
  const str_t text = {arena_copy_text(arena, module->str, module->len), module->len};
  return read_module(path, text, is_unsigned, arena, out_graph, error);
}

static status_t read_graph(const char *path, bool is_unsigned, arena_t *arena,
                           quant_graph_t *out_graph, failure_t *error) {
  str_t text = {0};
  if (g_str_has_suffix(path, ".pt2")) {
    return read_torch(path, is_unsigned, arena, out_graph, error);
  }
  STATUS_TRY(read_text(path, arena, &text, error));
  if (is_module(path, text)) return read_module(path, text, is_unsigned, arena, out_graph, error);
  return at_path(path, quant_graph_parse(text, arena, out_graph, error), error);
}

status_t quant_read_graph(const quant_flags_t *flags, const char *path, arena_t *arena,
                          quant_graph_t *out_graph, failure_t *error) {
  quant_graph_t graph;
  STATUS_TRY(read_graph(path, flags->is_unsigned, arena, &graph, error));
  if (flags->inlined) return quant_graph_inline(&graph, arena, out_graph, error);
  *out_graph = graph;
  return STATUS_OK;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static status_t reject_table(const char *name, failure_t *error) {
  GString *all = g_string_new("write a path or one of");
  suggestion_t suggestion = suggestion_make(name == NULL ? "" : name);
  for (const char *const *row = quant_target_names(); *row != NULL; row++) {
    g_string_append_printf(all, " %s", *row);
    suggestion_offer(&suggestion, *row);
  }
  char advice[SUGGESTION_BYTES];
  status_t status = name == NULL
                        ? status_fail(error, STATUS_INVALID, "--table is missing; %s", all->str)
                        : status_fail(error, STATUS_INVALID, "no table or file '%s' (--table); %s",
                                      name, suggestion_print(&suggestion, all->str, advice));
  g_string_free(all, TRUE);
  return status;
}

status_t quant_read_target(const char *name, arena_t *arena, quant_target_t *out_table,
                           failure_t *error) {
  if (name == NULL) return reject_table(name, error);
  const char *known = quant_target_text(str_from(name));
  if (known != NULL) return quant_target_parse(str_from(known), arena, out_table, error);
  if (!g_file_test(name, G_FILE_TEST_EXISTS)) return reject_table(name, error);
  str_t text = {0};
  STATUS_TRY(read_text(name, arena, &text, error));
  g_autofree char *folder = g_path_get_dirname(name);
  g_autofree char *absolute = g_canonicalize_filename(folder, NULL);
  return at_path(name, quant_target_parse_in(absolute, text, arena, out_table, error), error);
}

status_t quant_read_subject(const quant_flags_t *flags, const char *path,
                            quant_subject_t *out_subject, failure_t *error) {
  quant_subject_t *subject = out_subject;
  *subject = (quant_subject_t){0};
  arena_init(&subject->arena);
  STATUS_TRY(quant_read_target(flags->table, &subject->arena, &subject->table, error));
  STATUS_TRY(quant_read_graph(flags, path, &subject->arena, &subject->graph, error));
  STATUS_TRY(quant_propagate(&subject->graph, &subject->table, QUANT_FAULT_none, &subject->arena,
                             &subject->propagation, error));
  return quant_materialize(&subject->propagation, QUANT_FAULT_none, &subject->arena,
                           &subject->quantized, error);
}

status_t quant_read_lowerings(char *const *names, bool out_wanted[QUANT_LOWERING_COUNT],
                              failure_t *error) {
  bool is_any = names == NULL || names[0] == NULL;
  for (int i = 0; i < QUANT_LOWERING_COUNT; i++) out_wanted[i] = is_any;
  for (size_t i = 0; !is_any && names[i] != NULL; i++) {
    quant_lowering_t lowering;
    if (!quant_lowering_find(str_from(names[i]), &lowering)) {
      return status_fail(error, STATUS_INVALID,
                         "no form '%s' (--form); write fixed, float or integer", names[i]);
    }
    out_wanted[lowering] = true;
  }
  return STATUS_OK;
}

static status_t run_graphviz(const char *path, const GString *dot, failure_t *error) {
  char *dot_path = NULL;
  GError *failure = NULL;
  int handle = g_file_open_tmp("assay-XXXXXX.dot", &dot_path, &failure);
  bool is_good = handle >= 0 && g_close(handle, &failure) &&
                 g_file_set_contents(dot_path, dot->str, (gssize)dot->len, &failure);
  int wait_status = 0;
  if (is_good) {
    char *to = g_shell_quote(path), *from = g_shell_quote(dot_path);
    char *command = g_strdup_printf("dot -Tsvg -o %s %s", to, from);
    is_good = g_spawn_command_line_sync(command, NULL, NULL, &wait_status, &failure) &&
              g_spawn_check_wait_status(wait_status, &failure);
    g_free(command);
    g_free(from);
    g_free(to);
  }
  status_t status = STATUS_OK;
  if (!is_good) {
    status = status_fail(error, STATUS_IO,
                         "cannot draw %s by Graphviz's `dot`: %s; --picture FILE.dot needs none",
                         path, failure->message);
    g_error_free(failure);
  }
  if (dot_path != NULL) remove(dot_path);
  g_free(dot_path);
  return status;
}

status_t quant_write_text(const char *path, const GString *text, failure_t *error) {
  GError *failure = NULL;
  if (g_file_set_contents(path, text->str, (gssize)text->len, &failure)) return STATUS_OK;
  status_t status = status_fail(error, STATUS_IO, "%s", failure->message);
  g_error_free(failure);
  return status;
}

status_t quant_put_graph(const quant_flags_t *flags, const quant_graph_t *graph, failure_t *error) {
  g_autoptr(GString) text = g_string_new(NULL);
  if (flags->mlir) {
    quant_graph_print_mlir(graph, text);
  } else {
    quant_graph_print(graph, text);
  }
  if (flags->out != NULL) return quant_write_text(flags->out, text, error);
  fputs(text->str, stdout);
  return STATUS_OK;
}

status_t quant_write_picture(const char *path, const GString *dot, failure_t *error) {
  if (g_str_has_suffix(path, ".svg")) return run_graphviz(path, dot, error);
  return quant_write_text(path, dot, error);
}

status_t quant_read_regions(const char *name, quant_regions_t *out_regions, failure_t *error) {
  static const char *const spellings[] = {"steps", "whole", "both"};
  *out_regions = QUANT_BY_STEPS;
  for (size_t i = 0; name != NULL && i < G_N_ELEMENTS(spellings); i++) {
    *out_regions = (quant_regions_t)i;
    if (strcmp(name, spellings[i]) == 0) return STATUS_OK;
  }
  if (name == NULL) return STATUS_OK;
  return status_fail(error, STATUS_INVALID, "--regions is steps, whole or both, not '%s'", name);
}
