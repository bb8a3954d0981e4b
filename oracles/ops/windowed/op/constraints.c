/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the constraints of reduce_window and select_and_scatter in order; both use one table-
 * driven check of per-dimension lists. */
#include "oracles/ops/windowed/op/op.h"

static bool elements_equal(const type_t *a, const type_t *b) {
  scalar_type_t left = scalar_type_of(a);
  scalar_type_t right = scalar_type_of(b);
  return scalar_type_equal(&left, &right);
}

static bool takes_all(const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (!reduction_takes(&program->operands[i])) return false;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (!reduction_takes(&program->results[i])) return false;
  }
  return true;
}

/* The operand along whose dimensions the windows lie is the first, of both ops. */
#define LIST_PREDICATES(list)                                                     \
  static bool has_##list(const program_t *program) {                              \
    return windowed_attributes(program)->list.count == program->operands[0].rank; \
  }                                                                               \
  static bool is_positive_##list(const program_t *program) {                      \
    return dimension_list_is_positive(&windowed_attributes(program)->list);       \
  }
LIST_PREDICATES(window_dimensions)
LIST_PREDICATES(window_strides)
LIST_PREDICATES(base_dilations)
LIST_PREDICATES(window_dilations)

static bool has_padding(const program_t *program) {
  return windowed_attributes(program)->padding.count == program->operands[0].rank;
}

static reduction_rule_t broken_rule(const program_t *program) {
  const reduction_t *reduction = &windowed_attributes(program)->reduction;
  bool is_window = program->op == &reduce_window_op;
  const type_t *inputs = &program->operands[is_window ? 0 : SELECT_SOURCE];
  if (reduction_is_plain(reduction, inputs, program->results, program->result_count)) {
    return REDUCTION_RULE_NONE;
  }
  reduction_types_t types = windowed_types(program);
  return reduction_broken_rule(reduction, &types);
}

static reduction_rule_t broken_rule_under(const program_t *program, const contract_t *contract) {
  reduction_types_t types = windowed_types(program);
  return reduction_broken_rule_under(&types, contract);
}

REDUCTION_PREDICATES(broken_rule, broken_rule_under)

static bool is_canonical(const program_t *program) {
  const reduction_t *reduction = &windowed_attributes(program)->reduction;
  if (reduction->accumulation_count == 0) return true;
  reduction_types_t types = windowed_types(program);
  return reduction_is_canonical(reduction, &types);
}

static bool is_modelled(const program_t *program) {
  const reduction_t *reduction = &windowed_attributes(program)->reduction;
  if (reduction->body == REDUCE_WRITTEN) return true;
  reduction_types_t types = windowed_types(program);
  return reduction_body_allows(reduction->body, &types);
}

static bool is_written_modelled(const program_t *program) {
  const reduction_t *reduction = &windowed_attributes(program)->reduction;
  if (reduction->body != REDUCE_WRITTEN) return true;
  reduction_types_t types = windowed_types(program);
  return reduction_written_allows(&reduction->written, &types);
}

#define WRITTEN_UNMODELLED                                                                      \
  OP_UNMODELLED("written",                                                                      \
                "a body that is written out is of ops that take what they are given, works on " \
                "booleans, integers, bf16, f16, f32 and f64, and converts nothing",             \
                is_written_modelled)

#define ONE_PER_DIMENSION(list) #list " has one entry for each dimension of the operand"
#define POSITIVE(list) "each entry of " #list " is at least 1"

/* ---- reduce_window --------------------------------------------------------------------------- */

static bool has_counts(const program_t *program) {
  uint32_t inputs = program->result_count;
  return inputs > 0 && inputs <= CASE_RESULTS_MAX && program->operand_count == 2 * inputs;
}

static bool takes_inits(const program_t *program) {
  uint32_t inputs = program->result_count;
  for (uint32_t i = 0; i < inputs; i++) {
    if (program->operands[inputs + i].rank != 0) return false;
  }
  return takes_all(program);
}

static bool has_type_of_init(const program_t *program, uint32_t input) {
  return elements_equal(&program->operands[input],
                        &program->operands[program->result_count + input]);
}

/* Up to the first input that breaks C3, which is told of first. */
static bool have_one_shape(const program_t *program) {
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (!type_shapes_equal(&program->operands[i], &program->operands[0])) return false;
    if (!has_type_of_init(program, i)) return true;
  }
  return true;
}

static bool have_types_of_inits(const program_t *program) {
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (!has_type_of_init(program, i)) return false;
  }
  return true;
}

static bool have_one_result_shape(const program_t *program) {
  for (uint32_t i = 1; i < program->result_count; i++) {
    if (!type_shapes_equal(&program->results[i], &program->results[0])) return false;
  }
  return true;
}

static bool has_window_counts(const program_t *program, const type_t *type) {
  type_t counts = windowed_counts(windowed_attributes(program), &program->operands[0]);
  return type_shapes_equal(type, &counts);
}

static bool has_result_counts(const program_t *program) {
  return has_window_counts(program, &program->results[0]);
}

