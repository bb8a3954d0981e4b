/* SPDX-License-Identifier: Apache-2.0 */
/* What came of the steps of a module that were run one by one. */
#ifndef ASSAY_CLI_VERBS_ISOLATION_STEPS_H
#define ASSAY_CLI_VERBS_ISOLATION_STEPS_H

#include <glib.h>

#include "harness/cli/verbs/isolation/difference.h"
#include "harness/judge/verdict.h"

typedef enum isolated_kind {
  ISOLATED_CONSTANT,
  ISOLATED_JUDGED,    /* On the executor: `verdict` says how. */
  ISOLATED_UNJUDGED,  /* On the executor, which gave no results; by the interpreter instead. */
  ISOLATED_NO_ORACLE, /* By the interpreter. */
  ISOLATED_HELD,      /* On the executor, and no oracle knows the op: `against` is all there is. */
  ISOLATED_NOT_RUN,   /* By nobody: `why`. */
  ISOLATED_BODIES,    /* A loop or a choice, whose bodies' ops are steps of their own: `why` says
                       * which of them ran. */
} isolated_kind_t;

/* What the reference made of the same operands. */
typedef struct isolated_against {
  bool has_results;
  difference_t difference; /* From what the executor gave. */
  bool is_judged;          /* By the oracle too. */
  verdict_t verdict;
  char *said; /* Owned: why there are no results, or how they diverge; or NULL. */
} isolated_against_t;

/* One run of one step of the module. */
typedef struct isolated_step {
  size_t index; /* Of the step: those in loops run several times. */
  char *op;     /* Its name; this and what follows owned. */
  char *place;
  char *where; /* "iteration 7 of 12" of the loops around it, or NULL. */
  char *line;  /* Its program, or NULL. */
  char *why;   /* It has no oracle, or was not run, or what ran of it; or NULL. */
  isolated_kind_t kind;
  bool is_asked; /* The executor was, and there is a verdict, whoever gave the results. */
  verdict_t verdict;
  char *description; /* Of a verdict that is not that it conforms, in words; else NULL. */
  char *case_line;   /* Of one that diverges, unless it is too long to be of use; else NULL. */
  isolated_against_t *against; /* NULL: nobody else was asked. */
} isolated_step_t;

typedef struct isolation {
  GPtrArray *steps;             /* isolated_step_t, in the order in which they were run. */
  const isolated_step_t *first; /* That diverges, or NULL. */
  const isolated_step_t *worst; /* The one with the largest error, of those that diverge. */
  size_t op_count;              /* Of the module, without constants, loops and choices ... */
  size_t unreached_count;       /* ... and those of them in bodies that did not run. */
} isolation_t;

void isolation_free(isolation_t *isolation);
void isolated_step_free(isolated_step_t *step);

/* Whether it has a verdict, and that is that it diverges. */
bool isolated_step_diverges(const isolated_step_t *step);

const isolated_step_t *isolation_step(const isolation_t *isolation, size_t position);

/* How many runs of steps are of a kind, how many have an outcome, and how many steps there are of a
 * kind, however often they were run. */
size_t isolation_count(const isolation_t *isolation, isolated_kind_t kind);
size_t isolation_count_outcome(const isolation_t *isolation, outcome_t outcome);
size_t isolation_count_steps(const isolation_t *isolation, isolated_kind_t kind);

#endif
