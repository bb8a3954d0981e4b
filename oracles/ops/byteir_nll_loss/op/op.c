/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the ops byteir.nll_loss_forward and byteir.nll_loss_backward: attributes, constraints,
 * random programs and text.  Targets are drawn to be classes, now and then the ignored index. */
#include <inttypes.h>

#include "oracles/ops/byteir_nll_loss/byteir_nll_loss.h"

static const attribute_row_t attribute_rows[] = {
    {ATTRIBUTE("ignore_index", attribute_integer, byteir_nll_attributes_t, ignore_index)},
    {ATTRIBUTE("reduction", attribute_integer, byteir_nll_attributes_t, reduction)},
    ATTRIBUTES_END,
};

/* ---- Constraints ----------------------------------------------------------------------------- */

static bool has_forward_counts(const program_t *program) {
  return program->operand_count == NLL_FORWARD_OPERANDS && program->result_count == 2;
}

static bool has_backward_counts(const program_t *program) {
  return program->operand_count == NLL_BACKWARD_OPERANDS && program->result_count == 1;
}

static bool has_reduction(const program_t *program) {
  int64_t reduction = byteir_nll_attributes(program)->reduction;
  return reduction >= NLL_NONE && reduction <= NLL_SUM;
}

static bool has_input(const program_t *program) {
  uint32_t rank = program->operands[byteir_nll_input(program)].rank;
  return rank == 1 || rank == 2;
}

static bool has_target(const program_t *program) {
  const type_t *input = &program->operands[byteir_nll_input(program)];
  const type_t *target = &program->operands[byteir_nll_input(program) + 1];
  return target->element == element_named("i64") && target->quantization == NULL &&
         target->rank == input->rank - 1 &&
         (target->rank == 0 || target->dims[0] == input->dims[0]);
}

/* What the losses have together: a type of its own, of T. */
static type_t loss_type(const program_t *program) {
  const type_t *input = &program->operands[byteir_nll_input(program)];
  return type_make(input->element, byteir_nll_is_list(program) ? 1 : 0, input->dims);
}

static bool has_loss(const program_t *program, const type_t *loss, const type_t *weight) {
  const type_t *input = &program->operands[byteir_nll_input(program)];
  const type_t scalar = type_make(input->element, 0, NULL), due = loss_type(program);
  return type_equal(loss, &due) && type_equal(weight, &scalar);
}

static bool has_outputs(const program_t *program) {
  return has_loss(program, &program->results[NLL_OUTPUT], &program->results[NLL_TOTAL_WEIGHT]);
}

static bool has_gradients(const program_t *program) {
  return has_loss(program, &program->operands[NLL_BACKWARD_GRADIENT],
                  &program->operands[NLL_BACKWARD_TOTAL_WEIGHT]) &&
         type_equal(&program->results[0], &program->operands[NLL_BACKWARD_INPUT]);
}

static bool has_floats(const program_t *program) {
  return byteir_is_float_tensor(&program->operands[byteir_nll_input(program)]);
}

#define COMMON_CONSTRAINTS                                                                      \
  OP_FORBIDDEN("reduction", "reduction is 0 (none), 1 (mean) or 2 (sum)", "at::Reduction",      \
               has_reduction),                                                                  \
      OP_FORBIDDEN("input",                                                                     \
                   "the input has a dimension of samples and one of classes, or only "          \
                   "that of classes",                                                           \
                   "0D or 1D target, 1D or 2D tensor expected", has_input),                     \
      OP_FORBIDDEN("target", "the target is of i64, an entry for each sample", "size mismatch", \
                   has_target)
#define TYPES_CONSTRAINT                                                                  \
  OP_UNMODELLED("types", "floats are unquantized f16, bf16, f32 or f64, all of one type", \
                has_floats)

static const op_constraint_t forward_constraints[] = {
    OP_FORBIDDEN("count", "there are two operands and two results",
                 "input, target -> output, "
                 "total_weight",
                 has_forward_counts),
    COMMON_CONSTRAINTS,
    OP_FORBIDDEN("result",
                 "the output is a scalar, or with reduction 0 and a dimension of samples a list of "
                 "them; total_weight is a scalar; both are of the input's type",
                 "output, total_weight", has_outputs),
    TYPES_CONSTRAINT,
    OP_CONSTRAINTS_END,
};

static const op_constraint_t backward_constraints[] = {
    OP_FORBIDDEN("count", "there are four operands and one result",
                 "grad_output, input, target, total_weight -> grad_input", has_backward_counts),
    COMMON_CONSTRAINTS,
    OP_FORBIDDEN(
        "result",
        "grad_output is a scalar, or with reduction 0 and a dimension of samples a list of "
        "them; total_weight is a scalar; both are of the input's type, and the result is "
        "like the input",
        "grad_output, total_weight, grad_input", has_gradients),
    TYPES_CONSTRAINT,
    OP_CONSTRAINTS_END,
};

/* ---- Drawing --------------------------------------------------------------------------------- */

static const op_t nll_forward_op, nll_backward_op;

/* PyTorch's default is -100; its frontends pass -1, too, and a class may be ignored. */
static int64_t draw_ignored(rng_t *rng, int64_t classes) {
  uint64_t choice = rng_below(rng, 4);
  if (choice == 0) return -100;
  return choice == 1 ? -1 : rng_between(rng, 0, MAX(classes, 1) - 1);
}

