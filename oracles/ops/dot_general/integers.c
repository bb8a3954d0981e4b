/* SPDX-License-Identifier: Apache-2.0 */
/* The sets of dot algorithms that add integers, and which integers the numbers of a range become,
 * found from the number of the format next to each end of what becomes one integer. */
#include "oracles/ops/dot_general/integers.h"

#include <math.h>

#include "generated/element_conversion_permissions.h"
#include "generated/exact_permissions.h"
#include "harness/num/binary64.h"
#include "harness/num/int128.h"
#include "oracles/ops/dot_general/components.h"
#include "oracles/ops/element_conversion/element_conversion.h"

/* ---- Integers that are added ----------------------------------------------------------------- */

/* The question in the accumulation type; false if an operand has no integer of its precision type.
 */
static bool make_question(const oracle_call_t *call, const dot_plan_t *plan, split_t split,
                          const dot_general_layout_t *layout, dot_general_place_t place,
                          integer_problem_t *out_question) {
  const tensor_t *operands = call->instance->operands;
  uint64_t *left = ARENA_NEW_ARRAY(call->arena, uint64_t, layout->term_count);
  uint64_t *right = ARENA_NEW_ARRAY(call->arena, uint64_t, layout->term_count);
  bool is_known = true;
  for (size_t i = 0; i < layout->term_count; i++) {
    is_known &= dot_components_load_integer(dot_plan_split(plan, DOT_GENERAL_LHS, split),
                                            plan->types[0], &operands[DOT_GENERAL_LHS],
                                            dot_general_lhs_index(layout, place, i), &left[i]);
    is_known &= dot_components_load_integer(dot_plan_split(plan, DOT_GENERAL_RHS, split),
                                            plan->types[1], &operands[DOT_GENERAL_RHS],
                                            dot_general_rhs_index(layout, place, i), &right[i]);
  }
  *out_question = (integer_problem_t){.element = plan->sum,
                                      .body = FOLD_ADD,
                                      .count = layout->term_count,
                                      .left = left,
                                      .right = right};
  return is_known;
}

uint64_t dot_integers_extend(const element_t *element, uint64_t bits) {
  bits &= element_mask(element);
  return element->kind == ELEMENT_SIGNED ? (uint64_t)element_signed_value(element, bits) : bits;
}

static __int128 integer_of(const element_t *element, uint64_t value) {
  return element->kind == ELEMENT_SIGNED ? (__int128)(int64_t)value : (__int128)value;
}

