/* SPDX-License-Identifier: Apache-2.0 */
/* Has the program written by the backend's own table, and runs it in a shell. */
#include "harness/exec/process/c_source.h"

#include <dlfcn.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/plain_text.h"
#include "harness/exec/transport/dso.h"
#include "harness/exec/transport/program_view.h"
#include "harness/model/dynamic/dynamic.h"

enum { REASON_BYTES = 200, WORDS_BYTES = 400 };

/* ---- Writing --------------------------------------------------------------------------------- */

static status_t fail_with(int32_t code, const assay_reason_t *reason, failure_t *error) {
  bool is_refusal = code == ASSAY_EXECUTOR_UNSUPPORTED || code == ASSAY_EXECUTOR_INVALID;
  g_autofree char *plain = plain_text(reason->text);
  return status_fail(error, is_refusal ? STATUS_UNSUPPORTED : STATUS_IO, "%s",
                     plain[0] != '\0' ? plain : "the backend does not say why");
}

/* Asks the open backend. */
static status_t write_with(const assay_executor_t *table, void *self, const case_t *instance,
                           char **out_text, failure_t *error) {
  char words[REASON_BYTES] = "";
  assay_reason_t reason = {.text = words, .text_bytes = sizeof words};
  arena_t arena;
  arena_init(&arena);
  const assay_program_t *view = program_view(&instance->program, &arena);
  void *handle = NULL;
  int32_t code = table->compile(self, view, &handle, &reason);
  char *text = NULL;
  if (code == ASSAY_EXECUTOR_OK) {
    const void *operands[CASE_OPERANDS_MAX];
    for (uint32_t i = 0; i < instance->program.operand_count; i++) {
      operands[i] = instance->operands[i].data;
    }
    code = table->write_c(self, handle, operands, &text, &reason);
    table->release(self, handle);
  }
  arena_deinit(&arena);
  if (code != ASSAY_EXECUTOR_OK) return fail_with(code, &reason, error);
  *out_text = g_strdup(text);
  free(text);
  return STATUS_OK;
}

static status_t write_by(void *library, const char *options, const case_t *instance,
                         char **out_text, failure_t *error) {
  /* POSIX has dlsym() return functions as objects; ISO C has no cast for that. */
  union {
    void *object;
    assay_executor_query_t function;
  } query = {.object = dlsym(library, "assay_executor_query")};
  const assay_executor_t *table = query.object == NULL ? NULL : query.function(ASSAY_EXECUTOR_ABI);
  const size_t known = offsetof(assay_executor_t, write_c) + sizeof table->write_c;
  if (table == NULL || table->struct_size < known || table->write_c == NULL) {
    return status_fail(error, STATUS_UNSUPPORTED, "the backend writes no programs in C");
  }
  char words[REASON_BYTES] = "";
  assay_reason_t reason = {.text = words, .text_bytes = sizeof words};
  void *self = NULL;
  int32_t code = table->open(options, &self, &reason);
  if (code != ASSAY_EXECUTOR_OK) return fail_with(code, &reason, error);
  status_t status = write_with(table, self, instance, out_text, error);
  table->close(self);
  return status;
}

status_t c_source(const char *path, const char *options, const case_t *instance, char **out_text,
                  failure_t *error) {
  if (program_is_dynamic(&instance->program)) {
    return status_fail(error, STATUS_UNSUPPORTED, "sizes that are unknown when it is compiled");
  }
  const char *why = NULL;
  void *library = dso_load(path, &why);
  if (library == NULL) return status_fail(error, STATUS_IO, "%s: it does not load: %s", path, why);
  status_t status = write_by(library, options, instance, out_text, error);
  dlclose(library);
  return status;
}

/* ---- Running --------------------------------------------------------------------------------- */

/* What stands behind "LABEL: " in the program's first comment; NULL if nothing does. */
static char *find_command(const char *text, const char *label) {
  const char *end = strstr(text, "*/");
  const char *place = strstr(text, label);
  if (place == NULL || end == NULL || place > end) return NULL;
  place += strlen(label);
  return g_strndup(place, strcspn(place, "\n"));
}

/* The end of what was said, on one line. */
static char *last_words(const char *words) {
  size_t size = strlen(words);
  g_autofree char *end = g_strdup(size > WORDS_BYTES ? words + size - WORDS_BYTES : words);
  g_strstrip(end);
  g_strdelimit(end, "\n", ' ');
  return plain_text(end);
}

static status_t run_in(const char *folder, const char *command, char **out_said, char **out_words,
                       failure_t *error) {
  GError *failure = NULL;
  g_autofree char *limited = g_strdup(command);
  char shell[] = "timeout", kill[] = "-k", grace[] = "5", limit[] = "300", sh[] = "sh", c[] = "-c";
  char *words[] = {shell, kill, grace, limit, sh, c, limited, NULL};
  if (g_spawn_sync(folder, words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, out_said, out_words, NULL,
                   &failure)) {
    return STATUS_OK;
  }
  status_fail(error, STATUS_IO, "%s", failure->message);
  g_error_free(failure);
  return STATUS_IO;
}

static status_t build_and_run(const char *folder, const char *text, char **out_results,
                              char **out_words, failure_t *error) {
  g_autofree char *build = find_command(text, "Build: ");
  g_autofree char *run = find_command(text, "Run: ");
  if (build == NULL || run == NULL) {
    return status_fail(error, STATUS_IO, "the program does not say how it is built and run");
  }
  g_autofree char *command = g_strdup_printf("%s && %s", build, run);
  g_autofree char *said = NULL;
  g_autofree char *complaints = NULL;
  STATUS_TRY(run_in(folder, command, &said, &complaints, error));
  static const char label[] = "results: ";
  g_strchomp(said);
  const char *last = strrchr(said, '\n');
  last = last == NULL ? said : last + 1;
  *out_results = g_str_has_prefix(last, label) ? g_strdup(last + strlen(label)) : NULL;
  *out_words = last_words(complaints);
  return STATUS_OK;
}

status_t c_source_run(const char *text, char **out_results, char **out_words, failure_t *error) {
  *out_results = NULL;
  *out_words = NULL;
  GError *failure = NULL;
  g_autofree char *folder = g_dir_make_tmp("assay-reproducer-XXXXXX", &failure);
  g_autofree char *path = folder == NULL ? NULL : g_build_filename(folder, "reproducer.c", NULL);
  if (failure == NULL) g_file_set_contents(path, text, -1, &failure);
  status_t status = STATUS_OK;
  if (failure != NULL) {
    status = status_fail(error, STATUS_IO, "%s", failure->message);
    g_error_free(failure);
  } else {
    status = build_and_run(folder, text, out_results, out_words, error);
  }
  if (folder == NULL) return status;
  g_autofree char *binary = g_build_filename(folder, "reproducer", NULL);
  g_unlink(path);
  g_unlink(binary);
  g_rmdir(folder);
  return status;
}
