/* SPDX-License-Identifier: Apache-2.0 */
/* The op rows of stablehlo.reduce_window and stablehlo.select_and_scatter. */
#include "oracles/ops/windowed/windowed.h"
#include "tests/ops/op_checks.h"

static const draw_limits_t limits = {.rank_max = 5, .elements_max = 2048, .terms_max = 256};

#define WINDOW "stablehlo.reduce_window "
#define SCATTER "stablehlo.select_and_scatter "
/* Of one dimension: three windows of two elements. */
#define PLAIN "window_strides=[1] base_dilations=[1] window_dilations=[1] padding=[[0,0]] "
#define TWO "body=add window_dimensions=[2] " PLAIN
#define SELECT "select=ge scatter=add window_dimensions=[2] window_strides=[2] padding=[[0,0]] "
#define U8 "!quant.uniform<ui8:f32,0x1p-1:3>"
#define PER_AXIS "!quant.uniform<i8:f32:0,{0x1p+0,0x1p+1}>"

static const violation_row_t window_rows[] = {
    {WINDOW TWO "f32[4] f32[] -> f32[3]", NULL},
    {WINDOW TWO "f16[4] f16[] -> f32[3]", NULL},
    {WINDOW TWO U8 "[4] " U8 "[] -> " U8 "[3]", NULL},
    {WINDOW "body=add window_dimensions=[] window_strides=[] base_dilations=[] window_dilations=[] "
            "padding=[] f32[] f32[] -> f32[]",
     NULL},
    {WINDOW "body=argmax window_dimensions=[2] " PLAIN "f32[4] i32[4] f32[] i32[] -> f32[3] i32[3]",
     NULL},
    /* The example of the specification, and its numbers: (3-1)*2+1 + 2+1 = 8, 1*3+1 = 4. */
    {WINDOW "body=add window_dimensions=[2,1] window_strides=[4,1] base_dilations=[2,1] "
            "window_dilations=[3,1] padding=[[2,1],[0,0]] i64[3,2] i64[] -> i64[2,2]",
     NULL},
    /* Windows that do not fit, an empty dimension, all cut off, and nothing but padding. */
    {WINDOW "body=add window_dimensions=[5] " PLAIN "f32[4] f32[] -> f32[0]", NULL},
    {WINDOW "body=add window_dimensions=[1] " PLAIN "f32[0] f32[] -> f32[0]", NULL},
    {WINDOW "body=add window_dimensions=[1] window_strides=[1] base_dilations=[1] "
            "window_dilations=[1] padding=[[-3,-2]] f32[4] f32[] -> f32[0]",
     NULL},
    {WINDOW "body=add window_dimensions=[1] window_strides=[1] base_dilations=[3] "
            "window_dilations=[1] padding=[[1,1]] f32[0] f32[] -> f32[2]",
     NULL},
    /* Numbers of 63 bits, whose products have 126. */
    {WINDOW "body=add window_dimensions=[9223372036854775807] window_strides=[9223372036854775807] "
            "base_dilations=[1] window_dilations=[9223372036854775807] padding=[[0,0]] "
            "f32[4] f32[] -> f32[0]",
     NULL},
    {WINDOW "body=add window_dimensions=[1] window_strides=[9223372036854775807] "
            "base_dilations=[9223372036854775807] window_dilations=[1] "
            "padding=[[9223372036854775807,9223372036854775807]] f32[2] f32[] -> f32[4]",
     NULL},
    {WINDOW "body=add window_dimensions=[1] window_strides=[1] base_dilations=[1] "
            "window_dilations=[1] padding=[[-9223372036854775808,9223372036854775807]] "
            "f32[4] f32[] -> f32[3]",
     NULL},

    {WINDOW TWO "f32[4] -> f32[3]", "C1"},
    {WINDOW TWO "f32[4] f32[] f32[] -> f32[3]", "C1"},
    {WINDOW TWO "f32[4] f32[] -> f32[3] f32[3]", "C1"},
    {WINDOW "body=sum_count window_dimensions=[2] " PLAIN
            "f32[4] i32[5] f32[] i32[] -> f32[3] i32[3]",
     "C2"},
    {WINDOW TWO "f32[4] f16[] -> f32[3]", "C3"},
    {WINDOW TWO U8 "[4] ui8[] -> " U8 "[3]", "C3"},
    {WINDOW "body=add window_dimensions=[2,1] " PLAIN "f32[4] f32[] -> f32[3]", "C4"},
    {WINDOW "body=add window_dimensions=[] " PLAIN "f32[4] f32[] -> f32[3]", "C4"},
    {WINDOW "body=add window_dimensions=[0] " PLAIN "f32[4] f32[] -> f32[5]", "C5"},
    {WINDOW "body=add window_dimensions=[-9223372036854775808] " PLAIN "f32[4] f32[] -> f32[5]",
     "C5"},
    {WINDOW "body=add window_dimensions=[2] window_strides=[1,1] base_dilations=[1] "
            "window_dilations=[1] padding=[[0,0]] f32[4] f32[] -> f32[3]",
     "C6"},
    {WINDOW "body=add window_dimensions=[2] window_strides=[0] base_dilations=[1] "
            "window_dilations=[1] padding=[[0,0]] f32[4] f32[] -> f32[3]",
     "C7"},
    {WINDOW "body=add window_dimensions=[2] window_strides=[1] base_dilations=[] "
            "window_dilations=[1] padding=[[0,0]] f32[4] f32[] -> f32[3]",
     "C8"},
    {WINDOW "body=add window_dimensions=[2] window_strides=[1] base_dilations=[0] "
            "window_dilations=[1] padding=[[0,0]] f32[4] f32[] -> f32[3]",
     "C9"},
    {WINDOW "body=add window_dimensions=[2] window_strides=[1] base_dilations=[1] "
            "window_dilations=[] padding=[[0,0]] f32[4] f32[] -> f32[3]",
     "C10"},
    {WINDOW "body=add window_dimensions=[2] window_strides=[1] base_dilations=[1] "
            "window_dilations=[-1] padding=[[0,0]] f32[4] f32[] -> f32[3]",
     "C11"},
    {WINDOW "body=add window_dimensions=[2] window_strides=[1] base_dilations=[1] "
            "window_dilations=[1] padding=[] f32[4] f32[] -> f32[3]",
     "C12"},
    {WINDOW TWO "f32[4] f32[] -> f16[3]", "C13"},
    {WINDOW TWO "i1[4] i1[] -> i8[3]", "C13"},
    {WINDOW "body=argmax window_dimensions=[2] " PLAIN "f32[4] f32[] -> f32[3]", "C13"},
    {WINDOW "body=sum_count window_dimensions=[2] " PLAIN
            "f32[4] i32[4] f32[] i32[] -> f32[3] i32[2]",
     "C14"},
    {WINDOW TWO "f32[4] f32[] -> f32[4]", "C15"},
    {WINDOW TWO "f32[4] f32[] -> f32[3,1]", "C15"},
    {WINDOW "body=add window_dimensions=[2] " PLAIN "accumulation=f32 f32[4] f32[] -> f64[3]",
     "C16"},
    {WINDOW TWO "f32[4] f32[] -> i32[3]", "case-D"},
    {WINDOW TWO "i32[4] i32[] -> f32[3]", "case-E"},
    {WINDOW TWO "f32[4] f32[] -> " U8 "[3]", "case-B"},
    {WINDOW TWO U8 "[4] " U8 "[] -> f32[3]", "case-C"},
    {WINDOW "body=add window_dimensions=[2] " PLAIN
            "accumulation=complex<f64> complex<f32>[4] complex<f32>[] -> complex<f32>[3]",
     "case-H"},
    {WINDOW "body=add window_dimensions=[2] " PLAIN "accumulation=f32 f32[4] f32[] -> f32[3]",
     "accumulation"},
    {WINDOW "body={v0=abs(a0);v1=add(v0,b0);return(v1)} window_dimensions=[2] " PLAIN
            "f32[4] f32[] -> f32[3]",
     NULL},
    {WINDOW "body={v0=and(a0,b0);return(v0)} window_dimensions=[2] " PLAIN "f32[4] f32[] -> f32[3]",
     "written"},
    {WINDOW "body={v0=add(a0,b0);return(v0)} window_dimensions=[2] " PLAIN "f32[4] f32[] -> f64[3]",
     "written"},
    {WINDOW "body={v0=add(a0,b0);v1=add(a1,b1);return(v0,v1)} window_dimensions=[2] " PLAIN
            "f32[4] f32[] -> f32[3]",
     "C13"},
    {WINDOW TWO "f32[4] f32[1] -> f32[3]", "types"},
    {WINDOW TWO PER_AXIS "[2] " U8 "[] -> " U8 "[1]", "types"},
    {WINDOW "body=and window_dimensions=[2] " PLAIN "f32[4] f32[] -> f32[3]", "bits"},
    {WINDOW "body=maximum window_dimensions=[2] " PLAIN
            "complex<f32>[4] complex<f32>[] -> complex<f32>[3]",
     "body"},
};

