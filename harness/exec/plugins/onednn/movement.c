/* SPDX-License-Identifier: Apache-2.0 */
/* reshape, transpose and broadcast_in_dim by the reorder primitive, whose strides say where an
 * element lies, and concatenate by the concat primitive; of quantized types what is stored. */
#include "harness/exec/executor_quantized.h"
#include "harness/exec/plugins/onednn/onednn.h"

/* The type of what is stored, of f32, bf16, i32, i8 and ui8. */
static dnnl_data_type_t find_type(const assay_type_t *type) {
  static const char *const names[] = {"f32", "bf16", "i32", "i8", "ui8"};
  static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_s32, dnnl_s8, dnnl_u8};
  assay_quantization_t quantization;
  bool is_quantized = assay_read_quantization(type, &quantization);
  const char *stored = is_quantized ? quantization.storage : type->element;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(names[i], stored) == 0) return types[i];
  }
  return dnnl_data_type_undef;
}

static int64_t quantized_axis(const assay_type_t *type) {
  assay_quantization_t quantization;
  return assay_read_quantization(type, &quantization) ? quantization.axis : -1;
}

/* Whether the types are one but for the quantized dimension. */
static bool is_element_kept(const assay_type_t *operand, const assay_type_t *result) {
  assay_quantization_t from;
  assay_quantization_t to;
  bool are_per_axis = assay_read_quantization(operand, &from) &&
                      assay_read_quantization(result, &to) && from.axis >= 0 && to.axis >= 0;
  if (!are_per_axis) return assay_type_is(result, operand->element);
  bool is_range_kept =
      from.has_range == to.has_range && from.minimum == to.minimum && from.maximum == to.maximum;
  return is_range_kept && strcmp(from.storage, to.storage) == 0 &&
         strcmp(from.expressed, to.expressed) == 0 && strcmp(from.scales, to.scales) == 0;
}

static int64_t extent(const assay_type_t *type, int64_t first, int64_t end) {
  int64_t product = 1;
  for (int64_t d = first; d < end; d++) product = assay_multiply_size(product, type->dims[d]);
  return product;
}

/* The constraint that a reshape breaks, or NULL. */
static const char *check_reshape(const assay_type_t *operand, const assay_type_t *result) {
  if (assay_type_count(operand) != assay_type_count(result)) return "C2: as many elements";
  int64_t from = quantized_axis(operand);
  int64_t to = quantized_axis(result);
  if (from < 0) return NULL;
  bool is_kept = extent(operand, 0, from) == extent(result, 0, to) &&
                 extent(operand, from + 1, operand->rank) == extent(result, to + 1, result->rank);
  return is_kept ? NULL : "C3: the quantized dimension stays";
}

/* The same of a transpose, and its permutation. */
static const char *check_transpose(const assay_program_t *program, assay_dims_t *out_permutation) {
  const assay_type_t *operand = &program->operands[0];
  const assay_type_t *result = &program->results[0];
  if (!assay_attribute_dims(program, "permutation", out_permutation) ||
      out_permutation->count != operand->rank ||
      !assay_dims_are_distinct(out_permutation, operand->rank)) {
    return "C2: a permutation";
  }
  if (result->rank != operand->rank) return "C3: the shape of the operand, permuted";
  for (uint32_t i = 0; i < result->rank; i++) {
    if (result->dims[i] != operand->dims[out_permutation->dims[i]]) {
      return "C3: the shape of the operand, permuted";
    }
  }
  int64_t to = quantized_axis(result);
  bool is_kept = to < 0 || out_permutation->dims[to] == quantized_axis(operand);
  return is_kept ? NULL : "C4: the quantized dimension moves along";
}

/* The operand in the order of the result's dimensions. */
static dnnl_status_t describe_permuted(const dnnl_functions_t *dnnl, const assay_program_t *program,
                                       const assay_dims_t *permutation, dnnl_data_type_t type,
                                       plan_t *plan) {
  const assay_type_t *operand = &program->operands[0];
  dnnl_dims_t all;
  dnnl_dims_t strides;
  int64_t stride = 1;
  for (uint32_t d = operand->rank; d-- > 0;) {
    all[d] = stride;
    stride *= operand->dims[d];
  }
  for (uint32_t i = 0; i < permutation->count; i++) strides[i] = all[permutation->dims[i]];
  const assay_type_t *result = &program->results[0];
  dnnl_status_t status = dnnl->dnnl_memory_desc_init_by_strides(&plan->inputs[0], (int)result->rank,
                                                                result->dims, type, strides);
  if (status != dnnl_success) return status;
  return plan_describe(dnnl, result->rank, result->dims, type, &plan->output);
}

