/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts ops defined by formulas into small problems (rows or blocks of elements), lists the
 * permitted variants of formula and format, and evaluates a problem exactly or fast by one of the
 * formula evaluators. */
#include "oracles/composite/composite.h"

#include "oracles/composite/norm_reading.h"
#include "oracles/composite/parts.h"
#include "oracles/exact/quantum/quantum.h"
#include "oracles/formula/enclosed.h"
#include "oracles/formula/fast/fast_evaluator.h"
#include "oracles/formula/model.h"

/* ---- Layouts --------------------------------------------------------------------------------- */

enum { BLOCK_TERMS = 256 }; /* Of elementwise ops: rows that stay in the first-level cache. */

/* The last block is the end of the elements too, and so may overlap the one before it. */
composite_layout_t composite_layout_elements(const type_t *type, arena_t *arena) {
  size_t elements = type_element_count(type);
  composite_layout_t layout = {.is_elementwise = true, .term_count = MIN(elements, BLOCK_TERMS)};
  layout.group_count = (elements + BLOCK_TERMS - 1) / BLOCK_TERMS;
  size_t *bases = ARENA_NEW_ARRAY(arena, size_t, layout.group_count);
  size_t *offsets = ARENA_NEW_ARRAY(arena, size_t, layout.term_count);
  for (size_t g = 0; g < layout.group_count; g++) {
    bases[g] = MIN(g * BLOCK_TERMS, elements - layout.term_count);
  }
  for (size_t t = 0; t < layout.term_count; t++) offsets[t] = t;
  layout.group_base = bases;
  layout.term_offset = offsets;
  return layout;
}

composite_layout_t composite_layout_rows(const type_t *type, const dimension_list_t *reduced,
                                         arena_t *arena) {
  dimension_list_t kept = dimension_list_rest(type->rank, reduced, NULL);
  return (composite_layout_t){.group_count = dimension_list_extent(&kept, type),
                              .term_count = dimension_list_extent(reduced, type),
                              .group_base = dimension_list_offsets(&kept, type, arena),
                              .term_offset = dimension_list_offsets(reduced, type, arena)};
}

/* ---- Problems -------------------------------------------------------------------------------- */

/* What a tensor of floats has, and what a quantized one expresses. */
static const format_t *format_of_type(const type_t *type) {
  return type->quantization != NULL ? quantum_expressed(type) : type->element->format;
}

/* Operands may be integers beside floats: the first float tells, or that of the results; f32 stands
 * for none.  One of 16 bits beside which others, or results, are of f32 is computed with as f32. */
static const format_t *format_of(const program_t *program) {
  const format_t *f32 = &format_table[FORMAT_f32], *first = NULL;
  bool has_f32 = false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const format_t *format = format_of_type(&program->operands[i]);
    if (first == NULL) first = format;
    has_f32 = has_f32 || format == f32;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    const format_t *format = format_of_type(&program->results[i]);
    if (first == NULL) first = format;
    has_f32 = has_f32 || format == f32;
  }
  if (first == NULL) return f32;
  return has_f32 && first->bits == 16 ? f32 : first;
}

composite_layout_t problem_layout(const case_t *instance, arena_t *arena) {
  const composite_t *composite = oracle_find(instance->program.op)->composite;
  return composite->layout_of_case != NULL ? composite->layout_of_case(instance, arena)
                                           : composite->layout(&instance->program, arena);
}

problem_t problem_make(const case_t *instance, const contract_t *contract, arena_t *arena) {
  const composite_layout_t layout = problem_layout(instance, arena);
  return problem_make_with(instance, contract, &layout, arena);
}

problem_t problem_make_with(const case_t *instance, const contract_t *contract,
                            const composite_layout_t *layout, arena_t *arena) {
  const composite_t *composite = oracle_find(instance->program.op)->composite;
  return (problem_t){.instance = instance,
                     .contract = contract,
                     .composite = composite,
                     .layout = *layout,
                     .formulas = composite->formulas(&instance->program),
                     .format = format_of(&instance->program),
                     .arena = arena};
}

uint8_t problem_formula_count(const problem_t *problem) {
  const char *permission = problem->instance->program.op->formulas;
  return permission == NULL ? 1 : contract_value_count(permission);
}

