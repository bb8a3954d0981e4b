/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's quantized products, convolutions, windows, conversions, binary ops and moves: on data
 * whose results are known, and what it must refuse.  Other numbers are for the oracle to judge. */
#include "tests/exec/plugin_checks.h"

enum { EXPECTED_MAX = 8 };

typedef struct case_row {
  const char *name;
  const char *line;
  double expected[EXPECTED_MAX];
} case_row_t;

#define CONVOLUTION_1D(PADDING, GROUPS)                         \
  "stablehlo.convolution window_strides=[1] padding=" PADDING   \
  " lhs_dilation=[1] rhs_dilation=[1] window_reversal=[false] " \
  "dimension_numbers=[b,0,f]x[0,i,o]->[b,0,f] feature_group_count=" GROUPS " batch_group_count=1 "
#define WINDOW(SIZE, STRIDE, DILATION, PADDING)                                            \
  "stablehlo.reduce_window body=maximum window_dimensions=" SIZE " window_strides=" STRIDE \
  " base_dilations=[1,1] window_dilations=" DILATION " padding=" PADDING " "

#define ODD "!quant.uniform<i8:f32,0x1.8p-1:7>"
#define ONE "!quant.uniform<i8:f32,0x1p-1:1>"
#define TWO "!quant.uniform<i8:f32,0x1p-2:2>"
#define THREE "!quant.uniform<i8:f32,0x1p+0:3>"

