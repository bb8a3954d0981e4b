/* SPDX-License-Identifier: Apache-2.0 */
/* The op rows of stablehlo.convert, uniform_quantize and uniform_dequantize. */
#include <math.h>

#include "oracles/ops/element_conversion/element_conversion.h"
#include "tests/ops/op_checks.h"

static const draw_limits_t limits = {.rank_max = 5, .elements_max = 4096, .terms_max = 512};

#define CONVERT "stablehlo.convert "
#define QUANTIZE "stablehlo.uniform_quantize "
#define DEQUANTIZE "stablehlo.uniform_dequantize "
#define I8 "!quant.uniform<i8:f32,0x1p-1:3>"
#define PER_AXIS "!quant.uniform<ui8:f32:1,{0x1p-1:3,0x1p+0}>"

static const op_t *convert_row(void) { return check_find_op("stablehlo.convert"); }
static const op_t *quantize_row(void) { return check_find_op("stablehlo.uniform_quantize"); }
static const op_t *dequantize_row(void) { return check_find_op("stablehlo.uniform_dequantize"); }

static const violation_row_t convert_rows[] = {
    {CONVERT "f32[2,3] -> i8[2,3]", NULL},         {CONVERT "i1[] -> complex<f64>[]", NULL},
    {CONVERT "f8E8M0FNU[0] -> f4E2M1FN[0]", NULL}, {CONVERT "f32[2] -> f32[2]", NULL},
    {CONVERT "f32[2] f32[2] -> f16[2]", "arity"},  {CONVERT "-> f16[2]", "arity"},
    {CONVERT "f32[2] -> f16[2] f16[2]", "arity"},  {CONVERT "f32[2] -> " I8 "[2]", "types"},
    {CONVERT I8 "[2] -> f32[2]", "types"},         {CONVERT "f32[2] -> f16[3]", "C1"},
    {CONVERT "f32[2] -> f16[2,1]", "C1"},          {CONVERT "f32[] -> f16[1]", "C1"},
};

static const violation_row_t quantize_rows[] = {
    {QUANTIZE "f32[2] -> " I8 "[2]", NULL},
    {QUANTIZE "f32[3,2] -> " PER_AXIS "[3,2]", NULL},
    {QUANTIZE PER_AXIS "[3,2] -> " I8 "[3,2]", NULL},
    {QUANTIZE "bf16[] -> !quant.uniform<i4<-7:7>:bf16,0x1p-2>[]", NULL},
    {QUANTIZE "f32[2] f32[2] -> " I8 "[2]", "arity"},
    {QUANTIZE "-> " I8 "[2]", "arity"},
    {QUANTIZE "i8[2] -> " I8 "[2]", "types"},
    {QUANTIZE "complex<f32>[2] -> " I8 "[2]", "types"},
    {QUANTIZE "f32[2] -> i8[2]", "types"},
    {QUANTIZE "f32[2] -> f32[2]", "types"},
    {QUANTIZE "f32[2] -> " I8 "[3]", "C1"},
    {QUANTIZE "f32[2,1] -> " I8 "[2]", "C1"},
    {QUANTIZE "f16[2] -> " I8 "[2]", "C2"},
    {QUANTIZE "!quant.uniform<i8:f16,0x1p+0>[2] -> " I8 "[2]", "C2"},
};

static const violation_row_t dequantize_rows[] = {
    {DEQUANTIZE I8 "[2] -> f32[2]", NULL},
    {DEQUANTIZE PER_AXIS "[3,2] -> f32[3,2]", NULL},
    {DEQUANTIZE I8 "[2] " I8 "[2] -> f32[2]", "arity"},
    {DEQUANTIZE "-> f32[2]", "arity"},
    {DEQUANTIZE "i8[2] -> f32[2]", "types"},
    {DEQUANTIZE I8 "[2] -> i32[2]", "types"},
    {DEQUANTIZE I8 "[2] -> " I8 "[2]", "types"},
    {DEQUANTIZE I8 "[2] -> f32[]", "C1"},
    {DEQUANTIZE I8 "[2] -> f64[2]", "C2"},
};

static void test_violations(void) {
  check_violations(convert_row(), convert_rows, G_N_ELEMENTS(convert_rows), "");
  check_violations(quantize_row(), quantize_rows, G_N_ELEMENTS(quantize_rows), "");
  check_violations(dequantize_row(), dequantize_rows, G_N_ELEMENTS(dequantize_rows), "");
}

