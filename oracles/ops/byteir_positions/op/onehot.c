/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the op one_hot: attributes, constraints, random programs, text. On and off values are
 * drawn so that an implementation by mask arithmetic would be seen (infinities, NaN, signed
 * zeros). */
#include <inttypes.h>

#include "harness/draw/special_values.h"
#include "oracles/ops/byteir_positions/op/op.h"

static const attribute_row_t attribute_rows[] = {
    {ATTRIBUTE("depth", attribute_integer, byteir_one_hot_attributes_t, depth)},
    {ATTRIBUTE("axis", attribute_integer, byteir_one_hot_attributes_t, axis)},
    {ATTRIBUTE("on_value", attribute_pattern, byteir_one_hot_attributes_t, on_value)},
    {ATTRIBUTE("off_value", attribute_pattern, byteir_one_hot_attributes_t, off_value)},
    ATTRIBUTES_END,
};

static bool is_selectable(const element_t *element, const void *unused) {
  (void)unused;
  return element->components == 1;
}

static bool is_integer(const element_t *element, const void *unused) {
  (void)unused;
  return element_is_integer(element);
}

/* The shape of the result of a program whose axis is in range; one dimension more than the operand,
 * which must have room for it. */
static type_t result_shape(const program_t *program, const element_t *element) {
  const type_t *operand = &program->operands[0];
  uint32_t axis = byteir_one_hot_axis(program);
  type_t type = type_make(element, 0, NULL);
  for (uint32_t dim = 0; dim <= operand->rank; dim++) {
    bool is_class = dim == axis;
    uint32_t from = dim < axis ? dim : dim - 1;
    type.dims[type.rank++] =
        is_class ? byteir_one_hot_attributes(program)->depth : operand->dims[from];
  }
  return type;
}

static bool has_indices(const program_t *program) {
  return !byteir_positions_cannot_be(&program->operands[0]);
}

static bool has_depth(const program_t *program) {
  return byteir_one_hot_attributes(program)->depth >= 0;
}

static bool has_axis(const program_t *program) {
  return byteir_axis_in_range(byteir_one_hot_attributes(program)->axis,
                              program->operands[0].rank + 1);
}

static bool has_shape(const program_t *program) {
  const type_t *result = &program->results[0];
  if (program->operands[0].rank == TYPE_RANK_MAX) return false;
  type_t expected = result_shape(program, result->element);
  return type_shapes_equal(result, &expected);
}

static bool is_modelled(const program_t *program) {
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  return operand->quantization == NULL && result->quantization == NULL &&
         is_integer(operand->element, NULL) && is_selectable(result->element, NULL);
}

static bool has_patterns(const program_t *program) {
  const byteir_one_hot_attributes_t *attributes = byteir_one_hot_attributes(program);
  const element_t *element = program->results[0].element;
  return attribute_pattern_fits(&attributes->on_value, element) &&
         attribute_pattern_fits(&attributes->off_value, element);
}

static bool permits_axis(const program_t *program, const contract_t *contract) {
  return byteir_permits_axis(contract, byteir_one_hot_attributes(program)->axis);
}

static const op_constraint_t constraints[] = {
    OP_FORBIDDEN("count", "there are one operand and one result", "operands and results",
                 program_is_unary),
    OP_FORBIDDEN("index", "the operand is a tensor of integers", "operands: indices", has_indices),
    OP_FORBIDDEN("depth", "depth is not negative", "attrs: depth", has_depth),
    OP_FORBIDDEN("axis", "axis is a dimension of the result, counted from the end if negative",
                 "attrs: axis", has_axis),
    OP_FORBIDDEN("result",
                 "the result has the shape of the operand with a dimension of size depth inserted "
                 "at axis",
                 "results: output", has_shape),
    OP_UNMODELLED("types",
                  "the operand is not quantized and not of booleans, the result is not quantized "
                  "and not complex",
                  is_modelled),
    OP_UNMODELLED("pattern",
                  "on_value and off_value have as many digits as an element of the result, and no "
                  "bit that it has not",
                  has_patterns),
    OP_CONSTRAINTS_END,
};

static const op_constraint_t contract_constraints[] = {
    BYTEIR_SIGN(permits_axis),
    OP_CONSTRAINTS_END,
};

/* ---- Drawing --------------------------------------------------------------------------------- */

static attribute_pattern_t pattern_make(const element_t *element, uint64_t bits) {
  return (attribute_pattern_t){.bits = bits, .digits = (uint8_t)((element->bits + 3) / 4)};
}

/* 1 and 0, or what arithmetic with a mask would spoil: infinities and NaNs, zeros of both signs,
 * numbers whose difference is rounded or overflows. */
