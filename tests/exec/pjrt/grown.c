/* SPDX-License-Identifier: Apache-2.0 */
/* A newer plugin that asks for a longer struct than we have in one of its functions, and says so.
 */
#include "tests/exec/pjrt/fake.h"

static PJRT_Error *compile(PJRT_Client_Compile_Args *args) {
  if (args->struct_size >= PJRT_Client_Compile_Args_STRUCT_SIZE + 8) return fake_compile(args);
  return fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                    "Unexpected PJRT_Client_Compile_Args size: expected 64, got 56");
}

const PJRT_Api *GetPjrtApi(void) {
  static PJRT_Api table;
  table = fake_table();
  table.pjrt_api_version.minor_version = PJRT_API_MINOR + 90;
  table.PJRT_Client_Compile = compile;
  return &table;
}
