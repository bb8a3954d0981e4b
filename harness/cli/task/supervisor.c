/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the work in a watched child with a shared board for progress and reported findings; if the
 * child ends or hangs, reports the incident and starts over with isolated executors, without
 * reporting anything twice. */
#include "harness/cli/task/supervisor.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/builtin/builtin.h"
#include "harness/cli/options/declared_ops.h"
#include "harness/cli/task/interrupt.h"
#include "harness/exec/child/end.h"

enum {
  INPUT_BYTES_MAX = 1 << 20,
  REPORTED_MAX = 1 << 14, /* Findings; more are told again. */
  SHOWN_CASE_BYTES_MAX = 2000,
};

/* What both processes see. */
typedef struct board {
  volatile sig_atomic_t stop;
  volatile bool is_over;
  volatile int exit_code; /* Then; before, as the work would end now. */
  volatile uint64_t cases;
  volatile uint64_t inputs;
  volatile bool is_in_input;
  volatile size_t input_size;
  uint8_t input[INPUT_BYTES_MAX];
  volatile uint32_t reported_count;
  reported_t reported[REPORTED_MAX];
} board_t;

struct supervisor {
  supervisor_options_t options;
  foreign_t foreign;
  board_t *board;
  call_memory_t *memory;
  int64_t begin_us;
  int64_t begun_again_us;
  uint64_t cases_before;
  uint32_t reported_before; /* What was told when the work was begun for the last time. */
  int exit_code_before;     /* Of what was found before. */
  bool has_incident;
  bool owes_failure; /* Something ended the work that no finding will tell of. */
  incident_t incident;
  uint64_t seen_progress; /* Of the work, ... */
  uint32_t seen_seconds;  /* ... which has not changed for so long. */
};

/* ---- Watching -------------------------------------------------------------------------------- */

static void on_stop(void *context) { ((supervisor_t *)context)->board->stop = 1; }

/* A process that somebody has stopped, as a debugger does, is not hanging. */
static bool is_stopped(const supervisor_t *supervisor) {
  g_autofree char *path = g_strdup_printf("/proc/%d/stat", supervisor->memory->note->process);
  g_autofree char *text = NULL;
  if (!g_file_get_contents(path, &text, NULL, NULL)) return false;
  const char *state = strrchr(text, ')');
  return state != NULL && (g_str_has_prefix(state, ") T") || g_str_has_prefix(state, ") t"));
}

static bool is_hanging(void *context, pid_t guard) {
  (void)guard;
  supervisor_t *supervisor = context;
  const board_t *board = supervisor->board;
  const call_note_t *note = supervisor->memory->note;
  uint64_t progress = note->entered + board->inputs;
  bool is_idle = note->kind == CALL_none && !board->is_in_input;
  if (is_idle || progress != supervisor->seen_progress || is_stopped(supervisor)) {
    supervisor->seen_progress = progress;
    supervisor->seen_seconds = 0;
    return false;
  }
  uint32_t patience = foreign_patience(&supervisor->foreign, (call_kind_t)note->kind);
  return ++supervisor->seen_seconds >= patience;
}

/* ---- Telling --------------------------------------------------------------------------------- */

/* " --executor 'NAME' --contract spec" for `assay replay`. */
static void print_words(const supervisor_t *supervisor, GString *text) {
  const supervisor_options_t *options = &supervisor->options;
  g_auto(GStrv) names = executor_flags_names(options->executor);
  for (size_t i = 0; names[i] != NULL; i++) {
    bool is_meant = !supervisor->incident.is_blamed || supervisor->incident.executor == i;
    if (!is_meant) continue;
    g_autofree char *name = g_shell_quote(names[i]);
    g_string_append_printf(text, " --executor %s", name);
  }
  declared_ops_print(text);
  if (options->contract == NULL) return;
  g_autofree char *contract = g_shell_quote(options->contract);
  g_string_append_printf(text, " --contract %s", contract);
}

/* The file in which the case is kept, "FOLDER/crash-HASH"; NULL if it is not. */
static char *keep_case(const supervisor_t *supervisor) {
  const char *line = supervisor->incident.case_line;
  const char *folder = supervisor->options.artifacts;
  if (line == NULL || folder == NULL) return NULL;
  hash_text_t hash = hash_of(line, strlen(line));
  g_autofree char *name =
      g_strdup_printf("%s-%s", class_spelling(incident_class(&supervisor->incident)), hash.text);
  g_autofree char *text = g_strconcat(line, "\n", NULL);
  char *path = g_build_filename(folder, name, NULL);
  g_mkdir_with_parents(folder, 0777);
  g_autoptr(GError) failure = NULL;
  if (g_file_set_contents(path, text, -1, &failure)) return path;
  complain("%s", failure->message);
  g_free(path);
  return NULL;
}

