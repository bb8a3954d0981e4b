/* SPDX-License-Identifier: Apache-2.0 */
/* The helpers of backend authors read what case lines spell, and nothing else. */
#include <glib.h>

#include "harness/exec/assay_kernel.h"
#include "harness/exec/executor_products.h"
#include "harness/exec/executor_quantized.h"

static const int64_t MATRIX[] = {4, 8}, TALL[] = {8, 3}, PRODUCT[] = {4, 3};

/* A program of one attribute, or two. */
typedef struct sample {
  assay_attribute_t attributes[2];
  assay_type_t operands[2];
  assay_type_t result;
  assay_program_t program;
} sample_t;

static const assay_program_t *sample_with(sample_t *sample, const char *key, const char *value) {
  *sample = (sample_t){
      .attributes = {{key, value}},
      .operands = {{"f32", MATRIX, 2}, {"f32", TALL, 2}},
      .result = {"f32", PRODUCT, 2},
      .program = {.operand_count = 2, .result_count = 1, .attribute_count = 1},
  };
  sample->program.operands = sample->operands;
  sample->program.results = &sample->result;
  sample->program.attributes = sample->attributes;
  return &sample->program;
}

static const assay_program_t *dot_with(sample_t *sample, const char *batch, const char *contract) {
  sample_with(sample, "batch", batch);
  sample->attributes[1] = (assay_attribute_t){"contract", contract};
  sample->program.attribute_count = 2;
  return &sample->program;
}

static void test_numbers(void) {
  sample_t sample;
  int64_t integer = 0;
  double number = 0;
  bool flag = true;
  g_assert_true(assay_attribute_integer(sample_with(&sample, "axis", "-1"), "axis", &integer));
  g_assert_cmpint(integer, ==, -1);
  g_assert_false(assay_attribute_integer(&sample.program, "axes", &integer));
  g_assert_false(assay_attribute_integer(sample_with(&sample, "axis", "[1]"), "axis", &integer));
  g_assert_false(assay_attribute_integer(sample_with(&sample, "axis", ""), "axis", &integer));
  g_assert_false(assay_attribute_integer(sample_with(&sample, "axis", "1x"), "axis", &integer));
  const assay_program_t *program = sample_with(&sample, "epsilon", "0x1.4f8b588e368f1p-17");
  g_assert_true(assay_attribute_number(program, "epsilon", &number));
  g_assert_cmpfloat(number, ==, 1e-5);
  g_assert_false(assay_attribute_number(sample_with(&sample, "epsilon", "x"), "epsilon", &number));
  program = sample_with(&sample, "sorted", "false");
  g_assert_true(assay_attribute_boolean(program, "sorted", &flag));
  g_assert_false(flag);
  g_assert_false(assay_attribute_boolean(sample_with(&sample, "sorted", "0"), "sorted", &flag));
}

static void test_lists(void) {
  sample_t sample;
  assay_dims_t list, second;
  bool flags[2];
  g_assert_true(assay_attribute_dims(sample_with(&sample, "dims", "[]"), "dims", &list));
  g_assert_cmpuint(list.count, ==, 0);
  g_assert_true(assay_attribute_dims(sample_with(&sample, "dims", "[2,-1]"), "dims", &list));
  g_assert_cmpuint(list.count, ==, 2);
  g_assert_cmpint(list.dims[1], ==, -1);
  static const char *const wrong[] = {"",        "[", "[1",   "[1,", "[,1]",
                                      "[1]x[0]", "1", "[1]]", "[a]", "[1,2,3,4,5,6,7,8,9]"};
  for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_test_message("%s", wrong[i]);
    g_assert_false(assay_attribute_dims(sample_with(&sample, "dims", wrong[i]), "dims", &list));
  }
  const assay_program_t *program = sample_with(&sample, "padding", "[[0,1],[-1,2]]");
  g_assert_true(assay_attribute_pairs(program, "padding", &list, &second));
  g_assert_cmpuint(second.count, ==, 2);
  g_assert_cmpint(list.dims[1], ==, -1);
  g_assert_cmpint(second.dims[1], ==, 2);
  static const char *const no_pairs[] = {"[[0,1,2]]", "[[0]]", "[0,1]", "[[0,1]", "[[0,1][0,1]]"};
  for (size_t i = 0; i < G_N_ELEMENTS(no_pairs); i++) {
    program = sample_with(&sample, "padding", no_pairs[i]);
    g_assert_false(assay_attribute_pairs(program, "padding", &list, &second));
  }
  program = sample_with(&sample, "window_reversal", "[false,true]");
  g_assert_true(assay_attribute_booleans(program, "window_reversal", 2, flags));
  g_assert_true(!flags[0] && flags[1]);
  g_assert_false(assay_attribute_booleans(program, "window_reversal", 1, flags));
}

