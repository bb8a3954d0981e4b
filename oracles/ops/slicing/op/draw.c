/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of the slicing ops, and start indices within, at and beyond the ends of operands. */
#include "harness/kinds/byteir.h"
#include "oracles/ops/slicing/op/op.h"

/* ---- Shared ---------------------------------------------------------------------------------- */

static type_t draw_operand(rng_t *rng, const draw_limits_t *limits, uint32_t rank_max) {
  draw_limits_t room = *limits;
  room.rank_max = MIN(limits->rank_max, rank_max);
  dimension_list_t unused;
  return byteir_draw_shape(rng, &room, draw_element(rng, NULL, NULL), 0, 0, &unused);
}

static slicing_attributes_t *make_program(const op_t *op, arena_t *arena, program_t *out_program) {
  slicing_attributes_t *attributes = ARENA_NEW_ARRAY(arena, slicing_attributes_t, 1);
  *attributes = (slicing_attributes_t){.iota_dimension = 0};
  *out_program = (program_t){.op = op, .attributes = attributes, .result_count = 1};
  return attributes;
}

static bool is_index(const element_t *element, const void *unused) {
  (void)unused;
  return element_is_integer(element) && element->bits >= 8;
}

static const element_t *draw_index_element(rng_t *rng) {
  static const char *const usual[] = {"i32", "i64", "ui32"};
  if (!rng_one_in(rng, 4)) return element_named(usual[rng_below(rng, G_N_ELEMENTS(usual))]);
  return draw_element(rng, is_index, NULL);
}

/* ---- Static ones ----------------------------------------------------------------------------- */

void slice_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program) {
  slicing_attributes_t *attributes = make_program(&slice_op, arena, out_program);
  type_t operand = draw_operand(rng, limits, TYPE_RANK_MAX), result = operand;
  for (uint32_t i = 0; i < operand.rank; i++) {
    int64_t size = operand.dims[i], low = 0, high = size;
    if (!rng_one_in(rng, 3)) {
      low = rng_between(rng, 0, size);
      high = rng_between(rng, low, size);
    }
    int64_t stride = rng_one_in(rng, 2) ? 1 : rng_between(rng, 1, 4);
    dimension_list_append(&attributes->low, low);
    dimension_list_append(&attributes->high, high);
    dimension_list_append(&attributes->between, stride);
    result.dims[i] = (high - low + stride - 1) / stride;
  }
  out_program->operand_count = 1;
  out_program->operands[0] = operand;
  out_program->results[0] = result;
}

/* Sizes of the result stay near those of the operand, so that its elements stay few. */
void pad_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program) {
  slicing_attributes_t *attributes = make_program(&pad_op, arena, out_program);
  draw_limits_t room = *limits;
  room.elements_max = MAX(limits->elements_max / 8, 1);
  type_t operand = draw_operand(rng, &room, TYPE_RANK_MAX), result = operand;
  int64_t left = limits->elements_max;
  for (uint32_t i = 0; i < operand.rank; i++) left /= MAX(operand.dims[i], 1);
  for (uint32_t i = 0; i < operand.rank; i++) {
    int64_t size = operand.dims[i], between = 0, low = 0, high = 0, inner = size;
    bool may_grow = left >= 4;
    if (may_grow && rng_one_in(rng, 3)) between = rng_between(rng, 0, 1);
    inner += MAX(size - 1, 0) * between;
    if (may_grow && rng_one_in(rng, 2)) low = rng_between(rng, 0, MIN(size, 3));
    if (may_grow && rng_one_in(rng, 2)) high = rng_between(rng, 0, MIN(size, 3));
    if (rng_one_in(rng, 5)) low = -rng_between(rng, 0, MIN(inner, 2));
    if (rng_one_in(rng, 5)) high = -rng_between(rng, 0, MIN(MAX(inner + low, 0), 2));
    if (may_grow && result.dims[i] > 0) left /= 4;
    dimension_list_append(&attributes->low, low);
    dimension_list_append(&attributes->high, high);
    dimension_list_append(&attributes->between, between);
    result.dims[i] = inner + low + high;
  }
  out_program->operand_count = 2;
  out_program->operands[0] = operand;
  out_program->operands[1] = type_make(operand.element, 0, NULL);
  out_program->results[0] = result;
}

