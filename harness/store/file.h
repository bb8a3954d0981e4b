/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a database: where it is, and whether it is one of Assay's.
 *
 * Nothing here, and nothing else in Assay, opens such a file but SQLite: POSIX drops all locks that
 * a process holds on a file as soon as it closes any descriptor of it, and others then believe that
 * nobody has the database open.  SQLite keeps its own descriptors until all of its locks are gone.
 */
#ifndef ASSAY_STORE_FILE_H
#define ASSAY_STORE_FILE_H

#include <sqlite3.h>

#include "harness/base/status.h"

/* "ASAY", in the header of the file. */
enum { STORE_APPLICATION_ID = 0x41534159 };

typedef enum connection_mode {
  CONNECTION_WRITE, /* Creates the file if it is not there. */
  CONNECTION_READ,
} connection_mode_t;

/* The name by which SQLite opens the file and nothing else: without a folder, ":memory:" would be
 * none.  The caller frees it. */
char *store_file_name(const char *path);

/* Before a file is opened: refuses what can be no database, and one to read that is not there,
 * without touching anything. */
status_t store_file_check_place(const char *path, connection_mode_t mode, failure_t *error);

/* After it has been opened, and before any statement has run on `database`: refuses what is not
 * ours by its header alone, read through SQLite's handle.  No lock is taken and no journal or log
 * beside it is looked at: those of other people's databases stay as they are. */
status_t store_file_check_header(sqlite3 *database, const char *path, connection_mode_t mode,
                                 failure_t *error);

/* The error number that says why SQLite could not open or make the file; `reported` is what SQLite
 * knows: it tries again without writing, and then remembers only why that failed. */
int store_file_errno(const char *path, int reported);

#endif
