/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the ends off ranges that have no gaps, in which a search by patterns ends where they do
 * (theory.md, T290), and searches in all others. */
#include "harness/power/accepted_ends.h"

#include <math.h>
#include <string.h>

#include "harness/power/measure.h"

void special_patterns(const format_t *format, special_pattern_t out[SPECIAL_PATTERN_COUNT]) {
  const bool has_infinity = format_has_infinity(format);
  const bool has_zero = format->specials != FORMAT_EXPONENT_ONLY;
  const special_pattern_t patterns[SPECIAL_PATTERN_COUNT] = {
      {ACCEPTED_NAN, format_has_nan(format), format_from_double(format, NAN)},
      {ACCEPTED_POSITIVE_INFINITY, has_infinity, format_from_double(format, INFINITY)},
      {ACCEPTED_NEGATIVE_INFINITY, has_infinity, format_from_double(format, -INFINITY)},
      {ACCEPTED_NEGATIVE_ZERO, format_has_negative_zero(format), format_from_double(format, -0.0)},
      {ACCEPTED_POSITIVE_ZERO, has_zero, format_from_double(format, 0.0)}};
  memcpy(out, patterns, sizeof patterns);
}

static bool is_silent(status_t status) {
  return status == STATUS_UNSUPPORTED || status == STATUS_UNDECIDED;
}

/* Where an infinity is what is to be expected, the largest numbers may conform beside it: one of
 * them, to begin with; 0 if no infinity conforms. */
static uint64_t largest_beside(const format_t *format, uint8_t specials) {
  uint8_t held = specials & (ACCEPTED_POSITIVE_INFINITY | ACCEPTED_NEGATIVE_INFINITY);
  if (held == 0) return 0;
  uint64_t sign = held == ACCEPTED_NEGATIVE_INFINITY ? UINT64_C(1) << (format->bits - 1) : 0;
  return format->largest_bits | sign;
}

/* ---- By ranges ------------------------------------------------------------------------------- */

/* Whether a search would look for numbers, if the component has the pattern `bits`: beside NaN it
 * would not. */
static bool has_start(const accepted_ranges_t *ranges, const format_t *format, uint64_t bits,
                      uint8_t specials) {
  bool is_special = format_is_nan(format, bits) || format_is_infinity(format, bits);
  if (!is_special || !accepted_ranges_hold(ranges, format, bits)) return true;
  uint64_t beside = largest_beside(format, specials);
  return beside != 0 && accepted_ranges_hold(ranges, format, beside);
}

/* Whether there is a number between two patterns that are no NaN. */
static bool has_number(const format_t *format, const uint64_t ends[2]) {
  bool is_one = ends[0] == ends[1];
  return !(is_one && format_is_infinity(format, ends[0]));
}

/* False where the ranges do not tell; `bits` is the value to begin with. */
static bool read_ranges(const accepted_ranges_t *ranges, const format_t *format, uint64_t bits,
                        accepted_ends_t *out_ends) {
  special_pattern_t patterns[SPECIAL_PATTERN_COUNT];
  accepted_ends_t ends = {.is_unknown = false};
  uint64_t pair[2] = {0, 0};
  if (!ranges->is_known) return false;
  special_patterns(format, patterns);
  for (size_t i = 0; i < SPECIAL_PATTERN_COUNT; i++) {
    bool is_held = patterns[i].exists && accepted_ranges_hold(ranges, format, patterns[i].bits);
    if (is_held) ends.specials |= patterns[i].flag;
  }
  if (has_start(ranges, format, bits, ends.specials)) {
    accepted_hull_t hull = accepted_ranges_hull(ranges, format, pair);
    if (hull == ACCEPTED_HULL_GAPS) return false;
    ends.has_ends = hull == ACCEPTED_HULL_WHOLE && has_number(format, pair);
    ends.lowest = pair[0];
    ends.highest = pair[1];
  }
  *out_ends = ends;
  return true;
}

/* ---- By asking ------------------------------------------------------------------------------- */

/* One component. */
typedef struct asking {
  const tolerance_question_t *question;
  uint32_t result;
  size_t component;
  const element_t *element;
  failure_t *error;
} asking_t;

static status_t ask_specials(const asking_t *asking, uint8_t *out_specials) {
  special_pattern_t patterns[SPECIAL_PATTERN_COUNT];
  *out_specials = 0;
  if (asking->element->format == NULL) return STATUS_OK;
  special_patterns(asking->element->format, patterns);
  for (size_t i = 0; i < SPECIAL_PATTERN_COUNT; i++) {
    answer_t answer;
    if (!patterns[i].exists) continue;
    STATUS_TRY(tolerance_ask(asking->question, asking->result, asking->component, patterns[i].bits,
                             &answer, asking->error));
    if (answer.conforms) *out_specials |= patterns[i].flag;
  }
  return STATUS_OK;
}

