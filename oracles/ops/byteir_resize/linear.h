/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle of linear resizes: which numbers are there to be interpolated between, and what may
 * come of it. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_RESIZE_LINEAR_H
#define ASSAY_ORACLES_OPS_BYTEIR_RESIZE_LINEAR_H

#include "harness/model/accept.h"
#include "oracles/ops/byteir_resize/grid.h"
#include "oracles/oracle_call.h"

/* One way to understand a program. */
typedef struct resize_variant {
  bool takes_given; /* Scales as they are given, not ratios of lengths. */
  resize_formula_t formula;
  const format_t *format; /* The working format. */
  bool is_native;         /* It is the operand's own, of 16 bits. */
} resize_variant_t;

enum { RESIZE_VARIANTS_MAX = 4 * RESIZE_FORMULA_COUNT };

/* Those that the contract permits of the formulas from `first` to `last`, the tightest formula
 * first; returns how many. */
size_t resize_variants(const case_t *instance, const contract_t *contract, resize_formula_t first,
                       resize_formula_t last, resize_variant_t out[RESIZE_VARIANTS_MAX]);

/* byteir_resize/place.c: where numbers may be taken from along one dimension. */
typedef enum resize_place_kind {
  RESIZE_COPY, /* The lower element; the upper one has weight 0. */
  RESIZE_CELL, /* Between the lower and the upper one. */
  RESIZE_EDGE, /* Between an end and itself; the upper one is its neighbour, or itself. */
} resize_place_kind_t;

typedef struct resize_place {
  resize_place_kind_t kind;
  int64_t lower;
  int64_t upper;
  double low; /* The weight of the upper one; of an edge, of the element beyond. */
  double high;
} resize_place_t;

enum { RESIZE_PLACES_MAX = 32 };

/* All places of a coordinate; returns how many. */
size_t resize_places(const resize_axis_t *axis, const resize_coordinate_t *coordinate,
                     resize_place_t out[RESIZE_PLACES_MAX]);

/* STATUS_UNSUPPORTED for more dimensions than anybody interpolates. */
status_t resize_linear_accept(const oracle_call_t *call, accept_t *out_accept);

/* byteir_resize/span.c: what models of one formula return for each component, which all conform if
 * they may multiply by weights of 0: numbers in [low, high], and a set of accept_special_t. */
typedef struct resize_span {
  double *low;
  double *high;
  uint8_t *specials;
} resize_span_t;

resize_span_t resize_linear_span(const resize_grid_t *grid, const contract_t *contract,
                                 const resize_variant_t *variant, arena_t *arena);

/* What one model of a formula returns before its numbers become integers, with the least
 * coordinates. */
double *resize_linear_numbers(const resize_grid_t *grid, const contract_t *contract,
                              const resize_variant_t *variant, arena_t *arena);

/* Exact values, but for roundings of binary64. */
void resize_linear_references(const resize_grid_t *grid, const contract_t *contract,
                              double *references, arena_t *arena);

void resize_linear_decide(const oracle_call_t *call, size_t component, const tensor_t *result,
                          answer_t *out_answer);

/* Whether one component conforms by one variant. */
bool resize_linear_holds(const oracle_call_t *call, const resize_variant_t *variant,
                         size_t component, uint64_t bits);

status_t resize_linear_find_formula(const oracle_call_t *call, const accept_t *accepts,
                                    uint8_t *out_formula, bool *out_found);

#endif
