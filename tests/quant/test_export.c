/* SPDX-License-Identifier: Apache-2.0 */
/* Exported graphs as lists of steps: what stands in them, with derived parameters, multipliers and
 * ends of ranges computed by hand. */
#include "harness/quant/lower/export.h"

#include <string.h>

#include "tests/quant/export_graphs.h"

typedef struct exported {
  arena_t arena;
  quant_graph_t graph;
  quant_steps_t steps;
  GString *text;
} exported_t;

static void export(exported_t *self, const char *text, quant_lowering_t lowering) {
  failure_t error = {0};
  arena_init(&self->arena);
  self->text = g_string_new(NULL);
  status_t status = quant_graph_parse(str_from(text), &self->arena, &self->graph, &error);
  if (status == STATUS_OK) {
    status = quant_export(&self->graph, lowering, &self->arena, &self->steps, &error);
  }
  if (status == STATUS_OK) status = quant_steps_check(&self->steps, &error);
  if (status != STATUS_OK) g_error("%s", error.text);
  quant_steps_print(&self->steps, self->text);
}

static void clear(exported_t *self) {
  g_string_free(self->text, TRUE);
  arena_deinit(&self->arena);
}

static bool has_line(const exported_t *self, const char *line) {
  char *whole = g_strdup_printf("\n%s\n", line);
  bool is_there = strstr(self->text->str, whole) != NULL;
  g_free(whole);
  return is_there;
}

#define ASSERT_LINE(self, line)                                                           \
  do {                                                                                    \
    if (!has_line((self), (line))) g_error("no line %s in\n%s", line, (self)->text->str); \
  } while (0)

/* ---- Whole lists ----------------------------------------------------------------------------- */

#define SMALL(out)                                           \
  "graph small\n"                                            \
  "input x f32[2]\n"                                         \
  "constant two f32[2] = [1.0, 2.0]\n"                       \
  "region first add\n"                                       \
  "  in x !quant.uniform<i8:f32, 0.5:3>\n"                   \
  "  in two !quant.uniform<i8:f32, 0.25>\n"                  \
  "  out y f32[2] " out                                      \
  "\n"                                                       \
  "  op r = stablehlo.add(x, two) f32[2] f32[2] -> f32[2]\n" \
  "  return r\n"                                             \
  "end\n"                                                    \
  "output y\n"

static const char small_text[] = SMALL("!quant.uniform<i8:f32, 1.0:-5>");

static void test_fixed(void) {
  exported_t self;
  export(&self, small_text, QUANT_LOWERING_fixed);
  g_assert_cmpstr(
      self.text->str, ==,
      "input x f32[2]\n"
      "constant two !quant.uniform<i8:f32,0x1p-2>[2] = 0408\n"
      "x.quantized = stablehlo.uniform_quantize f32[2] -> !quant.uniform<i8:f32,0x1p-1:3>[2] (x)\n"
      "y = stablehlo.add !quant.uniform<i8:f32,0x1p-1:3>[2] !quant.uniform<i8:f32,0x1p-2>[2] -> "
      "!quant.uniform<i8:f32,0x1p+0:-5>[2] (x.quantized, two)\n"
      "y.float = stablehlo.uniform_dequantize !quant.uniform<i8:f32,0x1p+0:-5>[2] -> f32[2] (y)\n"
      "output y.float\n");
  g_string_set_size(self.text, 0);
  quant_steps_print_mlir(&self.steps, self.text);
  g_assert_cmpstr(
      self.text->str, ==,
      "module {\n"
      "  func.func @main(%t0: tensor<2xf32>) -> (tensor<2xf32>) {\n"
      "    %t2 = \"stablehlo.constant\"() <{value = dense<\"0x0408\"> : tensor<2xi8>}> : () -> "
      "tensor<2xi8>\n"
      "    %r0 = \"stablehlo.uniform_quantize\"(%t0) : (tensor<2xf32>) -> "
      "tensor<2x!quant.uniform<i8:f32, 5.0000000000000000e-01:3>>\n"
      "    %seen0 = \"stablehlo.bitcast_convert\"(%t2) : (tensor<2xi8>) -> "
      "tensor<2x!quant.uniform<i8:f32, 2.5000000000000000e-01>>\n"
      "    %r1 = \"stablehlo.add\"(%r0, %seen0) : (tensor<2x!quant.uniform<i8:f32, "
      "5.0000000000000000e-01:3>>, tensor<2x!quant.uniform<i8:f32, 2.5000000000000000e-01>>) -> "
      "tensor<2x!quant.uniform<i8:f32, 1.0000000000000000e+00:-5>>\n"
      "    %r2 = \"stablehlo.uniform_dequantize\"(%r1) : (tensor<2x!quant.uniform<i8:f32, "
      "1.0000000000000000e+00:-5>>) -> tensor<2xf32>\n"
      "    return %r2 : tensor<2xf32>\n"
      "  }\n"
      "}\n");
  clear(&self);
}

