/* SPDX-License-Identifier: Apache-2.0 */
/* Predicates on programs that the table of known verifier disagreements uses; none assumes a valid
 * program, so all check counts and ranks themselves. */
#include "tests/exec/verifier_conditions.h"

#include "generated/dot_general_permissions.h"
#include "oracles/ops/collective/collective.h"
#include "oracles/ops/dot_general/dot_general.h"
#include "oracles/ops/windowed/windowed.h"

/* ---- Attributes ------------------------------------------------------------------------------ */

static bool has_value(const program_t *program, const char *key, const char *pattern) {
  GString *words = g_string_new(NULL);
  program_print_attributes(program, words);
  g_autofree char *wanted = g_strdup_printf(" %s=%s(?: |$)", key, pattern);
  bool has_it = g_regex_match_simple(wanted, words->str, 0, 0);
  g_string_free(words, TRUE);
  return has_it;
}

bool is_empty_list(const program_t *program, const char *key) {
  return has_value(program, key, "\\[\\]");
}

bool has_few_precisions(const program_t *program) {
  return has_value(program, "precision", "\\[[A-Z]*\\]");
}

bool has_known_algorithm(const program_t *program) {
  const dot_general_attributes_t *attributes = program->attributes;
  dot_algorithm_t known;
  return !attributes->has_algorithm ||
         (dot_algorithm_find(&attributes->algorithm, &known) && dot_algorithm_row(&known) != NULL);
}

bool is_of_letter(const disagreement_t *disagreement) {
  return PERMITTED(disagreement->contract, dot_algorithm) == DOT_ALGORITHM_SPEC;
}

static bool is_op(const program_t *program, const char *name) {
  return strcmp(program->op->name, name) == 0;
}

/* ---- Types ----------------------------------------------------------------------------------- */

bool is_quantized(const type_t *type) { return type->quantization != NULL; }

bool has_size_0(const type_t *type) {
  for (uint32_t i = 0; i < type->rank; i++) {
    if (type->dims[i] == 0) return true;
  }
  return false;
}

static bool is_whole(const element_t *element) {
  return element_is_integer(element) || element->kind == ELEMENT_BOOLEAN;
}

static bool elements_are_alike(const element_t *a, const element_t *b) {
  return a->kind == b->kind || (is_whole(a) && is_whole(b));
}

bool are_alike(const type_t *a, const type_t *b) {
  if (is_quantized(a) || is_quantized(b)) return is_quantized(a) && is_quantized(b);
  return elements_are_alike(a->element, b->element);
}

bool differ_in_sign(const type_t *a, const type_t *b) {
  return is_quantized(a) && is_quantized(b) && a->element->bits == b->element->bits &&
         a->element->kind != b->element->kind;
}

bool has_element_of(const type_t *a, const type_t *b) {
  return a->element == b->element && quantization_equal(a->quantization, b->quantization);
}

/* ---- Reductions ------------------------------------------------------------------------------ */

static const reduction_t *reduction_of(const program_t *program) {
  if (is_op(program, "stablehlo.reduce")) {
    return &((const reduce_attributes_t *)program->attributes)->reduction;
  }
  bool is_windowed =
      is_op(program, "stablehlo.reduce_window") || is_op(program, "stablehlo.select_and_scatter");
  return is_windowed ? &windowed_attributes(program)->reduction
                     : &collective_attributes(program)->reduction;
}

/* The types of the terms, of the body and of the results; none if the operands are too few. */
static reduction_types_t types_of(const program_t *program) {
  uint32_t first = is_op(program, "stablehlo.select_and_scatter") ? SELECT_SOURCE : 0;
  if (program->operand_count < first + program->result_count) return (reduction_types_t){0};
  reduction_types_t types = reduction_types(reduction_of(program), program->operands + first,
                                            program->results, program->result_count);
  if (!is_op(program, "stablehlo.all_reduce")) return types;
  for (uint32_t i = 1; i < types.count; i++) types.accumulations[i] = types.accumulations[0];
  return types; /* All are reduced by one body. */
}

bool has_odd_operand(const program_t *program) { return program->operand_count % 2 == 1; }

bool has_other_init(const program_t *program) {
  uint32_t inputs = program->operand_count / 2;
  for (uint32_t i = 0; i < inputs; i++) {
    const type_t *input = &program->operands[i], *init = &program->operands[inputs + i];
    if (!has_element_of(input, init)) return are_alike(input, init);
  }
  return false;
}

bool narrows_a_float(const program_t *program) {
  reduction_types_t types = types_of(program);
  for (uint32_t i = 0; i < types.count; i++) {
    const element_t *from = types.inputs[i].element, *to = types.accumulations[i].element;
    bool are_floats = from->kind == ELEMENT_FLOAT && to->kind == ELEMENT_FLOAT;
    if (are_floats && to->bits < from->bits) return true;
  }
  return false;
}

bool widens_a_boolean(const program_t *program) {
  reduction_types_t types = types_of(program);
  for (uint32_t i = 0; i < types.count; i++) {
    const element_t *from = types.inputs[i].element, *to = types.accumulations[i].element;
    if (from->kind == ELEMENT_BOOLEAN && element_is_integer(to)) return true;
  }
  return false;
}

bool rescales_a_result(const program_t *program) {
  reduction_types_t types = types_of(program);
  for (uint32_t i = 0; i < types.count; i++) {
    const scalar_type_t *from = &types.accumulations[i], *to = &types.results[i];
    if (from->expressed == NULL || scalar_type_equal(from, to)) continue;
    return scalar_type_has_baseline_of(from, to);
  }
  return false;
}

/* ---- Replicas -------------------------------------------------------------------------------- */

int64_t replica_count(const program_t *program) {
  return collective_attributes(program)->groups.id_count;
}

int64_t named_count(const program_t *program) {
  const collective_attributes_t *attributes = collective_attributes(program);
  int64_t processes = program->operands[0].dims[0];
  bool names_processes = collective_grouping(attributes) == GROUPING_FLATTENED_IDS;
  return names_processes ? processes : processes / collective_partitions(attributes);
}

bool pads_a_group(const program_t *program) {
  const replica_groups_t *groups = &collective_attributes(program)->groups;
  for (uint32_t i = 0; i < groups->id_count; i++) {
    if (groups->ids[i] == -1) return true;
  }
  return false;
}

/* Equal, but for the first dimension; a scalar stands for a replica's. */
static bool are_alike_in_a_replica(const type_t *a, const type_t *b) {
  if (MAX(a->rank, 1) != MAX(b->rank, 1)) return false;
  for (uint32_t i = 1; i < a->rank; i++) {
    if (a->dims[i] != b->dims[i]) return false;
  }
  return true;
}

bool differ_in_replicas(const program_t *program) {
  bool differ = false;
  for (uint32_t i = 0; i < MIN(program->operand_count, program->result_count); i++) {
    const type_t *operand = &program->operands[i], *result = &program->results[i];
    if (!are_alike_in_a_replica(operand, result)) return false;
    differ |= !type_shapes_equal(operand, result);
  }
  return differ;
}

bool scatters_evenly(const program_t *program) {
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  int64_t dim = collective_attributes(program)->scatter_dimension + 1;
  if (dim < 1 || dim >= operand->rank || dim >= result->rank || result->dims[dim] == 0)
    return false;
  return operand->dims[dim] % result->dims[dim] == 0;
}
