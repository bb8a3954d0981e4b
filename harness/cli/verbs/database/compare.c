/* SPDX-License-Identifier: Apache-2.0 */
/* assay compare: two versions of an executor, as a database knows them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/options/arguments.h"
#include "reports/comparison.h"

typedef struct compare_flags {
  char *database;
  char *executor;
  gboolean json;
} compare_flags_t;

enum { REPLAYS_MAX = 5, REPLAY_BYTES_MAX = 2000 };

static const char *text_at(const report_grid_t *grid, size_t row, const char *column) {
  for (int i = 0; i < grid->column_count; i++) {
    if (strcmp(report_grid_name(grid, i), column) == 0) return report_grid_cell(grid, row, i)->text;
  }
  return NULL;
}

static int64_t number_at(const report_grid_t *grid, size_t row, const char *column) {
  for (int i = 0; i < grid->column_count; i++) {
    if (strcmp(report_grid_name(grid, i), column) == 0) {
      return report_grid_cell(grid, row, i)->integer;
    }
  }
  return 0;
}

/* Adds the rows that are worth showing, without the case lines. */
static void print_rows(const report_grid_t *grid,
                       bool (*is_shown)(const report_grid_t *grid, size_t row)) {
  report_grid_t shown;
  report_grid_init(&shown);
  int columns = grid->column_count - 1; /* The case line is the last one. */
  const char **names = g_new0(const char *, columns);
  failure_t error = {0};
  for (int i = 0; i < columns; i++) names[i] = report_grid_name(grid, i);
  report_grid_add(&shown, columns, names, NULL, &error);
  for (size_t row = 0; row < report_grid_row_count(grid); row++) {
    if (is_shown(grid, row)) {
      report_grid_add(&shown, columns, names, report_grid_cell(grid, row, 0), &error);
    }
  }
  if (report_grid_row_count(&shown) > 0) report_write_table(&shown, 0, stdout);
  g_free((gpointer)names);
  report_grid_deinit(&shown);
}

/* A few lines to paste; those that are too long are left to --json. */
static void print_replays(const comparison_t *comparison, const report_grid_t *grid,
                          bool (*is_shown)(const report_grid_t *grid, size_t row)) {
  g_autofree char *name = g_shell_quote(comparison->after.name);
  unsigned printed = 0;
  for (size_t row = 0; row < report_grid_row_count(grid) && printed < REPLAYS_MAX; row++) {
    const char *line = text_at(grid, row, "case");
    if (line == NULL || !is_shown(grid, row) || strlen(line) > REPLAY_BYTES_MAX) continue;
    g_autofree char *quoted = g_shell_quote(line);
    printf("  assay replay %s --executor %s\n", quoted, name);
    printed++;
  }
}

static bool is_any(const report_grid_t *grid, size_t row) {
  (void)grid, (void)row;
  return true;
}

static bool is_one_sided(const report_grid_t *grid, size_t row) {
  return strcmp(text_at(grid, row, "seen"), "both") != 0;
}

static bool is_changed(const report_grid_t *grid, size_t row) {
  return number_at(grid, row, "same") < number_at(grid, row, "cases") ||
         number_at(grid, row, "same, judged otherwise") > 0;
}

/* What nobody else tells. */
static bool is_changed_in_silence(const report_grid_t *grid, size_t row) {
  return number_at(grid, row, "changed, both conform") > 0;
}

static void print_findings(const comparison_t *comparison) {
  const report_grid_t *grid = &comparison->grids[COMPARISON_FINDINGS];
  printf("\nfindings: %zu only before, %zu only after, %zu in both\n",
         comparison_count_findings(comparison, "before"),
         comparison_count_findings(comparison, "after"),
         comparison_count_findings(comparison, "both"));
  print_rows(grid, is_one_sided);
  print_replays(comparison, grid, is_one_sided);
}

