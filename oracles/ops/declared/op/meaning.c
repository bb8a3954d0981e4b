/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of declared ops, and how their programs fall apart into problems: an index along which
 * every step runs tells one problem from another; the others run within a problem (theory.md,
 * T142). */
#include <inttypes.h>

#include "oracles/ops/declared/declared.h"

/* ---- Sizes ----------------------------------------------------------------------------------- */

double declared_number(const program_t *program, uint32_t attribute) {
  const uint8_t *bytes = program->attributes;
  double number;
  memcpy(&number, bytes + declared_of(program)->attribute_rows[attribute].offset, sizeof number);
  return number;
}

int64_t declared_integer(const program_t *program, uint32_t attribute) {
  const declaration_t *declaration = declared_of(program);
  const uint8_t *bytes = program->attributes;
  if (declaration->attributes[attribute].kind == ATTRIBUTE_BOOLEAN) {
    return bytes[declaration->attribute_rows[attribute].offset];
  }
  return declared_position(program, attribute);
}

int64_t declared_position(const program_t *program, uint32_t attribute) {
  const uint8_t *bytes = program->attributes;
  int64_t position;
  memcpy(&position, bytes + declared_of(program)->attribute_rows[attribute].offset,
         sizeof position);
  return position;
}

declared_origin_t declared_origin(const program_t *program, uint8_t index) {
  const declaration_t *declaration = declared_of(program);
  const uint8_t *bytes = program->attributes;
  declared_origin_t origin = {0, 0};
  if (bytes == NULL) return origin; /* Of an op without attributes; a part always has some. */
  const size_t behind = declaration->attribute_count * sizeof(double) + index * sizeof origin;
  memcpy(&origin, bytes + behind, sizeof origin);
  return origin;
}

/* How many dimensions the group in front of the dimension with a position has, or the only group,
 * and the one behind.  Returns false if the rank does not fit. */
static bool find_group_ranks(const program_t *program, const declared_tensor_t *tensor,
                             uint32_t rank, int64_t out_ranks[2]) {
  const declaration_t *declaration = declared_of(program);
  int64_t single[2] = {0}, position = -1;
  bool has_group[2] = {false};
  for (uint32_t d = 0; d < tensor->count; d++) {
    const declared_dimension_t *dimension = &tensor->dimensions[d];
    if (dimension->position >= 0) {
      position = declared_position(program, (uint32_t)dimension->position);
      continue;
    }
    bool is_group = declaration->indices[dimension->indices[0]].is_group;
    if (is_group) has_group[position >= 0] = true;
    if (!is_group) single[position >= 0]++;
  }
  bool has_position = false;
  for (uint32_t d = 0; d < tensor->count; d++) has_position |= tensor->dimensions[d].position >= 0;
  if (!has_position) {
    out_ranks[0] = (int64_t)rank - single[0];
    return out_ranks[0] >= 0 && (has_group[0] || out_ranks[0] == 0);
  }
  if (position < 0 || position >= (int64_t)rank) return false;
  out_ranks[0] = position - single[0];
  out_ranks[1] = (int64_t)rank - 1 - position - single[1];
  return out_ranks[0] >= 0 && out_ranks[1] >= 0 && (has_group[0] || out_ranks[0] == 0) &&
         (has_group[1] || out_ranks[1] == 0);
}

/* Sets the size of an index, or finds the one that it has. */
static bool settle(binding_t *binding, bool is_known[], uint8_t index, size_t size) {
  if (is_known[index]) return binding->extent[index] == size;
  is_known[index] = true;
  binding->extent[index] = size;
  return true;
}

static bool bind_group(binding_t *binding, bool is_known[], uint8_t index, const int64_t *dims,
                       uint32_t count) {
  dimension_list_t sizes = {.count = 0};
  size_t extent = 1;
  for (uint32_t i = 0; i < count; i++) {
    dimension_list_append(&sizes, dims[i]);
    extent *= (size_t)dims[i];
  }
  if (!is_known[index]) binding->group[index] = sizes;
  const dimension_list_t *known = &binding->group[index];
  bool is_same = known->count == sizes.count;
  for (uint32_t i = 0; is_same && i < count; i++) is_same = known->dims[i] == sizes.dims[i];
  return is_same && settle(binding, is_known, index, extent);
}

