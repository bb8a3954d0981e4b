/* SPDX-License-Identifier: Apache-2.0 */
/* The exact oracle of quantized elements: the specification's formula in every arithmetic that
 * the contract permits, each step rounded with MPFR; and integer arithmetic. */
#include <glib.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "generated/exact_permissions.h"
#include "oracles/exact/quantum/quantize_mpfr.h"
#include "oracles/exact/value_range.h"
#include "oracles/ops/elementwise/parts.h"

/* ---- Judgements ------------------------------------------------------------------------------ */

void stored_judgement_add(stored_judgement_t *judgement, int64_t low, int64_t high,
                          const char *by) {
  stored_judgement_t *all = judgement;
  if (all->range_count == 0 || low < all->low) all->low = low;
  if (all->range_count == 0 || high > all->high) all->high = high;
  if (!all->holds && low <= all->got && all->got <= high) {
    all->holds = true;
    all->by = by;
  }
  size_t kept = MIN(all->range_count, (size_t)STORED_RANGES_PRINTED);
  for (size_t i = 0; i < kept; i++) {
    if (all->ranges[i].low <= low && high <= all->ranges[i].high) return;
  }
  if (kept < STORED_RANGES_PRINTED) all->ranges[kept] = (stored_range_t){low, high, by};
  all->range_count++;
}

void stored_judgement_add_choices(stored_judgement_t *judgement, size_t count,
                                  const int64_t choices[QUANTUM_CHOICES_MAX], const char *by) {
  judgement->anything |= count == 0;
  for (size_t i = 0; i < count; i++) {
    stored_judgement_add(judgement, choices[i], choices[i],
                         i == 0 ? by : "beyond the storage range, by the formula");
  }
}

static void print_ranges(const stored_judgement_t *judgement, char *out, size_t bytes) {
  GString *text = g_string_new(judgement->anything ? "anything" : NULL);
  size_t kept = MIN(judgement->range_count, (size_t)STORED_RANGES_PRINTED);
  for (size_t i = 0; i < kept && !judgement->anything; i++) {
    const stored_range_t *range = &judgement->ranges[i];
    g_string_append_printf(text, "%s%" PRId64, i == 0 ? "" : " or ", range->low);
    if (range->low != range->high) g_string_append_printf(text, " .. %" PRId64, range->high);
  }
  g_strlcpy(out, text->str, bytes);
  g_string_free(text, TRUE);
}

/* ---- Values of the formula ------------------------------------------------------------------- */

/* A value between two steps; a number of f32 that the expressed type has not stays in f32. */
typedef struct step_value {
  double value;
  bool is_expressed;
  const char *by;
} step_value_t;

/* As many as any element has: 3 variants and a zero of either sign of each operand, so 25 pairs; of
 * each pair 3 results, of each operand fused with the other's product 3; and two zeros. */
enum { STEP_VALUES_MAX = 25 * 3 + 2 * 5 * 3 + 2 };

typedef struct step_values {
  size_t count;
  step_value_t items[STEP_VALUES_MAX];
} step_values_t;

typedef struct formula_steps {
  const case_t *instance;
  const contract_t *contract;
  elementwise_t function;
  size_t element;
  const format_t *expressed;
  const format_t *arithmetics[2]; /* quantum_arithmetics() */
  size_t arithmetic_count;
} formula_steps_t;

/* Whether an arithmetic takes a value: that of the expressed type takes its numbers alone. */
static bool takes(const formula_steps_t *steps, size_t index, bool is_expressed) {
  return is_expressed || steps->arithmetics[index] != steps->expressed;
}

/* What tells that f32 was taken where the expressed type might have been. */
static const char *word_of(size_t index) { return index > 0 ? "intermediate=wide" : ""; }

static const char *first_word(const char *a, const char *b) { return a[0] != '\0' ? a : b; }

static void add_value(step_values_t *values, double value, bool is_expressed, const char *by) {
  for (size_t i = 0; i < values->count; i++) {
    const step_value_t *item = &values->items[i];
    bool is_same = item->value == value && signbit(item->value) == signbit(value);
    if ((is_same || (isnan(value) && isnan(item->value))) && item->is_expressed == is_expressed) {
      return;
    }
  }
  g_assert(values->count < STEP_VALUES_MAX);
  values->items[values->count++] = (step_value_t){value, is_expressed, by};
}

/* What a step gave in arithmetic `index`: as it is, and rounded to the expressed type. */
static void add_result(const formula_steps_t *steps, step_values_t *values, size_t index,
                       double value, const char *by) {
  if (steps->arithmetics[index] == steps->expressed) {
    add_value(values, value, true, by);
    return;
  }
  by = first_word(by, word_of(index));
  add_value(values, format_round_double(steps->expressed, value), true, by);
  add_value(values, value, false, by);
}

/* Zeros for subnormal values, which one step may write or the next may read as such. */
static void add_flushed(const formula_steps_t *steps, step_values_t *values) {
  if (PERMITTED(steps->contract, ftz) == FTZ_NONE) return;
  double smallest = ldexp(1, steps->expressed->exponent_min);
  size_t count = values->count;
  for (size_t i = 0; i < count; i++) {
    double value = values->items[i].value;
    if (value == 0 || !(fabs(value) < smallest)) continue;
    add_value(values, copysign(0, value), true, "subnormal value flushed");
  }
}

