/* SPDX-License-Identifier: Apache-2.0 */
/* The op rows of byteir.gelu and byteir.erf. */
#include <math.h>

#include "oracles/ops/byteir_special_functions/byteir_special_functions.h"
#include "tests/ops/op_checks.h"

static const draw_limits_t limits = {.rank_max = 5, .elements_max = 4096, .terms_max = 512};

static const op_t *gelu_row(void) { return check_find_op("byteir.gelu"); }
static const op_t *erf_row(void) { return check_find_op("byteir.erf"); }

#define ERF "byteir.erf "
#define GELU "byteir.gelu approximate=erf "

static const violation_row_t gelu_rows[] = {
    {GELU "f32[9] -> f32[9]", NULL},
    {"byteir.gelu approximate=none f32[4,64] -> f32[4,64]", NULL},
    {"byteir.gelu approximate=tanh f16[4,64] -> f16[4,64]", NULL},
    {GELU "bf16[] -> bf16[]", NULL},
    {GELU "f64[0,3] -> f64[0,3]", NULL},
    {GELU "f32[2,1,2,1,2,1,2,11] -> f32[2,1,2,1,2,1,2,11]", NULL},

    {GELU "-> f32[9]", "count"},
    {GELU "f32[9] f32[9] -> f32[9]", "count"},
    {GELU "f32[9] -> f32[9] f32[9]", "count"},
    {GELU "i8[9] -> i8[9]", "types"},
    {GELU "i1[9] -> i1[9]", "types"},
    {GELU "complex<f64>[9] -> complex<f64>[9]", "types"},
    {GELU "f8E4M3FN[9] -> f8E4M3FN[9]", "types"},
    {GELU "!quant.uniform<i8:f32,0x1p+0>[9] -> !quant.uniform<i8:f32,0x1p+0>[9]", "types"},
    {GELU "i32[9] -> f32[9]", "types"},
    {GELU "f32[9] -> f64[9]", "types"},
    {GELU "f32[9] -> f32[8]", "result"},
    {GELU "f32[9] -> f32[9,1]", "result"},
    {GELU "f32[9] -> !quant.uniform<i8:f32,0x1p+0>[9]", "types"},
};

static const violation_row_t erf_rows[] = {
    {ERF "f32[9] -> f32[9]", NULL},
    {ERF "f16[] -> f16[]", NULL},
    {ERF "bf16[10,20,30] -> bf16[10,20,30]", NULL},
    {ERF "f64[0] -> f64[0]", NULL},

    {ERF "-> f32[9]", "count"},
    {ERF "f32[10,20,30] f32[10,20,30] -> f32[10,20,30]", "count"},
    {ERF "f32[10,20,30] -> f32[10,20,30] f32[10,20,30]", "count"},
    {ERF "ui16[10,20,30] -> ui16[10,20,30]", "types"},
    {ERF "f8E5M2[10,20,30] -> f8E5M2[10,20,30]", "types"},
    {ERF "complex<f32>[10,20,30] -> complex<f32>[10,20,30]", "types"},
    {ERF "!quant.uniform<i8:f32,0x1p+0>[9] -> f32[9]", "types"},
    {ERF "f32[10,20,30] -> f16[10,20,30]", "types"},
    {ERF "f32[10,20,30] -> f32[10,20,31]", "result"},
    {ERF "f32[10,20,30] -> f32[]", "result"},
};

static void test_violations(void) {
  check_violations(gelu_row(), gelu_rows, G_N_ELEMENTS(gelu_rows), NULL);
  check_violations(erf_row(), erf_rows, G_N_ELEMENTS(erf_rows), NULL);
}

