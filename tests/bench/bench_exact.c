/* SPDX-License-Identifier: Apache-2.0 */
/* How fast the exact kernels are, against MPFR, OpenBLAS and the loop anybody would write first.
 *
 *   bench_exact [ROUNDS [avx512 | avx2 | portable]] > table
 *
 * One row per shape and data; each figure is the median over rounds, in which all methods take
 * turns, so that a noisy machine hurts them alike.  `exact` is the exact value and the magnitude of
 * every output; `accept` is what the oracle needs of them to judge a case, with the rounded
 * enclosure of every output: of large products of f32 most values are rough (theory.md, T296). */
#include <glib.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/base/rng.h"
#include "oracles/exact/matmul/kernels.h"
#ifdef BENCH_HAVE_OPENBLAS
#include <cblas.h>
#endif

enum { ROUNDS_MAX = 99, MPFR_PRODUCTS = 4096 };

typedef struct data {
  const char *type;
  const char *values;
  const char *result; /* Format of the enclosures. */
  int significand_bits;
  int exponent_span; /* 0: uniform in [-1, 1]. */
} data_t;

static const data_t data_table[] = {
    {"f32", "uniform", "f32", 24, 0},   {"f32", "2^+-126", "f32", 24, 126},
    {"bf16", "uniform", "bf16", 8, 0},  {"bf16", "2^+-126", "bf16", 8, 126},
    {"f16", "uniform", "f16", 11, 0},   {"f16", "2^+-14", "f16", 11, 14},
    {"f8E4M3", "uniform", "f32", 4, 0}, {"f64", "uniform", "f64", 53, 0},
    {"f64", "2^+-60", "f64", 53, 60},   {"f64", "2^+-400", "f64", 53, 400},
};

static const size_t shapes[][3] = {{1, 1, 1},    {4, 4, 4},      {16, 16, 16}, {1, 64, 64},
                                   {64, 1, 64},  {1, 1, 1024},   {16, 16, 8},  {16, 16, 512},
                                   {64, 64, 64}, {256, 256, 256}};

/* Sums of columns: terms, columns. */
static const size_t sum_shapes[][2] = {{16, 16}, {64, 64}, {1024, 1}, {65536, 1}, {256, 256}};

typedef struct problem {
  const exact_kernels_t *kernels;
  const data_t *data;
  bool is_f64;
  size_t m, n, k;
  float *a32, *b32, *c32;
  double *a64, *b64, *c64;
  exact_matmul_t matmul;
  double *low, *high;
  arena_t arena;
} problem_t;

/* Of this thread: time that other programs take from it does not count. */
static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double draw(rng_t *rng, const data_t *data) {
  double sign = rng_one_in(rng, 2) ? -1 : 1, unit = (double)(rng_bits(rng) >> 11) * 0x1p-53;
  int exponent = 0;
  if (data->exponent_span != 0) {
    exponent = (int)rng_between(rng, -data->exponent_span, data->exponent_span);
    unit = 1 + unit;
  }
  int binade;
  double significand = frexp(unit, &binade);
  significand = nearbyint(ldexp(significand, data->significand_bits));
  return sign * ldexp(significand, binade - data->significand_bits + exponent);
}

static void draw_matrix(rng_t *rng, const data_t *data, size_t count, float *f32, double *f64) {
  for (size_t i = 0; i < count; i++) {
    f64[i] = draw(rng, data);
    f32[i] = (float)f64[i];
  }
}

static problem_t problem_make(const data_t *data, const size_t shape[3]) {
  size_t m = shape[0], n = shape[1], k = shape[2];
  problem_t problem = {.data = data, .is_f64 = data->significand_bits > 24, .m = m, .n = n, .k = k};
  arena_init(&problem.arena);
  problem.a32 = ARENA_NEW_ARRAY(&problem.arena, float, m *k);
  problem.b32 = ARENA_NEW_ARRAY(&problem.arena, float, k *n);
  problem.c32 = ARENA_NEW_ARRAY(&problem.arena, float, m *n);
  problem.a64 = ARENA_NEW_ARRAY(&problem.arena, double, m *k);
  problem.b64 = ARENA_NEW_ARRAY(&problem.arena, double, k *n);
  problem.c64 = ARENA_NEW_ARRAY(&problem.arena, double, m *n);
  problem.low = ARENA_NEW_ARRAY(&problem.arena, double, m *n);
  problem.high = ARENA_NEW_ARRAY(&problem.arena, double, m *n);
  double *tail = ARENA_NEW_ARRAY(&problem.arena, double, m *n);
  problem.matmul = (exact_matmul_t){.m = m,
                                    .n = n,
                                    .k = k,
                                    .reference = ARENA_NEW_ARRAY(&problem.arena, double, m *n),
                                    .reference_tail = problem.is_f64 ? tail : NULL,
                                    .magnitude = ARENA_NEW_ARRAY(&problem.arena, double, m *n),
                                    .uncertified = arena_alloc(&problem.arena, m * n)};
  rng_t rng = rng_make(m * 31 + n * 7 + k);
  draw_matrix(&rng, data, m * k, problem.a32, problem.a64);
  draw_matrix(&rng, data, k * n, problem.b32, problem.b64);
  return problem;
}

