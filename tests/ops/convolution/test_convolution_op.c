/* SPDX-License-Identifier: Apache-2.0 */
/* The op row of stablehlo.convolution. */
#include "oracles/ops/convolution/convolution.h"
#include "tests/ops/op_checks.h"

static const draw_limits_t limits = {.rank_max = 6, .elements_max = 4096, .terms_max = 512};

static const op_t *convolution_row(void) { return check_find_op("stablehlo.convolution"); }

#define OP "stablehlo.convolution "
#define WINDOWS(strides, padding, lhs_dilation, rhs_dilation, reversal)          \
  OP "window_strides=" strides " padding=" padding " lhs_dilation=" lhs_dilation \
     " rhs_dilation=" rhs_dilation " window_reversal=" reversal " dimension_numbers="
/* Of two spatial dimensions, of one, of none. */
#define PLAIN_2 WINDOWS("[1,1]", "[[0,0],[0,0]]", "[1,1]", "[1,1]", "[false,false]")
#define PLAIN_1 WINDOWS("[1]", "[[0,0]]", "[1]", "[1]", "[false]")
#define PLAIN_0 WINDOWS("[]", "[]", "[]", "[]", "[]")
#define NHWC "[b,0,1,f]x[0,1,i,o]->[b,0,1,f]"
#define NWC "[b,0,f]x[0,i,o]->[b,0,f]"
#define NC "[b,f]x[i,o]->[b,f]"
#define GROUPS(features, batch) " feature_group_count=" features " batch_group_count=" batch " "
#define ONE GROUPS("1", "1")
#define Q8 "!quant.uniform<i8:f32,0x1p-1:3>"
#define Q8_ALONG(dim) "!quant.uniform<i8:f32:" dim ",{0x1p-1:3,0x1p+0}>"

