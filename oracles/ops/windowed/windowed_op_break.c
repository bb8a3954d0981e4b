#include "harness/model/draw.h"
#include "harness/model/promotion.h"
#include "oracles/ops/windowed/windowed_op.h"

typedef struct broken {
  rng_t *rng;
  program_t *program;
  windowed_attributes_t *attributes; /* The program's own. */
  uint32_t inputs;                   /* 1 of a select_and_scatter. */
} broken_t;

typedef bool breaker_t(broken_t *broken);

/* ---- Lists ----------------------------------------------------------------------------------- */

/* One entry more or less. */
static bool break_size(broken_t *broken, dimension_list_t *list) {
  bool grow = list->count == 0 || (list->count < TYPE_RANK_MAX && rng_one_in(broken->rng, 2));
  if (grow) {
    dimension_list_append(list, 1);
  } else {
    list->count--;
  }
  return true;
}

static bool break_sign(broken_t *broken, dimension_list_t *list) {
  if (list->count == 0) return false;
  list->dims[rng_below(broken->rng, list->count)] = -(int64_t)rng_below(broken->rng, 3);
  return true;
}

#define LIST_BREAKERS(list)                               \
  static bool break_size_of_##list(broken_t *broken) {    \
    return break_size(broken, &broken->attributes->list); \
  }                                                       \
  static bool break_sign_of_##list(broken_t *broken) {    \
    return break_sign(broken, &broken->attributes->list); \
  }

LIST_BREAKERS(window_dimensions)
LIST_BREAKERS(window_strides)
LIST_BREAKERS(base_dilations)
LIST_BREAKERS(window_dilations)

static bool break_padding(broken_t *broken) {
  padding_list_t *padding = &broken->attributes->padding;
  bool grow = padding->count == 0 || (padding->count < TYPE_RANK_MAX && rng_one_in(broken->rng, 2));
  if (grow) {
    padding->low[padding->count] = padding->high[padding->count] = 0;
    padding->count++;
  } else {
    padding->count--;
  }
  return true;
}

/* ---- Types and shapes ------------------------------------------------------------------------ */

static bool differs(const element_t *element, const void *other) { return element != other; }

/* Another element type, and no quantization. */
static bool change_element(broken_t *broken, type_t *type) {
  type->element = draw_element(broken->rng, differs, type->element);
  type->quantization = NULL;
  return true;
}

static bool break_counts(broken_t *broken) {
  program_t *program = broken->program;
  if (rng_one_in(broken->rng, 2)) {
    program->operand_count--;
  } else if (rng_one_in(broken->rng, 2)) {
    program->operands[program->operand_count] = program->operands[program->operand_count - 1];
    program->operand_count++;
  } else {
    program->results[program->result_count] = program->results[program->result_count - 1];
    program->result_count++;
  }
  return true;
}

static bool break_input_shapes(broken_t *broken) {
  if (broken->inputs < 2) return false;
  draw_other_shape(broken->rng, &broken->program->operands[1]);
  return true;
}

static bool break_init_element(broken_t *broken) {
  uint32_t inits = broken->program->operand_count - broken->inputs;
  uint32_t operand = inits + (uint32_t)rng_below(broken->rng, broken->inputs);
  return change_element(broken, &broken->program->operands[operand]);
}

static bool break_source_element(broken_t *broken) {
  return change_element(broken, &broken->program->operands[SELECT_SOURCE]);
}

static bool break_source_shape(broken_t *broken) {
  draw_other_shape(broken->rng, &broken->program->operands[SELECT_SOURCE]);
  return true;
}

/* No conversion leads to booleans or from them; nor does another number of inputs fit the body. */
static bool break_body(broken_t *broken) {
  type_t *result = &broken->program->results[rng_below(broken->rng, broken->inputs)];
  reduction_t *reduction = &broken->attributes->reduction;
  reduction->accumulation_count = 0;
  if (rng_one_in(broken->rng, 4)) {
    reduction->body = broken->inputs == 1 ? REDUCE_sum_count : REDUCE_add;
    return true;
  }
  bool is_boolean = result->element->kind == ELEMENT_BOOLEAN;
  result->element = element_named(is_boolean ? "i8" : "i1");
  result->quantization = NULL;
  return true;
}

static bool is_wider(const element_t *element, const void *context) {
  const element_t *from = context;
  return element != from && from->kind != ELEMENT_COMPLEX && element_is_promotable(from, element);
}

