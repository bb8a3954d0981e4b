/* SPDX-License-Identifier: Apache-2.0 */
/* Talks to the Python process that runs jaxlib's verifier, in batches; if it dies, restarts it and
 * sends modules one by one to find the one at fault. */
#include "tests/exec/verifier.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "harness/exec/registry/paths.h"

struct verifier {
  char *python;
  char *script;
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
static const char *read_line(verifier_t *verifier) {
  ssize_t size = getline(&verifier->line, &verifier->line_capacity, verifier->answers);
  if (size <= 0 || verifier->line[size - 1] != '\n') return NULL;
  verifier->line[size - 1] = '\0';
  return verifier->line;
}

/* It ends at the end of its input; it may be dead, with requests unread.  Returns the last line
 * that it wrote to stderr, owned by the caller. */
static char *stop(verifier_t *verifier) {
  (void)fclose(verifier->requests);
  (void)fclose(verifier->answers);
  char *last = g_strdup("it says nothing");
  char line[1024];
  while (fgets(line, sizeof line, verifier->words) != NULL) {
    g_free(last);
    last = g_strstrip(g_strdup(line));
  }
  (void)fclose(verifier->words);
  (void)waitpid(verifier->pid, NULL, 0);
  g_spawn_close_pid(verifier->pid);
  return last;
}

static status_t start(verifier_t *verifier, failure_t *error) {
  char *arguments[] = {verifier->python, verifier->script, NULL};
  gint requests, answers, words;
  GError *failure = NULL;
  if (!g_spawn_async_with_pipes(NULL, arguments, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                                &verifier->pid, &requests, &answers, &words, &failure)) {
    status_t status = status_fail(error, STATUS_IO, "%s", failure->message);
    g_error_free(failure);
    return status;
  }
  verifier->requests = fdopen(requests, "w");
  verifier->answers = fdopen(answers, "r");
  verifier->words = fdopen(words, "r");
  const char *version = read_line(verifier);
  if (version == NULL) {
    g_autofree char *last = stop(verifier);
    return status_fail(error, STATUS_IO, "%s does not start with %s: %s", verifier->script,
                       verifier->python, last);
  }
  g_free(verifier->version);
  verifier->version = g_strdup(version);
  return STATUS_OK;
}

static void free_verifier(verifier_t *verifier) {
  free(verifier->line);
  g_free(verifier->version);
  g_free(verifier->script);
  g_free(verifier->python);
  g_free(verifier);
}

status_t verifier_open(const char *source, verifier_t **out_verifier, failure_t *error) {
  g_autofree char *workers = g_build_filename(source, "harness", "exec", "workers", NULL);
  const worker_t *worker = worker_find("xla", strlen("xla"));
  g_assert_nonnull(worker);
  if (!worker_is_installed(worker, workers)) {
    return status_fail(error, STATUS_IO, "jaxlib is not installed: `assay executors install xla`");
  }
  (void)signal(SIGPIPE, SIG_IGN); /* A death is read from the pipe. */
  verifier_t *verifier = g_new0(verifier_t, 1);
  verifier->python = worker_environment_path(worker, worker_python);
  verifier->script = g_build_filename(source, "tests", "exec", "workers", "verifier.py", NULL);
  status_t status = start(verifier, error);
  if (status == STATUS_OK) {
    *out_verifier = verifier;
  } else {
    free_verifier(verifier);
  }
  return status;
}

void verifier_close(verifier_t *verifier) {
  g_free(stop(verifier));
  free_verifier(verifier);
}

const char *verifier_version(const verifier_t *verifier) { return verifier->version; }

/* ---- Questions ------------------------------------------------------------------------------- */

static verifier_opinion_t parse_opinion(const char *line) {
  static const struct {
    const char *prefix;
    verifier_word_t word;
  } words[] = {{"accepted", VERIFIER_ACCEPTED},
               {"verifier ", VERIFIER_REJECTED},
               {"parser ", VERIFIER_UNREAD}};
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
    if (!g_str_has_prefix(line, words[i].prefix)) continue;
    const char *message = line + strlen(words[i].prefix);
    return (verifier_opinion_t){.word = words[i].word, .message = g_strdup(message)};
  }
  g_error("the verifier says \"%s\"", line);
}

/* False if the process died; the opinions before that are given. */
static bool ask_batch(verifier_t *verifier, const char *const *modules, size_t count,
                      verifier_opinion_t *out_opinions, size_t *out_given) {
  *out_given = 0;
  fprintf(verifier->requests, "%zu\n", count);
  for (size_t i = 0; i < count; i++) {
    fprintf(verifier->requests, "%zu\n%s", strlen(modules[i]), modules[i]);
  }
  if (fflush(verifier->requests) != 0) return false;
  for (; *out_given < count; (*out_given)++) {
    const char *line = read_line(verifier);
    if (line == NULL) return false;
    out_opinions[*out_given] = parse_opinion(line);
  }
  return true;
}

/* Returns what the dead one wrote last. */
static char *restart(verifier_t *verifier) {
  failure_t error;
  char *last = stop(verifier);
  if (start(verifier, &error) != STATUS_OK) g_error("%s", error.text);
  return last;
}

void verifier_ask(verifier_t *verifier, const char *const *modules, size_t count,
                  verifier_opinion_t *out_opinions) {
  size_t given;
  if (ask_batch(verifier, modules, count, out_opinions, &given)) return;
  for (size_t i = 0; i < given; i++) g_free(out_opinions[i].message);
  g_free(restart(verifier));
  for (size_t i = 0; i < count; i++) {
    if (ask_batch(verifier, &modules[i], 1, &out_opinions[i], &given)) continue;
    char *last = restart(verifier);
    out_opinions[i] = (verifier_opinion_t){.word = VERIFIER_DIED, .message = last};
  }
}
