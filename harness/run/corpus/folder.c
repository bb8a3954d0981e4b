/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/run/corpus/folder.h"

#include <stdbool.h>
#include <string.h>

static gint compare_paths(gconstpointer a, gconstpointer b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Files *.cases and folders in a folder, by name; NULL if it cannot be read. */
static GPtrArray *list_folder(const char *path, failure_t *error) {
  GError *failure = NULL;
  GDir *folder = g_dir_open(path, 0, &failure);
  if (folder == NULL) {
    status_fail(error, STATUS_IO, "%.400s", failure->message);
    g_error_free(failure);
    return NULL;
  }
  GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
  for (const char *name; (name = g_dir_read_name(folder)) != NULL;) {
    char *inner = g_build_filename(path, name, NULL);
    bool counts = g_str_has_suffix(name, ".cases") || g_file_test(inner, G_FILE_TEST_IS_DIR);
    if (counts) {
      g_ptr_array_add(paths, inner);
    } else {
      g_free(inner);
    }
  }
  g_dir_close(folder);
  g_ptr_array_sort(paths, compare_paths);
  return paths;
}

static status_t add_path(const char *path, GPtrArray *paths, failure_t *error) {
  if (!g_file_test(path, G_FILE_TEST_IS_DIR)) {
    g_ptr_array_add(paths, g_strdup(path));
    return STATUS_OK;
  }
  g_autoptr(GPtrArray) inner = list_folder(path, error);
  if (inner == NULL) return STATUS_IO;
  for (guint i = 0; i < inner->len; i++) {
    STATUS_TRY(add_path(g_ptr_array_index(inner, i), paths, error));
  }
  return STATUS_OK;
}

status_t corpus_folder_find(const char *path, GPtrArray *paths, failure_t *error) {
  if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
    return status_fail(error, STATUS_INVALID, "%.400s: there is no such file or folder", path);
  }
  guint before = paths->len;
  STATUS_TRY(add_path(path, paths, error));
  if (paths->len > before) return STATUS_OK;
  return status_fail(error, STATUS_INVALID, "%.400s: holds no file *.cases", path);
}