static const case_row_t case_rows[] = {
    {"rounds to even after the zero point", /* 3 * 1 / 2 + 1 = 2.5, and -1/2 */
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] !quant.uniform<i8:f32,0x1p-1>[1] "
     "!quant.uniform<i8:f32,0x1p+0>[1] -> !quant.uniform<i8:f32,0x1p+0:1>[] : 03 : 01",
     {2}},
    {"saturates",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] !quant.uniform<i8:f32,0x1p+0:-1>[2] "
     "!quant.uniform<i8:f32,0x1p+0>[2] -> !quant.uniform<i8:f32,0x1p+0>[] : 6463 : 0101",
     {127}},
    {"scales of columns", /* rhs 2 and 1/2, result 1 and 2 */
     "stablehlo.dot_general batch=[]x[] contract=[1]x[0] !quant.uniform<i8:f32,0x1p+0:2>[1,1] "
     "!quant.uniform<i8:f32:1,{0x1p+1,0x1p-1}>[1,2] -> "
     "!quant.uniform<i32:f32:1,{0x1p+0,0x1p+1}>[1,2] : 06 : 0308",
     {24, 8}},
    {"pads with the zero point", /* 3 * (5 - 1), and nothing */
     CONVOLUTION_1D("[[1,0]]", "1") "!quant.uniform<i8:f32,0x1p+0:1>[1,1,1] "
                                    "!quant.uniform<i8:f32,0x1p+0>[1,1,1] -> "
                                    "!quant.uniform<i32:f32,0x1p+0>[1,2,1] : 05 : 03",
     {0, 12}},
    {"convolves in groups", /* features 1, 2 and 3, 4 by 10, 100 */
     CONVOLUTION_1D("[[0,0]]", "2") "f32[1,2,2] f32[1,1,2] -> f32[1,2,2] : "
                                    "3f800000400000004040000040800000 : 4120000042c80000",
     {10, 200, 30, 400}},
    {"convolves in any order of dimensions", /* [f,0,b] by [o,0,i]: 1 + 20 and 2 + 30 */
     "stablehlo.convolution window_strides=[1] padding=[[0,0]] lhs_dilation=[1] rhs_dilation=[1] "
     "window_reversal=[false] dimension_numbers=[f,0,b]x[o,0,i]->[0,f,b] feature_group_count=1 "
     "batch_group_count=1 f32[1,3,1] f32[1,2,1] -> f32[2,1,1] : 3f8000004000000040400000 : "
     "3f80000041200000",
     {21, 32}},
    {"convolves nothing but features",
     "stablehlo.convolution window_strides=[] padding=[] lhs_dilation=[] rhs_dilation=[] "
     "window_reversal=[] dimension_numbers=[b,f]x[i,o]->[b,f] feature_group_count=1 "
     "batch_group_count=1 f32[1,2] f32[2,1] -> f32[1,1] : 3f80000040000000 : 4120000042c80000",
     {210}},
    {"windows with padding and an initial value", /* rows of two: 1, 3, 3 and 2, 5, 5; at least 2 */
     WINDOW("[1,2]", "[1,1]", "[1,1]", "[[0,0],[1,1]]") "i8[2,2] i8[] -> i8[2,3] : 01030205 : 02",
     {2, 3, 3, 2, 5, 5}},
    {"dilated windows down the columns", /* of three rows the first and the last */
     WINDOW("[2,1]", "[1,1]", "[2,1]",
            "[[0,0],[0,0]]") "f32[3,2] f32[] -> f32[1,2] : "
                             "3f80000040000000410000004110000040400000bf800000 : ff800000",
     {3, 2}},
    {"converts", "stablehlo.convert ui8[2] -> f32[2] : 01ff", {1, 255}},
    {"quantizes", /* 1.25 * 2 + 3 = 5.5, -100 * 2 + 3 */
     "stablehlo.uniform_quantize f32[2] -> !quant.uniform<i8:f32,0x1p-1:3>[2] : 3fa00000c2c80000",
     {6, -128}},
    {"dequantizes",
     "stablehlo.uniform_dequantize !quant.uniform<ui8:f32,0x1.8p+0:3>[2] -> f32[2] : 00ff",
     {-4.5, 378}},
    {"requantizes channels", /* 6/2, -6/2 and 6/4, 10/4 */
     "stablehlo.uniform_quantize !quant.uniform<i32:f32:0,{0x1p-1,0x1p-2}>[2,2] -> "
     "!quant.uniform<i8:f32,0x1p+0>[2,2] : 00000006fffffffa000000060000000a",
     {3, -3, 2, 2}},
    {"sums windows side by side",
     "stablehlo.reduce_window body=add window_dimensions=[1,2] window_strides=[1,2] "
     "base_dilations=[1,1] window_dilations=[1,1] padding=[[0,0],[0,0]] f32[1,4] f32[] -> f32[1,2] "
     ": 3f800000400000004040000040800000 : 41200000",
     {13, 17}},
    {"pools what is stored",
     "stablehlo.reduce_window body=maximum window_dimensions=[2] window_strides=[2] "
     "base_dilations=[1] window_dilations=[1] padding=[[0,0]] " ODD "[4] " ODD "[] -> " ODD
     "[2] : 01fefdfc : 80",
     {1, -3}},
    {"adds", "stablehlo.add f32[2] f32[2] -> f32[2] : 3f800000bf800000 : 4000000040000000", {3, 1}},
    {"adds what is quantized", /* 3/2 + 5, and what saturates */
     "stablehlo.add !quant.uniform<i8:f32,0x1p-1>[2] !quant.uniform<i8:f32,0x1p+0>[2] -> "
     "!quant.uniform<i8:f32,0x1p+0>[2] : 037f : 057f",
     {6, 127}},
    {"multiplies what is quantized", /* 3/2 * 6/4 * 2 */
     "stablehlo.multiply !quant.uniform<i8:f32,0x1p-1>[1] !quant.uniform<i8:f32,0x1p-2>[1] -> "
     "!quant.uniform<i8:f32,0x1p-1>[1] : 03 : 06",
     {4}},
    {"picks what is stored",
     "stablehlo.maximum " ODD "[2] " ODD "[2] -> " ODD "[2] : 03fe : fe05",
     {3, 5}},
    {"quantizes by any scale", /* 6 * (1 / 0.75) + 3, and -1 / 0.75 + 3 = 1.67 */
     "stablehlo.uniform_quantize f32[2] -> !quant.uniform<i8:f32,0x1.8p-1:3>[2] : 40c00000bf800000",
     {11, 2}},
    {"multiplies matrices by any scale", /* 10 * 7 / 3 - 2 = 21.3 */
     "stablehlo.dot_general batch=[]x[] contract=[1]x[0] !quant.uniform<i8:f32,0x1p+0:1>[1,1] "
     "!quant.uniform<i8:f32,0x1p+0>[1,1] -> !quant.uniform<i8:f32,0x1.8p+1:-2>[1,1] : 0b : 07",
     {21}},
    {"reshapes", "stablehlo.reshape bf16[2] -> bf16[1,2] : 3f804000", {1, 2}},
    {"transposes",
     "stablehlo.transpose permutation=[1,0] i8[2,3] -> i8[3,2] : 010203040506",
     {1, 4, 2, 5, 3, 6}},
    {"joins rows",
     "stablehlo.concatenate dimension=1 i8[2,1] i8[2,2] -> i8[2,3] : 0102 : 03040506",
     {1, 3, 4, 2, 5, 6}},
};