static void print_bits(const comparison_t *comparison) {
  const report_grid_t *grid = &comparison->grids[COMPARISON_BITS];
  int64_t cases = comparison_sum(comparison, COMPARISON_BITS, "cases");
  if (cases == 0) {
    printf(
        "\nbits: no case was recorded for both; `assay ledger --db FILE --executor NAME` records "
        "the same cases for each version\n");
    return;
  }
  printf("\nbits of %" PRId64 " cases: %" PRId64 " the same; changed: %" PRId64
         " conform in both, %" PRId64 " now diverge, %" PRId64 " no longer diverge, %" PRId64
         " diverge in both, %" PRId64 " not judged\n",
         cases, comparison_sum(comparison, COMPARISON_BITS, "same"),
         comparison_sum(comparison, COMPARISON_BITS, "changed, both conform"),
         comparison_sum(comparison, COMPARISON_BITS, "changed, now diverge"),
         comparison_sum(comparison, COMPARISON_BITS, "changed, no longer diverge"),
         comparison_sum(comparison, COMPARISON_BITS, "changed, both diverge"),
         comparison_sum(comparison, COMPARISON_BITS, "changed, not judged"));
  print_rows(grid, is_changed);
  print_replays(comparison, grid, is_changed_in_silence);
}

static void print_refused(const comparison_t *comparison) {
  const report_grid_t *grid = &comparison->grids[COMPARISON_REFUSED];
  printf("\nrefused: %" PRId64 " cases only before, %" PRId64 " only after\n",
         comparison_sum(comparison, COMPARISON_REFUSED, "refused before only"),
         comparison_sum(comparison, COMPARISON_REFUSED, "refused after only"));
  print_rows(grid, is_any);
  print_replays(comparison, grid, is_any);
}

static void print_comparison(const comparison_t *comparison) {
  const comparison_side_t *sides[] = {&comparison->before, &comparison->after};
  for (size_t i = 0; i < G_N_ELEMENTS(sides); i++) {
    printf("%-7s #%" PRId64 " %s, version \"%s\" (%s)\n",
           i == 0 ? "before:" : "after:", sides[i]->executor_id, sides[i]->name, sides[i]->version,
           sides[i]->hardware);
  }
  print_findings(comparison);
  print_bits(comparison);
  print_refused(comparison);
  const report_grid_t *profiles = &comparison->grids[COMPARISON_PROFILES];
  printf("\nprofiles: %zu shapes are added otherwise\n", report_grid_row_count(profiles));
  if (report_grid_row_count(profiles) > 0) report_write_table(profiles, 0, stdout);
}

/* Whether the later one is worse where both can be compared. */
static bool is_worse(const comparison_t *comparison) {
  return comparison_count_findings(comparison, "after") > 0 ||
         comparison_sum(comparison, COMPARISON_BITS, "changed, now diverge") > 0;
}

static int compare(const compare_flags_t *flags, const char *before, const char *after) {
  failure_t error = {0};
  status_t status;
  comparison_t comparison;
  if (flags->database == NULL) {
    status = status_fail(&error, STATUS_INVALID, "no database given; add --db FILE");
  } else {
    status = comparison_open(flags->database, flags->executor, before, after, &comparison, &error);
  }
  if (status != STATUS_OK) return complain_status(status, &error);
  if (flags->json) {
    comparison_print_json(&comparison, stdout);
  } else {
    print_comparison(&comparison);
  }
  int exit_code = is_worse(&comparison) ? EXIT_CODE_DIVERGES : EXIT_CODE_CLEAN;
  comparison_close(&comparison);
  return exit_code;
}

int command_compare(const command_t *command, int argc, char **argv) {
  compare_flags_t flags = {0};
  const GOptionEntry entries[] = {
      {"db", 'd', 0, G_OPTION_ARG_FILENAME, &flags.database, "The database that knows both",
       "FILE"},
      {"executor", 'e', 0, G_OPTION_ARG_STRING, &flags.executor,
       "Of which executor, where several have these versions", "NAME"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &flags.json, "Print one JSON document", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 2, 2))
    exit_code = compare(&flags, argv[1], argv[2]);
  g_free(flags.database);
  g_free(flags.executor);
  return exit_code;
}
