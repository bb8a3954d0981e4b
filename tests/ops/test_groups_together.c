/* SPDX-License-Identifier: Apache-2.0 */
/* The fast evaluator computes several rows of a softmax or a norm at once, and takes the sets of a
 * formula without overflow and underflow for those of one with both where no number was given up:
 * either way the sets are bit for bit those of one row, and of one formula, alone. */
#include <glib.h>
#include <string.h>

#include "harness/gen/gen.h"
#include "oracles/composite/parts.h"
#include "oracles/oracle.h"

enum { PROGRAMS = 300, GROUPS_MAX = 7 };

static const char *const op_names[] = {"byteir.softmax",
                                       "byteir.log_softmax",
                                       "byteir.layer_norm",
                                       "byteir.l2_norm",
                                       "stablehlo.batch_norm_training",
                                       "stablehlo.batch_norm_grad"};

static const char *const contracts[] = {"backend", "spec", "backend,ftz=both", "wide"};

typedef struct seen {
  size_t together; /* Groups that were computed with others. */
  size_t twins;    /* Rows without overflow that were taken for those with it. */
} seen_t;

static bool are_same(const double *a, const double *b, size_t count) {
  for (size_t i = 0; i < count; i++) {
    bool are_nan = a[i] != a[i] && b[i] != b[i];
    if (!are_nan && memcmp(&a[i], &b[i], sizeof a[i]) != 0) return false;
  }
  return true;
}

/* One row against row `group` of several. */
static bool are_same_rows(const fast_row_t *one, const fast_row_t *all, size_t group) {
  const size_t count = one->count, first = group * count;
  if (count != all->count || (one->tail == NULL) != (all->tail == NULL)) return false;
  return are_same(one->low, all->low + first, count) &&
         are_same(one->high, all->high + first, count) &&
         are_same(one->point, all->point + first, count) &&
         (one->tail == NULL || are_same(one->tail, all->tail + first, count));
}

static void check_results(const problem_t *problem, const fast_row_t *one, const fast_row_t *all,
                          size_t group) {
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    if (are_same_rows(&one[r], &all[r], group)) continue;
    GString *line = g_string_new(NULL);
    case_print(problem->instance, line);
    g_test_message("result %u, group %zu of those together: %s", r, group, line->str);
    g_string_free(line, TRUE);
    g_test_fail();
  }
}

/* The groups from `first` on, together and each by itself. */
static void check_groups(const problem_t *problem, const variant_t *variant, size_t first,
                         size_t groups, seen_t *seen) {
  const part_t parts = problem_part(problem, first);
  fast_row_t all[CASE_RESULTS_MAX], one[CASE_RESULTS_MAX];
  problem_evaluate_fast(problem, &parts, variant, groups, NULL, all);
  for (size_t g = 0; g < groups; g++) {
    const part_t part = problem_part(problem, first + g);
    problem_evaluate_fast(problem, &part, variant, 1, NULL, one);
    check_results(problem, one, all, g);
  }
  if (groups > 1) seen->together += groups;
}

/* The first two variants, where they are one formula without overflow and with it. */
static void check_twins(const problem_t *problem, const variant_t variants[2], seen_t *seen) {
  bool are_twins = problem->formulas[0].is_unbounded && variants[0].formula == 0 &&
                   variants[1].formula == 1 && variants[0].format == variants[1].format;
  for (size_t g = 0; are_twins && g < problem->layout.group_count; g++) {
    const part_t part = problem_part(problem, g);
    fast_row_t without[CASE_RESULTS_MAX], with[CASE_RESULTS_MAX];
    bool are_of_both = problem_evaluate_fast(problem, &part, &variants[0], 1, NULL, without);
    problem_evaluate_fast(problem, &part, &variants[1], 1, NULL, with);
    if (!are_of_both) continue;
    check_results(problem, without, with, 0);
    seen->twins++;
  }
}

static void check_case(const case_t *instance, const contract_t *contract, arena_t *arena,
                       rng_t *rng, seen_t *seen) {
  problem_t problem = problem_make(instance, contract, arena);
  variant_t variants[VARIANTS_MAX];
  size_t count = problem_variants(&problem, variants);
  if (!problem_has_fast(&variants[0])) return;
  problem_decode(&problem);
  if (problem_groups_together(&problem) == 1) return;
  for (size_t v = 0; v < count; v++) {
    if (!problem_has_fast(&variants[v])) continue;
    size_t groups;
    for (size_t first = 0; first < problem.layout.group_count; first += groups) {
      arena_mark_t mark = arena_mark(arena);
      size_t most = MIN(problem.layout.group_count - first, (size_t)GROUPS_MAX);
      groups = (size_t)rng_between(rng, 1, (int64_t)most);
      check_groups(&problem, &variants[v], first, groups, seen);
      arena_rewind(arena, mark);
    }
  }
  if (count > 1) check_twins(&problem, variants, seen);
}

static void test_op(gconstpointer data) {
  const char *name = data;
  const op_t *op = op_find(str_from(name));
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 0;
  options.limits.elements_max = 512;
  options.limits.terms_max = 64;
  rng_t rng = rng_make(20261130);
  arena_t arena;
  arena_init(&arena);
  seen_t seen = {0};
  for (size_t i = 0; i < PROGRAMS; i++) {
    arena_reset(&arena);
    program_t program;
    const char *broken;
    gen_program(&rng, op, &options, &arena, &program, &broken);
    case_t instance = case_make(&arena, &program);
    gen_data(&rng, &instance);
    contract_t contract;
    const char *text = contracts[i % G_N_ELEMENTS(contracts)];
    g_assert_cmpint(contract_parse(str_from(text), &contract, NULL), ==, STATUS_OK);
    check_case(&instance, &contract, &arena, &rng, &seen);
  }
  arena_deinit(&arena);
  g_test_message("%s: %zu groups together, %zu rows of both", name, seen.together, seen.twins);
  g_assert_cmpuint(seen.together, >, PROGRAMS);
  if (strcmp(name, "byteir.l2_norm") == 0) g_assert_cmpuint(seen.twins, >, PROGRAMS);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(op_names); i++) {
    char *path = g_strdup_printf("/groups-together/%s", op_names[i]);
    g_test_add_data_func(path, op_names[i], test_op);
    g_free(path);
  }
  return g_test_run();
}
