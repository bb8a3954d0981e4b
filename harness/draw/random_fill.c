/* SPDX-License-Identifier: Apache-2.0 */
/* Fills tensors with random components by loops that are instantiated per byte width, so that the
 * compiler sees constant sizes. Each loop draws from a local copy of the generator. */
#include "harness/draw/random_fill.h"

#include <glib.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* ---- One loop per width ---------------------------------------------------------------------- */

/* Makes a component from random bits: 64 of them for components of 8 bytes, else 32. */
typedef uint64_t make_component_t(uint64_t random, const void *parameters);

static ALWAYS_INLINE void fill_width(rng_t *rng, const fill_target_t *target, size_t bytes,
                                     make_component_t *make, const void *parameters) {
  rng_t local = *rng; /* The compiler must not think that writing data changes it. */
  uint8_t *data = target->data;
  size_t count = target->count;
  size_t i = 0;
  if (bytes < 8) {
    for (; i + 1 < count; i += 2) {
      uint64_t random = rng_bits(&local);
      uint64_t first = make(random & UINT32_MAX, parameters);
      uint64_t second = make(random >> 32, parameters);
      __builtin_memcpy(data + i * bytes, &first, bytes);
      __builtin_memcpy(data + (i + 1) * bytes, &second, bytes);
    }
  }
  for (; i < count; i++) {
    uint64_t random = rng_bits(&local);
    uint64_t bits = make(bytes < 8 ? random >> 32 : random, parameters);
    __builtin_memcpy(data + i * bytes, &bits, bytes);
  }
  *rng = local;
}

static ALWAYS_INLINE void fill(rng_t *rng, const fill_target_t *target, make_component_t *make,
                               const void *parameters) {
  switch (target->element->component_bytes) {
    case 1:
      return fill_width(rng, target, 1, make, parameters);
    case 2:
      return fill_width(rng, target, 2, make, parameters);
    case 4:
      return fill_width(rng, target, 4, make, parameters);
    case 8:
      return fill_width(rng, target, 8, make, parameters);
    default:
      g_assert_not_reached();
  }
}

/* How many random bits make_component_t gets. */
static int random_bits(const element_t *element) { return element->component_bytes < 8 ? 32 : 64; }

/* ---- Patterns -------------------------------------------------------------------------------- */

static ALWAYS_INLINE void fill_patterns_width(rng_t *rng, const fill_target_t *target, size_t bytes,
                                              const uint64_t patterns[FILL_PATTERNS]) {
  enum { CHOICE_BITS = 4, CHOICES = 64 / CHOICE_BITS };
  rng_t local = *rng;
  uint8_t *data = target->data;
  for (size_t i = 0; i < target->count; i += CHOICES) {
    uint64_t random = rng_bits(&local);
    size_t end = MIN(i + CHOICES, target->count);
    for (size_t j = i; j < end; j++) {
      __builtin_memcpy(data + j * bytes, &patterns[random % FILL_PATTERNS], bytes);
      random >>= CHOICE_BITS;
    }
  }
  *rng = local;
}

void fill_patterns(rng_t *rng, const fill_target_t *target,
                   const uint64_t patterns[FILL_PATTERNS]) {
  switch (target->element->component_bytes) {
    case 1:
      return fill_patterns_width(rng, target, 1, patterns);
    case 2:
      return fill_patterns_width(rng, target, 2, patterns);
    case 4:
      return fill_patterns_width(rng, target, 4, patterns);
    case 8:
      return fill_patterns_width(rng, target, 8, patterns);
    default:
      g_assert_not_reached();
  }
}

static ALWAYS_INLINE uint64_t make_bits(uint64_t random, const void *mask) {
  return random & *(const uint64_t *)mask;
}

void fill_bits(rng_t *rng, const fill_target_t *target) {
  uint64_t mask = element_mask(target->element);
  fill(rng, target, make_bits, &mask);
}

/* ---- Floats ---------------------------------------------------------------------------------- */

/* Random bits from the lowest: one for the sign, those of the fraction, the rest for the exponent.
 */
typedef struct float_layout {
  int sign_shift; /* Of the sign from bit 0 to its place. */
  uint64_t sign;  /* 1, or 0 for no sign. */
  int exponent_shift;
  uint64_t fraction_mask;
  int random_exponent_shift; /* precision: the sign and the fraction come before. */
  int random_exponent_bits;
  uint64_t exponent_low;
  uint64_t exponent_span;
  uint64_t subnormal_fraction; /* What is ORed into the fraction where the exponent field is 0. */
} float_layout_t;

