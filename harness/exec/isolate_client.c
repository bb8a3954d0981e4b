#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/exec/isolate.h"
#include "harness/exec/isolate_session.h"

enum { TIMEOUT_DEFAULT_MS = 10000, OPERAND_ALIGNMENT = 64 };

typedef struct isolate_client {
  transport_t head;
  isolate_session_t session;
  /* A call that cannot tell of a failure (promises) ended the child: the next one that can tell,
   * does.  EXECUTOR_OK if none is pending. */
  executor_outcome_t pending_outcome;
  char pending_reason[ERROR_TEXT_BYTES / 2];
} isolate_client_t;

/* A program compiled in a child; in the next child it is compiled again. */
typedef struct client_handle {
  uint64_t remote; /* The child's own handle. */
  uint64_t generation;
  char *line;
  char *implementation;
  uint32_t operand_count;
  uint32_t result_count;
  size_t operand_bytes[CASE_OPERANDS_MAX];
} client_handle_t;

/* Reports a failure that was left pending; EXECUTOR_OK if there is none. */
static executor_outcome_t take_pending(isolate_client_t *client, assay_reason_t *reason) {
  executor_outcome_t outcome = client->pending_outcome;
  if (outcome != EXECUTOR_OK) {
    snprintf(reason->text, reason->text_bytes, "%s", client->pending_reason);
    client->pending_outcome = EXECUTOR_OK;
  }
  return outcome;
}

