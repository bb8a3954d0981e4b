/* SPDX-License-Identifier: Apache-2.0 */
/* Fusion after quantization: drawn models are fused for a target of small kernels, quantized, and
 * joined for targets of larger ones.  What comes of it has the same ops, keeps all other regions
 * and all parameters, needs no rescale, and joining again changes nothing. */
#include "harness/quant/check/draw_graph.h"
#include "harness/quant/fuse/join.h"
#include "harness/quant/propagate/propagate.h"
#include "tests/quant/graph_text_test.h"

#ifdef ASSAY_SANITIZE
enum { GRAPHS = 40 };
#else
enum { GRAPHS = 400 };
#endif
enum { REGIONS_MAX = 10 };

#define KERNELS                                                          \
  "kernel dense\nin input i8\nin weights i8 symmetric axis=1 constant\n" \
  "in bias i32 symmetric axis=0 optional\nout output i8\nend\n"          \
  "kernel add\nin left i8\nin right i8\nout output i8\nend\n"            \
  "kernel relu\nin input i8\nout output i8\nend\n"                       \
  "pattern relu\noutput = stablehlo.maximum(input, 0)\nend\n"            \
  "pattern add\noutput = stablehlo.add(left, right)\nend\n"

static const char small_table[] =
    "table small\ndefault i8\n" KERNELS
    "pattern dense\noutput = stablehlo.dot_general(input, weights) contract=[1]x[0] rank=2\nend\n";

static const char large_table[] =
    "table large\ndefault i8\n" KERNELS
    "pattern dense\nproducts = stablehlo.dot_general(input, weights) contract=[1]x[0] rank=2\n"
    "biases = stablehlo.broadcast_in_dim(bias) broadcast_dimensions=[1]\n"
    "shifted ?= stablehlo.add(products, biases)\noutput ?= stablehlo.maximum(shifted, 0)\nend\n"
    "kernel add_relu\nin left i8\nin right i8\nout output i8\nend\n"
    "pattern add_relu\nsum = stablehlo.add(left, right)\noutput = stablehlo.maximum(sum, 0)\nend\n";

static quant_target_t read_table(const char *text, arena_t *arena) {
  quant_target_t table;
  failure_t error;
  if (quant_target_parse(str_from(text), arena, &table, &error) != STATUS_OK) {
    g_error("%s\n%s", error.text, text);
  }
  return table;
}

