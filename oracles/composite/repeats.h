/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of an elementwise op that have the same operands, and so the same accept set: drawn data
 * repeat infinities, zeros and the largest numbers, which cost the exact side most. */
#ifndef ASSAY_ORACLES_COMPOSITE_REPEATS_H
#define ASSAY_ORACLES_COMPOSITE_REPEATS_H

#include "oracles/composite/parts.h"

/* A table of elements, in an arena. */
typedef struct repeats {
  const problem_t *problem;
  size_t mask;   /* The number of slots less 1; a power of two. */
  size_t *slots; /* An element and 1, or 0.  NULL: elements may differ by more than operands. */
} repeats_t;

/* For at most `count` elements of the problem, in its arena. */
repeats_t repeats_make(const problem_t *problem, size_t count);

/* The element of an earlier call that has the patterns of this one in all operands; or this one,
 * which is kept. */
size_t repeats_find(repeats_t *inout_repeats, size_t element);

#endif
