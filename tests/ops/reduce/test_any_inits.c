/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of few terms with any number of initial values, in all formats of at most 8 bits, pattern by
 * pattern: what some tree gives conforms, and nothing else does.  Trees are tried here by repeating
 * all additions until nothing changes any more. */
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/rng.h"
#include "oracles/exact/sum/problem.h"

enum { TERMS_MAX = 4, MASKS = 1 << TERMS_MAX, PATTERNS = 256, FAILURES_PRINTED = 8 };

static const int formats[] = {
    FORMAT_f4E2M1FN,      FORMAT_f6E2M3FN, FORMAT_f6E3M2FN,   FORMAT_f8E3M4, FORMAT_f8E4M3,
    FORMAT_f8E4M3B11FNUZ, FORMAT_f8E4M3FN, FORMAT_f8E4M3FNUZ, FORMAT_f8E5M2, FORMAT_f8E5M2FNUZ};

typedef struct brute {
  const format_t *format;
  bool is_in_order;
  uint32_t most;
  size_t count;
  uint8_t terms[TERMS_MAX];
  uint8_t init;
  uint8_t sums[PATTERNS][PATTERNS];
  uint32_t least[MASKS][PATTERNS]; /* Initial values, by the terms of a part and its sum. */
} brute_t;

static uint8_t pattern_of(const format_t *format, double value) {
  return (uint8_t)format_from_double(format, isnan(value) ? (double)NAN : value);
}

static void make_sums(brute_t *brute) {
  const format_t *format = brute->format;
  size_t patterns = (size_t)1 << format->bits;
  for (size_t a = 0; a < patterns; a++) {
    for (size_t b = 0; b < patterns; b++) {
      double sum = format_to_double(format, a) + format_to_double(format, b);
      brute->sums[a][b] = pattern_of(format, sum); /* Exact before: few bits. */
    }
  }
}

/* The patterns of a part that have been reached. */
static size_t list_reached(const brute_t *brute, size_t part, uint8_t out[PATTERNS]) {
  size_t count = 0;
  for (size_t i = 0; i < (size_t)1 << brute->format->bits; i++) {
    if (brute->least[part][i] <= brute->most) out[count++] = (uint8_t)i;
  }
  return count;
}

/* Takes in the sums of two parts that make up a third one; whether that changed it. */
static bool add_parts(brute_t *brute, size_t a, size_t b) {
  uint8_t xs[PATTERNS], ys[PATTERNS];
  size_t x_count = list_reached(brute, a, xs), y_count = list_reached(brute, b, ys);
  bool changed = false;
  for (size_t i = 0; i < x_count * y_count; i++) {
    uint8_t x = xs[i / y_count], y = ys[i % y_count];
    uint32_t inits = brute->least[a][x] + brute->least[b][y];
    uint32_t *least = &brute->least[a | b][brute->sums[x][y]];
    if (inits > brute->most || inits >= *least) continue;
    *least = inits;
    changed = true;
  }
  return changed;
}

/* In order, only parts of neighbours, of which the first comes first, are added. */
static bool may_add(const brute_t *brute, size_t a, size_t b) {
  if ((a & b) != 0 || (!brute->is_in_order && a > b)) return false;
  if (!brute->is_in_order || a == 0 || b == 0) return true;
  size_t after_a = a + (a & -a);
  return (a & after_a) == 0 && (b & (b + (b & -b))) == 0 && (b & -b) == after_a;
}

static void run_brute(brute_t *brute) {
  memset(brute->least, 0xff, sizeof brute->least);
  brute->least[0][brute->init] = 1;
  for (size_t i = 0; i < brute->count; i++) brute->least[(size_t)1 << i][brute->terms[i]] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t a = 0; a < (size_t)1 << brute->count; a++) {
      for (size_t b = 0; b < (size_t)1 << brute->count; b++) {
        if (may_add(brute, a, b)) changed |= add_parts(brute, a, b);
      }
    }
  }
}

static uint8_t draw_pattern(rng_t *rng, const format_t *format) {
  for (;;) {
    uint8_t bits = (uint8_t)rng_below(rng, UINT64_C(1) << format->bits);
    if (isfinite(format_to_double(format, bits)) || rng_one_in(rng, 8))
      return pattern_of(format, format_to_double(format, bits));
  }
}

static void draw_case(rng_t *rng, brute_t *brute) {
  const format_t *format = brute->format;
  brute->count = rng_below(rng, TERMS_MAX + 1);
  for (size_t i = 0; i < brute->count; i++) brute->terms[i] = draw_pattern(rng, format);
  bool cancels = brute->count > 1 && rng_one_in(rng, 3);
  if (cancels) brute->terms[1] = pattern_of(format, -format_to_double(format, brute->terms[0]));
  do {
    brute->init = draw_pattern(rng, format);
  } while (format_to_double(format, brute->init) == 0);
}

/* The least number of initial values with which the sum becomes the pattern. */
static uint32_t needed(const brute_t *brute, const format_t *result, uint64_t bits) {
  const uint32_t *least = brute->least[((size_t)1 << brute->count) - 1];
  uint32_t found = UINT32_MAX;
  for (size_t source = 0; source < (size_t)1 << brute->format->bits; source++) {
    uint64_t converted = pattern_of(result, format_to_double(brute->format, (uint64_t)source));
    bool is_same =
        converted == bits || (format_is_nan(result, converted) && format_is_nan(result, bits));
    if (is_same) found = MIN(found, least[source]);
  }
  return found;
}

