/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs with ops that stand in no region: text, order, and what is refused. */
#include "harness/quant/graph/rebuild.h"
#include "harness/quant/propagate/propagate.h"
#include "tests/quant/graph_text_test.h"

#define ADD(out, a, b) "op " out " = stablehlo.add(" a ", " b ") f32[2] f32[2] -> f32[2]\n"
#define HEAD "graph g\ninput x f32[2]\n"
#define TAKE                                                                            \
  "op top, places = byteir.top_k(x) k=1 axis=[0] sorted=true f32[2] -> f32[1] i32[1]\n" \
  "op one = stablehlo.add(places, places) i32[1] i32[1] -> i32[1]\n"

/* Operands twice, an order against the arrows, a region and an op that have one name, results of
 * integers, and ops in subprograms, whose results are the caller's. */
static const char mixed[] = HEAD "input flags i1[3]\nconstant two i32[1] = [2]\n"
    "value b f32\n" ADD("c", "b", "x") ADD("b", "x", "x") TAKE
    "region c add\nin b\nin x\nout d f32[2]\nconstant k f32[2] = [1.0, 2.0]\n" ADD("s", "b", "x")
    ADD("t", "s", "k") "value k f32\nvalue s !quant.calibrated<f32<-1.0:1.0>>\nreturn t\nend\n"
    "call p part(c, d) -> (e)\ncall q part(d, c) -> (f)\noutput e\noutput f\noutput one\n"
    "subprogram part(m: f32[2], n: f32[2]) -> (r)\n"
    "value i !quant.any<i8:f32>\n" ADD("r", "i", "n") ADD("i", "m", "n") "end\n";

static void test_round_trip(void) {
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graph = parse_graph(mixed, &arena);
  uint32_t ops = 0;
  for (uint32_t r = 0; r < graph.region_count; r++) ops += graph.regions[r].is_op;
  g_assert_cmpuint(ops, ==, 8);
  check_graph_round_trip(&graph);
  g_autofree char *text = print_graph(&graph);
  g_assert_nonnull(strstr(text, "\n  op r = stablehlo.add(i, n) f32[2] f32[2] -> f32[2]\n"));
  g_assert_nonnull(strstr(text, "\n  value s !quant.calibrated<f32<-1.0:1.0>>\n"));
  arena_deinit(&arena);
}

/* Whatever the order of lines, the graph is the same, and so is the order of what it holds. */
static void test_order(void) {
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graph = parse_graph(mixed, &arena);
  const uint32_t *order = quant_graph_order(&graph, &arena);
  rng_t rng = rng_make(1);
  for (int round = 0; round < 50; round++) {
    quant_parts_t parts = quant_parts_take(&graph, &arena);
    quant_parts_shuffle(&parts, &rng);
    quant_graph_t shuffled;
    failure_t error;
    g_assert_cmpint(quant_parts_build(&parts, &arena, &shuffled, NULL, NULL, &error), ==,
                    STATUS_OK);
    g_assert_true(quant_graph_equal(&graph, &shuffled));
    const uint32_t *again = quant_graph_order(&shuffled, &arena);
    for (uint32_t i = 0; i < graph.region_count; i++) {
      const quant_region_t *a = &graph.regions[order[i]], *b = &shuffled.regions[again[i]];
      g_assert_cmpstr(quant_region_key(&graph, a), ==, quant_region_key(&shuffled, b));
      g_assert_true(a->is_op == b->is_op);
    }
  }
  arena_deinit(&arena);
}

/* Each is another graph than the one above. */
static void test_unequal(void) {
  static const char *const edits[][2] = {
      {"op c = stablehlo.add(b, x)", "op c = stablehlo.add(x, b)"},
      {"op c = stablehlo.add(b, x)", "op c = stablehlo.multiply(b, x)"},
      {"value k f32\n", ""},
      {"value s !quant.calibrated<f32<-1.0:1.0>>", "value s !quant.calibrated<f32<-1.0:2.0>>"},
  };
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graph = parse_graph(mixed, &arena);
  for (size_t i = 0; i < G_N_ELEMENTS(edits); i++) {
    g_autoptr(GString) text = g_string_new(mixed);
    g_assert_cmpuint(g_string_replace(text, edits[i][0], edits[i][1], 1), ==, 1);
    quant_graph_t other = parse_graph(text->str, &arena);
    g_assert_false(quant_graph_equal(&graph, &other));
  }
  arena_deinit(&arena);
}