static const violation_row_t violations[] = {
    {PLAIN_2 NHWC ONE "f32[1,4,4,1] f32[2,2,1,1] -> f32[1,3,3,1]", NULL},
    {PLAIN_2 "[b,f,0,1]x[o,i,0,1]->[b,f,0,1]" ONE "bf16[1,2,4,5] bf16[3,2,2,2] -> bf16[1,3,3,4]",
     NULL},
    {PLAIN_2 "[0,f,b,1]x[i,1,o,0]->[1,0,b,f]" ONE "f32[4,2,1,5] f32[2,3,7,2] -> f32[3,3,1,7]",
     NULL},
    {PLAIN_0 NC ONE "f64[2,3] f64[3,4] -> f64[2,4]", NULL},
    {PLAIN_0 "[f,b]x[o,i]->[b,f]" GROUPS("3", "1") "i8[6,2] i8[9,2] -> i8[2,9]", NULL},
    {PLAIN_0 NC GROUPS("1", "2") "ui4[6,2] ui4[2,4] -> ui4[3,4]", NULL},
    {PLAIN_1 NWC ONE "i1[1,2,1] i1[3,1,1] -> i1[1,0,1]", NULL},
    {PLAIN_1 NWC ONE "f32[1,0,1] f32[1,1,1] -> f32[1,0,1]", NULL},
    {PLAIN_1 NWC ONE "f32[1,2,0] f32[1,0,1] -> f32[1,2,1]", NULL},
    {PLAIN_1 NWC ONE "f32[1,2,1] f32[0,1,1] -> f32[1,3,1]", NULL},
    {WINDOWS("[2]", "[[-1,4]]", "[3]", "[2]", "[true]") NWC ONE
     "complex<f32>[1,3,2] complex<f32>[2,2,1] -> complex<f32>[1,4,1]",
     NULL},
    {WINDOWS("[1]", "[[-2,-2]]", "[1]", "[1]", "[true]") NWC ONE
     "f16[1,3,2] f16[2,2,1] -> f16[1,0,1]",
     NULL},
    /* Windows further apart than any input: one. */
    {WINDOWS("[9223372036854775807]", "[[0,9223372036854775807]]", "[1]", "[1]", "[false]") NWC ONE
     "f32[1,1,1] f32[1,1,1] -> f32[1,2,1]",
     NULL},
    {PLAIN_0 NC ONE "precision=[DEFAULT,HIGHEST] f32[2,3] f32[3,4] -> f32[2,4]", NULL},
    {PLAIN_0 NC ONE Q8 "[2,3] " Q8 "[3,4] -> " Q8 "[2,4]", NULL},
    {PLAIN_0 NC ONE Q8 "[2,3] " Q8_ALONG("1") "[3,2] -> " Q8_ALONG("1") "[2,2]", NULL},
    {PLAIN_0 NC ONE Q8 "[2,3] " Q8_ALONG("1") "[3,2] -> !quant.uniform<i32:f32,0x1p+0>[2,2]", NULL},
    {PLAIN_0 NC ONE "f32[2,3] " Q8_ALONG("1") "[3,2] -> f32[2,2]", NULL},

    {PLAIN_0 NC ONE "f32[2,3] f32[3,4,1] -> f32[2,4]", "C1"},
    {PLAIN_0 NC ONE "f32[2] f32[3] -> f32[2]", "C2"},
    {PLAIN_0 NC ONE "f32[] f32[] -> f32[]", "C2"},
    {WINDOWS("[1,1]", "[[0,0]]", "[1]", "[1]", "[false]") NWC ONE
     "f32[1,2,1] f32[1,1,1] -> f32[1,2,1]",
     "C2"},
    {WINDOWS("[0]", "[[0,0]]", "[1]", "[1]", "[false]") NWC ONE
     "f32[1,2,1] f32[1,1,1] -> f32[1,2,1]",
     "C3"},
    {WINDOWS("[-9223372036854775808]", "[[0,0]]", "[1]", "[1]", "[false]") NWC ONE
     "f32[1,2,1] f32[1,1,1] -> f32[1,2,1]",
     "C3"},
    {WINDOWS("[1]", "[]", "[1]", "[1]", "[false]") NWC ONE "f32[1,2,1] f32[1,1,1] -> f32[1,2,1]",
     "C4"},
    {WINDOWS("[1]", "[[0,0]]", "[]", "[1]", "[false]") NWC ONE
     "f32[1,2,1] f32[1,1,1] -> f32[1,2,1]",
     "C5"},
    {WINDOWS("[1]", "[[0,0]]", "[0]", "[1]", "[false]") NWC ONE
     "f32[1,2,1] f32[1,1,1] -> f32[1,2,1]",
     "C6"},
    {WINDOWS("[1]", "[[0,0]]", "[1]", "[1,1,1,1,1,1,1,1]", "[false]") NWC ONE
     "f32[1,2,1] f32[1,1,1] -> f32[1,2,1]",
     "C7"},
    {WINDOWS("[1]", "[[0,0]]", "[1]", "[-1]", "[false]") NWC ONE
     "f32[1,2,1] f32[1,1,1] -> f32[1,2,1]",
     "C8"},
    {WINDOWS("[1]", "[[0,0]]", "[1]", "[1]", "[false,true]") NWC ONE
     "f32[1,2,1] f32[1,1,1] -> f32[1,2,1]",
     "C9"},
    {PLAIN_0 NC GROUPS("1", "2") "f32[3,2] f32[2,4] -> f32[1,4]", "C10"},
    {PLAIN_0 NC GROUPS("2", "1") "f32[2,3] f32[1,4] -> f32[2,4]", "C11"},
    {PLAIN_1 "[b,f]x[0,i,o]->[b,0,f]" ONE "f32[1,2,1] f32[1,1,1] -> f32[1,2,1]", "C12"},
    {PLAIN_1 "[b,?,0,f]x[0,i,o]->[b,0,f]" ONE "f32[1,2,1] f32[1,1,1] -> f32[1,2,1]", "C13"},
    {PLAIN_1 "[b,f+0]x[0,i,o]->[b,0,f]" ONE "f32[1,2,1] f32[1,1,1] -> f32[1,2,1]", "C13"},
    {PLAIN_1 "[b+f+0]x[0,i,o]->[b,0,f]" ONE "f32[1,2,1] f32[1,1,1] -> f32[1,2,1]", "C13"},
    {PLAIN_0 NC ONE "f32[2,3] f32[2,4] -> f32[2,4]", "C14"},
    {PLAIN_0 NC GROUPS("3", "1") "f32[2,3] f32[3,3] -> f32[2,3]", "C14"},
    {PLAIN_0 NC GROUPS("1", "2") "f32[2,3] f32[3,3] -> f32[1,3]", "C15"},
    {PLAIN_0 NC GROUPS("3", "1") "f32[2,3] f32[1,4] -> f32[2,4]", "C16"},
    {PLAIN_1 "[b,0,f]x[0,i,o,1]->[b,0,f]" ONE "f32[1,2,1] f32[1,1,1] -> f32[1,2,1]", "C17"},
    {PLAIN_1 "[b,0,f]x[0,i,?,o]->[b,0,f]" ONE "f32[1,2,1] f32[1,1,1] -> f32[1,2,1]", "C18"},
    {PLAIN_1 "[b,0,f]x[0,o+i]->[b,0,f]" ONE "f32[1,2,1] f32[1,1,1] -> f32[1,2,1]", "C18"},
    {PLAIN_1 "[b,0,f]x[0,i,o]->[b,f]" ONE "f32[1,2,1] f32[1,1,1] -> f32[1,2,1]", "C19"},
    {PLAIN_1 "[b,0,f]x[0,i,o]->[?,?,?,b,0,f]" ONE "f32[1,2,1] f32[1,1,1] -> f32[1,2,1]", "C20"},
    {PLAIN_0 NC GROUPS("0", "1") "f32[2,3] f32[3,4] -> f32[2,4]", "C21"},
    {PLAIN_0 NC GROUPS("-9223372036854775808", "1") "f32[2,3] f32[3,4] -> f32[2,4]", "C21"},
    {PLAIN_0 NC GROUPS("1", "-1") "f32[2,3] f32[3,4] -> f32[2,4]", "C22"},
    {PLAIN_0 NC GROUPS("2", "2") "f32[2,4] f32[2,4] -> f32[1,4]", "C23"},
    {PLAIN_0 NC ONE "precision=[] f32[2,3] f32[3,4] -> f32[2,4]", "C24"},
    {PLAIN_0 NC ONE "precision=[HIGH] f32[2,3] f32[3,4] -> f32[2,4]", "C24"},
    {PLAIN_0 NC ONE "f32[2,3] f32[3,4] -> f32[2,3]", "C25"},
    {PLAIN_0 NC ONE "f32[2,3] f32[3,4] -> f32[1,4]", "C25"},
    {PLAIN_1 NWC ONE "f32[1,2,1] f32[1,1,1] -> f32[1,1,1]", "C25"},
    {WINDOWS("[1]", "[[9223372036854775807,9223372036854775807]]", "[1]", "[1]", "[false]") NWC ONE
     "f32[1,2,1] f32[1,1,1] -> f32[1,1,1]",
     "C25"},
    {WINDOWS("[1]", "[[0,0]]", "[9223372036854775807]", "[9223372036854775807]", "[false]") NWC ONE
     "f32[1,4096,1] f32[4096,1,1] -> f32[1,2,1]",
     "C25"},
    {PLAIN_0 NC ONE "f32[2,3] f32[3,4] -> f32[2,4,1]", "C26"},
    {PLAIN_0 NC ONE "f32[2,3] f16[3,4] -> f32[2,4]", "C27"},
    {PLAIN_0 NC ONE "i8[2,3] ui8[3,4] -> i32[2,4]", "C27"},
    {PLAIN_0 NC ONE "i8[2,3] i8[3,4] -> i32[2,4]", NULL},
    {PLAIN_0 NC ONE "f16[2,3] f16[3,4] -> f32[2,4]", NULL},
    {PLAIN_0 NC ONE "f32[2,3] f32[3,4] -> f16[2,4]", "promotion"},
    {PLAIN_0 NC ONE "i8[2,3] i8[3,4] -> f32[2,4]", "promotion"},
    {PLAIN_0 NC ONE Q8 "[2,3] f32[3,4] -> " Q8 "[2,4]", "C28"},
    {PLAIN_0 NC ONE Q8 "[2,3] " Q8 "[3,4] -> f32[2,4]", "C28"},
    {PLAIN_0 NC ONE "f32[2,3] f32[3,4] -> " Q8 "[2,4]", "C28"},
    {PLAIN_0 NC ONE Q8 "[2,2] " Q8_ALONG("0") "[2,2] -> " Q8 "[2,2]", "C29"},
    {PLAIN_0 NC ONE Q8 "[2,2] " Q8_ALONG("1") "[2,2] -> " Q8_ALONG("0") "[2,2]", "C30"},
    {PLAIN_0 NC ONE "!quant.uniform<i4:f32,0x1p-1:3>[2,2] " Q8 "[2,2] -> " Q8 "[2,2]", "C31"},
    {PLAIN_0 NC ONE "!quant.uniform<i8:f16,0x1p-1:3>[2,2] " Q8 "[2,2] -> " Q8 "[2,2]", "C32"},
    {PLAIN_0 NC ONE Q8 "[2,2] " Q8 "[2,2] -> !quant.uniform<i8:f64,0x1p-1:3>[2,2]", "C32"},
    {PLAIN_0 NC ONE Q8 "[2,2] " Q8 "[2,2] -> " Q8_ALONG("1") "[2,2]", "C33"},
    {PLAIN_0 NC ONE "f16[2,2] " Q8 "[2,2] -> f16[2,2]", "C34"},
    {PLAIN_0 NC ONE "f32[2,2] " Q8 "[2,2] -> f16[2,2]", "C34"},
    {PLAIN_0 NC ONE "f32[2,3] -> f32[2,4]", "arity"},
    {PLAIN_0 NC ONE "f32[2,3] f32[3,4] f32[] -> f32[2,4]", "arity"},
    {PLAIN_0 NC ONE Q8_ALONG("1") "[2,2] " Q8_ALONG("1") "[2,2] -> " Q8 "[2,2]", "types"},
};

