/* SPDX-License-Identifier: Apache-2.0 */
/* The constraints of a gather, in an order in which each may rely on those before it. */
#include "oracles/ops/slicing/op/op.h"

static const slicing_attributes_t *of(const program_t *program) {
  return slicing_attributes(program);
}

static bool gathers_integers(const program_t *program) {
  return element_is_integer(program->operands[1].element);
}

static bool gathers_rank(const program_t *program) {
  const slicing_attributes_t *a = of(program);
  return program->operands[0].rank ==
         a->offset_dims.count + a->collapsed_slice_dims.count + a->operand_batching_dims.count;
}

static bool has_vector_dimension(const program_t *program) {
  return of(program)->index_vector_dim >= 0 &&
         of(program)->index_vector_dim <= program->operands[1].rank;
}

/* Indices in a vector: one where that is no dimension of start_indices. */
static int64_t vector_size(const program_t *program) {
  const type_t *starts = &program->operands[1];
  int64_t dim = of(program)->index_vector_dim;
  return dim < starts->rank ? starts->dims[dim] : 1;
}

static bool maps_each(const program_t *program) {
  return of(program)->start_index_map.count == vector_size(program);
}

static bool ascends(const dimension_list_t *list) {
  for (uint32_t i = 1; i < list->count; i++) {
    if (list->dims[i] < list->dims[i - 1]) return false;
  }
  return true;
}

static bool offsets_ascend(const program_t *program) {
  return dimension_list_is_unique(&of(program)->offset_dims) && ascends(&of(program)->offset_dims);
}

static bool offsets_within(const program_t *program) {
  return dimension_list_in_range(&of(program)->offset_dims, program->results[0].rank);
}

/* One list behind the other, of which both are within the rank of the operand. */
static bool are_disjoint(const dimension_list_t *a, const dimension_list_t *b) {
  for (uint32_t i = 0; i < a->count; i++) {
    if (dimension_list_contains(b, a->dims[i])) return false;
  }
  return dimension_list_is_unique(a) && dimension_list_is_unique(b);
}

static bool collapses_once(const program_t *program) {
  return are_disjoint(&of(program)->collapsed_slice_dims, &of(program)->operand_batching_dims);
}

static bool collapses_ascending(const program_t *program) {
  return ascends(&of(program)->collapsed_slice_dims);
}

static bool collapses_within(const program_t *program) {
  return dimension_list_in_range(&of(program)->collapsed_slice_dims, program->operands[0].rank);
}

static bool sizes_are_one(const program_t *program, const dimension_list_t *dims) {
  for (uint32_t i = 0; i < dims->count; i++) {
    if (of(program)->slice_sizes.dims[dims->dims[i]] > 1) return false;
  }
  return true;
}

static bool collapses_ones(const program_t *program) {
  return sizes_are_one(program, &of(program)->collapsed_slice_dims);
}

/* The specification lets such a slice be empty, and a result have an element of it. */
static bool collapses_something(const program_t *program) {
  const dimension_list_t *dims = &of(program)->collapsed_slice_dims;
  for (uint32_t i = 0; i < dims->count; i++) {
    if (of(program)->slice_sizes.dims[dims->dims[i]] == 0) return false;
  }
  return true;
}

static bool batches_ascending(const program_t *program) {
  return ascends(&of(program)->operand_batching_dims);
}

static bool batches_within(const program_t *program) {
  return dimension_list_in_range(&of(program)->operand_batching_dims, program->operands[0].rank);
}

static bool batches_ones(const program_t *program) {
  return sizes_are_one(program, &of(program)->operand_batching_dims);
}

static bool batches_starts_once(const program_t *program) {
  return dimension_list_is_unique(&of(program)->start_indices_batching_dims);
}

static bool batches_starts_within(const program_t *program) {
  return dimension_list_in_range(&of(program)->start_indices_batching_dims,
                                 program->operands[1].rank);
}

static bool batches_no_vector(const program_t *program) {
  return !dimension_list_contains(&of(program)->start_indices_batching_dims,
                                  of(program)->index_vector_dim);
}

static bool batches_as_many(const program_t *program) {
  return of(program)->operand_batching_dims.count == of(program)->start_indices_batching_dims.count;
}

static bool batches_sizes(const program_t *program) {
  const dimension_list_t *a = &of(program)->operand_batching_dims;
  const dimension_list_t *b = &of(program)->start_indices_batching_dims;
  for (uint32_t i = 0; i < a->count; i++) {
    if (program->operands[0].dims[a->dims[i]] != program->operands[1].dims[b->dims[i]])
      return false;
  }
  return true;
}