/* A dimension that joins indices: the one of free size has what the others leave. */
static bool bind_dimension(const declaration_t *declaration, const declared_dimension_t *dimension,
                           int64_t size, bool is_known[], binding_t *binding) {
  int64_t left = size, free_index = -1;
  for (uint32_t i = 0; i < dimension->count; i++) {
    int64_t fixed = declaration->indices[dimension->indices[i]].fixed;
    if (fixed == 0) free_index = dimension->indices[i];
    if (fixed > 0 && left % fixed != 0) return false;
    if (fixed > 0) left /= fixed;
  }
  if (free_index < 0) return left == 1;
  return settle(binding, is_known, (uint8_t)free_index, (size_t)left);
}

static bool bind_tensor(const program_t *program, const declared_tensor_t *tensor,
                        const type_t *type, bool is_known[], binding_t *binding) {
  const declaration_t *declaration = declared_of(program);
  int64_t ranks[2] = {0};
  if (!find_group_ranks(program, tensor, type->rank, ranks)) return false;
  uint32_t at = 0, side = 0;
  for (uint32_t d = 0; d < tensor->count; d++) {
    const declared_dimension_t *dimension = &tensor->dimensions[d];
    uint8_t index = dimension->indices[0];
    side |= dimension->position >= 0;
    bool is_group = declaration->indices[index].is_group;
    uint32_t rank = is_group ? (uint32_t)ranks[side] : 1;
    bool is_bound = is_group
                        ? bind_group(binding, is_known, index, type->dims + at, rank)
                        : bind_dimension(declaration, dimension, type->dims[at], is_known, binding);
    if (!is_bound) return false;
    at += rank;
  }
  return at == type->rank;
}

bool declared_bind(const program_t *program, binding_t *out_binding) {
  const declaration_t *declaration = declared_of(program);
  bool is_known[DECLARED_INDICES_MAX] = {false};
  binding_t binding = {0};
  for (uint8_t i = 0; i < declaration->index_count; i++) {
    if (declaration->indices[i].fixed > 0) {
      settle(&binding, is_known, i, (size_t)declaration->indices[i].fixed);
    }
  }
  for (uint32_t i = 0; i < declaration->operand_count; i++) {
    if (!bind_tensor(program, &declaration->operands[i], &program->operands[i], is_known,
                     &binding)) {
      return false;
    }
  }
  for (uint32_t i = 0; i < MIN(declaration->result_count, program->result_count); i++) {
    if (!bind_tensor(program, &declaration->results[i], &program->results[i], is_known, &binding)) {
      return false;
    }
  }
  *out_binding = binding;
  return true;
}

void declared_strides(const declared_tensor_t *tensor, const binding_t *binding,
                      size_t out_strides[DECLARED_INDICES_MAX]) {
  memset(out_strides, 0, DECLARED_INDICES_MAX * sizeof *out_strides);
  size_t stride = 1;
  for (uint32_t d = tensor->count; d-- > 0;) {
    const declared_dimension_t *dimension = &tensor->dimensions[d];
    for (uint32_t i = dimension->count; i-- > 0;) {
      out_strides[dimension->indices[i]] = stride;
      stride *= binding->extent[dimension->indices[i]];
    }
  }
}

size_t declared_extent(const declaration_t *declaration, const binding_t *binding, uint32_t mask) {
  size_t extent = 1;
  for (uint32_t i = 0; i < declaration->index_count; i++) {
    if ((mask >> i & 1) != 0) extent *= binding->extent[i];
  }
  return extent;
}

size_t *declared_offsets(const declaration_t *declaration, const binding_t *binding, uint32_t over,
                         uint32_t last, const size_t strides[DECLARED_INDICES_MAX],
                         arena_t *arena) {
  size_t count = declared_extent(declaration, binding, over);
  size_t *offsets = ARENA_NEW_ARRAY(arena, size_t, MAX(count, 1));
  offsets[0] = 0;
  size_t made = 1;
  for (int pass = 0; pass < 2; pass++) {
    uint32_t mask = pass == 0 ? over & ~last : over & last;
    for (uint32_t i = 0; i < declaration->index_count && count > 0; i++) {
      if ((mask >> i & 1) == 0) continue;
      size_t extent = binding->extent[i];
      for (size_t k = made; k-- > 0;) { /* From behind: nothing is overwritten before it is read. */
        size_t base = offsets[k];
        for (size_t j = extent; j-- > 0;) offsets[k * extent + j] = base + j * strides[i];
      }
      made *= extent;
    }
  }
  return offsets;
}

