/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that nobody had computed, held against all that the oracle permits.  Private to
 * harness/judge. */
#ifndef ASSAY_JUDGE_BLIND_H
#define ASSAY_JUDGE_BLIND_H

#include "harness/judge/tally.h"

/* Fast sets know the tightest formula.  Where components conform that lie outside of them, a looser
 * one is what the results were held to, and may permit zeros, NaN or twice the exact value: each of
 * these is put in the place of the results, and the oracle asked about a few components, up to the
 * first that it refuses.  An answer that none refuses is no longer refuted in inout_tally. */
status_t blind_reconsider(const judge_t *judge, const case_t *instance, const accept_t *accepts,
                          const tensor_t *results, judge_tally_t *inout_tally);

#endif
