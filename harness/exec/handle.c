/* SPDX-License-Identifier: Apache-2.0 */
/* Opens an executor over the fitting transport and performs each compilation and execution: cache
 * lookup, operand copies, poisoned results between guards, and afterwards the check for writes
 * outside results or into operands. */
#include "harness/exec/executor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/log.h"
#include "harness/exec/executor_address.h"
#include "harness/exec/isolate/isolate.h"
#include "harness/exec/kernel_environment.h"
#include "harness/exec/process/process.h"
#include "harness/exec/program_cache.h"
#include "harness/exec/transport/dso.h"
#include "harness/exec/transport/reason.h"
#include "harness/exec/transport/stepwise.h"
#include "harness/exec/transport/table.h"
#include "harness/model/dynamic/dynamic.h"

struct executor {
  char *name;
  executor_address_t address;
  uint32_t number;           /* executor_options_t.number */
  call_memory_t *memory;     /* Of calls ... */
  call_memory_t *own_memory; /* ... the same, or NULL if it is borrowed. */
  transport_t *transport;    /* NULL once it is shut. */
  program_cache_t *programs;
  char *last_line; /* Of the program compiled last, or tried first; NULL if there was none. */
  char *version;   /* Copies, which outlive the transport. */
  char *hardware;
  bool load_changed_environment;
  executor_aftermath_t aftermath;
};

static status_t open_backend(const void *context, call_memory_t *memory,
                             transport_t **out_transport, failure_t *error) {
  const executor_address_t *address = context;
  if (address->table == NULL) {
    const dso_backend_t backend = {address->path, address->options, address->is_plugin};
    STATUS_TRY(dso_transport_open(&backend, memory, out_transport, error));
  } else {
    STATUS_TRY(
        table_transport_open(address->table, address->options, NULL, memory, out_transport, error));
  }
  return address->is_stepwise ? stepwise_transport_add(out_transport, error) : STATUS_OK;
}

/* Of one call.  A device is brought up, and its compiler searches for kernels, for longer than a
 * library on a processor takes for anything. */
static uint32_t find_timeout(const executor_address_t *address, const executor_options_t *options) {
  enum { DEVICE_TIMEOUT_MS = 60000 };
  bool is_device = address->table != NULL && address->is_foreign;
  return options->timeout_ms == 0 && is_device ? DEVICE_TIMEOUT_MS : options->timeout_ms;
}

static bool is_hosted(const executor_address_t *address, const executor_options_t *options) {
  return options->isolate || (options->isolate_foreign && address->is_foreign);
}

bool executor_lives_here(const char *name, const executor_options_t *options) {
  executor_address_t address = {0};
  failure_t ignored;
  if (executor_address_find(name, options, &address, &ignored) != STATUS_OK) return false;
  bool lives_here = address.is_foreign && !is_hosted(&address, options);
  executor_address_deinit(&address);
  return lives_here;
}

static status_t open_transport(executor_t *executor, const executor_options_t *options,
                               failure_t *error) {
  const executor_address_t *address = &executor->address;
  if (address->command != NULL) {
    STATUS_TRY(process_transport_open(address->command, options->timeout_ms,
                                      options->memory_bytes_max, &executor->transport, error));
    if (!address->is_stepwise) return STATUS_OK;
    return stepwise_transport_add(&executor->transport, error);
  }
  if (!is_hosted(address, options)) {
    return open_backend(address, executor->memory, &executor->transport, error);
  }
  const isolate_options_t isolate = {.open_backend = open_backend,
                                     .context = address,
                                     .memory = executor->memory,
                                     .timeout_ms = find_timeout(address, options),
                                     .memory_bytes_max = options->memory_bytes_max};
  return isolate_open(&isolate, &executor->transport, error);
}

/* Only what lives in this process shares its memory with who watches over the process. */
static status_t find_memory(executor_t *executor, const executor_options_t *options,
                            failure_t *error) {
  bool lives_here = executor->address.is_foreign && !is_hosted(&executor->address, options);
  executor->memory = options->memory;
  if (!lives_here || options->memory == NULL) {
    executor->own_memory = call_memory_new();
    executor->memory = executor->own_memory;
  }
  if (executor->memory == NULL) {
    return status_fail(error, STATUS_IO, "cannot map memory for its calls: %s", g_strerror(errno));
  }
  executor->number = options->number;
  call_memory_note_opening(executor->memory, executor->number);
  return STATUS_OK;
}

