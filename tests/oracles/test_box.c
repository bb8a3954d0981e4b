/* SPDX-License-Identifier: Apache-2.0 */
/* Box arithmetic against MPFR's directed roundings: ends are the nearest binary64 numbers outside
 * of the exact results, no farther; sums and formats; what stored integers stand for. */
#include <math.h>
#include <mpfr.h>

#include "harness/base/rng.h"
#include "oracles/exact/box/quantum.h"
#include "oracles/exact/box/sum.h"

enum { ROUNDS = 40000, EXACT = 2400 };

static double draw(rng_t *rng) {
  static const double corners[] = {0,         1, -1, 0.5, 3, 0x1p-1074, 0x1.fffffffffffffp+1023,
                                   -0x1p-1022};
  if (rng_one_in(rng, 12)) return corners[rng_below(rng, G_N_ELEMENTS(corners))];
  int exponent = (int)rng_below(rng, 40) - 20;
  if (rng_one_in(rng, 8)) exponent *= 50;
  bool is_short = rng_one_in(rng, 3);
  double fraction = is_short ? (double)rng_below(rng, 64) : (double)(rng_bits(rng) >> 11);
  double value = ldexp(fraction, exponent - (is_short ? 5 : 52));
  return rng_one_in(rng, 2) ? -value : value;
}

static box_t draw_box(rng_t *rng) {
  double a = draw(rng), b = rng_one_in(rng, 2) ? a : draw(rng);
  return (box_t){fmin(a, b), fmax(a, b)};
}

typedef int operate_t(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t rounding);
typedef box_t box_operate_t(box_t a, box_t b);

/* The hull of the exact results at the corners, rounded outwards once. */
static box_t hull(operate_t *operate, box_t a, box_t b) {
  const double left[] = {a.low, a.high}, right[] = {b.low, b.high};
  box_t out = {INFINITY, -INFINITY};
  mpfr_t x, y, down, up;
  mpfr_inits2(53, x, y, down, up, (mpfr_ptr)NULL);
  for (int i = 0; i < 4; i++) {
    mpfr_set_d(x, left[i / 2], MPFR_RNDN);
    mpfr_set_d(y, right[i % 2], MPFR_RNDN);
    operate(down, x, y, MPFR_RNDD);
    operate(up, x, y, MPFR_RNDU);
    out.low = fmin(out.low, mpfr_get_d(down, MPFR_RNDD));
    out.high = fmax(out.high, mpfr_get_d(up, MPFR_RNDU));
  }
  mpfr_clears(x, y, down, up, (mpfr_ptr)NULL);
  return out;
}

/* Exactly the hull; near the smallest numbers, where errors are not known, one number beyond. */
static void check_operation(rng_t *rng, operate_t *exact, box_operate_t *operate) {
  size_t inexact = 0;
  for (int i = 0; i < ROUNDS; i++) {
    box_t a = draw_box(rng), b = draw_box(rng);
    bool is_division = operate == box_divide;
    if (is_division && b.low <= 0 && b.high >= 0) {
      g_assert_true(box_is_whole_line(box_divide(a, b)));
      continue;
    }
    box_t got = operate(a, b), expected = hull(exact, a, b);
    double least = fmin(fabs(expected.low), fabs(expected.high));
    bool is_tiny = least < 0x1p-900 || box_magnitude(a) < 0x1p-900 || box_magnitude(b) < 0x1p-900;
    inexact += expected.low != expected.high;
    g_assert_true(got.low <= expected.low && got.high >= expected.high);
    if (is_tiny || fabs(a.low) < 0x1p-900 || fabs(a.high) < 0x1p-900) {
      g_assert_true(got.low >= box_below(box_below(expected.low)));
      g_assert_true(got.high <= box_above(box_above(expected.high)));
    } else {
      g_assert_true(got.low == expected.low && got.high == expected.high);
    }
  }
  g_assert_cmpuint(inexact, >, ROUNDS / 8);
}

