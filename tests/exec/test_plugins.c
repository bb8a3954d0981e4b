/* SPDX-License-Identifier: Apache-2.0 */
/* The plugins that are built here: reductions on data whose results are exact, that what they
 * cannot do is refused and what is invalid rejected, that their options do what they say. */
#include "harness/exec/plugins/plugin_matrices.h"
#include "tests/exec/plugin_checks.h"

/* ---- Programs that they must not run. */

typedef struct program_row {
  const char *executor;
  const char *line;
  executor_outcome_t outcome;
  const char *reason;
} program_row_t;

/* ---- Regions --------------------------------------------------------------------------------- */

#define LEFT(shape) "!quant.uniform<i8:f32,0x1p-1:1>" shape
#define RIGHT(shape) "!quant.uniform<i8:f32,0x1p-2:-2>" shape
#define WHOLE(shape) "!quant.uniform<i8:f32,0x1p+0:-3>" shape
#define SHARES(zero_point) "!quant.uniform<i8:f32,0x1p-7" zero_point ">[1,2]"
#define LEFTS LEFT("[2]")
#define RIGHTS RIGHT("[2]")
#define WHOLES WHOLE("[2]")
#define EIGHT LEFT("[2,4]")
#define SUMS "!quant.uniform<i32:f32,0x1p-1>[2]"
#define MEANS "!quant.uniform<i8:f32,0x1p-2:-4>[2]"

/* a0 and a1, dequantized, are v1 and v2; v0 is zeros. */
#define DEQUANTIZED                                                                               \
  "module steps={v0=constant(f32[2],0000000000000000);v1=stablehlo.uniform_dequantize(a0) " LEFT( \
      "[2]") " -> f32[2];v2=stablehlo.uniform_dequantize(a1) " RIGHT("[2]") " -> f32[2];"
#define OF_TWO(value) "return(" value ")} " LEFT("[2]") " " RIGHT("[2]") " -> " WHOLE("[2]")
/* a0, dequantized, is v2; v0 is the first term, v1 the factor of a mean. */
#define ROWS(first) \
  "module steps={v0=constant(f32[]," first                                                     \
  ");v1=constant(f32[],3e800000);v2=stablehlo.uniform_dequantize(a0) " LEFT("[2,4]") " -> "    \
                                                                                     "f32[2,"  \
                                                                                     "4];"
#define OF_ROWS(value) "return(" value ")} " LEFT("[2,4]") " -> " MEANS
#define SOFTMAX(result) \
  "module steps={v0=stablehlo.uniform_dequantize(a0) " LEFT("[1,2]") " -> f32[1,2];v1="     \
  "byteir.softmax(v0) axis=1 f32[1,2] -> f32[1,2];v2=stablehlo.uniform_quantize(v1) "       \
  "f32[1,2] -> " result ";return(v2)} " LEFT("[1,2]") " -> " result

