/* SPDX-License-Identifier: Apache-2.0 */
/* Drawn programs and cases: valid, or broken on purpose, and always printable. */
#include "harness/draw/draw.h"
#include "harness/gen/gen.h"

/* The sanitizers look at code, and see it in fewer programs. */
#ifdef ASSAY_SANITIZE
enum { PROGRAMS = 2000, CASES = 800 };
#else
enum { PROGRAMS = 10000, CASES = 4000 };
#endif

typedef void each_op_t(const op_t *op, arena_t *arena);

static void for_each_op(gconstpointer test) {
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    arena_t arena;
    arena_init(&arena);
    g_test_message("%s", (*op)->name);
    (*(each_op_t *const *)test)(*op, &arena);
    arena_deinit(&arena);
  }
}

static void check_limits(const type_t *type, const draw_limits_t *limits) {
  g_assert_cmpint(type_check(type, NULL), ==, STATUS_OK);
  g_assert_cmpuint(type->rank, <=, limits->rank_max);
  g_assert_cmpint((int64_t)type_element_count(type), <=, limits->elements_max);
}

static void check_programs(const op_t *op, arena_t *arena) {
  gen_options_t options = gen_options_default();
  rng_t rng = rng_make(1);
  int broken_count = 0;
  for (int i = 0; i < PROGRAMS; i++) {
    program_t program;
    const char *broken = "untouched";
    gen_program(&rng, op, &options, arena, &program, &broken);
    g_assert_true(program.op == op);
    g_assert_cmpstr(program_broken_id(&program), ==, broken);
    g_assert_true(program_obeys_bounds(&program));
    if (broken != NULL) {
      g_assert_true(op_constraint_is_forbidden(op_constraint_find(op, broken)));
      broken_count++;
      continue;
    }
    for (uint32_t t = 0; t < program.operand_count; t++) {
      check_limits(&program.operands[t], &options.limits);
    }
    arena_reset(arena);
  }
  int expected = PROGRAMS / (int)options.invalid_one_in;
  g_assert_cmpint(broken_count, >, expected / 2);
  g_assert_cmpint(broken_count, <, expected * 2);
}

/* Every constraint is broken by some program, unless no line can, or it is not forbidden to. */
static void check_constraints(const op_t *op, arena_t *arena) {
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 1;
  rng_t rng = rng_make(2);
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  int count = 0;
  for (const op_constraint_t *row = op->constraints; row->id != NULL; row++) count++;
  for (int i = 0; i < 16 * count; i++) { /* They are drawn about equally often. */
    program_t program;
    const char *broken;
    gen_program(&rng, op, &options, arena, &program, &broken);
    g_assert_nonnull(broken);
    g_hash_table_add(seen, (gpointer)(uintptr_t)broken);
    arena_reset(arena);
  }
  for (const op_constraint_t *row = op->constraints; row->id != NULL; row++) {
    g_test_message("%s %s: %s", op->name, row->id, row->text);
    g_assert_cmpint(g_hash_table_contains(seen, row->id), ==, op_constraint_is_breakable(row));
  }
}

/* What is drawn is valid under the contract, but for what breaks a constraint on purpose, as are
 * those that depend on the contract. */
static void check_under(const op_t *op, const contract_t *contract, arena_t *arena) {
  gen_options_t options = gen_options_default();
  options.contract = contract;
  rng_t rng = rng_make(4);
  size_t broken_under = 0;
  for (int i = 0; i < CASES; i++) {
    arena_reset(arena);
    program_t program;
    const char *broken;
    options.invalid_one_in = i % 64 == 0 ? 1 : 0;
    gen_program(&rng, op, &options, arena, &program, &broken);
    const op_constraint_t *row = program_broken_under(&program, program_broken(&program), contract);
    g_assert_cmpstr(row == NULL ? NULL : row->id, ==, broken);
    g_assert_cmpint(broken != NULL, ==, i % 64 == 0);
    broken_under += row != NULL && program_broken(&program) == NULL;
  }
  g_test_message("%zu of %d break what depends on the contract", broken_under, CASES / 64);
}

static void check_contracts(const op_t *op, arena_t *arena) {
  static const char *const texts[] = {"backend", "spec", "byteir=seed,reduce_types=rfc",
                                      "dot_algorithm=rfc"};
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
    contract_t contract;
    g_assert_cmpint(contract_parse(str_from(texts[i]), &contract, NULL), ==, STATUS_OK);
    check_under(op, &contract, arena);
  }
}

/* Axes that count from the end are valid under one contract, and drawn as invalid under another. */
static void test_negative_axes(void) {
  contract_t contract = contract_backend();
  arena_t arena;
  arena_init(&arena);
  gen_options_t options = gen_options_default();
  options.contract = &contract;
  options.invalid_one_in = 1;
  rng_t rng = rng_make(5);
  size_t negative = 0;
  for (int i = 0; i < CASES; i++) {
    arena_reset(&arena);
    program_t program;
    const char *broken;
    gen_program(&rng, op_find(str_from("byteir.softmax")), &options, &arena, &program, &broken);
    negative += g_strcmp0(broken, "sign") == 0;
  }
  g_assert_cmpuint(negative, >, CASES / 20);
  arena_deinit(&arena);
}

