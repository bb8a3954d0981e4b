/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of a campaign depend on its seed alone. */
#include <string.h>

#include "harness/run/stream.h"

static const char sum_line[] = "stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f32[]";

static size_t count_ops(void) {
  size_t count = 0;
  while (op_all()[count] != NULL) count++;
  return count;
}

static GPtrArray *draw_lines(uint64_t seed, bool skip_odd_programs, size_t count) {
  const stream_options_t options = {
      .ops = op_all(), .op_count = count_ops(), .gen = gen_options_default(), .seed = seed};
  stream_t stream;
  stream_init(&stream, &options);
  GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
  while (lines->len < count) {
    stream_next(&stream);
    if (skip_odd_programs && stream.program_index % 2 == 1) {
      stream_skip_program(&stream);
      continue;
    }
    GString *line = g_string_new(NULL);
    g_string_printf(line, "%" G_GUINT64_FORMAT ".%" G_GUINT64_FORMAT " ", stream.program_index,
                    stream.case_index);
    case_print(&stream.instance, line);
    g_ptr_array_add(lines, g_string_free(line, FALSE));
  }
  stream_deinit(&stream);
  return lines;
}

static void test_stream_repeats(void) {
  GPtrArray *first = draw_lines(3, false, 500);
  GPtrArray *again = draw_lines(3, false, 500);
  GPtrArray *other = draw_lines(4, false, 500);
  size_t equal = 0;
  for (guint i = 0; i < first->len; i++) {
    g_assert_cmpstr(first->pdata[i], ==, again->pdata[i]);
    equal += strcmp((const char *)first->pdata[i], (const char *)other->pdata[i]) == 0;
  }
  g_assert_cmpuint(equal, <, 5);
  g_ptr_array_unref(first);
  g_ptr_array_unref(again);
  g_ptr_array_unref(other);
}

/* What happens to one program changes no case of another, though it may change how many are drawn.
 */
static void test_stream_skips(void) {
  GPtrArray *all = draw_lines(3, false, 500);
  GPtrArray *even = draw_lines(3, true, 200);
  g_autoptr(GHashTable) lines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < all->len; i++) {
    const char *line = (const char *)all->pdata[i];
    g_hash_table_insert(lines, g_strndup(line, strcspn(line, " ")), all->pdata[i]);
  }
  guint common = 0;
  for (guint i = 0; i < even->len; i++) {
    const char *line = (const char *)even->pdata[i];
    g_autofree char *numbers = g_strndup(line, strcspn(line, " "));
    const char *same = (const char *)g_hash_table_lookup(lines, numbers);
    if (same == NULL) continue;
    g_assert_cmpstr(line, ==, same);
    common++;
  }
  g_assert_cmpuint(common, >, 100);
  g_ptr_array_unref(all);
  g_ptr_array_unref(even);
}

/* The data of a case come back from its seed. */
static void test_stream_case_seed(void) {
  stream_options_t options = {
      .ops = op_all(), .op_count = count_ops(), .gen = gen_options_default(), .seed = 9};
  options.gen.strata =
      (strata_t){{[STRATUM_corner] = 2, [STRATUM_tiles] = 1, [STRATUM_extremes] = 1}};
  bool is_seen[STRATUM_COUNT] = {false};
  stream_t stream;
  stream_init(&stream, &options);
  arena_t arena;
  arena_init(&arena);
  GString *drawn = g_string_new(NULL);
  GString *again = g_string_new(NULL);
  for (int i = 0; i < 100; i++) {
    stream_next(&stream);
    g_string_truncate(drawn, 0);
    case_print(&stream.instance, drawn);
    case_t copy = case_make(&arena, &stream.instance.program);
    g_assert_cmpint(stream_draw_data(stream.case_seed, &copy), ==, stream.regime);
    g_string_truncate(again, 0);
    case_print(&copy, again);
    g_assert_cmpstr(drawn->str, ==, again->str);
    g_assert_cmpint(stream.program_stratum, ==, stream.stratum);
    is_seen[stream.stratum] = true;
  }
  g_assert_true(is_seen[STRATUM_corner] && is_seen[STRATUM_tiles] && is_seen[STRATUM_extremes]);
  g_assert_false(is_seen[STRATUM_long]);
  g_string_free(drawn, TRUE);
  g_string_free(again, TRUE);
  arena_deinit(&arena);
  stream_deinit(&stream);
}

/* Programs of every stratum get, among others, data near where their functions turn and rows with
 * one number unlike the others, where these strata have a share; the seed tells which. */
static void test_stream_fitting_data(void) {
  enum { CASES = 3000 };
  for (int has_share = 0; has_share < 2; has_share++) {
    stream_options_t options = {
        .ops = op_all(), .op_count = count_ops(), .gen = gen_options_default(), .seed = 10};
    options.gen.strata = strata_default();
    options.gen.strata.shares[STRATUM_lanes] = (uint32_t)has_share;
    options.gen.strata.shares[STRATUM_turns] = 0;
    options.gen.strata.shares[STRATUM_swept] = (uint32_t)has_share;
    stream_t stream;
    stream_init(&stream, &options);
    int laned = 0, turned = 0;
    for (int i = 0; i < CASES; i++) {
      stream_next(&stream);
      g_assert_cmpint(stratum_of_seed(stream.case_seed), ==, stream.stratum);
      bool is_own = stream.stratum == stream.program_stratum;
      if (is_own && stream.stratum != STRATUM_corner) continue;
      g_assert_true(is_own || stream.regime >= REGIME_turns);
      laned += stream.regime == REGIME_lanes;
      turned += stream.regime == REGIME_turns;
    }
    g_test_message("%d of rows, %d of functions", laned, turned);
    g_assert_true((laned > CASES / 100) == (has_share == 1));
    g_assert_true((turned > CASES / 100) == (has_share == 1));
    stream_deinit(&stream);
  }
}

