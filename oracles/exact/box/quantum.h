/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of quantized numbers: what quantizing and dequantizing make of all numbers of a box.  Both
 * are monotone, so the ends tell. */
#ifndef ASSAY_ORACLES_EXACT_BOX_QUANTUM_H
#define ASSAY_ORACLES_EXACT_BOX_QUANTUM_H

#include "oracles/exact/box/box.h"
#include "oracles/exact/quantum/quantum.h"

/* The storage range; all of the storage type, for floats that are to be none of that. */
box_t quantum_box_range(const quantum_t *quantum);
box_t quantum_box_anything(const quantum_t *quantum);

/* What the formula gives of numbers of the format `arithmetic`, in each way that the contract
 * permits (quantize_ways()); without a format, of real numbers: clamp(round(value / scale + zero
 * point)). */
box_t quantum_box_quantize(const quantum_t *quantum, const format_t *arithmetic,
                           const contract_t *contract, box_t values);

/* The same of what rn(rn(value / scale) + rn(zero point)) is, however that was found. */
box_t quantum_box_of_sums(const quantum_t *quantum, const format_t *arithmetic, box_t sums);

/* rn(rn(stored - zero point) * scale); without format, (stored - zero point) * scale. */
box_t quantum_box_dequantize(const quantum_t *quantum, const format_t *arithmetic, box_t stored);

/* stored - zero point, which is exact. */
box_t quantum_box_difference(const quantum_t *quantum, box_t stored);

#endif
