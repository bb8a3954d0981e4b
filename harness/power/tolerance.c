/* SPDX-License-Identifier: Apache-2.0 */
/* Searches for both ends of an accept set by asking about patterns, at distances that double while
 * they conform and are then bisected. */
#include "harness/power/tolerance.h"

#include <glib.h>
#include <math.h>

#include "harness/base/clock.h"

/* ---- Patterns as numbers of steps ------------------------------------------------------------ */

/* All values of a component but NaN, by numbers that count them in their order. */
typedef struct scale {
  const element_t *element;
  int64_t first, last;
} scale_t;

/* Places of 64-bit integers without sign are shifted, so that they fit. */
static bool is_shifted(const element_t *element) {
  return element->bits == 64 && element->kind == ELEMENT_UNSIGNED;
}

static scale_t scale_of(const type_t *type) {
  const element_t *element = type->element;
  const format_t *format = element->format;
  if (type->quantization != NULL) {
    return (scale_t){element, type->quantization->storage_min, type->quantization->storage_max};
  }
  if (is_shifted(element)) return (scale_t){element, INT64_MIN, INT64_MAX};
  if (format == NULL) {
    return (scale_t){element, element_integer_min(element), (int64_t)element_integer_max(element)};
  }
  bool has_sign = format->specials != FORMAT_EXPONENT_ONLY;
  uint64_t lowest = format->largest_bits | UINT64_C(1) << (format->bits - 1);
  return (scale_t){element, has_sign ? format_ordinal(format, format_next_down(format, lowest)) : 0,
                   format_ordinal(format, format_next_up(format, format->largest_bits))};
}

static int64_t place_of(const scale_t *scale, uint64_t bits) {
  if (scale->element->format != NULL) return format_ordinal(scale->element->format, bits);
  if (is_shifted(scale->element)) return (int64_t)(bits ^ (uint64_t)INT64_MIN);
  return element_signed_value(scale->element, bits);
}

