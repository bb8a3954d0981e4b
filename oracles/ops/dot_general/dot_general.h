/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.dot_general: its attributes, and where the terms of each result element lie. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_DOT_GENERAL_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_DOT_GENERAL_H

#include "harness/kinds/precision.h"
#include "harness/model/case.h"
#include "harness/types/dimension_list.h"
#include "oracles/ops/dot_general/algorithm.h"

enum {
  DOT_GENERAL_LHS = 0, /* Operand numbers. */
  DOT_GENERAL_RHS = 1,
};

typedef struct dot_general_attributes {
  dimension_list_t lhs_batching;
  dimension_list_t rhs_batching;
  dimension_list_t lhs_contracting;
  dimension_list_t rhs_contracting;
  precision_list_t precision;
  bool has_algorithm;
  dot_algorithm_attribute_t algorithm; /* If has_algorithm. */
  const element_t *accumulation;       /* What products are made and added in; NULL: the type of the
                                        * result.  By contracts with reduce_types=rfc alone. */
} dot_general_attributes_t;

static inline const dot_general_attributes_t *dot_general_attributes(const program_t *program) {
  return program->attributes;
}

/* Whether it says nothing of how it is to be computed, but maybe with a precision_config. */
static inline bool dot_general_is_plain(const program_t *program) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  return !attributes->has_algorithm && attributes->accumulation == NULL;
}

/* Quantized: both operands and the result are.  Hybrid: the right operand alone is. */
static inline bool dot_general_is_quantized(const program_t *program) {
  return program->results[0].quantization != NULL;
}
static inline bool dot_general_is_hybrid(const program_t *program) {
  return program->operands[DOT_GENERAL_RHS].quantization != NULL &&
         program->results[0].quantization == NULL;
}

/* The dimensions of either operand that are neither batching nor contracting, ascending.  All
 * listed dimensions are in range. */
dimension_list_t dot_general_lhs_result_dimensions(const program_t *program);
dimension_list_t dot_general_rhs_result_dimensions(const program_t *program);

/* A dot_general as a batch of matrix products.  Term `term` of result element
 * (batch * row_count + row) * column_count + column, in the specification's order, is the product
 * of
 *   lhs element  lhs_batch_offset[batch] + lhs_row_offset[row] + lhs_term_offset[term]  and
 *   rhs element  rhs_batch_offset[batch] + rhs_column_offset[column] + rhs_term_offset[term].
 * Operands are first converted to the result's element type, in which products are exact or rounded
 * as theory.md, T11, tells.  If the result is empty, all counts are 0. */
typedef struct dot_general_layout {
  size_t batch_count;
  size_t row_count;
  size_t column_count;
  size_t term_count; /* K: 1 for an outer product, 0 where a contracting dimension has size 0. */
  const size_t *lhs_batch_offset;
  const size_t *lhs_row_offset;
  const size_t *lhs_term_offset;
  const size_t *rhs_batch_offset;
  const size_t *rhs_column_offset;
  const size_t *rhs_term_offset;
} dot_general_layout_t;

/* The layout of a valid program; the arrays live in the arena. */
dot_general_layout_t dot_general_layout_make(const program_t *program, arena_t *arena);

#endif
