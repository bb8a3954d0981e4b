/* SPDX-License-Identifier: Apache-2.0 */
/* The fast accept sets of a composite op: by the fast evaluator where it can say something, by
 * the enclosed one where it cannot.  Both take the first variant of the program; of the others the
 * fast one adds the last that it knows, which is the loosest, and the rest is asked. */
#include <math.h>
#include <string.h>

#include "oracles/audit.h"
#include "oracles/composite/parts.h"
#include "oracles/composite/repeats.h"
#include "oracles/composite/store/fast_store.h"
#include "oracles/formula/enclosed.h"
#include "oracles/sample.h"

/* One result's accept set. */
typedef struct result_sets {
  const format_t *format;
  double smallest; /* Number of the format. */
  set_arrays_t arrays;
  const uint8_t *chosen; /* NULL, or nonzero for the components to be known exactly. */
} result_sets_t;

static result_sets_t make_sets(const program_t *program, uint32_t result, bool has_others,
                               arena_t *arena, accept_t *out_accept) {
  size_t count = type_component_count(&program->results[result]);
  const format_t *format = program->results[result].element->format;
  const set_arrays_t arrays = {
      .low = ARENA_NEW_ARRAY(arena, double, count),
      .high = ARENA_NEW_ARRAY(arena, double, count),
      .other_low = has_others ? ARENA_NEW_ARRAY(arena, double, count) : NULL,
      .other_high = has_others ? ARENA_NEW_ARRAY(arena, double, count) : NULL,
      .reference = ARENA_NEW_ARRAY(arena, double, count),
      .tail = ARENA_NEW_ARRAY(arena, double, count),
      .magnitude = ARENA_NEW_ARRAY(arena, double, count),
      .specials = ARENA_NEW_ARRAY(arena, uint8_t, count),
      .decide = ARENA_NEW_ARRAY(arena, uint8_t, count)};
  *out_accept = (accept_t){.count = count,
                           .low = arrays.low,
                           .high = arrays.high,
                           .other_low = arrays.other_low,
                           .other_high = arrays.other_high,
                           .reference = arrays.reference,
                           .reference_tail = arrays.tail,
                           .magnitude = arrays.magnitude,
                           .bound_factor = 1,
                           .measures_inside = true,
                           .specials = arrays.specials,
                           .decide = arrays.decide};
  return (result_sets_t){.format = format,
                         .smallest = ldexp(1, format->exponent_min - format->precision + 1),
                         .arrays = arrays};
}

/* ---- Fast side ------------------------------------------------------------------------------- */

/* The arrays from component `component` on. */
static set_arrays_t arrays_from(const set_arrays_t *arrays, size_t component) {
  bool has_others = arrays->other_low != NULL;
  return (set_arrays_t){.low = arrays->low + component,
                        .high = arrays->high + component,
                        .other_low = has_others ? arrays->other_low + component : NULL,
                        .other_high = has_others ? arrays->other_high + component : NULL,
                        .reference = arrays->reference + component,
                        .tail = arrays->tail + component,
                        .magnitude = arrays->magnitude + component,
                        .specials = arrays->specials + component,
                        .decide = arrays->decide + component};
}

static void store_row(const fast_row_t *row, size_t first, size_t count, size_t component,
                      bool is_first, const result_sets_t *sets) {
  const fast_store_t *store = fast_store_best();
  const set_arrays_t out = arrays_from(&sets->arrays, component);
  if (is_first) {
    store->first(row, first, count, &out);
  } else {
    store->other(row, first, count, sets->smallest, &out);
  }
}

/* Some groups one after the other. */
typedef struct span {
  part_t first;
  size_t count;
} span_t;

/* What the first variant permits of some groups, or what a further one permits beside it, of one
 * result. */
