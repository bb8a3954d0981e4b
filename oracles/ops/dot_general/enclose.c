/* SPDX-License-Identifier: Apache-2.0 */
/* Encloses dot_general for float, integer and quantized types: interval products are summed per
 * element, rounded by each permitted plan, and the results of all plans united. */
#include "oracles/ops/dot_general/enclose.h"

#include <math.h>

#include "generated/exact_permissions.h"
#include "oracles/exact/box/quantum.h"
#include "oracles/exact/box/sum.h"
#include "oracles/exact/sum/problem.h"
#include "oracles/ops/dot_general/precisions.h"
#include "oracles/ops/dot_general/quantized/rescale.h"

/* A program with the boxes of its factors. */
typedef struct enclosing {
  const program_t *program;
  const contract_t *contract; /* Or NULL. */
  const dot_general_layout_t *layout;
  const box_t *const *operands; /* As they were given. */
  const box_t *factors[2];      /* What is multiplied: others for every variant. */
  box_t *made_factors[2];       /* Room for them, or NULL. */
  int *grids[2]; /* Of these, by batch and row, and by batch and column: see box_grid(). */
  box_t *kept;   /* See enclosure_call_t; or NULL. */
  arena_t *arena;
} enclosing_t;

/* Factors that are about to be written, in place of those before. */
static box_t *new_factors(enclosing_t *enclosing, int side) {
  if (enclosing->made_factors[side] == NULL) {
    size_t count = type_element_count(&enclosing->program->operands[side]);
    enclosing->made_factors[side] = ARENA_NEW_ARRAY(enclosing->arena, box_t, count);
  }
  enclosing->factors[side] = enclosing->made_factors[side];
  return enclosing->made_factors[side];
}

/* ---- Sums of products ------------------------------------------------------------------------ */

static int grid_of_terms(const box_t *first, const size_t *offsets, size_t count) {
  int grid = BINARY64_NO_BIT;
  for (size_t term = 0; term < count && grid != BOX_GRID_NONE; term++) {
    grid = MIN(grid, box_grid(first[offsets[term]]));
  }
  return grid;
}

/* Of what is multiplied now. */
static void find_grids(const enclosing_t *enclosing) {
  const dot_general_layout_t *layout = enclosing->layout;
  if (layout->term_count == 0) return;
  for (size_t batch = 0; batch < layout->batch_count; batch++) {
    for (size_t row = 0; row < layout->row_count; row++) {
      const box_t *first =
          enclosing->factors[0] + layout->lhs_batch_offset[batch] + layout->lhs_row_offset[row];
      enclosing->grids[0][batch * layout->row_count + row] =
          grid_of_terms(first, layout->lhs_term_offset, layout->term_count);
    }
    for (size_t column = 0; column < layout->column_count; column++) {
      const box_t *first = enclosing->factors[1] + layout->rhs_batch_offset[batch] +
                           layout->rhs_column_offset[column];
      enclosing->grids[1][batch * layout->column_count + column] =
          grid_of_terms(first, layout->rhs_term_offset, layout->term_count);
    }
  }
}

static void sum_products(const enclosing_t *enclosing, dot_general_place_t place,
                         box_sum_t *inout_sum) {
  const dot_general_layout_t *layout = enclosing->layout;
  const box_t *lhs =
      enclosing->factors[0] + dot_general_lhs_index(layout, place, 0) - layout->lhs_term_offset[0];
  const box_t *rhs =
      enclosing->factors[1] + dot_general_rhs_index(layout, place, 0) - layout->rhs_term_offset[0];
  for (size_t term = 0; term < layout->term_count; term++) {
    box_sum_add_product(inout_sum, lhs[layout->lhs_term_offset[term]],
                        rhs[layout->rhs_term_offset[term]]);
  }
}

/* Of result element `element`; there is nothing to look at where there are no terms.  Integers are
 * wherever in their boxes. */
static box_sum_t sum_of_element(const enclosing_t *enclosing, size_t element, bool are_integers) {
  const dot_general_layout_t *layout = enclosing->layout;
  box_sum_t sum = {.has_grid = true};
  if (layout->term_count == 0) return sum;
  size_t matrix = layout->row_count * layout->column_count;
  dot_general_place_t place = {.batch = element / matrix,
                               .row = element % matrix / layout->column_count,
                               .column = element % layout->column_count};
  if (!are_integers) {
    int rows = enclosing->grids[0][place.batch * layout->row_count + place.row];
    int columns = enclosing->grids[1][place.batch * layout->column_count + place.column];
    sum.has_grid = rows != BOX_GRID_NONE && columns != BOX_GRID_NONE;
    sum.grid = sum.has_grid ? rows + columns : 0;
  }
  sum_products(enclosing, place, &sum);
  return sum;
}

/* ---- Floats ---------------------------------------------------------------------------------- */

