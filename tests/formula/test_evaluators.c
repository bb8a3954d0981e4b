/* SPDX-License-Identifier: Apache-2.0 */
/* The three evaluators against one another, on random formulas: models reach nothing outside what
 * is enclosed, and fast sets are parts of it.  Each check is also shown to fail. */
#include <string.h>

#include "harness/model/fault.h"
#include "oracles/exact/error_bound.h"
#include "tests/formula/random_formula.h"

enum { FORMULAS = 8000, LIBERTY_FORMULAS = 500, FAULTY_FORMULAS = 400 };

static row_t run_one(const random_formula_t *random, const evaluator_t *evaluator,
                     const void *settings, const format_t *format, const contract_t *contract,
                     const implementation_model_t *schedule, arena_t *arena, row_t rows[ROWS_MAX],
                     size_t *out_count) {
  formula_t formula = {.evaluator = evaluator,
                       .settings = settings,
                       .format = format,
                       .contract = contract,
                       .schedule = schedule,
                       .arena = arena};
  *out_count = random_formula_run(&formula, random, rows);
  return rows[0];
}

static value_range_t finish(const format_t *format, const contract_t *contract,
                            const enclosed_t *set, arena_t *arena) {
  const enclosing_t settings = {.is_exact = false};
  const formula_t formula = {.evaluator = &enclosed_evaluator,
                             .settings = &settings,
                             .format = format,
                             .contract = contract,
                             .arena = arena};
  value_range_t range;
  enclosed_finish(&formula, set, format, &range);
  return range;
}

/* Whether all rows that a model gives are in the enclosed ones. */
static bool holds_rows(const format_t *format, const contract_t *contract, const row_t *enclosed,
                       const row_t *model, size_t count, arena_t *arena, GString *out_what) {
  for (size_t r = 0; r < count; r++) {
    g_assert_cmpuint(enclosed[r].count, ==, model[r].count);
    for (size_t i = 0; i < model[r].count; i++) {
      double value = model[r].values[i];
      uint64_t bits = format_from_double(format, value == value ? value : (double)NAN);
      value_range_t range = finish(format, contract, &enclosed[r].enclosed[i], arena);
      if (value_range_holds(&range, format, bits, false)) continue;
      char text[256];
      value_range_print(&range, text, sizeof text);
      g_string_append_printf(out_what, "row %zu, number %zu: %a is not in %s\n", r, i, value, text);
      return false;
    }
  }
  return true;
}

/* ---- Models ---------------------------------------------------------------------------------- */

/* Implementations that conform to contract "backend" with accumulation in the working format or a
 * wider one. */
static implementation_model_t draw_schedule(rng_t *rng, const format_t *working) {
  static const sum_order_kind_t kinds[] = {SUM_SEQUENTIAL, SUM_REVERSE, SUM_HALVES,  SUM_BLOCKS,
                                           SUM_LANES,      SUM_RANDOM,  SUM_SHUFFLED};
  implementation_model_t schedule = schedule_plain();
  schedule.order.kind = kinds[rng_below(rng, G_N_ELEMENTS(kinds))];
  schedule.order.width = 1 + (uint32_t)rng_below(rng, 9);
  schedule.seed = rng_bits(rng);
  schedule.fused = rng_one_in(rng, 2);
  schedule.other_way = rng_one_in(rng, 2);
  schedule.function_ulps = working->bits > 16 && rng_one_in(rng, 2) ? 1 : 0; /* Else faithful. */
  return schedule;
}

/* Rows of `random` in which a model leaves the enclosed sets are described in out_what. */
static bool model_stays_inside(const random_formula_t *random, const format_t *format,
                               const contract_t *contract, const evaluator_t *evaluator,
                               const implementation_model_t *schedule, GString *out_what) {
  arena_t arena;
  arena_init(&arena);
  row_t enclosed[ROWS_MAX], model[ROWS_MAX];
  size_t count, model_count;
  const enclosing_t settings = {.is_exact = false};
  run_one(random, &enclosed_evaluator, &settings, format, contract, NULL, &arena, enclosed, &count);
  run_one(random, evaluator, NULL, format, contract, schedule, &arena, model, &model_count);
  g_assert_cmpuint(count, ==, model_count);
  bool stays = holds_rows(format, contract, enclosed, model, count, &arena, out_what);
  if (!stays) random_formula_print(random, out_what);
  arena_deinit(&arena);
  return stays;
}

