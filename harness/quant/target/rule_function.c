/* SPDX-License-Identifier: Apache-2.0 */
/* function: parameters follow from one another as a function of the user's says
 * (assay_quant_function.h).  Whatever is known of the ports is put to it, and what it writes for
 * the others is what it derives.
 *
 * It is trusted with its subject and with nothing else: each answer is asked for twice and must be
 * the same, known ports must come back as they were, what is derived must be parameters that the
 * port admits.  The check takes each settled port away, and asks whether the function, given the
 * others, would have it otherwise. */
#include <fenv.h>
#include <inttypes.h>
#include <math.h>

#include "harness/quant/target/library.h"
#include "harness/quant/target/rule.h"

/* What is asked about: the ports of a use, and what is known of them. */
typedef struct subject {
  const quant_rule_use_t *use;
  const uint32_t *ports; /* Of the region. */
  uint32_t port_count;
  const quant_port_state_t *states;           /* Of all ports of the region. */
  const quant_spec_t *known[QUANT_PORTS_MAX]; /* By port of the use; NULL: nothing. */
  arena_t *arena;
} subject_t;

/* One question: the ports as the function gets them. */
typedef struct question {
  assay_quant_port_t ports[QUANT_PORTS_MAX];
  uint32_t count;
  int32_t answer;
  char message[256];
} question_t;

/* As many as the port may have. */
static uint32_t capacity_of(const quant_port_state_t *state) {
  int32_t axis = state->signature->axis;
  bool has_axis = axis >= 0 && (uint32_t)axis < state->type->rank;
  return has_axis ? (uint32_t)MAX(state->type->dims[axis], 1) : 1;
}

/* `known` is NULL where nothing is known. */
static assay_quant_port_t port_of(const quant_port_state_t *state, const quant_spec_t *known,
                                  arena_t *arena) {
  const quantization_t *uniform = known == NULL ? NULL : known->uniform;
  uint32_t capacity = MAX(capacity_of(state), uniform == NULL ? 0 : uniform->count);
  assay_quant_port_t port = {
      .name = state->signature->name,
      .expressed = state->type->element->name,
      .storage = state->signature->storage->name,
      .dims = state->type->dims,
      .rank = state->type->rank,
      .is_output = state->signature->is_output,
      .is_known = uniform != NULL,
      .axis = uniform != NULL ? uniform->axis : state->signature->axis,
      .count = uniform != NULL ? uniform->count : capacity,
      .scales = ARENA_NEW_ARRAY(arena, double, capacity),
      .zero_points = ARENA_NEW_ARRAY(arena, int64_t, capacity),
      .storage_min = uniform != NULL ? uniform->storage_min : state->signature->storage_min,
      .storage_max = uniform != NULL ? uniform->storage_max : state->signature->storage_max,
  };
  for (uint32_t i = 0; i < capacity; i++) {
    bool is_there = uniform != NULL && i < uniform->count;
    port.scales[i] = is_there ? uniform->scales[i] : 0;
    port.zero_points[i] = is_there ? uniform->zero_points[i] : 0;
  }
  return port;
}

/* Float ports are not put to it. */
static void ask(const subject_t *subject, question_t *out_question) {
  question_t *question = out_question;
  *question = (question_t){.count = 0};
  for (uint32_t i = 0; i < subject->port_count; i++) {
    const quant_port_state_t *state = &subject->states[subject->ports[i]];
    if (state->signature->kind == QUANT_PORT_FLOAT) continue;
    question->ports[question->count++] = port_of(state, subject->known[i], subject->arena);
  }
  const assay_quant_request_t request = {.version = ASSAY_QUANT_FUNCTION_VERSION,
                                         .port_count = question->count,
                                         .ports = question->ports,
                                         .message = question->message,
                                         .message_bytes = sizeof question->message};
  fenv_t environment;
  fegetenv(&environment); /* A library may change how numbers are rounded, and not tell. */
  question->answer = subject->use->function(&request);
  fesetenv(&environment);
  question->message[sizeof question->message - 1] = '\0';
}

/* ---- What came back -------------------------------------------------------------------------- */

static bool same_numbers(const assay_quant_port_t *a, const assay_quant_port_t *b) {
  if (a->axis != b->axis || a->count != b->count || a->is_known != b->is_known) return false;
  if (a->storage_min != b->storage_min || a->storage_max != b->storage_max) return false;
  if (a->is_known == 0) return true; /* Whatever was scribbled there. */
  return memcmp(a->scales, b->scales, a->count * sizeof a->scales[0]) == 0 &&
         memcmp(a->zero_points, b->zero_points, a->count * sizeof a->zero_points[0]) == 0;
}

