/* SPDX-License-Identifier: Apache-2.0 */
/* The cosine, as a step of formulas over sets. */
#ifndef ASSAY_ORACLES_FORMULA_PERIODIC_ENCLOSED_COSINE_H
#define ASSAY_ORACLES_FORMULA_PERIODIC_ENCLOSED_COSINE_H

#include "oracles/formula/enclosed.h"

/* The cosines of finite numbers, each of which errs by so many ulps of the result (theory.md,
 * T188). */
row_t enclosed_cosine(formula_t *formula, row_t a, double ulps);

#endif
