/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized models as text: where rescales stand, what they are called, who shares them, and what
 * ports say.  Each is quantized once more, which must change nothing. */
#include "tests/quant/propagate_checks.h"

static const char table[] =
    "table hand\n"
    "default i8\n"
    "kernel free\n"
    "  in x i8\n"
    "  out y i8\n"
    "end\n"
    "kernel concatenation\n"
    "  in x i8 repeated\n"
    "  out y i8\n"
    "  rule same_scale x y\n"
    "end\n"
    "kernel softmax\n"
    "  in x i8\n"
    "  out y i8\n"
    "  rule fixed_scale y 0.00390625:-128\n"
    "end\n";

#define HALF "!quant.uniform<i8:f32, 0.5>"
#define QUARTER "!quant.uniform<i8:f32, 0.25:3>"
#define FIXED "!quant.uniform<i8:f32, 0.00390625:-128>"

static void check(const char *graph, const char *expected) {
  model_t *model = model_of(table, graph);
  assert_materialized(model, expected);
  model_free(model);
}

/* Ports that want the same share a rescale, whatever regions they are of; others get theirs. */
static void test_inputs(void) {
  check(
      "graph inputs\n"
      "input x f32[2] " HALF
      "\n"
      "region c free\n  in x " QUARTER
      "\n  out c f32[2]\n  return x\nend\n"
      "region b free\n  in x " FIXED
      "\n  out b f32[2]\n  return x\nend\n"
      "region a free\n  in x " QUARTER
      "\n  out a f32[2]\n  return x\nend\n"
      "output a\noutput b\noutput c\n",
      "graph inputs\n"
      "input x f32[2] " HALF
      "\n"
      "value x.rescale " QUARTER
      "\n"
      "value x.rescale.2 " FIXED
      "\n"
      "region c free\n  in x.rescale as x " QUARTER
      "\n  out c f32[2]\n  return x\nend\n"
      "region b free\n  in x.rescale.2 as x " FIXED
      "\n  out b f32[2]\n  return x\nend\n"
      "region a free\n  in x.rescale as x " QUARTER
      "\n  out a f32[2]\n  return x\nend\n"
      "region x.rescale rescale\n  in x " HALF "\n  out x.rescale f32[2] " QUARTER
      "\nend\n"
      "region x.rescale.2 rescale\n  in x " HALF "\n  out x.rescale.2 f32[2] " FIXED
      "\nend\n"
      "output a\noutput b\noutput c\n");
}

/* A kernel whose result conflicts makes another value, and the rescale makes the old one. */
static void test_output(void) {
  check(
      "graph softmax\n"
      "input x f32[2] " HALF
      "\n"
      "value y " QUARTER
      "\n"
      "region s softmax\n  in x\n  out y f32[2]\n  return x\nend\n"
      "region t free\n  in y " HALF
      "\n  out z f32[2] f32\n  return y\nend\n"
      "output y\noutput z\n",
      "graph softmax\n"
      "input x f32[2] " HALF
      "\n"
      "value y.rescale " FIXED
      "\n"
      "value y " QUARTER
      "\n"
      "region s softmax\n  in x " HALF "\n  out y.rescale f32[2] " FIXED
      "\n  return x\nend\n"
      "region t free\n  in y f32\n  out z f32[2] f32\n  return y\nend\n"
      "region y.rescale rescale\n  in y.rescale " FIXED "\n  out y f32[2] " QUARTER
      "\nend\n"
      "output y\noutput z\n");
}

/* Names that are taken are left alone, be it by values or by regions. */
static void test_names(void) {
  check(
      "graph names\n"
      "input x f32[2] " HALF
      "\n"
      "input x.rescale f32[2] f32\n"
      "region x.rescale.2 free\n  in x " QUARTER
      "\n  out y f32[2]\n  return x\nend\n"
      "output y\n",
      "graph names\n"
      "input x f32[2] " HALF
      "\n"
      "input x.rescale f32[2] f32\n"
      "value x.rescale.3 " QUARTER
      "\n"
      "region x.rescale.2 free\n  in x.rescale.3 as x " QUARTER
      "\n  out y f32[2]\n  return x\nend\n"
      "region x.rescale.3 rescale\n  in x " HALF "\n  out x.rescale.3 f32[2] " QUARTER
      "\nend\n"
      "output y\n");
}