int32_t plan_movement(const dnnl_functions_t *dnnl, const assay_program_t *program,
                      bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  (void)takes_any_types;
  static const char *const keys[] = {"permutation"};
  bool is_transpose = strcmp(program->op, "stablehlo.transpose") == 0;
  const char *unknown = assay_find_unknown_key(program, keys, is_transpose ? 1 : 0);
  if (unknown != NULL) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no attribute %s here", unknown);
  }
  if (program->operand_count != 1 || program->result_count != 1) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "one operand, one result");
  }
  const assay_type_t *operand = &program->operands[0];
  assay_dims_t permutation = {.count = 0};
  const char *broken =
      is_element_kept(operand, &program->results[0]) ? NULL : "C1: the element type of the operand";
  if (broken == NULL) {
    broken = is_transpose ? check_transpose(program, &permutation)
                          : check_reshape(operand, &program->results[0]);
  }
  if (broken != NULL) return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken %s", broken);
  dnnl_data_type_t type = find_type(operand);
  if (type == dnnl_data_type_undef || assay_type_is_empty(operand)) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no reorder of %s, nor of nothing",
                         operand->element);
  }
  *out_plan = (plan_t){.kind = PLAN_REORDER, .input_count = 1, .input_arguments = {DNNL_ARG_FROM}};
  const int64_t count = (int64_t)assay_type_count(operand);
  dnnl_status_t status = dnnl_success;
  if (permutation.count > 0) {
    status = describe_permuted(dnnl, program, &permutation, type, out_plan);
  } else {
    status = plan_describe(dnnl, 1, &count, type, &out_plan->inputs[0]);
    if (status == dnnl_success) status = plan_describe(dnnl, 1, &count, type, &out_plan->output);
  }
  return plan_answer(dnnl, status, "reorder", reason);
}

/* ---- broadcast_in_dim. ----------------------------------------------------------------------- */

/* The constraint that it breaks, or NULL. */
static const char *check_broadcast(const assay_program_t *program, assay_dims_t *out_dims) {
  const assay_type_t *operand = &program->operands[0];
  const assay_type_t *result = &program->results[0];
  if (!is_element_kept(operand, result)) return "C1: the element type of the operand";
  if (!assay_attribute_dims(program, "broadcast_dimensions", out_dims) ||
      out_dims->count != operand->rank) {
    return "C2: an entry for each dimension";
  }
  if (!assay_dims_are_distinct(out_dims, result->rank)) {
    return "C3, C4: dimensions of the result, none twice";
  }
  for (uint32_t d = 0; d < operand->rank; d++) {
    bool fits = operand->dims[d] == 1 || operand->dims[d] == result->dims[out_dims->dims[d]];
    if (!fits) return "C5: sizes that fit";
  }
  int64_t axis = quantized_axis(operand);
  bool is_kept = axis < 0 || out_dims->dims[axis] == quantized_axis(result);
  return is_kept ? NULL : "C6: the quantized dimension moves along";
}

/* The operand as if it had the result's shape: a stride of 0 along what is repeated. */
static dnnl_status_t describe_repeated(const dnnl_functions_t *dnnl, const assay_program_t *program,
                                       const assay_dims_t *dims, dnnl_data_type_t type,
                                       plan_t *plan) {
  const assay_type_t *operand = &program->operands[0];
  const assay_type_t *result = &program->results[0];
  const int64_t one = 1;
  dnnl_dims_t strides = {0};
  int64_t stride = 1;
  for (uint32_t d = operand->rank; d-- > 0;) {
    if (operand->dims[d] != 1) strides[dims->dims[d]] = stride;
    stride *= operand->dims[d];
  }
  bool is_number = result->rank == 0;
  const int64_t *sizes = is_number ? &one : result->dims;
  uint32_t rank = is_number ? 1 : result->rank;
  dnnl_status_t status =
      dnnl->dnnl_memory_desc_init_by_strides(&plan->inputs[0], (int)rank, sizes, type, strides);
  return status == dnnl_success ? plan_describe(dnnl, rank, sizes, type, &plan->output) : status;
}

