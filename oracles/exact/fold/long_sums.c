/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of sums of many terms: what units for matrices, and kernels that sum by blocks, do wrong
 * only where sums are long. */
#include <math.h>

#include "harness/model/fault.h"
#include "oracles/exact/fold/parts.h"

enum {
  LONG_COUNT = 32,     /* Shorter sums are faultless. */
  CARRY_BLOCK = 32,    /* Of long_sums_carried_short. */
  CARRY_BITS = 5,      /* Fewer than the type has. */
  SHORT_BITS = 3,      /* Likewise, of long_sums_short. */
  NARROW_BLOCK = 16,   /* Of block_sums_narrow. */
  SPILLED_AFTER = 128, /* Of accumulator_spilled: so many terms. */
};

/* To nearest even in `bits` bits fewer, where the exponent has no end. */
static double round_shorter(const fold_t *fold, double value, int bits) {
  if (value == 0 || !isfinite(value)) return value;
  int exponent = ilogb(value) - (fold->element->format->precision - bits - 1);
  return ldexp(nearbyint(ldexp(value, -exponent)), exponent);
}

static fold_value_t combine_short(const fold_t *fold, fold_value_t left, fold_value_t right) {
  fold_value_t sum = fold_combine_floats(fold, left, right);
  return fold_real(round_shorter(fold, sum.real, SHORT_BITS));
}

/* What lies below a unit in the last place of the largest term is cut off, without a guard bit. */
static void align_terms(const fold_t *fold, fold_value_t *terms, size_t count) {
  double largest = 0;
  for (size_t i = 0; i < count; i++) {
    terms[i] = fold_settle(fold, terms[i]);
    if (isfinite(terms[i].real)) largest = fmax(largest, fabs(terms[i].real));
  }
  if (largest == 0) return;
  int unit = ilogb(largest) - (fold->element->format->precision - 1);
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(terms[i].real)) continue;
    terms[i].real = ldexp(trunc(ldexp(terms[i].real, -unit)), unit);
  }
}

static fold_value_t carry_short(const fold_t *fold, fold_value_t *terms, size_t count,
                                size_t output) {
  fold_value_t sum = fold_tree(fold, terms, CARRY_BLOCK, output);
  for (size_t begin = CARRY_BLOCK; begin < count; begin += CARRY_BLOCK) {
    size_t size = count - begin < CARRY_BLOCK ? count - begin : CARRY_BLOCK;
    sum = fold_combine_floats(fold, sum, fold_tree(fold, terms + begin, size, output));
    sum = fold_real(round_shorter(fold, sum.real, CARRY_BITS));
  }
  return sum;
}

/* Sums of blocks go through memory of a narrower type; or what has been summed so far does. */
static fold_value_t add_blocks(const fold_t *fold, fold_value_t *terms, size_t count, size_t block,
                               bool keeps_sum, size_t output) {
  fold_value_t sum = fold_real(0);
  for (size_t begin = 0; begin < count; begin += block) {
    fold_value_t part =
        fold_settle(fold, fold_tree(fold, terms + begin, MIN(block, count - begin), output));
    if (!keeps_sum) part = fold_real(fold_narrow(fold, part.real));
    sum = begin == 0 ? part : fold_combine_floats(fold, sum, part);
    if (keeps_sum) sum = fold_real(fold_narrow(fold, sum.real));
  }
  return sum;
}

fold_value_t fold_spoiled_sum(const fold_t *fold, fold_value_t *terms, size_t count,
                              size_t output) {
  fold_t spoiled = *fold;
  bool is_float_sum = fold->body == FOLD_ADD && fold->element->kind == ELEMENT_FLOAT &&
                      fold->combine == fold_combine_floats;
  fault_t fault = fold->schedule->fault;
  if (is_float_sum && fault == FAULT_block_sums_narrow && count > NARROW_BLOCK) {
    return add_blocks(fold, terms, count, NARROW_BLOCK, false, output);
  }
  if (is_float_sum && fault == FAULT_accumulator_spilled && count > SPILLED_AFTER) {
    return add_blocks(fold, terms, count, SPILLED_AFTER, true, output);
  }
  if (!is_float_sum || count <= LONG_COUNT) return fold_tree(fold, terms, count, output);
  switch (fault) {
    case FAULT_long_sums_truncated:
      spoiled.arithmetic.truncate_additions = true;
      break;
    case FAULT_long_sums_aligned:
      align_terms(fold, terms, count);
      break;
    case FAULT_long_sums_short:
      spoiled.combine = combine_short;
      break;
    case FAULT_long_sums_carried_short:
      return carry_short(fold, terms, count, output);
    default:
      break;
  }
  return fold_tree(&spoiled, terms, count, output);
}
