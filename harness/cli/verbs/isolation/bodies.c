/* SPDX-License-Identifier: Apache-2.0 */
/* Loops and choices: which bodies run, and how often, is for the executor's own results to say.
 *
 * A loop is first run to its end in silence, which keeps what the first iteration begins with, the
 * last, one drawn between, and the first in which the executor failed.  These are run again,
 * judged and listed, and so is the condition that ends the loop. */
#include <string.h>

#include "harness/cli/verbs/isolation/walk.h"

enum { ITERATIONS_MAX = 4096 }; /* Of a loop, and of those in one iteration of it. */

/* ---- Lists of values ------------------------------------------------------------------------- */

/* The digits of the first `count` of the values; NULL if one is not there. */
static GPtrArray *copy_values(const walk_t *walk, const json_t *numbers, size_t count) {
  g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func(g_free);
  for (size_t i = 0; i < count; i++) {
    const char *digits = walk_value(walk, json_array_get(numbers, i));
    if (digits == NULL) return NULL;
    g_ptr_array_add(values, g_strdup(digits));
  }
  return g_steal_pointer(&values);
}

static void set_values(walk_t *walk, const json_t *numbers, const GPtrArray *values) {
  for (size_t i = 0; i < json_array_size(numbers) && i < values->len; i++) {
    walk_set_value(walk, json_array_get(numbers, i), g_ptr_array_index(values, i));
  }
}

/* ---- Regions --------------------------------------------------------------------------------- */

/* Runs one with these arguments (NULL: it has none). */
static status_t walk_region(walk_t *walk, const json_t *region, const GPtrArray *arguments,
                            failure_t *error) {
  if (arguments != NULL) set_values(walk, json_object_get(region, "arguments"), arguments);
  return walk_steps(walk, json_object_get(region, "steps"), error);
}

/* What a region that was run gives; NULL if something of it could not be computed. */
static GPtrArray *region_results(const walk_t *walk, const json_t *region) {
  const json_t *numbers = json_object_get(region, "results");
  return copy_values(walk, numbers, json_array_size(numbers));
}

/* ---- Iterations ------------------------------------------------------------------------------ */

typedef struct kept {
  size_t iteration;  /* From 0. */
  GPtrArray *values; /* What it begins with; NULL: it is none. */
} kept_t;

typedef struct loop {
  const json_t *condition;
  const json_t *body;
  GPtrArray *now;
  size_t count; /* Iterations that were begun. */
  kept_t first, drawn, last, failing;
  const char *given_up; /* Why, or NULL. */
} loop_t;

static void keep(kept_t *kept, size_t iteration, GPtrArray *values) {
  g_ptr_array_ref(values);
  if (kept->values != NULL) g_ptr_array_unref(kept->values);
  *kept = (kept_t){iteration, values};
}

/* Each iteration between the first and the last has the same chance to be drawn. */
static void keep_iteration(walk_t *walk, loop_t *loop) {
  size_t iteration = loop->count;
  if (iteration == 0) keep(&loop->first, 0, loop->now);
  if (iteration >= 2 && rng_one_in(&walk->rng, iteration - 1)) {
    keep(&loop->drawn, iteration - 1, loop->last.values);
  }
  keep(&loop->last, iteration, loop->now);
}

static status_t run_body(walk_t *walk, loop_t *loop, failure_t *error) {
  keep_iteration(walk, loop);
  loop->count++;
  STATUS_TRY(walk_region(walk, loop->body, loop->now, error));
  if (walk->has_failed && loop->failing.values == NULL) {
    keep(&loop->failing, loop->count - 1, loop->now);
  }
  GPtrArray *next = region_results(walk, loop->body);
  if (next == NULL) {
    loop->given_up = "an op of its body could not be run";
    return STATUS_OK;
  }
  g_ptr_array_unref(loop->now);
  loop->now = next;
  return STATUS_OK;
}

static status_t run_to_end(walk_t *walk, loop_t *loop, failure_t *error) {
  const json_t *asked = json_array_get(json_object_get(loop->condition, "results"), 0);
  while (loop->given_up == NULL) {
    STATUS_TRY(walk_region(walk, loop->condition, loop->now, error));
    const char *answer = walk_value(walk, asked);
    if (answer == NULL) {
      loop->given_up = "an op of its condition could not be run";
      if (loop->count == 0) keep_iteration(walk, loop);
    } else if (answer[0] == '0') {
      break;
    } else if (walk->iterations_left == 0) {
      loop->given_up = "it was not over by then";
    } else {
      walk->iterations_left--;
      STATUS_TRY(run_body(walk, loop, error));
    }
  }
  return STATUS_OK;
}

static status_t run_silently(walk_t *walk, loop_t *loop, failure_t *error) {
  bool was_silent = walk->is_silent, had_failed = walk->has_failed;
  walk->is_silent = true;
  walk->has_failed = false;
  status_t status = run_to_end(walk, loop, error);
  walk->is_silent = was_silent;
  walk->has_failed |= had_failed;
  return status;
}

/* ---- Judging some of them -------------------------------------------------------------------- */

/* Runs what begins with these values, under a name; all loops in it have iterations of their own.
 */
static status_t judge_iteration(walk_t *walk, const loop_t *loop, const GPtrArray *values,
                                const char *name, bool has_body, failure_t *error) {
  size_t outer = walk->where->len, left = walk->iterations_left;
  g_string_append_printf(walk->where, "%s%s", outer == 0 ? "" : ", ", name);
  walk->iterations_left = ITERATIONS_MAX;
  status_t status = walk_region(walk, loop->condition, values, error);
  if (status == STATUS_OK && has_body) status = walk_region(walk, loop->body, values, error);
  walk->iterations_left = left;
  g_string_truncate(walk->where, outer);
  return status;
}