static void test_dot(void) {
  sample_t sample;
  assay_dot_dims_t dims;
  g_assert_null(assay_dot_read(dot_with(&sample, "[]x[]", "[1]x[0]"), &dims));
  g_assert_true(assay_dims_are(&dims.lhs_contract, 1) && assay_dims_are(&dims.rhs_contract, 0));
  g_assert_true(assay_dims_are(&dims.lhs_rest, 0) && assay_dims_are(&dims.rhs_rest, 1));
  g_assert_true(assay_dot_is_matmul(&sample.program));
  static const struct {
    const char *batch, *contract, *broken;
  } rows[] = {{"[]x[]", "[1]x[1]", "C10"},   {"[]x[]", "[1]x[]", "C2"},
              {"[0]x[]", "[1]x[0]", "C1"},   {"[]x[]", "[2]x[0]", "C3"},
              {"[]x[]", "[1]x[-1]", "C4"},   {"[0]x[1]", "[1]x[0]", "C9"},
              {"[]x[]", "[1]", "attributes"}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const char *broken = assay_dot_read(dot_with(&sample, rows[i].batch, rows[i].contract), &dims);
    g_assert_nonnull(broken);
    g_test_message("%s", broken);
    g_assert_true(g_str_has_prefix(broken, rows[i].broken));
    g_assert_false(assay_dot_is_matmul(&sample.program));
  }
  assay_dot_algorithm_t algorithm;
  g_assert_false(assay_dot_read_algorithm(&sample.program, &algorithm));
  const assay_program_t *program = sample_with(&sample, "algorithm", "[bf16,tf32,f32,1,2,3,true]");
  g_assert_true(assay_dot_read_algorithm(program, &algorithm));
  g_assert_cmpstr(algorithm.rhs_precision, ==, "tf32");
  g_assert_cmpint(algorithm.rhs_components, ==, 2);
  g_assert_cmpint(algorithm.primitive_operations, ==, 3);
  g_assert_true(algorithm.allow_imprecise_accumulation);
  program = sample_with(&sample, "algorithm", "[bf16,tf32,f32,1,2,true]");
  g_assert_false(assay_dot_read_algorithm(program, &algorithm));
}

static void test_convolution(void) {
  sample_t sample;
  assay_convolution_dims_t dims;
  const assay_program_t *program =
      sample_with(&sample, "dimension_numbers", "[b,0,1,f]x[0,1,i,o]->[f,b,1,0]");
  g_assert_true(assay_convolution_read(program, 4, &dims));
  g_assert_cmpuint(dims.lhs[1], ==, 3);
  g_assert_cmpuint(dims.rhs[0], ==, 2);
  g_assert_cmpuint(dims.result[0], ==, 1);
  g_assert_cmpuint(dims.result[2], ==, 3);
  g_assert_false(assay_convolution_read(program, 3, &dims));
  g_assert_false(assay_convolution_read(program, 9, &dims));
  program = sample_with(&sample, "dimension_numbers", "[b,0,0,f]x[0,1,i,o]->[f,b,1,0]");
  g_assert_false(assay_convolution_read(program, 4, &dims));
}