/* With types=any. */
static const case_row_t any_case_rows[] = {
    {"adds with zero points", /* (5 - 1)/2 + (6 - 2)/4 + 3; (127 - 1)/2 + (127 - 2)/4 + 3 = 97.25 */
     "stablehlo.add " ONE "[2] " TWO "[2] -> " THREE "[2] : 057f : 067f",
     {6, 97}},
    {"subtracts with zero points",
     "stablehlo.subtract " ONE "[1] " TWO "[1] -> " THREE "[1] : 05 : 06",
     {4}},
    {"multiplies, then rounds with the zero point", /* 4.5 + 1 is 6, and 4 + 1 is not */
     "stablehlo.multiply !quant.uniform<i8:f32,0x1p-1>[1] !quant.uniform<i8:f32,0x1p-2>[1] -> "
     "!quant.uniform<i8:f32,0x1p-1:1>[1] : 03 : 06",
     {6}},
    {"sums what is stored", /* 124 - 131 + 2 + 1 */
     "stablehlo.reduce body=add dims=[0] !quant.uniform<i8:f32,0x1.8p-1:3>[3] "
     "!quant.uniform<i8:f32,0x1.8p-1:3>[] -> !quant.uniform<i32:f32,0x1.8p-1:10>[] : 7f8005 : 04",
     {6}},
    {"sums rows", /* 200 + 100 - 2 * 100, and the initial value 255 - 100 */
     "stablehlo.reduce body=add dims=[1] !quant.uniform<ui8:f32,0x1p-1:100>[2,2] "
     "!quant.uniform<ui8:f32,0x1p-1:100>[] -> !quant.uniform<i32:f32,0x1p-1>[2] : c8640000 : ff",
     {255, -45}},
    {"sums windows of what is stored", /* 1 + 2 - 2 * 3 + 1, and 126 + 127 - 2 * 3 + 1 */
     "stablehlo.reduce_window body=add window_dimensions=[2] window_strides=[2] "
     "base_dilations=[1] window_dilations=[1] padding=[[0,0]] !quant.uniform<i8:f32,0x1.8p-1:3>[4] "
     "!quant.uniform<i8:f32,0x1.8p-1:3>[] -> !quant.uniform<i32:f32,0x1.8p-1>[2] : 01027e7f : 04",
     {-2, 248}},
    {"repeats rows",
     "stablehlo.broadcast_in_dim broadcast_dimensions=[1] i8[3] -> i8[2,3] : 010203",
     {1, 2, 3, 1, 2, 3}},
    {"repeats columns",
     "stablehlo.broadcast_in_dim broadcast_dimensions=[0,1] bf16[2,1] -> bf16[2,3] : 3f804000",
     {1, 1, 1, 2, 2, 2}},
    {"repeats and transposes",
     "stablehlo.broadcast_in_dim broadcast_dimensions=[2,0] i8[2,2] -> i8[2,1,2] : 01020304",
     {1, 3, 2, 4}},
    {"repeats a number", /* which f32 has not */
     "stablehlo.broadcast_in_dim broadcast_dimensions=[] i32[] -> i32[2] : 01000001",
     {16777217, 16777217}},
    {"repeats nothing",
     "stablehlo.broadcast_in_dim broadcast_dimensions=[] f32[] -> f32[] : 40000000",
     {2}},
};

