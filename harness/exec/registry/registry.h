/* SPDX-License-Identifier: Apache-2.0 */
/* The workers that Assay brings for backends on PyPI, and the Python environments they run in:
 * ${XDG_DATA_HOME:-~/.local/share}/assay/executors/ENVIRONMENT, made by worker_install(). */
#ifndef ASSAY_EXEC_REGISTRY_REGISTRY_H
#define ASSAY_EXEC_REGISTRY_REGISTRY_H

#include <stdbool.h>

#include "harness/base/status.h"

/* A shared library that a plugin of ours loads, in place of the one that the system has. */
typedef struct worker_library {
  const char *plugin;  /* Its name: "openblas". */
  const char *pattern; /* Where it lies in the environment, as of glob(3). */
  const char *options; /* Of the plugin, behind library=PATH: ",prefix=scipy_", or "". */
} worker_library_t;

/* One worker: harness/exec/workers/NAME_worker.py; or what is installed as one is. */
typedef struct worker {
  const char *name;        /* Of the executor: "xla". */
  const char *environment; /* workers/requirements/ENVIRONMENT.requirements, libraries in
                            * libraries/ there; some share one. */
  const char *summary;     /* One line for `assay executors`. */
  bool brings_plugins; /* It is no worker: its environment holds PJRT plugins (pjrt_plugins.h). */
  bool has_releases;   /* NAME@VERSION is one: of the first package of its list. */
  const worker_library_t *library; /* It is no worker, but a library by releases; else NULL. */
  const char *version; /* Of a release by name (versions.h); NULL: what its list locks. */
} worker_t;

/* All of them, ended by a row whose name is NULL. */
extern const worker_t worker_table[];

/* The worker called so, or NULL. */
const worker_t *worker_find(const char *name, size_t name_size);

/* `directory`, here and below, is where the workers lie; NULL means `workers` beside the program.
 */

/* True if its environment is there, complete, and, but for a release by name, made from the present
 * requirements. */
bool worker_is_installed(const worker_t *worker, const char *directory);

/* The path of the library of an installed release, owned by the caller.  STATUS_IO, with what to
 * do, unless it is there. */
status_t worker_library_find(const worker_t *worker, char **out_path, failure_t *error);

/* The shell command that starts it, owned by the caller.  STATUS_IO, with what to do, unless it is
 * installed. */
status_t worker_command(const worker_t *worker, const char *directory, const char *options,
                        char **out_command, failure_t *error);

/* Says on stdout what it downloads and does, then makes the environment, or completes and updates
 * it; cheap if it is there already.  STATUS_IO with what to do if that fails; then nothing counts
 * as installed.  The Python is $ASSAY_PYTHON or python3, of a version that the list is locked for.
 */
status_t worker_install(const worker_t *worker, const char *directory, failure_t *error);

/* Removes the environment, and with it the other workers that share it. */
status_t worker_remove(const worker_t *worker, failure_t *error);

#endif
