/* SPDX-License-Identifier: Apache-2.0 */
/* Accept sets of top_k: lists the orders that the contract permits, ranks rows by keys (fast), and
 * on the exact side seeks one order that explains a whole row, remembering the verdict between
 * components. */
#include "oracles/ops/byteir_positions/top_k.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generated/byteir_positions_permissions.h"
#include "oracles/ops/byteir_positions/byteir_positions.h"
#include "oracles/ops/byteir_positions/row.h"

/* ---- Orders ---------------------------------------------------------------------------------- */

/* Three places of NaNs, zeros equal or not, subnormal numbers flushed or not. */
enum { ORDERS_MAX = 3 * 2 * 2 };

static size_t list_nans(const contract_t *contract, pick_nan_t out_nans[3]) {
  static const pick_nan_t all[] = {PICK_NAN_FIRST, PICK_NAN_LAST, PICK_NAN_BY_PATTERN};
  if (PERMITTED(contract, top_k_nan) == TOP_K_NAN_ANY) {
    memcpy(out_nans, all, sizeof all);
    return 3;
  }
  out_nans[0] = all[PERMITTED(contract, top_k_nan)];
  return 1;
}

/* The orders that the contract permits, the usual one first. */
static size_t list_orders(const element_t *element, const contract_t *contract,
                          pick_order_t out_orders[ORDERS_MAX]) {
  if (element->format == NULL) {
    out_orders[0] = (pick_order_t){.element = element};
    return 1;
  }
  pick_nan_t nans[3];
  size_t nan_count = list_nans(contract, nans);
  bool has_both_zeros = PERMITTED(contract, top_k_zeros) == TOP_K_ZEROS_ANY;
  size_t count = 0;
  for (int flushes = 0; flushes <= (pick_may_flush(element, contract) ? 1 : 0); flushes++) {
    for (int other = 0; other <= (has_both_zeros ? 1 : 0); other++) {
      for (size_t i = 0; i < nan_count; i++) {
        out_orders[count++] = (pick_order_t){
            .element = element,
            .nan = nans[i],
            .orders_zeros = has_both_zeros
                                ? other == 1
                                : PERMITTED(contract, top_k_zeros) == TOP_K_ZEROS_ORDERED,
            .flushes = flushes == 1};
      }
    }
  }
  return count;
}

/* ---- The fast side --------------------------------------------------------------------------- */

typedef struct keyed {
  uint64_t key;
  size_t place;
} keyed_t;

static int compare_keyed(const void *a, const void *b) {
  const keyed_t *left = a, *right = b;
  if (left->key != right->key) return left->key > right->key ? -1 : 1;
  return (left->place > right->place) - (left->place < right->place);
}

status_t byteir_top_k_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  const program_t *program = &call->instance->program;
  const tensor_t *operand = &call->instance->operands[0];
  uint32_t axis = byteir_top_k_axis(program);
  byteir_rows_t rows = byteir_rows_make(&operand->type, axis);
  byteir_rows_t picks = byteir_rows_make(&program->results[0], axis);
  pick_order_t orders[ORDERS_MAX];
  list_orders(operand->type.element, call->contract, orders);
  size_t count = type_element_count(&program->results[0]);
  uint64_t *values = ARENA_NEW_ARRAY(call->arena, uint64_t, count);
  uint64_t *indices = ARENA_NEW_ARRAY(call->arena, uint64_t, count);
  arena_mark_t mark = arena_mark(call->arena);
  keyed_t *keyed = ARENA_NEW_ARRAY(call->arena, keyed_t, rows.size);
  for (size_t row = 0; row < rows.count && picks.size > 0; row++) {
    for (size_t i = 0; i < rows.size; i++) {
      size_t element = byteir_rows_element(&rows, row, i);
      uint64_t bits = element_load(operand->type.element, operand->data, element);
      keyed[i] = (keyed_t){pick_order_key(&orders[0], bits), i};
    }
    qsort(keyed, rows.size, sizeof *keyed, compare_keyed);
    for (size_t i = 0; i < picks.size; i++) {
      size_t from = byteir_rows_element(&rows, row, keyed[i].place);
      size_t to = byteir_rows_element(&picks, row, i);
      values[to] = element_load(operand->type.element, operand->data, from);
      indices[to] = keyed[i].place;
    }
  }
  arena_rewind(call->arena, mark);
  out_accepts[0] = (accept_t){.count = count, .bits = values};
  out_accepts[1] = (accept_t){.count = count, .bits = indices};
  return STATUS_OK;
}

