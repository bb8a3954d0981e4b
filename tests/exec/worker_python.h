/* SPDX-License-Identifier: Apache-2.0 */
/* A Python that has what assay_worker.py needs, for tests that run workers of their own. */
#ifndef ASSAY_TESTS_EXEC_WORKER_PYTHON_H
#define ASSAY_TESTS_EXEC_WORKER_PYTHON_H

#include <glib.h>

#include "harness/exec/registry/registry.h"

static inline bool python_can_serve(const char *candidate) {
  const char *const arguments[] = {candidate, "-c", "import numpy, ml_dtypes", NULL};
  char **copies = g_strdupv((char **)(uintptr_t)arguments);
  int wait_status = 1;
  GSpawnFlags flags = G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL;
  bool ran = g_spawn_sync(NULL, copies, NULL, flags, NULL, NULL, NULL, NULL, &wait_status, NULL);
  g_strfreev(copies);
  return ran && wait_status == 0;
}

/* The system's Python, or that of an installed worker; NULL if there is none.  Owned by the caller.
 * GLib must not be asked for the user's data folder yet: it remembers. */
static inline char *worker_python(void) {
  if (python_can_serve("python3")) return g_strdup("python3");
  const char *named = g_getenv("XDG_DATA_HOME");
  g_autofree char *data =
      named != NULL ? g_strdup(named) : g_build_filename(g_get_home_dir(), ".local", "share", NULL);
  for (const worker_t *worker = worker_table; worker->name != NULL; worker++) {
    char *path =
        g_build_filename(data, "assay", "executors", worker->environment, "bin", "python", NULL);
    if (python_can_serve(path)) return path;
    g_free(path);
  }
  return NULL;
}

#endif