static const violation_row_t scatter_rows[] = {
    {SCATTER SELECT "f32[4] f32[2] f32[] -> f32[4]", NULL},
    {SCATTER SELECT "i8[4] i8[2] i8[] -> i32[4]", NULL},
    {SCATTER SELECT U8 "[4] " U8 "[2] " U8 "[] -> " U8 "[4]", NULL},
    {SCATTER "select=lt scatter=maximum window_dimensions=[3,1] window_strides=[2,1] "
             "padding=[[0,1],[0,0]] i64[4,2] i64[2,2] i64[] -> i64[4,2]",
     NULL},
    {SCATTER "select=gt scatter=add window_dimensions=[] window_strides=[] padding=[] f32[] f32[] "
             "f32[] -> f32[]",
     NULL},
    {SCATTER SELECT "f32[4] f16[2] f32[] -> f32[4]", "C1"},
    {SCATTER SELECT "f32[4] f32[3] f32[] -> f32[4]", "C2"},
    {SCATTER SELECT "f32[4] f32[2,1] f32[] -> f32[4]", "C2"},
    {SCATTER SELECT "f32[4] f32[2] f16[] -> f32[4]", "C3"},
    {SCATTER "select=ge scatter=add window_dimensions=[2,2] window_strides=[2] padding=[[0,0]] "
             "f32[4] f32[2] f32[] -> f32[4]",
     "C4"},
    {SCATTER "select=ge scatter=add window_dimensions=[-1] window_strides=[2] padding=[[0,0]] "
             "f32[4] f32[2] f32[] -> f32[4]",
     "C5"},
    {SCATTER "select=ge scatter=add window_dimensions=[2] window_strides=[] padding=[[0,0]] "
             "f32[4] f32[2] f32[] -> f32[4]",
     "C6"},
    {SCATTER "select=ge scatter=add window_dimensions=[2] window_strides=[0] padding=[[0,0]] "
             "f32[4] f32[2] f32[] -> f32[4]",
     "C7"},
    {SCATTER "select=ge scatter=add window_dimensions=[2] window_strides=[2] "
             "padding=[[0,0],[0,0]] f32[4] f32[2] f32[] -> f32[4]",
     "C8"},
    {SCATTER SELECT "f32[4] f32[2] f32[] -> f16[4]", "C10"},
    {SCATTER SELECT "f32[4] f32[2] f32[] -> i1[4]", "C10"},
    {SCATTER SELECT "f32[4] f32[2] f32[] -> f32[2]", "C11"},
    {SCATTER SELECT "accumulation=f32 f32[4] f32[2] f32[] -> f64[4]", "C12"},
    {SCATTER SELECT "f32[4] f32[2] f32[] -> i32[4]", "case-D"},
    {SCATTER SELECT "i32[4] i32[2] i32[] -> f32[4]", "case-E"},
    {SCATTER SELECT "f32[4] f32[2] f32[] -> " U8 "[4]", "case-B"},
    {SCATTER SELECT U8 "[4] " U8 "[2] " U8 "[] -> f32[4]", "case-C"},
    {SCATTER SELECT "accumulation=complex<f64> complex<f32>[4] complex<f32>[2] complex<f32>[] -> "
                    "complex<f32>[4]",
     "case-H"},
    {SCATTER SELECT "accumulation=f32 f32[4] f32[2] f32[] -> f32[4]", "accumulation"},
    {SCATTER "select=ge scatter={v0=abs(a0);v1=add(v0,b0);return(v1)} window_dimensions=[2] "
             "window_strides=[2] padding=[[0,0]] f32[4] f32[2] f32[] -> f32[4]",
     NULL},
    {SCATTER "select=ge scatter={v0=and(a0,b0);return(v0)} window_dimensions=[2] "
             "window_strides=[2] padding=[[0,0]] f32[4] f32[2] f32[] -> f32[4]",
     "written"},
    {SCATTER SELECT "f32[4] f32[2] f32[1] -> f32[4]", "types"},
    {SCATTER SELECT "f32[4] f32[2] -> f32[4]", "types"},
    {SCATTER SELECT "complex<f32>[4] complex<f32>[2] complex<f32>[] -> complex<f32>[4]", "order"},
    {SCATTER "select=ge scatter=xor window_dimensions=[2] window_strides=[2] padding=[[0,0]] "
             "f32[4] f32[2] f32[] -> f32[4]",
     "bits"},
    {SCATTER "select=ge scatter=maximum window_dimensions=[2] window_strides=[2] padding=[[0,0]] "
             "complex<f32>[4] complex<f32>[2] complex<f32>[] -> complex<f32>[4]",
     "body"},
};