/* The body returns what it was given, and the result is wider. */
static bool break_result_element(broken_t *broken) {
  if (broken->inputs != 1) return false;
  reduction_types_t types = windowed_types(broken->program);
  type_t *result = &broken->program->results[0];
  const element_t *wider = draw_element(broken->rng, is_wider, types.inputs[0].element);
  if (wider == NULL || types.inputs[0].expressed != NULL) return false;
  result->element = wider;
  broken->attributes->reduction.accumulation_count = 1;
  broken->attributes->reduction.accumulation[0] = types.inputs[0];
  return true;
}

static bool break_equal_results(broken_t *broken) {
  if (broken->inputs < 2) return false;
  draw_other_shape(broken->rng, &broken->program->results[1]);
  return true;
}

static bool break_result_shape(broken_t *broken) {
  program_t *program = broken->program;
  draw_other_shape(broken->rng, &program->results[0]);
  for (uint32_t i = 1; i < broken->inputs; i++) {
    program->results[i].rank = program->results[0].rank;
    memcpy(program->results[i].dims, program->results[0].dims, sizeof program->results[0].dims);
  }
  return true;
}

static bool break_types(broken_t *broken) {
  uint32_t inits = broken->program->operand_count - broken->inputs;
  uint32_t operand = inits + (uint32_t)rng_below(broken->rng, broken->inputs);
  draw_other_shape(broken->rng, &broken->program->operands[operand]);
  return true;
}

/* ---- The rows -------------------------------------------------------------------------------- */

typedef struct breaker_row {
  const char *id;
  breaker_t *apply;
} breaker_row_t;

static const breaker_row_t reduce_window_breakers[] = {
    {"C1", break_counts},
    {"C2", break_input_shapes},
    {"C3", break_init_element},
    {"C4", break_size_of_window_dimensions},
    {"C5", break_sign_of_window_dimensions},
    {"C6", break_size_of_window_strides},
    {"C7", break_sign_of_window_strides},
    {"C8", break_size_of_base_dilations},
    {"C9", break_sign_of_base_dilations},
    {"C10", break_size_of_window_dilations},
    {"C11", break_sign_of_window_dilations},
    {"C12", break_padding},
    {"C13", break_body},
    {"C14", break_equal_results},
    {"C15", break_result_shape},
    {"C16", break_result_element},
    {"types", break_types},
    {NULL, NULL},
};

/* C9 cannot be broken: a case gives select no type but the operand's. */
static const breaker_row_t select_breakers[] = {
    {"C1", break_source_element},
    {"C2", break_source_shape},
    {"C3", break_init_element},
    {"C4", break_size_of_window_dimensions},
    {"C5", break_sign_of_window_dimensions},
    {"C6", break_size_of_window_strides},
    {"C7", break_sign_of_window_strides},
    {"C8", break_padding},
    {"C10", break_body},
    {"C11", break_result_shape},
    {"C12", break_result_element},
    {"types", break_types},
    {NULL, NULL},
};

static bool break_by(const breaker_row_t *rows, rng_t *rng, const char *id, uint32_t inputs,
                     arena_t *arena, program_t *program) {
  windowed_attributes_t *attributes = ARENA_NEW_ARRAY(arena, windowed_attributes_t, 1);
  *attributes = *windowed_attributes(program);
  program->attributes = attributes;
  broken_t broken = {rng, program, attributes, inputs};
  for (const breaker_row_t *row = rows; row->id != NULL; row++) {
    if (strcmp(row->id, id) == 0) return row->apply(&broken) && program_obeys_bounds(program);
  }
  reduction_types_t types = windowed_types(program);
  if (!reduction_break(rng, id, &types, &attributes->reduction)) return false;
  windowed_set_types(&types, program->operands[0], arena, program);
  return program_obeys_bounds(program);
}

bool reduce_window_break(rng_t *rng, const char *id, arena_t *arena, program_t *inout_program) {
  uint32_t inputs = inout_program->result_count;
  return break_by(reduce_window_breakers, rng, id, inputs, arena, inout_program);
}

bool select_and_scatter_break(rng_t *rng, const char *id, arena_t *arena,
                              program_t *inout_program) {
  if (strcmp(id, "C9") == 0) return false;
  return break_by(select_breakers, rng, id, 1, arena, inout_program);
}
