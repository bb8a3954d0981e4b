/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of few terms with any number of initial values in f16 and bf16, converted to other types or
 * not: what some tree gives conforms, and nothing else does.  Trees are tried here by adding what
 * is new to all that is known until nothing is new any more.  Initial values are so large that sums
 * overflow after some hundreds of them, or the contract permits few. */
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/rng.h"
#include "oracles/exact/closure/closed_sum.h"
#include "oracles/exact/sum/problem.h"

enum { TERMS_MAX = 3, MASKS = 1 << TERMS_MAX, PATTERNS = 1 << 16, FAILURES_PRINTED = 8 };

typedef struct brute {
  const format_t *format;
  bool is_in_order;
  uint32_t most;
  size_t count;
  double terms[TERMS_MAX];
  double init;
  uint32_t least[MASKS][PATTERNS]; /* Initial values, by the terms of a part and its sum. */
  GArray *reached[MASKS];          /* Of uint16_t: the patterns that have one. */
  GQueue *fresh;                   /* Parts and patterns whose number has fallen. */
} brute_t;

static uint16_t pattern_of(const format_t *format, double value) {
  return (uint16_t)format_from_double(format, isnan(value) ? (double)NAN : value);
}

static void reach(brute_t *brute, size_t part, double sum, uint32_t inits) {
  uint16_t pattern = pattern_of(brute->format, sum); /* Sums are exact before: close exponents. */
  uint32_t *least = &brute->least[part][pattern];
  if (inits > brute->most || inits >= *least) return;
  if (*least == UINT32_MAX) g_array_append_val(brute->reached[part], pattern);
  *least = inits;
  g_queue_push_tail(brute->fresh, GSIZE_TO_POINTER(part << 16 | pattern));
}

static bool is_contiguous(size_t part) { return (part & (part + (part & -part))) == 0; }

/* In order, only neighbours are added, of which either may come first here. */
static bool may_add(const brute_t *brute, size_t a, size_t b) {
  if ((a & b) != 0) return false;
  return !brute->is_in_order || is_contiguous(a | b);
}

static void add_to_all(brute_t *brute, size_t part, uint16_t pattern) {
  double value = format_to_double(brute->format, pattern);
  for (size_t other = 0; other < (size_t)1 << brute->count; other++) {
    if (!may_add(brute, part, other)) continue;
    for (guint i = 0; i < brute->reached[other]->len; i++) {
      uint16_t with = g_array_index(brute->reached[other], uint16_t, i);
      uint32_t inits = brute->least[part][pattern] + brute->least[other][with];
      reach(brute, part | other, value + format_to_double(brute->format, with), inits);
    }
  }
}

static void run_brute(brute_t *brute) {
  memset(brute->least, 0xff, sizeof brute->least);
  for (size_t i = 0; i < MASKS; i++) g_array_set_size(brute->reached[i], 0);
  reach(brute, 0, brute->init, 1);
  for (size_t i = 0; i < brute->count; i++) reach(brute, (size_t)1 << i, brute->terms[i], 0);
  while (!g_queue_is_empty(brute->fresh)) {
    size_t next = GPOINTER_TO_SIZE(g_queue_pop_head(brute->fresh));
    add_to_all(brute, next >> 16, (uint16_t)(next & UINT16_MAX));
  }
}

static brute_t *brute_make(void) {
  brute_t *brute = g_new0(brute_t, 1);
  for (size_t i = 0; i < MASKS; i++) brute->reached[i] = g_array_new(FALSE, FALSE, 2);
  brute->fresh = g_queue_new();
  return brute;
}

