/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of wrong cases: a row for each op and for its algorithms, a column for each
 * executor. */
#include <string.h>

#include "reports/html/html.h"

enum { OPS_MAX = 40, ALGORITHMS_MAX = 12 };

/* Cases of one executor in a row. */
typedef struct heat_cell {
  double wrong;
  double conforms;
  double refused;
  double undecided;
  double weak;
} heat_cell_t;

typedef struct heat_row {
  const char *op;
  const char *algorithm; /* NULL: all of the op. */
  double wrong;
  heat_cell_t *cells; /* By executor. */
} heat_row_t;

static void clear_row(gpointer row) { g_free(((heat_row_t *)row)->cells); }

static void add_cases(const report_grid_t *grid, size_t index, guint executor, heat_row_t *row) {
  heat_cell_t *cell = &row->cells[executor];
  double wrong = overview_number(grid, index, "diverges") + overview_number(grid, index, "failed");
  cell->wrong += wrong;
  cell->conforms += overview_number(grid, index, "conforms");
  cell->refused += overview_number(grid, index, "refused");
  cell->undecided += overview_number(grid, index, "no-oracle");
  cell->weak += overview_number(grid, index, "weak");
  row->wrong += wrong;
}

static heat_row_t *last_row(GArray *rows) {
  return rows->len == 0 ? NULL : &g_array_index(rows, heat_row_t, rows->len - 1);
}

/* The last row if it has this label (rows come sorted), or a new one. */
static heat_row_t *find_row(GArray *rows, const char *op, const char *algorithm, guint executors) {
  heat_row_t *row = last_row(rows);
  if (row != NULL && strcmp(row->op, op) == 0 && g_strcmp0(row->algorithm, algorithm) == 0) {
    return row;
  }
  const heat_row_t next = {op, algorithm, 0, g_new0(heat_cell_t, executors)};
  g_array_append_val(rows, next);
  return last_row(rows);
}

/* Either the ops, or all algorithms of one op. */
static GArray *make_rows(const report_grid_t *grid, const GPtrArray *executors, const char *op) {
  GArray *rows = g_array_new(FALSE, TRUE, sizeof(heat_row_t));
  g_array_set_clear_func(rows, clear_row);
  size_t count = report_grid_row_count(grid);
  for (size_t i = 0; i < count; i++) {
    const char *this_op = overview_text(grid, i, "op");
    if (op != NULL && strcmp(op, this_op) != 0) continue;
    const char *algorithm = op == NULL ? NULL : overview_text(grid, i, "algorithm");
    heat_row_t *row = find_row(rows, this_op, algorithm, executors->len);
    const char *executor = overview_text(grid, i, "executor");
    for (guint k = 0; k < executors->len; k++) {
      if (strcmp(executors->pdata[k], executor) == 0) add_cases(grid, i, k, row);
    }
  }
  return rows;
}

static gint compare_wrong(gconstpointer a, gconstpointer b) {
  double left = ((const heat_row_t *)a)->wrong;
  double right = ((const heat_row_t *)b)->wrong;
  if (left != right) return left > right ? -1 : 1;
  return strcmp(((const heat_row_t *)a)->algorithm, ((const heat_row_t *)b)->algorithm);
}

/* Steps of the share: they are for the eye, the number stands in the cell. */
static const char *heat_style(double percent) {
  static const struct {
    double below;
    const char *style;
  } steps[] = {{1, "h1"}, {5, "h2"}, {20, "h3"}, {50, "h4"}};
  if (percent <= 0) return "h0";
  for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
    if (percent < steps[i].below) return steps[i].style;
  }
  return "h5";
}