static const program_row_t program_rows[] = {
    {"onednn?fpmath=bf16",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=[f32,f32,f32,1,1,1,false] "
     "f32[4] "
     "f32[4] -> f32[]",
     EXECUTOR_REFUSED, "no algorithm is promised where fpmath is not strict"},
    {"openblas", "stablehlo.reduce body=add dims=[0] f32[4] f32[] -> f32[]", EXECUTOR_REFUSED,
     "no stablehlo.reduce here"},
    {"openblas", "stablehlo.dot_general batch=[]x[] contract=[0]x[0] f16[4] f16[4] -> f16[]",
     EXECUTOR_REFUSED, "no gemm from f16 to f16"},
    {"openblas", "stablehlo.dot_general batch=[]x[] contract=[0]x[0] f32[4] f32[4] -> f64[]",
     EXECUTOR_REFUSED, "no gemm from f32 to f64"},
    {"openblas?routine=gemv",
     "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[3,0] f32[0,5] -> f32[3,5]",
     EXECUTOR_REFUSED, "sgemv needs terms to add"},
    {"openblas", "stablehlo.dot_general batch=[]x[] contract=[0]x[] f32[4] f32[4] -> f32[]",
     EXECUTOR_REJECTED, "C2"},
    {"openblas", "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[4] f32[4] -> f32[]",
     EXECUTOR_REJECTED, "C3, C5, C6"},
    {"openblas", "stablehlo.dot_general batch=[0]x[0] contract=[0]x[1] f32[4] f32[4,4] -> f32[4]",
     EXECUTOR_REJECTED, "C3, C5, C6"},
    {"openblas", "stablehlo.dot_general batch=[]x[] contract=[0]x[0] f32[4] f32[5] -> f32[]",
     EXECUTOR_REJECTED, "C10"},
    {"openblas", "stablehlo.dot_general batch=[0]x[0] contract=[]x[] f32[4] f32[5] -> f32[4]",
     EXECUTOR_REJECTED, "C9"},
    {"openblas", "stablehlo.dot_general batch=[]x[] contract=[0]x[0] f32[4] f32[4] -> f32[1]",
     EXECUTOR_REJECTED, "C12"},
    {"openblas", "stablehlo.dot_general batch=[]x[] contract=[0]x[0] f32[4] f64[4] -> f64[]",
     EXECUTOR_REJECTED, "C13"},
    {"openblas",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] precision=[HIGH] f32[4] f32[4] -> f32[]",
     EXECUTOR_REJECTED, "C11"},
    {"openblas",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=[bf16,bf16,f32,1,1,3,false] "
     "f32[4] f32[4] -> f32[]",
     EXECUTOR_REFUSED, "sgemm does not do algorithm [bf16,bf16,f32,1,1,3,false]"},
    {"openblas",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=[bf16,bf16,f32,2,2,3,false] "
     "f32[4] f32[4] -> f32[]",
     EXECUTOR_REFUSED, "sgemm does not do algorithm [bf16,bf16,f32,2,2,3,false]"},
    {"openblas",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=[f32,f32,f32,1,1,3,false] "
     "f32[4] f32[4] -> f32[]",
     EXECUTOR_REFUSED, "sgemm does not do algorithm"},
    {"openblas",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=[f32,f32,f32,1,1,1,true] f32[4] "
     "f32[4] -> f32[]",
     EXECUTOR_REFUSED, "sgemm does not do algorithm"},
    {"openblas",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=[f64,f64,f64,1,1,1,false] "
     "f32[4] f32[4] -> f32[]",
     EXECUTOR_REFUSED, "sgemm does not do algorithm"},
    {"openblas?routine=dot",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=[f32,f32,f32,1,1,1,false] "
     "f32[4] f32[4] -> f32[]",
     EXECUTOR_REFUSED, "sdot does not do algorithm"},
    {"openblas?routine=dsdot",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=[f32,f32,f32,1,1,1,false] "
     "f32[4] f32[4] -> f64[]",
     EXECUTOR_REFUSED, "dsdot does not do algorithm"},
    {"openblas",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=[f32,f32,f32,1,1,1,false] "
     "complex<f32>[4] complex<f32>[4] -> complex<f32>[]",
     EXECUTOR_REFUSED, "cgemm does not do algorithm"},
    {"openblas",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] precision=[HIGH,DEFAULT] "
     "algorithm=[f32,f32,f32,1,1,1,false] f32[4] f32[4] -> f32[]",
     EXECUTOR_REFUSED, "no precision beside an algorithm"},
    {"openblas",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] "
     "algorithm=[f8E5M2,f8E4M3FN,f32,1,1,1,false] f8E5M2[4] f8E4M3FN[4] -> f32[]",
     EXECUTOR_REFUSED, "no products of operands of two types"},
    {"openblas",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] f8E5M2[4] f8E4M3FN[4] -> f32[]",
     EXECUTOR_REJECTED, "C13"},
    {"openblas",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=[f32,f32,f32,1,1,1,false] "
     "f32[4] f64[4] -> f64[]",
     EXECUTOR_REJECTED, "C13"},
    {"onednn",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=[bf16,bf16,f32,1,1,1,false] "
     "f32[4] f32[4] -> f32[]",
     EXECUTOR_REFUSED, "matmul does not do algorithm [bf16,bf16,f32,1,1,1,false]"},
    {"onednn",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=[bf16,bf16,bf16,1,1,1,false] "
     "bf16[4] bf16[4] -> bf16[]",
     EXECUTOR_REFUSED, "matmul does not do algorithm"},
    {"onednn",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=[tf32,tf32,f32,1,1,1,false] "
     "f32[4] f32[4] -> f32[]",
     EXECUTOR_REFUSED, "matmul does not do algorithm"},
    {"onednn",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=[f32,f32,f32,1,1,1,false] i8[4] "
     "i8[4] -> i32[]",
     EXECUTOR_REFUSED, "matmul does not do algorithm"},
    {"onednn",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] "
     "algorithm=[f8E4M3FN,f8E5M2,f32,1,1,1,true] f8E4M3FN[4] f8E5M2[4] -> f32[]",
     EXECUTOR_REFUSED, "no products of operands of two types"},
    {"onednn", "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f64[2,4] f64[4,2] -> f64[2,2]",
     EXECUTOR_REFUSED, "no matmul from f64 to f64"},
    {"onednn", "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f16[2,4] f16[4,2] -> f16[2,2]",
     EXECUTOR_REFUSED, "oneDNN says unimplemented"},
    {"onednn", "stablehlo.dot_general batch=[]x[] contract=[1]x[0] i8[2,4] i8[4,2] -> i8[2,2]",
     EXECUTOR_REFUSED, "no matmul from i8 to i8"},
    {"onednn", "stablehlo.reduce body=xor dims=[0] i32[4] i32[] -> i32[]", EXECUTOR_REFUSED,
     "no reduction but"},
    {"onednn", "stablehlo.reduce body=add dims=[0] i32[4] i32[] -> i32[]", EXECUTOR_REFUSED,
     "no reduction by add from i32 to i32"},
    {"onednn", "stablehlo.reduce body=add dims=[0] i8[4] i8[] -> i8[]", EXECUTOR_REFUSED,
     "no reduction by add from i8 to i8"},
    {"onednn", "stablehlo.reduce body=add dims=[] f32[4] f32[] -> f32[4]", EXECUTOR_REFUSED,
     "no reduction of nothing"},
    {"onednn", "stablehlo.reduce body=add dims=[0] bf16[4] f32[] -> f32[]", EXECUTOR_REJECTED,
     "C2: the type of the initial value"},
    {"onednn", "stablehlo.reduce body=add dims=[0,0] f32[4] f32[] -> f32[]", EXECUTOR_REJECTED,
     "C4, C5"},
    {"onednn", "stablehlo.reduce body=add dims=[1] f32[4,2] f32[] -> f32[2]", EXECUTOR_REJECTED,
     "C7"},
    {"onednn",
     DEQUANTIZED
     "v3=stablehlo.add(v1,v0) f32[2] f32[2] -> f32[2];v4=stablehlo.uniform_quantize(v3) "
     "f32[2] -> " WHOLES ";" OF_TWO("v4"),
     EXECUTOR_REFUSED, "an op of two operands takes operands of the module"},
    {"onednn",
     DEQUANTIZED
     "v3=stablehlo.multiply(v1,v2) f32[2] f32[2] -> f32[2];v4=stablehlo.uniform_quantize"
     "(v3) f32[2] -> " WHOLES ";" OF_TWO("v4"),
     EXECUTOR_REFUSED, "no zero points but of terms"},
    {"onednn",
     ROWS("3f800000") "v3=stablehlo.reduce(v2,v0) body=add dims=[1] f32[2,4] f32[] -> f32[2];v4="
                      "stablehlo.uniform_quantize(v3) f32[2] -> " MEANS ";" OF_ROWS("v4"),
     EXECUTOR_REFUSED, "a sum begins with zero"},
    {"onednn",
     ROWS("00000000") "v3=stablehlo.reduce(v2,v0) body=maximum dims=[1] f32[2,4] f32[] -> f32[2];"
                      "v4=stablehlo.uniform_quantize(v3) f32[2] -> " MEANS ";" OF_ROWS("v4"),
     EXECUTOR_REFUSED, "a module with a reduction is a sum with what follows"},
    {"onednn",
     ROWS("00000000") "v3=stablehlo.reduce(v2,v0) body=add dims=[1] f32[2,4] f32[] -> f32[2];v4="
                      "stablehlo.multiply(v3,v3) f32[2] f32[2] -> f32[2];v5=stablehlo.uniform_"
                      "quantize(v4) f32[2] -> " MEANS ";" OF_ROWS("v5"),
     EXECUTOR_REFUSED, "a sum is multiplied by one constant"},
    {"onednn",
     "module steps={v0=constant(f32[],00000000);v1=stablehlo.uniform_dequantize(a0) " LEFT(
         "[32769]") " -> f32[32769];v2=stablehlo.reduce(v1,v0) body=add dims=[0] f32[32769] f32[] "
                    "-> f32[];v3=stablehlo.uniform_quantize(v2) f32[] -> " WHOLE(
                        "[]") ";return(v3)} " LEFT("[32769]") " -> " WHOLE("[]"),
     EXECUTOR_REFUSED, "sums of at most 32768 terms"},
    {"onednn", SOFTMAX(SHARES(":3")), EXECUTOR_REFUSED, "no zero point of its result"},
    {"onednn",
     "module steps={v0=stablehlo.negate(a0) f32[2] -> f32[2];v1=stablehlo.negate(v0) f32[2] -> "
     "f32[2];return(v1)} f32[2] -> f32[2]",
     EXECUTOR_REFUSED, "a module is about a product, a sum of two tensors"},
};

