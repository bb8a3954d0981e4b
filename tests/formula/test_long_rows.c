/* SPDX-License-Identifier: Apache-2.0 */
/* Long rows that are updated from number to number, or merged from parts: whatever the tree and the
 * data, moments and online sums lie within what theory.md, T76 to T78, encloses; and some
 * arrangement of some data errs by a tenth of that at least. */
#include <glib.h>
#include <math.h>
#include <stdlib.h>

#include "oracles/formula/enclosed_set.h"
#include "oracles/formula/model.h"
#include "tests/formula/common_factor.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

typedef void fill_t(double *row, size_t count, rng_t *rng);

static void fill_normal(double *row, size_t count, rng_t *rng) {
  for (size_t i = 0; i < count; i++) row[i] = draw_normal(rng);
}

static void fill_shifted(double *row, size_t count, rng_t *rng) {
  for (size_t i = 0; i < count; i++) row[i] = 1e4 + draw_normal(rng);
}

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void fill_ascending(double *row, size_t count, rng_t *rng) {
  fill_normal(row, count, rng);
  qsort(row, count, sizeof *row, compare_numbers);
}

static void fill_descending(double *row, size_t count, rng_t *rng) {
  fill_ascending(row, count, rng);
  for (size_t i = 0; i < count; i++) row[i] = -row[i];
}

static void fill_alternating(double *row, size_t count, rng_t *rng) {
  double size = 1 + (double)rng_below(rng, 1 << 20) * 0x1p-20;
  for (size_t i = 0; i < count; i++) row[i] = i % 2 == 0 ? size : -size;
}

static void fill_constant(double *row, size_t count, rng_t *rng) {
  double value = draw_normal(rng);
  for (size_t i = 0; i < count; i++) row[i] = value;
}

static void fill_tiny(double *row, size_t count, rng_t *rng) {
  for (size_t i = 0; i < count; i++) row[i] = draw_normal(rng) * 0x1p-140;
}

static void fill_small(double *row, size_t count, rng_t *rng) {
  for (size_t i = 0; i < count; i++) row[i] = draw_normal(rng) * 0x1p-70;
}

static void fill_huge(double *row, size_t count, rng_t *rng) {
  for (size_t i = 0; i < count; i++) row[i] = draw_normal(rng) * 0x1p+50;
}

/* Deviations grow evenly, with both signs: what parts with one number each err by most. */
static void fill_growing(double *row, size_t count, rng_t *rng) {
  for (size_t i = 0; i < count; i++) row[i] = (double)i * (rng_below(rng, 2) == 0 ? 1 : -1);
}

/* A running mean of 1 does not see them: each would move it by less than it rounds by. */
static void fill_unseen(double *row, size_t count, rng_t *rng) {
  (void)rng;
  for (size_t i = 0; i < count; i++) row[i] = 1 + 0x1p-23 * floor(0.49 * (double)(i + 1));
}

/* Nor does a sum of squares that begins with two far numbers see the others. */
static void fill_unseen_squares(double *row, size_t count, rng_t *rng) {
  (void)rng;
  double near = sqrt(0.49 * 0x1p-23 * 3) * 4;
  for (size_t i = 0; i < count; i++) {
    double size = i < 2 ? 4 * sqrt(1.5) : near;
    row[i] = i % 2 == 0 ? size : -size;
  }
}

/* Nor a sum of exponentials that begins with 1. */
static void fill_unseen_exponentials(double *row, size_t count, rng_t *rng) {
  (void)rng;
  for (size_t i = 0; i < count; i++) row[i] = i == 0 ? 0 : log(0.97 * 0x1p-24);
}

typedef struct kind {
  const char *name;
  fill_t *fill;
} kind_t;

static const kind_t kinds[] = {
    {"normal", fill_normal},
    {"shifted", fill_shifted},
    {"ascending", fill_ascending},
    {"descending", fill_descending},
    {"alternating", fill_alternating},
    {"constant", fill_constant},
    {"tiny", fill_tiny},
    {"small", fill_small},
    {"huge", fill_huge},
    {"growing", fill_growing},
    {"unseen", fill_unseen},
    {"unseen squares", fill_unseen_squares},
    {"unseen exponentials", fill_unseen_exponentials},
};

/* ---- One row --------------------------------------------------------------------------------- */

typedef struct setting {
  const format_t *format;
  contract_t contract;
  implementation_model_t model;
  arena_t *arena;
} setting_t;

static formula_t make_formula(const setting_t *setting, const evaluator_t *evaluator,
                              const enclosing_t *settings) {
  return (formula_t){.evaluator = evaluator,
                     .settings = settings,
                     .format = setting->format,
                     .contract = &setting->contract,
                     .schedule = &setting->model,
                     .arena = setting->arena};
}

/* What a model finds of a row, and what may be found. */
typedef struct outcome {
  double found;
  const enclosed_t *set;
  double exact;
} outcome_t;

