/* SPDX-License-Identifier: Apache-2.0 */
/* Which types each pointwise op takes, and the constraints of the specification, in an order in
 * which each may rely on those before it. */
#include "oracles/ops/pointwise/op/op.h"

/* ---- Types ----------------------------------------------------------------------------------- */

enum {
  BOOLEANS = 1 << ELEMENT_BOOLEAN,
  SIGNED = 1 << ELEMENT_SIGNED,
  INTEGERS = SIGNED | 1 << ELEMENT_UNSIGNED,
  FLOATS = 1 << ELEMENT_FLOAT,
  COMPLEX = 1 << ELEMENT_COMPLEX,
  ANY = BOOLEANS | INTEGERS | FLOATS | COMPLEX,
};

/* Kinds of elements that the specification has the op for, and those of which Assay has a meaning.
 */
static const struct {
  uint32_t arity;
  int defined;
  int modelled;
} functions[POINTWISE_COUNT] = {
    [POINTWISE_DIVIDE] = {2, INTEGERS | FLOATS | COMPLEX, INTEGERS | FLOATS},
    [POINTWISE_REMAINDER] = {2, INTEGERS | FLOATS | COMPLEX, INTEGERS | FLOATS},
    [POINTWISE_SQRT] = {1, FLOATS | COMPLEX, FLOATS},
    [POINTWISE_ABS] = {1, SIGNED | FLOATS | COMPLEX, SIGNED | FLOATS},
    [POINTWISE_SIGN] = {1, SIGNED | FLOATS | COMPLEX, SIGNED | FLOATS},
    [POINTWISE_FLOOR] = {1, FLOATS, FLOATS},
    [POINTWISE_CEIL] = {1, FLOATS, FLOATS},
    [POINTWISE_ROUND_EVEN] = {1, FLOATS, FLOATS},
    [POINTWISE_ROUND_AWAY] = {1, FLOATS, FLOATS},
    [POINTWISE_AND] = {2, BOOLEANS | INTEGERS, BOOLEANS | INTEGERS},
    [POINTWISE_OR] = {2, BOOLEANS | INTEGERS, BOOLEANS | INTEGERS},
    [POINTWISE_XOR] = {2, BOOLEANS | INTEGERS, BOOLEANS | INTEGERS},
    [POINTWISE_NOT] = {1, BOOLEANS | INTEGERS, BOOLEANS | INTEGERS},
    [POINTWISE_COMPARE] = {2, ANY, BOOLEANS | INTEGERS | FLOATS},
    [POINTWISE_SELECT] = {3, ANY, ANY},
    [POINTWISE_CLAMP] = {3, ANY, BOOLEANS | INTEGERS | FLOATS},
};

uint32_t pointwise_arity(pointwise_t function) { return functions[function].arity; }

bool pointwise_takes(pointwise_t function, const element_t *element) {
  bool computes = function != POINTWISE_SELECT && element->format != NULL;
  bool has_zero = element->format == NULL || element->format->specials != FORMAT_EXPONENT_ONLY;
  return element->is_tensor_element && (functions[function].modelled >> element->kind & 1) != 0 &&
         (has_zero || !computes);
}

/* ---- Constraints ----------------------------------------------------------------------------- */

const type_t *pointwise_main_type(const program_t *program) {
  return &program->operands[pointwise_main_operand(pointwise_of(program))];
}

bool pointwise_has_arity(const program_t *program) {
  return program->operand_count == pointwise_arity(pointwise_of(program)) &&
         program->result_count == 1;
}

static bool takes_types(const program_t *program) {
  const element_t *element = pointwise_main_type(program)->element;
  return (functions[pointwise_of(program)].defined >> element->kind & 1) != 0;
}

static bool takes_bits(const program_t *program) {
  return program->operands[0].quantization == NULL && takes_types(program);
}

static bool is_modelled(const program_t *program) {
  return pointwise_takes(pointwise_of(program), pointwise_main_type(program)->element);
}

static bool has_absolute_type(const program_t *program) {
  const element_t *from = program->operands[0].element, *to = program->results[0].element;
  if (from->kind != ELEMENT_COMPLEX) return from == to;
  return to->kind == ELEMENT_FLOAT && to->format == from->format;
}

static bool compares_one_element(const program_t *program) {
  return program->operands[0].element == program->operands[1].element;
}

static bool compares_one_shape(const program_t *program) {
  const type_t *shape = &program->operands[0];
  return type_shapes_equal(shape, &program->operands[1]) &&
         type_shapes_equal(shape, &program->results[0]);
}

static bool compares_to_boolean(const program_t *program) {
  return program->results[0].element->kind == ELEMENT_BOOLEAN;
}

