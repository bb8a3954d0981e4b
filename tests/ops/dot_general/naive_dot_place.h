/* SPDX-License-Identifier: Apache-2.0 */
/* Where the terms of a dot_general lie, dimension by dimension. */
#ifndef ASSAY_TESTS_OPS_DOT_GENERAL_NAIVE_DOT_PLACE_H
#define ASSAY_TESTS_OPS_DOT_GENERAL_NAIVE_DOT_PLACE_H

#include "oracles/ops/dot_general/dot_general.h"
#include "tests/ops/op_checks.h"

/* Where one term lies: an index for every dimension of both operands. */
typedef struct place {
  int64_t lhs[TYPE_RANK_MAX];
  int64_t rhs[TYPE_RANK_MAX];
} place_t;

static inline bool is_listed(const dimension_list_t *list, int64_t dim) {
  for (uint32_t i = 0; i < list->count; i++) {
    if (list->dims[i] == dim) return true;
  }
  return false;
}

/* Result dimensions are: batching, then the others of lhs, then the others of rhs. */
static inline place_t place_of_result(const program_t *program, size_t result) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  int64_t index[TYPE_RANK_MAX];
  check_unravel(&program->results[0], result, index);
  place_t place = {{0}, {0}};
  uint32_t next = 0;
  for (uint32_t i = 0; i < attributes->lhs_batching.count; i++) {
    place.lhs[attributes->lhs_batching.dims[i]] = index[next];
    place.rhs[attributes->rhs_batching.dims[i]] = index[next];
    next++;
  }
  for (int64_t dim = 0; dim < program->operands[DOT_GENERAL_LHS].rank; dim++) {
    if (is_listed(&attributes->lhs_batching, dim)) continue;
    if (is_listed(&attributes->lhs_contracting, dim)) continue;
    place.lhs[dim] = index[next++];
  }
  for (int64_t dim = 0; dim < program->operands[DOT_GENERAL_RHS].rank; dim++) {
    if (is_listed(&attributes->rhs_batching, dim)) continue;
    if (is_listed(&attributes->rhs_contracting, dim)) continue;
    place.rhs[dim] = index[next++];
  }
  return place;
}

/* Moves to the next term, the last contracting dimension fastest; false after the last one. */
static inline bool next_term(const program_t *program, place_t *place) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  for (uint32_t i = attributes->lhs_contracting.count; i-- > 0;) {
    int64_t lhs_dim = attributes->lhs_contracting.dims[i];
    int64_t rhs_dim = attributes->rhs_contracting.dims[i];
    int64_t next = place->lhs[lhs_dim] + 1;
    bool wraps = next == program->operands[DOT_GENERAL_LHS].dims[lhs_dim];
    place->lhs[lhs_dim] = wraps ? 0 : next;
    place->rhs[rhs_dim] = wraps ? 0 : next;
    if (!wraps) return true;
  }
  return false;
}

static inline bool has_terms(const program_t *program) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  for (uint32_t i = 0; i < attributes->lhs_contracting.count; i++) {
    int64_t dim = attributes->lhs_contracting.dims[i];
    if (program->operands[DOT_GENERAL_LHS].dims[dim] == 0) return false;
  }
  return true;
}

#endif
