/* SPDX-License-Identifier: Apache-2.0 */
/* Bulk writers of random components: one tight loop per byte width, no decision per value.  They
 * are the cheap half of every case that is drawn. */
#ifndef ASSAY_DRAW_RANDOM_FILL_H
#define ASSAY_DRAW_RANDOM_FILL_H

#include "harness/base/rng.h"
#include "harness/num/element.h"

/* Where `count` components go, all of one element type. */
typedef struct fill_target {
  const element_t *element;
  size_t count;
  uint8_t *data;
} fill_target_t;

enum { FILL_PATTERNS = 16 };

/* Each component is one of the patterns, all equally likely. */
void fill_patterns(rng_t *rng, const fill_target_t *target, const uint64_t patterns[FILL_PATTERNS]);

/* Any pattern at all. */
void fill_bits(rng_t *rng, const fill_target_t *target);

/* How floats are drawn.  Exponents are exponent fields of patterns. */
typedef struct fill_floats {
  uint32_t exponent_low;  /* Exponent fields are exponent_low .. exponent_low + span - 1, */
  uint32_t exponent_span; /* each equally likely; at least 1. */
  bool is_signed;
  bool is_power_of_two; /* Fractions are 0, except that exponent field 0 is then 1. */
} fill_floats_t;

/* Finite floats with random fractions; a zero is positive.  The element has a format, and the
 * exponent fields are at most fill_exponent_max(). */
void fill_floats(rng_t *rng, const fill_target_t *target, const fill_floats_t *how);

/* The largest exponent field all of whose patterns are finite. */
uint32_t fill_exponent_max(const format_t *format);

/* Floats uniform in [-1, 1), or [0, 1), with random bits in all places of the significand. */
void fill_uniform_floats(rng_t *rng, const fill_target_t *target, bool is_signed);

/* Integers or booleans uniform in low .. low + mask; mask is 2^k - 1, and the sum wraps. */
void fill_integers(rng_t *rng, const fill_target_t *target, uint64_t low, uint64_t mask);

/* Integers or booleans of every magnitude alike. */
void fill_wide_integers(rng_t *rng, const fill_target_t *target);

#endif
