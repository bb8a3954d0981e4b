/* SPDX-License-Identifier: Apache-2.0 */
/* The confusion matrix of dot algorithms of any members: each is run by models with random orders
 * and splits, on f64 operands with f64 results, which show all that it did, and held against each
 * other.  The one that ran is never excluded.  Printed is the number of the case that told two
 * apart; a row of algorithm_pairs.def says why it is none.
 *
 *   ASSAY_MATRIX_CASES=N     so many cases for each algorithm that is run: default 25
 *   ASSAY_MATRIX_TABLE=FILE  the table is written there
 *
 * From 400 cases on all other pairs must have been told apart, with fewer nine of ten. */
#include <inttypes.h>
#include <stdlib.h>

#include "harness/gen/gen.h"
#include "harness/gen/regime.h"
#include "oracles/ops/dot_general/dot_general.h"
#include "tests/ops/oracle_checks.h"

static const char *const algorithms[] = {
#define ALGORITHM(name) name,
#define PAIR(ran, asked, reason)
#include "tests/campaign/algorithms/algorithm_pairs.def"
#undef ALGORITHM
#undef PAIR
};
enum { ALGORITHMS = G_N_ELEMENTS(algorithms), ALL_CASES = 400 };

typedef struct pair {
  const char *ran;
  const char *asked;
} pair_t;

static const pair_t alike[] = {
#define ALGORITHM(name)
#define PAIR(ran, asked, reason) {ran, asked},
#include "tests/campaign/algorithms/algorithm_pairs.def"
#undef ALGORITHM
#undef PAIR
};

static bool is_alike(size_t ran, size_t asked) {
  for (size_t i = 0; i < G_N_ELEMENTS(alike); i++) {
    bool ran_fits = strcmp(alike[i].ran, algorithms[ran]) == 0;
    if (ran_fits && strcmp(alike[i].asked, algorithms[asked]) == 0) return true;
  }
  return ran == asked;
}

static uint64_t wanted_cases(void) {
  const char *text = g_getenv("ASSAY_MATRIX_CASES");
  uint64_t cases = text == NULL ? 25 : g_ascii_strtoull(text, NULL, 10);
  if (cases == 0) g_error("ASSAY_MATRIX_CASES is a number of cases, like 400");
  return cases;
}

static dot_algorithm_t find(size_t number) {
  dot_algorithm_t algorithm;
  if (!dot_algorithm_find_name(str_from(algorithms[number]), &algorithm)) {
    g_error("%s is no algorithm", algorithms[number]);
  }
  return algorithm;
}

