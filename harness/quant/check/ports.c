/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of ports: rules, signatures, the model's constraints, sources, refusals. */
#include "harness/quant/check/parts.h"

static const char *port_name(const property_view_t *view, uint32_t port) {
  return view->signature[port].name;
}

quant_outcome_t quant_property_rules(const quant_trial_t *trial, arena_t *arena,
                                     failure_t *out_words) {
  (void)arena;
  bool has_rules = false;
  for (uint32_t r = 0; r < trial->graph->region_count; r++) {
    property_view_t view;
    if (!property_view(trial, r, &view)) continue;
    if (property_check_rules(&view, out_words) != STATUS_OK) return QUANT_VIOLATED;
    has_rules = has_rules || view.row->rule_count > 0;
  }
  return has_rules ? QUANT_HOLDS : QUANT_NOT_APPLICABLE;
}

/* One port against its signature. */
static quant_outcome_t check_signature(const property_view_t *view, uint32_t port,
                                       const quant_spec_t *spec, failure_t *out_words) {
  const quant_signature_port_t *signature = &view->signature[port];
  const quant_signature_port_t *declared = &view->result->signature[port];
  if (signature->kind != declared->kind || signature->storage != declared->storage ||
      signature->storage_min != declared->storage_min ||
      signature->storage_max != declared->storage_max) {
    return property_violated(out_words, "%s.%s is reported with a signature that is not its own",
                             view->region->name, port_name(view, port));
  }
  failure_t error = {.text = "its own spec asks for more"};
  if (spec->kind == QUANT_SPEC_UNIFORM) {
    if (signature->kind == QUANT_PORT_FLOAT) {
      return property_violated(out_words, "%s.%s is quantized and a float port", view->region->name,
                               port_name(view, port));
    }
    (void)quant_port_admits(signature, spec, &error);
    if (property_admits(view, port, spec)) return QUANT_HOLDS;
    return property_violated(out_words, "%s.%s: %s", view->region->name, port_name(view, port),
                             error.text);
  }
  if (signature->kind == QUANT_PORT_FLOAT && spec->kind != QUANT_SPEC_KEEP) {
    return property_violated(out_words, "float port %s.%s does not say so", view->region->name,
                             port_name(view, port));
  }
  if (signature->kind == QUANT_PORT_STORAGE && spec->kind == QUANT_SPEC_KEEP) {
    return property_violated(out_words, "%s.%s is kept in high precision", view->region->name,
                             port_name(view, port));
  }
  return QUANT_HOLDS;
}

quant_outcome_t quant_property_signatures(const quant_trial_t *trial, arena_t *arena,
                                          failure_t *out_words) {
  (void)arena;
  bool has_ports = false;
  for (uint32_t r = 0; r < trial->graph->region_count; r++) {
    property_view_t view;
    if (!property_view(trial, r, &view)) continue;
    has_ports = true;
    if (view.row != view.result->row) {
      return property_violated(out_words, "%s has another row than the table's first",
                               view.region->name);
    }
    const quant_region_t *made = property_made_region(trial, view.region->name);
    for (uint32_t p = 0; p < view.port_count; p++) {
      if (check_signature(&view, p, &made->ports[p].spec, out_words) == QUANT_VIOLATED) {
        return QUANT_VIOLATED;
      }
    }
  }
  return has_ports ? QUANT_HOLDS : QUANT_NOT_APPLICABLE;
}

