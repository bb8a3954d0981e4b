/* SPDX-License-Identifier: Apache-2.0 */
/* Compensated loops: what `compensated=yes` permits beside trees is what such a loop gives in some
 * order, of few terms found by running all of them here, and nothing else. */
#include <glib.h>
#include <math.h>

#include "harness/base/rng.h"
#include "oracles/exact/sum/problem.h"
#include "oracles/exact/tree_search/compensated.h"

/* By day fewer sums of a format with many results; tests/nightly/lengths has them all. */
enum { TERMS_MAX = 5, SAMPLES = 150, WIDE_SAMPLES_BY_DAY = 45 };

typedef struct row {
  const char *contract;
  const char *format;
  bool is_dot;
  bool has_more; /* Loops give results that no tree does. */
  bool is_wide;
} row_t;

static const row_t rows[] = {
    {"backend", "f6E2M3FN", false, true, false},
    {"spec,order=any", "f6E2M3FN", false, true, false},
    {"spec,order=any", "f6E3M2FN", true, true, false},
    {"spec,order=any,fma=yes", "f6E2M3FN", true, true, false},
    {"backend,init_count=1", "f8E4M3FN", false, true, false},
    {"spec,order=any", "f8E5M2", false, true, true},
    {"backend", "f8E4M3", true, false, false}, /* Wider nodes give them all. */
};

typedef struct terms {
  const row_t *row;
  const format_t *format;
  size_t count;
  double left[TERMS_MAX], right[TERMS_MAX];
  double init;
} terms_t;

/* ---- Brute force ----------------------------------------------------------------------------- */

/* One way to run loops. */
typedef struct loops {
  const terms_t *terms;
  const format_t *nodes;
  bool fuses;
  bool *is_given; /* By pattern of the format. */
} loops_t;

typedef struct state {
  double sum, lost;
  unsigned leaves;
} state_t;

/* Sums of two and products of two numbers of these formats are exact in binary64, or, where nodes
 * are f64, meant to be rounded by it. */
static double rounded(const loops_t *loops, double value) {
  return format_round_double(loops->nodes, value);
}

static void note(const loops_t *loops, double value) {
  const format_t *format = loops->terms->format;
  double root = format_round_double(format, value);
  bool is_negative_zero = root == 0 && signbit(root);
  if (isfinite(root) && !is_negative_zero) {
    loops->is_given[format_from_double(format, root)] = true;
  }
}

static state_t step(const loops_t *loops, state_t state, double term) {
  if (state.leaves == 0) return (state_t){rounded(loops, term), 0, 1};
  double corrected = rounded(loops, term - state.lost);
  double sum = rounded(loops, state.sum + corrected);
  double gained = rounded(loops, sum - state.sum);
  return (state_t){sum, rounded(loops, gained - corrected), state.leaves + 1};
}

static double term_at(const loops_t *loops, size_t i, bool is_first) {
  const terms_t *terms = loops->terms;
  if (!terms->row->is_dot) return terms->left[i];
  double product = terms->left[i] * terms->right[i];
  return loops->fuses && !is_first ? product : rounded(loops, product);
}

/* `taken` has a bit for each term, and one more for an initial value that is in the loop. */
static void run(const loops_t *loops, state_t state, unsigned taken, bool adds_init) {
  unsigned init_bit = 1U << loops->terms->count;
  bool is_end = (taken & init_bit) != 0;
  if (!is_end) run(loops, step(loops, state, loops->terms->init), taken | init_bit, false);
  for (size_t i = 0; i < loops->terms->count; i++) {
    if ((taken >> i & 1) != 0) continue;
    is_end = false;
    state_t next = step(loops, state, term_at(loops, i, state.leaves == 0));
    run(loops, next, taken | 1U << i, adds_init);
  }
  if (!is_end) return;
  const double roots[] = {state.sum, rounded(loops, state.sum - state.lost)};
  for (size_t i = 0; i < (state.leaves > 2 ? G_N_ELEMENTS(roots) : 1); i++) {
    note(loops, adds_init ? rounded(loops, roots[i] + loops->terms->init) : roots[i]);
  }
}

