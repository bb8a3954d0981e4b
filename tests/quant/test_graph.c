/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: their text, their rules, orders and equality. */
#include "harness/base/rng.h"
#include "tests/quant/graph_text_test.h"

#ifdef ASSAY_SANITIZE
enum { ROUNDS = 60, REGIONS = 2000 };
#else
enum { ROUNDS = 1500, REGIONS = 20000 };
#endif

/* ---- Texts ----------------------------------------------------------------------------------- */

/* The example of the grammar page, without its comment, is canonical but for one constant. */
static void test_page(void) {
  g_autofree char *page = NULL;
  g_assert_true(
      g_file_get_contents(ASSAY_SOURCE_DIR "/harness/quant/graph/graph.md", &page, NULL, NULL));
  char *begin = strstr(page, "```\n") + 4;
  *strstr(begin, "```") = '\0';
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graph = parse_graph(begin, &arena);
  g_assert_cmpuint(graph.region_count, ==, 3);
  g_assert_cmpuint(graph.call_count, ==, 2);
  g_autofree char *printed = print_graph(&graph);
  g_auto(GStrv) halves = g_strsplit(strchr(begin, '\n') + 1, "0x3f00000080000000", 2);
  g_autofree char *expected = g_strjoinv("[0.5, -0.0]", halves);
  g_assert_cmpstr(printed, ==, expected);
  check_graph_round_trip(&graph);
  arena_deinit(&arena);
}

