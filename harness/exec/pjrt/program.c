/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the StableHLO text of a program and runs it: operands to buffers of the device, one
 * execution, results back, row-major; every event is waited for and every object destroyed. */
#include "harness/exec/pjrt/program.h"

#include <stdio.h>
#include <string.h>

#include "harness/exec/pjrt/client.h"
#include "harness/exec/pjrt/element.h"
#include "harness/exec/pjrt/expressible.h"

/* A tensor of the program, as buffers have it. */
typedef struct pjrt_tensor {
  const pjrt_element_t *element;
  int64_t *dims;
  int64_t *minor_to_major; /* rank-1, ..., 0: row-major. */
  size_t rank;
  size_t count; /* Of elements. */
} pjrt_tensor_t;

typedef struct pjrt_program {
  PJRT_LoadedExecutable *executable;
  uint32_t operand_count;
  uint32_t result_count;
  pjrt_tensor_t *tensors; /* Operands, then results. */
  PJRT_Buffer **buffers;  /* Likewise, during an execution. */
} pjrt_program_t;

/* ---- Compiling ------------------------------------------------------------------------------- */

static void take_tensor(const assay_type_t *type, pjrt_tensor_t *out_tensor) {
  pjrt_tensor_t tensor = {.element = pjrt_element_find(type->element),
                          .dims = g_new(int64_t, type->rank),
                          .minor_to_major = g_new(int64_t, type->rank),
                          .rank = type->rank,
                          .count = 1};
  for (size_t i = 0; i < tensor.rank; i++) {
    tensor.dims[i] = type->dims[i];
    tensor.minor_to_major[i] = (int64_t)(tensor.rank - 1 - i);
    tensor.count *= (size_t)type->dims[i];
  }
  *out_tensor = tensor;
}

static pjrt_program_t *new_program(const assay_program_t *program) {
  pjrt_program_t *made = g_new0(pjrt_program_t, 1);
  made->operand_count = program->operand_count;
  made->result_count = program->result_count;
  uint32_t count = program->operand_count + program->result_count;
  made->tensors = g_new0(pjrt_tensor_t, count);
  made->buffers = g_new0(PJRT_Buffer *, count);
  for (uint32_t i = 0; i < count; i++) {
    bool is_operand = i < program->operand_count;
    take_tensor(is_operand ? &program->operands[i] : &program->results[i - program->operand_count],
                &made->tensors[i]);
  }
  return made;
}

