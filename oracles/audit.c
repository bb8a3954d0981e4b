/* SPDX-License-Identifier: Apache-2.0 */
/* Checks every fast accept set of one component against the exact decision: each listed pattern,
 * special value and interval end must conform, and the reference sum must equal MPFR's. */
#include "oracles/audit.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const tensor_t *audit_results(arena_t *arena, const program_t *program) {
  tensor_t *results = ARENA_NEW_ARRAY(arena, tensor_t, CASE_RESULTS_MAX);
  for (uint32_t i = 0; i < program->result_count; i++) {
    results[i] = tensor_make(arena, &program->results[i]);
    memset(results[i].data, 0, type_bytes(&program->results[i]));
  }
  return results;
}

/* All results with the fast patterns of this component, since an index is judged beside its
 * value (results of other sizes may not have it), and with those of both parts of a complex number,
 * which may have to come from one operand. */
static void set_results(const program_t *program, const accept_t *accepts, size_t component,
                        const tensor_t *results) {
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (accepts[i].bits == NULL || component >= accepts[i].count) continue;
    const element_t *element = program->results[i].element;
    size_t first = component - component % element->components;
    for (size_t part = first; part < first + element->components; part++) {
      element_store(element, results[i].data, part, accepts[i].bits[part]);
    }
  }
}

static status_t require_conforming(const oracle_t *oracle, const oracle_call_t *call,
                                   uint32_t result, size_t component, uint64_t bits) {
  const element_t *element = call->instance->program.results[result].element;
  element_store(element, call->results[result].data, component, bits);
  answer_t answer;
  STATUS_TRY(oracle->decide(call, result, component, &answer));
  if (answer.conforms) return STATUS_OK;
  return status_fail(call->error, STATUS_INVALID,
                     "bug in Assay: the fast oracle accepts 0x%" PRIx64
                     " for component %zu of result %u, the exact one expects %s",
                     bits, component, result, answer.expected);
}

static status_t check_reference(const accept_t *accept, size_t component,
                                const audit_reference_t *reference, failure_t *error) {
  if (!reference->is_known || accept->reference == NULL || isnan(accept->reference[component])) {
    return STATUS_OK;
  }
  double fast = accept->reference[component];
  double tail = accept->reference_tail == NULL ? 0 : accept->reference_tail[component];
  /* theory.md, T50 and T53. */
  double tail_slop = fabs(reference->tail) * 0x1p-48;
  bool tail_fits = accept->reference_tail == NULL || fabs(tail - reference->tail) <= tail_slop;
  double magnitude = accept->magnitude[component];
  /* The exact magnitude is itself rounded up to binary64, hence the hair of 2^-52. */
  bool magnitude_fits = magnitude >= reference->magnitude * (1 - 0x1p-52) &&
                        magnitude <= reference->magnitude * (1 + 0x1p-10);
  magnitude_fits |= accept->is_rough && isnan(magnitude);
  double slop = accept->rough_error * reference->magnitude;
  bool sum_fits = fast == reference->sum;
  if (accept->is_rough) {
    double tail_error = accept->reference_tail == NULL ? 0 : tail - reference->tail;
    sum_fits = fabs(fast - reference->sum + tail_error) <= slop + tail_slop;
    tail_fits = true;
  }
  if (sum_fits && tail_fits && magnitude_fits) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "bug in Assay: component %zu: the fast oracle says sum %a + %a, magnitude "
                     "%a; MPFR says %a + %a, magnitude %a",
                     component, fast, tail, magnitude, reference->sum, reference->tail,
                     reference->magnitude);
}

/* The pattern of an end of a fast set's interval; -0 is not claimed. */
static uint64_t bits_of_end(const element_t *element, double end) {
  if (element->format == NULL) return (uint64_t)(int64_t)end & element_mask(element);
  return format_from_double(element->format, end == 0 ? 0 : end);
}

status_t audit_component(const oracle_t *oracle, const oracle_call_t *call, const accept_t *accepts,
                         uint32_t result, size_t component, const audit_reference_t *reference) {
  const accept_t *accept = &accepts[result];
  if (accept->decide != NULL && accept->decide[component] != 0) return STATUS_OK;
  STATUS_TRY(check_reference(accept, component, reference, call->error));
  const program_t *program = &call->instance->program;
  oracle_call_t asked = *call;
  asked.is_unmeasured = true;
  if (asked.results == NULL) asked.results = audit_results(call->arena, program);
  set_results(program, accepts, component, asked.results);
  const element_t *element = program->results[result].element;
  const format_t *format = element->format;
  if (accept->bits != NULL) {
    uint64_t bits = accept->bits[component];
    STATUS_TRY(require_conforming(oracle, &asked, result, component, bits));
    if (format != NULL) return STATUS_OK;
  }
  uint8_t specials = accept->specials == NULL ? 0 : accept->specials[component];
  const struct {
    accept_special_t flag;
    double value;
  } named[] = {{ACCEPT_NAN, NAN},
               {ACCEPT_POSITIVE_INFINITY, INFINITY},
               {ACCEPT_NEGATIVE_INFINITY, -INFINITY},
               {ACCEPT_NEGATIVE_ZERO, -0.0}};
  for (size_t i = 0; i < G_N_ELEMENTS(named); i++) {
    if ((specials & named[i].flag) == 0) continue;
    uint64_t bits = format_from_double(format, named[i].value);
    STATUS_TRY(require_conforming(oracle, &asked, result, component, bits));
  }
  if (accept->low == NULL) return STATUS_OK;
  bool has_other = accept->other_low != NULL;
  const double ends[] = {accept->low[component], accept->high[component],
                         has_other ? accept->other_low[component] : 1,
                         has_other ? accept->other_high[component] : -1};
  for (int i = 0; i < 4; i++) {
    if (ends[i & 2] > ends[(i & 2) + 1]) continue; /* Empty. */
    if (accept->grid != NULL && format_round_double(accept->grid, ends[i]) != ends[i]) continue;
    uint64_t bits = bits_of_end(element, ends[i]);
    STATUS_TRY(require_conforming(oracle, &asked, result, component, bits));
  }
  return STATUS_OK;
}