/* Whether what came out obeys what the model said; `what` names port or value. */
static quant_outcome_t check_constraint(const quant_spec_t *asked, const quant_spec_t *got,
                                        const char *region, const char *what,
                                        failure_t *out_words) {
  bool is_obeyed = true;
  if (asked->kind == QUANT_SPEC_UNIFORM) {
    is_obeyed = quant_spec_equal(asked, got);
  } else if (asked->kind == QUANT_SPEC_KEEP) {
    is_obeyed = got->kind == QUANT_SPEC_KEEP;
  } else if (asked->kind == QUANT_SPEC_ANY && got->kind == QUANT_SPEC_UNIFORM) {
    is_obeyed = property_is_wide_enough(asked, got);
  }
  if (is_obeyed) return QUANT_HOLDS;
  GString *words = g_string_new(NULL);
  quant_spec_print(asked, words);
  g_string_append(words, " became ");
  quant_spec_print(got, words);
  property_violated(out_words, "%s%s: %s", region, what, words->str);
  g_string_free(words, TRUE);
  return QUANT_VIOLATED;
}

static quant_outcome_t check_port_constraint(const quant_trial_t *trial, uint32_t r, uint32_t p,
                                             failure_t *out_words) {
  const quant_region_t *region = &trial->graph->regions[r];
  const quant_region_t *made = property_made_region(trial, region->name);
  if (made == NULL || quant_port_count(made) != quant_port_count(region)) return QUANT_HOLDS;
  char what[32];
  g_snprintf(what, sizeof what, ", port %u", p);
  const quant_spec_t *got = &made->ports[p].spec;
  const quant_value_t *value = &trial->graph->values[region->ports[p].value];
  /* Nobody quantizes a tensor that is to stay in high precision, unless the port itself asks for
   * it: then it is quantized on the way into the kernel. */
  bool is_kept =
      value->spec.kind == QUANT_SPEC_KEEP && region->ports[p].spec.kind == QUANT_SPEC_OPEN;
  if (is_kept &&
      check_constraint(&value->spec, got, region->name, what, out_words) == QUANT_VIOLATED) {
    return QUANT_VIOLATED;
  }
  if (trial->propagation.regions[r].refusal != NULL) return QUANT_HOLDS; /* Said in `refusals`. */
  return check_constraint(&region->ports[p].spec, got, region->name, what, out_words);
}

quant_outcome_t quant_property_model_constraints(const quant_trial_t *trial, arena_t *arena,
                                                 failure_t *out_words) {
  (void)arena;
  bool has_constraints = false;
  const quant_graph_t *graph = trial->graph;
  for (uint32_t v = 0; v < graph->value_count; v++) {
    const quant_value_t *value = &graph->values[v];
    const quant_value_t *made = property_made_value(trial, value->name);
    if (value->spec.kind == QUANT_SPEC_OPEN || made == NULL) continue;
    has_constraints = true;
    if (check_constraint(&value->spec, &made->spec, value->name, "", out_words) == QUANT_VIOLATED) {
      return QUANT_VIOLATED;
    }
  }
  for (uint32_t r = 0; r < graph->region_count; r++) {
    for (uint32_t p = 0; p < quant_port_count(&graph->regions[r]); p++) {
      if (check_port_constraint(trial, r, p, out_words) == QUANT_VIOLATED) return QUANT_VIOLATED;
      has_constraints = has_constraints || graph->regions[r].ports[p].spec.kind != QUANT_SPEC_OPEN;
    }
  }
  return has_constraints ? QUANT_HOLDS : QUANT_NOT_APPLICABLE;
}

static quant_outcome_t check_source(const property_view_t *view, uint32_t port, arena_t *arena,
                                    failure_t *out_words) {
  const quant_port_result_t *result = &view->result->ports[port];
  const quant_spec_t *settled = &view->states[port].settled;
  bool is_set = settled->kind == QUANT_SPEC_UNIFORM;
  if (is_set != (result->source != QUANT_SOURCE_NONE) ||
      is_set != (result->visit > 0 || result->source == QUANT_SOURCE_PORT) ||
      (result->rule != NULL) != (result->source == QUANT_SOURCE_RULE)) {
    return property_violated(out_words, "%s.%s: source, rule and visit do not fit together",
                             view->region->name, port_name(view, port));
  }
  if (!is_set || result->source == QUANT_SOURCE_RULE) return QUANT_HOLDS;
  quant_spec_t said = result->source == QUANT_SOURCE_PORT
                          ? view->region->ports[port].spec
                          : property_offer(view, port, result->source, arena);
  if (quant_spec_equal(&said, settled)) return QUANT_HOLDS;
  GString *words = g_string_new(NULL);
  quant_spec_print(settled, words);
  g_string_append(words, " is not what its source says: ");
  quant_spec_print(&said, words);
  property_violated(out_words, "%s.%s: %s", view->region->name, port_name(view, port), words->str);
  g_string_free(words, TRUE);
  return QUANT_VIOLATED;
}

