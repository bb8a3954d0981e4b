/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of dimension numbers: text, sets, and row-major offsets. */
#include "harness/types/dimension_list.h"

#include "harness/draw/draw.h"

static dimension_list_t parse(const char *text) {
  scan_t scan = scan_make(str_from(text));
  dimension_list_t list;
  failure_t error;
  status_t status = dimension_list_parse(&scan, &list, &error);
  if (status != STATUS_OK) g_error("%s: %s", text, error.text);
  g_assert_true(scan_at_end(&scan));
  return list;
}

static void test_round_trip(void) {
  static const char *const texts[] = {"[]", "[0]", "[3,1,2]", "[-1,-9223372036854775808]",
                                      "[0,1,2,3,4,5,6,7]"};
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
    dimension_list_t list = parse(texts[i]);
    GString *text = g_string_new(NULL);
    dimension_list_print(&list, text);
    g_assert_cmpstr(text->str, ==, texts[i]);
    g_string_free(text, TRUE);
  }
}

static void test_malformed(void) {
  static const struct {
    const char *text;
    size_t column;
  } rows[] = {{"", 1},     {"0]", 1},   {"[", 2},    {"[0", 3},
              {"[0,]", 4}, {"[ 0]", 2}, {"[01]", 2}, {"[0,1,2,3,4,5,6,7,8]", 18}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    scan_t scan = scan_make(str_from(rows[i].text));
    dimension_list_t list = {.count = 77};
    failure_t error = {.column = 0};
    g_assert_cmpint(dimension_list_parse(&scan, &list, &error), ==, STATUS_INVALID);
    g_assert_cmpuint(error.column, ==, rows[i].column);
    g_assert_cmpuint(list.count, ==, 77);
  }
}

static void test_sets(void) {
  dimension_list_t list = parse("[3,1]");
  dimension_list_t other = parse("[0]");
  g_assert_true(dimension_list_in_range(&list, 4));
  g_assert_false(dimension_list_in_range(&list, 3));
  dimension_list_t negative = parse("[-1]");
  g_assert_false(dimension_list_in_range(&negative, 4));
  g_assert_true(dimension_list_is_unique(&list));
  dimension_list_t repeated = parse("[3,1,3]");
  g_assert_false(dimension_list_is_unique(&repeated));
  g_assert_true(dimension_list_contains(&list, 1));
  g_assert_false(dimension_list_contains(&list, 2));
  g_assert_cmphex(dimension_list_mask(&list), ==, 0xa);
  dimension_list_t rest = dimension_list_rest(5, &list, NULL);
  g_assert_cmpuint(rest.count, ==, 3);
  g_assert_cmpint(rest.dims[0], ==, 0);
  g_assert_cmpint(rest.dims[1], ==, 2);
  g_assert_cmpint(rest.dims[2], ==, 4);
  rest = dimension_list_rest(5, &list, &other);
  g_assert_cmpuint(rest.count, ==, 2);
  g_assert_cmpint(rest.dims[0], ==, 2);
}

/* Offsets of random dimensions of random shapes, against a counter that runs over the indices. */
static void test_offsets(void) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(11);
  for (size_t round = 0; round < 2000; round++) {
    arena_reset(&arena);
    type_t type = type_make(element_named("i8"), 0, NULL);
    type.rank = (uint32_t)rng_below(&rng, 5);
    for (uint32_t i = 0; i < type.rank; i++) type.dims[i] = rng_between(&rng, 0, 4);
    dimension_list_t list = draw_permutation(&rng, type.rank);
    list.count = (uint32_t)rng_below(&rng, type.rank + 1);
    const size_t *offsets = dimension_list_offsets(&list, &type, &arena);
    size_t extent = dimension_list_extent(&list, &type);
    int64_t index[TYPE_RANK_MAX] = {0};
    size_t seen = 0;
    for (bool has_more = extent > 0; has_more; seen++) {
      size_t expected = 0;
      for (uint32_t dim = 0; dim < type.rank; dim++) {
        expected = expected * (size_t)type.dims[dim] + (size_t)index[dim];
      }
      g_assert_cmpuint(offsets[seen], ==, expected);
      has_more = false;
      for (uint32_t i = list.count; i-- > 0 && !has_more;) {
        int64_t *place = &index[list.dims[i]];
        *place = (*place + 1) % type.dims[list.dims[i]];
        has_more = *place != 0;
      }
    }
    g_assert_cmpuint(seen, ==, extent);
  }
  arena_deinit(&arena);
}

/* Each order of three is drawn about as often as the others. */
static void test_permutation(void) {
  rng_t rng = rng_make(5);
  size_t counts[3][3] = {{0}};
  for (size_t round = 0; round < 3000; round++) {
    dimension_list_t order = draw_permutation(&rng, 3);
    g_assert_true(dimension_list_is_unique(&order) && dimension_list_in_range(&order, 3));
    for (int i = 0; i < 3; i++) counts[i][order.dims[i]]++;
  }
  for (int i = 0; i < 9; i++) {
    g_assert_cmpuint(counts[i / 3][i % 3], >, 800);
    g_assert_cmpuint(counts[i / 3][i % 3], <, 1200);
  }
}

static void test_size(void) {
  rng_t rng = rng_make(6);
  size_t zeros = 0;
  size_t small = 0;
  size_t large = 0;
  for (size_t round = 0; round < 4000; round++) {
    int64_t size = draw_size(&rng, DRAW_SIZES_SMALL, 500);
    g_assert_cmpint(size, >=, 0);
    g_assert_cmpint(size, <=, 500);
    zeros += size == 0;
    small += size >= 1 && size <= 4;
    large += size > 250;
  }
  g_assert_cmpuint(zeros, >, 60);
  g_assert_cmpuint(zeros, <, 250);
  g_assert_cmpuint(small, >, 2500);
  g_assert_cmpuint(large, >, 20);
  g_assert_cmpint(draw_size(&rng, DRAW_SIZES_SMALL, 0), ==, 0);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/dimension_list/round_trip", test_round_trip);
  g_test_add_func("/dimension_list/malformed", test_malformed);
  g_test_add_func("/dimension_list/sets", test_sets);
  g_test_add_func("/dimension_list/offsets", test_offsets);
  g_test_add_func("/dimension_list/permutation", test_permutation);
  g_test_add_func("/dimension_list/size", test_size);
  return g_test_run();
}
