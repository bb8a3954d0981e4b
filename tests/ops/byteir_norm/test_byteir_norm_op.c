/* SPDX-License-Identifier: Apache-2.0 */
/* The op rows of byteir.layer_norm and byteir.l2_norm. */
#include <math.h>

#include "oracles/ops/byteir_norm/byteir_norm.h"
#include "tests/ops/op_checks.h"

static const draw_limits_t limits = {.rank_max = 5, .elements_max = 4096, .terms_max = 512};

static const op_t *layer_norm_row(void) { return check_find_op("byteir.layer_norm"); }
static const op_t *l2_norm_row(void) { return check_find_op("byteir.l2_norm"); }

#define LAYER "byteir.layer_norm epsilon=0x1p-10 axis=[1] "
#define LAYERS "byteir.layer_norm epsilon=0x1p-10 axis=[2,1] eps_outside_sqrt=true "
#define L2 "byteir.l2_norm epsilon=0x0p+0 axis=[1] "

static const violation_row_t layer_norm_rows[] = {
    {LAYER "f32[2,3] f32[3] f32[3] -> f32[2,3]", NULL},
    {LAYER "f32[2,3] f32[3] f32[3] -> f32[2,3] f32[2,1] f32[2,1]", NULL},
    {LAYERS "f16[2,3,5] f16[3,5] f16[3,5] -> f16[2,3,5] f16[2,1,1] f16[2,1,1]", NULL},
    {"byteir.layer_norm epsilon=0x0p+0 axis=[] f64[2] f64[] f64[] -> f64[2]", NULL},
    {"byteir.layer_norm epsilon=0x0p+0 axis=[] f64[] f64[] f64[] -> f64[]", NULL},
    {"byteir.layer_norm epsilon=0x1.8p+900 axis=[-1,0] eps_outside_sqrt=false "
     "bf16[2,3] bf16[2,3] bf16[2,3] -> bf16[2,3] bf16[1,1] bf16[1,1]",
     NULL},
    {LAYER "bf16[2,3] f32[3] f32[3] -> bf16[2,3] f32[2,1] f32[2,1]", NULL},
    {LAYER "f16[2,3] f16[3] f16[3] -> f32[2,3] f16[2,1] f16[2,1]", NULL},
    {LAYER "f32[2,0] f32[0] f32[0] -> f32[2,0] f32[2,1] f32[2,1]", NULL},
    {LAYER "f32[0,3] f32[3] f32[3] -> f32[0,3] f32[0,1] f32[0,1]", NULL},

    {LAYER "-> f32[2,3]", "count"},
    {LAYER "f32[2,3] -> f32[2,3]", "count"},
    {LAYER "f32[2,3] f32[3] -> f32[2,3]", "count"},
    {LAYER "f32[2,3] f32[3] f32[3] f32[3] -> f32[2,3]", "count"},
    {LAYER "f32[2,3] f32[3] f32[3] -> f32[2,3] f32[2,1]", "count"},
    {LAYER "i32[2,3] i32[3] i32[3] -> i32[2,3]", "types"},
    {LAYER "f8E5M2[2,3] f8E5M2[3] f8E5M2[3] -> f8E5M2[2,3]", "types"},
    {LAYER "complex<f32>[2,3] f32[3] f32[3] -> complex<f32>[2,3]", "types"},
    {LAYER "!quant.uniform<i8:f32,0x1p+0>[2,3] f32[3] f32[3] -> f32[2,3]", "types"},
    {LAYER "f32[2] f32[2] f32[2] -> f32[2]", "axis"},
    {LAYER "f32[] f32[] f32[] -> f32[]", "axis"},
    {"byteir.layer_norm epsilon=0x0p+0 axis=[-3] f32[2,3] f32[3] f32[3] -> f32[2,3]", "axis"},
    {"byteir.layer_norm epsilon=0x0p+0 axis=[1,1] f32[2,3] f32[3,3] f32[3,3] -> f32[2,3]", "axis"},
    {"byteir.layer_norm epsilon=0x0p+0 axis=[1,-1] f32[2,3] f32[3,3] f32[3,3] -> f32[2,3]", "axis"},
    {"byteir.layer_norm epsilon=0x0p+0 axis=[0,1,0] f32[2,3] f32[2,3] f32[2,3] -> f32[2,3]",
     "axis"},
    {"byteir.layer_norm epsilon=0x0p+0 axis=[0,1,2,3,4,5,6,7] f32[2,3] f32[2,3] f32[2,3] -> "
     "f32[2,3]",
     "axis"},
    {"byteir.layer_norm epsilon=0x0p+0 axis=[9223372036854775807] f32[3] f32[3] f32[3] -> f32[3]",
     "axis"},
    {"byteir.layer_norm epsilon=0x0p+0 axis=[-9223372036854775808] f32[3] f32[3] f32[3] -> f32[3]",
     "axis"},
    {LAYER "f32[2,3] f32[2] f32[3] -> f32[2,3]", "weight"},
    {LAYER "f32[2,3] f32[3] f32[2,3] -> f32[2,3]", "weight"},
    {LAYER "f32[2,3] f16[3] f32[3] -> f32[2,3]", "types"},
    {LAYER "f32[2,3] f32[3] f64[3] -> f32[2,3]", "types"},
    {LAYER "f32[2,3] f32[] f32[] -> f32[2,3]", "weight"},
    {LAYER "f32[2,3] f32[1,3] f32[1,3] -> f32[2,3]", "weight"},
    {LAYER "f32[2,3] f32[3] !quant.uniform<i8:f32,0x1p+0>[3] -> f32[2,3]", "types"},
    {LAYERS "f16[2,3,5] f16[5,3] f16[5,3] -> f16[2,3,5]", "weight"}, /* As named, not ascending. */
    {LAYER "f32[2,3] f32[3] f32[3] -> f32[3,2]", "result"},
    {LAYER "f32[2,3] f32[3] f32[3] -> f64[2,3] f32[2,1] f32[2,1]", "types"},
    {LAYER "f32[2,3] f32[3] f32[3] -> f32[2,3] f32[2] f32[2]", "moments"},
    {LAYER "f32[2,3] f32[3] f32[3] -> f32[2,3] f32[2,1] f32[1,3]", "moments"},
    {LAYER "f16[2,3] f16[3] f16[3] -> f16[2,3] f64[2,1] f64[2,1]", "types"},
    {LAYER "f16[2,3] f32[3] f16[3] -> bf16[2,3]", "types"},
    {LAYER "f32[2,3] f32[3] f32[3] -> f32[2,3] f32[2,3] f32[2,1]", "moments"},
};