static void test_float(void) {
  exported_t self;
  export(&self, small_text, QUANT_LOWERING_float);
  g_assert_cmpstr(
      self.text->str, ==,
      "input x f32[2]\n"
      "constant two !quant.uniform<i8:f32,0x1p-2>[2] = 0408\n"
      "x.quantized = stablehlo.uniform_quantize f32[2] -> !quant.uniform<i8:f32,0x1p-1:3>[2] (x)\n"
      "x.quantized.float = stablehlo.uniform_dequantize !quant.uniform<i8:f32,0x1p-1:3>[2] -> "
      "f32[2] (x.quantized)\n"
      "two.float = stablehlo.uniform_dequantize !quant.uniform<i8:f32,0x1p-2>[2] -> f32[2] (two)\n"
      "first.r = stablehlo.add f32[2] f32[2] -> f32[2] (x.quantized.float, two.float)\n"
      "y = stablehlo.uniform_quantize f32[2] -> !quant.uniform<i8:f32,0x1p+0:-5>[2] (first.r)\n"
      "y.float = stablehlo.uniform_dequantize !quant.uniform<i8:f32,0x1p+0:-5>[2] -> f32[2] (y)\n"
      "output y.float\n");
  clear(&self);
}

/* x stands for steps of 1/2, which are 2^30 parts of 2^-31; 1 and 2 are 2^31 and 2^32 of them. */
static void test_integer(void) {
  exported_t self;
  export(&self, small_text, QUANT_LOWERING_integer);
  g_assert_cmpstr(
      self.text->str, ==,
      "input x f32[2]\n"
      "constant i32.3 i32[2] = all 00000003\n"
      "constant i64.1073741824 i64[2] = all 0000000040000000\n"
      "constant two i64[2] = 00000000800000000000000100000000\n"
      "constant i64.31 i64[2] = all 000000000000001f\n"
      "constant i64.-5 i64[2] = all fffffffffffffffb\n"
      "constant i64.-128 i64[2] = all ffffffffffffff80\n"
      "constant i64.127 i64[2] = all 000000000000007f\n"
      "x.quantized = stablehlo.uniform_quantize f32[2] -> !quant.uniform<i8:f32,0x1p-1:3>[2] (x)\n"
      "x.quantized.convert = stablehlo.convert i8[2] -> i32[2] (x.quantized)\n"
      "x.quantized.subtract = stablehlo.subtract i32[2] i32[2] -> i32[2] (x.quantized.convert, "
      "i32.3)\n"
      "x.quantized.2 = stablehlo.convert i32[2] -> i64[2] (x.quantized.subtract)\n"
      "x.quantized.3 = stablehlo.multiply i64[2] i64[2] -> i64[2] (x.quantized.2, "
      "i64.1073741824)\n"
      "first.r = stablehlo.add i64[2] i64[2] -> i64[2] (x.quantized.3, two)\n"
      "y.add = stablehlo.add i64[2] i64[2] -> i64[2] (first.r, i64.1073741824)\n"
      "y.shift_right_arithmetic = stablehlo.shift_right_arithmetic i64[2] i64[2] -> i64[2] "
      "(y.add, i64.31)\n"
      "y.add.2 = stablehlo.add i64[2] i64[2] -> i64[2] (y.shift_right_arithmetic, i64.-5)\n"
      "y.maximum = stablehlo.maximum i64[2] i64[2] -> i64[2] (y.add.2, i64.-128)\n"
      "y.minimum = stablehlo.minimum i64[2] i64[2] -> i64[2] (y.maximum, i64.127)\n"
      "y = stablehlo.convert i64[2] -> i8[2] (y.minimum)\n"
      "y.float = stablehlo.uniform_dequantize !quant.uniform<i8:f32,0x1p+0:-5>[2] -> f32[2] (y)\n"
      "output y.float\n");
  g_string_set_size(self.text, 0);
  quant_step_counts_print(&self.steps, self.text);
  g_assert_cmpstr(self.text->str, ==,
                  "13 steps, 1 quantization, 1 dequantization, 0 requantizations, 1 multiplication "
                  "by a multiplier, 1 shift, 1 scaling merged away, 0 ops in high precision");
  clear(&self);
}

