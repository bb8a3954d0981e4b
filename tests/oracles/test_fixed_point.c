/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed-point rescaling against gemmlowp's own steps, written down once more in 64 bits, and
 * against the exact product (theory.md, T180); and the ways to quantize against the host's
 * arithmetic of f32. */
#include <glib.h>
#include <gmp.h>
#include <math.h>

#include "harness/base/rng.h"
#include "oracles/exact/quantum/fixed_point.h"
#include "oracles/exact/quantum/quantize_mpfr.h"

/* ---- gemmlowp's steps ------------------------------------------------------------------------ */

/* The high half of the doubled product, rounded by a nudge and a division that cuts off. */
static int64_t high_half(int64_t a, int64_t b) {
  int64_t nudge = a * b >= 0 ? INT64_C(1) << 30 : 1 - (INT64_C(1) << 30);
  return (a * b + nudge) / (INT64_C(1) << 31);
}

/* Divides by a power of two by a mask and a threshold: halves away from zero. */
static int64_t divide_by_power(int64_t value, int exponent) {
  int64_t mask = (INT64_C(1) << exponent) - 1, rest = value & mask;
  int64_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
  return (value >> exponent) + (rest > threshold ? 1 : 0);
}

static int64_t by_steps(int64_t value, fixed_multiplier_t multiplier, fixed_way_t way) {
  int left = MAX(multiplier.exponent, 0), right = MAX(-multiplier.exponent, 0);
  if (way == FIXED_ONCE) {
    int shift = 31 - multiplier.exponent;
    return (value * multiplier.significand + (INT64_C(1) << (shift - 1))) >> shift;
  }
  int64_t high = high_half(value * (INT64_C(1) << left), multiplier.significand);
  if (way == FIXED_TWICE_AWAY) return divide_by_power(high, right);
  return right == 0 ? high : (high + (INT64_C(1) << (right - 1))) >> right;
}

static void check_steps(int64_t value, double real) {
  const fixed_multiplier_t multiplier = fixed_multiplier_of(real);
  for (fixed_way_t way = 0; way < FIXED_WAYS; way++) {
    g_assert_cmpint((int64_t)fixed_multiply(value, multiplier, way), ==,
                    by_steps(value, multiplier, way));
  }
}

static double draw_multiplier(rng_t *rng, int least, int most) {
  double fraction = 0.5 + ldexp((double)(rng_bits(rng) >> 12), -53);
  return ldexp(fraction, least + (int)rng_below(rng, (uint64_t)(most - least + 1)));
}

/* All numbers of 12 bits by many multipliers, and numbers of 31 bits. */
static void test_steps(void) {
  rng_t rng = rng_make(1);
  for (int i = 0; i < 60; i++) {
    double real = i < 20 ? ldexp(i % 2 == 0 ? 1 : 0.75, i - 18) : draw_multiplier(&rng, -20, 3);
    for (int64_t value = -2048; value <= 2048; value++) check_steps(value, real);
  }
  for (int i = 0; i < 200000; i++) {
    check_steps((int32_t)rng_bits(&rng) >> rng_below(&rng, 31), draw_multiplier(&rng, -31, 0));
  }
}

/* ---- The exact product ----------------------------------------------------------------------- */

/* 2 |result - value * real| <= 1 + 2^exponent + 2^-30 |value * real|: T180, both roundings. */
static bool is_near(int64_t value, double real, int64_t result, int exponent) {
  mpq_t error, limit, factor;
  mpq_inits(error, limit, factor, NULL);
  mpq_set_d(factor, real);
  mpq_set_si(error, value, 1);
  mpq_mul(error, error, factor);
  mpq_abs(limit, error);
  mpq_div_2exp(limit, limit, 30);
  mpq_set_si(factor, result, 1);
  mpq_sub(error, factor, error);
  mpq_abs(error, error);
  mpq_mul_2exp(error, error, 1);
  mpq_set_d(factor, 1 + (exponent < 0 ? ldexp(1, exponent) : 0));
  mpq_add(limit, limit, factor);
  bool is_within = mpq_cmp(error, limit) <= 0;
  mpq_clears(error, limit, factor, NULL);
  return is_within;
}