void reverse_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program) {
  slicing_attributes_t *attributes = make_program(&reverse_op, arena, out_program);
  type_t operand = draw_operand(rng, limits, TYPE_RANK_MAX);
  dimension_list_t all = draw_permutation(rng, operand.rank);
  for (uint32_t i = 0; i < all.count; i++) {
    if (rng_one_in(rng, 2)) dimension_list_append(&attributes->reversed, all.dims[i]);
  }
  out_program->operand_count = 1;
  out_program->operands[0] = out_program->results[0] = operand;
}

static bool has_numbers(const element_t *element, const void *unused) {
  (void)unused;
  bool has_zero = element->format == NULL || element->format->specials != FORMAT_EXPONENT_ONLY;
  return element->kind != ELEMENT_BOOLEAN && has_zero;
}

void iota_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program) {
  slicing_attributes_t *attributes = make_program(&iota_op, arena, out_program);
  dimension_list_t unused;
  draw_limits_t room = *limits;
  room.rank_max = MAX(limits->rank_max, 1);
  const element_t *element = draw_element(rng, has_numbers, NULL);
  out_program->results[0] = byteir_draw_shape(rng, &room, element, 1, 0, &unused);
  attributes->iota_dimension = (int64_t)rng_below(rng, out_program->results[0].rank);
}

/* ---- Dynamic ones ---------------------------------------------------------------------------- */

static void add_starts(rng_t *rng, uint32_t first, program_t *inout_program) {
  const element_t *element = draw_index_element(rng);
  uint32_t rank = inout_program->operands[0].rank;
  for (uint32_t i = 0; i < rank; i++) {
    inout_program->operands[first + i] = type_make(element, 0, NULL);
  }
  inout_program->operand_count = first + rank;
}

void dynamic_slice_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                        program_t *out_program) {
  slicing_attributes_t *attributes = make_program(&dynamic_slice_op, arena, out_program);
  type_t operand = draw_operand(rng, limits, CASE_OPERANDS_MAX - 1), result = operand;
  for (uint32_t i = 0; i < operand.rank; i++) {
    if (!rng_one_in(rng, 3)) result.dims[i] = rng_between(rng, 0, operand.dims[i]);
    dimension_list_append(&attributes->slice_sizes, result.dims[i]);
  }
  out_program->operands[0] = operand;
  out_program->results[0] = result;
  add_starts(rng, 1, out_program);
}

void dynamic_update_slice_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                               program_t *out_program) {
  make_program(&dynamic_update_slice_op, arena, out_program);
  type_t operand = draw_operand(rng, limits, CASE_OPERANDS_MAX - 2), update = operand;
  for (uint32_t i = 0; i < operand.rank; i++) {
    if (!rng_one_in(rng, 3)) update.dims[i] = rng_between(rng, 0, operand.dims[i]);
  }
  out_program->operands[0] = out_program->results[0] = operand;
  out_program->operands[1] = update;
  add_starts(rng, 2, out_program);
}

/* ---- gather ---------------------------------------------------------------------------------- */

/* What each dimension of the operand is, with the sizes of slices. */
static void draw_dimensions(rng_t *rng, const type_t *operand, bool has_batch,
                            slicing_attributes_t *attributes) {
  for (uint32_t i = 0; i < operand->rank; i++) {
    bool is_one = operand->dims[i] > 0 && rng_one_in(rng, 3);
    bool is_batch = has_batch && attributes->operand_batching_dims.count < 2 && rng_one_in(rng, 2);
    int64_t size = rng_one_in(rng, 3) ? operand->dims[i] : rng_between(rng, 0, operand->dims[i]);
    if (is_batch) {
      dimension_list_append(&attributes->operand_batching_dims, i);
      size = MIN(operand->dims[i], 1);
    } else if (is_one) {
      dimension_list_append(&attributes->collapsed_slice_dims, i);
      size = 1;
    }
    dimension_list_append(&attributes->slice_sizes, size);
  }
}

