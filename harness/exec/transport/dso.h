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

/* With what to do: STATUS_INVALID if the file is not there, or is no backend: somebody else was
 * meant; STATUS_IO if it is one and does not load, or open.  `memory` as in
 * table_transport_open(). */
status_t dso_transport_open(const dso_backend_t *backend, call_memory_t *memory,
                            transport_t **out_transport, failure_t *error);

/* Loads a shared object: a name without a slash is a file too, and none of the system's libraries.
 * NULL, with *out_why (valid until the next call) if it does not load. */
void *dso_load(const char *path, const char **out_why);

/* Whether that is a shared object at all, for somebody.  One that does not load lacks something. */
bool dso_is_object(const char *path);

/* Its function or object called so, or NULL. */
void *dso_find(void *library, const char *symbol);

#endif
