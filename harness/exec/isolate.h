/* A transport to a backend in a child process: a crash, a hang or garbage costs one case.
 *
 * The child is forked before it loads the backend, so that nothing of the backend is ever in this
 * process, and forked anew after it died.  Operands (which the child can only read) and results are
 * in shared memory; requests and replies (isolate_protocol.h) go through a socket. */
#ifndef ASSAY_EXEC_ISOLATE_H
#define ASSAY_EXEC_ISOLATE_H

#include "harness/exec/transport.h"

/* Opens the backend; called in the child. */
typedef status_t (*isolate_open_backend_t)(const void *context, transport_t **out_transport,
                                           failure_t *error);

/* `context` must outlive the transport.  Zero limits mean: 10 s for each call; no memory limit,
 * else that much address space beyond what this program has. */
status_t isolate_open(isolate_open_backend_t open_backend, const void *context, uint32_t timeout_ms,
                      uint64_t memory_bytes_max, transport_t **out_transport, failure_t *error);

#endif
