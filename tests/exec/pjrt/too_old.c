/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin of a version that had no functions for results yet: its table ends before. */
#include "tests/exec/pjrt/fake.h"

const PJRT_Api *GetPjrtApi(void) {
  static PJRT_Api table;
  table = fake_table();
  table.pjrt_api_version.minor_version = 1;
  table.struct_size = offsetof(PJRT_Api, PJRT_Buffer_ToHostBuffer);
  return &table;
}
