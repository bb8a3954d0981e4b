/* Asks a summer questions: few leaves hold numbers, all others zero. */
#ifndef ASSAY_IDENTIFY_PROBER_H
#define ASSAY_IDENTIFY_PROBER_H

#include "harness/identify/summer.h"

/* A mask is a term so large that a unit is lost beside it: mask + capacity * unit rounds to mask.
 * Up to `capacity` units can be counted in the result. */
typedef struct mask_scale {
  double mask;
  double unit;
  size_t capacity;
} mask_scale_t;

enum { MASK_SCALES_MAX = 6 };

/* The scales worth trying, best first; returns how many, 0 if the types leave no room.  The first
 * holds for accumulators in the result's format, the others for wider ones and for small units. */
size_t mask_scales(const summer_t *summer, mask_scale_t out_scales[MASK_SCALES_MAX]);

/* The largest exponent of a term or product that all formats hold; the least, normal or subnormal.
 */
int summer_largest_exponent(const summer_t *summer);
int summer_least_exponent(const summer_t *summer, bool subnormal);

typedef struct prober {
  summer_t *summer;
  double *left; /* By term; all 0 between probes. */
  double *right;
  double init;
  bool has_unfit; /* A value that was set is no term of the type. */
} prober_t;

prober_t prober_make(summer_t *summer, arena_t *arena);

/* Sets leaf `leaf` to a value, which a product splits over its factors. */
void prober_set(prober_t *prober, size_t leaf, double value);

/* Sets both factors of a product. */
void prober_set_factors(prober_t *prober, size_t leaf, double left, double right);

/* Evaluates, and sets all leaves back to zero.  STATUS_UNSUPPORTED if a value did not fit. */
status_t prober_run(prober_t *prober, double *out_value, failure_t *error);

#endif
