/* SPDX-License-Identifier: Apache-2.0 */
/* Decides one component of a quantized or hybrid dot_general exactly: unites the storage ranges of
 * the float variants and of integer accumulation (plain, wrapped, saturated), each under the name
 * that is reported. */
#include "oracles/ops/dot_general/quantized/decide.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "generated/exact_permissions.h"
#include "oracles/exact/quantum/quantize_mpfr.h"
#include "oracles/exact/sum/range.h"
#include "oracles/ops/dot_general/quantized/by_algorithm.h"

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

/* A range of each, with what lies beyond either end of the storage range. */
enum { RANGES_MAX = 3 * (DOT_VARIANTS_MAX * QUANTIZE_WAYS_MAX + 3) };

/* The storage values of one component that the contract permits, by what permits them. */
typedef struct permitted {
  size_t range_count;
  storage_range_t ranges[RANGES_MAX];
  const char *observed[RANGES_MAX]; /* "dequantize", "integer", "integer, wrapped" ... */
  bool anything;                    /* The float to be stored may be none of the storage type. */
} permitted_t;

static void add_range(permitted_t *permitted, storage_range_t range, const char *observed) {
  permitted->observed[permitted->range_count] = observed;
  permitted->ranges[permitted->range_count++] = range;
}

/* What the formula's letter gives where the clamped float lies beyond an end of the storage range.
 * Quantizing is monotone: if any float of a range does, then that at an end of it. */
static void add_beyond(permitted_t *permitted, size_t count,
                       const int64_t choices[QUANTUM_CHOICES_MAX], const char *observed) {
  permitted->anything |= count == 0;
  if (count < 2) return;
  add_range(permitted, (storage_range_t){choices[1], choices[1]}, observed);
}

/* What a float between two is quantized to in one way. */
static void add_between(permitted_t *permitted, const quantum_t *quantum, const format_t *format,
                        quantize_way_t way, const double ends[2]) {
  int64_t choices[2][QUANTUM_CHOICES_MAX];
  size_t counts[2];
  storage_range_t range = {INT64_MAX, INT64_MIN};
  for (int end = 0; end < 2; end++) {
    counts[end] = exact_quantize_by(quantum, format, way, ends[end], choices[end]);
    int64_t stored =
        counts[end] > 0 ? choices[end][0] : quantum_quantize(quantum, format, ends[end]);
    range.low = MIN(range.low, stored);
    range.high = MAX(range.high, stored);
  }
  add_range(permitted, range, "dequantize");
  for (int end = 0; end < 2; end++) {
    add_beyond(permitted, counts[end], choices[end], "dequantize");
  }
}

/* What a float of that range is quantized to, in every way. */
static void add_quantized(permitted_t *permitted, const contract_t *contract,
                          const quantum_t *quantum, const format_t *format,
                          const value_range_t *floats) {
  double low = floats->low, high = floats->high;
  if (floats->positive_zero || floats->negative_zero) {
    low = fmin(low, 0);
    high = fmax(high, 0);
  }
  if (floats->negative_infinity) low = -INFINITY;
  if (floats->positive_infinity) high = INFINITY;
  if (floats->negative_infinity && !(high >= low)) high = -INFINITY;
  if (floats->positive_infinity && !(low <= high)) low = INFINITY;
  permitted->anything |= floats->nan;
  if (low > high) return;
  quantize_way_t ways[QUANTIZE_WAYS_MAX];
  const size_t count = quantize_ways(contract, ways);
  const double ends[] = {low, high};
  for (size_t i = 0; i < count; i++) add_between(permitted, quantum, format, ways[i], ends);
}

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
    if (are_known) add_quantized(permitted, call->contract, quantum, variants[i].quantize, &floats);
    arena_rewind(call->arena, mark);
  }
  return STATUS_OK;
}

/* ---- Integers -------------------------------------------------------------------------------- */

