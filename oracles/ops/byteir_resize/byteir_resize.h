/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.resize: a tensor resampled to other sizes, at coordinates that each dimension has by
 * itself.
 *
 * The document that introduced the op gives the transformations of coordinates and little else.
 * What it leaves open is decided here:
 *
 * - Nearest takes the element at the floor of the coordinate; linear interpolates along each
 *   dimension between the elements at the floor and one further.  Elements beyond an end are those
 *   at the end, whether the coordinate is clamped or the two indices are.
 * - Where length_resized is 1, align_corners has coordinate 0 (its formula is 0 / 0) as
 *   pytorch_half_pixel has.
 * - A program in which all scales are 1 is a copy, bit by bit.  Beside others, a dimension whose
 *   scale is 1 is copied or interpolated along, with weights 1 and 0, or as two halves of the last
 *   element; not so the first two of more than three dimensions, which are no part of an image.
 * - The target has one entry for each dimension: f32 scales, or i32 or i64 sizes.  Sizes are those
 *   of the result; a scale s of a dimension of n elements gives floor(n * s), and there is no
 *   meaning where the product in f32 and the exact one have other floors.  For coordinates, a scale
 *   that does not give a whole length is either rounded to one first, so that the text's
 *   "length_resized / length_original" is meant, or taken as it is given: permission resize_scale.
 * - Coordinates do not depend on the type of the data: they are computed in f32 or in f64, each
 *   step in either, in one of several ways (byteir_resize/coordinate.h).
 * - A dimension without elements has none in the result, and no other dimension loses all.
 * - Nearest takes floats and integers of 8 bits or more, linear floats and integers of 8 to 32
 * bits. These become numbers of f32 or f64, which are interpolated, and what comes of it is rounded
 *   towards zero, down or to nearest, since nobody says how (permission resize_rounding), to an
 *   integer of the type: to its largest one, where f32 has gone beyond that. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_RESIZE_BYTEIR_RESIZE_H
#define ASSAY_ORACLES_OPS_BYTEIR_RESIZE_BYTEIR_RESIZE_H

#include "harness/kinds/byteir.h"

/* In the order of their spellings. */
typedef enum resize_target { RESIZE_SCALE, RESIZE_SIZE } resize_target_t;
typedef enum resize_mode { RESIZE_NEAREST, RESIZE_LINEAR } resize_mode_t;
typedef enum resize_transformation {
  RESIZE_ASYMMETRIC,
  RESIZE_PYTORCH_HALF_PIXEL,
  RESIZE_HALF_PIXEL,
  RESIZE_ALIGN_CORNERS,
} resize_transformation_t;

typedef struct byteir_resize_attributes {
  uint8_t target_mode;    /* resize_target_t */
  uint8_t mode;           /* resize_mode_t */
  uint8_t transformation; /* resize_transformation_t */
} byteir_resize_attributes_t;

static inline const byteir_resize_attributes_t *byteir_resize_attributes(const program_t *program) {
  return program->attributes;
}

/* Values of the family's permissions, in the order of their spellings. */
enum permission_resize_scale { RESIZE_SCALE_RATIO, RESIZE_SCALE_GIVEN, RESIZE_SCALE_EITHER };
enum permission_resize_zero_weight {
  RESIZE_ZERO_WEIGHT_MULTIPLY,
  RESIZE_ZERO_WEIGHT_SKIP,
  RESIZE_ZERO_WEIGHT_EITHER,
  RESIZE_ZERO_WEIGHT_EVERYWHERE,
};

/* op/draw.c: the op row's own. */
void byteir_resize_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                        program_t *inout_program);
void byteir_resize_draw_edges(rng_t *rng, case_t *inout_case);
void byteir_resize_settle(rng_t *rng, case_t *inout_case);

/* Whether elements of that type can be resized so. */
bool byteir_resize_takes(resize_mode_t mode, const element_t *element);

/* Whether a scale makes `resized` elements of `length`, in f32 and in exact arithmetic alike. */
bool byteir_resize_scale_gives(double scale, int64_t length, int64_t resized);

#endif
