/* SPDX-License-Identifier: Apache-2.0 */
/* One visit of a region: quant.md, "Visits". */
#include <string.h>

#include <math.h>

#include "harness/quant/propagate/state.h"

/* ---- Rules ----------------------------------------------------------------------------------- */

static bool is_asked(const quant_visit_t *visit, const quant_rule_use_t *use) {
  return visit->run->fault != QUANT_FAULT_unchecked_accumulators ||
         strcmp(use->rule->name, "multiplier_accumulator_scale") != 0;
}

/* "same_scale of input, output: REASON".  Rules begin their own reasons with their name. */
static status_t fail_in_rule(const quant_visit_t *visit, const quant_rule_use_t *use,
                             const char *reason, failure_t *error) {
  size_t name = strlen(use->rule->name);
  if (g_str_has_prefix(reason, use->rule->name) && reason[name] == ':') reason += name + 2;
  g_autoptr(GString) ports = g_string_new(NULL);
  for (uint32_t i = 0; i < use->port_count; i++) {
    g_string_append_printf(ports, "%s%s", i > 0 ? ", " : "",
                           visit->result->row->ports[use->ports[i]].name);
  }
  return status_fail(error, STATUS_INVALID, "%s of %s: %s", use->rule->name, ports->str, reason);
}

/* Settles a port with its offer. */
static void settle(quant_visit_t *visit, uint32_t port, quant_source_t source) {
  quant_port_state_t *state = &visit->states[port];
  state->settled = state->offer;
  state->settled_by = source;
  state->offer = (quant_spec_t){.kind = QUANT_SPEC_OPEN};
}

/* Takes over what a rule did to one port.  STATUS_UNDECIDED if it waits for parameters that are not
 * there yet, STATUS_INVALID if it wants others than there are. */
static status_t take_derived(quant_visit_t *visit, const quant_derivation_t *derivation,
                             uint32_t port, bool is_trial, bool *inout_changed, failure_t *error) {
  const quant_port_state_t *asked = &derivation->states[port];
  quant_port_state_t *state = &visit->states[port];
  bool had_offer = state->offer.kind == QUANT_SPEC_UNIFORM;
  bool has_offer = asked->offer.kind == QUANT_SPEC_UNIFORM;
  if (state->settled.kind == QUANT_SPEC_UNIFORM || (!had_offer && !has_offer)) return STATUS_OK;
  if (!has_offer) return STATUS_UNDECIDED;
  if (had_offer) {
    if (quant_spec_equal(&state->offer, &asked->offer)) return STATUS_OK;
    return status_fail(error, STATUS_INVALID, "%s would have other parameters than it has",
                       state->signature->name);
  }
  STATUS_TRY(quant_visit_admits(visit, port, &asked->offer, error));
  state->offer = asked->offer;
  visit->rules[port] = derivation->use;
  *inout_changed = true;
  if (!is_trial) settle(visit, port, QUANT_SOURCE_RULE); /* It follows from what is certain. */
  return STATUS_OK;
}

/* Asks one rule.  It sees what is on trial as what it was offered as, `trial`, wherever it stands
 * by now: what follows from a guess is a guess. */
static status_t ask_rule(quant_visit_t *visit, const quant_rule_use_t *use, quant_source_t trial,
                         bool *inout_changed, failure_t *error) {
  uint32_t ports[QUANT_PORTS_MAX];
  uint32_t count = quant_rule_ports(use, visit->result->row, visit->shape->input_count, ports);
  quant_port_state_t asked[QUANT_PORTS_MAX];
  memcpy(asked, visit->states, visit->port_count * sizeof *asked);
  for (uint32_t port = 0; port < visit->port_count; port++) {
    if (asked[port].offer.kind != QUANT_SPEC_OPEN) asked[port].offered_by = trial;
  }
  quant_derivation_t derivation = {
      .use = use, .ports = ports, .port_count = count, .states = asked, .arena = visit->run->arena};
  failure_t failure = {0};
  status_t status = use->rule->derive(&derivation, &failure);
  for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
    status = take_derived(visit, &derivation, ports[i], trial != QUANT_SOURCE_NONE, inout_changed,
                          &failure);
  }
  if (status == STATUS_INVALID) return fail_in_rule(visit, use, failure.text, error);
  return status;
}

