/* SPDX-License-Identifier: Apache-2.0 */
/* How fast the accept sets of composite ops are, against the same formulas in MPFR at 128 bits
 * throughout: the exact value of every element, and its accept set.
 *
 *   bench_formulas [ROUNDS [NAME]] > table      of that op alone, for a profile
 *
 * f32[1024,64], numbers uniform in [-4, 4]; MPFR computes a few rows and is scaled.  Each figure is
 * the median over rounds, in which all take turns; the time is that of this thread.  The last
 * column is how often the accept sets take what the C library's erff() takes for the results: of
 * gelu it is x (1 + erff(x / sqrt 2)) / 2. */
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/rng.h"
#include "oracles/composite/parts.h"
#include "oracles/formula/enclosed.h"
#include "tests/bench/bench_timing.h"

enum { ROUNDS_MAX = 99, ROWS = 1024, TERMS = 64, MPFR_ELEMENTS = 256 };

static float gelu_of(float x) { return 0.5f * x * (1 + erff(x * 0.70710678f)); }

typedef struct benched {
  const char *name;
  const char *line;
  float (*library)(float x); /* NULL, or the function by the C library. */
} benched_t;

static const benched_t programs[] = {
    {"softmax", "byteir.softmax axis=1 f32[1024,64] -> f32[1024,64]", NULL},
    {"log_softmax", "byteir.log_softmax axis=1 f32[1024,64] -> f32[1024,64]", NULL},
    {"layer_norm",
     "byteir.layer_norm epsilon=0x1p-17 axis=[1] f32[1024,64] f32[64] f32[64] -> f32[1024,64] "
     "f32[1024,1] f32[1024,1]",
     NULL},
    {"l2_norm", "byteir.l2_norm epsilon=0x1p-40 axis=[1] f32[1024,64] -> f32[1024,64]", NULL},
    {"gelu", "byteir.gelu approximate=none f32[1024,64] -> f32[1024,64]", gelu_of},
    {"gelu tanh", "byteir.gelu approximate=tanh f32[1024,64] -> f32[1024,64]", NULL},
    {"erf", "byteir.erf f32[1024,64] -> f32[1024,64]", erff},
    {"softmax f64", "byteir.softmax axis=1 f64[1024,64] -> f64[1024,64]", NULL},
    {"layer f64",
     "byteir.layer_norm epsilon=0x1p-17 axis=[1] f64[1024,64] f64[64] f64[64] -> f64[1024,64] "
     "f64[1024,1] f64[1024,1]",
     NULL},
    {"l2_norm f64", "byteir.l2_norm epsilon=0x1p-40 axis=[1] f64[1024,64] -> f64[1024,64]", NULL},
    {"gelu f64", "byteir.gelu approximate=none f64[1024,64] -> f64[1024,64]", NULL},
    {"erf f64", "byteir.erf f64[1024,64] -> f64[1024,64]", NULL},
};

static case_t make_case(const char *line, arena_t *arena) {
  case_t instance = {0};
  failure_t error = {0};
  if (program_parse(str_from(line), arena, &instance.program, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  rng_t rng = rng_make(1);
  for (uint32_t i = 0; i < instance.program.operand_count; i++) {
    tensor_t *tensor = &instance.operands[i];
    *tensor = tensor_make(arena, &instance.program.operands[i]);
    for (size_t n = 0; n < type_element_count(&tensor->type); n++) {
      double value = (double)rng_between(&rng, -(1 << 23), 1 << 23) * 0x1p-21;
      element_store(tensor->type.element, tensor->data, n,
                    format_from_double(tensor->type.element->format, value));
    }
  }
  return instance;
}

/* All accept sets, as a campaign wants them. */
static double time_accept(const case_t *instance, const contract_t *contract, arena_t *arena) {
  accept_t accepts[CASE_RESULTS_MAX];
  arena_mark_t mark = arena_mark(arena);
  double start = microseconds();
  const oracle_call_t call = {.instance = instance, .contract = contract, .arena = arena};
  status_t status = composite_accept(&call, accepts);
  double elapsed = microseconds() - start;
  g_assert(status == STATUS_OK);
  arena_rewind(arena, mark);
  return elapsed;
}

/* The first groups in MPFR, scaled to all. */
static double time_mpfr(const case_t *instance, const contract_t *contract, bool is_exact,
                        arena_t *arena) {
  arena_mark_t mark = arena_mark(arena);
  const enclosing_t settings = {.is_exact = is_exact};
  const evaluation_t enclosing = {.evaluator = &enclosed_evaluator, .settings = &settings};
  const problem_t problem = problem_make(instance, contract, arena);
  variant_t variants[VARIANTS_MAX];
  problem_variants(&problem, variants);
  size_t groups = MPFR_ELEMENTS / problem.layout.term_count;
  double start = microseconds();
  for (size_t group = 0; group < groups; group++) {
    part_t part = problem_part(&problem, group);
    row_t rows[CASE_RESULTS_MAX];
    problem_evaluate(&problem, &part, &variants[0], &enclosing, rows);
  }
  double elapsed = microseconds() - start;
  arena_rewind(arena, mark);
  return elapsed * (double)problem.layout.group_count / (double)groups;
}

static double time_library(const case_t *instance, float (*function)(float x), arena_t *arena) {
  const tensor_t *operand = &instance->operands[0];
  const size_t count = type_element_count(&operand->type);
  arena_mark_t mark = arena_mark(arena);
  float *x = ARENA_NEW_ARRAY(arena, float, 2 * count);
  memcpy(x, operand->data, count * sizeof *x);
  double start = microseconds();
  for (size_t i = 0; i < count; i++) x[count + i] = function(x[i]);
  double elapsed = microseconds() - start;
  arena_rewind(arena, mark);
  return elapsed;
}

static void bench(const benched_t *program, size_t rounds) {
  arena_t arena;
  arena_init(&arena);
  const case_t instance = make_case(program->line, &arena);
  const contract_t contract = contract_backend();
  double accept[ROUNDS_MAX], exact[ROUNDS_MAX], enclosed[ROUNDS_MAX], library[ROUNDS_MAX] = {0};
  for (size_t i = 0; i < rounds; i++) {
    accept[i] = time_accept(&instance, &contract, &arena);
    exact[i] = time_mpfr(&instance, &contract, true, &arena);
    enclosed[i] = time_mpfr(&instance, &contract, false, &arena);
    if (program->library != NULL) library[i] = time_library(&instance, program->library, &arena);
  }
  const double elements = (double)(ROWS * TERMS);
  double time = median(accept, rounds) / elements;
  double exact_time = median(exact, rounds) / elements;
  double enclosed_time = median(enclosed, rounds) / elements;
  printf("%-12s %10.4f %12.3f %12.3f %9.1f %9.1f", program->name, time, exact_time, enclosed_time,
         exact_time / time, enclosed_time / time);
  if (program->library != NULL) printf(" %9.2f", time / (median(library, rounds) / elements));
  printf("\n");
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 9;
  if (rounds < 1 || rounds > ROUNDS_MAX) {
    fprintf(stderr, "usage: bench_formulas [ROUNDS [NAME]], at most %d\n", ROUNDS_MAX);
    return 2;
  }
  printf("us an element   accept  MPFR: exact    enclosed    ratio to them    to erff\n");
  for (size_t i = 0; i < G_N_ELEMENTS(programs); i++) {
    if (argc > 2 && strcmp(argv[2], programs[i].name) != 0) continue;
    bench(&programs[i], (size_t)rounds);
  }
  return 0;
}
