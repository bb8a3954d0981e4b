/* SPDX-License-Identifier: Apache-2.0 */
/* The op row of byteir.resize. */
#include "oracles/ops/byteir_resize/byteir_resize.h"
#include "tests/ops/op_checks.h"
#include "tests/ops/oracle_checks.h"

static const draw_limits_t limits = {.rank_max = 5, .elements_max = 4096, .terms_max = 512};

static const op_t *resize_row(void) { return check_find_op("byteir.resize"); }

#define SIZE_NEAREST \
  "byteir.resize target_mode=size mode=nearest coordinate_transformation_mode=asymmetric "
#define SIZE_LINEAR \
  "byteir.resize target_mode=size mode=linear coordinate_transformation_mode=half_pixel "
#define SCALE_LINEAR                             \
  "byteir.resize target_mode=scale mode=linear " \
  "coordinate_transformation_mode=pytorch_half_pixel "
#define SCALE_NEAREST                             \
  "byteir.resize target_mode=scale mode=nearest " \
  "coordinate_transformation_mode=align_corners "

static const violation_row_t violations[] = {
    {SIZE_LINEAR "f32[1,1,3,3] i64[4] -> f32[1,1,5,1]", NULL},
    {SIZE_LINEAR "f64[3] i32[1] -> f64[4]", NULL},
    {SIZE_LINEAR "bf16[0,3] i32[2] -> bf16[0,4]", NULL},
    {SIZE_NEAREST "i8[3] i64[1] -> i8[4]", NULL},
    {SIZE_NEAREST "ui64[] i64[0] -> ui64[]", NULL},
    {SIZE_NEAREST "f16[3,2] i64[2] -> f16[3,2]", NULL},
    {SCALE_LINEAR "f32[3,5] f32[2] -> f32[1,2]", NULL},
    {SCALE_NEAREST "i16[2,2,2,2,2,2,2,2] f32[8] -> i16[1,2,3,4,5,6,7,8]", NULL},

    {SIZE_LINEAR "f32[3] -> f32[4]", "count"},
    {SIZE_LINEAR "f32[3] i64[1] i64[1] -> f32[4]", "count"},
    {SIZE_LINEAR "f32[3] i64[1] -> f32[4] f32[4]", "count"},
    {SIZE_LINEAR "i32[3] i64[1] -> i32[4]", NULL},
    {SIZE_LINEAR "ui8[3] i64[1] -> ui8[4]", NULL},
    {SIZE_LINEAR "i64[3] i64[1] -> i64[4]", "types"},
    {SIZE_LINEAR "i4[3] i64[1] -> i4[4]", "types"},
    {SIZE_LINEAR "complex<f32>[3] i64[1] -> complex<f32>[4]", "types"},
    {SIZE_LINEAR "f8E5M2[3] i64[1] -> f8E5M2[4]", "types"},
    {SIZE_NEAREST "i1[3] i64[1] -> i1[4]", "types"},
    {SIZE_NEAREST "ui4[3] i64[1] -> ui4[4]", "types"},
    {SIZE_NEAREST "!quant.uniform<i8:f32,0x1p+0>[3] i64[1] -> !quant.uniform<i8:f32,0x1p+0>[4]",
     "types"},
    {SIZE_LINEAR "f32[3] f32[1] -> f32[4]", "target"},
    {SIZE_LINEAR "f32[3] i16[1] -> f32[4]", "types"},
    {SIZE_LINEAR "f32[3] ui64[1] -> f32[4]", "types"},
    {SIZE_LINEAR "f32[3] i64[2] -> f32[4]", "target"},
    {SIZE_LINEAR "f32[3] i64[] -> f32[4]", "target"},
    {SIZE_LINEAR "f32[3] i64[1,1] -> f32[4]", "target"},
    {SIZE_LINEAR "f32[] i64[1] -> f32[]", "target"},
    {SCALE_LINEAR "f32[3] i64[1] -> f32[4]", "target"},
    {SCALE_LINEAR "f32[3] f64[1] -> f32[4]", "types"},
    {SIZE_LINEAR "f32[3] i64[1] -> f16[4]", "types"},
    {SIZE_LINEAR "f32[3] i64[1] -> f32[4,1]", "result"},
    {SIZE_LINEAR "f32[3] i64[1] -> f32[]", "result"},
    {SIZE_NEAREST "i8[3] i64[1] -> ui8[4]", "types"},
    {SIZE_NEAREST "i8[3] i64[1] -> !quant.uniform<i8:f32,0x1p+0>[4]", "types"},
    {SIZE_LINEAR "f32[3] i64[1] -> f32[0]", "empty"},
    {SIZE_LINEAR "f32[0] i64[1] -> f32[3]", "empty"},
    {SIZE_LINEAR "f32[0,2] i64[2] -> f32[2,0]", "empty"},
};

