/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of visits: nothing is left to be set, and nothing weaker was taken than was there. */
#include "harness/quant/check/parts.h"

static const quant_source_t SOURCES[] = {QUANT_SOURCE_VALUE, QUANT_SOURCE_CALIBRATION,
                                         QUANT_SOURCE_DATA};

/* Whether a port could take parameters, with all that rules derive from them: rules derive nothing
 * else for it, all that they derive fits, and all rules then hold. */
static bool can_take(const property_view_t *view, uint32_t port, const quant_spec_t *spec,
                     quant_source_t source, arena_t *arena) {
  property_view_t tried = *view;
  property_point(&tried);
  tried.states[port].offer = *spec;
  tried.states[port].offered_by = source;
  if (property_derive_all(&tried, arena, NULL) != STATUS_OK) return false;
  if (!quant_spec_equal(&tried.states[port].offer, spec)) return false;
  for (uint32_t p = 0; p < tried.port_count; p++) {
    quant_port_state_t *state = &tried.states[p];
    if (state->settled.kind == QUANT_SPEC_UNIFORM || state->offer.kind != QUANT_SPEC_UNIFORM) {
      continue;
    }
    if (!property_admits(&tried, p, &state->offer)) return false;
    state->settled = state->offer;
  }
  return property_check_rules(&tried, NULL) == STATUS_OK;
}

static quant_outcome_t check_region(const property_view_t *view, arena_t *arena,
                                    failure_t *out_words) {
  property_view_t asked = *view;
  property_point(&asked);
  failure_t error = {.text = ""};
  if (property_derive_all(&asked, arena, &error) != STATUS_OK) {
    return property_violated(out_words, "%s would be refused: %s", view->region->name, error.text);
  }
  for (uint32_t p = 0; p < view->port_count; p++) {
    if (view->states[p].settled.kind == QUANT_SPEC_UNIFORM) continue;
    const char *name = view->signature[p].name;
    const quant_spec_t *derived = &asked.states[p].offer;
    if (derived->kind == QUANT_SPEC_UNIFORM && property_admits(view, p, derived)) {
      return property_violated(out_words, "%s.%s would be set by a rule", view->region->name, name);
    }
    if (view->region->ports[p].spec.kind == QUANT_SPEC_UNIFORM) {
      return property_violated(out_words, "%s.%s would be set by its spec", view->region->name,
                               name);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(SOURCES); i++) {
      quant_spec_t offer = property_offer(view, p, SOURCES[i], arena);
      if (offer.kind != QUANT_SPEC_UNIFORM) continue;
      if (!can_take(view, p, &offer, SOURCES[i], arena)) continue;
      static const char *const WORDS[] = {"value", "calibration", "data"};
      return property_violated(out_words, "%s.%s would be set by its %s", view->region->name, name,
                               WORDS[i]);
    }
  }
  return QUANT_HOLDS;
}

/* A value that a port with parameters touches has some, unless it wants more than the port has. */
static quant_outcome_t check_values(const property_view_t *view, failure_t *out_words) {
  for (uint32_t p = 0; p < view->port_count; p++) {
    const quant_spec_t *settled = &view->states[p].settled;
    const quant_value_t *value = &view->trial->graph->values[view->region->ports[p].value];
    if (settled->kind != QUANT_SPEC_UNIFORM || value->constant != NULL) continue;
    const quant_value_t *made = property_made_value(view->trial, value->name);
    if (made == NULL || made->spec.kind == QUANT_SPEC_UNIFORM) continue;
    if (!property_is_wide_enough(&value->spec, settled)) continue;
    if (value->spec.kind == QUANT_SPEC_KEEP) continue; /* model_constraints says what may be. */
    return property_violated(out_words, "%s would be set by %s.%s", value->name, view->region->name,
                             view->signature[p].name);
  }
  return QUANT_HOLDS;
}

quant_outcome_t quant_property_fixed_point(const quant_trial_t *trial, arena_t *arena,
                                           failure_t *out_words) {
  bool has_regions = false;
  for (uint32_t r = 0; r < trial->graph->region_count; r++) {
    property_view_t view;
    if (!property_view(trial, r, &view)) continue;
    has_regions = true;
    if (check_region(&view, arena, out_words) == QUANT_VIOLATED ||
        check_values(&view, out_words) == QUANT_VIOLATED) {
      return QUANT_VIOLATED;
    }
  }
  return has_regions ? QUANT_HOLDS : QUANT_NOT_APPLICABLE;
}

/* Whether the port took its calibration or its data although its value had parameters before, with
 * which all that is settled now would agree. */
static bool passed_over_value(const property_view_t *view, uint32_t port, arena_t *arena) {
  const quant_port_result_t *result = &view->result->ports[port];
  if (result->source != QUANT_SOURCE_CALIBRATION && result->source != QUANT_SOURCE_DATA) {
    return false;
  }
  uint32_t value = view->region->ports[port].value;
  quant_spec_t offer = property_offer(view, port, QUANT_SOURCE_VALUE, arena);
  if (offer.kind != QUANT_SPEC_UNIFORM ||
      property_value_visit(view->trial, value) >= result->visit) {
    return false;
  }
  property_view_t before = *view;
  property_point(&before);
  for (uint32_t p = 0; p < before.port_count; p++) {
    const quant_port_result_t *other = &view->result->ports[p];
    bool follows = other->source == QUANT_SOURCE_RULE && other->visit == result->visit;
    if (p == port || follows) before.states[p].settled.kind = QUANT_SPEC_OPEN;
  }
  return can_take(&before, port, &offer, QUANT_SOURCE_VALUE, arena);
}

quant_outcome_t quant_property_preference(const quant_trial_t *trial, arena_t *arena,
                                          failure_t *out_words) {
  bool has_regions = false;
  for (uint32_t r = 0; r < trial->graph->region_count; r++) {
    property_view_t view;
    if (!property_view(trial, r, &view)) continue;
    has_regions = true;
    for (uint32_t p = 0; p < view.port_count; p++) {
      if (!passed_over_value(&view, p, arena)) continue;
      return property_violated(out_words, "%s.%s took less than its value had", view.region->name,
                               view.signature[p].name);
    }
  }
  return has_regions ? QUANT_HOLDS : QUANT_NOT_APPLICABLE;
}

/* Every region is listed once at first, and those that touch a value once when it is settled; each
 * visit takes one from the list.  So propagation ends, in time linear in ports. */
quant_outcome_t quant_property_visits(const quant_trial_t *trial, arena_t *arena,
                                      failure_t *out_words) {
  (void)arena;
  const quant_graph_t *graph = trial->graph;
  const quant_propagation_t *found = &trial->propagation;
  uint64_t reasons = graph->region_count;
  for (uint32_t v = 0; v < graph->value_count; v++) {
    if (found->value_setters[v].region == QUANT_NONE) continue;
    reasons += graph->values[v].use_count + (graph->values[v].producer != QUANT_NONE);
  }
  if (found->visit_count > reasons) {
    return property_violated(out_words, "%u visits for %" G_GUINT64_FORMAT " reasons",
                             found->visit_count, reasons);
  }
  for (uint32_t r = 0; r < graph->region_count; r++) {
    for (uint32_t p = 0; p < quant_port_count(&graph->regions[r]); p++) {
      if (found->regions[r].ports[p].visit <= found->visit_count) continue;
      return property_violated(out_words, "port %u of %s was settled in a visit that was not", p,
                               graph->regions[r].name);
    }
  }
  return QUANT_HOLDS;
}
