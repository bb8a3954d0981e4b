/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of doing it again: determinism, order independence, idempotence. */
#include "harness/quant/check/property.h"
#include "harness/quant/graph/rebuild.h"

/* Two propagations of the same regions and values under other numbers. */
typedef struct comparison {
  const quant_propagation_t *a;
  const quant_propagation_t *b;
  const int32_t *region_map; /* From a's to b's; NULL: the same. */
  const int32_t *value_map;
} comparison_t;

static uint32_t mapped(const int32_t *map, uint32_t index) {
  return map == NULL ? index : (uint32_t)map[index];
}

static bool same_ports(const quant_port_result_t *a, const quant_port_result_t *b) {
  return quant_spec_equal(&a->spec, &b->spec) && a->source == b->source && a->rule == b->rule &&
         a->visit == b->visit && a->is_rescaled == b->is_rescaled;
}

/* Says what differs. */
static quant_outcome_t compare_regions(const comparison_t *comparison, failure_t *out_words) {
  const quant_graph_t *graph = comparison->a->graph;
  for (uint32_t r = 0; r < graph->region_count; r++) {
    const quant_region_t *region = &graph->regions[r];
    const quant_region_result_t *a = &comparison->a->regions[r];
    const quant_region_result_t *b = &comparison->b->regions[mapped(comparison->region_map, r)];
    if (a->row != b->row) return property_violated(out_words, "%s: other rows", region->name);
    if (g_strcmp0(a->refusal, b->refusal) != 0) {
      return property_violated(out_words, "%s: refused for \"%s\" and for \"%s\"", region->name,
                               a->refusal == NULL ? "nothing" : a->refusal,
                               b->refusal == NULL ? "nothing" : b->refusal);
    }
    for (uint32_t p = 0; p < quant_port_count(region); p++) {
      if (same_ports(&a->ports[p], &b->ports[p])) continue;
      return property_violated(out_words, "%s: port %u came out otherwise", region->name, p);
    }
  }
  return QUANT_HOLDS;
}

static quant_outcome_t compare(const comparison_t *comparison, failure_t *out_words) {
  const quant_propagation_t *a = comparison->a, *b = comparison->b;
  if (compare_regions(comparison, out_words) == QUANT_VIOLATED) return QUANT_VIOLATED;
  for (uint32_t v = 0; v < a->graph->value_count; v++) {
    uint32_t other = mapped(comparison->value_map, v);
    bool is_same = quant_spec_equal(&a->values[v], &b->values[other]) &&
                   (a->value_setters[v].region == QUANT_NONE) ==
                       (b->value_setters[other].region == QUANT_NONE);
    if (is_same) continue;
    return property_violated(out_words, "value %s came out otherwise", a->graph->values[v].name);
  }
  if (a->visit_count != b->visit_count || a->rescale_count != b->rescale_count ||
      a->refused_count != b->refused_count || a->open_count != b->open_count ||
      a->is_fully_quantized != b->is_fully_quantized) {
    return property_violated(out_words, "other counts: %u and %u visits, %u and %u rescales",
                             a->visit_count, b->visit_count, a->rescale_count, b->rescale_count);
  }
  return QUANT_HOLDS;
}

/* Propagates and materializes `graph` with the trial's table and fault. */
static status_t resolve(const quant_trial_t *trial, const quant_graph_t *graph, arena_t *arena,
                        quant_propagation_t *out_propagation, quant_graph_t *out_materialized,
                        failure_t *error) {
  STATUS_TRY(quant_propagate(graph, trial->table, trial->fault, arena, out_propagation, error));
  return quant_materialize(out_propagation, trial->fault, arena, out_materialized, error);
}

quant_outcome_t quant_property_determinism(const quant_trial_t *trial, arena_t *arena,
                                           failure_t *out_words) {
  quant_propagation_t again;
  quant_graph_t materialized;
  if (resolve(trial, trial->graph, arena, &again, &materialized, out_words) != STATUS_OK) {
    return QUANT_VIOLATED;
  }
  comparison_t comparison = {.a = &trial->propagation, .b = &again};
  if (compare(&comparison, out_words) == QUANT_VIOLATED) return QUANT_VIOLATED;
  GString *first = g_string_new(NULL), *second = g_string_new(NULL);
  quant_graph_print(&trial->materialized, first);
  quant_graph_print(&materialized, second);
  bool is_same = g_string_equal(first, second);
  g_string_free(first, TRUE);
  g_string_free(second, TRUE);
  return is_same ? QUANT_HOLDS : property_violated(out_words, "the text came out otherwise");
}

quant_outcome_t quant_property_order_independence(const quant_trial_t *trial, arena_t *arena,
                                                  failure_t *out_words) {
  if (trial->graph->region_count < 2) return QUANT_NOT_APPLICABLE;
  rng_t rng = rng_make(trial->seed);
  quant_parts_t parts = quant_parts_take(trial->graph, arena);
  quant_parts_shuffle(&parts, &rng);
  quant_graph_t shuffled, materialized;
  quant_propagation_t again;
  int32_t *region_map, *value_map;
  if (quant_parts_build(&parts, arena, &shuffled, &region_map, &value_map, out_words) !=
          STATUS_OK ||
      resolve(trial, &shuffled, arena, &again, &materialized, out_words) != STATUS_OK) {
    return QUANT_VIOLATED;
  }
  if (!quant_graph_equal(trial->graph, &shuffled)) {
    return property_violated(out_words, "the shuffled graph is not equal to the original");
  }
  comparison_t comparison = {
      .a = &trial->propagation, .b = &again, .region_map = region_map, .value_map = value_map};
  if (compare(&comparison, out_words) == QUANT_VIOLATED) return QUANT_VIOLATED;
  if (quant_graph_equal(&trial->materialized, &materialized)) return QUANT_HOLDS;
  return property_violated(out_words, "the materialized graphs differ");
}

quant_outcome_t quant_property_idempotence(const quant_trial_t *trial, arena_t *arena,
                                           failure_t *out_words) {
  quant_propagation_t again;
  quant_graph_t materialized;
  if (resolve(trial, &trial->materialized, arena, &again, &materialized, out_words) != STATUS_OK) {
    return QUANT_VIOLATED;
  }
  if (again.rescale_count > 0) {
    return property_violated(out_words, "propagated again it has %u more rescales",
                             again.rescale_count);
  }
  if (quant_graph_equal(&trial->materialized, &materialized)) return QUANT_HOLDS;
  return property_violated(out_words, "propagated again it is another graph");
}
