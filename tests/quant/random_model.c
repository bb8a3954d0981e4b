/* SPDX-License-Identifier: Apache-2.0 */
/* Random target descriptions and graphs so small that constraints often conflict, and the
 * shuffling of a graph's values and regions. */
#include "tests/quant/random_model.h"

#include <string.h>

/* ---- Tables ---------------------------------------------------------------------------------- */

enum { KERNELS = 4 };

static const char *const STORAGES[] = {"i8", "i8", "i8<-127:127>", "i8<-100:100>", "ui8", "i4",
                                       "*",  "*",  "float",        "i16",          "bf16"};

static void draw_port(rng_t *rng, const char *direction, const char *name, bool may_be_missing,
                      bool may_repeat, GString *text) {
  const char *storage = STORAGES[rng_below(rng, G_N_ELEMENTS(STORAGES))];
  bool is_float = strcmp(storage, "float") == 0 || strcmp(storage, "bf16") == 0;
  g_string_append_printf(text, "  %s %s %s", direction, name, storage);
  if (!is_float && rng_one_in(rng, 5)) g_string_append(text, " symmetric");
  if (!is_float && rng_one_in(rng, 4)) g_string_append(text, " axis=0");
  if (may_be_missing && rng_one_in(rng, 3)) {
    g_string_append(text, " optional");
  } else if (may_repeat && rng_one_in(rng, 3)) {
    g_string_append(text, " repeated");
  }
  g_string_append_c(text, '\n');
}

static const char *draw_name(rng_t *rng, uint32_t inputs, uint32_t outputs) {
  static const char *const names[] = {"a", "b", "c", "y", "z"};
  uint64_t pick = rng_below(rng, inputs + outputs);
  return names[pick < inputs ? pick : 3 + pick - inputs];
}

static void draw_rule(rng_t *rng, uint32_t inputs, uint32_t outputs, GString *text) {
  static const char *const fixed[] = {"0.5:0", "0.00390625:-100", "0.25:3", "1.5:0"};
  const char *x = draw_name(rng, inputs, outputs), *y = draw_name(rng, inputs, outputs),
             *z = draw_name(rng, inputs, outputs);
  switch (rng_below(rng, 5)) {
    case 0:
    case 1:
      g_string_append_printf(text, "  rule same_scale %s %s\n", x, y);
      break;
    case 2:
      g_string_append_printf(text, "  rule fixed_scale %s %s\n", x,
                             fixed[rng_below(rng, G_N_ELEMENTS(fixed))]);
      break;
    case 3:
      g_string_append_printf(text, "  rule multiplier_scale %s = %s * %s\n", x, y, z);
      break;
    default:
      g_string_append_printf(text, "  rule multiplier_accumulator_scale %s = %s * %s\n", x, y, z);
  }
}

/* May be a text that tables do not allow, such as a rule that speaks of a float port. */
static void draw_row(rng_t *rng, uint32_t kernel, GString *text) {
  static const char *const input_names[] = {"a", "b", "c"};
  static const char *const output_names[] = {"y", "z"};
  uint32_t inputs = 1 + (uint32_t)rng_below(rng, 3);
  uint32_t outputs = rng_one_in(rng, 4) ? 2 : 1;
  g_string_append_printf(text, "kernel k%u\n", kernel);
  for (uint32_t i = 0; i < inputs; i++) {
    bool is_last = i + 1 == inputs;
    draw_port(rng, "in", input_names[i], is_last && i > 0, is_last, text);
  }
  for (uint32_t i = 0; i < outputs; i++) {
    draw_port(rng, "out", output_names[i], false, false, text);
  }
  for (uint64_t rules = rng_below(rng, 4); rules > 0; rules--) {
    draw_rule(rng, inputs, outputs, text);
  }
  g_string_append(text, "end\n");
}

