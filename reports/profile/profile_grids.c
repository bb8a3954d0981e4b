/* SPDX-License-Identifier: Apache-2.0 */
/* Sums the tally of a session and the answers of executors by op, types, constraint, algorithm and
 * class. */
#include "reports/profile/profile_grids.h"

#include <string.h>

#include "reports/profile/group.h"
#include "reports/run/describe_finding.h"

static const char *name_of(const profile_report_t *report, size_t executor) {
  return run_report_executor(report->run, executor);
}

static const session_t *session_of(const profile_report_t *report) { return report->run->session; }

/* Adds a row of the tally to counts of judged, conforming, diverging, failed, vacuous and undecided
 * cases. */
static void add_outcome(const tally_row_t *row, uint64_t *counts) {
  switch (row->outcome) {
    case OUTCOME_conforms:
      counts[1] += row->cases;
      break;
    case OUTCOME_diverges:
      counts[2] += row->cases;
      break;
    case OUTCOME_failed:
      counts[3] += row->cases;
      break;
    case OUTCOME_weak:
      counts[4] += row->cases;
      break;
    case OUTCOME_no_oracle:
      counts[5] += row->cases;
      break;
    case OUTCOME_refused:
    case OUTCOME_COUNT:
    default:
      break;
  }
  if (outcome_is_judged(row->outcome)) counts[0] += row->cases;
}

/* Adds what executors said to the pairs: asked, taken, refused. */
static void add_pair(const capability_row_t *row, uint64_t *counts) {
  counts[0]++;
  counts[row->state == CAPABILITY_REFUSED ? 2 : 1]++;
}

#define CASE_NAMES "judged", "conforms", "diverges", "failed", "vacuous", "no oracle"

void profile_grid_ops(const profile_report_t *report, report_grid_t *grid) {
  static const char *const names[] = {"executor", "op",       "types", "taken",
                                      "refused",  CASE_NAMES, NULL};
  group_t group;
  group_init(&group);
  for (size_t i = 0; i < run_report_executor_count(report->run); i++) {
    for (size_t k = 0; k < capability_count(report->tables[i]); k++) {
      const capability_row_t row = capability_at(report->tables[i], k);
      const char *const texts[] = {name_of(report, i), row.op, NULL};
      add_pair(&row, group_row(&group, texts)->counts);
    }
  }
  tally_t *tally = session_tally(session_of(report));
  for (size_t i = 0; i < tally_count(tally); i++) {
    const tally_row_t *row = tally_at(tally, i);
    if (row->is_invalid) continue;
    const char *const texts[] = {name_of(report, row->executor), row->label.op, NULL};
    add_outcome(row, group_row(&group, texts)->counts + 3);
  }
  group_write(&group, names, 2, false, grid);
  group_deinit(&group);
}

/* The element types in a list of them, each once; freed with g_hash_table_destroy(). */
static GHashTable *list_elements(const char *types) {
  GHashTable *elements = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GString) element = g_string_new(NULL);
  int depth = 0;
  for (const char *at = types;; at++) {
    bool is_end = depth == 0 && (*at == ',' || *at == '\0' || strncmp(at, "->", 2) == 0);
    if (is_end) {
      if (element->len > 0) g_hash_table_add(elements, g_strdup(element->str));
      g_string_truncate(element, 0);
      if (*at == '\0') return elements;
      at += *at == '-';
      continue;
    }
    depth += (*at == '<') - (*at == '>');
    g_string_append_c(element, *at);
  }
}

/* Adds counts to the rows of all element types that a list has. */
static void add_to_elements(group_t *group, const char *executor, const char *types,
                            const uint64_t counts[GROUP_COUNTS_MAX]) {
  GHashTable *elements = list_elements(types);
  GHashTableIter iterator;
  gpointer element;
  g_hash_table_iter_init(&iterator, elements);
  while (g_hash_table_iter_next(&iterator, &element, NULL)) {
    const char *const texts[] = {executor, (const char *)element, NULL};
    group_row_t *row = group_row(group, texts);
    for (int i = 0; i < GROUP_COUNTS_MAX; i++) row->counts[i] += counts[i];
  }
  g_hash_table_destroy(elements);
}

void profile_grid_elements(const profile_report_t *report, report_grid_t *grid) {
  static const char *const names[] = {
      "executor", "element type", "ops and types", "taken", "refused", CASE_NAMES, NULL};
  group_t group;
  group_init(&group);
  for (size_t i = 0; i < run_report_executor_count(report->run); i++) {
    for (size_t k = 0; k < capability_count(report->tables[i]); k++) {
      const capability_row_t row = capability_at(report->tables[i], k);
      uint64_t counts[GROUP_COUNTS_MAX] = {0};
      add_pair(&row, counts);
      add_to_elements(&group, name_of(report, i), row.types, counts);
    }
  }
  tally_t *tally = session_tally(session_of(report));
  for (size_t i = 0; i < tally_count(tally); i++) {
    const tally_row_t *row = tally_at(tally, i);
    if (row->is_invalid) continue;
    uint64_t counts[GROUP_COUNTS_MAX] = {0};
    add_outcome(row, counts + 3);
    add_to_elements(&group, name_of(report, row->executor), row->label.types, counts);
  }
  group_write(&group, names, 2, false, grid);
  group_deinit(&group);
}

