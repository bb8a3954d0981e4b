/* SPDX-License-Identifier: Apache-2.0 */
/* Summary section that compares executors pairwise: sums relations over algorithms and types, and
 * prints a line per pair and op. */
#include "reports/run/summary_pairs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* In the order of the columns; in JSON as the store spells them. */
static const struct {
  pair_relation_t relation;
  const char *heading;
  const char *key;
} COLUMNS[] = {
    {PAIR_BOTH_CONFORM, "both conform", "both_conform"},
    {PAIR_FIRST_DIVERGES, "first wrong", "first_diverges"},
    {PAIR_SECOND_DIVERGES, "second wrong", "second_diverges"},
    {PAIR_BOTH_DIVERGE, "both wrong", "both_diverge"},
    {PAIR_UNDECIDED, "undecided", "undecided"},
    {PAIR_ALIKE_WRONG, "wrong alike", "alike_wrong"},
};
enum { COLUMN_COUNT = sizeof COLUMNS / sizeof *COLUMNS };

static gint compare_rows(gconstpointer a, gconstpointer b) {
  const pair_row_t *left = (const pair_row_t *)a;
  const pair_row_t *right = (const pair_row_t *)b;
  if (left->first != right->first) return left->first < right->first ? -1 : 1;
  if (left->second != right->second) return left->second < right->second ? -1 : 1;
  return strcmp(left->label.op, right->label.op);
}

/* Copies of the rows, sorted by pair and op. */
static GArray *sort_rows(const run_report_t *report) {
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(pair_row_t));
  pair_tally_t *pairs = session_pairs(report->session);
  for (size_t i = 0; i < pair_tally_count(pairs); i++) {
    g_array_append_vals(rows, pair_tally_at(pairs, i), 1);
  }
  g_array_sort(rows, compare_rows);
  return rows;
}

static void print_head(const run_report_t *report, const pair_row_t *row) {
  printf("\nfirst %s, second %s\n", run_report_executor(report, row->first),
         run_report_executor(report, row->second));
  printf("  %-24s%9s%11s", "op", "cases", "different");
  for (size_t i = 0; i < COLUMN_COUNT; i++) printf("  %s", COLUMNS[i].heading);
  putchar('\n');
}

static void print_row(const pair_row_t *row) {
  printf("  %-24s%9" PRIu64 "%11" PRIu64, row->label.op, pair_cases(row->cases),
         pair_different(row->cases));
  for (size_t i = 0; i < COLUMN_COUNT; i++) {
    int width = (int)strlen(COLUMNS[i].heading) + 2;
    printf("%*" PRIu64, width, row->cases[COLUMNS[i].relation]);
  }
  putchar('\n');
}

static bool is_same_pair(const pair_row_t *a, const pair_row_t *b) {
  return a->first == b->first && a->second == b->second;
}

void summary_print_pairs(const run_report_t *report) {
  GArray *rows = sort_rows(report);
  const pair_row_t *previous = NULL;
  for (guint i = 0; i < rows->len;) {
    const pair_row_t *row = &g_array_index(rows, pair_row_t, i);
    pair_row_t sum = *row;
    for (i++; i < rows->len; i++) { /* Over algorithms and types. */
      const pair_row_t *next = &g_array_index(rows, pair_row_t, i);
      if (compare_rows(next, row) != 0) break;
      for (int j = 0; j < PAIR_RELATION_COUNT; j++) sum.cases[j] += next->cases[j];
    }
    if (previous == NULL || !is_same_pair(previous, row)) print_head(report, row);
    print_row(&sum);
    previous = row;
  }
  g_array_unref(rows);
}

/* Sums what both answered over ops, algorithms and types. */
static void sum_twins(const run_report_t *report, size_t first, size_t second,
                      uint64_t cases[PAIR_RELATION_COUNT]) {
  pair_tally_t *pairs = session_pairs(report->session);
  memset(cases, 0, PAIR_RELATION_COUNT * sizeof *cases);
  for (size_t i = 0; i < pair_tally_count(pairs); i++) {
    const pair_row_t *row = pair_tally_at(pairs, i);
    if (row->first != first || row->second != second) continue;
    for (int k = 0; k < PAIR_RELATION_COUNT; k++) cases[k] += row->cases[k];
  }
}

void summary_describe_twins(const run_report_t *report, GString *out_text) {
  const size_t *twins = session_options(report->session)->twins;
  for (size_t i = 0; twins != NULL && i < run_report_executor_count(report); i++) {
    if (twins[i] <= i) continue;
    uint64_t cases[PAIR_RELATION_COUNT];
    sum_twins(report, i, twins[i], cases);
    const char *own = run_report_executor(report, i);
    const char *twin = run_report_executor(report, twins[i]);
    g_string_append_printf(out_text,
                           "%stwins: %s and %s gave other bits in %" PRIu64 " of %" PRIu64
                           " cases; both conform %" PRIu64 ", %s alone is wrong %" PRIu64
                           ", %s alone %" PRIu64 ", both %" PRIu64 ", undecided %" PRIu64,
                           out_text->len == 0 ? "" : "\n", own, twin, pair_different(cases),
                           pair_cases(cases), cases[PAIR_BOTH_CONFORM], own,
                           cases[PAIR_FIRST_DIVERGES], twin, cases[PAIR_SECOND_DIVERGES],
                           cases[PAIR_BOTH_DIVERGE], cases[PAIR_UNDECIDED]);
  }
}

json_t *summary_json_pairs(const run_report_t *report) {
  json_t *array = json_array();
  pair_tally_t *pairs = session_pairs(report->session);
  for (size_t i = 0; i < pair_tally_count(pairs); i++) {
    const pair_row_t *row = pair_tally_at(pairs, i);
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:I, s:I}", "first", run_report_executor(report, row->first),
        "second", run_report_executor(report, row->second), "op", row->label.op, "algorithm",
        row->label.algorithm, "types", row->label.types, "cases",
        (json_int_t)pair_cases(row->cases), "different", (json_int_t)pair_different(row->cases));
    for (size_t j = 0; j < COLUMN_COUNT; j++) {
      json_object_set_new(object, COLUMNS[j].key,
                          json_integer((json_int_t)row->cases[COLUMNS[j].relation]));
    }
    json_array_append_new(array, object);
  }
  return array;
}
