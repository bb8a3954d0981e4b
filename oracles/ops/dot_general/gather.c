/* SPDX-License-Identifier: Apache-2.0 */
/* Tells where batches, rows, columns and terms lie in both operands, so that all other code indexes
 * by role rather than by dimension; and collects the factors of one result component, as reals,
 * split components, complex parts or integers, as input of the exact sum and integer decisions. */
#include "oracles/ops/dot_general/gather.h"

#include <math.h>
#include <string.h>

#include "harness/model/op.h"
#include "oracles/ops/dot_general/components.h"

dot_general_layout_t dot_general_layout_make(const program_t *program, arena_t *arena) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  const type_t *lhs = &program->operands[DOT_GENERAL_LHS];
  const type_t *rhs = &program->operands[DOT_GENERAL_RHS];
  dimension_list_t rows = dot_general_lhs_result_dimensions(program);
  dimension_list_t columns = dot_general_rhs_result_dimensions(program);
  dot_general_layout_t layout = {0};
  size_t batch_count = dimension_list_extent(&attributes->lhs_batching, lhs);
  size_t row_count = dimension_list_extent(&rows, lhs);
  size_t column_count = dimension_list_extent(&columns, rhs);
  /* Without result elements nothing bounds the other extents. */
  if (batch_count == 0 || row_count == 0 || column_count == 0) return layout;
  layout.batch_count = batch_count;
  layout.row_count = row_count;
  layout.column_count = column_count;
  layout.term_count = dimension_list_extent(&attributes->lhs_contracting, lhs);
  layout.lhs_batch_offset = dimension_list_offsets(&attributes->lhs_batching, lhs, arena);
  layout.lhs_row_offset = dimension_list_offsets(&rows, lhs, arena);
  layout.lhs_term_offset = dimension_list_offsets(&attributes->lhs_contracting, lhs, arena);
  layout.rhs_batch_offset = dimension_list_offsets(&attributes->rhs_batching, rhs, arena);
  layout.rhs_column_offset = dimension_list_offsets(&columns, rhs, arena);
  layout.rhs_term_offset = dimension_list_offsets(&attributes->rhs_contracting, rhs, arena);
  return layout;
}

dot_general_place_t dot_general_place(const case_t *instance, const dot_general_layout_t *layout,
                                      size_t component) {
  size_t parts = instance->program.results[0].element->components;
  size_t element = component / parts;
  size_t matrix = layout->row_count * layout->column_count;
  return (dot_general_place_t){
      .batch = element / matrix,
      .row = element % matrix / layout->column_count,
      .column = element % layout->column_count,
      .part = (int)(component % parts),
  };
}

/* The factors of the terms of one sum. */
typedef struct factors {
  double *left;
  double *right;
} factors_t;

/* What is gathered of operands that are split in one way. */
typedef struct splitting {
  const case_t *instance;
  const dot_plan_t *plan;
  split_t split;
  const dot_general_layout_t *layout;
  size_t parts; /* 2 of complex numbers. */
} splitting_t;

/* Part `part` of both elements of a term: re = a.re b.re + (-a.im) b.im, im = a.re b.im + a.im
 * b.re. False if nobody says what becomes of one. */
static bool load_term(const splitting_t *from, dot_general_place_t place, size_t term, size_t part,
                      double a[DOT_COMPONENTS_MAX], double b[DOT_COMPONENTS_MAX]) {
  const tensor_t *operands = from->instance->operands;
  size_t lhs = dot_general_lhs_index(from->layout, place, term) * from->parts + part;
  size_t rhs = dot_general_rhs_index(from->layout, place, term) * from->parts;
  rhs += (part + (size_t)place.part) % from->parts;
  bool is_known = dot_general_load_components(&operands[DOT_GENERAL_LHS], from->plan, from->split,
                                              DOT_GENERAL_LHS, lhs, a);
  is_known &= dot_general_load_components(&operands[DOT_GENERAL_RHS], from->plan, from->split,
                                          DOT_GENERAL_RHS, rhs, b);
  bool negates = part == 1 && place.part == 0;
  for (int i = 0; negates && i < from->plan->component_counts[DOT_GENERAL_LHS]; i++) a[i] = -a[i];
  return is_known;
}

/* One element of f32 or f64, all NaNs being one. */
static double load_plain(const tensor_t *operand, size_t index) {
  double value;
  if (operand->type.element->format->bits == 64) {
    memcpy(&value, operand->data + index * sizeof value, sizeof value);
  } else {
    float narrow;
    memcpy(&narrow, operand->data + index * sizeof narrow, sizeof narrow);
    value = (double)narrow;
  }
  return isnan(value) ? (double)NAN : value;
}

