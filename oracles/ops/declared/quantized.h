/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized operands and results of declared ops: what is stored, what it stands for, and how
 * floats become it (theory.md, T202).  Private to this folder. */
#ifndef ASSAY_ORACLES_OPS_DECLARED_QUANTIZED_H
#define ASSAY_ORACLES_OPS_DECLARED_QUANTIZED_H

#include "oracles/ops/declared/run.h"

/* The steps STEP_DEQUANTIZE and STEP_SCALE, of floats. */
row_t run_dequantize(const run_t *run, const step_t *step);
row_t run_scale(const run_t *run, const step_t *step);

/* The steps STEP_STORAGE and STEP_ZERO_POINT, of i32. */
integer_row_t run_storage(const run_t *run, const step_t *step);
integer_row_t run_zero_point(const run_t *run, const step_t *step);

/* The step STEP_QUANTIZE, of i32. */
integer_row_t run_quantize_step(run_t *run, const step_t *step);

/* What is stored of a quantized result, as integers of its storage type: of floats by quantizing
 * them; of integers, cut to the storage range. */
integer_row_t run_quantize(const run_t *run, uint32_t result, row_t floats);
integer_row_t run_store(const run_t *run, uint32_t result, integer_row_t integers);

#endif
