/* SPDX-License-Identifier: Apache-2.0 */
/* How large the programs are that an op's draw() makes. */
#ifndef ASSAY_MODEL_DRAW_LIMITS_H
#define ASSAY_MODEL_DRAW_LIMITS_H

#include <stdint.h>

/* How the sizes of dimensions are drawn, see draw_size(). */
typedef enum draw_sizes {
  DRAW_SIZES_SMALL,    /* 1 to 4 mostly, or any order of magnitude alike. */
  DRAW_SIZES_TILED,    /* Multiples of what kernels work in blocks of, one more and one less. */
  DRAW_SIZES_LONG,     /* Some dimension of a thousand and more. */
  DRAW_SIZES_DEPLOYED, /* Those of models that people run. */
  DRAW_SIZES_FILLING,  /* As many elements as the limits allow. */
  DRAW_SIZES_SLENDER,  /* One dimension of thousands, near a power of two; others of 1 to 8. */
} draw_sizes_t;

/* Sizes that bound a draw. */
typedef struct draw_limits {
  uint32_t rank_max;    /* Of each operand. */
  int64_t elements_max; /* Of each operand and result. */
  int64_t terms_max;    /* Terms that go into one result element. */
  draw_sizes_t sizes;
} draw_limits_t;

#endif
