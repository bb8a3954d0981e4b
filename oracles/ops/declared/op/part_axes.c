/* SPDX-License-Identifier: Apache-2.0 */
/* How cases of declared ops are cut into parts: along the indices that tell problems apart, of
 * which no step knows the size or the place. */
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

/* Indices along which steps count, or find numbers by their place. */
static uint32_t find_known(const declaration_t *declaration) {
  uint32_t known = 0;
  for (uint32_t f = 0; f < declaration->formula_count; f++) {
    const declared_formula_t *formula = &declaration->formulas[f];
    for (uint32_t i = 0; i < formula->step_count; i++) {
      const step_t *step = &formula->steps[i];
      bool is_known = step->kind == STEP_COUNT || step->kind == STEP_INDEX ||
                      step->kind == STEP_PICK || step->kind == STEP_STACK ||
                      step->kind == STEP_GATHER || step_scatters(step->kind);
      if (is_known) known |= UINT32_C(1) << step->index;
    }
  }
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

/* False if a dimension joins several indices, or there are too many. */
static bool list_axes(const declared_tensor_t *tensor, const numbering_t *numbering,
                      axis_list_t *out_list) {
  out_list->count = 0;
  for (uint32_t d = 0; d < tensor->count; d++) {
    const declared_dimension_t *dimension = &tensor->dimensions[d];
    if (dimension->count != 1) return false;
    const uint8_t index = dimension->indices[0];
    for (uint32_t i = 0; i < numbering->counts[index]; i++) {
      if (out_list->count == TYPE_RANK_MAX) return false;
      out_list->axes[out_list->count++] = numbering->first[index] + i;
    }
  }
  return true;
}

void declared_part_axes(const program_t *program, axes_t *out_axes) {
  const declaration_t *declaration = declared_of(program);
  const numbering_t numbering = number_axes(program);
  const uint32_t outer = declared_outer(declaration) & ~find_known(declaration);
  bool is_told = numbering.count <= AXES_MAX;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    is_told = is_told && list_axes(&declaration->operands[i], &numbering, &out_axes->operands[i]);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    is_told = is_told && list_axes(&declaration->results[i], &numbering, &out_axes->results[i]);
  }
  out_axes->count = is_told ? numbering.count : AXES_MAX + 1;
  for (uint32_t i = 0; i < declaration->index_count && is_told; i++) {
    const binding_t *binding = &numbering.binding;
    for (uint32_t k = 0; k < numbering.counts[i]; k++) {
      axis_t *axis = &out_axes->items[numbering.first[i] + k];
      axis->role = (outer >> i & 1) != 0 ? AXIS_BATCH : AXIS_TERM;
      axis->size = declaration->indices[i].is_group ? binding->group[i].dims[k]
                                                    : (int64_t)binding->extent[i];
    }
  }
}

/* Where the marked dimension went: attributes of position are those of the first tensor that has
 * it. */
static void settle_positions(const program_t *program, const numbering_t *numbering,
                             const axes_t *view, arena_t *arena, program_t *out_program) {
  const declaration_t *declaration = declared_of(program);
  int64_t *attributes = ARENA_NEW_ARRAY(arena, int64_t, MAX(declaration->attribute_count, 1));
  memcpy(attributes, program->attributes, declaration->op.attributes_bytes);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const declared_tensor_t *operand = &declaration->operands[i];
    for (uint32_t d = 0; d < operand->count; d++) {
      const declared_dimension_t *dimension = &operand->dimensions[d];
      if (dimension->position < 0) continue;
      const uint32_t axis = numbering->first[dimension->indices[0]];
      const int place = axis_list_find(&view->operands[i], axis);
      if (place >= 0) attributes[dimension->position] = place;
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
