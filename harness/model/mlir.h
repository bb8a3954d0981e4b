/* SPDX-License-Identifier: Apache-2.0 */
/* What the print_mlir() functions of the ops share: a module whose one function, `main`, takes the
 * operands as %arg0, %arg1, ... and returns the results of one op in generic form. */
#ifndef ASSAY_MODEL_MLIR_H
#define ASSAY_MODEL_MLIR_H

#include "harness/model/attribute.h"
#include "harness/model/case.h"

/* Opens module and function and prints `%0 = "NAME"(%arg0, ...)`, up to where properties start. */
void mlir_open(const program_t *program, const char *name, GString *out_text);

/* Prints ` : (operand types) -> result types` of the op, the return, and closes both. */
void mlir_close(const program_t *program, GString *out_text);

/* op_t.print_mlir of an op without regions: its attributes are properties, in the order of its
 * rows. */
void mlir_print_module(const program_t *program, GString *out_text);

/* The module of an op with regions, up to where the first one starts, and behind the last one. */
void mlir_open_regions(const program_t *program, attribute_order_t order, GString *out_text);
void mlir_close_regions(const program_t *program, GString *out_text);

/* "tensor<f32>": a scalar of an element type. */
void mlir_print_scalar(const element_t *element, GString *out_text);

/* The op alone, as its print_mlir() has it, with names (after the '%') for its operands and
 * results:
 * `%a, %b = "NAME"(%x, %y) ... : (types) -> types`.  `indent` goes behind each newline in it; none
 * ends it. */
void mlir_print_op(const program_t *program, const char *const *results,
                   const char *const *operands, const char *indent, GString *out_text);

#endif
