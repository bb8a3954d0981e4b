/* SPDX-License-Identifier: Apache-2.0 */
/* The fast accept sets of a composite op: by the fast evaluator where it can say something, by
 * the enclosed one where it cannot.  Both take the first variant of the program; of the others the
 * fast one adds the last that it knows, which is the loosest, and the rest is asked. */
#include <math.h>
#include <string.h>

#include "oracles/audit.h"
#include "oracles/composite/parts.h"
#include "oracles/composite/repeats.h"
#include "oracles/formula/enclosed.h"
#include "oracles/formula/fast/fast_evaluator.h"
#include "oracles/sample.h"

/* The arrays of one result's accept set. */
typedef struct result_sets {
  const format_t *format;
  double *low;
  double *high;
  double *other_low;
  double *other_high;
  double *reference;
  double *tail;
  double *magnitude; /* The permitted error. */
  uint8_t *specials;
  uint8_t *decide;
  const uint8_t *chosen; /* NULL, or nonzero for the components to be known exactly. */
} result_sets_t;

static result_sets_t make_sets(const program_t *program, uint32_t result, arena_t *arena,
                               accept_t *out_accept) {
  size_t count = type_component_count(&program->results[result]);
  result_sets_t sets = {.format = program->results[result].element->format,
                        .low = ARENA_NEW_ARRAY(arena, double, count),
                        .high = ARENA_NEW_ARRAY(arena, double, count),
                        .other_low = ARENA_NEW_ARRAY(arena, double, count),
                        .other_high = ARENA_NEW_ARRAY(arena, double, count),
                        .reference = ARENA_NEW_ARRAY(arena, double, count),
                        .tail = ARENA_NEW_ARRAY(arena, double, count),
                        .magnitude = ARENA_NEW_ARRAY(arena, double, count),
                        .specials = ARENA_NEW_ARRAY(arena, uint8_t, count),
                        .decide = ARENA_NEW_ARRAY(arena, uint8_t, count)};
  *out_accept = (accept_t){.count = count,
                           .low = sets.low,
                           .high = sets.high,
                           .other_low = sets.other_low,
                           .other_high = sets.other_high,
                           .reference = sets.reference,
                           .reference_tail = sets.tail,
                           .magnitude = sets.magnitude,
                           .bound_factor = 1,
                           .measures_inside = true,
                           .specials = sets.specials,
                           .decide = sets.decide};
  return sets;
}

/* ---- Fast side ------------------------------------------------------------------------------- */

static bool is_negative_zero(double x) { return x == 0 && signbit(x) != 0; }

/* A zero at an end is left out if it is -0, which the fast set does not hold, and +0 not for sure.
 */
static void leave_out_negative_zero(const format_t *format, double *low, double *high) {
  double smallest = ldexp(1, format->exponent_min - format->precision + 1);
  if (is_negative_zero(*low)) *low = smallest;
  if (is_negative_zero(*high)) *high = -smallest;
}

/* A zero that may be -0 is left to the enclosed evaluator, which knows its sign. */
static void store_fast(result_sets_t *sets, size_t element, const fast_row_t *row, size_t n) {
  double low = row->low[n], high = row->high[n], point = row->point[n];
  double tail = row->tail == NULL ? 0 : row->tail[n];
  bool is_nothing = row->tail != NULL && low == 0 && high == 0;
  if (is_nothing) point = tail = 0; /* To which x* rounds. */
  bool is_known = !isnan(low) && !is_negative_zero(low) && !is_negative_zero(high);
  sets->other_low[element] = 1;
  sets->other_high[element] = -1;
  sets->specials[element] = 0;
  sets->decide[element] = is_known ? 0 : 1;
  if (low == -(double)INFINITY) {
    sets->specials[element] = ACCEPT_NEGATIVE_INFINITY;
    low = 1;
    high = -1;
  }
  sets->low[element] = low;
  sets->high[element] = high;
  sets->reference[element] = point;
  sets->tail[element] = tail;
  sets->magnitude[element] = fmax((high - point) - tail, (point - low) + tail);
}

/* What a further variant permits of a number that the first one told. */
static void store_other(result_sets_t *sets, size_t element, double low, double high) {
  if (sets->decide[element] != 0 || !(low > -(double)INFINITY)) return;
  leave_out_negative_zero(sets->format, &low, &high);
  sets->other_low[element] = low;
  sets->other_high[element] = high;
  double reference = sets->reference[element];
  double tail = sets->tail[element];
  double error = fmax((high - reference) - tail, (reference - low) + tail);
  sets->magnitude[element] = fmax(sets->magnitude[element], error);
}

static void accept_fast(const problem_t *problem, const part_t *part, const variant_t *variant,
                        result_sets_t *sets) {
  fast_row_t rows[CASE_RESULTS_MAX];
  problem_evaluate_fast(problem, part, variant, NULL, rows);
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    const fast_row_t *row = &rows[r];
    size_t count = part_result_count(problem, part, r);
    for (size_t i = 0; i < count; i++) {
      size_t n = row->count == 1 ? 0 : i;
      size_t element = part_result_element(problem, part, r, i);
      store_fast(&sets[r], element, row, n);
    }
  }
}

