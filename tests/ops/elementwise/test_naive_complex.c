/* SPDX-License-Identifier: Apache-2.0 */
/* Complex products, maxima and minima, evaluated naively: by the C compiler's floats and complex
 * numbers, and over all widths of intermediate results where doubles hold everything exactly. */
#include <complex.h>

#include "tests/ops/quantize_experiment.h"

#ifdef ASSAY_SANITIZE
enum { CASES = 300 };
#else
enum { CASES = 3000 };
#endif

static experiment_t new_experiment(const char *name, const char *element) {
  g_autofree char *line = g_strdup_printf(
      "stablehlo.%s complex<%s>[1] complex<%s>[1] -> "
      "complex<%s>[1]",
      name, element, element, element);
  experiment_t experiment;
  experiment_init(&experiment, line);
  return experiment;
}

static void fail(experiment_t *experiment, size_t component, bool expected) {
  g_autoptr(GString) line = g_string_new(NULL);
  case_print(&experiment->instance, line);
  answer_t answer = question_decide(&experiment->question, 0, component, experiment->results);
  const tensor_t *got = &experiment->results[0];
  g_error("%s: component %zu of (%a, %a) must%s conform; the oracle expects %s", line->str,
          component, load_float(got, 0), load_float(got, 1), expected ? "" : " not",
          answer.expected);
}

/* Whether the one pair conforms: both of its parts do, of the whole pair. */
static bool pair_conforms(experiment_t *experiment, const uint64_t bits[2]) {
  const element_t *element = experiment->results[0].type.element;
  for (size_t i = 0; i < 2; i++) element_store(element, experiment->results[0].data, i, bits[i]);
  return conforms(experiment, 0, bits[0]) && conforms(experiment, 1, bits[1]);
}

static void check_part(experiment_t *experiment, size_t component, uint64_t bits, bool expected) {
  if (conforms(experiment, component, bits) != expected) fail(experiment, component, expected);
}

static void store_operands(experiment_t *experiment, const double parts[4]) {
  for (size_t i = 0; i < 4; i++) {
    store_float(&experiment->instance.operands[i / 2], i % 2, parts[i]);
  }
}

/* ---- Products -------------------------------------------------------------------------------- */

/* The sum a b + c d that a part is. */
typedef struct sum {
  double a, b, c, d;
} sum_t;

static sum_t sum_of(const double parts[4], size_t part) {
  if (part == 0) return (sum_t){parts[0], parts[2], -parts[1], parts[3]};
  return (sum_t){parts[0], parts[3], parts[1], parts[2]};
}

static void draw_parts(rng_t *rng, const format_t *format, double out_parts[4]) {
  naive_regime_t regime = (naive_regime_t)rng_below(rng, NAIVE_REGIME_COUNT);
  for (size_t i = 0; i < 4; i++) {
    out_parts[i] = format_to_double(format, naive_draw_float(rng, format, regime));
  }
}

static uint64_t plain_bits(const format_t *format, sum_t sum) {
  if (format->precision == 53) return format_from_double(format, sum.a * sum.b + sum.c * sum.d);
  float left = (float)sum.a * (float)sum.b, right = (float)sum.c * (float)sum.d;
  return format_from_double(format, (double)(left + right));
}

static uint64_t fused_bits(const format_t *format, sum_t sum) {
  if (format->precision == 53) {
    double addend = sum.c * sum.d;
    return format_from_double(format, fma(sum.a, sum.b, addend));
  }
  float addend = (float)sum.c * (float)sum.d;
  return format_from_double(format, (double)fmaf((float)sum.a, (float)sum.b, addend));
}

static float complex complex_of(const double parts[2]) {
  const float both[2] = {(float)parts[0], (float)parts[1]};
  float complex result; /* It has the layout of an array of two (C11, 6.2.5). */
  memcpy(&result, both, sizeof result);
  return result;
}

static const char strict_text[] =
    "spec,fma=no,accum_wider=no,accum_rounding=rn,ftz=none,zero_sign=strict,"
    "complex_infinity=formula";