/* ---- Variants -------------------------------------------------------------------------------- */

/* A variant, by the values of epsilon that differ. */
static size_t add_by_epsilon(const problem_t *problem, variant_t variant, variant_t *out_variants) {
  bool differs = problem->composite->epsilon != NULL && variant.format != problem->format;
  size_t count = 0;
  if (!differs || PERMITTED(problem->contract, epsilon) != EPSILON_ROUNDED)
    out_variants[count++] = variant;
  if (differs && PERMITTED(problem->contract, epsilon) != EPSILON_EXACT) {
    variant.rounds_epsilon = true;
    out_variants[count++] = variant;
  }
  return count;
}

/* A formula in a format; in a wider one than the operands', with its numbers kept as they are, and
 * then with those rounded that may be (theory.md, T273). */
static size_t add_variants(const problem_t *problem, uint8_t formula, bool is_native,
                           variant_t *out_variants) {
  bool is_short = problem->format->bits == 16;
  const composite_formula_t *row = &problem->formulas[formula];
  if (is_short && is_native && row->is_running) return 0;
  const format_t *format = is_short && !is_native ? &format_table[FORMAT_f32] : problem->format;
  variant_t variant = {.formula = formula, .format = format, .is_native = is_native};
  size_t count = add_by_epsilon(problem, variant, out_variants);
  bool may_round = row->has_normal && norm_may_round(problem->contract);
  if (!may_round || format == problem->format) return count;
  variant.rounds_normal = true;
  return count + add_by_epsilon(problem, variant, out_variants + count);
}

static size_t variants_up_to(const problem_t *problem, uint8_t first, uint8_t last,
                             variant_t out_variants[VARIANTS_MAX]) {
  bool may_be_native = problem->format->bits == 16 && contract_permits_native(problem->contract);
  size_t count = 0;
  for (int is_native = 0; is_native <= (may_be_native ? 1 : 0); is_native++) {
    for (uint8_t formula = first; formula <= last; formula++) {
      g_assert(count + 4 <= VARIANTS_MAX);
      count += add_variants(problem, formula, is_native != 0, out_variants + count);
    }
  }
  return count;
}

size_t problem_variants(const problem_t *problem, variant_t out_variants[VARIANTS_MAX]) {
  const char *permission = problem->instance->program.op->formulas;
  uint8_t last = permission == NULL ? 0 : contract_value(problem->contract, permission);
  return variants_up_to(problem, 0, last, out_variants);
}

