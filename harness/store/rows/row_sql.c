/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the statements that add and merge rows, from what columns.def says of their columns.
 * What is a rule for one column stands here once for all of them. */
#include "harness/store/rows/row_sql.h"

#include <string.h>

#include "harness/store/severity/severity_sql.h"

static bool is_mapped(const column_t *column) {
  return column->kind == KIND_RUN || column->kind == KIND_EXECUTOR;
}

/* ---- Columns named by their role ------------------------------------------------------------- */

static const row_type_t *find_row(const char *name) {
  for (row_kind_t kind = 0; kind < ROW_COUNT; kind++) {
    if (strcmp(row_type(kind)->name, name) == 0) return row_type(kind);
  }
  g_error("columns.def has no row \"%s\"", name);
}

/* Appends what "{row role: text}" stands for, written without its braces. */
static void append_list(const char *list, GString *out_sql) {
  g_auto(GStrv) parts = g_strsplit(list, ": ", 2);
  g_auto(GStrv) words = g_strsplit(parts[0], " ", 2);
  const char *text = parts[1] == NULL ? "$" : parts[1];
  const row_type_t *type = find_row(words[0]);
  size_t count = 0;
  for (size_t i = 0; i < type->column_count; i++) {
    if (g_strcmp0(type->columns[i].role_name, words[1]) != 0) continue;
    g_auto(GStrv) pieces = g_strsplit(text, "$", -1);
    g_autofree char *item = g_strjoinv(type->columns[i].name, pieces);
    g_string_append_printf(out_sql, "%s%s", count == 0 ? "" : ", ", item);
    count++;
  }
  if (count == 0) g_error("columns.def has no columns for {%s}", list);
}

void row_append_sql(const char *sql, GString *out_sql) {
  for (const char *open; (open = strchr(sql, '{')) != NULL;) {
    const char *close = strchr(open, '}');
    if (close == NULL) g_error("a brace is not closed: %s", open);
    g_string_append_len(out_sql, sql, open - sql);
    g_autofree char *list = g_strndup(open + 1, (gsize)(close - open - 1));
    append_list(list, out_sql);
    sql = close + 1;
  }
  g_string_append(out_sql, sql);
}

/* ---- Counts ---------------------------------------------------------------------------------- */

/* Appends all columns of a row, each after a prefix, with commas between them. */
static void append_all(const row_type_t *type, const char *prefix, GString *out_sql) {
  for (size_t i = 0; i < type->column_count; i++) {
    const char *comma = i == 0 ? "" : ", ";
    g_string_append_printf(out_sql, "%s%s%s", comma, prefix, type->columns[i].name);
  }
}

static void append_into(const row_type_t *type, GString *out_sql) {
  g_string_append_printf(out_sql, "INSERT INTO %s (", type->table);
  append_all(type, "", out_sql);
  g_string_append(out_sql, ") ");
}

/* ---- A row with the same key is there -------------------------------------------------------- */

/* max(a, b) of SQLite is NULL if either is; hence the coalesce(). */
static void append_max(const char *name, GString *out_sql) {
  g_string_append_printf(out_sql, "max(coalesce(%s, excluded.%s), coalesce(excluded.%s, %s))", name,
                         name, name, name);
}

/* What becomes of a column; false, and nothing is appended, if it stays. */
static bool append_update(const column_t *column, bool adds, const char *comma, GString *out_sql) {
  const char *name = column->name;
  switch (column->role) {
    case ROLE_SUM:
      g_string_append_printf(out_sql, "%s%s = ", comma, name);
      if (adds) g_string_append_printf(out_sql, "%s + ", name);
      g_string_append_printf(out_sql, "excluded.%s", name);
      return true;
    case ROLE_MAX:
      g_string_append_printf(out_sql, "%s%s = ", comma, name);
      append_max(name, out_sql);
      return true;
    case ROLE_LAST:
      g_string_append_printf(out_sql, "%s%s = excluded.%s", comma, name, name);
      return true;
    default:
      return false;
  }
}

/* `adds`: sums are of other cases than those that are there; else they hold them. */
static void append_conflict(const row_type_t *type, bool adds, GString *out_sql) {
  g_string_append(out_sql, " ON CONFLICT DO UPDATE SET ");
  const char *comma = "";
  for (size_t i = 0; i < type->column_count; i++) {
    if (append_update(&type->columns[i], adds, comma, out_sql)) comma = ", ";
  }
}

/* What is there already is not written again. */
static void append_unless_equal(const row_type_t *type, GString *out_sql) {
  const char *word = " WHERE ";
  for (size_t i = 0; i < type->column_count; i++) {
    if (type->columns[i].role != ROLE_LAST) continue;
    const char *name = type->columns[i].name;
    g_string_append_printf(out_sql, "%s%s IS NOT excluded.%s", word, name, name);
    word = " OR ";
  }
}

void row_append_upsert(row_kind_t kind, GString *out_sql) {
  const row_type_t *type = row_type(kind);
  append_into(type, out_sql);
  g_string_append(out_sql, "VALUES (");
  append_all(type, ":", out_sql);
  g_string_append_c(out_sql, ')');
  append_conflict(type, true, out_sql);
  append_unless_equal(type, out_sql);
}

/* ---- Reproducers ----------------------------------------------------------------------------- */

