/* SPDX-License-Identifier: Apache-2.0 */
/* What is planted along the reduced dimensions: cancellation, indices, one value unlike the others,
 * and terms that get lost beside a large one. */
#include <glib.h>
#include <math.h>

#include "harness/draw/special_values.h"
#include "harness/gen/regime.h"

/* A walk over the elements of a type in row-major order, which keeps track of a value that is
 * linear in the index. */
typedef struct walk {
  const type_t *type;
  int64_t value;               /* Of the present element. */
  int64_t step[TYPE_RANK_MAX]; /* What one step along each dimension adds to it. */
  int64_t index[TYPE_RANK_MAX];
} walk_t;

static void walk_advance(walk_t *walk) {
  for (uint32_t dim = walk->type->rank; dim-- > 0;) {
    if (++walk->index[dim] < walk->type->dims[dim]) {
      walk->value += walk->step[dim];
      return;
    }
    walk->value -= walk->step[dim] * (walk->type->dims[dim] - 1);
    walk->index[dim] = 0;
  }
}

/* Its value is how many elements further the mirrored element is; negative after the middle. */
static walk_t walk_mirrored(const regime_operand_t *operand) {
  walk_t walk = {.type = &operand->program->operands[operand->number]};
  int64_t stride = 1;
  for (uint32_t dim = walk.type->rank; dim-- > 0;) {
    if ((operand->reduced_dimensions >> dim & 1) != 0) {
      walk.step[dim] = -2 * stride;
      walk.value += (walk.type->dims[dim] - 1) * stride;
    }
    stride *= walk.type->dims[dim];
  }
  return walk;
}

/* Its value is the number of the element in row-major order of these dimensions alone. */
static walk_t walk_numbering(const regime_operand_t *operand, uint32_t dimensions) {
  walk_t walk = {.type = &operand->program->operands[operand->number]};
  int64_t stride = 1;
  for (uint32_t dim = walk.type->rank; dim-- > 0;) {
    if ((dimensions >> dim & 1) == 0) continue;
    walk.step[dim] = stride;
    stride *= walk.type->dims[dim];
  }
  return walk;
}

/* How many low bits may be changed without leaving the binade: fewer more often. */
static uint64_t draw_low_mask(rng_t *rng, const element_t *element) {
  int bits = element->format != NULL ? element->format->precision - 1 : element->bits / 4;
  return (UINT64_C(1) << rng_below(rng, rng_below(rng, (uint64_t)bits + 1) + 1)) - 1;
}

/* The mirrored component, one in four with changed low bits; what would become a NaN is left. */
static uint64_t draw_mirrored(rng_t *rng, const element_t *element, uint64_t bits, bool negate,
                              uint64_t low_mask) {
  uint64_t mirrored = negate ? special_value_negated(element, bits) : bits;
  if (low_mask == 0) return mirrored;
  uint64_t random = rng_bits(rng);
  uint64_t changed = mirrored ^ (random >> 62 == 0 ? random & low_mask : 0); /* No branch. */
  if (element->format != NULL && format_is_nan(element->format, changed)) return mirrored;
  return changed;
}

void mirror_operand(rng_t *rng, const regime_operand_t *operand, bool negate) {
  const fill_target_t *target = &operand->target;
  const element_t *element = target->element;
  size_t components = element->components;
  uint64_t low_mask = draw_low_mask(rng, element);
  bool clear_middle = negate && rng_one_in(rng, 2);
  walk_t walk = walk_mirrored(operand);
  for (size_t i = 0; i < target->count; i += components, walk_advance(&walk)) {
    if (walk.value < 0 || (walk.value == 0 && !clear_middle)) continue;
    for (size_t c = i; c < i + components; c++) {
      uint64_t bits = element_load(element, target->data, c);
      uint64_t mirrored = walk.value == 0 ? special_value_zero(element, false)
                                          : draw_mirrored(rng, element, bits, negate, low_mask);
      element_store(element, target->data, c + (size_t)walk.value * components, mirrored);
    }
  }
}

/* Terms of like size, so that what remains after cancellation lies far below them. */
static void fill_magnitudes(rng_t *rng, const fill_target_t *target) {
  const format_t *format = target->element->format;
  if (format == NULL) return fill_wide_integers(rng, target);
  uint32_t last = fill_exponent_max(format);
  uint32_t span_max = MIN(last + 1, 2 * (uint32_t)format->precision);
  uint32_t span = 1 + (uint32_t)rng_below(rng, span_max);
  uint32_t one = MIN((uint32_t)format->exponent_bias, last);
  uint32_t low = one > span / 2 ? one - span / 2 : 0;
  fill_floats_t how = {
      .exponent_low = MIN(low, last + 1 - span), .exponent_span = span, .is_signed = true};
  fill_floats(rng, target, &how);
}

