/* SPDX-License-Identifier: Apache-2.0 */
/* Every property fails on a result that somebody spoilt in just one place. */
#include "harness/quant/check/property.h"
#include "harness/quant/graph/rebuild.h"

#define BODY(from, to)                    \
  "  op " to " = byteir.gelu(" from       \
  ") approximate=none f32[2] -> f32[2]\n" \
  "  return " to "\nend\n"

/* x -> gelu -> a -> same -> b, where b is to be otherwise: one rescale; c is refused.  The last row
 * of gelu stores a otherwise than it is annotated. */
static const char GRAPH[] =
    "graph plants\n"
    "input x f32[2] !quant.calibrated<f32<-1.0:1.0>>\n"
    "region first gelu\n  in x\n  out a f32[2] !quant.uniform<i8:f32, 0.5>\n" BODY("x", "t")
    "region second same\n  in a !quant.any<i8:f32>\n  out b f32[2]\n" BODY("a", "t")
    "value b !quant.uniform<i8:f32, 0.25>\n"
    "region third unheard_of\n  in b\n  out c f32[2]\n" BODY("b", "t")
    "output b\noutput c\n";
static const char TABLE[] =
    "table plants\ndefault i8\n"
    "kernel gelu\n  in input i8\n  out output i8\nend\n"
    "kernel same\n  in input i8\n  out output i8\n  rule same_scale input output\nend\n"
    "kernel gelu\n  in input i16\n  out output i8\nend\n"
    "kernel twice\n  in input i8\n  out output i8\nend\n"
    "pattern twice\n  inner = byteir.gelu(input)\n  output = byteir.gelu(inner)\nend\n";

enum { FIRST, SECOND, THIRD, RESCALE }; /* Regions, as the materialized graph has them. */
enum { IN, OUT };                       /* Ports of each. */
enum { X, A, B, C };                    /* Values. */

/* A trial whose parts can be changed. */
typedef struct plot {
  quant_trial_t trial;
  quant_target_t table;
  quant_target_row_t *rows;
  quant_parts_t made; /* Of the materialized graph. */
  arena_t arena;
} plot_t;

static void setup(plot_t *plot) {
  arena_init(&plot->arena);
  quant_graph_t *graph = arena_alloc_zeroed(&plot->arena, sizeof *graph);
  failure_t error = {.text = ""};
  quant_graph_parse(str_from(GRAPH), &plot->arena, graph, &error);
  g_assert_cmpstr(error.text, ==, "");
  quant_target_parse(str_from(TABLE), &plot->arena, &plot->table, &error);
  g_assert_cmpstr(error.text, ==, "");
  plot->rows = ARENA_NEW_ARRAY(&plot->arena, quant_target_row_t, plot->table.row_count);
  for (uint32_t i = 0; i < plot->table.row_count; i++) plot->rows[i] = plot->table.rows[i];
  plot->table.rows = plot->rows;
  plot->trial = (quant_trial_t){.graph = graph, .table = &plot->table, .seed = 1};
  quant_propagate(graph, &plot->table, QUANT_FAULT_none, &plot->arena, &plot->trial.propagation,
                  &error);
  quant_materialize(&plot->trial.propagation, QUANT_FAULT_none, &plot->arena,
                    &plot->trial.materialized, &error);
  g_assert_cmpstr(error.text, ==, "");
  plot->made = quant_parts_take(&plot->trial.materialized, &plot->arena);
  for (uint32_t r = 0; r < plot->trial.materialized.region_count; r++) {
    plot->made.regions[r].ports = plot->made.ports[r];
  }
  plot->trial.materialized.regions = plot->made.regions;
  plot->trial.materialized.values = plot->made.values;
  g_assert_cmpuint(plot->trial.propagation.rescale_count, ==, 1);
  g_assert_cmpstr(plot->made.regions[RESCALE].kernel, ==, QUANT_RESCALE_KERNEL);
}

static quant_spec_t spec_of(plot_t *plot, const char *text) {
  quant_spec_t spec;
  scan_t scan = scan_make(str_from(text));
  g_assert_cmpint(quant_spec_parse(&scan, &plot->arena, &spec, NULL), ==, STATUS_OK);
  return spec;
}

static quant_port_result_t *found(plot_t *plot, uint32_t region, uint32_t port) {
  return &plot->trial.propagation.regions[region].ports[port];
}

/* ---- What somebody might spoil --------------------------------------------------------------- */

static void open_port(plot_t *plot) {
  plot->made.ports[FIRST][IN].spec = (quant_spec_t){.kind = QUANT_SPEC_OPEN};
}
static void count_visit(plot_t *plot) { plot->trial.propagation.visit_count++; }
static void visit_forever(plot_t *plot) { plot->trial.propagation.visit_count += 99; }
static void other_scale(plot_t *plot) {
  plot->made.ports[SECOND][OUT].spec = spec_of(plot, "!quant.uniform<i8:f32, 0.125>");
}
static void other_storage(plot_t *plot) {
  plot->made.ports[FIRST][IN].spec = spec_of(plot, "!quant.uniform<i16:f32, 0.5>");
}
static void other_row(plot_t *plot) { plot->trial.propagation.regions[FIRST].row = &plot->rows[2]; }
static void fewer_bits(plot_t *plot) {
  plot->made.ports[SECOND][IN].spec = spec_of(plot, "!quant.uniform<i4:f32, 0.5>");
}
static void other_value(plot_t *plot) {
  plot->made.values[B].spec = spec_of(plot, "!quant.uniform<i8:f32, 0.5>");
}
static void other_source(plot_t *plot) { found(plot, FIRST, IN)->source = QUANT_SOURCE_DATA; }
static void weaker_source(plot_t *plot) {
  quant_port_result_t *port = found(plot, SECOND, IN);
  g_assert_cmpint(port->source, ==, QUANT_SOURCE_VALUE);
  port->source = QUANT_SOURCE_CALIBRATION;
}
static void no_reason(plot_t *plot) { plot->trial.propagation.regions[THIRD].refusal = NULL; }
static void lose_output(plot_t *plot) { plot->trial.materialized.output_count--; }
static void bypass(plot_t *plot) { plot->made.ports[SECOND][IN].spec = plot->made.values[B].spec; }
static void useless_rescale(plot_t *plot) {
  plot->made.ports[RESCALE][OUT].spec = plot->made.ports[RESCALE][IN].spec;
}
static void call_it_full(plot_t *plot) { plot->trial.propagation.is_fully_quantized = true; }
static void bad_name(plot_t *plot) { plot->made.values[A].name = "a b"; }
static void bad_kernel(plot_t *plot) { plot->rows[0].kernel = "g e l u"; }
/* On what goes inside of a region. */
static void lose_constraint(plot_t *plot) {
  plot->trial.fuse_fault = QUANT_FUSE_FAULT_constraints_lost;
}

