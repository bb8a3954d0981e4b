/* SPDX-License-Identifier: Apache-2.0 */
/* Subprograms and calls: expanded by parsing, found again by printing; and graphs as MLIR. */
#include "tests/quant/graph_text_test.h"

#define ADD(name, in, out)                        \
  "region " name " add\nin " in " as x\nout " out \
  " f32[2]\n"                                     \
  "op s = stablehlo.add(x, x) f32[2] f32[2] -> f32[2]\nreturn s\nend\n"
#define HEAD "graph g\ninput x f32[2]\n"
#define TWICE                                                                \
  "subprogram twice(a: f32[2]) -> (c)\nvalue b f32\n" ADD("first", "a", "b") \
      ADD("second", "b", "c") "end\n"

static const quant_region_t *find_region(const quant_graph_t *graph, const char *name) {
  for (uint32_t r = 0; r < graph->region_count; r++) {
    if (strcmp(graph->regions[r].name, name) == 0) return &graph->regions[r];
  }
  g_error("no region is called %s", name);
}

static const char *value_name(const quant_graph_t *graph, const quant_region_t *region,
                              uint32_t port) {
  return graph->values[region->ports[port].value].name;
}

static uint32_t find_value(const quant_graph_t *graph, const char *name) {
  for (uint32_t v = 0; v < graph->value_count; v++) {
    if (strcmp(graph->values[v].name, name) == 0) return v;
  }
  g_error("no value is called %s", name);
}

/* ---- Expansion ------------------------------------------------------------------------------- */

static void test_expansion(void) {
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graph =
      parse_graph(HEAD "call p outer(x) -> (y)\nvalue y f32\noutput y\n" TWICE
                       "subprogram outer(i: f32[2]) -> (o)\ncall one twice(i) -> (m)\n"
                       "call two twice(m) -> (o)\nend\n",
                  &arena);
  g_assert_cmpuint(graph.region_count, ==, 4);
  g_assert_cmpuint(graph.call_count, ==, 3);
  static const char *const rows[][3] = {{"p/one/first", "x", "p/one/b"},
                                        {"p/one/second", "p/one/b", "p/m"},
                                        {"p/two/first", "p/m", "p/two/b"},
                                        {"p/two/second", "p/two/b", "y"}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const quant_region_t *region = find_region(&graph, rows[i][0]);
    g_assert_cmpstr(value_name(&graph, region, 0), ==, rows[i][1]);
    g_assert_cmpstr(value_name(&graph, region, 1), ==, rows[i][2]);
    const quant_call_t *call = &graph.calls[region->call];
    g_assert_cmpstr(call->subprogram, ==, "twice");
    g_assert_cmpstr(graph.calls[call->parent].name, ==, "p");
  }
  g_assert_cmpint(graph.values[find_value(&graph, "y")].spec.kind, ==, QUANT_SPEC_KEEP);
  g_assert_cmpint(graph.values[find_value(&graph, "p/two/b")].spec.kind, ==, QUANT_SPEC_KEEP);
  check_graph_round_trip(&graph);
  arena_deinit(&arena);
}

/* Constants are one for all copies; an argument that is given twice goes by one name. */
static void test_arguments(void) {
  static const char *const text =
      "graph g\ninput x f32[2]\ncall p both(x, x) -> (y, z)\ncall q both(y, z) -> (u, v)\n"
      "output u\noutput v\nsubprogram both(a: f32[2], b: f32[2]) -> (c, d)\n"
      "  constant k f32[2] = [1.0, 2.0]\n"
      "  region r pair\n    in a\n    in b\n    in k\n    out c f32[2]\n    out d f32[2]\n"
      "    return a, b\n  end\nend\n";
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graph = parse_graph(text, &arena);
  g_assert_true(graph.values[find_value(&graph, "p/k")].constant ==
                graph.values[find_value(&graph, "q/k")].constant);
  g_autofree char *printed = print_graph(&graph);
  g_assert_nonnull(strstr(printed, "call p both(x, x) -> (y, z)\n"));
  g_assert_nonnull(strstr(printed, "    in a\n    in a as b\n    in k\n"));
  g_assert_nonnull(strstr(printed, "subprogram both.2(a: f32[2], b: f32[2]) -> (c, d)\n"));
  check_graph_round_trip(&graph);
  arena_deinit(&arena);
}

