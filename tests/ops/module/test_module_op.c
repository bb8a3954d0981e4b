/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of several steps: their text, their sets held against arithmetic by hand, and kernels
 * that fuse them in each permitted way. */
#include <math.h>

#include "generated/module_permissions.h"
#include "harness/gen/gen.h"
#include "harness/kinds/module/module.h"
#include "harness/model/fault.h"
#include "oracles/oracle.h"

enum { TEXT_PROGRAMS = 600, MODEL_CASES = 500, TRIPLES = 1500 };

static contract_t parse_contract(const char *text) {
  contract_t contract;
  failure_t error = {0};
  if (contract_parse(str_from(text), &contract, &error) != STATUS_OK) g_error("%s", error.text);
  return contract;
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* What is drawn is printed as it was read, and its MLIR has each step. */
static void test_text(void) {
  const op_t *op = op_find(str_from(MODULE_OP));
  g_assert_nonnull(op);
  rng_t rng = rng_make(3);
  arena_t arena;
  arena_init(&arena);
  const draw_limits_t limits = {.rank_max = 4, .elements_max = 64, .terms_max = 24};
  for (int i = 0; i < TEXT_PROGRAMS; i++) {
    program_t program, again;
    failure_t error = {0};
    arena_reset(&arena);
    op->draw(&rng, &limits, &arena, &program);
    g_autoptr(GString) line = g_string_new(NULL);
    g_autoptr(GString) second = g_string_new(NULL);
    g_autoptr(GString) mlir = g_string_new(NULL);
    program_print(&program, line);
    const str_t text = {.data = line->str, .size = line->len};
    if (program_parse(text, &arena, &again, NULL, &error) != STATUS_OK) g_error("%s", error.text);
    program_print(&again, second);
    g_assert_cmpstr(line->str, ==, second->str);
    op->print_mlir(&again, mlir);
    const module_t *module = module_of(&again);
    for (uint32_t k = 0; k < module->step_count; k++) {
      g_autofree char *name =
          g_strdup_printf("%%v%u", module->steps[k].results[0] - (uint32_t)MODULE_ARGUMENTS_MAX);
      g_assert_nonnull(strstr(mlir->str, name));
    }
  }
  arena_deinit(&arena);
}

/* ---- By hand --------------------------------------------------------------------------------- */

typedef struct asking {
  arena_t arena;
  case_t instance;
  contract_t contract;
} asking_t;

static void ask_begin(asking_t *asking, const char *line, const char *contract) {
  arena_init(&asking->arena);
  failure_t error = {0};
  program_t program;
  if (program_parse(str_from(line), &asking->arena, &program, NULL, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  asking->instance = case_make(&asking->arena, &program);
  asking->contract = parse_contract(contract);
}

/* Whether the only element of the result may be that pattern. */
static bool permits(asking_t *asking, uint64_t bits) {
  const program_t *program = &asking->instance.program;
  arena_mark_t mark = arena_mark(&asking->arena);
  tensor_t result = tensor_make(&asking->arena, &program->results[0]);
  element_store(result.type.element, result.data, 0, bits);
  failure_t error = {0};
  const oracle_call_t call = {.instance = &asking->instance,
                              .contract = &asking->contract,
                              .results = &result,
                              .arena = &asking->arena,
                              .error = &error};
  answer_t answer;
  const oracle_t *oracle = oracle_find(program->op);
  status_t status = oracle_decide_with_memo(oracle->decide, &call, 0, 0, &answer);
  if (status != STATUS_OK) g_error("%s", error.text);
  arena_rewind(&asking->arena, mark);
  return answer.conforms;
}

#define LHS "!quant.uniform<i8:f32,0x1p-2:3>[1,2]"
#define RHS "!quant.uniform<i8:f32,0x1p-3>[2,1]"
#define SUM "!quant.uniform<i32:f32,0x1p-5>[1,1]"
#define RESULT "!quant.uniform<i8:f32,0x1p-1:-5>[1,1]"

/* All operands of a product of two terms, bias, maximum and requantization: scales are powers of
 * two, so one integer is right, ties to even, and the others are not. */
static void test_exhausted(void) {
  asking_t asking;
  ask_begin(&asking,
            "module steps={v0=constant(" RHS
            ",07fd);v1=constant(i32[1,1],00000011);v2=constant("
            "i32[1,1],00000000);v3=stablehlo.dot_general(a0,v0) batch=[]x[] contract=[1]x[0] " LHS
            " " RHS " -> " SUM
            ";v4=stablehlo.add(v3,v1) i32[1,1] i32[1,1] -> i32[1,1];v5="
            "stablehlo.maximum(v4,v2) i32[1,1] i32[1,1] -> i32[1,1];v6=stablehlo.uniform_quantize("
            "v5) " SUM " -> " RESULT ";return(v6)} " LHS " -> " RESULT,
            "spec");
  size_t ties = 0;
  for (int a = -128; a < 128; a++) {
    for (int b = -128; b < 128; b += 15) {
      asking.instance.operands[0].data[0] = (uint8_t)a;
      asking.instance.operands[0].data[1] = (uint8_t)b;
      int sum = MAX((a - 3) * 7 + (b - 3) * -3 + 17, 0);
      double quotient =
          sum / 16.0 - 5; /* 0x1p-5 / 0x1p-1, and the zero point before the rounding. */
      int right = (int)fmin(fmax(nearbyint(quotient), -128), 127);
      ties += quotient - floor(quotient) == 0.5;
      for (int other = -1; other <= 1; other++) {
        int stored = right + other;
        if (stored < -128 || stored > 127) continue;
        g_assert_true(permits(&asking, (uint8_t)stored) == (other == 0));
      }
    }
  }
  g_assert_cmpuint(ties, >, 50);
  arena_deinit(&asking.arena);
}

static double draw_half(rng_t *rng) {
  return ldexp((double)rng_between(rng, -2047, 2047), (int)rng_between(rng, -6, 3));
}

/* Two additions of f16: rounded between them, the sums of pairs count; wider, the sum of three in
 * f32 and in exact numbers, rounded once, conforms, and under `rounded` it does not where they
 * differ. */
static void test_sums_of_three(void) {
  static const char *const line =
      "module steps={v0=stablehlo.add(a0,a1) f16[] f16[] -> f16[];v1=stablehlo.add(v0,a2) f16[] "
      "f16[] -> f16[];return(v1)} f16[] f16[] f16[] -> f16[]";
  asking_t rounded, wider;
  ask_begin(&rounded, line, "spec");
  ask_begin(&wider, line, "spec,intermediates=wider");
  const format_t *half = element_named("f16")->format;
  rng_t rng = rng_make(11);
  size_t differ = 0;
  for (int i = 0; i < TRIPLES; i++) {
    double numbers[3];
    for (int k = 0; k < 3; k++) {
      numbers[k] = format_round_double(half, draw_half(&rng));
      uint64_t bits = format_from_double(half, numbers[k]);
      element_store(element_named("f16"), rounded.instance.operands[k].data, 0, bits);
      element_store(element_named("f16"), wider.instance.operands[k].data, 0, bits);
    }
    double pair = format_round_double(half, numbers[0] + numbers[1]);
    uint64_t twice = format_from_double(half, pair + numbers[2]);
    uint64_t once = format_from_double(half, numbers[0] + numbers[1] + numbers[2]);
    uint64_t far = format_next_up(half, format_next_up(half, format_next_up(half, once)));
    g_assert_true(permits(&rounded, twice));
    g_assert_true(permits(&wider, twice));
    g_assert_true(permits(&wider, once));
    if (twice != once) g_assert_false(permits(&rounded, once));
    differ += twice != once;
    bool is_near = fabs(format_to_double(half, far) - format_to_double(half, twice)) <
                   fabs(format_to_double(half, far) - format_to_double(half, once));
    bool cancels = fabs(numbers[0] + numbers[1] + numbers[2]) < fabs(numbers[0] + numbers[1]);
    if (!is_near && !cancels) g_assert_false(permits(&wider, far));
  }
  g_assert_cmpuint(differ, >, 50);
  arena_deinit(&rounded.arena);
  arena_deinit(&wider.arena);
}

/* T213: 0 and 7 times a scale a little above 1/2, as -100 and -93 with the zero point -100, are a
 * little more than 3.5.  Kernels that multiply zero points out, `q s - z s`, are off by so much of
 * 100 s that they round down; those that compute with `q - z` are not. */
static void test_zero_points_multiplied_out(void) {
  static const char line[] =
      "module steps={v0=constant(f32[],00000000);v1=stablehlo.uniform_dequantize(a0) "
      "!quant.uniform<i8:f32,0x1.000014p-1:-100>[] -> f32[];v2=stablehlo.uniform_dequantize(a1) "
      "!quant.uniform<i8:f32,0x1.000014p-1:-100>[] -> f32[];v3=stablehlo.%s f32[] f32[] -> f32[];"
      "%sv%d=stablehlo.uniform_quantize(v%d) f32[] -> !quant.uniform<i8:f32,0x1p+0:-7>[];"
      "return(v%d)} !quant.uniform<i8:f32,0x1.000014p-1:-100>[] "
      "!quant.uniform<i8:f32,0x1.000014p-1:-100>[] -> !quant.uniform<i8:f32,0x1p+0:-7>[]";
  static const char maximum[] = "v4=stablehlo.maximum(v3,v0) f32[] f32[] -> f32[];";
  static const struct {
    const char *op, *contract;
    bool is_clamped;
    int low, high;
  } rows[] = {
      {"add(v1,v2)", "backend,intermediates=wider", false, -3, -3},
      {"add(v1,v2)", "backend", false, -4, -3},
      {"add(v1,v2)", "backend", true, -4, -3},
      {"subtract(v1,v2)", "backend,intermediates=wider", false, -11, -11},
      {"subtract(v1,v2)", "backend", false, -11, -10},
      {"subtract(v1,v2)", "backend", true, -7, -7},
      {"multiply(v1,v2)", "backend", false, -7, -7},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    int last = rows[i].is_clamped ? 5 : 4;
    g_autofree char *text =
        g_strdup_printf(line, rows[i].op, rows[i].is_clamped ? maximum : "", last, last - 1, last);
    asking_t asking;
    ask_begin(&asking, text, rows[i].contract);
    asking.instance.operands[0].data[0] = (uint8_t)-100;
    asking.instance.operands[1].data[0] = (uint8_t)-93;
    for (int stored = -128; stored < 128; stored++) {
      bool is_right = rows[i].low <= stored && stored <= rows[i].high;
      if (permits(&asking, (uint8_t)stored) != is_right) g_error("row %zu: %d", i, stored);
    }
    arena_deinit(&asking.arena);
  }
}

/* ---- Kernels that conform -------------------------------------------------------------------- */

static const struct {
  const char *name;
  const char *formula;
  const char *contract;
  bool fused;    /* Products are added unrounded. */
  bool reorders; /* Sums have drawn orders. */
  fault_t flushes;
} silent[] = {
    {"steps", NULL, "spec", false, false, FAULT_NONE},
    {"fma", NULL, "backend,intermediates=rounded", true, true, FAULT_NONE},
    {"wider", "wider", "spec,intermediates=wider", false, false, FAULT_NONE},
    {"wider+fma", "wider", "backend,intermediates=wider", true, true, FAULT_NONE},
    {"either", "either", "spec,intermediates=either", false, false, FAULT_NONE},
    {"either+fma", "either", "backend", true, true, FAULT_NONE},
    {"flushed operands", NULL, "backend,ftz=both", true, true, FAULT_flush_inputs},
    {"flushed results", NULL, "spec,ftz=both", false, false, FAULT_flush_outputs},
    {"flushed results, wider", "wider", "backend,ftz=both", false, true, FAULT_flush_outputs},
};

static void check_element(const oracle_call_t *call, uint32_t result, size_t element) {
  answer_t answer;
  const oracle_t *oracle = oracle_find(call->instance->program.op);
  if (oracle->decide(call, result, element, &answer) != STATUS_OK) g_error("%s", call->error->text);
  if (answer.conforms) return;
  g_autoptr(GString) line = g_string_new(NULL);
  case_print(call->instance, line);
  g_error("%s: result %u, element %zu, expected %s", line->str, result, element, answer.expected);
}

static void check_case(asking_t *asking, const implementation_model_t *schedule) {
  const program_t *program = &asking->instance.program;
  const oracle_t *oracle = oracle_find(program->op);
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    results[i] = tensor_make(&asking->arena, &program->results[i]);
  }
  failure_t error = {0};
  oracle_call_t call = {.instance = &asking->instance, .arena = &asking->arena, .error = &error};
  if (oracle->simulate(&call, schedule, results) != STATUS_OK) g_error("%s", error.text);
  call.contract = &asking->contract;
  call.results = results;
  decision_memo_t memo;
  decision_memo_init(&memo);
  call.memo = &memo;
  for (uint32_t i = 0; i < program->result_count; i++) {
    size_t count = type_element_count(&program->results[i]);
    for (size_t k = 0; k < count; k++) check_element(&call, i, k);
  }
  decision_memo_deinit(&memo);
}

static void draw_order(rng_t *rng, implementation_model_t *inout_schedule) {
  static const sum_order_kind_t kinds[] = {SUM_SEQUENTIAL, SUM_REVERSE, SUM_HALVES,  SUM_BLOCKS,
                                           SUM_LANES,      SUM_RANDOM,  SUM_SHUFFLED};
  inout_schedule->order.kind = kinds[rng_below(rng, G_N_ELEMENTS(kinds))];
  inout_schedule->order.width = 1 + (uint32_t)rng_below(rng, 4);
  inout_schedule->seed = rng_bits(rng);
}

static void test_silent(gconstpointer data) {
  size_t row = GPOINTER_TO_SIZE(data);
  const op_t *op = op_find(str_from(MODULE_OP));
  implementation_model_t schedule = schedule_plain();
  schedule.formula = silent[row].formula;
  schedule.fused = silent[row].fused;
  schedule.fault = silent[row].flushes;
  asking_t asking = {.contract = parse_contract(silent[row].contract)};
  arena_init(&asking.arena);
  rng_t rng = rng_make(row + 5);
  const draw_limits_t limits = {.rank_max = 4, .elements_max = 96, .terms_max = 64};
  for (int i = 0; i < MODEL_CASES; i++) {
    arena_reset(&asking.arena);
    program_t program;
    op->draw(&rng, &limits, &asking.arena, &program);
    asking.instance = case_make(&asking.arena, &program);
    gen_data(&rng, &asking.instance);
    if (silent[row].reorders) draw_order(&rng, &schedule);
    check_case(&asking, &schedule);
  }
  arena_deinit(&asking.arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/modules/text", test_text);
  g_test_add_func("/modules/exhausted", test_exhausted);
  g_test_add_func("/modules/sums_of_three", test_sums_of_three);
  g_test_add_func("/modules/zero_points_multiplied_out", test_zero_points_multiplied_out);
  for (size_t i = 0; i < G_N_ELEMENTS(silent); i++) {
    g_autofree char *path = g_strdup_printf("/modules/silent/%s", silent[i].name);
    g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_silent);
  }
  return g_test_run();
}
