/* SPDX-License-Identifier: Apache-2.0 */
/* Summations that are no plain trees: identified as what they are or refused, never taken for
 * something else. */
#include <math.h>
#include <string.h>

#include "harness/identify/probe/random_terms.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/sum/rounded.h"
#include "tests/identify/identify_fixture.h"

enum { TERMS_MAX = 64 };

typedef double (*sum_function_t)(const double *terms, size_t count, void *state);

typedef struct planted {
  sum_function_t function;
  rng_t rng;
} planted_t;

static status_t run_planted(black_box_sum_t *black_box, const double *left, const double *right,
                            double init, uint64_t *out_bits, failure_t *error) {
  (void)right;
  (void)init;
  (void)error;
  planted_t *planted = black_box->context;
  double value = planted->function(left, black_box->term_count, planted);
  *out_bits = format_from_double(black_box->result, value);
  return STATUS_OK;
}

static identification_t identify_planted(sum_function_t function, size_t count, arena_t *arena) {
  planted_t planted = {.function = function, .rng = rng_make(3)};
  const format_t *f32 = &format_table[FORMAT_f32];
  black_box_sum_t black_box = {.term_count = count,
                               .left = f32,
                               .result = f32,
                               .op = "stablehlo.reduce",
                               .program_line = "stablehlo.reduce planted",
                               .sum = run_planted,
                               .context = &planted};
  const identify_options_t options = {.seed = 1};
  identification_t found;
  failure_t error = {0};
  status_t status = identify(&black_box, &options, arena, &found, &error);
  g_assert_cmpstr(status == STATUS_OK ? "" : error.text, ==, "");
  return found;
}

/* In an order of its own each time. */
static double sum_random_order(const double *terms, size_t count, void *state) {
  planted_t *planted = state;
  double order[TERMS_MAX];
  memcpy(order, terms, count * sizeof *terms);
  for (size_t i = count; i > 1; i--) {
    size_t other = (size_t)rng_below(&planted->rng, i);
    double moved = order[i - 1];
    order[i - 1] = order[other];
    order[other] = moved;
  }
  float sum = 0;
  for (size_t i = 0; i < count; i++) sum += (float)order[i];
  return (double)sum;
}