static bool flushes_inputs(const contract_t *contract) {
  return PERMITTED(contract, ftz) == FTZ_INPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
}

static quantum_t quantum_flushed(const formula_steps_t *steps, const quantum_t *quantum) {
  quantum_t flushed = *quantum;
  if (quantum->scale < ldexp(1, steps->expressed->exponent_min)) flushed.scale = 0;
  return flushed;
}

static void dequantize(const formula_steps_t *steps, uint32_t operand, step_values_t *out_values) {
  const tensor_t *tensor = &steps->instance->operands[operand];
  const quantum_t quantum = quantum_of(&tensor->type, steps->element);
  const quantum_t flat = quantum_flushed(steps, &quantum);
  int64_t stored = quantum_load(tensor, steps->element);
  out_values->count = 0;
  for (size_t i = 0; i < steps->arithmetic_count; i++) {
    const format_t *arithmetic = steps->arithmetics[i];
    add_result(steps, out_values, i, exact_dequantize(&quantum, arithmetic, stored), "");
    if (!flushes_inputs(steps->contract) || flat.scale != 0) continue;
    double value = exact_dequantize(&flat, arithmetic, stored);
    if (!isnan(value)) add_value(out_values, value, true, "subnormal scale flushed");
  }
  add_flushed(steps, out_values);
}

/* ---- The function of two values -------------------------------------------------------------- */

/* The product of operand `operand`'s difference and scale, which nothing rounds, added to or
 * subtracted from (by) the other operand's value. */