static bool maps_once(const program_t *program) {
  return are_disjoint(&of(program)->start_index_map, &of(program)->operand_batching_dims);
}

static bool maps_within(const program_t *program) {
  return dimension_list_in_range(&of(program)->start_index_map, program->operands[0].rank);
}

/* Batch dimensions have the sizes of start_indices but for the vectors, the others slice_sizes but
 * for those that are collapsed or batches. */
static bool gathers_shape(const program_t *program) {
  const slicing_attributes_t *a = of(program);
  const type_t *result = &program->results[0], *starts = &program->operands[1];
  const dimension_list_t offsets = dimension_list_rest(
      program->operands[0].rank, &a->collapsed_slice_dims, &a->operand_batching_dims);
  uint32_t batches = starts->rank - (a->index_vector_dim < starts->rank ? 1 : 0);
  if (result->rank != batches + offsets.count) return false;
  uint32_t batch = 0, offset = 0;
  for (uint32_t i = 0; i < result->rank; i++) {
    int64_t size;
    if (dimension_list_contains(&a->offset_dims, i)) {
      size = a->slice_sizes.dims[offsets.dims[offset++]];
    } else {
      if (batch == a->index_vector_dim) batch++;
      if (batch >= starts->rank) return false;
      size = starts->dims[batch++];
    }
    if (result->dims[i] != size) return false;
  }
  return true;
}

const op_constraint_t gather_constraints[] = {
    OP_FORBIDDEN("arity", "there are two operands and one result", "inputs (I1), (I2) and outputs",
                 program_is_binary),
    OP_UNMODELLED("quantized", "nothing is quantized", program_is_plain),
    OP_FORBIDDEN("indices", "start_indices are integers", "inputs (I2)", gathers_integers),
    OP_SPECIFIED("C1",
                 "each dimension of the operand is an offset, collapsed or a batch: their counts "
                 "add up to its rank",
                 gathers_rank),
    OP_SPECIFIED("C2", "index_vector_dim is at least 0, and at most the rank of start_indices",
                 has_vector_dimension),
    OP_SPECIFIED("C3", "start_index_map has an entry for each index of a vector", maps_each),
    OP_SPECIFIED("C4", "offset_dims ascend, and none is listed twice", offsets_ascend),
    OP_SPECIFIED("C5", "offset_dims are at least 0 and below the rank of the result",
                 offsets_within),
    OP_SPECIFIED("C6", "no dimension is collapsed or a batch twice", collapses_once),
    OP_SPECIFIED("C7", "collapsed_slice_dims ascend", collapses_ascending),
    OP_SPECIFIED("C8", "collapsed_slice_dims are at least 0 and below the rank of the operand",
                 collapses_within),
    OP_SPECIFIED("C10", "operand_batching_dims ascend", batches_ascending),
    OP_SPECIFIED("C11", "operand_batching_dims are at least 0 and below the rank of the operand",
                 batches_within),
    OP_SPECIFIED("C20", "there are slice_sizes for each dimension of the operand",
                 slicing_takes_rank),
    OP_SPECIFIED("C21", "slice_sizes are at least 0, and at most the sizes of the operand",
                 slicing_takes_within),
    OP_SPECIFIED("C9", "slice_sizes of collapsed dimensions are at most 1", collapses_ones),
    OP_SPECIFIED("C12", "slice_sizes of batches are at most 1", batches_ones),
    OP_SPECIFIED("C13", "no dimension is twice in start_indices_batching_dims",
                 batches_starts_once),
    OP_SPECIFIED("C14", "start_indices_batching_dims are dimensions of start_indices",
                 batches_starts_within),
    OP_SPECIFIED("C15", "index_vector_dim is not among start_indices_batching_dims",
                 batches_no_vector),
    OP_SPECIFIED("C16", "operand and start_indices have as many batch dimensions", batches_as_many),
    OP_SPECIFIED("C17", "batch dimensions of operand and start_indices have one size",
                 batches_sizes),
    OP_SPECIFIED("C18", "no dimension is twice in start_index_map, nor a batch", maps_once),
    OP_SPECIFIED("C19", "start_index_map has dimensions of the operand", maps_within),
    OP_SPECIFIED("C22",
                 "the result has the batch sizes of start_indices, and at offset_dims the "
                 "slice_sizes that are not collapsed or batches",
                 gathers_shape),
    OP_SPECIFIED("C23", "the result has the element type of the operand", slicing_keeps_element),
    OP_UNMODELLED("empty", "no dimension is collapsed whose slices are empty", collapses_something),
    OP_CONSTRAINTS_END,
};