/* Some dimensions that are no batch, in any order. */
static void draw_map(rng_t *rng, uint32_t rank, slicing_attributes_t *attributes) {
  dimension_list_t all = draw_permutation(rng, rank);
  for (uint32_t i = 0; i < rank; i++) {
    bool is_batch = dimension_list_contains(&attributes->operand_batching_dims, all.dims[i]);
    if (!is_batch && !rng_one_in(rng, 4)) {
      dimension_list_append(&attributes->start_index_map, all.dims[i]);
    }
  }
}

/* The batch dimensions of start_indices, some of them with sizes of the operand's, and the indices
 * of a vector between them. */
static type_t draw_starts(rng_t *rng, const program_t *program, int64_t left, uint32_t rank_max,
                          slicing_attributes_t *attributes) {
  const dimension_list_t *batching = &attributes->operand_batching_dims;
  uint32_t least = batching->count;
  uint32_t count = (uint32_t)rng_between(rng, least, MAX(rank_max, least));
  const dimension_list_t places = draw_permutation(rng, count);
  int64_t sizes[TYPE_RANK_MAX];
  for (uint32_t i = 0; i < count; i++) {
    bool is_batch = i < batching->count;
    int64_t size = is_batch ? program->operands[0].dims[batching->dims[i]]
                            : draw_size(rng, DRAW_SIZES_SMALL, left);
    left /= MAX(size, 1);
    sizes[places.dims[i]] = size;
  }
  bool is_scalar = attributes->start_index_map.count == 1 && rng_one_in(rng, 2);
  uint32_t vector = is_scalar ? count : (uint32_t)rng_below(rng, count + 1);
  type_t starts = {.element = draw_index_element(rng)};
  for (uint32_t i = 0; i <= count; i++) {
    if (i == vector && !is_scalar) starts.dims[starts.rank++] = attributes->start_index_map.count;
    if (i < count) starts.dims[starts.rank++] = sizes[i];
  }
  for (uint32_t i = 0; i < batching->count; i++) {
    int64_t place = places.dims[i];
    bool is_behind = !is_scalar && place >= vector;
    dimension_list_append(&attributes->start_indices_batching_dims, place + (is_behind ? 1 : 0));
  }
  attributes->index_vector_dim = vector;
  return starts;
}

/* Offsets at any places of the result, the batches between them. */
static type_t draw_result(rng_t *rng, const program_t *program, slicing_attributes_t *attributes) {
  const type_t *starts = &program->operands[1];
  const dimension_list_t offsets =
      dimension_list_rest(program->operands[0].rank, &attributes->collapsed_slice_dims,
                          &attributes->operand_batching_dims);
  type_t result = {.element = program->operands[0].element};
  uint32_t batch = 0, offset = 0;
  while (true) {
    if (batch == attributes->index_vector_dim) batch++;
    bool has_batch = batch < starts->rank, has_offset = offset < offsets.count;
    if (!has_batch && !has_offset) return result;
    bool is_offset = has_offset && (!has_batch || rng_one_in(rng, 3));
    if (is_offset) dimension_list_append(&attributes->offset_dims, result.rank);
    result.dims[result.rank++] =
        is_offset ? attributes->slice_sizes.dims[offsets.dims[offset++]] : starts->dims[batch++];
  }
}

