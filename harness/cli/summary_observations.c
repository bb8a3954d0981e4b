#include "harness/cli/summary_observations.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/describe.h"

/* A line of the table: over observed sets. */
typedef struct line {
  size_t executor;
  const char *op;
  const char *asked;
  const char *types; /* Backends choose what they do by type. */
  uint64_t as_asked; /* Cases whose set has the algorithm asked for ... */
  uint64_t otherwise;
  char *common; /* The algorithms that all sets have, "A|B"; owned. */
} line_t;

static void line_clear(gpointer line) { g_free(((line_t *)line)->common); }

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
                       .common = g_strdup(row->observed)};
  g_array_append_val(lines, line);
  return &g_array_index(lines, line_t, lines->len - 1);
}

static void keep_common(line_t *line, const char *observed) {
  GString *common = g_string_new(NULL);
  g_auto(GStrv) names = g_strsplit(line->common, "|", -1);
  for (char **name = names; *name != NULL; name++) {
    if (!observation_set_has(observed, *name)) continue;
    g_string_append_printf(common, "%s%s", common->len == 0 ? "" : "|", *name);
  }
  g_free(line->common);
  line->common = g_string_free(common, FALSE);
}

static GArray *gather_lines(const campaign_t *campaign) {
  GArray *lines = g_array_new(FALSE, FALSE, sizeof(line_t));
  g_array_set_clear_func(lines, line_clear);
  observation_tally_t *observations = session_observations(campaign->session);
  for (size_t i = 0; i < observation_tally_count(observations); i++) {
    const observation_row_t *row = observation_tally_at(observations, i);
    line_t *line = find_line(lines, row);
    bool is_as_asked = observation_set_has(row->observed, row->label.algorithm);
    *(is_as_asked ? &line->as_asked : &line->otherwise) += row->cases;
    keep_common(line, row->observed);
  }
  g_array_sort(lines, compare_lines);
  return lines;
}

typedef struct widths {
  int asked;
  int types;
} widths_t;

static void print_head(const campaign_t *campaign, const line_t *line, widths_t widths) {
  printf("\n%s %s, told by the bits\n", executor_name(campaign->executors.items[line->executor]),
         line->op);
  printf("  %-*s  %-*s%9s%10s%11s  %s\n", widths.asked, "asked for", widths.types, "types", "cases",
         "as asked", "otherwise", "fits every case");
}

static void print_line(const line_t *line, widths_t widths) {
  printf("  %-*s  %-*s%9" PRIu64 "%10" PRIu64 "%11" PRIu64 "  %s\n", widths.asked, line->asked,
         widths.types, line->types, line->as_asked + line->otherwise, line->as_asked,
         line->otherwise, line->common[0] == '\0' ? "(no single algorithm)" : line->common);
}

static bool is_same_request(const line_t *a, const line_t *b) {
  return a->executor == b->executor && a->op == b->op && a->asked == b->asked;
}

/* The types where something was not as asked, and all others in one line; gives the index behind.
 */
static guint print_request(const GArray *lines, guint first, widths_t widths) {
  const line_t *request = &g_array_index(lines, line_t, first);
  char as_asked[] = "as asked";
  line_t rest = {.asked = request->asked, .types = "all types", .common = as_asked};
  guint i = first;
  for (; i < lines->len; i++) {
    const line_t *line = &g_array_index(lines, line_t, i);
    if (!is_same_request(line, request)) break;
    if (line->otherwise > 0) {
      print_line(line, widths);
      rest.types = "other types";
    } else {
      rest.as_asked += line->as_asked;
    }
  }
  if (rest.as_asked > 0) print_line(&rest, widths);
  return i;
}

static widths_t measure_widths(const GArray *lines) {
  widths_t widths = {.asked = (int)strlen("asked for"), .types = (int)strlen("other types")};
  for (guint i = 0; i < lines->len; i++) {
    const line_t *line = &g_array_index(lines, line_t, i);
    widths.asked = MAX(widths.asked, (int)strlen(line->asked));
    if (line->otherwise > 0) widths.types = MAX(widths.types, (int)strlen(line->types));
  }
  return widths;
}

void summary_print_observations(const campaign_t *campaign) {
  GArray *lines = gather_lines(campaign);
  widths_t widths = measure_widths(lines);
  const line_t *previous = NULL;
  for (guint i = 0; i < lines->len;) {
    const line_t *line = &g_array_index(lines, line_t, i);
    if (previous == NULL || line->executor != previous->executor || line->op != previous->op) {
      print_head(campaign, line, widths);
    }
    i = print_request(lines, i, widths);
    previous = line;
  }
  g_array_unref(lines);
}

json_t *summary_json_observations(const campaign_t *campaign) {
  json_t *array = json_array();
  observation_tally_t *observations = session_observations(campaign->session);
  for (size_t i = 0; i < observation_tally_count(observations); i++) {
    const observation_row_t *row = observation_tally_at(observations, i);
    json_array_append_new(
        array, json_pack("{s:s, s:s, s:s, s:s, s:o, s:b, s:I}", "executor",
                         executor_name(campaign->executors.items[row->executor]), "op",
                         row->label.op, "asked", row->label.algorithm, "types", row->label.types,
                         "observed", json_algorithms(row->observed), "as_asked",
                         (int)observation_set_has(row->observed, row->label.algorithm), "cases",
                         (json_int_t)row->cases));
  }
  return array;
}
