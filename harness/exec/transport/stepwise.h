/* SPDX-License-Identifier: Apache-2.0 */
/* A transport over another one, to which it gives modules (harness/kinds/module) step by step: each
 * step is compiled and executed as a program of its own, on what the steps before it gave.  So the
 * same backend can be held against itself, a module run whole against the same run op by op.  All
 * other programs go to the other transport as they are. */
#ifndef ASSAY_EXEC_TRANSPORT_STEPWISE_H
#define ASSAY_EXEC_TRANSPORT_STEPWISE_H

#include "harness/exec/transport/transport.h"

/* Puts it in front of *inout_transport.  STATUS_IO, and *inout_transport closed and NULL, if there
 * is no memory for the calls. */
status_t stepwise_transport_add(transport_t **inout_transport, failure_t *error);

#endif
