/* SPDX-License-Identifier: Apache-2.0 */
/* Where the files of workers and their environments are; for registry/find.c and
 * registry/install.c. */
#ifndef ASSAY_EXEC_REGISTRY_PATHS_H
#define ASSAY_EXEC_REGISTRY_PATHS_H

#include "harness/exec/registry/registry.h"

/* In an environment. */
static const char worker_python[] = "bin/python";
static const char worker_stamp[] = "assay.requirements"; /* What was installed, once it all was. */

/* DIRECTORY/NAME SUFFIX, owned by the caller; `directory` NULL means `workers` beside the program.
 */
char *worker_source(const char *directory, const char *name, const char *suffix);

/* A part of the worker's environment, or the whole for ""; owned by the caller. */
char *worker_environment_path(const worker_t *worker, const char *part);

/* STATUS_IO, with the command that installs it. */
status_t worker_not_installed(const worker_t *worker, failure_t *error);

#endif
