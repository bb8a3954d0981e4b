/* SPDX-License-Identifier: Apache-2.0 */
/* OpenBLAS, MKL and BLIS by the functions that each has alone; of any other the file's name. */
#include "harness/exec/plugins/openblas/vendor.h"

void *vendor_find(const plugin_library_t *library, const char *prefix, const char *name) {
  char whole[ASSAY_OPTION_BYTES + 64];
  snprintf(whole, sizeof whole, "%s%s", prefix, name);
  return dlsym(library->handle, whole);
}

/* Puts a function's address where its pointer is; false if there is none. */
static bool find(const plugin_library_t *library, const char *prefix, const char *name,
                 void *out_pointer) {
  void *symbol = vendor_find(library, prefix, name);
  memcpy(out_pointer, &symbol, sizeof symbol);
  return symbol != NULL;
}

static bool set_up_openblas(const plugin_library_t *library, const char *prefix, int threads,
                            vendor_t *vendor) {
  const char *(*config)(void) = NULL;
  const char *(*corename)(void) = NULL;
  void (*set_threads)(int count) = NULL;
  if (!find(library, prefix, "openblas_get_config", &config) ||
      !find(library, prefix, "openblas_get_corename", &corename) ||
      !find(library, prefix, "openblas_set_num_threads", &set_threads)) {
    return false;
  }
  set_threads(threads);
  vendor->name = "OpenBLAS";
  snprintf(vendor->version, sizeof vendor->version, "%s", config());
  snprintf(vendor->hardware, sizeof vendor->hardware, "%s", corename());
  return true;
}

/* As MKL's documentation has it. */
typedef struct mkl_version {
  int major;
  int minor;
  int update;
  char *status;
  char *build;
  char *processor;
  char *platform;
} mkl_version_t;

static bool set_up_mkl(const plugin_library_t *library, int threads, vendor_t *vendor) {
  enum { LAYER_SEQUENTIAL = 1, LAYER_GNU = 3 };
  void (*tell)(mkl_version_t *version) = NULL;
  int (*set_layer)(int layer) = NULL;
  void (*set_threads)(int count) = NULL;
  if (!find(library, "", "MKL_Get_Version", &tell)) return false;
  /* Only the library that loads the others by itself has layers to choose. */
  if (find(library, "", "MKL_Set_Threading_Layer", &set_layer)) {
    set_layer(threads == 1 ? LAYER_SEQUENTIAL : LAYER_GNU);
  }
  if (find(library, "", "MKL_Set_Num_Threads", &set_threads)) set_threads(threads);
  mkl_version_t version = {0};
  tell(&version);
  vendor->name = "MKL";
  snprintf(vendor->version, sizeof vendor->version, "MKL %d.%d.%d %s %s", version.major,
           version.minor, version.update, version.status, version.build);
  snprintf(vendor->hardware, sizeof vendor->hardware, "%s", version.processor);
  return true;
}

static bool set_up_blis(const plugin_library_t *library, int threads, vendor_t *vendor) {
  const char *(*version)(void) = NULL;
  int (*architecture)(void) = NULL;
  const char *(*architecture_name)(int id) = NULL;
  void (*set_threads)(int64_t count) = NULL;
  if (!find(library, "", "bli_info_get_version_str", &version) ||
      !find(library, "", "bli_thread_set_num_threads", &set_threads)) {
    return false;
  }
  set_threads(threads);
  vendor->name = "BLIS";
  snprintf(vendor->version, sizeof vendor->version, "BLIS %s", version());
  if (find(library, "", "bli_arch_query_id", &architecture) &&
      find(library, "", "bli_arch_string", &architecture_name)) {
    snprintf(vendor->hardware, sizeof vendor->hardware, "%s", architecture_name(architecture()));
  }
  return true;
}

/* The name of the file, behind the links that lead there: libblas.so.3.11.0. */
static void take_file_name(const plugin_library_t *library, vendor_t *vendor) {
  struct link_map *map = NULL;
  char path[4096] = "";
  if (dlinfo(library->handle, RTLD_DI_LINKMAP, &map) != 0 || realpath(map->l_name, path) == NULL) {
    snprintf(path, sizeof path, "unknown");
  }
  const char *slash = strrchr(path, '/');
  snprintf(vendor->version, sizeof vendor->version, "%.200s", slash == NULL ? path : slash + 1);
}

int32_t vendor_set_up(const plugin_library_t *library, const char *prefix, int threads,
                      vendor_t *out_vendor, assay_reason_t *reason) {
  *out_vendor = (vendor_t){.name = "the library"};
  if (set_up_openblas(library, prefix, threads, out_vendor) ||
      set_up_mkl(library, threads, out_vendor) || set_up_blis(library, threads, out_vendor)) {
    return ASSAY_EXECUTOR_OK;
  }
  if (threads != 1) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID,
                         "threads=%d: this is neither OpenBLAS, MKL nor BLIS, and nothing is known "
                         "that sets its threads",
                         threads);
  }
  take_file_name(library, out_vendor);
  return ASSAY_EXECUTOR_OK;
}
