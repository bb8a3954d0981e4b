/* SPDX-License-Identifier: Apache-2.0 */
/* Long rows of softmax as attention has them: a mask hides what comes early, late or both, and few
 * rows have a NaN, which would hide all else. */
#include <glib.h>
#include <math.h>

#include "tests/ops/op_checks.h"

enum { TERMS = 2048, ROWS = 4, CASES = 500 };

typedef struct rows {
  size_t all, with_nan, late, early, lowest;
} rows_t;

static bool is_hidden(double x) { return x <= -3.4e38; }

/* All of the numbers from `begin` to `end` are hidden, but for special values among them. */
static bool are_hidden(const double *x, size_t begin, size_t end) {
  size_t hidden = 0;
  for (size_t i = begin; i < end; i++) hidden += is_hidden(x[i]);
  return hidden + 4 >= end - begin;
}

static void count_row(const double x[TERMS], rows_t *rows) {
  size_t nan = 0, lowest = 0;
  for (size_t i = 0; i < TERMS; i++) {
    nan += isnan(x[i]) != 0;
    lowest += is_hidden(x[i]) && isfinite(x[i]);
  }
  bool late = are_hidden(x, 0, TERMS / 2), early = are_hidden(x, TERMS / 2, TERMS);
  rows->all++;
  rows->with_nan += nan > 0;
  rows->late += late && !early;
  rows->early += early && !late;
  rows->lowest += lowest > TERMS / 8;
}

static void test_masks(void) {
  arena_t arena;
  arena_init(&arena);
  const char *violation = NULL;
  program_t program =
      check_parse("byteir.softmax axis=1 f32[4,2048] -> f32[4,2048]", &arena, &violation);
  case_t instance = case_make(&arena, &program);
  rng_t rng = rng_make(0x3a5c);
  rows_t rows = {0};
  const float *data = (const float *)(const void *)instance.operands[0].data;
  for (size_t k = 0; k < CASES; k++) {
    program.op->draw_edges(&rng, &instance);
    for (size_t row = 0; row < ROWS; row++) {
      double x[TERMS];
      for (size_t i = 0; i < TERMS; i++) x[i] = (double)data[row * TERMS + i];
      count_row(x, &rows);
    }
  }
  g_test_message("%zu rows: %zu with NaN, %zu late, %zu early, %zu by lowest", rows.all,
                 rows.with_nan, rows.late, rows.early, rows.lowest);
  g_assert_cmpuint(rows.with_nan, >, rows.all / 50);
  g_assert_cmpuint(rows.with_nan, <, rows.all / 3);
  g_assert_cmpuint(rows.late, >, rows.all / 20);
  g_assert_cmpuint(rows.early, >, rows.all / 20);
  g_assert_cmpuint(rows.lowest, >, rows.all / 20);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/byteir_softmax_rows/masks", test_masks);
  return g_test_run();
}