typedef struct tally {
  size_t asked, reached, refused, loose, miscounted;
} tally_t;

static void tell(const brute_t *brute, const format_t *result, const answer_t *answer,
                 uint64_t bits, uint32_t inits) {
  GString *text = g_string_new(NULL);
  for (size_t i = 0; i < brute->count; i++) {
    g_string_append_printf(text, " %g", format_to_double(brute->format, brute->terms[i]));
  }
  g_test_message("%s%s, init %g, to %s, 0x%02x: %s (%s; %s), by trees %s %u", brute->format->name,
                 text->str, format_to_double(brute->format, brute->init), result->name,
                 (unsigned)bits, answer->conforms ? "conforms" : "does not", answer->expected,
                 answer->observed, inits <= brute->most ? "with" : "never", inits);
  g_string_free(text, TRUE);
}

/* The number that is told need not be the least: 1 and 0 are preferred. */
static bool is_miscounted(const answer_t *answer, uint32_t inits) {
  unsigned told = 1;
  bool is_told = sscanf(answer->observed, "init_count=%u", &told) == 1;
  return is_told && told > 4 && told != inits;
}

static void check_case(const brute_t *brute, const format_t *result, const contract_t *contract,
                       arena_t *arena, tally_t *tally) {
  double terms[TERMS_MAX];
  for (size_t i = 0; i < brute->count; i++) {
    terms[i] = format_to_double(brute->format, brute->terms[i]);
  }
  const sum_problem_t question = {.format = brute->format,
                                  .count = brute->count,
                                  .left = terms,
                                  .left_format = brute->format,
                                  .right_format = brute->format,
                                  .has_init = true,
                                  .init = format_to_double(brute->format, brute->init),
                                  .result = result == brute->format ? NULL : result};
  for (uint64_t bits = 0; bits < UINT64_C(1) << result->bits; bits++) {
    answer_t answer;
    failure_t error;
    g_assert_cmpint(sum_answer(&question, contract, bits, arena, &answer, &error), ==, STATUS_OK);
    arena_reset(arena);
    uint32_t inits = needed(brute, result, bits);
    bool is_reached = inits <= brute->most;
    tally->asked++;
    tally->reached += is_reached;
    tally->refused += is_reached && !answer.conforms;
    tally->loose += !is_reached && answer.conforms;
    bool is_wrong = answer.conforms != is_reached;
    if (!is_wrong && is_reached && result == brute->format && is_miscounted(&answer, inits)) {
      tally->miscounted++;
      is_wrong = true;
    }
    if (is_wrong && tally->refused + tally->loose + tally->miscounted <= FAILURES_PRINTED) {
      tell(brute, result, &answer, bits, inits);
    }
  }
}

typedef struct row {
  const char *path;
  const char *contract;
  bool converts;
} row_t;

static const row_t rows[] = {
    {"/any-inits/in-order", "spec", false},
    {"/any-inits/any-order", "spec,order=any", false},
    {"/any-inits/few/in-order", "spec,init_count=few", false},
    {"/any-inits/few/any-order", "spec,order=any,init_count=few", false},
    {"/any-inits/converted/in-order", "spec", true},
    {"/any-inits/converted/any-order", "spec,order=any", true},
    {"/any-inits/converted/few", "spec,init_count=few", true},
};

/* What a NaN becomes in a type that has none is open. */
static const format_t *draw_result(rng_t *rng, const format_t *format, bool converts) {
  const format_t *result = format;
  while (converts && (result == format || !format_has_nan(result))) {
    result = &format_table[formats[rng_below(rng, G_N_ELEMENTS(formats))]];
  }
  return result;
}

/* For a longer search by hand. */
static int repetitions(void) {
  const char *times = g_getenv("ASSAY_REACHABLE_TIMES");
  return times == NULL ? 1 : (int)g_ascii_strtoll(times, NULL, 10);
}

static void test_row(gconstpointer data) {
  const row_t *row = data;
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from(row->contract), &contract, NULL), ==, STATUS_OK);
  rng_t rng = rng_make(40);
  brute_t *brute = g_new0(brute_t, 1);
  tally_t tally = {0};
  arena_t arena;
  arena_init(&arena);
  for (size_t f = 0; f < G_N_ELEMENTS(formats); f++) {
    brute->format = &format_table[formats[f]];
    brute->is_in_order = PERMITTED(&contract, order) == ORDER_IN_ORDER;
    make_sums(brute);
    for (int i = 0; i < repetitions(); i++) {
      draw_case(&rng, brute);
      brute->most = contract_init_count_max(&contract, brute->count);
      run_brute(brute);
      const format_t *result = draw_result(&rng, brute->format, row->converts);
      check_case(brute, result, &contract, &arena, &tally);
    }
  }
  arena_deinit(&arena);
  g_free(brute);
  g_test_message(
      "%zu asked, %zu reached, %zu of them refused; %zu accepted that are not, %zu "
      "miscounted",
      tally.asked, tally.reached, tally.refused, tally.loose, tally.miscounted);
  g_assert_cmpuint(tally.refused, ==, 0);
  g_assert_cmpuint(tally.loose, ==, 0);
  g_assert_cmpuint(tally.miscounted, ==, 0);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_test_add_data_func(rows[i].path, &rows[i], test_row);
  }
  return g_test_run();
}
