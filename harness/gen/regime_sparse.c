/* SPDX-License-Identifier: Apache-2.0 */
/* The regime of long rows of few numbers.  A sum of n floats of p bits, in that type, may be off by
 * its own size once n reaches 2^p: of a thousand numbers in bf16 hardly any result is wrong. Beside
 * zeros a few small integers are added exactly in any order and any type, so that each of them has
 * to be there, once. */
#include <glib.h>

#include "harness/draw/special_values.h"
#include "harness/gen/regime.h"

static size_t count_terms(const program_t *program, uint32_t operand) {
  const type_t *type = &program->operands[operand];
  uint32_t dimensions = program->op->reduced_dimensions(program, operand);
  size_t count = 1;
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    if ((dimensions >> dim & 1) != 0) count *= (size_t)type->dims[dim];
  }
  return count;
}

static bool can_be_sparse(const program_t *program, uint32_t operand) {
  enum { NARROW_PRECISION = 12, TERMS = 512 };
  const type_t *type = &program->operands[operand];
  const format_t *format = type->element->format;
  if (format == NULL || type->element->components != 1 || type->quantization != NULL) return false;
  if (format->specials == FORMAT_EXPONENT_ONLY || format->precision > NARROW_PRECISION) {
    return false;
  }
  return count_terms(program, operand) >= MAX((size_t)1 << format->precision, TERMS);
}

/* The first operand that can be, or the last one; the number of operands if none can. */
static uint32_t find_sparse(const program_t *program, bool is_last) {
  uint32_t found = program->operand_count;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    bool is_better = is_last || found == program->operand_count;
    if (is_better && can_be_sparse(program, i)) found = i;
  }
  return found;
}

/* Of products of a row zeros leave nothing: what changes nothing is another number there. */
static bool combines_zeros(const program_t *program) {
  const op_t *op = program->op;
  if (op->counts_zeros) return false;
  for (uint32_t i = 0; op->is_init_operand != NULL && i < program->operand_count; i++) {
    if (!op->is_init_operand(program, i)) continue;
    const element_t *element = program->operands[i].element;
    uint64_t neutral = op->neutral_bits(program, i);
    bool is_zero = neutral == special_value_zero(element, false) ||
                   neutral == special_value_zero(element, true);
    if (!is_zero) return false;
  }
  return true;
}

bool regime_has_sparse(const program_t *program) {
  if (program->op->reduced_dimensions == NULL || program->op->is_compound) return false;
  if (program_broken(program) != NULL || !combines_zeros(program)) return false;
  return find_sparse(program, false) < program->operand_count;
}

/* 1 or 2, or their opposites. */
static uint64_t draw_small(rng_t *rng, const element_t *element) {
  int magnitude = 1 + (int)rng_below(rng, 2);
  return special_value_integer(element, rng_one_in(rng, 2) ? magnitude : -magnitude);
}

/* One to four of them in a row, on average; in the whole tensor one at least. */
static void fill_few(rng_t *rng, const regime_operand_t *operand) {
  const fill_target_t *target = &operand->target;
  uint64_t one_in = (uint64_t)count_terms(operand->program, operand->number) >> rng_below(rng, 3);
  uint64_t zero = special_value_zero(target->element, false);
  for (size_t i = 0; i < target->count; i++) {
    uint64_t bits = rng_one_in(rng, one_in) ? draw_small(rng, target->element) : zero;
    element_store(target->element, target->data, i, bits);
  }
  if (target->count == 0) return;
  element_store(target->element, target->data, (size_t)rng_below(rng, target->count),
                draw_small(rng, target->element));
}

/* The other operands have no zeros, which would hide a term. */
void regime_sparse(rng_t *rng, const regime_operand_t *operand) {
  const program_t *program = operand->program;
  const fill_target_t *target = &operand->target;
  if (!regime_has_sparse(program)) {
    regime_small_integers(rng, operand);
  } else if (find_sparse(program, (operand->case_key & 1) != 0) == operand->number) {
    fill_few(rng, operand);
  } else {
    uint64_t patterns[FILL_PATTERNS];
    for (size_t i = 0; i < FILL_PATTERNS; i++) patterns[i] = draw_small(rng, target->element);
    fill_patterns(rng, target, patterns);
  }
}
