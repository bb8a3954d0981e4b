/* SPDX-License-Identifier: Apache-2.0 */
/* Packs one batch into dense f32 or f64 matrices for the exact product kernels: contiguous rows
 * are copied whole, complex numbers become interleaved reals, split operands lie component by
 * component. */
#include "oracles/ops/dot_general/matrices.h"

#include <math.h>
#include <string.h>

#include "harness/num/element_value.h"
#include "oracles/ops/dot_general/components.h"

/* ---- Operands that are the factors ----------------------------------------------------------- */

static matrix_t matrix_make(bool is_f64, size_t count, arena_t *arena) {
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
  double value = element_load_float(tensor->type.element, tensor->data, component);
  matrix_store(matrix, index, negate ? -value : value);
}

static bool offsets_are_contiguous(const size_t *offset, size_t count) {
  for (size_t i = 1; i < count; i++) {
    if (offset[i] != offset[i - 1] + 1) return false;
  }
  return true;
}

/* Elements of an operand that make a row of a matrix, which lie in a row there, or not. */
typedef struct run {
  const size_t *offset;
  size_t width;
  bool is_contiguous;
} run_t;

static run_t run_make(const size_t *offset, size_t width) {
  return (run_t){offset, width, offsets_are_contiguous(offset, width)};
}

/* Of real operands whose elements are f32 or f64 already. */
static void copy_plain(const matrix_t *matrix, size_t index, const tensor_t *tensor, size_t base,
                       const run_t *run) {
  size_t bytes = matrix->is_f64 ? sizeof(double) : sizeof(float);
  uint8_t *out = (uint8_t *)matrix->data + index * bytes;
  if (run->width == 0) return;
  if (run->is_contiguous) {
    memcpy(out, tensor->data + (base + run->offset[0]) * bytes, run->width * bytes);
    return;
  }
  for (size_t i = 0; i < run->width; i++) {
    memcpy(out + i * bytes, tensor->data + (base + run->offset[i]) * bytes, bytes);
  }
}

