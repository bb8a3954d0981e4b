/* SPDX-License-Identifier: Apache-2.0 */
/* A transport to a worker process: harness/exec/workers/worker.md.  A crash, a hang or garbage
 * costs one case. */
#ifndef ASSAY_EXEC_PROCESS_PROCESS_H
#define ASSAY_EXEC_PROCESS_PROCESS_H

#include "harness/exec/transport/transport.h"

/* Starts `command` with `sh -c`.  Zero limits mean: 10 s for each call, 60 s to compile where that
 * is dear; half of the machine's memory.  STATUS_IO, with the last words of the command, if it does
 * not greet. */
status_t process_transport_open(const char *command, uint32_t timeout_ms, uint64_t memory_bytes_max,
                                transport_t **out_transport, failure_t *error);

#endif