static void check_case(const char *name, const case_row_t *row) {
  executor_t *executor = check_open_plugin(name);
  if (executor == NULL) return;
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  g_assert_cmpint(case_parse(str_from(row->line), &arena, &instance, NULL, NULL), ==, STATUS_OK);
  executor_program_t *compiled = NULL;
  char reason[256] = "";
  if (executor_compile(executor, &instance.program, &compiled, reason, sizeof reason) !=
      EXECUTOR_OK) {
    g_error("%s: %s", row->line, reason);
  }
  g_assert_cmpint(executor_promises(executor, &instance.program), ==, EXECUTOR_PROMISE_YES);
  tensor_t result = tensor_make(&arena, &instance.program.results[0]);
  execution_t execution = executor_execute(executor, compiled, instance.operands, POISON, &result);
  g_assert_cmpint(execution.outcome, ==, EXECUTOR_OK);
  for (size_t i = 0; i < type_component_count(&result.type); i++) {
    if (check_load(&result, i) != row->expected[i]) {
      g_error("%s: result %zu is %g", row->name, i, check_load(&result, i));
    }
  }
  arena_deinit(&arena);
  executor_close(executor);
}

static void test_case(gconstpointer data) { check_case("onednn", data); }
static void test_any_case(gconstpointer data) { check_case("onednn?types=any", data); }

typedef struct refusal_row {
  const char *line;
  executor_outcome_t outcome;
  const char *reason;
} refusal_row_t;

#define SUM "stablehlo.reduce body=add dims=[0] "
#define REPEAT "stablehlo.broadcast_in_dim broadcast_dimensions="
#define PRODUCT "stablehlo.dot_general batch=[]x[] contract=[0]x[0] "
#define I8 "!quant.uniform<i8:f32,0x1p+0>"
#define CONVOLUTION(REVERSED, BASE, LOW, BATCH_GROUPS)                                 \
  "stablehlo.convolution window_strides=[1] padding=[[" LOW ",0]] lhs_dilation=[" BASE \
  "] rhs_dilation=[1] window_reversal=[" REVERSED                                      \
  "] dimension_numbers=[b,0,f]x[0,i,o]->[b,0,f] "                                      \
  "feature_group_count=1 batch_group_count=" BATCH_GROUPS " "

