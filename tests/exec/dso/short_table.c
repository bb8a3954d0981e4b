/* SPDX-License-Identifier: Apache-2.0 */
/* Test fixture: a backend whose table is shorter than the oldest ABI's, since its declared size
 * ends before the last member; it must be refused. */
#include <stddef.h>

#include "tests/exec/dso/backend.h"

BACKEND_WITH(struct_size, offsetof(assay_executor_t, close))
