/* SPDX-License-Identifier: Apache-2.0 */
/* Decides one component of a quantized or hybrid dot_general exactly: unites the storage ranges of
 * the float variants and of integer accumulation (plain, wrapped, saturated), each under the name
 * that is reported. */
#include "oracles/ops/dot_general/quantized/decide.h"

#include <math.h>
#include <string.h>

#include "generated/exact_permissions.h"
#include "oracles/exact/in_order/in_order.h"
#include "oracles/exact/sum/quick/usual_loops.h"
#include "oracles/exact/sum/range.h"
#include "oracles/ops/dot_general/quantized/by_algorithm.h"
#include "oracles/ops/dot_general/quantized/permitted.h"

/* ---- Hybrid ---------------------------------------------------------------------------------- */

status_t dot_hybrid_decide(const oracle_call_t *call, size_t component, uint64_t bits,
                           answer_t *out_answer) {
  const case_t *instance = call->instance;
  STATUS_TRY(dot_dequantized_require(&instance->program, call->error));
  dot_algorithm_t algorithm;
  if (dot_quantized_algorithm(&instance->program, &algorithm) != NULL) {
    return dot_by_algorithm_decide(call, &algorithm, component, bits, out_answer);
  }
  dot_general_layout_t layout = dot_general_layout_make(&instance->program, call->arena);
  dot_general_place_t place = dot_general_place(instance, &layout, component);
  dot_dequantized_t variants[DOT_VARIANTS_MAX];
  size_t count = dot_variants(&instance->program, call->contract, variants);
  for (size_t i = 0; i < count; i++) {
    sum_problem_t question =
        dot_dequantized_question(instance, &variants[i], &layout, place, call->arena);
    question.sums_of_case = oracle_call_components(call);
    question.why = call->why;
    answer_t answer;
    STATUS_TRY(sum_answer(&question, call->contract, bits, call->arena, &answer, call->error));
    if (i == 0 || answer.conforms) *out_answer = answer;
    if (answer.conforms) break;
  }
  return STATUS_OK;
}

/* ---- The formula ----------------------------------------------------------------------------- */

/* The floats of one variant; false where they may be anything. */
static status_t find_floats(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                            const dot_dequantized_t *variant, const dot_component_t *component,
                            value_range_t *out_floats, bool *out_are_known) {
  *out_are_known = true;
  if (algorithm != NULL) {
    return dot_by_algorithm_range(call, algorithm, variant, component, out_floats, out_are_known);
  }
  sum_problem_t question = dot_dequantized_question(call->instance, variant, component->layout,
                                                    component->place, call->arena);
  return sum_range(&question, call->contract, call->arena, out_floats, call->error);
}

static status_t add_formula(permitted_t *permitted, const oracle_call_t *call,
                            const dot_algorithm_t *algorithm, const dot_general_layout_t *layout,
                            dot_general_place_t place, const quantum_t *quantum) {
  dot_dequantized_t variants[DOT_VARIANTS_MAX];
  size_t count = dot_variants(&call->instance->program, call->contract, variants);
  const dot_component_t component = {.layout = layout, .place = place};
  for (size_t i = 0; i < count; i++) {
    arena_mark_t mark = arena_mark(call->arena);
    value_range_t floats;
    bool are_known;
    STATUS_TRY(find_floats(call, algorithm, &variants[i], &component, &floats, &are_known));
    permitted->anything |= !are_known;
    if (are_known)
      permitted_add_quantized(permitted, call->contract, quantum, variants[i].quantize, &floats);
    arena_rewind(call->arena, mark);
  }
  return STATUS_OK;
}

/* ---- Integers -------------------------------------------------------------------------------- */

/* Rescaled in floats, and clamped by ends that may be rounded outwards. */
static void add_rescaled(permitted_t *permitted, const dot_rescale_t *rescale,
                         storage_range_t range, const char *observed) {
  permitted_add(permitted, range, observed);
  if (rescale->arithmetic == NULL) return;
  const quantum_t *quantum = &rescale->result;
  const bool reaches[] = {range.low == quantum->storage_min, range.high == quantum->storage_max};
  for (int end = 0; end < 2; end++) {
    if (!reaches[end]) continue;
    int64_t choices[QUANTUM_CHOICES_MAX];
    double far = end == 0 ? -INFINITY : INFINITY;
    size_t count = quantum_choices_of_sum(quantum, rescale->arithmetic, far, choices);
    permitted_add_beyond(permitted, count, choices, observed);
  }
}

