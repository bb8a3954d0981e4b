/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger of bits: what each version of an executor returns for the same cases, so that two
 * versions can be held against each other even where both conform. */
#ifndef ASSAY_SESSION_BIT_HISTORY_H
#define ASSAY_SESSION_BIT_HISTORY_H

#include "harness/session/session.h"

/* A case whose bits are recorded: an on_answer of sessions that have a store does this with each.
 */
void bit_history_add(store_t *store, const session_t *session, const session_answer_t *answer);

typedef struct bit_history_options {
  const op_t *const *ops; /* Borrowed. */
  size_t op_count;
  uint64_t seed;
  uint64_t programs;  /* For each op ... */
  uint64_t data_sets; /* ... each with so many data. */
  const volatile sig_atomic_t *stop;
} bit_history_options_t;

/* Walks cases that depend on the seed, the op and the counts alone, and neither on the executors
 * nor on the other ops.  A program that all executors refuse gets one data set.  `session` records
 * them. */
status_t bit_history_run(session_t *session, const bit_history_options_t *options,
                         failure_t *error);

#endif
