/* SPDX-License-Identifier: Apache-2.0 */
/* assay_accept(): what conforms, as arrays. */
#include <math.h>
#include <string.h>

#include "harness/api/handles.h"
#include "harness/power/accepted_ends.h"
#include "harness/power/measure.h"

_Static_assert((int)ASSAY_NAN == (int)ACCEPTED_NAN &&
                   (int)ASSAY_POSITIVE_INFINITY == (int)ACCEPTED_POSITIVE_INFINITY &&
                   (int)ASSAY_NEGATIVE_INFINITY == (int)ACCEPTED_NEGATIVE_INFINITY &&
                   (int)ASSAY_NEGATIVE_ZERO == (int)ACCEPTED_NEGATIVE_ZERO &&
                   (int)ASSAY_POSITIVE_ZERO == (int)ACCEPTED_POSITIVE_ZERO,
               "the sets of specials are the caller's");

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

static void put_ends(columns_t *columns, size_t i, const accepted_ends_t *ends) {
  columns->low[i] = ends->has_ends ? number_of(columns->element, ends->lowest) : NAN;
  columns->high[i] = ends->has_ends ? number_of(columns->element, ends->highest) : NAN;
  columns->low_bits[i] = ends->has_ends ? ends->lowest : 0;
  columns->high_bits[i] = ends->has_ends ? ends->highest : 0;
}

/* ---- What is surely in ----------------------------------------------------------------------- */

/* From the fast sets alone. */
static void put_sure(columns_t *columns, const accept_t *accept) {
  const format_t *format = columns->element->format;
  special_pattern_t specials[SPECIAL_PATTERN_COUNT];
  if (format != NULL) special_patterns(format, specials);
  for (size_t i = 0; i < accept->count; i++) {
    accepted_ends_t ends = {.has_ends = false};
    columns->exact[i] = accept->reference == NULL ? NAN : accept->reference[i];
    columns->unknown[i] = accept->decide != NULL && accept->decide[i] != 0;
    if (columns->unknown[i] == 0 && accept->low != NULL && accept->low[i] <= accept->high[i]) {
      const double pair[] = {accept->low[i], accept->high[i]};
      uint64_t bits[2];
      for (size_t k = 0; k < 2; k++) {
        bits[k] = format != NULL ? format_from_double(format, pair[k])
                                 : (uint64_t)(int64_t)pair[k] & element_mask(columns->element);
      }
      ends = (accepted_ends_t){.has_ends = true, .lowest = bits[0], .highest = bits[1]};
    } else if (columns->unknown[i] == 0 && accept->bits != NULL) {
      bool is_number = format == NULL || !format_is_nan(format, accept->bits[i]);
      ends = (accepted_ends_t){
          .has_ends = is_number, .lowest = accept->bits[i], .highest = accept->bits[i]};
    }
    put_ends(columns, i, &ends);
    for (size_t k = 0; format != NULL && k < SPECIAL_PATTERN_COUNT; k++) {
      bool holds = columns->unknown[i] == 0 && specials[k].exists &&
                   accept_holds(accept, columns->element, i, specials[k].bits);
      if (holds) columns->specials[i] |= specials[k].flag;
    }
  }
}

/* ---- All that is in -------------------------------------------------------------------------- */

static void put_component(const accepted_ends_t *ends, columns_t *columns, size_t i) {
  put_ends(columns, i, ends);
  columns->unknown[i] = ends->is_unknown;
  columns->specials[i] = ends->is_unknown ? 0 : columns->specials[i] | ends->specials;
}

/* ---- The call -------------------------------------------------------------------------------- */

typedef struct accepting {
  call_t *call;
  assay_context_t *context;
  question_t question;
  progress_t progress;
} accepting_t;

/* Components of all results, and of those before this one. */
typedef struct progress_part {
  size_t total, before;
} progress_part_t;

/* So many components are asked about together: fractions of a second, between which the caller is
 * told how far it is. */
enum { SPAN = 256 };

static status_t put_result(accepting_t *accepting, const tolerance_question_t *question,
                           uint32_t result, const progress_part_t *part, columns_t *columns) {
  const size_t count = type_component_count(&question->results[result].type);
  accepted_ends_t ends[SPAN];
  for (size_t first = 0; first < count; first += SPAN) {
    if (!progress_tell(&accepting->progress,
                       (double)(part->before + first) / (double)part->total)) {
      accepting->call->answer = ASSAY_CANCELLED;
      return status_fail(&accepting->call->failure, STATUS_IO, "interrupted, as the caller asked");
    }
    const component_span_t span = {first, MIN((size_t)SPAN, count - first)};
    STATUS_TRY(accepted_ends_find(question, result, span, ends, &accepting->call->failure));
    for (size_t i = 0; i < span.count; i++) put_component(&ends[i], columns, first + i);
  }
  return STATUS_OK;
}

static status_t put_all(accepting_t *accepting, const oracle_call_t *call, const oracle_t *oracle,
                        const accept_t *accepts, columns_t *columns) {
  const program_t *program = &call->instance->program;
  tensor_t results[CASE_RESULTS_MAX];
  const uint8_t *known[CASE_RESULTS_MAX];
  STATUS_TRY(power_fill_known(oracle, call, accepts, results, known));
  const tolerance_question_t question = {.oracle = oracle,
                                         .instance = call->instance,
                                         .contract = call->contract,
                                         .results = results,
                                         .memo = call->memo,
                                         .arena = call->arena,
                                         .accepts = accepts};
  progress_part_t part = {0, 0};
  for (uint32_t r = 0; r < program->result_count; r++) {
    part.total += type_component_count(&program->results[r]);
  }
  for (uint32_t r = 0; r < program->result_count; r++) {
    STATUS_TRY(put_result(accepting, &question, r, &part, &columns[r]));
    part.before += type_component_count(&program->results[r]);
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
      status = put_all(accepting, &call, oracle, accepts, columns);
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
