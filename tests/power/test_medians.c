/* SPDX-License-Identifier: Apache-2.0 */
/* No accept set becomes blunter unnoticed: medians of tolerances, for fixed seeds, are at most
 * those of medians.def.  A median that has fallen is told: its row is then to be lowered. */
#include "tests/power/medians.h"

#include <math.h>
#include <string.h>

/* By so much a median may grow: a sharper bound elsewhere may have made a row take another way. */
static const double GROWTH = 1.02;

static bool is_blunter(double median, double held) {
  return !(median <= held * GROWTH); /* NaN, too. */
}

static void test_row(gconstpointer data) {
  const median_row_t *row = data;
  medians_t found = measure_medians(row);
  g_test_message("%s, %s: %.5g ulps, %.5g by the table; %u elements", row->program, row->contract,
                 found.median, row->ulps, found.elements);
  g_assert_cmpuint(found.elements, >=, 4);
  g_assert_false(is_blunter(found.median, row->ulps));
  if (found.median < row->ulps / GROWTH) g_test_message("sharper: lower the row in medians.def");
}

/* The check itself: what a looser contract accepts is found to be blunter. */
static void test_blunter_is_seen(void) {
  median_row_t row = median_rows[0];
  bool is_seen = false;
  for (size_t i = 0; i < G_N_ELEMENTS(median_rows) && !is_seen; i++) {
    row = median_rows[i];
    if (strstr(row.program, "byteir.softmax") == NULL || strstr(row.program, "f32[") == NULL) {
      continue;
    }
    row.contract = "backend,exp_f32=64";
    is_seen = is_blunter(measure_medians(&row).median, row.ulps);
  }
  g_assert_true(is_seen);
  g_assert_true(is_blunter(NAN, 1));
  g_assert_true(is_blunter((double)INFINITY, 1));
  g_assert_false(is_blunter(0, 0));
  g_assert_false(is_blunter((double)INFINITY, (double)INFINITY));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/medians/blunter_is_seen", test_blunter_is_seen);
  for (size_t i = 0; i < G_N_ELEMENTS(median_rows); i++) {
    g_autofree char *path = g_strdup_printf("/medians/%zu", i + 1);
    g_test_add_data_func(path, &median_rows[i], test_row);
  }
  return g_test_run();
}