static void store_result(const problem_t *problem, const span_t *groups, uint32_t result,
                         const fast_row_t *row, bool is_first, const result_sets_t *sets) {
  const composite_role_t role = problem->composite->result_roles[result];
  const size_t count = part_result_count(problem, &groups->first, result);
  if (count == 0) return;
  bool is_element = role == COMPOSITE_ELEMENT &&
                    problem_are_adjacent(problem, groups->first.group, groups->count);
  if (row->count == count && (is_element || role == COMPOSITE_GROUP)) {
    size_t element = part_result_element(problem, &groups->first, result, 0);
    store_row(row, 0, groups->count * count, element, is_first, sets);
    return;
  }
  part_t part = groups->first;
  for (size_t g = 0; g < groups->count; g++, part.group++) {
    for (size_t i = 0; i < count; i++) {
      size_t n = g * row->count + (row->count == 1 ? 0 : i);
      store_row(row, n, 1, part_result_element(problem, &part, result, i), is_first, sets);
    }
  }
}

static void store_results(const problem_t *problem, const span_t *groups, const fast_row_t *rows,
                          bool is_first, const result_sets_t *sets) {
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    store_result(problem, groups, r, &rows[r], is_first, &sets[r]);
  }
}

/* Whether two variants are one formula, but for whether its steps overflow and underflow. */
static bool are_alike(const problem_t *problem, const variant_t *a, const variant_t *b) {
  return problem->formulas[a->formula].evaluate == problem->formulas[b->formula].evaluate &&
         a->format == b->format && a->rounds_epsilon == b->rounds_epsilon &&
         a->rounds_normal == b->rounds_normal;
}

static void accept_groups_fast(const problem_t *problem, const span_t *groups,
                               const variant_t *variant, const variant_t *loosest,
                               const result_sets_t *sets) {
  fast_row_t rows[CASE_RESULTS_MAX];
  bool are_of_both =
      problem_evaluate_fast(problem, &groups->first, variant, groups->count, NULL, rows);
  store_results(problem, groups, rows, true, sets);
  if (loosest == variant) return;
  if (!are_of_both || !are_alike(problem, variant, loosest)) {
    problem_evaluate_fast(problem, &groups->first, loosest, groups->count, NULL, rows);
  }
  store_results(problem, groups, rows, false, sets);
}

static void accept_fast(const problem_t *problem, const variant_t *variant,
                        const variant_t *loosest, const result_sets_t *sets) {
  const size_t together = problem_groups_together(problem), count = problem->layout.group_count;
  for (size_t first = 0; first < count; first += together) {
    const span_t groups = {problem_part(problem, first), MIN(together, count - first)};
    arena_mark_t mark = arena_mark(problem->arena);
    accept_groups_fast(problem, &groups, variant, loosest, sets);
    arena_rewind(problem->arena, mark);
  }
}

/* ---- Exact side ------------------------------------------------------------------------------ */

/* The exact value as two doubles; NaN where there is none. */
static void store_reference(const set_arrays_t *sets, size_t element, const enclosed_t *exact) {
  bool is_known = exact->has_finite && mpfr_number_p(exact->low) && mpfr_number_p(exact->high);
  sets->reference[element] = is_known ? mpfr_get_d(exact->low, MPFR_RNDN) : (double)NAN;
  sets->tail[element] = 0;
  if (!is_known || !isfinite(sets->reference[element])) return;
  mpfr_t tail;
  mpfr_init2(tail, ENCLOSED_PRECISION);
  mpfr_sub_d(tail, exact->low, sets->reference[element], MPFR_RNDN);
  sets->tail[element] = mpfr_get_d(tail, MPFR_RNDN);
  mpfr_clear(tail);
}

/* No number of another variant is known. */
static void forget_other(const set_arrays_t *arrays, size_t element) {
  if (arrays->other_low == NULL) return;
  arrays->other_low[element] = 1;
  arrays->other_high[element] = -1;
}