/* ---- Remembering ----------------------------------------------------------------------------- */

/* What is known of a row: its rankings, and what the verdict on these picks was. */
typedef struct remembered {
  pick_row_t row;
  bool has_verdict;
  contract_t contract; /* Of the verdict. */
  bool *conforms;      /* k of them. */
  answer_t way;        /* What was observed, for rows that conform. */
} remembered_t;

/* How an operand and its results are cut into rows. */
typedef struct top_k_layout {
  byteir_rows_t rows;
  byteir_rows_t picks;
} top_k_layout_t;

static top_k_layout_t layout_of(const program_t *program) {
  uint32_t axis = byteir_top_k_axis(program);
  return (top_k_layout_t){byteir_rows_make(&program->operands[0], axis),
                          byteir_rows_make(&program->results[0], axis)};
}

static remembered_t *make_row(const case_t *instance, const top_k_layout_t *layout, size_t number,
                              arena_t *arena) {
  const tensor_t *operand = &instance->operands[0];
  const element_t *element = operand->type.element;
  size_t size = layout->rows.size, k = layout->picks.size;
  uint64_t *patterns = ARENA_NEW_ARRAY(arena, uint64_t, size);
  for (size_t i = 0; i < size; i++) {
    patterns[i] =
        element_load(element, operand->data, byteir_rows_element(&layout->rows, number, i));
  }
  remembered_t *known = ARENA_NEW_ARRAY(arena, remembered_t, 1);
  *known =
      (remembered_t){.row = {.arena = arena,
                             .element = element,
                             .size = size,
                             .patterns = patterns,
                             .is_sorted = byteir_top_k_attributes(&instance->program)->sorted != 0,
                             .k = k,
                             .values = arena_alloc_zeroed(arena, k * sizeof(uint64_t)),
                             .places = arena_alloc_zeroed(arena, k * sizeof(size_t))},
                     .conforms = ARENA_NEW_ARRAY(arena, bool, k)};
  return known;
}

/* Reads the picks; forgets the verdict if they are others than it was about. */
static void read_picks(remembered_t *known, const top_k_layout_t *layout, size_t number,
                       const tensor_t *results) {
  pick_row_t *row = &known->row;
  const element_t *index_element = results[1].type.element;
  size_t component = byteir_rows_element(&layout->picks, number, 0);
  for (size_t i = 0; i < row->k; i++, component += layout->picks.stride) {
    uint64_t value = element_load(row->element, results[0].data, component);
    uint64_t bits = element_load(index_element, results[1].data, component);
    uint64_t index = (uint64_t)element_signed_value(index_element, bits);
    size_t place = index < row->size ? (size_t)index : row->size;
    if (value != row->values[i] || place != row->places[i]) known->has_verdict = false;
    row->values[i] = value;
    row->places[i] = place;
  }
}

/* The row with the picks of these results, from the memo if it was asked about before. */
static remembered_t *recall(const case_t *instance, const top_k_layout_t *layout, size_t number,
                            const tensor_t *results, decision_memo_t *memo) {
  if (memo->entries == NULL) {
    memo->entries = arena_alloc_zeroed(&memo->arena, layout->rows.count * sizeof(remembered_t *));
  }
  remembered_t **entry = (remembered_t **)memo->entries + number;
  if (*entry == NULL) *entry = make_row(instance, layout, number, &memo->arena);
  read_picks(*entry, layout, number, results);
  return *entry;
}

/* ---- The exact side -------------------------------------------------------------------------- */

/* Names what is unusual about the way that explains a row. */
static void describe_way(const pick_order_t *usual, const pick_order_t *order, bool is_stable,
                         answer_t *answer) {
  static const char *const nans[] = {"greatest", "least", "ordered"};
  char *out = answer->observed;
  size_t bytes = sizeof answer->observed;
  if (!is_stable) {
    snprintf(out, bytes, "top_k_ties=any");
  } else if (order->nan != usual->nan) {
    snprintf(out, bytes, "top_k_nan=%s", nans[order->nan]);
  } else if (order->orders_zeros != usual->orders_zeros) {
    snprintf(out, bytes, "top_k_zeros=%s", order->orders_zeros ? "ordered" : "equal");
  } else if (order->flushes) {
    snprintf(out, bytes, "flushed");
  }
}

