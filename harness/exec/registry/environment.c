/* SPDX-License-Identifier: Apache-2.0 */
/* Filters environment variables for worker processes by an allow-list; names that look like
 * secrets pass only if the user lists them in full. */
#include "harness/exec/registry/environment.h"

#include <glib.h>
#include <string.h>
#include <unistd.h>

static const char *const passed[] = {
#define PASS(pattern, why) pattern,
#include "harness/exec/registry/environment.def"
#undef PASS
};

/* Somebody may have a JAX_API_TOKEN. */
static bool looks_secret(const char *name) {
  static const char *const endings[] = {"TOKEN",      "KEY",         "SECRET", "PASSWORD", "PASSWD",
                                        "CREDENTIAL", "CREDENTIALS", "AUTH",   "COOKIE"};
  for (size_t i = 0; i < G_N_ELEMENTS(endings); i++) {
    if (g_str_has_suffix(name, endings[i])) return true;
  }
  return false;
}

static bool is_listed(const char *name, bool is_secret, const char *more) {
  g_auto(GStrv) patterns = g_strsplit_set(more, " ,", -1);
  for (char **pattern = patterns; *pattern != NULL; pattern++) {
    bool fits = is_secret ? strcmp(*pattern, name) == 0 : g_pattern_match_simple(*pattern, name);
    if (fits) return true;
  }
  return false;
}

bool worker_environment_passes(const char *name, const char *more) {
  bool is_secret = looks_secret(name);
  if (more != NULL && is_listed(name, is_secret, more)) return true;
  for (size_t i = 0; i < G_N_ELEMENTS(passed) && !is_secret; i++) {
    if (g_pattern_match_simple(passed[i], name)) return true;
  }
  return false;
}

char **worker_environment(void) {
  const char *more = g_getenv("ASSAY_WORKER_ENV");
  GStrvBuilder *builder = g_strv_builder_new();
  for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
    g_autofree char *name = g_strndup(*variable, strcspn(*variable, "="));
    if (worker_environment_passes(name, more)) g_strv_builder_add(builder, *variable);
  }
  char **environment = g_strv_builder_end(builder);
  g_strv_builder_unref(builder);
  return environment;
}
