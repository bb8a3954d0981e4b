/* SPDX-License-Identifier: Apache-2.0 */
/* No false alarm, and no looseness: everything that a contract lets a few terms reach conforms, by
 * brute force over orders, trees and roundings (reach.h); and where nodes are plain and in order,
 * nothing else does. */
#include <inttypes.h>
#include <stdio.h>

#include "harness/base/rng.h"
#include "oracles/exact/product/problem.h"
#include "oracles/exact/sum/problem.h"
#include "tests/ops/reach.h"

enum { FAILURES_PRINTED = 12, PATTERNS_MAX = 256 };

typedef enum kind { SUM, DOT, PRODUCT } kind_t;

typedef struct row {
  const char *contract;
  kind_t kind;
  const char *format;
  const char *factor_format; /* Of the factors of a dot product; NULL: the same. */
  int samples;
  int extra_bits;
  bool wide_exponents;
  bool is_exact; /* What cannot be reached must not conform. */
} row_t;

/* clang-format off */
static const row_t rows[] = {
#include "tests/ops/reachable.def"
};
/* clang-format on */

typedef struct counts {
  uint64_t cases, reached, refused, loose, judged;
} counts_t;

/* ---- Drawing cases --------------------------------------------------------------------------- */

/* A window keeps the exponents of 16-bit formats close, so that sums stay within 126 bits. */
static double draw_number(rng_t *rng, const format_t *format, int window) {
  uint64_t mask = format->bits == 64 ? UINT64_MAX : (UINT64_C(1) << format->bits) - 1;
  double largest = format_to_double(format, format->largest_bits);
  double smallest = ldexp(1, reach_lowest(format)), normal = ldexp(1, format->exponent_min);
  double sign = rng_below(rng, 2) == 0 ? 1 : -1;
  uint64_t choice = rng_below(rng, 16);
  if (choice == 0) return sign * 0.0;
  if (choice == 1 && rng_one_in(rng, 3)) return sign * (double)INFINITY;
  if (choice == 2 && rng_one_in(rng, 3)) return NAN;
  if (format->bits > 8) {
    double fraction = 1 + ldexp((double)rng_below(rng, UINT64_C(1) << (format->precision - 1)),
                                1 - format->precision);
    if (choice < 8) fraction = 1 + ldexp((double)rng_below(rng, 3), 1 - format->precision);
    return sign * format_round_double(format, ldexp(fraction, window + (int)rng_below(rng, 12)));
  }
  if (choice == 3) return sign * largest;
  if (choice == 4) return sign * smallest;
  if (choice == 5) return sign * normal;
  return format_to_double(format, rng_bits(rng) & mask);
}

static int draw_window(rng_t *rng, const format_t *format, const row_t *row) {
  int lowest = reach_lowest(format), highest = format->exponent_max - 11;
  if (row->kind == SUM) {
    const int windows[] = {lowest, -4, highest};
    return windows[rng_below(rng, 3)];
  }
  const int windows[] = {lowest / 2 - 6, lowest / 2, -4, highest / 2};
  return windows[rng_below(rng, 4)];
}

static const format_t *format_named(const char *name) { return format_find(str_from(name)); }

static double held(const format_t *format, double value) {
  return isfinite(value) ? format_round_double(format, value)
                         : format_to_double(format, format_from_double(format, value));
}

static double draw_init(rng_t *rng, const row_t *row, const format_t *format, int window) {
  if (row->kind == DOT) return 0;
  double neutral = row->kind == SUM ? 0 : 1;
  if (row->kind == PRODUCT && format->bits > 8) return neutral;
  uint64_t choice = rng_below(rng, 4);
  if (choice == 0) return -0.0;
  return choice == 1 ? held(format, draw_number(rng, format, window)) : neutral;
}

typedef struct terms {
  size_t count;
  double left[REACH_TERMS_MAX], right[REACH_TERMS_MAX];
  double init;
} terms_t;

