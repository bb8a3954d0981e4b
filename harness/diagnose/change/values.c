/* SPDX-License-Identifier: Apache-2.0 */
/* The right value goes through a last step that is not the op's: a sign lost, one more, ... */
#include <glib.h>

#include "harness/diagnose/change/change.h"

static uint64_t sign_of(const element_t *element) { return UINT64_C(1) << (element->bits - 1); }

static uint64_t negative(const element_t *element, uint64_t bits) {
  if (element->format != NULL) return bits ^ sign_of(element);
  return (0 - bits) & element_mask(element);
}

static size_t of_negated(const element_t *element, uint64_t bits,
                         uint64_t out_sources[CHANGE_SOURCES_MAX]) {
  out_sources[0] = negative(element, bits);
  return 1;
}

static size_t of_magnitude(const element_t *element, uint64_t bits,
                           uint64_t out_sources[CHANGE_SOURCES_MAX]) {
  bool is_nan = element->format != NULL && format_is_nan(element->format, bits);
  if (!is_nan && (bits & sign_of(element)) != 0) return 0;
  out_sources[0] = bits;
  out_sources[1] = negative(element, bits);
  return 2;
}

static size_t of_next(const element_t *element, uint64_t bits,
                      uint64_t out_sources[CHANGE_SOURCES_MAX]) {
  out_sources[0] = (bits - 1) & element_mask(element);
  return 1;
}

static size_t of_previous(const element_t *element, uint64_t bits,
                          uint64_t out_sources[CHANGE_SOURCES_MAX]) {
  out_sources[0] = (bits + 1) & element_mask(element);
  return 1;
}

static size_t of_complement(const element_t *element, uint64_t bits,
                            uint64_t out_sources[CHANGE_SOURCES_MAX]) {
  out_sources[0] = ~bits & element_mask(element);
  return 1;
}

typedef enum value_kind { OF_SIGNED, OF_INTEGERS, OF_BITS } value_kind_t;

static const struct {
  cause_id_t cause;
  change_sources_t *sources;
  value_kind_t kind;
  const char *words;
} steps[] = {
    {CAUSE_result_sign, of_negated, OF_SIGNED, "negated"},
    {CAUSE_result_sign, of_magnitude, OF_SIGNED, "a magnitude"},
    {CAUSE_one_off, of_next, OF_INTEGERS, "more"},
    {CAUSE_one_off, of_previous, OF_INTEGERS, "less"},
    {CAUSE_result_complement, of_complement, OF_BITS, "complement"},
};

static bool suits(const element_t *element, value_kind_t kind) {
  if (kind == OF_SIGNED) {
    return element->kind == ELEMENT_SIGNED ||
           (element->format != NULL && element->format->specials != FORMAT_EXPONENT_ONLY &&
            element->format->specials != FORMAT_NAN_MINUS_ZERO);
  }
  if (kind == OF_INTEGERS) return element_is_integer(element);
  return element->format == NULL;
}

void change_values(solver_t *solver, found_causes_t *found) {
  const case_t *instance = solver->question->instance;
  const element_t *element = instance->program.results[solver->verdict->result].element;
  for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
    if (!suits(element, steps[i].kind) || !solver_tests(solver, steps[i].cause)) continue;
    const change_t change = {.cause = steps[i].cause,
                             .key = steps[i].words,
                             .instance = instance,
                             .sources = steps[i].sources,
                             .tried = 2};
    change_test(solver, &change, steps[i].words, found);
  }
}