static void run_exact(problem_t *problem) {
  if (problem->is_f64) {
    problem->kernels->matmul_f64(&problem->matmul, problem->a64, problem->b64, &problem->arena);
  } else {
    problem->kernels->matmul_f32(&problem->matmul, problem->a32, problem->b32, &problem->arena);
  }
}

static void run_sums(problem_t *problem) {
  if (problem->is_f64) {
    problem->kernels->sums_f64(&problem->matmul, problem->b64, &problem->arena);
  } else {
    problem->kernels->sums_f32(&problem->matmul, problem->b32, &problem->arena);
  }
}

/* As accept sets of dot_general are made. */
static void run_accept(problem_t *problem) {
  double bound;
  problem->matmul.rough_bound = &bound;
  run_exact(problem);
  problem->matmul.rough_bound = NULL;
  double rough =
      2 * (problem->is_f64 ? exact_rough_error_f64(problem->k) : exact_rough_error_f32(problem->k));
  if (!isfinite(bound)) rough = 0;
  const char *name = problem->data->result;
  enclosure_t enclosure = {.count = problem->m * problem->n,
                           .reference = problem->matmul.reference,
                           .reference_tail = problem->matmul.reference_tail,
                           .magnitude = problem->matmul.magnitude,
                           .factor = (double)problem->k * 0x1p-24 - rough,
                           .offset = (double)problem->k * 0x1p-149,
                           .format = format_find(str_from(name)),
                           .ends = ENCLOSURE_NEAREST,
                           .side = ENCLOSURE_INSIDE};
  problem->kernels->round_ends(&enclosure, problem->low, problem->high);
}

static void run_naive(problem_t *problem) {
  size_t m = problem->m, n = problem->n, k = problem->k;
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < n; j++) {
      if (problem->is_f64) {
        double sum = 0;
        for (size_t t = 0; t < k; t++) sum += problem->a64[i * k + t] * problem->b64[t * n + j];
        problem->c64[i * n + j] = sum;
      } else {
        float sum = 0;
        for (size_t t = 0; t < k; t++) sum += problem->a32[i * k + t] * problem->b32[t * n + j];
        problem->c32[i * n + j] = sum;
      }
    }
  }
}

static void run_blas(problem_t *problem) {
#ifdef BENCH_HAVE_OPENBLAS
  int m = (int)problem->m, n = (int)problem->n, k = (int)problem->k;
  if (problem->is_f64) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, problem->a64, k,
                problem->b64, n, 0, problem->c64, n);
  } else {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, problem->a32, k,
                problem->b32, n, 0, problem->c32, n);
  }
#else
  (void)problem;
#endif
}

/* Exact products and sums of the first outputs, up to about MPFR_PRODUCTS products. */
static size_t run_mpfr(problem_t *problem) {
  size_t n = problem->n, k = problem->k, done = 0;
  mpfr_t sum, product, a, b;
  mpfr_init2(sum, problem->is_f64 ? 2200 : 640);
  mpfr_init2(product, problem->is_f64 ? 106 : 48);
  mpfr_inits2(53, a, b, (mpfr_ptr)0);
  for (size_t at = 0; at < problem->m * n && done < MPFR_PRODUCTS; at++, done += k) {
    mpfr_set_zero(sum, 1);
    for (size_t t = 0; t < k; t++) {
      mpfr_set_d(a, problem->a64[at / n * k + t], MPFR_RNDN);
      mpfr_set_d(b, problem->b64[t * n + at % n], MPFR_RNDN);
      mpfr_mul(product, a, b, MPFR_RNDN);
      mpfr_add(sum, sum, product, MPFR_RNDN);
    }
    problem->c64[at] = mpfr_get_d(sum, MPFR_RNDN);
  }
  mpfr_clears(sum, product, a, b, (mpfr_ptr)0);
  return done;
}

