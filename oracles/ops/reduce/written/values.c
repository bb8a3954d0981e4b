/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of numbers, patterns and tuples: made, united, compared, told in words. */
#include "oracles/ops/reduce/written/values.h"

#include <inttypes.h>

written_problem_t written_problem_make(const program_t *program, const contract_t *contract,
                                       bool in_f32, arena_t *arena) {
  written_problem_t problem = {.body = &reduce_attributes(program)->reduction.written,
                               .inputs = reduce_input_count(program),
                               .contract = contract,
                               .in_f32 = in_f32,
                               .arena = arena};
  for (uint32_t i = 0; i < problem.inputs; i++) problem.arguments[i] = program->results[i].element;
  bool is_typed = body_find_types(problem.body, problem.arguments, problem.steps);
  g_assert(is_typed); /* Else the program would not be modelled. */
  return problem;
}

formula_t written_formula(const written_problem_t *problem, const element_t *element) {
  bool is_widened = problem->in_f32 && element->bits == 16;
  return (formula_t){.evaluator = &enclosed_evaluator,
                     .settings = &problem->settings,
                     .format = is_widened ? &format_table[FORMAT_f32] : element->format,
                     .contract = problem->contract,
                     .arena = problem->arena};
}

/* ---- Values ---------------------------------------------------------------------------------- */

written_value_t written_value_pattern(uint64_t bits) {
  return (written_value_t){.count = 1, .patterns = {bits}};
}

written_value_t written_value_load(const written_problem_t *problem, const element_t *element,
                                   uint64_t bits) {
  if (element->format == NULL) return written_value_pattern(bits);
  formula_t formula = written_formula(problem, element);
  return (written_value_t){.number = enclosed_load(&formula, element->format, &bits, 1).enclosed};
}

written_value_t written_value_anything(const written_problem_t *problem, const element_t *element) {
  if (element->format == NULL) return (written_value_t){.count = 0};
  enclosed_t *number = enclosed_new(problem->arena, 1);
  enclosed_set_anything(number);
  return (written_value_t){.number = number};
}

bool written_value_is_anything(const written_value_t *value) {
  if (value->number == NULL) return value->count == 0;
  const uint8_t special = ENCLOSED_NAN | ENCLOSED_POSITIVE_INFINITY | ENCLOSED_NEGATIVE_INFINITY;
  return (value->number->specials & special) == special && value->number->has_finite &&
         mpfr_inf_p(value->number->low) && mpfr_inf_p(value->number->high);
}

static bool has_pattern(const written_value_t *value, uint64_t bits) {
  for (uint8_t i = 0; i < value->count; i++) {
    if (value->patterns[i] == bits) return true;
  }
  return value->count == 0;
}

static written_value_t unite_patterns(const written_value_t *a, const written_value_t *b) {
  written_value_t all = *a;
  if (a->count == 0 || b->count == 0) return (written_value_t){.count = 0};
  for (uint8_t i = 0; i < b->count; i++) {
    if (has_pattern(&all, b->patterns[i])) continue;
    if (all.count == WRITTEN_PATTERNS_MAX) return (written_value_t){.count = 0};
    all.patterns[all.count++] = b->patterns[i];
  }
  return all;
}

written_value_t written_value_unite(const written_problem_t *problem, const written_value_t *a,
                                    const written_value_t *b) {
  if (a->number == NULL) return unite_patterns(a, b);
  if (a->number == b->number) return *a;
  enclosed_t *number = enclosed_new(problem->arena, 1);
  enclosed_copy(number, a->number);
  enclosed_unite(number, b->number);
  return (written_value_t){.number = number};
}

static bool number_contains(const enclosed_t *outer, const enclosed_t *inner) {
  if (outer == inner) return true;
  if ((inner->specials & ~outer->specials) != 0) return false;
  if (outer->is_delivered && !inner->is_delivered) return false;
  if (!inner->has_finite) return true;
  bool is_zero = mpfr_zero_p(inner->low) && mpfr_zero_p(inner->high);
  if (!outer->has_finite) return false;
  if (is_zero && enclosed_has_zero(inner)) return true; /* By the flags, which are outer's too. */
  return mpfr_lessequal_p(outer->low, inner->low) && mpfr_lessequal_p(inner->high, outer->high);
}

bool written_value_contains(const written_value_t *outer, const written_value_t *inner) {
  if (outer->number != NULL) return number_contains(outer->number, inner->number);
  if (outer->count == 0) return true;
  if (inner->count == 0) return false;
  for (uint8_t i = 0; i < inner->count; i++) {
    if (!has_pattern(outer, inner->patterns[i])) return false;
  }
  return true;
}

static value_range_t range_of(const written_problem_t *problem, const element_t *element,
                              const written_value_t *value) {
  value_range_t range;
  const formula_t formula = written_formula(problem, element);
  enclosed_finish(&formula, value->number, element->format, &range);
  return range;
}

