/* SPDX-License-Identifier: Apache-2.0 */
/* The dot algorithms that the words of a precision_config stand for, by the contract (theory.md,
 * D22). */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_PRECISIONS_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_PRECISIONS_H

#include "harness/model/implementation_model.h"
#include "oracles/ops/dot_general/dot_general.h"

/* Every pair of what the two operands may be computed as, but f32 with f32. */
enum { DOT_PRECISIONS_MAX = PRECISION_PERMITTED_MAX * PRECISION_PERMITTED_MAX };

/* The algorithm that computes the two operands so. */
dot_algorithm_t dot_precision_algorithm(uint8_t lhs, uint8_t rhs);

/* The algorithms that a program without algorithm may run beside f32 itself, those that compute
 * both operands alike first, the least precise of these before the others.  Returns their count: 0
 * where words mean nothing, as of operands or results of another type than f32. */
size_t dot_precision_algorithms(const program_t *program, const contract_t *contract,
                                dot_algorithm_t out_algorithms[DOT_PRECISIONS_MAX]);

/* "bf16_x3", or "bf16 and f32" of operands that are computed unlike. */
void dot_precision_print(const dot_algorithm_t *algorithm, char *out_text, size_t size);

/* Whether a model computes a program in something else than f32 for its precision_config, and in
 * what. */
bool dot_precision_of_model(const program_t *program, const implementation_model_t *model,
                            dot_algorithm_t *out_algorithm);

#endif
