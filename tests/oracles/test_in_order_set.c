/* SPDX-License-Identifier: Apache-2.0 */
/* The sets by dynamic programming against the enumeration of all schedules. */
#include "oracles/exact/in_order/set.h"

#include "oracles/exact/in_order/value_set.h"
#include "tests/oracles/in_order_brute.h"

static const struct {
  int format;
  bool multiplies;
  bool is_product;
  bool may_fuse;
  size_t count_max;
  uint32_t init_max;
} rows[] = {
    {FORMAT_f32, false, false, false, 9, 0},        {FORMAT_f64, false, false, false, 8, 0},
    {FORMAT_bf16, false, false, false, 9, 0},       {FORMAT_f16, false, false, false, 8, 0},
    {FORMAT_f8E5M2, false, false, false, 8, 0},     {FORMAT_f8E4M3FN, false, false, false, 8, 0},
    {FORMAT_f8E4M3FNUZ, false, false, false, 7, 0}, {FORMAT_f4E2M1FN, false, false, false, 8, 0},
    {FORMAT_f32, true, false, false, 8, 0},         {FORMAT_f16, true, false, false, 8, 0},
    {FORMAT_f8E4M3FN, true, false, false, 7, 0},    {FORMAT_f8E8M0FNU, true, false, false, 6, 0},
    {FORMAT_f32, false, true, false, 7, 0},         {FORMAT_f32, false, true, true, 6, 0},
    {FORMAT_f64, false, true, true, 6, 0},          {FORMAT_bf16, false, true, true, 6, 0},
    {FORMAT_f8E5M2, false, true, true, 6, 0},       {FORMAT_f32, false, false, false, 4, 3},
    {FORMAT_bf16, false, false, false, 4, 3},       {FORMAT_f32, false, true, true, 3, 2},
    {FORMAT_f16, true, false, false, 4, 2},         {FORMAT_f8E4M3, false, false, false, 4, 3},
};

enum { DRAWS = 200 };

static void check_same(const schedule_set_t *set, const GArray *expected) {
  guint numbers = expected->len;
  bool has_nan = numbers > 0 && isnan(g_array_index(expected, double, numbers - 1));
  if (has_nan) numbers--;
  g_assert_cmpint(set->has_nan, ==, has_nan);
  g_assert_cmpuint(set->count, ==, numbers);
  for (guint i = 0; i < numbers; i++) {
    const double *value = &g_array_index(expected, double, i);
    g_assert_cmpint(brute_compare(&set->values[i], value), ==, 0);
  }
}

/* Members are found, and their neighbours only if they are members too. */
static void check_membership(const schedules_t *schedules, const GArray *expected, double value,
                             arena_t *arena) {
  bool is_member = false;
  for (guint i = 0; i < expected->len; i++) {
    is_member |= brute_compare(&g_array_index(expected, double, i), &value) == 0;
  }
  bool contains;
  g_assert_cmpint(
      schedule_set_contains(schedules, value, SCHEDULE_SET_WORK, arena, &contains, NULL), ==,
      STATUS_OK);
  g_assert_cmpint(contains, ==, is_member);
}

/* The sum from the left that starts with one initial value: a member only if one is permitted. */
static double sequential_with_init(const schedules_t *schedules) {
  const arithmetic_t arithmetic = arithmetic_make(schedules->format);
  double value = schedules->init;
  for (size_t i = 0; i < schedules->count; i++) {
    double term = schedules->left[i];
    if (schedules->right != NULL)
      term = arithmetic_multiply(&arithmetic, term, schedules->right[i]);
    value = schedules->multiplies ? arithmetic_multiply(&arithmetic, value, term)
                                  : arithmetic_add(&arithmetic, value, term);
  }
  return value;
}

static void check_schedules(const schedules_t *schedules, arena_t *arena) {
  GArray *expected = brute_values(schedules);
  schedule_set_t set;
  g_assert_cmpint(schedule_set_make(schedules, SCHEDULE_SET_WORK, arena, &set, NULL), ==,
                  STATUS_OK);
  check_same(&set, expected);
  const format_t *format = schedules->format;
  check_membership(schedules, expected, NAN, arena);
  check_membership(schedules, expected, sequential_with_init(schedules), arena);
  for (guint i = 0; i < expected->len; i += 1 + expected->len / 4) {
    double value = g_array_index(expected, double, i);
    check_membership(schedules, expected, value, arena);
    if (isnan(value)) continue;
    uint64_t next = format_next_up(format, format_from_double(format, value));
    check_membership(schedules, expected, format_to_double(format, next), arena);
  }
  g_array_free(expected, TRUE);
}

