/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a shared object, queries its function table and hands over to the transport over a table.
 * Loading itself counts as a call that may change the floating-point environment. */
#include "harness/exec/transport/dso.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "harness/exec/transport/table.h"

static const char query_symbol[] = "assay_executor_query";

static void unload(void *library) { dlclose(library); }

void *dso_load(const char *path, const char **out_why) {
  g_autofree char *here = strchr(path, '/') == NULL ? g_strconcat("./", path, NULL) : NULL;
  void *library = dlopen(here == NULL ? path : here, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) *out_why = dlerror();
  return library;
}

bool dso_is_object(const char *path) {
  char begin[SELFMAG];
  FILE *file = fopen(path, "rbe");
  if (file == NULL) return false;
  size_t size = fread(begin, 1, sizeof begin, file);
  fclose(file);
  return size == sizeof begin && memcmp(begin, ELFMAG, SELFMAG) == 0;
}

void *dso_find(void *library, const char *symbol) { return dlsym(library, symbol); }

static status_t query(void *library, call_memory_t *memory, const assay_executor_t **out_table,
                      failure_t *error) {
  /* POSIX has dlsym() return functions as objects; ISO C has no cast for that. */
  union {
    void *object;
    assay_executor_query_t function;
  } symbol = {.object = dso_find(library, query_symbol)};
  if (symbol.object == NULL) {
    return status_fail(error, STATUS_INVALID,
                       "it exports no %s(): a backend does, see harness/exec/plugins/README.md",
                       query_symbol);
  }
  call_visit_t visit = call_visit_begin(memory, CALL_query, true);
  const assay_executor_t *table = symbol.function(ASSAY_EXECUTOR_ABI);
  call_visit_end(memory, visit);
  if (table == NULL) {
    return status_fail(error, STATUS_IO,
                       "it does not serve executor ABI %u: it needs a newer Assay",
                       ASSAY_EXECUTOR_ABI);
  }
  *out_table = table;
  return STATUS_OK;
}

static status_t open_library(void *library, const dso_backend_t *backend, call_memory_t *memory,
                             transport_t **out_transport, failure_t *error) {
  const assay_executor_t *table = NULL;
  const table_library_t owned = {
      .handle = library, .unload = unload, .is_quiet = backend->is_plugin};
  STATUS_TRY(query(library, memory, &table, error));
  return table_transport_open(table, backend->options, &owned, memory, out_transport, error);
}

status_t dso_transport_open(const dso_backend_t *backend, call_memory_t *memory,
                            transport_t **out_transport, failure_t *error) {
  call_visit_t visit = call_visit_begin(memory, CALL_load, true);
  const char *why = NULL;
  void *library = dso_load(backend->path, &why);
  bool changed = call_visit_end(memory, visit);
  if (library == NULL) {
    status_t status = dso_is_object(backend->path) ? STATUS_IO : STATUS_INVALID;
    return status_fail(error, status, "it does not load: %s", why);
  }
  failure_t reason = {0};
  status_t status = open_library(library, backend, memory, out_transport, &reason);
  if (status != STATUS_OK) {
    visit = call_visit_begin(memory, CALL_unload, true);
    unload(library);
    call_visit_end(memory, visit);
    return status_fail(error, status, "%s: %.400s", backend->path, reason.text);
  }
  (*out_transport)->load_changed_environment |= changed;
  return STATUS_OK;
}