static program_cache_t *make_cache(executor_t *executor) {
  const program_cache_context_t context = {.transport = executor->transport,
                                           .memory = executor->memory,
                                           .executor = executor->number,
                                           .aftermath = &executor->aftermath};
  return program_cache_make(&context);
}

static status_t open_all(executor_t *executor, const executor_options_t *options,
                         failure_t *error) {
  STATUS_TRY(find_memory(executor, options, error));
  STATUS_TRY(open_transport(executor, options, error));
  executor->programs = make_cache(executor);
  executor->version = g_strdup(executor->transport->version);
  executor->hardware = kernel_environment_add(executor->transport->hardware, executor->name,
                                              executor_is_process(executor));
  executor->load_changed_environment = executor->transport->load_changed_environment;
  return STATUS_OK;
}

status_t executor_open(const char *name, const executor_options_t *options,
                       executor_t **out_executor, failure_t *error) {
  executor_address_t address;
  STATUS_TRY(executor_address_find(name, options, &address, error));
  executor_t *executor = g_new0(executor_t, 1);
  executor->name = g_strdup(name);
  executor->address = address;
  failure_t reason = {0};
  status_t status = open_all(executor, options, &reason);
  log_debug(LOG_EXEC, "open %s: %s", name, status == STATUS_OK ? executor->version : reason.text);
  if (status == STATUS_OK) {
    *out_executor = executor;
  } else {
    status_fail(error, status, "executor %s: %.400s", name, reason.text);
    executor_close(executor);
  }
  return status;
}

void executor_shut(executor_t *executor) {
  if (executor->programs != NULL) program_cache_free(executor->programs);
  executor->programs = NULL;
  if (executor->transport == NULL) return;
  char text[REASON_BYTES] = "";
  assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
  call_memory_note_program(executor->memory, executor->number, CALL_NO_PROGRAM,
                           executor->last_line == NULL ? "" : executor->last_line);
  executor_outcome_t outcome = executor->transport->functions->close(executor->transport, &reason);
  executor->transport = NULL;
  executor_aftermath_t *aftermath = &executor->aftermath;
  if (outcome == EXECUTOR_OK || aftermath->outcome != EXECUTOR_OK) return;
  aftermath->outcome = outcome;
  memcpy(aftermath->reason, text, sizeof text);
  aftermath->program_line = g_strdup(executor->last_line);
}

void executor_close(executor_t *executor) {
  if (executor == NULL) return;
  executor_shut(executor);
  executor_address_deinit(&executor->address);
  call_memory_free(executor->own_memory);
  g_free(executor->aftermath.program_line);
  g_free(executor->last_line);
  g_free(executor->version);
  g_free(executor->hardware);
  g_free(executor->name);
  g_free(executor);
}

bool executor_has_aftermath(const executor_t *executor) {
  return executor->aftermath.outcome != EXECUTOR_OK;
}

executor_aftermath_t executor_take_aftermath(executor_t *executor) {
  executor_aftermath_t aftermath = executor->aftermath;
  executor->aftermath = (executor_aftermath_t){.outcome = EXECUTOR_OK};
  return aftermath;
}

const char *executor_name(const executor_t *executor) { return executor->name; }

const char *executor_version(const executor_t *executor) { return executor->version; }

const char *executor_hardware(const executor_t *executor) { return executor->hardware; }

bool executor_load_changed_environment(const executor_t *executor) {
  return executor->load_changed_environment;
}

bool executor_is_process(const executor_t *executor) { return executor->address.command != NULL; }

bool executor_validates(const executor_t *executor) { return executor->transport->validates; }

bool executor_compiling_is_dear(const executor_t *executor) {
  return executor->transport->compiling_is_dear;
}

bool executor_takes_dynamic(const executor_t *executor) {
  return executor->transport->takes_dynamic;
}

static char *line_of(const program_t *program) {
  GString *line = g_string_new(NULL);
  program_print(program, line);
  return g_string_free(line, FALSE);
}

