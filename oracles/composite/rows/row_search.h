/* SPDX-License-Identifier: Apache-2.0 */
/* Whether there are numbers that a row may share and that explain all of its elements, by one
 * variant: theory.md, T110, T111 and T112.  Private to oracles/composite. */
#ifndef ASSAY_ORACLES_COMPOSITE_ROWS_ROW_SEARCH_H
#define ASSAY_ORACLES_COMPOSITE_ROWS_ROW_SEARCH_H

#include "oracles/composite/rows/shared_row.h"

typedef enum row_verdict {
  ROW_AGREES,      /* Numbers were found that explain all elements. */
  ROW_CONTRADICTS, /* No numbers explain even the witnesses. */
  ROW_UNDECIDED,   /* Neither is known: the search ended, or numbers may be NaN or infinite. */
} row_verdict_t;

/* Elements of a row that no numbers explain together, by their places among its terms. */
typedef struct row_witnesses {
  size_t count;
  size_t terms[ROW_ELEMENTS_MAX];
} row_witnesses_t;

/* Asks about the witnesses alone. */
row_verdict_t row_search_witnesses(shared_row_t *row, const row_witnesses_t *witnesses);

/* Asks about all of the row; adds elements to the witnesses as they are needed. */
row_verdict_t row_search_all(shared_row_t *row, row_witnesses_t *inout_witnesses);

#endif
