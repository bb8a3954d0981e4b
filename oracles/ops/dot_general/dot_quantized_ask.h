/* The last word on one component of a quantized or hybrid dot_general. */
#ifndef ASSAY_OPS_DOT_QUANTIZED_ASK_H
#define ASSAY_OPS_DOT_QUANTIZED_ASK_H

#include "oracles/ops/dot_general/dot_rescale.h"

/* As oracle_t.ask.  What conforms by one of the two semantics only is noted in
 * out_answer->observed. */
status_t dot_quantized_ask(const case_t *instance, const contract_t *contract, size_t component,
                           uint64_t bits, arena_t *arena, answer_t *out_answer, failure_t *error);
status_t dot_hybrid_ask(const case_t *instance, const contract_t *contract, size_t component,
                        uint64_t bits, arena_t *arena, answer_t *out_answer, failure_t *error);

#endif
