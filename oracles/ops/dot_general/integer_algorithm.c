/* SPDX-License-Identifier: Apache-2.0 */
/* The sets of dot algorithms that add integers: the sum in the accumulation type by
 * integer_answer(), and the integers or floats that it becomes. */
#include "oracles/ops/dot_general/integer_algorithm.h"

#include "generated/element_conversion_permissions.h"
#include "generated/exact_permissions.h"
#include "oracles/ops/dot_general/components.h"
#include "oracles/ops/element_conversion/element_conversion.h"

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
    if (__builtin_mul_overflow(product, integer_of(plan->types[1], question->right[i]), &product)) {
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
