/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the oneDNN backend share: the library, and a plan of what to ask it. */
#ifndef ASSAY_EXEC_PLUGINS_ONEDNN_ONEDNN_H
#define ASSAY_EXEC_PLUGINS_ONEDNN_ONEDNN_H

#include <dnnl.h>
#include <dnnl_debug.h>

#include "harness/exec/plugins/plugin_matrices.h"

/* What is looked up in the library, of any major version. */
#define ONEDNN_FUNCTIONS(FUNCTION)              \
  FUNCTION(dnnl_version)                        \
  FUNCTION(dnnl_status2str)                     \
  FUNCTION(dnnl_set_max_cpu_isa)                \
  FUNCTION(dnnl_get_effective_cpu_isa)          \
  FUNCTION(dnnl_engine_create)                  \
  FUNCTION(dnnl_engine_destroy)                 \
  FUNCTION(dnnl_stream_create)                  \
  FUNCTION(dnnl_stream_wait)                    \
  FUNCTION(dnnl_stream_destroy)                 \
  FUNCTION(dnnl_memory_set_data_handle)         \
  FUNCTION(dnnl_memory_destroy)                 \
  FUNCTION(dnnl_primitive_attr_create)          \
  FUNCTION(dnnl_primitive_attr_set_fpmath_mode) \
  FUNCTION(dnnl_primitive_attr_set_post_ops)    \
  FUNCTION(dnnl_post_ops_create)                \
  FUNCTION(dnnl_post_ops_destroy)               \
  FUNCTION(dnnl_primitive_attr_destroy)         \
  FUNCTION(dnnl_primitive_desc_query)           \
  FUNCTION(dnnl_primitive_desc_destroy)         \
  FUNCTION(dnnl_primitive_create)               \
  FUNCTION(dnnl_primitive_execute)              \
  FUNCTION(dnnl_primitive_destroy)

/* What oneDNN 3 has no longer, or with another signature: version3/version3.h. */
#define ONEDNN_2_FUNCTIONS(FUNCTION)                   \
  FUNCTION(dnnl_memory_desc_init_by_strides)           \
  FUNCTION(dnnl_memory_desc_get_size)                  \
  FUNCTION(dnnl_memory_create)                         \
  FUNCTION(dnnl_matmul_desc_init)                      \
  FUNCTION(dnnl_reduction_desc_init)                   \
  FUNCTION(dnnl_softmax_v2_forward_desc_init)          \
  FUNCTION(dnnl_eltwise_forward_desc_init)             \
  FUNCTION(dnnl_layer_normalization_forward_desc_init) \
  FUNCTION(dnnl_resampling_forward_desc_init)          \
  FUNCTION(dnnl_dilated_convolution_forward_desc_init) \
  FUNCTION(dnnl_pooling_v2_forward_desc_init)          \
  FUNCTION(dnnl_binary_desc_init)                      \
  FUNCTION(dnnl_reorder_primitive_desc_create)         \
  FUNCTION(dnnl_concat_primitive_desc_create)          \
  FUNCTION(dnnl_primitive_attr_set_output_scales)      \
  FUNCTION(dnnl_primitive_attr_set_scales)             \
  FUNCTION(dnnl_primitive_attr_set_zero_points)        \
  FUNCTION(dnnl_post_ops_append_eltwise)               \
  FUNCTION(dnnl_post_ops_append_binary)                \
  FUNCTION(dnnl_primitive_desc_create)

typedef struct version3 version3_t; /* version3/version3.h */

typedef struct dnnl_functions {
#define FUNCTION(name) __typeof__(&name) name;
  ONEDNN_FUNCTIONS(FUNCTION)
  ONEDNN_2_FUNCTIONS(FUNCTION)
#undef FUNCTION
  const version3_t *version3; /* NULL: the library is oneDNN 2. */
} dnnl_functions_t;

enum { PLAN_INPUTS_MAX = 8 };

/* How the library makes a primitive of a plan. */
typedef enum plan_kind { PLAN_OPERATION, PLAN_REORDER, PLAN_CONCATENATE } plan_kind_t;

typedef struct plan plan_t;

/* Makes of operand `input` what the primitive takes, in plan->packed_bytes[input] bytes. */
typedef void plan_prepare_t(const plan_t *plan, uint32_t input, const void *operand, void *packed);

/* One primitive that does a program, with what the plugin does before and after it. */
struct plan {
  plan_kind_t kind;
  /* The descriptor of a PLAN_OPERATION. */
  union {
    dnnl_matmul_desc_t matmul;
    dnnl_reduction_desc_t reduction;
    dnnl_softmax_v2_desc_t softmax;
    dnnl_eltwise_desc_t eltwise;
    dnnl_layer_normalization_desc_t layer_normalization;
    dnnl_resampling_desc_t resampling;
    dnnl_convolution_desc_t convolution;
    dnnl_pooling_v2_desc_t pooling;
    dnnl_binary_desc_t binary;
  } operation;
  int dimension;                    /* Of a PLAN_CONCATENATE. */
  dnnl_primitive_attr_t attributes; /* The plan's own, freed with it; NULL: no arithmetic less exact
                                     * than the types say. */
  uint32_t input_count;             /* Operands 0.. of the program are inputs of the primitive. */
  dnnl_memory_desc_t inputs[PLAN_INPUTS_MAX];
  int input_arguments[PLAN_INPUTS_MAX]; /* DNNL_ARG_... */
  dnnl_memory_desc_t output;
  /* What has to be made of an operand first; NULL where it is taken as it is. */
  plan_prepare_t *prepare[PLAN_INPUTS_MAX];
  size_t packed_bytes[PLAN_INPUTS_MAX];
  float shift; /* What a linear post-op adds, of a quantized sum; 0: there is none. */
  plugin_operand_t matrices[2]; /* Of a product: how operands are gathered into matrices. */
  size_t operand_bytes;         /* Of an element of them. */
  /* Of a module: input i is this memory of the plan's own, freed with it, or operand operand_of[i].
   */
  bool is_wired;
  plan_t *before; /* Whose output is input 0, freed with it; NULL: that is the operand. */
  void *constants[PLAN_INPUTS_MAX];
  uint32_t operand_of[PLAN_INPUTS_MAX];
  /* Reductions and windows have no initial value: it is combined with each result afterwards, as
   * one more application of the body.  NULL for all else. */
  void (*promote)(const void *init,
                  void *out); /* To the result's type, of at most 4 bytes; or NULL. */
  void (*combine)(void *results, size_t count, const void *init);
  size_t result_count;
};

