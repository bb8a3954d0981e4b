/* SPDX-License-Identifier: Apache-2.0 */
/* What the steps of a formula may err by, whatever their operands are: for enclosing composite ops
 * by their exact values, which are monotone or nearly so, where intervals step by step would forget
 * that operands come back.  theory.md, T1, T12 and T61. */
#ifndef ASSAY_ORACLES_FORMULA_FORMULA_BOX_H
#define ASSAY_ORACLES_FORMULA_FORMULA_BOX_H

#include "harness/model/contract.h"
#include "oracles/exact/box/box.h"

/* Of the coarsest format that a contract permits for an op on tensors of `format`: 16-bit floats
 * are computed with in f32, or in their own type (PERMITTED(contract, intermediate)). */
typedef struct formula_errors {
  const format_t *format; /* The coarsest. */
  double unit_roundoff;   /* Of one step, in wider nodes too. */
  double underflow; /* What a step may lose beside: a smallest or, if flushed, normal number. */
} formula_errors_t;
formula_errors_t formula_errors_make(const format_t *format, const contract_t *contract);

/* An elementary function's relative error: 2 K u of K ulps, the largest of the formats'.  Where the
 * result is subnormal it errs by up to K smallest numbers instead, K being the largest too. */
double formula_function_error(const format_t *format, const contract_t *contract,
                              elementary_t function);
double formula_function_ulps(const format_t *format, const contract_t *contract,
                             elementary_t function);

/* binary64 values of the C library's exp, erfc and tanh, with the rounding of their arguments and a
 * few operations around them, err by less than this of themselves, for arguments within the range
 * of exp: theory.md, A3. */
#define FORMULA_LIBRARY_ERROR 0x1p-38

#endif