/* ---- Printing changed copies ----------------------------------------------------------------- */

/* Adds all of a graph to a builder, but for what `change` does to regions. */
static quant_graph_t rebuild(const quant_graph_t *graph, arena_t *arena,
                             void (*change)(quant_builder_t *builder, const quant_graph_t *graph,
                                            quant_region_t *region)) {
  quant_builder_t *builder = quant_builder_new(graph->name, arena);
  for (uint32_t v = 0; v < graph->value_count; v++) {
    const quant_value_t *value = &graph->values[v];
    quant_value_role_t role = value->constant != NULL         ? QUANT_CONSTANT
                              : value->producer != QUANT_NONE ? QUANT_RESULT
                                                              : QUANT_INPUT;
    quant_builder_add_value(builder, role, value->name, &value->type, &value->spec,
                            value->constant);
  }
  for (uint32_t r = 0; r < graph->region_count; r++) {
    quant_region_t region = graph->regions[r];
    quant_port_t ports[QUANT_PORTS_MAX];
    memcpy(ports, region.ports, quant_port_count(&region) * sizeof ports[0]);
    region.ports = ports;
    change(builder, graph, &region);
    quant_builder_add_region(builder, &region);
  }
  for (uint32_t c = 0; c < graph->call_count; c++)
    quant_builder_add_call(builder, &graph->calls[c]);
  for (uint32_t i = 0; i < graph->output_count; i++) {
    quant_builder_add_output(builder, graph->outputs[i]);
  }
  quant_graph_t rebuilt;
  failure_t error = {0};
  if (quant_builder_finish(builder, &rebuilt, &error) != STATUS_OK) g_error("%s", error.text);
  return rebuilt;
}

static const char *const calls_text = HEAD
    "call p twice(x) -> (y)\ncall q twice(y) -> (z)\ncall r twice(z) -> (w)\n"
    "call s twice.2(w) -> (o)\noutput o\n" TWICE
    "subprogram twice.2(a: f32[2]) -> (b)\n" ADD("only", "a", "b") "end\n";

static void keep_second(quant_builder_t *builder, const quant_graph_t *graph,
                        quant_region_t *region) {
  (void)builder;
  if (strcmp(region->name, "q/first") != 0) return;
  quant_port_t *ports = (quant_port_t *)(uintptr_t)region->ports;
  ports[0].spec = quant_spec_of_type(&graph->values[0].type);
}

/* A copy that differs has a subprogram of its own, whose name nothing else has. */
static void test_different_copies(void) {
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graph = parse_graph(calls_text, &arena);
  quant_graph_t changed = rebuild(&graph, &arena, keep_second);
  g_autofree char *printed = print_graph(&changed);
  g_assert_nonnull(strstr(printed, "call p twice(x)"));
  g_assert_nonnull(strstr(printed, "call q twice.3(y)"));
  g_assert_nonnull(strstr(printed, "call r twice(z)"));
  g_assert_nonnull(strstr(printed, "call s twice.2(w)"));
  check_graph_round_trip(&changed);
  g_assert_false(quant_graph_equal(&graph, &changed));
  arena_deinit(&arena);
}

static void add_rescale(quant_builder_t *builder, const char *name, uint32_t from, uint32_t to) {
  quant_port_t ports[] = {{.value = from}, {.value = to}};
  quant_region_t rescale = {.name = name,
                            .kernel = QUANT_RESCALE_KERNEL,
                            .input_count = 1,
                            .output_count = 1,
                            .ports = ports};
  quant_builder_add_region(builder, &rescale);
}