static void test_bound(void) {
  rng_t rng = rng_make(2);
  for (int i = 0; i < 50000; i++) {
    int64_t value = (int32_t)rng_bits(&rng) >> rng_below(&rng, 31);
    double real = draw_multiplier(&rng, -31, 20);
    const fixed_multiplier_t multiplier = fixed_multiplier_of(real);
    for (fixed_way_t way = 0; way < FIXED_WAYS; way++) {
      int64_t result = (int64_t)fixed_multiply(value, multiplier, way);
      g_assert_true(is_near(value, real, result, multiplier.exponent));
      g_assert_true(fixed_multiply(value + 1, multiplier, way) >= result);
    }
  }
}

/* By hand: 3 * 0.5 = 1.5 and -3 * 0.5; and 5 * 0.2999, of which the first rounding makes a tie. */
static void test_by_hand(void) {
  const fixed_multiplier_t half = fixed_multiplier_of(0.5), one = fixed_multiplier_of(1);
  g_assert_cmpint(half.significand, ==, INT64_C(1) << 30);
  g_assert_cmpint(half.exponent, ==, 0);
  g_assert_cmpint(one.exponent, ==, 1);
  g_assert_cmpint((int64_t)fixed_multiply(3, half, FIXED_ONCE), ==, 2);
  g_assert_cmpint((int64_t)fixed_multiply(-3, half, FIXED_TWICE_AWAY), ==, -1);
  g_assert_cmpint((int64_t)fixed_multiply(-6, fixed_multiplier_of(0.25), FIXED_TWICE_AWAY), ==, -2);
  g_assert_cmpint((int64_t)fixed_multiply(-6, fixed_multiplier_of(0.25), FIXED_TWICE_UP), ==, -1);
  const fixed_multiplier_t below = fixed_multiplier_of(0.2499); /* 1.4994: to 3, and to 1.5. */
  g_assert_cmpint((int64_t)fixed_multiply(6, below, FIXED_ONCE), ==, 1);
  g_assert_cmpint((int64_t)fixed_multiply(6, below, FIXED_TWICE_AWAY), ==, 2);
  g_assert_cmpint(fixed_multiplier_of(0x1p-33).significand, ==, 0);
  g_assert_cmpint(fixed_multiplier_of(1 - 0x1p-40).exponent, ==, 1); /* Rounds to one. */
  g_assert_true(fixed_multiply(1, fixed_multiplier_of((double)INFINITY), FIXED_ONCE) >
                (wide_integer_t)1 << 65);
  g_assert_true(fixed_multiply(0, fixed_multiplier_of((double)INFINITY), FIXED_ONCE) == 0);
}

/* ---- Ways to quantize ------------------------------------------------------------------------ */

/* The integer nearest to `numerator` / 2 `denominator` + `addend`, by integers alone. */
static int64_t nearest_quotient(wide_integer_t numerator, wide_integer_t denominator,
                                int64_t addend, bool ties_away) {
  numerator += 2 * denominator * addend;
  wide_integer_t whole = numerator / (2 * denominator);
  wide_integer_t rest = numerator % (2 * denominator), magnitude = rest < 0 ? -rest : rest;
  bool is_up =
      magnitude > denominator || (magnitude == denominator && (ties_away || (whole & 1) != 0));
  if (is_up) whole += numerator < 0 ? -1 : 1;
  return (int64_t)whole;
}

/* Scales have 24 bits and are 2^-9 or more, numbers below 2^11. */
static int64_t quantize_unrounded(const quantum_t *quantum, quantize_way_t way, float x) {
  const wide_integer_t numerator = (wide_integer_t)ldexp((double)x, 52) * 2;
  const wide_integer_t denominator = (wide_integer_t)ldexp(quantum->scale, 52);
  int64_t addend = way.zero_point_last ? 0 : quantum->zero_point;
  int64_t whole = nearest_quotient(numerator, denominator, addend, way.ties_away);
  if (way.zero_point_last) whole += quantum->zero_point;
  return CLAMP(whole, quantum->storage_min, quantum->storage_max);
}

