/* SPDX-License-Identifier: Apache-2.0 */
/* Whether operands give results of the sizes that a case has. */
#include <inttypes.h>

#include "oracles/ops/data_dependent/sources.h"

static status_t check_count(int64_t given, int64_t wanted, const char *what, failure_t *error) {
  if (given == wanted) return STATUS_OK;
  return status_fail(error, STATUS_UNSUPPORTED,
                     "no oracle: operands give %" PRId64 " %s, the result has %" PRId64, given,
                     what, wanted);
}

static status_t check_repeat(const case_t *instance, failure_t *error) {
  const tensor_t *times = &instance->operands[1];
  int64_t rows = 0, wanted = instance->program.results[0].dims[0];
  for (int64_t i = 0; i < times->type.dims[0]; i++) {
    int64_t entry = dependent_integer(times, (size_t)i);
    if (entry < 0) return status_fail(error, STATUS_UNSUPPORTED, "no oracle: negative times");
    rows += MIN(entry, (int64_t)TYPE_ELEMENTS_MAX);
  }
  return check_count(rows, wanted, "rows", error);
}

static status_t check_non_zero(const case_t *instance, bool may_flush, failure_t *error) {
  const tensor_t *data = &instance->operands[0];
  const format_t *format = data->type.element->format;
  int64_t rows = 0;
  for (size_t i = 0; i < type_element_count(&data->type); i++) {
    uint64_t bits = element_load(data->type.element, data->data, i);
    if (may_flush && format != NULL && format_is_subnormal(format, bits)) {
      return status_fail(error, STATUS_UNSUPPORTED,
                         "no oracle: a subnormal number may be flushed to zero");
    }
    rows += !dependent_is_zero(data, i);
  }
  return check_count(rows, instance->program.results[0].dims[0], "rows", error);
}

static status_t check_partition(const case_t *instance, failure_t *error) {
  const program_t *program = &instance->program;
  const tensor_t *labels = &instance->operands[1];
  int64_t rows[CASE_RESULTS_MAX] = {0};
  for (int64_t i = 0; i < labels->type.dims[0]; i++) {
    int64_t label = dependent_integer(labels, (size_t)i);
    if (label < 0 || label >= program->result_count) {
      return status_fail(error, STATUS_UNSUPPORTED, "no oracle: there is no partition %" PRId64,
                         label);
    }
    rows[label]++;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    STATUS_TRY(check_count(rows[i], program->results[i].dims[0], "rows", error));
  }
  return STATUS_OK;
}

static status_t check_stitch(const case_t *instance, failure_t *error) {
  const program_t *program = &instance->program;
  size_t rows = (size_t)program->results[0].dims[0], covered = 0;
  bool *is_covered = g_new0(bool, rows + 1);
  status_t status = STATUS_OK;
  for (uint32_t i = 0; i < program->operand_count / 2 && status == STATUS_OK; i++) {
    const tensor_t *indices = &instance->operands[i];
    for (int64_t k = 0; k < indices->type.dims[0] && status == STATUS_OK; k++) {
      int64_t to = dependent_integer(indices, (size_t)k);
      if (to < 0 || to >= (int64_t)rows) {
        status = status_fail(error, STATUS_UNSUPPORTED, "no oracle: there is no row %" PRId64, to);
      } else if (!is_covered[to]) {
        is_covered[to] = true;
        covered++;
      }
    }
  }
  g_free(is_covered);
  if (status != STATUS_OK) return status;
  return check_count((int64_t)covered, (int64_t)rows, "different rows", error);
}

status_t dependent_check(const case_t *instance, bool may_flush, failure_t *error) {
  switch (dependent_op_of(&instance->program)) {
    case DEPENDENT_REPEAT:
      return check_repeat(instance, error);
    case DEPENDENT_NON_ZERO:
      return check_non_zero(instance, may_flush, error);
    case DEPENDENT_PARTITION:
      return check_partition(instance, error);
    case DEPENDENT_STITCH:
      return check_stitch(instance, error);
    case DEPENDENT_SELECT:
      break;
  }
  return STATUS_OK;
}
