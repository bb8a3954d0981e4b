/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the StableHLO text of a program for one device, or a collective for as many as it has
 * processes, and checks that what comes of it has the results that the program has. */
#include "harness/exec/pjrt/program.h"

#include <stdio.h>
#include <string.h>

#include "harness/exec/pjrt/compiled.h"
#include "harness/exec/pjrt/expressible.h"
#include "harness/exec/pjrt/spread.h"

static pjrt_tensor_t make_tensor(const assay_type_t *type) {
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
  return tensor;
}

static pjrt_tensor_t *make_tensors(const pjrt_spread_t *spread, const assay_type_t *types,
                                   uint32_t count) {
  pjrt_tensor_t *tensors = g_new(pjrt_tensor_t, count);
  for (uint32_t i = 0; i < count; i++) {
    const assay_type_t own = pjrt_spread_type(spread, &types[i]);
    tensors[i] = make_tensor(&own);
  }
  return tensors;
}

static void free_tensors(pjrt_tensor_t *tensors, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    g_free(tensors[i].dims);
    g_free(tensors[i].minor_to_major);
  }
  g_free(tensors);
}

/* One process is on the device that was chosen, several on the first ones. */
static void choose_devices(const pjrt_client_t *client, pjrt_program_t *made) {
  for (uint32_t i = 0; i < made->process_count; i++) {
    made->devices[i] = client->devices[made->process_count == 1 ? client->options.device : i];
  }
}

static pjrt_program_t *new_program(const pjrt_client_t *client, const pjrt_spread_t *spread,
                                   const assay_program_t *program) {
  uint32_t processes = pjrt_spread_processes(spread);
  pjrt_program_t *made = g_new0(pjrt_program_t, 1);
  *made =
      (pjrt_program_t){.process_count = processes,
                       .operand_count = program->operand_count,
                       .result_count = program->result_count,
                       .devices = g_new0(PJRT_Device *, processes),
                       .operands = make_tensors(spread, program->operands, program->operand_count),
                       .results = make_tensors(spread, program->results, program->result_count),
                       .operand_buffers = g_new0(PJRT_Buffer *, processes * program->operand_count),
                       .result_buffers = g_new0(PJRT_Buffer *, processes * program->result_count),
                       .argument_lists = g_new0(PJRT_Buffer *const *, processes),
                       .output_lists = g_new0(PJRT_Buffer **, processes),
                       .events = g_new0(PJRT_Event *, processes)};
  choose_devices(client, made);
  for (uint32_t i = 0; i < processes; i++) {
    made->argument_lists[i] = made->operand_buffers + i * made->operand_count;
    made->output_lists[i] = made->result_buffers + i * made->result_count;
  }
  return made;
}

/* The compile options as bytes, with the numbers of the devices; NULL with the reason. */
static GByteArray *encode_options(const pjrt_client_t *client, const pjrt_spread_t *spread,
                                  const pjrt_program_t *made, assay_reason_t *reason) {
  g_autofree int64_t *ids = g_new(int64_t, made->process_count);
  for (uint32_t i = 0; i < made->process_count; i++) {
    int32_t code = pjrt_device_id(client, made->devices[i], &ids[i], reason);
    if (code != ASSAY_EXECUTOR_OK) return NULL;
  }
  const pjrt_compile_options_t options = {
      .replicas = spread->replicas,
      .partitions = spread->partitions,
      .device_ids = ids,
      .overrides = (const pjrt_override_t *)(const void *)client->options.overrides->data,
      .override_count = client->options.overrides->len};
  return pjrt_compile_options_encode(&options);
}