const op_constraint_t reduce_window_constraints[] = {
    OP_SPECIFIED("C1",
                 "there are as many inputs as initial values and as results, and at least one",
                 has_counts),
    OP_FORBIDDEN("types", "initial values have rank 0, and no type is quantized per axis",
                 "inputs (I1), (I2)", takes_inits),
    OP_SPECIFIED("C2", "all inputs have the same shape", have_one_shape),
    OP_SPECIFIED("C3", "each input and its initial value have the same element type",
                 have_types_of_inits),
    OP_SPECIFIED("C4", ONE_PER_DIMENSION(window_dimensions), has_window_dimensions),
    OP_SPECIFIED("C5", POSITIVE(window_dimensions), is_positive_window_dimensions),
    OP_SPECIFIED("C6", ONE_PER_DIMENSION(window_strides), has_window_strides),
    OP_SPECIFIED("C7", POSITIVE(window_strides), is_positive_window_strides),
    OP_SPECIFIED("C8", ONE_PER_DIMENSION(base_dilations), has_base_dilations),
    OP_SPECIFIED("C9", POSITIVE(base_dilations), is_positive_base_dilations),
    OP_SPECIFIED("C10", ONE_PER_DIMENSION(window_dilations), has_window_dilations),
    OP_SPECIFIED("C11", POSITIVE(window_dilations), is_positive_window_dilations),
    OP_SPECIFIED("C12", "padding has one pair for each dimension of the inputs", has_padding),
    OP_SPECIFIED("C13",
                 "the body takes and returns one scalar for each input, of a type to which that "
                 "input can be "
                 "converted",
                 converts_to_body),
    OP_SPECIFIED(
        "C16",
        "each result has the element type that the body returns, or one that the RFC permits",
        converts_to_result),
    REDUCTION_CONSTRAINTS("C13", "C16"),
    OP_SPECIFIED("C14", "all results have the same shape", have_one_result_shape),
    OP_SPECIFIED(
        "C15", "each dimension of the results has the number of windows that fit along the inputs'",
        has_result_counts),
    REDUCTION_UNMODELLED,
    WRITTEN_UNMODELLED,
    OP_CONSTRAINTS_END,
};

const op_constraint_t reduce_window_contract_constraints[] = {
    REDUCTION_CONTRACT_CONSTRAINTS("C13", "C16"),
    OP_CONSTRAINTS_END,
};

/* ---- select_and_scatter ---------------------------------------------------------------------- */

static bool takes_select_types(const program_t *program) {
  return program->operand_count == 3 && program->result_count == 1 && takes_all(program) &&
         program->operands[SELECT_INIT].rank == 0 &&
         windowed_attributes(program)->select < WINDOWED_SELECT_COUNT;
}

static bool has_type_of_source(const program_t *program) {
  return elements_equal(&program->operands[SELECT_OPERAND], &program->operands[SELECT_SOURCE]);
}

static bool has_type_of_select_init(const program_t *program) {
  return elements_equal(&program->operands[SELECT_OPERAND], &program->operands[SELECT_INIT]);
}

static bool has_source_counts(const program_t *program) {
  return has_window_counts(program, &program->operands[SELECT_SOURCE]);
}

/* What the ops of select are known to compare. */
static bool is_ordered(const program_t *program) {
  return program->operands[SELECT_OPERAND].element->kind != ELEMENT_COMPLEX;
}

const op_constraint_t select_and_scatter_constraints[] = {
    OP_FORBIDDEN("types",
                 "there are three operands and a result, the initial value has rank 0, and no type "
                 "is quantized per axis",
                 "inputs (I1-I3) and outputs", takes_select_types),
    OP_SPECIFIED("C1", "operand and source have the same element type", has_type_of_source),
    OP_SPECIFIED("C3", "operand and initial value have the same element type",
                 has_type_of_select_init),
    OP_SPECIFIED("C4", ONE_PER_DIMENSION(window_dimensions), has_window_dimensions),
    OP_SPECIFIED("C5", POSITIVE(window_dimensions), is_positive_window_dimensions),
    OP_SPECIFIED("C6", ONE_PER_DIMENSION(window_strides), has_window_strides),
    OP_SPECIFIED("C7", POSITIVE(window_strides), is_positive_window_strides),
    OP_SPECIFIED("C8", "padding has one pair for each dimension of the operand", has_padding),
    OP_SPECIFIED(
        "C2", "each dimension of the source has the number of windows that fit along the operand's",
        has_source_counts),
    OP_INHERENT("C9",
                "select takes two scalars of the operand's element type and returns a boolean; a "
                "case gives it no other type, so it cannot break this"),
    OP_SPECIFIED(
        "C10",
        "scatter takes and returns a scalar of a type to which the operand's can be converted",
        converts_to_body),
    OP_SPECIFIED(
        "C12", "the result has the element type that scatter returns, or one that the RFC permits",
        converts_to_result),
    REDUCTION_CONSTRAINTS("C10", "C12"),
    OP_SPECIFIED("C11", "the result has the shape of the operand", program_keeps_shape),
    REDUCTION_UNMODELLED,
    WRITTEN_UNMODELLED,
    OP_UNMODELLED("order", "what select compares are no complex numbers", is_ordered),
    OP_CONSTRAINTS_END,
};

const op_constraint_t select_and_scatter_contract_constraints[] = {
    REDUCTION_CONTRACT_CONSTRAINTS("C10", "C12"),
    OP_CONSTRAINTS_END,
};