static int32_t compile_text(const pjrt_client_t *client, const char *text, pjrt_program_t *made,
                            assay_reason_t *reason) {
  int64_t device = 0;
  int32_t code = pjrt_device_id(client, client->devices[client->options.device], &device, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  const pjrt_compile_options_t options = {
      .replicas = 1,
      .partitions = 1,
      .device_ids = &device,
      .overrides = (const pjrt_override_t *)(const void *)client->options.overrides->data,
      .override_count = client->options.overrides->len};
  GByteArray *encoded = pjrt_compile_options_encode(&options);
  static const char format[] = "mlir";
  g_autofree char *code_text = g_strdup(text); /* The header has it changeable. */
  PJRT_Program source = {.struct_size = PJRT_Program_STRUCT_SIZE,
                         .code = code_text,
                         .code_size = strlen(text),
                         .format = format,
                         .format_size = strlen(format)};
  PJRT_Client_Compile_Args args = {.struct_size = PJRT_Client_Compile_Args_STRUCT_SIZE,
                                   .client = client->client,
                                   .program = &source,
                                   .compile_options = (const char *)encoded->data,
                                   .compile_options_size = encoded->len};
  code = pjrt_take_compile_error(client->api, client->api->PJRT_Client_Compile(&args), reason);
  g_byte_array_unref(encoded);
  if (code != ASSAY_EXECUTOR_OK) return code;
  made->executable = args.executable;
  if (made->executable != NULL) return ASSAY_EXECUTOR_OK;
  snprintf(reason->text, reason->text_bytes, "it compiles without an error, and to nothing");
  return ASSAY_EXECUTOR_FAILED;
}

/* Who gives another number of results than the program has would write over memory that is not
 * there. */
static int32_t check_outputs(const PJRT_Api *api, PJRT_Executable *executable, uint32_t expected,
                             assay_reason_t *reason) {
  PJRT_Executable_NumOutputs_Args args = {
      .struct_size = PJRT_Executable_NumOutputs_Args_STRUCT_SIZE, .executable = executable};
  int32_t code = pjrt_take_error(api, api->PJRT_Executable_NumOutputs(&args),
                                 "its executable tells no number of results", reason);
  if (code != ASSAY_EXECUTOR_OK || args.num_outputs == expected) return code;
  snprintf(reason->text, reason->text_bytes, "its executable has %zu results, the program %u",
           args.num_outputs, expected);
  return ASSAY_EXECUTOR_FAILED;
}

/* Who returns another type than the program has writes less than a result, or beyond it: XLA takes
 * a reduction of bf16 into f32, and returns bf16.  Plugins that do not tell are not asked. */
static int32_t check_types(const PJRT_Api *api, PJRT_Executable *executable,
                           const pjrt_program_t *made, assay_reason_t *reason) {
  if (!PJRT_HAS(api, PJRT_Executable_OutputElementTypes)) return ASSAY_EXECUTOR_OK;
  PJRT_Executable_OutputElementTypes_Args args = {
      .struct_size = PJRT_Executable_OutputElementTypes_Args_STRUCT_SIZE, .executable = executable};
  int32_t code = pjrt_take_error(api, api->PJRT_Executable_OutputElementTypes(&args),
                                 "its executable tells no types of results", reason);
  for (size_t i = 0; code == ASSAY_EXECUTOR_OK && i < args.num_output_types; i++) {
    const pjrt_tensor_t *wanted = &made->tensors[made->operand_count + i];
    if (args.output_types[i] == wanted->element->type) continue;
    snprintf(reason->text, reason->text_bytes,
             "result %zu of its executable is of %s, that of the program of %s", i,
             pjrt_element_name(args.output_types[i]), wanted->element->name);
    return ASSAY_EXECUTOR_FAILED;
  }
  return code;
}

static int32_t check_executable(const PJRT_Api *api, const pjrt_program_t *made,
                                assay_reason_t *reason) {
  PJRT_LoadedExecutable_GetExecutable_Args args = {
      .struct_size = PJRT_LoadedExecutable_GetExecutable_Args_STRUCT_SIZE,
      .loaded_executable = made->executable};
  int32_t code = pjrt_take_error(api, api->PJRT_LoadedExecutable_GetExecutable(&args),
                                 "it does not show its executable", reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  code = check_outputs(api, args.executable, made->result_count, reason);
  if (code == ASSAY_EXECUTOR_OK) code = check_types(api, args.executable, made, reason);
  PJRT_Executable_Destroy_Args destroy = {.struct_size = PJRT_Executable_Destroy_Args_STRUCT_SIZE,
                                          .executable = args.executable};
  pjrt_drop_error(api, api->PJRT_Executable_Destroy(&destroy));
  return code;
}

int32_t pjrt_program_compile(void *self, const assay_program_t *program, void **out_handle,
                             assay_reason_t *reason) {
  const pjrt_client_t *client = self;
  int32_t code = pjrt_is_expressible(program, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  pjrt_program_t *made = new_program(program);
  code = compile_text(client, program->mlir, made, reason);
  if (code == ASSAY_EXECUTOR_OK) code = check_executable(client->api, made, reason);
  if (code == ASSAY_EXECUTOR_OK) {
    *out_handle = made;
  } else {
    pjrt_program_release(self, made);
  }
  return code;
}

void pjrt_program_release(void *self, void *handle) {
  const PJRT_Api *api = ((const pjrt_client_t *)self)->api;
  pjrt_program_t *program = handle;
  if (program->executable != NULL) {
    PJRT_LoadedExecutable_Destroy_Args args = {
        .struct_size = PJRT_LoadedExecutable_Destroy_Args_STRUCT_SIZE,
        .executable = program->executable};
    pjrt_drop_error(api, api->PJRT_LoadedExecutable_Destroy(&args));
  }
  for (uint32_t i = 0; i < program->operand_count + program->result_count; i++) {
    g_free(program->tensors[i].dims);
    g_free(program->tensors[i].minor_to_major);
  }
  g_free(program->tensors);
  g_free(program->buffers);
  g_free(program);
}

/* ---- Running --------------------------------------------------------------------------------- */

static int32_t send_operand(const pjrt_client_t *client, const pjrt_tensor_t *tensor,
                            const void *data, PJRT_Buffer **out_buffer, assay_reason_t *reason) {
  const PJRT_Api *api = client->api;
  PJRT_Client_BufferFromHostBuffer_Args args = {
      .struct_size = PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE,
      .client = client->client,
      .data = data,
      .type = tensor->element->type,
      .dims = tensor->dims,
      .num_dims = tensor->rank,
      .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
      .device = client->devices[client->options.device]};
  int32_t code = pjrt_take_error(api, api->PJRT_Client_BufferFromHostBuffer(&args),
                                 "it takes no operand", reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  *out_buffer = args.buffer;
  return pjrt_await(api, args.done_with_host_buffer, "an operand does not arrive", reason);
}

static int32_t send_operands(const pjrt_client_t *client, const pjrt_program_t *program,
                             const void *const *operands, assay_reason_t *reason) {
  int32_t code = ASSAY_EXECUTOR_OK;
  for (uint32_t i = 0; i < program->operand_count && code == ASSAY_EXECUTOR_OK; i++) {
    code = send_operand(client, &program->tensors[i], operands[i], &program->buffers[i], reason);
  }
  return code;
}

static int32_t run(const pjrt_client_t *client, const pjrt_program_t *program,
                   assay_reason_t *reason) {
  const PJRT_Api *api = client->api;
  PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
  PJRT_Buffer *const *arguments[] = {program->buffers};
  PJRT_Buffer **outputs[] = {program->buffers + program->operand_count};
  PJRT_Event *complete[] = {NULL};
  PJRT_LoadedExecutable_Execute_Args args = {
      .struct_size = PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE,
      .executable = program->executable,
      .options = &options,
      .argument_lists = arguments,
      .num_devices = 1,
      .num_args = program->operand_count,
      .output_lists = outputs,
      .device_complete_events = complete};
  int32_t code =
      pjrt_take_error(api, api->PJRT_LoadedExecutable_Execute(&args), "it does not run", reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  return pjrt_await(api, complete[0], "it does not run", reason);
}

/* Types narrower than a byte come with whatever is in the high bits: XLA extends the sign. */
static void clear_high_bits(const pjrt_tensor_t *tensor, void *data) {
  if (tensor->element->bits == 0) return;
  uint8_t *bytes = data;
  uint8_t mask = (uint8_t)((1u << tensor->element->bits) - 1);
  for (size_t i = 0; i < tensor->count; i++) bytes[i] &= mask;
}

static int32_t fetch_result(const pjrt_client_t *client, const pjrt_tensor_t *tensor,
                            PJRT_Buffer *buffer, void *data, assay_reason_t *reason) {
  const PJRT_Api *api = client->api;
  if (tensor->count == 0) return ASSAY_EXECUTOR_OK;
  PJRT_Buffer_MemoryLayout row_major = {
      .struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE,
      .tiled = {.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE,
                .minor_to_major = tensor->minor_to_major,
                .minor_to_major_size = tensor->rank},
      .type = PJRT_Buffer_MemoryLayout_Type_Tiled};
  PJRT_Buffer_ToHostBuffer_Args args = {.struct_size = PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE,
                                        .src = buffer,
                                        .host_layout = &row_major,
                                        .dst = data,
                                        .dst_size = tensor->count * tensor->element->bytes};
  int32_t code =
      pjrt_take_error(api, api->PJRT_Buffer_ToHostBuffer(&args), "it gives no result", reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  code = pjrt_await(api, args.event, "a result does not arrive", reason);
  clear_high_bits(tensor, data);
  return code;
}

static int32_t fetch_results(const pjrt_client_t *client, const pjrt_program_t *program,
                             void *const *results, assay_reason_t *reason) {
  int32_t code = ASSAY_EXECUTOR_OK;
  for (uint32_t i = 0; i < program->result_count && code == ASSAY_EXECUTOR_OK; i++) {
    uint32_t place = program->operand_count + i;
    code =
        fetch_result(client, &program->tensors[place], program->buffers[place], results[i], reason);
  }
  return code;
}

static void destroy_buffers(const PJRT_Api *api, pjrt_program_t *program) {
  for (uint32_t i = 0; i < program->operand_count + program->result_count; i++) {
    if (program->buffers[i] == NULL) continue;
    PJRT_Buffer_Destroy_Args args = {.struct_size = PJRT_Buffer_Destroy_Args_STRUCT_SIZE,
                                     .buffer = program->buffers[i]};
    pjrt_drop_error(api, api->PJRT_Buffer_Destroy(&args));
    program->buffers[i] = NULL;
  }
}

int32_t pjrt_program_execute(void *self, void *handle, const void *const *operands,
                             void *const *results, assay_reason_t *reason) {
  const pjrt_client_t *client = self;
  pjrt_program_t *program = handle;
  int32_t code = send_operands(client, program, operands, reason);
  if (code == ASSAY_EXECUTOR_OK) code = run(client, program, reason);
  if (code == ASSAY_EXECUTOR_OK) code = fetch_results(client, program, results, reason);
  destroy_buffers(client->api, program);
  return code;
}
