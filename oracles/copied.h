/* SPDX-License-Identifier: Apache-2.0 */
/* Elements that are copies of others: what the ops that compute nothing share. */
#ifndef ASSAY_ORACLES_COPIED_H
#define ASSAY_ORACLES_COPIED_H

#include "harness/model/accept.h"
#include "harness/model/implementation_model.h"

/* Whether a copy of the pattern `from` may be `bits`: NaNs are one value (the specification gives
 * payloads no meaning), and what the contract permits of zeros and subnormal numbers it permits of
 * copies too. */
bool copied_conforms(const element_t *element, const contract_t *contract, uint64_t from,
                     uint64_t bits);

/* Appends the value of a pattern to text in a buffer of `bytes`. */
void copied_print(const element_t *element, uint64_t bits, char *inout_text, size_t bytes);

/* The answer to a component with the pattern `bits` that is to be a copy of `from`. */
answer_t copied_answer(const element_t *element, const contract_t *contract, uint64_t from,
                       uint64_t bits);

/* What a model with that fault reads and writes when it copies a float's pattern to component
 * `output`. */
uint64_t copied_spoil(fault_t fault, const element_t *element, uint64_t bits, size_t output);

#endif