static void test_violations(void) {
  check_violations(convolution_row(), violations, G_N_ELEMENTS(violations), NULL);
}

static void test_hostile(void) { check_hostile(violations, G_N_ELEMENTS(violations), 20000); }

/* What a run of drawn programs has to show at least once. */
typedef struct coverage {
  uint64_t elements;
  uint32_t ranks;
  size_t programs;
  size_t empty;
  size_t per_axis;
  size_t per_tensor;
  size_t hybrid;
  size_t feature_groups;
  size_t batch_groups;
  size_t negative_padding;
  size_t lhs_dilation;
  size_t rhs_dilation;
  size_t strides;
  size_t reversal;
  size_t no_terms;
  size_t no_window;
} coverage_t;

static void visit_axes(const program_t *program, coverage_t *coverage) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  for (uint32_t d = 0; d < attributes->kernel.spatial.count; d++) {
    convolution_axis_t axis = convolution_axis(program, d);
    coverage->negative_padding += axis.padding.low < 0 || axis.padding.high < 0;
    coverage->lhs_dilation += axis.lhs_dilation > 1;
    coverage->rhs_dilation += axis.rhs_dilation > 1;
    coverage->strides += axis.stride > 1;
    coverage->reversal += axis.is_reversed;
    coverage->no_window += convolution_window_count(&axis) == 0;
  }
}

