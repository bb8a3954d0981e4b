/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what the fast evaluator finds of a row into an accept set, in vector loops: one table for
 * each instruction set that they were compiled for.  Private to oracles/composite. */
#ifndef ASSAY_ORACLES_COMPOSITE_STORE_FAST_STORE_H
#define ASSAY_ORACLES_COMPOSITE_STORE_FAST_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "oracles/composite/parts.h"

/* The arrays of an accept set (harness/model/accept.h), from some component on. */
typedef struct set_arrays {
  double *low;
  double *high;
  double *other_low; /* NULL, as other_high, where one variant is all. */
  double *other_high;
  double *reference;
  double *tail;
  double *magnitude; /* The permitted error. */
  uint8_t *specials;
  uint8_t *decide;
} set_arrays_t;

/* Numbers first .. first + count - 1 of a row become as many components. */
typedef struct fast_store {
  const char *name; /* "avx512", "avx2", "portable". */
  /* What the first variant permits. */
  void (*first)(const fast_row_t *row, size_t first, size_t count, const set_arrays_t *out);
  /* What a further variant permits of numbers that the first one told; `smallest` is the smallest
   * number of the result's format. */
  void (*other)(const fast_row_t *row, size_t first, size_t count, double smallest,
                const set_arrays_t *out);
} fast_store_t;

/* The fastest that this machine can run; the one of that name, or NULL. */
const fast_store_t *fast_store_best(void);
const fast_store_t *fast_store_named(const char *name);

#endif