int32_t plan_broadcast(const dnnl_functions_t *dnnl, const assay_program_t *program,
                       bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  static const char *const keys[] = {"broadcast_dimensions"};
  const char *unknown = assay_find_unknown_key(program, keys, 1);
  if (unknown != NULL) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no attribute %s here", unknown);
  }
  if (program->operand_count != 1 || program->result_count != 1) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "one operand, one result");
  }
  const assay_type_t *operand = &program->operands[0];
  int64_t axis = quantized_axis(operand);
  if (axis >= 0 && operand->dims[axis] == 1) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no scale that is repeated");
  }
  assay_dims_t dims = {.count = 0};
  const char *broken = check_broadcast(program, &dims);
  if (broken != NULL) return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken %s", broken);
  dnnl_data_type_t type = find_type(operand);
  if (type == dnnl_data_type_undef || assay_type_is_empty(&program->results[0])) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no reorder of %s, nor of nothing",
                         operand->element);
  }
  /* A stride of 0 is nowhere documented for oneDNN 2.6, which takes it as what it looks like. */
  if (!takes_any_types) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no reorder that repeats elements");
  }
  *out_plan = (plan_t){.kind = PLAN_REORDER, .input_count = 1, .input_arguments = {DNNL_ARG_FROM}};
  return plan_answer(dnnl, describe_repeated(dnnl, program, &dims, type, out_plan), "reorder",
                     reason);
}

/* ---- concatenate. ---------------------------------------------------------------------------- */

/* The constraint that it breaks, or NULL. */
static const char *check_concatenate(const assay_program_t *program, int64_t *out_dimension) {
  const assay_type_t *first = &program->operands[0];
  const assay_type_t *result = &program->results[0];
  if (!assay_attribute_integer(program, "dimension", out_dimension) || *out_dimension < 0 ||
      *out_dimension >= (int64_t)first->rank) {
    return "C4: a dimension of the operands";
  }
  int64_t size = 0;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const assay_type_t *operand = &program->operands[i];
    if (!assay_type_is(operand, result->element)) return "C1, C5: one element type";
    if (quantized_axis(operand) >= 0) return "types: one scale for a whole tensor";
    if (operand->rank != result->rank) return "C2, C6: one rank";
    for (uint32_t d = 0; d < result->rank; d++) {
      if ((int64_t)d != *out_dimension && operand->dims[d] != result->dims[d]) {
        return "C2, C6: one shape but for the dimension";
      }
    }
    size += operand->dims[*out_dimension];
  }
  return size == result->dims[*out_dimension] ? NULL : "C6: the sum of the sizes";
}

int32_t plan_concatenate(const dnnl_functions_t *dnnl, const assay_program_t *program,
                         bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  (void)takes_any_types;
  static const char *const keys[] = {"dimension"};
  const char *unknown = assay_find_unknown_key(program, keys, 1);
  if (unknown != NULL) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no attribute %s here", unknown);
  }
  if (program->operand_count == 0 || program->operand_count > PLAN_INPUTS_MAX ||
      program->result_count != 1) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken C3: operands, and one result");
  }
  int64_t dimension;
  const char *broken = check_concatenate(program, &dimension);
  if (broken != NULL) return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken %s", broken);
  const assay_type_t *result = &program->results[0];
  dnnl_data_type_t type = find_type(result);
  bool has_nothing = assay_type_is_empty(result);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    has_nothing = has_nothing || assay_type_is_empty(&program->operands[i]);
  }
  if (type == dnnl_data_type_undef || has_nothing) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no concat of %s, nor of nothing",
                         result->element);
  }
  *out_plan = (plan_t){
      .kind = PLAN_CONCATENATE, .dimension = (int)dimension, .input_count = program->operand_count};
  dnnl_status_t status = plan_describe(dnnl, result->rank, result->dims, type, &out_plan->output);
  for (uint32_t i = 0; i < program->operand_count && status == dnnl_success; i++) {
    const assay_type_t *operand = &program->operands[i];
    out_plan->input_arguments[i] = DNNL_ARG_MULTIPLE_SRC + (int)i;
    status = plan_describe(dnnl, operand->rank, operand->dims, type, &out_plan->inputs[i]);
  }
  return plan_answer(dnnl, status, "concat", reason);
}
