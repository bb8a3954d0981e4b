/* SPDX-License-Identifier: Apache-2.0 */
/* The op rows of byteir.softmax and byteir.log_softmax, which differ in their names alone. */
#include "oracles/ops/byteir_softmax/byteir_softmax.h"

#include <math.h>

#include "tests/ops/op_checks.h"

static const draw_limits_t limits = {.rank_max = 5, .elements_max = 4096, .terms_max = 512};

static const op_t *softmax_row(void) { return check_find_op("byteir.softmax"); }
static const op_t *log_softmax_row(void) { return check_find_op("byteir.log_softmax"); }

/* Each after "byteir.softmax " and "byteir.log_softmax ". */
static const violation_row_t violations[] = {
    {"axis=1 f32[4,64] -> f32[4,64]", NULL},
    {"axis=0 f64[1] -> f64[1]", NULL},
    {"axis=-1 f16[4,64] -> f16[4,64]", NULL},
    {"axis=-2 bf16[4,64] -> bf16[4,64]", NULL},
    {"axis=0 f32[0] -> f32[0]", NULL},
    {"axis=1 f32[0,3] -> f32[0,3]", NULL},
    {"axis=7 f32[2,2,2,2,2,2,2,11] -> f32[2,2,2,2,2,2,2,11]", NULL},

    {"axis=0 -> f32[2]", "count"},
    {"axis=0 f32[2] f32[2] -> f32[2]", "count"},
    {"axis=0 f32[2] -> f32[2] f32[2]", "count"},
    {"axis=9 i32[2] i32[2] -> f32[2]", "count"},
    {"axis=0 i32[2] -> i32[2]", "types"},
    {"axis=0 i1[2] -> i1[2]", "types"},
    {"axis=0 complex<f32>[2] -> complex<f32>[2]", "types"},
    {"axis=0 f8E5M2[2] -> f8E5M2[2]", "types"},
    {"axis=0 !quant.uniform<i8:f32,0x1p+0>[2] -> !quant.uniform<i8:f32,0x1p+0>[2]", "types"},
    {"axis=9 i32[2] -> f32[2]", "axis"},
    {"axis=0 f32[2] -> f16[2]", "types"},
    {"axis=0 f32[2] -> f32[3]", "result"},
    {"axis=0 f32[2] -> f32[2,1]", "result"},
    {"axis=0 f32[2] -> f32[]", "result"},
    {"axis=0 f32[2] -> !quant.uniform<i8:f32,0x1p+0>[2]", "types"},
    {"axis=9 f32[2] -> f32[3]", "result"},
    {"axis=0 f32[] -> f32[]", "axis"},
    {"axis=-1 f32[] -> f32[]", "axis"},
    {"axis=2 f32[4,64] -> f32[4,64]", "axis"},
    {"axis=-3 f32[4,64] -> f32[4,64]", "axis"},
    {"axis=4294967296 f32[4,64] -> f32[4,64]", "axis"},
    {"axis=9223372036854775807 f32[4,64] -> f32[4,64]", "axis"},
    {"axis=-9223372036854775808 f32[4,64] -> f32[4,64]", "axis"},
};

/* The rows with the op's name before them; the strings are in the arena. */
static const violation_row_t *rows_of(const op_t *op, arena_t *arena) {
  violation_row_t *rows = ARENA_NEW_ARRAY(arena, violation_row_t, G_N_ELEMENTS(violations));
  for (size_t i = 0; i < G_N_ELEMENTS(violations); i++) {
    size_t size = strlen(op->name) + strlen(violations[i].line) + 2;
    char *line = arena_alloc(arena, size);
    g_snprintf(line, size, "%s %s", op->name, violations[i].line);
    rows[i] = (violation_row_t){line, violations[i].id};
  }
  return rows;
}

static void check_both(void (*check)(const op_t *op, const violation_row_t *rows, size_t count)) {
  arena_t arena;
  arena_init(&arena);
  const op_t *ops[] = {softmax_row(), log_softmax_row()};
  for (size_t i = 0; i < G_N_ELEMENTS(ops); i++) {
    check(ops[i], rows_of(ops[i], &arena), G_N_ELEMENTS(violations));
  }
  arena_deinit(&arena);
}

static void check_rows(const op_t *op, const violation_row_t *rows, size_t count) {
  check_violations(op, rows, count, NULL);
}

static void check_hostile_rows(const op_t *op, const violation_row_t *rows, size_t count) {
  (void)op;
  check_hostile(rows, count, 20000);
}

static void test_violations(void) { check_both(check_rows); }

