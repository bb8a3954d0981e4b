/* SPDX-License-Identifier: Apache-2.0 */
/* The confusion matrix of dot algorithms: every algorithm is run, with random splits and orders,
 * and held against every other.  The one that ran is never excluded; the others are, within so many
 * cases of witnesses, or they are listed in indistinguishable.def with the reason why nobody can
 * tell. */
#include <inttypes.h>

#include "harness/gen/gen.h"
#include "harness/gen/regime.h"
#include "oracles/ops/dot_general/dot_general.h"
#include "oracles/oracle.h"

enum { WITHIN = 100, CASES = 2000, EXACT_ONE_IN = 8, ALGORITHMS_MAX = 16 };

typedef struct indistinguishable {
  const char *ran;
  const char *asked;
} indistinguishable_t;

static const indistinguishable_t indistinguishable[] = {
#define INDISTINGUISHABLE(ran, asked, reason) {ran, asked},
#include "generated/all_indistinguishable.def"
#undef INDISTINGUISHABLE
};

static bool is_indistinguishable(const char *ran, const char *asked) {
  for (size_t i = 0; i < G_N_ELEMENTS(indistinguishable); i++) {
    if (strcmp(indistinguishable[i].ran, ran) == 0 &&
        strcmp(indistinguishable[i].asked, asked) == 0) {
      return true;
    }
  }
  return false;
}

/* The name as the oracle prints it; the 8-bit floats are the two that it tries for f32 operands. */
static char *name_of(size_t algorithm) {
  const dot_algorithm_row_t *row = &dot_algorithm_table[algorithm];
  const format_t *precision =
      row->precision == NULL ? &format_table[FORMAT_f8E4M3FN] : row->precision;
  const dot_algorithm_t full = dot_algorithm_of_row(row, precision, precision);
  GString *name = g_string_new(NULL);
  dot_algorithm_print_name(&full, name);
  return g_string_free(name, FALSE);
}

