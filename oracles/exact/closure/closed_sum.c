/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers the values of a short format by their patterns, all NaNs being one, asks their closure
 * under addition, and looks for the patterns that become the result. */
#include "oracles/exact/closure/closed_sum.h"

#include <math.h>

#include "oracles/exact/any_order/share.h"
#include "oracles/exact/closure/short_add.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/magnitude.h"

enum { BYTE_BITS = 8, HALF_BITS = 16, HALF_WORK = 1 << 21 };

typedef struct addition {
  const format_t *format;
  short_window_t window;
} addition_t;

static void add(const void *context, size_t way, uint16_t a, const uint16_t *others, size_t count,
                uint16_t *out) {
  (void)way;
  const addition_t *addition = context;
  short_add(addition->format, &addition->window, a, others, count, out);
}

static closure_leaf_t leaf_of(const format_t *format, double value) {
  uint16_t number = short_pattern(format, value);
  return (closure_leaf_t){{number, number}};
}

static bool has_plain_nodes(const contract_t *contract) {
  return PERMITTED(contract, accum_wider) == ACCUM_WIDER_NO &&
         PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RN &&
         PERMITTED(contract, ftz) == FTZ_NONE;
}

/* Partial sums from which what is wanted can be reached: with an initial value of the same sign
 * more of them only push on, and the terms of the other sign pull back by no more than twice their
 * sum (theory.md, T126). */
static short_window_t window_of(const closed_sum_t *sum, double wanted) {
  short_window_t window = {.low = -INFINITY, .high = INFINITY};
  const format_t *format = sum->format;
  if (format->bits <= BYTE_BITS) return window; /* Cheap, and some have no NaN. */
  if (!isfinite(wanted) || !isfinite(sum->init) || sum->init == 0) return window;
  double sign = sum->init > 0 ? 1 : -1;
  upper_t back = upper_of(0);
  for (size_t i = 0; i < sum->count; i++) {
    if (!isfinite(sum->terms[i])) return window;
    if (sum->terms[i] * sign < 0) back = upper_add(back, upper_of(fabs(sum->terms[i])));
  }
  double growth = 2 * (1 + (double)sum->count * format_unit_roundoff(format));
  upper_t reach = upper_add(upper_scale(back, growth), upper_of(fmax(wanted * sign, 0)));
  double beyond = format_round_double(format, reach.value);
  uint64_t last =
      format_next_up(format, format_next_up(format, format_from_double(format, beyond)));
  beyond = format_to_double(format, last);
  if (!(beyond < format_to_double(format, format->largest_bits))) return window;
  *(sign > 0 ? &window.high : &window.low) = sign * beyond;
  return window;
}

bool closed_sum_make(const closed_sum_t *sum, double wanted, size_t work, arena_t *arena,
                     uint32_t *out_least) {
  const format_t *format = sum->format;
  if (format->bits > HALF_BITS || format->specials == FORMAT_EXPONENT_ONLY) return false;
  if (sum->count > CLOSURE_TERMS_MAX || !has_plain_nodes(sum->contract)) return false;
  closure_leaf_t terms[CLOSURE_TERMS_MAX];
  for (size_t i = 0; i < sum->count; i++) terms[i] = leaf_of(format, sum->terms[i]);
  const addition_t addition = {.format = format, .window = window_of(sum, wanted)};
  const closure_question_t closure = {
      .node = {.value_count = (size_t)1 << format->bits,
               .way_count = 1,
               .combine = add,
               .context = &addition},
      .count = sum->count,
      .terms = terms,
      .init = leaf_of(format, sum->init),
      .init_most = contract_init_count_max(sum->contract, sum->count),
      .is_in_order = PERMITTED(sum->contract, order) == ORDER_IN_ORDER,
      .work = work,
  };
  return closure_make(&closure, arena, out_least);
}

/* Of 16 bits a closure may take milliseconds: one sum of a case has one, or some. */
static bool is_judged(const closed_sum_t *sum) {
  enum { SHARE = 1 };
  size_t sums = sum->sums_of_case;
  size_t divisor = sum->format->bits <= BYTE_BITS || sums <= SHARE ? 1 : sums / SHARE;
  return tree_share_has(divisor, sum->count, sum->terms, NULL);
}

/* Whether a pattern of the format becomes that one. */
static bool becomes(const closed_sum_t *sum, uint16_t source, uint64_t bits) {
  const format_t *format = sum->format;
  const format_t *result = sum->result == NULL ? format : sum->result;
  uint64_t converted =
      result == format ? source : format_convert(format, result, source, ROUNDING_NEAREST_EVEN);
  if (converted == bits) return true;
  if (format_is_nan(result, converted)) return format_is_nan(result, bits);
  bool are_zeros = format_is_zero(result, converted) && format_is_zero(result, bits);
  return are_zeros && (!format_has_negative_zero(result) ||
                       PERMITTED(sum->contract, zero_sign) == ZERO_SIGN_ANY);
}

/* The farthest number that may become the pattern. */
static double wanted_of(const closed_sum_t *sum, uint64_t bits) {
  const format_t *result = sum->result == NULL ? sum->format : sum->result;
  double value = format_to_double(result, bits);
  if (sum->result == NULL || !isfinite(value)) return value;
  double sign = sum->init > 0 ? 1 : -1;
  uint64_t next = format_next_up(result, format_from_double(result, value * sign));
  return sign * format_to_double(result, next);
}

bool closed_sum_least_inits(const closed_sum_t *sum, uint64_t bits, arena_t *arena,
                            uint32_t *out_inits) {
  if (sum->format->bits > HALF_BITS || !is_judged(sum)) return false;
  arena_mark_t mark = arena_mark(arena);
  size_t values = (size_t)1 << sum->format->bits;
  uint32_t *least = ARENA_NEW_ARRAY(arena, uint32_t, values);
  size_t work = sum->format->bits <= BYTE_BITS ? CLOSURE_WORK : HALF_WORK;
  bool is_known = closed_sum_make(sum, wanted_of(sum, bits), work, arena, least);
  uint32_t inits = CLOSURE_NEVER;
  for (size_t source = 0; is_known && source < values; source++) {
    if (least[source] < inits && becomes(sum, (uint16_t)source, bits)) inits = least[source];
  }
  if (is_known) *out_inits = inits;
  arena_rewind(arena, mark);
  return is_known;
}
