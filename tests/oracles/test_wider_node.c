/* SPDX-License-Identifier: Apache-2.0 */
/* What wider nodes (accum_wider=yes) may make of one operation, by brute force: a single product
 * and a sum of two numbers, alone and among zeros, in every width.  Whatever some width gives must
 * conform, and an exact tie has one result (oracles/theory.md, T18). */
#include <glib.h>
#include <math.h>

#include "harness/base/rng.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/product/problem.h"
#include "oracles/exact/sum/problem.h"

enum { WIDTHS = 24, PADDING = 2 };

typedef enum operation { PRODUCT, SUM, REDUCED_PRODUCT, OPERATION_COUNT } operation_t;

typedef struct experiment {
  const format_t *format;
  contract_t contract;
  arena_t arena;
  size_t pairs, ties, doubly_rounded;
} experiment_t;

/* Nearest even to so many bits, and to no bits below 2^lowest. */
static double round_to_bits(double x, int bits, int lowest) {
  if (x == 0 || !isfinite(x)) return x;
  int unit = MAX(ilogb(x) - bits + 1, lowest);
  return ldexp(nearbyint(ldexp(x, -unit)), unit);
}

static bool conforms(experiment_t *experiment, operation_t operation, const double operands[2],
                     size_t padding, uint64_t bits) {
  const format_t *format = experiment->format;
  double left[2 + PADDING] = {operands[0], operands[1]};
  double right[2 + PADDING] = {operands[1]};
  answer_t answer = {0};
  arena_reset(&experiment->arena);
  status_t status;
  if (operation == REDUCED_PRODUCT) {
    for (size_t i = 0; i < padding; i++) left[2 + i] = 1;
    const product_problem_t question = {
        .format = format, .count = 2 + padding, .factors = left, .init = 1};
    status =
        product_answer(&question, &experiment->contract, bits, &experiment->arena, &answer, NULL);
  } else {
    if (operation == PRODUCT) left[1] = 0;
    const sum_problem_t question = {.format = format,
                                    .count = (operation == PRODUCT ? 1 : 2) + padding,
                                    .left = left,
                                    .right = operation == PRODUCT ? right : NULL,
                                    .left_format = format,
                                    .right_format = format};
    status = sum_answer(&question, &experiment->contract, bits, &experiment->arena, &answer, NULL);
  }
  g_assert_cmpint(status, ==, STATUS_OK);
  return answer.conforms;
}

/* Whether a value lies halfway between the number that it rounds to and another. */
static bool is_tie(const format_t *format, double value, uint64_t nearest) {
  double got = format_to_double(format, nearest);
  double above = format_to_double(format, format_next_up(format, nearest));
  double below = format_to_double(format, format_next_down(format, nearest));
  return value - got == above - value || got - value == value - below;
}

/* Whether a neighbour conforms: only if a wider node may round to the tie between. */
static void check_neighbour(experiment_t *experiment, operation_t operation,
                            const double operands[2], size_t padding, double exact,
                            uint64_t nearest, uint64_t neighbour) {
  const format_t *format = experiment->format;
  int more = error_bound_wider_bits(format);
  int lowest = format->exponent_min - format->precision + 1 - more;
  bool is_held_by_wider = round_to_bits(exact, format->precision + more, lowest) == exact;
  double number = format_to_double(format, neighbour);
  if (!isfinite(number) || format_is_nan(format, neighbour) || neighbour == nearest) return;
  if (number == 0 && format_is_zero(format, nearest)) return; /* +0 may be added to a -0. */
  double tie = (format_to_double(format, nearest) + number) / 2;
  double distance = fabs(exact - tie);
  bool is_near =
      distance <= fmax(error_bound_wide_unit_roundoff(format) * fabs(exact), ldexp(0.5, lowest));
  bool is_accepted = conforms(experiment, operation, operands, padding, neighbour);
  if (is_accepted) experiment->doubly_rounded++;
  bool is_wrong = is_accepted && (is_held_by_wider || (padding == 0 && !is_near));
  if (is_wrong) {
    g_test_message("%s %s of %a and %a, %zu more: %a conforms, exactly %a", format->name,
                   operation == SUM ? "sum" : "product", operands[0], operands[1], padding, number,
                   exact);
  }
  g_assert_false(is_wrong);
}

