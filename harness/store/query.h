/* SPDX-License-Identifier: Apache-2.0 */
/* A query on an open connection. */
#ifndef ASSAY_STORE_QUERY_H
#define ASSAY_STORE_QUERY_H

#include "harness/store/connection.h"
#include "harness/store/store.h"

/* Whether values that are numbers come with their texts: to write these takes as long as all else
 * that a pass over many rows does. */
typedef enum query_numbers { QUERY_NUMBERS_AND_TEXTS, QUERY_NUMBERS_ALONE } query_numbers_t;

/* As store_query(). */
status_t store_query_on(const connection_t *connection, const char *sql, query_numbers_t numbers,
                        store_row_t row, void *context, failure_t *error);

#endif
