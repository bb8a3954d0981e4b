/* Small changes to cases, for search: values often, programs seldom. */
#include "harness/gen/gen.h"
#include "harness/gen/regime.h"
#include "harness/model/corner.h"

/* ---- One component --------------------------------------------------------------------------- */

/* A component of an operand, to be changed. */
typedef struct edit {
  const case_t *instance;
  const tensor_t *tensor;
  size_t count; /* Components of the tensor; at least 1. */
  size_t index;
} edit_t;

static uint64_t bits_of(const edit_t *edit) {
  return element_load(edit->tensor->type.element, edit->tensor->data, edit->index);
}

static uint64_t other_bits(rng_t *rng, const edit_t *edit) {
  size_t index = rng_below(rng, edit->count);
  return element_load(edit->tensor->type.element, edit->tensor->data, index);
}

static uint64_t edit_neighbour(rng_t *rng, const edit_t *edit) {
  const element_t *element = edit->tensor->type.element;
  const format_t *format = element->format;
  uint64_t bits = bits_of(edit);
  bool up = rng_one_in(rng, 2);
  if (format == NULL) return (up ? bits + 1 : bits - 1) & element_mask(element);
  if (format_is_nan(format, bits)) return corner_any(rng, element);
  return up ? format_next_up(format, bits) : format_next_down(format, bits);
}

static uint64_t edit_sign(rng_t *rng, const edit_t *edit) {
  (void)rng;
  return corner_negated(edit->tensor->type.element, bits_of(edit));
}

static uint64_t edit_corner(rng_t *rng, const edit_t *edit) {
  return corner_any(rng, edit->tensor->type.element);
}

static uint64_t edit_special(rng_t *rng, const edit_t *edit) {
  return corner_special(rng, edit->tensor->type.element);
}

static uint64_t edit_copy(rng_t *rng, const edit_t *edit) { return other_bits(rng, edit); }

static uint64_t edit_bit(rng_t *rng, const edit_t *edit) {
  return bits_of(edit) ^ UINT64_C(1) << rng_below(rng, edit->tensor->type.element->bits);
}

/* Multiplies by a power of two, often a small one. */
static uint64_t edit_exponent(rng_t *rng, const edit_t *edit) {
  const element_t *element = edit->tensor->type.element;
  int64_t reach = rng_one_in(rng, 2) ? 1 : element->bits;
  int exponent = (int)rng_between(rng, -reach, reach);
  uint64_t bits = bits_of(edit);
  if (element->format == NULL) {
    int shift = exponent & (element->bits - 1);
    return bits << shift & element_mask(element);
  }
  number_t number = format_decode(element->format, bits);
  if (number.kind != NUMBER_FINITE) return corner_number(element, false, 1, exponent);
  return corner_number(element, number.negative, number.significand, number.exponent + exponent);
}

/* Half a unit in the last place of another component, as the result's type counts it: added to that
 * one, it makes a tie.  Sometimes just beside it. */
static uint64_t edit_tie(rng_t *rng, const edit_t *edit) {
  const element_t *element = edit->tensor->type.element;
  const format_t *result_format = edit->instance->program.results[0].element->format;
  uint64_t other = other_bits(rng, edit);
  if (element->format == NULL) return corner_negated(element, other);
  number_t number = format_decode(element->format, other);
  if (number.kind != NUMBER_FINITE) return other;
  const format_t *format = result_format == NULL ? element->format : result_format;
  int binade = number.exponent + 63 - __builtin_clzll(number.significand);
  bool negative = rng_one_in(rng, 2);
  uint64_t half = corner_number(element, negative, 1, format_ulp_exponent(format, binade) - 1);
  switch (rng_below(rng, 4)) {
    case 0:
      return format_next_up(element->format, half);
    case 1:
      return format_next_down(element->format, half);
    default:
      return half;
  }
}

typedef uint64_t edit_component_t(rng_t *rng, const edit_t *edit);

static edit_component_t *const component_edits[] = {
    edit_neighbour, edit_sign, edit_corner,   edit_special,
    edit_copy,      edit_bit,  edit_exponent, edit_tie,
};

/* A random operand with elements, or NULL. */
static tensor_t *draw_operand(rng_t *rng, case_t *instance) {
  uint32_t count = instance->program.operand_count;
  uint32_t first = count == 0 ? 0 : (uint32_t)rng_below(rng, count);
  for (uint32_t i = 0; i < count; i++) {
    tensor_t *tensor = &instance->operands[(first + i) % count];
    if (type_component_count(&tensor->type) > 0) return tensor;
  }
  return NULL;
}

static void mutate_component(rng_t *rng, case_t *instance) {
  tensor_t *tensor = draw_operand(rng, instance);
  if (tensor == NULL) return;
  size_t count = type_component_count(&tensor->type);
  edit_t edit = {
      .instance = instance, .tensor = tensor, .count = count, .index = rng_below(rng, count)};
  edit_component_t *apply = component_edits[rng_below(rng, G_N_ELEMENTS(component_edits))];
  element_store(tensor->type.element, tensor->data, edit.index, apply(rng, &edit));
}

/* ---- All data -------------------------------------------------------------------------------- */

