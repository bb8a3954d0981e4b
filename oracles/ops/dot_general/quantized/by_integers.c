/* SPDX-License-Identifier: Apache-2.0 */
/* Exact integer sums from the matrix kernels, rescaled in binary64 and accepted where the rounding
 * is certain. */
#include "oracles/ops/dot_general/quantized/by_integers.h"

#include <math.h>
#include <string.h>

#include "oracles/exact/matmul/matmul.h"
#include "oracles/exact/quantum/quantum.h"
#include "oracles/exact/sum/simd.h"

/* q - z of all elements in f32, or in f64 where they may have more than 24 bits. */
typedef struct differences {
  bool is_f64;
  void *data;
} differences_t;

static differences_t make_differences(bool is_f64, size_t count, arena_t *arena) {
  size_t bytes = is_f64 ? sizeof(double) : sizeof(float);
  return (differences_t){.is_f64 = is_f64, .data = arena_alloc_array(arena, count, bytes)};
}

/* The zero point of an element, found without a division where all are alike. */
typedef struct zero_points {
  const type_t *type;
  bool are_alike;
  int64_t first;
} zero_points_t;

static zero_points_t zero_points_of(const type_t *type) {
  const quantization_t *quantization = type->quantization;
  zero_points_t zero_points = {.type = type, .are_alike = true};
  for (uint32_t i = 0; i < quantization->count; i++) {
    if (i == 0) zero_points.first = quantization->zero_points[0];
    zero_points.are_alike &= quantization->zero_points[i] == zero_points.first;
  }
  return zero_points;
}

static int64_t load_difference(const tensor_t *tensor, const zero_points_t *zero_points,
                               size_t index) {
  int64_t zero_point =
      zero_points->are_alike ? zero_points->first : quantum_of(zero_points->type, index).zero_point;
  return quantum_load(tensor, index) - zero_point;
}

#define LOAD_RUN(type)                                          \
  do {                                                          \
    for (size_t i = 0; i < count; i++) {                        \
      type stored;                                              \
      memcpy(&stored, data + i * sizeof stored, sizeof stored); \
      out[i] = (double)stored - zero_point;                     \
    }                                                           \
  } while (0)

/* Those of `count` elements from `first` on, which have one zero point; false if their storage is
 * not one of the usual types. */
static bool load_run(const tensor_t *tensor, int64_t whole_zero_point, size_t first, size_t count,
                     double *out) {
  const element_t *element = tensor->type.element;
  const unsigned char *data =
      (const unsigned char *)tensor->data + first * element->component_bytes;
  const double zero_point = (double)whole_zero_point;
  bool is_signed = element->kind == ELEMENT_SIGNED;
  switch (is_signed ? element->bits : -element->bits) {
    case 8:
      LOAD_RUN(int8_t);
      return true;
    case -8:
      LOAD_RUN(uint8_t);
      return true;
    case 16:
      LOAD_RUN(int16_t);
      return true;
    case -16:
      LOAD_RUN(uint16_t);
      return true;
    case 32:
      LOAD_RUN(int32_t);
      return true;
    default:
      return false;
  }
}

/* Of the elements at base + offsets[...], one after the other: numbers of at most 33 bits. */
static void load_row(const tensor_t *tensor, const zero_points_t *zero_points, size_t base,
                     const size_t *offsets, size_t count, double *out) {
  bool are_consecutive = count > 0;
  for (size_t i = 0; i < count; i++) are_consecutive &= offsets[i] == offsets[0] + i;
  if (are_consecutive && zero_points->are_alike &&
      load_run(tensor, zero_points->first, base + offsets[0], count, out)) {
    return;
  }
  for (size_t i = 0; i < count; i++) {
    out[i] = (double)load_difference(tensor, zero_points, base + offsets[i]);
  }
}

/* A case, with what does not change from batch to batch. */
typedef struct fast_integers {
  const case_t *instance;
  const dot_general_layout_t *layout;
  zero_points_t zero_points[2];
  bool is_f64;
} fast_integers_t;

