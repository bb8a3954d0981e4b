#include "harness/exec/executor.h"

#include <stdio.h>
#include <string.h>

#include "harness/exec/dso_transport.h"
#include "harness/exec/executor_address.h"
#include "harness/exec/isolate.h"
#include "harness/exec/process_transport.h"
#include "harness/exec/program_cache.h"
#include "harness/exec/reason.h"
#include "harness/exec/table_transport.h"

enum { OPERAND_CHECK_ONE_IN = 64 };

struct executor {
  char *name;
  executor_address_t address;
  transport_t *transport;
  program_cache_t *programs;
  uint8_t *operand_copy; /* Of all operands, for the checks that nobody wrote into them. */
  size_t operand_copy_bytes;
};

static status_t open_backend(const void *context, transport_t **out_transport, failure_t *error) {
  const executor_address_t *address = context;
  if (address->table == NULL) {
    return dso_transport_open(address->path, address->options, out_transport, error);
  }
  return table_transport_open(address->table, address->options, NULL, NULL, out_transport, error);
}

static status_t open_transport(const executor_address_t *address, const executor_options_t *options,
                               transport_t **out_transport, failure_t *error) {
  if (address->command != NULL) {
    return process_transport_open(address->command, options->timeout_ms, options->memory_bytes_max,
                                  out_transport, error);
  }
  if (!options->isolate) return open_backend(address, out_transport, error);
  return isolate_open(open_backend, address, options->timeout_ms, options->memory_bytes_max,
                      out_transport, error);
}

status_t executor_open(const char *name, const executor_options_t *options,
                       executor_t **out_executor, failure_t *error) {
  executor_address_t address;
  STATUS_TRY(executor_address_find(name, options, &address, error));
  executor_t *executor = g_new0(executor_t, 1);
  executor->name = g_strdup(name);
  executor->address = address;
  failure_t reason = {0};
  status_t status = open_transport(&executor->address, options, &executor->transport, &reason);
  if (status == STATUS_OK) {
    executor->programs = program_cache_make(executor->transport);
    *out_executor = executor;
  } else {
    status_fail(error, status, "executor %s: %.400s", name, reason.text);
    executor_close(executor);
  }
  return status;
}

void executor_close(executor_t *executor) {
  if (executor == NULL) return;
  if (executor->programs != NULL) program_cache_free(executor->programs);
  if (executor->transport != NULL) executor->transport->functions->close(executor->transport);
  executor_address_deinit(&executor->address);
  g_free(executor->operand_copy);
  g_free(executor->name);
  g_free(executor);
}

const char *executor_name(const executor_t *executor) { return executor->name; }

const char *executor_version(const executor_t *executor) { return executor->transport->version; }

const char *executor_hardware(const executor_t *executor) { return executor->transport->hardware; }

bool executor_load_changed_environment(const executor_t *executor) {
  return executor->transport->load_changed_environment;
}

bool executor_is_process(const executor_t *executor) { return executor->address.command != NULL; }

bool executor_validates(const executor_t *executor) { return executor->transport->validates; }

executor_promise_t executor_promises(executor_t *executor, const program_t *program) {
  transport_t *transport = executor->transport;
  hash_text_t key = program_hash(program);
  executor_program_t *entry = program_cache_find(executor->programs, &key);
  if (entry == NULL) return transport->functions->promises(transport, program);
  if (!entry->promise_known) {
    entry->promise = transport->functions->promises(transport, program);
    entry->promise_known = true;
  }
  return entry->promise;
}

/* Whether the outcome is the same next time. */
static bool is_lasting(executor_outcome_t outcome) {
  return outcome == EXECUTOR_OK || outcome == EXECUTOR_REFUSED || outcome == EXECUTOR_REJECTED;
}

