/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized sums and products in fixed point, as TensorFlow Lite and XNNPACK have them (theory.md,
 * T180, T181).  Products of differences are rescaled by one multiplier of 31 bits.  Operands of a
 * sum are shifted to the left and rescaled to twice the larger scale, added, and the sum is
 * rescaled; or, XNNPACK's way, each is multiplied by a multiplier of 21 bits and the sum shifted
 * once. */
#include <math.h>

#include "oracles/exact/arithmetic.h"
#include "oracles/exact/quantum/fixed_point.h"
#include "oracles/ops/elementwise/parts.h"

enum { SHIFT_OF_8_BITS = 20, SHIFT_OF_MORE = 15, LOWER_BITS = 20 };

size_t elementwise_fixed_choices(elementwise_t function) {
  if (function == ELEMENTWISE_MULTIPLY) return (size_t)FIXED_WAYS * FIXED_MULTIPLIERS;
  bool is_sum = function == ELEMENTWISE_ADD || function == ELEMENTWISE_SUBTRACT;
  return is_sum ? FIXED_WAYS + 1 : 0;
}

/* Operands to twice the larger scale, and the sum from that. */
static wide_integer_t add_rescaled(const elementwise_fixed_t *fixed, fixed_way_t way, int64_t left,
                                   int64_t right) {
  int shift = fixed->bits <= 8 ? SHIFT_OF_8_BITS : SHIFT_OF_MORE;
  const double *scales = fixed->scales;
  double twice = 2 * fmax(scales[0], scales[1]);
  wide_integer_t up = (wide_integer_t)1 << shift;
  wide_integer_t a = fixed_multiply(left * up, fixed_multiplier_of(scales[0] / twice), way);
  wide_integer_t b = fixed_multiply(right * up, fixed_multiplier_of(scales[1] / twice), way);
  fixed_multiplier_t back = fixed_multiplier_of(ldexp(twice / fixed->to.scale, -shift));
  return fixed_multiply(a + b, back, way);
}

/* Both multipliers in the unit in the last place of the larger one, of 21 bits. */
static wide_integer_t add_once(const elementwise_fixed_t *fixed, int64_t left, int64_t right) {
  const arithmetic_t steps = arithmetic_make(fixed->format);
  const double largest = 0x1p200;
  double multipliers[2];
  for (int i = 0; i < 2; i++) {
    double quotient = arithmetic_divide(&steps, fixed->scales[i], fixed->to.scale);
    multipliers[i] = fmin(quotient, largest);
  }
  int exponent;
  (void)frexp(fmax(multipliers[0], multipliers[1]), &exponent);
  int shift = LOWER_BITS - (exponent - 1);
  wide_integer_t sum = (wide_integer_t)nearbyint(ldexp(multipliers[0], shift)) * left +
                       (wide_integer_t)nearbyint(ldexp(multipliers[1], shift)) * right;
  if (shift <= 0)
    return fixed_multiply(sum, (fixed_multiplier_t){INT64_C(1) << 30, 1 - shift}, FIXED_ONCE);
  enum { FARTHEST = 100 }; /* Beyond the bits of any sum. */
  if (shift > FARTHEST) return 0;
  return (sum + ((wide_integer_t)1 << (shift - 1))) >> shift;
}

int64_t elementwise_fixed(const elementwise_fixed_t *fixed, size_t choice, int64_t left,
                          int64_t right) {
  const quantum_t *to = &fixed->to;
  wide_integer_t whole;
  if (fixed->function == ELEMENTWISE_MULTIPLY) {
    fixed_multiplier_t multipliers[FIXED_MULTIPLIERS];
    fixed_multipliers_of(fixed->scales[0], fixed->scales[1], to->scale, fixed->format, multipliers);
    whole = fixed_multiply((wide_integer_t)left * right, multipliers[choice / FIXED_WAYS],
                           (fixed_way_t)(choice % FIXED_WAYS));
  } else {
    if (fixed->function == ELEMENTWISE_SUBTRACT) right = -right;
    whole = choice < FIXED_WAYS ? add_rescaled(fixed, (fixed_way_t)choice, left, right)
                                : add_once(fixed, left, right);
  }
  return (int64_t)CLAMP(whole + to->zero_point, to->storage_min, to->storage_max);
}

elementwise_fixed_t elementwise_fixed_of(const program_t *program, size_t element) {
  const type_t *result = &program->results[0];
  bool is_f64 = result->quantization->expressed->format == &format_table[FORMAT_f64];
  elementwise_fixed_t fixed = {.function = elementwise_of(program),
                               .to = quantum_of(result, element),
                               .format = &format_table[is_f64 ? FORMAT_f64 : FORMAT_f32],
                               .bits = result->element->bits};
  for (uint32_t i = 0; i < 2; i++) {
    const type_t *operand = &program->operands[MIN(i, program->operand_count - 1)];
    fixed.scales[i] = quantum_of(operand, element).scale;
  }
  return fixed;
}
