/* SPDX-License-Identifier: Apache-2.0 */
/* Data in which faults of the elementwise ops show: results that round, cancel or overflow, amounts
 * about the width, and storage values that make ties. */
#include <math.h>
#include <string.h>

#include "harness/draw/draw_quantization.h"
#include "harness/draw/special_values.h"
#include "oracles/ops/elementwise/elementwise.h"

/* ---- Numbers --------------------------------------------------------------------------------- */

static bool is_float(const element_t *element) { return element->format != NULL; }

/* A number that the left operand meets at a rounding edge: of about half a unit in the last place
 * of it or less, its negative or that of a neighbour, the same, or any. */
static uint64_t draw_partner(rng_t *rng, const element_t *element, uint64_t bits) {
  const format_t *format = element->format;
  bool is_special = format_is_nan(format, bits) || format_is_infinity(format, bits);
  if (is_special || rng_one_in(rng, 8)) return special_value_any(rng, element);
  uint64_t choice = rng_below(rng, 4);
  if (choice == 0) return special_value_negated(element, bits);
  if (choice == 1) {
    uint64_t near = special_value_negated(element, bits);
    return rng_one_in(rng, 2) ? format_next_up(format, near) : format_next_down(format, near);
  }
  if (choice == 2) {
    return special_value_number(element, rng_one_in(rng, 2), 1 + 2 * rng_below(rng, 8),
                                (int)rng_between(rng, -4, 4));
  }
  double value = format_to_double(format, bits);
  if (value == 0) return special_value_any(rng, element);
  int exponent;
  (void)frexp(value, &exponent);
  double half_ulp = ldexp(0.5, format_ulp_exponent(format, exponent - 1));
  int steps = (int)rng_between(rng, -3, 3);
  return format_from_double(format, steps == 0 ? half_ulp * 0.75 : half_ulp * steps);
}

/* Amounts about the width, as signed types have them, and negative ones. */
static uint64_t draw_amount(rng_t *rng, const element_t *element) {
  int64_t amount = (int64_t)element->bits + rng_between(rng, -2, 2);
  uint64_t choice = rng_below(rng, 4);
  if (choice == 0) amount = rng_between(rng, 0, element->bits - 1);
  if (choice == 1) amount = -rng_between(rng, 1, element->bits);
  if (choice == 2) amount = element->bits * rng_between(rng, 0, 3) + rng_between(rng, 0, 2);
  return (uint64_t)amount & element_mask(element);
}

/* Integers whose sum, difference or product is next to an end of the range. */
static uint64_t draw_integer_partner(rng_t *rng, elementwise_t function, const element_t *element,
                                     uint64_t bits) {
  uint64_t end =
      rng_one_in(rng, 2) ? element_integer_max(element) : (uint64_t)element_integer_min(element);
  end += (uint64_t)rng_between(rng, -1, 1);
  int64_t value = element_signed_value(element, bits);
  if (function == ELEMENTWISE_SUBTRACT) return (bits - end) & element_mask(element);
  if (function != ELEMENTWISE_MULTIPLY) return (end - bits) & element_mask(element);
  if (value == 0 || value == -1) return end & element_mask(element);
  bool is_signed = element->kind == ELEMENT_SIGNED;
  uint64_t quotient = is_signed ? (uint64_t)((int64_t)end / value) : end / bits;
  return (quotient + (uint64_t)rng_between(rng, -1, 1)) & element_mask(element);
}

static void draw_pair(rng_t *rng, elementwise_t function, const element_t *element,
                      uint64_t out_bits[2]) {
  out_bits[0] = special_value_any(rng, element);
  if (is_float(element) && rng_one_in(rng, 2)) {
    out_bits[0] = special_value_number(element, rng_one_in(rng, 2), rng_bits(rng) >> 11,
                                       (int)rng_between(rng, -56, -48));
  }
  if (function == ELEMENTWISE_SHIFT_RIGHT_ARITHMETIC) {
    out_bits[1] = draw_amount(rng, element);
  } else if (is_float(element)) {
    out_bits[1] = draw_partner(rng, element, out_bits[0]);
  } else if (element->kind != ELEMENT_BOOLEAN && rng_one_in(rng, 2)) {
    out_bits[1] = draw_integer_partner(rng, function, element, out_bits[0]);
  } else {
    out_bits[1] = special_value_any(rng, element);
  }
}

/* ---- Complex numbers ------------------------------------------------------------------------- */

/* Significands of all bits, so that products round, of about the same size. */
static double draw_part(rng_t *rng) {
  double significand = 1 + (double)(rng_bits(rng) >> 12) * 0x1p-52;
  return ldexp(rng_one_in(rng, 2) ? -significand : significand, (int)rng_between(rng, -2, 2));
}

static double round_to(const format_t *format, double value) {
  return format_round_double(format, value);
}

/* Factors of which the products of one part nearly cancel: a c = b d or a d = -b c, rounded; or
 * pairs that have the same real part, or zeros of both signs there. */
static void draw_complex_pair(rng_t *rng, elementwise_t function, const element_t *element,
                              uint64_t out_bits[2][2]) {
  const format_t *format = element->format;
  double a = round_to(format, draw_part(rng)), b = round_to(format, draw_part(rng));
  double c = round_to(format, draw_part(rng)), d = round_to(format, draw_part(rng));
  if (function != ELEMENTWISE_MULTIPLY) {
    c = a;
    if (rng_one_in(rng, 2)) a = 0;
    if (a == 0) c = rng_one_in(rng, 2) ? -0.0 : 0.0;
    if (rng_one_in(rng, 4)) d = b;
  } else if (rng_one_in(rng, 3)) {
    d = round_to(format, rng_one_in(rng, 2) ? a * c / b : -b * c / a);
  } else if (rng_one_in(rng, 4)) { /* Products overflow where sums of them need not. */
    int exponent = format->exponent_max / 2;
    a = ldexp(a, exponent), b = ldexp(b, exponent), c = ldexp(c, exponent), d = ldexp(d, exponent);
  }
  const double parts[2][2] = {{a, b}, {c, d}};
  for (int i = 0; i < 4; i++) {
    uint64_t bits = format_from_double(format, parts[i / 2][i % 2]);
    out_bits[i / 2][i % 2] = rng_one_in(rng, 12) ? special_value_any(rng, element) : bits;
  }
}