static void test_data(void) {
  static const struct {
    const char *type, *data, *printed;
  } rows[] = {
      {"f32[3]", "[ 1 ,-inf, nan ]", "[1.0, -inf, nan]"},
      {"f32[2]", "0x7fc000007fc00000", "[nan, nan]"},
      {"f32[2]", "0x7fc000013f800000", "0x7fc000013f800000"},
      {"f32[2]", "0x3f800000ffc00000", "0x3f800000ffc00000"},
      {"f32[0]", "[]", "[]"},
      {"f32[0,3]", "0x-", "[]"},
      {"f32[]", "[0x1.8p1]", "[3.0]"},
      {"f16[2]", "[65519, 1e-9]", "[65504.0, 0.0]"},
      {"i8[3]", "[-128, 127, 0]", "[-128, 127, 0]"},
      {"ui64[2]", "[18446744073709551615, 0]", "[18446744073709551615, 0]"},
      {"i1[2]", "[1, 0]", "[1, 0]"},
      {"complex<f32>[1]", "[0.5, -1]", "[0.5, -1.0]"},
      {"f8E4M3FN[2]", "[nan, 448]", "[nan, 448.0]"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf(
        "graph g\ninput x f32[]\nregion r k\nin x\nout y f32[]\nconstant c %s = %s\nreturn "
        "x\nend\n",
        rows[i].type, rows[i].data);
    g_autofree char *line = g_strdup_printf("constant c %s = %s\n", rows[i].type, rows[i].printed);
    arena_t arena;
    arena_init(&arena);
    quant_graph_t graph = parse_graph(text, &arena);
    g_autofree char *printed = print_graph(&graph);
    if (strstr(printed, line) == NULL) g_error("%s\nprints no\n%s", printed, line);
    check_graph_round_trip(&graph);
    arena_deinit(&arena);
  }
}

/* Comments, blanks, line ends and the order of declarations are free. */
static void test_freedom(void) {
  static const char *const canonical =
      "graph g\ninput x f32[2]\nvalue y f32\nregion r k\n  in x\n  out y f32[2] f32\n"
      "  op s = stablehlo.add(x, x) f32[2] f32[2] -> f32[2]\n  return s\nend\noutput y\n";
  static const char *const free_form =
      "# first\r\n\tgraph   g # second\r\n\r\noutput y\nvalue y unit\nregion r k\nin x unit\n"
      "out\ty f32[2] f32#third\nop s=stablehlo.add( x,x )  f32[2]\tf32[2]  ->  f32[2]\nreturn s\n"
      " end \n\ninput x f32[2]";
  arena_t arena;
  arena_init(&arena);
  quant_graph_t a = parse_graph(canonical, &arena), b = parse_graph(free_form, &arena);
  g_assert_false(quant_graph_equal(&a, &b)); /* y has a constraint in the one alone. */
  g_autofree char *text_a = print_graph(&a);
  g_autofree char *text_b = print_graph(&b);
  g_assert_cmpstr(text_a, ==, canonical);
  g_auto(GStrv) halves = g_strsplit(canonical, "value y f32\n", 2);
  g_autofree char *without = g_strjoinv("", halves);
  g_assert_cmpstr(text_b, ==, without);
  arena_deinit(&arena);
}

static void test_empty(void) {
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graph = parse_graph("graph g", &arena);
  check_graph_round_trip(&graph);
  arena_deinit(&arena);
}

/* ---- Rules ----------------------------------------------------------------------------------- */

/* A region that doubles x, with a line in the place of one of its own (none: NULL). */
#define IN "graph g\ninput x f32[2]\n"
#define OP "op s = stablehlo.add(x, x) f32[2] f32[2] -> f32[2]\n"
#define REGION(name, in, out) \
  "region " name " k\nin " in " as x\nout " out " f32[2]\n" OP "return s\nend\n"

static void test_refused_lines(void) {
  static const struct {
    const char *text, *message;
  } rows[] = {
      {"", "line 1, column 1: a graph begins with"},
      {"input x f32[2]\n", "line 1, column 1: a graph begins with"},
      {"graph g/h\n", "line 1, column 8: expected the end of the line"},
      {"graph g\nfoo\n", "line 2, column 1: expected \"input\""},
      {"graph g\ninput x f32[2] f32 f32\n", "line 2, column 20: expected the end of the line"},
      {"graph g\ninput x f32[-1]\n", "line 2, column 13: a size is not negative"},
      {"graph g\ninput x f33[2]\n", "line 2, column 9: expected an element type"},
      {"graph g\ninput x\n", "line 2, column 8: expected an element type"},
      {"graph g\ninput x !quant.uniform<i8:f32,0x1p-1>[2]\n",
       "line 2, column 7: value x: is quantized; values are in high precision"},
      {"graph g\ninput x i32[2] i32\n", "line 2, column 16: expected"},
      {"graph g\ninput x f32[2] !quant.any<i8:f16>\n", "line 2, column 7: value x: the spec is of"},
      {"graph g\ninput x f32[2] !quant.uniform<i8:f32:{0:1}, {1}>\n",
       "line 2, column 38: blockwise"},
      {IN "input x f32[2]\n", "line 3, column 7: line 2 has a value called x already"},
      {IN "value x f32\n", "line 3, column 7: x has its constraint where it is declared"},
      {IN "value y f32\n", "line 3, column 7: there is no value called y"},
      {IN "output x\n", "line 3, column 8: x is made by no region"},
      {IN "input \x01\n", "line 3, column 7: byte 0x01"},
      {"graph g\nconstant c f32[2]\n", "line 2, column 18: expected \"=\""},
      {"graph g\nconstant c f32[2] = 1\n", "line 2, column 21: expected data"},
      {"graph g\nconstant c f32[2] = [1]\n", "line 2, column 22: 1 numbers for 2 elements"},
      {"graph g\nconstant c f32[2] = [1,]\n", "line 2, column 24: expected a number within f32"},
      {"graph g\nconstant c f32[2] = [1,2\n", "line 2, column 25: expected \"]\""},
      {"graph g\nconstant c f32[2] = [1 2,3]\n", "line 2, column 24: expected \",\""},
      {"graph g\nconstant c f32[1] = [1e39]\n", "line 2, column 22: expected a number within f32"},
      {"graph g\nconstant c f32[1] = 0x3f8000\n", "line 2, column 23: expected 8 hex digits"},
      {IN REGION("r", "x", "y") REGION("r", "x", "z"),
       "line 9, column 8: a region is called r already"},
      {IN REGION("r", "x", "y") REGION("q", "x", "y"),
       "line 11, column 5: line 5 has a value called y already"},
      {IN REGION("r", "x", "y") "output y\noutput y\n", "line 10, column 8: y is named twice"},
      {IN REGION("r", "z", "y"), "line 4, column 4: there is no value called z"},
      {IN REGION("r", "y", "y"), "line 3, column 1: region r: its inputs depend on its outputs"},
      {IN REGION("d", "y", "w") REGION("a", "y", "z") REGION("r", "z", "y"),
       "line 15, column 1: region r: its inputs depend on its outputs"},
      {IN REGION("r", "x", "y") "value y f32\nvalue y f32\n",
       "line 10, column 7: y has its constraint already"},
      {IN REGION("r", "x", "y") "value y f64\n", "line 5, column 5: value y: the spec is of f64"},
      {IN "region r\n", "line 3, column 9: expected a name"},
      {IN "region r k\nin x\n", "line 3, column 1: the region has no \"end\""},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    check_graph_refused(rows[i].text, rows[i].message);
  }
}

static void test_refused_regions(void) {
  static const struct {
    const char *lines, *message; /* Inside of region r, whose first line is 4. */
  } rows[] = {
      {"foo\n", "line 4, column 1: expected \"in\""},
      {"in x\nreturn x\n", "line 3, column 1: the region returns 1 tensors and has 0 outputs"},
      {"in x\nout y f32[2]\n", "line 3, column 1: the region returns 0 tensors and has 1 outputs"},
      {"in x\nin x\n", "line 5, column 4: a tensor inside is called x already"},
      {"in x as\n", "line 4, column 8: expected a name"},
      {"out y f32[2]\nin x\n", "line 5, column 1: inputs come before all else"},
      {"in x\nout y f32[3]\nreturn x\n",
       "line 3, column 1: region r: value y and the tensor x inside have different types"},
      {"in x\nout y f32[2] !quant.any<i8:f16>\nreturn x\n",
       "line 3, column 1: region r: output y: the spec is of f16"},
      {"in x\nout y f32[2] f8E5M2\nreturn x\n",
       "line 3, column 1: region r: output y: the spec is of f8E5M2"},
      {"in x !quant.uniform<i8:f32:1, {1.0}>\nout y f32[2]\nreturn x\n",
       "line 3, column 1: region r: input x: quantization axis 1"},
      {"in x\nout y f32[2]\nop s = stablehlo.foo(x) f32[2] -> f32[2]\n",
       "line 6, column 8: expected an op ("},
      {"in x\nop s = stablehlo.add(x, x)  f32[2]  f32[2] -> f33[2]\n",
       "line 5, column 47: expected an element type"},
      {"in x\nop s = stablehlo.add(x, x) f32[2] f32[2] -> f32[3]\n",
       "line 5, column 8: violates C1 of stablehlo.add"},
      {"in x\nop s = stablehlo.add(x) f32[2] f32[2] -> f32[2]\n",
       "line 5, column 1: 1 operands and 1 results are named, the types are of 2 and 1"},
      {"in x\nop s, t = stablehlo.add(x, x) f32[2] f32[2] -> f32[2]\n",
       "line 5, column 1: 2 operands and 2 results are named"},
      {"in x\nop s = stablehlo.add(x, t) f32[2] f32[2] -> f32[2]\n",
       "line 5, column 25: no line above makes a tensor called t"},
      {"in x\nop x = stablehlo.add(x, x) f32[2] f32[2] -> f32[2]\n",
       "line 5, column 4: a tensor inside is called x already"},
      {"in x\nconstant c f16[2] = [1, 2]\nop s = stablehlo.add(x, c) f32[2] f32[2] -> f32[2]\n",
       "line 6, column 25: c is of another type than operand 1"},
      {"in x\nout y f16[2]\nop s = stablehlo.add(x, x) f16[2] f16[2] -> f16[2]\nreturn s\n",
       "line 3, column 1: region r: operand 0 of stablehlo.add has another type than x"},
      {"in x\nreturn z\n", "line 5, column 8: no line above makes a tensor called z"},
      {"in x\nreturn x\nreturn x\n", "line 6, column 1: the region has its return already"},
      {"in x\nop s = stablehlo.add(x, x f32[2] -> f32[2]\n", "line 5, column 27: expected \")\""},
      {"in x\nconstant q !quant.uniform<i8:f32,0x1p+0>[1] = 0x00\nout y f32[2]\nreturn x\n",
       "line 3, column 1: region r: tensor q: tensors inside are in high precision"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf(IN "region r k\n%send\n", rows[i].lines);
    check_graph_refused(text, rows[i].message);
  }
  check_graph_refused(IN "region r rescale\nin x\nout y f32[2]\nreturn x\nend\n",
                      "line 6, column 1: a rescale has no lines but");
  check_graph_refused(IN "region r rescale\nin x\nend\n",
                      "line 3, column 1: a rescale has one input and one output");
  check_graph_refused(IN "region r rescale\nin x\nout y f32[3]\nend\n",
                      "line 3, column 1: region r: value y and the tensor x inside have different");
  GString *many = g_string_new(IN "region r k\n");
  for (int i = 0; i < 17; i++) g_string_append_printf(many, "in x as x%d\n", i);
  check_graph_refused(many->str, "line 20, column 4: a region has at most 16 inputs and outputs");
  g_string_free(many, TRUE);
}

/* ---- Order ----------------------------------------------------------------------------------- */

static void test_order(void) {
  static const char *const chain = IN REGION("b", "x", "p") REGION("c", "p", "q")
      REGION("a", "x", "r") "region d k\nin q\nin r\nout s f32[2]\nreturn q\nend\noutput s\n";
  static const char *const shuffled =
      "graph g\noutput s\nregion d k\nin q\nin r\nout s f32[2]\nreturn q\nend\n" REGION(
          "a", "x", "r") REGION("c", "p", "q") "input x f32[2]\n" REGION("b", "x", "p");
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graphs[] = {parse_graph(chain, &arena), parse_graph(shuffled, &arena)};
  static const char *const names[] = {"a", "b", "c", "d"};
  static const uint32_t expected_depths[] = {0, 0, 1, 2};
  g_assert_true(quant_graph_equal(&graphs[0], &graphs[1]));
  for (size_t g = 0; g < G_N_ELEMENTS(graphs); g++) {
    const uint32_t *order = quant_graph_order(&graphs[g], &arena);
    const uint32_t *depths = quant_graph_depths(&graphs[g], &arena);
    for (uint32_t i = 0; i < graphs[g].region_count; i++) {
      g_assert_cmpstr(graphs[g].regions[order[i]].name, ==, names[i]);
      g_assert_cmpuint(depths[order[i]], ==, expected_depths[i]);
    }
  }
  arena_deinit(&arena);
}

/* Producers and uses point at each other. */
static void check_links(const quant_graph_t *graph) {
  size_t uses = 0, inputs = 0;
  for (uint32_t v = 0; v < graph->value_count; v++) {
    const quant_value_t *value = &graph->values[v];
    for (uint32_t i = 0; i < value->use_count; i++) {
      const quant_use_t *use = &value->uses[i];
      g_assert_cmpuint(graph->regions[use->region].ports[use->port].value, ==, v);
      g_assert_cmpuint(use->port, <, graph->regions[use->region].input_count);
      if (i == 0) continue;
      const quant_use_t *last = &value->uses[i - 1];
      g_assert_true(last->region < use->region ||
                    (last->region == use->region && last->port < use->port));
    }
    uses += value->use_count;
    if (value->producer == QUANT_NONE) continue;
    g_assert_cmpuint(graph->regions[value->producer].ports[value->producer_port].value, ==, v);
  }
  for (uint32_t r = 0; r < graph->region_count; r++) inputs += graph->regions[r].input_count;
  g_assert_cmpuint(uses, ==, inputs);
}

/* ---- Random graphs --------------------------------------------------------------------------- */

static void append_spec(rng_t *rng, GString *text) {
  static const char *const specs[] = {"",
                                      " f32",
                                      " !quant.any<u4<1:9>:f32>",
                                      " !quant.calibrated<f32<-0.1:1.0e-30>>",
                                      " !quant.uniform<i8<-127:127>:f32, 0.25:3>",
                                      " !quant.uniform<i16:f32:0, {1.5,0.5:-7}>"};
  g_string_append(text, specs[rng_below(rng, G_N_ELEMENTS(specs))]);
}

static void append_region(rng_t *rng, uint32_t index, uint32_t value_count, GString *text) {
  g_string_append_printf(text, "region r%u k%u\n", index, (unsigned)rng_below(rng, 3));
  uint32_t input_count = 1 + (uint32_t)rng_below(rng, 3);
  for (uint32_t i = 0; i < input_count; i++) {
    g_string_append_printf(text, "in v%u as a%u", (unsigned)rng_below(rng, value_count), i);
    append_spec(rng, text);
    g_string_append_c(text, '\n');
  }
  g_string_append_printf(text, "out v%u f32[2]", value_count);
  append_spec(rng, text);
  uint64_t bits = rng_one_in(rng, 3) ? 0x7f800000 | rng_bits(rng) : rng_bits(rng);
  g_string_append_printf(text, "\nconstant w f32[2] = 0x%08x%08x\n", (uint32_t)bits,
                         (uint32_t)rng_bits(rng));
  g_string_append_printf(text, "op s = stablehlo.add(a%u, w) f32[2] f32[2] -> f32[2]\n",
                         (unsigned)rng_below(rng, input_count));
  g_string_append(text, "op t = stablehlo.multiply(s, a0) f32[2] f32[2] -> f32[2]\n");
  g_string_append(text, rng_one_in(rng, 2) ? "return s\nend\n" : "return t\nend\n");
}

static char *draw_text(rng_t *rng, uint32_t region_count) {
  GString *text = g_string_new("graph random\ninput v0 f32[2]");
  append_spec(rng, text);
  g_string_append_printf(text, "\nconstant v1 f32[2] = [%d, nan]\n", (int)rng_below(rng, 100));
  for (uint32_t i = 0; i < region_count; i++) {
    if (rng_one_in(rng, 4)) {
      g_string_append_printf(text, "region r%u rescale\nin v%u\nout v%u f32[2]\nend\n", i,
                             (unsigned)rng_below(rng, i + 2), i + 2);
    } else {
      append_region(rng, i, i + 2, text);
    }
    if (rng_one_in(rng, 3)) {
      g_string_append_printf(text, "value v%u", i + 2);
      append_spec(rng, text);
      g_string_append_c(text, '\n');
    }
    if (rng_one_in(rng, 3)) g_string_append_printf(text, "output v%u\n", i + 2);
  }
  return g_string_free(text, FALSE);
}

static void test_random(void) {
  rng_t rng = rng_make(11);
  arena_t arena;
  arena_init(&arena);
  for (int round = 0; round < ROUNDS; round++) {
    g_autofree char *text = draw_text(&rng, (uint32_t)rng_below(&rng, 12));
    quant_graph_t graph = parse_graph(text, &arena);
    check_links(&graph);
    check_graph_round_trip(&graph);
    arena_reset(&arena);
  }
  arena_deinit(&arena);
}

static void test_large(void) {
  rng_t rng = rng_make(12);
  arena_t arena;
  arena_init(&arena);
  g_autofree char *text = draw_text(&rng, REGIONS);
  quant_graph_t graph = parse_graph(text, &arena);
  g_assert_cmpuint(graph.region_count, ==, REGIONS);
  check_links(&graph);
  check_graph_round_trip(&graph);
  arena_deinit(&arena);
}

/* ---- Equality -------------------------------------------------------------------------------- */

static char *replace_once(const char *text, const char *from, const char *to) {
  g_assert_nonnull(strstr(text, from));
  g_auto(GStrv) halves = g_strsplit(text, from, 2);
  return g_strjoinv(to, halves);
}

/* Each change of the page's example alone makes another graph. */
static void test_planted_differences(void) {
  static const char *const changes[][2] = {
      {"graph example", "graph other"},
      {"<-1.0:1.0>", "<-1.0:1.5>"},
      {"[0.5, -0.25, 1.0,", "[0.5, -0.25, 1.5,"},
      {"constant b f32[2] f32", "constant b f32[2]"},
      {"value y !quant.any<i8<-127:127>:f32>", "value y f32"},
      {"region conv conv2d", "region conv conv"},
      {"region conv conv2d", "region con conv2d"},
      {"in x !quant.uniform<u8:f32, 0.5:128>", "in x !quant.uniform<u8:f32, 0.5:127>"},
      {"window_strides=[1,1] padding=[[0,0],[0,0]]", "window_strides=[1,1] padding=[[1,-1],[0,0]]"},
      {"stablehlo.add(sums, biases)", "stablehlo.add(biases, sums)"},
      {"stablehlo.add(sums, biases)", "stablehlo.multiply(sums, biases)"},
      {"  return out", "  return sums"},
      {"(z) -> (result)", "(y) -> (result)"},
      {"call second", "call third"},
      {"output result", "output z"},
      {"    in a\n", "    in a f32\n"},
      {"region sum add", "region sum addition"},
  };
  g_autofree char *page = NULL;
  g_assert_true(
      g_file_get_contents(ASSAY_SOURCE_DIR "/harness/quant/graph/graph.md", &page, NULL, NULL));
  char *begin = strstr(page, "```\n") + 4;
  *strstr(begin, "```") = '\0';
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graph = parse_graph(begin, &arena);
  for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
    g_autofree char *text = replace_once(begin, changes[i][0], changes[i][1]);
    quant_graph_t changed = parse_graph(text, &arena);
    if (quant_graph_equal(&graph, &changed)) g_error("%s is not seen", changes[i][1]);
    g_assert_false(quant_graph_equal(&changed, &graph));
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/graph/page", test_page);
  g_test_add_func("/graph/data", test_data);
  g_test_add_func("/graph/freedom", test_freedom);
  g_test_add_func("/graph/empty", test_empty);
  g_test_add_func("/graph/refused-lines", test_refused_lines);
  g_test_add_func("/graph/refused-regions", test_refused_regions);
  g_test_add_func("/graph/order", test_order);
  g_test_add_func("/graph/random", test_random);
  g_test_add_func("/graph/large", test_large);
  g_test_add_func("/graph/planted-differences", test_planted_differences);
  return g_test_run();
}
