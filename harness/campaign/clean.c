/* SPDX-License-Identifier: Apache-2.0 */
/* Removes temporary files of atomic writes and of corpus minimization from a campaign's folder,
 * recognized by their exact name patterns so that no other file is touched. */
#include "harness/campaign/clean.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdbool.h>
#include <string.h>

#include "harness/campaign/folder.h"

/* g_file_set_contents() writes NAME.XXXXXX, letters and digits at random, and then gives it the
 * name. One in two hundred is of small letters alone; that is left, as it may be somebody's
 * .backup. */
enum { SUFFIX_LETTERS = 6, SHA1_DIGITS = 40 };

/* The length of what a name is without the suffix of an unfinished file; 0 if it has none. */
static size_t unfinished_stem(const char *name) {
  size_t size = strlen(name);
  if (size <= SUFFIX_LETTERS + 1) return 0;
  const char *dot = name + size - SUFFIX_LETTERS - 1;
  if (*dot != '.') return 0;
  bool is_random = false;
  for (const char *c = dot + 1; *c != '\0'; c++) {
    if (!g_ascii_isalnum(*c)) return 0;
    is_random |= !g_ascii_islower(*c);
  }
  return is_random ? (size_t)(dot - name) : 0;
}

static bool is_sha1(const char *name, size_t size) {
  return size == SHA1_DIGITS && strspn(name, "0123456789abcdef") >= size;
}

/* Calls `act` for each entry of a folder, by its path and its name. */
static void for_each(const char *folder, void (*act)(const char *path, const char *name)) {
  g_autoptr(GDir) listing = g_dir_open(folder, 0, NULL);
  for (const char *name; listing != NULL && (name = g_dir_read_name(listing)) != NULL;) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    act(path, name);
  }
}

static void clean_top(const char *path, const char *name) {
  static const char *const replaced[] = {"status.json", "campaign.ini"};
  size_t stem = unfinished_stem(name);
  for (size_t i = 0; i < G_N_ELEMENTS(replaced); i++) {
    if (stem == strlen(replaced[i]) && strncmp(name, replaced[i], stem) == 0) g_unlink(path);
  }
}

static void clean_case(const char *path, const char *name) {
  if (is_sha1(name, unfinished_stem(name))) {
    g_unlink(path);
    return;
  }
  g_autofree char *bytes = NULL;
  gsize size = 0;
  if (!is_sha1(name, strlen(name)) || !g_file_get_contents(path, &bytes, &size, NULL)) return;
  g_autofree char *sum = g_compute_checksum_for_data(G_CHECKSUM_SHA1, (const guchar *)bytes, size);
  if (strcmp(sum, name) != 0) g_unlink(path);
}

static void remove_file(const char *path, const char *name) {
  (void)name;
  g_unlink(path);
}

/* `assay fuzz --minimise-corpus` makes FOLDER.minimised-PID beside FOLDER, and exchanges the two.
 */
static bool is_exchanged(const char *name) {
  static const char mark[] = ".minimised-";
  const char *found = g_strrstr(name, mark);
  if (found == NULL) return false;
  const char *process = found + strlen(mark);
  return *process != '\0' && strspn(process, "0123456789") == strlen(process);
}

static void clean_corpus(const char *path, const char *name) {
  if (!is_exchanged(name)) {
    for_each(path, clean_case);
    return;
  }
  for_each(path, remove_file);
  g_rmdir(path);
}

void campaign_clean(const char *folder) {
  g_autofree char *corpora = campaign_folder_corpora(folder);
  for_each(folder, clean_top);
  for_each(corpora, clean_corpus);
}
