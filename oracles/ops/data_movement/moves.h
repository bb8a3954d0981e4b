/* SPDX-License-Identifier: Apache-2.0 */
/* How elements move, as strides: what the fast side and the models share.  The exact side looks
 * its element up by the specification's formulas instead. */
#ifndef ASSAY_ORACLES_OPS_DATA_MOVEMENT_MOVES_H
#define ASSAY_ORACLES_OPS_DATA_MOVEMENT_MOVES_H

#include "harness/model/implementation_model.h"
#include "oracles/ops/data_movement/data_movement.h"

/* A box of elements of one operand and their places in the result, by row-major numbers.  A number
 * is the sum of index times stride over all dimensions, and to_first.  What a fault sends beyond an
 * end comes back at the other. */
typedef struct move {
  uint32_t operand;
  uint32_t rank;
  int64_t sizes[TYPE_RANK_MAX];
  size_t from_strides[TYPE_RANK_MAX];
  size_t to_strides[TYPE_RANK_MAX];
  size_t to_first;
} move_t;

typedef struct moves {
  uint32_t count;
  move_t items[CASE_OPERANDS_MAX];
} moves_t;

/* Those of a valid program, as an implementation with that fault makes them: together they reach
 * each element of the result once. */
moves_t moves_make(const program_t *program, fault_t fault);

/* Calls visit() with the numbers of each element that a move takes, and of where it goes. */
typedef void move_visit_t(const move_t *move, size_t from, size_t to, void *context);
void move_each(const program_t *program, const move_t *move, move_visit_t *visit, void *context);

#endif