static const violation_row_t l2_norm_rows[] = {
    {L2 "f32[2,3] -> f32[2,3]", NULL},
    {"byteir.l2_norm epsilon=0x1.197998p-40 axis=[-1] eps_outside_sqrt=true bf16[2,3] -> bf16[2,3]",
     NULL},
    {"byteir.l2_norm epsilon=0x1p-1074 axis=[1,0] eps_outside_sqrt=false f16[2,3] -> f16[2,3]",
     NULL},
    {"byteir.l2_norm epsilon=0x0p+0 axis=[] f64[] -> f64[]", NULL},
    {L2 "f32[2,0] -> f32[2,0]", NULL},

    {L2 "-> f32[2,3]", "count"},
    {L2 "f32[2,3] f32[3] f32[3] -> f32[2,3]", "count"},
    {L2 "f32[2,3] -> f32[2,3] f32[2,1]", "count"},
    {L2 "i8[2,3] -> i8[2,3]", "types"},
    {L2 "f8E4M3[2,3] -> f8E4M3[2,3]", "types"},
    {L2 "complex<f64>[2,3] -> complex<f64>[2,3]", "types"},
    {L2 "!quant.uniform<i8:f32,0x1p+0>[2,3] -> !quant.uniform<i8:f32,0x1p+0>[2,3]", "types"},
    {L2 "f32[2] -> f32[2]", "axis"},
    {"byteir.l2_norm epsilon=0x0p+0 axis=[0,-1] f32[2] -> f32[2]", "axis"},
    {"byteir.l2_norm epsilon=0x0p+0 axis=[-2] f32[2] -> f32[2]", "axis"},
    {"byteir.l2_norm epsilon=0x0p+0 axis=[4294967296] f32[2] -> f32[2]", "axis"},
    {L2 "f32[2,3] -> f32[2,1]", "result"},
    {L2 "f32[2,3] -> f16[2,3]", "types"},
    {L2 "f32[2,3] -> f32[3]", "result"},
};