static const op_t *window_op(void) { return check_find_op("stablehlo.reduce_window"); }
static const op_t *scatter_op(void) { return check_find_op("stablehlo.select_and_scatter"); }

static void test_violations(void) {
  check_violations(window_op(), window_rows, G_N_ELEMENTS(window_rows), NULL);
  check_violations(scatter_op(), scatter_rows, G_N_ELEMENTS(scatter_rows), "C9");
}

static void test_hostile(void) {
  check_hostile(window_rows, G_N_ELEMENTS(window_rows), 15000);
  check_hostile(scatter_rows, G_N_ELEMENTS(scatter_rows), 15000);
}

/* What drawn programs have to show at least once. */
typedef struct coverage {
  uint32_t bodies, selects, ranks;
  bool strides, base_dilations, window_dilations, negative_padding, no_window, overlap, promotion;
  bool quantized;
} coverage_t;

static bool is_above_one(const dimension_list_t *list) {
  bool above = false;
  for (uint32_t i = 0; i < list->count; i++) above |= list->dims[i] > 1;
  return above;
}

static void visit(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  coverage_t *coverage = state;
  const windowed_attributes_t *attributes = windowed_attributes(program);
  const type_t *operand = &program->operands[0];
  type_t counts = windowed_counts(attributes, operand);
  coverage->bodies |= 1u << attributes->reduction.body;
  coverage->selects |= 1u << attributes->select;
  coverage->ranks |= 1u << operand->rank;
  coverage->strides |= is_above_one(&attributes->window_strides);
  coverage->base_dilations |= is_above_one(&attributes->base_dilations);
  coverage->window_dilations |= is_above_one(&attributes->window_dilations);
  coverage->no_window |= type_element_count(&counts) == 0 && type_element_count(operand) > 0;
  coverage->promotion |= operand->element != program->results[0].element;
  coverage->quantized |= operand->quantization != NULL;
  for (uint32_t dim = 0; dim < operand->rank; dim++) {
    window_t window = windowed_along(attributes, dim);
    coverage->negative_padding |= window.low < 0;
    coverage->overlap |= window.size > window.stride && counts.dims[dim] > 1;
    g_assert_cmpint(window.size, <=, limits.terms_max);
  }
}

