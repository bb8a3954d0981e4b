/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a client understands us, found out before the first program of anybody. */
#ifndef ASSAY_EXEC_PJRT_PROBE_H
#define ASSAY_EXEC_PJRT_PROBE_H

#include "harness/exec/pjrt/client.h"

/* Adds two numbers where that may tell something: if the plugin was built with another version of
 * the interface than this program, and if there are compile options, whose names only a compiler
 * knows. An ASSAY_EXECUTOR_... code, with the reason and both versions unless that is OK.  A plugin
 * that does not implement the sum is none the worse for it. */
int32_t pjrt_probe(pjrt_client_t *client, assay_reason_t *reason);

#endif
