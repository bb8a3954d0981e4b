/* SPDX-License-Identifier: Apache-2.0 */
/* What quantization costs by the size of the network: building the graph, propagating and
 * materializing it.
 *
 *   bench_quant [ROUNDS] > table
 *
 * The network repeats a diamond of four regions: a convolution with weights and bias, two branches
 * of which one has a scale of its own, and their concatenation, where the branches conflict.  Only
 * its input is annotated.  Each figure is the median over rounds; the time is that of this thread.
 * Below: how the time of propagation and materialization grows by ten times the regions, and the
 * most memory that this process had, which is that of the largest network. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "harness/quant/propagate/propagate.h"
#include "tests/bench/bench_timing.h"

enum { ROUNDS_MAX = 99, REGIONS_OF_DIAMOND = 4 };

static const char table_text[] =
    "table bench\n"
    "default i8\n"
    "kernel linear\n"
    "  in x i8\n"
    "  in weights i8<-127:127> symmetric axis=0 constant\n"
    "  in bias i32 symmetric axis=0 constant\n"
    "  out y i8\n"
    "  rule multiplier_accumulator_scale bias = x * weights\n"
    "end\n"
    "kernel move\n"
    "  in x i8\n"
    "  out y i8\n"
    "  rule same_scale x y\n"
    "end\n"
    "kernel softmax\n"
    "  in x i8\n"
    "  out y i8\n"
    "  rule fixed_scale y 0.00390625:-128\n"
    "end\n"
    "kernel concatenation\n"
    "  in x i8 repeated\n"
    "  out y i8\n"
    "  rule same_scale x y\n"
    "end\n";

typedef struct network {
  quant_builder_t *builder;
  arena_t *arena;
  type_t type;
} network_t;

/* f32[4] with some numbers. */
static uint32_t add_constant(network_t *network, const char *kind, uint32_t number) {
  tensor_t *constant = ARENA_NEW_ARRAY(network->arena, tensor_t, 1);
  *constant = tensor_make(network->arena, &network->type);
  const format_t *format = network->type.element->format;
  for (uint32_t i = 0; i < 4; i++) {
    uint64_t bits = format_from_double(format, 1.0 / (i + number % 7 + 1));
    element_store(network->type.element, constant->data, i, bits);
  }
  char name[32];
  g_snprintf(name, sizeof name, "%s%u", kind, number);
  quant_spec_t open = {.kind = QUANT_SPEC_OPEN};
  return quant_builder_add_value(network->builder, QUANT_CONSTANT, name, &network->type, &open,
                                 constant);
}

/* A region with these inputs and a new value, which is returned. */
static uint32_t add_region(network_t *network, const char *kernel, uint32_t number,
                           const quant_spec_t *result, const uint32_t *inputs,
                           uint32_t input_count) {
  static const char *const names[] = {"a", "b", "c"};
  char name[32];
  g_snprintf(name, sizeof name, "%s%u", kernel, number);
  uint32_t made =
      quant_builder_add_value(network->builder, QUANT_RESULT, name, &network->type, result, NULL);
  quant_port_t ports[4] = {{0}};
  quant_inner_t inners[3] = {{0}};
  for (uint32_t i = 0; i < input_count; i++) {
    ports[i].value = inputs[i];
    inners[i] = (quant_inner_t){.name = names[i], .type = network->type};
  }
  ports[input_count].value = made;
  uint32_t returned = 0;
  quant_region_t region = {.name = name,
                           .kernel = kernel,
                           .input_count = input_count,
                           .output_count = 1,
                           .ports = ports,
                           .inner_count = input_count,
                           .inners = inners,
                           .returns = &returned};
  quant_builder_add_region(network->builder, &region);
  return made;
}