static executor_outcome_t compile_line(isolate_client_t *client, client_handle_t *handle,
                                       assay_reason_t *reason) {
  executor_outcome_t outcome = isolate_session_ensure(&client->session, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  isolate_request_t request = {.verb = ISOLATE_COMPILE};
  isolate_answer_t answer;
  outcome = isolate_session_converse(&client->session, &request, handle->line, "compile", &answer,
                                     reason);
  if (outcome != EXECUTOR_OK) return outcome;
  outcome = (executor_outcome_t)answer.reply.answer;
  if (outcome != EXECUTOR_OK) {
    snprintf(reason->text, reason->text_bytes, "%s", answer.text);
    return outcome;
  }
  handle->remote = answer.reply.handle;
  handle->generation = client->session.generation;
  g_free(handle->implementation);
  handle->implementation = g_strdup(answer.text);
  return EXECUTOR_OK;
}

/* ---- The transport. */

static char *line_of(const program_t *program) {
  GString *line = g_string_new(NULL);
  program_print(program, line);
  return g_string_free(line, FALSE);
}

static executor_promise_t client_promises(transport_t *transport, const program_t *program) {
  isolate_client_t *client = (isolate_client_t *)transport;
  assay_reason_t reason = {.text = client->pending_reason,
                           .text_bytes = sizeof client->pending_reason};
  if (client->pending_outcome != EXECUTOR_OK) return EXECUTOR_PROMISE_NONE;
  executor_outcome_t outcome = isolate_session_ensure(&client->session, &reason);
  isolate_answer_t answer = {.reply = {.answer = EXECUTOR_PROMISE_NONE}};
  if (outcome == EXECUTOR_OK) {
    char *line = line_of(program);
    isolate_request_t request = {.verb = ISOLATE_PROMISES};
    outcome =
        isolate_session_converse(&client->session, &request, line, "promises", &answer, &reason);
    g_free(line);
  }
  client->pending_outcome = outcome;
  bool is_known = outcome == EXECUTOR_OK && answer.reply.answer <= EXECUTOR_PROMISE_NO;
  return is_known ? (executor_promise_t)answer.reply.answer : EXECUTOR_PROMISE_NONE;
}

static void client_release(transport_t *transport, void *handle) {
  isolate_client_t *client = (isolate_client_t *)transport;
  client_handle_t *compiled = handle;
  if (client->session.process.pid != 0 && compiled->generation == client->session.generation) {
    isolate_request_t request = {.verb = ISOLATE_RELEASE, .handle = compiled->remote};
    isolate_session_tell(&client->session, &request);
  }
  g_free(compiled->line);
  g_free(compiled->implementation);
  g_free(compiled);
}

static executor_outcome_t client_compile(transport_t *transport, const program_t *program,
                                         void **out_handle, assay_reason_t *reason) {
  isolate_client_t *client = (isolate_client_t *)transport;
  executor_outcome_t outcome = take_pending(client, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  client_handle_t *handle = g_new0(client_handle_t, 1);
  handle->line = line_of(program);
  handle->operand_count = program->operand_count;
  handle->result_count = program->result_count;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    handle->operand_bytes[i] = type_bytes(&program->operands[i]);
  }
  outcome = compile_line(client, handle, reason);
  if (outcome == EXECUTOR_OK) {
    *out_handle = handle;
  } else {
    client_release(transport, handle);
  }
  return outcome;
}

/* Lays out the operands in the shared memory, and tells where operands and results are. */
static void place_call(const isolate_client_t *client, const client_handle_t *handle,
                       const transport_call_t *call, isolate_request_t *request) {
  size_t offset = 0;
  for (uint32_t i = 0; i < handle->operand_count; i++) {
    request->operand_offset[i] = offset;
    size_t bytes = handle->operand_bytes[i];
    if (bytes != 0) memcpy(client->session.host.memory.operands + offset, call->operands[i], bytes);
    offset += (bytes + OPERAND_ALIGNMENT - 1) / OPERAND_ALIGNMENT * OPERAND_ALIGNMENT;
  }
  for (uint32_t i = 0; i < handle->result_count; i++) {
    const uint8_t *result = call->results[i];
    request->result_offset[i] = (uint64_t)(result - client->session.host.memory.results);
  }
}

static executor_outcome_t client_execute(transport_t *transport, void *handle,
                                         const transport_call_t *call,
                                         bool *out_changed_environment, assay_reason_t *reason) {
  isolate_client_t *client = (isolate_client_t *)transport;
  client_handle_t *compiled = handle;
  *out_changed_environment = false;
  executor_outcome_t outcome = take_pending(client, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  if (client->session.process.pid == 0 || compiled->generation != client->session.generation) {
    outcome = compile_line(client, compiled, reason);
    if (outcome != EXECUTOR_OK) return outcome;
  }
  isolate_request_t request = {.verb = ISOLATE_EXECUTE, .handle = compiled->remote};
  place_call(client, compiled, call, &request);
  isolate_answer_t answer;
  outcome = isolate_session_converse(&client->session, &request, "", "execute", &answer, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  *out_changed_environment = answer.reply.changed_environment != 0;
  outcome = (executor_outcome_t)answer.reply.answer;
  if (outcome != EXECUTOR_OK) snprintf(reason->text, reason->text_bytes, "%s", answer.text);
  return outcome;
}

static const char *client_implementation(transport_t *transport, void *handle) {
  (void)transport;
  const client_handle_t *compiled = handle;
  return compiled->implementation;
}

static uint8_t *client_result_memory(transport_t *transport, size_t bytes) {
  isolate_client_t *client = (isolate_client_t *)transport;
  if (bytes > isolate_result_memory_bytes) g_error("results of %zu bytes break the bounds", bytes);
  return client->session.host.memory.results;
}

/* NULL if there is no room. */
static void *map_shared(size_t bytes) {
  void *memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static void unmap_shared(void *memory, size_t bytes) {
  if (memory != NULL) munmap(memory, bytes);
}

static void client_close(transport_t *transport) {
  isolate_client_t *client = (isolate_client_t *)transport;
  isolate_session_end(&client->session);
  unmap_shared(client->session.host.memory.operands, isolate_operand_memory_bytes);
  unmap_shared(client->session.host.memory.results, isolate_result_memory_bytes);
  g_free(client->head.version);
  g_free(client->head.hardware);
  g_free(client);
}

static const transport_functions_t client_functions = {
    .promises = client_promises,
    .compile = client_compile,
    .execute = client_execute,
    .implementation = client_implementation,
    .release = client_release,
    .result_memory = client_result_memory,
    .close = client_close,
};

/* Starts the first child and takes down what it tells about the backend. */
static status_t open_session(isolate_client_t *client, failure_t *error) {
  const isolate_memory_t *memory = &client->session.host.memory;
  if (memory->operands == NULL || memory->results == NULL) {
    return status_fail(error, STATUS_IO, "cannot map memory to share with its process");
  }
  isolate_answer_t answer;
  STATUS_TRY(isolate_session_start(&client->session, &answer, error));
  char *separator = strchr(answer.text, '\n');
  if (separator != NULL) *separator = '\0';
  client->head.version = g_strdup(answer.text);
  client->head.hardware = g_strdup(separator == NULL ? "" : separator + 1);
  client->head.load_changed_environment = answer.reply.changed_environment != 0;
  client->head.validates = answer.reply.validates != 0;
  return STATUS_OK;
}

status_t isolate_open(isolate_open_backend_t open_backend, const void *context, uint32_t timeout_ms,
                      uint64_t memory_bytes_max, transport_t **out_transport, failure_t *error) {
  isolate_client_t *client = g_new0(isolate_client_t, 1);
  client->head.functions = &client_functions;
  client->head.operands_are_protected = true;
  client->session = (isolate_session_t){
      .host = {.memory = {.operands = map_shared(isolate_operand_memory_bytes),
                          .results = map_shared(isolate_result_memory_bytes)},
               .open_backend = open_backend,
               .context = context},
      .timeout_ms = timeout_ms == 0 ? TIMEOUT_DEFAULT_MS : timeout_ms,
      .memory_bytes_max = memory_bytes_max,
  };
  status_t status = open_session(client, error);
  if (status == STATUS_OK) {
    *out_transport = &client->head;
  } else {
    client_close(&client->head);
  }
  return status;
}
