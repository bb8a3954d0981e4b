/* SPDX-License-Identifier: Apache-2.0 */
/* Breaks constraints on purpose, of any op: a valid program is edited at random until the
 * first constraint that it breaks is the one that is wanted. */
#include <string.h>

#include "harness/draw/draw.h"
#include "harness/gen/gen.h"
#include "harness/gen/program_edit.h"

/* ---- What can be written down ---------------------------------------------------------------- */

static const char *print_line(const program_t *program, arena_t *arena) {
  g_autoptr(GString) text = g_string_new(NULL);
  program_print(program, text);
  return arena_copy_text(arena, text->str, text->len);
}

bool program_settle(program_t *inout_program, arena_t *arena, const char **out_line) {
  if (!program_obeys_bounds(inout_program)) return false;
  const char *line = print_line(inout_program, arena);
  const char *violation;
  if (program_parse(str_from(line), arena, inout_program, &violation, NULL) != STATUS_OK) {
    return false;
  }
  *out_line = line;
  return true;
}

static bool are_within(const type_t *types, uint32_t count, const draw_limits_t *limits) {
  for (uint32_t i = 0; i < count; i++) {
    if (types[i].rank > limits->rank_max) return false;
    if (type_element_count(&types[i]) > (size_t)limits->elements_max) return false;
  }
  return true;
}

static bool is_within(const program_t *program, const draw_limits_t *limits) {
  return program_obeys_bounds(program) &&
         are_within(program->operands, program->operand_count, limits) &&
         are_within(program->results, program->result_count, limits);
}

/* ---- Search ---------------------------------------------------------------------------------- */

static void edit(rng_t *rng, const program_t *donor, arena_t *arena, program_t *program) {
  if (rng_one_in(rng, 16)) {
    program_edit_kinds(arena, program);
  } else if (rng_one_in(rng, 2) || !program_edit_attributes(rng, donor, arena, program)) {
    program_edit_types(rng, donor, arena, program);
  }
}

/* A few edits, one upon the other. */
static bool walk(rng_t *rng, const char *id, const draw_limits_t *limits, const program_t *donor,
                 arena_t *arena, program_t *inout_program) {
  enum { STEPS = 3 };
  for (int step = 0; step < STEPS; step++) {
    edit(rng, donor, arena, inout_program);
    if (!is_within(inout_program, limits)) return false;
    const char *broken = program_broken_id(inout_program);
    const char *line;
    if (g_strcmp0(broken, id) == 0) return program_settle(inout_program, arena, &line);
  }
  return false;
}

bool gen_break(rng_t *rng, const char *id, const draw_limits_t *limits, arena_t *arena,
               program_t *inout_program) {
  enum { DONORS = 4, WALKS = 4 };
  const op_t *op = inout_program->op;
  arena_mark_t before = arena_mark(arena);
  for (int i = 0; i < DONORS; i++) {
    arena_rewind(arena, before);
    program_t donor = {.op = op};
    op->draw(rng, limits, arena, &donor);
    arena_mark_t drawn = arena_mark(arena);
    for (int k = 0; k < WALKS; k++) {
      arena_rewind(arena, drawn);
      program_t program = *inout_program;
      if (!walk(rng, id, limits, &donor, arena, &program)) continue;
      *inout_program = program;
      return true;
    }
  }
  return false;
}

/* A program that suits, or else the last of many.  Returns how many were drawn. */
static int draw_suitable(rng_t *rng, const op_t *op, const gen_options_t *options, arena_t *arena,
                         program_t *out_program) {
  enum { DRAWS = 1000 };
  arena_mark_t mark = arena_mark(arena);
  for (int i = 1; i <= DRAWS; i++) {
    arena_rewind(arena, mark);
    *out_program = (program_t){.op = op};
    op->draw(rng, &options->limits, arena, out_program);
    if (options->suits == NULL || options->suits(options->suits_context, out_program)) return i;
  }
  return DRAWS;
}

bool gen_broken_program(rng_t *rng, const op_t *op, const char *id, const gen_options_t *options,
                        arena_t *arena, program_t *out_program) {
  enum { DRAWS = 64 }; /* The rarest constraint is broken from one drawn program in a hundred. */
  enum { MANY = 8, BREAKS_OF_RARE = 16 };
  arena_mark_t mark = arena_mark(arena), drawn = mark;
  int breaks = 0; /* Still to be tried on the present program: several if it was hard to find. */
  for (int i = 0; i < DRAWS; i++) {
    if (breaks == 0) {
      arena_rewind(arena, mark);
      int count = draw_suitable(rng, op, options, arena, out_program);
      breaks = count > MANY ? BREAKS_OF_RARE : 1;
      drawn = arena_mark(arena);
    }
    breaks--;
    arena_rewind(arena, drawn);
    if (gen_break(rng, id, &options->limits, arena, out_program)) return true;
  }
  return false;
}

bool gen_broken_under(rng_t *rng, const op_t *op, const char *id, const gen_options_t *options,
                      arena_t *arena, program_t *out_program) {
  enum { DRAWS = 2000 }; /* Of some ops one program in a hundred breaks one. */
  arena_mark_t mark = arena_mark(arena);
  for (int i = 0; i < DRAWS; i++) {
    arena_rewind(arena, mark);
    *out_program = (program_t){.op = op};
    op->draw(rng, &options->limits, arena, out_program);
    const op_constraint_t *broken = program_broken_under(out_program, NULL, options->contract);
    if (broken != NULL && strcmp(broken->id, id) == 0) return true;
  }
  return false;
}