static int64_t quantize_in_f64(const quantum_t *quantum, quantize_way_t way, float x) {
  const double zero_point = (double)quantum->zero_point;
  double value = (double)x / quantum->scale;
  if (!way.zero_point_last) value += zero_point;
  double whole = way.ties_away ? round(value) : rint(value);
  if (way.zero_point_last) whole += zero_point;
  return (int64_t)CLAMP(whole, (double)quantum->storage_min, (double)quantum->storage_max);
}

static int64_t quantize_in_f32(const quantum_t *quantum, quantize_way_t way, float x) {
  const float scale = (float)quantum->scale, zero_point = (float)quantum->zero_point;
  const float inverse = 1 / scale;
  float value = way.is_fused        ? fmaf(x, inverse, zero_point)
                : way.by_reciprocal ? x * inverse
                                    : x / scale;
  if (!way.is_fused && !way.zero_point_last) value += zero_point;
  double whole = way.ties_away ? (double)roundf(value) : (double)rintf(value);
  if (way.zero_point_last) whole += (double)quantum->zero_point;
  return (int64_t)CLAMP(whole, (double)quantum->storage_min, (double)quantum->storage_max);
}

static int64_t quantize_plainly(const quantum_t *quantum, quantize_way_t way, float x) {
  if (way.width == QUANTIZE_UNROUNDED) return quantize_unrounded(quantum, way, x);
  if (way.width == QUANTIZE_IN_F64) return quantize_in_f64(quantum, way, x);
  return quantize_in_f32(quantum, way, x);
}

static void test_ways(void) {
  rng_t rng = rng_make(3);
  contract_t contract = contract_backend();
  contract_set_value(&contract, "quantize", contract_value_spelled("quantize", "reciprocal"));
  contract_set_value(&contract, "quantize_quotient",
                     contract_value_spelled("quantize_quotient", "wider"));
  contract_set_value(&contract, "quantize_ties", contract_value_spelled("quantize_ties", "either"));
  contract_set_value(&contract, "quantize_zero_point",
                     contract_value_spelled("quantize_zero_point", "either"));
  quantize_way_t ways[QUANTIZE_WAYS_MAX];
  g_assert_cmpuint(quantize_ways(&contract, ways), ==, QUANTIZE_WAYS_MAX);
  const quantize_way_t first = ways[0];
  g_assert_false(first.by_reciprocal || first.is_fused || first.zero_point_last || first.ties_away);
  g_assert_cmpint(first.width, ==, QUANTIZE_ROUNDED);
  uint64_t rounded = 0, wider = 0;
  for (int i = 0; i < 20000; i++) {
    quantum_t quantum = {.scale = (double)(float)draw_multiplier(&rng, -8, 2),
                         .zero_point = (int64_t)rng_below(&rng, 256) - 128,
                         .storage_min = -128,
                         .storage_max = 127,
                         .type_min = -128,
                         .type_max = 127};
    double halves = (double)rng_below(&rng, 600) / 2 - 150;
    float x = (float)(halves * quantum.scale);
    for (size_t way = 0; way < QUANTIZE_WAYS_MAX; way++) {
      int64_t stored[QUANTUM_CHOICES_MAX], expected = quantize_plainly(&quantum, ways[way], x);
      size_t count =
          exact_quantize_by(&quantum, &format_table[FORMAT_f32], ways[way], (double)x, stored);
      g_assert_cmpuint(count, ==, 1);
      g_assert_cmpint(stored[0], ==, expected);
      uint64_t *differing = ways[way].width == QUANTIZE_ROUNDED ? &rounded : &wider;
      *differing += expected != quantize_in_f32(&quantum, first, x);
    }
  }
  g_assert_cmpuint(rounded, >, 1000);
  g_assert_cmpuint(wider, >, 1000);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/fixed_point/by_hand", test_by_hand);
  g_test_add_func("/fixed_point/steps", test_steps);
  g_test_add_func("/fixed_point/bound", test_bound);
  g_test_add_func("/fixed_point/ways_to_quantize", test_ways);
  return g_test_run();
}
