/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of the materialized graph: it is the original one, with specs, and a rescale for every
 * conflict. */
#include "harness/quant/check/parts.h"
#include "harness/quant/graph/rebuild.h"

static bool is_rescale(const quant_region_t *region) {
  return g_str_equal(region->kernel, QUANT_RESCALE_KERNEL);
}

/* The names of a graph's regions, ops in no region left aside, or of its values, as keys. */
static GHashTable *names_of(const quant_graph_t *graph, bool of_values) {
  GHashTable *names = g_hash_table_new(g_str_hash, g_str_equal);
  uint32_t count = of_values ? graph->value_count : graph->region_count;
  for (uint32_t i = 0; i < count; i++) {
    if (!of_values && graph->regions[i].is_op) continue;
    const char *name = of_values ? graph->values[i].name : graph->regions[i].name;
    g_hash_table_insert(names, (gpointer)(uintptr_t)name, GUINT_TO_POINTER(i + 1));
  }
  return names;
}

/* Takes the rescales that propagation inserted out of a materialized graph: what they made or read
 * and the original had not is replaced by its other side. */
static quant_outcome_t remove_rescales(const quant_trial_t *trial, quant_parts_t *parts,
                                       failure_t *out_words) {
  const quant_graph_t *graph = parts->graph;
  GHashTable *regions = names_of(trial->graph, false), *values = names_of(trial->graph, true);
  quant_outcome_t outcome = QUANT_HOLDS;
  for (uint32_t r = 0; r < graph->region_count && outcome == QUANT_HOLDS; r++) {
    const quant_region_t *region = &graph->regions[r];
    if (region->is_op || g_hash_table_contains(regions, region->name)) continue;
    if (!is_rescale(region) || region->input_count != 1 || region->output_count != 1) {
      outcome = property_violated(out_words, "region %s is new and no rescale", region->name);
      break;
    }
    parts->drops_region[r] = true;
    uint32_t from = parts->ports[r][0].value, to = parts->ports[r][1].value;
    bool is_new = !g_hash_table_contains(values, graph->values[to].name);
    if (!is_new && g_hash_table_contains(values, graph->values[from].name)) {
      outcome = property_violated(out_words, "rescale %s stands between two original values",
                                  region->name);
    } else {
      quant_parts_redirect(parts, is_new ? to : from, is_new ? from : to);
      parts->drops_value[is_new ? to : from] = true;
    }
  }
  g_hash_table_destroy(regions);
  g_hash_table_destroy(values);
  return outcome;
}

quant_outcome_t quant_property_nothing_lost(const quant_trial_t *trial, arena_t *arena,
                                            failure_t *out_words) {
  quant_parts_t original = quant_parts_take(trial->graph, arena);
  quant_parts_t parts = quant_parts_take(&trial->materialized, arena);
  if (remove_rescales(trial, &parts, out_words) == QUANT_VIOLATED) return QUANT_VIOLATED;
  quant_parts_strip(&original);
  quant_parts_strip(&parts);
  quant_graph_t before, after;
  failure_t error = {.text = ""};
  if (quant_parts_build(&original, arena, &before, NULL, NULL, &error) != STATUS_OK ||
      quant_parts_build(&parts, arena, &after, NULL, NULL, &error) != STATUS_OK) {
    return property_violated(out_words, "without specs and rescales it is no graph: %s",
                             error.text);
  }
  if (quant_graph_equal(&before, &after)) return QUANT_HOLDS;
  return property_violated(out_words, "without specs and rescales it is another graph");
}

/* Whether a value may stay without parameters although port `port` of `made` has some: the model
 * keeps it in high precision and says something else of the port, or wants more than the port has.
 */
static bool may_stay_open(const quant_trial_t *trial, const quant_region_t *made, uint32_t port) {
  const quant_value_t *value = &trial->materialized.values[made->ports[port].value];
  if (value->spec.kind == QUANT_SPEC_ANY) {
    return !property_is_wide_enough(&value->spec, &made->ports[port].spec);
  }
  if (value->spec.kind != QUANT_SPEC_KEEP) return false;
  for (uint32_t r = 0; r < trial->graph->region_count; r++) {
    const quant_region_t *region = &trial->graph->regions[r];
    if (!region->is_op && g_str_equal(region->name, made->name)) {
      return region->ports[port].spec.kind != QUANT_SPEC_OPEN;
    }
  }
  return false;
}

quant_outcome_t quant_property_conflicts_rescaled(const quant_trial_t *trial, arena_t *arena,
                                                  failure_t *out_words) {
  (void)arena;
  const quant_graph_t *graph = &trial->materialized;
  bool has_parameters = false;
  for (uint32_t r = 0; r < graph->region_count; r++) {
    const quant_region_t *region = &graph->regions[r];
    for (uint32_t p = 0; p < quant_port_count(region); p++) {
      const quant_port_t *port = &region->ports[p];
      const quant_value_t *value = &graph->values[port->value];
      if (port->spec.kind != QUANT_SPEC_UNIFORM || value->constant != NULL) continue;
      has_parameters = true;
      if (quant_spec_equal(&port->spec, &value->spec) || may_stay_open(trial, region, p)) continue;
      return property_violated(out_words, "port %u of %s is in conflict with %s and not rescaled",
                               p, region->name, value->name);
    }
  }
  return has_parameters ? QUANT_HOLDS : QUANT_NOT_APPLICABLE;
}