static void test_hostile(void) {
  check_hostile(convert_rows, G_N_ELEMENTS(convert_rows), 20000);
  check_hostile(quantize_rows, G_N_ELEMENTS(quantize_rows), 20000);
  check_hostile(dequantize_rows, G_N_ELEMENTS(dequantize_rows), 20000);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Which element types meet in drawn programs; what quantizations have been seen. */
typedef struct coverage {
  uint64_t from, to; /* Bit masks over element_table. */
  size_t per_axis, per_tensor, narrow, with_zero_point, at_ends, requantized, empty;
} coverage_t;

static uint64_t bit_of(const element_t *element) {
  return UINT64_C(1) << (element - element_table);
}

static void count_quantization(const type_t *type, coverage_t *coverage) {
  const quantization_t *quantization = type->quantization;
  if (quantization == NULL) return;
  coverage->per_axis += quantization->axis != -1;
  coverage->per_tensor += quantization->axis == -1;
  coverage->narrow += quantization->storage_min != element_integer_min(type->element);
  for (uint32_t i = 0; i < quantization->count; i++) {
    int64_t zero_point = quantization->zero_points[i];
    coverage->with_zero_point += zero_point != 0;
    coverage->at_ends +=
        zero_point == quantization->storage_min || zero_point == quantization->storage_max;
  }
}

static void visit_drawn(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  coverage_t *coverage = (coverage_t *)state;
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  coverage->from |= bit_of(operand->element);
  coverage->to |= bit_of(result->element);
  count_quantization(operand, coverage);
  count_quantization(result, coverage);
  coverage->requantized += operand->quantization != NULL && result->quantization != NULL;
  coverage->empty += type_element_count(operand) == 0;
}

static uint64_t elements_where(bool (*is_meant)(const element_t *)) {
  uint64_t mask = 0;
  for (size_t i = 0; i < element_count; i++) {
    const element_t *element = &element_table[i];
    if (element->is_tensor_element && is_meant(element)) mask |= bit_of(element);
  }
  return mask;
}

static bool is_any(const element_t *element) { return element != NULL; }
static bool is_storage(const element_t *element) {
  return element_is_integer(element) && element->bits <= 32;
}
static bool is_expressed(const element_t *element) {
  return element->kind == ELEMENT_FLOAT && format_has_infinity(element->format);
}

static void check_quantizations(const coverage_t *coverage) {
  g_assert_cmpuint(MIN(coverage->per_axis, coverage->per_tensor), >, 100);
  g_assert_cmpuint(coverage->narrow, >, 100);
  g_assert_cmpuint(MIN(coverage->with_zero_point, coverage->at_ends), >, 100);
  g_assert_cmpuint(coverage->empty, >, 10);
}

static void test_drawn(void) {
  coverage_t convert = {0}, quantize = {0}, dequantize = {0};
  check_drawn(convert_row(), &limits, 8000, visit_drawn, &convert);
  g_assert_cmphex(convert.from, ==, elements_where(is_any));
  g_assert_cmphex(convert.to, ==, elements_where(is_any));
  check_drawn(quantize_row(), &limits, 4000, visit_drawn, &quantize);
  g_assert_cmphex(quantize.from, ==, elements_where(is_expressed) | elements_where(is_storage));
  g_assert_cmphex(quantize.to, ==, elements_where(is_storage));
  g_assert_cmpuint(quantize.requantized, >, 1000);
  check_quantizations(&quantize);
  check_drawn(dequantize_row(), &limits, 4000, visit_drawn, &dequantize);
  g_assert_cmphex(dequantize.from, ==, elements_where(is_storage));
  g_assert_cmphex(dequantize.to, ==, elements_where(is_expressed));
  check_quantizations(&dequantize);
}

static void visit_nothing(const program_t *program, arena_t *arena, void *state) {
  (void)program;
  (void)arena;
  (void)state;
}

static void test_tight_limits(void) {
  const draw_limits_t tight[] = {{0, 1, 1, DRAW_SIZES_SMALL},
                                 {8, 1, 1, DRAW_SIZES_SMALL},
                                 {1, 2, 1, DRAW_SIZES_SMALL},
                                 {8, 256, 2, DRAW_SIZES_SMALL}};
  for (size_t i = 0; i < G_N_ELEMENTS(tight); i++) {
    check_drawn(convert_row(), &tight[i], 500, visit_nothing, NULL);
    check_drawn(quantize_row(), &tight[i], 500, visit_nothing, NULL);
    check_drawn(dequantize_row(), &tight[i], 500, visit_nothing, NULL);
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

/* Of numbers that become f16, many are halfway between two, and many next to that. */
static void test_convert_edges(void) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0xed6e);
  const case_t instance = draw_edges(&rng, CONVERT "f32[8000] -> f16[8000]", &arena);
  const format_t *f32 = &format_table[FORMAT_f32], *f16 = &format_table[FORMAT_f16];
  size_t ties = 0, near_ties = 0, overflows = 0;
  for (size_t i = 0; i < 8000; i++) {
    uint64_t bits = element_load(instance.operands[0].type.element, instance.operands[0].data, i);
    number_t number = format_decode(f32, bits);
    if (number.kind != NUMBER_FINITE) continue;
    uint64_t away = format_encode(f16, number, ROUNDING_NEAREST_AWAY, OVERFLOW_FORMAT);
    uint64_t even = format_encode(f16, number, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
    uint64_t before = format_convert(f32, f16, bits - 1, ROUNDING_NEAREST_EVEN);
    uint64_t after = format_convert(f32, f16, bits + 1, ROUNDING_NEAREST_EVEN);
    ties += away != even;
    near_ties += away == even && before != after;
    overflows += format_is_infinity(f16, even);
  }
  g_test_message("%zu ties, %zu near-ties, %zu overflow", ties, near_ties, overflows);
  g_assert_cmpuint(ties, >, 1000);
  g_assert_cmpuint(near_ties, >, 500);
  g_assert_cmpuint(overflows, >, 100);
  arena_deinit(&arena);
}

/* Of numbers that are quantized, many become halfway between two storage values, and many are
 * beyond the ends. */
static void test_quantize_edges(void) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0xed6e);
  const case_t instance = draw_edges(&rng, QUANTIZE "f32[4000] -> " I8 "[4000]", &arena);
  size_t ties = 0, beyond = 0;
  for (size_t i = 0; i < 4000; i++) {
    const tensor_t *operand = &instance.operands[0];
    uint64_t bits = element_load(operand->type.element, operand->data, i);
    double stored = format_to_double(operand->type.element->format, bits) / 0.5 + 3;
    if (!isfinite(stored)) continue;
    ties += fabs(stored - trunc(stored)) == 0.5;
    beyond += stored < -128 || stored > 127;
  }
  g_test_message("%zu ties, %zu beyond", ties, beyond);
  g_assert_cmpuint(ties, >, 800);
  g_assert_cmpuint(beyond, >, 200);
  arena_deinit(&arena);
}

