/* SPDX-License-Identifier: Apache-2.0 */
/* Table of the workers that come with Assay, where their sources and environments lie, and the
 * shell command that starts one. */
#include "harness/exec/registry/registry.h"

#include <glib.h>
#include <glob.h>
#include <string.h>

#include "harness/exec/registry/list.h"
#include "harness/exec/registry/paths.h"

static const worker_library_t openblas = {
    .plugin = "openblas",
    .pattern = "lib/python*/site-packages/scipy_openblas32/lib/libscipy_openblas.so",
    .options = ",prefix=scipy_"};
static const worker_library_t mkl = {
    .plugin = "openblas", .pattern = "lib/libmkl_rt.so.*", .options = ""};
static const worker_library_t blis = {
    .plugin = "openblas",
    .pattern = "lib/python*/site-packages/aoclda.libs/libblis-mt-*.so.*",
    .options = ""};
static const worker_library_t onednn = {
    .plugin = "onednn", .pattern = "lib/libdnnl.so.[0-9]", .options = ""};

const worker_t worker_table[] = {
    {"xla", "jax", "XLA, on the StableHLO program itself", false, true, NULL, NULL},
    {"jax", "jax", "JAX, through jax.lax with its checks", false, true, NULL, NULL},
    {"stablehlo", "jax", "the StableHLO reference interpreter", false, true, NULL, NULL},
    {"onnxruntime", "onnxruntime", "ONNX Runtime, on ONNX graphs of the program", false, true, NULL,
     NULL},
    {"torch", "torch", "PyTorch, eager", false, true, NULL, NULL},
    {"tflite", "tflite", "TensorFlow Lite (LiteRT), on models of the program", false, true, NULL,
     NULL},
    {"openvino", "openvino", "OpenVINO, on models of its opset made of the program", false, true,
     NULL, NULL},
    {"executorch", "executorch", "ExecuTorch with XNNPACK, on programs that torch.export makes",
     false, false, NULL, NULL},
    {"iree", "iree", "IREE, which compiles the StableHLO program itself", false, true, NULL, NULL},
    {"numpy", "numpy", "NumPy, by its functions, and by functions of yours", false, true, NULL,
     NULL},
    {"pjrt-cpu", "pjrt_cpu", "two builds of XLA for processors, as PJRT plugins", true, false, NULL,
     NULL},
    {"openblas", "openblas", "OpenBLAS, as SciPy has it", false, true, &openblas, NULL},
    {"mkl", "mkl", "oneMKL, by the plugin of OpenBLAS", false, true, &mkl, NULL},
    {"blis", "blis", "BLIS, as AMD builds it (AOCL), by the plugin of OpenBLAS", false, true, &blis,
     NULL},
    {"onednn", "onednn", "oneDNN 3", false, true, &onednn, NULL},
    {NULL, NULL, NULL, false, false, NULL, NULL},
};

const worker_t *worker_find(const char *name, size_t name_size) {
  for (const worker_t *worker = worker_table; worker->name != NULL; worker++) {
    bool is_it = strlen(worker->name) == name_size && memcmp(worker->name, name, name_size) == 0;
    if (is_it) return worker;
  }
  return NULL;
}

char *worker_source(const char *directory, const char *name, const char *suffix) {
  char *file = g_strconcat(name, suffix, NULL);
  char *path = NULL;
  if (directory != NULL) {
    path = g_build_filename(directory, file, NULL);
  } else {
    char *program = g_file_read_link("/proc/self/exe", NULL);
    char *folder = program == NULL ? g_strdup(".") : g_path_get_dirname(program);
    path = g_build_filename(folder, "workers", file, NULL);
    g_free(folder);
    g_free(program);
  }
  g_free(file);
  return path;
}

char *worker_environment_path(const worker_t *worker, const char *part) {
  return g_build_filename(g_get_user_data_dir(), "assay", "executors", worker->environment, part,
                          NULL);
}

/* Whether the environment was made from that list, or from the one that goes for it elsewhere. */
static bool is_made_from(const char *stamp, const char *directory, const char *name) {
  worker_list_t list;
  failure_t error;
  if (worker_list_read(directory, name, &list, &error) != STATUS_OK) return false;
  bool is_made = strcmp(list.text, stamp) == 0 ||
                 (list.otherwise != NULL && is_made_from(stamp, directory, list.otherwise));
  worker_list_free(&list);
  return is_made;
}

bool worker_is_installed(const worker_t *worker, const char *directory) {
  char *stamp_path = worker_environment_path(worker, worker_stamp);
  char *stamp = NULL;
  bool is_installed =
      g_file_get_contents(stamp_path, &stamp, NULL, NULL) &&
      (worker->version != NULL || is_made_from(stamp, directory, worker->environment));
  g_free(stamp);
  g_free(stamp_path);
  return is_installed;
}

status_t worker_not_installed(const worker_t *worker, failure_t *error) {
  bool is_release = worker->version != NULL;
  const char *version = is_release ? worker->version : "";
  return status_fail(error, STATUS_IO,
                     "%s%s%s is not installed: run `assay executors install %s%s%s`", worker->name,
                     is_release ? "@" : "", version, worker->name, is_release ? "==" : "", version);
}

status_t worker_library_find(const worker_t *worker, char **out_path, failure_t *error) {
  if (!worker_is_installed(worker, NULL)) return worker_not_installed(worker, error);
  g_autofree char *pattern = worker_environment_path(worker, worker->library->pattern);
  glob_t found;
  bool is_there = glob(pattern, 0, NULL, &found) == 0;
  if (is_there) *out_path = g_strdup(found.gl_pathv[0]);
  globfree(&found);
  if (is_there) return STATUS_OK;
  return status_fail(error, STATUS_IO, "there is no %s: was this release for another machine?",
                     pattern);
}

status_t worker_command(const worker_t *worker, const char *directory, const char *options,
                        char **out_command, failure_t *error) {
  if (worker->brings_plugins) {
    return status_fail(error, STATUS_INVALID,
                       "%s is no executor: write pjrt:NAME, NAME as `assay executors` lists it",
                       worker->name);
  }
  if (!worker_is_installed(worker, directory)) {
    return worker_not_installed(worker, error);
  }
  char *parts[] = {worker_environment_path(worker, worker_python),
                   worker_source(directory, worker->name, "_worker.py"), g_strdup(options)};
  GString *command = g_string_new(NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
    char *quoted = g_shell_quote(parts[i]);
    g_string_append_printf(command, "%s%s", i == 0 ? "" : " ", quoted);
    g_free(quoted);
    g_free(parts[i]);
  }
  *out_command = g_string_free(command, FALSE);
  return STATUS_OK;
}
