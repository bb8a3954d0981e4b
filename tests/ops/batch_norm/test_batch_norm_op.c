/* SPDX-License-Identifier: Apache-2.0 */
/* The op rows of stablehlo.batch_norm_training and stablehlo.batch_norm_grad. */
#include <math.h>

#include "oracles/ops/batch_norm/batch_norm.h"
#include "tests/ops/op_checks.h"

static const draw_limits_t limits = {.rank_max = 5, .elements_max = 4096, .terms_max = 512};

static const op_t *training_row(void) { return check_find_op("stablehlo.batch_norm_training"); }
static const op_t *grad_row(void) { return check_find_op("stablehlo.batch_norm_grad"); }

#define TRAINING "stablehlo.batch_norm_training epsilon=0x1p-10 feature_index=1 "
#define TRAINING_AT(index) "stablehlo.batch_norm_training epsilon=0x0p+0 feature_index=" index " "
#define GRAD "stablehlo.batch_norm_grad epsilon=0x1p-10 feature_index=1 "
#define GRAD_AT(index) "stablehlo.batch_norm_grad epsilon=0x0p+0 feature_index=" index " "
#define QUANTUM "!quant.uniform<i8:f32,0x1p+0>"

static const violation_row_t training_rows[] = {
    {TRAINING "f32[2,3] f32[3] f32[3] -> f32[2,3] f32[3] f32[3]", NULL},
    {TRAINING "f64[0,3,2] f64[3] f64[3] -> f64[0,3,2] f64[3] f64[3]", NULL},
    {TRAINING "f16[2,0] f16[0] f16[0] -> f16[2,0] f16[0] f16[0]", NULL},
    {TRAINING "f8E5M2[2,3] f8E5M2[3] f8E5M2[3] -> f8E5M2[2,3] f8E5M2[3] f8E5M2[3]", NULL},
    {TRAINING_AT("0") "bf16[5] bf16[5] bf16[5] -> bf16[5] bf16[5] bf16[5]", NULL},
    {TRAINING_AT("7") "f32[1,1,1,1,1,1,1,2] f32[2] f32[2] -> f32[1,1,1,1,1,1,1,2] f32[2] f32[2]",
     NULL},
    {"stablehlo.batch_norm_training epsilon=-0x0p+0 feature_index=0 "
     "f32[1] f32[1] f32[1] -> f32[1] f32[1] f32[1]",
     NULL},
    {"stablehlo.batch_norm_training epsilon=-0x1.fffffep+127 feature_index=0 "
     "f32[1] f32[1] f32[1] -> f32[1] f32[1] f32[1]",
     NULL},
    {"stablehlo.batch_norm_training epsilon=0x1p-149 feature_index=0 "
     "f64[1] f64[1] f64[1] -> f64[1] f64[1] f64[1]",
     NULL},

    {TRAINING "-> f32[2,3] f32[3] f32[3]", "count"},
    {TRAINING "f32[2,3] f32[3] -> f32[2,3] f32[3] f32[3]", "count"},
    {TRAINING "f32[2,3] f32[3] f32[3] f32[3] -> f32[2,3] f32[3] f32[3]", "count"},
    {TRAINING "f32[2,3] f32[3] f32[3] -> f32[2,3]", "count"},
    {TRAINING "f32[2,3] f32[3] f32[3] -> f32[2,3] f32[3] f32[3] f32[3]", "count"},
    {TRAINING "i32[2,3] i32[3] i32[3] -> i32[2,3] i32[3] i32[3]", "types"},
    {TRAINING "complex<f32>[2,3] f32[3] f32[3] -> complex<f32>[2,3] f32[3] f32[3]", "types"},
    {TRAINING QUANTUM "[2,3] f32[3] f32[3] -> " QUANTUM "[2,3] f32[3] f32[3]", "C2"},
    {TRAINING "f32[2,3] f32[3] " QUANTUM "[3] -> f32[2,3] f32[3] f32[3]", "C2"},
    {TRAINING QUANTUM "[2,3] " QUANTUM "[3] " QUANTUM "[3] -> " QUANTUM "[2,3] " QUANTUM
                      "[3] " QUANTUM "[3]",
     NULL},
    {TRAINING "f32[2,3] f32[3] f32[3] -> f32[2,3] f32[3] i1[3]", "types"},
    {TRAINING "f32[2,3] f32[] f32[] -> f32[2,3] f32[3] f32[3]", "types"},
    {TRAINING "f32[2,3] f32[3] f32[1,3] -> f32[2,3] f32[3] f32[3]", "types"},
    {TRAINING "f32[2,3] f32[3] f32[3] -> f32[2,3] f32[3,1] f32[3]", "types"},
    {TRAINING "f32[2,3] f32[3] f32[3] -> f32[2,3] f32[3] f32[]", "types"},
    {"stablehlo.batch_norm_training epsilon=0x1.0000001p+0 feature_index=0 "
     "f64[1] f64[1] f64[1] -> f64[1] f64[1] f64[1]",
     "epsilon"},
    {"stablehlo.batch_norm_training epsilon=0x1p+128 feature_index=0 "
     "f64[1] f64[1] f64[1] -> f64[1] f64[1] f64[1]",
     "epsilon"},
    {"stablehlo.batch_norm_training epsilon=-0x1p-150 feature_index=0 "
     "f64[1] f64[1] f64[1] -> f64[1] f64[1] f64[1]",
     "epsilon"},
    {TRAINING_AT("-1") "f32[3] f32[3] f32[3] -> f32[3] f32[3] f32[3]", "C1"},
    {TRAINING_AT("1") "f32[3] f32[3] f32[3] -> f32[3] f32[3] f32[3]", "C1"},
    {TRAINING_AT("0") "f32[] f32[1] f32[1] -> f32[] f32[1] f32[1]", "C1"},
    {TRAINING_AT("4294967296") "f32[3] f32[3] f32[3] -> f32[3] f32[3] f32[3]", "C1"},
    {TRAINING_AT("9223372036854775807") "f32[3] f32[3] f32[3] -> f32[3] f32[3] f32[3]", "C1"},
    {TRAINING_AT("-9223372036854775808") "f32[3] f32[3] f32[3] -> f32[3] f32[3] f32[3]", "C1"},
    {TRAINING "f32[2,3] f16[3] f32[3] -> f32[2,3] f32[3] f32[3]", "C2"},
    {TRAINING "f32[2,3] f32[3] f64[3] -> f32[2,3] f32[3] f32[3]", "C2"},
    {TRAINING "f16[2,3] f16[3] f16[3] -> f16[2,3] f32[3] f32[3]", "C2"},
    {TRAINING "f32[2,3] f32[3] f32[3] -> f16[2,3] f32[3] f32[3]", "C2"},
    {TRAINING "f32[2,3] f32[2] f32[3] -> f32[2,3] f32[3] f32[3]", "C3"},
    {TRAINING "f32[2,3] f32[3] f32[4] -> f32[2,3] f32[3] f32[3]", "C4"},
    {TRAINING "f32[2,3] f32[3] f32[3] -> f32[2,3] f32[2] f32[3]", "C5"},
    {TRAINING "f32[2,3] f32[3] f32[3] -> f32[2,3] f32[3] f32[0]", "C6"},
    {TRAINING "f32[2,3] f32[3] f32[3] -> f32[3,2] f32[3] f32[3]", "C7"},
    {TRAINING "f32[2,3] f32[3] f32[3] -> f32[2,3,1] f32[3] f32[3]", "C7"},
};