static void test_violations(void) {
  check_violations(layer_norm_row(), layer_norm_rows, G_N_ELEMENTS(layer_norm_rows), NULL);
  check_violations(l2_norm_row(), l2_norm_rows, G_N_ELEMENTS(l2_norm_rows), NULL);
}

static void test_hostile(void) {
  check_hostile(layer_norm_rows, G_N_ELEMENTS(layer_norm_rows), 40000);
  check_hostile(l2_norm_rows, G_N_ELEMENTS(l2_norm_rows), 20000);
}

/* Today's document has no negative axes. */
static void test_contracts(void) {
  static const struct {
    const char *line;
    const char *today;
  } rows[] = {
      {L2 "f32[2,3] -> f32[2,3]", NULL},
      {"byteir.l2_norm epsilon=0x0p+0 axis=[0,-1] f32[2,3] -> f32[2,3]", "sign"},
      {LAYER "f32[2,3] f32[3] f32[3] -> f32[2,3]", NULL},
      {"byteir.layer_norm epsilon=0x0p+0 axis=[-2] f32[2,3] f32[2] f32[2] -> f32[2,3]", "sign"},
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const char *violation = NULL;
    program_t program = check_parse(rows[i].line, &arena, &violation);
    g_assert_cmpstr(violation, ==, NULL);
    contract_t contract = contract_backend();
    PERMITTED(&contract, byteir) = BYTEIR_SEED;
    g_assert_cmpstr(check_broken_under(&program, &contract), ==, NULL);
    PERMITTED(&contract, byteir) = BYTEIR_TODAY;
    g_assert_cmpstr(check_broken_under(&program, &contract), ==, rows[i].today);
  }
  arena_deinit(&arena);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* What a run of drawn programs has to show. */
typedef struct coverage {
  uint64_t elements; /* Bit masks: over element_table; of ranks; of counts of axes. */
  uint32_t ranks;
  uint32_t axis_counts;
  size_t outside[OPTIONAL_TRUE + 1];
  size_t moments, zero_epsilons, tiny_epsilons, large_epsilons, short_epsilons;
  bool has_descending_axes, has_negative_axis, has_first, has_one_term, has_no_element;
} coverage_t;

static void note_axes(const program_t *program, coverage_t *coverage) {
  const type_t *input = &program->operands[0];
  const dimension_list_t *axis = &byteir_norm_attributes(program)->axis;
  dimension_list_t dimensions = byteir_norm_dimensions(program);
  g_assert_cmpuint(dimensions.count, ==, axis->count);
  coverage->axis_counts |= 1u << axis->count;
  coverage->has_first |= axis->count == 1 && dimensions.dims[0] == 0 && input->rank > 1;
  for (uint32_t i = 0; i < axis->count; i++) {
    if (i > 0) g_assert_cmpint(dimensions.dims[i - 1], <, dimensions.dims[i]);
    if (i > 0) coverage->has_descending_axes |= axis->dims[i] < axis->dims[i - 1];
    coverage->has_negative_axis |= axis->dims[i] < 0;
  }
  coverage->has_one_term |=
      axis->count > 0 && dimension_list_extent(&dimensions, input) == 1 && input->rank > 1;
  g_assert_cmphex(program->op->reduced_dimensions(program, 0), ==,
                  dimension_list_mask(&dimensions));
}

static void visit_drawn(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  coverage_t *coverage = state;
  const byteir_norm_attributes_t *attributes = byteir_norm_attributes(program);
  const element_t *element = program->operands[0].element;
  double epsilon = attributes->epsilon;
  g_assert_true(epsilon >= 0 && isfinite(epsilon) && !signbit(epsilon));
  g_assert_cmpint(attributes->eps_outside_sqrt, <=, OPTIONAL_TRUE);
  coverage->elements |= UINT64_C(1) << (element - element_table);
  coverage->ranks |= 1u << program->operands[0].rank;
  coverage->outside[attributes->eps_outside_sqrt]++;
  coverage->moments += program->result_count == 3;
  coverage->zero_epsilons += epsilon == 0;
  coverage->tiny_epsilons += epsilon > 0 && format_round_double(element->format, epsilon) == 0;
  coverage->large_epsilons += epsilon > 100;
  coverage->short_epsilons +=
      epsilon > 0 && format_round_double(element->format, epsilon) != epsilon;
  coverage->has_no_element |= type_element_count(&program->operands[0]) == 0;
  note_axes(program, coverage);
}

static void check_coverage(const op_t *op, bool has_moments) {
  enum { COUNT = 4000 };
  coverage_t coverage = {0};
  check_drawn(op, &limits, COUNT, visit_drawn, &coverage);
  for (size_t i = 0; i < element_count; i++) {
    bool is_float = byteir_is_float(&element_table[i], NULL);
    g_assert_cmpint((coverage.elements >> i & 1) != 0, ==, is_float);
  }
  for (size_t i = 0; i <= OPTIONAL_TRUE; i++) {
    g_assert_cmpuint(coverage.outside[i], >, COUNT / 5);
  }
  g_assert_cmphex(coverage.ranks & 0x3e, ==, 0x3e);
  g_assert_cmphex(coverage.axis_counts & 0x1e, ==, 0x1e);
  g_assert_cmpuint(coverage.zero_epsilons, >, COUNT / 20);
  g_assert_cmpuint(coverage.tiny_epsilons, >, COUNT / 20);
  g_assert_cmpuint(coverage.large_epsilons, >, COUNT / 50);
  g_assert_cmpuint(coverage.short_epsilons, >, COUNT / 10);
  g_assert_true(coverage.has_descending_axes && coverage.has_negative_axis && coverage.has_first);
  g_assert_true(coverage.has_one_term && coverage.has_no_element);
  if (has_moments) {
    g_assert_cmpuint(coverage.moments, >, COUNT / 3);
    g_assert_cmpuint(coverage.moments, <, 2 * COUNT / 3);
  }
}

static void test_drawn(void) {
  check_coverage(layer_norm_row(), true);
  check_coverage(l2_norm_row(), false);
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
    check_drawn(layer_norm_row(), &tight[i], 500, visit_nothing, NULL);
    check_drawn(l2_norm_row(), &tight[i], 500, visit_nothing, NULL);
  }
}

