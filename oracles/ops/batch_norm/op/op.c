/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the ops batch_norm_training and batch_norm_grad: the table of attributes and the reduced
 * dimensions. */
#include "oracles/ops/batch_norm/batch_norm.h"

#include <inttypes.h>
#include <math.h>

#include "harness/model/mlir.h"
#include "harness/types/scale.h"

/* ---- Text ------------------------------------------------------------------------------------ */

/* "0x0p+0" or a hex float, each with a sign where it is negative. */
static status_t parse_epsilon(const attribute_source_t *from, void *out_value) {
  scan_t start = *from->scan;
  bool is_negative = scan_accept(from->scan, "-");
  str_t text = scan_until(from->scan, " ");
  double size = 0;
  if (!str_equal_text(text, "0x0p+0") && !scale_parse(text, &size)) {
    return scan_fail(&start, from->error, "expected 0x0p+0 or a hex float such as 0x1p-10");
  }
  *(double *)out_value = is_negative ? -size : size;
  return STATUS_OK;
}

static void print_epsilon(const void *value, const attribute_sink_t *to) {
  const double epsilon = *(const double *)value, size = fabs(epsilon);
  if (signbit(epsilon)) g_string_append_c(to->text, '-');
  attribute_number.print(&size, to);
}

/* An epsilon that is no number of f32, which breaks a constraint, has no spelling as one: its
 * module has f64 there, which a verifier refuses. */
static void print_mlir_epsilon(const void *value, const attribute_sink_t *to) {
  bool is_f32 = batch_norm_epsilon_is_f32(batch_norm_attributes(to->program));
  const format_t *format = &format_table[is_f32 ? FORMAT_f32 : FORMAT_f64];
  g_string_append_printf(to->text, "0x%0*" PRIX64 " : %s", format->bits / 4,
                         format_from_double(format, *(const double *)value), format->name);
}

static const attribute_codec_t epsilon_codec = {
    .parse = parse_epsilon, .print = print_epsilon, .print_mlir = print_mlir_epsilon};

static const attribute_row_t attribute_rows[] = {
    {ATTRIBUTE("epsilon", epsilon_codec, batch_norm_attributes_t, epsilon)},
    {ATTRIBUTE_AT_BLANK("feature_index", attribute_integer, batch_norm_attributes_t,
                        feature_index)},
    ATTRIBUTES_END,
};

static void print_algorithm(const program_t *program, GString *out_text) {
  g_string_append(out_text, program->op->formulas);
}

static void print_words(const program_t *program, GString *out_text) {
  const batch_norm_attributes_t *attributes = batch_norm_attributes(program);
  const type_t *operand = &program->operands[0];
  dimension_list_t terms = batch_norm_terms(program);
  g_string_append_printf(out_text, "%s of ", program->op->summary);
  type_print(operand, out_text);
  g_string_append_printf(out_text,
                         " with channels along dimension %" PRId64 ": %" PRId64
                         " of %zu terms each, epsilon ",
                         attributes->feature_index, operand->dims[attributes->feature_index],
                         dimension_list_extent(&terms, operand));
  g_string_append_printf(out_text, "%g", attributes->epsilon);
}

/* Elements by channel are not combined with one another. */
static uint32_t reduced_dimensions(const program_t *program, uint32_t operand) {
  dimension_list_t terms = batch_norm_terms(program);
  return batch_norm_is_whole(program, operand) ? dimension_list_mask(&terms) : 0;
}

/* ---- The rows -------------------------------------------------------------------------------- */

static const op_t training_op, grad_op;

/* PyTorch's running_var is of a sample, by which nothing is divided; an early synchronized batch
 * norm took the larger of variance and epsilon. */
static const char *const training_readings[] = {
    "norm_epsilon=added-outside",
    "norm_epsilon=larger",
    "norm_epsilon=larger-outside",
    "norm_variance=sample",
    "norm_variance=sample-returned",
    "normalized=rounded",
    "epsilon=0",
    "epsilon=1e-12",
    "epsilon=1e-8",
    "epsilon=1e-6",
    "epsilon=1e-5",
    "epsilon=1e-3",
    "norm_epsilon=added-outside,norm_variance=sample",
    "norm_epsilon=larger,norm_variance=sample",
    "norm_epsilon=larger-outside,norm_variance=sample",
    "norm_epsilon=added-outside,norm_variance=sample-returned",
    "norm_epsilon=larger,norm_variance=sample-returned",
    "norm_epsilon=larger-outside,norm_variance=sample-returned",
    NULL,
};

/* Kernels take what the forward pass divided by. */
static const char *const grad_readings[] = {
    "norm_epsilon=added-outside",
    "norm_epsilon=larger",
    "norm_epsilon=larger-outside",
    "epsilon=0",
    "epsilon=1e-12",
    "epsilon=1e-8",
    "epsilon=1e-6",
    "epsilon=1e-5",
    "epsilon=1e-3",
    NULL,
};

static void draw_training(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                          program_t *out_program) {
  *out_program = (program_t){.op = &training_op};
  batch_norm_draw(rng, limits, arena, out_program);
}

static void draw_grad(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                      program_t *out_program) {
  *out_program = (program_t){.op = &grad_op};
  batch_norm_draw(rng, limits, arena, out_program);
}

static const op_t training_op = {
    .name = "stablehlo.batch_norm_training",
    .spec = "StableHLO specification, batch_norm_training",
    .summary = "deviations from the mean of a channel divided by its deviation, scaled and shifted",
    .attributes_bytes = sizeof(batch_norm_attributes_t),
    .attribute_rows = attribute_rows,
    .constraints = batch_norm_training_constraints,
    .draw = draw_training,
    .print_algorithm = print_algorithm,
    .formulas = "batch_norm",
    .readings = training_readings,
    .is_composite = true,
    .print_mlir = mlir_print_module,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .draw_edges = batch_norm_draw_edges,
    .turns = OP_TURNS("square"),
    .axes = batch_norm_axes,
    .with_axes = batch_norm_with_axes,
};

static const op_t grad_op = {
    .name = "stablehlo.batch_norm_grad",
    .spec = "StableHLO specification, batch_norm_grad",
    .summary = "gradients of operand, scale and offset of a batch_norm_training",
    .attributes_bytes = sizeof(batch_norm_attributes_t),
    .attribute_rows = attribute_rows,
    .constraints = batch_norm_grad_constraints,
    .draw = draw_grad,
    .print_algorithm = print_algorithm,
    .formulas = "batch_norm_grad",
    .readings = grad_readings,
    .is_composite = true,
    .print_mlir = mlir_print_module,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .draw_edges = batch_norm_draw_edges,
    .turns = OP_TURNS("square"),
    .axes = batch_norm_axes,
    .with_axes = batch_norm_with_axes,
};

extern const op_t *const batch_norm_ops[];
const op_t *const batch_norm_ops[] = {&training_op, &grad_op, NULL};
