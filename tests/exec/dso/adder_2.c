/* SPDX-License-Identifier: Apache-2.0 */
/* Test fixture: version 2.0 of the same adder, which sums in 16 instead of 8 lanes from 32 terms
 * on. Prediction from a profile of version 1.0 must find that length. */
#include "tests/exec/dso/adder.h"

ADDER("2.0", 8, 16, 32)
