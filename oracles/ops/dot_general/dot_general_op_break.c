#include <stddef.h>
#include <string.h>

#include "harness/model/draw.h"
#include "harness/model/promotion.h"
#include "oracles/ops/dot_general/dot_general_op.h"

/* One operand's side of a program under change. */
typedef struct side {
  type_t *type;
  dimension_list_t *batching;
  dimension_list_t *contracting;
} side_t;

typedef struct breakage {
  rng_t *rng;
  arena_t *arena;
  program_t *program;
  dot_general_attributes_t *attributes;
  side_t lhs;
  side_t rhs;
} breakage_t;

static int64_t draw_entry(rng_t *rng, const dimension_list_t *list) {
  return list->dims[rng_below(rng, list->count)];
}

/* Makes one of two lists longer or shorter by one entry. */
static bool break_counts(rng_t *rng, dimension_list_t *lhs, dimension_list_t *rhs) {
  dimension_list_t *list = rng_one_in(rng, 2) ? lhs : rhs;
  if (list->count > 0 && rng_one_in(rng, 2)) {
    list->count--;
  } else {
    if (list->count == TYPE_RANK_MAX) return false;
    dimension_list_append(list, rng_between(rng, 0, TYPE_RANK_MAX));
  }
  return true;
}

static bool break_c1(breakage_t *b) {
  return break_counts(b->rng, b->lhs.batching, b->rhs.batching);
}

static bool break_c2(breakage_t *b) {
  return break_counts(b->rng, b->lhs.contracting, b->rhs.contracting);
}

/* The entry `index` of both lists, one after the other. */
static int64_t *entry_of(const side_t *side, uint32_t index) {
  if (index < side->batching->count) return &side->batching->dims[index];
  return &side->contracting->dims[index - side->batching->count];
}

static bool break_uniqueness(rng_t *rng, const side_t *side) {
  uint32_t count = side->batching->count + side->contracting->count;
  if (count < 2) return false;
  uint32_t from = (uint32_t)rng_below(rng, count);
  uint32_t to = (from + 1 + (uint32_t)rng_below(rng, count - 1)) % count;
  *entry_of(side, to) = *entry_of(side, from);
  return true;
}

static bool break_c3(breakage_t *b) { return break_uniqueness(b->rng, &b->lhs); }
static bool break_c4(breakage_t *b) { return break_uniqueness(b->rng, &b->rhs); }

/* Puts an entry out of range into `list`.  If there is none to replace, both lists get a new one:
 * the other's is a dimension that is free, so that it breaks nothing earlier. */
static bool break_range(rng_t *rng, const side_t *side, dimension_list_t *list, const side_t *other,
                        dimension_list_t *other_list) {
  int64_t outside = rng_one_in(rng, 2) ? (int64_t)side->type->rank : -1;
  if (list->count > 0) {
    list->dims[rng_below(rng, list->count)] = outside;
    return true;
  }
  dimension_list_t free_dims =
      dimension_list_rest(other->type->rank, other->batching, other->contracting);
  if (free_dims.count == 0) return false;
  dimension_list_append(list, outside);
  dimension_list_append(other_list, draw_entry(rng, &free_dims));
  return true;
}

static bool break_c5(breakage_t *b) {
  return break_range(b->rng, &b->lhs, b->lhs.batching, &b->rhs, b->rhs.batching);
}

static bool break_c6(breakage_t *b) {
  return break_range(b->rng, &b->lhs, b->lhs.contracting, &b->rhs, b->rhs.contracting);
}

static bool break_c7(breakage_t *b) {
  return break_range(b->rng, &b->rhs, b->rhs.batching, &b->lhs, b->lhs.batching);
}

static bool break_c8(breakage_t *b) {
  return break_range(b->rng, &b->rhs, b->rhs.contracting, &b->lhs, b->lhs.contracting);
}

/* Makes one listed dimension of one operand larger or smaller. */
static bool break_sizes(rng_t *rng, const side_t *side, const dimension_list_t *list) {
  if (list->count == 0) return false;
  int64_t *size = &side->type->dims[draw_entry(rng, list)];
  *size += *size == 0 || rng_one_in(rng, 2) ? 1 : -1;
  return true;
}

static bool break_c9(breakage_t *b) {
  const side_t *side = rng_one_in(b->rng, 2) ? &b->lhs : &b->rhs;
  return break_sizes(b->rng, side, side->batching);
}

static bool break_c10(breakage_t *b) {
  const side_t *side = rng_one_in(b->rng, 2) ? &b->lhs : &b->rhs;
  return break_sizes(b->rng, side, side->contracting);
}

