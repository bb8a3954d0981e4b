/* SPDX-License-Identifier: Apache-2.0 */
/* Expresses reshape, transpose, broadcast and concatenate as one or more strided copies, with the
 * planted faults, and visits each pair of source and target. */
#include "oracles/ops/data_movement/moves.h"

#include "generated/data_movement_faults.h"

/* Row-major strides of a tensor. */
static void find_strides(const type_t *type, size_t out_strides[TYPE_RANK_MAX]) {
  size_t stride = 1;
  for (uint32_t dim = type->rank; dim-- > 0;) {
    out_strides[dim] = stride;
    stride *= (size_t)type->dims[dim];
  }
}

/* All elements in the order of their numbers. */
static move_t move_of_all(const type_t *result) {
  move_t move = {.rank = 1, .from_strides = {1}, .to_strides = {1}};
  move.sizes[0] = (int64_t)type_element_count(result);
  return move;
}

/* The operand is read with its first dimension running fastest. */
static move_t move_of_columns(const type_t *operand) {
  move_t move = {.rank = operand->rank};
  size_t strides[TYPE_RANK_MAX], stride = 1;
  find_strides(operand, strides);
  for (uint32_t i = 0; i < operand->rank; i++) {
    uint32_t dim = operand->rank - 1 - i;
    move.sizes[i] = operand->dims[dim];
    move.from_strides[i] = strides[dim];
  }
  for (uint32_t i = operand->rank; i-- > 0;) {
    move.to_strides[i] = stride;
    stride *= (size_t)move.sizes[i];
  }
  return move;
}

/* Runs along the result; `from` are the operand's dimensions of the result's, -1 for none. */
static move_t move_along_result(const program_t *program, const int64_t from[TYPE_RANK_MAX]) {
  const type_t *operand = &program->operands[0], *result = &program->results[0];
  move_t move = {.rank = result->rank};
  size_t strides[TYPE_RANK_MAX];
  find_strides(operand, strides);
  find_strides(result, move.to_strides);
  for (uint32_t i = 0; i < result->rank; i++) {
    move.sizes[i] = result->dims[i];
    if (from[i] >= 0) move.from_strides[i] = strides[from[i]];
  }
  return move;
}

/* Of a permutation the first two dimensions that differ are exchanged, and all others stay. */
static void keep_first_swap(uint32_t count, int64_t from[TYPE_RANK_MAX]) {
  uint32_t first = 0;
  while (first < count && from[first] == first) first++;
  if (first == count) return;
  int64_t other = from[first];
  for (uint32_t i = first; i < count; i++) from[i] = i;
  from[first] = other;
  from[other] = first;
}

static move_t transpose_move(const program_t *program, fault_t fault) {
  const dimension_list_t *permutation = &data_movement_attributes(program)->dimensions;
  int64_t from[TYPE_RANK_MAX];
  for (uint32_t i = 0; i < permutation->count; i++) {
    if (fault == FAULT_permutation_inverted) {
      from[permutation->dims[i]] = i;
    } else {
      from[i] = permutation->dims[i];
    }
  }
  if (fault == FAULT_transpose_swaps_two) keep_first_swap(permutation->count, from);
  if (fault == FAULT_permutation_ignored) return move_of_all(&program->results[0]);
  return move_along_result(program, from);
}

