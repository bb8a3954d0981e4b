/* SPDX-License-Identifier: Apache-2.0 */
/* What the draw() functions of the ops share: element types and sizes, the usual ones more likely.
 */
#ifndef ASSAY_DRAW_DRAW_H
#define ASSAY_DRAW_DRAW_H

#include "harness/base/rng.h"
#include "harness/model/case.h"
#include "harness/model/draw_limits.h"
#include "harness/types/dimension_list.h"

/* Draws among the tensor element types for which `allowed` is true (NULL allows all): f32, f16,
 * bf16, f64, i32 and i8 often, f8E8M0FNU seldom.  NULL if none is allowed. */
typedef bool draw_filter_t(const element_t *element, const void *context);
const element_t *draw_element(rng_t *rng, draw_filter_t *allowed, const void *context);

/* Draws an element type of the same kind, maybe the same one. */
const element_t *draw_same_kind(rng_t *rng, const element_t *element);

/* Draws an accumulation type for `from`: mostly `from` itself, else one to which it is promotable;
 * seldom a float to which the promotion is not exact, never such an integer. */
const element_t *draw_promotion(rng_t *rng, const element_t *from);

/* Draws a size in 0..largest, seldom 0 where sizes are small, else 0 only if there is no other. */
int64_t draw_size(rng_t *rng, draw_sizes_t sizes, int64_t largest);

/* A power of two from 2^lowest to 2^highest, or a few less or more: sizes at which kernels change.
 */
int64_t draw_threshold(rng_t *rng, int64_t lowest, int64_t highest);

/* What is long and thin has draw_threshold() of these two in one dimension, 4,096 to 65,536, and at
 * most so many in others. */
enum { DRAW_SLENDER_LOWEST = 12, DRAW_SLENDER_HIGHEST = 16, DRAW_SLENDER_WIDEST = 8 };

/* The same for a dimension whose elements are combined.  Where sizes are small, one in
 * `long_one_in` is a length at which blocked and vectorized loops have a tail or none: a power of
 * two up to 1024, one less or one more. */
int64_t draw_length(rng_t *rng, draw_sizes_t sizes, int64_t largest, uint64_t long_one_in);

/* The same for terms that are added: as often any length between two powers of two, of which all
 * magnitudes are alike.  A kernel that is right up to a whole block shows its fault beyond. */
int64_t draw_term_count(rng_t *rng, draw_sizes_t sizes, int64_t largest);

/* Changes the shape of a type to another one nearby: a size more or less, a dimension more or less.
 * The outcome may exceed the bounds of type_check(). */
void draw_other_shape(rng_t *rng, type_t *inout_type);

/* A random order of 0..count-1; count is at most TYPE_RANK_MAX. */
dimension_list_t draw_permutation(rng_t *rng, uint32_t count);

/* Whether all types obey type_check(): what edits must keep, so that the program can
 * still be written down. */
bool program_obeys_bounds(const program_t *program);

#endif
