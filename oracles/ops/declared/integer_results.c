/* SPDX-License-Identifier: Apache-2.0 */
/* What conforms of an integer or boolean result: the set that the enclosed evaluator gives for it,
 * which is one number unless floats decide it (theory.md, T154). */
#include "oracles/ops/declared/integer_results.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "oracles/composite/parts.h"
#include "oracles/formula/fast/fast_evaluator.h"
#include "oracles/formula/integers/integer_set.h"
#include "oracles/ops/declared/declared.h"

static uint32_t float_count(const oracle_call_t *call) {
  return declared_of(&call->instance->program)->float_result_count;
}

/* The same case without its results of integers, as a composite op knows it. */
static case_t case_of_floats(const oracle_call_t *call) {
  case_t floats = *call->instance;
  floats.program.result_count = float_count(call);
  return floats;
}

static oracle_call_t call_about_floats(const oracle_call_t *call, const case_t *floats) {
  oracle_call_t of_floats = *call;
  of_floats.instance = floats;
  return of_floats;
}

/* ---- Fast side ------------------------------------------------------------------------------- */

typedef struct patterns {
  uint64_t *bits;
  uint8_t *decide;
} patterns_t;

static patterns_t make_patterns(const oracle_call_t *call, uint32_t result, accept_t *out_accept) {
  size_t count = type_component_count(&call->instance->program.results[result]);
  patterns_t made = {ARENA_NEW_ARRAY(call->arena, uint64_t, MAX(count, 1)),
                     ARENA_NEW_ARRAY(call->arena, uint8_t, MAX(count, 1))};
  memset(made.bits, 0, count * sizeof *made.bits);
  memset(made.decide, 1, count);
  *out_accept = (accept_t){.count = count, .bits = made.bits, .decide = made.decide};
  return made;
}

/* Those numbers of a part that are known. */
static void accept_part(const problem_t *problem, const part_t *part, const variant_t *variant,
                        uint32_t first, const patterns_t *patterns) {
  const fast_settings_t settings = {
      .kernels = fast_kernels_best(variant->format),
      .is_unbounded = problem->formulas[variant->formula].is_unbounded};
  const evaluation_t fast = {.evaluator = &fast_evaluator, .settings = &settings};
  row_t rows[CASE_RESULTS_MAX];
  problem_evaluate(problem, part, variant, &fast, rows);
  const program_t *program = &problem->instance->program;
  for (uint32_t r = first; r < program->result_count; r++) {
    for (size_t i = 0; i < part_result_count(problem, part, r); i++) {
      const integer_set_t *set = &rows[r].integers[rows[r].count == 1 ? 0 : i];
      size_t element = part_result_element(problem, part, r, i);
      if (!integer_set_is_point(set)) continue;
      patterns[r].bits[element] = integer_to_pattern(program->results[r].element, set->low);
      patterns[r].decide[element] = 0;
    }
  }
}

status_t declared_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  const program_t *program = &call->instance->program;
  uint32_t first = float_count(call);
  case_t floats = case_of_floats(call);
  const oracle_call_t of_floats = call_about_floats(call, &floats);
  if (first > 0) STATUS_TRY(composite_accept(&of_floats, out_accepts));
  patterns_t patterns[CASE_RESULTS_MAX];
  for (uint32_t r = first; r < program->result_count; r++) {
    patterns[r] = make_patterns(call, r, &out_accepts[r]);
  }
  problem_t problem = problem_make(call->instance, call->contract, call->arena);
  variant_t variants[VARIANTS_MAX];
  problem_variants(&problem, variants);
  for (size_t group = 0; group < problem.layout.group_count; group++) {
    if (!problem_has_fast_shared(&variants[0])) break;
    arena_mark_t mark = arena_mark(call->arena);
    part_t part = problem_part(&problem, group);
    accept_part(&problem, &part, &variants[0], first, patterns);
    arena_rewind(call->arena, mark);
  }
  return STATUS_OK;
}

/* ---- Exact side ------------------------------------------------------------------------------ */

static void print_integer(integer_t value, char *out_text, size_t size) {
  if (value < 0) {
    snprintf(out_text, size, "%lld", (long long)value);
  } else {
    snprintf(out_text, size, "%llu", (unsigned long long)value);
  }
}

static void print_set(const element_t *element, const integer_set_t *set, answer_t *answer) {
  const integer_set_t all = integer_set_everything(element);
  char low[32], high[32];
  print_integer(set->low, low, sizeof low);
  print_integer(set->high, high, sizeof high);
  if (set->low == all.low && set->high == all.high) {
    snprintf(answer->expected, sizeof answer->expected, "any %s", element->name);
  } else if (integer_set_is_point(set)) {
    snprintf(answer->expected, sizeof answer->expected, "%s", low);
  } else {
    snprintf(answer->expected, sizeof answer->expected, "%s .. %s", low, high);
  }
}

status_t declared_decide(const oracle_call_t *call, uint32_t result, size_t component,
                         answer_t *out_answer) {
  case_t floats = case_of_floats(call);
  const oracle_call_t of_floats = call_about_floats(call, &floats);
  if (result < float_count(call))
    return composite_decide(&of_floats, result, component, out_answer);
  problem_t problem = problem_make(call->instance, call->contract, call->arena);
  const element_t *element = call->instance->program.results[result].element;
  size_t place;
  part_t part = problem_part_of(&problem, result, component, &place);
  uint64_t bits = element_load(element, call->results[result].data, component);
  integer_t value = integer_from_pattern(element, bits);
  const quantization_t *stored = call->instance->program.results[result].quantization;
  integer_set_t all = integer_set_everything(element);
  if (stored != NULL) all = (integer_set_t){stored->storage_min, stored->storage_max};
  variant_t variants[VARIANTS_MAX];
  size_t count = problem_variants(&problem, variants);
  answer_t answer = {0};
  for (size_t i = 0; i < count && !answer.conforms; i++) {
    row_t rows[CASE_RESULTS_MAX];
    problem_recall(&problem, &part, &variants[i], false, call->memo, rows);
    const row_t *row = &rows[result];
    const integer_set_t *set = &row->integers[row->count == 1 ? 0 : place];
    if (i == 0) print_set(element, set, &answer);
    answer.conforms = set->low <= value && value <= set->high;
    answer.is_vacuous = answer.conforms && set->low <= all.low && set->high >= all.high;
  }
  *out_answer = answer;
  return STATUS_OK;
}

status_t declared_find_formula(const oracle_call_t *call, const accept_t *accepts,
                               uint8_t *out_formula, bool *out_found) {
  case_t floats = case_of_floats(call);
  const oracle_call_t of_floats = call_about_floats(call, &floats);
  if (floats.program.result_count == 0) return STATUS_UNSUPPORTED;
  return composite_find_formula(&of_floats, accepts, out_formula, out_found);
}
