/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the importer's process, and asks it about modules one after the other. */
#include "harness/exec/mlir_import/importer.h"

#include <glib.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "harness/exec/registry/environment.h"
#include "harness/exec/registry/paths.h"

struct mlir_importer {
  GPid pid;
  FILE *requests;
  FILE *answers;
  FILE *words; /* Its stderr: read when it has ended. */
  char *line;  /* The last one read; getline()'s. */
  size_t line_capacity;
  char *version;
};

/* ---- The process ----------------------------------------------------------------------------- */

/* A line without its newline, valid until the next; NULL if the process has ended. */
static char *read_line(mlir_importer_t *importer) {
  ssize_t size = getline(&importer->line, &importer->line_capacity, importer->answers);
  if (size <= 0 || importer->line[size - 1] != '\n') return NULL;
  importer->line[size - 1] = '\0';
  return importer->line;
}

/* The last line that it wrote to stderr before it ended, owned by the caller. */
static char *last_words(mlir_importer_t *importer) {
  char *last = g_strdup("it says nothing");
  char line[1024];
  while (fgets(line, sizeof line, importer->words) != NULL) {
    g_free(last);
    last = g_strstrip(g_strdup(line));
  }
  return last;
}

/* It ends at the end of its input; it may be dead, with requests unread.  Returns last_words(). */
static char *stop(mlir_importer_t *importer) {
  void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* What is left unsent need not arrive. */
  (void)fclose(importer->requests);
  (void)signal(SIGPIPE, before);
  (void)fclose(importer->answers);
  char *last = last_words(importer);
  (void)fclose(importer->words);
  (void)waitpid(importer->pid, NULL, 0);
  g_spawn_close_pid(importer->pid);
  return last;
}

static void free_importer(mlir_importer_t *importer) {
  free(importer->line);
  g_free(importer->version);
  g_free(importer);
}

static status_t start(mlir_importer_t *importer, char *python, char *script, failure_t *error) {
  char *arguments[] = {python, script, NULL};
  g_auto(GStrv) environment = worker_environment();
  gint requests, answers, words;
  GError *failure = NULL;
  if (!g_spawn_async_with_pipes(NULL, arguments, environment, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                                &importer->pid, &requests, &answers, &words, &failure)) {
    status_t status = status_fail(error, STATUS_IO, "%s", failure->message);
    g_error_free(failure);
    return status;
  }
  importer->requests = fdopen(requests, "w");
  importer->answers = fdopen(answers, "r");
  importer->words = fdopen(words, "r");
  const char *version = read_line(importer);
  if (version == NULL) {
    g_autofree char *last = stop(importer);
    return status_fail(error, STATUS_IO, "%s does not start with %s: %s", script, python, last);
  }
  importer->version = g_strdup(version);
  return STATUS_OK;
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
  status_t status = start(importer, python, script, error);
  if (status == STATUS_OK) {
    *out_importer = importer;
  } else {
    free_importer(importer);
  }
  return status;
}

void mlir_importer_close(mlir_importer_t *importer) {
  if (importer == NULL) return;
  g_free(stop(importer));
  free_importer(importer);
}

const char *mlir_importer_version(const mlir_importer_t *importer) { return importer->version; }

/* ---- Questions ------------------------------------------------------------------------------- */

static status_t send_module(mlir_importer_t *importer, str_t module, bool is_signed) {
  void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* A death is read from the pipe. */
  fprintf(importer->requests, "%s %zu\n", is_signed ? "signed" : "unsigned", module.size);
  bool is_sent = fwrite(module.data, 1, module.size, importer->requests) == module.size &&
                 fflush(importer->requests) == 0;
  (void)signal(SIGPIPE, before);
  return is_sent ? STATUS_OK : STATUS_IO;
}

/* "graph NOTES BYTES" has been read. */
static bool read_graph(mlir_importer_t *importer, uint64_t notes, uint64_t size,
                       mlir_graph_t *out_graph) {
  GStrvBuilder *builder = g_strv_builder_new();
  bool is_whole = true;
  for (uint64_t i = 0; i < notes && is_whole; i++) {
    const char *note = read_line(importer);
    is_whole = note != NULL;
    if (is_whole) g_strv_builder_add(builder, note);
  }
  mlir_graph_t graph = {.text = g_malloc(size + 1), .notes = g_strv_builder_end(builder)};
  g_strv_builder_unref(builder);
  is_whole = is_whole && fread(graph.text, 1, size, importer->answers) == size;
  graph.text[size] = '\0';
  if (is_whole) {
    *out_graph = graph;
  } else {
    mlir_graph_free(&graph);
  }
  return is_whole;
}

status_t mlir_importer_read(mlir_importer_t *importer, str_t module, bool is_signed,
                            mlir_graph_t *out_graph, failure_t *error) {
  uint64_t notes, size;
  unsigned line, column;
  int said = 0;
  const char *header =
      send_module(importer, module, is_signed) == STATUS_OK ? read_line(importer) : NULL;
  if (header != NULL && sscanf(header, "error %u %u %n", &line, &column, &said) == 2) {
    return status_fail(error, STATUS_INVALID, "%u:%u: %s", line, column, header + said);
  }
  if (header != NULL && sscanf(header, "graph %" SCNu64 " %" SCNu64, &notes, &size) == 2 &&
      read_graph(importer, notes, size, out_graph)) {
    return STATUS_OK;
  }
  if (header != NULL) {
    return status_fail(error, STATUS_IO, "the process that reads MLIR answers \"%.200s\"", header);
  }
  g_autofree char *last = last_words(importer);
  return status_fail(error, STATUS_IO, "the process that reads MLIR ended: %.300s", last);
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
