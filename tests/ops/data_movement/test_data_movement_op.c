/* SPDX-License-Identifier: Apache-2.0 */
/* The op rows of stablehlo.reshape, transpose, broadcast_in_dim and concatenate. */
#include "oracles/ops/data_movement/data_movement.h"
#include "tests/ops/op_checks.h"
#include "tests/ops/oracle_checks.h"

static const draw_limits_t limits = {.rank_max = 5, .elements_max = 4096, .terms_max = 512};

#define RESHAPE "stablehlo.reshape "
#define TRANSPOSE "stablehlo.transpose permutation="
#define BROADCAST "stablehlo.broadcast_in_dim broadcast_dimensions="
#define CONCATENATE "stablehlo.concatenate dimension="
#define I8 "!quant.uniform<i8:f32,0x1p-1:3>"
#define OTHER "!quant.uniform<i8:f32,0x1p-1:4>"
#define AXIS(axis) "!quant.uniform<ui8:f32:" axis ",{0x1p-1:3,0x1p+0}>"
#define NARROW_AXIS(axis) "!quant.uniform<ui8<0:127>:f32:" axis ",{0x1p-1:3,0x1p+0}>"
#define EQUAL(axis) "!quant.uniform<ui8:f32:" axis ",{0x1p-1:3,0x1p-1:3}>"
#define ONE(axis) "!quant.uniform<ui8:f32:" axis ",{0x1p-1:3}>"

static const violation_row_t reshape_rows[] = {
    {RESHAPE "f32[2,3] -> f32[6]", NULL},
    {RESHAPE "i1[] -> i1[1,1]", NULL},
    {RESHAPE "complex<f64>[0,3] -> complex<f64>[5,0,2]", NULL},
    {RESHAPE I8 "[2,3] -> " I8 "[3,2]", NULL},
    {RESHAPE AXIS("1") "[3,2] -> " AXIS("2") "[1,3,2]", NULL},
    {RESHAPE AXIS("1") "[2,2,2] -> " AXIS("1") "[2,2,1,2]", NULL},
    {RESHAPE "f32[2] f32[2] -> f32[2]", "arity"},
    {RESHAPE "-> f32[2]", "arity"},
    {RESHAPE "f32[2] -> f32[2] f32[2]", "arity"},
    {RESHAPE "f32[2] -> i32[2]", "C1"},
    {RESHAPE I8 "[2] -> " OTHER "[2]", "C1"},
    {RESHAPE I8 "[2] -> i8[2]", "C1"},
    {RESHAPE AXIS("0") "[2] -> " EQUAL("0") "[2]", "C1"},
    {RESHAPE AXIS("0") "[2] -> " NARROW_AXIS("0") "[2]", "C1"},
    {RESHAPE I8 "[2] -> " AXIS("0") "[2]", "C1"},
    {RESHAPE ONE("0") "[1] -> !quant.uniform<ui8:f32,0x1p-1:3>[1]", "C1"},
    {RESHAPE "f32[2] -> f32[3]", "C2"},
    {RESHAPE "f32[2] -> f32[]", "C2"},
    {RESHAPE AXIS("0") "[2,3] -> " AXIS("1") "[3,2]", "C3"},
    {RESHAPE AXIS("1") "[2,2,3] -> " AXIS("1") "[3,2,2]", "C3"},
};

static const violation_row_t transpose_rows[] = {
    {TRANSPOSE "[1,0] f32[2,3] -> f32[3,2]", NULL},
    {TRANSPOSE "[] i4[] -> i4[]", NULL},
    {TRANSPOSE "[2,0,1] " AXIS("0") "[2,3,4] -> " AXIS("1") "[4,2,3]", NULL},
    {TRANSPOSE "[0] f32[2] f32[2] -> f32[2]", "arity"},
    {TRANSPOSE "[0] f32[2] -> f16[2]", "C1"},
    {TRANSPOSE "[1,0] " AXIS("0") "[2,2] -> " EQUAL("1") "[2,2]", "C1"},
    {TRANSPOSE "[0] f32[2,3] -> f32[2,3]", "C2"},
    {TRANSPOSE "[0,0] f32[2,2] -> f32[2,2]", "C2"},
    {TRANSPOSE "[0,2] f32[2,2] -> f32[2,2]", "C2"},
    {TRANSPOSE "[-1,0] f32[2,2] -> f32[2,2]", "C2"},
    {TRANSPOSE "[0,1,2] f32[2,2] -> f32[2,2]", "C2"},
    {TRANSPOSE "[1,0] f32[2,3] -> f32[2,3]", "C3"},
    {TRANSPOSE "[1,0] f32[2,3] -> f32[3]", "C3"},
    {TRANSPOSE "[1,0] " AXIS("0") "[2,2] -> " AXIS("0") "[2,2]", "C4"},
};