static bool is_before(const kept_t *kept, const kept_t *other) {
  return other->values == NULL || kept->iteration < other->iteration;
}

/* The next one to judge, from an iteration on; NULL if there is none. */
static const kept_t *next_kept(const loop_t *loop, size_t from) {
  const kept_t *const all[] = {&loop->first, &loop->drawn, &loop->failing, &loop->last};
  const kept_t *next = NULL;
  for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
    bool is_one = all[i]->values != NULL && all[i]->iteration >= from;
    if (is_one && (next == NULL || is_before(all[i], next))) next = all[i];
  }
  return next;
}

/* `listed` is told which. */
static status_t judge_some(walk_t *walk, const loop_t *loop, GString *listed, failure_t *error) {
  const char *more = loop->given_up == NULL ? "" : " or more";
  const kept_t *kept = next_kept(loop, 0);
  for (; kept != NULL; kept = next_kept(loop, kept->iteration + 1)) {
    g_autofree char *name =
        g_strdup_printf("iteration %zu of %zu%s", kept->iteration + 1, MAX(loop->count, 1), more);
    g_string_append_printf(listed, "%s%zu", listed->len == 0 ? "" : ", ", kept->iteration + 1);
    STATUS_TRY(judge_iteration(walk, loop, kept->values, name, true, error));
  }
  if (loop->given_up != NULL) return STATUS_OK;
  g_autofree char *name = g_strdup_printf("the end of %zu iterations", loop->count);
  return judge_iteration(walk, loop, loop->now, name, false, error);
}

/* ---- Loops ----------------------------------------------------------------------------------- */

static void set_why(isolated_step_t *step, char *why) {
  g_free(step->why);
  step->why = why;
}

static void loop_deinit(loop_t *loop) {
  kept_t *const all[] = {&loop->first, &loop->drawn, &loop->failing, &loop->last};
  for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
    if (all[i]->values != NULL) g_ptr_array_unref(all[i]->values);
  }
  g_ptr_array_unref(loop->now);
}

/* The loop's own results, after the iterations that were judged, which are of the same values;
 * those of a loop that was given up are the interpreter's. */
static status_t end_loop(walk_t *walk, const json_t *said, const loop_t *loop, const char *listed,
                         isolated_step_t *step, failure_t *error) {
  const char *judged = listed[0] == '\0' ? "none" : listed;
  if (loop->given_up == NULL) {
    set_why(step, g_strdup_printf("%zu iterations, judged: %s", loop->count, judged));
    set_values(walk, json_object_get(said, "results"), loop->now);
    return STATUS_OK;
  }
  set_why(step, g_strdup_printf("%zu iterations, judged: %s; then the interpreter ran it as a "
                                "whole: %s",
                                loop->count, judged, loop->given_up));
  return walk_interpret(walk, said, step, error);
}

static status_t walk_loop(walk_t *walk, const json_t *said, isolated_step_t *step,
                          failure_t *error) {
  const json_t *regions = json_object_get(said, "regions");
  size_t count = json_array_size(json_object_get(said, "results"));
  loop_t loop = {.condition = json_array_get(regions, 0),
                 .body = json_array_get(regions, 1),
                 .now = copy_values(walk, json_object_get(said, "operands"), count)};
  g_autoptr(GString) listed = g_string_new(NULL);
  if (walk->where->len == 0 && !walk->is_silent) walk->iterations_left = ITERATIONS_MAX;
  status_t status = run_silently(walk, &loop, error);
  if (status == STATUS_OK && !walk->is_silent) {
    status = judge_some(walk, &loop, listed, error);
  }
  if (status == STATUS_OK) status = end_loop(walk, said, &loop, listed->str, step, error);
  loop_deinit(&loop);
  return status;
}

/* ---- Choices --------------------------------------------------------------------------------- */

/* Of `case` an index that no branch has is the last one's; of `if` true is the first branch. */
static size_t chosen_branch(const json_t *said, const char *digits, size_t count) {
  bool is_if = strcmp(json_string_value(json_object_get(said, "op")), "stablehlo.if") == 0;
  if (is_if) return digits[0] == '1' ? 0 : 1;
  int32_t index = (int32_t)(uint32_t)g_ascii_strtoull(digits, NULL, 16);
  return index < 0 || (size_t)index >= count ? count - 1 : (size_t)index;
}

static status_t walk_choice(walk_t *walk, const json_t *said, isolated_step_t *step,
                            failure_t *error) {
  const json_t *regions = json_object_get(said, "regions");
  const json_t *index = json_array_get(json_object_get(said, "operands"), 0);
  size_t count = json_array_size(regions);
  size_t chosen = chosen_branch(said, walk_value(walk, index), count);
  set_why(step, g_strdup_printf("branch %zu of %zu", chosen + 1, count));
  const json_t *region = json_array_get(regions, chosen);
  STATUS_TRY(walk_region(walk, region, NULL, error));
  g_autoptr(GPtrArray) results = region_results(walk, region);
  if (results != NULL) {
    set_values(walk, json_object_get(said, "results"), results);
    return STATUS_OK;
  }
  set_why(step, g_strdup_printf("branch %zu of %zu; then the interpreter ran it as a whole: an op "
                                "of it could not be run",
                                chosen + 1, count));
  return walk_interpret(walk, said, step, error);
}

status_t walk_bodies(walk_t *walk, const json_t *said, isolated_step_t *step, failure_t *error) {
  step->kind = ISOLATED_BODIES;
  const char *name = json_string_value(json_object_get(said, "op"));
  return strcmp(name, "stablehlo.while") == 0 ? walk_loop(walk, said, step, error)
                                              : walk_choice(walk, said, step, error);
}
