#include "oracles/ops/dot_general/dot_general_matrices.h"

#include <math.h>
#include <string.h>

#include "oracles/ops/dot_general/dot_general_gather.h"

/* ---- Operands that are the factors ----------------------------------------------------------- */

static matrix_t matrix_make(const format_t *format, size_t count, arena_t *arena) {
  bool is_f64 = format->bits == 64;
  size_t bytes = is_f64 ? sizeof(double) : sizeof(float);
  return (matrix_t){.is_f64 = is_f64, .data = arena_alloc_array(arena, count, bytes)};
}

static void matrix_store(const matrix_t *matrix, size_t index, double value) {
  if (matrix->is_f64) {
    ((double *)matrix->data)[index] = value;
  } else {
    ((float *)matrix->data)[index] = (float)value;
  }
}

/* Component `component` of the operand, with the sign that its place in a complex product has. */
static void copy_component(const matrix_t *matrix, size_t index, const tensor_t *tensor,
                           size_t component, bool negate) {
  const element_t *element = tensor->type.element;
  double value = format_to_double(element->format, element_load(element, tensor->data, component));
  matrix_store(matrix, index, negate ? -value : value);
}

static bool offsets_are_contiguous(const size_t *offset, size_t count) {
  for (size_t i = 1; i < count; i++) {
    if (offset[i] != offset[i - 1] + 1) return false;
  }
  return true;
}

/* Real operands whose elements are f32 or f64 already: `width` elements that lie in a row, or not.
 */
static void copy_plain(const matrix_t *matrix, size_t index, const tensor_t *tensor, size_t base,
                       const size_t *offset, size_t width) {
  size_t bytes = matrix->is_f64 ? sizeof(double) : sizeof(float);
  uint8_t *out = (uint8_t *)matrix->data + index * bytes;
  if (width == 0) return;
  if (offsets_are_contiguous(offset, width)) {
    memcpy(out, tensor->data + (base + offset[0]) * bytes, width * bytes);
    return;
  }
  for (size_t i = 0; i < width; i++) {
    memcpy(out + i * bytes, tensor->data + (base + offset[i]) * bytes, bytes);
  }
}

/* [rows][terms * parts]; a complex row holds (re, -im) for the real part, (re, im) else. */
static matrix_t gather_whole_lhs(const case_t *instance, const dot_general_layout_t *layout,
                                 size_t batch, int part, arena_t *arena) {
  const tensor_t *lhs = &instance->operands[DOT_GENERAL_LHS];
  const element_t *element = lhs->type.element;
  size_t width = layout->term_count * element->components;
  matrix_t matrix = matrix_make(element->format, layout->row_count * width, arena);
  for (size_t row = 0; row < layout->row_count; row++) {
    size_t base = layout->lhs_batch_offset[batch] + layout->lhs_row_offset[row];
    if (element->components == 1 && element->format->bits >= 32) {
      copy_plain(&matrix, row * width, lhs, base, layout->lhs_term_offset, layout->term_count);
      continue;
    }
    for (size_t i = 0; i < width; i++) {
      size_t term = i / element->components, imaginary = i % element->components;
      size_t component = (base + layout->lhs_term_offset[term]) * element->components + imaginary;
      copy_component(&matrix, row * width + i, lhs, component, imaginary == 1 && part == 0);
    }
  }
  return matrix;
}

/* [terms * parts][columns]; a complex term's rows are (re, im) for the real part, (im, re) else. */
static matrix_t gather_whole_rhs(const case_t *instance, const dot_general_layout_t *layout,
                                 size_t batch, int part, arena_t *arena) {
  const tensor_t *rhs = &instance->operands[DOT_GENERAL_RHS];
  const element_t *element = rhs->type.element;
  size_t height = layout->term_count * element->components, width = layout->column_count;
  matrix_t matrix = matrix_make(element->format, height * width, arena);
  for (size_t i = 0; i < height; i++) {
    size_t term = i / element->components;
    size_t base = layout->rhs_batch_offset[batch] + layout->rhs_term_offset[term];
    if (element->components == 1 && element->format->bits >= 32) {
      copy_plain(&matrix, i * width, rhs, base, layout->rhs_column_offset, width);
      continue;
    }
    size_t which = (i + (size_t)part) % element->components;
    for (size_t column = 0; column < width; column++) {
      size_t index = base + layout->rhs_column_offset[column];
      copy_component(&matrix, i * width + column, rhs, index * element->components + which, false);
    }
  }
  return matrix;
}

/* ---- Split operands -------------------------------------------------------------------------- */

/* Which components of an operand hold anything but zeros. */
static void find_nonzero(const matrices_t *matrices, uint32_t operand,
                         bool out_nonzero[DOT_COMPONENTS_MAX]) {
  const tensor_t *tensor = &matrices->instance->operands[operand];
  const dot_plan_t *plan = matrices->plan;
  const format_t *precision = operand == DOT_GENERAL_LHS ? plan->lhs : plan->rhs;
  size_t count = type_element_count(&tensor->type);
  double components[DOT_COMPONENTS_MAX];
  for (int i = 0; i < plan->component_count; i++) out_nonzero[i] = false;
  for (size_t index = 0; index < count; index++) {
    dot_general_load_components(tensor, plan, matrices->split, precision, index, components);
    for (int i = 0; i < plan->component_count; i++) out_nonzero[i] |= components[i] != 0;
  }
}