static void visit_drawn(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  coverage_t *coverage = state;
  const convolution_attributes_t *attributes = convolution_attributes(program);
  const type_t *lhs = &program->operands[CONVOLUTION_LHS];
  const type_t *rhs = &program->operands[CONVOLUTION_RHS];
  size_t outputs = type_element_count(&program->results[0]);
  size_t channels = (size_t)rhs->dims[attributes->kernel.batch];
  if (channels > 0) {
    g_assert_cmpuint(type_element_count(rhs) / channels, <=, (size_t)limits.terms_max);
  }
  coverage->programs++;
  coverage->empty += outputs == 0;
  coverage->no_terms += outputs > 0 && type_element_count(rhs) == 0;
  coverage->ranks |= 1u << lhs->rank;
  coverage->feature_groups += attributes->feature_group_count > 1;
  coverage->batch_groups += attributes->batch_group_count > 1;
  coverage->hybrid += rhs->quantization != NULL && lhs->quantization == NULL;
  coverage->per_axis += rhs->quantization != NULL && rhs->quantization->axis >= 0;
  coverage->per_tensor += rhs->quantization != NULL && rhs->quantization->axis < 0;
  if (rhs->quantization == NULL) {
    coverage->elements |= (uint64_t)1 << (lhs->element - element_table);
  }
  visit_axes(program, coverage);
}

