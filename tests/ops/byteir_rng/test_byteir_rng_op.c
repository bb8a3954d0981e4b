/* SPDX-License-Identifier: Apache-2.0 */
/* The op row of byteir.rng_uniform. */
#include <math.h>

#include "oracles/ops/byteir_rng/byteir_rng.h"
#include "tests/ops/op_checks.h"

static const draw_limits_t limits = {.rank_max = 5, .elements_max = 4096, .terms_max = 512};

static const op_t *rng_row(void) { return check_find_op("byteir.rng_uniform"); }

#define RNG "byteir.rng_uniform "
#define F32 "f32[] f32[] i64[] i64[] "

static const violation_row_t violations[] = {
    {RNG F32 "-> f32[8,3]", NULL},
    {RNG F32 "-> f32[]", NULL},
    {RNG F32 "-> f32[11,23,14,15]", NULL},
    {RNG F32 "-> f32[1000,1000,16]", NULL},
    {RNG F32 "i64[5] -> f32[10,11,12,13,14]", NULL},
    {RNG F32 "-> f32[0]", NULL},
    {RNG F32 "i64[3] -> f32[2,3,4]", NULL},
    {RNG F32 "i64[0] -> f32[]", NULL},
    {RNG F32 "i64[8] -> f32[1,1,1,1,1,1,1,1]", NULL},
    {RNG "f16[] f16[] i64[] i64[] -> f16[2]", NULL},
    {RNG "bf16[] bf16[] i64[] i64[] -> bf16[2]", NULL},
    {RNG "f64[] f64[] i64[] i64[] -> f64[2]", NULL},

    {RNG "f32[] f32[] i64[] -> f32[2]", "count"},
    {RNG F32 "i64[1] i64[1] -> f32[2]", "count"},
    {RNG F32 "-> f32[2] f32[2]", "count"},
    {RNG "f32[1] f32[] i64[] i64[] -> f32[2]", "bounds"},
    {RNG "f32[] f32[1] i64[] i64[] -> f32[2]", "bounds"},
    {RNG "f32[] f16[] i64[] i64[] -> f32[2]", "types"},
    {RNG "i32[] i32[] i64[] i64[] -> i32[2]", "types"},
    {RNG "f8E5M2[] f8E5M2[] i64[] i64[] -> f8E5M2[2]", "types"},
    {RNG "complex<f32>[] complex<f32>[] i64[] i64[] -> complex<f32>[2]", "types"},
    {RNG "!quant.uniform<i8:f32,0x1p+0>[] !quant.uniform<i8:f32,0x1p+0>[] i64[] i64[] -> f32[2]",
     "types"},
    {RNG "f32[] f32[] i32[] i64[] -> f32[2]", "types"},
    {RNG "f32[] f32[] i64[] ui64[] -> f32[2]", "types"},
    {RNG "f32[] f32[] i64[1] i64[] -> f32[2]", "seed"},
    {RNG "f32[] f32[] i64[] i64[2] -> f32[2]", "seed"},
    {RNG F32 "i64[] -> f32[2]", "shape"},
    {RNG F32 "i64[2] -> f32[2]", "shape"},
    {RNG F32 "i64[1,1] -> f32[2]", "shape"},
    {RNG F32 "i32[1] -> f32[2]", "types"},
    {RNG F32 "i64[1] -> f32[]", "shape"},
    {RNG F32 "-> f64[2]", "types"},
    {RNG F32 "-> i32[2]", "types"},
    {RNG F32 "-> !quant.uniform<i8:f32,0x1p+0>[2]", "types"},
};

static void test_violations(void) {
  check_violations(rng_row(), violations, G_N_ELEMENTS(violations), NULL);
}

static void test_hostile(void) { check_hostile(violations, G_N_ELEMENTS(violations), 20000); }

/* ---- Drawing --------------------------------------------------------------------------------- */

/* What a run of drawn programs has to show at least once. */
typedef struct coverage {
  uint32_t formats; /* Bit masks. */
  uint32_t ranks[2];
  size_t empty;
  size_t large;
} coverage_t;

static void visit_drawn(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  coverage_t *coverage = state;
  const type_t *result = &program->results[0];
  coverage->formats |= 1u << (result->element->format - format_table);
  coverage->ranks[byteir_rng_has_shape(program)] |= 1u << result->rank;
  coverage->empty += type_element_count(result) == 0;
  coverage->large += type_element_count(result) > 1000;
}

