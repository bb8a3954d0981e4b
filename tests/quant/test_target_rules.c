/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of target tables: each derivation against its check, wrong ones planted. */
#include "harness/quant/target/rule.h"

/* ---- A kernel whose rules are asked ---------------------------------------------------------- */

typedef struct bench {
  arena_t arena;
  quant_target_t table;
  const quant_target_row_t *row;
  uint32_t input_count;
  uint32_t port_count; /* Of the region. */
  type_t types[QUANT_PORTS_MAX];
  quant_signature_port_t signature[QUANT_PORTS_MAX];
  quant_port_state_t states[QUANT_PORTS_MAX];
} bench_t;

/* The one row of a table of `lines`, for a region with `input_count` inputs. */
static void bench_init(bench_t *bench, const char *lines, uint32_t input_count) {
  *bench = (bench_t){.input_count = input_count};
  arena_init(&bench->arena);
  g_autofree char *text = g_strconcat("table t\ndefault i8\nkernel k\n", lines, "end\n", NULL);
  failure_t error;
  status_t status = quant_target_parse(str_from(text), &bench->arena, &bench->table, &error);
  if (status != STATUS_OK) g_error("%s", error.text);
  bench->row = &bench->table.rows[0];
  uint32_t outputs = 0;
  for (uint32_t p = 0; p < bench->row->port_count; p++) outputs += bench->row->ports[p].is_output;
  bench->port_count = input_count + outputs;
  for (uint32_t p = 0; p < bench->port_count; p++) {
    bench->signature[p] = bench->row->ports[quant_row_port(bench->row, input_count, p)];
    bench->types[p] = type_make(element_named("f32"), 2, (const int64_t[]){2, 3});
    bench->states[p] =
        (quant_port_state_t){.signature = &bench->signature[p], .type = &bench->types[p]};
  }
}

static quant_spec_t make_spec(bench_t *bench, const char *text) {
  scan_t scan = scan_make(str_from(text));
  quant_spec_t spec;
  failure_t error;
  status_t status = quant_spec_parse(&scan, &bench->arena, &spec, &error);
  if (status != STATUS_OK) g_error("%s: %s", text, error.text);
  return spec;
}

static void settle(bench_t *bench, uint32_t port, const char *spec) {
  bench->states[port].settled = make_spec(bench, spec);
  bench->states[port].settled_by = QUANT_SOURCE_VALUE;
}

static void offer(bench_t *bench, uint32_t port, quant_source_t source, const char *spec) {
  bench->states[port].offer = make_spec(bench, spec);
  bench->states[port].offered_by = source;
}

static status_t decide(bench_t *bench, uint32_t rule, uint32_t *out_updated, failure_t *error) {
  const quant_rule_use_t *use = &bench->row->rules[rule];
  uint32_t ports[QUANT_PORTS_MAX];
  uint32_t count = quant_rule_ports(use, bench->row, bench->input_count, ports);
  quant_derivation_t derivation = {.use = use,
                                   .ports = ports,
                                   .port_count = count,
                                   .states = bench->states,
                                   .arena = &bench->arena};
  STATUS_TRY(use->rule->derive(&derivation, error));
  *out_updated = derivation.updated;
  return STATUS_OK;
}

/* Asks all rules until nothing is updated, as propagation does. */
static status_t ask_all(bench_t *bench, failure_t *error) {
  for (uint32_t pass = 0; pass < 20; pass++) {
    uint32_t any = 0;
    for (uint32_t rule = 0; rule < bench->row->rule_count; rule++) {
      uint32_t updated;
      STATUS_TRY(decide(bench, rule, &updated, error));
      any |= updated;
    }
    if (any == 0) return STATUS_OK;
  }
  g_error("the rules do not come to rest");
}

static void settle_offers(bench_t *bench) {
  for (uint32_t p = 0; p < bench->port_count; p++) {
    if (bench->states[p].offer.kind != QUANT_SPEC_UNIFORM) continue;
    bench->states[p].settled = bench->states[p].offer;
  }
}

static status_t check(bench_t *bench, uint32_t rule, failure_t *error) {
  const quant_rule_use_t *use = &bench->row->rules[rule];
  uint32_t ports[QUANT_PORTS_MAX];
  uint32_t count = quant_rule_ports(use, bench->row, bench->input_count, ports);
  return use->rule->check(use, ports, count, bench->states, error);
}