int32_t declared_channel_dimension(const declaration_t *declaration, const binding_t *binding,
                                   const declared_tensor_t *tensor) {
  int32_t at = 0;
  for (uint32_t d = 0; tensor->channel >= 0 && d < tensor->count; d++) {
    uint8_t index = tensor->dimensions[d].indices[0];
    if (tensor->dimensions[d].count == 1 && index == (uint8_t)tensor->channel) return at;
    at += declaration->indices[index].is_group ? (int32_t)binding->group[index].count : 1;
  }
  return -1;
}

/* ---- Problems -------------------------------------------------------------------------------- */

/* Of how many steps a step is made. */
static uint32_t count_sources(step_kind_t kind) {
  switch (kind) {
    case STEP_OPERAND:
    case STEP_NUMBER:
    case STEP_ATTRIBUTE:
    case STEP_COUNT:
    case STEP_INDEX:
    case STEP_DEQUANTIZE:
    case STEP_STORAGE:
    case STEP_SCALE:
    case STEP_ZERO_POINT:
      return 0;
    case STEP_NEGATE:
    case STEP_STORED:
    case STEP_NORMALIZED:
    case STEP_SQUARE_ROOT:
    case STEP_INVERSE_SQUARE_ROOT:
    case STEP_FUNCTION:
    case STEP_SUM:
    case STEP_LARGEST:
    case STEP_ONLINE_SUM:
    case STEP_SHARES:
    case STEP_PICK:
    case STEP_CONVERT:
    case STEP_ROUND:
    case STEP_NOT:
    case STEP_SMALLEST:
      return 1;
    case STEP_SELECT:
    case STEP_SCATTER_ADD:
    case STEP_SCATTER_REPLACE:
    case STEP_QUANTIZE:
      return 3;
    default:
      return 2;
  }
}

static void mark_normalized(declared_formula_t *formula) {
  for (uint32_t i = 0; i < formula->step_count; i++) {
    step_t *step = &formula->steps[i];
    const uint16_t sources[] = {step->a, step->b, step->c};
    step->is_normalized = step->kind == STEP_NORMALIZED;
    for (uint32_t k = 0; k < count_sources(step->kind); k++) {
      step->is_normalized |= formula->steps[sources[k]].is_normalized;
    }
  }
}

/* Whether a step is made of constants alone, places along an index among them. */
static void find_constants(const declared_formula_t *formula, bool out_constant[]) {
  for (uint32_t i = 0; i < formula->step_count; i++) {
    const step_t *step = &formula->steps[i];
    const uint16_t sources[] = {step->a, step->b, step->c};
    out_constant[i] =
        step->kind != STEP_OPERAND && step->kind != STEP_DEQUANTIZE && step->kind != STEP_STORAGE;
    for (uint32_t k = 0; k < count_sources(step->kind); k++) {
      out_constant[i] = out_constant[i] && out_constant[sources[k]];
    }
  }
}

/* Operands that are scales and zero points. */
static void note_quantization(declaration_t *declaration, const declared_formula_t *formula,
                              const step_t *step) {
  const step_t *scale = &formula->steps[step->b], *zero_point = &formula->steps[step->c];
  if (scale->kind == STEP_OPERAND) declaration->operands[scale->a].is_scale = true;
  if (zero_point->kind == STEP_OPERAND) {
    declaration->operands[zero_point->a].zero_of = step->storage;
  }
}

/* Indices along which not every step runs, or along which something is combined or taken apart.
 * Constants and integers may be taken once more in each problem: they round nothing. */
