/* SPDX-License-Identifier: Apache-2.0 */
/* Propagation on models made by hand: where parameters come from, one source and one rule at a
 * time; conflicts; ports that stay as they are. */
#include "tests/quant/propagate_checks.h"

static const char table[] =
    "table hand\n"
    "default i8\n"
    "kernel free\n"
    "  in x i8\n"
    "  out y i8\n"
    "end\n"
    "kernel pair\n"
    "  in x i8\n"
    "  in y i8\n"
    "  out z i8\n"
    "end\n"
    "kernel same\n"
    "  in x i8\n"
    "  out y i8\n"
    "  rule same_scale x y\n"
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
    "end\n"
    "kernel product\n"
    "  in x i8\n"
    "  in y i8 symmetric\n"
    "  out z i32\n"
    "  rule multiplier_scale z = x * y\n"
    "end\n"
    "kernel linear\n"
    "  in x i8\n"
    "  in weights i8<-127:127> symmetric axis=0 constant\n"
    "  in bias i32 symmetric axis=0 optional\n"
    "  out y i8\n"
    "  rule multiplier_accumulator_scale bias = x * weights\n"
    "end\n"
    "kernel anything\n"
    "  in x *\n"
    "  out y *\n"
    "end\n"
    "kernel gather\n"
    "  in x i8\n"
    "  in places float\n"
    "  out y i8\n"
    "  rule same_scale x y\n"
    "end\n"
    "kernel fixed_and_same\n"
    "  in x i8\n"
    "  out y i8\n"
    "  rule same_scale x y\n"
    "  rule fixed_scale y 0.5:0\n"
    "end\n"
    "kernel narrow\n"
    "  in x i8\n"
    "  out y i8<-127:127>\n"
    "  rule same_scale x y\n"
    "end\n";

/* One region with one input x, f32[2], and one output y. */
#define ONE(kernel, x_spec, in_spec, out_spec, y_value)                                   \
  "graph one\ninput x f32[2] " x_spec "\n" y_value "region r " kernel "\n  in x " in_spec \
  "\n  out y f32[2] " out_spec "\n  return x\nend\noutput y\n"

#define HALF "!quant.uniform<i8:f32, 0.5>"
#define QUARTER "!quant.uniform<i8:f32, 0.25:3>"

static void check_ports(const char *graph, const char *first, const char *second) {
  model_t *model = model_of(table, graph);
  assert_port(model, "r", 0, first);
  assert_port(model, "r", 1, second);
  g_assert_cmpstr(refusal_of(model, "r"), ==, "");
  model_free(model);
}

/* ---- Offers ---------------------------------------------------------------------------------- */

static void test_offers(void) {
  check_ports(ONE("free", "", "", "", ""), "unit by nobody", "unit by nobody");
  check_ports(ONE("free", HALF, "", "", ""), HALF " by value", "unit by nobody");
  check_ports(ONE("free", "", HALF, QUARTER, ""), HALF " by port", QUARTER " by port");
  check_ports(ONE("free", "!quant.calibrated<f32<-25.5:38.25>>", "", "", ""),
              "!quant.uniform<i8:f32, 0.25:-26> by calibration", "unit by nobody");
  /* A port's own calibration hides its value's. */
  check_ports(
      ONE("free", "!quant.calibrated<f32<-1.0:1.0>>", "!quant.calibrated<f32<0.0:255.0>>", "", ""),
      "!quant.uniform<i8:f32, 1.0:-128> by calibration", "unit by nobody");
  check_ports(ONE("free", HALF, "!quant.calibrated<f32<0.0:255.0>>", "", ""), HALF " by value",
              "unit by nobody");
}

/* A constant is quantized for each port anew, and never settled. */
static void test_constants(void) {
  model_t *model = model_of(table,
                            "graph constants\n"
                            "input x f32[2] " HALF
                            "\n"
                            "constant c f32[2] = [-25.5, 38.25]\n"
                            "constant w f32[2] = [-127.0, 63.5]\n"
                            "constant said f32[2] " QUARTER
                            " = [1.0, 2.0]\n"
                            "region a pair\n  in x\n  in c\n  out a f32[2]\n  return x\nend\n"
                            "region b linear\n  in x\n  in w\n  out b f32[2]\n  return x\nend\n"
                            "region d pair\n  in said\n  in said as again " HALF
                            "\n  out d f32[2]\n  return said\nend\n");
  assert_port(model, "a", 1, "!quant.uniform<i8:f32, 0.25:-26> by data");
  assert_port(model, "b", 1, "!quant.uniform<i8<-127:127>:f32:0, {1.0,0.5}> by data");
  assert_port(model, "d", 0, QUARTER " by value");
  assert_port(model, "d", 1, HALF " by port");
  assert_value(model, "c", "unit");
  assert_value(model, "said", "unit");
  g_assert_cmpuint(model->propagation.rescale_count, ==, 0);
  model_free(model);
}

