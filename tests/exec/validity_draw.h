/* SPDX-License-Identifier: Apache-2.0 */
/* Programs to hold validity against somebody else's opinion: drawn ones, ones that break a chosen
 * constraint, and ones changed at random, in ways that nobody thought of.  All of them can be
 * written down as a program line. */
#ifndef ASSAY_TESTS_EXEC_VALIDITY_DRAW_H
#define ASSAY_TESTS_EXEC_VALIDITY_DRAW_H

#include "harness/base/rng.h"
#include "harness/model/op.h"

typedef enum validity_origin {
  VALIDITY_DRAWN,   /* By the op's draw(). */
  VALIDITY_BROKEN,  /* By gen_break(), the constraints in turn. */
  VALIDITY_CHANGED, /* Attributes and types changed at random, once or a few times. */
  VALIDITY_ORIGINS
} validity_origin_t;

/* Draws program `number` of `op`: a quarter are drawn, a quarter broken, the others changed.  Where
 * no program can be made as `number` wants it (some constraints cannot be broken), another one is
 * drawn.  Returns how it came about; *out_line, in the arena, is its line. */
validity_origin_t validity_draw(rng_t *rng, const op_t *op, uint64_t number, arena_t *arena,
                                program_t *out_program, const char **out_line);

#endif
