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
static bool signature_holds(const program_t *program) {
  return program->operand_count == 1 && program->result_count == 1 &&
         reduction_takes(&program->operands[0]) && reduction_takes(&program->results[0]) &&
         program->operands[0].rank > 0 && is_rectangular(&collective_attributes(program)->groups);
}

static bool has_shape(const type_t *result, const type_t *expected) {
  return result->rank == expected->rank &&
         memcmp(result->dims, expected->dims, result->rank * sizeof result->dims[0]) == 0;
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
  if (!signature_holds(program)) return "types";
  const char *violation = validate_reduction(program, &ids);
  if (violation != NULL) return violation;
  return has_shape(&program->results[0], &program->operands[0]) ? NULL : "C6";
}

const char *reduce_scatter_validate(const program_t *program) {
  static const ids_t ids = {"C3", "C4", "C5", "C7", "C9"};
  if (!signature_holds(program)) return "types";
  const collective_attributes_t *attributes = collective_attributes(program);
  type_t expected = program->operands[0];
  int64_t dim = attributes->scatter_dimension;
  if (dim < 0 || dim >= (int64_t)expected.rank - 1) return "C2";
  int64_t *size = &expected.dims[dim + 1];
  int64_t parts = replica_group_size(&attributes->groups);
  if (parts == 0 || *size % parts != 0) return "C1";
  const char *violation = validate_reduction(program, &ids);
  if (violation != NULL) return violation;
  *size /= parts;
  return has_shape(&program->results[0], &expected) ? NULL : "C8";
}