static program_t draw_program(rng_t *rng, arena_t *arena) {
  int64_t terms = rng_between(rng, 1, rng_one_in(rng, 4) ? 12 : 3);
  g_autofree char *line =
      g_strdup_printf("stablehlo.dot_general batch=[]x[] contract=[1]x[0] f64[2,%" PRId64
                      "] f64[%" PRId64 ",2] -> f64[2,2]",
                      terms, terms);
  program_t program;
  failure_t error = {0};
  if (program_parse(str_from(line), arena, &program, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  return program;
}

static implementation_model_t draw_model(rng_t *rng, size_t number) {
  static const sum_order_kind_t trees[] = {SUM_SEQUENTIAL, SUM_REVERSE, SUM_HALVES, SUM_RANDOM};
  implementation_model_t model = schedule_plain();
  model.algorithm = algorithms[number];
  model.order.kind = trees[rng_below(rng, G_N_ELEMENTS(trees))];
  model.seed = rng_bits(rng);
  model.fused = rng_one_in(rng, 3);
  model.split = rng_one_in(rng, 2) ? SPLIT_TRUNCATE : SPLIT_NEAREST;
  model.assembly = rng_one_in(rng, 2) ? ASSEMBLY_BY_TERM : ASSEMBLY_BY_PRODUCT;
  model.aligned_bits = find(number).is_imprecise ? 14 : 0;
  return model;
}

static case_t ask_for(const case_t *instance, size_t number, arena_t *arena) {
  dot_general_attributes_t *attributes = ARENA_NEW_ARRAY(arena, dot_general_attributes_t, 1);
  const dot_algorithm_t algorithm = find(number);
  *attributes = *dot_general_attributes(&instance->program);
  attributes->has_algorithm = true;
  attributes->algorithm = dot_algorithm_attribute(&algorithm, true);
  case_t asking = *instance;
  asking.program.attributes = attributes;
  return asking;
}

static bool conforms(const case_t *instance, const contract_t *contract, const tensor_t *results,
                     arena_t *arena) {
  question_t question;
  arena_mark_t mark = arena_mark(arena);
  if (question_make(instance, contract, arena, &question) != STATUS_OK) {
    g_error("%s has no oracle", instance->program.op->name);
  }
  bool holds = question_conforms(&question, results, NULL);
  arena_rewind(arena, mark);
  return holds;
}

/* Runs one case, and holds it against all that have not been told apart yet. */
static void run_case(rng_t *rng, size_t ran, uint64_t number, arena_t *arena,
                     uint64_t first[ALGORITHMS]) {
  const contract_t contract = contract_backend();
  const program_t program = draw_program(rng, arena);
  case_t instance = case_make(arena, &program);
  gen_data_in_regime(rng, REGIME_split, &instance);
  const implementation_model_t model = draw_model(rng, ran);
  tensor_t results[CASE_RESULTS_MAX];
  results[0] = tensor_make(arena, &program.results[0]);
  failure_t error = {0};
  const oracle_call_t call = {.instance = &instance, .arena = arena, .error = &error};
  if (oracle_find(program.op)->simulate(&call, &model, results) != STATUS_OK) {
    g_error("%s: %s", algorithms[ran], error.text);
  }
  for (size_t asked = 0; asked < ALGORITHMS; asked++) {
    if (first[asked] != 0) continue;
    const case_t asking = ask_for(&instance, asked, arena);
    if (conforms(&asking, &contract, results, arena)) continue;
    first[asked] = number;
    if (asked != ran) continue;
    g_autoptr(GString) line = g_string_new(NULL);
    case_print(&asking, line);
    g_error("%s ran (split %d, by term %d), and is excluded: %s", algorithms[ran], (int)model.split,
            (int)model.assembly, line->str);
  }
}

static void print_row(GString *table, size_t ran, const uint64_t first[ALGORITHMS]) {
  g_string_append_printf(table, "%2zu %-34s", ran + 1, algorithms[ran]);
  for (size_t i = 0; i < ALGORITHMS; i++) {
    if (i == ran) {
      g_string_append(table, "   =");
    } else if (first[i] == 0) {
      g_string_append(table, "   .");
    } else {
      g_string_append_printf(table, " %3" PRIu64, first[i]);
    }
  }
  g_string_append_c(table, '\n');
}

static void test_matrix(void) {
  uint64_t cases = wanted_cases();
  g_autoptr(GString) table = g_string_new(NULL);
  size_t apart = 0, pairs = 0;
  arena_t arena;
  arena_init(&arena);
  for (size_t ran = 0; ran < ALGORITHMS; ran++) {
    uint64_t first[ALGORITHMS] = {0};
    rng_t rng = rng_make(ran + 1);
    for (uint64_t c = 1; c <= cases; c++) {
      arena_reset(&arena);
      run_case(&rng, ran, c, &arena, first);
    }
    print_row(table, ran, first);
    for (size_t asked = 0; asked < ALGORITHMS; asked++) {
      bool is_told = first[asked] != 0;
      if (is_alike(ran, asked)) {
        if (is_told) g_error("%s, not %s: told apart", algorithms[ran], algorithms[asked]);
        continue;
      }
      pairs++;
      apart += is_told;
      if (!is_told && cases >= ALL_CASES) {
        g_test_message("%s ran, asked for %s: not told apart", algorithms[ran], algorithms[asked]);
      }
    }
  }
  arena_deinit(&arena);
  g_test_message("%d algorithms: %zu of %zu pairs told apart in %" PRIu64 " cases", (int)ALGORITHMS,
                 apart, pairs, cases);
  const char *path = g_getenv("ASSAY_MATRIX_TABLE");
  if (path != NULL) g_assert_true(g_file_set_contents(path, table->str, -1, NULL));
  g_assert_cmpuint(apart, >=, cases >= ALL_CASES ? pairs : pairs - pairs / 10);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/algorithm_matrix/apart", test_matrix);
  return g_test_run();
}
