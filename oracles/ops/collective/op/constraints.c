/* SPDX-License-Identifier: Apache-2.0 */
/* The constraints of the collective ops.  Both share those of groups, channel and reduction, each
 * under its own numbers. */
#include "oracles/ops/collective/op/op.h"

/* ---- Groups ---------------------------------------------------------------------------------- */

static const replica_groups_t *groups_of(const program_t *program) {
  return &collective_attributes(program)->groups;
}

static bool has_types(const program_t *program) {
  if (program->operand_count == 0 || program->operand_count != program->result_count) return false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (!reduction_takes(&program->operands[i]) || !reduction_takes(&program->results[i])) {
      return false;
    }
  }
  return true;
}

static bool has_replicas(const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const type_t *operand = &program->operands[i];
    if (operand->rank == 0 || operand->dims[0] != program->operands[0].dims[0]) return false;
  }
  return true;
}

static bool names_unique(const program_t *program) {
  const replica_groups_t *groups = groups_of(program);
  for (uint32_t i = 0; i < groups->id_count; i++) {
    for (uint32_t j = 0; j < i; j++) {
      if (groups->ids[i] == groups->ids[j]) return false;
    }
  }
  return true;
}

static bool has_partitions(const program_t *program) {
  int64_t partitions = collective_partitions(collective_attributes(program));
  return partitions >= 1 && partitions <= REPLICAS_MAX &&
         program->operands[0].dims[0] % partitions == 0;
}

static bool names_all(const program_t *program) {
  const collective_attributes_t *attributes = collective_attributes(program);
  int64_t processes = program->operands[0].dims[0];
  bool names_processes = collective_grouping(attributes) == GROUPING_FLATTENED_IDS;
  int64_t named = names_processes ? processes : processes / collective_partitions(attributes);
  return (int64_t)attributes->groups.id_count == named;
}

static bool names_in_range(const program_t *program) {
  const replica_groups_t *groups = groups_of(program);
  for (uint32_t i = 0; i < groups->id_count; i++) {
    if (groups->ids[i] < 0 || groups->ids[i] >= (int64_t)groups->id_count) return false;
  }
  return true;
}

static bool has_channel(const program_t *program) {
  const collective_attributes_t *attributes = collective_attributes(program);
  return !attributes->use_global_device_ids || attributes->channel_id > 0;
}

/* ---- The reduction --------------------------------------------------------------------------- */

/* One body reduces all operands: what it returns all results have, unless the RFC converts it. */
static reduction_rule_t broken_rule(const program_t *program) {
  const reduction_t *reduction = &collective_attributes(program)->reduction;
  const scalar_type_t first = scalar_type_of(&program->results[0]);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    reduction_types_t types = collective_types(program, i);
    reduction_rule_t rule = reduction_broken_rule(reduction, &types);
    if (rule != REDUCTION_RULE_NONE) return rule;
    bool is_body_type =
        reduction->accumulation_count != 0 || scalar_type_equal(&types.results[0], &first);
    if (!is_body_type) return REDUCTION_RULE_RESULT;
  }
  return REDUCTION_RULE_NONE;
}

static reduction_rule_t broken_rule_under(const program_t *program, const contract_t *contract) {
  reduction_rule_t rule = REDUCTION_RULE_NONE;
  for (uint32_t i = 0; i < program->operand_count && rule == REDUCTION_RULE_NONE; i++) {
    reduction_types_t types = collective_types(program, i);
    rule = reduction_broken_rule_under(&types, contract);
  }
  return rule;
}

REDUCTION_PREDICATES(broken_rule, broken_rule_under)

/* Whether the accumulation must be named for operand `operand`, or is not. */
static bool is_canonical_for(const program_t *program, uint32_t operand) {
  reduction_types_t types = collective_types(program, operand);
  return reduction_is_canonical(&collective_attributes(program)->reduction, &types);
}

/* An accumulation need not be named where all results have it. */
static bool is_canonical(const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (is_canonical_for(program, i)) return true;
  }
  return false;
}

static bool is_modelled(const program_t *program) {
  reduce_body_t body = collective_attributes(program)->reduction.body;
  if (body == REDUCE_WRITTEN) return true;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    reduction_types_t types = collective_types(program, i);
    if (is_canonical_for(program, i) && !reduction_body_allows(body, &types)) return false;
  }
  return true;
}

static bool is_written_modelled(const program_t *program) {
  const reduction_t *reduction = &collective_attributes(program)->reduction;
  if (reduction->body != REDUCE_WRITTEN) return true;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    reduction_types_t types = collective_types(program, i);
    if (!reduction_written_allows(&reduction->written, &types)) return false;
  }
  return true;
}

#define WRITTEN_UNMODELLED                                                                      \
  OP_UNMODELLED("written",                                                                      \
                "a body that is written out is of ops that take what they are given, works on " \
                "booleans, integers, bf16, f16, f32 and f64, and converts nothing",             \
                is_written_modelled)

