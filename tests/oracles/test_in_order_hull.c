/* SPDX-License-Identifier: Apache-2.0 */
/* Hulls against the ends of the exact sets; and for many terms, against random trees. */
#include "oracles/exact/in_order/hull.h"

#include "oracles/exact/fold/fold.h"
#include "oracles/exact/in_order/set.h"
#include "tests/oracles/in_order_brute.h"

enum { TERMS_MAX = 256, DRAWS = 300, TREES = 200 };

static const struct {
  int format;
  bool multiplies;
  bool is_product;
  bool may_fuse;
  uint32_t init_max;
  size_t count_max;
} rows[] = {
    {FORMAT_f32, false, false, false, 0, 32},      {FORMAT_f64, false, false, false, 0, 20},
    {FORMAT_bf16, false, false, false, 0, 32},     {FORMAT_f16, false, false, false, 0, 24},
    {FORMAT_f8E5M2, false, false, false, 0, 32},   {FORMAT_f8E4M3FN, false, false, false, 0, 32},
    {FORMAT_f6E3M2FN, false, false, false, 0, 32}, {FORMAT_f32, false, true, true, 0, 24},
    {FORMAT_f64, false, true, true, 0, 16},        {FORMAT_bf16, false, true, true, 0, 24},
    {FORMAT_f16, false, true, false, 0, 24},       {FORMAT_f32, true, false, false, 0, 20},
    {FORMAT_f16, true, false, false, 0, 20},       {FORMAT_f32, false, false, false, 3, 8},
    {FORMAT_f16, false, true, true, 2, 8},         {FORMAT_bf16, true, false, false, 2, 6},
};

/* Leaves of one case. */
typedef struct leaves {
  double left[TERMS_MAX];
  double right[TERMS_MAX];
} leaves_t;

/* Positive terms whose sum is about the largest number. */
static void draw_near_overflow(rng_t *rng, const format_t *format, size_t count,
                               double *out_terms) {
  double largest = format_to_double(format, format->largest_bits);
  for (size_t i = 0; i < count; i++) {
    double fraction = (double)(rng_bits(rng) >> 11) * 0x1p-53;
    out_terms[i] = format_round_double(format, fraction * 2 / (double)count * largest);
  }
}

static schedules_t draw_schedules(rng_t *rng, size_t row, size_t count, leaves_t *leaves) {
  const format_t *format = &format_table[rows[row].format];
  brute_size_t size = brute_draw_size(rng, format);
  bool is_tame = rng_one_in(rng, 2); /* No special values, which decide too much. */
  for (size_t i = 0; i < count; i++) {
    leaves->left[i] = brute_draw(rng, format, size);
    leaves->right[i] = brute_draw(rng, format, size);
    if (is_tame && !isfinite(leaves->left[i])) leaves->left[i] = 1;
    if (is_tame && !isfinite(leaves->right[i])) leaves->right[i] = 1;
  }
  if (rng_one_in(rng, 4)) draw_near_overflow(rng, format, count, leaves->left);
  uint32_t init_max = (uint32_t)rng_below(rng, rows[row].init_max + 1);
  return (schedules_t){
      .format = format,
      .multiplies = rows[row].multiplies,
      .count = count,
      .left = leaves->left,
      .right = rows[row].is_product ? leaves->right : NULL,
      .may_fuse = rows[row].may_fuse,
      .init = brute_draw(rng, format, size),
      .init_min = (uint32_t)rng_below(rng, init_max + 1),
      .init_max = init_max,
  };
}

/* Whether ends tell all: no NaN from overflow, and none from zero times infinity. */
static bool is_sharp(const schedules_t *schedules, const schedule_set_t *set) {
  bool overflows_to_nan = !format_has_infinity(schedules->format) && set->has_nan;
  bool has_infinity =
      set->count > 0 && (isinf(set->values[0]) || isinf(set->values[set->count - 1]));
  return !overflows_to_nan && !(schedules->multiplies && (has_infinity || set->has_nan));
}

static bool check_case(const schedules_t *schedules, arena_t *arena) {
  schedule_set_t set;
  schedule_hull_t hull;
  status_t status = schedule_set_make(schedules, 1 << 20, arena, &set, NULL);
  if (status == STATUS_UNDECIDED) return false;
  g_assert_cmpint(schedule_hull_make(schedules, SCHEDULE_HULL_WORK, arena, &hull, NULL), ==,
                  STATUS_OK);
  if (set.has_nan) g_assert_true(hull.has_nan);
  if (is_sharp(schedules, &set)) {
    g_assert_cmpint(hull.has_nan, ==, set.has_nan);
    g_assert_cmpint(hull.low <= hull.high, ==, set.count > 0);
    if (set.count == 0) return false;
    g_assert_cmpfloat(hull.low, ==, set.values[0]);
    g_assert_cmpfloat(hull.high, ==, set.values[set.count - 1]);
    return set.count > 1;
  }
  if (set.count > 0) {
    g_assert_cmpfloat(hull.low, <=, set.values[0]);
    g_assert_cmpfloat(hull.high, >=, set.values[set.count - 1]);
  }
  return false;
}

