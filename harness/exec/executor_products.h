/* SPDX-License-Identifier: Apache-2.0 */
/* Which dimension of a product or of a convolution is what, for backends: read and checked.
 *
 *   assay_dot_dims_t dims;
 *   const char *broken = assay_dot_read(program, &dims);
 *   if (broken != NULL) return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken %s", broken);
 *   int64_t terms = assay_dims_extent(&dims.lhs_contract, &program->operands[0]);
 *
 * Header-only, as executor_helpers.h. */
#ifndef ASSAY_EXECUTOR_PRODUCTS_H
#define ASSAY_EXECUTOR_PRODUCTS_H

#include "harness/exec/executor_helpers.h"

/* ---- stablehlo.dot_general ------------------------------------------------------------------- */

/* The dimensions of both operands, by their part in the product.  Those of the result are those of
 * lhs_batch, lhs_rest and rhs_rest, in this order. */
typedef struct assay_dot_dims {
  assay_dims_t lhs_batch;
  assay_dims_t rhs_batch;
  assay_dims_t lhs_contract;
  assay_dims_t rhs_contract;
  assay_dims_t lhs_rest; /* Neither batch nor contracting, ascending. */
  assay_dims_t rhs_rest;
} assay_dot_dims_t;

/* Whether dimensions of two tensors, in pairs, have equal sizes. */
static inline bool assay_sizes_agree(const assay_type_t *lhs, const assay_dims_t *lhs_dims,
                                     const assay_type_t *rhs, const assay_dims_t *rhs_dims) {
  for (uint32_t i = 0; i < lhs_dims->count; i++) {
    if (lhs->dims[lhs_dims->dims[i]] != rhs->dims[rhs_dims->dims[i]]) return false;
  }
  return true;
}

/* One operand's other dimensions; false if those listed are out of range or not distinct. */
static inline bool assay_dot_find_rest(const assay_type_t *type, const assay_dims_t *batch,
                                       const assay_dims_t *contract, assay_dims_t *out_rest) {
  if (batch->count + contract->count > type->rank) return false;
  assay_dims_t listed = *batch;
  assay_dims_append(&listed, contract);
  if (!assay_dims_are_distinct(&listed, type->rank)) return false;
  *out_rest = assay_dims_rest(&listed, type->rank);
  return true;
}

/* Reads `batch` and `contract`.  NULL, or the first constraint of StableHLO's specification
 * (dot_general, C1 to C10) that they break. */
static inline const char *assay_dot_read(const assay_program_t *program,
                                         assay_dot_dims_t *out_dims) {
  if (program->operand_count != 2 || program->result_count != 1) return "two operands, one result";
  const assay_type_t *lhs = &program->operands[0];
  const assay_type_t *rhs = &program->operands[1];
  assay_dot_dims_t *dims = out_dims;
  if (!assay_attribute_dims_pair(program, "batch", &dims->lhs_batch, &dims->rhs_batch) ||
      !assay_attribute_dims_pair(program, "contract", &dims->lhs_contract, &dims->rhs_contract)) {
    return "attributes batch and contract are there";
  }
  if (dims->lhs_batch.count != dims->rhs_batch.count) return "C1: as many batch dimensions";
  if (dims->lhs_contract.count != dims->rhs_contract.count) {
    return "C2: as many contracting dimensions";
  }
  if (!assay_dot_find_rest(lhs, &dims->lhs_batch, &dims->lhs_contract, &dims->lhs_rest)) {
    return "C3, C5, C6: dimensions of lhs are in range and distinct";
  }
  if (!assay_dot_find_rest(rhs, &dims->rhs_batch, &dims->rhs_contract, &dims->rhs_rest)) {
    return "C4, C7, C8: dimensions of rhs are in range and distinct";
  }
  if (!assay_sizes_agree(lhs, &dims->lhs_batch, rhs, &dims->rhs_batch)) {
    return "C9: batch dimensions have equal sizes";
  }
  if (!assay_sizes_agree(lhs, &dims->lhs_contract, rhs, &dims->rhs_contract)) {
    return "C10: contracting dimensions have equal sizes";
  }
  return NULL;
}

