/* SPDX-License-Identifier: Apache-2.0 */
/* Where the fields of a pattern lie: sign, exponent, fraction, from the top.  Private to the files
 * of harness/num. */
#ifndef ASSAY_NUM_FORMAT_LAYOUT_H
#define ASSAY_NUM_FORMAT_LAYOUT_H

#include "harness/num/format.h"

static inline int layout_fraction_bits(const format_t *format) { return format->precision - 1; }

/* Exponent and fraction: all but the sign. */
static inline uint64_t layout_magnitude_mask(const format_t *format) {
  return format->magnitude_mask;
}

/* The sign bit; 0 for FORMAT_EXPONENT_ONLY, which has none. */
static inline uint64_t layout_sign_mask(const format_t *format) { return format->sign_mask; }

/* Sets the sign of a magnitude where the format has one. */
static inline uint64_t layout_with_sign(const format_t *format, bool negative, uint64_t magnitude) {
  return negative ? magnitude | layout_sign_mask(format) : magnitude;
}

/* Infinity follows the largest finite number; only for FORMAT_IEEE. */
static inline uint64_t layout_infinity(const format_t *format) { return format->largest_bits + 1; }

/* The canonical NaN: quiet, without payload; +0 for FORMAT_FINITE, which has none. */
static inline uint64_t layout_nan(const format_t *format, bool negative) {
  switch (format->specials) {
    case FORMAT_IEEE: {
      uint64_t quiet = UINT64_C(1) << (layout_fraction_bits(format) - 1);
      return layout_with_sign(format, negative, layout_infinity(format) | quiet);
    }
    case FORMAT_NAN_ALL_ONES:
    case FORMAT_EXPONENT_ONLY:
      return layout_with_sign(format, negative, layout_magnitude_mask(format));
    case FORMAT_NAN_MINUS_ZERO:
      return layout_sign_mask(format);
    case FORMAT_FINITE:
      break;
  }
  return 0;
}

#endif
