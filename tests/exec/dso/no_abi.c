/* SPDX-License-Identifier: Apache-2.0 */
/* Test fixture: a shared object that exports the query function but serves no ABI version (returns
 * NULL), which must be refused with that reason. */
#include "harness/exec/assay_executor.h"

const assay_executor_t *assay_executor_query(uint32_t abi_max) {
  (void)abi_max;
  return NULL;
}
