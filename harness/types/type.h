/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor types: an element type or a quantized element type, and a shape. */
#ifndef ASSAY_TYPES_TYPE_H
#define ASSAY_TYPES_TYPE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/base/arena.h"
#include "harness/base/text.h"
#include "harness/num/element.h"

/* Bounds on what a case may hold; the grammar page (harness/model/case_line.md) states them too. */
enum {
  TYPE_RANK_MAX = 8,
  TYPE_ELEMENTS_MAX = 1 << 24, /* Product of the sizes of one tensor, a size of 0 counting as 1. */
  TYPE_BYTES_MAX = 1 << 26,    /* Bytes in one tensor. */
  TYPE_SCALES_MAX = 4096,      /* Scales of one per-axis quantized type. */
};

/* !quant.uniform<storage<min:max>:expressed:axis, {scale:zero_point, ...}>. */
typedef struct quantization {
  const element_t *expressed; /* A float. */
  int64_t storage_min;        /* Smallest and largest storage value, within the storage type. */
  int64_t storage_max;
  int32_t axis;               /* Quantization dimension, or -1 for per tensor. */
  uint32_t count;             /* Scales: 1 per tensor, else the size of dimension `axis`. */
  const double *scales;       /* `count` positive finite numbers. */
  const int64_t *zero_points; /* `count` storage values. */
} quantization_t;

typedef struct type {
  const element_t *element;           /* What is stored; the storage type if quantized. */
  const quantization_t *quantization; /* NULL unless quantized; borrowed from the case's arena. */
  uint32_t rank;
  uint32_t dynamic_dims; /* Bit i: dimension i is "?" in the program that is compiled, which then
                          * runs at several sizes; dims[i] is the one at hand. */
  int64_t dims[TYPE_RANK_MAX]; /* Sizes, each at least 0. */
} type_t;

/* An unquantized type. */
type_t type_make(const element_t *element, uint32_t rank, const int64_t *dims);

/* Number of elements: the product of the sizes (1 for rank 0).  The type obeys the bounds. */
size_t type_element_count(const type_t *type);

/* Elements times components: complex types have two components an element. */
size_t type_component_count(const type_t *type);

/* Bytes of dense data. */
size_t type_bytes(const type_t *type);

/* These two ask about sizes, whether or not they are known to who compiles. */
bool type_equal(const type_t *a, const type_t *b);

/* Whether both have the same dimensions, of whatever elements. */
bool type_shapes_equal(const type_t *a, const type_t *b);

/* Whether two quantizations, each of which may be NULL, say the same. */
bool quantization_equal(const quantization_t *a, const quantization_t *b);

/* The zero point of element `element`, by its row-major index, of a quantized type. */
int64_t quantization_zero_point(const type_t *type, size_t element);

/* Whether a tensor of that shape may be quantized along its dimension `dim`: the specification's
 * grammar wants one scale at least, and we read TYPE_SCALES_MAX at most. */
bool type_takes_axis(const type_t *type, int64_t dim);

/* STATUS_INVALID if a bound above or a rule of the quantized types is broken. */
status_t type_check(const type_t *type, failure_t *error);

/* The same with wider bounds, of tensors that are only ever looked at in parts: TYPE_LARGE_MAX
 * elements, and four times as many bytes. */
#define TYPE_LARGE_MAX (INT64_C(1) << 31)
status_t type_check_large(const type_t *type, failure_t *error);

/* "f32[2,3]", "complex<f32>[]", "!quant.uniform<i8<-127:127>:f32:1,{0x1p-1:3,0x1p+0}>[2,2]".
 * Scales are hex floats; a zero point of 0 and a full storage range are left out.  A size that is
 * not known when the program is compiled has a question mark: "f32[?4,64]".  Parsing accepts only
 * what printing gives: type_print(type_parse(s)) == s. */
status_t type_parse(scan_t *scan, arena_t *arena, type_t *out_type, failure_t *error);
void type_print(const type_t *type, GString *out_text);

/* The same as it is compiled: "f32[?,64]". */
void type_print_compiled(const type_t *type, GString *out_text);

/* The element part alone: "f32", "!quant.uniform<...>".  What is parsed has rank 0. */
status_t type_parse_element(scan_t *scan, arena_t *arena, type_t *out_type, failure_t *error);
void type_print_element(const type_t *type, GString *out_text);

/* MLIR: "tensor<2x3xf32>", "tensor<?x64xf32>". */
void type_print_mlir(const type_t *type, GString *out_text);

#endif
