/* SPDX-License-Identifier: Apache-2.0 */
/* What the oracle files of quantize and dequantize share.  Private to the family. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_QUANTIZE_PARTS_H
#define ASSAY_ORACLES_OPS_BYTEIR_QUANTIZE_PARTS_H

#include "oracles/composite/composite.h"
#include "oracles/ops/byteir_quantize/byteir_quantize.h"

/* ---- byteir_quantize/simulate.c -------------------------------------------------------------- */

/* The case as an implementation with that fault sees its scales; shares all other data. */
case_t quantize_spoil_case(const case_t *instance, fault_t fault, arena_t *arena);

/* Scales as such an implementation reads them, where they are those of a model. */
row_t quantize_spoil_scale(formula_t *formula, row_t scale);

status_t quantize_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                           tensor_t *inout_results);

/* ---- byteir_quantize/quotient.c: x / scale, and the integers that it may become -------------- */

/* More than any difference of two storage integers: beyond it everything saturates. */
#define QUOTIENT_LARGEST 0x1p20

/* The formulas, as permission `quantize` numbers them: operands are input and scale, the result is
 * the quotient. */
extern formula_evaluate_t *const quotient_formulas[];

/* One element of a quantize. */
typedef struct quotient {
  const program_t *program;
  const contract_t *contract;
  arena_t *arena;
  const format_t *format; /* Of input and scale. */
  uint64_t input;         /* Patterns. */
  uint64_t scale;
  int64_t zero_point;
  storage_t storage;
} quotient_t;

quotient_t quotient_make(const oracle_call_t *call, const byteir_quantize_channels_t *channels,
                         size_t element);

/* One way to compute a quotient: by which formula, in which format, and whether operands that are
 * subnormal count as zero. */
typedef struct quotient_variant {
  uint8_t formula;
  const format_t *format;
  bool is_native; /* `format` is that of the operands, of 16 bits. */
  bool flushes_input;
  bool flushes_scale;
} quotient_variant_t;

enum { QUOTIENT_VARIANTS_MAX = 16 };

/* Those that the contract permits of formulas `first` to `last`, whether it permits these or not;
 * the first one flushes nothing, and 16-bit arithmetic comes last.  Returns how many. */
size_t quotient_variants(const quotient_t *quotient, uint8_t first, uint8_t last,
                         quotient_variant_t out_variants[QUOTIENT_VARIANTS_MAX]);

/* The storage integers that an element may become under one variant. */
typedef struct quantum_set {
  int64_t low; /* low..high, from finite quotients; none if low > high. */
  int64_t high;
  bool smallest; /* From infinite ones. */
  bool largest;
  bool nan; /* And what the contract permits of a quotient that is NaN. */
} quantum_set_t;

quantum_set_t quotient_set(const quotient_t *quotient, const quotient_variant_t *variant);

/* The integer for the exact quotient; false if that is NaN. */
bool quotient_exact(const quotient_t *quotient, int64_t *out_quantum);

/* Whether the set holds an integer, but for what NaN permits; whether NaN permits it. */
bool quantum_set_holds(const quantum_set_t *set, const storage_t *storage, int64_t quantum);
bool quotient_nan_permits(const quotient_t *quotient, int64_t quantum);

/* The sets of several variants in words: "3", "{3, 4}: near-tie", "any (NaN)". */
void quantum_sets_print(const quotient_t *quotient, const quantum_set_t *sets, size_t count,
                        char *out, size_t out_bytes);

/* A quotient that is a number or infinite, rounded, plus the zero point, clamped. */
int64_t quantize_double(double quotient, bool ties_away, int64_t zero_point, storage_t storage);

/* ---- dequantize.c ---------------------------------------------------------------------------- */

extern const composite_t dequantize_composite;

status_t dequantize_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                             tensor_t *inout_results);

#endif
