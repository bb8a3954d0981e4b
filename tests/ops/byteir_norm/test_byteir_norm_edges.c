/* SPDX-License-Identifier: Apache-2.0 */
/* What the rows of byteir.layer_norm and byteir.l2_norm draw as edges, counted. */
#include <math.h>

#include "oracles/ops/byteir_norm/byteir_norm.h"
#include "tests/ops/op_checks.h"

#define LAYER "byteir.layer_norm epsilon=0x1p-10 axis=[1] "
#define L2 "byteir.l2_norm epsilon=0x0p+0 axis=[1] "

/* How many rows that draw_edges() draws are of what kind. */
typedef struct edges {
  size_t rows;
  size_t constant;    /* All equal, and not zero. */
  size_t zeros;       /* Both signs. */
  size_t shifted;     /* |mean| > 2^6 deviations: a one-pass variance in f32 loses half its bits. */
  size_t far_shifted; /* |mean| > 2^12 deviations: it loses all. */
  size_t overflowing; /* The sum of squares overflows in the type, or underflows though not all */
  size_t underflowing; /* are zero. */
  size_t summing_over; /* Even the sum overflows. */
  size_t outliers;     /* One is larger than all others together. */
  size_t alternating;  /* Neighbours have opposite signs. */
  size_t specials;
} edges_t;

enum { ROW_TERMS = 16 };

static void count_finite(const double x[ROW_TERMS], const format_t *format, edges_t *edges) {
  double largest = format_to_double(format, format->largest_bits);
  double sum = 0, sizes = 0, squares = 0, deviations = 0, greatest = 0;
  bool is_constant = true, alternates = true;
  for (size_t i = 0; i < ROW_TERMS; i++) {
    sum += x[i];
    sizes += fabs(x[i]);
    squares += x[i] * x[i];
    greatest = fmax(greatest, fabs(x[i]));
    is_constant &= x[i] == x[0];
    if (i > 0) alternates &= x[i] * x[i - 1] < 0;
  }
  double mean = sum / (double)ROW_TERMS;
  for (size_t i = 0; i < ROW_TERMS; i++) deviations += (x[i] - mean) * (x[i] - mean);
  double deviation = sqrt(deviations / (double)ROW_TERMS);
  edges->zeros += greatest == 0;
  edges->constant += is_constant && greatest > 0;
  edges->shifted += !is_constant && fabs(mean) > 0x1p6 * deviation;
  edges->far_shifted += !is_constant && fabs(mean) > 0x1p12 * deviation;
  edges->overflowing += squares > largest;
  edges->underflowing += greatest > 0 && squares < ldexp(1, format->exponent_min);
  edges->summing_over += fabs(sum) > largest;
  edges->outliers += greatest > sizes - greatest;
  edges->alternating += alternates;
}

static void count_row(const double x[ROW_TERMS], const format_t *format, edges_t *edges) {
  edges->rows++;
  for (size_t i = 0; i < ROW_TERMS; i++) {
    if (isfinite(x[i])) continue;
    edges->specials++;
    return;
  }
  count_finite(x, format, edges);
}

static edges_t draw_and_count(const char *line) {
  arena_t arena;
  arena_init(&arena);
  const char *violation = NULL;
  program_t program = check_parse(line, &arena, &violation);
  g_assert_null(violation);
  const element_t *element = program.operands[0].element;
  rng_t rng = rng_make(0x4047);
  edges_t edges = {0};
  for (size_t i = 0; i < 3000; i++) {
    case_t instance = case_make(&arena, &program);
    program.op->draw_edges(&rng, &instance);
    for (size_t column = 0; column < 3; column++) { /* Along dimensions 0 and 2, 8 and 2 long. */
      double x[ROW_TERMS];
      for (size_t term = 0; term < ROW_TERMS; term++) {
        size_t place = term / 2 * 6 + column * 2 + term % 2;
        uint64_t bits = element_load(element, instance.operands[0].data, place);
        x[term] = format_to_double(element->format, bits);
      }
      count_row(x, element->format, &edges);
    }
  }
  g_test_message(
      "%s: of %zu rows: %zu constant, %zu zeros, %zu shifted, %zu far, %zu overflow, "
      "%zu underflow, %zu sums overflow, %zu outliers, %zu alternate, %zu special",
      line, edges.rows, edges.constant, edges.zeros, edges.shifted, edges.far_shifted,
      edges.overflowing, edges.underflowing, edges.summing_over, edges.outliers, edges.alternating,
      edges.specials);
  arena_deinit(&arena);
  return edges;
}

static void check_layer_norm_edges(const char *line) {
  edges_t edges = draw_and_count(line);
  size_t percent = edges.rows / 100;
  g_assert_cmpuint(edges.constant, >, 3 * percent);
  g_assert_cmpuint(edges.shifted, >, 10 * percent);
  g_assert_cmpuint(edges.overflowing, >, 3 * percent);
  g_assert_cmpuint(edges.summing_over, >, percent / 2);
  g_assert_cmpuint(edges.outliers, >, 3 * percent);
  g_assert_cmpuint(edges.alternating, >, 3 * percent);
  g_assert_cmpuint(edges.specials, >, percent);
  g_assert_cmpuint(edges.specials, <, 10 * percent);
}

static void check_l2_norm_edges(const char *line) {
  edges_t edges = draw_and_count(line);
  size_t percent = edges.rows / 100;
  g_assert_cmpuint(edges.zeros, >, 3 * percent);
  g_assert_cmpuint(edges.overflowing, >, 3 * percent);
  g_assert_cmpuint(edges.underflowing, >, 3 * percent);
  g_assert_cmpuint(edges.outliers, >, 3 * percent);
  g_assert_cmpuint(edges.alternating, >, 3 * percent);
  g_assert_cmpuint(edges.specials, >, percent);
  g_assert_cmpuint(edges.specials, <, 10 * percent);
}