/* Makes what the case holds cancel along the reduced dimensions. */
static void mutate_cancellation(rng_t *rng, case_t *instance) {
  const program_t *program = &instance->program;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    regime_operand_t operand = regime_operand_make(instance, i);
    if (operand.reduced_dimensions != 0) mirror_operand(rng, &operand, i == 0);
  }
}

/* Fills the operands of `instance` with values of `source`, repeated as often as needed, where the
 * element types agree. */
static void tile_data(const case_t *source, case_t *instance) {
  uint32_t count = MIN(source->program.operand_count, instance->program.operand_count);
  for (uint32_t i = 0; i < count; i++) {
    const tensor_t *from = &source->operands[i];
    tensor_t *to = &instance->operands[i];
    size_t from_count = type_component_count(&from->type);
    size_t to_count = type_component_count(&to->type);
    if (from->type.element != to->type.element || from_count == 0) continue;
    for (size_t c = 0; c < to_count; c++) {
      uint64_t bits = element_load(from->type.element, from->data, c % from_count);
      element_store(to->type.element, to->data, c, bits);
    }
  }
}

/* ---- The program ----------------------------------------------------------------------------- */

static int likeness_of_types(const type_t *a, const type_t *b) {
  int likeness = 2 * (a->element == b->element) + (a->rank == b->rank);
  for (uint32_t i = 0; i < MIN(a->rank, b->rank); i++) likeness += a->dims[i] == b->dims[i];
  return likeness;
}

static bool is_same_program(const program_t *a, const program_t *b) {
  hash_text_t hash_a = program_hash(a);
  hash_text_t hash_b = program_hash(b);
  return strcmp(hash_a.text, hash_b.text) == 0;
}

/* How much two programs of one op have in common; 0 if they are the same. */
static int likeness(const program_t *a, const program_t *b) {
  if (is_same_program(a, b)) return 0;
  int likeness = 1;
  for (uint32_t i = 0; i < MIN(a->operand_count, b->operand_count); i++) {
    likeness += likeness_of_types(&a->operands[i], &b->operands[i]);
  }
  for (uint32_t i = 0; i < MIN(a->result_count, b->result_count); i++) {
    likeness += likeness_of_types(&a->results[i], &b->results[i]);
  }
  return likeness;
}

/* Of several programs drawn, takes the one most like the present: a size, a dimension, a type or an
 * attribute differs, and most of the rest stays. */
static void mutate_program(rng_t *rng, const gen_options_t *options, arena_t *arena,
                           case_t *inout_case) {
  enum { DRAWS = 12 };
  gen_options_t valid_only = *options;
  valid_only.invalid_one_in = 0;
  program_t best = inout_case->program;
  int best_likeness = -1;
  for (int i = 0; i < DRAWS; i++) {
    program_t program;
    const char *broken;
    gen_program(rng, inout_case->program.op, &valid_only, arena, &program, &broken);
    int present = likeness(&program, &inout_case->program);
    if (present <= best_likeness) continue;
    best = program;
    best_likeness = present;
  }
  case_t changed = case_make(arena, &best);
  gen_data(rng, &changed);
  if (rng_one_in(rng, 2)) tile_data(inout_case, &changed);
  *inout_case = changed;
}

void gen_mutate(rng_t *rng, const gen_options_t *options, arena_t *arena, case_t *inout_case) {
  const program_t *program = &inout_case->program;
  uint64_t choice = rng_below(rng, 16);
  if (choice == 0 || program->op->validate(program) != NULL) {
    mutate_program(rng, options, arena, inout_case);
  } else if (choice == 1) {
    gen_data(rng, inout_case);
  } else if (choice == 2) {
    mutate_cancellation(rng, inout_case);
  } else {
    for (uint64_t edits = 1 + rng_below(rng, 4); edits > 0; edits--) {
      mutate_component(rng, inout_case);
    }
  }
  gen_settle(rng, inout_case);
}

/* ---- Two cases ------------------------------------------------------------------------------- */

/* Takes all components of `b` or a random run of them, at the same places as far as it has them. */
static void cross_operand(rng_t *rng, const tensor_t *b, tensor_t *inout_tensor) {
  const element_t *element = inout_tensor->type.element;
  size_t count = MIN(type_component_count(&b->type), type_component_count(&inout_tensor->type));
  if (b->type.element != element || count == 0) return;
  bool take_all = rng_one_in(rng, 2);
  size_t begin = take_all ? 0 : rng_below(rng, count);
  size_t end = take_all ? count : begin + 1 + rng_below(rng, count - begin);
  memcpy(inout_tensor->data + begin * element->component_bytes,
         b->data + begin * element->component_bytes, (end - begin) * element->component_bytes);
}

case_t gen_cross(rng_t *rng, arena_t *arena, const case_t *a, const case_t *b) {
  case_t child = case_copy(arena, a);
  uint32_t count = MIN(a->program.operand_count, b->program.operand_count);
  for (uint32_t i = 0; i < count; i++) {
    if (!rng_one_in(rng, 3)) cross_operand(rng, &b->operands[i], &child.operands[i]);
  }
  gen_settle(rng, &child);
  return child;
}
