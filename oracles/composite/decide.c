/* SPDX-License-Identifier: Apache-2.0 */
/* The last word on one component of a composite op, and which of its formulas holds all of them. */
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "oracles/composite/norm_reading.h"
#include "oracles/composite/parts.h"
#include "oracles/formula/enclosed.h"
#include "oracles/formula/fast/fast_evaluator.h"
#include "oracles/formula/integers/integer_set.h"

/* ---- Remembering ----------------------------------------------------------------------------- */

/* The rows that a part gave. */
typedef struct memo_entry {
  const struct memo_entry *next;
  part_t part;
  variant_t variant;
  bool is_exact;
  contract_t contract; /* Of what is exact only how norms are read. */
  row_t rows[CASE_RESULTS_MAX];
} memo_entry_t;

/* Entries by the place of their part: of short rows there are many. */
enum { MEMO_CHAINS = 4096 };
typedef struct memo_table {
  const composite_layout_t *layout; /* Of the case; NULL: nobody asked for it. */
  const memo_entry_t *chains[MEMO_CHAINS];
} memo_table_t;

static memo_table_t *table_of(decision_memo_t *memo) {
  if (memo->entries == NULL) {
    memo->entries = arena_alloc_zeroed(&memo->arena, sizeof(memo_table_t));
  }
  return (memo_table_t *)memo->entries;
}

problem_t problem_of_call(const oracle_call_t *call) {
  if (call->memo == NULL) return problem_make(call->instance, call->contract, call->arena);
  memo_table_t *table = table_of(call->memo);
  if (table->layout == NULL) {
    composite_layout_t *layout = ARENA_NEW_ARRAY(&call->memo->arena, composite_layout_t, 1);
    *layout = problem_layout(call->instance, &call->memo->arena);
    table->layout = layout;
  }
  return problem_make_with(call->instance, call->contract, table->layout, call->arena);
}

static const memo_entry_t **chain_of(decision_memo_t *memo, const part_t *part) {
  return &table_of(memo)->chains[(part->group + part->first) % MEMO_CHAINS];
}

static const memo_entry_t *recall(decision_memo_t *memo, const problem_t *problem,
                                  const part_t *part, const variant_t *variant, bool is_exact) {
  const memo_entry_t *entry = *chain_of(memo, part);
  for (; entry != NULL; entry = entry->next) {
    bool is_same_part = entry->part.group == part->group && entry->part.first == part->first;
    if (!is_same_part || entry->is_exact != is_exact) continue;
    if (!variant_equal(&entry->variant, variant)) continue;
    bool is_same_contract = memcmp(&entry->contract, problem->contract, sizeof(contract_t)) == 0;
    if (is_exact && norm_reads_alike(&entry->contract, problem->contract)) break;
    if (is_same_contract) break;
  }
  return entry;
}

/* Whether a part has one number, about which nobody asks twice: to keep it costs more. */
static bool is_lone(const problem_t *problem, const part_t *part) {
  size_t numbers = 0;
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    numbers += part_result_count(problem, part, r);
  }
  return numbers == 1 && part->count == 1;
}

/* Rows of results without the other numbers of their formula.  A declared op has rows of integers
 * behind those that it was asked about (declared_evaluate()). */
static void keep_rows(const program_t *program, arena_t *arena, row_t inout_rows[]) {
  for (uint32_t r = 0; r < CASE_RESULTS_MAX; r++) {
    row_t *row = &inout_rows[r];
    if (row->count == 0) continue;
    if (r < program->result_count && program->results[r].element->format != NULL) {
      *row = enclosed_keep(arena, *row);
      continue;
    }
    integer_set_t *sets = ARENA_NEW_ARRAY(arena, integer_set_t, row->count);
    memcpy(sets, row->integers, row->count * sizeof *sets);
    row->integers = sets;
  }
}