/* Who it was, as far as that is known. */
static void print_culprit(const supervisor_t *supervisor, GString *text) {
  const incident_t *incident = &supervisor->incident;
  g_auto(GStrv) names = executor_flags_names(supervisor->options.executor);
  if (incident->is_blamed) {
    g_string_append_printf(text, "%s: %s", names[incident->executor], incident->reason);
    return;
  }
  g_string_append_printf(text, "the process that does the work ended: %s", incident->reason);
  if (supervisor->foreign.count == 0) {
    g_string_append(text, ", where no executor was: a bug in Assay, or it was killed");
    return;
  }
  g_string_append(text, ": it was killed, or Assay has a bug, or one of these did it:");
  for (size_t i = 0; i < supervisor->foreign.count; i++) {
    g_string_append_printf(text, " %s", names[supervisor->foreign.places[i]]);
  }
}

static void tell(const supervisor_t *supervisor, bool goes_on) {
  const incident_t *incident = &supervisor->incident;
  g_autoptr(GString) text = g_string_new(NULL);
  g_autoptr(GString) words = g_string_new(NULL);
  g_autofree char *path = keep_case(supervisor);
  print_culprit(supervisor, text);
  print_words(supervisor, words);
  if (path != NULL) {
    g_string_append_printf(text, " in the case %s; `assay replay %s%s`", path, path, words->str);
  }
  if (goes_on) {
    g_string_append(text, "; the work is done again with executors in processes of their own");
  }
  bool is_shown = path == NULL && incident->case_line != NULL &&
                  strlen(incident->case_line) <= SHOWN_CASE_BYTES_MAX;
  if (is_shown) {
    g_autofree char *line = g_shell_quote(incident->case_line);
    g_string_append_printf(text, "\n  assay replay %s%s", line, words->str);
  }
  complain("%s", text->str);
}

/* ---- The end of the work --------------------------------------------------------------------- */

static int severity(int exit_code) {
  switch (exit_code) {
    case EXIT_CODE_CLEAN:
      return 0;
    case EXIT_CODE_FAILED:
      return 1;
    case EXIT_CODE_DIVERGES:
      return 2;
    default:
      return 3;
  }
}

static int worse(int a, int b) { return severity(a) >= severity(b) ? a : b; }

/* Of work that came to its end.  What code of others does to the process afterwards, in handlers of
 * exit(), changes nothing but that it is told. */
static int finish(const supervisor_t *supervisor, const process_watch_end_t *end) {
  int exit_code = worse(supervisor->board->exit_code, supervisor->exit_code_before);
  process_end_t words = process_end_read(end->status, end->memory_kills);
  bool is_as_said = words.has_left && WEXITSTATUS(end->status) == supervisor->board->exit_code;
  if (!is_as_said) {
    complain("after all work was done: %s, by a handler that an executor left behind", words.words);
    exit_code = worse(exit_code, EXIT_CODE_FAILED);
  }
  if (supervisor->owes_failure) exit_code = worse(exit_code, EXIT_CODE_FAILED);
  return exit_code;
}

/* Takes down what ended the work; false if it is not to be begun again. */
static bool take_incident(supervisor_t *supervisor, const process_watch_end_t *end) {
  board_t *board = supervisor->board;
  incident_deinit(&supervisor->incident);
  incident_t *incident = &supervisor->incident;
  *incident = incident_read(end, supervisor->memory, &supervisor->foreign);
  if (!incident->is_blamed && board->is_in_input) {
    g_free(incident->case_line);
    incident->case_line = g_strndup((const char *)board->input, board->input_size);
  }
  supervisor->has_incident = true;
  supervisor->owes_failure |= !incident->is_blamed || incident->case_line == NULL;
  supervisor->exit_code_before = worse(supervisor->exit_code_before, board->exit_code);
  bool goes_on = supervisor->foreign.count > 0;
  tell(supervisor, goes_on);
  supervisor->foreign.count = 0; /* From now on they are isolated. */
  return goes_on;
}

static void prepare_again(supervisor_t *supervisor) {
  board_t *board = supervisor->board;
  supervisor->begun_again_us = g_get_monotonic_time();
  supervisor->cases_before = board->cases;
  supervisor->reported_before = board->reported_count;
  board->exit_code = EXIT_CODE_CLEAN;
  board->is_in_input = false;
  call_memory_leave(supervisor->memory);
}

/* Returns in the process that works only. */
static status_t watch(supervisor_t *supervisor, failure_t *error) {
  const process_watch_t watching = {
      .on_stop = on_stop, .is_hanging = is_hanging, .context = supervisor};
  for (;;) {
    fflush(NULL);
    pid_t guard = process_watch_fork();
    if (guard < 0) return status_fail(error, STATUS_IO, "cannot fork: %s", g_strerror(errno));
    if (guard == 0) {
      supervisor->memory->note->process = getpid();
      return STATUS_OK;
    }
    process_watch_end_t end = process_watch_wait(guard, &watching);
    if (supervisor->board->is_over) _exit(finish(supervisor, &end));
    interrupt_end_like(end.stop_signal, end.status);
    if (!take_incident(supervisor, &end)) _exit(EXIT_CODE_FAILED);
    prepare_again(supervisor);
  }
}