static float_layout_t layout_of(const element_t *element, bool is_signed) {
  const format_t *format = element->format;
  bool has_sign = format->specials != FORMAT_EXPONENT_ONLY;
  return (float_layout_t){
      .sign_shift = format->bits - 1,
      .sign = is_signed && has_sign,
      .exponent_shift = format->precision - 1,
      .fraction_mask = (UINT64_C(1) << (format->precision - 1)) - 1,
      .random_exponent_shift = format->precision,
      .random_exponent_bits = random_bits(element) - format->precision,
  };
}

static ALWAYS_INLINE uint64_t compose(uint64_t random, uint64_t exponent,
                                      const float_layout_t *layout) {
  uint64_t fraction = random >> 1 & layout->fraction_mask;
  if (exponent == 0) fraction |= layout->subnormal_fraction;
  uint64_t magnitude = exponent << layout->exponent_shift | fraction;
  /* The pattern of -0 is a NaN in some formats. */
  uint64_t sign = magnitude == 0 ? 0 : random & layout->sign;
  return sign << layout->sign_shift | magnitude;
}

static ALWAYS_INLINE uint64_t make_float(uint64_t random, const void *parameters) {
  const float_layout_t *layout = parameters;
  uint64_t choice = random >> layout->random_exponent_shift;
  uint64_t offset = (choice * layout->exponent_span) >> layout->random_exponent_bits;
  return compose(random, layout->exponent_low + offset, layout);
}

void fill_floats(rng_t *rng, const fill_target_t *target, const fill_floats_t *how) {
  float_layout_t layout = layout_of(target->element, how->is_signed);
  layout.exponent_low = how->exponent_low;
  layout.exponent_span = how->exponent_span;
  if (how->is_power_of_two) {
    layout.subnormal_fraction = layout.fraction_mask & 1;
    layout.fraction_mask = 0;
  }
  fill(rng, target, make_float, &layout);
}

uint32_t fill_exponent_max(const format_t *format) {
  uint32_t largest = (uint32_t)(format->largest_bits >> (format->precision - 1));
  return format->specials == FORMAT_NAN_ALL_ONES ? largest - 1 : largest;
}

/* Halving the interval at each step, as trailing zeros are counted, gives uniform numbers. */
static ALWAYS_INLINE uint64_t make_uniform_float(uint64_t random, const void *parameters) {
  const float_layout_t *layout = parameters;
  uint64_t stop = UINT64_C(1) << layout->random_exponent_bits;
  uint64_t halvings = (uint64_t)__builtin_ctzll(random >> layout->random_exponent_shift | stop);
  uint64_t top = layout->exponent_low;
  return compose(random, halvings < top ? top - halvings : 0, layout);
}

void fill_uniform_floats(rng_t *rng, const fill_target_t *target, bool is_signed) {
  float_layout_t layout = layout_of(target->element, is_signed);
  layout.exponent_low = (uint64_t)target->element->format->exponent_bias - 1;
  fill(rng, target, make_uniform_float, &layout);
}

/* ---- Integers -------------------------------------------------------------------------------- */

typedef struct integer_range {
  uint64_t low;
  uint64_t mask;
  uint64_t element_mask;
} integer_range_t;

static ALWAYS_INLINE uint64_t make_integer(uint64_t random, const void *parameters) {
  const integer_range_t *range = parameters;
  return (range->low + (random & range->mask)) & range->element_mask;
}

void fill_integers(rng_t *rng, const fill_target_t *target, uint64_t low, uint64_t mask) {
  integer_range_t range = {low, mask, element_mask(target->element)};
  fill(rng, target, make_integer, &range);
}

typedef struct integer_width {
  int unused_bits; /* Of the random bits. */
  int bits;
  uint64_t element_mask;
  bool is_signed;
} integer_width_t;

/* Shifts out between none and all but one of the bits, which the lowest ones of them choose. */
static ALWAYS_INLINE uint64_t make_wide_integer(uint64_t random, const void *parameters) {
  const integer_width_t *width = parameters;
  int shift = (int)((random & 63) * (uint64_t)width->bits >> 6);
  uint64_t value = random >> width->unused_bits;
  if (!width->is_signed) return value >> shift;
  int above = 64 - width->bits;
  int64_t signed_value = (int64_t)(value << above) >> above;
  return (uint64_t)(signed_value >> shift) & width->element_mask;
}

void fill_wide_integers(rng_t *rng, const fill_target_t *target) {
  const element_t *element = target->element;
  integer_width_t width = {
      .unused_bits = random_bits(element) - element->bits,
      .bits = element->bits,
      .element_mask = element_mask(element),
      .is_signed = element->kind == ELEMENT_SIGNED,
  };
  fill(rng, target, make_wide_integer, &width);
}
