/* SPDX-License-Identifier: Apache-2.0 */
/* Identification over a range of any size of a program: identifies each point that the size map
 * requests, and prints the ranges found as text or JSON. */
#include "harness/cli/verbs/identify/sizes.h"

#include "harness/cli/options/flags.h"
#include "harness/cli/verbs/identify/run.h"
#include "harness/identify/order/order_by_size.h"
#include "reports/identify/size_report.h"

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

static bool is_all_explained(const order_by_size_t *map) {
  for (guint i = 0; i < map->points->len; i++) {
    const size_point_t *point = &g_array_index(map->points, size_point_t, i);
    if (!point->is_refused && !point->is_explained) return false;
  }
  return true;
}

static void report(const order_by_size_t *map, map_context_t *context, bool as_json) {
  g_autoptr(GString) line = g_string_new(NULL);
  *context->varied = context->plan.last;
  sum_shape_print(&context->plan.shape, line);
  const size_report_t what = {.map = map,
                              .executor = context->executor,
                              .program_line = line->str,
                              .mapped = context->plan.mapped,
                              .first = context->plan.first,
                              .last = context->plan.last};
  if (as_json) {
    size_report_print_json(&what);
  } else {
    size_report_print(&what);
  }
}

int identify_sizes(executor_t *executor, const identify_plan_t *plan, uint64_t seed, bool as_json) {
  map_context_t context = {.executor = executor, .plan = *plan, .seed = seed};
  size_t offset = (size_t)((const char *)plan->varied - (const char *)&plan->shape);
  context.varied = (int64_t *)(void *)((char *)&context.plan.shape + offset);
  arena_t arena;
  arena_init(&arena);
  failure_t error = {0};
  order_by_size_t map = {.points = NULL};
  const size_identifier_t identifier = {.identify = identify_point, .context = &context};
  status_t status = order_by_size_find(&identifier, plan->first, plan->last, &arena, &map, &error);
  int exit_code = EXIT_CODE_CLEAN;
  if (status != STATUS_OK) {
    exit_code = complain_status(status, &error);
  } else {
    report(&map, &context, as_json);
    if (!is_all_explained(&map)) exit_code = EXIT_CODE_DIVERGES;
  }
  order_by_size_free(&map);
  arena_deinit(&arena);
  return exit_code;
}
