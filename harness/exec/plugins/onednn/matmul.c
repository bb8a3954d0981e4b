/* SPDX-License-Identifier: Apache-2.0 */
/* dot_general by the matmul primitive. */
#include "harness/exec/plugins/onednn/quantized.h"

typedef struct matmul_types {
  const char *operand;
  const char *result;
  dnnl_data_type_t operand_type;
  dnnl_data_type_t result_type;
  size_t operand_bytes;
  const char *algorithm; /* What it does, as plugin_algorithm_suits() takes it. */
} matmul_types_t;

#define F32_F32_F32 "[f32,f32,f32,1,1,1,false]"
#define BF16_BF16_F32 "[bf16,bf16,f32,1,1,1,false]"

/* Pairs that mean the same to oneDNN as to StableHLO; not i8 to i8, where it saturates.  Which of
 * them this processor can do, the library says.  Documented is that products of bf16 are summed in
 * f32; of f16 it says nothing for processors. */
static const matmul_types_t matmul_types[] = {
    {"f32", "f32", dnnl_f32, dnnl_f32, 4, F32_F32_F32},
    {"bf16", "bf16", dnnl_bf16, dnnl_bf16, 2, BF16_BF16_F32},
    {"bf16", "f32", dnnl_bf16, dnnl_f32, 2, BF16_BF16_F32},
    {"f16", "f16", dnnl_f16, dnnl_f16, 2, NULL},
    {"f16", "f32", dnnl_f16, dnnl_f32, 2, NULL},
    {"i8", "i32", dnnl_s8, dnnl_s32, 1, NULL},
    {"ui8", "i32", dnnl_u8, dnnl_s32, 1, NULL},
};

static const matmul_types_t *find_types(const assay_program_t *program) {
  for (size_t i = 0; i < sizeof matmul_types / sizeof matmul_types[0]; i++) {
    const matmul_types_t *types = &matmul_types[i];
    if (assay_type_is(&program->operands[0], types->operand) &&
        assay_type_is(&program->results[0], types->result)) {
      return types;
    }
  }
  return NULL;
}

/* A batch of `outer` x `inner` matrices, as they lie in memory. */
typedef struct matrix_batch {
  int64_t batch;
  int64_t outer;
  int64_t inner;
  bool is_transposed; /* The outer index runs fastest. */
  dnnl_data_type_t type;
} matrix_batch_t;

static dnnl_status_t describe(const dnnl_functions_t *dnnl, const matrix_batch_t *matrices,
                              bool has_batch, dnnl_memory_desc_t *out_memory) {
  const int64_t outer = matrices->outer, inner = matrices->inner;
  const bool is_transposed = matrices->is_transposed;
  const dnnl_dims_t sizes = {matrices->batch, outer, inner};
  const dnnl_dims_t strides = {outer * inner, is_transposed ? 1 : inner, is_transposed ? outer : 1};
  int skipped = has_batch ? 0 : 1;
  return dnnl->dnnl_memory_desc_init_by_strides(out_memory, 3 - skipped, sizes + skipped,
                                                matrices->type, strides + skipped);
}

static dnnl_status_t describe_matmul(const dnnl_functions_t *dnnl, const plugin_matrices_t *m,
                                     const matmul_types_t *types, bool has_batch, plan_t *plan) {
  const matrix_batch_t lhs = {m->batch, m->rows, m->terms, m->lhs.is_terms_first,
                              types->operand_type};
  const matrix_batch_t rhs = {m->batch, m->terms, m->columns, !m->rhs.is_terms_first,
                              types->operand_type};
  const matrix_batch_t result = {m->batch, m->rows, m->columns, false, types->result_type};
  dnnl_status_t status = describe(dnnl, &lhs, has_batch, &plan->inputs[0]);
  if (status != dnnl_success) return status;
  status = describe(dnnl, &rhs, has_batch, &plan->inputs[1]);
  if (status != dnnl_success) return status;
  status = describe(dnnl, &result, has_batch, &plan->output);
  if (status != dnnl_success) return status;
  return dnnl->dnnl_matmul_desc_init(&plan->operation.matmul, &plan->inputs[0], &plan->inputs[1],
                                     NULL, &plan->output);
}