static const refusal_row_t refusal_rows[] = {
    {PRODUCT "f32[1] " I8 "[1] -> f32[]", EXECUTOR_REFUSED,
     "operands and result are quantized, or none"},
    {PRODUCT "!quant.uniform<ui8:f32,0x1p+0>[1] !quant.uniform<ui8:f32,0x1p+0>[1] -> " I8 "[]",
     EXECUTOR_REFUSED, "multiplies i8 by i8"},
    {PRODUCT "!quant.uniform<i8:f16,0x1p+0>[1] !quant.uniform<i8:f16,0x1p+0>[1] -> "
             "!quant.uniform<i8:f16,0x1p+0>[]",
     EXECUTOR_REFUSED, "rescales in f32"},
    {PRODUCT I8 "[1] " I8 "[1] -> !quant.uniform<i8<-10:10>:f32,0x1p+0>[]", EXECUTOR_REFUSED,
     "saturates at the ends of the result's type"},
    {PRODUCT "!quant.uniform<i8:f32,0x1p+100>[1] !quant.uniform<i8:f32,0x1p+100>[1] -> " I8 "[]",
     EXECUTOR_REFUSED, "no multiplier beyond f32"},
    {PRODUCT I8 "[1] !quant.uniform<i8:f32,0x1p+0:1>[1] -> " I8 "[]", EXECUTOR_REFUSED,
     "rhs has no zero point"},
    {CONVOLUTION("true", "1", "0", "1") "f32[1,3,1] f32[2,1,1] -> f32[1,2,1]", EXECUTOR_REFUSED,
     "no reversed windows"},
    {CONVOLUTION("false", "2", "0", "1") "f32[1,3,1] f32[2,1,1] -> f32[1,4,1]", EXECUTOR_REFUSED,
     "no dilation of lhs"},
    {CONVOLUTION("false", "1", "-1", "1") "f32[1,3,1] f32[2,1,1] -> f32[1,1,1]", EXECUTOR_REFUSED,
     "no negative padding"},
    {CONVOLUTION("false", "1", "0", "2") "f32[2,3,1] f32[2,1,2] -> f32[1,2,2]", EXECUTOR_REFUSED,
     "no groups of the batch"},
    {CONVOLUTION("false", "1", "0", "1") "f32[1,3,1] f32[2,2,1] -> f32[1,2,1]", EXECUTOR_REJECTED,
     "C14"},
    {CONVOLUTION("false", "1", "0", "1") "f32[1,3,1] f32[2,1,1] -> f32[1,3,1]", EXECUTOR_REJECTED,
     "C25"},
    {WINDOW("[1,2]", "[1,1]", "[1,1]", "[[0,0],[2,0]]") "f32[1,2] f32[] -> f32[1,3]",
     EXECUTOR_REFUSED, "no windows of padding alone"},
    {WINDOW("[1,2]", "[1,1]", "[1,1]", "[[0,0],[0,0]]") "f32[1,2] f32[] -> f32[1,2]",
     EXECUTOR_REJECTED, "C15"},
    {"stablehlo.convert f32[1] -> i8[1]", EXECUTOR_REFUSED, "no reorder from f32 to i8"},
    {"stablehlo.uniform_quantize f32[1] -> !quant.uniform<i32:f32,0x1p+0>[1]", EXECUTOR_REFUSED,
     "no result of i32"},
    {"stablehlo.reduce_window body=add window_dimensions=[2] window_strides=[1] base_dilations=[1] "
     "window_dilations=[1] padding=[[0,0]] f32[4] f32[] -> f32[3]",
     EXECUTOR_REFUSED, "side by side"},
    {"stablehlo.add i32[1] i32[1] -> i32[1]", EXECUTOR_REFUSED, "of i32"},
    {"stablehlo.add f32[1] f32[2] -> f32[1]", EXECUTOR_REJECTED, "C1"},
    {"stablehlo.multiply " ODD "[1] " ODD "[1] -> " ODD "[1]", EXECUTOR_REFUSED,
     "no zero points but of terms"},
    {"stablehlo.reshape f32[2] -> f32[3]", EXECUTOR_REJECTED, "C2"},
    {"stablehlo.reshape f16[2] -> f16[1,2]", EXECUTOR_REFUSED, "no reorder of f16"},
    {"stablehlo.transpose permutation=[0,0] f32[2,2] -> f32[2,2]", EXECUTOR_REJECTED, "C2"},
    {"stablehlo.transpose permutation=[1,0] f32[2,3] -> f32[2,3]", EXECUTOR_REJECTED, "C3"},
    {"stablehlo.concatenate dimension=0 f32[1] f32[1] -> f32[3]", EXECUTOR_REJECTED, "C6"},
    {PRODUCT I8 "[1] " I8 "[1] -> !quant.uniform<i32:f32,0x1p+0:-2147483648>[]", EXECUTOR_REFUSED,
     "no zero point -2^31"},
    {SUM ONE "[4] " ONE "[] -> !quant.uniform<i32:f32,0x1p-1>[]", EXECUTOR_REFUSED,
     "no reduction by add"},
    {REPEAT "[0] f32[1] -> f32[2]", EXECUTOR_REFUSED, "no reorder that repeats"},
};

