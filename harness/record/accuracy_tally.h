/* SPDX-License-Identifier: Apache-2.0 */
/* How accurate results were, by what the cases were like: sums over a sample of the judged cases,
 * by executor, label, outcome and a few figures of the case. */
#ifndef ASSAY_RECORD_ACCURACY_TALLY_H
#define ASSAY_RECORD_ACCURACY_TALLY_H

#include "harness/record/case_figures.h"
#include "harness/record/tally.h"

enum {
  ACCURACY_CASES_FIRST = 256, /* Of a session the first cases are in the sample, ... */
  ACCURACY_ONE_CASE_IN = 4,   /* ... and of the others one in so many. */
  CONDITION_UNKNOWN = -1,     /* Buckets of condition numbers: octaves of octaves from 1 on, ... */
  CONDITION_BUCKET_MOST = 21, /* ... of which the last has all that is larger. */
};

/* Whether the case of that number (0, 1, ...) is in the sample.  Which ones are depends on the seed
 * and the number alone, never on a verdict. */
bool accuracy_is_sampled(uint64_t seed, uint64_t number);

/* What operands hold. */
typedef enum data_kind { DATA_ORDINARY, DATA_WIDE, DATA_SPECIAL } data_kind_t;

data_kind_t data_kind_of(const case_figures_t *figures);
const char *data_kind_spelling(data_kind_t kind); /* "ordinary", "wide", "special" */

/* The bucket of a condition number; NaN is CONDITION_UNKNOWN.  Its ends: NaN where it is unknown.
 */
int condition_bucket(double condition);
double condition_bucket_low(int bucket);
double condition_bucket_high(int bucket);

/* Cases that are counted together. */
typedef struct accuracy_row {
  size_t executor; /* Index among the session's executors. */
  tally_label_t label;
  outcome_t outcome;
  const char *stratum; /* A name that lives as long, or "". */
  data_kind_t data;
  size_t terms_bucket; /* term_bucket() */
  int condition_bucket;
  /* From here on what the store does not know of yet, but for the extremes. */
  uint64_t cases;
  uint64_t elements;
  uint64_t operand_elements;
  uint64_t nan_elements;
  uint64_t infinite_elements;
  uint64_t subnormal_elements;
  uint64_t nanoseconds;
  uint64_t ulp_error_cases; /* Of which it is known and finite. */
  double ulp_error_sum;
  uint64_t backward_error_cases;
  double backward_error_sum;
  double ulp_error_max; /* NaN-free, 0 where nothing was measured. */
  double slack_max;
  double backward_error_max;
  double condition_max; /* NaN where it is not known, as the next two. */
  double term_magnitude_max;
  double sum_magnitude_max;
} accuracy_row_t;

/* One case on one executor. */
typedef struct accuracy_case {
  size_t executor;
  const tally_label_t *label; /* A tally's, which must live as long. */
  const char *stratum;        /* Likewise, or "". */
  const case_figures_t *figures;
  const verdict_t *verdict;
  uint64_t nanoseconds; /* In the executor. */
} accuracy_case_t;

typedef struct accuracy_tally accuracy_tally_t;

accuracy_tally_t *accuracy_tally_new(void);
void accuracy_tally_free(accuracy_tally_t *accuracy);

/* Counts it if it was judged: it conforms or diverges by its values. */
void accuracy_tally_add(accuracy_tally_t *accuracy, const accuracy_case_t *instance);

/* All rows, in order of first appearance. */
size_t accuracy_tally_count(const accuracy_tally_t *accuracy);
accuracy_row_t *accuracy_tally_at(accuracy_tally_t *accuracy, size_t index);

/* The sums of a row begin anew: the store has them. */
void accuracy_row_stored(accuracy_row_t *row);

#endif
