/* SPDX-License-Identifier: Apache-2.0 */
/* Makes oneDNN 3's primitives of descriptors of oneDNN 2. */
#include "harness/exec/plugins/onednn/version3/version3.h"

#include "harness/exec/plugins/onednn/version3/describe.h"

int32_t version3_open(const plugin_library_t *library, version3_t *out_version,
                      dnnl_functions_t *inout_dnnl, assay_reason_t *reason) {
#define FUNCTION(name, parameters)                              \
  {                                                             \
    void *symbol = plugin_library_find(library, #name, reason); \
    if (symbol == NULL) return ASSAY_EXECUTOR_FAILED;           \
    memcpy(&out_version->name, &symbol, sizeof symbol);         \
  }
  VERSION3_FUNCTIONS(FUNCTION)
#undef FUNCTION
  version3_fill_in(inout_dnnl);
  inout_dnnl->version3 = out_version;
  return ASSAY_EXECUTOR_OK;
}

/* ---- Numbers that differ ----------------------------------------------------------------------*/

/* Algorithms of eltwise have other numbers; all others the same. */
static int algorithm_of(dnnl_alg_kind_t algorithm) {
  static const struct {
    dnnl_alg_kind_t algorithm;
    int number;
  } moved[] = {{dnnl_eltwise_relu, 0x20},
               {dnnl_eltwise_linear, 0x26},
               {dnnl_eltwise_gelu_tanh, 0x2b},
               {dnnl_eltwise_gelu_erf, 0x31}};
  for (size_t i = 0; i < sizeof moved / sizeof moved[0]; i++) {
    if (moved[i].algorithm == algorithm) return moved[i].number;
  }
  return (int)algorithm;
}

static unsigned flags_of(unsigned flags) {
  enum { USE_SCALE = 2, USE_SHIFT = 4 };
  return ((flags & dnnl_use_scale) != 0 ? USE_SCALE : 0U) |
         ((flags & dnnl_use_shift) != 0 ? USE_SHIFT : 0U);
}

enum { ISA_AVX2_VNNI = 0xf, ISA_AMX = 0xfef, ISA_FP16 = 0x1ef };

int version3_isa(dnnl_cpu_isa_t isa) {
  if (isa == dnnl_cpu_isa_avx2_vnni) return ISA_AVX2_VNNI;
  return isa == dnnl_cpu_isa_avx512_core_amx ? ISA_AMX : (int)isa;
}

dnnl_cpu_isa_t version3_isa_back(int isa) {
  static const dnnl_cpu_isa_t same[] = {dnnl_cpu_isa_sse41,
                                        dnnl_cpu_isa_avx,
                                        dnnl_cpu_isa_avx2,
                                        dnnl_cpu_isa_avx512_core,
                                        dnnl_cpu_isa_avx512_core_vnni,
                                        dnnl_cpu_isa_avx512_core_bf16};
  for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
    if ((int)same[i] == isa) return same[i];
  }
  if (isa == ISA_AVX2_VNNI) return dnnl_cpu_isa_avx2_vnni;
  return isa == ISA_AMX ? dnnl_cpu_isa_avx512_core_amx : dnnl_cpu_isa_all;
}

/* ---- Memory and post-ops ----------------------------------------------------------------------*/

dnnl_status_t version3_append_eltwise(const version3_t *version, dnnl_post_ops_t operations,
                                      dnnl_alg_kind_t algorithm, float alpha, float beta) {
  return version->dnnl_post_ops_append_eltwise(operations, algorithm_of(algorithm), alpha, beta);
}

/* Of one that is not there, NULL. */
static dnnl_status_t describe(const version3_t *version, const dnnl_memory_desc_t *memory,
                              description_t **out_description) {
  *out_description = NULL;
  if (memory->format_kind == dnnl_format_kind_undef) return dnnl_success;
  return version->dnnl_memory_desc_create_with_strides(out_description, memory->ndims, memory->dims,
                                                       memory->data_type,
                                                       memory->format_desc.blocking.strides);
}

dnnl_status_t version3_memory_create(const version3_t *version, dnnl_memory_t *out_memory,
                                     const dnnl_memory_desc_t *description, dnnl_engine_t engine) {
  description_t *made = NULL;
  dnnl_status_t status = describe(version, description, &made);
  if (status != dnnl_success) return status;
  status = version->dnnl_memory_create(out_memory, made, engine, DNNL_MEMORY_NONE);
  version->dnnl_memory_desc_destroy(made);
  return status;
}