bool written_value_holds(const written_problem_t *problem, uint32_t result,
                         const written_value_t *value, uint64_t bits) {
  const element_t *element = problem->arguments[result];
  if (element->format == NULL) return has_pattern(value, bits);
  arena_mark_t mark = arena_mark(problem->arena);
  value_range_t range = range_of(problem, element, value);
  arena_rewind(problem->arena, mark);
  bool any_zero = PERMITTED(problem->contract, zero_sign) == ZERO_SIGN_ANY;
  return value_range_holds(&range, element->format, bits, any_zero);
}

void written_value_print(const written_problem_t *problem, uint32_t result,
                         const written_value_t *value, GString *out_text) {
  const element_t *element = problem->arguments[result];
  if (written_value_is_anything(value)) {
    g_string_append(out_text, "anything");
    return;
  }
  if (element->format != NULL) {
    char words[128];
    value_range_t range = range_of(problem, element, value);
    value_range_print(&range, words, sizeof words);
    g_string_append(out_text, words);
    return;
  }
  for (uint8_t i = 0; i < value->count; i++) {
    if (i > 0) g_string_append(out_text, " or ");
    if (element->kind == ELEMENT_SIGNED) {
      g_string_append_printf(out_text, "%" PRId64,
                             element_signed_value(element, value->patterns[i]));
    } else {
      g_string_append_printf(out_text, "%" PRIu64, value->patterns[i]);
    }
  }
}

/* ---- Tuples ---------------------------------------------------------------------------------- */

bool written_tuple_contains(const written_problem_t *problem, const written_tuple_t *outer,
                            const written_tuple_t *inner) {
  for (uint32_t i = 0; i < problem->inputs; i++) {
    if (!written_value_contains(&outer->values[i], &inner->values[i])) return false;
  }
  return true;
}

written_tuple_t written_tuple_unite(const written_problem_t *problem, const written_tuple_t *a,
                                    const written_tuple_t *b) {
  written_tuple_t all;
  for (uint32_t i = 0; i < problem->inputs; i++) {
    all.values[i] = written_value_unite(problem, &a->values[i], &b->values[i]);
  }
  return all;
}

written_tuple_t written_tuple_anything(const written_problem_t *problem) {
  written_tuple_t tuple;
  for (uint32_t i = 0; i < problem->inputs; i++) {
    tuple.values[i] = written_value_anything(problem, problem->arguments[i]);
  }
  return tuple;
}

static void round_end(const format_t *format, rounding_t rounding, mpfr_ptr inout) {
  if (mpfr_inf_p(inout)) return;
  uint64_t bits = format_from_mpfr(format, inout, rounding, OVERFLOW_FORMAT);
  mpfr_set_d(inout, format_to_double(format, bits), MPFR_RNDN);
}

written_tuple_t written_tuple_round_outwards(const written_problem_t *problem,
                                             const written_tuple_t *tuple) {
  written_tuple_t rounded = *tuple;
  for (uint32_t i = 0; i < problem->inputs; i++) {
    if (tuple->values[i].number == NULL || !tuple->values[i].number->has_finite) continue;
    enclosed_t *number = enclosed_new(problem->arena, 1);
    enclosed_copy(number, tuple->values[i].number);
    const format_t *format = written_formula(problem, problem->arguments[i]).format;
    round_end(format, ROUNDING_DOWN, number->low);
    round_end(format, ROUNDING_UP, number->high);
    number->is_delivered = false;
    rounded.values[i].number = number;
  }
  return rounded;
}

bool written_tuple_holds(const written_problem_t *problem, const written_tuple_t *tuple,
                         uint32_t last, const uint64_t bits[CASE_RESULTS_MAX]) {
  for (uint32_t i = 0; i <= last; i++) {
    if (!written_value_holds(problem, i, &tuple->values[i], bits[i])) return false;
  }
  return true;
}

void written_set_make_hull(const written_problem_t *problem, written_set_t *inout) {
  for (size_t i = 1; i < inout->count; i++) {
    inout->items[0] = written_tuple_unite(problem, &inout->items[0], &inout->items[i]);
  }
  inout->count = MIN(inout->count, 1);
  inout->is_hull = true;
}

void written_set_make_anything(const written_problem_t *problem, written_set_t *inout) {
  *inout = (written_set_t){.count = 1, .is_hull = true};
  inout->items[0] = written_tuple_anything(problem);
}

bool written_set_add(const written_problem_t *problem, written_set_t *inout,
                     const written_tuple_t *tuple) {
  for (size_t i = 0; i < inout->count; i++) {
    if (written_tuple_contains(problem, &inout->items[i], tuple)) return false;
  }
  if (inout->count == WRITTEN_SET_MAX) written_set_make_hull(problem, inout);
  if (inout->is_hull && inout->count == 1) {
    inout->items[0] = written_tuple_unite(problem, &inout->items[0], tuple);
  } else {
    inout->items[inout->count++] = *tuple;
  }
  return true;
}