/* ---- eps_outside_sqrt ------------------------------------------------------------------------ */

static const char *const outside_words[] = {
    [OPTIONAL_ABSENT] = "", [OPTIONAL_FALSE] = "eps_outside_sqrt=false ", "eps_outside_sqrt=true "};
static const char *const outside_attributes[] = {"axis = [1], epsilon",
                                                 "axis = [1], eps_outside_sqrt = false, epsilon",
                                                 "axis = [1], eps_outside_sqrt = true, epsilon"};

/* Absent, false and true are three states: each survives parsing, printing and MLIR, and none
 * touches its neighbours. */
static void test_outside_states(void) {
  arena_t arena;
  arena_init(&arena);
  for (size_t state = 0; state <= OPTIONAL_TRUE; state++) {
    g_autofree char *line = g_strdup_printf(
        "byteir.l2_norm epsilon=0x1.8p-3 axis=[1] %sf32[2,3] -> f32[2,3]", outside_words[state]);
    const char *violation = NULL;
    program_t program = check_parse(line, &arena, &violation);
    const byteir_norm_attributes_t *attributes = byteir_norm_attributes(&program);
    g_assert_cmpint(attributes->eps_outside_sqrt, ==, (optional_boolean_t)state);
    g_assert_true(byteir_norm_eps_outside_sqrt(&program) == (state == OPTIONAL_TRUE));
    g_assert_cmpfloat(attributes->epsilon, ==, 0.1875);
    g_assert_cmpuint(attributes->axis.count, ==, 1);
    g_assert_cmpint(attributes->axis.dims[0], ==, 1);
    check_round_trip(&program, NULL, &arena);
    g_autofree char *mlir = check_text(line, l2_norm_row()->print_mlir);
    g_assert_nonnull(strstr(mlir, outside_attributes[state]));
  }
  arena_deinit(&arena);
}