void regime_cancelling(rng_t *rng, const regime_operand_t *operand) {
  fill_magnitudes(rng, &operand->target);
  if (operand->reduced_dimensions != 0) mirror_operand(rng, operand, operand->number == 0);
}

void number_operand(const regime_operand_t *operand) {
  const fill_target_t *target = &operand->target;
  uint64_t mask = element_mask(target->element);
  walk_t walk = walk_numbering(operand, operand->reduced_dimensions);
  for (size_t i = 0; i < target->count; i++, walk_advance(&walk)) {
    element_store(target->element, target->data, i, (uint64_t)walk.value & mask);
  }
}

/* ---- Lanes ----------------------------------------------------------------------------------- */

static size_t count_lanes(const type_t *type, uint32_t dimensions) {
  size_t count = 1;
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    if ((dimensions >> dim & 1) != 0) count *= (size_t)type->dims[dim];
  }
  return count;
}

/* Of what is combined; NULL of programs of several steps, whose loops nobody tells. */
static bool tells_rows(const program_t *program) {
  return program->op->reduced_dimensions != NULL && !program->op->is_compound;
}

bool regime_has_lanes(const program_t *program) {
  bool is_compound = program->op->is_compound;
  if (!is_compound && !tells_rows(program)) return false;
  if (program_broken(program) != NULL) return false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const type_t *type = &program->operands[i];
    uint32_t dimensions = is_compound ? ~UINT32_C(0) : program->op->reduced_dimensions(program, i);
    if (count_lanes(type, dimensions) > 1) return true;
  }
  return false;
}

/* Integers that a float of 24 bits holds one by one, and so few of which that their sum may pass
 * 2^24, as kernels have it that multiply i8 as f32. */
static bool is_heavy(const program_t *program, uint32_t operand) {
  enum { NARROW_BITS = 16, TERMS = 1024 };
  const type_t *type = &program->operands[operand];
  bool is_narrow = element_is_integer(type->element) && type->quantization == NULL &&
                   type->element->bits > 1 && type->element->bits <= NARROW_BITS;
  return is_narrow && count_lanes(type, program->op->reduced_dimensions(program, operand)) >= TERMS;
}

bool regime_has_heavy(const program_t *program) {
  if (!tells_rows(program) || program_broken(program) != NULL) return false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (is_heavy(program, i)) return true;
  }
  return false;
}

void regime_heavy(rng_t *rng, const regime_operand_t *operand) {
  const element_t *element = operand->target.element;
  if (!regime_has_heavy(operand->program) || !is_heavy(operand->program, operand->number)) {
    regime_small_integers(rng, operand);
    return;
  }
  uint64_t half = element_mask(element) >> (element->kind == ELEMENT_SIGNED ? 2 : 1);
  bool is_negative = element->kind == ELEMENT_SIGNED && rng_one_in(rng, 2);
  fill_integers(rng, &operand->target, is_negative ? ~(2 * half + 1) : half + 1, half);
}

/* The first, the last, the middle one, one that ends the last vector of 4 to 64 or comes behind it,
 * or any. */
static size_t draw_lane(rng_t *rng, size_t count) {
  size_t vector = (size_t)4 << rng_below(rng, 5);
  switch (rng_below(rng, 5)) {
    case 0:
      return 0;
    case 1:
      return count - 1;
    case 2:
      return count / 2;
    case 3:
      if (vector > count) break;
      return MIN(count / vector * vector - rng_below(rng, 2), count - 1);
    default:
      break;
  }
  return (size_t)rng_below(rng, count);
}

/* ---- Stagnation ------------------------------------------------------------------------------ */

/* So many real floats that a sum in turn errs far more than one in lanes. */
static bool can_stagnate(const program_t *program, uint32_t operand) {
  enum { TERMS = 512 };
  const type_t *type = &program->operands[operand];
  const element_t *element = type->element;
  bool is_real = element->format != NULL && element->components == 1 &&
                 element->format->specials != FORMAT_EXPONENT_ONLY && type->quantization == NULL;
  return is_real && count_lanes(type, program->op->reduced_dimensions(program, operand)) >= TERMS;
}

/* The first operand that can, or the last one; the number of operands if none can. */
static uint32_t find_stagnating(const program_t *program, bool is_last) {
  uint32_t found = program->operand_count;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    bool is_better = is_last || found == program->operand_count;
    if (is_better && can_stagnate(program, i)) found = i;
  }
  return found;
}

bool regime_has_stagnant(const program_t *program) {
  if (!tells_rows(program) || program_broken(program) != NULL) return false;
  return find_stagnating(program, false) < program->operand_count;
}

