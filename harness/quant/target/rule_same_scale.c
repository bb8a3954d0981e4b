/* SPDX-License-Identifier: Apache-2.0 */
/* same_scale: all quantized ports of the group have one and the same expressed type, storage type,
 * storage range, axis, scales and zero points, so that a kernel may move storage values about
 * without looking at them.
 *
 * Deriving it, one port leads and the others follow.  Certain ports (rule_is_certain) must agree.
 * The leader is the first of them; if there is none, the port with the strongest offer (the order
 * of quant_source_t), the lowest of several, whose parameters every port of the group admits.  What
 * this rule offered itself is no candidate: it would outlive what it was copied from. */
#include "harness/quant/target/rule.h"

static bool is_candidate(const quant_derivation_t *group, const quant_port_state_t *state) {
  if (rule_parameters(state) == NULL) return false;
  bool is_own = state->offered_by == QUANT_SOURCE_RULE && state->offered_rule == group->use;
  return rule_is_settled(state) || !is_own;
}

/* What its parameters go back to: the smaller, the stronger. */
static quant_source_t origin_of(const quant_port_state_t *state) {
  if (rule_is_settled(state)) return QUANT_SOURCE_PORT;
  return state->offered_by == QUANT_SOURCE_RULE ? state->offered_origin : state->offered_by;
}

/* Settled ports by what settled them, then certain ones, then guesses. */
static uint32_t weakness(const quant_port_state_t *state) {
  bool is_settled = state->settled.kind == QUANT_SPEC_UNIFORM;
  return is_settled ? 0 : 1 + (uint32_t)origin_of(state);
}

static status_t check_certain_agree(const quant_derivation_t *group, failure_t *error) {
  const quant_port_state_t *first = NULL;
  for (uint32_t i = 0; i < group->port_count; i++) {
    const quant_port_state_t *state = &group->states[group->ports[i]];
    if (!is_candidate(group, state) || !rule_is_certain(state)) continue;
    if (first == NULL) {
      first = state;
    } else if (!quant_spec_equal(rule_parameters(first), rule_parameters(state))) {
      return status_fail(error, STATUS_INVALID,
                         "same_scale: %s and %s have parameters that differ and cannot change",
                         first->signature->name, state->signature->name);
    }
  }
  return STATUS_OK;
}

static status_t all_admit(const quant_derivation_t *group, const quant_port_state_t *leader,
                          failure_t *error) {
  const quant_spec_t *spec = rule_parameters(leader);
  for (uint32_t i = 0; i < group->port_count; i++) {
    const quant_port_state_t *state = &group->states[group->ports[i]];
    if (state->signature->kind == QUANT_PORT_FLOAT) continue;
    failure_t reason;
    if (rule_admits(state, spec, &reason) == STATUS_OK) continue;
    return status_fail(error, STATUS_INVALID,
                       "same_scale: parameters of %s are not for all ports: %s",
                       leader->signature->name, reason.text);
  }
  return STATUS_OK;
}

/* The strongest candidate that is weaker than `after` (NULL: any), the lowest of several. */
static const quant_port_state_t *next_candidate(const quant_derivation_t *group,
                                                const quant_port_state_t *after) {
  const quant_port_state_t *best = NULL;
  for (uint32_t i = 0; i < group->port_count; i++) {
    const quant_port_state_t *state = &group->states[group->ports[i]];
    if (!is_candidate(group, state)) continue;
    bool is_tried = after != NULL && (weakness(state) < weakness(after) ||
                                      (weakness(state) == weakness(after) && state <= after));
    if (is_tried) continue;
    bool is_better = best == NULL || weakness(state) < weakness(best) ||
                     (weakness(state) == weakness(best) && state < best);
    if (is_better) best = state;
  }
  return best;
}

/* *out_leader is NULL if nothing is known of any port. */
static status_t find_leader(const quant_derivation_t *group, const quant_port_state_t **out_leader,
                            failure_t *error) {
  STATUS_TRY(check_certain_agree(group, error));
  const quant_port_state_t *first = next_candidate(group, NULL);
  failure_t reason;
  for (const quant_port_state_t *leader = first; leader != NULL;
       leader = next_candidate(group, leader)) {
    failure_t *where = leader == first ? &reason : NULL; /* The strongest one's reason is told. */
    if (all_admit(group, leader, where) == STATUS_OK) {
      *out_leader = leader;
      return STATUS_OK;
    }
    if (rule_is_certain(leader)) break; /* Others cannot lead: it would have to follow. */
  }
  *out_leader = NULL;
  if (first == NULL) return STATUS_OK;
  return status_fail(error, STATUS_INVALID, "%s", reason.text);
}

/* Followers share the leader's numbers: nothing is made in the arena. */
static status_t derive(quant_derivation_t *group, failure_t *error) {
  const quant_port_state_t *leader;
  STATUS_TRY(find_leader(group, &leader, error));
  quant_spec_t spec = {.kind = QUANT_SPEC_OPEN};
  if (leader != NULL) spec = *rule_parameters(leader);
  quant_source_t origin = leader == NULL ? QUANT_SOURCE_NONE : origin_of(leader);
  for (uint32_t i = 0; i < group->port_count; i++) {
    uint32_t port = group->ports[i];
    const quant_port_state_t *state = &group->states[port];
    bool is_left_alone =
        state == leader || rule_is_settled(state) || state->signature->kind == QUANT_PORT_FLOAT;
    if (is_left_alone) continue;
    if (leader == NULL) {
      rule_withdraw(group, port);
    } else {
      STATUS_TRY(rule_offer(group, port, &spec, origin, error));
    }
  }
  return STATUS_OK;
}

/* ---- The check, by members and not by quant_spec_equal --------------------------------------- */

static const char *difference(const quant_spec_t *a, const quant_spec_t *b) {
  if (a->uniform->expressed != b->uniform->expressed) return "expressed types";
  if (a->storage != b->storage) return "storage types";
  const quantization_t *left = a->uniform, *right = b->uniform;
  bool have_one_range =
      left->storage_min == right->storage_min && left->storage_max == right->storage_max;
  if (!have_one_range) return "storage ranges";
  if (left->axis != right->axis || left->count != right->count) return "axes";
  for (uint32_t i = 0; i < left->count; i++) {
    if (left->scales[i] < right->scales[i] || left->scales[i] > right->scales[i]) return "scales";
    if (left->zero_points[i] != right->zero_points[i]) return "zero points";
  }
  return NULL;
}

static status_t check(const quant_rule_use_t *use, const uint32_t *ports, uint32_t port_count,
                      const quant_port_state_t *region_ports, failure_t *error) {
  (void)use;
  const quant_port_state_t *first = NULL;
  for (uint32_t i = 0; i < port_count; i++) {
    const quant_port_state_t *state = &region_ports[ports[i]];
    if (state->settled.kind != QUANT_SPEC_UNIFORM) continue;
    if (first == NULL) first = state;
    const char *what = difference(&first->settled, &state->settled);
    if (what == NULL) continue;
    return status_fail(error, STATUS_INVALID, "same_scale: ports %td (%s) and %u (%s) differ in %s",
                       first - region_ports, first->signature->name, ports[i],
                       state->signature->name, what);
  }
  return STATUS_OK;
}

const quant_rule_t same_scale_rule = {
    .name = "same_scale",
    .summary = "equal storage type, range, scales and zero points",
    .syntax = "PORTS",
    .derive = derive,
    .check = check,
};
