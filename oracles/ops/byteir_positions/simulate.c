/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated implementations of arg_max, arg_min and top_k by plain scan and sort, with the planted
 * faults: wrong tie, NaN unguarded, axis ignored, index too narrow, repeated index. */
#include "oracles/ops/byteir_positions/simulate.h"

#include <math.h>
#include <stdlib.h>

#include "generated/byteir_positions_faults.h"
#include "harness/base/rng.h"
#include "oracles/exact/quantum/fault_values.h"
#include "oracles/ops/byteir_positions/arg.h"
#include "oracles/ops/byteir_positions/byteir_positions.h"

/* An element as the implementation reads it. */
typedef struct item {
  uint64_t bits;
  double real;     /* Of floats. */
  __int128 number; /* Of integers. */
  bool is_nan;
  size_t place;
} item_t;

/* How a row is read. */
typedef struct reader {
  const tensor_t *operand;
  byteir_rows_t rows;
  byteir_rows_t last_rows; /* Along the last dimension. */
  fault_t fault;
} reader_t;

static reader_t reader_make(const case_t *instance, uint32_t axis, fault_t fault) {
  const tensor_t *operand = &instance->operands[0];
  return (reader_t){.operand = operand,
                    .rows = byteir_rows_make(&operand->type, axis),
                    .last_rows = byteir_rows_make(&operand->type, operand->type.rank - 1),
                    .fault = fault};
}

/* The number in the tensor of an element of a row. */
static size_t locate(const reader_t *reader, size_t row, size_t place) {
  if (reader->fault != FAULT_axis_ignored) return byteir_rows_element(&reader->rows, row, place);
  const byteir_rows_t *rows = &reader->last_rows;
  return byteir_rows_element(rows, row % rows->count, place % rows->size);
}

static item_t load(const reader_t *reader, size_t row, size_t place) {
  const element_t *element = reader->operand->type.element;
  uint64_t bits = element_load(element, reader->operand->data, locate(reader, row, place));
  item_t item = {.bits = bits, .place = place};
  if (element->format != NULL) {
    item.real = fault_load_float(reader->fault, element->format, bits);
    item.is_nan = isnan(item.real);
    if (!item.is_nan) item.bits = format_from_double(element->format, item.real);
    return item;
  }
  bool is_signed = element->kind == ELEMENT_SIGNED || reader->fault == FAULT_unsigned_as_signed;
  bool is_negative = is_signed && (bits >> (element->bits - 1) & 1) != 0;
  item.number = (__int128)bits - ((__int128)is_negative << element->bits);
  return item;
}

/* 1, 0 or -1 as a is greater than, equal to or less than b; neither is NaN. */
static int compare_numbers(const item_t *a, const item_t *b) {
  if (a->real != b->real) return a->real > b->real ? 1 : -1;
  return (a->number > b->number) - (a->number < b->number);
}

static int compare_magnitudes(const item_t *a, const item_t *b) {
  const item_t left = {.real = fabs(a->real), .number = a->number < 0 ? -a->number : a->number};
  const item_t right = {.real = fabs(b->real), .number = b->number < 0 ? -b->number : b->number};
  return compare_numbers(&left, &right);
}

static void store_index(tensor_t *result, size_t output, const reader_t *reader, size_t row,
                        size_t place) {
  size_t index = place;
  if (reader->fault == FAULT_index_of_whole_tensor) index = locate(reader, row, place);
  if (reader->fault == FAULT_narrow_index) index &= 15;
  if (reader->fault == FAULT_index_of_block) index &= 7;
  if (reader->fault == FAULT_index_from_one) index++;
  const element_t *element = result->type.element;
  if (fault_skips_store(reader->fault, output, result)) return;
  element_store(element, result->data, output, index & element_mask(element));
}

static void store_value(tensor_t *result, size_t output, const reader_t *reader,
                        const item_t *item) {
  const element_t *element = result->type.element;
  uint64_t bits = item->bits;
  if (element->format != NULL) {
    bits = fault_spoil_bits(reader->fault, element->format, bits, output);
  }
  if (fault_skips_store(reader->fault, output, result)) return;
  element_store(element, result->data, output, bits);
}

/* ---- arg_max and arg_min --------------------------------------------------------------------- */

typedef struct arg_plan {
  bool wants_min;
  bool selects_last;
  fault_t fault;
} arg_plan_t;

/* Whether `next`, which stands behind `best`, takes its place. */
static bool takes_over(const arg_plan_t *plan, const item_t *best, const item_t *next) {
  bool selects_last = plan->selects_last != (plan->fault == FAULT_wrong_tie);
  if (best->is_nan || next->is_nan) {
    if (plan->fault == FAULT_nan_unguarded) return true; /* best >= next is false. */
    if (plan->fault == FAULT_drop_nan && best->is_nan != next->is_nan) return best->is_nan;
    return next->is_nan && (!best->is_nan || selects_last);
  }
  bool takes_magnitudes = plan->fault == FAULT_pick_by_magnitude;
  int greater = takes_magnitudes ? compare_magnitudes(next, best) : compare_numbers(next, best);
  if (plan->wants_min) greater = -greater;
  return greater > 0 || (greater == 0 && selects_last);
}

