/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin of another, incompatible version of the interface. */
#include "tests/exec/pjrt/fake.h"

const PJRT_Api *GetPjrtApi(void) {
  static PJRT_Api table;
  table = fake_table();
  table.pjrt_api_version.major_version = PJRT_API_MAJOR + 1;
  table.pjrt_api_version.minor_version = 2;
  return &table;
}