#define UNIQUE "no replica is twice in replica_groups"
#define SIZE \
  "replica_groups has as many replicas as there are, or processes with use_global_device_ids"
#define RANGE "each replica of replica_groups is at least 0 and below their number"
#define CHANNEL "with use_global_device_ids, channel_id is positive"
#define BODY "the body takes and returns a scalar of a type to which the operand can be converted"
#define RESULT "the result has the element type that the body returns, or one that the RFC permits"
#define REPLICAS "the first dimension of operand and result is that of the replicas"
#define ALL_REPLICAS "the first dimension of each operand and result is that of the replicas"
#define PARTITIONS "num_partitions is at most 64, and each replica has as many processes"

/* ---- all_reduce ------------------------------------------------------------------------------ */

static bool keeps_shapes(const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (!type_shapes_equal(&program->results[i], &program->operands[i])) return false;
  }
  return true;
}

const op_constraint_t all_reduce_constraints[] = {
    OP_FORBIDDEN("types",
                 "there are as many operands as results, and at least one; none is quantized per "
                 "axis",
                 "inputs (I1) and outputs", has_types),
    OP_UNMODELLED("replicas", ALL_REPLICAS, has_replicas),
    OP_UNMODELLED("partitions", PARTITIONS, has_partitions),
    OP_SPECIFIED("C1", UNIQUE, names_unique),
    OP_SPECIFIED("C2", SIZE, names_all),
    OP_SPECIFIED("C3", RANGE, names_in_range),
    OP_SPECIFIED("C4", CHANNEL, has_channel),
    OP_SPECIFIED("C5", BODY, converts_to_body),
    OP_SPECIFIED("C7", RESULT, converts_to_result),
    REDUCTION_CONSTRAINTS("C5", "C7"),
    OP_SPECIFIED("C6", "the result has the shape of the operand", keeps_shapes),
    REDUCTION_UNMODELLED,
    WRITTEN_UNMODELLED,
    OP_CONSTRAINTS_END,
};

const op_constraint_t all_reduce_contract_constraints[] = {
    REDUCTION_CONTRACT_CONSTRAINTS("C5", "C7"),
    OP_CONSTRAINTS_END,
};

/* ---- reduce_scatter -------------------------------------------------------------------------- */

static bool has_scatter_types(const program_t *program) {
  return program->operand_count == 1 && replica_groups_are_even(groups_of(program)) &&
         has_types(program);
}

static bool scatters_dimension(const program_t *program) {
  int64_t dim = collective_attributes(program)->scatter_dimension;
  return dim >= 0 && dim < (int64_t)program->operands[0].rank - 1;
}

/* The size of a dimension that is scattered, which the first one of the replicas precedes. */
static int64_t *scattered_size(const program_t *program, type_t *type) {
  return &type->dims[collective_attributes(program)->scatter_dimension + 1];
}

static bool scatters_evenly(const program_t *program) {
  type_t operand = program->operands[0];
  int64_t parts = collective_group_size(collective_attributes(program));
  return parts != 0 && *scattered_size(program, &operand) % parts == 0;
}

static bool gets_part(const program_t *program) {
  type_t part = program->operands[0];
  *scattered_size(program, &part) /= collective_group_size(collective_attributes(program));
  return type_shapes_equal(&program->results[0], &part);
}

const op_constraint_t reduce_scatter_constraints[] = {
    OP_FORBIDDEN(
        "types",
        "there are one operand and one result, not quantized per axis, and all groups have "
        "one size",
        "inputs (I1), (I3) and outputs", has_scatter_types),
    OP_UNMODELLED("replicas", REPLICAS, has_replicas),
    OP_UNMODELLED("partitions", PARTITIONS, has_partitions),
    OP_SPECIFIED("C2", "scatter_dimension is at least 0 and below the rank of a replica's operand",
                 scatters_dimension),
    OP_SPECIFIED(
        "C1",
        "the size of the scatter dimension is a multiple of the size of the groups of processes",
        scatters_evenly),
    OP_SPECIFIED("C3", UNIQUE, names_unique),
    OP_SPECIFIED("C4", SIZE, names_all),
    OP_SPECIFIED("C5", RANGE, names_in_range),
    OP_SPECIFIED("C6", CHANNEL, has_channel),
    OP_SPECIFIED("C7", BODY, converts_to_body),
    OP_SPECIFIED("C9", RESULT, converts_to_result),
    REDUCTION_CONSTRAINTS("C7", "C9"),
    OP_SPECIFIED("C8",
                 "the result has the shape of the operand, but for the scatter dimension, which is "
                 "divided by the size of the groups of processes",
                 gets_part),
    REDUCTION_UNMODELLED,
    WRITTEN_UNMODELLED,
    OP_CONSTRAINTS_END,
};

const op_constraint_t reduce_scatter_contract_constraints[] = {
    REDUCTION_CONTRACT_CONSTRAINTS("C7", "C9"),
    OP_CONSTRAINTS_END,
};