bool dot_integers_convert(const element_t *sum, uint64_t value, const element_t *result,
                          uint64_t *out_bits) {
  __int128 integer = integer_of(sum, value);
  if (result->format != NULL) {
    bool is_negative = integer < 0;
    const number_t number = {.kind = integer == 0 ? NUMBER_ZERO : NUMBER_FINITE,
                             .negative = is_negative,
                             .significand = (uint64_t)(is_negative ? -integer : integer)};
    *out_bits = format_encode(result->format, number, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
    return true;
  }
  *out_bits = value & element_mask(result);
  return integer >= (__int128)element_integer_min(result) &&
         integer <= (__int128)element_integer_max(result);
}

/* Whether some order of the terms may leave the range of the accumulation type. */
static bool may_overflow(const integer_problem_t *question, const dot_plan_t *plan) {
  __int128 positive = 0, negative = 0;
  const __int128 far = (__int128)1 << 100;
  for (size_t i = 0; i < question->count; i++) {
    __int128 product = integer_of(plan->types[0], question->left[i]);
    if (int128_multiply_overflows(product, integer_of(plan->types[1], question->right[i]),
                                  &product)) {
      return true;
    }
    *(product > 0 ? &positive : &negative) += CLAMP(product, -far, far);
    if (positive > far || negative < -far) return true;
  }
  return positive > (__int128)element_integer_max(question->element) ||
         negative < (__int128)element_integer_min(question->element);
}

accept_t dot_integers_accept(const oracle_call_t *call, const dot_general_layout_t *layout,
                             const dot_plan_t *plan) {
  const element_t *result = call->instance->program.results[0].element;
  size_t count = type_component_count(&call->instance->program.results[0]);
  uint64_t *bits = ARENA_NEW_ARRAY(call->arena, uint64_t, count);
  uint8_t *decide = arena_alloc_zeroed(call->arena, count);
  bool wraps = PERMITTED(call->contract, integer_overflow) != INTEGER_OVERFLOW_SATURATE;
  for (size_t i = 0; i < count; i++) {
    arena_mark_t mark = arena_mark(call->arena);
    dot_general_place_t place = dot_general_place(call->instance, layout, i);
    integer_problem_t question;
    bool is_known = make_question(call, plan, SPLIT_NEAREST, layout, place, &question);
    uint64_t sum = dot_integers_extend(plan->sum, integer_result(&question, 1));
    decide[i] = !dot_integers_convert(plan->sum, sum, result, &bits[i]) || !is_known || !wraps;
    arena_rewind(call->arena, mark);
  }
  return (accept_t){.count = count, .bits = bits, .decide = decide};
}

static answer_t open_answer(const char *why) {
  answer_t answer = {.conforms = true, .is_vacuous = true};
  g_strlcpy(answer.expected, why, sizeof answer.expected);
  return answer;
}

/* A sum that is converted to another type.  Where saturating orders have a range of sums, nothing
 * is known of what they become (theory.md, T133). */
static void decide_converted(const oracle_call_t *call, const dot_plan_t *plan,
                             const integer_problem_t *question, uint64_t bits,
                             answer_t *out_answer) {
  const element_t *result = call->instance->program.results[0].element;
  bool may_saturate = PERMITTED(call->contract, integer_overflow) != INTEGER_OVERFLOW_WRAP;
  if (may_saturate && may_overflow(question, plan)) {
    *out_answer = open_answer("anything: the sum may saturate, and is converted");
    return;
  }
  uint64_t wrapped = integer_result(question, 1), expected;
  integer_answer(question, call->contract, wrapped, out_answer);
  bool is_number =
      dot_integers_convert(plan->sum, dot_integers_extend(plan->sum, wrapped), result, &expected);
  out_answer->conforms = bits == expected;
  out_answer->has_reference = false;
  if (is_number || PERMITTED(call->contract, convert_narrowing) != CONVERT_NARROWING_ANY) return;
  *out_answer = open_answer("anything: the result's type has no such integer");
}

void dot_integers_decide(const oracle_call_t *call, const dot_plan_t *plan, size_t component,
                         uint64_t bits, answer_t *out_answer) {
  dot_general_layout_t layout = dot_general_layout_make(&call->instance->program, call->arena);
  dot_general_place_t place = dot_general_place(call->instance, &layout, component);
  split_t splits[DOT_SPLITS_MAX];
  size_t split_count = dot_plan_splits(plan, call->contract, splits);
  for (size_t i = 0; i < split_count; i++) {
    integer_problem_t question;
    answer_t answer = {0};
    if (!make_question(call, plan, splits[i], &layout, place, &question)) {
      answer = open_answer("anything: an operand has no integer of its precision type");
    } else if (call->instance->program.results[0].element == plan->sum) {
      integer_answer(&question, call->contract, bits, &answer);
    } else {
      decide_converted(call, plan, &question, bits, &answer);
    }
    if (i == 0 || answer.conforms) *out_answer = answer;
    if (answer.conforms) return;
  }
}

bool dot_integers_range(const oracle_call_t *call, const dot_plan_t *plan, split_t split,
                        const dot_general_layout_t *layout, dot_general_place_t place,
                        value_range_t *out_range) {
  const element_t *result = call->instance->program.results[0].element;
  bool may_saturate = PERMITTED(call->contract, integer_overflow) != INTEGER_OVERFLOW_WRAP;
  integer_problem_t question;
  if (!make_question(call, plan, split, layout, place, &question)) return false;
  if (may_saturate && may_overflow(&question, plan)) return false;
  uint64_t bits, sum = dot_integers_extend(plan->sum, integer_result(&question, 1));
  dot_integers_convert(plan->sum, sum, result, &bits);
  double value = format_to_double(result->format, bits);
  bool is_number = isfinite(value) && value != 0;
  *out_range = (value_range_t){.low = is_number ? value : INFINITY,
                               .high = is_number ? value : -INFINITY,
                               .nan = isnan(value),
                               .positive_infinity = value == INFINITY,
                               .negative_infinity = value == -INFINITY,
                               .positive_zero = value == 0};
  return true;
}

/* ---- Sums that become integers --------------------------------------------------------------- */

/* What the type's integers lie between, exactly. */
static double least_of(const element_t *type) { return (double)element_integer_min(type); }
static double above_all(const element_t *type) {
  return ldexp(1, type->kind == ELEMENT_SIGNED ? type->bits - 1 : type->bits);
}

bool integer_result_of(double value, const element_t *result, uint64_t *out_bits) {
  double integer = trunc(value);
  *out_bits = 0;
  if (!(integer >= least_of(result) && integer < above_all(result))) return false; /* NaN too. */
  uint64_t bits = integer < 0 ? (uint64_t)(int64_t)integer : (uint64_t)integer;
  *out_bits = bits & element_mask(result);
  return true;
}

/* The number of the format at `value` or next above it. */
static double at_or_above(const format_t *format, double value) {
  const format_t *f64 = &format_table[FORMAT_f64];
  if (format == f64 || isinf(value)) return value;
  return format_to_double(format, format_convert(f64, format, binary64_bits(value), ROUNDING_UP));
}

static double next_above(const format_t *format, double value) {
  return format_to_double(format, format_next_up(format, format_from_double(format, value)));
}

/* Whether a nonzero number of the format lies in the range and between the ends, or at the lower
 * one if that is included. */
static bool has_between(const value_range_t *range, const format_t *format, double low,
                        bool includes_low, double high) {
  double first = at_or_above(format, fmax(range->low, low));
  if (!includes_low && first == low) first = next_above(format, low);
  if (first == 0) first = next_above(format, 0);
  return first <= range->high && first < high;
}

/* Of negative numbers it is the mirrored range that is looked at. */
static value_range_t mirrored(const value_range_t *range) {
  return (value_range_t){.low = -range->high, .high = -range->low};
}

/* By their integer parts: the least of 64 bits less 1 is itself in binary64. */
static bool is_below_all(double value, const element_t *result) {
  return trunc(value) < least_of(result);
}

static bool may_be_out(const value_range_t *range, const element_t *result) {
  return range->nan || range->positive_infinity || range->negative_infinity ||
         (range->low <= range->high &&
          (range->high >= above_all(result) || is_below_all(range->low, result)));
}

/* Where the type's end comes of all that is beyond it. */
static bool holds_end(const value_range_t *range, const element_t *result, uint64_t bits) {
  bool has_finite = range->low <= range->high;
  bool is_above = range->positive_infinity || (has_finite && range->high >= above_all(result));
  bool is_below = range->negative_infinity || (has_finite && is_below_all(range->low, result));
  uint64_t least = (uint64_t)element_integer_min(result) & element_mask(result);
  uint64_t most = element_integer_max(result) & element_mask(result);
  return (range->nan && bits == 0) || (is_above && bits == most) || (is_below && bits == least);
}

bool integer_result_holds(const value_range_t *range, const format_t *format,
                          const element_t *result, const contract_t *contract, uint64_t bits) {
  if (may_be_out(range, result)) {
    if (PERMITTED(contract, convert_truncation) == CONVERT_TRUNCATION_ANY) return true;
    if (holds_end(range, result, bits)) return true;
  }
  bool is_signed = result->kind == ELEMENT_SIGNED;
  int64_t integer = element_signed_value(result, bits);
  bool is_negative = is_signed && integer < 0;
  uint64_t magnitude = is_negative ? 0 - (uint64_t)integer : (uint64_t)integer;
  double value = (double)magnitude;
  const value_range_t far = mirrored(range);
  if (magnitude == 0) {
    return range->positive_zero || range->negative_zero ||
           has_between(range, format, 0, false, 1) || has_between(&far, format, 0, false, 1);
  }
  /* Numbers above 2^53 are integers, and only some integers are numbers. */
  bool is_number = value < 0x1p64 && (uint64_t)value == magnitude;
  if (!is_number) return false;
  double end = value >= 0x1p53 ? nextafter(value, INFINITY) : value + 1;
  return has_between(is_negative ? &far : range, format, value, true, end);
}

accept_t integer_result_accept(const accept_t *sums, const element_t *result, arena_t *arena) {
  uint64_t *bits = ARENA_NEW_ARRAY(arena, uint64_t, sums->count);
  uint8_t *decide = arena_alloc_zeroed(arena, sums->count);
  for (size_t i = 0; i < sums->count; i++) {
    bool is_point = sums->low != NULL && sums->decide[i] == 0 && sums->low[i] == sums->high[i];
    bits[i] = 0;
    decide[i] = !is_point || !integer_result_of(sums->low[i], result, &bits[i]);
  }
  return (accept_t){.count = sums->count, .bits = bits, .decide = decide};
}
