/* SPDX-License-Identifier: Apache-2.0 */
/* Interprets the end of a supervised process: who was called with which case, from the note in
 * shared memory, and how it ended, from the wait status. */
#include "harness/cli/task/incident.h"

#include <stdio.h>
#include <string.h>

#include "harness/exec/child/end.h"
#include "harness/session/session.h"

uint32_t foreign_patience(const foreign_t *foreign, call_kind_t kind) {
  enum { PATIENCE_SECONDS = 60 };
  if (foreign->call_seconds == 0) return PATIENCE_SECONDS;
  switch (kind) {
    case CALL_compile:
    case CALL_implementation:
    case CALL_execute:
    case CALL_release:
    case CALL_close:
      return foreign->call_seconds;
    case CALL_none:
    case CALL_load:
    case CALL_query:
    case CALL_open:
    case CALL_describe:
    case CALL_promises:
    case CALL_unload:
    case CALL_KIND_COUNT:
    default:
      return MAX(foreign->call_seconds, PATIENCE_SECONDS);
  }
}

/* The case that the note is about.  Where its data never came, any will do: they are zeros. */
static char *read_case(const call_memory_t *memory) {
  const call_note_t *note = memory->note;
  if (note->program[0] == '\0') return NULL;
  arena_t arena;
  arena_init(&arena);
  program_t program;
  const char *broken;
  char *line = NULL;
  if (program_parse(str_from(note->program), &arena, &program, &broken, NULL) == STATUS_OK) {
    const call_sizes_t sizes = call_sizes_of(&program);
    case_t instance = case_make(&arena, &program);
    for (uint32_t i = 0; i < program.operand_count; i++) {
      if (sizes.operands[i] == 0) continue;
      if (note->has_data) {
        memcpy(instance.operands[i].data, call_memory_operand(memory, &sizes, i),
               sizes.operands[i]);
      } else {
        memset(instance.operands[i].data, 0, sizes.operands[i]);
      }
    }
    GString *text = g_string_new(NULL);
    case_print(&instance, text);
    line = g_string_free(text, FALSE);
  }
  arena_deinit(&arena);
  return line;
}

incident_t incident_read(const process_watch_end_t *end, const call_memory_t *memory,
                         const foreign_t *foreign) {
  const call_note_t *note = memory->note;
  call_kind_t kind = (call_kind_t)note->kind;
  process_end_t words = process_end_read(end->status, end->memory_kills);
  incident_t incident = {.outcome = end->was_hanging ? EXECUTOR_TIMED_OUT : words.outcome,
                         .kind = kind,
                         .case_line = read_case(memory)};
  if (kind != CALL_none) {
    incident.is_blamed = true;
    incident.executor = note->executor;
  } else if (words.has_left && foreign->count == 1) {
    incident.is_blamed = true;
    incident.executor = foreign->places[0];
  }
  if (end->was_hanging) {
    snprintf(words.words, sizeof words.words, "no answer within %u s",
             foreign_patience(foreign, kind));
  }
  snprintf(incident.reason, sizeof incident.reason, "%s %s", words.words, call_words(kind));
  return incident;
}

void incident_deinit(incident_t *incident) {
  g_free(incident->case_line);
  *incident = (incident_t){0};
}

divergence_class_t incident_class(const incident_t *incident) {
  switch (incident->outcome) {
    case EXECUTOR_TIMED_OUT:
      return CLASS_hang;
    case EXECUTOR_CRASHED:
      return CLASS_crash;
    default:
      return CLASS_ended;
  }
}

const char *incident_when(const incident_t *incident) {
  switch (incident->kind) {
    case CALL_release:
      return SESSION_WHEN_RELEASED;
    case CALL_close:
    case CALL_unload:
      return SESSION_WHEN_CLOSED;
    default:
      return NULL;
  }
}
