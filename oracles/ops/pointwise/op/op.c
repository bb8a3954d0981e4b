/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the pointwise ops: the attributes of a comparison, words and axes. */
#include "oracles/ops/pointwise/op/op.h"

#include "harness/model/mlir.h"

/* The rows are at the end; a program's row tells its function. */
static const op_t rows[POINTWISE_COUNT];

pointwise_t pointwise_of(const program_t *program) { return (pointwise_t)(program->op - rows); }

/* ---- Attributes of a comparison -------------------------------------------------------------- */

static const char *const directions[] = {"EQ", "NE", "GE", "GT", "LE", "LT", NULL};
static const char *const comparison_types[] = {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED", NULL};

static status_t parse_direction(const attribute_source_t *from, void *out_value) {
  return attribute_word.parse(from, out_value);
}

static void print_direction(const void *value, const attribute_sink_t *to) {
  attribute_word.print(value, to);
}

static void print_mlir_direction(const void *value, const attribute_sink_t *to) {
  g_string_append(to->text, "#stablehlo<comparison_direction ");
  attribute_word.print(value, to);
  g_string_append_c(to->text, '>');
}

static const attribute_codec_t direction_codec = {
    .parse = parse_direction, .print = print_direction, .print_mlir = print_mlir_direction};

static bool is_absent(const void *value) {
  return *(const uint8_t *)value == COMPARISON_TYPE_ABSENT;
}

static status_t parse_type(const attribute_source_t *from, void *out_value) {
  uint8_t word;
  STATUS_TRY(attribute_word.parse(from, &word));
  *(uint8_t *)out_value = (uint8_t)(word + 1);
  return STATUS_OK;
}

static void print_type(const void *value, const attribute_sink_t *to) {
  const uint8_t word = (uint8_t)(*(const uint8_t *)value - 1);
  attribute_word.print(&word, to);
}

static void print_mlir_type(const void *value, const attribute_sink_t *to) {
  g_string_append(to->text, "#stablehlo<comparison_type ");
  print_type(value, to);
  g_string_append_c(to->text, '>');
}

static const attribute_codec_t type_codec = {.is_absent = is_absent,
                                             .parse = parse_type,
                                             .print = print_type,
                                             .print_mlir = print_mlir_type};

static const attribute_row_t compare_rows[] = {
    {ATTRIBUTE("comparison_direction", direction_codec, compare_attributes_t, direction),
     .words = directions},
    {ATTRIBUTE("compare_type", type_codec, compare_attributes_t, type), .words = comparison_types},
    ATTRIBUTES_END,
};

/* ---- Text ------------------------------------------------------------------------------------ */

/* What kind of numbers it is done on. */
static void print_algorithm(const program_t *program, GString *out_text) {
  static const char *const words[] = {[ELEMENT_BOOLEAN] = "boolean",
                                      [ELEMENT_SIGNED] = "integer",
                                      [ELEMENT_UNSIGNED] = "integer",
                                      [ELEMENT_FLOAT] = "float",
                                      [ELEMENT_COMPLEX] = "complex"};
  bool is_known =
      pointwise_has_arity(program) && pointwise_main_type(program)->quantization == NULL;
  g_string_append(out_text, is_known ? words[pointwise_main_type(program)->element->kind] : "none");
}

static void print_words(const program_t *program, GString *out_text) {
  g_string_append(out_text, program->op->summary);
  if (pointwise_of(program) == POINTWISE_COMPARE) {
    g_string_append_printf(out_text, " (%s)", directions[compare_attributes(program)->direction]);
  }
  g_string_append(out_text, ", for each element of ");
  for (uint32_t i = 0; i < program->operand_count; i++) {
    bool is_last = i > 0 && i + 1 == program->operand_count;
    g_string_append(out_text, i == 0 ? "" : is_last ? " and " : ", ");
    type_print(&program->operands[i], out_text);
  }
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
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (program->operands[i].rank > 0) out_axes->operands[i] = all;
  }
  out_axes->results[0] = all;
}

/* Operands of two layouts are no valid program, and are refused by the caller. */
static void with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                      program_t *out_program) {
  (void)arena;
  *out_program = *program;
  const axis_list_t *list = &inout_axes->operands[pointwise_main_operand(pointwise_of(program))];
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
    pointwise_draw(rng, limits, arena, out_program);                                   \
  }