/* What materializing does: q/first reads x.rescale, which is made outside of the call, q/second
 * makes z by way of a rescale outside, and p has one inside. */
static void insert_rescales(quant_builder_t *builder, const quant_graph_t *graph,
                            quant_region_t *region) {
  quant_port_t *ports = (quant_port_t *)(uintptr_t)region->ports;
  const quant_value_t *x = &graph->values[0];
  quant_spec_t open = {.kind = QUANT_SPEC_OPEN};
  if (strcmp(region->name, "q/first") == 0) {
    uint32_t added =
        quant_builder_add_value(builder, QUANT_RESULT, "x.rescale", &x->type, &open, NULL);
    add_rescale(builder, "x.rescale", 0, added);
    ports[0].value = added;
  } else if (strcmp(region->name, "q/second") == 0) {
    uint32_t added =
        quant_builder_add_value(builder, QUANT_RESULT, "z.rescale", &x->type, &open, NULL);
    add_rescale(builder, "z.rescale", added, ports[1].value);
    ports[1].value = added;
  } else if (strcmp(region->name, "p/second") == 0) {
    uint32_t added =
        quant_builder_add_value(builder, QUANT_RESULT, "p/b.rescale", &x->type, &open, NULL);
    add_rescale(builder, "p/b.rescale", ports[0].value, added);
    ports[0].value = added;
  }
}

