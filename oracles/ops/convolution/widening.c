/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions of i8 to i32, of f16 to f32 and the like.  C27 of the specification forbids them, so
 * that it gives them no meaning; the dialect's verifier takes them.  XLA, for which its users write
 * them, multiplies and adds in the type of the result (preferred_element_type), as dot_general
 * does; the StableHLO interpreter does both in the operands' type, and promotes the sums. */
#include "oracles/ops/convolution/widening.h"

#include <glib.h>

#include "generated/convolution_faults.h"
#include "generated/convolution_permissions.h"
#include "oracles/derived/derived.h"
#include "oracles/ops/convolution/convolution.h"

static bool is_widening(const program_t *program) {
  return program->operands[CONVOLUTION_RHS].quantization == NULL &&
         program->operands[CONVOLUTION_LHS].element != program->results[0].element;
}

/* The same convolution with a result of the operands' type, which the specification defines. */
static case_t narrow_case(const case_t *instance) {
  case_t narrow = *instance;
  narrow.program.results[0].element = instance->program.operands[CONVOLUTION_LHS].element;
  return narrow;
}

/* ---- Conversions ----------------------------------------------------------------------------- */

static uint64_t promote(const element_t *from, const element_t *to, uint64_t bits) {
  if (from->format != NULL)
    return format_from_double(to->format, format_to_double(from->format, bits));
  return (uint64_t)element_signed_value(from, bits) & element_mask(to);
}

