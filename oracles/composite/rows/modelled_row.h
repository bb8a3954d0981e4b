/* SPDX-License-Identifier: Apache-2.0 */
/* Whether numbers that a row shares explain all of its elements, where the fast evaluator does not
 * know the type: a model with these numbers moved by units in their last places is brought near to
 * what was returned, and then asked about (theory.md, T111).  Private to oracles/composite. */
#ifndef ASSAY_ORACLES_COMPOSITE_ROWS_MODELLED_ROW_H
#define ASSAY_ORACLES_COMPOSITE_ROWS_MODELLED_ROW_H

#include "oracles/composite/rows/shared_row.h"

/* Rows of more terms are as well asked about by cells. */
enum { MODELLED_TERMS_MAX = 512 };

/* values[r] is what was returned as result `r` of the row, all finite.  False: none was found,
 * which tells nothing. */
bool modelled_row_is_explained(shared_row_t *row, const double *const *values);

#endif
