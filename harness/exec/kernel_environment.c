/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up the variables of kernel_environment.def. */
#include "harness/exec/kernel_environment.h"

#include <glib.h>
#include <string.h>

#include "harness/exec/registry/environment.h"

typedef struct kernel_variable {
  const char *name;
  const char *executors;
} kernel_variable_t;

static const kernel_variable_t variables[] = {
#define KERNELS(variable, executors) {variable, executors},
#include "harness/exec/kernel_environment.def"
#undef KERNELS
};

static bool is_of(const kernel_variable_t *variable, const char *executor) {
  if (g_str_has_prefix(executor, "dso:") || g_str_has_prefix(executor, "proc:")) return true;
  if (g_str_has_prefix(executor, "steps:")) executor += strlen("steps:");
  g_autofree char *name = g_strndup(executor, strcspn(executor, "@?"));
  g_auto(GStrv) names = g_strsplit(variable->executors, " ", -1);
  return g_strv_contains((const char *const *)names, name);
}

char *kernel_environment(const char *executor, bool is_process) {
  const char *more = g_getenv("ASSAY_WORKER_ENV");
  GString *text = g_string_new(NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(variables); i++) {
    const char *value = g_getenv(variables[i].name);
    if (value == NULL || !is_of(&variables[i], executor)) continue;
    if (is_process && !worker_environment_passes(variables[i].name, more)) continue;
    g_string_append_printf(text, "%s%s=%s", text->len == 0 ? "" : ", ", variables[i].name, value);
  }
  return g_string_free(text, text->len == 0);
}

char *kernel_environment_add(const char *hardware, const char *executor, bool is_process) {
  g_autofree char *set = kernel_environment(executor, is_process);
  return set == NULL ? g_strdup(hardware) : g_strdup_printf("%s [%s]", hardware, set);
}
