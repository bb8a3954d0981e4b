/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/verbs/isolation/report.h"
#include "reports/verdict/describe.h"

static json_t *json_against(const isolated_against_t *against) {
  const difference_t *difference = &against->difference;
  json_t *object =
      json_pack("{s:b, s:s?}", "has_results", against->has_results, "said", against->said);
  if (against->has_results) {
    json_object_set_new(object, "elements", json_integer((json_int_t)difference->component_count));
    json_object_set_new(object, "different", json_integer((json_int_t)difference->differing_count));
    json_object_set_new(object, "nan_in_one", json_integer((json_int_t)difference->unlike_count));
    json_object_set_new(object, "distance_max", json_number(difference->distance_max));
  }
  if (against->is_judged) json_object_set_new(object, "verdict", json_verdict(&against->verdict));
  return object;
}

static json_t *json_step(const isolated_step_t *step) {
  static const char *const kinds[] = {
      [ISOLATED_CONSTANT] = "constant",   [ISOLATED_JUDGED] = "judged",
      [ISOLATED_UNJUDGED] = "no-results", [ISOLATED_NO_ORACLE] = "no-oracle",
      [ISOLATED_HELD] = "held",           [ISOLATED_NOT_RUN] = "not-run",
      [ISOLATED_BODIES] = "bodies"};
  json_t *object =
      json_pack("{s:s, s:s?, s:s, s:s?, s:s, s:s?}", "place", step->place, "iteration", step->where,
                "op", step->op, "program", step->line, "kind", kinds[step->kind], "why", step->why);
  if (step->is_asked) json_object_set_new(object, "verdict", json_verdict(&step->verdict));
  if (step->against != NULL) json_object_set_new(object, "reference", json_against(step->against));
  return object;
}

static json_t *json_place(const isolation_t *isolation, const isolated_step_t *step) {
  for (guint i = 0; i < isolation->steps->len; i++) {
    if (isolation_step(isolation, i) == step) return json_integer((json_int_t)i);
  }
  return json_null();
}

json_t *isolation_json(const isolation_t *isolation, const executor_t *executor,
                       const executor_t *reference) {
  json_t *steps = json_array();
  for (guint i = 0; i < isolation->steps->len; i++) {
    json_array_append_new(steps, json_step(isolation_step(isolation, i)));
  }
  return json_pack("{s:s, s:s, s:s?, s:s?, s:I, s:I, s:o, s:o, s:o}", "executor",
                   executor_name(executor), "version", executor_version(executor), "reference",
                   reference == NULL ? NULL : executor_name(reference), "reference_version",
                   reference == NULL ? NULL : executor_version(reference), "ops",
                   (json_int_t)isolation->op_count, "unreached",
                   (json_int_t)isolation->unreached_count, "first",
                   json_place(isolation, isolation->first), "worst",
                   json_place(isolation, isolation->worst), "steps", steps);
}