static const violation_row_t grad_rows[] = {
    {GRAD "f32[2,3] f32[3] f32[3] f32[3] f32[2,3] -> f32[2,3] f32[3] f32[3]", NULL},
    {GRAD "f16[0,3] f16[3] f16[3] f16[3] f16[0,3] -> f16[0,3] f16[3] f16[3]", NULL},
    {GRAD_AT("0") "f64[2] f64[2] f64[2] f64[2] f64[2] -> f64[2] f64[2] f64[2]", NULL},

    {GRAD "f32[2,3] f32[3] f32[3] -> f32[2,3] f32[3] f32[3]", "count"},
    {GRAD "f32[2,3] f32[3] f32[3] f32[3] f32[2,3] -> f32[2,3]", "count"},
    {GRAD "f32[2,3] f32[3] f32[3] f32[3] i8[2,3] -> f32[2,3] f32[3] f32[3]", "types"},
    {GRAD "f32[2,3] f32[3] f32[1,3] f32[3] f32[2,3] -> f32[2,3] f32[3] f32[3]", "types"},
    {GRAD "f32[2,3] f32[3] f32[3] f32[3] f32[2,3] -> f32[2,3] f32[] f32[3]", "types"},
    {GRAD "f32[2,3] f32[3] f32[3] f32[3] " QUANTUM "[2,3] -> f32[2,3] f32[3] f32[3]", "C2"},
    {GRAD QUANTUM "[2,3] " QUANTUM "[3] " QUANTUM "[3] " QUANTUM "[3] " QUANTUM "[2,3] -> " QUANTUM
                  "[2,3] " QUANTUM "[3] " QUANTUM "[3]",
     NULL},
    {"stablehlo.batch_norm_grad epsilon=0x1.000001p+0 feature_index=1 "
     "f32[2,3] f32[3] f32[3] f32[3] f32[2,3] -> f32[2,3] f32[3] f32[3]",
     "epsilon"},
    {GRAD_AT("2") "f32[2,3] f32[3] f32[3] f32[3] f32[2,3] -> f32[2,3] f32[3] f32[3]", "C1"},
    {GRAD_AT("-1") "f32[2,3] f32[3] f32[3] f32[3] f32[2,3] -> f32[2,3] f32[3] f32[3]", "C1"},
    {GRAD "f32[2,3] f32[3] f32[3] bf16[3] f32[2,3] -> f32[2,3] f32[3] f32[3]", "C2"},
    {GRAD "f32[2,3] f32[3] f32[3] f32[3] f64[2,3] -> f32[2,3] f32[3] f32[3]", "C2"},
    {GRAD "f32[2,3] f32[3] f32[3] f32[3] f32[2,3] -> f32[2,3] f32[3] f64[3]", "C2"},
    {GRAD "f32[2,3] f32[3] f32[3] f32[3] f32[3,2] -> f32[2,3] f32[3] f32[3]", "C3"},
    {GRAD "f32[2,3] f32[3] f32[3] f32[3] f32[2,3] -> f32[2] f32[3] f32[3]", "C3"},
    {GRAD "f32[2,3] f32[3] f32[2] f32[3] f32[2,3] -> f32[2,3] f32[3] f32[3]", "C4"},
    {GRAD "f32[2,3] f32[3] f32[3] f32[4] f32[2,3] -> f32[2,3] f32[3] f32[3]", "C4"},
    {GRAD "f32[2,3] f32[3] f32[3] f32[3] f32[2,3] -> f32[2,3] f32[2] f32[3]", "C4"},
    {GRAD "f32[2,3] f32[3] f32[3] f32[3] f32[2,3] -> f32[2,3] f32[3] f32[2]", "C4"},
    {GRAD "f32[2,3] f32[2] f32[2] f32[2] f32[2,3] -> f32[2,3] f32[2] f32[2]", "C5"},
};

