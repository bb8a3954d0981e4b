/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of cases: a search sees thousands of kinds of programs, most of them a few times. */
#include "harness/record/tally.h"

#include <malloc.h>

enum { KINDS = 4000, CASES = 3 };

/* The nth of some names that live as long as the program. */
static const char *name(int n) {
  static char names[KINDS][8];
  g_snprintf(names[n], sizeof names[n], "%d", n);
  return names[n];
}

static void test_rows(void) {
  tally_t *tally = tally_new();
  size_t before = mallinfo2().uordblks;
  for (int i = 0; i < KINDS * CASES; i++) {
    const tally_label_t label = {.op = "op", .algorithm = "", .types = name(i % KINDS)};
    const verdict_t verdict = {.outcome = OUTCOME_conforms,
                               .component_count = 1,
                               .ulp_error_max = i % 7 * 0.1,
                               .slack_max = i % 5 * 0.1};
    tally_add(tally, 0, &label, &verdict, "kernel");
  }
  size_t taken = mallinfo2().uordblks - before; /* 0 where another allocator is at work. */
  g_assert_cmpuint(taken, <=, (size_t)KINDS * 1024);
  g_assert_cmpuint(tally_count(tally), ==, KINDS);
  for (size_t i = 0; i < KINDS; i++) {
    const tally_row_t *row = tally_at(tally, i);
    g_assert_cmpuint(row->cases, ==, CASES);
    g_assert_cmpstr(row->implementation, ==, "kernel");
    g_assert_cmpstr(row->reason, ==, "");
  }
  g_assert_cmpuint(tally_cases(tally, OUTCOME_conforms), ==, KINDS * CASES);
  tally_free(tally);
}

/* A row has the reason of its first case, whatever becomes of the verdict. */
static void test_reason(void) {
  tally_t *tally = tally_new();
  const tally_label_t label = {.op = "op", .algorithm = "", .types = "f32->f32"};
  verdict_t verdict = {.outcome = OUTCOME_refused, .reason = "no such kernel"};
  tally_add(tally, 0, &label, &verdict, "");
  g_strlcpy(verdict.reason, "too large", sizeof verdict.reason);
  tally_add(tally, 0, &label, &verdict, "");
  g_assert_cmpuint(tally_count(tally), ==, 1);
  g_assert_cmpstr(tally_at(tally, 0)->reason, ==, "no such kernel");
  tally_free(tally);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/tally/rows", test_rows);
  g_test_add_func("/tally/reason", test_reason);
  return g_test_run();
}
