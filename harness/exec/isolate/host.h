/* SPDX-License-Identifier: Apache-2.0 */
/* The child's side of an isolated backend. */
#ifndef ASSAY_EXEC_ISOLATE_HOST_H
#define ASSAY_EXEC_ISOLATE_HOST_H

#include "harness/exec/isolate/isolate.h"
#include "harness/exec/isolate/protocol.h"

typedef struct isolate_host {
  call_memory_t *memory;
  isolate_open_backend_t open_backend;
  const void *context;
} isolate_host_t;

/* Opens the backend and serves requests until the parent hangs up; `host` is an isolate_host_t. */
void isolate_serve(int channel, const void *host);

#endif