/* f32 in, f32 out: operands that every algorithm takes, a result that shows all that it did. */
static program_t draw_program(rng_t *rng, arena_t *arena) {
  int64_t rows = rng_between(rng, 1, 4), columns = rng_between(rng, 1, 4);
  int64_t terms = rng_between(rng, 1, rng_one_in(rng, 4) ? 24 : 4);
  g_autofree char *line =
      g_strdup_printf("stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[%" PRId64 ",%" PRId64
                      "] f32[%" PRId64 ",%" PRId64 "] -> f32[%" PRId64 ",%" PRId64 "]",
                      rows, terms, terms, columns, rows, columns);
  program_t program;
  const char *violation = NULL;
  failure_t error = {0};
  if (program_parse(str_from(line), arena, &program, &violation, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  return program;
}

static implementation_model_t draw_schedule(rng_t *rng, const char *algorithm) {
  static const sum_order_kind_t trees[] = {SUM_SEQUENTIAL, SUM_REVERSE,  SUM_HALVES,
                                           SUM_LANES,      SUM_SHUFFLED, SUM_RANDOM};
  implementation_model_t schedule = schedule_plain();
  schedule.algorithm = algorithm;
  schedule.order.kind = trees[rng_below(rng, G_N_ELEMENTS(trees))];
  schedule.order.width = 4;
  schedule.seed = rng_bits(rng);
  schedule.fused = rng_one_in(rng, 3);
  schedule.accumulator = rng_one_in(rng, 4) ? &format_table[FORMAT_f64] : NULL;
  schedule.split = rng_one_in(rng, 2) ? SPLIT_TRUNCATE : SPLIT_NEAREST;
  schedule.assembly = rng_one_in(rng, 2) ? ASSEMBLY_BY_TERM : ASSEMBLY_BY_PRODUCT;
  schedule.aligned_bits = strstr(algorithm, "FAST") != NULL ? 14 : 0;
  return schedule;
}

/* Whether the set "A|B|C" holds a name. */
static bool holds_name(const char *set, const char *name) {
  g_auto(GStrv) names = g_strsplit(set, "|", -1);
  return g_strv_contains((const char *const *)names, name);
}

/* The same case with that algorithm asked for. */
static case_t ask_for(const case_t *instance, size_t algorithm, arena_t *arena) {
  dot_general_attributes_t *attributes = ARENA_NEW_ARRAY(arena, dot_general_attributes_t, 1);
  *attributes = *dot_general_attributes(&instance->program);
  const dot_algorithm_row_t *row = &dot_algorithm_table[algorithm];
  const format_t *f8 = &format_table[FORMAT_f8E4M3FN];
  const format_t *precision = row->precision == NULL ? f8 : row->precision;
  const dot_algorithm_t full = dot_algorithm_of_row(row, precision, precision);
  attributes->has_algorithm = true;
  attributes->algorithm = dot_algorithm_attribute(&full, false);
  case_t asking = *instance;
  asking.program.attributes = attributes;
  return asking;
}

/* Every component asked about with MPFR: what the judge would say of these results. */
static bool conforms(const case_t *instance, const contract_t *contract, const tensor_t *results,
                     arena_t *arena) {
  const oracle_t *oracle = oracle_find(instance->program.op);
  for (size_t i = 0; i < type_component_count(&results[0].type); i++) {
    answer_t answer;
    failure_t error = {0};
    arena_mark_t mark = arena_mark(arena);
    const oracle_call_t call = {.instance = instance,
                                .contract = contract,
                                .results = results,
                                .arena = arena,
                                .error = &error};
    if (oracle->decide(&call, 0, i, &answer) != STATUS_OK) {
      g_error("%s", error.text);
    }
    arena_rewind(arena, mark);
    if (!answer.conforms) return false;
  }
  return true;
}

/* The set that was found in a hurry is the one that MPFR gives. */
static void check_exactly(const case_t *instance, const contract_t *contract,
                          const tensor_t *results, const char *set, arena_t *arena) {
  for (size_t i = 0; i < dot_algorithm_count; i++) {
    g_autofree char *name = name_of(i);
    arena_mark_t mark = arena_mark(arena);
    const case_t asking = ask_for(instance, i, arena);
    bool expected = conforms(&asking, contract, results, arena);
    arena_rewind(arena, mark);
    if (expected == holds_name(set, name)) continue;
    GString *line = g_string_new(NULL);
    case_print(&asking, line);
    g_error("%s %s, but MPFR says otherwise: %s", name, expected ? "is excluded" : "is held",
            line->str);
  }
}

/* The algorithms that could have given the results of one case that `name` has run. */
static GString *run_case(rng_t *rng, const char *name, arena_t *arena, case_t *out_instance) {
  const program_t program = draw_program(rng, arena);
  *out_instance = case_make(arena, &program);
  gen_data_in_regime(rng, REGIME_split, out_instance);
  const oracle_t *oracle = oracle_find(program.op);
  const contract_t contract = contract_backend();
  const implementation_model_t schedule = draw_schedule(rng, name);
  tensor_t results[CASE_RESULTS_MAX];
  results[0] = tensor_make(arena, &program.results[0]);
  failure_t error = {0};
  const oracle_call_t call = {.instance = out_instance, .arena = arena, .error = &error};
  if (oracle->simulate(&call, &schedule, results) != STATUS_OK) {
    g_error("%s: %s", name, error.text);
  }
  GString *set = g_string_new(NULL);
  const oracle_call_t results_call = {.instance = out_instance,
                                      .contract = &contract,
                                      .results = results,
                                      .arena = arena,
                                      .error = &error};
  if (oracle->consistent(&results_call, set) != STATUS_OK) {
    g_error("%s: %s", name, error.text);
  }
  if (!holds_name(set->str, name)) {
    GString *line = g_string_new(NULL);
    case_print(out_instance, line);
    GString *data = g_string_new(NULL);
    tensor_print_data(&results[0], data);
    g_error("%s ran, but the oracle says it cannot have: %s\n%s -> %s (split %d, assembly %d)",
            name, set->str, line->str, data->str, (int)schedule.split, (int)schedule.assembly);
  }
  rng_t sampling = *rng; /* The cases do not depend on which are checked. */
  if (rng_one_in(&sampling, EXACT_ONE_IN)) {
    check_exactly(out_instance, &contract, results, set->str, arena);
  }
  return set;
}

static void test_row(gconstpointer data) {
  size_t ran = GPOINTER_TO_SIZE(data);
  g_autofree char *name = name_of(ran);
  const char *interned = g_intern_string(name);
  uint64_t first[ALGORITHMS_MAX] = {0};
  g_autofree char **names = g_new0(char *, dot_algorithm_count);
  for (size_t i = 0; i < dot_algorithm_count; i++) names[i] = name_of(i);
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(ran + 1);
  for (uint64_t c = 1; c <= CASES; c++) {
    arena_reset(&arena);
    case_t instance;
    GString *set = run_case(&rng, interned, &arena, &instance);
    for (size_t i = 0; i < dot_algorithm_count; i++) {
      if (first[i] == 0 && !holds_name(set->str, names[i])) first[i] = c;
    }
    g_string_free(set, TRUE);
  }
  arena_deinit(&arena);
  for (size_t i = 0; i < dot_algorithm_count; i++) {
    bool is_hidden = i == ran || is_indistinguishable(name, names[i]);
    g_test_message("ran %s, asked for %s: told apart by case %" PRIu64, name, names[i], first[i]);
    if (is_hidden) {
      g_assert_cmpuint(first[i], ==, 0);
    } else {
      g_assert_cmpuint(first[i], >, 0);
      g_assert_cmpuint(first[i], <=, WITHIN);
    }
    g_free(names[i]);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_assert_cmpuint(dot_algorithm_count, <=, ALGORITHMS_MAX);
  for (size_t i = 0; i < dot_algorithm_count; i++) {
    g_autofree char *path = g_strdup_printf("/algorithms/%s", dot_algorithm_table[i].name);
    g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_row);
  }
  return g_test_run();
}
