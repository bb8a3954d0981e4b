/* SPDX-License-Identifier: Apache-2.0 */
/* erfc where MPFR is slow: between about 5 and 20 it sums a series that cancels, which takes tenths
 * of a millisecond. */
#ifndef ASSAY_ORACLES_FORMULA_QUICK_ERFC_H
#define ASSAY_ORACLES_FORMULA_QUICK_ERFC_H

#include <mpfr.h>

/* As mpfr_erfc(), bit for bit: theory.md, T242. */
int quick_erfc(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding);

#endif
