/* SPDX-License-Identifier: Apache-2.0 */
/* Draws programs of doubtful validity for comparison with another verifier: valid ones, ones with
 * a chosen constraint broken, and ones with attributes or types mutated; each must survive
 * printing and parsing. */
#include "tests/exec/validity_draw.h"

#include "harness/gen/gen.h"
#include "harness/gen/program_edit.h"

/* Small tensors: what is valid does not hang on sizes, and scales along a dimension are long. */
static const draw_limits_t limits = {.rank_max = 5, .elements_max = 256, .terms_max = 64};

static const char *print_line(const program_t *program, arena_t *arena) {
  GString *text = g_string_new(NULL);
  program_print(program, text);
  const char *line = arena_copy_text(arena, text->str, text->len);
  g_string_free(text, TRUE);
  return line;
}

/* ---- Broken ---------------------------------------------------------------------------------- */

/* Those that can be broken, again and again. */
static const char *constraint_at(const op_t *op, uint64_t number) {
  uint64_t count = 0;
  for (const op_constraint_t *row = op->constraints; row->id != NULL; row++) {
    count += op_constraint_is_breakable(row);
  }
  if (count == 0) return NULL;
  const op_constraint_t *row = op->constraints;
  for (uint64_t left = number % count;; row++) {
    if (op_constraint_is_breakable(row) && left-- == 0) return row->id;
  }
}

static bool draw_broken(rng_t *rng, const op_t *op, uint64_t number, arena_t *arena,
                        program_t *out_program, const char **out_line) {
  const char *id = constraint_at(op, number);
  const gen_options_t options = {.limits = limits};
  return id != NULL && gen_broken_program(rng, op, id, &options, arena, out_program) &&
         program_settle(out_program, arena, out_line);
}

/* ---- Changed --------------------------------------------------------------------------------- */

static void draw_start(rng_t *rng, const op_t *op, arena_t *arena, program_t *out_program) {
  const char *line;
  if (rng_one_in(rng, 4) && draw_broken(rng, op, rng_bits(rng), arena, out_program, &line)) return;
  *out_program = (program_t){.op = op};
  op->draw(rng, &limits, arena, out_program);
}

static bool draw_changed(rng_t *rng, const op_t *op, arena_t *arena, program_t *out_program,
                         const char **out_line) {
  enum { ATTEMPTS = 8 };
  for (int i = 0; i < ATTEMPTS; i++) {
    program_t donor = {.op = op};
    op->draw(rng, &limits, arena, &donor);
    draw_start(rng, op, arena, out_program);
    uint64_t steps = rng_one_in(rng, 3) ? 2 + rng_below(rng, 2) : 1;
    for (uint64_t step = 0; step < steps; step++) {
      if (rng_one_in(rng, 2) && program_edit_attributes(rng, &donor, arena, out_program)) continue;
      program_edit_types(rng, &donor, arena, out_program);
    }
    if (program_settle(out_program, arena, out_line)) return true;
  }
  return false;
}

validity_origin_t validity_draw(rng_t *rng, const op_t *op, uint64_t number, arena_t *arena,
                                program_t *out_program, const char **out_line) {
  if (number % 4 == 1 && draw_broken(rng, op, number / 4, arena, out_program, out_line)) {
    return VALIDITY_BROKEN;
  }
  if (number % 4 >= 2 && draw_changed(rng, op, arena, out_program, out_line)) {
    return VALIDITY_CHANGED;
  }
  *out_program = (program_t){.op = op};
  op->draw(rng, &limits, arena, out_program);
  *out_line = print_line(out_program, arena);
  return VALIDITY_DRAWN;
}
