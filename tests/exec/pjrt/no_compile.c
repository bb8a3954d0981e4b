/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin without a function that none can do without. */
#include "tests/exec/pjrt/fake.h"

const PJRT_Api *GetPjrtApi(void) {
  static PJRT_Api table;
  table = fake_table();
  table.PJRT_Client_Compile = NULL;
  return &table;
}
