/* SPDX-License-Identifier: Apache-2.0 */
/* Loading the library under test while the plugin opens, so that options can reach it.
 *
 * Libraries read their settings (OPENBLAS_CORETYPE) once, when they are loaded or first used: a
 * plugin that is linked with its library comes too late.  And two executors with different settings
 * must not share one copy: a private copy is loaded from a copy of the file, which to the dynamic
 * linker is another library.  What the library needs itself (the C library, OpenMP) is shared.
 * (dlmopen() is no way: it brings a second C library, whose thread-specific data overlaps ours.) */
#ifndef ASSAY_EXEC_PLUGINS_PLUGIN_LIBRARY_H
#define ASSAY_EXEC_PLUGINS_PLUGIN_LIBRARY_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/exec/plugins/plugin.h"

typedef struct plugin_library {
  void *handle;
  int copy;      /* Descriptor of the private copy, or -1. */
  char path[64]; /* Of the private copy. */
} plugin_library_t;

/* The environment with `settings` ("KEY=VALUE", ended by NULL) before all else, freed with free();
 * NULL without memory. */
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

/* dlopen() with these settings. */
static inline void *plugin_load_with(const char *path, char *const *settings) {
  char **merged = plugin_environment_with(settings);
  if (merged == NULL) return NULL;
  char **saved = environ;
  environ = merged;
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  environ = saved;
  free(merged);
  return handle;
}

/* A descriptor of a copy in memory of the file, or -1 with errno. */
static inline int plugin_copy_file(const char *path) {
  int source = open(path, O_RDONLY | O_CLOEXEC);
  if (source < 0) return -1;
  int copy = memfd_create("assay-private-library", MFD_CLOEXEC);
  struct stat status;
  bool is_copied = copy >= 0 && fstat(source, &status) == 0;
  for (off_t done = 0; is_copied && done < status.st_size;) {
    is_copied = sendfile(copy, source, &done, (size_t)(status.st_size - done)) > 0;
  }
  close(source);
  if (is_copied || copy < 0) return copy;
  close(copy);
  return -1;
}

static inline int32_t plugin_cannot_load(const char *file, const char *why,
                                         assay_reason_t *reason) {
  return assay_explain(reason, ASSAY_EXECUTOR_FAILED, "cannot load %s: %s", file, why);
}

/* Loads a copy of the file that `shared` was loaded from. */
static inline int32_t plugin_load_copy(void *shared, const char *file, char *const *settings,
                                       plugin_library_t *out_library, assay_reason_t *reason) {
  struct link_map *map = NULL;
  if (dlinfo(shared, RTLD_DI_LINKMAP, &map) != 0) {
    return plugin_cannot_load(file, dlerror(), reason);
  }
  int copy = plugin_copy_file(map->l_name);
  if (copy < 0) return plugin_cannot_load(file, strerror(errno), reason);
  plugin_library_t library = {.copy = copy};
  snprintf(library.path, sizeof library.path, "/proc/self/fd/%d", copy);
  library.handle = plugin_load_with(library.path, settings);
  if (library.handle == NULL) {
    close(copy);
    return plugin_cannot_load(file, dlerror(), reason);
  }
  *out_library = library;
  return ASSAY_EXECUTOR_OK;
}

/* Loads what the file needs, and the dynamic linker did not find, from the folder that it lies in:
 * wheels put the libraries of several packages there, and say so nowhere.  True if it found one.
 * What it loads stays loaded, as what a library needs does. */
static inline bool plugin_load_sibling(const char *file, const char *failure) {
  const char *slash = strrchr(file, '/');
  const char *colon = strchr(failure, ':');
  char path[4096];
  if (slash == NULL || colon == NULL || strstr(colon, "cannot open shared object file") == NULL) {
    return false;
  }
  int folder = (int)(slash - file) + 1;
  int size = snprintf(path, sizeof path, "%.*s%.*s", folder, file, (int)(colon - failure), failure);
  if (size < 0 || (size_t)size >= sizeof path || strcmp(path, file) == 0) return false;
  enum { DEPTH_MAX = 16 };
  for (int tries = 0; tries < DEPTH_MAX; tries++) {
    if (dlopen(path, RTLD_NOW | RTLD_LOCAL) != NULL) return true;
    char needed[512];
    snprintf(needed, sizeof needed, "%s", dlerror());
    if (strncmp(needed, failure, (size_t)(colon - failure) + 1) == 0) return false;
    if (!plugin_load_sibling(path, needed)) return false;
  }
  return false;
}

/* plugin_load_with(), and what stands beside the file. */
static inline void *plugin_load_beside(const char *path, char *const *settings) {
  enum { NEEDED_MAX = 64 };
  for (int tries = 0; tries < NEEDED_MAX; tries++) {
    void *handle = plugin_load_with(path, settings);
    if (handle != NULL) return handle;
    char failure[512];
    snprintf(failure, sizeof failure, "%s", dlerror());
    if (!plugin_load_sibling(path, failure)) break;
  }
  return plugin_load_with(path, settings); /* For dlerror(). */
}

/* Loads `file` with `settings` in its environment, which must live until it is closed. */
static inline int32_t plugin_library_open(const char *file, bool is_private, char *const *settings,
                                          plugin_library_t *out_library, assay_reason_t *reason) {
  void *shared = plugin_load_beside(file, settings);
  if (shared == NULL) return plugin_cannot_load(file, dlerror(), reason);
  if (!is_private) {
    *out_library = (plugin_library_t){.handle = shared, .copy = -1};
    return ASSAY_EXECUTOR_OK;
  }
  int32_t code = plugin_load_copy(shared, file, settings, out_library, reason);
  dlclose(shared);
  return code;
}

static inline void plugin_library_close(plugin_library_t *library) {
  dlclose(library->handle);
  if (library->copy < 0) return;
  /* The dynamic linker keeps some libraries for ever; then the name has to stay taken, or a later
   * copy under this name would be taken for this one. */
  void *kept = dlopen(library->path, RTLD_NOW | RTLD_NOLOAD);
  if (kept == NULL) {
    close(library->copy);
  } else {
    dlclose(kept);
  }
}

/* A function of the library, or of one that it needs; NULL and a reason if it has none. */
static inline void *plugin_library_find(const plugin_library_t *library, const char *name,
                                        assay_reason_t *reason) {
  void *symbol = dlsym(library->handle, name);
  if (symbol == NULL) {
    assay_explain(reason, ASSAY_EXECUTOR_FAILED, "the library has no function %s()", name);
  }
  return symbol;
}

#endif