/* A program that breaks a constraint has one case; a fixed program has data that follow the seed.
 */
static void test_stream_programs(void) {
  stream_options_t options = {
      .ops = op_all(), .op_count = count_ops(), .gen = gen_options_default(), .seed = 9};
  options.gen.invalid_one_in = 3;
  stream_t stream;
  stream_init(&stream, &options);
  int broken = 0;
  for (int i = 0; i < 300; i++) {
    bool was_broken = stream.broken != NULL;
    stream_next(&stream);
    if (was_broken) g_assert_true(stream.is_new_program);
    broken += stream.broken != NULL;
  }
  g_assert_cmpint(broken, >, 10);
  stream_deinit(&stream);
  arena_t arena;
  arena_init(&arena);
  stream_program_t given = {.broken = NULL};
  g_assert_cmpint(program_parse(str_from(sum_line), &arena, &given.program, NULL, NULL), ==,
                  STATUS_OK);
  options.programs = &given;
  options.program_count = 1;
  uint64_t seeds[2];
  for (uint64_t i = 0; i < 2; i++) {
    options.seed = i;
    stream_init(&stream, &options);
    stream_next(&stream);
    seeds[i] = stream.case_seed;
    stream_deinit(&stream);
  }
  g_assert_cmpuint(seeds[0], !=, seeds[1]);
  arena_deinit(&arena);
}

/* The least and the most data that programs of a stream got. */
static data_sets_t count_data_sets(const stream_options_t *options, int cases) {
  data_sets_t seen = {.least = UINT32_MAX};
  stream_t stream;
  stream_init(&stream, options);
  for (int i = 0; i < cases; i++) {
    uint32_t sets = (uint32_t)stream.case_index + 1;
    bool had_program = stream.has_program && stream.broken == NULL;
    stream_next(&stream);
    if (!stream.is_new_program || !had_program) continue;
    seen.least = MIN(seen.least, sets);
    seen.most = MAX(seen.most, sets);
  }
  stream_deinit(&stream);
  return seen;
}

static void assert_data_sets(const stream_options_t *options, int cases, uint32_t least,
                             uint32_t most) {
  data_sets_t seen = count_data_sets(options, cases);
  g_assert_cmpuint(seen.least, ==, least);
  g_assert_cmpuint(seen.most, ==, most);
}

/* As many as are asked for, or the default, which follows what executors are and no clock. */
static void test_stream_data_sets(void) {
  stream_options_t options = {
      .ops = op_all(), .op_count = count_ops(), .gen = gen_options_default(), .seed = 4};
  options.gen.limits.elements_max = 64; /* All of them small. */
  assert_data_sets(&options, 500, 2, 4);
  options.data_sets = (data_sets_t){3, 3};
  assert_data_sets(&options, 200, 3, 3);
  options.compiling_is_dear = true;
  assert_data_sets(&options, 200, 3, 3);
  options.data_sets = (data_sets_t){0};
  data_sets_t first = count_data_sets(&options, (int)options.op_count * 8);
  g_assert_cmpuint(first.least, ==, 8); /* One program of each op. */
  g_assert_cmpuint(first.most, ==, 8);
  data_sets_t dear = count_data_sets(&options, 20000);
  g_assert_cmpuint(dear.most, >, 48);
  g_assert_cmpuint(dear.most, <=, 64);
  options = (stream_options_t){
      .ops = op_all(), .op_count = count_ops(), .gen = gen_options_default(), .seed = 4};
  options.gen.strata.shares[STRATUM_tiles] = 1;
  assert_data_sets(&options, 100, 1, 1);
}

static void test_data_sets_text(void) {
  static const struct {
    const char *text;
    data_sets_t sets;
    const char *printed;
  } rows[] = {{"", {0}, "default"}, {"default", {0}, "default"},
              {"1", {1, 1}, "1"},   {"2-4", {2, 4}, "2-4"},
              {"7-7", {7, 7}, "7"}, {"1000000", {1000000, 1000000}, "1000000"}};
  g_autoptr(GString) text = g_string_new(NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    data_sets_t sets;
    g_assert_cmpint(data_sets_parse(str_from(rows[i].text), &sets, NULL), ==, STATUS_OK);
    g_assert_cmpuint(sets.least, ==, rows[i].sets.least);
    g_assert_cmpuint(sets.most, ==, rows[i].sets.most);
    g_string_truncate(text, 0);
    data_sets_print(sets, text);
    g_assert_cmpstr(text->str, ==, rows[i].printed);
  }
  static const char *const wrong[] = {"0", "-1", "0-2", "4-2", "2-", "-", "2-4-6", "1000001", "x"};
  for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
    data_sets_t sets;
    failure_t error = {0};
    g_assert_cmpint(data_sets_parse(str_from(wrong[i]), &sets, &error), ==, STATUS_INVALID);
    g_assert_nonnull(strstr(error.text, wrong[i]));
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/stream/repeats", test_stream_repeats);
  g_test_add_func("/stream/skips", test_stream_skips);
  g_test_add_func("/stream/case_seed", test_stream_case_seed);
  g_test_add_func("/stream/fitting_data", test_stream_fitting_data);
  g_test_add_func("/stream/programs", test_stream_programs);
  g_test_add_func("/stream/data_sets", test_stream_data_sets);
  g_test_add_func("/stream/data_sets/text", test_data_sets_text);
  return g_test_run();
}
