/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the script that writes programs of torch.export as modules. */
#include "harness/exec/mlir_import/torch_export.h"

#include <string.h>

#include "harness/exec/registry/environment.h"
#include "harness/exec/registry/paths.h"
#include "harness/exec/registry/registry.h"

/* The last line of what a script said. */
static const char *last_line(char *text) {
  g_strchomp(text);
  const char *end = strrchr(text, '\n');
  return end == NULL ? text : end + 1;
}

static status_t run(char **arguments, GString *out_module, failure_t *error) {
  g_auto(GStrv) environment = worker_environment();
  g_autofree char *module = NULL, *words = NULL;
  GError *failure = NULL;
  gint wait_status = 0;
  if (!g_spawn_sync(NULL, arguments, environment, G_SPAWN_DEFAULT, NULL, NULL, &module, &words,
                    &wait_status, &failure)) {
    status_t status = status_fail(error, STATUS_IO, "%s", failure->message);
    g_error_free(failure);
    return status;
  }
  if (!g_spawn_check_wait_status(wait_status, NULL)) {
    return status_fail(error, STATUS_INVALID, "%.400s", last_line(words));
  }
  g_string_append(out_module, module);
  return STATUS_OK;
}

status_t torch_export_read(const char *directory, const char *path, GString *out_module,
                           failure_t *error) {
  const worker_t *worker = worker_find("torch", strlen("torch"));
  g_assert(worker != NULL);
  if (!worker_is_installed(worker, directory)) {
    return status_fail(error, STATUS_IO,
                       "reading a program of torch.export takes PyTorch, which is not installed: "
                       "run `assay executors install torch`");
  }
  g_autofree char *python = worker_environment_path(worker, worker_python);
  g_autofree char *script = worker_source(directory, "mlir_import/torch_export", ".py");
  g_autofree char *file = g_strdup(path);
  char *arguments[] = {python, script, file, NULL};
  return run(arguments, out_module, error);
}
