/* SPDX-License-Identifier: Apache-2.0 */
/* How large an error would have been seen: medians of tolerances on ordinary data, for fixed seeds,
 * as rows of tests/power/medians.def with the 90th percentile and the share of vacuous elements.
 *
 *   bench_power > table */
#include <math.h>
#include <stdio.h>

#include "tests/power/medians.h"

int main(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(median_rows); i++) {
    const median_row_t *row = &median_rows[i];
    medians_t found = measure_medians(row);
    printf("MEDIAN(\"%s\",\n       \"%s\", ", row->contract, row->program);
    if (found.median < (double)INFINITY) {
      printf("%.4g", found.median);
    } else {
      printf("(double)INFINITY");
    }
    printf(") /* 90%%: %.4g; vacuous: %u of %u */\n", found.p90, found.vacuous, found.elements);
    fflush(stdout);
  }
  return 0;
}
