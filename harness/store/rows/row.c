/* SPDX-License-Identifier: Apache-2.0 */
/* Copies, frees and binds rows by what columns.def says of their columns: no function names a
 * table. */
#include "harness/store/rows/row.h"

#include <glib.h>
#include <inttypes.h>
#include <stdio.h>

enum { PARAMETER_BYTES = 64 };

/* ROW_columns[]: the columns of each kind of row. */
/* clang-format off */
#define ROW_BEGIN(row, table) static const column_t row##_columns[] = {
#define COLUMN(row, role, kind, column) \
  {#column, ROLE_##role, #role, KIND_##kind, offsetof(store_##row##_t, column)},
#define ROW_END(row, table) };
/* clang-format on */
#include "harness/store/rows/columns.def"

const row_type_t *row_type(row_kind_t kind) {
  static const row_type_t types[ROW_COUNT] = {
#define ROW_BEGIN(row, table) \
  [ROW_##row] = {#row, #table, row##_columns, G_N_ELEMENTS(row##_columns), sizeof(store_##row##_t)},
#define COLUMN(row, role, kind, column)
#define ROW_END(row, table)
#include "harness/store/rows/columns.def"
  };
  return &types[kind];
}

bool row_is_count(row_kind_t kind) {
  const row_type_t *type = row_type(kind);
  for (size_t i = 0; i < type->column_count; i++) {
    if (type->columns[i].role == ROLE_SUM) return true;
  }
  return false;
}

static const void *member(const void *row, const column_t *column) {
  return (const unsigned char *)row + column->offset;
}

void *row_copy(row_kind_t kind, const void *row) {
  const row_type_t *type = row_type(kind);
  unsigned char *copy = g_memdup2(row, type->bytes);
  for (size_t i = 0; i < type->column_count; i++) {
    if (type->columns[i].kind != KIND_TEXT) continue;
    char **text = (char **)(void *)(copy + type->columns[i].offset);
    *text = g_strdup(*text == NULL ? "" : *text);
  }
  return copy;
}

void row_free(row_kind_t kind, void *row) {
  const row_type_t *type = row_type(kind);
  for (size_t i = 0; i < type->column_count; i++) {
    if (type->columns[i].kind != KIND_TEXT) continue;
    g_free(*(char *const *)member(row, &type->columns[i]));
  }
  g_free(row);
}

static void bind(const column_t *column, const void *value, sqlite3_stmt *statement,
                 const char *parameter) {
  switch (column->kind) {
    case KIND_RUN:
    case KIND_EXECUTOR:
    case KIND_INTEGER:
      connection_bind_integer(statement, parameter, *(const int64_t *)value);
      break;
    case KIND_COUNT:
      connection_bind_integer(statement, parameter, (int64_t)(*(const uint64_t *)value));
      break;
    case KIND_REAL:
      connection_bind_real(statement, parameter, *(const double *)value);
      break;
    case KIND_SEED:
      connection_bind_seed(statement, parameter, *(const uint64_t *)value);
      break;
    case KIND_TEXT: {
      const char *text = *(const char *const *)value;
      connection_bind_text(statement, parameter, text == NULL ? "" : text);
    }
  }
}

void row_bind(row_kind_t kind, const void *row, sqlite3_stmt *statement) {
  const row_type_t *type = row_type(kind);
  for (size_t i = 0; i < type->column_count; i++) {
    const column_t *column = &type->columns[i];
    char parameter[PARAMETER_BYTES];
    snprintf(parameter, sizeof parameter, ":%s", column->name);
    if (!connection_has_parameter(statement, parameter)) continue;
    bind(column, member(row, column), statement, parameter);
  }
}