/* Sums all that was drawn and is valid by op and one of the labels. */
static void write_cases(const profile_report_t *report, bool by_types, const char *const *names,
                        report_grid_t *grid) {
  group_t group;
  group_init(&group);
  tally_t *tally = session_tally(session_of(report));
  for (size_t i = 0; i < tally_count(tally); i++) {
    const tally_row_t *row = tally_at(tally, i);
    if (row->is_invalid || row->asked == row->cases) continue;
    const char *const texts[] = {name_of(report, row->executor), row->label.op,
                                 by_types ? row->label.types : row->label.algorithm, NULL};
    group_row_t *counts = group_row(&group, texts);
    add_outcome(row, counts->counts);
    if (row->outcome == OUTCOME_refused) counts->counts[6] += row->cases - row->asked;
    if (row->class_ != CLASS_none) group_row_note(counts, class_spelling(row->class_));
  }
  group_write(&group, names, 3, true, grid);
  group_deinit(&group);
}

void profile_grid_types(const profile_report_t *report, report_grid_t *grid) {
  static const char *const names[] = {"executor", "op",      "types", CASE_NAMES,
                                      "refused",  "classes", NULL};
  write_cases(report, true, names, grid);
}

void profile_grid_algorithms(const profile_report_t *report, report_grid_t *grid) {
  static const char *const names[] = {"executor", "op",      "algorithm", CASE_NAMES,
                                      "refused",  "classes", NULL};
  write_cases(report, false, names, grid);
}

/* ---- Constraints ----------------------------------------------------------------------------- */

static void add_constraints(const profile_report_t *report, const tally_row_t *row,
                            group_t *group) {
  for (guint i = 0; i < row->constraints->len; i++) {
    const tally_constraint_t *broken = &g_array_index(row->constraints, tally_constraint_t, i);
    const char *const texts[] = {name_of(report, row->executor), row->label.op, broken->id, NULL};
    group_row_t *counts = group_row(group, texts);
    int column = row->outcome == OUTCOME_conforms   ? 1
                 : row->outcome == OUTCOME_diverges ? 2
                 : row->outcome == OUTCOME_failed   ? 3
                                                    : 4;
    counts->counts[0] += broken->cases;
    counts->counts[column] += broken->cases;
  }
}

/* Rows of those of an op that forbid something, of a list that may be NULL. */
static void note_clauses(const profile_report_t *report, const op_t *op,
                         const op_constraint_t *rows, group_t *group) {
  for (; rows != NULL && rows->id != NULL; rows++) {
    if (!op_constraint_is_breakable(rows)) continue;
    for (size_t i = 0; i < run_report_executor_count(report->run); i++) {
      const char *const texts[] = {name_of(report, i), op->name, rows->id, NULL};
      g_autoptr(GString) clause = g_string_new(NULL);
      op_constraint_print_clause(op, rows, clause);
      if (rows->text != NULL) g_string_append_printf(clause, ": %s", rows->text);
      group_row_note(group_row(group, texts), clause->str);
    }
  }
}

void profile_grid_constraints(const profile_report_t *report, report_grid_t *grid) {
  static const char *const names[] = {"executor", "op",     "constraint",    "drawn", "rejected",
                                      "accepted", "failed", "not supported", "says",  NULL};
  group_t group;
  group_init(&group);
  const stream_options_t *stream = &session_options(session_of(report))->stream;
  for (size_t i = 0; i < stream->op_count; i++) {
    note_clauses(report, stream->ops[i], stream->ops[i]->constraints, &group);
    note_clauses(report, stream->ops[i], stream->ops[i]->contract_constraints, &group);
  }
  tally_t *tally = session_tally(session_of(report));
  for (size_t i = 0; i < tally_count(tally); i++) {
    const tally_row_t *row = tally_at(tally, i);
    if (row->is_invalid && row->constraints != NULL) add_constraints(report, row, &group);
  }
  group_write(&group, names, 3, true, grid);
  group_deinit(&group);
}

/* ---- What diverged --------------------------------------------------------------------------- */

