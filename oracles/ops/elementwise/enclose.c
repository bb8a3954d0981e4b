/* SPDX-License-Identifier: Apache-2.0 */
/* Encloses elementwise arithmetic: real intervals rounded and flushed as the contract permits,
 * integers (the whole type where a result may not fit), and quantized operands through each
 * permitted chain of roundings. */
#include "oracles/ops/elementwise/enclose.h"

#include <math.h>

#include "generated/elementwise_permissions.h"
#include "generated/exact_permissions.h"
#include "oracles/exact/box/quantum.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/magnitude.h"
#include "oracles/ops/elementwise/parts.h"

/* One program. */
typedef struct enclosing {
  const program_t *program;
  const contract_t *contract; /* Or NULL. */
  elementwise_t function;
} enclosing_t;

static bool is_sum(elementwise_t function) {
  return function == ELEMENTWISE_ADD || function == ELEMENTWISE_SUBTRACT;
}

static bool flushes_inputs(const contract_t *contract) {
  return PERMITTED(contract, ftz) == FTZ_INPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
}

/* The exact results of the functions of real numbers. */
static box_t apply(elementwise_t function, box_t left, box_t right) {
  switch (function) {
    case ELEMENTWISE_ADD:
      return box_add(left, right);
    case ELEMENTWISE_SUBTRACT:
      return box_subtract(left, right);
    case ELEMENTWISE_MULTIPLY:
      return box_multiply(left, right);
    case ELEMENTWISE_MAXIMUM:
      return box_maximum(left, right);
    case ELEMENTWISE_MINIMUM:
      return box_minimum(left, right);
    default:
      return box_negate(left);
  }
}

/* ---- Floats ---------------------------------------------------------------------------------- */

static box_t enclose_float(const enclosing_t *enclosing, box_t left, box_t right) {
  const contract_t *contract = enclosing->contract;
  if (contract == NULL) return apply(enclosing->function, left, right);
  const format_t *format = enclosing->program->results[0].element->format;
  if (flushes_inputs(contract)) {
    left = box_flush(left, format);
    right = box_flush(right, format);
  }
  box_t exact = apply(enclosing->function, left, right);
  bool truncates =
      is_sum(enclosing->function) && PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ;
  box_t rounded = truncates ? box_round_either_way(exact, format) : box_round(exact, format);
  if (PERMITTED(contract, ftz) == FTZ_NONE) return rounded;
  return box_flush_rounded(exact, rounded, format);
}

/* ---- Integers -------------------------------------------------------------------------------- */

/* floor(x / 2^amount); amounts of the width or more, and negative ones, leave the sign.  It grows
 * with x, and on each side of zero is monotone in the amount. */
static box_t shift(const enclosing_t *enclosing, const element_t *element, box_t x, box_t amount) {
  const contract_t *contract = enclosing->contract;
  bool is_beyond = amount.low < 0 || amount.high >= element->bits;
  if (is_beyond && contract != NULL && PERMITTED(contract, shift_amount) != 0)
    return box_of_element(element);
  bool has_high_bit = element->kind == ELEMENT_UNSIGNED && x.high >= ldexp(1, element->bits - 1);
  if (has_high_bit) return box_of_element(element);
  int least = (int)fmin(fmax(amount.low, 0), 64);
  int most = amount.low < 0 ? 64 : (int)fmin(amount.high, 64);
  const double ends[] = {x.low, x.high};
  box_t out = {INFINITY, -INFINITY};
  for (int end = 0; end < 2; end++) {
    out = box_unite(out, box_point(floor(ldexp(ends[end], -least))));
    out = box_unite(out, box_point(floor(ldexp(ends[end], -most))));
  }
  return out;
}

