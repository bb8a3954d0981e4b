/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the ops batch_norm_training and batch_norm_grad: attribute text, MLIR and the reduced
 * dimensions. */
#include "oracles/ops/batch_norm/batch_norm.h"

#include <inttypes.h>
#include <math.h>

#include "harness/model/mlir.h"
#include "harness/types/scale.h"

/* ---- Text ------------------------------------------------------------------------------------ */

/* "0x0p+0" or a hex float, each with a sign where it is negative. */
static status_t parse_epsilon(scan_t *scan, double *out_epsilon, failure_t *error) {
  scan_t start = *scan;
  bool is_negative = scan_accept(scan, "-");
  str_t text = scan_until(scan, " ");
  double size = 0;
  if (!str_equal_text(text, "0x0p+0") && !scale_parse(text, &size)) {
    return scan_fail(&start, error, "expected 0x0p+0 or a hex float such as 0x1p-10");
  }
  *out_epsilon = is_negative ? -size : size;
  return STATUS_OK;
}

static void print_epsilon(double epsilon, GString *out_text) {
  if (signbit(epsilon)) g_string_append_c(out_text, '-');
  if (epsilon == 0) {
    g_string_append(out_text, "0x0p+0");
  } else {
    scale_print(fabs(epsilon), out_text);
  }
}

static status_t parse_attributes(scan_t *scan, arena_t *arena, program_t *inout_program,
                                 failure_t *error) {
  batch_norm_attributes_t *attributes = ARENA_NEW_ARRAY(arena, batch_norm_attributes_t, 1);
  *attributes = (batch_norm_attributes_t){0};
  STATUS_TRY(scan_expect(scan, " ", error));
  STATUS_TRY(scan_expect(scan, "epsilon=", error));
  STATUS_TRY(parse_epsilon(scan, &attributes->epsilon, error));
  STATUS_TRY(scan_expect(scan, " feature_index=", error));
  STATUS_TRY(scan_integer(scan, &attributes->feature_index, error));
  inout_program->attributes = attributes;
  return STATUS_OK;
}

static void print_attributes(const program_t *program, GString *out_text) {
  const batch_norm_attributes_t *attributes = batch_norm_attributes(program);
  g_string_append(out_text, " epsilon=");
  print_epsilon(attributes->epsilon, out_text);
  g_string_append_printf(out_text, " feature_index=%" PRId64, attributes->feature_index);
}

static void print_algorithm(const program_t *program, GString *out_text) {
  g_string_append(out_text, program->op->formulas);
}

/* An epsilon that is no number of f32, which breaks a constraint, has no spelling as one: its
 * module has f64 there, which a verifier refuses. */
static void print_mlir(const program_t *program, GString *out_text) {
  const batch_norm_attributes_t *attributes = batch_norm_attributes(program);
  double epsilon = attributes->epsilon;
  bool is_f32 = batch_norm_epsilon_is_f32(attributes);
  const format_t *format = &format_table[is_f32 ? FORMAT_f32 : FORMAT_f64];
  mlir_open(program, program->op->name, out_text);
  g_string_append_printf(out_text,
                         " <{epsilon = 0x%0*" PRIX64 " : %s, feature_index = %" PRId64 " : i64}>",
                         format->bits / 4, format_from_double(format, epsilon), format->name,
                         attributes->feature_index);
  mlir_close(program, out_text);
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
    .constraints = batch_norm_training_constraints,
    .draw = draw_training,
    .parse_attributes = parse_attributes,
    .print_attributes = print_attributes,
    .print_algorithm = print_algorithm,
    .formulas = "batch_norm",
    .is_composite = true,
    .print_mlir = print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .draw_edges = batch_norm_draw_edges,
    .axes = batch_norm_axes,
    .with_axes = batch_norm_with_axes,
};

static const op_t grad_op = {
    .name = "stablehlo.batch_norm_grad",
    .spec = "StableHLO specification, batch_norm_grad",
    .summary = "gradients of operand, scale and offset of a batch_norm_training",
    .attributes_bytes = sizeof(batch_norm_attributes_t),
    .constraints = batch_norm_grad_constraints,
    .draw = draw_grad,
    .parse_attributes = parse_attributes,
    .print_attributes = print_attributes,
    .print_algorithm = print_algorithm,
    .formulas = "batch_norm_grad",
    .is_composite = true,
    .print_mlir = print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .draw_edges = batch_norm_draw_edges,
    .axes = batch_norm_axes,
    .with_axes = batch_norm_with_axes,
};

extern const op_t *const batch_norm_ops[];
const op_t *const batch_norm_ops[] = {&training_op, &grad_op, NULL};