static void test_types(void) {
  const int64_t huge[] = {INT64_MAX, 2, 0};
  const assay_type_t overflows = {"f32", huge, 2}, empty = {"f32", huge, 3}, one = {"f32", NULL, 0};
  g_assert_cmpuint(assay_type_count(&overflows), ==, INT64_MAX);
  g_assert_cmpuint(assay_type_count(&empty), ==, 0);
  g_assert_cmpuint(assay_type_count(&one), ==, 1);
  assay_quantization_t quantization;
  assay_type_t type = {"!quant.uniform<i8<-127:127>:f32:1,{0x1p-1:3,0x1p+0}>", MATRIX, 2};
  g_assert_true(assay_read_quantization(&type, &quantization));
  g_assert_cmpstr(quantization.storage, ==, "i8");
  g_assert_cmpint(quantization.minimum, ==, -127);
  g_assert_cmpint(quantization.axis, ==, 1);
  double scale = 0;
  int64_t zero_point = 0;
  g_assert_true(assay_next_scale(&quantization.scales, &scale, &zero_point));
  g_assert_true(scale == 0.5 && zero_point == 3);
  g_assert_true(assay_next_scale(&quantization.scales, &scale, &zero_point));
  g_assert_true(scale == 1 && zero_point == 0);
  g_assert_false(assay_next_scale(&quantization.scales, &scale, &zero_point));
  type.element = "i8";
  g_assert_false(assay_read_quantization(&type, &quantization));
}

/* Whether lists are those of a product of i8 by i8 with scales by channel, into i8. */
static void test_quantized_types(const assay_program_t *like) {
  static const struct {
    const char *types;
    bool fits;
  } rows[] = {
      {"quant<i8:f32>,quant<i8:f32:axis>->quant<i8:f32>", true},
      {"quant<i8:f32> quant<i8:f32:axis> -> quant<i8:f32>", true},
      {"quant<i8:f32> quant<i8:f32:axis> -> !quant.uniform<i8:f32,0x1p+0>", true},
      {"quant<i8:f32>,quant<i8:f32>->quant<i8:f32>", false},
      {"quant<i8:f32>,quant<i8:f32:axis>->quant<i8:f16>", false},
      {"quant<ui8:f32>,quant<i8:f32:axis>->quant<i8:f32>", false},
      {"quant<i8:f32>,quant<i8:f32:axis>->!quant.uniform<i8:f32,0x1p+1>", false},
      {"i8,i8->i8", false},
  };
  const assay_type_t operands[] = {{.element = "!quant.uniform<i8<-127:127>:f32,0x1p-1:3>"},
                                   {.element = "!quant.uniform<i8:f32:1,{0x1p-1,0x1p+0:1}>"}};
  const assay_type_t result = {.element = "!quant.uniform<i8:f32,0x1p+0>"};
  assay_program_t program = *like;
  program.operands = operands;
  program.results = &result;
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_test_message("%s", rows[i].types);
    g_assert_cmpint(assay_kernel_has_types(&program, rows[i].types) != 0, ==, rows[i].fits);
  }
}

/* A list of a kernel's types, and whether it is those of a product of f32. */
static void test_types_of_kernels(void) {
  static const struct {
    const char *types;
    bool fits;
  } rows[] = {
      {"f32 f32 -> f32", true},   {"f32, f32 -> f32", true},  {"f32 f32 -> f16", false},
      {"f32 -> f32", false},      {"f32,f32 -> f32", true},   {"f32 f32 f32 -> f32", false},
      {"f32, f16 -> f32", false}, {"f32 f32 -> f321", false}, {"", false},
      {"f32,f32->f32", true},     {"f32,f32->f16", false},    {"f32f32->f32", false},
      {"f32,f32->", false},       {"f32,f321->f32", false},   {"f32,f32,f32", false},
  };
  sample_t sample;
  const assay_program_t *program = sample_with(&sample, "batch", "[]x[]");
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_test_message("%s", rows[i].types);
    g_assert_cmpint(assay_kernel_has_types(program, rows[i].types) != 0, ==, rows[i].fits);
  }
  test_quantized_types(program);
  g_assert_null(assay_kernel_strange_key(program, "contract, batch"));
  g_assert_null(assay_kernel_strange_key(program, "contract,batch"));
  g_assert_cmpstr(assay_kernel_strange_key(program, "contract, batches"), ==, "batch");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/executor-helpers/numbers", test_numbers);
  g_test_add_func("/executor-helpers/lists", test_lists);
  g_test_add_func("/executor-helpers/dot", test_dot);
  g_test_add_func("/executor-helpers/convolution", test_convolution);
  g_test_add_func("/executor-helpers/types", test_types);
  g_test_add_func("/executor-helpers/types-of-kernels", test_types_of_kernels);
  return g_test_run();
}
