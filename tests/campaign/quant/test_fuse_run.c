/* SPDX-License-Identifier: Apache-2.0 */
/* What is fused computes what the plain model computes, to the bit, run op by op in high precision;
 * so do the regions that the plain model was taken from. */
#include "harness/quant/check/draw_graph.h"
#include "harness/quant/fuse/fuse.h"
#include "harness/quant/graph/rebuild.h"
#include "harness/quant_run/quant_run.h"
#include "tests/campaign/quant/step_run.h"

#ifdef ASSAY_SANITIZE
enum { GRAPHS = 15 };
#else
enum { GRAPHS = 1000 };
#endif

static void must(status_t status, const failure_t *error) {
  if (status != STATUS_OK) g_error("%s", error->text);
}

/* A drawn model without constraints: all of it stays in high precision. */
static quant_graph_t draw(rng_t *rng, arena_t *arena) {
  quant_graph_t *drawn = arena_alloc(arena, sizeof *drawn);
  quant_graph_t graph;
  failure_t error = {0};
  must(quant_draw_graph(rng, 8, arena, drawn, &error), &error);
  quant_parts_t parts = quant_parts_take(drawn, arena);
  quant_parts_strip(&parts);
  must(quant_parts_build(&parts, arena, &graph, NULL, NULL, &error), &error);
  return graph;
}

static run_t run_graph(const quant_graph_t *graph, const tensor_t *inputs, arena_t *arena) {
  quant_steps_t *steps = arena_alloc(arena, sizeof *steps);
  failure_t error = {0};
  must(quant_export(graph, QUANT_LOWERING_float, arena, steps, &error), &error);
  run_t run = {.steps = steps,
               .data = arena_alloc_zeroed(arena, (steps->tensor_count + 1) * sizeof(tensor_t)),
               .arena = arena};
  for (uint32_t i = 0; i < graph->input_count; i++) run.data[steps->inputs[i]] = inputs[i];
  run_steps(&run);
  return run;
}

static bool outputs_equal(const run_t *a, const run_t *b) {
  for (uint32_t i = 0; i < a->steps->graph->output_count; i++) {
    const tensor_t *in_a = &a->data[a->steps->outputs[i]], *in_b = &b->data[b->steps->outputs[i]];
    g_assert_true(type_equal(&in_a->type, &in_b->type));
    if (memcmp(in_a->data, in_b->data, type_bytes(&in_a->type)) != 0) return false;
  }
  return true;
}

/* How many of the drawn models compute something else once fused. */
static uint32_t count_different(quant_fuse_fault_t fault, int graphs) {
  arena_t tables, arena;
  arena_init(&tables);
  arena_init(&arena);
  rng_t rng = rng_make(41);
  uint32_t different = 0;
  quant_target_t table;
  failure_t error = {0};
  must(quant_target_parse(str_from(quant_target_text(str_from("tflite_int8"))), &tables, &table,
                          &error),
       &error);
  for (int i = 0; i < graphs; i++) {
    arena_reset(&arena);
    quant_graph_t graph = draw(&rng, &arena), plain;
    quant_fusion_t fusion;
    g_autoptr(GString) notes = g_string_new(NULL);
    must(quant_unfuse(&graph, NULL, &arena, &plain, notes, &error), &error);
    if (quant_fuse(&plain, &table, fault, &arena, &fusion, &error) != STATUS_OK) continue;
    const tensor_t *inputs = quant_draw_inputs(&rng, &plain, true, &arena);
    const run_t first = run_graph(&graph, inputs, &arena);
    const run_t second = run_graph(&plain, inputs, &arena);
    const run_t third = run_graph(&fusion.fused, inputs, &arena);
    g_assert_true(outputs_equal(&first, &second));
    different += !outputs_equal(&second, &third);
  }
  arena_deinit(&arena);
  arena_deinit(&tables);
  return different;
}

static void test_same_function(void) {
  g_assert_cmpuint(count_different(QUANT_FUSE_FAULT_none, GRAPHS), ==, 0);
}

/* What is used a second time and goes inside all the same makes another function. */
static void test_second_use(void) {
  g_assert_cmpuint(count_different(QUANT_FUSE_FAULT_second_use, 1500), >, 0);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/quant/fuse_run/same_function", test_same_function);
  g_test_add_func("/quant/fuse_run/second_use", test_second_use);
  return g_test_run();
}
