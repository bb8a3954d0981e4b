/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles and runs one tiny program: structs of another size, and compile options that nobody
 * knows, would else be refused with every program of a campaign. */
#include "harness/exec/pjrt/probe.h"

#include <stdio.h>
#include <string.h>

#include "harness/exec/pjrt/program.h"

static const char sum[] =
    "module {\n"
    "  func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {\n"
    "    %0 = \"stablehlo.add\"(%arg0, %arg1) : (tensor<f32>, tensor<f32>) -> tensor<f32>\n"
    "    return %0 : tensor<f32>\n"
    "  }\n"
    "}\n";

static int32_t add_two_numbers(pjrt_client_t *client, assay_reason_t *reason) {
  const assay_type_t scalar = {.element = "f32"};
  const assay_type_t operands[] = {scalar, scalar};
  const assay_program_t program = {.struct_size = sizeof program,
                                   .operand_count = 2,
                                   .result_count = 1,
                                   .op = "stablehlo.add",
                                   .program_line = "stablehlo.add f32[] f32[] -> f32[]",
                                   .mlir = sum,
                                   .operands = operands,
                                   .results = &scalar};
  void *handle = NULL;
  int32_t code = pjrt_program_compile(client, &program, &handle, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  const float numbers[] = {1, 2};
  float result = 0;
  code = pjrt_program_execute(client, handle, (const void *const[]){&numbers[0], &numbers[1]},
                              (void *const[]){&result}, reason);
  pjrt_program_release(client, handle);
  return code;
}

int32_t pjrt_probe(pjrt_client_t *client, assay_reason_t *reason) {
  const PJRT_Api_Version *version = &client->api->pjrt_api_version;
  bool is_other = version->minor_version != PJRT_API_MINOR;
  bool has_overrides = client->options.overrides->len != 0;
  if (!is_other && !has_overrides) return ASSAY_EXECUTOR_OK;
  int32_t code = add_two_numbers(client, reason);
  if (code == ASSAY_EXECUTOR_OK || strstr(reason->text, "UNIMPLEMENTED") != NULL) {
    reason->text[0] = '\0';
    return ASSAY_EXECUTOR_OK;
  }
  g_autofree char *said = g_strdup(reason->text);
  snprintf(
      reason->text, reason->text_bytes,
      "the sum of two numbers: %s (it speaks PJRT %d.%d, this Assay was built with the header of "
      "%d.%d)",
      said, version->major_version, version->minor_version, PJRT_API_MAJOR, PJRT_API_MINOR);
  return has_overrides ? ASSAY_EXECUTOR_INVALID : ASSAY_EXECUTOR_FAILED;
}