DRAW(divide, POINTWISE_DIVIDE)
DRAW(remainder, POINTWISE_REMAINDER)
DRAW(sqrt, POINTWISE_SQRT)
DRAW(abs, POINTWISE_ABS)
DRAW(sign, POINTWISE_SIGN)
DRAW(floor, POINTWISE_FLOOR)
DRAW(ceil, POINTWISE_CEIL)
DRAW(round_nearest_even, POINTWISE_ROUND_EVEN)
DRAW(round_nearest_afz, POINTWISE_ROUND_AWAY)
DRAW(and, POINTWISE_AND)
DRAW(or, POINTWISE_OR)
DRAW(xor, POINTWISE_XOR)
DRAW(not, POINTWISE_NOT)
DRAW(compare, POINTWISE_COMPARE)
DRAW(select, POINTWISE_SELECT)
DRAW(clamp, POINTWISE_CLAMP)

/* A quotient by the inverse of the divisor is known of compilers. */
static const char *const divide_policies[] = {"division", NULL};
static const char *const divide_readings[] = {"division=reciprocal", NULL};

#define ROW(function, rules, words, ...)          \
  {.name = "stablehlo." #function,                \
   .spec = "StableHLO specification, " #function, \
   .summary = words,                              \
   .constraints = rules,                          \
   .draw = draw_##function,                       \
   .print_algorithm = print_algorithm,            \
   .print_mlir = mlir_print_module,               \
   .print_words = print_words,                    \
   .draw_edges = pointwise_draw_edges,            \
   .axes = find_axes,                             \
   .with_axes = with_axes,                        \
   __VA_ARGS__}

static const op_t rows[POINTWISE_COUNT] = {
    [POINTWISE_DIVIDE] = ROW(divide, pointwise_constraints, "the quotient",
                             .policies = divide_policies, .readings = divide_readings,
                             .turns = OP_TURNS("inverse"), .settle_operands = pointwise_settle),
    [POINTWISE_REMAINDER] =
        ROW(remainder, pointwise_constraints, "the remainder, with the sign of the left one",
            .settle_operands = pointwise_settle),
    [POINTWISE_SQRT] =
        ROW(sqrt, pointwise_constraints, "the square root", .turns = OP_TURNS("root")),
    [POINTWISE_ABS] = ROW(abs, pointwise_abs_constraints, "the magnitude", ),
    [POINTWISE_SIGN] = ROW(sign, pointwise_constraints, "the sign: -1, 0 or 1", ),
    [POINTWISE_FLOOR] = ROW(floor, pointwise_constraints, "the next whole number below",
                            .turns = OP_TURNS("whole")),
    [POINTWISE_CEIL] =
        ROW(ceil, pointwise_constraints, "the next whole number above", .turns = OP_TURNS("whole")),
    [POINTWISE_ROUND_EVEN] =
        ROW(round_nearest_even, pointwise_constraints,
            "the nearest whole number, of two the even one", .turns = OP_TURNS("whole")),
    [POINTWISE_ROUND_AWAY] = ROW(round_nearest_afz, pointwise_constraints,
                                 "the nearest whole number, of two the one farther from zero",
                                 .turns = OP_TURNS("whole")),
    [POINTWISE_AND] = ROW(and, pointwise_bit_constraints, "AND, bit by bit", ),
    [POINTWISE_OR] = ROW(or, pointwise_bit_constraints, "OR, bit by bit", ),
    [POINTWISE_XOR] = ROW(xor, pointwise_bit_constraints, "exclusive OR, bit by bit", ),
    [POINTWISE_NOT] = ROW(not, pointwise_bit_constraints, "NOT, bit by bit", ),
    [POINTWISE_COMPARE] =
        ROW(compare, pointwise_compare_constraints, "whether a comparison holds",
            .attributes_bytes = sizeof(compare_attributes_t), .attribute_rows = compare_rows),
    [POINTWISE_SELECT] = ROW(select, pointwise_select_constraints,
                             "the second one where the first is true, else the third", ),
    [POINTWISE_CLAMP] = ROW(clamp, pointwise_clamp_constraints,
                            "the second one, but at least the first and at most the third", ),
};

extern const op_t *const pointwise_ops[];
const op_t *const pointwise_ops[] = {&rows[POINTWISE_DIVIDE],
                                     &rows[POINTWISE_REMAINDER],
                                     &rows[POINTWISE_SQRT],
                                     &rows[POINTWISE_ABS],
                                     &rows[POINTWISE_SIGN],
                                     &rows[POINTWISE_FLOOR],
                                     &rows[POINTWISE_CEIL],
                                     &rows[POINTWISE_ROUND_EVEN],
                                     &rows[POINTWISE_ROUND_AWAY],
                                     &rows[POINTWISE_AND],
                                     &rows[POINTWISE_OR],
                                     &rows[POINTWISE_XOR],
                                     &rows[POINTWISE_NOT],
                                     &rows[POINTWISE_COMPARE],
                                     &rows[POINTWISE_SELECT],
                                     &rows[POINTWISE_CLAMP],
                                     NULL};