static int compare_values(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static int compare_magnitudes(const void *a, const void *b) {
  double x = fabs(*(const double *)a);
  double y = fabs(*(const double *)b);
  return x < y ? -1 : x > y;
}

static double sum_sorted(const double *terms, size_t count,
                         int (*compare)(const void *, const void *)) {
  double order[TERMS_MAX];
  memcpy(order, terms, count * sizeof *terms);
  qsort(order, count, sizeof *order, compare);
  float sum = 0;
  for (size_t i = 0; i < count; i++) sum += (float)order[i];
  return (double)sum;
}

static double sum_by_value(const double *terms, size_t count, void *state) {
  (void)state;
  return sum_sorted(terms, count, compare_values);
}

static double sum_by_magnitude(const double *terms, size_t count, void *state) {
  (void)state;
  return sum_sorted(terms, count, compare_magnitudes);
}

static double sum_kahan(const double *terms, size_t count, void *state) {
  (void)state;
  volatile float sum = 0;
  volatile float lost = 0;
  for (size_t i = 0; i < count; i++) {
    volatile float y = (float)terms[i] - lost;
    volatile float t = sum + y;
    volatile float gained = t - sum;
    lost = gained - y;
    sum = t;
  }
  return (double)sum;
}

/* The largest of the terms takes part twice. */
static double sum_with_maximum(const double *terms, size_t count, void *state) {
  (void)state;
  float sum = 0;
  float largest = 0;
  for (size_t i = 0; i < count; i++) {
    sum += (float)terms[i];
    largest = fmaxf(largest, (float)terms[i]);
  }
  return (double)(sum + largest);
}

static double maximum(const double *terms, size_t count, void *state) {
  (void)state;
  double largest = terms[0];
  for (size_t i = 1; i < count; i++) largest = fmax(largest, terms[i]);
  return largest;
}

static double mean(const double *terms, size_t count, void *state) {
  (void)state;
  float sum = 0;
  for (size_t i = 0; i < count; i++) sum += (float)terms[i];
  return (double)(sum / (float)count);
}

/* An adder of four terms and the sum so far, which rounds once. */
static double sum_in_fours(const double *terms, size_t count, int aligned_bits,
                           rounding_t rounding) {
  static const double ones[] = {1, 1, 1, 1, 1};
  double sum = 0;
  for (size_t i = 0; i < count; i += 4) {
    size_t width = MIN(count - i, 4);
    double addends[5] = {0};
    memcpy(addends, terms + i, width * sizeof *terms);
    if (i > 0) addends[width++] = sum;
    const rounded_sum_t adder = {.count = width,
                                 .left = addends,
                                 .right = ones,
                                 .aligned_bits = aligned_bits,
                                 .format = &format_table[FORMAT_f32],
                                 .rounding = rounding};
    sum = width == 1 ? addends[0] : rounded_sum(&adder);
  }
  return sum;
}

static double sum_exact_fours(const double *terms, size_t count, void *state) {
  (void)state;
  return sum_in_fours(terms, count, 0, ROUNDING_NEAREST_EVEN);
}

enum { ALIGNED_BITS = 27 };

static double sum_aligned_fours(const double *terms, size_t count, void *state) {
  (void)state;
  return sum_in_fours(terms, count, ALIGNED_BITS, ROUNDING_TOWARD_ZERO);
}

static double sum_truncating(const double *terms, size_t count, void *state) {
  (void)state;
  const arithmetic_t arithmetic = {.format = &format_table[FORMAT_f32], .truncate_additions = true};
  double sum = terms[0];
  for (size_t i = 1; i < count; i++) sum = arithmetic_add(&arithmetic, sum, terms[i]);
  return sum;
}

static void test_refused(void) {
  static const struct {
    const char *name;
    sum_function_t function;
    identity_t identity;
  } rows[] = {
      {"random order", sum_random_order, IDENTITY_NOT_DETERMINISTIC},
      {"sorted by value", sum_by_value, IDENTITY_CONTRADICTED},
      {"sorted by magnitude", sum_by_magnitude, IDENTITY_CONTRADICTED},
      {"Kahan", sum_kahan, IDENTITY_NO_TREE},
      {"plus the maximum", sum_with_maximum, IDENTITY_NO_TREE},
      {"maximum", maximum, IDENTITY_NO_TREE},
      {"mean", mean, IDENTITY_NO_TREE},
  };
  static const size_t sizes[] = {3, 8, 20, TERMS_MAX};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    for (size_t k = 0; k < G_N_ELEMENTS(sizes); k++) {
      arena_t arena;
      arena_init(&arena);
      identification_t found = identify_planted(rows[i].function, sizes[k], &arena);
      g_test_message("%s, n = %zu: %s, %s", rows[i].name, sizes[k], identity_name(found.identity),
                     found.reason);
      g_assert_cmpint(found.identity, !=, IDENTITY_FOUND);
      if (k > 0 && rows[i].identity == IDENTITY_NOT_DETERMINISTIC) {
        g_assert_cmpint(found.identity, ==, rows[i].identity);
      }
      g_assert_cmpstr(found.reason, !=, "");
      arena_deinit(&arena);
    }
  }
}