static bool flushes_inputs(const contract_t *contract) {
  return PERMITTED(contract, ftz) == FTZ_INPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
}

/* Sums that are rounded as the plan says. */
static box_sum_shape_t find_shape(const enclosing_t *enclosing, const dot_plan_t *plan) {
  return (box_sum_shape_t){
      .format = plan->accumulation,
      .result = plan->result,
      .bound = {.terms = enclosing->layout->term_count,
                .products_round = product_rounds(plan->lhs, plan->rhs, plan->accumulation),
                .products_underflow = product_underflows(plan->lhs, plan->rhs, plan->accumulation),
                .is_product = true}};
}

/* Adds to the boxes of the results what sums become by the plans; without a contract, the exact
 * sums. */
static void unite_float_sums(const enclosing_t *enclosing, const dot_plan_t *plans,
                             size_t plan_count, box_t *inout_results) {
  size_t count = type_element_count(&enclosing->program->results[0]);
  find_grids(enclosing);
  box_sum_rounding_t roundings[ACCUMULATIONS_MAX];
  for (size_t k = 0; k < plan_count && enclosing->contract != NULL; k++) {
    const box_sum_shape_t shape = find_shape(enclosing, &plans[k]);
    roundings[k] = box_sum_rounding(&shape, enclosing->contract);
  }
  for (size_t i = 0; i < count; i++) {
    const box_sum_t sum = sum_of_element(enclosing, i, false);
    for (size_t k = 0; k < plan_count; k++) {
      if (enclosing->contract == NULL) {
        inout_results[i] = box_unite(inout_results[i], box_sum_total(&sum));
        continue;
      }
      inout_results[i] = box_unite(inout_results[i], box_sum_round(&sum, &roundings[k]));
      if (enclosing->kept == NULL) continue;
      enclosing->kept[i] = box_unite(enclosing->kept[i], box_sum_kept(&sum, &roundings[k]));
    }
  }
}

/* The operands as they are multiplied: where nothing is flushed, those that were given. */
static void set_float_factors(enclosing_t *enclosing) {
  const program_t *program = enclosing->program;
  for (int side = 0; side < 2; side++) {
    enclosing->factors[side] = enclosing->operands[side];
    if (enclosing->contract == NULL || !flushes_inputs(enclosing->contract)) continue;
    const format_t *format = program->operands[side].element->format;
    size_t count = type_element_count(&program->operands[side]);
    box_t *factors = new_factors(enclosing, side);
    for (size_t i = 0; i < count; i++) {
      factors[i] = box_flush_term(enclosing->operands[side][i], format);
    }
  }
}

static status_t enclose_floats(enclosing_t *enclosing, box_t *out_results, failure_t *error) {
  const program_t *program = enclosing->program;
  const contract_t *contract = enclosing->contract;
  if (contract != NULL && !dot_general_is_plain(program)) {
    return status_fail(error, STATUS_UNSUPPORTED, "dot algorithms are not enclosed");
  }
  dot_algorithm_t precisions[DOT_PRECISIONS_MAX];
  if (contract != NULL && dot_precision_algorithms(program, contract, precisions) > 0) {
    return status_fail(error, STATUS_UNSUPPORTED, "products in less than f32 are not enclosed");
  }
  dot_plan_t plan;
  STATUS_TRY(dot_plan_make_plain(program, &plan, error));
  set_float_factors(enclosing);
  size_t elements = type_element_count(&program->results[0]);
  for (size_t i = 0; enclosing->kept != NULL && i < elements; i++) {
    enclosing->kept[i] = (box_t){INFINITY, -INFINITY};
  }
  dot_plan_t plans[ACCUMULATIONS_MAX];
  size_t count = contract == NULL ? 1 : dot_plan_count(&plan, contract);
  for (size_t i = 0; i < count; i++) {
    if (contract != NULL) dot_plan_accumulate(&plan, contract, i);
    plans[i] = plan;
  }
  unite_float_sums(enclosing, plans, count, out_results);
  return STATUS_OK;
}

/* ---- Integers -------------------------------------------------------------------------------- */

/* Where no partial sum leaves the range nothing wraps or saturates; elsewhere anything may come. */
static void enclose_integers(enclosing_t *enclosing, box_t *out_results) {
  const element_t *element = enclosing->program->results[0].element;
  const box_t range = box_of_element(element);
  size_t count = type_element_count(&enclosing->program->results[0]);
  for (int side = 0; side < 2; side++) enclosing->factors[side] = enclosing->operands[side];
  for (size_t i = 0; i < count; i++) {
    box_sum_t sum = sum_of_element(enclosing, i, true);
    box_t total = box_integers_within(box_sum_total(&sum));
    bool stays = enclosing->contract == NULL ||
                 box_fits((box_t){total.low, box_sum_magnitude(&sum)}, element);
    bool is_boolean = element->kind == ELEMENT_BOOLEAN; /* OR of ANDs, whatever the contract. */
    if (is_boolean) total = box_clamp(total, 0, 1);
    out_results[i] = stays || is_boolean ? total : range;
  }
}