static bool has_free_shapes(const op_t *op) {
  for (const op_constraint_t *row = op->constraints; row->id != NULL; row++) {
    if (strstr(row->text, "any shape") != NULL) return true;
  }
  return false;
}

static void draw_other_element(type_t *inout_type) {
  bool is_f32 = inout_type->element == element_named("f32");
  *inout_type =
      type_make(element_named(is_f32 ? "f64" : "f32"), inout_type->rank, inout_type->dims);
}

/* Operands and attributes determine the shapes of the results, unless a constraint says that they
 * may have any; then still the element type. */
static void check_results(const op_t *op, arena_t *arena) {
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 0;
  rng_t rng = rng_make(3);
  for (int i = 0; i < CASES; i++) {
    program_t program;
    const char *broken;
    gen_program(&rng, op, &options, arena, &program, &broken);
    g_assert_null(broken);
    if (program.operand_count == 0) return; /* Nothing determines them. */
    type_t *result = &program.results[rng_below(&rng, program.result_count)];
    if (has_free_shapes(op)) {
      draw_other_element(result);
    } else {
      draw_other_shape(&rng, result);
    }
    g_assert_nonnull(program_broken(&program));
    arena_reset(arena);
  }
}

static char *draw_line(rng_t *rng, const op_t *op, const gen_options_t *options, arena_t *arena,
                       const char **out_broken) {
  program_t program;
  gen_program(rng, op, options, arena, &program, out_broken);
  case_t instance = case_make(arena, &program);
  gen_data(rng, &instance);
  GString *line = g_string_new(NULL);
  case_print(&instance, line);
  return g_string_free(line, FALSE);
}

static void check_lines(const op_t *op, arena_t *arena) {
  gen_options_t options = gen_options_default();
  options.limits.elements_max = 64;
  options.invalid_one_in = 10;
  rng_t rng = rng_make(4);
  for (int i = 0; i < CASES; i++) {
    const char *broken;
    g_autofree char *line = draw_line(&rng, op, &options, arena, &broken);
    case_t again;
    const char *violation;
    failure_t error = {.text = ""};
    status_t status = case_parse(str_from(line), arena, &again, &violation, &error);
    g_assert_cmpstr(error.text, ==, "");
    g_assert_cmpint(status, ==, STATUS_OK);
    g_assert_cmpstr(violation, ==, broken);
    g_autoptr(GString) printed = g_string_new(NULL);
    case_print(&again, printed);
    g_assert_cmpstr(printed->str, ==, line);
    arena_reset(arena);
  }
}

static void check_same_seed(const op_t *op, arena_t *arena) {
  gen_options_t options = gen_options_default();
  rng_t first = rng_make(5);
  rng_t second = rng_make(5);
  rng_t other = rng_make(6);
  int differing = 0;
  for (int i = 0; i < 200; i++) {
    const char *broken;
    g_autofree char *a = draw_line(&first, op, &options, arena, &broken);
    g_autofree char *b = draw_line(&second, op, &options, arena, &broken);
    g_autofree char *c = draw_line(&other, op, &options, arena, &broken);
    g_assert_cmpstr(a, ==, b);
    differing += strcmp(a, c) != 0;
    arena_reset(arena);
  }
  g_assert_cmpint(differing, >, 190);
}

/* All ops together draw every element type, as operand and as result. */
static void test_all_elements(void) {
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 0;
  rng_t rng = rng_make(7);
  arena_t arena;
  arena_init(&arena);
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    for (int i = 0; i < PROGRAMS; i++) {
      program_t program;
      const char *broken;
      gen_program(&rng, *op, &options, &arena, &program, &broken);
      g_hash_table_add(seen, (gpointer)(uintptr_t)program.operands[0].element);
      arena_reset(&arena);
    }
  }
  for (size_t i = 0; i < element_count; i++) {
    g_test_message("%s", element_table[i].name);
    g_assert_cmpint(g_hash_table_contains(seen, &element_table[i]), ==,
                    element_table[i].is_tensor_element);
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  static each_op_t *const tests[] = {check_programs, check_constraints, check_results,
                                     check_lines,    check_same_seed,   check_contracts};
  static const char *const paths[] = {"/gen/programs", "/gen/constraints", "/gen/results",
                                      "/gen/lines",    "/gen/same_seed",   "/gen/contracts"};
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(tests); i++) {
    g_test_add_data_func(paths[i], &tests[i], for_each_op);
  }
  g_test_add_func("/gen/negative_axes", test_negative_axes);
  g_test_add_func("/gen/all_elements", test_all_elements);
  return g_test_run();
}
