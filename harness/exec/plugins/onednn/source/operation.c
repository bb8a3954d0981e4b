/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the call that chooses an implementation.  oneDNN 2 and 3 take the same arguments in the
 * same order; what is a structure in the one is a pointer in the other. */
#include "harness/exec/plugins/onednn/source/operation.h"

#define NAMED(algorithm) {algorithm, #algorithm}
static const char *name_of(dnnl_alg_kind_t algorithm) {
  static const struct {
    dnnl_alg_kind_t algorithm;
    const char *name;
  } names[] = {
      NAMED(dnnl_convolution_direct),
      NAMED(dnnl_reduction_sum),
      NAMED(dnnl_reduction_mul),
      NAMED(dnnl_reduction_max),
      NAMED(dnnl_reduction_min),
      NAMED(dnnl_softmax_accurate),
      NAMED(dnnl_softmax_log),
      NAMED(dnnl_eltwise_gelu_tanh),
      NAMED(dnnl_eltwise_gelu_erf),
      NAMED(dnnl_resampling_linear),
      NAMED(dnnl_resampling_nearest),
      NAMED(dnnl_pooling_max),
      NAMED(dnnl_pooling_avg_include_padding),
      NAMED(dnnl_pooling_avg_exclude_padding),
      NAMED(dnnl_binary_add),
      NAMED(dnnl_binary_sub),
      NAMED(dnnl_binary_mul),
      NAMED(dnnl_binary_max),
      NAMED(dnnl_binary_min),
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (names[i].algorithm == algorithm) return names[i].name;
  }
  return NULL;
}
#undef NAMED

void source_write_dims(const dnnl_dims_t dims, int count, FILE *out) {
  fprintf(out, "(dnnl_dims_t){");
  for (int i = 0; i < count; i++) fprintf(out, "%s%lld", i == 0 ? "" : ", ", (long long)dims[i]);
  fprintf(out, "}");
}

/* The name of its structure and of the function that fills that in, which oneDNN 2 has; and that of
 * the function of oneDNN 3. */
typedef struct operation {
  const char *title;
  const char *structure, *fills;
  const char *creates;
} operation_t;