static void accept_others_fast(const problem_t *problem, const part_t *part,
                               const variant_t *variant, result_sets_t *sets) {
  fast_row_t rows[CASE_RESULTS_MAX];
  problem_evaluate_fast(problem, part, variant, NULL, rows);
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    size_t count = part_result_count(problem, part, r);
    for (size_t i = 0; i < count; i++) {
      size_t n = rows[r].count == 1 ? 0 : i;
      size_t element = part_result_element(problem, part, r, i);
      store_other(&sets[r], element, rows[r].low[n], rows[r].high[n]);
    }
  }
}

/* ---- Exact side ------------------------------------------------------------------------------ */

/* The exact value as two doubles; NaN where there is none. */
static void store_reference(result_sets_t *sets, size_t element, const enclosed_t *exact) {
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

static void store_exact(result_sets_t *sets, size_t element, const value_range_t *range,
                        const enclosed_t *exact) {
  double low = range->low, high = range->high;
  sets->other_low[element] = 1;
  sets->other_high[element] = -1;
  double smallest = ldexp(1, sets->format->exponent_min - sets->format->precision + 1);
  if (low == 0 && !range->positive_zero) low = smallest;
  if (high == 0 && !range->positive_zero) high = -smallest;
  double largest = format_to_double(sets->format, sets->format->largest_bits);
  bool is_everything = low <= -largest && high >= largest;
  sets->low[element] = low;
  sets->high[element] = high;
  sets->specials[element] = (uint8_t)((range->nan ? ACCEPT_NAN : 0) |
                                      (range->positive_infinity ? ACCEPT_POSITIVE_INFINITY : 0) |
                                      (range->negative_infinity ? ACCEPT_NEGATIVE_INFINITY : 0) |
                                      (range->negative_zero ? ACCEPT_NEGATIVE_ZERO : 0));
  sets->decide[element] = is_everything; /* Then nothing could have failed: ask() tells. */
  store_reference(sets, element, exact);
  double reference = sets->reference[element], tail = sets->tail[element];
  sets->magnitude[element] = fmax((high - reference) - tail, (reference - low) + tail);
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
      if (sets[r].decide[element] == 0) continue;
      value_range_t range = problem_finish(problem, part, variant, results, r, i);
      store_exact(&sets[r], element, &range, &exact[r].enclosed[exact[r].count == 1 ? 0 : i]);
    }
  }
}

/* Whether some number of the part is not known and is to be. */
static bool is_asked(const problem_t *problem, const part_t *part, const result_sets_t *sets) {
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    size_t count = part_result_count(problem, part, r);
    for (size_t i = 0; i < count; i++) {
      size_t element = part_result_element(problem, part, r, i);
      bool is_wanted = sets[r].chosen == NULL || sets[r].chosen[element] != 0;
      if (is_wanted && sets[r].decide[element] != 0) return true;
    }
  }
  return false;
}

static void accept_group_fast(const problem_t *problem, size_t group, const variant_t *variant,
                              const variant_t *loosest, result_sets_t *sets) {
  part_t part = problem_part(problem, group);
  accept_fast(problem, &part, variant, sets);
  if (loosest != variant) accept_others_fast(problem, &part, loosest, sets);
}

/* What is known of one element, for another. */
static void copy_sets(result_sets_t *sets, size_t from, size_t to) {
  sets->low[to] = sets->low[from];
  sets->high[to] = sets->high[from];
  sets->other_low[to] = sets->other_low[from];
  sets->other_high[to] = sets->other_high[from];
  sets->reference[to] = sets->reference[from];
  sets->tail[to] = sets->tail[from];
  sets->magnitude[to] = sets->magnitude[from];
  sets->specials[to] = sets->specials[from];
  sets->decide[to] = sets->decide[from];
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
    if (sets[r].decide[element] != 0) copy_sets(&sets[r], same, element);
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

static void store_nothing(result_sets_t *sets, size_t element) {
  sets->low[element] = sets->other_low[element] = 1;
  sets->high[element] = sets->other_high[element] = -1;
  sets->specials[element] = 0;
  sets->reference[element] = sets->tail[element] = sets->magnitude[element] = (double)NAN;
}

/* Where the fast evaluator left too many numbers unknown, only those of the sample are to be
 * known. */
static void apply_sample(const sample_t *sample, uint32_t result_count, result_sets_t *sets,
                         accept_t *accepts) {
  for (uint32_t r = 0; sample != NULL && r < result_count; r++) {
    if (sample->chosen[r] == NULL) continue;
    size_t unknown = 0;
    for (size_t i = 0; i < accepts[r].count; i++) unknown += sets[r].decide[i] != 0;
    accepts[r].asked_max = sample->asked_max[r];
    if (unknown <= accept_asked_max(&accepts[r])) continue;
    sets[r].chosen = sample->chosen[r];
    accepts[r].leaves_out = true;
    for (size_t i = 0; i < accepts[r].count; i++) {
      if (sets[r].decide[i] != 0) store_nothing(&sets[r], i);
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
    sets[r] = make_sets(program, r, call->arena, &out_accepts[r]);
    memset(sets[r].decide, 1, out_accepts[r].count);
  }
  for (size_t group = 0; group < problem.layout.group_count; group++) {
    if (!problem_has_fast(&variants[0])) break;
    arena_mark_t mark = arena_mark(call->arena);
    accept_group_fast(&problem, group, &variants[0], loosest, sets);
    arena_rewind(call->arena, mark);
  }
  apply_sample(call->sample, program->result_count, sets, out_accepts);
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
  problem_t problem = problem_make(call->instance, call->contract, call->arena);
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