quant_target_t random_table(rng_t *rng, arena_t *arena) {
  static const char header[] = "table random\ndefault i8<-127:127>\n";
  g_autoptr(GString) text = g_string_new(header);
  quant_target_t table;
  for (uint32_t kernel = 0; kernel < KERNELS; kernel++) {
    for (uint64_t rows = rng_one_in(rng, 3) ? 2 : 1; rows > 0;) {
      size_t before = text->len;
      draw_row(rng, kernel, text);
      if (quant_target_parse((str_t){text->str, text->len}, arena, &table, NULL) == STATUS_OK) {
        rows--;
      } else {
        g_string_truncate(text, before);
      }
    }
  }
  failure_t error;
  if (quant_target_parse((str_t){text->str, text->len}, arena, &table, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  return table;
}

/* ---- Graphs ---------------------------------------------------------------------------------- */

enum { VALUES_MAX = 64 };

static const int64_t DIMS[] = {2};

static type_t tensor_type(void) { return type_make(element_named("f32"), 1, DIMS); }

/* One of few specs; mostly none. */
static quant_spec_t draw_spec(rng_t *rng, uint64_t odds, arena_t *arena) {
  static const char *const texts[] = {
      "f32",
      "bf16",
      "!quant.any<i8<-50:50>:f32>",
      "!quant.any<i4:f32>",
      "!quant.any<i16:f32>",
      "!quant.calibrated<f32<-1.0:1.0>>",
      "!quant.calibrated<f32<-1.0:3.0>>",
      "!quant.calibrated<f32<0.0:0.0>>",
      "!quant.uniform<i8:f32, 0.5>",
      "!quant.uniform<i8:f32, 0.25:3>",
      "!quant.uniform<i8<-127:127>:f32, 0.5>",
      "!quant.uniform<i8<-100:100>:f32, 0.00390625:-100>",
      "!quant.uniform<i4:f32, 0.5>",
      "!quant.uniform<ui8:f32, 0.25:3>",
      "!quant.uniform<i16:f32, 0.25>",
      "!quant.uniform<i8:f32:0, {0.5, 0.25}>",
      "!quant.uniform<i8<-100:100>:f32:0, {0.25, 0.25}>",
  };
  quant_spec_t spec = {.kind = QUANT_SPEC_OPEN};
  if (!rng_one_in(rng, odds)) return spec;
  scan_t scan = scan_make(str_from(texts[rng_below(rng, G_N_ELEMENTS(texts))]));
  failure_t error;
  if (quant_spec_parse(&scan, arena, &spec, &error) != STATUS_OK) g_error("%s", error.text);
  return spec;
}

static const tensor_t *draw_constant(rng_t *rng, arena_t *arena) {
  static const double numbers[] = {0, 1, -1, 0.5, -3, 1.25, 1e-3};
  type_t type = tensor_type();
  tensor_t *constant = ARENA_NEW_ARRAY(arena, tensor_t, 1);
  *constant = tensor_make(arena, &type);
  for (size_t i = 0; i < 2; i++) {
    double number = numbers[rng_below(rng, G_N_ELEMENTS(numbers))];
    if (rng_one_in(rng, 60)) number = G_MAXDOUBLE; /* Infinity as f32. */
    element_store(type.element, constant->data, i,
                  format_from_double(type.element->format, number));
  }
  return constant;
}

static uint32_t row_inputs(const quant_target_row_t *row) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < row->port_count; i++) count += !row->ports[i].is_output;
  return count;
}

static void add_random_region(rng_t *rng, const quant_target_t *table, quant_builder_t *builder,
                              uint32_t number, uint32_t *inout_values, arena_t *arena) {
  type_t type = tensor_type();
  const quant_target_row_t *row = &table->rows[rng_below(rng, table->row_count)];
  uint32_t inputs = row_inputs(row), outputs = row->port_count - inputs;
  if (rng_one_in(rng, 8)) inputs = 1 + (uint32_t)rng_below(rng, 4);
  quant_port_t ports[QUANT_PORTS_MAX];
  quant_inner_t inners[QUANT_PORTS_MAX];
  uint32_t returns[QUANT_PORTS_MAX];
  static const char *const inner_names[] = {"i0", "i1", "i2", "i3"};
  for (uint32_t i = 0; i < inputs; i++) {
    ports[i] = (quant_port_t){.value = (uint32_t)rng_below(rng, *inout_values),
                              .spec = draw_spec(rng, 6, arena)};
    inners[i] = (quant_inner_t){.name = inner_names[i], .type = type};
  }
  for (uint32_t i = 0; i < outputs; i++) {
    quant_spec_t of_value = draw_spec(rng, 5, arena), of_port = draw_spec(rng, 8, arena);
    char name[16];
    g_snprintf(name, sizeof name, "v%u", *inout_values);
    uint32_t value = quant_builder_add_value(builder, QUANT_RESULT, name, &type, &of_value, NULL);
    quant_builder_add_output(builder, value);
    ports[inputs + i] = (quant_port_t){.value = value, .spec = of_port};
    returns[i] = (uint32_t)rng_below(rng, inputs);
    ++*inout_values;
  }
  char name[16];
  g_snprintf(name, sizeof name, "r%u", (unsigned)(number * 7 % 10)); /* Not in order. */
  quant_region_t region = {.name = name,
                           .kernel = rng_one_in(rng, 25) ? "unknown" : row->kernel,
                           .input_count = inputs,
                           .output_count = outputs,
                           .ports = ports,
                           .inner_count = inputs,
                           .inners = inners,
                           .returns = returns};
  quant_builder_add_region(builder, &region);
}