static status_t check_port(const quant_rule_use_t *use, const quant_port_state_t *state,
                           const assay_quant_port_t *before, const assay_quant_port_t *after,
                           failure_t *error) {
  bool is_kept = before->is_known != 0 ? same_numbers(before, after) : after->is_known <= 1;
  if (!is_kept) {
    return status_fail(error, STATUS_INVALID, "function: %s changed %s, which is known",
                       use->function_name, before->name);
  }
  if (after->is_known == 0 || before->is_known != 0) return STATUS_OK;
  if (after->axis != -1 && after->axis != state->signature->axis) {
    return status_fail(error, STATUS_INVALID,
                       "function: %s derives scales of %s along dimension %d", use->function_name,
                       before->name, after->axis);
  }
  uint32_t count = after->axis == -1 ? 1 : capacity_of(state);
  if (after->count == count) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "function: %s derives %" PRIu32 " scales of %s, not %" PRIu32,
                     use->function_name, after->count, before->name, count);
}

/* Asks twice, and holds the answers against one another and against the question. */
static status_t ask_twice(const subject_t *subject, question_t *out_question, failure_t *error) {
  const quant_rule_use_t *use = subject->use;
  question_t again;
  ask(subject, out_question);
  ask(subject, &again);
  bool is_same = out_question->answer == again.answer;
  bool holds = out_question->answer == ASSAY_QUANT_FUNCTION_HOLDS;
  uint32_t at = 0;
  for (uint32_t i = 0; holds && i < subject->port_count; i++) {
    const quant_port_state_t *state = &subject->states[subject->ports[i]];
    if (state->signature->kind == QUANT_PORT_FLOAT) continue;
    const assay_quant_port_t before = port_of(state, subject->known[i], subject->arena);
    const assay_quant_port_t *after = &out_question->ports[at];
    STATUS_TRY(check_port(use, state, &before, after, error));
    is_same = is_same && same_numbers(after, &again.ports[at]);
    at++;
  }
  if (!is_same) {
    return status_fail(error, STATUS_INVALID, "function: %s answers otherwise when asked again",
                       use->function_name);
  }
  bool is_known_answer = holds || again.answer == ASSAY_QUANT_FUNCTION_CONTRADICTS ||
                         again.answer == ASSAY_QUANT_FUNCTION_WAITS;
  if (is_known_answer) return STATUS_OK;
  return status_fail(error, STATUS_INVALID, "function: %s answers %" PRId32 ", which is no answer",
                     use->function_name, again.answer);
}

/* ---- Deriving -------------------------------------------------------------------------------- */

static status_t make_spec(const quant_rule_use_t *use, const quant_port_state_t *state,
                          const assay_quant_port_t *derived, arena_t *arena, quant_spec_t *out_spec,
                          failure_t *error) {
  double *scales = ARENA_NEW_ARRAY(arena, double, derived->count);
  int64_t *zero_points = ARENA_NEW_ARRAY(arena, int64_t, derived->count);
  for (uint32_t i = 0; i < derived->count; i++) {
    if (!rule_round_scale(state->type->element, derived->scales[i], &scales[i])) {
      return status_fail(error, STATUS_INVALID,
                         "function: %s derives scale %.17g of %s, which is no positive finite %s",
                         use->function_name, derived->scales[i], derived->name, derived->expressed);
    }
    zero_points[i] = derived->zero_points[i];
  }
  quantization_t *uniform = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  *uniform = (quantization_t){.expressed = state->type->element,
                              .storage_min = derived->storage_min,
                              .storage_max = derived->storage_max,
                              .axis = derived->axis,
                              .count = derived->count,
                              .scales = scales,
                              .zero_points = zero_points};
  *out_spec = (quant_spec_t){.kind = QUANT_SPEC_UNIFORM,
                             .expressed = uniform->expressed,
                             .storage = state->signature->storage,
                             .storage_min = uniform->storage_min,
                             .storage_max = uniform->storage_max,
                             .uniform = uniform};
  failure_t reason;
  bool is_right = quant_spec_check(out_spec, state->type, &reason) == STATUS_OK &&
                  rule_admits(state, out_spec, &reason) == STATUS_OK;
  if (is_right) return STATUS_OK;
  return status_fail(error, STATUS_INVALID, "function: %s derives what %s cannot have: %s",
                     use->function_name, derived->name, reason.text);
}

/* What is put to it: all that ports have but what it offered itself, which would outlive what it
 * followed from.  Returns what that goes back to: the weakest. */
static quant_source_t known_parameters(const quant_derivation_t *derivation,
                                       const quant_spec_t *out_known[QUANT_PORTS_MAX],
                                       bool *out_is_certain) {
  quant_source_t origin = QUANT_SOURCE_RULE;
  *out_is_certain = true;
  for (uint32_t i = 0; i < derivation->port_count; i++) {
    const quant_port_state_t *state = &derivation->states[derivation->ports[i]];
    bool is_own = !rule_is_settled(state) && state->offered_by == QUANT_SOURCE_RULE &&
                  state->offered_rule == derivation->use;
    out_known[i] = is_own ? NULL : rule_parameters(state);
    if (out_known[i] == NULL || rule_is_certain(state)) continue;
    *out_is_certain = false;
    origin = MAX(
        origin, state->offered_by == QUANT_SOURCE_RULE ? state->offered_origin : state->offered_by);
  }
  return origin;
}