static void check_covered(const coverage_t *coverage) {
  g_assert_cmphex(coverage->ranks, ==, (1u << (limits.rank_max + 1)) - 1);
  g_assert_true(coverage->strides && coverage->negative_padding && coverage->no_window);
  g_assert_true(coverage->overlap && coverage->promotion && coverage->quantized);
}

static void test_drawn(void) {
  coverage_t windows = {0};
  check_drawn(window_op(), &limits, 3000, visit, &windows);
  check_covered(&windows);
  g_assert_cmphex(windows.bodies, ==, (1u << (REDUCE_WRITTEN + 1)) - 1);
  g_assert_true(windows.base_dilations && windows.window_dilations);
  coverage_t scatters = {0};
  check_drawn(scatter_op(), &limits, 3000, visit, &scatters);
  check_covered(&scatters);
  g_assert_cmphex(scatters.selects, ==, (1u << WINDOWED_SELECT_COUNT) - 1);
  const draw_limits_t tight[] = {{0, 1, 1, DRAW_SIZES_SMALL},
                                 {8, 1, 1, DRAW_SIZES_SMALL},
                                 {1, 2, 1, DRAW_SIZES_SMALL},
                                 {8, 256, 2, DRAW_SIZES_SMALL}};
  for (size_t i = 0; i < G_N_ELEMENTS(tight); i++) {
    check_drawn(window_op(), &tight[i], 300, visit, &windows);
    check_drawn(scatter_op(), &tight[i], 300, visit, &scatters);
  }
}

