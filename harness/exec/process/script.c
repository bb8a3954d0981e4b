/* SPDX-License-Identifier: Apache-2.0 */
/* Both run once, from a file: the worker with its requests as standard input, which ends it, and
 * the script with its Python. */
#include "harness/exec/process/script.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/plain_text.h"
#include "harness/exec/process/answer.h"
#include "harness/exec/registry/environment.h"
#include "harness/model/dynamic/dynamic.h"
#include "harness/model/op.h"

/* Seconds for an end, then for a death: `timeout` of GNU coreutils. */
static const char limit[] = "timeout -k 5 300";

enum { WORDS_BYTES = 400 }; /* Of what something said before it ended. */

/* Runs "FORMAT" of a file that holds `text`, which is removed then.  Texts are owned by the caller.
 */
static status_t run_with_file(const char *format, const GString *text, char **out_said,
                              char **out_words, failure_t *error) {
  GError *failure = NULL;
  g_autofree char *path = NULL;
  int file = g_file_open_tmp("assay-script-XXXXXX.py", &path, &failure);
  if (file >= 0) {
    close(file);
    g_file_set_contents(path, text->str, (gssize)text->len, &failure);
  }
  *out_said = NULL;
  *out_words = NULL;
  if (failure == NULL) {
    g_autofree char *quoted = g_shell_quote(path);
    g_autoptr(GString) command = g_string_new(format);
    g_string_replace(command, "FILE", quoted, 0);
    char shell[] = "sh", option[] = "-c";
    char *words[] = {shell, option, command->str, NULL};
    g_auto(GStrv) environment = worker_environment();
    g_spawn_sync(NULL, words, environment, G_SPAWN_SEARCH_PATH, NULL, NULL, out_said, out_words,
                 NULL, &failure);
  }
  if (path != NULL) unlink(path);
  if (failure == NULL) return STATUS_OK;
  status_fail(error, STATUS_IO, "%s", failure->message);
  g_error_free(failure);
  return STATUS_IO;
}

/* The end of what was said, on one line. */
static char *last_words(const char *words) {
  size_t size = strlen(words);
  g_autofree char *end = g_strdup(size > WORDS_BYTES ? words + size - WORDS_BYTES : words);
  g_strstrip(end);
  g_strdelimit(end, "\n", ' ');
  return plain_text(end);
}

static GString *requests_of(const case_t *instance) {
  const program_t *program = &instance->program;
  g_autoptr(GString) mlir = g_string_new(NULL);
  program_print_mlir_to_run(program, mlir);
  GString *requests = g_string_new(NULL);
  g_string_append_printf(requests, "compile 1 %zu ", mlir->len);
  program_print(program, requests);
  g_string_append_printf(requests, "\n%s", mlir->str);
  size_t bytes = 0;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    bytes += type_bytes(&instance->operands[i].type);
  }
  g_string_append_printf(requests, "script 1 %zu\n", bytes);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const tensor_t *operand = &instance->operands[i];
    g_string_append_len(requests, (const char *)operand->data, (gssize)type_bytes(&operand->type));
  }
  return requests;
}

/* The next line, without its newline; NULL at the end. */
static char *take_line(char **inout_rest) {
  char *line = *inout_rest;
  if (line == NULL || *line == '\0') return NULL;
  char *end = strchr(line, '\n');
  *inout_rest = end == NULL ? NULL : end + 1;
  if (end != NULL) *end = '\0';
  return line;
}

/* Reads the greeting, and the answers to both requests. */
static status_t read_answers(char *said, char **out_script, failure_t *error) {
  bool writes = false;
  char *line;
  while ((line = take_line(&said)) != NULL && strcmp(line, "ready") != 0) {
    writes |= strcmp(line, "scripts yes") == 0;
    if (g_str_has_prefix(line, "failed ")) {
      return status_fail(error, STATUS_UNSUPPORTED, "%s", line + strlen("failed "));
    }
  }
  if (line == NULL) return status_fail(error, STATUS_IO, "the worker did not say ready");
  if (!writes) return status_fail(error, STATUS_UNSUPPORTED, "the worker writes no scripts");
  for (int request = 0; request < 2; request++) {
    line = take_line(&said);
    if (line == NULL) return status_fail(error, STATUS_IO, "the worker ended without an answer");
    if (strcmp(line, "ok") == 0 || g_str_has_prefix(line, "ok ")) continue;
    return status_fail(error, STATUS_UNSUPPORTED, "%s", line);
  }
  char *end = NULL;
  guint64 bytes = g_ascii_strtoull(line + strlen("ok"), &end, 10);
  if (said == NULL || *end != '\0' || bytes == 0 || strlen(said) < bytes) {
    return status_fail(error, STATUS_IO, "the worker's script is not as long as it says");
  }
  *out_script = g_strndup(said, bytes);
  return STATUS_OK;
}

status_t process_script(const char *command, const case_t *instance, char **out_script,
                        failure_t *error) {
  if (program_is_dynamic(&instance->program)) {
    return status_fail(error, STATUS_UNSUPPORTED, "sizes that are unknown when it is compiled");
  }
  g_autoptr(GString) requests = requests_of(instance);
  g_autofree char *format = g_strdup_printf("%s %s < FILE", limit, command);
  g_autofree char *said = NULL;
  g_autofree char *words = NULL;
  STATUS_TRY(run_with_file(format, requests, &said, &words, error));
  failure_t reason = {0};
  status_t status = read_answers(said, out_script, &reason);
  if (status == STATUS_OK) return STATUS_OK;
  g_autofree char *last = last_words(words);
  bool tells = status == STATUS_IO && last[0] != '\0';
  g_autofree char *told = plain_text(reason.text);
  return status_fail(error, status, "%.200s%s%s", told, tells ? ": " : "", tells ? last : "");
}

status_t process_script_run(const char *command, const char *script, char **out_results,
                            char **out_words, failure_t *error) {
  g_auto(GStrv) words = NULL;
  const char *python = "python3";
  if (g_shell_parse_argv(command, NULL, &words, NULL) && strstr(words[0], "python") != NULL) {
    python = words[0];
  }
  g_autofree char *quoted = g_shell_quote(python);
  g_autofree char *format = g_strdup_printf("%s %s FILE", limit, quoted);
  g_autoptr(GString) text = g_string_new(script);
  g_autofree char *said = NULL;
  g_autofree char *complaints = NULL;
  STATUS_TRY(run_with_file(format, text, &said, &complaints, error));
  static const char label[] = "results: ";
  g_strchomp(said);
  char *last = strrchr(said, '\n');
  last = last == NULL ? said : last + 1;
  *out_results = g_str_has_prefix(last, label) ? g_strdup(last + strlen(label)) : NULL;
  *out_words = last_words(complaints);
  return STATUS_OK;
}
