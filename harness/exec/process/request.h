/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a request to execute, as harness/exec/workers/worker.md has it. */
#ifndef ASSAY_EXEC_PROCESS_REQUEST_H
#define ASSAY_EXEC_PROCESS_REQUEST_H

#include "harness/exec/process/compiled.h"
#include "harness/exec/transport/transport.h"

/* Ends the line of a request to execute: with " : [4,64] [] -> [4]", the sizes of all types, unless
 * `shapes` is NULL; with " : 512", the bytes of a module of these sizes, unless that is NULL; and a
 * newline. */
void end_request(const process_handle_t *handle, const call_shapes_t *shapes, const char *module,
                 GString *line);

#endif
