/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN 3 for a plugin that is written for the interface of oneDNN 2: what has another signature
 * there, and what is gone.
 *
 * Descriptors of operations and of memory are structures of oneDNN 2 throughout the plugin.  Where
 * the library is a later one they are filled here, and made into its own objects at the last
 * moment.  Scales and zero points are given to a primitive when it runs there, and output scales
 * are gone: attributes that have them are refused, and quantized programs with them. */
#ifndef ASSAY_EXEC_PLUGINS_ONEDNN_VERSION3_VERSION3_H
#define ASSAY_EXEC_PLUGINS_ONEDNN_VERSION3_VERSION3_H

#include "harness/exec/plugins/onednn/onednn.h"
#include "harness/exec/plugins/plugin_library.h"

/* A memory descriptor of oneDNN 3, of which only pointers are known. */
typedef struct description description_t;

#define VERSION3_FUNCTIONS(FUNCTION)                                                              \
  FUNCTION(dnnl_memory_desc_create_with_strides,                                                  \
           (description_t * *out, int rank, const int64_t *dims, dnnl_data_type_t type,           \
            const int64_t *strides))                                                              \
  FUNCTION(dnnl_memory_desc_destroy, (description_t * memory))                                    \
  FUNCTION(dnnl_memory_create,                                                                    \
           (dnnl_memory_t * out, const description_t *memory, dnnl_engine_t engine, void *data))  \
  FUNCTION(dnnl_post_ops_append_eltwise,                                                          \
           (dnnl_post_ops_t operations, int algorithm, float alpha, float beta))                  \
  FUNCTION(dnnl_matmul_primitive_desc_create,                                                     \
           (dnnl_primitive_desc_t * out, dnnl_engine_t engine, const description_t *source,       \
            const description_t *weights, const description_t *bias, const description_t *result, \
            const_dnnl_primitive_attr_t attributes))                                              \
  FUNCTION(dnnl_reduction_primitive_desc_create,                                                  \
           (dnnl_primitive_desc_t * out, dnnl_engine_t engine, int algorithm,                     \
            const description_t *source, const description_t *result, float p, float epsilon,     \
            const_dnnl_primitive_attr_t attributes))                                              \
  FUNCTION(dnnl_softmax_forward_primitive_desc_create,                                            \
           (dnnl_primitive_desc_t * out, dnnl_engine_t engine, int kind, int algorithm,           \
            const description_t *source, const description_t *result, int axis,                   \
            const_dnnl_primitive_attr_t attributes))                                              \
  FUNCTION(dnnl_eltwise_forward_primitive_desc_create,                                            \
           (dnnl_primitive_desc_t * out, dnnl_engine_t engine, int kind, int algorithm,           \
            const description_t *source, const description_t *result, float alpha, float beta,    \
            const_dnnl_primitive_attr_t attributes))                                              \
  FUNCTION(                                                                                       \
      dnnl_layer_normalization_forward_primitive_desc_create,                                     \
      (dnnl_primitive_desc_t * out, dnnl_engine_t engine, int kind, const description_t *source,  \
       const description_t *result, const description_t *statistics, float epsilon,               \
       unsigned flags, const_dnnl_primitive_attr_t attributes))                                   \
  FUNCTION(dnnl_resampling_forward_primitive_desc_create,                                         \
           (dnnl_primitive_desc_t * out, dnnl_engine_t engine, int kind, int algorithm,           \
            const float *factors, const description_t *source, const description_t *result,       \
            const_dnnl_primitive_attr_t attributes))                                              \
  FUNCTION(dnnl_convolution_forward_primitive_desc_create,                                        \
           (dnnl_primitive_desc_t * out, dnnl_engine_t engine, int kind, int algorithm,           \
            const description_t *source, const description_t *weights, const description_t *bias, \
            const description_t *result, const int64_t *strides, const int64_t *dilations,        \
            const int64_t *low, const int64_t *high, const_dnnl_primitive_attr_t attributes))     \
  FUNCTION(dnnl_pooling_forward_primitive_desc_create,                                            \
           (dnnl_primitive_desc_t * out, dnnl_engine_t engine, int kind, int algorithm,           \
            const description_t *source, const description_t *result, const int64_t *strides,     \
            const int64_t *kernel, const int64_t *dilation, const int64_t *low,                   \
            const int64_t *high, const_dnnl_primitive_attr_t attributes))                         \
  FUNCTION(dnnl_binary_primitive_desc_create,                                                     \
           (dnnl_primitive_desc_t * out, dnnl_engine_t engine, int algorithm,                     \
            const description_t *lhs, const description_t *rhs, const description_t *result,      \
            const_dnnl_primitive_attr_t attributes))                                              \
  FUNCTION(                                                                                       \
      dnnl_reorder_primitive_desc_create,                                                         \
      (dnnl_primitive_desc_t * out, const description_t *source, dnnl_engine_t from,              \
       const description_t *result, dnnl_engine_t to, const_dnnl_primitive_attr_t attributes))    \
  FUNCTION(dnnl_concat_primitive_desc_create,                                                     \
           (dnnl_primitive_desc_t * out, dnnl_engine_t engine, const description_t *result,       \
            int count, int dimension, const description_t *const *sources,                        \
            const_dnnl_primitive_attr_t attributes))

struct version3 {
#define FUNCTION(name, parameters) dnnl_status_t(*name) parameters;
  VERSION3_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

/* Looks its functions up, and fills in those of `inout_dnnl` that are gone there. */
int32_t version3_open(const plugin_library_t *library, version3_t *out_version,
                      dnnl_functions_t *inout_dnnl, assay_reason_t *reason);

/* As the functions of oneDNN 2 of these names, and as plan_choose(). */
dnnl_status_t version3_append_eltwise(const version3_t *version, dnnl_post_ops_t operations,
                                      dnnl_alg_kind_t algorithm, float alpha, float beta);
dnnl_status_t version3_memory_create(const version3_t *version, dnnl_memory_t *out_memory,
                                     const dnnl_memory_desc_t *description, dnnl_engine_t engine);
dnnl_status_t version3_choose(const version3_t *version, const plan_t *plan,
                              const_dnnl_primitive_attr_t attributes, dnnl_engine_t engine,
                              dnnl_primitive_desc_t *out_descriptor);

/* oneDNN 3's numbers of instruction sets: that of `isa` of oneDNN 2; and the other way round, or
 * dnnl_cpu_isa_all for one that oneDNN 2 has not. */
int version3_isa(dnnl_cpu_isa_t isa);
dnnl_cpu_isa_t version3_isa_back(int isa);

#endif
