/* SPDX-License-Identifier: Apache-2.0 */
/* All sources of a result by tables: for each dimension of the result what each index along it adds
 * to the number of the operand's element, or that there is none; and for a gather what each vector
 * of indices adds. */
#include "oracles/ops/slicing/sources.h"

#include "generated/slicing_faults.h"

enum { NOWHERE = -1 };

typedef struct tables {
  const case_t *instance;
  fault_t fault;
  arena_t *arena;
  const slicing_attributes_t *attributes;
  const type_t *operand;
  const type_t *result;
  int64_t strides[TYPE_RANK_MAX]; /* Of the operand, row-major. */
  int64_t *added[TYPE_RANK_MAX];  /* By dimension of the result and index, or NOWHERE. */
} tables_t;

static void find_strides(const type_t *type, int64_t out_strides[TYPE_RANK_MAX]) {
  int64_t stride = 1;
  for (uint32_t dim = type->rank; dim-- > 0;) {
    out_strides[dim] = stride;
    stride *= type->dims[dim];
  }
}

static int64_t *new_table(const tables_t *tables, uint32_t dim) {
  return ARENA_NEW_ARRAY(tables->arena, int64_t, (size_t)tables->result->dims[dim]);
}

/* Index i along a dimension of the result is start + i * step of the operand's. */
static void fill_affine(tables_t *tables, uint32_t dim, int64_t start, int64_t step) {
  tables->added[dim] = new_table(tables, dim);
  for (int64_t i = 0; i < tables->result->dims[dim]; i++) {
    tables->added[dim][i] = (start + i * step) * tables->strides[dim];
  }
}

static void fill_slice(tables_t *tables) {
  const slicing_attributes_t *attributes = tables->attributes;
  for (uint32_t dim = 0; dim < tables->result->rank; dim++) {
    bool is_last = dim + 1 == tables->result->rank;
    int64_t start = attributes->low.dims[dim], stride = attributes->between.dims[dim];
    if (tables->fault == FAULT_slice_stride_ignored) stride = 1;
    if (tables->fault == FAULT_slice_from_zero && is_last) start = 0;
    fill_affine(tables, dim, start, stride);
  }
}

/* Every element of the operand goes to one index of the result, or to none. */
static void fill_pad(tables_t *tables) {
  const slicing_attributes_t *attributes = tables->attributes;
  for (uint32_t dim = 0; dim < tables->result->rank; dim++) {
    bool exchanges = tables->fault == FAULT_pad_sides_exchanged;
    int64_t low = (exchanges ? attributes->high : attributes->low).dims[dim];
    int64_t step = attributes->between.dims[dim] + 1;
    if (tables->fault == FAULT_pad_between_ignored) step = 1;
    int64_t *added = tables->added[dim] = new_table(tables, dim);
    for (int64_t i = 0; i < tables->result->dims[dim]; i++) added[i] = NOWHERE;
    for (int64_t from = 0; from < tables->operand->dims[dim]; from++) {
      int64_t to = low + from * step;
      bool is_within = to >= 0 && to < tables->result->dims[dim];
      if (is_within) added[to] = from * tables->strides[dim];
    }
  }
}

static void fill_reverse(tables_t *tables) {
  for (uint32_t dim = 0; dim < tables->result->rank; dim++) {
    bool is_turned = dimension_list_contains(&tables->attributes->reversed, dim);
    if (tables->fault == FAULT_reverse_last_only) is_turned &= dim + 1 == tables->result->rank;
    int64_t last = tables->result->dims[dim] - 1;
    fill_affine(tables, dim, is_turned ? last : 0, is_turned ? -1 : 1);
  }
}

/* A start index as it is read. */
static int64_t read_start(fault_t fault, const tensor_t *starts, size_t number) {
  const element_t *element = starts->type.element;
  uint64_t bits = element_load(element, starts->data, number);
  int unused = 64 - element->bits;
  if (fault == FAULT_start_signed) return (int64_t)(bits << unused) >> unused;
  if (fault == FAULT_start_32_bits && element->bits == 64) return (int32_t)(uint32_t)bits;
  return slicing_index(starts, number);
}

/* A start index as it is taken, of a slice of `size` along a dimension of size `whole`; NOWHERE:
 * by a fault there is nothing. */
static int64_t settle_start(fault_t fault, int64_t start, int64_t whole, int64_t size) {
  int64_t last = whole - size;
  if (fault == FAULT_start_from_end && start < 0) start += whole;
  if (fault == FAULT_start_wraps && start > last) start %= last + 1;
  if (fault == FAULT_start_unclamped_zero && (start < 0 || start > last)) return NOWHERE;
  return CLAMP(start, 0, last);
}

