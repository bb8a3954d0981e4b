/* SPDX-License-Identifier: Apache-2.0 */
/* Which row of a table a region is, and which ports its rules are about. */
#include "harness/quant/target/target.h"

/* ---- A region, and a table to match it with -------------------------------------------------- */

typedef struct model {
  arena_t arena;
  tensor_t constant;
  quant_value_t values[QUANT_PORTS_MAX];
  quant_port_t ports[QUANT_PORTS_MAX];
  quant_region_t region;
  quant_graph_t graph;
  quant_target_t table;
  const quant_target_row_t *row;
  quant_signature_port_t signature[QUANT_PORTS_MAX];
} model_t;

static quant_spec_t make_spec(model_t *model, const char *text) {
  scan_t scan = scan_make(str_from(text));
  quant_spec_t spec;
  failure_t error;
  status_t status = quant_spec_parse(&scan, &model->arena, &spec, &error);
  if (status != STATUS_OK) g_error("%s: %s", text, error.text);
  return spec;
}

/* A region "r" of kernel "k" whose ports have values of f32[2,3] without constraints. */
static void model_init(model_t *model, const char *rows, uint32_t inputs, uint32_t outputs) {
  *model = (model_t){.region = {.name = "r",
                                .kernel = "k",
                                .input_count = inputs,
                                .output_count = outputs,
                                .call = QUANT_NONE}};
  arena_init(&model->arena);
  g_autofree char *text = g_strconcat("table t\ndefault i4\n", rows, NULL);
  failure_t error;
  status_t status = quant_target_parse(str_from(text), &model->arena, &model->table, &error);
  if (status != STATUS_OK) g_error("%s", error.text);
  for (uint32_t p = 0; p < inputs + outputs; p++) {
    model->values[p] = (quant_value_t){
        .name = "v", .type = type_make(element_named("f32"), 2, (const int64_t[]){2, 3})};
    model->ports[p] = (quant_port_t){.value = p};
  }
  model->region.ports = model->ports;
  model->graph = (quant_graph_t){.value_count = inputs + outputs,
                                 .values = model->values,
                                 .region_count = 1,
                                 .regions = &model->region};
}

static status_t match(model_t *model, failure_t *error) {
  return quant_target_match(&model->table, &model->graph, 0, &model->row, model->signature, error);
}

static void expect_line(model_t *model, uint32_t line) {
  failure_t error;
  if (match(model, &error) != STATUS_OK) g_error("%s", error.text);
  g_assert_cmpuint(model->row->line, ==, line);
}

