/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that compute in a type of their own, attribute `accumulation` (RFC 000 on reductions,
 * "Semantics"), as programs of StableHLO as it stands: operands are converted before, and results
 * after.  The implicit conversions of the RFC are these ops by definition. */
#ifndef ASSAY_KINDS_CONVERTED_H
#define ASSAY_KINDS_CONVERTED_H

#include "harness/model/case.h"

/* op_t.print_mlir_to_run of such ops: a module of the conversions (convert, or uniform_quantize
 * between quantized types) and of the op in the types of its accumulation.  A program without that
 * attribute is printed as op_t.print_mlir() does; so is one that cannot be converted so. */
void converted_print_mlir(const program_t *program, GString *out_text);

/* The same for ops that also compare operands as they are: converted only where converting them
 * keeps every number apart. */
void converted_print_mlir_if_exact(const program_t *program, GString *out_text);

#endif
