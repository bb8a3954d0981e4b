/* SPDX-License-Identifier: Apache-2.0 */
/* The op rows of stablehlo.add, subtract, multiply, maximum, minimum, negate and
 * shift_right_arithmetic. */
#include <math.h>

#include "oracles/ops/elementwise/elementwise.h"
#include "tests/ops/op_checks.h"

static const draw_limits_t limits = {.rank_max = 5, .elements_max = 4096, .terms_max = 512};

#define ADD "stablehlo.add "
#define I8 "!quant.uniform<i8:f32,0x1p-1:3>"
#define OTHER "!quant.uniform<i8:f32,0x1p-2>"
#define NARROW "!quant.uniform<i8<-8:7>:f32,0x1p-2>"
#define ROWS "!quant.uniform<i8:f32:0,{0x1p-1:3,0x1p+0}>"
#define COLUMNS "!quant.uniform<i8:f32:1,{0x1p-1:3,0x1p+0}>"

static const violation_row_t add_rows[] = {
    {ADD "f32[2,3] f32[2,3] -> f32[2,3]", NULL},
    {ADD "i1[] i1[] -> i1[]", NULL},
    {ADD "complex<f64>[0] complex<f64>[0] -> complex<f64>[0]", NULL},
    {ADD I8 "[3] " OTHER "[3] -> " NARROW "[3]", NULL},
    {ADD ROWS "[2,2] " OTHER "[2,2] -> " ROWS "[2,2]", NULL},
    {ADD OTHER "[2,2] " COLUMNS "[2,2] -> " COLUMNS "[2,2]", NULL},
    {ADD ROWS "[2,2] " ROWS "[2,2] -> " ROWS "[2,2]", NULL},
    {ADD "f32[2] -> f32[2]", "arity"},
    {ADD "f32[2] f32[2] f32[2] -> f32[2]", "arity"},
    {ADD "f32[2] f32[2] -> f32[2] f32[2]", "arity"},
    {ADD "f32[2] f32[2] -> f32[3]", "C1"},
    {ADD "f32[2] f16[2] -> f32[2]", "C1"},
    {ADD "f32[2] f32[2] -> f64[2]", "C1"},
    {ADD "f32[3] " I8 "[3] -> " I8 "[3]", "C2"},
    {ADD I8 "[3] i8[3] -> " I8 "[3]", "C2"},
    {ADD I8 "[3] " I8 "[3] -> f32[3]", "C2"},
    {ADD I8 "[3] " I8 "[3] -> " I8 "[4]", "shape"},
    {ADD I8 "[3] " I8 "[3,1] -> " I8 "[3]", "shape"},
    {ADD I8 "[3] !quant.uniform<ui8:f32,0x1p-1>[3] -> " I8 "[3]", "C3"},
    {ADD I8 "[3] " I8 "[3] -> !quant.uniform<i32:f32,0x1p-1>[3]", "C3"},
    {ADD I8 "[3] !quant.uniform<i8:f16,0x1p-1>[3] -> " I8 "[3]", "C4"},
    {ADD I8 "[2,2] " I8 "[2,2] -> " ROWS "[2,2]", "C5"},
    {ADD ROWS "[2,2] " I8 "[2,2] -> " I8 "[2,2]", "C5"},
    {ADD ROWS "[2,2] " COLUMNS "[2,2] -> " COLUMNS "[2,2]", "C6"},
    {ADD COLUMNS "[2,2] " ROWS "[2,2] -> " COLUMNS "[2,2]", "C7"},
};

