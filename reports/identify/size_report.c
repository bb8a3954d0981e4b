/* SPDX-License-Identifier: Apache-2.0 */
/* How the order of a sum depends on a size, as lines and as JSON. */
#include "reports/identify/size_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "harness/identify/order/sum_rule.h"
#include "reports/verdict/describe.h"

/* What a range is: a rule and arithmetics, or why there are none. */
static char *range_text(const order_by_size_t *map, const size_range_t *range) {
  const size_point_t *last = &g_array_index(map->points, size_point_t, range->end - 1);
  if (last->is_refused) return g_strdup_printf("refused: %s", last->reason);
  if (!last->is_explained) {
    bool is_first_only = last->identity == IDENTITY_FOUND;
    const char *name = is_first_only ? "result elements differ" : identity_name(last->identity);
    return g_strdup_printf("%s: %s", name, last->reason);
  }
  GString *text = g_string_new(NULL);
  sum_order_print_found(range->order, text);
  g_string_append(text, "; ");
  profile_print_arithmetics(&last->profile, text);
  sum_rule_print_init_place(&last->profile, "; ", text);
  return g_string_free(text, FALSE);
}

void size_report_print(const size_report_t *report) {
  const order_by_size_t *map = report->map;
  printf("%s %s\n  %s %" PRId64 "..%" PRId64 ": %u ranges, from %u sizes, %zu calls\n",
         executor_name(report->executor), report->program_line, report->mapped, report->first,
         report->last, map->ranges->len, map->points->len, map->calls);
  for (guint i = 0; i < map->ranges->len; i++) {
    const size_range_t *range = &g_array_index(map->ranges, size_range_t, i);
    char *sizes = g_strdup_printf("%" PRId64 "..%" PRId64, range->first, range->last);
    char *text = range_text(map, range);
    printf("  %-12s %s\n", sizes, text);
    g_free(text);
    g_free(sizes);
  }
}

void size_report_print_json(const size_report_t *report) {
  const order_by_size_t *map = report->map;
  json_t *ranges = json_array();
  for (guint i = 0; i < map->ranges->len; i++) {
    const size_range_t *range = &g_array_index(map->ranges, size_range_t, i);
    char *text = range_text(map, range);
    json_t *sizes = json_array();
    for (size_t k = range->begin; k < range->end; k++) {
      int64_t size = g_array_index(map->points, size_point_t, k).size;
      json_array_append_new(sizes, json_integer(size));
    }
    json_array_append_new(
        ranges, json_pack("{s:I, s:I, s:s, s:o}", "first", (json_int_t)range->first, "last",
                          (json_int_t)range->last, "kind", text, "identified_sizes", sizes));
    g_free(text);
  }
  json_print(json_pack("{s:s, s:s, s:s, s:I, s:o}", "executor", executor_name(report->executor),
                       "version", executor_version(report->executor), "mapped", report->mapped,
                       "calls", (json_int_t)map->calls, "ranges", ranges),
             false);
}