/* Whether another rescale before `index` makes the same of the same value, in the same call: one of
 * another call stands elsewhere in the text. */
static bool is_repeated(const quant_graph_t *graph, uint32_t index) {
  const quant_region_t *region = &graph->regions[index];
  for (uint32_t r = 0; r < index; r++) {
    const quant_region_t *other = &graph->regions[r];
    if (!is_rescale(other) || other->call != region->call) continue;
    if (other->ports[0].value != region->ports[0].value) continue;
    if (quant_spec_equal(&other->ports[1].spec, &region->ports[1].spec)) return true;
  }
  return false;
}

static quant_outcome_t check_rescale(const quant_graph_t *graph, uint32_t index,
                                     failure_t *out_words) {
  const quant_region_t *region = &graph->regions[index];
  const quant_port_t *from = &region->ports[0], *to = &region->ports[1];
  if (from->spec.kind != QUANT_SPEC_UNIFORM || to->spec.kind != QUANT_SPEC_UNIFORM) {
    return property_violated(out_words, "rescale %s has an end without parameters", region->name);
  }
  if (quant_spec_equal(&from->spec, &to->spec)) {
    return property_violated(out_words, "rescale %s changes nothing", region->name);
  }
  if (is_repeated(graph, index)) {
    return property_violated(out_words, "rescale %s is there twice", region->name);
  }
  return QUANT_HOLDS;
}

quant_outcome_t quant_property_rescales_needed(const quant_trial_t *trial, arena_t *arena,
                                               failure_t *out_words) {
  (void)arena;
  const quant_graph_t *graph = &trial->materialized;
  GHashTable *originals = names_of(trial->graph, true);
  uint32_t count = 0;
  quant_outcome_t outcome = QUANT_HOLDS;
  for (uint32_t r = 0; r < graph->region_count && outcome == QUANT_HOLDS; r++) {
    const quant_region_t *region = &graph->regions[r];
    if (!is_rescale(region)) continue;
    count++;
    outcome = check_rescale(graph, r, out_words);
    /* Of a value that the original has, what was made into it may have been unused there too. */
    const quant_value_t *made = &graph->values[region->ports[1].value];
    if (outcome == QUANT_HOLDS && made->use_count == 0 && !made->is_output &&
        !g_hash_table_contains(originals, made->name)) {
      outcome = property_violated(out_words, "the result of rescale %s is not used", region->name);
    }
  }
  g_hash_table_destroy(originals);
  if (outcome == QUANT_VIOLATED) return outcome;
  if (count != trial->propagation.rescale_count) {
    return property_violated(out_words, "%u rescales are there and %u were counted", count,
                             trial->propagation.rescale_count);
  }
  return count > 0 ? QUANT_HOLDS : QUANT_NOT_APPLICABLE;
}

/* Counts, by the table, refused regions and quantizable ports without parameters, and ops in no
 * region. */
static void count_open(const quant_trial_t *trial, uint32_t *out_refused, uint32_t *out_open,
                       uint32_t *out_plain) {
  const quant_graph_t *graph = trial->graph;
  GHashTable *regions = names_of(&trial->materialized, false);
  for (uint32_t r = 0; r < graph->region_count; r++) {
    const quant_region_t *region = &graph->regions[r];
    const quant_target_row_t *row;
    quant_signature_port_t signature[QUANT_PORTS_MAX];
    if (region->is_op) {
      ++*out_plain;
      continue;
    }
    if (trial->propagation.regions[r].refusal != NULL ||
        quant_target_match(trial->table, graph, r, &row, signature, NULL) != STATUS_OK) {
      ++*out_refused;
      continue;
    }
    gpointer index = g_hash_table_lookup(regions, region->name);
    if (index == NULL) continue; /* nothing_lost says so. */
    const quant_region_t *made = &trial->materialized.regions[GPOINTER_TO_UINT(index) - 1];
    for (uint32_t p = 0; p < quant_port_count(region); p++) {
      bool is_quantizable = signature[p].kind == QUANT_PORT_STORAGE;
      if (is_quantizable && made->ports[p].spec.kind != QUANT_SPEC_UNIFORM) ++*out_open;
    }
  }
  g_hash_table_destroy(regions);
}

quant_outcome_t quant_property_fully_quantized(const quant_trial_t *trial, arena_t *arena,
                                               failure_t *out_words) {
  (void)arena;
  const quant_propagation_t *found = &trial->propagation;
  uint32_t refused = 0, open = 0, plain = 0;
  count_open(trial, &refused, &open, &plain);
  if (plain != found->plain_count) {
    return property_violated(out_words, "%u ops in no region, counted as %u", plain,
                             found->plain_count);
  }
  if (refused != found->refused_count || open != found->open_count) {
    return property_violated(out_words,
                             "%u refused regions and %u open ports, counted as %u and %u", refused,
                             open, found->refused_count, found->open_count);
  }
  bool is_full = refused == 0 && open == 0 && plain == 0;
  if (is_full == found->is_fully_quantized) return QUANT_HOLDS;
  return property_violated(out_words,
                           "%u refused regions and %u open ports, and %s fully quantized", refused,
                           open, found->is_fully_quantized ? "yet" : "not");
}
