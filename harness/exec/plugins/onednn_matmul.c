/* dot_general by the matmul primitive. */
#include "harness/exec/plugins/onednn.h"

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
    if (plugin_is(&program->operands[0], types->operand) &&
        plugin_is(&program->results[0], types->result)) {
      return types;
    }
  }
  return NULL;
}

/* A batch of `outer` x `inner` matrices, transposed in memory if so told. */
static dnnl_status_t describe(const dnnl_functions_t *dnnl, bool has_batch, int64_t batch,
                              int64_t outer, int64_t inner, bool is_transposed,
                              dnnl_data_type_t type, dnnl_memory_desc_t *out_memory) {
  const dnnl_dims_t sizes = {batch, outer, inner};
  const dnnl_dims_t strides = {outer * inner, is_transposed ? 1 : inner, is_transposed ? outer : 1};
  int skipped = has_batch ? 0 : 1;
  return dnnl->dnnl_memory_desc_init_by_strides(out_memory, 3 - skipped, sizes + skipped, type,
                                                strides + skipped);
}

static dnnl_status_t describe_matmul(const dnnl_functions_t *dnnl, const plugin_matrices_t *m,
                                     const matmul_types_t *types, bool has_batch, plan_t *plan) {
  dnnl_status_t status = describe(dnnl, has_batch, m->batch, m->rows, m->terms,
                                  m->lhs.is_terms_first, types->operand_type, &plan->inputs[0]);
  if (status != dnnl_success) return status;
  status = describe(dnnl, has_batch, m->batch, m->terms, m->columns, !m->rhs.is_terms_first,
                    types->operand_type, &plan->inputs[1]);
  if (status != dnnl_success) return status;
  status = describe(dnnl, has_batch, m->batch, m->rows, m->columns, false, types->result_type,
                    &plan->output);
  if (status != dnnl_success) return status;
  return dnnl->dnnl_matmul_desc_init(&plan->operation.matmul, &plan->inputs[0], &plan->inputs[1],
                                     NULL, &plan->output);
}

static void gather(const plan_t *plan, uint32_t input, const void *operand, void *packed) {
  plugin_gather(&plan->matrices[input], plan->operand_bytes, operand, packed);
}

int32_t plan_matmul(const dnnl_functions_t *dnnl, const assay_program_t *program,
                    bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  (void)takes_any_types;
  plugin_matrices_t matrices = {0};
  int32_t code = plugin_matrices_make(program, &matrices, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  const matmul_types_t *types = find_types(program);
  if (types == NULL) {
    return plugin_say(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no matmul from %s to %s",
                      program->operands[0].element, program->results[0].element);
  }
  if (!plugin_algorithm_suits(program, types->algorithm)) {
    return plugin_say(reason, ASSAY_EXECUTOR_UNSUPPORTED, "matmul does not do algorithm %s",
                      plugin_attribute(program, "algorithm"));
  }
  if (matrices.lhs.element_count == 0 || matrices.rhs.element_count == 0) {
    return plugin_say(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no matmul of empty operands");
  }
  *out_plan = (plan_t){.input_count = 2,
                       .input_arguments = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS},
                       .matrices = {matrices.lhs, matrices.rhs},
                       .operand_bytes = types->operand_bytes};
  for (uint32_t i = 0; i < 2; i++) {
    const plugin_operand_t *matrix = &out_plan->matrices[i];
    out_plan->packed_bytes[i] = matrix->element_count * types->operand_bytes;
    if (!matrix->is_in_place) out_plan->prepare[i] = gather;
  }
  const char *batch = plugin_attribute(program, "batch");
  bool has_batch = strcmp(batch, "[]x[]") != 0;
  return plan_answer(dnnl, describe_matmul(dnnl, &matrices, types, has_batch, out_plan), "matmul",
                     reason);
}