/* ---- The beginning --------------------------------------------------------------------------- */

static status_t find_foreign(const executor_flags_t *flags, foreign_t *out_foreign,
                             failure_t *error) {
  executor_options_t options;
  STATUS_TRY(executor_flags_options(flags, &options, error));
  *out_foreign =
      (foreign_t){.call_seconds = options.timeout_ms / 1000 + (options.timeout_ms % 1000 != 0)};
  g_auto(GStrv) names = executor_flags_names(flags);
  guint count = g_strv_length(names);
  out_foreign->places = g_new0(size_t, count);
  for (size_t i = 0; i < count; i++) {
    if (!executor_lives_here(names[i], &options)) continue;
    out_foreign->places[out_foreign->count++] = i;
  }
  return STATUS_OK;
}

bool supervisor_is_needed(const executor_flags_t *flags) {
  foreign_t foreign = {0};
  failure_t ignored;
  bool is_needed = find_foreign(flags, &foreign, &ignored) == STATUS_OK && foreign.count > 0;
  g_free(foreign.places);
  return is_needed;
}

status_t supervisor_begin(const supervisor_options_t *options, supervisor_t **out_supervisor,
                          failure_t *error) {
  supervisor_t *supervisor = g_new0(supervisor_t, 1);
  supervisor->options = *options;
  supervisor->begin_us = g_get_monotonic_time();
  supervisor->begun_again_us = supervisor->begin_us;
  STATUS_TRY(find_foreign(options->executor, &supervisor->foreign, error));
  supervisor->memory = call_memory_new();
  void *board = mmap(NULL, sizeof *supervisor->board, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (supervisor->memory == NULL || board == MAP_FAILED) {
    return status_fail(error, STATUS_IO, "cannot map memory to share with the process that works");
  }
  supervisor->board = board;
  STATUS_TRY(watch(supervisor, error));
  *out_supervisor = supervisor;
  return STATUS_OK;
}

void supervisor_end(supervisor_t *supervisor, int exit_code) {
  if (supervisor == NULL) return;
  fflush(NULL);
  supervisor->board->exit_code = exit_code;
  supervisor->board->is_over = true;
  munmap(supervisor->board, sizeof *supervisor->board);
  call_memory_free(supervisor->memory);
  incident_deinit(&supervisor->incident);
  g_free(supervisor->foreign.places);
  g_free(supervisor);
}

/* ---- For the work ---------------------------------------------------------------------------- */

const incident_t *supervisor_incident(const supervisor_t *supervisor) {
  return supervisor != NULL && supervisor->has_incident ? &supervisor->incident : NULL;
}

double supervisor_seconds_before(const supervisor_t *supervisor) {
  if (supervisor == NULL) return 0;
  return (double)(supervisor->begun_again_us - supervisor->begin_us) / G_USEC_PER_SEC;
}

uint64_t supervisor_cases_before(const supervisor_t *supervisor) {
  return supervisor == NULL ? 0 : supervisor->cases_before;
}

call_memory_t *supervisor_memory(const supervisor_t *supervisor) {
  return supervisor == NULL ? NULL : supervisor->memory;
}

const volatile sig_atomic_t *supervisor_stop(supervisor_t *supervisor) {
  if (supervisor == NULL) return NULL;
  interrupt_pass_on(&supervisor->board->stop);
  return &supervisor->board->stop;
}

void supervisor_note(supervisor_t *supervisor, uint64_t cases, int exit_code) {
  if (supervisor == NULL) return;
  supervisor->board->cases = cases;
  supervisor->board->exit_code = exit_code;
}

void supervisor_enter_input(supervisor_t *supervisor, const uint8_t *data, size_t size) {
  if (supervisor == NULL) return;
  board_t *board = supervisor->board;
  size_t kept = MIN(size, (size_t)INPUT_BYTES_MAX);
  memcpy(board->input, data, kept);
  board->input_size = kept;
  board->inputs++;
  board->is_in_input = true;
}

void supervisor_leave_input(supervisor_t *supervisor) {
  if (supervisor != NULL) supervisor->board->is_in_input = false;
}

bool supervisor_has_reported(supervisor_t *supervisor, const reported_t *reported) {
  if (supervisor == NULL) return false;
  board_t *board = supervisor->board;
  for (uint32_t i = 0; i < supervisor->reported_before; i++) {
    bool is_same = board->reported[i].executor == reported->executor &&
                   strcmp(board->reported[i].signature.text, reported->signature.text) == 0;
    if (is_same) return true;
  }
  if (board->reported_count < REPORTED_MAX) board->reported[board->reported_count++] = *reported;
  return false;
}

const reported_t *supervisor_reported(const supervisor_t *supervisor, uint32_t *out_count) {
  *out_count = supervisor == NULL ? 0 : supervisor->reported_before;
  return supervisor == NULL ? NULL : supervisor->board->reported;
}
