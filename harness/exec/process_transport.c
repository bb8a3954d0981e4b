#include "harness/exec/process_transport.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/exec/process_session.h"
#include "harness/exec/reason.h"

enum { RESULT_ALIGNMENT = 64 };

typedef struct process_transport {
  transport_t head;
  process_session_t session;
  uint64_t programs; /* Compiled so far: the last number given to one. */
  uint8_t *memory;
  size_t memory_bytes;
  /* A call that cannot tell of a failure (promises) ended the worker: the next one that can tell,
   * does.  EXECUTOR_OK if none is pending. */
  executor_outcome_t pending_outcome;
  char pending_reason[ERROR_TEXT_BYTES / 2];
} process_transport_t;

/* A program compiled in a worker; in the next worker it is compiled again. */
typedef struct process_handle {
  uint64_t id;
  uint64_t generation; /* 0 if compiled in none. */
  char *line;
  char *mlir;
  char *implementation;
  uint32_t operand_count;
  uint32_t result_count;
  type_t operands[CASE_OPERANDS_MAX];
  type_t results[CASE_RESULTS_MAX];
} process_handle_t;

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
                                       const char *call, assay_reason_t *reason) {
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
                                    const process_handle_t *handle, const char *call,
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

/* Makes sure that the worker which runs has compiled the program. */
static executor_outcome_t compile_handle(process_transport_t *process, process_handle_t *handle,
                                         assay_reason_t *reason) {
  process_session_t *session = &process->session;
  executor_outcome_t outcome = process_session_ensure(session, reason);
  if (outcome != EXECUTOR_OK || handle->generation == session->generation) return outcome;
  char verb[40];
  snprintf(verb, sizeof verb, "compile %" PRIu64, handle->id);
  answer_t answer;
  outcome = ask_about(session, verb, handle, "compile", &answer, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  if (answer.word != ANSWER_OK) return take_refusal(session, &answer, "compile", reason);
  outcome = process_session_finish(session, "compile", reason);
  if (outcome != EXECUTOR_OK) return outcome;
  g_free(handle->implementation);
  handle->implementation = g_strndup(answer.rest.data, answer.rest.size);
  handle->generation = session->generation;
  return EXECUTOR_OK;
}

static void process_release(transport_t *transport, void *handle) {
  process_transport_t *process = (process_transport_t *)transport;
  process_handle_t *compiled = handle;
  if (process->session.process.pid != 0 && compiled->generation == process->session.generation) {
    char line[40];
    char text[ERROR_TEXT_BYTES / 2] = "";
    assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
    snprintf(line, sizeof line, "release %" PRIu64 "\n", compiled->id);
    process_session_send(&process->session, true, line, strlen(line), "release", &reason);
  }
  g_free(compiled->line);
  g_free(compiled->mlir);
  g_free(compiled->implementation);
  g_free(compiled);
}

static void copy_types(const type_t *types, uint32_t count, type_t *out_types) {
  for (uint32_t i = 0; i < count; i++) {
    out_types[i] = types[i];
    out_types[i].quantization = NULL; /* It lives as long as the case only. */
  }
}

static process_handle_t *make_handle(process_transport_t *process, const program_t *program) {
  process_handle_t *handle = g_new0(process_handle_t, 1);
  GString *line = g_string_new(NULL);
  GString *mlir = g_string_new(NULL);
  program_print(program, line);
  if (process->session.greeting.takes_mlir) program->op->print_mlir(program, mlir);
  *handle = (process_handle_t){.id = ++process->programs,
                               .line = g_string_free(line, FALSE),
                               .mlir = g_string_free(mlir, FALSE),
                               .operand_count = program->operand_count,
                               .result_count = program->result_count};
  copy_types(program->operands, program->operand_count, handle->operands);
  copy_types(program->results, program->result_count, handle->results);
  return handle;
}

static executor_outcome_t process_compile(transport_t *transport, const program_t *program,
                                          void **out_handle, assay_reason_t *reason) {
  process_transport_t *process = (process_transport_t *)transport;
  executor_outcome_t outcome = take_pending(process, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  process_handle_t *handle = make_handle(process, program);
  outcome = compile_handle(process, handle, reason);
  if (outcome == EXECUTOR_OK) {
    *out_handle = handle;
  } else {
    process_release(transport, handle);
  }
  return outcome;
}

static executor_outcome_t ask_promise(process_transport_t *process, const program_t *program,
                                      executor_promise_t *out_promise, assay_reason_t *reason) {
  process_session_t *session = &process->session;
  executor_outcome_t outcome = process_session_ensure(session, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  process_handle_t *handle = make_handle(process, program);
  answer_t answer;
  outcome = ask_about(session, "promises", handle, "promises", &answer, reason);
  process_release(&process->head, handle);
  if (outcome != EXECUTOR_OK) return outcome;
  if (answer.word != ANSWER_YES && answer.word != ANSWER_NO) {
    return process_session_garbage(session, "neither yes nor no", "promises", reason);
  }
  *out_promise = answer.word == ANSWER_YES ? EXECUTOR_PROMISE_YES : EXECUTOR_PROMISE_NO;
  return process_session_finish(session, "promises", reason);
}

static executor_promise_t process_promises(transport_t *transport, const program_t *program) {
  process_transport_t *process = (process_transport_t *)transport;
  if (!process->session.greeting.declares_promises || process->pending_outcome != EXECUTOR_OK) {
    return EXECUTOR_PROMISE_NONE;
  }
  assay_reason_t reason = {.text = process->pending_reason,
                           .text_bytes = sizeof process->pending_reason};
  executor_promise_t promise = EXECUTOR_PROMISE_NONE;
  process->pending_outcome = ask_promise(process, program, &promise, &reason);
  return process->pending_outcome == EXECUTOR_OK ? promise : EXECUTOR_PROMISE_NONE;
}

/* Sends the request to execute, operands straight from where they are. */
static executor_outcome_t send_binary(process_session_t *session, const process_handle_t *handle,
                                      const transport_call_t *call, assay_reason_t *reason) {
  size_t total = 0;
  for (uint32_t i = 0; i < handle->operand_count; i++) total += type_bytes(&handle->operands[i]);
  char line[64];
  snprintf(line, sizeof line, "execute %" PRIu64 " %zu\n", handle->id, total);
  executor_outcome_t outcome =
      process_session_send(session, true, line, strlen(line), "execute", reason);
  for (uint32_t i = 0; i < handle->operand_count && outcome == EXECUTOR_OK; i++) {
    outcome = process_session_send(session, false, call->operands[i],
                                   type_bytes(&handle->operands[i]), "execute", reason);
  }
  return outcome;
}

static executor_outcome_t send_hex(process_session_t *session, const process_handle_t *handle,
                                   const transport_call_t *call, assay_reason_t *reason) {
  GString *line = g_string_new(NULL);
  g_string_append_printf(line, "execute %" PRIu64, handle->id);
  arena_t arena;
  arena_init(&arena);
  for (uint32_t i = 0; i < handle->operand_count; i++) {
    tensor_t tensor = tensor_make(&arena, &handle->operands[i]);
    size_t bytes = type_bytes(&tensor.type);
    if (bytes != 0) memcpy(tensor.data, call->operands[i], bytes);
    g_string_append_c(line, ' ');
    tensor_print_data(&tensor, line);
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  g_string_append_c(line, '\n');
  executor_outcome_t outcome =
      process_session_send(session, true, line->str, line->len, "execute", reason);
  g_string_free(line, TRUE);
  return outcome;
}

/* Receives the results of an answer that says ok. */
static executor_outcome_t receive_results(process_session_t *session, const answer_t *answer,
                                          const process_handle_t *handle,
                                          const transport_call_t *call, assay_reason_t *reason) {
  failure_t error = {0};
  size_t total = 0;
  for (uint32_t i = 0; i < handle->result_count; i++) total += type_bytes(&handle->results[i]);
  bool is_hex = session->greeting.is_hex;
  status_t status =
      is_hex ? answer_read_hex(answer, handle->results, handle->result_count, call->results, &error)
             : answer_check_bytes(answer, total, &error);
  if (status != STATUS_OK) return process_session_garbage(session, error.text, "execute", reason);
  for (uint32_t i = 0; i < handle->result_count && !is_hex; i++) {
    executor_outcome_t outcome = process_session_receive(
        session, call->results[i], type_bytes(&handle->results[i]), "execute", reason);
    if (outcome != EXECUTOR_OK) return outcome;
  }
  return process_session_finish(session, "execute", reason);
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
  outcome = is_hex ? send_hex(session, compiled, call, reason)
                   : send_binary(session, compiled, call, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  size_t line_bytes_max = is_hex
                              ? answer_hex_line_bytes_max(compiled->results, compiled->result_count)
                              : ANSWER_LINE_BYTES_MAX;
  answer_t answer;
  outcome = process_session_answer(session, line_bytes_max, "execute", &answer, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  if (answer.word != ANSWER_OK) return take_refusal(session, &answer, "execute", reason);
  return receive_results(session, &answer, compiled, call, reason);
}

static const char *process_implementation(transport_t *transport, void *handle) {
  (void)transport;
  const process_handle_t *compiled = handle;
  return compiled->implementation;
}

static uint8_t *process_result_memory(transport_t *transport, size_t bytes) {
  process_transport_t *process = (process_transport_t *)transport;
  if (bytes > process->memory_bytes) {
    free(process->memory);
    process->memory_bytes = (bytes + RESULT_ALIGNMENT - 1) / RESULT_ALIGNMENT * RESULT_ALIGNMENT;
    process->memory = aligned_alloc(RESULT_ALIGNMENT, process->memory_bytes);
    if (process->memory == NULL) g_error("no memory for results of %zu bytes", bytes);
  }
  return process->memory;
}

static void process_close(transport_t *transport) {
  process_transport_t *process = (process_transport_t *)transport;
  process_session_deinit(&process->session);
  free(process->memory);
  g_free(process->head.version);
  g_free(process->head.hardware);
  g_free(process);
}

static const transport_functions_t process_functions = {
    .promises = process_promises,
    .compile = process_compile,
    .execute = process_execute,
    .implementation = process_implementation,
    .release = process_release,
    .result_memory = process_result_memory,
    .close = process_close,
};

status_t process_transport_open(const char *command, uint32_t timeout_ms, uint64_t memory_bytes_max,
                                transport_t **out_transport, failure_t *error) {
  process_transport_t *process = g_new0(process_transport_t, 1);
  process->head = (transport_t){.functions = &process_functions, .operands_are_protected = true};
  process_session_init(&process->session, command, timeout_ms, memory_bytes_max);
  status_t status = process_session_start(&process->session, error);
  if (status == STATUS_OK) {
    const greeting_t *greeting = &process->session.greeting;
    process->head.version = g_strdup_printf("%s %s", greeting->name, greeting->version);
    process->head.hardware = g_strdup(greeting->hardware);
    process->head.validates = greeting->validates;
    *out_transport = &process->head;
  } else {
    process_close(&process->head);
  }
  return status;
}