static void test_enumeration(gconstpointer data) {
  size_t row = GPOINTER_TO_SIZE(data);
  const format_t *format = &format_table[rows[row].format];
  rng_t rng = rng_make(row);
  arena_t arena;
  arena_init(&arena);
  for (int draw = 0; draw < DRAWS; draw++) {
    double left[BRUTE_LEAVES_MAX], right[BRUTE_LEAVES_MAX];
    bool is_last_draw = draw == DRAWS - 1;
    size_t count_max = draw < DRAWS / 2 ? MIN(rows[row].count_max, 5) : rows[row].count_max - 1;
    size_t count = is_last_draw ? rows[row].count_max : 1 + rng_below(&rng, count_max);
    brute_size_t size = brute_draw_size(&rng, format);
    for (size_t i = 0; i < count; i++) {
      left[i] = brute_draw(&rng, format, size);
      right[i] = brute_draw(&rng, format, size);
    }
    if (count > 2 && rng_one_in(&rng, 3)) left[count - 1] = -left[0]; /* Cancellation. */
    if (format->specials == FORMAT_EXPONENT_ONLY) left[count - 1] = 2;
    schedules_t schedules = {
        .format = format,
        .multiplies = rows[row].multiplies,
        .count = count,
        .left = left,
        .right = rows[row].is_product ? right : NULL,
        .may_fuse = rows[row].may_fuse,
        .init = brute_draw(&rng, format, size),
        .init_max = (uint32_t)rng_below(&rng, rows[row].init_max + 1),
    };
    schedules.init_min = (uint32_t)rng_below(&rng, schedules.init_max + 1);
    check_schedules(&schedules, &arena);
    arena_reset(&arena);
  }
  arena_deinit(&arena);
}

/* Gathering in a window of marks, and in a hash table that grows. */
static void test_value_set(void) {
  const format_t *formats[] = {&format_table[FORMAT_f32], &format_table[FORMAT_f8E5M2]};
  rng_t rng = rng_make(2);
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < 8; i++) {
    const format_t *format = formats[i % 2];
    bool is_bounded = i / 2 % 2 == 1;
    value_set_t set = value_set_make(format, &arena);
    for (int round = 0; round < 5; round++) {
      enum { COUNT = 3000 };
      GArray *expected = g_array_new(FALSE, FALSE, sizeof(double));
      for (int j = 0; j < COUNT; j++) {
        double value = format_round_double(format, (double)rng_between(&rng, -900, 900) / 2048);
        if (rng_one_in(&rng, 9)) value *= 0.0;
        if (!is_bounded && rng_one_in(&rng, 99)) value = (double)INFINITY;
        g_array_append_val(expected, value);
      }
      double bound = is_bounded ? 1 : (double)NAN;
      value_set_clear(&set, is_bounded ? -bound : bound, bound, COUNT);
      value_set_add(&set, &g_array_index(expected, double, 0), COUNT);
      double *values = g_new(double, value_set_count(&set));
      schedule_set_t got = {.values = values, .count = value_set_count(&set)};
      value_set_read(&set, values);
      brute_sort_unique(expected);
      check_same(&got, expected);
      g_free(values);
      g_array_free(expected, TRUE);
    }
    arena_reset(&arena);
  }
  arena_deinit(&arena);
}

/* Too little work is said to be too little, and does not stop what is found without. */
static void test_work_limit(void) {
  double terms[12];
  rng_t rng = rng_make(1);
  for (size_t i = 0; i < G_N_ELEMENTS(terms); i++) {
    terms[i] = brute_draw(&rng, &format_table[FORMAT_f32], (brute_size_t){.spread = 2});
  }
  schedules_t schedules = {
      .format = &format_table[FORMAT_f32], .count = G_N_ELEMENTS(terms), .left = terms};
  arena_t arena;
  arena_init(&arena);
  schedule_set_t set;
  failure_t error = {0};
  for (uint64_t work = 1; work < 1000; work = 3 * work + 1) {
    g_assert_cmpint(schedule_set_make(&schedules, work, &arena, &set, &error), ==,
                    STATUS_UNDECIDED);
    g_assert_nonnull(strstr(error.text, "12 terms"));
  }
  g_assert_cmpint(schedule_set_make(&schedules, 1 << 20, &arena, &set, &error), ==, STATUS_OK);
  double sequential = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(terms); i++) sequential = (float)(sequential + terms[i]);
  bool contains = false;
  g_assert_cmpint(schedule_set_contains(&schedules, sequential, 1, &arena, &contains, &error), ==,
                  STATUS_OK);
  g_assert_true(contains);
  g_assert_cmpint(schedule_set_contains(&schedules, 1e30, 1, &arena, &contains, &error), ==,
                  STATUS_UNDECIDED);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const char *kind = rows[i].multiplies ? "multiply" : rows[i].is_product ? "dot" : "add";
    char *path =
        g_strdup_printf("/in_order_set/%s%s/%s%s", kind, rows[i].may_fuse ? "_fused" : "",
                        format_table[rows[i].format].name, rows[i].init_max > 0 ? "/inits" : "");
    g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_enumeration);
    g_free(path);
  }
  g_test_add_func("/in_order_set/value_set", test_value_set);
  g_test_add_func("/in_order_set/work_limit", test_work_limit);
  return g_test_run();
}
