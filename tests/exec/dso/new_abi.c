/* SPDX-License-Identifier: Apache-2.0 */
/* Test fixture: a backend whose table claims a newer ABI version than the one requested, which
 * must be refused. */
#include "tests/exec/dso/backend.h"

BACKEND_WITH(abi, ASSAY_EXECUTOR_ABI + 1)
