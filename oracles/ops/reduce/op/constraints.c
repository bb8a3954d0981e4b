/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the constraints of a reduce: counts, ranks and types first, then shapes, dimensions and
 * body; those left to the contract separately. */
#include "oracles/ops/reduce/op/op.h"

static bool counts_agree(const program_t *program) {
  return program->result_count > 0 && program->result_count <= CASE_RESULTS_MAX &&
         program->operand_count == 2 * program->result_count;
}

/* What the op's signature says: tensors and per-tensor quantized ones, initial values of rank 0. */
static bool signature_holds(const program_t *program) {
  uint32_t inputs = reduce_input_count(program);
  for (uint32_t i = 0; i < inputs; i++) {
    const type_t *init = &program->operands[reduce_init_operand(program, i)];
    const type_t *types[] = {&program->operands[i], init, &program->results[i]};
    for (size_t t = 0; t < G_N_ELEMENTS(types); t++) {
      if (!reduction_takes(types[t])) return false;
    }
    if (init->rank != 0) return false;
  }
  return true;
}

static bool has_type_of_init(const program_t *program, uint32_t input) {
  scalar_type_t own = scalar_type_of(&program->operands[input]);
  scalar_type_t init = scalar_type_of(&program->operands[reduce_init_operand(program, input)]);
  return scalar_type_equal(&own, &init);
}

/* Up to the first input that breaks C2, which is told of first. */
static bool have_one_shape(const program_t *program) {
  for (uint32_t i = 0; i < reduce_input_count(program); i++) {
    if (!type_shapes_equal(&program->operands[i], &program->operands[0])) return false;
    if (!has_type_of_init(program, i)) return true;
  }
  return true;
}

static bool have_types_of_inits(const program_t *program) {
  for (uint32_t i = 0; i < reduce_input_count(program); i++) {
    if (!has_type_of_init(program, i)) return false;
  }
  return true;
}

static bool reduces_in_range(const program_t *program) {
  return dimension_list_in_range(&reduce_attributes(program)->dimensions,
                                 program->operands[0].rank);
}

static bool reduces_once(const program_t *program) {
  return dimension_list_is_unique(&reduce_attributes(program)->dimensions);
}

static bool is_shape_of_result(const program_t *program, const type_t *result) {
  dimension_list_t kept = reduce_kept_dimensions(program);
  if (result->rank != kept.count) return false;
  for (uint32_t i = 0; i < kept.count; i++) {
    if (result->dims[i] != program->operands[0].dims[kept.dims[i]]) return false;
  }
  return true;
}

static bool have_shapes_of_results(const program_t *program) {
  for (uint32_t i = 0; i < reduce_input_count(program); i++) {
    if (!is_shape_of_result(program, &program->results[i])) return false;
  }
  return true;
}

static reduction_rule_t broken_rule(const program_t *program) {
  const reduction_t *reduction = &reduce_attributes(program)->reduction;
  uint32_t inputs = reduce_input_count(program);
  if (reduction_is_plain(reduction, program->operands, program->results, inputs)) {
    return REDUCTION_RULE_NONE;
  }
  reduction_types_t types = reduce_types(program);
  return reduction_broken_rule(reduction, &types);
}

static reduction_rule_t broken_rule_under(const program_t *program, const contract_t *contract) {
  reduction_types_t types = reduce_types(program);
  return reduction_broken_rule_under(&types, contract);
}

REDUCTION_PREDICATES(broken_rule, broken_rule_under)

static bool is_canonical(const program_t *program) {
  const reduction_t *reduction = &reduce_attributes(program)->reduction;
  if (reduction->accumulation_count == 0) return true;
  reduction_types_t types = reduce_types(program);
  return reduction_is_canonical(reduction, &types);
}

/* What RFC 000 considers: a word for each input. */
static bool permits_precision(const program_t *program, const contract_t *contract) {
  const precision_list_t *precision = &reduce_attributes(program)->precision;
  return !precision->is_present || (PERMITTED(contract, reduce_types) == REDUCE_TYPES_RFC &&
                                    precision->count == reduce_input_count(program));
}

static bool is_modelled(const program_t *program) {
  if (reduce_has_written_body(program)) return true;
  reduction_types_t types = reduce_types(program);
  return reduction_body_allows(reduce_attributes(program)->reduction.body, &types);
}

static bool is_written_modelled(const program_t *program) {
  const reduction_t *reduction = &reduce_attributes(program)->reduction;
  if (!reduce_has_written_body(program)) return true;
  reduction_types_t types = reduce_types(program);
  return reduction_written_allows(&reduction->written, &types);
}

const op_constraint_t reduce_constraints[] = {
    OP_SPECIFIED("C3",
                 "there are as many inputs as initial values and as results, and at least one",
                 counts_agree),
    OP_FORBIDDEN(
        "types",
        "the operands are tensors, quantized per tensor if at all, and initial values have "
        "rank 0",
        "inputs (I1), (I2)", signature_holds),
    OP_SPECIFIED("C1", "all inputs have the same shape", have_one_shape),
    OP_SPECIFIED("C2", "each input and its initial value have the same element type",
                 have_types_of_inits),
    OP_SPECIFIED("C4", "each entry of dimensions is at least 0 and below the rank of the inputs",
                 reduces_in_range),
    OP_SPECIFIED("C5", "the entries of dimensions are unique", reduces_once),
    OP_SPECIFIED(
        "C6",
        "the body takes and returns one scalar for each input, of a type to which that input "
        "can be promoted",
        converts_to_body),
    OP_SPECIFIED("C8", "each result has the element type that the body returns",
                 converts_to_result),
    REDUCTION_CONSTRAINTS("C6", "C8"),
    OP_SPECIFIED("C7", "each result has the shape of its input without the reduced dimensions",
                 have_shapes_of_results),
    REDUCTION_UNMODELLED,
    OP_UNMODELLED("written",
                  "a body that is written out is of ops that take what they are given, works on "
                  "booleans, integers, bf16, f16, f32 and f64, and converts nothing",
                  is_written_modelled),
    OP_CONSTRAINTS_END,
};

const op_constraint_t reduce_contract_constraints[] = {
    REDUCTION_CONTRACT_CONSTRAINTS("C6", "C8"),
    OP_UNMODELLED_UNDER(
        "precision",
        "there is a precision_config under reduce_types=rfc alone, with an entry for "
        "each input",
        permits_precision),
    OP_CONSTRAINTS_END,
};