/* ---- Derived parameters ---------------------------------------------------------------------- */

/* Accumulators are steps of 0.5 * 2^-7 and 0.5 * 2^-8; the bias 1 is 256 of the one, -2.5 is -1280
 * of the other.  All but the last is i32. */
static void test_accumulators(void) {
  exported_t self;
  export(&self, convolution_text, QUANT_LOWERING_fixed);
  ASSERT_LINE(&self,
              "constant conv.biases !quant.uniform<i32:f32:3,{0x1p-8,0x1p-9}>[1,2,2,2] = "
              "00000100fffffb0000000100fffffb0000000100fffffb0000000100fffffb00");
  ASSERT_LINE(&self,
              "conv.biased = stablehlo.add i32[1,2,2,2] i32[1,2,2,2] -> i32[1,2,2,2] (conv.sums, "
              "conv.biases)");
  ASSERT_LINE(&self,
              "conv.out = stablehlo.maximum i32[1,2,2,2] i32[1,2,2,2] -> i32[1,2,2,2] "
              "(conv.biased, conv.zeros)");
  ASSERT_LINE(&self,
              "y = stablehlo.uniform_quantize !quant.uniform<i32:f32:3,{0x1p-8,0x1p-9}>[1,2,2,2] "
              "-> !quant.uniform<i8:f32,0x1.cp-1:-5>[1,2,2,2] (conv.out)");
  ASSERT_LINE(&self,
              "z = stablehlo.uniform_quantize !quant.uniform<i8:f32,0x1.cp-1:-5>[1,2,2,2] -> "
              "!quant.uniform<i8:f32,0x1.8p-1:2>[1,2,2,2] (y)");
  clear(&self);
}

/* 2^-8 / 0.75 is 4/3 * 2^-8: 1431655765 * 2^-38, to nearest; half of that for channel 1.  The
 * rescale has no steps: operand, weights and it are merged into that one multiplication. */
static void test_multipliers(void) {
  exported_t self;
  export(&self, convolution_text, QUANT_LOWERING_integer);
  ASSERT_LINE(&self, "constant i64.1431655765 i64[1,2,2,2] = all 0000000055555555");
  ASSERT_LINE(
      &self,
      "constant z.shift_right_arithmetic i64[1,2,2,2] = "
      "000000000000002600000000000000270000000000000026000000000000002700000000000000260000000"
      "00000002700000000000000260000000000000027");
  g_assert_null(strstr(self.text->str, "\ny = "));
  const quant_step_counts_t *counts = &self.steps.counts;
  g_assert_cmpuint(counts->multiplications, ==, 1);
  g_assert_cmpuint(counts->shifts, ==, 1);
  g_assert_cmpuint(counts->merged_scalings, ==, 3);
  g_assert_cmpuint(counts->float_ops, ==, 0);
  clear(&self);
}

/* 1/3 only changes what the sums stand for: 0.5 * rn(1/3). */
static void test_kept_parameters(void) {
  exported_t self;
  export(&self, mixed_text, QUANT_LOWERING_fixed);
  ASSERT_LINE(
      &self,
      "avg.sum = stablehlo.reduce body=add dims=[1] !quant.uniform<i8:f32,0x1p-1:3>[4,3] "
      "!quant.uniform<i8:f32,0x1p-1:3>[] -> !quant.uniform<i32:f32,0x1p-1>[4] (c, avg.zero)");
  ASSERT_LINE(&self,
              "m = stablehlo.uniform_quantize !quant.uniform<i32:f32,0x1.555556p-3>[4] -> "
              "!quant.uniform<i8:f32,0x1.99999ap-2:3>[4] (avg.sum)");
  ASSERT_LINE(&self, "constant pool.lowest !quant.uniform<i8:f32,0x1p-1:3>[] = 80");
  /* 6 in steps of 0.7, from -5: rne(3.57). */
  ASSERT_LINE(&self, "constant sum.most !quant.uniform<i8:f32,0x1.666666p-1:-5>[2,3] = all 04");
  ASSERT_LINE(&self, "soft.r = byteir.softmax axis=1 f32[2,3] -> f32[2,3] (s.float)");
  ASSERT_LINE(&self,
              "c = stablehlo.concatenate dimension=0 !quant.uniform<i8:f32,0x1p-1:3>[2,3] "
              "!quant.uniform<i8:f32,0x1p-1:3>[2,3] -> !quant.uniform<i8:f32,0x1p-1:3>[4,3] "
              "(q.quantized, a.quantized)");
  ASSERT_LINE(
      &self,
      "d = stablehlo.dot_general batch=[]x[] contract=[0]x[0] "
      "!quant.uniform<i8:f32,0x1p-1:3>[12] !quant.uniform<i8<-127:127>:f32,0x1p-4>[12,2] -> "
      "!quant.uniform<i8:f32,0x1.4p+4:1>[2] (t, k)");
  g_assert_cmpuint(self.steps.counts.float_ops, ==, 1);
  clear(&self);
}