static bool compares_as_said(const program_t *program) {
  element_kind_t kind = program->operands[0].element->kind;
  switch ((comparison_type_t)compare_attributes(program)->type) {
    case COMPARISON_TYPE_FLOAT:
      return kind == ELEMENT_FLOAT || kind == ELEMENT_COMPLEX;
    case COMPARISON_TYPE_TOTALORDER:
      return kind == ELEMENT_FLOAT;
    case COMPARISON_TYPE_SIGNED:
      return kind == ELEMENT_SIGNED;
    case COMPARISON_TYPE_UNSIGNED:
      return kind == ELEMENT_UNSIGNED || kind == ELEMENT_BOOLEAN;
    default:
      return true;
  }
}

static bool compares_numbers(const program_t *program) {
  return compare_attributes(program)->type != COMPARISON_TYPE_TOTALORDER;
}

static bool is_scalar_or_like(const type_t *type, const type_t *other) {
  return type->rank == 0 || type_shapes_equal(type, other);
}

static bool selects_by_boolean(const program_t *program) {
  return program->operands[0].element->kind == ELEMENT_BOOLEAN;
}

static bool selects_by_shape(const program_t *program) {
  return is_scalar_or_like(&program->operands[0], &program->operands[1]);
}

static bool selects_one_type(const program_t *program) {
  return type_equal(&program->operands[1], &program->results[0]) &&
         type_equal(&program->operands[2], &program->results[0]);
}

static bool clamps_by_least(const program_t *program) {
  return is_scalar_or_like(&program->operands[0], &program->operands[1]);
}

static bool clamps_by_most(const program_t *program) {
  return is_scalar_or_like(&program->operands[2], &program->operands[1]);
}

static bool clamps_one_element(const program_t *program) {
  const element_t *element = program->operands[1].element;
  return program->operands[0].element == element && program->operands[2].element == element;
}

static bool clamps_to_type(const program_t *program) {
  return type_equal(&program->operands[1], &program->results[0]);
}

#define ARITY                                                                         \
  OP_FORBIDDEN("arity", "there are as many operands as the op takes, and one result", \
               "inputs and outputs", pointwise_has_arity)
#define PLAIN OP_UNMODELLED("quantized", "nothing is quantized", program_is_plain)
#define TYPES                                                                              \
  OP_FORBIDDEN("types", "the element type is one of those that the op has", "inputs (I1)", \
               takes_types)
#define MODELLED                                                                          \
  OP_UNMODELLED("numbers", "the op computes with no complex numbers, nor with f8E8M0FNU", \
                is_modelled)

const op_constraint_t pointwise_constraints[] = {
    ARITY,    PLAIN,
    TYPES,    OP_SPECIFIED("C1", "operands and result have one type", program_has_one_type),
    MODELLED, OP_CONSTRAINTS_END,
};

const op_constraint_t pointwise_bit_constraints[] = {
    ARITY,
    OP_FORBIDDEN("types", "operands are of booleans or integers", "inputs (I1)", takes_bits),
    OP_SPECIFIED("C1", "operands and result have one type", program_has_one_type),
    OP_CONSTRAINTS_END,
};

const op_constraint_t pointwise_abs_constraints[] = {
    ARITY,
    PLAIN,
    TYPES,
    OP_SPECIFIED("C1", "the result has the shape of the operand", program_keeps_shape),
    OP_SPECIFIED("C2",
                 "the result has the element type of the operand, or of its parts if it is complex",
                 has_absolute_type),
    MODELLED,
    OP_CONSTRAINTS_END,
};

const op_constraint_t pointwise_compare_constraints[] = {
    ARITY,
    PLAIN,
    OP_SPECIFIED("C1", "both operands have one element type", compares_one_element),
    OP_SPECIFIED("C2", "operands and result have one shape", compares_one_shape),
    OP_FORBIDDEN("result", "the result is of booleans", "outputs", compares_to_boolean),
    OP_SPECIFIED("C3",
                 "compare_type is SIGNED of signed integers, UNSIGNED of unsigned ones and "
                 "booleans, FLOAT or TOTALORDER of floats, FLOAT of complex numbers",
                 compares_as_said),
    MODELLED,
    OP_UNMODELLED("order", "compare_type is not TOTALORDER", compares_numbers),
    OP_CONSTRAINTS_END,
};

const op_constraint_t pointwise_select_constraints[] = {
    ARITY,
    PLAIN,
    OP_FORBIDDEN("pred", "the first operand is of booleans", "inputs (I1)", selects_by_boolean),
    OP_SPECIFIED("C1", "the first operand is a scalar, or has the shape of the second",
                 selects_by_shape),
    OP_SPECIFIED("C2", "the second and third operand and the result have one type",
                 selects_one_type),
    OP_CONSTRAINTS_END,
};

const op_constraint_t pointwise_clamp_constraints[] = {
    ARITY,
    PLAIN,
    OP_SPECIFIED("C1", "the first operand is a scalar, or has the shape of the second",
                 clamps_by_least),
    OP_SPECIFIED("C2", "the third operand is a scalar, or has the shape of the second",
                 clamps_by_most),
    OP_SPECIFIED("C3", "all operands have one element type", clamps_one_element),
    OP_SPECIFIED("C4", "the result has the type of the second operand", clamps_to_type),
    MODELLED,
    OP_CONSTRAINTS_END,
};