static void test_violations(void) {
  check_violations(training_row(), training_rows, G_N_ELEMENTS(training_rows), NULL);
  check_violations(grad_row(), grad_rows, G_N_ELEMENTS(grad_rows), NULL);
}

static void test_hostile(void) {
  check_hostile(training_rows, G_N_ELEMENTS(training_rows), 30000);
  check_hostile(grad_rows, G_N_ELEMENTS(grad_rows), 30000);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

typedef struct coverage {
  size_t quantized;
  uint64_t elements;        /* Bit mask over element_table. */
  uint32_t ranks, features; /* Bit masks. */
  size_t zero_epsilons, negative_epsilons, short_epsilons, others;
  bool has_no_term, has_no_channel, has_one_term, has_equal_sizes;
} coverage_t;

static bool is_computed(const element_t *element) {
  static const char *const names[] = {"f16", "bf16", "f32", "f64"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    if (strcmp(element->name, names[i]) == 0) return true;
  }
  return false;
}

static void visit_drawn(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  coverage_t *coverage = state;
  const batch_norm_attributes_t *attributes = batch_norm_attributes(program);
  const type_t *operand = &program->operands[0];
  int64_t channels = operand->dims[attributes->feature_index];
  dimension_list_t terms = batch_norm_terms(program);
  size_t term_count = dimension_list_extent(&terms, operand);
  coverage->quantized += operand->quantization != NULL;
  if (operand->quantization == NULL) {
    coverage->elements |= UINT64_C(1) << (operand->element - element_table);
    coverage->others += is_computed(operand->element) ? 0 : 1;
    double rounded = format_round_double(operand->element->format, attributes->epsilon);
    coverage->short_epsilons += rounded != attributes->epsilon;
  }
  coverage->ranks |= 1u << operand->rank;
  coverage->features |= 1u << attributes->feature_index;
  coverage->zero_epsilons += attributes->epsilon == 0;
  coverage->negative_epsilons += signbit(attributes->epsilon) != 0;
  coverage->has_no_term |= term_count == 0;
  coverage->has_no_channel |= channels == 0;
  coverage->has_one_term |= term_count == 1 && operand->rank > 1;
  coverage->has_equal_sizes |= channels > 1 && operand->dims[operand->rank - 1] == channels &&
                               attributes->feature_index + 1 < operand->rank;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    uint32_t expected = batch_norm_is_whole(program, i) ? dimension_list_mask(&terms) : 0;
    g_assert_cmphex(program->op->reduced_dimensions(program, i), ==, expected);
  }
}

