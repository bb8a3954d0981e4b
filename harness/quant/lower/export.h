/* SPDX-License-Identifier: Apache-2.0 */
/* Export: a quantized model as a list of steps, each a program that executors run
 * (of the RFC that quant.md names: "Export: materializing quantization"). */
#ifndef ASSAY_QUANT_LOWER_EXPORT_H
#define ASSAY_QUANT_LOWER_EXPORT_H

#include "harness/quant/graph/graph.h"

/* FORM(NAME, "spelling", summary): fixed, float, integer. */
typedef enum quant_lowering {
#define LOWERING(name, spelling, summary) QUANT_LOWERING_##name,
#include "harness/quant/lower/lowerings.def"
#undef LOWERING
  QUANT_LOWERING_COUNT
} quant_lowering_t;
const char *quant_lowering_spelling(quant_lowering_t lowering);
bool quant_lowering_find(str_t spelling, quant_lowering_t *out_lowering);

/* A tensor between steps.  Steps see its bits: a step's type for it may differ from `type` in the
 * quantization alone (an i32 accumulator as plain i32, say), never in storage type and shape. */
typedef struct quant_step_tensor {
  const char *name; /* Unique: "VALUE", "REGION.inner", ... */
  type_t type;
  const tensor_t *constant; /* Its data, folded at export (weights quantized, biases, multipliers);
                             * or NULL. */
  int32_t
      value; /* Of the graph: the first that it stands for in these parameters, or QUANT_NONE. */
} quant_step_tensor_t;

typedef struct quant_step {
  program_t program;
  uint32_t operands[CASE_OPERANDS_MAX]; /* Tensors. */
  uint32_t results[CASE_RESULTS_MAX];
  int32_t region; /* That it is a part of, or QUANT_NONE for what stands between regions. */
} quant_step_t;

/* What an export is made of, for reports. */
typedef struct quant_step_counts {
  uint32_t quantizations;   /* Floats to storage: stablehlo.uniform_quantize. */
  uint32_t dequantizations; /* Storage to floats: stablehlo.uniform_dequantize. */
  uint32_t requantizations; /* Storage to other storage: stablehlo.uniform_quantize, or integers. */
  uint32_t multiplications; /* By multipliers that stand for quotients of scales. */
  uint32_t shifts;          /* Rounding ones. */
  uint32_t merged_scalings; /* That have no step of their own: of operands, pushed forward to the
                             * result; by constants; of rescales. */
  uint32_t float_ops;       /* Ops of quantized regions that are computed in high precision. */
} quant_step_counts_t;

typedef struct quant_steps {
  const quant_graph_t *graph; /* Borrowed. */
  quant_lowering_t lowering;
  uint32_t tensor_count;
  const quant_step_tensor_t *tensors;
  uint32_t step_count;
  const quant_step_t *steps; /* Each after those whose results it uses. */
  const uint32_t *inputs;    /* Tensors of the graph's inputs, in their order: high precision ... */
  const uint32_t *outputs;   /* ... as are its outputs: dequantized at last. */
  quant_step_counts_t counts;
} quant_steps_t;

/* Exports a graph that quant_materialize() made, or any whose ports are all UNIFORM, KEEP or, in
 * regions that then stay in high precision as a whole, anything.
 *
 * A region is exported as quantized if all its ports are UNIFORM or KEEP and one is UNIFORM; else
 * in high precision.  Where a tensor has other parameters, or none, than its next user wants, a
 * stablehlo.uniform_quantize or uniform_dequantize stands between.  A rescale region is a
 * stablehlo.uniform_quantize of a quantized operand (integer: a multiplication and a shift).
 *
 * fixed:   the body's ops on quantized types where StableHLO has such an op (convolution,
 * dot_general, add, multiply, maximum, reshapes, reduce_window, ...).  A body of several ops is
 * split, and the parameters of inner tensors are derived: what a convolution or dot makes before a
 * further op is i32 with the product of the scales and zero point 0 (per channel where the weights
 * are); what is added to such an accumulator has its parameters, and the addition is one of plain
 * i32; data movement, maxima and minima keep parameters, constants among them quantized alike; the
 * last op's result, or the accumulator by stablehlo.uniform_quantize, gets the port's.  An op
 * without a quantized form (softmax, gelu) is dequantize, the op in high precision, quantize.
 * float:   each region is dequantize, its body in high precision, quantize.
 * integer: linear bodies in plain integers: zero points subtracted in i32, i32 products and sums,
 * then one multiplication by a 31-bit multiplier in i64 and a rounding shift (a scaling of an
 * operand is pushed forward and merged with that of the result, so only results are rescaled), zero
 * point added, clamped to the storage range, converted.  Operands of an addition whose scales
 * differ are first multiplied to one finer scale in i64.  A region that has no such form as a whole
 * is as in `float`.  A rescale that is the only user of such a result merges with its scaling, and
 * both ranges clamp.
 *
 * What goes to high precision besides ops without a quantized form: sums that might not fit i32 by
 * the bounds of storage ranges and constants, operands of storage types that the op does not take
 * together, inner tensors that no port gives parameters, constants that the range of the tensor
 * beside them would clamp where they decide (NaN too), a quantization axis that movement loses, and
 * in the integer form high-precision ports and scales too far apart for a multiplier.
 *
 * A result of the integer form is within 1/2 + 2^-8 + 2^-27 |result| storage steps of what the body
 * means for the numbers on the region's input ports, clamped, and of half a step of each tensor or
 * accumulator whose parameters a constant was given (tests/campaign/quant/test_export_drawn.c holds
 * drawn graphs to that); the forms' own roundings are named where they are made (lower/state.h).
 *
 * STATUS_UNSUPPORTED names the region and what stands in the way. */
status_t quant_export(const quant_graph_t *graph, quant_lowering_t lowering, arena_t *arena,
                      quant_steps_t *out_steps, failure_t *error);

/* STATUS_INVALID, a bug in Assay, unless every step is a valid program whose tensors have the
 * storage types and shapes that it takes and makes, every tensor is defined once, before it is used
 * (as an input, a constant or a result), and inputs and outputs have the types of the graph. */
status_t quant_steps_check(const quant_steps_t *steps, failure_t *error);

/* "12 steps: 1 quantization, ...": one line of the counts, without newline. */
void quant_step_counts_print(const quant_steps_t *steps, GString *out_text);

/* One line a step: "NAME, NAME = PROGRAM-LINE (NAME, NAME)", after lines for inputs and constants.
 */
void quant_steps_print(const quant_steps_t *steps, GString *out_text);

/* A StableHLO module with one function: quantized types and bits seen otherwise by
 * stablehlo.bitcast_convert. */
void quant_steps_print_mlir(const quant_steps_t *steps, GString *out_text);

#endif