static void expect_offer(bench_t *bench, uint32_t port, const char *text) {
  quant_spec_t spec = make_spec(bench, text);
  if (quant_spec_equal(&bench->states[port].offer, &spec)) return;
  GString *found = g_string_new(NULL);
  quant_spec_print(&bench->states[port].offer, found);
  g_error("port %u is offered %s, not %s", port, found->str, text);
}

static void expect_refusal(bench_t *bench, const char *message) {
  failure_t error = {0};
  g_assert_cmpint(ask_all(bench, &error), ==, STATUS_INVALID);
  if (strstr(error.text, message) == NULL) g_error("\"%s\" lacks \"%s\"", error.text, message);
}

static void expect_rest(bench_t *bench) {
  failure_t error = {0};
  if (ask_all(bench, &error) != STATUS_OK) g_error("%s", error.text);
}

static void expect_breach(bench_t *bench, const char *message) {
  failure_t error = {0};
  g_assert_cmpint(check(bench, 0, &error), ==, STATUS_INVALID);
  if (strstr(error.text, message) == NULL) g_error("\"%s\" lacks \"%s\"", error.text, message);
}

#define U8TH "!quant.uniform<i8:f32, 0.125:3>"
#define HALF "!quant.uniform<i8:f32, 0.5>"
#define QUARTER "!quant.uniform<i8:f32, 0.25:-128>"

/* ---- same_scale ------------------------------------------------------------------------------ */

static const char GROUP[] = "in a i8\nin b i8\nout c i8\nrule same_scale a b c\n";

static void test_same_scale_leaders(void) {
  bench_t bench;
  bench_init(&bench, GROUP, 2);
  offer(&bench, 0, QUANT_SOURCE_DATA, QUARTER);
  offer(&bench, 1, QUANT_SOURCE_CALIBRATION, HALF);
  offer(&bench, 2, QUANT_SOURCE_CALIBRATION, U8TH);
  uint32_t updated;
  failure_t error;
  g_assert_cmpint(decide(&bench, 0, &updated, &error), ==, STATUS_OK);
  g_assert_cmpuint(updated, ==, 1U << 0 | 1U << 2); /* b is the strongest, before c by number. */
  expect_offer(&bench, 0, HALF);
  expect_offer(&bench, 2, HALF);
  g_assert_cmpint(bench.states[1].offered_by, ==, QUANT_SOURCE_CALIBRATION);
  g_assert_cmpint(bench.states[0].offered_by, ==, QUANT_SOURCE_RULE);
  g_assert_cmpint(decide(&bench, 0, &updated, &error), ==, STATUS_OK);
  g_assert_cmpuint(updated, ==, 0);
  settle(&bench, 2, U8TH); /* Settled ports come first. */
  bench.states[2].offer.kind = QUANT_SPEC_OPEN;
  expect_rest(&bench);
  expect_offer(&bench, 0, U8TH);
  expect_offer(&bench, 1, U8TH);
  arena_deinit(&bench.arena);
}

static void test_same_scale_own_spec(void) {
  bench_t bench;
  bench_init(&bench, GROUP, 2);
  offer(&bench, 0, QUANT_SOURCE_VALUE, HALF);
  offer(&bench, 2, QUANT_SOURCE_PORT, QUARTER);
  expect_rest(&bench);
  expect_offer(&bench, 0, QUARTER);
  expect_offer(&bench, 1, QUARTER);
  g_assert_cmpint(bench.states[2].offered_by, ==, QUANT_SOURCE_PORT);
  arena_deinit(&bench.arena);
}

static void test_same_scale_contradictions(void) {
  bench_t bench;
  bench_init(&bench, GROUP, 2);
  settle(&bench, 0, HALF);
  settle(&bench, 2, QUARTER);
  expect_refusal(&bench, "a and c have parameters that differ");
  expect_breach(&bench, "ports 0 (a) and 2 (c) differ in scales");
  arena_deinit(&bench.arena);
  bench_init(&bench, GROUP, 2);
  settle(&bench, 0, HALF);
  offer(&bench, 1, QUANT_SOURCE_PORT, QUARTER);
  expect_refusal(&bench, "a and b have parameters that differ");
  arena_deinit(&bench.arena);
}

