/* What the parts of the store know of one another. */
#ifndef ASSAY_STORE_STORE_INTERNAL_H
#define ASSAY_STORE_STORE_INTERNAL_H

#include "harness/store/store.h"
#include "harness/store/store_connection.h"

/* Borrowed. */
connection_t *store_connection(store_t *store);

#endif
