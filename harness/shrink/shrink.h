/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a case small while something about it stays: a predicate of the caller's, asked again and
 * again.  Knows no op by name and no executor.
 *
 * Candidates come in this order, over and over until none is taken: fewer entries along every
 * index, the terms of a sum last; fewer dimensions; the operands' dimensions in the usual order;
 * small programs drawn anew; several sizes lowered together; attributes as they are by default;
 * values that say little (zeros, ones, powers of two, few bits).  Of each kind the boldest come
 * first.
 *
 * A candidate is asked about only if it is smaller by shrink_measure_compare(), which is
 * well-founded, so that shrinking ends; if its program breaks the constraint that the first one
 * breaks, or none like it; and if it keeps the label: op, algorithm and element types.
 *
 * Of a module (harness/kinds/module) steps are left out first: values become operands, earlier
 * values are returned, operands take the place of results; then sizes are lowered in all steps that
 * must agree.  Its label is the op alone. */
#ifndef ASSAY_SHRINK_SHRINK_H
#define ASSAY_SHRINK_SHRINK_H

#include <signal.h>

#include "harness/model/op.h"
#include "harness/shrink/measure.h"

/* How far it has come. */
typedef struct shrink_report {
  uint32_t calls;           /* Of the predicate. */
  uint32_t program_changes; /* Programs, beside the first, that the predicate was asked about. */
  uint32_t accepted;        /* Candidates taken. */
  bool is_reproduced;       /* The predicate holds for the first case. */
  bool is_complete;         /* No candidate is left, rather than no calls or programs. */
  shrink_measure_t before;
  shrink_measure_t after;
} shrink_report_t;

typedef struct shrink_options {
  /* Whether what is looked for is still there.  A status but STATUS_OK ends the shrinking. */
  status_t (*still)(void *context, const case_t *candidate, bool *out_holds, failure_t *error);
  void *context;
  uint32_t calls_max;                /* Then the smallest so far must do; at least 1. */
  uint32_t program_changes_max;      /* Likewise, but data may still change. */
  uint64_t seed;                     /* Of data and programs drawn anew. */
  const volatile sig_atomic_t *stop; /* If not NULL: ends the shrinking once nonzero. */
  /* Called, if not NULL, whenever a candidate was taken. */
  void (*on_accepted)(void *hook_context, const case_t *best, const shrink_report_t *report);
  void *hook_context;
} shrink_options_t;

/* The first call of the predicate is about `start` itself; unless it holds, *out_case is a copy of
 * it.  Where a call fails, *out_case is the candidate that it failed on, and the status is that
 * call's.  *out_case is in the arena.  The same options, start and answers give the
 * same case; one that is complete shrinks to itself. */
status_t shrink_case(const shrink_options_t *options, const case_t *start, arena_t *arena,
                     case_t *out_case, shrink_report_t *out_report, failure_t *error);

#endif
