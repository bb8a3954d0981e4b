/* SPDX-License-Identifier: Apache-2.0 */
/* What the fast evaluator finds is written into accept sets by all vector loops as one number after
 * the other: zeros of either sign, NaN, infinities, with tails and without. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "harness/base/rng.h"
#include "harness/num/binary64.h"
#include "oracles/composite/store/fast_store.h"

enum { COUNT = 203, ROUNDS = 300 };

static const double smallest = 0x1p-149;

typedef struct sets {
  double low[COUNT], high[COUNT], other_low[COUNT], other_high[COUNT];
  double reference[COUNT], tail[COUNT], magnitude[COUNT];
  uint8_t specials[COUNT], decide[COUNT];
} sets_t;

static set_arrays_t arrays_of(sets_t *sets, bool has_others) {
  return (set_arrays_t){.low = sets->low,
                        .high = sets->high,
                        .other_low = has_others ? sets->other_low : NULL,
                        .other_high = has_others ? sets->other_high : NULL,
                        .reference = sets->reference,
                        .tail = sets->tail,
                        .magnitude = sets->magnitude,
                        .specials = sets->specials,
                        .decide = sets->decide};
}

/* ---- As it is told, one number after the other ----------------------------------------------- */

static bool is_negative_zero(double x) { return x == 0 && signbit(x) != 0; }

static double reach(const sets_t *sets, size_t i, double low, double high) {
  return fmax((high - sets->reference[i]) - sets->tail[i],
              (sets->reference[i] - low) + sets->tail[i]);
}

static void store_first(const fast_row_t *row, size_t i, sets_t *sets) {
  double low = row->low[i], high = row->high[i];
  bool is_nothing = row->tail != NULL && low == 0 && high == 0;
  sets->decide[i] = isnan(low) || is_negative_zero(low) || is_negative_zero(high);
  sets->specials[i] = low == -(double)INFINITY ? ACCEPT_NEGATIVE_INFINITY : 0;
  sets->low[i] = sets->specials[i] != 0 ? 1 : low;
  sets->high[i] = sets->specials[i] != 0 ? -1 : high;
  sets->reference[i] = is_nothing ? 0 : row->point[i];
  sets->tail[i] = row->tail == NULL || is_nothing ? 0 : row->tail[i];
  sets->magnitude[i] = reach(sets, i, sets->low[i], sets->high[i]);
  sets->other_low[i] = 1;
  sets->other_high[i] = -1;
}

static void store_other(const fast_row_t *row, size_t i, sets_t *sets) {
  double low = row->low[i], high = row->high[i];
  if (sets->decide[i] != 0 || !(low > -(double)INFINITY)) return;
  sets->other_low[i] = low = is_negative_zero(low) ? smallest : low;
  sets->other_high[i] = high = is_negative_zero(high) ? -smallest : high;
  sets->magnitude[i] = fmax(sets->magnitude[i], reach(sets, i, low, high));
}

/* ---- Rows ------------------------------------------------------------------------------------ */

typedef struct numbers {
  double low[COUNT], high[COUNT], point[COUNT], tail[COUNT];
} numbers_t;

/* Intervals around a number; in one of eight something else. */
static void draw_numbers(rng_t *rng, numbers_t *out) {
  for (size_t i = 0; i < COUNT; i++) {
    double middle = (double)rng_between(rng, -40, 40) / 8, size = (double)rng_below(rng, 3);
    out->low[i] = middle - size;
    out->high[i] = middle + size;
    out->point[i] = middle + size / 4;
    out->tail[i] = middle * 0x1p-60;
    switch (rng_below(rng, 32)) {
      case 0:
        out->low[i] = out->high[i] = (double)NAN;
        break;
      case 1:
        out->low[i] = out->high[i] = out->point[i] = -(double)INFINITY;
        break;
      case 2:
        out->low[i] = -0.0;
        break;
      case 3:
        out->high[i] = -0.0;
        break;
      default:
        break;
    }
  }
}

static fast_row_t row_of(const numbers_t *numbers, bool has_tail) {
  return (fast_row_t){.count = COUNT,
                      .low = numbers->low,
                      .high = numbers->high,
                      .point = numbers->point,
                      .tail = has_tail ? numbers->tail : NULL};
}

static void check_doubles(const double *a, const double *b, size_t count) {
  for (size_t i = 0; i < count; i++) {
    g_assert_true(binary64_bits(a[i]) == binary64_bits(b[i]) || (isnan(a[i]) && isnan(b[i])));
  }
}

/* Where the exact side is asked, nothing but that matters. */
static void check_same(sets_t *told, sets_t *got, bool has_others) {
  g_assert_cmpint(memcmp(told->decide, got->decide, COUNT), ==, 0);
  g_assert_cmpint(memcmp(told->specials, got->specials, COUNT), ==, 0);
  for (size_t i = 0; i < COUNT; i++) {
    if (told->decide[i] != 0) told->magnitude[i] = got->magnitude[i] = 0;
  }
  check_doubles(told->low, got->low, COUNT);
  check_doubles(told->high, got->high, COUNT);
  check_doubles(told->reference, got->reference, COUNT);
  check_doubles(told->tail, got->tail, COUNT);
  check_doubles(told->magnitude, got->magnitude, COUNT);
  if (!has_others) return;
  check_doubles(told->other_low, got->other_low, COUNT);
  check_doubles(told->other_high, got->other_high, COUNT);
}

static void check_rows(const fast_store_t *store, const fast_row_t rows[2], bool has_others) {
  sets_t told, got;
  const set_arrays_t out = arrays_of(&got, has_others);
  for (size_t i = 0; i < COUNT; i++) store_first(&rows[0], i, &told);
  store->first(&rows[0], 0, COUNT, &out);
  for (size_t i = 0; has_others && i < COUNT; i++) store_other(&rows[1], i, &told);
  if (has_others) store->other(&rows[1], 0, COUNT, smallest, &out);
  check_same(&told, &got, has_others);
}

static void check_store(const fast_store_t *store) {
  rng_t rng = rng_make(5);
  numbers_t numbers[2];
  for (int i = 0; i < ROUNDS; i++) {
    bool has_tail = i % 2 != 0, has_others = i % 4 < 2;
    draw_numbers(&rng, &numbers[0]);
    draw_numbers(&rng, &numbers[1]);
    const fast_row_t rows[] = {row_of(&numbers[0], has_tail), row_of(&numbers[1], has_tail)};
    check_rows(store, rows, has_others);
  }
}

static void test_store(void) {
  static const char *const names[] = {"portable", "avx2", "avx512"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    const fast_store_t *store = fast_store_named(names[i]);
    if (store != NULL) check_store(store); /* Else this machine cannot run them. */
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/fast-store/store", test_store);
  return g_test_run();
}
