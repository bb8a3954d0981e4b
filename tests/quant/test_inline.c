/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs without their calls: the same regions under names of their own, and quantized alike. */
#include <string.h>

#include "harness/quant/check/draw_graph.h"
#include "harness/quant/check/draw_target.h"
#include "harness/quant/propagate/propagate.h"
#include "tests/quant/graph_text_test.h"

enum { GRAPHS = 400, REGIONS_MAX = 8 };

static quant_graph_t inline_graph(const quant_graph_t *graph, arena_t *arena) {
  quant_graph_t inlined;
  failure_t error = {0};
  if (quant_graph_inline(graph, arena, &inlined, &error) != STATUS_OK) g_error("%s", error.text);
  return inlined;
}

/* "f.g" would be both the region of the call and one that is there. */
static void test_names(void) {
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graph = parse_graph(
      "graph g\ninput x f32[2]\ncall f sub(x) -> (y)\n"
      "region f.r negate\n  in y\n  out f.v f32[2]\n"
      "  op n = stablehlo.negate(y) f32[2] -> f32[2]\n  return n\nend\noutput f.v\n"
      "subprogram sub(a: f32[2]) -> (b)\n"
      "  region r negate\n    in a\n    out v f32[2]\n"
      "    op n = stablehlo.negate(a) f32[2] -> f32[2]\n    return n\n  end\n"
      "  region s negate\n    in v\n    out b f32[2]\n"
      "    op n = stablehlo.negate(v) f32[2] -> f32[2]\n    return n\n  end\nend\n",
      &arena);
  quant_graph_t inlined = inline_graph(&graph, &arena);
  g_assert_cmpuint(inlined.call_count, ==, 0);
  g_assert_cmpuint(inlined.region_count, ==, 3);
  g_autofree char *text = print_graph(&inlined);
  g_assert_null(strstr(text, "subprogram"));
  g_assert_nonnull(strstr(text, "region f.r negate\n  in y\n  out f.v f32[2]"));
  g_assert_nonnull(strstr(text, "region f.r.2 negate\n  in x as a\n  out f.v.2 f32[2]"));
  g_assert_nonnull(strstr(text, "region f.s negate\n  in f.v.2 as v\n  out y f32[2]"));
  check_graph_round_trip(&inlined);
  arena_deinit(&arena);
}

static void check_same_parameters(const quant_propagation_t *kept,
                                  const quant_propagation_t *inlined) {
  for (uint32_t r = 0; r < kept->graph->region_count; r++) {
    const quant_region_result_t *a = &kept->regions[r], *b = &inlined->regions[r];
    g_assert_cmpint(a->refusal == NULL, ==, b->refusal == NULL);
    for (uint32_t p = 0; a->refusal == NULL && p < quant_port_count(&kept->graph->regions[r]);
         p++) {
      if (quant_spec_equal(&a->ports[p].spec, &b->ports[p].spec)) continue;
      g_error("region %s, port %u: inlining gives it other parameters",
              kept->graph->regions[r].name, p);
    }
  }
}

/* Drawn models have names that sort alike with '.' and with '/': where visits come in the same
 * order inlining decides nothing. */
static void test_same_parameters(void) {
  rng_t rng = rng_make(11);
  uint32_t with_calls = 0;
  for (uint32_t i = 0; i < GRAPHS; i++) {
    arena_t arena;
    arena_init(&arena);
    quant_graph_t graph;
    quant_target_t table;
    quant_propagation_t kept, inlined;
    failure_t error = {0};
    g_assert_cmpint(quant_draw_graph(&rng, REGIONS_MAX, &arena, &graph, &error), ==, STATUS_OK);
    g_assert_cmpint(quant_draw_target(&rng, &arena, &table, &error), ==, STATUS_OK);
    quant_graph_t flat = inline_graph(&graph, &arena);
    check_graph_round_trip(&flat);
    bool is_resolved =
        quant_propagate(&graph, &table, QUANT_FAULT_none, &arena, &kept, &error) == STATUS_OK &&
        quant_propagate(&flat, &table, QUANT_FAULT_none, &arena, &inlined, &error) == STATUS_OK;
    if (!is_resolved) g_error("%s", error.text);
    with_calls += graph.call_count > 0;
    check_same_parameters(&kept, &inlined);
    arena_deinit(&arena);
  }
  g_assert_cmpuint(with_calls, >, GRAPHS / 10);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/inline/names", test_names);
  g_test_add_func("/inline/same_parameters", test_same_parameters);
  return g_test_run();
}
