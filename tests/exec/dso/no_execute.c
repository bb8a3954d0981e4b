/* SPDX-License-Identifier: Apache-2.0 */
/* Test fixture: a backend whose table lacks the execute function, which must be refused when it is
 * opened. */
#include "tests/exec/dso/backend.h"

BACKEND_WITH(execute, NULL)