static box_t enclose_integer(const enclosing_t *enclosing, box_t left, box_t right) {
  const element_t *element = enclosing->program->results[0].element;
  elementwise_t function = enclosing->function;
  if (element->kind == ELEMENT_BOOLEAN) {
    bool is_or = function == ELEMENTWISE_ADD || function == ELEMENTWISE_MAXIMUM;
    return is_or ? box_maximum(left, right) : box_minimum(left, right);
  }
  if (function == ELEMENTWISE_SHIFT_RIGHT_ARITHMETIC) {
    return shift(enclosing, element, left, right);
  }
  box_t exact = apply(function, left, right);
  bool fits = enclosing->contract == NULL || box_fits(exact, element);
  return fits ? exact : box_of_element(element);
}

/* ---- Quantized: the formula ------------------------------------------------------------------ */

/* What may be between two steps: a number of f32 may be rounded to the expressed type or stay. */
static box_t settle(const enclosing_t *enclosing, const format_t *const arithmetics[2],
                    size_t arithmetic_count, box_t exact) {
  const format_t *expressed = quantum_expressed(&enclosing->program->results[0]);
  box_t out = {INFINITY, -INFINITY};
  for (size_t i = 0; i < arithmetic_count; i++) {
    box_t rounded = box_round(exact, arithmetics[i]);
    out = box_unite(out, box_unite(rounded, box_round(rounded, expressed)));
  }
  return PERMITTED(enclosing->contract, ftz) == FTZ_NONE ? out : box_flush(out, expressed);
}

static bool may_be_flushed(const enclosing_t *enclosing, const format_t *expressed, double scale) {
  return flushes_inputs(enclosing->contract) && scale < format_smallest_normal(expressed);
}

/* An operand's values; with a fused sum, its products too, which nothing rounds. */
static box_t dequantize(const enclosing_t *enclosing, const format_t *const arithmetics[2],
                        size_t arithmetic_count, const quantum_t *quantum, box_t stored) {
  const contract_t *contract = enclosing->contract;
  box_t out = {INFINITY, -INFINITY};
  box_t difference = quantum_box_difference(quantum, stored);
  for (size_t i = 0; i < arithmetic_count; i++) {
    box_t product = box_multiply(box_round(difference, arithmetics[i]), box_point(quantum->scale));
    out = box_unite(out, settle(enclosing, arithmetics, arithmetic_count, product));
    bool is_fused = is_sum(enclosing->function) && PERMITTED(contract, fma) == FMA_YES;
    if (is_fused) out = box_unite(out, product);
  }
  const format_t *expressed = quantum_expressed(&enclosing->program->results[0]);
  bool is_flat = may_be_flushed(enclosing, expressed, quantum->scale);
  return is_flat ? box_unite(out, box_point(0)) : out;
}

static box_t enclose_formula(const enclosing_t *enclosing, const quantum_t quanta[2],
                             const quantum_t *to, const box_t stored[2]) {
  const format_t *arithmetics[2];
  size_t count =
      quantum_arithmetics(&enclosing->program->results[0], enclosing->contract, arithmetics);
  const format_t *expressed = quantum_expressed(&enclosing->program->results[0]);
  if (may_be_flushed(enclosing, expressed, to->scale)) return quantum_box_anything(to);
  box_t values[2] = {{0, 0}, {0, 0}};
  for (uint32_t i = 0; i < enclosing->program->operand_count; i++) {
    values[i] = dequantize(enclosing, arithmetics, count, &quanta[i], stored[i]);
  }
  box_t exact = apply(enclosing->function, values[0], values[1]);
  box_t results = settle(enclosing, arithmetics, count, exact);
  box_t out = {INFINITY, -INFINITY};
  for (size_t i = 0; i < count; i++) {
    out = box_unite(out, quantum_box_quantize(to, arithmetics[i], enclosing->contract, results));
  }
  return out;
}

/* ---- Quantized: integers --------------------------------------------------------------------- */

/* Exact values in units of the result, without its zero point; and what |terms| add up to, where
 * zero points are multiplied out, with the magnitudes of the integers themselves. */
typedef struct rescaled {
  box_t value;
  double magnitude;
  double integers;
} rescaled_t;

