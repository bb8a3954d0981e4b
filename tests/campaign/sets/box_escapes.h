/* SPDX-License-Identifier: Apache-2.0 */
/* Which planted faults let results escape their boxes, by op: tables in the folders of ops; and
 * what references are worth. */
#ifndef ASSAY_TESTS_CAMPAIGN_SETS_BOX_ESCAPES_H
#define ASSAY_TESTS_CAMPAIGN_SETS_BOX_ESCAPES_H

#include <math.h>
#include <string.h>

#include "harness/model/accept.h"
#include "harness/model/op.h"

/* ESCAPES(op, terms, zero_points, stores_products): of an op whose boxes are held against more than
 * all are. */
typedef struct escapes {
  const char *op;
  bool terms;           /* A term that is left out lets something escape; ... */
  bool zero_points;     /* ... zero points that are forgotten do. */
  bool stores_products; /* Quantized results are rounded sums of products. */
} escapes_t;

static inline const escapes_t *find_escapes(const op_t *op) {
  static const escapes_t rows[] = {
#define ESCAPES(op, terms, zero_points, stores_products) {op, terms, zero_points, stores_products},
#include "generated/all_escapes.def"
#undef ESCAPES
      {NULL, false, false, false},
  };
  const escapes_t *row = rows;
  while (row->op != NULL && strcmp(row->op, op->name) != 0) row++;
  return row;
}

/* How far the reference of a formula may be from x*: correctly rounded it is for sums alone
 * (accept.h).  The fast side of formulas computes it in binary64 step by step, which errs by some
 * units in its last place, and by a small part of what the format's own steps may, the `magnitude`.
 */
static inline double reference_error(const accept_t *accept, size_t component) {
  double permitted = accept->magnitude[component]; /* A set without numbers has none. */
  bool is_known = permitted > 0 && isfinite(permitted);
  return fabs(accept->reference[component]) * 0x1p-44 + (is_known ? permitted * 0x1p-20 : 0);
}

#endif
