/* SPDX-License-Identifier: Apache-2.0 */
/* The op rows of the pointwise ops: constraints, drawing, text. */
#include "oracles/ops/pointwise/pointwise.h"
#include "tests/ops/op_checks.h"

static const draw_limits_t limits = {.rank_max = 5, .elements_max = 4096, .terms_max = 512};

#define Q8 "!quant.uniform<i8:f32,0x1p+0>"
#define DIVIDE "stablehlo.divide "
#define COMPARE "stablehlo.compare comparison_direction=EQ "

static const violation_row_t divide_rows[] = {
    {DIVIDE "f32[2,3] f32[2,3] -> f32[2,3]", NULL},
    {DIVIDE "ui8[] ui8[] -> ui8[]", NULL},
    {DIVIDE "f32[2] -> f32[2]", "arity"},
    {DIVIDE "f32[2] f32[2] -> f32[2] f32[2]", "arity"},
    {DIVIDE Q8 "[2] " Q8 "[2] -> " Q8 "[2]", "quantized"},
    {DIVIDE "i1[2] i1[2] -> i1[2]", "types"},
    {DIVIDE "f32[2] f16[2] -> f32[2]", "C1"},
    {DIVIDE "f32[2] f32[1] -> f32[2]", "C1"},
    {DIVIDE "f32[2] f32[2] -> f32[3]", "C1"},
    {DIVIDE "complex<f32>[2] complex<f32>[2] -> complex<f32>[2]", "numbers"},
    {DIVIDE "f8E8M0FNU[2] f8E8M0FNU[2] -> f8E8M0FNU[2]", "numbers"},
};

static const violation_row_t sqrt_rows[] = {
    {"stablehlo.sqrt f8E5M2[0] -> f8E5M2[0]", NULL},
    {"stablehlo.sqrt f32[2] f32[2] -> f32[2]", "arity"},
    {"stablehlo.sqrt " Q8 "[2] -> " Q8 "[2]", "quantized"},
    {"stablehlo.sqrt i32[2] -> i32[2]", "types"},
    {"stablehlo.sqrt f32[2] -> f32[2,1]", "C1"},
    {"stablehlo.sqrt complex<f64>[2] -> complex<f64>[2]", "numbers"},
};

static const violation_row_t abs_rows[] = {
    {"stablehlo.abs i2[4] -> i2[4]", NULL},
    {"stablehlo.abs f64[4] -> f64[4]", NULL},
    {"stablehlo.abs f64[4] f64[4] -> f64[4]", "arity"},
    {"stablehlo.abs " Q8 "[2] -> " Q8 "[2]", "quantized"},
    {"stablehlo.abs ui8[4] -> ui8[4]", "types"},
    {"stablehlo.abs i1[4] -> i1[4]", "types"},
    {"stablehlo.abs f64[4] -> f64[5]", "C1"},
    {"stablehlo.abs f64[4] -> f32[4]", "C2"},
    {"stablehlo.abs complex<f32>[4] -> complex<f32>[4]", "C2"},
    {"stablehlo.abs complex<f32>[4] -> f64[4]", "C2"},
    {"stablehlo.abs complex<f32>[4] -> f32[4]", "numbers"},
};

static const violation_row_t and_rows[] = {
    {"stablehlo.and i1[4] i1[4] -> i1[4]", NULL},
    {"stablehlo.and ui64[] ui64[] -> ui64[]", NULL},
    {"stablehlo.and ui64[] -> ui64[]", "arity"},
    {"stablehlo.and " Q8 "[2] " Q8 "[2] -> " Q8 "[2]", "types"},
    {"stablehlo.and f32[4] f32[4] -> f32[4]", "types"},
    {"stablehlo.and complex<f32>[4] complex<f32>[4] -> complex<f32>[4]", "types"},
    {"stablehlo.and i8[4] ui8[4] -> i8[4]", "C1"},
};