static void test_refusal(gconstpointer data) {
  const program_row_t *row = data;
  executor_t *executor = check_open_plugin(row->executor);
  if (executor == NULL) return;
  arena_t arena;
  arena_init(&arena);
  program_t program = check_parse_program(row->line, &arena);
  executor_program_t *compiled = NULL;
  char reason[256] = "";
  g_assert_cmpint(executor_compile(executor, &program, &compiled, reason, sizeof reason), ==,
                  row->outcome);
  check_text_contains(reason, row->reason);
  g_assert_cmpint(executor_promises(executor, &program), ==, EXECUTOR_PROMISE_NO);
  arena_deinit(&arena);
  executor_close(executor);
}

typedef struct case_row {
  const char *executor;
  const char *line;
  double expected[2];
} case_row_t;

/* ---- Worked by hand: reductions with the initial value 5, and products. */
static const case_row_t case_rows[] = {
    {"onednn",
     "stablehlo.reduce body=add dims=[1] f32[2,2] f32[] -> f32[2] : "
     "3f800000400000004040000040800000 : 40a00000",
     {8, 12}},
    {"onednn",
     "stablehlo.reduce body=add dims=[0] f32[2,2] f32[] -> f32[2] : "
     "3f800000400000004040000040800000 : 40a00000",
     {9, 11}},
    {"onednn",
     "stablehlo.reduce body=add dims=[0,1] f32[2,2] f32[] -> f32[] : "
     "3f800000400000004040000040800000 : 40a00000",
     {15}},
    {"onednn",
     "stablehlo.reduce body=multiply dims=[1] f32[2,2] f32[] -> f32[2] : "
     "3f800000400000004040000040800000 : 40a00000",
     {10, 60}},
    {"onednn",
     "stablehlo.reduce body=maximum dims=[1] f32[2,2] f32[] -> f32[2] : "
     "3f800000400000004040000040c00000 : 40a00000",
     {5, 6}},
    {"onednn",
     "stablehlo.reduce body=minimum dims=[1] f32[2,2] f32[] -> f32[2] : "
     "3f800000400000004100000041000000 : 40a00000",
     {1, 5}},
    {"onednn",
     "stablehlo.reduce body=maximum dims=[1] i8[2,2] i8[] -> i8[2] : 01027f80 : 05",
     {5, 127}},
    {"onednn",
     "stablehlo.reduce body=minimum dims=[1] i8[2,2] i8[] -> i8[2] : 01027f80 : 05",
     {1, -128}},
    {"onednn?types=any",
     "stablehlo.reduce body=add dims=[1] i32[1,2] i32[] -> i32[1] : 0000000300000004 : 00000005",
     {12}},
    {"onednn?fpmath=bf16",
     "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[1,2] f32[2,1] -> f32[1,1] : "
     "3f80000040000000 : 4040000040800000",
     {11}},
    {"onednn?fpmath=any,threads=1",
     "stablehlo.dot_general batch=[]x[] contract=[1]x[0] precision=[DEFAULT,HIGH] f32[1,2] "
     "f32[2,1] "
     "-> f32[1,1] : 3f80000040000000 : 4040000040800000",
     {11}},
    /* Regions: 3 + 2 and -5 + 1, clamped; the means of 1, 2, 3, 4 and of 0, 0, 0, -4. */
    {"onednn",
     DEQUANTIZED
     "v3=stablehlo.add(v1,v2) f32[2] f32[2] -> f32[2];v4=stablehlo.maximum(v3,v0) f32[2] f32[2] -> "
     "f32[2];v5=stablehlo.uniform_quantize(v4) f32[2] -> " WHOLES ";" OF_TWO("v5") " : 07f7 : 0602",
     {2, -3}},
    {"onednn",
     DEQUANTIZED
     "v3=stablehlo.subtract(v1,v2) f32[2] f32[2] -> f32[2];v4=stablehlo.uniform_quantize"
     "(v3) f32[2] -> " WHOLES ";" OF_TWO("v4") " : 07f7 : 0602",
     {-2, -9}},
    {"onednn",
     "module steps={v0=constant(" WHOLES ",fdfd);v1=stablehlo.add(a0,a1) " LEFTS " " RIGHTS
     " -> " WHOLES ";v2=stablehlo.maximum(v0,v1) " WHOLES " " WHOLES " -> " WHOLES
     ";" OF_TWO("v2") " : 07f7 : 0602",
     {2, -3}},
    {"onednn",
     ROWS("00000000") "v3=stablehlo.reduce(v2,v0) body=add dims=[1] f32[2,4] f32[] -> f32[2];v4="
                      "stablehlo.broadcast_in_dim(v1) broadcast_dimensions=[] f32[] -> f32[2];v5="
                      "stablehlo.multiply(v3,v4) f32[2] f32[2] -> f32[2];v6=stablehlo.uniform_"
                      "quantize(v5) f32[2] -> " MEANS ";" OF_ROWS("v6") " : 03050709010101f9",
     {6, -8}},
    {"onednn",
     "module steps={v0=constant(" LEFT(
         "[]") ",01);v1=stablehlo.reduce(a0,v0) body=add dims=[1] " EIGHT
               " " LEFT("[]") " -> " SUMS ";v2=stablehlo.uniform_quantize(v1) "
                              "!quant.uniform<i32:f32,0x1p-3>[2] -> " MEANS
                              ";" OF_ROWS("v2") " : 03050709010101f9",
     {6, -8}},
    {"onednn", SOFTMAX(SHARES("")) " : 0505", {64, 64}},
    /* Products by algorithms that are what the library does anyway: 1 * 3 + 2 * 4. */
    {"openblas",
     "stablehlo.dot_general batch=[]x[] contract=[1]x[0] algorithm=[f32,f32,f32,1,1,1,false] "
     "f32[1,2] f32[2,1] -> f32[1,1] : 3f80000040000000 : 4040000040800000",
     {11}},
    {"openblas",
     "stablehlo.dot_general batch=[]x[] contract=[1]x[0] algorithm=[f64,f64,f64,1,1,1,false] "
     "f64[1,2] f64[2,1] -> f64[1,1] : 3ff00000000000004000000000000000 : "
     "40080000000000004010000000000000",
     {11}},
    {"openblas?routine=gemv",
     "stablehlo.dot_general batch=[]x[] contract=[1]x[0] algorithm=[f32,f32,f32,1,1,1,false] "
     "f32[1,2] f32[2,1] -> f32[1,1] : 3f80000040000000 : 4040000040800000",
     {11}},
    {"openblas?routine=dot",
     "stablehlo.dot_general batch=[]x[] contract=[1]x[0] algorithm=[f64,f64,f64,1,1,1,false] "
     "f64[1,2] f64[2,1] -> f64[1,1] : 3ff00000000000004000000000000000 : "
     "40080000000000004010000000000000",
     {11}},
    {"onednn",
     "stablehlo.dot_general batch=[]x[] contract=[1]x[0] algorithm=[f32,f32,f32,1,1,1,false] "
     "f32[1,2] f32[2,1] -> f32[1,1] : 3f80000040000000 : 4040000040800000",
     {11}},
    {"openblas",
     "stablehlo.dot_general batch=[]x[] contract=[1]x[0] precision=[DEFAULT,DEFAULT] "
     "algorithm=[f32,f32,f32,1,1,1,false] f32[1,2] f32[2,1] -> f32[1,1] : 3f80000040000000 : "
     "4040000040800000",
     {11}},
};

