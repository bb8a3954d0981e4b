/* SPDX-License-Identifier: Apache-2.0 */
/* It declares that it checks programs, and does not. */
#include "tests/exec/dso/backend.h"

BACKEND_WITH(validates, 1)