static void run_all(const terms_t *terms, const contract_t *contract, bool *out_given) {
  bool may_widen = PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES;
  const format_t *formats[] = {terms->format, &format_table[FORMAT_f32], &format_table[FORMAT_f64]};
  for (size_t i = 0; i < (may_widen ? G_N_ELEMENTS(formats) : 1); i++) {
    loops_t loops = {.terms = terms, .nodes = formats[i], .is_given = out_given};
    for (int fuses = 0; fuses <= (PERMITTED(contract, fma) == FMA_YES ? 1 : 0); fuses++) {
      loops.fuses = fuses == 1;
      bool has_init = !terms->row->is_dot && terms->init != 0;
      unsigned without_init = 1U << terms->count;
      run(&loops, (state_t){0}, without_init, has_init);
      if (has_init) run(&loops, (state_t){0}, 0, false);
    }
  }
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static bool conforms(const terms_t *terms, const contract_t *contract, uint64_t bits,
                     arena_t *arena) {
  const sum_problem_t question = {.format = terms->format,
                                  .count = terms->count,
                                  .left = terms->left,
                                  .right = terms->row->is_dot ? terms->right : NULL,
                                  .left_format = terms->format,
                                  .right_format = terms->format,
                                  .has_init = !terms->row->is_dot,
                                  .init = terms->init};
  answer_t answer;
  failure_t error;
  g_assert_cmpint(sum_answer(&question, contract, bits, arena, &answer, &error), ==, STATUS_OK);
  return answer.conforms;
}

static contract_t contract_of(const char *base, const char *compensated) {
  g_autofree char *text = g_strdup_printf("%s,compensated=%s", base, compensated);
  contract_t contract;
  failure_t error;
  g_assert_cmpint(contract_parse(str_from(text), &contract, &error), ==, STATUS_OK);
  return contract;
}

static terms_t draw_terms(const row_t *row, rng_t *rng) {
  terms_t terms = {.row = row, .format = format_find(str_from(row->format))};
  uint64_t patterns = UINT64_C(1) << terms.format->bits;
  terms.count = 2 + rng_below(rng, TERMS_MAX - 1);
  for (size_t i = 0; i < 2 * terms.count;) {
    double value = format_to_double(terms.format, rng_below(rng, patterns));
    if (!isfinite(value)) continue;
    *(i < terms.count ? &terms.left[i] : &terms.right[i - terms.count]) = value;
    i++;
  }
  bool has_init = !row->is_dot && rng_below(rng, 2) == 0;
  double init = format_to_double(terms.format, rng_below(rng, patterns));
  terms.init = has_init && isfinite(init) ? init : 0;
  return terms;
}

/* Whether it is told of a range that it holds, or does not hold, all that loops give. */
static void check_range(const terms_t *terms, const contract_t *contract, const bool is_given[]) {
  const few_terms_t few = {.format = terms->format,
                           .count = terms->count,
                           .left = terms->left,
                           .right = terms->row->is_dot ? terms->right : NULL,
                           .init = terms->init,
                           .init_count = terms->row->is_dot ? 0 : 1,
                           .may_fuse = PERMITTED(contract, fma) == FMA_YES,
                           .may_widen = PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES};
  if (few.count + few.init_count < 3) return; /* No loop is looked for. */
  value_range_t range = {.low = INFINITY, .high = -INFINITY, .positive_zero = is_given[0]};
  for (uint64_t bits = 0; bits < UINT64_C(1) << terms->format->bits; bits++) {
    if (!is_given[bits]) continue;
    range.low = fmin(range.low, format_to_double(terms->format, bits));
    range.high = fmax(range.high, format_to_double(terms->format, bits));
  }
  g_assert_true(compensated_loops_stay(&few, 1, &range));
  if (range.low > range.high) return;
  value_range_t less = range;
  less.high -= 0x1p-30;
  bool is_zero = range.high == 0;
  less.positive_zero &= !is_zero;
  g_assert_false(compensated_loops_stay(&few, 1, &less));
}

/* Returns how many patterns loops alone give. */
static unsigned check_terms(const terms_t *terms, arena_t *arena) {
  const contract_t trees = contract_of(terms->row->contract, "no");
  const contract_t loops = contract_of(terms->row->contract, "yes");
  bool is_given[256] = {false};
  run_all(terms, &loops, is_given);
  check_range(terms, &loops, is_given);
  unsigned added = 0;
  for (uint64_t bits = 0; bits < UINT64_C(1) << terms->format->bits; bits++) {
    bool by_tree = conforms(terms, &trees, bits, arena);
    bool by_any = conforms(terms, &loops, bits, arena);
    if (by_any != (by_tree || is_given[bits])) {
      for (size_t i = 0; i < terms->count; i++) {
        g_test_message("%a x %a", terms->left[i], terms->right[i]);
      }
      g_error("%s, init %a: %a: trees %d, loops %d, both %d", terms->format->name, terms->init,
              format_to_double(terms->format, bits), by_tree, is_given[bits], by_any);
    }
    added += by_any && !by_tree;
    arena_reset(arena);
  }
  return added;
}

static void test_row(gconstpointer data) {
  const row_t *row = (const row_t *)data;
  rng_t rng = rng_make(7);
  arena_t arena;
  arena_init(&arena);
  unsigned added = 0;
  const bool is_night = g_getenv("ASSAY_NIGHT_LENGTHS") != NULL;
  const int samples = row->is_wide && !is_night ? WIDE_SAMPLES_BY_DAY : SAMPLES;
  for (int i = 0; i < samples; i++) {
    const terms_t terms = draw_terms(row, &rng);
    added += check_terms(&terms, &arena);
  }
  arena_deinit(&arena);
  g_test_message("%u patterns of %d sums are given by loops alone", added, samples);
  g_assert_true((added > 0) == row->has_more);
}

/* A sum of f32 that no tree gives: what is said of it, and that its neighbour stays wrong. */
static void test_by_hand(void) {
  static const double terms[] = {-0x1.89eb8cp-4, 0x1.d76d0ap-2, -0x1.e8b278p-4};
  const format_t *f32 = &format_table[FORMAT_f32];
  g_autoptr(GString) why = g_string_new(NULL);
  arena_t arena;
  arena_init(&arena);
  const sum_problem_t question = {
      .format = f32, .count = 3, .left = terms, .left_format = f32, .has_init = true, .why = why};
  const contract_t backend = contract_of("backend", "yes"), trees = contract_of("backend", "no");
  failure_t error;
  answer_t answer;
  uint64_t bits = format_from_double(f32, 0x1.f58b1p-3);
  g_assert_cmpint(sum_answer(&question, &trees, bits, &arena, &answer, &error), ==, STATUS_OK);
  g_assert_false(answer.conforms);
  g_assert_cmpint(sum_answer(&question, &backend, bits, &arena, &answer, &error), ==, STATUS_OK);
  g_assert_true(answer.conforms);
  g_assert_cmpstr(answer.observed, ==, "compensated=yes");
  g_assert_cmpstr(why->str, ==,
                  "compensated (x0, x1, x2) in f32, where x0 = -0x1.89eb8cp-4, x1 = "
                  "0x1.d76d0ap-2, x2 = -0x1.e8b278p-4");
  bits = format_from_double(f32, 0x1.f58b0ep-3);
  g_assert_cmpint(sum_answer(&question, &backend, bits, &arena, &answer, &error), ==, STATUS_OK);
  g_assert_false(answer.conforms);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *path = g_strdup_printf("/compensated/%zu/%s", i, rows[i].format);
    g_test_add_data_func(path, &rows[i], test_row);
  }
  g_test_add_func("/compensated/by_hand", test_by_hand);
  return g_test_run();
}
