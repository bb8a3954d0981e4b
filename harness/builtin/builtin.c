/* SPDX-License-Identifier: Apache-2.0 */
/* The plug-in interface implemented on the oracle's simulations: parses a name into an
 * implementation model, compiles by a trial run on zeros, and executes. */
#include "harness/builtin/builtin.h"

#include <string.h>

#include "harness/base/rng.h"
#include "harness/builtin/addressing.h"
#include "harness/builtin/former_sizes.h"
#include "harness/model/dynamic/dynamic.h"
#include "oracles/oracle.h"

/* An open builtin executor. */
typedef struct builtin {
  char *name;
  implementation_model_t schedule;
  arena_t arena;       /* Of the schedule. */
  uint64_t executions; /* So far. */
  arena_t scratch;     /* Of one execution. */
} builtin_t;

/* A compiled program. */
typedef struct builtin_program {
  arena_t arena; /* Holds what `program` points to. */
  program_t program;
  const oracle_t *oracle;
  former_sizes_t former; /* What faults of sizes keep from one execution to the next. */
} builtin_program_t;

static int32_t explain(assay_reason_t *reason, int32_t answer, const failure_t *error) {
  if (reason != NULL && reason->text_bytes > 0) {
    g_strlcpy(reason->text, error->text, reason->text_bytes);
  }
  return answer;
}

static int32_t answer_of(status_t status) {
  switch (status) {
    case STATUS_OK:
      return ASSAY_EXECUTOR_OK;
    case STATUS_INVALID:
      return ASSAY_EXECUTOR_INVALID;
    case STATUS_UNSUPPORTED:
      return ASSAY_EXECUTOR_UNSUPPORTED;
    case STATUS_UNDECIDED:
    case STATUS_IO:
      break;
  }
  return ASSAY_EXECUTOR_FAILED;
}

static void builtin_close(void *self) {
  builtin_t *builtin = self;
  arena_deinit(&builtin->scratch);
  arena_deinit(&builtin->arena);
  g_free(builtin->name);
  g_free(builtin);
}

static int32_t builtin_open(const char *options, void **out_self, assay_reason_t *reason) {
  builtin_t *builtin = g_new0(builtin_t, 1);
  arena_init(&builtin->arena);
  arena_init(&builtin->scratch);
  builtin->name = g_strdup(options);
  failure_t error = {0};
  status_t status = builtin_parse(options, &builtin->arena, &builtin->schedule, &error);
  if (status != STATUS_OK) {
    builtin_close(builtin);
    return explain(reason, answer_of(status), &error);
  }
  *out_self = builtin;
  return ASSAY_EXECUTOR_OK;
}

static const char *builtin_name(void *self) { return ((builtin_t *)self)->name; }
static const char *builtin_version(void *self) {
  (void)self;
  return "1";
}
static const char *builtin_hardware(void *self) {
  (void)self;
  return "simulated";
}

/* Runs on all-zero operands, to learn whether simulate() supports the program. */
static status_t try_program(builtin_t *builtin, const builtin_program_t *compiled,
                            failure_t *error) {
  arena_reset(&builtin->scratch);
  case_t instance = case_make(&builtin->scratch, &compiled->program);
  for (uint32_t i = 0; i < compiled->program.operand_count; i++) {
    memset(instance.operands[i].data, 0, type_bytes(&compiled->program.operands[i]));
  }
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < compiled->program.result_count; i++) {
    const type_t *type = &compiled->program.results[i];
    results[i] = tensor_make(&builtin->scratch, type);
    memset(results[i].data, 0, type_bytes(type));
  }
  const oracle_call_t call = {.instance = &instance, .arena = &builtin->scratch, .error = error};
  return compiled->oracle->simulate(&call, &builtin->schedule, results);
}

/* `is_dynamic`: the line has question marks without sizes. */
static status_t prepare(builtin_t *builtin, const char *program_line, bool is_dynamic,
                        builtin_program_t *compiled, failure_t *error) {
  const char *violation = NULL;
  if (is_dynamic) {
    STATUS_TRY(
        dynamic_parse(str_from(program_line), 0, &compiled->arena, &compiled->program, error));
  } else {
    STATUS_TRY(program_parse(str_from(program_line), &compiled->arena, &compiled->program,
                             &violation, error));
  }
  const op_constraint_t *broken = op_constraint_find(compiled->program.op, violation);
  if (broken != NULL) {
    bool is_forbidden = op_constraint_is_forbidden(broken);
    return status_fail(error, is_forbidden ? STATUS_INVALID : STATUS_UNSUPPORTED,
                       "the program breaks constraint %s: %s", broken->id, broken->text);
  }
  contract_t contract = builtin_rules(&builtin->schedule);
  broken = program_broken_under(&compiled->program, NULL, &contract);
  if (broken != NULL) {
    return status_fail(error, STATUS_UNSUPPORTED, "the program breaks %s: %s", broken->id,
                       broken->text);
  }
  compiled->oracle = oracle_find(compiled->program.op);
  if (compiled->oracle == NULL) {
    return status_fail(error, STATUS_UNSUPPORTED, "no builtin executor simulates %s",
                       compiled->program.op->name);
  }
  return try_program(builtin, compiled, error);
}

static void builtin_release(void *self, void *handle) {
  (void)self;
  builtin_program_t *compiled = handle;
  former_sizes_deinit(&compiled->former);
  arena_deinit(&compiled->arena);
  g_free(compiled);
}