/* ---- Quantized ------------------------------------------------------------------------------- */

/* Factors of both operands by a variant, of floats as they are; by none: exactly. */
static void set_factors(enclosing_t *enclosing, const dot_dequantized_t *variant) {
  const contract_t *contract = enclosing->contract;
  for (int side = 0; side < 2; side++) {
    const type_t *type = &enclosing->program->operands[side];
    size_t count = type_element_count(type);
    box_t *factors = new_factors(enclosing, side);
    for (size_t i = 0; i < count; i++) {
      box_t factor = enclosing->operands[side][i];
      if (type->quantization != NULL) {
        quantum_t quantum = quantum_of(type, i);
        factor =
            quantum_box_dequantize(&quantum, variant == NULL ? NULL : variant->dequantize, factor);
        if (variant != NULL) factor = box_round(factor, variant->factors);
      }
      if (contract != NULL && flushes_inputs(contract)) {
        factor = box_flush_term(factor, variant->factors);
      }
      factors[i] = factor;
    }
  }
}

static void enclose_hybrid(enclosing_t *enclosing, box_t *out_results) {
  const program_t *program = enclosing->program;
  if (enclosing->contract == NULL) {
    set_factors(enclosing, NULL);
    const format_t *format = program->results[0].element->format;
    const dot_plan_t plan = {.lhs = format, .rhs = format, .accumulation = format};
    unite_float_sums(enclosing, &plan, 1, out_results);
    return;
  }
  dot_dequantized_t variants[DOT_VARIANTS_MAX];
  size_t count = dot_variants(program, enclosing->contract, variants);
  for (size_t i = 0; i < count; i++) {
    set_factors(enclosing, &variants[i]);
    const dot_plan_t plan = dot_dequantized_plan(&variants[i]);
    unite_float_sums(enclosing, &plan, 1, out_results);
  }
}

/* The formula: dequantize, multiply and add, quantize. */
static void unite_formula(enclosing_t *enclosing, box_t *inout_results) {
  const program_t *program = enclosing->program;
  dot_dequantized_t variants[DOT_VARIANTS_MAX];
  size_t variant_count = dot_variants(program, enclosing->contract, variants);
  size_t count = type_element_count(&program->results[0]);
  for (size_t r = 0; r < variant_count; r++) {
    set_factors(enclosing, &variants[r]);
    const dot_plan_t plan = dot_dequantized_plan(&variants[r]);
    const box_sum_shape_t shape = find_shape(enclosing, &plan);
    const box_sum_rounding_t rounding = box_sum_rounding(&shape, enclosing->contract);
    find_grids(enclosing);
    for (size_t i = 0; i < count; i++) {
      box_sum_t sum = sum_of_element(enclosing, i, false);
      box_t floats = box_sum_round(&sum, &rounding);
      quantum_t quantum = quantum_of(&program->results[0], i);
      box_t stored =
          quantum_box_quantize(&quantum, variants[r].quantize, enclosing->contract, floats);
      inout_results[i] = box_unite(inout_results[i], stored);
    }
  }
}

/* Ends of the storage range that are rounded outwards lie beyond it (dot_quantized_decide.c). */
static box_t add_beyond(const dot_rescale_t *rescale, box_t stored) {
  const quantum_t *quantum = &rescale->result;
  if (rescale->arithmetic == NULL) return stored;
  box_t far = box_whole_line();
  if (stored.low > (double)quantum->storage_min) far.low = stored.low;
  if (stored.high < (double)quantum->storage_max) far.high = stored.high;
  if (isfinite(far.low) && isfinite(far.high)) return stored;
  const double ends[] = {far.low, far.high};
  for (int end = 0; end < 2; end++) {
    if (isfinite(ends[end])) continue;
    box_t beyond = quantum_box_of_sums(quantum, rescale->arithmetic, box_point(ends[end]));
    stored = box_unite(stored, beyond);
  }
  return stored;
}

static dot_rescale_t find_rescale(const enclosing_t *enclosing, size_t element) {
  const program_t *program = enclosing->program;
  const dot_general_layout_t *layout = enclosing->layout;
  const contract_t exact = contract_spec();
  const case_t instance = {.program = *program};
  dot_accumulator_t scales = {.lhs_scale = 1, .rhs_scale = 1};
  if (layout->term_count > 0) {
    dot_general_place_t place = dot_general_place(&instance, layout, element);
    scales.lhs_scale =
        quantum_of(&program->operands[0], dot_general_lhs_index(layout, place, 0)).scale;
    scales.rhs_scale =
        quantum_of(&program->operands[1], dot_general_rhs_index(layout, place, 0)).scale;
  }
  const contract_t *contract = enclosing->contract == NULL ? &exact : enclosing->contract;
  return dot_rescale_make(&instance, element, &scales, contract);
}

