/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that a module spells as custom_call: the target is the op's name, and its attributes, those
 * of op_t.attribute_rows, stand in a dictionary called byteir_attrs. */
#ifndef ASSAY_KINDS_CUSTOM_CALL_H
#define ASSAY_KINDS_CUSTOM_CALL_H

#include "harness/model/op.h"

/* op_t.print_mlir of such an op. */
void custom_call_print_mlir(const program_t *program, GString *out_text);

/* The same, of an op whose operand of rank 1, if it has one, is the shape of its result. */
void custom_call_print_shaped_mlir(const program_t *program, GString *out_text);

/* Whether modules of this op are a custom_call, which custom_call_print_module() can print. */
bool custom_call_is_of(const op_t *op);

/* The module in the spelling of a dialect, "stablehlo" or "mhlo", which have the same custom_call.
 */
void custom_call_print_module(const program_t *program, const char *dialect, GString *out_text);

/* The module as the document "ByteIR Additional Ops" writes ops: mhlo's custom_call, of an op
 * without attributes with its name and has_side_effect alone, and shapes as `index`, which no
 * verifier of today takes there. */
void custom_call_print_document(const program_t *program, GString *out_text);

#endif
