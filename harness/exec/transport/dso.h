/* SPDX-License-Identifier: Apache-2.0 */
/* A transport to a shared object that exports assay_executor_query(). */
#ifndef ASSAY_EXEC_TRANSPORT_DSO_H
#define ASSAY_EXEC_TRANSPORT_DSO_H

#include "harness/exec/transport/transport.h"

typedef struct dso_backend {
  const char *path;
  const char *options; /* What its open() gets. */
  bool is_plugin;      /* One of ours, which prints nothing: table_library_t.is_quiet. */
} dso_backend_t;

/* STATUS_IO with what to do if the file is not there, does not load, or is no backend.  `memory` as
 * in table_transport_open(). */
status_t dso_transport_open(const dso_backend_t *backend, call_memory_t *memory,
                            transport_t **out_transport, failure_t *error);

/* Loads a shared object: a name without a slash is a file too, and none of the system's libraries.
 * NULL, with *out_why (valid until the next call) if it does not load. */
void *dso_load(const char *path, const char **out_why);

/* Its function or object called so, or NULL. */
void *dso_find(void *library, const char *symbol);

#endif