/* Of wide integers most stand for more than the result holds: those that are drawn come near ties.
 */
static void test_requantize_edges(void) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0xed6e);
  size_t ties = 0;
  for (size_t k = 0; k < 20; k++) {
    const case_t instance =
        draw_edges(&rng, QUANTIZE "!quant.uniform<i32:f32,0x1p-10:7>[200] -> " I8 "[200]", &arena);
    for (size_t i = 0; i < 200; i++) {
      const tensor_t *operand = &instance.operands[0];
      uint64_t bits = element_load(operand->type.element, operand->data, i);
      double stored = (double)(element_signed_value(operand->type.element, bits) - 7);
      double value = stored * 0x1p-10 / 0.5 + 3;
      ties += fabs(value - trunc(value)) == 0.5 && fabs(value) < 127;
    }
  }
  g_test_message("%zu ties of %d", ties, 4000);
  g_assert_cmpuint(ties, >, 800);
  arena_deinit(&arena);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void test_mlir(void) {
  g_autofree char *convert = check_text(CONVERT "f32[2] -> ui8[2]", convert_row()->print_mlir);
  g_assert_cmpstr(convert, ==,
                  "module {\n"
                  "  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xui8> {\n"
                  "    %0 = \"stablehlo.convert\"(%arg0) : (tensor<2xf32>) -> tensor<2xui8>\n"
                  "    return %0 : tensor<2xui8>\n  }\n}\n");
  g_autofree char *quantize =
      check_text(QUANTIZE "f32[3,2] -> " PER_AXIS "[3,2]", quantize_row()->print_mlir);
  const char *type =
      "tensor<3x2x!quant.uniform<u8:f32:1, {5.0000000000000000e-01:3, 1.0000000000000000e+00}>>";
  g_assert_nonnull(strstr(quantize, type));
  g_assert_nonnull(strstr(quantize, "\"stablehlo.uniform_quantize\"(%arg0) : (tensor<3x2xf32>)"));
}

static void test_words(void) {
  g_autofree char *words = check_text(DEQUANTIZE I8 "[2] -> f32[2]", program_print_words);
  g_assert_cmpstr(words, ==, "converts each element of " I8 "[2] to f32");
  g_autofree char *label =
      check_text(QUANTIZE I8 "[2] -> " I8 "[2]", quantize_row()->print_algorithm);
  g_assert_cmpstr(label, ==, "quantized-to-quantized");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/element_conversion/violations", test_violations);
  g_test_add_func("/element_conversion/hostile", test_hostile);
  g_test_add_func("/element_conversion/drawn", test_drawn);
  g_test_add_func("/element_conversion/tight_limits", test_tight_limits);
  g_test_add_func("/element_conversion/convert_edges", test_convert_edges);
  g_test_add_func("/element_conversion/quantize_edges", test_quantize_edges);
  g_test_add_func("/element_conversion/requantize_edges", test_requantize_edges);
  g_test_add_func("/element_conversion/mlir", test_mlir);
  g_test_add_func("/element_conversion/words", test_words);
  return g_test_run();
}
