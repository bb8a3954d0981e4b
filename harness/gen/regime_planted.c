/* What is planted along the reduced dimensions: cancellation and indices. */
#include <glib.h>

#include "harness/gen/corner.h"
#include "harness/gen/regime.h"

/* A walk over the elements of a type in row-major order. */
typedef struct walk {
  const type_t *type;
  uint32_t mask;                    /* The reduced dimensions. */
  int64_t index[TYPE_RANK_MAX];     /* Of the present element. */
  int64_t stride[TYPE_RANK_MAX];    /* In elements. */
  int64_t numbering[TYPE_RANK_MAX]; /* Stride among the reduced dimensions alone; else 0. */
} walk_t;

static walk_t walk_make(const regime_operand_t *operand) {
  const type_t *type = &operand->program->operands[operand->number];
  walk_t walk = {.type = type, .mask = operand->reduced_dimensions};
  int64_t stride = 1;
  int64_t numbering = 1;
  for (uint32_t dim = type->rank; dim-- > 0;) {
    walk.stride[dim] = stride;
    stride *= type->dims[dim];
    if ((walk.mask >> dim & 1) == 0) continue;
    walk.numbering[dim] = numbering;
    numbering *= type->dims[dim];
  }
  return walk;
}

static void walk_advance(walk_t *walk) {
  for (uint32_t dim = walk->type->rank; dim-- > 0;) {
    if (++walk->index[dim] < walk->type->dims[dim]) return;
    walk->index[dim] = 0;
  }
}

/* How many elements further the mirrored element is; negative after the middle, 0 in it. */
static int64_t mirror_distance(const walk_t *walk) {
  int64_t distance = 0;
  for (uint32_t dim = 0; dim < walk->type->rank; dim++) {
    if ((walk->mask >> dim & 1) == 0) continue;
    distance += (walk->type->dims[dim] - 1 - 2 * walk->index[dim]) * walk->stride[dim];
  }
  return distance;
}

static uint64_t number_of(const walk_t *walk) {
  int64_t number = 0;
  for (uint32_t dim = 0; dim < walk->type->rank; dim++) {
    number += walk->index[dim] * walk->numbering[dim];
  }
  return (uint64_t)number;
}

/* How many low bits may be changed without leaving the binade: fewer more often. */
static uint64_t draw_low_mask(rng_t *rng, const element_t *element) {
  int bits = element->format != NULL ? element->format->precision - 1 : element->bits / 4;
  return (UINT64_C(1) << rng_below(rng, rng_below(rng, (uint64_t)bits + 1) + 1)) - 1;
}

/* The mirrored component; infinities and NaNs, which cannot cancel, are left alone. */
static uint64_t draw_mirrored(rng_t *rng, const element_t *element, uint64_t bits, bool negate,
                              uint64_t low_mask) {
  uint64_t mirrored = negate ? corner_negated(element, bits) : bits;
  if (low_mask == 0 || !rng_one_in(rng, 4)) return mirrored;
  uint64_t changed = mirrored ^ (rng_bits(rng) & low_mask);
  if (element->format != NULL && format_is_nan(element->format, changed)) return mirrored;
  return changed;
}

void mirror_operand(rng_t *rng, const regime_operand_t *operand, bool negate) {
  const fill_target_t *target = &operand->target;
  const element_t *element = target->element;
  size_t components = element->components;
  uint64_t low_mask = draw_low_mask(rng, element);
  bool clear_middle = negate && rng_one_in(rng, 2);
  walk_t walk = walk_make(operand);
  for (size_t i = 0; i < target->count; i += components) {
    int64_t distance = mirror_distance(&walk);
    for (size_t c = i; c < i + components; c++) {
      if (distance > 0) {
        uint64_t bits = element_load(element, target->data, c);
        element_store(element, target->data, c + (size_t)distance * components,
                      draw_mirrored(rng, element, bits, negate, low_mask));
      } else if (distance == 0 && clear_middle) {
        element_store(element, target->data, c, corner_zero(element, false));
      }
    }
    walk_advance(&walk);
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
  walk_t walk = walk_make(operand);
  for (size_t i = 0; i < target->count; i++) {
    element_store(target->element, target->data, i, number_of(&walk) & mask);
    walk_advance(&walk);
  }
}
