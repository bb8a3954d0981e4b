/* SPDX-License-Identifier: Apache-2.0 */
/* The constraints of a convolution, list lengths first because all others depend on them, and the
 * sizes of its result. */
#include <glib.h>

#include "generated/convolution_permissions.h"
#include "harness/kinds/window.h"
#include "harness/types/promotion.h"
#include "oracles/ops/convolution/op/op.h"

/* ---- Lists, without whose lengths nothing else can be asked ---------------------------------- */

static uint32_t rank_of(const program_t *program) {
  return program->operands[CONVOLUTION_LHS].rank;
}

static bool has_one_rank(const program_t *program) {
  return program->operands[CONVOLUTION_RHS].rank == rank_of(program);
}

#define COUNT_PREDICATE(name, count)                                       \
  static bool has_##name(const program_t *program) {                       \
    return convolution_attributes(program)->count + 2 == rank_of(program); \
  }
COUNT_PREDICATE(strides, window_strides.count)
COUNT_PREDICATE(paddings, padding.count)
COUNT_PREDICATE(lhs_dilations, lhs_dilation.count)
COUNT_PREDICATE(rhs_dilations, rhs_dilation.count)
COUNT_PREDICATE(reversals, reversal_count)
COUNT_PREDICATE(input_dimensions, input.spatial.count)
COUNT_PREDICATE(kernel_dimensions, kernel.spatial.count)
COUNT_PREDICATE(output_dimensions, output.spatial.count)

#define POSITIVE_PREDICATE(list)                                               \
  static bool is_positive_##list(const program_t *program) {                   \
    return dimension_list_is_positive(&convolution_attributes(program)->list); \
  }
POSITIVE_PREDICATE(window_strides)
POSITIVE_PREDICATE(lhs_dilation)
POSITIVE_PREDICATE(rhs_dilation)

/* The spatial dimensions are rank - 2, which leaves room for two more. */
static bool is_permutation(const convolution_numbers_t *numbers, uint32_t rank) {
  dimension_list_t all = numbers->spatial;
  dimension_list_append(&all, numbers->batch);
  dimension_list_append(&all, numbers->feature);
  return dimension_list_in_range(&all, rank) && dimension_list_is_unique(&all);
}

#define PERMUTATION_PREDICATE(numbers)                                                  \
  static bool is_permutation_##numbers(const program_t *program) {                      \
    return is_permutation(&convolution_attributes(program)->numbers, rank_of(program)); \
  }
PERMUTATION_PREDICATE(input)
PERMUTATION_PREDICATE(kernel)
PERMUTATION_PREDICATE(output)

/* ---- Groups ---------------------------------------------------------------------------------- */

static bool has_feature_groups(const program_t *program) {
  return convolution_attributes(program)->feature_group_count > 0;
}

static bool has_batch_groups(const program_t *program) {
  return convolution_attributes(program)->batch_group_count > 0;
}

static bool has_one_grouping(const program_t *program) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  return attributes->feature_group_count == 1 || attributes->batch_group_count == 1;
}

static int64_t lhs_features(const program_t *program) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  return program->operands[CONVOLUTION_LHS].dims[attributes->input.feature];
}

static int64_t rhs_channels(const program_t *program) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  return program->operands[CONVOLUTION_RHS].dims[attributes->kernel.batch];
}

static bool divides_batch(const program_t *program) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  int64_t batch = program->operands[CONVOLUTION_LHS].dims[attributes->input.batch];
  return batch % attributes->batch_group_count == 0;
}

static bool divides_features(const program_t *program) {
  return lhs_features(program) % convolution_attributes(program)->feature_group_count == 0;
}

static bool has_kernel_features(const program_t *program) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  return program->operands[CONVOLUTION_RHS].dims[attributes->kernel.feature] ==
         lhs_features(program) / attributes->feature_group_count;
}

static bool batch_groups_divide_channels(const program_t *program) {
  return rhs_channels(program) % convolution_attributes(program)->batch_group_count == 0;
}

static bool feature_groups_divide_channels(const program_t *program) {
  return rhs_channels(program) % convolution_attributes(program)->feature_group_count == 0;
}

/* ---- The result ------------------------------------------------------------------------------ */

static bool has_both_precisions(const program_t *program) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  return !attributes->precision.is_present || attributes->precision.count == 2;
}

