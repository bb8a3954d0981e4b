/* SPDX-License-Identifier: Apache-2.0 */
/* What a dequantized operand may be: see composite/quantized.h. */
#include <math.h>

#include "oracles/composite/parts.h"
#include "oracles/exact/quantum/quantize_mpfr.h"
#include "oracles/formula/enclosed.h"

enum { PRODUCT_PRECISION = 33 + 53 }; /* Of a difference and a scale. */

static void add_number(enclosed_t *inout, mpfr_srcptr number) {
  if (!inout->has_finite) {
    mpfr_set(inout->low, number, MPFR_RNDD);
    mpfr_set(inout->high, number, MPFR_RNDU);
    inout->has_finite = true;
  } else {
    mpfr_min(inout->low, inout->low, number, MPFR_RNDD);
    mpfr_max(inout->high, inout->high, number, MPFR_RNDU);
  }
  if (!mpfr_zero_p(number)) return;
  inout->specials |= mpfr_signbit(number) ? ENCLOSED_NEGATIVE_ZERO : ENCLOSED_POSITIVE_ZERO;
}

static void add_double(enclosed_t *inout, double value) {
  if (isnan(value)) inout->specials |= ENCLOSED_NAN;
  if (isinf(value)) {
    inout->specials |= value > 0 ? ENCLOSED_POSITIVE_INFINITY : ENCLOSED_NEGATIVE_INFINITY;
  }
  if (!isfinite(value)) return;
  mpfr_t number;
  mpfr_init2(number, 53);
  mpfr_set_d(number, value, MPFR_RNDN);
  add_number(inout, number);
  mpfr_clear(number);
}

/* A factor times the scale, unrounded. */
static void add_product(enclosed_t *inout, double factor, double scale) {
  mpfr_t product;
  mpfr_init2(product, PRODUCT_PRECISION);
  mpfr_set_d(product, factor, MPFR_RNDN);
  mpfr_mul_d(product, product, scale, MPFR_RNDN);
  add_number(inout, product);
  mpfr_clear(product);
}

/* The number itself, without any rounding. */
static void set_product(enclosed_t *out, double factor, double scale) {
  out->has_finite = false;
  out->specials = 0;
  add_product(out, factor, scale);
}

/* What a dequantized value of that arithmetic may become: rounded to the expressed type, or a zero.
 */
static void add_dequantized(const contract_t *contract, const format_t *expressed, double value,
                            enclosed_t *inout) {
  add_double(inout, value);
  add_double(inout, isnan(value) ? value : format_round_double(expressed, value));
  bool is_tiny = value != 0 && fabs(value) < ldexp(1, expressed->exponent_min);
  if (is_tiny && PERMITTED(contract, ftz) != FTZ_NONE) add_double(inout, copysign(0, value));
}

static void set_dequantized(const tensor_t *tensor, size_t element, const contract_t *contract,
                            enclosed_t *out) {
  const quantum_t quantum = quantum_of(&tensor->type, element);
  int64_t stored = quantum_load(tensor, element);
  double difference = (double)(stored - quantum.zero_point);
  const format_t *arithmetics[2];
  size_t count = quantum_arithmetics(&tensor->type, contract, arithmetics);
  const format_t *expressed = quantum_expressed(&tensor->type);
  out->has_finite = false;
  out->specials = 0;
  for (size_t i = 0; i < count; i++) {
    double value = exact_dequantize(&quantum, arithmetics[i], stored);
    add_dequantized(contract, expressed, value, out);
    double factor = format_round_double(arithmetics[i], difference);
    if (PERMITTED(contract, fma) == FMA_YES && isfinite(factor))
      add_product(out, factor, quantum.scale);
  }
  bool may_flush = PERMITTED(contract, ftz) == FTZ_INPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
  bool is_flat = quantum.scale < ldexp(1, expressed->exponent_min);
  if (may_flush && is_flat) add_double(out, copysign(0, difference));
}

void problem_widen_operand(const problem_t *problem, uint32_t operand, const size_t *elements,
                           const enclosing_t *settings, row_t *inout_row) {
  const tensor_t *tensor = &problem->quantized->operands[operand];
  for (size_t i = 0; i < inout_row->count; i++) {
    enclosed_t *set = &inout_row->enclosed[i];
    if (settings->is_exact) {
      const quantum_t quantum = quantum_of(&tensor->type, elements[i]);
      int64_t difference = quantum_load(tensor, elements[i]) - quantum.zero_point;
      set_product(set, (double)difference, quantum.scale);
    } else {
      set_dequantized(tensor, elements[i], problem->contract, set);
    }
  }
}