/* A port without parameters keeps its own spec. */
static void test_open_ports(void) {
  check(
      "graph open\n"
      "input x f32[2]\n"
      "region a free\n  in x\n  out y f32[2] !quant.any<i8<-7:7>:f32>\n  return x\nend\n"
      "output y\n",
      "graph open\n"
      "input x f32[2]\n"
      "region a free\n  in x\n  out y f32[2] !quant.any<i8<-7:7>:f32>\n  return x\nend\n"
      "output y\n");
}

/* A rescale belongs to the call of the region that it is for, and two calls that need different
 * parameters become two subprograms. */
static void test_calls(void) {
  check(
      "graph calls\n"
      "input x f32[2] " HALF
      "\n"
      "input y f32[2] " QUARTER
      "\n"
      "call one twin(x) -> (a)\n"
      "call two twin(y) -> (b)\n"
      "output a\noutput b\n"
      "subprogram twin(v: f32[2]) -> (w)\n"
      "  region r concatenation\n    in v " HALF
      "\n    out w f32[2]\n    return v\n  end\n"
      "end\n",
      "graph calls\n"
      "input x f32[2] " HALF
      "\n"
      "input y f32[2] " QUARTER
      "\n"
      "value a " HALF
      "\n"
      "value b " HALF
      "\n"
      "call one twin(x) -> (a)\n"
      "call two twin.2(y) -> (b)\n"
      "output a\noutput b\n"
      "subprogram twin(v: f32[2]) -> (w)\n"
      "  region r concatenation\n    in v " HALF "\n    out w f32[2] " HALF
      "\n    return v\n  end\n"
      "end\n"
      "subprogram twin.2(v: f32[2]) -> (w)\n"
      "  value v.rescale " HALF
      "\n"
      "  region r concatenation\n    in v.rescale as v " HALF "\n    out w f32[2] " HALF
      "\n    return v\n  end\n"
      "  region v.rescale rescale\n    in v " QUARTER "\n    out v.rescale f32[2] " HALF
      "\n  end\n"
      "end\n");
}

/* What stands in the text of a quantized model is wrong under a fault that concerns it. */
static void test_faults(void) {
  static const char graph[] =
      "graph faulty\n"
      "input x f32[2] " HALF
      "\n"
      "region a free\n  in x " QUARTER
      "\n  out b f32[2]\n  return x\nend\n"
      "region b free\n  in x " QUARTER
      "\n  out c f32[2]\n  return x\nend\n"
      "region c free\n  in x\n  out d f32[2]\n  return x\nend\n";
  static const struct {
    quant_fault_t fault;
    uint32_t rescales;
  } rows[] = {{QUANT_FAULT_none, 1},
              {QUANT_FAULT_rescale_dropped, 0},
              {QUANT_FAULT_rescale_always, 2},
              {QUANT_FAULT_rescale_unshared, 2}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    model_t *model = model_of(table, graph);
    quant_graph_t made = materialized_model(model, rows[i].fault);
    g_assert_cmpuint(made.region_count - model->graph.region_count, ==, rows[i].rescales);
    g_assert_cmpuint(model->propagation.rescale_count, ==, 1);
    model_free(model);
  }
}

/* Names as long as they may be still get a rescale. */
static void test_long_names(void) {
  g_autofree char *name = g_strnfill(QUANT_NAME_BYTES_MAX, 'n');
  g_autofree char *graph =
      g_strdup_printf("graph long\ninput %s f32[2] " HALF
                      "\n"
                      "region a free\n  in %s as x " QUARTER "\n  out y f32[2]\n  return x\nend\n",
                      name, name);
  model_t *model = model_of(table, graph);
  quant_graph_t made = materialized_model(model, QUANT_FAULT_none);
  g_assert_cmpuint(made.region_count, ==, 2);
  g_assert_cmpuint(strlen(made.regions[1].name), ==, QUANT_NAME_BYTES_MAX);
  g_assert_true(g_str_has_suffix(made.regions[1].name, "n.rescale"));
  model_free(model);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/quant/materialize/inputs", test_inputs);
  g_test_add_func("/quant/materialize/output", test_output);
  g_test_add_func("/quant/materialize/names", test_names);
  g_test_add_func("/quant/materialize/open-ports", test_open_ports);
  g_test_add_func("/quant/materialize/calls", test_calls);
  g_test_add_func("/quant/materialize/faults", test_faults);
  g_test_add_func("/quant/materialize/long-names", test_long_names);
  return g_test_run();
}