void problem_recall(const problem_t *problem, const part_t *part, const variant_t *variant,
                    bool is_exact, decision_memo_t *memo, row_t rows[CASE_RESULTS_MAX]) {
  if (is_lone(problem, part)) memo = NULL;
  const enclosing_t settings = {
      .is_exact = is_exact,
      .is_unbounded = problem->formulas[variant->formula].is_unbounded && !is_exact};
  const memo_entry_t *known = memo == NULL ? NULL : recall(memo, problem, part, variant, is_exact);
  if (known == NULL) {
    const evaluation_t enclosing = {.evaluator = &enclosed_evaluator, .settings = &settings};
    arena_mark_t mark = arena_mark(problem->arena);
    memset(rows, 0, CASE_RESULTS_MAX * sizeof *rows);
    problem_evaluate(problem, part, variant, &enclosing, rows);
    if (memo == NULL) return;
    keep_rows(&problem->instance->program, &memo->arena, rows);
    arena_rewind(problem->arena, mark);
    memo_entry_t *entry = ARENA_NEW_ARRAY(&memo->arena, memo_entry_t, 1);
    const memo_entry_t **chain = chain_of(memo, part);
    *entry = (memo_entry_t){*chain, *part, *variant, is_exact, *problem->contract, {{0}}};
    memcpy(entry->rows, rows, sizeof entry->rows);
    *chain = entry;
    return;
  }
  memcpy(rows, known->rows, sizeof known->rows);
}

/* One number that was given as a result, about which there is a question. */
typedef struct given_number {
  const part_t *part;
  uint32_t result;
  size_t place; /* Among the part's numbers of that result. */
  const format_t *format;
  uint64_t bits;
} given_number_t;

/* The set of the number under one variant. */
static value_range_t range_of(const problem_t *problem, const given_number_t *number,
                              const variant_t *variant, decision_memo_t *memo) {
  row_t rows[CASE_RESULTS_MAX];
  problem_recall(problem, number->part, variant, false, memo, rows);
  return problem_finish(problem, number->part, variant, rows, number->result, number->place);
}

/* ---- Describing ------------------------------------------------------------------------------ */

/* What the component conforms by, where it is not the first of the variants. */
static void describe_variant(const problem_t *problem, const variant_t *variant, size_t index,
                             answer_t *answer) {
  const char *permission = problem->instance->program.op->formulas;
  if (index == 0) return;
  if (variant->formula > 0) {
    snprintf(answer->observed, sizeof answer->observed, "%s=%s", permission,
             contract_spelling(permission, variant->formula));
  } else if (variant->rounds_normal) {
    snprintf(answer->observed, sizeof answer->observed, "normalized=rounded");
  } else if (variant->is_native) {
    snprintf(answer->observed, sizeof answer->observed, "intermediate=native");
  } else {
    snprintf(answer->observed, sizeof answer->observed, "epsilon=rounded");
  }
}

static bool is_everything(const value_range_t *range, const format_t *format) {
  double largest = format_to_double(format, format->largest_bits);
  return range->low <= -largest && range->high >= largest;
}

/* The permitted error on the side where it is larger. */
static void set_error(mpfr_ptr out, const value_range_t *range, mpfr_srcptr reference) {
  mpfr_t other;
  mpfr_init2(other, ENCLOSED_PRECISION);
  mpfr_sub_d(out, reference, range->low, MPFR_RNDU);
  mpfr_d_sub(other, range->high, reference, MPFR_RNDU);
  mpfr_max(out, out, other, MPFR_RNDU);
  if (mpfr_sgn(out) < 0) mpfr_set_zero(out, 1);
  mpfr_clear(other);
}

