/* SPDX-License-Identifier: Apache-2.0 */
/* Built with the header as it was before backends could declare that they validate. */
#include <stddef.h>

#include "tests/exec/dso/backend.h"

BACKEND_WITH(struct_size, offsetof(assay_executor_t, validates))