/* A product, rescaled to steps twice as large: the first range is -64 to rne(63.5) of these. */
static void test_merged_ends(void) {
  exported_t self;
  export(&self,
         "graph ends\ninput x f32[2]\nregion r mul\n  in x !quant.uniform<i8:f32, 0.5:3>\n"
         "  in x as same !quant.uniform<i8:f32, 0.5:3>\n"
         "  out y f32[2] !quant.uniform<i8:f32, 0.5>\n"
         "  op p = stablehlo.multiply(x, same) f32[2] f32[2] -> f32[2]\n  return p\nend\n"
         "region s rescale\n  in y !quant.uniform<i8:f32, 0.5>\n"
         "  out z f32[2] !quant.uniform<i8:f32, 1.0>\nend\noutput z\n",
         QUANT_LOWERING_integer);
  ASSERT_LINE(&self,
              "z.maximum = stablehlo.maximum i64[2] i64[2] -> i64[2] "
              "(z.shift_right_arithmetic, i64.-64)");
  ASSERT_LINE(&self, "z.minimum = stablehlo.minimum i64[2] i64[2] -> i64[2] (z.maximum, i64.64)");
  /* 0.25 of a step: a shift by 2, no multiplication. */
  ASSERT_LINE(&self, "constant i64.2 i64[2] = all 0000000000000002");
  g_assert_cmpuint(self.steps.counts.multiplications, ==, 0);
  clear(&self);
}

/* ---- What stays in high precision ------------------------------------------------------------ */

static uint32_t float_ops(const char *text, quant_lowering_t lowering) {
  exported_t self;
  export(&self, text, lowering);
  uint32_t count = self.steps.counts.float_ops;
  clear(&self);
  return count;
}

#define MAXIMUM(constant)                                                          \
  "graph g\ninput x f32[2]\nregion r relu\n  in x !quant.uniform<i8:f32, 0.5:3>\n" \
  "  out y f32[2] !quant.uniform<i8:f32, 4.0>\n  constant c f32[2] = " constant    \
  "\n  op m = stablehlo.maximum(x, c) f32[2] f32[2] -> f32[2]\n  return m\nend\noutput y\n"

/* Of i8 activations and weights of n products, and a bias whose scale is theirs or a finer one. */
#define DENSE(n, bias)                                                                     \
  "graph g\ninput x f32[" n "]\ninput w f32[" n                                            \
  ",1]\ninput b f32[1]\nregion r dense\n"                                                  \
  "  in x !quant.uniform<i8:f32, 0.5:3>\n  in w !quant.uniform<i8:f32, 0.5>\n  in b " bias \
  "\n  out y f32[1] !quant.uniform<i8:f32, 1.0>\n  op d = stablehlo.dot_general(x, w) "    \
  "batch=[]x[] contract=[0]x[0] f32[" n "] f32[" n                                         \
  ",1] -> f32[1]\n  op s = stablehlo.add(d, "                                              \
  "b) f32[1] f32[1] -> f32[1]\n  return s\nend\noutput y\n"

