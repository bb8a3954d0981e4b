/* Quantized elements: a storage integer q stands for (q - zero point) * scale.  The StableHLO
 * specification, "Quantization computations", has both directions as steps in the expressed type,
 * each of which rounds; integers are subtracted exactly.
 *
 * All steps are single operations of IEEE 754 on numbers of one format, done in binary64 and
 * rounded to the format, which is what one rounding gives (see arithmetic.c: 53 >= 2 p + 2 for all
 * formats up to f32; f64 is the host's own arithmetic). */
#ifndef ASSAY_EXACT_QUANTUM_H
#define ASSAY_EXACT_QUANTUM_H

#include <stdbool.h>

#include "harness/model/case.h"
#include "harness/model/contract.h"

/* One element's quantization: scale and zero point by its index along the axis, storage range. */
typedef struct quantum {
  double scale;
  int64_t zero_point;
  int64_t storage_min;
  int64_t storage_max;
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
 * end of the storage range lies beyond it, that end of the range.  Where no storage value is
 * decided (see below), the zero point. */
int64_t quantum_quantize(const quantum_t *quantum, const format_t *arithmetic, double value);

/* Whether the formula gives a storage value: false where the float that it would convert is NaN, of
 * which the specification says nothing.  That is so if `value` is NaN, if the quotient and the
 * rounded zero point are infinities of opposite sign, and in formats that have no infinity if a
 * step overflows. */
bool quantum_is_decided(const quantum_t *quantum, const format_t *arithmetic, double value);

/* The formats that these may be done in: the expressed type first, and f32 for types of 16 bits
 * where the contract's `intermediate` is wide.  Returns how many.  The type is quantized. */
size_t quantum_arithmetics(const type_t *type, const contract_t *contract,
                           const format_t *out_formats[2]);

#endif
