#include "tests/exec/validity_draw.h"

#include "harness/model/draw.h"

/* Small tensors: what is valid does not hang on sizes, and scales along a dimension are long. */
static const draw_limits_t limits = {.rank_max = 5, .elements_max = 256, .terms_max = 64};

static const char *print_line(const program_t *program, arena_t *arena) {
  GString *text = g_string_new(NULL);
  program_print(program, text);
  const char *line = arena_copy_text(arena, text->str, text->len);
  g_string_free(text, TRUE);
  return line;
}

/* Writes the program down and reads it again: what comes of chance is a program only if it has a
 * line.  False if it has none. */
static bool settle(program_t *program, arena_t *arena, const char **out_line) {
  if (!program_obeys_bounds(program)) return false;
  const char *line = print_line(program, arena);
  const char *violation;
  if (program_parse(str_from(line), arena, program, &violation, NULL) != STATUS_OK) return false;
  *out_line = line;
  return true;
}

/* ---- Broken ---------------------------------------------------------------------------------- */

/* The forbidden ones, again and again. */
static const char *constraint_at(const op_t *op, uint64_t number) {
  uint64_t count = 0;
  for (const op_constraint_t *row = op->constraints; row->id != NULL; row++) {
    count += op_constraint_is_forbidden(row);
  }
  if (count == 0) return NULL;
  const op_constraint_t *row = op->constraints;
  for (uint64_t left = number % count;; row++) {
    if (op_constraint_is_forbidden(row) && left-- == 0) return row->id;
  }
}

static bool draw_broken(rng_t *rng, const op_t *op, uint64_t number, arena_t *arena,
                        program_t *out_program, const char **out_line) {
  enum { ATTEMPTS = 8 };
  const char *id = constraint_at(op, number);
  if (id == NULL) return false;
  for (int i = 0; i < ATTEMPTS; i++) {
    *out_program = (program_t){.op = op};
    op->draw(rng, &limits, arena, out_program);
    if (!op->break_constraint(rng, id, arena, out_program)) continue;
    if (settle(out_program, arena, out_line)) return true;
  }
  return false;
}

/* ---- Changed --------------------------------------------------------------------------------- */

/* Changes the attributes' text until it parses again, a few times at the most. */
static bool change_attributes(rng_t *rng, const program_t *donor, arena_t *arena,
                              program_t *inout_program) {
  enum { ATTEMPTS = 4 };
  const op_t *op = inout_program->op;
  GString *before = g_string_new(NULL), *other = g_string_new(NULL), *text = g_string_new(NULL);
  op->print_attributes(inout_program, before);
  op->print_attributes(donor, other);
  bool is_changed = false;
  for (int i = 0; i < ATTEMPTS && !is_changed; i++) {
    g_string_assign(text, before->str);
    if (!validity_change_attributes(rng, other->str, text)) break;
    const char *copy = arena_copy_text(arena, text->str, text->len);
    scan_t scan = scan_make(str_from(copy));
    program_t changed = *inout_program;
    is_changed = op->parse_attributes(&scan, arena, &changed, NULL) == STATUS_OK &&
                 scan_at_end(&scan) && strcmp(copy, before->str) != 0;
    if (is_changed) *inout_program = changed;
  }
  g_string_free(text, TRUE);
  g_string_free(other, TRUE);
  g_string_free(before, TRUE);
  return is_changed;
}

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
      if (rng_one_in(rng, 2) && change_attributes(rng, &donor, arena, out_program)) continue;
      validity_change_types(rng, &donor, arena, out_program);
    }
    if (settle(out_program, arena, out_line)) return true;
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
