/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the algorithms that could have given results explain a wrong one. */
#include "harness/run/observed_algorithms.h"

#include "harness/model/case.h"

static bool names_none(const program_t *program) {
  (void)program;
  return false;
}

/* What a real one finds, whatever was computed. */
static status_t tell(const void *context, const oracle_call_t *call, GString *out_names) {
  (void)call;
  g_string_append(out_names, context);
  return STATUS_OK;
}

static status_t tell_nothing(const oracle_call_t *call, GString *out_names) {
  (void)call;
  (void)out_names;
  return STATUS_UNSUPPORTED;
}

#define E4M3 "<f8E4M3FN,f8E4M3FN>"
#define F32S "stablehlo.dot_general batch=[]x[] contract=[0]x[0] f32[500] f32[500] -> f32[]"
#define F8S "stablehlo.dot_general batch=[]x[] contract=[0]x[0] f8E4M3FN[9] f8E4M3FN[9] -> f32[]"

/* Imprecise accumulation of f8, of which a long sum may be nearly anything, explains nothing of
 * operands of f32; it is told all the same.  Of operands of f8 it does, and so does what else
 * could have been. */
static void test_imprecise(void) {
  static const struct {
    const char *line, *names;
    divergence_class_t expected;
  } rows[] = {
      {F32S, "ANY_F8_ANY_F8_F32_FAST_ACCUM" E4M3, CLASS_value},
      {F32S, "ANY_F8_ANY_F8_F32_FAST_ACCUM" E4M3 "|BF16_BF16_F32", CLASS_algorithm},
      {F32S, "BF16_BF16_F32", CLASS_algorithm},
      {F32S, "", CLASS_value},
      {F8S, "ANY_F8_ANY_F8_F32_FAST_ACCUM" E4M3, CLASS_algorithm},
      {F8S, "ANY_F8_ANY_F8_F32_FAST_ACCUM<f8E5M2,f8E5M2>", CLASS_value},
  };
  const oracle_t oracle = {.names_algorithm = names_none, .consistent = tell_nothing};
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    case_t instance = {0};
    const char *violation;
    g_assert_cmpint(
        program_parse(str_from(rows[i].line), &arena, &instance.program, &violation, NULL), ==,
        STATUS_OK);
    failure_t error = {.text = ""};
    const oracle_call_t call = {.instance = &instance, .arena = &arena, .error = &error};
    const consistent_finder_t finder = {tell, rows[i].names};
    verdict_t verdict = {.outcome = OUTCOME_diverges, .class_ = CLASS_value};
    g_assert_cmpint(observe_algorithms_by(&oracle, &call, &finder, &verdict), ==, STATUS_OK);
    g_assert_cmpstr(class_spelling(verdict.class_), ==, class_spelling(rows[i].expected));
    g_assert_cmpstr(verdict.algorithms, ==, rows[i].names);
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/observed_algorithms/imprecise", test_imprecise);
  return g_test_run();
}