static void test_drawn(void) {
  coverage_t coverage = {0};
  check_drawn(rng_row(), &limits, 4000, visit_drawn, &coverage);
  g_assert_cmpuint(coverage.formats, ==,
                   1u << FORMAT_f16 | 1u << FORMAT_bf16 | 1u << FORMAT_f32 | 1u << FORMAT_f64);
  g_assert_cmphex(coverage.ranks[0], ==, 0x3f);
  g_assert_cmphex(coverage.ranks[1], ==, 0x3f);
  g_assert_cmpuint(coverage.empty, >, 40);
  g_assert_cmpuint(coverage.large, >, 1000);
}

static void visit_nothing(const program_t *program, arena_t *arena, void *state) {
  (void)program;
  (void)arena;
  (void)state;
}

static void test_tight_limits(void) {
  const draw_limits_t tight[] = {{0, 1, 1, DRAW_SIZES_SMALL},
                                 {8, 1, 1, DRAW_SIZES_SMALL},
                                 {1, 2, 1, DRAW_SIZES_SMALL},
                                 {8, 256, 2, DRAW_SIZES_SMALL}};
  for (size_t i = 0; i < G_N_ELEMENTS(tight); i++) {
    check_drawn(rng_row(), &tight[i], 500, visit_nothing, NULL);
  }
}

/* ---- Data ------------------------------------------------------------------------------------ */

typedef struct data_coverage {
  size_t unit, equal, reversed, not_finite, overflowing, subnormal, narrow, beyond;
  size_t high_seeds, low_seeds;
} data_coverage_t;

static double bound_of(const case_t *instance, uint32_t operand) {
  const element_t *element = instance->operands[operand].type.element;
  return format_to_double(element->format, byteir_rng_operand(instance, operand));
}

static void note_bounds(const case_t *instance, data_coverage_t *coverage) {
  const format_t *format = instance->program.results[0].element->format;
  uint64_t low_bits = byteir_rng_operand(instance, BYTEIR_RNG_LOW);
  uint64_t high_bits = byteir_rng_operand(instance, BYTEIR_RNG_HIGH);
  double low = bound_of(instance, BYTEIR_RNG_LOW), high = bound_of(instance, BYTEIR_RNG_HIGH);
  if (!isfinite(low) || !isfinite(high)) {
    coverage->not_finite++;
    return;
  }
  double width = format_round_double(format, high - low);
  coverage->unit += low >= 0 && low <= 0 && high >= 1 && high <= 1;
  coverage->equal += low >= high && low <= high;
  coverage->reversed += low > high;
  coverage->overflowing += isinf(width) != 0;
  coverage->subnormal +=
      format_is_subnormal(format, low_bits) && format_is_subnormal(format, high_bits);
  uint64_t steps =
      (uint64_t)format_ordinal(format, high_bits) - (uint64_t)format_ordinal(format, low_bits);
  coverage->narrow += steps > 0 && steps < 10;
  coverage->beyond += format_round_double(format, low + width) > high;
}

static void check_shape(const case_t *instance) {
  if (!byteir_rng_has_shape(&instance->program)) return;
  const tensor_t *shape = &instance->operands[BYTEIR_RNG_SHAPE];
  for (uint32_t dim = 0; dim < instance->program.results[0].rank; dim++) {
    uint64_t size = element_load(shape->type.element, shape->data, dim);
    g_assert_cmpuint(size, ==, (uint64_t)instance->program.results[0].dims[dim]);
  }
}

/* Any bits, or what the op draws; then settled. */
static void fill(rng_t *rng, case_t *instance) {
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    const tensor_t *tensor = &instance->operands[i];
    for (size_t n = 0; n < type_element_count(&tensor->type); n++) {
      uint64_t bits = rng_bits(rng) & element_mask(tensor->type.element);
      element_store(tensor->type.element, tensor->data, n, bits);
    }
  }
  if (!rng_one_in(rng, 3)) rng_row()->draw_edges(rng, instance);
  rng_row()->settle_operands(rng, instance);
}

