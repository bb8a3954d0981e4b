#include "harness/cli/identify_sizes.h"

#include <inttypes.h>
#include <stdio.h>

#include "harness/cli/describe.h"
#include "harness/cli/identify_run.h"
#include "harness/identify/order_by_size.h"
#include "harness/identify/sum_rule.h"

typedef struct map_context {
  executor_t *executor;
  identify_plan_t plan; /* Its varied size is set anew for each point. */
  int64_t *varied;
  uint64_t seed;
} map_context_t;

static status_t identify_point(void *data, int64_t size, const profile_t *hint, arena_t *arena,
                               size_point_t *out_point, failure_t *error) {
  map_context_t *context = data;
  *context->varied = size;
  const identify_options_t options = {.hint = hint, .seed = context->seed};
  identified_t identified = {.executor = NULL};
  status_t status =
      identify_shape(context->executor, &context->plan.shape, &options, arena, &identified, error);
  if (status == STATUS_UNSUPPORTED) {
    out_point->is_refused = true;
    g_strlcpy(out_point->reason, error->text, sizeof out_point->reason);
    return STATUS_OK;
  }
  STATUS_TRY(status);
  const identification_t *identification = &identified.identification;
  out_point->identity = identification->identity;
  out_point->is_explained = identified_is_explained(&identified);
  out_point->has_profile = identification->has_profile;
  out_point->profile = identification->profile;
  out_point->calls = identified.calls;
  g_strlcpy(out_point->reason, identification->reason, sizeof out_point->reason);
  if (identification->identity == IDENTITY_FOUND && !out_point->is_explained) {
    g_snprintf(out_point->reason, sizeof out_point->reason,
               "%zu of %zu result elements are predicted", identified.elements.predicted,
               identified.elements.checked);
  }
  identified_free(&identified);
  return STATUS_OK;
}

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

static void print_text(const order_by_size_t *map, const map_context_t *context) {
  GString *line = g_string_new(NULL);
  *context->varied = context->plan.last;
  sum_shape_print(&context->plan.shape, line);
  printf("%s %s\n  %s %" PRId64 "..%" PRId64 ": %u ranges, from %u sizes, %zu calls\n",
         executor_name(context->executor), line->str, context->plan.mapped, context->plan.first,
         context->plan.last, map->ranges->len, map->points->len, map->calls);
  for (guint i = 0; i < map->ranges->len; i++) {
    const size_range_t *range = &g_array_index(map->ranges, size_range_t, i);
    char *sizes = g_strdup_printf("%" PRId64 "..%" PRId64, range->first, range->last);
    char *text = range_text(map, range);
    printf("  %-12s %s\n", sizes, text);
    g_free(text);
    g_free(sizes);
  }
  g_string_free(line, TRUE);
}

static json_t *map_json(const order_by_size_t *map, const map_context_t *context) {
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
  return json_pack("{s:s, s:s, s:s, s:I, s:o}", "executor", executor_name(context->executor),
                   "version", executor_version(context->executor), "mapped", context->plan.mapped,
                   "calls", (json_int_t)map->calls, "ranges", ranges);
}

static bool is_all_explained(const order_by_size_t *map) {
  for (guint i = 0; i < map->points->len; i++) {
    const size_point_t *point = &g_array_index(map->points, size_point_t, i);
    if (!point->is_refused && !point->is_explained) return false;
  }
  return true;
}

int identify_sizes(executor_t *executor, const identify_plan_t *plan, uint64_t seed, bool as_json) {
  map_context_t context = {.executor = executor, .plan = *plan, .seed = seed};
  size_t offset = (size_t)((const char *)plan->varied - (const char *)&plan->shape);
  context.varied = (int64_t *)(void *)((char *)&context.plan.shape + offset);
  arena_t arena;
  arena_init(&arena);
  failure_t error = {0};
  order_by_size_t map = {.points = NULL};
  status_t status =
      order_by_size_find(identify_point, &context, plan->first, plan->last, &arena, &map, &error);
  int exit_code = EXIT_CODE_CLEAN;
  if (status != STATUS_OK) {
    exit_code = complain_status(status, &error);
  } else {
    if (as_json) {
      json_print(map_json(&map, &context), false);
    } else {
      print_text(&map, &context);
    }
    if (!is_all_explained(&map)) exit_code = EXIT_CODE_DIVERGES;
  }
  order_by_size_free(&map);
  arena_deinit(&arena);
  return exit_code;
}
