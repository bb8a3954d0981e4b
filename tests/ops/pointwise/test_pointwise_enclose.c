/* SPDX-License-Identifier: Apache-2.0 */
/* What roots and quotients are before anything is rounded: the boxes hold the real numbers, which
 * no rounding of results could tell from their nearest neighbours (theory.md, T260). */
#include <math.h>
#include <mpfr.h>

#include "harness/base/rng.h"
#include "oracles/oracle.h"

enum { COUNT = 2000, EXACT_BITS = 256 };

static double draw_number(rng_t *rng) {
  double number = 1 + (double)(rng_bits(rng) >> 12) * 0x1p-52;
  if (rng_one_in(rng, 4)) number = (double)rng_between(rng, 1, 1000);
  return ldexp(number, (int)rng_between(rng, rng_one_in(rng, 4) ? -1074 : -40, 40));
}

static void enclose(const char *line, const box_t *const operands[], arena_t *arena, box_t *out) {
  program_t program;
  g_assert_cmpint(program_parse(str_from(line), arena, &program, NULL, NULL), ==, STATUS_OK);
  failure_t error = {.text = ""};
  const enclosure_call_t call = {
      .program = &program, .operands = operands, .arena = arena, .error = &error};
  box_t *results[CASE_RESULTS_MAX] = {out};
  g_assert_cmpint(oracle_find(program.op)->enclose(&call, results), ==, STATUS_OK);
}

/* The sign of a b - c, exactly. */
static int compare_product(double a, double b, double c) {
  mpfr_t product;
  mpfr_init2(product, EXACT_BITS);
  mpfr_set_d(product, a, MPFR_RNDN);
  mpfr_mul_d(product, product, b, MPFR_RNDN);
  int order = mpfr_cmp_d(product, c);
  mpfr_clear(product);
  return order;
}

/* Boxes hold the real number, and are no wider than two steps; points are exact. */
static void check_box(box_t box, int low_order, int high_order) {
  g_assert_cmpint(low_order, <=, 0);
  g_assert_cmpint(high_order, >=, 0);
  g_assert_cmpfloat(box.high, <=, nextafter(nextafter(box.low, INFINITY), INFINITY));
}

static void test_roots(void) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(260);
  box_t numbers[COUNT], roots[COUNT];
  size_t points = 0;
  for (size_t i = 0; i < COUNT; i++) {
    double root = (double)rng_between(&rng, 1, 1 << 20);
    numbers[i] = box_point(i % 5 == 0 ? root * root : draw_number(&rng));
  }
  const box_t *const operands[] = {numbers};
  enclose("stablehlo.sqrt f64[2000] -> f64[2000]", operands, &arena, roots);
  for (size_t i = 0; i < COUNT; i++) {
    double x = numbers[i].low;
    check_box(roots[i], compare_product(roots[i].low, roots[i].low, x),
              compare_product(roots[i].high, roots[i].high, x));
    points += roots[i].low == roots[i].high;
  }
  g_assert_cmpuint(points, >, COUNT / 20);
  g_assert_cmpuint(points, <, COUNT / 2);
  arena_deinit(&arena);
}

static void test_quotients(void) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(261);
  box_t left[COUNT], right[COUNT], quotients[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    left[i] = box_point(draw_number(&rng));
    right[i] = box_point(draw_number(&rng));
  }
  const box_t *const operands[] = {left, right};
  enclose("stablehlo.divide f64[2000] f64[2000] -> f64[2000]", operands, &arena, quotients);
  for (size_t i = 0; i < COUNT; i++) {
    check_box(quotients[i], compare_product(quotients[i].low, right[i].low, left[i].low),
              isinf(quotients[i].high)
                  ? 1
                  : compare_product(quotients[i].high, right[i].low, left[i].low));
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/pointwise-enclose/roots", test_roots);
  g_test_add_func("/pointwise-enclose/quotients", test_quotients);
  return g_test_run();
}
