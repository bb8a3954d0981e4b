/* SPDX-License-Identifier: Apache-2.0 */
/* Zeros, held against all that the oracle permits.  Private to harness/judge. */
#ifndef ASSAY_JUDGE_BLIND_H
#define ASSAY_JUDGE_BLIND_H

#include "harness/judge/tally.h"

/* Fast sets know the tightest formula.  Where components conform that lie outside of them, a looser
 * one is what the results were held to, and may permit zeros everywhere, which prove nothing:
 * whether it does, as far as the oracle says of a few components, the same ones in however many
 * parts the case was judged.  False where that is not asked: everything lies in the fast sets, the
 * judge has no oracle, or the results are large. */
bool blind_zeros_conform(const judge_t *judge, const case_t *instance, const tensor_t *results,
                         const judge_tally_t *tally);

#endif
