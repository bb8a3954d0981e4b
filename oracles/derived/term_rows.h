/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of terms, each as long as it likes, and the cases of stablehlo.reduce that reduce them. */
#ifndef ASSAY_ORACLES_DERIVED_TERM_ROWS_H
#define ASSAY_ORACLES_DERIVED_TERM_ROWS_H

#include "harness/kinds/reduction.h"
#include "oracles/derived/derived.h"

/* Terms that are no element of the tensor from which the others are. */
enum { TERM_ZERO = -2, TERM_INIT = -1 };

/* What is reduced to each of row_count result elements, in the specification's order. */
typedef struct term_rows {
  size_t row_count;
  const size_t *ends;   /* Row `i` ends before terms[ends[i]]; it begins where i - 1 ends. */
  const int64_t *terms; /* Element numbers, or as above. */
  const uint8_t *open;  /* If not NULL: nonzero for rows that the specification leaves open. */
} term_rows_t;

/* What rows are of. */
typedef struct term_source {
  const reduction_t *reduction;
  const reduction_types_t *types;
  const tensor_t *inputs; /* types->count of them, and their initial values. */
  const tensor_t *inits;
  bool has_no_init; /* The initial values enter nowhere: reduce_attributes_t. */
} term_source_t;

/* For reductions without an initial value: one that changes nothing, to the last bit, of the
 * accumulation type `type`.  For sums that is -0.  *out_has_none: there may be none (of quantized
 * values, whose zero point a node in 16 bits need not leave alone and which need not have a 1, and
 * of bodies that are written out), and out_init is only likely to be.  STATUS_UNSUPPORTED for
 * products of complex numbers, which have none either. */
status_t term_rows_no_init(const reduction_t *reduction, const scalar_type_t *type, arena_t *arena,
                           tensor_t *out_init, bool *out_has_none, failure_t *error);

/* One part for each length of rows. */
derived_parts_t term_rows_gather(const term_rows_t *rows, const term_source_t *source,
                                 arena_t *arena);

#endif
