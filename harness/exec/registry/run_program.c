/* SPDX-License-Identifier: Apache-2.0 */
/* Spawns a program, waits for it and collects what it says. */
#include "harness/exec/registry/run_program.h"

#include <glib.h>
#include <stdio.h>

bool program_run(const char *const *arguments, run_kind_t kind, char **out_text) {
  GStrvBuilder *builder = g_strv_builder_new();
  for (; *arguments != NULL; arguments++) g_strv_builder_add(builder, *arguments);
  char **copies = g_strv_builder_end(builder);
  g_strv_builder_unref(builder);
  GSpawnFlags flags = G_SPAWN_SEARCH_PATH;
  if (kind == RUN_SILENT) flags |= G_SPAWN_STDOUT_TO_DEV_NULL;
  if (kind != RUN_SHOWN) flags |= G_SPAWN_STDERR_TO_DEV_NULL;
  char **output = kind == RUN_READ ? out_text : NULL;
  char **errors = kind == RUN_SHOWN ? out_text : NULL;
  int wait_status = 0;
  bool ran =
      g_spawn_sync(NULL, copies, NULL, flags, NULL, NULL, output, errors, &wait_status, NULL);
  g_strfreev(copies);
  if (errors != NULL && *errors != NULL) fputs(*errors, stderr);
  return ran && g_spawn_check_wait_status(wait_status, NULL);
}