static void store_exact(const result_sets_t *sets, size_t element, const value_range_t *range,
                        const enclosed_t *exact) {
  const set_arrays_t *out = &sets->arrays;
  double low = range->low, high = range->high;
  forget_other(out, element);
  if (low == 0 && !range->positive_zero) low = sets->smallest;
  if (high == 0 && !range->positive_zero) high = -sets->smallest;
  double largest = format_to_double(sets->format, sets->format->largest_bits);
  bool is_everything = low <= -largest && high >= largest;
  out->low[element] = low;
  out->high[element] = high;
  out->specials[element] = (uint8_t)((range->nan ? ACCEPT_NAN : 0) |
                                     (range->positive_infinity ? ACCEPT_POSITIVE_INFINITY : 0) |
                                     (range->negative_infinity ? ACCEPT_NEGATIVE_INFINITY : 0) |
                                     (range->negative_zero ? ACCEPT_NEGATIVE_ZERO : 0));
  out->decide[element] = is_everything; /* Then nothing could have failed: ask() tells. */
  store_reference(out, element, exact);
  double reference = out->reference[element], tail = out->tail[element];
  out->magnitude[element] = fmax((high - reference) - tail, (reference - low) + tail);
}

/* Those numbers of a part that are not known yet. */
static void accept_exactly(const problem_t *problem, const part_t *part, const variant_t *variant,
                           result_sets_t *sets) {
  const enclosing_t settings = {.is_unbounded = problem->formulas[variant->formula].is_unbounded};
  const enclosing_t is_exact = {.is_exact = true};
  const evaluation_t enclosing = {.evaluator = &enclosed_evaluator, .settings = &settings};
  const evaluation_t exactly = {.evaluator = &enclosed_evaluator, .settings = &is_exact};
  row_t results[CASE_RESULTS_MAX], exact[CASE_RESULTS_MAX];
  problem_evaluate(problem, part, variant, &enclosing, results);
  problem_evaluate(problem, part, variant, &exactly, exact);
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    size_t count = part_result_count(problem, part, r);
    for (size_t i = 0; i < count; i++) {
      size_t element = part_result_element(problem, part, r, i);
      if (sets[r].arrays.decide[element] == 0) continue;
      value_range_t range = problem_finish(problem, part, variant, results, r, i);
      store_exact(&sets[r], element, &range, &exact[r].enclosed[exact[r].count == 1 ? 0 : i]);
    }
  }
}

/* Whether all numbers of all results are known. */
static bool are_all_known(const accept_t *accepts, uint32_t result_count) {
  bool is_any = false;
  for (uint32_t r = 0; r < result_count; r++) {
    for (size_t i = 0; i < accepts[r].count; i++) is_any |= accepts[r].decide[i] != 0;
  }
  return !is_any;
}

/* Whether some number of the part is not known and is to be. */
static bool is_asked(const problem_t *problem, const part_t *part, const result_sets_t *sets) {
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    size_t count = part_result_count(problem, part, r);
    for (size_t i = 0; i < count; i++) {
      size_t element = part_result_element(problem, part, r, i);
      bool is_wanted = sets[r].chosen == NULL || sets[r].chosen[element] != 0;
      if (is_wanted && sets[r].arrays.decide[element] != 0) return true;
    }
  }
  return false;
}

/* What is known of one element, for another. */
static void copy_sets(const set_arrays_t *arrays, size_t from, size_t to) {
  arrays->low[to] = arrays->low[from];
  arrays->high[to] = arrays->high[from];
  if (arrays->other_low != NULL) {
    arrays->other_low[to] = arrays->other_low[from];
    arrays->other_high[to] = arrays->other_high[from];
  }
  arrays->reference[to] = arrays->reference[from];
  arrays->tail[to] = arrays->tail[from];
  arrays->magnitude[to] = arrays->magnitude[from];
  arrays->specials[to] = arrays->specials[from];
  arrays->decide[to] = arrays->decide[from];
}

/* Elementwise ops are taken apart, since few of their elements may be unknown, and many of these
 * the same. */
static void accept_element_exactly(const problem_t *problem, const part_t *one,
                                   const variant_t *variant, repeats_t *inout_repeats,
                                   result_sets_t *sets) {
  if (!is_asked(problem, one, sets)) return;
  size_t element = part_result_element(problem, one, 0, 0);
  size_t same = repeats_find(inout_repeats, element);
  if (same == element) {
    accept_exactly(problem, one, variant, sets);
    return;
  }
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    if (sets[r].arrays.decide[element] != 0) copy_sets(&sets[r].arrays, same, element);
  }
}