static void analyse_formula(declaration_t *declaration, const declared_formula_t *formula) {
  bool is_constant[DECLARED_STEPS_MAX];
  find_constants(formula, is_constant);
  uint32_t all = (1U << declaration->index_count) - 1;
  for (uint32_t i = 0; i < formula->step_count; i++) {
    const step_t *step = &formula->steps[i];
    const element_t *type = step->type;
    bool is_of_other = step->kind == STEP_COMPARE || step->kind == STEP_CONVERT ||
                       step->kind == STEP_ROUND || step->kind == STEP_QUANTIZE;
    declaration->has_integers |= type != NULL;
    declaration->has_integer_operands |=
        step->kind == STEP_OPERAND && type != NULL && element_is_integer(type);
    declaration->compares_floats |=
        type != NULL && is_of_other && formula->steps[step->a].type == NULL;
    declaration->inner |= step->over;
    declaration->combined |= step->over;
    const bool is_scatter = step_scatters(step->kind);
    if (step->kind == STEP_PICK || step->kind == STEP_STACK || step->kind == STEP_GATHER ||
        is_scatter) {
      declaration->inner |= 1U << step->index;
    }
    if (step->kind == STEP_GATHER || is_scatter) {
      const step_t *places = &formula->steps[is_scatter ? step->c : step->b];
      declaration->nonempty |= 1U << step->index;
      if (places->kind == STEP_OPERAND) {
        declaration->operands[places->a].gathers = (int8_t)step->index;
      }
    }
    if (step->kind == STEP_QUANTIZE) note_quantization(declaration, formula, step);
    bool is_operand = step->kind == STEP_OPERAND || step->kind == STEP_DEQUANTIZE;
    if (is_operand || is_constant[i] || step->type != NULL) continue;
    declaration->inner |= all & ~step->mask;
  }
}

bool declared_has_same_dimensions(const declared_tensor_t *a, const declared_tensor_t *b) {
  if (a->count != b->count) return false;
  for (uint32_t d = 0; d < a->count; d++) {
    if (a->dimensions[d].count != b->dimensions[d].count) return false;
    for (uint32_t i = 0; i < a->dimensions[d].count; i++) {
      if (a->dimensions[d].indices[i] != b->dimensions[d].indices[i]) return false;
    }
  }
  return true;
}

static bool has_places(const declared_formula_t *formula) {
  for (uint32_t i = 0; i < formula->step_count; i++) {
    const step_t *step = &formula->steps[i];
    bool is_channel = step->kind == STEP_SCALE || step->kind == STEP_ZERO_POINT;
    if (step->kind == STEP_INDEX || (is_channel && step->mask != 0)) return true;
  }
  return false;
}

/* All operands have the dimensions of the results, or none, and no element knows its place. */
static bool find_elementwise(const declaration_t *declaration) {
  if (declaration->inner != 0) return false;
  for (uint32_t f = 0; f < declaration->formula_count; f++) {
    if (has_places(&declaration->formulas[f])) return false;
  }
  const declared_tensor_t *first = &declaration->results[0];
  for (uint32_t i = 0; i < declaration->operand_count; i++) {
    const declared_tensor_t *operand = &declaration->operands[i];
    if (operand->count > 0 && !declared_has_same_dimensions(operand, first)) return false;
  }
  for (uint32_t i = 1; i < declaration->result_count; i++) {
    if (!declared_has_same_dimensions(&declaration->results[i], first)) return false;
  }
  return first->count > 0;
}

void declared_analyse(declaration_t *inout_declaration) {
  declaration_t *declaration = inout_declaration;
  for (uint32_t f = 0; f < declaration->formula_count; f++) {
    analyse_formula(declaration, &declaration->formulas[f]);
    mark_normalized(&declaration->formulas[f]);
  }
  /* A problem has all of each result (theory.md, T205). */
  for (uint32_t i = 0; i < declaration->result_count; i++) {
    declaration->inner |= ((1U << declaration->index_count) - 1) & ~declaration->results[i].mask;
  }
  declaration->has_integers |= declaration->has_quantized;
  for (uint16_t i = 0; i < CASE_OPERANDS_MAX + CASE_RESULTS_MAX; i++) {
    const declared_tensor_t *tensor = declared_tensor(declaration, i);
    if (tensor->is_quantized && tensor->channel >= 0) {
      declaration->nonempty |= 1U << tensor->channel;
      declaration->channels |= 1U << tensor->channel;
    }
  }
  declaration->is_elementwise = find_elementwise(declaration);
  const declared_tensor_t *first = &declaration->results[0];
  if (declaration->inner == 0 && !declaration->is_elementwise && first->count > 0) {
    const declared_dimension_t *last = &first->dimensions[first->count - 1];
    declaration->inner = 1U << last->indices[last->count - 1];
  }
}