/* [rows][terms * parts]; a complex row holds (re, -im) for the real part, (re, im) else. */
static matrix_t gather_whole_lhs(const case_t *instance, const dot_general_layout_t *layout,
                                 size_t batch, int part, arena_t *arena) {
  const tensor_t *lhs = &instance->operands[DOT_GENERAL_LHS];
  const element_t *element = lhs->type.element;
  size_t width = layout->term_count * element->components;
  matrix_t matrix = matrix_make(element->format->bits == 64, layout->row_count * width, arena);
  const run_t run = run_make(layout->lhs_term_offset, layout->term_count);
  for (size_t row = 0; row < layout->row_count; row++) {
    size_t base = layout->lhs_batch_offset[batch] + layout->lhs_row_offset[row];
    if (element->components == 1 && element->format->bits >= 32) {
      copy_plain(&matrix, row * width, lhs, base, &run);
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
  matrix_t matrix = matrix_make(element->format->bits == 64, height * width, arena);
  const run_t run = run_make(layout->rhs_column_offset, width);
  for (size_t i = 0; i < height; i++) {
    size_t term = i / element->components;
    size_t base = layout->rhs_batch_offset[batch] + layout->rhs_term_offset[term];
    if (element->components == 1 && element->format->bits >= 32) {
      copy_plain(&matrix, i * width, rhs, base, &run);
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

/* Both matrices are of f64 if one is. */
static bool is_wide(const dot_plan_t *plan) {
  return plan->lhs->bits == 64 || plan->rhs->bits == 64;
}

/* The usual case, of at most three components, as a loop without decisions: see dot_split_f32(). */
static void split_f32_elements(split_t split, const format_t *precision, int components,
                               const float *values, size_t count,
                               const matrix_t out[DOT_COMPONENTS_MAX]) {
  for (int i = 0; i < components; i++) {
    rounding_t rounding = dot_split_rounding(split, i, components);
    float *component = out[i].data;
    const float *before = i == 0 ? NULL : out[i - 1].data;
    const float *before_that = i < 2 ? NULL : out[i - 2].data;
    for (size_t e = 0; e < count; e++) {
      float rest = values[e];
      if (before_that != NULL) rest -= before_that[e];
      if (before != NULL) rest -= before[e];
      component[e] = dot_split_f32(rest, precision, rounding);
    }
  }
}

static bool is_usual(const element_t *type, const tensor_t *tensor) {
  const format_t *precision = type->format;
  if (tensor->type.element->format != &format_table[FORMAT_f32]) return false;
  if (precision == NULL || !dot_split_is_usual(precision)) return false;
  const float *values = (const float *)(const void *)tensor->data;
  size_t count = type_element_count(&tensor->type);
  bool all = true;
  for (size_t e = 0; e < count; e++) all &= fabsf(values[e]) <= DOT_SPLIT_LARGEST;
  return all;
}

static void split_operand(const matrices_t *matrices, uint32_t operand, split_t split,
                          arena_t *arena, matrix_t out[DOT_COMPONENTS_MAX]) {
  const tensor_t *tensor = &matrices->instance->operands[operand];
  const dot_plan_t *plan = matrices->plan;
  const format_t *precision = dot_plan_precision(plan, operand);
  size_t count = type_component_count(&tensor->type);
  int parts = plan->component_counts[operand];
  for (int i = 0; i < parts; i++) out[i] = matrix_make(is_wide(plan), count, arena);
  if (!is_wide(plan) && parts <= 3 && is_usual(plan->types[operand], tensor)) {
    split_f32_elements(dot_plan_split(plan, operand, split), precision, parts,
                       (const float *)(const void *)tensor->data, count, out);
    return;
  }
  double components[DOT_COMPONENTS_MAX];
  for (size_t e = 0; e < count; e++) {
    dot_general_load_components(tensor, plan, split, operand, e, components);
    for (int i = 0; i < parts; i++) matrix_store(&out[i], e, components[i]);
  }
}

static bool is_nonzero(const matrix_t *matrix, size_t count) {
  for (size_t e = 0; e < count; e++) {
    if (matrix_load(matrix, e) != 0) return true;
  }
  return false;
}

/* Which components of an operand hold anything but zeros. */
static void find_nonzero(const matrices_t *matrices, uint32_t operand,
                         bool out_nonzero[DOT_COMPONENTS_MAX]) {
  size_t count = type_component_count(&matrices->instance->operands[operand].type);
  for (int i = 0; i < matrices->plan->component_counts[operand]; i++) {
    out_nonzero[i] = is_nonzero(&matrices->components[operand][i], count);
  }
}

/* A product with a component that is 0 everywhere adds nothing: not even a NaN, since a component
 * after one that is not finite is NaN, and NaN is not 0. */
static void choose_primitives(matrices_t *matrices) {
  const dot_plan_t *plan = matrices->plan;
  bool lhs_nonzero[DOT_COMPONENTS_MAX] = {true}, rhs_nonzero[DOT_COMPONENTS_MAX] = {true};
  if (plan->primitive_count > 1) {
    find_nonzero(matrices, DOT_GENERAL_LHS, lhs_nonzero);
    find_nonzero(matrices, DOT_GENERAL_RHS, rhs_nonzero);
  }
  for (int i = 0; i < plan->primitive_count; i++) {
    dot_primitive_t primitive = plan->primitives[i];
    bool is_leading = i == plan->primitive_count - 1;
    if (!is_leading && !(lhs_nonzero[primitive.lhs] && rhs_nonzero[primitive.rhs])) continue;
    matrices->primitives[matrices->primitive_count++] = primitive;
  }
}

matrices_t matrices_make(const case_t *instance, const dot_general_layout_t *layout,
                         const dot_plan_t *plan, split_t split, arena_t *arena) {
  matrices_t matrices = {.instance = instance, .layout = layout, .plan = plan};
  for (uint32_t i = 0; plan->has_algorithm && i < 2; i++) {
    split_operand(&matrices, i, split, arena, matrices.components[i]);
  }
  choose_primitives(&matrices);
  return matrices;
}

size_t matrices_terms(const matrices_t *matrices) {
  size_t parts = matrices->instance->program.operands[DOT_GENERAL_LHS].element->components;
  return matrices->layout->term_count * parts * (size_t)matrices->primitive_count;
}

static bool has_parts(const matrices_t *matrices) {
  return matrices->instance->program.operands[DOT_GENERAL_LHS].element->components == 2;
}

static void copy_run(const matrix_t *to, size_t to_index, const matrix_t *from, size_t base,
                     const size_t *offset, size_t count) {
  size_t bytes = to->is_f64 ? sizeof(double) : sizeof(float);
  uint8_t *out = (uint8_t *)to->data + to_index * bytes;
  const uint8_t *in = (const uint8_t *)from->data + base * bytes;
  if (count > 0 && offsets_are_contiguous(offset, count)) {
    memcpy(out, in + offset[0] * bytes, count * bytes);
    return;
  }
  for (size_t i = 0; i < count; i++) memcpy(out + i * bytes, in + offset[i] * bytes, bytes);
}

/* Complex numbers split: as gather_whole_lhs() and gather_whole_rhs(), a primitive product after
 * the other. */
static matrix_t gather_parts_lhs(const matrices_t *matrices, size_t batch, int part,
                                 arena_t *arena) {
  const dot_general_layout_t *layout = matrices->layout;
  size_t group = layout->term_count * 2, width = matrices_terms(matrices);
  matrix_t matrix = matrix_make(is_wide(matrices->plan), layout->row_count * width, arena);
  for (size_t row = 0; row < layout->row_count; row++) {
    size_t base = layout->lhs_batch_offset[batch] + layout->lhs_row_offset[row];
    for (size_t i = 0; i < width; i++) {
      int component = matrices->primitives[i / group].lhs;
      size_t imaginary = i % 2, element = base + layout->lhs_term_offset[i % group / 2];
      double value =
          matrix_load(&matrices->components[DOT_GENERAL_LHS][component], 2 * element + imaginary);
      matrix_store(&matrix, row * width + i, imaginary == 1 && part == 0 ? -value : value);
    }
  }
  return matrix;
}

static matrix_t gather_parts_rhs(const matrices_t *matrices, size_t batch, int part,
                                 arena_t *arena) {
  const dot_general_layout_t *layout = matrices->layout;
  size_t group = layout->term_count * 2, height = matrices_terms(matrices);
  size_t width = layout->column_count;
  matrix_t matrix = matrix_make(is_wide(matrices->plan), height * width, arena);
  for (size_t i = 0; i < height; i++) {
    const matrix_t *from =
        &matrices->components[DOT_GENERAL_RHS][matrices->primitives[i / group].rhs];
    size_t base = layout->rhs_batch_offset[batch] + layout->rhs_term_offset[i % group / 2];
    for (size_t column = 0; column < width; column++) {
      size_t element = base + layout->rhs_column_offset[column];
      matrix_store(&matrix, i * width + column,
                   matrix_load(from, 2 * element + (i + (size_t)part) % 2));
    }
  }
  return matrix;
}

static matrix_t gather_split_lhs(const matrices_t *matrices, size_t batch, arena_t *arena) {
  const dot_general_layout_t *layout = matrices->layout;
  size_t terms = layout->term_count, width = matrices_terms(matrices);
  matrix_t matrix = matrix_make(is_wide(matrices->plan), layout->row_count * width, arena);
  for (size_t row = 0; row < layout->row_count; row++) {
    size_t base = layout->lhs_batch_offset[batch] + layout->lhs_row_offset[row];
    for (int i = 0; i < matrices->primitive_count; i++) {
      copy_run(&matrix, row * width + (size_t)i * terms,
               &matrices->components[DOT_GENERAL_LHS][matrices->primitives[i].lhs], base,
               layout->lhs_term_offset, terms);
    }
  }
  return matrix;
}

static matrix_t gather_split_rhs(const matrices_t *matrices, size_t batch, arena_t *arena) {
  const dot_general_layout_t *layout = matrices->layout;
  size_t terms = layout->term_count, width = layout->column_count;
  matrix_t matrix = matrix_make(is_wide(matrices->plan), matrices_terms(matrices) * width, arena);
  for (int i = 0; i < matrices->primitive_count; i++) {
    const matrix_t *component = &matrices->components[DOT_GENERAL_RHS][matrices->primitives[i].rhs];
    for (size_t term = 0; term < terms; term++) {
      size_t base = layout->rhs_batch_offset[batch] + layout->rhs_term_offset[term];
      copy_run(&matrix, ((size_t)i * terms + term) * width, component, base,
               layout->rhs_column_offset, width);
    }
  }
  return matrix;
}

matrix_t matrices_gather_lhs(const matrices_t *matrices, size_t batch, int part, arena_t *arena) {
  if (matrices->plan->has_algorithm && has_parts(matrices)) {
    return gather_parts_lhs(matrices, batch, part, arena);
  }
  if (matrices->plan->has_algorithm) return gather_split_lhs(matrices, batch, arena);
  return gather_whole_lhs(matrices->instance, matrices->layout, batch, part, arena);
}

matrix_t matrices_gather_rhs(const matrices_t *matrices, size_t batch, int part, arena_t *arena) {
  if (matrices->plan->has_algorithm && has_parts(matrices)) {
    return gather_parts_rhs(matrices, batch, part, arena);
  }
  if (matrices->plan->has_algorithm) return gather_split_rhs(matrices, batch, arena);
  return gather_whole_rhs(matrices->instance, matrices->layout, batch, part, arena);
}

static bool matrix_equal(const matrix_t *a, const matrix_t *b, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!(matrix_load(a, i) == matrix_load(b, i))) return false; /* NaN may come of either. */
  }
  return true;
}

bool matrices_are_equal(const matrices_t *a, const matrices_t *b) {
  for (uint32_t operand = 0; operand < 2; operand++) {
    size_t count = type_component_count(&a->instance->operands[operand].type);
    for (int i = 0; i < a->plan->component_counts[operand]; i++) {
      if (!matrix_equal(&a->components[operand][i], &b->components[operand][i], count)) {
        return false;
      }
    }
  }
  return true;
}
