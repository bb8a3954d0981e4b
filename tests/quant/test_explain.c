/* SPDX-License-Identifier: Apache-2.0 */
/* Propagation in words: who set what, conflicts, and what stays open. */
#include "harness/quant/propagate/explain.h"
#include "tests/quant/propagate_checks.h"

#define BODY(name) "  op s = stablehlo.negate(" name ") f32[2] -> f32[2]\n  return s\nend\n"

static const char table[] =
    "table small\ndefault i8\n"
    "kernel same\n  in input i8\n  out output i8\n  rule same_scale input output\nend\n"
    "kernel free\n  in input i8\n  out output i8\nend\n"
    "kernel join\n  in parts i8 repeated\n  out output i8\nend\n"
    "kernel half\n  in input float\n  out output i8\nend\n";

static char *source_of(const model_t *model, const char *region, uint32_t port) {
  GString *text = g_string_new(NULL);
  quant_explain_source(&model->propagation, region_index(&model->graph, region), port, text);
  return g_string_free(text, FALSE);
}

static void assert_source(const model_t *model, const char *region, uint32_t port,
                          const char *expected) {
  g_autofree char *text = source_of(model, region, port);
  g_assert_cmpstr(text, ==, expected);
}

static void test_sources(void) {
  model_t *model = model_of(
      table,
      "graph g\ninput x f32[2] !quant.uniform<i8:f32, 0.5>\ninput c f32[2] "
      "!quant.calibrated<f32<-1:3>>\ninput n f32[2]\nconstant k f32[2] = [0.5, 1.0]\n"
      "region a same\n  in x\n  out ax f32[2]\n" BODY("x")
      "region b free\n  in ax\n  out bx f32[2] !quant.uniform<i8:f32, 0.25>\n" BODY("ax")
      "region d join\n  in c\n  in k\n  in n\n  out dx f32[2]\n" BODY("c")
      "region e half\n  in n\n  out ex f32[2]\n" BODY("n")
      "region f nonsense\n  in n\n  out fx f32[2]\n" BODY("n"));
  assert_source(model, "a", 0, "value x, as annotated");
  assert_source(model, "a", 1, "rule same_scale (table small, kernel of line 3)");
  assert_source(model, "b", 0, "value ax, set by a output 'output' in visit 1");
  assert_source(model, "b", 1, "the port's own annotation");
  assert_source(model, "d", 0, "calibration of c, -1 to 3");
  assert_source(model, "d", 1, "the data of constant k");
  assert_source(model, "d", 2, "nothing is known of it");
  assert_source(model, "e", 0, "the kernel takes high precision here");
  assert_source(model, "f", 0, "the region is refused");
  model_free(model);
}

static void test_port_names(void) {
  model_t *model = model_of(table,
                            "graph g\ninput x f32[2]\ninput y f32[2]\n"
                            "region d join\n  in x\n  in y\n  out dx f32[2]\n" BODY(
                                "x") "region f nonsense\n  in x\n  out fx f32[2]\n" BODY("x"));
  g_autoptr(GString) text = g_string_new(NULL);
  for (uint32_t port = 0; port < 3; port++) {
    quant_explain_port_name(&model->propagation, region_index(&model->graph, "d"), port, text);
    g_string_append_c(text, ';');
  }
  quant_explain_port_name(&model->propagation, region_index(&model->graph, "f"), 1, text);
  g_assert_cmpstr(text->str, ==,
                  "d input 'parts' 0;d input 'parts' 1;d output 'output';f output 0");
  model_free(model);
}

static char *region_text(const model_t *model, const char *region) {
  GString *text = g_string_new(NULL);
  quant_explain_region(&model->propagation, region_index(&model->graph, region), text);
  return g_string_free(text, FALSE);
}

static void test_regions(void) {
  model_t *model =
      model_of(table,
               "graph g\ninput x f32[2] !quant.uniform<i8:f32, 0.5>\n"
               "region a free\n  in x !quant.uniform<i8:f32, 0.25>\n  out y f32[2]\n" BODY("x")
               "region f nonsense\n  in x\n  out z f32[2]\n" BODY("x")
               "region r rescale\n  in x\n  out w f32[2] !quant.uniform<i8:f32, 0.125>\nend\n");
  g_autofree char *kernel = region_text(model, "a");
  g_assert_cmpstr(kernel, ==,
                  "region a (free): row of line 8 of table small\n"
                  "  a input 'input' = x: !quant.uniform<i8:f32, 0.25>, by the port's own "
                  "annotation; rescaled\n"
                  "  a output 'output' = y: unit, by nothing is known of it\n");
  g_autofree char *refused = region_text(model, "f");
  g_assert_true(g_str_has_prefix(refused,
                                 "region f (nonsense): stays in high precision: region f: table "
                                 "small has no kernel nonsense\n"));
  g_autofree char *rescale = region_text(model, "r");
  g_assert_true(g_str_has_prefix(rescale, "region r (rescale): every target has it\n"));
  model_free(model);
}

