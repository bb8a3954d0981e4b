/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of imported tests by op, and reasons, printed as tables. */
#include "harness/cli/verbs/corpus/import_table.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "harness/base/exit_code.h"
#include "harness/cli/options/arguments.h"
#include "reports/verdict/describe.h"

static const char *const NAMES[] = {"op",         "tests",     "taken",   "judged",
                                    "conforming", "diverging", "vacuous", "no oracle",
                                    "failed",     "refused",   NULL};
enum { TESTS, TAKEN, JUDGED, CONFORMING, DIVERGING, VACUOUS, NO_ORACLE, FAILED, REFUSED };

status_t import_table_open(const char *out, import_table_t *out_table, failure_t *error) {
  *out_table = (import_table_t){.wrong = g_string_new(NULL)};
  group_init(&out_table->ops);
  group_init(&out_table->reasons);
  if (out == NULL) return STATUS_OK;
  out_table->out = fopen(out, "we");
  if (out_table->out != NULL) return STATUS_OK;
  status_t status =
      status_fail(error, STATUS_IO, "cannot write \"%s\" (--out): %s", out, strerror(errno));
  group_deinit(&out_table->ops);
  group_deinit(&out_table->reasons);
  g_string_free(out_table->wrong, TRUE);
  return status;
}

static uint64_t *counts_of(import_table_t *table, const char *op) {
  const char *const texts[] = {op, NULL};
  return group_row(&table->ops, texts)->counts;
}

void import_table_leave(import_table_t *table, const char *op, const char *reason) {
  counts_of(table, op)[TESTS]++;
  g_autofree char *plain = g_strdelimit(g_strdup(reason), "\t\n", ' ');
  const char *const texts[] = {plain, NULL};
  group_row_t *row = group_row(&table->reasons, texts);
  row->counts[0]++;
  group_row_note(row, op);
}

void import_table_take(import_table_t *table, const char *op, const char *name, const char *line) {
  uint64_t *counts = counts_of(table, op);
  counts[TESTS]++;
  counts[TAKEN]++;
  table->taken++;
  if (table->out != NULL) fprintf(table->out, "# %s\n%s\n", name, line);
}

void import_table_judge(import_table_t *table, const char *op, const char *name,
                        const program_t *program, const verdict_t *verdict) {
  static const int columns[OUTCOME_COUNT] = {
      [OUTCOME_conforms] = CONFORMING, [OUTCOME_diverges] = DIVERGING,
      [OUTCOME_refused] = REFUSED,     [OUTCOME_failed] = FAILED,
      [OUTCOME_weak] = VACUOUS,        [OUTCOME_no_oracle] = NO_ORACLE};
  uint64_t *counts = counts_of(table, op);
  counts[columns[verdict->outcome]]++;
  bool is_judged = outcome_is_judged(verdict->outcome);
  counts[JUDGED] += is_judged;
  table->judged += is_judged;
  if (!is_judged || verdict->outcome == OUTCOME_conforms) return;
  g_string_append_printf(table->wrong, "%s: ", name);
  describe_verdict(program, verdict, table->wrong);
  g_string_append_c(table->wrong, '\n');
}

static void print_group(const group_t *group, const char *const *names, bool has_note) {
  report_grid_t grid;
  report_grid_init(&grid);
  group_write(group, names, 1, has_note, &grid);
  report_write_table(&grid, 0, stdout);
  report_grid_deinit(&grid);
}

int import_table_close(import_table_t *table) {
  static const char *const reasons[] = {"not taken, since", "tests", "of", NULL};
  int exit_code = table->wrong->len > 0 ? EXIT_CODE_DIVERGES : EXIT_CODE_CLEAN;
  uint64_t tests = 0;
  GHashTableIter iterator;
  gpointer row;
  g_hash_table_iter_init(&iterator, table->ops.rows);
  while (g_hash_table_iter_next(&iterator, NULL, &row)) {
    tests += ((const group_row_t *)row)->counts[TESTS];
  }
  print_group(&table->ops, NAMES, false);
  if (g_hash_table_size(table->reasons.rows) > 0) {
    putchar('\n');
    print_group(&table->reasons, reasons, true);
  }
  if (table->wrong->len > 0) putchar('\n');
  report_print_line(table->wrong->str, stdout);
  printf("%" PRIu64 " tests, %" PRIu64 " taken, %" PRIu64 " judged\n", tests, table->taken,
         table->judged);
  bool is_bad = table->out != NULL && ferror(table->out) != 0;
  if (table->out != NULL && fclose(table->out) != 0) is_bad = true;
  if (is_bad) {
    complain("cannot write the cases (--out): %s", strerror(errno));
    exit_code = EXIT_CODE_FAILED;
  }
  group_deinit(&table->ops);
  group_deinit(&table->reasons);
  g_string_free(table->wrong, TRUE);
  return exit_code;
}
