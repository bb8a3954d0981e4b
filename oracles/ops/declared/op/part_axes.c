/* SPDX-License-Identifier: Apache-2.0 */
/* How cases of declared ops are cut into parts: along the indices that tell problems apart.  Where
 * a step knows the place of a problem, or how many there are, parts are told where they begin. */
#include "oracles/ops/declared/declared.h"

/* Where the axes of each index begin: a group has one for each of its dimensions. */
typedef struct numbering {
  binding_t binding;
  uint32_t first[DECLARED_INDICES_MAX];
  uint32_t counts[DECLARED_INDICES_MAX];
  uint32_t count;
} numbering_t;

static numbering_t number_axes(const program_t *program) {
  const declaration_t *declaration = declared_of(program);
  numbering_t numbering = {.count = 0};
  declared_bind(program, &numbering.binding);
  for (uint32_t i = 0; i < declaration->index_count; i++) {
    bool is_group = declaration->indices[i].is_group;
    numbering.first[i] = numbering.count;
    numbering.counts[i] = is_group ? numbering.binding.group[i].count : 1;
    numbering.count += numbering.counts[i];
  }
  return numbering;
}

/* Indices that are joined with others in some dimension. */
static uint32_t find_joined(const declared_tensor_t *tensors, uint32_t count) {
  uint32_t joined = 0;
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t d = 0; d < tensors[i].count; d++) {
      const declared_dimension_t *dimension = &tensors[i].dimensions[d];
      for (uint32_t k = 0; dimension->count != 1 && k < dimension->count; k++) {
        joined |= UINT32_C(1) << dimension->indices[k];
      }
    }
  }
  return joined;
}

/* Indices whose places, or number, some step knows. */
static uint32_t find_placed(const declaration_t *declaration) {
  uint32_t placed = 0;
  for (uint32_t f = 0; f < declaration->formula_count; f++) {
    const declared_formula_t *formula = &declaration->formulas[f];
    for (uint32_t i = 0; i < formula->step_count; i++) {
      const step_t *step = &formula->steps[i];
      bool is_placed = step->kind == STEP_COUNT || step->kind == STEP_INDEX;
      if (is_placed) placed |= UINT32_C(1) << step->index;
    }
  }
  return placed;
}

/* Indices along which steps find numbers by their place, or which dimensions join. */
static uint32_t find_known(const declaration_t *declaration) {
  uint32_t known = 0;
  for (uint32_t f = 0; f < declaration->formula_count; f++) {
    const declared_formula_t *formula = &declaration->formulas[f];
    for (uint32_t i = 0; i < formula->step_count; i++) {
      const step_t *step = &formula->steps[i];
      bool is_placed = step->kind == STEP_COUNT || step->kind == STEP_INDEX;
      bool is_known = step->kind == STEP_PICK || step->kind == STEP_STACK ||
                      step->kind == STEP_GATHER || step_scatters(step->kind) ||
                      (is_placed && declaration->indices[step->index].is_group);
      if (is_known) known |= UINT32_C(1) << step->index;
    }
  }
  known |= find_joined(declaration->operands, declaration->operand_count);
  known |= find_joined(declaration->results, declaration->result_count);
  for (uint32_t i = 0; i < declaration->index_count; i++) {
    if (declaration->indices[i].fixed > 0) known |= UINT32_C(1) << i;
  }
  for (uint32_t i = 0; i < declaration->operand_count; i++) {
    const int8_t places[] = {declaration->operands[i].below, declaration->operands[i].gathers};
    for (size_t k = 0; k < G_N_ELEMENTS(places); k++) {
      if (places[k] >= 0) known |= UINT32_C(1) << places[k];
    }
  }
  return known;
}

/* A dimension that joins several indices is an axis of its own, which stays whole.  False if there
 * are too many. */
static bool list_axes(const declared_tensor_t *tensor, const type_t *type,
                      const numbering_t *numbering, axis_list_t *out_list, axes_t *inout_axes) {
  out_list->count = 0;
  for (uint32_t d = 0; d < tensor->count; d++) {
    const declared_dimension_t *dimension = &tensor->dimensions[d];
    const uint8_t index = dimension->indices[0];
    const uint32_t count = dimension->count == 1 ? numbering->counts[index] : 1;
    for (uint32_t i = 0; i < count; i++) {
      if (out_list->count == TYPE_RANK_MAX) return false;
      uint32_t axis = numbering->first[index] + i;
      if (dimension->count != 1) {
        axis = inout_axes->count++;
        if (axis >= AXES_MAX) return false;
        inout_axes->items[axis] = (axis_t){.role = AXIS_TERM, .size = type->dims[out_list->count]};
      }
      out_list->axes[out_list->count++] = axis;
    }
  }
  return true;
}