static double fuse(const formula_steps_t *steps, const format_t *arithmetic, uint32_t operand,
                   double other) {
  const tensor_t *tensor = &steps->instance->operands[operand];
  const quantum_t quantum = quantum_of(&tensor->type, steps->element);
  int64_t difference = quantum_load(tensor, steps->element) - quantum.zero_point;
  mpfr_t product, factor;
  mpfr_inits2(exact_sum_precision(arithmetic), product, factor, (mpfr_ptr)NULL);
  mpfr_set_si(factor, (long)difference, MPFR_RNDN);
  uint64_t rounded = format_from_mpfr(arithmetic, factor, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
  mpfr_set_d(product, format_to_double(arithmetic, rounded), MPFR_RNDN);
  mpfr_set_d(factor, quantum.scale, MPFR_RNDN);
  mpfr_mul(product, product, factor, MPFR_RNDN);
  mpfr_set_d(factor, other, MPFR_RNDN);
  if (operand == 0) {
    elementwise_apply(steps->function, product, factor);
    mpfr_swap(product, factor);
  } else {
    elementwise_apply(steps->function, factor, product);
  }
  uint64_t bits = format_from_mpfr(arithmetic, factor, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
  mpfr_clears(product, factor, (mpfr_ptr)NULL);
  return format_to_double(arithmetic, bits);
}

static void add_fused(const formula_steps_t *steps, const step_values_t *values, uint32_t operand,
                      step_values_t *inout_results) {
  const step_values_t *others = &values[1 - operand];
  for (size_t k = 0; k < others->count; k++) {
    const step_value_t *other = &others->items[k];
    for (size_t i = 0; i < steps->arithmetic_count; i++) {
      if (!takes(steps, i, other->is_expressed)) continue;
      double value = fuse(steps, steps->arithmetics[i], operand, other->value);
      add_result(steps, inout_results, i, value, first_word(other->by, "fma=yes"));
    }
  }
}

static void operate(const formula_steps_t *steps, const step_values_t values[2],
                    step_values_t *out_results) {
  out_results->count = 0;
  for (size_t pair = 0; pair < values[0].count * values[1].count; pair++) {
    const step_value_t *left = &values[0].items[pair / values[1].count];
    const step_value_t *right = &values[1].items[pair % values[1].count];
    const char *by = first_word(left->by, right->by);
    bool are_expressed = left->is_expressed && right->is_expressed;
    for (size_t i = 0; i < steps->arithmetic_count; i++) {
      if (!takes(steps, i, are_expressed)) continue;
      double value =
          elementwise_rounded(steps->function, steps->arithmetics[i], left->value, right->value);
      add_result(steps, out_results, i, value, by);
    }
  }
  bool is_sum = steps->function == ELEMENTWISE_ADD || steps->function == ELEMENTWISE_SUBTRACT;
  if (is_sum && PERMITTED(steps->contract, fma) == FMA_YES) {
    add_fused(steps, values, 0, out_results);
    add_fused(steps, values, 1, out_results);
  }
  add_flushed(steps, out_results);
}

/* ---- The formula ----------------------------------------------------------------------------- */

static void add_quantized(const formula_steps_t *steps, const quantum_t *to,
                          const step_value_t *value, stored_judgement_t *judgement) {
  quantize_way_t ways[QUANTIZE_WAYS_MAX];
  const size_t way_count = quantize_ways(steps->contract, ways);
  for (size_t i = 0; i < steps->arithmetic_count * way_count; i++) {
    const size_t arithmetic = i % steps->arithmetic_count;
    const quantize_way_t way = ways[i / steps->arithmetic_count];
    if (!takes(steps, arithmetic, value->is_expressed)) continue;
    int64_t choices[QUANTUM_CHOICES_MAX];
    size_t count =
        exact_quantize_by(to, steps->arithmetics[arithmetic], way, value->value, choices);
    const char *by = first_word(value->by, first_word(word_of(arithmetic), quantize_way_name(way)));
    stored_judgement_add_choices(judgement, count, choices, by);
  }
}

void elementwise_judge_formula(const case_t *instance, const contract_t *contract, size_t element,
                               stored_judgement_t *inout_judgement) {
  const program_t *program = &instance->program;
  formula_steps_t steps = {.instance = instance,
                           .contract = contract,
                           .function = elementwise_of(program),
                           .element = element,
                           .expressed = quantum_expressed(&program->results[0])};
  steps.arithmetic_count = quantum_arithmetics(&program->results[0], contract, steps.arithmetics);
  step_values_t values[2], results;
  dequantize(&steps, 0, &values[0]);
  values[1] = (step_values_t){.count = 1, .items = {{0, true, ""}}};
  if (program->operand_count == 2) dequantize(&steps, 1, &values[1]);
  operate(&steps, values, &results);
  const quantum_t to = quantum_of(&program->results[0], element);
  const quantum_t flat = quantum_flushed(&steps, &to);
  for (size_t i = 0; i < results.count; i++) {
    add_quantized(&steps, &to, &results.items[i], inout_judgement);
    if (!flushes_inputs(contract) || flat.scale != 0) continue;
    add_quantized(&steps, &flat, &results.items[i], inout_judgement);
  }
}

/* ---- The answer ------------------------------------------------------------------------------ */

/* Errors are counted in quanta, from what the first arithmetic gives. */
static void measure(const stored_judgement_t *judgement, answer_t *answer) {
  if (judgement->anything || judgement->range_count == 0) return;
  int64_t exact = judgement->ranges[0].low;
  int64_t permitted = MAX(judgement->high - exact, exact - judgement->low);
  double error = (double)ABS(judgement->got - exact);
  answer->has_reference = true;
  answer->ulp_error = error;
  answer->slack = permitted > 0 ? error / (double)permitted : error > 0 ? (double)INFINITY : 0;
}

void elementwise_quantized_decide(const case_t *instance, const contract_t *contract,
                                  size_t element, const tensor_t *result, answer_t *out_answer) {
  stored_judgement_t judgement = {.got = quantum_load(result, element), .by = ""};
  elementwise_judge_formula(instance, contract, element, &judgement);
  if (PERMITTED(contract, quantized) == ELEMENTWISE_INTEGER) {
    elementwise_judge_integers(instance, contract, element, &judgement);
  }
  answer_t answer = {.is_quantum = true,
                     .conforms = judgement.holds || judgement.anything,
                     .is_vacuous = judgement.anything};
  print_ranges(&judgement, answer.expected, sizeof answer.expected);
  const quantization_t *range = result->type.quantization;
  bool is_outside = judgement.got < range->storage_min || judgement.got > range->storage_max;
  const char *observed =
      judgement.anything && is_outside ? "outside of the storage range" : judgement.by;
  g_strlcpy(answer.observed, observed, sizeof answer.observed);
  measure(&judgement, &answer);
  *out_answer = answer;
}

/* ---- Which formula --------------------------------------------------------------------------- */

/* Most elements are told by the fast sets, which the formula gave. */
static bool is_by(uint8_t formula, const case_t *instance, const contract_t *contract,
                  const accept_t *accepts, const tensor_t *result) {
  for (size_t i = 0; i < type_element_count(&result->type); i++) {
    uint64_t bits = element_load(result->type.element, result->data, i);
    bool is_decided = formula == ELEMENTWISE_DEQUANTIZE && accepts != NULL;
    if (is_decided && accept_holds(&accepts[0], result->type.element, i, bits)) continue;
    stored_judgement_t judgement = {.got = quantum_load(result, i)};
    if (formula == ELEMENTWISE_DEQUANTIZE) {
      elementwise_judge_formula(instance, contract, i, &judgement);
    } else {
      elementwise_judge_integers(instance, contract, i, &judgement);
    }
    if (!judgement.holds && !judgement.anything) return false;
  }
  return true;
}

status_t elementwise_find_formula(const oracle_call_t *call, const accept_t *accepts,
                                  uint8_t *out_formula, bool *out_found) {
  if (call->results[0].type.quantization == NULL) {
    return status_fail(call->error, STATUS_UNSUPPORTED, "the operands are not quantized");
  }
  STATUS_TRY(elementwise_check(&call->instance->program, call->error));
  *out_found = false;
  for (uint8_t formula = ELEMENTWISE_DEQUANTIZE; formula <= ELEMENTWISE_INTEGER; formula++) {
    *out_formula = formula;
    *out_found = is_by(formula, call->instance, call->contract, accepts, &call->results[0]);
    if (*out_found) break;
  }
  return STATUS_OK;
}
