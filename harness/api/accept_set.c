/* SPDX-License-Identifier: Apache-2.0 */
/* assay_accept(): what conforms, as arrays. */
#include <math.h>
#include <string.h>

#include "harness/api/handles.h"
#include "harness/power/measure.h"

struct assay_accept_set {
  arena_t arena;
  uint32_t result_count;
  assay_accept_info_t infos[CASE_RESULTS_MAX];
};

/* The arrays of one result while they are filled. */
typedef struct columns {
  const element_t *element;
  double *low, *high, *exact;
  uint64_t *low_bits, *high_bits;
  uint8_t *specials, *unknown;
} columns_t;

static columns_t make_columns(assay_accept_set_t *set, const type_t *type, uint32_t result) {
  const size_t count = type_component_count(type);
  columns_t columns = {.element = type->element,
                       .low = ARENA_NEW_ARRAY(&set->arena, double, count),
                       .high = ARENA_NEW_ARRAY(&set->arena, double, count),
                       .exact = ARENA_NEW_ARRAY(&set->arena, double, count),
                       .low_bits = ARENA_NEW_ARRAY(&set->arena, uint64_t, count),
                       .high_bits = ARENA_NEW_ARRAY(&set->arena, uint64_t, count),
                       .specials = arena_alloc_zeroed(&set->arena, count),
                       .unknown = arena_alloc_zeroed(&set->arena, count)};
  set->infos[result] = (assay_accept_info_t){.struct_size = sizeof(assay_accept_info_t),
                                             .components_per_element = type->element->components,
                                             .count = count,
                                             .low = columns.low,
                                             .high = columns.high,
                                             .low_bits = columns.low_bits,
                                             .high_bits = columns.high_bits,
                                             .exact = columns.exact,
                                             .specials = columns.specials,
                                             .unknown = columns.unknown};
  return columns;
}

static double number_of(const element_t *element, uint64_t bits) {
  if (element->format != NULL) return format_to_double(element->format, bits);
  if (element->kind == ELEMENT_UNSIGNED) return (double)bits;
  return (double)element_signed_value(element, bits);
}

/* Both ends of what conforms around the exact value, if there are any. */
typedef struct ends {
  bool has_ends;
  uint64_t lowest, highest;
} ends_t;

static void put_ends(columns_t *columns, size_t i, const ends_t *ends) {
  columns->low[i] = ends->has_ends ? number_of(columns->element, ends->lowest) : NAN;
  columns->high[i] = ends->has_ends ? number_of(columns->element, ends->highest) : NAN;
  columns->low_bits[i] = ends->has_ends ? ends->lowest : 0;
  columns->high_bits[i] = ends->has_ends ? ends->highest : 0;
}

/* ---- Specials -------------------------------------------------------------------------------- */

typedef struct special {
  uint8_t flag;
  bool exists;
  uint64_t bits;
} special_t;

enum { SPECIAL_COUNT = 5 };
static void list_specials(const format_t *format, special_t out[SPECIAL_COUNT]) {
  bool has_infinity = format_has_infinity(format);
  bool has_zero = format->specials != FORMAT_EXPONENT_ONLY;
  const special_t specials[SPECIAL_COUNT] = {
      {ASSAY_NAN, format_has_nan(format), format_from_double(format, NAN)},
      {ASSAY_POSITIVE_INFINITY, has_infinity, format_from_double(format, INFINITY)},
      {ASSAY_NEGATIVE_INFINITY, has_infinity, format_from_double(format, -INFINITY)},
      {ASSAY_NEGATIVE_ZERO, format_has_negative_zero(format), format_from_double(format, -0.0)},
      {ASSAY_POSITIVE_ZERO, has_zero, format_from_double(format, 0.0)}};
  memcpy(out, specials, sizeof specials);
}

/* ---- What is surely in ----------------------------------------------------------------------- */

