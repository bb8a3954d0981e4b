/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of a campaign, one after the other: a program is drawn rarely, since compiling costs
 * milliseconds, and data for it often, since running costs microseconds.
 *
 * Case (program_index, case_index) depends on the seed, the subjects and the two indices alone.
 * Which programs are put to executors, and how much data is drawn for each, follows what executors
 * accept, as far as they are told of by stream_learn(), and which types and bodies came before
 * (acceptance/evenness.h): the same answers give the same cases.
 * Without answers the cases are those for an executor that accepts everything; `assay gen` prints
 * these. */
#ifndef ASSAY_RUN_STREAM_H
#define ASSAY_RUN_STREAM_H

#include "harness/gen/data_sets.h"
#include "harness/gen/gen.h"
#include "harness/run/acceptance/acceptance.h"

/* A program that is given, not drawn. */
typedef struct stream_program {
  program_t program;             /* Its attributes are borrowed. */
  const op_constraint_t *broken; /* The constraint that it breaks, or NULL. */
} stream_program_t;

/* Reads a program line; errors are those of program_parse(). */
status_t stream_program_parse(str_t line, arena_t *arena, stream_program_t *out_program,
                              failure_t *error);

/* What is to become of a drawn program. */
typedef enum stream_admission {
  STREAM_LEAVES,  /* Another one is drawn. */
  STREAM_ADMITS,  /* It is put to the executor, unless its answers so far are against it. */
  STREAM_INSISTS, /* It is, whatever these are. */
} stream_admission_t;

typedef struct stream_options {
  const op_t *const *ops;           /* Borrowed. */
  size_t op_count;                  /* At least 1, unless programs are given. */
  const stream_program_t *programs; /* These only, in place of the ops; borrowed. */
  size_t program_count;             /* 0: programs are drawn. */
  /* If not NULL: draws the programs, in place of the ops; all of them valid. */
  void (*draw_program)(void *context, rng_t *rng, arena_t *arena, program_t *out_program);
  void *draw_context;
  gen_options_t gen;
  bool leaves_out_invalid; /* A valid program is drawn where one that breaks a constraint is due,
                            * also one of those that depend on gen.contract. */
  uint64_t seed;
  data_sets_t data_sets;  /* For each small program; {0, 0}: data_sets_default(). */
  bool compiling_is_dear; /* An executor says so: more data for each program by default. */
  bool draws_dynamic; /* Some programs are compiled with unknown sizes, and get data of several. */
  /* If not NULL: whether a drawn program is put to an executor, by its index.  It must admit some
   * of every op, and not only after thousands. */
  stream_admission_t (*admits)(void *context, size_t executor, const program_t *program);
  void *admits_context;
  size_t executor_count; /* Whose answers stream_learn() tells; 0: nobody's. */
} stream_options_t;

/* What an executor said to the present program, and what it accepts. */
typedef struct stream_party {
  acceptance_t *acceptance; /* Owned. */
  bool has_left;            /* It needs no more cases. */
  uint64_t asked;           /* Cases of the present program. */
  uint64_t accepted;
} stream_party_t;

typedef struct stream {
  stream_options_t options;
  arena_t arena;        /* Of the present program and its operands. */
  size_t subject_count; /* Ops, or given programs. */
  uint64_t *begun;      /* Owned; by subject: programs drawn, or cases of a given program. */
  bool *retired;        /* Owned; by subject: see stream_skip_program(). */
  size_t retired_count;
  stream_party_t *parties; /* Owned; one at least. */
  size_t party_count;
  size_t turn;                /* The party that the present program was drawn for. */
  size_t subject;             /* Of the present program. */
  uint64_t program_index;     /* Of the present program. */
  uint64_t case_index;        /* Of the present case within its program, from 0. */
  uint64_t case_limit;        /* The case with this index is not drawn at this turn. */
  bool has_default_data_sets; /* Nobody said how many. */
  uint64_t drawn;             /* Programs, until the present one was expected to be taken. */
  bool has_program;
  program_t dynamic; /* Of a program with unknown sizes: at those that it was drawn with. */
  bool is_dynamic;

  /* The present case; borrowed until the next stream_next(). */
  case_t instance;
  const op_constraint_t *broken; /* The constraint that the program breaks on purpose, or NULL. */
  stratum_t program_stratum;     /* That the program was drawn from; of a given one, none. */
  stratum_t stratum;             /* That the data were drawn from. */
  gen_regime_t regime;
  uint64_t case_seed;  /* stream_draw_data() with it gives the same data. */
  bool is_new_program; /* This case is the first of its program, or of another turn of it. */
} stream_t;

void stream_init(stream_t *stream, const stream_options_t *options);
void stream_deinit(stream_t *stream);

/* Draws the next case; not once stream_is_over(). */
void stream_next(stream_t *stream);

/* Tells what an executor answered to the present case: not calling it means that the executor was
 * not asked. */
void stream_learn(stream_t *stream, size_t executor, bool is_accepted);

/* Programs need not be chosen for this executor any more. */
void stream_leave(stream_t *stream, size_t executor);

/* Draws no more data for the present program: ever, if it was given. */
void stream_skip_program(stream_t *stream);

/* Whether all programs were given, and skipped. */
bool stream_is_over(const stream_t *stream);

/* Fills the operands of a case from its case seed. */
gen_regime_t stream_draw_data(uint64_t case_seed, case_t *inout_case);

#endif
