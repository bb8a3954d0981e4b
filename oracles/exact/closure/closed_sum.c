/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers the values of a short format by their patterns, all NaNs being one, and asks their
 * closure under addition. */
#include "oracles/exact/closure/closed_sum.h"

#include <math.h>

#include "oracles/exact/arithmetic.h"

enum { SHORT_BITS = 8 };

static uint8_t number_of(const format_t *format, double value) {
  return (uint8_t)format_from_double(format, isnan(value) ? (double)NAN : value);
}

static uint8_t add(const void *context, size_t way, uint8_t a, uint8_t b) {
  (void)way;
  const arithmetic_t *arithmetic = context;
  const format_t *format = arithmetic->format;
  return number_of(
      format, arithmetic_add(arithmetic, format_to_double(format, a), format_to_double(format, b)));
}

static closure_leaf_t leaf_of(const format_t *format, double value) {
  uint8_t number = number_of(format, value);
  return (closure_leaf_t){{number, number}};
}

static bool has_plain_nodes(const contract_t *contract) {
  return PERMITTED(contract, accum_wider) == ACCUM_WIDER_NO &&
         PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RN &&
         PERMITTED(contract, ftz) == FTZ_NONE;
}

bool closed_sum_least_inits(const closed_sum_t *sum, double value, arena_t *arena,
                            uint32_t *out_inits) {
  const format_t *format = sum->format;
  const contract_t *contract = sum->contract;
  if (format->bits > SHORT_BITS || sum->count > CLOSURE_TERMS_MAX || !has_plain_nodes(contract))
    return false;
  const arithmetic_t arithmetic = arithmetic_make(format);
  closure_leaf_t terms[CLOSURE_TERMS_MAX];
  for (size_t i = 0; i < sum->count; i++) terms[i] = leaf_of(format, sum->terms[i]);
  const closure_question_t closure = {
      .node = {.value_count = (size_t)1 << format->bits,
               .way_count = 1,
               .combine = add,
               .context = &arithmetic},
      .count = sum->count,
      .terms = terms,
      .init = leaf_of(format, sum->init),
      .init_most = contract_init_count_max(contract, sum->count),
      .is_in_order = PERMITTED(contract, order) == ORDER_IN_ORDER,
  };
  uint32_t least[CLOSURE_VALUES_MAX];
  if (!closure_make(&closure, arena, least)) return false;
  *out_inits = least[number_of(format, value)];
  if (value == 0 && PERMITTED(contract, zero_sign) == ZERO_SIGN_ANY) {
    *out_inits = MIN(*out_inits, least[number_of(format, -value)]);
  }
  return true;
}
