/* SPDX-License-Identifier: Apache-2.0 */
/* It declares that compiling costs it much. */
#include "tests/exec/dso/backend.h"

BACKEND_WITH(compiling_is_dear, 1)