static bool break_c11(breakage_t *b) {
  static const uint32_t wrong_counts[] = {0, 1, 3};
  dot_general_attributes_t *attributes = b->attributes;
  attributes->has_precision = true;
  attributes->precision_count = wrong_counts[rng_below(b->rng, G_N_ELEMENTS(wrong_counts))];
  for (uint32_t i = 0; i < attributes->precision_count; i++) {
    attributes->precisions[i] = (dot_precision_t)rng_below(b->rng, DOT_PRECISION_COUNT);
  }
  return true;
}

static bool break_c12(breakage_t *b) {
  draw_other_shape(b->rng, &b->program->results[0]);
  return true;
}

static bool is_quantized(const program_t *program) {
  return program->operands[DOT_GENERAL_RHS].quantization != NULL;
}

/* Two 8-bit floats may differ where there is an algorithm. */
static bool differs(const element_t *element, const void *context) {
  const element_t *other = context;
  bool are_f8 =
      element->format != NULL && other->format != NULL && element->bits == 8 && other->bits == 8;
  return element != other && !are_f8;
}

static bool break_c13(breakage_t *b) {
  if (is_quantized(b->program)) return false;
  type_t *type = rng_one_in(b->rng, 2) ? b->lhs.type : b->rhs.type;
  type->element = draw_element(b->rng, differs, type->element);
  return true;
}

/* Makes one count of the algorithm, which is drawn if there is none, zero or negative. */
static bool break_count(breakage_t *b, size_t offset) {
  dot_general_attributes_t *attributes = b->attributes;
  if (!attributes->has_algorithm) {
    if (b->lhs.type->element->kind != ELEMENT_FLOAT) return false;
    attributes->has_algorithm = true;
    attributes->algorithm = dot_algorithm_draw(b->rng, b->lhs.type->element);
  }
  int64_t count = -(int64_t)rng_below(b->rng, 2);
  memcpy((char *)&attributes->algorithm + offset, &count, sizeof count);
  return true;
}

static bool break_c22(breakage_t *b) {
  return break_count(b, offsetof(dot_algorithm_attribute_t, lhs_component_count));
}

static bool break_c23(breakage_t *b) {
  return break_count(b, offsetof(dot_algorithm_attribute_t, rhs_component_count));
}

static bool break_c24(breakage_t *b) {
  return break_count(b, offsetof(dot_algorithm_attribute_t, primitive_count));
}

static bool break_arity(breakage_t *b) {
  program_t *program = b->program;
  switch (rng_below(b->rng, 3)) {
    case 0:
      program->operand_count = 1;
      break;
    case 1:
      program->operands[2] = program->operands[1];
      program->operand_count = 3;
      break;
    default:
      program->results[1] = program->results[0];
      program->result_count = 2;
  }
  return true;
}

static bool break_types(breakage_t *b) {
  return is_quantized(b->program) &&
         dot_general_break_quantization(b->rng, "types", b->arena, b->program);
}

bool dot_general_break_constraint(rng_t *rng, const char *id, arena_t *arena,
                                  program_t *inout_program) {
  static const struct {
    const char *id;
    bool (*apply)(breakage_t *b);
  } breakers[] = {
      {"C1", break_c1},       {"C2", break_c2},       {"C3", break_c3},   {"C4", break_c4},
      {"C5", break_c5},       {"C6", break_c6},       {"C7", break_c7},   {"C8", break_c8},
      {"C9", break_c9},       {"C10", break_c10},     {"C11", break_c11}, {"C12", break_c12},
      {"C13", break_c13},     {"C22", break_c22},     {"C23", break_c23}, {"C24", break_c24},
      {"arity", break_arity}, {"types", break_types},
  };
  dot_general_attributes_t *attributes = ARENA_NEW_ARRAY(arena, dot_general_attributes_t, 1);
  *attributes = *dot_general_attributes(inout_program);
  inout_program->attributes = attributes;
  breakage_t breakage = {
      .rng = rng,
      .arena = arena,
      .program = inout_program,
      .attributes = attributes,
      .lhs = {&inout_program->operands[DOT_GENERAL_LHS], &attributes->lhs_batching,
              &attributes->lhs_contracting},
      .rhs = {&inout_program->operands[DOT_GENERAL_RHS], &attributes->rhs_batching,
              &attributes->rhs_contracting},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(breakers); i++) {
    if (strcmp(breakers[i].id, id) == 0) {
      return breakers[i].apply(&breakage) && program_obeys_bounds(inout_program);
    }
  }
  attributes->has_algorithm = false; /* What those mean for quantized types nobody says. */
  return dot_general_break_quantization(rng, id, arena, inout_program) &&
         program_obeys_bounds(inout_program);
}