/* The data cover what is awkward; the shape is that of the result; most bounds are in order. */
static void test_data(void) {
  enum { CASES = 6000 };
  data_coverage_t coverage = {0};
  rng_t rng = rng_make(77);
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < CASES; i++) {
    arena_reset(&arena);
    program_t program;
    rng_row()->draw(&rng, &limits, &arena, &program);
    case_t instance = case_make(&arena, &program);
    fill(&rng, &instance);
    check_shape(&instance);
    note_bounds(&instance, &coverage);
    uint64_t seed = byteir_rng_operand(&instance, BYTEIR_RNG_SEED);
    coverage.high_seeds += seed >> 32 != 0;
    coverage.low_seeds += seed < 2;
  }
  g_test_message(
      "of %d: %zu in [0,1], %zu equal, %zu reversed, %zu not finite, %zu overflow, %zu subnormal, "
      "%zu narrow, %zu beyond",
      CASES, coverage.unit, coverage.equal, coverage.reversed, coverage.not_finite,
      coverage.overflowing, coverage.subnormal, coverage.narrow, coverage.beyond);
  g_assert_cmpuint(coverage.unit, >, CASES / 5);
  g_assert_cmpuint(coverage.equal, >, CASES / 100);
  g_assert_cmpuint(coverage.reversed, >, CASES / 500);
  g_assert_cmpuint(coverage.reversed, <, CASES / 20);
  g_assert_cmpuint(coverage.not_finite, >, CASES / 100);
  g_assert_cmpuint(coverage.overflowing, >, CASES / 200);
  g_assert_cmpuint(coverage.subnormal, >, CASES / 100);
  g_assert_cmpuint(coverage.narrow, >, CASES / 50);
  g_assert_cmpuint(coverage.beyond, >, CASES / 50);
  g_assert_cmpuint(coverage.high_seeds, >, CASES / 4);
  g_assert_cmpuint(coverage.low_seeds, >, CASES / 50);
  arena_deinit(&arena);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void test_words(void) {
  static const struct {
    const char *line;
    const char *algorithm;
    const char *words;
  } rows[] = {
      {RNG F32 "-> f32[8,3]", "static",
       "fills f32[8,3] with random numbers from low to high, of a seed and an offset"},
      {RNG F32 "i64[2] -> f32[8,3]", "dynamic",
       "fills f32[8,3] with random numbers from low to high, of a seed and an offset; its shape is "
       "an operand"},
      {RNG F32 "-> f64[2]", "static",
       "is not modelled: Assay has no oracle for such a byteir.rng_uniform"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *words = check_text(rows[i].line, program_print_words);
    g_autofree char *algorithm = check_text(rows[i].line, rng_row()->print_algorithm);
    g_assert_cmpstr(words, ==, rows[i].words);
    g_assert_cmpstr(algorithm, ==, rows[i].algorithm);
  }
}

static void test_mlir(void) {
  g_autofree char *text = check_text(RNG F32 "i64[1] -> f32[8]", rng_row()->print_mlir);
  g_assert_cmpstr(text, ==,
                  "module {\n"
                  "  func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<i64>, "
                  "%arg3: tensor<i64>, %arg4: tensor<1xi64>) -> tensor<8xf32> {\n"
                  "    %0 = \"stablehlo.custom_call\"(%arg0, %arg1, %arg2, %arg3, %arg4) "
                  "{api_version = 1 : i32, backend_config = \"\", byteir_attrs = {}, "
                  "call_target_name = \"byteir.rng_uniform\", called_computations = [], "
                  "has_side_effect = false} : (tensor<f32>, tensor<f32>, tensor<i64>, "
                  "tensor<i64>, tensor<1xi64>) -> tensor<8xf32>\n"
                  "    return %0 : tensor<8xf32>\n"
                  "  }\n"
                  "}\n");
  for (size_t i = 0; i < G_N_ELEMENTS(violations); i++) {
    g_autofree char *any = check_text(violations[i].line, rng_row()->print_mlir);
    g_assert_true(g_str_has_suffix(any, "  }\n}\n"));
  }
}

/* ---- Axes ------------------------------------------------------------------------------------ */

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/byteir-rng-op/violations", test_violations);
  g_test_add_func("/byteir-rng-op/hostile", test_hostile);
  g_test_add_func("/byteir-rng-op/drawn", test_drawn);
  g_test_add_func("/byteir-rng-op/tight-limits", test_tight_limits);
  g_test_add_func("/byteir-rng-op/data", test_data);
  g_test_add_func("/byteir-rng-op/words", test_words);
  g_test_add_func("/byteir-rng-op/mlir", test_mlir);
  return g_test_run();
}
