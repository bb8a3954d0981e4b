/* SPDX-License-Identifier: Apache-2.0 */
/* The values of tensor elements, for loops over many of them. */
#ifndef ASSAY_NUM_ELEMENT_VALUE_H
#define ASSAY_NUM_ELEMENT_VALUE_H

#include <string.h>

#include "harness/num/element.h"

/* The value of component `index` of dense data of a float or complex type.  Formats whose patterns
 * are those of binary32 or binary64, or the upper half of them, need no arithmetic. */
static inline double element_load_float(const element_t *element, const uint8_t *data,
                                        size_t index) {
  if (element->format == &format_table[FORMAT_f64]) {
    double value;
    memcpy(&value, data + index * sizeof value, sizeof value);
    return value;
  }
  float narrow;
  if (element->format == &format_table[FORMAT_f32]) {
    memcpy(&narrow, data + index * sizeof narrow, sizeof narrow);
    return (double)narrow;
  }
  if (element->format == &format_table[FORMAT_bf16]) {
    uint16_t half;
    memcpy(&half, data + index * sizeof half, sizeof half);
    uint32_t bits = (uint32_t)half << 16;
    memcpy(&narrow, &bits, sizeof narrow);
    return (double)narrow;
  }
  return format_to_double(element->format, element_load(element, data, index));
}

#endif