typedef struct formats {
  int operands; /* Of format_table. */
  int working;
} formats_t;

static const formats_t format_pairs[] = {
    {FORMAT_f32, FORMAT_f32}, {FORMAT_f64, FORMAT_f64},   {FORMAT_f16, FORMAT_f32},
    {FORMAT_f16, FORMAT_f16}, {FORMAT_bf16, FORMAT_bf16}, {FORMAT_bf16, FORMAT_f32},
};

static void test_models(gconstpointer data) {
  const formats_t *formats = (const formats_t *)data;
  const format_t *working = &format_table[formats->working];
  const contract_t contract = contract_backend();
  rng_t rng = rng_make(7);
  size_t outside = 0;
  for (size_t i = 0; i < FORMULAS && outside < 3; i++) {
    random_formula_t random;
    random_formula_draw(&rng, &format_table[formats->operands], &random);
    implementation_model_t schedule = draw_schedule(&rng, working);
    g_autoptr(GString) what = g_string_new(NULL);
    if (model_stays_inside(&random, working, &contract, &model_evaluator, &schedule, what)) {
      continue;
    }
    g_test_message("%s", what->str);
    outside++;
  }
  g_assert_cmpuint(outside, ==, 0);
}

/* ---- Liberties ------------------------------------------------------------------------------- */

/* A model that takes its own subnormal results for zero. */
static row_t flush(const formula_t *formula, row_t row) {
  double normal = format_smallest_normal(formula->format);
  for (size_t i = 0; i < row.count; i++) {
    if (fabs(row.values[i]) < normal) row.values[i] = copysign(0, row.values[i]);
  }
  return row;
}

#define FLUSHED_UNARY(name)                                  \
  static row_t flushed_##name(formula_t *formula, row_t a) { \
    return flush(formula, model_evaluator.name(formula, a)); \
  }
#define FLUSHED_BINARY(name)                                          \
  static row_t flushed_##name(formula_t *formula, row_t a, row_t b) { \
    return flush(formula, model_evaluator.name(formula, a, b));       \
  }
FLUSHED_UNARY(square_root)
FLUSHED_UNARY(sum)
FLUSHED_UNARY(shares)
FLUSHED_BINARY(add)
FLUSHED_BINARY(subtract)
FLUSHED_BINARY(multiply)
FLUSHED_BINARY(divide)
FLUSHED_BINARY(sum_of_products)
FLUSHED_BINARY(squared_deviations)

static row_t flushed_multiply_add(formula_t *formula, row_t a, row_t b, row_t c) {
  return flush(formula, model_evaluator.multiply_add(formula, a, b, c));
}

static row_t flushed_function(formula_t *formula, elementary_t function, row_t a) {
  return flush(formula, model_evaluator.function(formula, function, a));
}

/* What a contract permits, models do; within it all of them stay. */
typedef struct liberty {
  const char *contract;
  fault_t fault;
  bool is_fused;
  bool flushes;
  uint32_t lanes; /* 0: any order; 1: in halves; else so many lanes. */
} liberty_t;

static const liberty_t liberties[] = {
    {"backend,fma=no,accum_wider=no", FAULT_NONE, false, false, 0},
    {"ftz=inputs", FAULT_flush_inputs, true, false, 0},
    {"ftz=outputs", FAULT_NONE, true, true, 0},
    {"ftz=both", FAULT_flush_inputs, true, true, 0},
    {"ftz=both,fma=no,accum_wider=no", FAULT_flush_inputs, false, true, 0},
    {"backend,depth=log", FAULT_NONE, true, false, 1},
    {"backend,depth=lanes,fma=no,accum_wider=no", FAULT_NONE, false, false, 8},
};

static void set_order(const liberty_t *liberty, sum_order_t *inout) {
  if (liberty->lanes == 0) return;
  inout->kind = liberty->lanes == 1 ? SUM_HALVES : SUM_LANES;
  inout->width = liberty->lanes;
}

