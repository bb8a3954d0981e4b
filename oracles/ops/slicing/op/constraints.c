/* SPDX-License-Identifier: Apache-2.0 */
/* The constraints of the specification, in an order in which each may rely on those before it. */
#include "oracles/ops/slicing/op/op.h"

/* ---- Shared ---------------------------------------------------------------------------------- */

static const slicing_attributes_t *of(const program_t *program) {
  return slicing_attributes(program);
}

static bool has_rank(const dimension_list_t *list, const type_t *type) {
  return list->count == type->rank;
}

bool slicing_keeps_element(const program_t *program) {
  return program->operands[0].element == program->results[0].element;
}

static bool has_three_lists(const program_t *program) {
  const type_t *operand = &program->operands[0];
  return has_rank(&of(program)->low, operand) && has_rank(&of(program)->high, operand) &&
         has_rank(&of(program)->between, operand);
}

#define PLAIN OP_UNMODELLED("quantized", "nothing is quantized", program_is_plain)
#define ARITY(count)                                                                  \
  OP_FORBIDDEN("arity", "there are as many operands as the op takes, and one result", \
               "inputs and outputs", count)

/* ---- slice ----------------------------------------------------------------------------------- */

static bool slices_within(const program_t *program) {
  for (uint32_t i = 0; i < program->operands[0].rank; i++) {
    int64_t low = of(program)->low.dims[i], high = of(program)->high.dims[i];
    if (low < 0 || low > high || high > program->operands[0].dims[i]) return false;
  }
  return true;
}

static bool strides_forward(const program_t *program) {
  for (uint32_t i = 0; i < of(program)->between.count; i++) {
    if (of(program)->between.dims[i] <= 0) return false;
  }
  return true;
}

static bool slices_sizes(const program_t *program) {
  const type_t *result = &program->results[0];
  if (result->rank != program->operands[0].rank) return false;
  for (uint32_t i = 0; i < result->rank; i++) {
    int64_t length = of(program)->high.dims[i] - of(program)->low.dims[i];
    int64_t stride = of(program)->between.dims[i];
    if (result->dims[i] != length / stride + (length % stride != 0)) return false;
  }
  return true;
}

const op_constraint_t slice_constraints[] = {
    ARITY(program_is_unary),
    PLAIN,
    OP_SPECIFIED("C1", "the result has the element type of the operand", slicing_keeps_element),
    OP_SPECIFIED("C2", "the three lists have an entry for each dimension", has_three_lists),
    OP_SPECIFIED("C3", "0 <= start_indices <= limit_indices <= sizes of the operand",
                 slices_within),
    OP_SPECIFIED("C4", "strides are positive", strides_forward),
    OP_SPECIFIED("C5", "sizes of the result are (limit - start) / stride, rounded up",
                 slices_sizes),
    OP_CONSTRAINTS_END,
};

/* ---- pad ------------------------------------------------------------------------------------- */

static bool pads_one_element(const program_t *program) {
  const element_t *element = program->operands[0].element;
  return program->operands[1].element == element && program->results[0].element == element;
}

static bool pads_by_scalar(const program_t *program) { return program->operands[1].rank == 0; }

static bool pads_between(const program_t *program) {
  for (uint32_t i = 0; i < of(program)->between.count; i++) {
    if (of(program)->between.dims[i] < 0) return false;
  }
  return true;
}

static bool pads_sizes(const program_t *program) {
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  if (result->rank != operand->rank) return false;
  for (uint32_t i = 0; i < result->rank; i++) {
    __int128 inner = (__int128)MAX(operand->dims[i] - 1, 0) * of(program)->between.dims[i];
    __int128 size = inner + operand->dims[i] + of(program)->low.dims[i] + of(program)->high.dims[i];
    if (size != result->dims[i]) return false;
  }
  return true;
}

const op_constraint_t pad_constraints[] = {
    ARITY(program_is_binary),
    PLAIN,
    OP_SPECIFIED("C1", "operands and result have one element type", pads_one_element),
    OP_FORBIDDEN("value", "the second operand is a scalar", "inputs (I2)", pads_by_scalar),
    OP_SPECIFIED("C2", "the three lists have an entry for each dimension", has_three_lists),
    OP_SPECIFIED("C3", "interior_padding is not negative", pads_between),
    OP_SPECIFIED("C4",
                 "sizes of the result are those of the operand with padding between and around",
                 pads_sizes),
    OP_CONSTRAINTS_END,
};

/* ---- reverse, iota --------------------------------------------------------------------------- */

static bool reverses_once(const program_t *program) {
  return dimension_list_is_unique(&of(program)->reversed);
}

static bool reverses_dimensions(const program_t *program) {
  return dimension_list_in_range(&of(program)->reversed, program->results[0].rank);
}

const op_constraint_t reverse_constraints[] = {
    ARITY(program_is_unary),
    PLAIN,
    OP_SPECIFIED("C1", "operand and result have one type", program_has_one_type),
    OP_SPECIFIED("C2", "no dimension is listed twice", reverses_once),
    OP_SPECIFIED("C3", "dimensions are at least 0 and below the rank", reverses_dimensions),
    OP_CONSTRAINTS_END,
};