static const char INTO_REPRODUCER[] =
    "INSERT INTO reproducer ({divergence CASE}, run_id, program_id, divergence_id, role) ";

/* The worst case is that with the largest slack, then the largest ulp error, where what was not
 * measured is least, as is_worse() in store/pending.c has it; the gravest by severity, then by
 * weight, then the shorter one, as is_graver() has it; the others are to be short. */
static void append_if_better(GString *out_sql) {
  row_append_sql(
      " ON CONFLICT DO UPDATE SET ({divergence CASE}, run_id, program_id) = "
      "({divergence CASE: excluded.$}, excluded.run_id, excluded.program_id) "
      "WHERE CASE role WHEN 'worst' THEN "
      "(coalesce(excluded.slack, -1), coalesce(excluded.ulp_error, -1)) > "
      "(coalesce(slack, -1), coalesce(ulp_error, -1)) WHEN 'gravest' THEN (-(",
      out_sql);
  severity_append_rank("excluded.severity", out_sql);
  g_string_append(out_sql, "), excluded.severity_weight, -length(excluded.case_line)) > (-(");
  severity_append_rank("severity", out_sql);
  g_string_append(out_sql,
                  "), severity_weight, -length(case_line)) "
                  "ELSE length(excluded.case_line) < length(case_line) END");
}

void row_append_offer(GString *out_sql) {
  row_append_sql(INTO_REPRODUCER, out_sql);
  row_append_sql("VALUES ({divergence CASE: :$}, :run_id, :program_id, :divergence_id, :role)",
                 out_sql);
  append_if_better(out_sql);
}

/* "WHERE true" tells SQLite's parser that ON CONFLICT does not belong to a join. */
static void append_merge_of_reproducers(GString *out_sql) {
  row_append_sql(INTO_REPRODUCER, out_sql);
  row_append_sql(
      "SELECT {divergence CASE}, run_map.target_id, program_map.target_id, "
      "divergence_map.target_id, role FROM source.reproducer "
      "JOIN temp.divergence_map ON divergence_map.source_id = divergence_id "
      "JOIN temp.program_map ON program_map.source_id = program_id "
      "JOIN temp.run_map ON run_map.source_id = run_id WHERE true",
      out_sql);
  append_if_better(out_sql);
  g_string_append(out_sql, ";\n");
}

/* ---- Databases and parts --------------------------------------------------------------------- */

/* Counts of a run only grow: those of more cases are the newer ones. */
static void append_merge_of_counts(const row_type_t *type, GString *out_sql) {
  append_into(type, out_sql);
  GString *joins = g_string_new(NULL);
  for (size_t i = 0; i < type->column_count; i++) {
    const char *name = type->columns[i].name;
    g_string_append(out_sql, i == 0 ? "SELECT " : ", ");
    g_string_append(out_sql, name);
    if (is_mapped(&type->columns[i])) g_string_append(out_sql, "_map.target_id");
    if (!is_mapped(&type->columns[i])) continue;
    const char *map = type->columns[i].kind == KIND_RUN ? "run_map" : "executor_map";
    g_string_append_printf(joins, " JOIN temp.%s AS %s_map ON %s_map.source_id = %s", map, name,
                           name, name);
  }
  g_string_append_printf(out_sql, " FROM source.%s%s WHERE true", type->table, joins->str);
  append_conflict(type, false, out_sql);
  g_string_append(out_sql, " WHERE excluded.cases > cases;\n");
  g_string_free(joins, TRUE);
}

static void append_absorb_of_counts(const row_type_t *type, GString *out_sql) {
  append_into(type, out_sql);
  GString *keys = g_string_new(NULL);
  for (size_t i = 0; i < type->column_count; i++) {
    const column_t *column = &type->columns[i];
    bool is_key = column->role == ROLE_KEY;
    const char *from = column->kind == KIND_RUN ? "target_id" : column->name;
    const char *function = is_key ? "" : column->role == ROLE_SUM ? "sum" : "max";
    g_string_append(out_sql, i == 0 ? "SELECT " : ", ");
    g_string_append_printf(out_sql, "%s(%s)", function, from);
    if (is_key) g_string_append_printf(keys, "%s%s", keys->len == 0 ? "" : ", ", from);
  }
  g_string_append_printf(out_sql,
                         " FROM %s JOIN temp.part_map ON part_map.source_id = run_id GROUP BY %s",
                         type->table, keys->str);
  append_conflict(type, true, out_sql);
  g_string_append(out_sql, ";\n");
  g_string_free(keys, TRUE);
}

void row_append_merge(GString *out_sql) {
  for (row_kind_t kind = 0; kind < ROW_COUNT; kind++) {
    if (row_is_count(kind)) append_merge_of_counts(row_type(kind), out_sql);
  }
  append_merge_of_reproducers(out_sql);
}

void row_append_absorb(GString *out_sql) {
  for (row_kind_t kind = 0; kind < ROW_COUNT; kind++) {
    if (row_is_count(kind)) append_absorb_of_counts(row_type(kind), out_sql);
  }
}

void row_append_drop_parts(GString *out_sql) {
  for (row_kind_t kind = 0; kind < ROW_COUNT; kind++) {
    if (!row_is_count(kind)) continue;
    g_string_append_printf(
        out_sql, "DELETE FROM %s WHERE run_id IN (SELECT source_id FROM temp.part_map);\n",
        row_type(kind)->table);
  }
}