static bool keeps_rank(const program_t *program) {
  return program->results[0].rank == rank_of(program);
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

/* ---- Element types --------------------------------------------------------------------------- */

static const quantization_t *lhs_quantization(const program_t *program) {
  return program->operands[CONVOLUTION_LHS].quantization;
}

static const quantization_t *rhs_quantization(const program_t *program) {
  return program->operands[CONVOLUTION_RHS].quantization;
}

static const quantization_t *result_quantization(const program_t *program) {
  return program->results[0].quantization;
}

static bool is_per_axis(const quantization_t *quantization) {
  return quantization != NULL && quantization->axis >= 0;
}

static bool has_quantized(const program_t *program) {
  return lhs_quantization(program) != NULL || rhs_quantization(program) != NULL ||
         result_quantization(program) != NULL;
}

/* A result of another type than the operands is up to the contract. */
static bool multiplies_one_element(const program_t *program) {
  return has_quantized(program) ||
         program->operands[CONVOLUTION_LHS].element == program->operands[CONVOLUTION_RHS].element;
}

/* Of programs that pass, rhs is quantized if anything is, and the result if lhs is. */
static bool quantizes_alike(const program_t *program) {
  bool is_lhs = lhs_quantization(program) != NULL, is_rhs = rhs_quantization(program) != NULL;
  return is_lhs == (result_quantization(program) != NULL) && (is_rhs || !is_lhs);
}

static bool has_kernel_axis(const program_t *program) {
  const quantization_t *rhs = rhs_quantization(program);
  return !is_per_axis(rhs) || rhs->axis == convolution_attributes(program)->kernel.batch;
}

static bool has_result_axis(const program_t *program) {
  const quantization_t *result = result_quantization(program);
  return !is_per_axis(result) || result->axis == convolution_attributes(program)->output.feature;
}

static bool has_one_storage(const program_t *program) {
  return lhs_quantization(program) == NULL ||
         program->operands[CONVOLUTION_LHS].element == program->operands[CONVOLUTION_RHS].element;
}

static bool has_one_expressed(const program_t *program) {
  const quantization_t *lhs = lhs_quantization(program);
  const element_t *expressed = lhs == NULL ? NULL : rhs_quantization(program)->expressed;
  return lhs == NULL ||
         (lhs->expressed == expressed && result_quantization(program)->expressed == expressed);
}

static bool has_one_scale(const program_t *program) {
  return lhs_quantization(program) == NULL || is_per_axis(rhs_quantization(program)) ||
         !is_per_axis(result_quantization(program));
}

static bool is_hybrid_expressed(const program_t *program) {
  const quantization_t *rhs = rhs_quantization(program);
  if (rhs == NULL || lhs_quantization(program) != NULL) return true;
  return program->operands[CONVOLUTION_LHS].element == rhs->expressed &&
         program->results[0].element == rhs->expressed;
}

static bool has_types(const program_t *program) {
  if (has_quantized(program)) return !is_per_axis(lhs_quantization(program));
  return program->operands[CONVOLUTION_LHS].element->is_tensor_element &&
         program->results[0].element->is_tensor_element;
}

static bool is_promoted(const program_t *program) {
  return has_quantized(program) || element_is_promotable(program->operands[CONVOLUTION_LHS].element,
                                                         program->results[0].element);
}

static bool permits_elements(const program_t *program, const contract_t *contract) {
  bool is_one = program->operands[CONVOLUTION_LHS].element == program->results[0].element;
  return is_one || has_quantized(program) ||
         PERMITTED(contract, convolution_types) != CONVOLUTION_TYPES_SPEC;
}

/* See dot_general, whose rules convolutions have. */
static bool accumulates(const program_t *program, const contract_t *contract) {
  const element_t *accumulation = convolution_attributes(program)->accumulation;
  if (accumulation == NULL) return true;
  const element_t *result = program->results[0].element;
  bool adds = accumulation->kind == ELEMENT_FLOAT || element_is_integer(accumulation);
  bool is_alike = program->operands[CONVOLUTION_LHS].element == result;
  return PERMITTED(contract, reduce_types) == REDUCE_TYPES_RFC && !has_quantized(program) && adds &&
         is_alike && element_is_integer(accumulation) == element_is_integer(result) &&
         result->kind != ELEMENT_BOOLEAN && result->kind != ELEMENT_COMPLEX;
}

/* ---- The tables ------------------------------------------------------------------------------ */

const op_constraint_t convolution_constraints[] = {
    OP_FORBIDDEN("arity", "there are two operands and one result", "inputs (I1), (I2) and outputs",
                 program_is_binary),
    OP_SPECIFIED("C1", "lhs and rhs have the same rank N", has_one_rank),
    OP_SPECIFIED("C2", "window_strides has N - 2 entries", has_strides),
    OP_SPECIFIED("C4", "padding has N - 2 rows of 2 entries", has_paddings),
    OP_SPECIFIED("C5", "lhs_dilation has N - 2 entries", has_lhs_dilations),
    OP_SPECIFIED("C7", "rhs_dilation has N - 2 entries", has_rhs_dilations),
    OP_SPECIFIED("C9", "window_reversal has N - 2 entries", has_reversals),
    OP_SPECIFIED("C12", "lhs has N - 2 spatial dimensions", has_input_dimensions),
    OP_SPECIFIED("C17", "rhs has N - 2 spatial dimensions", has_kernel_dimensions),
    OP_SPECIFIED("C19", "the result has N - 2 spatial dimensions", has_output_dimensions),
    OP_SPECIFIED("C3", "each entry of window_strides is positive", is_positive_window_strides),
    OP_SPECIFIED("C6", "each entry of lhs_dilation is positive", is_positive_lhs_dilation),
    OP_SPECIFIED("C8", "each entry of rhs_dilation is positive", is_positive_rhs_dilation),
    OP_SPECIFIED("C13",
                 "batch, feature and spatial dimensions of lhs are unique, at least 0 and below N",
                 is_permutation_input),
    OP_SPECIFIED("C18", "feature and spatial dimensions of rhs are unique, at least 0 and below N",
                 is_permutation_kernel),
    OP_SPECIFIED(
        "C20",
        "batch, feature and spatial dimensions of the result are unique, at least 0 and below N",
        is_permutation_output),
    OP_SPECIFIED("C21", "feature_group_count is positive", has_feature_groups),
    OP_SPECIFIED("C22", "batch_group_count is positive", has_batch_groups),
    OP_SPECIFIED("C23", "feature_group_count or batch_group_count is 1", has_one_grouping),
    OP_SPECIFIED("C10", "batch_group_count divides the batch of lhs", divides_batch),
    OP_SPECIFIED("C11", "feature_group_count divides the features of lhs", divides_features),
    OP_SPECIFIED("C14", "the input features of rhs are those of lhs divided by feature_group_count",
                 has_kernel_features),
    OP_SPECIFIED("C15", "batch_group_count divides the output features of rhs",
                 batch_groups_divide_channels),
    OP_SPECIFIED("C16", "feature_group_count divides the output features of rhs",
                 feature_groups_divide_channels),
    OP_SPECIFIED("C24", "precision_config, if there is one, has two entries", has_both_precisions),
    OP_SPECIFIED("C26", "the result has rank N", keeps_rank),
    OP_SPECIFIED(
        "C25",
        "the result has the batch of lhs divided by batch_group_count, the output features of rhs, "
        "and in each spatial dimension as many elements as there are windows",
        has_result_sizes),
    OP_SPECIFIED("C27", "without quantized tensors, both operands have one element type",
                 multiplies_one_element),
    OP_SPECIFIED("C28", "else rhs is quantized, and the result is if lhs is", quantizes_alike),
    OP_SPECIFIED("C29", "an rhs quantized per axis is so along its output features",
                 has_kernel_axis),
    OP_SPECIFIED("C30", "a result quantized per axis is so along its features", has_result_axis),
    OP_SPECIFIED("C31", "a quantized lhs has the storage type of rhs", has_one_storage),
    OP_SPECIFIED("C32", "a quantized lhs, rhs and result have one expressed type",
                 has_one_expressed),
    OP_SPECIFIED("C33", "with a quantized lhs, if rhs is quantized per tensor, so is the result",
                 has_one_scale),
    OP_SPECIFIED("C34",
                 "an lhs that is not quantized and the result have the expressed type of rhs",
                 is_hybrid_expressed),
    OP_FORBIDDEN("types", "lhs is a tensor, or one quantized per tensor", "inputs (I1)", has_types),
    OP_UNMODELLED("promotion", "operands can be promoted to the element type of the result",
                  is_promoted),
    OP_CONSTRAINTS_END,
};

const op_constraint_t convolution_contract_constraints[] = {
    OP_SPECIFIED_UNDER("C27",
                       "without quantized tensors, all three have one element type "
                       "(convolution_types=spec)",
                       permits_elements),
    OP_UNMODELLED_UNDER(
        "accumulation",
        "a type of accumulation is named under reduce_types=rfc alone, is an integer "
        "or a float as operands and result are, and these have one type that is "
        "neither quantized nor complex nor i1",
        accumulates),
    OP_CONSTRAINTS_END,
};