static void test_case(gconstpointer data) {
  const case_row_t *row = data;
  executor_t *executor = check_open_plugin(row->executor);
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
  tensor_t result = tensor_make(&arena, &instance.program.results[0]);
  execution_t execution = executor_execute(executor, compiled, instance.operands, POISON, &result);
  g_assert_cmpint(execution.outcome, ==, EXECUTOR_OK);
  for (size_t i = 0; i < type_component_count(&result.type); i++) {
    g_assert_cmpfloat(check_load(&result, i), ==, row->expected[i]);
  }
  arena_deinit(&arena);
  executor_close(executor);
}

/* ---- A bf16 product by its algorithm: whether this processor can, the library says. */

static void test_bf16_algorithm(void) {
  executor_t *executor = check_open_plugin("onednn");
  if (executor == NULL) return;
  static const char *const lines[] = {
      "stablehlo.dot_general batch=[]x[] contract=[1]x[0] bf16[2,4] bf16[4,2] -> f32[2,2]",
      "stablehlo.dot_general batch=[]x[] contract=[1]x[0] algorithm=[bf16,bf16,f32,1,1,1,false] "
      "bf16[2,4] bf16[4,2] -> f32[2,2]"};
  executor_outcome_t outcomes[G_N_ELEMENTS(lines)];
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
    program_t program = check_parse_program(lines[i], &arena);
    executor_program_t *compiled = NULL;
    char reason[256] = "";
    outcomes[i] = executor_compile(executor, &program, &compiled, reason, sizeof reason);
  }
  g_assert_cmpint(outcomes[1], ==, outcomes[0]);
  arena_deinit(&arena);
  executor_close(executor);
}

