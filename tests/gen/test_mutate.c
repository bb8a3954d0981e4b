/* SPDX-License-Identifier: Apache-2.0 */
/* Mutations and crossovers: always valid, always printable, and really changes. */
#include "harness/gen/gen.h"

/* The sanitizers look at code, and see it in fewer steps. */
#ifdef ASSAY_SANITIZE
/* One step in 16 or so changes the program: 50 of 800, give or take 7. */
enum { STEPS = 800, PROGRAMS_MIN = 20, CROSSES = 20 };
#else
enum { STEPS = 3000, PROGRAMS_MIN = STEPS / 24, CROSSES = 100 };
#endif

static char *print(const case_t *instance) {
  GString *line = g_string_new(NULL);
  case_print(instance, line);
  return g_string_free(line, FALSE);
}

static gen_options_t small_options(uint32_t rank_max) {
  gen_options_t options = gen_options_default();
  options.limits.elements_max = 64;
  options.limits.rank_max = rank_max;
  return options;
}

static case_t draw_case(rng_t *rng, const op_t *op, uint32_t invalid_one_in, arena_t *arena) {
  gen_options_t options = small_options(5);
  options.invalid_one_in = invalid_one_in;
  program_t program;
  const char *broken;
  gen_program(rng, op, &options, arena, &program, &broken);
  case_t instance = case_make(arena, &program);
  gen_data(rng, &instance);
  return instance;
}

static void check_valid(const case_t *instance, const char *line, arena_t *arena) {
  case_t again;
  failure_t error = {.text = ""};
  g_assert_null(program_broken(&instance->program));
  status_t status = case_parse(str_from(line), arena, &again, NULL, &error);
  g_assert_cmpstr(error.text, ==, "");
  g_assert_cmpint(status, ==, STATUS_OK);
  g_autofree char *printed = print(&again);
  g_assert_cmpstr(printed, ==, line);
}

static void check_mutations(const op_t *op, uint32_t rank_max) {
  gen_options_t options = small_options(rank_max);
  rng_t rng = rng_make(1);
  arena_t arenas[2];
  arena_init(&arenas[0]);
  arena_init(&arenas[1]);
  case_t instance = draw_case(&rng, op, 0, &arenas[0]);
  int changed = 0;
  int programs = 0;
  for (int i = 0; i < STEPS; i++) {
    arena_t *arena = &arenas[(i + 1) % 2]; /* The case of the step before is in the other one. */
    arena_reset(arena);
    case_t next = case_copy(arena, &instance);
    g_autofree char *before = print(&instance);
    gen_mutate(&rng, &options, arena, &next);
    g_autofree char *after = print(&next);
    check_valid(&next, after, arena);
    changed += strcmp(before, after) != 0;
    programs += strcmp(program_hash(&instance.program).text, program_hash(&next.program).text) != 0;
    instance = case_copy(arena, &next);
  }
  bool has_data =
      instance.program.operand_count > 0; /* Else there are attributes and types alone. */
  g_assert_cmpint(changed, >, has_data ? STEPS / 2 : STEPS / 50);
  g_test_message("%d changed, %d programs", changed, programs);
  g_assert_cmpint(programs, >, PROGRAMS_MIN);
  g_assert_cmpint(programs, <, STEPS / 8);
  arena_deinit(&arenas[0]);
  arena_deinit(&arenas[1]);
}

static void test_mutate(gconstpointer op) { check_mutations(op, 5); }

/* Among so few programs the present one is often drawn again, and must be passed over. */
static void test_mutate_scalars(gconstpointer op) { check_mutations(op, 0); }

/* A case that was broken on purpose comes out valid. */
static void test_mutate_invalid(gconstpointer data) {
  gen_options_t options = gen_options_default();
  rng_t rng = rng_make(2);
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < 300; i++) {
    case_t instance = draw_case(&rng, data, 1, &arena);
    g_assert_nonnull(program_broken(&instance.program));
    gen_mutate(&rng, &options, &arena, &instance);
    g_autofree char *line = print(&instance);
    check_valid(&instance, line, &arena);
    arena_reset(&arena);
  }
  arena_deinit(&arena);
}