static bool is_plain(const dot_plan_t *plan) { return !plan->has_algorithm; }

/* A product with a component that is 0 everywhere adds nothing: not even a NaN, since a component
 * after one that is not finite is NaN, and NaN is not 0. */
matrices_t matrices_make(const case_t *instance, const dot_general_layout_t *layout,
                         const dot_plan_t *plan, split_t split) {
  matrices_t matrices = {.instance = instance, .layout = layout, .plan = plan, .split = split};
  bool lhs_nonzero[DOT_COMPONENTS_MAX] = {true}, rhs_nonzero[DOT_COMPONENTS_MAX] = {true};
  if (plan->primitive_count > 1) {
    find_nonzero(&matrices, DOT_GENERAL_LHS, lhs_nonzero);
    find_nonzero(&matrices, DOT_GENERAL_RHS, rhs_nonzero);
  }
  for (int i = 0; i < plan->primitive_count; i++) {
    dot_primitive_t primitive = plan->primitives[i];
    bool is_leading = i == plan->primitive_count - 1;
    if (!is_leading && !(lhs_nonzero[primitive.lhs] && rhs_nonzero[primitive.rhs])) continue;
    matrices.primitives[matrices.primitive_count++] = primitive;
  }
  return matrices;
}

size_t matrices_terms(const matrices_t *matrices) {
  size_t parts = matrices->instance->program.operands[DOT_GENERAL_LHS].element->components;
  return matrices->layout->term_count * parts * (size_t)matrices->primitive_count;
}

static matrix_t gather_split_lhs(const matrices_t *matrices, size_t batch, arena_t *arena) {
  const dot_general_layout_t *layout = matrices->layout;
  const tensor_t *lhs = &matrices->instance->operands[DOT_GENERAL_LHS];
  size_t terms = layout->term_count, width = matrices_terms(matrices);
  matrix_t matrix = matrix_make(matrices->plan->lhs, layout->row_count * width, arena);
  double components[DOT_COMPONENTS_MAX];
  for (size_t row = 0; row < layout->row_count; row++) {
    size_t base = layout->lhs_batch_offset[batch] + layout->lhs_row_offset[row];
    for (size_t term = 0; term < terms; term++) {
      dot_general_load_components(lhs, matrices->plan, matrices->split, matrices->plan->lhs,
                                  base + layout->lhs_term_offset[term], components);
      for (int i = 0; i < matrices->primitive_count; i++) {
        matrix_store(&matrix, row * width + (size_t)i * terms + term,
                     components[matrices->primitives[i].lhs]);
      }
    }
  }
  return matrix;
}

static matrix_t gather_split_rhs(const matrices_t *matrices, size_t batch, arena_t *arena) {
  const dot_general_layout_t *layout = matrices->layout;
  const tensor_t *rhs = &matrices->instance->operands[DOT_GENERAL_RHS];
  size_t terms = layout->term_count, width = layout->column_count;
  matrix_t matrix = matrix_make(matrices->plan->rhs, matrices_terms(matrices) * width, arena);
  double components[DOT_COMPONENTS_MAX];
  for (size_t term = 0; term < terms; term++) {
    size_t base = layout->rhs_batch_offset[batch] + layout->rhs_term_offset[term];
    for (size_t column = 0; column < width; column++) {
      dot_general_load_components(rhs, matrices->plan, matrices->split, matrices->plan->rhs,
                                  base + layout->rhs_column_offset[column], components);
      for (int i = 0; i < matrices->primitive_count; i++) {
        matrix_store(&matrix, ((size_t)i * terms + term) * width + column,
                     components[matrices->primitives[i].rhs]);
      }
    }
  }
  return matrix;
}

matrix_t matrices_gather_lhs(const matrices_t *matrices, size_t batch, int part, arena_t *arena) {
  if (!is_plain(matrices->plan)) return gather_split_lhs(matrices, batch, arena);
  return gather_whole_lhs(matrices->instance, matrices->layout, batch, part, arena);
}

matrix_t matrices_gather_rhs(const matrices_t *matrices, size_t batch, int part, arena_t *arena) {
  if (!is_plain(matrices->plan)) return gather_split_rhs(matrices, batch, arena);
  return gather_whole_rhs(matrices->instance, matrices->layout, batch, part, arena);
}

static bool operand_splits_agree(const tensor_t *operand, const dot_plan_t *plan,
                                 const format_t *precision, split_t a, split_t b) {
  size_t count = type_element_count(&operand->type);
  double first[DOT_COMPONENTS_MAX], second[DOT_COMPONENTS_MAX];
  for (size_t index = 0; index < count; index++) {
    dot_general_load_components(operand, plan, a, precision, index, first);
    dot_general_load_components(operand, plan, b, precision, index, second);
    for (int i = 0; i < plan->component_count; i++) {
      if (!(first[i] == second[i])) return false; /* NaN may come of either. */
    }
  }
  return true;
}

bool matrices_splits_agree(const case_t *instance, const dot_plan_t *plan, split_t a, split_t b) {
  const tensor_t *operands = instance->operands;
  return operand_splits_agree(&operands[DOT_GENERAL_LHS], plan, plan->lhs, a, b) &&
         operand_splits_agree(&operands[DOT_GENERAL_RHS], plan, plan->rhs, a, b);
}