static void draw_complex_edges(rng_t *rng, elementwise_t function, case_t *inout_case) {
  const element_t *element = inout_case->program.results[0].element;
  for (size_t i = 0; i < type_element_count(&inout_case->program.results[0]); i++) {
    uint64_t bits[2][2];
    draw_complex_pair(rng, function, element, bits);
    for (size_t k = 0; k < 4; k++) {
      element_store(element, inout_case->operands[k / 2].data, 2 * i + k % 2, bits[k / 2][k % 2]);
    }
  }
}

/* ---- Storage values -------------------------------------------------------------------------- */

typedef struct parameters {
  double scale;
  double zero_point;
} parameters_t;

static parameters_t parameters_of(const type_t *type, size_t element) {
  const quantization_t *quantization = type->quantization;
  size_t index = 0;
  if (quantization->axis != -1) {
    size_t stride = 1;
    for (uint32_t i = (uint32_t)quantization->axis + 1; i < type->rank; i++) {
      stride *= (size_t)type->dims[i];
    }
    index = element / stride % quantization->count;
  }
  return (parameters_t){quantization->scales[index], (double)quantization->zero_points[index]};
}

/* The distance of what the operands' storage values make from the middle between two of the
 * result's, or a large one where it is clamped. */
static double distance_from_tie(const program_t *program, const int64_t stored[2], size_t element) {
  double values[2];
  for (uint32_t i = 0; i < 2; i++) {
    const type_t *type = &program->operands[MIN(i, program->operand_count - 1)];
    const parameters_t parameters = parameters_of(type, element);
    values[i] = ((double)stored[i] - parameters.zero_point) * parameters.scale;
  }
  const parameters_t to = parameters_of(&program->results[0], element);
  double value = values[0];
  switch (elementwise_of(program)) {
    case ELEMENTWISE_ADD:
      value += values[1];
      break;
    case ELEMENTWISE_SUBTRACT:
      value -= values[1];
      break;
    case ELEMENTWISE_MULTIPLY:
      value *= values[1];
      break;
    case ELEMENTWISE_NEGATE:
      value = -value;
      break;
    default: /* Of two, one is the larger one. */
      break;
  }
  value = value / to.scale + to.zero_point;
  const quantization_t *range = program->results[0].quantization;
  bool is_outside = !(value > (double)range->storage_min && value < (double)range->storage_max);
  return is_outside ? 1 : fabs(fabs(value - (double)(int64_t)value) - 0.5);
}

/* Of several pairs of storage values the one that comes nearest to a tie of the result's. */
static void draw_tie(rng_t *rng, case_t *inout_case, size_t element) {
  enum { DRAWS = 16 };
  const program_t *program = &inout_case->program;
  int64_t best[2] = {0, 0};
  double nearest = INFINITY;
  for (int draw = 0; draw < DRAWS && nearest > 0; draw++) {
    int64_t stored[2] = {0, 0};
    for (uint32_t i = 0; i < program->operand_count; i++) {
      const quantization_t *range = program->operands[i].quantization;
      stored[i] = rng_between(rng, range->storage_min, range->storage_max);
    }
    double distance = distance_from_tie(program, stored, element);
    if (draw > 0 && distance >= nearest) continue;
    memcpy(best, stored, sizeof best);
    nearest = distance;
  }
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const element_t *storage = program->operands[i].element;
    element_store(storage, inout_case->operands[i].data, element,
                  (uint64_t)best[i] & element_mask(storage));
  }
}

static void draw_quantized_edges(rng_t *rng, case_t *inout_case) {
  const program_t *program = &inout_case->program;
  if (rng_one_in(rng, 3)) {
    for (uint32_t i = 0; i < program->operand_count; i++) {
      draw_stored(rng, &inout_case->operands[i]);
    }
    return;
  }
  size_t count = type_element_count(&program->results[0]);
  for (size_t i = 0; i < count; i++) draw_tie(rng, inout_case, i);
}

/* ---- All ------------------------------------------------------------------------------------- */

void elementwise_draw_edges(rng_t *rng, case_t *inout_case) {
  const program_t *program = &inout_case->program;
  if (program->results[0].quantization != NULL) {
    draw_quantized_edges(rng, inout_case);
    return;
  }
  const element_t *element = program->results[0].element;
  elementwise_t function = elementwise_of(program);
  bool has_pairs = element->kind == ELEMENT_COMPLEX && function != ELEMENTWISE_ADD &&
                   function != ELEMENTWISE_SUBTRACT && function != ELEMENTWISE_NEGATE;
  if (has_pairs && !rng_one_in(rng, 3)) {
    draw_complex_edges(rng, function, inout_case);
    return;
  }
  for (size_t i = 0; i < type_component_count(&program->results[0]); i++) {
    uint64_t bits[2];
    draw_pair(rng, function, element, bits);
    for (uint32_t k = 0; k < program->operand_count; k++) {
      element_store(element, inout_case->operands[k].data, i, bits[k]);
    }
  }
}
