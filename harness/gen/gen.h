/* SPDX-License-Identifier: Apache-2.0 */
/* Draws cases: programs by the op's own draw(), data by regimes that expose different faults. */
#ifndef ASSAY_GEN_GEN_H
#define ASSAY_GEN_GEN_H

#include "harness/gen/strata.h"
#include "harness/model/op.h"

/* How operand data are drawn, see regimes.def.  A case has one regime. */
typedef enum gen_regime {
#define REGIME(name, corner, ordinary, deployed, extreme, summary) REGIME_##name,
#include "harness/gen/regimes.def"
#undef REGIME
  REGIME_COUNT
} gen_regime_t;

typedef struct found_thresholds found_thresholds_t; /* found_thresholds.h */

typedef struct gen_options {
  draw_limits_t limits;
  strata_t strata; /* In a stream: where programs and data come from; `limits` are those of the
                      corner. */
  /* In a stream: sizes that programs of stratum `thresholds` are drawn around, where their op has
   * some; NULL: none are known.  Borrowed. */
  const found_thresholds_t *thresholds;
  uint32_t invalid_one_in;    /* One program in so many breaks a constraint on purpose; 0: none. */
  const contract_t *contract; /* All others are valid under it; NULL: under some contract. Borrowed.
                               */
  /* Programs that are worth breaking: those of which this is true; NULL: all.  Asked about a valid
   * program before it is edited, with `suits_context`, which is borrowed. */
  bool (*suits)(void *context, const program_t *program);
  void *suits_context;
} gen_options_t;

/* Rank up to 5, up to 4096 elements a tensor, up to 512 terms, one program in 50 invalid. */
gen_options_t gen_options_default(void);

/* Draws a program of `op`.  *out_broken is the id of the constraint it breaks on purpose, always
 * one that is forbidden to break, or NULL. */
void gen_program(rng_t *rng, const op_t *op, const gen_options_t *options, arena_t *arena,
                 program_t *out_program, const char **out_broken);

/* Edits a valid program at random until it breaks the constraint `id` of its op first, a forbidden
 * one, or gives up; then the program is as it was.  What comes of it has a line and is within the
 * limits, if the program is. */
bool gen_break(rng_t *rng, const char *id, const draw_limits_t *limits, arena_t *arena,
               program_t *inout_program);

/* Draws programs of `op` that suit until one can be broken so, or gives up. */
bool gen_broken_program(rng_t *rng, const op_t *op, const char *id, const gen_options_t *options,
                        arena_t *arena, program_t *out_program);

/* Draws programs that are valid without a contract until one breaks the constraint `id` of
 * op->contract_constraints under options->contract, or gives up. */
bool gen_broken_under(rng_t *rng, const op_t *op, const char *id, const gen_options_t *options,
                      arena_t *arena, program_t *out_program);

/* Whether the next gen_program() with that generator and these options will break one on purpose.
 */
bool gen_will_break(const rng_t *rng, const gen_options_t *options);

/* Fills the operands of a case made by case_make() from a valid or invalid program, with data of
 * that stratum; returns the regime that it drew.  gen_data() is that of the corner. */
gen_regime_t gen_data_in_stratum(rng_t *rng, stratum_t stratum, case_t *inout_case);
gen_regime_t gen_data(rng_t *rng, case_t *inout_case);
void gen_data_in_regime(rng_t *rng, gen_regime_t regime, case_t *inout_case);

/* The stratum of a data set for a program that was drawn from `own`: that, or now and then one of
 * data that the program has places for, if it has a share in `strata`. */
stratum_t gen_data_stratum(rng_t *rng, const strata_t *strata, stratum_t own,
                           const program_t *program);

/* Whether regime `turns` has numbers of its own for the program, and `lanes` rows. */
bool gen_has_turns(const program_t *program);
bool gen_has_lanes(const program_t *program);

/* Overwrites the operands that the rest of the program determines, see op_t, and brings storage
 * values of quantized operands into their range. */
void gen_settle(rng_t *rng, case_t *inout_case);

/* Fills the operands of a case with values of `source`, repeated as often as needed, where the
 * element types agree. */
void gen_tile(const case_t *source, case_t *inout_case);

/* Changes a case a little, for search: a value, a tie, planted cancellation, a special value, a
 * size or an attribute (then data are redrawn).  The result is valid. */
void gen_mutate(rng_t *rng, const gen_options_t *options, arena_t *arena, case_t *inout_case);

/* Small changes to the data of a valid case: EDIT(name, summary). */
typedef enum gen_edit {
#define EDIT(name, summary) GEN_EDIT_##name,
#include "harness/gen/edits.def"
#undef EDIT
  GEN_EDIT_COUNT
} gen_edit_t;

/* A component of an operand. */
typedef struct gen_place {
  uint32_t operand;
  size_t component;
} gen_place_t;

/* Any place; false if no operand has a component. */
bool gen_draw_place(rng_t *rng, const case_t *instance, gen_place_t *out_place);

/* Another place among those that go into the same result elements: the reduced dimensions are drawn
 * anew.  The same place if there are none. */
void gen_move_in_slice(rng_t *rng, const case_t *instance, gen_place_t *inout_place);

/* Edits there; gen_settle() should follow the last edit. */
void gen_edit(rng_t *rng, gen_edit_t kind, const gen_place_t *place, case_t *inout_case);
const char *gen_edit_name(gen_edit_t kind);

/* Makes what the case holds cancel along the reduced dimensions. */
void gen_cancel(rng_t *rng, case_t *inout_case);

/* A case with the program of `a` and data from both, where shapes and types allow it. */
case_t gen_cross(rng_t *rng, arena_t *arena, const case_t *a, const case_t *b);

const char *gen_regime_name(gen_regime_t regime);

#endif