static void test_rescales_at_borders(void) {
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graph = parse_graph(calls_text, &arena);
  quant_graph_t changed = rebuild(&graph, &arena, insert_rescales);
  g_autofree char *printed = print_graph(&changed);
  g_assert_nonnull(strstr(printed, "call q twice.3(y, x.rescale) -> (z.rescale)\n"));
  g_assert_nonnull(
      strstr(printed, "subprogram twice.3(a: f32[2], argument.1: f32[2]) -> (result.1)\n"));
  g_assert_nonnull(strstr(printed, "  region b.rescale rescale\n    in b\n    out b.rescale f32"));
  check_graph_round_trip(&changed);
  arena_deinit(&arena);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void test_refused(void) {
  static const struct {
    const char *text, *message;
  } rows[] = {
      {HEAD "call p f(x) -> (y)\n", "line 3, column 1: there is no subprogram called f"},
      {HEAD "call p twice() -> (y)\n" TWICE,
       "line 3, column 1: subprogram twice has 1 arguments and 1 results, the call 0 and 1"},
      {HEAD "call p twice(x) -> ()\n" TWICE, "line 3, column 1: subprogram twice has 1 arguments"},
      {HEAD "call p twice(z) -> (y)\n" TWICE, "line 3, column 14: there is no value called z"},
      {HEAD "call p twice(x) -> (x)\n" TWICE, "line 3, column 21: line 2 has a value called x"},
      {HEAD "call p twice(x) -> (y)\ncall p twice(y) -> (z)\n" TWICE,
       "line 4, column 6: a call is called p already"},
      {HEAD "input w f32[3]\ncall p twice(w) -> (y)\n" TWICE,
       "line 4, column 14: w is of another type than argument a"},
      {HEAD "call p twice(y) -> (y)\n" TWICE,
       "line 6, column 1: region p/first: its inputs depend on its outputs"},
      {HEAD "call p twice x -> (y)\n" TWICE, "line 3, column 14: expected \"(\""},
      {HEAD TWICE TWICE, "line 18, column 12: a subprogram is called twice already"},
      {HEAD "subprogram f(a: f32[2]) -> (a)\nend\n", "line 3, column 29: a is made by no region"},
      {HEAD "subprogram f(a: f32[2]) -> (b, b)\n" ADD("r", "a", "b") "end\n",
       "line 3, column 32: b is named twice"},
      {HEAD "subprogram f(a: f32[2], a: f32[2]) -> ()\nend\n",
       "line 3, column 25: line 3 has a value called a already"},
      {HEAD "subprogram f(a: f32[2]) -> ()\nvalue a f32\nend\n",
       "line 4, column 7: a is the caller's, and so is the constraint on it"},
      {HEAD "subprogram f(a: f32[2]) -> (b)\nvalue b f32\n" ADD("r", "a", "b") "end\n",
       "line 4, column 7: b is the caller's"},
      {HEAD "subprogram f() -> ()\ninput y f32[2]\nend\n",
       "line 4, column 1: expected \"constant\""},
      {HEAD "subprogram f() -> ()\nsubprogram g() -> ()\nend\n",
       "line 4, column 1: expected \"constant\""},
      {HEAD "subprogram f() -> ()\n", "line 3, column 12: the subprogram has no \"end\""},
      {HEAD "subprogram f(a f32[2]) -> ()\nend\n", "line 3, column 16: expected \":\""},
      {HEAD "subprogram f() -> ()\ncall q f() -> ()\nend\n",
       "line 4, column 1: subprogram f calls itself"},
      {HEAD "subprogram f() -> ()\ncall q g() -> ()\nend\n"
            "subprogram g() -> ()\ncall q f() -> ()\nend\n",
       "line 7, column 1: subprogram f calls itself"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    check_graph_refused(rows[i].text, rows[i].message);
  }
}

/* Each subprogram calls the next so many times: a small text that stands for a large graph. */
static char *tower(uint32_t height, uint32_t calls, const char *top) {
  GString *text = g_string_new(HEAD "call c f0(x) -> (y)\noutput y\n");
  for (uint32_t i = 0; i < height; i++) {
    g_string_append_printf(text, "subprogram f%u(a0: f32[2]) -> (a%u)\n", i, calls);
    for (uint32_t c = 0; c < calls; c++) {
      g_string_append_printf(text, "call c%u f%u(a%u) -> (a%u)\n", c, i + 1, c, c + 1);
    }
    g_string_append(text, "end\n");
  }
  g_string_append_printf(text, "subprogram f%u(a0: f32[2]) -> (b)\n%send\n", height, top);
  return g_string_free(text, FALSE);
}

static void test_bounds(void) {
  static const char *const region = ADD("r", "a0", "b");
  g_autofree char *bomb = tower(40, 2, region);
  check_graph_refused(bomb, "line 1, column 7: with calls replaced by what they call");
  g_autofree char *just_above = tower(20, 2, region); /* 2^20 regions. */
  check_graph_refused(just_above, "line 1, column 7: with calls replaced");
  GString *many = g_string_new(region);
  for (int i = 0; i < 20; i++) g_string_append_printf(many, "constant k%d f32[1] = [1]\n", i);
  g_autofree char *parts_bomb = tower(19, 2, many->str); /* Few enough regions. */
  check_graph_refused(parts_bomb, "line 1, column 7: with calls replaced");
  g_string_free(many, TRUE);
  g_autofree char *deep = tower(64, 1, region);
  check_graph_refused(deep, "line 197, column 12: calls are nested more than 64 deep");
  g_autofree char *tallest = tower(63, 1, region);
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graph = parse_graph(tallest, &arena);
  check_graph_round_trip(&graph);
  arena_deinit(&arena);
  char name[200];
  memset(name, 'n', sizeof name);
  g_autofree char *long_names =
      g_strdup_printf(HEAD
                      "call %.*s f(x) -> (y)\nsubprogram f(a: f32[2]) -> (b)\nregion %.*s k\nin a\n"
                      "out b f32[2]\nreturn a\nend\nend\n",
                      150, name, 150, name);
  check_graph_refused(long_names, "line 5, column 1: with its calls in front, the name nnn");
}

/* Values are seen where they stand and deeper. */
static void test_scopes(void) {
  static const struct {
    const char *value, *region, *message;
  } rows[] = {
      {"c/y", "r", "region r: value c/y belongs to a call that it is not in"},
      {"c/y", "d/r", "region d/r: value c/y belongs to a call that it is not in"},
      {"y", "e/r", "region e/r: there is no call e"},
      {"e/y", "r", "value e/y: there is no call e"},
      {"/y", "r", "value \"/y\": a name is"},
      {"y ", "r", "value \"y \": a name is"},
      {"c/y", "c/r", NULL},
      {"y", "c/r", NULL},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    arena_t arena;
    arena_init(&arena);
    quant_builder_t *builder = quant_builder_new("g", &arena);
    type_t type = type_make(element_named("f32"), 0, NULL);
    quant_spec_t open = {.kind = QUANT_SPEC_OPEN};
    uint32_t x = quant_builder_add_value(builder, QUANT_INPUT, "x", &type, &open, NULL);
    uint32_t y = quant_builder_add_value(builder, QUANT_RESULT, rows[i].value, &type, &open, NULL);
    add_rescale(builder, rows[i].region, x, y);
    quant_call_t calls[] = {{.name = "c", .subprogram = "f"}, {.name = "d", .subprogram = "f"}};
    quant_builder_add_call(builder, &calls[0]);
    quant_builder_add_call(builder, &calls[1]);
    quant_graph_t graph;
    failure_t error = {0};
    status_t status = quant_builder_finish(builder, &graph, &error);
    g_test_message("%s", error.text);
    g_assert_cmpint(status, ==, rows[i].message == NULL ? STATUS_OK : STATUS_INVALID);
    if (status == STATUS_OK) {
      check_graph_round_trip(&graph);
    } else {
      g_assert_true(g_str_has_prefix(error.text, rows[i].message));
    }
    arena_deinit(&arena);
  }
}

/* ---- MLIR ------------------------------------------------------------------------------------ */

static void test_mlir(void) {
  static const char *const text =
      "graph 1st\ninput x f32[2] !quant.calibrated<f32<-1.0:1.0>>\n"
      "constant w f32[2] = [inf, -0.5]\ncall c f(x, w) -> (y)\noutput y\n"
      "subprogram f(x: f32[2], w: f32[2]) -> (y)\nregion r matrix\nin x\nin w as u.2 f32\n"
      "out y f32[2] !quant.any<u8:f32>\nconstant m i32[2,1] = [1, -2]\n"
      "op s = stablehlo.add(x, u.2) f32[2] f32[2] -> f32[2]\nreturn s\nend\nend\n";
  static const char *const expected =
      "module {\n"
      "  func.func @\"1st\"(%v.x: tensor<2xf32> {quant.spec = !quant.calibrated<f32<-1.0:1.0>>}) "
      "-> "
      "(tensor<2xf32>) attributes {quant.calls = [{arguments = 2 : i64, formals = [\"x\", \"w\", "
      "\"y\"], name = \"c\", subprogram = \"f\", values = [\"x\", \"w\", \"y\"]}], quant.ports = "
      "{\"c/r\" = [unit, f32, !quant.any<u8:f32>]}} {\n"
      "    %v.w = \"stablehlo.constant\"() <{value = dense<[0x7F800000, -0.5]> : tensor<2xf32>}> : "
      "() -> tensor<2xf32>\n"
      "    %v.y = \"quant.region\"(%v.x, %v.w) ({\n"
      "    ^bb0(%i.c$r$$x: tensor<2xf32>, %i.c$r$$u.2: tensor<2xf32>):\n"
      "      %i.c$r$$m = \"stablehlo.constant\"() <{value = dense<[[1], [-2]]> : tensor<2x1xi32>}> "
      ": () -> tensor<2x1xi32>\n"
      "      %i.c$r$$s = \"stablehlo.add\"(%i.c$r$$x, %i.c$r$$u.2) : (tensor<2xf32>, "
      "tensor<2xf32>) -> tensor<2xf32>\n"
      "      \"quant.return\"(%i.c$r$$s) : (tensor<2xf32>) -> ()\n"
      "    }) {input_specs = [!quant.calibrated<f32<-1.0:1.0>>, f32], logical_kernel = \"matrix\", "
      "output_specs = [!quant.any<u8:f32>]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)\n"
      "    return %v.y : tensor<2xf32>\n"
      "  }\n"
      "}\n";
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graph = parse_graph(text, &arena);
  GString *printed = g_string_new(NULL);
  quant_graph_print_mlir(&graph, printed);
  g_assert_cmpstr(printed->str, ==, expected);
  g_string_free(printed, TRUE);
  arena_deinit(&arena);
}

/* What the ops of MLIR do not say: constraints on values and on tensors inside of regions, a range
 * of one number (MLIR has no type for it), and where an op stands that makes a caller's value. */
static void test_mlir_attributes(void) {
  static const char *const text =
      "graph g\ninput x f32[2]\nconstant w f32[2] !quant.calibrated<f32<2:2>> = [1, 2]\n"
      "value y !quant.any<i8:f32>\ncall c f(x, w) -> (y)\nregion r k\nin y f32\n"
      "out z f32[2] f32\nop n = stablehlo.negate(y) f32[2] -> f32[2]\nvalue n f32\nreturn n\nend\n"
      "output z\nsubprogram f(x: f32[2], w: f32[2]) -> (y)\n"
      "op y = stablehlo.add(x, w) f32[2] f32[2] -> f32[2]\nend\n";
  static const char *const expected[] = {
      "%v.w = \"stablehlo.constant\"() <{value = dense<[1.0, 2.0]> : tensor<2xf32>}> {quant.spec = "
      "\"!quant.calibrated<f32<2.0:2.0>>\"} : () -> tensor<2xf32>\n",
      "], quant.inners = {\"r\" = {\"n\" = f32}}, quant.ops = {\"y\" = \"c/y\"}, quant.values = "
      "{\"y\" = "
      "!quant.any<i8:f32>}} {\n",
  };
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graph = parse_graph(text, &arena);
  g_autoptr(GString) printed = g_string_new(NULL);
  quant_graph_print_mlir(&graph, printed);
  for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
    g_test_message("%s", printed->str);
    g_assert_nonnull(strstr(printed->str, expected[i]));
  }
  arena_deinit(&arena);
}

/* Names that MLIR's lexer does not take bare behind '@', and a spec that says nothing. */
static void test_mlir_spellings(void) {
  static const struct {
    const char *name, *symbol;
  } rows[] = {{"a-b", "@\"a-b\"("}, {".a", "@\".a\"("}, {"_a.1", "@_a.1("}, {"B2", "@B2("}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf(
        "graph %s\ninput x f16[2]\nregion r k\nin x\nout y f16[2]\nreturn x\nend\n", rows[i].name);
    arena_t arena;
    arena_init(&arena);
    quant_graph_t graph = parse_graph(text, &arena);
    g_autoptr(GString) printed = g_string_new(NULL);
    quant_graph_print_mlir(&graph, printed);
    g_assert_nonnull(strstr(printed->str, rows[i].symbol));
    g_assert_nonnull(strstr(printed->str, "input_specs = [f16], "));
    g_assert_nonnull(strstr(printed->str, "output_specs = [f16]}"));
    arena_deinit(&arena);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/graph-calls/expansion", test_expansion);
  g_test_add_func("/graph-calls/arguments", test_arguments);
  g_test_add_func("/graph-calls/different-copies", test_different_copies);
  g_test_add_func("/graph-calls/rescales-at-borders", test_rescales_at_borders);
  g_test_add_func("/graph-calls/refused", test_refused);
  g_test_add_func("/graph-calls/bounds", test_bounds);
  g_test_add_func("/graph-calls/scopes", test_scopes);
  g_test_add_func("/graph-calls/mlir", test_mlir);
  g_test_add_func("/graph-calls/mlir-attributes", test_mlir_attributes);
  g_test_add_func("/graph-calls/mlir-spellings", test_mlir_spellings);
  return g_test_run();
}
