/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the steps of a module in order, and keeps the digits of every value. */
#include "harness/cli/verbs/isolation/isolation.h"

#include <string.h>

#include "harness/cli/verbs/isolation/walk.h"

/* ---- One step -------------------------------------------------------------------------------- */

static char *text_of(const json_t *said, const char *key) {
  const char *text = json_string_value(json_object_get(said, key));
  return text == NULL || text[0] == '\0' ? NULL : g_strdup(text);
}

static isolated_step_t *make_step(const walk_t *walk, const json_t *said) {
  isolated_step_t *step = g_new0(isolated_step_t, 1);
  step->index = (size_t)json_integer_value(json_object_get(said, "index"));
  step->op = text_of(said, "op");
  step->place = text_of(said, "place");
  step->why = text_of(said, "why");
  if (walk->where->len > 0) step->where = g_strdup(walk->where->str);
  return step;
}

static void set_constant(walk_t *walk, const json_t *said, const char *data,
                         isolated_step_t *step) {
  step->kind = ISOLATED_CONSTANT;
  walk_set_value(walk, json_array_get(json_object_get(said, "results"), 0), data);
}

/* What was computed in an earlier iteration is no result of this one. */
static void leave_out(walk_t *walk, const json_t *said, isolated_step_t *step) {
  const json_t *results = json_object_get(said, "results");
  for (size_t i = 0; i < json_array_size(results); i++) {
    walk_set_value(walk, json_array_get(results, i), NULL);
  }
  step->kind = ISOLATED_NOT_RUN;
  g_free(step->why);
  step->why = g_strdup("it needs what another op that was not run gives");
}

static status_t take_step(walk_t *walk, const json_t *said, isolated_step_t *step,
                          failure_t *error) {
  const char *data = json_string_value(json_object_get(said, "data"));
  if (data != NULL) {
    set_constant(walk, said, data, step);
    return STATUS_OK;
  }
  if (!walk_has_values(walk, json_object_get(said, "operands"))) {
    leave_out(walk, said, step);
    return STATUS_OK;
  }
  bool has_bodies = json_array_size(json_object_get(said, "regions")) > 0;
  return has_bodies ? walk_bodies(walk, said, step, error) : walk_op(walk, said, step, error);
}

status_t walk_steps(walk_t *walk, const json_t *steps, failure_t *error) {
  for (size_t i = 0; i < json_array_size(steps); i++) {
    const json_t *said = json_array_get(steps, i);
    isolated_step_t *step = make_step(walk, said);
    bool is_listed = !walk->is_silent;
    if (is_listed) g_ptr_array_add(walk->steps, step);
    status_t status = take_step(walk, said, step, error);
    if (!is_listed) isolated_step_free(step);
    if (status != STATUS_OK) return status;
  }
  return STATUS_OK;
}

/* ---- What came of it ------------------------------------------------------------------------- */

static bool is_worse(const verdict_t *a, const verdict_t *b) {
  if (a->ulp_error_max != b->ulp_error_max) return a->ulp_error_max > b->ulp_error_max;
  return a->wrong_count > b->wrong_count;
}

static void find_first_and_worst(isolation_t *isolation) {
  for (guint i = 0; i < isolation->steps->len; i++) {
    const isolated_step_t *step = isolation_step(isolation, i);
    if (!isolated_step_diverges(step)) continue;
    if (isolation->first == NULL) isolation->first = step;
    if (isolation->worst == NULL || is_worse(&step->verdict, &isolation->worst->verdict)) {
      isolation->worst = step;
    }
  }
}

/* Ops that do something of themselves, and those that `reached`, a set of numbers of steps, lacks.
 */
static void count_ops(const json_t *steps, GHashTable *reached, isolation_t *isolation) {
  for (size_t i = 0; i < json_array_size(steps); i++) {
    const json_t *said = json_array_get(steps, i);
    const json_t *regions = json_object_get(said, "regions");
    for (size_t k = 0; k < json_array_size(regions); k++) {
      count_ops(json_object_get(json_array_get(regions, k), "steps"), reached, isolation);
    }
    bool is_constant = json_is_string(json_object_get(said, "data"));
    if (is_constant || json_array_size(regions) > 0) continue;
    gsize index = (gsize)json_integer_value(json_object_get(said, "index"));
    isolation->op_count++;
    isolation->unreached_count += !g_hash_table_contains(reached, GSIZE_TO_POINTER(index));
  }
}

static void count_reached(const json_t *document, isolation_t *isolation) {
  g_autoptr(GHashTable) reached = g_hash_table_new(g_direct_hash, g_direct_equal);
  for (guint i = 0; i < isolation->steps->len; i++) {
    g_hash_table_add(reached, GSIZE_TO_POINTER(isolation_step(isolation, i)->index));
  }
  count_ops(json_object_get(document, "steps"), reached, isolation);
}

static void free_step(gpointer step) { isolated_step_free(step); }

static status_t walk_module(walk_t *walk, const json_t *document, failure_t *error) {
  const json_t *arguments = json_object_get(document, "arguments");
  for (size_t i = 0; i < json_array_size(arguments); i++) {
    json_t *number = json_integer((json_int_t)i);
    walk_set_value(walk, number, json_string_value(json_array_get(arguments, i)));
    json_decref(number);
  }
  return walk_steps(walk, json_object_get(document, "steps"), error);
}

status_t isolation_run(const isolation_request_t *request, isolation_t *out_isolation,
                       failure_t *error) {
  json_t *document = json_loads(request->document, 0, NULL);
  if (document == NULL) {
    return status_fail(error, STATUS_IO, "the process that reads MLIR gave no list of steps");
  }
  *out_isolation = (isolation_t){.steps = g_ptr_array_new_with_free_func(free_step)};
  walk_t walk = {.importer = request->importer,
                 .executor = request->executor,
                 .reference = request->reference,
                 .model = request->model,
                 .lone_ops = request->lone_ops,
                 .values = g_ptr_array_new_with_free_func(g_free),
                 .steps = out_isolation->steps,
                 .rng = rng_make(request->seed),
                 .where = g_string_new(NULL)};
  case_runner_init(&walk.runner, request->contract, 1);
  arena_init(&walk.arena);
  status_t status = walk_module(&walk, document, error);
  arena_deinit(&walk.arena);
  g_ptr_array_unref(walk.values);
  g_string_free(walk.where, TRUE);
  find_first_and_worst(out_isolation);
  count_reached(document, out_isolation);
  json_decref(document);
  if (status != STATUS_OK) isolation_free(out_isolation);
  return status;
}