static void check_coverage(const op_t *op) {
  enum { COUNT = 4000 };
  coverage_t coverage = {0};
  check_drawn(op, &limits, COUNT, visit_drawn, &coverage);
  for (size_t i = 0; i < element_count; i++) {
    bool is_float = element_table[i].kind == ELEMENT_FLOAT && element_table[i].is_tensor_element;
    bool is_sure = is_computed(&element_table[i]);
    bool is_drawn = (coverage.elements >> i & 1) != 0;
    g_assert_true(is_drawn ? is_float : !is_sure);
  }
  g_assert_cmpuint(coverage.quantized, >, COUNT / 12);
  g_assert_cmpuint(coverage.others, >, 0);
  g_assert_cmpuint(coverage.others, <, COUNT / 25);
  g_assert_cmphex(coverage.ranks, ==, 0x3e);
  g_assert_cmphex(coverage.features, ==, 0x1f);
  g_assert_cmpuint(coverage.zero_epsilons, >, COUNT / 20);
  g_assert_cmpuint(coverage.negative_epsilons, >, COUNT / 50);
  g_assert_cmpuint(coverage.short_epsilons, >, COUNT / 10);
  g_assert_true(coverage.has_no_term && coverage.has_no_channel && coverage.has_one_term);
  g_assert_true(coverage.has_equal_sizes);
}

static void test_drawn(void) {
  check_coverage(training_row());
  check_coverage(grad_row());
}

static void visit_nothing(const program_t *program, arena_t *arena, void *state) {
  (void)program;
  (void)arena;
  (void)state;
}