/* With types=any. */
static const refusal_row_t any_refusal_rows[] = {
    {"stablehlo.multiply " ONE "[1] " TWO "[1] -> " THREE "[1]", EXECUTOR_REFUSED,
     "no zero points but of terms"},
    {"stablehlo.maximum " ONE "[1] " TWO "[1] -> " THREE "[1]", EXECUTOR_REFUSED,
     "no zero points but of terms"},
    {"stablehlo.multiply !quant.uniform<i8:f32,0x1p+116>[1] !quant.uniform<i8:f32,0x1p+60>[1] -> "
     "!quant.uniform<i8:f32,0x1p+0>[1]",
     EXECUTOR_REFUSED, "beyond f32"},
    {"stablehlo.add " ONE "[1] !quant.uniform<i8:f32,0x1p+30:1>[1] -> " THREE "[1]",
     EXECUTOR_REFUSED, "beyond f32"},
    {PRODUCT "!quant.uniform<i8:f32,0x1p+100>[1] !quant.uniform<i8:f32,0x1p+100>[1] -> " I8 "[]",
     EXECUTOR_REFUSED, "no multiplier"},
    {"stablehlo.uniform_quantize !quant.uniform<i8:f32,0x1p+100>[1] -> "
     "!quant.uniform<i8:f32,0x1p-100>[1]",
     EXECUTOR_REFUSED, "beyond f32"},
    {SUM ONE "[4] " ONE "[] -> !quant.uniform<i32:f32,0x1p-2>[]", EXECUTOR_REFUSED,
     "no reduction by add"},
    {SUM ONE "[4] " ONE "[] -> !quant.uniform<i32<-9:9>:f32,0x1p-1>[]", EXECUTOR_REFUSED,
     "no reduction by add"},
    {SUM ONE "[4] " ONE "[] -> " ONE "[]", EXECUTOR_REFUSED, "no reduction by add"},
    {SUM ONE "[32769] " ONE "[] -> !quant.uniform<i32:f32,0x1p-1>[]", EXECUTOR_REFUSED,
     "no reduction by add"},
    {REPEAT "[0] f16[1] -> f16[2]", EXECUTOR_REFUSED, "no reorder of f16"},
    {REPEAT "[0] f32[1] -> f32[0]", EXECUTOR_REFUSED, "nor of nothing"},
    {REPEAT "[0] !quant.uniform<i8:f32:0,{0x1p+0}>[1] -> "
            "!quant.uniform<i8:f32:0,{0x1p+0,0x1p+0}>[2]",
     EXECUTOR_REFUSED, "no scale that is repeated"},
    {REPEAT "[0] f32[1] -> i32[2]", EXECUTOR_REJECTED, "C1"},
    {REPEAT "[] f32[1] -> f32[2]", EXECUTOR_REJECTED, "C2"},
    {REPEAT "[1] f32[1] -> f32[2]", EXECUTOR_REJECTED, "C3"},
    {REPEAT "[0,0] f32[1,1] -> f32[2]", EXECUTOR_REJECTED, "C4"},
    {REPEAT "[0] f32[3] -> f32[2]", EXECUTOR_REJECTED, "C5"},
    {REPEAT "[0,1] !quant.uniform<i8:f32:0,{0x1p+0,0x1p+1}>[2,2] -> "
            "!quant.uniform<i8:f32:1,{0x1p+0,0x1p+1}>[2,2]",
     EXECUTOR_REJECTED, "C6"},
};

static void check_refusal(const char *name, const refusal_row_t *row) {
  executor_t *executor = check_open_plugin(name);
  if (executor == NULL) return;
  arena_t arena;
  arena_init(&arena);
  program_t program = check_parse_program(row->line, &arena);
  executor_program_t *compiled = NULL;
  char reason[256] = "";
  g_assert_cmpint(executor_compile(executor, &program, &compiled, reason, sizeof reason), ==,
                  row->outcome);
  if (strstr(reason, row->reason) == NULL) g_error("%s: %s", row->line, reason);
  g_assert_cmpint(executor_promises(executor, &program), ==, EXECUTOR_PROMISE_NO);
  arena_deinit(&arena);
  executor_close(executor);
}

static void test_refusal(gconstpointer data) { check_refusal("onednn", data); }
static void test_any_refusal(gconstpointer data) { check_refusal("onednn?types=any", data); }

/* Adds a test for each of `count` rows of `row_bytes` bytes. */
static void add_tests(const char *kind, const void *rows, size_t count, size_t row_bytes,
                      GTestDataFunc function) {
  for (size_t i = 0; i < count; i++) {
    char *path = g_strdup_printf("/plugin_stablehlo/%s/%zu", kind, i);
    g_test_add_data_func(path, (const char *)rows + i * row_bytes, function);
    g_free(path);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
#define ADD(kind, rows, function) \
  add_tests(kind, rows, G_N_ELEMENTS(rows), sizeof rows[0], function)
  ADD("case", case_rows, test_case);
  ADD("any_case", any_case_rows, test_any_case);
  ADD("refusal", refusal_rows, test_refusal);
  ADD("any_refusal", any_refusal_rows, test_any_refusal);
  return g_test_run();
}