/* ---- An attribute that is not known may change what a program means. */

static void test_unknown_attribute(void) {
  const int64_t sizes[] = {4};
  const assay_type_t vector = {.element = "f32", .dims = sizes, .rank = 1};
  const assay_type_t operands[] = {vector, vector};
  const assay_type_t scalar = {.element = "f32"};
  const assay_attribute_t attributes[] = {
      {"batch", "[]x[]"}, {"contract", "[0]x[0]"}, {"sharding", "[2]"}};
  assay_program_t program = {.struct_size = sizeof program,
                             .operand_count = 2,
                             .result_count = 1,
                             .attribute_count = 2,
                             .op = "stablehlo.dot_general",
                             .operands = operands,
                             .results = &scalar,
                             .attributes = attributes};
  char text[256] = "";
  assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
  plugin_matrices_t matrices;
  g_assert_cmpint(plugin_matrices_make(&program, &matrices, &reason), ==, ASSAY_EXECUTOR_OK);
  program.attribute_count = 3;
  g_assert_cmpint(plugin_matrices_make(&program, &matrices, &reason), ==,
                  ASSAY_EXECUTOR_UNSUPPORTED);
  g_assert_cmpstr(text, ==, "no attribute sharding here");
}

/* ---- Options. */

static void test_bad_options(gconstpointer name) {
  executor_options_t options = {.plugin_directory = ASSAY_BINARY_DIR "/plugins"};
  executor_t *executor = NULL;
  failure_t error;
  status_t status = executor_open(name, &options, &executor, &error);
  if (strstr(error.text, "there is no executor") != NULL) {
    g_test_skip(error.text);
    return;
  }
  g_assert_cmpint(status, ==, STATUS_INVALID);
}