/* Rescaled in floats, and clamped by ends that may be rounded outwards. */
static void add_rescaled(permitted_t *permitted, const dot_rescale_t *rescale,
                         storage_range_t range, const char *observed) {
  add_range(permitted, range, observed);
  if (rescale->arithmetic == NULL) return;
  const quantum_t *quantum = &rescale->result;
  const bool reaches[] = {range.low == quantum->storage_min, range.high == quantum->storage_max};
  for (int end = 0; end < 2; end++) {
    if (!reaches[end]) continue;
    int64_t choices[QUANTUM_CHOICES_MAX];
    double far = end == 0 ? -INFINITY : INFINITY;
    size_t count = quantum_choices_of_sum(quantum, rescale->arithmetic, far, choices);
    add_beyond(permitted, count, choices, observed);
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

/* Distinct ranges: "3, 5 .. 7". */
static void print_expected(const permitted_t *permitted, char *out, size_t bytes) {
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < permitted->range_count; i++) {
    storage_range_t range = permitted->ranges[i];
    bool is_known = false;
    for (size_t other = 0; other < i; other++) {
      const storage_range_t *earlier = &permitted->ranges[other];
      is_known |= earlier->low <= range.low && range.high <= earlier->high;
    }
    if (is_known || used >= bytes) continue;
    const char *comma = used == 0 ? "" : ", ";
    int printed = range.low == range.high
                      ? snprintf(out + used, bytes - used, "%s%" PRId64, comma, range.low)
                      : snprintf(out + used, bytes - used, "%s%" PRId64 " .. %" PRId64, comma,
                                 range.low, range.high);
    used += (size_t)printed;
  }
  if (permitted->anything && used < bytes) {
    snprintf(out + used, bytes - used, "%sanything, for what is no storage value",
             used == 0 ? "" : ", or ");
  }
}

/* In quanta, from what exact arithmetic gives; the permitted error to the farthest integer. */
static void measure(const permitted_t *permitted, int64_t exact, int64_t got, answer_t *answer) {
  int64_t error = ABS(got - exact), most = 0;
  for (size_t i = 0; i < permitted->range_count; i++) {
    most = MAX(most, ABS(permitted->ranges[i].low - exact));
    most = MAX(most, ABS(permitted->ranges[i].high - exact));
  }
  answer->has_reference = true;
  answer->ulp_error = (double)error;
  answer->slack = most > 0 ? (double)error / (double)most : error > 0 ? (double)INFINITY : 0;
}

static bool holds(const permitted_t *permitted, int64_t got) {
  bool held = false;
  for (size_t i = 0; i < permitted->range_count; i++) {
    held |= permitted->ranges[i].low <= got && got <= permitted->ranges[i].high;
  }
  return held;
}

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

status_t dot_quantized_decide_by(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                                 size_t component, uint64_t bits, answer_t *out_answer) {
  const case_t *instance = call->instance;
  STATUS_TRY(dot_dequantized_require(&instance->program, call->error));
  dot_general_layout_t layout = dot_general_layout_make(&instance->program, call->arena);
  dot_general_place_t place = dot_general_place(instance, &layout, component);
  const type_t *type = &instance->program.results[0];
  dot_accumulator_t accumulator = dot_accumulate(instance, &layout, place);
  dot_rescale_t rescale = dot_rescale_make(instance, component, &accumulator, call->contract);
  permitted_t permitted = {.range_count = 0};
  bool has_integers =
      algorithm == NULL && PERMITTED(call->contract, quantized) == DOT_FORMULA_INTEGER;
  if (has_integers) add_integers(&permitted, &rescale, &accumulator, call->contract);
  int64_t got = element_signed_value(type->element, bits);
  answer_t answer = {.is_quantum = true};
  /* Schedules take long to go through, and could but add to what was observed. */
  bool is_settled = PERMITTED(call->contract, order) == ORDER_IN_ORDER && holds(&permitted, got);
  if (!is_settled) {
    STATUS_TRY(add_formula(&permitted, call, algorithm, &layout, place, &rescale.result));
  }
  find_holders(&permitted, got, &answer);
  if (!has_integers || is_settled) answer.observed[0] = '\0'; /* As asked for, or unknown. */
  if (!answer.conforms && permitted.anything) answer.conforms = answer.is_vacuous = true;
  print_expected(&permitted, answer.expected, sizeof answer.expected);
  int64_t exact = dot_rescale_exactly(&rescale, accumulator.positive + accumulator.negative);
  measure(&permitted, exact, got, &answer);
  *out_answer = answer;
  return STATUS_OK;
}

status_t dot_quantized_decide(const oracle_call_t *call, size_t component, uint64_t bits,
                              answer_t *out_answer) {
  dot_algorithm_t algorithm;
  return dot_quantized_decide_by(call,
                                 dot_quantized_algorithm(&call->instance->program, &algorithm),
                                 component, bits, out_answer);
}