/* Of an op called `name`, which takes booleans or does not. */
static void check_op(const char *name, bool takes_booleans) {
  const struct {
    const char *operand, *result, *id;
  } rows[] = {
      {"f8E4M3FN[2]", "f8E4M3FN[2]", NULL},
      {I8 "[3]", OTHER "[3]", NULL},
      {"complex<f32>[2]", "complex<f32>[2]", NULL},
      {"i1[2]", "i1[2]", takes_booleans ? NULL : "types"},
      {COLUMNS "[2,2]", I8 "[2,2]", "types"},
      {"f32[2]", "f32[]", "C1"},
      {"ui4[2]", "i4[2]", "C1"},
      {I8 "[3]", NARROW "[3]", "C1"},
      {I8 "[3]", "i8[3]", "C1"},
      {I8 "[3]", I8 "[1,3]", "C1"},
      {"f32[2]", "f32[2] f32[2]", "arity"},
  };
  const op_t *op = check_find_op(name);
  violation_row_t lines[G_N_ELEMENTS(rows)];
  char *texts[G_N_ELEMENTS(rows)];
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    bool is_unary = strcmp(name, "stablehlo.negate") == 0;
    GString *line = g_string_new(name);
    g_string_append_printf(line, " %s%s%s -> %s", rows[i].operand, is_unary ? "" : " ",
                           is_unary ? "" : rows[i].operand, rows[i].result);
    texts[i] = g_string_free(line, FALSE);
    lines[i] = (violation_row_t){texts[i], rows[i].id};
  }
  check_violations(op, lines, G_N_ELEMENTS(lines), "");
  check_hostile(lines, G_N_ELEMENTS(lines), 5000);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) g_free(texts[i]);
}

static void test_add(void) {
  const op_t *op = check_find_op("stablehlo.add");
  check_violations(op, add_rows, G_N_ELEMENTS(add_rows), "");
  check_hostile(add_rows, G_N_ELEMENTS(add_rows), 20000);
}

static void test_others(void) {
  check_op("stablehlo.subtract", false);
  check_op("stablehlo.multiply", true);
  check_op("stablehlo.maximum", true);
  check_op("stablehlo.minimum", true);
  check_op("stablehlo.negate", false);
}

static void test_shift(void) {
#define SHIFT "stablehlo.shift_right_arithmetic "
  static const violation_row_t rows[] = {
      {SHIFT "i32[2] i32[2] -> i32[2]", NULL}, {SHIFT "ui2[] ui2[] -> ui2[]", NULL},
      {SHIFT "i32[2] -> i32[2]", "arity"},     {SHIFT "f32[2] f32[2] -> f32[2]", "types"},
      {SHIFT "i1[2] i1[2] -> i1[2]", "types"}, {SHIFT I8 "[2] " I8 "[2] -> " I8 "[2]", "types"},
      {SHIFT "i32[2] i64[2] -> i32[2]", "C1"}, {SHIFT "i32[2] i32[2] -> i32[3]", "C1"},
  };
  const op_t *op = check_find_op("stablehlo.shift_right_arithmetic");
  check_violations(op, rows, G_N_ELEMENTS(rows), "");
  check_hostile(rows, G_N_ELEMENTS(rows), 5000);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Element types of drawn programs as a bit mask over element_table, and what is quantized. */
typedef struct coverage {
  uint64_t elements;
  size_t quantized, per_axis, empty;
} coverage_t;

static void visit(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  coverage_t *coverage = (coverage_t *)state;
  const type_t *type = &program->results[0];
  bool is_quantized = type->quantization != NULL;
  if (!is_quantized) coverage->elements |= UINT64_C(1) << (type->element - element_table);
  coverage->quantized += is_quantized;
  coverage->per_axis += is_quantized && type->quantization->axis != -1;
  coverage->empty += type_element_count(type) == 0;
}

/* Every element type that the op takes is drawn. */
static void test_drawn(void) {
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    if ((*op)->draw_edges != elementwise_draw_edges) continue;
    coverage_t coverage = {0};
    check_drawn(*op, &limits, 12000, visit, &coverage);
    program_t program = {.op = *op};
    elementwise_t function = elementwise_of(&program);
    for (size_t i = 0; i < element_count; i++) {
      bool is_drawn = (coverage.elements >> i & 1) != 0;
      g_assert_cmpint(is_drawn, ==, elementwise_takes(function, &element_table[i]));
    }
    g_assert_cmpint(coverage.quantized > 1500, ==, elementwise_takes_quantized(function));
    g_assert_cmpint(coverage.per_axis > 300, ==, function == ELEMENTWISE_ADD);
    g_assert_cmpuint(coverage.empty, >, 10);
    const draw_limits_t tight[] = {{0, 1, 1, DRAW_SIZES_SMALL},
                                   {8, 1, 1, DRAW_SIZES_SMALL},
                                   {1, 2, 1, DRAW_SIZES_SMALL},
                                   {8, 256, 2, DRAW_SIZES_SMALL}};
    for (size_t i = 0; i < G_N_ELEMENTS(tight); i++) {
      check_drawn(*op, &tight[i], 300, visit, &coverage);
    }
  }
}

/* ---- Edges ----------------------------------------------------------------------------------- */

