/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the library with the options of the executor's name. */
#include <strings.h>

#include "harness/exec/plugins/onednn/session.h"

typedef struct isa_name {
  const char *name;
  dnnl_cpu_isa_t isa;
  const char *spelling; /* In C. */
} isa_name_t;

#define ISA(name, isa) {name, isa, #isa}

static const isa_name_t isa_names[] = {
    ISA("SSE41", dnnl_cpu_isa_sse41),
    ISA("AVX", dnnl_cpu_isa_avx),
    ISA("AVX2", dnnl_cpu_isa_avx2),
    ISA("AVX2_VNNI", dnnl_cpu_isa_avx2_vnni),
    ISA("AVX512_CORE", dnnl_cpu_isa_avx512_core),
    ISA("AVX512_CORE_VNNI", dnnl_cpu_isa_avx512_core_vnni),
    ISA("AVX512_CORE_BF16", dnnl_cpu_isa_avx512_core_bf16),
    ISA("AVX512_CORE_AMX", dnnl_cpu_isa_avx512_core_amx),
};
#undef ISA
enum { ISA_COUNT = sizeof isa_names / sizeof isa_names[0] };

/* ---- Opening. */

static int32_t find_functions(onednn_t *onednn, assay_reason_t *reason) {
#define FUNCTION(name)                                                   \
  {                                                                      \
    void *symbol = plugin_library_find(&onednn->library, #name, reason); \
    if (symbol == NULL) return ASSAY_EXECUTOR_FAILED;                    \
    memcpy(&onednn->dnnl.name, &symbol, sizeof symbol);                  \
  }
  ONEDNN_FUNCTIONS(FUNCTION)
  int major = onednn->dnnl.dnnl_version()->major;
  if (major == 3) return version3_open(&onednn->library, &onednn->version3, &onednn->dnnl, reason);
  if (major != 2) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID,
                         "this is oneDNN %d, and the plugin knows 2 and 3", major);
  }
  ONEDNN_2_FUNCTIONS(FUNCTION)
#undef FUNCTION
  return ASSAY_EXECUTOR_OK;
}

/* The numbers of some differ between major versions, and newer sets have numbers that oneDNN 2 does
 * not know. */
static dnnl_status_t set_isa(const onednn_t *onednn, dnnl_cpu_isa_t isa) {
  bool is_newer = onednn->dnnl.version3 != NULL;
  return onednn->dnnl.dnnl_set_max_cpu_isa(is_newer ? (dnnl_cpu_isa_t)version3_isa(isa) : isa);
}

static dnnl_cpu_isa_t get_isa(const onednn_t *onednn) {
  dnnl_cpu_isa_t isa = onednn->dnnl.dnnl_get_effective_cpu_isa();
  return onednn->dnnl.version3 != NULL ? version3_isa_back((int)isa) : isa;
}

/* Limits the instruction set, and makes sure that the library took it. */
static int32_t choose_isa(onednn_t *onednn, const char *isa, assay_reason_t *reason) {
  const dnnl_functions_t *dnnl = &onednn->dnnl;
  for (size_t i = 0; i < ISA_COUNT && isa[0] != '\0'; i++) {
    if (strcasecmp(isa_names[i].name, isa) != 0) continue;
    dnnl_status_t status = set_isa(onednn, isa_names[i].isa);
    if (status != dnnl_success) return plan_answer(dnnl, status, isa, reason);
    onednn->isa = isa_names[i].spelling;
  }
  dnnl_cpu_isa_t effective = get_isa(onednn);
  onednn->hardware = effective == dnnl_cpu_isa_all ? "newer" : "baseline";
  for (size_t i = 0; i < ISA_COUNT; i++) {
    if (isa_names[i].isa == effective) onednn->hardware = isa_names[i].name;
  }
  if (isa[0] == '\0' || strcasecmp(onednn->hardware, isa) == 0) return ASSAY_EXECUTOR_OK;
  return assay_explain(reason, ASSAY_EXECUTOR_INVALID,
                       "isa=%s: oneDNN does not have it on this processor and takes %s", isa,
                       onednn->hardware);
}

/* oneDNN's threads are OpenMP's, which all copies of it share. */
static void find_threads(onednn_t *onednn, const char *threads) {
  onednn->threads = (int)strtol(threads, NULL, 10);
  void *symbol = dlsym(onednn->library.handle, "omp_set_num_threads");
  memcpy(&onednn->set_threads, &symbol, sizeof symbol);
}

void onednn_use_threads(const onednn_t *onednn) {
  if (onednn->set_threads != NULL) onednn->set_threads(onednn->threads);
}