/* Ops in no region stay in high precision, and what is materialized holds them as they were. */
static void test_propagation(void) {
  static const char table_text[] =
      "table t\ndefault i8\nkernel add\nin a *\nin b i8\nout c i8\nend\n"
      "kernel stablehlo.add\nin a i8\nin b i8\nout c i8\nend\n"
      "kernel move\nin a *\nin b *\nout c *\nend\n";
  arena_t arena;
  arena_init(&arena);
  g_autoptr(GString) text = g_string_new(mixed);
  g_string_replace(text, "input x f32[2]", "input x f32[2] !quant.calibrated<f32<-1.0:1.0>>", 1);
  g_string_append(text, "region moved move\nin places\nin x\nout here f32[2]\n" ADD(
                            "y", "x", "x") "return y\nend\n");
  quant_graph_t graph = parse_graph(text->str, &arena), quantized, again;
  quant_target_t table;
  failure_t error;
  g_assert_cmpint(quant_target_parse(str_from(table_text), &arena, &table, &error), ==, STATUS_OK);
  quant_propagation_t propagation;
  g_assert_cmpint(quant_propagate(&graph, &table, QUANT_FAULT_none, &arena, &propagation, &error),
                  ==, STATUS_OK);
  g_assert_cmpuint(propagation.plain_count, ==, 8);
  g_assert_cmpuint(propagation.refused_count, ==, 0);
  g_assert_false(propagation.is_fully_quantized);
  g_assert_cmpint(quant_materialize(&propagation, QUANT_FAULT_none, &arena, &quantized, &error), ==,
                  STATUS_OK);
  check_graph_round_trip(&quantized);
  g_assert_cmpint(
      quant_propagate(&quantized, &table, QUANT_FAULT_none, &arena, &propagation, &error), ==,
      STATUS_OK);
  g_assert_cmpint(quant_materialize(&propagation, QUANT_FAULT_none, &arena, &again, &error), ==,
                  STATUS_OK);
  g_assert_true(quant_graph_equal(&quantized, &again));
  arena_deinit(&arena);
}

static void test_refused(void) {
  static const char *const rows[][2] = {
      {ADD("y", "x", "z"), "line 3, column 25: there is no value called z"},
      {"op y = stablehlo.add(x, k) f32[2] f32[2] -> f32[2]\nconstant k f32[3] = [1, 2, 3]\n",
       "line 3, column 25: k is of another type than operand 1"},
      {"op y = stablehlo.add(x) f32[2] f32[2] -> f32[2]\n",
       "line 3, column 1: 1 operands and 1 results are named, the types are of 2 and 1"},
      {ADD("y", "y", "x"), "line 3, column 1: op y: its inputs depend on its outputs"},
      {ADD("y", "x", "x") ADD("y", "x", "x"), "line 4, column 4: line 3 has a value called y"},
      {ADD("x", "x", "x"), "line 3, column 4: line 2 has a value called x already"},
      {"op y = stablehlo.nothing(x, x) f32[2] f32[2] -> f32[2]\n",
       "line 3, column 8: expected an op"},
      {"op y = stablehlo.add(x, x) f32[2] f32[2] -> f32[3]\n",
       "line 3, column 8: violates C1 of stablehlo.add"},
      {"constant k i1[1] i1 = [1]\n", "line 3, column 1"},
      {"constant k i8[1] !quant.any<i8:f32> = [1]\n",
       "line 3, column 10: value k: only a tensor of unquantized floats has a spec"},
      {"value x f32\n", "line 3, column 7: x has its constraint where it is declared"},
      {"output x\n", "line 3, column 8: x is made by no region or op"},
      {"region r add\nin x\nout y f32[2]\nvalue x f32\n",
       "line 6, column 7: x has its constraint at the input"},
      {"region r add\nin x\nout y f32[2]\n" ADD("s", "x", "x") "value s f32\nvalue s f32\n",
       "line 8, column 7: s has its constraint already"},
      {"region r add\nin x\nout y f32[2]\nvalue s f32\n",
       "line 6, column 7: no line above makes a tensor called s"},
      {"region r add\nin x\nout y f32[2]\n" ADD("s", "x", "x") "value s f64\nreturn s\nend\n",
       "line 3, column 1: region r: tensor s: the spec is of f64"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strconcat(HEAD, rows[i][0], NULL);
    check_graph_refused(text, rows[i][1]);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/quant/graph_ops/round_trip", test_round_trip);
  g_test_add_func("/quant/graph_ops/order", test_order);
  g_test_add_func("/quant/graph_ops/unequal", test_unequal);
  g_test_add_func("/quant/graph_ops/propagation", test_propagation);
  g_test_add_func("/quant/graph_ops/refused", test_refused);
  return g_test_run();
}