/* Under the strictest contract one pattern conforms for each part. */
static void test_rounded_products(void) {
  static const char *const elements[] = {"f32", "f64"};
  const contract_t contract = contract_of(strict_text);
  rng_t rng = rng_make(0xc0);
  for (size_t i = 0; i < CASES; i++) {
    experiment_t experiment = new_experiment("multiply", elements[i % 2]);
    const format_t *format = experiment.results[0].type.element->format;
    double parts[4];
    draw_parts(&rng, format, parts);
    store_operands(&experiment, parts);
    experiment_decide_under(&experiment, &contract);
    for (size_t part = 0; part < 2; part++) {
      uint64_t bits = plain_bits(format, sum_of(parts, part));
      check_part(&experiment, part, bits, true);
      bool is_nan = format_is_nan(format, bits);
      uint64_t up = is_nan ? 0 : format_next_up(format, bits);
      uint64_t down = is_nan ? format->largest_bits : format_next_down(format, bits);
      if (up != bits) check_part(&experiment, part, up, false);
      if (down != bits) check_part(&experiment, part, down, false);
    }
    experiment_deinit(&experiment);
  }
}

/* What compilers make of products: fused steps, doubles, and C's own complex numbers, of which the
 * compiler's library recovers infinities. */
static void test_compiled_products(void) {
  const contract_t contract = contract_of("backend");
  const contract_t strict = contract_of(strict_text);
  rng_t rng = rng_make(0xc1);
  size_t recovered = 0, wide = 0;
  for (size_t i = 0; i < CASES; i++) {
    experiment_t experiment = new_experiment("multiply", "f32");
    const format_t *format = experiment.results[0].type.element->format;
    double parts[4];
    draw_parts(&rng, format, parts);
    store_operands(&experiment, parts);
    volatile float complex left = complex_of(&parts[0]), right = complex_of(&parts[2]);
    float complex product = left * right;
    const uint64_t library[2] = {format_from_double(format, (double)crealf(product)),
                                 format_from_double(format, (double)cimagf(product))};
    for (size_t part = 0; part < 2; part++) {
      sum_t sum = sum_of(parts, part), swapped = {sum.c, sum.d, sum.a, sum.b};
      uint64_t plain = plain_bits(format, sum);
      uint64_t in_double = format_from_double(format, sum.a * sum.b + sum.c * sum.d);
      experiment_decide_under(&experiment, &contract);
      check_part(&experiment, part, plain, true);
      check_part(&experiment, part, fused_bits(format, sum), true);
      check_part(&experiment, part, fused_bits(format, swapped), true);
      check_part(&experiment, part, in_double, true);
      check_part(&experiment, part, library[part], true);
      experiment_decide_under(&experiment, &strict);
      bool is_recovered = !naive_same(experiment.results[0].type.element, plain, library[part]);
      bool is_wide = !naive_same(experiment.results[0].type.element, plain, in_double);
      if (is_recovered) check_part(&experiment, part, library[part], false);
      if (is_wide) check_part(&experiment, part, in_double, false);
      recovered += is_recovered;
      wide += is_wide;
    }
    experiment_deinit(&experiment);
  }
  g_test_message("%zu infinities recovered, %zu parts otherwise in doubles", recovered, wide);
  g_assert_cmpuint(recovered, >, CASES / 100);
  g_assert_cmpuint(wide, >, CASES / 10);
}

/* ---- All widths ------------------------------------------------------------------------------ */

enum { WIDTH_LEAST = 27, WIDTH_MOST = 50, WAYS = WIDTH_MOST - WIDTH_LEAST + 2, WINDOW = 3 };

static double round_to_width(double value, int width) {
  int exponent;
  double fraction = frexp(value, &exponent);
  return ldexp(nearbyint(ldexp(fraction, width)), exponent - width);
}

/* All that a part can be, of integers of at most 24 bits, whose products and sums doubles hold:
 * rounded products, and nodes of each width from three bits beyond those of f32. */
static void add_wide_sums(sum_t sum, bool is_wide, GHashTable *patterns) {
  double products[2][WAYS] = {{(double)((float)sum.a * (float)sum.b)},
                              {(double)((float)sum.c * (float)sum.d)}};
  int ways = is_wide ? WAYS : 1;
  for (int i = 1; i < ways; i++) {
    products[0][i] = round_to_width(sum.a * sum.b, WIDTH_LEAST + i - 1);
    products[1][i] = round_to_width(sum.c * sum.d, WIDTH_LEAST + i - 1);
  }
  for (int i = 0; i < ways; i++) {
    for (int k = 0; k < ways; k++) {
      double value = products[0][i] + products[1][k];
      for (int node = 0; node < ways; node++) {
        double rounded = node == 0 ? value : round_to_width(value, WIDTH_LEAST + node - 1);
        float result = (float)rounded;
        uint32_t bits;
        memcpy(&bits, &result, sizeof bits);
        g_hash_table_add(patterns, GUINT_TO_POINTER(bits));
      }
    }
  }
}

