/* In-order contracts: only sums over the specification's trees conform, whose nodes are sums of
 * contiguous ranges (VERDICTS.md, section 3). */
#ifndef ASSAY_ORACLES_SUM_ORDER_H
#define ASSAY_ORACLES_SUM_ORDER_H

#include "oracles/exact/sum_question.h"

/* Whether the order of `terms` terms can tell anything that the any-order bound does not: the contract
 * is in-order with plain nodes of the accumulation type, and there are three terms or more.  Parts
 * of complex sums, in-order contracts that permit wider nodes, truncation or flushing, sums of more
 * than 512 terms, and more than 4 initial values are judged by the any-order bound. */
bool sum_order_matters(size_t terms, const contract_t *contract, bool is_complex_part);

/* The same for a question. */
bool sum_order_applies(const sum_question_t *question, const contract_t *contract);

/* Whether an in-order tree gives the pattern, which lies within the any-order bound and is finite; the
 * initial value enters `init_count` times. */
status_t sum_order_admits(const sum_question_t *question, const contract_t *contract,
                          uint32_t init_count, uint64_t bits, arena_t *arena, bool *out_admits,
                          error_t *error);

#endif
