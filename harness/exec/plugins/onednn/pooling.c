/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_window by the pooling primitive, whose average divides: maxima alone; sums over windows
 * side by side by the reduction primitive.  Of pooling, dimensions in which nothing happens are
 * batch and channels, the others, at most three, are spatial. */
#include "harness/exec/executor_quantized.h"
#include "harness/exec/plugins/onednn/onednn.h"
#include "harness/exec/plugins/plugin_windows.h"

enum { SPATIAL_MAX = 3, PLAIN_MAX = 2 };

/* A dimension of the primitive: one of the program, or several that lie behind one another. */
typedef struct pooling_dim {
  int64_t input_size;
  int64_t output_size;
  int64_t input_stride;
  int64_t output_stride;
  plugin_window_t window;
} pooling_dim_t;

typedef struct pooling {
  uint32_t plain_count;
  uint32_t spatial_count;
  pooling_dim_t plain[PLAIN_MAX];
  pooling_dim_t spatial[SPATIAL_MAX];
} pooling_t;

typedef struct pooling_type {
  const char *element;
  dnnl_data_type_t type;
} pooling_type_t;

static const pooling_type_t pooling_types[] = {
    {"f32", dnnl_f32}, {"bf16", dnnl_bf16}, {"i32", dnnl_s32}, {"i8", dnnl_s8}, {"ui8", dnnl_u8},
};

/* Of quantized tensors the maximum of what is stored is the maximum: where they have one type of 8
 * bits, and a scale by which nothing overflows, to quantize what was dequantized gives it back. */
static bool is_stored_maximum(const assay_type_t *type, const char *storage) {
  assay_quantization_t quantization;
  if (!assay_read_quantization(type, &quantization)) return false;
  const char *cursor = quantization.scales;
  double scale;
  int64_t zero_point;
  return quantization.axis == -1 && assay_next_scale(&cursor, &scale, &zero_point) &&
         scale <= 0x1p60 && strcmp(quantization.expressed, "f32") == 0 &&
         strcmp(quantization.storage, storage) == 0 &&
         (strcmp(storage, "i8") == 0 || strcmp(storage, "ui8") == 0);
}

static dnnl_data_type_t find_type(const assay_program_t *program) {
  const assay_type_t *result = &program->results[0];
  bool are_one = assay_type_is(&program->operands[0], result->element) &&
                 assay_type_is(&program->operands[1], result->element);
  for (size_t i = 0; are_one && i < sizeof pooling_types / sizeof pooling_types[0]; i++) {
    const char *element = pooling_types[i].element;
    if (assay_type_is(result, element) || is_stored_maximum(result, element)) {
      return pooling_types[i].type;
    }
  }
  return dnnl_data_type_undef;
}

/* The constraint of the StableHLO specification that a reduce_window of one input breaks, or NULL.
 */
static const char *read_windows(const assay_program_t *program, plugin_window_t *out_windows) {
  const assay_type_t *input = &program->operands[0];
  const assay_type_t *result = &program->results[0];
  const uint32_t rank = input->rank;
  assay_dims_t sizes;
  assay_dims_t strides;
  assay_dims_t bases;
  assay_dims_t dilations;
  assay_dims_t low;
  assay_dims_t high;
  if (!plugin_read_list(program, "window_dimensions", rank, &sizes) ||
      !plugin_read_list(program, "window_strides", rank, &strides) ||
      !plugin_read_list(program, "base_dilations", rank, &bases) ||
      !plugin_read_list(program, "window_dilations", rank, &dilations) ||
      !assay_attribute_pairs(program, "padding", &low, &high) || low.count != rank) {
    return "C4, C6, C8, C10, C12: a number of the window for each dimension";
  }
  if (program->operands[1].rank != 0) return "the initial value is one number";
  if (result->rank != rank) return "C15: the shape of the result";
  for (uint32_t d = 0; d < rank; d++) {
    out_windows[d] = (plugin_window_t){.size = sizes.dims[d],
                                       .stride = strides.dims[d],
                                       .low = low.dims[d],
                                       .high = high.dims[d],
                                       .base_dilation = bases.dims[d],
                                       .dilation = dilations.dims[d]};
    if (sizes.dims[d] <= 0 || strides.dims[d] <= 0 || bases.dims[d] <= 0 ||
        dilations.dims[d] <= 0) {
      return "C5, C7, C9, C11: sizes, strides and dilations are positive";
    }
  }
  return NULL;
}

static bool is_plain(const plugin_window_t *window) {
  return window->size == 1 && window->stride == 1 && window->low == 0 && window->high == 0;
}

