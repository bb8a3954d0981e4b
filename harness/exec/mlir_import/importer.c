/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the importer's process, and asks it about modules one after the other. */
#include "harness/exec/mlir_import/importer.h"

#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/plain_text.h"
#include "harness/exec/child/spawn.h"
#include "harness/exec/registry/environment.h"
#include "harness/exec/registry/paths.h"

enum {
  CHUNK_BYTES = 65536,               /* Received at once. */
  START_LIMIT_MS = 60000,            /* Python is slow to import on a cold disk. */
  MODULE_BYTES_PER_MS_OF_LIMIT = 10, /* Ten times as long as MLIR takes, and more. */
};

struct mlir_importer {
  isolate_process_t process; /* It ends when it has failed, and is not started again. */
  uint32_t limit_ms;
  int64_t deadline; /* Of the present answer. */
  GString *heard;   /* Received ... */
  size_t taken;     /* ... of which so many bytes have been looked at. */
  char *version;
};

/* ---- The process ----------------------------------------------------------------------------- */

/* The last line that it wrote to stderr, owned by the caller. */
static char *last_words(const mlir_importer_t *importer) {
  const isolate_process_t *process = &importer->process;
  g_autofree char *all = g_strndup(process->last_words, process->last_words_size);
  g_strchomp(all);
  const char *line = strrchr(all, '\n');
  g_autofree char *last = g_strstrip(g_strdup(line == NULL ? all : line + 1));
  return last[0] == '\0' ? g_strdup("it says nothing") : plain_text(last);
}

/* Waits for more of the answer; false if it has ended, or is late. */
static isolate_talk_t hear_more(mlir_importer_t *importer) {
  GString *heard = importer->heard;
  g_string_erase(heard, 0, (gssize)importer->taken);
  importer->taken = 0;
  size_t before = heard->len, size = 0;
  g_string_set_size(heard, before + CHUNK_BYTES);
  isolate_talk_t talk = isolate_process_receive_some(&importer->process, heard->str + before,
                                                     CHUNK_BYTES, &size, importer->deadline);
  g_string_set_size(heard, before + size);
  return talk;
}

/* A line without its newline, valid until more is read. */
static isolate_talk_t read_line(mlir_importer_t *importer, char **out_line) {
  for (size_t looked = 0;;) {
    char *line = importer->heard->str + importer->taken;
    size_t size = importer->heard->len - importer->taken;
    char *end = memchr(line + looked, '\n', size - looked);
    if (end != NULL) {
      *end = '\0';
      importer->taken += (size_t)(end - line) + 1;
      *out_line = line;
      return ISOLATE_TALK_OK;
    }
    looked = size;
    isolate_talk_t talk = hear_more(importer);
    if (talk != ISOLATE_TALK_OK) return talk;
  }
}

static isolate_talk_t read_bytes(mlir_importer_t *importer, size_t size, char *out_bytes) {
  while (importer->heard->len - importer->taken < size) {
    isolate_talk_t talk = hear_more(importer);
    if (talk != ISOLATE_TALK_OK) return talk;
  }
  memcpy(out_bytes, importer->heard->str + importer->taken, size);
  importer->taken += size;
  return ISOLATE_TALK_OK;
}

static void begin_answer(mlir_importer_t *importer, size_t module_bytes, uint32_t least_ms) {
  int64_t milliseconds =
      MAX(importer->limit_ms, least_ms) + (int64_t)(module_bytes / MODULE_BYTES_PER_MS_OF_LIMIT);
  importer->deadline = g_get_monotonic_time() + milliseconds * 1000;
}

/* Ends it, of which nothing can be heard, and says why.  A module that takes too long is a fault of
 * the module; all else is one of the process. */
static status_t give_up(mlir_importer_t *importer, isolate_talk_t talk, failure_t *error) {
  if (importer->process.pid == 0) {
    return status_fail(error, STATUS_IO, "the process that reads MLIR has ended before");
  }
  process_end_t end = isolate_process_end(&importer->process, talk == ISOLATE_TALK_LATE);
  g_autofree char *last = last_words(importer);
  if (talk == ISOLATE_TALK_LATE) {
    return status_fail(error, STATUS_INVALID,
                       "the process that reads MLIR gave no answer within %u s (%.200s); write a "
                       "smaller module",
                       importer->limit_ms / 1000, last);
  }
  return status_fail(error, STATUS_IO, "the process that reads MLIR ended (%s): %.300s", end.words,
                     last);
}

typedef struct launch {
  char *const *arguments;
  char *const *environment;
} launch_t;

