/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the store know of one another. */
#ifndef ASSAY_STORE_INTERNAL_H
#define ASSAY_STORE_INTERNAL_H

#include "harness/store/connection.h"
#include "harness/store/store.h"
#include "harness/store/write.h"

/* Borrowed. */
connection_t *store_connection(store_t *store);

/* Borrowed; what it writes happens now. */
writer_t *store_writer(store_t *store);

/* Copies the row; it is written with the next commit. */
void store_add_row(store_t *store, row_kind_t kind, const void *row);

#endif
