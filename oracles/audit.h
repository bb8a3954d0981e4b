/* SPDX-License-Identifier: Apache-2.0 */
/* Holds the fast side of the oracle against the exact side (accept.h tells what the fast side
 * promises).  A mismatch is a bug in Assay. */
#ifndef ASSAY_ORACLES_AUDIT_H
#define ASSAY_ORACLES_AUDIT_H

#include "oracles/oracle.h"

/* The exact value of a component, where it is a finite sum. */
typedef struct audit_reference {
  bool is_known;
  double sum;       /* Correctly rounded to binary64. */
  double tail;      /* Exact value - sum, correctly rounded. */
  double magnitude; /* Sum of |terms|, rounded up. */
} audit_reference_t;

/* Zeros for all results of a program, in the arena: for audits of several components to write to.
 */
const tensor_t *audit_results(arena_t *arena, const program_t *program);

/* Requires that every pattern that the fast set of the component names (its bits, both ends of its
 * interval) conforms by `oracle`'s decide(), and that its reference and magnitude are as promised.
 * The patterns are written into the call's results, which are made if there are none; a memo must
 * keep nothing that depends on them. */
status_t audit_component(const oracle_t *oracle, const oracle_call_t *call, const accept_t *accepts,
                         uint32_t result, size_t component, const audit_reference_t *reference);

#endif
