/* SPDX-License-Identifier: Apache-2.0 */
/* Accept sets of arg_max and arg_min. The fast side scans each row once by integer keys for the
 * usual index; the exact side compares values and judges an index and its value as a pair. */
#include "oracles/ops/byteir_positions/arg.h"

#include <stdio.h>
#include <string.h>

#include "generated/byteir_positions_permissions.h"
#include "oracles/ops/byteir_positions/byteir_positions.h"
#include "oracles/ops/byteir_positions/order.h"

bool byteir_arg_is_min(const program_t *program) {
  return strcmp(program->op->name, "byteir.arg_min") == 0;
}

/* The order in which the first element, or the last of those equal to it, is the usual pick. */
static pick_order_t usual_order(const program_t *program, const contract_t *contract) {
  bool ignores_nan = PERMITTED(contract, arg_nan) == ARG_NAN_IGNORED;
  return (pick_order_t){.element = program->operands[0].element,
                        .smallest_first = byteir_arg_is_min(program),
                        .nan = ignores_nan ? PICK_NAN_LAST : PICK_NAN_FIRST};
}

/* ---- The fast side --------------------------------------------------------------------------- */

static size_t pick_by_key(const tensor_t *operand, const byteir_rows_t *rows, size_t row,
                          const pick_order_t *order, bool selects_last) {
  size_t place = 0;
  uint64_t best = 0;
  for (size_t i = 0; i < rows->size; i++) {
    size_t element = byteir_rows_element(rows, row, i);
    uint64_t key = pick_order_key(order, element_load(order->element, operand->data, element));
    if (i > 0 && (key < best || (key == best && !selects_last))) continue;
    best = key;
    place = i;
  }
  return place;
}

status_t byteir_arg_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  const program_t *program = &call->instance->program;
  const tensor_t *operand = &call->instance->operands[0];
  byteir_rows_t rows = byteir_rows_make(&operand->type, byteir_arg_axis(program));
  pick_order_t order = usual_order(program, call->contract);
  bool selects_last = byteir_arg_attributes(program)->select_last_index != 0;
  uint64_t *values = ARENA_NEW_ARRAY(call->arena, uint64_t, rows.count);
  uint64_t *indices = ARENA_NEW_ARRAY(call->arena, uint64_t, rows.count);
  for (size_t row = 0; row < rows.count; row++) {
    size_t place = pick_by_key(operand, &rows, row, &order, selects_last);
    size_t element = byteir_rows_element(&rows, row, place);
    values[row] = element_load(order.element, operand->data, element);
    indices[row] = place;
  }
  out_accepts[0] = (accept_t){.count = rows.count, .bits = values};
  out_accepts[program->result_count - 1] = (accept_t){.count = rows.count, .bits = indices};
  return STATUS_OK;
}

/* ---- The exact side -------------------------------------------------------------------------- */

typedef struct arg_row {
  const element_t *element;
  const uint64_t *patterns;
  size_t size; /* At least 1. */
  bool smallest_first;
  bool selects_last;
} arg_row_t;

static arg_row_t load_row(const case_t *instance, size_t row, arena_t *arena) {
  const program_t *program = &instance->program;
  const tensor_t *operand = &instance->operands[0];
  byteir_rows_t rows = byteir_rows_make(&operand->type, byteir_arg_axis(program));
  uint64_t *patterns = ARENA_NEW_ARRAY(arena, uint64_t, rows.size);
  for (size_t i = 0; i < rows.size; i++) {
    patterns[i] =
        element_load(operand->type.element, operand->data, byteir_rows_element(&rows, row, i));
  }
  return (arg_row_t){.element = operand->type.element,
                     .patterns = patterns,
                     .size = rows.size,
                     .smallest_first = byteir_arg_is_min(program),
                     .selects_last = byteir_arg_attributes(program)->select_last_index != 0};
}

static size_t pick_by_value(const arg_row_t *row, pick_nan_t nan, bool flushes) {
  const pick_order_t order = {.element = row->element,
                              .smallest_first = row->smallest_first,
                              .nan = nan,
                              .flushes = flushes};
  size_t picked = 0;
  for (size_t i = 1; i < row->size; i++) {
    int difference = pick_order_compare(&order, row->patterns[i], row->patterns[picked]);
    if (difference < 0 || (difference == 0 && row->selects_last)) picked = i;
  }
  return picked;
}