static void measure(const problem_t *problem, const given_number_t *number,
                    const variant_t *variant, const value_range_t *range, decision_memo_t *memo,
                    answer_t *answer) {
  row_t rows[CASE_RESULTS_MAX];
  problem_recall(problem, number->part, variant, true, memo, rows);
  const row_t *row = &rows[number->result];
  const enclosed_t *exact = &row->enclosed[row->count == 1 ? 0 : number->place];
  bool is_known = exact->has_finite && mpfr_number_p(exact->low) && mpfr_number_p(exact->high);
  if (!is_known || range->low > range->high) return;
  mpfr_t error, magnitude;
  mpfr_inits2(ENCLOSED_PRECISION, error, magnitude, (mpfr_ptr)0);
  set_error(error, range, exact->low);
  mpfr_abs(magnitude, exact->low, MPFR_RNDU);
  answer_measure(answer, number->format, number->bits, exact->low, error, magnitude);
  answer->backward_error = 0; /* There are no terms that it could be an error of. */
  mpfr_clears(error, magnitude, (mpfr_ptr)0);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

status_t composite_decide(const oracle_call_t *call, uint32_t result, size_t component,
                          answer_t *out_answer) {
  problem_t problem = problem_of_call(call);
  const element_t *element = call->instance->program.results[result].element;
  given_number_t number = {.result = result, .format = element->format};
  number.bits = element_load(element, call->results[result].data, component);
  part_t part = problem_part_of(&problem, result, component, &number.place);
  number.part = &part;
  variant_t variants[VARIANTS_MAX];
  size_t count = problem_variants(&problem, variants);
  answer_t answer = {0};
  value_range_t range = {0}, first = {0};
  for (size_t tried = 0; tried < count && !answer.conforms; tried++) {
    size_t i = call->is_any_way ? count - 1 - tried : tried; /* The loosest is the last. */
    range = range_of(&problem, &number, &variants[i], call->memo);
    if (i == 0) first = range;
    answer.conforms = value_range_holds(&range, number.format, number.bits,
                                        PERMITTED(call->contract, zero_sign) == ZERO_SIGN_ANY);
    if (!answer.conforms) continue;
    answer.is_vacuous = is_everything(&range, number.format);
    answer.is_running = problem.formulas[variants[i].formula].is_running;
    describe_variant(&problem, &variants[i], i, &answer);
  }
  bool has_number = first.low <= first.high;
  bool has_infinity = first.positive_infinity || first.negative_infinity;
  answer.nan_expected = first.nan && !has_number && !has_infinity;
  answer.infinity_expected = has_infinity && !has_number && !first.nan;
  value_range_print(&first, answer.expected, sizeof answer.expected);
  if (!call->is_unmeasured) measure(&problem, &number, &variants[0], &range, call->memo, &answer);
  *out_answer = answer;
  return STATUS_OK;
}

status_t composite_ranges(const oracle_call_t *call, uint32_t result, component_span_t span,
                          accepted_ranges_t *out_ranges) {
  const problem_t problem = problem_of_call(call);
  variant_t variants[VARIANTS_MAX];
  const size_t count = problem_variants(&problem, variants);
  for (size_t i = 0; i < span.count; i++) {
    given_number_t number = {.result = result};
    part_t part = problem_part_of(&problem, result, span.first + i, &number.place);
    number.part = &part;
    out_ranges[i] = accepted_ranges_make(call->contract);
    arena_mark_t mark = arena_mark(call->arena);
    for (size_t k = 0; k < count && out_ranges[i].is_known; k++) {
      value_range_t range = range_of(&problem, &number, &variants[k], call->memo);
      accepted_ranges_add(&out_ranges[i], &range);
    }
    arena_rewind(call->arena, mark);
  }
  return STATUS_OK;
}

/* ---- Which formula --------------------------------------------------------------------------- */

static uint64_t bits_of(const problem_t *problem, const part_t *part, const tensor_t *results,
                        uint32_t result, size_t place) {
  size_t element = part_result_element(problem, part, result, place);
  return element_load(results[result].type.element, results[result].data, element);
}

/* Marks the numbers of a part that are in the first interval of the fast accept set or among its
 * specials, which are those of formula 0; returns whether those are all. */
static bool hold_accepted(const problem_t *problem, const part_t *part, const accept_t *accepts,
                          const tensor_t *results, bool *is_held[CASE_RESULTS_MAX]) {
  bool holds_all = true;
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    const accept_t *accept = &accepts[r];
    const format_t *format = results[r].type.element->format;
    for (size_t i = 0; i < part_result_count(problem, part, r); i++) {
      size_t element = part_result_element(problem, part, r, i);
      uint64_t bits = bits_of(problem, part, results, r, i);
      double value = format_to_double(format, bits);
      bool is_negative_zero = value == 0 && signbit(value) != 0;
      bool is_inside =
          !is_negative_zero && accept->low[element] <= value && value <= accept->high[element];
      is_held[r][i] = accept->decide[element] == 0 &&
                      (is_inside || accept_special_holds(accept, format, element, bits));
      holds_all &= is_held[r][i];
    }
  }
  return holds_all;
}

/* Marks the numbers of a part that the fast evaluator holds; returns whether those are all. */
static bool hold_fast(const problem_t *problem, const part_t *part, const variant_t *variant,
                      const tensor_t *results, bool *is_held[CASE_RESULTS_MAX]) {
  fast_row_t rows[CASE_RESULTS_MAX];
  problem_evaluate_fast(problem, part, variant, 1, NULL, rows);
  bool holds_all = true;
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    const format_t *format = results[r].type.element->format;
    for (size_t i = 0; i < part_result_count(problem, part, r); i++) {
      size_t n = rows[r].count == 1 ? 0 : i;
      double value = format_to_double(format, bits_of(problem, part, results, r, i));
      is_held[r][i] |= value != 0 && rows[r].low[n] <= value && value <= rows[r].high[n];
      holds_all &= is_held[r][i];
    }
  }
  return holds_all;
}