/* Memory that held something else: an attribute of which only a part is written shows here.  (A
 * memset() is dropped, since nobody may read what an arena gives.) */
static void dirty(arena_t *arena) {
  enum { BYTES = 1 << 14 };
  volatile uint8_t *memory = arena_alloc(arena, BYTES);
  for (size_t i = 0; i < BYTES; i++) memory[i] = 0xa5;
  arena_reset(arena);
}

/* What is drawn and then printed and parsed is the same state. */
static void test_outside_drawn(void) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0x0e05);
  GString *text = g_string_new(NULL);
  size_t states[OPTIONAL_TRUE + 1] = {0};
  for (size_t i = 0; i < 3000; i++) {
    const op_t *op = i % 2 == 0 ? layer_norm_row() : l2_norm_row();
    dirty(&arena);
    program_t program;
    op->draw(&rng, &limits, &arena, &program);
    optional_boolean_t state = byteir_norm_attributes(&program)->eps_outside_sqrt;
    g_assert_cmpuint(state, <=, OPTIONAL_TRUE);
    g_string_truncate(text, 0);
    program_print(&program, text);
    const char *violation = NULL;
    program_t parsed = check_parse(text->str, &arena, &violation);
    g_assert_cmpint(byteir_norm_attributes(&parsed)->eps_outside_sqrt, ==, state);
    g_assert_cmpfloat(byteir_norm_attributes(&parsed)->epsilon, ==,
                      byteir_norm_attributes(&program)->epsilon);
    bool has_word = strstr(text->str, " eps_outside_sqrt=") != NULL;
    g_assert_true(has_word == (state != OPTIONAL_ABSENT));
    if (has_word) g_assert_nonnull(strstr(text->str, outside_words[state]));
    states[state]++;
  }
  for (size_t i = 0; i <= OPTIONAL_TRUE; i++) g_assert_cmpuint(states[i], >, 700);
  g_string_free(text, TRUE);
  arena_deinit(&arena);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void print_mhlo(const program_t *program, GString *out_text) {
  custom_call_print_module(program, "mhlo", out_text);
}