static bool is_equal(const item_t *a, const item_t *b) {
  if (a->is_nan || b->is_nan) return a->is_nan && b->is_nan;
  return compare_numbers(a, b) == 0;
}

/* What an implementation starts from that does not start from the first element. */
static bool find_start(const arg_plan_t *plan, const reader_t *reader, item_t *out_start) {
  const format_t *format = reader->operand->type.element->format;
  *out_start = (item_t){.place = 0};
  if (plan->fault == FAULT_pick_from_zero) return true;
  if (plan->fault != FAULT_pick_from_finite || format == NULL) return false;
  double largest = format_to_double(format, format->largest_bits);
  out_start->real = plan->wants_min ? largest : -largest;
  out_start->bits = format_from_double(format, out_start->real);
  return true;
}

static item_t pick(const arg_plan_t *plan, const reader_t *reader, size_t row) {
  enum { BLOCK = 4 };
  item_t best = load(reader, row, 0), start;
  if (find_start(plan, reader, &start) && !takes_over(plan, &start, &best)) best = start;
  size_t size = reader->rows.size;
  if (plan->fault == FAULT_pick_in_whole_blocks && size > BLOCK) size = size / BLOCK * BLOCK;
  for (size_t place = 1; place < size; place++) {
    item_t next = load(reader, row, place);
    if (takes_over(plan, &best, &next)) best = next;
  }
  return best;
}

static item_t first_equal(const reader_t *reader, size_t row, const item_t *picked) {
  for (size_t place = 0; place < picked->place; place++) {
    item_t item = load(reader, row, place);
    if (is_equal(&item, picked)) return item;
  }
  return *picked;
}

status_t byteir_arg_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                             tensor_t *inout_results) {
  const program_t *program = &call->instance->program;
  fault_t fault = schedule->fault;
  reader_t reader = reader_make(call->instance, byteir_arg_axis(program), fault);
  bool selects_last = byteir_arg_attributes(program)->select_last_index != 0;
  const arg_plan_t plan = {.wants_min = byteir_arg_is_min(program),
                           .selects_last = selects_last && fault != FAULT_last_index_ignored,
                           .fault = fault};
  uint32_t last = program->result_count - 1;
  for (size_t row = 0; row < reader.rows.count; row++) {
    item_t picked = pick(&plan, &reader, row);
    store_index(&inout_results[last], row, &reader, row, picked.place);
    if (last == 0) continue;
    if (fault == FAULT_value_of_first_equal) picked = first_equal(&reader, row, &picked);
    store_value(&inout_results[0], row, &reader, &picked);
  }
  return STATUS_OK;
}

/* ---- top_k ----------------------------------------------------------------------------------- */

typedef struct entry {
  item_t item;
  const element_t *element;
  fault_t fault;
} entry_t;

/* Negative floats have the sign bit set, and so are small integers, but in reverse. */
static int compare_patterns(const element_t *element, uint64_t a, uint64_t b) {
  unsigned unused = 64u - element->bits;
  int64_t left = (int64_t)(a << unused), right = (int64_t)(b << unused);
  return (left > right) - (left < right);
}

static int compare_as_f32(const item_t *a, const item_t *b) {
  float left = (float)a->real + (float)a->number, right = (float)b->real + (float)b->number;
  return (left > right) - (left < right);
}

/* For qsort(): the largest first. */
static int compare_entries(const void *a, const void *b) {
  const entry_t *left = a, *right = b;
  int greater = 0;
  if (left->fault == FAULT_top_k_compares_patterns && left->element->format != NULL) {
    greater = compare_patterns(left->element, left->item.bits, right->item.bits);
  } else if (left->item.is_nan != right->item.is_nan) {
    greater = left->item.is_nan ? 1 : -1;
    if (left->fault == FAULT_top_k_nan_least || left->fault == FAULT_drop_nan) greater = -greater;
  } else if (!left->item.is_nan && left->fault == FAULT_top_k_as_f32) {
    greater = compare_as_f32(&left->item, &right->item);
  } else if (!left->item.is_nan) {
    greater = compare_numbers(&left->item, &right->item);
  }
  if (greater != 0) return -greater;
  int later = (left->item.place > right->item.place) - (left->item.place < right->item.place);
  bool reverses = left->fault == FAULT_top_k_ties_reversed || left->fault == FAULT_wrong_tie;
  return reverses ? -later : later;
}

