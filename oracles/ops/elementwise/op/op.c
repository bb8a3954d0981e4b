/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the elementwise ops, one table entry each, with the type rules, validation and axes they
 * share; quantized add has its own constraints. */
#include "oracles/ops/elementwise/elementwise.h"

#include <string.h>

#include "harness/model/mlir.h"

/* ---- Rules ----------------------------------------------------------------------------------- */

/* The rows are at the end; a program's row tells its function. */
static const op_t rows[ELEMENTWISE_COUNT];

elementwise_t elementwise_of(const program_t *program) {
  return (elementwise_t)(program->op - rows);
}

uint32_t elementwise_arity(elementwise_t function) {
  return function == ELEMENTWISE_NEGATE ? 1 : 2;
}

bool elementwise_takes(elementwise_t function, const element_t *element) {
  if (!element->is_tensor_element) return false;
  switch (function) {
    case ELEMENTWISE_SUBTRACT:
    case ELEMENTWISE_NEGATE:
      return element->kind != ELEMENT_BOOLEAN;
    case ELEMENTWISE_SHIFT_RIGHT_ARITHMETIC:
      return element_is_integer(element);
    default:
      return true;
  }
}

bool elementwise_takes_quantized(elementwise_t function) {
  return function != ELEMENTWISE_SHIFT_RIGHT_ARITHMETIC;
}

/* Scales and zero points aside. */
static bool have_one_baseline(const type_t *a, const type_t *b) {
  type_t of_a = *a, of_b = *b;
  of_a.quantization = of_b.quantization = NULL;
  const quantization_t *p = a->quantization, *q = b->quantization;
  if (!type_equal(&of_a, &of_b) || (p == NULL) != (q == NULL)) return false;
  return p == NULL || (p->expressed == q->expressed && p->storage_min == q->storage_min &&
                       p->storage_max == q->storage_max && p->axis == q->axis);
}

static bool has_arity(const program_t *program) {
  return program->operand_count == elementwise_arity(elementwise_of(program)) &&
         program->result_count == 1;
}

static bool is_any_quantized(const program_t *program) {
  return program->operands[0].quantization != NULL || program->operands[1].quantization != NULL ||
         program->results[0].quantization != NULL;
}

static bool adds_one_type(const program_t *program) {
  const type_t *lhs = &program->operands[0];
  return is_any_quantized(program) ||
         (type_equal(lhs, &program->operands[1]) && type_equal(lhs, &program->results[0]));
}

static bool adds_quantized_alone(const program_t *program) {
  bool are_all = program->operands[0].quantization != NULL &&
                 program->operands[1].quantization != NULL &&
                 program->results[0].quantization != NULL;
  return are_all || !is_any_quantized(program);
}

static bool adds_one_shape(const program_t *program) {
  const type_t *lhs = &program->operands[0];
  return type_shapes_equal(lhs, &program->operands[1]) &&
         type_shapes_equal(lhs, &program->results[0]);
}

static bool adds_one_storage(const program_t *program) {
  const element_t *element = program->operands[0].element;
  return element == program->operands[1].element && element == program->results[0].element;
}

/* Of programs that pass so far, all types are quantized or none. */
static bool adds_one_expressed(const program_t *program) {
  const quantization_t *left = program->operands[0].quantization;
  return left == NULL || (left->expressed == program->operands[1].quantization->expressed &&
                          left->expressed == program->results[0].quantization->expressed);
}

static bool is_per_axis(const type_t *type) {
  return type->quantization != NULL && type->quantization->axis != -1;
}

static bool adds_along_axis(const program_t *program) {
  return (is_per_axis(&program->operands[0]) || is_per_axis(&program->operands[1])) ==
         is_per_axis(&program->results[0]);
}

static bool has_axis_of_result(const program_t *program, uint32_t operand) {
  const type_t *type = &program->operands[operand];
  return !is_per_axis(type) || type->quantization->axis == program->results[0].quantization->axis;
}

static bool adds_left_axis(const program_t *program) { return has_axis_of_result(program, 0); }

static bool adds_right_axis(const program_t *program) { return has_axis_of_result(program, 1); }

static bool takes_type(elementwise_t function, const type_t *type) {
  if (type->quantization == NULL) return elementwise_takes(function, type->element);
  return elementwise_takes_quantized(function) && !is_per_axis(type);
}