/* From the fast sets alone. */
static void put_sure(columns_t *columns, const accept_t *accept) {
  const format_t *format = columns->element->format;
  special_t specials[SPECIAL_COUNT];
  if (format != NULL) list_specials(format, specials);
  for (size_t i = 0; i < accept->count; i++) {
    ends_t ends = {.has_ends = false};
    columns->exact[i] = accept->reference == NULL ? NAN : accept->reference[i];
    columns->unknown[i] = accept->decide != NULL && accept->decide[i] != 0;
    if (columns->unknown[i] == 0 && accept->low != NULL && accept->low[i] <= accept->high[i]) {
      const double pair[] = {accept->low[i], accept->high[i]};
      uint64_t bits[2];
      for (size_t k = 0; k < 2; k++) {
        bits[k] = format != NULL ? format_from_double(format, pair[k])
                                 : (uint64_t)(int64_t)pair[k] & element_mask(columns->element);
      }
      ends = (ends_t){true, bits[0], bits[1]};
    } else if (columns->unknown[i] == 0 && accept->bits != NULL) {
      bool is_number = format == NULL || !format_is_nan(format, accept->bits[i]);
      ends = (ends_t){is_number, accept->bits[i], accept->bits[i]};
    }
    put_ends(columns, i, &ends);
    for (size_t k = 0; format != NULL && k < SPECIAL_COUNT; k++) {
      bool holds = columns->unknown[i] == 0 && specials[k].exists &&
                   accept_holds(accept, columns->element, i, specials[k].bits);
      if (holds) columns->specials[i] |= specials[k].flag;
    }
  }
}

/* ---- All that is in -------------------------------------------------------------------------- */

/* One component after the other, by the exact side. */
typedef struct asking {
  tolerance_question_t question;
  uint32_t result;
  failure_t *error;
} asking_t;

static bool is_silent(status_t status) {
  return status == STATUS_UNSUPPORTED || status == STATUS_UNDECIDED;
}

static status_t ask_specials(const asking_t *asking, const columns_t *columns, size_t i) {
  if (columns->element->format == NULL) return STATUS_OK;
  special_t specials[SPECIAL_COUNT];
  list_specials(columns->element->format, specials);
  for (size_t k = 0; k < SPECIAL_COUNT; k++) {
    answer_t answer;
    if (!specials[k].exists) continue;
    STATUS_TRY(tolerance_ask(&asking->question, asking->result, i, specials[k].bits, &answer,
                             asking->error));
    if (answer.conforms) columns->specials[i] |= specials[k].flag;
  }
  return STATUS_OK;
}

/* Where an infinity is what is to be expected, the largest numbers may conform beside it. */
static status_t find_beside(const asking_t *asking, const columns_t *columns, size_t i,
                            tolerance_t *out_tolerance) {
  const format_t *format = columns->element->format;
  const uint8_t infinities = ASSAY_POSITIVE_INFINITY | ASSAY_NEGATIVE_INFINITY;
  uint8_t held = columns->specials[i] & infinities;
  if (format == NULL || held == 0) return STATUS_OK;
  uint64_t bits = format->largest_bits;
  if (held == ASSAY_NEGATIVE_INFINITY) bits |= UINT64_C(1) << (format->bits - 1);
  tensor_t *tensor = &asking->question.results[asking->result];
  uint64_t before = element_load(columns->element, tensor->data, i);
  element_store(columns->element, tensor->data, i, bits);
  status_t status =
      tolerance_find(&asking->question, asking->result, i, out_tolerance, asking->error);
  element_store(columns->element, tensor->data, i, before);
  if (!is_silent(status)) return status;
  out_tolerance->is_measured = false;
  return STATUS_OK;
}

static status_t put_component(const asking_t *asking, columns_t *columns, size_t i) {
  tolerance_t tolerance = {0};
  status_t status = tolerance_find(&asking->question, asking->result, i, &tolerance, asking->error);
  if (status == STATUS_OK) status = ask_specials(asking, columns, i);
  if (status == STATUS_OK && !tolerance.is_measured) {
    status = find_beside(asking, columns, i, &tolerance);
  }
  columns->unknown[i] = is_silent(status);
  const ends_t ends = {.has_ends = status == STATUS_OK && tolerance.is_measured,
                       .lowest = tolerance.lowest,
                       .highest = tolerance.highest};
  put_ends(columns, i, &ends);
  if (!is_silent(status)) return status;
  columns->specials[i] = 0;
  return STATUS_OK;
}

/* ---- The call -------------------------------------------------------------------------------- */

typedef struct accepting {
  call_t *call;
  assay_context_t *context;
  question_t question;
  progress_t progress;
} accepting_t;