static rescaled_t rescale(const quantum_t *quantum, const quantum_t *to, box_t stored) {
  double integers = box_magnitude(stored) + fabs((double)quantum->zero_point);
  box_t factor = box_divide(box_point(quantum->scale), box_point(to->scale));
  return (rescaled_t){.value = box_multiply(quantum_box_difference(quantum, stored), factor),
                      .magnitude = box_above(integers * factor.high),
                      .integers = integers};
}

static rescaled_t combine(const enclosing_t *enclosing, const quantum_t quanta[2],
                          const quantum_t *to, const box_t stored[2]) {
  rescaled_t left = rescale(&quanta[0], to, stored[0]);
  if (enclosing->function == ELEMENTWISE_NEGATE) {
    left.value = box_negate(left.value);
    return left;
  }
  const quantum_t unit = {.scale = 1};
  bool is_product = enclosing->function == ELEMENTWISE_MULTIPLY;
  rescaled_t right = rescale(&quanta[1], is_product ? &unit : to, stored[1]);
  left.value = apply(enclosing->function, left.value, right.value);
  if (is_product) {
    left.magnitude = box_above(left.magnitude * right.magnitude);
    left.integers *= right.integers;
  } else {
    left.magnitude = box_above(left.magnitude + right.magnitude);
    left.integers += right.integers;
  }
  return left;
}

/* gamma_8 of the magnitudes, and what multipliers that underflow err by: theory.md, T43. */
static double bound_error(const rescaled_t *rescaled, const quantum_t *to,
                          const format_t *arithmetic) {
  double u = format_unit_roundoff(arithmetic);
  upper_t gamma = upper_divide(upper_of(8 * u), lower_of(1 - 8 * u));
  upper_t zero_point = upper_of(fabs((double)to->zero_point));
  upper_t integers = upper_add(upper_of(rescaled->integers + 8), zero_point);
  upper_t magnitude = upper_add(upper_of(rescaled->magnitude), zero_point);
  upper_t small = upper_scale(integers, format_smallest(arithmetic));
  return upper_add(upper_multiply(gamma, magnitude), small).value;
}

static box_t nearest_stored(box_t sums, const quantum_t *to) {
  return box_clamp(box_nearest_integers(sums), (double)to->storage_min, (double)to->storage_max);
}

/* The zero point added to what is rounded already. */
static box_t add_last(box_t values, const quantum_t *to) {
  box_t sums = box_add(box_nearest_integers(values), box_point((double)to->zero_point));
  return box_clamp(sums, (double)to->storage_min, (double)to->storage_max);
}

/* Where an end of the storage range is rounded, what lies beyond it. */
static box_t add_beyond(const quantum_t *to, const format_t *arithmetic, box_t stored) {
  const bool reaches[] = {stored.low <= (double)to->storage_min,
                          stored.high >= (double)to->storage_max};
  for (int end = 0; end < 2; end++) {
    box_t far = box_point(end == 0 ? -INFINITY : INFINITY);
    if (reaches[end]) stored = box_unite(stored, quantum_box_of_sums(to, arithmetic, far));
  }
  return stored;
}

/* In every way of fixed point: each is monotone, so that the corners tell. */
static box_t enclose_fixed(const enclosing_t *enclosing, const quantum_t quanta[2], size_t element,
                           const box_t stored[2]) {
  const elementwise_fixed_t fixed = elementwise_fixed_of(enclosing->program, element);
  box_t out = {INFINITY, -INFINITY};
  size_t count = elementwise_fixed_choices(fixed.function);
  for (size_t choice = 0; choice < 4 * count; choice++) {
    const double ends[] = {(choice & 1) != 0 ? stored[0].high : stored[0].low,
                           (choice & 2) != 0 ? stored[1].high : stored[1].low};
    int64_t left = (int64_t)ends[0] - quanta[0].zero_point;
    int64_t right = (int64_t)ends[1] - quanta[1].zero_point;
    out = box_unite(out, box_point((double)elementwise_fixed(&fixed, choice / 4, left, right)));
  }
  return out;
}