/* The pattern that is promoted to `bits`; false if there is none. */
static bool narrow(const element_t *from, const element_t *to, uint64_t bits, uint64_t *out_bits) {
  *out_bits = bits & element_mask(from);
  if (from->format == NULL) return promote(from, to, *out_bits) == bits;
  *out_bits = format_from_double(from->format, format_to_double(to->format, bits));
  uint64_t again = promote(from, to, *out_bits);
  bool are_nan = format_is_nan(to->format, bits) && format_is_nan(to->format, again);
  return are_nan || again == bits;
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* What is remembered of both convolutions, in one arena. */
typedef struct memory {
  void *whole;
  void *narrow;
} memory_t;

static status_t decide_gathered(const oracle_call_t *call, uint32_t result, size_t component,
                                void **inout_entries, answer_t *out_answer) {
  call->memo->entries = *inout_entries;
  status_t status = derived_ask(call, result, component, out_answer);
  *inout_entries = call->memo->entries;
  return status;
}

/* The parts of one element, narrowed; false if that is not exact. */
static bool narrow_element(const element_t *from, const tensor_t *whole, size_t component,
                           tensor_t *out_narrow) {
  const element_t *to = whole->type.element;
  size_t first = component - component % to->components;
  bool is_exact = true;
  for (size_t i = first; i < first + to->components; i++) {
    uint64_t bits;
    bool is_known = narrow(from, to, element_load(to, whole->data, i), &bits);
    if (i == component) is_exact = is_known;
    element_store(from, out_narrow->data, i, bits);
  }
  return is_exact;
}

static status_t decide_narrow(const oracle_call_t *call, size_t component, memory_t *memory,
                              answer_t *inout_answer) {
  const case_t plain = narrow_case(call->instance);
  tensor_t result = tensor_make(call->arena, &plain.program.results[0]);
  if (!narrow_element(result.type.element, &call->results[0], component, &result)) return STATUS_OK;
  answer_t answer;
  oracle_call_t plain_call = oracle_call_about(call, &plain, &result);
  plain_call.memo = call->memo;
  STATUS_TRY(decide_gathered(&plain_call, 0, component, &memory->narrow, &answer));
  if (!answer.conforms) return STATUS_OK;
  g_strlcpy(answer.observed, "convolution_types=operands", sizeof answer.observed);
  *inout_answer = answer;
  return STATUS_OK;
}

static memory_t *memory_of(decision_memo_t *memo) {
  if (memo->entries != NULL) return memo->entries;
  memory_t *memory = ARENA_NEW_ARRAY(&memo->arena, memory_t, 1);
  *memory = (memory_t){.whole = NULL, .narrow = NULL};
  return memory;
}

static bool may_be_narrow(const oracle_call_t *call) {
  return PERMITTED(call->contract, convolution_types) == CONVOLUTION_TYPES_OPERANDS &&
         is_widening(&call->instance->program);
}

static status_t decide_remembering(const oracle_call_t *call, uint32_t result, size_t component,
                                   answer_t *out_answer) {
  memory_t *memory = memory_of(call->memo);
  status_t status = decide_gathered(call, result, component, &memory->whole, out_answer);
  bool is_open = status == STATUS_OK && !out_answer->conforms;
  if (is_open && may_be_narrow(call)) {
    status = decide_narrow(call, component, memory, out_answer);
  }
  call->memo->entries = memory;
  return status;
}

status_t convolution_decide(const oracle_call_t *call, uint32_t result, size_t component,
                            answer_t *out_answer) {
  return oracle_decide_with_memo(decide_remembering, call, result, component, out_answer);
}

/* Of sums in two types, nothing is known here. */
status_t convolution_ranges(const oracle_call_t *call, uint32_t result, component_span_t span,
                            accepted_ranges_t *out_ranges) {
  if (may_be_narrow(call)) {
    for (size_t i = 0; i < span.count; i++) out_ranges[i] = accepted_ranges_unknown();
    return STATUS_OK;
  }
  memory_t *memory = memory_of(call->memo);
  call->memo->entries = memory->whole;
  status_t status = derived_ranges(call, result, span, out_ranges);
  memory->whole = call->memo->entries;
  call->memo->entries = memory;
  return status;
}

/* ---- Certificates ---------------------------------------------------------------------------- */

status_t convolution_enclose(const enclosure_call_t *call,
                             box_t *const out_results[CASE_RESULTS_MAX]) {
  const program_t *program = call->program;
  STATUS_TRY(derived_enclose(call, out_results));
  bool permits_narrow = call->contract != NULL &&
                        PERMITTED(call->contract, convolution_types) == CONVOLUTION_TYPES_OPERANDS;
  if (!permits_narrow || !is_widening(program)) return STATUS_OK;
  program_t plain = *program;
  plain.results[0].element = program->operands[CONVOLUTION_LHS].element;
  size_t count = type_element_count(&plain.results[0]);
  box_t *const narrow[CASE_RESULTS_MAX] = {ARENA_NEW_ARRAY(call->arena, box_t, count)};
  enclosure_call_t plain_call = *call;
  plain_call.program = &plain;
  plain_call.kept = NULL;
  STATUS_TRY(derived_enclose(&plain_call, narrow));
  for (size_t i = 0; i < count; i++) {
    out_results[0][i] = box_unite(out_results[0][i], narrow[0][i]);
    if (call->kept != NULL) call->kept[0][i] = box_whole_line();
  }
  return STATUS_OK;
}

/* ---- Models ---------------------------------------------------------------------------------- */

/* The unsigned type that is as wide. */
static const element_t *unsigned_element(const element_t *element) {
  for (size_t i = 0; i < element_count; i++) {
    const element_t *other = &element_table[i];
    if (other->kind == ELEMENT_UNSIGNED && other->bits == element->bits) return other;
  }
  return element;
}

/* Operands of signed integers taken for unsigned ones. */
static case_t zero_extend(const case_t *instance) {
  case_t changed = *instance;
  for (int i = 0; i < 2; i++) {
    const element_t *element = instance->program.operands[i].element;
    if (element->kind != ELEMENT_SIGNED) continue;
    changed.program.operands[i].element = unsigned_element(element);
    changed.operands[i].type.element = changed.program.operands[i].element;
  }
  return changed;
}

/* The other way: sums in the operands' type. */
static status_t simulate_narrow(const oracle_call_t *call, const implementation_model_t *schedule,
                                tensor_t *inout_results) {
  const case_t plain = narrow_case(call->instance);
  tensor_t result = tensor_make(call->arena, &plain.program.results[0]);
  const oracle_call_t plain_call = oracle_call_about(call, &plain, NULL);
  STATUS_TRY(derived_simulate(&plain_call, schedule, &result));
  const element_t *from = result.type.element, *to = inout_results[0].type.element;
  for (size_t i = 0; i < type_component_count(&result.type); i++) {
    element_store(to, inout_results[0].data, i,
                  promote(from, to, element_load(from, result.data, i)));
  }
  return STATUS_OK;
}

status_t convolution_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                              tensor_t *inout_results) {
  if (!is_widening(&call->instance->program)) {
    return derived_simulate(call, schedule, inout_results);
  }
  if (schedule->fault == FAULT_convolution_zero_extends) {
    const case_t changed = zero_extend(call->instance);
    const oracle_call_t changed_call = oracle_call_about(call, &changed, NULL);
    return derived_simulate(&changed_call, schedule, inout_results);
  }
  if (schedule->other_way) return simulate_narrow(call, schedule, inout_results);
  return derived_simulate(call, schedule, inout_results);
}
