/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized types as attributes of a primitive: oneDNN adds integers, multiplies the sum, as f32,
 * by an output scale, adds the zero point of the result, rounds to nearest and saturates.  That is
 * a product in integers with its multiplier, lhs scale * rhs scale / result scale, rounded to f32
 * (contracts with rescale=float), if the range of the result is the whole one of its type. */
#include "harness/exec/plugins/onednn/quantized.h"

#include <math.h>

#include "harness/exec/executor_quantized.h"

typedef struct quantized_product {
  assay_quantization_t lhs;
  assay_quantization_t rhs;
  assay_quantization_t result;
  int64_t lhs_zero_point;
  int64_t result_zero_point;
} quantized_product_t;

static bool find_type(const char *storage, dnnl_data_type_t *out_type) {
  *out_type = strcmp(storage, "i8") == 0    ? dnnl_s8
              : strcmp(storage, "ui8") == 0 ? dnnl_u8
              : strcmp(storage, "i32") == 0 ? dnnl_s32
                                            : dnnl_data_type_undef;
  return *out_type != dnnl_data_type_undef;
}

/* The zero point that all scales have; false if they differ. */
static bool find_zero_point(const assay_quantization_t *quantization, int64_t *out_zero_point) {
  const char *cursor = quantization->scales;
  double scale;
  int64_t zero_point;
  bool is_first = true;
  while (assay_next_scale(&cursor, &scale, &zero_point)) {
    if (!is_first && zero_point != *out_zero_point) return false;
    *out_zero_point = zero_point;
    is_first = false;
  }
  return !is_first;
}

/* What of the types the primitives have not, or NULL. */
static const char *check_types(const assay_program_t *program, quantized_product_t *out_product) {
  quantized_product_t *product = out_product;
  if (!assay_read_quantization(&program->operands[0], &product->lhs) ||
      !assay_read_quantization(&program->operands[1], &product->rhs) ||
      !assay_read_quantization(&program->results[0], &product->result)) {
    return "operands and result are quantized, or none";
  }
  if (strcmp(product->lhs.storage, "i8") != 0 || strcmp(product->rhs.storage, "i8") != 0) {
    return "multiplies i8 by i8";
  }
  bool is_f32 = strcmp(product->lhs.expressed, "f32") == 0 &&
                strcmp(product->rhs.expressed, "f32") == 0 &&
                strcmp(product->result.expressed, "f32") == 0;
  if (!is_f32) return "rescales in f32";
  if (product->result.has_range) return "saturates at the ends of the result's type";
  int64_t rhs_zero_point;
  if (!find_zero_point(&product->rhs, &rhs_zero_point) || rhs_zero_point != 0) {
    return "rhs has no zero point";
  }
  if (!find_zero_point(&product->lhs, &product->lhs_zero_point) ||
      !find_zero_point(&product->result, &product->result_zero_point)) {
    return "one zero point for the whole result";
  }
  /* The library reads that one as "told later". */
  return product->result_zero_point == DNNL_RUNTIME_S32_VAL ? "no zero point -2^31" : NULL;
}

/* Whether the scales run along what the primitive has scales for. */
static const char *check_axes(const quantized_product_t *product, const plan_channels_t *channels) {
  if (product->lhs.axis != -1) return "lhs has one scale";
  if (product->rhs.axis == -1) {
    return product->result.axis == -1 ? NULL : "C19, C33: with one scale of rhs one of the result";
  }
  if (channels->rhs_size == 0) return "the scales of rhs run along no column";
  return product->result.axis == -1 || channels->result_size != 0
             ? NULL
             : "the scales of the result run along no column";
}

/* The scale of a channel: number channel / stride % size of a list. */
static double scale_at(const double *scales, int64_t channel, int64_t stride, int64_t size) {
  return scales[size == 0 ? 0 : channel / stride % size];
}

static void read_scales(const assay_quantization_t *quantization, double *out_scales) {
  const char *cursor = quantization->scales;
  int64_t zero_point;
  while (assay_next_scale(&cursor, out_scales, &zero_point)) out_scales++;
}

/* Products and quotients of scales: the product of two numbers of f32 is exact in binary64. */
static void find_multipliers(const quantized_product_t *product, const plan_channels_t *channels,
                             int64_t count, double *scales, float *out_multipliers) {
  double *lhs = scales;
  double *rhs = scales + 1;
  double *result = rhs + channels->rhs_size + 1;
  read_scales(&product->lhs, lhs);
  read_scales(&product->rhs, rhs);
  read_scales(&product->result, result);
  for (int64_t i = 0; i < count; i++) {
    double step = lhs[0] * scale_at(rhs, i, channels->rhs_stride, channels->rhs_size);
    double to = scale_at(result, i, channels->result_stride, channels->result_size);
    out_multipliers[i] = (float)(step / to);
  }
}

static bool are_finite(const float *multipliers, int64_t count) {
  bool are_all = true;
  for (int64_t i = 0; i < count; i++) are_all = are_all && isfinite(multipliers[i]);
  return are_all;
}

static dnnl_status_t set_attributes(const dnnl_functions_t *dnnl,
                                    const quantized_product_t *product,
                                    const plan_channels_t *channels, int64_t count,
                                    const float *multipliers, dnnl_primitive_attr_t attributes) {
  int mask = count == 1 ? 0 : 1 << channels->dimension;
  dnnl_status_t status =
      dnnl->dnnl_primitive_attr_set_output_scales(attributes, count, mask, multipliers);
  const int32_t lhs_zero_point = (int32_t)product->lhs_zero_point;
  if (status == dnnl_success && lhs_zero_point != 0) {
    status =
        dnnl->dnnl_primitive_attr_set_zero_points(attributes, DNNL_ARG_SRC, 1, 0, &lhs_zero_point);
  }
  const int32_t result_zero_point = (int32_t)product->result_zero_point;
  if (status == dnnl_success && result_zero_point != 0) {
    status = dnnl->dnnl_primitive_attr_set_zero_points(attributes, DNNL_ARG_DST, 1, 0,
                                                       &result_zero_point);
  }
  return status;
}

int32_t plan_quantized_product(const plan_request_t *request, const plan_channels_t *channels,
                               plan_t *plan, dnnl_data_type_t *out_result_type,
                               assay_reason_t *reason) {
  const dnnl_functions_t *dnnl = request->dnnl;
  quantized_product_t product;
  const char *refused = check_types(request->program, &product);
  if (refused == NULL) refused = check_axes(&product, channels);
  if (refused == NULL && !find_type(product.result.storage, out_result_type)) {
    refused = "a result of i8, ui8 or i32";
  }
  if (refused != NULL) return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "%s", refused);
  int64_t count = channels->rhs_size == 0 ? 1 : channels->count;
  size_t scale_count = (size_t)(3 + channels->rhs_size + channels->result_size);
  double *scales = calloc(scale_count, sizeof *scales);
  float *multipliers = calloc((size_t)count, sizeof *multipliers);
  int32_t code = ASSAY_EXECUTOR_OK;
  dnnl_status_t status = dnnl_out_of_memory;
  if (scales != NULL && multipliers != NULL) {
    find_multipliers(&product, channels, count, scales, multipliers);
    if (!are_finite(multipliers, count)) {
      code = assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no multiplier beyond f32");
    }
    status = dnnl->dnnl_primitive_attr_create(&plan->attributes);
    if (status == dnnl_success) {
      status = set_attributes(dnnl, &product, channels, count, multipliers, plan->attributes);
    }
  }
  free(scales);
  free(multipliers);
  return code == ASSAY_EXECUTOR_OK ? plan_answer(dnnl, status, "attributes", reason) : code;
}