/* Asks all rules until none derives anything more. */
static status_t ask_rules(quant_visit_t *visit, quant_source_t trial, failure_t *error) {
  const quant_target_row_t *row = visit->result->row;
  bool changed = true;
  while (changed) {
    changed = false;
    for (uint32_t i = 0; i < row->rule_count; i++) {
      if (!is_asked(visit, &row->rules[i])) continue;
      STATUS_TRY(ask_rule(visit, &row->rules[i], trial, &changed, error));
    }
  }
  return STATUS_OK;
}

/* ---- Trials ---------------------------------------------------------------------------------- */

/* All that is on trial is settled. */
static void take_trial(quant_visit_t *visit, quant_source_t source) {
  for (uint32_t port = 0; port < visit->port_count; port++) {
    if (visit->states[port].offer.kind == QUANT_SPEC_OPEN) continue;
    settle(visit, port, visit->rules[port] != NULL ? QUANT_SOURCE_RULE : source);
  }
}

static void undo_trial(quant_visit_t *visit) {
  for (uint32_t port = 0; port < visit->port_count; port++) {
    quant_port_state_t *state = &visit->states[port];
    if (state->offer.kind == QUANT_SPEC_OPEN) continue;
    state->offer = (quant_spec_t){.kind = QUANT_SPEC_OPEN};
    visit->rules[port] = NULL;
  }
}

/* Takes what `source` offers an open port, with all that follows from it; STATUS_UNDECIDED if there
 * is no offer or a rule waits, STATUS_INVALID if it contradicts a rule. */
static status_t try_offer(quant_visit_t *visit, uint32_t port, quant_source_t source,
                          failure_t *error) {
  arena_t *arena = visit->run->arena;
  arena_mark_t mark = arena_mark(arena);
  quant_port_state_t *state = &visit->states[port];
  state->offer = quant_offer(visit, port, source);
  if (state->offer.kind == QUANT_SPEC_OPEN) {
    arena_rewind(arena, mark);
    return STATUS_UNDECIDED;
  }
  failure_t failure;
  status_t status = ask_rules(visit, source, &failure);
  if (status == STATUS_OK) {
    take_trial(visit, source);
    return STATUS_OK;
  }
  undo_trial(visit);
  arena_rewind(arena, mark);
  if (status != STATUS_INVALID) return status;
  static const char *const offerers[] = {[QUANT_SOURCE_VALUE] = "value",
                                         [QUANT_SOURCE_CALIBRATION] = "calibration",
                                         [QUANT_SOURCE_DATA] = "data"};
  return status_fail(error, STATUS_INVALID, "port %s cannot take what its %s offers: %s",
                     state->signature->name, offerers[source], failure.text);
}

/* Width of the range that a port is calibrated for, with 0; -1 if it is not. */
static double calibrated_width(const quant_visit_t *visit, uint32_t port) {
  const quant_port_t *shape = &visit->shape->ports[port];
  const quant_spec_t *constraint = quant_port_constraint(visit->run->graph, shape);
  if (constraint->kind != QUANT_SPEC_CALIBRATED) return -1;
  return fmax(constraint->maximum, 0) - fmin(constraint->minimum, 0);
}

/* The order in which ports are asked for offers: as they stand, but the widest calibration first,
 * since whoever has to follow the others then loses no number to clamping. */
static void order_ports(const quant_visit_t *visit, quant_source_t source,
                        uint32_t out_ports[QUANT_PORTS_MAX]) {
  for (uint32_t port = 0; port < visit->port_count; port++) {
    uint32_t place = port;
    double width = source == QUANT_SOURCE_CALIBRATION ? calibrated_width(visit, port) : 0;
    while (place > 0 && source == QUANT_SOURCE_CALIBRATION &&
           calibrated_width(visit, out_ports[place - 1]) < width) {
      out_ports[place] = out_ports[place - 1];
      place--;
    }
    out_ports[place] = port;
  }
}

/* Takes the first offer that can be taken, and returns whether there was one; else out_blocked says
 * why the first one that contradicts a rule cannot. */
