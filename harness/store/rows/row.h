/* SPDX-License-Identifier: Apache-2.0 */
/* What holds of every row that travels to the database (columns.def): its columns as data, by
 * which it is copied and bound.  Private to harness/store. */
#ifndef ASSAY_STORE_ROWS_ROW_H
#define ASSAY_STORE_ROWS_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/store/connection.h"
#include "harness/store/rows/rows.h"

typedef enum column_kind {
  KIND_RUN,
  KIND_EXECUTOR,
  KIND_INTEGER,
  KIND_COUNT,
  KIND_REAL,
  KIND_SEED,
  KIND_TEXT
} column_kind_t;

typedef enum column_role {
  ROLE_KEY,
  ROLE_SUM,
  ROLE_MAX,
  ROLE_FIRST,
  ROLE_LAST,
  ROLE_FINDING,
  ROLE_CASE,
  ROLE_GIVEN
} column_role_t;

typedef struct column {
  const char *name;
  column_role_t role;
  const char *role_name; /* "KEY", ... */
  column_kind_t kind;
  size_t offset; /* Of the member. */
} column_t;

/* ROW_counter, ...: which struct a row is. */
typedef enum row_kind {
#define ROW_BEGIN(row, table) ROW_##row,
#define COLUMN(row, role, kind, column)
#define ROW_END(row, table)
#include "harness/store/rows/columns.def"
  ROW_COUNT
} row_kind_t;

typedef struct row_type {
  const char *name;  /* "counter", ... */
  const char *table; /* Of the database. */
  const column_t *columns;
  size_t column_count;
  size_t bytes; /* Of the struct. */
} row_type_t;

const row_type_t *row_type(row_kind_t kind);

/* Whether its rows are counts: they have sums. */
bool row_is_count(row_kind_t kind);

/* A copy with copies of its texts, "" for those that are NULL; row_free() frees both. */
void *row_copy(row_kind_t kind, const void *row);
void row_free(row_kind_t kind, void *row);

/* Binds the members for which the statement has a parameter of their name (":op").  Texts are not
 * copied: they must live until the statement has run. */
void row_bind(row_kind_t kind, const void *row, sqlite3_stmt *statement);

#endif
