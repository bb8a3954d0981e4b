/* SPDX-License-Identifier: Apache-2.0 */
/* The fast sets of the ops on single elements against the enclosed ones, for every pattern of f16
 * and bf16 and every formula: parts of them, and known unless x^3 overflows. */
#include <glib.h>
#include <math.h>

#include "oracles/composite/parts.h"
#include "oracles/formula/enclosed.h"

enum { PATTERNS = 1 << 16 };

typedef struct tally {
  size_t known;
  size_t unknown;
  size_t outside;
} tally_t;

static case_t make_case(const char *line, arena_t *arena) {
  case_t instance = {0};
  failure_t error = {0};
  if (program_parse(str_from(line), arena, &instance.program, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  instance.operands[0] = tensor_make(arena, &instance.program.operands[0]);
  for (uint64_t i = 0; i < PATTERNS; i++) {
    element_store(instance.operands[0].type.element, instance.operands[0].data, i, i);
  }
  return instance;
}

static bool holds(const value_range_t *range, const format_t *format, double value) {
  return value_range_holds(range, format, format_from_double(format, value), false);
}

/* -0 at an end is not claimed; +0 between the ends is. */
static bool holds_interval(const value_range_t *range, const format_t *format, double low,
                           double high) {
  bool has_low = low != 0 || signbit(low) == 0, has_high = high != 0 || signbit(high) == 0;
  return (!has_low || holds(range, format, low)) && (!has_high || holds(range, format, high)) &&
         !(low < 0 && high > 0 && !holds(range, format, 0));
}

static void compare_group(const problem_t *problem, const variant_t *variant, size_t group,
                          tally_t *inout_tally) {
  const enclosing_t settings = {.is_exact = false};
  const evaluation_t enclosing = {.evaluator = &enclosed_evaluator, .settings = &settings};
  const format_t *format = problem->instance->program.results[0].element->format;
  part_t part = problem_part(problem, group);
  row_t rows[CASE_RESULTS_MAX];
  fast_row_t fast[CASE_RESULTS_MAX];
  problem_evaluate(problem, &part, variant, &enclosing, rows);
  problem_evaluate_fast(problem, &part, variant, 1, NULL, fast);
  for (size_t i = 0; i < part.count; i++) {
    double low = fast[0].low[i], high = fast[0].high[i];
    bool is_known = !isnan(low);
    *(is_known ? &inout_tally->known : &inout_tally->unknown) += 1;
    value_range_t range = problem_finish(problem, &part, variant, rows, 0, i);
    if (!is_known || holds_interval(&range, format, low, high)) continue;
    if (inout_tally->outside++ > 3) continue;
    char text[128];
    value_range_print(&range, text, sizeof text);
    g_test_message("pattern %zx: fast %a .. %a, enclosed %s",
                   part_result_element(problem, &part, 0, i), low, high, text);
  }
}

static void test_patterns(gconstpointer data) {
  arena_t arena;
  arena_init(&arena);
  const case_t instance = make_case((const char *)data, &arena);
  contract_t contract = contract_backend();
  PERMITTED(&contract, intermediate) = INTERMEDIATE_WIDE; /* No variant in 16 bits has fast sets. */
  const problem_t problem = problem_make(&instance, &contract, &arena);
  variant_t variants[VARIANTS_MAX];
  size_t count = problem_variants(&problem, variants);
  tally_t tally = {0};
  for (size_t i = 0; i < count; i++) {
    g_assert_true(problem_has_fast(&variants[i]));
    for (size_t group = 0; group < problem.layout.group_count; group++) {
      arena_mark_t mark = arena_mark(&arena);
      compare_group(&problem, &variants[i], group, &tally);
      arena_rewind(&arena, mark);
    }
  }
  arena_deinit(&arena);
  g_test_message("%s: %zu formulas, %zu numbers known, %zu not", (const char *)data, count,
                 tally.known, tally.unknown);
  g_assert_cmpuint(tally.outside, ==, 0);
  g_assert_cmpuint(tally.known, >, count * PATTERNS / 2);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  static const char *const lines[] = {
      "byteir.erf f16[65536] -> f16[65536]",
      "byteir.erf bf16[65536] -> bf16[65536]",
      "byteir.gelu approximate=none f16[65536] -> f16[65536]",
      "byteir.gelu approximate=none bf16[65536] -> bf16[65536]",
      "byteir.gelu approximate=tanh f16[65536] -> f16[65536]",
      "byteir.gelu approximate=tanh bf16[65536] -> bf16[65536]",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
    g_autofree char *path = g_strdup_printf("/unary-patterns/%zu", i);
    g_test_add_data_func(path, lines[i], test_patterns);
  }
  return g_test_run();
}
