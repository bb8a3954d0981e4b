#include "oracles/ops/collective/collective_op.h"

static bool is_rectangular(const replica_groups_t *groups) {
  for (uint32_t i = 1; i < groups->group_count; i++) {
    if (groups->sizes[i] != groups->sizes[0]) return false;
  }
  return true;
}

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
  bool is_read = program->operand_count == 1 && program->operands[0].rank > 0;
  return is_read ? NULL : "replicas";
}

/* The ids of three constraints of replica_groups, and of those of body and result type. */
typedef struct ids {
  const char *unique, *size, *range, *body, *result;
} ids_t;

static const char *validate_reduction(const program_t *program, const ids_t *ids) {
  const collective_attributes_t *attributes = collective_attributes(program);
  const replica_groups_t *groups = &attributes->groups;
  if (!is_unique(groups)) return ids->unique;
  if ((int64_t)groups->id_count != program->operands[0].dims[0]) return ids->size;
  if (!is_in_range(groups)) return ids->range;
  reduction_types_t types = collective_types(program);
  return reduction_validate(&attributes->reduction, &types, ids->body, ids->result);
}

const char *all_reduce_validate(const program_t *program) {
  static const ids_t ids = {"C1", "C2", "C3", "C5", "C7"};
  const collective_attributes_t *attributes = collective_attributes(program);
  const char *violation = validate_signature(program);
  if (violation == NULL) violation = validate_reduction(program, &ids);
  if (violation != NULL) return violation;
  if (!type_shapes_equal(&program->results[0], &program->operands[0])) return "C6";
  if (!is_rectangular(&attributes->groups)) return "groups";
  reduction_types_t types = collective_types(program);
  return reduction_check_model(&attributes->reduction, &types);
}

const char *reduce_scatter_validate(const program_t *program) {
  static const ids_t ids = {"C3", "C4", "C5", "C7", "C9"};
  const collective_attributes_t *attributes = collective_attributes(program);
  if (program->operand_count != 1 || !is_rectangular(&attributes->groups)) return "types";
  const char *violation = validate_signature(program);
  if (violation != NULL) return violation;
  type_t expected = program->operands[0];
  int64_t dim = attributes->scatter_dimension;
  if (dim < 0 || dim >= (int64_t)expected.rank - 1) return "C2";
  int64_t *size = &expected.dims[dim + 1];
  int64_t parts = replica_group_size(&attributes->groups);
  if (parts == 0 || *size % parts != 0) return "C1";
  violation = validate_reduction(program, &ids);
  if (violation != NULL) return violation;
  *size /= parts;
  if (!type_shapes_equal(&program->results[0], &expected)) return "C8";
  reduction_types_t types = collective_types(program);
  return reduction_check_model(&attributes->reduction, &types);
}