static const violation_row_t compare_rows[] = {
    {COMPARE "f32[2] f32[2] -> i1[2]", NULL},
    {COMPARE "compare_type=UNSIGNED i1[2] i1[2] -> i1[2]", NULL},
    {"stablehlo.compare comparison_direction=LT compare_type=SIGNED i4[] i4[] -> i1[]", NULL},
    {COMPARE "f32[2] -> i1[2]", "arity"},
    {COMPARE Q8 "[2] " Q8 "[2] -> i1[2]", "quantized"},
    {COMPARE "f32[2] f64[2] -> i1[2]", "C1"},
    {COMPARE "f32[2] f32[1] -> i1[2]", "C2"},
    {COMPARE "f32[2] f32[2] -> i1[]", "C2"},
    {COMPARE "f32[2] f32[2] -> i8[2]", "result"},
    {COMPARE "compare_type=SIGNED f32[2] f32[2] -> i1[2]", "C3"},
    {COMPARE "compare_type=SIGNED ui8[2] ui8[2] -> i1[2]", "C3"},
    {COMPARE "compare_type=UNSIGNED i8[2] i8[2] -> i1[2]", "C3"},
    {COMPARE "compare_type=FLOAT i1[2] i1[2] -> i1[2]", "C3"},
    {COMPARE "compare_type=TOTALORDER complex<f32>[2] complex<f32>[2] -> i1[2]", "C3"},
    {COMPARE "complex<f32>[2] complex<f32>[2] -> i1[2]", "numbers"},
    {COMPARE "compare_type=TOTALORDER f32[2] f32[2] -> i1[2]", "order"},
};

static const violation_row_t select_rows[] = {
    {"stablehlo.select i1[] f32[2,3] f32[2,3] -> f32[2,3]", NULL},
    {"stablehlo.select i1[2] complex<f64>[2] complex<f64>[2] -> complex<f64>[2]", NULL},
    {"stablehlo.select i1[] f32[2] -> f32[2]", "arity"},
    {"stablehlo.select i1[] " Q8 "[2] " Q8 "[2] -> " Q8 "[2]", "quantized"},
    {"stablehlo.select i8[] f32[2] f32[2] -> f32[2]", "pred"},
    {"stablehlo.select i1[1] f32[2] f32[2] -> f32[2]", "C1"},
    {"stablehlo.select i1[2] f32[2,3] f32[2,3] -> f32[2,3]", "C1"},
    {"stablehlo.select i1[2] f32[2] f16[2] -> f32[2]", "C2"},
    {"stablehlo.select i1[] f32[2] f32[3] -> f32[2]", "C2"},
};

static const violation_row_t clamp_rows[] = {
    {"stablehlo.clamp f32[] f32[2,3] f32[2,3] -> f32[2,3]", NULL},
    {"stablehlo.clamp i1[2] i1[2] i1[] -> i1[2]", NULL},
    {"stablehlo.clamp f32[] f32[2] -> f32[2]", "arity"},
    {"stablehlo.clamp " Q8 "[] " Q8 "[2] " Q8 "[] -> " Q8 "[2]", "quantized"},
    {"stablehlo.clamp f32[1] f32[2] f32[] -> f32[2]", "C1"},
    {"stablehlo.clamp f32[] f32[2] f32[3] -> f32[2]", "C2"},
    {"stablehlo.clamp f32[] f32[2] f16[] -> f32[2]", "C3"},
    {"stablehlo.clamp f32[] f32[2] f32[] -> f32[3]", "C4"},
    {"stablehlo.clamp f32[] f32[2] f32[] -> f16[2]", "C4"},
    {"stablehlo.clamp complex<f32>[] complex<f32>[2] complex<f32>[] -> complex<f32>[2]", "numbers"},
};

#define EACH_TABLE(function)                                                                    \
  function("stablehlo.divide", divide_rows) function("stablehlo.sqrt", sqrt_rows)               \
      function("stablehlo.abs", abs_rows) function("stablehlo.and", and_rows)                   \
          function("stablehlo.compare", compare_rows) function("stablehlo.select", select_rows) \
              function("stablehlo.clamp", clamp_rows)

static void test_violations(void) {
#define CHECK(name, rows) check_violations(check_find_op(name), rows, G_N_ELEMENTS(rows), NULL);
  EACH_TABLE(CHECK)
#undef CHECK
}

static void test_hostile(void) {
#define CHECK(name, rows) check_hostile(rows, G_N_ELEMENTS(rows), 4000);
  EACH_TABLE(CHECK)
#undef CHECK
}

/* ---- Drawing --------------------------------------------------------------------------------- */

typedef struct coverage {
  uint64_t elements; /* Bit masks: over element_table; of ranks. */
  uint32_t ranks;
  uint32_t directions;
  uint32_t types;      /* Of comparisons. */
  uint32_t scalars[2]; /* First and last operands that are scalars, and that are not. */
} coverage_t;

static void visit(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  coverage_t *coverage = state;
  pointwise_t function = pointwise_of(program);
  const type_t *type = &program->operands[pointwise_main_operand(function)];
  coverage->elements |= UINT64_C(1) << (type->element - element_table);
  coverage->ranks |= 1u << type->rank;
  if (function == POINTWISE_COMPARE) {
    coverage->directions |= 1u << compare_attributes(program)->direction;
    coverage->types |= 1u << compare_attributes(program)->type;
  }
  if (type->rank == 0) return;
  coverage->scalars[0] |= 1u << (program->operands[0].rank == 0);
  coverage->scalars[1] |= 1u << (program->operands[program->operand_count - 1].rank == 0);
}

