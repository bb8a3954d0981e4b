#include "harness/exec/assay_executor.h"

const assay_executor_t *assay_executor_query(uint32_t abi_max) {
  (void)abi_max;
  return NULL;
}
