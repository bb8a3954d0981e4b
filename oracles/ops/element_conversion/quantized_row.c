/* SPDX-License-Identifier: Apache-2.0 */
/* What the exact side answers about uniform_quantize and uniform_dequantize. */
#include <glib.h>
#include <math.h>

#include "oracles/ops/element_conversion/parts.h"

#include "generated/element_conversion_permissions.h"

/* ---- Exact side ------------------------------------------------------------------------------ */

/* The error as a share of the farthest that is permitted. */
static double slack_of(double error, double permitted) {
  if (permitted > 0) return error / permitted;
  return error > 0 ? (double)INFINITY : 0;
}

/* Errors are counted in quanta, from what the first arithmetic gives. */
static void measure_quanta(const choice_set_t *set, const element_t *storage, uint64_t bits,
                           answer_t *answer) {
  if (set->any || set->count == 0) return;
  int64_t exact = element_signed_value(storage, set->choices[0].bits), permitted = 0;
  for (size_t i = 1; i < set->count; i++) {
    int64_t other = element_signed_value(storage, set->choices[i].bits);
    permitted = MAX(permitted, ABS(other - exact));
  }
  int64_t error = ABS(element_signed_value(storage, bits) - exact);
  answer->has_reference = true;
  answer->ulp_error = (double)error;
  answer->slack = slack_of((double)error, (double)permitted);
}

status_t uniform_quantize_decide(const oracle_call_t *call, uint32_t result, size_t component,
                                 answer_t *out_answer) {
  STATUS_TRY(quantization_check(&call->instance->program, call->error));
  const element_t *storage = call->results[result].type.element;
  uint64_t bits = element_load(storage, call->results[result].data, component);
  const choice_set_t set =
      uniform_quantize_set(call->instance, call->contract, REQUANTIZE_TWO_STEPS,
                           PERMITTED(call->contract, requantize), component);
  answer_t answer = {.is_quantum = true};
  choice_set_judge(&set, storage, bits, &answer);
  const quantization_t *range = call->results[result].type.quantization;
  int64_t stored = element_signed_value(storage, bits);
  if (set.any && (stored < range->storage_min || stored > range->storage_max)) {
    g_strlcpy(answer.observed, "outside of the storage range", sizeof answer.observed);
  }
  measure_quanta(&set, storage, bits, &answer);
  *out_answer = answer;
  return STATUS_OK;
}

/* The distance from (stored - zero point) * scale, in units in the last place.  The difference is a
 * number of binary64, and fma() gives what the product lost. */
static double ulps_from_exact(const format_t *format, const quantum_t *quantum, int64_t stored,
                              double got) {
  double difference = (double)(stored - quantum->zero_point);
  double product = difference * quantum->scale;
  int exponent;
  (void)frexp(product, &exponent);
  int unit = product == 0 ? format->exponent_min - format->precision + 1
                          : format_ulp_exponent(format, exponent - 1);
  double lost = fma(difference, quantum->scale, -product);
  return fabs(ldexp(got - product - lost, -unit));
}

static void measure_floats(const case_t *instance, const choice_set_t *set, const format_t *format,
                           size_t element, uint64_t bits, answer_t *answer) {
  const tensor_t *operand = &instance->operands[0];
  quantum_t quantum = quantum_of(&operand->type, element);
  int64_t stored = quantum_load(operand, element);
  double permitted = 0;
  for (size_t i = 0; i < set->count; i++) {
    double value = format_to_double(format, set->choices[i].bits);
    if (!isfinite(value)) return;
    permitted = fmax(permitted, ulps_from_exact(format, &quantum, stored, value));
  }
  if (set->nan) return;
  double error = ulps_from_exact(format, &quantum, stored, format_to_double(format, bits));
  answer->has_reference = true;
  answer->ulp_error = isfinite(error) ? error : (double)INFINITY;
  answer->slack = slack_of(answer->ulp_error, permitted);
}

status_t uniform_dequantize_decide(const oracle_call_t *call, uint32_t result, size_t component,
                                   answer_t *out_answer) {
  const case_t *instance = call->instance;
  STATUS_TRY(quantization_check(&instance->program, call->error));
  const element_t *element = call->results[result].type.element;
  uint64_t bits = element_load(element, call->results[result].data, component);
  const choice_set_t set = uniform_dequantize_set(instance, call->contract, component);
  answer_t answer = {.conforms = false};
  choice_set_judge(&set, element, bits, &answer);
  measure_floats(instance, &set, element->format, component, bits, &answer);
  *out_answer = answer;
  return STATUS_OK;
}

/* ---- Which formula --------------------------------------------------------------------------- */

/* Most elements are told by the fast sets, which two steps gave. */
static bool is_by_formula(const oracle_call_t *call, uint8_t formula, const accept_t *accepts) {
  const element_t *storage = call->results[0].type.element;
  for (size_t i = 0; i < type_element_count(&call->results[0].type); i++) {
    uint64_t bits = element_load(storage, call->results[0].data, i);
    bool is_decided = formula == REQUANTIZE_TWO_STEPS && accepts != NULL;
    if (is_decided && accept_holds(&accepts[0], storage, i, bits)) continue;
    const choice_set_t set =
        uniform_quantize_set(call->instance, call->contract, formula, formula, i);
    answer_t answer = {.conforms = false};
    choice_set_judge(&set, storage, bits, &answer);
    if (!answer.conforms) return false;
  }
  return true;
}

status_t uniform_quantize_find_formula(const oracle_call_t *call, const accept_t *accepts,
                                       uint8_t *out_formula, bool *out_found) {
  if (call->instance->operands[0].type.quantization == NULL) {
    return status_fail(call->error, STATUS_UNSUPPORTED, "the operand is not quantized");
  }
  STATUS_TRY(quantization_check(&call->instance->program, call->error));
  *out_found = false;
  for (uint8_t formula = REQUANTIZE_TWO_STEPS; formula < REQUANTIZE_COUNT; formula++) {
    *out_formula = formula;
    *out_found = is_by_formula(call, formula, accepts);
    if (*out_found) break;
  }
  return STATUS_OK;
}