/* Whether the elements of both operands are the factors, and need no conversion by steps. */
static bool are_plain(const splitting_t *from) {
  bool are = from->parts == 1 && !from->plan->has_algorithm;
  for (uint32_t i = 0; i < 2 && are; i++) {
    const format_t *format = from->instance->operands[i].type.element->format;
    are = format == &format_table[FORMAT_f32] || format == &format_table[FORMAT_f64];
  }
  return are;
}

static void gather_plain(const splitting_t *from, dot_general_place_t place,
                         const factors_t *out_factors) {
  const tensor_t *operands = from->instance->operands;
  for (size_t term = 0; term < from->layout->term_count; term++) {
    out_factors->left[term] =
        load_plain(&operands[DOT_GENERAL_LHS], dot_general_lhs_index(from->layout, place, term));
    out_factors->right[term] =
        load_plain(&operands[DOT_GENERAL_RHS], dot_general_rhs_index(from->layout, place, term));
  }
}

/* All products of components, one primitive product after the other.  True if nobody says what
 * becomes of some factor: NaN and infinities are added in no type without NaN. */
static bool gather_components(const splitting_t *from, dot_general_place_t place,
                              const factors_t *out_factors) {
  const dot_plan_t *plan = from->plan;
  if (are_plain(from)) {
    gather_plain(from, place, out_factors);
    return false;
  }
  double a[DOT_COMPONENTS_MAX], b[DOT_COMPONENTS_MAX];
  size_t group = from->layout->term_count * from->parts;
  bool is_open = false, adds_all = format_has_nan(plan->accumulation);
  for (size_t i = 0; i < group; i++) {
    is_open |= !load_term(from, place, i / from->parts, i % from->parts, a, b);
    is_open |= plan->has_algorithm && !adds_all && !(isfinite(a[0]) && isfinite(b[0]));
    for (int p = 0; p < plan->primitive_count; p++) {
      out_factors->left[(size_t)p * group + i] = a[plan->primitives[p].lhs];
      out_factors->right[(size_t)p * group + i] = b[plan->primitives[p].rhs];
    }
  }
  return is_open;
}

sum_problem_t dot_general_sum_question(const case_t *instance, const dot_plan_t *plan,
                                       split_t split, const dot_general_layout_t *layout,
                                       dot_general_place_t place, arena_t *arena) {
  size_t parts = instance->program.operands[DOT_GENERAL_LHS].element->components;
  size_t group = layout->term_count * parts;
  size_t count = group * (size_t)plan->primitive_count;
  factors_t factors;
  factors.left = ARENA_NEW_ARRAY(arena, double, count);
  factors.right = ARENA_NEW_ARRAY(arena, double, count);
  const splitting_t from = {instance, plan, split, layout, parts};
  bool is_open = gather_components(&from, place, &factors);
  return (sum_problem_t){
      .format = plan->accumulation,
      .count = count,
      .left = factors.left,
      .right = factors.right,
      .left_format = plan->lhs,
      .right_format = plan->rhs,
      .left_storage = instance->operands[DOT_GENERAL_LHS].type.element->format,
      .right_storage = instance->operands[DOT_GENERAL_RHS].type.element->format,
      .is_complex_part = parts == 2,
      .result = plan->result,
      .group = plan->primitive_count > 1 ? group : 0,
      .imprecise_bits = plan->imprecise_bits,
      .factors_exceed = plan->factors_exceed,
      .is_open = is_open,
  };
}

static uint64_t load_integer(const tensor_t *tensor, size_t index) {
  const element_t *element = tensor->type.element;
  uint64_t bits = element_load(element, tensor->data, index);
  return element->kind == ELEMENT_SIGNED ? (uint64_t)element_signed_value(element, bits) : bits;
}

integer_problem_t dot_general_integer_question(const case_t *instance,
                                               const dot_general_layout_t *layout,
                                               dot_general_place_t place, arena_t *arena) {
  uint64_t *left = ARENA_NEW_ARRAY(arena, uint64_t, layout->term_count);
  uint64_t *right = ARENA_NEW_ARRAY(arena, uint64_t, layout->term_count);
  for (size_t term = 0; term < layout->term_count; term++) {
    left[term] = load_integer(&instance->operands[DOT_GENERAL_LHS],
                              dot_general_lhs_index(layout, place, term));
    right[term] = load_integer(&instance->operands[DOT_GENERAL_RHS],
                               dot_general_rhs_index(layout, place, term));
  }
  return (integer_problem_t){
      .element = instance->program.results[0].element,
      .body = FOLD_ADD,
      .count = layout->term_count,
      .left = left,
      .right = right,
  };
}