/* ---- Primitives -------------------------------------------------------------------------------*/

/* Memory of a primitive: sources, weights and a bias, and the result last. */
typedef struct memories {
  description_t *all[PLAN_INPUTS_MAX + 1];
  int count;
} memories_t;

static dnnl_status_t add_memory(const version3_t *version, const dnnl_memory_desc_t *memory,
                                memories_t *memories) {
  return describe(version, memory, &memories->all[memories->count++]);
}

static void clear_memories(const version3_t *version, memories_t *memories) {
  for (int i = 0; i < memories->count; i++) {
    if (memories->all[i] != NULL) version->dnnl_memory_desc_destroy(memories->all[i]);
  }
}

/* Those that the operation names, in the order of its members. */
static dnnl_status_t take_memories(const version3_t *version, const plan_t *plan,
                                   memories_t *memories) {
  const dnnl_memory_desc_t *list[4] = {NULL};
  switch (plan->operation.matmul.primitive_kind) { /* All begin with it. */
    case dnnl_matmul:
      list[0] = &plan->operation.matmul.src_desc;
      list[1] = &plan->operation.matmul.weights_desc;
      list[2] = &plan->operation.matmul.bias_desc;
      list[3] = &plan->operation.matmul.dst_desc;
      break;
    case dnnl_convolution:
      list[0] = &plan->operation.convolution.src_desc;
      list[1] = &plan->operation.convolution.weights_desc;
      list[2] = &plan->operation.convolution.bias_desc;
      list[3] = &plan->operation.convolution.dst_desc;
      break;
    case dnnl_reduction:
      list[0] = &plan->operation.reduction.src_desc;
      list[1] = &plan->operation.reduction.dst_desc;
      break;
    case dnnl_softmax_v2:
      list[0] = &plan->operation.softmax.src_desc;
      list[1] = &plan->operation.softmax.dst_desc;
      break;
    case dnnl_resampling:
      list[0] = &plan->operation.resampling.src_desc;
      list[1] = &plan->operation.resampling.dst_desc;
      break;
    case dnnl_pooling_v2:
      list[0] = &plan->operation.pooling.src_desc;
      list[1] = &plan->operation.pooling.dst_desc;
      break;
    case dnnl_binary:
      list[0] = &plan->operation.binary.src_desc[0];
      list[1] = &plan->operation.binary.src_desc[1];
      list[2] = &plan->operation.binary.dst_desc;
      break;
    case dnnl_eltwise:
      list[0] = &plan->operation.eltwise.data_desc;
      break;
    case dnnl_layer_normalization:
      list[0] = &plan->operation.layer_normalization.data_desc;
      break;
    default:
      return dnnl_unimplemented;
  }
  dnnl_status_t status = dnnl_success;
  for (size_t i = 0; i < 4 && list[i] != NULL && status == dnnl_success; i++) {
    status = add_memory(version, list[i], memories);
  }
  return status;
}

typedef struct request {
  const version3_t *version;
  const_dnnl_primitive_attr_t attributes;
  dnnl_engine_t engine;
  dnnl_primitive_desc_t *out;
} request_t;

static dnnl_status_t make_window(const request_t *r, const plan_t *plan, description_t *const *m) {
  const version3_t *v = r->version;
  if (plan->operation.matmul.primitive_kind == dnnl_convolution) {
    const dnnl_convolution_desc_t *o = &plan->operation.convolution;
    return v->dnnl_convolution_forward_primitive_desc_create(
        r->out, r->engine, (int)o->prop_kind, algorithm_of(o->alg_kind), m[0], m[1], m[2], m[3],
        o->strides, o->dilates, o->padding[0], o->padding[1], r->attributes);
  }
  const dnnl_pooling_v2_desc_t *o = &plan->operation.pooling;
  return v->dnnl_pooling_forward_primitive_desc_create(
      r->out, r->engine, (int)o->prop_kind, algorithm_of(o->alg_kind), m[0], m[1], o->strides,
      o->kernel, o->dilation, o->padding[0], o->padding[1], r->attributes);
}

