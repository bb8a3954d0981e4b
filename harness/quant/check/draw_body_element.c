/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of kernels over elements and rows, and of those that move data. */
#include <stdio.h>

#include "harness/draw/draw.h"
#include "harness/quant/check/draw_kernel.h"

static quant_draw_tensor_t draw_pair(quant_region_draft_t *draft, const char *op) {
  return draft_op(draft, op, "", DRAFT_OPERANDS(&draft->operands[0], &draft->operands[1]),
                  &draft->operands[0].type);
}

void draw_body_add(quant_region_draft_t *draft) {
  quant_draw_tensor_t sum = draw_pair(draft, "stablehlo.add");
  if (rng_one_in(draft->rng, 4)) sum = draft_relu(draft, &sum);
  draft_return(draft, &sum);
}

void draw_body_mul(quant_region_draft_t *draft) {
  quant_draw_tensor_t product = draw_pair(draft, "stablehlo.multiply");
  draft_return(draft, &product);
}

/* In no table that comes with Assay: a region with two results. */
void draw_body_sum_and_product(quant_region_draft_t *draft) {
  quant_draw_tensor_t sum = draw_pair(draft, "stablehlo.add");
  quant_draw_tensor_t product = draw_pair(draft, "stablehlo.multiply");
  draft_return(draft, &sum);
  draft_return(draft, &product);
}

void draw_body_relu(quant_region_draft_t *draft) {
  quant_draw_tensor_t result = draft_relu(draft, &draft->operands[0]);
  draft_return(draft, &result);
}

/* Joins the last dimension with the one before, or splits an even one off. */
void draw_body_reshape(quant_region_draft_t *draft) {
  const type_t *type = &draft->operands[0].type;
  type_t result = *type;
  uint32_t last = type->rank - 1;
  if (type->rank < 4 && type->dims[last] % 2 == 0 && rng_one_in(draft->rng, 2)) {
    result.dims[last] = type->dims[last] / 2;
    result.dims[last + 1] = 2;
    result.rank = type->rank + 1;
  } else if (type->rank > 1) {
    result.dims[last - 1] *= type->dims[last];
    result.dims[last] = 0;
    result.rank = last;
  }
  quant_draw_tensor_t tensor =
      draft_op(draft, "stablehlo.reshape", "", DRAFT_OPERANDS(&draft->operands[0]), &result);
  draft_return(draft, &tensor);
}

void draw_body_transpose(quant_region_draft_t *draft) {
  const type_t *type = &draft->operands[0].type;
  dimension_list_t permutation = draw_permutation(draft->rng, type->rank);
  GString *attributes = g_string_new("permutation=[");
  type_t result = *type;
  for (uint32_t d = 0; d < type->rank; d++) {
    int64_t from = permutation.dims[d];
    result.dims[d] = type->dims[from];
    g_string_append_printf(attributes, "%s%d", d > 0 ? "," : "", (int)from);
  }
  g_string_append_c(attributes, ']');
  quant_draw_tensor_t tensor = draft_op(draft, "stablehlo.transpose", attributes->str,
                                        DRAFT_OPERANDS(&draft->operands[0]), &result);
  g_string_free(attributes, TRUE);
  draft_return(draft, &tensor);
}

void draw_body_concatenation(quant_region_draft_t *draft) {
  type_t result = draft->operands[0].type;
  uint32_t dimension = (uint32_t)rng_below(draft->rng, result.rank);
  result.dims[dimension] *= draft->operand_count;
  const quant_draw_tensor_t *operands[CASE_OPERANDS_MAX + 1] = {NULL};
  for (uint32_t i = 0; i < draft->operand_count; i++) operands[i] = &draft->operands[i];
  char attributes[64];
  snprintf(attributes, sizeof attributes, "dimension=%u", dimension);
  quant_draw_tensor_t tensor =
      draft_op(draft, "stablehlo.concatenate", attributes, operands, &result);
  draft_return(draft, &tensor);
}

void draw_body_softmax(quant_region_draft_t *draft) {
  const type_t *type = &draft->operands[0].type;
  char attributes[64];
  snprintf(attributes, sizeof attributes, "axis=%u", type->rank - 1);
  quant_draw_tensor_t tensor =
      draft_op(draft, "byteir.softmax", attributes, DRAFT_OPERANDS(&draft->operands[0]), type);
  draft_return(draft, &tensor);
}

void draw_body_gelu(quant_region_draft_t *draft) {
  static const char *const ATTRIBUTES[] = {"approximate=none", "approximate=erf",
                                           "approximate=tanh"};
  quant_draw_tensor_t tensor =
      draft_op(draft, "byteir.gelu", ATTRIBUTES[rng_below(draft->rng, 3)],
               DRAFT_OPERANDS(&draft->operands[0]), &draft->operands[0].type);
  draft_return(draft, &tensor);
}