static status_t search_beside(const asking_t *asking, uint8_t specials, tolerance_t *inout) {
  const element_t *element = asking->element;
  uint64_t bits = element->format == NULL ? 0 : largest_beside(element->format, specials);
  if (bits == 0) return STATUS_OK;
  tensor_t *tensor = &asking->question->results[asking->result];
  uint64_t before = element_load(element, tensor->data, asking->component);
  element_store(element, tensor->data, asking->component, bits);
  status_t status = tolerance_find_ends(asking->question, asking->result, asking->component, inout,
                                        asking->error);
  element_store(element, tensor->data, asking->component, before);
  if (!is_silent(status)) return status;
  inout->is_measured = false;
  return STATUS_OK;
}

/* From the value that is there; or, if that does not conform, as a model's that computes otherwise
 * than the contract wants, from one that the fast set holds. */
static status_t search_numbers(const asking_t *asking, tolerance_t *out_tolerance) {
  const tolerance_question_t *question = asking->question;
  tensor_t *tensor = &question->results[asking->result];
  uint64_t before = element_load(asking->element, tensor->data, asking->component), held;
  status_t status = tolerance_find_ends(question, asking->result, asking->component, out_tolerance,
                                        asking->error);
  bool is_tried = status == STATUS_UNDECIDED && question->accepts != NULL &&
                  power_find_held(&question->accepts[asking->result], asking->element,
                                  asking->component, &held) &&
                  held != before;
  if (!is_tried) return status;
  element_store(asking->element, tensor->data, asking->component, held);
  status = tolerance_find_ends(question, asking->result, asking->component, out_tolerance,
                               asking->error);
  element_store(asking->element, tensor->data, asking->component, before);
  return status;
}

static status_t search(const asking_t *asking, accepted_ends_t *out_ends) {
  tolerance_t tolerance = {0};
  uint8_t specials = 0;
  status_t status = search_numbers(asking, &tolerance);
  if (status == STATUS_OK) status = ask_specials(asking, &specials);
  if (status == STATUS_OK && !tolerance.is_measured)
    status = search_beside(asking, specials, &tolerance);
  *out_ends = (accepted_ends_t){.is_unknown = true};
  if (is_silent(status)) return STATUS_OK;
  *out_ends = (accepted_ends_t){.has_ends = tolerance.is_measured,
                                .lowest = tolerance.lowest,
                                .highest = tolerance.highest,
                                .specials = specials};
  return status;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* What the oracle knows of the span; nothing, of what is no float with a sign or has no ranges. */
static status_t find_ranges(const tolerance_question_t *question, uint32_t result,
                            component_span_t span, accepted_ranges_t *out_ranges,
                            failure_t *error) {
  const type_t *type = &question->instance->program.results[result];
  const format_t *format = type->element->format;
  const bool is_asked = question->oracle->ranges != NULL && format != NULL &&
                        format->specials != FORMAT_EXPONENT_ONLY && type->quantization == NULL;
  failure_t failure = {0};
  const oracle_call_t call = {.instance = question->instance,
                              .contract = question->contract,
                              .memo = question->memo,
                              .arena = question->arena,
                              .error = &failure};
  status_t status =
      is_asked ? question->oracle->ranges(&call, result, span, out_ranges) : STATUS_UNSUPPORTED;
  for (size_t i = 0; i < span.count && is_silent(status); i++) {
    out_ranges[i] = accepted_ranges_unknown();
  }
  if (is_silent(status)) return STATUS_OK;
  if (status != STATUS_OK) *error = failure;
  return status;
}

status_t accepted_ends_find(const tolerance_question_t *question, uint32_t result,
                            component_span_t span, accepted_ends_t *out_ends, failure_t *error) {
  const tensor_t *tensor = &question->results[result];
  const element_t *element = tensor->type.element;
  arena_mark_t mark = arena_mark(question->arena);
  accepted_ranges_t *ranges = ARENA_NEW_ARRAY(question->arena, accepted_ranges_t, span.count);
  status_t status = find_ranges(question, result, span, ranges, error);
  for (size_t i = 0; i < span.count && status == STATUS_OK; i++) {
    const asking_t asking = {question, result, span.first + i, element, error};
    uint64_t bits = element_load(element, tensor->data, asking.component);
    if (read_ranges(&ranges[i], element->format, bits, &out_ends[i])) continue;
    status = search(&asking, &out_ends[i]);
  }
  arena_rewind(question->arena, mark);
  return status;
}