/* ASSAY_EXECUTOR_OK and a plan whose operation the library has checked; else why not.  With
 * `takes_any_types` also for types that oneDNN takes without documenting them. */
typedef int32_t plan_make_t(const dnnl_functions_t *dnnl, const assay_program_t *program,
                            bool takes_any_types, plan_t *out_plan, assay_reason_t *reason);
plan_make_t plan_matmul, plan_reduction, plan_softmax, plan_gelu, plan_layer_norm, plan_resize,
    plan_dequantize, plan_convolution, plan_pooling, plan_reorder, plan_binary, plan_movement,
    plan_broadcast, plan_concatenate, plan_module;

/* What plan_make_t is given, for parts of one that pass it on. */
typedef struct plan_request {
  const dnnl_functions_t *dnnl;
  const assay_program_t *program;
  bool takes_any_types;
} plan_request_t;

/* The one of these for the program's op.  The plan is to be released, if it could be made or not.
 */
plan_make_t plan_make;

/* The same, as what is to run before `inout_plan`, which is then to be released with it. */
int32_t plan_before(const dnnl_functions_t *dnnl, const assay_program_t *program,
                    bool takes_any_types, plan_t *inout_plan, assay_reason_t *reason);
void plan_release(const dnnl_functions_t *dnnl, plan_t *plan);

/* The implementation that the library chooses; `strict` are the attributes of plans without their
 * own. */
int32_t plan_choose(const dnnl_functions_t *dnnl, const plan_t *plan, dnnl_engine_t engine,
                    dnnl_primitive_attr_t strict, dnnl_primitive_desc_t *out_descriptor,
                    assay_reason_t *reason);

/* How an initial value is combined with results by `body`, in a type of results: dnnl_f32,
 * dnnl_bf16, dnnl_s32, dnnl_s8 or dnnl_u8.  NULL where oneDNN means something else by it. */
typedef void plan_combine_t(void *results, size_t count, const void *init);
plan_combine_t *plan_find_combine(const char *body, dnnl_data_type_t type);

/* How sums are formed by the reduction primitive of i8 or ui8 into i32, where those of a program
 * are quantized with one scale throughout: of what is stored, and a linear post-op adds `shift`,
 * for the zero points, the initial value's too. */
typedef struct plan_stored_sum {
  dnnl_data_type_t input_type;
  void (*promote)(const void *init, void *out);
  float shift;
} plan_stored_sum_t;

/* False where the program's are not such sums, or may be none of f32, through which oneDNN carries
 * them. */
bool plan_find_stored_sum(const assay_program_t *program, plan_stored_sum_t *out_sum);

/* Describes in `inout_plan` the average over windows, of what is stored in one type, into another:
 * of the windows of a sum, without padding. */
typedef struct plan_average {
  dnnl_data_type_t from;
  dnnl_data_type_t to;
} plan_average_t;
int32_t plan_describe_average(const dnnl_functions_t *dnnl, const assay_program_t *program,
                              const plan_average_t *types, plan_t *inout_plan,
                              assay_reason_t *reason);

/* A dense tensor in row-major order. */
dnnl_status_t plan_describe(const dnnl_functions_t *dnnl, uint32_t rank, const int64_t *sizes,
                            dnnl_data_type_t type, dnnl_memory_desc_t *out_memory);

/* How windows lie, by spatial dimension; a dilation of 0 is none. */
typedef struct plan_windows {
  dnnl_dims_t strides;
  dnnl_dims_t kernel; /* Of a pooling. */
  dnnl_dims_t dilations;
  dnnl_dims_t low;
  dnnl_dims_t high;
} plan_windows_t;

/* The operation of a plan whose inputs and output are described, of either major version. */
dnnl_status_t plan_describe_convolution(const dnnl_functions_t *dnnl, plan_t *plan,
                                        const plan_windows_t *windows);
dnnl_status_t plan_describe_pooling(const dnnl_functions_t *dnnl, plan_t *plan,
                                    dnnl_alg_kind_t algorithm, const plan_windows_t *windows);

/* Appends an eltwise operation to post-ops, of either major version. */
dnnl_status_t plan_append_eltwise(const dnnl_functions_t *dnnl, dnnl_post_ops_t operations,
                                  dnnl_alg_kind_t algorithm, float alpha, float beta);

/* Has the primitive add a number to each result, in f32, before it rounds: what oneDNN has instead
 * of zero points where it has none. */
dnnl_status_t plan_append_shift(const dnnl_functions_t *dnnl, dnnl_primitive_attr_t attributes,
                                float shift);

/* The answer to a status of the library, "matmul: unimplemented".  What it does not implement, or
 * does not take, is unsupported. */
int32_t plan_answer(const dnnl_functions_t *dnnl, dnnl_status_t status, const char *what,
                    assay_reason_t *reason);

#endif