static void test_identified(void) {
  static const struct {
    sum_function_t function;
    size_t count;
    const char *tree;
  } rows[] = {
      {sum_exact_fours, 4, "(0..3)"},
      {sum_exact_fours, 12, "(((0..3) 4..7) 8..11)"},
      {sum_exact_fours, 10, "(((0..3) 4..7) 8 9)"},
      {sum_aligned_fours, 4, "(0..3)"},
      {sum_aligned_fours, 12, "(((0..3) 4..7) 8..11)"},
      {sum_truncating, 9, "[0..8]"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    arena_t arena;
    arena_init(&arena);
    identification_t found = identify_planted(rows[i].function, rows[i].count, &arena);
    GString *text = g_string_new(NULL);
    if (found.has_profile) profile_print(&found.profile, text);
    g_test_message("%s; %zu of %zu: %s %s", identity_name(found.identity), found.predicted,
                   found.checked, text->str, found.reason);
    g_string_free(text, TRUE);
    g_assert_cmpint(found.identity, ==, IDENTITY_FOUND);
    g_autofree char *tree = tree_text(&found.profile);
    g_assert_cmpstr(tree, ==, rows[i].tree);
    bool is_aligned = rows[i].function == sum_aligned_fours;
    const profile_node_t *node = &found.profile.nodes[0];
    g_assert_cmpint(node->aligned_bits, ==, is_aligned ? ALIGNED_BITS : 0);
    g_assert_cmpint(
        node->rounding, ==,
        rows[i].function == sum_exact_fours ? ROUNDING_NEAREST_EVEN : ROUNDING_TOWARD_ZERO);
    arena_deinit(&arena);
  }
}

/* Faulty executors: what is identified is predicted on many more vectors than decided. */
static void check_canary(const char *fault, bool is_dot) {
  enum { FRESH_VECTORS = 2000, TERMS = 12 };
  g_autofree char *name = g_strconcat("canary:", fault, NULL);
  fixture_t fixture;
  const sum_shape_t shape = make_shape("f32", is_dot ? "f32" : NULL, "f32", TERMS);
  fixture_open(&fixture, name, &shape);
  fixture_identify(&fixture);
  if (fixture.found.identity == IDENTITY_FOUND) {
    identification_t fresh = {.identity = IDENTITY_FOUND};
    const check_data_t data = {.seed = 99, .count = FRESH_VECTORS};
    status_t status =
        identify_check(executor_sum_black_box(fixture.black_box), &fixture.found.profile, &data,
                       &fixture.arena, &fresh, &fixture.error);
    g_assert_cmpint(status, ==, STATUS_OK);
    g_test_message("%s %s: identified, %zu of %zu fresh vectors", fault, is_dot ? "dot" : "reduce",
                   fresh.predicted, fresh.checked);
    g_assert_cmpuint(fresh.predicted, ==, fresh.checked);
  }
  fixture_close(&fixture);
}

static void test_canaries(void) {
  static const char *const faults[] = {
      "drop_last_term",     "drop_first_term",     "drop_tail",          "repeat_last_term",
      "neighbour_term",     "narrow_accumulator",  "narrow_operands",    "narrow_result",
      "truncate_additions", "truncate_products",   "truncate_result",    "flush_inputs",
      "flush_outputs",      "infinity_as_largest", "lose_negative_zero", "init_twice",
      "init_never",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
    check_canary(faults[i], false);
    check_canary(faults[i], true);
  }
}

/* A backend that leaves a term out, or takes one twice, adds no tree of all terms. */
static void test_lost_terms(void) {
  static const char *const names[] = {"canary:drop_last_term", "canary:repeat_last_term",
                                      "canary:neighbour_term", "canary:drop_tail"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    fixture_t fixture;
    const sum_shape_t shape = make_shape("f32", NULL, "f32", 12);
    fixture_open(&fixture, names[i], &shape);
    fixture_identify(&fixture);
    g_assert_cmpint(fixture.found.identity, !=, IDENTITY_FOUND);
    fixture_close(&fixture);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/planted/refused", test_refused);
  g_test_add_func("/planted/identified", test_identified);
  g_test_add_func("/planted/canaries", test_canaries);
  g_test_add_func("/planted/lost-terms", test_lost_terms);
  return g_test_run();
}