static void test_ends_of_sets(gconstpointer data) {
  size_t row = GPOINTER_TO_SIZE(data);
  rng_t rng = rng_make(row);
  arena_t arena;
  arena_init(&arena);
  size_t told = 0;
  for (int draw = 0; draw < DRAWS; draw++) {
    leaves_t leaves;
    size_t count = 1 + rng_below(&rng, draw < DRAWS / 2 ? 6 : rows[row].count_max);
    schedules_t schedules = draw_schedules(&rng, row, count, &leaves);
    told += check_case(&schedules, &arena);
    arena_reset(&arena);
  }
  g_assert_cmpuint(told, >, DRAWS / 10);
  arena_deinit(&arena);
}

static double random_tree(const schedules_t *schedules, uint64_t seed, arena_t *arena) {
  implementation_model_t schedule = {
      .order.kind = SUM_RANDOM, .seed = seed, .fused = schedules->may_fuse && seed % 2 == 1};
  fold_t fold;
  const element_t *element = element_named(schedules->format->name);
  g_assert_cmpint(fold_make(FOLD_ADD, element, NULL, &schedule, &fold, NULL), ==, STATUS_OK);
  fold_value_t *terms = fold_make_terms(&fold, schedules->count, arena);
  for (size_t i = 0; i < schedules->count; i++) {
    terms[i] = fold_real(schedules->left[i]);
    if (schedules->right == NULL) continue;
    terms[i] = fold_product(&fold, terms[i], fold_real(schedules->right[i]));
  }
  return fold_run(&fold, fold_real(0), terms, schedules->count, 0).real;
}

/* The sequential sums lie within, and so do random trees; the hull is no wider than the bound of
 * Jeannerod and Rump (2013) about any sum. */
static void test_random_trees(void) {
  static const size_t rows_to_try[] = {0, 1, 2, 7, 9};
  rng_t rng = rng_make(1);
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows_to_try); i++) {
    leaves_t leaves;
    schedules_t schedules = draw_schedules(&rng, rows_to_try[i], TERMS_MAX, &leaves);
    double magnitude = 0;
    for (size_t j = 0; j < TERMS_MAX; j++) {
      leaves.left[j] = format_round_double(schedules.format, cos((double)(j * j)));
      leaves.right[j] = format_round_double(schedules.format, sin((double)(j * j + i)));
      magnitude += fabs(leaves.left[j] * (schedules.right == NULL ? 1 : leaves.right[j]));
    }
    schedule_hull_t hull;
    g_assert_cmpint(schedule_hull_make(&schedules, SCHEDULE_HULL_WORK, &arena, &hull, NULL), ==,
                    STATUS_OK);
    double bound = 2 * TERMS_MAX * ldexp(magnitude, -schedules.format->precision);
    g_assert_cmpfloat(hull.high - hull.low, <, bound);
    g_assert_false(hull.has_nan);
    for (uint64_t seed = 0; seed < TREES; seed++) {
      double value = random_tree(&schedules, seed, &arena);
      g_assert_cmpfloat(value, >=, hull.low);
      g_assert_cmpfloat(value, <=, hull.high);
    }
    arena_reset(&arena);
  }
  arena_deinit(&arena);
}

static void test_work_limit(void) {
  double terms[100] = {1};
  schedules_t schedules = {.format = &format_table[FORMAT_f32], .count = 100, .left = terms};
  arena_t arena;
  arena_init(&arena);
  schedule_hull_t hull;
  failure_t error = {0};
  g_assert_cmpint(schedule_hull_make(&schedules, 100000, &arena, &hull, &error), ==,
                  STATUS_UNDECIDED);
  g_assert_nonnull(strstr(error.text, "100 terms"));
  g_assert_cmpint(schedule_hull_make(&schedules, 200000, &arena, &hull, &error), ==, STATUS_OK);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const char *kind = rows[i].multiplies ? "multiply" : rows[i].is_product ? "dot" : "add";
    char *path =
        g_strdup_printf("/in_order_hull/%s%s/%s%s", kind, rows[i].may_fuse ? "_fused" : "",
                        format_table[rows[i].format].name, rows[i].init_max > 0 ? "/inits" : "");
    g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_ends_of_sets);
    g_free(path);
  }
  g_test_add_func("/in_order_hull/random_trees", test_random_trees);
  g_test_add_func("/in_order_hull/work_limit", test_work_limit);
  return g_test_run();
}