/* `count` numbers from `first` on, which are in `row`. */
static void store_row(const differences_t *differences, size_t first, const double *row,
                      size_t count) {
  if (differences->is_f64) {
    memcpy((double *)differences->data + first, row, count * sizeof *row);
    return;
  }
  float *data = (float *)differences->data + first;
  for (size_t i = 0; i < count; i++) data[i] = (float)row[i];
}

/* Elements of an operand: `lines` of `count` each. */
typedef struct lines {
  uint32_t operand;
  size_t batch_offset;
  const size_t *line_offset, *offset;
  size_t lines, count;
} lines_t;

static differences_t gather(const fast_integers_t *fast, const lines_t *from, arena_t *arena) {
  const tensor_t *tensor = &fast->instance->operands[from->operand];
  differences_t differences = make_differences(fast->is_f64, from->lines * from->count, arena);
  double *numbers = ARENA_NEW_ARRAY(arena, double, from->count);
  for (size_t line = 0; line < from->lines; line++) {
    size_t base = from->batch_offset + from->line_offset[line];
    load_row(tensor, &fast->zero_points[from->operand], base, from->offset, from->count, numbers);
    store_row(&differences, line * from->count, numbers, from->count);
  }
  return differences;
}

/* Row by row. */
static differences_t gather_lhs(const fast_integers_t *fast, size_t batch, arena_t *arena) {
  const dot_general_layout_t *layout = fast->layout;
  const lines_t rows = {DOT_GENERAL_LHS,        layout->lhs_batch_offset[batch],
                        layout->lhs_row_offset, layout->lhs_term_offset,
                        layout->row_count,      layout->term_count};
  return gather(fast, &rows, arena);
}

/* Term by term. */
static differences_t gather_rhs(const fast_integers_t *fast, size_t batch, arena_t *arena) {
  const dot_general_layout_t *layout = fast->layout;
  const lines_t terms = {DOT_GENERAL_RHS,         layout->rhs_batch_offset[batch],
                         layout->rhs_term_offset, layout->rhs_column_offset,
                         layout->term_count,      layout->column_count};
  return gather(fast, &terms, arena);
}

/* Whether every scale is of a size that quotients and products of three of them cannot over- or
 * underflow in binary64, nor times a sum. */
static bool scales_are_usual(const type_t *type) {
  const quantization_t *quantization = type->quantization;
  bool all = true;
  for (uint32_t i = 0; i < quantization->count; i++) {
    all &= quantization->scales[i] >= 0x1p-250 && quantization->scales[i] <= 0x1p250;
  }
  return all;
}

/* The nearest integer to sum * multiplier + zero point, clamped, and whether that is certain: it
 * is farther than what the steps round (theory.md, T44) from a tie, or nobody knows. */
static int64_t rescale_fast(double sum, double multiplier, const quantum_t *result,
                            uint8_t *out_decide) {
  double product = sum * multiplier;
  double value = product + (double)result->zero_point;
  double error = fabs(product) * 0x1p-50 + fabs(value) * 0x1p-52;
  double clamped = fmin(fmax(value, (double)result->storage_min), (double)result->storage_max);
  double whole = (clamped + 0x1.8p52) - 0x1.8p52; /* Clamped to 32 bits: to nearest even. */
  bool is_certain =
      fabs(clamped - whole) + error < 0.5 || value - error > clamped || value + error < clamped;
  *out_decide = is_certain ? 0 : 1;
  return (int64_t)whole;
}

/* Scales of the columns of one batch, by number of column. */
static double *gather_rhs_scales(const fast_integers_t *fast, size_t batch, arena_t *arena) {
  const dot_general_layout_t *layout = fast->layout;
  const type_t *rhs = &fast->instance->program.operands[DOT_GENERAL_RHS];
  double *scales = ARENA_NEW_ARRAY(arena, double, layout->column_count);
  for (size_t column = 0; column < layout->column_count; column++) {
    size_t index = layout->rhs_batch_offset[batch] + layout->rhs_column_offset[column];
    scales[column] = layout->term_count == 0 ? 1 : quantum_of(rhs, index).scale;
  }
  return scales;
}