static void check_pair(experiment_t *experiment, operation_t operation, double a, double b,
                       size_t padding) {
  const format_t *format = experiment->format;
  const double operands[] = {a, b};
  double exact = operation == SUM ? a + b : a * b;
  uint64_t nearest = format_from_double(format, exact);
  if (exact == 0) return;
  experiment->pairs++;
  experiment->ties += is_tie(format, exact, nearest);
  for (int more = error_bound_wider_bits(format), k = 0; k < WIDTHS; k++) {
    int lowest = format->exponent_min - format->precision + 1 - more - k;
    double wide = round_to_bits(exact, format->precision + more + k, lowest);
    uint64_t reached = format_from_double(format, wide);
    bool is_held = conforms(experiment, operation, operands, padding, reached);
    if (!is_held) g_test_message("%s: %a, %a, %d bits more", format->name, a, b, more + k);
    g_assert_true(is_held);
    if (wide == exact) break; /* So it is in all wider ones. */
  }
  if (format_is_nan(format, nearest) || format_is_infinity(format, nearest)) return;
  check_neighbour(experiment, operation, operands, padding, exact, nearest,
                  format_next_up(format, nearest));
  check_neighbour(experiment, operation, operands, padding, exact, nearest,
                  format_next_down(format, nearest));
}

static experiment_t experiment_make(const char *name) {
  experiment_t experiment = {.format = format_find(str_from(name))};
  /* T18 is of trees: a compensated loop over two numbers and zeros adds what it takes for lost,
   * which is not exact where the second number is the larger one. */
  g_assert_cmpint(contract_parse(str_from("backend,compensated=no"), &experiment.contract, NULL),
                  ==, STATUS_OK);
  arena_init(&experiment.arena);
  return experiment;
}

static void experiment_end(experiment_t *experiment) {
  g_test_message("%s: %zu pairs, %zu exact ties, %zu neighbours conform", experiment->format->name,
                 experiment->pairs, experiment->ties, experiment->doubly_rounded);
  g_assert_cmpuint(experiment->ties, >, experiment->pairs / 200);
  arena_deinit(&experiment->arena);
}

/* One in so many of all pairs of an 8-bit format. */
static void test_short_format(gconstpointer data) {
  enum { ONE_IN = 41, PATTERNS = 1 << 16 };
  experiment_t experiment = experiment_make((const char *)data);
  const format_t *format = experiment.format;
  for (uint64_t i = 0; i < PATTERNS; i += ONE_IN) {
    double a = format_to_double(format, i & 0xff), b = format_to_double(format, i >> 8);
    if (!isfinite(a) || !isfinite(b)) continue;
    for (int operation = 0; operation < OPERATION_COUNT; operation++) {
      check_pair(&experiment, (operation_t)operation, a, b, i % 2 == 0 ? 0 : PADDING);
    }
  }
  experiment_end(&experiment);
}

/* A number of the format, with few bits more often than not: such are those that make ties. */
static double draw_number(rng_t *rng, const format_t *format) {
  uint64_t significand = rng_bits(rng) >> (64 - format->precision);
  int dropped = (int)rng_below(rng, format->precision);
  double number = (double)(significand >> dropped << dropped | 1u << (format->precision - 1));
  number = ldexp(number, (int)rng_between(rng, -12, 12));
  return rng_one_in(rng, 2) ? number : -number;
}

/* All that is added and multiplied here is exact in binary64. */
static void test_long_format(gconstpointer data) {
  enum { PAIRS = 3000 };
  experiment_t experiment = experiment_make((const char *)data);
  rng_t rng = rng_make(0xb9);
  for (size_t i = 0; i < PAIRS; i++) {
    double a = draw_number(&rng, experiment.format), b = draw_number(&rng, experiment.format);
    for (int operation = 0; operation < OPERATION_COUNT; operation++) {
      check_pair(&experiment, (operation_t)operation, a, b, i % 2 == 0 ? 0 : PADDING);
    }
  }
  experiment_end(&experiment);
}

int main(int argc, char **argv) {
  static const char *const shorts[] = {"f8E5M2",     "f8E4M3",        "f8E4M3FN", "f8E4M3FNUZ",
                                       "f8E5M2FNUZ", "f8E4M3B11FNUZ", "f8E3M4"};
  static const char *const longs[] = {"bf16", "f16", "f32"};
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < G_N_ELEMENTS(shorts); i++) {
    g_autofree char *path = g_strdup_printf("/wider-node/%s", shorts[i]);
    g_test_add_data_func(path, shorts[i], test_short_format);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(longs); i++) {
    g_autofree char *path = g_strdup_printf("/wider-node/%s", longs[i]);
    g_test_add_data_func(path, longs[i], test_long_format);
  }
  return g_test_run();
}
