/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal numbers: printing is the shortest that reads back, reading is to the nearest. */
#include "harness/quant/spec/decimal.h"

#include <math.h>

#include "harness/base/rng.h"

#ifdef ASSAY_SANITIZE
enum { ROUNDS = 2000 };
#else
enum { ROUNDS = 50000 };
#endif

static bool reads_as(const char *text, const format_t *format, uint64_t bits) {
  uint64_t read;
  return decimal_read(str_from(text), format, true, &read) && read == bits;
}

static void check_bits(const format_t *format, uint64_t bits) {
  GString *text = g_string_new(NULL);
  if (decimal_print(format, bits, text)) {
    g_assert_true(reads_as(text->str, format, bits));
  } else {
    g_assert_true(format_is_nan(format, bits));
    g_assert_cmpuint(text->len, ==, 0);
  }
  g_string_free(text, TRUE);
}

/* Every pattern of the small formats, random ones of the large. */
static void test_inverse(void) {
  rng_t rng = rng_make(1);
  for (size_t f = 0; f < FORMAT_COUNT; f++) {
    const format_t *format = &format_table[f];
    uint64_t mask = UINT64_MAX >> (64 - format->bits);
    bool is_small = format->bits <= 16;
#ifdef ASSAY_SANITIZE
    is_small = format->bits <= 8;
#endif
    uint64_t count = is_small ? mask + 1 : ROUNDS;
    for (uint64_t i = 0; i < count; i++) check_bits(format, is_small ? i : rng_bits(&rng) & mask);
  }
}

static void test_spelling(void) {
  static const struct {
    double value;
    const char *text;
  } rows[] = {{0, "0.0"},        {-0.0, "-0.0"},      {1, "1.0"},
              {0.1, "0.1"},      {1e-5, "1.0e-05"},   {1.5e300, "1.5e+300"},
              {INFINITY, "inf"}, {-INFINITY, "-inf"}, {123456, "123456.0"},
              {200, "200.0"},    {1e6, "1.0e+06"},    {0x1p-1074, "5.0e-324"}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    GString *text = g_string_new(NULL);
    decimal_print_double(rows[i].value, text);
    g_assert_cmpstr(text->str, ==, rows[i].text);
    g_string_free(text, TRUE);
  }
}

/* Texts on either side of where rounding changes, nearer to it than binary64 can tell: by way of
 * binary64 the ones that are not ties would be rounded as ties. */
static void test_rounding(void) {
  const format_t *f32 = &format_table[FORMAT_f32];
  uint64_t one = format_from_double(f32, 1), next = one + 1;
  g_assert_true(reads_as("1.000000059604644775390625", f32, one));
  g_assert_true(reads_as("1.0000000596046447753906250000000000001", f32, next));
  g_assert_true(reads_as("1.0000000596046447753906249999999999999", f32, one));
  g_assert_true(reads_as("1.0000001788139343261718749999999999999", f32, next));
  g_assert_true(reads_as("1.000000178813934326171875", f32, next + 1));
  g_assert_true(reads_as("-1.0000000596046447753906250000000000001", f32, next | 0x80000000));
  g_assert_true(reads_as("0x1.000001p0", f32, one));
  g_assert_true(reads_as("0x1.0000010000000000000000001p0", f32, next));
  g_assert_true(reads_as("7.0064923216240853546186479164495e-46", f32, 0));
  g_assert_true(reads_as("7.006492321624085354618647916449581e-46", f32, 1));
  uint64_t planted; /* The detour that is not taken. */
  double detour = g_ascii_strtod("1.0000000596046447753906250000000000001", NULL);
  planted = format_from_double(f32, detour);
  g_assert_cmphex(planted, ==, one);
}

static void test_bounds(void) {
  static const struct {
    const char *text;
    int format;
    bool is_read;
  } rows[] = {
      {"3.4028235677973365e38", FORMAT_f32, true}, /* Just below half a unit above the largest. */
      {"3.4028235677973367e38", FORMAT_f32, false},
      {"-1e39", FORMAT_f32, false},
      {"1e309", FORMAT_f64, false},
      {"65519.99", FORMAT_f16, true},
      {"65520", FORMAT_f16, false},
      {"6.9", FORMAT_f4E2M1FN, true},
      {"7.1", FORMAT_f4E2M1FN, false},
      {"-7.1", FORMAT_f4E2M1FN, false},
      {"inf", FORMAT_f4E2M1FN, false},
      {"nan", FORMAT_f6E3M2FN, false},
      {"inf", FORMAT_f8E4M3FN, false},
      {"nan", FORMAT_f8E4M3FN, true},
      {"465", FORMAT_f8E4M3FN, false},
      {"0", FORMAT_f8E8M0FNU, false},
      {"-1", FORMAT_f8E8M0FNU, false},
      {"0.5", FORMAT_f8E8M0FNU, true},
      {"0x1p-1", FORMAT_f32, true},
      {"1.", FORMAT_f32, true},
      {"", FORMAT_f32, false},
      {"-", FORMAT_f32, false},
      {".5", FORMAT_f32, false},
      {"+1", FORMAT_f32, false},
      {"1e", FORMAT_f32, false},
      {"0x", FORMAT_f32, false},
      {"0x1p", FORMAT_f32, false},
      {"1 ", FORMAT_f32, false},
      {" 1", FORMAT_f32, false},
      {"infinity", FORMAT_f32, false},
      {"-nan", FORMAT_f32, false},
      {"nan(1)", FORMAT_f32, false},
      {"1f", FORMAT_f32, false},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    uint64_t bits;
    g_test_message("%s", rows[i].text);
    bool is_read = decimal_read(str_from(rows[i].text), &format_table[rows[i].format], true, &bits);
    g_assert_cmpint(is_read, ==, rows[i].is_read);
  }
  uint64_t bits;
  g_assert_false(decimal_read(str_from("inf"), &format_table[FORMAT_f32], false, &bits));
}

/* Numbers longer than any buffer. */
static void test_long(void) {
  GString *text = g_string_new("0.");
  for (int i = 0; i < 100000; i++) g_string_append_c(text, '0');
  g_string_append(text, "1e100001");
  double value = 0;
  g_assert_true(decimal_read_double((str_t){text->str, text->len}, &value));
  g_assert_cmpfloat(value, ==, 1);
  g_string_free(text, TRUE);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/decimal/inverse", test_inverse);
  g_test_add_func("/decimal/spelling", test_spelling);
  g_test_add_func("/decimal/rounding", test_rounding);
  g_test_add_func("/decimal/bounds", test_bounds);
  g_test_add_func("/decimal/long", test_long);
  return g_test_run();
}
