/* SPDX-License-Identifier: Apache-2.0 */
/* What a campaign finds: divergences, and failures of an executor.  Equal signatures on one
 * executor are one finding; the first case that shows it is kept, later ones are counted. */
#ifndef ASSAY_RECORD_FINDING_H
#define ASSAY_RECORD_FINDING_H

#include "harness/judge/judge.h"
#include "harness/record/case_figures.h"
#include "harness/record/tally.h"

/* Where a case came from. */
typedef struct case_origin {
  const char *regime;  /* Of its data, or "". */
  const char *stratum; /* Likewise. */
  uint64_t case_seed;  /* stream_draw_data() with it gives the data, if has_case_seed. */
  bool has_case_seed;
} case_origin_t;

typedef struct finding {
  size_t executor; /* Index among the session's executors. */
  hash_text_t signature;
  tally_label_t label;
  verdict_t verdict;      /* Of the first case. */
  case_origin_t origin;   /* Of the first case. */
  case_figures_t figures; /* Of the first case, its sums those of the worst element. */
  uint64_t nanoseconds;   /* In the executor, on the first case. */
  uint64_t ordinal;       /* Which case of the session it was: 1 is the first. */
  char *implementation;
  char *program_line;
  char *case_line;
  char *shrunk_line; /* The same made small, or NULL. */
  uint64_t count;
} finding_t;

typedef struct finding_set finding_set_t;

finding_set_t *finding_set_new(void);
void finding_set_free(finding_set_t *set);

/* The finding with that signature on that executor, or NULL. */
finding_t *finding_set_find(const finding_set_t *set, size_t executor,
                            const hash_text_t *signature);

/* Adds a copy of `finding`, texts included; it is not in the set. */
const finding_t *finding_set_add(finding_set_t *set, const finding_t *finding);

/* Keeps the small case of a finding that is in the set; the line is copied. */
void finding_set_keep_shrunk(finding_set_t *set, size_t executor, const hash_text_t *signature,
                             const char *shrunk_line);

/* In order of discovery. */
size_t finding_set_count(const finding_set_t *set);
const finding_t *finding_set_at(const finding_set_t *set, size_t index);

#endif