static void test_rules(void) {
  check_ports(ONE("same", HALF, "", "", ""), HALF " by value", HALF " by rule");
  check_ports(ONE("same", "", "", HALF, ""), HALF " by rule", HALF " by port");
  check_ports(ONE("softmax", "", "", "", ""), "unit by nobody",
              "!quant.uniform<i8:f32, 0.00390625:-128> by rule");
  model_t *model =
      model_of(table,
               "graph rules\n"
               "input x f32[2] " HALF
               "\n"
               "input y f32[2] !quant.uniform<i8:f32, 0.25>\n"
               "constant w f32[2] = [127.0, 63.5]\n"
               "constant b f32[2] = [3.0, 4.0]\n"
               "region p product\n  in x\n  in y\n  out p f32[2]\n  return x\nend\n"
               "region l linear\n  in x\n  in w\n  in b\n  out l f32[2]\n  return x\nend\n");
  assert_port(model, "p", 2, "!quant.uniform<i32:f32, 0.125> by rule");
  assert_port(model, "l", 2, "!quant.uniform<i32:f32:0, {0.5,0.25}> by rule");
  assert_port(model, "l", 3, "unit by nobody");
  g_assert_false(model->propagation.is_fully_quantized);
  g_assert_cmpuint(model->propagation.open_count, ==, 1);
  model_free(model);
}

