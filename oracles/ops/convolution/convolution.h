/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.convolution: its attributes, and how many windows there are. */
#ifndef ASSAY_ORACLES_OPS_CONVOLUTION_CONVOLUTION_H
#define ASSAY_ORACLES_OPS_CONVOLUTION_CONVOLUTION_H

#include "harness/kinds/precision.h"
#include "harness/kinds/window.h"
#include "harness/model/case.h"

enum {
  CONVOLUTION_LHS = 0, /* Operand numbers. */
  CONVOLUTION_RHS = 1,
  CONVOLUTION_PLACES_MAX = 16, /* Dimension numbers are below this, in range or not. */
};

/* Values of permission convolution_types. */
enum permission_convolution_types {
  CONVOLUTION_TYPES_SPEC,
  CONVOLUTION_TYPES_VERIFIER,
  CONVOLUTION_TYPES_OPERANDS
};

/* Which dimension of one tensor is what. */
typedef struct convolution_numbers {
  int64_t batch;   /* Of the kernel: its output features. */
  int64_t feature; /* Of the kernel: its input features. */
  dimension_list_t spatial;
} convolution_numbers_t;

/* Lists are as long as the program says, valid or not. */
typedef struct convolution_attributes {
  dimension_list_t window_strides;
  padding_list_t padding;
  dimension_list_t lhs_dilation;
  dimension_list_t rhs_dilation;
  uint32_t reversal_count;
  bool window_reversal[TYPE_RANK_MAX];
  convolution_numbers_t input;
  convolution_numbers_t kernel;
  convolution_numbers_t output;
  int64_t feature_group_count;
  int64_t batch_group_count;
  precision_list_t precision;
  const element_t *accumulation; /* As of dot_general. */
} convolution_attributes_t;

static inline const convolution_attributes_t *convolution_attributes(const program_t *program) {
  return program->attributes;
}

typedef struct convolution_padding {
  int64_t low; /* Negative: so many places are cut off. */
  int64_t high;
} convolution_padding_t;

/* What one spatial dimension is made of.  Products of these numbers are below 2^127: sizes are at
 * most TYPE_ELEMENTS_MAX. */
typedef struct convolution_axis {
  int64_t input_size;
  int64_t kernel_size;
  int64_t stride; /* Positive, and so are dilations. */
  int64_t lhs_dilation;
  int64_t rhs_dilation;
  convolution_padding_t padding;
  bool is_reversed;
} convolution_axis_t;

/* Spatial dimension `dim` of a program that obeys C1 to C9, C12, C13, C17 and C18. */
convolution_axis_t convolution_axis(const program_t *program, uint32_t dim);

/* How often the dilated window fits into the dilated and padded input (C25).  A padded input of
 * negative size, of which the specification says nothing, holds no window. */
__int128 convolution_window_count(const convolution_axis_t *axis);

/* The input's index under place `place` of window `window`, or -1 for padding and for the places
 * between dilated elements. */
int64_t convolution_source(const convolution_axis_t *axis, int64_t window, int64_t place);

#endif
