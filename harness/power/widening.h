/* SPDX-License-Identifier: Apache-2.0 */
/* Which permission makes an accept set as wide as it is: permissions are withdrawn one at a time.
 * They are taken from the contract by their index; none is known here by name. */
#ifndef ASSAY_POWER_WIDENING_H
#define ASSAY_POWER_WIDENING_H

#include "harness/power/tolerance.h"

/* A permission withdrawn: set to a value that permits less, and than which no other that permits
 * less than the contract's permits less. */
typedef struct withdrawal {
  const char *permission;
  uint8_t value;
} withdrawal_t;

/* What is left of a tolerance without a permission. */
typedef struct narrowing {
  withdrawal_t withdrawal;
  double ulps;
} narrowing_t;

/* Appends a narrowing_t for each permission without which the farthest value of `tolerance` does
 * not conform.  Asks in groups: what conforms without a whole group of permissions conforms without
 * any one of them (oracles/theory.md, T90). */
status_t widening_find(const tolerance_question_t *question, uint32_t result, size_t component,
                       const tolerance_t *tolerance, GArray *inout_narrowings, failure_t *error);

#endif
