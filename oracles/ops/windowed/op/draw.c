/* SPDX-License-Identifier: Apache-2.0 */
/* Random windowed programs, whose windows are drawn dimension by dimension against limits on size,
 * count and total work, and edge data with ties, NaN and telling initial values. */
#include "harness/draw/draw.h"
#include "harness/draw/draw_quantization.h"
#include "harness/draw/special_values.h"
#include "oracles/ops/windowed/op/op.h"

/* ---- Shapes and windows ---------------------------------------------------------------------- */

enum { WORK_PER_ELEMENT = 4 };

static void append_window(const window_t *window, bool has_dilations,
                          windowed_attributes_t *attributes) {
  dimension_list_append(&attributes->window_dimensions, window->size);
  dimension_list_append(&attributes->window_strides, window->stride);
  if (has_dilations) {
    dimension_list_append(&attributes->base_dilations, window->base_dilation);
    dimension_list_append(&attributes->window_dilations, window->window_dilation);
  }
  uint32_t pair = attributes->padding.count++;
  attributes->padding.low[pair] = window->low;
  attributes->padding.high[pair] = window->high;
}

/* Draws windows and the shape over which they slide; returns the latter, without an element. */
static type_t draw_windows(rng_t *rng, const draw_limits_t *limits, bool has_dilations,
                           windowed_attributes_t *attributes) {
  type_t shape = {.rank = 0};
  uint32_t rank_max = MIN(limits->rank_max, (uint32_t)TYPE_RANK_MAX);
  uint32_t rank = 0;
  if (rank_max > 0 && !rng_one_in(rng, 24)) {
    rank = 1 + (uint32_t)MIN(rng_below(rng, rank_max), rng_below(rng, rank_max));
  }
  int64_t elements_left = limits->elements_max;
  window_limits_t left = {limits->terms_max, limits->elements_max,
                          limits->elements_max * WORK_PER_ELEMENT, limits->sizes};
  for (uint32_t dim = 0; dim < rank; dim++) {
    left.size = MIN(left.size, left.work);
    int64_t length = draw_size(rng, limits->sizes, elements_left);
    window_t window = window_draw(rng, length, &left, has_dilations);
    append_window(&window, has_dilations, attributes);
    shape.dims[shape.rank++] = length;
    int64_t windows = MAX(window_count(&window, length), 1);
    elements_left /= MAX(length, 1);
    left.size /= window.size;
    left.count /= windows;
    left.work /= window.size * windows;
  }
  return shape;
}

/* Gives operands and results their types: element types as named, and the shapes that the
 * attributes make of `shape`, that of operand 0; the latter has no window more than a tensor may
 * have. */
static void set_types(const reduction_types_t *types, type_t shape, arena_t *arena,
                      program_t *inout_program) {
  type_t counts = windowed_counts(windowed_attributes(inout_program), &shape);
  type_t *operands = inout_program->operands;
  type_t *results = inout_program->results;
  if (inout_program->op == &reduce_window_op) {
    for (uint32_t i = 0; i < types->count; i++) {
      const scalar_type_t *input = &types->inputs[i];
      operands[i] = scalar_type_tensor(input, shape.rank, shape.dims, arena);
      operands[types->count + i] = scalar_type_tensor(input, 0, NULL, arena);
      results[i] = scalar_type_tensor(&types->results[i], counts.rank, counts.dims, arena);
    }
    return;
  }
  const scalar_type_t *input = &types->inputs[0];
  operands[SELECT_OPERAND] = scalar_type_tensor(input, shape.rank, shape.dims, arena);
  operands[SELECT_SOURCE] = scalar_type_tensor(input, counts.rank, counts.dims, arena);
  operands[SELECT_INIT] = scalar_type_tensor(input, 0, NULL, arena);
  results[0] = scalar_type_tensor(&types->results[0], shape.rank, shape.dims, arena);
}

/* A body that is written out, in the place of the one that was drawn, and its types. */
static void draw_written_body(rng_t *rng, uint32_t inputs_max, reduction_t *out_reduction,
                              reduction_types_t *out_types) {
  const element_t *arguments[CASE_RESULTS_MAX];
  *out_reduction = (reduction_t){.body = REDUCE_WRITTEN};
  do {
    body_draw(rng, &out_reduction->written, arguments);
  } while (out_reduction->written.result_count > inputs_max);
  *out_types = (reduction_types_t){.count = out_reduction->written.result_count};
  for (uint32_t i = 0; i < out_types->count; i++) {
    out_types->inputs[i] = out_types->accumulations[i] = out_types->results[i] =
        scalar_type_make(arguments[i]);
  }
}

