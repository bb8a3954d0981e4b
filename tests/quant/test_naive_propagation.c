/* SPDX-License-Identifier: Apache-2.0 */
/* quant_propagate() against the naive reading of its definition, on small random models; every
 * planted fault is seen by it, by the checks at each step, or in the materialized graph. */
#include "tests/quant/naive_propagation.h"
#include "tests/quant/random_model.h"

#ifdef ASSAY_SANITIZE
enum { MODELS = 3000, FAULT_MODELS = 600 };
#else
enum { MODELS = 20000, FAULT_MODELS = 4000 };
#endif
enum { REGIONS_MAX = 6 };

typedef struct tally {
  uint32_t quantized; /* Ports with parameters, by each source, ... */
  uint32_t sources[QUANT_SOURCE_DATA + 1];
  uint32_t rescaled;
  uint32_t refused; /* Regions: by the rules, not for want of a row. */
  uint32_t open;
} tally_t;

static void count(const quant_propagation_t *propagation, tally_t *inout_tally) {
  for (uint32_t i = 0; i < propagation->graph->region_count; i++) {
    const quant_region_result_t *region = &propagation->regions[i];
    bool is_by_rule = region->refusal != NULL && strstr(region->refusal, "_scale") != NULL;
    inout_tally->refused += is_by_rule;
    for (uint32_t port = 0; port < quant_port_count(&propagation->graph->regions[i]); port++) {
      inout_tally->sources[region->ports[port].source]++;
      inout_tally->quantized += region->ports[port].spec.kind == QUANT_SPEC_UNIFORM;
    }
  }
  inout_tally->rescaled += propagation->rescale_count;
  inout_tally->open += propagation->open_count;
}

/* ---- The materialized graph, looked at from outside ------------------------------------------ */

static const quant_region_t *region_named(const quant_graph_t *graph, const char *name) {
  for (uint32_t i = 0; i < graph->region_count; i++) {
    if (strcmp(graph->regions[i].name, name) == 0) return &graph->regions[i];
  }
  return NULL;
}

static uint32_t count_ports(const quant_graph_t *graph) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < graph->region_count; i++) count += quant_port_count(&graph->regions[i]);
  return count;
}

/* Whether a port is attached to the old value (by name), or with a rescale between. */
static bool is_attached(const quant_graph_t *made, const quant_port_t *port, bool is_input,
                        const char *old, bool is_rescaled) {
  const quant_value_t *value = &made->values[port->value];
  if (!is_rescaled) return strcmp(value->name, old) == 0;
  const quant_region_t *rescale = NULL;
  if (is_input && value->producer != QUANT_NONE) rescale = &made->regions[value->producer];
  if (!is_input && value->use_count == 1) rescale = &made->regions[value->uses[0].region];
  if (rescale == NULL || strcmp(rescale->kernel, QUANT_RESCALE_KERNEL) != 0) return false;
  const quant_port_t *far = &rescale->ports[is_input ? 0 : 1];
  const quant_port_t *near = &rescale->ports[is_input ? 1 : 0];
  return quant_spec_equal(&near->spec, &port->spec) &&
         strcmp(made->values[far->value].name, old) == 0 &&
         quant_spec_equal(&far->spec, &made->values[far->value].spec);
}

/* How many different parameters the conflicting inputs of each value want, and conflicting outputs:
 * so many rescales there are. */
static uint32_t count_wanted_rescales(const quant_propagation_t *propagation) {
  const quant_graph_t *graph = propagation->graph;
  g_autoptr(GHashTable) wanted = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (uint32_t i = 0; i < graph->region_count; i++) {
    const quant_region_t *region = &graph->regions[i];
    for (uint32_t port = 0; port < quant_port_count(region); port++) {
      const quant_port_result_t *result = &propagation->regions[i].ports[port];
      if (!result->is_rescaled) continue;
      g_autoptr(GString) key = g_string_new(NULL);
      g_string_printf(key, "%s %u ", port < region->input_count ? "in" : "out",
                      region->ports[port].value);
      quant_spec_print(&result->spec, key);
      g_hash_table_add(wanted, g_strdup(key->str));
    }
  }
  return g_hash_table_size(wanted);
}

/* What is wrong with the quantized model of a propagation; NULL if nothing is. */
static const char *wrong_model(const quant_propagation_t *propagation, const quant_graph_t *made) {
  const quant_graph_t *graph = propagation->graph;
  uint32_t rescales = count_wanted_rescales(propagation);
  if (propagation->rescale_count != rescales) return "count of rescales";
  if (made->region_count != graph->region_count + rescales) return "number of regions";
  if (made->value_count != graph->value_count + rescales) return "number of values";
  if (count_ports(made) != count_ports(graph) + 2 * rescales) return "number of ports";
  for (uint32_t i = 0; i < graph->region_count; i++) {
    const quant_region_t *old = &graph->regions[i];
    const quant_region_t *new = region_named(made, old->name);
    if (new == NULL) return "a region is missing";
    for (uint32_t port = 0; port < quant_port_count(old); port++) {
      const quant_port_result_t *result = &propagation->regions[i].ports[port];
      const quant_spec_t *spec = &new->ports[port].spec;
      bool is_said = result->spec.kind == QUANT_SPEC_OPEN ? spec->kind != QUANT_SPEC_UNIFORM
                                                          : quant_spec_equal(spec, &result->spec);
      if (!is_said) return "a port does not have its parameters";
      if (!is_attached(made, &new->ports[port], port < old->input_count,
                       graph->values[old->ports[port].value].name, result->is_rescaled)) {
        return "a port is attached wrongly";
      }
    }
  }
  return NULL;
}