static void test_edges(void) {
  const char *line =
      "byteir.layer_norm epsilon=0x1p-10 axis=[0,2] f32[8,3,2] f32[8,2] f32[8,2] -> "
      "f32[8,3,2]";
  check_layer_norm_edges(line);
  g_assert_cmpuint(draw_and_count(line).far_shifted, >, 400); /* Of 9000. */
  check_layer_norm_edges(
      "byteir.layer_norm epsilon=0x1p-10 axis=[0,2] f16[8,3,2] f16[8,2] "
      "f16[8,2] -> f16[8,3,2]");
  check_l2_norm_edges("byteir.l2_norm epsilon=0x1p-10 axis=[2,0] f32[8,3,2] -> f32[8,3,2]");
  check_l2_norm_edges("byteir.l2_norm epsilon=0x1p-10 axis=[2,0] f16[8,3,2] -> f16[8,3,2]");
}

/* How many rows have a norm below and above the epsilon, within a factor of 4. */
static void count_near(const program_t *program, double limit, size_t *below, size_t *above) {
  enum { TERMS = 8 };
  arena_t arena;
  arena_init(&arena);
  const element_t *element = program->operands[0].element;
  rng_t rng = rng_make(0xe95);
  for (size_t i = 0; i < 3000; i++) {
    case_t instance = case_make(&arena, program);
    program->op->draw_edges(&rng, &instance);
    for (size_t row = 0; row < 3; row++) {
      double squares = 0;
      for (size_t term = 0; term < TERMS; term++) {
        uint64_t bits = element_load(element, instance.operands[0].data, row * TERMS + term);
        double x = format_to_double(element->format, bits);
        squares += x * x;
      }
      *below += squares < limit * limit && squares > limit * limit / 16;
      *above += squares > limit * limit && squares < limit * limit * 16;
    }
  }
  arena_deinit(&arena);
}

/* It matters which is larger, the norm or epsilon. */
static void test_near_epsilon(void) {
  static const struct {
    const char *line;
    double limit; /* Of the norm. */
  } rows[] = {
      {"epsilon=0x1.19799812dea11p-40 axis=[1] f32[3,8] -> f32[3,8]", 1e-6},
      {"epsilon=0x1.19799812dea11p-40 axis=[1] eps_outside_sqrt=true f32[3,8] -> f32[3,8]", 1e-12},
      {"epsilon=0x1.4f8b588e368f1p-17 axis=[1] f16[3,8] -> f16[3,8]", 0x1.9e7c6e43390b7p-9},
      {"epsilon=0x1p-1 axis=[1] eps_outside_sqrt=true bf16[3,8] -> bf16[3,8]", 0.5},
      {"epsilon=0x1.f4p+9 axis=[1] f64[3,8] -> f64[3,8]", 0x1.f9f6e4990f227p+4},
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *line = g_strdup_printf("byteir.l2_norm %s", rows[i].line);
    const char *violation = NULL;
    program_t program = check_parse(line, &arena, &violation);
    size_t below = 0, above = 0;
    count_near(&program, rows[i].limit, &below, &above);
    g_test_message("%s: of 9000 rows %zu below, %zu above", line, below, above);
    g_assert_cmpuint(below, >, 450);
    g_assert_cmpuint(above, >, 450);
  }
  arena_deinit(&arena);
}

/* Weights and biases are those of a trained net, or plain, or odd. */
static void test_affine(void) {
  arena_t arena;
  arena_init(&arena);
  const char *violation = NULL;
  program_t program = check_parse(LAYER "f32[1,8] f32[8] f32[8] -> f32[1,8]", &arena, &violation);
  rng_t rng = rng_make(0xaff1);
  size_t plain[2] = {0}, large[2] = {0}, specials[2] = {0}, others[2] = {0};
  for (size_t i = 0; i < 2000; i++) {
    case_t instance = case_make(&arena, &program);
    program.op->draw_edges(&rng, &instance);
    for (size_t n = 0; n < 8; n++) {
      for (size_t which = 0; which < 2; which++) {
        const tensor_t *tensor = &instance.operands[LAYER_NORM_WEIGHT + which];
        uint64_t bits = element_load(tensor->type.element, tensor->data, n);
        double value = format_to_double(tensor->type.element->format, bits);
        double usual = which == 0 ? 1 : 0;
        plain[which] += value == usual;
        large[which] += isfinite(value) && fabs(value) > 10;
        specials[which] += isfinite(value) == 0;
        others[which] += value != usual && fabs(value - usual) <= 1;
      }
    }
  }
  for (size_t which = 0; which < 2; which++) {
    g_assert_cmpuint(plain[which], >, 2000);
    g_assert_cmpuint(others[which], >, 8000);
    g_assert_cmpuint(large[which], >, 400);
    g_assert_true(specials[which] > 10 && specials[which] < 400);
  }
  arena_deinit(&arena);
}

static void test_no_edges(void) {
  static const char *const lines[] = {
      LAYER "f32[2,0] f32[0] f32[0] -> f32[2,0] f32[2,1] f32[2,1]",
      LAYER "f32[0,3] f32[3] f32[3] -> f32[0,3]",
      "byteir.layer_norm epsilon=0x0p+0 axis=[] f64[] f64[] f64[] -> f64[] f64[] f64[]",
      L2 "f32[2,0] -> f32[2,0]",
  };
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

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/byteir_norm_edges/edges", test_edges);
  g_test_add_func("/byteir_norm_edges/near_epsilon", test_near_epsilon);
  g_test_add_func("/byteir_norm_edges/affine", test_affine);
  g_test_add_func("/byteir_norm_edges/no_edges", test_no_edges);
  return g_test_run();
}
