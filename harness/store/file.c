/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a database file before use, reading its header through SQLite's own file handle, since
 * opening the file a second time would drop SQLite's locks. */
#include "harness/store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/store/store.h"

enum {
  FILE_HEADER_BYTES = 72,
  APPLICATION_ID_OFFSET = 68, /* Big-endian; see "Database File Format" in SQLite's manual. */
};

char *store_file_name(const char *path) {
  return g_path_is_absolute(path) ? g_strdup(path) : g_build_filename(".", path, NULL);
}

bool store_is_same_file(const char *path, const char *other) {
  GStatBuf first;
  GStatBuf second;
  return g_stat(path, &first) == 0 && g_stat(other, &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

status_t store_file_check_place(const char *path, connection_mode_t mode, failure_t *error) {
  GStatBuf file;
  if (path[0] == '\0') {
    return status_fail(error, STATUS_INVALID, "the name of the database is empty; write --db FILE");
  }
  if (g_stat(path, &file) == 0) {
    if (S_ISREG(file.st_mode)) return STATUS_OK;
    if (S_ISDIR(file.st_mode)) {
      return status_fail(error, STATUS_INVALID,
                         "cannot open database \"%s\": Is a directory; name a file, or the folder "
                         "of a campaign",
                         path);
    }
    return status_fail(error, STATUS_INVALID, "\"%s\" is no plain file; name another", path);
  }
  bool is_missing = errno == ENOENT || errno == ENOTDIR;
  if (!is_missing) {
    return status_fail(error, STATUS_IO, "cannot open database \"%s\": %s", path, strerror(errno));
  }
  if (mode == CONNECTION_READ) {
    return status_fail(error, STATUS_INVALID,
                       "there is no database \"%s\": check the path; `assay run --db FILE` and "
                       "`assay campaign --out FOLDER` make one",
                       path);
  }
  g_autofree char *folder = g_path_get_dirname(path);
  if (g_file_test(folder, G_FILE_TEST_IS_DIR)) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "cannot make database \"%s\": there is no folder \"%s\"; make it, or name "
                     "another",
                     path, folder);
}

status_t store_require(const char *path, failure_t *error) {
  return store_file_check_place(path, CONNECTION_READ, error);
}

/* What SQLite says of reading its own file; `code` is an extended result. */
static status_t fail_to_read(sqlite3 *database, const char *path, failure_t *error) {
  int number = sqlite3_system_errno(database);
  return status_fail(error, STATUS_IO, "cannot read \"%s\": %s", path,
                     number == 0 ? "an error of its file system" : strerror(number));
}

status_t store_file_check_header(sqlite3 *database, const char *path, connection_mode_t mode,
                                 failure_t *error) {
  static const char magic[] = "SQLite format 3";
  sqlite3_file *file = NULL;
  sqlite3_int64 size = 0;
  unsigned char header[FILE_HEADER_BYTES] = {0};
  int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  g_assert(code == SQLITE_OK && file->pMethods != NULL);
  if (file->pMethods->xFileSize(file, &size) != SQLITE_OK) {
    return fail_to_read(database, path, error);
  }
  if (size == 0) {
    if (mode == CONNECTION_WRITE) return STATUS_OK;
    return status_fail(error, STATUS_INVALID, "\"%s\" is empty, not a database", path);
  }
  code = file->pMethods->xRead(file, header, sizeof header, 0);
  if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) {
    return fail_to_read(database, path, error);
  }
  if (size < (sqlite3_int64)sizeof header || memcmp(header, magic, sizeof magic) != 0) {
    return status_fail(error, STATUS_INVALID, "\"%s\" is not a database; name another file", path);
  }
  const unsigned char *id = header + APPLICATION_ID_OFFSET;
  if (((uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 | (uint32_t)id[2] << 8 | id[3]) !=
      STORE_APPLICATION_ID) {
    return status_fail(error, STATUS_INVALID,
                       "\"%s\" is an SQLite database, but not one of Assay's; name another file",
                       path);
  }
  return STATUS_OK;
}

int store_file_errno(const char *path, int reported) {
  enum { OWNER_ALONE = 0700 };
  if (g_file_test(path, G_FILE_TEST_EXISTS)) return reported;
  /* What keeps a file from being made keeps a folder too, and no file need be opened to see it. */
  if (g_mkdir(path, OWNER_ALONE) != 0) return errno;
  g_rmdir(path);
  return reported;
}
