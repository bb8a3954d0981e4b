/* SPDX-License-Identifier: Apache-2.0 */
/* Where planted faults act on single values, of whatever op: as they are read, and as they are
 * written. */
#ifndef ASSAY_ORACLES_EXACT_QUANTUM_FAULT_VALUES_H
#define ASSAY_ORACLES_EXACT_QUANTUM_FAULT_VALUES_H

#include "harness/model/case.h"
#include "harness/model/implementation_model.h"

/* The value of an operand's pattern as an implementation with that fault reads it. */
double fault_load_float(fault_t fault, const format_t *format, uint64_t bits);

/* What it makes of the pattern of result element `output` on its way out. */
uint64_t fault_spoil_bits(fault_t fault, const format_t *format, uint64_t bits, size_t output);

/* Whether it does not write element `output` of a result, or has written it here another way. */
bool fault_skips_store(fault_t fault, size_t output, tensor_t *result);

#endif