static bool takes_types(const program_t *program) {
  elementwise_t function = elementwise_of(program);
  bool are_taken = takes_type(function, &program->results[0]);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    are_taken = are_taken && takes_type(function, &program->operands[i]);
  }
  return are_taken;
}

static bool has_one_baseline(const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (!have_one_baseline(&program->operands[i], &program->results[0])) return false;
  }
  return true;
}

/* ---- Constraints ----------------------------------------------------------------------------- */

#define BINARY_ARITY                                                                              \
  OP_FORBIDDEN("arity", "there are two operands and one result", "inputs (I1), (I2) and outputs", \
               has_arity)
#define ANY_ARITY                                                                     \
  OP_FORBIDDEN("arity", "there are as many operands as the op takes, and one result", \
               "inputs and outputs", has_arity)
#define BASELINE                                                                        \
  OP_SPECIFIED("C1", "operands and result have one type, but for scale and zero point", \
               has_one_baseline)

static const op_constraint_t add_constraints[] = {
    BINARY_ARITY,
    OP_SPECIFIED("C1", "unquantized operands and result have one type", adds_one_type),
    OP_SPECIFIED("C2", "all of operands and result are quantized, or none", adds_quantized_alone),
    OP_FORBIDDEN("shape", "quantized operands and result have one shape",
                 "C1 of the addition of what they stand for", adds_one_shape),
    OP_SPECIFIED("C3", "quantized operands and result have one storage type", adds_one_storage),
    OP_SPECIFIED("C4", "quantized operands and result have one expressed type", adds_one_expressed),
    OP_SPECIFIED("C5", "the result is quantized per axis if and only if an operand is",
                 adds_along_axis),
    OP_SPECIFIED("C6",
                 "a left operand quantized per axis has the quantization dimension of the result",
                 adds_left_axis),
    OP_SPECIFIED("C7",
                 "a right operand quantized per axis has the quantization dimension of the result",
                 adds_right_axis),
    OP_CONSTRAINTS_END,
};

static const op_constraint_t number_constraints[] = {
    ANY_ARITY,
    OP_FORBIDDEN("types",
                 "the element type is one of integers, floats or complex numbers, or quantized per "
                 "tensor",
                 "inputs and outputs", takes_types),
    BASELINE,
    OP_CONSTRAINTS_END,
};

static const op_constraint_t any_constraints[] = {
    ANY_ARITY,
    OP_FORBIDDEN("types", "quantized types are so per tensor", "inputs and outputs", takes_types),
    BASELINE,
    OP_CONSTRAINTS_END,
};

static const op_constraint_t shift_constraints[] = {
    BINARY_ARITY,
    OP_FORBIDDEN("types", "operands are tensors of integers", "inputs (I1), (I2)", takes_types),
    OP_SPECIFIED("C1", "operands and result have one type", has_one_baseline),
    OP_CONSTRAINTS_END,
};

/* ---- Text ------------------------------------------------------------------------------------ */

/* What kind of numbers it is done on. */
static void print_algorithm(const program_t *program, GString *out_text) {
  static const char *const words[] = {[ELEMENT_BOOLEAN] = "boolean",
                                      [ELEMENT_SIGNED] = "integer",
                                      [ELEMENT_UNSIGNED] = "integer",
                                      [ELEMENT_FLOAT] = "float",
                                      [ELEMENT_COMPLEX] = "complex"};
  const type_t *type = &program->results[0];
  if (!has_arity(program)) {
    g_string_append(out_text, "none");
  } else {
    g_string_append(out_text,
                    type->quantization != NULL ? "quantized" : words[type->element->kind]);
  }
}

static void print_words(const program_t *program, GString *out_text) {
  g_string_append_printf(out_text, "%s, for each element of ", program->op->summary);
  type_print(&program->operands[0], out_text);
  if (program->operand_count == 2) {
    g_string_append(out_text, " and ");
    type_print(&program->operands[1], out_text);
  }
  if (program->results[0].quantization == NULL) return;
  g_string_append(out_text, ", quantized as ");
  type_print_element(&program->results[0], out_text);
}

/* ---- Axes ------------------------------------------------------------------------------------ */