static void draw_integers(rng_t *rng, double out_parts[4]) {
  for (int i = 0; i < 4; i++) {
    int64_t limit = (int64_t)1 << rng_between(rng, 8, 24);
    int64_t step = (int64_t)1 << rng_between(rng, 0, 3);
    out_parts[i] = (double)(rng_between(rng, -limit, limit) / step * step);
  }
  /* The products cancel. */
  if (rng_one_in(rng, 2)) {
    out_parts[2] = out_parts[1];
    out_parts[3] = out_parts[0] + (double)rng_between(rng, -2, 2);
    if (fabs(out_parts[3]) > 0x1p24) out_parts[3] = out_parts[0];
  }
}

static void check_window(experiment_t *experiment, size_t part, sum_t sum, bool is_wide,
                         size_t *inout_several) {
  g_autoptr(GHashTable) patterns = g_hash_table_new(NULL, NULL);
  add_wide_sums(sum, is_wide, patterns);
  /* One of the products is exact in a fused step. */
  if (is_wide) {
    const format_t *format = experiment->results[0].type.element->format;
    sum_t swapped = {sum.c, sum.d, sum.a, sum.b};
    g_hash_table_add(patterns, GUINT_TO_POINTER((guint)fused_bits(format, sum)));
    g_hash_table_add(patterns, GUINT_TO_POINTER((guint)fused_bits(format, swapped)));
  }
  *inout_several += g_hash_table_size(patterns) > 1;
  GHashTableIter iterator;
  gpointer key;
  g_hash_table_iter_init(&iterator, patterns);
  while (g_hash_table_iter_next(&iterator, &key, NULL)) {
    uint32_t middle = GPOINTER_TO_UINT(key);
    for (uint32_t bits = middle - WINDOW; bits != middle + WINDOW; bits++) {
      bool expected = g_hash_table_contains(patterns, GUINT_TO_POINTER(bits));
      check_part(experiment, part, bits, expected);
    }
  }
}

static void test_widths(void) {
  const contract_t contracts[] = {
      contract_of(strict_text),
      contract_of("spec,fma=yes,accum_wider=yes,accum_rounding=rn,ftz=none,zero_sign=strict,"
                  "complex_infinity=formula"),
  };
  rng_t rng = rng_make(0xc2);
  size_t several = 0;
  for (size_t i = 0; i < CASES / 3; i++) {
    experiment_t experiment = new_experiment("multiply", "f32");
    double parts[4];
    draw_integers(&rng, parts);
    store_operands(&experiment, parts);
    bool is_wide = i % 2 != 0;
    experiment_decide_under(&experiment, &contracts[is_wide]);
    for (size_t part = 0; part < 2; part++) {
      check_window(&experiment, part, sum_of(parts, part), is_wide, &several);
    }
    experiment_deinit(&experiment);
  }
  g_test_message("%zu parts that may be several numbers", several);
  g_assert_cmpuint(several, >, CASES / 10);
}

/* ---- Extrema --------------------------------------------------------------------------------- */

static int sign_of(double value) { return (value > 0) - (value < 0); }

/* Of numbers: their order by value, and then by the signs of zeros if that counts. */
static int order_of(const double a[2], const double b[2], bool counts_zeros) {
  for (int i = 0; i < 2; i++) {
    int order = sign_of(a[i] - b[i]);
    if (a[i] == b[i]) order = 0;
    bool are_zeros = a[i] == 0 && b[i] == 0;
    if (are_zeros && counts_zeros) order = !!signbit(b[i]) - !!signbit(a[i]);
    if (order != 0) return order;
  }
  return 0;
}

static bool may_be_taken(bool is_maximum, const double a[2], const double b[2]) {
  bool may = false;
  for (int counts_zeros = 0; counts_zeros < 2; counts_zeros++) {
    int order = order_of(a, b, counts_zeros != 0);
    may |= is_maximum ? order >= 0 : order <= 0;
  }
  return may;
}

static bool is_pair(const uint64_t a[2], const uint64_t b[2]) {
  return a[0] == b[0] && a[1] == b[1];
}

static void draw_pairs(rng_t *rng, const format_t *format, double out_parts[4]) {
  draw_parts(rng, format, out_parts);
  for (size_t i = 0; i < 4; i++) {
    if (isnan(out_parts[i])) out_parts[i] = 1;
  }
  if (rng_one_in(rng, 2)) out_parts[2] = out_parts[0];
  if (rng_one_in(rng, 4)) out_parts[3] = out_parts[1];
  if (rng_one_in(rng, 8)) out_parts[2] = -out_parts[0];
}