static void test_same_seed(gconstpointer data) {
  gen_options_t options = gen_options_default();
  arena_t arena;
  arena_init(&arena);
  g_autofree char *lines[2] = {NULL, NULL};
  for (size_t run = 0; run < 2; run++) {
    rng_t rng = rng_make(3);
    case_t instance = draw_case(&rng, data, 0, &arena);
    for (int i = 0; i < 100; i++) gen_mutate(&rng, &options, &arena, &instance);
    lines[run] = print(&instance);
  }
  g_assert_cmpstr(lines[0], ==, lines[1]);
  g_clear_pointer(&lines[1], g_free);
  arena_deinit(&arena);
}

/* Parents of one program: each component is one of theirs, unless the op settles its operands, and
 * both give some. */
static void test_cross_same_program(gconstpointer data) {
  rng_t rng = rng_make(4);
  arena_t arena;
  arena_init(&arena);
  size_t from_a = 0;
  size_t from_b = 0;
  size_t settled = 0;
  bool has_data = false;
  for (int i = 0; i < 500; i++) {
    case_t a = draw_case(&rng, data, 0, &arena);
    has_data |= a.program.operand_count > 0;
    case_t b = case_make(&arena, &a.program);
    gen_data_in_regime(&rng, REGIME_any_bits, &b);
    case_t child = gen_cross(&rng, &arena, &a, &b);
    for (uint32_t operand = 0; operand < a.program.operand_count; operand++) {
      const element_t *element = a.operands[operand].type.element;
      for (size_t c = 0; c < type_component_count(&a.operands[operand].type); c++) {
        uint64_t bits = element_load(element, child.operands[operand].data, c);
        bool is_of_a = bits == element_load(element, a.operands[operand].data, c);
        bool is_of_b = bits == element_load(element, b.operands[operand].data, c);
        settled += !is_of_a && !is_of_b;
        from_a += is_of_a && !is_of_b;
        from_b += is_of_b && !is_of_a;
      }
    }
    arena_reset(&arena);
  }
  if (has_data) {
    g_assert_cmpuint(from_a, >, (from_a + from_b) / 5);
    g_assert_cmpuint(from_b, >, (from_a + from_b) / 5);
  }
  bool settles = ((const op_t *)data)->settle_operands != NULL;
  g_test_message("%zu settled, %zu of a parent", settled, from_a + from_b);
  g_assert_cmpuint(settled, <=, settles ? (from_a + from_b) / 10 : 0);
  arena_deinit(&arena);
}

/* Parents of any two programs, of any two ops: there are some two thousand pairs. */
static void test_cross(void) {
  rng_t rng = rng_make(5);
  arena_t arena;
  arena_init(&arena);
  for (const op_t *const *first = op_all(); *first != NULL; first++) {
    for (const op_t *const *second = op_all(); *second != NULL; second++) {
      for (int i = 0; i < CROSSES; i++) {
        case_t a = draw_case(&rng, *first, 0, &arena);
        case_t b = draw_case(&rng, *second, 0, &arena);
        g_autofree char *a_before = print(&a);
        g_autofree char *b_before = print(&b);
        case_t child = gen_cross(&rng, &arena, &a, &b);
        g_autofree char *line = print(&child);
        check_valid(&child, line, &arena);
        g_assert_cmpstr(program_hash(&child.program).text, ==, program_hash(&a.program).text);
        g_autofree char *a_after = print(&a);
        g_autofree char *b_after = print(&b);
        g_assert_cmpstr(a_before, ==, a_after);
        g_assert_cmpstr(b_before, ==, b_after);
        arena_reset(&arena);
      }
    }
  }
  arena_deinit(&arena);
}

static void add_tests(const char *path, GTestDataFunc test) {
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    g_autofree char *full = g_strdup_printf("%s/%s", path, (*op)->name);
    g_test_add_data_func(full, *op, test);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  add_tests("/mutate/valid", test_mutate);
  add_tests("/mutate/scalars", test_mutate_scalars);
  add_tests("/mutate/invalid", test_mutate_invalid);
  add_tests("/mutate/same_seed", test_same_seed);
  add_tests("/cross/same_program", test_cross_same_program);
  g_test_add_func("/cross/any", test_cross);
  return g_test_run();
}
