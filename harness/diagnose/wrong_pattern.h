/* SPDX-License-Identifier: Apache-2.0 */
/* Which elements of a result are wrong, in a word that does not depend on sizes where it need not:
 *
 *   all             every one
 *   last, first     one, at the end or at the beginning of the tensor
 *   one             one, elsewhere
 *   last-ROLE       in the last index of one dimension; ROLE is batch, row or column
 *   first-ROLE      in the first index of one
 *   tail-of-8       in what one dimension has beyond its last whole block of 8 (16, 32, 64)
 *   multiple-of-16  where the index of one dimension is a multiple of 16 (8, 32, 64)
 *   one-ROLE        in one index of one dimension, neither the first nor the last
 *   every-7th       where the number of the element is q modulo 7 (3 to 64): all of them
 *   edge            in the first or the last index of some dimension
 *   most, scattered more than half of them; what is none of these
 *
 * The first word that holds is the pattern.  A word for a set of places holds if nothing outside it
 * is wrong, if at least half of it is, and if it is at most half of the tensor: a fault that fills
 * such a set need not show in each of its elements. */
#ifndef ASSAY_DIAGNOSE_WRONG_PATTERN_H
#define ASSAY_DIAGNOSE_WRONG_PATTERN_H

#include "harness/judge/verdict.h"
#include "harness/model/axes.h"

/* `wrong` has one entry per element of result `result`, nonzero where that is wrong, and one at
 * least is.  Writes the word; roles are those of axes_of(), or by place (the last dimension is the
 * column, the one before it the row) where the op tells none. */
void wrong_pattern(const program_t *program, uint32_t result, const uint8_t *wrong,
                   char out_pattern[VERDICT_PATTERN_BYTES]);

#endif