static const violation_row_t broadcast_rows[] = {
    {BROADCAST "[1] f32[3] -> f32[2,3]", NULL},
    {BROADCAST "[2,1] i32[1,3] -> i32[2,3,2]", NULL},
    {BROADCAST "[] i1[] -> i1[0,2]", NULL},
    {BROADCAST "[0] f32[1] -> f32[0]", NULL},
    {BROADCAST "[1] " ONE("0") "[1] -> " EQUAL("1") "[3,2]", NULL},
    {BROADCAST "[1] " AXIS("0") "[2] -> " AXIS("1") "[3,2]", NULL},
    {BROADCAST "[1] " AXIS("0") "[2] -> " EQUAL("1") "[3,2]", NULL}, /* Of no known meaning. */
    {BROADCAST "[0] f32[2] f32[2] -> f32[2]", "arity"},
    {BROADCAST "[1] f32[3] -> f64[2,3]", "C1"},
    {BROADCAST "[1] " ONE("0") "[1] -> " NARROW_AXIS("1") "[3,2]", "C1"},
    {BROADCAST "[1] " I8 "[2] -> " AXIS("1") "[3,2]", "C1"},
    {BROADCAST "[0,1] f32[3] -> f32[3,3]", "C2"},
    {BROADCAST "[] f32[3] -> f32[3,3]", "C2"},
    {BROADCAST "[2] f32[3] -> f32[3,3]", "C3"},
    {BROADCAST "[-1] f32[3] -> f32[3,3]", "C3"},
    {BROADCAST "[1,1] f32[3,3] -> f32[3,3]", "C4"},
    {BROADCAST "[0] f32[3] -> f32[2,3]", "C5"},
    {BROADCAST "[0] f32[2] -> f32[1]", "C5"},
    {BROADCAST "[1] " AXIS("0") "[2] -> " AXIS("0") "[2,2]", "C6"},
    {BROADCAST "[1] " ONE("0") "[1] -> " AXIS("1") "[3,2]", "C6"},
};

static const violation_row_t concatenate_rows[] = {
    {CONCATENATE "0 f32[2,3] f32[4,3] -> f32[6,3]", NULL},
    {CONCATENATE "1 " I8 "[2,3] -> " I8 "[2,3]", NULL},
    {CONCATENATE "0 i1[0] i1[0] -> i1[0]", NULL},
    {CONCATENATE "0 i2[1] i2[1] i2[1] i2[1] i2[1] i2[1] i2[1] i2[1] -> i2[8]", NULL},
    {CONCATENATE "0 f32[2] -> f32[2] f32[2]", "arity"},
    {CONCATENATE "0 -> f32[2]", "C3"},
    {CONCATENATE "0 " AXIS("0") "[2] -> " AXIS("0") "[2]", "types"},
    {CONCATENATE "0 f32[2] f16[2] -> f32[4]", "C1"},
    {CONCATENATE "0 " I8 "[2] " OTHER "[2] -> " I8 "[4]", "C1"},
    {CONCATENATE "0 f32[2,3] f32[2,4] -> f32[4,3]", "C2"},
    {CONCATENATE "0 f32[2,3] f32[2] -> f32[4,3]", "C2"},
    {CONCATENATE "1 f32[2] -> f32[2]", "C4"},
    {CONCATENATE "-1 f32[2] -> f32[2]", "C4"},
    {CONCATENATE "0 f32[] f32[] -> f32[2]", "C4"},
    {CONCATENATE "0 f32[2] f32[2] -> i32[4]", "C5"},
    {CONCATENATE "0 f32[2] f32[2] -> f32[5]", "C6"},
    {CONCATENATE "0 f32[2,3] f32[2,3] -> f32[4,2]", "C6"},
    {CONCATENATE "0 f32[2] f32[2] -> f32[4,1]", "C6"},
};

typedef struct op_case {
  const char *name;
  const violation_row_t *rows;
  size_t row_count;
} op_case_t;

static const op_case_t op_cases[] = {
    {"stablehlo.reshape", reshape_rows, G_N_ELEMENTS(reshape_rows)},
    {"stablehlo.transpose", transpose_rows, G_N_ELEMENTS(transpose_rows)},
    {"stablehlo.broadcast_in_dim", broadcast_rows, G_N_ELEMENTS(broadcast_rows)},
    {"stablehlo.concatenate", concatenate_rows, G_N_ELEMENTS(concatenate_rows)},
};

/* ---- Drawing --------------------------------------------------------------------------------- */

typedef struct coverage {
  uint64_t elements; /* A bit for each row of element_table. */
  size_t per_tensor, per_axis, moved_axis, empty, operand_counts[CASE_OPERANDS_MAX + 1];
} coverage_t;