/* What pooling does not do, or NULL and the dimensions. */
static const char *sort_dims(const assay_program_t *program, const plugin_window_t *windows,
                             pooling_t *out_pooling) {
  const assay_type_t *input = &program->operands[0];
  const assay_type_t *result = &program->results[0];
  pooling_t *pooling = out_pooling;
  *pooling = (pooling_t){0};
  int64_t input_stride = 1;
  int64_t output_stride = 1;
  bool follows_plain = false;
  for (uint32_t d = input->rank; d-- > 0;) {
    const pooling_dim_t dim = {.input_size = input->dims[d],
                               .output_size = result->dims[d],
                               .input_stride = input_stride,
                               .output_stride = output_stride,
                               .window = windows[d]};
    input_stride *= dim.input_size;
    output_stride *= dim.output_size;
    if (!is_plain(&windows[d])) {
      if (pooling->spatial_count == SPATIAL_MAX) return "no windows along more than 3 dimensions";
      pooling->spatial[pooling->spatial_count++] = dim;
      follows_plain = false;
    } else if (follows_plain) {
      pooling->plain[pooling->plain_count - 1].input_size *= dim.input_size;
      pooling->plain[pooling->plain_count - 1].output_size *= dim.output_size;
    } else {
      if (pooling->plain_count == PLAIN_MAX) return "dimensions without windows lie too scattered";
      pooling->plain[pooling->plain_count++] = dim;
      follows_plain = true;
    }
  }
  return pooling->spatial_count == 0 ? "no windows of one element" : NULL;
}

/* `types`: of the input and the output. */
static dnnl_status_t describe_pooling(const dnnl_functions_t *dnnl, const pooling_t *pooling,
                                      dnnl_alg_kind_t algorithm, const dnnl_data_type_t types[2],
                                      plan_t *plan) {
  dnnl_dims_t sizes[2] = {{0}};
  dnnl_dims_t strides[2] = {{0}};
  int rank = 0;
  for (uint32_t i = 0; i < PLAIN_MAX; i++, rank++) {
    static const pooling_dim_t none = {1, 1, 1, 1, {0}};
    const pooling_dim_t *dim = i < pooling->plain_count ? &pooling->plain[i] : &none;
    sizes[0][rank] = dim->input_size;
    sizes[1][rank] = dim->output_size;
    strides[0][rank] = dim->input_stride;
    strides[1][rank] = dim->output_stride;
  }
  plan_windows_t windows = {.strides = {0}};
  for (uint32_t i = 0; i < pooling->spatial_count; i++, rank++) {
    const pooling_dim_t *dim = &pooling->spatial[i];
    sizes[0][rank] = dim->input_size;
    sizes[1][rank] = dim->output_size;
    strides[0][rank] = dim->input_stride;
    strides[1][rank] = dim->output_stride;
    windows.kernel[i] = dim->window.size;
    windows.strides[i] = dim->window.stride;
    windows.dilations[i] = dim->window.dilation - 1;
    windows.low[i] = dim->window.low;
    windows.high[i] = dim->window.high;
  }
  dnnl_memory_desc_t *descriptors[2] = {&plan->inputs[0], &plan->output};
  for (int side = 0; side < 2; side++) {
    dnnl_status_t status = dnnl->dnnl_memory_desc_init_by_strides(
        descriptors[side], rank, sizes[side], types[side], strides[side]);
    if (status != dnnl_success) return status;
  }
  return plan_describe_pooling(dnnl, plan, algorithm, &windows);
}

/* Broken, or refused by the shape of the windows; else OK and the dimensions. */
static int32_t find_pooling(const assay_program_t *program, pooling_t *out_pooling,
                            assay_reason_t *reason) {
  plugin_window_t windows[ASSAY_RANK_MAX];
  const char *broken = read_windows(program, windows);
  if (broken != NULL) return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken %s", broken);
  const char *refused = NULL;
  for (uint32_t d = 0; d < program->operands[0].rank; d++) {
    const plugin_window_t *window = &windows[d];
    if (!plugin_window_is_small(window)) refused = "no such large windows";
    if (window->base_dilation != 1) refused = "no dilated input";
    if (window->low < 0 || window->high < 0) refused = "no negative padding";
  }
  if (refused != NULL) return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "%s", refused);
  for (uint32_t d = 0; d < program->operands[0].rank; d++) {
    int64_t size = program->operands[0].dims[d];
    if (plugin_has_window_of_padding(size, &windows[d])) refused = "no windows of padding alone";
    if (program->results[0].dims[d] != plugin_count_windows(size, &windows[d])) {
      return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken C15: the shape of the result");
    }
  }
  if (assay_type_is_empty(&program->operands[0]) || assay_type_is_empty(&program->results[0])) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no windows of nothing");
  }
  if (refused == NULL) refused = sort_dims(program, windows, out_pooling);
  if (refused == NULL) return ASSAY_EXECUTOR_OK;
  return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "%s", refused);
}

