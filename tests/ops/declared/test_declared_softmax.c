/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax written in files, alone and with what its rows leave for later, against the built-in one.
 */
#include <math.h>

#include "harness/num/binary64.h"
#include "oracles/composite/parts.h"
#include "tests/ops/declared/declared_file.h"

enum { ELEMENTS_MAX = 64 };

/* The set of a component by one variant. */
static value_range_t range_of(const problem_t *problem, const variant_t *variant,
                              size_t component) {
  size_t place;
  const part_t part = problem_part_of(problem, 0, component, &place);
  const enclosing_t settings = {.is_exact = false};
  const evaluation_t enclosing = {.evaluator = &enclosed_evaluator, .settings = &settings};
  row_t rows[CASE_RESULTS_MAX];
  problem_evaluate(problem, &part, variant, &enclosing, rows);
  return problem_finish(problem, &part, variant, rows, 0, place);
}

static void check_same_range(const value_range_t *a, const value_range_t *b) {
  g_assert_cmpuint(binary64_bits(a->low), ==, binary64_bits(b->low));
  g_assert_cmpuint(binary64_bits(a->high), ==, binary64_bits(b->high));
  g_assert_cmpint(a->nan, ==, b->nan);
  g_assert_cmpint(a->positive_infinity, ==, b->positive_infinity);
  g_assert_cmpint(a->negative_infinity, ==, b->negative_infinity);
  g_assert_cmpint(a->positive_zero, ==, b->positive_zero);
  g_assert_cmpint(a->negative_zero, ==, b->negative_zero);
}

/* The sets of the exact side, of every component by every variant. */
static void check_same_ranges(const case_t *instance, const case_t *other,
                              const contract_t *contract, arena_t *arena) {
  const problem_t problem = problem_make(instance, contract, arena);
  const problem_t other_problem = problem_make(other, contract, arena);
  variant_t variants[VARIANTS_MAX], other_variants[VARIANTS_MAX];
  size_t count = problem_variants(&problem, variants);
  g_assert_cmpuint(problem_variants(&other_problem, other_variants), ==, count);
  size_t components = type_component_count(&instance->program.results[0]);
  for (size_t v = 0; v < count; v++) {
    for (size_t i = 0; i < components; i++) {
      const value_range_t a = range_of(&problem, &variants[v], i);
      const value_range_t b = range_of(&other_problem, &other_variants[v], i);
      check_same_range(&a, &b);
    }
  }
}

static void check_doubles(const double *a, const double *b, size_t count) {
  g_assert_true((a == NULL) == (b == NULL));
  for (size_t i = 0; a != NULL && i < count; i++) {
    if (isnan(a[i]) && isnan(b[i])) continue;
    g_assert_cmpuint(binary64_bits(a[i]), ==, binary64_bits(b[i]));
  }
}

/* Those of the fast side. */
static void check_same_accepts(const case_t *instance, const case_t *other,
                               const contract_t *contract, arena_t *arena) {
  const case_t *const cases[] = {instance, other};
  accept_t accepts[2][CASE_RESULTS_MAX];
  failure_t error = {.text = ""};
  for (size_t i = 0; i < 2; i++) {
    const oracle_call_t call = {
        .instance = cases[i], .contract = contract, .arena = arena, .error = &error};
    const oracle_t *oracle = oracle_find(cases[i]->program.op);
    g_assert_cmpint(oracle->accept(&call, accepts[i]), ==, STATUS_OK);
  }
  const accept_t *a = &accepts[0][0], *b = &accepts[1][0];
  g_assert_cmpuint(a->count, ==, b->count);
  check_doubles(a->low, b->low, a->count);
  check_doubles(a->high, b->high, a->count);
  check_doubles(a->other_low, b->other_low, a->count);
  check_doubles(a->other_high, b->other_high, a->count);
  g_assert_cmpint(memcmp(a->specials, b->specials, a->count), ==, 0);
  g_assert_cmpint(memcmp(a->decide, b->decide, a->count), ==, 0);
}