static void note_program(const executor_t *executor, const executor_program_t *entry) {
  call_memory_note_program(executor->memory, executor->number, entry->number, entry->line);
}

executor_promise_t executor_promises(executor_t *executor, const program_t *program) {
  transport_t *transport = executor->transport;
  if (program_is_dynamic(program) && !transport->takes_dynamic) return EXECUTOR_PROMISE_NO;
  hash_text_t key = program_hash(program);
  executor_program_t *entry = program_cache_find(executor->programs, &key);
  if (entry == NULL) {
    g_autofree char *line = line_of(program);
    call_memory_note_program(executor->memory, executor->number, CALL_NO_PROGRAM, line);
    return transport->functions->promises(transport, program);
  }
  if (!entry->promise_known) {
    note_program(executor, entry);
    entry->promise = transport->functions->promises(transport, program);
    entry->promise_known = true;
  }
  return entry->promise;
}

/* For the log. */
static const char *outcome_name(executor_outcome_t outcome) {
  static const char *const names[] = {[EXECUTOR_OK] = "ok",
                                      [EXECUTOR_REFUSED] = "refused",
                                      [EXECUTOR_REJECTED] = "invalid",
                                      [EXECUTOR_FAILED] = "failed",
                                      [EXECUTOR_CRASHED] = "crashed",
                                      [EXECUTOR_ENDED] = "ended",
                                      [EXECUTOR_TIMED_OUT] = "timed out",
                                      [EXECUTOR_GARBAGE] = "broke the protocol"};
  return names[outcome];
}

/* Whether the outcome is the same next time. */
static bool is_lasting(executor_outcome_t outcome) {
  return outcome == EXECUTOR_OK || outcome == EXECUTOR_REFUSED || outcome == EXECUTOR_REJECTED;
}

/* Compiles what is not in the cache; what came of it is there then, if it lasts. */
static executor_outcome_t compile_new(executor_t *executor, const hash_text_t *key,
                                      const program_t *program, executor_program_t **out_entry,
                                      assay_reason_t *reason) {
  transport_t *transport = executor->transport;
  g_autofree char *line = line_of(program);
  uint64_t number = call_memory_number_program(executor->memory);
  call_memory_note_program(executor->memory, executor->number, number, line);
  void *handle = NULL;
  executor_outcome_t outcome = transport->functions->compile(transport, program, &handle, reason);
  log_debug(LOG_EXEC, "%s: compile %s: %s %s", executor->name, line, outcome_name(outcome),
            reason->text);
  if (outcome == EXECUTOR_OK || executor->last_line == NULL) {
    g_free(executor->last_line);
    executor->last_line = g_strdup(line);
  }
  if (!is_lasting(outcome)) return outcome;
  executor_program_t *entry = program_cache_add(executor->programs, key, program, line, number);
  line = NULL;
  entry->outcome = outcome;
  entry->handle = handle;
  memcpy(entry->reason, reason->text, reason->text_bytes);
  *out_entry = entry;
  return outcome;
}

executor_outcome_t executor_compile(executor_t *executor, const program_t *program,
                                    executor_program_t **out_program, char *out_reason,
                                    size_t reason_bytes) {
  if (program_is_dynamic(program) && !executor->transport->takes_dynamic) {
    snprintf(out_reason, reason_bytes,
             "takes no sizes that are unknown when a program is compiled");
    return EXECUTOR_REFUSED;
  }
  hash_text_t key = program_hash(program);
  executor_program_t *entry = program_cache_find(executor->programs, &key);
  if (entry == NULL) {
    char text[REASON_BYTES] = "";
    assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
    executor_outcome_t outcome = compile_new(executor, &key, program, &entry, &reason);
    if (entry == NULL) {
      snprintf(out_reason, reason_bytes, "%s", text);
      return outcome;
    }
  }
  if (entry->outcome == EXECUTOR_OK) {
    *out_program = entry;
  } else {
    snprintf(out_reason, reason_bytes, "%s", entry->reason);
  }
  return entry->outcome;
}

void executor_forget_programs(executor_t *executor) {
  program_cache_free(executor->programs);
  executor->programs = make_cache(executor);
}

