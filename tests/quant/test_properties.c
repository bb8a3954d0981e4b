/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzing of quantization: silent without a fault, and every planted fault is found by the property
 * that is to see it, in a small graph. */
#include "harness/quant/check/draw_graph.h"
#include "harness/quant/check/draw_target.h"
#include "harness/quant/check/fuzz.h"

#ifdef ASSAY_SANITIZE
enum { SILENT_PAIRS = 300, DRAWS = 500 };
#else
enum { SILENT_PAIRS = 2000, DRAWS = 3000 };
#endif
enum {
  REGIONS_MAX = 8,
  FAULT_PAIRS = 60, /* In one go; ... */
  FAULT_GOES = 60,  /* ... gone on with until the fault is found, at most so often. */
};

/* Which property finds which fault. */
static const quant_property_id_t FOUND_BY[QUANT_FAULT_COUNT] = {
    [QUANT_FAULT_forget_neighbours] = QUANT_PROPERTY_fixed_point,
    [QUANT_FAULT_declaration_order] = QUANT_PROPERTY_order_independence,
    [QUANT_FAULT_weak_first] = QUANT_PROPERTY_preference,
    [QUANT_FAULT_resettle] = QUANT_PROPERTY_model_constraints,
    [QUANT_FAULT_settle_kept] = QUANT_PROPERTY_model_constraints,
    [QUANT_FAULT_unchecked_accumulators] = QUANT_PROPERTY_rules,
    [QUANT_FAULT_offers_of_refused] = QUANT_PROPERTY_refusals,
    [QUANT_FAULT_lose_port] = QUANT_PROPERTY_fixed_point,
    [QUANT_FAULT_rescale_dropped] = QUANT_PROPERTY_conflicts_rescaled,
    [QUANT_FAULT_rescale_always] = QUANT_PROPERTY_rescales_needed,
    [QUANT_FAULT_rescale_unshared] = QUANT_PROPERTY_rescales_needed,
    [QUANT_FAULT_stale_wildcards] = QUANT_PROPERTY_signatures,
    [QUANT_FAULT_parameters_unseen] = QUANT_PROPERTY_rows,
    [QUANT_FAULT_widen_float_ports] = QUANT_PROPERTY_signatures,
    [QUANT_FAULT_bits_unseen] = QUANT_PROPERTY_bits,
};

static void fuzz(quant_fault_t fault, uint64_t seed, uint64_t count, arena_t *arena,
                 quant_fuzz_result_t *out) {
  quant_fuzz_options_t options = {
      .seed = seed, .count = count, .regions_max = REGIONS_MAX, .fault = fault};
  failure_t error = {.text = ""};
  status_t status = quant_fuzz(&options, arena, out, &error);
  g_assert_cmpstr(error.text, ==, "");
  g_assert_cmpint(status, ==, STATUS_OK);
}

static void test_silent(void) {
  arena_t arena;
  arena_init(&arena);
  quant_fuzz_result_t result;
  fuzz(QUANT_FAULT_none, 8, SILENT_PAIRS, &arena, &result);
  for (uint32_t i = 0; i < QUANT_PROPERTY_COUNT; i++) {
    const quant_fuzz_finding_t *finding = &result.findings[i];
    if (finding->words != NULL) {
      g_test_message("%s, pair %" G_GUINT64_FORMAT ": %s\n%s\n%s", quant_properties()[i].name,
                     finding->number, finding->words, finding->graph, finding->table);
    }
    g_assert_null(finding->words);
    g_assert_cmpuint(result.counts[i].outcomes[QUANT_VIOLATED], ==, 0);
    /* Nor is it silent because there was nothing to say. */
    g_assert_cmpuint(result.counts[i].outcomes[QUANT_HOLDS], >, SILENT_PAIRS / 20);
    g_assert_cmpuint(
        result.counts[i].outcomes[QUANT_HOLDS] + result.counts[i].outcomes[QUANT_NOT_APPLICABLE],
        ==, SILENT_PAIRS);
  }
  g_assert_cmpuint(result.rescales, >, SILENT_PAIRS / 20);
  g_assert_cmpuint(result.refused, >, SILENT_PAIRS / 20);
  g_assert_cmpuint(result.fully_quantized, >, SILENT_PAIRS / 50);
  arena_deinit(&arena);
}

/* The texts of a finding alone violate the property. */
static void check_finding(const quant_fuzz_finding_t *finding, quant_fault_t fault,
                          quant_property_id_t property, arena_t *arena) {
  quant_graph_t graph;
  quant_target_t table;
  g_assert_cmpint(quant_graph_parse(str_from(finding->graph), arena, &graph, NULL), ==, STATUS_OK);
  failure_t error = {.text = ""};
  if (quant_target_parse(str_from(finding->table), arena, &table, &error) != STATUS_OK) {
    g_error("%s\n%s", error.text, finding->table);
  }
  g_assert_cmpuint(graph.region_count, <=, 4);
  quant_outcome_t outcome = QUANT_HOLDS;
  /* Another order of declaration may be needed than the one that this seed draws. */
  for (uint64_t seed = 0; seed < 20 && outcome != QUANT_VIOLATED; seed++) {
    failure_t words;
    const quant_trial_input_t input = {
        .graph = &graph, .table = &table, .fault = fault, .seed = seed};
    outcome = quant_property_check_one(&input, property, arena, &words);
  }
  g_assert_cmpint(outcome, ==, QUANT_VIOLATED);
}