static dnnl_status_t make_of_one(const request_t *r, const plan_t *plan, description_t *const *m) {
  const version3_t *v = r->version;
  if (plan->operation.matmul.primitive_kind == dnnl_eltwise) {
    const dnnl_eltwise_desc_t *o = &plan->operation.eltwise;
    return v->dnnl_eltwise_forward_primitive_desc_create(r->out, r->engine, (int)o->prop_kind,
                                                         algorithm_of(o->alg_kind), m[0], m[0],
                                                         o->alpha, o->beta, r->attributes);
  }
  const dnnl_layer_normalization_desc_t *o = &plan->operation.layer_normalization;
  return v->dnnl_layer_normalization_forward_primitive_desc_create(
      r->out, r->engine, (int)o->prop_kind, m[0], m[0], NULL, o->layer_norm_epsilon,
      flags_of(o->flags), r->attributes);
}

static dnnl_status_t make_operation(const request_t *r, const plan_t *plan,
                                    description_t *const *m) {
  const version3_t *v = r->version;
  const dnnl_reduction_desc_t *reduction = &plan->operation.reduction;
  const dnnl_softmax_v2_desc_t *softmax = &plan->operation.softmax;
  const dnnl_resampling_desc_t *resampling = &plan->operation.resampling;
  switch (plan->operation.matmul.primitive_kind) {
    case dnnl_matmul:
      return v->dnnl_matmul_primitive_desc_create(r->out, r->engine, m[0], m[1], m[2], m[3],
                                                  r->attributes);
    case dnnl_reduction:
      return v->dnnl_reduction_primitive_desc_create(r->out, r->engine,
                                                     algorithm_of(reduction->alg_kind), m[0], m[1],
                                                     reduction->p, reduction->eps, r->attributes);
    case dnnl_softmax_v2:
      return v->dnnl_softmax_forward_primitive_desc_create(
          r->out, r->engine, (int)softmax->prop_kind, algorithm_of(softmax->alg_kind), m[0], m[1],
          softmax->softmax_axis, r->attributes);
    case dnnl_resampling:
      return v->dnnl_resampling_forward_primitive_desc_create(
          r->out, r->engine, (int)resampling->prop_kind, algorithm_of(resampling->alg_kind), NULL,
          m[0], m[1], r->attributes);
    case dnnl_binary:
      return v->dnnl_binary_primitive_desc_create(r->out, r->engine,
                                                  algorithm_of(plan->operation.binary.alg_kind),
                                                  m[0], m[1], m[2], r->attributes);
    case dnnl_convolution:
    case dnnl_pooling_v2:
      return make_window(r, plan, m);
    default:
      return make_of_one(r, plan, m);
  }
}

static dnnl_status_t make_movement(const request_t *r, const plan_t *plan,
                                   description_t *const *m) {
  const version3_t *v = r->version;
  if (plan->kind == PLAN_REORDER) {
    return v->dnnl_reorder_primitive_desc_create(r->out, m[0], r->engine, m[1], r->engine,
                                                 r->attributes);
  }
  const description_t *sources[PLAN_INPUTS_MAX];
  for (uint32_t i = 0; i < plan->input_count; i++) sources[i] = m[i];
  return v->dnnl_concat_primitive_desc_create(r->out, r->engine, m[plan->input_count],
                                              (int)plan->input_count, plan->dimension, sources,
                                              r->attributes);
}

dnnl_status_t version3_choose(const version3_t *version, const plan_t *plan,
                              const_dnnl_primitive_attr_t attributes, dnnl_engine_t engine,
                              dnnl_primitive_desc_t *out_descriptor) {
  memories_t memories = {.count = 0};
  const request_t request = {version, attributes, engine, out_descriptor};
  dnnl_status_t status = dnnl_success;
  if (plan->kind == PLAN_OPERATION) {
    status = take_memories(version, plan, &memories);
    if (status == dnnl_success) status = make_operation(&request, plan, memories.all);
  } else {
    uint32_t count = plan->kind == PLAN_REORDER ? 1 : plan->input_count;
    for (uint32_t i = 0; i < count && status == dnnl_success; i++) {
      status = add_memory(version, &plan->inputs[i], &memories);
    }
    if (status == dnnl_success) status = add_memory(version, &plan->output, &memories);
    if (status == dnnl_success) status = make_movement(&request, plan, memories.all);
  }
  clear_memories(version, &memories);
  return status;
}
