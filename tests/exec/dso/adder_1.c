/* SPDX-License-Identifier: Apache-2.0 */
/* Test fixture: a backend that sums in 8 lanes at every length, as version 1.0 of a pair whose
 * second version changes its order of summation. */
#include "tests/exec/dso/adder.h"

ADDER("1.0", 8, 8, 1)