/* Looks for a way that the contract permits and that explains the whole row; where there is none,
 * the picks are judged by the usual order. */
static void judge_row(remembered_t *known, const contract_t *contract, arena_t *scratch) {
  pick_row_t *row = &known->row;
  pick_order_t orders[ORDERS_MAX];
  size_t count = list_orders(row->element, contract, orders);
  known->has_verdict = true;
  known->contract = *contract;
  known->way = (answer_t){.conforms = false};
  for (int ties = TOP_K_TIES_STABLE; ties <= PERMITTED(contract, top_k_ties); ties++) {
    bool is_stable = ties == TOP_K_TIES_STABLE;
    for (size_t i = 0; i < count; i++) {
      const pick_ranking_t *ranking = pick_row_rank(row, &orders[i]);
      if (!pick_row_judge(row, contract, ranking, is_stable, scratch, known->conforms)) continue;
      describe_way(&orders[0], &orders[i], is_stable, &known->way);
      return;
    }
  }
  pick_row_judge(row, contract, pick_row_rank(row, &orders[0]),
                 PERMITTED(contract, top_k_ties) == TOP_K_TIES_STABLE, scratch, known->conforms);
}

/* The element that is due: in a sorted row that of the rank; else the first that is missing. */
static size_t find_due(const pick_row_t *row, const pick_ranking_t *usual, size_t i,
                       arena_t *scratch) {
  if (row->is_sorted) return usual->places[i];
  bool *is_there = arena_alloc_zeroed(scratch, row->size + 1);
  for (size_t pick = 0; pick < row->k; pick++) is_there[row->places[pick]] = true;
  for (size_t rank = 0; rank < row->k; rank++) {
    if (!is_there[usual->places[rank]]) return usual->places[rank];
  }
  return usual->places[i];
}

static void describe_due(const pick_row_t *row, const contract_t *contract, size_t due,
                         answer_t *answer) {
  const format_t *format = row->element->format;
  uint64_t bits = row->patterns[due];
  char value[32];
  pick_print_value(row->element, bits, value, sizeof value);
  snprintf(answer->expected, sizeof answer->expected, "%s of index %zu%s", value, due,
           PERMITTED(contract, top_k_ties) == TOP_K_TIES_ANY ? ", or what equals it" : "");
  answer->nan_expected = format != NULL && format_is_nan(format, bits);
  answer->infinity_expected = format != NULL && format_is_infinity(format, bits);
}

static status_t decide_remembering(const oracle_call_t *call, uint32_t result, size_t component,
                                   answer_t *out_answer) {
  top_k_layout_t layout = layout_of(&call->instance->program);
  size_t i;
  size_t number = byteir_rows_of(&layout.picks, component, &i);
  remembered_t *known = recall(call->instance, &layout, number, call->results, call->memo);
  pick_row_t *row = &known->row;
  pick_order_t orders[ORDERS_MAX];
  list_orders(row->element, call->contract, orders);
  const pick_ranking_t *usual = pick_row_rank(row, &orders[0]);
  answer_t answer = {.is_index = result == 1};
  /* Each half of the first choice conforms by itself, and whatever comes with it is the other
   * half's fault. */
  size_t first_choice = usual->places[i];
  answer.conforms = answer.is_index ? row->places[i] == first_choice
                                    : pick_row_has_value(row, call->contract, i, first_choice);
  if (!answer.conforms) {
    bool is_judged =
        known->has_verdict && memcmp(&known->contract, call->contract, sizeof *call->contract) == 0;
    if (!is_judged) judge_row(known, call->contract, call->arena);
    answer.conforms = known->conforms[i];
    memcpy(answer.observed, known->way.observed, sizeof answer.observed);
  }
  if (!answer.conforms) {
    describe_due(row, call->contract, find_due(row, usual, i, call->arena), &answer);
  }
  *out_answer = answer;
  return STATUS_OK;
}

status_t byteir_top_k_decide(const oracle_call_t *call, uint32_t result, size_t component,
                             answer_t *out_answer) {
  return oracle_decide_with_memo(decide_remembering, call, result, component, out_answer);
}
