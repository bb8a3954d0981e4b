/* SPDX-License-Identifier: Apache-2.0 */
/* How fast the fast accept sets of quantized reductions are, against the same formula in MPFR.
 *
 *   bench_quantized_reduce [ROUNDS] > table
 *
 * ui8 terms are converted to i32 with another scale, added, and converted to ui8 with a third.
 * The MPFR side does every step of StableHLO's "Quantization computations" with mpfr_t numbers of
 * 24 bits, one result after the other, as a plain oracle would. */
#include <glib.h>
#include <mpfr.h>
#include <stdio.h>

#include "harness/base/rng.h"
#include "oracles/oracle.h"
#include "tests/bench/bench_timing.h"

enum { ROUNDS_MAX = 99, PRECISION = 24 };

static const size_t shapes[][2] = {{64, 16}, {64, 256}, {1024, 64}, {4096, 256}, {256, 4096}};

/* Values of one mpfr_t program: (stored - zero point) * scale, and back. */
typedef struct naive {
  mpfr_t value, sum, scale, zero_point;
} naive_t;

static void dequantize(naive_t *naive, mpfr_ptr out, long stored, long zero_point, double scale) {
  mpfr_set_si(out, stored - zero_point, MPFR_RNDN);
  mpfr_set_d(naive->scale, scale, MPFR_RNDN);
  mpfr_mul(out, out, naive->scale, MPFR_RNDN);
}

static long quantize(naive_t *naive, mpfr_srcptr value, long zero_point, double scale, long least,
                     long most) {
  mpfr_set_d(naive->scale, scale, MPFR_RNDN);
  mpfr_div(naive->value, value, naive->scale, MPFR_RNDN);
  mpfr_set_si(naive->zero_point, zero_point, MPFR_RNDN);
  mpfr_add(naive->value, naive->value, naive->zero_point, MPFR_RNDN);
  if (mpfr_cmp_si(naive->value, least) < 0) return least;
  if (mpfr_cmp_si(naive->value, most) > 0) return most;
  return mpfr_get_si(naive->value, MPFR_RNDN);
}

static const double input_scale = 0.3, accumulation_scale = 0.1, result_scale = 7;

static long reduce_naively(naive_t *naive, const uint8_t *terms, size_t count) {
  long accumulated = 0;
  for (size_t i = 0; i < count; i++) {
    dequantize(naive, naive->sum, terms[i], 128, (double)(float)input_scale);
    long term =
        quantize(naive, naive->sum, 0, (double)(float)accumulation_scale, INT32_MIN, INT32_MAX);
    mpfr_t other;
    mpfr_init2(other, PRECISION);
    dequantize(naive, naive->sum, accumulated, 0, (double)(float)accumulation_scale);
    dequantize(naive, other, term, 0, (double)(float)accumulation_scale);
    mpfr_add(naive->sum, naive->sum, other, MPFR_RNDN);
    mpfr_clear(other);
    accumulated =
        quantize(naive, naive->sum, 0, (double)(float)accumulation_scale, INT32_MIN, INT32_MAX);
  }
  dequantize(naive, naive->sum, accumulated, 0, (double)(float)accumulation_scale);
  return quantize(naive, naive->sum, 100, result_scale, 0, 255);
}

static case_t make_case(size_t rows, size_t terms, arena_t *arena) {
  g_autofree char *line = g_strdup_printf(
      "stablehlo.reduce body=add dims=[1] accumulation=!quant.uniform<i32:f32,0x1.99999ap-4> "
      "!quant.uniform<ui8:f32,0x1.333334p-2:128>[%zu,%zu] "
      "!quant.uniform<ui8:f32,0x1.333334p-2:128>[] -> !quant.uniform<ui8:f32,0x1.cp+2:100>[%zu]",
      rows, terms, rows);
  program_t program;
  failure_t error;
  if (program_parse(str_from(line), arena, &program, NULL, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  case_t instance = case_make(arena, &program);
  rng_t rng = rng_make(rows * 31 + terms);
  for (size_t i = 0; i < rows * terms; i++) instance.operands[0].data[i] = (uint8_t)rng_bits(&rng);
  instance.operands[1].data[0] = 128;
  return instance;
}

/* Microseconds a case by either side, the median over the rounds. */
static void measure(size_t rows, size_t terms, int rounds) {
  arena_t arena, scratch;
  arena_init(&arena);
  arena_init(&scratch);
  case_t instance = make_case(rows, terms, &arena);
  const oracle_t *oracle = oracle_find(instance.program.op);
  contract_t contract = contract_backend();
  naive_t naive;
  mpfr_inits2(PRECISION, naive.value, naive.sum, naive.scale, naive.zero_point, (mpfr_ptr)0);
  double fast[ROUNDS_MAX], plain[ROUNDS_MAX];
  size_t sampled = MAX(1, MIN(rows, 65536 / terms)), different = 0;
  for (int round = 0; round < rounds; round++) {
    arena_reset(&scratch);
    accept_t accepts[CASE_RESULTS_MAX];
    double start = microseconds();
    const oracle_call_t call = {.instance = &instance, .contract = &contract, .arena = &scratch};
    if (oracle->accept(&call, accepts) != STATUS_OK) {
      g_error("no accept set");
    }
    fast[round] = microseconds() - start;
    start = microseconds();
    for (size_t row = 0; row < sampled; row++) {
      long result = reduce_naively(&naive, instance.operands[0].data + row * terms, terms);
      different += (uint64_t)result != accepts[0].bits[row];
    }
    plain[round] = (microseconds() - start) * (double)rows / (double)sampled;
  }
  double fast_time = median(fast, (size_t)rounds), plain_time = median(plain, (size_t)rounds);
  double elements = (double)(rows * terms);
  printf("%6zu %6zu %10.3f %10.3f %8.0f %10zu\n", rows, terms, 1e3 * fast_time / elements,
         1e3 * plain_time / elements, plain_time / fast_time, different);
  mpfr_clears(naive.value, naive.sum, naive.scale, naive.zero_point, (mpfr_ptr)0);
  arena_deinit(&scratch);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? (int)CLAMP(g_ascii_strtoll(argv[1], NULL, 10), 1, ROUNDS_MAX) : 5;
  printf("  rows  terms  fast ns/t  MPFR ns/t    ratio  different\n");
  for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) measure(shapes[i][0], shapes[i][1], rounds);
  return 0;
}