static void test_float_ops(void) {
  /* The constant 62 is the largest number of x, 63 lies beyond it but within y. */
  g_assert_cmpuint(float_ops(MAXIMUM("[62.0, -100.0]"), QUANT_LOWERING_fixed), ==, 0);
  g_assert_cmpuint(float_ops(MAXIMUM("[63.0, 0.0]"), QUANT_LOWERING_fixed), ==, 1);
  g_assert_cmpuint(float_ops(MAXIMUM("[63.0, 0.0]"), QUANT_LOWERING_integer), ==, 1);
  g_assert_cmpuint(float_ops(MAXIMUM("[nan, 0.0]"), QUANT_LOWERING_fixed), ==, 1);
  /* A high-precision output. */
  g_assert_cmpuint(float_ops(SMALL("f32"), QUANT_LOWERING_fixed), ==, 1);
  /* 131 * 128 * 128070 < 2^31 <= 131 * 128 * 128071; i16 biases of the accumulator's scale or not,
   * which integers align, and i32 ones, which may wrap in i32 and not in i64. */
  g_assert_cmpuint(float_ops(DENSE("128070", "f32"), QUANT_LOWERING_fixed), ==, 1);
  g_assert_cmpuint(float_ops(DENSE("128071", "f32"), QUANT_LOWERING_fixed), ==, 2);
  const char *fine = DENSE("4", "!quant.uniform<i32:f32, 0.25>");
  g_assert_cmpuint(float_ops(fine, QUANT_LOWERING_fixed), ==, 1);
  g_assert_cmpuint(float_ops(fine, QUANT_LOWERING_integer), ==, 0);
  g_assert_cmpuint(float_ops(DENSE("4", "!quant.uniform<i16:f32, 0.2>"), QUANT_LOWERING_integer),
                   ==, 0);
}

/* A graph may have no quantized region. */
static void test_plain(void) {
  exported_t self;
  export(&self,
         "graph high\ninput x f32[2]\nregion r neg\n  in x\n  out y f32[2]\n"
         "  op n = stablehlo.negate(x) f32[2] -> f32[2]\n  return n\nend\noutput y\n",
         QUANT_LOWERING_fixed);
  g_assert_cmpstr(self.text->str, ==,
                  "input x f32[2]\ny = stablehlo.negate f32[2] -> f32[2] (x)\noutput y\n");
  clear(&self);
}

/* ---- The check fails ------------------------------------------------------------------------- */

/* Each spoils a copy of the fixed form of `small`: tensors x, x.quantized, two, y, y.float. */
static const char *check_spoiled(int what) {
  exported_t self;
  failure_t error = {0};
  export(&self, small_text, QUANT_LOWERING_fixed);
  quant_steps_t *steps = &self.steps;
  quant_step_t *list = arena_alloc(&self.arena, steps->step_count * sizeof *list);
  quant_step_tensor_t *tensors = arena_alloc(&self.arena, steps->tensor_count * sizeof *tensors);
  memcpy(list, steps->steps, steps->step_count * sizeof *list);
  memcpy(tensors, steps->tensors, steps->tensor_count * sizeof *tensors);
  steps->steps = list;
  steps->tensors = tensors;
  const quant_step_t first = list[0];
  switch (what) {
    case 0:
      list[0] = list[1];
      list[1] = first;
      break;
    case 1:
      list[1].results[0] = list[0].results[0];
      break;
    case 2:
      list[1].operands[0] = 99;
      break;
    case 3:
      tensors[1].name = tensors[0].name;
      break;
    case 4:
      list[1].program.results[0] = type_make(element_named("i8"), 0, NULL);
      break;
    case 5:
      list[2].operands[0] = steps->inputs[0];
      break;
    default:
      steps->outputs = steps->inputs;
      list[0].results[0] = steps->inputs[0];
      break;
  }
  g_assert_cmpint(quant_steps_check(steps, &error), ==, STATUS_INVALID);
  clear(&self);
  return g_intern_string(error.text);
}

static void test_check(void) {
  static const char *const messages[] = {
      "step 0: tensor x.quantized is used before it is defined",
      "step 1: tensor x.quantized is defined twice",
      "step 1: there is no tensor 99",
      "two tensors are called x",
      "step 1: stablehlo.add breaks C2",
      "step 2: tensor x is not of the type it is used in",
      "step 0: tensor x is defined twice",
  };
  for (int i = 0; i < (int)G_N_ELEMENTS(messages); i++) {
    g_assert_cmpstr(check_spoiled(i), ==, messages[i]);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/export/fixed", test_fixed);
  g_test_add_func("/export/float", test_float);
  g_test_add_func("/export/integer", test_integer);
  g_test_add_func("/export/accumulators", test_accumulators);
  g_test_add_func("/export/multipliers", test_multipliers);
  g_test_add_func("/export/kept_parameters", test_kept_parameters);
  g_test_add_func("/export/merged_ends", test_merged_ends);
  g_test_add_func("/export/float_ops", test_float_ops);
  g_test_add_func("/export/plain", test_plain);
  g_test_add_func("/export/check", test_check);
  return g_test_run();
}
