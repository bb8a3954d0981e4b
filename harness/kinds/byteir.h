/* SPDX-License-Identifier: Apache-2.0 */
/* What the rows of the ByteIR ops share (oracles/ops/byteir_*): custom calls whose target is the
 * op's name.  The document that introduced them ("ByteIR Additional Ops") gives types and
 * attributes and hardly a constraint; the one of today gives some more.  Where they differ,
 * permission `byteir` of the contract says whose word holds, and constraints of
 * op_t.contract_constraints say what. */
#ifndef ASSAY_KINDS_BYTEIR_H
#define ASSAY_KINDS_BYTEIR_H

#include "harness/draw/draw.h"
#include "harness/kinds/custom_call.h"

/* f16, bf16, f32 or f64; `unused` makes it a draw_filter_t. */
bool byteir_is_float(const element_t *element, const void *unused);

/* An unquantized tensor of such numbers; whether the first operand is, and the first result is of
 * its type. */
bool byteir_is_float_tensor(const type_t *type);
bool byteir_keeps_float_type(const program_t *program);

/* Whether all tensors are such, of the first operand's type, or where that has 16 bits some of f32:
 * the documents say "Tensor" of each, and kernels take data in 16 bits with weights, moments or
 * results in f32.  Then all is computed in f32.  For op_constraint_t.holds. */
bool byteir_has_float_types(const program_t *program);

/* Of a drawn program of 16-bit floats, makes one in eight have f32 for its operands but the first,
 * and for some of its results, the first and the others apart.  `rng` is left as it is: other
 * programs are drawn as if there were none of these. */
void byteir_draw_mixed(const rng_t *rng, program_t *inout_program);

/* The dimension that an axis means: itself, or counted from the end if it is negative.  Whether it
 * is one of `rank` dimensions. */
int64_t byteir_axis(int64_t axis, uint32_t rank);
bool byteir_axis_in_range(int64_t axis, uint32_t rank);

/* The dimensions that a list of axes means, ascending.  Whether all are in range and none is named
 * twice, by whatever sign. */
dimension_list_t byteir_axes(const dimension_list_t *axes, uint32_t rank);
bool byteir_axes_are_valid(const dimension_list_t *axes, uint32_t rank);

/* The two documents of which permission `byteir` chooses, for op_constraint_t.document. */
#define BYTEIR_DOCUMENT_SEED "ByteIR Additional Ops, as it introduced them"
#define BYTEIR_DOCUMENT_TODAY "ByteIR Additional Ops, as of today"

/* The constraint of the ops with axes that today's document wants none to be negative; `permits` is
 * op_constraint_t.holds_under, made of one of these functions. */
#define BYTEIR_SIGN(permits)                                                        \
  OP_FORBIDDEN_BY_UNDER("sign", "no axis is negative (ByteIR's document of today)", \
                        "axis attribute must be positive", BYTEIR_DOCUMENT_TODAY, permits)
bool byteir_permits_axis(const contract_t *contract, int64_t axis);
bool byteir_permits_axes(const contract_t *contract, const dimension_list_t *axes);

/* Draws a shape of rank `rank_min` to the limit with `axis_count` of its dimensions, or any number
 * of them if that is 0, chosen as those along which terms are combined; *out_axes are they, in any
 * order, seldom one of them negative. */
type_t byteir_draw_shape(rng_t *rng, const draw_limits_t *limits, const element_t *element,
                         uint32_t rank_min, uint32_t axis_count, dimension_list_t *out_axes);

/* op_t.axes and with_axes of ops whose first operand and first result have one type, of which the
 * dimensions in the mask `terms` are combined and all others are batches.  Of the latter function
 * the attributes are left to the op: it returns the dimensions that are combined, ascending. */
void byteir_row_axes(const type_t *type, uint32_t terms, axes_t *out_axes);
dimension_list_t byteir_row_with_axes(const program_t *program, axes_t *inout_axes,
                                      program_t *out_program);

#endif