static bool makes_one(const program_t *program) {
  return program->operand_count == 0 && program->result_count == 1;
}

static bool makes_numbers(const program_t *program) {
  return program->results[0].quantization != NULL ||
         program->results[0].element->kind != ELEMENT_BOOLEAN;
}

static bool has_iota_dimension(const program_t *program) {
  return of(program)->iota_dimension >= 0 && of(program)->iota_dimension < program->results[0].rank;
}

static bool has_zero(const program_t *program) {
  const format_t *format = program->results[0].element->format;
  return format == NULL || format->specials != FORMAT_EXPONENT_ONLY;
}

const op_constraint_t iota_constraints[] = {
    ARITY(makes_one),
    PLAIN,
    OP_FORBIDDEN("types", "the result is of integers, floats or complex numbers", "outputs",
                 makes_numbers),
    OP_SPECIFIED("C1", "iota_dimension is at least 0 and below the rank", has_iota_dimension),
    OP_UNMODELLED("numbers", "the element type has a zero", has_zero),
    OP_CONSTRAINTS_END,
};

/* ---- dynamic_slice, dynamic_update_slice ----------------------------------------------------- */

static bool has_starts(const program_t *program) {
  uint32_t first = slicing_first_start(slicing_of(program));
  return program->operand_count >= first && program->result_count == 1;
}

static bool starts_each(const program_t *program) {
  uint32_t first = slicing_first_start(slicing_of(program));
  return program->operand_count - first == program->operands[0].rank;
}

static bool starts_at_scalars(const program_t *program) {
  uint32_t first = slicing_first_start(slicing_of(program));
  for (uint32_t i = first; i < program->operand_count; i++) {
    const type_t *type = &program->operands[i];
    if (type->rank != 0 || !element_is_integer(type->element)) return false;
  }
  return true;
}

static bool starts_alike(const program_t *program) {
  uint32_t first = slicing_first_start(slicing_of(program));
  for (uint32_t i = first + 1; i < program->operand_count; i++) {
    if (program->operands[i].element != program->operands[first].element) return false;
  }
  return true;
}

bool slicing_takes_rank(const program_t *program) {
  return has_rank(&of(program)->slice_sizes, &program->operands[0]);
}

bool slicing_takes_within(const program_t *program) {
  for (uint32_t i = 0; i < program->operands[0].rank; i++) {
    int64_t size = of(program)->slice_sizes.dims[i];
    if (size < 0 || size > program->operands[0].dims[i]) return false;
  }
  return true;
}

static bool takes_sizes(const program_t *program) {
  const type_t *result = &program->results[0];
  if (!has_rank(&of(program)->slice_sizes, result)) return false;
  for (uint32_t i = 0; i < result->rank; i++) {
    if (result->dims[i] != of(program)->slice_sizes.dims[i]) return false;
  }
  return true;
}

#define STARTS \
  OP_FORBIDDEN("starts", "start indices are scalars of integers", "inputs", starts_at_scalars)

const op_constraint_t dynamic_slice_constraints[] = {
    ARITY(has_starts),
    PLAIN,
    OP_SPECIFIED("C1", "the result has the element type of the operand", slicing_keeps_element),
    STARTS,
    OP_SPECIFIED("C2", "there are start indices and slice_sizes for each dimension", starts_each),
    OP_FORBIDDEN("sizes", "there are slice_sizes for each dimension", "C2", slicing_takes_rank),
    OP_SPECIFIED("C3", "start indices have one type", starts_alike),
    OP_SPECIFIED("C4", "slice_sizes are at least 0, and at most the sizes of the operand",
                 slicing_takes_within),
    OP_SPECIFIED("C5", "the result has the shape slice_sizes", takes_sizes),
    OP_CONSTRAINTS_END,
};

static bool keeps_type(const program_t *program) {
  return type_equal(&program->operands[0], &program->results[0]);
}

static bool updates_element(const program_t *program) {
  return program->operands[1].element == program->operands[0].element;
}

static bool updates_rank(const program_t *program) {
  return program->operands[1].rank == program->operands[0].rank;
}

static bool updates_within(const program_t *program) {
  for (uint32_t i = 0; i < program->operands[0].rank; i++) {
    if (program->operands[1].dims[i] > program->operands[0].dims[i]) return false;
  }
  return true;
}

const op_constraint_t dynamic_update_slice_constraints[] = {
    ARITY(has_starts),
    PLAIN,
    OP_SPECIFIED("C1", "operand and result have one type", keeps_type),
    OP_SPECIFIED("C2", "the update has the element type of the operand", updates_element),
    OP_SPECIFIED("C3", "the update has the rank of the operand", updates_rank),
    STARTS,
    OP_SPECIFIED("C4", "there is a start index for each dimension", starts_each),
    OP_SPECIFIED("C5", "start indices have one type", starts_alike),
    OP_SPECIFIED("C6", "sizes of the update are at most those of the operand", updates_within),
    OP_CONSTRAINTS_END,
};