/* A product's result waits for its factors, whatever its value or data offer. */
static void test_waiting(void) {
  model_t *model =
      model_of(table,
               "graph waiting\n"
               "input x f32[2]\n"
               "constant w f32[2] = [127.0, 127.0]\n"
               "constant b f32[2] = [3.0, 4.0]\n"
               "region l linear\n  in x\n  in w\n  in b\n  out y f32[2]\n  return x\nend\n"
               "region user free\n  in x " HALF "\n  out z f32[2]\n  return x\nend\n");
  /* Visited first, l is visited again once `user` has settled x. */
  assert_port(model, "l", 0, HALF " by value");
  assert_port(model, "l", 2, "!quant.uniform<i32:f32:0, {0.5,0.5}> by rule");
  g_assert_cmpuint(model->propagation.visit_count, ==, 4); /* `user` too, whose z is open. */
  model_free(model);
  check_ports(
      "graph never\ninput x f32[2]\nconstant w f32[2] = [127.0, 127.0]\n"
      "constant b f32[2] = [3.0, 4.0]\n"
      "region r linear\n  in x\n  in w\n  in b\n  out y f32[2]\n  return x\nend\n",
      "unit by nobody", "!quant.uniform<i8<-127:127>:f32:0, {1.0,1.0}> by data");
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* The first port that is settled settles the value, and whoever touches it is visited again. */
static void test_values(void) {
  model_t *model = model_of(table,
                            "graph values\n"
                            "input x f32[2]\n"
                            "region a same\n  in x\n  out y f32[2]\n  return x\nend\n"
                            "region b same\n  in y\n  out z f32[2]\n  return y\nend\n"
                            "region c same\n  in z\n  out end f32[2] " HALF "\n  return z\nend\n");
  assert_port(model, "a", 0, HALF " by rule");
  assert_port(model, "a", 1, HALF " by value");
  assert_value(model, "x", HALF);
  assert_value(model, "z", HALF);
  g_assert_true(model->propagation.is_fully_quantized);
  const quant_setter_t setter = model->propagation.value_setters[value_index(&model->graph, "z")];
  g_assert_cmpint(setter.region, ==, (int)region_index(&model->graph, "c"));
  g_assert_cmpuint(setter.port, ==, 0);
  g_assert_cmpuint(model->propagation.visit_count, ==, 5);
  model_free(model);
}

/* A region that touches a value twice visits itself again. */
static void test_same_value_twice(void) {
  model_t *model = model_of(table,
                            "graph twice\ninput x f32[2]\n"
                            "region r pair\n  in x\n  in x as again " HALF
                            "\n  out y f32[2]\n  return x\nend\n");
  assert_port(model, "r", 0, HALF " by value");
  assert_port(model, "r", 1, HALF " by port");
  g_assert_cmpuint(model->propagation.visit_count, ==, 2);
  model_free(model);
}

static void test_kept(void) {
  /* A value that stays in high precision, and ports that do not. */
  check_ports(ONE("free", "f32", HALF, "", ""), HALF " by port", "unit by nobody");
  model_t *model = model_of(table, ONE("free", "f32", HALF, "", ""));
  assert_value(model, "x", "unit");
  g_assert_cmpuint(model->propagation.rescale_count, ==, 0);
  model_free(model);
  /* Ports that stay in high precision: by their specs, or by the table. */
  check_ports(ONE("anything", HALF, "f32", HALF, ""), "f32 by nobody", HALF " by port");
  model =
      model_of(table, "graph gather\ninput x f32[2] " HALF "\ninput places f32[2] " HALF
                      "\n"
                      "region g gather\n  in x\n  in places\n  out y f32[2]\n  return x\nend\n");
  assert_port(model, "g", 1, "f32 by nobody");
  assert_port(model, "g", 2, HALF " by rule");
  g_assert_true(model->propagation.is_fully_quantized);
  model_free(model);
}

static void test_any(void) {
  /* A wildcard becomes what its constraint names; else the default. */
  check_ports(ONE("anything", "!quant.uniform<i16:f32, 0.5>", "", "", ""),
              "!quant.uniform<i16:f32, 0.5> by value", "unit by nobody");
  check_ports(ONE("anything", "!quant.any<i4:f32>", "!quant.calibrated<f32<0.0:255.0>>", "", ""),
              "!quant.uniform<i8:f32, 1.0:-128> by calibration", "unit by nobody");
  /* One that nothing was said of takes after its value, when that is settled later. */
  model_t *model = model_of(table,
                            "graph later\ninput x f32[2]\n"
                            "region a anything\n  in x\n  out y f32[2]\n  return x\nend\n"
                            "region b anything\n  in x !quant.uniform<i16:f32, 0.5>\n"
                            "  out z f32[2]\n  return x\nend\n");
  assert_port(model, "a", 0, "!quant.uniform<i16:f32, 0.5> by value");
  model_free(model);
  /* A port that is to have at least so many bits does not take a narrower value, ... */
  check_ports(ONE("free", "!quant.uniform<i8<-7:7>:f32, 0.5>", "!quant.any<i8<-8:7>:f32>", "", ""),
              "unit by nobody", "unit by nobody");
  /* ... and a value that is to have more bits than a port stays open. */
  model = model_of(table, ONE("free", "!quant.any<i16:f32>", HALF, "", ""));
  assert_port(model, "r", 0, HALF " by port");
  assert_value(model, "x", "unit");
  model_free(model);
}

/* ---- Conflicts ------------------------------------------------------------------------------- */

static void test_conflicts(void) {
  /* Of two scales that are concatenated the first wins. */
  model_t *model =
      model_of(table, "graph concat\ninput a f32[2] " HALF "\ninput b f32[2] " QUARTER
                      "\n"
                      "region c concatenation\n  in a\n  in b\n  out y f32[2]\n  return a\nend\n");
  assert_port(model, "c", 0, HALF " by value");
  assert_port(model, "c", 1, HALF " by rule, rescaled");
  assert_port(model, "c", 2, HALF " by rule");
  g_assert_cmpuint(model->propagation.rescale_count, ==, 1);
  g_assert_true(model->propagation.is_fully_quantized);
  model_free(model);
  /* A fixed scale against an annotated value: the value stays, the rescale is behind the kernel. */
  check_ports(ONE("softmax", QUARTER, "", "", "value y " HALF "\n"), QUARTER " by value",
              "!quant.uniform<i8:f32, 0.00390625:-128> by rule, rescaled");
  /* A value that does not fit the signature, and a calibration that does. */
  check_ports(
      ONE("free", "!quant.uniform<i16:f32, 0.5>", "!quant.calibrated<f32<0.0:255.0>>", "", ""),
      "!quant.uniform<i8:f32, 1.0:-128> by calibration, rescaled", "unit by nobody");
  /* A port's own spec is never changed. */
  check_ports(ONE("same", QUARTER, "", HALF, ""), HALF " by rule, rescaled", HALF " by port");
  /* Parameters that not all ports of a rule can have are no offer for it; others may be. */
  check_ports(ONE("narrow", HALF, "", "!quant.calibrated<f32<-127.0:127.0>>", ""),
              "!quant.uniform<i8<-127:127>:f32, 1.0> by rule, rescaled",
              "!quant.uniform<i8<-127:127>:f32, 1.0> by calibration");
}

/* Two users of one value: the second sees what the first has settled. */
static void test_users(void) {
  model_t *model = model_of(table,
                            "graph users\ninput x f32[2]\n"
                            "region a free\n  in x " HALF
                            "\n  out a f32[2]\n  return x\nend\n"
                            "region b free\n  in x " QUARTER
                            "\n  out b f32[2]\n  return x\nend\n"
                            "region c free\n  in x\n  out c f32[2]\n  return x\nend\n"
                            "region d free\n  in x " QUARTER "\n  out d f32[2]\n  return x\nend\n");
  assert_port(model, "a", 0, HALF " by port");
  assert_port(model, "b", 0, QUARTER " by port, rescaled");
  assert_port(model, "c", 0, HALF " by value");
  assert_port(model, "d", 0, QUARTER " by port, rescaled");
  g_assert_cmpuint(model->propagation.rescale_count, ==, 1); /* b and d share it. */
  model_free(model);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void check_refusal(const char *graph, const char *expected) {
  model_t *model = model_of(table, graph);
  g_assert_cmpstr(refusal_of(model, "r"), ==, expected);
  g_assert_cmpuint(model->propagation.refused_count, ==, 1);
  g_assert_cmpuint(model->propagation.rescale_count, ==, 0);
  g_assert_false(model->propagation.is_fully_quantized);
  uint32_t index = region_index(&model->graph, "r");
  for (uint32_t port = 0; port < quant_port_count(&model->graph.regions[index]); port++) {
    assert_port(model, "r", port, "f32 by nobody");
  }
  model_free(model);
}

static void test_refusals(void) {
  check_refusal(ONE("unheard_of", "", "", "", ""), "region r: table hand has no kernel unheard_of");
  check_refusal(ONE("free", "", "f32", "", ""),
                "region r: port 0: kernel free (line 3): x is quantized, and x stays in high "
                "precision");
  check_refusal(ONE("same", "", HALF, QUARTER, ""),
                "region r (same): same_scale of x, y: x and y have parameters that differ and "
                "cannot change");
  check_refusal(
      ONE("fixed_and_same", "", QUARTER, "", ""),
      "region r (fixed_and_same): fixed_scale of y: y is settled otherwise than at 0.5:0");
  check_refusal(
      "graph nan\ninput x f32[2]\nconstant c f32[2] = [1.0, inf]\n"
      "region r pair\n  in x\n  in c\n  out y f32[2]\n  return x\nend\n",
      "region r (pair): port y holds constant c, whose element 1 is no finite number");
  /* At the fixed point: an offer that contradicts a rule, and no other. */
  check_refusal(ONE("narrow", HALF, "", "", ""),
                "region r (narrow): port x cannot take what its value offers: same_scale of x, y: "
                "parameters of x are not for all ports: y takes storage values -127:127, not "
                "-128:127");
}

/* What a region gave its values before it was refused stays; what it wanted for others does not. */
static void test_refused_late(void) {
  model_t *model =
      model_of(table, "graph late\ninput x f32[2] " HALF
                      "\ninput y f32[2]\n"
                      "region p product\n  in x\n  in y\n  out z f32[2] "
                      "!quant.uniform<i32:f32, 0.5>\n  return x\nend\n"
                      "region q free\n  in y !quant.uniform<i8:f32, 0.25>\n  out w f32[2]\n  "
                      "return y\nend\n"
                      "region s anything\n  in z\n  out end f32[2]\n  return z\nend\n");
  g_assert_cmpstr(refusal_of(model, "p"), ==,
                  "region p (product): port y cannot take what its value offers: multiplier_scale "
                  "of z, x, y: z is settled otherwise than at the product");
  assert_value(model, "z", "!quant.uniform<i32:f32, 0.5>");
  g_assert_cmpstr(refusal_of(model, "s"), ==, "");
  model_free(model);
}

/* Visits are at most regions and ports, also where all is known at the end of a chain alone and
 * goes back through it region by region. */
static void test_linear(void) {
  enum { LENGTH = 2000 };
  GString *text = g_string_new("graph chain\ninput v0 f32[2]\n");
  for (uint32_t i = 0; i < LENGTH; i++) {
    g_string_append_printf(text, "region r%u same\n  in v%u as x\n  out v%u f32[2]%s\n", i, i,
                           i + 1, i + 1 == LENGTH ? " " HALF : "");
    g_string_append(text, "  return x\nend\n");
  }
  model_t *model = model_of(table, text->str);
  g_assert_true(model->propagation.is_fully_quantized);
  assert_value(model, "v0", HALF);
  g_assert_cmpuint(model->propagation.visit_count, ==, 2 * LENGTH - 1);
  model_free(model);
  g_string_free(text, TRUE);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/quant/propagate/offers", test_offers);
  g_test_add_func("/quant/propagate/constants", test_constants);
  g_test_add_func("/quant/propagate/rules", test_rules);
  g_test_add_func("/quant/propagate/waiting", test_waiting);
  g_test_add_func("/quant/propagate/values", test_values);
  g_test_add_func("/quant/propagate/same-value-twice", test_same_value_twice);
  g_test_add_func("/quant/propagate/kept", test_kept);
  g_test_add_func("/quant/propagate/any", test_any);
  g_test_add_func("/quant/propagate/conflicts", test_conflicts);
  g_test_add_func("/quant/propagate/users", test_users);
  g_test_add_func("/quant/propagate/refusals", test_refusals);
  g_test_add_func("/quant/propagate/refused-late", test_refused_late);
  g_test_add_func("/quant/propagate/linear", test_linear);
  return g_test_run();
}
