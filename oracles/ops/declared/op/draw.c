/* SPDX-License-Identifier: Apache-2.0 */
/* Draws programs of a declared op: a size for each index, all of them together within the limits,
 * so that no step is larger than these either. */
#include "harness/draw/draw.h"
#include "oracles/ops/declared/declared.h"

static bool is_declared(const element_t *element, const void *context) {
  const declaration_t *declaration = context;
  for (uint32_t i = 0; declared_types[i] != NULL; i++) {
    bool has_name = strcmp(declared_types[i], element->name) == 0;
    if (has_name && (declaration->types >> i & 1) != 0) return true;
  }
  return false;
}

/* What is left of the limits while sizes are drawn. */
typedef struct room {
  int64_t elements;
  int64_t terms; /* Of indices along which something is combined. */
  uint32_t rank; /* Of groups. */
} room_t;

static int64_t draw_extent(rng_t *rng, const draw_limits_t *limits, bool is_combined,
                           room_t *inout_room) {
  int64_t largest = inout_room->elements;
  if (is_combined) largest = MIN(largest, inout_room->terms);
  int64_t size = draw_size(rng, limits->sizes, MAX(largest, 1));
  inout_room->elements /= MAX(size, 1);
  if (is_combined) inout_room->terms /= MAX(size, 1);
  return size;
}

/* The most dimensions that groups may have beside the others. */
static uint32_t find_group_rank(const declaration_t *declaration, const draw_limits_t *limits) {
  uint32_t most = 0;
  for (uint16_t i = 0; i < CASE_OPERANDS_MAX + CASE_RESULTS_MAX; i++) {
    const declared_tensor_t *tensor = declared_tensor(declaration, i);
    uint32_t others = 0;
    for (uint32_t d = 0; d < tensor->count; d++) {
      uint8_t index = tensor->dimensions[d].indices[0];
      others += !declaration->indices[index].is_group;
    }
    most = MAX(most, others);
  }
  return limits->rank_max > most ? limits->rank_max - most : 0;
}

static void draw_index(rng_t *rng, const draw_limits_t *limits, const declaration_t *declaration,
                       uint8_t index, room_t *inout_room, binding_t *inout_binding) {
  bool is_combined = (declaration->combined >> index & 1) != 0;
  if (!declaration->indices[index].is_group) {
    bool may_be_empty = (declaration->nonempty >> index & 1) == 0;
    int64_t size = draw_extent(rng, limits, is_combined, inout_room);
    if ((declaration->channels >> index & 1) != 0) size = MIN(size, TYPE_SCALES_MAX);
    inout_binding->extent[index] = (size_t)MAX(size, may_be_empty ? 0 : 1);
    return;
  }
  uint32_t rank = (uint32_t)rng_between(rng, 0, MIN(inout_room->rank, 3));
  inout_room->rank -= rank;
  inout_binding->extent[index] = 1;
  for (uint32_t i = 0; i < rank; i++) {
    int64_t size = draw_extent(rng, limits, is_combined, inout_room);
    dimension_list_append(&inout_binding->group[index], size);
    inout_binding->extent[index] *= (size_t)size;
  }
}

static binding_t draw_binding(rng_t *rng, const draw_limits_t *limits,
                              const declaration_t *declaration) {
  binding_t binding = {0};
  room_t room = {.elements = limits->elements_max,
                 .terms = limits->terms_max,
                 .rank = find_group_rank(declaration, limits)};
  uint8_t order[DECLARED_INDICES_MAX];
  for (uint8_t i = 0; i < declaration->index_count; i++) {
    order[i] = i;
    int64_t fixed = declaration->indices[i].fixed;
    if (fixed == 0) continue;
    binding.extent[i] = (size_t)fixed;
    room.elements = MAX(room.elements / fixed, 1);
  }
  for (uint32_t i = declaration->index_count; i > 1; i--) { /* The first sizes are the largest. */
    uint32_t j = (uint32_t)rng_below(rng, i);
    uint8_t last = order[i - 1];
    order[i - 1] = order[j];
    order[j] = last;
  }
  for (uint32_t i = 0; i < declaration->index_count; i++) {
    if (declaration->indices[order[i]].fixed > 0) continue;
    draw_index(rng, limits, declaration, order[i], &room, &binding);
  }
  return binding;
}