static void expect_refusal(model_t *model, const char *message) {
  failure_t error = {0};
  g_assert_cmpint(match(model, &error), ==, STATUS_UNSUPPORTED);
  g_assert_cmpstr(error.text, ==, message);
  g_assert_cmpint(match(model, NULL), ==, STATUS_UNSUPPORTED);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static const char ROWS[] =
    "kernel k\n" /* Line 3. */
    "in a i8\nout y i8\n"
    "end\n"
    "kernel other\nin a ui8\nout y ui8\nend\n" /* Line 7. */
    "kernel k\n"                               /* Line 11. */
    "in a ui8<0:250> symmetric\nout y ui8\nend\n"
    "kernel k\n" /* Line 15. */
    "in a float\nout y float\nend\n";

/* Ports' own specs choose the row; open ones take the first. */
static void test_own_specs(void) {
  static const struct {
    const char *a, *y;
    uint32_t line;
  } rows[] = {
      {"unit", "unit", 3},
      {"unit", "!quant.calibrated<f32<-1.0:1.0>>", 3},
      {"!quant.any<i4<-8:7>:f32>", "unit", 3},
      {"!quant.any<i16<-128:127>:f32>", "unit", 3},
      {"!quant.uniform<i8<-127:127>:f32, 0.5:3>", "unit", 3},
      {"!quant.any<u8<100:200>:f32>", "unit", 11},
      {"!quant.uniform<u8:f32, 0.5:3>", "unit", 0}, /* Neither its range nor its zero point. */
      {"unit", "!quant.uniform<u8:f32, 0.5:3>", 11},
      {"f32", "unit", 15},
      {"unit", "f32", 15},
      {"!quant.calibrated<f32<-1.0:1.0>>", "f32", 15},
      {"!quant.any<i4<-8:7>:f32>", "f32", 0},
      {"!quant.any<i16<-32768:32767>:f32>", "unit", 0},
      {"!quant.uniform<i8:f32:0, {0.5, 0.5}>", "unit", 0},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    model_t model;
    model_init(&model, ROWS, 1, 1);
    g_test_message("%s %s", rows[i].a, rows[i].y);
    model.ports[0].spec = make_spec(&model, rows[i].a);
    model.ports[1].spec = make_spec(&model, rows[i].y);
    failure_t error;
    if (rows[i].line != 0) {
      expect_line(&model, rows[i].line);
    } else {
      g_assert_cmpint(match(&model, &error), ==, STATUS_UNSUPPORTED);
    }
    arena_deinit(&model.arena);
  }
}

/* What values are annotated with chooses among the rows that fit: the one that stores the fewest
 * ports otherwise, and of these the first. */
static void test_values_specs(void) {
  static const struct {
    const char *a, *y;
    uint32_t line;
  } rows[] = {
      {"!quant.calibrated<f32<-1.0:1.0>>", "unit", 3},
      {"!quant.uniform<i8:f32, 0.5:3>", "unit", 3},
      {"!quant.uniform<u8:f32, 0.5:3>", "unit", 11}, /* Though its zero point needs a rescale. */
      {"unit", "!quant.uniform<u8:f32, 0.5:3>", 11},
      {"!quant.uniform<i8:f32, 0.5>", "!quant.uniform<u8:f32, 0.5>", 3},   /* One rescale ... */
      {"!quant.uniform<u8:f32, 0.5>", "!quant.uniform<i8:f32, 0.5>", 3},   /* ... or two, */
      {"!quant.uniform<i32:f32, 0.5>", "!quant.uniform<u8:f32, 0.5>", 11}, /* or one. */
      {"!quant.uniform<i16:f32, 0.5>", "unit", 3}, /* A rescale whatever the row. */
      {"!quant.any<u8<100:200>:f32>", "unit", 11},
      {"!quant.any<i16<-32768:32767>:f32>", "unit", 15}, /* No kernel of so many bits. */
      {"f32", "unit", 15},
      {"!quant.uniform<u8:f32, 0.5:3>", "f32", 15},
      {"!quant.any<i8:f32>", "f32", 15},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    model_t model;
    model_init(&model, ROWS, 1, 1);
    g_test_message("%s %s", rows[i].a, rows[i].y);
    model.values[0].spec = make_spec(&model, rows[i].a);
    model.values[1].spec = make_spec(&model, rows[i].y);
    expect_line(&model, rows[i].line);
    arena_deinit(&model.arena);
  }
}

/* A port's own spec replaces what its value says. */
static void test_own_before_value(void) {
  model_t model;
  model_init(&model, ROWS, 1, 1);
  model.values[0].spec = make_spec(&model, "!quant.uniform<u8:f32, 0.5:3>");
  model.ports[0].spec = make_spec(&model, "!quant.uniform<i8:f32, 0.5:3>");
  expect_line(&model, 3);
  model.values[0].spec = make_spec(&model, "!quant.any<i16:f32>");
  expect_line(&model, 3);
  arena_deinit(&model.arena);
}

/* Bits that a kernel has not cannot be had by a rescale. */
static void test_too_few_bits(void) {
  model_t model;
  model_init(&model, "kernel k\nin a i8\nout y i8\nend\n", 1, 1);
  model.values[0].spec = make_spec(&model, "!quant.any<i32:f32>");
  expect_refusal(&model,
                 "region r: port 0: kernel k (line 3): a takes storage values -128:127, not "
                 "-2147483648:2147483647");
  model.values[0].spec = make_spec(&model, "!quant.any<i8:f32>");
  expect_line(&model, 3);
  model.values[1].spec = make_spec(&model, "!quant.any<u8:f32>");
  expect_refusal(&model,
                 "region r: port 1: kernel k (line 3): y takes storage values -128:127, not 0:255");
  arena_deinit(&model.arena);
}

static void test_reasons(void) {
  model_t model;
  model_init(&model, ROWS, 1, 1);
  model.region.kernel = "bold";
  expect_refusal(&model, "region r: table t has no kernel bold");
  model.region.kernel = "k";
  model.ports[0].spec = make_spec(&model, "!quant.any<i4<-8:7>:f32>");
  model.ports[1].spec = make_spec(&model, "f32");
  expect_refusal(&model,
                 "region r: port 1: kernel k (line 3): y is quantized, and v stays in "
                 "high precision");
  model.ports[0].spec = make_spec(&model, "!quant.uniform<u8<1:255>:f32, 0.5:3>");
  expect_refusal(&model, "region r: port 0: kernel k (line 3): a is stored as i8, not ui8");
  arena_deinit(&model.arena);
  model_init(&model, ROWS, 2, 1);
  expect_refusal(&model, "region r: kernel k (line 3): it takes 1 to 1 inputs, not 2");
  arena_deinit(&model.arena);
  model_init(&model, ROWS, 1, 2);
  expect_refusal(&model, "region r: kernel k (line 3): it gives 1 outputs, not 2");
  arena_deinit(&model.arena);
  model_init(&model, "kernel k\nin a i8 repeated\nout y i8\nend\n", 0, 1);
  expect_refusal(&model, "region r: kernel k (line 3): it takes 1 to 1 or more inputs, not 0");
  arena_deinit(&model.arena);
}

/* The words of ports. */
static void test_words(void) {
  model_t model;
  model_init(&model, "kernel k\nin a i8 symmetric axis=1 constant\nout y i8\nend\n", 1, 1);
  expect_refusal(&model, "region r: port 0: kernel k (line 3): a takes only constants");
  model.values[0].constant = &model.constant;
  expect_line(&model, 3);
  model.ports[0].spec = make_spec(&model, "!quant.uniform<i8:f32:1, {0.5, 1.0, 0.5}>");
  expect_line(&model, 3);
  model.ports[0].spec = make_spec(&model, "!quant.uniform<i8:f32:1, {0.5, 1.0:1, 0.5}>");
  expect_refusal(&model,
                 "region r: port 0: kernel k (line 3): a is symmetric, not of zero point 1");
  model.ports[0].spec = make_spec(&model, "!quant.uniform<i8:f32:0, {0.5, 1.0}>");
  expect_refusal(&model,
                 "region r: port 0: kernel k (line 3): a has scales along dimension 1, not 0");
  model.ports[0].spec = make_spec(&model, "unit");
  model.values[0].type.rank = 1;
  expect_refusal(&model,
                 "region r: port 0: kernel k (line 3): a has scales along dimension 1, "
                 "and v has rank 1");
  model.values[0].type.rank = 2;
  model.ports[1].spec = make_spec(&model, "!quant.uniform<i8:f32:0, {0.5, 1.0}>");
  expect_refusal(&model,
                 "region r: port 1: kernel k (line 3): y has one scale, not those along "
                 "dimension 0");
  arena_deinit(&model.arena);
}

/* Ports that are stored as 16-bit floats, and what values and ports ask for. */
static void test_narrow_floats(void) {
  model_t model;
  model_init(&model, "kernel k\nin a bf16\nin b float\nout y *\nend\n", 2, 1);
  expect_line(&model, 3);
  g_assert_cmpint(model.signature[0].kind, ==, QUANT_PORT_FLOAT);
  g_assert_cmpstr(model.signature[0].storage->name, ==, "bf16");
  g_assert_null(model.signature[1].storage);
  model.values[0].spec = make_spec(&model, "bf16");
  model.values[1].spec = make_spec(&model, "bf16"); /* It is widened on the way in. */
  model.values[2].spec = make_spec(&model, "f16");
  expect_line(&model, 3);
  g_assert_cmpint(model.signature[2].kind, ==, QUANT_PORT_FLOAT);
  g_assert_cmpstr(model.signature[2].storage->name, ==, "f16");
  model.ports[1].spec = make_spec(&model, "bf16");
  expect_refusal(&model, "region r: port 1: kernel k (line 3): b is stored as f32, not bf16");
  model.ports[1].spec = make_spec(&model, "f32");
  expect_line(&model, 3);
  model.values[0].spec = make_spec(&model, "f32"); /* "Keep this tensor as is." */
  expect_refusal(&model, "region r: port 0: kernel k (line 3): a is stored as bf16, not f32");
  model.values[0].spec = make_spec(&model, "f16");
  expect_refusal(&model, "region r: port 0: kernel k (line 3): a is stored as bf16, not f16");
  model.values[0].spec = make_spec(&model, "!quant.any<i8:f32>");
  expect_line(&model, 3); /* As with any float port. */
  model.ports[0].spec = make_spec(&model, "!quant.any<i8:f32>");
  expect_refusal(&model, "region r: port 0: kernel k (line 3): a is not quantized");
  model.ports[0].spec = make_spec(&model, "unit");
  model.values[0].type = type_make(element_named("f16"), 2, (const int64_t[]){2, 3});
  model.values[0].spec = make_spec(&model, "unit");
  expect_refusal(
      &model, "region r: port 0: kernel k (line 3): a is stored as bf16, which does not hold f16");
  arena_deinit(&model.arena);
}

static void test_wildcards(void) {
  model_t model;
  model_init(&model, "kernel k\nin a * symmetric\nout y *\nend\n", 1, 1);
  expect_line(&model, 3);
  g_assert_cmpint(model.signature[0].kind, ==, QUANT_PORT_STORAGE);
  g_assert_cmpstr(model.signature[0].storage->name, ==, "i4"); /* The table's default. */
  g_assert_cmpstr(model.signature[0].name, ==, "a");
  g_assert_true(model.signature[0].is_symmetric);
  g_assert_true(model.signature[1].is_output);
  model.ports[0].spec = make_spec(&model, "!quant.any<u8<3:200>:f32>");
  model.values[1].spec = make_spec(&model, "!quant.uniform<i16:f32:0, {0.5, 1.0}>");
  expect_line(&model, 3);
  g_assert_cmpstr(model.signature[0].storage->name, ==, "ui8");
  g_assert_cmpint(model.signature[0].storage_min, ==, 3);
  g_assert_cmpint(model.signature[0].storage_max, ==, 200);
  g_assert_cmpstr(model.signature[1].storage->name, ==, "i16");
  g_assert_cmpint(model.signature[1].axis, ==, -1);
  model.values[0].spec = make_spec(&model, "f32");
  model.ports[0].spec = make_spec(&model, "unit");
  expect_line(&model, 3);
  g_assert_cmpint(model.signature[0].kind, ==, QUANT_PORT_FLOAT);
  model.ports[0].spec = make_spec(&model, "!quant.uniform<i8:f32, 0.5:3>"); /* Words hold. */
  expect_refusal(&model,
                 "region r: port 0: kernel k (line 3): a is symmetric, not of zero point 3");
  arena_deinit(&model.arena);
}

/* ---- Ports of rules -------------------------------------------------------------------------- */

/* `expected` are the numbers of ports, between blanks. */
static void expect_ports(const char *rows, uint32_t inputs, uint32_t outputs,
                         const char *expected) {
  model_t model;
  model_init(&model, rows, inputs, outputs);
  expect_line(&model, 3);
  uint32_t ports[QUANT_PORTS_MAX];
  uint32_t count = quant_rule_ports(&model.row->rules[0], model.row, inputs, ports);
  GString *found = g_string_new(NULL);
  for (uint32_t i = 0; i < count; i++) g_string_append_printf(found, " %u", ports[i]);
  g_assert_cmpstr(found->str, ==, expected);
  g_string_free(found, TRUE);
  arena_deinit(&model.arena);
}

static void test_ports_of_rules(void) {
  static const char repeated[] =
      "kernel k\nin a i8\nin b i8 repeated\nout y i8\nout z i8\n"
      "rule same_scale z b y\nend\n";
  expect_ports(repeated, 2, 2, " 3 1 2");
  expect_ports(repeated, 4, 2, " 5 1 2 3 4");
  expect_ports(repeated, 14, 2, " 15 1 2 3 4 5 6 7 8 9 10 11 12 13 14");
  static const char optional[] =
      "kernel k\nin a i8\nin b i8 optional\nin c i8 optional\nout y i8\n"
      "rule same_scale c b y a\nend\n";
  expect_ports(optional, 3, 1, " 2 1 3 0");
  expect_ports(optional, 2, 1, " 1 2 0");
  expect_ports(optional, 1, 1, " 1 0");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/match/own_specs", test_own_specs);
  g_test_add_func("/match/own_before_value", test_own_before_value);
  g_test_add_func("/match/too_few_bits", test_too_few_bits);
  g_test_add_func("/match/values_specs", test_values_specs);
  g_test_add_func("/match/reasons", test_reasons);
  g_test_add_func("/match/words", test_words);
  g_test_add_func("/match/wildcards", test_wildcards);
  g_test_add_func("/match/narrow-floats", test_narrow_floats);
  g_test_add_func("/match/ports_of_rules", test_ports_of_rules);
  return g_test_run();
}