/* A leader that another port does not admit gives way, if it may. */
static void test_same_scale_admits(void) {
  bench_t bench;
  bench_init(&bench, "in a i8\nin b i8 symmetric\nout c i8\nrule same_scale a b c\n", 2);
  offer(&bench, 0, QUANT_SOURCE_VALUE, QUARTER);
  offer(&bench, 2, QUANT_SOURCE_CALIBRATION, HALF);
  expect_rest(&bench);
  expect_offer(&bench, 0, HALF);
  expect_offer(&bench, 1, HALF);
  offer(&bench, 2, QUANT_SOURCE_CALIBRATION, U8TH);
  offer(&bench, 0, QUANT_SOURCE_VALUE, QUARTER);
  expect_refusal(&bench, "parameters of a are not for all ports: b is symmetric");
  offer(&bench, 2, QUANT_SOURCE_CALIBRATION, HALF);
  settle(&bench, 0, QUARTER);
  expect_refusal(&bench, "parameters of a are not for all ports: b is symmetric");
  arena_deinit(&bench.arena);
}

/* Scales along an axis need a dimension of that size in every port. */
static void test_same_scale_axis(void) {
  bench_t bench;
  bench_init(&bench, "in a i8 axis=1\nout c i8 axis=1\nrule same_scale a c\n", 1);
  offer(&bench, 0, QUANT_SOURCE_VALUE, "!quant.uniform<i8:f32:1, {0.5, 0.25, 1.0}>");
  expect_rest(&bench);
  expect_offer(&bench, 1, "!quant.uniform<i8:f32:1, {0.5, 0.25, 1.0}>");
  bench.states[1].offer.kind = QUANT_SPEC_OPEN;
  bench.types[1].dims[1] = 4;
  expect_refusal(&bench, "c has not 3 entries along dimension 1");
  bench.types[1] = type_make(element_named("bf16"), 2, (const int64_t[]){2, 3});
  expect_refusal(&bench, "c is of bf16, not of f32");
  arena_deinit(&bench.arena);
}

/* Repeated inputs are all in the group, float ports are not, and nothing known gives nothing. */
static void test_same_scale_ports(void) {
  bench_t bench;
  bench_init(&bench, "in a i8\nin b * repeated\nout c i8\nrule same_scale b c\n", 4);
  for (uint32_t p = 1; p < 4; p++) bench.signature[p] = bench.signature[4];
  uint32_t updated = 99;
  failure_t error;
  g_assert_cmpint(decide(&bench, 0, &updated, &error), ==, STATUS_OK);
  g_assert_cmpuint(updated, ==, 0);
  bench.signature[2].kind = QUANT_PORT_FLOAT;
  offer(&bench, 3, QUANT_SOURCE_VALUE, HALF);
  expect_rest(&bench);
  expect_offer(&bench, 1, HALF);
  expect_offer(&bench, 4, HALF);
  g_assert_cmpint(bench.states[0].offer.kind, ==, QUANT_SPEC_OPEN);
  g_assert_cmpint(bench.states[2].offer.kind, ==, QUANT_SPEC_OPEN);
  bench.states[3].offer.kind = QUANT_SPEC_OPEN; /* What was copied does not outlive it. */
  expect_rest(&bench);
  g_assert_cmpint(bench.states[1].offer.kind, ==, QUANT_SPEC_OPEN);
  g_assert_cmpint(bench.states[4].offer.kind, ==, QUANT_SPEC_OPEN);
  arena_deinit(&bench.arena);
}

