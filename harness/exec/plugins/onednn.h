/* What the parts of the oneDNN backend share: the library, and a plan of what to ask it. */
#ifndef ASSAY_PLUGIN_ONEDNN_H
#define ASSAY_PLUGIN_ONEDNN_H

#include <dnnl.h>
#include <dnnl_debug.h>

#include "harness/exec/plugins/plugin_matrices.h"

/* What is looked up in the library. */
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
  FUNCTION(dnnl_memory_desc_init_by_strides)    \
  FUNCTION(dnnl_memory_create)                  \
  FUNCTION(dnnl_memory_set_data_handle)         \
  FUNCTION(dnnl_memory_destroy)                 \
  FUNCTION(dnnl_matmul_desc_init)               \
  FUNCTION(dnnl_reduction_desc_init)            \
  FUNCTION(dnnl_primitive_attr_create)          \
  FUNCTION(dnnl_primitive_attr_set_fpmath_mode) \
  FUNCTION(dnnl_primitive_attr_destroy)         \
  FUNCTION(dnnl_primitive_desc_create)          \
  FUNCTION(dnnl_primitive_desc_query)           \
  FUNCTION(dnnl_primitive_desc_destroy)         \
  FUNCTION(dnnl_primitive_create)               \
  FUNCTION(dnnl_primitive_execute)              \
  FUNCTION(dnnl_primitive_destroy)

typedef struct dnnl_functions {
#define FUNCTION(name) __typeof__(&name) name;
  ONEDNN_FUNCTIONS(FUNCTION)
#undef FUNCTION
} dnnl_functions_t;

enum { PLAN_INPUTS_MAX = 2 };

/* One primitive that does a program, with what the plugin does before and after it. */
typedef struct plan {
  /* The descriptor of the operation. */
  union {
    dnnl_matmul_desc_t matmul;
    dnnl_reduction_desc_t reduction;
  } operation;
  uint32_t input_count; /* Operands 0.. of the program are inputs of the primitive. */
  dnnl_memory_desc_t inputs[PLAN_INPUTS_MAX];
  int input_arguments[PLAN_INPUTS_MAX]; /* DNNL_ARG_... */
  dnnl_memory_desc_t output;
  /* Operands that have to be gathered into matrices first; all in place for a reduction. */
  plugin_operand_t operands[PLAN_INPUTS_MAX];
  size_t operand_bytes; /* Of an element. */
  /* Reductions have no initial value: it is combined with each result afterwards, as one more
   * application of the body.  NULL for a product. */
  void (*promote)(const void *init,
                  void *out); /* To the result's type, of at most 4 bytes; or NULL. */
  void (*combine)(void *results, size_t count, const void *init);
  size_t result_count;
} plan_t;

/* ASSAY_EXECUTOR_OK and a plan whose operation the library has checked; else why not.  With
 * `takes_any_types` also for types that oneDNN takes without documenting them. */
int32_t plan_matmul(const dnnl_functions_t *dnnl, const assay_program_t *program, plan_t *out_plan,
                    assay_reason_t *reason);
int32_t plan_reduction(const dnnl_functions_t *dnnl, const assay_program_t *program,
                       bool takes_any_types, plan_t *out_plan, assay_reason_t *reason);

/* The answer to a status of the library, "matmul: unimplemented".  What it does not implement, or
 * does not take, is unsupported. */
int32_t plan_answer(const dnnl_functions_t *dnnl, dnnl_status_t status, const char *what,
                    assay_reason_t *reason);

#endif
