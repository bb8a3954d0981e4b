/* Loading the library under test while the plugin opens, so that options can reach it.
 *
 * Libraries read their settings (OPENBLAS_CORETYPE, OMP_NUM_THREADS) once, when they are loaded or
 * first used: a plugin that is linked with its library comes too late.  And two executors with
 * different settings must not share one copy: a private copy is loaded into a link namespace of its
 * own (dlmopen), with a C library and an environment of its own.  The dynamic linker has room for a
 * few of these in one process; with --isolate, every executor has a process to itself. */
#ifndef ASSAY_PLUGIN_LIBRARY_H
#define ASSAY_PLUGIN_LIBRARY_H

#include <dlfcn.h>
#include <unistd.h>

#include "harness/exec/plugins/plugin.h"

typedef struct plugin_library {
  void *handle;
  char **environment; /* Owned: the private copy's, or NULL. */
} plugin_library_t;

/* The environment with `settings` ("KEY=VALUE", ended by NULL) before all else; NULL without
 * memory. Its texts are borrowed, except that settings are found first. */
static inline char **plugin_environment_with(char *const *settings) {
  size_t setting_count = 0;
  size_t count = 0;
  while (settings[setting_count] != NULL) setting_count++;
  while (environ[count] != NULL) count++;
  char **merged = calloc(setting_count + count + 1, sizeof *merged);
  if (merged == NULL) return NULL;
  memcpy(merged, settings, setting_count * sizeof *merged);
  memcpy(merged + setting_count, environ, count * sizeof *merged);
  return merged;
}

/* Loads `file` with `settings` in its environment, which must live until plugin_library_close(). */
static inline int32_t plugin_library_open(const char *file, bool is_private, char *const *settings,
                                          plugin_library_t *out_library, assay_reason_t *reason) {
  char **environment = plugin_environment_with(settings);
  if (environment == NULL) return plugin_say(reason, ASSAY_EXECUTOR_FAILED, "out of memory");
  char **saved = environ;
  environ = environment;
  void *handle = is_private ? dlmopen(LM_ID_NEWLM, file, RTLD_NOW | RTLD_LOCAL)
                            : dlopen(file, RTLD_NOW | RTLD_LOCAL);
  environ = saved;
  if (handle == NULL) {
    free(environment);
    return plugin_say(
        reason, ASSAY_EXECUTOR_FAILED, "cannot load %s: %s%s", file, dlerror(),
        is_private ? " (if other executors of this kind are open, use --isolate)" : "");
  }
  *out_library = (plugin_library_t){.handle = handle, .environment = environment};
  return ASSAY_EXECUTOR_OK;
}

static inline void plugin_library_close(plugin_library_t *library) {
  dlclose(library->handle);
  free(library->environment);
}

/* A function of the library, or of one that it needs; NULL and a reason if it has none. */
static inline void *plugin_library_find(const plugin_library_t *library, const char *name,
                                        assay_reason_t *reason) {
  void *symbol = dlsym(library->handle, name);
  if (symbol == NULL) {
    plugin_say(reason, ASSAY_EXECUTOR_FAILED, "the library has no function %s()", name);
  }
  return symbol;
}

#endif