static void fill_dynamic(tables_t *tables) {
  for (uint32_t dim = 0; dim < tables->result->rank; dim++) {
    int64_t start = read_start(tables->fault, &tables->instance->operands[1 + dim], 0);
    start =
        settle_start(tables->fault, start, tables->operand->dims[dim], tables->result->dims[dim]);
    fill_affine(tables, dim, MAX(start, 0), 1);
    for (int64_t i = 0; start == NOWHERE && i < tables->result->dims[dim]; i++) {
      tables->added[dim][i] = NOWHERE;
    }
  }
}

/* The sums of the tables' entries, in row-major order; elsewhere the second operand, which is a
 * padding value, or by a fault a zero. */
static void sum_tables(const tables_t *tables, slicing_source_t *out_sources) {
  int64_t place[TYPE_RANK_MAX] = {0};
  size_t count = type_element_count(tables->result);
  bool pads = slicing_of(&tables->instance->program) == SLICING_PAD;
  bool is_zero = !pads || tables->fault == FAULT_pad_of_zeros;
  for (size_t i = 0; i < count; i++) {
    slicing_source_t source = {.operand = 0};
    bool is_there = true;
    for (uint32_t dim = 0; dim < tables->result->rank; dim++) {
      int64_t added = tables->added[dim][place[dim]];
      is_there = is_there && added != NOWHERE;
      source.number += added;
    }
    out_sources[i] = is_there ? source : (slicing_source_t){.is_number = is_zero, .operand = 1};
    for (uint32_t dim = tables->result->rank; dim-- > 0;) {
      if (++place[dim] < tables->result->dims[dim]) break;
      place[dim] = 0;
    }
  }
}

/* ---- iota ------------------------------------------------------------------------------------ */

static void count_indices(const tables_t *tables, slicing_source_t *out_sources) {
  const type_t *result = tables->result;
  uint32_t dim = (uint32_t)tables->attributes->iota_dimension;
  if (tables->fault == FAULT_iota_last_dimension) dim = result->rank - 1;
  int64_t inner = 1;
  for (uint32_t i = dim + 1; i < result->rank; i++) inner *= result->dims[i];
  for (size_t i = 0; i < type_element_count(result); i++) {
    int64_t index = (int64_t)i / inner % result->dims[dim];
    if (tables->fault == FAULT_iota_flat) index = (int64_t)i;
    out_sources[i] = (slicing_source_t){.is_number = true, .number = index};
  }
}

/* ---- dynamic_update_slice -------------------------------------------------------------------- */

/* The operand, and then the update over it. */
static void lay_update(const tables_t *tables, slicing_source_t *out_sources) {
  const type_t *update = &tables->instance->program.operands[1];
  for (size_t i = 0; i < type_element_count(tables->result); i++) {
    out_sources[i] = (slicing_source_t){.operand = 0, .number = (int64_t)i};
  }
  int64_t base = 0, place[TYPE_RANK_MAX] = {0};
  for (uint32_t dim = 0; dim < update->rank; dim++) {
    int64_t start = read_start(tables->fault, &tables->instance->operands[2 + dim], 0);
    start = settle_start(tables->fault, start, tables->operand->dims[dim], update->dims[dim]);
    if (start == NOWHERE) return;
    if (tables->fault == FAULT_update_at_zero) start = 0;
    base += start * tables->strides[dim];
  }
  for (size_t i = 0; i < type_element_count(update); i++) {
    int64_t to = base;
    for (uint32_t dim = 0; dim < update->rank; dim++) to += place[dim] * tables->strides[dim];
    out_sources[to] = (slicing_source_t){.operand = 1, .number = (int64_t)i};
    for (uint32_t dim = update->rank; dim-- > 0;) {
      if (++place[dim] < update->dims[dim]) break;
      place[dim] = 0;
    }
  }
}

/* ---- gather ---------------------------------------------------------------------------------- */

/* Where the slice of one vector of indices begins, the first number of which is element `vector`
 * of start_indices, the others `step` apart; NOWHERE by a fault. */
static int64_t find_base(const tables_t *tables, size_t vector, size_t step) {
  const slicing_attributes_t *attributes = tables->attributes;
  int64_t base = 0;
  for (uint32_t i = 0; i < attributes->start_index_map.count; i++) {
    int64_t dim = attributes->start_index_map.dims[i];
    if (tables->fault == FAULT_gather_map_ignored) dim = i;
    int64_t start = read_start(tables->fault, &tables->instance->operands[1], vector + i * step);
    start = settle_start(tables->fault, start, tables->operand->dims[dim],
                         attributes->slice_sizes.dims[dim]);
    if (start == NOWHERE) return NOWHERE;
    base += start * tables->strides[dim];
  }
  return base;
}

