/* SPDX-License-Identifier: Apache-2.0 */
/* The data regimes: how the components of one operand are drawn.  The rows are in regimes.def;
 * their functions in regime_*.c. */
#ifndef ASSAY_GEN_REGIME_H
#define ASSAY_GEN_REGIME_H

#include "harness/draw/random_fill.h"
#include "harness/model/op.h"

/* An operand to draw. */
typedef struct regime_operand {
  fill_target_t target;
  const program_t *program;
  uint32_t number;
  uint32_t reduced_dimensions; /* Bit mask, see op_t; 0 for an invalid program. */
  uint64_t case_key;           /* Random, and the same for all operands of a case. */
  bool names_algorithm;        /* See op_t.splits_operands. */
} regime_operand_t;

/* Operand `number` of a case made by case_make(). */
regime_operand_t regime_operand_make(const case_t *instance, uint32_t number);

typedef void regime_fill_t(rng_t *rng, const regime_operand_t *operand);

#define REGIME(name, corner, ordinary, deployed, extreme, summary) regime_fill_t regime_##name;
#include "harness/gen/regimes.def"
#undef REGIME

/* Makes opposite elements along the reduced dimensions nearly equal in magnitude: element j of n is
 * repeated as element n-1-j in every reduced dimension at once, negated if `negate`, and sometimes
 * with a few low bits changed.  (Reversing all dimensions at once pairs the same terms in two
 * operands whatever the order in which an op matches their dimensions.) */
void mirror_operand(rng_t *rng, const regime_operand_t *operand, bool negate);

/* Numbers the elements along the reduced dimensions in row-major order, as the index operand of an
 * arg-max has them. */
void number_operand(const regime_operand_t *operand);

/* Whether the program has functions that turn somewhere, and an operand of floats for it. */
bool regime_has_turns(const program_t *program);

/* Whether the program is valid and combines more than one element of an operand, or is one of
 * several steps that has an operand of more than one. */
bool regime_has_lanes(const program_t *program);

/* Whether the program is valid and combines thousands of integers of at most 16 bits. */
bool regime_has_heavy(const program_t *program);

/* Whether the program is valid and combines hundreds of floats. */
bool regime_has_stagnant(const program_t *program);

/* Whether the program is valid and combines so many floats of a narrow type that a sum in that type
 * may be off by all of its terms. */
bool regime_has_sparse(const program_t *program);

#endif