/* Kernels of one library side by side in one process: each is what was asked for. */
static void test_side_by_side(void) {
  static const char *const names[][2] = {{"openblas?coretype=Haswell", "Haswell"},
                                         {"openblas?coretype=Prescott", "Prescott"},
                                         {"openblas?coretype=Sandybridge", "Sandybridge"},
                                         {"onednn?isa=SSE41", "SSE41"},
                                         {"onednn?isa=AVX2", "AVX2"}};
  executor_t *executors[G_N_ELEMENTS(names)] = {NULL};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) executors[i] = check_open_plugin(names[i][0]);
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    if (executors[i] == NULL) continue;
    g_assert_cmpstr(executor_hardware(executors[i]), ==, names[i][1]);
    executor_close(executors[i]);
  }
}

/* A library that was closed leaves nothing behind for the next one of its kind. */
static void test_reopening(void) {
  for (int time = 0; time < 6; time++) {
    executor_t *executor =
        check_open_plugin(time % 2 == 0 ? "onednn?isa=SSE41" : "onednn?isa=AVX2");
    if (executor == NULL) return;
    g_assert_cmpstr(executor_hardware(executor), ==, time % 2 == 0 ? "SSE41" : "AVX2");
    executor_close(executor);
  }
}

static void add_rows(const char *folder, const void *rows, size_t count, size_t row_bytes,
                     GTestDataFunc function) {
  for (size_t i = 0; i < count; i++) {
    const char *row = (const char *)rows + i * row_bytes;
    char *path = g_strdup_printf("/plugins/%s/%zu_%s", folder, i, *(const char *const *)row);
    g_test_add_data_func(path, row, function);
    g_free(path);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  static const char *const bad[] = {
      "openblas?coretype=Nonsense", "openblas?routine=sdsdot", "openblas?threads=0",
      "openblas?colour=blue",       "openblas?routine",        "onednn?isa=Z80",
      "onednn?threads=many",        "onednn?types=all",        "onednn?fpmath=tf32"};
  add_rows("refusal", program_rows, G_N_ELEMENTS(program_rows), sizeof program_rows[0],
           test_refusal);
  add_rows("case", case_rows, G_N_ELEMENTS(case_rows), sizeof case_rows[0], test_case);
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
    char *path = g_strdup_printf("/plugins/bad_options/%s", bad[i]);
    g_test_add_data_func(path, bad[i], test_bad_options);
    g_free(path);
  }
  g_test_add_func("/plugins/bf16_algorithm", test_bf16_algorithm);
  g_test_add_func("/plugins/unknown_attribute", test_unknown_attribute);
  g_test_add_func("/plugins/side_by_side", test_side_by_side);
  g_test_add_func("/plugins/reopening", test_reopening);
  return g_test_run();
}
