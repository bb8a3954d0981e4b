/* SPDX-License-Identifier: Apache-2.0 */
/* The last word on one component of a quantized or hybrid dot_general. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_QUANTIZED_DECIDE_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_QUANTIZED_DECIDE_H

#include "oracles/ops/dot_general/quantized/rescale.h"
#include "oracles/oracle_call.h"

/* As oracle_t.decide.  What conforms by one of the two semantics only is noted in
 * out_answer->observed. */
status_t dot_quantized_decide(const oracle_call_t *call, size_t component, uint64_t bits,
                              answer_t *out_answer);
status_t dot_hybrid_decide(const oracle_call_t *call, size_t component, uint64_t bits,
                           answer_t *out_answer);

/* The first by an algorithm, whichever one the program names; NULL: it names none. */
status_t dot_quantized_decide_by(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                                 size_t component, uint64_t bits, answer_t *out_answer);

/* As dot_quantized_decide(), which goes through all schedules of an in-order contract where nothing
 * less tells; here STATUS_UNDECIDED, without words, if that were more than *inout_work node
 * operations, which become fewer by what it took. */
status_t dot_quantized_decide_within(const oracle_call_t *call, size_t component, uint64_t bits,
                                     uint64_t *inout_work, answer_t *out_answer);

#endif
