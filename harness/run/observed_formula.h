/* SPDX-License-Identifier: Apache-2.0 */
/* By which of its formulas a composite op was computed, told by the bits. */
#ifndef ASSAY_RUN_OBSERVED_FORMULA_H
#define ASSAY_RUN_OBSERVED_FORMULA_H

#include "harness/judge/verdict.h"
#include "oracles/oracle.h"

/* Notes the tightest formula that explains the call's results, which have been judged by `accepts`;
 * nothing where the op has none, and where nothing could have failed. */
status_t observe_formula(const oracle_t *oracle, const oracle_call_t *call, const accept_t *accepts,
                         verdict_t *inout_verdict);

#endif
