/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.dequantize, evaluated naively with rationals: every pair of 8-bit integers, and
 * differences of 16-bit ones that f16 and bf16 cannot hold. */
#include "tests/ops/naive_rational.h"
#include "tests/ops/quantize_experiment.h"

/* (q - zero point) * s, rounded to the working format and then to the result's. */
static uint64_t dequantize(const format_t *result, bool is_native, int64_t difference, double s) {
  const format_t *working = result->bits == 16 && !is_native ? &format_table[FORMAT_f32] : result;
  if (!isfinite(s)) return format_from_double(result, (double)difference * s);
  mpq_t product, scale;
  mpq_inits(product, scale, NULL);
  mpq_set_si(product, difference, 1);
  bool is_finite = rational_round_float(working, product);
  mpq_set_d(scale, s);
  mpq_mul(product, product, scale);
  is_finite = is_finite && rational_round_float(working, product);
  is_finite = is_finite && rational_round_float(result, product);
  bool is_negative = (difference < 0) != (s < 0);
  double value = is_finite ? fabs(mpq_get_d(product)) : (double)INFINITY;
  mpq_clears(product, scale, NULL);
  return format_from_double(result, is_negative ? -value : value);
}

static const double dequantize_scales[] = {0.125, 0.1,     1.0 / 3,   0x1.fffp-3, 0x1p-30, 0x1p-140,
                                           -0.7,  0x1p120, 0x1.5p-24, 300,        1000};

static void check_neighbours(experiment_t *experiment, size_t element, uint64_t bits) {
  const format_t *format = experiment->results[0].type.element->format;
  if (format_is_nan(format, bits)) return;
  const uint64_t others[] = {format_next_up(format, bits), format_next_down(format, bits),
                             bits ^ UINT64_C(1) << (format->bits - 1)};
  for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
    if (others[i] != bits) g_assert_false(conforms(experiment, element, others[i]));
  }
}

/* All pairs of input (along dimension 1) and zero point (along dimension 0) of an 8-bit type. */
static void check_all_pairs(const char *storage, const char *format, rng_t *rng) {
  g_autofree char *line =
      g_strdup_printf("byteir.dequantize axis=0 %s[256,256] %s[256] %s[256] -> %s[256,256]",
                      storage, format, storage, format);
  experiment_t experiment;
  experiment_init(&experiment, line);
  const tensor_t *operands = experiment.instance.operands;
  for (size_t i = 0; i < 256; i++) {
    storage_store(&operands[QUANTIZE_ZERO_POINT], i, (int64_t)i);
    store_float(&operands[QUANTIZE_SCALE], i, dequantize_scales[i % 11]);
    for (size_t q = 0; q < 256; q++) {
      storage_store(&operands[QUANTIZE_INPUT], 256 * i + q, (int64_t)q);
    }
  }
  const contract_t backend = contract_backend();
  const contract_t strict = contract_of("accum_wider=no,fma=no");
  for (size_t k = 0; k < 2; k++) {
    experiment_decide_under(&experiment, k == 0 ? &backend : &strict);
    for (size_t i = 0; i < 65536; i++) {
      int64_t difference = storage_load(&operands[QUANTIZE_INPUT], i) -
                           storage_load(&operands[QUANTIZE_ZERO_POINT], i / 256);
      double scale = load_float(&operands[QUANTIZE_SCALE], i / 256);
      uint64_t bits =
          dequantize(experiment.results[0].type.element->format, false, difference, scale);
      if (!conforms(&experiment, i, bits)) {
        g_error("%s: element %zu: %" G_GINT64_FORMAT " * %a", line, i, difference, scale);
      }
      if (k == 1 && rng_one_in(rng, 20)) check_neighbours(&experiment, i, bits);
    }
  }
  experiment_deinit(&experiment);
}

static void test_all_pairs(void) {
  static const char *const formats[] = {"f16", "bf16", "f32", "f64"};
  rng_t rng = rng_make(0xa11);
  for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
    check_all_pairs("i8", formats[i], &rng);
    check_all_pairs("ui8", formats[i], &rng);
  }
}

/* Differences of 16-bit integers are rounded to f16 and bf16 only where these are computed in. */
static void test_native(void) {
  enum { ELEMENTS = 4096 };
  static const char *const formats[] = {"f16", "bf16"};
  const contract_t contracts[] = {contract_of("accum_wider=no,intermediate=native"),
                                  contract_of("accum_wider=no,intermediate=wide")};
  rng_t rng = rng_make(0x2a71);
  for (size_t f = 0; f < G_N_ELEMENTS(formats); f++) {
    g_autofree char *line = g_strdup_printf("byteir.dequantize ui16[4096] %s[] ui16[] -> %s[4096]",
                                            formats[f], formats[f]);
    size_t differing = 0;
    experiment_t experiment;
    experiment_init(&experiment, line);
    const tensor_t *operands = experiment.instance.operands;
    const format_t *format = experiment.results[0].type.element->format;
    store_float(&operands[QUANTIZE_SCALE], 0, 0.3);
    storage_store(&operands[QUANTIZE_ZERO_POINT], 0, 12345);
    for (size_t i = 0; i < ELEMENTS; i++) {
      storage_store(&operands[QUANTIZE_INPUT], i, rng_between(&rng, 0, 65535));
    }
    for (size_t k = 0; k < G_N_ELEMENTS(contracts); k++) {
      experiment_decide_under(&experiment, &contracts[k]);
      double scale = load_float(&operands[QUANTIZE_SCALE], 0);
      for (size_t i = 0; i < ELEMENTS; i++) {
        int64_t difference = storage_load(&operands[QUANTIZE_INPUT], i) - 12345;
        uint64_t wide = dequantize(format, false, difference, scale);
        uint64_t native = dequantize(format, true, difference, scale);
        g_assert_true(conforms(&experiment, i, wide));
        g_assert_cmpint(conforms(&experiment, i, native), ==, k == 0 || native == wide);
        differing += native != wide;
      }
    }
    g_assert_cmpuint(differing, >, ELEMENTS / 20);
    experiment_deinit(&experiment);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/dequantize/all_pairs", test_all_pairs);
  g_test_add_func("/dequantize/native", test_native);
  return g_test_run();
}