void profile_grid_classes(const profile_report_t *report, report_grid_t *grid) {
  static const char *const names[] = {"executor", "outcome", "class", "cases", "ops", NULL};
  group_t group;
  group_init(&group);
  tally_t *tally = session_tally(session_of(report));
  for (size_t i = 0; i < tally_count(tally); i++) {
    const tally_row_t *row = tally_at(tally, i);
    if (row->class_ == CLASS_none) continue;
    const char *const texts[] = {name_of(report, row->executor), outcome_spelling(row->outcome),
                                 class_spelling(row->class_), NULL};
    group_row_t *counts = group_row(&group, texts);
    counts->counts[0] += row->cases;
    group_row_note(counts, row->label.op);
  }
  group_write(&group, names, 3, true, grid);
  group_deinit(&group);
}

void profile_grid_findings(const profile_report_t *report, report_grid_t *grid) {
  static const char *const names[] = {"finding", "cases", "shown again by", NULL};
  report_grid_add(grid, 3, names, NULL, NULL);
  for (size_t i = 0; i < session_finding_count(session_of(report)); i++) {
    const finding_t *finding = session_finding(session_of(report), i);
    g_autoptr(GString) words = g_string_new(NULL);
    g_autoptr(GString) command = g_string_new(NULL);
    describe_finding(finding, report->run, words);
    describe_replay(finding, report->run, command);
    g_autofree char *count = g_strdup_printf("%" G_GUINT64_FORMAT, finding->count);
    const store_value_t values[] = {{.kind = STORE_TEXT, .text = words->str},
                                    {.kind = STORE_INTEGER,
                                     .text = count,
                                     .real = (double)finding->count,
                                     .integer = (int64_t)finding->count},
                                    {.kind = STORE_TEXT, .text = command->str}};
    report_grid_add(grid, 3, NULL, values, NULL);
  }
}

/* ---- What was not judged --------------------------------------------------------------------- */

/* A reason without what differs from program to program: what stands in <...>, and numbers. */
static char *generalise(const char *reason) {
  g_autoptr(GString) text = g_string_new(NULL);
  int depth = 0;
  for (const char *at = reason; *at != '\0'; at++) {
    bool closes = depth > 0 && *at == '>' && at[-1] != '-';
    if (depth == 0 || (closes && depth == 1)) {
      bool is_number = g_ascii_isdigit(*at) && at > reason && !g_ascii_isalnum(at[-1]);
      if (is_number) {
        g_string_append_c(text, 'N');
        while (g_ascii_isdigit(at[1])) at++;
      } else {
        g_string_append_c(text, *at);
      }
      if (*at == '<') g_string_append(text, "...");
    }
    depth += (*at == '<') - closes;
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

void profile_grid_refused(const profile_report_t *report, report_grid_t *grid) {
  static const char *const names[] = {"executor", "op", "reason", "types refused", "such as", NULL};
  group_t group;
  group_init(&group);
  for (size_t i = 0; i < run_report_executor_count(report->run); i++) {
    for (size_t k = 0; k < capability_count(report->tables[i]); k++) {
      const capability_row_t row = capability_at(report->tables[i], k);
      if (row.state != CAPABILITY_REFUSED) continue;
      g_autofree char *reason =
          row.reason[0] == '\0' ? g_strdup("not supported") : generalise(row.reason);
      const char *const texts[] = {name_of(report, i), row.op, reason, NULL};
      group_row_t *counts = group_row(&group, texts);
      counts->counts[0]++;
      group_row_note(counts, row.types);
    }
  }
  group_write(&group, names, 3, true, grid);
  group_deinit(&group);
}

/* Pairs that were taken, and of which no case was judged. */
void profile_grid_unproven(const profile_report_t *report, report_grid_t *grid) {
  static const char *const names[] = {"executor",  "op",      "types", "vacuous",
                                      "no oracle", "refused", "why",   NULL};
  group_t all;
  group_init(&all);
  tally_t *tally = session_tally(session_of(report));
  for (size_t i = 0; i < tally_count(tally); i++) {
    const tally_row_t *row = tally_at(tally, i);
    if (row->is_invalid) continue;
    const char *const texts[] = {name_of(report, row->executor), row->label.op, row->label.types,
                                 NULL};
    group_row_t *counts = group_row(&all, texts);
    counts->counts[3] += outcome_is_judged(row->outcome) ? row->cases : row->asked;
    counts->counts[0] += row->outcome == OUTCOME_weak ? row->cases : 0;
    counts->counts[1] += row->outcome == OUTCOME_no_oracle ? row->cases : 0;
    counts->counts[2] += row->outcome == OUTCOME_refused ? row->cases : 0;
    group_row_note(counts, row->reason);
  }
  GHashTableIter iterator;
  gpointer row;
  g_hash_table_iter_init(&iterator, all.rows);
  while (g_hash_table_iter_next(&iterator, NULL, &row)) {
    if (((const group_row_t *)row)->counts[3] > 0) g_hash_table_iter_remove(&iterator);
  }
  group_write(&all, names, 3, true, grid);
  group_deinit(&all);
}
