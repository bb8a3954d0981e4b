/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures: ports with their parameters and who set them, rescales, escaped text, the legend. */
#include "harness/quant/propagate/picture.h"
#include "tests/quant/propagate_checks.h"

#define BODY(name) "  op s = stablehlo.negate(" name ") f32[2] -> f32[2]\n  return s\nend\n"

static const char table[] =
    "table small\ndefault i8\n"
    "kernel free\n  in input i8\n  out output i8\nend\n"
    "kernel half\n  in input float\n  out output i8\nend\n";

static const char graph[] =
    "graph a-b\ninput x f32[2] !quant.uniform<i8:f32, 0.5>\n"
    "constant k f32[2] = [0.5, 1.0]\n"
    "region a free\n  in x !quant.uniform<i8:f32, 0.25:3>\n  out y f32[2]\n" BODY("x")
    "region h half\n  in y\n  out z f32[2] !quant.calibrated<f32<-1:1>>\n" BODY("y")
    "region f nonsense\n  in k\n  out w f32[2]\n" BODY("k") "output z\n";

static void assert_holds(const char *dot, const char *part) {
  if (strstr(dot, part) == NULL) g_error("no\n%s\nin\n%s", part, dot);
}

/* How often a part stands in a text. */
static uint32_t count(const char *text, const char *part) {
  uint32_t found = 0;
  for (const char *p = strstr(text, part); p != NULL; p = strstr(p + 1, part)) found++;
  return found;
}

static void test_before(void) {
  model_t *model = model_of(table, graph);
  g_autoptr(GString) dot = g_string_new(NULL);
  quant_picture_before(&model->graph, dot);
  g_assert_true(g_str_has_prefix(dot->str, "digraph \"a-b\" {\n"));
  g_assert_true(g_str_has_suffix(dot->str, "\n}\n"));
  assert_holds(dot->str, "!quant.calibrated&lt;f32&lt;-1.0:1.0&gt;&gt;");
  assert_holds(dot->str, "[shape=ellipse, label=<x<br/>i8, 0.5:0>]");
  assert_holds(dot->str, "[shape=note, label=<k<br/>unit>]");
  assert_holds(dot->str, "[shape=doublecircle, label=\"z\"]");
  g_assert_cmpuint(count(dot->str, "rescale"), ==, 0);
  g_assert_cmpuint(count(dot->str, "legend"), ==, 0);
  model_free(model);
}

static void test_after(void) {
  model_t *model = model_of(table, graph);
  g_autoptr(GString) dot = g_string_new(NULL);
  quant_picture_after(&model->propagation, dot);
  assert_holds(dot->str,
               "bgcolor=\"#ffd9a0\">in x</td><td align=\"left\">i8, 0.25:3</td><td "
               "align=\"left\">the port&apos;s own annotation</td>");
  assert_holds(dot->str, "bgcolor=\"#fff6b0\">out y</td>");
  assert_holds(dot->str, "bgcolor=\"#e4e4e4\">in y</td>");
  assert_holds(dot->str, "bgcolor=\"#d8ecd8\">out z</td>");
  assert_holds(dot->str, "calibration of z, -1 to 1");
  assert_holds(dot->str, "bgcolor=\"#f6c4c4\">in k</td>");
  assert_holds(dot->str, "has no kernel nonsense</td>");
  g_assert_cmpuint(count(dot->str, "[label=\"rescale\""), ==, 1);
  g_assert_cmpuint(count(dot->str, "  legend ["), ==, 1);
  assert_holds(dot->str, "<td bgcolor=\"#f6c4c4\" align=\"left\">the region is refused</td>");
  model_free(model);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/picture/before", test_before);
  g_test_add_func("/picture/after", test_after);
  return g_test_run();
}