quant_outcome_t quant_property_sources(const quant_trial_t *trial, arena_t *arena,
                                       failure_t *out_words) {
  bool has_parameters = false;
  for (uint32_t r = 0; r < trial->graph->region_count; r++) {
    property_view_t view;
    if (!property_view(trial, r, &view)) continue;
    for (uint32_t p = 0; p < view.port_count; p++) {
      if (view.states[p].settled.kind == QUANT_SPEC_UNIFORM) has_parameters = true;
      if (check_source(&view, p, arena, out_words) == QUANT_VIOLATED) return QUANT_VIOLATED;
    }
  }
  return has_parameters ? QUANT_HOLDS : QUANT_NOT_APPLICABLE;
}

/* Values have their parameters from ports that touch them, of regions that could have some. */
static quant_outcome_t check_setters(const quant_trial_t *trial, arena_t *arena,
                                     failure_t *out_words) {
  const quant_graph_t *graph = trial->graph;
  for (uint32_t v = 0; v < graph->value_count; v++) {
    const quant_setter_t setter = trial->propagation.value_setters[v];
    int32_t r = setter.region;
    if (r != QUANT_NONE && graph->regions[r].ports[setter.port].value != v) {
      return property_violated(out_words, "%s was set by a port that does not touch it",
                               graph->values[v].name);
    }
    /* What a region gave its values before it was refused stays. */
    if (r == QUANT_NONE || trial->propagation.regions[r].refusal == NULL) continue;
    if (!property_is_hopeless(trial, (uint32_t)r, arena)) continue;
    return property_violated(out_words, "%s has the parameters of a refused region",
                             graph->values[v].name);
  }
  return QUANT_HOLDS;
}