static quant_graph_t take_apart(const quant_graph_t *graph, arena_t *arena) {
  quant_graph_t apart;
  failure_t error;
  g_autoptr(GString) notes = g_string_new(NULL);
  if (quant_unfuse(graph, NULL, arena, &apart, notes, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  return apart;
}

static quant_propagation_t propagate(const quant_graph_t *graph, const quant_target_t *table,
                                     arena_t *arena) {
  quant_propagation_t propagation;
  failure_t error;
  if (quant_propagate(graph, table, QUANT_FAULT_none, arena, &propagation, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  return propagation;
}

/* A drawn model, fused for the table and quantized. */
static quant_graph_t draw_quantized(rng_t *rng, const quant_target_t *table, arena_t *arena) {
  quant_graph_t drawn, quantized;
  failure_t error;
  if (quant_draw_graph(rng, REGIONS_MAX, arena, &drawn, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  quant_graph_t *apart = arena_alloc(arena, sizeof *apart);
  *apart = take_apart(&drawn, arena);
  quant_fusion_t *fusion = arena_alloc(arena, sizeof *fusion);
  if (quant_fuse(apart, table, QUANT_FUSE_FAULT_none, arena, fusion, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  const quant_propagation_t propagation = propagate(&fusion->fused, table, arena);
  if (quant_materialize(&propagation, QUANT_FAULT_none, arena, &quantized, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  return quantized;
}

static quant_joining_t join(const quant_graph_t *graph, const quant_target_t *table,
                            arena_t *arena) {
  quant_joining_t joining;
  failure_t error;
  if (quant_join(graph, table, arena, &joining, &error) != STATUS_OK) g_error("%s", error.text);
  return joining;
}

static const quant_region_t *find_region(const quant_graph_t *graph, const char *name) {
  for (uint32_t r = 0; r < graph->region_count; r++) {
    const quant_region_t *region = &graph->regions[r];
    if (!region->is_op && strcmp(region->name, name) == 0) return region;
  }
  return NULL;
}

/* Regions that are no part of any other are there as they were. */
static void check_others(const quant_joining_t *joining) {
  const quant_graph_t *graph = joining->graph;
  for (uint32_t r = 0; r < graph->region_count; r++) {
    bool is_part = graph->regions[r].is_op;
    for (uint32_t i = 0; i < joining->joint_count; i++) is_part |= joining->joints[i].parts[r];
    if (is_part) continue;
    const quant_region_t *kept = find_region(&joining->joined, graph->regions[r].name);
    g_assert_nonnull(kept);
    g_assert_cmpstr(kept->kernel, ==, graph->regions[r].kernel);
    g_assert_cmpuint(kept->op_count, ==, graph->regions[r].op_count);
  }
}

/* Values that are left have the parameters that they had. */
static void check_values(const quant_joining_t *joining) {
  const quant_graph_t *before = joining->graph, *after = &joining->joined;
  for (uint32_t a = 0; a < after->value_count; a++) {
    for (uint32_t b = 0; b < before->value_count; b++) {
      if (strcmp(before->values[b].name, after->values[a].name) != 0) continue;
      if (before->values[b].spec.kind != QUANT_SPEC_OPEN) {
        g_assert_true(quant_spec_equal(&before->values[b].spec, &after->values[a].spec));
      }
    }
  }
}

static void check_joined(const quant_joining_t *joining, const quant_target_t *table,
                         arena_t *arena) {
  const quant_propagation_t propagation = propagate(&joining->joined, table, arena);
  for (uint32_t i = 0; i < joining->joint_count; i++) {
    const quant_region_t *region = find_region(&joining->joined, joining->joints[i].region);
    g_assert_nonnull(region);
    const quant_region_result_t *result = &propagation.regions[region - joining->joined.regions];
    g_assert_nonnull(result->row);
    for (uint32_t k = 0; k < region->input_count + region->output_count; k++) {
      g_assert_false(result->ports[k].is_rescaled);
    }
  }
  check_others(joining);
  check_values(joining);
  check_graph_round_trip(&joining->joined);
  const quant_joining_t again = join(&joining->joined, table, arena);
  g_assert_cmpuint(again.joint_count, ==, 0);
  g_assert_true(quant_graph_equal(&again.joined, &joining->joined));
}

static void test_drawn(void) {
  arena_t tables, arena;
  arena_init(&tables);
  arena_init(&arena);
  rng_t rng = rng_make(11);
  const quant_target_t small = read_table(small_table, &tables);
  const quant_target_t large = read_table(large_table, &tables);
  uint32_t joints = 0, kept = 0;
  for (int i = 0; i < GRAPHS; i++) {
    const quant_graph_t graph = draw_quantized(&rng, &small, &arena);
    const quant_joining_t joining = join(&graph, &large, &arena);
    check_joined(&joining, &large, &arena);
    const quant_graph_t before = take_apart(&graph, &arena);
    const quant_graph_t after = take_apart(&joining.joined, &arena);
    g_assert_true(quant_graph_equal(&before, &after));
    joints += joining.joint_count;
    kept += joining.joint_count == 0;
    arena_reset(&arena);
  }
  g_test_message("%u regions joined; nothing in %u of %d models", joints, kept, GRAPHS);
  g_assert_cmpuint(joints, >, GRAPHS / 20);
  g_assert_cmpuint(kept, >, 0);
  arena_deinit(&arena);
  arena_deinit(&tables);
}

/* ---- What blocks ----------------------------------------------------------------------------- */

static const char same_scale_table[] =
    "table same\ndefault i8\nkernel add_relu\nin left i8\nin right i8\nout output i8\n"
    "rule same_scale left output\nend\n"
    "pattern add_relu\nsum = stablehlo.add(left, right)\noutput = stablehlo.maximum(sum, 0)\nend\n";

/* An addition, perhaps of what is negated first, and a maximum, quantized; `y` has the scale and
 * zero point that are given. */
static char *pair_of_regions(const char *y, const char *outputs, bool negates) {
  return g_strdup_printf(
      "graph pair\ninput a f32[2] !quant.uniform<i8:f32, 0.5>\n"
      "input b f32[2] !quant.uniform<i8:f32, 0.5>\n"
      "value s !quant.uniform<i8:f32, 1.0>\nvalue y !quant.uniform<i8:f32, %s>\n"
      "region sum add\nin a\nin b\nout s f32[2]\n"
      "%s"
      "op t = stablehlo.add(%s, b) f32[2] f32[2] -> f32[2]\nreturn t\nend\n"
      "region clamp relu\nin s\nout y f32[2]\nconstant zero f32[2] = [0.0, 0.0]\n"
      "op u = stablehlo.maximum(s, zero) f32[2] f32[2] -> f32[2]\nreturn u\nend\n%s",
      y, negates ? "op n = stablehlo.negate(a) f32[2] -> f32[2]\n" : "", negates ? "n" : "a",
      outputs);
}

static void check_pair(const char *table_text, const char *y, const char *outputs, bool negates,
                       uint32_t joints) {
  arena_t arena;
  arena_init(&arena);
  g_autofree char *text = pair_of_regions(y, outputs, negates);
  quant_graph_t graph;
  failure_t error;
  if (quant_graph_parse(str_from(text), &arena, &graph, &error) != STATUS_OK) {
    g_error("%s\n%s", error.text, text);
  }
  const quant_target_t table = read_table(table_text, &arena);
  const quant_joining_t joining = join(&graph, &table, &arena);
  g_assert_cmpuint(joining.joint_count, ==, joints);
  if (joints == 0) g_assert_true(quant_graph_equal(&joining.joined, &graph));
  arena_deinit(&arena);
}

static void test_blocked(void) {
  check_pair(large_table, "0.75:3", "output y\n", false, 1);
  check_pair(same_scale_table, "0.5", "output y\n", false, 1);
  check_pair(same_scale_table, "0.75:3", "output y\n", false, 0); /* It would need a rescale. */
  check_pair(large_table, "0.75:3", "output y\noutput s\n", false, 0);
  check_pair(small_table, "0.75:3", "output y\n", false, 0);
  /* The pattern takes a part of the first region. */
  check_pair(large_table, "0.75:3", "output y\n", true, 0);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/quant/join/drawn", test_drawn);
  g_test_add_func("/quant/join/blocked", test_blocked);
  return g_test_run();
}