/* Every mixture of the operands' parts. */
static size_t check_mixtures(experiment_t *experiment, bool is_maximum, const double parts[4]) {
  const format_t *format = experiment->results[0].type.element->format;
  uint64_t bits[4];
  for (int i = 0; i < 4; i++) bits[i] = format_from_double(format, parts[i]);
  bool takes[2] = {may_be_taken(is_maximum, &parts[0], &parts[2]),
                   may_be_taken(is_maximum, &parts[2], &parts[0])};
  for (int mixture = 0; mixture < 4; mixture++) {
    const uint64_t pair[2] = {bits[mixture % 2 * 2], bits[mixture / 2 * 2 + 1]};
    bool expected = (takes[0] && is_pair(pair, &bits[0])) || (takes[1] && is_pair(pair, &bits[2]));
    if (pair_conforms(experiment, pair) != expected) fail(experiment, 0, expected);
  }
  const uint64_t near[2] = {bits[0] ^ 1, bits[1]};
  bool is_other = !is_pair(near, &bits[2]);
  if (is_other && pair_conforms(experiment, near)) fail(experiment, 0, false);
  return takes[0] && takes[1] && !is_pair(&bits[0], &bits[2]);
}

static void test_extrema(void) {
  const contract_t contract = contract_of(strict_text);
  rng_t rng = rng_make(0xc3);
  size_t open = 0;
  for (size_t i = 0; i < CASES; i++) {
    bool is_maximum = i % 2 == 0;
    const char *element = i % 4 < 2 ? "f32" : "f64";
    experiment_t experiment = new_experiment(is_maximum ? "maximum" : "minimum", element);
    double parts[4];
    draw_pairs(&rng, experiment.results[0].type.element->format, parts);
    store_operands(&experiment, parts);
    experiment_decide_under(&experiment, &contract);
    open += check_mixtures(&experiment, is_maximum, parts);
    experiment_deinit(&experiment);
  }
  g_test_message("%zu cases that leave open which operand is taken", open);
  g_assert_cmpuint(open, >, CASES / 200);
}

/* ---- NaN ------------------------------------------------------------------------------------- */

typedef struct nan_row {
  double operands[4], got[2];
  bool conforms;
} nan_row_t;

/* The specification does not order NaN: either operand, or NaN as the maximum of floats has it; but
 * no number that no operand has. */
static const nan_row_t nan_rows[] = {
    {{1, 2, NAN, 4}, {1, 2}, true},     {{1, 2, NAN, 4}, {NAN, 4}, true},
    {{1, 2, NAN, 4}, {NAN, NAN}, true}, {{1, 2, NAN, 4}, {NAN, 0}, true},
    {{1, 2, NAN, 4}, {1, 4}, false},    {{1, 2, NAN, 4}, {3, 2}, false},
    {{1, 2, NAN, 4}, {NAN, 3}, false},  {{1, NAN, 1, 4}, {1, NAN}, true},
    {{1, NAN, 1, 4}, {1, 4}, true},     {{1, NAN, 1, 4}, {1, 5}, false},
    {{1, NAN, 1, 4}, {0, 0}, false},    {{NAN, NAN, NAN, NAN}, {NAN, NAN}, true},
    {{NAN, 1, NAN, 2}, {NAN, 1}, true}, {{NAN, 1, NAN, 2}, {NAN, 3}, false},
    {{NAN, 1, NAN, 2}, {1, 2}, false},  {{1, 2, 3, 4}, {NAN, NAN}, false},
};

static void test_nan(void) {
  const contract_t contract = contract_of(strict_text);
  for (size_t i = 0; i < G_N_ELEMENTS(nan_rows); i++) {
    const nan_row_t *row = &nan_rows[i];
    for (int k = 0; k < 2; k++) {
      experiment_t experiment = new_experiment(k == 0 ? "maximum" : "minimum", "f32");
      const format_t *format = experiment.results[0].type.element->format;
      store_operands(&experiment, row->operands);
      experiment_decide_under(&experiment, &contract);
      const uint64_t got[2] = {format_from_double(format, row->got[0]),
                               format_from_double(format, row->got[1])};
      g_test_message("row %zu", i);
      if (pair_conforms(&experiment, got) != row->conforms) fail(&experiment, 0, row->conforms);
      experiment_deinit(&experiment);
    }
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_complex/rounded_products", test_rounded_products);
  g_test_add_func("/naive_complex/compiled_products", test_compiled_products);
  g_test_add_func("/naive_complex/widths", test_widths);
  g_test_add_func("/naive_complex/extrema", test_extrema);
  g_test_add_func("/naive_complex/nan", test_nan);
  return g_test_run();
}