static void append_cell(const char *executor, const heat_row_t *row, const heat_cell_t *cell,
                        GString *out) {
  double judged = cell->wrong + cell->conforms;
  double percent = judged > 0 ? 100 * cell->wrong / judged : 0;
  if (judged + cell->refused + cell->undecided + cell->weak == 0) {
    g_string_append(out, "<td></td>");
    return;
  }
  markup_printf(out,
                "<td class=\"%s\" title=\"%s, %s %s: %.0f wrong, %.0f right; %.0f refused, %.0f "
                "undecided, %.0f weak\">",
                judged == 0 ? "hn" : heat_style(percent), executor, row->op,
                row->algorithm == NULL ? "" : row->algorithm, cell->wrong, cell->conforms,
                cell->refused, cell->undecided, cell->weak);
  if (judged == 0) {
    g_string_append(out, cell->refused > 0     ? "refused"
                         : cell->undecided > 0 ? "undecided"
                                               : "weak");
  } else if (percent > 0 && percent < 1) {
    g_string_append_printf(out, "%.1f", MAX(percent, 0.1));
  } else {
    g_string_append_printf(out, "%.0f", percent > 99 && percent < 100 ? 99 : percent);
  }
  g_string_append(out, "</td>");
}

static void append_row(const heat_row_t *row, const GPtrArray *executors, GString *out) {
  const char *label = row->algorithm == NULL ? row->op : row->algorithm;
  markup_printf(out, "<tr><th class=\"%s\" title=\"%s\">%s</th>",
                row->algorithm == NULL ? "op" : "algorithm", label, label);
  for (guint i = 0; i < executors->len; i++) {
    append_cell(executors->pdata[i], row, &row->cells[i], out);
  }
  g_string_append(out, "</tr>\n");
}

/* The algorithms of an op that has several, those with most wrong cases first. */
static size_t append_algorithms(const report_grid_t *grid, const char *op,
                                const GPtrArray *executors, GString *out) {
  GArray *rows = make_rows(grid, executors, op);
  g_array_sort(rows, compare_wrong);
  guint shown = rows->len < 2 ? 0 : MIN(rows->len, (guint)ALGORITHMS_MAX);
  for (guint i = 0; i < shown; i++) {
    append_row(&g_array_index(rows, heat_row_t, i), executors, out);
  }
  size_t left_out = rows->len < 2 ? 0 : rows->len - shown;
  g_array_unref(rows);
  return left_out;
}

/* A heading that may be broken after a colon or an underscore. */
static void append_heading(const char *name, GString *out) {
  g_string_append(out, "<th>");
  for (const char *p = name; *p != '\0';) {
    size_t size = strcspn(p, ":_+");
    if (p[size] != '\0') size++;
    g_autofree char *part = g_strndup(p, size);
    markup_printf(out, "%s", part);
    p += size;
    if (*p != '\0') g_string_append(out, "<wbr>");
  }
  g_string_append(out, "</th>");
}

static void append_legend(GString *out) {
  static const char *const steps[][2] = {
      {"h0", "0"},     {"h1", "below 1"},   {"h2", "1 to 5"},        {"h3", "to 20"},
      {"h4", "to 50"}, {"h5", "50 to 100"}, {"hn", "nothing judged"}};
  g_string_append(out, "<ul class=\"key\">");
  for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
    markup_printf(out, "<li><i class=\"%s\"></i>%s</li>\n", steps[i][0], steps[i][1]);
  }
  g_string_append(out, "</ul>\n");
}

void html_heat_map(const overview_t *overview, GString *out) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_ALGORITHMS];
  g_autoptr(GPtrArray) executors = overview_executors(overview);
  append_legend(out);
  g_string_append(out, "<div class=\"scroll\"><table class=\"heat\"><thead><tr><th></th>");
  for (guint i = 0; i < executors->len; i++) append_heading(executors->pdata[i], out);
  g_string_append(out, "</tr></thead><tbody>\n");
  GArray *rows = make_rows(grid, executors, NULL);
  size_t left_out = rows->len - MIN(rows->len, (guint)OPS_MAX);
  for (guint i = 0; i < MIN(rows->len, (guint)OPS_MAX); i++) {
    const heat_row_t *row = &g_array_index(rows, heat_row_t, i);
    append_row(row, executors, out);
    left_out += append_algorithms(grid, row->op, executors, out);
  }
  g_string_append(out, "</tbody></table></div>\n");
  html_left_out(out, 0, left_out, "by-algorithm");
  g_array_unref(rows);
}
