/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that travel to the database as structs, store_counter_t and so on: their members, with
 * what they mean, are the lines of columns.def.  A row borrows its texts. */
#ifndef ASSAY_STORE_ROWS_ROWS_H
#define ASSAY_STORE_ROWS_ROWS_H

#include <stdint.h>

#define STORE_MEMBER_RUN(name) int64_t name
#define STORE_MEMBER_EXECUTOR(name) int64_t name
#define STORE_MEMBER_INTEGER(name) int64_t name
#define STORE_MEMBER_COUNT(name) uint64_t name
#define STORE_MEMBER_REAL(name) double name
#define STORE_MEMBER_SEED(name) uint64_t name
#define STORE_MEMBER_TEXT(name) const char *name

#define ROW_BEGIN(row, table) typedef struct store_##row {
#define COLUMN(row, role, kind, column) STORE_MEMBER_##kind(column);
#define ROW_END(row, table) \
  }                         \
  store_##row##_t;
#include "harness/store/rows/columns.def"

#endif
