/* SPDX-License-Identifier: Apache-2.0 */
/* Where planted faults act on quantized elements, of whatever op: as implementations read scales
 * and zero points, dequantize and quantize.  Without a fault, the formulas of quantum.h. */
#ifndef ASSAY_ORACLES_EXACT_QUANTUM_QUANTIZE_FAULTY_H
#define ASSAY_ORACLES_EXACT_QUANTUM_QUANTIZE_FAULTY_H

#include "harness/model/implementation_model.h"
#include "oracles/exact/quantum/quantum.h"

/* How an implementation reads the quantization of an element. */
quantum_t quantize_faulty_of(const type_t *type, fault_t fault, size_t element);

/* And its storage value. */
int64_t quantize_faulty_load(const tensor_t *tensor, fault_t fault, size_t element);

/* What its expressed type is computed in: types of at most 16 bits in f32, unless the schedule says
 * otherwise. */
const format_t *quantize_faulty_arithmetic(const type_t *type,
                                           const implementation_model_t *schedule);

double fault_dequantize(const type_t *type, const quantum_t *quantum, const format_t *arithmetic,
                        fault_t fault, int64_t stored);

/* The way to quantize that the schedule's name asks for (theory.md, T294). */
quantize_way_t quantize_faulty_way(const implementation_model_t *schedule);

/* A storage value, of which the low bits are stored; FAULT_quantized_unclamped goes beyond. */
int64_t fault_quantize(const type_t *type, const quantum_t *quantum, const format_t *arithmetic,
                       const implementation_model_t *schedule, double value);

#endif