/* The large term, 2^scale, and the precision in which sums are to stagnate beside it. */
typedef struct stagnation {
  int scale;
  int precision;
} stagnation_t;

static void fill_ones(rng_t *rng, const fill_target_t *target) {
  uint64_t patterns[FILL_PATTERNS];
  for (size_t i = 0; i < FILL_PATTERNS; i++)
    patterns[i] = special_value_integer(target->element, 1);
  fill_patterns(rng, target, patterns);
}

/* Narrow floats are added in their own type, or in f32. */
static stagnation_t draw_stagnation(rng_t *rng, const format_t *format) {
  const int wide = format_table[FORMAT_f32].precision;
  int high = format->exponent_max - 2;
  int lowest_wide = format->exponent_min + wide + 1;
  bool is_wide = format->precision < wide && lowest_wide <= high && rng_one_in(rng, 2);
  int precision = is_wide ? wide : format->precision;
  int low = MIN(format->exponent_min + precision + 1, high);
  int scale = (int)rng_between(rng, -4, 4);
  return (stagnation_t){.scale = CLAMP(scale, low, high), .precision = precision};
}

void regime_stagnant(rng_t *rng, const regime_operand_t *operand) {
  const program_t *program = operand->program;
  if (!regime_has_stagnant(program) || !can_stagnate(program, operand->number)) {
    regime_small_integers(rng, operand);
    return;
  }
  const fill_target_t *target = &operand->target;
  if (find_stagnating(program, (operand->case_key & 1) != 0) != operand->number) {
    fill_ones(rng, target);
    return;
  }
  const format_t *format = target->element->format;
  const stagnation_t how = draw_stagnation(rng, format);
  size_t lane =
      draw_lane(rng, count_lanes(&program->operands[operand->number], operand->reduced_dimensions));
  double sign = rng_one_in(rng, 2) ? -1 : 1, least = rng_one_in(rng, 2) ? 0.5 : 1;
  walk_t walk = walk_numbering(operand, operand->reduced_dimensions);
  for (size_t i = 0; i < target->count; i++, walk_advance(&walk)) {
    double of_half = least + (double)(rng_bits(rng) >> 40) * 0x1p-25;
    bool is_large = (size_t)walk.value == lane;
    double value = is_large ? ldexp(1, how.scale) : ldexp(of_half, how.scale - how.precision);
    element_store(target->element, target->data, i, format_from_double(format, sign * value));
  }
}

/* ---- Lanes of fused loops -------------------------------------------------------------------- */

/* A fused loop runs along rows, or along all elements as if they were one row: the same for all
 * operands of a case. */
static uint32_t lane_dimensions(const regime_operand_t *operand) {
  const type_t *type = &operand->program->operands[operand->number];
  if (!operand->program->op->is_compound) return operand->reduced_dimensions;
  bool is_row = type->rank > 0 && (operand->case_key & 1) != 0;
  return is_row ? UINT32_C(1) << (type->rank - 1) : ~UINT32_C(0);
}

/* Of programs of several steps one operand has lanes, and each of the others in one of three:
 * where all have them there is little left that is a number. */
static bool has_own_lane(rng_t *rng, const regime_operand_t *operand) {
  const program_t *program = operand->program;
  if (!program->op->is_compound) return true;
  bool is_chosen = (operand->case_key >> 1) % program->operand_count == operand->number;
  return is_chosen || rng_one_in(rng, 3);
}

static uint64_t draw_unlike(rng_t *rng, const element_t *element) {
  switch (rng_below(rng, 8)) {
    case 0:
      return special_value_zero(element, true);
    case 1:
      return special_value_boundary(rng, element);
    case 2:
    case 3:
      return special_value_infinity(rng, element);
    default:
      return special_value_nan(rng, element);
  }
}

/* In all rows, in half of them, or in the only one. */
void regime_lanes(rng_t *rng, const regime_operand_t *operand) {
  const fill_target_t *target = &operand->target;
  const type_t *type = &operand->program->operands[operand->number];
  const size_t components = target->element->components;
  const uint32_t dimensions = lane_dimensions(operand);
  size_t count = count_lanes(type, dimensions);
  regime_small_integers(rng, operand);
  if (count < 2 || target->count == 0 || !has_own_lane(rng, operand)) return;
  walk_t walk = walk_numbering(operand, dimensions);
  size_t lane = draw_lane(rng, count);
  uint64_t unlike = draw_unlike(rng, target->element);
  bool is_in_all = rng_one_in(rng, 2) || count * components == target->count;
  for (size_t i = 0; i < target->count; i += components, walk_advance(&walk)) {
    if ((size_t)walk.value != lane || (!is_in_all && rng_one_in(rng, 2))) continue;
    element_store(target->element, target->data, i + rng_below(rng, components), unlike);
  }
}