static int32_t compile_text(const pjrt_client_t *client, char *text, const GByteArray *options,
                            pjrt_program_t *made, assay_reason_t *reason) {
  static const char format[] = "mlir";
  PJRT_Program source = {.struct_size = PJRT_Program_STRUCT_SIZE,
                         .code = text,
                         .code_size = strlen(text),
                         .format = format,
                         .format_size = strlen(format)};
  PJRT_Client_Compile_Args args = {.struct_size = PJRT_Client_Compile_Args_STRUCT_SIZE,
                                   .client = client->client,
                                   .program = &source,
                                   .compile_options = (const char *)options->data,
                                   .compile_options_size = options->len};
  int32_t code =
      pjrt_take_compile_error(client->api, client->api->PJRT_Client_Compile(&args), reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  made->executable = args.executable;
  if (made->executable != NULL) return ASSAY_EXECUTOR_OK;
  snprintf(reason->text, reason->text_bytes, "it compiles without an error, and to nothing");
  return ASSAY_EXECUTOR_FAILED;
}

/* Results would go to memory that is not there. */
static int32_t check_output_count(const PJRT_Api *api, PJRT_Executable *executable,
                                  const pjrt_program_t *made, assay_reason_t *reason) {
  PJRT_Executable_NumOutputs_Args args = {
      .struct_size = PJRT_Executable_NumOutputs_Args_STRUCT_SIZE, .executable = executable};
  int32_t code = pjrt_take_error(api, api->PJRT_Executable_NumOutputs(&args),
                                 "its executable tells no number of results", reason);
  if (code != ASSAY_EXECUTOR_OK || args.num_outputs == made->result_count) return code;
  snprintf(reason->text, reason->text_bytes, "its executable has %zu results, the program %u",
           args.num_outputs, made->result_count);
  return ASSAY_EXECUTOR_FAILED;
}

/* Bits of another type would be judged as if they were of this one. */
static int32_t check_output_types(const PJRT_Api *api, PJRT_Executable *executable,
                                  const pjrt_program_t *made, assay_reason_t *reason) {
  if (!PJRT_HAS(api, PJRT_Executable_OutputElementTypes)) return ASSAY_EXECUTOR_OK;
  PJRT_Executable_OutputElementTypes_Args args = {
      .struct_size = PJRT_Executable_OutputElementTypes_Args_STRUCT_SIZE, .executable = executable};
  PJRT_Error *error = api->PJRT_Executable_OutputElementTypes(&args);
  if (error != NULL) {
    pjrt_drop_error(api, error); /* Not everybody tells. */
    return ASSAY_EXECUTOR_OK;
  }
  for (uint32_t i = 0; i < made->result_count && i < args.num_output_types; i++) {
    if (args.output_types[i] == made->results[i].element->type) continue;
    const char *other = pjrt_element_name(args.output_types[i]);
    snprintf(reason->text, reason->text_bytes,
             "result %u is %s in its executable, and %s in the program", i, other,
             made->results[i].element->name);
    return ASSAY_EXECUTOR_FAILED;
  }
  return ASSAY_EXECUTOR_OK;
}

static int32_t check_executable(const PJRT_Api *api, const pjrt_program_t *made,
                                assay_reason_t *reason) {
  PJRT_LoadedExecutable_GetExecutable_Args args = {
      .struct_size = PJRT_LoadedExecutable_GetExecutable_Args_STRUCT_SIZE,
      .loaded_executable = made->executable};
  int32_t code = pjrt_take_error(api, api->PJRT_LoadedExecutable_GetExecutable(&args),
                                 "it does not show its executable", reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  code = check_output_count(api, args.executable, made, reason);
  if (code == ASSAY_EXECUTOR_OK) code = check_output_types(api, args.executable, made, reason);
  PJRT_Executable_Destroy_Args destroy = {.struct_size = PJRT_Executable_Destroy_Args_STRUCT_SIZE,
                                          .executable = args.executable};
  pjrt_drop_error(api, api->PJRT_Executable_Destroy(&destroy));
  return code;
}

static int32_t compile(const pjrt_client_t *client, const pjrt_spread_t *spread,
                       const assay_program_t *program, pjrt_program_t *made,
                       assay_reason_t *reason) {
  g_autofree char *text = pjrt_spread_module(spread, program);
  if (text == NULL) {
    snprintf(reason->text, reason->text_bytes, "its module has no main that we know to mark");
    return ASSAY_EXECUTOR_UNSUPPORTED;
  }
  GByteArray *options = encode_options(client, spread, made, reason);
  if (options == NULL) return ASSAY_EXECUTOR_FAILED;
  int32_t code = compile_text(client, text, options, made, reason);
  g_byte_array_unref(options);
  return code == ASSAY_EXECUTOR_OK ? check_executable(client->api, made, reason) : code;
}

int32_t pjrt_program_compile(void *self, const assay_program_t *program, void **out_handle,
                             assay_reason_t *reason) {
  const pjrt_client_t *client = self;
  pjrt_spread_t spread;
  int32_t code = pjrt_is_expressible(program, reason);
  if (code == ASSAY_EXECUTOR_OK) code = pjrt_spread_find(program, &spread, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  if (pjrt_spread_processes(&spread) > client->device_count) {
    snprintf(reason->text, reason->text_bytes,
             "%u processes, and the client has %zu devices (XLA on a processor takes "
             "cpu_device_count=N)",
             pjrt_spread_processes(&spread), client->device_count);
    return ASSAY_EXECUTOR_UNSUPPORTED;
  }
  pjrt_program_t *made = new_program(client, &spread, program);
  code = compile(client, &spread, program, made, reason);
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
  free_tensors(program->operands, program->operand_count);
  free_tensors(program->results, program->result_count);
  g_free(program->devices);
  g_free(program->operand_buffers);
  g_free(program->result_buffers);
  g_free(program->argument_lists);
  g_free(program->output_lists);
  g_free(program->events);
  g_free(program);
}
