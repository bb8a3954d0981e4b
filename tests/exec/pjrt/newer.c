/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin of a newer version: its table goes on behind what we know. */
#include "tests/exec/pjrt/fake.h"

const PJRT_Api *GetPjrtApi(void) {
  static struct {
    PJRT_Api table;
    void *more[40];
  } newer;
  newer.table = fake_table();
  newer.table.pjrt_api_version.minor_version = PJRT_API_MINOR + 40;
  newer.table.struct_size = sizeof newer;
  return &newer.table;
}
