/* SPDX-License-Identifier: Apache-2.0 */
/* Removes what a test wrote. */
#ifndef ASSAY_TESTS_CAMPAIGN_REMOVE_TREE_H
#define ASSAY_TESTS_CAMPAIGN_REMOVE_TREE_H

#include <glib.h>
#include <glib/gstdio.h>

/* Removes a file, or a folder and what is in it. */
static inline void remove_tree(const char *path) {
  GDir *directory = g_dir_open(path, 0, NULL);
  for (const char *name; directory != NULL && (name = g_dir_read_name(directory)) != NULL;) {
    g_autofree char *inner = g_build_filename(path, name, NULL);
    remove_tree(inner);
  }
  if (directory != NULL) g_dir_close(directory);
  g_assert_cmpint(g_remove(path), ==, 0);
}

#endif
