/* SPDX-License-Identifier: Apache-2.0 */
/* A transport to a shared object that exports assay_executor_query(). */
#ifndef ASSAY_EXEC_TRANSPORT_DSO_H
#define ASSAY_EXEC_TRANSPORT_DSO_H

#include "harness/exec/transport/transport.h"

/* STATUS_IO with what to do if the file is not there, does not load, or is no backend.  `memory` as
 * in table_transport_open(). */
status_t dso_transport_open(const char *path, const char *options, call_memory_t *memory,
                            transport_t **out_transport, failure_t *error);

/* dlopen() of a file: a name without a slash is none of the system's libraries.  NULL: dlerror().
 */
void *dso_load(const char *path);

#endif