static case_t draw_edges(rng_t *rng, const char *line, arena_t *arena) {
  const char *violation = NULL;
  program_t program = check_parse(line, arena, &violation);
  g_assert_cmpstr(violation, ==, NULL);
  case_t instance = case_make(arena, &program);
  program.op->draw_edges(rng, &instance);
  return instance;
}

static uint64_t bits_of(const case_t *instance, uint32_t operand, size_t index) {
  const tensor_t *tensor = &instance->operands[operand];
  return element_load(tensor->type.element, tensor->data, index);
}

/* Many sums of f32 are halfway between two numbers, many cancel, and many round at all. */
static void test_float_edges(void) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0xed6e);
  const case_t instance = draw_edges(&rng, ADD "f32[4000] f32[4000] -> f32[4000]", &arena);
  const format_t *f32 = &format_table[FORMAT_f32];
  size_t ties = 0, inexact = 0, zeros = 0;
  for (size_t i = 0; i < 4000; i++) {
    double a = format_to_double(f32, bits_of(&instance, 0, i));
    double b = format_to_double(f32, bits_of(&instance, 1, i)), sum = a + b;
    if (!isfinite(sum) || isinf((float)sum)) continue;
    zeros += sum == 0;
    if (sum == 0) continue;
    double error = fabs((double)(float)sum - sum), ulp = ldexp(1, ilogb(sum) - 23);
    ties += error == ulp / 2;
    inexact += error != 0;
  }
  g_test_message("%zu ties, %zu inexact, %zu cancel", ties, inexact, zeros);
  g_assert_cmpuint(MIN(ties, zeros), >, 200);
  g_assert_cmpuint(inexact, >, 600);
  arena_deinit(&arena);
}

/* Amounts on both sides of the width, and many quantized sums halfway between two. */
static void test_integer_edges(void) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0xed6e);
  case_t instance = draw_edges(&rng, SHIFT "i8[4000] i8[4000] -> i8[4000]", &arena);
  size_t within = 0, beyond = 0, negative = 0, ties = 0;
  for (size_t i = 0; i < 4000; i++) {
    uint64_t amount = bits_of(&instance, 1, i);
    within += amount < 8;
    beyond += amount >= 8 && amount < 128;
    negative += amount >= 128;
  }
  g_assert_cmpuint(MIN(MIN(within, beyond), negative), >, 600);
  instance = draw_edges(&rng, ADD I8 "[999] " OTHER "[999] -> " I8 "[999]", &arena);
  for (size_t i = 0; i < 999; i++) {
    int64_t a = (int8_t)bits_of(&instance, 0, i), b = (int8_t)bits_of(&instance, 1, i);
    ties += (2 * (a - 3) + b) % 2 != 0; /* In quarters; results are halves. */
  }
  g_test_message("%zu quantized ties", ties);
  g_assert_cmpuint(ties, >, 700);
  arena_deinit(&arena);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void test_text(void) {
  const op_t *add = check_find_op("stablehlo.add");
  g_autofree char *mlir = check_text(ADD "f32[2] f32[2] -> f32[2]", add->print_mlir);
  g_assert_nonnull(strstr(mlir,
                          "\"stablehlo.add\"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) "
                          "-> tensor<2xf32>"));
  g_autofree char *words = check_text(ADD I8 "[3] " OTHER "[3] -> " I8 "[3]", program_print_words);
  g_assert_cmpstr(words, ==,
                  "the sum, for each element of " I8 "[3] and " OTHER "[3], quantized as " I8);
  g_autofree char *broken = check_text(ADD "f32[2] f32[2] -> f32[3]", program_print_words);
  g_assert_cmpstr(broken, ==, "is no stablehlo.add: it breaks C1");
  g_autofree char *label = check_text(ADD I8 "[3] " I8 "[3] -> " I8 "[3]", add->print_algorithm);
  g_assert_cmpstr(label, ==, "quantized");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/elementwise/add", test_add);
  g_test_add_func("/elementwise/others", test_others);
  g_test_add_func("/elementwise/shift", test_shift);
  g_test_add_func("/elementwise/drawn", test_drawn);
  g_test_add_func("/elementwise/float_edges", test_float_edges);
  g_test_add_func("/elementwise/integer_edges", test_integer_edges);
  g_test_add_func("/elementwise/text", test_text);
  return g_test_run();
}
