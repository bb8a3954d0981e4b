/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the constraints of the collective ops in the order of the specification; both ops share
 * the checks of groups, channel and reduction, each under its own constraint numbers. */
#include "oracles/ops/collective/op/op.h"

static bool is_unique(const replica_groups_t *groups) {
  for (uint32_t i = 0; i < groups->id_count; i++) {
    for (uint32_t j = 0; j < i; j++) {
      if (groups->ids[i] == groups->ids[j]) return false;
    }
  }
  return true;
}

static bool is_in_range(const replica_groups_t *groups) {
  for (uint32_t i = 0; i < groups->id_count; i++) {
    if (groups->ids[i] < 0 || groups->ids[i] >= (int64_t)groups->id_count) return false;
  }
  return true;
}

/* What a text could not say in other ways. */
static const char *validate_signature(const program_t *program) {
  if (program->operand_count == 0 || program->operand_count != program->result_count) {
    return "types";
  }
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (!reduction_takes(&program->operands[i]) || !reduction_takes(&program->results[i])) {
      return "types";
    }
  }
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const type_t *operand = &program->operands[i];
    if (operand->rank == 0 || operand->dims[0] != program->operands[0].dims[0]) return "replicas";
  }
  return NULL;
}

/* The ids of four constraints of groups and channel, and of those of body and result type. */
typedef struct ids {
  const char *unique, *size, *range, *channel, *body, *result;
} ids_t;

static const char *validate_groups(const program_t *program, const ids_t *ids) {
  const collective_attributes_t *attributes = collective_attributes(program);
  const replica_groups_t *groups = &attributes->groups;
  if (!is_unique(groups)) return ids->unique;
  if ((int64_t)groups->id_count != program->operands[0].dims[0]) return ids->size;
  if (!is_in_range(groups)) return ids->range;
  bool lacks_channel = attributes->use_global_device_ids && attributes->channel_id <= 0;
  return lacks_channel ? ids->channel : NULL;
}

/* One body reduces all operands: what it returns all results have, unless the RFC converts it. */
static const char *validate_reduction(const program_t *program, const ids_t *ids) {
  const reduction_t *reduction = &collective_attributes(program)->reduction;
  const scalar_type_t first = scalar_type_of(&program->results[0]);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    reduction_types_t types = collective_types(program, i);
    const char *violation = reduction_validate(reduction, &types, ids->body, ids->result);
    if (violation != NULL) return violation;
    bool is_body_type =
        reduction->accumulation_count != 0 || scalar_type_equal(&types.results[0], &first);
    if (!is_body_type) return ids->result;
  }
  return NULL;
}

/* An accumulation need not be named where all results have it. */
static const char *check_model(const program_t *program) {
  const reduction_t *reduction = &collective_attributes(program)->reduction;
  uint32_t unnamed = 0;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    reduction_types_t types = collective_types(program, i);
    const char *violation = reduction_check_model(reduction, &types);
    if (g_strcmp0(violation, "accumulation") == 0) {
      unnamed++;
    } else if (violation != NULL) {
      return violation;
    }
  }
  return unnamed == program->operand_count ? "accumulation" : NULL;
}

const char *all_reduce_validate(const program_t *program) {
  static const ids_t ids = {"C1", "C2", "C3", "C4", "C5", "C7"};
  const char *violation = validate_signature(program);
  if (violation == NULL) violation = validate_groups(program, &ids);
  if (violation == NULL) violation = validate_reduction(program, &ids);
  if (violation != NULL) return violation;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (!type_shapes_equal(&program->results[i], &program->operands[i])) return "C6";
  }
  return check_model(program);
}

const char *reduce_scatter_validate(const program_t *program) {
  static const ids_t ids = {"C3", "C4", "C5", "C6", "C7", "C9"};
  const collective_attributes_t *attributes = collective_attributes(program);
  bool is_even = replica_groups_are_even(&attributes->groups);
  if (program->operand_count != 1 || !is_even) return "types";
  const char *violation = validate_signature(program);
  if (violation != NULL) return violation;
  type_t expected = program->operands[0];
  int64_t dim = attributes->scatter_dimension;
  if (dim < 0 || dim >= (int64_t)expected.rank - 1) return "C2";
  int64_t *size = &expected.dims[dim + 1];
  int64_t parts = replica_group_size(&attributes->groups);
  if (parts == 0 || *size % parts != 0) return "C1";
  violation = validate_groups(program, &ids);
  if (violation == NULL) violation = validate_reduction(program, &ids);
  if (violation != NULL) return violation;
  *size /= parts;
  if (!type_shapes_equal(&program->results[0], &expected)) return "C8";
  return check_model(program);
}