/* ---- Trials ---------------------------------------------------------------------------------- */

/* What is wrong with a propagation under a fault, in words; NULL if nothing is. */
static const char *wrong(const quant_graph_t *graph, const quant_target_t *table,
                         quant_fault_t fault, tally_t *inout_tally, arena_t *arena) {
  failure_t error;
  quant_propagation_t propagation, again;
  quant_graph_t made, made_again;
  if (quant_propagate(graph, table, fault, arena, &propagation, &error) != STATUS_OK) {
    return arena_copy_text(arena, error.text, strlen(error.text));
  }
  count(&propagation, inout_tally);
  naive_propagation_t naive = naive_propagate(graph, table, arena);
  const char *difference = naive_difference(&naive, &propagation, arena);
  if (difference != NULL) return difference;
  if (propagation.visit_count > graph->region_count + count_ports(graph)) return "visits";
  if (quant_materialize(&propagation, fault, arena, &made, &error) != STATUS_OK) {
    return arena_copy_text(arena, error.text, strlen(error.text));
  }
  const char *model = wrong_model(&propagation, &made);
  if (model != NULL) return model;
  if (quant_propagate(&made, table, fault, arena, &again, &error) != STATUS_OK ||
      quant_materialize(&again, fault, arena, &made_again, &error) != STATUS_OK) {
    return "the quantized model cannot be propagated";
  }
  if (again.rescale_count != 0) return "the quantized model has conflicts";
  return quant_graph_equal(&made, &made_again) ? NULL : "not idempotent";
}

static const char *wrong_model_of_seed(uint64_t seed, quant_fault_t fault, tally_t *inout_tally,
                                       arena_t *arena) {
  rng_t rng = rng_make(seed);
  quant_target_t table = random_table(&rng, arena);
  quant_graph_t graph = random_graph(&rng, &table, REGIONS_MAX, arena);
  quant_graph_t shuffled = shuffled_graph(&rng, &graph, arena);
  const char *words = wrong(&graph, &table, fault, inout_tally, arena);
  if (words != NULL) return words;
  quant_propagation_t one, other;
  quant_graph_t made, made_other;
  failure_t error;
  bool is_done = quant_propagate(&graph, &table, fault, arena, &one, &error) == STATUS_OK &&
                 quant_materialize(&one, fault, arena, &made, &error) == STATUS_OK &&
                 quant_propagate(&shuffled, &table, fault, arena, &other, &error) == STATUS_OK &&
                 quant_materialize(&other, fault, arena, &made_other, &error) == STATUS_OK;
  if (!is_done) return "the shuffled graph cannot be propagated";
  if (one.visit_count != other.visit_count) return "visits depend on the order of declaration";
  return quant_graph_equal(&made, &made_other) ? NULL : "depends on the order of declaration";
}

static void test_agreement(void) {
  arena_t arena;
  arena_init(&arena);
  tally_t tally = {0};
  for (uint64_t seed = 0; seed < MODELS; seed++) {
    arena_reset(&arena);
    const char *words = wrong_model_of_seed(seed, QUANT_FAULT_none, &tally, &arena);
    if (words != NULL) g_error("model %u: %s", (unsigned)seed, words);
  }
  arena_deinit(&arena);
  /* The models had something to agree about. */
  for (quant_source_t source = 0; source <= QUANT_SOURCE_DATA; source++) {
    g_test_message("source %d: %u ports", (int)source, tally.sources[source]);
    g_assert_cmpuint(tally.sources[source], >, MODELS / 20);
  }
  g_test_message("%u ports quantized, %u rescaled, %u open; %u regions refused by rules",
                 tally.quantized, tally.rescaled, tally.open, tally.refused);
  g_assert_cmpuint(tally.rescaled, >, MODELS / 20);
  g_assert_cmpuint(tally.refused, >, MODELS / 20);
  g_assert_cmpuint(tally.open, >, MODELS / 20);
}

static void test_fault(gconstpointer data) {
  quant_fault_t fault = (quant_fault_t)GPOINTER_TO_UINT(data);
  arena_t arena;
  arena_init(&arena);
  tally_t tally = {0};
  const char *words = NULL;
  uint64_t seed = 0;
  for (; seed < FAULT_MODELS && words == NULL; seed++) {
    arena_reset(&arena);
    words = wrong_model_of_seed(seed, fault, &tally, &arena);
  }
  g_test_message("%s: model %u: %s", quant_fault_spelling(fault), (unsigned)seed, words);
  g_assert_nonnull(words);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/quant/naive/agreement", test_agreement);
  for (quant_fault_t fault = QUANT_FAULT_none + 1; fault < QUANT_FAULT_COUNT; fault++) {
    g_autofree char *path = g_strdup_printf("/quant/naive/fault/%s", quant_fault_spelling(fault));
    g_test_add_data_func(path, GUINT_TO_POINTER(fault), test_fault);
  }
  return g_test_run();
}