static void visit_drawn(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  coverage_t *coverage = (coverage_t *)state;
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  const quantization_t *quantization = operand->quantization;
  coverage->elements |= UINT64_C(1) << (operand->element - element_table);
  coverage->operand_counts[program->operand_count]++;
  coverage->empty += type_element_count(result) == 0;
  coverage->per_tensor += quantization != NULL && quantization->axis < 0;
  coverage->per_axis += quantization != NULL && quantization->axis >= 0;
  coverage->moved_axis += quantization != NULL && quantization->axis != result->quantization->axis;
  g_assert_true(data_movement_is_defined(program));
}

static void check_coverage(const op_case_t *op_case, const coverage_t *coverage) {
  for (size_t i = 0; i < element_count; i++) {
    bool is_drawn = (coverage->elements >> i & 1) != 0;
    g_assert_cmpint(is_drawn, ==, element_table[i].is_tensor_element);
  }
  g_assert_cmpuint(MIN(coverage->per_tensor, coverage->empty), >, 100);
  bool concatenates = strcmp(op_case->name, "stablehlo.concatenate") == 0;
  if (!concatenates) {
    g_assert_cmpuint(MIN(coverage->per_axis, coverage->moved_axis), >, 100);
    return;
  }
  g_assert_cmpuint(coverage->per_axis, ==, 0);
  for (uint32_t i = 1; i <= CASE_OPERANDS_MAX; i++) {
    g_assert_cmpuint(coverage->operand_counts[i], >, 50);
  }
}

static void test_row(gconstpointer data) {
  const op_case_t *op_case = (const op_case_t *)data;
  const op_t *op = check_find_op(op_case->name);
  check_violations(op, op_case->rows, op_case->row_count, "");
  check_hostile(op_case->rows, op_case->row_count, 20000);
  coverage_t coverage = {0};
  check_drawn(op, &limits, 6000, visit_drawn, &coverage);
  check_coverage(op_case, &coverage);
}

static void visit_nothing(const program_t *program, arena_t *arena, void *state) {
  (void)program;
  (void)arena;
  (void)state;
}

static void test_tight_limits(void) {
  const draw_limits_t tight = {.rank_max = 1, .elements_max = 1, .terms_max = 1};
  for (size_t i = 0; i < G_N_ELEMENTS(op_cases); i++) {
    check_drawn(check_find_op(op_cases[i].name), &tight, 500, visit_nothing, NULL);
  }
}

/* ---- What nobody knows ----------------------------------------------------------------------- */

static void test_other_scales(void) {
  arena_t arena;
  arena_init(&arena);
  const char *line = BROADCAST "[1] " AXIS("0") "[2] -> " EQUAL("1") "[3,2]", *violation = NULL;
  program_t program = check_parse(line, &arena, &violation);
  g_assert_false(data_movement_is_defined(&program));
  case_t instance = case_make(&arena, &program);
  contract_t contract = contract_spec();
  question_t question;
  g_assert_cmpint(question_make(&instance, &contract, &arena, &question), ==, STATUS_UNSUPPORTED);
  arena_deinit(&arena);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void check_mlir(const char *line, const char *part) {
  const char *name_end = strchr(line, ' ');
  g_autofree char *name = g_strndup(line, (size_t)(name_end - line));
  g_autofree char *text = check_text(line, check_find_op(name)->print_mlir);
  if (strstr(text, part) == NULL) g_error("%s lacks %s", text, part);
}

static void test_mlir(void) {
  check_mlir(RESHAPE "f32[2,3] -> f32[6]",
             "\"stablehlo.reshape\"(%arg0) : (tensor<2x3xf32>) -> tensor<6xf32>");
  check_mlir(TRANSPOSE "[1,0] f32[2,3] -> f32[3,2]",
             "(%arg0) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>)");
  check_mlir(BROADCAST "[] f32[] -> f32[3]", " <{broadcast_dimensions = array<i64>}> : ");
  check_mlir(CONCATENATE "1 i8[1,2] i8[1,3] -> i8[1,5]",
             "(%arg0, %arg1) <{dimension = 1 : i64}> : (tensor<1x2xi8>, tensor<1x3xi8>)");
}

static void test_words(void) {
  const op_t *op = check_find_op("stablehlo.concatenate");
  g_autofree char *words =
      check_text(CONCATENATE "0 " I8 "[2] " I8 "[1] -> " I8 "[3]", program_print_words);
  g_assert_cmpstr(words, ==, "joins " I8 "[2], " I8 "[1] as " I8 "[3]");
  g_autofree char *label = check_text(CONCATENATE "0 " I8 "[2] -> " I8 "[2]", op->print_algorithm);
  g_assert_cmpstr(label, ==, "stored");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(op_cases); i++) {
    g_autofree char *path = g_strdup_printf("/data_movement/%s", op_cases[i].name);
    g_test_add_data_func(path, &op_cases[i], test_row);
  }
  g_test_add_func("/data_movement/tight_limits", test_tight_limits);
  g_test_add_func("/data_movement/other_scales", test_other_scales);
  g_test_add_func("/data_movement/mlir", test_mlir);
  g_test_add_func("/data_movement/words", test_words);
  return g_test_run();
}
