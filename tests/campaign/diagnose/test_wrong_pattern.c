/* SPDX-License-Identifier: Apache-2.0 */
/* The words for which elements are wrong: planted sets, and all masks of a small tensor. */
#include <glib.h>
#include <string.h>

#include "harness/diagnose/wrong_pattern.h"
#include "harness/model/op.h"

enum { ELEMENTS_MAX = 4096 };

/* A tensor whose last two dimensions are rows and columns. */
static void set_axes(const program_t *program, axes_t *out_axes) {
  uint32_t rank = program->results[0].rank;
  out_axes->count = rank;
  out_axes->results[0].count = rank;
  for (uint32_t dim = 0; dim < rank; dim++) {
    axis_role_t role = dim + 1 == rank ? AXIS_COLUMN : AXIS_ROW;
    out_axes->items[dim] =
        (axis_t){.role = dim + 2 < rank ? AXIS_BATCH : role, .size = program->results[0].dims[dim]};
    out_axes->results[0].axes[dim] = dim;
  }
}

static const op_t op_with_axes = {.name = "test.axes", .axes = set_axes};
static const op_t op_without = {.name = "test.none"};

static program_t make_program(const op_t *op, uint32_t rank, const int64_t *dims) {
  program_t program = {.op = op, .result_count = 1};
  program.results[0] = type_make(element_named("f32"), rank, dims);
  return program;
}

static bool is_in_set(const char *set, const int64_t *at, const int64_t *dims, size_t element) {
  if (strcmp(set, "last-row") == 0) return at[1] == dims[1] - 1;
  if (strcmp(set, "first-row") == 0) return at[1] == 0;
  if (strcmp(set, "one-row") == 0) return at[1] == 3;
  if (strcmp(set, "last-column") == 0) return at[2] == dims[2] - 1;
  if (strcmp(set, "first-batch") == 0) return at[0] == 0;
  if (strcmp(set, "one-batch") == 0) return at[0] == 1;
  if (strcmp(set, "tail-of-8") == 0) return at[2] >= dims[2] / 8 * 8;
  if (strcmp(set, "multiple-of-16") == 0) return at[2] % 16 == 0;
  if (strcmp(set, "every-7th") == 0) return element % 7 == 6;
  if (strcmp(set, "all") == 0) return true;
  if (strcmp(set, "last") == 0) return element + 1 == (size_t)(dims[0] * dims[1] * dims[2]);
  if (strcmp(set, "first") == 0) return element == 0;
  return element == 100; /* one */
}

static void test_planted(void) {
  static const char *const sets[] = {"last-row",    "first-row", "one-row",   "last-column",
                                     "first-batch", "one-batch", "tail-of-8", "multiple-of-16",
                                     "every-7th",   "all",       "last",      "first",
                                     "one"};
  const int64_t dims[] = {4, 5, 43};
  const op_t *ops[] = {&op_with_axes, &op_without};
  for (size_t i = 0; i < G_N_ELEMENTS(ops); i++) {
    program_t program = make_program(ops[i], 3, dims);
    for (size_t set = 0; set < G_N_ELEMENTS(sets); set++) {
      uint8_t wrong[ELEMENTS_MAX] = {0};
      for (size_t element = 0; element < 4 * 5 * 43; element++) {
        int64_t number = (int64_t)element;
        int64_t at[] = {number / (5 * 43), number / 43 % 5, number % 43};
        wrong[element] = is_in_set(sets[set], at, dims, element);
      }
      char word[VERDICT_PATTERN_BYTES];
      wrong_pattern(&program, 0, wrong, word);
      g_assert_cmpstr(word, ==, sets[set]);
    }
  }
}

static size_t count_bits(unsigned mask) { return (size_t)__builtin_popcount(mask); }

/* Of a 3 by 4 tensor every mask gets one of the words, and it means what it says. */
static void test_every_small_mask(void) {
  enum { ROWS = 3, COLUMNS = 4, COUNT = ROWS * COLUMNS };
  const int64_t dims[] = {ROWS, COLUMNS};
  const unsigned last_row = 0xf00, first_row = 0xf, last_column = 0x888, first_column = 0x111;
  program_t program = make_program(&op_with_axes, 2, dims);
  size_t scattered = 0;
  for (unsigned mask = 1; mask < 1u << COUNT; mask++) {
    uint8_t wrong[COUNT];
    for (unsigned i = 0; i < COUNT; i++) wrong[i] = mask >> i & 1;
    char word[VERDICT_PATTERN_BYTES] = "";
    wrong_pattern(&program, 0, wrong, word);
    size_t count = count_bits(mask);
    g_assert_cmpint(strcmp(word, "all") == 0, ==, count == COUNT);
    bool is_single =
        strcmp(word, "one") == 0 || strcmp(word, "last") == 0 || strcmp(word, "first") == 0;
    g_assert_cmpint(is_single, ==, count == 1);
    if (strcmp(word, "last-row") == 0) g_assert_cmpuint(mask & ~last_row, ==, 0);
    if (strcmp(word, "first-row") == 0) g_assert_cmpuint(mask & ~first_row, ==, 0);
    if (strcmp(word, "last-column") == 0) g_assert_cmpuint(mask & ~last_column, ==, 0);
    if (strcmp(word, "first-column") == 0) g_assert_cmpuint(mask & ~first_column, ==, 0);
    if (strcmp(word, "edge") == 0) g_assert_cmpuint(mask & 0x060, ==, 0);
    if (strcmp(word, "most") == 0) g_assert_cmpuint(count, >, COUNT / 2);
    if (strcmp(word, "scattered") == 0) g_assert_cmpuint(count, <=, COUNT / 2);
    bool fills_last_row = (mask & ~last_row) == 0 && count >= 2;
    g_assert_cmpint(strcmp(word, "last-row") == 0, ==, fills_last_row);
    g_assert_cmpstr(word, !=, "");
    scattered += strcmp(word, "scattered") == 0;
  }
  g_assert_cmpuint(scattered, >, 0);
}

/* The word does not depend on sizes. */
static void test_sizes(void) {
  for (int64_t rows = 3; rows <= 40; rows++) {
    const int64_t dims[] = {rows, rows + 20};
    program_t program = make_program(&op_with_axes, 2, dims);
    size_t columns = (size_t)dims[1];
    size_t count = (size_t)rows * columns;
    uint8_t wrong[ELEMENTS_MAX] = {0};
    for (size_t i = 0; i < count; i++) wrong[i] = i / columns + 1 == (size_t)rows;
    char word[VERDICT_PATTERN_BYTES];
    wrong_pattern(&program, 0, wrong, word);
    g_assert_cmpstr(word, ==, "last-row");
    for (size_t i = 0; i < count; i++) wrong[i] = i % 11 == 4;
    wrong_pattern(&program, 0, wrong, word);
    bool is_column = columns % 11 == 0; /* Then these are columns too, but in several places. */
    if (!is_column) g_assert_cmpstr(word, ==, "every-11th");
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/wrong_pattern/planted", test_planted);
  g_test_add_func("/wrong_pattern/every_small_mask", test_every_small_mask);
  g_test_add_func("/wrong_pattern/sizes", test_sizes);
  return g_test_run();
}