static void become_reader(int channel, const void *context) {
  const launch_t *launch = context;
  dup2(channel, STDIN_FILENO);
  dup2(channel, STDOUT_FILENO);
  close(channel);
  execve(launch->arguments[0], launch->arguments, launch->environment);
}

static status_t start(mlir_importer_t *importer, char *python, char *script, failure_t *error) {
  char *arguments[] = {python, script, NULL};
  g_auto(GStrv) environment = worker_environment();
  const launch_t launch = {arguments, environment};
  STATUS_TRY(isolate_process_start(&importer->process, 0, become_reader, &launch, error));
  begin_answer(importer, 0, START_LIMIT_MS);
  char *version;
  isolate_talk_t talk = read_line(importer, &version);
  if (talk == ISOLATE_TALK_OK) {
    importer->version = plain_text(version);
    return STATUS_OK;
  }
  isolate_process_end(&importer->process, talk == ISOLATE_TALK_LATE);
  g_autofree char *last = last_words(importer);
  return status_fail(error, STATUS_IO, "%s does not start with %s: %s", script, python, last);
}

status_t mlir_importer_open(const char *directory, mlir_importer_t **out_importer,
                            failure_t *error) {
  const worker_t *worker = worker_find("xla", strlen("xla"));
  g_assert(worker != NULL);
  if (!worker_is_installed(worker, directory)) {
    return status_fail(error, STATUS_IO,
                       "reading MLIR takes jaxlib's parsers, which are not installed: run "
                       "`assay executors install xla`");
  }
  g_autofree char *python = worker_environment_path(worker, worker_python);
  g_autofree char *script = worker_source(directory, "mlir_import/main", ".py");
  mlir_importer_t *importer = g_new0(mlir_importer_t, 1);
  importer->limit_ms = MLIR_IMPORT_LIMIT_MS;
  importer->heard = g_string_new(NULL);
  status_t status = start(importer, python, script, error);
  if (status == STATUS_OK) {
    *out_importer = importer;
  } else {
    mlir_importer_close(importer);
  }
  return status;
}

void mlir_importer_close(mlir_importer_t *importer) {
  if (importer == NULL) return;
  isolate_process_end(&importer->process, false);
  g_string_free(importer->heard, TRUE);
  g_free(importer->version);
  g_free(importer);
}

void mlir_importer_set_limit(mlir_importer_t *importer, uint32_t milliseconds) {
  importer->limit_ms = milliseconds;
}

bool mlir_importer_is_there(const mlir_importer_t *importer) { return importer->process.pid != 0; }

const char *mlir_importer_version(const mlir_importer_t *importer) { return importer->version; }

/* ---- Questions ------------------------------------------------------------------------------- */

/* Sends a request, "WORDS BYTES" and the module, and hears the line that the answer begins with. */
static status_t ask(mlir_importer_t *importer, const char *words, str_t module, char **out_header,
                    failure_t *error) {
  isolate_talk_t talk = ISOLATE_TALK_ENDED;
  if (importer->process.pid != 0) {
    g_autofree char *request = g_strdup_printf("%s %zu\n", words, module.size);
    begin_answer(importer, module.size, 0);
    isolate_process_forget_words(&importer->process);
    talk = isolate_process_send(&importer->process, request, strlen(request), importer->deadline);
    if (talk == ISOLATE_TALK_OK) {
      talk = isolate_process_send(&importer->process, module.data, module.size, importer->deadline);
    }
    if (talk == ISOLATE_TALK_OK) talk = read_line(importer, out_header);
  }
  if (talk != ISOLATE_TALK_OK) return give_up(importer, talk, error);
  unsigned line, column;
  int said = 0;
  if (sscanf(*out_header, "error %u %u %n", &line, &column, &said) != 2) return STATUS_OK;
  return status_fail(error, STATUS_INVALID, "%u:%u: %s", line, column, *out_header + said);
}

static status_t complain_of_answer(mlir_importer_t *importer, const char *header,
                                   failure_t *error) {
  status_fail(error, STATUS_IO, "the process that reads MLIR answers \"%.200s\"", header);
  isolate_process_end(&importer->process, true);
  return STATUS_IO;
}

