/* SPDX-License-Identifier: Apache-2.0 */
/* The ways in which three steps may follow each other: operands are dequantized, an op is done on
 * floats, its result is quantized.  Each is done in the expressed type or in f32, as the contract
 * says (quantum_arithmetics()); what f32 gave may be rounded to the expressed type before the next
 * step, or go there as it is, which is in f32 then (theory.md, T163). */
#ifndef ASSAY_ORACLES_EXACT_QUANTUM_CHAIN_H
#define ASSAY_ORACLES_EXACT_QUANTUM_CHAIN_H

#include "oracles/exact/arithmetic.h"
#include "oracles/exact/quantum/quantum.h"

typedef struct quantum_chain {
  const format_t *dequantize; /* The arithmetic of each step. */
  const format_t *operate;
  const format_t *quantize;
  const format_t *given[2]; /* What dequantizing and the op give is rounded to these: the arithmetic
                             * of the step, or the expressed type. */
  const format_t *narrowest; /* Of all of them. */
  quantize_way_t way;        /* How it quantizes: theory.md, T294. */
} quantum_chain_t;

/* 2 ways to dequantize to a number of the expressed type, each with 2 of the op and 2 to quantize,
 * or with f32 to the end; and 3 from an unrounded one: these in each way to quantize. */
enum { QUANTUM_CHAINS_MAX = 13 * QUANTIZE_WAYS_MAX };

/* Lists them, those of the first of quantize_ways() before others, and of these those all in one of
 * quantum_arithmetics() and in its order; of two that give the same of all values, one.  No storage
 * type that is dequantized has more than `bits` bits. `multiplies`: the op is a product, else a
 * sum, a maximum or a minimum.  Returns how many.  The type is quantized. */
size_t quantum_chains(const type_t *type, unsigned bits, const contract_t *contract,
                      bool multiplies, quantum_chain_t out_chains[QUANTUM_CHAINS_MAX]);

/* What an operand of the op is. */
double quantum_chain_dequantize(const quantum_chain_t *chain, const quantum_t *quantum,
                                int64_t stored);

/* What goes to the last step, of what the op gives before it is rounded, or that in binary64. */
static inline double quantum_chain_result(const quantum_chain_t *chain, double value) {
  const arithmetic_t step = arithmetic_make(chain->operate);
  double rounded = arithmetic_round(&step, value);
  return chain->given[1] == chain->operate ? rounded
                                           : format_round_double(chain->given[1], rounded);
}

/* What that is quantized to; and as quantum_choices(): whether there is one, and which there are.
 */
int64_t quantum_chain_quantize(const quantum_chain_t *chain, const quantum_t *quantum,
                               double value);
bool quantum_chain_is_decided(const quantum_chain_t *chain, const quantum_t *quantum, double value);
size_t quantum_chain_choices(const quantum_chain_t *chain, const quantum_t *quantum, double value,
                             int64_t out_stored[QUANTUM_CHOICES_MAX]);

/* Whether the chain divides, or the inverse that it multiplies by is a normal number, so that it
 * errs as a quotient does and no product with it is NaN. */
bool quantum_chain_divides(const quantum_chain_t *chain, const quantum_t *quantum);

/* One storage value in another type, which is no op: what is quantized. */
double quantum_chain_convert(const quantum_chain_t *chain, const quantum_t *from, int64_t stored);

/* Relative errors, upper bounds: (1 + u) of each rounding that an operand of a sum or of a product
 * passes on its way, less 1; and of those that the zero point passes (theory.md, T42 and T190).
 * `unit` is how many units of half a last place one rounding may err by: 1, or 2 if truncated. */
typedef struct quantum_errors {
  double parts;
  double zero_point;
} quantum_errors_t;
quantum_errors_t quantum_chain_errors(const quantum_chain_t *chain, bool multiplies, int unit);

#endif
