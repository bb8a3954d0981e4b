/* SPDX-License-Identifier: Apache-2.0 */
/* What conforms of a declared op: each tuple of the indices that all steps run along is a problem
 * of its own (theory.md, T142). */
#include "oracles/ops/declared/oracle.h"

#include "oracles/formula/shared/shared_evaluator.h"
#include "oracles/ops/declared/evaluate.h"
#include "oracles/ops/declared/integer_results.h"

/* ---- Layout ---------------------------------------------------------------------------------- */

static composite_places_t find_places(const declaration_t *declaration, const binding_t *binding,
                                      const declared_tensor_t *tensor, uint32_t outer,
                                      arena_t *arena) {
  const uint32_t inner = tensor->mask & declaration->inner;
  size_t strides[DECLARED_INDICES_MAX];
  declared_strides(tensor, binding, strides);
  return (composite_places_t){
      .count = declared_extent(declaration, binding, inner),
      .base = declared_offsets(declaration, binding, outer, 0, strides, arena),
      .offset = declared_offsets(declaration, binding, inner, 0, strides, arena)};
}

static composite_layout_t layout(const program_t *program, arena_t *arena) {
  const declaration_t *declaration = declared_of(program);
  if (declaration->is_elementwise) return composite_layout_elements(&program->results[0], arena);
  binding_t binding;
  declared_bind(program, &binding);
  const uint32_t outer = declared_outer(declaration);
  composite_layout_t made = {.group_count = declared_extent(declaration, &binding, outer)};
  for (uint32_t i = 0; i < declaration->operand_count; i++) {
    const declared_tensor_t *operand = &declaration->operands[i];
    made.gathered[i] = find_places(declaration, &binding, operand, outer, arena);
  }
  for (uint32_t i = 0; i < declaration->result_count; i++) {
    const declared_tensor_t *result = &declaration->results[i];
    made.gathered_results[i] = find_places(declaration, &binding, result, outer, arena);
  }
  made.group_base = made.gathered_results[0].base;
  made.term_offset = made.gathered_results[0].offset;
  made.term_count = made.gathered_results[0].count;
  return made;
}

/* ---- Roles ----------------------------------------------------------------------------------- */

static bool is_in_order(const declared_tensor_t *tensor) {
  int last = -1;
  for (uint32_t d = 0; d < tensor->count; d++) {
    for (uint32_t i = 0; i < tensor->dimensions[d].count; i++) {
      if (tensor->dimensions[d].indices[i] < last) return false;
      last = tensor->dimensions[d].indices[i];
    }
  }
  return true;
}

/* Whether the operand is all that a row of results has, in its order. */
static bool is_row(const declaration_t *declaration, const declared_tensor_t *operand) {
  const uint32_t of_row = declaration->results[0].mask & declaration->inner;
  return operand->mask == of_row && operand->count > 0 && is_in_order(operand);
}

static composite_role_t find_role(const declaration_t *declaration,
                                  const declared_tensor_t *operand) {
  if (operand->count == 0) return COMPOSITE_SCALAR;
  if (declared_has_same_dimensions(operand, &declaration->results[0])) return COMPOSITE_ELEMENT;
  return is_row(declaration, operand) ? COMPOSITE_TERM : COMPOSITE_GATHERED;
}

static composite_role_t find_result_role(const declaration_t *declaration,
                                         const declared_tensor_t *result) {
  if (declared_has_same_dimensions(result, &declaration->results[0])) return COMPOSITE_ELEMENT;
  bool is_of_group = result->mask == declared_outer(declaration) && is_in_order(result);
  return is_of_group ? COMPOSITE_GROUP : COMPOSITE_GATHERED;
}

/* ---- The oracle ------------------------------------------------------------------------------ */

static void evaluate_0(formula_t *formula, const row_t operands[], row_t results[]) {
  declared_evaluate(formula, 0, operands, results);
}
static void evaluate_1(formula_t *formula, const row_t operands[], row_t results[]) {
  declared_evaluate(formula, 1, operands, results);
}
static void evaluate_2(formula_t *formula, const row_t operands[], row_t results[]) {
  declared_evaluate(formula, 2, operands, results);
}
static void evaluate_3(formula_t *formula, const row_t operands[], row_t results[]) {
  declared_evaluate(formula, 3, operands, results);
}

static formula_evaluate_t *const evaluations[DECLARED_FORMULAS_MAX] = {evaluate_0, evaluate_1,
                                                                       evaluate_2, evaluate_3};