static void test_same_scale_check(void) {
  static const struct {
    const char *spec, *breach;
  } rows[] = {
      {"!quant.uniform<i8:f32, 0.125:3>", NULL},
      {"!quant.uniform<i8:f32, 0.1250001:3>", "scales"},
      {"!quant.uniform<i8:f32, 0.125:4>", "zero points"},
      {"!quant.uniform<i8<-127:127>:f32, 0.125:3>", "storage ranges"},
      {"!quant.uniform<u8:f32, 0.125:3>", "storage types"},
      {"!quant.uniform<i8:f64, 0.125:3>", "expressed types"},
      {"!quant.uniform<i8:f32:0, {0.125:3, 0.125:3}>", "axes"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    bench_t bench;
    bench_init(&bench, GROUP, 2);
    settle(&bench, 0, U8TH);
    settle(&bench, 2, rows[i].spec);
    failure_t error;
    if (rows[i].breach != NULL) {
      expect_breach(&bench, rows[i].breach);
    } else {
      g_assert_cmpint(check(&bench, 0, &error), ==, STATUS_OK);
    }
    arena_deinit(&bench.arena);
  }
}

/* Rules that hand parameters on to one another come to rest, whatever their order. */
static void test_rules_come_to_rest(void) {
  static const char *const orders[] = {
      "rule same_scale a b c\nrule fixed_scale c 0.25:-128\n",
      "rule same_scale a b\nrule same_scale b c\nrule fixed_scale c 0.25:-128\n",
      "rule fixed_scale c 0.25:-128\nrule same_scale b c\nrule same_scale a b\n",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(orders); i++) {
    bench_t bench;
    g_autofree char *lines = g_strconcat("in a i8\nin b i8\nout c i8\n", orders[i], NULL);
    bench_init(&bench, lines, 2);
    offer(&bench, 0, QUANT_SOURCE_VALUE, HALF);
    expect_rest(&bench);
    for (uint32_t p = 0; p < 3; p++) expect_offer(&bench, p, QUARTER);
    arena_deinit(&bench.arena);
    bench_init(&bench, lines, 2);
    offer(&bench, 0, QUANT_SOURCE_PORT, HALF);
    expect_refusal(&bench, "");
    arena_deinit(&bench.arena);
  }
}

static void test_rules_that_contradict(void) {
  bench_t bench;
  bench_init(&bench, "in a i8\nout c i8\nrule fixed_scale a 0.5:0\nrule fixed_scale a 0.25:0\n", 1);
  expect_refusal(&bench, "fixed_scale: a has other parameters by fixed_scale");
  arena_deinit(&bench.arena);
  bench_init(&bench,
             "in a i8\nout c i8\nrule fixed_scale a 0.5:0\nrule fixed_scale c 0.25:0\n"
             "rule same_scale a c\n",
             1);
  expect_refusal(&bench, "a and c have parameters that differ");
  arena_deinit(&bench.arena);
}

/* ---- fixed_scale ----------------------------------------------------------------------------- */

static const char FIXED[] = "in a i8\nout c i8\nrule fixed_scale c 0.1:-3\n";

static void test_fixed_scale(void) {
  bench_t bench;
  bench_init(&bench, FIXED, 1);
  offer(&bench, 1, QUANT_SOURCE_VALUE, HALF);
  expect_rest(&bench);
  g_assert_cmpfloat(bench.states[1].offer.uniform->scales[0], ==, (double)0.1f); /* Rounded. */
  g_assert_cmpint(bench.states[1].offer.uniform->zero_points[0], ==, -3);
  settle_offers(&bench);
  failure_t error;
  g_assert_cmpint(check(&bench, 0, &error), ==, STATUS_OK);
  expect_rest(&bench); /* What is settled so is no contradiction. */
  settle(&bench, 1, "!quant.uniform<i8:f32, 0.09999999:-3>");
  expect_refusal(&bench, "c is settled otherwise");
  expect_breach(&bench, "port 1 (c) has 0.0999999");
  settle(&bench, 1, "!quant.uniform<i8:f32, 0.1:-2>");
  expect_breach(&bench, ":-2, not 0.1");
  settle(&bench, 1, "!quant.uniform<i8:f32:0, {0.1:-3, 0.1:-3}>");
  g_assert_cmpint(check(&bench, 0, &error), ==, STATUS_OK);
  settle(&bench, 1, "!quant.uniform<i8:f32:0, {0.1:-3, 0.2:-3}>");
  expect_breach(&bench, "0.2");
  arena_deinit(&bench.arena);
}

static void test_fixed_scale_refusals(void) {
  bench_t bench;
  bench_init(&bench, "in a i8\nout c *\nrule fixed_scale c 1e-50:-3\n", 1);
  bench.signature[1] = bench.signature[0];
  expect_refusal(&bench, "f32 has no scale 1e-50");
  bench.signature[1].kind = QUANT_PORT_FLOAT;
  expect_rest(&bench);
  g_assert_cmpint(bench.states[1].offer.kind, ==, QUANT_SPEC_OPEN);
  arena_deinit(&bench.arena);
  bench_init(&bench, "in a i8 symmetric\nout c *\nrule fixed_scale c 0.5:-3\n", 1);
  bench.signature[1] = bench.signature[0];
  expect_refusal(&bench, "fixed_scale: a is symmetric, not of zero point -3");
  arena_deinit(&bench.arena);
  bench_init(&bench, "in a i8\nout c *\nrule fixed_scale c 0.5:-3\n", 1);
  bench.signature[1] = bench.signature[0];
  bench.signature[1].storage_min = 0;
  expect_refusal(&bench, "zero point -3");
  arena_deinit(&bench.arena);
}

/* ---- Products -------------------------------------------------------------------------------- */

static const char BIAS[] =
    "in input i8\nin weights i8 symmetric axis=1 constant\nin bias i32 symmetric axis=0 optional\n"
    "out output i8\nrule multiplier_accumulator_scale bias = input * weights\n";
static const char PRODUCT[] =
    "in a i8\nin b i8 axis=1\nout c i32 axis=1\n"
    "rule multiplier_scale c = a * b\n";

static void test_bias(void) {
  bench_t bench;
  bench_init(&bench, BIAS, 3);
  bench.types[2] = type_make(element_named("f32"), 1, (const int64_t[]){3});
  offer(&bench, 0, QUANT_SOURCE_VALUE, U8TH);
  offer(&bench, 1, QUANT_SOURCE_DATA, HALF);
  offer(&bench, 2, QUANT_SOURCE_DATA, "!quant.uniform<i32:f32, 4.0>");
  expect_rest(&bench);
  expect_offer(&bench, 2, "!quant.uniform<i32:f32, 0.0625>");
  offer(&bench, 1, QUANT_SOURCE_DATA, "!quant.uniform<i8:f32:1, {0.5, 0.25, 1.0}>");
  expect_rest(&bench);
  expect_offer(&bench, 2, "!quant.uniform<i32:f32:0, {0.0625, 0.03125, 0.125}>");
  settle_offers(&bench);
  failure_t error;
  g_assert_cmpint(check(&bench, 0, &error), ==, STATUS_OK);
  settle(&bench, 2, "!quant.uniform<i32:f32:0, {0.0625, 0.03125, 0.0625}>");
  expect_breach(&bench, "port 2 (bias), channel 2, has 0.0625:0, not 0.125 * 1:0");
  expect_refusal(&bench, "bias is settled otherwise than at the product");
  settle(&bench, 2, "!quant.uniform<i32:f32:0, {0.0625, 0.03125}>");
  expect_breach(&bench, "scales");
  expect_refusal(&bench, "bias is settled otherwise");
  settle(&bench, 2, "!quant.uniform<i32:f32:0, {0.0625, 0.03125, 0.125, 4.0}>");
  expect_breach(&bench, "scales");
  expect_refusal(&bench, "bias is settled otherwise");
  settle(&bench, 2, "!quant.uniform<i32:f32, 0.0625>");
  expect_breach(&bench, "channel 1");
  expect_refusal(&bench, "bias is settled otherwise");
  settle(&bench, 1, "!quant.uniform<i8:f32:1, {0.5, 0.5, 0.5}>"); /* Equal ones are as one. */
  expect_rest(&bench);
  g_assert_cmpint(check(&bench, 0, &error), ==, STATUS_OK);
  settle(&bench, 2, "!quant.uniform<i32:f32, 0.0625:1>");
  expect_breach(&bench, "has 0.0625:1");
  expect_refusal(&bench, "bias is settled otherwise");
  arena_deinit(&bench.arena);
}

static void test_bias_refusals(void) {
  bench_t bench;
  bench_init(&bench, BIAS, 3);
  bench.types[2] = type_make(element_named("f32"), 1, (const int64_t[]){4});
  offer(&bench, 2, QUANT_SOURCE_DATA, "!quant.uniform<i32:f32, 4.0>");
  offer(&bench, 1, QUANT_SOURCE_DATA, "!quant.uniform<i8:f32:1, {0.5, 0.25, 1.0}>");
  uint32_t updated;
  failure_t error;
  g_assert_cmpint(decide(&bench, 0, &updated, &error), ==, STATUS_OK);
  g_assert_cmpuint(updated, ==, 1U << 2); /* Withdrawn: the input is unknown. */
  g_assert_cmpint(bench.states[2].offer.kind, ==, QUANT_SPEC_OPEN);
  g_assert_cmpint(decide(&bench, 0, &updated, &error), ==, STATUS_OK);
  g_assert_cmpuint(updated, ==, 0);
  offer(&bench, 0, QUANT_SOURCE_VALUE, U8TH);
  expect_refusal(&bench, "bias has not 3 entries along dimension 0");
  bench.signature[2].axis = -1;
  expect_refusal(&bench, "bias takes no scales along an axis");
  offer(&bench, 0, QUANT_SOURCE_VALUE, "!quant.uniform<i8:f32:0, {0.5, 0.25}>");
  expect_refusal(&bench, "input has scales along an axis");
  settle(&bench, 0, "!quant.uniform<i8:f32:0, {0.5, 0.25}>");
  settle(&bench, 1, HALF);
  settle(&bench, 2, "!quant.uniform<i32:f32:0, {0.25, 0.125}>");
  expect_breach(&bench, "port 0 has scales along an axis");
  bench.signature[2].kind = QUANT_PORT_FLOAT;
  bench.states[2].settled.kind = QUANT_SPEC_OPEN;
  expect_rest(&bench);
  arena_deinit(&bench.arena);
  bench_init(&bench, BIAS, 2); /* Without a bias nothing is said. */
  offer(&bench, 0, QUANT_SOURCE_VALUE, U8TH);
  offer(&bench, 1, QUANT_SOURCE_DATA, HALF);
  expect_rest(&bench);
  g_assert_cmpint(bench.states[2].offer.kind, ==, QUANT_SPEC_OPEN);
  arena_deinit(&bench.arena);
}

static void test_product_limits(void) {
  static const struct {
    const char *a, *b, *message;
  } rows[] = {
      {"!quant.uniform<i8:f32, 1e-30>", "!quant.uniform<i8:f32, 1e-30>", "no positive finite f32"},
      {"!quant.uniform<i8:f32, 1e30>", "!quant.uniform<i8:f32, 1e30>", "no positive finite f32"},
      {HALF, "!quant.uniform<i8:f32:1, {0.5, 0.25, 1.0}>", "b has scales along an axis"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    bench_t bench;
    bench_init(&bench, PRODUCT, 2);
    offer(&bench, 0, QUANT_SOURCE_VALUE, rows[i].a);
    offer(&bench, 1, QUANT_SOURCE_VALUE, rows[i].b);
    expect_refusal(&bench, rows[i].message);
    arena_deinit(&bench.arena);
  }
  bench_t bench; /* The smallest number of f32 is still one. */
  bench_init(&bench, PRODUCT, 2);
  offer(&bench, 0, QUANT_SOURCE_VALUE, "!quant.uniform<i8:f32, 0x1p-100>");
  offer(&bench, 1, QUANT_SOURCE_VALUE, "!quant.uniform<i8:f32, 0x1p-49>");
  expect_rest(&bench);
  g_assert_cmpfloat(bench.states[2].offer.uniform->scales[0], ==, 0x1p-149);
  settle_offers(&bench);
  settle(&bench, 1, "!quant.uniform<i8:f32:1, {0x1p-49, 0x1p-49, 0x1p-49}>");
  expect_breach(&bench, "port 1 has scales along an axis");
  arena_deinit(&bench.arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rules/same_scale/leaders", test_same_scale_leaders);
  g_test_add_func("/rules/same_scale/own_spec", test_same_scale_own_spec);
  g_test_add_func("/rules/same_scale/contradictions", test_same_scale_contradictions);
  g_test_add_func("/rules/same_scale/admits", test_same_scale_admits);
  g_test_add_func("/rules/same_scale/axis", test_same_scale_axis);
  g_test_add_func("/rules/same_scale/ports", test_same_scale_ports);
  g_test_add_func("/rules/same_scale/check", test_same_scale_check);
  g_test_add_func("/rules/come_to_rest", test_rules_come_to_rest);
  g_test_add_func("/rules/contradict", test_rules_that_contradict);
  g_test_add_func("/rules/fixed_scale", test_fixed_scale);
  g_test_add_func("/rules/fixed_scale/refusals", test_fixed_scale_refusals);
  g_test_add_func("/rules/bias", test_bias);
  g_test_add_func("/rules/bias/refusals", test_bias_refusals);
  g_test_add_func("/rules/product/limits", test_product_limits);
  return g_test_run();
}