static void test_hostile(void) {
  check_hostile(gelu_rows, G_N_ELEMENTS(gelu_rows), 20000);
  check_hostile(erf_rows, G_N_ELEMENTS(erf_rows), 20000);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* What a run of drawn programs has to show. */
typedef struct coverage {
  uint64_t elements; /* Bit masks: over element_table; of ranks. */
  uint32_t ranks;
  size_t approximations[GELU_TANH + 1];
  bool has_no_element;
  bool has_many;
} coverage_t;

static void note_type(const program_t *program, coverage_t *coverage) {
  const type_t *type = &program->operands[0];
  coverage->elements |= UINT64_C(1) << (type->element - element_table);
  coverage->ranks |= 1u << type->rank;
  coverage->has_no_element |= type_element_count(type) == 0;
  coverage->has_many |= type_element_count(type) > 2000;
}

static void visit_gelu(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  coverage_t *coverage = state;
  coverage->approximations[byteir_gelu_approximation(program)]++;
  note_type(program, coverage);
}

static void visit_erf(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  note_type(program, state);
}

static void check_coverage(const coverage_t *coverage) {
  for (size_t i = 0; i < element_count; i++) {
    bool is_float = byteir_is_float(&element_table[i], NULL);
    g_assert_cmpint((coverage->elements >> i & 1) != 0, ==, is_float);
  }
  g_assert_cmphex(coverage->ranks, ==, (1u << (limits.rank_max + 1)) - 1);
  g_assert_true(coverage->has_no_element && coverage->has_many);
}

static void test_drawn(void) {
  enum { COUNT = 4000 };
  coverage_t gelu = {0}, erf = {0};
  check_drawn(gelu_row(), &limits, COUNT, visit_gelu, &gelu);
  check_drawn(erf_row(), &limits, COUNT, visit_erf, &erf);
  check_coverage(&gelu);
  check_coverage(&erf);
  for (size_t i = 0; i < G_N_ELEMENTS(gelu.approximations); i++) {
    g_assert_cmpuint(gelu.approximations[i], >, COUNT / 5);
  }
}

static void visit_nothing(const program_t *program, arena_t *arena, void *state) {
  (void)program;
  (void)arena;
  (void)state;
}

static void test_tight_limits(void) {
  const draw_limits_t tight[] = {{0, 1, 1, DRAW_SIZES_SMALL},
                                 {1, 1, 1, DRAW_SIZES_SMALL},
                                 {8, 1, 1, DRAW_SIZES_SMALL},
                                 {1, 2, 1, DRAW_SIZES_SMALL},
                                 {8, 256, 2, DRAW_SIZES_SMALL}};
  for (size_t i = 0; i < G_N_ELEMENTS(tight); i++) {
    check_drawn(gelu_row(), &tight[i], 500, visit_nothing, NULL);
    check_drawn(erf_row(), &tight[i], 500, visit_nothing, NULL);
  }
}

/* ---- Edges ----------------------------------------------------------------------------------- */

/* How many elements that draw_edges() draws are of what kind. */
typedef struct edges {
  size_t elements;
  size_t tail;       /* -14..-1, where 1 + erf cancels; */
  size_t flipping;   /* -5.5..-5, where it loses the sign. */
  size_t apart;      /* 2.6..2.8, where erf and tanh mean what differs most. */
  size_t saturating; /* 3.8..4.1 */
  size_t linear;     /* Below 2^-3, down to */
  size_t tiny;       /* 2^-100, and */
  size_t subnormal;
  size_t cubes; /* x^3 overflows in the type, but x^2 does not; x^2 does; 2 x does. */
  size_t squares;
  size_t doubled;
  size_t negative_zeros, not_numbers, infinite[2];
  size_t near_breaks; /* Within 1/16 of 0.5, 0.84375, 1 or 1.25, of either sign. */
} edges_t;

static bool is_between(double x, double low, double high) { return low <= x && x <= high; }

static void count_element(double x, const format_t *format, edges_t *edges) {
  static const double breaks[] = {0.5, 0.84375, 1, 1.25};
  double size = fabs(x), largest = format_to_double(format, format->largest_bits);
  edges->elements++;
  edges->not_numbers += isnan(x) != 0;
  edges->infinite[signbit(x) != 0] += isinf(x) != 0;
  edges->negative_zeros += x == 0 && signbit(x) != 0;
  if (!isfinite(x) || x == 0) return;
  edges->tail += is_between(x, -14, -1);
  edges->flipping += is_between(x, -5.5, -5);
  edges->apart += is_between(x, 2.6, 2.8);
  edges->saturating += is_between(x, 3.8, 4.1);
  edges->linear += size < 0x1p-3;
  edges->tiny += size < 0x1p-100;
  edges->subnormal += format_is_subnormal(format, format_from_double(format, x));
  edges->cubes += cbrt(largest) < size && size < sqrt(largest);
  edges->squares += sqrt(largest) < size;
  edges->doubled += size > largest / 2;
  bool is_near = false;
  for (size_t i = 0; i < G_N_ELEMENTS(breaks); i++) {
    is_near |= fabs(size - breaks[i]) < 0x1p-4;
  }
  edges->near_breaks += is_near;
}

static edges_t draw_and_count(const char *line) {
  arena_t arena;
  arena_init(&arena);
  const char *violation = NULL;
  program_t program = check_parse(line, &arena, &violation);
  const element_t *element = program.operands[0].element;
  rng_t rng = rng_make(0xe1f);
  edges_t edges = {0};
  for (size_t i = 0; i < 3000; i++) {
    case_t instance = case_make(&arena, &program);
    program.op->draw_edges(&rng, &instance);
    for (size_t n = 0; n < type_element_count(&program.operands[0]); n++) {
      uint64_t bits = element_load(element, instance.operands[0].data, n);
      count_element(format_to_double(element->format, bits), element->format, &edges);
    }
  }
  arena_deinit(&arena);
  return edges;
}

/* `has_tiny`: the type has numbers below 2^-100. */
static void check_edges(const char *line, bool has_tiny) {
  edges_t edges = draw_and_count(line);
  size_t percent = edges.elements / 100;
  g_test_message(
      "%s: of %zu: %zu tail, %zu flipping, %zu apart, %zu saturating, %zu linear, %zu "
      "tiny, %zu subnormal, %zu cubes, %zu squares, %zu doubled, %zu near breaks, %zu -0",
      line, edges.elements, edges.tail, edges.flipping, edges.apart, edges.saturating, edges.linear,
      edges.tiny, edges.subnormal, edges.cubes, edges.squares, edges.doubled, edges.near_breaks,
      edges.negative_zeros);
  g_assert_cmpuint(edges.tail, >, 10 * percent);
  g_assert_cmpuint(edges.flipping, >, 3 * percent);
  g_assert_cmpuint(edges.apart, >, 3 * percent);
  g_assert_cmpuint(edges.saturating, >, 3 * percent);
  g_assert_cmpuint(edges.linear, >, 5 * percent);
  g_assert_cmpuint(edges.near_breaks, >, 3 * percent);
  g_assert_cmpuint(edges.subnormal, >, percent / 10);
  g_assert_cmpuint(edges.cubes, >, percent);
  g_assert_cmpuint(edges.squares, >, percent);
  g_assert_cmpuint(edges.doubled, >, percent / 100);
  if (has_tiny) g_assert_cmpuint(edges.tiny, >, 3 * percent);
  g_assert_cmpuint(edges.negative_zeros, >, percent / 100);
  g_assert_cmpuint(edges.not_numbers, >, percent / 100);
  g_assert_cmpuint(MIN(edges.infinite[0], edges.infinite[1]), >, percent / 100);
}

static void test_edges(void) {
  check_edges(ERF "f32[20] -> f32[20]", true);
  check_edges(GELU "f32[20] -> f32[20]", true);
  check_edges("byteir.gelu approximate=tanh bf16[20] -> bf16[20]", true);
  check_edges("byteir.gelu approximate=none f16[20] -> f16[20]", false);
}

static void test_no_edges(void) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(1);
  const char *violation = NULL;
  program_t program = check_parse(ERF "f32[0,3] -> f32[0,3]", &arena, &violation);
  case_t instance = case_make(&arena, &program);
  program.op->draw_edges(&rng, &instance);
  arena_deinit(&arena);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void print_mhlo(const program_t *program, GString *out_text) {
  custom_call_print_module(program, "mhlo", out_text);
}

static void test_mlir(void) {
  g_autofree char *text =
      check_text("byteir.gelu approximate=none f32[4,64] -> f32[4,64]", gelu_row()->print_mlir);
  g_assert_cmpstr(text, ==,
                  "module {\n"
                  "  func.func @main(%arg0: tensor<4x64xf32>) -> tensor<4x64xf32> {\n"
                  "    %0 = \"stablehlo.custom_call\"(%arg0) {api_version = 1 : i32,"
                  " backend_config = \"\", byteir_attrs = {approximate = \"none\"},"
                  " call_target_name = \"byteir.gelu\", called_computations = [],"
                  " has_side_effect = false} : (tensor<4x64xf32>) -> tensor<4x64xf32>\n"
                  "    return %0 : tensor<4x64xf32>\n"
                  "  }\n"
                  "}\n");
  static const struct {
    const char *line;
    const char *part;
  } rows[] = {
      {GELU "f16[] -> f16[]",
       "byteir_attrs = {approximate = \"erf\"}, call_target_name = "
       "\"byteir.gelu\", called_computations = [], has_side_effect = "
       "false} : (tensor<f16>) -> tensor<f16>\n"},
      {"byteir.gelu approximate=tanh bf16[2] -> bf16[2]",
       "byteir_attrs = {approximate = \"tanh\"}, call_target_name = \"byteir.gelu\","},
      {ERF "f64[2,0] -> f64[2,0]",
       "byteir_attrs = {}, call_target_name = \"byteir.erf\", called_computations = [], "
       "has_side_effect = false} : (tensor<2x0xf64>) -> tensor<2x0xf64>\n"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *stablehlo = check_text(rows[i].line, gelu_row()->print_mlir);
    g_autofree char *mhlo = check_text(rows[i].line, print_mhlo);
    g_assert_nonnull(strstr(stablehlo, rows[i].part));
    g_assert_nonnull(strstr(mhlo, rows[i].part));
    g_assert_nonnull(strstr(stablehlo, "    %0 = \"stablehlo.custom_call\"(%arg0) {"));
    g_assert_nonnull(strstr(mhlo, "    %0 = \"mhlo.custom_call\"(%arg0) {"));
  }
}

static void test_words(void) {
  static const struct {
    const char *line;
    const char *algorithm;
    const char *words;
  } rows[] = {
      {GELU "f32[4,64] -> f32[4,64]", "erf",
       "the Gaussian error linear unit of each element of f32[4,64]"},
      {"byteir.gelu approximate=none f32[] -> f32[]", "none",
       "the Gaussian error linear unit of each element of f32[]"},
      {"byteir.gelu approximate=tanh f16[3] -> f16[3]", "tanh",
       "the Gaussian error linear unit of each element of f16[3], approximated by tanh"},
      {ERF "bf16[3] -> bf16[3]", "erf", "the error function of each element of bf16[3]"},
      {ERF "bf16[3] -> bf16[4]", "erf", "is no byteir.erf: it breaks result"},
      {GELU "i8[3] -> i8[3]", "erf", "is not modelled: Assay has no oracle for such a byteir.gelu"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const op_t *op = g_str_has_prefix(rows[i].line, ERF) ? erf_row() : gelu_row();
    g_autofree char *words = check_text(rows[i].line, program_print_words);
    g_autofree char *algorithm = check_text(rows[i].line, op->print_algorithm);
    g_assert_cmpstr(words, ==, rows[i].words);
    g_assert_cmpstr(algorithm, ==, rows[i].algorithm);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/byteir_special_functions_op/violations", test_violations);
  g_test_add_func("/byteir_special_functions_op/hostile", test_hostile);
  g_test_add_func("/byteir_special_functions_op/drawn", test_drawn);
  g_test_add_func("/byteir_special_functions_op/tight_limits", test_tight_limits);
  g_test_add_func("/byteir_special_functions_op/edges", test_edges);
  g_test_add_func("/byteir_special_functions_op/no_edges", test_no_edges);
  g_test_add_func("/byteir_special_functions_op/mlir", test_mlir);
  g_test_add_func("/byteir_special_functions_op/words", test_words);
  return g_test_run();
}