quant_graph_t random_graph(rng_t *rng, const quant_target_t *table, uint32_t regions_max,
                           arena_t *arena) {
  quant_builder_t *builder = quant_builder_new("random", arena);
  type_t type = tensor_type();
  uint32_t values = 0;
  for (uint64_t left = 1 + rng_below(rng, 4); left > 0; left--) {
    const tensor_t *constant = rng_one_in(rng, 3) ? draw_constant(rng, arena) : NULL;
    quant_spec_t spec = draw_spec(rng, 3, arena);
    char name[16];
    g_snprintf(name, sizeof name, "v%u", values++);
    quant_builder_add_value(builder, constant != NULL ? QUANT_CONSTANT : QUANT_INPUT, name, &type,
                            &spec, constant);
  }
  uint32_t regions = 1 + (uint32_t)rng_below(rng, regions_max);
  for (uint32_t i = 0; i < regions; i++) {
    add_random_region(rng, table, builder, i, &values, arena);
  }
  quant_graph_t graph;
  failure_t error;
  if (quant_builder_finish(builder, &graph, &error) != STATUS_OK) g_error("%s", error.text);
  return graph;
}

/* A random order of 0 to count - 1. */
static void draw_order(rng_t *rng, uint32_t count, uint32_t *out_order) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t other = (uint32_t)rng_below(rng, i + 1);
    out_order[i] = out_order[other];
    out_order[other] = i;
  }
}

quant_graph_t shuffled_graph(rng_t *rng, const quant_graph_t *graph, arena_t *arena) {
  quant_builder_t *builder = quant_builder_new(graph->name, arena);
  uint32_t *order = ARENA_NEW_ARRAY(arena, uint32_t, graph->value_count + graph->region_count);
  uint32_t *moved = ARENA_NEW_ARRAY(arena, uint32_t, graph->value_count);
  draw_order(rng, graph->value_count, order);
  for (uint32_t i = 0; i < graph->value_count; i++) {
    const quant_value_t *value = &graph->values[order[i]];
    quant_value_role_t role = value->producer != QUANT_NONE ? QUANT_RESULT
                              : value->constant != NULL     ? QUANT_CONSTANT
                                                            : QUANT_INPUT;
    moved[order[i]] = quant_builder_add_value(builder, role, value->name, &value->type,
                                              &value->spec, value->constant);
  }
  for (uint32_t i = 0; i < graph->output_count; i++) {
    quant_builder_add_output(builder, moved[graph->outputs[i]]);
  }
  draw_order(rng, graph->region_count, order);
  for (uint32_t i = 0; i < graph->region_count; i++) {
    quant_region_t region = graph->regions[order[i]];
    quant_port_t ports[QUANT_PORTS_MAX];
    for (uint32_t port = 0; port < quant_port_count(&region); port++) {
      ports[port] = region.ports[port];
      ports[port].value = moved[ports[port].value];
    }
    region.ports = ports;
    quant_builder_add_region(builder, &region);
  }
  quant_graph_t shuffled;
  failure_t error;
  if (quant_builder_finish(builder, &shuffled, &error) != STATUS_OK) g_error("%s", error.text);
  return shuffled;
}