static void check_liberty(const liberty_t *liberty, const evaluator_t *evaluator,
                          const formats_t *formats, rng_t *rng) {
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from(liberty->contract), &contract, NULL), ==, STATUS_OK);
  const format_t *working = &format_table[formats->working];
  size_t outside = 0;
  for (size_t i = 0; i < LIBERTY_FORMULAS && outside < 3; i++) {
    random_formula_t random;
    random_formula_draw(rng, &format_table[formats->operands], &random);
    implementation_model_t schedule = draw_schedule(rng, working);
    schedule.fused &= liberty->is_fused;
    schedule.fault = liberty->fault;
    set_order(liberty, &schedule.order);
    g_autoptr(GString) what = g_string_new(NULL);
    if (model_stays_inside(&random, working, &contract, evaluator, &schedule, what)) continue;
    g_test_message("%s: %s", liberty->contract, what->str);
    outside++;
  }
  g_assert_cmpuint(outside, ==, 0);
}

static void test_liberties(gconstpointer data) {
  const formats_t *formats = (const formats_t *)data;
  evaluator_t flushing = model_evaluator;
  flushing.square_root = flushed_square_root;
  flushing.sum = flushed_sum;
  flushing.shares = flushed_shares;
  flushing.add = flushed_add;
  flushing.subtract = flushed_subtract;
  flushing.multiply = flushed_multiply;
  flushing.divide = flushed_divide;
  flushing.sum_of_products = flushed_sum_of_products;
  flushing.squared_deviations = flushed_squared_deviations;
  flushing.multiply_add = flushed_multiply_add;
  flushing.function = flushed_function;
  rng_t rng = rng_make(13);
  for (size_t i = 0; i < G_N_ELEMENTS(liberties); i++) {
    const evaluator_t *evaluator = liberties[i].flushes ? &flushing : &model_evaluator;
    check_liberty(&liberties[i], evaluator, formats, &rng);
  }
}

/* Models that do what the contract does not permit leave the sets, now and then. */
static void check_leaves(const char *contract_text, const implementation_model_t *schedule) {
  contract_t contract;
  status_t status = contract_parse(str_from(contract_text), &contract, NULL);
  g_assert_cmpint(status, ==, STATUS_OK);
  rng_t rng = rng_make(11);
  size_t outside = 0;
  for (size_t i = 0; i < FAULTY_FORMULAS; i++) {
    random_formula_t random;
    random_formula_draw(&rng, &format_table[FORMAT_f32], &random);
    g_autoptr(GString) what = g_string_new(NULL);
    const format_t *format = &format_table[FORMAT_f32];
    bool stays = model_stays_inside(&random, format, &contract, &model_evaluator, schedule, what);
    outside += stays ? 0 : 1;
  }
  g_test_message("%s: %zu of %d formulas leave the sets", contract_text, outside, FAULTY_FORMULAS);
  g_assert_cmpuint(outside, >, 0);
}

static void test_faulty_models(void) {
  implementation_model_t fused = schedule_plain();
  fused.fused = true;
  check_leaves("backend,fma=no,accum_wider=no", &fused);
  implementation_model_t inaccurate = schedule_plain();
  inaccurate.function_ulps = 18;
  check_leaves("backend", &inaccurate);
  implementation_model_t truncating = schedule_plain();
  truncating.fault = FAULT_truncate_additions;
  check_leaves("backend", &truncating);
  implementation_model_t flushing = schedule_plain();
  flushing.fault = FAULT_flush_inputs;
  check_leaves("backend", &flushing);
}

/* ---- Fast sets ------------------------------------------------------------------------------- */

static bool holds_value(const value_range_t *range, const format_t *format, double value) {
  return value_range_holds(range, format, format_from_double(format, value), true);
}

/* Both ends, and a number between them; `ulps` moves the ends outwards, which is a fault. */
static bool holds_interval(const value_range_t *range, const format_t *format, double low,
                           double high, int ulps) {
  uint64_t first = format_from_double(format, low), last = format_from_double(format, high);
  for (int i = 0; i < ulps; i++) {
    first = format_next_down(format, first);
    last = format_next_up(format, last);
  }
  double from = format_to_double(format, first), to = format_to_double(format, last);
  double middle = format_round_double(format, from / 2 + to / 2);
  return holds_value(range, format, from) && holds_value(range, format, to) &&
         holds_value(range, format, middle);
}