int32_t plan_describe_average(const dnnl_functions_t *dnnl, const assay_program_t *program,
                              const plan_average_t *types, plan_t *inout_plan,
                              assay_reason_t *reason) {
  pooling_t pooling;
  int32_t code = find_pooling(program, &pooling, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  for (uint32_t i = 0; i < pooling.spatial_count; i++) {
    const plugin_window_t *window = &pooling.spatial[i].window;
    if (window->low != 0 || window->high != 0) {
      return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no averages with padding");
    }
  }
  const dnnl_data_type_t both[2] = {types->from, types->to};
  dnnl_status_t status =
      describe_pooling(dnnl, &pooling, dnnl_pooling_avg_include_padding, both, inout_plan);
  return plan_answer(dnnl, status, "pooling", reason);
}

/* ---- Sums. ----------------------------------------------------------------------------------- */

/* Sums over windows that lie side by side are a reduction: each such dimension is two, of which the
 * second is reduced. */
typedef struct tiles {
  uint32_t rank;
  dnnl_dims_t sizes;
  dnnl_dims_t sums; /* The sizes of the result. */
} tiles_t;

/* Why the windows are no tiles, or NULL. */
static const char *find_tiles(const assay_type_t *input, const plugin_window_t *windows,
                              tiles_t *out_tiles) {
  uint32_t rank = 0;
  for (uint32_t d = 0; d < input->rank; d++) {
    const plugin_window_t *window = &windows[d];
    bool is_tile = window->stride == window->size && window->dilation == 1 && window->low == 0 &&
                   window->high == 0 && input->dims[d] % window->size == 0;
    if (!is_tile) return "no sums but over windows side by side";
    if (rank + 2 > DNNL_MAX_NDIMS) return "no more dimensions";
    out_tiles->sizes[rank] = out_tiles->sums[rank] = input->dims[d] / window->size;
    rank++;
    if (window->size == 1) continue;
    out_tiles->sizes[rank] = window->size;
    out_tiles->sums[rank++] = 1;
  }
  out_tiles->rank = rank;
  return NULL;
}

static dnnl_status_t describe_tiles(const dnnl_functions_t *dnnl, const tiles_t *tiles,
                                    dnnl_data_type_t input_type, dnnl_data_type_t sum_type,
                                    plan_t *plan) {
  dnnl_status_t status =
      plan_describe(dnnl, tiles->rank, tiles->sizes, input_type, &plan->inputs[0]);
  if (status != dnnl_success) return status;
  status = plan_describe(dnnl, tiles->rank, tiles->sums, sum_type, &plan->output);
  if (status != dnnl_success) return status;
  return dnnl->dnnl_reduction_desc_init(&plan->operation.reduction, dnnl_reduction_sum,
                                        &plan->inputs[0], &plan->output, 0, 0);
}

static int32_t plan_sums(const dnnl_functions_t *dnnl, const assay_program_t *program,
                         bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  pooling_t pooling;
  plugin_window_t windows[ASSAY_RANK_MAX];
  plan_stored_sum_t stored = {.input_type = dnnl_f32};
  bool is_stored = takes_any_types && plan_find_stored_sum(program, &stored);
  if (!is_stored && find_type(program) != dnnl_f32) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no sums over windows but of f32");
  }
  int32_t code = find_pooling(program, &pooling, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  dnnl_data_type_t sum_type = is_stored ? dnnl_s32 : dnnl_f32;
  *out_plan = (plan_t){.input_count = 1,
                       .input_arguments = {DNNL_ARG_SRC},
                       .promote = stored.promote,
                       .combine = plan_find_combine("add", sum_type),
                       .result_count = assay_type_count(&program->results[0])};
  read_windows(program, windows);
  tiles_t tiles;
  const char *refused = find_tiles(&program->operands[0], windows, &tiles);
  if (refused != NULL) return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "%s", refused);
  dnnl_status_t status = describe_tiles(dnnl, &tiles, stored.input_type, sum_type, out_plan);
  if (status == dnnl_success && stored.shift != 0) {
    status = dnnl->dnnl_primitive_attr_create(&out_plan->attributes);
    if (status == dnnl_success) {
      status = plan_append_shift(dnnl, out_plan->attributes, stored.shift);
    }
  }
  return plan_answer(dnnl, status, "reduction", reason);
}

int32_t plan_pooling(const dnnl_functions_t *dnnl, const assay_program_t *program,
                     bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  static const char *const keys[] = {"body",           "window_dimensions", "window_strides",
                                     "base_dilations", "window_dilations",  "padding"};
  const char *unknown = assay_find_unknown_key(program, keys, sizeof keys / sizeof keys[0]);
  if (unknown != NULL) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no attribute %s here", unknown);
  }
  const char *body = assay_attribute_text(program, "body");
  bool is_one_input = program->operand_count == 2 && program->result_count == 1;
  if (body != NULL && strcmp(body, "add") == 0 && is_one_input) {
    return plan_sums(dnnl, program, takes_any_types, out_plan, reason);
  }
  if (body == NULL || strcmp(body, "maximum") != 0 || !is_one_input) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED,
                         "no windows but the maximum and the sum of one input");
  }
  dnnl_data_type_t type = find_type(program);
  if (type == dnnl_data_type_undef) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no pooling from %s to %s",
                         program->operands[0].element, program->results[0].element);
  }
  pooling_t pooling;
  int32_t code = find_pooling(program, &pooling, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  *out_plan = (plan_t){.input_count = 1,
                       .input_arguments = {DNNL_ARG_SRC},
                       .combine = plan_find_combine(body, type),
                       .result_count = assay_type_count(&program->results[0])};
  const dnnl_data_type_t types[2] = {type, type};
  dnnl_status_t status = describe_pooling(dnnl, &pooling, dnnl_pooling_max, types, out_plan);
  return plan_answer(dnnl, status, "pooling", reason);
}