/* Along which columns the scales of quantized operands and results run. */
static plan_channels_t find_channels(const assay_program_t *program, bool has_batch) {
  plan_channels_t channels = {.dimension = has_batch ? 2 : 1, .count = 1};
  const assay_type_t *rhs = &program->operands[1];
  const assay_type_t *result = &program->results[0];
  assay_dot_dims_t dims;
  plugin_check_dot(program, &dims);
  assay_quantization_t quantization;
  int64_t rhs_axis = assay_read_quantization(rhs, &quantization) ? quantization.axis : -1;
  int64_t result_axis = assay_read_quantization(result, &quantization) ? quantization.axis : -1;
  for (uint32_t i = dims.rhs_rest.count; i-- > 0;) {
    int64_t size = rhs->dims[dims.rhs_rest.dims[i]];
    if (dims.rhs_rest.dims[i] == rhs_axis) {
      channels.rhs_stride = channels.count;
      channels.rhs_size = size;
    }
    if ((int64_t)result->rank - dims.rhs_rest.count + i == result_axis) {
      channels.result_stride = channels.count;
      channels.result_size = size;
    }
    channels.count *= size;
  }
  return channels;
}

static int32_t plan_quantized(const plan_request_t *request, bool has_batch, plan_t *plan,
                              matmul_types_t *out_types, assay_reason_t *reason) {
  if (assay_attribute_text(request->program, "algorithm") != NULL) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no algorithm of quantized types");
  }
  *out_types = (matmul_types_t){.operand_type = dnnl_s8, .operand_bytes = 1};
  plan_channels_t channels = find_channels(request->program, has_batch);
  return plan_quantized_product(request, &channels, plan, &out_types->result_type, reason);
}

static int32_t plan_plain(const assay_program_t *program, matmul_types_t *out_types,
                          assay_reason_t *reason) {
  const matmul_types_t *types = find_types(program);
  const char *meaning = plugin_check_meaning(program);
  if (meaning != NULL) return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "%s", meaning);
  if (types == NULL) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no matmul from %s to %s",
                         program->operands[0].element, program->results[0].element);
  }
  *out_types = *types;
  if (plugin_algorithm_suits(program, types->algorithm)) return ASSAY_EXECUTOR_OK;
  return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "matmul does not do algorithm %s",
                       assay_attribute_text(program, "algorithm"));
}

static void gather(const plan_t *plan, uint32_t input, const void *operand, void *packed) {
  plugin_gather(&plan->matrices[input], plan->operand_bytes, operand, packed);
}

int32_t plan_matmul(const dnnl_functions_t *dnnl, const assay_program_t *program,
                    bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  plugin_matrices_t matrices = {0};
  int32_t code = plugin_matrices_make_any(program, &matrices, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  assay_dot_dims_t dims;
  assay_dot_read(program, &dims);
  bool has_batch = dims.lhs_batch.count != 0;
  *out_plan = (plan_t){.input_count = 2,
                       .input_arguments = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS},
                       .matrices = {matrices.lhs, matrices.rhs}};
  if (matrices.lhs.element_count == 0 || matrices.rhs.element_count == 0) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no matmul of empty operands");
  }
  matmul_types_t types;
  const plan_request_t request = {
      .dnnl = dnnl, .program = program, .takes_any_types = takes_any_types};
  code = plugin_has_quantized(program)
             ? plan_quantized(&request, has_batch, out_plan, &types, reason)
             : plan_plain(program, &types, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  out_plan->operand_bytes = types.operand_bytes;
  for (uint32_t i = 0; i < 2; i++) {
    const plugin_operand_t *matrix = &out_plan->matrices[i];
    out_plan->packed_bytes[i] = matrix->element_count * types.operand_bytes;
    if (!matrix->is_in_place) out_plan->prepare[i] = gather;
  }
  dnnl_status_t status = describe_matmul(dnnl, &matrices, &types, has_batch, out_plan);
  return plan_answer(dnnl, status, "matmul", reason);
}
