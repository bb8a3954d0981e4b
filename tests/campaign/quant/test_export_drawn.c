/* SPDX-License-Identifier: Apache-2.0 */
/* Drawn graphs, quantized, exported and run: all forms are consistent, and what the integer form
 * makes of a region is within its bound of the exact numbers. */
#include "harness/quant/check/draw_graph.h"
#include "harness/quant/check/draw_target.h"
#include "harness/quant/propagate/propagate.h"
#include "tests/campaign/quant/step_run.h"

#ifdef ASSAY_SANITIZE
enum { GRAPHS = 60 };
#else
enum { GRAPHS = 1500 };
#endif

/* One rounding, and what test_export_forms.c tells of multipliers. */
static const double ROUNDING = 0.5 + 0x1p-8;

static bool draw_quantized_graph(rng_t *rng, arena_t *arena, quant_graph_t *out_graph) {
  failure_t error = {0};
  quant_graph_t *drawn = arena_alloc(arena, sizeof *drawn);
  quant_target_t *table = arena_alloc(arena, sizeof *table);
  quant_propagation_t propagation;
  bool is_made =
      quant_draw_graph(rng, 8, arena, drawn, &error) == STATUS_OK &&
      quant_draw_target(rng, arena, table, &error) == STATUS_OK &&
      quant_propagate(drawn, table, QUANT_FAULT_none, arena, &propagation, &error) == STATUS_OK &&
      quant_materialize(&propagation, QUANT_FAULT_none, arena, out_graph, &error) == STATUS_OK;
  if (!is_made) g_error("%s", error.text);
  return is_made;
}

static double largest(const quantization_t *quantization) {
  double scale = 0;
  for (uint32_t i = 0; i < quantization->count; i++) scale = fmax(scale, quantization->scales[i]);
  return scale;
}

static double smallest(const quantization_t *quantization) {
  double scale = INFINITY;
  for (uint32_t i = 0; i < quantization->count; i++) scale = fmin(scale, quantization->scales[i]);
  return scale;
}

/* Steps of a port that inner roundings may cost, beside the last one: constants are rounded to
 * steps of an operand, or of a product of operands (an accumulator). */
static double inner_steps(const quant_region_t *region, const quant_port_t *port) {
  double sum = 0, product = 1;
  for (uint32_t i = 0; i < region->input_count; i++) {
    double scale = largest(region->ports[i].spec.uniform);
    sum += scale;
    if (i < 2) product *= scale;
  }
  return (sum + product) / 2 / smallest(port->spec.uniform);
}

static bool has_zero_points(const quantization_t *quantization) {
  for (uint32_t i = 0; i < quantization->count; i++) {
    if (quantization->zero_points[i] != 0) return true;
  }
  return false;
}

/* Whether all of a region is integers: every port quantized, in f32, by at most 16 bits or without
 * zero points (else constants may be far from what they were, by the letter of the quantize
 * formula), and no op of its own on floats. */
static bool is_integer_region(const quant_steps_t *steps, uint32_t number) {
  const quant_region_t *region = &steps->graph->regions[number];
  for (uint32_t i = 0; i < quant_port_count(region); i++) {
    const quant_spec_t *spec = &region->ports[i].spec;
    bool is_sound = spec->kind == QUANT_SPEC_UNIFORM && spec->expressed == element_named("f32") &&
                    (spec->storage->bits <= 16 || !has_zero_points(spec->uniform));
    if (!is_sound) return false;
  }
  uint32_t count = 0;
  for (uint32_t i = 0; i < steps->step_count; i++) {
    const quant_step_t *step = &steps->steps[i];
    if (step->region != (int32_t)number) continue;
    const type_t *result = &step->program.results[0];
    if (result->quantization == NULL && result->element->kind == ELEMENT_FLOAT) return false;
    count++;
  }
  return count > 0;
}

static void check_integer_region(const run_t *run, const quant_region_t *region,
                                 checked_t *inout_checked) {
  const tensor_t *inners = NULL;
  for (uint32_t i = 0; i < region->input_count; i++) {
    const quant_port_t *port = &region->ports[i];
    bool is_constant = run->steps->graph->values[port->value].constant != NULL;
    if (!is_constant && find_tensor(run->steps, port) < 0) return;
  }
  for (uint32_t i = 0; i < region->output_count; i++) {
    const quant_port_t *port = &region->ports[region->input_count + i];
    int32_t tensor = find_tensor(run->steps, port);
    if (tensor < 0) continue; /* Merged away. */
    if (inners == NULL) inners = evaluate(run, region);
    const tensor_t *exact = &inners[region->op_count == 0 ? 0 : region->returns[i]];
    double inner = inner_steps(region, port);
    const quantization_t *own = port->spec.uniform;
    uint32_t inside = 0;
    g_assert_true(is_close(exact, &run->data[tensor], own, own, ROUNDING + 1.02 * inner, &inside));
    if (inner > 1) continue; /* True, and says little. */
    inout_checked->regions++;
    inout_checked->inside += inside;
  }
}

static void test_drawn(void) {
  arena_t arena, scratch;
  arena_init(&arena);
  arena_init(&scratch);
  rng_t rng = rng_make(19);
  checked_t checked = {0};
  for (int i = 0; i < GRAPHS; i++) {
    arena_reset(&arena);
    quant_graph_t graph;
    draw_quantized_graph(&rng, &arena, &graph);
    for (quant_lowering_t form = 0; form < QUANT_LOWERING_COUNT; form++) {
      const quant_steps_t steps = export(&graph, form, &arena);
      run_t run;
      run_drawn(&run, &steps, &rng, &scratch);
      run_steps(&run);
      for (uint32_t j = 0; j < graph.region_count && form == QUANT_LOWERING_integer; j++) {
        if (!is_integer_region(&steps, j)) continue;
        check_integer_region(&run, &graph.regions[j], &checked);
      }
    }
  }
  g_test_message("%u regions, %u results inside", checked.regions, checked.inside);
  g_assert_cmpuint(checked.regions, >, GRAPHS / 4);
  g_assert_cmpuint(checked.inside, >, GRAPHS);
  arena_deinit(&scratch);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/export/drawn", test_drawn);
  return g_test_run();
}