static void test_violations(void) {
  check_violations(resize_row(), violations, G_N_ELEMENTS(violations), NULL);
}

/* Long types, so that what changes is seldom a word. */
static void test_hostile(void) {
  static const violation_row_t rows[] = {
      {SIZE_NEAREST "i16[2,2,2,2,2,2,2,2] i64[8] -> i16[1,2,3,4,5,6,7,8]", NULL},
      {SCALE_LINEAR "f32[10,20,30,11,12] f32[5] -> f32[10,20,30,21,22]", NULL},
      {SCALE_NEAREST "ui8[10,0,30,11,12,1] f32[6] -> ui8[10,0,30,21,22,1]", NULL},
      {SIZE_LINEAR "f64[1,1,1,1,1,1,1,1] i32[8] -> f64[1,2,1,2,1,2,1,2]", NULL},
  };
  check_hostile(rows, G_N_ELEMENTS(rows), 20000);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* What a run of drawn programs has to show at least once. */
typedef struct coverage {
  uint64_t elements[2]; /* Bit masks, by mode. */
  uint32_t ranks;
  uint32_t transformations[2][2]; /* By target and mode. */
  bool has_i32_target, has_i64_target;
  bool has_empty, has_identity, has_all_moved, has_first_moved;
  bool has_one, has_from_one, has_double, has_half, has_larger, has_smaller;
} coverage_t;

static void note_lengths(const program_t *program, coverage_t *coverage) {
  const type_t *input = &program->operands[0], *result = &program->results[0];
  uint32_t moved = 0;
  for (uint32_t dim = 0; dim < input->rank; dim++) {
    int64_t n = input->dims[dim], m = result->dims[dim];
    coverage->has_empty |= n == 0;
    if (n == m) continue;
    moved++;
    coverage->has_first_moved |= dim == 0 && input->rank == 4;
    coverage->has_one |= m == 1;
    coverage->has_from_one |= n == 1;
    coverage->has_double |= n > 2 && m == 2 * n;
    coverage->has_half |= m > 2 && n == 2 * m;
    coverage->has_larger |= m > n && m % n != 0;
    coverage->has_smaller |= m < n && n % m != 0;
  }
  coverage->has_identity |= moved == 0 && input->rank == 4;
  coverage->has_all_moved |= moved == 4 && input->rank == 4;
}

static void visit_drawn(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  coverage_t *coverage = state;
  const byteir_resize_attributes_t *attributes = byteir_resize_attributes(program);
  const element_t *element = program->operands[0].element;
  coverage->elements[attributes->mode] |= UINT64_C(1) << (element - element_table);
  coverage->ranks |= 1u << program->operands[0].rank;
  coverage->transformations[attributes->target_mode][attributes->mode] |=
      1u << attributes->transformation;
  coverage->has_i32_target |= strcmp(program->operands[1].element->name, "i32") == 0;
  coverage->has_i64_target |= strcmp(program->operands[1].element->name, "i64") == 0;
  note_lengths(program, coverage);
}

static void test_drawn(void) {
  coverage_t coverage = {.ranks = 0};
  check_drawn(resize_row(), &limits, 4000, visit_drawn, &coverage);
  g_assert_cmphex(coverage.ranks, ==, (1u << (limits.rank_max + 1)) - 1);
  for (int i = 0; i < 4; i++) g_assert_cmphex(coverage.transformations[i / 2][i % 2], ==, 0xf);
  for (size_t i = 0; i < element_count; i++) {
    const element_t *element = &element_table[i];
    bool is_float = byteir_is_float(element, NULL);
    bool is_integer = element_is_integer(element) && element->bits >= 8;
    bool is_nearest = (coverage.elements[RESIZE_NEAREST] >> i & 1) != 0;
    bool is_linear = (coverage.elements[RESIZE_LINEAR] >> i & 1) != 0;
    if (is_nearest != (is_float || is_integer)) g_error("nearest: %s", element->name);
    bool is_short = is_integer && element->bits <= 32;
    if (is_linear != (is_float || is_short)) g_error("linear: %s", element->name);
  }
  g_assert_true(coverage.has_i32_target && coverage.has_i64_target);
  g_assert_true(coverage.has_empty && coverage.has_identity);
  g_assert_true(coverage.has_all_moved && coverage.has_first_moved);
  g_assert_true(coverage.has_one && coverage.has_from_one);
  g_assert_true(coverage.has_double && coverage.has_half);
  g_assert_true(coverage.has_larger && coverage.has_smaller);
}

static void visit_nothing(const program_t *program, arena_t *arena, void *state) {
  (void)program;
  (void)arena;
  (void)state;
}

/* Limits so tight that only one shape is left must not upset the draw.  The target is a list, so
 * that rank 1 is the least limit. */
static void test_tight_limits(void) {
  const draw_limits_t tight[] = {{1, 1, 1, DRAW_SIZES_SMALL},
                                 {8, 1, 1, DRAW_SIZES_SMALL},
                                 {1, 2, 1, DRAW_SIZES_SMALL},
                                 {8, 256, 2, DRAW_SIZES_SMALL}};
  for (size_t i = 0; i < G_N_ELEMENTS(tight); i++) {
    check_drawn(resize_row(), &tight[i], 500, visit_nothing, NULL);
  }
}

/* ---- Targets --------------------------------------------------------------------------------- */

/* Drawn targets are those of the result, whatever stood there before; among the scales are whole
 * ratios and others. */
static void test_settled(void) {
  const contract_t contract = contract_backend();
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0x5e77);
  size_t ratios = 0, others = 0;
  for (size_t i = 0; i < 3000; i++) {
    arena_reset(&arena);
    program_t program;
    resize_row()->draw(&rng, &limits, &arena, &program);
    case_t instance = case_make(&arena, &program);
    memset(instance.operands[0].data, 0, type_bytes(&program.operands[0]));
    memset(instance.operands[1].data, 0xff, type_bytes(&program.operands[1]));
    resize_row()->settle_operands(&rng, &instance);
    question_t question;
    g_assert_cmpint(question_make(&instance, &contract, &arena, &question), ==, STATUS_OK);
    const tensor_t *target = &instance.operands[1];
    for (uint32_t dim = 0; dim < program.operands[0].rank; dim++) {
      uint64_t bits = element_load(target->type.element, target->data, dim);
      double n = (double)program.operands[0].dims[dim], m = (double)program.results[0].dims[dim];
      if (target->type.element->format == NULL || n == 0) continue;
      bool is_ratio = format_to_double(target->type.element->format, bits) * n == m;
      *(is_ratio ? &ratios : &others) += 1;
    }
  }
  g_test_message("%zu scales are ratios of lengths, %zu are not", ratios, others);
  g_assert_cmpuint(ratios, >, 500);
  g_assert_cmpuint(others, >, 500);
  arena_deinit(&arena);
}

