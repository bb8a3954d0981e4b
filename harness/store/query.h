/* SPDX-License-Identifier: Apache-2.0 */
/* A query on an open connection. */
#ifndef ASSAY_STORE_QUERY_H
#define ASSAY_STORE_QUERY_H

#include "harness/store/connection.h"
#include "harness/store/store.h"

/* As store_query(). */
status_t store_query_on(const connection_t *connection, const char *sql, store_row_t row,
                        void *context, failure_t *error);

#endif