/* What the sums of one row are multiplied by, column by column. */
static void find_multipliers(const double *rhs_scales, size_t columns, double lhs_scale,
                             double result_scale, double *out) {
  for (size_t column = 0; column < columns; column++) {
    out[column] = lhs_scale * rhs_scales[column] / result_scale;
  }
}

/* `sums`: of the products of one batch. */
static void rescale_batch(const fast_integers_t *fast, size_t batch, const exact_matmul_t *sums,
                          arena_t *arena, uint64_t *bits, uint8_t *decide) {
  const dot_general_layout_t *layout = fast->layout;
  const type_t *lhs = &fast->instance->program.operands[DOT_GENERAL_LHS];
  const type_t *result = &fast->instance->program.results[0];
  const double *rhs_scales = gather_rhs_scales(fast, batch, arena);
  const size_t columns = layout->column_count;
  const uint64_t mask = element_mask(result->element);
  const bool is_by_axis = result->quantization->axis != -1;
  double *multipliers = ARENA_NEW_ARRAY(arena, double, columns), found_for = NAN;
  size_t i = batch * layout->row_count * columns;
  quantum_t quantum = quantum_of(result, i);
  for (size_t row = 0; row < layout->row_count; row++) {
    size_t first = layout->lhs_batch_offset[batch] + layout->lhs_row_offset[row];
    double lhs_scale = layout->term_count == 0 ? 1 : quantum_of(lhs, first).scale;
    if (!is_by_axis && found_for != lhs_scale) {
      find_multipliers(rhs_scales, columns, lhs_scale, quantum.scale, multipliers);
      found_for = lhs_scale;
    }
    for (size_t column = 0; column < columns; column++, i++) {
      size_t in_batch = row * columns + column;
      if (is_by_axis) {
        quantum = quantum_of(result, i);
        multipliers[column] = lhs_scale * rhs_scales[column] / quantum.scale;
      }
      bits[i] = (uint64_t)rescale_fast(sums->reference[in_batch], multipliers[column], &quantum,
                                       &decide[i]) &
                mask;
      decide[i] |= sums->uncertified[in_batch];
    }
  }
}

accept_t dot_by_integers_accept(const case_t *instance, const dot_general_layout_t *layout,
                                arena_t *arena) {
  const type_t *lhs = &instance->program.operands[DOT_GENERAL_LHS];
  const type_t *rhs = &instance->program.operands[DOT_GENERAL_RHS];
  const type_t *result = &instance->program.results[0];
  size_t matrix = layout->row_count * layout->column_count;
  size_t count = layout->batch_count * matrix;
  if (!scales_are_usual(lhs) || !scales_are_usual(rhs) || !scales_are_usual(result)) {
    return accept_decide_all(count, arena);
  }
  const fast_integers_t fast = {.instance = instance,
                                .layout = layout,
                                .zero_points = {zero_points_of(lhs), zero_points_of(rhs)},
                                .is_f64 = lhs->element->bits > 16 || rhs->element->bits > 16};
  uint64_t *bits = ARENA_NEW_ARRAY(arena, uint64_t, count);
  uint8_t *decide = arena_alloc(arena, count);
  for (size_t batch = 0; batch < layout->batch_count; batch++) {
    arena_mark_t mark = arena_mark(arena);
    differences_t left = gather_lhs(&fast, batch, arena);
    differences_t right = gather_rhs(&fast, batch, arena);
    exact_matmul_t matmul = {.m = layout->row_count,
                             .n = layout->column_count,
                             .k = layout->term_count,
                             .reference = ARENA_NEW_ARRAY(arena, double, matrix),
                             .magnitude = ARENA_NEW_ARRAY(arena, double, matrix),
                             .uncertified = arena_alloc(arena, matrix)};
    if (fast.is_f64) {
      exact_matmul_f64(&matmul, left.data, right.data, arena);
    } else {
      exact_matmul_f32(&matmul, left.data, right.data, arena);
    }
    rescale_batch(&fast, batch, &matmul, arena, bits, decide);
    arena_rewind(arena, mark);
  }
  return (accept_t){.count = count, .bits = bits, .decide = decide};
}
