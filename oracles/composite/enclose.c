/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of composite ops: the enclosed evaluator with operands that are intervals (theory.md,
 * T172). Elements that share a row are then as far from one another as their steps make them,
 * without what they have in common: a box is right, and wider than need be. */
#include "oracles/composite/parts.h"
#include "oracles/formula/formula_box.h"

/* Operands of which only the types matter: problem_t.boxes has the numbers. */
static case_t make_instance(const enclosure_call_t *call) {
  case_t instance = {.program = *call->program};
  for (uint32_t i = 0; i < call->program->operand_count; i++) {
    const type_t *type = &call->program->operands[i];
    size_t size = type_bytes(type);
    uint8_t *data = ARENA_NEW_ARRAY(call->arena, uint8_t, MAX(size, 1));
    memset(data, 0, size);
    instance.operands[i] = (tensor_t){.type = *type, .data = data};
  }
  return instance;
}

/* An infinity is in a box only as an end, and NaN in the whole line alone. */
static void set_box(box_t box, enclosed_t *out) {
  out->has_finite = box.low < INFINITY && box.high > -INFINITY;
  out->specials = 0;
  if (box.low == -INFINITY) out->specials |= ENCLOSED_NEGATIVE_INFINITY;
  if (box.high == INFINITY) out->specials |= ENCLOSED_POSITIVE_INFINITY;
  if (box_is_whole_line(box)) out->specials |= ENCLOSED_NAN;
  if (box.low <= 0 && box.high >= 0) {
    out->specials |= ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
  }
  if (!out->has_finite) return;
  mpfr_set_d(out->low, box.low, MPFR_RNDD);
  mpfr_set_d(out->high, box.high, MPFR_RNDU);
}

void problem_widen_to_boxes(const problem_t *problem, uint32_t operand, const size_t *elements,
                            const format_t *format, row_t *inout_row) {
  bool may_flush = PERMITTED(problem->contract, ftz) == FTZ_INPUTS ||
                   PERMITTED(problem->contract, ftz) == FTZ_BOTH;
  for (size_t i = 0; i < inout_row->count; i++) {
    box_t box = problem->boxes[operand][elements[i]];
    if (may_flush) box = box_flush(box, format);
    set_box(box, &inout_row->enclosed[i]);
  }
}

/* What a set holds, without the sign of zero: the whole line if that may be no number. */
static box_t box_of_set(const enclosed_t *set) {
  const uint8_t beyond = ENCLOSED_NAN | ENCLOSED_POSITIVE_INFINITY | ENCLOSED_NEGATIVE_INFINITY;
  if ((set->specials & beyond) != 0) return box_whole_line();
  box_t box = {INFINITY, -INFINITY};
  if (set->has_finite) {
    box = (box_t){mpfr_get_d(set->low, MPFR_RNDD), mpfr_get_d(set->high, MPFR_RNDU)};
  }
  if (set->specials != 0) box = box_unite(box, box_point(0)); /* Zeros. */
  return box.low <= box.high && box_is_finite(box) ? box : box_whole_line();
}

static box_t box_of_range(const value_range_t *range) {
  if (range->nan || range->positive_infinity || range->negative_infinity) return box_whole_line();
  box_t box = {range->low, range->high};
  if (range->positive_zero || range->negative_zero) {
    box = box.low <= box.high ? box_unite(box, box_point(0)) : box_point(0);
  }
  return box.low <= box.high && box_is_finite(box) ? box : box_whole_line();
}

static void evaluate(const problem_t *problem, const part_t *part, const variant_t *variant,
                     bool is_exact, row_t rows[CASE_RESULTS_MAX]) {
  const element_t *element = problem->instance->program.operands[0].element;
  const enclosing_t settings = {
      .is_exact = is_exact,
      .stored = problem->are_stored ? element->format : NULL,
      .is_unbounded = problem->formulas[variant->formula].is_unbounded && !is_exact};
  const evaluation_t enclosing = {.evaluator = &enclosed_evaluator, .settings = &settings};
  problem_evaluate(problem, part, variant, &enclosing, rows);
}

static void enclose_exactly(const problem_t *problem, size_t group, const variant_t *variant,
                            box_t *const out_results[CASE_RESULTS_MAX]) {
  part_t part = problem_part(problem, group);
  row_t rows[CASE_RESULTS_MAX];
  evaluate(problem, &part, variant, true, rows);
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    size_t count = part_result_count(problem, &part, r);
    for (size_t i = 0; i < count; i++) {
      const enclosed_t *set = &rows[r].enclosed[rows[r].count == 1 ? 0 : i];
      out_results[r][part_result_element(problem, &part, r, i)] = box_of_set(set);
    }
  }
}

/* Adds to the results of a group what one variant gives; `is_first`: sets them. */
static void add_variant(const problem_t *problem, size_t group, const variant_t *variant,
                        bool is_first, box_t *const out_results[CASE_RESULTS_MAX]) {
  part_t part = problem_part(problem, group);
  row_t rows[CASE_RESULTS_MAX];
  evaluate(problem, &part, variant, false, rows);
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    size_t count = part_result_count(problem, &part, r);
    for (size_t i = 0; i < count; i++) {
      box_t *out = &out_results[r][part_result_element(problem, &part, r, i)];
      value_range_t range = problem_finish(problem, &part, variant, rows, r, i);
      const box_t found = box_of_range(&range);
      *out = is_first ? found : box_unite(*out, found);
    }
  }
}

/* theory.md, T172. */
status_t composite_enclose(const enclosure_call_t *call,
                           box_t *const out_results[CASE_RESULTS_MAX]) {
  const case_t instance = make_instance(call);
  const contract_t spec = contract_spec();
  bool is_exact = call->contract == NULL;
  problem_t problem = problem_make(&instance, is_exact ? &spec : call->contract, call->arena);
  problem.boxes = call->operands;
  problem.are_stored = call->are_stored;
  variant_t variants[VARIANTS_MAX];
  size_t count = problem_variants(&problem, variants);
  for (size_t group = 0; group < problem.layout.group_count; group++) {
    arena_t scratch;
    arena_init(&scratch);
    problem.arena = &scratch;
    if (is_exact) enclose_exactly(&problem, group, &variants[0], out_results);
    for (size_t v = 0; !is_exact && v < count; v++) {
      add_variant(&problem, group, &variants[v], v == 0, out_results);
    }
    arena_deinit(&scratch);
  }
  return STATUS_OK;
}
