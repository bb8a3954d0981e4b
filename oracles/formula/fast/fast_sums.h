/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of the fast evaluator that are sums: those of evaluator_t. */
#ifndef ASSAY_ORACLES_FORMULA_FAST_FAST_SUMS_H
#define ASSAY_ORACLES_FORMULA_FAST_FAST_SUMS_H

#include "oracles/formula/formula.h"

row_t fast_sum(formula_t *formula, row_t a);
row_t fast_sum_of_products(formula_t *formula, row_t a, row_t b);
row_t fast_squared_deviations(formula_t *formula, row_t a, row_t mean);
row_t fast_shares(formula_t *formula, row_t a);

#endif