static bool take_one(quant_visit_t *visit, failure_t *out_blocked) {
  static const quant_source_t sources[] = {QUANT_SOURCE_VALUE, QUANT_SOURCE_CALIBRATION,
                                           QUANT_SOURCE_DATA};
  bool is_weak_first = visit->run->fault == QUANT_FAULT_weak_first;
  out_blocked->text[0] = '\0';
  for (uint32_t i = 0; i < G_N_ELEMENTS(sources); i++) {
    quant_source_t source = sources[is_weak_first ? G_N_ELEMENTS(sources) - 1 - i : i];
    uint32_t ports[QUANT_PORTS_MAX];
    order_ports(visit, source, ports);
    for (uint32_t k = 0; k < visit->port_count; k++) {
      uint32_t port = ports[k];
      const quant_port_state_t *state = &visit->states[port];
      if (state->settled.kind == QUANT_SPEC_UNIFORM) continue;
      if (state->signature->kind == QUANT_PORT_FLOAT) continue;
      failure_t failure;
      status_t status = try_offer(visit, port, source, &failure);
      if (status == STATUS_OK) return true;
      if (status == STATUS_INVALID && out_blocked->text[0] == '\0') *out_blocked = failure;
    }
  }
  return false;
}

/* ---- The visit ------------------------------------------------------------------------------- */

/* A wildcard that nothing was said of takes after its value as soon as that has parameters. */
static void complete_wildcard(const quant_visit_t *visit, uint32_t port) {
  const quant_port_t *shape = &visit->shape->ports[port];
  const quant_target_row_t *row = visit->result->row;
  quant_signature_port_t *signature = &visit->result->signature[port];
  const quant_spec_t *value = &visit->run->propagation->values[shape->value];
  uint32_t row_port = quant_row_port(row, visit->shape->input_count, port);
  bool is_wildcard = row->ports[row_port].kind == QUANT_PORT_WILDCARD &&
                     signature->kind == QUANT_PORT_STORAGE &&
                     visit->run->fault != QUANT_FAULT_stale_wildcards;
  if (!is_wildcard || shape->spec.kind != QUANT_SPEC_OPEN) return;
  if (value->kind != QUANT_SPEC_UNIFORM) return;
  signature->storage = value->storage;
  signature->storage_min = value->storage_min;
  signature->storage_max = value->storage_max;
}

static void begin_visit(quant_run_t *run, uint32_t region, quant_visit_t *out_visit) {
  const quant_region_t *shape = &run->graph->regions[region];
  *out_visit = (quant_visit_t){.run = run,
                               .region = region,
                               .shape = shape,
                               .result = &run->propagation->regions[region],
                               .port_count = quant_port_count(shape)};
  for (uint32_t port = 0; port < out_visit->port_count; port++) {
    const quant_port_result_t *known = &out_visit->result->ports[port];
    const quant_spec_t *own = &shape->ports[port].spec;
    quant_port_state_t *state = &out_visit->states[port];
    out_visit->was_open[port] = known->spec.kind == QUANT_SPEC_OPEN;
    if (out_visit->was_open[port]) complete_wildcard(out_visit, port);
    state->signature = &out_visit->result->signature[port];
    state->type = &run->graph->values[shape->ports[port].value].type;
    if (known->spec.kind == QUANT_SPEC_UNIFORM) {
      state->settled = known->spec;
      state->settled_by = known->source;
      out_visit->rules[port] = known->rule;
    } else if (own->kind == QUANT_SPEC_UNIFORM) {
      state->settled = *own;
      state->settled_by = QUANT_SOURCE_PORT;
    }
  }
}

/* At every step the constraints of the present kernel hold: checked, not assumed. */
static status_t check_visit(const quant_visit_t *visit, failure_t *error) {
  const quant_target_row_t *row = visit->result->row;
  const char *name = visit->shape->name;
  failure_t failure;
  for (uint32_t i = 0; i < row->rule_count; i++) {
    const quant_rule_use_t *use = &row->rules[i];
    if (!is_asked(visit, use)) continue;
    uint32_t ports[QUANT_PORTS_MAX];
    uint32_t count = quant_rule_ports(use, row, visit->shape->input_count, ports);
    if (use->rule->check(use, ports, count, visit->states, &failure) == STATUS_OK) continue;
    return status_fail(error, STATUS_INVALID, "bug in %s: region %s breaks %s: %s",
                       use->function == NULL ? "Assay" : visit->run->table->library, name,
                       use->rule->name, failure.text);
  }
  for (uint32_t port = 0; port < visit->port_count; port++) {
    const quant_spec_t *settled = &visit->states[port].settled;
    if (settled->kind != QUANT_SPEC_UNIFORM) continue;
    if (quant_visit_admits(visit, port, settled, &failure) == STATUS_OK) continue;
    return status_fail(error, STATUS_INVALID, "bug in Assay: region %s, port %s: %s", name,
                       visit->states[port].signature->name, failure.text);
  }
  return STATUS_OK;
}