static void test_hostile(void) { check_both(check_hostile_rows); }

/* Today's document has no negative axes, its predecessor says nothing about them. */
static void test_contracts(void) {
  static const struct {
    const char *line;
    const char *today;
  } rows[] = {
      {"byteir.softmax axis=1 f32[4,64] -> f32[4,64]", NULL},
      {"byteir.softmax axis=-1 f32[4,64] -> f32[4,64]", "sign"},
      {"byteir.log_softmax axis=0 f32[4,64] -> f32[4,64]", NULL},
      {"byteir.log_softmax axis=-2 f32[4,64] -> f32[4,64]", "sign"},
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

/* What a run of drawn programs has to show at least once. */
typedef struct coverage {
  uint64_t elements; /* Bit masks: over element_table; of ranks. */
  uint32_t ranks;
  bool has_first, has_middle, has_last, has_negative;
  bool has_one_term, has_many_terms, has_no_element;
} coverage_t;

static void visit_drawn(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  coverage_t *coverage = state;
  const type_t *type = &program->operands[0];
  dimension_list_t dimension = byteir_softmax_dimension(program);
  g_assert_cmpuint(dimension.count, ==, 1);
  int64_t dim = dimension.dims[0];
  g_assert_true(dim >= 0 && dim < type->rank);
  g_assert_cmphex(program->op->reduced_dimensions(program, 0), ==, 1u << dim);
  coverage->elements |= UINT64_C(1) << (type->element - element_table);
  coverage->ranks |= 1u << type->rank;
  coverage->has_first |= type->rank > 2 && dim == 0;
  coverage->has_middle |= type->rank > 2 && dim > 0 && dim + 1 < type->rank;
  coverage->has_last |= type->rank > 2 && dim + 1 == type->rank;
  coverage->has_negative |= byteir_softmax_attributes(program)->axis < 0;
  coverage->has_one_term |= type->dims[dim] == 1;
  coverage->has_many_terms |= type->dims[dim] > 64;
  coverage->has_no_element |= type_element_count(type) == 0;
}

static void check_coverage(const op_t *op) {
  coverage_t coverage = {0};
  check_drawn(op, &limits, 4000, visit_drawn, &coverage);
  for (size_t i = 0; i < element_count; i++) {
    bool is_float = byteir_is_float(&element_table[i], NULL);
    g_assert_cmpint((coverage.elements >> i & 1) != 0, ==, is_float);
  }
  g_assert_cmphex(coverage.ranks, ==, (1u << (limits.rank_max + 1)) - 2);
  g_assert_true(coverage.has_first && coverage.has_middle && coverage.has_last);
  g_assert_true(coverage.has_negative && coverage.has_no_element);
  g_assert_true(coverage.has_one_term && coverage.has_many_terms);
}

static void test_drawn(void) {
  check_coverage(softmax_row());
  check_coverage(log_softmax_row());
}

static void visit_nothing(const program_t *program, arena_t *arena, void *state) {
  (void)program;
  (void)arena;
  (void)state;
}

/* There is an axis, so that rank 1 is the least limit. */
static void test_tight_limits(void) {
  const draw_limits_t tight[] = {{1, 1, 1, DRAW_SIZES_SMALL},
                                 {8, 1, 1, DRAW_SIZES_SMALL},
                                 {1, 2, 1, DRAW_SIZES_SMALL},
                                 {8, 256, 2, DRAW_SIZES_SMALL}};
  for (size_t i = 0; i < G_N_ELEMENTS(tight); i++) {
    check_drawn(softmax_row(), &tight[i], 500, visit_nothing, NULL);
    check_drawn(log_softmax_row(), &tight[i], 500, visit_nothing, NULL);
  }
}

/* ---- Edges ----------------------------------------------------------------------------------- */

/* How many rows that draw_edges() draws are of what kind. */
typedef struct edges {
  size_t rows;
  size_t all_masked; /* -infinity throughout, or here and there. */
  size_t some_masked;
  size_t equal;       /* All the same finite number. */
  size_t overflowing; /* exp overflows in f32 at the largest one, or underflows at all of them. */
  size_t underflowing;
  size_t vanishing; /* Some exp(x - max) underflows in f32, and none is masked. */
  size_t ascending; /* Each is a new maximum, or none after the first. */
  size_t descending;
  size_t distant; /* Differences are lost beside the numbers. */
  size_t largest; /* Of the format, or nearly. */
  size_t not_numbers;
  size_t infinite;
} edges_t;

enum { ROW_TERMS = 16 };

static void count_order(const double x[ROW_TERMS], edges_t *edges) {
  bool ascends = true, descends = true;
  for (size_t i = 1; i < ROW_TERMS; i++) {
    ascends &= x[i] > x[i - 1];
    descends &= x[i] < x[i - 1];
  }
  edges->ascending += ascends;
  edges->descending += descends;
}

static void count_row(const double x[ROW_TERMS], double largest, edges_t *edges) {
  double least = INFINITY, greatest = -INFINITY;
  size_t masked = 0, not_numbers = 0, infinite = 0;
  for (size_t i = 0; i < ROW_TERMS; i++) {
    masked += x[i] == -(double)INFINITY;
    infinite += x[i] == (double)INFINITY;
    not_numbers += isnan(x[i]) != 0;
    if (!isfinite(x[i])) continue;
    least = fmin(least, x[i]);
    greatest = fmax(greatest, x[i]);
  }
  edges->rows++;
  edges->not_numbers += not_numbers > 0;
  edges->infinite += infinite > 0;
  edges->all_masked += masked == ROW_TERMS;
  edges->some_masked += masked > 0 && masked < ROW_TERMS;
  if (masked + not_numbers + infinite > 0) return;
  edges->equal += least == greatest;
  edges->overflowing += greatest > 88.73;
  edges->underflowing += greatest < -104;
  edges->vanishing += least - greatest < -104;
  edges->distant += fabs(greatest) > 0x1p14 && fabs(greatest) > (greatest - least) * 0x1p8;
  edges->largest += fabs(greatest) > largest / 2;
  count_order(x, edges);
}

static edges_t draw_and_count(const char *line, size_t cases) {
  arena_t arena;
  arena_init(&arena);
  const char *violation = NULL;
  program_t program = check_parse(line, &arena, &violation);
  const format_t *format = program.operands[0].element->format;
  rng_t rng = rng_make(0x50f7);
  edges_t edges = {0};
  for (size_t i = 0; i < cases; i++) {
    case_t instance = case_make(&arena, &program);
    program.op->draw_edges(&rng, &instance);
    const tensor_t *tensor = &instance.operands[0];
    for (size_t column = 0; column < 3; column++) { /* Along dimension 0. */
      double x[ROW_TERMS];
      for (size_t term = 0; term < ROW_TERMS; term++) {
        uint64_t bits = element_load(tensor->type.element, tensor->data, term * 3 + column);
        x[term] = format_to_double(format, bits);
      }
      count_row(x, format_to_double(format, format->largest_bits), &edges);
    }
  }
  arena_deinit(&arena);
  return edges;
}

static void check_edges(const char *line) {
  edges_t edges = draw_and_count(line, 3000);
  g_test_message(
      "of %zu rows: %zu masked, %zu partly, %zu equal, %zu overflow, %zu underflow, %zu "
      "vanish, %zu ascend, %zu descend, %zu distant, %zu largest, %zu NaN, %zu infinite",
      edges.rows, edges.all_masked, edges.some_masked, edges.equal, edges.overflowing,
      edges.underflowing, edges.vanishing, edges.ascending, edges.descending, edges.distant,
      edges.largest, edges.not_numbers, edges.infinite);
  g_assert_cmpuint(edges.all_masked, >, edges.rows / 20);
  g_assert_cmpuint(edges.some_masked, >, edges.rows / 10);
  g_assert_cmpuint(edges.equal, >, edges.rows / 100);
  g_assert_cmpuint(edges.overflowing, >, edges.rows / 20);
  g_assert_cmpuint(edges.underflowing, >, edges.rows / 50);
  g_assert_cmpuint(edges.vanishing, >, edges.rows / 20);
  g_assert_cmpuint(edges.ascending, >, edges.rows / 50);
  g_assert_cmpuint(edges.descending, >, edges.rows / 50);
  g_assert_cmpuint(edges.distant, >, edges.rows / 200);
  g_assert_cmpuint(edges.largest, >, edges.rows / 200);
  g_assert_cmpuint(edges.not_numbers, >, edges.rows / 1000);
  g_assert_cmpuint(edges.infinite, >, edges.rows / 1000);
  g_assert_cmpuint(edges.not_numbers, <, edges.rows / 20); /* They hide all else. */
  g_assert_cmpuint(edges.infinite, <, edges.rows / 10);
}

static void test_edges(void) {
  check_edges("byteir.softmax axis=0 f32[16,3] -> f32[16,3]");
  check_edges("byteir.log_softmax axis=0 f32[16,3] -> f32[16,3]");
  check_edges("byteir.softmax axis=0 bf16[16,3] -> bf16[16,3]");
}

/* Nothing to draw. */
static void test_no_edges(void) {
  static const char *const lines[] = {"byteir.softmax axis=0 f32[0,3] -> f32[0,3]",
                                      "byteir.softmax axis=1 f32[0,3] -> f32[0,3]",
                                      "byteir.log_softmax axis=-1 f32[2,0] -> f32[2,0]"};
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(1);
  for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
    const char *violation = NULL;
    program_t program = check_parse(lines[i], &arena, &violation);
    case_t instance = case_make(&arena, &program);
    program.op->draw_edges(&rng, &instance);
  }
  arena_deinit(&arena);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void print_mhlo(const program_t *program, GString *out_text) {
  custom_call_print_module(program, "mhlo", out_text);
}

/* The second is the document's example. */
static void test_mlir(void) {
  g_autofree char *text =
      check_text("byteir.softmax axis=1 f32[4,64] -> f32[4,64]", softmax_row()->print_mlir);
  g_assert_cmpstr(text, ==,
                  "module {\n"
                  "  func.func @main(%arg0: tensor<4x64xf32>) -> tensor<4x64xf32> {\n"
                  "    %0 = \"stablehlo.custom_call\"(%arg0) {api_version = 1 : i32,"
                  " backend_config = \"\", byteir_attrs = {axis = 1 : i64},"
                  " call_target_name = \"byteir.softmax\", called_computations = [],"
                  " has_side_effect = false} : (tensor<4x64xf32>) -> tensor<4x64xf32>\n"
                  "    return %0 : tensor<4x64xf32>\n"
                  "  }\n"
                  "}\n");
  g_autofree char *mhlo = check_text("byteir.softmax axis=1 f32[4,64] -> f32[4,64]", print_mhlo);
  g_assert_nonnull(
      strstr(mhlo,
             "    %0 = \"mhlo.custom_call\"(%arg0) {api_version = 1 : i32, backend_config = \"\", "
             "byteir_attrs = {axis = 1 : i64}, call_target_name = \"byteir.softmax\", "
             "called_computations = [], has_side_effect = false} : (tensor<4x64xf32>) -> "
             "tensor<4x64xf32>\n"));
  g_autofree char *other = check_text("byteir.log_softmax axis=-3 bf16[1,0,3] -> bf16[1,0,3]",
                                      log_softmax_row()->print_mlir);
  g_assert_nonnull(strstr(other,
                          "byteir_attrs = {axis = -3 : i64}, call_target_name = "
                          "\"byteir.log_softmax\", called_computations = [], has_side_effect = "
                          "false} : (tensor<1x0x3xbf16>) -> tensor<1x0x3xbf16>\n"));
}

static void test_words(void) {
  static const struct {
    const char *line;
    const char *algorithm;
    const char *words;
  } rows[] = {
      {"byteir.softmax axis=1 f32[4,64] -> f32[4,64]", "softmax",
       "exponentials divided by their sum of f32[4,64] along dimension 1"},
      {"byteir.log_softmax axis=-2 f16[4,64,3] -> f16[4,64,3]", "log_softmax",
       "logarithms of exponentials divided by their sum of f16[4,64,3] along dimension 1"},
      {"byteir.softmax axis=2 f32[4,64] -> f32[4,64]", "softmax",
       "is no byteir.softmax: it breaks axis"},
      {"byteir.log_softmax axis=0 i8[4] -> i8[4]", "log_softmax",
       "is not modelled: Assay has no oracle for such a byteir.log_softmax"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *words = check_text(rows[i].line, program_print_words);
    g_autofree char *algorithm = check_text(rows[i].line, softmax_row()->print_algorithm);
    g_assert_cmpstr(words, ==, rows[i].words);
    g_assert_cmpstr(algorithm, ==, rows[i].algorithm);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/byteir_softmax_op/violations", test_violations);
  g_test_add_func("/byteir_softmax_op/hostile", test_hostile);
  g_test_add_func("/byteir_softmax_op/contracts", test_contracts);
  g_test_add_func("/byteir_softmax_op/drawn", test_drawn);
  g_test_add_func("/byteir_softmax_op/tight_limits", test_tight_limits);
  g_test_add_func("/byteir_softmax_op/edges", test_edges);
  g_test_add_func("/byteir_softmax_op/no_edges", test_no_edges);
  g_test_add_func("/byteir_softmax_op/mlir", test_mlir);
  g_test_add_func("/byteir_softmax_op/words", test_words);
  return g_test_run();
}
