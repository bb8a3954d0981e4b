/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the transport by the worker protocol: programs are sent as text and MLIR, operands as
 * bytes. A restarted worker gets its programs compiled again when they are next used. */
#include "harness/exec/process/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/plain_text.h"
#include "harness/exec/process/compiled.h"
#include "harness/exec/process/request.h"
#include "harness/exec/process/session.h"
#include "harness/exec/process/shapes.h"
#include "harness/exec/process/sized_module.h"
#include "harness/exec/transport/reason.h"
#include "harness/kinds/module/module.h"
#include "harness/model/op.h"

typedef struct process_transport {
  transport_t head;
  process_session_t session;
  uint64_t programs; /* Compiled so far: the last number given to one. */
  /* A call that cannot tell of a failure (promises) ended the worker: the next one that can tell,
   * does.  EXECUTOR_OK if none is pending. */
  executor_outcome_t pending_outcome;
  char pending_reason[ERROR_TEXT_BYTES / 2];
  /* A worker ended when it was asked nothing: told by the next release or close. */
  executor_outcome_t late_outcome;
  char late_reason[ERROR_TEXT_BYTES / 2];
} process_transport_t;

static executor_outcome_t take_pending(process_transport_t *process, assay_reason_t *reason) {
  executor_outcome_t outcome = process->pending_outcome;
  if (outcome != EXECUTOR_OK) {
    snprintf(reason->text, reason->text_bytes, "%s", process->pending_reason);
    process->pending_outcome = EXECUTOR_OK;
  }
  return outcome;
}

/* What a refusal says; any other word has no place here and is garbage. */
static executor_outcome_t take_refusal(process_session_t *session, const answer_t *answer,
                                       call_kind_t call, assay_reason_t *reason) {
  executor_outcome_t outcome;
  switch (answer->word) {
    case ANSWER_UNSUPPORTED:
      outcome = EXECUTOR_REFUSED;
      break;
    case ANSWER_INVALID:
      outcome = EXECUTOR_REJECTED;
      break;
    case ANSWER_FAILED:
      outcome = EXECUTOR_FAILED;
      break;
    case ANSWER_OK:
    case ANSWER_YES:
    case ANSWER_NO:
    default:
      return process_session_garbage(session, "an answer to another question", call, reason);
  }
  snprintf(reason->text, reason->text_bytes, "%.*s", STR_FORMAT(answer->rest));
  reason_clean(reason);
  reason_default(reason, "refused, it says, without a reason");
  executor_outcome_t finish = process_session_finish(session, call, reason);
  return finish == EXECUTOR_OK ? outcome : finish;
}

/* Sends `verb` with a program, and hears the line of the answer. */
static executor_outcome_t ask_about(process_session_t *session, const char *verb,
                                    const process_handle_t *handle, call_kind_t call,
                                    answer_t *out_answer, assay_reason_t *reason) {
  size_t mlir_bytes = session->greeting.takes_mlir ? strlen(handle->mlir) : 0;
  char *line = g_strdup_printf("%s %zu %s\n", verb, mlir_bytes, handle->line);
  executor_outcome_t outcome =
      process_session_send(session, true, line, strlen(line), call, reason);
  g_free(line);
  if (outcome == EXECUTOR_OK) {
    outcome = process_session_send(session, false, handle->mlir, mlir_bytes, call, reason);
  }
  if (outcome != EXECUTOR_OK) return outcome;
  return process_session_answer(session, ANSWER_LINE_BYTES_MAX, call, out_answer, reason);
}

/* What went wrong unseen is told once. */
static void note_late(process_transport_t *process, executor_outcome_t outcome,
                      const char *reason) {
  if (process->late_outcome != EXECUTOR_OK) return;
  process->late_outcome = outcome;
  g_strlcpy(process->late_reason, reason, sizeof process->late_reason);
}

/* Makes sure that a worker runs, and notes how the last one ended that was asked nothing.  A worker
 * may leave when it likes, but not by a fault. */
static executor_outcome_t ensure(process_transport_t *process, assay_reason_t *reason) {
  process_session_t *session = &process->session;
  executor_outcome_t outcome = process_session_ensure(session, reason);
  if (session->ended_late && session->late_end.outcome == EXECUTOR_CRASHED) {
    g_autofree char *text = g_strdup_printf("%s between calls", session->late_end.words);
    note_late(process, EXECUTOR_CRASHED, text);
  }
  session->ended_late = false;
  return outcome;
}

