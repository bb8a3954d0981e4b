/* SPDX-License-Identifier: Apache-2.0 */
/* Elements with the same operands have the same accept sets, and what is found of one stands for
 * all: every set of a tensor is held against that of its element alone. */
#include <glib.h>
#include <string.h>

#include "harness/base/rng.h"
#include "oracles/composite/composite.h"
#include "oracles/composite/repeats.h"

enum { ELEMENTS = 600 };

static const char *const lines[] = {
    "byteir.gelu approximate=none f16[600] -> f16[600]",
    "byteir.gelu approximate=tanh f64[600] -> f64[600]",
    "byteir.erf f32[600] -> f32[600]",
};

static case_t make_case(const char *line, arena_t *arena) {
  case_t instance = {0};
  failure_t error;
  status_t status = program_parse(str_from(line), arena, &instance.program, NULL, &error);
  g_assert_cmpint(status, ==, STATUS_OK);
  instance.operands[0] = tensor_make(arena, &instance.program.operands[0]);
  return instance;
}

static uint64_t draw(rng_t *rng, const format_t *format) {
  const uint64_t special[] = {format_from_double(format, (double)INFINITY),
                              format_from_double(format, -(double)INFINITY),
                              format_from_double(format, (double)NAN),
                              format_from_double(format, -0.0),
                              format->largest_bits,
                              format_from_double(format, -5.5),
                              1};
  if (rng_one_in(rng, 2)) return special[rng_below(rng, G_N_ELEMENTS(special))];
  return format_from_double(format, (double)rng_between(rng, -9, 9));
}

static accept_t accept(const case_t *instance, const contract_t *contract, arena_t *arena) {
  accept_t accepts[CASE_RESULTS_MAX];
  failure_t error;
  const oracle_call_t call = {
      .instance = instance, .contract = contract, .arena = arena, .error = &error};
  g_assert_cmpint(composite_accept(&call, accepts), ==, STATUS_OK);
  return accepts[0];
}

static void check_element(const accept_t *all, size_t i, const accept_t *one) {
  const double *const of_all[] = {all->low,        all->high,      all->other_low,
                                  all->other_high, all->reference, all->reference_tail};
  const double *const of_one[] = {one->low,        one->high,      one->other_low,
                                  one->other_high, one->reference, one->reference_tail};
  for (size_t n = 0; n < G_N_ELEMENTS(of_all); n++) {
    g_assert_true((of_all[n] == NULL) == (of_one[n] == NULL));
    if (of_all[n] == NULL) continue;
    g_assert_true(isnan(of_all[n][i]) ? isnan(of_one[n][0])
                                      : memcmp(&of_all[n][i], of_one[n], sizeof(double)) == 0);
  }
  g_assert_cmpuint(all->specials[i], ==, one->specials[0]);
  g_assert_cmpuint(all->decide[i], ==, one->decide[0]);
}

static void test_sets(gconstpointer data) {
  arena_t arena;
  arena_init(&arena);
  const contract_t contract = contract_backend();
  case_t whole = make_case((const char *)data, &arena);
  const element_t *element = whole.operands[0].type.element;
  rng_t rng = rng_make(231);
  for (size_t i = 0; i < ELEMENTS; i++) {
    element_store(element, whole.operands[0].data, i, draw(&rng, element->format));
  }
  const accept_t all = accept(&whole, &contract, &arena);
  for (size_t i = 0; i < ELEMENTS; i += 7) {
    case_t alone = make_case((const char *)data, &arena);
    uint64_t bits = element_load(element, whole.operands[0].data, i);
    for (size_t n = 0; n < ELEMENTS; n++) element_store(element, alone.operands[0].data, n, bits);
    const accept_t same = accept(&alone, &contract, &arena);
    check_element(&all, i, &same);
  }
  arena_deinit(&arena);
}

/* What is found is the first element with the same patterns, and -0 is not 0; so many patterns
 * that some meet in the table. */
static void test_find(void) {
  enum { PATTERNS = 251 };
  arena_t arena;
  arena_init(&arena);
  const contract_t contract = contract_backend();
  case_t instance = make_case(lines[0], &arena);
  for (size_t i = 0; i < ELEMENTS; i++) {
    uint64_t number = i % PATTERNS;
    element_store(instance.operands[0].type.element, instance.operands[0].data, i,
                  number % 2 == 0 ? number / 2 : 0x8000 | number / 2);
  }
  problem_t problem = problem_make(&instance, &contract, &arena);
  repeats_t repeats = repeats_make(&problem, ELEMENTS);
  for (size_t i = 0; i < ELEMENTS; i++) {
    g_assert_cmpuint(repeats_find(&repeats, i), ==, i % PATTERNS);
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
    g_autofree char *path = g_strdup_printf("/repeats/sets/%zu", i);
    g_test_add_data_func(path, lines[i], test_sets);
  }
  g_test_add_func("/repeats/find", test_find);
  return g_test_run();
}
