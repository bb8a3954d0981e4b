/* SPDX-License-Identifier: Apache-2.0 */
/* Names of narrowings: a kernel that computes a step in a narrower type is told so, with the type,
 * and one that errs otherwise, or is right in another way, is not. */
#include <inttypes.h>
#include <string.h>

#include "tests/campaign/canary_list.h"

typedef struct narrow_row {
  const char *canary;
  const char *op;
  uint64_t draws;
  const char *cause; /* That it is named; NULL: never, and never with these words. */
  const char *words; /* In those that say more. */
} narrow_row_t;

static const narrow_row_t rows[] = {
    /* A step in bf16, f16, f32 or 8 bits, in place of a wider type. */
    {"canary:dequantized_in_f16", "byteir.dequantize", 60, "narrow-result", "f16"},
    {"canary:mean_in_bf16", "byteir.layer_norm", 60, "narrow-result", "bf16"},
    {"canary:scale_in_bf16", "byteir.dequantize", 60, "narrow-operands", "bf16"},
    {"canary:scale_in_bf16", "stablehlo.uniform_dequantize", 300, "other-scale", "scales in bf16"},
    {"canary:epsilon_in_f16", "byteir.l2_norm", 300, "other-attribute", "epsilon="},
    {"canary:moved_as_f32", "stablehlo.reshape", 600, "operand-bits", "goes through f32"},
    {"canary:moved_as_f32", "stablehlo.concatenate", 600, "operand-bits", "go through f32"},
    {"canary:one_hot_narrow_index", "byteir.one_hot", 200, "operand-bits", "has 8 bits"},
    {"canary:narrow_result", "stablehlo.add", 300, "narrow-result", "rounded to"},
    /* Other faults of these ops. */
    {"canary:dequantized_scale_divided", "byteir.dequantize", 60, NULL, "f16"},
    {"canary:deviations_dropped", "byteir.layer_norm", 60, NULL, "bf16"},
    {"canary:epsilon_forgotten", "byteir.l2_norm", 200, NULL, "rounded"},
    {"canary:one_hot_clamps", "byteir.one_hot", 300, NULL, "has 8 bits"},
    {"canary:moved_in_low_half", "stablehlo.reshape", 600, NULL, "f32"},
    {"canary:subtract_reversed", "stablehlo.subtract", 200, NULL, "rounded"},
};

/* Cases of findings that are surely named. */
typedef struct named {
  uint64_t as_meant; /* The cause and the words of the row. */
  uint64_t as_other;
  uint64_t diverging;
} named_t;

static void count_finding(const narrow_row_t *row, const finding_t *finding, named_t *named) {
  const verdict_t *verdict = &finding->verdict;
  if (verdict->outcome != OUTCOME_diverges) return;
  named->diverging += finding->count;
  if (verdict->cause[0] == '\0' || !verdict->is_cause_sure) return;
  bool has_words = strstr(verdict->cause_words, row->words) != NULL;
  bool is_meant = has_words && (row->cause == NULL || strcmp(verdict->cause, row->cause) == 0);
  *(is_meant ? &named->as_meant : &named->as_other) += finding->count;
  g_test_message("%s: %s: %s", row->canary, verdict->cause, verdict->cause_words);
}

static session_t *run(const char *executor_name, const char *op_name, uint64_t draws,
                      executor_t **out_executor) {
  *out_executor = canary_open(executor_name);
  const op_t *ops[CANARY_OPS_MAX];
  session_options_t options = {.stream = {.gen = gen_options_default(), .seed = 1, .ops = ops},
                               .executors = out_executor,
                               .executor_count = 1,
                               .draws_max = draws,
                               .command = "test",
                               .assay_version = "test"};
  options.stream.op_count = canary_find_ops(op_name, ops);
  options.stream.gen.limits = (draw_limits_t){.rank_max = 4, .elements_max = 64, .terms_max = 24};
  failure_t error = {0};
  session_t *session = NULL;
  if (contract_parse(str_from("backend"), &options.contract, &error) != STATUS_OK ||
      session_open(&options, &session, &error) != STATUS_OK ||
      session_run(session, &error) != STATUS_OK) {
    g_error("%s: %s", executor_name, error.text);
  }
  return session;
}

static void test_row(gconstpointer data) {
  const narrow_row_t *row = (const narrow_row_t *)data;
  executor_t *executor = NULL;
  session_t *session = run(row->canary, row->op, row->draws, &executor);
  named_t named = {.as_meant = 0};
  for (size_t i = 0; i < session_finding_count(session); i++) {
    count_finding(row, session_finding(session, i), &named);
  }
  g_test_message("%s, %s: %" PRIu64 " of %" PRIu64 " as meant, %" PRIu64 " otherwise", row->canary,
                 row->op, named.as_meant, named.diverging, named.as_other);
  g_assert_cmpuint(named.diverging, >, 0);
  if (row->cause == NULL) {
    g_assert_cmpuint(named.as_meant, ==, 0);
  } else {
    g_assert_cmpuint(named.as_meant, >, 0);
    g_assert_cmpuint(named.as_other, ==, 0);
  }
  session_close(session, 0, NULL);
  executor_close(executor);
}

/* A kernel that computes otherwise, and is right, has no finding that could be named. */
static void test_right(void) {
  static const char *const models[] = {"model:sequential", "model:pairwise"};
  static const char *const ops[] = {"byteir.l2_norm", "stablehlo.reduce"};
  for (size_t i = 0; i < G_N_ELEMENTS(models); i++) {
    for (size_t k = 0; k < G_N_ELEMENTS(ops); k++) {
      executor_t *executor = NULL;
      session_t *session = run(models[i], ops[k], 60, &executor);
      g_assert_cmpuint(session_finding_count(session), ==, 0);
      session_close(session, 0, NULL);
      executor_close(executor);
    }
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/narrowings/right", test_right);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *path = g_strdup_printf("/narrowings/%s/%s", rows[i].op, rows[i].canary + 7);
    g_test_add_data_func(path, &rows[i], test_row);
  }
  return g_test_run();
}
