/* SPDX-License-Identifier: Apache-2.0 */
/* The quick side of rows that share numbers.  Private to oracles/composite. */
#ifndef ASSAY_ORACLES_COMPOSITE_ROWS_FAST_ROW_H
#define ASSAY_ORACLES_COMPOSITE_ROWS_FAST_ROW_H

#include "oracles/composite/parts.h"

/* Whether some numbers surely explain all elements of a row by a variant that the fast evaluator
 * knows (theory.md, T113); false if that was not found in a few steps.  `values` are those of each
 * result's elements of the row. */
bool fast_row_is_explained(const problem_t *problem, const variant_t *variant, const part_t *row,
                           const double *const *values);

#endif
