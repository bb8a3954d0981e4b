/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the shared object of a table's functions, and finds them in it. */
#include "harness/quant/target/library.h"

#include <dlfcn.h>

status_t quant_library_load(const char *path, const char *folder, arena_t *arena,
                            const char **out_path, void **out_library, failure_t *error) {
  g_autofree char *absolute = g_canonicalize_filename(path, folder);
  void *library = dlopen(absolute, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == NULL) {
    return status_fail(error, STATUS_INVALID, "library %.200s does not load: %.200s", path,
                       dlerror());
  }
  *out_path = arena_copy_text(arena, absolute, strlen(absolute));
  *out_library = library;
  return STATUS_OK;
}

assay_quant_function_t quant_library_find(void *library, const char *name) {
  /* POSIX has dlsym() return functions as objects; ISO C has no cast for that. */
  union {
    void *object;
    assay_quant_function_t function;
  } symbol = {.object = dlsym(library, name)};
  return symbol.function;
}