/* Whether it is the product of two matrices, [rows, terms] by [terms, columns]. */
static inline bool assay_dot_is_matmul(const assay_program_t *program) {
  assay_dot_dims_t dims;
  return assay_dot_read(program, &dims) == NULL && program->operands[0].rank == 2 &&
         program->operands[1].rank == 2 && dims.lhs_batch.count == 0 &&
         assay_dims_are(&dims.lhs_contract, 1) && assay_dims_are(&dims.rhs_contract, 0);
}

/* Attribute `algorithm`: element types, and into how many components operands are split. */
typedef struct assay_dot_algorithm {
  char lhs_precision[16];
  char rhs_precision[16];
  char accumulation[16];
  int64_t
      lhs_components; /* 1 where an algorithm of StableHLO stands for several, as in its MLIR. */
  int64_t rhs_components;
  int64_t primitive_operations;
  bool allow_imprecise_accumulation;
} assay_dot_algorithm_t;

/* False if the program asks for none. */
static inline bool assay_dot_read_algorithm(const assay_program_t *program,
                                            assay_dot_algorithm_t *out_algorithm) {
  const char *text = assay_attribute_text(program, "algorithm");
  if (text == NULL || !assay_take_character(&text, '[')) return false;
  assay_dot_algorithm_t *algorithm = out_algorithm;
  char *const words[] = {algorithm->lhs_precision, algorithm->rhs_precision,
                         algorithm->accumulation};
  int64_t *const numbers[] = {&algorithm->lhs_components, &algorithm->rhs_components,
                              &algorithm->primitive_operations};
  for (size_t i = 0; i < 3; i++) {
    if (!assay_take_word(&text, words[i], sizeof algorithm->accumulation)) return false;
    if (!assay_take_character(&text, ',')) return false;
  }
  for (size_t i = 0; i < 3; i++) {
    if (!assay_take_integer(&text, numbers[i]) || !assay_take_character(&text, ',')) return false;
  }
  algorithm->allow_imprecise_accumulation = strcmp(text, "true]") == 0;
  return algorithm->allow_imprecise_accumulation || strcmp(text, "false]") == 0;
}

/* ---- stablehlo.convolution ------------------------------------------------------------------- */

/* Where the dimensions of a convolution lie in its tensors: entries 0 and 1 of lhs and result are
 * batch and feature, those of rhs input feature and output feature; then the spatial ones. */
typedef struct assay_convolution_dims {
  uint32_t rank;
  uint32_t lhs[ASSAY_RANK_MAX];
  uint32_t rhs[ASSAY_RANK_MAX];
  uint32_t result[ASSAY_RANK_MAX];
} assay_convolution_dims_t;

/* Reads "[b,0,1,f]" with letters "bf" as {0, 3, 1, 2}; false unless each is there once. */
static inline bool assay_take_places(const char **cursor, const char *letters, uint32_t rank,
                                     uint32_t *out_places) {
  uint32_t seen = 0;
  if (*(*cursor)++ != '[') return false;
  for (uint32_t dim = 0; dim < rank; dim++) {
    if (dim > 0 && *(*cursor)++ != ',') return false;
    const char *letter = **cursor == '\0' ? NULL : strchr(letters, **cursor);
    bool is_digit = **cursor >= '0' && **cursor <= '9';
    if (letter == NULL && !is_digit) return false;
    uint32_t place = is_digit ? (uint32_t)(**cursor - '0') + 2 : (uint32_t)(letter - letters);
    if (place >= rank || (seen >> place & 1) != 0) return false;
    seen |= 1u << place;
    out_places[place] = dim;
    ++*cursor;
  }
  return *(*cursor)++ == ']';
}

/* Reads `dimension_numbers`, for tensors of `rank` dimensions. */
static inline bool assay_convolution_read(const assay_program_t *program, uint32_t rank,
                                          assay_convolution_dims_t *out_dims) {
  const char *text = assay_attribute_text(program, "dimension_numbers");
  if (text == NULL || rank < 2 || rank > ASSAY_RANK_MAX) return false;
  out_dims->rank = rank;
  if (!assay_take_places(&text, "bf", rank, out_dims->lhs) || *text++ != 'x') return false;
  if (!assay_take_places(&text, "io", rank, out_dims->rhs)) return false;
  if (strncmp(text, "->", 2) != 0) return false;
  text += 2;
  return assay_take_places(&text, "bf", rank, out_dims->result) && *text == '\0';
}

#endif
