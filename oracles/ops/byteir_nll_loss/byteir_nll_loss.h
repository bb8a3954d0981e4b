/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.nll_loss_forward and byteir.nll_loss_backward: the negative log likelihood of classes, and
 * its gradient, as ByteIR's frontend for PyTorch emits them: custom calls in the place of
 * aten::nll_loss_forward and nll_loss_backward without weights.  ByteIR has no document of them, so
 * they mean what PyTorch's do:
 *
 * - forward: (input T[n, c], target i64[n]) -> (output, total_weight T[]), or of a single sample
 *   (T[c], i64[]).  Sample i has the loss -input[i, target[i]], one whose target is ignore_index
 *   has 0.  reduction 0 gives all losses (T[n]; T[] of a single sample); 2 their sum; 1 that
 *   divided by the number of samples that are not ignored, which is NaN if there are none.
 *   total_weight is that number, but 0 where the output is a list.
 * - backward: (grad_output, input, target, total_weight) -> T like the input: -grad_output at the
 *   targets, and for reduction 1 divided by total_weight; +0 elsewhere.  grad_output has the type
 * of the output.
 *
 * A target that is neither a class nor ignore_index has no meaning: there is no oracle. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_NLL_LOSS_BYTEIR_NLL_LOSS_H
#define ASSAY_ORACLES_OPS_BYTEIR_NLL_LOSS_BYTEIR_NLL_LOSS_H

#include "harness/kinds/byteir.h"

/* Values of attribute `reduction`: PyTorch's enumeration. */
typedef enum nll_reduction {
  NLL_NONE,
  NLL_MEAN,
  NLL_SUM,
} nll_reduction_t;

typedef struct byteir_nll_attributes {
  int64_t ignore_index;
  int64_t reduction; /* nll_reduction_t */
} byteir_nll_attributes_t;

enum { NLL_FORWARD_INPUT, NLL_FORWARD_TARGET, NLL_FORWARD_OPERANDS };
enum {
  NLL_BACKWARD_GRADIENT,
  NLL_BACKWARD_INPUT,
  NLL_BACKWARD_TARGET,
  NLL_BACKWARD_TOTAL_WEIGHT,
  NLL_BACKWARD_OPERANDS
};
enum { NLL_OUTPUT, NLL_TOTAL_WEIGHT };

static inline const byteir_nll_attributes_t *byteir_nll_attributes(const program_t *program) {
  return program->attributes;
}

static inline bool byteir_nll_is_backward(const program_t *program) {
  return program->operand_count == NLL_BACKWARD_OPERANDS;
}

/* Which operand is the input, and which the target. */
static inline uint32_t byteir_nll_input(const program_t *program) {
  return byteir_nll_is_backward(program) ? NLL_BACKWARD_INPUT : NLL_FORWARD_INPUT;
}

/* Whether there is a loss for each sample: with reduction 0, but of a single sample without a
 * dimension of its own. */
static inline bool byteir_nll_is_list(const program_t *program) {
  return byteir_nll_attributes(program)->reduction == NLL_NONE &&
         program->operands[byteir_nll_input(program)].rank == 2;
}

/* Samples and classes of the input; of one that breaks the rules, 1 or 0. */
static inline size_t byteir_nll_samples(const program_t *program) {
  const type_t *input = &program->operands[byteir_nll_input(program)];
  return input->rank == 2 ? (size_t)input->dims[0] : 1;
}
static inline size_t byteir_nll_classes(const program_t *program) {
  const type_t *input = &program->operands[byteir_nll_input(program)];
  return input->rank == 0 ? 0 : (size_t)input->dims[input->rank - 1];
}

#endif