static void test_drawn(void) {
  extern const op_t *const pointwise_ops[];
  for (size_t i = 0; pointwise_ops[i] != NULL; i++) {
    coverage_t coverage = {0};
    check_drawn(pointwise_ops[i], &limits, 3000, visit, &coverage);
    const program_t program = {.op = pointwise_ops[i]};
    pointwise_t function = pointwise_of(&program);
    for (size_t k = 0; k < element_count; k++) {
      bool is_taken = pointwise_takes(function, &element_table[k]);
      g_assert_cmpint((coverage.elements >> k & 1) != 0, ==, is_taken);
    }
    g_assert_cmphex(coverage.ranks, ==, (1u << (limits.rank_max + 1)) - 1);
    bool compares = function == POINTWISE_COMPARE, clamps = function == POINTWISE_CLAMP;
    g_assert_cmphex(coverage.directions, ==, compares ? (1u << COMPARISON_COUNT) - 1 : 0);
    uint32_t all_types = (1u << COMPARISON_TYPE_COUNT) - 1;
    g_assert_cmphex(coverage.types, ==,
                    compares ? all_types & ~(1u << COMPARISON_TYPE_TOTALORDER) : 0);
    g_assert_cmphex(coverage.scalars[0], ==, clamps || function == POINTWISE_SELECT ? 3 : 1);
    g_assert_cmphex(coverage.scalars[1], ==, clamps ? 3 : 1);
  }
}

/* Whatever was drawn, no integer is divided by zero. */
static void test_settled(void) {
  arena_t arena;
  arena_init(&arena);
  const char *violation = NULL;
  program_t program = check_parse(DIVIDE "i8[3] i8[3] -> i8[3]", &arena, &violation);
  case_t instance = case_make(&arena, &program);
  static const uint8_t data[2][3] = {{5, 0x80, 0x80}, {0, 0xff, 3}};
  for (size_t i = 0; i < 2; i++) memcpy(instance.operands[i].data, data[i], sizeof data[i]);
  rng_t rng = rng_make(1);
  program.op->settle_operands(&rng, &instance);
  g_assert_true(memcmp(instance.operands[0].data, data[0], sizeof data[0]) == 0);
  g_assert_true(memcmp(instance.operands[1].data, "\1\1\3", sizeof data[1]) == 0);
  arena_deinit(&arena);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void test_mlir(void) {
  static const struct {
    const char *line;
    const char *part;
  } rows[] = {
      {"stablehlo.compare comparison_direction=GE compare_type=FLOAT f32[2] f32[2] -> i1[2]",
       "\"stablehlo.compare\"(%arg0, %arg1) <{comparison_direction = "
       "#stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type FLOAT>}> : "
       "(tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>"},
      {COMPARE "f32[2] f32[2] -> i1[2]",
       "<{comparison_direction = #stablehlo<comparison_direction EQ>}>"},
      {"stablehlo.select i1[] f32[2] f32[2] -> f32[2]",
       "\"stablehlo.select\"(%arg0, %arg1, %arg2) : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> "
       "tensor<2xf32>"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = check_text(rows[i].line, program_print_mlir_to_run);
    if (strstr(text, rows[i].part) == NULL) g_error("%s is\n%s", rows[i].line, text);
  }
}

static void test_words(void) {
  g_autofree char *words = check_text(
      "stablehlo.compare comparison_direction=NE i8[3] i8[3] -> i1[3]", program_print_words);
  g_assert_cmpstr(words, ==,
                  "whether a comparison holds (NE), for each element of i8[3] and i8[3]");
  g_autofree char *clamp =
      check_text("stablehlo.clamp f32[] f32[2] f32[] -> f32[2]", program_print_words);
  g_assert_cmpstr(clamp, ==,
                  "the second one, but at least the first and at most the third, for each element "
                  "of f32[], f32[2] and f32[]");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/pointwise_op/violations", test_violations);
  g_test_add_func("/pointwise_op/hostile", test_hostile);
  g_test_add_func("/pointwise_op/drawn", test_drawn);
  g_test_add_func("/pointwise_op/settled", test_settled);
  g_test_add_func("/pointwise_op/mlir", test_mlir);
  g_test_add_func("/pointwise_op/words", test_words);
  return g_test_run();
}
