/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/exec/process/shapes.h"

#include <string.h>

void size_types(const type_t *types, uint32_t count, const int64_t (*dims)[TYPE_RANK_MAX],
                type_t *out_types) {
  for (uint32_t i = 0; i < count; i++) {
    out_types[i] = types[i];
    if (dims != NULL) memcpy(out_types[i].dims, dims[i], sizeof out_types[i].dims);
  }
}

void copy_types(const type_t *types, uint32_t count, type_t *out_types) {
  for (uint32_t i = 0; i < count; i++) {
    out_types[i] = types[i];
    out_types[i].quantization = NULL;
  }
}
