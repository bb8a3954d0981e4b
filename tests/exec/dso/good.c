/* SPDX-License-Identifier: Apache-2.0 */
/* Test fixture: a well-behaved backend, against which the faulty ones differ in one member of the
 * function table. */
#include "tests/exec/dso/backend.h"

BACKEND_WITH(abi, ASSAY_EXECUTOR_ABI)