static void test_fault(gconstpointer data) {
  quant_fault_t fault = (quant_fault_t)GPOINTER_TO_UINT(data);
  quant_property_id_t property = FOUND_BY[fault];
  g_assert_cmpint(property, !=, QUANT_PROPERTY_resolves); /* A new fault needs its row above. */
  arena_t arena;
  arena_init(&arena);
  quant_fuzz_result_t result = {.regions = 0};
  for (uint64_t go = 0; go < FAULT_GOES && result.findings[property].words == NULL; go++) {
    fuzz(fault, go, FAULT_PAIRS, &arena, &result);
  }
  for (uint32_t i = 0; i < QUANT_PROPERTY_COUNT; i++) {
    if (result.findings[i].words == NULL) continue;
    g_test_message("%s, %" G_GUINT64_FORMAT " times: %s", quant_properties()[i].name,
                   result.counts[i].outcomes[QUANT_VIOLATED], result.findings[i].words);
  }
  g_assert_nonnull(result.findings[property].words);
  check_finding(&result.findings[property], fault, property, &arena);
  arena_deinit(&arena);
}

static void test_same_seed(void) {
  arena_t arena;
  arena_init(&arena);
  quant_fuzz_result_t first, second;
  fuzz(QUANT_FAULT_rescale_always, 8, 60, &arena, &first);
  fuzz(QUANT_FAULT_rescale_always, 8, 60, &arena, &second);
  g_assert_true(memcmp(first.counts, second.counts, sizeof first.counts) == 0);
  for (uint32_t i = 0; i < QUANT_PROPERTY_COUNT; i++) {
    g_assert_cmpstr(first.findings[i].graph, ==, second.findings[i].graph);
    g_assert_cmpstr(first.findings[i].table, ==, second.findings[i].table);
  }
  arena_deinit(&arena);
}

/* What graphs are to hold, each more than once in so many. */
typedef struct census {
  const char *what;
  uint64_t count;
} census_t;

static void take_census(const quant_graph_t *graph, census_t *census) {
  census[0].count += graph->call_count > 1;
  census[1].count += graph->input_count > 1;
  census[2].count += graph->output_count > 1;
  census[3].count += graph->region_count >= REGIONS_MAX;
  for (uint32_t v = 0; v < graph->value_count; v++) {
    census[4].count += graph->values[v].use_count > 1;
    census[5 + graph->values[v].spec.kind].count++;
  }
  for (uint32_t r = 0; r < graph->region_count; r++) {
    census[10].count += graph->regions[r].output_count > 1;
    census[11].count += g_str_equal(graph->regions[r].kernel, "unheard_of");
    for (uint32_t p = 0; p < quant_port_count(&graph->regions[r]); p++) {
      const quant_spec_t *spec = &graph->regions[r].ports[p].spec;
      census[12].count += spec->kind == QUANT_SPEC_UNIFORM && spec->uniform->axis >= 0;
    }
  }
}

static void test_draws(void) {
  census_t census[] = {
      {.what = "calls"},
      {.what = "inputs"},
      {.what = "outputs"},
      {.what = "regions"},
      {.what = "shared values"},
      {.what = "open values"},
      {.what = "kept values"},
      {.what = "any values"},
      {.what = "calibrated values"},
      {.what = "uniform values"},
      {.what = "two results"},
      {.what = "unknown kernels"},
      {.what = "uniform ports along an axis"},
  };
  arena_t arena;
  arena_init(&arena);
  g_autoptr(GHashTable) kernels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (uint64_t seed = 0; seed < DRAWS; seed++) {
    rng_t rng = rng_make(seed);
    quant_graph_t graph;
    failure_t error = {.text = ""};
    quant_draw_graph(&rng, REGIONS_MAX, &arena, &graph, &error);
    g_assert_cmpstr(error.text, ==, "");
    take_census(&graph, census);
    for (uint32_t r = 0; r < graph.region_count; r++) {
      g_hash_table_add(kernels, g_strdup(graph.regions[r].kernel));
    }
    quant_target_t table;
    quant_draw_target(&rng, &arena, &table, &error);
    g_assert_cmpstr(error.text, ==, "");
    arena_reset(&arena);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(census); i++) {
    g_test_message("%s: %" G_GUINT64_FORMAT, census[i].what, census[i].count);
    g_assert_cmpuint(census[i].count, >, DRAWS / 100);
  }
#define KERNEL(name, ports, operands_min, operands_max, rank_min, rank_max) \
  g_assert_true(g_hash_table_contains(kernels, #name));
#include "harness/quant/check/draw_kernels.def"
#undef KERNEL
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/quant/fuzz/draws", test_draws);
  g_test_add_func("/quant/fuzz/silent", test_silent);
  g_test_add_func("/quant/fuzz/same_seed", test_same_seed);
  for (uint32_t fault = QUANT_FAULT_none + 1; fault < QUANT_FAULT_COUNT; fault++) {
    g_autofree char *path =
        g_strdup_printf("/quant/fuzz/%s", quant_fault_spelling((quant_fault_t)fault));
    g_test_add_data_func(path, GUINT_TO_POINTER(fault), test_fault);
  }
  return g_test_run();
}