size_t problem_variants_of(const problem_t *problem, uint8_t formula,
                           variant_t out_variants[VARIANTS_MAX]) {
  return variants_up_to(problem, formula, formula, out_variants);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

part_t problem_part(const problem_t *problem, size_t group) {
  return (part_t){group, 0, problem->layout.term_count, NULL};
}

/* Where `sought` is among offsets that grow; `count` if it is not. */
static size_t find_offset(const size_t *offsets, size_t count, size_t sought) {
  size_t first = 0, behind = count;
  while (first < behind) {
    size_t middle = first + (behind - first) / 2;
    if (offsets[middle] == sought) return middle;
    if (offsets[middle] < sought) {
      first = middle + 1;
    } else {
      behind = middle;
    }
  }
  return count;
}

/* Finds indices of the one list and of the other whose offsets add up to `element`, where those of
 * the longer one grow: rows whose dimensions are listed in their order. */
static bool find_pair(const size_t *shorter, size_t shorter_count, const size_t *longer,
                      size_t longer_count, size_t element, size_t out_places[2]) {
  for (size_t i = 0; i < shorter_count; i++) {
    if (shorter[i] > element) continue;
    size_t place = find_offset(longer, longer_count, element - shorter[i]);
    if (place == longer_count) continue;
    out_places[0] = i;
    out_places[1] = place;
    return true;
  }
  return false;
}

static bool locate_quickly(const composite_layout_t *layout, size_t element, size_t *out_group,
                           size_t *out_term) {
  const size_t *bases = layout->group_base, *offsets = layout->term_offset;
  const size_t groups = layout->group_count, terms = layout->term_count;
  bool has_more_terms = terms > groups;
  size_t places[2];
  bool found = has_more_terms ? find_pair(bases, groups, offsets, terms, element, places)
                              : find_pair(offsets, terms, bases, groups, element, places);
  if (!found) return false;
  *out_group = places[has_more_terms ? 0 : 1];
  *out_term = places[has_more_terms ? 1 : 0];
  return true;
}

/* Rows are laid out in both orders that offsets have: the group and term of an element are found by
 * looking. */
static void locate(const composite_layout_t *layout, size_t element, size_t *out_group,
                   size_t *out_term) {
  if (layout->is_elementwise) {
    *out_group = MIN(element / BLOCK_TERMS, layout->group_count - 1);
    *out_term = element - layout->group_base[*out_group];
    return;
  }
  if (locate_quickly(layout, element, out_group, out_term)) return;
  for (size_t g = 0; g < layout->group_count; g++) {
    for (size_t t = 0; t < layout->term_count; t++) {
      if (layout->group_base[g] + layout->term_offset[t] != element) continue;
      *out_group = g;
      *out_term = t;
      return;
    }
  }
  g_assert_not_reached();
}

/* Likewise where a group has a result at places of its own. */
static size_t locate_gathered(const composite_layout_t *layout, const composite_places_t *places,
                              size_t element, size_t *out_place) {
  for (size_t g = 0; g < layout->group_count; g++) {
    for (size_t i = 0; i < places->count; i++) {
      if (places->base[g] + places->offset[i] != element) continue;
      *out_place = i;
      return g;
    }
  }
  g_assert_not_reached();
}

part_t problem_part_of(const problem_t *problem, uint32_t result, size_t component,
                       size_t *out_place) {
  *out_place = 0;
  const composite_role_t role = problem->composite->result_roles[result];
  if (role == COMPOSITE_GROUP) return problem_part(problem, component);
  if (role == COMPOSITE_GATHERED) {
    const composite_places_t *places = &problem->layout.gathered_results[result];
    return problem_part(problem, locate_gathered(&problem->layout, places, component, out_place));
  }
  size_t group, term;
  locate(&problem->layout, component, &group, &term);
  if (problem->layout.is_elementwise) return (part_t){group, term, 1, NULL};
  *out_place = term;
  return problem_part(problem, group);
}

size_t part_term(const part_t *part, size_t place) {
  return part->terms != NULL ? part->terms[place] : part->first + place;
}

size_t part_result_count(const problem_t *problem, const part_t *part, uint32_t result) {
  const composite_role_t role = problem->composite->result_roles[result];
  if (role == COMPOSITE_GATHERED) return problem->layout.gathered_results[result].count;
  return role == COMPOSITE_GROUP ? 1 : part->count;
}

size_t part_result_element(const problem_t *problem, const part_t *part, uint32_t result,
                           size_t place) {
  const composite_layout_t *layout = &problem->layout;
  const composite_role_t role = problem->composite->result_roles[result];
  if (role == COMPOSITE_GROUP) return part->group;
  if (role == COMPOSITE_GATHERED) {
    const composite_places_t *places = &layout->gathered_results[result];
    return places->base[part->group] + places->offset[place];
  }
  return layout->group_base[part->group] + layout->term_offset[part_term(part, place)];
}

/* ---- Evaluation ------------------------------------------------------------------------------ */

void problem_evaluate(const problem_t *problem, const part_t *part, const variant_t *variant,
                      const evaluation_t *evaluation, row_t results[CASE_RESULTS_MAX]) {
  formula_t formula = {.evaluator = evaluation->evaluator,
                       .settings = evaluation->settings,
                       .program = &problem->instance->program,
                       .format = variant->format,
                       .contract = problem->contract,
                       .schedule = evaluation->schedule,
                       .shared = evaluation->shared,
                       .problem = problem,
                       .part = part,
                       .group = part->group,
                       .rounds_epsilon = variant->rounds_epsilon,
                       .rounds_normal = variant->rounds_normal,
                       .arena = problem->arena};
  row_t operands[CASE_OPERANDS_MAX];
  uint32_t count = problem->instance->program.operand_count + problem->composite->derived_count;
  for (uint32_t i = 0; i < count; i++) {
    bool is_row = !problem->composite->loads_patterns ||
                  problem->instance->operands[i].type.element->format != NULL;
    operands[i] = is_row ? problem_load_operand(problem, part, i, &formula)
                         : (row_t){.count = 0, .enclosed = NULL};
  }
  problem->formulas[variant->formula].evaluate(&formula, operands, results);
}

value_range_t problem_finish(const problem_t *problem, const part_t *part, const variant_t *variant,
                             const row_t *results, uint32_t result, size_t place) {
  const enclosing_t settings = {.is_unbounded = problem->formulas[variant->formula].is_unbounded};
  const formula_t formula = {.evaluator = &enclosed_evaluator,
                             .settings = &settings,
                             .format = variant->format,
                             .contract = problem->contract,
                             .arena = problem->arena};
  const row_t *row = &results[result];
  value_range_t range;
  enclosed_finish(&formula, &row->enclosed[row->count == 1 ? 0 : place],
                  problem->instance->program.results[result].element->format, &range);
  if (problem->composite->permit == NULL) return range;
  size_t element = part_result_element(problem, part, result, place);
  problem->composite->permit(problem->instance, problem->contract, result, element, &range);
  return range;
}

/* ---- Fast sets ------------------------------------------------------------------------------- */

/* The fast evaluator has one format: of what is rounded to another it knows nothing. */
bool problem_has_fast(const variant_t *variant) {
  if (variant->rounds_normal) return false;
  return variant->format == &format_table[FORMAT_f32] ||
         variant->format == &format_table[FORMAT_f64];
}

bool problem_has_fast_shared(const variant_t *variant) {
  return !variant->rounds_normal && variant->format == &format_table[FORMAT_f32];
}

bool problem_has_models(const variant_t *variant) {
  return variant->format == &format_table[FORMAT_f64];
}

size_t problem_groups_together(const problem_t *problem) {
  enum { NUMBERS_MAX = 512 }; /* Of a row, so that all rows of a formula stay in a cache. */
  const composite_t *composite = problem->composite;
  const size_t terms = problem->layout.term_count;
  bool are_decoded = problem->decoded != NULL && composite->derived_count == 0;
  const uint32_t operands = problem->instance->program.operand_count;
  for (uint32_t i = 0; are_decoded && i < operands; i++) {
    are_decoded = problem->decoded[i] != NULL;
  }
  if (!are_decoded || !composite->takes_groups_together || terms == 0) return 1;
  return MAX(NUMBERS_MAX / terms, 1);
}

bool problem_evaluate_fast(const problem_t *problem, const part_t *part, const variant_t *variant,
                           size_t groups, shared_points_t *points,
                           fast_row_t out_rows[CASE_RESULTS_MAX]) {
  const fast_kernels_t *kernels = fast_kernels_best(variant->format);
  bool has_forgotten = false;
  const fast_settings_t settings = {
      .kernels = kernels,
      .is_unbounded = problem->formulas[variant->formula].is_unbounded,
      .is_wide = points != NULL && points->is_wide,
      .groups = groups,
      .out_has_forgotten = &has_forgotten,
  };
  row_t results[CASE_RESULTS_MAX];
  const evaluation_t fast = {.evaluator = points == NULL ? &fast_evaluator : &shared_evaluator,
                             .shared = points == NULL ? NULL : &points->as_shared,
                             .settings = &settings};
  problem_evaluate(problem, part, variant, &fast, results);
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    const fast_numbers_t *numbers = results[r].fast;
    const format_t *format = problem->instance->program.results[r].element->format;
    const double *low = numbers->low, *high = numbers->high;
    if (format != kernels->format || settings.is_wide) {
      double *rounded = ARENA_NEW_ARRAY(problem->arena, double, 2 * numbers->count);
      kernels->finish(numbers, format, rounded, rounded + numbers->count);
      low = rounded;
      high = rounded + numbers->count;
    }
    out_rows[r] = (fast_row_t){results[r].count, low,          high, numbers->low, numbers->high,
                               numbers->point,   numbers->tail};
  }
  return settings.is_unbounded && !has_forgotten;
}
