/* SPDX-License-Identifier: Apache-2.0 */
/* The queries of reports/queries, as embedded by the build. */
#ifndef ASSAY_REPORTS_QUERY_TABLE_H
#define ASSAY_REPORTS_QUERY_TABLE_H

typedef struct named_query {
  const char *name; /* "by-op", from by-op.sql. */
  const char *sql;  /* The text of the file; its first line is a comment that describes it. */
} named_query_t;

/* Sorted by name, ended by a row whose name is NULL. */
const named_query_t *query_table(void);

#endif