static const operation_t *find_operation(dnnl_primitive_kind_t kind) {
  static const struct {
    dnnl_primitive_kind_t kind;
    operation_t operation;
  } rows[] = {
      {dnnl_matmul, {"matmul", "matmul", "matmul_desc_init", "matmul"}},
      {dnnl_reduction, {"reduction", "reduction", "reduction_desc_init", "reduction"}},
      {dnnl_softmax_v2,
       {"softmax", "softmax_v2", "softmax_v2_forward_desc_init", "softmax_forward"}},
      {dnnl_eltwise, {"eltwise", "eltwise", "eltwise_forward_desc_init", "eltwise_forward"}},
      {dnnl_layer_normalization,
       {"layer normalization", "layer_normalization", "layer_normalization_forward_desc_init",
        "layer_normalization_forward"}},
      {dnnl_resampling,
       {"resampling", "resampling", "resampling_forward_desc_init", "resampling_forward"}},
      {dnnl_convolution,
       {"convolution", "convolution", "dilated_convolution_forward_desc_init",
        "convolution_forward"}},
      {dnnl_pooling_v2,
       {"pooling", "pooling_v2", "pooling_v2_forward_desc_init", "pooling_forward"}},
      {dnnl_binary, {"binary", "binary", "binary_desc_init", "binary"}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (rows[i].kind == kind) return &rows[i].operation;
  }
  return NULL;
}

static dnnl_primitive_kind_t kind_of(const plan_t *plan) {
  return plan->operation.matmul.primitive_kind; /* All begin with it. */
}

/* Behind input and output: how windows lie, one list a line. */
static void write_windows(const dnnl_dims_t *const lists[], size_t count, int rank, FILE *out) {
  for (size_t i = 0; i < count; i++) {
    fprintf(out, ",\n      ");
    source_write_dims(*lists[i], rank, out);
  }
}

/* Of windows, the arguments that both versions have. */
static void write_window_arguments(const plan_t *plan, const char *at, FILE *out) {
  const int spatial = plan->output.ndims - 2;
  const dnnl_convolution_desc_t *c = &plan->operation.convolution;
  const dnnl_pooling_v2_desc_t *p = &plan->operation.pooling;
  const dnnl_dims_t *const of_convolution[] = {&c->strides, &c->dilates, &c->padding[0],
                                               &c->padding[1]};
  const dnnl_dims_t *const of_pooling[] = {&p->strides, &p->kernel, &p->dilation, &p->padding[0],
                                           &p->padding[1]};
  if (kind_of(plan) == dnnl_convolution) {
    fprintf(out, "dnnl_forward_inference, %s,\n      %sinputs[0], %sinputs[1], NULL, %soutput",
            name_of(c->alg_kind), at, at, at);
    write_windows(of_convolution, sizeof of_convolution / sizeof *of_convolution, spatial, out);
  } else {
    fprintf(out, "dnnl_forward_inference, %s,\n      %sinputs[0], %soutput", name_of(p->alg_kind),
            at, at);
    write_windows(of_pooling, sizeof of_pooling / sizeof *of_pooling, spatial, out);
  }
}

/* Of elements and rows; where oneDNN 2 takes the output to be as the input, 3 is told so. */
static void write_formula_arguments(const onednn_source_t *source, const char *at, FILE *out) {
  const plan_t *plan = source->plan;
  const char *again = source->is_version3 ? "inputs[0], " : "";
  if (kind_of(plan) == dnnl_softmax_v2) {
    fprintf(out, "dnnl_forward_inference, %s, %sinputs[0], %soutput, %d",
            name_of(plan->operation.softmax.alg_kind), at, at,
            plan->operation.softmax.softmax_axis);
  } else if (kind_of(plan) == dnnl_eltwise) {
    const dnnl_eltwise_desc_t *eltwise = &plan->operation.eltwise;
    fprintf(out, "dnnl_forward_inference, %s, %sinputs[0], %s%af, %af", name_of(eltwise->alg_kind),
            at, again, (double)eltwise->alpha, (double)eltwise->beta);
  } else {
    fprintf(out,
            "dnnl_forward_inference, %sinputs[0], %sNULL, %af, dnnl_use_scale | dnnl_use_shift", at,
            again, (double)plan->operation.layer_normalization.layer_norm_epsilon);
  }
}

/* What both versions take, in the same order. */
static void write_arguments(const onednn_source_t *source, const char *at, FILE *out) {
  const plan_t *plan = source->plan;
  switch (kind_of(plan)) {
    case dnnl_matmul:
      fprintf(out, "%sinputs[0], %sinputs[1], NULL, %soutput", at, at, at);
      break;
    case dnnl_reduction:
      fprintf(out, "%s, %sinputs[0], %soutput, 0, 0", name_of(plan->operation.reduction.alg_kind),
              at, at);
      break;
    case dnnl_resampling:
      fprintf(out, "dnnl_forward_inference, %s, NULL, %sinputs[0], %soutput",
              name_of(plan->operation.resampling.alg_kind), at, at);
      break;
    case dnnl_binary:
      fprintf(out, "%s, %sinputs[0], %sinputs[1], %soutput",
              name_of(plan->operation.binary.alg_kind), at, at, at);
      break;
    case dnnl_convolution:
    case dnnl_pooling_v2:
      write_window_arguments(plan, at, out);
      break;
    default:
      write_formula_arguments(source, at, out);
  }
}

void source_write_choice(const onednn_source_t *source, FILE *out) {
  const plan_t *plan = source->plan;
  const char *at = source->is_version3 ? "" : "&";
  if (plan->kind == PLAN_REORDER) {
    fprintf(
        out,
        "  CHECK(dnnl_reorder_primitive_desc_create(&descriptor, %sinputs[0], engine, %soutput, "
        "engine,\n                                           attributes));\n",
        at, at);
  } else if (plan->kind == PLAN_CONCATENATE && source->is_version3) {
    fprintf(out,
            "  CHECK(dnnl_concat_primitive_desc_create(&descriptor, engine, output, %u, %d, "
            "(const_dnnl_memory_desc_t *)inputs, attributes));\n",
            plan->input_count, plan->dimension);
  } else if (plan->kind == PLAN_CONCATENATE) {
    fprintf(out,
            "  CHECK(dnnl_concat_primitive_desc_create(&descriptor, &output, %u, %d, inputs, "
            "attributes, engine));\n",
            plan->input_count, plan->dimension);
  } else if (source->is_version3) {
    fprintf(out, "  CHECK(dnnl_%s_primitive_desc_create(\n      &descriptor, engine, ",
            find_operation(kind_of(plan))->creates);
    write_arguments(source, at, out);
    fprintf(out, ", attributes));\n");
  } else {
    const operation_t *operation = find_operation(kind_of(plan));
    fprintf(out, "  dnnl_%s_desc_t operation;\n  CHECK(dnnl_%s(\n      &operation, ",
            operation->structure, operation->fills);
    write_arguments(source, at, out);
    fprintf(out,
            "));\n  CHECK(dnnl_primitive_desc_create(&descriptor, &operation, attributes, engine, "
            "NULL));\n");
  }
}

const char *source_title(const plan_t *plan) {
  if (plan->kind == PLAN_REORDER) return "reorder";
  if (plan->kind == PLAN_CONCATENATE) return "concat";
  const operation_t *operation = find_operation(kind_of(plan));
  return operation == NULL ? NULL : operation->title;
}
