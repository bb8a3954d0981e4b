/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin that is as it should be, unless create option fault= says otherwise. */
#include "tests/exec/pjrt/fake.h"

const PJRT_Api *GetPjrtApi(void) {
  static PJRT_Api table;
  table = fake_table();
  return &table;
}
