/* SPDX-License-Identifier: Apache-2.0 */
/* Summary section on dot algorithms: groups observed sets by request and type, and shows where
 * results fit another algorithm than the one requested. */
#include "reports/run/summary_observations.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reports/verdict/describe.h"

/* An algorithm and the cases that could have come from it. */
typedef struct fit {
  const char *name; /* Interned: there are few. */
  uint64_t cases;
} fit_t;

/* A line of the table: over observed sets. */
typedef struct line {
  size_t executor;
  const char *op;
  const char *asked;
  const char *types; /* Backends choose what they do by type. */
  uint64_t cases;
  uint64_t as_asked; /* Of these, cases that could have come from the algorithm asked for. */
  GArray *fits;      /* fit_t, in order of first appearance; owned. */
} line_t;

static void line_clear(gpointer line) { g_array_unref(((line_t *)line)->fits); }

static gint compare_lines(gconstpointer a, gconstpointer b) {
  const line_t *left = (const line_t *)a;
  const line_t *right = (const line_t *)b;
  if (left->executor != right->executor) return left->executor < right->executor ? -1 : 1;
  int order = strcmp(left->op, right->op);
  if (order == 0) order = strcmp(left->asked, right->asked);
  return order != 0 ? order : strcmp(left->types, right->types);
}

/* Equal texts of labels are one pointer. */
static line_t *find_line(GArray *lines, const observation_row_t *row) {
  for (guint i = 0; i < lines->len; i++) {
    line_t *line = &g_array_index(lines, line_t, i);
    if (line->executor == row->executor && line->op == row->label.op &&
        line->asked == row->label.algorithm && line->types == row->label.types) {
      return line;
    }
  }
  const line_t line = {.executor = row->executor,
                       .op = row->label.op,
                       .asked = row->label.algorithm,
                       .types = row->label.types,
                       .fits = g_array_new(FALSE, FALSE, sizeof(fit_t))};
  g_array_append_val(lines, line);
  return &g_array_index(lines, line_t, lines->len - 1);
}

static void count_fit(GArray *fits, const char *name, uint64_t cases) {
  const fit_t added = {g_intern_string(name), cases};
  for (guint i = 0; i < fits->len; i++) {
    fit_t *fit = &g_array_index(fits, fit_t, i);
    if (fit->name != added.name) continue;
    fit->cases += cases;
    return;
  }
  g_array_append_val(fits, added);
}

static void add_row(line_t *line, const observation_row_t *row) {
  line->cases += row->cases;
  g_auto(GStrv) names = g_strsplit(row->observed, "|", -1);
  for (char **name = names; *name != NULL; name++) {
    count_fit(line->fits, *name, row->cases);
    if (strcmp(*name, line->asked) == 0) line->as_asked += row->cases;
  }
}

static GArray *gather_lines(const run_report_t *report) {
  GArray *lines = g_array_new(FALSE, FALSE, sizeof(line_t));
  g_array_set_clear_func(lines, line_clear);
  observation_tally_t *observations = session_observations(report->session);
  for (size_t i = 0; i < observation_tally_count(observations); i++) {
    const observation_row_t *row = observation_tally_at(observations, i);
    if (row->kind == OBSERVATION_ALGORITHM) add_row(find_line(lines, row), row);
  }
  g_array_sort(lines, compare_lines);
  return lines;
}

typedef struct widths {
  int asked;
  int types;
} widths_t;

static void print_head(const run_report_t *report, const line_t *line, widths_t widths) {
  printf("\n%s %s, identified by the bits\n", run_report_executor(report, line->executor),
         line->op);
  printf("  %-*s  %-*s%9s%10s%10s  %s\n", widths.asked, "asked for", widths.types, "types", "cases",
         "as asked", "best fit", "algorithms");
}

static void print_line(const line_t *line, const char *types, uint64_t best, const char *names,
                       widths_t widths) {
  printf("  %-*s  %-*s%9" PRIu64 "%10" PRIu64 "%10" PRIu64 "  %s\n", widths.asked, line->asked,
         widths.types, types, line->cases, line->as_asked, best, names);
}

/* A line that is not all as asked: which algorithms fit the most of its cases. */
static void print_fallback(const line_t *line, widths_t widths) {
  uint64_t best = 0;
  for (guint i = 0; i < line->fits->len; i++) {
    best = MAX(best, g_array_index(line->fits, fit_t, i).cases);
  }
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < line->fits->len; i++) {
    const fit_t *fit = &g_array_index(line->fits, fit_t, i);
    if (fit->cases != best) continue;
    g_string_append_printf(names, "%s%s", names->len == 0 ? "" : "|", fit->name);
  }
  print_line(line, line->types, best, best == 0 ? "(none)" : names->str, widths);
}

static bool is_same_request(const line_t *a, const line_t *b) {
  return a->executor == b->executor && a->op == b->op && a->asked == b->asked;
}

/* The types where something was not as asked, and all others in one line; gives the index behind.
 */
static guint print_request(const GArray *lines, guint first, widths_t widths) {
  const line_t *request = &g_array_index(lines, line_t, first);
  line_t rest = {.asked = request->asked};
  const char *types = "all types";
  guint i = first;
  for (; i < lines->len; i++) {
    const line_t *line = &g_array_index(lines, line_t, i);
    if (!is_same_request(line, request)) break;
    if (line->as_asked < line->cases) {
      print_fallback(line, widths);
      types = "other types";
    } else {
      rest.cases += line->cases;
      rest.as_asked += line->cases;
    }
  }
  if (rest.cases > 0) print_line(&rest, types, rest.cases, "as asked", widths);
  return i;
}

static widths_t measure_widths(const GArray *lines) {
  widths_t widths = {.asked = (int)strlen("asked for"), .types = (int)strlen("other types")};
  for (guint i = 0; i < lines->len; i++) {
    const line_t *line = &g_array_index(lines, line_t, i);
    widths.asked = MAX(widths.asked, (int)strlen(line->asked));
    if (line->as_asked < line->cases) widths.types = MAX(widths.types, (int)strlen(line->types));
  }
  return widths;
}

void summary_print_observations(const run_report_t *report) {
  GArray *lines = gather_lines(report);
  widths_t widths = measure_widths(lines);
  const line_t *previous = NULL;
  for (guint i = 0; i < lines->len;) {
    const line_t *line = &g_array_index(lines, line_t, i);
    if (previous == NULL || line->executor != previous->executor || line->op != previous->op) {
      print_head(report, line, widths);
    }
    i = print_request(lines, i, widths);
    previous = line;
  }
  g_array_unref(lines);
}

json_t *summary_json_observations(const run_report_t *report) {
  json_t *array = json_array();
  observation_tally_t *observations = session_observations(report->session);
  for (size_t i = 0; i < observation_tally_count(observations); i++) {
    const observation_row_t *row = observation_tally_at(observations, i);
    if (row->kind != OBSERVATION_ALGORITHM) continue;
    json_array_append_new(
        array, json_pack("{s:s, s:s, s:s, s:s, s:o, s:b, s:I}", "executor",
                         run_report_executor(report, row->executor), "op", row->label.op, "asked",
                         row->label.algorithm, "types", row->label.types, "observed",
                         json_algorithms(row->observed), "as_asked",
                         (int)observation_set_has(row->observed, row->label.algorithm), "cases",
                         (json_int_t)row->cases));
  }
  return array;
}
