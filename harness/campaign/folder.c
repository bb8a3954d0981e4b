/* SPDX-License-Identifier: Apache-2.0 */
/* Paths inside a campaign's folder, its creation and lock, and the copying of corpora between
 * campaigns. File names of executors are made unique by a hash. */
#include "harness/campaign/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "harness/base/hash.h"

char *campaign_folder_database(const char *folder) {
  return g_build_filename(folder, "campaign.db", NULL);
}
char *campaign_folder_state(const char *folder) {
  return g_build_filename(folder, "campaign.ini", NULL);
}
char *campaign_folder_status(const char *folder) {
  return g_build_filename(folder, "status.json", NULL);
}
char *campaign_folder_workers(const char *folder) {
  return g_build_filename(folder, "workers", NULL);
}
char *campaign_folder_crashes(const char *folder) {
  return g_build_filename(folder, "crashes", NULL);
}
char *campaign_folder_corpora(const char *folder) {
  return g_build_filename(folder, "corpus", NULL);
}

char *campaign_folder_corpus(const char *folder, const char *executor) {
  enum { NAME_BYTES_MAX = 48, HASH_DIGITS = 8 };
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  g_autofree char *name = g_strndup(executor, NAME_BYTES_MAX);
  bool is_plain = name[0] != '\0' && name[0] != '.' && strlen(executor) <= NAME_BYTES_MAX;
  for (char *c = name; *c != '\0'; c++) {
    if (strchr(plain, *c) != NULL) continue;
    *c = '_';
    is_plain = false;
  }
  if (is_plain) return g_build_filename(folder, "corpus", name, NULL);
  hash_text_t hash = hash_of(executor, strlen(executor));
  g_autofree char *unique = g_strdup_printf("%s-%.*s", name, HASH_DIGITS, hash.text);
  return g_build_filename(folder, "corpus", unique, NULL);
}

char *campaign_folder_outcomes(const char *folder, const char *executor) {
  g_autofree char *corpus = campaign_folder_corpus(folder, executor);
  g_autofree char *name = g_path_get_basename(corpus);
  return g_build_filename(folder, "outcomes", name, NULL);
}

void campaign_folder_forget_outcomes(const char *folder) {
  g_autofree char *outcomes = g_build_filename(folder, "outcomes", NULL);
  g_autoptr(GDir) listing = g_dir_open(outcomes, 0, NULL);
  const char *name;
  while (listing != NULL && (name = g_dir_read_name(listing)) != NULL) {
    g_autofree char *path = g_build_filename(outcomes, name, NULL);
    g_unlink(path);
  }
}

char *campaign_database_path(const char *path) {
  if (g_file_test(path, G_FILE_TEST_IS_DIR)) return campaign_folder_database(path);
  return g_strdup(path);
}

static status_t make_folder(char *path, failure_t *error) {
  enum { MODE = 0777 };
  status_t status = STATUS_OK;
  if (g_mkdir_with_parents(path, MODE) != 0) {
    status =
        status_fail(error, STATUS_IO, "cannot make the folder \"%s\": %s", path, strerror(errno));
  }
  g_free(path);
  return status;
}

status_t campaign_folder_make(const char *folder, failure_t *error) {
  STATUS_TRY(make_folder(campaign_folder_workers(folder), error));
  STATUS_TRY(make_folder(campaign_folder_crashes(folder), error));
  STATUS_TRY(make_folder(g_build_filename(folder, "outcomes", NULL), error));
  return make_folder(campaign_folder_corpora(folder), error);
}

status_t campaign_folder_lock(const char *folder, failure_t *error) {
  g_autofree char *path = g_build_filename(folder, "lock", NULL);
  int file = g_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) {
    return status_fail(error, STATUS_IO, "cannot open \"%s\": %s", path, strerror(errno));
  }
  /* The descriptor stays open: the lock ends with the process, however that ends. */
  if (flock(file, LOCK_EX | LOCK_NB) == 0) return STATUS_OK;
  int failure = errno;
  close(file);
  if (failure == EWOULDBLOCK) {
    return status_fail(error, STATUS_INVALID,
                       "another process runs the campaign in \"%s\"; wait for it, or name another "
                       "folder",
                       folder);
  }
  return status_fail(error, STATUS_IO, "cannot lock \"%s\": %s", path, strerror(failure));
}

/* Copies one file unless it is there.  Under another name first: who reads meanwhile sees whole
 * files.
 */
static status_t add_file(const char *source, const char *target, uint64_t *added,
                         failure_t *error) {
  if (g_file_test(target, G_FILE_TEST_EXISTS)) return STATUS_OK;
  g_autofree char *bytes = NULL;
  gsize size = 0;
  g_autoptr(GError) failure = NULL;
  if (!g_file_get_contents(source, &bytes, &size, &failure) ||
      !g_file_set_contents(target, bytes, (gssize)size, &failure)) {
    return status_fail(error, STATUS_IO, "%s", failure->message);
  }
  *added += 1;
  return STATUS_OK;
}

static status_t merge_corpus(const char *source, const char *target, uint64_t *added,
                             failure_t *error) {
  STATUS_TRY(make_folder(g_strdup(target), error));
  GDir *directory = g_dir_open(source, 0, NULL);
  if (directory == NULL) return status_fail(error, STATUS_IO, "cannot read \"%s\"", source);
  status_t status = STATUS_OK;
  for (const char *name; status == STATUS_OK && (name = g_dir_read_name(directory)) != NULL;) {
    g_autofree char *from = g_build_filename(source, name, NULL);
    g_autofree char *to = g_build_filename(target, name, NULL);
    if (g_file_test(from, G_FILE_TEST_IS_REGULAR)) status = add_file(from, to, added, error);
  }
  g_dir_close(directory);
  return status;
}

status_t campaign_folder_merge_corpora(const char *folder, const char *source, uint64_t *out_added,
                                       failure_t *error) {
  g_autofree char *from = campaign_folder_corpora(source);
  g_autofree char *to = campaign_folder_corpora(folder);
  *out_added = 0;
  GDir *directory = g_dir_open(from, 0, NULL);
  if (directory == NULL) return STATUS_OK;
  status_t status = STATUS_OK;
  for (const char *name; status == STATUS_OK && (name = g_dir_read_name(directory)) != NULL;) {
    g_autofree char *corpus = g_build_filename(from, name, NULL);
    g_autofree char *target = g_build_filename(to, name, NULL);
    if (!g_file_test(corpus, G_FILE_TEST_IS_DIR)) continue;
    status = merge_corpus(corpus, target, out_added, error);
  }
  g_dir_close(directory);
  return status;
}
