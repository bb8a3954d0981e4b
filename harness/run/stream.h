/* The cases of a campaign, one after the other: a program is drawn rarely, since compiling costs
 * milliseconds, and data for it often, since running costs microseconds.
 *
 * Case (program_index, case_index) depends on the seed and the two indices alone, never on what an
 * executor did with the cases before it. */
#ifndef ASSAY_RUN_STREAM_H
#define ASSAY_RUN_STREAM_H

#include "harness/gen/gen.h"

typedef struct stream_options {
  const op_t *const *ops;   /* In turn; borrowed. */
  size_t op_count;          /* At least 1. */
  const program_t *program; /* If not NULL: this program only; borrowed, with its attributes. */
  const op_constraint_t *broken; /* The constraint that `program` breaks, or NULL. */
  /* If not NULL: draws the programs, in place of the ops; all of them valid. */
  void (*draw_program)(void *context, rng_t *rng, arena_t *arena, program_t *out_program);
  void *draw_context;
  gen_options_t gen;
  uint64_t seed;
  bool compiling_is_dear; /* More data for each program: for worker processes. */
} stream_options_t;

typedef struct stream {
  stream_options_t options;
  arena_t arena;          /* Of the present program and its operands. */
  uint64_t program_index; /* Of the present program, from 0. */
  uint64_t case_index;    /* Of the present case within its program, from 0. */
  uint64_t case_limit;    /* Cases to draw for the present program. */
  bool has_program;

  /* The present case; borrowed until the next stream_next(). */
  case_t instance;
  const op_constraint_t *broken; /* The constraint that the program breaks on purpose, or NULL. */
  gen_regime_t regime;
  uint64_t case_seed;  /* stream_draw_data() with it gives the same data. */
  bool is_new_program; /* This case is the first of its program. */
} stream_t;

void stream_init(stream_t *stream, const stream_options_t *options);
void stream_deinit(stream_t *stream);

/* Draws the next case. */
void stream_next(stream_t *stream);

/* Draws no more data for the present program.  A fixed program has no successor: see `program`. */
void stream_skip_program(stream_t *stream);

/* Fills the operands of a case from its case seed. */
gen_regime_t stream_draw_data(uint64_t case_seed, case_t *inout_case);

#endif
