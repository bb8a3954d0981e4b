/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a compiled program: operands to buffers of the devices, one execution, results back,
 * row-major; every event is waited for and every object destroyed, whatever fails. */
#include <stdint.h>

#include "harness/exec/pjrt/compiled.h"
#include "harness/exec/pjrt/program.h"

static int32_t send_operand(const pjrt_client_t *client, const pjrt_tensor_t *tensor,
                            PJRT_Device *device, const void *data, PJRT_Buffer **out_buffer,
                            assay_reason_t *reason) {
  const PJRT_Api *api = client->api;
  PJRT_Client_BufferFromHostBuffer_Args args = {
      .struct_size = PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE,
      .client = client->client,
      .data = data,
      .type = tensor->element->type,
      .dims = tensor->dims,
      .num_dims = tensor->rank,
      .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
      .device = device};
  int32_t code = pjrt_take_error(api, api->PJRT_Client_BufferFromHostBuffer(&args),
                                 "it takes no operand", reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  *out_buffer = args.buffer;
  return pjrt_await(api, args.done_with_host_buffer, "an operand does not arrive", reason);
}

static int32_t send_operands(const pjrt_client_t *client, const pjrt_program_t *program,
                             const void *const *operands, assay_reason_t *reason) {
  int32_t code = ASSAY_EXECUTOR_OK;
  for (uint32_t i = 0; i < program->process_count * program->operand_count; i++) {
    uint32_t process = i / program->operand_count;
    uint32_t place = i % program->operand_count;
    const pjrt_tensor_t *tensor = &program->operands[place];
    const char *data = (const char *)operands[place] + process * pjrt_tensor_bytes(tensor);
    code = send_operand(client, tensor, program->devices[process], data,
                        &program->operand_buffers[i], reason);
    if (code != ASSAY_EXECUTOR_OK) break;
  }
  return code;
}

static int32_t run(const pjrt_client_t *client, const pjrt_program_t *program,
                   assay_reason_t *reason) {
  const PJRT_Api *api = client->api;
  PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
  for (uint32_t i = 0; i < program->process_count; i++) program->events[i] = NULL;
  PJRT_LoadedExecutable_Execute_Args args = {
      .struct_size = PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE,
      .executable = program->executable,
      .options = &options,
      .argument_lists = program->argument_lists,
      .num_devices = program->process_count,
      .num_args = program->operand_count,
      .output_lists = program->output_lists,
      .device_complete_events = program->events};
  int32_t code =
      pjrt_take_error(api, api->PJRT_LoadedExecutable_Execute(&args), "it does not run", reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  for (uint32_t i = 0; i < program->process_count; i++) {
    int32_t own = pjrt_await(api, program->events[i], "it does not run", reason);
    if (code == ASSAY_EXECUTOR_OK) code = own;
  }
  return code;
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
  if (tensor->count == 0) return ASSAY_EXECUTOR_OK; /* An address is not needed, NULL a question. */
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
                                        .dst_size = pjrt_tensor_bytes(tensor)};
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
  for (uint32_t i = 0; i < program->process_count * program->result_count; i++) {
    uint32_t process = i / program->result_count;
    uint32_t place = i % program->result_count;
    const pjrt_tensor_t *tensor = &program->results[place];
    char *data = (char *)results[place] + process * pjrt_tensor_bytes(tensor);
    code = fetch_result(client, tensor, program->result_buffers[i], data, reason);
    if (code != ASSAY_EXECUTOR_OK) break;
  }
  return code;
}

static void destroy_buffers(const PJRT_Api *api, PJRT_Buffer **buffers, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (buffers[i] == NULL) continue;
    PJRT_Buffer_Destroy_Args args = {.struct_size = PJRT_Buffer_Destroy_Args_STRUCT_SIZE,
                                     .buffer = buffers[i]};
    pjrt_drop_error(api, api->PJRT_Buffer_Destroy(&args));
    buffers[i] = NULL;
  }
}

int32_t pjrt_program_execute(void *self, void *handle, const void *const *operands,
                             void *const *results, assay_reason_t *reason) {
  const pjrt_client_t *client = self;
  pjrt_program_t *program = handle;
  int32_t code = send_operands(client, program, operands, reason);
  if (code == ASSAY_EXECUTOR_OK) code = run(client, program, reason);
  if (code == ASSAY_EXECUTOR_OK) code = fetch_results(client, program, results, reason);
  destroy_buffers(client->api, program->operand_buffers,
                  program->process_count * program->operand_count);
  destroy_buffers(client->api, program->result_buffers,
                  program->process_count * program->result_count);
  return code;
}