/* Whether a number is in a set, without a last rounding. */
static bool is_in_set(const enclosed_t *set, double value) {
  const uint8_t zeros = ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
  const uint8_t infinity = value < 0 ? ENCLOSED_NEGATIVE_INFINITY : ENCLOSED_POSITIVE_INFINITY;
  if (isinf(value)) return (set->specials & infinity) != 0;
  if (value == 0 && (set->specials & zeros) != 0) return true;
  return set->has_finite && mpfr_cmp_d(set->low, value) <= 0 && mpfr_cmp_d(set->high, value) >= 0;
}

typedef struct fast_tally {
  size_t known; /* Numbers of which the fast evaluator says something. */
  size_t unknown;
  size_t outside;
} fast_tally_t;

static void compare_fast(const format_t *format, const contract_t *contract, const row_t *enclosed,
                         const row_t *fast, size_t count, int ulps, arena_t *arena,
                         fast_tally_t *inout_tally) {
  for (size_t r = OPERANDS; r < count; r++) {
    const fast_numbers_t *numbers = fast[r].fast;
    for (size_t i = 0; i < numbers->count; i++) {
      if (isnan(numbers->low[i])) {
        inout_tally->unknown++;
        continue;
      }
      inout_tally->known++;
      size_t n = enclosed[r].count == 1 ? 0 : i;
      value_range_t range = finish(format, contract, &enclosed[r].enclosed[n], arena);
      bool is_inside = holds_interval(&range, format, numbers->low[i], numbers->high[i], ulps) &&
                       is_in_set(&enclosed[r].enclosed[n], numbers->low[i]) &&
                       is_in_set(&enclosed[r].enclosed[n], numbers->high[i]);
      if (is_inside) continue;
      char text[256];
      value_range_print(&range, text, sizeof text);
      if (inout_tally->outside++ > 2 || ulps != 0) continue;
      g_test_message("row %zu, number %zu: fast %a .. %a is not in %s", r, i, numbers->low[i],
                     numbers->high[i], text);
    }
  }
}

/* All instruction sets compute the same bits. */
static void check_same(const row_t *a, const row_t *b, size_t count) {
  for (size_t r = 0; r < count; r++) {
    g_assert_cmpuint(a[r].count, ==, b[r].count);
    for (size_t i = 0; i < a[r].count; i++) {
      bool are_unknown = isnan(a[r].fast->low[i]) && isnan(b[r].fast->low[i]);
      bool are_equal =
          a[r].fast->low[i] == b[r].fast->low[i] && a[r].fast->high[i] == b[r].fast->high[i];
      g_assert_true(are_unknown || are_equal);
      if (are_unknown || a[r].fast->tail == NULL) continue;
      const double *points = a[r].fast->point, *others = b[r].fast->point;
      g_assert_true(points[i] == others[i] || (isnan(points[i]) && isnan(others[i])));
      const double *tails = a[r].fast->tail, *other_tails = b[r].fast->tail;
      g_assert_true(tails[i] == other_tails[i] || (isnan(tails[i]) && isnan(other_tails[i])));
    }
  }
}

/* `is_wide`: where the contract permits wider nodes. */
static void run_fast(const random_formula_t *random, const format_t *format,
                     const contract_t *contract, bool is_unbounded, bool is_wide, int ulps,
                     fast_tally_t *inout_tally) {
  static const char *const names[] = {"portable", "avx2", "avx512"};
  arena_t arena;
  arena_init(&arena);
  row_t enclosed[ROWS_MAX], fast[G_N_ELEMENTS(names)][ROWS_MAX];
  size_t count, fast_count;
  const enclosing_t settings = {.is_exact = false, .is_unbounded = is_unbounded};
  run_one(random, &enclosed_evaluator, &settings, format, contract, NULL, &arena, enclosed, &count);
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    const fast_kernels_t *kernels = fast_kernels_named(format, names[i]);
    if (kernels == NULL) continue; /* This machine cannot run them. */
    const fast_settings_t fast_settings = {
        .kernels = kernels,
        .is_unbounded = is_unbounded,
        .is_wide = is_wide && PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES};
    run_one(random, &fast_evaluator, &fast_settings, format, contract, NULL, &arena, fast[i],
            &fast_count);
    g_assert_cmpuint(count, ==, fast_count);
    check_same(fast[0], fast[i], count);
  }
  size_t before = inout_tally->outside;
  compare_fast(format, contract, enclosed, fast[0], count, ulps, &arena, inout_tally);
  if (inout_tally->outside > before && before < 3 && ulps == 0) {
    g_autoptr(GString) text = g_string_new(NULL);
    random_formula_print(random, text);
    g_test_message("%s", text->str);
  }
  arena_deinit(&arena);
}