/* Targets that are not those of the result have no oracle. */
static void test_other_targets(void) {
  static const struct {
    const char *line;
    const char *reason; /* NULL: there is an oracle. */
  } rows[] = {
      {SIZE_NEAREST "i8[2] i64[1] -> i8[4] : 0102 : 0000000000000004", NULL},
      {SIZE_NEAREST "i8[2] i64[1] -> i8[4] : 0102 : 0000000000000003",
       "no oracle for this target: it asks for 3 elements of dimension 0, of which the result has "
       "4"},
      {SIZE_NEAREST "i8[2] i32[1] -> i8[4] : 0102 : fffffffc",
       "no oracle for this target: it asks for -4 elements of dimension 0, of which the result has "
       "4"},
      {SCALE_LINEAR "f32[2] f32[1] -> f32[4] : 3f80000040000000 : 40000000", NULL},
      {SCALE_LINEAR "f32[2] f32[1] -> f32[4] : 3f80000040000000 : 401fffff", NULL},
      {SCALE_LINEAR "f32[2] f32[1] -> f32[4] : 3f80000040000000 : 40200000",
       "no oracle for this target: in f32 and exactly alike, scale 0x1.4p+1 must make 4 elements "
       "of "
       "the 2 of dimension 0"},
      {SCALE_LINEAR "f32[2] f32[1] -> f32[4] : 3f80000040000000 : 7fc00000",
       "no oracle for this target: in f32 and exactly alike, scale nan must make 4 elements of the "
       "2 of dimension 0"},
      {SCALE_LINEAR "f32[2] f32[1] -> f32[4] : 3f80000040000000 : c0000000",
       "no oracle for this target: in f32 and exactly alike, scale -0x1p+1 must make 4 elements of "
       "the 2 of dimension 0"},
      /* 3 * 1.6666666 is just below 5, and 5 in f32; 1.6666667 is above 5 / 3. */
      {SCALE_LINEAR "f32[3] f32[1] -> f32[5] : 3f8000004000000040400000 : 3fd55555",
       "no oracle for this target: in f32 and exactly alike, scale 0x1.aaaaaap+0 must make 5 "
       "elements of the 3 of dimension 0"},
      {SCALE_LINEAR "f32[3] f32[1] -> f32[5] : 3f8000004000000040400000 : 3fd55556", NULL},
      {SCALE_LINEAR "f32[0] f32[1] -> f32[0] : - : 3fd55555", NULL},
      {SIZE_LINEAR
       "f32[2,2,2,2,2,2] i32[6] -> f32[1,1,1,1,1,2] : "
       "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
       "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
       "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
       "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
       "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
       "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
       "00000000000000000000000000000000 : 000000010000000100000001000000010000000100000"
       "002",
       NULL},
      {SIZE_LINEAR "f32[1,1,1,1,1,1] i32[6] -> f32[2,2,2,2,2,2] : 3f800000 : "
                   "000000020000000200000002000000020000000200000002",
       "no oracle for linear resizes of more than 5 dimensions"},
  };
  const contract_t contract = contract_backend();
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    case_t instance;
    failure_t error = {.text = ""};
    if (case_parse(str_from(rows[i].line), &arena, &instance, NULL, &error) != STATUS_OK) {
      g_error("%s: %s", rows[i].line, error.text);
    }
    accept_t accepts[CASE_RESULTS_MAX];
    const oracle_t *oracle = oracle_find(resize_row());
    const oracle_call_t call = {
        .instance = &instance, .contract = &contract, .arena = &arena, .error = &error};
    status_t status = oracle->accept(&call, accepts);
    g_assert_cmpint(status, ==, rows[i].reason == NULL ? STATUS_OK : STATUS_UNSUPPORTED);
    if (rows[i].reason != NULL) g_assert_cmpstr(error.text, ==, rows[i].reason);
  }
  arena_deinit(&arena);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void test_mlir(void) {
  g_autofree char *text =
      check_text(SIZE_LINEAR "f32[1,1,3,3] i64[4] -> f32[1,1,5,1]", resize_row()->print_mlir);
  g_assert_cmpstr(text, ==,
                  "module {\n"
                  "  func.func @main(%arg0: tensor<1x1x3x3xf32>, %arg1: tensor<4xi64>)"
                  " -> tensor<1x1x5x1xf32> {\n"
                  "    %0 = \"stablehlo.custom_call\"(%arg0, %arg1) {api_version = 1 : i32,"
                  " backend_config = \"\", byteir_attrs = {coordinate_transformation_mode ="
                  " \"half_pixel\", mode = \"linear\", target_mode = \"size\"},"
                  " call_target_name = \"byteir.resize\", called_computations = [],"
                  " has_side_effect = false} : (tensor<1x1x3x3xf32>, tensor<4xi64>)"
                  " -> tensor<1x1x5x1xf32>\n"
                  "    return %0 : tensor<1x1x5x1xf32>\n"
                  "  }\n"
                  "}\n");
  for (size_t i = 0; i < G_N_ELEMENTS(violations); i++) {
    g_autofree char *other = check_text(violations[i].line, resize_row()->print_mlir);
    g_assert_true(g_str_has_suffix(other, "  }\n}\n"));
  }
}