static bool is_unknown(const assay_type_t *types, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t dim = 0; dim < types[i].rank; dim++) {
      if (types[i].dims[dim] < 0) return true;
    }
  }
  return false;
}

static int32_t builtin_compile(void *self, const assay_program_t *program, void **out_handle,
                               assay_reason_t *reason) {
  builtin_program_t *compiled = g_new0(builtin_program_t, 1);
  arena_init(&compiled->arena);
  failure_t error = {0};
  bool is_dynamic = is_unknown(program->operands, program->operand_count) ||
                    is_unknown(program->results, program->result_count);
  status_t status = prepare(self, program->program_line, is_dynamic, compiled, &error);
  if (status != STATUS_OK) {
    builtin_release(self, compiled);
    return explain(reason, answer_of(status), &error);
  }
  *out_handle = compiled;
  return ASSAY_EXECUTOR_OK;
}

/* Wraps operands for simulate(), which only reads them. */
static void borrow_operands(case_t *instance, const void *const *operands) {
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    instance->operands[i].type = instance->program.operands[i];
    memcpy(&instance->operands[i].data, &operands[i], sizeof operands[i]);
  }
}

/* Of the next execution: another order each time where additions race. */
static implementation_model_t next_schedule(builtin_t *builtin) {
  implementation_model_t schedule = builtin->schedule;
  uint64_t state = schedule.seed + builtin->executions++;
  if (schedule.races) schedule.seed = rng_splitmix(&state);
  return schedule;
}

/* Simulates beside the results, and writes them as the fault does. */
static status_t simulate_aside(const builtin_program_t *compiled, const oracle_call_t *call,
                               const implementation_model_t *schedule, tensor_t *inout_results) {
  const program_t *program = &call->instance->program;
  tensor_t computed[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    computed[i] = tensor_make(call->arena, &program->results[i]);
    memset(computed[i].data, 0, type_bytes(&computed[i].type));
  }
  STATUS_TRY(compiled->oracle->simulate(call, schedule, computed));
  for (uint32_t i = 0; i < program->result_count; i++) {
    addressing_store(schedule->fault, &computed[i], &inout_results[i]);
  }
  return STATUS_OK;
}

static status_t simulate(const builtin_program_t *compiled, const oracle_call_t *call,
                         const implementation_model_t *schedule, tensor_t *inout_results) {
  return addressing_spoils_results(schedule->fault)
             ? simulate_aside(compiled, call, schedule, inout_results)
             : compiled->oracle->simulate(call, schedule, inout_results);
}

static int32_t execute(builtin_t *builtin, builtin_program_t *compiled, const program_t *program,
                       const void *const *operands, void *const *results, assay_reason_t *reason) {
  case_t instance = {.program = *program};
  borrow_operands(&instance, operands);
  tensor_t tensors[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    tensors[i] = (tensor_t){.type = program->results[i], .data = results[i]};
  }
  arena_reset(&builtin->scratch);
  failure_t error = {0};
  const implementation_model_t schedule = next_schedule(builtin);
  const oracle_call_t call = {.instance = &instance, .arena = &builtin->scratch, .error = &error};
  addressing_spoil_operands(schedule.fault, &instance, &builtin->scratch);
  former_sizes_t *former = &compiled->former;
  bool is_changed = former_sizes_spoil(schedule.fault, former, &instance, &builtin->scratch);
  tensor_t larger[CASE_RESULTS_MAX];
  if (is_changed) former_sizes_make_results(&instance.program, &builtin->scratch, larger);
  status_t status = simulate(compiled, &call, &schedule, is_changed ? larger : tensors);
  if (status == STATUS_OK) {
    former_sizes_store(schedule.fault, former, is_changed ? larger : NULL, program->result_count,
                       tensors);
  }
  if (status != STATUS_OK) return explain(reason, ASSAY_EXECUTOR_FAILED, &error);
  return ASSAY_EXECUTOR_OK;
}

static int32_t builtin_execute(void *self, void *handle, const void *const *operands,
                               void *const *results, assay_reason_t *reason) {
  builtin_program_t *compiled = handle;
  return execute(self, compiled, &compiled->program, operands, results, reason);
}

static int32_t builtin_execute_sized(void *self, void *handle, const assay_sizes_t *sizes,
                                     const void *const *operands, void *const *results,
                                     assay_reason_t *reason) {
  builtin_program_t *compiled = handle;
  program_t program = compiled->program;
  for (uint32_t i = 0; i < program.operand_count; i++) {
    type_t *type = &program.operands[i];
    memcpy(type->dims, sizes->operands[i], type->rank * sizeof type->dims[0]);
  }
  for (uint32_t i = 0; i < program.result_count; i++) {
    type_t *type = &program.results[i];
    memcpy(type->dims, sizes->results[i], type->rank * sizeof type->dims[0]);
  }
  return execute(self, compiled, &program, operands, results, reason);
}

const assay_executor_t *builtin_find(const char *name) {
  static const assay_executor_t table = {
      .abi = ASSAY_EXECUTOR_ABI,
      .struct_size = sizeof(assay_executor_t),
      .open = builtin_open,
      .name = builtin_name,
      .version = builtin_version,
      .hardware = builtin_hardware,
      .compile = builtin_compile,
      .execute = builtin_execute,
      .release = builtin_release,
      .close = builtin_close,
      .validates = 1,
      .execute_sized = builtin_execute_sized,
  };
  bool is_builtin = g_str_has_prefix(name, "model:") || g_str_has_prefix(name, "canary:");
  return is_builtin ? &table : NULL;
}
