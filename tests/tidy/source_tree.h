/* SPDX-License-Identifier: Apache-2.0 */
/* The files of the tree, for tests that read them. */
#ifndef ASSAY_TESTS_TIDY_SOURCE_TREE_H
#define ASSAY_TESTS_TIDY_SOURCE_TREE_H

#include <glib.h>
#include <string.h>

/* Appends the files below a folder that have one of the endings, as paths from the root. */
static inline void list_files(const char *folder, const char *const *endings, GPtrArray *paths) {
  g_autofree char *full = g_build_filename(ASSAY_SOURCE_DIR, folder, NULL);
  GDir *directory = g_dir_open(full, 0, NULL);
  if (directory == NULL) g_error("cannot read %s", full);
  for (const char *name; (name = g_dir_read_name(directory)) != NULL;) {
    g_autofree char *path = g_strdup_printf("%s/%s", folder, name);
    g_autofree char *place = g_build_filename(full, name, NULL);
    if (g_file_test(place, G_FILE_TEST_IS_DIR)) list_files(path, endings, paths);
    for (const char *const *ending = endings; *ending != NULL; ending++) {
      if (g_str_has_suffix(name, *ending)) g_ptr_array_add(paths, g_strdup(path));
    }
  }
  g_dir_close(directory);
}

static inline GPtrArray *list_all(const char *const *endings) {
  static const char *const folders[] = {"harness", "oracles", "fuzz", "reports", "tests"};
  GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
  for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) list_files(folders[i], endings, paths);
  g_assert_cmpuint(paths->len, >, 5); /* Else we look in the wrong place. */
  return paths;
}

static inline GPtrArray *list_all_sources(void) {
  static const char *const endings[] = {".c", ".h", ".def", ".inc", NULL};
  return list_all(endings);
}

/* The text of a file of the tree; the caller frees it. */
static inline char *read_text(const char *path) {
  g_autofree char *full = g_build_filename(ASSAY_SOURCE_DIR, path, NULL);
  char *text = NULL;
  if (!g_file_get_contents(full, &text, NULL, NULL)) g_error("cannot read %s", full);
  return text;
}

static inline void report(GPtrArray *complaints) {
  for (guint i = 0; i < complaints->len; i++) {
    g_test_message("%s", (const char *)g_ptr_array_index(complaints, i));
  }
  if (complaints->len > 0) g_test_fail();
  g_ptr_array_unref(complaints);
}

#endif
