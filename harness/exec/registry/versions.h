/* SPDX-License-Identifier: Apache-2.0 */
/* Releases of a backend by name, "onnxruntime@1.24.4", beside the one that Assay locks: each has an
 * environment of its own, so that several run side by side. */
#ifndef ASSAY_EXEC_REGISTRY_VERSIONS_H
#define ASSAY_EXEC_REGISTRY_VERSIONS_H

#include <glib.h>
#include <stdio.h>

#include "harness/exec/registry/registry.h"

/* The Python for environments: $ASSAY_PYTHON or python3 where `version` is NULL, else python3.13
 * and so on, of the PATH, of pyenv or of uv; owned by the caller.  STATUS_IO if there is none. */
status_t base_python_find(const char *version, char **out_python, failure_t *error);

/* The row that "NAME@VERSION" or "NAME==VERSION" means, with the environment of that release, freed
 * with worker_free(); NULL if NAME is none, or has no
 * releases, or VERSION is no text of one.  NAME alone is the locked
 * one. */
worker_t *worker_parse(const char *text, size_t size);
void worker_free(worker_t *worker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(worker_t, worker_free)

/* Names of the releases of a worker that are installed, "onnxruntime@1.24.4", in ascending order;
 * freed with g_ptr_array_unref(). */
GPtrArray *worker_installed_releases(const worker_t *worker);

/* The releases of its package that the index has for that Python (as base_python_find() takes it),
 * ascending; freed with g_ptr_array_unref().  STATUS_INVALID for a worker that is no one package.
 */
status_t worker_releases(const worker_t *worker, const char *directory, const char *python,
                         GPtrArray **out_releases, failure_t *error);

/* worker_install() of a release, with that Python: what is installed is what pip finds, binary
 * packages alone, without hashes of ours, but for the release that its list locks; that one it is
 * of a library without a version, too.  pip's report of it is kept beside the stamp.  `directory`
 * as in registry.h; what it does is said on `out`.  STATUS_INVALID, with the nearest, for a release
 * that there is not. */
status_t worker_install_release(const worker_t *worker, const char *directory, const char *python,
                                FILE *out, failure_t *error);

#endif