static void test_drawn(void) {
  coverage_t coverage = {0};
  check_drawn(convolution_row(), &limits, 5000, visit_drawn, &coverage);
  g_test_message("%zu programs: %zu empty, %zu without terms, %zu dimensions without windows",
                 coverage.programs, coverage.empty, coverage.no_terms, coverage.no_window);
  g_assert_cmpuint(coverage.ranks, ==, 0x7c);
  g_assert_cmpuint(coverage.empty, <, coverage.programs / 5);
  size_t counts[] = {coverage.empty,
                     coverage.per_axis,
                     coverage.per_tensor,
                     coverage.hybrid,
                     coverage.feature_groups,
                     coverage.batch_groups,
                     coverage.negative_padding,
                     coverage.lhs_dilation,
                     coverage.rhs_dilation,
                     coverage.strides,
                     coverage.reversal,
                     coverage.no_terms,
                     coverage.no_window};
  for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) g_assert_cmpuint(counts[i], >, 20);
  for (size_t i = 0; i < element_count; i++) {
    if (!element_table[i].is_tensor_element) continue;
    if ((coverage.elements >> i & 1) == 0) g_error("no %s was drawn", element_table[i].name);
  }
}

static void test_text(void) {
  static const char line[] =
      WINDOWS("[2,1]", "[[0,-1],[1,2]]", "[1,3]", "[1,2]", "[false,true]") "[b,f,0,1]x[o,i,0,1]->"
      "[b,f,0,1]" GROUPS("2", "1") "precision=[DEFAULT,HIGHEST] "
      "f32[1,4,5,5] f32[2,2,2,2] -> f32[1,2,2,14]";
  const op_t *op = convolution_row();
  g_autofree char *mlir = check_text(line, op->print_mlir);
  static const char expected[] =
      "    %0 = \"stablehlo.convolution\"(%arg0, %arg1) <{window_strides = array<i64: 2, 1>, "
      "padding = dense<[[0, -1], [1, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 3>, "
      "rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, "
      "dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, "
      "feature_group_count = 2 : i64, batch_group_count = 1 : i64, "
      "precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}>";
  if (strstr(mlir, expected) == NULL) g_error("%s", mlir);
  g_autofree char *words = check_text(line, program_print_words);
  g_assert_cmpstr(words, ==,
                  "slides windows of 2x2 over 5x5, from 4 features to 2, for a batch of 1, in 2 "
                  "groups of features, in f32");
  g_autofree char *algorithm = check_text(line, op->print_algorithm);
  g_assert_cmpstr(algorithm, ==, "precision=DEFAULT,HIGHEST");
}

static void test_raw_text(void) {
  const op_t *op = convolution_row();
  g_autofree char *mlir =
      check_text(PLAIN_1 "[b,?,0,f]x[0,i,o]->[b,f+0]" ONE "f32[1,2,1] f32[1,1,1] -> f32[1,2,1]",
                 op->print_mlir);
  static const char expected[] =
      "#stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, "
      "input_spatial_dimensions = [2], kernel_input_feature_dimension = 1, "
      "kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], "
      "output_batch_dimension = 0, output_feature_dimension = 1, output_spatial_dimensions = [1]>";
  if (strstr(mlir, expected) == NULL) g_error("%s", mlir);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/convolution_op/violations", test_violations);
  g_test_add_func("/convolution_op/hostile", test_hostile);
  g_test_add_func("/convolution_op/drawn", test_drawn);
  g_test_add_func("/convolution_op/text", test_text);
  g_test_add_func("/convolution_op/raw_text", test_raw_text);
  return g_test_run();
}
