/* SPDX-License-Identifier: Apache-2.0 */
/* The PJRT plugins that are on this machine, by name: where JAX and others look for them.
 *
 *   PJRT_NAMES_AND_LIBRARY_PATHS=NAME:PATH,...   as JAX has it
 *   PJRT_PLUGIN_LIBRARY_PATH=FOLDER:...          pjrt_c_api_NAME_plugin.so in these folders
 *   what `assay executors install pjrt-cpu` brought
 *   the packages of $ASSAY_PYTHON, or python3    workers/pjrt_plugins/find_plugins.py */
#ifndef ASSAY_EXEC_REGISTRY_PJRT_PLUGINS_H
#define ASSAY_EXEC_REGISTRY_PJRT_PLUGINS_H

#include <glib.h>

typedef struct pjrt_plugin {
  char *name;
  char *path;
} pjrt_plugin_t;

/* All of them, in that order, of several with one name the first; `directory` as for
 * worker_source().  GPtrArray of pjrt_plugin_t, which frees them; the caller unrefs it.  Runs
 * Python, for a tenth of a second or more. */
GPtrArray *pjrt_plugins_find(const char *directory);

/* The one called so, borrowed from the list; or NULL. */
const pjrt_plugin_t *pjrt_plugins_named(const GPtrArray *plugins, const char *name);

/* "a, b", or "none"; the caller frees it. */
char *pjrt_plugins_names(const GPtrArray *plugins);

#endif
