/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a locked requirements file: the Python versions it was locked for, its fallback list and a
 * summary of its packages. */
#include "harness/exec/registry/list.h"

#include <glib.h>
#include <string.h>

#include "harness/exec/registry/paths.h"

/* The text between `before` and `after` on a line that has both, or NULL; the caller frees it. */
static char *find_between(const char *text, const char *before, const char *after) {
  const char *begin = strstr(text, before);
  if (begin == NULL) return NULL;
  begin += strlen(before);
  const char *end = strstr(begin, after);
  if (end == NULL || memchr(begin, '\n', (size_t)(end - begin)) != NULL) return NULL;
  return g_strndup(begin, (gsize)(end - begin));
}

status_t worker_list_read(const char *directory, const char *name, worker_list_t *out_list,
                          failure_t *error) {
  g_autofree char *file = g_build_filename("requirements", name, NULL);
  worker_list_t list = {.path = worker_source(directory, file, ".requirements")};
  if (!g_file_get_contents(list.path, &list.text, NULL, NULL)) {
    status_fail(error, STATUS_IO, "cannot read %s: is Assay installed whole?", list.path);
    g_free(list.path);
    return STATUS_IO;
  }
  g_autofree char *pythons = find_between(list.text, "\n# Locked for Python ", " by lock.py");
  list.pythons = g_strsplit(pythons == NULL ? "" : pythons, ", ", -1);
  list.wanted = find_between(list.text, "\n# Where pip finds no ", ", ");
  if (list.wanted != NULL) {
    list.otherwise = find_between(strstr(list.text, list.wanted), ", ", " is installed instead");
  }
  list.is_alone = strstr(list.text, "\n# Installed without what these packages ask for.\n") != NULL;
  *out_list = list;
  return STATUS_OK;
}

void worker_list_free(worker_list_t *list) {
  g_free(list->path);
  g_free(list->text);
  g_strfreev(list->pythons);
  g_free(list->wanted);
  g_free(list->otherwise);
  *list = (worker_list_t){.path = NULL};
}

char *worker_list_summary(const worker_list_t *list) {
  GString *summary = g_string_new(NULL);
  g_auto(GStrv) lines = g_strsplit(list->text, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    if (g_str_has_prefix(*line, " ") || (*line)[0] == '\0') continue;
    g_autofree char *kept = g_strdup(*line);
    if (g_str_has_suffix(kept, "\\")) kept[strlen(kept) - 1] = '\0';
    g_string_append_printf(summary, "%s\n", g_strchomp(kept));
  }
  return g_string_free(summary, FALSE);
}
