/* The statements that write profiles; see store_add_profile().  Private to harness/store. */
#ifndef ASSAY_STORE_STORE_PROFILE_H
#define ASSAY_STORE_STORE_PROFILE_H

#include <stdbool.h>

#include "harness/store/store.h"
#include "harness/store/store_connection.h"

/* Writes one profile in a transaction of its own. */
status_t profile_write(const connection_t *connection, const store_profile_t *profile, int64_t now,
                       bool *out_is_new, failure_t *error);

#endif
