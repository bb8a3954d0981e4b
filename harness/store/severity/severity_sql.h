/* SPDX-License-Identifier: Apache-2.0 */
/* Severities in statements.  Private to harness/store. */
#ifndef ASSAY_STORE_SEVERITY_SEVERITY_SQL_H
#define ASSAY_STORE_SEVERITY_SEVERITY_SQL_H

#include <glib.h>

#include "harness/store/connection.h"

/* Lets statements of a connection call severity_of(what, class, cause, types, case_line, got,
 * expected), where `what` is 'severity', 'data_extent', 'relative_error' or 'weight', and
 * severity_rank(severity): 1 is the gravest, and what is no severity comes last. */
status_t severity_sql_define(const connection_t *connection, failure_t *error);

/* Appends an expression that is severity_rank() of the text in a column: any SQLite can run it. */
void severity_append_rank(const char *column, GString *out_sql);

#endif
