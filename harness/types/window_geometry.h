/* SPDX-License-Identifier: Apache-2.0 */
/* Windows along one dimension of a tensor, as numbers. */
#ifndef ASSAY_TYPES_WINDOW_GEOMETRY_H
#define ASSAY_TYPES_WINDOW_GEOMETRY_H

#include <stdint.h>

/* The windows along one dimension.  Only low and high may be below 1, and only they may be
 * anything; all may be as large as their type allows. */
typedef struct window {
  int64_t size;            /* Elements of a window. */
  int64_t stride;          /* From one window to the next. */
  int64_t base_dilation;   /* From one element of the tensor to the next; between are holes. */
  int64_t window_dilation; /* From one element of a window to the next. */
  int64_t low;
  int64_t high;
} window_t;

#endif
