/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.reduce_window and stablehlo.select_and_scatter: their attributes, and which elements
 * are in a window.
 *
 * A reduce_window has N inputs, then N initial values as operands, and N results, as reduce has.  A
 * select_and_scatter has operand, source and initial value, and one result: each element of the
 * source belongs to a window over the operand, and goes where the element lies that is selected
 * from the window; what goes to one place is reduced. */
#ifndef ASSAY_ORACLES_OPS_WINDOWED_WINDOWED_H
#define ASSAY_ORACLES_OPS_WINDOWED_WINDOWED_H

#include "harness/kinds/reduction.h"
#include "harness/kinds/window.h"

/* The select function of a select_and_scatter: it keeps its first argument if that is >= (>, <=, <)
 * the second, else the second. */
typedef enum windowed_select {
  WINDOWED_SELECT_GE,
  WINDOWED_SELECT_GT,
  WINDOWED_SELECT_LE,
  WINDOWED_SELECT_LT,
  WINDOWED_SELECT_COUNT
} windowed_select_t;

/* Of both ops. */
typedef struct windowed_attributes {
  reduction_t reduction;    /* Of a select_and_scatter: `scatter`. */
  windowed_select_t select; /* Of a select_and_scatter. */
  dimension_list_t window_dimensions;
  dimension_list_t window_strides;
  dimension_list_t base_dilations;   /* Of a reduce_window; else empty. */
  dimension_list_t window_dilations; /* Likewise. */
  padding_list_t padding;
} windowed_attributes_t;

static inline const windowed_attributes_t *windowed_attributes(const program_t *program) {
  return program->attributes;
}

/* The operands of a select_and_scatter. */
enum { SELECT_OPERAND, SELECT_SOURCE, SELECT_INIT };

/* The windows along a dimension of operand 0, whose rank the lists have. */
window_t windowed_along(const windowed_attributes_t *attributes, uint32_t dim);

/* The number of windows along each dimension of `operand`, as a tensor of that element type. */
type_t windowed_counts(const windowed_attributes_t *attributes, const type_t *operand);

/* The types of a reduce_window's inputs, or of a select_and_scatter's source, as a reduction has
 * them; the program has the right number of operands. */
reduction_types_t windowed_types(const program_t *program);

#endif