/* The variants of one formula. */
typedef struct formula_variants {
  size_t count;
  variant_t variants[VARIANTS_MAX];
} formula_variants_t;

/* Whether one of the variants holds a number. */
static bool holds_number(const problem_t *problem, const given_number_t *number,
                         const formula_variants_t *of_formula, decision_memo_t *memo) {
  bool any_zero = PERMITTED(problem->contract, zero_sign) == ZERO_SIGN_ANY;
  for (size_t i = 0; i < of_formula->count; i++) {
    value_range_t range = range_of(problem, number, &of_formula->variants[i], memo);
    if (value_range_holds(&range, number->format, number->bits, any_zero)) return true;
  }
  return false;
}

/* Of numbers that nobody judges it is not asked which formula gave them. */
static bool hold_left_out(const problem_t *problem, const part_t *part, const accept_t *accepts,
                          bool *is_held[CASE_RESULTS_MAX]) {
  bool holds_all = true;
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    const accept_t *accept = &accepts[r];
    for (size_t i = 0; i < part_result_count(problem, part, r); i++) {
      size_t element = part_result_element(problem, part, r, i);
      is_held[r][i] |= accept->leaves_out && accept->sampled[element] == 0;
      holds_all &= is_held[r][i];
    }
  }
  return holds_all;
}

/* `accepts` are the fast accept sets of the case or NULL, and those of these variants if the
 * formula is the first. */
static bool holds_part(const problem_t *problem, const part_t *part,
                       const formula_variants_t *of_formula, const accept_t *accepts,
                       const tensor_t *results, decision_memo_t *memo) {
  const uint32_t result_count = problem->instance->program.result_count;
  bool *is_held[CASE_RESULTS_MAX];
  for (uint32_t r = 0; r < result_count; r++) {
    is_held[r] = arena_alloc_zeroed(problem->arena, part_result_count(problem, part, r));
  }
  if (accepts != NULL) {
    bool is_first = of_formula->variants[0].formula == 0;
    if (is_first && hold_accepted(problem, part, accepts, results, is_held)) return true;
    if (hold_left_out(problem, part, accepts, is_held)) return true;
  }
  for (size_t i = 0; i < of_formula->count; i++) {
    const variant_t *variant = &of_formula->variants[i];
    if (!problem_has_fast(variant)) continue;
    if (hold_fast(problem, part, variant, results, is_held)) return true;
  }
  for (uint32_t r = 0; r < result_count; r++) {
    for (size_t i = 0; i < part_result_count(problem, part, r); i++) {
      if (is_held[r][i]) continue;
      bool is_alone = problem->layout.is_elementwise;
      part_t one = is_alone ? (part_t){part->group, part->first + i, 1, NULL} : *part;
      size_t place = is_alone ? 0 : i;
      decision_memo_t *of_part = is_alone ? NULL : memo; /* Nobody asks about that element again. */
      given_number_t number = {.part = &one,
                               .result = r,
                               .place = place,
                               .format = results[r].type.element->format,
                               .bits = bits_of(problem, &one, results, r, place)};
      if (!holds_number(problem, &number, of_formula, of_part)) return false;
    }
  }
  return true;
}

static bool holds_all(const problem_t *problem, uint8_t formula, const accept_t *accepts,
                      const tensor_t *results) {
  formula_variants_t of_formula;
  of_formula.count = problem_variants_of(problem, formula, of_formula.variants);
  for (size_t group = 0; group < problem->layout.group_count; group++) {
    arena_mark_t mark = arena_mark(problem->arena);
    decision_memo_t memo;
    decision_memo_init(&memo);
    part_t part = problem_part(problem, group);
    bool holds = holds_part(problem, &part, &of_formula, accepts, results, &memo);
    decision_memo_deinit(&memo);
    arena_rewind(problem->arena, mark);
    if (!holds) return false;
  }
  return true;
}

status_t composite_find_formula(const oracle_call_t *call, const accept_t *accepts,
                                uint8_t *out_formula, bool *out_found) {
  problem_t problem = problem_make(call->instance, call->contract, call->arena);
  *out_found = false;
  for (uint8_t formula = 0; formula < problem_formula_count(&problem); formula++) {
    if (!holds_all(&problem, formula, accepts, call->results)) continue;
    *out_formula = formula;
    *out_found = true;
    break;
  }
  return STATUS_OK;
}