static int32_t create_engine(onednn_t *onednn, assay_reason_t *reason) {
  const dnnl_functions_t *dnnl = &onednn->dnnl;
  char *const settings[] = {onednn->device_setting, NULL};
  char **merged = plugin_environment_with(settings);
  if (merged == NULL) return assay_explain(reason, ASSAY_EXECUTOR_FAILED, "out of memory");
  char **saved = environ;
  environ = merged; /* Devices are sought now. */
  dnnl_status_t status = dnnl->dnnl_engine_create(&onednn->engine, dnnl_cpu, 0);
  environ = saved;
  free(merged);
  if (status == dnnl_success) {
    status = dnnl->dnnl_stream_create(&onednn->stream, onednn->engine, dnnl_stream_default_flags);
  }
  if (status == dnnl_success) status = dnnl->dnnl_primitive_attr_create(&onednn->attributes);
  if (status == dnnl_success) {
    status = dnnl->dnnl_primitive_attr_set_fpmath_mode(onednn->attributes, onednn->fpmath);
  }
  return plan_answer(dnnl, status, "engine", reason);
}

/* oneDNN 2 has four modes; tf32 is one of later versions. */
static int32_t choose_fpmath(onednn_t *onednn, const char *name, assay_reason_t *reason) {
  static const struct {
    const char *name;
    dnnl_fpmath_mode_t mode;
  } modes[] = {{"strict", dnnl_fpmath_mode_strict},
               {"bf16", dnnl_fpmath_mode_bf16},
               {"f16", dnnl_fpmath_mode_f16},
               {"any", dnnl_fpmath_mode_any}};
  for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
    if (strcmp(name, modes[i].name) != 0) continue;
    onednn->fpmath = modes[i].mode;
    return ASSAY_EXECUTOR_OK;
  }
  return assay_explain(reason, ASSAY_EXECUTOR_INVALID,
                       "fpmath=%s: write strict, bf16, f16 or any, as this oneDNN has them", name);
}

/* A build for SYCL asks OpenCL for its processor, whose driver its wheel puts beside it; no setting
 * if there is none. */
static void find_device_setting(onednn_t *onednn, const char *library) {
  const char *slash = strrchr(library, '/');
  char driver[ASSAY_OPTION_BYTES + 32];
  int folder = slash == NULL ? 0 : (int)(slash - library);
  snprintf(driver, sizeof driver, "%.*s/libintelocl.so", folder, library);
  bool is_there = slash != NULL && access(driver, R_OK) == 0;
  onednn->has_device = is_there;
  snprintf(onednn->device_setting, sizeof onednn->device_setting, "%s%s",
           is_there ? "OCL_ICD_FILENAMES=" : "ASSAY_NO_DEVICE=", is_there ? driver : "");
}

int32_t onednn_open_options(onednn_t *onednn, const char *options, assay_reason_t *reason) {
  char isa[ASSAY_OPTION_BYTES] = "";
  char types[ASSAY_OPTION_BYTES] = "documented";
  char threads[ASSAY_OPTION_BYTES] = "1";
  char fpmath[ASSAY_OPTION_BYTES] = "strict";
  char library[ASSAY_OPTION_BYTES] = "libdnnl.so.2";
  const assay_option_t known[] = {{"isa", isa},
                                  {"types", types},
                                  {"threads", threads},
                                  {"fpmath", fpmath},
                                  {"library", library}};
  int32_t code = assay_read_options(options, known, sizeof known / sizeof known[0], reason);
  if (code == ASSAY_EXECUTOR_OK) code = plugin_check_threads(threads, reason);
  if (code == ASSAY_EXECUTOR_OK) code = choose_fpmath(onednn, fpmath, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  memcpy(onednn->file, library, sizeof onednn->file);
  onednn->isa = "";
  onednn->takes_any_types = strcmp(types, "any") == 0;
  if (!onednn->takes_any_types && strcmp(types, "documented") != 0) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "types=%s: write documented or any",
                         types);
  }
  bool is_default = isa[0] == '\0' && strcmp(threads, "1") == 0;
  find_device_setting(onednn, library);
  snprintf(onednn->threads_setting, sizeof onednn->threads_setting, "OMP_NUM_THREADS=%s", threads);
  char *const settings[] = {onednn->threads_setting, onednn->device_setting, NULL};
  code = plugin_library_open(library, !is_default, settings, &onednn->library, reason);
  if (code == ASSAY_EXECUTOR_OK) code = find_functions(onednn, reason);
  if (code == ASSAY_EXECUTOR_OK) code = choose_isa(onednn, isa, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  find_threads(onednn, threads);
  onednn_use_threads(onednn);
  const dnnl_version_t *version = onednn->dnnl.dnnl_version();
  snprintf(onednn->version, sizeof onednn->version, "%d.%d.%d", version->major, version->minor,
           version->patch);
  return create_engine(onednn, reason);
}