static bool has_open_port(const quant_run_t *run, uint32_t region) {
  const quant_region_result_t *result = &run->propagation->regions[region];
  if (result->refusal != NULL) return false;
  for (uint32_t port = 0; port < quant_port_count(&run->graph->regions[region]); port++) {
    if (result->ports[port].spec.kind == QUANT_SPEC_OPEN) return true;
  }
  return false;
}

static void wake(quant_run_t *run, uint32_t region) {
  if (has_open_port(run, region)) work_list_add(&run->list, region);
}

/* Settles the value of a port that was settled, if it is open, and lists all that touch it and may
 * have something to do. */
static void settle_value(quant_run_t *run, quant_setter_t setter, const quant_spec_t *spec) {
  uint32_t index = run->graph->regions[setter.region].ports[setter.port].value;
  const quant_value_t *value = &run->graph->values[index];
  quant_spec_t *settled = &run->propagation->values[index];
  bool is_kept = value->spec.kind == QUANT_SPEC_KEEP && run->fault != QUANT_FAULT_settle_kept;
  bool is_settled = settled->kind == QUANT_SPEC_UNIFORM && run->fault != QUANT_FAULT_resettle;
  if (value->constant != NULL || is_kept || is_settled) return;
  if (!quant_spec_is_wide_enough(&value->spec, spec)) return;
  *settled = *spec;
  run->propagation->value_setters[index] = setter;
  if (run->fault == QUANT_FAULT_forget_neighbours) return;
  if (value->producer != QUANT_NONE) wake(run, (uint32_t)value->producer);
  for (uint32_t i = 0; i < value->use_count; i++) wake(run, value->uses[i].region);
}

/* Settles the values of the ports that this visit settles. */
static void settle_values(quant_visit_t *visit) {
  for (uint32_t port = 0; port < visit->port_count; port++) {
    const quant_spec_t *settled = &visit->states[port].settled;
    if (!visit->was_open[port] || settled->kind == QUANT_SPEC_OPEN) continue;
    settle_value(visit->run, (quant_setter_t){(int32_t)visit->region, port}, settled);
  }
}

static void end_visit(quant_visit_t *visit) {
  if (visit->run->fault == QUANT_FAULT_lose_port) visit->was_open[visit->port_count - 1] = false;
  for (uint32_t port = 0; port < visit->port_count; port++) {
    quant_port_result_t *result = &visit->result->ports[port];
    const quant_port_state_t *state = &visit->states[port];
    if (!visit->was_open[port] || state->settled.kind == QUANT_SPEC_OPEN) continue;
    result->spec = state->settled;
    result->source = state->settled_by;
    result->rule = visit->rules[port];
    result->visit = visit->run->propagation->visit_count;
  }
  settle_values(visit);
}

/* "region c1 (conv_2d): REASON", in the arena. */
static const char *refusal_text(const quant_visit_t *visit, const failure_t *failure) {
  g_autofree char *text = g_strdup_printf("region %s (%s): %s", visit->shape->name,
                                          visit->shape->kernel, failure->text);
  return arena_copy_text(visit->run->arena, text, strlen(text));
}

status_t quant_visit_region(quant_run_t *run, uint32_t region, failure_t *error) {
  quant_visit_t visit;
  begin_visit(run, region, &visit);
  run->propagation->visit_count++;
  failure_t failure;
  if (ask_rules(&visit, QUANT_SOURCE_NONE, &failure) != STATUS_OK) {
    quant_refuse(run, region, refusal_text(&visit, &failure));
    if (run->fault == QUANT_FAULT_offers_of_refused) settle_values(&visit);
    return STATUS_OK;
  }
  while (take_one(&visit, &failure)) continue;
  run->blocked[region] = failure.text[0] == '\0' ? NULL : refusal_text(&visit, &failure);
  STATUS_TRY(check_visit(&visit, error));
  end_visit(&visit);
  return STATUS_OK;
}
