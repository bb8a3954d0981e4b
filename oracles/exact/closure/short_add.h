/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of patterns of short formats, all NaNs being one pattern. */
#ifndef ASSAY_ORACLES_EXACT_CLOSURE_SHORT_ADD_H
#define ASSAY_ORACLES_EXACT_CLOSURE_SHORT_ADD_H

#include <stddef.h>
#include <stdint.h>

#include "harness/num/format.h"

/* The pattern of a value of the format. */
uint16_t short_pattern(const format_t *format, double value);

/* Sums beyond these numbers of the format need not be told apart from NaN: nobody asks for what
 * they lead to.  Infinite where all are wanted. */
typedef struct short_window {
  double low;
  double high;
} short_window_t;

/* Sets out[i] to the pattern of the sum of `a` and others[i], rounded to nearest, in a format of at
 * most 16 bits that is not f8E8M0FNU; or to that of NAN, if the sum is beyond the window. */
void short_add(const format_t *format, const short_window_t *window, uint16_t a,
               const uint16_t *others, size_t count, uint16_t *out);

#endif