/* What the dimensions of the result are: strides in start_indices and in the operand. */
typedef struct gather_strides {
  int64_t of_starts[TYPE_RANK_MAX];
  int64_t of_operand[TYPE_RANK_MAX];
  size_t step; /* From one index of a vector to the next. */
} gather_strides_t;

static gather_strides_t find_gather_strides(const tables_t *tables) {
  const slicing_attributes_t *attributes = tables->attributes;
  const type_t *starts = &tables->instance->program.operands[1];
  const dimension_list_t offsets = dimension_list_rest(
      tables->operand->rank, &attributes->collapsed_slice_dims, &attributes->operand_batching_dims);
  gather_strides_t strides = {.step = 0};
  int64_t of_starts[TYPE_RANK_MAX];
  find_strides(starts, of_starts);
  bool has_vectors = attributes->index_vector_dim < starts->rank;
  if (has_vectors) strides.step = (size_t)of_starts[attributes->index_vector_dim];
  uint32_t batch = 0, offset = 0;
  for (uint32_t dim = 0; dim < tables->result->rank; dim++) {
    if (dimension_list_contains(&attributes->offset_dims, dim)) {
      strides.of_operand[dim] = tables->strides[offsets.dims[offset++]];
      continue;
    }
    if (batch == attributes->index_vector_dim) batch++;
    strides.of_starts[dim] = of_starts[batch];
    for (uint32_t i = 0; i < attributes->start_indices_batching_dims.count; i++) {
      bool is_it = attributes->start_indices_batching_dims.dims[i] == batch;
      if (is_it && tables->fault != FAULT_gather_first_batch)
        strides.of_operand[dim] = tables->strides[attributes->operand_batching_dims.dims[i]];
    }
    batch++;
  }
  return strides;
}

static void gather(const tables_t *tables, slicing_source_t *out_sources) {
  const gather_strides_t strides = find_gather_strides(tables);
  int64_t place[TYPE_RANK_MAX] = {0};
  for (size_t i = 0; i < type_element_count(tables->result); i++) {
    int64_t vector = 0, within = 0;
    for (uint32_t dim = 0; dim < tables->result->rank; dim++) {
      vector += place[dim] * strides.of_starts[dim];
      within += place[dim] * strides.of_operand[dim];
    }
    int64_t base = find_base(tables, (size_t)vector, strides.step);
    bool is_there = base != NOWHERE;
    out_sources[i] =
        (slicing_source_t){.is_number = !is_there, .number = is_there ? base + within : 0};
    for (uint32_t dim = tables->result->rank; dim-- > 0;) {
      if (++place[dim] < tables->result->dims[dim]) break;
      place[dim] = 0;
    }
  }
}

/* ---- All ------------------------------------------------------------------------------------- */

/* A fault may send an element beyond the operand: it comes back at the other end. */
static void wrap(const case_t *instance, size_t count, slicing_source_t *inout_sources) {
  for (size_t i = 0; i < count; i++) {
    slicing_source_t *source = &inout_sources[i];
    if (source->is_number) continue;
    int64_t elements = (int64_t)type_element_count(&instance->program.operands[source->operand]);
    if (source->number < 0 || source->number >= elements) {
      source->number = elements == 0 ? 0 : ((source->number % elements) + elements) % elements;
      source->is_number = elements == 0;
    }
  }
}

slicing_source_t *slicing_sources(const case_t *instance, fault_t fault, arena_t *arena) {
  const program_t *program = &instance->program;
  tables_t tables = {.instance = instance,
                     .fault = fault,
                     .arena = arena,
                     .attributes = slicing_attributes(program),
                     .operand = &program->operands[0],
                     .result = &program->results[0]};
  slicing_t op = slicing_of(program);
  size_t count = type_element_count(tables.result);
  slicing_source_t *sources = ARENA_NEW_ARRAY(arena, slicing_source_t, count);
  if (count == 0) return sources;
  if (op != SLICING_IOTA) find_strides(tables.operand, tables.strides);
  if (op == SLICING_SLICE) fill_slice(&tables);
  if (op == SLICING_PAD) fill_pad(&tables);
  if (op == SLICING_REVERSE) fill_reverse(&tables);
  if (op == SLICING_DYNAMIC_SLICE) fill_dynamic(&tables);
  if (op == SLICING_IOTA) {
    count_indices(&tables, sources);
  } else if (op == SLICING_DYNAMIC_UPDATE_SLICE) {
    lay_update(&tables, sources);
  } else if (op == SLICING_GATHER) {
    gather(&tables, sources);
  } else {
    sum_tables(&tables, sources);
  }
  wrap(instance, count, sources);
  return sources;
}