static uint64_t bits_at(const scale_t *scale, int64_t place) {
  if (scale->element->format != NULL) return format_from_ordinal(scale->element->format, place);
  if (is_shifted(scale->element)) return (uint64_t)place ^ (uint64_t)INT64_MIN;
  return (uint64_t)place & element_mask(scale->element);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

status_t tolerance_ask(const tolerance_question_t *question, uint32_t result, size_t component,
                       uint64_t bits, answer_t *out_answer, failure_t *error) {
  tensor_t *tensor = &question->results[result];
  const element_t *element = tensor->type.element;
  const oracle_call_t call = {.instance = question->instance,
                              .contract = question->contract,
                              .results = question->results,
                              .memo = question->memo,
                              .arena = question->arena,
                              .error = error};
  uint64_t before = element_load(element, tensor->data, component);
  arena_mark_t mark = arena_mark(question->arena);
  *out_answer = (answer_t){0};
  element_store(element, tensor->data, component, bits);
  status_t status = question->oracle->decide(&call, result, component, out_answer);
  element_store(element, tensor->data, component, before);
  arena_rewind(question->arena, mark);
  return status;
}

/* A fast set tells what surely conforms, but where other results have a say. */
static bool is_held(const tolerance_question_t *question, uint32_t result, size_t component,
                    uint64_t bits) {
  if (question->accepts == NULL) return false;
  const accept_t *accept = &question->accepts[result];
  bool is_joint =
      question->oracle->has_joint_results && question->instance->program.result_count > 1;
  if (is_joint || accept->twin != NULL) return false;
  return accept_holds(accept, question->results[result].type.element, component, bits);
}

/* The search on one component. */
typedef struct search {
  const tolerance_question_t *question;
  uint32_t result;
  size_t component;
  scale_t scale;
  int64_t start; /* A place that conforms. */
  bool is_vacuous, has_gap;
  failure_t *error;
} search_t;

static status_t ask_at(search_t *search, int64_t place, answer_t *out_answer) {
  uint64_t deadline = search->question->deadline;
  if (deadline != 0 && clock_cpu_nanoseconds() >= deadline) {
    return status_fail(search->error, STATUS_UNDECIDED, "no time is left to search");
  }
  return tolerance_ask(search->question, search->result, search->component,
                       bits_at(&search->scale, place), out_answer, search->error);
}

static status_t conforms_at(search_t *search, bool is_up, uint64_t distance, bool *out_conforms) {
  answer_t answer;
  int64_t place =
      (int64_t)(is_up ? (uint64_t)search->start + distance : (uint64_t)search->start - distance);
  *out_conforms =
      is_held(search->question, search->result, search->component, bits_at(&search->scale, place));
  if (*out_conforms) return STATUS_OK;
  STATUS_TRY(ask_at(search, place, &answer));
  *out_conforms = answer.conforms;
  search->is_vacuous |= answer.conforms && answer.is_vacuous;
  return STATUS_OK;
}

/* The last place on one side that conforms, see tolerance_find(). */
static status_t find_end(search_t *search, bool is_up, int64_t *out_place) {
  const uint64_t limit = is_up ? (uint64_t)search->scale.last - (uint64_t)search->start
                               : (uint64_t)search->start - (uint64_t)search->scale.first;
  uint64_t good = 0, bad = 0; /* Distances; bad follows good, or is 0: none is known. */
  for (uint64_t distance = 1; limit > 0;) {
    distance = MIN(distance, limit);
    bool conforms;
    STATUS_TRY(conforms_at(search, is_up, distance, &conforms));
    if (conforms) {
      search->has_gap |= bad != 0;
      good = distance;
      bad = 0;
    } else if (bad == 0) {
      bad = distance;
    }
    if (distance == limit) break;
    uint64_t factor = bad == 0 ? 2 : 4;
    distance = distance > limit / factor ? limit : distance * factor;
  }
  while (bad > good + 1) {
    uint64_t middle = good + (bad - good) / 2;
    bool conforms;
    STATUS_TRY(conforms_at(search, is_up, middle, &conforms));
    *(conforms ? &good : &bad) = middle;
  }
  *out_place = (int64_t)(is_up ? (uint64_t)search->start + good : (uint64_t)search->start - good);
  return STATUS_OK;
}

/* ---- Distances ------------------------------------------------------------------------------- */

/* Between two places, where no exact value is known: in units of what is one near them. */
static double extent(const scale_t *scale, int64_t low, int64_t high) {
  const format_t *format = scale->element->format;
  if (format == NULL) return (double)((uint64_t)high - (uint64_t)low);
  double bottom = format_to_double(format, bits_at(scale, low));
  double top = format_to_double(format, bits_at(scale, high));
  if (bottom == top) return 0;
  if (isinf(bottom) || isinf(top)) return INFINITY;
  double larger = fmax(fabs(bottom), fabs(top));
  return (top - bottom) / ldexp(1, format_ulp_exponent(format, ilogb(larger)));
}

/* What is known of one end of the set. */
typedef struct end {
  int64_t place;
  bool is_infinite;
  bool has_distance; /* From the exact value, ... */
  double ulps;       /* ... in its units in the last place. */
} end_t;

static status_t measure_end(search_t *search, int64_t place, end_t *out_end) {
  const format_t *format = search->scale.element->format;
  answer_t answer;
  STATUS_TRY(ask_at(search, place, &answer));
  *out_end = (end_t){.place = place,
                     .is_infinite = format_is_infinity(format, bits_at(&search->scale, place)),
                     .has_distance = answer.has_reference,
                     .ulps = answer.ulp_error};
  if (out_end->is_infinite) {
    out_end->has_distance = true;
    out_end->ulps = INFINITY;
  }
  return STATUS_OK;
}

/* Whether the exact value has the sign of that place: it is nearer to it than to its opposite. */
static status_t is_on_side(search_t *search, const end_t *end, bool *out_is) {
  const format_t *format = search->scale.element->format;
  double value = format_to_double(format, bits_at(&search->scale, end->place));
  if (end->is_infinite) {
    uint64_t largest = format->largest_bits;
    value = copysign(format_to_double(format, largest), value);
  }
  answer_t near, opposite;
  STATUS_TRY(ask_at(search, format_ordinal(format, format_from_double(format, value)), &near));
  STATUS_TRY(ask_at(search, format_ordinal(format, format_from_double(format, -value)), &opposite));
  *out_is = near.has_reference && opposite.has_reference && near.ulp_error < opposite.ulp_error;
  return STATUS_OK;
}

/* Of floats: all from the distances that answers tell.  That of zero is the magnitude of the exact
 * value in the same unit. */
static status_t measure_float(search_t *search, int64_t low, int64_t high, tolerance_t *out) {
  const format_t *format = search->scale.element->format;
  end_t ends[2];
  STATUS_TRY(measure_end(search, low, &ends[0]));
  STATUS_TRY(measure_end(search, high, &ends[1]));
  bool is_low_farther = ends[0].ulps > ends[1].ulps;
  out->farthest = bits_at(&search->scale, is_low_farther ? low : high);
  if (!ends[0].has_distance || !ends[1].has_distance) {
    out->ulps = extent(&search->scale, low, high);
    return STATUS_OK;
  }
  out->ulps = fmax(ends[0].ulps, ends[1].ulps);
  if (format->specials == FORMAT_EXPONENT_ONLY) return STATUS_OK;
  answer_t zero;
  STATUS_TRY(ask_at(search, format_ordinal(format, format_from_double(format, 0)), &zero));
  if (!zero.has_reference || zero.ulp_error == 0) return STATUS_OK;
  out->relative = out->ulps / zero.ulp_error;
  for (size_t i = 0; i < 2 && zero.conforms; i++) {
    bool is_on;
    if (ends[i].ulps < zero.ulp_error) continue;
    STATUS_TRY(is_on_side(search, &ends[i], &is_on));
    out->is_vacuous |= is_on;
  }
  return STATUS_OK;
}

static status_t ask_for_nan(search_t *search, bool *out_holds) {
  const format_t *format = search->scale.element->format;
  *out_holds = false;
  if (format == NULL || !format_has_nan(format)) return STATUS_OK;
  answer_t answer;
  STATUS_TRY(tolerance_ask(search->question, search->result, search->component,
                           format_from_double(format, NAN), &answer, search->error));
  *out_holds = answer.conforms;
  return STATUS_OK;
}

static accepted_form_t form_of(const search_t *search, int64_t low, int64_t high) {
  bool is_all = low == search->scale.first && high == search->scale.last;
  if (search->is_vacuous || (is_all && !search->has_gap && low != high)) return ACCEPTED_ANYTHING;
  if (search->has_gap) return ACCEPTED_PARTS;
  return low == high ? ACCEPTED_ONE_VALUE : ACCEPTED_RANGE;
}

const char *accepted_form_name(accepted_form_t form) {
  static const char *const names[ACCEPTED_FORM_COUNT] = {"one value", "range", "parts", "anything"};
  return names[form];
}

/* Where NaN or an infinity is what a right implementation returns, nothing is to be measured. */
static bool is_number(const element_t *element, uint64_t bits) {
  const format_t *format = element->format;
  return format == NULL || !(format_is_nan(format, bits) || format_is_infinity(format, bits));
}

static search_t search_of(const tolerance_question_t *question, uint32_t result, size_t component,
                          failure_t *error) {
  return (search_t){.question = question,
                    .result = result,
                    .component = component,
                    .scale = scale_of(&question->results[result].type),
                    .error = error};
}

/* Whether the value to begin with conforms; a failure if not. */
static status_t ask_start(search_t *search, uint64_t bits) {
  answer_t answer = {0};
  if (is_held(search->question, search->result, search->component, bits)) return STATUS_OK;
  STATUS_TRY(tolerance_ask(search->question, search->result, search->component, bits, &answer,
                           search->error));
  search->is_vacuous = answer.is_vacuous;
  if (answer.conforms) return STATUS_OK;
  return status_fail(search->error, STATUS_UNDECIDED, "no value to begin with");
}

/* Both ends around a value that conforms. */
static status_t find_both(search_t *search, uint64_t bits, int64_t out_places[2]) {
  search->start = place_of(&search->scale, bits);
  STATUS_TRY(find_end(search, false, &out_places[0]));
  return find_end(search, true, &out_places[1]);
}

static void put_ends(const search_t *search, const int64_t places[2], tolerance_t *out_tolerance) {
  out_tolerance->is_measured = true;
  out_tolerance->lowest = bits_at(&search->scale, places[0]);
  out_tolerance->highest = bits_at(&search->scale, places[1]);
}

status_t tolerance_find_ends(const tolerance_question_t *question, uint32_t result,
                             size_t component, tolerance_t *out_tolerance, failure_t *error) {
  const tensor_t *tensor = &question->results[result];
  const element_t *element = tensor->type.element;
  const uint64_t bits = element_load(element, tensor->data, component);
  search_t search = search_of(question, result, component, error);
  int64_t places[2];
  *out_tolerance = (tolerance_t){.relative = NAN, .farthest = bits};
  STATUS_TRY(ask_start(&search, bits));
  if (!is_number(element, bits)) return STATUS_OK;
  STATUS_TRY(find_both(&search, bits, places));
  put_ends(&search, places, out_tolerance);
  return STATUS_OK;
}

/* How far the ends of a number's set are from the exact value. */
static status_t measure(search_t *search, const int64_t places[2], tolerance_t *out_tolerance) {
  const int64_t low = places[0], high = places[1];
  out_tolerance->form = form_of(search, low, high);
  if (search->scale.element->format != NULL) {
    STATUS_TRY(ask_for_nan(search, &out_tolerance->holds_nan));
    return measure_float(search, low, high, out_tolerance);
  }
  out_tolerance->ulps = extent(&search->scale, low, high);
  uint64_t up = (uint64_t)high - (uint64_t)search->start;
  bool is_up = up > (uint64_t)search->start - (uint64_t)low;
  out_tolerance->farthest = bits_at(&search->scale, is_up ? high : low);
  return STATUS_OK;
}

status_t tolerance_find(const tolerance_question_t *question, uint32_t result, size_t component,
                        tolerance_t *out_tolerance, failure_t *error) {
  const tensor_t *tensor = &question->results[result];
  const element_t *element = tensor->type.element;
  const uint64_t bits = element_load(element, tensor->data, component);
  search_t search = search_of(question, result, component, error);
  *out_tolerance = (tolerance_t){.relative = NAN, .farthest = bits};
  STATUS_TRY(ask_start(&search, bits));
  if (is_number(element, bits)) {
    int64_t places[2];
    STATUS_TRY(find_both(&search, bits, places));
    put_ends(&search, places, out_tolerance);
    STATUS_TRY(measure(&search, places, out_tolerance));
  }
  out_tolerance->is_vacuous |= search.is_vacuous || out_tolerance->form == ACCEPTED_ANYTHING;
  if (search.is_vacuous) out_tolerance->ulps = out_tolerance->relative = INFINITY;
  return STATUS_OK;
}