static void test_softmax(void) {
  enum { CASES = 120 };
  static const char *const contracts[] = {
      "spec", "backend", "wide", "softmax=online", "softmax=scaled,ftz=both", "softmax=unshifted"};
  g_autofree char *text = read_op_file("softmax");
  declaration_t *declaration = declare(text);
  const op_t *builtin = op_find(str_from("byteir.softmax"));
  rng_t rng = rng_make(11);
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < CASES; i++) {
    contract_t contract;
    const char *name = contracts[i % (int)G_N_ELEMENTS(contracts)];
    g_assert_cmpint(contract_parse(str_from(name), &contract, NULL), ==, STATUS_OK);
    case_t instance = draw_valid_case(&rng, &declaration->op, ELEMENTS_MAX, &arena);
    case_t other = instance;
    other.program.op = builtin;
    check_same_ranges(&instance, &other, &contract, &arena);
    check_same_accepts(&instance, &other, &contract, &arena);
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  release(declaration);
}

/* The first result of softmax_with_statistics has the sets of byteir.softmax along the last
 * dimension, in both formulas of T67; its others those of reductions. */
static void test_statistics(void) {
  enum { CASES = 80 };
  g_autofree char *text = read_op_file("softmax_with_statistics");
  declaration_t *declaration = declare(text);
  rng_t rng = rng_make(12);
  const contract_t contract = contract_backend();
  arena_t arena;
  arena_init(&arena);
  size_t compared = 0;
  for (int n = 0; n < CASES; n++) {
    const case_t instance = draw_valid_case(&rng, &declaration->op, ELEMENTS_MAX, &arena);
    const type_t *type = &instance.program.operands[0];
    int64_t *axis = ARENA_NEW_ARRAY(&arena, int64_t, 1);
    *axis = (int64_t)type->rank - 1;
    case_t softmax = instance;
    softmax.program = (program_t){.op = op_find(str_from("byteir.softmax")),
                                  .attributes = axis,
                                  .operand_count = 1,
                                  .result_count = 1,
                                  .operands = {*type},
                                  .results = {*type}};
    g_assert_cmpstr(program_broken_id(&softmax.program), ==, NULL);
    const problem_t problem = problem_make(&instance, &contract, &arena);
    const problem_t other = problem_make(&softmax, &contract, &arena);
    variant_t variants[VARIANTS_MAX], others[VARIANTS_MAX];
    problem_variants(&problem, variants);
    problem_variants(&other, others);
    for (size_t i = 0; i < type_component_count(type); i++) {
      const value_range_t a = range_of(&problem, &variants[0], i);
      const value_range_t b = range_of(&other, &others[0], i);
      check_same_range(&a, &b);
      compared++;
    }
    const type_t *rows = &instance.program.results[1];
    question_t question = ask(&instance, "backend", &arena);
    for (size_t row = 0; row < type_component_count(rows); row++) {
      double largest = -(double)INFINITY;
      size_t terms = (size_t)type->dims[type->rank - 1], place = terms;
      for (size_t i = terms; i-- > 0;) {
        uint64_t bits = element_load(type->element, instance.operands[0].data, row * terms + i);
        double value = format_to_double(type->element->format, bits);
        if (isnan(value)) largest = (double)NAN;
        if (value >= largest) largest = value, place = i;
      }
      if (isnan(largest) || largest == 0) continue;
      uint64_t bits = format_from_double(type->element->format, largest);
      g_assert_true(is_taken(&question, 1, row, bits));
      g_assert_false(is_taken(&question, 1, row, bits - 1));
      if (!isinf(largest)) g_assert_true(is_taken(&question, 3, row, place));
      if (!isinf(largest)) g_assert_false(is_taken(&question, 3, row, place + 1));
    }
    end(&question);
    arena_reset(&arena);
  }
  g_assert_cmpuint(compared, >, CASES);
  arena_deinit(&arena);
  release(declaration);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/declared_softmax/softmax", test_softmax);
  g_test_add_func("/declared_softmax/statistics", test_statistics);
  return g_test_run();
}
