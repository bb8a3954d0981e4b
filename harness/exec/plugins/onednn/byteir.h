/* SPDX-License-Identifier: Apache-2.0 */
/* What the plans of ByteIR's ops share: their programs, checked. */
#ifndef ASSAY_EXEC_PLUGINS_ONEDNN_BYTEIR_H
#define ASSAY_EXEC_PLUGINS_ONEDNN_BYTEIR_H

#include "harness/exec/plugins/onednn/onednn.h"

/* How many operands and results an op has, and its attributes, ended by NULL. */
typedef struct byteir_signature {
  uint32_t operands;
  uint32_t results;
  const char *keys[5];
} byteir_signature_t;

/* ASSAY_EXECUTOR_OK, or _INVALID, or _UNSUPPORTED for an attribute that is not known here. */
int32_t byteir_check_signature(const assay_program_t *program, const byteir_signature_t *signature,
                               assay_reason_t *reason);

/* The same, for the result: that it is of the type of the first operand, one of floats. */
int32_t byteir_check_floats(const assay_program_t *program, assay_reason_t *reason);

/* The type of numbers, f32 or bf16: those that oneDNN documents for processors.  Nor can there be
 * no numbers at all. */
int32_t byteir_find_type(const assay_type_t *type, dnnl_data_type_t *out_type,
                         assay_reason_t *reason);

/* An attribute that is a dimension of a tensor of `rank`.  Negative ones are refused: ByteIR's
 * document of today forbids them, the one that introduced its ops did not. */
int32_t byteir_read_axis(const assay_program_t *program, uint32_t rank, int64_t *out_axis,
                         assay_reason_t *reason);
int32_t byteir_read_axes(const assay_program_t *program, uint32_t rank, assay_dims_t *out_axes,
                         assay_reason_t *reason);

/* f16, bf16, f32 or f64. */
bool byteir_is_float(const assay_type_t *type);

/* Whether that is of f32 beside a first operand of 16-bit floats, which a valid program may have.
 */
bool byteir_is_wider(const assay_type_t *type, const assay_type_t *first);

bool byteir_types_equal(const assay_type_t *a, const assay_type_t *b);

/* Whether an attribute is there and has that value. */

#endif
