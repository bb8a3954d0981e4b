/* SPDX-License-Identifier: Apache-2.0 */
/* Takes --ops from the arguments, whatever the verb, and reads the files. */
#include "harness/cli/options/declared_ops.h"

#include <stdbool.h>
#include <string.h>

#include "oracles/ops/declared/load.h"

/* Returns whether there is one. */
static bool add_paths(const char *paths, GString *out_all) {
  bool has_one = false;
  g_auto(GStrv) words = g_strsplit(paths, ":", -1);
  for (char **word = words; *word != NULL; word++) {
    if (**word == '\0') continue;
    if (out_all->len > 0) g_string_append_c(out_all, ':');
    g_string_append(out_all, *word);
    has_one = true;
  }
  return has_one;
}

static status_t fail_without_path(failure_t *error) {
  return status_fail(error, STATUS_INVALID,
                     "--ops names a file or a folder: --ops my.op; several: --ops a.op:b.op");
}

/* Whole paths, since processes that are started may be elsewhere. */
static char *make_whole(const char *paths) {
  g_auto(GStrv) words = g_strsplit(paths, ":", -1);
  for (char **word = words; *word != NULL; word++) {
    char *whole = g_canonicalize_filename(*word, NULL);
    g_free(*word);
    *word = whole;
  }
  return g_strjoinv(":", words);
}

static status_t take_option(int *inout_argc, char **argv, GString *paths, failure_t *error) {
  int kept = 1;
  bool is_ended = false; /* Behind "--" nothing is an option. */
  for (int i = 1; i < *inout_argc; i++) {
    is_ended = is_ended || strcmp(argv[i], "--") == 0;
    if (!is_ended && g_str_has_prefix(argv[i], "--ops=")) {
      if (!add_paths(argv[i] + strlen("--ops="), paths)) return fail_without_path(error);
    } else if (!is_ended && strcmp(argv[i], "--ops") == 0) {
      bool has_path = i + 1 < *inout_argc && add_paths(argv[++i], paths);
      if (!has_path) return fail_without_path(error);
    } else {
      argv[kept++] = argv[i];
    }
  }
  *inout_argc = kept;
  argv[kept] = NULL;
  return STATUS_OK;
}

status_t declared_ops_take(int *inout_argc, char **argv, failure_t *error) {
  g_autoptr(GString) paths = g_string_new(NULL);
  STATUS_TRY(take_option(inout_argc, argv, paths, error));
  if (paths->len == 0) {
    const char *variable = g_getenv("ASSAY_OPS");
    if (variable != NULL) add_paths(variable, paths);
  }
  if (paths->len == 0) return STATUS_OK;
  STATUS_TRY(declared_load(paths->str, error));
  g_autofree char *whole = make_whole(paths->str);
  g_setenv("ASSAY_OPS", whole, TRUE);
  return STATUS_OK;
}

void declared_ops_print(GString *out_text) {
  const char *paths = g_getenv("ASSAY_OPS");
  if (paths == NULL || *paths == '\0') return;
  g_autofree char *quoted = g_shell_quote(paths);
  g_string_append_printf(out_text, " --ops %s", quoted);
}
