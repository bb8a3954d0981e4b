/* SPDX-License-Identifier: Apache-2.0 */
/* Planted faults of addresses (harness/model/faults/addressing.def): a kernel that computes what it
 * should, and reads or writes the wrong elements.  They know no op: operands are rearranged before
 * simulate(), results after it. */
#ifndef ASSAY_BUILTIN_ADDRESSING_H
#define ASSAY_BUILTIN_ADDRESSING_H

#include "harness/model/case.h"
#include "harness/model/implementation_model.h"

/* What an implementation with that fault reads of the operands, in `arena` where it differs. */
void addressing_spoil_operands(fault_t fault, case_t *inout_case, arena_t *arena);

/* Whether results have to go through addressing_store(). */
bool addressing_spoils_results(fault_t fault);

/* Writes what was computed to where that fault has it written; what it does not write stays. */
void addressing_store(fault_t fault, const tensor_t *computed, tensor_t *inout_result);

#endif