static box_t enclose_by_integers(const enclosing_t *enclosing, const quantum_t quanta[2],
                                 const quantum_t *to, const box_t stored[2]) {
  const type_t *result = &enclosing->program->results[0];
  rescaled_t rescaled = combine(enclosing, quanta, to, stored);
  if (!box_is_finite(rescaled.value)) return quantum_box_anything(to);
  const box_t zero_point = box_point((double)to->zero_point);
  uint8_t ways = PERMITTED(enclosing->contract, rescale);
  bool is_rounded = ways == RESCALE_FLOAT || ways == RESCALE_EITHER;
  if (!is_rounded) {
    box_t first = nearest_stored(box_add(rescaled.value, zero_point), to);
    if (PERMITTED(enclosing->contract, quantize_zero_point) == 0) return first;
    return box_unite(first, add_last(rescaled.value, to));
  }
  bool is_f64 = result->quantization->expressed->format == &format_table[FORMAT_f64];
  const format_t *arithmetic = &format_table[is_f64 ? FORMAT_f64 : FORMAT_f32];
  double error = bound_error(&rescaled, to, arithmetic);
  if (!isfinite(error)) return quantum_box_anything(to);
  box_t near = box_widen(rescaled.value, error);
  box_t added_first = nearest_stored(box_add(near, zero_point), to);
  return add_beyond(to, arithmetic, box_unite(add_last(near, to), added_first));
}

/* ---- All ------------------------------------------------------------------------------------- */

static box_t enclose_quantized(const enclosing_t *enclosing, size_t element,
                               const box_t stored[2]) {
  const program_t *program = enclosing->program;
  const quantum_t to = quantum_of(&program->results[0], element);
  quantum_t quanta[2] = {to, to};
  for (uint32_t i = 0; i < program->operand_count; i++) {
    quanta[i] = quantum_of(&program->operands[i], element);
  }
  if (enclosing->contract == NULL) {
    box_t left = quantum_box_dequantize(&quanta[0], NULL, stored[0]);
    box_t right = quantum_box_dequantize(&quanta[1], NULL, stored[1]);
    return quantum_box_quantize(&to, NULL, NULL, apply(enclosing->function, left, right));
  }
  box_t out = enclose_formula(enclosing, quanta, &to, stored);
  if (PERMITTED(enclosing->contract, quantized) == 0) return out;
  out = box_unite(out, enclose_by_integers(enclosing, quanta, &to, stored));
  uint8_t ways = PERMITTED(enclosing->contract, rescale);
  if (ways != RESCALE_FIXED && ways != RESCALE_EITHER) return out;
  return box_unite(out, enclose_fixed(enclosing, quanta, element, stored));
}

static status_t check(const program_t *program, failure_t *error) {
  const type_t *type = &program->results[0];
  const element_t *element =
      type->quantization == NULL ? type->element : type->quantization->expressed;
  bool has_zero = element->format == NULL || element->format->specials != FORMAT_EXPONENT_ONLY;
  if (has_zero && element->components == 1) return STATUS_OK;
  return status_fail(error, STATUS_UNSUPPORTED, "elements of %s are not enclosed", element->name);
}

status_t elementwise_enclose(const enclosure_call_t *call,
                             box_t *const out_results[CASE_RESULTS_MAX]) {
  const program_t *program = call->program;
  STATUS_TRY(check(program, call->error));
  const enclosing_t enclosing = {program, call->contract, elementwise_of(program)};
  const type_t *type = &program->results[0];
  size_t count = type_element_count(type);
  for (size_t i = 0; i < count; i++) {
    const box_t values[] = {call->operands[0][i], program->operand_count == 2
                                                      ? call->operands[1][i]
                                                      : call->operands[0][i]};
    if (type->quantization != NULL) {
      out_results[0][i] = enclose_quantized(&enclosing, i, values);
    } else if (type->element->format != NULL) {
      out_results[0][i] = enclose_float(&enclosing, values[0], values[1]);
    } else {
      out_results[0][i] = enclose_integer(&enclosing, values[0], values[1]);
    }
  }
  return STATUS_OK;
}