/* Sums of integers that an accumulator of 32 bits may not hold may become anything. */
static box_t rescale_integers(const dot_rescale_t *rescale, const box_sum_t *sum) {
  const quantum_t *quantum = &rescale->result;
  box_t total = box_integers_within(box_sum_total(sum));
  box_t stored = quantum_box_range(quantum);
  if (box_sum_magnitude(sum) <= (double)INT32_MAX) {
    storage_range_t range =
        dot_rescale_all(rescale, (dot_integer_t)total.low, (dot_integer_t)total.high);
    stored = (box_t){(double)range.low, (double)range.high};
  }
  return add_beyond(rescale, stored);
}

static box_t rescale_exactly(const dot_rescale_t *rescale, const box_sum_t *sum) {
  box_t total = box_integers_within(box_sum_total(sum));
  return (box_t){(double)dot_rescale_exactly(rescale, (dot_integer_t)total.low),
                 (double)dot_rescale_exactly(rescale, (dot_integer_t)total.high)};
}

static void unite_integers(enclosing_t *enclosing, box_t *inout_results) {
  const program_t *program = enclosing->program;
  for (int side = 0; side < 2; side++) {
    const type_t *type = &program->operands[side];
    size_t count = type_element_count(type);
    box_t *factors = new_factors(enclosing, side);
    for (size_t i = 0; i < count; i++) {
      quantum_t quantum = quantum_of(type, i);
      factors[i] = quantum_box_difference(&quantum, enclosing->operands[side][i]);
    }
  }
  size_t count = type_element_count(&program->results[0]);
  for (size_t i = 0; i < count; i++) {
    box_sum_t sum = sum_of_element(enclosing, i, true);
    dot_rescale_t rescale = find_rescale(enclosing, i);
    box_t stored = enclosing->contract == NULL ? rescale_exactly(&rescale, &sum)
                                               : rescale_integers(&rescale, &sum);
    inout_results[i] = box_unite(inout_results[i], stored);
  }
}

/* ---- All ------------------------------------------------------------------------------------- */

static status_t enclose_quantized(enclosing_t *enclosing, box_t *out_results, failure_t *error) {
  STATUS_TRY(dot_dequantized_require(enclosing->program, error));
  if (dot_general_attributes(enclosing->program)->has_algorithm) {
    return status_fail(error, STATUS_UNSUPPORTED, "dot algorithms are not enclosed");
  }
  const contract_t *contract = enclosing->contract;
  if (dot_general_is_hybrid(enclosing->program)) {
    enclose_hybrid(enclosing, out_results);
    return STATUS_OK;
  }
  /* Exact integers, exactly rescaled, are what the formula is in real numbers. */
  if (contract == NULL || PERMITTED(contract, quantized) == DOT_FORMULA_INTEGER) {
    unite_integers(enclosing, out_results);
  }
  if (contract != NULL) unite_formula(enclosing, out_results);
  return STATUS_OK;
}

status_t dot_general_enclose(const enclosure_call_t *call,
                             box_t *const out_results[CASE_RESULTS_MAX]) {
  const program_t *program = call->program;
  if (program->results[0].element->components != 1) {
    return status_fail(call->error, STATUS_UNSUPPORTED, "complex numbers are not enclosed");
  }
  size_t count = type_element_count(&program->results[0]);
  for (size_t i = 0; i < count; i++) out_results[0][i] = (box_t){INFINITY, -INFINITY};
  if (count == 0) return STATUS_OK;
  dot_general_layout_t layout = dot_general_layout_make(program, call->arena);
  enclosing_t enclosing = {.program = program,
                           .contract = call->contract,
                           .layout = &layout,
                           .operands = call->operands,
                           .kept = call->kept == NULL ? NULL : call->kept[0],
                           .arena = call->arena};
  for (int side = 0; side < 2; side++) {
    size_t lines = layout.batch_count * (side == 0 ? layout.row_count : layout.column_count);
    enclosing.grids[side] = ARENA_NEW_ARRAY(call->arena, int, lines);
  }
  if (program->operands[DOT_GENERAL_RHS].quantization != NULL) {
    return enclose_quantized(&enclosing, out_results[0], call->error);
  }
  if (program->results[0].element->format != NULL) {
    return enclose_floats(&enclosing, out_results[0], call->error);
  }
  if (!dot_general_is_plain(program)) {
    return status_fail(call->error, STATUS_UNSUPPORTED,
                       "dot algorithms on integers are not enclosed");
  }
  enclose_integers(&enclosing, out_results[0]);
  return STATUS_OK;
}