static status_t derive(quant_derivation_t *derivation, failure_t *error) {
  const quant_rule_use_t *use = derivation->use;
  subject_t subject = {.use = use,
                       .ports = derivation->ports,
                       .port_count = derivation->port_count,
                       .states = derivation->states,
                       .arena = derivation->arena};
  bool is_certain;
  quant_source_t origin = known_parameters(derivation, subject.known, &is_certain);
  question_t question;
  STATUS_TRY(ask_twice(&subject, &question, error));
  if (question.answer == ASSAY_QUANT_FUNCTION_CONTRADICTS) {
    return status_fail(error, STATUS_INVALID, "function: %s: %s", use->function_name,
                       question.message[0] == '\0' ? "it gives no reason" : question.message);
  }
  /* A guess never decides what follows from others; what is certain stays, whatever follows. */
  if (question.answer == ASSAY_QUANT_FUNCTION_WAITS)
    return is_certain ? STATUS_OK : STATUS_UNDECIDED;
  uint32_t at = 0;
  for (uint32_t i = 0; i < derivation->port_count; i++) {
    uint32_t port = derivation->ports[i];
    const quant_port_state_t *state = &derivation->states[port];
    if (state->signature->kind == QUANT_PORT_FLOAT) continue;
    const assay_quant_port_t *answer = &question.ports[at++];
    if (subject.known[i] != NULL) continue;
    if (answer->is_known == 0) {
      rule_withdraw(derivation, port);
      continue;
    }
    quant_spec_t spec;
    STATUS_TRY(make_spec(use, state, answer, derivation->arena, &spec, error));
    STATUS_TRY(rule_offer(derivation, port, &spec, origin, error));
  }
  return STATUS_OK;
}

/* ---- The check ------------------------------------------------------------------------------- */

static bool has_scales(const assay_quant_port_t *derived, const quantization_t *settled) {
  uint32_t count = MAX(derived->count, settled->count);
  for (uint32_t i = 0; i < count; i++) {
    double scale;
    uint32_t entry = derived->axis == -1 ? 0 : i;
    if (!rule_round_scale(settled->expressed, derived->scales[entry], &scale)) return false;
    bool is_same = scale == rule_scale_at(settled, i) &&
                   derived->zero_points[entry] == rule_zero_point_at(settled, i);
    if (!is_same) return false;
  }
  return true;
}

/* Whether the function, given all that is settled but port `absent` of the use, derives what that
 * is settled with, or nothing.  `absent` at the number of ports: whether it accepts all. */
static status_t check_without(subject_t *subject, uint32_t absent, failure_t *error) {
  const quant_rule_use_t *use = subject->use;
  uint32_t at = 0; /* The place of `absent` in the question. */
  for (uint32_t i = 0; i < subject->port_count; i++) {
    const quant_port_state_t *state = &subject->states[subject->ports[i]];
    if (i < absent && state->signature->kind != QUANT_PORT_FLOAT) at++;
    bool is_put = i != absent && state->settled.kind == QUANT_SPEC_UNIFORM;
    subject->known[i] = is_put ? &state->settled : NULL;
  }
  question_t question;
  STATUS_TRY(ask_twice(subject, &question, error));
  if (question.answer == ASSAY_QUANT_FUNCTION_CONTRADICTS) {
    return status_fail(error, STATUS_INVALID, "function: %s contradicts what it accepted: %s",
                       use->function_name, question.message);
  }
  bool is_derived = absent < subject->port_count && question.answer == ASSAY_QUANT_FUNCTION_HOLDS &&
                    question.ports[at].is_known != 0;
  if (!is_derived) return STATUS_OK;
  const quant_port_state_t *state = &subject->states[subject->ports[absent]];
  if (has_scales(&question.ports[at], state->settled.uniform)) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "function: %s accepts the parameters of %s, and derives others",
                     use->function_name, state->signature->name);
}

static status_t check(const quant_rule_use_t *use, const uint32_t *ports, uint32_t port_count,
                      const quant_port_state_t *region_ports, failure_t *error) {
  arena_t scratch;
  arena_init(&scratch);
  subject_t subject = {.use = use,
                       .ports = ports,
                       .port_count = port_count,
                       .states = region_ports,
                       .arena = &scratch};
  status_t status = STATUS_OK;
  for (uint32_t i = 0; i <= port_count && status == STATUS_OK; i++) {
    bool is_all = i == port_count;
    if (!is_all && region_ports[ports[i]].settled.kind != QUANT_SPEC_UNIFORM) continue;
    status = check_without(&subject, i, error);
  }
  arena_deinit(&scratch);
  return status;
}

const quant_rule_t function_rule = {
    .name = "function",
    .summary = "as a function of the table's library says",
    .syntax = "FUNCTION PORTS",
    .derive = derive,
    .check = check,
};
