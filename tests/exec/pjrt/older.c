/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin of an older version that has all that matters: its table ends with the last of that, and
 * one function in it that Assay can do without is not there. */
#include "tests/exec/pjrt/fake.h"

const PJRT_Api *GetPjrtApi(void) {
  static PJRT_Api table;
  table = fake_table();
  table.pjrt_api_version.minor_version = 40;
  table.struct_size = offsetof(PJRT_Api, PJRT_Buffer_ToHostBuffer) + sizeof(void *);
  table.PJRT_Plugin_Attributes = NULL;
  return &table;
}
