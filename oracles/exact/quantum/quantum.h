/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized elements: a storage integer q stands for (q - zero point) * scale.  The StableHLO
 * specification, "Quantization computations", has both directions as steps in the expressed type,
 * each of which rounds; integers are subtracted exactly.
 *
 * All steps are single operations of IEEE 754 on numbers of one format, done in binary64 and
 * rounded to the format, which is what one rounding gives (theory.md, T6, for all formats up to
 * f32; f64 is the host's own arithmetic). */
#ifndef ASSAY_ORACLES_EXACT_QUANTUM_QUANTUM_H
#define ASSAY_ORACLES_EXACT_QUANTUM_QUANTUM_H

#include <stdbool.h>

#include "harness/model/case.h"
#include "harness/model/contract.h"

/* One element's quantization: scale and zero point by its index along the axis, the storage range,
 * and what the storage type has. */
typedef struct quantum {
  double scale;
  int64_t zero_point;
  int64_t storage_min;
  int64_t storage_max;
  int64_t type_min;
  int64_t type_max;
} quantum_t;

/* `element` is a row-major index; the type is quantized. */
quantum_t quantum_of(const type_t *type, size_t element);

/* The storage value of an element of a quantized tensor. */
static inline int64_t quantum_load(const tensor_t *tensor, size_t element) {
  const element_t *storage = tensor->type.element;
  return element_signed_value(storage, element_load(storage, tensor->data, element));
}

/* rn(rn(stored - zero_point) * scale), each rounded to `arithmetic`. */
double quantum_dequantize(const quantum_t *quantum, const format_t *arithmetic, int64_t stored);

/* rne(clamp(rn(min), rn(rn(value / scale) + rn(zero_point)), rn(max))), each rounded to
 * `arithmetic`, of which `value` is a number or an infinity.  Monotone in `value`.  Where a rounded
 * end of the storage range lies beyond it, that end of the range.  Where NaN would be converted,
 * the zero point. */
int64_t quantum_quantize(const quantum_t *quantum, const format_t *arithmetic, double value);

/* The storage values that quantizing may give: returns how many, in out_stored.
 *
 * One is usual: what quantum_quantize() gives.  Where the clamped float lies outside of the storage
 * range, since an end of it was rounded outwards, and is a value of the storage type, there are
 * two: the end of the range, which the type promises, and what the letter of the formula gives.
 * None where it is no value of the storage type (2^31 for i32 in f32) or NaN: what becomes of such
 * floats is implementation-defined (openxla/stablehlo#180).  It is NaN if `value` is, if the
 * quotient and the rounded zero point are infinities of opposite sign, and in formats that have no
 * infinity if a step overflows. */
enum { QUANTUM_CHOICES_MAX = 2 };
size_t quantum_choices(const quantum_t *quantum, const format_t *arithmetic, double value,
                       int64_t out_stored[QUANTUM_CHOICES_MAX]);

/* The same of rn(rn(value / scale) + rn(zero_point)), however that was found. */
size_t quantum_choices_of_sum(const quantum_t *quantum, const format_t *arithmetic, double sum,
                              int64_t out_stored[QUANTUM_CHOICES_MAX]);

/* Whether there is one choice. */
bool quantum_is_decided(const quantum_t *quantum, const format_t *arithmetic, double value);

/* What the quotient, and its sum with the zero point, are rounded to before they become integers:
 * the arithmetic that the formula is done in, binary64, or nothing. */
typedef enum quantize_width {
  QUANTIZE_ROUNDED,
  QUANTIZE_IN_F64,
  QUANTIZE_UNROUNDED
} quantize_width_t;

/* How an implementation quantizes otherwise than by the letter, which is all zero: it keeps the
 * quotient wider, or multiplies by the rounded 1 / scale; may add the zero point to that product
 * unrounded, or add it to the rounded integer; and rounds ties away from zero. */
typedef struct quantize_way {
  quantize_width_t width; /* QUANTIZE_ROUNDED with by_reciprocal. */
  bool by_reciprocal;
  bool is_fused; /* Only with by_reciprocal, and without zero_point_last. */
  bool zero_point_last;
  bool ties_away;
} quantize_way_t;

/* The ways that the contract permits, of whatever op ends in that step (theory.md, T179 and T294);
 * the letter, where it does, is the first.  Returns how many. */
enum { QUANTIZE_WAYS_MAX = 18 };
size_t quantize_ways(const contract_t *contract, quantize_way_t out_ways[QUANTIZE_WAYS_MAX]);

/* Whether the letter is one of them, which is what fast sides compute. */
bool quantize_permits_letter(const contract_t *contract);

/* The permission that has the way; "" of the letter. */
const char *quantize_way_name(quantize_way_t way);

/* As quantum_quantize() and quantum_choices(), in one of the ways that round. */
int64_t quantum_quantize_by(const quantum_t *quantum, const format_t *arithmetic,
                            quantize_way_t way, double value);
size_t quantum_choices_by(const quantum_t *quantum, const format_t *arithmetic, quantize_way_t way,
                          double value, int64_t out_stored[QUANTUM_CHOICES_MAX]);

/* The formats that each of these may be done in (theory.md, T163): the expressed type, and f32 for
 * types of at most 16 bits, of the two whatever PERMITTED(contract, intermediate) says, the
 * expressed type first.  What goes from one step to the next is a number of that format, and may be
 * rounded to the expressed type.  Returns how many.  The type is quantized. */
size_t quantum_arithmetics(const type_t *type, const contract_t *contract,
                           const format_t *out_formats[2]);

static inline const format_t *quantum_expressed(const type_t *type) {
  return type->quantization->expressed->format;
}

/* The first of them. */
const format_t *quantum_first_arithmetic(const type_t *type, const contract_t *contract);

#endif