/* Parts know where they begin along indices that steps know, and that are cut: theory.md, T235. */
static void link_places(const declaration_t *declaration, const numbering_t *numbering,
                        axes_t *inout_axes) {
  const uint32_t placed = find_placed(declaration);
  for (uint32_t i = 0; i < declaration->index_count; i++) {
    const uint32_t axis = numbering->first[i];
    bool is_cut = !declaration->indices[i].is_group && inout_axes->items[axis].role == AXIS_BATCH;
    if ((placed >> i & 1) == 0 || !is_cut) continue;
    inout_axes->links[inout_axes->link_count++] =
        (axis_link_t){.kind = AXIS_LINK_PLACES, .of = axis, .to = axis};
  }
}

void declared_part_axes(const program_t *program, axes_t *out_axes) {
  const declaration_t *declaration = declared_of(program);
  const numbering_t numbering = number_axes(program);
  const uint32_t outer = declared_outer(declaration) & ~find_known(declaration);
  bool is_told = numbering.count <= AXES_MAX;
  out_axes->count = numbering.count;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    is_told = is_told && list_axes(&declaration->operands[i], &program->operands[i], &numbering,
                                   &out_axes->operands[i], out_axes);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    is_told = is_told && list_axes(&declaration->results[i], &program->results[i], &numbering,
                                   &out_axes->results[i], out_axes);
  }
  if (!is_told) out_axes->count = AXES_MAX + 1;
  for (uint32_t i = 0; i < declaration->index_count && is_told; i++) {
    const binding_t *binding = &numbering.binding;
    for (uint32_t k = 0; k < numbering.counts[i]; k++) {
      axis_t *axis = &out_axes->items[numbering.first[i] + k];
      axis->role = (outer >> i & 1) != 0 ? AXIS_BATCH : AXIS_TERM;
      axis->size = declaration->indices[i].is_group ? binding->group[i].dims[k]
                                                    : (int64_t)binding->extent[i];
    }
  }
  if (is_told) link_places(declaration, &numbering, out_axes);
}

/* Where a part begins; a part of a part begins in the whole. */
static void settle_origins(const program_t *program, const numbering_t *numbering,
                           const axes_t *view, uint8_t *inout_attributes) {
  const declaration_t *declaration = declared_of(program);
  for (uint32_t i = 0; i < view->link_count; i++) {
    uint8_t index = 0;
    while (numbering->first[index] != view->links[i].of || numbering->counts[index] != 1) index++;
    const declared_origin_t before = declared_origin(program, index);
    const int64_t extent = (int64_t)numbering->binding.extent[index];
    const declared_origin_t origin = {.first = before.first + view->links[i].first,
                                      .whole = before.whole > 0 ? before.whole : extent};
    memcpy(inout_attributes + declaration->attribute_count * sizeof(double) + index * sizeof origin,
           &origin, sizeof origin);
  }
}

/* Where the marked dimension went: attributes of position are those of the first tensor that has
 * it. */
static void settle_positions(const program_t *program, const numbering_t *numbering,
                             const axes_t *view, arena_t *arena, program_t *out_program) {
  const declaration_t *declaration = declared_of(program);
  const size_t bytes = declaration->op.attributes_bytes;
  uint8_t *attributes = arena_alloc_zeroed(arena, MAX(bytes, 1));
  if (program->attributes != NULL) memcpy(attributes, program->attributes, bytes);
  settle_origins(program, numbering, view, attributes);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const declared_tensor_t *operand = &declaration->operands[i];
    for (uint32_t d = 0; d < operand->count; d++) {
      const declared_dimension_t *dimension = &operand->dimensions[d];
      if (dimension->position < 0) continue;
      const uint32_t axis = numbering->first[dimension->indices[0]];
      const int place = axis_list_find(&view->operands[i], axis);
      const int64_t position = place;
      if (place < 0) continue;
      memcpy(attributes + declaration->attribute_rows[dimension->position].offset, &position,
             sizeof position);
    }
  }
  out_program->attributes = attributes;
}

/* What no operand has any more, results have not either. */
static void set_result_axes(const program_t *program, axes_t *inout_view) {
  axes_t before = {.count = 0};
  declared_part_axes(program, &before);
  for (uint32_t r = 0; r < program->result_count; r++) {
    axis_list_t *list = &inout_view->results[r];
    list->count = 0;
    for (uint32_t d = 0; d < before.results[r].count; d++) {
      const uint32_t axis = before.results[r].axes[d];
      bool was_there = false, is_there = false;
      for (uint32_t i = 0; i < program->operand_count; i++) {
        was_there |= axis_list_find(&before.operands[i], axis) >= 0;
        is_there |= axis_list_find(&inout_view->operands[i], axis) >= 0;
      }
      if (is_there || !was_there) list->axes[list->count++] = axis;
    }
  }
}

void declared_with_part_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                             program_t *out_program) {
  const numbering_t numbering = number_axes(program);
  settle_positions(program, &numbering, inout_axes, arena, out_program);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    out_program->operands[i] =
        axes_type(&program->operands[i], inout_axes, &inout_axes->operands[i]);
  }
  set_result_axes(program, inout_axes);
  for (uint32_t i = 0; i < program->result_count; i++) {
    out_program->results[i] = axes_type(&program->results[i], inout_axes, &inout_axes->results[i]);
  }
}