static type_t make_type(const declaration_t *declaration, const declared_tensor_t *tensor,
                        const binding_t *binding, const element_t *element) {
  int64_t dims[TYPE_RANK_MAX];
  uint32_t rank = 0;
  for (uint32_t d = 0; d < tensor->count; d++) {
    const declared_dimension_t *dimension = &tensor->dimensions[d];
    uint8_t index = dimension->indices[0];
    const dimension_list_t *group = &binding->group[index];
    if (declaration->indices[index].is_group) {
      for (uint32_t i = 0; i < group->count; i++) dims[rank++] = group->dims[i];
      continue;
    }
    int64_t size = 1;
    for (uint32_t i = 0; i < dimension->count; i++) {
      size *= (int64_t)binding->extent[dimension->indices[i]];
    }
    dims[rank++] = size;
  }
  return type_make(tensor->element != NULL ? tensor->element : element, rank, dims);
}

/* Where the dimension with that position is in the first tensor that has it. */
static int64_t find_position(const declaration_t *declaration, const binding_t *binding,
                             uint32_t attribute) {
  for (uint16_t i = 0; i < CASE_OPERANDS_MAX + CASE_RESULTS_MAX; i++) {
    const declared_tensor_t *tensor = declared_tensor(declaration, i);
    int64_t at = 0;
    for (uint32_t d = 0; d < tensor->count; d++) {
      uint8_t index = tensor->dimensions[d].indices[0];
      if (tensor->dimensions[d].position == (int8_t)attribute) return at;
      at += declaration->indices[index].is_group ? (int64_t)binding->group[index].count : 1;
    }
  }
  return 0;
}

/* One of the values that the file lists, or the position. */
static void draw_attribute(rng_t *rng, const declared_attribute_t *attribute, int64_t position,
                           uint8_t *out_value) {
  if (attribute->kind == ATTRIBUTE_POSITION) {
    memcpy(out_value, &position, sizeof position);
    return;
  }
  uint64_t which = rng_below(rng, attribute->count);
  switch (attribute->kind) {
    case ATTRIBUTE_NUMBER:
      memcpy(out_value, &attribute->values[which], sizeof(double));
      break;
    case ATTRIBUTE_INTEGER:
      memcpy(out_value, &attribute->integers[which], sizeof(int64_t));
      break;
    default: /* A boolean. */
      *out_value = attribute->integers[which] != 0;
  }
}

static bool has_free_type(const declaration_t *declaration) {
  bool has_free = false;
  for (uint32_t i = 0; i < declaration->operand_count; i++) {
    has_free |= declaration->operands[i].element == NULL || declaration->has_quantized;
  }
  for (uint32_t i = 0; i < declaration->result_count; i++) {
    has_free |= declaration->results[i].element == NULL;
  }
  return has_free;
}

void declared_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                   program_t *out_program) {
  const declaration_t *declaration = declared_of(out_program);
  binding_t binding = draw_binding(rng, limits, declaration);
  const element_t *element =
      has_free_type(declaration) ? draw_element(rng, is_declared, declaration) : NULL;
  program_t program = {.op = &declaration->op,
                       .operand_count = declaration->operand_count,
                       .result_count = declaration->result_count};
  for (uint32_t i = 0; i < program.operand_count; i++) {
    program.operands[i] = make_type(declaration, &declaration->operands[i], &binding, element);
  }
  for (uint32_t i = 0; i < program.result_count; i++) {
    program.results[i] = make_type(declaration, &declaration->results[i], &binding, element);
  }
  if (declaration->has_quantized) declared_draw_quantization(rng, arena, element, &program);
  uint8_t *attributes = arena_alloc_zeroed(arena, declaration->op.attributes_bytes);
  for (uint32_t i = 0; i < declaration->attribute_count; i++) {
    const declared_attribute_t *attribute = &declaration->attributes[i];
    uint8_t *value = attributes + declaration->attribute_rows[i].offset;
    draw_attribute(rng, attribute, find_position(declaration, &binding, i), value);
  }
  program.attributes = attributes;
  *out_program = program;
}