static void draw_patterns(rng_t *rng, const element_t *element,
                          byteir_one_hot_attributes_t *attributes) {
  uint64_t on = special_value_integer(element, 1), off = special_value_integer(element, 0);
  switch (rng_below(rng, 8)) {
    case 0:
      on = special_value_nan(rng, element);
      break;
    case 1:
      on = special_value_infinity(rng, element);
      off = special_value_negated(element, on);
      break;
    case 2:
      on = special_value_zero(element, true);
      break;
    case 3:
      on = special_value_boundary(rng, element);
      off = special_value_boundary(rng, element);
      break;
    case 4:
      on = special_value_any(rng, element);
      off = special_value_any(rng, element);
      break;
    default:
      break;
  }
  bool swaps = rng_one_in(rng, 4);
  attributes->on_value = pattern_make(element, swaps ? off : on);
  attributes->off_value = pattern_make(element, swaps ? on : off);
}

static void draw_one_hot(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                         program_t *out_program) {
  static const char *const usual[] = {"i32", "i64"};
  byteir_one_hot_attributes_t *attributes = ARENA_NEW_ARRAY(arena, byteir_one_hot_attributes_t, 1);
  const element_t *from = rng_one_in(rng, 2) ? element_named(usual[rng_below(rng, 2)])
                                             : draw_element(rng, is_integer, NULL);
  const element_t *to = draw_element(rng, is_selectable, NULL);
  int64_t depth = draw_size(rng, limits->sizes, limits->elements_max);
  draw_limits_t rest = {.rank_max = MIN(limits->rank_max, (uint32_t)TYPE_RANK_MAX - 1),
                        .elements_max = limits->elements_max / MAX(depth, 1),
                        .terms_max = limits->terms_max,
                        .sizes = limits->sizes};
  dimension_list_t unused;
  type_t operand = byteir_draw_shape(rng, &rest, from, 0, 0, &unused);
  int64_t axis = (int64_t)rng_below(rng, operand.rank + 1);
  if (rng_one_in(rng, 100)) axis -= (int64_t)operand.rank + 1;
  *attributes = (byteir_one_hot_attributes_t){.depth = depth, .axis = axis};
  draw_patterns(rng, to, attributes);
  *out_program = (program_t){.op = &byteir_one_hot_op,
                             .attributes = attributes,
                             .operand_count = 1,
                             .result_count = 1,
                             .operands = {operand}};
  out_program->results[0] = result_shape(out_program, to);
}

/* Indices at both ends of the classes and of their type, and those that look like classes once
 * they are cut to 8, 16 or 32 bits. */
static uint64_t draw_index(rng_t *rng, const element_t *element, uint64_t depth) {
  const uint64_t ends[] = {0,
                           1,
                           depth - 1,
                           depth,
                           depth + 1,
                           UINT64_MAX,
                           0 - depth,
                           0 - depth - 1,
                           (uint64_t)element_integer_min(element),
                           element_integer_max(element)};
  uint64_t index = depth == 0 ? 0 : rng_below(rng, depth);
  if (rng_one_in(rng, 2)) index = ends[rng_below(rng, G_N_ELEMENTS(ends))];
  if (rng_one_in(rng, 8)) index += UINT64_C(1) << (8 << rng_below(rng, 3));
  return index & element_mask(element);
}

static void draw_edges(rng_t *rng, case_t *inout_case) {
  const tensor_t *tensor = &inout_case->operands[0];
  uint64_t depth = (uint64_t)byteir_one_hot_attributes(&inout_case->program)->depth;
  for (size_t i = 0; i < type_element_count(&tensor->type); i++) {
    element_store(tensor->type.element, tensor->data, i,
                  draw_index(rng, tensor->type.element, depth));
  }
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void print_algorithm(const program_t *program, GString *out_text) {
  (void)program;
  g_string_append(out_text, "one_hot");
}

static void print_words(const program_t *program, GString *out_text) {
  const byteir_one_hot_attributes_t *attributes = byteir_one_hot_attributes(program);
  g_string_append_printf(out_text, "spreads ");
  type_print(&program->operands[0], out_text);
  g_string_append_printf(out_text,
                         " over %" PRId64 " classes along dimension %u: %0*" PRIx64
                         " where the class is the index, else %0*" PRIx64,
                         attributes->depth, byteir_one_hot_axis(program),
                         attributes->on_value.digits, attributes->on_value.bits,
                         attributes->off_value.digits, attributes->off_value.bits);
}

/* ---- The row --------------------------------------------------------------------------------- */

static const char *const policies[] = {"one_hot_negative", NULL};

const op_t byteir_one_hot_op = {
    .name = "byteir.one_hot",
    .spec = "ByteIR Additional Ops, byteir.one_hot",
    .summary = "indices spread over classes",
    .attributes_bytes = sizeof(byteir_one_hot_attributes_t),
    .attribute_rows = attribute_rows,
    .constraints = constraints,
    .contract_constraints = contract_constraints,
    .draw = draw_one_hot,
    .print_algorithm = print_algorithm,
    .policies = policies,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .draw_edges = draw_edges,
};
