/* SPDX-License-Identifier: Apache-2.0 */
/* The generic breaker: each constraint of each op that a case line can break is broken, first of
 * all that the program breaks, and what comes of it can be written down. */
#include "harness/draw/draw.h"
#include "harness/gen/gen.h"

enum { WANTED = 3, DRAWS = 4000 };

static const draw_limits_t limits = {.rank_max = 4, .elements_max = 1024, .terms_max = 64};

static void check_line(const program_t *program, const char *id, arena_t *arena) {
  g_autoptr(GString) line = g_string_new(NULL);
  g_autoptr(GString) again = g_string_new(NULL);
  program_print(program, line);
  program_t parsed;
  const char *violation = NULL;
  failure_t error;
  if (program_parse(str_from(line->str), arena, &parsed, &violation, &error) != STATUS_OK) {
    g_error("%s: %s", line->str, error.text);
  }
  g_assert_cmpstr(violation, ==, id);
  program_print(&parsed, again);
  g_assert_cmpstr(line->str, ==, again->str);
}

static void check_limits(const type_t *types, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    g_assert_cmpuint(types[i].rank, <=, limits.rank_max);
    g_assert_cmpint((int64_t)type_element_count(&types[i]), <=, limits.elements_max);
  }
}

/* How many of the first programs drawn could be broken so, or WANTED where that many were. */
static size_t break_some(const op_t *op, const char *id) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(6);
  size_t broken = 0;
  for (int i = 0; i < DRAWS && broken < WANTED; i++) {
    arena_reset(&arena);
    program_t program = {.op = op};
    op->draw(&rng, &limits, &arena, &program);
    if (!gen_break(&rng, id, &limits, &arena, &program)) continue;
    broken++;
    g_assert_cmpstr(program_broken_id(&program), ==, id);
    check_limits(program.operands, program.operand_count);
    check_limits(program.results, program.result_count);
    check_line(&program, id, &arena);
  }
  arena_deinit(&arena);
  return broken;
}

static void test_op(gconstpointer data) {
  const op_t *op = data;
  for (const op_constraint_t *row = op->constraints; row->id != NULL; row++) {
    if (!op_constraint_is_breakable(row)) continue;
    size_t broken = break_some(op, row->id);
    if (broken == WANTED) continue;
    g_test_message("%s %s was broken %zu times: %s", op->name, row->id, broken, row->text);
    g_test_fail();
  }
}

/* That no draw reaches a constraint is seen: here one that always holds. */
static void test_unreached(void) {
  static const op_constraint_t rows[] = {OP_SPECIFIED("C99", "nothing", program_obeys_bounds),
                                         OP_CONSTRAINTS_END};
  op_t op = *op_find(str_from("stablehlo.negate"));
  op.constraints = rows;
  g_assert_cmpuint(break_some(&op, "C99"), ==, 0);
  g_assert_cmpuint(break_some(op_find(str_from("stablehlo.negate")), "arity"), ==, WANTED);
}

/* A program that cannot be broken so is left as it was. */
static void test_failure(void) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(8);
  const op_t *op = op_find(str_from("stablehlo.select_and_scatter"));
  program_t program = {.op = op};
  op->draw(&rng, &limits, &arena, &program);
  hash_text_t before = program_hash(&program);
  g_assert_false(gen_break(&rng, "C9", &limits, &arena, &program));
  g_assert_cmpstr(program_hash(&program).text, ==, before.text);
  arena_deinit(&arena);
}

/* However long the breaking takes, what the generator draws next is the same. */
static void test_stream(void) {
  arena_t arena;
  arena_init(&arena);
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 1;
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    rng_t rng = rng_make(9), other = rng_make(9);
    program_t program;
    const char *broken;
    g_assert_true(gen_will_break(&rng, &options));
    gen_program(&rng, *op, &options, &arena, &program, &broken);
    rng_bits(&other);
    rng_bits(&other);
    g_assert_nonnull(broken);
    g_assert_cmpuint(rng_bits(&rng), ==, rng_bits(&other));
    arena_reset(&arena);
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/break/unreached", test_unreached);
  g_test_add_func("/break/failure", test_failure);
  g_test_add_func("/break/stream", test_stream);
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    g_autofree char *path = g_strdup_printf("/break/%s", (*op)->name);
    g_test_add_data_func(path, *op, test_op);
  }
  return g_test_run();
}