void gather_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program) {
  slicing_attributes_t *attributes = make_program(&gather_op, arena, out_program);
  type_t operand = draw_operand(rng, limits, TYPE_RANK_MAX / 2);
  out_program->operand_count = 2;
  out_program->operands[0] = operand;
  bool has_batch = operand.rank > 0 && rng_one_in(rng, 3);
  draw_dimensions(rng, &operand, has_batch, attributes);
  draw_map(rng, operand.rank, attributes);
  int64_t slice = 1;
  for (uint32_t i = 0; i < operand.rank; i++) slice *= MAX(attributes->slice_sizes.dims[i], 1);
  uint32_t offsets = operand.rank - attributes->collapsed_slice_dims.count -
                     attributes->operand_batching_dims.count;
  uint32_t rank_max = MAX(limits->rank_max, offsets) - offsets;
  rank_max = MIN(rank_max, TYPE_RANK_MAX / 2 - 1);
  int64_t room = limits->elements_max / MAX(slice * MAX(operand.rank, 1), 1);
  out_program->operands[1] = draw_starts(rng, out_program, MAX(room, 1), rank_max, attributes);
  out_program->results[0] = draw_result(rng, out_program, attributes);
  uint64_t elements = 1;
  for (uint32_t i = 0; i < out_program->results[0].rank; i++) {
    elements *= (uint64_t)MAX(out_program->results[0].dims[i], 1);
  }
  const type_t *starts = &out_program->operands[1];
  uint64_t numbers = 1;
  for (uint32_t i = 0; i < starts->rank; i++) numbers *= (uint64_t)MAX(starts->dims[i], 1);
  elements = MAX(elements, numbers);
  bool is_too_large = elements > (uint64_t)MAX(limits->elements_max, 1) ||
                      out_program->results[0].rank > MAX(limits->rank_max, operand.rank);
  if (is_too_large) gather_draw(rng, limits, arena, out_program);
}

/* ---- Start indices --------------------------------------------------------------------------- */

/* A start far beyond the operand: the largest of its type, the smallest that is negative in a
 * signed one (as an unsigned one is, where it is read as such), or, of 64 bits, one that lies
 * within the operand where the upper 32 are lost. */
static uint64_t draw_far_start(rng_t *rng, const element_t *element, int64_t within) {
  if (element->bits == 64 && rng_one_in(rng, 2)) return (uint64_t)within | UINT64_C(1) << 32;
  return rng_one_in(rng, 2) ? element_integer_max(element) : UINT64_C(1) << (element->bits - 1);
}

static uint64_t draw_start(rng_t *rng, const element_t *element, int64_t last) {
  int64_t start = rng_between(rng, 0, last);
  uint64_t choice = rng_below(rng, 8);
  bool is_signed = element->kind == ELEMENT_SIGNED;
  if (choice == 2 || (choice == 1 && !is_signed)) return draw_far_start(rng, element, start);
  if (choice == 0) start = last + rng_between(rng, 1, 3);
  if (choice == 1) start = -rng_between(rng, 1, 3);
  bool fits = start <= 0 || (uint64_t)start <= element_integer_max(element);
  return (fits ? (uint64_t)start : 0) & element_mask(element);
}

/* A start stays where it is about the operand.  So does one that would lie in it without its upper
 * 32 bits, before where it is clamped to: a smaller operand has it nearer to its beginning. */
static void settle_start(rng_t *rng, const tensor_t *starts, size_t i, int64_t last) {
  enum { ABOUT = 3 };
  const element_t *element = starts->type.element;
  int64_t start = slicing_index(starts, i);
  if (start >= -ABOUT && start <= last + ABOUT) return;
  bool is_lost = element->bits == 64 && start >> 32 == 1 && last >= 0;
  int64_t within = MIN(start & UINT32_MAX, MAX(last - 1, 0));
  uint64_t settled =
      is_lost ? UINT64_C(1) << 32 | (uint64_t)within : draw_start(rng, element, last);
  element_store(element, starts->data, i, settled);
}

void slicing_settle(rng_t *rng, case_t *inout_case) {
  const program_t *program = &inout_case->program;
  const slicing_attributes_t *attributes = slicing_attributes(program);
  slicing_t op = slicing_of(program);
  const type_t *operand = &program->operands[0];
  if (op == SLICING_GATHER) {
    const tensor_t *starts = &inout_case->operands[1];
    int64_t most = 0;
    for (uint32_t i = 0; i < operand->rank; i++) {
      most = MAX(most, operand->dims[i] - attributes->slice_sizes.dims[i]);
    }
    for (size_t i = 0; i < type_element_count(&starts->type); i++) {
      settle_start(rng, starts, i, most);
    }
    return;
  }
  uint32_t first = slicing_first_start(op);
  for (uint32_t i = 0; i < operand->rank; i++) {
    int64_t size = op == SLICING_DYNAMIC_SLICE ? attributes->slice_sizes.dims[i]
                                               : program->operands[1].dims[i];
    settle_start(rng, &inout_case->operands[first + i], 0, operand->dims[i] - size);
  }
}
