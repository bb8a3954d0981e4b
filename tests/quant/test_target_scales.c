/* SPDX-License-Identifier: Apache-2.0 */
/* Scales that rules derive: rounded once, to the expressed type. */
#include <math.h>

#include "harness/base/rng.h"
#include "harness/quant/target/rule.h"

#ifdef ASSAY_SANITIZE
enum { ROUNDS = 400 };
#else
enum { ROUNDS = 4000 };
#endif

/* (1 + 2^-30)(1 + 2^-24 - 2^-30) = 1 + 2^-24 + 2^-54 - 2^-60: binary64 makes it 1 + 2^-24, which is
 * a tie for f32 that the exact product is not. */
static void test_one_rounding(void) {
  const element_t *f32 = element_named("f32");
  double a = 1 + 0x1p-30, b = 1 + 0x1p-24 - 0x1p-30, rounded;
  g_assert_true(rule_round_product(f32, a, b, &rounded));
  g_assert_cmpfloat(rounded, ==, 1 + 0x1p-23);
  g_assert_true(rule_is_rounded_product(f32, a, b, rounded));
  double rounded_twice = format_round_double(f32->format, a * b);
  g_assert_cmpfloat(rounded_twice, ==, 1);
  g_assert_false(rule_is_rounded_product(f32, a, b, rounded_twice));
}

/* (1 + 2^-32)(1 + 2^-21 + 2^-51) is 2^-83 beyond the middle of two numbers of f64: far below the
 * bits that the check keeps. */
static void test_far_remainder(void) {
  const element_t *f64 = element_named("f64");
  double a = 1 + 0x1p-32, b = 1 + 0x1p-21 + 0x1p-51, rounded;
  g_assert_true(rule_round_product(f64, a, b, &rounded));
  g_assert_cmpfloat(rounded, ==, 1 + 0x1p-21 + 0x1p-32 + 0x1p-51 + 0x1p-52);
  g_assert_true(rule_is_rounded_product(f64, a, b, rounded));
  g_assert_false(rule_is_rounded_product(f64, a, b, rounded - 0x1p-52));
}

static double draw_scale(rng_t *rng, const element_t *element) {
  double value = ldexp(1 + (double)(rng_bits(rng) >> 11) * 0x1p-53, (int)rng_below(rng, 20) - 10);
  return format_round_double(element->format, value);
}

/* Random products in several types: what is derived passes the check, its neighbours do not. */
static void test_products_at_random(void) {
  static const char *const names[] = {"f16", "bf16", "f32", "f64", "f8E5M2"};
  rng_t rng = rng_make(8);
  for (uint32_t round = 0; round < ROUNDS; round++) {
    const element_t *from = element_named(names[rng_below(&rng, G_N_ELEMENTS(names))]);
    const element_t *to = element_named(names[rng_below(&rng, G_N_ELEMENTS(names))]);
    double a = draw_scale(&rng, from), b = draw_scale(&rng, from), scale;
    if (!rule_round_product(to, a, b, &scale)) continue;
    g_assert_true(rule_is_rounded_product(to, a, b, scale));
    uint64_t bits = format_from_double(to->format, scale);
    double up = format_to_double(to->format, format_next_up(to->format, bits));
    double down = format_to_double(to->format, format_next_down(to->format, bits));
    g_assert_false(rule_is_rounded_product(to, a, b, up));
    g_assert_false(rule_is_rounded_product(to, a, b, down));
  }
}

static void test_scales_out_of_range(void) {
  static const struct {
    const char *type;
    double scale;
    bool is_there;
  } rows[] = {
      {"f32", 0x1p-150, false},      {"f32", 0x1.8p-150, true},
      {"f32", 0x1p128, false},       {"f32", 0x1.fffffep127, true},
      {"f4E2M1FN", 6, true},         {"f4E2M1FN", 7, false},
      {"f8E8M0FNU", 0x1p-127, true}, {"f8E8M0FNU", 0x1p-128, false},
      {"f16", 65504, true},          {"f16", 65520, false},
      {"f64", INFINITY, false},      {"f64", 0, false},
      {"f64", 0x1p-1074, true},      {"f8E4M3B11FNUZ", 0x1p-20, false},
      {"f64", NAN, false},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    double scale;
    g_test_message("%s %a", rows[i].type, rows[i].scale);
    bool is_there = rule_round_scale(element_named(rows[i].type), rows[i].scale, &scale);
    g_assert_true(is_there == rows[i].is_there);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/scales/one_rounding", test_one_rounding);
  g_test_add_func("/scales/far_remainder", test_far_remainder);
  g_test_add_func("/scales/products_at_random", test_products_at_random);
  g_test_add_func("/scales/out_of_range", test_scales_out_of_range);
  return g_test_run();
}
