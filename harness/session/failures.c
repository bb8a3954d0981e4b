/* SPDX-License-Identifier: Apache-2.0 */
/* Failures of executors that no walk of a case shows: at the end of a program, of the executor, or
 * of a process that others watched over. */
#include <string.h>

#include "harness/session/state.h"

static hash_text_t sign(const session_failure_t *failure, const verdict_t *verdict,
                        const program_t *program) {
  if (failure->when == NULL) return verdict_signature(verdict, program);
  g_autofree char *words =
      g_strdup_printf("%s: %s", failure->when, class_spelling(verdict->class_));
  return hash_of(words, strlen(words));
}

void session_note_failure(session_t *session, const session_failure_t *failure,
                          const case_t *instance) {
  const program_t *program = &instance->program;
  verdict_t verdict;
  case_runner_judge_absence(failure->outcome, EXECUTOR_PROMISE_NONE, program_broken(program),
                            failure->reason, &verdict);
  hash_text_t signature = sign(failure, &verdict, program);
  tally_label_t present = session->label;
  session->label = tally_label(session->tally, program);
  tally_add(session->tally, failure->executor, &session->label, &verdict, "");
  observation_tally_add(session->observations, failure->executor, &session->label, &verdict);
  session->cases++;
  session_record_failure(session, failure->executor, instance, &verdict, &signature);
  session->label = present;
}

/* The program that it was about, on zeros: whoever replays that meets the same end. */
static status_t note_aftermath(session_t *session, size_t executor,
                               const executor_aftermath_t *aftermath, failure_t *error) {
  const session_failure_t failure = {
      .executor = executor,
      .outcome = aftermath->outcome,
      .reason = aftermath->reason,
      .when = aftermath->is_of_program ? SESSION_WHEN_RELEASED : SESSION_WHEN_CLOSED};
  arena_t arena;
  arena_init(&arena);
  program_t program;
  const char *broken;
  status_t status =
      program_parse(str_from(aftermath->program_line), &arena, &program, &broken, error);
  if (status == STATUS_OK) {
    case_t instance = case_make(&arena, &program);
    for (uint32_t i = 0; i < program.operand_count; i++) {
      size_t bytes = type_bytes(&program.operands[i]);
      if (bytes != 0) memset(instance.operands[i].data, 0, bytes);
    }
    session_note_failure(session, &failure, &instance);
  }
  arena_deinit(&arena);
  return status;
}

/* One that has never had a program has failed as a whole. */
static status_t take_aftermath(session_t *session, size_t index, failure_t *error) {
  executor_t *executor = session->contenders[index].executor;
  if (!executor_has_aftermath(executor)) return STATUS_OK;
  executor_aftermath_t aftermath = executor_take_aftermath(executor);
  status_t status = STATUS_OK;
  if (aftermath.program_line == NULL) {
    status =
        status_fail(error, STATUS_IO, "executor %s: %s", executor_name(executor), aftermath.reason);
  } else {
    status = note_aftermath(session, index, &aftermath, error);
  }
  g_free(aftermath.program_line);
  return status;
}

status_t session_take_aftermaths(session_t *session, failure_t *error) {
  for (size_t i = 0; i < session->options.executor_count; i++) {
    STATUS_TRY(take_aftermath(session, i, error));
  }
  return STATUS_OK;
}

status_t session_shut_executors(session_t *session, failure_t *error) {
  status_t status = STATUS_OK;
  for (size_t i = 0; i < session->options.executor_count; i++) {
    executor_shut(session->contenders[i].executor);
    if (status == STATUS_OK) status = take_aftermath(session, i, error);
  }
  STATUS_TRY(status);
  return session_tell(session, error);
}