static terms_t draw_terms(rng_t *rng, const row_t *row) {
  const format_t *format = format_named(row->format);
  const format_t *from = row->factor_format == NULL ? format : format_named(row->factor_format);
  int window = draw_window(rng, row->kind == DOT ? from : format, row);
  terms_t terms = {.count = rng_below(rng, REACH_TERMS_MAX + 1)};
  for (size_t i = 0; i < terms.count; i++) {
    bool repeats = i > 0 && rng_below(rng, 3) == 0; /* Cancellation. */
    double left = held(from, draw_number(rng, from, window));
    terms.left[i] = repeats ? -terms.left[i - 1] : left;
    terms.left[i] = held(from, terms.left[i]);
    terms.right[i] = repeats ? terms.right[i - 1] : held(from, draw_number(rng, from, window));
  }
  terms.init = draw_init(rng, row, format, window);
  return terms;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static contract_t contract_from(const char *text) {
  contract_t contract;
  failure_t error;
  if (contract_parse(str_from(text), &contract, &error) != STATUS_OK) g_error("%s", error.text);
  return contract;
}

static answer_t decide(const row_t *row, const contract_t *contract, const terms_t *terms,
                       uint64_t bits, arena_t *arena) {
  const format_t *format = format_named(row->format);
  const format_t *from = row->factor_format == NULL ? format : format_named(row->factor_format);
  answer_t answer = {0};
  failure_t error;
  status_t status;
  if (row->kind == PRODUCT) {
    product_problem_t question = {
        .format = format, .count = terms->count, .factors = terms->left, .init = terms->init};
    status = product_answer(&question, contract, bits, arena, &answer, &error);
  } else {
    sum_problem_t question = {.format = format,
                              .count = terms->count,
                              .left = terms->left,
                              .right = row->kind == DOT ? terms->right : NULL,
                              .left_format = from,
                              .right_format = from,
                              .has_init = row->kind == SUM,
                              .init = terms->init};
    status = sum_answer(&question, contract, bits, arena, &answer, &error);
  }
  g_assert_cmpint(status, ==, STATUS_OK);
  return answer;
}

static void tell(const row_t *row, const terms_t *terms, const char *what, double value,
                 const answer_t *answer) {
  GString *text = g_string_new(NULL);
  for (size_t i = 0; i < terms->count; i++) {
    g_string_append_printf(text, " %a", terms->left[i]);
    if (row->kind == DOT) g_string_append_printf(text, " x %a", terms->right[i]);
  }
  g_test_message("%s, %s: %a from%s, init %a: %s; expected %s, observed \"%s\"", row->contract,
                 row->format, value, text->str, terms->init, what, answer->expected,
                 answer->observed);
  g_string_free(text, TRUE);
}

static reach_t reach_make(const row_t *row, const contract_t *contract, const terms_t *terms) {
  const format_t *format = format_named(row->format);
  reach_t reach = {
      .format = format,
      .contract = *contract,
      .multiplies = row->kind == PRODUCT,
      .adds_products = row->kind == DOT,
      .count = terms->count,
      .factor_format = row->factor_format == NULL ? format : format_named(row->factor_format),
      .init = reach_from_double(terms->init),
      .extra_bits = row->extra_bits,
      .wide_exponents = row->wide_exponents,
  };
  for (size_t i = 0; i < terms->count; i++) {
    reach.left[i] = reach_from_double(terms->left[i]);
    reach.right[i] = reach_from_double(terms->right[i]);
  }
  bool once = PERMITTED(contract, init_count) == INIT_COUNT_ONE && row->kind != DOT;
  reach.init_min = once || terms->count == 0 ? 1 : 0;
  reach.init_max = once || row->kind == DOT ? 1 : (terms->count == 4 ? 2 : REACH_INITS_MAX);
  return reach;
}

static uint64_t bits_of(const format_t *format, reach_number_t number) {
  return format_from_double(format, reach_to_double(number));
}

/* By number of initial values, which patterns can be reached. */
typedef struct outcome {
  reach_set_t results[REACH_INITS_MAX + 1];
} outcome_t;

static bool same_result(const format_t *format, uint64_t a, uint64_t b) {
  return a == b || (format_is_nan(format, a) && format_is_nan(format, b));
}

static bool is_reached(const reach_t *reach, const outcome_t *outcome, int inits, uint64_t bits) {
  const GArray *numbers = outcome->results[inits].numbers;
  for (guint i = 0; i < numbers->len; i++) {
    uint64_t reached = bits_of(reach->format, g_array_index(numbers, reach_number_t, i));
    if (same_result(reach->format, reached, bits)) return true;
  }
  return false;
}

static void check_reached(const row_t *row, const reach_t *reach, const terms_t *terms,
                          const outcome_t *outcome, arena_t *arena, counts_t *counts) {
  for (int inits = reach->init_min; inits <= reach->init_max; inits++) {
    const GArray *numbers = outcome->results[inits].numbers;
    for (guint i = 0; i < numbers->len; i++) {
      uint64_t bits = bits_of(reach->format, g_array_index(numbers, reach_number_t, i));
      answer_t answer = decide(row, &reach->contract, terms, bits, arena);
      counts->reached++;
      if (answer.conforms) continue;
      if (counts->refused++ >= FAILURES_PRINTED) continue;
      tell(row, terms, "false alarm", format_to_double(reach->format, bits), &answer);
    }
  }
}

/* How often the initial value entered, as the answer tells it; -1: more often than was tried. */
static int observed_inits(const answer_t *answer) {
  int count = 1;
  if (sscanf(answer->observed, "init_count=%d", &count) == 1 && count > REACH_INITS_MAX) return -1;
  return count;
}

/* Nothing but what is reached conforms; a neutral initial value may enter unseen. */
static void check_unreached(const row_t *row, const reach_t *reach, const terms_t *terms,
                            const outcome_t *outcome, arena_t *arena, counts_t *counts) {
  uint64_t patterns = UINT64_C(1) << MIN(reach->format->bits, 8);
  for (uint64_t bits = 0; bits < patterns; bits++) {
    answer_t answer = decide(row, &reach->contract, terms, bits, arena);
    counts->judged++;
    if (!answer.conforms) continue;
    int inits = observed_inits(&answer);
    if (inits < 0 || inits > reach->init_max) continue;
    bool found = false;
    bool any = terms->init == (row->kind == PRODUCT ? 1 : 0);
    for (int i = reach->init_min; i <= reach->init_max; i++) {
      if (any || i == inits) found |= is_reached(reach, outcome, i, bits);
    }
    if (found) continue;
    if (counts->loose++ >= FAILURES_PRINTED) continue;
    tell(row, terms, "cannot be reached", format_to_double(reach->format, bits), &answer);
  }
}

static void check_case(const row_t *row, const contract_t *contract, const terms_t *terms,
                       arena_t *arena, counts_t *counts) {
  reach_t reach = reach_make(row, contract, terms);
  reach_run(&reach);
  outcome_t outcome = {0};
  for (int i = reach.init_min; i <= reach.init_max; i++) {
    outcome.results[i] = reach_results(&reach, i);
  }
  counts->cases++;
  check_reached(row, &reach, terms, &outcome, arena, counts);
  if (row->is_exact) check_unreached(row, &reach, terms, &outcome, arena, counts);
  for (int i = reach.init_min; i <= reach.init_max; i++) g_array_unref(outcome.results[i].numbers);
  reach_deinit(&reach);
}

/* For a longer search by hand. */
static int repetitions(void) {
  const char *times = g_getenv("ASSAY_REACHABLE_TIMES");
  return times == NULL ? 1 : (int)g_ascii_strtoll(times, NULL, 10);
}

static void test_row(gconstpointer data) {
  const row_t *row = (const row_t *)data;
  contract_t contract = contract_from(row->contract);
  rng_t rng = rng_make(20);
  counts_t counts = {0};
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < row->samples * repetitions(); i++) {
    terms_t terms = draw_terms(&rng, row);
    check_case(row, &contract, &terms, &arena, &counts);
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  g_test_message("%" PRIu64 " cases, %" PRIu64 " results reached, %" PRIu64 " refused; %" PRIu64
                 " judged, %" PRIu64 " not reachable",
                 counts.cases, counts.reached, counts.refused, counts.judged, counts.loose);
  g_assert_cmpuint(counts.reached, >, counts.cases);
  g_assert_cmpuint(counts.refused, ==, 0);
  g_assert_cmpuint(counts.loose, ==, 0);
}

/* ---- Many initial values --------------------------------------------------------------------- */

static const row_t crowded_rows[] = {
    {"backend", SUM, "f8E4M3FN", NULL, 300, 3, false, false},
    {"backend", SUM, "f8E5M2", NULL, 300, 0, true, false},
    {"spec,order=any", SUM, "f6E3M2FN", NULL, 300, 0, false, false},
    {"backend", SUM, "bf16", NULL, 300, 11, false, false},
    {"backend,ftz=both", SUM, "f16", NULL, 300, 11, false, false},
    {"backend,accum_rounding=rz", SUM, "f8E4M3FNUZ", NULL, 300, 3, false, false},
};

/* Adds two random ones of the numbers until one is left, each sum rounded as permitted. */
static reach_number_t fold_randomly(const reach_t *reach, GArray *numbers, rng_t *rng) {
  while (numbers->len > 1) {
    guint i = (guint)rng_below(rng, numbers->len), last = numbers->len - 1;
    reach_number_t left = g_array_index(numbers, reach_number_t, i);
    g_array_index(numbers, reach_number_t, i) = g_array_index(numbers, reach_number_t, last);
    guint j = (guint)rng_below(rng, rng_one_in(rng, 2) ? 1 : last); /* Often the same one. */
    reach_number_t right = g_array_index(numbers, reach_number_t, j);
    g_array_set_size(numbers, last);
    reach_set_t results = reach_set_make();
    reach_add_rounded(reach, &results, reach_exact_sum(left, right));
    guint chosen = (guint)rng_below(rng, results.numbers->len);
    g_array_index(numbers, reach_number_t, j) =
        g_array_index(results.numbers, reach_number_t, chosen);
    g_array_unref(results.numbers);
  }
  return reach_to_format(reach->format, g_array_index(numbers, reach_number_t, 0), false);
}

static bool check_crowd(const row_t *row, const contract_t *contract, rng_t *rng, arena_t *arena) {
  const format_t *format = format_named(row->format);
  terms_t terms = draw_terms(rng, row);
  terms.init = held(format, draw_number(rng, format, draw_window(rng, format, row)));
  if (format->bits > 8) terms.init = terms.count == 0 ? 1 : held(format, terms.left[0] / 3);
  reach_t reach = reach_make(row, contract, &terms);
  uint64_t init_count = 1 + rng_below(rng, rng_one_in(rng, 4) ? 3000 : 40);
  GArray *numbers = g_array_new(FALSE, FALSE, sizeof(reach_number_t));
  for (size_t i = 0; i < terms.count; i++) g_array_append_val(numbers, reach.left[i]);
  for (uint64_t i = 0; i < init_count; i++) g_array_append_val(numbers, reach.init);
  uint64_t bits = bits_of(format, fold_randomly(&reach, numbers, rng));
  g_array_unref(numbers);
  answer_t answer = decide(row, contract, &terms, bits, arena);
  if (answer.conforms) return true;
  g_test_message("%" PRIu64 " initial values:", init_count);
  tell(row, &terms, "false alarm", format_to_double(format, bits), &answer);
  return false;
}

static void test_crowd(gconstpointer data) {
  const row_t *row = (const row_t *)data;
  contract_t contract = contract_from(row->contract);
  rng_t rng = rng_make(21);
  arena_t arena;
  arena_init(&arena);
  int failures = 0;
  for (int i = 0; i < row->samples * repetitions(); i++) {
    failures += check_crowd(row, &contract, &rng, &arena) ? 0 : 1;
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  g_assert_cmpint(failures, ==, 0);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    static const char *const kinds[] = {"sum", "dot", "product"};
    char *path = g_strdup_printf("/reachable/%02zu/%s/%s/%s", i, kinds[rows[i].kind],
                                 rows[i].format, rows[i].contract);
    g_test_add_data_func(path, &rows[i], test_row);
    g_free(path);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(crowded_rows); i++) {
    char *path = g_strdup_printf("/reachable/crowd/%s", crowded_rows[i].format);
    g_test_add_data_func(path, &crowded_rows[i], test_crowd);
    g_free(path);
  }
  return g_test_run();
}