static bool is_nan(const arg_row_t *row, size_t place) {
  const format_t *format = row->element->format;
  return format != NULL && format_is_nan(format, row->patterns[place]);
}

/* A row with a NaN: any of them, unless they are ignored; then the pick among the numbers, or any
 * NaN where there are no numbers. */
static bool admits_beside_nan(const arg_row_t *row, const contract_t *contract, size_t place,
                              bool flushes) {
  uint8_t permitted = PERMITTED(contract, arg_nan);
  bool takes_nan = permitted == ARG_NAN_SOME || permitted == ARG_NAN_ANY;
  bool ignores = permitted == ARG_NAN_IGNORED || permitted == ARG_NAN_ANY;
  if (takes_nan && is_nan(row, place)) return true;
  if (!ignores) return place == pick_by_value(row, PICK_NAN_FIRST, flushes);
  size_t picked = pick_by_value(row, PICK_NAN_LAST, flushes);
  bool has_number = !is_nan(row, picked);
  return has_number ? place == picked : is_nan(row, place);
}

static bool admits(const arg_row_t *row, const contract_t *contract, size_t place) {
  bool has_nan = is_nan(row, pick_by_value(row, PICK_NAN_FIRST, false));
  int ways = pick_may_flush(row->element, contract) ? 2 : 1;
  for (int way = 0; way < ways; way++) {
    bool flushes = way == 1;
    if (has_nan ? admits_beside_nan(row, contract, place, flushes)
                : place == pick_by_value(row, PICK_NAN_FIRST, flushes)) {
      return true;
    }
  }
  return false;
}

/* The place that an index means, or the size of the row if it means none. */
static size_t place_of(const arg_row_t *row, const tensor_t *indices, size_t component) {
  const element_t *element = indices->type.element;
  uint64_t bits = element_load(element, indices->data, component);
  uint64_t index = (uint64_t)element_signed_value(element, bits);
  return index < row->size ? index : row->size;
}

static void describe(const arg_row_t *row, const contract_t *contract, size_t usual,
                     answer_t *answer) {
  const format_t *format = row->element->format;
  uint64_t bits = row->patterns[usual];
  char value[32];
  pick_print_value(row->element, bits, value, sizeof value);
  bool has_choice = is_nan(row, usual) && PERMITTED(contract, arg_nan) != ARG_NAN_FIRST;
  snprintf(answer->expected, sizeof answer->expected, "%s of index %zu%s", value, usual,
           has_choice ? ", or what else arg_nan permits" : "");
  answer->nan_expected = is_nan(row, usual);
  answer->infinity_expected = format != NULL && format_is_infinity(format, bits);
}

status_t byteir_arg_decide(const oracle_call_t *call, uint32_t result, size_t component,
                           answer_t *out_answer) {
  uint32_t last = call->instance->program.result_count - 1;
  arg_row_t row = load_row(call->instance, component, call->arena);
  bool ignores_nan = PERMITTED(call->contract, arg_nan) == ARG_NAN_IGNORED;
  size_t usual = pick_by_value(&row, ignores_nan ? PICK_NAN_LAST : PICK_NAN_FIRST, false);
  size_t place = place_of(&row, &call->results[last], component);
  bool has_value = last == 1;
  uint64_t value = has_value ? element_load(row.element, call->results[0].data, component) : 0;
  answer_t answer = {.is_index = result == last};
  /* Each half of the usual pair conforms by itself, and whatever comes with it is the other half's
   * fault; every other pair has to be admissible as one. */
  bool is_usual = result == last
                      ? place == usual
                      : pick_value_matches(row.element, call->contract, row.patterns[usual], value);
  bool belongs = place < row.size && (!has_value || pick_value_matches(row.element, call->contract,
                                                                       row.patterns[place], value));
  answer.conforms = is_usual || (belongs && admits(&row, call->contract, place));
  if (answer.conforms && !is_usual) {
    const char *how = !is_nan(&row, usual)  ? "flushed"
                      : is_nan(&row, place) ? "arg_nan=some"
                                            : "arg_nan=ignored";
    snprintf(answer.observed, sizeof answer.observed, "%s", how);
  }
  describe(&row, call->contract, usual, &answer);
  *out_answer = answer;
  return STATUS_OK;
}