static quant_graph_t build(uint32_t regions, arena_t *arena) {
  static const int64_t dims[] = {4};
  network_t network = {.builder = quant_builder_new("bench", arena),
                       .arena = arena,
                       .type = type_make(element_named("f32"), 1, dims)};
  quant_spec_t open = {.kind = QUANT_SPEC_OPEN};
  quant_spec_t calibrated = {.kind = QUANT_SPEC_CALIBRATED,
                             .expressed = network.type.element,
                             .minimum = -1,
                             .maximum = 1};
  uint32_t value = quant_builder_add_value(network.builder, QUANT_INPUT, "input", &network.type,
                                           &calibrated, NULL);
  for (uint32_t i = 0; i < regions / REGIONS_OF_DIAMOND; i++) {
    uint32_t inputs[] = {value, add_constant(&network, "weights", i),
                         add_constant(&network, "bias", i)};
    uint32_t sum = add_region(&network, "linear", i, &calibrated, inputs, 3);
    uint32_t branches[] = {add_region(&network, "move", i, &open, &sum, 1),
                           add_region(&network, "softmax", i, &open, &sum, 1)};
    value = add_region(&network, "concatenation", i, &open, branches, 2);
  }
  quant_builder_add_output(network.builder, value);
  quant_graph_t graph;
  failure_t error;
  if (quant_builder_finish(network.builder, &graph, &error) != STATUS_OK) g_error("%s", error.text);
  return graph;
}

typedef struct timing {
  double build, propagate, materialize; /* Microseconds. */
  uint32_t visits, rescales;
} timing_t;

static timing_t time_network(const quant_target_t *table, uint32_t regions) {
  arena_t arena;
  arena_init(&arena);
  failure_t error;
  timing_t timing;
  double begin = microseconds();
  quant_graph_t graph = build(regions, &arena);
  timing.build = microseconds() - begin;
  quant_propagation_t propagation;
  begin = microseconds();
  if (quant_propagate(&graph, table, QUANT_FAULT_none, &arena, &propagation, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  timing.propagate = microseconds() - begin;
  quant_graph_t made;
  begin = microseconds();
  if (quant_materialize(&propagation, QUANT_FAULT_none, &arena, &made, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  timing.materialize = microseconds() - begin;
  timing.visits = propagation.visit_count;
  timing.rescales = propagation.rescale_count;
  if (!propagation.is_fully_quantized) g_error("the network is not fully quantized");
  arena_deinit(&arena);
  return timing;
}

/* Prints a line and returns the time of propagation and materialization. */
static double bench(const quant_target_t *table, uint32_t regions, size_t rounds) {
  double builds[ROUNDS_MAX], propagations[ROUNDS_MAX], materializations[ROUNDS_MAX];
  timing_t timing = {0};
  for (size_t i = 0; i < rounds; i++) {
    timing = time_network(table, regions);
    builds[i] = timing.build;
    propagations[i] = timing.propagate;
    materializations[i] = timing.materialize;
  }
  double propagation = median(propagations, rounds);
  double materialization = median(materializations, rounds);
  printf("%8u %8u %8u %9.1f %13.1f %15.1f\n", regions, timing.visits, timing.rescales,
         median(builds, rounds) / 1e3, propagation / 1e3, materialization / 1e3);
  return propagation + materialization;
}

int main(int argc, char **argv) {
  size_t rounds = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 5;
  if (rounds < 1 || rounds > ROUNDS_MAX) {
    fprintf(stderr, "usage: bench_quant [ROUNDS], 1 to %d\n", ROUNDS_MAX);
    return 2;
  }
  arena_t arena;
  arena_init(&arena);
  quant_target_t table;
  failure_t error;
  if (quant_target_parse(str_from(table_text), &arena, &table, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  printf("%8s %8s %8s %9s %13s %15s\n", "regions", "visits", "rescales", "build ms", "propagate ms",
         "materialize ms");
  double small = bench(&table, 1000, rounds);
  double middle = bench(&table, 10000, rounds);
  double large = bench(&table, 100000, rounds);
  printf("10000:1000 %.1f, 100000:10000 %.1f\n", middle / small, large / middle);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("most memory %.0f MiB\n", (double)usage.ru_maxrss / 1024);
  arena_deinit(&arena);
  return 0;
}
