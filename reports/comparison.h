/* SPDX-License-Identifier: Apache-2.0 */
/* Two versions of an executor held against each other, from a database alone: their findings, the
 * bits of the cases that both were asked, what they refuse, how they add. */
#ifndef ASSAY_REPORTS_COMPARISON_H
#define ASSAY_REPORTS_COMPARISON_H

#include "reports/report_grid.h"

/* An executor in the database. */
typedef struct comparison_side {
  int64_t executor_id;
  char *name; /* Owned, like the rest. */
  char *version;
  char *hardware;
} comparison_side_t;

typedef enum comparison_part {
  COMPARISON_FINDINGS, /* A row per signature: seen before, after, or in both. */
  COMPARISON_BITS,     /* A row per op, algorithm and types: cases whose bits changed, and slack. */
  COMPARISON_REFUSED,  /* Likewise: cases that one refused and the other did not. */
  COMPARISON_PROFILES, /* As the query profile-changes has them. */
  COMPARISON_PART_COUNT
} comparison_part_t;

/* "findings", "bits", "refused", "profiles" */
const char *comparison_part_name(comparison_part_t part);

typedef struct comparison {
  comparison_side_t before;
  comparison_side_t after;
  report_grid_t grids[COMPARISON_PART_COUNT];
} comparison_t;

/* `before` and `after` are versions as the executor says them, names with a release
 * ("onnxruntime@1.24.4"), or "#3", an executor's number in the database; `executor` is its name, or
 * NULL for any.  STATUS_INVALID, with those that there are, if one of them is not known or could be
 * several. */
status_t comparison_open(const char *path, const char *executor, const char *before,
                         const char *after, comparison_t *out_comparison, failure_t *error);
void comparison_close(comparison_t *comparison);

/* The sum of a column over the rows of a part. */
int64_t comparison_sum(const comparison_t *comparison, comparison_part_t part, const char *column);

/* Findings with this in the column `seen`: "before", "after", "both". */
size_t comparison_count_findings(const comparison_t *comparison, const char *seen);

/* One JSON object: both sides, and an array of objects for each part. */
void comparison_print_json(const comparison_t *comparison, FILE *out);

#endif
