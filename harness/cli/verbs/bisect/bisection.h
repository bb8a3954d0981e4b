/* SPDX-License-Identifier: Apache-2.0 */
/* Binary search over releases of a backend: which one is to be tried next for a case, and which one
 * changed what becomes of it.  Knows no backend. */
#ifndef ASSAY_CLI_VERBS_BISECT_BISECTION_H
#define ASSAY_CLI_VERBS_BISECT_BISECTION_H

#include <stdbool.h>
#include <stddef.h>

typedef enum trial_outcome {
  TRIAL_UNKNOWN, /* Not tried yet. */
  TRIAL_CONFORMS,
  TRIAL_DIVERGES,
  TRIAL_UNTESTABLE, /* It was not installed, refused the program, failed, or proved nothing. */
} trial_outcome_t;

/* What became of a case on one release. */
typedef struct trial {
  trial_outcome_t outcome;
  char *detail; /* The class and what came, or why it is not known; owned; NULL while unknown. */
} trial_t;

/* False if all is known that the search needs; else which of `count` releases, in ascending order,
 * is to be tried.  The ends come first (where one cannot be tested, its nearest neighbour), then
 * the middle of what is open between two that differ. */
bool bisection_next(const trial_t *trials, size_t count, size_t *out_index);

/* Where the outcome changes: between these two, which were tried; what lies between them cannot be
 * tested, or was not. */
typedef struct bisection_change {
  size_t before;
  size_t after;
} bisection_change_t;

/* The first change that begins at release `from` or later; false if there is none. */
bool bisection_find(const trial_t *trials, size_t count, size_t from,
                    bisection_change_t *out_change);

#endif
