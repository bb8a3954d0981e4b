/* SPDX-License-Identifier: Apache-2.0 */
/* Windows that slide over dimensions, as the attributes of a program tell them: pooling and
 * convolution alike. */
#ifndef ASSAY_DIAGNOSE_CHANGE_WINDOWS_H
#define ASSAY_DIAGNOSE_CHANGE_WINDOWS_H

#include "harness/model/op.h"
#include "harness/types/window_geometry.h"

/* The windows along one dimension of operand 0. */
typedef struct slide {
  uint32_t dim;
  int64_t length; /* Of the dimension. */
  int64_t count;  /* Of windows, as the program's types have it. */
  window_t window;
} slide_t;

typedef struct slides {
  bool has_kernel; /* Of a convolution, whose operand 1 has the sizes of windows. */
  uint32_t count;
  slide_t items[TYPE_RANK_MAX];
} slides_t;

/* Reads them off a program whose attributes may be those of another; false if it has none, or they
 * do not fit. */
bool slides_of(const program_t *program, slides_t *out_slides);

/* The attributes with another high padding, of so many windows as the types have: a kernel writes
 * as many results as there are, and what its windows reach beyond the edge is padding.  False if
 * there are no windows, or that is the padding there is. */
bool slides_close(const program_t *program, GString *out_attributes);

/* The attributes with windows laid from the far edge: what strides leave over lies in front.  False
 * if nothing is left over. */
bool slides_align_end(const program_t *program, GString *out_attributes);

/* The attributes with that low and high padding, and the elements next to one another if
 * `is_dense`. */
void slides_print_padded(const program_t *program, const slides_t *slides, bool is_dense,
                         GString *out_attributes);

#endif