static void test_mlir(void) {
  g_autofree char *window =
      check_text(WINDOW
                 "body=add window_dimensions=[2,1] window_strides=[4,1] base_dilations=[2,1] "
                 "window_dilations=[3,1] padding=[[2,1],[0,-1]] i64[3,2] i64[] -> i64[2,1]",
                 window_op()->print_mlir);
  g_assert_nonnull(
      strstr(window,
             "    %0 = \"stablehlo.reduce_window\"(%arg0, %arg1) <{base_dilations = "
             "array<i64: 2, 1>, padding = dense<[[2, 1], [0, -1]]> : tensor<2x2xi64>, "
             "window_dilations = array<i64: 3, 1>, window_dimensions = array<i64: 2, 1>, "
             "window_strides = array<i64: 4, 1>}> ({\n    ^body(%lhs0: tensor<i64>"));
  g_autofree char *scatter =
      check_text(SCATTER SELECT "f16[4] f16[2] f16[] -> f32[4]", scatter_op()->print_mlir);
  g_assert_nonnull(
      strstr(scatter,
             "(%arg0, %arg1, %arg2) <{padding = dense<[[0, 0]]> : tensor<1x2xi64>, "
             "window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({\n"
             "    ^select(%lhs0: tensor<f16>, %rhs0: tensor<f16>):\n"
             "      %1 = \"stablehlo.compare\"(%lhs0, %rhs0) <{comparison_direction = "
             "#stablehlo<comparison_direction GE>}> : (tensor<f16>, tensor<f16>) -> tensor<i1>\n"
             "      \"stablehlo.return\"(%1) : (tensor<i1>) -> ()\n"
             "    }, {\n"
             "    ^body(%lhs0: tensor<f32>, %rhs0: tensor<f32>):\n"));
  for (size_t i = 0; i < G_N_ELEMENTS(window_rows); i++) {
    g_autofree char *text = check_text(window_rows[i].line, window_op()->print_mlir);
    g_assert_true(g_str_has_suffix(text, "  }\n}\n"));
  }
  for (size_t i = 0; i < G_N_ELEMENTS(scatter_rows); i++) {
    g_autofree char *text = check_text(scatter_rows[i].line, scatter_op()->print_mlir);
    g_assert_true(g_str_has_suffix(text, "  }\n}\n"));
  }
}

static void test_words(void) {
  g_autofree char *window =
      check_text(WINDOW
                 "body=add window_dimensions=[2,1] window_strides=[4,1] "
                 "base_dilations=[2,1] window_dilations=[3,1] padding=[[2,1],[0,0]] "
                 "i64[3,2] i64[] -> i64[2,2]",
                 program_print_words);
  g_assert_cmpstr(window, ==,
                  "sums each window of i64[3,2] (windows of 2x1, strides 4x1, base dilations 2x1, "
                  "window dilations 3x1, padding [[2,1],[0,0]]), accumulating in i64: 4 windows");
  g_autofree char *scatter =
      check_text(SCATTER SELECT "f16[4] f16[2] f16[] -> f32[4]", program_print_words);
  g_assert_cmpstr(scatter, ==,
                  "gives each element of the source to the first of the largest in a window of "
                  "f16[4] (windows of 2, strides 2), and sums what each element gets, accumulating "
                  "in f32: 2 windows");
  g_autofree char *broken = check_text(window_rows[13].line, program_print_words);
  g_assert_cmpstr(broken, ==, "is no stablehlo.reduce_window: it breaks C1");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/windowed/violations", test_violations);
  g_test_add_func("/windowed/hostile", test_hostile);
  g_test_add_func("/windowed/drawn", test_drawn);
  g_test_add_func("/windowed/mlir", test_mlir);
  g_test_add_func("/windowed/words", test_words);
  return g_test_run();
}
