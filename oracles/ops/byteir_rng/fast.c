/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the affine map of a uniform number with plain binary64 emulation, in the usual rounding
 * variants, to accept common results without MPFR. */
#include "oracles/ops/byteir_rng/fast.h"

#include <math.h>

static const format_t *wider_format(const format_t *format, const contract_t *contract) {
  if (format->bits == 16) return &format_table[FORMAT_f32];
  bool is_permitted = PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES;
  return is_permitted ? &format_table[FORMAT_f64] : format;
}

byteir_rng_fast_t byteir_rng_fast_make(const case_t *instance, const contract_t *contract) {
  const format_t *format = instance->program.results[0].element->format;
  const format_t *wider = wider_format(format, contract);
  byteir_rng_fast_t fast = {.result = format};
  fast.low = format_to_double(format, byteir_rng_operand(instance, BYTEIR_RNG_LOW));
  double high = format_to_double(format, byteir_rng_operand(instance, BYTEIR_RNG_HIGH));
  for (int way = 0; way < BYTEIR_RNG_FAST_WAYS; way++) {
    const arithmetic_t arithmetic = arithmetic_make(way == 0 ? format : wider);
    fast.ways[way].arithmetic = arithmetic;
    fast.ways[way].rounds_uniform = way < 2 || wider == format;
    fast.ways[way].width = arithmetic_add(&arithmetic, high, -fast.low);
  }
  return fast;
}

double byteir_rng_fast_value(const byteir_rng_fast_t *fast, int way, double uniform) {
  const arithmetic_t *arithmetic = &fast->ways[way].arithmetic;
  const format_t *first = fast->ways[way].rounds_uniform ? fast->result : arithmetic->format;
  double product =
      arithmetic_multiply(arithmetic, format_round_double(first, uniform), fast->ways[way].width);
  double sum = arithmetic_add(arithmetic, fast->low, product);
  return format_round_double(fast->result, sum);
}

uint64_t byteir_rng_fast_bits(const byteir_rng_fast_t *fast, double uniform) {
  double value = byteir_rng_fast_value(fast, 0, uniform);
  return format_from_double(fast->result, isnan(value) ? (double)NAN : value);
}

bool byteir_rng_fast_holds(const byteir_rng_fast_t *fast, double uniform, uint64_t bits) {
  if (byteir_rng_fast_bits(fast, uniform) == bits) return true;
  double number = format_to_double(fast->result, bits);
  if (!isfinite(number) || format_is_zero(fast->result, bits)) return false;
  for (int way = 1; way < BYTEIR_RNG_FAST_WAYS; way++) {
    double value = byteir_rng_fast_value(fast, way, uniform);
    if (value <= number && number <= value) return true;
  }
  return false;
}