static status_t put_all(accepting_t *accepting, const oracle_call_t *call, const oracle_t *oracle,
                        assay_accept_set_t *set, columns_t *columns) {
  tensor_t results[CASE_RESULTS_MAX];
  const uint8_t *known[CASE_RESULTS_MAX];
  STATUS_TRY(power_fill_known(oracle, call, results, known));
  const asking_t first = {.question = {.oracle = oracle,
                                       .instance = call->instance,
                                       .contract = call->contract,
                                       .results = results,
                                       .memo = call->memo,
                                       .arena = call->arena},
                          .error = call->error};
  size_t total = 0, done = 0;
  for (uint32_t r = 0; r < set->result_count; r++) total += set->infos[r].count;
  for (uint32_t r = 0; r < set->result_count; r++) {
    asking_t asking = first;
    asking.result = r;
    for (size_t i = 0; i < set->infos[r].count; i++) {
      if (!progress_tell(&accepting->progress, (double)done++ / (double)total)) {
        accepting->call->answer = ASSAY_CANCELLED;
        return status_fail(call->error, STATUS_IO, "interrupted, as the caller asked");
      }
      STATUS_TRY(put_component(&asking, &columns[r], i));
    }
  }
  return STATUS_OK;
}

static status_t fill_set(accepting_t *accepting, assay_accept_set_t *set) {
  const case_t *instance = &accepting->question.instance;
  const program_t *program = &instance->program;
  failure_t *error = &accepting->call->failure;
  const oracle_t *oracle = oracle_find(program->op);
  if (oracle == NULL) {
    return status_fail(error, STATUS_UNSUPPORTED, "no oracle for %s", program->op->name);
  }
  decision_memo_t memo;
  decision_memo_init(&memo);
  const oracle_call_t call = {.instance = instance,
                              .contract = &accepting->question.contract,
                              .memo = &memo,
                              .arena = &accepting->context->arena,
                              .error = error};
  accept_t accepts[CASE_RESULTS_MAX];
  status_t status = oracle->accept(&call, accepts);
  if (status == STATUS_OK) {
    columns_t columns[CASE_RESULTS_MAX];
    set->result_count = program->result_count;
    for (uint32_t r = 0; r < set->result_count; r++) {
      columns[r] = make_columns(set, &program->results[r], r);
      put_sure(&columns[r], &accepts[r]);
    }
    if ((accepting->question.asked.flags & ASSAY_SURE_ONLY) == 0) {
      status = put_all(accepting, &call, oracle, set, columns);
    }
  }
  decision_memo_deinit(&memo);
  return status;
}

static status_t run(accepting_t *accepting, const assay_question_t *asked,
                    assay_accept_set_t **out_set) {
  STATUS_TRY(question_read(accepting->call, accepting->context, asked, &accepting->question));
  accepting->progress = (progress_t){.call = accepting->call, .asked = &accepting->question.asked};
  assay_accept_set_t *set = g_new0(assay_accept_set_t, 1);
  arena_init(&set->arena);
  status_t status = fill_set(accepting, set);
  if (status != STATUS_OK) {
    assay_accept_set_free(set);
    return status;
  }
  *out_set = set;
  return STATUS_OK;
}

int32_t assay_accept(assay_context_t *context, const assay_question_t *question,
                     assay_accept_set_t **out_set, assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  if (out_set == NULL) return call_end(&call, fail_null(&call, "out_set", "give where it goes"));
  status_t status = context_take(&call, context);
  if (status != STATUS_OK) return call_end(&call, status);
  accepting_t accepting = {.call = &call, .context = context};
  status = run(&accepting, question, out_set);
  context_give_back(context);
  return call_end(&call, status);
}

void assay_accept_set_free(assay_accept_set_t *set) {
  if (set == NULL) return;
  arena_deinit(&set->arena);
  g_free(set);
}

static status_t read_info(call_t *call, const assay_accept_set_t *set, uint32_t result,
                          assay_accept_info_t *out_info) {
  if (set == NULL) return fail_null(call, "set", "get one from assay_accept()");
  if (out_info == NULL) return fail_null(call, "out_info", "give where it goes");
  STATUS_TRY(check_struct(call, "assay_accept_info_t", out_info->struct_size, sizeof *out_info));
  if (result >= set->result_count) {
    return status_fail(&call->failure, STATUS_INVALID, "there is no result %u; the program has %u",
                       result, set->result_count);
  }
  write_struct(out_info, &set->infos[result], sizeof *out_info);
  return STATUS_OK;
}

int32_t assay_accept_info(const assay_accept_set_t *set, uint32_t result,
                          assay_accept_info_t *out_info, assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  return call_end(&call, read_info(&call, set, result, out_info));
}