static void brute_free(brute_t *brute) {
  for (size_t i = 0; i < MASKS; i++) g_array_free(brute->reached[i], TRUE);
  g_queue_free(brute->fresh);
  g_free(brute);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Of few bits, or of all, some binades below `exponent`. */
static double draw_number(rng_t *rng, const format_t *format, int exponent, int binades) {
  uint64_t bits = rng_one_in(rng, 2) ? 2 : (uint64_t)format->precision - 1;
  double fraction = ldexp((double)rng_below(rng, UINT64_C(1) << bits), -(int)bits);
  double value = ldexp(1 + fraction, exponent - (int)rng_below(rng, (uint64_t)binades));
  return rng_one_in(rng, 2) ? -value : value;
}

/* The largest numbers, of which few hundred overflow; or numbers of one's size, and zero. */
static void draw_case(rng_t *rng, const format_t *format, bool few, brute_t *brute) {
  brute->format = format;
  brute->count = rng_below(rng, TERMS_MAX + 1);
  int top = few && rng_one_in(rng, 2) ? 2 : format->exponent_max;
  for (size_t i = 0; i < brute->count; i++) {
    brute->terms[i] = draw_number(rng, format, top, 10);
    if (rng_one_in(rng, 16)) brute->terms[i] = rng_one_in(rng, 2) ? 0.0 : -0.0;
    if (rng_one_in(rng, 32)) brute->terms[i] = rng_one_in(rng, 2) ? (double)INFINITY : (double)NAN;
  }
  if (brute->count > 1 && rng_one_in(rng, 3)) brute->terms[1] = -brute->terms[0];
  brute->init = draw_number(rng, format, top, 4);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

typedef struct row {
  const char *path;
  const char *contract;
  bool is_few;
  bool converts;
} row_t;

static const row_t rows[] = {
    {"/any-inits-half/in-order", "spec", false, false},
    {"/any-inits-half/any-order", "spec,order=any", false, false},
    {"/any-inits-half/few/in-order", "spec,init_count=few", true, false},
    {"/any-inits-half/few/any-order", "spec,order=any,init_count=few", true, false},
    {"/any-inits-half/zeros", "spec,init_count=few,zero_sign=any", true, false},
    {"/any-inits-half/converted/in-order", "spec", false, true},
    {"/any-inits-half/converted/any-order", "spec,order=any", false, true},
    {"/any-inits-half/converted/few", "spec,init_count=few", true, true},
};

typedef struct tally {
  size_t asked, reached, refused, loose;
} tally_t;

typedef struct asking {
  const brute_t *brute;
  const format_t *result;
  const contract_t *contract;
  arena_t *arena;
  tally_t *tally;
} asking_t;

static bool is_same(const asking_t *asking, uint64_t a, uint64_t b) {
  const format_t *result = asking->result;
  if (format_is_nan(result, a)) return format_is_nan(result, b);
  bool are_zeros = format_is_zero(result, a) && format_is_zero(result, b);
  bool any_zero = PERMITTED(asking->contract, zero_sign) == ZERO_SIGN_ANY;
  return a == b || (are_zeros && (any_zero || !format_has_negative_zero(result)));
}

static uint64_t converted(const asking_t *asking, uint16_t pattern) {
  return format_from_double(asking->result, format_to_double(asking->brute->format, pattern));
}

static bool is_reached(const asking_t *asking, uint64_t bits) {
  const GArray *all = asking->brute->reached[((size_t)1 << asking->brute->count) - 1];
  for (guint i = 0; i < all->len; i++) {
    if (is_same(asking, converted(asking, g_array_index(all, uint16_t, i)), bits)) return true;
  }
  return false;
}

static void tell(const asking_t *asking, const answer_t *answer, uint64_t bits) {
  const brute_t *brute = asking->brute;
  GString *text = g_string_new(NULL);
  for (size_t i = 0; i < brute->count; i++) g_string_append_printf(text, " %a", brute->terms[i]);
  g_test_message("%s%s, init %a, to %s, %a: %s (%s; %s)", brute->format->name, text->str,
                 brute->init, asking->result->name, format_to_double(asking->result, bits),
                 answer->conforms ? "conforms, and no tree gives it" : "a tree gives it",
                 answer->expected, answer->observed);
  g_string_free(text, TRUE);
}

static void ask(const asking_t *asking, uint64_t bits) {
  const brute_t *brute = asking->brute;
  tally_t *tally = asking->tally;
  const sum_problem_t question = {
      .format = brute->format,
      .count = brute->count,
      .left = brute->terms,
      .left_format = brute->format,
      .right_format = brute->format,
      .has_init = true,
      .init = brute->init,
      .result = asking->result == brute->format ? NULL : asking->result};
  answer_t answer;
  failure_t error;
  g_assert_cmpint(sum_answer(&question, asking->contract, bits, asking->arena, &answer, &error), ==,
                  STATUS_OK);
  arena_reset(asking->arena);
  bool expected = is_reached(asking, bits);
  tally->asked++;
  tally->reached += expected;
  tally->refused += expected && !answer.conforms;
  tally->loose += !expected && answer.conforms;
  if (answer.conforms != expected && tally->refused + tally->loose <= FAILURES_PRINTED) {
    tell(asking, &answer, bits);
  }
}

/* What is reached, its neighbours, and numbers between and beyond. */
static void ask_about_many(const asking_t *asking, rng_t *rng) {
  enum { SAMPLES = 12 };
  const format_t *result = asking->result;
  const GArray *all = asking->brute->reached[((size_t)1 << asking->brute->count) - 1];
  double others[] = {0.0, -0.0, INFINITY, -(double)INFINITY, NAN};
  for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
    ask(asking, format_from_double(result, others[i]));
  }
  for (int i = 0; i < SAMPLES && all->len > 0; i++) {
    guint place = (guint)rng_below(rng, rng_one_in(rng, 2) ? MIN(all->len, 16) : all->len);
    uint64_t bits = converted(asking, g_array_index(all, uint16_t, place));
    ask(asking, bits);
    if (!isfinite(format_to_double(result, bits))) continue;
    ask(asking, format_next_up(result, bits));
    ask(asking, format_from_double(result, 0.5 * format_to_double(result, bits)));
    ask(asking, format_from_double(result, draw_number(rng, asking->brute->format, 8, 12)));
  }
}

/* All numbers at once, of which nothing is left out. */
static void check_closure(const asking_t *asking) {
  const brute_t *brute = asking->brute;
  const closed_sum_t sum = {.format = brute->format,
                            .count = brute->count,
                            .terms = brute->terms,
                            .init = brute->init,
                            .contract = asking->contract};
  uint32_t *least = ARENA_NEW_ARRAY(asking->arena, uint32_t, PATTERNS);
  g_assert_true(closed_sum_make(&sum, NAN, SIZE_MAX, asking->arena, least));
  size_t part = ((size_t)1 << brute->count) - 1, differences = 0;
  for (size_t i = 0; i < PATTERNS; i++) differences += least[i] != brute->least[part][i];
  g_assert_cmpuint(differences, ==, 0);
  arena_reset(asking->arena);
}

static const format_t *draw_result(rng_t *rng, const format_t *format, bool converts) {
  static const int results[] = {FORMAT_f16,      FORMAT_bf16,   FORMAT_f32,
                                FORMAT_f8E4M3FN, FORMAT_f8E5M2, FORMAT_f8E4M3FNUZ};
  const format_t *result = format;
  while (converts && result == format) {
    result = &format_table[results[rng_below(rng, G_N_ELEMENTS(results))]];
  }
  return result;
}

static int repetitions(void) {
  const char *times = g_getenv("ASSAY_REACHABLE_TIMES");
  return times == NULL ? 20 : (int)g_ascii_strtoll(times, NULL, 10);
}

static void test_row(gconstpointer data) {
  static const int formats[] = {FORMAT_f16, FORMAT_bf16};
  const row_t *row = data;
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from(row->contract), &contract, NULL), ==, STATUS_OK);
  rng_t rng = rng_make(41);
  brute_t *brute = brute_make();
  tally_t tally = {0};
  arena_t arena;
  arena_init(&arena);
  brute->is_in_order = PERMITTED(&contract, order) == ORDER_IN_ORDER;
  for (int i = 0; i < repetitions(); i++) {
    draw_case(&rng, &format_table[formats[i % 2]], row->is_few, brute);
    brute->most = contract_init_count_max(&contract, brute->count);
    run_brute(brute);
    const asking_t asking = {.brute = brute,
                             .result = draw_result(&rng, brute->format, row->converts),
                             .contract = &contract,
                             .arena = &arena,
                             .tally = &tally};
    check_closure(&asking);
    ask_about_many(&asking, &rng);
  }
  arena_deinit(&arena);
  brute_free(brute);
  g_test_message("%zu asked, %zu reached, %zu of them refused; %zu accepted that are not",
                 tally.asked, tally.reached, tally.refused, tally.loose);
  g_assert_cmpuint(tally.refused, ==, 0);
  g_assert_cmpuint(tally.loose, ==, 0);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_test_add_data_func(rows[i].path, &rows[i], test_row);
  }
  return g_test_run();
}
