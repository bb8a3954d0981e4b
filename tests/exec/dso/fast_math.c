/* SPDX-License-Identifier: Apache-2.0 */
/* Built by gcc -Ofast -shared, which links code that switches to flush-to-zero when it is loaded.
 */
#include "tests/exec/dso/backend.h"

BACKEND_WITH(abi, ASSAY_EXECUTOR_ABI)
