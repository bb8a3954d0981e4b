/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that a module spells as custom_call: the target is the op's name, and its attributes, those
 * of op_t.attribute_rows, stand in a dictionary called byteir_attrs. */
#ifndef ASSAY_KINDS_CUSTOM_CALL_H
#define ASSAY_KINDS_CUSTOM_CALL_H

#include "harness/model/op.h"

/* op_t.print_mlir of such an op. */
void custom_call_print_mlir(const program_t *program, GString *out_text);

/* Whether modules of this op are a custom_call, which custom_call_print_module() can print. */
bool custom_call_is_of(const op_t *op);

/* The module in the spelling of a dialect, "stablehlo" or "mhlo", which have the same custom_call.
 */
void custom_call_print_module(const program_t *program, const char *dialect, GString *out_text);

#endif