/* 2^-10 is 0x3F50000000000000 in binary64. */
static void test_mlir(void) {
  g_autofree char *text = check_text(
      "byteir.layer_norm epsilon=0x1p-10 axis=[1,2] eps_outside_sqrt=true f32[2,3,5] f32[3,5] "
      "f32[3,5] -> f32[2,3,5] f32[2,1,1] f32[2,1,1]",
      layer_norm_row()->print_mlir);
  g_assert_cmpstr(
      text, ==,
      "module {\n"
      "  func.func @main(%arg0: tensor<2x3x5xf32>, %arg1: tensor<3x5xf32>, "
      "%arg2: tensor<3x5xf32>) -> (tensor<2x3x5xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>) {\n"
      "    %0:3 = \"stablehlo.custom_call\"(%arg0, %arg1, %arg2) {api_version = 1 : i32, "
      "backend_config = \"\", byteir_attrs = {axis = [1, 2], eps_outside_sqrt = true, epsilon = "
      "0x3F50000000000000 : f64}, call_target_name = \"byteir.layer_norm\", called_computations = "
      "[], has_side_effect = false} : (tensor<2x3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) -> "
      "(tensor<2x3x5xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>)\n"
      "    return %0#0, %0#1, %0#2 : tensor<2x3x5xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>\n"
      "  }\n"
      "}\n");
  static const struct {
    const char *line;
    const char *part;
  } rows[] = {
      {L2 "f64[2,3] -> f64[2,3]",
       "byteir_attrs = {axis = [1], epsilon = 0x0000000000000000 : f64}, call_target_name = "
       "\"byteir.l2_norm\", called_computations = [], has_side_effect = false} : "
       "(tensor<2x3xf64>) -> tensor<2x3xf64>\n"},
      {"byteir.l2_norm epsilon=0x1p-1074 axis=[] eps_outside_sqrt=false f16[] -> f16[]",
       "byteir_attrs = {axis = [], eps_outside_sqrt = false, epsilon = 0x0000000000000001 : f64}, "
       "call_target_name"},
      {"byteir.layer_norm epsilon=0x1.4f8b588e368f1p-17 axis=[-1,0] bf16[2,3] bf16[2,3] bf16[2,3] "
       "-> bf16[2,3]",
       "byteir_attrs = {axis = [-1, 0], epsilon = 0x3EE4F8B588E368F1 : f64}, call_target_name = "
       "\"byteir.layer_norm\","},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *stablehlo = check_text(rows[i].line, l2_norm_row()->print_mlir);
    g_autofree char *mhlo = check_text(rows[i].line, print_mhlo);
    g_assert_nonnull(strstr(stablehlo, rows[i].part));
    g_assert_nonnull(strstr(mhlo, rows[i].part));
    g_assert_nonnull(strstr(stablehlo, " \"stablehlo.custom_call\"(%arg0"));
    g_assert_nonnull(strstr(mhlo, " \"mhlo.custom_call\"(%arg0"));
  }
}

static void test_words(void) {
  static const struct {
    const char *line;
    const char *algorithm;
    const char *words;
  } rows[] = {
      {LAYER "f32[2,3] f32[3] f32[3] -> f32[2,3]", "layer_norm",
       "deviations from the mean divided by the standard deviation, scaled and shifted of f32[2,3] "
       "along dimensions [1] with epsilon 0.000976562 inside the root"},
      {"byteir.layer_norm epsilon=0x1p-1 axis=[-1,0] eps_outside_sqrt=true f16[2,3] f16[2,3] "
       "f16[2,3] -> f16[2,3] f16[1,1] f16[1,1]",
       "layer_norm_eps_outside",
       "deviations from the mean divided by the standard deviation, scaled and shifted of f16[2,3] "
       "along dimensions [0,1] with epsilon 0.5 outside the root"},
      {"byteir.l2_norm epsilon=0x0p+0 axis=[1] eps_outside_sqrt=false f64[2,3] -> f64[2,3]",
       "l2_norm",
       "numbers divided by the root of the sum of their squares of f64[2,3] along dimensions [1] "
       "with epsilon 0 inside the root"},
      {L2 "f32[2] -> f32[2]", "l2_norm", "is no byteir.l2_norm: it breaks axis"},
      {LAYER "f32[2,3] -> f32[2,3]", "layer_norm", "is no byteir.layer_norm: it breaks count"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *words = check_text(rows[i].line, program_print_words);
    g_autofree char *algorithm = check_text(rows[i].line, l2_norm_row()->print_algorithm);
    g_assert_cmpstr(words, ==, rows[i].words);
    g_assert_cmpstr(algorithm, ==, rows[i].algorithm);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/byteir_norm_op/violations", test_violations);
  g_test_add_func("/byteir_norm_op/hostile", test_hostile);
  g_test_add_func("/byteir_norm_op/contracts", test_contracts);
  g_test_add_func("/byteir_norm_op/drawn", test_drawn);
  g_test_add_func("/byteir_norm_op/tight_limits", test_tight_limits);
  g_test_add_func("/byteir_norm_op/outside_states", test_outside_states);
  g_test_add_func("/byteir_norm_op/outside_drawn", test_outside_drawn);
  g_test_add_func("/byteir_norm_op/mlir", test_mlir);
  g_test_add_func("/byteir_norm_op/words", test_words);
  return g_test_run();
}