enum { MEAN, SQUARES, EXPONENTIALS, OUTCOMES };

static void run_steps(formula_t *formula, row_t x, row_t out[OUTCOMES]) {
  formula_running_moments(formula, x, &out[MEAN], &out[SQUARES]);
  out[EXPONENTIALS] = formula_online_sum(formula, x);
}

static void run_row(const setting_t *setting, const uint64_t *bits, size_t count,
                    outcome_t outcomes[OUTCOMES]) {
  const enclosing_t permitted = {.is_exact = false}, exactly = {.is_exact = true};
  row_t rows[3][OUTCOMES];
  formula_t model = make_formula(setting, &model_evaluator, NULL);
  run_steps(&model, model_load(&model, setting->format, bits, count), rows[0]);
  formula_t enclosing = make_formula(setting, &enclosed_evaluator, &permitted);
  run_steps(&enclosing, enclosed_load(&enclosing, setting->format, bits, count), rows[1]);
  formula_t exact = make_formula(setting, &enclosed_evaluator, &exactly);
  run_steps(&exact, enclosed_load(&exact, setting->format, bits, count), rows[2]);
  for (size_t i = 0; i < OUTCOMES; i++) {
    outcomes[i] = (outcome_t){.found = rows[0][i].values[0],
                              .set = rows[1][i].enclosed,
                              .exact = mpfr_get_d(rows[2][i].enclosed->low, MPFR_RNDN)};
  }
}

static bool holds(const enclosed_t *set, double value) {
  if (value != value) return (set->specials & ENCLOSED_NAN) != 0;
  if (isinf(value)) {
    return (set->specials &
            (value > 0 ? ENCLOSED_POSITIVE_INFINITY : ENCLOSED_NEGATIVE_INFINITY)) != 0;
  }
  return set->has_finite && mpfr_cmp_d(set->low, value) <= 0 && mpfr_cmp_d(set->high, value) >= 0;
}

static uint64_t *draw_bits(const setting_t *setting, fill_t *fill, size_t count, rng_t *rng) {
  double *row = ARENA_NEW_ARRAY(setting->arena, double, count);
  uint64_t *bits = ARENA_NEW_ARRAY(setting->arena, uint64_t, count);
  fill(row, count, rng);
  for (size_t i = 0; i < count; i++) bits[i] = format_from_double(setting->format, row[i]);
  return bits;
}

/* ---- Silence --------------------------------------------------------------------------------- */

static const sum_order_t eight_numbers = {.kind = SUM_SEQUENTIAL};

static const sum_order_t orders[] = {
    {.kind = SUM_SEQUENTIAL},
    {.kind = SUM_HALVES},
    {.kind = SUM_LANES, .width = 8, .inner = &eight_numbers},
    {.kind = SUM_LANES, .width = 32, .inner = &eight_numbers},
    {.kind = SUM_BLOCKS, .width = 4},
    {.kind = SUM_BLOCKS, .width = 128},
    {.kind = SUM_RANDOM},
};

static contract_t contract_of(const char *words) {
  contract_t contract;
  failure_t error = {0};
  g_assert_cmpint(contract_parse(str_from(words), &contract, &error), ==, STATUS_OK);
  return contract;
}

static void check_row(const setting_t *setting, const kind_t *kind, size_t count, rng_t *rng) {
  static const char *const names[OUTCOMES] = {"mean", "sum of squares", "sum of exponentials"};
  outcome_t outcomes[OUTCOMES];
  run_row(setting, draw_bits(setting, kind->fill, count, rng), count, outcomes);
  for (size_t i = 0; i < OUTCOMES; i++) {
    if (holds(outcomes[i].set, outcomes[i].found)) continue;
    g_test_message(
        "%s, %zu numbers, %s, order %d, width %u, other way %d: %s is %a, not in %a .. %a",
        kind->name, count, setting->format->name, (int)setting->model.order.kind,
        setting->model.order.width, setting->model.other_way, names[i], outcomes[i].found,
        mpfr_get_d(outcomes[i].set->low, MPFR_RNDD), mpfr_get_d(outcomes[i].set->high, MPFR_RNDU));
    g_test_fail();
  }
}

/* Every tree on every kind of data. */
static void check_rows(const char *words, const format_t *format, size_t count, uint64_t seed) {
  const contract_t contract = contract_of(words);
  rng_t rng = rng_make(seed);
  for (size_t i = 0; i < G_N_ELEMENTS(orders) * G_N_ELEMENTS(kinds); i++) {
    arena_t arena;
    arena_init(&arena);
    uint64_t drawn = rng_bits(&rng);
    const setting_t setting = {
        .format = format,
        .contract = contract,
        .arena = &arena,
        .model = {.order = orders[i % G_N_ELEMENTS(orders)],
                  .seed = drawn,
                  .fused = (drawn & 1) != 0 && PERMITTED(&contract, fma) == FMA_YES,
                  .other_way = (drawn & 2) != 0}};
    check_row(&setting, &kinds[i / G_N_ELEMENTS(orders)], count, &rng);
    arena_deinit(&arena);
  }
}