static void test_tight_limits(void) {
  const draw_limits_t tight[] = {{1, 1, 1, DRAW_SIZES_SMALL},
                                 {8, 1, 1, DRAW_SIZES_SMALL},
                                 {1, 2, 1, DRAW_SIZES_SMALL},
                                 {8, 256, 2, DRAW_SIZES_SMALL}};
  for (size_t i = 0; i < G_N_ELEMENTS(tight); i++) {
    check_drawn(training_row(), &tight[i], 500, visit_nothing, NULL);
    check_drawn(grad_row(), &tight[i], 500, visit_nothing, NULL);
  }
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void test_mlir(void) {
  g_autofree char *training = check_text(
      TRAINING "f32[2,3] f32[3] f32[3] -> f32[2,3] f32[3] f32[3]", training_row()->print_mlir);
  g_assert_cmpstr(
      training, ==,
      "module {\n"
      "  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> "
      "(tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {\n"
      "    %0:3 = \"stablehlo.batch_norm_training\"(%arg0, %arg1, %arg2) <{epsilon = 0x3A800000 : "
      "f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> "
      "(tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)\n"
      "    return %0#0, %0#1, %0#2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>\n"
      "  }\n}\n");
  g_autofree char *grad = check_text(
      "stablehlo.batch_norm_grad epsilon=-0x0p+0 feature_index=0 f64[2] f64[2] f64[2] f64[2] "
      "f64[2] -> f64[2] f64[2] f64[2]",
      grad_row()->print_mlir);
  g_assert_nonnull(strstr(grad,
                          "\"stablehlo.batch_norm_grad\"(%arg0, %arg1, %arg2, %arg3, "
                          "%arg4) <{epsilon = 0x80000000 : f32, feature_index = 0 : i64}>"));
  g_autofree char *broken = check_text(
      "stablehlo.batch_norm_training epsilon=0x1p+128 feature_index=0 f64[1] f64[1] "
      "f64[1] -> f64[1] f64[1] f64[1]",
      training_row()->print_mlir);
  g_assert_nonnull(strstr(broken, "epsilon = 0x47F0000000000000 : f64,"));
}

static void test_words(void) {
  g_autofree char *words = check_text(TRAINING
                                      "f32[2,3,5] f32[3] f32[3] -> f32[2,3,5] f32[3] "
                                      "f32[3]",
                                      program_print_words);
  g_assert_nonnull(strstr(words, "channels along dimension 1: 3 of 10 terms each"));
  g_autofree char *broken =
      check_text(TRAINING "f32[2] f32[3] f32[3] -> f32[2] f32[3] f32[3]", program_print_words);
  g_assert_nonnull(strstr(broken, "breaks C1"));
}

/* ---- Axes ------------------------------------------------------------------------------------ */

/* With dimensions 0 and 2 swapped, and the channels last. */
static void test_axes(void) {
  arena_t arena;
  arena_init(&arena);
  const char *violation = NULL;
  program_t program =
      check_parse(GRAD "f32[2,3,5] f32[3] f32[3] f32[3] f32[2,3,5] -> f32[2,3,5] f32[3] f32[3]",
                  &arena, &violation);
  axes_t axes;
  g_assert_true(axes_of(&program, &axes));
  g_assert_cmpuint(axes.count, ==, 3);
  for (uint32_t i = 0; i < axes.count; i++) {
    g_assert_cmpint(axes.items[i].role, ==, i == 1 ? AXIS_BATCH : AXIS_TERM);
  }
  g_assert_cmpuint(axes.operands[BATCH_NORM_GRAD_MEAN].count, ==, 1);
  g_assert_cmpuint(axes.operands[BATCH_NORM_GRAD_MEAN].axes[0], ==, 1);
  g_assert_cmpuint(axes.results[BATCH_NORM_GRAD_OF_OFFSET].count, ==, 1);
  axes_t view = axes;
  const axis_list_t moved = {.count = 3, .axes = {2, 0, 1}};
  view.operands[BATCH_NORM_GRAD_OPERAND] = view.operands[BATCH_NORM_GRAD_OUTPUT] = moved;
  program_t other;
  g_assert_true(axes_program(&program, &view, &arena, &other));
  g_autoptr(GString) text = g_string_new(NULL);
  program_print(&other, text);
  g_assert_cmpstr(text->str, ==,
                  "stablehlo.batch_norm_grad epsilon=0x1p-10 feature_index=2 f32[5,2,3] f32[3] "
                  "f32[3] f32[3] f32[5,2,3] -> f32[5,2,3] f32[3] f32[3]");
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/batch_norm_op/violations", test_violations);
  g_test_add_func("/batch_norm_op/hostile", test_hostile);
  g_test_add_func("/batch_norm_op/drawn", test_drawn);
  g_test_add_func("/batch_norm_op/tight_limits", test_tight_limits);
  g_test_add_func("/batch_norm_op/mlir", test_mlir);
  g_test_add_func("/batch_norm_op/words", test_words);
  g_test_add_func("/batch_norm_op/axes", test_axes);
  return g_test_run();
}
