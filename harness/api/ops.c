/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that files declare, for programs and draws. */
#include "harness/api/handles.h"
#include "oracles/ops/declared/load.h"

int32_t assay_ops_load(const char *paths, assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  if (paths == NULL || *paths == '\0') {
    return call_end(&call,
                    status_fail(&call.failure, STATUS_INVALID,
                                "paths is %s; name a file FILE.op, or a folder of such files",
                                paths == NULL ? "NULL" : "empty"));
  }
  return call_end(&call, declared_load(paths, &call.failure));
}
