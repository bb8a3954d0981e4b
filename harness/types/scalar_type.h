/* SPDX-License-Identifier: Apache-2.0 */
/* The element type of a scalar or of a per-tensor quantized tensor.  It points to nothing that an
 * arena owns, so attributes of programs may hold it. */
#ifndef ASSAY_TYPES_SCALAR_TYPE_H
#define ASSAY_TYPES_SCALAR_TYPE_H

#include "harness/types/type.h"

typedef struct scalar_type {
  const element_t *element;   /* What is stored; the storage type if quantized. */
  const element_t *expressed; /* NULL unless quantized; all below is 0 then. */
  double scale;
  int64_t zero_point;
  int64_t storage_min;
  int64_t storage_max;
} scalar_type_t;

/* An unquantized one. */
scalar_type_t scalar_type_make(const element_t *element);

/* That of a tensor; of one that is quantized per axis, that of its first slice, or with a scale of
 * 1 if there is none. */
scalar_type_t scalar_type_of(const type_t *type);

bool scalar_type_equal(const scalar_type_t *a, const scalar_type_t *b);

/* Equal but for scale and zero point (StableHLO specification, baseline_element_type). */
bool scalar_type_has_baseline_of(const scalar_type_t *a, const scalar_type_t *b);

/* A tensor type with this element type; what quantizes it lives in the arena. */
type_t scalar_type_tensor(const scalar_type_t *scalar, uint32_t rank, const int64_t *dims,
                          arena_t *arena);

/* "f32", "!quant.uniform<i8:f32,0x1p-1:3>"; parsing accepts only what printing gives. */
status_t scalar_type_parse(scan_t *scan, arena_t *arena, scalar_type_t *out_scalar,
                           failure_t *error);
void scalar_type_print(const scalar_type_t *scalar, GString *out_text);

/* MLIR: "tensor<f32>". */
void scalar_type_print_mlir(const scalar_type_t *scalar, GString *out_text);

#endif
