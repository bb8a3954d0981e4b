/* SPDX-License-Identifier: Apache-2.0 */
/* Which components of a case are audited: a random sample, of which those are taken together that
 * are the work of one. */
#include "harness/run/audit_sample.h"

#include <glib.h>

#include "oracles/audit.h"

/* Components of one result. */
typedef struct siblings {
  const size_t *components; /* NULL: all, in order. */
  size_t count;
} siblings_t;

/* Audits one of the siblings, drawn, and from there on as many as `count`. */
static status_t audit_siblings(case_runner_t *walk, const expectation_t *expectation,
                               const oracle_call_t *call, uint32_t result,
                               const siblings_t *siblings, size_t count) {
  oracle_call_t remembering = *call;
  remembering.results = audit_results(call->arena, &expectation->instance->program);
  size_t first = rng_below(&walk->audit_rng, siblings->count);
  status_t status = STATUS_OK;
  for (size_t i = 0; i < count && status == STATUS_OK; i++) {
    arena_mark_t mark = arena_mark(call->arena);
    size_t place = (first + i) % siblings->count;
    size_t component = siblings->components == NULL ? place : siblings->components[place];
    status = expectation->oracle->audit(&remembering, expectation->accepts, result, component);
    arena_rewind(call->arena, mark);
    walk->audited++;
  }
  return status;
}

/* What one component of a program of several steps is known by, the sets of all elements of all
 * steps, is known of all its components. */
static siblings_t siblings_of(const oracle_call_t *call, const expectation_t *expectation,
                              uint32_t result, size_t component) {
  siblings_t siblings = {.count = 1};
  if (expectation->instance->program.op->is_compound) {
    siblings.count = expectation->accepts[result].count;
  } else if (expectation->oracle->siblings != NULL) {
    siblings.count = expectation->oracle->siblings(call, result, component, &siblings.components);
  }
  return siblings;
}

/* Audits a component that is due.  Where siblings cost as much as one, many are audited, and as
 * many times more rarely: a row of 100,000 numbers would else be recomputed for ten of them, in
 * some hundred times what the fast side took.  Where all are due, the first of the siblings stands
 * for all of them. */
static status_t audit_due(case_runner_t *walk, const expectation_t *expectation, uint32_t result,
                          size_t component, decision_memo_t *memo, failure_t *error) {
  enum { SIBLINGS_MAX = 1024, STEPS_SIBLINGS_MAX = 64 }; /* Of several steps each costs more. */
  const oracle_call_t call = {.instance = expectation->instance,
                              .contract = &walk->contract,
                              .whole_count = expectation->whole_count,
                              .memo = expectation->oracle->remembers_results ? NULL : memo,
                              .kept = expectation->kept,
                              .arena = expectation->arena,
                              .error = error};
  siblings_t siblings = siblings_of(&call, expectation, result, component);
  bool is_sample = walk->audit_one_in > 1;
  bool has_steps = expectation->instance->program.op->is_compound;
  size_t most = MIN(has_steps ? STEPS_SIBLINGS_MAX : SIBLINGS_MAX, walk->audit_one_in);
  size_t count = is_sample ? MIN(siblings.count, most) : siblings.count;
  if (count > 1) {
    size_t first = siblings.components == NULL ? 0 : siblings.components[0];
    bool is_turn = is_sample ? rng_one_in(&walk->audit_rng, count) : component == first;
    if (!is_turn) return STATUS_OK;
    return audit_siblings(walk, expectation, &call, result, &siblings, count);
  }
  walk->audited++;
  return expectation->oracle->audit(&call, expectation->accepts, result, component);
}

/* On average one in audit_one_in: distances are uniform in 1 .. 2 * audit_one_in - 1, which costs
 * one random number an audit instead of one a component. */
status_t audit_sample(case_runner_t *walk, const expectation_t *expectation, uint32_t result,
                      failure_t *error) {
  if (walk->audit_one_in == 0) return STATUS_OK;
  size_t count = expectation->accepts[result].count;
  size_t component = 0;
  decision_memo_t memo; /* Of several audits of a case: its rows may be long. */
  decision_memo_init(&memo);
  status_t status = STATUS_OK;
  while (walk->audit_distance < count - component) {
    component += walk->audit_distance;
    arena_mark_t mark = arena_mark(expectation->arena);
    status = audit_due(walk, expectation, result, component, &memo, error);
    arena_rewind(expectation->arena, mark);
    if (status != STATUS_OK) break;
    walk->audit_distance = 1 + rng_below(&walk->audit_rng, 2 * (uint64_t)walk->audit_one_in - 1);
  }
  decision_memo_deinit(&memo);
  if (status == STATUS_OK) walk->audit_distance -= count - component;
  return status;
}
