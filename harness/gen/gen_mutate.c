/* SPDX-License-Identifier: Apache-2.0 */
/* Small changes to cases, for search: values often, programs seldom. */
#include "harness/gen/gen.h"
#include "harness/gen/regime.h"
#include "harness/model/dynamic/dynamic.h"

/* ---- One component --------------------------------------------------------------------------- */

static void mutate_component(rng_t *rng, case_t *instance) {
  gen_place_t place;
  if (!gen_draw_place(rng, instance, &place)) return;
  gen_edit(rng, (gen_edit_t)rng_below(rng, GEN_EDIT_COUNT), &place, instance);
}

/* ---- All data -------------------------------------------------------------------------------- */

void gen_cancel(rng_t *rng, case_t *inout_case) {
  const program_t *program = &inout_case->program;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    regime_operand_t operand = regime_operand_make(inout_case, i);
    if (operand.reduced_dimensions != 0) mirror_operand(rng, &operand, i == 0);
  }
}

void gen_tile(const case_t *source, case_t *inout_case) {
  uint32_t count = MIN(source->program.operand_count, inout_case->program.operand_count);
  for (uint32_t i = 0; i < count; i++) {
    const tensor_t *from = &source->operands[i];
    tensor_t *to = &inout_case->operands[i];
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
  if (rng_one_in(rng, 2)) gen_tile(inout_case, &changed);
  *inout_case = changed;
}

void gen_mutate(rng_t *rng, const gen_options_t *options, arena_t *arena, case_t *inout_case) {
  const program_t *program = &inout_case->program;
  dynamic_clear(&inout_case->program); /* Edits change what runs along which dimension. */
  uint64_t choice = rng_below(rng, 16);
  if (choice == 0 || program_broken(program) != NULL) {
    mutate_program(rng, options, arena, inout_case);
  } else if (choice == 1) {
    gen_data(rng, inout_case);
  } else if (choice == 2) {
    gen_cancel(rng, inout_case);
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