static void add_integers(permitted_t *permitted, const dot_rescale_t *rescale,
                         const dot_accumulator_t *accumulator, const contract_t *contract) {
  dot_integer_t sum = accumulator->positive + accumulator->negative;
  add_rescaled(permitted, rescale, dot_rescale(rescale, sum), "integer");
  dot_integer_t wrapped = dot_accumulator_wrapped(accumulator), low, high;
  if (wrapped != sum && PERMITTED(contract, integer_overflow) != INTEGER_OVERFLOW_SATURATE) {
    add_rescaled(permitted, rescale, dot_rescale(rescale, wrapped), "integer, wrapped");
  }
  if (PERMITTED(contract, integer_overflow) != INTEGER_OVERFLOW_WRAP &&
      dot_accumulator_saturated(accumulator, &low, &high)) {
    storage_range_t range = {dot_rescale(rescale, low).low, dot_rescale(rescale, high).high};
    add_rescaled(permitted, rescale, range, "integer, saturated");
  }
}

/* ---- The answer ------------------------------------------------------------------------------ */

/* Which semantics hold the value: noted where it is one of the two only. */
static void find_holders(const permitted_t *permitted, int64_t got, answer_t *answer) {
  bool by_formula = false;
  const char *integer = NULL;
  for (size_t i = 0; i < permitted->range_count; i++) {
    const storage_range_t *range = &permitted->ranges[i];
    if (got < range->low || got > range->high) continue;
    answer->conforms = true;
    bool is_formula = strcmp(permitted->observed[i], "dequantize") == 0;
    by_formula |= is_formula;
    if (!is_formula && integer == NULL) integer = permitted->observed[i];
  }
  if (by_formula == (integer != NULL)) return;
  g_snprintf(answer->observed, sizeof answer->observed, "quantized=%s",
             by_formula ? "dequantize" : integer);
}

/* One component that is asked about. */
typedef struct question {
  const oracle_call_t *call;
  const dot_algorithm_t *algorithm; /* Or NULL. */
  dot_component_t component;
  const quantum_t *quantum; /* Of the result. */
  int64_t got;
} question_t;

/* The sum that a variant makes, or one of those by the algorithm.  False: none that has schedules.
 */
static bool find_sum(const question_t *question, const dot_dequantized_t *variant,
                     sum_problem_t *out_sum) {
  const oracle_call_t *call = question->call;
  const dot_component_t *component = &question->component;
  if (question->algorithm == NULL) {
    *out_sum = dot_dequantized_question(call->instance, variant, component->layout,
                                        component->place, call->arena);
  } else if (question->algorithm->accumulation->format == NULL ||
             dot_by_algorithm_question(call, question->algorithm, component->layout,
                                       component->place, out_sum) != STATUS_OK) {
    return false;
  }
  return !out_sum->is_open && sum_has_schedules(out_sum, out_sum->count, call->contract);
}

/* Takes in whether a usual loop gives what is quantized to what was got, or what has no storage
 * value. */
static void ask_loops(const question_t *question, const dot_dequantized_t *variant,
                      bool *inout_is_given, bool *inout_anything) {
  const oracle_call_t *call = question->call;
  sum_problem_t sum;
  if (!find_sum(question, variant, &sum)) return;
  double values[USUAL_LOOPS_MAX];
  size_t count = usual_loops_values(&sum, call->contract, values);
  for (size_t i = 0; i < count; i++) {
    permitted_t of_value = {.range_count = 0};
    const bool is_nan = isnan(values[i]);
    const value_range_t value = {.low = is_nan ? (double)INFINITY : values[i],
                                 .high = is_nan ? -(double)INFINITY : values[i],
                                 .nan = is_nan,
                                 .positive_infinity = values[i] == (double)INFINITY,
                                 .negative_infinity = values[i] == -(double)INFINITY};
    permitted_add_quantized(&of_value, call->contract, question->quantum, variant->quantize,
                            &value);
    *inout_is_given |= permitted_holds(&of_value, question->got);
    *inout_anything |= of_value.anything;
  }
}

/* Schedules of an in-order contract take long to go through.  What they give lies in what trees of
 * any order give, so that one number there is theirs; and the usual loops are some of them.  Where
 * either tells that the value conforms, the set of any order stands for theirs in *inout_permitted,
 * which then holds more than is permitted; else nothing is added. */