static void find_axes(const program_t *program, axes_t *out_axes) {
  const type_t *type = &program->results[0];
  axis_list_t all = {.count = type->rank};
  out_axes->count = type->rank;
  for (uint32_t i = 0; i < type->rank; i++) {
    out_axes->items[i] = (axis_t){.role = AXIS_BATCH, .size = type->dims[i]};
    all.axes[i] = i;
  }
  for (uint32_t i = 0; i < program->operand_count; i++) out_axes->operands[i] = all;
  out_axes->results[0] = all;
}

/* Operands of two layouts are no valid program, and are refused by the caller. */
static void with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                      program_t *out_program) {
  (void)arena;
  *out_program = *program;
  const axis_list_t *list = &inout_axes->operands[0];
  inout_axes->results[0] = *list;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    out_program->operands[i] =
        axes_type(&program->operands[i], inout_axes, &inout_axes->operands[i]);
  }
  out_program->results[0] = axes_type(&program->results[0], inout_axes, list);
}

/* ---- The rows -------------------------------------------------------------------------------- */

#define DRAW(function, index)                                                          \
  static void draw_##function(rng_t *rng, const draw_limits_t *limits, arena_t *arena, \
                              program_t *out_program) {                                \
    *out_program = (program_t){.op = &rows[index]};                                    \
    elementwise_draw(rng, limits, arena, out_program);                                 \
  }
DRAW(add, ELEMENTWISE_ADD)
DRAW(subtract, ELEMENTWISE_SUBTRACT)
DRAW(multiply, ELEMENTWISE_MULTIPLY)
DRAW(maximum, ELEMENTWISE_MAXIMUM)
DRAW(minimum, ELEMENTWISE_MINIMUM)
DRAW(negate, ELEMENTWISE_NEGATE)
DRAW(shift_right_arithmetic, ELEMENTWISE_SHIFT_RIGHT_ARITHMETIC)

static const char *const shift_policies[] = {"shift_amount", NULL};

/* Libraries that rescale integers in fixed point. */
static const char *const number_policies[] = {"rescale", NULL};

#define ROW(function, rules, words, ...)          \
  {.name = "stablehlo." #function,                \
   .spec = "StableHLO specification, " #function, \
   .summary = words,                              \
   .constraints = rules,                          \
   .draw = draw_##function,                       \
   .print_algorithm = print_algorithm,            \
   .print_mlir = mlir_print_module,               \
   .print_words = print_words,                    \
   .draw_edges = elementwise_draw_edges,          \
   .axes = find_axes,                             \
   .with_axes = with_axes,                        \
   __VA_ARGS__}

static const op_t rows[ELEMENTWISE_COUNT] = {
    [ELEMENTWISE_ADD] =
        ROW(add, add_constraints, "the sum", .formulas = "quantized", .policies = number_policies),
    [ELEMENTWISE_SUBTRACT] = ROW(subtract, number_constraints, "the difference",
                                 .formulas = "quantized", .policies = number_policies),
    [ELEMENTWISE_MULTIPLY] = ROW(multiply, any_constraints, "the product", .formulas = "quantized",
                                 .policies = number_policies, .turns = OP_TURNS("square")),
    [ELEMENTWISE_MAXIMUM] =
        ROW(maximum, any_constraints, "the larger one", .formulas = "quantized"),
    [ELEMENTWISE_MINIMUM] =
        ROW(minimum, any_constraints, "the smaller one", .formulas = "quantized"),
    [ELEMENTWISE_NEGATE] = ROW(negate, number_constraints, "the negative", .formulas = "quantized"),
    [ELEMENTWISE_SHIFT_RIGHT_ARITHMETIC] =
        ROW(shift_right_arithmetic, shift_constraints,
            "the left one, shifted to the right by the other with copies of its sign",
            .policies = shift_policies),
};

extern const op_t *const elementwise_ops[];
const op_t *const elementwise_ops[] = {&rows[ELEMENTWISE_ADD],
                                       &rows[ELEMENTWISE_SUBTRACT],
                                       &rows[ELEMENTWISE_MULTIPLY],
                                       &rows[ELEMENTWISE_MAXIMUM],
                                       &rows[ELEMENTWISE_MINIMUM],
                                       &rows[ELEMENTWISE_NEGATE],
                                       &rows[ELEMENTWISE_SHIFT_RIGHT_ARITHMETIC],
                                       NULL};