/* ns per call: as many calls as take about `target` seconds. */
static double time_calls(void (*run)(problem_t *), problem_t *problem, double target) {
  size_t calls = 1;
  for (;;) {
    double begin = seconds();
    for (size_t i = 0; i < calls; i++) run(problem);
    double taken = seconds() - begin;
    if (taken >= target || calls > 1u << 24) return taken / (double)calls * 1e9;
    calls = taken < target / 8 ? calls * 8 : (size_t)((double)calls * 1.2 * target / taken) + 1;
  }
}

static int compare_doubles(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double median(double *values, size_t count) {
  qsort(values, count, sizeof *values, compare_doubles);
  return values[count / 2];
}

enum { EXACT, ACCEPT, NAIVE, BLAS, MPFR, METHODS };

static void measure(const exact_kernels_t *kernels, const data_t *data, const size_t shape[3],
                    size_t rounds) {
  static void (*const runs[MPFR])(problem_t *) = {run_exact, run_accept, run_naive, run_blas};
  problem_t problem = problem_make(data, shape);
  problem.kernels = kernels;
  double times[METHODS][ROUNDS_MAX], products = (double)(shape[0] * shape[1] * shape[2]);
  for (size_t round = 0; round < rounds; round++) {
    for (size_t method = 0; method < MPFR; method++) {
      times[method][round] = time_calls(runs[method], &problem, 0.002) / products;
    }
    double begin = seconds();
    size_t done = run_mpfr(&problem);
    times[MPFR][round] = (seconds() - begin) * 1e9 / (double)done;
  }
  double ns[METHODS];
  for (size_t method = 0; method < METHODS; method++) ns[method] = median(times[method], rounds);
  printf("%-6s %-8s %4zux%4zux%4zu %8.0f %8.4f %8.4f %7.3f %7.4f %6.0f %8.0f %8.1f %8.2f\n",
         data->type, data->values, shape[0], shape[1], shape[2], ns[ACCEPT] * products, ns[EXACT],
         ns[ACCEPT], ns[NAIVE], ns[BLAS], ns[MPFR], ns[MPFR] / ns[ACCEPT], ns[ACCEPT] / ns[BLAS],
         ns[NAIVE] / ns[ACCEPT]);
  fflush(stdout);
  arena_deinit(&problem.arena);
}

static void measure_sums(const exact_kernels_t *kernels, const data_t *data, const size_t shape[2],
                         size_t rounds) {
  const size_t extent[3] = {1, shape[1], shape[0]};
  problem_t problem = problem_make(data, extent);
  problem.kernels = kernels;
  double times[ROUNDS_MAX], terms = (double)(shape[0] * shape[1]);
  for (size_t i = 0; i < shape[0]; i++) problem.a32[i] = (float)(problem.a64[i] = 1);
  for (size_t round = 0; round < rounds; round++) {
    times[round] = time_calls(run_sums, &problem, 0.002) / terms;
  }
  double ns = median(times, rounds);
  printf("%-6s %-8s sums %5zux%3zu %8.0f %8.4f\n", data->type, data->values, shape[0], shape[1],
         ns * terms, ns);
  arena_deinit(&problem.arena);
}

int main(int argc, char **argv) {
  size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 7;
  if (rounds < 1 || rounds > ROUNDS_MAX) rounds = 7;
  const exact_kernels_t *kernels = argc > 2 ? exact_kernels_named(argv[2]) : exact_kernels_best();
  if (kernels == NULL) {
    fprintf(stderr, "this machine has no kernels called %s\n", argv[2]);
    return 2;
  }
#ifdef BENCH_HAVE_OPENBLAS
  openblas_set_num_threads(1);
  printf("# BLAS: OpenBLAS, kernels for %s\n", openblas_get_corename());
#endif
  printf("# our kernels: %s\n", kernels->name);
  printf("%-6s %-8s %14s %8s %8s %8s %7s %7s %6s %8s %8s %8s\n", "type", "values", "MxNxK",
         "ns/call", "exact", "accept", "naive", "BLAS", "MPFR", "MPFR/x", "x/BLAS", "naive/x");
  for (size_t d = 0; d < G_N_ELEMENTS(data_table); d++) {
    for (size_t i = 0; i < G_N_ELEMENTS(sum_shapes); i++) {
      measure_sums(kernels, &data_table[d], sum_shapes[i], rounds);
    }
    for (size_t s = 0; s < G_N_ELEMENTS(shapes); s++)
      measure(kernels, &data_table[d], shapes[s], rounds);
  }
  return 0;
}
