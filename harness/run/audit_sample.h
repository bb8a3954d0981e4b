/* SPDX-License-Identifier: Apache-2.0 */
/* Holds the fast accept sets of a case against the exact side, in a random sample of components. */
#ifndef ASSAY_RUN_AUDIT_SAMPLE_H
#define ASSAY_RUN_AUDIT_SAMPLE_H

#include "harness/run/case_runner.h"

/* Audits the components of a result that are due, by walk->audit_distance, and counts them.
 * STATUS_INVALID if a set is wrong, which is a bug in Assay. */
status_t audit_sample(case_runner_t *walk, const expectation_t *expectation, uint32_t result,
                      failure_t *error);

#endif