/* Beside a NaN the largest number goes to the end. */
static void drop_maximum(entry_t *entries, size_t size) {
  size_t first = 0;
  while (first < size && entries[first].item.is_nan) first++;
  if (first == 0 || first == size) return;
  entry_t dropped = entries[first];
  for (size_t i = first; i + 1 < size; i++) entries[i] = entries[i + 1];
  entries[size - 1] = dropped;
}

static int compare_places(const void *a, const void *b) {
  const entry_t *left = a, *right = b;
  return (left->item.place > right->item.place) - (left->item.place < right->item.place);
}

static void swap_entries(entry_t *a, entry_t *b) {
  entry_t kept = *a;
  *a = *b;
  *b = kept;
}

/* The order in which the picks of an unsorted top_k come out. */
static void arrange(const implementation_model_t *schedule, size_t row, entry_t *picks, size_t k) {
  if (schedule->order.kind == SUM_SEQUENTIAL) return;
  qsort(picks, k, sizeof *picks, compare_places);
  if (schedule->order.kind != SUM_RANDOM && schedule->order.kind != SUM_SHUFFLED) return;
  uint64_t seed = schedule->seed;
  rng_t rng = rng_make(rng_splitmix(&seed) ^ row);
  for (size_t i = k; i > 1; i--) swap_entries(&picks[i - 1], &picks[rng_below(&rng, i)]);
}

/* More than half of the picks are not from one half of the row: the best of the other half come
 * instead, at the end. */
static void balance_halves(entry_t *entries, size_t size, size_t k) {
  size_t most = (k + 1) / 2, kept = 0;
  entry_t *sorted = g_memdup2(entries, size * sizeof *entries);
  for (int wants_rest = 0; wants_rest < 2; wants_rest++) {
    for (size_t i = 0, seen[2] = {0}; i < size; i++) {
      size_t half = sorted[i].item.place < size / 2 ? 0 : 1;
      bool is_rest = seen[half]++ >= most;
      if (is_rest == (wants_rest != 0)) entries[kept++] = sorted[i];
    }
  }
  g_free(sorted);
}

static void spoil_picks(fault_t fault, bool is_sorted, size_t size, size_t k, entry_t *entries) {
  if (fault == FAULT_top_k_drops_maximum) drop_maximum(entries, size);
  if (fault == FAULT_top_k_of_halves) balance_halves(entries, size, k);
  if (fault == FAULT_top_k_by_places && is_sorted) {
    qsort(entries, k, sizeof *entries, compare_places);
  }
  if (fault == FAULT_top_k_swaps_last && k > 3) swap_entries(&entries[k - 2], &entries[k - 1]);
  if (fault != FAULT_top_k_ascending) return;
  for (size_t i = 0; i < k / 2; i++) swap_entries(&entries[i], &entries[k - 1 - i]);
}

/* The k picks of a row, in the order in which they are stored; entries has room for the row. */
static void select_picks(const reader_t *reader, const implementation_model_t *schedule,
                         bool is_sorted, size_t row, size_t k, entry_t *entries) {
  fault_t fault = schedule->fault;
  size_t size = reader->rows.size;
  for (size_t place = 0; place < size; place++) {
    entries[place] = (entry_t){load(reader, row, place), reader->operand->type.element, fault};
  }
  /* What is left out comes last: it stands in if there is nothing else. */
  enum { BLOCK = 8 };
  bool leaves_tail = fault == FAULT_top_k_in_whole_blocks && size > BLOCK;
  size_t seen = leaves_tail ? size / BLOCK * BLOCK : size;
  qsort(entries, seen, sizeof *entries, compare_entries);
  spoil_picks(fault, is_sorted, size, k, entries);
  if (!is_sorted) arrange(schedule, row, entries, k);
}

status_t byteir_top_k_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                               tensor_t *inout_results) {
  const program_t *program = &call->instance->program;
  uint32_t axis = byteir_top_k_axis(program);
  reader_t reader = reader_make(call->instance, axis, schedule->fault);
  byteir_rows_t picks = byteir_rows_make(&program->results[0], axis);
  bool is_sorted = byteir_top_k_attributes(program)->sorted != 0;
  entry_t *entries = ARENA_NEW_ARRAY(call->arena, entry_t, reader.rows.size);
  for (size_t row = 0; row < reader.rows.count && picks.size > 0; row++) {
    select_picks(&reader, schedule, is_sorted, row, picks.size, entries);
    for (size_t i = 0; i < picks.size; i++) {
      size_t output = byteir_rows_element(&picks, row, i);
      size_t place = entries[i].item.place;
      if (schedule->fault == FAULT_top_k_repeats_index) {
        place = first_equal(&reader, row, &entries[i].item).place;
      }
      store_value(&inout_results[0], output, &reader, &entries[i].item);
      store_index(&inout_results[1], output, &reader, row, place);
    }
  }
  return STATUS_OK;
}