executor_outcome_t executor_compile(executor_t *executor, const program_t *program,
                                    executor_program_t **out_program, char *out_reason,
                                    size_t reason_bytes) {
  transport_t *transport = executor->transport;
  hash_text_t key = program_hash(program);
  executor_program_t *entry = program_cache_find(executor->programs, &key);
  if (entry == NULL) {
    char text[REASON_BYTES] = "";
    assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
    void *handle = NULL;
    executor_outcome_t outcome =
        transport->functions->compile(transport, program, &handle, &reason);
    if (!is_lasting(outcome)) {
      snprintf(out_reason, reason_bytes, "%s", text);
      return outcome;
    }
    entry = program_cache_add(executor->programs, &key, program);
    entry->outcome = outcome;
    entry->handle = handle;
    memcpy(entry->reason, text, sizeof text);
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
  executor->programs = program_cache_make(executor->transport);
}

const char *executor_implementation(executor_t *executor, executor_program_t *program) {
  transport_t *transport = executor->transport;
  return transport->functions->implementation(transport, program->handle);
}

/* The pattern of the guards of an execution: unlike the poison, and different between two runs with
 * different poison, so that no constant written there goes unseen in both. */
static uint8_t guard_byte(uint8_t poison) { return poison ^ 0x3c; }

static void lay_results(const executor_program_t *program, uint8_t poison, uint8_t *memory) {
  memset(memory, guard_byte(poison), program->memory_bytes);
  for (uint32_t i = 0; i < program->result_count; i++) {
    memset(memory + program->result_offset[i], poison, program->result_bytes[i]);
  }
}

static bool is_filled(const uint8_t *bytes, size_t size, uint8_t value) {
  uint8_t difference = 0;
  for (size_t i = 0; i < size; i++) difference |= bytes[i] ^ value;
  return difference == 0;
}

/* The number of the first result beside which a byte changed, or result_count. */
static uint32_t find_broken_guard(const executor_program_t *program, uint8_t poison,
                                  const uint8_t *memory) {
  uint8_t guard = guard_byte(poison);
  if (program->result_count != 0 && !is_filled(memory, program->result_offset[0], guard)) return 0;
  for (uint32_t i = 0; i < program->result_count; i++) {
    bool is_last = i + 1 == program->result_count;
    size_t begin = program->result_offset[i] + program->result_bytes[i];
    size_t end = is_last ? program->memory_bytes : program->result_offset[i + 1];
    if (!is_filled(memory + begin, end - begin, guard)) return i;
  }
  return program->result_count;
}

/* Copying operands to see whether the backend wrote into them costs as much as a small execution:
 * it is done on the first one of a program, and then now and then. */
static bool is_operand_check_due(const executor_t *executor, const executor_program_t *program) {
  return !executor->transport->operands_are_protected &&
         program->executions % OPERAND_CHECK_ONE_IN == 0;
}

static void copy_operands(executor_t *executor, const executor_program_t *program,
                          const tensor_t *operands) {
  size_t total = 0;
  for (uint32_t i = 0; i < program->operand_count; i++) total += program->operand_bytes[i];
  total = MAX(total, 1); /* There is an address to count from though all operands are empty. */
  if (total > executor->operand_copy_bytes) {
    g_free(executor->operand_copy);
    executor->operand_copy = g_malloc(total);
    executor->operand_copy_bytes = total;
  }
  uint8_t *copy = executor->operand_copy;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (program->operand_bytes[i] != 0) memcpy(copy, operands[i].data, program->operand_bytes[i]);
    copy += program->operand_bytes[i];
  }
}

/* Puts back what the backend wrote into operands, and fails the execution if it did. */
static void restore_operands(const executor_t *executor, const executor_program_t *program,
                             const tensor_t *operands, execution_t *execution) {
  const uint8_t *copy = executor->operand_copy;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    size_t bytes = program->operand_bytes[i];
    if (bytes != 0 && memcmp(operands[i].data, copy, bytes) != 0) {
      memcpy(operands[i].data, copy, bytes);
      execution->outcome = EXECUTOR_GARBAGE;
      snprintf(execution->reason, sizeof execution->reason, "wrote into operand %u", i);
    }
    copy += bytes;
  }
}

execution_t executor_execute(executor_t *executor, executor_program_t *program,
                             const tensor_t *operands, uint8_t poison, tensor_t *inout_results) {
  transport_t *transport = executor->transport;
  execution_t execution = {.outcome = EXECUTOR_OK};
  uint8_t *memory = transport->functions->result_memory(transport, program->memory_bytes);
  const void *inputs[CASE_OPERANDS_MAX];
  void *outputs[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->operand_count; i++) inputs[i] = operands[i].data;
  for (uint32_t i = 0; i < program->result_count; i++) {
    outputs[i] = memory + program->result_offset[i];
  }
  bool is_checked = is_operand_check_due(executor, program);
  if (is_checked) copy_operands(executor, program, operands);
  program->executions++;
  lay_results(program, poison, memory);

  transport_call_t call = {.operands = inputs, .results = outputs};
  assay_reason_t reason = {.text = execution.reason, .text_bytes = sizeof execution.reason};
  execution.outcome = transport->functions->execute(transport, program->handle, &call,
                                                    &execution.changed_environment, &reason);
  uint32_t broken = find_broken_guard(program, poison, memory);
  execution.wrote_out_of_bounds = broken != program->result_count;
  execution.bad_result = execution.wrote_out_of_bounds ? broken : 0;
  if (is_checked) restore_operands(executor, program, operands, &execution);
  if (execution.outcome != EXECUTOR_OK) return execution;
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (program->result_bytes[i] == 0) continue;
    memcpy(inout_results[i].data, outputs[i], program->result_bytes[i]);
  }
  return execution;
}
