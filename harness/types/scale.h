/* SPDX-License-Identifier: Apache-2.0 */
/* Scales of quantized types as text: positive binary64 numbers in hex, "0x1.8p-3". */
#ifndef ASSAY_TYPES_SCALE_H
#define ASSAY_TYPES_SCALE_H

#include <glib.h>
#include <stdbool.h>

#include "harness/base/text.h"

/* The one spelling with a leading 1, for subnormal numbers too.  (C's %a leaves the leading digit
 * and the decimal point to the platform.)  `scale` is positive and finite. */
void scale_print(double scale, GString *out_text);

/* False unless `text` is what scale_print() gives for some scale. */
bool scale_parse(str_t text, double *out_scale);

#endif