quant_outcome_t quant_property_refusals(const quant_trial_t *trial, arena_t *arena,
                                        failure_t *out_words) {
  const quant_graph_t *graph = trial->graph;
  bool has_refusals = false;
  for (uint32_t r = 0; r < graph->region_count; r++) {
    const quant_region_t *region = &graph->regions[r];
    const quant_region_result_t *result = &trial->propagation.regions[r];
    const quant_target_row_t *row;
    quant_signature_port_t signature[QUANT_PORTS_MAX];
    bool has_row = quant_target_match(trial->table, graph, r, &row, signature, NULL) == STATUS_OK;
    bool is_refused = result->refusal != NULL;
    if (!is_refused && !has_row && !g_str_equal(region->kernel, QUANT_RESCALE_KERNEL)) {
      return property_violated(out_words, "%s has no row and is not refused", region->name);
    }
    if (!is_refused) continue;
    has_refusals = true;
    if (result->refusal[0] == '\0') {
      return property_violated(out_words, "%s is refused without a reason", region->name);
    }
    if (region->is_op) continue; /* Its ports have no specs. */
    const quant_region_t *made = property_made_region(trial, region->name);
    for (uint32_t p = 0; made != NULL && p < quant_port_count(made); p++) {
      if (made->ports[p].spec.kind == QUANT_SPEC_KEEP) continue;
      return property_violated(out_words, "%s is refused and port %u is not kept", region->name, p);
    }
  }
  if (check_setters(trial, arena, out_words) == QUANT_VIOLATED) return QUANT_VIOLATED;
  return has_refusals ? QUANT_HOLDS : QUANT_NOT_APPLICABLE;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Ports that a row stores otherwise than they are annotated; -1 if it is no row for the region. */
static int count_conflicts(const quant_trial_t *trial, uint32_t region,
                           const quant_target_row_t *row) {
  quant_target_t alone = *trial->table;
  alone.row_count = 1;
  alone.rows = row;
  const quant_target_row_t *found;
  quant_signature_port_t signature[QUANT_PORTS_MAX];
  if (quant_target_match(&alone, trial->graph, region, &found, signature, NULL) != STATUS_OK) {
    return -1;
  }
  const quant_region_t *shape = &trial->graph->regions[region];
  int conflicts = 0;
  for (uint32_t p = 0; p < quant_port_count(shape); p++) {
    const quant_spec_t *own = &shape->ports[p].spec;
    const quant_spec_t *of_value = &trial->graph->values[shape->ports[p].value].spec;
    const element_t *asked = own->kind != QUANT_SPEC_OPEN ? own->storage : of_value->storage;
    const element_t *got = signature[p].kind == QUANT_PORT_FLOAT ? NULL : signature[p].storage;
    if (asked != NULL && asked != got) conflicts++;
  }
  return conflicts;
}

quant_outcome_t quant_property_rows(const quant_trial_t *trial, arena_t *arena,
                                    failure_t *out_words) {
  (void)arena;
  bool had_choice = false;
  for (uint32_t r = 0; r < trial->graph->region_count; r++) {
    const quant_region_t *region = &trial->graph->regions[r];
    const quant_region_result_t *result = &trial->propagation.regions[r];
    if (result->refusal != NULL || g_str_equal(region->kernel, QUANT_RESCALE_KERNEL)) continue;
    int got = count_conflicts(trial, r, result->row);
    for (uint32_t i = 0; i < trial->table->row_count; i++) {
      const quant_target_row_t *row = &trial->table->rows[i];
      if (row == result->row || !g_str_equal(row->kernel, region->kernel)) continue;
      int other = count_conflicts(trial, r, row);
      had_choice = had_choice || other >= 0;
      if (other < 0 || (got >= 0 && (other > got || (other == got && row > result->row)))) continue;
      return property_violated(out_words,
                               "%s has the row of line %u, %d of whose ports are stored otherwise "
                               "than annotated, not that of line %u with %d",
                               region->name, result->row->line, got, row->line, other);
    }
  }
  return had_choice ? QUANT_HOLDS : QUANT_NOT_APPLICABLE;
}

quant_outcome_t quant_property_bits(const quant_trial_t *trial, arena_t *arena,
                                    failure_t *out_words) {
  (void)arena;
  bool has_any = false;
  for (uint32_t r = 0; r < trial->graph->region_count; r++) {
    const quant_region_t *region = &trial->graph->regions[r];
    const quant_region_t *made = property_made_region(trial, region->name);
    bool is_refused = trial->propagation.regions[r].refusal != NULL;
    if (is_refused || made == NULL || quant_port_count(made) != quant_port_count(region)) continue;
    for (uint32_t p = 0; p < quant_port_count(region); p++) {
      const quant_spec_t *own = &region->ports[p].spec;
      const quant_spec_t *of_value = &trial->graph->values[region->ports[p].value].spec;
      const quant_spec_t *asked = own->kind != QUANT_SPEC_OPEN ? own : of_value;
      if (asked->kind != QUANT_SPEC_ANY || made->ports[p].spec.kind != QUANT_SPEC_UNIFORM) continue;
      has_any = true;
      char what[32];
      g_snprintf(what, sizeof what, ", port %u", p);
      quant_outcome_t outcome =
          check_constraint(asked, &made->ports[p].spec, region->name, what, out_words);
      if (outcome == QUANT_VIOLATED) return outcome;
    }
  }
  return has_any ? QUANT_HOLDS : QUANT_NOT_APPLICABLE;
}
