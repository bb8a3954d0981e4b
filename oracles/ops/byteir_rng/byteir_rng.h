/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.rng_uniform: a tensor of numbers uniform from low to high, of a seed and an offset; and
 * byteir.rng_normal, of which the last part tells.
 *
 * The document names the operands and no generator, no formula and no constraint.  Known are the
 * generator that ByteIR's compiler emits (byteir_rng/published.h) and stablehlo.rng, from which the
 * op is made, whose numbers are uniform in [low, high) and whose behaviour is undefined where
 * low >= high.  So permission `rng_uniform` of the contract says what a result may be:
 *
 *   philox  the numbers of that generator, to the bit; or as far as the contract's permissions
 *           move the three roundings of low + u * (high - low)
 *   any     these, or those of any generator that is uniform (byteir_rng/uniformity.h) and computes
 *           low + u * (high - low) from some u in [0, 1], as the contract permits
 *
 * Under `any` the numbers lie in the closed interval: high is reached where u rounds to 1, and
 * known generators round so.  The sum itself may round beyond high (byteir_rng/element.h): what
 * it then reaches is permitted too.  Where high - low overflows, so may u * (high - low), and the
 * infinity and the NaN that come of it are permitted beside the numbers.  low = high leaves one
 * value.  Where low > high or a bound is not finite, no numbers are uniform between them: `any` has
 * no answer, while `philox` is a formula that has one.
 *
 * Only the low 32 bits of seed and offset matter to the published generator, and its stream depends
 * on the shape; so what another seed, offset or shape changes says nothing about generators that
 * nobody knows.  It is checked under `philox`, where every bit is.  That a result depends on
 * nothing but the operands is seen where one case runs twice, and by `assay invariance`, which runs
 * it more often and compiles it anew.
 *
 * byteir.rng_normal is in today's document of ByteIR, not in the one that introduced the others:
 * its operands are a mean and a standard deviation in the place of the bounds.  Permission
 * `rng_normal`:
 *
 *   philox  what ByteIR's compiler emits: Box and Muller's transformation of two words of the same
 *           generator (byteir_rng/normal.h), with the errors that the contract permits its steps
 *   any     these, or the numbers of any generator that is normal (theory.md, D24): within 13
 *           deviations of the mean, or infinite, as the logarithm of 0 makes them, and together not
 *           too improbable, each by its probability (byteir_rng/uniformity.h)
 *
 * Deviation 0 leaves the mean, or NaN, where an infinite number is multiplied by it.  A negative
 * deviation, or what is not finite, has no meaning under `any`. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_RNG_BYTEIR_RNG_H
#define ASSAY_ORACLES_OPS_BYTEIR_RNG_BYTEIR_RNG_H

#include "harness/kinds/byteir.h"

enum permission_rng_uniform { RNG_UNIFORM_PHILOX, RNG_UNIFORM_ANY };
enum permission_rng_normal { RNG_NORMAL_PHILOX, RNG_NORMAL_ANY };

/* Operands. */
enum {
  BYTEIR_RNG_LOW,
  BYTEIR_RNG_HIGH,
  BYTEIR_RNG_MEAN = BYTEIR_RNG_LOW, /* Of rng_normal. */
  BYTEIR_RNG_DEVIATION = BYTEIR_RNG_HIGH,
  BYTEIR_RNG_SEED,
  BYTEIR_RNG_OFFSET,
  BYTEIR_RNG_SHAPE, /* The result's sizes, as i64, the width that MLIR's index has; or left out. */
};

static inline bool byteir_rng_has_shape(const program_t *program) {
  return program->operand_count > BYTEIR_RNG_SHAPE;
}

/* op_t.fits_dynamic of both ops. */
bool byteir_rng_fits_dynamic(const program_t *program);

/* The one element of an operand that is no shape. */
static inline uint64_t byteir_rng_operand(const case_t *instance, uint32_t operand) {
  const tensor_t *tensor = &instance->operands[operand];
  return element_load(tensor->type.element, tensor->data, 0);
}

/* The rows of constraints that both ops have. */
bool byteir_rng_has_counts(const program_t *program);
bool byteir_rng_has_scalar_numbers(const program_t *program);
bool byteir_rng_has_scalar_seed(const program_t *program);
bool byteir_rng_fits_shape(const program_t *program);
bool byteir_rng_is_modelled(const program_t *program);

/* Drawing: a program, a seed or an offset, and the sizes of the result as an operand. */
void byteir_rng_draw(const op_t *op, rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                     program_t *out_program);
uint64_t byteir_rng_draw_seed(rng_t *rng);
void byteir_rng_store(const case_t *instance, uint32_t operand, uint64_t bits);
void byteir_rng_settle_shape(case_t *inout_case);

void byteir_rng_print_algorithm(const program_t *program, GString *out_text);

/* op/normal.c */
extern const op_t byteir_rng_normal_op;

#endif