static void test_conflicts(void) {
  model_t *model = model_of(table,
                            "graph g\ninput x f32[2] !quant.uniform<i8:f32, 0.5>\nvalue y "
                            "!quant.uniform<i8:f32, 0.125>\n"
                            "region a same\n  in x\n  out y f32[2]\n" BODY("x"));
  g_autoptr(GString) text = g_string_new(NULL);
  g_assert_cmpuint(quant_explain_conflicts(&model->propagation, text), ==, 1);
  g_assert_cmpstr(
      text->str, ==,
      "conflict 1: value y out of a output 'output'\n"
      "  the value has  !quant.uniform<i8:f32, 0.125>, as annotated\n"
      "  the port has   !quant.uniform<i8:f32, 0.5>, in visit 1 by rule same_scale (table small, "
      "kernel of line 3)\n"
      "  so a rescale stands behind the port; none is needed if value y is annotated with what the "
      "port has\n");
  model_free(model);
}

/* Of an input, and what the value was given by a port. */
static void test_input_conflict(void) {
  model_t *model =
      model_of(table, "graph g\ninput x f32[2]\n"
                      "region a free\n  in x !quant.uniform<i8:f32, 0.5>\n  out y f32[2]\n" BODY(
                          "x") "region b free\n  in x !quant.uniform<i8:f32, 0.25>\n"
                               "  out z f32[2]\n" BODY("x"));
  g_autoptr(GString) text = g_string_new(NULL);
  g_assert_cmpuint(quant_explain_conflicts(&model->propagation, text), ==, 1);
  g_assert_cmpstr(
      text->str, ==,
      "conflict 1: value x into b input 'input'\n"
      "  the value has  !quant.uniform<i8:f32, 0.5>, set by a input 'input' in visit 1\n"
      "  the port has   !quant.uniform<i8:f32, 0.25>, in visit 3 by the port's own annotation\n"
      "  so a rescale stands before the port; none is needed if value x is annotated with what the "
      "port has\n");
  model_free(model);
}

static char *summary_of(quant_fault_t fault, const char *graph) {
  model_t *model = model_under(fault, table, graph);
  GString *text = g_string_new(NULL);
  quant_explain_summary(&model->propagation, text);
  model_free(model);
  return g_string_free(text, FALSE);
}

static const char wide[] =
    "graph g\ninput x f32[2] !quant.any<i16:f32>\ninput n f32[2] !quant.any<i16:f32>\n"
    "input m f32[2] !quant.any<i8:f32>\ninput q f32[2] f32\n"
    "region a free\n  in x !quant.uniform<i8:f32, 0.5>\n  out y f32[2]\n" BODY("x")
    "region b free\n  in n\n  out z f32[2]\n" BODY("n")
    "region c free\n  in m !quant.uniform<i8:f32, 0.5>\n  out w f32[2]\n" BODY("m")
    "region d free\n  in q !quant.uniform<i8:f32, 0.5>\n  out v f32[2]\n" BODY("q");

/* x asks for more than its port says that it has; no kernel has what n asks for, m gets what it
 * asks for, and q is kept, not narrow. */
static void test_summary(void) {
  g_autofree char *text = summary_of(QUANT_FAULT_none, wide);
  g_assert_cmpstr(text, ==,
                  "quantized: 4 regions, 1 refused, 3 quantizable ports without parameters, 0 "
                  "rescales, 4 visits\n"
                  "values without parameters, as they ask for more bits than their ports have: x "
                  "!quant.any<i16:f32>\n");
  g_autofree char *whole =
      summary_of(QUANT_FAULT_none,
                 "graph g\ninput x f32[2] !quant.uniform<i8:f32, 0.5>\nregion a same\n  in "
                 "x\n  out y f32[2]\n" BODY("x"));
  g_assert_cmpstr(whole, ==,
                  "fully quantized: 1 regions, 0 refused, 0 quantizable ports without parameters, "
                  "0 rescales, 1 visits\n");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/explain/sources", test_sources);
  g_test_add_func("/explain/port-names", test_port_names);
  g_test_add_func("/explain/regions", test_regions);
  g_test_add_func("/explain/conflicts", test_conflicts);
  g_test_add_func("/explain/input-conflict", test_input_conflict);
  g_test_add_func("/explain/summary", test_summary);
  return g_test_run();
}