/* All that the oracle needs of one op; the declaration keeps it. */
typedef struct declared_oracle {
  oracle_t oracle;
  composite_t composite;
  composite_formula_t formulas[DECLARED_FORMULAS_MAX];
} declared_oracle_t;

static const composite_formula_t *find_formulas(const program_t *program) {
  return ((const declared_oracle_t *)program->op->oracle)->formulas;
}

/* The first number among the attributes. */
static double find_epsilon(const program_t *program) {
  const declaration_t *declaration = declared_of(program);
  uint32_t i = 0;
  while (declaration->attributes[i].kind != ATTRIBUTE_NUMBER) i++;
  return declared_number(program, i);
}

/* Whether all steps may be taken of some numbers of a row, those that see all of it being known. */
static bool may_be_taken_apart(const declaration_t *declaration,
                               const declared_formula_t *formula) {
  if (declared_shared_numbers(formula) > SHARED_NUMBERS_MAX) return false;
  for (uint32_t i = 0; i < formula->step_count; i++) {
    const step_t *step = &formula->steps[i], *product = &formula->steps[step->a];
    if (step->kind == STEP_PICK || step->kind == STEP_STACK) return false;
    if (step->kind != STEP_SUM || product->kind != STEP_MULTIPLY) continue;
    uint32_t both = formula->steps[product->a].mask & formula->steps[product->b].mask;
    if ((both & declaration->inner) == 0) return false;
  }
  return true;
}

/* Rows with one index, each number of which is a term: others share numbers in other ways. */
static bool has_rows(const declaration_t *declaration, const composite_t *composite) {
  bool is_one = declaration->inner != 0 && (declaration->inner & (declaration->inner - 1)) == 0;
  bool has = is_one && !declaration->is_elementwise &&
             (declaration->results[0].mask & declaration->inner) != 0;
  for (uint32_t i = 0; i < declaration->operand_count; i++) {
    has = has && composite->operand_roles[i] != COMPOSITE_GATHERED;
  }
  for (uint32_t i = 0; i < declaration->result_count; i++) {
    has = has && composite->result_roles[i] != COMPOSITE_GATHERED;
  }
  for (uint32_t f = 0; f < declaration->formula_count; f++) {
    has = has && may_be_taken_apart(declaration, &declaration->formulas[f]);
  }
  return has;
}

void declared_make_oracle(declaration_t *inout_declaration) {
  declaration_t *declaration = inout_declaration;
  for (uint32_t i = 0; i < declaration->reading_count; i++) {
    declared_make_oracle(declaration->readings[i]);
  }
  declared_oracle_t *made = ARENA_NEW_ARRAY(&declaration->arena, declared_oracle_t, 1);
  *made = (declared_oracle_t){
      .composite = {.layout = layout, .formulas = find_formulas, .loads_patterns = true}};
  for (uint32_t i = 0; i < declaration->operand_count; i++) {
    composite_role_t role = find_role(declaration, &declaration->operands[i]);
    made->composite.operand_roles[i] = role;
  }
  for (uint32_t i = 0; i < declaration->result_count; i++) {
    composite_role_t role = find_result_role(declaration, &declaration->results[i]);
    made->composite.result_roles[i] = role;
  }
  for (uint32_t i = 0; i < declaration->attribute_count; i++) {
    bool is_number = declaration->attributes[i].kind == ATTRIBUTE_NUMBER;
    if (is_number) made->composite.epsilon = find_epsilon;
  }
  for (uint32_t f = 0; f < declaration->formula_count; f++) {
    made->formulas[f] = (composite_formula_t){.evaluate = evaluations[f],
                                              .is_running = declaration->formulas[f].is_running,
                                              .has_normal = declaration->formulas[f].has_normal};
  }
  made->oracle = (oracle_t){
      .op_name = declaration->op.name, .composite = &made->composite, COMPOSITE_FUNCTIONS};
  bool may_share = !declaration->has_integers && has_rows(declaration, &made->composite);
  if (!may_share) made->oracle.explain_rows = NULL;
  if (declaration->float_result_count < declaration->result_count) {
    made->oracle.accept = declared_accept;
    made->oracle.decide = declared_decide;
    made->oracle.ranges = NULL;
    made->oracle.find_formula = declared_find_formula;
  }
  declaration->op.oracle = &made->oracle;
}

extern const oracle_t *const declared_oracles[];
const oracle_t *const declared_oracles[] = {NULL};
