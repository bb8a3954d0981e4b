/* SPDX-License-Identifier: Apache-2.0 */
/* Which algorithms executors were asked for and which ones their bits could have come from, and by
 * which formulas they computed composite ops: cases by executor, label and what was observed. */
#ifndef ASSAY_RECORD_OBSERVATION_TALLY_H
#define ASSAY_RECORD_OBSERVATION_TALLY_H

#include "harness/record/tally.h"

typedef enum observation_kind {
  OBSERVATION_ALGORITHM, /* The set of algorithms that could have given the results, "A|B". */
  OBSERVATION_FORMULA,   /* The tightest formula that could. */
  OBSERVATION_PRECISION, /* That set where a precision_config says what is wanted. */
  OBSERVATION_CONTRACT,  /* Whether contract `wide` was kept: VERDICT_WIDE, VERDICT_NOT_WIDE. */
} observation_kind_t;

/* "algorithm", "formula", "precision", "contract". */
const char *observation_kind_spelling(observation_kind_t kind);

typedef struct observation_row {
  observation_kind_t kind;
  size_t executor;      /* Index among the session's executors. */
  tally_label_t label;  /* Its algorithm is what was asked for. */
  const char *observed; /* verdict_t.algorithms, .formula, .precision or .contract; equal texts are
                           one pointer. */
  uint64_t cases;
  uint64_t cases_stored; /* Of these, how many the store knows of. */
} observation_row_t;

/* Whether the set, "A|B", has that algorithm. */
bool observation_set_has(const char *set, const char *algorithm);

typedef struct observation_tally observation_tally_t;

observation_tally_t *observation_tally_new(void);
void observation_tally_free(observation_tally_t *observations);

/* Counts one case, if the verdict has algorithms, a formula, a precision or a contract.  The label
 * is a tally's, which must live as long. */
void observation_tally_add(observation_tally_t *observations, size_t executor,
                           const tally_label_t *label, const verdict_t *verdict);

/* All rows, in order of first appearance. */
size_t observation_tally_count(const observation_tally_t *observations);
observation_row_t *observation_tally_at(observation_tally_t *observations, size_t index);

#endif
