/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of this Assay, and how a database gets there. */
#ifndef ASSAY_STORE_SCHEMA_H
#define ASSAY_STORE_SCHEMA_H

#include <glib.h>

#include "harness/store/connection.h"

typedef struct store_schema {
  const char *const *migrations; /* SQL that leads from version i to version i + 1. */
  int version;                   /* Migrations, and the version that they lead to. */
  const char *views;             /* SQL that drops and creates all views. */
  const char *merge;             /* SQL that adds the database attached as `source`, ... */
  const char *absorb;     /* ... that adds the parts in it to the runs that started them, ... */
  const char *drop_parts; /* ... and that comes after each of the two: for row_append_sql(). */
} store_schema_t;

/* The one that is built in. */
store_schema_t store_schema(void);

/* How far a database has come. */
status_t store_schema_version(const connection_t *connection, int *out_version, failure_t *error);

/* Brings a database to `schema` in one transaction.  STATUS_INVALID if it is newer. */
status_t store_schema_apply(connection_t *connection, const store_schema_t *schema,
                            failure_t *error);

/* The columns of all tables and views of the newest schema, "table.column" each, as owned texts:
 * those of tables first.  STATUS_IO if there is no memory for a database. */
status_t store_schema_columns(GPtrArray *inout_columns, failure_t *error);

#endif