/* Attributes, and the types of input and target. */
static byteir_nll_attributes_t *draw_input(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                                           type_t *out_input, type_t *out_target) {
  byteir_nll_attributes_t *attributes = ARENA_NEW_ARRAY(arena, byteir_nll_attributes_t, 1);
  draw_limits_t flat = *limits;
  flat.rank_max = MIN(limits->rank_max, 2);
  dimension_list_t unused;
  *out_input =
      byteir_draw_shape(rng, &flat, draw_element(rng, byteir_is_float, NULL), 1, 1, &unused);
  *out_target = type_make(element_named("i64"), out_input->rank - 1, out_input->dims);
  *attributes = (byteir_nll_attributes_t){
      .ignore_index = draw_ignored(rng, out_input->dims[out_input->rank - 1]),
      .reduction = rng_between(rng, NLL_NONE, NLL_SUM),
  };
  return attributes;
}

static void draw_forward(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                         program_t *out_program) {
  type_t input, target;
  const byteir_nll_attributes_t *attributes = draw_input(rng, limits, arena, &input, &target);
  *out_program = (program_t){.op = &nll_forward_op,
                             .attributes = attributes,
                             .operand_count = NLL_FORWARD_OPERANDS,
                             .operands = {input, target},
                             .result_count = 2};
  out_program->results[NLL_OUTPUT] = loss_type(out_program);
  out_program->results[NLL_TOTAL_WEIGHT] = type_make(input.element, 0, NULL);
}

static void draw_backward(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                          program_t *out_program) {
  type_t input, target;
  const byteir_nll_attributes_t *attributes = draw_input(rng, limits, arena, &input, &target);
  *out_program = (program_t){.op = &nll_backward_op,
                             .attributes = attributes,
                             .operand_count = NLL_BACKWARD_OPERANDS,
                             .operands = {input, input, target, input},
                             .result_count = 1,
                             .results = {input}};
  out_program->operands[NLL_BACKWARD_GRADIENT] = loss_type(out_program);
  out_program->operands[NLL_BACKWARD_TOTAL_WEIGHT] = type_make(input.element, 0, NULL);
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* Targets: classes, and where one cannot be had, or in one sample of eight, the ignored index. */
static void settle(rng_t *rng, case_t *inout_case) {
  const program_t *program = &inout_case->program;
  const tensor_t *target = &inout_case->operands[byteir_nll_input(program) + 1];
  size_t classes = byteir_nll_classes(program);
  int64_t ignored = byteir_nll_attributes(program)->ignore_index;
  bool is_ignoring = rng_one_in(rng, 2);
  for (size_t i = 0; i < type_element_count(&target->type); i++) {
    bool is_ignored = classes == 0 || (is_ignoring && rng_one_in(rng, 4));
    int64_t class = is_ignored ? ignored : (int64_t)rng_below(rng, classes);
    element_store(target->type.element, target->data, i, (uint64_t)class);
  }
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void print_algorithm(const program_t *program, GString *out_text) {
  static const char *const reductions[] = {"none", "mean", "sum"};
  bool is_known = has_reduction(program);
  int64_t reduction = byteir_nll_attributes(program)->reduction;
  g_string_append(out_text, is_known ? reductions[reduction] : "unknown");
}

static void print_words(const program_t *program, GString *out_text) {
  static const char *const of[] = {"each of ", "the mean of ", "the sum of "};
  bool is_backward = byteir_nll_is_backward(program);
  int64_t reduction = has_reduction(program) ? byteir_nll_attributes(program)->reduction : NLL_NONE;
  g_string_append_printf(out_text, "%s%sthe losses of %zu samples of %zu classes: ",
                         is_backward ? "the gradient of " : "", of[reduction],
                         byteir_nll_samples(program), byteir_nll_classes(program));
  type_print(&program->operands[byteir_nll_input(program)], out_text);
}

/* ---- The rows -------------------------------------------------------------------------------- */

#define SHARED_FIELDS                                                                             \
  .attributes_bytes = sizeof(byteir_nll_attributes_t), .attribute_rows = attribute_rows,          \
  .print_algorithm = print_algorithm, .is_composite = true, .print_mlir = custom_call_print_mlir, \
  .print_words = print_words, .settle_operands = settle

static const op_t nll_forward_op = {
    .name = "byteir.nll_loss_forward",
    .spec = "PyTorch's aten::nll_loss_forward",
    .summary = "negative log likelihoods of classes, all, their mean or their sum",
    .constraints = forward_constraints,
    .draw = draw_forward,
    SHARED_FIELDS,
};

static const op_t nll_backward_op = {
    .name = "byteir.nll_loss_backward",
    .spec = "PyTorch's aten::nll_loss_backward",
    .summary = "gradients of negative log likelihoods of classes",
    .constraints = backward_constraints,
    .draw = draw_backward,
    SHARED_FIELDS,
};

extern const op_t *const byteir_nll_loss_ops[];
const op_t *const byteir_nll_loss_ops[] = {&nll_forward_op, &nll_backward_op, NULL};