void reduce_window_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                        program_t *out_program) {
  windowed_attributes_t *attributes = ARENA_NEW_ARRAY(arena, windowed_attributes_t, 1);
  *attributes = (windowed_attributes_t){0};
  reduction_types_t types;
  reduction_draw(rng, CASE_RESULTS_MAX, arena, &attributes->reduction, &types);
  type_t shape = draw_windows(rng, limits, true, attributes);
  rng_t apart = rng_apart(rng);
  if (rng_one_in(&apart, 64)) {
    draw_written_body(&apart, CASE_RESULTS_MAX, &attributes->reduction, &types);
  }
  *out_program = (program_t){.op = &reduce_window_op,
                             .attributes = attributes,
                             .operand_count = 2 * types.count,
                             .result_count = types.count};
  set_types(&types, shape, arena, out_program);
}

void select_and_scatter_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                             program_t *out_program) {
  windowed_attributes_t *attributes = ARENA_NEW_ARRAY(arena, windowed_attributes_t, 1);
  reduction_types_t types;
  do {
    *attributes = (windowed_attributes_t){.select = WINDOWED_SELECT_GE};
    reduction_draw(rng, 1, arena, &attributes->reduction, &types);
  } while (types.inputs[0].element->kind == ELEMENT_COMPLEX);
  if (rng_one_in(rng, 2)) {
    attributes->select = (windowed_select_t)rng_below(rng, WINDOWED_SELECT_COUNT);
  }
  type_t shape = draw_windows(rng, limits, false, attributes);
  rng_t apart = rng_apart(rng);
  if (rng_one_in(&apart, 64)) draw_written_body(&apart, 1, &attributes->reduction, &types);
  *out_program = (program_t){.op = &select_and_scatter_op,
                             .attributes = attributes,
                             .operand_count = 3,
                             .result_count = 1};
  set_types(&types, shape, arena, out_program);
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* Fills a tensor with small integers: `base` and up to `span` more, each at random. */
static void fill_small(rng_t *rng, int base, uint64_t span, tensor_t *tensor) {
  if (tensor->type.quantization != NULL) {
    draw_stored(rng, tensor);
    return;
  }
  const element_t *element = tensor->type.element;
  for (size_t i = 0; i < type_component_count(&tensor->type); i++) {
    int value = base + (int)rng_below(rng, span + 1);
    element_store(element, tensor->data, i, special_value_integer(element, value));
  }
}

/* Replaces one component in `odds`, or none, by a NaN or an infinity. */
static void sprinkle(rng_t *rng, uint64_t odds, tensor_t *tensor) {
  const element_t *element = tensor->type.element;
  if (element->format == NULL) return;
  for (size_t i = 0; i < type_component_count(&tensor->type); i++) {
    if (!rng_one_in(rng, odds)) continue;
    uint64_t bits =
        rng_one_in(rng, 2) ? special_value_nan(rng, element) : special_value_infinity(rng, element);
    element_store(element, tensor->data, i, bits);
  }
}

/* An initial value that shows how often it enters, and padding that is none. */
void reduce_window_draw_edges(rng_t *rng, case_t *inout_case) {
  uint32_t inputs = inout_case->program.result_count;
  for (uint32_t i = 0; i < 2 * inputs; i++) {
    fill_small(rng, i < inputs ? -4 : 1, i < inputs ? 8 : 2, &inout_case->operands[i]);
  }
  if (rng_one_in(rng, 4)) sprinkle(rng, 8, &inout_case->operands[0]);
}

/* Ties and NaN where an element is selected, and a source that shows what came together. */
void select_and_scatter_draw_edges(rng_t *rng, case_t *inout_case) {
  const program_t *program = &inout_case->program;
  bool is_negative = rng_one_in(rng, 3);
  fill_small(rng, is_negative ? -3 : 0, 2, &inout_case->operands[SELECT_OPERAND]);
  if (rng_one_in(rng, 2)) sprinkle(rng, 6, &inout_case->operands[SELECT_OPERAND]);
  fill_small(rng, 1, 15, &inout_case->operands[SELECT_SOURCE]);
  tensor_t *init = &inout_case->operands[SELECT_INIT];
  fill_small(rng, 1, 2, init);
  if (rng_one_in(rng, 3)) return;
  uint64_t neutral = program->op->neutral_bits(program, SELECT_INIT);
  element_store(init->type.element, init->data, 0, neutral);
}