static void bracket(plot_t *plot) { plot->made.regions[FIRST].kernel = "gelu("; }

static const struct {
  quant_property_id_t property;
  void (*spoil)(plot_t *plot);
} PLANTS[] = {
    {QUANT_PROPERTY_fixed_point, open_port},
    {QUANT_PROPERTY_visits, visit_forever},
    {QUANT_PROPERTY_determinism, count_visit},
    {QUANT_PROPERTY_order_independence, count_visit},
    {QUANT_PROPERTY_idempotence, open_port},
    {QUANT_PROPERTY_rules, other_scale},
    {QUANT_PROPERTY_signatures, other_storage},
    {QUANT_PROPERTY_rows, other_row},
    {QUANT_PROPERTY_bits, fewer_bits},
    {QUANT_PROPERTY_model_constraints, other_value},
    {QUANT_PROPERTY_sources, other_source},
    {QUANT_PROPERTY_preference, weaker_source},
    {QUANT_PROPERTY_refusals, no_reason},
    {QUANT_PROPERTY_nothing_lost, lose_output},
    {QUANT_PROPERTY_conflicts_rescaled, bypass},
    {QUANT_PROPERTY_rescales_needed, useless_rescale},
    {QUANT_PROPERTY_fully_quantized, call_it_full},
    {QUANT_PROPERTY_graph_text, bad_name},
    {QUANT_PROPERTY_table_text, bad_kernel},
    {QUANT_PROPERTY_mlir, bracket},
    {QUANT_PROPERTY_fusing, lose_constraint},
};

static void test_plant(gconstpointer data) {
  const quant_property_t *property = &quant_properties()[PLANTS[GPOINTER_TO_UINT(data)].property];
  plot_t plot;
  failure_t words = {.text = ""};
  setup(&plot);
  g_assert_cmpint(property->check(&plot.trial, &plot.arena, &words), ==, QUANT_HOLDS);
  PLANTS[GPOINTER_TO_UINT(data)].spoil(&plot);
  g_assert_cmpint(property->check(&plot.trial, &plot.arena, &words), ==, QUANT_VIOLATED);
  g_test_message("%s", words.text);
  g_assert_cmpstr(words.text, !=, "");
  arena_deinit(&plot.arena);
}

/* A rule that derives nothing and is never content: what propagation checks of itself. */
static status_t lie(const quant_rule_use_t *use, const uint32_t *ports, uint32_t port_count,
                    const quant_port_state_t *region_ports, failure_t *error) {
  (void)use;
  (void)ports;
  (void)port_count;
  (void)region_ports;
  return status_fail(error, STATUS_INVALID, "never");
}

static void test_resolves(void) {
  plot_t plot;
  setup(&plot);
  quant_rule_use_t use = plot.rows[1].rules[0];
  quant_rule_t rule = *use.rule;
  rule.check = lie;
  use.rule = &rule;
  plot.rows[1].rules = &use;
  quant_property_result_t results[QUANT_PROPERTY_COUNT];
  const quant_trial_input_t input = {
      .graph = plot.trial.graph, .table = &plot.table, .fault = QUANT_FAULT_none, .seed = 1};
  g_assert_false(quant_property_check_all(&input, &plot.arena, results, NULL));
  g_assert_cmpint(results[QUANT_PROPERTY_resolves].outcome, ==, QUANT_VIOLATED);
  g_assert_nonnull(strstr(results[QUANT_PROPERTY_resolves].words.text, "never"));
  for (uint32_t i = 1; i < QUANT_PROPERTY_COUNT; i++) {
    g_assert_cmpint(results[i].outcome, ==, QUANT_NOT_APPLICABLE);
  }
  arena_deinit(&plot.arena);
}

/* Each property but `resolves` is planted against. */
static void test_all_planted(void) {
  bool is_planted[QUANT_PROPERTY_COUNT] = {[QUANT_PROPERTY_resolves] = true};
  for (size_t i = 0; i < G_N_ELEMENTS(PLANTS); i++) is_planted[PLANTS[i].property] = true;
  for (uint32_t i = 0; i < QUANT_PROPERTY_COUNT; i++) g_assert_true(is_planted[i]);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/quant/property/all_planted", test_all_planted);
  g_test_add_func("/quant/property/resolves", test_resolves);
  for (uint32_t i = 0; i < G_N_ELEMENTS(PLANTS); i++) {
    g_autofree char *path =
        g_strdup_printf("/quant/property/%s", quant_properties()[PLANTS[i].property].name);
    g_test_add_data_func(path, GUINT_TO_POINTER(i), test_plant);
  }
  return g_test_run();
}
