/* SPDX-License-Identifier: Apache-2.0 */
/* Random reduces, whose kept and reduced sizes respect the limits on elements and terms. */
#include "harness/draw/draw.h"
#include "harness/types/promotion.h"
#include "oracles/ops/reduce/op/op.h"

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Draws the inputs' shape and which of its dimensions go, in any order. */
static type_t draw_input_shape(rng_t *rng, const draw_limits_t *limits,
                               dimension_list_t *out_reduced) {
  type_t shape = {.rank = 0};
  uint32_t rank_max = MIN(limits->rank_max, (uint32_t)TYPE_RANK_MAX);
  if (rank_max > 0 && !rng_one_in(rng, 24)) {
    int64_t rank = rng_between(rng, 1, rank_max);
    int64_t other = rng_between(rng, 1, rank_max);
    shape.rank = (uint32_t)MIN(rank, other);
  }
  dimension_list_t order = draw_permutation(rng, shape.rank);
  dimension_list_t reduced = {.count = 0};
  int64_t elements = 1;
  int64_t terms = 1;
  for (uint32_t i = 0; i < order.count; i++) {
    bool is_reduced = rng_one_in(rng, 2);
    int64_t largest = limits->elements_max / elements;
    if (is_reduced) largest = MIN(largest, limits->terms_max / terms);
    int64_t size = is_reduced ? draw_term_count(rng, limits->sizes, largest)
                              : draw_size(rng, limits->sizes, largest);
    shape.dims[order.dims[i]] = size;
    elements *= MAX(size, 1);
    if (!is_reduced) continue;
    terms *= MAX(size, 1);
    dimension_list_append(&reduced, order.dims[i]);
  }
  *out_reduced = reduced;
  return shape;
}

/* All inputs have one shape, and so have all results. */
static void set_types(const reduction_types_t *types, type_t shape, type_t result_shape,
                      arena_t *arena, program_t *program) {
  for (uint32_t i = 0; i < types->count; i++) {
    const scalar_type_t *input = &types->inputs[i];
    program->operands[i] = scalar_type_tensor(input, shape.rank, shape.dims, arena);
    program->operands[types->count + i] = scalar_type_tensor(input, 0, NULL, arena);
    program->results[i] =
        scalar_type_tensor(&types->results[i], result_shape.rank, result_shape.dims, arena);
  }
}

static void draw_precision(rng_t *rng, reduce_attributes_t *attributes, uint32_t inputs) {
  attributes->precision.is_present = true;
  attributes->precision.count = inputs;
  for (uint32_t i = 0; i < inputs; i++) {
    attributes->precision.values[i] = (precision_t)rng_below(rng, PRECISION_COUNT);
  }
}

/* In the place of the body and the types that were drawn, with their shapes. */
static void draw_written_body(rng_t *rng, arena_t *arena, program_t *program) {
  reduce_attributes_t attributes = *reduce_attributes(program);
  attributes.reduction = (reduction_t){.body = REDUCE_WRITTEN};
  attributes.precision = (precision_list_t){0};
  const element_t *arguments[CASE_RESULTS_MAX];
  body_draw(rng, &attributes.reduction.written, arguments);
  reduction_types_t types = {.count = attributes.reduction.written.result_count};
  for (uint32_t i = 0; i < types.count; i++) {
    types.inputs[i] = types.accumulations[i] = types.results[i] = scalar_type_make(arguments[i]);
  }
  type_t shape = program->operands[0], result_shape = program->results[0];
  program->operand_count = 2 * types.count;
  program->result_count = types.count;
  if (rng_one_in(rng, 16)) draw_precision(rng, &attributes, types.count);
  reduce_attributes_t *kept = ARENA_NEW_ARRAY(arena, reduce_attributes_t, 1);
  *kept = attributes;
  program->attributes = kept;
  set_types(&types, shape, result_shape, arena, program);
}

void reduce_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program) {
  reduce_attributes_t *attributes = ARENA_NEW_ARRAY(arena, reduce_attributes_t, 1);
  *attributes = (reduce_attributes_t){0};
  reduction_types_t types;
  reduction_draw(rng, CASE_RESULTS_MAX, arena, &attributes->reduction, &types);
  type_t shape = draw_input_shape(rng, limits, &attributes->dimensions);
  *out_program = (program_t){.op = &reduce_op,
                             .attributes = attributes,
                             .operand_count = 2 * types.count,
                             .result_count = types.count};
  dimension_list_t kept = dimension_list_rest(shape.rank, &attributes->dimensions, NULL);
  int64_t result_dims[TYPE_RANK_MAX];
  for (uint32_t i = 0; i < kept.count; i++) result_dims[i] = shape.dims[kept.dims[i]];
  type_t result_shape = type_make(NULL, kept.count, result_dims);
  set_types(&types, shape, result_shape, arena, out_program);
  if (rng_one_in(rng, 64)) draw_precision(rng, attributes, types.count);
  rng_t apart = rng_apart(rng);
  if (rng_one_in(&apart, 64)) draw_written_body(&apart, arena, out_program);
}
