/* SPDX-License-Identifier: Apache-2.0 */
/* One line that tells how large an error would have been seen, at the end of runs and reports. */
#ifndef ASSAY_REPORTS_POWER_POWER_LINE_H
#define ASSAY_REPORTS_POWER_POWER_LINE_H

#include "harness/power/table.h"

/* The elements of one op, algorithm, types and number of terms. */
typedef struct power_kind {
  const char *op;
  const char *types;
  uint64_t terms_least, terms_most;
  uint64_t elements;
  double median; /* In units in the last place. */
} power_kind_t;

/* What the line tells of. */
typedef struct power_summary {
  size_t kinds;
  uint64_t elements;
  double median;         /* Of all elements. */
  power_kind_t bluntest; /* The kind with the largest median, of those with enough elements if there
                            are any. */
} power_summary_t;

/* Takes a kind into account, but for the median of all. */
void power_summary_add(power_summary_t *summary, const power_kind_t *kind);

/* Of what a run measured. */
power_summary_t power_summary_of(const power_table_t *table);

/* "power: half of the elements measured would have shown an error above 0.5 ulp; of 12 kinds the
 * bluntest, byteir.softmax f32->f32 (n = 4096), one above 4.46e+03 ulp", without a newline; nothing
 * if there are no elements. */
void power_line_print(const power_summary_t *summary, GString *out_text);

#endif