static move_t broadcast_move(const program_t *program, fault_t fault) {
  const dimension_list_t *dimensions = &data_movement_attributes(program)->dimensions;
  const type_t *operand = &program->operands[0];
  uint32_t offset = program->results[0].rank - dimensions->count;
  uint32_t mask = dimension_list_mask(dimensions);
  int64_t from[TYPE_RANK_MAX];
  for (uint32_t i = 0; i < TYPE_RANK_MAX; i++) from[i] = -1;
  bool is_scalar = fault == FAULT_broadcast_as_scalar && operand->rank > 0 && operand->dims[0] == 1;
  if (is_scalar) return move_along_result(program, from);
  for (uint32_t i = 0; i < dimensions->count; i++) {
    uint32_t to = (uint32_t)dimensions->dims[i];
    uint32_t smallest = (uint32_t)__builtin_ctz(mask);
    mask &= mask - 1;
    if (fault == FAULT_broadcast_to_last) to = i + offset;
    if (fault == FAULT_broadcast_sorted) to = smallest;
    bool is_stretched = operand->dims[i] == 1 && fault != FAULT_broadcast_runs_on;
    from[to] = is_stretched ? -1 : (int64_t)i;
  }
  return move_along_result(program, from);
}

static moves_t concatenate_moves(const program_t *program, fault_t fault) {
  const type_t *result = &program->results[0];
  uint32_t dimension = (uint32_t)data_movement_attributes(program)->dimension;
  moves_t moves = {.count = program->operand_count};
  size_t strides[TYPE_RANK_MAX], first = 0;
  find_strides(result, strides);
  for (uint32_t i = 0; i < moves.count; i++) {
    move_t *move = &moves.items[i];
    move->operand = fault == FAULT_concatenate_reversed ? moves.count - 1 - i : i;
    if (fault == FAULT_concatenate_of_three) move->operand = MIN(i, 2);
    const type_t *operand = &program->operands[move->operand];
    find_strides(operand, move->from_strides);
    move->rank = result->rank;
    for (uint32_t dim = 0; dim < result->rank; dim++) move->sizes[dim] = operand->dims[dim];
    bool is_last = i + 1 == moves.count && move->sizes[dimension] > 0;
    if (fault == FAULT_concatenate_end_exclusive && is_last) move->sizes[dimension]--;
    if (fault == FAULT_concatenate_back_to_back) {
      find_strides(operand, move->to_strides);
      move->to_first = first;
      first += type_element_count(operand);
    } else {
      memcpy(move->to_strides, strides, sizeof strides);
      move->to_first = first * strides[dimension];
      uint32_t sized = fault == FAULT_concatenate_as_first ? 0 : move->operand;
      first += (size_t)program->operands[sized].dims[dimension];
    }
  }
  return moves;
}

moves_t moves_make(const program_t *program, fault_t fault) {
  moves_t moves = {.count = 1};
  switch (data_movement_of(program)) {
    case MOVEMENT_RESHAPE:
      moves.items[0] = fault == FAULT_reshape_by_columns ? move_of_columns(&program->operands[0])
                                                         : move_of_all(&program->results[0]);
      break;
    case MOVEMENT_TRANSPOSE:
      moves.items[0] = transpose_move(program, fault);
      break;
    case MOVEMENT_BROADCAST:
      moves.items[0] = broadcast_move(program, fault);
      break;
    case MOVEMENT_CONCATENATE:
      moves = concatenate_moves(program, fault);
      break;
  }
  return moves;
}

void move_each(const program_t *program, const move_t *move, move_visit_t *visit, void *context) {
  size_t from_count = type_element_count(&program->operands[move->operand]);
  size_t to_count = type_element_count(&program->results[0]);
  int64_t place[TYPE_RANK_MAX] = {0};
  size_t count = 1, from = 0, to = move->to_first;
  for (uint32_t dim = 0; dim < move->rank; dim++) count *= (size_t)move->sizes[dim];
  if (from_count == 0 || to_count == 0) return;
  for (size_t i = 0; i < count; i++) {
    visit(move, from < from_count ? from : from % from_count, to < to_count ? to : to % to_count,
          context);
    for (uint32_t dim = move->rank; dim-- > 0;) {
      from += move->from_strides[dim];
      to += move->to_strides[dim];
      if (++place[dim] < move->sizes[dim]) break;
      from -= move->from_strides[dim] * (size_t)move->sizes[dim];
      to -= move->to_strides[dim] * (size_t)move->sizes[dim];
      place[dim] = 0;
    }
  }
}
