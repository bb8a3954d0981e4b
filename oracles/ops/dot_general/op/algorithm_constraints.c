/* SPDX-License-Identifier: Apache-2.0 */
/* The constraints of dot_general that its algorithm must keep, and those that the contract decides
 * about: what three documents disagree on, and what has no meaning here. */
#include "generated/dot_general_permissions.h"
#include "oracles/ops/dot_general/op/op.h"

/* NULL if there is none. */
static const dot_algorithm_attribute_t *algorithm_of(const program_t *program) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  return attributes->has_algorithm ? &attributes->algorithm : NULL;
}

bool dot_general_has_lhs_components(const program_t *program) {
  const dot_algorithm_attribute_t *algorithm = algorithm_of(program);
  return algorithm == NULL || algorithm->lhs_component_count >= 1;
}

bool dot_general_has_rhs_components(const program_t *program) {
  const dot_algorithm_attribute_t *algorithm = algorithm_of(program);
  return algorithm == NULL || algorithm->rhs_component_count >= 1;
}

bool dot_general_has_primitives(const program_t *program) {
  const dot_algorithm_attribute_t *algorithm = algorithm_of(program);
  return algorithm == NULL || algorithm->primitive_count >= 1;
}

/* Whether the program names an algorithm, of which the contract holds more than the RFC does. */
static bool asks_algorithm(const program_t *program, const contract_t *contract) {
  return dot_general_attributes(program)->has_algorithm &&
         PERMITTED(contract, dot_algorithm) != DOT_ALGORITHM_RFC;
}

static bool permits_elements(const program_t *program, const contract_t *contract) {
  return PERMITTED(contract, dot_algorithm) == DOT_ALGORITHM_VERIFIER ||
         !dot_general_mixes_f8(program);
}

static bool permits_precisions(const program_t *program, const contract_t *contract) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  if (!asks_algorithm(program, contract)) return true;
  for (uint32_t i = 0; i < attributes->precision.count; i++) {
    if (attributes->precision.values[i] != PRECISION_DEFAULT) return false;
  }
  return true;
}

static bool permits_types(const program_t *program, const contract_t *contract) {
  if (!asks_algorithm(program, contract)) return true;
  const dot_algorithm_attribute_t *algorithm = algorithm_of(program);
  return algorithm->lhs_type->kind == ELEMENT_FLOAT && algorithm->rhs_type->kind == ELEMENT_FLOAT &&
         algorithm->accumulation_type->kind == ELEMENT_FLOAT;
}

static bool permits_algorithm(const program_t *program, const contract_t *contract) {
  dot_algorithm_t known;
  const dot_algorithm_attribute_t *algorithm = algorithm_of(program);
  return algorithm == NULL || PERMITTED(contract, dot_algorithm) != DOT_ALGORITHM_VERIFIER ||
         (dot_algorithm_find(algorithm, &known) && dot_algorithm_row(&known) != NULL);
}

/* Of programs that pass, counts are positive. */
static dot_algorithm_flaw_t flaw_of(const program_t *program) {
  dot_algorithm_t algorithm;
  const dot_algorithm_attribute_t *attribute = algorithm_of(program);
  return attribute == NULL ? DOT_ALGORITHM_SOUND : dot_algorithm_read(attribute, &algorithm);
}

static bool adds_numbers(const program_t *program, const contract_t *contract) {
  (void)contract;
  return flaw_of(program) != DOT_ALGORITHM_KINDS;
}

static bool has_few_components(const program_t *program, const contract_t *contract) {
  (void)contract;
  return flaw_of(program) != DOT_ALGORITHM_COMPONENTS;
}

static bool has_all_products(const program_t *program, const contract_t *contract) {
  (void)contract;
  return flaw_of(program) != DOT_ALGORITHM_PRIMITIVES;
}

static bool is_precise_if_integer(const program_t *program, const contract_t *contract) {
  (void)contract;
  return flaw_of(program) != DOT_ALGORITHM_IMPRECISE;
}

static bool has_storage(const program_t *program, const contract_t *contract) {
  (void)contract;
  const dot_algorithm_attribute_t *algorithm = algorithm_of(program);
  if (algorithm == NULL || dot_general_has_quantized(program)) return true;
  bool is_complex = program->results[0].element->kind == ELEMENT_COMPLEX;
  const element_t *types[] = {program->operands[DOT_GENERAL_LHS].element,
                              program->operands[DOT_GENERAL_RHS].element,
                              program->results[0].element};
  for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
    bool is_alike = (types[i]->kind == ELEMENT_COMPLEX) == is_complex;
    if (!is_alike || types[i]->kind == ELEMENT_BOOLEAN) return false;
  }
  return !is_complex || algorithm->accumulation_type->format != NULL;
}

/* The type of accumulation is what RFC 000 considers, and what it leaves open is not modelled. */
static bool accumulates(const program_t *program, const contract_t *contract) {
  const element_t *accumulation = dot_general_attributes(program)->accumulation;
  if (accumulation == NULL) return true;
  const dot_algorithm_t algorithm = dot_general_accumulating(accumulation);
  const dot_algorithm_attribute_t attribute = dot_algorithm_attribute(&algorithm, true);
  dot_algorithm_t read;
  const element_t *result = program->results[0].element;
  return PERMITTED(contract, reduce_types) == REDUCE_TYPES_RFC &&
         !dot_general_has_quantized(program) && algorithm_of(program) == NULL &&
         dot_algorithm_find(&attribute, &read) && result->kind != ELEMENT_BOOLEAN &&
         (result->kind != ELEMENT_COMPLEX || accumulation->format != NULL);
}

/* ---- The table ------------------------------------------------------------------------------- */

const op_constraint_t dot_general_contract_constraints[] = {
    OP_SPECIFIED_UNDER("C13", "lhs and rhs have the same element type (dot_algorithm=rfc|spec)",
                       permits_elements),
    OP_SPECIFIED_UNDER(
        "C21",
        "precision_config is DEFAULT where there is an algorithm (dot_algorithm=spec|verifier)",
        permits_precisions),
    OP_FORBIDDEN_UNDER("float", "the algorithm's types are floats (dot_algorithm=spec|verifier)",
                       "inputs (I8-I10)", permits_types),
    OP_FORBIDDEN_BY_UNDER(
        "known", "the algorithm is known to be supported on any hardware (dot_algorithm=verifier)",
        "dot algorithms known to be supported on any hardware", "StableHLO's verifier",
        permits_algorithm),
    OP_UNMODELLED_UNDER("accumulation",
                        "a type of accumulation is named under reduce_types=rfc alone, of numbers "
                        "that are neither quantized nor i1, without an algorithm, and is one that "
                        "algorithms add in",
                        accumulates),
    OP_UNMODELLED_UNDER("kinds",
                        "the algorithm's types are floats with a sign and a zero, or integers: its "
                        "accumulation type is a float, and integers have at most 32 bits, or an "
                        "integer with a sign if those of the operands have one",
                        adds_numbers),
    OP_UNMODELLED_UNDER("components", "operands have at most 8 components, and integers have one",
                        has_few_components),
    OP_UNMODELLED_UNDER("primitives",
                        "there are no more primitive operations than products of components "
                        "(counts of 1 stand for as many components as are needed, up to 8)",
                        has_all_products),
    OP_UNMODELLED_UNDER("imprecise", "integers are not added imprecisely", is_precise_if_integer),
    OP_UNMODELLED_UNDER("storage",
                        "by an algorithm real numbers other than i1 give real ones, and complex "
                        "ones complex ones, which are added in floats",
                        has_storage),
    OP_CONSTRAINTS_END,
};
