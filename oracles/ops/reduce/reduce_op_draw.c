#include "harness/model/draw.h"
#include "harness/model/promotion.h"
#include "oracles/ops/reduce/reduce_op.h"

/* ---- Drawing ------------------------------------------------------------------------------- */

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
    int64_t size = draw_size(rng, largest);
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
}

/* ---- Breaking constraints -------------------------------------------------------------------- */

typedef bool breaker_t(rng_t *rng, program_t *program, reduce_attributes_t *attributes);

static uint32_t draw_input(rng_t *rng, const program_t *program) {
  return (uint32_t)rng_below(rng, reduce_input_count(program));
}

static bool break_equal_shapes(rng_t *rng, program_t *program, reduce_attributes_t *attributes) {
  (void)attributes;
  if (reduce_input_count(program) < 2) return false;
  draw_other_shape(rng, &program->operands[draw_input(rng, program)]);
  return true;
}

static bool differs(const element_t *element, const void *other) { return element != other; }

static bool break_init_types(rng_t *rng, program_t *program, reduce_attributes_t *attributes) {
  (void)attributes;
  uint32_t operand = reduce_init_operand(program, draw_input(rng, program));
  const element_t *present = program->operands[operand].element;
  program->operands[operand] = type_make(draw_element(rng, differs, present), 0, NULL);
  return true;
}

static bool break_counts(rng_t *rng, program_t *program, reduce_attributes_t *attributes) {
  (void)attributes;
  uint32_t operands = program->operand_count;
  uint32_t results = program->result_count;
  if (rng_one_in(rng, 2)) {
    program->operand_count--;
  } else if (rng_one_in(rng, 2) && operands < CASE_OPERANDS_MAX) {
    program->operands[operands] = program->operands[operands - 1];
    program->operand_count++;
  } else if (results > 1 && rng_one_in(rng, 2)) {
    program->result_count--;
  } else {
    program->results[results] = program->results[results - 1];
    program->result_count++;
  }
  return true;
}

static bool break_range(rng_t *rng, program_t *program, reduce_attributes_t *attributes) {
  dimension_list_t *list = &attributes->dimensions;
  int64_t rank = program->operands[0].rank;
  int64_t outside = rng_one_in(rng, 2) ? rank + (int64_t)rng_below(rng, 3) : -1;
  if (list->count == TYPE_RANK_MAX || (list->count > 0 && rng_one_in(rng, 2))) {
    list->dims[rng_below(rng, list->count)] = outside;
  } else {
    dimension_list_append(list, outside);
  }
  return true;
}

static bool break_uniqueness(rng_t *rng, program_t *program, reduce_attributes_t *attributes) {
  (void)program;
  dimension_list_t *list = &attributes->dimensions;
  if (list->count == 0 || list->count == TYPE_RANK_MAX) return false;
  dimension_list_append(list, list->dims[rng_below(rng, list->count)]);
  return true;
}

/* Narrower, and of the same class, if not boolean, which is in a class of its own. */
static bool is_narrower(const element_t *element, const void *context) {
  const element_t *other = context;
  if (element->kind == ELEMENT_BOOLEAN) return other->kind != ELEMENT_BOOLEAN;
  bool is_alike = element_is_integer(element)
                      ? element_is_integer(other)
                      : element->kind == ELEMENT_FLOAT && other->kind == ELEMENT_FLOAT;
  return is_alike && element->bits < other->bits;
}

static bool break_body(rng_t *rng, program_t *program, reduce_attributes_t *attributes) {
  uint32_t input = draw_input(rng, program);
  type_t *result = &program->results[input];
  const element_t *narrower = draw_element(rng, is_narrower, program->operands[input].element);
  attributes->reduction.accumulation_count = 0;
  if (narrower == NULL || result->quantization != NULL || rng_one_in(rng, 4)) {
    attributes->reduction.body = reduce_input_count(program) == 1 ? REDUCE_sum_count : REDUCE_add;
  } else {
    result->element = narrower;
  }
  return true;
}

static bool is_wider(const element_t *element, const void *context) {
  const element_t *from = context;
  return element != from && from->kind != ELEMENT_COMPLEX && element_is_promotable(from, element);
}

/* The body returns what it was given, and the result is wider. */
static bool break_body_result(rng_t *rng, program_t *program, reduce_attributes_t *attributes) {
  if (reduce_input_count(program) != 1) return false;
  type_t *result = &program->results[0];
  const element_t *wider = draw_element(rng, is_wider, program->operands[0].element);
  if (wider == NULL || result->quantization != NULL) return false;
  result->element = wider;
  attributes->reduction.accumulation_count = 1;
  attributes->reduction.accumulation[0] = scalar_type_of(&program->operands[0]);
  return true;
}

static bool break_result_shape(rng_t *rng, program_t *program, reduce_attributes_t *attributes) {
  (void)attributes;
  draw_other_shape(rng, &program->results[draw_input(rng, program)]);
  return true;
}

static bool break_types(rng_t *rng, program_t *program, reduce_attributes_t *attributes) {
  (void)attributes;
  uint32_t operand = reduce_init_operand(program, draw_input(rng, program));
  draw_other_shape(rng, &program->operands[operand]);
  return true;
}

bool reduce_break_constraint(rng_t *rng, const char *id, arena_t *arena, program_t *inout_program) {
  static const struct {
    const char *id;
    breaker_t *apply;
  } breakers[] = {
      {"C1", break_equal_shapes}, {"C2", break_init_types},  {"C3", break_counts},
      {"C4", break_range},        {"C5", break_uniqueness},  {"C6", break_body},
      {"C7", break_result_shape}, {"C8", break_body_result}, {"types", break_types},
  };
  reduce_attributes_t *attributes = ARENA_NEW_ARRAY(arena, reduce_attributes_t, 1);
  *attributes = *reduce_attributes(inout_program);
  inout_program->attributes = attributes;
  for (size_t i = 0; i < G_N_ELEMENTS(breakers); i++) {
    if (strcmp(breakers[i].id, id) == 0) {
      return breakers[i].apply(rng, inout_program, attributes) &&
             program_obeys_bounds(inout_program);
    }
  }
  reduction_types_t types = reduce_types(inout_program);
  if (!reduction_break(rng, id, &types, &attributes->reduction)) return false;
  set_types(&types, inout_program->operands[0], inout_program->results[0], arena, inout_program);
  return program_obeys_bounds(inout_program);
}