static executor_outcome_t compile_once(process_transport_t *process, process_handle_t *handle,
                                       assay_reason_t *reason) {
  process_session_t *session = &process->session;
  char verb[40];
  snprintf(verb, sizeof verb, "compile %" PRIu64, handle->id);
  answer_t answer;
  executor_outcome_t outcome = ask_about(session, verb, handle, CALL_compile, &answer, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  if (answer.word != ANSWER_OK) return take_refusal(session, &answer, CALL_compile, reason);
  outcome = process_session_finish(session, CALL_compile, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  g_autofree char *said = g_strndup(answer.rest.data, answer.rest.size);
  g_free(handle->implementation);
  handle->implementation = plain_text(said);
  handle->generation = session->generation;
  return EXECUTOR_OK;
}

/* Makes sure that the worker which runs has compiled the program.  One that ends here, and was told
 * to release another program before, may have ended of that, which has no answer: a new one is
 * asked again, and if that compiles, it was the release. */
static executor_outcome_t compile_handle(process_transport_t *process, process_handle_t *handle,
                                         assay_reason_t *reason) {
  process_session_t *session = &process->session;
  executor_outcome_t outcome = ensure(process, reason);
  if (outcome != EXECUTOR_OK || handle->generation == session->generation) return outcome;
  bool has_released = session->has_released;
  outcome = compile_once(process, handle, reason);
  if (!has_released || (outcome != EXECUTOR_CRASHED && outcome != EXECUTOR_ENDED)) return outcome;
  char text[ERROR_TEXT_BYTES / 2] = "";
  assay_reason_t second = {.text = text, .text_bytes = sizeof text};
  if (ensure(process, &second) != EXECUTOR_OK) return outcome;
  if (compile_once(process, handle, &second) != EXECUTOR_OK) return outcome;
  g_autofree char *late =
      g_strdup_printf("%s; that compiles, so it was the release before it", reason->text);
  note_late(process, outcome, late);
  return EXECUTOR_OK;
}

/* What went wrong unseen. */
static executor_outcome_t take_late(process_transport_t *process, assay_reason_t *reason) {
  executor_outcome_t outcome = process->late_outcome;
  process->late_outcome = EXECUTOR_OK;
  if (outcome != EXECUTOR_OK) {
    snprintf(reason->text, reason->text_bytes, "%s", process->late_reason);
  }
  return outcome;
}

/* Has no answer: if it ends the worker, that is seen later. */
static executor_outcome_t process_release(transport_t *transport, void *handle,
                                          assay_reason_t *reason) {
  process_transport_t *process = (process_transport_t *)transport;
  process_handle_t *compiled = handle;
  if (process->session.process.pid != 0 && compiled->generation == process->session.generation) {
    char line[40];
    char text[ERROR_TEXT_BYTES / 2] = "";
    assay_reason_t said = {.text = text, .text_bytes = sizeof text};
    snprintf(line, sizeof line, "release %" PRIu64 "\n", compiled->id);
    executor_outcome_t outcome =
        process_session_send(&process->session, true, line, strlen(line), CALL_release, &said);
    process->session.has_released = true;
    if (outcome == EXECUTOR_CRASHED) note_late(process, outcome, text);
  }
  process_handle_free(compiled);
  return take_late(process, reason);
}

/* Whether it is a program of several steps, and the worker has not said that it takes these. */
static bool is_beyond(const process_transport_t *process, const program_t *program) {
  return program_is_module(program) && !process->session.greeting.takes_modules;
}

static executor_outcome_t process_compile(transport_t *transport, const program_t *program,
                                          void **out_handle, assay_reason_t *reason) {
  process_transport_t *process = (process_transport_t *)transport;
  executor_outcome_t outcome = take_pending(process, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  if (is_beyond(process, program)) {
    snprintf(reason->text, reason->text_bytes, "takes no modules: one op at a time");
    return EXECUTOR_REFUSED;
  }
  process_handle_t *handle =
      process_handle_make(&process->session.greeting, ++process->programs, program);
  outcome = compile_handle(process, handle, reason);
  if (outcome == EXECUTOR_OK) {
    *out_handle = handle;
  } else {
    process_handle_free(handle);
  }
  return outcome;
}

static executor_outcome_t ask_promise(process_transport_t *process, const program_t *program,
                                      executor_promise_t *out_promise, assay_reason_t *reason) {
  process_session_t *session = &process->session;
  executor_outcome_t outcome = ensure(process, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  process_handle_t *handle =
      process_handle_make(&process->session.greeting, ++process->programs, program);
  answer_t answer;
  outcome = ask_about(session, "promises", handle, CALL_promises, &answer, reason);
  process_handle_free(handle);
  if (outcome != EXECUTOR_OK) return outcome;
  if (answer.word != ANSWER_YES && answer.word != ANSWER_NO) {
    return process_session_garbage(session, "neither yes nor no", CALL_promises, reason);
  }
  *out_promise = answer.word == ANSWER_YES ? EXECUTOR_PROMISE_YES : EXECUTOR_PROMISE_NO;
  return process_session_finish(session, CALL_promises, reason);
}

static executor_promise_t process_promises(transport_t *transport, const program_t *program) {
  process_transport_t *process = (process_transport_t *)transport;
  if (!process->session.greeting.declares_promises || process->pending_outcome != EXECUTOR_OK) {
    return EXECUTOR_PROMISE_NONE;
  }
  if (is_beyond(process, program)) return EXECUTOR_PROMISE_NO;
  assay_reason_t reason = {.text = process->pending_reason,
                           .text_bytes = sizeof process->pending_reason};
  executor_promise_t promise = EXECUTOR_PROMISE_NONE;
  process->pending_outcome = ask_promise(process, program, &promise, &reason);
  return process->pending_outcome == EXECUTOR_OK ? promise : EXECUTOR_PROMISE_NONE;
}

/* Sends the request to execute, operands straight from where they are. */
static executor_outcome_t send_binary(process_session_t *session, const process_handle_t *handle,
                                      const transport_call_t *call, const char *module,
                                      assay_reason_t *reason) {
  size_t total = add_sizes(call->sizes->operands, handle->operand_count);
  g_autoptr(GString) line = g_string_new(NULL);
  g_string_printf(line, "execute %" PRIu64 " %zu", handle->id, total);
  end_request(handle, call->shapes, module, line);
  executor_outcome_t outcome =
      process_session_send(session, true, line->str, line->len, CALL_execute, reason);
  for (uint32_t i = 0; i < handle->operand_count && outcome == EXECUTOR_OK; i++) {
    outcome = process_session_send(session, false, call->operands[i], call->sizes->operands[i],
                                   CALL_execute, reason);
  }
  return outcome;
}

static executor_outcome_t send_hex(process_session_t *session, const process_handle_t *handle,
                                   const transport_call_t *call, const char *module,
                                   assay_reason_t *reason) {
  GString *line = g_string_new(NULL);
  g_string_append_printf(line, "execute %" PRIu64, handle->id);
  arena_t arena;
  arena_init(&arena);
  type_t types[CASE_OPERANDS_MAX];
  size_types(handle->operands, handle->operand_count, call_operands(call), types);
  for (uint32_t i = 0; i < handle->operand_count; i++) {
    tensor_t tensor = tensor_make(&arena, &types[i]);
    size_t bytes = type_bytes(&tensor.type);
    if (bytes != 0) memcpy(tensor.data, call->operands[i], bytes);
    g_string_append_c(line, ' ');
    tensor_print_data(&tensor, line);
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  end_request(handle, call->shapes, module, line);
  executor_outcome_t outcome =
      process_session_send(session, true, line->str, line->len, CALL_execute, reason);
  g_string_free(line, TRUE);
  return outcome;
}

static executor_outcome_t send_execute(process_session_t *session, const process_handle_t *handle,
                                       const transport_call_t *call, assay_reason_t *reason) {
  g_autofree char *module =
      handle->sized_line == NULL ? NULL : sized_module(handle->sized_line, call->shapes);
  executor_outcome_t outcome = session->greeting.is_hex
                                   ? send_hex(session, handle, call, module, reason)
                                   : send_binary(session, handle, call, module, reason);
  if (outcome != EXECUTOR_OK || module == NULL) return outcome;
  return process_session_send(session, false, module, strlen(module), CALL_execute, reason);
}

/* Receives the results of an answer that says ok. */
static executor_outcome_t receive_results(process_session_t *session, const answer_t *answer,
                                          const process_handle_t *handle,
                                          const transport_call_t *call, assay_reason_t *reason) {
  failure_t error = {0};
  size_t total = add_sizes(call->sizes->results, handle->result_count);
  bool is_hex = session->greeting.is_hex;
  type_t types[CASE_RESULTS_MAX];
  size_types(handle->results, handle->result_count, call_results(call), types);
  status_t status =
      is_hex ? answer_read_hex(answer, types, handle->result_count, call->results, &error)
             : answer_check_bytes(answer, total, &error);
  if (status != STATUS_OK)
    return process_session_garbage(session, error.text, CALL_execute, reason);
  for (uint32_t i = 0; i < handle->result_count && !is_hex; i++) {
    executor_outcome_t outcome = process_session_receive(
        session, call->results[i], call->sizes->results[i], CALL_execute, reason);
    if (outcome != EXECUTOR_OK) return outcome;
  }
  return process_session_finish(session, CALL_execute, reason);
}

static executor_outcome_t process_execute(transport_t *transport, void *handle,
                                          const transport_call_t *call,
                                          bool *out_changed_environment, assay_reason_t *reason) {
  process_transport_t *process = (process_transport_t *)transport;
  process_session_t *session = &process->session;
  process_handle_t *compiled = handle;
  *out_changed_environment = false;
  executor_outcome_t outcome = take_pending(process, reason);
  if (outcome == EXECUTOR_OK) outcome = compile_handle(process, compiled, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  bool is_hex = session->greeting.is_hex;
  outcome = send_execute(session, compiled, call, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  type_t types[CASE_RESULTS_MAX];
  size_types(compiled->results, compiled->result_count, call_results(call), types);
  size_t line_bytes_max =
      is_hex ? answer_hex_line_bytes_max(types, compiled->result_count) : ANSWER_LINE_BYTES_MAX;
  answer_t answer;
  outcome = process_session_answer(session, line_bytes_max, CALL_execute, &answer, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  if (answer.word != ANSWER_OK) return take_refusal(session, &answer, CALL_execute, reason);
  return receive_results(session, &answer, compiled, call, reason);
}

static const char *process_implementation(transport_t *transport, void *handle) {
  (void)transport;
  const process_handle_t *compiled = handle;
  return compiled->implementation;
}

static executor_outcome_t process_close(transport_t *transport, assay_reason_t *reason) {
  process_transport_t *process = (process_transport_t *)transport;
  executor_outcome_t outcome = take_late(process, reason);
  process_end_t end = process_session_deinit(&process->session);
  if (outcome == EXECUTOR_OK && !end.was_stopped && end.outcome == EXECUTOR_CRASHED) {
    outcome = end.outcome;
    snprintf(reason->text, reason->text_bytes, "%s at the end of its input", end.words);
  }
  g_free(process->head.version);
  g_free(process->head.hardware);
  g_free(process);
  return outcome;
}

static const transport_functions_t process_functions = {
    .promises = process_promises,
    .compile = process_compile,
    .execute = process_execute,
    .implementation = process_implementation,
    .release = process_release,
    .close = process_close,
};

status_t process_transport_open(const char *command, uint32_t timeout_ms, uint64_t memory_bytes_max,
                                transport_t **out_transport, failure_t *error) {
  process_transport_t *process = g_new0(process_transport_t, 1);
  process->head = (transport_t){.functions = &process_functions, .is_apart = true};
  process_session_init(&process->session, command, timeout_ms, memory_bytes_max);
  status_t status = process_session_start(&process->session, error);
  if (status == STATUS_OK) {
    const greeting_t *greeting = &process->session.greeting;
    process->head.version = g_strdup_printf("%s %s", greeting->name, greeting->version);
    process->head.hardware = g_strdup(greeting->hardware);
    process->head.validates = greeting->validates;
    process->head.compiling_is_dear = greeting->compiling_is_dear;
    process->head.takes_dynamic = greeting->takes_dynamic;
    *out_transport = &process->head;
  } else {
    char text[ERROR_TEXT_BYTES / 2];
    assay_reason_t ignored = {.text = text, .text_bytes = sizeof text};
    process_close(&process->head, &ignored);
  }
  return status;
}