static void test_words(void) {
  static const struct {
    const char *line;
    const char *algorithm;
    const char *words;
  } rows[] = {
      {SIZE_LINEAR "f32[1,1,3,3] i64[4] -> f32[1,1,5,1]", "linear/half_pixel",
       "resizes f32[1,1,3,3] to [1,1,5,1], as the sizes say, by linear interpolation at half_pixel "
       "coordinates"},
      {SCALE_NEAREST "i8[2] f32[1] -> i8[4]", "nearest/align_corners",
       "resizes i8[2] to [4], as the scales say, to the element at or below align_corners "
       "coordinates"},
      {SIZE_LINEAR "f32[3] i64[2] -> f32[4]", "linear/half_pixel",
       "is no byteir.resize: it breaks target"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *words = check_text(rows[i].line, program_print_words);
    g_autofree char *algorithm = check_text(rows[i].line, resize_row()->print_algorithm);
    g_assert_cmpstr(words, ==, rows[i].words);
    g_assert_cmpstr(algorithm, ==, rows[i].algorithm);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/byteir_resize_op/violations", test_violations);
  g_test_add_func("/byteir_resize_op/hostile", test_hostile);
  g_test_add_func("/byteir_resize_op/drawn", test_drawn);
  g_test_add_func("/byteir_resize_op/tight_limits", test_tight_limits);
  g_test_add_func("/byteir_resize_op/settled", test_settled);
  g_test_add_func("/byteir_resize_op/other_targets", test_other_targets);
  g_test_add_func("/byteir_resize_op/mlir", test_mlir);
  g_test_add_func("/byteir_resize_op/words", test_words);
  return g_test_run();
}