static status_t add_without_schedules(const question_t *question, permitted_t *inout_permitted,
                                      bool *out_conforms) {
  contract_t any_order = *question->call->contract;
  PERMITTED(&any_order, order) = ORDER_ANY;
  oracle_call_t call = *question->call;
  call.contract = &any_order;
  permitted_t formula = {.range_count = 0};
  STATUS_TRY(add_formula(&formula, &call, question->algorithm, question->component.layout,
                         question->component.place, question->quantum));
  bool is_held = permitted_holds(&formula, question->got), anything = false;
  bool is_given = is_held && !formula.anything && permitted_is_one(&formula);
  bool may_be_given = !is_given && (is_held || formula.anything);
  dot_dequantized_t variants[DOT_VARIANTS_MAX];
  size_t count = may_be_given ? dot_variants(&call.instance->program, &any_order, variants) : 0;
  if (question->algorithm != NULL) count = MIN(count, 1); /* Its sum is of the first. */
  for (size_t i = 0; i < count && !is_given && !anything; i++) {
    arena_mark_t mark = arena_mark(call.arena);
    ask_loops(question, &variants[i], &is_given, &anything);
    arena_rewind(call.arena, mark);
  }
  for (size_t i = 0; i < formula.range_count && is_given; i++) {
    permitted_add(inout_permitted, formula.ranges[i], formula.observed[i]);
  }
  inout_permitted->anything |= anything;
  *out_conforms = is_given || anything;
  return STATUS_OK;
}

/* Whether schedules of so many terms may still be gone through. */
static bool spend(size_t terms, uint64_t *inout_work) {
  if (inout_work == NULL) return true;
  const uint64_t steps = in_order_steps(terms);
  if (steps > *inout_work) return false;
  *inout_work -= steps;
  return true;
}

static status_t decide(const question_t *question, size_t component, uint64_t *inout_work,
                       answer_t *out_answer) {
  const oracle_call_t *call = question->call;
  const dot_component_t *place = &question->component;
  dot_accumulator_t accumulator = dot_accumulate(call->instance, place->layout, place->place);
  dot_rescale_t rescale = dot_rescale_make(call->instance, component, &accumulator, call->contract);
  question_t of_quantum = *question;
  of_quantum.quantum = &rescale.result;
  permitted_t permitted = {.range_count = 0};
  const bool has_integers =
      question->algorithm == NULL && PERMITTED(call->contract, quantized) == DOT_FORMULA_INTEGER;
  if (has_integers) add_integers(&permitted, &rescale, &accumulator, call->contract);
  /* Schedules could but add to what was observed. */
  const bool is_in_order = PERMITTED(call->contract, order) == ORDER_IN_ORDER;
  const bool is_settled = is_in_order && permitted_holds(&permitted, question->got);
  bool conforms = is_settled;
  if (is_in_order && !conforms) {
    STATUS_TRY(add_without_schedules(&of_quantum, &permitted, &conforms));
    if (!conforms && !spend(place->layout->term_count, inout_work)) return STATUS_UNDECIDED;
  }
  if (!conforms) {
    STATUS_TRY(add_formula(&permitted, call, question->algorithm, place->layout, place->place,
                           &rescale.result));
  }
  answer_t answer = {.is_quantum = true};
  find_holders(&permitted, question->got, &answer);
  if (!has_integers || is_settled) answer.observed[0] = '\0'; /* As asked for, or unknown. */
  if (!answer.conforms && permitted.anything) answer.conforms = answer.is_vacuous = true;
  permitted_print(&permitted, answer.expected, sizeof answer.expected);
  int64_t exact = dot_rescale_exactly(&rescale, accumulator.positive + accumulator.negative);
  permitted_measure(&permitted, exact, question->got, &answer);
  *out_answer = answer;
  return STATUS_OK;
}

static status_t decide_component(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                                 size_t component, uint64_t bits, uint64_t *inout_work,
                                 answer_t *out_answer) {
  const program_t *program = &call->instance->program;
  STATUS_TRY(dot_dequantized_require(program, call->error));
  dot_general_layout_t layout = dot_general_layout_make(program, call->arena);
  const question_t question = {
      .call = call,
      .algorithm = algorithm,
      .component = {.layout = &layout,
                    .place = dot_general_place(call->instance, &layout, component)},
      .got = element_signed_value(program->results[0].element, bits)};
  return decide(&question, component, inout_work, out_answer);
}

status_t dot_quantized_decide_by(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                                 size_t component, uint64_t bits, answer_t *out_answer) {
  return decide_component(call, algorithm, component, bits, NULL, out_answer);
}

status_t dot_quantized_decide_within(const oracle_call_t *call, size_t component, uint64_t bits,
                                     uint64_t *inout_work, answer_t *out_answer) {
  dot_algorithm_t algorithm;
  return decide_component(call, dot_quantized_algorithm(&call->instance->program, &algorithm),
                          component, bits, inout_work, out_answer);
}

status_t dot_quantized_decide(const oracle_call_t *call, size_t component, uint64_t bits,
                              answer_t *out_answer) {
  return dot_quantized_decide_within(call, component, bits, NULL, out_answer);
}