/* Binary64 is computed with in itself, all else in binary32. */
static const format_t *fast_format(const format_t *operands) {
  return operands->bits == 64 ? operands : &format_table[FORMAT_f32];
}

static void test_fast(gconstpointer data) {
  const format_t *operands = &format_table[*(const int *)data], *format = fast_format(operands);
  bool may_be_wide = operands->bits < 64;
  static const char *const contracts[] = {"backend",
                                          "spec",
                                          "backend,fma=no,accum_wider=no",
                                          "backend,ftz=both",
                                          "backend,accum_rounding=rz",
                                          "backend,depth=log",
                                          "backend,depth=lanes"};
  rng_t rng = rng_make(5);
  fast_tally_t tally = {0};
  for (size_t i = 0; i < FORMULAS; i++) {
    contract_t contract;
    const char *text = contracts[i % G_N_ELEMENTS(contracts)];
    g_assert_cmpint(contract_parse(str_from(text), &contract, NULL), ==, STATUS_OK);
    random_formula_t random;
    random_formula_draw(&rng, operands, &random);
    run_fast(&random, format, &contract, false, may_be_wide && i % 2 != 0, 0, &tally);
    run_fast(&random, format, &contract, true, may_be_wide && i % 2 != 0, 0, &tally);
  }
  g_test_message("%zu numbers known, %zu not, %zu outside", tally.known, tally.unknown,
                 tally.outside);
  g_assert_cmpuint(tally.known, >, tally.unknown / 2);
  g_assert_cmpuint(tally.outside, ==, 0);
}

/* Were the fast sets one unit larger, it would show. */
static void test_faulty_fast(gconstpointer data) {
  const format_t *operands = &format_table[*(const int *)data], *format = fast_format(operands);
  rng_t rng = rng_make(5);
  const contract_t contract = contract_backend();
  fast_tally_t tally = {0};
  for (size_t i = 0; i < FAULTY_FORMULAS; i++) {
    random_formula_t random;
    random_formula_draw(&rng, operands, &random);
    run_fast(&random, format, &contract, false, false, 1, &tally);
  }
  g_test_message("%zu of %zu outside", tally.outside, tally.known);
  g_assert_cmpuint(tally.outside, >, tally.known / 4);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < G_N_ELEMENTS(format_pairs); i++) {
    g_autofree char *path =
        g_strdup_printf("/evaluators/models/%s-in-%s", format_table[format_pairs[i].operands].name,
                        format_table[format_pairs[i].working].name);
    g_test_add_data_func(path, &format_pairs[i], test_models);
    g_autofree char *liberties_path = g_strdup_printf("/evaluators/liberties/%s-in-%s",
                                                      format_table[format_pairs[i].operands].name,
                                                      format_table[format_pairs[i].working].name);
    g_test_add_data_func(liberties_path, &format_pairs[i], test_liberties);
  }
  g_test_add_func("/evaluators/faulty-models", test_faulty_models);
  static const int fast_formats[] = {FORMAT_f32, FORMAT_f16, FORMAT_bf16, FORMAT_f64};
  for (size_t i = 0; i < G_N_ELEMENTS(fast_formats); i++) {
    g_autofree char *path =
        g_strdup_printf("/evaluators/fast/%s", format_table[fast_formats[i]].name);
    g_test_add_data_func(path, &fast_formats[i], test_fast);
  }
  g_test_add_data_func("/evaluators/faulty-fast/f32", &fast_formats[0], test_faulty_fast);
  g_test_add_data_func("/evaluators/faulty-fast/f64", &fast_formats[3], test_faulty_fast);
  return g_test_run();
}