static void accept_group_exactly(const problem_t *problem, size_t group, const variant_t *variant,
                                 repeats_t *inout_repeats, result_sets_t *sets) {
  part_t part = problem_part(problem, group);
  if (!is_asked(problem, &part, sets)) return;
  if (!problem->layout.is_elementwise) {
    accept_exactly(problem, &part, variant, sets);
    return;
  }
  for (size_t term = 0; term < problem->layout.term_count; term++) {
    part_t one = {group, term, 1, NULL};
    accept_element_exactly(problem, &one, variant, inout_repeats, sets);
  }
}

/* Beside the first variant: the last that the fast evaluator knows, or the first itself. */
static const variant_t *loosest_of(const variant_t *variants, size_t count) {
  while (count > 1 && !problem_has_fast(&variants[count - 1])) count--;
  return &variants[count - 1];
}

static void store_nothing(const set_arrays_t *arrays, size_t element) {
  arrays->low[element] = 1;
  arrays->high[element] = -1;
  forget_other(arrays, element);
  arrays->specials[element] = 0;
  arrays->reference[element] = arrays->tail[element] = arrays->magnitude[element] = (double)NAN;
}

/* Where the fast evaluator left too many numbers unknown, only those of the sample are to be
 * known. */
static void apply_sample(const sample_t *sample, uint32_t result_count, result_sets_t *sets,
                         accept_t *accepts) {
  for (uint32_t r = 0; sample != NULL && r < result_count; r++) {
    if (sample->chosen[r] == NULL) continue;
    size_t unknown = 0;
    for (size_t i = 0; i < accepts[r].count; i++) unknown += sets[r].arrays.decide[i] != 0;
    accepts[r].asked_max = sample->asked_max[r];
    if (unknown <= accept_asked_max(&accepts[r])) continue;
    sets[r].chosen = sample->chosen[r];
    accepts[r].leaves_out = true;
    for (size_t i = 0; i < accepts[r].count; i++) {
      if (sets[r].arrays.decide[i] != 0) store_nothing(&sets[r].arrays, i);
    }
  }
}

status_t composite_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  const program_t *program = &call->instance->program;
  problem_t problem = problem_make(call->instance, call->contract, call->arena);
  variant_t variants[VARIANTS_MAX];
  size_t count = problem_variants(&problem, variants);
  const variant_t *loosest = loosest_of(variants, count);
  if (problem_has_fast(&variants[0])) problem_decode(&problem);
  result_sets_t sets[CASE_RESULTS_MAX];
  for (uint32_t r = 0; r < program->result_count; r++) {
    sets[r] = make_sets(program, r, loosest != &variants[0], call->arena, &out_accepts[r]);
    memset(sets[r].arrays.decide, 1, out_accepts[r].count);
  }
  if (problem_has_fast(&variants[0])) accept_fast(&problem, &variants[0], loosest, sets);
  apply_sample(call->sample, program->result_count, sets, out_accepts);
  if (are_all_known(out_accepts, program->result_count)) return STATUS_OK;
  repeats_t repeats = repeats_make(&problem, out_accepts[0].count);
  for (size_t group = 0; group < problem.layout.group_count; group++) {
    arena_mark_t mark = arena_mark(call->arena);
    accept_group_exactly(&problem, group, &variants[0], &repeats, sets);
    arena_rewind(call->arena, mark);
  }
  return STATUS_OK;
}

size_t composite_siblings(const oracle_call_t *call, uint32_t result, size_t component,
                          const size_t **out_components) {
  problem_t problem = problem_of_call(call);
  size_t place;
  part_t part = problem_part_of(&problem, result, component, &place);
  size_t count = part_result_count(&problem, &part, result);
  size_t *components = ARENA_NEW_ARRAY(call->arena, size_t, count);
  for (size_t i = 0; i < count; i++) {
    components[i] = part_result_element(&problem, &part, result, i);
  }
  *out_components = components;
  return count;
}

status_t composite_audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                         size_t component) {
  const audit_reference_t reference = {.is_known = false};
  return audit_component(oracle_find(call->instance->program.op), call, accepts, result, component,
                         &reference);
}