static const int formats[] = {FORMAT_f32, FORMAT_f64, FORMAT_f16, FORMAT_bf16};

static void check_formats(size_t count, size_t format_count, uint64_t seed) {
  for (size_t f = 0; f < format_count; f++) {
    check_rows("backend", &format_table[formats[f]], count, seed * 10 + f);
    check_rows("spec,order=any", &format_table[formats[f]], count, seed * 10 + f + 5);
  }
}

/* More rounds, and longer rows, if the environment asks for them: tests/nightly/rows does. */
static void test_silence(void) {
  static const size_t counts[] = {2, 3, 5, 17, 64};
  const char *text = g_getenv("ASSAY_LONG_ROWS_ROUNDS");
  size_t rounds = text == NULL ? 1 : (size_t)g_ascii_strtoull(text, NULL, 10);
  for (size_t round = 0; round < rounds; round++) {
    for (size_t c = 0; c < G_N_ELEMENTS(counts); c++) {
      check_formats(counts[c], G_N_ELEMENTS(formats), round * 100 + c);
    }
    check_formats(1024, 1, round * 100 + 10);
    if (text != NULL) check_formats(16384, 2, round * 100 + 11);
  }
}

/* ---- Attained -------------------------------------------------------------------------------- */

typedef struct attained {
  const char *what;
  fill_t *fill;
  size_t outcome;
} attained_t;

static const attained_t attained[] = {
    {"mean", fill_unseen, MEAN},
    {"sum of squares, by means", fill_unseen, SQUARES},
    {"sum of squares, by additions", fill_unseen_squares, SQUARES},
    {"sum of exponentials", fill_unseen_exponentials, EXPONENTIALS},
};

static void test_attained(void) {
  for (size_t count = 64; count <= 16384; count *= 16) {
    for (size_t i = 0; i < G_N_ELEMENTS(attained); i++) {
      arena_t arena;
      arena_init(&arena);
      rng_t rng = rng_make(1);
      const setting_t setting = {.format = &format_table[FORMAT_f32],
                                 .contract = contract_of("spec,order=any"),
                                 .arena = &arena,
                                 .model = {.order = {.kind = SUM_SEQUENTIAL}}};
      outcome_t outcomes[OUTCOMES];
      run_row(&setting, draw_bits(&setting, attained[i].fill, count, &rng), count, outcomes);
      const outcome_t *o = &outcomes[attained[i].outcome];
      double error = o->found - o->exact;
      double end =
          error > 0 ? mpfr_get_d(o->set->high, MPFR_RNDU) : mpfr_get_d(o->set->low, MPFR_RNDD);
      g_test_message("%s of %zu: %.3f of what is permitted", attained[i].what, count,
                     error / (end - o->exact));
      g_assert_cmpfloat(error / (end - o->exact), >, 0.1);
      g_assert_cmpfloat(error / (end - o->exact), <=, 1);
      arena_deinit(&arena);
    }
  }
}

/* Numbers far below the largest add nothing to an online sum, however far. */
static void test_far_terms(void) {
  static const double row[] = {-0x1.8p+127, -1e30, -200, 0, 1, -0x1.8p+127, 1};
  uint64_t bits[G_N_ELEMENTS(row)];
  arena_t arena;
  arena_init(&arena);
  const setting_t setting = {.format = &format_table[FORMAT_f32],
                             .contract = contract_of("backend"),
                             .arena = &arena,
                             .model = {.order = {.kind = SUM_SEQUENTIAL}}};
  for (size_t i = 0; i < G_N_ELEMENTS(row); i++) {
    bits[i] = format_from_double(setting.format, row[i]);
  }
  const enclosing_t permitted = {.is_exact = false};
  formula_t formula = make_formula(&setting, &enclosed_evaluator, &permitted);
  row_t x = enclosed_load(&formula, setting.format, bits, G_N_ELEMENTS(row));
  const enclosed_t *sum = formula_online_sum(&formula, x).enclosed;
  double exact = 2 + exp(-1);
  g_assert_cmpint(sum->specials, ==, 0);
  g_assert_cmpfloat(mpfr_get_d(sum->low, MPFR_RNDD), >, exact * (1 - 100 * 0x1p-24));
  g_assert_cmpfloat(mpfr_get_d(sum->high, MPFR_RNDU), <, exact * (1 + 100 * 0x1p-24));
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/long-rows/silence", test_silence);
  g_test_add_func("/long-rows/attained", test_attained);
  g_test_add_func("/long-rows/far-terms", test_far_terms);
  return g_test_run();
}
