/* SPDX-License-Identifier: Apache-2.0 */
/* How much longer the accept sets of a convolution take than those of the dot_general that it is
 * gathered into, per product:
 *
 *   bench_convolution [ROUNDS] > table
 *
 * Each figure is the median over rounds, in which both take turns.  A convolution of groups is held
 * against a dot_general of as many batches. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/base/rng.h"
#include "oracles/oracle.h"
#include "tests/bench/bench_timing.h"

enum { ROUNDS_MAX = 99 };

typedef struct row {
  const char *words;
  size_t products;
  const char *convolution;
  const char *dot;
} row_t;

#define ATTRIBUTES(strides, padding)                                  \
  "stablehlo.convolution window_strides=" strides " padding=" padding \
  " lhs_dilation=[1,1] rhs_dilation=[1,1] window_reversal=[false,false] dimension_numbers="
#define PLAIN ATTRIBUTES("[1,1]", "[[1,1],[1,1]]")
#define NHWC "[b,0,1,f]x[0,1,i,o]->[b,0,1,f]"
#define NCHW "[b,f,0,1]x[o,i,0,1]->[b,f,0,1]"
#define ONE " feature_group_count=1 batch_group_count=1 "
#define DOT "stablehlo.dot_general batch=[]x[] contract=[1]x[0] "

static const row_t rows[] = {
    {"3x3, 16 to 32, 32x32", 1024 * 144 * 32,
     PLAIN NHWC ONE "f32[1,32,32,16] f32[3,3,16,32] -> f32[1,32,32,32]",
     DOT "f32[1024,144] f32[144,32] -> f32[1024,32]"},
    {"3x3, 16 to 32, channels first", 1024 * 144 * 32,
     PLAIN NCHW ONE "f32[1,16,32,32] f32[32,16,3,3] -> f32[1,32,32,32]",
     DOT "f32[1024,144] f32[144,32] -> f32[1024,32]"},
    {"3x3, 3 to 16, stride 2", 1024 * 27 * 16,
     ATTRIBUTES("[2,2]", "[[1,1],[1,1]]") NHWC ONE
     "f32[1,64,64,3] f32[3,3,3,16] -> f32[1,32,32,16]",
     DOT "f32[1024,27] f32[27,16] -> f32[1024,16]"},
    {"1x1, 64 to 64, 16x16", 256 * 64 * 64,
     ATTRIBUTES("[1,1]", "[[0,0],[0,0]]") NHWC ONE
     "f32[1,16,16,64] f32[1,1,64,64] -> f32[1,16,16,64]",
     DOT "f32[256,64] f32[64,64] -> f32[256,64]"},
    {"3x3, 8 groups of 4 to 4", 256 * 36 * 32,
     PLAIN NHWC " feature_group_count=8 batch_group_count=1 "
                "f32[1,16,16,32] f32[3,3,4,32] -> f32[1,16,16,32]",
     "stablehlo.dot_general batch=[0]x[0] contract=[2]x[1] "
     "f32[8,256,36] f32[8,36,4] -> f32[8,256,4]"},
    {"3x3, each of 16 by itself", 256 * 9 * 16,
     PLAIN NHWC " feature_group_count=16 batch_group_count=1 "
                "f32[1,16,16,16] f32[3,3,1,16] -> f32[1,16,16,16]",
     "stablehlo.dot_general batch=[0]x[0] contract=[2]x[1] "
     "f32[16,256,9] f32[16,9,1] -> f32[16,256,1]"},
};

static case_t make_case(const char *line, rng_t *rng, arena_t *arena) {
  program_t program;
  failure_t error = {0};
  if (program_parse(str_from(line), arena, &program, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  case_t instance = case_make(arena, &program);
  for (uint32_t i = 0; i < 2; i++) {
    float *values = (float *)(void *)instance.operands[i].data;
    for (size_t e = 0; e < type_element_count(&program.operands[i]); e++) {
      values[e] = (float)((double)(rng_bits(rng) >> 11) * 0x1p-52 - 1);
    }
  }
  return instance;
}

/* Microseconds of one accept(). */
static double time_accept(const case_t *instance) {
  const contract_t contract = contract_backend();
  arena_t arena;
  arena_init(&arena);
  accept_t accepts[CASE_RESULTS_MAX];
  failure_t error = {0};
  double start = 0;
  for (int warm = 1; warm >= 0; warm--) { /* The first brings the memory. */
    arena_reset(&arena);
    start = microseconds();
    const oracle_call_t call = {
        .instance = instance, .contract = &contract, .arena = &arena, .error = &error};
    status_t status = oracle_find(instance->program.op)->accept(&call, accepts);
    if (status != STATUS_OK) g_error("%s", error.text);
  }
  double time = microseconds() - start;
  arena_deinit(&arena);
  return time;
}

int main(int argc, char **argv) {
  size_t rounds = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 9;
  rounds = CLAMP(rounds, 1, ROUNDS_MAX);
  printf("%-32s %12s %14s %14s %7s\n", "shape", "products", "convolution ns", "dot_general ns",
         "ratio");
  for (size_t r = 0; r < G_N_ELEMENTS(rows); r++) {
    arena_t arena;
    arena_init(&arena);
    rng_t rng = rng_make(r);
    case_t convolution = make_case(rows[r].convolution, &rng, &arena);
    case_t dot = make_case(rows[r].dot, &rng, &arena);
    double times[2][ROUNDS_MAX];
    for (size_t round = 0; round < rounds; round++) {
      times[0][round] = time_accept(&convolution);
      times[1][round] = time_accept(&dot);
    }
    double of_convolution = median(times[0], rounds), of_dot = median(times[1], rounds);
    double products = (double)rows[r].products;
    printf("%-32s %12zu %14.3f %14.3f %7.2f\n", rows[r].words, rows[r].products,
           1e3 * of_convolution / products, 1e3 * of_dot / products, of_convolution / of_dot);
    arena_deinit(&arena);
  }
  return 0;
}
