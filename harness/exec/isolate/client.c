/* SPDX-License-Identifier: Apache-2.0 */
/* Parent's side of an isolated backend: implements the transport by requests to the child,
 * recompiles programs in a new child, and holds back failures of calls that cannot report them. */
#include <stdio.h>
#include <string.h>

#include "harness/exec/isolate/isolate.h"
#include "harness/exec/isolate/session.h"

enum { TIMEOUT_DEFAULT_MS = 10000 };

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

/* Sends a request to the running child; its answer as an outcome, with the reason. */
static executor_outcome_t request_outcome(isolate_client_t *client, isolate_request_t *request,
                                          const char *line, isolate_answer_t *out_answer,
                                          assay_reason_t *reason) {
  executor_outcome_t outcome =
      isolate_session_converse(&client->session, request, line, out_answer, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  outcome = (executor_outcome_t)out_answer->reply.answer;
  if (outcome != EXECUTOR_OK) snprintf(reason->text, reason->text_bytes, "%s", out_answer->text);
  return outcome;
}

static executor_outcome_t compile_line(isolate_client_t *client, client_handle_t *handle,
                                       assay_reason_t *reason) {
  executor_outcome_t outcome = isolate_session_ensure(&client->session, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  isolate_request_t request = {.verb = ISOLATE_COMPILE};
  isolate_answer_t answer;
  outcome = request_outcome(client, &request, handle->line, &answer, reason);
  if (outcome != EXECUTOR_OK) return outcome;
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
    g_autofree char *line = line_of(program);
    isolate_request_t request = {.verb = ISOLATE_PROMISES};
    outcome = isolate_session_converse(&client->session, &request, line, &answer, &reason);
  }
  client->pending_outcome = outcome;
  bool is_known = outcome == EXECUTOR_OK && answer.reply.answer <= EXECUTOR_PROMISE_NO;
  return is_known ? (executor_promise_t)answer.reply.answer : EXECUTOR_PROMISE_NONE;
}

static bool is_alive(const isolate_client_t *client, const client_handle_t *handle) {
  return client->session.process.pid != 0 && handle->generation == client->session.generation;
}

/* What died with its child needs no release. */
static executor_outcome_t client_release(transport_t *transport, void *handle,
                                         assay_reason_t *reason) {
  isolate_client_t *client = (isolate_client_t *)transport;
  client_handle_t *compiled = handle;
  executor_outcome_t outcome = EXECUTOR_OK;
  if (is_alive(client, compiled)) {
    isolate_request_t request = {.verb = ISOLATE_RELEASE, .handle = compiled->remote};
    isolate_answer_t answer;
    outcome = request_outcome(client, &request, "", &answer, reason);
  }
  g_free(compiled->line);
  g_free(compiled->implementation);
  g_free(compiled);
  return outcome;
}

static executor_outcome_t client_compile(transport_t *transport, const program_t *program,
                                         void **out_handle, assay_reason_t *reason) {
  isolate_client_t *client = (isolate_client_t *)transport;
  executor_outcome_t outcome = take_pending(client, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  client_handle_t *handle = g_new0(client_handle_t, 1);
  handle->line = line_of(program);
  outcome = compile_line(client, handle, reason);
  if (outcome == EXECUTOR_OK) {
    *out_handle = handle;
  } else {
    client_release(transport, handle, reason); /* Of none in the child: it says nothing. */
  }
  return outcome;
}

static executor_outcome_t client_execute(transport_t *transport, void *handle,
                                         const transport_call_t *call,
                                         bool *out_changed_environment, assay_reason_t *reason) {
  isolate_client_t *client = (isolate_client_t *)transport;
  client_handle_t *compiled = handle;
  *out_changed_environment = false;
  executor_outcome_t outcome = take_pending(client, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  if (!is_alive(client, compiled)) {
    outcome = compile_line(client, compiled, reason);
    if (outcome != EXECUTOR_OK) return outcome;
  }
  isolate_request_t request = {
      .verb = ISOLATE_EXECUTE, .handle = compiled->remote, .sizes = *call->sizes};
  request.has_shapes = call->shapes != NULL;
  if (call->shapes != NULL) request.shapes = *call->shapes;
  isolate_answer_t answer = {.reply = {.changed_environment = 0}};
  outcome = request_outcome(client, &request, "", &answer, reason);
  *out_changed_environment = outcome == EXECUTOR_OK && answer.reply.changed_environment != 0;
  return outcome;
}

static const char *client_implementation(transport_t *transport, void *handle) {
  (void)transport;
  const client_handle_t *compiled = handle;
  return compiled->implementation;
}

static void client_free(isolate_client_t *client) {
  isolate_session_end(&client->session);
  g_free(client->head.version);
  g_free(client->head.hardware);
  g_free(client);
}

static executor_outcome_t client_close(transport_t *transport, assay_reason_t *reason) {
  isolate_client_t *client = (isolate_client_t *)transport;
  executor_outcome_t outcome = EXECUTOR_OK;
  if (client->session.process.pid != 0) {
    isolate_request_t request = {.verb = ISOLATE_CLOSE};
    isolate_answer_t answer;
    outcome = request_outcome(client, &request, "", &answer, reason);
  }
  client_free(client);
  return outcome;
}

static const transport_functions_t client_functions = {
    .promises = client_promises,
    .compile = client_compile,
    .execute = client_execute,
    .implementation = client_implementation,
    .release = client_release,
    .close = client_close,
};

/* Starts the first child and takes down what it tells about the backend. */
static status_t open_session(isolate_client_t *client, failure_t *error) {
  isolate_answer_t answer;
  STATUS_TRY(isolate_session_start(&client->session, &answer, error));
  char *separator = strchr(answer.text, '\n');
  if (separator != NULL) *separator = '\0';
  client->head.version = g_strdup(answer.text);
  client->head.hardware = g_strdup(separator == NULL ? "" : separator + 1);
  client->head.load_changed_environment = answer.reply.changed_environment != 0;
  client->head.validates = answer.reply.validates != 0;
  client->head.compiling_is_dear = answer.reply.compiling_is_dear != 0;
  client->head.takes_dynamic = answer.reply.takes_dynamic != 0;
  return STATUS_OK;
}

status_t isolate_open(const isolate_options_t *options, transport_t **out_transport,
                      failure_t *error) {
  isolate_client_t *client = g_new0(isolate_client_t, 1);
  client->head.functions = &client_functions;
  client->head.is_apart = true;
  client->session = (isolate_session_t){
      .host = {.memory = options->memory,
               .open_backend = options->open_backend,
               .context = options->context},
      .timeout_ms = options->timeout_ms == 0 ? TIMEOUT_DEFAULT_MS : options->timeout_ms,
      .memory_bytes_max = options->memory_bytes_max,
  };
  status_t status = open_session(client, error);
  if (status == STATUS_OK) {
    *out_transport = &client->head;
  } else {
    client_free(client);
  }
  return status;
}
