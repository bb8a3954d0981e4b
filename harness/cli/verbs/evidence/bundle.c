/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles as JSON, and the script that decides them, which lies beside the program. */
#include "harness/cli/verbs/evidence/bundle.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static json_t *json_executor(const bundle_t *bundle) {
  if (bundle->executor == NULL) return json_null();
  return json_pack("{s:s, s:s, s:s}", "name", bundle->executor, "version", bundle->version,
                   "hardware", bundle->hardware);
}

status_t bundle_write(const bundle_t *bundle, const char *path, failure_t *error) {
  json_t *claim = json_pack("{s:i, s:I, s:s, s:s, s:s}", "result", (int)bundle->result, "component",
                            (json_int_t)bundle->component, "got", bundle->got, "permitted",
                            bundle->permitted, "class", bundle->class_);
  json_t *document = json_pack("{s:i, s:s, s:s, s:s?, s:o, s:o}", "assay evidence", 1, "case",
                               bundle->case_line, "contract", bundle->contract, "results",
                               bundle->results, "executor", json_executor(bundle), "claim", claim);
  char *text = json_dumps(document, JSON_INDENT(1));
  json_decref(document);
  if (text == NULL) {
    return status_fail(error, STATUS_IO, "%s: what came is no UTF-8 text, which JSON needs", path);
  }
  GError *failure = NULL;
  bool is_written = g_file_set_contents(path, text, -1, &failure);
  free(text);
  if (is_written) return STATUS_OK;
  status_fail(error, STATUS_IO, "%s", failure->message);
  g_error_free(failure);
  return STATUS_IO;
}

/* Owned by the caller; where the build, or the installation, has it. */
static char *script_path(void) {
  g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *folder = program == NULL ? g_strdup(".") : g_path_get_dirname(program);
  return g_build_filename(folder, "evidence", "check_evidence.py", NULL);
}

status_t bundle_complete(const GPtrArray *paths, char **out_text, int *out_exit_code,
                         failure_t *error) {
  const char *python = g_getenv("ASSAY_PYTHON");
  g_autoptr(GPtrArray) command = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(command, g_strdup(python == NULL ? "python3" : python));
  g_ptr_array_add(command, g_strdup("-B")); /* Leaves nothing beside the script. */
  g_ptr_array_add(command, script_path());
  g_ptr_array_add(command, g_strdup("--complete"));
  for (guint i = 0; i < paths->len; i++) g_ptr_array_add(command, g_strdup(paths->pdata[i]));
  g_ptr_array_add(command, NULL);
  fflush(stdout);
  GError *failure = NULL;
  int wait_status = 0;
  if (!g_spawn_sync(NULL, (char **)command->pdata, NULL,
                    G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL, out_text, NULL,
                    &wait_status, &failure)) {
    status_fail(error, STATUS_IO,
                "%s; the bundle stands, and lacks its witness: install Python 3.8 or name one in "
                "ASSAY_PYTHON",
                failure->message);
    g_error_free(failure);
    return STATUS_IO;
  }
  *out_exit_code = 0;
  status_t status = STATUS_OK;
  if (!g_spawn_check_wait_status(wait_status, &failure)) {
    *out_exit_code = failure->code;
    if (failure->domain != G_SPAWN_EXIT_ERROR) {
      status = status_fail(error, STATUS_IO, "%s: %s", (char *)command->pdata[2], failure->message);
    }
    g_error_free(failure);
  }
  return status;
}
