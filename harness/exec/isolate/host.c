/* SPDX-License-Identifier: Apache-2.0 */
/* Child's side of an isolated backend: reads requests from a socket, calls the backend in shared
 * memory and replies. Ends at once if the backend calls exit. */
#include "harness/exec/isolate/host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct service {
  int channel;
  call_memory_t *memory;
  transport_t *backend;
  arena_t arena; /* Of one request. */
} service_t;

static bool read_exactly(int channel, void *data, size_t size) {
  char *next = data;
  while (size != 0) {
    ssize_t count = read(channel, next, size);
    if (count == 0 || (count < 0 && errno != EINTR)) return false;
    if (count < 0) continue;
    next += count;
    size -= (size_t)count;
  }
  return true;
}

static bool write_exactly(int channel, const void *data, size_t size) {
  const char *next = data;
  while (size != 0) {
    ssize_t count = write(channel, next, size);
    if (count < 0 && errno != EINTR) return false;
    if (count < 0) continue;
    next += count;
    size -= (size_t)count;
  }
  return true;
}

/* Completes and sends a reply; a longer text is cut. */
static bool send_reply(int channel, isolate_reply_t reply, const char *text) {
  reply.magic = ISOLATE_MAGIC;
  reply.text_bytes = (uint32_t)MIN(strlen(text), (size_t)ISOLATE_REPLY_TEXT_MAX);
  return write_exactly(channel, &reply, sizeof reply) &&
         write_exactly(channel, text, reply.text_bytes);
}

static bool open_and_reply(service_t *service, const isolate_host_t *host) {
  failure_t error = {0};
  status_t status = host->open_backend(host->context, host->memory, &service->backend, &error);
  if (status != STATUS_OK) {
    send_reply(service->channel, (isolate_reply_t){.answer = status}, error.text);
    return false;
  }
  transport_t *backend = service->backend;
  char *text = g_strdup_printf("%s\n%s", backend->version, backend->hardware);
  isolate_reply_t reply = {.answer = STATUS_OK,
                           .changed_environment = backend->load_changed_environment,
                           .validates = backend->validates,
                           .compiling_is_dear = backend->compiling_is_dear,
                           .takes_dynamic = backend->takes_dynamic};
  bool sent = send_reply(service->channel, reply, text);
  g_free(text);
  return sent;
}

/* The program that follows a request as text; invalid ones are passed on, to be refused. */
static bool read_program(service_t *service, const isolate_request_t *request,
                         program_t *out_program) {
  char *line = arena_alloc(&service->arena, request->text_bytes);
  if (!read_exactly(service->channel, line, request->text_bytes)) return false;
  str_t text = {.data = line, .size = request->text_bytes};
  const char *violation = NULL;
  failure_t error = {0};
  if (program_parse(text, &service->arena, out_program, &violation, &error) == STATUS_OK) {
    return true;
  }
  fprintf(stderr, "isolated host: %s\n", error.text);
  return false;
}

static bool promises(service_t *service, const isolate_request_t *request) {
  program_t program;
  if (!read_program(service, request, &program)) return false;
  transport_t *backend = service->backend;
  isolate_reply_t reply = {.answer = backend->functions->promises(backend, &program)};
  return send_reply(service->channel, reply, "");
}

static bool compile(service_t *service, const isolate_request_t *request) {
  program_t program;
  if (!read_program(service, request, &program)) return false;
  transport_t *backend = service->backend;
  char text[ERROR_TEXT_BYTES] = "";
  assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
  void *handle = NULL;
  executor_outcome_t outcome = backend->functions->compile(backend, &program, &handle, &reason);
  isolate_reply_t reply = {.answer = outcome, .handle = (uint64_t)(uintptr_t)handle};
  const char *said =
      outcome == EXECUTOR_OK ? backend->functions->implementation(backend, handle) : text;
  return send_reply(service->channel, reply, said);
}

static void *handle_of(const isolate_request_t *request) {
  return (void *)(uintptr_t)request->handle; /* Our own pointer, back from the parent. */
}

static bool execute(service_t *service, const isolate_request_t *request) {
  const void *operands[CASE_OPERANDS_MAX];
  void *results[CASE_RESULTS_MAX];
  const call_sizes_t *sizes = &request->sizes;
  for (uint32_t i = 0; i < sizes->operand_count; i++) {
    operands[i] = call_memory_operand(service->memory, sizes, i);
  }
  for (uint32_t i = 0; i < sizes->result_count; i++) {
    results[i] = call_memory_result(service->memory, i);
  }
  transport_t *backend = service->backend;
  call_memory_close_guards(service->memory, sizes);
  transport_call_t call = {.operands = operands,
                           .results = results,
                           .sizes = sizes,
                           .shapes = request->has_shapes != 0 ? &request->shapes : NULL};
  char text[ERROR_TEXT_BYTES] = "";
  assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
  bool changed_environment = false;
  executor_outcome_t outcome = backend->functions->execute(backend, handle_of(request), &call,
                                                           &changed_environment, &reason);
  isolate_reply_t reply = {.answer = outcome, .changed_environment = changed_environment};
  return send_reply(service->channel, reply, text);
}

static bool release(service_t *service, const isolate_request_t *request) {
  char text[ERROR_TEXT_BYTES] = "";
  assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
  transport_t *backend = service->backend;
  isolate_reply_t reply = {.answer =
                               backend->functions->release(backend, handle_of(request), &reason)};
  return send_reply(service->channel, reply, text);
}

static bool close_backend(service_t *service) {
  char text[ERROR_TEXT_BYTES] = "";
  assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
  isolate_reply_t reply = {.answer = service->backend->functions->close(service->backend, &reason)};
  send_reply(service->channel, reply, text);
  return false; /* There is nothing left to serve with. */
}

static bool serve_one(service_t *service, const isolate_request_t *request) {
  arena_reset(&service->arena);
  switch (request->verb) {
    case ISOLATE_PROMISES:
      return promises(service, request);
    case ISOLATE_COMPILE:
      return compile(service, request);
    case ISOLATE_EXECUTE:
      return execute(service, request);
    case ISOLATE_RELEASE:
      return release(service, request);
    case ISOLATE_CLOSE:
      return close_backend(service);
    default:
      return false;
  }
}

/* What this program has registered for its own end does not run where a backend calls exit(). */
static void leave_at_once(int status, void *context) {
  (void)context;
  _exit(status);
}

void isolate_serve(int channel, const void *host) {
  const isolate_host_t *hosted = host;
  service_t service = {.channel = channel, .memory = hosted->memory};
  on_exit(leave_at_once, NULL);
  arena_init(&service.arena);
  call_memory_protect_operands(hosted->memory);
  if (!open_and_reply(&service, hosted)) return;
  isolate_request_t request;
  while (read_exactly(channel, &request, sizeof request) && request.magic == ISOLATE_MAGIC &&
         serve_one(&service, &request)) {
  }
}
