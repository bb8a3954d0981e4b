/* The pattern of a double, and back: moves bits, computes nothing. */
#ifndef ASSAY_NUM_BINARY64_H
#define ASSAY_NUM_BINARY64_H

#include <stdint.h>

#define BINARY64_SIGN (UINT64_C(1) << 63)
#define BINARY64_EXPONENT_FIELD (UINT64_C(0x7ff) << 52)

enum { BINARY64_FRACTION_BITS = 52, BINARY64_BIAS = 1023 };

static inline uint64_t binary64_bits(double value) {
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline double binary64_value(uint64_t bits) {
  double value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

#endif