/* The lines and the text that follow the answer "WORD LINES BYTES". */
static status_t read_parts(mlir_importer_t *importer, const char *word, char *header,
                           mlir_graph_t *out_graph, failure_t *error) {
  uint64_t lines, size;
  char found[16];
  if (sscanf(header, "%15s %" SCNu64 " %" SCNu64, found, &lines, &size) != 3 ||
      strcmp(found, word) != 0) {
    return complain_of_answer(importer, header, error);
  }
  GStrvBuilder *builder = g_strv_builder_new();
  isolate_talk_t talk = ISOLATE_TALK_OK;
  for (uint64_t i = 0; i < lines && talk == ISOLATE_TALK_OK; i++) {
    char *line;
    talk = read_line(importer, &line);
    if (talk == ISOLATE_TALK_OK) g_strv_builder_add(builder, line);
  }
  mlir_graph_t graph = {.text = g_malloc(size + 1), .notes = g_strv_builder_end(builder)};
  g_strv_builder_unref(builder);
  if (talk == ISOLATE_TALK_OK) talk = read_bytes(importer, size, graph.text);
  graph.text[size] = '\0';
  if (talk == ISOLATE_TALK_OK) {
    *out_graph = graph;
    return STATUS_OK;
  }
  mlir_graph_free(&graph);
  return give_up(importer, talk, error);
}

status_t mlir_importer_read(mlir_importer_t *importer, str_t module, bool is_signed,
                            mlir_graph_t *out_graph, failure_t *error) {
  char *header;
  STATUS_TRY(ask(importer, is_signed ? "signed" : "unsigned", module, &header, error));
  return read_parts(importer, "graph", header, out_graph, error);
}

status_t mlir_importer_read_program(mlir_importer_t *importer, str_t module, char *const *given,
                                    mlir_graph_t *out_lines, failure_t *error) {
  g_autoptr(GString) words = g_string_new("program");
  for (size_t i = 0; given != NULL && given[i] != NULL; i++) {
    g_string_append_printf(words, " %s", given[i]);
  }
  char *header;
  STATUS_TRY(ask(importer, words->str, module, &header, error));
  return read_parts(importer, "program", header, out_lines, error);
}

status_t mlir_importer_read_module(mlir_importer_t *importer, str_t module,
                                   mlir_graph_t *out_document, failure_t *error) {
  char *header;
  STATUS_TRY(ask(importer, "module", module, &header, error));
  return read_parts(importer, "module", header, out_document, error);
}

status_t mlir_importer_isolate(mlir_importer_t *importer, str_t module, uint64_t seed,
                               char *const *inputs, mlir_graph_t *out_document, failure_t *error) {
  g_autoptr(GString) words = g_string_new(NULL);
  g_string_printf(words, "isolate %" PRIu64, seed);
  for (size_t i = 0; inputs != NULL && inputs[i] != NULL; i++) {
    g_autofree char *path = g_canonicalize_filename(inputs[i], NULL);
    g_autofree char *word = g_uri_escape_string(path, "/", FALSE);
    g_string_append_printf(words, " %s", word);
  }
  char *header;
  STATUS_TRY(ask(importer, words->str, module, &header, error));
  return read_parts(importer, "steps", header, out_document, error);
}

status_t mlir_importer_run_step(mlir_importer_t *importer, size_t step, str_t digits,
                                mlir_graph_t *out_document, failure_t *error) {
  g_autofree char *words = g_strdup_printf("step %zu", step);
  char *header;
  STATUS_TRY(ask(importer, words, digits, &header, error));
  return read_parts(importer, "results", header, out_document, error);
}

status_t mlir_importer_step_alone(mlir_importer_t *importer, size_t step,
                                  mlir_graph_t *out_document, failure_t *error) {
  g_autofree char *words = g_strdup_printf("alone %zu", step);
  char *header;
  STATUS_TRY(ask(importer, words, str_from(""), &header, error));
  return read_parts(importer, "alone", header, out_document, error);
}

void mlir_graph_free(mlir_graph_t *graph) {
  g_free(graph->text);
  g_strfreev(graph->notes);
}

/* The comment at the end of the line, "LINE:COLUMN", or NULL. */
static char *place_of_line(const char *text, unsigned line) {
  for (unsigned i = 1; i < line && text != NULL; i++) {
    text = strchr(text, '\n');
    if (text != NULL) text++;
  }
  if (text == NULL) return NULL;
  g_autofree char *whole = g_strndup(text, strcspn(text, "\n"));
  const char *comment = strrchr(whole, '#');
  return comment == NULL ? NULL : g_strdup(comment + 2);
}

void mlir_graph_place(const mlir_graph_t *graph, failure_t *error) {
  unsigned line, column;
  int said = 0;
  if (sscanf(error->text, "line %u, column %u: %n", &line, &column, &said) != 2) return;
  g_autofree char *place = place_of_line(graph->text, line);
  if (place == NULL) return;
  g_autofree char *message = g_strdup(error->text + said);
  status_fail(error, STATUS_INVALID, "%s: %s", place, message);
}
