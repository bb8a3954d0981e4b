/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle and simulated implementation of one_hot in one place, since both only place two bit
 * patterns by class index; negative indices wrap or match no class, as the contract says. */
#include "oracles/ops/byteir_positions/one_hot.h"

#include <math.h>
#include <stdio.h>

#include "generated/byteir_positions_faults.h"
#include "generated/byteir_positions_permissions.h"
#include "oracles/exact/quantum/fault_values.h"
#include "oracles/ops/byteir_positions/byteir_positions.h"
#include "oracles/ops/byteir_positions/order.h"

/* The class that index number `row` means, or `depth` if it means none. */
static size_t class_of(const case_t *instance, size_t row, size_t depth, bool wraps) {
  const tensor_t *indices = &instance->operands[0];
  const element_t *element = indices->type.element;
  uint64_t bits = element_load(element, indices->data, row);
  int64_t index = element_signed_value(element, bits);
  bool is_negative = element->kind == ELEMENT_SIGNED && index < 0;
  if (is_negative) {
    bool counts_back = wraps && index >= -(int64_t)depth;
    return counts_back ? (size_t)(index + (int64_t)depth) : depth;
  }
  return bits < depth ? (size_t)bits : depth;
}

status_t byteir_one_hot_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  const program_t *program = &call->instance->program;
  const byteir_one_hot_attributes_t *attributes = byteir_one_hot_attributes(program);
  byteir_rows_t rows = byteir_rows_make(&program->results[0], byteir_one_hot_axis(program));
  bool wraps = PERMITTED(call->contract, one_hot_negative) == ONE_HOT_NEGATIVE_WRAP;
  size_t count = rows.count * rows.size;
  uint64_t *bits = ARENA_NEW_ARRAY(call->arena, uint64_t, count);
  for (size_t i = 0; i < count; i++) bits[i] = attributes->off_value.bits;
  for (size_t row = 0; row < rows.count && rows.size > 0; row++) {
    size_t place = class_of(call->instance, row, rows.size, wraps);
    if (place == rows.size) continue;
    bits[byteir_rows_element(&rows, row, place)] = attributes->on_value.bits;
  }
  out_accepts[0] = (accept_t){.count = count, .bits = bits};
  return STATUS_OK;
}

status_t byteir_one_hot_decide(const oracle_call_t *call, uint32_t result, size_t component,
                               answer_t *out_answer) {
  const program_t *program = &call->instance->program;
  const byteir_one_hot_attributes_t *attributes = byteir_one_hot_attributes(program);
  const element_t *element = program->results[0].element;
  byteir_rows_t rows = byteir_rows_make(&program->results[0], byteir_one_hot_axis(program));
  size_t place;
  size_t row = byteir_rows_of(&rows, component, &place);
  bool wraps = PERMITTED(call->contract, one_hot_negative) == ONE_HOT_NEGATIVE_WRAP;
  bool is_on = class_of(call->instance, row, rows.size, wraps) == place;
  uint64_t due = is_on ? attributes->on_value.bits : attributes->off_value.bits;
  uint64_t bits = element_load(element, call->results[result].data, component);
  answer_t answer = {.conforms = pick_value_matches(element, call->contract, due, bits)};
  char value[32];
  pick_print_value(element, due, value, sizeof value);
  snprintf(answer.expected, sizeof answer.expected, "%s, %s", is_on ? "on" : "off", value);
  answer.nan_expected = element->format != NULL && format_is_nan(element->format, due);
  answer.infinity_expected = element->format != NULL && format_is_infinity(element->format, due);
  *out_answer = answer;
  return STATUS_OK;
}

/* ---- Simulating ------------------------------------------------------------------------------ */

/* The class as an implementation with that fault finds it. */
static size_t faulty_class_of(const case_t *instance, size_t row, size_t depth, fault_t fault) {
  const tensor_t *indices = &instance->operands[0];
  const element_t *element = indices->type.element;
  uint64_t bits = element_load(element, indices->data, row);
  bool is_signed = element->kind == ELEMENT_SIGNED || fault == FAULT_unsigned_as_signed;
  int64_t index = (int64_t)(bits << (64 - element->bits)) >> (64 - element->bits);
  bool is_negative = is_signed && index < 0;
  if (fault == FAULT_one_hot_from_one) {
    return index >= 1 ? MIN((size_t)(bits - 1), depth) : depth;
  }
  if (fault == FAULT_one_hot_narrow_index) return MIN((size_t)(bits & 0xff), depth);
  if (fault == FAULT_one_hot_clamps && depth > 0) {
    return is_negative ? 0 : MIN((size_t)bits, depth - 1);
  }
  if (!is_negative) return MIN((size_t)bits, depth);
  if (fault == FAULT_one_hot_wraps && index >= -(int64_t)depth) {
    return (size_t)(index + (int64_t)depth);
  }
  return depth;
}

/* off + (on - off) * mask, each step rounded. */
static uint64_t compute(const element_t *element, uint64_t on, uint64_t off, bool is_on) {
  const format_t *format = element->format;
  if (format == NULL) return is_on ? on : off;
  double from = format_to_double(format, off);
  double difference = format_round_double(format, format_to_double(format, on) - from);
  double sum = from + difference * (is_on ? 1 : 0);
  return format_from_double(format, isnan(sum) ? (double)NAN : sum); /* Whatever the host's NaN. */
}

static uint64_t simulate_element(const program_t *program, bool is_on, size_t output,
                                 fault_t fault) {
  const byteir_one_hot_attributes_t *attributes = byteir_one_hot_attributes(program);
  const element_t *element = program->results[0].element;
  uint64_t on = attributes->on_value.bits, off = attributes->off_value.bits;
  uint64_t bits = is_on != (fault == FAULT_one_hot_values_swapped) ? on : off;
  if (fault == FAULT_one_hot_computes) bits = compute(element, on, off, is_on);
  return element->format == NULL ? bits : fault_spoil_bits(fault, element->format, bits, output);
}

status_t byteir_one_hot_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                                 tensor_t *inout_results) {
  const program_t *program = &call->instance->program;
  tensor_t *result = &inout_results[0];
  byteir_rows_t rows = byteir_rows_make(&result->type, byteir_one_hot_axis(program));
  bool ignores_axis = schedule->fault == FAULT_axis_ignored;
  size_t before = rows.size;
  for (size_t row = 0; row < rows.count; row++) {
    size_t hot = faulty_class_of(call->instance, row, rows.size, schedule->fault);
    bool is_skipped = hot == rows.size && schedule->fault == FAULT_one_hot_rows_cleared;
    bool keeps_before = hot == rows.size && schedule->fault == FAULT_one_hot_accumulates;
    if (keeps_before) hot = before;
    before = hot;
    for (size_t place = 0; place < rows.size && !is_skipped; place++) {
      size_t output =
          ignores_axis ? row * rows.size + place : byteir_rows_element(&rows, row, place);
      uint64_t bits = simulate_element(program, place == hot, output, schedule->fault);
      if (fault_skips_store(schedule->fault, output, result)) continue;
      element_store(result->type.element, result->data, output, bits);
    }
  }
  return STATUS_OK;
}