static void test_operations(void) {
  rng_t rng = rng_make(1);
  check_operation(&rng, mpfr_add, box_add);
  check_operation(&rng, mpfr_sub, box_subtract);
  check_operation(&rng, mpfr_mul, box_multiply);
  check_operation(&rng, mpfr_div, box_divide);
  const box_t unbounded = {1, INFINITY};
  g_assert_true(box_is_whole_line(box_add(unbounded, box_point(1))));
  g_assert_true(box_is_whole_line(box_multiply(unbounded, box_point(0))));
  g_assert_true(box_holds(box_maximum(box_point(-INFINITY), box_point(2)), 2));
  g_assert_true(box_maximum(box_point(-INFINITY), box_point(2)).low == 2);
  g_assert_true(box_is_whole_line(box_minimum(box_whole_line(), box_point(2))));
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* Sums of products at random corners lie within; at points the width is that of the bound. */
static void test_sums(void) {
  enum { TERMS = 30 };
  rng_t rng = rng_make(2);
  mpfr_t exact, factor, product;
  mpfr_inits2(EXACT, exact, factor, product, (mpfr_ptr)NULL);
  size_t outside_of_plain = 0;
  for (int i = 0; i < 2000; i++) {
    bool are_integers = rng_one_in(&rng, 3), are_points = rng_one_in(&rng, 2);
    size_t count = rng_below(&rng, TERMS);
    box_sum_t sum = {.has_grid = are_integers};
    mpfr_set_zero(exact, 1);
    double plain = 0;
    for (size_t t = 0; t < count; t++) {
      double values[2][2];
      for (int k = 0; k < 4; k++) {
        double value = ldexp((double)(rng_bits(&rng) >> 11) - 0x1p52, -(int)rng_below(&rng, 60));
        values[k / 2][k % 2] = are_integers ? floor(ldexp(value, -40)) : value;
        if (rng_one_in(&rng, 8)) values[k / 2][k % 2] = 0;
        if (are_points) values[k / 2][1] = values[k / 2][0];
      }
      box_t boxes[2];
      for (int k = 0; k < 2; k++) {
        boxes[k] = box_unite(box_point(values[k][0]), box_point(values[k][1]));
      }
      box_sum_add_product(&sum, boxes[0], boxes[1]);
      double a = values[0][rng_below(&rng, 2)], b = values[1][rng_below(&rng, 2)];
      plain += a * b;
      mpfr_set_d(product, a, MPFR_RNDN);
      mpfr_set_d(factor, b, MPFR_RNDN);
      mpfr_mul(product, product, factor, MPFR_RNDN);
      mpfr_add(exact, exact, product, MPFR_RNDN);
    }
    box_t total = box_sum_total(&sum);
    g_assert_true(mpfr_cmp_d(exact, total.low) >= 0 && mpfr_cmp_d(exact, total.high) <= 0);
    double width = total.high - total.low;
    if (are_points) g_assert_true(width <= (double)(count + 4) * 0x1p-51 * sum.magnitude + 1e-300);
    if (are_points && are_integers && sum.magnitude < 0x1p52) g_assert_true(width == 0);
    outside_of_plain += mpfr_cmp_d(exact, plain) != 0;
  }
  g_assert_cmpuint(outside_of_plain, >, 300); /* A box without the bound would have failed. */
  mpfr_clears(exact, factor, product, (mpfr_ptr)NULL);
}

/* Zeros add nothing, whatever they are multiplied by, and so no error either: the sum of products
 * by weights that are all zero is zero. */
static void test_zeros(void) {
  const box_t anything = {-0.3, 0x1.8p40}, tiny = {-0x1p-1074, 0x1p-1040};
  box_sum_t sum = {0};
  for (int i = 0; i < 100; i++) {
    box_sum_add_product(&sum, anything, box_point(0));
    box_sum_add_product(&sum, box_point(-0.0), tiny);
    box_sum_add(&sum, box_point(0));
  }
  box_t total = box_sum_total(&sum);
  g_assert_true(total.low == 0 && total.high == 0);
  /* What underflows is no zero, and has its error. */
  box_sum_add_product(&sum, tiny, tiny);
  total = box_sum_total(&sum);
  g_assert_true(total.low < 0 && total.high > 0 && total.high <= 0x1p-1071);
  box_sum_add_product(&sum, box_whole_line(), box_point(0));
  g_assert_false(isfinite(box_sum_magnitude(&sum)));
}

/* ---- Formats --------------------------------------------------------------------------------- */

/* Numbers of a box, rounded either way, lie in the rounded boxes; their ends are attained. */
static void test_formats(void) {
  rng_t rng = rng_make(3);
  static const int formats[] = {FORMAT_f64,      FORMAT_f32,        FORMAT_bf16,    FORMAT_f16,
                                FORMAT_f8E4M3FN, FORMAT_f8E5M2FNUZ, FORMAT_f4E2M1FN};
  for (int i = 0; i < ROUNDS; i++) {
    const format_t *format = &format_table[formats[rng_below(&rng, G_N_ELEMENTS(formats))]];
    double a = ldexp((double)(rng_bits(&rng) >> 11), (int)rng_below(&rng, 30) - 70);
    double b = ldexp((double)(rng_bits(&rng) >> 11), (int)rng_below(&rng, 30) - 70);
    box_t box = {-a, b};
    if (rng_one_in(&rng, 2)) box = (box_t){fmin(a, b), fmax(a, b)};
    box_t nearest = box_round(box, format), either = box_round_either_way(box, format);
    double low = format_round_double(format, box.low), high = format_round_double(format, box.high);
    bool overflows = !isfinite(low) || !isfinite(high);
    g_assert_true(overflows ? box_is_whole_line(nearest)
                            : nearest.low == low && nearest.high == high);
    if (!box_is_finite(either)) continue;
    double largest = format_to_double(format, format->largest_bits);
    g_assert_true(either.low <= fmax(box.low, -largest) && either.high >= fmin(box.high, largest));
    g_assert_true(either.low <= nearest.low && either.high >= nearest.high);
  }
  const format_t *f32 = &format_table[FORMAT_f32];
  g_assert_true(box_flush((box_t){0x1p-140, 1}, f32).low == 0);
  g_assert_true(box_flush((box_t){-1, -0x1p-140}, f32).high == 0);
  g_assert_true(box_flush((box_t){0x1p-126, 1}, f32).low == 0x1p-126);
}

/* ---- Integers and quantized numbers ---------------------------------------------------------- */

static void test_integers(void) {
  const element_t *i64 = element_named("i64"), *ui64 = element_named("ui64");
  g_assert_true(box_of_element(element_named("i8")).low == -128);
  g_assert_true(box_of_element(i64).high == 0x1p63 && box_of_element(ui64).high == 0x1p64);
  g_assert_true(box_fits(box_point(0x1.fffffffffffffp62), i64) &&
                !box_fits(box_point(0x1p63), i64));
  g_assert_true(!box_fits(box_point(0x1p64), ui64) && !box_fits(box_point(-1), ui64));
  g_assert_true(box_fits((box_t){-128, 127}, element_named("i8")));
  int64_t odd = (INT64_C(1) << 53) + 1;
  tensor_t tensor = {.type = {.element = i64}, .data = (uint8_t *)&odd};
  box_t box = box_make_point(&tensor, 0);
  g_assert_true(box.low <= 0x1p53 && box.high >= 0x1p53 + 2 && box.high - box.low <= 4);
  box_t halves = box_nearest_integers((box_t){0.5, 1.5});
  g_assert_true(halves.low == 0 && halves.high == 2);
  box_t within = box_integers_within((box_t){0.5, 2.5});
  g_assert_true(within.low == 1 && within.high == 2);
}

static void test_quantized(void) {
  const double scale = 0x1.99999ap-4;
  const int64_t zero_point = 3;
  const quantization_t quantization = {.expressed = element_named("f32"),
                                       .storage_min = -128,
                                       .storage_max = 127,
                                       .axis = -1,
                                       .count = 1,
                                       .scales = &scale,
                                       .zero_points = &zero_point};
  type_t type = type_make(element_named("i8"), 0, NULL);
  type.quantization = &quantization;
  box_t value = box_value(&type, 0, (box_t){-7, 5});
  g_assert_true(value.low == -10 * scale && value.high == 2 * scale);
  quantum_t quantum = quantum_of(&type, 0);
  box_t stored = quantum_box_quantize(&quantum, NULL, NULL, value);
  g_assert_true(stored.low == -7 && stored.high == 5);
  const format_t *f32 = quantization.expressed->format;
  contract_t contract = contract_spec();
  stored = quantum_box_quantize(&quantum, f32, &contract, value);
  g_assert_true(stored.low == -7 && stored.high == 5);
  stored = quantum_box_quantize(&quantum, NULL, NULL, (box_t){-1e9, 1e9});
  g_assert_true(stored.low == -128 && stored.high == 127);
  g_assert_true(quantum_box_quantize(&quantum, f32, &contract, box_whole_line()).low == -128);
  quantum.scale = 2; /* 5 / 2 + 3 = 5.5 is rounded to 6; 2.5 to 2, so that 5 comes of it. */
  stored = quantum_box_quantize(&quantum, f32, &contract, (box_t){5, 5});
  g_assert_true(stored.low == 6 && stored.high == 6);
  contract_set_value(&contract, "quantize_zero_point",
                     contract_value_spelled("quantize_zero_point", "either"));
  stored = quantum_box_quantize(&quantum, f32, &contract, (box_t){5, 5});
  g_assert_true(stored.low == 5 && stored.high == 6);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/box/operations", test_operations);
  g_test_add_func("/box/sums", test_sums);
  g_test_add_func("/box/zeros", test_zeros);
  g_test_add_func("/box/formats", test_formats);
  g_test_add_func("/box/integers", test_integers);
  g_test_add_func("/box/quantized", test_quantized);
  return g_test_run();
}
