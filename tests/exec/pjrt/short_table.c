/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin whose table says that it is shorter than its version. */
#include "tests/exec/pjrt/fake.h"

const PJRT_Api *GetPjrtApi(void) {
  static PJRT_Api table;
  table = fake_table();
  table.struct_size = 24;
  return &table;
}
