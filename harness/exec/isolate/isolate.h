/* SPDX-License-Identifier: Apache-2.0 */
/* A transport to a backend in a child process: a crash, a hang or garbage costs one case.
 *
 * The child is forked before it loads the backend, so that nothing of the backend is ever in this
 * process, and forked anew after it died.  Operands (which the child can only read), results and
 * the note of the present call are in shared memory (call_memory.h); requests and replies
 * (isolate/protocol.h) go through a socket. */
#ifndef ASSAY_EXEC_ISOLATE_ISOLATE_H
#define ASSAY_EXEC_ISOLATE_ISOLATE_H

#include "harness/exec/transport/transport.h"

/* Opens the backend; called in the child. */
typedef status_t (*isolate_open_backend_t)(const void *context, call_memory_t *memory,
                                           transport_t **out_transport, failure_t *error);

typedef struct isolate_options {
  isolate_open_backend_t open_backend;
  const void *context;       /* Of open_backend(); outlives the transport, as does `memory`. */
  call_memory_t *memory;     /* Where calls have their operands and results. */
  uint32_t timeout_ms;       /* Of one call; 0: 10 s. */
  uint64_t memory_bytes_max; /* Address space beyond what this program has; 0: no limit. */
} isolate_options_t;

status_t isolate_open(const isolate_options_t *options, transport_t **out_transport,
                      failure_t *error);

#endif
