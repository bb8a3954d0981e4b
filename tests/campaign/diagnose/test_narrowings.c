/* SPDX-License-Identifier: Apache-2.0 */
/* Names of narrowings: a kernel that computes a step in a narrower type is told so, with the type,
 * and one that errs otherwise, or is right in another way, is not. */
#include <inttypes.h>
#include <string.h>

#include "tests/campaign/canaries/canary_list.h"

/* Of oracles/ops/FAMILY/checks/narrowings.def. */
typedef struct narrow_row {
  const char *executor;
  const char *op;
  uint64_t draws;
  bool is_right;     /* Has no finding that could be named. */
  const char *cause; /* That it is named; NULL: never, and never with these words. */
  const char *words; /* In those that say more. */
} narrow_row_t;

static const narrow_row_t rows[] = {
#define NARROW_ROW(canary, op, draws, cause, words) \
  {"canary:" canary, op, draws, false, cause, words},
#define OTHER_ROW(canary, op, draws, words) {"canary:" canary, op, draws, false, NULL, words},
#define RIGHT_ROW(model, op, draws) {model, op, draws, true, NULL, ""},
#include "generated/all_narrowings.def"
#undef RIGHT_ROW
#undef OTHER_ROW
#undef NARROW_ROW
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
  g_test_message("%s: %s: %s", row->executor, verdict->cause, verdict->cause_words);
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
  session_t *session = run(row->executor, row->op, row->draws, &executor);
  named_t named = {.as_meant = 0};
  for (size_t i = 0; i < session_finding_count(session); i++) {
    count_finding(row, session_finding(session, i), &named);
  }
  g_test_message("%s, %s: %" PRIu64 " of %" PRIu64 " as meant, %" PRIu64 " otherwise",
                 row->executor, row->op, named.as_meant, named.diverging, named.as_other);
  if (row->is_right) {
    g_assert_cmpuint(session_finding_count(session), ==, 0);
  } else if (row->cause == NULL) {
    g_assert_cmpuint(named.diverging, >, 0);
    g_assert_cmpuint(named.as_meant, ==, 0);
  } else {
    g_assert_cmpuint(named.as_meant, >, 0);
    g_assert_cmpuint(named.as_other, ==, 0);
  }
  session_close(session, 0, NULL);
  executor_close(executor);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *path = g_strdup_printf("/narrowings/%s/%s", rows[i].op, rows[i].executor);
    g_test_add_data_func(path, &rows[i], test_row);
  }
  return g_test_run();
}