const char *executor_implementation(executor_t *executor, executor_program_t *program) {
  transport_t *transport = executor->transport;
  note_program(executor, program);
  return transport->functions->implementation(transport, program->handle);
}

/* ---- Programs with sizes that were unknown --------------------------------------------------- */

static void take_sizes(const tensor_t *tensors, uint32_t count, type_t *types, uint64_t *out_bytes,
                       int64_t (*out_dims)[TYPE_RANK_MAX]) {
  for (uint32_t i = 0; i < count; i++) {
    memcpy(types[i].dims, tensors[i].type.dims, sizeof types[i].dims);
    memcpy(out_dims[i], tensors[i].type.dims, sizeof out_dims[i]);
    out_bytes[i] = type_bytes(&tensors[i].type);
  }
}

/* Notes the program at the sizes of a call: who finds us dead needs them. */
static void note_sized_program(executor_t *executor, const executor_program_t *entry,
                               const tensor_t *operands, const tensor_t *results,
                               call_sizes_t *out_sizes, call_shapes_t *out_shapes) {
  arena_t arena;
  arena_init(&arena);
  program_t program;
  failure_t error;
  status_t status = program_parse(str_from(entry->line), &arena, &program, NULL, &error);
  g_assert(status == STATUS_OK); /* It was printed from a valid one. */
  *out_sizes = entry->sizes;
  *out_shapes = (call_shapes_t){0};
  take_sizes(operands, program.operand_count, program.operands, out_sizes->operands,
             out_shapes->operands);
  take_sizes(results, program.result_count, program.results, out_sizes->results,
             out_shapes->results);
  g_autofree char *line = line_of(&program);
  call_memory_note_program(executor->memory, executor->number,
                           call_memory_number_program(executor->memory), line);
  arena_deinit(&arena);
}

execution_t executor_execute(executor_t *executor, executor_program_t *program,
                             const tensor_t *operands, uint8_t poison, tensor_t *inout_results) {
  transport_t *transport = executor->transport;
  call_memory_t *memory = executor->memory;
  const call_sizes_t *sizes = &program->sizes;
  call_sizes_t own_sizes;
  call_shapes_t shapes;
  if (program->is_dynamic) {
    note_sized_program(executor, program, operands, inout_results, &own_sizes, &shapes);
    sizes = &own_sizes;
  } else {
    note_program(executor, program);
  }
  execution_t execution = {.outcome = EXECUTOR_OK};
  const void *inputs[CASE_OPERANDS_MAX];
  void *outputs[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < sizes->operand_count; i++) {
    inputs[i] = call_memory_operand(memory, sizes, i);
  }
  for (uint32_t i = 0; i < sizes->result_count; i++) outputs[i] = call_memory_result(memory, i);
  call_memory_put_operands(memory, sizes, operands);
  if (!transport->is_apart) call_memory_close_guards(memory, sizes);
  call_memory_lay_results(memory, sizes, poison);

  transport_call_t call = {.operands = inputs,
                           .results = outputs,
                           .sizes = sizes,
                           .shapes = program->is_dynamic ? &shapes : NULL};
  assay_reason_t reason = {.text = execution.reason, .text_bytes = sizeof execution.reason};
  execution.outcome = transport->functions->execute(transport, program->handle, &call,
                                                    &execution.changed_environment, &reason);
  uint32_t broken = call_memory_find_broken(memory, sizes, poison);
  execution.wrote_out_of_bounds = broken != sizes->result_count;
  execution.bad_result = execution.wrote_out_of_bounds ? broken : 0;
  uint32_t changed = transport->is_apart ? sizes->operand_count
                                         : call_memory_find_changed(memory, sizes, operands);
  if (changed != sizes->operand_count) {
    execution.outcome = EXECUTOR_GARBAGE;
    snprintf(execution.reason, sizeof execution.reason, "wrote into operand %u", changed);
  }
  log_debug(LOG_EXEC, "%s: call %s: %s %s", executor->name, program->line,
            outcome_name(execution.outcome), execution.reason);
  if (execution.outcome != EXECUTOR_OK) return execution;
  for (uint32_t i = 0; i < sizes->result_count; i++) {
    if (sizes->results[i] == 0) continue;
    memcpy(inout_results[i].data, outputs[i], sizes->results[i]);
  }
  return execution;
}
