/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the constraints of a convolution, list lengths first because all others depend on them,
 * and derives the result's sizes. */
#include <glib.h>

#include "generated/convolution_permissions.h"
#include "harness/types/promotion.h"
#include "oracles/ops/convolution/op/op.h"

/* All sizes of lists, without which nothing else can be asked. */
static const char *validate_counts(const convolution_attributes_t *attributes, uint32_t rank) {
  if (attributes->window_strides.count + 2 != rank) return "C2";
  if (attributes->padding.count + 2 != rank) return "C4";
  if (attributes->lhs_dilation.count + 2 != rank) return "C5";
  if (attributes->rhs_dilation.count + 2 != rank) return "C7";
  if (attributes->reversal_count + 2 != rank) return "C9";
  if (attributes->input.spatial.count + 2 != rank) return "C12";
  if (attributes->kernel.spatial.count + 2 != rank) return "C17";
  return attributes->output.spatial.count + 2 == rank ? NULL : "C19";
}

static bool is_positive(const dimension_list_t *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    if (list->dims[i] <= 0) return false;
  }
  return true;
}

/* The spatial dimensions are rank - 2, which leaves room for two more. */
static bool is_permutation(const convolution_numbers_t *numbers, uint32_t rank) {
  dimension_list_t all = numbers->spatial;
  dimension_list_append(&all, numbers->batch);
  dimension_list_append(&all, numbers->feature);
  return dimension_list_in_range(&all, rank) && dimension_list_is_unique(&all);
}

static const char *validate_numbers(const convolution_attributes_t *attributes, uint32_t rank) {
  if (!is_positive(&attributes->window_strides)) return "C3";
  if (!is_positive(&attributes->lhs_dilation)) return "C6";
  if (!is_positive(&attributes->rhs_dilation)) return "C8";
  if (!is_permutation(&attributes->input, rank)) return "C13";
  if (!is_permutation(&attributes->kernel, rank)) return "C18";
  if (!is_permutation(&attributes->output, rank)) return "C20";
  if (attributes->feature_group_count <= 0) return "C21";
  if (attributes->batch_group_count <= 0) return "C22";
  bool has_one = attributes->feature_group_count == 1 || attributes->batch_group_count == 1;
  return has_one ? NULL : "C23";
}

static const char *validate_groups(const program_t *program) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  const type_t *lhs = &program->operands[CONVOLUTION_LHS];
  const type_t *rhs = &program->operands[CONVOLUTION_RHS];
  int64_t feature_groups = attributes->feature_group_count;
  int64_t features = lhs->dims[attributes->input.feature];
  int64_t channels = rhs->dims[attributes->kernel.batch];
  if (lhs->dims[attributes->input.batch] % attributes->batch_group_count != 0) return "C10";
  if (features % feature_groups != 0) return "C11";
  if (rhs->dims[attributes->kernel.feature] != features / feature_groups) return "C14";
  if (channels % attributes->batch_group_count != 0) return "C15";
  return channels % feature_groups == 0 ? NULL : "C16";
}

bool convolution_result_sizes(const program_t *program, int64_t out_sizes[TYPE_RANK_MAX]) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  const type_t *lhs = &program->operands[CONVOLUTION_LHS];
  const type_t *rhs = &program->operands[CONVOLUTION_RHS];
  out_sizes[attributes->output.batch] =
      lhs->dims[attributes->input.batch] / attributes->batch_group_count;
  out_sizes[attributes->output.feature] = rhs->dims[attributes->kernel.batch];
  for (uint32_t dim = 0; dim < attributes->output.spatial.count; dim++) {
    convolution_axis_t axis = convolution_axis(program, dim);
    __int128 count = convolution_window_count(&axis);
    if (count > TYPE_ELEMENTS_MAX) return false;
    out_sizes[attributes->output.spatial.dims[dim]] = (int64_t)count;
  }
  return true;
}

static bool has_result_sizes(const program_t *program) {
  int64_t sizes[TYPE_RANK_MAX];
  if (!convolution_result_sizes(program, sizes)) return false;
  for (uint32_t dim = 0; dim < program->results[0].rank; dim++) {
    if (program->results[0].dims[dim] != sizes[dim]) return false;
  }
  return true;
}

static bool is_per_axis(const type_t *type) {
  return type->quantization != NULL && type->quantization->axis >= 0;
}

static const char *validate_quantized(const program_t *program) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  const type_t *lhs = &program->operands[CONVOLUTION_LHS];
  const type_t *rhs = &program->operands[CONVOLUTION_RHS];
  const type_t *result = &program->results[0];
  bool has_lhs = lhs->quantization != NULL, has_result = result->quantization != NULL;
  if (has_lhs != has_result || rhs->quantization == NULL) return "C28";
  const element_t *expressed = rhs->quantization->expressed;
  if (is_per_axis(rhs) && rhs->quantization->axis != attributes->kernel.batch) return "C29";
  if (is_per_axis(result) && result->quantization->axis != attributes->output.feature) return "C30";
  if (!has_lhs) {
    return lhs->element == expressed && result->element == expressed ? NULL : "C34";
  }
  if (lhs->element != rhs->element) return "C31";
  if (lhs->quantization->expressed != expressed || result->quantization->expressed != expressed) {
    return "C32";
  }
  if (!is_per_axis(rhs) && is_per_axis(result)) return "C33";
  return is_per_axis(lhs) ? "types" : NULL;
}

static bool has_quantized(const program_t *program) {
  return program->operands[CONVOLUTION_LHS].quantization != NULL ||
         program->operands[CONVOLUTION_RHS].quantization != NULL ||
         program->results[0].quantization != NULL;
}

/* A result of another type than the operands is up to the contract. */
static const char *validate_elements(const program_t *program) {
  if (has_quantized(program)) return validate_quantized(program);
  const element_t *lhs = program->operands[CONVOLUTION_LHS].element;
  const element_t *result = program->results[0].element;
  if (lhs != program->operands[CONVOLUTION_RHS].element) return "C27";
  if (!lhs->is_tensor_element || !result->is_tensor_element) return "types";
  return element_is_promotable(lhs, result) ? NULL : "promotion";
}

const char *convolution_validate_under(const program_t *program, const contract_t *contract) {
  bool is_one = program->operands[CONVOLUTION_LHS].element == program->results[0].element;
  if (is_one || has_quantized(program)) return NULL;
  return PERMITTED(contract, convolution_types) == CONVOLUTION_TYPES_SPEC ? "C27" : NULL;
}

const char *convolution_validate(const program_t *program) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  if (program->operand_count != 2 || program->result_count != 1) return "arity";
  uint32_t rank = program->operands[CONVOLUTION_LHS].rank;
  if (rank > TYPE_RANK_MAX) return "types";
  if (program->operands[CONVOLUTION_RHS].rank != rank) return "C1";
  const char *violation = validate_counts(attributes, rank);
  if (violation == NULL) violation = validate_numbers(attributes, rank);
  if (violation == NULL) violation = validate_groups(program);
  if (violation != NULL) return violation;
  if (attributes->precision.is_present && attributes->precision.count != 2) return "C24";
  if (program->results[0].rank != rank) return "C26";
  if (!has_result_sizes(program)) return "C25";
  return validate_elements(program);
}
