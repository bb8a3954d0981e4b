/* SPDX-License-Identifier: Apache-2.0 */
/* Whether one component of a linear resize conforms by one variant: the exact side's search through
 * the places that numbers may be taken from. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_RESIZE_LINEAR_QUESTION_H
#define ASSAY_ORACLES_OPS_BYTEIR_RESIZE_LINEAR_QUESTION_H

#include "oracles/exact/value_range.h"
#include "oracles/ops/byteir_resize/linear.h"

/* One component under one variant. */
typedef struct resize_question {
  const contract_t *contract;
  const resize_variant_t *variant;
  resize_grid_t grid;
  int64_t positions[TYPE_RANK_MAX];
  resize_coordinate_t coordinates[TYPE_RANK_MAX];
  size_t place_count[TYPE_RANK_MAX];
  resize_place_t places[TYPE_RANK_MAX][RESIZE_PLACES_MAX];
  enclosing_t settings;
  formula_t formula;
} resize_question_t;

/* `question` stays where it is: its formula points into it. */
void resize_question_init(resize_question_t *question, const oracle_call_t *call,
                          const resize_variant_t *variant, size_t component);

/* Whether the pattern is in the set of one choice of places, or in the hull of all, which are
 * joined where cells meet.  *out_range is that hull if it is in no single one. */
bool resize_question_holds(resize_question_t *question, uint64_t bits, value_range_t *out_range);

static inline const element_t *resize_question_element(const resize_question_t *question) {
  return question->grid.instance->program.operands[0].element;
}

/* The pattern of the input at some indices, and the set of numbers that a pattern is loaded as. */
uint64_t resize_question_bits(const resize_question_t *question,
                              const int64_t indices[TYPE_RANK_MAX]);
row_t resize_question_load(resize_question_t *question, uint64_t bits);

#endif
