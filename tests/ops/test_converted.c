/* SPDX-License-Identifier: Apache-2.0 */
/* Programs with a type of accumulation as executors get them: conversions, the op, conversions. */
#include <string.h>

#include "harness/kinds/converted.h"
#include "harness/model/op.h"

static program_t parse(const char *line, arena_t *arena) {
  program_t program;
  const char *violation = NULL;
  failure_t error = {0};
  status_t status = program_parse(str_from(line), arena, &program, &violation, &error);
  if (status != STATUS_OK || violation != NULL) g_error("%s: %s %s", line, error.text, violation);
  return program;
}

/* The lines of the module that hold `part` are these, in this order. */
static void check_lines(const char *line, const char *const *expected) {
  arena_t arena;
  arena_init(&arena);
  program_t program = parse(line, &arena);
  g_autoptr(GString) module = g_string_new(NULL);
  program_print_mlir_to_run(&program, module);
  g_test_message("%s", module->str);
  const char *at = module->str;
  for (; *expected != NULL; expected++) {
    const char *found = strstr(at, *expected);
    if (found == NULL) g_error("no \"%s\" in what follows:\n%s", *expected, at);
    at = found + strlen(*expected);
  }
  arena_deinit(&arena);
}
#define CHECK_LINES(line, ...) check_lines(line, (const char *const[]){__VA_ARGS__, NULL})

static void test_floats(void) {
  CHECK_LINES(
      "stablehlo.reduce body=add dims=[1] accumulation=f32 bf16[4,16] bf16[] -> bf16[4]",
      "func.func @main(%arg0: tensor<4x16xbf16>, %arg1: tensor<bf16>) -> (tensor<4xbf16>) {\n",
      "    %converted0 = \"stablehlo.convert\"(%arg0) : (tensor<4x16xbf16>) -> tensor<4x16xf32>\n",
      "    %converted1 = \"stablehlo.convert\"(%arg1) : (tensor<bf16>) -> tensor<f32>\n",
      "    %computed0 = \"stablehlo.reduce\"(%converted0, %converted1)",
      "^body(%lhs0: tensor<f32>, %rhs0: tensor<f32>)",
      " : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>\n",
      "    %result0 = \"stablehlo.convert\"(%computed0) : (tensor<4xf32>) -> tensor<4xbf16>\n",
      "    return %result0 : tensor<4xbf16>\n  }\n}\n");
}

/* The second input is of its accumulation's type, the first result of its. */
static void test_several_inputs(void) {
  CHECK_LINES(
      "stablehlo.reduce body=sum_count dims=[0] accumulation=[f64,i32] f32[4] i32[4] f32[] "
      "i32[] -> f32[] i32[]",
      "%converted0 = \"stablehlo.convert\"(%arg0) : (tensor<4xf32>) -> tensor<4xf64>\n",
      "%converted2 = \"stablehlo.convert\"(%arg2) : (tensor<f32>) -> tensor<f64>\n",
      "%computed0, %computed1 = \"stablehlo.reduce\"(%converted0, %arg1, %converted2, %arg3)",
      "%result0 = \"stablehlo.convert\"(%computed0) : (tensor<f64>) -> tensor<f32>\n",
      "return %result0, %computed1 : tensor<f32>, tensor<i32>\n");
}

static void test_quantized(void) {
#define SMALL "!quant.uniform<ui8:f32,0x1p-1:128>"
  CHECK_LINES(
      "stablehlo.reduce body=add dims=[1] accumulation=!quant.uniform<i32:f32,0x1p-1> " SMALL
      "[5,1] " SMALL "[] -> !quant.uniform<ui8:f32,0x1p+1:100>[5]",
      "%converted0 = \"stablehlo.uniform_quantize\"(%arg0) : (tensor<5x1x!quant.uniform<u8:f32",
      "\"stablehlo.reduce\"(%converted0, %converted1)",
      "%result0 = \"stablehlo.uniform_quantize\"(%computed0)");
#undef SMALL
}

static void test_products(void) {
  CHECK_LINES(
      "stablehlo.dot_general batch=[]x[] contract=[1]x[0] precision=[DEFAULT,DEFAULT] "
      "accumulation=f64 f32[4,16] f32[16,3] -> f32[4,3]",
      "-> tensor<4x16xf64>\n", "-> tensor<16x3xf64>\n", "\"stablehlo.dot_general\"(%converted0, ",
      "precision_config", "%result0 = \"stablehlo.convert\"(%computed0)");
}

/* Selection is by the operand as it is: from f16 to f32 nothing becomes equal, to bf16 it may. */
static void test_selection(void) {
#define SCATTER                                                                                  \
  "stablehlo.select_and_scatter select=ge scatter=add window_dimensions=[4] window_strides=[4] " \
  "padding=[[0,0]] "
  CHECK_LINES(SCATTER "accumulation=f32 f16[16] f16[4] f16[] -> f16[16]",
              "\"stablehlo.convert\"(%arg0) : (tensor<16xf16>) -> tensor<16xf32>\n",
              "^select(%lhs0: tensor<f32>", "^body(%lhs0: tensor<f32>");
  arena_t arena;
  arena_init(&arena);
  program_t program = parse(SCATTER "accumulation=bf16 f16[16] f16[4] f16[] -> f16[16]", &arena);
  g_autoptr(GString) own = g_string_new(NULL), run = g_string_new(NULL);
  program.op->print_mlir(&program, own);
  program_print_mlir_to_run(&program, run);
  g_assert_cmpstr(own->str, ==, run->str);
  arena_deinit(&arena);
#undef SCATTER
}

/* What has no type of accumulation is printed as it is; so is an op that cannot have one. */
static void test_others(void) {
  static const char *const lines[] = {
      "stablehlo.reduce body=add dims=[1] bf16[4,16] bf16[] -> bf16[4]",
      "stablehlo.reduce body=add dims=[1] bf16[4,16] bf16[] -> f32[4]",
      "stablehlo.transpose permutation=[1,0] f32[2,3] -> f32[3,2]",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
    arena_t arena;
    arena_init(&arena);
    program_t program = parse(lines[i], &arena);
    g_autoptr(GString) own = g_string_new(NULL), run = g_string_new(NULL);
    program.op->print_mlir(&program, own);
    program_print_mlir_to_run(&program, run);
    g_assert_cmpstr(own->str, ==, run->str);
    arena_deinit(&arena);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/converted/floats", test_floats);
  g_test_add_func("/converted/several-inputs", test_several_inputs);
  g_test_add_func("/converted/quantized", test_quantized);
  g_test_add_func("/converted/products", test_products);
  g_test_add_func("/converted/selection", test_selection);
  g_test_add_func("/converted/others", test_others);
  return g_test_run();
}
